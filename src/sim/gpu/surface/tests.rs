//! Layout by hand, and texels through memory.

use super::rig::{AUX, BASE, image, space};
use super::*;
use crate::memory::AddressSpaceView;
use eu::StopReason;
use hw::Format;
use hw::state::render_surface_state as rss;

#[test]
fn mip_levels_are_below_and_to_the_right() {
    let image = image(&[
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 19),
        (rss::HEIGHT, 9),
        (rss::DEPTH, 1),
        (rss::SURFACE_PITCH, 255),
        (rss::SURFACE_QPITCH, 28 / 4),
    ]);
    let at = |lod, x, y, layer| image.texel_address(lod, x, y, layer, 0).map(|a| a - BASE);
    // 20 × 10: level 0 takes 12 rows; level 1 is 10 × 5 at (0, 12) and takes 12 × 8; level 2 is 5 ×
    // 2 at (12, 12) and takes 4 rows; level 3 is 2 × 1 at (12, 16).
    assert_eq!(at(0, 19, 9, 0), Some(9 * 256 + 19 * 4));
    assert_eq!(at(1, 0, 0, 0), Some(12 * 256));
    assert_eq!(at(2, 0, 1, 0), Some(13 * 256 + 12 * 4));
    assert_eq!(at(3, 1, 0, 0), Some(16 * 256 + 13 * 4));
    assert_eq!(at(1, 2, 3, 1), Some((28 + 12 + 3) * 256 + 2 * 4));
    assert_eq!(image.level_extent(2), [5, 2, 2]);
    for out in [
        at(0, 20, 0, 0),
        at(0, 0, 10, 0),
        at(1, 10, 0, 0),
        at(0, 0, 0, 2),
    ] {
        assert_eq!(out, None);
    }
    assert_eq!(image.texel_address(15, 0, 0, 0, 0), None);
    assert_eq!(image.texel_address(u32::MAX, u32::MAX, 0, 0, 0), None);
}

#[test]
fn views_add_min_lod_and_minimum_array_element() {
    let set = [
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 15),
        (rss::HEIGHT, 15),
        (rss::SURFACE_PITCH, 63),
        (rss::SURFACE_MIN_LOD, 1),
        (rss::MINIMUM_ARRAY_ELEMENT, 2),
        (rss::SURFACE_QPITCH, 24 / 4),
    ];
    let image = image(&set);
    assert_eq!(image.level_extent(0), [8, 8, 1]);
    let place = (2 * 24 + 16 + 1) * 64 + 3 * 4;
    assert_eq!(image.texel_address(0, 3, 1, 0, 0), Some(BASE + place));
}

#[test]
fn levels_of_compressed_surfaces_are_aligned_in_blocks() {
    let bc1 = Format::by_number(0x186).expect("BC1");
    assert_eq!((bc1.name, bc1.block_bits), ("BC1_UNORM", 64));
    let image = image(&[
        (rss::SURFACE_FORMAT, 0x186),
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 31),
        (rss::HEIGHT, 31),
        (rss::SURFACE_PITCH, 63),
    ]);
    // 8 × 8 blocks, then 4 × 4 below, then 2 × 2 to the right of four.
    let block = image.texel_address(0, 7, 9, 0, 0);
    assert_eq!(block, Some(BASE + 2 * 64 + 8));
    assert_eq!(image.texel_address(1, 4, 0, 0, 0), Some(BASE + 8 * 64 + 8));
    assert_eq!(
        image.texel_address(2, 0, 7, 0, 0),
        Some(BASE + 9 * 64 + 4 * 8)
    );
}

#[test]
fn mip_layout_of_1d_surfaces() {
    let image = image(&[
        (rss::SURFACE_TYPE, 0),
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 99),
        (rss::DEPTH, 3),
        (rss::SURFACE_PITCH, 0),
        (rss::SURFACE_QPITCH, 256 / 4),
    ]);
    // 100 takes 128 elements, 50 takes 64.
    let at = |lod, x, layer| image.texel_address(lod, x, 0, layer, 0);
    assert_eq!(at(1, 7, 0), Some(BASE + (128 + 7) * 4));
    assert_eq!(at(2, 1, 3), Some(BASE + (3 * 256 + 128 + 64 + 1) * 4));
    assert_eq!(image.texel_address(0, 0, 1, 0, 0), None);
}

