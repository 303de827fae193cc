//! Messages through a port with one surface and one sampler; values worked out by hand.

use super::address;
use super::request::message_type;
use super::rig;
use crate::dataport::{MessageBases, WideLock, WorkerPort, sfid};
use crate::memory::AddressSpaceView;
use crate::space::AddressSpace;
use crate::testing::memory;
use eu::{Message, SharedFunctions};
use hw::state::{render_surface_state as rss, sampler_state as ss};

mod compressed_surfaces;
mod messages;

const STATE: u64 = 0x10_0000;
const DATA: u64 = 0x20_0000;

type Set<'s> = &'s [(hw::Field, u64)];

/// A space with a linear 4 × 4 surface of R32_FLOAT, texel (x, y) of level 0 being x + 10 y, of
/// level 1 100 more.
fn space(surface: Set<'_>, sampler: Set<'_>) -> AddressSpace {
    let mut space = AddressSpace::new();
    space.map(STATE, 0x1000, memory(0x1000), 0).expect("free");
    space.map(DATA, 0x8000, memory(0x8000), 0).expect("free");
    let view = AddressSpaceView::new(&space);
    let levels = [(rss::MIP_COUNT_LOD, 1), (rss::SURFACE_QPITCH, 8 / 4)];
    let words = rig::surface(&[&levels, surface].concat());
    view.write(STATE, 0x40).expect("mapped");
    view.write_block(STATE + 0x40, &words).expect("mapped");
    let mut words = [0; 4];
    let base = [(ss::MAX_LOD, 14 << 8), (ss::BORDER_COLOR_POINTER, 0x200)];
    for (field, value) in base.iter().chain(sampler) {
        field.set(&mut words, *value);
    }
    view.write_block(STATE + 0x100, &words).expect("mapped");
    view.write_block(STATE + 0x200, &[7.0f32.to_bits(), 0, 0, 0])
        .expect("mapped");
    for slice in 0..6 {
        for y in 0..4u64 {
            for x in 0..4u64 {
                let value = (x + 10 * y + 1000 * slice) as f32;
                let at = DATA + slice * 8 * 64 + y * 64 + x * 4;
                view.write(at, value.to_bits()).expect("mapped");
                if x < 2 && y < 2 {
                    let value = value + 100.0;
                    view.write(at + 4 * 64, value.to_bits()).expect("mapped");
                }
            }
        }
    }
    space
}

/// Sends a SIMD8 message; each parameter is for all channels, or for each.
fn send(space: &AddressSpace, kind: u32, header: Option<u32>, parameters: &[[f32; 8]]) -> [f32; 4] {
    let bases = MessageBases {
        binding_table: STATE,
        surface: STATE,
        dynamic: STATE,
        samplers: 0x100,
        ..MessageBases::default()
    };
    let wide = WideLock::default();
    let mut port = WorkerPort::new(AddressSpaceView::new(space), bases, &wide, 0);
    let mut payload = Vec::new();
    if let Some(dword2) = header {
        payload.extend([0, 0, dword2, 0x100, 0, 0, 0, 0]);
    }
    payload.extend(parameters.iter().flatten().map(|v| v.to_bits()));
    let message = Message {
        sfid: sfid::SAMPLER,
        desc: kind << 12 | 1 << 17 | u32::from(header.is_some()) << 19,
        ex_desc: 0,
        src0: &payload,
        src1: &[],
        lanes: 0xff,
        exec_size: 8,
        ip: 0,
        eot: false,
        waits: false,
    };
    let mut response = vec![0; 32];
    port.message(&message, &mut response).expect("carried out");
    [0, 8, 16, 24].map(|i| f32::from_bits(response[i]))
}

fn all(values: &[f32]) -> Vec<[f32; 8]> {
    values.iter().map(|v| [*v; 8]).collect()
}

const LINEAR: [(hw::Field, u64); 6] = [
    (ss::MIN_MODE_FILTER, 1),
    (ss::MAG_MODE_FILTER, 1),
    (ss::U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, 1),
    (ss::U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, 1),
    (ss::V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, 1),
    (ss::V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, 1),
];

#[test]
fn nearest_and_linear_filters() {
    let nearest = space(&[], &[]);
    // (0.4 · 4, 0.8 · 4) is in texel (1, 3). Missing channels are 0, alpha 1.
    let found = send(&nearest, message_type::SAMPLE_LZ, None, &all(&[0.4, 0.8]));
    assert_eq!(found, [31.0, 0.0, 0.0, 1.0]);
    let linear = space(&[], &LINEAR);
    // (1.75, 2.0) less a half is a quarter of the way from texel 1 to 2 and half way from row 1 to
    // 2.
    let found = send(&linear, message_type::SAMPLE_LZ, None, &all(&[0.4375, 0.5]));
    assert_eq!(found[0], 1.25 + 15.0);
}

