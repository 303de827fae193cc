//! Coverage worked out by hand.

use super::*;
use crate::draw::object::ScreenVertex;
use crate::draw::object::{Plane, Subspan, block_subspans};
use crate::draw::raster::state::Stipple;
use std::collections::BTreeMap;

pub(in crate::draw::raster) const STANDARD_4X: [(i64, i64); 4] =
    [(96, 32), (224, 96), (32, 160), (160, 224)];

pub(in crate::draw::raster) fn state(samples: &[(i64, i64)], lines: Lines) -> RasterState {
    let mut positions = [(0, 0); 16];
    positions[..samples.len()].copy_from_slice(samples);
    RasterState {
        upper_right: false,
        samples: samples.len(),
        positions,
        lines,
        bounds: vec![Bounds {
            x0: 0,
            y0: 0,
            x1: 63,
            y1: 63,
        }],
        stipple: None,
        conservative: false,
    }
}

pub(in crate::draw::raster) fn single_sampled() -> RasterState {
    state(&[(128, 128)], Lines::Aliased { width: 1 })
}

pub(in crate::draw::raster) fn object(kind: Kind, corners: [(f32, f32); 3]) -> SetupObject {
    SetupObject {
        kind,
        vertices: corners.map(|(x, y)| ScreenVertex {
            x,
            y,
            z: 0.0,
            inverse_w: 1.0,
        }),
        attributes: Vec::new(),
        depth: Plane::default(),
        inverse_w: Plane::default(),
        weights: [Plane::default(); 2],
        weights_over_w: [Plane::default(); 2],
        front_facing: true,
        viewport: 0,
        layer: 0,
        continues: false,
    }
}

/// All pixels that an object touches, blocks expanded.
pub(in crate::draw::raster) fn conservative_samples(
    state: &RasterState,
    setup: &SetupObject,
) -> Vec<Subspan> {
    let mut out = ObjectCoverage::default();
    rasterise(state, setup, &mut out);
    let of_block = |block: &[u32; 2]| block_subspans(*block, out.all);
    let mut all: Vec<Subspan> = out.blocks.iter().flat_map(of_block).collect();
    all.extend(&out.subspans);
    all
}

/// Masks by pixel (y, x); a subspan may come only once.
pub(in crate::draw::raster) fn cover(
    state: &RasterState,
    setup: &SetupObject,
) -> BTreeMap<(u32, u32), u16> {
    let out = conservative_samples(state, setup);
    let mut pixels = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    for subspan in out {
        assert!(seen.insert((subspan.x, subspan.y)), "{subspan:?} again");
        assert!(
            (subspan.x | subspan.y) % 2 == 0,
            "{subspan:?} is at odd places"
        );
        for (i, mask) in subspan.samples.into_iter().enumerate() {
            if mask != 0 {
                let i = i as u32;
                pixels.insert((subspan.y + i / 2, subspan.x + i % 2), mask);
            }
        }
    }
    pixels
}

pub(in crate::draw::raster) fn pixels(
    state: &RasterState,
    kind: Kind,
    corners: [(f32, f32); 3],
) -> Vec<(u32, u32)> {
    cover(state, &object(kind, corners)).into_keys().collect()
}

#[test]
fn top_left_rule() {
    // A right triangle whose legs run through pixel centres; its hypotenuse is neither top nor
    // left.
    let corners = [(0.5, 0.5), (3.5, 0.5), (0.5, 3.5)];
    let expected = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)];
    assert_eq!(pixels(&single_sampled(), Kind::Triangle, corners), expected);
    let [a, b, c] = corners;
    assert_eq!(
        pixels(&single_sampled(), Kind::Triangle, [a, c, b]),
        expected
    );
    // The other half of the square has the hypotenuse as its left edge, and no top.
    let other = [(3.5, 0.5), (3.5, 3.5), (0.5, 3.5)];
    let expected = [(1, 2), (2, 1), (2, 2)];
    assert_eq!(pixels(&single_sampled(), Kind::Triangle, other), expected);
}

