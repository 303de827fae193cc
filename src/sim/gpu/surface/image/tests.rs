//! Decoding of surface states, field by field, and elements through memory.
//!
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE".

use crate::memory::AddressSpaceView;
use crate::surface::buffer::Surface;
use crate::surface::image::{AuxMode, Image, Kind, Select};
use crate::surface::rig::{AUX, BASE, image, space};
use crate::surface::tiling::Tiling;
use eu::StopReason;
use hw::FORMATS;
use hw::state::render_surface_state as rss;

/// The number of a format.
fn number(name: &str) -> u64 {
    let format = FORMATS.iter().find(|f| f.name == name).expect(name);
    format.number.into()
}

/// A state of these fields; cubes with all of their faces.
fn words(set: &[(hw::Field, u64)]) -> [u32; 16] {
    let mut words = [0; 16];
    words[0] = 0x3f;
    for (field, value) in set {
        field.set(&mut words, *value);
    }
    words
}

/// The address that the error of an unmodelled state reports.
fn refused(set: &[(hw::Field, u64)]) -> Option<u64> {
    match Image::from_words(&words(set), 0x1234) {
        Err(StopReason::Unimplemented { at, .. }) => Some(at),
        _ => None,
    }
}

#[test]
fn size_fields_per_surface_type() {
    // Type, array; width, height and depth as programmed; the image's.
    for (kind, array, programmed, expected) in [
        (0, 0, [99, 7, 3], (Kind::D1, [100, 1, 1])),
        (0, 1, [99, 7, 3], (Kind::D1, [100, 1, 4])),
        (1, 0, [9, 19, 3], (Kind::D2, [10, 20, 1])),
        (1, 1, [9, 19, 3], (Kind::D2, [10, 20, 4])),
        (2, 0, [9, 19, 3], (Kind::D3, [10, 20, 4])),
        (2, 1, [9, 19, 3], (Kind::D3, [10, 20, 4])),
        (3, 0, [9, 11, 1], (Kind::Cube, [10, 12, 6])),
        (3, 1, [9, 11, 1], (Kind::Cube, [10, 12, 12])),
        (7, 0, [9, 19, 3], (Kind::Null, [10, 20, 1])),
        (7, 1, [9, 19, 3], (Kind::Null, [10, 20, 4])),
        // Of buffers 7, 14 and 11 bits of the three make the number of entries.
        (4, 0, [0, 0, 0], (Kind::Buffer, [1, 1, 1])),
        (
            4,
            1,
            [0x45, 0x2abc, 0x402],
            (Kind::Buffer, [0x8055_5e46, 1, 1]),
        ),
        (5, 0, [0x3f8a, 0, 0], (Kind::Buffer, [0xb, 1, 1])),
        (
            5,
            0,
            [0x7e, 0x3fff, 0x7ff],
            (Kind::Buffer, [u32::MAX, 1, 1]),
        ),
        (
            4,
            0,
            [0x7f, 0x3fff, 0x7ff],
            (Kind::Buffer, [u32::MAX, 1, 1]),
        ),
    ] {
        let state = words(&[
            (rss::SURFACE_TYPE, kind),
            (rss::SURFACE_ARRAY, array),
            (rss::WIDTH, programmed[0]),
            (rss::HEIGHT, programmed[1]),
            (rss::DEPTH, programmed[2]),
        ]);
        let image = Image::from_words(&state, 0).expect("a surface");
        let found = (image.kind, [image.width, image.height, image.depth]);
        assert_eq!(found, expected, "type {kind}, array {array}");
        assert_eq!(image.is_array, array == 1);
    }
}

