//! Footprints: which texels, and how much of each.
//!
//! Ref: Vulkan, "Texel FilterContext", "Texel Anisotropic FilterContext", "Cube Map Corner
//!      Handling"; SKL PRM vol. 7, "Texture Filter".

use crate::sampler::request::message_type;
use crate::sampler::rig::{Ask, BORDER_RED, R32_SINT, R32_UINT, Rig, Set};
use hw::state::{render_surface_state as rss, sampler_state as ss};

type One = (hw::Field, u64);

const MIN: One = (ss::MIN_MODE_FILTER, 1);
const MAG: One = (ss::MAG_MODE_FILTER, 1);
const MIP: One = (ss::MIP_MODE_FILTER, 3);
const UNNORMALISED: One = (ss::NON_NORMALIZED_COORDINATE_ENABLE, 1);
const AXES: [hw::Field; 3] = [
    ss::TCX_ADDRESS_CONTROL_MODE,
    ss::TCY_ADDRESS_CONTROL_MODE,
    ss::TCZ_ADDRESS_CONTROL_MODE,
];

/// An address mode of all axes.
fn modes(code: u64) -> [One; 3] {
    AXES.map(|axis| (axis, code))
}

/// A volume of 4 × 4 × 4 texels.
const VOLUME: [One; 3] = [
    (rss::SURFACE_TYPE, 2),
    (rss::DEPTH, 3),
    (rss::SURFACE_QPITCH, 1),
];
const LINE: One = (rss::SURFACE_TYPE, 0);
/// A cube of 4 × 4 texels a face; all of the six Cube Face Enables are side by side.
const CUBE: [One; 3] = [
    (rss::SURFACE_TYPE, 3),
    (
        hw::Field {
            hi: 5,
            ..rss::CUBE_FACE_ENABLE_POSITIVE_Z
        },
        0x3f,
    ),
    (rss::SURFACE_QPITCH, 1),
];

/// A rig with 4 × 4 texels of each of four slices.
fn rig(surface: Set<'_>, sampler: Set<'_>, value: impl Fn(u32, u32, u32) -> f32) -> Rig {
    let rig = Rig::new(&[surface], &[sampler]);
    for z in 0..4 {
        rig.fill(256 * u64::from(z), [4, 4], |x, y| value(x, y, z));
    }
    rig
}

#[track_caller]
fn near(found: f32, expected: f32, what: &str) {
    assert!(
        (found - expected).abs() < 1e-4,
        "{what}: {found}, {expected}"
    );
}

#[test]
fn coordinates_are_rounded_per_axis_and_filter() {
    // A texel holds 256 times its number along an axis: between texels that is the place in 256ths.
    let fields = [
        ss::U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE,
        ss::U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE,
        ss::V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE,
        ss::V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE,
        ss::R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE,
        ss::R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE,
    ];
    for (i, field) in fields.into_iter().enumerate() {
        for axis in 0..3 {
            let set = [MIN, MAG, (field, 1)];
            let rig = rig(&VOLUME, &set, |x, y, z| 256.0 * [x, y, z][axis] as f32);
            // Level 1 is minified, and clamped to the one level there is.
            for (level, magnified) in [(0.0, 1), (1.0, 0)] {
                let at = |k| if k == axis { 1.75 + 0.6 / 256.0 } else { 1.5 } / 4.0;
                let found = rig.first(message_type::SAMPLE_L, &[level, at(0), at(1), at(2)]);
                let rounded = i == 2 * axis + magnified;
                let expected = if rounded { 321.0 } else { 320.0 };
                assert_eq!(found[0], expected, "{} {axis} {level}", field.name);
            }
        }
    }
}

