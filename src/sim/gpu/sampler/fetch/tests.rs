//! Texels by their numbers, samples, control surfaces and sizes.
//!
//! Ref: SKL PRM vol. 7, message types `ld`, `ld2dms`, `ld_mcs`, `resinfo`, `sampleinfo`; "Payload
//!      Parameter Definition".

use super::*;
use crate::sampler::request::message_type;
use crate::sampler::rig::{Ask, BYTES, DATA, NOTHING, R32_FLOAT, R32_UINT, Rig, SILENT};
use hw::state::render_surface_state as rss;

type One = (hw::Field, u64);

const UINT: One = (rss::SURFACE_FORMAT, R32_UINT);

/// All of the memory with each dword's number in it.
fn number(rig: &Rig) {
    let numbers: Vec<_> = (0..BYTES as u32 / 4).collect();
    rig.write(0, &numbers);
}

/// The response to eight channels with separate parameters, `channel_mask` channels omitted from
/// the response. Where nothing is left out texels are looked for all at once, else one by one.
fn texels(
    rig: &Rig,
    kind: u32,
    lanes: u32,
    parameters: &[[u32; 8]],
    channel_mask: u32,
) -> Vec<[u32; 4]> {
    let mut ask = Ask::new(kind, &[]).with_header(channel_mask << 12);
    ask.parameters = parameters.iter().map(|p| p.to_vec()).collect();
    rig.ask(&Ask { lanes, ..ask })
}

#[test]
fn ld_coordinates_select_column_row_level_and_layer() {
    // Slices of 8 rows: a level of 4 × 4 texels, and one of 2 × 2 below it.
    let array = [
        UINT,
        (rss::MIP_COUNT_LOD, 1),
        (rss::SURFACE_ARRAY, 1),
        (rss::DEPTH, 2),
        (rss::SURFACE_QPITCH, 2),
    ];
    let rig = Rig::new(&[&array], &[]);
    number(&rig);
    let x = [0, 1, 2, 3, 4, 1, 0, u32::MAX];
    let y = [0, 1, 1, 3, 0, 4, 1, 0];
    let texel = |x: u32, y: u32, level: u32, z: u32| {
        let size = 4 >> level;
        let inside = level < 2 && x < size && y < size && z < 3;
        match inside {
            true => [z * 128 + (level * 4 + y) * 16 + x, 0, 0, 1],
            false => NOTHING,
        }
    };
    // Levels and elements that all channels share, or not; beyond the last.
    let cases = [
        ([0; 8], [0; 8]),
        ([1; 8], [2; 8]),
        ([2; 8], [0; 8]),
        ([0; 8], [3; 8]),
        ([0, 1, 0, 1, 0, 1, 0, 1], [1; 8]),
        ([0; 8], [0, 1, 2, 3, 2, 1, 0, 1]),
        ([9, 9, 1, 0, 9, 9, 9, 9], [0; 8]),
        ([9, 9, 1, 1, 1, 9, 9, 9], [7, 7, 1, 1, 1, 7, 7, 7]),
    ];
    for (level, z) in cases {
        for lanes in [0xff, 0b1100, 0b1_1100, 0b1000_0000, 0] {
            for channel_mask in [0, 0b1000] {
                let found = texels(
                    &rig,
                    message_type::LD,
                    lanes,
                    &[x, y, level, z],
                    channel_mask,
                );
                for i in 0..8 {
                    let expected = match lanes >> i & 1 {
                        1 => texel(x[i], y[i], level[i], z[i]),
                        _ => [SILENT; 4],
                    };
                    let channels = if channel_mask == 0 { 4 } else { 3 };
                    assert_eq!(
                        found[i][..channels],
                        expected[..channels],
                        "{i}: {level:?} {z:?}"
                    );
                }
            }
        }
        // Of the first level there is a message without its number.
        for channel_mask in [0, 0b1000] {
            let found = texels(&rig, message_type::LD_LZ, 0xff, &[x, y, z], channel_mask);
            let expected: Vec<_> = (0..8).map(|i| texel(x[i], y[i], 0, z[i])[0]).collect();
            let found: Vec<_> = found.iter().map(|f| f[0]).collect();
            assert_eq!(found, expected, "{z:?}");
        }
    }
}

