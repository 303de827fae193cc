//! Polygons against an account of each sample on its own, and lines that are drawn as polygons.
//!
//! Ref: Vulkan, "Basic Polygon Rasterization"; SKL PRM vol. 7, "Triangle Rasterization", top-left
//!      rule: a sample on an edge is inside if it is so a hair to the right, or, of a level edge, a
//!      hair below.

use crate::draw::object::*;
use crate::draw::raster::grid::*;
use crate::draw::raster::rasterise::tests::{
    STANDARD_4X, conservative_samples, cover, object, single_sampled, state,
};
use crate::draw::raster::state::*;
use std::collections::BTreeMap;

/// Pseudorandom numbers.
pub(in crate::draw::raster) fn random(seed: u32) -> impl FnMut(u32) -> i64 {
    let mut seed = seed;
    move |below| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (i64::from(seed >> 8) * i64::from(below)) >> 24
    }
}

/// Whether a point, in 256ths of a pixel, belongs to a triangle.
fn inside(corners: [(i64, i64); 3], (x, y): (i64, i64)) -> bool {
    let [a, b, c] = corners;
    let turn = ((b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1)).signum();
    let edges = [(a, b), (b, c), (c, a)];
    turn != 0
        && edges.into_iter().all(|(p, q)| {
            let across = (q.0 - p.0) * (y - p.1) - (x - p.0) * (q.1 - p.1);
            // How it changes to the right, and downwards.
            let sides = [across, -(q.1 - p.1), q.0 - p.0].map(|side| side.signum() * turn);
            sides.into_iter().find(|side| *side != 0) == Some(1)
        })
}

fn corners(places: [(i64, i64); 3]) -> [(f32, f32); 3] {
    places.map(|(x, y)| (x as f32 / 256.0, y as f32 / 256.0))
}

/// Pixels of bounds whose samples belong to a triangle.
fn account(state: &RasterState, places: [(i64, i64); 3]) -> BTreeMap<(u32, u32), u16> {
    let mut out = BTreeMap::new();
    let bounds = state.bounds[0];
    for y in bounds.y0..=bounds.y1 {
        for x in bounds.x0..=bounds.x1 {
            let each = state.samples().iter().enumerate();
            let mask = each.fold(0, |mask, (i, (dx, dy))| {
                mask | u16::from(inside(places, (x * 256 + dx, y * 256 + dy))) << i
            });
            if mask != 0 {
                out.insert((y as u32, x as u32), mask);
            }
        }
    }
    out
}

#[test]
fn sample_coverage_matches_an_edge_test_per_sample() {
    let mut random = random(7);
    // Sample patterns; the second has samples in the corner that its pixel begins with.
    let sixteen: Vec<(i64, i64)> = (0..16).map(|i| (i * 7 % 16 * 16 + 8, i * 16)).collect();
    let patterns: [&[(i64, i64)]; 6] = [
        &[(128, 128)],
        &[(0, 0)],
        &[(192, 192), (64, 64)],
        &STANDARD_4X,
        &sixteen[..8],
        &sixteen,
    ];
    for round in 0..90 {
        let samples = patterns[round % 6];
        let mut state = state(samples, Lines::Aliased { width: 1 });
        let (x0, y0) = (random(12), random(12));
        state.bounds[0] = Bounds {
            x0,
            y0,
            x1: x0 + random(24),
            y1: y0 + random(24),
        };
        // Small ones and great ones; on whole, half and 256ths of pixels, so that edges meet
        // samples.
        let (step, range) = (
            [256, 128, 1][round / 6 % 3],
            [40 * 256, 120 * 256][round / 18 % 2],
        );
        let places = [0; 3].map(|_| {
            let mut along = || (random(range as u32) - range / 3) / step * step;
            (along(), along())
        });
        let found = cover(&state, &object(Kind::Triangle, corners(places)));
        assert_eq!(
            found,
            account(&state, places),
            "round {round}: {places:?}, {:?}",
            state.bounds[0]
        );
    }
}

#[test]
fn block_is_fully_covered_only_with_its_far_corner() {
    // An edge that passes the corner of the block at (8, 8) by a 65536th of a pixel's area, and
    // either side of it.
    let state = state(&[(0, 0)], Lines::Aliased { width: 1 });
    let (p, q) = ((2048 - 8000, 2048 + 8001), (2048 + 8001, 2048 - 8002));
    for (places, pixel) in [
        ([p, q, (20000, 20000)], false),
        ([p, q, (-20000, -20000)], true),
    ] {
        let found = cover(&state, &object(Kind::Triangle, corners(places)));
        assert_eq!(found.contains_key(&(8, 8)), pixel, "{places:?}");
        assert_eq!(found.contains_key(&(8, 9)), !pixel, "{places:?}");
        assert_eq!(found, account(&state, places), "{places:?}");
    }
}

