//! What a message to the sampler consists of: parameters, headers, channels, subspans.
//!
//! Ref: SKL PRM vol. 7, "Payload Parameter Definition", "Message Header", "Message Descriptor".

use crate::dataport::WorkerPort;
use crate::memory::AddressSpaceView;
use crate::observer::{Colour, Via};
use crate::sampler::address;
use crate::sampler::request::{ParameterLayout, message_type};
use crate::sampler::rig::{Ask, BORDER_RED, DATA, R32_FLOAT, Rig, SAMPLERS, SILENT, Set, image};
use crate::sampler::sample::{LaneCoordinates, subspan_difference, texel_gradient};
use crate::strict::caches::Log;
use eu::StopReason;
use hw::state::{render_surface_state as rss, sampler_state as ss};
use std::sync::Arc;

const NEAREST_LEVEL: (hw::Field, u64) = (ss::MIP_MODE_FILTER, 1);

/// Five levels from 16 × 16 down, for [`levels`].
const MIPS: [(hw::Field, u64); 3] = [(rss::WIDTH, 15), (rss::HEIGHT, 15), (rss::MIP_COUNT_LOD, 4)];

/// A rig of which each texel holds its level.
fn levels(surface: Set<'_>, sampler: Set<'_>) -> Rig {
    let rig = Rig::new(&[&[MIPS.as_slice(), surface].concat()], &[sampler]);
    // The second level is below the first, all others are to its right.
    let places = [[0, 0], [0, 16], [8, 16], [8, 20], [8, 24]];
    for (level, [x, y]) in (0..5).zip(places) {
        let size = 16 >> level;
        rig.fill(64 * y + 4 * x, [size; 2], |_, _| level as f32);
    }
    rig
}

#[test]
fn parameters_follow_the_order_of_the_payload_table() {
    use message_type::*;
    // Reference, bias or level, u v r ai, gradients of u v r along x, offset of u, minimum LOD.
    #[rustfmt::skip]
    let rows = [
        (SAMPLE, None, None, [0, 1, 2, 3], None, None, 4),
        (SAMPLE_LZ, None, None, [0, 1, 2, 3], None, None, 4),
        (LOD, None, None, [0, 1, 2, 3], None, None, 4),
        (GATHER4, None, None, [0, 1, 2, 3], None, None, 4),
        (SAMPLE_B, None, Some(0), [1, 2, 3, 4], None, None, 5),
        (SAMPLE_L, None, Some(0), [1, 2, 3, 4], None, None, 5),
        (SAMPLE_C, Some(0), None, [1, 2, 3, 4], None, None, 5),
        (SAMPLE_C_LZ, Some(0), None, [1, 2, 3, 4], None, None, 5),
        (GATHER4_C, Some(0), None, [1, 2, 3, 4], None, None, 5),
        (SAMPLE_B_C, Some(0), Some(1), [2, 3, 4, 5], None, None, 6),
        (SAMPLE_L_C, Some(0), Some(1), [2, 3, 4, 5], None, None, 6),
        (SAMPLE_D, None, None, [0, 3, 6, 9], Some([1, 4, 7]), None, 10),
        (SAMPLE_D_C, Some(0), None, [1, 4, 7, 10], Some([2, 5, 8]), None, 11),
        (GATHER4_PO, None, None, [0, 1, 4, 5], None, Some(2), 6),
        (GATHER4_PO_C, Some(0), None, [1, 2, 5, 6], None, Some(3), 7),
    ];
    for (message, reference, level, coordinates, gradients, offsets, min_lod) in rows {
        let expected = ParameterLayout {
            reference,
            level,
            coordinates,
            gradients,
            offsets,
            min_lod,
        };
        assert_eq!(
            ParameterLayout::for_message(message),
            Some(expected),
            "message {message}"
        );
        let implicit = [
            message_type::SAMPLE,
            message_type::SAMPLE_B,
            message_type::SAMPLE_C,
            message_type::SAMPLE_B_C,
            message_type::LOD,
        ];
        assert_eq!(
            expected.has_implicit_gradients(message),
            implicit.contains(&message)
        );
    }
    for message in [
        message_type::LD,
        message_type::LD_LZ,
        message_type::RESINFO,
        message_type::LD_MCS,
        12,
        19,
    ] {
        assert_eq!(
            ParameterLayout::for_message(message),
            None,
            "message {message}"
        );
    }
}