#[test]
fn mip_layout_of_3d_surfaces() {
    let image = image(&[
        (rss::SURFACE_TYPE, 2),
        (rss::TILE_MODE, 0),
        (rss::SURFACE_ARRAY, 0),
        (rss::WIDTH, 7),
        (rss::HEIGHT, 7),
        (rss::DEPTH, 7),
        (rss::SURFACE_PITCH, 31),
        (rss::SURFACE_QPITCH, 12 / 4),
    ]);
    let at = |lod, z| image.texel_address(lod, 0, 0, z, 0);
    assert_eq!(at(1, 3), Some(BASE + (3 * 12 + 8) * 32));
    assert_eq!((at(1, 4), at(0, 8)), (None, None));
}

#[test]
fn multisample_layouts_are_array_or_interleaved() {
    let set = |storage| {
        image(&[
            (rss::TILE_MODE, 0),
            (rss::WIDTH, 7),
            (rss::HEIGHT, 7),
            (rss::DEPTH, 1),
            (rss::SURFACE_PITCH, 127),
            (rss::SURFACE_QPITCH, 16 / 4),
            (rss::NUMBER_OF_MULTISAMPLES, 2),
            (rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT, storage),
        ])
    };
    let slices = set(0).texel_address(0, 3, 2, 1, 3);
    assert_eq!(slices, Some(BASE + ((4 + 3) * 16 + 2) * 128 + 3 * 4));
    // Pixel (3, 2): the pair begins at (4, 4); sample 3 is right and below; odd x.
    let side_by_side = set(1).texel_address(0, 3, 2, 1, 3);
    assert_eq!(side_by_side, Some(BASE + (16 + 6) * 128 + 7 * 4));
    assert_eq!(set(0).texel_address(0, 0, 0, 0, 4), None);
}

#[test]
fn interleaved_samples_cover_the_surface_once() {
    for (code, pixels) in [(1, 2), (2, 4), (3, 8), (4, 16)] {
        let image = image(&[
            (rss::TILE_MODE, 0),
            (rss::WIDTH, 3),
            (rss::HEIGHT, 3),
            (rss::SURFACE_PITCH, 63),
            (rss::NUMBER_OF_MULTISAMPLES, code),
            (rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT, 1),
        ]);
        let mut seen = std::collections::BTreeSet::new();
        for i in 0..16 {
            for sample in 0..pixels {
                let address = image.texel_address(0, i % 4, i / 4, 0, sample);
                assert!(seen.insert(address.expect("inside")));
            }
        }
        // A rectangle without holes: as many places as width times height of the farthest.
        let offsets = seen.iter().map(|a| a - BASE);
        let (w, h) = offsets.fold((0, 0), |(w, h), o| {
            (w.max(o % 64 / 4 + 1), h.max(o / 64 + 1))
        });
        assert_eq!(w * h, seen.len() as u64);
    }
}

#[test]
fn texels_are_written_and_read_back() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let image = image(&[(rss::WIDTH, 31), (rss::HEIGHT, 31)]);
    let values = [1.0f32, 0.0, 0.2, 1.0].map(f32::to_bits);
    image
        .store(&view, 0, [5, 6, 0], 0, values)
        .expect("a texel");
    // x is byte 20 of the row: column 1 of 16 bytes, byte 4; row 6.
    let place = BASE + 512 + 6 * 16 + 4;
    assert_eq!(view.read(place).expect("mapped"), 0xff33_00ff);
    assert_eq!(image.load(&view, 0, [5, 6, 0], 0).expect("a texel"), values);
    assert_eq!(image.load(&view, 0, [32, 6, 0], 0).expect("zeros"), [0; 4]);
    image
        .store(&view, 0, [0, 32, 0], 0, values)
        .expect("dropped");
}

