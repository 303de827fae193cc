//! Clips objects against the view volume, the guard band and user clip distances.
//!
//! In:  an object in clip space, [`ClipState`]. Out: the visible part of the object, appended as
//!      objects.

use super::state::{Band, ClipState, Mode};
use crate::draw::object::{ClippedPiece, Kind, Object, Vue, dword, position};
use std::sync::Arc;

/// A clip plane; the distance from it is positive inside.
#[derive(Clone, Copy, Debug)]
enum Side {
    /// w is at least this value.
    W(f64),
    Near,
    Far,
    /// `x >= bound * w` and so on.
    Left(f64),
    Right(f64),
    Top(f64),
    Bottom(f64),
    /// A user clip distance.
    User(usize),
}

/// An object that reaches behind the eye is cut at this fraction of its greatest w.
const MIN_RELATIVE_W: f64 = 1e-6;

impl Side {
    fn distance(self, vue: &[u32], open_gl: bool) -> f64 {
        let [x, y, z, w] = position(vue).map(f64::from);
        match self {
            Side::W(min_w) => w - min_w,
            Side::Near if open_gl => z + w,
            Side::Near => z,
            Side::Far => w - z,
            Side::Left(bound) => x - bound * w,
            Side::Right(bound) => bound * w - x,
            Side::Top(bound) => y - bound * w,
            Side::Bottom(bound) => bound * w - y,
            Side::User(i) => f64::from(f32::from_bits(dword(vue, 8 + i))),
        }
    }
}

/// Clips an object and appends the visible part.
pub(crate) fn clip(state: &ClipState, object: Object, out: &mut Vec<Object>) {
    if !state.enable || object.kind == Kind::Rectangle {
        return out.push(object);
    }
    match state.mode {
        Mode::RejectAll => return,
        Mode::AcceptAll => return out.push(object),
        Mode::Normal => {}
    }
    // A vertex with a NaN or an infinite w has no position.
    let finite = |v: &Vue| {
        let position = position(v);
        position.iter().all(|c| !c.is_nan()) && position[3].is_finite()
    };
    if !object.vertices.iter().all(finite) || is_culled(state, &object) {
        return;
    }
    let band = state.band(&object);
    let mut sides = [Side::Near; 16];
    let Some(count) = crossed_planes(state, &object, &band, &mut sides) else {
        return;
    };
    let sides = &sides[..count];
    if sides.is_empty() {
        return out.push(object);
    }
    match object.kind {
        // A point is either in or out.
        Kind::Point => {}
        Kind::Line => line(state, &object, sides, out),
        _ => triangle(state, object, sides, out),
    }
}

/// User cull distances: an object is culled if all its vertices are beyond one plane, or any
/// distance is NaN.
fn is_culled(state: &ClipState, object: &Object) -> bool {
    let mut mask = state.user_cull | state.user_clip;
    while mask != 0 {
        let i = mask.trailing_zeros();
        mask &= mask - 1;
        let distance = |v: &Vue| f32::from_bits(dword(v, 8 + i as usize));
        if object.vertices.iter().any(|v| distance(v).is_nan())
            || object.vertices.iter().all(|v| distance(v) < 0.0)
        {
            return true;
        }
    }
    false
}

/// Collects the planes that an object crosses and must be cut at; `None` if it is entirely beyond
/// one.
fn crossed_planes(
    state: &ClipState,
    object: &Object,
    band: &Band,
    sides: &mut [Side; 16],
) -> Option<usize> {
    let ws = || object.vertices.iter().map(|v| f64::from(position(v)[3]));
    let greatest = ws().fold(0.0, |a: f64, w| a.max(w.abs()));
    let min_w = match ws().any(|w| w <= 0.0) {
        true => (greatest * MIN_RELATIVE_W).max(f64::from(f32::MIN_POSITIVE)),
        false => f64::NEG_INFINITY,
    };
    // An object whose vertices are all beyond one side of the viewport is not visible. With the
    // test disabled it is kept, because a wide point or line may reach inside.
    let reject = |side: Side| {
        object
            .vertices
            .iter()
            .all(|v| side.distance(v, state.open_gl) < 0.0)
    };
    if state.viewport_xy
        && [
            Side::Left(-1.0),
            Side::Right(1.0),
            Side::Top(-1.0),
            Side::Bottom(1.0),
        ]
        .into_iter()
        .any(reject)
    {
        return None;
    }
    let mut count = 0;
    let mut test = |side: Side| -> bool {
        let (mut inside, mut outside) = (false, false);
        for vertex in &object.vertices {
            match side.distance(vertex, state.open_gl) < 0.0 {
                true => outside = true,
                false => inside = true,
            }
        }
        if outside && let Some(slot) = sides.get_mut(count) {
            *slot = side;
            count += 1;
        }
        inside
    };
    let mut seen = !min_w.is_finite() || test(Side::W(min_w));
    seen &= !state.near || test(Side::Near);
    seen &= !state.far || test(Side::Far);
    if state.viewport_xy || state.guard_band {
        seen &= test(Side::Left(band.x.0));
        seen &= test(Side::Right(band.x.1));
        seen &= test(Side::Top(band.y.0));
        seen &= test(Side::Bottom(band.y.1));
    }
    let mut mask = state.user_clip;
    while mask != 0 {
        seen &= test(Side::User(mask.trailing_zeros() as usize));
        mask &= mask - 1;
    }
    seen.then_some(count)
}

