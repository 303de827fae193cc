//! Levels of detail: each number worked out by the PRM's pseudocode.
//!
//! Ref: SKL PRM vol. 7, "LOD Computation Pseudocode".

use crate::sampler::lod::{Gradients, LevelSelection, LodSource, constant_selection, select};
use crate::sampler::rig::{Set, image, sampler};
use crate::sampler::state::Filter;
use hw::state::{render_surface_state as rss, sampler_state as ss};

/// Five levels of 64 × 64 texels, a sampler, and the message's minimum LOD.
fn selected(
    set: Set<'_>,
    of: Set<'_>,
    by: &Gradients,
    from: LodSource,
    min_lod: f32,
) -> LevelSelection {
    let levels = [(rss::WIDTH, 63), (rss::HEIGHT, 63), (rss::MIP_COUNT_LOD, 4)];
    let image = image(&[levels.as_slice(), of].concat());
    select(&sampler(set), &image, by, from, min_lod)
}

const STILL: Gradients = [[0.0; 3]; 2];
const NONE: (hw::Field, u64) = (ss::MIP_MODE_FILTER, 0);
const NEAREST: (hw::Field, u64) = (ss::MIP_MODE_FILTER, 1);
const LINEAR: (hw::Field, u64) = (ss::MIP_MODE_FILTER, 3);
/// LOD PreClamp Mode of OpenGL.
const PRECLAMP: (hw::Field, u64) = (ss::LOD_PRECLAMP_MODE, 2);

/// Whole levels and 256ths as the states have them.
const fn fixed(whole: u64, part: u64) -> u64 {
    whole << 8 | part
}