/// Area that a triangle and a pixel have in common: the triangle cut by each side of the pixel.
fn common_area(corners: [(f32, f32); 3], (x, y): (u32, u32)) -> f64 {
    let mut polygon: Vec<[f64; 2]> = corners.map(|(x, y)| [x.into(), y.into()]).to_vec();
    for (axis, side, sign) in [(0, x, 1.0), (0, x + 1, -1.0), (1, y, 1.0), (1, y + 1, -1.0)] {
        let depth = |p: [f64; 2]| sign * (p[axis] - f64::from(side));
        let mut cut = Vec::new();
        for (i, p) in polygon.iter().enumerate() {
            let q = polygon[(i + 1) % polygon.len()];
            let (a, b) = (depth(*p), depth(q));
            if a >= 0.0 {
                cut.push(*p);
            }
            if a * b < 0.0 {
                let t = a / (a - b);
                cut.push([0, 1].map(|i: usize| p[i] + t * (q[i] - p[i])));
            }
        }
        polygon = cut;
    }
    let doubled: f64 = (0..polygon.len())
        .map(|i| (polygon[i], polygon[(i + 1) % polygon.len()]))
        .map(|(p, q)| p[0] * q[1] - q[0] * p[1])
        .sum();
    doubled.abs() / 2.0
}

#[test]
fn conservative_coverage_is_where_areas_overlap() {
    let mut random = random(3);
    let mut state = single_sampled();
    state.conservative = true;
    for round in 0..60 {
        let (x0, y0) = (random(6), random(6));
        state.bounds[0] = Bounds {
            x0,
            y0,
            x1: x0 + 8 + random(16),
            y1: y0 + 8 + random(16),
        };
        // Quarters of pixels, or whole ones; thin ones among them.
        let step = if round % 3 == 0 { 1.0 } else { 0.25 };
        let range = if round % 2 == 0 { 28 } else { 90 };
        let mut corner = || {
            let mut along = || random(range) as f32 * step - 2.0;
            (along(), along())
        };
        let mut triangle = [corner(), corner(), corner()];
        if round % 5 == 0 {
            triangle[2] = (triangle[1].0 + step, triangle[1].1);
        }
        if round % 10 == 9 {
            // Whole blocks, and a hypotenuse across others.
            triangle = [(-2.0, -2.0), (45.0 - round as f32, -2.0), (-2.0, 45.25)];
        }
        let out = conservative_samples(&state, &object(Kind::Triangle, triangle));
        let mut found = BTreeMap::new();
        for subspan in out {
            for i in 0..4 {
                let pixel = (subspan.x + i % 2, subspan.y + i / 2);
                if subspan.samples[i as usize] != 0 {
                    found.insert(pixel, subspan.inner >> i & 1 == 1);
                }
            }
        }
        let mut expected = BTreeMap::new();
        let bounds = state.bounds[0];
        for y in bounds.y0 as u32..=bounds.y1 as u32 {
            for x in bounds.x0 as u32..=bounds.x1 as u32 {
                let area = common_area(triangle, (x, y));
                if area > 1e-7 {
                    expected.insert((x, y), area > 1.0 - 1e-7);
                }
            }
        }
        assert_eq!(found, expected, "round {round}: {triangle:?}, {bounds:?}");
    }
}

#[test]
fn bounds_of_the_selected_viewport_or_the_first() {
    let mut state = single_sampled();
    let square = |x0, y0| Bounds {
        x0,
        y0,
        x1: x0 + 1,
        y1: y0 + 2,
    };
    state.bounds = vec![square(1, 2), square(11, 20)];
    let mut setup = object(Kind::Rectangle, [(64.0, 64.0), (0.0, 64.0), (0.0, 0.0)]);
    for (viewport, (x, y)) in [(0, (1, 2)), (1, (11, 20)), (2, (1, 2))] {
        setup.viewport = viewport;
        let expected = [
            (y, x),
            (y, x + 1),
            (y + 1, x),
            (y + 1, x + 1),
            (y + 2, x),
            (y + 2, x + 1),
        ];
        let found: Vec<_> = cover(&state, &setup).into_keys().collect();
        assert_eq!(found, expected, "viewport {viewport}");
    }
    // Bounds that are the wrong way round in one direction hold nothing.
    for empty in [
        Bounds {
            x0: 5,
            y0: 0,
            x1: 4,
            y1: 9,
        },
        Bounds {
            x0: 0,
            y0: 5,
            x1: 9,
            y1: 4,
        },
    ] {
        assert!(empty.is_empty());
        state.bounds = vec![empty];
        setup.viewport = 0;
        assert_eq!(cover(&state, &setup), BTreeMap::new());
    }
    assert!(
        !Bounds {
            x0: 5,
            y0: 4,
            x1: 5,
            y1: 4
        }
        .is_empty()
    );
    let (a, b) = (
        Bounds {
            x0: 1,
            y0: 2,
            x1: 30,
            y1: 40,
        },
        Bounds {
            x0: 0,
            y0: 3,
            x1: 31,
            y1: 39,
        },
    );
    assert_eq!(
        a.intersect(b),
        Bounds {
            x0: 1,
            y0: 3,
            x1: 30,
            y1: 39
        }
    );
    state.bounds.clear();
    assert_eq!(cover(&state, &setup), BTreeMap::new());
}