#[test]
fn address_modes_wrap_mirror_and_reach_the_border() {
    let modes = |code| {
        [
            (ss::TCX_ADDRESS_CONTROL_MODE, code),
            (ss::TCY_ADDRESS_CONTROL_MODE, code),
        ]
    };
    let at = |code, u: f32| {
        let space = space(&[], &modes(code));
        send(&space, message_type::SAMPLE_LZ, None, &all(&[u, 0.1]))[0]
    };
    // Texel 5 of 4; texel -2.
    for (code, is_empty, before) in [
        (0, 1.0, 2.0),
        (1, 2.0, 1.0),
        (2, 3.0, 0.0),
        (4, 7.0, 7.0),
        (5, 3.0, 1.0),
    ] {
        assert_eq!(
            [at(code, 1.375), at(code, -0.375)],
            [is_empty, before],
            "{code}"
        );
    }
}

#[test]
fn lod_by_gradients_bias_and_clamps() {
    let mip = |code| space(&[], &[(ss::MIP_MODE_FILTER, code)]);
    // A step of 0.5 of the surface is two texels: level 1.
    let steps = [0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5];
    let found = send(&mip(1), message_type::SAMPLE, None, &[steps, [0.1; 8]]);
    assert_eq!(found[0], 100.0);
    let found = send(
        &mip(3),
        message_type::SAMPLE_L,
        None,
        &all(&[0.25, 0.0, 0.0]),
    );
    assert_eq!(found[0], 25.0);
    // The level asked for, clamped and as it was.
    let found = send(&mip(3), message_type::LOD, None, &[steps, [0.1; 8]]);
    assert_eq!(found[..2], [1.0, 1.0]);
    let small = [0.0, 0.0625, 0.0, 0.0625, 0.0, 0.0625, 0.0, 0.0625];
    let found = send(&mip(3), message_type::LOD, None, &[small, [0.1; 8]]);
    assert_eq!(found[..2], [0.0, -2.0]);
    // The sampler's bias, with eight fraction bits, is added.
    for (bias, levels) in [(128, [1.0, 1.5]), (-192i64 as u64 & 0x1fff, [0.25, 0.25])] {
        let biased = [(ss::MIP_MODE_FILTER, 3), (ss::TEXTURE_LOD_BIAS, bias)];
        let found = send(
            &space(&[], &biased),
            message_type::LOD,
            None,
            &[steps, [0.1; 8]],
        );
        assert_eq!(found[..2], levels);
    }
    let min_lod = space(&[], &[(ss::MIP_MODE_FILTER, 1), (ss::MIN_LOD, 1 << 8)]);
    assert_eq!(
        send(&min_lod, message_type::SAMPLE_LZ, None, &all(&[0.0, 0.0]))[0],
        100.0
    );
    // d/dx of 0.5, d/dy of nothing.
    let found = send(
        &mip(1),
        message_type::SAMPLE_D,
        None,
        &all(&[0.9, 0.5, 0.0, 0.0, 0.0, 0.0]),
    );
    assert_eq!(found[0], 101.0);
}

#[test]
fn depth_comparison_precedes_filtering() {
    // LEQUAL: texels at most as large as the reference count 0.
    let compare = [LINEAR.as_slice(), &[(ss::SHADOW_FUNCTION, 4)]].concat();
    let space = space(&[], &compare);
    // Texels 1 and 2 of row 0, half each; the reference between them.
    let found = send(
        &space,
        message_type::SAMPLE_C_LZ,
        None,
        &all(&[1.5, 0.5, 0.125]),
    );
    assert_eq!(found, [0.5, 0.0, 0.0, 1.0]);
}

#[test]
fn gather4_texel_order() {
    let space = space(&[], &LINEAR);
    let found = send(&space, message_type::GATHER4, Some(0), &all(&[0.5, 0.5]));
    assert_eq!(found, [21.0, 22.0, 12.0, 11.0]);
    // Channel 3, which is 1 everywhere.
    let found = send(
        &space,
        message_type::GATHER4,
        Some(3 << 16),
        &all(&[0.5, 0.5]),
    );
    assert_eq!(found, [1.0; 4]);
    // Offsets by the header: u by -1, and by parameters.
    let found = send(
        &space,
        message_type::GATHER4,
        Some(0xf << 8),
        &all(&[0.5, 0.5]),
    );
    assert_eq!(found, [20.0, 21.0, 11.0, 10.0]);
    let offsets = [
        [0.5; 8],
        [0.5; 8],
        [f32::from_bits(1); 8],
        [f32::from_bits(63); 8],
    ];
    let found = send(&space, message_type::GATHER4_PO, None, &offsets);
    assert_eq!(found, [12.0, 13.0, 3.0, 2.0]);
}

