//! Addresses of texels in views, and of block states and pixels in aux surfaces.
//!
//! Ref: SKL PRM vol. 5, "Surface Layout and Tiling", "Multisampled Surfaces"; vol. 7, "MCS Buffer
//!      for Render Target(s)".

use crate::memory::AddressSpaceView;
use crate::surface::image::{AuxMode, Image};
use crate::surface::rig::{AUX, BASE, image, space};
use crate::surface::tiling;
use hw::FORMATS;
use hw::state::render_surface_state as rss;

/// The number of a format.
fn number(name: &str) -> u64 {
    let format = FORMATS.iter().find(|f| f.name == name).expect(name);
    format.number.into()
}

#[test]
fn views_of_3d_surfaces_end_at_the_depth_of_the_surface() {
    let image = image(&[
        (rss::SURFACE_TYPE, 2),
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 7),
        (rss::HEIGHT, 7),
        (rss::DEPTH, 7),
        (rss::MINIMUM_ARRAY_ELEMENT, 3),
        (rss::SURFACE_PITCH, 31),
        (rss::SURFACE_QPITCH, 12 / 4),
    ]);
    // Of level 0 the slices 3 to 7, of level 1, which has four, the last.
    for (lod, z, expected) in [
        (0, 0, Some(3 * 12 * 32)),
        (0, 4, Some(7 * 12 * 32)),
        (0, 5, None),
        (1, 0, Some((3 * 12 + 8) * 32)),
        (1, 1, None),
    ] {
        let level = image.at_level(lod);
        let expected = expected.map(|offset| BASE + offset);
        assert_eq!(level.address(0, 0, z, 0), expected, "{lod} {z}");
        assert_eq!(level.plain_address(0, 0, z), expected, "{lod} {z}");
        let corner = level.subspan(0, 0, z).map(|four| four[0]);
        assert_eq!(corner, expected, "{lod} {z}");
    }
    // Arrays end with their own elements.
    let image = crate::surface::rig::image(&[(rss::DEPTH, 1), (rss::MINIMUM_ARRAY_ELEMENT, 3)]);
    assert!(image.texel_address(0, 0, 0, 1, 0).is_some());
    assert!(image.texel_address(0, 0, 0, 2, 0).is_none());
}

#[test]
fn subspan_and_pixel_addresses_of_views() {
    for tiles in [0, 1, 2, 3] {
        let image = image(&[
            (rss::TILE_MODE, tiles),
            (rss::SURFACE_PITCH, 1023),
            (rss::WIDTH, 59),
            (rss::HEIGHT, 41),
            (rss::DEPTH, 2),
            (rss::MINIMUM_ARRAY_ELEMENT, 2),
            (rss::SURFACE_QPITCH, 68 / 4),
            (rss::X_OFFSET, 2),
            (rss::Y_OFFSET, 1),
        ]);
        for lod in [0, 1, 2] {
            let level = image.at_level(lod);
            let [width, height, depth] = level.extent();
            assert_eq!([width, height, depth], [60 >> lod, 42 >> lod, 3]);
            // Below level 0 of 42 rows, rounded up to 44, and to the right of level 1, which is 30
            // wide, rounded up to 32.
            let [left, top] = [[0, 0], [0, 44], [32, 44]][lod as usize];
            for (x, y, z) in [(0, 0, 0), (7, 5, 1), (width - 2, height - 2, 2)] {
                let texel = |i, j| {
                    let [column, row] = [x + i + left + 8, y + j + top + 4 + (z + 2) * 68];
                    BASE + tiling::offset(image.tiling, column * 4, row, 1024)
                };
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| texel(i, j));
                assert_eq!(level.subspan(x, y, z), Some(four), "{tiles} {lod} {x} {y}");
                let plain = level.plain_address(x, y, z);
                assert_eq!(plain, Some(four[0]), "{tiles} {lod} {x} {y}");
                let any = level.address(x + 1, y + 1, z, 0);
                assert_eq!(any, Some(four[3]), "{tiles} {lod} {x} {y}");
            }
            for (x, y, z) in [(width, 0, 0), (0, height, 0), (0, 0, 3)] {
                assert_eq!(level.plain_address(x, y, z), None, "{tiles} {lod}");
                assert_eq!(level.address(x, y, z, 0), None, "{tiles} {lod}");
            }
            for (x, y) in [(width - 1, 0), (0, height - 1)] {
                assert_eq!(level.subspan(x, y, 0), None, "{tiles} {lod}");
            }
        }
    }
}

