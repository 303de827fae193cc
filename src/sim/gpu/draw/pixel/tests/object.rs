//! Objects' pixels on their way to threads: what is tested before, which slots are made of them,
//! how wide threads are.
//!
//! Ref: SKL PRM vol. 7, "Windower (WM) Stage", "Pixel Shader Thread Dispatch", "Early
//!      Depth/Stencil".

use crate::draw::object::{Kind, Plane, SetupObject, Subspan};
use crate::draw::pixel::dispatch::{PixelCounts, PixelPipeline};
use crate::draw::pixel::payload::Slot;
use crate::draw::pixel::state::{Coverage, State};
use crate::draw::pixel::testing::{
    COLOUR, DEPTH, DYNAMIC, PITCH, Rig, STENCIL, covered, flat, w_tile, y_tile,
};
use crate::strict::testing::{WRITE, target_write};
use crate::testing::{eot, to};
use hw::draw::{state_sample_mask as sample_mask, state_wm as wm, state_wm_depth_stencil as ds};
use isa::{Inst, Opcode, Src, Type};

fn subspan(x: u32, y: u32, samples: [u16; 4]) -> Subspan {
    Subspan {
        x,
        y,
        samples,
        inner: 0,
    }
}

/// A rig with a shader that does nothing, and that counts.
fn shaded(widths: [bool; 3]) -> Rig {
    let mut rig = Rig::new();
    rig.kernel(&[eot()], widths);
    rig.set(&wm::PACKET, &[(wm::STATISTICS_ENABLE, 1)]);
    rig.set(&sample_mask::PACKET, &[(sample_mask::SAMPLE_MASK, 0xffff)]);
    rig
}

/// What becomes of an object's subspans: the slots that threads got, and counts.
fn slots(
    rig: &Rig,
    change: impl Fn(&mut State<'_>),
    setup: &SetupObject,
    subspans: &[Subspan],
) -> (Vec<Slot>, PixelCounts) {
    let mut pixels = rig.pixels();
    change(&mut pixels.back.state);
    pixels
        .draw_object(setup, &covered(subspans))
        .expect("simulated");
    let counts = pixels.counts();
    (pixels.slots, counts)
}

/// Threads by width: their names, how many, and how many channels.
fn threads(pixels: &PixelPipeline<'_>) -> Vec<(&'static str, u64, u64)> {
    let ran = pixels.stages().filter(|work| work.threads > 0);
    ran.map(|work| (work.stage, work.threads, work.invocations))
        .collect()
}

#[test]
fn dispatch_width_is_chosen_by_occupied_slots() {
    let row =
        |count: u32| -> Vec<Subspan> { (0..count).map(|i| subspan(i * 2, 0, [1; 4])).collect() };
    type Threads = &'static [(&'static str, u64, u64)];
    let cases: [([bool; 3], u32, Threads); 17] = [
        ([true, true, true], 1, &[("PS8", 1, 4)]),
        ([true, true, true], 2, &[("PS8", 1, 8)]),
        ([true, true, true], 3, &[("PS16", 1, 12)]),
        ([true, true, true], 4, &[("PS16", 1, 16)]),
        ([true, true, true], 5, &[("PS32", 1, 20)]),
        ([true, true, true], 8, &[("PS32", 1, 32)]),
        ([true, true, true], 9, &[("PS8", 1, 4), ("PS32", 1, 32)]),
        ([true, true, true], 12, &[("PS16", 1, 16), ("PS32", 1, 32)]),
        ([true, false, false], 5, &[("PS8", 3, 20)]),
        ([false, true, false], 1, &[("PS16", 1, 4)]),
        ([false, true, false], 9, &[("PS16", 3, 36)]),
        ([false, false, true], 1, &[("PS32", 1, 4)]),
        ([false, false, true], 17, &[("PS32", 3, 68)]),
        ([true, true, false], 7, &[("PS16", 2, 28)]),
        ([true, true, false], 5, &[("PS8", 1, 4), ("PS16", 1, 16)]),
        ([false, true, true], 2, &[("PS16", 1, 8)]),
        ([true, false, true], 4, &[("PS8", 2, 16)]),
    ];
    for (widths, count, expected) in cases {
        let rig = shaded(widths);
        let mut pixels = rig.pixels();
        pixels
            .draw_object(&flat(Kind::Triangle, 0.0), &covered(&row(count)))
            .expect("simulated");
        assert_eq!(
            threads(&pixels),
            expected,
            "{count} subspans, widths {widths:?}"
        );
        assert_eq!(pixels.counts().invocations, u64::from(count) * 4);
    }
}

