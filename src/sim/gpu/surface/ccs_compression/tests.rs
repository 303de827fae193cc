//! Compressed blocks: which accesses decompress them, which do not, and resolves.
//!
//! Ref: SKL PRM vol. 7, "Render Target Resolve"; vol. 2d, "RENDER_SURFACE_STATE", Auxiliary Surface
//!      Mode.

use super::{BlockLines, CompressionCode};
use crate::memory::AddressSpaceView;
use crate::surface::aux::Block;
use crate::surface::format;
use crate::surface::image::Image;
use crate::surface::rig::{AUX, BASE, image, space};
use crate::surface::tiling::Tiling;
use hw::FORMATS;
use hw::state::render_surface_state as rss;

fn code(name: &str) -> CompressionCode {
    CompressionCode::from_format(FORMATS.iter().find(|f| f.name == name).expect(name))
}

/// The compressed surface of these tests by another mode, and more: 64 × 32 pixels of two levels
/// and two slices.
fn surface(mode: u64, set: &[(hw::Field, u64)]) -> Image {
    let base = [
        (rss::WIDTH, 63),
        (rss::HEIGHT, 31),
        (rss::DEPTH, 1),
        (rss::SURFACE_QPITCH, 64 / 4),
        (rss::SURFACE_PITCH, 255),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 3),
        (rss::AUXILIARY_SURFACE_MODE, mode),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, AUX),
        (rss::AUXILIARY_SURFACE_QPITCH, 128 / 4),
        (rss::RED_CLEAR_COLOR, 1f32.to_bits().into()),
    ];
    image(&[&base, set].concat())
}

const NONE: u64 = 0;
const CCS_D: u64 = 1;
const CCS_E: u64 = 5;

/// Colours that bytes can hold.
fn colour(seed: u32) -> [u32; 4] {
    [1, 3, 5, 7].map(|by| ((seed * by % 256) as f32 / 255.0).to_bits())
}

fn load(image: &Image, view: &AddressSpaceView<'_>, lod: u32, place: [u32; 3]) -> [u32; 4] {
    image.load(view, lod, place, 0).expect("a texel")
}

fn block_state(image: &Image, view: &AddressSpaceView<'_>, lod: u32, place: [u32; 3]) -> Block {
    image.block(view, lod, place).expect("a state")
}

/// Draws colours to the pixels of a block: those of `mask`, by its rows.
fn draw(view: &AddressSpaceView<'_>, lod: u32, [x, y, z]: [u32; 3], mask: u32) {
    let target = surface(CCS_E, &[]);
    let opened = target.open(view, lod, [x, y, z]).expect("mapped");
    for i in (0..32).filter(|i| mask >> i & 1 == 1) {
        let place = [x + i % 8, y + i / 8];
        let at = target.texel_address(lod, place[0], place[1], z, 0);
        let texel = format::encode(target.format, colour(i));
        target
            .write_texel(view, at.expect("inside"), &texel)
            .expect("mapped");
    }
    // Who comes to it while it is in the cache finds it there.
    assert_eq!(target.open(view, lod, [x + 7, y + 3, z]), Ok(None));
    target
        .close(view, opened.expect("a block"))
        .expect("mapped");
}

