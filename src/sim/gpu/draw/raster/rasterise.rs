//! Rasterises objects by their kind.
//!
//! In:  a [`SetupObject`], [`RasterState`]. Out: a [`ObjectCoverage`].

use super::grid::{GridPoint, PIXEL, grid_point, vertex_grid_point};
use super::state::{self, Bounds, Lines, RasterState};
use super::{line, polygon};
use crate::draw::object::{Kind, ObjectCoverage, SetupObject};

/// Pixels of an object's bounding box within the drawable area; 0 for lines, which are thin.
pub(crate) fn bounding_box_pixels(state: &RasterState, setup: &SetupObject) -> u64 {
    let bounds = state.bounds.get(setup.viewport as usize);
    let Some(bounds) = bounds.or(state.bounds.first()) else {
        return 0;
    };
    if matches!(setup.kind, Kind::Line) {
        return 0;
    }
    let [a, b, c] = setup.vertices.each_ref().map(vertex_grid_point);
    let within = bounds.intersect(Bounds {
        x0: a.x.min(b.x).min(c.x).div_euclid(PIXEL),
        y0: a.y.min(b.y).min(c.y).div_euclid(PIXEL),
        x1: a.x.max(b.x).max(c.x).div_euclid(PIXEL),
        y1: a.y.max(b.y).max(c.y).div_euclid(PIXEL),
    });
    let span = |first: i64, last: i64| (last - first + 1).max(0) as u64;
    span(within.x0, within.x1) * span(within.y0, within.y1)
}

/// Rasterises an object and appends the samples that it covers, each pixel once.
pub(crate) fn rasterise(state: &RasterState, setup: &SetupObject, out: &mut ObjectCoverage) {
    let index = setup.viewport as usize;
    let Some(bounds) = state.bounds.get(index).or(state.bounds.first()) else {
        return;
    };
    if bounds.is_empty() {
        return;
    }
    let v = setup.vertices.each_ref().map(vertex_grid_point);
    match setup.kind {
        // Conservative rasterisation applies to triangles only, not to lines, points or rectangles.
        Kind::Triangle => {
            polygon::fill(state.samples(), bounds, &v, state.conservative, out);
        }
        Kind::Rectangle => {
            // The implied vertex is opposite to the second.
            let [a, b, c] = v;
            let implied = GridPoint {
                x: a.x + c.x - b.x,
                y: a.y + c.y - b.y,
            };
            polygon::fill(state.samples(), bounds, &[a, b, c, implied], false, out);
        }
        Kind::Point => {
            // The corners are upper left, upper right, lower left. By the upper right rule a sample
            // on the right edge is inside and one on the left edge is not. Moving the square one
            // grid step to the right has that effect, because samples lie on the grid.
            let [a, b, c] = v.map(|v| GridPoint {
                x: v.x + i64::from(state.upper_right),
                ..v
            });
            let corner = GridPoint { x: b.x, y: c.y };
            polygon::fill(state.samples(), bounds, &[a, b, corner, c], false, out);
        }
        Kind::Line => match state.lines {
            Lines::Aliased { width } => {
                let ends = (v[0], v[1]);
                line::draw(
                    state,
                    bounds,
                    ends,
                    width,
                    setup.continues,
                    &mut out.subspans,
                );
            }
            Lines::Rectangles { width } | Lines::Smooth { width } => {
                let [(x0, y0), (x1, y1)] = [0, 1].map(|i: usize| {
                    (
                        f64::from(setup.vertices[i].x),
                        f64::from(setup.vertices[i].y),
                    )
                });
                let length = (x1 - x0).hypot(y1 - y0);
                if length > 0.0 {
                    let scale = width / 2.0 / length;
                    let (nx, ny) = ((y0 - y1) * scale, (x1 - x0) * scale);
                    let corners = [
                        grid_point(x0 + nx, y0 + ny),
                        grid_point(x0 - nx, y0 - ny),
                        grid_point(x1 - nx, y1 - ny),
                        grid_point(x1 + nx, y1 + ny),
                    ];
                    let samples = match state.lines {
                        Lines::Smooth { .. } => &state::smooth_line_grid()[..],
                        _ => state.samples(),
                    };
                    polygon::fill(samples, bounds, &corners, false, out);
                }
            }
        },
    }
}

#[cfg(test)]
pub(super) mod tests;