#[test]
fn non_square_blocks_are_aligned_in_blocks() {
    let image = image(&[
        (rss::SURFACE_FORMAT, number("ASTC_LDR_2D_8X5_FLT16")),
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 39),
        (rss::HEIGHT, 24),
        (rss::SURFACE_PITCH, 255),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
        (rss::SURFACE_VERTICAL_ALIGNMENT, 2),
    ]);
    // 5 × 5 blocks take eight rows; 20 × 12 texels, 3 × 3 blocks, take four columns.
    for (lod, x, y, [column, row]) in [
        (0, 39, 24, [4, 4]),
        (0, 8, 4, [1, 0]),
        (1, 7, 5, [0, 9]),
        (2, 0, 0, [4, 8]),
        (2, 9, 5, [5, 9]),
    ] {
        let expected = BASE + row * 256 + column * 16;
        let found = image.texel_address(lod, x, y, 0, 0);
        assert_eq!(found, Some(expected), "{lod} {x} {y}");
        // The pixels of such a surface are not plain.
        let level = image.at_level(lod);
        assert!(!level.is_plain() && level.subspan(0, 0, 0).is_none());
    }
}

#[test]
fn buffer_entry_pitch() {
    let buffer = image(&[
        (rss::SURFACE_TYPE, 4),
        (rss::WIDTH, 99),
        (rss::SURFACE_PITCH, 11),
        (rss::SURFACE_MIN_LOD, 1),
    ]);
    assert_eq!(buffer.level_extent(3), [100, 1, 1]);
    for (x, expected) in [(0, Some(BASE)), (7, Some(BASE + 84)), (100, None)] {
        assert_eq!(buffer.texel_address(0, x, 0, 0, 0), expected, "{x}");
    }
    assert!(!buffer.at_level(0).is_plain());
    let null = image(&[(rss::SURFACE_TYPE, 7), (rss::WIDTH, 99), (rss::HEIGHT, 9)]);
    assert_eq!(null.level_extent(2), [100, 10, 1]);
    assert_eq!(null.texel_address(0, 0, 0, 0, 0), None);
    assert_eq!(null.at_level(0).subspan(0, 0, 0), None);
}

/// A surface of 200 × 100 with a colour control surface of two tiles' width.
fn controlled(set: &[(hw::Field, u64)]) -> Image {
    let base = [
        (rss::WIDTH, 199),
        (rss::HEIGHT, 99),
        (rss::DEPTH, 2),
        (rss::AUXILIARY_SURFACE_MODE, 5),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, AUX),
        (rss::AUXILIARY_SURFACE_PITCH, 1),
        (rss::AUXILIARY_SURFACE_QPITCH, 192 / 4),
    ];
    image(&[&base, set].concat())
}

#[test]
fn ccs_block_size() {
    for (name, mode, expected) in [
        ("R8G8B8A8_UNORM", 5, Some([8, 4])),
        ("R8G8B8A8_UNORM", 1, Some([8, 4])),
        ("R16G16B16A16_FLOAT", 5, Some([4, 4])),
        ("R32G32B32A32_UINT", 1, Some([2, 4])),
        ("R16_UINT", 5, None),
        ("R8G8B8A8_UNORM", 0, None),
        ("R32_FLOAT", 3, None),
    ] {
        let image = controlled(&[
            (rss::SURFACE_FORMAT, number(name)),
            (rss::AUXILIARY_SURFACE_MODE, mode),
        ]);
        assert_eq!(image.ccs_block(), expected, "{name} {mode}");
        assert_eq!(image.ccs_location(0, [0; 3]).is_some(), expected.is_some());
    }
}

