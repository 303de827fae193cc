//! The sub-pixel grid that objects are rasterised on: 256 steps in a pixel.

use crate::draw::object::ScreenVertex;

/// A point in 256ths of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridPoint {
    pub x: i64,
    pub y: i64,
}

/// Grid steps in a pixel.
pub(super) const PIXEL: i64 = 256;

/// The grid point nearest to a position in pixels.
pub(super) fn grid_point(x: f64, y: f64) -> GridPoint {
    let grid = |v: f64| (v * PIXEL as f64).round_ties_even() as i64;
    GridPoint {
        x: grid(x),
        y: grid(y),
    }
}

/// The grid point of a vertex.
pub(super) fn vertex_grid_point(vertex: &ScreenVertex) -> GridPoint {
    grid_point(f64::from(vertex.x), f64::from(vertex.y))
}