#[test]
fn each_field_of_a_state_is_decoded_separately() {
    let state = words(&[
        (rss::SURFACE_TYPE, 1),
        (rss::SURFACE_FORMAT, number("R16G16_UINT")),
        (rss::MINIMUM_ARRAY_ELEMENT, 5),
        (rss::RENDER_TARGET_VIEW_EXTENT, 6),
        (rss::BASE_MIP_LEVEL, 7),
        (rss::MIP_COUNT_LOD, 8),
        (rss::SURFACE_MIN_LOD, 9),
        (rss::RESOURCE_MIN_LOD, 0x321),
        (rss::TILE_MODE, 2),
        (rss::SURFACE_PITCH, 1023),
        (rss::SURFACE_QPITCH, 11),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 2),
        (rss::SURFACE_VERTICAL_ALIGNMENT, 3),
        (rss::MULTISAMPLED_SURFACE_STORAGE_FORMAT, 1),
        (rss::X_OFFSET, 3),
        (rss::Y_OFFSET, 2),
        (rss::SURFACE_BASE_ADDRESS, 0xffff_8000_0001_2000),
        (rss::AUXILIARY_SURFACE_MODE, 5),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, 0xffff_9000_0003_4000),
        (rss::AUXILIARY_SURFACE_PITCH, 4),
        (rss::AUXILIARY_SURFACE_QPITCH, 13),
        (rss::RED_CLEAR_COLOR, 21),
        (rss::GREEN_CLEAR_COLOR, 22),
        (rss::BLUE_CLEAR_COLOR, 23),
        (rss::ALPHA_CLEAR_COLOR, 24),
        (rss::SHADER_CHANNEL_SELECT_RED, 5),
        (rss::SHADER_CHANNEL_SELECT_GREEN, 1),
        (rss::SHADER_CHANNEL_SELECT_BLUE, 7),
        (rss::SHADER_CHANNEL_SELECT_ALPHA, 0),
    ]);
    let image = Image::from_words(&state, 0).expect("a surface");
    assert_eq!((image.format.name, image.bytes), ("R16G16_UINT", 4));
    assert_eq!((image.min_array_element, image.view_extent), (5, 7));
    assert_eq!((image.base_level, image.levels, image.lod), (7, 9, 8));
    assert_eq!((image.min_lod, image.resource_min_lod), (9, 0x321));
    assert_eq!((image.tiling, image.pitch_bytes), (Tiling::X, 1024));
    assert_eq!(image.qpitch_rows, 44);
    assert_eq!((image.halign, image.valign), (8, 16));
    assert_eq!((image.samples, image.interleaved), (1, true));
    assert_eq!((image.x_offset, image.y_offset), (12, 8));
    // Addresses have 48 bits.
    assert_eq!(image.address, 0x8000_0001_2000);
    assert_eq!(image.aux.address, 0x9000_0003_4000);
    assert_eq!(image.aux.mode, AuxMode::CcsE);
    assert_eq!((image.aux.pitch_bytes, image.aux.qpitch_rows), (640, 52));
    assert_eq!(image.clear_color, [21, 22, 23, 24]);
    let selects = [
        Select::Channel(1),
        Select::One,
        Select::Channel(3),
        Select::Zero,
    ];
    assert_eq!((image.swizzle, image.is_identity_swizzle), (selects, false));
    // One is that of the format's kind.
    assert_eq!(image.swizzled([5, 6, 7, 8]), [6, 1, 8, 0]);
}