#[test]
fn levels_below_resource_min_lod_are_out_of_bounds() {
    // Levels of 4 × 4, 2 × 2 texels and one; fractions of a level do not count.
    let min_lod = |of: u64, first: u64| {
        let fields = [
            UINT,
            (rss::MIP_COUNT_LOD, 2),
            (rss::RESOURCE_MIN_LOD, of),
            (rss::SURFACE_MIN_LOD, first),
        ];
        let rig = Rig::new(&[&fields], &[]);
        number(&rig);
        // The first texel is not to be mistaken for one out of bounds.
        rig.write(0, &[7]);
        let asked = |level, channel_mask| {
            let found = texels(
                &rig,
                message_type::LD,
                1,
                &[[0; 8], [0; 8], [level; 8]],
                channel_mask,
            );
            found[0]
        };
        let there = [0, 1, 2].map(|level| asked(level, 0) != NOTHING);
        for level in [0, 1, 2] {
            assert_eq!(there[level as usize], asked(level, 0b1000)[0] != 0);
        }
        there
    };
    assert_eq!(min_lod(0x000, 0), [true; 3]);
    assert_eq!(min_lod(0x0ff, 0), [true; 3]);
    assert_eq!(min_lod(0x100, 0), [false, true, true]);
    assert_eq!(min_lod(0x1ff, 0), [false, true, true]);
    assert_eq!(min_lod(0x200, 0), [false, false, true]);
    assert_eq!(min_lod(0x300, 0), [false; 3]);
    // It counts levels of the resource, messages those of the view.
    assert_eq!(min_lod(0x200, 1)[..2], [false, true]);
}

#[test]
fn ld_coordinates_per_surface_type() {
    let line = [
        (rss::SURFACE_TYPE, 0),
        (rss::DEPTH, 2),
        (rss::SURFACE_QPITCH, 16),
    ];
    let flat = [(rss::DEPTH, 2), (rss::SURFACE_QPITCH, 1)];
    let array = [(rss::SURFACE_ARRAY, 1)];
    let volume = [(rss::SURFACE_TYPE, 2)];
    // 24 entries of 4 bytes.
    let buffer = [
        (rss::SURFACE_TYPE, 4),
        (rss::WIDTH, 23),
        (rss::HEIGHT, 0),
        (rss::SURFACE_PITCH, 3),
    ];
    // A buffer; a line, lines; a plane, planes; a volume; nothing. The dword at x, y, z of (3, 2,
    // 1).
    let cases: [(Vec<One>, u32); 7] = [
        (buffer.to_vec(), 3),
        (line.to_vec(), 3),
        ([line.as_slice(), &array].concat(), 2 * 64 + 3),
        (flat.to_vec(), 2 * 16 + 3),
        ([flat.as_slice(), &array].concat(), 64 + 2 * 16 + 3),
        ([flat.as_slice(), &volume].concat(), 64 + 2 * 16 + 3),
        (vec![(rss::SURFACE_TYPE, 7)], 0),
    ];
    for (set, expected) in cases {
        // Red as it stands, and the two halves of it.
        for (format, two) in [(R32_UINT, false), (0x0cf, true), (R32_FLOAT, false)] {
            let set = [set.as_slice(), &[(rss::SURFACE_FORMAT, format)]].concat();
            let rig = Rig::new(&[&set], &[]);
            number(&rig);
            let expected = match two {
                true => [expected & 0xffff, expected >> 16],
                false => [expected, 0],
            };
            for channel_mask in [0, 0b1100] {
                let found = texels(
                    &rig,
                    message_type::LD,
                    1,
                    &[[3; 8], [2; 8], [0; 8], [1; 8]],
                    channel_mask,
                );
                assert_eq!(found[0][..2], expected, "{set:?}");
                let found = texels(
                    &rig,
                    message_type::LD_LZ,
                    1,
                    &[[3; 8], [2; 8], [1; 8]],
                    channel_mask,
                );
                assert_eq!(found[0][..2], expected, "{set:?}");
            }
        }
    }
    // A buffer has no second level.
    let rig = Rig::new(&[&[buffer.as_slice(), &[UINT]].concat()], &[]);
    number(&rig);
    let found = texels(&rig, message_type::LD, 1, &[[3; 8], [0; 8], [1; 8]], 0);
    assert_eq!(found[0], NOTHING);
    // The end of a buffer.
    let x = [22, 23, 24, 25, u32::MAX, 0, 1, 2];
    let found = texels(&rig, message_type::LD_LZ, 0xff, &[x], 0);
    let found: Vec<_> = found.iter().map(|f| f[0]).collect();
    assert_eq!(found, [22, 23, 0, 0, 0, 0, 1, 2]);
}