#[test]
fn bounding_box_is_clipped_to_the_drawable_area() {
    let corners = [(-10.0, 4.0), (1e5, 4.0), (8.0, 1e5)];
    let triangle = object(Kind::Triangle, corners);
    assert_eq!(bounding_box_pixels(&single_sampled(), &triangle), 64 * 60);
    let mut everywhere = single_sampled();
    everywhere.bounds[0] = Bounds {
        x0: 0,
        y0: 0,
        x1: 0xffff,
        y1: 0xffff,
    };
    assert_eq!(
        bounding_box_pixels(&everywhere, &triangle),
        0x10000 * 0xfffc
    );
    assert_eq!(
        bounding_box_pixels(&everywhere, &object(Kind::Line, corners)),
        0
    );
    everywhere.bounds[0].x1 = -1;
    assert_eq!(bounding_box_pixels(&everywhere, &triangle), 0);
}

#[test]
fn degenerate_triangle_covers_nothing() {
    let corners = [(0.0, 0.5), (8.0, 0.5), (4.0, 0.5)];
    assert_eq!(pixels(&single_sampled(), Kind::Triangle, corners), []);
}

#[test]
fn triangle_fan_covers_every_sample_once() {
    let mut seed = 1u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 16
    };
    for (samples, all) in [(&[(128, 128)][..], 1), (&STANDARD_4X[..], 15)] {
        let state = state(samples, Lines::Aliased { width: 1 });
        for _ in 0..40 {
            let centre = (
                (1 + random() % 62) as f32 + 0.5,
                (random() % 16384) as f32 / 256.0,
            );
            // Around the screen and beyond it.
            let ring = [
                (-3.0, -2.0),
                ((random() % 64) as f32 + 0.5, -2.0),
                (66.0, -2.0),
                (66.0, (random() % 64) as f32 + 0.5),
                (66.0, 70.0),
                (-3.0, 66.0),
            ];
            let mut sums = BTreeMap::new();
            for (i, a) in ring.iter().enumerate() {
                let b = ring[(i + 1) % ring.len()];
                for (pixel, mask) in cover(&state, &object(Kind::Triangle, [centre, *a, b])) {
                    let sum = sums.entry(pixel).or_insert(0u16);
                    assert_eq!(*sum & mask, 0, "{pixel:?} twice, centre {centre:?}");
                    *sum |= mask;
                }
            }
            assert_eq!(sums.len(), 64 * 64);
            assert!(sums.values().all(|mask| *mask == all));
        }
    }
}

#[test]
fn rectangles_derive_the_fourth_corner_and_are_clipped() {
    let corners = [(20.0, 12.0), (2.0, 12.0), (2.0, 1.0)];
    assert_eq!(
        pixels(&single_sampled(), Kind::Rectangle, corners).len(),
        18 * 11
    );
    let mut state = single_sampled();
    state.bounds[0] = Bounds {
        x0: 3,
        y0: 11,
        x1: 4,
        y1: 30,
    };
    let expected = [(11, 3), (11, 4)];
    assert_eq!(pixels(&state, Kind::Rectangle, corners), expected);
}

#[test]
fn coverage_depends_on_sample_positions() {
    // Left of x = 0.5 are samples 0 (0.375) and 2 (0.125).
    let state = state(&STANDARD_4X, Lines::Aliased { width: 1 });
    let half = object(Kind::Rectangle, [(0.5, 1.0), (0.0, 1.0), (0.0, 0.0)]);
    assert_eq!(cover(&state, &half), BTreeMap::from([((0, 0), 0b0101)]));
}

#[test]
fn point_is_a_square() {
    // Width 2 around (4, 4): corners at 3 and 5.
    let corners = [(3.0, 3.0), (5.0, 3.0), (3.0, 5.0)];
    let expected = [(3, 3), (3, 4), (4, 3), (4, 4)];
    assert_eq!(pixels(&single_sampled(), Kind::Point, corners), expected);
}

#[test]
fn point_includes_pixels_on_two_of_its_edges() {
    // All four edges run through centres of pixels.
    let corners = [(3.5, 3.5), (5.5, 3.5), (3.5, 5.5)];
    let left = [(3, 3), (3, 4), (4, 3), (4, 4)];
    assert_eq!(pixels(&single_sampled(), Kind::Point, corners), left);
    let mut state = single_sampled();
    state.upper_right = true;
    let right = [(3, 4), (3, 5), (4, 4), (4, 5)];
    assert_eq!(pixels(&state, Kind::Point, corners), right);
    // Others stay as they are, and so do points whose edges meet no centre.
    let rectangle = [(3.5, 3.5), (5.5, 3.5), (5.5, 5.5)];
    assert_eq!(pixels(&state, Kind::Rectangle, rectangle), left);
    let shifted = corners.map(|(x, y)| (x + 0.25, y + 0.25));
    let same = pixels(&single_sampled(), Kind::Point, shifted);
    assert_eq!(pixels(&state, Kind::Point, shifted), same);
}

