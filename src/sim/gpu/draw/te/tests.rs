use super::factor::{Axis, ONE};
use super::mesh::Tessellation;
use super::state::*;

fn engine(domain: Domain, partitioning: Partitioning, output: Output) -> Engine {
    Engine {
        domain,
        partitioning,
        output,
        max_odd: 63.0,
        max_not_odd: 64.0,
    }
}

/// Twice the area of all triangles, each of which must be counter-clockwise or empty.
fn area(t: &Tessellation) -> i64 {
    let mut sum = 0;
    for corners in t.indices.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|i| t.points[i as usize].map(i64::from));
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert!(area >= 0, "{a:?} {b:?} {c:?}");
        sum += area;
    }
    sum
}

const PARTITIONINGS: [Partitioning; 3] =
    [Partitioning::Integer, Partitioning::Odd, Partitioning::Even];
const UNIT: i64 = ONE as i64 * ONE as i64;

#[test]
fn integer_quads_have_two_triangles_a_cell() {
    let engine = engine(Domain::Quad, Partitioning::Integer, Output::Clockwise);
    for n in 1..=64u32 {
        let t = engine.tessellate([n as f32; 4], [n as f32; 2]).unwrap();
        assert_eq!(t.indices.len() as u32, 3 * 2 * n * n, "{n}");
        assert_eq!(t.points.len() as u32, (n + 1) * (n + 1));
        assert_eq!(area(&t), 2 * UNIT);
    }
}

#[test]
fn integer_triangles_have_rings() {
    let engine = engine(Domain::Triangle, Partitioning::Integer, Output::Clockwise);
    for (n, triangles, points) in [(1, 1, 3), (2, 6, 7), (3, 13, 12), (4, 24, 19)] {
        let t = engine.tessellate([n as f32; 4], [n as f32; 2]).unwrap();
        assert_eq!(t.indices.len(), 3 * triangles, "{n}");
        assert_eq!(t.points.len(), points, "{n}");
        assert_eq!(area(&t), UNIT);
    }
}

#[test]
fn domain_is_covered_once_for_any_factors() {
    for partitioning in PARTITIONINGS {
        for (i, a) in [1.0, 1.5, 2.0, 3.7, 7.0, 20.25, 64.0]
            .into_iter()
            .enumerate()
        {
            for b in [1.0f32, 2.5, 3.0, 9.1, 63.0] {
                let outer = [a, b, (i + 1) as f32, a + b];
                let quad = engine(Domain::Quad, partitioning, Output::Clockwise);
                assert_eq!(area(&quad.tessellate(outer, [b, a]).unwrap()), 2 * UNIT);
                let triangle = engine(Domain::Triangle, partitioning, Output::Clockwise);
                assert_eq!(area(&triangle.tessellate(outer, [b, 0.0]).unwrap()), UNIT);
            }
        }
    }
}

#[test]
fn equal_factors_give_equal_edges() {
    for partitioning in PARTITIONINGS {
        let quad = engine(Domain::Quad, partitioning, Output::Point);
        let triangle = engine(Domain::Triangle, partitioning, Output::Point);
        let edge = |t: &Tessellation, fixed: usize| {
            let on = t.points.iter().filter(|p| p[fixed] == 0);
            let mut places: Vec<_> = on.map(|p| p[1 - fixed]).collect();
            places.sort();
            places
        };
        let a = quad.tessellate([5.3, 5.3, 2.0, 8.0], [4.0, 9.5]).unwrap();
        let b = triangle
            .tessellate([5.3, 5.3, 1.0, 0.0], [7.0, 0.0])
            .unwrap();
        assert_eq!(edge(&a, 0), edge(&a, 1));
        assert_eq!(edge(&a, 0), edge(&b, 0));
        assert_eq!(edge(&b, 0), edge(&b, 1));
        // And an edge read backwards is the same edge.
        let back: Vec<_> = edge(&a, 0).iter().rev().map(|p| ONE - p).collect();
        assert_eq!(edge(&a, 0), back);
    }
}

#[test]
fn integer_factors_place_points_evenly() {
    let integer = engine(Domain::Quad, Partitioning::Integer, Output::Point);
    let axis = Axis::outer(4.0, &integer);
    let places: Vec<_> = (0..axis.points()).map(|i| axis.position(i)).collect();
    assert_eq!(places, [0, 0x4000, 0x8000, 0xc000, 0x10000]);
    let axis = Axis::outer(2.5, &integer);
    let places: Vec<_> = (0..axis.points()).map(|i| axis.position(i)).collect();
    assert_eq!(places, [0, 0x5555, 0xaaab, 0x10000]);
}

#[test]
fn fractional_factors_split_a_point_in_each_half() {
    let places = |partitioning, factor| -> Vec<i32> {
        let axis = Axis::outer(factor, &engine(Domain::Quad, partitioning, Output::Point));
        (0..axis.points()).map(|i| axis.position(i)).collect()
    };
    // Half way from 4 to 6 segments the first point after the end splits in two: 1/4 goes to
    // 1/6 and 2/6.
    let half = [0, 13654, 19115, 0x8000];
    assert_eq!(places(Partitioning::Even, 5.0)[..4], half);
    // Half way from 3 to 5: 1/3 goes to 1/5 and 2/5.
    let all = [0, 17476, 24030, 41506, 48060, 0x10000];
    assert_eq!(places(Partitioning::Odd, 4.0), all);
    // A quarter of the way from 6 to 8 a point leaves the middle.
    let at = |floor: i32, ceil: i32| (floor * 3 + ceil + 2) / 4;
    let half = [
        0,
        at(0x2aab, 0x2000),
        at(2 * 0x2aab, 2 * 0x2000),
        at(3 * 0x2aab, 3 * 0x2000),
    ];
    assert_eq!(places(Partitioning::Even, 6.5)[..4], half);
}

