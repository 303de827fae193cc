//! Render target writes: where the parts of a payload stand, and which pixels and samples they
//! reach.
//!
//! Ref: SKL PRM vol. 7, "Render Target Write", "Message Header", payloads by message type.

use crate::draw::object::Kind;
use crate::draw::pixel::blend::Blend;
use crate::draw::pixel::payload::Slot;
use crate::draw::pixel::state::State;
use crate::draw::pixel::testing::{COLOUR, DEPTH, PITCH, Rig, STENCIL, Sent, flat, row, send};
use eu::StopReason;
use hw::draw_state::blend_state_entry as entry;

pub(in crate::draw::pixel) const R32G32B32A32_FLOAT: u64 = 0x000;
const R32G32B32A32_UINT: u64 = 0x002;
pub(in crate::draw::pixel) const R32_UINT: u64 = 0x0d7;
pub(in crate::draw::pixel) const R8G8B8A8_UNORM: u64 = 0x0c7;

/// Depth formats.
pub(in crate::draw::pixel) const D32_FLOAT: u64 = 1;

pub(in crate::draw::pixel) const WRITE: u32 = 12 << 14;
pub(in crate::draw::pixel) const HEADER: u32 = 1 << 19;
const UPPER_SLOTS: u32 = 1 << 11;
/// Message types.
const SIMD16: u32 = 0;
const REPLICATED: u32 = 1 << 8;
pub(in crate::draw::pixel) const DUAL_LOW: u32 = 2 << 8;
const DUAL_HIGH: u32 = 3 << 8;
const SIMD8: u32 = 4 << 8;

/// A payload whose dwords are their own numbers, from 1000 on, but for a header with all pixels
/// enabled.
pub(in crate::draw::pixel) fn numbered(registers: usize, header: Option<u32>) -> Vec<u32> {
    let mut payload: Vec<u32> = (0..registers as u32 * 8).map(|i| 1000 + i).collect();
    if let Some(first) = header {
        payload[..16].fill(0);
        payload[0] = first;
        payload[15] = 0xffff;
    }
    payload
}

/// Pixel of a slot's channel: four to a subspan, subspans in rows of four.
pub(in crate::draw::pixel) fn pixel(channel: u32) -> (u32, u32) {
    let (slot, within) = (channel / 4, channel % 4);
    (slot % 4 * 2 + within % 2, slot / 4 * 2 + within / 2)
}

/// Subspans in rows of four.
pub(in crate::draw::pixel) fn rows(count: u32, samples: u16) -> Vec<Slot> {
    let mut slots = row(count, samples);
    for (slot, channel) in slots.iter_mut().zip((0..).step_by(4)) {
        (slot.x, slot.y) = pixel(channel);
    }
    slots
}

/// Address of a pixel of 16 bytes.
fn texel_address(x: u32, y: u32) -> u64 {
    COLOUR + u64::from(y) * PITCH + u64::from(x) * 16
}

/// Which samples an oMask of registers of words leaves of pixel `channel`, put at `register`.
pub(in crate::draw::pixel) fn put_word(
    payload: &mut [u32],
    register: usize,
    channel: usize,
    word: u32,
) {
    let dword = &mut payload[register * 8 + channel / 2];
    *dword = *dword & !(0xffff << (channel % 2 * 16)) | word << (channel % 2 * 16);
}

/// Parts in a payload, in registers: whether there is a header, and its first dword; oMask; the
/// colour; all of it.
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

/// Payloads of each kind.
fn cases() -> Vec<Case> {
    let alpha = Some(1 << 11);
    vec![
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
    ]
}

#[test]
fn render_target_write_payload_layout() {
    for case in cases() {
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
                rig.write(texel_address(x, y), &[0; 4]);
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

#[test]
fn strict_mode_checks_render_target_write_mlen() {
    // A replicated colour is one register, with nothing but masks before it.
    let replicated = |omask| Case {
        name: "replicated",
        desc: REPLICATED,
        omask,
        registers: if omask { 2 } else { 1 },
        ..PLAIN
    };
    for case in cases().into_iter().chain([false, true].map(replicated)) {
        let mut rig = Rig::new();
        rig.bind(0, R32G32B32A32_UINT, &[]);
        rig.watch = Some(Box::new(crate::strict::caches::Log::default()));
        let change = |state: &mut State<'_>| {
            (state.omask, state.computes_depth, state.computes_stencil) =
                (case.omask, case.depth, case.stencil);
            state.declares_target_writes = true;
        };
        let header = if case.header.is_some() { HEADER } else { 0 };
        for registers in case.registers - 1..=case.registers + 1 {
            let payload = numbered(registers.max(2), case.header);
            let sent = Sent {
                desc: WRITE | case.desc | header,
                src0: &payload[..registers * 8],
                ..Sent::default()
            };
            let found = send(
                &rig,
                change,
                &flat(Kind::Triangle, 0.0),
                &rows(8, 1),
                &[sent],
            );
            match (registers == case.registers, found) {
                (true, Ok(_)) => {}
                (
                    false,
                    Err(StopReason::Undefined {
                        rule: "target-length",
                        ..
                    }),
                ) => {}
                (_, other) => panic!("{}, {registers} registers: {other:?}", case.name),
            }
        }
    }
}

/// Red of 16 pixels of four subspans after messages, by channel; the target holds dwords.
pub(in crate::draw::pixel) fn red(
    rig: &Rig,
    change: impl Fn(&mut State<'_>),
    slots: &[Slot],
    sent: &[Sent<'_>],
) -> Vec<u32> {
    let done = send(rig, change, &flat(Kind::Triangle, 0.0), slots, sent);
    done.expect("a write");
    let each = (0..slots.len() as u32 * 4).map(pixel);
    each.map(|(x, y)| rig.texel(x, y)).collect()
}

#[test]
fn written_pixels_are_those_of_lanes_header_and_slots() {
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
        (slots[1].writable, slots[2].writable) = ([0, 1, 1, 1], [1, 0, 1, 1]);
        let mut rig = Rig::new();
        rig.bind(0, R32_UINT, &[]);
        let found = red(&rig, |state| state.smooth_lines = smooth, &slots, &[sent]);
        // Header: channels 2 to 5 and 8 to 11. Lanes: 0 to 4, 6, 8 to 11, 13 to 15. Slots: not 4
        // and 9, nothing from 12 on.
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
fn upper_slots_use_the_pixel_enables_of_their_header() {
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
fn dual_source_upper_half_uses_the_upper_enables() {
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
fn replicated_colour_reaches_every_pixel() {
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
            assert_eq!(
                (rig.texel(x, y), rig.read(texel_address(x, y))),
                (0, 0),
                "{case}"
            );
        }
    }
}

#[test]
fn omask_has_a_word_per_pixel() {
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
        let has = |i: usize| (i % 2 == 1) == (i < 4);
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
fn header_selects_the_blend_state_entry() {
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
fn descriptor_selects_the_binding_table_entry() {
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

#[test]
fn render_target_array_index_comes_from_the_object() {
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
            let texel_address = COLOUR + at * 16 * PITCH + PITCH;
            assert_eq!(rig.read(texel_address), 1002, "{case}, layer {layer}");
            rig.write(texel_address, &[0]);
        }
    }
}

#[test]
fn unsupported_render_target_messages_are_reported() {
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
            Err(StopReason::Unimplemented {
                what: found,
                at: 0x80,
            }) => {
                assert!(found.contains(what), "{found}");
            }
            other => panic!("SFID {sfid}, {desc:#x}: {other:?}"),
        }
    }
}