#[test]
fn field_value_decoding() {
    let of = |set: &[(hw::Field, u64)]| Image::from_words(&words(set), 0).expect("a surface");
    for (code, expected) in [(1, 4), (2, 8), (3, 16)] {
        let image = of(&[
            (rss::SURFACE_TYPE, 1),
            (rss::SURFACE_HORIZONTAL_ALIGNMENT, code),
            (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
        ]);
        assert_eq!((image.halign, image.valign), (expected, 4));
    }
    for (code, expected) in [
        (0, (Tiling::Linear, 1)),
        (1, (Tiling::W, 128)),
        (2, (Tiling::X, 512)),
        (3, (Tiling::Y, 128)),
    ] {
        let tiling = of(&[(rss::SURFACE_TYPE, 1), (rss::TILE_MODE, code)]).tiling;
        assert_eq!((tiling, tiling.pitch_unit()), expected);
    }
    // Rows between slices come by fours; of volumes of stencils by eights.
    for (kind, mode, expected) in [(1, 0, 12), (1, 1, 12), (2, 0, 12), (2, 1, 24), (2, 3, 12)] {
        let image = of(&[
            (rss::SURFACE_TYPE, kind),
            (rss::TILE_MODE, mode),
            (rss::SURFACE_QPITCH, 3),
        ]);
        assert_eq!(image.qpitch_rows, expected, "type {kind}, tiles {mode}");
    }
    // Type, samples, mode.
    for (kind, samples, mode, expected) in [
        (1, 0, 0, AuxMode::None),
        (1, 0, 1, AuxMode::CcsD),
        (1, 1, 1, AuxMode::Mcs),
        (1, 4, 1, AuxMode::Mcs),
        (1, 0, 3, AuxMode::Hiz),
        (1, 2, 3, AuxMode::Hiz),
        (1, 0, 5, AuxMode::CcsE),
        (4, 0, 5, AuxMode::None),
        (4, 0, 2, AuxMode::None),
        (7, 0, 1, AuxMode::None),
    ] {
        let image = of(&[
            (rss::SURFACE_TYPE, kind),
            (rss::NUMBER_OF_MULTISAMPLES, samples),
            (rss::AUXILIARY_SURFACE_MODE, mode),
        ]);
        assert_eq!(image.aux.mode, expected, "{kind} {samples} {mode}");
        assert_eq!(image.samples, 1 << samples);
    }
    let straight = [
        (rss::SURFACE_TYPE, 1),
        (rss::SHADER_CHANNEL_SELECT_RED, 4),
        (rss::SHADER_CHANNEL_SELECT_GREEN, 5),
        (rss::SHADER_CHANNEL_SELECT_BLUE, 6),
        (rss::SHADER_CHANNEL_SELECT_ALPHA, 7),
    ];
    assert!(of(&straight).is_identity_swizzle);
    assert_eq!(of(&straight).swizzled([5, 6, 7, 8]), [5, 6, 7, 8]);
}

#[test]
fn refused_surface_states_report_their_address() {
    let here = Some(0x1234);
    for (what, set, expected) in [
        ("a reserved type", vec![(rss::SURFACE_TYPE, 6)], here),
        (
            "no format",
            vec![(rss::SURFACE_TYPE, 1), (rss::SURFACE_FORMAT, 0x1fe)],
            here,
        ),
        (
            "TileYf of a plane",
            vec![(rss::SURFACE_TYPE, 1), (rss::TILED_RESOURCE_MODE, 1)],
            None,
        ),
        (
            "TileYf of a volume",
            vec![(rss::SURFACE_TYPE, 2), (rss::TILED_RESOURCE_MODE, 1)],
            None,
        ),
        (
            "TileYf of a volume of three channels",
            vec![
                (rss::SURFACE_TYPE, 2),
                (rss::SURFACE_FORMAT, 0x040),
                (rss::TILED_RESOURCE_MODE, 1),
            ],
            here,
        ),
        (
            "TileYf of lines",
            vec![(rss::SURFACE_TYPE, 0), (rss::TILED_RESOURCE_MODE, 1)],
            here,
        ),
        (
            "TileYf of three channels",
            vec![
                (rss::SURFACE_TYPE, 1),
                // R32G32B32_FLOAT.
                (rss::SURFACE_FORMAT, 0x040),
                (rss::TILED_RESOURCE_MODE, 1),
            ],
            here,
        ),
        (
            "TileYs",
            vec![(rss::SURFACE_TYPE, 1), (rss::TILED_RESOURCE_MODE, 2)],
            None,
        ),
        (
            "TileYs of a volume",
            vec![(rss::SURFACE_TYPE, 2), (rss::TILED_RESOURCE_MODE, 2)],
            None,
        ),
        (
            "TileYs of two samples",
            vec![
                (rss::SURFACE_TYPE, 1),
                (rss::NUMBER_OF_MULTISAMPLES, 1),
                (rss::TILED_RESOURCE_MODE, 2),
            ],
            here,
        ),
        (
            "a reserved tiled resource mode",
            vec![(rss::SURFACE_TYPE, 1), (rss::TILED_RESOURCE_MODE, 3)],
            here,
        ),
        (
            "a buffer's bits of tiled resources",
            vec![(rss::SURFACE_TYPE, 4), (rss::TILED_RESOURCE_MODE, 1)],
            None,
        ),
        (
            "no surface's bits of tiled resources",
            vec![(rss::SURFACE_TYPE, 7), (rss::TILED_RESOURCE_MODE, 1)],
            None,
        ),
        (
            "32 samples",
            vec![(rss::SURFACE_TYPE, 1), (rss::NUMBER_OF_MULTISAMPLES, 5)],
            here,
        ),
        (
            "16 samples",
            vec![(rss::SURFACE_TYPE, 1), (rss::NUMBER_OF_MULTISAMPLES, 4)],
            None,
        ),
        (
            "a reserved auxiliary surface",
            vec![(rss::SURFACE_TYPE, 1), (rss::AUXILIARY_SURFACE_MODE, 2)],
            here,
        ),
    ] {
        assert_eq!(refused(&set), expected, "{what}");
    }
    // Each of the six faces has to be there, but only of cubes.
    for face in 0..6 {
        let mut state = words(&[(rss::SURFACE_TYPE, 3)]);
        assert!(Image::from_words(&state, 0).is_ok());
        state[0] &= !(1 << face);
        assert!(Image::from_words(&state, 0).is_err(), "{face}");
        rss::SURFACE_TYPE.set(&mut state, 1);
        assert!(Image::from_words(&state, 0).is_ok(), "{face}");
    }
}

#[test]
fn buffer_size_and_pitch() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let read = |set: &[(hw::Field, u64)]| {
        view.write_block(BASE, &words(set)).expect("mapped");
        Surface::read(&view, BASE).expect("a surface")
    };
    assert_eq!(read(&[(rss::SURFACE_TYPE, 7)]), Surface::Null);
    for (kind, size, format, entries) in [
        (4, [0x45, 0x2abc, 0x402], 0x1ff, 0x8055_5e46),
        (5, [0x3f8a, 0, 0], 0x0c7, 0xb),
        (4, [0x7f, 0x3fff, 0x7ff], 0x0d8, 1 << 32),
    ] {
        let surface = read(&[
            (rss::SURFACE_TYPE, kind),
            (rss::WIDTH, size[0]),
            (rss::HEIGHT, size[1]),
            (rss::DEPTH, size[2]),
            (rss::SURFACE_PITCH, 11),
            (rss::SURFACE_FORMAT, format),
            (rss::SURFACE_BASE_ADDRESS, 0xffff_8000_0001_2000),
        ]);
        let expected = Surface::Buffer {
            address: 0x8000_0001_2000,
            bytes: entries * 12,
            pitch: 12,
            format: format as u32,
        };
        assert_eq!(surface, expected);
    }
    for kind in [0, 1, 2, 3, 6] {
        view.write_block(BASE, &words(&[(rss::SURFACE_TYPE, kind)]))
            .expect("mapped");
        let read = Surface::read(&view, BASE);
        assert!(
            matches!(read, Err(StopReason::Unimplemented { at: BASE, .. })),
            "{kind}"
        );
    }
}