#[test]
fn masked_channels_are_omitted_from_the_response() {
    let space = space(&[], &[]);
    let found = send(
        &space,
        message_type::SAMPLE_LZ,
        Some(0b0110 << 12),
        &all(&[0.4, 0.8]),
    );
    assert_eq!(found, [31.0, 1.0, 0.0, 0.0]);
}

#[test]
fn min_and_max_reduction_filters() {
    let reduced = |code| {
        let set = [(ss::REDUCTION_TYPE_ENABLE, 1), (ss::REDUCTION_TYPE, code)];
        let space = space(&[], &[LINEAR.as_slice(), &set].concat());
        send(&space, message_type::SAMPLE_LZ, None, &all(&[0.5, 0.5]))[0]
    };
    assert_eq!([reduced(2), reduced(3)], [11.0, 22.0]);
}

#[test]
fn cube_faces_and_seamless_edges() {
    // All of the six Cube Face Enables are side by side.
    let faces = hw::Field {
        hi: 5,
        ..rss::CUBE_FACE_ENABLE_POSITIVE_Z
    };
    let cube = [(rss::SURFACE_TYPE, 3), (faces, 0x3f)];
    let nearest = space(&cube, &[(ss::CUBE_SURFACE_CONTROL_MODE, 1)]);
    let face = |lane_coordinates: [f32; 3]| {
        send(
            &nearest,
            message_type::SAMPLE_LZ,
            None,
            &all(&lane_coordinates),
        )[0] as u32
            / 1000
    };
    let faces = [
        [1.0, 0.1, 0.1],
        [-1.0, 0.1, 0.1],
        [0.1, 1.0, 0.1],
        [0.1, -1.0, 0.1],
        [0.1, 0.1, 1.0],
        [0.1, 0.1, -1.0],
    ];
    assert_eq!(faces.map(face), [0, 1, 2, 3, 4, 5]);
    // Texel (4, 1) of +z is texel (0, 1) of +x; (0, -1) of +z is (0, 3) of +y; a corner is none.
    assert_eq!(address::texel_across_edge(4, [4, 1], 4), Some((0, [0, 1])));
    assert_eq!(address::texel_across_edge(4, [0, -1], 4), Some((2, [0, 3])));
    assert_eq!(address::texel_across_edge(4, [-1, -1], 4), None);
    // Every edge, out and back: the neighbour's neighbour across the same edge is the texel itself.
    for face in 0..6 {
        for k in 0..4 {
            for (from, to) in [
                ([0, k], [-1, k]),
                ([3, k], [4, k]),
                ([k, 0], [k, -1]),
                ([k, 3], [k, 4]),
            ] {
                let (other, at) = address::texel_across_edge(face, to, 4).expect("an edge");
                let [x, y] = at.map(i64::from);
                let back = [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]];
                let home = Some((face, from.map(|i: i64| i as u32)));
                let outside = |p: &&[i64; 2]| p.iter().any(|i| !(0..4).contains(i));
                let found = back
                    .iter()
                    .filter(outside)
                    .any(|p| address::texel_across_edge(other, *p, 4) == home);
                assert!(found, "face {face}, texel {to:?}");
            }
        }
    }
}

#[test]
fn ld_and_resinfo_messages() {
    let space = space(&[], &[]);
    let n = |values: &[u32]| {
        all(&values
            .iter()
            .map(|v| f32::from_bits(*v))
            .collect::<Vec<_>>())
    };
    assert_eq!(
        send(&space, message_type::LD, None, &n(&[1, 0, 1]))[0],
        101.0
    );
    assert_eq!(
        send(&space, message_type::LD_LZ, None, &n(&[3, 2]))[0],
        23.0
    );
    assert_eq!(
        send(&space, message_type::LD_LZ, None, &n(&[4, 2])),
        [0.0, 0.0, 0.0, 1.0]
    );
    let sizes = send(&space, message_type::RESINFO, None, &n(&[1])).map(f32::to_bits);
    assert_eq!(sizes, [2, 2, 0, 2]);
}

#[test]
fn anisotropic_filter_samples_along_the_major_axis() {
    let set = [
        (ss::MIN_MODE_FILTER, 2),
        (ss::MAG_MODE_FILTER, 2),
        (ss::MIP_MODE_FILTER, 1),
        (ss::MAXIMUM_ANISOTROPY, 1),
    ];
    let space = space(&[], &set);
    // Four texels along u by a half along v: four looks at level 0, not one at level 2.
    let gradients = [0.5, 1.0, 0.0, 0.375, 0.0, 0.125];
    let found = send(&space, message_type::SAMPLE_D, None, &all(&gradients))[0];
    // Row 1 at texels 2 ± 1.2 and 2 ± 0.4, less a half: 0.3, 1.1, 1.9, 2.7 on average.
    assert!((found - 11.5).abs() < 0.02, "{found}");
}
