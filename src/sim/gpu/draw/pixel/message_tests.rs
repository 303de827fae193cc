//! Render target writes: where the parts of a payload stand, and which pixels and samples they reach.
//!
//! Ref: SKL PRM vol. 7, "Render Target Write", "Message Header", payloads by message type.

use super::blend::{Alpha, Blend};
use super::payload::Slot;
use super::state::State;
use super::testing::{COLOUR, DEPTH, PITCH, Rig, STENCIL, Sent, flat, row, send, w_tile, y_tile};
use crate::draw::object::Kind;
use eu::Stop;
use hw::draw::{state_depth_buffer as db, state_wm_depth_stencil as ds};
use hw::draw_state::blend_state_entry as entry;

const R32G32B32A32_FLOAT: u64 = 0x000;
const R32G32B32A32_UINT: u64 = 0x002;
const R32_UINT: u64 = 0x0d7;
const R8G8B8A8_UNORM: u64 = 0x0c7;
/// Depth formats.
const D32_FLOAT: u64 = 1;

const WRITE: u32 = 12 << 14;
const HEADER: u32 = 1 << 19;
const UPPER_SLOTS: u32 = 1 << 11;
/// Message types.
const SIMD16: u32 = 0;
const REPLICATED: u32 = 1 << 8;
const DUAL_LOW: u32 = 2 << 8;
const DUAL_HIGH: u32 = 3 << 8;
const SIMD8: u32 = 4 << 8;

/// A payload whose dwords are their own numbers, from 1000 on, but for a header with all pixels enabled.
fn numbered(registers: usize, header: Option<u32>) -> Vec<u32> {
    let mut payload: Vec<u32> = (0..registers as u32 * 8).map(|i| 1000 + i).collect();
    if let Some(first) = header {
        payload[..16].fill(0);
        payload[0] = first;
        payload[15] = 0xffff;
    }
    payload
}

/// Pixel of a slot's channel: four to a subspan, subspans in rows of four.
fn pixel(channel: u32) -> (u32, u32) {
    let (slot, within) = (channel / 4, channel % 4);
    (slot % 4 * 2 + within % 2, slot / 4 * 2 + within / 2)
}

/// Subspans in rows of four.
fn rows(count: u32, samples: u16) -> Vec<Slot> {
    let mut slots = row(count, samples);
    for (slot, channel) in slots.iter_mut().zip((0..).step_by(4)) {
        (slot.x, slot.y) = pixel(channel);
    }
    slots
}

/// Address of a pixel of 16 bytes.
fn place(x: u32, y: u32) -> u64 {
    COLOUR + u64::from(y) * PITCH + u64::from(x) * 16
}

/// Which samples an oMask of registers of words leaves of pixel `channel`, put at `register`.
fn put_word(payload: &mut [u32], register: usize, channel: usize, word: u32) {
    let dword = &mut payload[register * 8 + channel / 2];
    *dword = *dword & !(0xffff << (channel % 2 * 16)) | word << (channel % 2 * 16);
}

/// Parts in a payload, in registers: whether there is a header, and its first dword; oMask; the colour; all of it.
struct Case {
    name: &'static str,
    desc: u32,
    header: Option<u32>,
    omask: bool,
    depth: bool,
    stencil: bool,
    colour: usize,
    registers: usize,
    /// Channels of the slots that are written.
    channels: std::ops::Range<u32>,
}

const PLAIN: Case = Case {
    name: "16 pixels",
    desc: SIMD16,
    header: None,
    omask: false,
    depth: false,
    stencil: false,
    colour: 0,
    registers: 8,
    channels: 0..16,
};

