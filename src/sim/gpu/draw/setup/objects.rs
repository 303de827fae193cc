//! Sets up objects: positions, planes and attributes of the objects to rasterise.
//!
//! In:  an object from the clipper, [`SetupState`]. Out: a [`SetupObject`] for each piece to
//!      rasterise.

use super::attributes::attributes;
use super::state::{Cull, Fill, SetupState};
use crate::draw::clip::viewport_index;
use crate::draw::object::{
    ClippedPiece, Kind, Object, Plane, ScreenVertex, SetupObject, Vue, dword, position,
};

/// Steps of the sub-pixel grid in a pixel.
pub(crate) const GRID: f64 = 256.0;
/// Coordinates are clamped to this many pixels, the range of a float on the sub-pixel grid.
const MAX_COORDINATE: f64 = 65535.0;

/// What all pieces of an object share.
struct ObjectContext<'a> {
    provoking: &'a Vue,
    /// Set if the clipper cut the object out of another one.
    cut: Option<&'a ClippedPiece>,
    viewport: u32,
    layer: u32,
    primitive_id: u32,
    front_facing: bool,
    continues: bool,
}

/// The part of an object to rasterise: the whole object, an edge or a corner.
struct Piece<'a> {
    kind: Kind,
    vertices: [ScreenVertex; 3],
    vues: [&'a Vue; 3],
    /// The corners of the object that are the piece's vertices; `None` if the attributes of `vues`
    /// apply unchanged.
    corners: Option<[usize; 3]>,
    /// Weights of vertices 1 and 2.
    weights: [Plane; 2],
    /// Depth bias.
    bias: f64,
    /// For points: whether point sprite coordinates start at the lower left.
    sprite: Option<bool>,
}

/// Sets up an object and appends the pieces to rasterise.
pub(crate) fn setup_object(state: &SetupState, object: &Object, out: &mut Vec<SetupObject>) {
    let count = object.kind.vertices();
    let (Some(provoking), Some(vues)) = (
        object.vertices.get(object.provoking),
        object.vertices.get(..count),
    ) else {
        return;
    };
    let viewport = viewport_index(provoking, state.viewport_count);
    let mut vertices = [ScreenVertex::default(); 3];
    for (to, vue) in vertices.iter_mut().zip(vues) {
        let Some(vertex) = transform(state, viewport, vue) else {
            return;
        };
        *to = vertex;
    }
    let mut common = ObjectContext {
        provoking,
        cut: object.cut.as_deref(),
        viewport: viewport as u32,
        layer: match state.force_zero_layer {
            true => 0,
            false => dword(provoking, 1),
        },
        primitive_id: object.primitive_id,
        front_facing: true,
        continues: object.continues,
    };
    match object.kind {
        Kind::Point => {
            let Some(vue) = vues.first() else { return };
            let bias = match state.bias_point {
                true => bias(state, &vertices[..1], 0.0),
                false => 0.0,
            };
            setup_point(state, vertices[0], vue, &common, bias, out);
        }
        Kind::Line => {
            let bias = match state.bias_wireframe {
                true => bias(state, &vertices[..2], 0.0),
                false => 0.0,
            };
            if let [a, b] = vues {
                let [start, end, _] = vertices;
                setup_line(state, [start, end], [a, b], [0, 1], &common, bias, out);
            }
        }
        Kind::Triangle => {
            let area = doubled_area(&vertices);
            // y points down on the screen, so a positive area is clockwise as seen.
            common.front_facing = match state.front_counter_clockwise {
                true => area < 0.0,
                false => area > 0.0,
            };
            let culled = match state.cull {
                Cull::None => false,
                Cull::Both => true,
                Cull::Front => common.front_facing,
                Cull::PixelBackend => !common.front_facing,
            };
            if !culled {
                setup_triangle(state, object, vertices, vues, &common, out);
            }
        }
        Kind::Rectangle => setup_solid(state, Kind::Rectangle, vertices, vues, &common, 0.0, out),
    }
}

/// Transforms a vertex to the screen; `None` if the result is NaN or its depth or 1/w is not
/// finite.
fn transform(state: &SetupState, viewport: usize, vue: &Vue) -> Option<ScreenVertex> {
    let [x, y, z, w] = position(vue).map(f64::from);
    // Divides instead of multiplying by the reciprocal, so that a component equal to w becomes
    // exactly 1.
    let mut place = match state.divide {
        true => [x / w, y / w, z / w],
        false => [x, y, z],
    };
    let inverse_w = match state.divide {
        true => (1.0 / w) as f32,
        false => 1.0,
    };
    if state.transform {
        let port = state.viewports.get(viewport)?;
        for (i, to) in place.iter_mut().enumerate() {
            *to = to.mul_add(f64::from(port.scale[i]), f64::from(port.offset[i]));
        }
    }
    let [x, y, z] = place;
    let z = z as f32;
    let snap = |value: f64, origin: f64| {
        let grid = ((value + origin) * GRID).round_ties_even() / GRID;
        grid.clamp(-MAX_COORDINATE, MAX_COORDINATE) as f32
    };
    let finite = !x.is_nan() && !y.is_nan() && z.is_finite() && inverse_w.is_finite();
    finite.then(|| ScreenVertex {
        x: snap(x, state.origin[0]),
        y: snap(y, state.origin[1]),
        z,
        inverse_w,
    })
}