#[test]
fn lod_is_clamped_rounded_and_split() {
    let (min, max) = (ss::MIN_LOD, ss::MAX_LOD);
    let (resource, base) = (rss::RESOURCE_MIN_LOD, rss::BASE_MIP_LEVEL);
    let step = 1.0 / 256.0;
    // Sampler, surface, the message's level; the level, the part of the next one, and whether it is
    // magnified.
    type Case<'c> = (Set<'c>, Set<'c>, f32, u32, f32, bool);
    let cases: &[Case<'_>] = &[
        (&[LINEAR], &[], 1.25, 1, 0.25, false),
        (&[LINEAR], &[], 0.0, 0, 0.0, true),
        (&[LINEAR], &[], -3.0, 0, 0.0, true),
        (&[LINEAR], &[], step, 0, step, false),
        // Eight bits of fraction, to nearest even.
        (&[LINEAR], &[], 1.25 + step / 4.0, 1, 0.25, false),
        (&[LINEAR], &[], step / 2.0, 0, 0.0, true),
        (&[LINEAR], &[], step * 1.5, 0, step * 2.0, false),
        (&[LINEAR], &[], step * 2.5, 0, step * 2.0, false),
        // There are levels 0 to 4.
        (&[LINEAR], &[], 7.0, 4, 0.0, false),
        (&[LINEAR], &[], 3.75, 3, 0.75, false),
        (&[LINEAR], &[(rss::MIP_COUNT_LOD, 0)], 3.75, 0, 0.0, false),
        (&[NEAREST], &[], 7.0, 4, 0.0, false),
        (&[NEAREST], &[], 1.5, 2, 0.0, false),
        (&[NEAREST], &[], 1.5 - step, 1, 0.0, false),
        (&[NEAREST], &[], 0.25, 0, 0.0, false),
        (&[NONE], &[], 3.0, 0, 0.0, false),
        (&[NONE], &[], -1.0, 0, 0.0, true),
        // Max LOD: as it is between levels, rounded up to choose one.
        (&[LINEAR, (max, fixed(2, 128))], &[], 3.0, 2, 0.5, false),
        (&[NEAREST, (max, fixed(2, 64))], &[], 3.5, 3, 0.0, false),
        (&[NEAREST, (max, fixed(2, 0))], &[], 3.5, 2, 0.0, false),
        // Min LOD: rounded down to choose one.
        (&[LINEAR, (min, fixed(1, 128))], &[], 0.25, 1, 0.5, false),
        (&[NEAREST, (min, fixed(1, 192))], &[], 0.25, 1, 0.0, false),
        (&[NONE, (min, fixed(1, 192))], &[], 3.0, 1, 0.0, false),
        (&[LINEAR, (min, fixed(1, 192))], &[], -1.0, 1, 0.0, true),
        (&[LINEAR, (min, fixed(6, 0))], &[], 1.0, 4, 0.0, false),
        // A minimum above the maximum takes precedence.
        (
            &[LINEAR, (min, fixed(3, 0)), (max, fixed(1, 0))],
            &[],
            2.0,
            3,
            0.0,
            false,
        ),
        (
            &[NEAREST, (min, fixed(3, 0)), (max, fixed(1, 0))],
            &[],
            2.0,
            3,
            0.0,
            false,
        ),
        // Resource Min LOD is a second minimum, which the last level does not limit.
        (&[LINEAR], &[(resource, fixed(2, 64))], 1.0, 2, 0.25, false),
        (
            &[LINEAR, (min, fixed(3, 0))],
            &[(resource, fixed(2, 64))],
            1.0,
            3,
            0.0,
            false,
        ),
        (&[NONE], &[(resource, fixed(2, 64))], 1.0, 2, 0.0, false),
        // Base Mip Level is U4.1, in half levels.
        (&[LINEAR], &[(base, 2)], 1.0, 0, 0.0, true),
        (&[LINEAR], &[(base, 2)], 1.25, 1, 0.25, false),
        (&[LINEAR], &[(base, 1)], 0.5, 0, 0.0, true),
        (&[LINEAR], &[(base, 1)], 0.75, 0, 0.75, false),
        // Clamping first may turn minification into magnification, and the other way round.
        (&[LINEAR, (max, 0)], &[], 2.0, 0, 0.0, false),
        (&[LINEAR, (max, 0), PRECLAMP], &[], 2.0, 0, 0.0, true),
        (
            &[LINEAR, (min, fixed(1, 128)), PRECLAMP],
            &[],
            -1.0,
            1,
            0.5,
            false,
        ),
        (
            &[LINEAR, (min, fixed(3, 0)), (max, fixed(1, 0)), PRECLAMP],
            &[],
            2.0,
            3,
            0.0,
            false,
        ),
    ];
    for (i, (set, of, lod, level, beta, magnified)) in cases.iter().enumerate() {
        let found = selected(set, of, &STILL, LodSource::Explicit { lod: *lod }, 0.0);
        let expected = ([*level, level + 1], *beta, *magnified);
        assert_eq!(
            (found.levels, found.beta, found.magnified),
            expected,
            "case {i}"
        );
        // The result of the `LOD` message.
        assert_eq!(found.clamped, *level as f32 + beta, "case {i}");
        assert_eq!(found.unclamped, *lod, "case {i}");
        assert!(!found.is_empty, "case {i}");
    }
}

#[test]
fn message_min_lod_clamps_the_level() {
    let given = |lod| LodSource::Explicit { lod };
    let found = selected(&[LINEAR], &[], &STILL, given(0.5), 1.75);
    assert_eq!((found.levels[0], found.beta), (1, 0.75));
    let set = [LINEAR, (ss::MIN_LOD, fixed(2, 0))];
    assert_eq!(selected(&set, &[], &STILL, given(0.5), 1.75).levels[0], 2);
    let found = selected(&[LINEAR, PRECLAMP], &[], &STILL, given(-1.0), 1.75);
    assert_eq!((found.levels[0], found.magnified), (1, false));
    assert_eq!(
        selected(&[LINEAR], &[], &STILL, given(0.0), 9.0).levels[0],
        4
    );
}