#[test]
fn dispatched_threads_have_the_surviving_pixels() {
    let rig = shaded([true; 3]);
    let mut pixels = rig.pixels();
    let setup = flat(Kind::Triangle, 0.0);
    let subspans = [
        subspan(2, 4, [1, 0, 0, 1]),
        subspan(4, 4, [0; 4]),
        subspan(6, 4, [0, 1, 0, 0]),
    ];
    pixels
        .draw_object(&setup, &covered(&subspans))
        .expect("simulated");
    assert_eq!(threads(&pixels), [("PS8", 1, 3)]);
    let made: Vec<_> = pixels
        .slots
        .iter()
        .map(|s| (s.x, s.y, s.writable))
        .collect();
    assert_eq!(made, [(2, 4, [1, 0, 0, 1]), (6, 4, [0, 1, 0, 0])]);
    // The next object has slots of its own.
    pixels
        .draw_object(&setup, &covered(&subspans[2..]))
        .expect("simulated");
    assert_eq!((pixels.slots.len(), pixels.counts().invocations), (1, 4));
    assert_eq!(pixels.counts().samples_passed, 4);
    // An object that nothing is left of runs nothing.
    pixels
        .draw_object(&setup, &covered(&subspans[1..2]))
        .expect("simulated");
    assert_eq!(threads(&pixels), [("PS8", 2, 4)]);
    // Without statistics nothing is counted.
    pixels.back.state.statistics = false;
    assert_eq!(
        (pixels.counts().samples_passed, pixels.counts().invocations),
        (0, 0)
    );
}

#[test]
fn sample_mask_removes_samples() {
    let rig = shaded([true; 3]);
    let change = |state: &mut State<'_>| {
        state.samples = 4;
        state.sample_mask = 0b0101;
    };
    let covered = subspan(0, 0, [0b1111, 0b1010, 0b0110, 0b0001]);
    let (made, counts) = slots(&rig, change, &flat(Kind::Triangle, 0.0), &[covered]);
    let expected = [0b0101, 0, 0b0100, 0b0001];
    assert_eq!(
        (made[0].covered, made[0].input_mask, made[0].writable),
        (expected, expected, expected)
    );
    assert_eq!((counts.samples_passed, counts.invocations), (4, 3));
}

#[test]
fn smooth_line_coverage_is_in_sixteenths() {
    let rig = shaded([true; 3]);
    let covered = subspan(0, 0, [0xffff, 0x0f0f, 0, 0x8000]);
    for (samples, all) in [(1, 1), (4, 0b1111)] {
        let change = |state: &mut State<'_>| {
            state.smooth_lines = true;
            state.samples = samples;
            state.sample_mask = 0xffff;
        };
        let (made, _) = slots(&rig, change, &flat(Kind::Line, 0.0), &[covered]);
        assert_eq!(made[0].uncovered, [0, 8, 16, 15]);
        assert_eq!(made[0].covered, [all, all, 0, all], "{samples} samples");
        // What is no line is as it comes.
        let (made, _) = slots(&rig, change, &flat(Kind::Triangle, 0.0), &[covered]);
        assert_eq!(
            (made[0].uncovered, made[0].covered),
            ([0; 4], covered.samples)
        );
    }
    let (made, _) = slots(&rig, |_| {}, &flat(Kind::Line, 0.0), &[covered]);
    assert_eq!(
        (made[0].uncovered, made[0].covered),
        ([0; 4], covered.samples)
    );
}