pub(in crate::draw::raster) fn line(
    a: (f32, f32),
    b: (f32, f32),
    state: &RasterState,
) -> Vec<(u32, u32)> {
    pixels(state, Kind::Line, [a, b, b])
}

#[test]
fn line_excludes_its_last_pixel() {
    let state = single_sampled();
    // From centre to centre: the end's diamond is not left.
    assert_eq!(
        line((1.5, 2.5), (4.5, 2.5), &state),
        [(2, 1), (2, 2), (2, 3)]
    );
    assert_eq!(
        line((4.5, 2.5), (1.5, 2.5), &state),
        [(2, 2), (2, 3), (2, 4)]
    );
    assert_eq!(line((2.5, 1.5), (2.5, 3.5), &state), [(1, 2), (2, 2)]);
    // Slope one half: rows at the column centres are 0.5, 1.0, 1.5; it ends before the fourth.
    assert_eq!(
        line((0.5, 0.5), (3.4, 1.95), &state),
        [(0, 0), (0, 1), (1, 2)]
    );
    // Within one diamond nothing is left.
    assert_eq!(line((1.4, 1.5), (1.6, 1.5), &state), []);
}

#[test]
fn lines_on_pixel_borders_belong_to_the_left_pixel() {
    // Between columns 1 and 2; between rows 1 and 2, where ends are in the bottom corners.
    let state = single_sampled();
    assert_eq!(line((2.0, 0.5), (2.0, 2.5), &state), [(0, 1), (1, 1)]);
    assert_eq!(line((0.5, 2.0), (2.5, 2.0), &state), [(1, 0), (1, 1)]);
    assert_eq!(line((2.5, 2.0), (0.5, 2.0), &state), [(1, 1), (1, 2)]);
    // The right corner of a flat line's pixel is outside.
    assert_eq!(line((0.5, 0.5), (2.0, 0.5), &state), [(0, 0), (0, 1)]);
}

#[test]
fn stipple_pattern_continues_along_strips() {
    let mut state = single_sampled();
    state.stipple = Some(Stipple {
        pattern: 0b0101,
        repeat: 2,
        passed: Default::default(),
    });
    // Bits 1, 0, 1, 0 and then zeros, two pixels each; in the line's direction.
    assert_eq!(line((0.5, 0.5), (7.5, 0.5), &state).len(), 4);
    let back = line((6.5, 0.5), (0.5, 0.5), &state);
    assert_eq!(back, [(0, 1), (0, 2), (0, 5), (0, 6)]);
    // Three pixels, and then from the fourth on.
    assert_eq!(line((0.5, 0.5), (3.5, 0.5), &state), [(0, 0), (0, 1)]);
    let corners = [(3.5, 0.5), (8.5, 0.5), (8.5, 0.5)];
    let mut next = object(Kind::Line, corners);
    next.continues = true;
    let found: Vec<_> = cover(&state, &next).into_keys().collect();
    assert_eq!(found, [(0, 4), (0, 5)]);
}

#[test]
fn smooth_lines_report_coverage_in_sixteenths() {
    let state = state(&[(128, 128)], Lines::Smooth { width: 1.0 });
    let corners = [(1.0, 2.0), (3.0, 2.0), (3.0, 2.0)];
    let found = cover(&state, &object(Kind::Line, corners));
    // Half of the rows above and below, two columns.
    let halves: Vec<u32> = found.values().map(|m| m.count_ones()).collect();
    assert_eq!(halves, [8; 4]);
}

#[test]
fn wide_lines_are_columns_or_rectangles() {
    let aliased = state(&[(128, 128)], Lines::Aliased { width: 3 });
    let expected = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)];
    assert_eq!(line((1.5, 2.5), (3.5, 2.5), &aliased), expected);
    let rectangle = state(&[(128, 128)], Lines::Rectangles { width: 3.0 });
    assert_eq!(line((1.0, 2.5), (3.0, 2.5), &rectangle), expected);
}