#[test]
fn compression_changes_every_byte_and_is_an_involution() {
    let rgba = code("R8G8B8A8_UNORM");
    let masks: Vec<u32> = (0..1024).map(|i| rgba.xor_mask(i * 4)).collect();
    assert!(
        masks
            .iter()
            .all(|m| m.to_le_bytes().iter().all(|b| *b != 0))
    );
    let different: std::collections::BTreeSet<_> = masks.iter().collect();
    assert!(different.len() > 1000, "{}", different.len());
    // Memory is the same from wherever it is looked at, and pages are where address spaces have
    // them.
    assert!((0..1024).all(|i| rgba.xor_mask(0x7654_3000 + i * 4) == masks[i as usize]));
    for (name, same) in [
        ("R8G8B8A8_UINT", true),
        ("R8G8B8A8_UNORM_SRGB", true),
        ("B8G8R8A8_UNORM", true),
        ("B8G8R8X8_UNORM", true),
        ("R32_UINT", false),
        ("R16G16_UNORM", false),
        ("R10G10B10A2_UNORM", false),
    ] {
        assert_eq!(code(name) == rgba, same, "{name}");
    }
    let space = space();
    let view = AddressSpaceView::new(&space);
    let block = BASE + 0x1400;
    let lines = [block, block + 512];
    let words: Vec<u32> = (0..16).map(|i| i * 0x0101_0101).collect();
    for line in lines {
        view.write_block(line, &words).expect("mapped");
    }
    for expected in [false, true] {
        let block = BlockLines::from_address(Tiling::Y, block).expect("a block");
        rgba.toggle(&view, block).expect("mapped");
        for (i, word) in (0..16).zip(&words) {
            for line in lines {
                let found = view.read(line + 4 * i).expect("mapped");
                assert_eq!(found == *word, expected, "{i}");
            }
        }
    }
    // Adjacent lines are unchanged.
    assert_eq!(view.read(block + 64), Ok(0));
    // The distance of a line from its right neighbour is the bit of an address that is the fifth of
    // a byte column.
    for (tiling, starts, others, across) in [
        (Tiling::Y, [0, 0x5c0], [0x200, 0x20], 512),
        (Tiling::Yf32, [0, 0x540], [0x80, 0x20], 128),
        (Tiling::Yf128, [0, 0x580], [0x40, 0x20], 64),
        (Tiling::Yf3d32, [0, 0x5c0], [0x200, 0x20], 512),
        (Tiling::Yf3d128, [0, 0x6c0], [0x100, 0x20], 256),
    ] {
        for start in starts.map(|start| BASE + start) {
            let lines = BlockLines([start, start + across]);
            assert_eq!(
                BlockLines::from_address(tiling, start),
                Some(lines),
                "{tiling:?}"
            );
        }
        for other in others {
            assert_eq!(
                BlockLines::from_address(tiling, BASE + other),
                None,
                "{tiling:?}"
            );
        }
    }
    assert_eq!(BlockLines::from_address(Tiling::X, BASE), None);
}

#[test]
fn compressed_targets_are_read_through_the_ccs_only() {
    for (lod, corner) in [(0, [8, 4, 0]), (0, [56, 28, 1]), (1, [16, 12, 1])] {
        let space = space();
        let view = AddressSpaceView::new(&space);
        draw(&view, lod, corner, u32::MAX);
        let [x, y, z] = corner;
        let others = [
            (rss::SURFACE_FORMAT, 0x0cb, true),
            (rss::SURFACE_FORMAT, 0x0d7, false),
        ];
        for i in 0..32 {
            let place = [x + i % 8, y + i / 8, z];
            for mode in [CCS_E, CCS_D] {
                let image = surface(mode, &[]);
                assert_eq!(load(&image, &view, lod, place), colour(i), "{place:?}");
                assert_eq!(block_state(&image, &view, lod, place), Block::Compressed);
            }
            let plain = surface(NONE, &[]);
            assert_ne!(load(&plain, &view, lod, place), colour(i), "{place:?}");
            // Integers of the same bits, and one integer of all of them.
            let texel = format::encode(plain.format, colour(i));
            for (field, number, same) in others {
                let other = surface(CCS_E, &[(field, number)]);
                let found = load(&other, &view, lod, place);
                let found = format::encode(other.format, found);
                assert_eq!(found == texel, same, "{number:#x} {place:?}");
            }
        }
        // Adjacent blocks are unchanged.
        let image = surface(CCS_E, &[]);
        for (dx, dy) in [(-1, 0), (8, 0), (0, -1), (0, 4)] {
            let place = [x.wrapping_add_signed(dx), y.wrapping_add_signed(dy), z];
            assert_eq!(
                block_state(&image, &view, lod, place),
                Block::Plain,
                "{place:?}"
            );
            assert_eq!(
                load(&image, &view, lod, place),
                load(&image, &view, lod, [0, 0, z])
            );
        }
    }
}