#[test]
fn ccs_cache_line_covers_256_blocks() {
    // A line of 16 bytes by 4 rows of a Y tile for 128 × 64 pixels of four bytes: eight lines to
    // the tile's right, each 512 bytes, and eight down, each 64.
    let line = |image: &Image, lod, texel| {
        let (address, bit) = image.ccs_location(lod, texel)?;
        let in_dword = address.is_multiple_of(4) && bit.is_multiple_of(2) && bit < 32;
        assert!(in_dword, "{texel:?}: {address:#x} {bit}");
        Some(address & !63)
    };
    let image = controlled(&[]);
    for (lod, texel, expected) in [
        (0, [0, 0, 0], Some(0)),
        (0, [127, 63, 0], Some(0)),
        (0, [128, 63, 0], Some(512)),
        (0, [199, 99, 0], Some(512 + 64)),
        (0, [0, 64, 0], Some(64)),
        // 192 rows further are three lines down.
        (0, [0, 0, 1], Some(3 * 64)),
        (0, [130, 70, 2], Some(7 * 64 + 512)),
        // Level 1 is below 100 rows, rounded up to 128; level 2 to the right of 100, rounded up to
        // 128.
        (1, [99, 49, 0], Some(2 * 64)),
        (2, [0, 0, 0], Some(2 * 64 + 512)),
        (3, [0, 0, 1], Some(3 * 64 + 3 * 64 + 512)),
        (0, [200, 0, 0], None),
        (0, [0, 100, 0], None),
        (0, [0, 0, 3], None),
        (1, [100, 0, 0], None),
        (1, [0, 50, 0], None),
    ] {
        let expected = expected.map(|offset| AUX + offset);
        assert_eq!(line(&image, lod, texel), expected, "{lod} {texel:?}");
    }
    // Lines beyond the first tile of 2, and views.
    let wide = controlled(&[
        (rss::WIDTH, 2047),
        (rss::HEIGHT, 1023),
        (rss::MINIMUM_ARRAY_ELEMENT, 1),
        (rss::AUXILIARY_SURFACE_QPITCH, 1024 / 4),
    ]);
    for (texel, expected) in [
        ([0, 0, 0], 2 * 8192),
        ([1024, 0, 0], 2 * 8192 + 4096),
        ([1151, 512, 0], 3 * 8192 + 4096),
        ([1152, 64, 0], 2 * 8192 + 4096 + 512 + 64),
    ] {
        assert_eq!(line(&wide, 0, texel), Some(AUX + expected), "{texel:?}");
    }
    // Each block has two bits of its own, and all of its pixels the same.
    let mut seen = std::collections::BTreeMap::new();
    for (x, y) in (0..64).flat_map(|y| (0..128).map(move |x| (x, y))) {
        let (address, bit) = image.ccs_location(0, [x, y, 0]).expect("a state");
        assert!(address.is_multiple_of(4) && bit < 32 && bit.is_multiple_of(2));
        let block = *seen.entry((address, bit)).or_insert([x / 8, y / 4]);
        assert_eq!(block, [x / 8, y / 4], "{x} {y}");
    }
    assert_eq!(seen.len(), 256);
}