#[test]
fn parts_of_a_payload_follow_each_other() {
    let alpha = Some(1 << 11);
    let cases = [
        PLAIN,
        Case {
            name: "16 pixels of the upper slots",
            desc: UPPER_SLOTS,
            channels: 16..32,
            ..PLAIN
        },
        Case {
            name: "header",
            header: Some(0),
            colour: 2,
            registers: 10,
            ..PLAIN
        },
        Case {
            name: "source 0 alpha",
            header: alpha,
            colour: 4,
            registers: 12,
            ..PLAIN
        },
        Case {
            name: "oMask",
            omask: true,
            colour: 1,
            registers: 9,
            ..PLAIN
        },
        Case {
            name: "header, alpha and oMask",
            header: alpha,
            omask: true,
            colour: 5,
            registers: 13,
            ..PLAIN
        },
        Case {
            name: "8 pixels",
            desc: SIMD8,
            registers: 4,
            channels: 0..8,
            ..PLAIN
        },
        Case {
            name: "8 pixels of the upper slots",
            desc: SIMD8 | UPPER_SLOTS,
            registers: 4,
            channels: 16..24,
            ..PLAIN
        },
        Case {
            name: "8 pixels, header and alpha",
            desc: SIMD8,
            header: alpha,
            colour: 3,
            registers: 7,
            channels: 0..8,
            ..PLAIN
        },
        Case {
            name: "8 pixels, alpha and oMask",
            desc: SIMD8,
            header: alpha,
            omask: true,
            colour: 4,
            registers: 8,
            channels: 0..8,
            ..PLAIN
        },
        Case {
            name: "two sources, lower",
            desc: DUAL_LOW,
            registers: 8,
            channels: 0..8,
            ..PLAIN
        },
        Case {
            name: "two sources, upper",
            desc: DUAL_HIGH,
            registers: 8,
            channels: 8..16,
            ..PLAIN
        },
        Case {
            name: "two sources of the upper slots",
            desc: DUAL_HIGH | UPPER_SLOTS,
            registers: 8,
            channels: 24..32,
            ..PLAIN
        },
        Case {
            name: "depth behind the colour",
            depth: true,
            registers: 10,
            ..PLAIN
        },
        Case {
            name: "stencil behind the depth",
            depth: true,
            stencil: true,
            registers: 11,
            ..PLAIN
        },
    ];
    for case in cases {
        let Case { name, colour, .. } = case;
        let mut rig = Rig::new();
        rig.bind(0, R32G32B32A32_UINT, &[]);
        let width = case.channels.len();
        let mut payload = numbered(case.registers, case.header);
        if case.omask {
            // Bits of samples that there are not are no one's.
            for channel in 0..16 {
                put_word(&mut payload, colour - 1, channel, 0xff01);
            }
        }
        let change = |state: &mut State<'_>| {
            state.omask = case.omask;
            state.computes_depth = case.depth;
            state.computes_stencil = case.stencil;
        };
        let header = if case.header.is_some() { HEADER } else { 0 };
        // In one part, and in two.
        for split in [payload.len(), 8, payload.len() - 8] {
            let sent = Sent {
                desc: WRITE | case.desc | header,
                src0: &payload[..split],
                src1: &payload[split..],
                ..Sent::default()
            };
            for channel in 0..32 {
                let (x, y) = pixel(channel);
                rig.write(place(x, y), &[0; 4]);
            }
            let done = send(
                &rig,
                change,
                &flat(Kind::Triangle, 0.0),
                &rows(8, 1),
                &[sent],
            );
            done.unwrap_or_else(|stop| panic!("{name}: {stop}"));
            for channel in 0..32 {
                let (x, y) = pixel(channel);
                let lane = channel.wrapping_sub(case.channels.start);
                let expected = match case.channels.contains(&channel) {
                    true => {
                        [0, 1, 2, 3].map(|c| 1000 + colour as u32 * 8 + lane + c * width as u32)
                    }
                    false => [0; 4],
                };
                assert_eq!(
                    rig.wide(x, y),
                    expected,
                    "{name}: channel {channel}, split at {split}"
                );
            }
        }
    }
}