#[test]
fn state_is_read_from_commands_and_memory() {
    use crate::draw::exec::Draw;
    use crate::draw_state::DrawState;
    use hw::draw as packet;
    use packet::{
        state_clip, state_drawing_rectangle as rectangle, state_multisample, state_raster,
        state_sample_pattern as pattern, state_sf,
    };
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    let memory: Box<[AtomicU32]> = (0..1024).map(|_| AtomicU32::new(0)).collect();
    // The second scissor: (2, 3) to (20, 30).
    memory[2].store(2 | 3 << 16, Relaxed);
    memory[3].store(20 | 30 << 16, Relaxed);
    let mut space = crate::space::AddressSpace::new();
    space
        .map(0x10000, 4096, std::sync::Arc::new(memory), 0)
        .expect("a free page");
    let mut latched = DrawState::default();
    let mut latch = |p: &hw::Packet, words: &[u32]| latched.latch(p, words);
    let words = rectangle::PACKET
        .words::<4>()
        .with(rectangle::CLIPPED_DRAWING_RECTANGLE_X_MAX, 15)
        .with(rectangle::CLIPPED_DRAWING_RECTANGLE_Y_MAX, 99);
    latch(&rectangle::PACKET, &words.dwords);
    let words = state_clip::PACKET
        .words::<4>()
        .with(state_clip::MAXIMUM_VP_INDEX, 1);
    latch(&state_clip::PACKET, &words.dwords);
    let words = state_raster::PACKET
        .words::<5>()
        .flag(state_raster::SCISSOR_RECTANGLE_ENABLE, true)
        .flag(state_raster::DX_MULTISAMPLE_RASTERIZATION_ENABLE, true);
    latch(&state_raster::PACKET, &words.dwords);
    let words = state_sf::PACKET
        .words::<4>()
        .with(state_sf::LINE_WIDTH, 192);
    latch(&state_sf::PACKET, &words.dwords);
    let words = state_multisample::PACKET
        .words::<2>()
        .with(state_multisample::NUMBER_OF_MULTISAMPLES, 3);
    latch(&state_multisample::PACKET, &words.dwords);
    let words = pattern::PACKET
        .words::<9>()
        .with(pattern::N8X_SAMPLE1_X_OFFSET, 7)
        .with(pattern::N8X_SAMPLE1_Y_OFFSET, 11)
        .with(pattern::N8X_SAMPLE6_X_OFFSET, 3)
        .with(pattern::N8X_SAMPLE6_Y_OFFSET, 15)
        .with(pattern::N16X_SAMPLE1_X_OFFSET, 5);
    latch(&pattern::PACKET, &words.dwords);
    let draw = Draw {
        watch: None,
        budget: &crate::budget::Budget::new(crate::InstructionLimits::of_all(u64::MAX)),
        at: 0x40,
        state: &latched,
        base: crate::base_addresses::BaseAddresses {
            dynamic: 0x10000,
            ..Default::default()
        },
        space: &space,
        options: &crate::options::Options::default(),
        kernels: &crate::kernel_cache::KernelCache::default(),
        wide: &crate::dataport::WideLock::default(),
    };
    let state = RasterState::read(&draw).expect("simulated");
    assert_eq!(state.samples, 8);
    // Sixteenths of a pixel.
    assert_eq!(state.positions[1], (7 * 16, 11 * 16));
    assert_eq!(state.positions[6], (3 * 16, 15 * 16));
    assert_eq!(state.lines, Lines::Rectangles { width: 1.5 });
    // The first scissor is the pixel (0, 0).
    let bounds = |x0, y0, x1, y1| Bounds { x0, y0, x1, y1 };
    assert_eq!(state.bounds, [bounds(0, 0, 0, 0), bounds(2, 3, 15, 30)]);

    let words = state_raster::PACKET
        .words::<5>()
        .flag(state_raster::CONSERVATIVE_RASTERIZATION_ENABLE, true);
    assert!(!state.conservative);
    let mut latched = latched.clone();
    latched.latch(&state_raster::PACKET, &words.dwords);
    let draw = Draw {
        watch: None,
        budget: &crate::budget::Budget::new(crate::InstructionLimits::of_all(u64::MAX)),
        state: &latched,
        ..draw
    };
    assert!(RasterState::read(&draw).expect("simulated").conservative);
    let words = words.flag(state_raster::SMOOTH_POINT_ENABLE, true);
    let mut latched = latched.clone();
    latched.latch(&state_raster::PACKET, &words.dwords);
    let draw = Draw {
        state: &latched,
        ..draw
    };
    assert!(matches!(
        RasterState::read(&draw),
        Err(eu::StopReason::Unimplemented { .. })
    ));
}

