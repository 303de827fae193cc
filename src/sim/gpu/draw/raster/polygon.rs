//! Convex polygons: edge functions over blocks of pixels.
//!
//! In:  three or four corners on the grid, in either winding. Out: fully covered blocks, and
//!      subspans, block by block. A sample on an edge belongs to the polygon if the edge is a top
//!      or a left one. Conservative rasterisation covers every pixel that overlaps the polygon with
//!      a non-zero area; a pixel that only touches it is not covered.

use super::grid::{GridPoint, PIXEL};
use super::state::Bounds;
use crate::draw::object::{LOG_BLOCK, ObjectCoverage, Subspan};

/// `a * x + b * y + c`, not negative inside; `c` includes the rule for samples on the edge.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    a: i64,
    b: i64,
    c: i64,
    /// The amount by which the rule reduced `c`.
    rule: i64,
}

impl Edge {
    /// The edge of a polygon that is clockwise on a screen with y pointing down.
    fn new(from: GridPoint, to: GridPoint) -> Edge {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let top_left = dy < 0 || (dy == 0 && dx > 0);
        Edge {
            a: -dy,
            b: dx,
            c: dy * from.x - dx * from.y - i64::from(!top_left),
            rule: i64::from(!top_left),
        }
    }

    fn evaluate(self, x: i64, y: i64) -> i64 {
        self.a * x + self.b * y + self.c
    }

    /// The minimum and maximum change of the function over `width` × `height`.
    fn spread(self, width: i64, height: i64) -> (i64, i64) {
        let (x, y) = (self.a * width, self.b * height);
        (x.min(0) + y.min(0), x.max(0) + y.max(0))
    }
}

/// Side of a block that is emitted as a whole, and of one that is tested by subspans, in pixels.
const LARGE: i64 = 1 << LOG_BLOCK;
const BLOCK: i64 = 8;

/// How much of a block lies inside the polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockCoverage {
    None,
    Some,
    All,
}

/// A polygon prepared for the test of blocks.
struct PolygonWalk<'a> {
    edges: &'a [Edge],
    /// By edge and sample: the change of the edge function at the sample's position in its pixel.
    offsets: &'a [[i64; 16]],
    samples: usize,
    all: u16,
    bounds: Bounds,
    /// For conservative rasterisation: minimum and maximum x, minimum and maximum y of the polygon.
    extent: Option<[i64; 4]>,
}

/// Fills a convex polygon. `samples` are the positions of a pixel's samples.
pub(super) fn fill(
    samples: &[(i64, i64)],
    bounds: &Bounds,
    corners: &[GridPoint],
    conservative: bool,
    out: &mut ObjectCoverage,
) {
    let count = corners.len().min(4);
    let mut places = [GridPoint { x: 0, y: 0 }; 4];
    for (to, from) in places.iter_mut().zip(corners) {
        *to = *from;
    }
    let places = &mut places[..count];
    let doubled: i64 = (0..count)
        .map(|i| (places[i], places[(i + 1) % count]))
        .map(|(p, q)| p.x * q.y - q.x * p.y)
        .sum();
    if doubled == 0 {
        return;
    }
    if doubled < 0 {
        places.reverse();
    }
    let mut edges = [Edge::default(); 4];
    let mut offsets = [[0; 16]; 4];
    for i in 0..count {
        edges[i] = Edge::new(places[i], places[(i + 1) % count]);
        for (to, (x, y)) in offsets[i].iter_mut().zip(samples) {
            *to = edges[i].a * x + edges[i].b * y;
        }
    }
    let range = |of: fn(&GridPoint) -> i64| {
        let each = || places.iter().map(of);
        (each().min().unwrap_or(0), each().max().unwrap_or(0))
    };
    let ((left, right), (top, bottom)) = (range(|p| p.x), range(|p| p.y));
    let bounds = bounds.intersect(Bounds {
        x0: left.div_euclid(PIXEL),
        y0: top.div_euclid(PIXEL),
        x1: right.div_euclid(PIXEL),
        y1: bottom.div_euclid(PIXEL),
    });
    if bounds.is_empty() {
        return;
    }
    let polygon = PolygonWalk {
        edges: &edges[..count],
        offsets: &offsets[..count],
        samples: samples.len(),
        all: (u32::MAX >> (32 - samples.len().clamp(1, 16))) as u16,
        bounds,
        extent: conservative.then_some([left, right, top, bottom]),
    };
    out.all = polygon.all;
    let mut y = bounds.y0 & !(LARGE - 1);
    while y <= bounds.y1 {
        let mut x = bounds.x0 & !(LARGE - 1);
        while x <= bounds.x1 {
            polygon.large_block(x, y, out);
            x += LARGE;
        }
        y += LARGE;
    }
}

