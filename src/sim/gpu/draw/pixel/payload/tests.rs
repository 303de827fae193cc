//! Payloads register by register, against a plain model of each field.
//!
//! Ref: SKL PRM vol. 7, "Pixel Shader Thread Payload", "Barycentric Attribute Interpolation".

use crate::draw::object::{Kind, Plane, SetupObject};
use crate::draw::pixel::payload::{Frame, PixelPoint, Slot, build, build_object, offset_in_pixel};
use crate::draw::pixel::state::State;
use crate::draw::pixel::testing::{Rig, flat};

/// A state of nothing, changed.
fn with_state<T>(change: impl Fn(&mut State<'_>), look: impl Fn(&State<'_>) -> T) -> T {
    let rig = Rig::new();
    let mut pixels = rig.pixels();
    change(&mut pixels.back.state);
    look(&pixels.back.state)
}

const POSITIONS: [[f64; 2]; 4] = [
    [0.375, 0.125],
    [0.875, 0.375],
    [0.125, 0.625],
    [0.625, 0.875],
];

fn four_samples(state: &mut State<'_>) {
    state.samples = 4;
    state.positions[..4].copy_from_slice(&POSITIONS);
}

/// Weights an eighth of the coordinates, w of 1, 2 and 4, depth x / 64 + y / 32.
fn setup() -> SetupObject {
    let mut setup = flat(Kind::Triangle, 0.0);
    for (vertex, inverse_w) in setup.vertices.iter_mut().zip([1.0, 0.5, 0.25]) {
        vertex.inverse_w = inverse_w;
    }
    let plane = |c, dx, dy| Plane { c, dx, dy };
    setup.inverse_w = plane(1.0, -0.5 / 8.0, -0.75 / 8.0);
    setup.weights_over_w = [plane(0.0, 0.5 / 8.0, 0.0), plane(0.0, 0.0, 0.25 / 8.0)];
    setup.depth = plane(0.0, 1.0 / 64.0, 1.0 / 32.0);
    setup
}

/// Six subspans with different samples and coverage; the others of the thread are absent.
fn slots() -> Vec<Slot> {
    let slot = |i: u32| Slot {
        x: 2 * (i % 3),
        y: 2 + 2 * (i / 3),
        sample: i % 4,
        covered: [0b1111, 0b1100, 0b0010, 0b1000].map(|mask| (mask >> (i % 2)) as u16),
        input_mask: [1 + i as u16, 2, 3, 4 + i as u16],
        writable: [1, (i % 2) as u16, u16::from(i == 4), 8],
        ..Slot::default()
    };
    (0..6).map(slot).collect()
}

/// Where a channel is evaluated on the screen, and within its pixel.
fn evaluation_point(slot: &Slot, pixel: usize, place: PixelPoint) -> ([f64; 2], [f64; 2]) {
    let covered = slot.covered[pixel];
    let within = match place {
        PixelPoint::Centre => [0.5; 2],
        PixelPoint::Sample => POSITIONS[slot.sample as usize],
        PixelPoint::Centroid if covered == 0b1111 || covered == 0 => [0.5; 2],
        PixelPoint::Centroid => {
            let first = (0..4).find(|sample| covered >> sample & 1 == 1);
            POSITIONS[first.expect("one is covered")]
        }
    };
    let x = f64::from(slot.x) + (pixel % 2) as f64 + within[0];
    let y = f64::from(slot.y) + (pixel / 2) as f64 + within[1];
    ([x, y], within)
}

/// The registers after the masks, by channel; `count` of them at a time.
fn registers(width: usize, parts: &[&dyn Fn(usize) -> u32]) -> Vec<u32> {
    let mut out = Vec::new();
    for group in (0..width).step_by(16) {
        for part in parts {
            out.extend((group..group + width.min(16)).map(part));
        }
    }
    out
}

