//! A scratch buffer that is one page short of its threads is refused.

use super::{check_draw, check_walker};
use crate::context::{HwContext, Vfe};
use crate::draw_state::DrawState;
use crate::space::AddressSpace;
use crate::testing::memory;
use eu::StopReason;
use hw::{Device, Field, Packet, draw};

const START: u64 = 0x10_0000;

/// Whether a check accepts a scratch buffer of so many bytes.
fn accepts(bytes: u64, check: impl Fn(&AddressSpace) -> Result<(), StopReason>) -> bool {
    let mut space = AddressSpace::new();
    let mapped = space.map(START, bytes, memory(bytes as usize), 0);
    mapped.expect("a free range");
    match check(&space) {
        Ok(()) => true,
        Err(StopReason::Undefined { rule, .. }) => {
            assert_eq!(rule, "scratch-room");
            false
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[track_caller]
fn needs(bytes: u64, check: impl Fn(&AddressSpace) -> Result<(), StopReason>) {
    assert!(accepts(bytes, &check));
    assert!(!accepts(bytes - 0x1000, &check));
}

/// A context after these commands, each with some fields set.
fn context(commands: &[(&'static Packet, &[(Field, u64)])]) -> HwContext {
    let mut state = DrawState::default();
    for (packet, fields) in commands {
        let mut words = vec![0; packet.dwords.into()];
        words[0] = packet.header;
        for (field, value) in *fields {
            field.set(&mut words, *value);
        }
        state.latch(packet, &words);
    }
    HwContext {
        draw: state,
        ..HwContext::default()
    }
}

#[test]
fn pixel_shaders_number_64_threads_in_each_of_four_subslices() {
    use draw::{state_ps as ps, state_ps_extra as extra};
    let with_valid = |valid| {
        context(&[
            (&extra::PACKET, &[(extra::PIXEL_SHADER_VALID, valid)]),
            (
                &ps::PACKET,
                &[
                    (ps::SCRATCH_SPACE_BASE_POINTER, START),
                    (ps::PER_THREAD_SCRATCH_SPACE, 2),
                ],
            ),
        ])
    };
    let (context, disabled) = (with_valid(1), with_valid(0));
    for (part, slices) in [("skl", 1), ("skl-1932", 3), ("glk", 1)] {
        let device = Device::by_name(part).expect("a part");
        needs(slices * 4 * 64 * 4096, |space| {
            check_draw(&context, space, device, 0)
        });
        assert!(accepts(4096, |space| check_draw(
            &disabled, space, device, 0
        )));
    }
}

#[test]
fn geometry_stages_number_the_threads_that_they_allow() {
    use draw::state_vs as vs;
    let with_enable = |enable| {
        let fields = [
            (vs::ENABLE, enable),
            (vs::SCRATCH_SPACE_BASE_POINTER, START),
            (vs::PER_THREAD_SCRATCH_SPACE, 0),
            (vs::MAXIMUM_NUMBER_OF_THREADS, 335),
        ];
        context(&[(&vs::PACKET, &fields)])
    };
    let (context, disabled) = (with_enable(1), with_enable(0));
    let device = Device::by_name("skl").expect("a part");
    needs(336 * 1024, |space| check_draw(&context, space, device, 0));
    assert!(accepts(4096, |space| check_draw(
        &disabled, space, device, 0
    )));
}

#[test]
fn walkers_number_the_threads_of_fused_eus() {
    let context = HwContext {
        vfe: Vfe {
            scratch: START,
            scratch_bytes: 1024,
            ..Vfe::default()
        },
        ..HwContext::default()
    };
    // Of all slices but the last four subslices count, of the last one those that exist.
    let parts = [
        ("skl-1902", 2 * 8 * 7),
        ("bxt", 3 * 6 * 6),
        ("skl-1932", (4 + 4 + 3) * 8 * 7),
    ];
    for (part, threads) in parts {
        let device = Device::by_name(part).expect("a part");
        needs(threads * 1024, |space| {
            check_walker(&context, space, device, 0)
        });
    }
}
