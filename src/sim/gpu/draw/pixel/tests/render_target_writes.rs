//! Render target writes: what masks, alpha, depth and stencil in them leave of the samples.
//!
//! Ref: SKL PRM vol. 7, "Render Target Write", payloads by message type; Vulkan, "Multisample
//!      Coverage".

use crate::draw::object::Kind;
use crate::draw::pixel::blend::{AlphaState, Blend};
use crate::draw::pixel::message::tests::{
    D32_FLOAT, DUAL_LOW, HEADER, R8G8B8A8_UNORM, R32_UINT, R32G32B32A32_FLOAT, WRITE, numbered,
    pixel, put_word, red, rows,
};
use crate::draw::pixel::state::State;
use crate::draw::pixel::testing::{COLOUR, DEPTH, Rig, STENCIL, Sent, flat, send, w_tile, y_tile};
use hw::draw::{state_depth_buffer as db, state_wm_depth_stencil as ds};
use hw::draw_state::blend_state_entry as entry;

#[test]
fn per_sample_tests_run_at_the_first_render_target_write() {
    let mut rig = Rig::new();
    rig.bind(
        0,
        R32_UINT,
        &[(hw::state::render_surface_state::NUMBER_OF_MULTISAMPLES, 2)],
    );
    let mut first = numbered(9, None);
    let mut second = first.clone();
    for channel in 0..16 {
        put_word(&mut first, 0, channel, 0b0110);
        put_word(&mut second, 0, channel, 0b0001);
    }
    let sent = [
        Sent {
            src0: &first,
            ..Sent::default()
        },
        Sent {
            src0: &second,
            eot: true,
            ..Sent::default()
        },
    ];
    let change = |state: &mut State<'_>| {
        state.samples = 4;
        state.omask = true;
        state.early = false;
    };
    let mut slots = rows(2, 0b1111);
    slots[1].writable = [0b1100, 0, 0b1111, 0b1001];
    let done = send(&rig, change, &flat(Kind::Triangle, 0.0), &slots, &sent).expect("writes");
    assert!(done.ended);
    assert_eq!(done.slots[0].writable, [0b0110; 4]);
    assert_eq!(done.slots[1].writable, [0b0100, 0, 0b0110, 0]);
    assert_eq!(
        [done.slots[0].tested, done.slots[1].tested],
        [0b1111, 0b1101]
    );
    // Each once, though there are two writes. A pixel without writable samples passes nothing.
    assert_eq!(done.counts.samples_passed, 4 * 2 + 1 + 2);
    let once = send(&rig, change, &flat(Kind::Triangle, 0.0), &slots, &sent[..1]).expect("a write");
    assert!(!once.ended);
    // Before the shader has run nothing is counted here.
    let early = |state: &mut State<'_>| {
        change(state);
        state.early = true;
    };
    let done = send(&rig, early, &flat(Kind::Triangle, 0.0), &slots, &sent).expect("writes");
    assert_eq!(done.counts.samples_passed, 0);
}

#[test]
fn untested_pixels_are_counted_once() {
    for smooth in [false, true] {
        let mut rig = Rig::new();
        rig.bind(0, R32_UINT, &[]);
        let payload = numbered(8, None);
        let change = |state: &mut State<'_>| {
            state.early = false;
            state.smooth_lines = smooth;
        };
        let lower = Sent {
            lanes: 0b0000_1111_0011,
            src0: &payload,
            ..Sent::default()
        };
        let all = Sent {
            lanes: 0xffff,
            ..lower
        };
        let count = |sent: &[Sent<'_>]| {
            let done =
                send(&rig, change, &flat(Kind::Triangle, 0.0), &rows(3, 1), sent).expect("writes");
            (done.counts.samples_passed, done.slots[0].tested)
        };
        assert_eq!(count(&[lower]), (6, 0b0011), "smooth: {smooth}");
        assert_eq!(count(&[lower, lower]), (6, 0b0011), "smooth: {smooth}");
        assert_eq!(
            count(&[lower, all, lower]),
            (12, 0b1111),
            "smooth: {smooth}"
        );
    }
}

/// A payload of 16 pixels: alphas of source 0 from `first` on, and colours (0.25, 0.5, 0.75,
/// `alpha`), with a header.
fn with_alpha(first: f32, alpha: f32) -> Vec<u32> {
    let mut payload = vec![0; 96];
    payload[0] = 1 << 11;
    payload[15] = 0xffff;
    for lane in 0..16 {
        payload[16 + lane] = (first + lane as f32 / 16.0).to_bits();
        for (c, value) in [0.25, 0.5, 0.75, alpha].into_iter().enumerate() {
            payload[32 + c * 16 + lane] = f32::to_bits(value);
        }
    }
    payload
}