/// Red of 16 pixels of four subspans after messages, by channel; the target holds dwords.
fn red(rig: &Rig, change: impl Fn(&mut State<'_>), slots: &[Slot], sent: &[Sent<'_>]) -> Vec<u32> {
    let done = send(rig, change, &flat(Kind::Triangle, 0.0), slots, sent);
    done.expect("a write");
    let each = (0..slots.len() as u32 * 4).map(pixel);
    each.map(|(x, y)| rig.texel(x, y)).collect()
}

#[test]
fn pixels_are_written_that_lanes_and_header_and_slots_have() {
    // Whether something is left to decide about the pixels or not: lines may be smooth.
    for smooth in [false, true] {
        let mut payload = numbered(10, Some(0));
        payload[15] = 0xffff_0f3c;
        let sent = Sent {
            desc: WRITE | HEADER,
            lanes: 0b1110_1111_0101_1111,
            src0: &payload,
            ..Sent::default()
        };
        let mut slots = rows(3, 1);
        (slots[1].left, slots[2].left) = ([0, 1, 1, 1], [1, 0, 1, 1]);
        let mut rig = Rig::new();
        rig.bind(0, R32_UINT, &[]);
        let found = red(&rig, |state| state.smooth_lines = smooth, &slots, &[sent]);
        // Header: channels 2 to 5 and 8 to 11. Lanes: 0 to 4, 6, 8 to 11, 13 to 15. Slots: not 4 and
        // 9, nothing from 12 on.
        let expected: Vec<u32> = (0..12)
            .map(|channel| match channel {
                2 | 3 | 8 | 10 | 11 => 1016 + channel,
                _ => 0,
            })
            .collect();
        assert_eq!(found, expected, "smooth: {smooth}");
    }
}

#[test]
fn the_upper_slots_have_the_pixel_enables_of_their_own_header() {
    for smooth in [false, true] {
        let mut payload = numbered(10, Some(0));
        payload[15] = 0b0110_0000_0000_0101;
        let sent = Sent {
            desc: WRITE | HEADER | UPPER_SLOTS,
            src0: &payload,
            ..Sent::default()
        };
        let mut rig = Rig::new();
        rig.bind(0, R32_UINT, &[]);
        let found = red(
            &rig,
            |state| state.smooth_lines = smooth,
            &rows(8, 1),
            &[sent],
        );
        let written: Vec<usize> = (0..32).filter(|i| found[*i] != 0).collect();
        assert_eq!(written, [16, 18, 29, 30], "smooth: {smooth}");
        assert_eq!(found[29], 1016 + 13, "smooth: {smooth}");
    }
}

#[test]
fn two_sources_in_the_upper_half_have_the_upper_enables() {
    let mut rig = Rig::new();
    rig.bind(0, R32_UINT, &[]);
    let mut payload = numbered(10, Some(0));
    payload[15] = 0b0110_0000_0000_0101;
    let sent = |desc| Sent {
        desc: WRITE | HEADER | desc,
        src0: &payload,
        ..Sent::default()
    };
    let found = red(&rig, |_| {}, &rows(4, 1), &[sent(DUAL_HIGH)]);
    let written: Vec<usize> = (0..16).filter(|i| found[*i] != 0).collect();
    assert_eq!(written, [13, 14]);
    assert_eq!(found[13], 1016 + 5);
    let found = red(&rig, |_| {}, &rows(4, 1), &[sent(DUAL_LOW)]);
    let written: Vec<usize> = (0..16).filter(|i| found[*i] != 0).collect();
    assert_eq!(written, [0, 2, 13, 14]);
}

