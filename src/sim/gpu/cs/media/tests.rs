//! State commands and PIPE_CONTROL: the context state that each changes.
//!
//! Ref: SKL PRM vol. 2a; vol. 2c, statistics.

use crate::base_addresses::BaseAddresses;
use crate::context::{DynamicRange, Pipeline, Vfe};
use crate::cs::testing::{load, rig, store_register};
use crate::testing::{DATA, Rig, end};
use eu::StopReason;
use hw::{Field, Packet, media, register};

/// A command with these fields set.
fn command(packet: &Packet, fields: &[(Field, u64)]) -> Vec<u32> {
    let mut words = vec![0; packet.length(packet.header)];
    words[0] = packet.header;
    for (field, value) in fields {
        field.set(&mut words, *value);
    }
    words
}

/// A rig after it has executed these commands.
fn after(commands: &[Vec<u32>]) -> Rig {
    let mut rig = rig();
    let mut batch = commands.concat();
    end(&mut batch);
    rig.execute(&batch).expect("runs");
    rig
}

#[test]
fn base_addresses_change_only_with_their_modify_bit() {
    use media::state_base_address as f;
    let addresses = [
        (
            f::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::GENERAL_STATE_BASE_ADDRESS,
        ),
        (
            f::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::SURFACE_STATE_BASE_ADDRESS,
        ),
        (
            f::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::DYNAMIC_STATE_BASE_ADDRESS,
        ),
        (
            f::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE,
            f::INDIRECT_OBJECT_BASE_ADDRESS,
        ),
        (
            f::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE,
            f::INSTRUCTION_BASE_ADDRESS,
        ),
        (
            f::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::BINDLESS_SURFACE_STATE_BASE_ADDRESS,
        ),
    ];
    let sizes = [
        (
            f::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE,
            f::DYNAMIC_STATE_BUFFER_SIZE,
        ),
        (
            f::INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE,
            f::INSTRUCTION_BUFFER_SIZE,
        ),
    ];
    // All of them have a value; bits above the 48th are a copy of that.
    let address = |i: u64| 0x8000_0000_0000 + 0x1000 * (i + 1);
    let mut all: Vec<_> = (0..)
        .zip(&addresses)
        .map(|(i, a)| (a.1, 0xffff << 48 | address(i)))
        .collect();
    all.extend((0..).zip(&sizes).map(|(i, s)| (s.1, 70 + i)));
    all.push((f::BINDLESS_SURFACE_STATE_SIZE, 80));
    let enables: Vec<_> = addresses.iter().chain(&sizes).map(|e| e.0).collect();
    for (which, enable) in enables.into_iter().enumerate() {
        let sba = command(&f::PACKET, &[all.as_slice(), &[(enable, 1)]].concat());
        let on = |i: usize| if which == i { address(i as u64) } else { 0 };
        let expected = BaseAddresses {
            programmed: if which < 6 { 1 << which } else { 0 },
            general: on(0),
            surface: on(1),
            dynamic: on(2),
            indirect: on(3),
            instruction: on(4),
            bindless_surface: on(5),
            bindless_surfaces: if which == 5 { 80 } else { 0 },
            general_pages: (which == 8).then_some(72),
            dynamic_pages: (which == 6).then_some(70),
            instruction_pages: (which == 7).then_some(71),
        };
        assert_eq!(after(&[sba]).context().base, expected, "{}", enable.name);
    }
}

#[test]
fn pipeline_select_needs_both_mask_bits() {
    use media::pipeline_select as f;
    let select = |mask, pipeline| {
        command(
            &f::PACKET,
            &[(f::MASK_BITS, mask), (f::PIPELINE_SELECTION, pipeline)],
        )
    };
    for (code, pipeline) in [
        (0, Pipeline::Draw),
        (1, Pipeline::Media),
        (2, Pipeline::Gpgpu),
    ] {
        let other = if code == 0 { 2 } else { 0 };
        for mask in [0x03, 0x13] {
            let found = after(&[select(3, other), select(mask, code)]);
            assert_eq!(found.context().pipeline, pipeline, "{mask}");
        }
        for mask in [0, 1, 2, 0x10] {
            let found = after(&[select(3, code), select(mask, other)]);
            assert_eq!(found.context().pipeline, pipeline, "{mask}");
        }
    }
}