/// Checks the dwords of a payload, exactly or as floats; the rest of it is zero.
fn check_dwords(case: &str, found: &[u32], expected: &[u32], exact: bool) {
    for (i, expected) in expected.iter().enumerate() {
        let (a, b) = (f32::from_bits(found[i]), f32::from_bits(*expected));
        let same = found[i] == *expected || !exact && (a - b).abs() < 1e-6;
        assert!(same, "{case}: dword {i} is {a}, not {b}");
    }
    let rest = &found[expected.len()..];
    assert!(rest.iter().all(|dword| *dword == 0), "{case}: {rest:?}");
}

/// The registers of position offsets, a word for each of sixteen pixels: sixteenths across, and
/// down in the upper byte.
fn expected_offsets(
    width: usize,
    place: PixelPoint,
    channel: impl Fn(usize) -> (Slot, usize),
) -> Vec<u32> {
    let mut expected = vec![0; 8 * width.div_ceil(16)];
    for lane in 0..width.max(16) {
        let (slot, pixel) = channel(if width == 8 && lane >= 8 {
            lane % 4
        } else {
            lane
        });
        let (_, [x, y]) = evaluation_point(&slot, pixel, place);
        let word = (x * 16.0) as u32 | ((y * 16.0) as u32) << 8;
        expected[lane / 2] |= word << (16 * (lane % 2));
    }
    expected
}

/// The payload of a thread with four samples a pixel and the state that `change` makes, without its
/// headers.
fn built_payload(slots: &[Slot], width: usize, change: &dyn Fn(&mut State<'_>)) -> Vec<u32> {
    let all = |state: &mut State<'_>| {
        four_samples(state);
        change(state);
    };
    with_state(all, |state| {
        let frame = Frame {
            width,
            start: 40,
            scratch: (0, 0),
        };
        let mut out = Vec::new();
        let now = &slots[..slots.len().min(width / 4)];
        build(&mut out, state, &setup(), now, frame, &[77]).expect("room");
        assert_eq!(out.len(), 40 * 8 + 1);
        assert_eq!(out[40 * 8], 77);
        out[8 * (1 + width.div_ceil(16))..40 * 8].to_vec()
    })
}

/// A thread of some width, and what each field of its payload should hold.
struct Thread {
    slots: Vec<Slot>,
    width: usize,
}

impl Thread {
    /// A thread of each width.
    fn each_width() -> [Thread; 3] {
        [8, 16, 32].map(|width| Thread {
            slots: slots(),
            width,
        })
    }

    fn channel(&self, lane: usize) -> (Slot, usize) {
        // Absent subspans repeat the first one of their pixel group.
        let first = lane / 16 * 4;
        let slot = self.slots.get(lane / 4).or(self.slots.get(first));
        (slot.copied().expect("a slot of the group"), lane % 4)
    }

    /// The position of a channel on the screen.
    fn position(&self, lane: usize, location: PixelPoint) -> [f64; 2] {
        let (slot, pixel) = self.channel(lane);
        evaluation_point(&slot, pixel, location).0
    }

    fn barycentric(&self, lane: usize, (location, linear): Mode, which: usize) -> u32 {
        let [x, y] = self.position(lane, location);
        let (b, c) = (x / 8.0, y / 8.0);
        let whole = 1.0 - 0.5 * b - 0.75 * c;
        float(match (linear, which) {
            (true, 0) => b,
            (true, _) => c,
            (false, 0) => b * 0.5 / whole,
            (false, _) => c * 0.25 / whole,
        })
    }

    /// Barycentrics: a register of each for eight pixels, modes from the lowest bit on.
    fn barycentrics(&self, modes: &[Mode]) -> Vec<u32> {
        let mut out = Vec::new();
        for group in (0..self.width).step_by(16) {
            for mode in modes {
                for eight in (group..(group + 16).min(self.width)).step_by(8) {
                    for which in 0..2 {
                        let lanes = eight..eight + 8;
                        out.extend(lanes.map(|lane| self.barycentric(lane, *mode, which)));
                    }
                }
            }
        }
        out
    }