/// Twice the area, exact.
fn doubled_area(v: &[ScreenVertex; 3]) -> f64 {
    let [(x0, y0), (x1, y1), (x2, y2)] = [0, 1, 2].map(|i| (f64::from(v[i].x), f64::from(v[i].y)));
    (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
}

/// The weights of vertices 1 and 2 of a triangle, as planes.
fn triangle_weights(v: &[ScreenVertex; 3], area: f64) -> [Plane; 2] {
    let [(x0, y0), (x1, y1), (x2, y2)] = [0, 1, 2].map(|i| (f64::from(v[i].x), f64::from(v[i].y)));
    let plane = |dx: f64, dy: f64| Plane {
        c: -(x0 * dx + y0 * dy) / area,
        dx: dx / area,
        dy: dy / area,
    };
    [plane(y2 - y0, x0 - x2), plane(y0 - y1, x1 - x0)]
}

/// The plane with the given values at the three vertices.
fn plane_through(weights: &[Plane; 2], [a, b, c]: [f64; 3]) -> Plane {
    let (b, c) = (b - a, c - a);
    let [p, q] = weights;
    Plane {
        c: a + p.c * b + q.c * c,
        dx: p.dx * b + q.dx * c,
        dy: p.dy * b + q.dy * c,
    }
}

/// A plane multiplied by a factor.
fn scaled_plane(plane: &Plane, factor: f64) -> Plane {
    Plane {
        c: plane.c * factor,
        dx: plane.dx * factor,
        dy: plane.dy * factor,
    }
}

/// The global depth offset of an object with this depth slope.
fn bias(state: &SetupState, vertices: &[ScreenVertex], slope: f64) -> f64 {
    let unit = state.bias_unit.unwrap_or_else(|| {
        // For float depth the unit is one in the last place of the greatest depth.
        let greatest = vertices.iter().fold(0.0, |z: f32, v| z.max(v.z.abs()));
        let exponent = (greatest.to_bits() >> 23 & 0xff) as i32 - 127;
        2f64.powi(exponent.max(-126) - 23)
    });
    let bias = f64::from(state.bias_constant) * unit + f64::from(state.bias_scale) * slope;
    let clamp = f64::from(state.bias_clamp);
    match clamp {
        c if c > 0.0 => bias.min(c),
        c if c < 0.0 => bias.max(c),
        _ => bias,
    }
}

fn setup_triangle(
    state: &SetupState,
    object: &Object,
    vertices: [ScreenVertex; 3],
    vues: &[Vue],
    common: &ObjectContext<'_>,
    out: &mut Vec<SetupObject>,
) {
    let area = doubled_area(&vertices);
    let fill = match common.front_facing {
        true => state.front_fill,
        false => state.back_fill,
    };
    let wanted = match fill {
        Fill::Solid => state.bias_solid,
        Fill::Wireframe => state.bias_wireframe,
        Fill::Point => state.bias_point,
    };
    let offset = match wanted {
        true if area != 0.0 => {
            let weights = triangle_weights(&vertices, area);
            let depth = plane_through(&weights, vertices.map(|v| f64::from(v.z)));
            bias(state, &vertices, depth.dx.abs().max(depth.dy.abs()))
        }
        true => bias(state, &vertices, 0.0),
        false => 0.0,
    };
    match fill {
        Fill::Solid => setup_solid(state, Kind::Triangle, vertices, vues, common, offset, out),
        Fill::Wireframe => {
            for (i, _) in object.edges.iter().enumerate().filter(|(_, edge)| **edge) {
                let next = (i + 1) % 3;
                let (Some(a), Some(b)) = (vues.get(i), vues.get(next)) else {
                    continue;
                };
                let ends = [vertices[i], vertices[next]];
                setup_line(state, ends, [a, b], [i, next], common, offset, out);
            }
        }
        Fill::Point => {
            let corners = vertices.iter().zip(vues).zip(object.edges);
            for ((vertex, vue), _) in corners.filter(|(_, edge)| *edge) {
                setup_point(state, *vertex, vue, common, offset, out);
            }
        }
    }
}

fn setup_solid(
    state: &SetupState,
    kind: Kind,
    vertices: [ScreenVertex; 3],
    vues: &[Vue],
    common: &ObjectContext<'_>,
    bias: f64,
    out: &mut Vec<SetupObject>,
) {
    let area = doubled_area(&vertices);
    let [a, b, c] = vues else { return };
    if area == 0.0 {
        return;
    }
    let piece = Piece {
        kind,
        vertices,
        vues: [a, b, c],
        corners: Some([0, 1, 2]),
        weights: triangle_weights(&vertices, area),
        bias,
        sprite: None,
    };
    push_piece(state, &piece, common, out);
}

fn setup_line(
    state: &SetupState,
    [start, end]: [ScreenVertex; 2],
    [a, b]: [&Vue; 2],
    [first, second]: [usize; 2],
    common: &ObjectContext<'_>,
    bias: f64,
    out: &mut Vec<SetupObject>,
) {
    let [(x0, y0), (x1, y1)] = [start, end].map(|v| (f64::from(v.x), f64::from(v.y)));
    let (dx, dy) = (x1 - x0, y1 - y0);
    if dx == 0.0 && dy == 0.0 {
        return;
    }
    // The position along the line: of an aliased line's pixel by its row or column, else of the
    // nearest point of the line.
    let (dx, dy) = match state.aliased_lines {
        true if dx.abs() >= dy.abs() => (dx, 0.0),
        true => (0.0, dy),
        false => (dx, dy),
    };
    let square = dx * dx + dy * dy;
    let along = Plane {
        c: -(x0 * dx + y0 * dy) / square,
        dx: dx / square,
        dy: dy / square,
    };
    let piece = Piece {
        kind: Kind::Line,
        vertices: [start, end, end],
        vues: [a, b, b],
        corners: Some([first, second, second]),
        weights: [along, Plane::default()],
        bias,
        sprite: None,
    };
    push_piece(state, &piece, common, out);
}

/// A point is a square; its three vertices are the upper left, upper right and lower left corner.
fn setup_point(
    state: &SetupState,
    centre: ScreenVertex,
    vue: &Vue,
    common: &ObjectContext<'_>,
    bias: f64,
    out: &mut Vec<SetupObject>,
) {
    let width = match state.point_width {
        Some(width) => width,
        None => {
            let width = f32::from_bits(dword(vue, 3));
            let [min_width, max_width] = state.point_range;
            // A NaN width becomes the minimum.
            let width = if width > min_width {
                width.min(max_width)
            } else {
                min_width
            };
            (width * 8.0).round_ties_even() / 8.0
        }
    };
    let half = width / 2.0;
    let corner = |x: f32, y: f32| ScreenVertex {
        x: centre.x + x * half,
        y: centre.y + y * half,
        ..centre
    };
    let vertices = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0)];
    let area = doubled_area(&vertices);
    if area == 0.0 {
        return;
    }
    let piece = Piece {
        kind: Kind::Point,
        vertices,
        vues: [vue; 3],
        corners: None,
        weights: triangle_weights(&vertices, area),
        bias,
        sprite: Some(state.sprite_lower_left),
    };
    push_piece(state, &piece, common, out);
}

