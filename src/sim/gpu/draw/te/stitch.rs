//! Connects the points of neighbouring rings.
//!
//! In:  sides of rings, each from corner to corner, counter-clockwise with v pointing up. Out:
//!      triangles between them.
//! Ref: D3D11.3 functional specification, "Tessellator".

use super::factor::Axis;
use super::mesh::Mesh;

/// The sides of a ring, starting with the one at u = 0; the last point of each is the first of the
/// next.
pub(super) type Ring = Vec<Vec<u32>>;

/// The order in which the points of half an edge appear as the factor grows: the number of points
/// that appear before `point`. Points are counted from the end of an edge with the maximum factor.
/// They appear in the order of the ruler function: the end first, then the middle of the half, the
/// middles of its halves, and so on; the point next to the end comes last.
fn appearance_order(point: usize) -> usize {
    match point {
        0 => 0,
        1 => 32,
        _ => {
            let position = point - 1;
            let level = position.trailing_zeros();
            (16 >> level) + (position >> (level + 1))
        }
    }
}

/// Points of half an edge with the maximum factor.
const MAX_HALF_POINTS: usize = 33;

/// Walks along an outer and an inner side at once and emits triangles between them.
struct Stitcher<'a> {
    mesh: &'a mut Mesh,
    outside: &'a [u32],
    inside: &'a [u32],
}

impl Stitcher<'_> {
    /// Emits a triangle on the next segment of the outer side.
    fn outer(&mut self) {
        if let ([a, rest @ ..], [tip, ..]) = (self.outside, self.inside)
            && let Some(b) = rest.first()
        {
            self.mesh.triangle([*a, *b, *tip]);
            self.outside = rest;
        }
    }

    /// Emits the same triangle, starting with its vertex on the inner side.
    fn outer_from_tip(&mut self) {
        if let ([a, rest @ ..], [tip, ..]) = (self.outside, self.inside)
            && let Some(b) = rest.first()
        {
            self.mesh.triangle([*tip, *a, *b]);
            self.outside = rest;
        }
    }

    /// Emits a triangle on the next segment of the inner side.
    fn inner(&mut self) {
        if let ([a, rest @ ..], [tip, ..]) = (self.inside, self.outside)
            && let Some(b) = rest.first()
        {
            self.mesh.triangle([*a, *tip, *b]);
            self.inside = rest;
        }
    }

    /// Emits a quad with the diagonal from the outer side's current point to the inner side's next
    /// one.
    fn quad_from_outside(&mut self) {
        if let ([a, outside @ ..], [d, inside @ ..]) = (self.outside, self.inside)
            && let (Some(b), Some(c)) = (outside.first(), inside.first())
        {
            self.mesh.triangle([*a, *c, *d]);
            self.mesh.triangle([*a, *b, *c]);
            (self.outside, self.inside) = (outside, inside);
        }
    }

    /// Emits a quad with the diagonal from the inner side's current point to the outer side's next
    /// one.
    fn quad_from_inside(&mut self) {
        if let ([a, outside @ ..], [d, inside @ ..]) = (self.outside, self.inside)
            && let (Some(b), Some(c)) = (outside.first(), inside.first())
        {
            self.mesh.triangle([*d, *a, *b]);
            self.mesh.triangle([*d, *b, *c]);
            (self.outside, self.inside) = (outside, inside);
        }
    }
}

impl Mesh {
    /// Creates a ring of new points; each side lacks its last point, which is the next side's
    /// first.
    pub fn ring(&mut self, sides: Vec<Vec<[i32; 2]>>) -> Ring {
        let mut ring: Ring = sides
            .into_iter()
            .map(|side| side.into_iter().map(|p| self.point(p)).collect())
            .collect();
        let corners: Vec<u32> = ring.iter().filter_map(|s| s.first().copied()).collect();
        for (side, corner) in ring.iter_mut().zip(corners.iter().cycle().skip(1)) {
            side.push(*corner);
        }
        ring
    }

    /// Creates a degenerate ring of new points along a line: `side` runs along the line, the
    /// opposite side runs back, and the other two are its end points.
    pub fn line(&mut self, points: Vec<[i32; 2]>, side: usize) -> Ring {
        let there: Vec<u32> = points.into_iter().map(|p| self.point(p)).collect();
        let end = |id: Option<&u32>| id.copied().into_iter().collect::<Vec<_>>();
        let (first, last) = (end(there.first()), end(there.last()));
        let back = there.iter().rev().copied().collect();
        let mut ring = vec![there, last, back, first];
        ring.rotate_right(side);
        ring
    }

    /// Fills the space between an edge of the patch and the first ring, whose factors may differ:
    /// as factors grow, triangles appear where points do.
    pub fn transition(&mut self, outside: (&[u32], &Axis), inside: (&[u32], &Axis)) {
        let [outer, inner] = [outside.1, inside.1].map(Axis::split_points);
        let odd = (outside.1.is_odd(), inside.1.is_odd());
        let mut stitcher = Stitcher {
            mesh: self,
            outside: outside.0,
            inside: inside.0,
        };
        // The ends of an inner side are not points of its own.
        let grows = |point: usize| {
            (
                appearance_order(point) < outer,
                point > 0 && appearance_order(point) < inner,
            )
        };
        for (on_outer, on_inner) in (0..MAX_HALF_POINTS).map(grows) {
            if on_inner {
                stitcher.inner();
            }
            if on_outer {
                stitcher.outer();
            }
        }
        match odd {
            (true, true) => {
                stitcher.inner();
                stitcher.outer_from_tip();
            }
            (true, false) => stitcher.outer_from_tip(),
            (false, true) => stitcher.inner(),
            (false, false) => {}
        }
        for (on_outer, on_inner) in (0..MAX_HALF_POINTS).rev().map(grows) {
            if on_outer {
                stitcher.outer();
            }
            if on_inner {
                stitcher.inner();
            }
        }
    }

    /// Fills the space between rings of one factor: quads whose diagonals point to the middle, and
    /// triangles at the corners.
    pub fn regular(&mut self, outside: &[u32], inside: &[u32]) {
        let mut stitcher = Stitcher {
            mesh: self,
            outside,
            inside,
        };
        stitcher.outer();
        for i in 1..inside.len() {
            match i <= inside.len() / 2 {
                true => stitcher.quad_from_outside(),
                false => stitcher.quad_from_inside(),
            }
        }
        stitcher.outer();
    }

    /// Fills the space between two lines with equally many points with quads; all but the middle
    /// one have the same diagonal.
    pub fn strip(&mut self, outside: &[u32], inside: &[u32], middle: Option<usize>) {
        let mut stitcher = Stitcher {
            mesh: self,
            outside,
            inside,
        };
        for i in 1..inside.len() {
            match middle {
                None => stitcher.quad_from_inside(),
                Some(middle) if middle == i - 1 => stitcher.quad_from_outside(),
                Some(_) => {
                    stitcher.outer();
                    stitcher.inner();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stitch_points_follow_the_ruler_function() {
        // Each before those between it and its neighbours.
        let all: Vec<_> = (0..MAX_HALF_POINTS).map(appearance_order).collect();
        assert_eq!(all[..10], [0, 32, 16, 8, 17, 4, 18, 9, 19, 2]);
        assert_eq!(all[16..18], [23, 1]);
        assert_eq!(all[32], 31);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..MAX_HALF_POINTS).collect::<Vec<_>>());
    }
}
