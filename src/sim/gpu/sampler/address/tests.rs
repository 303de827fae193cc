//! Coordinates to texels, and what has_seamless_faces the faces of cubes.
//!
//! Ref: Vulkan, "Cube Map Face Selection", "Cube Map Edge Handling".

use crate::sampler::address::{
    CubePoint, apply_address_mode, cube_face, project_to_face, quantise, texel_across_edge,
    to_face_axes,
};
use crate::sampler::state::AddressMode;

/// Axes of each face as Vulkan's table has them: where s, t and the face itself point.
const AXES: [[[i64; 3]; 3]; 6] = [
    [[0, 0, -1], [0, -1, 0], [1, 0, 0]],
    [[0, 0, 1], [0, -1, 0], [-1, 0, 0]],
    [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
    [[1, 0, 0], [0, 0, -1], [0, -1, 0]],
    [[1, 0, 0], [0, -1, 0], [0, 0, 1]],
    [[-1, 0, 0], [0, -1, 0], [0, 0, -1]],
];

#[test]
fn coordinates_truncate_or_round_to_subtexels() {
    let half = 0.5 / 256.0;
    for (at, cut, rounded) in [
        (0.0, 0, 0),
        (1.0, 256, 256),
        (half, 0, 1),
        (half * 0.9, 0, 0),
        (1.75 + half, 448, 449),
        (-half, -1, 0),
        (-half * 1.1, -1, -1),
        (-2.0, -512, -512),
        (f64::NAN, 0, 0),
    ] {
        assert_eq!(
            [quantise(at, false), quantise(at, true)],
            [cut, rounded],
            "{at}"
        );
    }
    // Beyond every surface, on either side.
    for rounded in [false, true] {
        assert!(quantise(f64::INFINITY, rounded) > 1 << 32);
        assert!(quantise(f64::NEG_INFINITY, rounded) < -(1 << 32));
    }
}

#[test]
fn one_texel_surface_wraps_to_its_texel() {
    for mode in [
        AddressMode::Wrap,
        AddressMode::Mirror,
        AddressMode::MirrorOnce,
        AddressMode::Clamp,
    ] {
        for size in [0, 1] {
            for i in -3..4 {
                assert_eq!(apply_address_mode(mode, i, size), Some(0), "{mode:?} {i}");
            }
        }
    }
}

#[test]
fn cube_face_is_the_major_axis() {
    // Of equally long axes z goes before y, and y before x.
    for (direction, expected) in [
        ([1.0, 0.5, 0.5], 0),
        ([-1.0, 0.5, 0.5], 1),
        ([0.5, 1.0, 0.5], 2),
        ([0.5, -1.0, 0.5], 3),
        ([0.5, 0.5, 1.0], 4),
        ([0.5, 0.5, -1.0], 5),
        ([1.0, 1.0, 1.0], 4),
        ([-1.0, -1.0, -1.0], 5),
        ([1.0, 0.5, 1.0], 4),
        ([1.0, 0.5, -1.0], 5),
        ([0.5, 1.0, 1.0], 4),
        ([0.5, -1.0, -1.0], 5),
        ([1.0, 1.0, 0.5], 2),
        ([1.0, -1.0, 0.5], 3),
        ([1.0, 0.0, 0.0], 0),
        ([-1.0, 0.0, 0.0], 1),
        ([0.0, 0.0, 0.0], 4),
        // However short it is.
        ([0.2, 0.1, 0.1], 0),
        ([-0.2, 0.1, 0.1], 1),
        ([0.1, 0.2, 0.1], 2),
        ([0.1, -0.2, 0.1], 3),
        ([0.1, 0.1, 0.2], 4),
        ([0.1, 0.1, -0.2], 5),
    ] {
        assert_eq!(cube_face(direction), expected, "{direction:?}");
    }
}

#[test]
fn cube_directions_project_onto_a_face() {
    let dot = |a: [i64; 3], b: [f64; 3]| (0..3).map(|i| a[i] as f64 * b[i]).sum::<f64>();
    for direction in [
        [4.0, 1.0, -2.0],
        [-4.0, 1.0, -2.0],
        [1.0, 4.0, -2.0],
        [1.0, -4.0, -2.0],
        [1.0, -2.0, 4.0],
        [1.0, -2.0, -4.0],
    ] {
        let found = project_to_face(direction);
        let [s, t, m] = AXES[found.face as usize].map(|axis| dot(axis, direction));
        assert_eq!(
            to_face_axes(found.face, direction),
            [s, t, m],
            "{direction:?}"
        );
        assert_eq!(m, 4.0, "{direction:?}");
        let place = [s, t].map(|c| (c / 4.0 + 1.0) / 2.0);
        assert_eq!([found.s, found.t], place, "{direction:?}");
    }
    let nowhere = CubePoint {
        face: 4,
        s: 0.5,
        t: 0.5,
    };
    assert_eq!(project_to_face([0.0; 3]), nowhere);
}

/// The middle of a texel of a cube of `2 n` a side, in space.
fn middle(face: usize, [i, j]: [i64; 2], n: i64) -> [i64; 3] {
    let [s, t, m] = AXES[face];
    std::array::from_fn(|k| s[k] * (2 * i + 1 - n) + t[k] * (2 * j + 1 - n) + m[k] * n)
}

/// The face beyond an edge: the one that the axis points to.
fn is_empty(face: usize, axis: usize, sign: i64) -> usize {
    let to = AXES[face][axis].map(|c| c * sign);
    let other = AXES.iter().position(|axes| axes[2] == to);
    other.expect("a face")
}

#[test]
fn cube_edge_neighbour_is_the_nearest_texel_of_another_face() {
    for (at, n) in (0..6).flat_map(|at| [1, 2, 3, 4, 7].map(|n| (at, n))) {
        for k in 0..n {
            let edges = [
                ([0, k], [-1, k], 0, -1),
                ([n - 1, k], [n, k], 0, 1),
                ([k, 0], [k, -1], 1, -1),
                ([k, n - 1], [k, n], 1, 1),
            ];
            for (inside, outside, axis, sign) in edges {
                let other = is_empty(at, axis, sign);
                let from = middle(at, inside, n);
                // It is half a texel away to the side, and half a texel down.
                let has_seamless_faces = |place: &[i64; 2]| {
                    let to = middle(other, *place, n);
                    (0..3).map(|i| (to[i] - from[i]).pow(2)).sum::<i64>() == 2
                };
                let place = (0..n * n).map(|p| [p % n, p / n]).find(has_seamless_faces);
                let place = place.expect("a texel").map(|i| i as u32);
                let found = texel_across_edge(at as u32, outside, n as u32);
                assert_eq!(
                    found,
                    Some((other as u32, place)),
                    "{at} {outside:?} of {n}"
                );
                let itself = Some((at as u32, inside.map(|i| i as u32)));
                assert_eq!(texel_across_edge(at as u32, inside, n as u32), itself);
            }
        }
        for corner in [[-1, -1], [-1, n], [n, -1], [n, n]] {
            assert_eq!(
                texel_across_edge(at as u32, corner, n as u32),
                None,
                "{at} {corner:?}"
            );
        }
    }
}

#[test]
fn address_modes_on_both_sides_of_four_texels() {
    let from =
        |mode| -> Vec<Option<u32>> { (-6..=9).map(|i| apply_address_mode(mode, i, 4)).collect() };
    let all = |texels: [u32; 16]| texels.map(Some).to_vec();
    let wrapped = [2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1];
    assert_eq!(from(AddressMode::Wrap), all(wrapped));
    let mirrored = [2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1];
    assert_eq!(from(AddressMode::Mirror), all(mirrored));
    let load_uncached = [3, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3];
    assert_eq!(from(AddressMode::MirrorOnce), all(load_uncached));
    let clamped = [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3];
    for mode in [AddressMode::Clamp, AddressMode::Cube] {
        assert_eq!(from(mode), all(clamped));
    }
    let bordered: Vec<_> = (-6..=9)
        .map(|i| (0..4).contains(&i).then_some(i as u32))
        .collect();
    for mode in [AddressMode::ClampBorder, AddressMode::HalfBorder] {
        assert_eq!(from(mode), bordered);
    }
}