#[test]
fn gradients_are_scaled_to_texels() {
    let by = [0.5, 0.25, 0.125];
    for (surface_type, normalized, expected) in [
        (0, true, [4.0, 0.0, 0.0]),
        (1, true, [4.0, 1.0, 0.0]),
        (2, true, [4.0, 1.0, 2.0]),
        (0, false, [0.5, 0.0, 0.0]),
        (1, false, [0.5, 0.25, 0.0]),
        (2, false, by),
    ] {
        let of = image(&[
            (rss::SURFACE_TYPE, surface_type),
            (rss::WIDTH, 7),
            (rss::HEIGHT, 3),
            (rss::DEPTH, 15),
        ]);
        let found = texel_gradient(&of, normalized, &LaneCoordinates::default(), by);
        assert_eq!(found, expected, "type {surface_type}");
    }
}

#[test]
fn cube_gradients_project_onto_the_face() {
    let cube = image(&[&CUBE, [(rss::WIDTH, 15), (rss::HEIGHT, 15)].as_slice()].concat());
    let (step, by) = (1e-6, [0.3, -0.2, 0.1]);
    for given in [
        [4.0, 1.0, -2.0],
        [-4.0, 1.0, 2.0],
        [1.0, 4.0, -2.0],
        [-1.0, -4.0, 2.0],
        [1.0, -2.0, 4.0],
        [1.0, 2.0, -4.0],
    ] {
        let at = address::project_to_face(given);
        let near = address::project_to_face([0, 1, 2].map(|i| given[i] + step * by[i]));
        let from = LaneCoordinates {
            given,
            face: at.face,
            ..LaneCoordinates::default()
        };
        let found = texel_gradient(&cube, true, &from, by);
        let expected = [near.s - at.s, near.t - at.t].map(|d| d / step * 16.0);
        for i in 0..2 {
            let error = (found[i] - expected[i]).abs();
            assert!(error < 1e-4, "{given:?}: {found:?}, {expected:?}");
        }
        assert_eq!(found[2], 0.0);
    }
}

#[test]
fn cube_gradients_across_an_edge() {
    let cube = image(&[&CUBE, [(rss::WIDTH, 15), (rss::HEIGHT, 15)].as_slice()].concat());
    // From +x over the edge to +z, each divided by its longest axis as drivers do.
    let pixels = [[1.0, 0.5, 0.875], [0.875, 0.4375, 1.0]];
    let at = |face, given| LaneCoordinates {
        given,
        face,
        ..LaneCoordinates::default()
    };
    // On +x: s goes from -7/8 to -8/7, t from -1/2 by nothing; on +z the same way back.
    let expected = (8.0 / 7.0 - 7.0 / 8.0) * 8.0;
    let [on_x, on_z] = [(0, pixels[0]), (4, pixels[1])]
        .map(|(face, given)| subspan_difference(&cube, true, &at(face, given), pixels));
    assert!(
        (on_x[0] + expected).abs() < 1e-12 && on_x[1].abs() < 1e-12,
        "{on_x:?}"
    );
    assert!((on_z[0] + expected).abs() < 1e-12, "{on_z:?}");
    // Behind the face there is no such place: the change of direction counts.
    let behind = [pixels[0], [-1.0, 0.5, 0.875]];
    let by = [-2.0, 0.0, 0.0];
    assert_eq!(
        subspan_difference(&cube, true, &at(0, pixels[0]), behind),
        texel_gradient(&cube, true, &at(0, pixels[0]), by)
    );
}

