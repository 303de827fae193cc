//! Objects of each kind set up: their planes, faces, depth offsets, and what they take from which
//! vertex.
//!
//! Ref: SKL PRM vol. 7, "Strips and Fans (SF) Stage"; Vulkan, "Depth Bias", "Basic Polygon
//!      Rasterization", "Points".

use super::{CLOCKWISE, object, run, state, vue};
use crate::draw::setup::objects::*;
use crate::draw::setup::state::Viewport;

/// A triangle away from the origin, with depths and w of its own; pixels (10, 6), (28, 14) and (5,
/// 40).
const AWAY: [[f32; 4]; 3] = [
    [0.25, -0.25, 0.125, 1.0],
    [5.0, 1.5, 1.0, 2.0],
    [-1.5, 16.0, 3.0, 4.0],
];

/// A vertex with a header of its own: layer, viewport, point width.
fn vertex(header: [u32; 3], position: [f32; 4], attribute: [f32; 4]) -> Vue {
    let header = [0].into_iter().chain(header);
    let rest = position.into_iter().chain(attribute).map(f32::to_bits);
    header.chain(rest).collect::<Vec<u32>>().into()
}

#[test]
fn attribute_planes_pass_through_the_vertices() {
    for order in [[0, 1, 2], [1, 2, 0], [0, 2, 1], [2, 1, 0]] {
        let positions = order.map(|i: usize| AWAY[i]);
        for kind in [Kind::Triangle, Kind::Rectangle] {
            let out = run(&state(), &object(kind, &positions));
            let [setup] = out.as_slice() else {
                panic!("{order:?}: {} objects", out.len());
            };
            let places = [(10.0, 6.0), (28.0, 14.0), (5.0, 40.0)];
            for (i, vertex) in setup.vertices.iter().enumerate() {
                let (x, y) = places[order[i]];
                assert_eq!((vertex.x, vertex.y), (x, y), "{order:?}: vertex {i}");
                let [_, _, z, w] = positions[i].map(f64::from);
                let (x, y) = (f64::from(x), f64::from(y));
                let near = |found: f64, expected: f64| {
                    assert!(
                        (found - expected).abs() < 1e-9,
                        "{order:?}: {found} at vertex {i}, not {expected}"
                    );
                };
                near(setup.depth.evaluate(x, y), z / w);
                near(setup.inverse_w.evaluate(x, y), 1.0 / w);
                let own = [
                    0.0,
                    f64::from(u8::from(i == 1)),
                    f64::from(u8::from(i == 2)),
                ];
                for (found, expected) in [setup.linear(x, y), setup.perspective(x, y)]
                    .into_iter()
                    .flat_map(|w| w.into_iter().zip([own[1], own[2]]))
                {
                    near(found, expected);
                }
            }
            // Half way between two vertices, and in the middle.
            let (a, b) = (setup.vertices[0], setup.vertices[1]);
            let (x, y) = (f64::from(a.x + b.x) / 2.0, f64::from(a.y + b.y) / 2.0);
            let [p, q] = setup.linear(x, y);
            assert!(
                (p - 0.5).abs() < 1e-9 && q.abs() < 1e-9,
                "{order:?}: {p}, {q}"
            );
        }
    }
}

