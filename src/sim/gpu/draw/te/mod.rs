//! The tessellation engine: tessellation factors to domain points and how they are connected.
//!
//! In:  3DSTATE_TE, the factors that the hull shader left in the patch header. Out: [`Tessellation`]: points of the domain
//! in fixed point with 16 fraction bits, and points, lines or triangles of them.
//! Points lie where Vulkan's and D3D11's rules put them, on a grid that is equal for equal factors, so that patches which
//! share an edge share its points. How the ring between the outer edges and the inside is cut into triangles is free.
//! Ref: SKL PRM vol. 7, "Tessellation Engine (TE)"; Vulkan specification, chapter "Tessellation".

mod factor;
#[cfg(test)]
mod tests;

use super::state::DrawState;
use factor::{Axis, ONE};
use hw::draw::state_te as te;

/// 3DSTATE_TE, TE Domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Quad,
    Triangle,
    Isoline,
}

/// 3DSTATE_TE, Partitioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Partitioning {
    Integer,
    Odd,
    Even,
}

/// 3DSTATE_TE, Output Topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Point,
    Line,
    /// Clockwise with v downwards: a positive area in (u, v).
    Clockwise,
    CounterClockwise,
}

/// What 3DSTATE_TE says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Engine {
    pub domain: Domain,
    pub partitioning: Partitioning,
    pub output: Output,
    /// Maximum Tessellation Factor Odd, Not Odd.
    pub max_odd: f32,
    pub max_not_odd: f32,
}

/// A tessellated patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tessellation {
    /// u and v with 16 fraction bits.
    pub points: Vec<[i32; 2]>,
    /// Indices of points: as many as an object of the output topology has, one object after the other.
    pub indices: Vec<u32>,
}

