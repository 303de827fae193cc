//! Aliased lines: the diamond-exit rule, widened across the major axis.
//!
//! In:  two ends on the grid, a width in pixels. Out: subspans; a covered pixel has all its samples.
//! A pixel is drawn where the line leaves the diamond around its centre, so that lines that continue each other draw
//! no pixel twice. Ref: Vulkan, "Bresenham Line Segment Rasterization".

use super::{Bounds, PIXEL, Place, RasterState};
use crate::draw::object::Subspan;

/// True where a place is within the diamond of a pixel, given by its centre.
fn in_diamond(p: Place, x: i64, y: i64) -> bool {
    (p.x - x).abs() + (p.y - y).abs() < PIXEL / 2
}

/// Draws one line.
pub(super) fn draw(
    state: &RasterState,
    bounds: &Bounds,
    from: Place,
    to: Place,
    width: i64,
    out: &mut Vec<Subspan>,
) {
    let steep = (to.y - from.y).abs() > (to.x - from.x).abs();
    // From here on x is the major axis.
    let turn = |p: Place| match steep {
        true => Place { x: p.y, y: p.x },
        false => p,
    };
    let (mut a, mut b) = (turn(from), turn(to));
    let shift = (width - 1) * PIXEL / 2;
    a.y -= shift;
    b.y -= shift;
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    if dx == 0 {
        return;
    }
    let (low, high) = match steep {
        true => (bounds.y0, bounds.y1),
        false => (bounds.x0, bounds.x1),
    };
    let first = a.x.min(b.x).div_euclid(PIXEL).max(low);
    let last = a.x.max(b.x).div_euclid(PIXEL).min(high);
    let all = (u32::MAX >> (32 - state.samples)) as u16;
    let start = out.len();
    for column in first..=last {
        let centre = column * PIXEL + PIXEL / 2;
        // The line's row where it passes the middle of the column.
        let numerator = a.y * dx.abs() + (centre - a.x) * dy * dx.signum();
        let row = numerator.div_euclid(dx.abs() * PIXEL);
        let middle = row * PIXEL + PIXEL / 2;
        let passes = a.x.min(b.x) <= centre && centre <= a.x.max(b.x);
        let enters = passes || in_diamond(a, centre, middle);
        if !enters || in_diamond(b, centre, middle) {
            continue;
        }
        for row in row..row + width {
            let (x, y) = if steep { (row, column) } else { (column, row) };
            if x >= bounds.x0 && x <= bounds.x1 && y >= bounds.y0 && y <= bounds.y1 {
                plot(start, x, y, width, all, out);
            }
        }
    }
}

/// Adds a pixel to its subspan, which is one of the last ones if it is there at all.
fn plot(start: usize, x: i64, y: i64, width: i64, all: u16, out: &mut Vec<Subspan>) {
    let (sx, sy) = ((x & !1) as u32, (y & !1) as u32);
    let pixel = ((x & 1) + 2 * (y & 1)) as usize;
    let recent = out.len().saturating_sub(width as usize / 2 + 4).max(start);
    let known = out[recent..]
        .iter_mut()
        .rev()
        .find(|s| (s.x, s.y) == (sx, sy));
    match known {
        Some(subspan) => subspan.samples[pixel] = all,
        None => {
            let mut samples = [0; 4];
            samples[pixel] = all;
            out.push(Subspan {
                x: sx,
                y: sy,
                samples,
            });
        }
    }
}