/// All of the six Cube Face Enables are side by side.
const FACES: hw::Field = hw::Field {
    hi: 5,
    ..rss::CUBE_FACE_ENABLE_POSITIVE_Z
};
const CUBE: [(hw::Field, u64); 2] = [(rss::SURFACE_TYPE, 3), (FACES, 0x3f)];

#[test]
fn simd16_messages_have_sixteen_values_per_parameter() {
    let rig = Rig::new(&[&[]], &[&[]]);
    rig.fill(0, [4, 4], |x, y| (x + 10 * y) as f32);
    let texel = |i: usize| [i % 4, (i * 3 / 4) % 4];
    let [u, v]: [Vec<f32>; 2] = [0, 1].map(|axis: usize| {
        let place = |i| (texel(i)[axis] as f32 + 0.5) / 4.0;
        (0..16).map(place).collect()
    });
    for lanes in [0xffff, 0xa5f3] {
        let ask = Ask {
            lanes,
            ..Ask::each(message_type::SAMPLE_LZ, &[&u, &v])
        };
        for (i, found) in rig.ask(&ask).into_iter().enumerate() {
            let [x, y] = texel(i);
            let expected = match lanes >> i & 1 {
                1 => [(x + 10 * y) as f32, 0.0, 0.0, 1.0].map(f32::to_bits),
                _ => [SILENT; 4],
            };
            assert_eq!(found, expected, "channel {i} of {lanes:#x}");
        }
    }
}

#[test]
fn sampler_states_are_relative_to_the_dispatch_or_header_pointer() {
    let mode = |code| [(ss::TCX_ADDRESS_CONTROL_MODE, code)];
    // As many as a message can select.
    let modes = [0, 1, 2, 4].repeat(4).into_iter().map(mode);
    let modes: Vec<_> = modes.collect();
    let rig = Rig::new(
        &[&[]],
        &modes.iter().map(|m| m.as_slice()).collect::<Vec<_>>(),
    );
    rig.fill(0, [4, 1], |x, _| x as f32);
    // Texel 5 of 4: wrapped, mirrored, clamped, the border.
    let texels = [1.0, 2.0, 3.0, BORDER_RED];
    let ask = Ask::floats(message_type::SAMPLE_LZ, &[1.375, 0.1]);
    for sampler in 0..16 {
        let ask = Ask {
            sampler,
            ..ask.clone()
        };
        let found = rig.ask(&ask)[0][0];
        assert_eq!(f32::from_bits(found), texels[sampler as usize % 4]);
    }
    // The header's pointer begins at bit 5.
    for sampler in 0..2 {
        let ask = Ask {
            sampler,
            header: Some([0, 0, 0, SAMPLERS + 32 + 31, 0, 0, 0, 0]),
            ..ask.clone()
        };
        let found = rig.ask(&ask)[0][0];
        assert_eq!(f32::from_bits(found), texels[2 + sampler as usize]);
    }
}

#[test]
fn channel_mask_compacts_the_response() {
    let four = [(rss::SURFACE_FORMAT, 0x000), (rss::WIDTH, 0)];
    let rig = Rig::new(&[&four], &[&[]]);
    rig.write(0, &[1.0, 2.0, 3.0, 4.0].map(f32::to_bits));
    for mask in 0..16u32 {
        for (width, lane) in [(8, 0), (8, 7), (16, 15)] {
            let mut expected: Vec<_> = (0..4)
                .filter(|c| mask >> c & 1 == 0)
                .map(|c| (c as f32 + 1.0).to_bits())
                .collect();
            expected.resize(4, SILENT);
            let ask = Ask {
                width,
                ..Ask::floats(message_type::SAMPLE_LZ, &[0.5, 0.1]).with_header(mask << 12)
            };
            assert_eq!(rig.ask(&ask)[lane], expected[..], "{mask:#b}");
        }
    }
}