#[test]
fn source_0_alpha_is_used_for_alpha_test_and_coverage() {
    let mut rig = Rig::new();
    rig.bind(0, R8G8B8A8_UNORM, &[]);
    // Greater than 0.5, which is so from channel 9 on.
    let change = |state: &mut State<'_>| {
        state.alpha = AlphaState {
            test: Some((5, 0.5)),
            ..AlphaState::default()
        };
    };
    let payload = with_alpha(0.0, 0.25);
    let sent = Sent {
        desc: WRITE | HEADER,
        src0: &payload,
        ..Sent::default()
    };
    let found = red(&rig, change, &rows(4, 1), &[sent]);
    let written: Vec<usize> = (0..16).filter(|i| found[*i] != 0).collect();
    assert_eq!(written, [9, 10, 11, 12, 13, 14, 15]);
    assert_eq!(found[9], 0x40bf_8040);
    // Else the colour's own does.
    let mut rig = Rig::new();
    rig.bind(0, R8G8B8A8_UNORM, &[]);
    let mut payload = numbered(8, None);
    for lane in 0..16 {
        payload[48 + lane] = (lane as f32 / 16.0).to_bits();
    }
    let sent = Sent {
        src0: &payload,
        ..Sent::default()
    };
    let found = red(&rig, change, &rows(4, 1), &[sent]);
    let written: Vec<usize> = (0..16).filter(|i| found[*i] != 0).collect();
    assert_eq!(written, [9, 10, 11, 12, 13, 14, 15]);
}

#[test]
fn alpha_to_coverage_covers_a_fraction_of_the_samples() {
    let mut rig = Rig::new();
    rig.bind(
        0,
        R8G8B8A8_UNORM,
        &[(hw::state::render_surface_state::NUMBER_OF_MULTISAMPLES, 2)],
    );
    let change = |state: &mut State<'_>| {
        state.samples = 4;
        state.alpha.to_coverage = true;
    };
    let payload = with_alpha(0.0, 0.0);
    let sent = Sent {
        desc: WRITE | HEADER,
        src0: &payload,
        ..Sent::default()
    };
    let done = send(
        &rig,
        change,
        &flat(Kind::Triangle, 0.0),
        &rows(4, 0b1111),
        &[sent],
    )
    .expect("a write");
    let shares: Vec<u32> = done
        .slots
        .iter()
        .flat_map(|s| s.writable)
        .map(|m| m.count_ones())
        .collect();
    // Sixteenths of four samples, to the nearest.
    assert_eq!(shares, [0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4]);
}

#[test]
fn omask_replaces_alpha_to_coverage() {
    let mut rig = Rig::new();
    let four = (hw::state::render_surface_state::NUMBER_OF_MULTISAMPLES, 2);
    rig.bind(0, R8G8B8A8_UNORM, &[four]);
    let mut payload = numbered(9, None);
    for channel in 0..16 {
        put_word(&mut payload, 0, channel, 0b0110);
        // Half of the samples by the alpha, none below a quarter by the alpha test.
        let alpha: f32 = if channel < 12 { 0.5 } else { 0.125 };
        payload[8 + 48 + channel] = alpha.to_bits();
    }
    let sent = Sent {
        src0: &payload,
        ..Sent::default()
    };
    let change = |state: &mut State<'_>| {
        state.samples = 4;
        state.omask = true;
        state.alpha.to_coverage = true;
        state.alpha.test = Some((5, 0.25));
    };
    let (setup, slots) = (flat(Kind::Triangle, 0.0), rows(4, 0b1111));
    let done = send(&rig, change, &setup, &slots, &[sent]).expect("a write");
    let writable: Vec<u16> = done.slots.iter().flat_map(|slot| slot.writable).collect();
    assert_eq!(writable[..12], [0b0110; 12]);
    assert_eq!(writable[12..], [0; 4]);
}