#[test]
fn conservative_triangles_cover_overlapped_pixels() {
    // Legs from (1.25, 1.25) to (3.75, 1.25) and to (1.25, 3.75): the hypotenuse is x + y = 5.
    let corners = [(1.25, 1.25), (3.75, 1.25), (1.25, 3.75)];
    let normal = [(1, 1), (1, 2), (2, 1)];
    assert_eq!(pixels(&single_sampled(), Kind::Triangle, corners), normal);
    let mut state = state(&STANDARD_4X, Lines::Aliased { width: 1 });
    state.conservative = true;
    // Pixels with x + y below 5 in their upper left corner and a part right of 1.25 and
    // below 1.25.
    let expected: BTreeMap<_, _> = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)]
        .map(|pixel| (pixel, 15))
        .into();
    let [a, b, c] = corners;
    for winding in [corners, [a, c, b]] {
        assert_eq!(cover(&state, &object(Kind::Triangle, winding)), expected);
    }
    // Points and rectangles stay as they are.
    let square = [(1.75, 1.75), (2.25, 1.75), (1.75, 2.25)];
    assert!(
        cover(&state, &object(Kind::Point, square))
            .values()
            .all(|m| *m != 15)
    );
}

#[test]
fn touching_a_pixel_is_not_conservative_coverage() {
    let mut state = single_sampled();
    state.conservative = true;
    // Legs along pixel borders from (1, 1) to (3, 1) and (1, 3); the hypotenuse runs through
    // corners of pixels.
    let corners = [(1.0, 1.0), (3.0, 1.0), (1.0, 3.0)];
    let expected = [(1, 1), (1, 2), (2, 1)];
    assert_eq!(pixels(&state, Kind::Triangle, corners), expected);
    // A sliver much thinner than a pixel covers all pixels along its way.
    let sliver = [(0.5, 0.25), (3.5, 0.25), (3.5, 0.265_625)];
    let expected = [(0, 0), (0, 1), (0, 2), (0, 3)];
    assert_eq!(pixels(&state, Kind::Triangle, sliver), expected);
    assert_eq!(pixels(&single_sampled(), Kind::Triangle, sliver), []);
}

#[test]
fn full_blocks_have_only_fully_covered_pixels() {
    let mut state = single_sampled();
    state.bounds[0] = Bounds {
        x0: 0,
        y0: 2,
        x1: 99,
        y1: 99,
    };
    // The first row of blocks is cut off by what may be drawn to, the second by the edge at 64.
    let corners = [(0.0, 0.0), (64.0, 0.0), (0.0, 97.0)];
    let mut out = ObjectCoverage::default();
    rasterise(
        &state,
        &object(Kind::Rectangle, [corners[1], corners[0], corners[2]]),
        &mut out,
    );
    assert_eq!(out.blocks, [[0, 32], [32, 32], [0, 64], [32, 64]]);
    assert_eq!(out.all, 1);
    // Thirty rows before them, one behind, each of 32 subspans.
    let rows: std::collections::BTreeSet<u32> = out.subspans.iter().map(|s| s.y).collect();
    assert_eq!(rows, (2..32).step_by(2).chain([96]).collect());
    assert_eq!(out.subspans.len(), 16 * 32);
    let block: Vec<Subspan> = block_subspans([32, 64], 5).collect();
    let places: std::collections::BTreeSet<(u32, u32)> = block.iter().map(|s| (s.x, s.y)).collect();
    let expected = (64..96)
        .step_by(2)
        .flat_map(|y| (32..64).step_by(2).map(move |x| (x, y)));
    assert_eq!(places, expected.collect());
    assert!(block.iter().all(|s| s.samples == [5; 4] && s.inner == 15));
}

#[test]
fn inner_coverage_is_within_the_triangle() {
    let mut state = single_sampled();
    state.conservative = true;
    // x + y below 5.
    let corners = [(0.0, 0.0), (5.0, 0.0), (0.0, 5.0)];
    let out = conservative_samples(&state, &object(Kind::Triangle, corners));
    let mut inner = Vec::new();
    for subspan in out {
        for i in (0..4).filter(|i| subspan.inner >> i & 1 == 1) {
            inner.push((subspan.y + i / 2, subspan.x + i % 2));
        }
    }
    inner.sort_unstable();
    // Those whose lower right corner has x + y of at most 5.
    let expected: Vec<_> = (0..4)
        .flat_map(|y| (0..4 - y).map(move |x| (y, x)))
        .collect();
    assert_eq!(inner, expected);
}