#[test]
fn fast_cleared_blocks_are_materialised_when_written() {
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
    // The block of (29, 14) is (24..32, 12..16).
    let at = [29, 14, 0];
    assert!(image.mark_clear(&view, 0, at).expect("a state"));
    let red = [1.0f32, 0.0, 0.0, 1.0].map(f32::to_bits);
    image.store(&view, 0, at, 0, red).expect("a texel");
    for (x, y) in (0..32).flat_map(|y| (0..32).map(move |x| (x, y))) {
        let inside = (24..32).contains(&x) && (12..16).contains(&y);
        let expected = match inside {
            true if [x, y] == [29, 14] => red,
            true => colour,
            false => [0; 4],
        };
        let found = image.load(&view, 0, [x, y, 0], 0).expect("a texel");
        assert_eq!(found, expected, "{x} {y}");
        assert!(!image.is_clear(&view, 0, [x, y, 0]).expect("a state"));
    }
    // Each level has states of its own.
    let levels = crate::surface::rig::image(&[
        (rss::WIDTH, 31),
        (rss::HEIGHT, 31),
        (rss::MIP_COUNT_LOD, 1),
        (rss::AUXILIARY_SURFACE_MODE, 1),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, AUX),
        (rss::GREEN_CLEAR_COLOR, colour[1].into()),
        (rss::ALPHA_CLEAR_COLOR, colour[3].into()),
    ]);
    let corner = [1, 1, 0];
    assert!(levels.mark_clear(&view, 1, corner).expect("a state"));
    for (level, expected) in [(0, [0; 4]), (1, colour)] {
        let found = levels.load(&view, level, corner, 0).expect("a texel");
        assert_eq!(found, expected, "level {level}");
    }
    // Without a control surface nothing is cleared.
    let without = crate::surface::rig::image(&[(rss::WIDTH, 31), (rss::HEIGHT, 31)]);
    assert!(!without.mark_clear(&view, 0, at).expect("none"));
    assert!(!without.is_clear(&view, 0, at).expect("none"));
    without.materialize(&view, 0, at).expect("nothing to do");
}

#[test]
fn mcs_entry_size_follows_the_sample_count() {
    let of = |samples: u64, mode: u64| {
        image(&[
            (rss::WIDTH, 31),
            (rss::HEIGHT, 15),
            (rss::DEPTH, 1),
            (rss::MINIMUM_ARRAY_ELEMENT, 1),
            (rss::NUMBER_OF_MULTISAMPLES, samples),
            (rss::AUXILIARY_SURFACE_MODE, mode),
            (rss::AUXILIARY_SURFACE_BASE_ADDRESS, AUX),
            (rss::AUXILIARY_SURFACE_QPITCH, 16 / 4),
        ])
    };
    // Row 16 + 3 of the tile, column 18: by one, four and eight bytes.
    for (samples, expected) in [
        (1, (512 + 19 * 16 + 2, 1)),
        (2, (512 + 19 * 16 + 2, 1)),
        (3, (4 * 512 + 19 * 16 + 8, 4)),
        (4, (4096 + 512 + 19 * 16, 8)),
    ] {
        let image = of(samples, 1);
        assert_eq!(image.aux.mode, AuxMode::Mcs);
        let (offset, bytes) = expected;
        assert_eq!(image.mcs_place([18, 3, 0]), Some((AUX + offset, bytes)));
        assert!(image.mcs_place([31, 15, 1]).is_some(), "{samples}");
        for out in [[32, 0, 0], [0, 16, 0], [0, 0, 2]] {
            assert_eq!(image.mcs_place(out), None, "{samples} {out:?}");
        }
    }
    assert_eq!(of(0, 5).mcs_place([0; 3]), None);
    assert_eq!(of(2, 0).mcs_place([0; 3]), None);
    // Read as long as they are.
    let space = space();
    let view = AddressSpaceView::new(&space);
    view.write64(AUX + 512 + 19 * 16, 0x0102_0304_0506_0708)
        .expect("mapped");
    assert_eq!(of(2, 1).mcs(&view, [18, 3, 0]).expect("mapped"), 6);
    assert_eq!(of(2, 0).mcs(&view, [18, 3, 0]).expect("none"), 0);
}