#[test]
fn accesses_are_checked_against_the_buffer_size() {
    let buffer = Surface::Buffer {
        address: 1000,
        bytes: 16,
        pitch: 4,
        format: 0x1ff,
    };
    for (surface, offset, bytes, expected) in [
        (buffer, 0, 4, Some(1000)),
        (buffer, 12, 4, Some(1012)),
        (buffer, 13, 4, None),
        (buffer, 16, 1, None),
        (buffer, 0, 17, None),
        (Surface::Stateless { base: 1000 }, 50, 4, Some(1050)),
        (Surface::Null, 0, 4, None),
        (Surface::Slm, 0, 4, None),
    ] {
        let found = surface.resolve(offset, bytes);
        assert_eq!(found, expected, "{surface:?} {offset} {bytes}");
    }
}

/// A format of so many bytes a texel.
const BY_BYTES: [(&str, u64); 9] = [
    ("R8_UINT", 1),
    ("R16_UINT", 2),
    ("R8G8B8_UINT", 3),
    ("R32_UINT", 4),
    ("R16G16B16_UINT", 6),
    ("R32G32_UINT", 8),
    ("R32G32B32_UINT", 12),
    ("R32G32B32A32_UINT", 16),
    // The first two channels of four.
    ("R64G64B64A64_FLOAT", 16),
];