#[test]
fn linear_weights_are_products_per_axis() {
    // What is linear along each axis is met exactly.
    let value = |x, y, z| ((x + 1) * (y + 2) * (z + 3)) as f32;
    for (shape, axes) in [([LINE].as_slice(), 1), (&[], 2), (&VOLUME, 3)] {
        let rig = rig(shape, &[MAG], value);
        for at in [[1.25, 2.5, 3.0], [0.5, 1.5, 1.875], [2.0, 3.125, 2.25]] {
            let found = rig.first(message_type::SAMPLE_LZ, &at.map(|c| c / 4.0))[0];
            let along = |i: usize| if i < axes { at[i] - 0.5 } else { 0.0 } + i as f32 + 1.0;
            let expected = along(0) * along(1) * along(2);
            near(found, expected, &format!("{axes} {at:?}"));
        }
    }
}

#[test]
fn unnormalised_coordinates_are_not_scaled() {
    let value = |x, y, z| (x + 10 * y + 100 * z) as f32;
    let nearest = rig(&[], &[UNNORMALISED], value);
    assert_eq!(nearest.first(message_type::SAMPLE_LZ, &[2.9, 1.1])[0], 12.0);
    let linear = rig(&VOLUME, &[UNNORMALISED, MAG], value);
    assert_eq!(
        linear.first(message_type::SAMPLE_LZ, &[2.0, 1.75, 3.0])[0],
        264.0
    );
}

#[test]
fn minification_selects_the_filter() {
    for (set, found) in [([MIN], [1.0, 0.5]), ([MAG], [0.5, 1.0])] {
        let rig = rig(&[], &set, |x, _, _| x as f32);
        for (level, found) in [0.0, 1.0].into_iter().zip(found) {
            assert_eq!(
                rig.first(message_type::SAMPLE_L, &[level, 0.25, 0.1])[0],
                found
            );
        }
    }
}

#[test]
fn border_colour_has_the_weight_of_its_texels() {
    let outside = |x: i64| !(0..4).contains(&x);
    // The border's channels that the format lacks are 0, and 1 of alpha.
    let border = |mode, at: &[f32], axes: usize| {
        let shape: Set<'_> = match axes {
            1 => &[LINE],
            2 => &[],
            _ => &VOLUME,
        };
        let set = [modes(mode).as_slice(), &[MAG, UNNORMALISED]].concat();
        let found = rig(shape, &set, |_, _, _| 6.0).first(message_type::SAMPLE_LZ, at);
        assert_eq!(found[1..], [0.0, 0.0, 1.0]);
        found[0]
    };
    for axes in 1..=3 {
        for at in [
            [-0.25, 1.0, 1.0],
            [0.25, 3.75, 2.0],
            [4.125, 0.0, 2.0],
            [2.0, 2.0, 4.25],
            [9.0, 1.0, 1.0],
            [2.0, -5.0, 2.0],
        ] {
            // The part of the footprint that lies within.
            let part = |c: f32| -> f32 {
                let (first, second) = ((c - 0.5).floor(), (c - 0.5).rem_euclid(1.0));
                let inside = |x: f32| if outside(x as i64) { 0.0 } else { 1.0 };
                inside(first) * (1.0 - second) + inside(first + 1.0) * second
            };
            let within: f32 = at[..axes].iter().map(|c| part(*c)).product();
            let expected = 6.0 * within + BORDER_RED * (1.0 - within);
            near(border(4, &at, axes), expected, &format!("{axes} {at:?}"));
            // Half of the border at most, along each axis.
            let within: f32 = at[..axes].iter().map(|c| part(c.clamp(0.0, 4.0))).product();
            let expected = 6.0 * within + BORDER_RED * (1.0 - within);
            near(
                border(6, &at, axes),
                expected,
                &format!("half: {axes} {at:?}"),
            );
        }
    }
}

#[test]
fn half_border_mode_differs_from_clamp() {
    let u = (ss::TCX_ADDRESS_CONTROL_MODE, 6);
    let row = rig(&[LINE], &[u], |x, _, _| x as f32 + 1.0);
    let width = row.first(message_type::RESINFO, &[0f32]).map(f32::to_bits)[0] as f32;
    for (at, texel) in [(-0.5, 1.0), (0.0, 1.0), (1.0, width), (1.5, width)] {
        let found = row.first(message_type::SAMPLE_LZ, &[at, 0.5]);
        assert_eq!(found[0], texel, "{at}");
    }
}