#[test]
fn vfe_curbe_and_descriptor_state_is_latched() {
    use media::media_vfe_state as f;
    for (scratch, size, bytes) in [
        (0, 3, 0),
        (0x8000, 0, 1024),
        (0x8400, 3, 8192),
        (0x400, 11, 2 << 20),
    ] {
        let state = command(
            &f::PACKET,
            &[
                (f::SCRATCH_SPACE_BASE_POINTER, scratch),
                (f::PER_THREAD_SCRATCH_SPACE, size),
                (f::MAXIMUM_NUMBER_OF_THREADS, 55),
                (f::CURBE_ALLOCATION_SIZE, 6),
            ],
        );
        let expected = Vfe {
            scratch,
            scratch_bytes: bytes,
            max_threads: 55,
            curbe_bytes: 192,
        };
        assert_eq!(after(&[state]).context().vfe, expected);
    }
    use media::media_curbe_load as curbe;
    use media::media_interface_descriptor_load as descriptors;
    let found = after(&[
        command(
            &curbe::PACKET,
            &[
                (curbe::CURBE_DATA_START_ADDRESS, 0x140),
                (curbe::CURBE_TOTAL_DATA_LENGTH, 128),
            ],
        ),
        command(
            &descriptors::PACKET,
            &[
                (descriptors::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS, 0x80),
                (descriptors::INTERFACE_DESCRIPTOR_TOTAL_LENGTH, 96),
            ],
        ),
    ]);
    let range = |offset, bytes| DynamicRange { offset, bytes };
    let context = found.context();
    assert_eq!(
        [context.curbe, context.descriptors],
        [range(0x140, 128), range(0x80, 96)]
    );
}

#[test]
fn pipe_control_post_sync_operations_store_values() {
    use media::pipe_control as f;
    let stored = |operation| {
        let control = command(
            &f::PACKET,
            &[
                (f::POST_SYNC_OPERATION, operation),
                (f::ADDRESS, DATA + 8),
                (f::IMMEDIATE_DATA, 0x5_0000_0006),
            ],
        );
        let mut rig = rig();
        rig.write(DATA, &[100, 101, 102, 103, 104]);
        rig.context_mut().set_register(0x2350, 0x11);
        rig.context_mut().set_register(0x2354, 0x22);
        let mut batch = control;
        end(&mut batch);
        rig.execute(&batch).expect("runs");
        rig.read(DATA, 5)
    };
    assert_eq!(stored(0), [100, 101, 102, 103, 104]);
    assert_eq!(stored(1), [100, 101, 6, 5, 104]);
    // PS_DEPTH_COUNT.
    assert_eq!(stored(2), [100, 101, 0x11, 0x22, 104]);
    // The timestamp; its upper bits count minutes.
    let found = stored(3);
    assert!(found[2] > 0 && found[2] != 102, "{found:?}");
    assert_eq!([found[0], found[1], found[3], found[4]], [100, 101, 0, 104]);
}

#[test]
fn commands_without_visible_effect_are_skipped() {
    for packet in [
        &media::media_state_flush::PACKET,
        &media::state_sip::PACKET,
        &media::state_prefetch::PACKET,
        &media::gpgpu_csr_base_address::PACKET,
    ] {
        let mut more = Vec::new();
        load(&mut more, register::CS_GPR0, 7);
        store_register(&mut more, register::CS_GPR0, DATA);
        let found = after(&[command(packet, &[]), more]);
        assert_eq!(found.read(DATA, 1), [7], "{}", packet.name);
    }
    let object = [media::media_object::PACKET.header | 4, 0, 0, 0, 0, 0];
    let found = rig().execute(&object);
    let named =
        matches!(&found, Err(StopReason::Unimplemented { what, .. }) if what == "MEDIA_OBJECT");
    assert!(named, "{found:?}");
}