    fn depth(&self, location: PixelPoint) -> Vec<u32> {
        let depth = |lane| {
            let [x, y] = self.position(lane, location);
            float(x / 64.0 + y / 32.0)
        };
        registers(self.width, &[&depth])
    }

    fn w(&self, location: PixelPoint) -> Vec<u32> {
        let w = |lane| {
            let [x, y] = self.position(lane, location);
            float(1.0 / (1.0 - 0.5 * x / 8.0 - 0.75 * y / 8.0))
        };
        registers(self.width, &[&w])
    }

    fn coverage(&self) -> Vec<u32> {
        let coverage = |lane| {
            let (slot, pixel) = self.channel(lane);
            u32::from(slot.input_mask[pixel])
        };
        registers(self.width, &[&coverage])
    }

    /// Checks the payload of the state that `change` makes, exactly or as floats.
    fn check(&self, name: &str, change: &dyn Fn(&mut State<'_>), expected: &[u32], exact: bool) {
        let found = built_payload(&self.slots, self.width, change);
        let name = format!("{name}, width {}", self.width);
        check_dwords(&name, &found, expected, exact);
    }
}

/// Where a barycentric is evaluated, and whether it is linear instead of perspective.
type Mode = (PixelPoint, bool);

fn float(value: f64) -> u32 {
    (value as f32).to_bits()
}

#[test]
fn barycentrics_follow_the_order_of_modes() {
    let locations = [PixelPoint::Centre, PixelPoint::Centroid, PixelPoint::Sample];
    for thread in Thread::each_width() {
        for bit in 0..6 {
            let expected = thread.barycentrics(&[(locations[bit % 3], bit >= 3)]);
            let change = |state: &mut State<'_>| state.barycentrics = 1 << bit;
            thread.check(&format!("mode {bit}"), &change, &expected, false);
        }
        let expected = thread.barycentrics(&[
            (PixelPoint::Centre, false),
            (PixelPoint::Centre, true),
            (PixelPoint::Sample, true),
        ]);
        let change = |state: &mut State<'_>| state.barycentrics = 0b101001;
        thread.check("three modes", &change, &expected, false);
    }
}

#[test]
fn source_depth_and_w_are_evaluated_at_the_selected_location() {
    for thread in Thread::each_width() {
        for (mode, location) in [
            (0, PixelPoint::Centre),
            (1, PixelPoint::Centre),
            (2, PixelPoint::Centroid),
            (3, PixelPoint::Sample),
        ] {
            let change = |state: &mut State<'_>| {
                state.zw_mode = mode;
                state.uses_depth = true;
            };
            let expected = thread.depth(location);
            thread.check(&format!("depth {mode}"), &change, &expected, false);
            let change = |state: &mut State<'_>| {
                state.zw_mode = mode;
                state.uses_w = true;
            };
            let expected = thread.w(location);
            thread.check(&format!("w {mode}"), &change, &expected, false);
        }
    }
}

#[test]
fn input_coverage_and_position_offsets() {
    for thread in Thread::each_width() {
        let change = |state: &mut State<'_>| state.input_coverage = true;
        thread.check("coverage", &change, &thread.coverage(), true);
        for (select, location) in [(2, PixelPoint::Centroid), (3, PixelPoint::Sample)] {
            let change = |state: &mut State<'_>| state.offsets = select;
            let expected = expected_offsets(thread.width, location, |lane| thread.channel(lane));
            thread.check(&format!("offsets {select}"), &change, &expected, true);
        }
    }
}