#[test]
fn header_texel_offsets_are_nibbles() {
    let volume = [
        (rss::SURFACE_TYPE, 2),
        (rss::WIDTH, 15),
        (rss::HEIGHT, 15),
        (rss::DEPTH, 15),
        (rss::SURFACE_QPITCH, 4),
    ];
    let rig = Rig::new(&[&volume], &[&[]]);
    rig.fill(0, [16, 256], |x, y| (x + 1000 * y) as f32);
    // u, v, r from the highest signed_nibble down.
    for (offsets, moved) in [
        (0x000, [0, 0, 0]),
        (0x700, [7, 0, 0]),
        (0xf00, [-1, 0, 0]),
        (0x030, [0, 3, 0]),
        (0x080, [0, -8, 0]),
        (0x002, [0, 0, 2]),
        (0x00b, [0, 0, -5]),
        (0x1e4, [1, -2, 4]),
    ] {
        let [x, y, z] = moved.map(|m| (8 + m) as f32);
        let expected = x + 1000.0 * (y + 16.0 * z);
        let ask = Ask::floats(message_type::SAMPLE_LZ, &[8.5 / 16.0; 3]);
        let found = rig.ask(&ask.with_header(offsets))[0][0];
        assert_eq!(f32::from_bits(found), expected, "{offsets:#x}");
        // By numbers: x, y, level, z; without a level z follows y.
        for (kind, parameters) in [
            (message_type::LD, vec![8, 8, 0, 8]),
            (message_type::LD_LZ, vec![8, 8, 8]),
        ] {
            let ask = Ask::new(kind, &parameters).with_header(offsets);
            let found = rig.ask(&ask)[0][0];
            assert_eq!(f32::from_bits(found), expected, "{kind} {offsets:#x}");
        }
    }
}

#[test]
fn unmodelled_state_is_reported() {
    let buffer = [(rss::SURFACE_TYPE, 4), (rss::SURFACE_PITCH, 3)];
    let samples = [1, 2].map(|log| [(rss::NUMBER_OF_MULTISAMPLES, log)]);
    let rig = Rig::new(&[&[], &buffer, &samples[0], &samples[1]], &[&[]]);
    let ask = Ask::floats(message_type::SAMPLE_LZ, &[0.5, 0.5]);
    let mut asks = vec![
        // SIMD8D and SIMD32, a response of halves.
        Ask {
            flipped: 1 << 17,
            ..ask.clone()
        },
        Ask {
            flipped: 2 << 17,
            ..ask.clone()
        },
        Ask {
            flipped: 1 << 30,
            ..ask.clone()
        },
        Ask {
            table: 1,
            ..ask.clone()
        },
        Ask {
            table: 2,
            ..ask.clone()
        },
        Ask {
            table: 3,
            ..ask.clone()
        },
    ];
    let unknown = [12, 13, 14, 15, 19, 21, 22, 23, 27];
    asks.extend(unknown.map(|kind| Ask {
        kind,
        ..ask.clone()
    }));
    for ask in asks {
        let stop = rig.stop(&ask);
        let named = matches!(stop, Some(StopReason::Unimplemented { .. }));
        assert!(named, "{ask:?}: {stop:?}");
    }
    assert_eq!(rig.stop(&ask), None);
}