impl Engine {
    /// Reads 3DSTATE_TE; none where the engine is off, an error where a field has a reserved value.
    pub fn new(state: &DrawState) -> Result<Option<Engine>, &'static str> {
        let get = |field| state.get(&te::PACKET, field);
        if get(te::TE_ENABLE) == 0 {
            return Ok(None);
        }
        Ok(Some(Engine {
            domain: match get(te::TE_DOMAIN) {
                0 => Domain::Quad,
                1 => Domain::Triangle,
                2 => Domain::Isoline,
                _ => return Err("a reserved TE Domain"),
            },
            partitioning: match get(te::PARTITIONING) {
                0 => Partitioning::Integer,
                1 => Partitioning::Odd,
                2 => Partitioning::Even,
                _ => return Err("a reserved Partitioning"),
            },
            output: match get(te::OUTPUT_TOPOLOGY) {
                0 => Output::Point,
                1 => Output::Line,
                2 => Output::Clockwise,
                _ => Output::CounterClockwise,
            },
            max_odd: f32::from_bits(get(te::MAXIMUM_TESSELLATION_FACTOR_ODD) as u32),
            max_not_odd: f32::from_bits(get(te::MAXIMUM_TESSELLATION_FACTOR_NOT_ODD) as u32),
        }))
    }

    /// Tessellates a patch with outer factors (quad: u = 0, v = 0, u = 1, v = 1; triangle: u = 0, v = 0, w = 0; isoline:
    /// lines, segments of a line) and inner factors (quad: u, v; triangle: one). None where the patch is culled.
    pub fn tessellate(&self, outer: [f32; 4], inner: [f32; 2]) -> Option<Tessellation> {
        let edges = match self.domain {
            Domain::Quad => 4,
            Domain::Triangle => 3,
            Domain::Isoline => 2,
        };
        // A factor that is no number compares false as well.
        if !outer.iter().take(edges).all(|factor| *factor > 0.0) {
            return None;
        }
        let mut build = Build::default();
        match self.domain {
            Domain::Quad => self.quad(outer, inner, &mut build),
            Domain::Triangle => self.triangle([outer[0], outer[1], outer[2]], inner[0], &mut build),
            Domain::Isoline => self.isoline(outer[0], outer[1], &mut build),
        }
        Some(build.finish(self.output))
    }

    fn axis(&self, factor: f32) -> Axis {
        Axis::outer(factor, self)
    }

    fn quad(&self, outer: [f32; 4], inner: [f32; 2], build: &mut Build) {
        let edges = outer.map(|factor| self.axis(factor));
        let whole = inner.map(|factor| self.axis(factor));
        if edges.iter().chain(&whole).all(Axis::is_whole) {
            let corners = [[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]].map(|p| build.point(p));
            build.quad(corners, true);
            return;
        }
        let [u, v] = inner.map(|factor| Axis::inner(factor, self));
        let corners = [[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]].map(|p| build.point(p));
        // Along v = 0, u = 1 and back: each edge from corner to corner, counter-clockwise.
        let mut ring = Vec::with_capacity(4);
        for (side, axis) in [1usize, 2, 3, 0]
            .into_iter()
            .zip([&edges[1], &edges[2], &edges[3], &edges[0]])
        {
            let from = corners[ring.len()];
            let to = corners[(ring.len() + 1) % 4];
            let mut line = vec![(0, from)];
            for i in 1..axis.points() - 1 {
                let index = if matches!(side, 3 | 0) {
                    axis.points() - 1 - i
                } else {
                    i
                };
                let at = axis.place(index);
                let (point, along) = match side {
                    1 => ([at, 0], at),
                    2 => ([ONE, at], at),
                    3 => ([at, ONE], ONE - at),
                    _ => ([0, at], ONE - at),
                };
                line.push((along, build.point(point)));
            }
            line.push((ONE, to));
            ring.push(line);
        }
        // The inside is a regular grid.
        let (columns, rows) = (u.points() - 2, v.points() - 2);
        let mut grid = Vec::with_capacity(columns * rows);
        for j in 0..rows {
            for i in 0..columns {
                grid.push(build.point([u.place(i + 1), v.place(j + 1)]));
            }
        }
        let at = |i: usize, j: usize| grid[j * columns + i];
        for j in 1..rows {
            for i in 1..columns {
                let corners = [at(i - 1, j - 1), at(i, j - 1), at(i, j), at(i - 1, j)];
                build.quad(corners, (2 * i <= columns) == (2 * j <= rows));
            }
        }
        let (right, top) = (columns - 1, rows - 1);
        let bottom = (0..columns).map(|i| (u.place(i + 1), at(i, 0)));
        build.stitch(&ring[0], &bottom.collect::<Vec<_>>());
        let side = (0..rows).map(|j| (v.place(j + 1), at(right, j)));
        build.stitch(&ring[1], &side.collect::<Vec<_>>());
        let side = (0..columns)
            .rev()
            .map(|i| (ONE - u.place(i + 1), at(i, top)));
        build.stitch(&ring[2], &side.collect::<Vec<_>>());
        let side = (0..rows).rev().map(|j| (ONE - v.place(j + 1), at(0, j)));
        build.stitch(&ring[3], &side.collect::<Vec<_>>());
    }

    fn triangle(&self, outer: [f32; 3], inner: f32, build: &mut Build) {
        let edges = outer.map(|factor| self.axis(factor));
        // Corners at w = 1, u = 1, v = 1: a positive area in (u, v).
        let corners = [[0, 0], [ONE, 0], [0, ONE]];
        let ids = corners.map(|p| build.point(p));
        if edges.iter().all(Axis::is_whole) && self.axis(inner).is_whole() {
            build.triangle(ids);
            return;
        }
        let inside = Axis::inner(inner, self);
        // Edges v = 0, w = 0, u = 0, from corner to corner; the outer factor of each.
        let mut ring: Vec<Vec<(i32, u32)>> = Vec::with_capacity(3);
        for (side, edge) in [1usize, 2, 0].into_iter().enumerate() {
            let axis = &edges[edge];
            let mut line = vec![(0, ids[side])];
            for i in 1..axis.points() - 1 {
                // Places count along u on v = 0, along v on the others: both neighbours of an edge see the same points.
                let (point, along) = match edge {
                    1 => {
                        let at = axis.place(i);
                        ([at, 0], at)
                    }
                    2 => {
                        let at = axis.place(i);
                        ([ONE - at, at], at)
                    }
                    _ => {
                        let at = axis.place(axis.points() - 1 - i);
                        ([0, at], ONE - at)
                    }
                };
                line.push((along, build.point(point)));
            }
            line.push((ONE, ids[(side + 1) % 3]));
            ring.push(line);
        }
        let segments = inside.points() - 1;
        let mut depth = 1;
        while segments >= 2 * depth {
            // A ring whose sides lie two thirds of its place away from the edges, so that the middle is at one third.
            let t = inside.place(depth);
            let (across, third) = (thirds(2 * t), thirds(t));
            let count = segments - 2 * depth;
            let mut next: Vec<Vec<(i32, u32)>> = Vec::with_capacity(3);
            if count == 0 {
                let middle = build.point([across, across]);
                next.extend((0..3).map(|_| vec![(ONE / 2, middle)]));
            } else {
                let mut first = None;
                for side in 0..3 {
                    let mut line = Vec::with_capacity(count + 1);
                    for i in 0..=count {
                        let s = inside.place(depth + i);
                        let id = if i == 0 && side > 0 {
                            next[side - 1].last().map_or(0, |(_, id): &(i32, u32)| *id)
                        } else if let (true, Some(first)) = (side == 2 && i == count, first) {
                            first
                        } else {
                            let along = s - third;
                            let rest = ONE - across - along;
                            build.point(match side {
                                0 => [along, across],
                                1 => [rest, along],
                                _ => [across, rest],
                            })
                        };
                        first.get_or_insert(id);
                        line.push((s, id));
                    }
                    next.push(line);
                }
            }
            for (outside, inside) in ring.iter().zip(&next) {
                build.stitch(outside, inside);
            }
            ring = next;
            depth += 1;
        }
        // With an odd number of segments a triangle is left in the middle.
        if segments % 2 == 1 {
            let corner = |side: usize| ring.get(side).and_then(|l| l.first()).map_or(0, |p| p.1);
            build.triangle([corner(0), corner(1), corner(2)]);
        }
    }

    fn isoline(&self, lines: f32, segments: f32, build: &mut Build) {
        // The number of lines is a whole one in every partitioning.
        let lines = Engine {
            partitioning: Partitioning::Integer,
            ..*self
        }
        .axis(lines);
        let along = self.axis(segments);
        for j in 0..lines.points() - 1 {
            let v = lines.place(j);
            let mut last = None;
            for i in 0..along.points() {
                let id = build.point([along.place(i), v]);
                if let Some(last) = last {
                    build.lines.push([last, id]);
                }
                last = Some(id);
            }
        }
    }
}