#[test]
fn mcs_entry_holds_the_slice_of_each_sample() {
    // Samples; entries, and the slices they tell: none where the pixel is cleared, which all of its
    // bits being ones says.
    let all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    for (code, entry, slices) in [
        (1, 0b10, Some(&all[..2])),
        (1, 0b01, Some(&[1, 0][..])),
        (1, 0b11, None),
        (2, 0b11_10_01_00, Some(&all[..4])),
        (2, 0b01_11_11_11, Some(&[3, 3, 3, 1])),
        (2, 0xff, None),
        (3, 0x7654_3210, Some(&all[..8])),
        (3, 0x7fff_ffff, Some(&[15, 15, 15, 15, 15, 15, 15, 7])),
        (3, 0xffff_ffff, None),
        (4, 0xfedc_ba98_7654_3210, Some(&all[..])),
        (4, u64::MAX, None),
    ] {
        let image = image(&[(rss::NUMBER_OF_MULTISAMPLES, code)]);
        for sample in 0..image.samples {
            let expected = slices.map(|slices| slices[sample as usize]);
            let found = image.slice_of(entry, sample);
            assert_eq!(found, expected, "{entry:#x} {sample}");
        }
    }
}

#[test]
fn interleaved_surface_size_covers_all_samples() {
    let of = |samples, set: &[(hw::Field, u64)]| {
        let base = [
            (rss::TILE_MODE, 0),
            (rss::WIDTH, 9),
            (rss::HEIGHT, 8),
            (rss::SURFACE_PITCH, 255),
            (rss::NUMBER_OF_MULTISAMPLES, samples),
            (rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT, 1),
        ];
        image(&[&base, set].concat())
    };
    // 10 × 9 pixels are 10 × 10 ones, in pairs of 4 × 2, 4 × 4 and 8 × 8 samples: the next level
    // begins below that, in rows by fours. The one after it is to the right of 5 pixels, six with
    // their pair.
    for (samples, lod, [column, row]) in [
        (0, 1, [0, 12]),
        (0, 2, [8, 12]),
        (1, 1, [0, 12]),
        (1, 2, [12, 12]),
        (2, 1, [0, 20]),
        (2, 2, [12, 20]),
        (4, 1, [0, 40]),
    ] {
        let expected = BASE + row * 256 + column * 4;
        let found = of(samples, &[]).texel_address(lod, 0, 0, 0, 0);
        assert_eq!(found, Some(expected), "{samples} {lod}");
    }
    // Of one sample there is nothing to interleave.
    let single = of(0, &[]);
    assert!(single.interleaved && single.at_level(0).is_plain());
    let without = of(0, &[(rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT, 0)]);
    for (x, y) in [(0, 0), (1, 1), (2, 3), (9, 8)] {
        let found = single.texel_address(0, x, y, 0, 0);
        assert_eq!(found, without.texel_address(0, x, y, 0, 0), "{x} {y}");
    }
}

/// A surface of TileYf: 64 × 64 elements, whose mip tail starts at a level.
fn standard(format: &str, pitch: u64, tail: u64, set: &[(hw::Field, u64)]) -> Image {
    let base = [
        (rss::SURFACE_FORMAT, number(format)),
        (rss::TILED_RESOURCE_MODE, 1),
        (rss::MIP_TAIL_START_LOD, tail),
        (rss::WIDTH, 63),
        (rss::HEIGHT, 63),
        (rss::SURFACE_PITCH, pitch - 1),
        (rss::SURFACE_QPITCH, 128 / 4),
        (rss::DEPTH, 1),
    ];
    image(&[&base, set].concat())
}