/// Depth that grows from left to right and from top to bottom: 32nds.
fn slope() -> SetupObject {
    let mut setup = flat(Kind::Triangle, 0.0);
    setup.depth = Plane {
        c: 0.0,
        dx: 2.0 / 32.0,
        dy: 1.0 / 32.0,
    };
    setup
}

/// A rig whose depth buffer holds `held` everywhere, with the test "less" before the shader.
fn tested(held: f32) -> Rig {
    let mut rig = shaded([true; 3]);
    rig.depth_buffer(1);
    rig.set(
        &ds::PACKET,
        &[
            (ds::DEPTH_TEST_ENABLE, 1),
            (ds::DEPTH_BUFFER_WRITE_ENABLE, 1),
            (ds::DEPTH_TEST_FUNCTION, 2),
        ],
    );
    rig.write(DYNAMIC, &[(-8f32).to_bits(), 8f32.to_bits()]);
    for dword in 0..2048 {
        rig.write(DEPTH + dword * 4, &[held.to_bits()]);
    }
    rig
}

#[test]
fn early_depth_test_at_pixel_centres() {
    // With stencil, which asks for nothing, pixels are tested one by one.
    for stencil in [false, true] {
        let mut rig = tested(11.0 / 32.0);
        if stencil {
            rig.stencil_buffer();
            rig.set(
                &ds::PACKET,
                &[
                    (ds::STENCIL_TEST_ENABLE, 1),
                    (ds::STENCIL_BUFFER_WRITE_ENABLE, 1),
                    (ds::STENCIL_PASS_DEPTH_PASS_OP, 3),
                    (ds::STENCIL_WRITE_MASK, 0xff),
                ],
            );
        }
        let subspans = [
            subspan(4, 0, [1, 1, 1, 0]),
            subspan(4, 2, [1; 4]),
            subspan(2, 2, [1, 0, 1, 1]),
        ];
        let (made, counts) = slots(&rig, |_| {}, &slope(), &subspans);
        // Pixel (x, y) has (2x + y + 1.5) / 32: less than 11 / 32 where 2x + y is 9 or less.
        let found: Vec<_> = made
            .iter()
            .map(|s| (s.x, s.y, s.covered, s.writable))
            .collect();
        let expected = [
            (4, 0, [1, 1, 1, 0], [1, 0, 1, 0]),
            (2, 2, [1, 0, 1, 1], [1, 0, 1, 1]),
        ];
        assert_eq!(found, expected, "stencil {stencil}");
        assert_eq!(
            (counts.samples_passed, counts.invocations),
            (5, 5),
            "stencil {stencil}"
        );
        for y in 0..4 {
            for x in 0..8 {
                let drawn = [(4, 0), (4, 1), (2, 2), (2, 3), (3, 3)].contains(&(x, y));
                let expected = if drawn {
                    (2 * x + y) as f32 + 1.5
                } else {
                    11.0
                };
                assert_eq!(
                    rig.read(DEPTH + y_tile(x * 4, y)),
                    (expected / 32.0).to_bits(),
                    "({x}, {y}), stencil {stencil}"
                );
                let passed = u8::from(stencil && drawn);
                assert_eq!(rig.byte(STENCIL + w_tile(x, y)), passed, "({x}, {y})");
            }
        }
    }
}

