//! Barycentric weights at places that a message names, by the formulas of interpolation.
//!
//! Ref: SKL PRM vol. 7, "Pixel Interpolator"; Vulkan, "Basic Polygon Rasterization" for the
//!      weights.

use crate::draw::object::{Kind, Plane, SetupObject};
use crate::draw::pixel::payload::Slot;
use crate::draw::pixel::state::State;
use crate::draw::pixel::testing::{Rig, Sent, flat, row, send};

const LINEAR: u32 = 1 << 14;
const WIDE: u32 = 1 << 16;
const UPPER_SLOTS: u32 = 1 << 11;
/// Message types: where weights are taken.
const OFFSET: u32 = 0;
const SAMPLE: u32 = 1 << 12;
const CENTROID: u32 = 2 << 12;
const EACH: u32 = 3 << 12;

/// A triangle whose weights are an eighth of the coordinates, and whose vertices have w of 1, 2 and
/// 4.
fn setup() -> SetupObject {
    let mut setup = flat(Kind::Triangle, 0.0);
    for (vertex, inverse_w) in setup.vertices.iter_mut().zip([1.0, 0.5, 0.25]) {
        vertex.inverse_w = inverse_w;
    }
    // 1 of the first vertex less half of the second's weight and three quarters of the third's.
    setup.inverse_w = Plane {
        c: 1.0,
        dx: -0.5 / 8.0,
        dy: -0.75 / 8.0,
    };
    let plane = |dx, dy| Plane { c: 0.0, dx, dy };
    setup.weights_over_w = [plane(0.5 / 8.0, 0.0), plane(0.0, 0.25 / 8.0)];
    setup
}

/// Weights of the second and the third vertex.
fn weights(x: f64, y: f64, linear: bool) -> [f32; 2] {
    let (b, c) = (x / 8.0, y / 8.0);
    if linear {
        return [b as f32, c as f32];
    }
    let whole = (1.0 - b - c) + b * 0.5 + c * 0.25;
    [(b * 0.5 / whole) as f32, (c * 0.25 / whole) as f32]
}

#[test]
fn pixel_interpolator_evaluates_at_the_message_position() {
    let positions = [
        [0.375, 0.125],
        [0.875, 0.375],
        [0.125, 0.625],
        [0.625, 0.875],
    ];
    let change = |state: &mut State<'_>| {
        state.samples = 4;
        state.positions[..4].copy_from_slice(&positions);
    };
    let rig = Rig::new();
    let mut slots = row(8, 0b1111);
    for (i, slot) in slots.iter_mut().enumerate() {
        (slot.x, slot.y) = (i as u32 * 2, 4);
        // Partly covered: the centroid is the first covered sample.
        slot.covered = [0b1111, 0b1100, 0b0010, 0b0000];
    }
    let centroid = [[0.5, 0.5], positions[2], positions[1], [0.5, 0.5]];
    // Of each pixel, sixteenths in the lowest four bits: x, then y.
    let each = |lane: usize| ((lane * 3 % 16) as u32, (lane * 5 % 16) as u32);
    let signed = |bits: u32| {
        f64::from(if bits > 7 {
            bits as i32 - 16
        } else {
            bits as i32
        }) / 16.0
    };
    type At<'a> = &'a dyn Fn(usize) -> [f64; 2];
    let cases: [(&str, u32, At<'_>); 9] = [
        ("offset 0", OFFSET, &|_| [0.5, 0.5]),
        ("offset of 3 and -5 sixteenths", OFFSET | 0xb3, &|_| {
            [0.5 + 3.0 / 16.0, 0.5 - 5.0 / 16.0]
        }),
        ("offset of -8 and 7 sixteenths", OFFSET | 0x78, &|_| {
            [0.0, 0.5 + 7.0 / 16.0]
        }),
        ("sample 1", SAMPLE | 1 << 4, &|_| positions[1]),
        ("sample 3", SAMPLE | 3 << 4, &|_| positions[3]),
        ("centroid", CENTROID, &|lane| centroid[lane % 4]),
        ("each its own", EACH, &|lane| {
            let (x, y) = each(lane);
            [0.5 + signed(x), 0.5 + signed(y)]
        }),
        ("offset in the upper slots", UPPER_SLOTS | 0x21, &|_| {
            [0.5625, 0.625]
        }),
        (
            "centroid in the upper slots",
            UPPER_SLOTS | CENTROID,
            &|lane| centroid[lane % 4],
        ),
    ];
    for (name, desc, at) in cases {
        for (linear, wide) in [(false, false), (true, false), (false, true), (true, true)] {
            let width = if wide { 16 } else { 8 };
            let mut payload = vec![0; width * 2];
            for lane in 0..width {
                (payload[lane], payload[width + lane]) = each(lane);
                // What is above the four bits does not count.
                payload[lane] |= 0x50;
            }
            let lanes = 0xffff & !(1 << 5);
            let sent = Sent {
                sfid: 11,
                desc: desc | if linear { LINEAR } else { 0 } | if wide { WIDE } else { 0 },
                lanes,
                src0: &payload,
                ..Sent::default()
            };
            let done = send(&rig, change, &setup(), &slots, &[sent]).expect("weights");
            let first = if desc & UPPER_SLOTS == 0 { 0 } else { 4 };
            let mut expected = vec![0f32; 64];
            for lane in (0..width).filter(|lane| lanes >> lane & 1 == 1) {
                let slot: &Slot = &slots[first + lane / 4];
                let [dx, dy] = at(lane);
                let x = f64::from(slot.x) + (lane % 2) as f64 + dx;
                let y = f64::from(slot.y) + (lane % 4 / 2) as f64 + dy;
                // Of eight pixels a register of each weight.
                for (i, weight) in weights(x, y, linear).into_iter().enumerate() {
                    expected[lane / 8 * 16 + i * 8 + lane % 8] = weight;
                }
            }
            let found = done.response.iter().map(|bits| f32::from_bits(*bits));
            for (i, (found, expected)) in found.zip(expected).enumerate() {
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{name}, linear {linear}, wide {wide}: dword {i} is {found}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn interpolator_offsets_are_relative_to_the_pixel_location() {
    let rig = Rig::new();
    let sent = Sent {
        sfid: 11,
        desc: OFFSET | LINEAR | 0x42,
        ..Sent::default()
    };
    let done = send(
        &rig,
        |state| state.centre = 0.0,
        &setup(),
        &row(1, 1),
        &[sent],
    )
    .expect("weights");
    let weight = |i: usize| f32::from_bits(done.response[i]);
    assert_eq!(
        [weight(0), weight(1), weight(8), weight(10)],
        [0.125 / 8.0, 1.125 / 8.0, 0.25 / 8.0, 1.25 / 8.0]
    );
}