#[test]
fn payload_fields_follow_the_order() {
    for thread in Thread::each_width() {
        let change = |state: &mut State<'_>| {
            state.barycentrics = 1;
            (state.uses_depth, state.uses_w, state.input_coverage) = (true, true, true);
        };
        let fields = [
            thread.barycentrics(&[(PixelPoint::Centre, false)]),
            thread.depth(PixelPoint::Centre),
            thread.w(PixelPoint::Centre),
            thread.coverage(),
        ];
        // All fields of a pixel group precede those of the next.
        let groups = thread.width.div_ceil(16);
        let group = |number: usize| {
            fields.each_ref().map(|field| {
                let each = field.len() / groups;
                field[number * each..][..each].to_vec()
            })
        };
        let expected: Vec<u32> = (0..groups)
            .flat_map(|number| group(number).concat())
            .collect();
        thread.check("all", &change, &expected, false);
    }
}

#[test]
fn payload_header_has_object_positions_and_masks() {
    let slots = slots();
    for (kind, code) in [
        (Kind::Point, 1),
        (Kind::Line, 2),
        (Kind::Triangle, 4),
        (Kind::Rectangle, 15),
    ] {
        for (front, layer, viewport, header) in [
            (true, 0, 0, code),
            (false, 0x7ff, 0, code | 1 << 15 | 0x7ff << 16),
            (true, 0x1801, 0, code | 1 << 16),
            (true, 2, 15, code | 2 << 16 | 15 << 27),
            (true, 0, 6, code | 6 << 27),
        ] {
            let mut setup = setup();
            (setup.kind, setup.front_facing, setup.layer) = (kind, front, layer);
            setup.viewport = viewport;
            let change = |state: &mut State<'_>| state.samplers = 0x1240;
            let out = with_state(change, |state| {
                let frame = Frame {
                    width: 32,
                    start: 3,
                    scratch: (0x8400, 5),
                };
                let mut out = vec![9; 5];
                build(&mut out, state, &setup, &slots, frame, &[]).expect("room");
                out
            });
            assert_eq!(
                out[..8],
                [header, 0, 0, 0x1245, 0, 0x8400, 0, 0],
                "{kind:?}"
            );
            // Samples four bits each; places; the mask twice. Left are the pixels 0 and 3, of
            // every other slot 1, and 2 of the fifth.
            let masks = [0b1011_1001_1011_1001u32, 0b1011_1101];
            let places = |i: usize| slots.get(i).map_or(0, |s| s.y << 16 | s.x);
            let first = [
                0x3210,
                0,
                places(0),
                places(1),
                places(2),
                places(3),
                0,
                masks[0] | masks[0] << 16,
            ];
            let second = [
                0x10,
                0,
                places(4),
                places(5),
                0,
                0,
                0,
                masks[1] | masks[1] << 16,
            ];
            assert_eq!(out[8..], [first, second].concat());
        }
    }
}

#[test]
fn pixel_positions_are_16_bits_each() {
    let slot = Slot {
        x: 0xfffe,
        y: 0x8002,
        writable: [1; 4],
        ..Slot::default()
    };
    let out = with_state(
        |_| {},
        |state| {
            let frame = Frame {
                width: 8,
                start: 2,
                scratch: (0, 0),
            };
            let mut out = Vec::new();
            build(&mut out, state, &setup(), &[slot], frame, &[]).expect("room");
            out
        },
    );
    assert_eq!(out[10], 0x8002_fffe);
}

#[test]
fn push_constants_follow_the_fixed_payload() {
    // R0 and one or two registers of places, wherever the start register may be.
    for (width, registers) in [(8, 2), (16, 2), (32, 3)] {
        for start in [0, 1, registers, registers + 3] {
            let out = with_state(
                |_| {},
                |state| {
                    let frame = Frame {
                        width,
                        start,
                        scratch: (0, 0),
                    };
                    let mut out = Vec::new();
                    build(&mut out, state, &setup(), &slots()[..1], frame, &[5, 6]).expect("room");
                    out
                },
            );
            let at = start.max(registers) * 8;
            assert_eq!(
                (out.len(), out[at], out[at + 1]),
                (at + 2, 5, 6),
                "width {width}, start {start}"
            );
        }
    }
}