#[test]
fn compressed_blocks_can_be_drawn_repeatedly() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let (image, corner) = (surface(CCS_E, &[]), [8, 4, 0]);
    // What was cleared before, a part of a block; another part; the rest of the block stays.
    assert_eq!(image.mark_clear(&view, 0, corner), Ok(true));
    draw(&view, 0, corner, 0xf0);
    draw(&view, 0, corner, 0xf000);
    let red = [1f32.to_bits(), 0, 0, 0];
    for i in 0..32 {
        let place = [8 + i % 8, 4 + i / 8, 0];
        let expected = match 0xf0f0 >> i & 1 {
            1 => colour(i),
            _ => red,
        };
        assert_eq!(load(&image, &view, 0, place), expected, "{i}");
    }
}

#[test]
fn full_resolve_restores_colours() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let (corner, cleared) = ([8, 4, 0], [16, 4, 0]);
    let (image, plain) = (surface(CCS_E, &[]), surface(NONE, &[]));
    let red = [1f32.to_bits(), 0, 0, 0];
    draw(&view, 0, corner, u32::MAX);
    assert_eq!(image.mark_clear(&view, 0, cleared), Ok(true));
    // In part: what is cleared alone, which comes to be compressed.
    for place in [corner, cleared, [0, 0, 0]] {
        image.resolve(&view, 0, place, false).expect("mapped");
    }
    for (place, expected) in [(corner, colour(0)), (cleared, red)] {
        assert_eq!(
            block_state(&image, &view, 0, place),
            Block::Compressed,
            "{place:?}"
        );
        assert_eq!(load(&image, &view, 0, place), expected);
        assert_ne!(load(&plain, &view, 0, place), expected);
    }
    assert_eq!(block_state(&image, &view, 0, [0, 0, 0]), Block::Plain);
    // In full, twice: the second has nothing to do.
    for _ in 0..2 {
        for place in [corner, cleared] {
            image.resolve(&view, 0, place, true).expect("mapped");
        }
        for (place, expected) in [(corner, colour(0)), (cleared, red)] {
            assert_eq!(
                block_state(&image, &view, 0, place),
                Block::Plain,
                "{place:?}"
            );
            assert_eq!(load(&image, &view, 0, place), expected);
            assert_eq!(load(&plain, &view, 0, place), expected);
        }
    }
}

#[test]
fn uncompressed_target_leaves_block_states_unchanged() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let (image, corner) = (surface(CCS_D, &[]), [8, 4, 0]);
    draw(&view, 0, corner, u32::MAX);
    // Outside strict mode, which refuses it.
    assert_eq!(image.open(&view, 0, corner), Ok(None));
    assert_eq!(image.resolve(&view, 0, corner, true), Ok(()));
    assert_eq!(block_state(&image, &view, 0, corner), Block::Compressed);
    assert_eq!(load(&image, &view, 0, corner), colour(0));
    // Of cleared blocks and plain ones it makes none.
    let adjacent = [16, 4, 0];
    assert_eq!(image.mark_clear(&view, 0, adjacent), Ok(true));
    for place in [adjacent, [0, 0, 0]] {
        assert_eq!(image.open(&view, 0, place), Ok(None));
        assert_eq!(block_state(&image, &view, 0, place), Block::Plain);
    }
    assert_eq!(
        load(&surface(NONE, &[]), &view, 0, adjacent),
        [1f32.to_bits(), 0, 0, 0]
    );
    // The data port makes them plain where it writes.
    image.store(&view, 0, corner, 0, colour(9)).expect("mapped");
    for mode in [NONE, CCS_E] {
        let image = surface(mode, &[]);
        assert_eq!(load(&image, &view, 0, corner), colour(9));
        assert_eq!(load(&image, &view, 0, [9, 4, 0]), colour(1));
    }
}