impl PolygonWalk<'_> {
    /// How much of a block with `side` pixels along its side lies inside the edges.
    fn block_coverage(&self, x: i64, y: i64, side: i64) -> BlockCoverage {
        let mut part = BlockCoverage::All;
        // Samples lie before a pixel's far sides; conservative rasterisation includes those.
        let reach = side * PIXEL - i64::from(self.extent.is_none());
        for edge in self.edges {
            let corner = edge.evaluate(x * PIXEL, y * PIXEL);
            let (min_edge, max_edge) = edge.spread(reach, reach);
            if corner + max_edge < 0 {
                return BlockCoverage::None;
            }
            if corner + min_edge < 0 {
                part = BlockCoverage::Some;
            }
        }
        part
    }

    /// True if the bounds contain the whole block.
    fn within(&self, x: i64, y: i64, side: i64) -> bool {
        let b = &self.bounds;
        x >= b.x0 && y >= b.y0 && x + side - 1 <= b.x1 && y + side - 1 <= b.y1
    }

    /// One large block: skipped, accepted as a whole, or split into small blocks.
    fn large_block(&self, x: i64, y: i64, out: &mut ObjectCoverage) {
        match self.block_coverage(x, y, LARGE) {
            BlockCoverage::None => return,
            BlockCoverage::All if self.within(x, y, LARGE) => {
                out.blocks.push([x as u32, y as u32]);
                return;
            }
            _ => {}
        }
        let b = &self.bounds;
        for by in (y..y + LARGE).step_by(BLOCK as usize) {
            for bx in (x..x + LARGE).step_by(BLOCK as usize) {
                let meets = bx <= b.x1 && bx + BLOCK > b.x0 && by <= b.y1 && by + BLOCK > b.y0;
                if meets {
                    self.small_block(bx, by, &mut out.subspans);
                }
            }
        }
    }

    /// One small block: skipped, accepted as a whole, or tested by subspans.
    fn small_block(&self, x: i64, y: i64, out: &mut Vec<Subspan>) {
        let whole = match self.block_coverage(x, y, BLOCK) {
            BlockCoverage::None => return,
            part => part == BlockCoverage::All,
        };
        let b = &self.bounds;
        let within = self.within(x, y, BLOCK);
        for sy in (y..y + BLOCK).step_by(2) {
            if sy > b.y1 || sy + 1 < b.y0 {
                continue;
            }
            for sx in (x..x + BLOCK).step_by(2) {
                if sx > b.x1 || sx + 1 < b.x0 {
                    continue;
                }
                let mut inner = 0;
                let mut samples = match (whole, self.extent) {
                    (true, _) => {
                        inner = 15;
                        [self.all; 4]
                    }
                    (false, Some(extent)) => self.conservative_samples(sx, sy, extent, &mut inner),
                    (false, None) => match self.samples {
                        1 => self.single_sampled(sx, sy),
                        2 => self.multisampled::<2>(sx, sy),
                        4 => self.multisampled::<4>(sx, sy),
                        8 => self.multisampled::<8>(sx, sy),
                        _ => self.multisampled::<16>(sx, sy),
                    },
                };
                if !within {
                    for (i, to) in samples.iter_mut().enumerate() {
                        let (px, py) = (sx + (i as i64 & 1), sy + (i as i64 >> 1));
                        if px < b.x0 || px > b.x1 || py < b.y0 || py > b.y1 {
                            *to = 0;
                        }
                    }
                }
                if samples != [0; 4] {
                    out.push(Subspan {
                        x: sx as u32,
                        y: sy as u32,
                        samples,
                        inner,
                    });
                }
            }
        }
    }

    /// All samples of each pixel of a subspan that overlaps the polygon; sets the bits of `inner`
    /// for the pixels entirely inside.
    fn conservative_samples(
        &self,
        x: i64,
        y: i64,
        [left, right, top, bottom]: [i64; 4],
        inner: &mut u8,
    ) -> [u16; 4] {
        std::array::from_fn(|i| {
            let (x, y) = ((x + (i as i64 & 1)) * PIXEL, (y + (i as i64 >> 1)) * PIXEL);
            // Two convex shapes are disjoint if a line along a side of one of them separates them.
            let mut part = x < right && x + PIXEL > left && y < bottom && y + PIXEL > top;
            let mut whole = true;
            for edge in self.edges {
                let corner = edge.evaluate(x, y) + edge.rule;
                let (min_edge, max_edge) = edge.spread(PIXEL, PIXEL);
                part &= corner + max_edge > 0;
                whole &= corner + min_edge >= 0;
            }
            *inner |= u8::from(whole) << i;
            if part { self.all } else { 0 }
        })
    }

    /// The covered samples of a subspan with one sample per pixel.
    fn single_sampled(&self, x: i64, y: i64) -> [u16; 4] {
        // A sign bit is set if any edge has the pixel outside.
        let mut signs = [0i64; 4];
        for (edge, offsets) in self.edges.iter().zip(self.offsets) {
            let first = edge.evaluate(x * PIXEL, y * PIXEL) + offsets[0];
            let (dx, dy) = (edge.a * PIXEL, edge.b * PIXEL);
            signs[0] |= first;
            signs[1] |= first + dx;
            signs[2] |= first + dy;
            signs[3] |= first + dx + dy;
        }
        signs.map(|s| u16::from(s >= 0))
    }

    /// The covered samples of a subspan with `N` samples per pixel.
    fn multisampled<const N: usize>(&self, x: i64, y: i64) -> [u16; 4] {
        let mut signs = [[0i64; N]; 4];
        for (edge, offsets) in self.edges.iter().zip(self.offsets) {
            let first = edge.evaluate(x * PIXEL, y * PIXEL);
            let (dx, dy) = (edge.a * PIXEL, edge.b * PIXEL);
            let pixels = [first, first + dx, first + dy, first + dx + dy];
            for (signs, pixel) in signs.iter_mut().zip(pixels) {
                for (sign, offset) in signs.iter_mut().zip(offsets) {
                    *sign |= pixel + offset;
                }
            }
        }
        signs.map(|signs| {
            let each = signs.iter().enumerate();
            each.fold(0, |mask, (i, sign)| mask | u16::from(*sign >= 0) << i)
        })
    }
}

#[cfg(test)]
pub(super) mod tests;
