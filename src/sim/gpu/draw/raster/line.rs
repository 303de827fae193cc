//! Aliased lines: the diamond-exit rule, widened across the major axis.
//!
//! In:  two ends on the grid, a width in pixels. Out: subspans; a covered pixel has all its
//!      samples. A pixel is drawn if the line leaves the diamond around its centre, so that
//!      connected lines draw no pixel twice.
//! Ref: SKL PRM vol. 7, "Zero-Width (Cosmetic) Line Rasterization"; Vulkan, "Bresenham Line Segment
//!      Rasterization".

use super::grid::{GridPoint, PIXEL};
use super::state::{Bounds, RasterState};
use crate::draw::object::Subspan;

/// True if a point lies within the diamond around a pixel's centre. The diamond includes its lower
/// edges and the bottom corner and, for steep lines, the right corner.
fn in_diamond(p: GridPoint, x: i64, y: i64, steep: bool) -> bool {
    let (dx, dy) = (p.x - x, p.y - y);
    let distance = dx.abs() + dy.abs();
    distance < PIXEL / 2 || distance == PIXEL / 2 && (dy > 0 || dy == 0 && dx > 0 && steep)
}

/// Draws a line. With `continues` it continues the stipple pattern of the line before.
pub(super) fn draw(
    state: &RasterState,
    bounds: &Bounds,
    (from, to): (GridPoint, GridPoint),
    width: i64,
    continues: bool,
    out: &mut Vec<Subspan>,
) {
    let steep = (to.y - from.y).abs() > (to.x - from.x).abs();
    // Swaps axes so that x is the major axis from here on.
    let turn = |p: GridPoint| match steep {
        true => GridPoint { x: p.y, y: p.x },
        false => p,
    };
    let (a, b) = (turn(from), turn(to));
    // A wide line is as long as a thin one; its rows start half of the additional rows earlier.
    let shift = (width - 1) * PIXEL / 2;
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    if dx == 0 {
        return;
    }
    let diamond = |p: GridPoint, x: i64, y: i64| match steep {
        true => in_diamond(turn(p), y, x, true),
        false => in_diamond(p, x, y, false),
    };
    let (low, high) = match steep {
        true => (bounds.y0, bounds.y1),
        false => (bounds.x0, bounds.x1),
    };
    // An end on the border of two columns lies in no diamond of the second; for a steep line it may
    // lie in a bottom corner of the first.
    let column = |end: i64| (end - 1).div_euclid(PIXEL);
    let (first, last) = (column(a.x.min(b.x)), column(a.x.max(b.x)));
    let all = (u32::MAX >> (32 - state.samples)) as u16;
    let start = out.len();
    // The row in which the line crosses the centre of a column, shifted up or to the left by `by`.
    let meets = |centre: i64, by: i64| {
        let numerator = (a.y - by) * dx.abs() + (centre - a.x) * dy * dx.signum();
        // On the border of two rows the line meets the bottom corner (or the right one) of the one
        // before.
        (numerator - 1).div_euclid(dx.abs() * PIXEL)
    };
    // The first row of a column if the line is drawn in it.
    let row = |column: i64| {
        let centre = column * PIXEL + PIXEL / 2;
        let middle = meets(centre, 0) * PIXEL + PIXEL / 2;
        let passes = a.x.min(b.x) <= centre && centre <= a.x.max(b.x);
        let enters = passes || diamond(a, centre, middle);
        (enters && !diamond(b, centre, middle)).then(|| meets(centre, shift))
    };
    let mut passed = 0;
    if let Some(stipple) = &state.stipple {
        if !continues {
            stipple.passed.set(0);
        }
        passed = stipple.passed.get();
        // The first and the last column may not be drawn; all columns between them are.
        let ends = [first, last].map(|column| u32::from(row(column).is_some()));
        let drawn = match first == last {
            true => ends[0],
            false => (last - first - 1) as u32 + ends[0] + ends[1],
        };
        stipple.passed.set(passed.wrapping_add(drawn));
        // Discounts the first column in the line's direction if it is not drawn.
        let skipped = if dx > 0 { first } else { last };
        passed = passed.wrapping_sub(u32::from(row(skipped).is_none()));
    }
    for column in first.max(low)..=last.min(high) {
        let Some(row) = row(column) else { continue };
        if let Some(stipple) = &state.stipple {
            let along = if dx > 0 {
                column - first
            } else {
                last - column
            };
            if !stipple.is_drawn(passed.wrapping_add(along as u32)) {
                continue;
            }
        }
        for row in row..row + width {
            let (x, y) = if steep { (row, column) } else { (column, row) };
            if x >= bounds.x0 && x <= bounds.x1 && y >= bounds.y0 && y <= bounds.y1 {
                plot(start, x, y, width, all, out);
            }
        }
    }
}

/// Adds a pixel to its subspan, which is one of the most recent ones if it exists.
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
                inner: 0,
            });
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