#[test]
fn attributes_are_a_value_and_two_deltas() {
    let mut setup = setup();
    let bits = |values: [f32; 3]| values.map(f32::to_bits);
    // By component: different everywhere; the second as the first; the third as the first; flat, an
    // integer.
    let components = [
        bits([1.0, 3.0, 6.0]),
        bits([2.0, 2.0, 5.0]),
        bits([4.0, 8.0, 4.0]),
        [0xffff_fff0; 3],
    ];
    setup.attributes = vec![
        [0, 1, 2].map(|vertex: usize| components.map(|c| c[vertex])),
        [[7; 4]; 3],
    ];
    let tail = |attributes| {
        let change = |state: &mut State<'_>| {
            state.constants = vec![11, 12];
            state.attributes = attributes;
        };
        with_state(change, |state| {
            let mut out = vec![1, 2, 3];
            build_object(&mut out, state, &setup);
            out
        })
    };
    assert_eq!(tail(false), [11, 12]);
    let float = f32::to_bits;
    let expected = [
        vec![11, 12],
        vec![float(2.0), float(5.0), 0, float(1.0)],
        vec![float(0.0), float(3.0), 0, float(2.0)],
        vec![float(4.0), float(0.0), 0, float(4.0)],
        vec![0, 0, 0, 0xffff_fff0],
        [0, 0, 0, 7].repeat(4),
    ];
    assert_eq!(tail(true), expected.concat());
}

#[test]
fn centroid_barycentrics_of_partially_covered_pixels() {
    let slot = |covered: u16| Slot {
        covered: [covered, 0, 0, 0b0110],
        sample: 3,
        ..Slot::default()
    };
    for (covered, expected) in [
        (0b1111, [0.5; 2]),
        (0, [0.5; 2]),
        // Bits of samples that there are not do not count.
        (0xf00f, [0.5; 2]),
        (0xfff0, [0.5; 2]),
        (0b0001, POSITIONS[0]),
        (0b1100, POSITIONS[2]),
        (0b1000, POSITIONS[3]),
    ] {
        let found = with_state(four_samples, |state| {
            offset_in_pixel(state, &slot(covered), 0, PixelPoint::Centroid)
        });
        assert_eq!(found, expected, "{covered:#b}");
    }
    let of = |place| {
        with_state(four_samples, |state| {
            offset_in_pixel(state, &slot(1), 3, place)
        })
    };
    assert_eq!(
        [PixelPoint::Centre, PixelPoint::Centroid, PixelPoint::Sample].map(of),
        [[0.5; 2], POSITIONS[1], POSITIONS[3]]
    );
    // One sample is where pixels are taken.
    let corner = |state: &mut State<'_>| {
        four_samples(state);
        (state.samples, state.centre) = (1, 0.0);
    };
    let of = |place| {
        with_state(corner, |state| {
            offset_in_pixel(state, &slot(0b0110), 0, place)
        })
    };
    assert_eq!(
        [PixelPoint::Centre, PixelPoint::Centroid, PixelPoint::Sample].map(of),
        [[0.0; 2]; 3]
    );
}

#[test]
fn per_sample_positions_of_two_samples() {
    let change = |state: &mut State<'_>| {
        state.samples = 2;
        state.positions[..2].copy_from_slice(&[[0.75, 0.625], [0.25, 0.125]]);
        // Linear weights at the sample.
        state.barycentrics = 1 << 5;
    };
    let slot = Slot {
        sample: 1,
        writable: [2; 4],
        ..Slot::default()
    };
    let out = with_state(change, |state| {
        let frame = Frame {
            width: 8,
            start: 4,
            scratch: (0, 0),
        };
        let mut out = Vec::new();
        build(&mut out, state, &setup(), &[slot], frame, &[]).expect("room");
        out
    });
    let found = [16, 17, 24, 26].map(|at| f32::from_bits(out[at]));
    assert_eq!(found, [0.25 / 8.0, 1.25 / 8.0, 0.125 / 8.0, 1.125 / 8.0]);
}
