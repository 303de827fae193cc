//! Objects cut at planes whose crossings are easily worked out.

use super::*;

fn vue(position: [f32; 4], rest: &[f32]) -> Vue {
    let words = [0.0; 4]
        .into_iter()
        .chain(position)
        .chain(rest.iter().copied());
    words.map(f32::to_bits).collect::<Arc<[u32]>>()
}

fn object(kind: Kind, vertices: Vec<Vue>) -> Object {
    Object {
        kind,
        vertices,
        provoking: 0,
        primitive_id: 7,
        edges: [true; 3],
        continues: false,
        cut: None,
    }
}

fn state() -> ClipState {
    ClipState {
        enable: true,
        statistics: true,
        mode: Mode::Normal,
        viewport_xy: true,
        guard_band: true,
        near: true,
        far: true,
        open_gl: false,
        user_clip: 0,
        user_cull: 0,
        bands: vec![Band {
            x: (-8.0, 8.0),
            y: (-8.0, 8.0),
        }],
    }
}

fn run(state: &ClipState, object: Object) -> Vec<Object> {
    let mut out = Vec::new();
    clip(state, object, &mut out);
    out
}

fn triangle(p: [[f32; 4]; 3]) -> Object {
    object(Kind::Triangle, p.map(|p| vue(p, &[])).to_vec())
}

#[test]
fn objects_within_the_guard_band_are_not_clipped() {
    let inside = triangle([
        [-3.0, 0.0, 0.5, 1.0],
        [3.0, 0.0, 0.5, 1.0],
        [0.0, 3.0, 0.5, 1.0],
    ]);
    let first = inside.vertices[0].clone();
    let out = run(&state(), inside);
    assert_eq!(out.len(), 1);
    assert!(Arc::ptr_eq(&out[0].vertices[0], &first));
}

#[test]
fn objects_outside_one_plane_are_rejected() {
    let right = triangle([
        [2.0, 0.0, 0.5, 1.0],
        [3.0, 0.0, 0.5, 1.0],
        [2.0, 3.0, 0.5, 1.0],
    ]);
    assert!(run(&state(), right.clone()).is_empty());
    let mut untested = state();
    untested.viewport_xy = false;
    assert_eq!(run(&untested, right.clone()).len(), 1);
    untested.mode = Mode::RejectAll;
    assert!(run(&untested, right.clone()).is_empty());
    let mut accepting = state();
    accepting.mode = Mode::AcceptAll;
    assert_eq!(run(&accepting, right).len(), 1);
}

#[test]
fn near_plane_clipping_in_both_depth_conventions() {
    let t = triangle([
        [0.0, 0.0, -0.5, 1.0],
        [1.0, 0.0, 0.5, 1.0],
        [0.0, 1.0, 0.5, 1.0],
    ]);
    let out = run(&state(), t.clone());
    // Cut half way along two edges: a quadrilateral, two triangles.
    assert_eq!(out.len(), 2);
    let first: Vec<_> = out[0].vertices[..3].iter().map(|v| position(v)).collect();
    assert_eq!(first[0], [0.5, 0.0, 0.0, 1.0]);
    assert_eq!(first[1], [1.0, 0.0, 0.5, 1.0]);
    assert_eq!(first[2], [0.0, 1.0, 0.5, 1.0]);
    assert_eq!(position(&out[1].vertices[2]), [0.0, 0.5, 0.0, 1.0]);
    // The diagonal between the two is not part of the outline.
    assert_eq!(out[0].edges, [true, true, false]);
    assert_eq!(out[1].edges, [false, true, true]);
    // Flat values still come from the vertex that was cut off.
    assert_eq!(position(&out[0].vertices[out[0].provoking])[2], -0.5);
    let mut open_gl = state();
    open_gl.open_gl = true;
    assert_eq!(run(&open_gl, t).len(), 1);
}

#[test]
fn vertices_behind_the_eye_are_clipped_to_the_guard_band() {
    let t = triangle([
        [0.0, 0.0, 0.0, -1.0],
        [0.5, 0.0, 0.0, 1.0],
        [-0.5, 0.5, 0.0, 1.0],
    ]);
    let mut state = state();
    (state.near, state.far) = (false, false);
    let out = run(&state, t);
    assert!(!out.is_empty());
    for object in &out {
        for vertex in &object.vertices[..3] {
            let [x, y, _, w] = position(vertex);
            assert!(w > 0.0);
            assert!((x / w).abs() < 8.001 && (y / w).abs() < 8.001);
        }
    }
}