#[test]
fn header_offsets_move_ld_coordinates() {
    let array = [
        UINT,
        (rss::SURFACE_ARRAY, 1),
        (rss::DEPTH, 1),
        (rss::SURFACE_QPITCH, 1),
    ];
    let rig = Rig::new(&[&array], &[]);
    number(&rig);
    let expected = |x: u32, y: u32, z: u32| 64 * z + 16 * y + x;
    for (offsets, [x, y, z]) in [
        (0x000, [2, 1, 0]),
        (0x100, [3, 1, 0]),
        (0x0f0, [2, 0, 0]),
        (0x001, [2, 1, 1]),
        (0xe21, [0, 3, 1]),
        (0x111, [3, 2, 1]),
    ] {
        // Parameters that the message does not take stand behind its own.
        for (kind, parameters) in [
            (message_type::LD, [2, 1, 0, 0, 9]),
            (message_type::LD_LZ, [2, 1, 0, 9, 9]),
        ] {
            let ask = Ask::new(kind, &parameters).with_header(offsets);
            let found = rig.ask(&ask)[0];
            assert_eq!(found, [expected(x, y, z), 0, 0, 1], "{kind} {offsets:#x}");
        }
    }
}

#[test]
fn ld_bounds_on_each_axis() {
    // A volume of 4 × 3 × 2 texels, whose slices are not planes and are read one by one.
    let set = [
        UINT,
        (rss::SURFACE_TYPE, 2),
        (rss::HEIGHT, 2),
        (rss::DEPTH, 1),
        (rss::SURFACE_QPITCH, 1),
    ];
    let rig = Rig::new(&[&set], &[]);
    number(&rig);
    for (x, y, z) in [
        (0, 0, 0),
        (3, 2, 1),
        (4, 0, 0),
        (0, 3, 0),
        (0, 0, 2),
        (4, 3, 2),
        (9, 9, 9),
    ] {
        let inside = x < 4 && y < 3 && z < 2;
        let expected = match inside {
            true => [z * 64 + y * 16 + x, 0, 0, 1],
            false => NOTHING,
        };
        let found = texels(&rig, message_type::LD_LZ, 1, &[[x; 8], [y; 8], [z; 8]], 0);
        assert_eq!(found[0], expected, "{x} {y} {z}");
    }
}

