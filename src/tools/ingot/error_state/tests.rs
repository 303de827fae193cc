use super::*;
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write as _;

/// The code of i915's own encoder: five digits of 85, the most significant first.
fn ascii85(bytes: &[u8]) -> String {
    let mut text = String::new();
    for word in bytes.chunks(4) {
        let mut padded = [0; 4];
        padded[..word.len()].copy_from_slice(word);
        let mut word = u32::from_le_bytes(padded);
        if word == 0 {
            text.push('z');
            continue;
        }
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = b'!' + (word % 85) as u8;
            word /= 85;
        }
        text.push_str(std::str::from_utf8(&digits).unwrap());
    }
    text
}

/// An error state with a batch of MI_NOOP, MI_STORE_DATA_IMM (4 dwords) and MI_BATCH_BUFFER_END at
/// 0x10_0000, in which the engine stands at the second dword of the store.
fn sample(compressed: bool) -> String {
    let words = [0_u32, 0x1000_0002, 0x0020_0000, 0, 7, 0x0500_0000];
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let line = match compressed {
        true => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(&bytes).unwrap();
            format!(":{}", ascii85(&encoder.finish().unwrap()))
        }
        false => format!("~{}", ascii85(&bytes)),
    };
    format!(
        "GPU HANG: ecode 9:1:85dffffb, in ingot [77]\nKernel: 5.15.0 x86_64\nPCI ID: 0x1912\n\
        rcs0 command stream:\n  ACTHD: 0x00000000 00100008\n  INSTDONE: 0xfffffffb\n\
        \x20 SC_INSTDONE: 0xffffffff\n  ROW_INSTDONE[0][1]: 0xfffcffff\n\
        rcs0 --- batch = 0x00000000 00100000\n{line}\n\
        rcs0 --- HW context = 0x00000000 00300000\n:z!\n"
    )
}

#[test]
fn ascii85_words_are_those_of_the_kernel() {
    // By hand: 1 = "!!!!\"", 0xffffffff = 85^4 * 82 + ... = "s8W-!".
    assert_eq!(
        decode_ascii85("!!!!\"zs8W-!\n"),
        [1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]
    );
    assert!(decode_ascii85("!!!").is_empty());
}

#[test]
fn the_command_at_acthd_is_marked_compressed_or_not() {
    for compressed in [true, false] {
        let text = sample(compressed);
        assert!(is_error_state(text.as_bytes()));
        let state = ErrorState::parse(&text).unwrap();
        assert_eq!((state.pci_id, state.acthd), (Some(0x1912), Some(0x10_0008)));
        let listing = state.format(hw::Gen::Gen9);
        let lines: Vec<&str> = listing.lines().collect();
        let mark = lines
            .iter()
            .position(|line| line.starts_with(">>> ACTHD"))
            .unwrap();
        assert!(
            lines[mark + 1].contains("0x000000100004: MI_STORE_DATA_IMM"),
            "{listing}"
        );
        assert!(listing.contains("busy: VS\n"), "{listing}");
        assert!(listing.contains("busy: EU00, EU01\n"), "{listing}");
        assert!(listing.contains("busy: none\n"), "{listing}");
        assert!(
            listing.contains("HW context at 0x000000300000: zlib"),
            "{listing}"
        );
    }
}

#[test]
fn other_files_are_not_error_states() {
    assert!(!is_error_state(&[0, 0, 0, 5]));
    assert!(!is_error_state(b"No error state collected\n"));
    assert!(!is_error_state(b"Kernel: 5.15.0 x86_64\n"));
}