#[test]
fn null_surfaces_and_disabled_samplers_return_zero() {
    let null = [(rss::SURFACE_TYPE, 7)];
    let disabled = [(ss::SAMPLER_DISABLE, 1)];
    let rig = Rig::new(&[&[], &null], &[&[], &disabled]);
    rig.fill(0, [4, 4], |_, _| 5.0);
    for (table, sampler) in [(1, 0), (0, 1)] {
        let ask = Ask {
            table,
            sampler,
            lanes: 0b0110,
            ..Ask::floats(message_type::SAMPLE_LZ, &[0.5, 0.5])
        };
        let found = rig.ask(&ask);
        let expected = [[SILENT; 4], [0; 4], [0; 4], [SILENT; 4]];
        assert_eq!(found[..4], expected, "{table} {sampler}");
    }
    // Nor has what is not there texels, a size or samples.
    for (kind, parameters) in [
        (message_type::LD, &[0, 0, 0][..]),
        (message_type::LD2DMS, &[0, 0, 0, 0]),
        (message_type::LD_MCS, &[0, 0]),
        (message_type::SAMPLEINFO, &[0]),
    ] {
        let ask = Ask::new(kind, parameters);
        let found = rig.ask(&Ask { table: 1, ..ask });
        assert_eq!(found[0], [0; 4], "{kind}");
    }
    // The number of its levels is undefined: not the zero that a driver might count on.
    let ask = Ask::new(message_type::RESINFO, &[0]);
    let found = rig.ask(&Ask { table: 1, ..ask })[0];
    assert_eq!(found[..3], [0; 3]);
    assert_ne!(found[3], 0);
}

#[test]
fn array_index_rounds_and_clamps() {
    let array = [
        (rss::SURFACE_ARRAY, 1),
        (rss::DEPTH, 2),
        (rss::SURFACE_QPITCH, 1),
    ];
    // QPitch of 1D arrays is in texels.
    let lines = [
        (rss::SURFACE_TYPE, 0),
        (rss::SURFACE_ARRAY, 1),
        (rss::DEPTH, 2),
        (rss::SURFACE_QPITCH, 16),
    ];
    let cubes = [CUBE.as_slice(), &array, &[(rss::DEPTH, 1)]].concat();
    let alone = [(rss::DEPTH, 2), (rss::SURFACE_QPITCH, 1)];
    let rig = Rig::new(&[&array, &lines, &cubes, &alone], &[&[]]);
    for slice in 0..12u32 {
        rig.fill(256 * u64::from(slice), [4, 4], |_, _| slice as f32);
    }
    let at = |table, parameters: &[f32]| {
        let ask = Ask::floats(message_type::SAMPLE_LZ, parameters);
        f32::from_bits(rig.ask(&Ask { table, ..ask })[0][0])
    };
    for (element, nearest) in [
        (-3.0, 0.0),
        (0.4, 0.0),
        // To even.
        (0.5, 0.0),
        (0.6, 1.0),
        (1.5, 2.0),
        (2.4, 2.0),
        (9.0, 2.0),
    ] {
        assert_eq!(at(0, &[0.5, 0.5, element]), nearest, "{element}");
        assert_eq!(at(1, &[0.5, element]), nearest, "{element}");
        assert_eq!(at(3, &[0.5, 0.5, element]), 0.0, "{element}");
    }
    // Six faces of each cube.
    for (element, first) in [(0.4, 0.0), (0.6, 6.0), (7.0, 6.0)] {
        assert_eq!(at(2, &[0.1, -1.0, 0.1, element]), first + 3.0, "{element}");
    }
}

#[test]
fn each_subspan_has_separate_gradients() {
    let rig = levels(&[], &[NEAREST_LEVEL]);
    // To the right, and down, in texels; the fourth channel is not used.
    let changes = [
        (2.0, 1.0, 1.0),
        (1.0, 8.0, 3.0),
        (4.0, 4.0, 2.0),
        (-16.0, 1.0, 4.0),
    ];
    let (mut u, mut v) = (Vec::new(), Vec::new());
    for (right, down, _) in changes {
        u.extend([0.25, 0.25 + right / 16.0, 0.25, 77.0]);
        v.extend([0.5, 0.5, 0.5 + down / 16.0, -77.0]);
    }
    for lanes in [0xffff, 0x8421, 0x8888] {
        let asked = |kind| {
            let ask = Ask::each(kind, &[&u, &v]);
            rig.ask(&Ask { lanes, ..ask })
        };
        let active = |lane: &usize| lanes >> lane & 1 == 1;
        let (levels, found) = (asked(message_type::LOD), asked(message_type::SAMPLE));
        for lane in (0..16).filter(active) {
            let level = changes[lane / 4].2;
            let expected = [level, level, 0.0, 0.0].map(f32::to_bits);
            assert_eq!(levels[lane], expected, "channel {lane} of {lanes:#x}");
            let found = f32::from_bits(found[lane][0]);
            assert_eq!(found, level, "channel {lane} of {lanes:#x}");
        }
    }
}