#[test]
fn swizzle_and_fast_clear_colour() {
    // Y tiles: columns of 16 bytes by 32 rows. Two blocks of 8 × 4 texels side by side, two bits
    // each.
    let clear = [0x11, 0x22, 0x33, 0x44];
    let set = [
        UINT,
        (rss::WIDTH, 15),
        (rss::HEIGHT, 15),
        (rss::TILE_MODE, 3),
        (rss::SURFACE_PITCH, 127),
        (rss::AUXILIARY_SURFACE_MODE, 1),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x8000),
        (rss::RED_CLEAR_COLOR, clear[0]),
        (rss::GREEN_CLEAR_COLOR, clear[1]),
        (rss::BLUE_CLEAR_COLOR, clear[2]),
        (rss::ALPHA_CLEAR_COLOR, clear[3]),
        // Red and green are alpha and 1, blue is 0.
        (rss::SHADER_CHANNEL_SELECT_RED, 7),
        (rss::SHADER_CHANNEL_SELECT_GREEN, 1),
        (rss::SHADER_CHANNEL_SELECT_BLUE, 0),
        (rss::SHADER_CHANNEL_SELECT_ALPHA, 4),
    ];
    let rig = Rig::new(&[&set], &[&[]]);
    number(&rig);
    // The right block of the third row, the left one of the fourth.
    rig.write(0x8000, &[0, 0, 3 << 2, 3]);
    let mut port = rig.port();
    for (x, y) in (0..16).flat_map(|y| (0..16).map(move |x| (x, y))) {
        let cleared = matches!((x / 8, y / 4), (1, 2) | (0, 3));
        let expected = match cleared {
            true => [clear[3] as u32, 1, 0, clear[0] as u32],
            false => [1, 1, 0, x / 4 * 128 + y * 4 + x % 4],
        };
        let by_number = Ask::new(message_type::LD_LZ, &[x, y]);
        let channel_mask = by_number.clone().with_header(0);
        let place = |i: u32| (i as f32 + 0.5) / 16.0;
        let by_place = Ask::floats(message_type::SAMPLE_LZ, &[place(x), place(y)]);
        for ask in [by_number, channel_mask, by_place] {
            let found = ask.by(&mut port).expect("carried out");
            assert_eq!(found[3], expected, "{x} {y}: {ask:?}");
        }
        let alone = Ask::new(message_type::LD_LZ, &[x, y]).with_header(0b0001 << 12);
        let found = alone.by(&mut port).expect("carried out");
        assert_eq!(found[0][..3], expected[1..], "{x} {y}");
    }
    // What lies outside goes through the selects like any other texel: 0, 0, 0 and 1 here.
    let outside = Ask::new(message_type::LD_LZ, &[16, 0]).by(&mut port);
    assert_eq!(outside.expect("carried out")[0], [1, 1, 0, 0]);
}

#[test]
fn subspan_row_fetch_matches_single_texels() {
    // R8_UINT, R8_SNORM, R16_UNORM, R8G8_SINT, B5G6R5_UNORM, R10G10B10A2_UNORM, R16_FLOAT,
    // R8G8B8A8_UNORM_SRGB.
    for format in [0x143, 0x141, 0x10a, 0x107, 0x100, 0x0c2, 0x10e, 0x0c8] {
        for (tiling, swizzle) in [(0, 4), (1, 4), (2, 4), (3, 4), (3, 5)] {
            let set = [
                (rss::SURFACE_FORMAT, format),
                (rss::WIDTH, 39),
                (rss::HEIGHT, 15),
                (rss::TILE_MODE, tiling),
                (rss::SURFACE_PITCH, 511),
                (rss::SHADER_CHANNEL_SELECT_RED, swizzle),
            ];
            let rig = Rig::new(&[&set], &[&[]]);
            let words: Vec<u32> = (0..BYTES as u32 / 4)
                .map(|i| i.wrapping_mul(0x9e37_79b9))
                .collect();
            rig.write(0, &words);
            let mut port = rig.port();
            // The last is out of bounds in part; the one before begins where nothing does.
            for [left, top] in [[0, 0], [8, 2], [24, 14], [32, 6], [6, 4], [36, 0]] {
                let at = |lane: u32| [left + lane / 4 * 2 + lane % 2, top + lane / 2 % 2];
                let together = Ask {
                    width: 16,
                    parameters: [0, 1]
                        .map(|i| (0..16).map(|lane| at(lane)[i]).collect())
                        .to_vec(),
                    ..Ask::new(message_type::LD_LZ, &[])
                };
                let found = together.by(&mut port).expect("carried out");
                for (lane, values) in (0..).zip(found) {
                    let alone = Ask::new(message_type::LD_LZ, &at(lane)).by(&mut port);
                    let expected = alone.expect("carried out")[0];
                    assert_eq!(values, expected, "{format:#x} {tiling} {left} {top} {lane}");
                }
            }
        }
    }
}