#[test]
fn alpha_to_one_applies_after_alpha_test_and_coverage() {
    let mut rig = Rig::new();
    rig.bind(0, R8G8B8A8_UNORM, &[]);
    let change = |state: &mut State<'_>| {
        state.alpha = AlphaState {
            to_one: true,
            test: Some((2, 0.5)),
            ..AlphaState::default()
        };
    };
    let payload = with_alpha(0.25, 0.25);
    let sent = Sent {
        desc: WRITE | HEADER,
        src0: &payload,
        ..Sent::default()
    };
    let found = red(&rig, change, &rows(4, 1), &[sent]);
    assert_eq!(found[..4], [0xffbf_8040; 4]);
    assert_eq!(found[4..], [0; 12]);
    // The second source's alpha, too: as the factor of the first.
    let mut rig = Rig::new();
    rig.bind(0, R32G32B32A32_FLOAT, &[]);
    let change = |to_one: bool| {
        move |state: &mut State<'_>| {
            state.alpha.to_one = to_one;
            let mut words = [0; 2];
            for (field, value) in [
                (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
                (entry::SOURCE_BLEND_FACTOR, 0x0a),
                (entry::DESTINATION_BLEND_FACTOR, 0x11),
            ] {
                field.set(&mut words, value);
            }
            state.blends = vec![Blend::read(&words, false)];
        }
    };
    let payload: Vec<u32> = (1..=64).map(|i| (i as f32).to_bits()).collect();
    let sent = Sent {
        desc: WRITE | DUAL_LOW,
        src0: &payload,
        ..Sent::default()
    };
    for (to_one, expected) in [
        // Channel 5: colours 6, 14, 22, 30; the second's alpha is 62.
        (
            false,
            [6.0 * 62.0, 14.0 * 62.0, 22.0 * 62.0, 30.0 * 62.0f32],
        ),
        (true, [6.0, 14.0, 22.0, 1.0]),
    ] {
        send(
            &rig,
            change(to_one),
            &flat(Kind::Triangle, 0.0),
            &rows(2, 1),
            &[sent],
        )
        .expect("a write");
        let (x, y) = pixel(5);
        assert_eq!(
            rig.wide(x, y).map(f32::from_bits),
            expected,
            "to one: {to_one}"
        );
    }
}

#[test]
fn smooth_line_coverage_scales_alpha() {
    let mut rig = Rig::new();
    rig.bind(0, R32G32B32A32_FLOAT, &[]);
    let payload = [1f32.to_bits(); 64];
    let mut slots = rows(1, 1);
    slots[0].uncovered = [1, 4, 12, 15];
    let sent = Sent {
        src0: &payload,
        ..Sent::default()
    };
    send(
        &rig,
        |state| state.smooth_lines = true,
        &flat(Kind::Line, 0.0),
        &slots,
        &[sent],
    )
    .expect("a write");
    for (channel, alpha) in [0.9375f32, 0.75, 0.25, 0.0625].into_iter().enumerate() {
        let (x, y) = pixel(channel as u32);
        assert_eq!(
            rig.wide(x, y).map(f32::from_bits),
            [1.0, 1.0, 1.0, alpha],
            "channel {channel}"
        );
    }
}

#[test]
fn smooth_line_coverage_does_not_scale_integers() {
    let mut rig = Rig::new();
    // R8G8B8A8_UINT.
    rig.bind(0, 0x0cb, &[]);
    let payload = [200; 64];
    let mut slots = rows(1, 1);
    slots[0].uncovered = [15; 4];
    let sent = Sent {
        src0: &payload,
        ..Sent::default()
    };
    let change = |state: &mut State<'_>| state.smooth_lines = true;
    let found = red(&rig, change, &slots, &[sent]);
    assert_eq!(found[..4], [0xc8c8_c8c8; 4]);
}