/// A third, rounded.
fn thirds(value: i32) -> i32 {
    (value + 1) / 3
}

/// Points and objects as they come.
#[derive(Default)]
struct Build {
    points: Vec<[i32; 2]>,
    triangles: Vec<[u32; 3]>,
    lines: Vec<[u32; 2]>,
}

impl Build {
    fn point(&mut self, point: [i32; 2]) -> u32 {
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    /// Counter-clockwise with v upwards.
    fn triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
    }

    /// Corners counter-clockwise from the lowest; cut from the first to the third where `first`.
    fn quad(&mut self, [a, b, c, d]: [u32; 4], first: bool) {
        if first {
            self.triangle([a, b, c]);
            self.triangle([a, c, d]);
        } else {
            self.triangle([a, b, d]);
            self.triangle([b, c, d]);
        }
    }

    /// Fills the space between a side of a ring and the same side of the next ring inside, both in order of place.
    fn stitch(&mut self, outside: &[(i32, u32)], inside: &[(i32, u32)]) {
        let (mut o, mut i) = (0, 0);
        while let (Some(&(_, a)), Some(&(_, b))) = (outside.get(o), inside.get(i)) {
            match (outside.get(o + 1), inside.get(i + 1)) {
                (None, None) => break,
                // The side whose next point comes first goes on: middles keep fractional factors symmetric.
                (Some(&(at, next)), other)
                    if other.is_none_or(|other| at + outside[o].0 <= other.0 + inside[i].0) =>
                {
                    self.triangle([a, next, b]);
                    o += 1;
                }
                (_, Some(&(_, next))) => {
                    self.triangle([a, next, b]);
                    i += 1;
                }
                (Some(&(_, next)), None) => {
                    self.triangle([a, next, b]);
                    o += 1;
                }
            }
        }
    }

    fn finish(self, output: Output) -> Tessellation {
        let indices = match output {
            Output::Point => (0..self.points.len() as u32).collect(),
            Output::Line => self.lines.into_iter().flatten().collect(),
            Output::Clockwise => self.triangles.into_iter().flatten().collect(),
            Output::CounterClockwise => {
                let turned = self.triangles.into_iter().map(|[a, b, c]| [a, c, b]);
                turned.flatten().collect()
            }
        };
        Tessellation {
            points: self.points,
            indices,
        }
    }
}