#[test]
fn user_clip_and_cull_distances() {
    let with = |d: [f32; 2]| {
        let at = |x: f32, d: f32| vue([x, 0.0, 0.5, 1.0], &[d, 0.0, 0.0, 0.0, 10.0 * x]);
        object(Kind::Line, vec![at(0.0, d[0]), at(1.0, d[1])])
    };
    let mut clipping = state();
    clipping.user_clip = 1;
    let out = run(&clipping, with([1.0, -3.0]));
    assert_eq!(position(&out[0].vertices[1])[0], 0.25);
    // An attribute goes along.
    assert_eq!(dword(&out[0].vertices[1], 12), 2.5f32.to_bits());
    assert!(run(&clipping, with([-1.0, -3.0])).is_empty());
    let mut culling = state();
    culling.user_cull = 1;
    assert_eq!(
        position(&run(&culling, with([1.0, -3.0]))[0].vertices[1])[0],
        1.0
    );
    assert!(run(&culling, with([-1.0, -3.0])).is_empty());
    assert!(run(&culling, with([f32::NAN, 1.0])).is_empty());
}

#[test]
fn clipped_pieces_have_barycentrics_of_their_object() {
    // The near plane clips one or two vertices; x and y are the weights of the last two that a
    // place has.
    for z in [[-1.0, 0.5, 0.75], [0.5, -0.25, -1.0], [0.5, 0.25, -0.75]] {
        let at = |x: f32, y: f32, i: usize| vue([x, y, z[i], 1.0], &[]);
        let corners = [at(0.0, 0.0, 0), at(0.5, 0.0, 1), at(0.0, 0.5, 2)];
        for kind in [Kind::Triangle, Kind::Line] {
            let vertices = corners[..kind.vertices()].to_vec();
            let whole = object(kind, vertices.clone());
            let out = run(&state(), whole);
            let crossing = vertices.iter().any(|v| position(v)[2] < 0.0);
            assert!(!out.is_empty());
            for piece in out {
                assert_eq!(piece.cut.is_some(), crossing, "{kind:?} {z:?}");
                let Some(cut) = piece.cut else { continue };
                assert_eq!(cut.whole[1], vertices[1]);
                assert_eq!(Some(&cut.whole[2]), vertices.last());
                for (vertex, weights) in
                    piece.vertices.iter().zip(cut.weights).take(kind.vertices())
                {
                    let [x, y, ..] = position(vertex).map(f64::from);
                    let expected = [1.0 - 2.0 * x - 2.0 * y, 2.0 * x, 2.0 * y];
                    // A piece's own vertices only: the provoking one comes behind them.
                    for (found, expected) in weights.iter().zip(expected) {
                        assert!((found - expected).abs() < 1e-6, "{kind:?} {z:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn points_are_rejected_whole_and_rectangles_accepted() {
    let point = |z| object(Kind::Point, vec![vue([0.0, 0.0, z, 1.0], &[])]);
    assert_eq!(run(&state(), point(0.5)).len(), 1);
    assert!(run(&state(), point(1.5)).is_empty());
    assert!(run(&state(), point(f32::NAN)).is_empty());
    let far = vue([99.0, 0.0, 5.0, 1.0], &[]);
    let rectangle = object(Kind::Rectangle, vec![far.clone(), far.clone(), far]);
    assert_eq!(run(&state(), rectangle).len(), 1);
}

#[test]
fn any_position_bits_are_clipped_without_panic() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e-40,
        -1e-40,
        1e38,
        -1e38,
        3e-6,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        0.5,
        2.0,
        -3.5,
        7.0,
    ];
    let mut seed = 7u32;
    let mut value = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        values[(seed >> 28) as usize]
    };
    let mut state = state();
    state.user_clip = 3;
    for round in 0..20_000 {
        (state.near, state.far) = (round & 1 != 0, round & 2 != 0);
        let kind = [Kind::Point, Kind::Line, Kind::Triangle][round % 3];
        let vertices = (0..kind.vertices())
            .map(|_| vue([value(), value(), value(), value()], &[value(), value()]))
            .collect();
        for object in run(&state, object(kind, vertices)) {
            // What is left can be divided by w.
            let left = &object.vertices[..kind.vertices()];
            // An infinite x may make a vertex of NaNs, which setup drops.
            let mut ws = left.iter().map(|v| position(v)[3]);
            assert!(ws.all(|w| w.is_nan() || w > 0.0));
            assert!(object.provoking < object.vertices.len());
        }
    }
}

#[test]
fn each_guard_band_plane_clips_at_its_position() {
    let mut state = state();
    // Far beyond the viewport, and different on each side.
    state.bands = vec![Band {
        x: (-2.0, 4.0),
        y: (-8.0, 16.0),
    }];
    for (axis, bound) in [(0, -2.0f32), (0, 4.0), (1, -8.0), (1, 16.0)] {
        // From the middle to twice the bound, which is in multiples of w: cut half way.
        let middle = [0.0, 0.0, 0.5, 4.0];
        let mut end = middle;
        end[axis] = 2.0 * 4.0 * bound;
        let line = object(Kind::Line, vec![vue(middle, &[0.0]), vue(end, &[1.0])]);
        let out = run(&state, line);
        let [one] = out.as_slice() else {
            panic!("{out:?}");
        };
        let mut expected = middle;
        expected[axis] = 4.0 * bound;
        assert_eq!(position(&one.vertices[1]), expected);
        assert_eq!(f32::from_bits(one.vertices[1][8]), 0.5);
        assert_eq!(position(&one.vertices[0]), middle);
    }
}

#[test]
fn guard_band_uses_the_provoking_vertex_viewport() {
    let with_viewport = |index: u32, p: [f32; 4]| -> Vue {
        let mut words = vue(p, &[]).to_vec();
        words[2] = index;
        words.into()
    };
    let mut state = state();
    let band = |x: f64| Band {
        x: (-x, x),
        y: (-x, x),
    };
    state.bands = vec![band(2.0), band(4.0)];
    // What is out of range is the first.
    for (index, bound) in [(0, 2.0), (1, 4.0), (2, 2.0), (u32::MAX, 2.0)] {
        let vertices = vec![
            with_viewport(1 - index.min(1), [0.0, 0.0, 0.5, 1.0]),
            with_viewport(index, [8.0, 0.0, 0.5, 1.0]),
        ];
        let mut line = object(Kind::Line, vertices);
        line.provoking = 1;
        let out = run(&state, line);
        assert_eq!(position(&out[0].vertices[1])[0], bound, "viewport {index}");
    }
}

#[test]
fn every_clip_distance_clips_and_any_cull_distance_culls() {
    for i in 0..8 {
        let distances = |value: f32| {
            let mut all = [1.0; 8];
            all[i] = value;
            all
        };
        let place = |x: f32, value: f32| vue([x, 0.0, 0.5, 1.0], &distances(value));
        // 3 inside at the left, 1 beyond at the right: cut at three quarters.
        let line = object(Kind::Line, vec![place(0.0, 3.0), place(1.0, -1.0)]);
        assert_eq!(run(&state(), line.clone()).len(), 1);
        let mut clips = state();
        clips.user_clip = 1 << i;
        let out = run(&clips, line.clone());
        assert_eq!(position(&out[0].vertices[1])[0], 0.75, "distance {i}");
        let mut others = state();
        others.user_clip = 0xff & !(1 << i);
        assert_eq!(position(&run(&others, line.clone())[0].vertices[1])[0], 1.0);
        // Culling needs all vertices beyond.
        let beyond = object(Kind::Line, vec![place(0.0, -3.0), place(1.0, -1.0)]);
        let mut culls = state();
        culls.user_cull = 1 << i;
        assert_eq!(run(&culls, line).len(), 1);
        assert!(run(&culls, beyond.clone()).is_empty());
        assert!(run(&clips, beyond.clone()).is_empty());
        // None of them beyond, though near it.
        for nearest in [0.125, 0.0] {
            let near = object(Kind::Line, vec![place(0.0, nearest), place(1.0, 0.0)]);
            for state in [&clips, &culls] {
                let out = run(state, near.clone());
                assert_eq!(position(&out[0].vertices[1])[0], 1.0);
            }
        }
        assert_eq!(run(&others, beyond).len(), 1);
    }
}

#[test]
fn objects_outside_a_viewport_side_are_rejected_whole() {
    for (axis, sign) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0f32)] {
        let at = |along: f32| {
            let mut p = [0.0, 0.0, 0.5, 1.0];
            p[axis] = along * sign;
            p
        };
        let line = |from, to| object(Kind::Line, vec![vue(at(from), &[]), vue(at(to), &[])]);
        assert!(run(&state(), line(1.5, 2.0)).is_empty());
        assert_eq!(run(&state(), line(0.5, 2.0)).len(), 1);
        assert_eq!(run(&state(), line(1.0, 2.0)).len(), 1);
        let mut untested = state();
        untested.viewport_xy = false;
        assert_eq!(run(&untested, line(1.5, 2.0)).len(), 1);
    }
    // Depth: near at 0, or at -w; far at w.
    let line = |from: f32, to: f32| {
        let at = |z| vue([0.0, 0.0, z, 1.0], &[]);
        object(Kind::Line, vec![at(from), at(to)])
    };
    let mut open_gl = state();
    open_gl.open_gl = true;
    assert!(run(&state(), line(-0.5, -0.25)).is_empty());
    assert_eq!(run(&open_gl, line(-0.5, -0.25)).len(), 1);
    assert!(run(&open_gl, line(-1.5, -1.25)).is_empty());
    for state in [state(), open_gl] {
        assert!(run(&state, line(1.5, 1.25)).is_empty());
        let cut = run(&state, line(0.5, 1.5));
        assert_eq!(position(&cut[0].vertices[1])[2], 1.0);
    }
}