#[test]
fn early_depth_test_at_samples() {
    let mut rig = tested(11.0 / 32.0);
    rig.set(
        &hw::draw::state_multisample::PACKET,
        &[(hw::draw::state_multisample::NUMBER_OF_MULTISAMPLES, 2)],
    );
    let change = |state: &mut State<'_>| {
        state.positions[..4].copy_from_slice(&[
            [0.375, 0.125],
            [0.875, 0.375],
            [0.125, 0.625],
            [0.625, 0.875],
        ]);
    };
    // 2x + y of the samples is 0.875, 2.125, 0.875 and 2.125 more than the pixel's.
    let subspans = [subspan(4, 0, [0b1111, 0b1110, 0b1101, 0b1011])];
    let (made, counts) = slots(&rig, change, &slope(), &subspans);
    // Pixels have 8, 10, 9, 11: up to 11 all pass.
    assert_eq!(made[0].writable, [0b1111, 0b0100, 0b0101, 0]);
    assert_eq!(counts.samples_passed, 4 + 1 + 2);
    // Two of them: 0.875 and 2.125 more.
    let mut rig = tested(11.0 / 32.0);
    rig.set(
        &hw::draw::state_multisample::PACKET,
        &[(hw::draw::state_multisample::NUMBER_OF_MULTISAMPLES, 1)],
    );
    let change = |state: &mut State<'_>| {
        state.positions[..2].copy_from_slice(&[[0.375, 0.125], [0.875, 0.375]])
    };
    let subspans = [subspan(4, 0, [0b11, 0b10, 0b11, 0b01])];
    let (made, counts) = slots(&rig, change, &slope(), &subspans);
    assert_eq!(made[0].writable, [0b11, 0, 0b01, 0]);
    assert_eq!(counts.samples_passed, 3);
}

#[test]
fn early_depth_test_uses_the_layer_and_viewport() {
    let mut rig = tested(0.5);
    rig.set(
        &hw::draw::state_clip::PACKET,
        &[(hw::draw::state_clip::MAXIMUM_VP_INDEX, 1)],
    );
    rig.write(DYNAMIC + 8, &[0.125f32.to_bits(), 0.375f32.to_bits()]);
    let mut setup = flat(Kind::Triangle, 0.75);
    (setup.layer, setup.viewport) = (1, 1);
    // Clamped to the second viewport it passes.
    let (made, _) = slots(&rig, |_| {}, &setup, &[subspan(0, 0, [1, 0, 0, 0])]);
    assert_eq!(made.len(), 1);
    let held = [0, 4096].map(|slice| f32::from_bits(rig.read(DEPTH + slice)));
    assert_eq!(held, [0.5, 0.375]);
    setup.viewport = 0;
    let (made, _) = slots(&rig, |_| {}, &setup, &[subspan(0, 0, [1, 0, 0, 0])]);
    assert_eq!(made.len(), 0);
}

#[test]
fn early_stencil_test_uses_the_facing_state() {
    let mut rig = shaded([true; 3]);
    rig.depth_buffer(1);
    rig.stencil_buffer();
    rig.set(
        &ds::PACKET,
        &[
            (ds::DOUBLE_SIDED_STENCIL_ENABLE, 1),
            (ds::STENCIL_TEST_ENABLE, 1),
            (ds::STENCIL_TEST_FUNCTION, 0),
            (ds::BACKFACE_STENCIL_TEST_FUNCTION, 1),
        ],
    );
    for (front, passes) in [(true, 1), (false, 0)] {
        let mut setup = flat(Kind::Triangle, 0.0);
        setup.front_facing = front;
        let (made, counts) = slots(&rig, |_| {}, &setup, &[subspan(0, 0, [0, 1, 0, 0])]);
        assert_eq!((made.len(), counts.samples_passed), (passes, passes as u64));
    }
}

#[test]
fn late_tests_dispatch_every_pixel() {
    let rig = tested(-1.0);
    let late = |state: &mut State<'_>| state.early = false;
    let (made, counts) = slots(&rig, late, &slope(), &[subspan(0, 0, [1; 4])]);
    assert_eq!(
        (made[0].writable, counts.samples_passed, counts.invocations),
        ([1; 4], 0, 4)
    );
    let (made, counts) = slots(&rig, |_| {}, &slope(), &[subspan(0, 0, [1; 4])]);
    assert_eq!(
        (made.len(), counts.samples_passed, counts.invocations),
        (0, 0, 0)
    );
}