#[test]
fn lanes_of_a_subspan_may_select_different_levels() {
    let rig = levels(&[], &[NEAREST_LEVEL]);
    let u = [0.25, 0.375, 0.25, 0.375, 0.25, 0.375, 0.25, 0.375];
    let (v, none) = ([0.5; 8], [0.0; 8]);
    let own = [0.0f32, 1.0, 2.0, -1.0, 3.0, 0.0, 0.0, 2.0];
    let read = |kind, parameters: &[&[f32]]| -> Vec<f32> {
        let found = rig.ask(&Ask::each(kind, parameters));
        found.iter().map(|f| f32::from_bits(f[0])).collect()
    };
    // Changes make level 1.
    let biased = own.map(|b| (1.0 + b).min(4.0));
    assert_eq!(read(message_type::SAMPLE_B, &[&own, &u, &v]), biased);
    let min_lod = own.map(|l| l.max(1.0));
    assert_eq!(
        read(message_type::SAMPLE, &[&u, &v, &none, &none, &own]),
        min_lod
    );
    assert_eq!(read(message_type::SAMPLE, &[&u, &v]), [1.0; 8]);
    let given = own.map(|l| l.max(0.0));
    assert_eq!(read(message_type::SAMPLE_L, &[&own, &u, &v]), given);
    // Directions of a subspan meet a cube in places of their own.
    let cube = levels(&CUBE, &[NEAREST_LEVEL]);
    let x = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0];
    let y = [0.0, 0.25, 0.0, 0.25, 0.0, 0.25, 0.0, 0.25];
    let ask = Ask::each(message_type::SAMPLE, &[&x, &y, &none]);
    let found = cube.ask(&ask);
    // A change of 1/4 is two texels, of 1/16 as seen from four times as far half of one.
    assert_eq!(f32::from_bits(found[4][0]), 1.0);
    assert_eq!(f32::from_bits(found[7][0]), 0.0);
}

#[test]
fn lod_parameter_position_per_message() {
    let equal = [NEAREST_LEVEL, (ss::SHADOW_FUNCTION, 3)];
    let volume = [(rss::SURFACE_TYPE, 2), (rss::DEPTH, 15)];
    let (flat, deep) = (levels(&[], &equal), levels(&volume, &equal));
    let texels = |n: f32| n / 16.0;
    // u, then its changes by x and by y; the same for v and r.
    let changes = |which: usize, n: f32| {
        let mut parameters = [0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.5, 0.0, 0.0];
        parameters[which] = texels(n);
        parameters.to_vec()
    };
    let mut cases = vec![
        (&flat, message_type::SAMPLE_L, vec![2.0, 0.5, 0.5], 2.0),
        (&flat, message_type::SAMPLE_LZ, vec![0.5, 0.5], 0.0),
        (
            &flat,
            message_type::SAMPLE,
            vec![0.5, 0.5, 0.0, 0.0, 3.0],
            3.0,
        ),
        (
            &flat,
            message_type::SAMPLE_B,
            vec![0.0, 0.5, 0.5, 0.0, 0.0, 3.0],
            3.0,
        ),
    ];
    for (which, n, level) in [(1, 2.0, 1.0), (2, 4.0, 2.0), (4, 8.0, 3.0), (5, 16.0, 4.0)] {
        cases.push((
            &flat,
            message_type::SAMPLE_D,
            changes(which, n)[..6].to_vec(),
            level,
        ));
    }
    for (which, n, level) in [(7, 4.0, 2.0), (8, 8.0, 3.0)] {
        cases.push((&deep, message_type::SAMPLE_D, changes(which, n), level));
    }
    let min_lod = [changes(1, 1.0), vec![0.0, 2.0]].concat();
    cases.push((&flat, message_type::SAMPLE_D, min_lod, 2.0));
    let compared = [
        (message_type::SAMPLE_L, message_type::SAMPLE_L_C),
        (message_type::SAMPLE_LZ, message_type::SAMPLE_C_LZ),
        (message_type::SAMPLE, message_type::SAMPLE_C),
        (message_type::SAMPLE_B, message_type::SAMPLE_B_C),
        (message_type::SAMPLE_D, message_type::SAMPLE_D_C),
    ];
    for (rig, kind, parameters, level) in cases {
        let found = rig.first(kind, &parameters);
        assert_eq!(found[0], level, "{kind} {parameters:?}");
        // The same with a reference: a texel that is equal counts nothing.
        let with = compared.iter().find(|c| c.0 == kind).map(|c| c.1);
        let with = with.expect("a message that compares");
        for (reference, counts) in [(level, 0.0), (level + 1.0, 1.0)] {
            let parameters = [vec![reference], parameters.clone()].concat();
            let found = rig.first(with, &parameters);
            assert_eq!(found, [counts, 0.0, 0.0, 1.0], "{with} {parameters:?}");
        }
    }
}