#[test]
fn element_access_at_any_address() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let pattern = |at: u64| (at * 37 + 11) as u8;
    for (name, bytes) in BY_BYTES {
        let image = image(&[(rss::SURFACE_FORMAT, number(name))]);
        // The last bytes of memory are as good as others.
        let last = BASE + 0x10000 - bytes;
        let found = image.element(&view, last);
        assert!(
            found.is_ok() && image.write_texel(&view, last, &[0; 16]).is_ok(),
            "{name}"
        );
        for address in BASE + 32..BASE + 41 {
            for at in BASE..BASE + 96 {
                view.write_bytes(at, 1, pattern(at).into()).expect("mapped");
            }
            let expected: [u8; 16] = std::array::from_fn(|i| match (i as u64) < bytes {
                true => pattern(address + i as u64),
                false => 0,
            });
            let found = image.element(&view, address).expect("mapped");
            assert_eq!(found, expected, "{name} {address:#x}");
            // Written over, neighbours stay.
            let texel: [u8; 16] = std::array::from_fn(|i| 0x80 + i as u8);
            image.write_texel(&view, address, &texel).expect("mapped");
            for at in BASE..BASE + 96 {
                let expected = match at.checked_sub(address) {
                    Some(i) if i < bytes => 0x80 + i as u8,
                    _ => pattern(at),
                };
                let found = view.read_bytes(at, 1).expect("mapped");
                assert_eq!(found, expected.into(), "{name} {address:#x} {at:#x}");
            }
        }
    }
}

#[test]
fn rectangle_fill_writes_nothing_else() {
    // Tile mode, format, samples, width, and four elements by which the surface starts off its
    // base, or none.
    let surfaces = [
        (0, "R8_UINT", 0, 70, 0),
        (0, "R8G8B8_UINT", 0, 70, 0),
        (0, "R32_UINT", 0, 70, 0),
        (0, "R32_UINT", 0, 70, 1),
        (0, "R16G16_UINT", 1, 30, 0),
        (0, "R32G32B32_UINT", 0, 30, 0),
        (0, "R32G32B32A32_UINT", 0, 30, 0),
        (1, "R8_UINT", 0, 70, 0),
        (2, "R16_UINT", 0, 70, 0),
        (3, "R8_UINT", 0, 70, 1),
        (3, "R32_UINT", 0, 70, 0),
        (3, "R32G32_UINT", 0, 30, 1),
        (3, "R32_UINT", 2, 30, 0),
    ];
    // Each surface has nine rows. Slice, columns and rows.
    let parts = [
        (0, [0..70, 0..9]),
        (1, [5..19, 2..3]),
        (0, [16..32, 6..12]),
        (1, [29..45, 0..2]),
        (0, [60..80, 0..2]),
        (0, [3..4, 8..9]),
        (1, [0..5, 0..1]),
        (0, [72..80, 0..9]),
        (1, [7..7, 0..9]),
    ];
    let element: [u8; 16] = std::array::from_fn(|i| 0xa0 + i as u8);
    for (tiles, name, samples, width, offset) in surfaces {
        let image = image(&[
            (rss::SURFACE_FORMAT, number(name)),
            (rss::TILE_MODE, tiles),
            (rss::SURFACE_PITCH, 511),
            (rss::SURFACE_QPITCH, 12 / 4),
            (rss::WIDTH, width - 1),
            (rss::HEIGHT, 8),
            (rss::DEPTH, 1),
            (rss::NUMBER_OF_MULTISAMPLES, samples),
            (rss::X_OFFSET, offset),
        ]);
        let (level, bytes) = (image.at_level(0), image.bytes as usize);
        for (z, part) in &parts {
            let space = space();
            let view = AddressSpaceView::new(&space);
            let filled = image.fill(&view, &level, part.clone(), *z, &element);
            filled.expect("mapped");
            let mut expected = vec![0u8; 0x10000];
            let [columns, rows] = part.clone();
            for (x, y) in rows.flat_map(|y| columns.clone().map(move |x| (x, y))) {
                let samples = match u64::from(x) < width && y < 9 {
                    true => 0..image.samples,
                    false => 0..0,
                };
                for sample in samples {
                    let address = image.texel_address(0, x, y, *z, sample);
                    let at = (address.expect("inside") - BASE) as usize;
                    expected[at..at + bytes].copy_from_slice(&element[..bytes]);
                }
            }
            let expected = expected.as_chunks::<4>().0.iter();
            let expected: Vec<u32> = expected.map(|dword| u32::from_le_bytes(*dword)).collect();
            let mut found = vec![0u32; 0x4000];
            view.read_block(BASE, &mut found).expect("mapped");
            assert!(found == expected, "{tiles} {name} {samples} {part:?}");
        }
    }
}