#[test]
fn fractional_factors_have_the_parity_of_their_mode() {
    for (partitioning, factor, points) in [
        (Partitioning::Odd, 1.0, 2),
        (Partitioning::Odd, 1.5, 4),
        (Partitioning::Odd, 3.0, 4),
        (Partitioning::Odd, 3.1, 6),
        (Partitioning::Odd, 100.0, 64),
        (Partitioning::Even, 0.5, 3),
        (Partitioning::Even, 2.0, 3),
        (Partitioning::Even, 2.1, 5),
        (Partitioning::Even, 100.0, 65),
    ] {
        let engine = engine(Domain::Quad, partitioning, Output::Point);
        assert_eq!(
            Axis::outer(factor, &engine).points(),
            points,
            "{partitioning:?} {factor}"
        );
    }
}

#[test]
fn isolines_exclude_the_last_line() {
    let engine = engine(Domain::Isoline, Partitioning::Odd, Output::Line);
    let t = engine.tessellate([4.0, 3.0, 0.0, 0.0], [0.0; 2]).unwrap();
    assert_eq!(t.points.len(), 16);
    assert_eq!(t.indices.len(), 2 * 12);
    let rows: Vec<_> = t.points.chunks(4).map(|line| line[0][1]).collect();
    assert_eq!(rows, [0, 0x4000, 0x8000, 0xc000]);
    assert_eq!(t.points[3][0], ONE);
}

#[test]
fn patches_without_a_positive_factor_are_culled() {
    let engine = engine(Domain::Triangle, Partitioning::Integer, Output::Clockwise);
    for bad in [0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        assert!(engine.tessellate([1.0, bad, 1.0, 1.0], [1.0; 2]).is_none());
    }
    // The fourth factor and the inner ones do not cull.
    assert!(
        engine
            .tessellate([1.0, 1.0, 1.0, 0.0], [f32::NAN; 2])
            .is_some()
    );
}

#[test]
fn winding_order_flips_each_triangle() {
    let a = engine(Domain::Quad, Partitioning::Even, Output::Clockwise);
    let b = Engine {
        output: Output::CounterClockwise,
        ..a
    };
    let (a, b) = (
        a.tessellate([3.0; 4], [3.0; 2]).unwrap(),
        b.tessellate([3.0; 4], [3.0; 2]).unwrap(),
    );
    assert_eq!(a.points, b.points);
    for (a, b) in a.indices.chunks(3).zip(b.indices.chunks(3)) {
        assert_eq!([a[0], a[2], a[1]], b);
    }
}

#[test]
fn factors_are_clamped_to_their_range() {
    for (partitioning, least, most) in [
        (Partitioning::Integer, 2, 65),
        (Partitioning::Odd, 2, 64),
        (Partitioning::Even, 3, 65),
    ] {
        let engine = engine(Domain::Quad, partitioning, Output::Point);
        for (factor, points) in [
            (f32::MIN_POSITIVE, least),
            (0.5, least),
            (0.99, least),
            (1.0, least),
            (1000.0, most),
            (f32::INFINITY, most),
        ] {
            assert_eq!(
                Axis::outer(factor, &engine).points(),
                points,
                "{partitioning:?} {factor}"
            );
        }
        // Below its minimum, a factor has no fraction: only the ends, or the middle.
        let axis = Axis::outer(0.5, &engine);
        assert_eq!(
            axis.position(1),
            if least == 3 { ONE / 2 } else { ONE },
            "{partitioning:?}"
        );
        let axis = Axis::outer(1000.0, &engine);
        let segments = (most - 1) as i32;
        assert!(
            (axis.position(1) - ONE / segments).abs() <= 1,
            "{partitioning:?}"
        );
    }
    // 3DSTATE_TE's own limits, where they are less.
    let limited = Engine {
        max_odd: 5.0,
        max_not_odd: 6.0,
        ..engine(Domain::Quad, Partitioning::Odd, Output::Point)
    };
    assert_eq!(Axis::outer(40.0, &limited).points(), 6);
    for partitioning in [Partitioning::Even, Partitioning::Integer] {
        let limited = Engine {
            partitioning,
            ..limited
        };
        assert_eq!(Axis::outer(40.0, &limited).points(), 7);
    }
}

#[test]
fn factors_unused_by_a_domain_do_not_cull() {
    for (domain, used) in [
        (Domain::Quad, 4),
        (Domain::Triangle, 3),
        (Domain::Isoline, 2),
    ] {
        let engine = engine(domain, Partitioning::Integer, Output::Point);
        for i in 0..4 {
            for bad in [0.0, -1.0, f32::NAN] {
                let mut outer = [1.0; 4];
                outer[i] = bad;
                let is_culled = engine.tessellate(outer, [1.0; 2]).is_none();
                assert_eq!(is_culled, i < used, "{domain:?} {i} {bad}");
            }
        }
    }
}

#[test]
fn edge_factor_1_does_not_change_other_edges() {
    let engine = engine(Domain::Quad, Partitioning::Integer, Output::Clockwise);
    for edge in 0..4 {
        let mut outer = [4.0; 4];
        outer[edge] = 1.0;
        let t = engine.tessellate(outer, [4.0; 2]).expect("not culled");
        // Four corners, three more on each of three edges, nine inside.
        assert_eq!((t.points.len(), area(&t)), (22, 2 * UNIT), "edge {edge}");
    }
    for inner in [[1.0, 4.0], [4.0, 1.0]] {
        let t = engine.tessellate([1.0; 4], inner).expect("not culled");
        // A factor of one inside is two where there is more than one: three points in a row.
        assert_eq!((t.points.len(), area(&t)), (4 + 3, 2 * UNIT), "{inner:?}");
    }
}