#[test]
fn address_modes_apply_per_axis() {
    // Wrapped along one axis, clamped along the others.
    for wrapped in 0..3 {
        for filter in [0, 1] {
            let mode = |axis| (AXES[axis], if axis == wrapped { 0 } else { 2 });
            let set = [mode(0), mode(1), mode(2), (MAG.0, filter)];
            for axis in 0..3 {
                let rig = rig(&VOLUME, &set, |x, y, z| [x, y, z][axis] as f32);
                let mut at = [0.125; 3];
                at[axis] = 1.375;
                let found = rig.first(message_type::SAMPLE_LZ, &at)[0];
                let expected = if axis == wrapped { 1.0 } else { 3.0 };
                assert_eq!(found, expected, "{wrapped} {axis}");
            }
        }
    }
}

#[test]
fn reduction_filters_ignore_zero_weight_texels() {
    let value = |x, y, _| (x + 10 * y) as f32;
    for (code, extreme) in [(2, [11.0, 11.0, 11.0]), (3, [22.0, 12.0, 21.0])] {
        let set = [
            MAG,
            UNNORMALISED,
            (ss::REDUCTION_TYPE_ENABLE, 1),
            (ss::REDUCTION_TYPE, code),
        ];
        let rig = rig(&[], &set, value);
        // Between four texels, two to the side, two below each other; on one.
        for (at, expected) in [[1.75, 1.75], [1.75, 1.5], [1.5, 1.75]]
            .into_iter()
            .zip(extreme)
        {
            assert_eq!(
                rig.first(message_type::SAMPLE_LZ, &at)[0],
                expected,
                "{code} {at:?}"
            );
        }
        assert_eq!(rig.first(message_type::SAMPLE_LZ, &[1.5, 1.5])[0], 11.0);
    }
}

/// Two levels of 4 × 4 and 2 × 2 texels, each of one value.
fn two_levels(surface: Set<'_>, sampler: Set<'_>, values: [f32; 2]) -> Rig {
    let set = [surface, &[(rss::MIP_COUNT_LOD, 1)]].concat();
    let rig = Rig::new(&[&set], &[sampler]);
    for (level, value) in (0..).zip(values) {
        rig.fill(256 * level, [4, 4], |_, _| value);
    }
    rig
}

#[test]
fn mip_linear_filter_blends_two_levels() {
    for filter in [0, 1] {
        let rig = two_levels(&[], &[MIP, (MIN.0, filter)], [8.0, 16.0]);
        for (level, expected) in [
            (0.0, 8.0),
            (0.125, 9.0),
            (0.25, 10.0),
            (0.5, 12.0),
            (1.0, 16.0),
            (5.0, 16.0),
        ] {
            assert_eq!(
                rig.first(message_type::SAMPLE_L, &[level, 0.5, 0.5])[0],
                expected
            );
        }
    }
    for (code, extreme) in [(2, 8.0), (3, 16.0)] {
        let set = [
            MIP,
            (ss::REDUCTION_TYPE_ENABLE, 1),
            (ss::REDUCTION_TYPE, code),
        ];
        for values in [[8.0, 16.0], [16.0, 8.0]] {
            let rig = two_levels(&[], &set, values);
            assert_eq!(
                rig.first(message_type::SAMPLE_L, &[0.25, 0.5, 0.5])[0],
                extreme
            );
            // The second level does not count where the first one is met.
            assert_eq!(
                rig.first(message_type::SAMPLE_L, &[0.0, 0.5, 0.5])[0],
                values[0]
            );
            assert_eq!(
                rig.first(message_type::SAMPLE_L, &[1.0, 0.5, 0.5])[0],
                values[1]
            );
        }
    }
    // Neither do levels that mip filters choose one of, or that a magnified texel has under it.
    let chosen = two_levels(&[], &[(MIP.0, 1)], [8.0, 16.0]);
    assert_eq!(
        chosen.first(message_type::SAMPLE_L, &[0.25, 0.5, 0.5])[0],
        8.0
    );
    let min_lod = [MIP, (ss::MIN_LOD, 0x40)];
    let magnified = two_levels(&[], &min_lod, [8.0, 16.0]);
    assert_eq!(
        magnified.first(message_type::SAMPLE_LZ, &[0.5, 0.5])[0],
        8.0
    );
    assert_eq!(
        magnified.first(message_type::SAMPLE_L, &[0.25, 0.5, 0.5])[0],
        10.0
    );
}

