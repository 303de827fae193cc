//! Places the points of a patch and connects them, by domain.
//!
//! In:  [`Engine`], the factors of a patch header. Out: [`Tessellation`].

use super::factor::{Axis, ONE};
use super::mesh::{Mesh, Tessellation};
use super::state::{Domain, Engine, Partitioning};

impl Engine {
    /// Tessellates a patch with outer factors (quad: u = 0, v = 0, u = 1, v = 1; triangle: u = 0, v
    /// = 0, w = 0; isoline: lines, segments of a line) and inner factors (quad: u, v; triangle:
    /// one). `None` if the patch is culled.
    pub fn tessellate(&self, outer: [f32; 4], inner: [f32; 2]) -> Option<Tessellation> {
        let edges = match self.domain {
            Domain::Quad => 4,
            Domain::Triangle => 3,
            Domain::Isoline => 2,
        };
        // A NaN factor compares false as well and culls the patch.
        if !outer.iter().take(edges).all(|factor| *factor > 0.0) {
            return None;
        }
        let mut mesh = Mesh::default();
        match self.domain {
            Domain::Quad => self.quad(outer, inner, &mut mesh),
            Domain::Triangle => self.triangle([outer[0], outer[1], outer[2]], inner[0], &mut mesh),
            Domain::Isoline => self.isoline(outer[0], outer[1], &mut mesh),
        }
        Some(mesh.finish(self.output))
    }

    fn axis(&self, factor: f32) -> Axis {
        Axis::outer(factor, self)
    }

    fn quad(&self, outer: [f32; 4], inner: [f32; 2], mesh: &mut Mesh) {
        let edges = outer.map(|factor| self.axis(factor));
        let single_segment = inner.map(|factor| self.axis(factor));
        if edges
            .iter()
            .chain(&single_segment)
            .all(Axis::is_single_segment)
        {
            let [a, b, c, d] = [[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]].map(|p| mesh.point(p));
            mesh.triangle([a, b, d]);
            mesh.triangle([b, c, d]);
            return;
        }
        let sides = edges.iter().enumerate().map(|(side, axis)| {
            let on = |i: usize| match side {
                0 => [0, axis.position(axis.points() - 1 - i)],
                1 => [axis.position(i), 0],
                2 => [ONE, axis.position(i)],
                _ => [axis.position(axis.points() - 1 - i), ONE],
            };
            (0..axis.points() - 1).map(on).collect()
        });
        let mut ring = mesh.ring(sides.collect());
        let [u, v] = inner.map(|factor| Axis::inner(factor, self));
        let (columns, rows) = (u.points(), v.points());
        // The rings of the inside; the last may degenerate to a line or a point.
        for depth in 1..columns.min(rows).div_ceil(2) {
            let (left, right) = (depth, columns - 1 - depth);
            let (bottom, top) = (depth, rows - 1 - depth);
            let at = |i: usize, j: usize| [u.position(i), v.position(j)];
            let next = if left == right {
                let line = (bottom..=top).rev().map(|j| at(left, j));
                mesh.line(line.collect(), 0)
            } else if bottom == top {
                let line = (left..=right).map(|i| at(i, bottom));
                mesh.line(line.collect(), 1)
            } else {
                mesh.ring(vec![
                    (bottom + 1..=top).rev().map(|j| at(left, j)).collect(),
                    (left..right).map(|i| at(i, bottom)).collect(),
                    (bottom..top).map(|j| at(right, j)).collect(),
                    (left + 1..=right).rev().map(|i| at(i, top)).collect(),
                ])
            };
            for side in 0..4 {
                let axis = [&v, &u][side % 2];
                match depth {
                    1 => mesh.transition((&ring[side], &edges[side]), (&next[side], axis)),
                    _ => mesh.regular(&ring[side], &next[side]),
                }
            }
            ring = next;
        }
        // If the last ring has an inside, it is one row of quads.
        let reversed = |side: &[u32]| side.iter().rev().copied().collect::<Vec<_>>();
        if columns > rows && rows.is_multiple_of(2) {
            mesh.strip(&ring[1], &reversed(&ring[3]), None);
        } else if rows >= columns && columns.is_multiple_of(2) {
            let middle = rows.is_multiple_of(2).then_some((ring[0].len() - 1) / 2);
            mesh.strip(&ring[0], &reversed(&ring[2]), middle);
        }
    }

    fn triangle(&self, outer: [f32; 3], inner: f32, mesh: &mut Mesh) {
        let edges = outer.map(|factor| self.axis(factor));
        if edges.iter().all(Axis::is_single_segment) && self.axis(inner).is_single_segment() {
            // Corners at v = 1, w = 1, u = 1: a positive area in (u, v).
            let corners = [[0, ONE], [0, 0], [ONE, 0]].map(|p| mesh.point(p));
            mesh.triangle(corners);
            return;
        }
        let sides = edges.iter().enumerate().map(|(side, axis)| {
            let on = |i: usize| match side {
                0 => [0, axis.position(axis.points() - 1 - i)],
                1 => [axis.position(i), 0],
                _ => {
                    let u = axis.position(axis.points() - 1 - i);
                    [u, ONE - u]
                }
            };
            (0..axis.points() - 1).map(on).collect()
        });
        let mut ring = mesh.ring(sides.collect());
        let axis = Axis::inner(inner, self);
        let points = axis.points();
        for depth in 1..points.div_ceil(2) {
            let next = if 2 * depth == points - 1 {
                mesh.line(vec![[THIRD, THIRD]], 0)
            } else {
                // A side is two thirds of its position away from the edge, so that the centre is at
                // one third.
                let across = two_thirds(axis.position(depth));
                let on = |side: usize, i: usize| {
                    let forward = axis.position(depth + i) - (across + 1) / 2;
                    let backward = axis.position(points - 1 - depth - i) - (across + 1) / 2;
                    match side {
                        0 => [across, backward],
                        1 => [forward, across],
                        _ => [backward, ONE - backward - across],
                    }
                };
                let segments = points - 1 - 2 * depth;
                let sides = (0..3).map(|side| (0..segments).map(|i| on(side, i)).collect());
                mesh.ring(sides.collect())
            };
            for side in 0..3 {
                match depth {
                    1 => mesh.transition((&ring[side], &edges[side]), (&next[side], &axis)),
                    _ => mesh.regular(&ring[side], &next[side]),
                }
            }
            ring = next;
        }
        // An odd number of segments leaves a triangle in the middle.
        if points.is_multiple_of(2) {
            let corner = |side: usize| ring[side][0];
            mesh.triangle([corner(0), corner(1), corner(2)]);
        }
    }

    fn isoline(&self, lines: f32, segments: f32, mesh: &mut Mesh) {
        // The number of lines is an integer in every partitioning.
        let lines = Engine {
            partitioning: Partitioning::Integer,
            ..*self
        }
        .axis(lines);
        let along = self.axis(segments);
        for j in 0..lines.points() - 1 {
            let v = lines.position(j);
            let mut last = None;
            for i in 0..along.points() {
                let id = mesh.point([along.position(i), v]);
                if let Some(last) = last {
                    mesh.lines.push([last, id]);
                }
                last = Some(id);
            }
        }
    }
}

/// 1/3 with 16 fraction bits.
const THIRD: i32 = 0x5555;

/// 2/3 of a position, using the factor 2/3 in 16 fraction bits as D3D11 does.
fn two_thirds(position: i32) -> i32 {
    ((i64::from(position) * 0xaaaa + 0x8000) >> 16) as i32
}