/// Rectangles by the nearest place on the line, others by the place in the same row or column.
#[test]
fn line_attributes_vary_along_the_line() {
    for ((from, to), aliased) in [(0, 1), (1, 0), (1, 2), (2, 0)]
        .into_iter()
        .flat_map(|ends| [(ends, false), (ends, true)])
    {
        let line = Object {
            provoking: 0,
            ..object(Kind::Line, &[AWAY[from], AWAY[to]])
        };
        let mut state = state();
        state.aliased_lines = aliased;
        let out = run(&state, &line);
        let [setup] = out.as_slice() else {
            panic!("{} objects", out.len());
        };
        assert_eq!((setup.kind, setup.front_facing), (Kind::Line, true));
        let [a, b, c] = setup.vertices;
        assert_eq!((b.x, b.y, b.z, b.inverse_w), (c.x, c.y, c.z, c.inverse_w));
        for (along, aside) in [(0.0, 0.0), (1.0, 0.0), (0.25, 0.0), (0.75, 3.0)] {
            // Away from the line nothing changes.
            let (dx, dy) = (f64::from(b.x - a.x), f64::from(b.y - a.y));
            let length = dx.hypot(dy);
            let off = match aliased {
                false => [-dy / length, dx / length],
                true if dx.abs() >= dy.abs() => [0.0, 1.0],
                true => [1.0, 0.0],
            };
            let x = f64::from(a.x) + along * dx + aside * off[0];
            let y = f64::from(a.y) + along * dy + aside * off[1];
            let near = |found: f64, expected: f64| {
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{from} to {to}, {along}: {found}, not {expected}"
                );
            };
            near(setup.linear(x, y)[0], along);
            near(setup.linear(x, y)[1], 0.0);
            let mixed = |a: f32, b: f32| f64::from(a) + along * (f64::from(b) - f64::from(a));
            near(setup.depth.evaluate(x, y), mixed(a.z, b.z));
            near(
                setup.inverse_w.evaluate(x, y),
                mixed(a.inverse_w, b.inverse_w),
            );
        }
    }
    // Level and upright ones, and one of no length.
    let ends = |a: [f32; 4], b: [f32; 4]| Object {
        provoking: 0,
        ..object(Kind::Line, &[a, b])
    };
    let corner = [-1.0, -1.0, 0.0, 1.0];
    for (end, left) in [
        ([1.0, -1.0, 0.0, 1.0], 1),
        ([-1.0, 1.0, 0.0, 1.0], 1),
        (corner, 0),
        ([-1.0 + 1.0 / 2048.0, -1.0, 0.0, 1.0], 1),
    ] {
        assert_eq!(run(&state(), &ends(corner, end)).len(), left, "{end:?}");
    }
}

/// A vertex with these parts of three vertices.
fn mixed(vertices: &[Vue], weights: [f64; 3]) -> Vue {
    let each = 0..vertices[0].len();
    let sum = |i: usize| -> u32 {
        let parts = vertices.iter().zip(weights);
        let sum: f64 = parts
            .map(|(v, weight)| weight * f64::from(f32::from_bits(v[i])))
            .sum();
        (sum as f32).to_bits()
    };
    each.map(sum).collect()
}