#[test]
fn fast_cleared_blocks_are_narrower_than_cache_lines() {
    // R32G32B32A32_UINT: blocks of 2 × 4 texels. Texel (x, y) is at byte 512 x + 16 y.
    let set = [
        (rss::SURFACE_FORMAT, 0x002),
        (rss::WIDTH, 7),
        (rss::HEIGHT, 7),
        (rss::TILE_MODE, 3),
        (rss::SURFACE_PITCH, 127),
        (rss::AUXILIARY_SURFACE_MODE, 1),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x8000),
        (rss::RED_CLEAR_COLOR, 7),
    ];
    let rig = Rig::new(&[&set], &[&[]]);
    number(&rig);
    rig.write(0x8000, &[3 << 2, 3 << 4]);
    let mut port = rig.port();
    for (x, y) in (0..8).flat_map(|y| (0..8).map(move |x| (x, y))) {
        let cleared = matches!((x / 2, y / 4), (1, 0) | (2, 1));
        let expected = if cleared { 7 } else { 128 * x + 4 * y };
        let place = |i: u32| (i as f32 + 0.5) / 8.0;
        let by_place = Ask::floats(message_type::SAMPLE_LZ, &[place(x), place(y)]);
        for ask in [Ask::new(message_type::LD_LZ, &[x, y]), by_place] {
            let found = ask.by(&mut port).expect("carried out");
            assert_eq!(found[0][0], expected, "{x} {y}");
        }
    }
}