/// "Tiling and Mip Tail for 2D Surfaces": levels start at tiles, in the order of other tilings;
/// from the first level of the tail on all lie in one tile, at the places of the table.
#[test]
fn levels_of_standard_tilings() {
    // Format, bytes of an element, rows of a tile; where level 2 starts, and where in the tile
    // after it levels 3 to 6, the tail, do. Level 1 is below level 0, the others are right of it.
    let cases: [(_, u32, _, _, [[u32; 2]; 4]); 4] = [
        (
            "R8_UNORM",
            1,
            64,
            [64, 64],
            [[32, 0], [16, 32], [0, 48], [0, 32]],
        ),
        (
            "R8G8B8A8_UNORM",
            4,
            32,
            [32, 64],
            [[16, 0], [8, 16], [0, 24], [0, 16]],
        ),
        (
            "R16G16B16A16_FLOAT",
            8,
            16,
            [32, 64],
            [[16, 0], [8, 8], [0, 12], [0, 8]],
        ),
        (
            "R32G32B32A32_FLOAT",
            16,
            16,
            [32, 64],
            [[8, 0], [4, 8], [0, 12], [0, 8]],
        ),
    ];
    for (format, bytes, rows, second, tail) in cases {
        let pitch = 2 * 64 * bytes;
        let image = standard(format, pitch.into(), 3, &[]);
        let address =
            |x: u32, y: u32| Some(BASE + tiling::offset(image.tiling, x * bytes, y, pitch));
        let [left, below] = [second[0], second[1] + rows];
        let tail = tail.map(|[x, y]| [left + x, below + y]);
        let levels = [[0, 0], [0, 64], second].into_iter().chain(tail);
        for (lod, [left, top]) in (0..).zip(levels) {
            let size = 64 >> lod;
            for (x, y, z) in [(0, 0, 0), (size - 1, size - 1, 1), (size / 2, size / 3, 1)] {
                let found = image.texel_address(lod, x, y, z, 0);
                let expected = address(left + x, top + y + z * 128);
                assert_eq!(found, expected, "{format}, level {lod}: {x}, {y}, {z}");
            }
        }
        // Without a tail, each level has tiles of its own.
        let without_tail = standard(format, pitch.into(), 15, &[]);
        let expected = address(left, below + rows);
        assert_eq!(
            without_tail.texel_address(4, 0, 0, 0, 0),
            expected,
            "{format}"
        );
    }
}

/// A 3D surface of TileYf: its size in elements, its pitch, the rows between groups of slices, and
/// the level at which the mip tail starts.
fn standard_volume(
    format: &str,
    size: [u64; 3],
    [pitch, qpitch, tail]: [u64; 3],
    set: &[(hw::Field, u64)],
) -> Image {
    let base = [
        (rss::SURFACE_TYPE, 2),
        (rss::SURFACE_ARRAY, 0),
        (rss::SURFACE_FORMAT, number(format)),
        (rss::TILED_RESOURCE_MODE, 1),
        (rss::MIP_TAIL_START_LOD, tail),
        (rss::WIDTH, size[0] - 1),
        (rss::HEIGHT, size[1] - 1),
        (rss::DEPTH, size[2] - 1),
        (rss::SURFACE_PITCH, pitch - 1),
        (rss::SURFACE_QPITCH, qpitch / 4),
    ];
    image(&[&base, set].concat())
}