#[test]
fn integers_are_not_filtered() {
    let values = [5u32, 9].map(f32::from_bits);
    let rig = two_levels(&[(rss::SURFACE_FORMAT, R32_UINT)], &[MIP, MIN, MAG], values);
    let found = rig
        .first(message_type::SAMPLE_L, &[0.5, 0.5, 0.5])
        .map(f32::to_bits);
    assert_eq!(found, [5, 0, 0, 1]);
    // The nearest is where the coordinate is, not half a texel before it.
    rig.write(0, &[1, 2, 3, 4]);
    for (u, texel) in [(0.1, 1), (0.2, 1), (0.3, 2), (0.9, 4)] {
        let found = rig.first(message_type::SAMPLE_LZ, &[u, 0.1]);
        assert_eq!(found[0].to_bits(), texel, "{u}");
    }
}

#[test]
fn reduction_filters_of_integer_formats() {
    // Of two that are no numbers as floats, and by sign.
    for (format, code, expected) in [
        (R32_UINT, 2, 7),
        (R32_UINT, 3, 0xffff_fff0),
        (R32_SINT, 2, 0xffff_fff0),
        (R32_SINT, 3, 7),
    ] {
        let set = [
            MIN,
            MAG,
            MIP,
            (ss::REDUCTION_TYPE_ENABLE, 1),
            (ss::REDUCTION_TYPE, code),
        ];
        let format = [(rss::SURFACE_FORMAT, format)];
        let values = [7u32, 0xffff_fff0].map(f32::from_bits);
        let rig = two_levels(&format, &set, values);
        let found = rig.first(message_type::SAMPLE_L, &[0.5, 0.5, 0.5])[0];
        assert_eq!(found.to_bits(), expected, "{format:?} {code}");
        rig.write(0, &[7, 0xffff_fff0, 7, 7]);
        let between = rig.first(message_type::SAMPLE_LZ, &[0.25, 0.125])[0];
        assert_eq!(between.to_bits(), expected, "{format:?} {code}");
        // On a texel the others count nothing.
        let on = rig.first(message_type::SAMPLE_LZ, &[0.125, 0.125])[0];
        assert_eq!(on.to_bits(), 7, "{format:?} {code}");
    }
}

#[test]
fn levels_below_resource_min_lod_return_zero() {
    // A sample goes to the least level; what is gathered is of the first, or of none.
    for (min_lod, found, gather_channel) in [
        (0, 8.0, 8.0),
        (0xff, 8.0, 8.0),
        (0x100, 16.0, 0.0),
        (0x101, 0.0, 0.0),
    ] {
        let rig = two_levels(&[(rss::RESOURCE_MIN_LOD, min_lod)], &[], [8.0, 16.0]);
        assert_eq!(rig.first(message_type::SAMPLE_LZ, &[0.5, 0.5])[0], found);
        assert_eq!(
            rig.first(message_type::GATHER4, &[0.5, 0.5]),
            [gather_channel; 4]
        );
    }
}

#[test]
fn comparison_results_are_filtered() {
    // LESS: texels below the reference count nothing.
    for (shape, parameters, lit) in [
        ([LINE].as_slice(), vec![1.5, 0.5, 0.5, 0.5], 0.5),
        (&[], vec![1.5, 0.5, 0.5, 0.5], 0.5),
        (&VOLUME, vec![1.5, 0.4375, 0.5, 0.5], 0.25),
    ] {
        let rig = rig(shape, &[MAG, (ss::SHADOW_FUNCTION, 2)], |x, _, _| x as f32);
        let found = rig.first(message_type::SAMPLE_C_LZ, &parameters);
        assert_eq!(found, [lit, 0.0, 0.0, 1.0], "{shape:?}");
    }
    // A border is compared, too.
    let set = [modes(4).as_slice(), &[MAG, (ss::SHADOW_FUNCTION, 2)]].concat();
    let rig = rig(&[], &set, |_, _, _| 1.0);
    for (reference, lit) in [(BORDER_RED + 1.0, 0.0), (BORDER_RED, 0.5), (1.0, 1.0)] {
        assert_eq!(
            rig.first(message_type::SAMPLE_C_LZ, &[reference, 0.0, 0.5])[0],
            lit
        );
    }
}