/// The vertices whose attributes a piece interpolates, their weights, and the weights over w.
fn attribute_vertices<'a>(
    state: &SetupState,
    piece: &Piece<'a>,
    cut: Option<&'a ClippedPiece>,
) -> ([&'a Vue; 3], [Plane; 2], [Plane; 2]) {
    let inverse_w = piece.vertices.map(|v| f64::from(v.inverse_w));
    let (Some(cut), Some(corners)) = (cut, piece.corners) else {
        let [b, c] = &piece.weights;
        let over_w = [scaled_plane(b, inverse_w[1]), scaled_plane(c, inverse_w[2])];
        return (piece.vues, piece.weights, over_w);
    };
    // Divided by w, a quantity that is linear in clip space is linear on the screen.
    let over_w = [1, 2].map(|i: usize| {
        let at = |k: usize| cut.weights[corners[k] % 3][i] * inverse_w[k];
        plane_through(&piece.weights, [at(0), at(1), at(2)])
    });
    let w = |i: usize| match state.divide {
        true => f64::from(position(&cut.whole[i])[3]),
        false => 1.0,
    };
    let [a, b, c] = &cut.whole;
    let weights = [
        scaled_plane(&over_w[0], w(1)),
        scaled_plane(&over_w[1], w(2)),
    ];
    ([a, b, c], weights, over_w)
}

fn push_piece(
    state: &SetupState,
    piece: &Piece<'_>,
    common: &ObjectContext<'_>,
    out: &mut Vec<SetupObject>,
) {
    let vertices = piece.vertices;
    let mut depth = plane_through(&piece.weights, vertices.map(|v| f64::from(v.z)));
    depth.c += piece.bias;
    let (vues, weights, weights_over_w) = attribute_vertices(state, piece, common.cut);
    out.push(SetupObject {
        kind: piece.kind,
        vertices,
        attributes: attributes(
            &state.attributes,
            vues,
            common.provoking,
            common.front_facing,
            common.primitive_id,
            piece.sprite,
        ),
        depth,
        inverse_w: plane_through(&piece.weights, vertices.map(|v| f64::from(v.inverse_w))),
        weights,
        weights_over_w,
        front_facing: common.front_facing,
        viewport: common.viewport,
        layer: common.layer,
        continues: common.continues,
    });
}

#[cfg(test)]
mod tests;
