//! Primitive assembly: groups a run of vertices into objects by topology.
//!
//! In:  the number of vertices between cuts. Out: the vertices of each object, in an order in which
//!      odd triangles of strips have the winding of even ones.
//! Ref: SKL PRM vol. 7, "Primitive Topology Types", "Object Vertex Ordering"; Vulkan, "Primitive
//!      Topologies".

use super::gs_output::Provoking;
use super::object::Kind;
use hw::value::draw::primitive_topology;

/// An object by the positions of its vertices in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Assembled {
    /// `None` for a patch.
    pub kind: Option<Kind>,
    /// The first `count` are valid. With adjacency they are in the order in which the geometry
    /// shader receives them.
    pub vertices: [usize; 32],
    pub count: usize,
    pub provoking: usize,
    pub adjacency: bool,
    /// A line that starts where the one before ended.
    pub continues: bool,
    /// An odd triangle of a strip, whose vertices are reordered.
    pub is_odd_triangle: bool,
    /// Edges of the primitive, from each vertex to the next; false for edges between triangles of
    /// one polygon.
    pub edges: [bool; 3],
    /// The vertices' edge flags apply.
    pub uses_edge_flags: bool,
}

impl Assembled {
    /// The vertices of the object without its neighbours, and the position of the provoking one
    /// among them.
    pub fn object_vertices(&self) -> ([usize; 3], usize) {
        let v = &self.vertices;
        match (self.adjacency, self.kind) {
            (true, Some(Kind::Line)) => ([v[1], v[2], 0], self.provoking),
            (true, _) => ([v[0], v[2], v[4]], self.provoking),
            _ => ([v[0], v[1], v[2]], self.provoking),
        }
    }

    /// The vertices in the order in which a geometry shader receives them. Odd triangles keep their
    /// last vertex in place (1, 0, 2) or, with `leading`, the first one (0, 2, 1).
    pub fn geometry_shader_order(&self, leading: bool) -> [usize; 32] {
        let mut vertices = self.vertices;
        if leading && self.is_odd_triangle {
            let step = if self.adjacency { 2 } else { 1 };
            if let Some(all) = vertices.get_mut(..self.count) {
                all.rotate_left(step.min(all.len()));
            }
        }
        vertices
    }
}

fn object(kind: Kind, vertices: &[usize], provoking: usize) -> Assembled {
    let mut all = [0; 32];
    for (to, from) in all.iter_mut().zip(vertices) {
        *to = *from;
    }
    Assembled {
        kind: Some(kind),
        vertices: all,
        count: vertices.len(),
        provoking,
        adjacency: false,
        continues: false,
        is_odd_triangle: false,
        edges: [true; 3],
        uses_edge_flags: false,
    }
}

fn adjacent(kind: Kind, vertices: &[usize], provoking: usize) -> Assembled {
    Assembled {
        adjacency: true,
        ..object(kind, vertices, provoking)
    }
}