/// A rig with a cube of which each face has one value, by the table's element.
fn cube(sampler: Set<'_>, values: [f32; 6]) -> Rig {
    let array = [CUBE.as_slice(), &[(rss::SURFACE_ARRAY, 1), (rss::DEPTH, 1)]].concat();
    let rig = Rig::new(&[&CUBE, &array], &[sampler]);
    for face in 0..12 {
        // The second cube's values are negative.
        let value = if face < 6 {
            values[face]
        } else {
            -values[face - 6]
        };
        rig.fill(256 * face as u64, [4, 4], |_, _| value);
    }
    rig
}

const FACES: [f32; 6] = [1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0];
/// What makes faces adjoin: the surface's switch, or the address mode.
const SEAMLESS: One = (ss::CUBE_SURFACE_CONTROL_MODE, 1);

#[test]
fn cube_edges_are_seamless_if_the_sampler_enables_it() {
    let adjoin = [vec![MAG, SEAMLESS], [modes(3).as_slice(), &[MAG]].concat()];
    // An eighth of a texel before the edge of +z to +x, 3/8 of the way from a texel to the next.
    let (edge, corner) = ([0.9375, 0.0, 1.0], [1.0, 1.0, 1.0]);
    for set in &adjoin {
        let rig = cube(set, FACES);
        near(
            rig.first(message_type::SAMPLE_LZ, &edge)[0],
            10_000.0 * 0.625 + 0.375,
            "an edge",
        );
        // In the corner of +x, +y and +z each counts a third.
        let third = (1.0 + 100.0 + 10_000.0) / 3.0;
        assert!((rig.first(message_type::SAMPLE_LZ, &corner)[0] - third).abs() < 0.01);
        // A quarter of a texel off it: 9/16 of its own, 3/16 of each neighbour, and a third of 1/16
        // more.
        let off = [0.875, 0.875, 1.0];
        let share = 1.0 / 48.0;
        let [own, other] = [9.0 / 16.0 + share, 3.0 / 16.0 + share];
        let expected = 10_000.0 * own + 101.0 * other;
        assert!((rig.first(message_type::SAMPLE_LZ, &off)[0] - expected).abs() < 0.01);
        // The second cube's faces adjoin each other.
        let ask = Ask::floats(message_type::SAMPLE_LZ, &[edge[0], edge[1], edge[2], 1.0]);
        let found = rig.ask(&Ask { table: 1, ..ask })[0][0];
        near(
            f32::from_bits(found),
            -(10_000.0 * 0.625 + 0.375),
            "the second cube",
        );
    }
    // Otherwise the address mode applies, and by default clamps to the face's last texel.
    let seamed = cube(&[modes(2).as_slice(), &[MAG]].concat(), FACES);
    let bordered = cube(&[modes(4).as_slice(), &[MAG]].concat(), FACES);
    for lane_coordinates in [edge, corner] {
        assert_eq!(
            seamed.first(message_type::SAMPLE_LZ, &lane_coordinates)[0],
            10_000.0
        );
    }
    let expected = 10_000.0 * 0.625 + BORDER_RED * 0.375;
    assert_eq!(bordered.first(message_type::SAMPLE_LZ, &edge)[0], expected);
    // Nearest texels do not leave the face.
    let nearest = cube(&[SEAMLESS, modes(4)[0], modes(4)[1]], FACES);
    assert_eq!(nearest.first(message_type::SAMPLE_LZ, &corner)[0], 10_000.0);
}