/// What is linear on the screen is so over all of an object, whatever was cut off it; but for new
/// vertices on the grid.
#[test]
fn clipped_pieces_interpolate_the_attributes_of_their_object() {
    let positions = [
        [-1.0, -1.0, 0.0, 1.0],
        [2.0, -2.0, 0.0, 2.0],
        [4.0, 4.0, 0.0, 4.0],
    ];
    let weights = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]];
    for kind in [Kind::Triangle, Kind::Line] {
        let count = kind.vertices();
        let mut whole = object(kind, &positions[..count]);
        whole.provoking = 0;
        let mut cut = whole.clone();
        let [a, b, rest @ ..] = whole.vertices.as_slice() else {
            panic!("two vertices or more");
        };
        let c = rest.last().unwrap_or(b);
        cut.vertices = weights[..count]
            .iter()
            .map(|w| mixed(&whole.vertices, *w))
            .collect();
        cut.vertices.push(a.clone());
        cut.provoking = count;
        let of = if kind == Kind::Line {
            [0, 1, 1]
        } else {
            [0, 1, 2]
        };
        cut.cut = Some(Box::new(ClippedPiece {
            whole: [a, b, c].map(Vue::clone),
            weights: of.map(|i: usize| weights[i]),
        }));
        let [whole, piece] = [whole, cut].map(|object| run(&state(), &object).remove(0));
        assert_eq!(piece.attributes, whole.attributes, "{kind:?}");
        for (x, y) in [(0.5, 0.5), (5.5, 3.5), (9.5, 1.5)] {
            for (found, expected) in [
                (piece.linear(x, y), whole.linear(x, y)),
                (piece.perspective(x, y), whole.perspective(x, y)),
            ] {
                for (found, expected) in found.iter().zip(expected) {
                    assert!(
                        (found - expected).abs() < 1.0 / 4096.0,
                        "{kind:?} at ({x}, {y}): {found}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn layer_and_viewport_come_from_the_provoking_vertex() {
    let mut state = state();
    let place = |x| Viewport {
        scale: [8.0, 8.0, 1.0],
        offset: [x, 8.0, 0.0],
    };
    state.viewports = vec![place(8.0), place(108.0), place(208.0)];
    state.viewport_count = 3;
    for (kind, count) in [
        (Kind::Point, 1),
        (Kind::Line, 2),
        (Kind::Triangle, 3),
        (Kind::Rectangle, 3),
    ] {
        for provoking in 0..count {
            let vertices = (0..count as u32)
                .map(|i| vertex([10 + i, i, 2f32.to_bits()], CLOCKWISE[i as usize], [0.0; 4]))
                .collect();
            let mut object = Object {
                vertices,
                provoking,
                ..object(kind, &[])
            };
            object.continues = true;
            let of = |state: &SetupState| {
                let out = run(state, &object);
                let first = out.first().expect("an object");
                (
                    first.viewport,
                    first.layer,
                    first.vertices[0].x,
                    first.continues,
                    first.kind,
                )
            };
            let left = if kind == Kind::Point { -1.0 } else { 0.0 };
            let x = 100.0 * provoking as f32 + left;
            let number = provoking as u32;
            assert_eq!(
                of(&state),
                (number, 10 + number, x, true, kind),
                "{kind:?}, vertex {provoking}"
            );
            let mut flat = state.clone();
            flat.force_zero_layer = true;
            assert_eq!(
                of(&flat),
                (number, 0, x, true, kind),
                "{kind:?}, vertex {provoking}"
            );
            // Viewports beyond the count are the first.
            let mut few = state.clone();
            few.viewport_count = 2;
            let (viewport, ..) = of(&few);
            assert_eq!(
                viewport,
                if number < 2 { number } else { 0 },
                "{kind:?}, vertex {provoking}"
            );
            object.provoking = count;
            assert_eq!(run(&state, &object).len(), 0, "{kind:?}: no such vertex");
        }
    }
}

#[test]
fn perspective_divide_and_viewport_transform_enables() {
    let point = |position| Object {
        provoking: 0,
        ..object(
            Kind::Rectangle,
            &[position, [9.0, 0.0, 0.0, 4.0], [0.0, 9.0, 0.0, 4.0]],
        )
    };
    let position = [1.0, -2.0, 3.0, 4.0];
    let of = |divide, transform| {
        let mut state = state();
        (state.divide, state.transform) = (divide, transform);
        state.viewports[0].scale = [8.0, 16.0, 0.5];
        state.viewports[0].offset = [100.0, 200.0, 0.25];
        state.origin = [0.5, 7.0];
        let vertex = run(&state, &point(position))[0].vertices[0];
        (vertex.x, vertex.y, vertex.z, vertex.inverse_w)
    };
    assert_eq!(of(false, false), (1.5, 5.0, 3.0, 1.0));
    assert_eq!(of(true, false), (0.75, 6.5, 0.75, 0.25));
    assert_eq!(of(false, true), (108.5, 175.0, 1.75, 1.0));
    assert_eq!(of(true, true), (102.5, 199.0, 0.625, 0.25));
    // A viewport that is not there leaves nothing.
    let mut none = state();
    none.viewports.clear();
    assert_eq!(run(&none, &point(position)).len(), 0);
}

#[test]
fn positions_are_snapped_and_clamped() {
    let mut state = state();
    (state.divide, state.transform) = (false, false);
    let x_of = |x: f32| {
        let corners = [
            [x, 0.0, 0.0, 1.0],
            [-1e9, 50.0, 0.0, 1.0],
            [30.0, 1e9, 0.0, 1.0],
        ];
        run(&state, &object(Kind::Triangle, &corners))
            .first()
            .map(|s| s.vertices[0].x)
    };
    let hair = 1.0 / 256.0;
    for (x, expected) in [
        (5.0 + 0.4 * hair, 5.0),
        (5.0 + 0.6 * hair, 5.0 + hair),
        (5.0 + 0.5 * hair, 5.0),
        (5.0 + 1.5 * hair, 5.0 + 2.0 * hair),
        (-5.0 - 0.6 * hair, -5.0 - hair),
        (70000.0, 65535.0),
        (f32::INFINITY, 65535.0),
    ] {
        assert_eq!(x_of(x), Some(expected), "{x}");
    }
}

#[test]
fn nan_positions_drop_the_object() {
    let mut state = state();
    (state.divide, state.transform) = (false, false);
    let (nan, infinite) = (f32::NAN, f32::INFINITY);
    for (position, left) in [
        ([1.0, 2.0, 0.5, 1.0], 1),
        ([nan, 2.0, 0.5, 1.0], 0),
        ([1.0, nan, 0.5, 1.0], 0),
        ([1.0, 2.0, nan, 1.0], 0),
        ([1.0, 2.0, infinite, 1.0], 0),
    ] {
        for kind in [Kind::Point, Kind::Line, Kind::Triangle] {
            let mut corners = [
                [20.0, 2.0, 0.5, 1.0],
                [1.0, 20.0, 0.5, 1.0],
                [1.0, 2.0, 0.5, 1.0],
            ];
            corners[kind.vertices() - 1] = position;
            let object = Object {
                provoking: 0,
                ..object(kind, &corners[..kind.vertices()])
            };
            assert_eq!(run(&state, &object).len(), left, "{kind:?}: {position:?}");
        }
    }
    // Divided by nothing.
    state.divide = true;
    let object = Object {
        provoking: 0,
        ..object(Kind::Point, &[[1.0, 1.0, 1.0, 0.0]])
    };
    assert_eq!(run(&state, &object).len(), 0);
}

#[test]
fn zero_area_triangles_are_back_facing() {
    // Vulkan: a triangle that is not front-facing is back-facing, those without area included.
    let mut flat = CLOCKWISE;
    flat[2] = [2.0, -2.0, 0.25, 2.0];
    for counter in [false, true] {
        let mut state = state();
        state.front_counter_clockwise = counter;
        (state.front_fill, state.back_fill) = (Fill::Point, Fill::Wireframe);
        let out = run(&state, &object(Kind::Triangle, &flat));
        assert!(
            !out.is_empty() && out.iter().all(|s| s.kind == Kind::Line && !s.front_facing),
            "{counter}"
        );
        state.cull = Cull::PixelBackend;
        assert_eq!(
            run(&state, &object(Kind::Triangle, &flat)).len(),
            0,
            "{counter}"
        );
        state.cull = Cull::Front;
        assert!(
            !run(&state, &object(Kind::Triangle, &flat)).is_empty(),
            "{counter}"
        );
    }
    // A sixteenth of a pixel by as much is enough to have a face.
    let small = [
        [-1.0, -1.0, 0.0, 1.0],
        [-1.0 + 1.0 / 128.0, -1.0, 0.0, 1.0],
        [-1.0, -1.0 + 1.0 / 128.0, 0.0, 1.0],
    ];
    let swapped = [small[0], small[2], small[1]];
    for (corners, counter) in [(small, false), (swapped, true)] {
        let mut state = state();
        state.front_counter_clockwise = counter;
        state.cull = Cull::PixelBackend;
        let out = run(&state, &object(Kind::Triangle, &corners));
        assert_eq!(out.first().map(|s| s.front_facing), Some(true), "{counter}");
    }
}

/// Depth at the first vertex, less what it is there without an offset.
fn offset(state: &SetupState, kind: Kind, positions: &[[f32; 4]]) -> Vec<f64> {
    let object = Object {
        provoking: 0,
        ..object(kind, positions)
    };
    let mut plain = state.clone();
    (plain.bias_solid, plain.bias_wireframe, plain.bias_point) = (false, false, false);
    let depths = |state: &SetupState| {
        run(state, &object)
            .iter()
            .map(|s| s.depth.evaluate(8.0, 8.0))
            .collect::<Vec<_>>()
    };
    depths(state)
        .iter()
        .zip(depths(&plain))
        .map(|(a, b)| a - b)
        .collect()
}

#[test]
fn depth_bias_enable_follows_the_drawn_primitive() {
    let unit = 2f64.powi(-16);
    let names = ["solid", "wireframe", "points"];
    for (enabled, name) in names.iter().enumerate() {
        let mut state = state();
        state.bias_constant = 3.0;
        state.bias_scale = 4.0;
        state.bias_solid = enabled == 0;
        state.bias_wireframe = enabled == 1;
        state.bias_point = enabled == 2;
        // The triangle's slope is 1/32 to the right, and 1/64 down: the greater counts. Points and
        // lines have none.
        let (sloped, level) = (3.0 * unit + 4.0 / 32.0, 3.0 * unit);
        let on = |by: f64, kind: usize| if kind == enabled { by } else { 0.0 };
        let near = |found: &[f64], expected: &[f64]| {
            assert_eq!(found.len(), expected.len(), "{name}");
            assert!(
                found
                    .iter()
                    .zip(expected)
                    .all(|(a, b)| (a - b).abs() < 1e-12),
                "{name}: {found:?}, not {expected:?}"
            );
        };
        near(
            &offset(&state, Kind::Triangle, &CLOCKWISE),
            &[on(sloped, 0)],
        );
        near(
            &offset(&state, Kind::Line, &CLOCKWISE[..2]),
            &[on(level, 1)],
        );
        near(
            &offset(&state, Kind::Point, &CLOCKWISE[..1]),
            &[on(level, 2)],
        );
        near(&offset(&state, Kind::Rectangle, &CLOCKWISE), &[0.0]);
        state.front_fill = Fill::Wireframe;
        near(
            &offset(&state, Kind::Triangle, &CLOCKWISE),
            &[on(sloped, 1); 2],
        );
        state.front_fill = Fill::Point;
        near(
            &offset(&state, Kind::Triangle, &CLOCKWISE),
            &[on(sloped, 2); 2],
        );
        // Without area there is no slope.
        let mut flat = CLOCKWISE;
        flat[2] = [0.0, -1.0, 0.25, 1.0];
        state.back_fill = Fill::Wireframe;
        near(&offset(&state, Kind::Triangle, &flat), &[on(level, 1); 2]);
    }
    // The greater slope may be the one downwards.
    let mut state = state();
    (state.bias_solid, state.bias_scale) = (true, 1.0);
    let steep = [
        [-1.0, -1.0, 0.0, 1.0],
        [1.0, -1.0, 0.125, 1.0],
        [-1.0, 1.0, -0.75, 1.0],
    ];
    assert_eq!(offset(&state, Kind::Triangle, &steep), [0.75 / 16.0]);
}

#[test]
fn depth_bias_clamp() {
    let mut state = state();
    state.bias_solid = true;
    state.bias_unit = Some(0.25);
    for (constant, clamp, expected) in [
        (2.0, 0.0, 0.5),
        (-2.0, 0.0, -0.5),
        (2.0, 0.125, 0.125),
        (2.0, 0.75, 0.5),
        (-2.0, 0.125, -0.5),
        (2.0, -0.125, 0.5),
        (-2.0, -0.125, -0.125),
        (-2.0, -0.75, -0.5),
    ] {
        (state.bias_constant, state.bias_clamp) = (constant, clamp);
        assert_eq!(
            offset(&state, Kind::Triangle, &CLOCKWISE),
            [expected],
            "{constant}, clamp {clamp}"
        );
    }
}

#[test]
fn float_depth_bias_unit_uses_the_max_exponent() {
    // Vulkan, "Depth Bias Computation": 2^(e - n), e the exponent of the greatest depth, n the 23
    // bits of the mantissa.
    let mut state = state();
    (state.bias_solid, state.bias_unit, state.divide) = (true, None, false);
    state.bias_constant = 1.0;
    for (depths, exponent) in [
        ([0.0, 0.5, 0.25], -1),
        ([1.0, 0.5, 0.25], 0),
        ([0.5, 0.0, 1.9375], 0),
        ([0.0, 2.0, 0.5], 1),
        ([0.0, 0.5, -5.0], 2),
        ([0.125, 0.125, 0.124], -3),
    ] {
        let mut corners = CLOCKWISE;
        for (corner, z) in corners.iter_mut().zip(depths) {
            corner[2] = z;
        }
        let mut plain = state.clone();
        plain.bias_solid = false;
        let depth = |state: &SetupState| run(state, &object(Kind::Triangle, &corners))[0].depth.c;
        assert_eq!(
            depth(&state) - depth(&plain),
            2f64.powi(exponent - 23),
            "{depths:?}"
        );
    }
    // Nothing, and what is less than any normal number, have the least exponent.
    for z in [0.0, f32::from_bits(5)] {
        let corners = CLOCKWISE.map(|[x, y, _, w]| [x, y, z, w]);
        let point = Object {
            provoking: 0,
            ..object(Kind::Triangle, &corners)
        };
        let found = run(&state, &point)[0].depth.c - f64::from(z);
        assert_eq!(found, 2f64.powi(-126 - 23), "{z}");
    }
}

#[test]
fn wireframe_and_point_modes_follow_edge_flags() {
    let places = [(0.0, 0.0), (16.0, 0.0), (0.0, 16.0)];
    for bits in 0..8u32 {
        let edges = [0, 1, 2].map(|i| bits >> i & 1 == 1);
        let drawn: Vec<usize> = (0..3).filter(|i| edges[*i]).collect();
        let triangle = Object {
            edges,
            provoking: 2,
            ..object(Kind::Triangle, &CLOCKWISE)
        };
        let mut state = state();
        state.front_fill = Fill::Wireframe;
        let ends: Vec<_> = run(&state, &triangle)
            .iter()
            .map(|s| [0, 1].map(|i: usize| (s.vertices[i].x, s.vertices[i].y)))
            .collect();
        let expected: Vec<_> = drawn
            .iter()
            .map(|i| [places[*i], places[(i + 1) % 3]])
            .collect();
        assert_eq!(ends, expected, "{edges:?}");
        let values: Vec<_> = run(&state, &triangle)
            .iter()
            .map(|s| s.attributes[0].map(|v| f32::from_bits(v[0])))
            .collect();
        let expected: Vec<_> = drawn
            .iter()
            .map(|i| [*i, (i + 1) % 3, (i + 1) % 3].map(|i| i as f32))
            .collect();
        assert_eq!(values, expected, "{edges:?}");
        state.front_fill = Fill::Point;
        let centres: Vec<_> = run(&state, &triangle)
            .iter()
            .map(|s| (s.vertices[0].x + 1.0, s.vertices[0].y + 1.0))
            .collect();
        let expected: Vec<_> = drawn.iter().map(|i| places[*i]).collect();
        assert_eq!(centres, expected, "{edges:?}");
        let values: Vec<_> = run(&state, &triangle)
            .iter()
            .map(|s| s.attributes[0].map(|v| f32::from_bits(v[0])))
            .collect();
        let expected: Vec<_> = drawn.iter().map(|i| [*i as f32; 3]).collect();
        assert_eq!(values, expected, "{edges:?}");
        // Flat values are the provoking vertex's.
        state.attributes[0].flat = true;
        let values = run(&state, &triangle);
        assert!(
            values
                .iter()
                .all(|s| s.attributes[0] == [[2f32.to_bits(); 4]; 3]),
            "{edges:?}"
        );
    }
}

#[test]
fn point_width_source_is_state_or_vertex() {
    let position = [0.0, 0.0, 0.75, 0.5];
    let width = |state: &SetupState, own: f32| {
        let point = Object {
            vertices: vec![vertex([0, 0, own.to_bits()], position, [0.0; 4])],
            provoking: 0,
            ..object(Kind::Point, &[])
        };
        let out = run(state, &point);
        out.first().map(|s| {
            let [a, b, c] = s.vertices;
            // A square around (8, 8), whose corners all have the depth and the w of the point.
            assert_eq!([a.x + b.x, a.y + c.y], [16.0; 2]);
            assert_eq!(([b.y, c.x], b.x - a.x), ([a.y, a.x], c.y - a.y));
            assert!(s.vertices.iter().all(|v| (v.z, v.inverse_w) == (1.5, 2.0)));
            assert_eq!(
                (s.depth.evaluate(8.0, 8.0), s.inverse_w.evaluate(3.0, 9.0)),
                (1.5, 2.0)
            );
            b.x - a.x
        })
    };
    let mut state = state();
    state.point_range = [0.5, 40.0];
    // From the vertex: in bounds, in eighths of which the nearest is taken, ties to even; no number
    // is the least.
    for (own, expected) in [
        (3.0, 3.0),
        (3.05, 3.0),
        (3.1, 3.125),
        (3.0625, 3.0),
        (3.1875, 3.25),
        (0.25, 0.5),
        (-5.0, 0.5),
        (100.0, 40.0),
        (f32::NAN, 0.5),
        (f32::INFINITY, 40.0),
    ] {
        assert_eq!(width(&state, own), Some(expected), "{own}");
    }
    // From the state, where bounds do not matter. Without width there is no point.
    for (wide, expected) in [
        (6.0, Some(6.0)),
        (0.25, Some(0.25)),
        (80.0, Some(80.0)),
        (0.0, None),
    ] {
        state.point_width = Some(wide);
        assert_eq!(width(&state, 3.0), expected, "{wide}");
    }
}

#[test]
fn attribute_component_sources() {
    use crate::draw::setup::attributes::{Attribute, Source};
    let mut state = state();
    let plain = state.attributes[0];
    let with = |components| Attribute {
        components,
        ..plain
    };
    state.attributes = vec![
        plain,
        with([
            Source::PrimitiveId,
            Source::Vertex,
            Source::Constant(7),
            Source::Vertex,
        ]),
        Attribute {
            w_for_x: true,
            ..plain
        },
        Attribute { back: 4, ..plain },
        Attribute {
            back: 4,
            w_for_x: true,
            flat: true,
            ..plain
        },
    ];
    let triangle = |positions: [[f32; 4]; 3]| Object {
        vertices: (0..3)
            .map(|i| vue(positions[i], [0, 1, 2, 3].map(|c| (i * 10 + c) as f32)))
            .collect(),
        ..object(Kind::Triangle, &[])
    };
    let [a, b, c] = CLOCKWISE;
    for (positions, front) in [([a, b, c], true), ([a, c, b], false)] {
        let out = run(&state, &triangle(positions));
        let bits = |vertex: usize, component: usize| ((vertex * 10 + component) as f32).to_bits();
        let own = |vertex: usize| [0, 1, 2, 3].map(|c| bits(vertex, c));
        let position = |vertex: usize| positions[vertex].map(f32::to_bits);
        let each = |of: &dyn Fn(usize) -> [u32; 4]| [of(0), of(1), of(2)];
        let of_side = |vertex: usize| if front { own(vertex) } else { position(vertex) };
        let expected = [
            each(&own),
            each(&|v| [9, bits(v, 1), 7, bits(v, 3)]),
            each(&|v| [bits(v, 3), bits(v, 1), bits(v, 2), bits(v, 3)]),
            each(&of_side),
            // The second vertex provokes.
            each(&|_| {
                let [_, y, z, w] = of_side(1);
                [w, y, z, w]
            }),
        ];
        assert_eq!(out[0].attributes, expected, "front {front}");
        assert_eq!(out[0].front_facing, front);
    }
}

#[test]
fn sprite_coordinate_origin() {
    let point = Object {
        provoking: 0,
        ..object(Kind::Point, &[[0.0, 0.0, 0.5, 1.0]])
    };
    // Upper left, upper right, lower left.
    for (lower, expected) in [
        (false, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0f32]]),
        (true, [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]),
    ] {
        let mut state = state();
        state.sprite_lower_left = lower;
        for sprite in [true, false] {
            state.attributes[0].sprite = sprite;
            let found = run(&state, &point)[0].attributes[0].map(|v| v.map(f32::from_bits));
            let expected = match sprite {
                true => expected.map(|[s, t]| [s, t, 0.0, 1.0]),
                false => [[0.0; 4]; 3],
            };
            assert_eq!(found, expected, "lower {lower}, sprite {sprite}");
        }
        // Other objects have none.
        state.attributes[0].sprite = true;
        let triangle = run(&state, &object(Kind::Triangle, &CLOCKWISE));
        let found = triangle[0].attributes[0].map(|v| v.map(f32::from_bits));
        assert_eq!(found, [[0.0; 4], [1.0; 4], [2.0; 4]]);
    }
}