#[test]
fn mcs_selects_the_slice_of_each_sample() {
    // 4 × 4 texels a slice: dword 64 of the next one.
    let base = [
        UINT,
        (rss::SURFACE_QPITCH, 1),
        (rss::SURFACE_ARRAY, 1),
        (rss::DEPTH, 1),
        (rss::RED_CLEAR_COLOR, 99),
        (rss::SHADER_CHANNEL_SELECT_ALPHA, 4),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x8000),
    ];
    let of = |log: u64, mode: u64| {
        let more = [
            (rss::NUMBER_OF_MULTISAMPLES, log),
            (rss::AUXILIARY_SURFACE_MODE, mode),
        ];
        [base.as_slice(), &more].concat()
    };
    let sets = [of(2, 1), of(4, 1), of(2, 0)];
    let rig = Rig::new(&sets.each_ref().map(|s| s.as_slice()), &[]);
    number(&rig);
    let read = |table, kind, parameters: &[u32], offsets| {
        let ask = Ask::new(kind, parameters).with_header(offsets);
        rig.ask(&Ask { table, ..ask })[5]
    };
    let texel = |samples: u32, slice: u32, [x, y, z]: [u32; 3]| {
        let red = (z * samples + slice) * 64 + y * 16 + x;
        [red, 0, 0, red]
    };
    // Two bits for each of four samples, the first one lowest.
    let mcs = 0b01_00_10_11;
    let moved = [1, 3, 0];
    for (sample, slice) in (0..).zip([3, 2, 0, 1]) {
        for z in 0..2 {
            let at = [2, 1, z];
            let narrow = [sample, mcs, 2, 1, z];
            let wide = [sample, mcs, 0xffff, 2, 1, z];
            let expected = texel(4, slice, at);
            assert_eq!(
                read(0, message_type::LD2DMS, &narrow, 0),
                expected,
                "{sample} {z}"
            );
            assert_eq!(
                read(0, message_type::LD2DMS_W, &wide, 0),
                expected,
                "{sample} {z}"
            );
            // Without an MCS, or with the uncompressed message, samples are where they
            // are.
            let expected = texel(4, sample, at);
            assert_eq!(
                read(2, message_type::LD2DMS, &narrow, 0),
                expected,
                "{sample} {z}"
            );
            let plain = [sample, 2, 1, z];
            assert_eq!(
                read(0, message_type::LD2DSS, &plain, 0),
                expected,
                "{sample} {z}"
            );
        }
        // One to the left, two down, one element back.
        let (narrow, wide) = ([sample, mcs, 2, 1, 1], [sample, mcs, 0, 2, 1, 1]);
        let expected = texel(4, slice, moved);
        assert_eq!(
            read(0, message_type::LD2DMS, &narrow, 0xf2f),
            expected,
            "{sample}"
        );
        assert_eq!(
            read(0, message_type::LD2DMS_W, &wide, 0xf2f),
            expected,
            "{sample}"
        );
        let expected = texel(4, sample, moved);
        assert_eq!(
            read(0, message_type::LD2DSS, &[sample, 2, 1, 1], 0xf2f),
            expected
        );
    }
    // Four bits for each of sixteen samples: the last eight are in the second dword.
    let mcs = [0x0123_4567, 0x89ab_cdef];
    for (sample, slice) in [(0, 7), (7, 0), (8, 15), (12, 11), (15, 8)] {
        let found = read(
            1,
            message_type::LD2DMS_W,
            &[sample, mcs[0], mcs[1], 2, 1, 0],
            0,
        );
        assert_eq!(found, texel(16, slice, [2, 1, 0]), "{sample}");
    }
    // All ones are cleared: the clear colour, swizzled.
    let clear = [99, 0, 0, 99];
    assert_eq!(read(0, message_type::LD2DMS, &[1, 0xff, 2, 1, 0], 0), clear);
    assert_eq!(
        read(
            1,
            message_type::LD2DMS_W,
            &[1, u32::MAX, u32::MAX, 2, 1, 0],
            0
        ),
        clear
    );
    // Where there is no such sample, column, row or element is nothing.
    for plain in [[4, 2, 1, 0], [0, 4, 1, 0], [0, 2, 4, 0], [0, 2, 1, 2]] {
        assert_eq!(
            read(2, message_type::LD2DSS, &plain, 0),
            [0; 4],
            "{plain:?}"
        );
    }
    assert_eq!(read(0, message_type::SAMPLEINFO, &[0], 0), [4, 0, 0, 0]);
    assert_eq!(read(1, message_type::SAMPLEINFO, &[0], 0), [16, 0, 0, 0]);
}

#[test]
fn ld_mcs_reads_entries_per_pixel() {
    // In Y tiles: columns of 16 bytes by 32 rows. A byte for 4 samples, 8 bytes for 16.
    let of = |log: u64| {
        [
            (rss::WIDTH, 31),
            (rss::HEIGHT, 7),
            (rss::SURFACE_ARRAY, 1),
            (rss::DEPTH, 1),
            (rss::NUMBER_OF_MULTISAMPLES, log),
            (rss::AUXILIARY_SURFACE_MODE, 1),
            (rss::AUXILIARY_SURFACE_QPITCH, 2),
            (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x8000),
        ]
    };
    let rig = Rig::new(&[&of(2), &of(4)], &[]);
    let bytes: Vec<_> = (0..0x1000u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9))
        .collect();
    rig.write(0x8000, &bytes);
    let dword = |byte: u32| bytes[byte as usize / 4];
    for [x, y, z] in [[0, 0, 0], [5, 0, 0], [17, 3, 0], [9, 7, 1], [15, 0, 1]] {
        let at = |bytes: u32| x * bytes / 16 * 512 + (y + 8 * z) * 16 + x * bytes % 16;
        let read = |table| {
            let ask = Ask::new(message_type::LD_MCS, &[x, y, z]);
            rig.ask(&Ask { table, ..ask })[0]
        };
        let byte = dword(at(1)) >> (at(1) % 4 * 8) & 0xff;
        assert_eq!(read(0), [byte, 0, 0, 0], "{x} {y} {z}");
        if x < 16 {
            let expected = [dword(at(8)), dword(at(8) + 4), 0, 0];
            assert_eq!(read(1), expected, "{x} {y} {z}");
        }
    }
}