/// Calls `each` with every object of a run of `n` vertices; returns false if there is no such
/// topology.
pub(crate) fn assemble(
    topology: u32,
    n: usize,
    provoking: Provoking,
    each: &mut dyn FnMut(Assembled),
) -> bool {
    use primitive_topology as p;
    let (line, triangle) = (provoking.line, provoking.triangle);
    match u64::from(topology) {
        p::POINTLIST => (0..n).for_each(|i| each(object(Kind::Point, &[i], 0))),
        p::LINELIST => {
            (0..n / 2).for_each(|i| each(object(Kind::Line, &[2 * i, 2 * i + 1], line)));
        }
        p::LINESTRIP => line_strip(n, false, line, each),
        p::LINELOOP => line_strip(n, true, line, each),
        p::TRILIST => {
            for i in 0..n / 3 {
                let all = [3 * i, 3 * i + 1, 3 * i + 2];
                let mut found = object(Kind::Triangle, &all, triangle);
                found.uses_edge_flags = true;
                each(found);
            }
        }
        p::TRISTRIP => triangle_strip(n, false, triangle, each),
        p::TRISTRIP_REVERSE => triangle_strip(n, true, triangle, each),
        p::TRIFAN => fan(n, false, provoking.fan, each),
        p::POLYGON => fan(n, true, provoking.fan, each),
        // Both triangles of a quad end with its last vertex, which for strips is the one across.
        p::QUADLIST => {
            for at in (0..n / 4).map(|i| 4 * i) {
                quad(
                    [[at, at + 1, at + 3], [at + 1, at + 2, at + 3]],
                    triangle,
                    each,
                );
            }
        }
        p::QUADSTRIP => {
            for at in (0..n.saturating_sub(2) / 2).map(|i| 2 * i) {
                quad([[at, at + 1, at + 3], [at + 2, at, at + 3]], triangle, each);
            }
        }
        p::LINELIST_ADJ => {
            for i in 0..n / 4 {
                let at = 4 * i;
                each(adjacent(Kind::Line, &[at, at + 1, at + 2, at + 3], line));
            }
        }
        p::LINESTRIP_ADJ => {
            for i in 0..n.saturating_sub(3) {
                each(adjacent(Kind::Line, &[i, i + 1, i + 2, i + 3], line));
            }
        }
        p::TRILIST_ADJ => {
            for i in 0..n / 6 {
                let at = 6 * i;
                let all = [at, at + 1, at + 2, at + 3, at + 4, at + 5];
                each(adjacent(Kind::Triangle, &all, triangle));
            }
        }
        p::TRISTRIP_ADJ => {
            let count = n.saturating_sub(4) / 2;
            for i in 0..count {
                each(strip_adjacency(i, count, triangle));
            }
        }
        p::RECTLIST => {
            for i in 0..n / 3 {
                each(object(Kind::Rectangle, &[3 * i, 3 * i + 1, 3 * i + 2], 0));
            }
        }
        patch @ p::PATCHLIST_1..=p::PATCHLIST_32 => {
            patches(n, (patch - p::PATCHLIST_1) as usize + 1, each);
        }
        _ => return false,
    }
    true
}

/// The lines of a strip; a loop has one more, from its last vertex to the first.
#[inline]
fn line_strip(n: usize, is_loop: bool, provoking: usize, each: &mut dyn FnMut(Assembled)) {
    for i in 1..n {
        let mut found = object(Kind::Line, &[i - 1, i], provoking);
        found.continues = i > 1;
        each(found);
    }
    if is_loop && n > 1 {
        let mut found = object(Kind::Line, &[n - 1, 0], provoking);
        found.continues = true;
        each(found);
    }
}

/// The triangles of a strip; in a reverse one, the even triangles are reordered.
#[inline]
fn triangle_strip(n: usize, reverse: bool, provoking: usize, each: &mut dyn FnMut(Assembled)) {
    for i in 0..n.saturating_sub(2) {
        let odd = (i % 2 == 1) != reverse;
        let mut found = match odd {
            false => object(Kind::Triangle, &[i, i + 1, i + 2], provoking),
            // The provoking vertex is still the strip's first, second or third.
            true => object(
                Kind::Triangle,
                &[i + 1, i, i + 2],
                [1, 0, 2][provoking.min(2)],
            ),
        };
        found.is_odd_triangle = odd;
        each(found);
    }
}

/// The triangles of a fan, or those of a polygon, whose inner edges are not drawn.
#[inline]
fn fan(n: usize, polygon: bool, provoking: usize, each: &mut dyn FnMut(Assembled)) {
    for i in 1..n.saturating_sub(1) {
        let mut found = object(Kind::Triangle, &[0, i, i + 1], provoking);
        found.uses_edge_flags = polygon;
        if polygon {
            found.edges = [i == 1, true, i + 2 == n];
        }
        each(found);
    }
}

