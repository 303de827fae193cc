//! The fast path returns the same as the general path, which a message with a bias of zero takes.

use crate::sampler::request::message_type;
use crate::sampler::rig::{Ask, R32_FLOAT, Rig};
use hw::Field;
use hw::state::{render_surface_state as rss, sampler_state as ss};

/// The next number of a sequence without an order, below `end`.
fn random(seed: &mut u64, end: u64) -> u64 {
    *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
    (*seed >> 33) % end
}

#[test]
fn fast_path_samples_match_the_filter() {
    const RGBA8: u64 = 0x0c7;
    const SRGB8: u64 = 0x0c8;
    const BGRA8: u64 = 0x0c0;
    let mut seed = 1;
    let mut compared = 0;
    for round in 0..600 {
        let mut pick = |end| random(&mut seed, end);
        let formats = [RGBA8, SRGB8, BGRA8, R32_FLOAT];
        let surface: Vec<(Field, u64)> = vec![
            (rss::SURFACE_FORMAT, formats[pick(4) as usize]),
            (rss::WIDTH, 15 - pick(4)),
            (rss::HEIGHT, 15 - pick(4)),
            (rss::MIP_COUNT_LOD, pick(3)),
            (rss::SHADER_CHANNEL_SELECT_RED, 4 + pick(4)),
            (rss::SURFACE_MIN_LOD, pick(2)),
            (rss::SURFACE_ARRAY, pick(2)),
            (rss::DEPTH, 1),
            (rss::SURFACE_QPITCH, 32 / 4),
        ];
        // Of the filters the last is of several samples, of the modes of an axis the last but one
        // has a border.
        let sampler: Vec<(Field, u64)> = vec![
            (ss::MIN_MODE_FILTER, pick(3)),
            (ss::MAG_MODE_FILTER, pick(3)),
            (ss::MIP_MODE_FILTER, [0, 1, 3][pick(3) as usize]),
            (
                ss::TCX_ADDRESS_CONTROL_MODE,
                [0, 1, 2, 4, 5, 6][pick(6) as usize],
            ),
            (
                ss::TCY_ADDRESS_CONTROL_MODE,
                [0, 1, 2, 4, 5][pick(5) as usize],
            ),
            (
                ss::NON_NORMALIZED_COORDINATE_ENABLE,
                u64::from(pick(8) == 0),
            ),
            (ss::U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, pick(2)),
            (ss::U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, pick(2)),
            (ss::V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, pick(2)),
            (ss::V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, pick(2)),
        ];
        let far = if sampler[5].1 == 1 { 16.0 } else { 1.0 };
        let rig = Rig::new(&[&surface], &[&sampler]);
        let words: Vec<u32> = (0..1024).map(|_| pick(1 << 30) as u32).collect();
        rig.write(0, &words);
        let step = [0.0, 1e-3, 0.02, 0.1, 0.7][pick(5) as usize] * far;
        let mut axis = |near: [f32; 4]| -> Vec<f32> {
            let mut all = Vec::new();
            for _ in 0..2 {
                let start = (pick(4096) as f32 / 1024.0 - 1.5) * far;
                all.extend(near.map(|n| start + n * step));
            }
            all
        };
        let mut u = axis([0.0, 1.0, 0.1, 1.1]);
        let v = axis([0.0, -0.2, 0.8, 0.6]);
        if round % 50 == 0 {
            u[3] = f32::NAN;
            u[5] = f32::INFINITY;
        }
        let element = [0.0, 0.4, 0.6, 7.0][pick(4) as usize];
        let lanes = [0xff, 0xff, 0xa7][pick(3) as usize];
        let ask = |kind, parameters: &[&[f32]]| {
            rig.ask(&Ask {
                lanes,
                ..Ask::each(kind, parameters)
            })
        };
        let plain = ask(message_type::SAMPLE, &[&u, &v, &[element]]);
        let biased = ask(message_type::SAMPLE_B, &[&[0.0], &u, &v, &[element]]);
        assert_eq!(
            plain, biased,
            "round {round}: {surface:?} {sampler:?} {u:?} {v:?}"
        );
        compared += plain.len();
    }
    assert_eq!(compared, 4800);
}
