//! Aliased lines against the diamond-exit rule, pixel by pixel.
//!
//! Ref: SKL PRM vol. 7, "Zero-Width (Cosmetic) Line Rasterization": a pixel is drawn where the line
//!      meets the diamond of its centre and does not end in it. The lower edges and the bottom
//!      corner are the diamond's, and of lines that are steeper than one the right corner.

use crate::draw::object::*;
use crate::draw::raster::polygon::tests::random;
use crate::draw::raster::rasterise::tests::{
    STANDARD_4X, cover, line, object, single_sampled, state,
};
use crate::draw::raster::rasterise::*;
use crate::draw::raster::state::*;

/// Whether the point `n / d` of the way from `a` to `b` is in the diamond of a pixel. All in
/// 256ths.
fn is_in(a: (i64, i64), b: (i64, i64), (n, d): (i64, i64), pixel: (i64, i64)) -> bool {
    let steep = (b.1 - a.1).abs() > (b.0 - a.0).abs();
    let x = (a.0 - pixel.0 * 256 - 128) * d + (b.0 - a.0) * n;
    let y = (a.1 - pixel.1 * 256 - 128) * d + (b.1 - a.1) * n;
    let (distance, edge) = (x.abs() + y.abs(), 128 * d);
    // Of the edge: the lower sides without their left and right corners; the right corner of steep
    // lines.
    let lower = y > 0;
    let right = y == 0 && x > 0;
    distance < edge || distance == edge && (lower || right && steep)
}

/// Whether a line draws a pixel: somewhere before its end it is in the diamond, and at its end it
/// is not.
fn draws(a: (i64, i64), b: (i64, i64), pixel: (i64, i64)) -> bool {
    // Where it crosses the four straight lines of the diamond's sides, and half way between two
    // crossings.
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (x, y) = (pixel.0 * 256 + 128 - a.0, pixel.1 * 256 + 128 - a.1);
    let mut at = vec![(0, 1)];
    for (along, across) in [(dx + dy, x + y), (dx - dy, x - y)] {
        for side in [-128, 128] {
            let (n, d) = ((across + side) * along.signum(), along.abs());
            if d != 0 && n > 0 && n < d {
                at.push((n, d));
            }
        }
    }
    at.push((1, 1));
    at.sort_by_key(|(n, d)| n * (1 << 40) / d);
    let halves: Vec<_> = at
        .windows(2)
        .map(|w| (w[0].0 * w[1].1 + w[1].0 * w[0].1, 2 * w[0].1 * w[1].1))
        .collect();
    let before = at.iter().chain(&halves).filter(|(n, d)| n < d);
    before.into_iter().any(|t| is_in(a, b, *t, pixel)) && !is_in(a, b, (1, 1), pixel)
}

fn pixel_place(grid_point: (i64, i64)) -> (f32, f32) {
    (grid_point.0 as f32 / 256.0, grid_point.1 as f32 / 256.0)
}

#[test]
fn diamond_exit_rule() {
    let mut random = random(5);
    let state = single_sampled();
    for round in 0..600 {
        // Ends on halves, quarters and 256ths of pixels; the first two meet corners and sides of
        // diamonds.
        let step = [128, 64, 1][round % 3];
        let mut end = || {
            (
                random(11 * 256) / step * step + 512,
                random(11 * 256) / step * step + 512,
            )
        };
        let (a, b) = (end(), end());
        let mut expected = Vec::new();
        for y in 0..15 {
            for x in 0..15 {
                if a != b && draws(a, b, (x, y)) {
                    expected.push((y as u32, x as u32));
                }
            }
        }
        let found = line(pixel_place(a), pixel_place(b), &state);
        assert_eq!(found, expected, "round {round}: {a:?} to {b:?}");
    }
}

