//! Where pixels lie, and the blob of formats.

use super::*;

fn framebuffer(tiling: Tiling, fourcc: &[u8; 4]) -> Framebuffer {
    Framebuffer {
        id: 1,
        buffer: Buffer::new(1 << 16, 0, true).unwrap(),
        extent_px: [256, 64],
        fourcc: u32::from_le_bytes(*fourcc),
        tiling,
        pitch_bytes: 1024,
        offset_bytes: 4096,
        ccs: None,
    }
}

#[test]
fn pixels_lie_where_the_tiling_puts_them() {
    for (tiling, x, y, meant) in [
        (Tiling::Linear, 5, 3, 3 * 1024 + 20),
        // SKL PRM vol. 5: tiles of 512 bytes and 8 rows; of 8 columns of 16 bytes and 32 rows.
        (Tiling::X, 5, 3, 3 * 512 + 20),
        (Tiling::X, 133, 11, (2 + 1) * 4096 + 3 * 512 + 20),
        (Tiling::Y, 5, 3, 512 + 3 * 16 + 4),
        (Tiling::Y, 37, 35, (8 + 1) * 4096 + 512 + 3 * 16 + 4),
    ] {
        let at = framebuffer(tiling, b"XR24").pixel_offset(x, y);
        assert_eq!(at, 4096 + meant, "{tiling:?} {x} {y}");
    }
}

#[test]
fn channels_are_read_in_the_order_of_the_format() {
    let words: Vec<_> = (0..2048)
        .map(|_| std::sync::atomic::AtomicU32::new(0))
        .collect();
    for (fourcc, value, meant) in [
        (b"XR24", 0x00_11_22_33, [0x11, 0x22, 0x33]),
        (b"AB24", 0xff_11_22_33, [0x33, 0x22, 0x11]),
        // 10 bits: the upper 8 are shown.
        (b"XR30", 0x3ff << 20 | 0x100 << 10 | 4, [0xff, 0x40, 1]),
        (b"XB30", 0x3ff << 20 | 0x100 << 10 | 4, [1, 0x40, 0xff]),
    ] {
        words[1024].store(value, std::sync::atomic::Ordering::Relaxed);
        let found = framebuffer(Tiling::Linear, fourcc).pixel(&words, 0, 0);
        assert_eq!(found, Some(meant), "{fourcc:?}");
    }
}

#[test]
fn framebuffers_with_a_ccs_have_room_for_it_and_wide_ones_whole_groups_of_tiles() {
    let device = Device::by_name("skl").unwrap();
    let accepted = |width: u32, pitch: u32, ccs: [u32; 2], fourcc: &[u8; 4]| {
        let request = FbCmd2 {
            width,
            height: 64,
            pixel_format: u32::from_le_bytes(*fourcc),
            pitches: [pitch, ccs[1], 0, 0],
            offsets: [0, ccs[0], 0, 0],
            ..Default::default()
        };
        let buffer = Buffer::new(2 << 20, 0, true).unwrap();
        Framebuffer::new(1, &request, Some(INTEL | 4), buffer, device).is_ok()
    };
    let at = 1 << 20;
    assert!(accepted(1024, 4096, [at, 128], b"XR24"));
    // Two tiles for more than 1024 pixels, within the buffer, from a page on; no other channels.
    assert!(!accepted(1025, 4224, [at, 128], b"XR24"));
    assert!(accepted(1025, 4224, [at, 256], b"XR24"));
    assert!(!accepted(1024, 4096, [(2 << 20) - 2048, 128], b"XR24"));
    assert!(!accepted(1024, 4096, [2 << 20, 128], b"XR24"));
    assert!(!accepted(1024, 4096, [at + 64, 128], b"XR24"));
    assert!(!accepted(1024, 4096, [at, 128 + 64], b"XR24"));
    assert!(!accepted(1024, 4096, [at, 128], b"XR30"));
    // Display WA #0531.
    assert!(accepted(3840, 3840 * 4, [at, 512], b"XR24"));
    assert!(!accepted(3841, 15488, [at, 512], b"XR24"));
    assert!(accepted(3841, 15872, [at, 512], b"XR24"));
}