#[test]
fn a_replicated_colour_is_every_pixels() {
    for (format, smooth) in [
        (R32_UINT, false),
        (R32_UINT, true),
        (R32G32B32A32_UINT, false),
        (R32G32B32A32_UINT, true),
    ] {
        let case = format!("format {format:#x}, smooth {smooth}");
        let mut rig = Rig::new();
        rig.bind(0, format, &[]);
        let payload = numbered(3, Some(0));
        let sent = Sent {
            desc: WRITE | HEADER | REPLICATED,
            src0: &payload,
            ..Sent::default()
        };
        let change = |state: &mut State<'_>| state.smooth_lines = smooth;
        send(
            &rig,
            change,
            &flat(Kind::Triangle, 0.0),
            &rows(8, 1),
            &[sent],
        )
        .expect("a write");
        for channel in 0..16 {
            let (x, y) = pixel(channel);
            match format {
                R32_UINT => assert_eq!(rig.texel(x, y), 1016, "{case}"),
                _ => assert_eq!(rig.wide(x, y), [1016, 1017, 1018, 1019], "{case}"),
            }
            // Sixteen it is, though the thread has more.
            let (x, y) = pixel(channel + 16);
            assert_eq!((rig.texel(x, y), rig.read(place(x, y))), (0, 0), "{case}");
        }
    }
}

#[test]
fn omask_has_a_word_for_each_pixel_of_the_sixteen() {
    // One sample each: the mask's lowest bit.
    for (desc, words, colour, written) in [
        (SIMD16, 0..16, 8, (0..16).collect::<Vec<u32>>()),
        (SIMD8, 0..8, 8, (0..8).collect()),
        // The upper half of two sources has the upper words.
        (DUAL_HIGH, 8..16, 8, (8..16).collect()),
        (SIMD16 | UPPER_SLOTS, 0..16, 8, (16..32).collect()),
    ] {
        let mut rig = Rig::new();
        rig.bind(0, R32_UINT, &[]);
        let mut payload = numbered(9, None);
        payload[..8].fill(0);
        // Odd ones of the first four, even ones of the rest.
        let has = |i: usize| if i < 4 { i % 2 == 1 } else { i % 2 == 0 };
        for i in words.clone() {
            put_word(&mut payload, 0, i, if has(i) { 0xfff1 } else { 0xfffe });
        }
        let sent = Sent {
            desc: WRITE | desc,
            src0: &payload,
            ..Sent::default()
        };
        let found = red(&rig, |state| state.omask = true, &rows(8, 1), &[sent]);
        let mut expected = vec![0; 32];
        for (lane, (channel, word)) in written.into_iter().zip(words).enumerate() {
            if has(word) {
                expected[channel as usize] = 1000 + colour + lane as u32;
            }
        }
        assert_eq!(found, expected, "{desc:#x}");
    }
}