#[test]
fn positions_snap_to_the_nearest_grid_point() {
    // 256ths; what is between two goes to the even one.
    for (value, expected) in [
        (1.25, 320),
        (1.0 + 0.6 / 256.0, 257),
        (1.0 + 0.4 / 256.0, 256),
        (1.5 / 256.0, 2),
        (0.5 / 256.0, 0),
        (-0.6 / 256.0, -1),
    ] {
        assert_eq!(
            grid_point(value, -value),
            GridPoint {
                x: expected,
                y: -expected
            },
            "{value}"
        );
    }
}

/// How far a point is along a line, and its distance from the line, in pixels.
fn line_coordinates(a: (f32, f32), b: (f32, f32), (x, y): (f64, f64)) -> (f64, f64, f64) {
    let (ax, ay) = (f64::from(a.0), f64::from(a.1));
    let (dx, dy) = (f64::from(b.0) - ax, f64::from(b.1) - ay);
    let length = dx.hypot(dy);
    let along = ((x - ax) * dx + (y - ay) * dy) / length;
    let aside = ((x - ax) * dy - (y - ay) * dx).abs() / length;
    (along, aside, length)
}

#[test]
fn rectangular_lines_extend_half_their_width_per_side() {
    let grid: Vec<(i64, i64)> = (0..16)
        .map(|i| (32 + i % 4 * 64, 32 + i / 4 * 64))
        .collect();
    for (name, samples, lines, width) in [
        (
            "rectangles",
            &STANDARD_4X[..],
            Lines::Rectangles { width: 2.5 },
            2.5,
        ),
        (
            "narrow rectangles",
            &STANDARD_4X[..],
            Lines::Rectangles { width: 0.75 },
            0.75,
        ),
        // Told in sixteenths, whatever the samples are.
        ("smooth", &grid[..], Lines::Smooth { width: 1.75 }, 1.75),
    ] {
        let own: &[(i64, i64)] = if samples.len() == 16 {
            &[(128, 128)]
        } else {
            samples
        };
        let state = state(own, lines);
        for (a, b) in [
            ((10.25, 12.5), (30.75, 20.25)),
            ((30.75, 20.25), (10.25, 12.5)),
            ((12.5, 40.25), (20.25, 15.5)),
            ((40.25, 8.0), (11.5, 31.25)),
            ((9.0, 9.5), (9.75, 10.25)),
        ] {
            let found = cover(&state, &object(Kind::Line, [a, b, b]));
            for y in 0..64 {
                for x in 0..64 {
                    let mask = found.get(&(y, x)).copied().unwrap_or(0);
                    for (i, (dx, dy)) in samples.iter().enumerate() {
                        let at = (
                            f64::from(x) + *dx as f64 / 256.0,
                            f64::from(y) + *dy as f64 / 256.0,
                        );
                        let (along, aside, length) = line_coordinates(a, b, at);
                        // Corners are on the grid, so that edges may be a 256th off.
                        let hair = 1.0 / 128.0;
                        let near = along.abs() < hair
                            || (along - length).abs() < hair
                            || (aside - width / 2.0).abs() < hair;
                        let expected = along > 0.0 && along < length && aside < width / 2.0;
                        assert!(
                            near || (mask >> i & 1 == 1) == expected,
                            "{name}, {a:?} to {b:?}: sample {i} of ({x}, {y})"
                        );
                    }
                }
            }
        }
        // A line of no length is nowhere.
        assert!(
            cover(&state, &object(Kind::Line, [(9.0, 9.0); 3])).is_empty(),
            "{name}"
        );
        // The shortest is somewhere.
        let short = [(9.0, 9.0), (9.1875, 9.0), (9.1875, 9.0)];
        assert!(name != "smooth" || !cover(&state, &object(Kind::Line, short)).is_empty());
    }
}

#[test]
fn smooth_line_coverage_samples_sixteen_centres() {
    // Quarters of a pixel in both directions, row by row; their middles in 256ths.
    let middles = [32, 96, 160, 224];
    let expected: Vec<(i64, i64)> = middles
        .into_iter()
        .flat_map(|y| middles.map(|x| (x, y)))
        .collect();
    assert_eq!(crate::draw::raster::state::smooth_line_grid()[..], expected);
}