#[test]
fn resource_min_lod_may_exceed_the_level_count() {
    for (resource, is_empty) in [(0, false), (fixed(4, 0), false), (fixed(4, 1), true)] {
        let of = [(rss::RESOURCE_MIN_LOD, resource)];
        let found = selected(&[LINEAR], &of, &STILL, LodSource::Zero, 0.0);
        assert_eq!(found.is_empty, is_empty, "{resource:#x}");
    }
}

#[test]
fn resource_min_lod_is_relative_to_the_first_level() {
    // AdjPR_minLOD = ResMinLod - SurfMinLod: here of a view of levels 1 to 5.
    let step = 1.0 / 256.0;
    for (resource, level, beta, is_empty) in [
        (fixed(0, 0), 0, step, false),
        (fixed(1, 0), 0, step, false),
        (fixed(2, 64), 1, 0.25, false),
        (fixed(5, 0), 4, 0.0, false),
        (fixed(5, 1), 4, step, true),
    ] {
        let of = [(rss::RESOURCE_MIN_LOD, resource), (rss::SURFACE_MIN_LOD, 1)];
        let given = LodSource::Explicit { lod: step };
        let found = selected(&[LINEAR], &of, &STILL, given, 0.0);
        let found = (found.levels[0], found.beta, found.is_empty);
        assert_eq!(found, (level, beta, is_empty), "{resource:#x}");
    }
}

#[test]
fn lod_selects_min_or_mag_filter() {
    let set = [LINEAR, (ss::MIN_MODE_FILTER, 1)];
    for (lod, filter) in [(0.0, Filter::Nearest), (0.5, Filter::Linear)] {
        let found = selected(&set, &[], &STILL, LodSource::Explicit { lod }, 0.0);
        assert_eq!(found.filter, filter, "{lod}");
    }
}

#[test]
fn lod_uses_the_longer_gradient_and_biases() {
    let computed = |bias| LodSource::Computed { bias };
    // log2 of the length, in 256ths.
    let cases = [
        ([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]], 1.0),
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 4.0]], 2.0),
        // 5, 7, 3: 2.3219, 2.8074, 1.585.
        ([[1.0, 0.0, 0.0], [3.0, 4.0, 0.0]], 594.0 / 256.0),
        ([[2.0, -3.0, 6.0], [1.0, 1.0, 1.0]], 719.0 / 256.0),
        ([[1.0, 2.0, -2.0], [0.0, 0.0, 0.0]], 406.0 / 256.0),
    ];
    for (by, level) in cases {
        let found = selected(&[LINEAR], &[], &by, computed(0.0), 0.0);
        assert_eq!(found.clamped, level, "{by:?}");
        assert_eq!((found.samples, found.axis), (1, [0.0; 3]), "{by:?}");
    }
    // The sampler's bias of 1/2 is added to what is given as well, but not to level 0.
    let set = [LINEAR, (ss::TEXTURE_LOD_BIAS, 128)];
    let by = cases[0].0;
    for (source, level) in [
        (computed(0.25), 1.75),
        (computed(-1.0), 0.5),
        (LodSource::Explicit { lod: 1.0 }, 1.5),
        (LodSource::Zero, 0.0),
    ] {
        let found = selected(&set, &[], &by, source, 0.0);
        assert_eq!([found.clamped, found.unclamped], [level; 2], "{source:?}");
    }
    // Zero gradients and NaN select the minimum level.
    for by in [STILL, [[f64::NAN; 3]; 2]] {
        let found = selected(&[LINEAR], &[], &by, computed(0.0), 0.0);
        assert_eq!((found.clamped, found.magnified), (0.0, true), "{by:?}");
    }
    let found = selected(
        &[LINEAR],
        &[],
        &STILL,
        LodSource::Explicit { lod: f32::NAN },
        0.0,
    );
    assert_eq!((found.clamped, found.magnified), (0.0, true));
}