#[test]
fn payload_input_coverage_follows_its_mode() {
    let mut covered = subspan(4, 0, [1, 1, 1, 0]);
    covered.inner = 0b0110;
    for (coverage, shown) in [
        (Coverage::Covered, [1, 1, 1, 0]),
        (Coverage::AfterDepth, [1, 0, 1, 0]),
        (Coverage::Inner, [0, 1, 1, 0]),
    ] {
        let rig = tested(11.0 / 32.0);
        let (made, _) = slots(
            &rig,
            |state| state.coverage = coverage,
            &slope(),
            &[covered],
        );
        assert_eq!(
            (made[0].input_mask, made[0].writable),
            (shown, [1, 0, 1, 0]),
            "{coverage:?}"
        );
    }
}

#[test]
fn per_sample_dispatch_has_a_slot_per_sample() {
    let rig = shaded([true; 3]);
    let change = |state: &mut State<'_>| {
        state.samples = 4;
        state.per_sample = true;
    };
    let subspans = [
        subspan(0, 0, [0b0001, 0b0101, 0, 0b1001]),
        subspan(2, 0, [0, 0, 0b0010, 0]),
    ];
    let (made, counts) = slots(&rig, change, &flat(Kind::Triangle, 0.0), &subspans);
    let found: Vec<_> = made.iter().map(|s| (s.x, s.sample, s.writable)).collect();
    assert_eq!(
        found,
        [
            (0, 0, [1, 1, 0, 1]),
            (0, 2, [0, 4, 0, 0]),
            (0, 3, [0, 0, 0, 8]),
            (2, 1, [0, 0, 2, 0]),
        ]
    );
    assert!(
        made[..3]
            .iter()
            .all(|s| s.covered == subspans[0].samples && s.input_mask == s.covered)
    );
    assert_eq!((counts.samples_passed, counts.invocations), (6, 6));
}

#[test]
fn depth_only_draw_without_a_pixel_shader() {
    let mut rig = tested(0.5);
    use hw::draw::{state_ps as ps, state_ps_extra as extra};
    rig.set(&extra::PACKET, &[(extra::PIXEL_SHADER_VALID, 0)]);
    let mut pixels = rig.pixels();
    pixels
        .draw_object(&slope(), &covered(&[subspan(0, 0, [1; 4])]))
        .expect("simulated");
    assert_eq!(
        (threads(&pixels), pixels.counts().samples_passed),
        (vec![], 4)
    );
    assert_eq!(rig.read(DEPTH), (1.5f32 / 32.0).to_bits());
    // A shader that is valid has a width.
    rig.set(&extra::PACKET, &[(extra::PIXEL_SHADER_VALID, 1)]);
    rig.set(
        &ps::PACKET,
        &[
            (ps::N8_PIXEL_DISPATCH_ENABLE, 0),
            (ps::N16_PIXEL_DISPATCH_ENABLE, 0),
            (ps::N32_PIXEL_DISPATCH_ENABLE, 0),
        ],
    );
    let mut pixels = rig.pixels();
    let found = pixels.draw_object(
        &flat(Kind::Triangle, 0.0),
        &covered(&[subspan(0, 0, [1; 4])]),
    );
    assert!(
        matches!(found, Err(eu::StopReason::Undefined { .. })),
        "{found:?}"
    );
}