#[test]
fn shader_depth_and_stencil_are_tested_late() {
    let mut rig = Rig::new();
    rig.bind(0, R32_UINT, &[]);
    rig.depth_buffer(D32_FLOAT);
    rig.stencil_buffer();
    rig.set(
        &ds::PACKET,
        &[
            (ds::DEPTH_TEST_ENABLE, 1),
            (ds::DEPTH_BUFFER_WRITE_ENABLE, 1),
            // Greater.
            (ds::DEPTH_TEST_FUNCTION, 5),
            (ds::STENCIL_TEST_ENABLE, 1),
            (ds::STENCIL_BUFFER_WRITE_ENABLE, 1),
            (ds::STENCIL_WRITE_MASK, 0xff),
            // Replace, where both pass.
            (ds::STENCIL_PASS_DEPTH_PASS_OP, 2),
        ],
    );
    // Viewports' bounds on depth: 0 and 1.
    let pointers = hw::draw::state_viewport_state_pointers_cc::PACKET;
    rig.set(&pointers, &[]);
    rig.write(crate::draw::pixel::testing::DYNAMIC, &[0, 1f32.to_bits()]);
    let change = |state: &mut State<'_>| {
        state.early = false;
        state.computes_depth = true;
        state.computes_stencil = true;
    };
    let mut payload = vec![7; 11 * 8];
    for lane in 0..16 {
        // Depths in the two registers behind the colour, and behind them bytes; channel 3's depth
        // does not pass.
        let depth = if lane == 3 {
            0.0
        } else {
            (lane + 1) as f32 / 32.0
        };
        payload[64 + lane] = depth.to_bits();
        let dword = &mut payload[80 + lane / 4];
        let shift = lane % 4 * 8;
        *dword = *dword & !(0xff << shift) | (0x40 + lane as u32) << shift;
    }
    let sent = Sent {
        src0: &payload,
        ..Sent::default()
    };
    let done = send(
        &rig,
        change,
        &flat(Kind::Triangle, 0.9),
        &rows(4, 1),
        &[sent],
    )
    .expect("a write");
    assert_eq!(done.counts.samples_passed, 15);
    for channel in 0..16u32 {
        let (x, y) = pixel(channel);
        let found = (
            f32::from_bits(rig.read(DEPTH + y_tile(x * 4, y))),
            rig.byte(STENCIL + w_tile(x, y)),
            rig.texel(x, y),
        );
        let expected = match channel {
            3 => (0.0, 0, 0),
            _ => ((channel + 1) as f32 / 32.0, 0x40 + channel as u8, 7),
        };
        assert_eq!(found, expected, "channel {channel}");
    }
    // The object's depth and the state's reference, where the shader has none.
    rig.set(&ds::PACKET, &[(ds::STENCIL_REFERENCE_VALUE, 0x33)]);
    let change = |state: &mut State<'_>| state.early = false;
    let sent = Sent {
        src0: &payload[..64],
        ..Sent::default()
    };
    send(
        &rig,
        change,
        &flat(Kind::Triangle, 0.9),
        &rows(4, 1),
        &[sent],
    )
    .expect("a write");
    let (x, y) = pixel(9);
    assert_eq!(f32::from_bits(rig.read(DEPTH + y_tile(x * 4, y))), 0.9);
    assert_eq!(rig.byte(STENCIL + w_tile(x, y)), 0x33);
    // What was tested before the shader is not tested again.
    rig.set(&db::PACKET, &[]);
    let sent = Sent {
        src0: &[8; 64],
        ..Sent::default()
    };
    let done = send(
        &rig,
        |state| state.early = true,
        &flat(Kind::Triangle, 0.1),
        &rows(4, 1),
        &[sent],
    )
    .expect("a write");
    assert_eq!((rig.texel(0, 0), done.counts.samples_passed), (8, 0));
}

#[test]
fn writes_reach_all_surviving_samples() {
    use hw::state::render_surface_state as rss;
    for (log, samples) in [(1, 2), (2, 4), (4, 16u16)] {
        let mut rig = Rig::new();
        rig.bind(
            0,
            R32_UINT,
            &[
                (rss::NUMBER_OF_MULTISAMPLES, log),
                (rss::HEIGHT, 3),
                (rss::SURFACE_QPITCH, 1),
            ],
        );
        let all = (u32::MAX >> (32 - samples)) as u16;
        let mut slots = rows(1, all);
        slots[0].writable = [all, 1, 1 << (samples - 1), all & !1];
        let payload = numbered(8, None);
        let sent = Sent {
            src0: &payload,
            ..Sent::default()
        };
        let change = |state: &mut State<'_>| state.samples = samples.into();
        send(&rig, change, &flat(Kind::Triangle, 0.0), &slots, &[sent]).expect("a write");
        for channel in 0..4 {
            let (x, y) = pixel(channel);
            // Slices of four rows, one for each sample.
            let held: Vec<u32> = (0..samples.into())
                .map(|sample| rig.texel(x, y + 4 * sample))
                .collect();
            let writable = slots[0].writable[channel as usize];
            let expected: Vec<u32> = (0..samples)
                .map(|sample| {
                    if writable >> sample & 1 == 1 {
                        1000 + channel
                    } else {
                        0
                    }
                })
                .collect();
            assert_eq!(held, expected, "{samples} samples, channel {channel}");
        }
    }
}