#[test]
fn resinfo_returns_the_size_of_the_level() {
    let base = [(rss::WIDTH, 15), (rss::HEIGHT, 7), (rss::MIP_COUNT_LOD, 2)];
    let array = [(rss::SURFACE_ARRAY, 1), (rss::DEPTH, 5)];
    let faces = hw::Field {
        hi: 5,
        ..rss::CUBE_FACE_ENABLE_POSITIVE_Z
    };
    let of = |more: &[One]| [&base, more].concat();
    let surfaces = [
        of(&[array.as_slice(), &[(rss::SURFACE_TYPE, 0)]].concat()),
        of(&array),
        of(&[(rss::SURFACE_TYPE, 2), (rss::DEPTH, 3)]),
        of(&[array.as_slice(), &[(rss::SURFACE_TYPE, 3), (faces, 0x3f)]].concat()),
        vec![
            (rss::SURFACE_TYPE, 4),
            (rss::WIDTH, 5),
            (rss::HEIGHT, 2),
            (rss::MIP_COUNT_LOD, 0),
        ],
        of(&[(rss::SURFACE_TYPE, 7)]),
        of(&[(rss::SURFACE_TYPE, 0)]),
        of(&[]),
        of(&[(rss::SURFACE_TYPE, 3), (faces, 0x3f)]),
    ];
    let sets: Vec<_> = surfaces.iter().map(|s| s.as_slice()).collect();
    let rig = Rig::new(&sets, &[]);
    // Width, height, depth or elements, levels; of lines elements come second. What is no array has
    // none.
    for (table, level, expected) in [
        (0, 0, [16, 6, 0, 3]),
        (0, 2, [4, 6, 0, 3]),
        (1, 0, [16, 8, 6, 3]),
        (1, 1, [8, 4, 6, 3]),
        (1, 2, [4, 2, 6, 3]),
        (1, 3, [0, 0, 0, 3]),
        (2, 1, [8, 4, 2, 3]),
        (3, 1, [8, 4, 6, 3]),
        (6, 0, [16, 0, 0, 3]),
        (7, 1, [8, 4, 0, 3]),
        (8, 1, [8, 4, 0, 3]),
    ] {
        let ask = Ask::new(message_type::RESINFO, &[level]);
        let found = rig.ask(&Ask { table, ..ask })[0];
        assert_eq!(found, expected, "{table} {level}");
    }
    // The number of levels of a null surface is undefined, and here none that a surface has.
    let ask = Ask::new(message_type::RESINFO, &[0]);
    let [width, height, depth, levels] = rig.ask(&Ask { table: 5, ..ask })[0];
    assert_eq!([width, height, depth], [0; 3]);
    assert!(levels > 15);
    // 5 + 2 · 128 + 1 entries.
    let ask = Ask::new(message_type::RESINFO, &[0]);
    assert_eq!(rig.ask(&Ask { table: 4, ..ask })[0][0], 262);
}