#[test]
fn samples_are_settled_by_the_first_write() {
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
    slots[1].left = [0b1100, 0, 0b1111, 0b1001];
    let done = send(&rig, change, &flat(Kind::Triangle, 0.0), &slots, &sent).expect("writes");
    assert!(done.ended);
    assert_eq!(done.slots[0].left, [0b0110; 4]);
    assert_eq!(done.slots[1].left, [0b0100, 0, 0b0110, 0]);
    assert_eq!(
        [done.slots[0].settled, done.slots[1].settled],
        [0b1111, 0b1101]
    );
    // Each once, though there are two writes. What nothing is left of passes nothing.
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
fn pixels_that_nothing_tests_are_counted_once() {
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
            (done.counts.samples_passed, done.slots[0].settled)
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

#[test]
fn the_header_names_the_blend_state_entry() {
    for smooth in [false, true] {
        let mut rig = Rig::new();
        rig.bind(0, R8G8B8A8_UNORM, &[]);
        let change = |state: &mut State<'_>| {
            state.smooth_lines = smooth;
            let entry = |disabled: hw::Field| {
                let mut words = [0; 2];
                disabled.set(&mut words, 1);
                Blend::read(&words, false)
            };
            state.blends = vec![
                entry(entry::WRITE_DISABLE_RED),
                entry(entry::WRITE_DISABLE_GREEN),
                entry(entry::WRITE_DISABLE_BLUE),
            ];
        };
        for (dword, expected) in [
            (0, 0xffff_ff00),
            (1, 0xffff_00ff),
            (2, 0xff00_ffff),
            (10, 0xff00_ffff),
            (3, 0xffff_ffff),
        ] {
            let mut payload = numbered(10, Some(0));
            payload[2] = dword;
            payload[16..].fill(1f32.to_bits());
            rig.write(COLOUR, &[0]);
            let sent = Sent {
                desc: WRITE | HEADER,
                src0: &payload,
                ..Sent::default()
            };
            assert_eq!(
                red(&rig, change, &rows(1, 1), &[sent])[0],
                expected,
                "entry {dword}, smooth {smooth}"
            );
        }
        // Without a header it is the first.
        rig.write(COLOUR, &[0]);
        let payload = [1f32.to_bits(); 64];
        let sent = Sent {
            src0: &payload,
            ..Sent::default()
        };
        assert_eq!(red(&rig, change, &rows(1, 1), &[sent])[0], 0xffff_ff00);
    }
}

#[test]
fn the_descriptor_names_the_binding_table_entry() {
    for smooth in [false, true] {
        let mut rig = Rig::new();
        rig.bind(0, R32_UINT, &[]);
        rig.bind(
            3,
            R32_UINT,
            &[(hw::state::render_surface_state::SURFACE_BASE_ADDRESS, DEPTH)],
        );
        rig.bind(
            200,
            R32_UINT,
            &[(
                hw::state::render_surface_state::SURFACE_BASE_ADDRESS,
                STENCIL,
            )],
        );
        // The null surface takes nothing.
        rig.bind(
            5,
            R32_UINT,
            &[(hw::state::render_surface_state::SURFACE_TYPE, 7)],
        );
        let payload = numbered(8, None);
        let sent = |entry| Sent {
            desc: WRITE | entry,
            src0: &payload,
            ..Sent::default()
        };
        let change = |state: &mut State<'_>| state.smooth_lines = smooth;
        let found = red(&rig, change, &rows(1, 1), &[sent(3), sent(5), sent(200)]);
        assert_eq!(found, [0; 4], "smooth: {smooth}");
        let held = [DEPTH, STENCIL].map(|target| rig.read(target + PITCH + 4));
        assert_eq!(held, [1003; 2], "smooth: {smooth}");
    }
}

/// A payload of 16 pixels: alphas of source 0 from `first` on, and colours (0.25, 0.5, 0.75, `alpha`), with a header.
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
fn alpha_of_source_0_decides_where_it_is_sent() {
    let mut rig = Rig::new();
    rig.bind(0, R8G8B8A8_UNORM, &[]);
    // Greater than 0.5, which is so from channel 9 on.
    let change = |state: &mut State<'_>| {
        state.alpha = Alpha {
            test: Some((5, 0.5)),
            ..Alpha::default()
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
fn alpha_to_coverage_takes_a_share_of_the_samples() {
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
        .flat_map(|s| s.left)
        .map(|m| m.count_ones())
        .collect();
    // Sixteenths of four samples, to the nearest.
    assert_eq!(shares, [0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4]);
}

#[test]
fn alpha_becomes_one_after_it_has_decided() {
    let mut rig = Rig::new();
    rig.bind(0, R8G8B8A8_UNORM, &[]);
    let change = |state: &mut State<'_>| {
        state.alpha = Alpha {
            to_one: true,
            test: Some((2, 0.5)),
            ..Alpha::default()
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
fn what_a_smooth_line_leaves_bare_scales_alpha() {
    let mut rig = Rig::new();
    rig.bind(0, R32G32B32A32_FLOAT, &[]);
    let payload = [1f32.to_bits(); 64];
    let mut slots = rows(1, 1);
    slots[0].bare = [1, 4, 12, 15];
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
fn depth_and_stencil_of_the_shader_are_tested_after_it() {
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
    rig.write(super::testing::DYNAMIC, &[0, 1f32.to_bits()]);
    let change = |state: &mut State<'_>| {
        state.early = false;
        state.computes_depth = true;
        state.computes_stencil = true;
    };
    let mut payload = vec![7; 11 * 8];
    for lane in 0..16 {
        // Depths in the two registers behind the colour, and behind them bytes; channel 3's depth does not pass.
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
fn layers_are_the_objects() {
    for (format, smooth) in [
        (R32_UINT, false),
        (R32_UINT, true),
        (R32G32B32A32_UINT, false),
    ] {
        let case = format!("format {format:#x}, smooth {smooth}");
        use hw::state::render_surface_state as rss;
        let mut rig = Rig::new();
        let layers = [
            (rss::SURFACE_ARRAY, 1),
            (rss::DEPTH, 3),
            (rss::RENDER_TARGET_VIEW_EXTENT, 2),
            (rss::SURFACE_QPITCH, 16 / 4),
        ];
        rig.bind(0, format, &layers);
        let payload = numbered(8, None);
        let sent = Sent {
            src0: &payload,
            ..Sent::default()
        };
        // Layers beyond the view are the first.
        for (layer, at) in [(2, 2), (1, 1), (3, 0)] {
            let mut setup = flat(Kind::Triangle, 0.0);
            setup.layer = layer;
            send(
                &rig,
                |state| state.smooth_lines = smooth,
                &setup,
                &rows(1, 1),
                &[sent],
            )
            .expect("a write");
            let place = COLOUR + at * 16 * PITCH + PITCH;
            assert_eq!(rig.read(place), 1002, "{case}, layer {layer}");
            rig.write(place, &[0]);
        }
    }
}

#[test]
fn other_messages_are_named() {
    let mut rig = Rig::new();
    rig.bind(0, R32_UINT, &[]);
    let payload = numbered(8, None);
    for (sfid, desc, what) in [
        (5, WRITE | 5 << 8, "a render target write of this kind"),
        (5, WRITE | 7 << 8, "a render target write of this kind"),
        (5, 13 << 14, "a render target read"),
        (5, 11 << 14, "message 11 of SFID 5"),
        (6, 12 << 14, "message 12 of SFID 6"),
    ] {
        let sent = Sent {
            sfid,
            desc,
            src0: &payload,
            ..Sent::default()
        };
        match send(
            &rig,
            |_| {},
            &flat(Kind::Triangle, 0.0),
            &rows(1, 1),
            &[sent],
        ) {
            Err(Stop::Unimplemented {
                what: found,
                at: 0x80,
            }) => {
                assert!(found.contains(what), "{found}");
            }
            other => panic!("SFID {sfid}, {desc:#x}: {other:?}"),
        }
    }
}

#[test]
fn writes_reach_all_samples_that_are_left() {
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
        slots[0].left = [all, 1, 1 << (samples - 1), all & !1];
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
            let left = slots[0].left[channel as usize];
            let expected: Vec<u32> = (0..samples)
                .map(|sample| {
                    if left >> sample & 1 == 1 {
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
fn omask_has_a_bit_for_each_of_sixteen_samples() {
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
    assert_eq!(done.slots[0].left, words.map(|word| word as u16));
}

#[test]
fn depth_stands_behind_both_sources() {
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
    rig.write(super::testing::DYNAMIC, &[0, 1f32.to_bits()]);
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
fn clears_are_of_the_pixels_that_are_left() {
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
    slots[0].left = [0, 1, 1, 0];
    let change = |state: &mut State<'_>| state.special = Some(super::state::Special::FastClear);
    send(&rig, change, &flat(Kind::Triangle, 0.0), &slots, &[sent]).expect("a clear");
    let image = crate::surface::Image::read(
        &rig.view(),
        super::testing::SURFACES + super::testing::TARGET,
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