/// Patches of `size` vertices.
#[inline]
fn patches(n: usize, size: usize, each: &mut dyn FnMut(Assembled)) {
    for i in 0..n / size {
        let mut patch = object(Kind::Point, &[], 0);
        patch.kind = None;
        patch.count = size;
        for (k, to) in patch.vertices.iter_mut().enumerate().take(size) {
            *to = i * size + k;
        }
        each(patch);
    }
}

/// Appends a quad as two triangles; the edge between them is not drawn.
fn quad(halves: [[usize; 3]; 2], provoking: usize, each: &mut dyn FnMut(Assembled)) {
    let shared = |corner| halves[0].contains(&corner) && halves[1].contains(&corner);
    for half in halves {
        let mut found = object(Kind::Triangle, &half, provoking);
        found.edges = [0, 1, 2].map(|i| !(shared(half[i]) && shared(half[(i + 1) % 3])));
        found.uses_edge_flags = true;
        each(found);
    }
}

/// Triangle `i` of a strip with adjacency. Ref: Vulkan, "Triangle Strips With Adjacency", table of
/// vertices.
fn strip_adjacency(i: usize, count: usize, triangle: usize) -> Assembled {
    let at = 2 * i;
    let (first, last) = (i == 0, i + 1 == count);
    let before = if first { 1 } else { at.wrapping_sub(2) };
    let after = if last { at + 5 } else { at + 6 };
    let (vertices, provoking) = if i.is_multiple_of(2) {
        ([at, before, at + 2, after, at + 4, at + 3], triangle)
    } else {
        (
            [at + 2, before, at, at + 3, at + 4, after],
            [1, 0, 2][triangle.min(2)],
        )
    };
    Assembled {
        is_odd_triangle: !i.is_multiple_of(2),
        ..adjacent(Kind::Triangle, &vertices, provoking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(topology: u32, n: usize) -> Vec<(Vec<usize>, usize)> {
        let provoking = Provoking {
            line: 0,
            triangle: 0,
            fan: 1,
        };
        let mut out = Vec::new();
        let known = assemble(topology, n, provoking, &mut |a| {
            out.push((a.vertices[..a.count].to_vec(), a.provoking));
        });
        assert!(known);
        out
    }

    #[test]
    fn strips_preserve_winding_and_provoking_vertex() {
        let strip = all(0x05, 5);
        assert_eq!(strip[0], (vec![0, 1, 2], 0));
        assert_eq!(strip[1], (vec![2, 1, 3], 1));
        assert_eq!(strip[2], (vec![2, 3, 4], 0));
        assert_eq!(all(0x06, 4), [(vec![0, 1, 2], 1), (vec![0, 2, 3], 1)]);
        assert_eq!(all(0x03, 3), [(vec![0, 1], 0), (vec![1, 2], 0)]);
        assert_eq!(all(0x22, 7), [(vec![0, 1, 2], 0), (vec![3, 4, 5], 0)]);
    }

    #[test]
    fn lists_use_vertices_in_order() {
        for (topology, size) in [
            (0x01, 1),
            (0x02, 2),
            (0x04, 3),
            (0x09, 4),
            (0x0b, 6),
            (0x0f, 3),
            (0x20, 1),
            (0x3f, 32),
        ] {
            // Two of them, and a rest where there is room for one.
            let found: Vec<_> = all(topology, 3 * size - 1).into_iter().collect();
            let expected = [0, 1].map(|i| ((size * i..size * (i + 1)).collect(), 0));
            assert_eq!(found, expected, "{topology:#x}");
        }
    }

    #[test]
    fn line_loops_close_and_reversed_strips_flip() {
        let loops = [(vec![0, 1], 0), (vec![1, 2], 0), (vec![2, 0], 0)];
        assert_eq!(all(0x10, 3), loops);
        assert_eq!(all(0x0d, 4), [(vec![1, 0, 2], 1), (vec![1, 2, 3], 0)]);
        assert_eq!(all(0x0e, 4), [(vec![0, 1, 2], 1), (vec![0, 2, 3], 1)]);
        assert_eq!(all(0x0a, 5), [(vec![0, 1, 2, 3], 0), (vec![1, 2, 3, 4], 0)]);
    }

    #[test]
    fn triangle_strip_adjacency_follows_the_table() {
        assert_eq!(all(0x0c, 6), [(vec![0, 1, 2, 5, 4, 3], 0)]);
        let three = all(0x0c, 10);
        assert_eq!(three[0].0, [0, 1, 2, 6, 4, 3]);
        assert_eq!(three[1].0, [4, 0, 2, 5, 6, 8]);
        assert_eq!(three[2].0, [4, 2, 6, 9, 8, 7]);
    }

    /// What `of` says of each object.
    fn each<T>(topology: u32, n: usize, of: impl Fn(&Assembled) -> T) -> Vec<T> {
        let provoking = Provoking {
            line: 0,
            triangle: 0,
            fan: 1,
        };
        let mut out = Vec::new();
        assemble(topology, n, provoking, &mut |a| out.push(of(&a)));
        out
    }

    #[test]
    fn gs_reorder_mode_leading_orders_odd_triangles() {
        let first = |n, leading| {
            move |a: &Assembled| -> Vec<usize> { a.geometry_shader_order(leading)[..n].to_vec() }
        };
        assert_eq!(each(0x05, 4, first(3, true)), [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(each(0x05, 4, first(3, false)), [[0, 1, 2], [2, 1, 3]]);
        // The reverse strip begins with an odd one.
        assert_eq!(each(0x0d, 4, first(3, true)), [[0, 2, 1], [1, 2, 3]]);
        let adjacent = each(0x0c, 10, first(6, true));
        assert_eq!(adjacent[0], [0, 1, 2, 6, 4, 3]);
        // Vertices 2, 6, 4 of the strip, each with the neighbour between it and the next after it.
        assert_eq!(adjacent[1], [2, 5, 6, 8, 4, 0]);
    }

    #[test]
    fn polygons_have_no_interior_edges() {
        let edges = each(0x0e, 5, |a| (a.edges, a.uses_edge_flags));
        let expected = [
            ([true, true, false], true),
            ([false, true, false], true),
            ([false, true, true], true),
        ];
        assert_eq!(edges, expected);
        assert_eq!(each(0x0e, 3, |a| a.edges), [[true; 3]]);
        assert_eq!(
            each(0x06, 4, |a| (a.edges, a.uses_edge_flags)),
            [([true; 3], false); 2]
        );
        assert_eq!(each(0x04, 3, |a| a.uses_edge_flags), [true]);
    }

    #[test]
    fn quads_are_two_triangles_each() {
        let list = [(vec![0, 1, 3], 0), (vec![1, 2, 3], 0)];
        assert_eq!(all(0x07, 7), list);
        assert_eq!(all(0x07, 8)[2..], [(vec![4, 5, 7], 0), (vec![5, 6, 7], 0)]);
        assert_eq!(all(0x08, 5), [(vec![0, 1, 3], 0), (vec![2, 0, 3], 0)]);
        assert_eq!(all(0x08, 6)[2..], [(vec![2, 3, 5], 0), (vec![4, 2, 5], 0)]);
        assert!(all(0x08, 3).is_empty() && all(0x07, 3).is_empty() && all(0x08, 0).is_empty());
        // The side between the two is no edge.
        let edges = [[true, false, true], [true, true, false]];
        assert_eq!(each(0x07, 4, |a| a.edges), edges);
        let edges = [[true, true, false], [true, false, true]];
        assert_eq!(each(0x08, 4, |a| a.edges), edges);
        assert_eq!(
            each(0x08, 4, |a| (a.uses_edge_flags, a.is_odd_triangle)),
            [(true, false); 2]
        );
    }

    #[test]
    fn only_strips_continue_and_flip() {
        let flags = |topology, n| {
            each(topology, n, |a| {
                (a.continues, a.is_odd_triangle, a.adjacency)
            })
        };
        let (plain, next) = ((false, false, false), (true, false, false));
        assert_eq!(flags(0x02, 4), [plain; 2]);
        assert_eq!(flags(0x03, 4), [plain, next, next]);
        assert_eq!(flags(0x10, 3), [plain, next, next]);
        assert_eq!(flags(0x04, 6), [plain; 2]);
        assert_eq!(flags(0x06, 4), [plain; 2]);
        let is_odd_triangle = (false, true, false);
        assert_eq!(flags(0x05, 5), [plain, is_odd_triangle, plain]);
        assert_eq!(flags(0x0d, 5), [is_odd_triangle, plain, is_odd_triangle]);
        let adjacent = (false, false, true);
        assert_eq!(flags(0x09, 8), [adjacent; 2]);
        assert_eq!(flags(0x0a, 5), [adjacent; 2]);
        assert_eq!(flags(0x0b, 12), [adjacent; 2]);
        let odd = (false, true, true);
        assert_eq!(flags(0x0c, 10), [adjacent, odd, adjacent]);
        // A loop of one vertex has no edge, and patches have no kind.
        assert!(flags(0x10, 1).is_empty());
        assert_eq!(each(0x21, 4, |a| a.kind), [None, None]);
    }

    #[test]
    fn object_vertices_exclude_adjacent_vertices() {
        let own = |topology, n| each(topology, n, |a| a.object_vertices().0);
        assert_eq!(own(0x09, 8)[1], [5, 6, 0]);
        assert_eq!(own(0x0b, 12)[1], [6, 8, 10]);
        assert_eq!(own(0x02, 4)[1][..2], [2, 3]);
        assert_eq!(own(0x04, 6)[1], [3, 4, 5]);
        assert_eq!(own(0x0c, 10), [[0, 2, 4], [4, 2, 6], [4, 6, 8]]);
    }

    #[test]
    fn provoking_vertex_select() {
        for chosen in 0..3 {
            let provoking = Provoking {
                line: chosen.min(1),
                triangle: chosen,
                fan: chosen,
            };
            let of = |topology, n| {
                let mut out = Vec::new();
                assemble(topology, n, provoking, &mut |a| {
                    let (own, provoking) = a.object_vertices();
                    out.push(own[provoking]);
                });
                out
            };
            // Vulkan, "Triangle Strips": triangle i has vertices i, i + 1, i + 2, in the order of
            // the strip.
            assert_eq!(of(0x05, 5), [chosen, chosen + 1, chosen + 2]);
            assert_eq!(of(0x0d, 5), [chosen, chosen + 1, chosen + 2]);
            assert_eq!(of(0x0c, 10), [2 * chosen, 2 * chosen + 2, 2 * chosen + 4]);
            assert_eq!(of(0x06, 4), [[0, 0], [1, 2], [2, 3]][chosen]);
            assert_eq!(of(0x04, 6), [chosen, chosen + 3]);
            assert_eq!(of(0x03, 3), [chosen.min(1), chosen.min(1) + 1]);
            assert_eq!(of(0x10, 3)[2], [2, 0, 0][chosen]);
            assert_eq!(of(0x0a, 5), [chosen.min(1) + 1, chosen.min(1) + 2]);
        }
    }

    #[test]
    fn incomplete_primitives_are_dropped() {
        for topology in (1..=6).chain(9..=0x0d).chain([0x0f, 0x10, 0x24]) {
            assert!(all(topology, 0).is_empty(), "{topology:#x}");
        }
        assert!(!assemble(
            0x1f,
            3,
            Provoking {
                line: 0,
                triangle: 0,
                fan: 0
            },
            &mut |_| {}
        ));
    }
}
