//! Payloads and masks, with values worked out by hand.

mod band;
mod object;
mod render_target_writes;

use super::payload::{Frame, Slot, active_pixels, build, build_object};
use super::state::State;
use super::target::identity_mcs;
use crate::draw::exec::Draw;
use crate::draw::object::{Kind, Plane, ScreenVertex, SetupObject};
use crate::draw_state::DrawState;
use crate::memory::AddressSpaceView;
use crate::space::AddressSpace;

/// A flat triangle on layer 3 whose weights are an eighth of the coordinates.
fn setup() -> SetupObject {
    let plane = |c, dx, dy| Plane { c, dx, dy };
    let vertex = ScreenVertex {
        inverse_w: 1.0,
        ..ScreenVertex::default()
    };
    SetupObject {
        kind: Kind::Triangle,
        vertices: [vertex; 3],
        attributes: vec![[[7; 4], [7; 4], [7; 4]]],
        depth: plane(0.5, 0.0, 0.0),
        inverse_w: plane(1.0, 0.0, 0.0),
        weights: [plane(0.0, 0.125, 0.0), plane(0.0, 0.0, 0.125)],
        weights_over_w: [plane(0.0, 0.125, 0.0), plane(0.0, 0.0, 0.125)],
        front_facing: false,
        viewport: 0,
        layer: 3,
        continues: false,
    }
}

/// State of a draw that has set nothing, changed.
fn with_state(change: impl Fn(&mut State<'_>), look: impl Fn(&State<'_>)) {
    let space = AddressSpace::new();
    let latched = DrawState::default();
    let draw = Draw {
        watch: None,
        budget: &crate::budget::Budget::new(crate::InstructionLimits::of_all(u64::MAX)),
        at: 0,
        state: &latched,
        base: crate::base_addresses::BaseAddresses::default(),
        space: &space,
        options: &crate::options::Options::default(),
        kernels: &crate::kernel_cache::KernelCache::default(),
        wide: &crate::dataport::WideLock::default(),
    };
    let mut state =
        State::read(&draw, &AddressSpaceView::new(&space), Vec::new()).expect("nothing");
    change(&mut state);
    look(&state);
}

#[test]
fn subspan_payload_has_positions_barycentrics_and_attributes() {
    let change = |state: &mut State<'_>| {
        state.barycentrics = 1;
        state.uses_depth = true;
        state.constants = vec![42; 8];
        state.attributes = true;
    };
    with_state(change, |state| {
        let slot = Slot {
            x: 4,
            y: 2,
            writable: [1, 1, 0, 1],
            covered: [1, 1, 0, 1],
            ..Slot::default()
        };
        let frame = Frame {
            width: 8,
            start: 5,
            scratch: (0x400, 2),
        };
        let (mut out, mut tail) = (Vec::new(), Vec::new());
        build_object(&mut tail, state, &setup());
        build(&mut out, state, &setup(), &[slot], frame, &tail).expect("room");
        assert_eq!(out[0], 4 | 1 << 15 | 3 << 16);
        assert_eq!((out[3] & 31, out[5]), (2, 0x400));
        assert_eq!((out[10], out[15] & 0xffff), (4 | 2 << 16, 0b1011));
        let float = |at: usize| f32::from_bits(out[at]);
        // Pixel centres 4.5 and 5.5 across, 2.5 and 3.5 down, over eight.
        assert_eq!((float(16), float(17), float(18)), (0.5625, 0.6875, 0.5625));
        assert_eq!((float(24), float(26)), (0.3125, 0.4375));
        assert_eq!(float(32), 0.5);
        assert_eq!(out[40], 42);
        assert_eq!(out[48..52], [0, 0, 0, 7]);
        assert_eq!(out.len(), 48 + 16);
        // A start register within the pixels' part is none.
        let low = Frame { start: 4, ..frame };
        assert_eq!(
            build(&mut out, state, &setup(), &[slot], low, &tail),
            Err(5)
        );
    });
}

#[test]
fn per_sample_payload_positions() {
    let change = |state: &mut State<'_>| {
        state.samples = 4;
        state.positions[1] = [0.875, 0.375];
        // Perspective weights at the centroid and at samples.
        state.barycentrics = 0b110;
        state.offsets = 3;
    };
    with_state(change, |state| {
        let slot = Slot {
            sample: 1,
            writable: [2, 0, 0, 0],
            covered: [0b1110, 0, 0, 0],
            ..Slot::default()
        };
        let frame = Frame {
            width: 8,
            start: 0,
            scratch: (0, 0),
        };
        let mut out = Vec::new();
        build(&mut out, state, &setup(), &[slot, slot], frame, &[]).unwrap_err();
        let frame = Frame { start: 7, ..frame };
        build(&mut out, state, &setup(), &[slot, slot], frame, &[]).expect("room");
        assert_eq!(out[8], 0x11);
        let float = |at: usize| f32::from_bits(out[at]);
        // The first covered sample is sample 1; pixel (1, 0) covers none and takes its centre.
        assert_eq!([float(16), float(24)], [0.875 / 8.0, 0.375 / 8.0]);
        assert_eq!(float(17), 1.5 / 8.0);
        assert_eq!([float(32), float(33)], [0.875 / 8.0, 1.875 / 8.0]);
        assert_eq!(out[48], 0x060e_060e);
    });
}

#[test]
fn simd32_payload_has_position_registers_per_pixel_group() {
    with_state(
        |_| {},
        |state| {
            let slot = |x| Slot {
                x,
                writable: [1; 4],
                covered: [1; 4],
                ..Slot::default()
            };
            let slots = [0, 2, 4, 6, 8].map(slot);
            let frame = Frame {
                width: 32,
                start: 3,
                scratch: (0, 0),
            };
            let mut out = Vec::new();
            build(&mut out, state, &setup(), &slots, frame, &[]).expect("room");
            assert_eq!((out[15] & 0xffff, out[23] & 0xffff), (0xffff, 0xf));
            assert_eq!((out[13], out[18]), (6, 8));
        },
    );
}

#[test]
fn dispatch_masks_number_pixels_by_slot() {
    let slot = |writable| Slot {
        writable,
        ..Slot::default()
    };
    assert_eq!(
        active_pixels(&[slot([1, 0, 0, 2]), slot([0, 4, 0, 0])]),
        0b0010_1001
    );
}

#[test]
fn identity_mcs_maps_each_sample_to_its_slice() {
    assert_eq!([2, 4, 8].map(identity_mcs), [2, 0xe4, 0x7654_3210]);
}