/// Offsets written out by hand: the number of the tile, and the bits of the address in it.
#[test]
fn levels_of_3d_standard_tilings() {
    // Tiles of 8 × 16 × 8 elements, four to a row. Level 0 is two rows of tiles, level 1, one row
    // of two, below it; level 2, one tile, is right of level 1, and the tail below level 2. Four
    // rows of tiles are a group of eight slices.
    let image = standard_volume("R8G8B8A8_UNORM", [32, 32, 16], [128, 64, 3], &[]);
    let tile = 4096;
    for (lod, [x, y, z], expected) in [
        (0, [0, 0, 0], 0),
        (0, [3, 0, 0], 12),
        (0, [4, 0, 0], 0x200),
        (0, [8, 0, 0], tile),
        (0, [0, 5, 0], 0x110),
        (0, [0, 16, 0], 4 * tile),
        (0, [0, 0, 1], 0x40),
        (0, [0, 0, 7], 0x4c0),
        (0, [0, 0, 8], 16 * tile),
        (0, [9, 17, 11], (16 + 4 + 1) * tile + 0x4 + 0x10 + 0xc0),
        (1, [0, 0, 0], 8 * tile),
        (1, [15, 15, 7], 9 * tile + 0x20c + 0x800 + 0x130 + 0x4c0),
        (2, [0, 0, 0], 10 * tile),
        (2, [7, 7, 3], 10 * tile + 0x20c + 0x130 + 0xc0),
        (3, [0, 0, 0], 14 * tile + 0x800),
        (3, [3, 3, 1], 14 * tile + 0x80c + 0x30 + 0x40),
        (4, [1, 1, 0], 14 * tile + 0x400 + 0x4 + 0x10),
        (5, [0, 0, 0], 14 * tile + 0x300),
    ] {
        let found = image.texel_address(lod, x, y, z, 0);
        assert_eq!(found, Some(BASE + expected), "level {lod}: {x}, {y}, {z}");
    }
    for (lod, z) in [(0, 16), (1, 8), (3, 2)] {
        assert_eq!(image.texel_address(lod, 0, 0, z, 0), None, "{lod} {z}");
    }
    // Without a tail, level 3 has a tile of its own, and level 4 another.
    let without_tail = standard_volume("R8G8B8A8_UNORM", [32, 32, 16], [128, 96, 15], &[]);
    for (lod, row) in [(3, 3), (4, 4)] {
        let expected = BASE + (4 * row + 2) * tile;
        assert_eq!(without_tail.texel_address(lod, 0, 0, 0, 0), Some(expected));
    }
    // Of compressed formats elements are blocks: tiles of 16 × 32 texels and eight slices.
    let compressed = standard_volume("ETC2_EAC_RGBA8", [32, 32, 16], [128, 16, 1], &[]);
    for (lod, [x, y, z], expected) in [
        (0, [16, 0, 0], tile),
        (0, [12, 8, 9], 2 * 2 * tile + 0x300 + 0x20 + 0x40),
        (1, [0, 0, 0], 2 * tile + 0x800),
        (1, [8, 4, 2], 2 * tile + 0x800 + 0x200 + 0x10 + 0x80),
    ] {
        let found = compressed.texel_address(lod, x, y, z, 0);
        assert_eq!(found, Some(BASE + expected), "level {lod}: {x}, {y}, {z}");
    }
}

/// Of each level of a mip tail the first byte in the tile, as the tables of the PRM have it by the
/// diagrams of the tilings: the upper half of the tile, a quarter and so on, then parts of 256
/// bytes, and of 64. Each level has bytes of its own.
#[test]
fn slots_of_mip_tails() {
    let planes = [
        0x8000, 0x4000, 0x2000, 0x1000, 0x800, 0x600, 0x500, 0x400, 0x300, 0x200, 0x100, 0xc0,
        0x80, 0x40, 0,
    ];
    let volumes = [
        0x8000, 0x4000, 0x2000, 0x1000, 0x800, 0x400, 0x300, 0x200, 0x1c0, 0x180, 0x140, 0x100,
        0xc0, 0x80, 0x40, 0,
    ];
    let volumes_of_dwords = [
        0x8000, 0x4000, 0x2000, 0x1000, 0x800, 0x400, 0x300, 0x100, 0x2c0, 0x280, 0x240, 0x200,
        0xc0, 0x80, 0x40, 0,
    ];
    // The type, the format, the size of level 0 in half a tile of 64 KB and of 4 KB, and offsets.
    for (kind, format, large, small, slots) in [
        (1, "R8_UNORM", [128, 256, 1], [32, 64, 1], &planes[..]),
        (1, "R16_UNORM", [128, 128, 1], [32, 32, 1], &planes),
        (1, "R8G8B8A8_UNORM", [64, 128, 1], [16, 32, 1], &planes),
        (1, "R16G16B16A16_FLOAT", [64, 64, 1], [16, 16, 1], &planes),
        (1, "R32G32B32A32_FLOAT", [32, 64, 1], [8, 16, 1], &planes),
        (2, "R8_UNORM", [32, 32, 32], [16, 8, 16], &volumes),
        (2, "R16_UNORM", [16, 32, 32], [8, 8, 16], &volumes),
        (
            2,
            "R8G8B8A8_UNORM",
            [16, 32, 16],
            [8, 8, 8],
            &volumes_of_dwords,
        ),
        (2, "R16G16B16A16_FLOAT", [16, 16, 16], [8, 4, 8], &volumes),
        (2, "R32G32B32A32_FLOAT", [8, 16, 16], [4, 4, 8], &volumes),
    ] {
        for (mode, size, tile, slots) in
            [(2, large, 0x1_0000, slots), (1, small, 0x1000, &slots[4..])]
        {
            let set = [(rss::SURFACE_TYPE, kind), (rss::TILED_RESOURCE_MODE, mode)];
            let image = standard_volume(format, size, [1024, 256, 0], &set);
            let mut seen = std::collections::BTreeSet::new();
            for (lod, slot) in (0..15).zip(slots) {
                let first = image.texel_address(lod, 0, 0, 0, 0);
                assert_eq!(
                    first,
                    Some(BASE + slot),
                    "{kind} {format} {mode}, level {lod}"
                );
                let [width, height, depth] = image.level_extent(lod);
                for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
                    for x in 0..width {
                        let address = image.texel_address(lod, x, y, z, 0).expect("inside");
                        assert!(address < BASE + tile, "{kind} {format} {mode}, level {lod}");
                        assert!(seen.insert(address), "{kind} {format} {mode}, level {lod}");
                    }
                }
            }
        }
    }
}