#[test]
fn fast_clear_blocks_are_tracked_per_surface() {
    let set = |address: u64, control: u64| {
        [
            UINT,
            (rss::TILE_MODE, 3),
            (rss::SURFACE_PITCH, 127),
            (rss::SURFACE_BASE_ADDRESS, DATA + address),
            (rss::AUXILIARY_SURFACE_MODE, 1),
            (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + control),
            (rss::RED_CLEAR_COLOR, 9),
        ]
    };
    let rig = Rig::new(&[&set(0, 0x8000), &set(0x1000, 0x9000)], &[]);
    number(&rig);
    rig.write(0x8000, &[3]);
    rig.write(0x9000, &[0]);
    let mut port = rig.port();
    for table in [0, 1, 0, 0, 1, 1] {
        let ask = Ask::new(message_type::LD_LZ, &[1, 0]);
        let found = Ask { table, ..ask }.by(&mut port).expect("carried out");
        let expected = if table == 0 { 9 } else { 0x1000 / 4 + 1 };
        assert_eq!(found[0][0], expected, "{table}");
    }
}

fn image(log_samples: u64) -> Image {
    let mut words = [0; 16];
    for (field, value) in [
        (rss::SURFACE_TYPE, 1),
        (rss::SURFACE_FORMAT, 0x0c7),
        (rss::NUMBER_OF_MULTISAMPLES, log_samples),
    ] {
        field.set(&mut words, value);
    }
    Image::from_words(&words, 0).expect("a surface")
}

#[test]
fn mcs_entries_select_slices() {
    let four = image(2);
    // Sample i in slice i, all in slice 0, cleared.
    let slices = |mcs| [0, 1, 2, 3].map(|s| four.slice_of(mcs, s));
    assert_eq!(slices(0xe4), [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(slices(0), [Some(0); 4]);
    assert_eq!(slices(0xff), [None; 4]);
    assert_eq!(image(3).slice_of(0x7654_3210, 6), Some(6));
    assert_eq!(image(4).slice_of(0xfedc_ba98_7654_3210, 15), Some(15));
    assert_eq!(image(1).slice_of(0b10, 1), Some(1));
    assert_eq!(image(1).slice_of(0b11, 1), None);
}

#[test]
fn sampled_linear_surfaces_may_begin_at_any_byte() {
    // R8G8B8A8_UINT and R8G8B8A8_UNORM of 4 × 4 texels; byte n of the memory holds n.
    const R8G8B8A8_UINT: u64 = 0x0cb;
    const R8G8B8A8_UNORM: u64 = 0x0c7;
    for offset in [0u8, 1, 2, 3, 7] {
        let at = |format| {
            [
                (rss::SURFACE_FORMAT, format),
                (rss::SURFACE_BASE_ADDRESS, DATA + u64::from(offset)),
            ]
        };
        let [integers, floats] = [R8G8B8A8_UINT, R8G8B8A8_UNORM].map(at);
        let rig = Rig::new(&[&integers, &floats], &[&[]]);
        let bytes: Vec<_> = (0..64u8)
            .map(|n| u32::from_le_bytes([4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3]))
            .collect();
        rig.write(0, &bytes);
        // A subspan, and texels that form none.
        let x = [0, 1, 0, 1, 3, 0, 2, 1];
        let y = [0, 0, 1, 1, 0, 2, 1, 2];
        let texel = |i: usize| {
            let first = offset + (y[i] * 64 + x[i] * 4) as u8;
            [0, 1, 2, 3].map(|c| u32::from(first + c))
        };
        let found = texels(&rig, message_type::LD, 0xff, &[x, y, [0; 8]], 0);
        for (i, found) in found.iter().enumerate() {
            assert_eq!(*found, texel(i), "{offset}: texel {i}");
        }
        let centre = |n: u32| (n as f32 + 0.5) / 4.0;
        let (u, v) = (x.map(centre), y.map(centre));
        let mut ask = Ask::each(message_type::SAMPLE, &[&u, &v]);
        ask.table = 1;
        for (i, found) in rig.ask(&ask).iter().enumerate() {
            let expected = texel(i).map(|byte| byte as f32 / 255.0);
            assert_eq!(found.map(f32::from_bits), expected, "{offset}: sample {i}");
        }
    }
}