#[test]
fn diamond_exit_rule_for_ends_on_diamond_edges() {
    let state = single_sampled();
    let (x, y) = (6 * 256 + 128, 7 * 256 + 128);
    // All around the diamond of pixel (6, 7), a little within it and a little without.
    for by in [0, 1, 2, 64, 127, 128] {
        for (right, down) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            for hair in [-1, 0, 1] {
                let end = (x + right * (128 - by + hair), y + down * by);
                // Near places, and far ones in all directions.
                for (dx, dy) in [
                    (1, 0),
                    (0, 1),
                    (1, 1),
                    (1, -1),
                    (300, 300),
                    (-300, 300),
                    (700, 150),
                    (-700, -150),
                    (150, 700),
                    (-150, -700),
                    (520, 0),
                    (0, 520),
                ] {
                    let other = (end.0 + dx, end.1 + dy);
                    for (a, b) in [(end, other), (other, end)] {
                        let mut expected = Vec::new();
                        for (y, x) in (0..16).flat_map(|y| (0..16).map(move |x| (y, x))) {
                            if draws(a, b, (x, y)) {
                                expected.push((y as u32, x as u32));
                            }
                        }
                        let found = line(pixel_place(a), pixel_place(b), &state);
                        assert_eq!(found, expected, "{a:?} to {b:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn lines_do_not_share_subspans() {
    // Drawn twice into one list.
    for width in [1, 3] {
        let state = state(&STANDARD_4X, Lines::Aliased { width });
        let ends = [(1.5, 2.5), (6.5, 4.5), (6.5, 4.5)];
        let mut cover = ObjectCoverage::default();
        rasterise(&state, &object(Kind::Line, ends), &mut cover);
        let first = cover.subspans.clone();
        rasterise(&state, &object(Kind::Line, ends), &mut cover);
        let out = cover.subspans;
        assert_eq!(out[first.len()..], first, "width {width}");
        // Pixels have all their samples; inner coverage is not requested.
        let masks = out.iter().flat_map(|s| s.samples);
        assert!(
            masks.into_iter().all(|mask| mask == 0 || mask == 15),
            "width {width}"
        );
        assert!(out.iter().all(|s| s.inner == 0), "width {width}");
    }
}

#[test]
fn wide_lines_widen_to_both_sides() {
    // Odd widths: as many above as below. Ends in all directions.
    for (a, b) in [
        ((10.5, 10.5), (25.5, 14.5)),
        ((25.5, 14.5), (10.5, 10.5)),
        ((12.25, 30.75), (18.5, 9.5)),
        ((12.5, 9.5), (5.25, 28.0)),
        ((4.0, 7.0), (30.0, 7.0)),
    ] {
        let thin = line(a, b, &single_sampled());
        let steep = (f32::abs(b.1 - a.1)) > f32::abs(b.0 - a.0);
        for width in [3, 5, 13, 41] {
            let wide = state(&[(128, 128)], Lines::Aliased { width });
            let half = (width / 2) as i32;
            let mut expected: Vec<(u32, u32)> = thin
                .iter()
                .flat_map(|(y, x)| {
                    (-half..=half).map(move |by| match steep {
                        true => (*y, x.wrapping_add_signed(by)),
                        false => (y.wrapping_add_signed(by), *x),
                    })
                })
                .collect();
            expected.sort_unstable();
            expected.retain(|(y, x)| *y < 64 && *x < 64);
            assert_eq!(line(a, b, &wide), expected, "{a:?} to {b:?}, width {width}");
        }
    }
    // Even ones begin (width - 1) / 2 of a pixel before; between two rows the one before is meant.
    for (width, y, rows) in [
        (2, 10.5, 9..11),
        (2, 10.75, 10..12),
        (2, 10.25, 9..11),
        (4, 10.5, 8..12),
        (4, 11.0, 9..13),
    ] {
        let wide = state(&[(128, 128)], Lines::Aliased { width });
        let found = line((3.5, y), (5.5, y), &wide);
        let expected: Vec<(u32, u32)> = rows.flat_map(|row| [(row, 3), (row, 4)]).collect();
        assert_eq!(found, expected, "width {width} at {y}");
        let turned = line((y, 3.5), (y, 5.5), &wide);
        let mut expected: Vec<_> = expected.into_iter().map(|(y, x)| (x, y)).collect();
        expected.sort_unstable();
        assert_eq!(turned, expected, "width {width} at {y}, steep");
    }
}

#[test]
fn lines_are_clipped_to_bounds() {
    for width in [1, 4] {
        for (a, b) in [
            ((1.5, 2.5), (40.5, 30.5)),
            ((40.5, 3.5), (1.5, 33.5)),
            ((5.5, 1.5), (20.5, 40.5)),
            ((20.5, 40.5), (5.5, 1.5)),
            ((20.5, 1.5), (9.5, 40.5)),
        ] {
            let mut state = state(&[(128, 128)], Lines::Aliased { width });
            let whole = line(a, b, &state);
            for bounds in [
                (9, 8, 17, 16),
                (8, 9, 16, 17),
                (0, 0, 12, 63),
                (12, 0, 63, 63),
                (0, 0, 63, 11),
                (0, 11, 63, 63),
            ] {
                let (x0, y0, x1, y1) = bounds;
                state.bounds[0] = Bounds { x0, y0, x1, y1 };
                let within =
                    |v: u32, low: i64, high: i64| i64::from(v) >= low && i64::from(v) <= high;
                let mut expected = whole.clone();
                expected.retain(|(y, x)| within(*x, x0, x1) && within(*y, y0, y1));
                assert_eq!(
                    line(a, b, &state),
                    expected,
                    "{a:?} to {b:?}, width {width}, {bounds:?}"
                );
            }
        }
    }
}

/// Columns of a level line from `from` to `to` that a pattern draws; `continues` a line before.
fn stippled(state: &RasterState, from: (f32, f32), to: (f32, f32), continues: bool) -> Vec<u32> {
    let mut setup = object(Kind::Line, [from, to, to]);
    setup.continues = continues;
    let mut columns: Vec<u32> = cover(state, &setup).into_keys().map(|(_, x)| x).collect();
    columns.sort_unstable();
    columns
}

#[test]
fn stipple_repeat_count_of_pixels_per_bit() {
    for (pattern, repeat) in [(0xa5c3, 1), (0xa5c3, 2), (0x8001, 3), (0xffff, 1), (0, 1)] {
        let has = |pixel: u32| pattern >> (pixel / repeat % 16) & 1 == 1;
        let mut state = single_sampled();
        state.stipple = Some(Stipple {
            pattern,
            repeat,
            passed: Default::default(),
        });
        let y = 5.5;
        let all = |pixels: &dyn Fn(u32) -> Option<u32>| -> Vec<u32> {
            (0..64).filter(|x| pixels(*x).is_some_and(has)).collect()
        };
        let name = format!("pattern {pattern:#x}, repeat {repeat}");
        // From column 2 to 59, forwards and backwards. A line that does not continue begins anew.
        for _ in 0..2 {
            let found = stippled(&state, (2.5, y), (60.5, y), false);
            assert_eq!(
                found,
                all(&|x| (2..60).contains(&x).then(|| x - 2)),
                "{name}"
            );
        }
        let found = stippled(&state, (60.5, y), (2.5, y), false);
        assert_eq!(
            found,
            all(&|x| (3..=60).contains(&x).then(|| 60 - x)),
            "{name}"
        );
        // On from 58 pixels; the bounds do not matter to the count.
        state.bounds[0] = Bounds {
            x0: 10,
            y0: 0,
            x1: 20,
            y1: 63,
        };
        let found = stippled(&state, (2.5, y), (30.5, y), true);
        assert_eq!(
            found,
            all(&|x| (10..=20).contains(&x).then(|| x - 2 + 58)),
            "{name}"
        );
        let found = stippled(&state, (30.5, y), (2.5, y), true);
        assert_eq!(
            found,
            all(&|x| (10..=20).contains(&x).then(|| 30 - x + 58 + 28)),
            "{name}"
        );
        state.bounds[0] = Bounds {
            x0: 0,
            y0: 0,
            x1: 63,
            y1: 63,
        };
        let found = stippled(&state, (30.5, y), (40.5, y), true);
        assert_eq!(
            found,
            all(&|x| (30..40).contains(&x).then(|| x - 30 + 58 + 56)),
            "{name}"
        );
    }
}

#[test]
fn stipple_counter_advances_per_drawn_pixel() {
    let stippled_from = |from: (f32, f32), to: (f32, f32), passed: &mut Vec<u32>| {
        let mut state = single_sampled();
        state.stipple = Some(Stipple {
            pattern: 0b0000_1111_0101_0011,
            repeat: 1,
            passed: Default::default(),
        });
        let found = stippled(&state, from, to, false);
        passed.push(state.stipple.map_or(0, |s| s.passed.get()));
        found
    };
    let has = |pixel: u32| 0b0000_1111_0101_0011 >> (pixel % 16) & 1 == 1;
    // By where the ends lie in their columns: beyond the diamond there, or in it. The line falls by
    // next to nothing.
    let mut counts = Vec::new();
    for (from, to, columns) in [
        ((2.5, 5.5), (9.5, 5.5), 2..9u32),
        // It begins beyond the first column's diamond, and ends before the last one's.
        ((2.875, 5.75), (9.5, 5.75), 3..9),
        ((2.5, 5.75), (9.0, 5.75), 2..9),
        ((2.875, 5.75), (9.0, 5.75), 3..9),
        // It passes the last column's.
        ((2.5, 5.75), (9.875, 5.75), 2..10),
        // In one column alone.
        ((4.0, 5.5), (4.9375, 5.75), 4..5),
        ((4.25, 5.5), (4.75, 5.5), 4..4),
    ] {
        let found = stippled_from(from, to, &mut counts);
        let expected: Vec<u32> = columns.clone().filter(|x| has(x - columns.start)).collect();
        assert_eq!(found, expected, "{from:?} to {to:?}");
        assert_eq!(
            counts.last(),
            Some(&(columns.len() as u32)),
            "{from:?} to {to:?}"
        );
    }
    // The same backwards.
    for (from, to, columns) in [
        ((9.5, 5.5), (2.5, 5.5), 3..10u32),
        ((9.125, 5.75), (2.5, 5.75), 3..9),
        ((9.5, 5.75), (2.875, 5.75), 3..10),
        ((9.125, 5.75), (2.875, 5.75), 3..9),
        ((9.5, 5.75), (2.125, 5.75), 2..10),
    ] {
        let found = stippled_from(from, to, &mut counts);
        let expected: Vec<u32> = columns
            .clone()
            .filter(|x| has(columns.end - 1 - x))
            .collect();
        assert_eq!(found, expected, "{from:?} to {to:?}");
        assert_eq!(
            counts.last(),
            Some(&(columns.len() as u32)),
            "{from:?} to {to:?}"
        );
    }
}

#[test]
fn split_line_draws_the_pixels_of_the_whole() {
    let mut random = random(11);
    for round in 0..400 {
        // Steps from an end on, some of which meet corners and sides of diamonds; the parts meet
        // after one of them.
        let step = [128, 64, 32, 1][round % 4];
        let mut along = |range: i64, by: i64| (random(range as u32) - range / 2) * by;
        let a = (2048 + along(8, step), 2048 + along(8, step));
        let (dx, dy) = (along(9, step.max(64)), along(9, step.max(64)));
        let at = |n: i64| (a.0 + dx * n / 2, a.1 + dy * n / 2);
        let count = 2 + round as i64 % 5;
        let pattern = 0b1011_0001_1101_0010;
        let mut state = single_sampled();
        state.stipple = (round % 2 == 0).then(|| Stipple {
            pattern,
            repeat: 1,
            passed: Default::default(),
        });
        let draw = |from, to, continues| {
            let (from, to) = (pixel_place(from), pixel_place(to));
            let mut setup = object(Kind::Line, [from, to, to]);
            setup.continues = continues;
            let pixels: Vec<_> = cover(&state, &setup).into_keys().collect();
            pixels
        };
        let whole = draw(at(0), at(count), false);
        for meet in 1..count {
            let mut parts = draw(at(0), at(meet), false);
            parts.extend(draw(at(meet), at(count), true));
            parts.sort_unstable();
            assert_eq!(
                parts,
                whole,
                "round {round}: {:?} to {:?}, met at {:?}",
                at(0),
                at(count),
                at(meet)
            );
        }
    }
}

#[test]
fn diamond_bottom_corner_belongs_to_the_pixel_above() {
    let state = single_sampled();
    // Straight down: it begins in the corner of pixel 4, and one ends there.
    assert_eq!(
        line((4.5, 5.0), (4.5, 7.5), &state),
        [(4, 4), (5, 4), (6, 4)]
    );
    assert_eq!(line((4.5, 2.5), (4.5, 5.0), &state), [(2, 4), (3, 4)]);
    // And up.
    assert_eq!(line((4.5, 5.0), (4.5, 2.5), &state), [(3, 4), (4, 4)]);
    assert_eq!(
        line((4.5, 7.5), (4.5, 5.0), &state),
        [(5, 4), (6, 4), (7, 4)]
    );
    // Pixels that are drawn are counted, and no others.
    for (from, to, drawn) in [
        ((4.5, 2.5), (4.5, 6.0), 3),
        ((4.5, 5.0), (4.5, 7.5), 3),
        ((4.5, 5.0), (4.5, 2.5), 2),
    ] {
        let mut state = single_sampled();
        state.stipple = Some(Stipple {
            pattern: 0xffff,
            repeat: 1,
            passed: Default::default(),
        });
        let found = line(from, to, &state);
        let counted = state.stipple.map(|s| s.passed.get());
        assert_eq!(
            (found.len(), counted),
            (drawn, Some(drawn as u32)),
            "{from:?} to {to:?}"
        );
    }
    // The shortest lines that leave a diamond, stippled: the first bit of the pattern alone is
    // theirs.
    let hair = 1.0 / 256.0;
    for (from, to, pixel) in [
        ((4.5, 5.0), (4.5, 5.0 + hair), (4, 4)),
        ((4.5 + 127.0 * hair, 4.5), (5.0, 4.5), (4, 4)),
        ((4.5, 4.0 + hair), (4.5 + hair, 4.0 + hair), (4, 4)),
    ] {
        let mut state = single_sampled();
        state.stipple = Some(Stipple {
            pattern: 1,
            repeat: 1,
            passed: Default::default(),
        });
        assert_eq!(line(from, to, &state), [pixel], "{from:?} to {to:?}");
    }
}