/// A vertex of a piece: its entry, and its weights of the uncut object's vertices.
#[derive(Clone)]
struct ClipVertex {
    vue: Vue,
    weights: [f64; 3],
}

impl ClipVertex {
    /// Vertex `i` of the uncut object.
    fn of_object(vue: &Vue, i: usize) -> ClipVertex {
        let mut weights = [0.0; 3];
        if let Some(weight) = weights.get_mut(i) {
            *weight = 1.0;
        }
        ClipVertex {
            vue: vue.clone(),
            weights,
        }
    }

    fn distance(&self, side: Side, open_gl: bool) -> f64 {
        side.distance(&self.vue, open_gl)
    }
}

/// The vertex where an edge crosses a plane. The arguments are always in the order inside, outside,
/// so that both objects that share the edge get the same vertex.
fn intersection(inside: &ClipVertex, outside: &ClipVertex, from: f64, to: f64) -> ClipVertex {
    // Two weights, neither negative: a sum of positive w stays positive, whereas a difference could
    // vanish.
    let (here, there) = (to / (to - from), from / (from - to));
    let mix = |i: usize| {
        let (a, b) = (dword(&inside.vue, i), dword(&outside.vue, i));
        if a == b {
            return a;
        }
        let (a, b) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)));
        ((a * here + b * there) as f32).to_bits()
    };
    // Header dwords are not interpolated, except the point width.
    let header = |i: usize| if i < 3 { dword(&inside.vue, i) } else { mix(i) };
    ClipVertex {
        vue: (0..inside.vue.len()).map(header).collect::<Arc<[u32]>>(),
        weights: std::array::from_fn(|i| inside.weights[i] * here + outside.weights[i] * there),
    }
}

fn line(state: &ClipState, object: &Object, sides: &[Side], out: &mut Vec<Object>) {
    let [first, second] = object.vertices.as_slice() else {
        return;
    };
    let mut ends = [
        ClipVertex::of_object(first, 0),
        ClipVertex::of_object(second, 1),
    ];
    for side in sides {
        let [a, b] = [0, 1].map(|i: usize| ends[i].distance(*side, state.open_gl));
        match (a < 0.0, b < 0.0) {
            (true, true) => return,
            (true, false) => ends[0] = intersection(&ends[1], &ends[0], b, a),
            (false, true) => ends[1] = intersection(&ends[0], &ends[1], a, b),
            (false, false) => {}
        }
    }
    let [start, end] = ends;
    let cut = ClippedPiece {
        whole: [first.clone(), second.clone(), second.clone()],
        weights: [start.weights, end.weights, end.weights],
    };
    let mut vertices = vec![start.vue, end.vue];
    vertices.extend(object.vertices.get(object.provoking).cloned());
    out.push(Object {
        vertices,
        provoking: 2,
        cut: Some(Box::new(cut)),
        ..object.clone()
    });
}

fn triangle(state: &ClipState, object: Object, sides: &[Side], out: &mut Vec<Object>) {
    // Each vertex of the polygon, with a flag whether the edge from it to the next is drawn.
    let [one, two, three] = object.vertices.as_slice() else {
        return;
    };
    let whole = [one.clone(), two.clone(), three.clone()];
    let corners = (0..)
        .zip(&whole)
        .map(|(i, vue)| ClipVertex::of_object(vue, i));
    let mut polygon: Vec<(ClipVertex, bool)> = corners.zip(object.edges).collect();
    let mut next = Vec::with_capacity(polygon.len() + 1);
    for side in sides {
        next.clear();
        for (i, (vertex, edge)) in polygon.iter().enumerate() {
            let Some((after, _)) = polygon.get((i + 1) % polygon.len()) else {
                return;
            };
            let [a, b] = [vertex, after].map(|v| v.distance(*side, state.open_gl));
            match (a < 0.0, b < 0.0) {
                (false, false) => next.push((vertex.clone(), *edge)),
                (false, true) => {
                    next.push((vertex.clone(), *edge));
                    // The edge along the plane closes the polygon and is drawn as part of its
                    // outline.
                    next.push((intersection(vertex, after, a, b), true));
                }
                (true, false) => next.push((intersection(after, vertex, b, a), *edge)),
                (true, true) => {}
            }
        }
        std::mem::swap(&mut polygon, &mut next);
        if polygon.len() < 3 {
            return;
        }
    }
    let Some(provoking) = object.vertices.get(object.provoking) else {
        return;
    };
    let last = polygon.len() - 1;
    let [(first, first_edge), rest @ ..] = polygon.as_slice() else {
        return;
    };
    for (i, pair) in rest.windows(2).enumerate() {
        let [(a, a_edge), (b, b_edge)] = pair else {
            continue;
        };
        out.push(Object {
            kind: Kind::Triangle,
            vertices: vec![
                first.vue.clone(),
                a.vue.clone(),
                b.vue.clone(),
                provoking.clone(),
            ],
            provoking: 3,
            primitive_id: object.primitive_id,
            edges: [i == 0 && *first_edge, *a_edge, i + 2 == last && *b_edge],
            continues: object.continues,
            cut: Some(Box::new(ClippedPiece {
                whole: whole.clone(),
                weights: [first, a, b].map(|corner| corner.weights),
            })),
        });
    }
}

#[cfg(test)]
mod tests;