#[test]
fn omask_has_a_bit_per_sample() {
    let mut rig = Rig::new();
    rig.bind(
        0,
        R32_UINT,
        &[(hw::state::render_surface_state::NUMBER_OF_MULTISAMPLES, 4)],
    );
    let mut payload = numbered(9, None);
    let words = [0x7fff, 0x8000, 0xfffe, 0x5aa5];
    for (channel, word) in words.into_iter().enumerate() {
        put_word(&mut payload, 0, channel, word);
    }
    let sent = Sent {
        src0: &payload,
        ..Sent::default()
    };
    let change = |state: &mut State<'_>| (state.samples, state.omask) = (16, true);
    let done = send(
        &rig,
        change,
        &flat(Kind::Triangle, 0.0),
        &rows(1, 0xffff),
        &[sent],
    )
    .expect("a write");
    assert_eq!(done.slots[0].writable, words.map(|word| word as u16));
}

#[test]
fn source_depth_follows_both_colours_of_dual_source() {
    let mut rig = Rig::new();
    rig.bind(0, R32_UINT, &[]);
    rig.depth_buffer(D32_FLOAT);
    rig.set(
        &ds::PACKET,
        &[
            (ds::DEPTH_TEST_ENABLE, 1),
            (ds::DEPTH_BUFFER_WRITE_ENABLE, 1),
        ],
    );
    rig.write(crate::draw::pixel::testing::DYNAMIC, &[0, 1f32.to_bits()]);
    let change = |state: &mut State<'_>| (state.early, state.computes_depth) = (false, true);
    let mut payload = numbered(9, None);
    for lane in 0..8 {
        payload[64 + lane] = ((lane + 1) as f32 / 16.0).to_bits();
    }
    let sent = Sent {
        desc: WRITE | DUAL_LOW,
        src0: &payload,
        ..Sent::default()
    };
    send(
        &rig,
        change,
        &flat(Kind::Triangle, 0.9),
        &rows(2, 1),
        &[sent],
    )
    .expect("a write");
    for channel in 0..8 {
        let (x, y) = pixel(channel);
        let held = f32::from_bits(rig.read(DEPTH + y_tile(x * 4, y)));
        assert_eq!(
            (held, rig.texel(x, y)),
            ((channel + 1) as f32 / 16.0, 1000 + channel),
            "channel {channel}"
        );
    }
}

#[test]
fn clears_cover_the_surviving_pixels() {
    use hw::state::render_surface_state as rss;
    let mut rig = Rig::new();
    let fields = [
        (rss::TILE_MODE, 3),
        (rss::WIDTH, 255),
        (rss::HEIGHT, 127),
        (rss::SURFACE_PITCH, 1023),
        (rss::AUXILIARY_SURFACE_MODE, 1),
    ];
    rig.bind(0, R8G8B8A8_UNORM, &fields);
    let payload = numbered(8, None);
    let sent = Sent {
        src0: &payload,
        ..Sent::default()
    };
    let mut slots = rows(1, 1);
    slots[0].writable = [0, 1, 1, 0];
    let change = |state: &mut State<'_>| {
        state.aux_operation = Some(crate::draw::pixel::state::AuxOperation::FastClear)
    };
    send(&rig, change, &flat(Kind::Triangle, 0.0), &slots, &[sent]).expect("a clear");
    let image = crate::surface::Image::read(
        &rig.view(),
        crate::draw::pixel::testing::SURFACES + crate::draw::pixel::testing::TARGET,
    );
    let image = image.expect("a surface");
    // A pixel stands for 64 × 32 pixels of the target.
    for (pixel, cleared) in [
        ([0, 0, 0], false),
        ([64, 0, 0], true),
        ([0, 32, 0], true),
        ([64, 32, 0], false),
    ] {
        assert_eq!(
            image.is_clear(&rig.view(), 0, pixel),
            Ok(cleared),
            "{pixel:?}"
        );
    }
    assert!((0..1024).all(|dword| rig.read(COLOUR + dword * 4) == 0));
}

/// The level that a render target is drawn to is counted from the surface's first.
#[test]
fn render_targets_ignore_surface_min_lod() {
    use hw::state::render_surface_state as rss;
    let mut rig = Rig::new();
    let second_level = [(rss::MIP_COUNT_LOD, 1), (rss::SURFACE_MIN_LOD, 1)];
    rig.bind(0, R32_UINT, &second_level);
    let payload = numbered(9, None);
    let sent = [Sent {
        src0: &payload,
        eot: true,
        ..Sent::default()
    }];
    let object = flat(Kind::Triangle, 0.0);
    send(&rig, |_| {}, &object, &rows(1, 0b1), &sent).expect("a write");
    // The second level lies below the first, of 16 rows.
    assert_eq!(rig.texel(0, 0), 0);
    assert_ne!(rig.texel(0, 16), 0);
}