#[test]
fn out_of_bounds_reads_use_missing_channel_defaults() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    const ONE: u32 = 0x3f80_0000;
    for (name, alpha) in [
        ("R8G8B8A8_UNORM", 0),
        ("B8G8R8X8_UNORM", ONE),
        ("R8_UNORM", ONE),
        ("R32_FLOAT", ONE),
        ("R32G32_UINT", 1),
        ("R16_SINT", 1),
        ("R32G32B32A32_UINT", 0),
        ("R11G11B10_FLOAT", ONE),
        ("A8_UNORM", 0),
        ("BC4_UNORM", ONE),
        ("BC7_UNORM", 0),
        ("RAW", 0),
    ] {
        let format = hw::FORMATS.iter().find(|f| f.name == name);
        let number = format.expect("a format").number;
        let set = [(rss::SURFACE_FORMAT, u64::from(number))];
        let found = image(&set).load(&view, 0, [64, 0, 0], 0);
        assert_eq!(found, Ok([0, 0, 0, alpha]), "{name}");
        // What is not bound has no format.
        let null = [set[0], (rss::SURFACE_TYPE, 7)];
        let found = image(&null).load(&view, 0, [64, 0, 0], 0);
        assert_eq!(found, Ok([0; 4]), "{name}");
    }
}

#[test]
fn fast_cleared_blocks_read_the_clear_colour_until_written() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let colour = [0.0f32, 1.0, 0.0, 1.0].map(f32::to_bits);
    let image = image(&[
        (rss::WIDTH, 31),
        (rss::HEIGHT, 31),
        (rss::AUXILIARY_SURFACE_MODE, 1),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, AUX),
        (rss::GREEN_CLEAR_COLOR, colour[1].into()),
        (rss::ALPHA_CLEAR_COLOR, colour[3].into()),
    ]);
    assert!(!image.is_clear(&view, 0, [9, 5, 0]).expect("a state"));
    assert!(image.mark_clear(&view, 0, [9, 5, 0]).expect("a state"));
    // The block is 8 × 4 pixels: (8..16, 4..8), the second of the second row of blocks.
    assert_eq!(view.read(AUX + 4).expect("mapped"), 3 << 2);
    let load = |x, y| image.load(&view, 0, [x, y, 0], 0).expect("a texel");
    assert_eq!((load(8, 4), load(15, 7)), (colour, colour));
    assert_eq!((load(7, 4), load(8, 8)), ([0; 4], [0; 4]));
    let red = [1.0f32, 0.0, 0.0, 1.0].map(f32::to_bits);
    image.store(&view, 0, [9, 5, 0], 0, red).expect("a texel");
    assert_eq!(view.read(AUX + 4).expect("mapped"), 0);
    assert_eq!((load(9, 5), load(8, 4), load(15, 7)), (red, colour, colour));
}

#[test]
fn mcs_entry_addresses() {
    let image = image(&[
        (rss::WIDTH, 31),
        (rss::HEIGHT, 31),
        (rss::DEPTH, 1),
        (rss::NUMBER_OF_MULTISAMPLES, 3),
        (rss::AUXILIARY_SURFACE_MODE, 1),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, AUX),
        (rss::AUXILIARY_SURFACE_QPITCH, 8 / 4),
    ]);
    assert_eq!(image.aux.mode, AuxMode::Mcs);
    assert_eq!(image.mcs_place([5, 1, 0]), Some((AUX + 512 + 16 + 4, 4)));
    // The second slice's entries are QPitch rows further down.
    assert_eq!(image.mcs_place([0, 1, 1]), Some((AUX + 9 * 16, 4)));
    assert_eq!(image.mcs_place([32, 1, 0]), None);
}