#[test]
fn all_accessors_find_the_texels_of_3d_standard_tilings() {
    for format in [
        "R8_UINT",
        "R16_UINT",
        "R32_UINT",
        "R32G32_UINT",
        "R32G32B32A32_UINT",
    ] {
        let images = [1, 2].map(|mode| {
            let set = [
                (rss::MINIMUM_ARRAY_ELEMENT, 3),
                (rss::TILED_RESOURCE_MODE, mode),
            ];
            standard_volume(format, [40, 48, 24], [1024, 96, 2], &set)
        });
        let levels = [(0, 0), (0, 12), (0, 20), (1, 8), (2, 2)];
        for (image, (lod, z)) in images
            .iter()
            .flat_map(|image| levels.map(|level| (image, level)))
        {
            let level = image.at_level(lod);
            let texel = |x, y| level.address(x, y, z, 0);
            let [width, height, _] = level.extent();
            for (x, y) in [(0, 0), (8, 6), (width - 2, height - 2)] {
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| texel(x + i, y + j));
                assert!(four.iter().all(Option::is_some), "{format} {lod} {z}");
                let all = level.subspan(x, y, z);
                assert_eq!(all.map(|a| a.map(Some)), Some(four), "{format} {lod} {z}");
                let xs = [x, x + 1, x, x + 1];
                let all = level.plain_addresses(xs, [y, y, y + 1, y + 1], z);
                assert_eq!(all.map(|a| a.map(Some)), Some(four), "{format} {lod} {z}");
                assert_eq!(level.plain_address(x, y, z), four[0], "{format} {lod} {z}");
            }
            if let Some(rows) = level.rows([0, 2, z], [8, 2]) {
                let expected = [2, 3].map(|y| [0, 4].map(|x| texel(x, y)));
                assert_eq!(
                    rows.map(|row| row.map(Some)),
                    expected,
                    "{format} {lod} {z}"
                );
            } else {
                assert!(image.bytes > 4 || width < 8, "{format} {lod} {z}");
            }
        }
        // Fills write the texels of the slice, and no others.
        let (space, z) = (space(), 5);
        let view = AddressSpaceView::new(&space);
        let small = standard_volume(format, [12, 12, 9], [192, 16, 15], &[]);
        let element = [0xa5; 16];
        let part = [3..11, 2..11];
        let filled = small.fill(&view, &small.at_level(0), part.clone(), z, &element);
        filled.expect("mapped");
        let texels = (0..9 * 12 * 12).map(|i| [i % 12, i / 12 % 12, i / 144]);
        for [x, y, z] in texels {
            let address = small.texel_address(0, x, y, z, 0).expect("inside");
            let found = view.read_bytes(address, 1).expect("mapped") == 0xa5;
            let inside = z == 5 && part[0].contains(&x) && part[1].contains(&y);
            assert_eq!(found, inside, "{format} {x} {y} {z}");
        }
    }
}