#[test]
fn depth_reference_is_clamped_for_normalised_formats() {
    // B8G8R8A8_UNORM: red is 1 in texel 0, 0 in texel 1.
    for (format, clamped) in [(0x0c0, true), (R32_FLOAT, false)] {
        let set = [(rss::SURFACE_FORMAT, format)];
        let rig = Rig::new(&[&set], &[&[(ss::SHADOW_FUNCTION, 3)]]);
        match clamped {
            true => rig.write(0, &[0x00ff_0000, 0]),
            false => rig.write(0, &[1.0f32.to_bits(), 0]),
        }
        for (reference, u, same) in [(2.0, 0.1, clamped), (-1.0, 0.4, clamped), (1.0, 0.1, true)] {
            let found = rig.first(message_type::SAMPLE_C_LZ, &[reference, u, 0.1]);
            let counts = if same { 0.0 } else { 1.0 };
            assert_eq!(found[0], counts, "{reference} of {format:#x}");
        }
    }
}

#[test]
fn gather4_po_offsets_have_six_bits() {
    let clamp = [
        (ss::TCX_ADDRESS_CONTROL_MODE, 2),
        (ss::TCY_ADDRESS_CONTROL_MODE, 2),
    ];
    let set = [(rss::WIDTH, 15), (rss::HEIGHT, 15)];
    // LEQUAL.
    let compare = [clamp.as_slice(), &[(ss::SHADOW_FUNCTION, 4)]].concat();
    let rig = Rig::new(&[&set], &[&compare]);
    rig.fill(0, [16, 16], |x, y| (x + 100 * y) as f32);
    let texel = |x: i32, y: i32| (x.clamp(0, 15) + 100 * y.clamp(0, 15)) as f32;
    for (x, y) in [(0, 0), (-3, 5), (-32, 31), (31, -32), (4, -1)] {
        let offset = |o: i32, junk: u32| f32::from_bits(o as u32 & 63 | junk);
        // Between texels 7 and 8. Bits beyond the sixth do not count.
        for junk in [0, 0x1240] {
            let parameters = [0.5, 0.5, offset(x, junk), offset(y, junk)];
            let found = rig.first(message_type::GATHER4_PO, &parameters);
            let expected = [(7, 8), (8, 8), (8, 7), (7, 7)].map(|(a, b)| texel(a + x, b + y));
            assert_eq!(found, expected, "{x} {y}");
            let reference = 707.5;
            let parameters = [vec![reference], parameters.to_vec()].concat();
            let found = rig.first(message_type::GATHER4_PO_C, &parameters);
            let expected = expected.map(|t| if t <= reference { 0.0 } else { 1.0 });
            assert_eq!(found, expected, "{x} {y}");
        }
    }
}