#[test]
fn anisotropic_sample_count_follows_the_axis_ratio() {
    let (min, mag) = (ss::MIN_MODE_FILTER, ss::MAG_MODE_FILTER);
    let along = |a: f64, b: f64| [[a, 0.0, 0.0], [0.0, b, 0.0]];
    // Maximum Anisotropy; changes; samples, the level, which change is the axis.
    let cases = [
        (1, along(8.0, 2.0), 4, 1.0, 0),
        (1, along(2.0, 8.0), 4, 1.0, 1),
        (1, along(32.0, 2.0), 4, 3.0, 0),
        (0, along(8.0, 2.0), 2, 2.0, 0),
        (7, along(32.0, 2.0), 16, 1.0, 0),
        (3, along(32.0, 0.0), 8, 2.0, 0),
        (1, along(0.2, 0.05), 4, 0.0, 0),
        // 2.5 are 3 samples: log2(7.5 / 3) = 1.3219.
        (1, along(7.5, 3.0), 3, 338.0 / 256.0, 0),
    ];
    for (max_anisotropy, by, samples, level, major) in cases {
        for set in [[(min, 2), (mag, 0)], [(min, 0), (mag, 2)]] {
            let more = [LINEAR, (ss::MAXIMUM_ANISOTROPY, max_anisotropy)];
            let set = [set, more].concat();
            let found = selected(&set, &[], &by, LodSource::Computed { bias: 0.0 }, 0.0);
            let expected = (samples, by[major], level);
            assert_eq!(
                (found.samples, found.axis, found.clamped),
                expected,
                "{by:?}"
            );
        }
    }
    // One sample: as long as each other; no change; a volume; a level that is given; other filters.
    let (aniso, volume) = ([LINEAR, (min, 2), (mag, 2)], [(rss::SURFACE_TYPE, 2)]);
    let computed = LodSource::Computed { bias: 0.0 };
    let long = along(8.0, 1.0);
    let cases: [(Set<'_>, Set<'_>, Gradients, LodSource); 5] = [
        (&aniso, &[], along(4.0, 4.0), computed),
        (&aniso, &[], STILL, computed),
        (&aniso, &volume, long, computed),
        (&aniso, &[], long, LodSource::Explicit { lod: 1.0 }),
        (&[LINEAR, (min, 1), (mag, 1)], &[], long, computed),
    ];
    for (set, of, by, source) in cases {
        let found = selected(set, of, &by, source, 0.0);
        assert_eq!(
            (found.samples, found.axis),
            (1, [0.0; 3]),
            "{source:?} {by:?}"
        );
    }
}

#[test]
fn level_selection_is_constant_if_gradients_have_no_effect() {
    let linear_mag = (ss::MAG_MODE_FILTER, 1);
    let rounded = (ss::U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, 1);
    let anisotropic = [(ss::MIN_MODE_FILTER, 2), (ss::MAG_MODE_FILTER, 2)];
    let one = (rss::MIP_COUNT_LOD, 0);
    let cases: &[(Set<'_>, Set<'_>, Option<u32>)] = &[
        (&[NEAREST], &[one], Some(0)),
        (&[LINEAR], &[one], Some(0)),
        (&[NONE], &[], Some(0)),
        (&[NEAREST], &[], None),
        (&[LINEAR], &[], None),
        // Both ends are clamped to one level, or to a place between two.
        (
            &[
                NEAREST,
                (ss::MIN_LOD, fixed(2, 0)),
                (ss::MAX_LOD, fixed(2, 0)),
            ],
            &[],
            Some(2),
        ),
        (&[NEAREST, (ss::MAX_LOD, fixed(1, 0))], &[], None),
        // Magnified and not are two things.
        (&[NEAREST, linear_mag], &[one], None),
        (&[NEAREST, rounded], &[one], None),
        (&anisotropic, &[one], None),
    ];
    for (number, (set, of, expected)) in cases.iter().enumerate() {
        let levels = [(rss::WIDTH, 63), (rss::HEIGHT, 63), (rss::MIP_COUNT_LOD, 4)];
        let image = image(&[levels.as_slice(), of].concat());
        let found = constant_selection(&sampler(set), &image);
        assert_eq!(found.map(|found| found.levels[0]), *expected, "{number}");
    }
}