#[test]
fn oversized_payload_stops_the_draw() {
    let rig = shaded([true; 3]);
    let mut pixels = rig.pixels();
    // R0, places, and six modes of two registers are 14; constants start at the eighth.
    pixels.back.state.barycentrics = 0x3f;
    let found = pixels.draw_object(
        &flat(Kind::Triangle, 0.0),
        &covered(&[subspan(0, 0, [1; 4])]),
    );
    match found {
        Err(eu::StopReason::Undefined { what, .. }) => {
            assert!(what.contains("from register 8 on, among 14 of"), "{what}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn thread_writes_its_pixels() {
    // The colour (4, 5, 6, 7) by a write that ends the thread: four registers, eight pixels.
    let colour =
        (0..4).map(|i| Inst::unary(Opcode::Mov, 8, to(112 + i), Src::imm_ud(4 + u32::from(i))));
    let kernel: Vec<Inst> = colour.chain([target_write(WRITE), eot()]).collect();
    let mut rig = shaded([true, false, false]);
    rig.kernel(&kernel, [true, false, false]);
    rig.bind(0, 0x002, &[]);
    let mut pixels = rig.pixels();
    let subspans = [subspan(2, 0, [1, 0, 0, 1]), subspan(6, 0, [0, 1, 0, 0])];
    pixels
        .draw_object(&flat(Kind::Triangle, 0.0), &covered(&subspans))
        .expect("simulated");
    for y in 0..2 {
        for x in 0..10 {
            let expected = if [(2, 0), (3, 1), (7, 0)].contains(&(x, y)) {
                [4, 5, 6, 7]
            } else {
                [0; 4]
            };
            assert_eq!(rig.wide(x, y), expected, "({x}, {y})");
        }
    }
    assert_eq!(rig.read(COLOUR + 15 * PITCH), 0);
    let written: Vec<_> = pixels
        .written()
        .map(|(role, image)| (role, image.address))
        .collect();
    assert_eq!(written, [(crate::target_images::Role::Colour(0), COLOUR)]);
}

#[test]
fn push_constants_and_attributes_reach_thread_registers() {
    // The colour is the first register of constants, and the first attribute's; a thread has pixels
    // of two subspans.
    let from = |nr: u8| Src::grf(nr, 0, Type::Ud, isa::Region::new(8, 8, 1));
    let colour = [8, 8, 9, 9]
        .into_iter()
        .zip(112..)
        .map(|(register, to_register)| {
            Inst::unary(Opcode::Mov, 8, to(to_register), from(register))
        });
    let kernel: Vec<Inst> = colour.chain([target_write(WRITE), eot()]).collect();
    let mut rig = shaded([true, false, false]);
    rig.kernel(&kernel, [true, false, false]);
    rig.bind(0, 0x002, &[]);
    let mut pixels = rig.pixels();
    pixels.back.state.constants = (40..48).collect();
    pixels.back.state.attributes = true;
    let mut setup = flat(Kind::Triangle, 0.0);
    // Flat values: the first component's differences, nought, and the value; and so on.
    setup.attributes = vec![[[60, 61, 62, 63]; 3]];
    let subspans = [
        subspan(0, 0, [1; 4]),
        subspan(2, 0, [1; 4]),
        subspan(4, 0, [1; 4]),
    ];
    pixels
        .draw_object(&setup, &covered(&subspans))
        .expect("simulated");
    let attribute = [0, 0, 0, 60, 0, 0, 0, 61];
    for x in 0..6 {
        for y in 0..2 {
            let channel = (x / 2 % 2 * 4 + y * 2 + x % 2) as usize;
            let expected = [
                40 + channel as u32,
                40 + channel as u32,
                attribute[channel],
                attribute[channel],
            ];
            assert_eq!(rig.wide(x, y), expected, "({x}, {y})");
        }
    }
    // What a null surface takes is not written.
    rig.bind(
        0,
        0x002,
        &[(hw::state::render_surface_state::SURFACE_TYPE, 7)],
    );
    let mut pixels = rig.pixels();
    pixels
        .draw_object(&setup, &covered(&subspans))
        .expect("simulated");
    assert_eq!(
        (pixels.written().count(), pixels.counts().invocations),
        (0, 12)
    );
}