#[test]
fn gather4_channel_select_comes_from_the_header() {
    let four = [
        (rss::SURFACE_FORMAT, 0x000),
        (rss::WIDTH, 0),
        (rss::HEIGHT, 0),
    ];
    // Green and blue are swapped.
    let swizzled = [
        four.as_slice(),
        &[
            (rss::SHADER_CHANNEL_SELECT_GREEN, 6),
            (rss::SHADER_CHANNEL_SELECT_BLUE, 5),
        ],
    ]
    .concat();
    let less = [(ss::SHADOW_FUNCTION, 2)];
    let rig = Rig::new(&[&swizzled], &[&less]);
    rig.write(0, &[1.0, 2.0, 3.0, 4.0].map(f32::to_bits));
    for (channel, value) in (0..).zip([1.0, 3.0, 2.0, 4.0]) {
        let ask = Ask::floats(message_type::GATHER4, &[0.5, 0.5]).with_header(channel << 16);
        let found = rig.ask(&ask)[0].map(f32::from_bits);
        assert_eq!(found, [value; 4], "{channel}");
        // Red, compared: 1 is less than 1.5, and counts nothing.
        for (reference, counts) in [(1.5, 0.0), (0.5, 1.0)] {
            let ask = Ask::floats(message_type::GATHER4_C, &[reference, 0.5, 0.5]);
            let found = rig.ask(&ask.with_header(channel << 16))[0];
            assert_eq!(found.map(f32::from_bits), [counts; 4], "{channel}");
        }
    }
}

#[test]
fn surfaces_of_one_dispatch_are_cached_separately() {
    // More of them than a port remembers.
    let sets: Vec<_> = (0..12)
        .map(|i| {
            [
                (
                    rss::SURFACE_BASE_ADDRESS,
                    crate::sampler::rig::DATA + 64 * i,
                ),
                (rss::HEIGHT, 0),
            ]
        })
        .collect();
    let sets: Vec<_> = sets.iter().map(|s| s.as_slice()).collect();
    let rig = Rig::new(&sets, &[&[]]);
    rig.fill(0, [4, 12], |_, y| y as f32);
    let mut port = rig.port();
    for table in (0..12).chain(0..12).chain([3, 7, 3]) {
        for ask in [
            Ask::floats(message_type::SAMPLE_LZ, &[0.5, 0.5]),
            Ask::new(message_type::LD_LZ, &[1, 0]),
        ] {
            let found = Ask { table, ..ask }.by(&mut port).expect("carried out");
            assert_eq!(f32::from_bits(found[0][0]), table as f32);
        }
    }
}

#[test]
fn size_queries_do_not_read_stale_memory() {
    let rig = Rig::new(&[&[(rss::MIP_TAIL_START_LOD, 15)]], &[&[]]);
    let log = Log::with_resolve_tracker(Arc::default(), &rig.space, false);
    let view = || AddressSpaceView::watched(&rig.space, Some(&log), Via::Texture);
    view().colour(DATA, Colour::Held([0, 0]));
    let size = Ask::new(message_type::RESINFO, &[0]);
    let texel = Ask::new(message_type::LD, &[0, 0, 0]);
    let mut port = rig.port_of(view());
    assert_eq!(size.by(&mut port).expect("its size")[0][..2], [4, 4]);
    let stop = |port: &mut WorkerPort<'_>| match texel.by(port) {
        Err(StopReason::Undefined { rule, .. }) => Some(rule),
        _ => None,
    };
    let rule = Some("colour-resolve");
    assert_eq!(stop(&mut port), rule);
    assert_eq!(stop(&mut rig.port_of(view())), rule);
    view().colour(DATA, Colour::Plain([0, 0]));
    assert_eq!(stop(&mut rig.port_of(view())), None);
}