#[test]
fn texels_with_shared_chroma_are_loaded_in_pairs() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let image = image(&[
        (rss::SURFACE_FORMAT, number("YCRCB_NORMAL")),
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 7),
        (rss::HEIGHT, 1),
    ]);
    // The second pair of the second row: luma, blue's chroma, luma, red's chroma.
    let pair = u32::from_le_bytes([10, 30, 20, 40]);
    view.write(BASE + 128 + 4, pair).expect("mapped");
    for (x, luma) in [(2, 10.0), (3, 20.0)] {
        let found = image.load(&view, 0, [x, 1, 0], 0).expect("a texel");
        let expected = [40.0, luma, 30.0, 255.0].map(|v: f32| (v / 255.0).to_bits());
        assert_eq!(found, expected, "{x}");
    }
    // Two bytes that are no pair.
    let image = crate::surface::rig::image(&[
        (rss::SURFACE_FORMAT, number("R16_UINT")),
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 7),
        (rss::HEIGHT, 1),
    ]);
    let found = image.load(&view, 0, [3, 1, 0], 0).expect("a texel");
    assert_eq!(found, [40 << 8 | 20, 0, 0, 1]);
}

#[test]
fn compressed_texel_positions_in_both_directions() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    let image = image(&[
        (rss::SURFACE_FORMAT, number("BC2_UNORM")),
        (rss::TILE_MODE, 0),
        (rss::WIDTH, 7),
        (rss::HEIGHT, 7),
    ]);
    // The last of 2 × 2 blocks: alpha of the texel with the number i is i / 15.
    let place = BASE + 128 + 16;
    view.write64(place, 0xfedc_ba98_7654_3210).expect("mapped");
    for (x, y) in (4..8).flat_map(|y| (4..8).map(move |x| (x, y))) {
        let found = image.load(&view, 0, [x, y, 0], 0).expect("a texel")[3];
        let expected = ((y - 4) * 4 + x - 4) as f32 / 15.0;
        assert_eq!(f32::from_bits(found), expected, "{x} {y}");
    }
}

#[test]
fn texels_of_unknown_formats_are_refused() {
    let space = space();
    let view = AddressSpaceView::new(&space);
    for name in ["P8_UNORM_PALETTE0", "R64_PASSTHRU", "FXT1"] {
        let image = image(&[(rss::SURFACE_FORMAT, number(name))]);
        let refused = |stop: Option<StopReason>| match stop {
            Some(StopReason::Unimplemented { what, at }) => what.contains(name) && at == BASE,
            _ => false,
        };
        let loaded = image.load(&view, 0, [0; 3], 0);
        assert!(refused(loaded.err()), "{name}");
        let stored = image.store(&view, 0, [0; 3], 0, [0; 4]);
        assert!(refused(stored.err()), "{name}");
        assert_eq!(view.read(AUX).expect("mapped"), 0);
    }
}