#[test]
fn cube_corners_are_compared_before_averaging() {
    // GREATER counts nothing: +y and +z are.
    let rig = cube(&[MAG, SEAMLESS, (ss::SHADOW_FUNCTION, 5)], FACES);
    let found = rig.first(message_type::SAMPLE_C_LZ, &[50.0, 1.0, 1.0, 1.0])[0];
    near(found, 1.0 / 3.0, "one of three");
}

#[test]
fn gather4_at_a_cube_corner_averages_three_texels() {
    let rig = cube(&[SEAMLESS], FACES);
    // Lower left is +z itself, lower right +x, upper left +y.
    let found = rig.first(message_type::GATHER4, &[1.0, 1.0, 1.0]);
    assert_eq!([found[0], found[1], found[3]], [10_000.0, 1.0, 100.0]);
    assert!((found[2] - 10_101.0 / 3.0).abs() < 0.01, "{found:?}");
    // Of integers it is one of them.
    let set = [CUBE.as_slice(), &[(rss::SURFACE_FORMAT, R32_UINT)]].concat();
    let rig = Rig::new(&[&set], &[&[SEAMLESS]]);
    for face in 0..6u32 {
        rig.fill(256 * u64::from(face), [4, 4], |_, _| {
            f32::from_bits(face + 10)
        });
    }
    let found = rig
        .first(message_type::GATHER4, &[1.0, 1.0, 1.0])
        .map(f32::to_bits);
    assert_eq!([found[0], found[1], found[3]], [14, 10, 12]);
    assert!([10, 12, 14].contains(&found[2]), "{found:?}");
}

#[test]
fn anisotropic_samples_are_evenly_spaced_on_either_axis() {
    let aniso =
        |more: &[One]| [&[(MIN.0, 2), (MAG.0, 2), (ss::MAXIMUM_ANISOTROPY, 1)], more].concat();
    // 3 texels along one axis by 1 along the other: looks at -1/4, 0 and 1/4 of it.
    for (axis, gradients) in [
        (0, [0.375, 0.75, 0.0, 0.375, 0.0, 0.25]),
        (1, [0.375, 0.25, 0.0, 0.375, 0.0, 0.75]),
        (1, [0.375, 0.0, 0.25, 0.375, 0.75, 0.0]),
    ] {
        let square = |x: u32, y: u32, _| ([x, y][axis] * [x, y][axis]) as f32;
        // Texel 1 exactly, and 3/4 of a texel to either side: 1, 1/4, and 3 · 3/4 + 1/4.
        let found = rig(&[], &aniso(&[]), square).first(message_type::SAMPLE_D, &gradients)[0];
        near(found, (1.0 + 0.25 + 3.25) / 3.0, &format!("{gradients:?}"));
        for (code, extreme) in [(2, 0.0), (3, 4.0)] {
            let set = aniso(&[(ss::REDUCTION_TYPE_ENABLE, 1), (ss::REDUCTION_TYPE, code)]);
            let found = rig(&[], &set, square).first(message_type::SAMPLE_D, &gradients)[0];
            assert_eq!(found, extreme, "{gradients:?}");
        }
    }
    // 2 texels by 1, around the middle of texel 1: a third of a texel to either side.
    let two = [0.375, 0.5, 0.0, 0.375, 0.0, 0.25];
    let square = rig(&[], &aniso(&[]), |x, _, _| (x * x) as f32);
    let found = square.first(message_type::SAMPLE_D, &two)[0];
    assert!((found - (2.0 / 3.0 + 2.0) / 2.0).abs() < 0.02, "{found}");
    // The other filter of the two looks once.
    let set = [(MIN.0, 2), (MAG.0, 0), (ss::MAXIMUM_ANISOTROPY, 1)];
    let rig = rig(&[], &set, |x, _, _| x as f32 * x as f32);
    let small = [0.475, 0.1875, 0.0, 0.375, 0.0, 0.0625];
    assert_eq!(rig.first(message_type::SAMPLE_D, &small)[0], 1.0);
}
