//! The rasteriser's state, field by field.
//!
//! Ref: SKL PRM vol. 2a, "3DSTATE_RASTER", "3DSTATE_SF", "3DSTATE_SAMPLE_PATTERN",
//!      "3DSTATE_LINE_STIPPLE", "3DSTATE_DRAWING_RECTANGLE"; vol. 2d, "SCISSOR_RECT",
//!      "SF_CLIP_VIEWPORT".

use super::*;
use crate::draw::pixel::testing::{DYNAMIC, Rig};
use eu::StopReason;
use hw::draw::{
    state_clip as clip, state_drawing_rectangle as rectangle, state_line_stipple as stipple,
    state_multisample as multisample, state_raster as raster, state_sample_pattern as pattern,
    state_scissor_state_pointers as scissors, state_sf as sf,
    state_viewport_state_pointers_sf_clip as viewports, state_wm as wm,
};
use hw::draw_state::sf_clip_viewport as port;
use hw::{Field, Packet};

type Change = (&'static Packet, Field, u64);

fn rig(changes: &[Change]) -> Rig {
    let mut rig = Rig::new();
    for (packet, field, value) in changes {
        rig.set(packet, &[(*field, *value)]);
    }
    rig
}

fn read(changes: &[Change]) -> Result<RasterState, StopReason> {
    RasterState::read(&rig(changes).draw())
}

fn read_state<T>(changes: &[Change], look: impl Fn(&RasterState) -> T) -> T {
    look(&read(changes).expect("simulated"))
}

const fn samples(log: u64) -> Change {
    (
        &multisample::PACKET,
        multisample::NUMBER_OF_MULTISAMPLES,
        log,
    )
}

#[test]
fn sample_positions_follow_the_pattern() {
    // Y of a sample in the lower four bits of a byte and X above; by count, the bit where each
    // sample's byte starts. Eight samples are in two dwords, of which the second is the first's.
    let starts: [&[u32]; 5] = [
        &[272],
        &[256, 264],
        &[224, 232, 240, 248],
        &[192, 200, 208, 216, 160, 168, 176, 184],
        &[
            32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152,
        ],
    ];
    let mut words = vec![pattern::PACKET.header, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut byte = 0x9du32;
    for word in words.iter_mut().skip(1) {
        for i in 0..4 {
            byte = (byte * 7 + 3) & 0xff;
            *word |= byte << (8 * i);
        }
    }
    for (log, starts) in (0..).zip(starts) {
        let mut rig = rig(&[samples(log)]);
        rig.latched.latch(&pattern::PACKET, &words);
        let state = RasterState::read(&rig.draw()).expect("simulated");
        let expected: Vec<(i64, i64)> = starts
            .iter()
            .map(|bit| {
                let byte = words[*bit as usize / 32] >> (bit % 32) & 0xff;
                (i64::from(byte / 16) * 16, i64::from(byte % 16) * 16)
            })
            .collect();
        assert_eq!(state.samples(), expected, "2^{log} samples");
        // One byte alone by name, so that the table above is not all there is to trust.
        let named = [
            pattern::N1X_SAMPLE0_X_OFFSET,
            pattern::N2X_SAMPLE1_X_OFFSET,
            pattern::N4X_SAMPLE3_X_OFFSET,
            pattern::N8X_SAMPLE7_X_OFFSET,
            pattern::N16X_SAMPLE15_X_OFFSET,
        ][log as usize];
        assert_eq!(
            state.samples().last().map(|s| s.0),
            Some(named.get(&words) as i64 * 16),
            "2^{log} samples"
        );
    }
    // The default is the upper left corner.
    assert_eq!(read_state(&[], |s| s.samples().to_vec()), [(0, 0)]);
}

#[test]
fn unmodelled_state_is_reported() {
    let forced = |count| (&raster::PACKET, raster::FORCED_SAMPLE_COUNT, count);
    for (name, changes, stops) in [
        ("nothing", vec![], false),
        (
            "last pixel",
            vec![(&sf::PACKET, sf::LAST_PIXEL_ENABLE, 1)],
            true,
        ),
        (
            "smooth points",
            vec![(&raster::PACKET, raster::SMOOTH_POINT_ENABLE, 1)],
            true,
        ),
        // 1, 2, 3, 4 are one, two, four and eight samples.
        ("one sample of one", vec![forced(1)], false),
        ("two samples of one", vec![forced(2)], true),
        ("four samples of four", vec![forced(3), samples(2)], false),
        ("two samples of four", vec![forced(2), samples(2)], true),
        ("eight samples of four", vec![forced(4), samples(2)], true),
    ] {
        let found = read(&changes);
        let stopped = matches!(found, Err(StopReason::Unimplemented { at: 0x40, .. }));
        assert_eq!((stopped, found.is_err()), (stops, stops), "{name}");
    }
    assert!(matches!(read(&[samples(4)]), Ok(state) if state.samples == 16));
    assert!(matches!(
        read(&[samples(5)]),
        Err(StopReason::Undefined { .. })
    ));
}

#[test]
fn line_rasterisation_mode_by_width_and_multisampling() {
    let multi = (
        &raster::PACKET,
        raster::DX_MULTISAMPLE_RASTERIZATION_ENABLE,
        1,
    );
    let smooth = (&raster::PACKET, raster::ANTIALIASING_ENABLE, 1);
    let width = |pixels: f64| (&sf::PACKET, sf::LINE_WIDTH, (pixels * 128.0) as u64);
    let aliased = |width| Lines::Aliased { width };
    for (changes, expected) in [
        (vec![], aliased(1)),
        (vec![width(0.25)], aliased(1)),
        (vec![width(1.0)], aliased(1)),
        (vec![width(1.25)], aliased(1)),
        (vec![width(1.75)], aliased(2)),
        (vec![width(3.0)], aliased(3)),
        (vec![width(7.5)], aliased(8)),
        (vec![multi], aliased(1)),
        (
            vec![multi, width(0.125)],
            Lines::Rectangles { width: 0.125 },
        ),
        (vec![multi, width(3.5)], Lines::Rectangles { width: 3.5 }),
        (
            vec![multi, smooth, width(3.5)],
            Lines::Rectangles { width: 3.5 },
        ),
        (vec![smooth], Lines::Smooth { width: 1.0 }),
        (vec![smooth, width(0.5)], Lines::Smooth { width: 1.0 }),
        (vec![smooth, width(2.25)], Lines::Smooth { width: 2.25 }),
    ] {
        let found = read_state(&changes, |s| s.lines);
        assert_eq!(
            found,
            expected,
            "{:?}",
            changes.iter().map(|c| (c.1.name, c.2)).collect::<Vec<_>>()
        );
    }
}

#[test]
fn line_stipple_pattern_and_repeat_count() {
    let on = (&wm::PACKET, wm::LINE_STIPPLE_ENABLE, 1);
    let pattern = (&stipple::PACKET, stipple::LINE_STIPPLE_PATTERN, 0xa53c);
    let repeat = |count| (&stipple::PACKET, stipple::LINE_STIPPLE_REPEAT_COUNT, count);
    let found = |changes: &[Change]| {
        read_state(changes, |s| {
            s.stipple
                .clone()
                .map(|s| (s.pattern, s.repeat, s.passed.get()))
        })
    };
    assert_eq!(found(&[pattern, repeat(3)]), None);
    assert_eq!(found(&[on, pattern, repeat(3)]), Some((0xa53c, 3, 0)));
    assert_eq!(found(&[on, pattern, repeat(256)]), Some((0xa53c, 256, 0)));
    // No count is no division by zero.
    assert_eq!(found(&[on, pattern]), Some((0xa53c, 1, 0)));
    // Sixteen bits, and from the first on again.
    let stipple = Stipple {
        pattern: 0x1_0009,
        repeat: 2,
        passed: Default::default(),
    };
    let drawn: Vec<u32> = (0..70).filter(|pixel| stipple.is_drawn(*pixel)).collect();
    assert_eq!(drawn, [0, 1, 6, 7, 32, 33, 38, 39, 64, 65]);
}

/// Bounds of the viewports 0, 1 and 5 with a drawing rectangle of (1, 2) to (90, 80).
fn bounded(changes: &[Change]) -> Vec<Bounds> {
    let mut rig = rig(changes);
    rig.set(
        &rectangle::PACKET,
        &[
            (rectangle::CLIPPED_DRAWING_RECTANGLE_X_MIN, 1),
            (rectangle::CLIPPED_DRAWING_RECTANGLE_Y_MIN, 2),
            (rectangle::CLIPPED_DRAWING_RECTANGLE_X_MAX, 90),
            (rectangle::CLIPPED_DRAWING_RECTANGLE_Y_MAX, 80),
        ],
    );
    rig.set(&clip::PACKET, &[(clip::MAXIMUM_VP_INDEX, 5)]);
    rig.set(&scissors::PACKET, &[(scissors::SCISSOR_RECT_POINTER, 0x40)]);
    rig.set(
        &viewports::PACKET,
        &[(viewports::SF_CLIP_VIEWPORT_POINTER, 0x80)],
    );
    // Scissors of two dwords each: minimum x and y, maximum x and y.
    let corner = |x: u32, y: u32| x | y << 16;
    let corners = [
        (0, corner(3, 0), corner(60, 70)),
        (1, corner(0, 30), corner(200, 40)),
        (5, corner(20, 21), corner(22, 23)),
    ];
    for (i, least, greatest) in corners {
        rig.write(DYNAMIC + 0x40 + 8 * i, &[least, greatest]);
    }
    for (i, [x0, x1, y0, y1]) in [
        (0, [4.5, 50.25, 5.75, 44.5]),
        (1, [0.0, 30.0, 1.0, 31.0]),
        (5, [-7.5, 95.5, 21.25, 21.75f32]),
    ] {
        let mut words = [0; 16];
        for (field, value) in [
            (port::X_MIN_VIEWPORT, x0),
            (port::X_MAX_VIEWPORT, x1),
            (port::Y_MIN_VIEWPORT, y0),
            (port::Y_MAX_VIEWPORT, y1),
        ] {
            field.set(&mut words, value.to_bits().into());
        }
        rig.write(DYNAMIC + 0x80 + 64 * i, &words);
    }
    let bounds = RasterState::read(&rig.draw()).expect("simulated").bounds;
    assert_eq!(bounds.len(), 6);
    vec![bounds[0], bounds[1], bounds[5]]
}

#[test]
fn bounds_intersect_drawing_rectangle_scissor_and_viewport() {
    let bounds = |x0, y0, x1, y1| Bounds { x0, y0, x1, y1 };
    let scissor = (&raster::PACKET, raster::SCISSOR_RECTANGLE_ENABLE, 1);
    let clips = [
        (&clip::PACKET, clip::CLIP_ENABLE, 1),
        (&clip::PACKET, clip::VIEWPORT_XY_CLIP_TEST_ENABLE, 1),
        (&sf::PACKET, sf::VIEWPORT_TRANSFORM_ENABLE, 1),
    ];
    let plain = [bounds(1, 2, 90, 80); 3];
    assert_eq!(bounded(&[]), plain);
    let scissored = [
        bounds(3, 2, 60, 70),
        bounds(1, 30, 90, 40),
        bounds(20, 21, 22, 23),
    ];
    assert_eq!(bounded(&[scissor]), scissored);
    // Pixels that a viewport has a part of: extents are rounded away from it.
    let extents = [
        bounds(4, 5, 51, 45),
        bounds(1, 2, 30, 31),
        bounds(1, 21, 90, 22),
    ];
    assert_eq!(bounded(&clips), extents);
    // The viewport extents apply only if all three enables are set.
    for left_out in 0..3 {
        let some: Vec<Change> = (0..3)
            .filter(|i| *i != left_out)
            .map(|i| clips[i])
            .collect();
        assert_eq!(bounded(&some), plain, "without {}", clips[left_out].1.name);
    }
    let both = [
        bounds(4, 5, 51, 45),
        bounds(1, 30, 30, 31),
        bounds(20, 21, 22, 22),
    ];
    assert_eq!(bounded(&[&clips[..], &[scissor]].concat()), both);
}