#[test]
fn unmodelled_surface_states_are_refused() {
    let mut words = [0; 16];
    rss::SURFACE_TYPE.set(&mut words, 6);
    assert!(matches!(
        Image::from_words(&words, 0),
        Err(StopReason::Unimplemented { .. })
    ));
    // Nothing that a state can hold makes an address computation fail.
    let mut state = 1u32;
    for _ in 0..2000 {
        let words = std::array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^ state >> 16
        });
        let Ok(image) = Image::from_words(&words, 0) else {
            continue;
        };
        for at in [0, 1, 0xffff, u32::MAX] {
            let _ = image.texel_address(at, at, at, at, at);
            let _ = image.ccs_location(at, [at; 3]);
            let [w, h, d] = image.level_extent(0);
            let _ = image.texel_address(0, w - 1, h - 1, d - 1, image.samples - 1);
            let _ = image.mcs_place([w - 1, h - 1, d - 1]);
            let _ = image.ccs_location(0, [w - 1, h - 1, d - 1]);
        }
    }
}

#[test]
fn compressed_texels_are_decoded() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let image = image(&[
        (rss::SURFACE_FORMAT, 0x186),
        (rss::WIDTH, 7),
        (rss::HEIGHT, 7),
    ]);
    // BC1, the block at (4, 4): colours red and blue, and texel (1, 0) of index 1, the others of 0.
    // A row of blocks is a row of the tile.
    let place = BASE + 16 + 8;
    view.write_block(place, &[0x001f_f800, 1 << 2])
        .expect("mapped");
    let load = |x, y| image.load(&view, 0, [x, y, 0], 0).expect("a texel");
    assert_eq!(load(4, 4), [1.0f32, 0.0, 0.0, 1.0].map(f32::to_bits));
    assert_eq!(load(5, 4), [0.0f32, 0.0, 1.0, 1.0].map(f32::to_bits));
}

#[test]
fn shader_channel_selects() {
    let image = image(&[
        (rss::SHADER_CHANNEL_SELECT_RED, 6),
        (rss::SHADER_CHANNEL_SELECT_GREEN, 0),
        (rss::SHADER_CHANNEL_SELECT_BLUE, 1),
        (rss::SHADER_CHANNEL_SELECT_ALPHA, 4),
    ]);
    assert_eq!(image.swizzled([5, 6, 7, 8]), [7, 0, 0x3f80_0000, 5]);
}

#[test]
fn subspan_addresses_match_pixel_addresses() {
    for tiling in [0, 1, 2, 3] {
        let image = image(&[
            (rss::TILE_MODE, tiling),
            (rss::SURFACE_PITCH, 1023),
            (rss::WIDTH, 149),
            (rss::HEIGHT, 70),
            (rss::DEPTH, 1),
            (rss::SURFACE_QPITCH, 72 / 4),
        ]);
        let level = image.at_level(0);
        let pixel = |x, y, z| level.address(x, y, z, 0);
        for (x, y, z) in [(0, 0, 0), (30, 6, 0), (126, 62, 1), (148, 68, 1)] {
            let each = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| pixel(x + i, y + j, z));
            let all = level.subspan(x, y, z);
            assert_eq!(all.map(|a| a.map(Some)), Some(each), "{tiling} {x} {y} {z}");
        }
        let (xs, ys) = ([0, 148, 33, 131], [69, 0, 31, 67]);
        for z in [0, 1] {
            let each: [_; 4] = std::array::from_fn(|i| pixel(xs[i], ys[i], z));
            let all = level.plain_addresses(xs, ys, z);
            assert_eq!(all.map(|a| a.map(Some)), Some(each), "{tiling} {z}");
        }
        assert_eq!(level.plain_addresses([0, 150, 0, 0], ys, 0), None);
        assert_eq!(level.plain_addresses(xs, [0, 0, 71, 0], 0), None);
        assert_eq!(level.plain_addresses(xs, ys, 2), None);
        assert_eq!(level.plain_address(131, 67, 1), pixel(131, 67, 1));
        assert_eq!(level.plain_address(150, 0, 0), None);
        assert_eq!(level.subspan(149, 0, 0), None);
        assert_eq!(level.subspan(0, 70, 0), None);
        assert_eq!(level.subspan(0, 0, 2), None);
    }
    let multisampled = image(&[(rss::NUMBER_OF_MULTISAMPLES, 1)]);
    assert!(!multisampled.at_level(0).is_plain());
}
