//! What messages are about: surfaces by the binding table, bindless or none, samplers; and the
//! gateway.
//!
//! Ref: SKL PRM vol. 7, "Binding Table Index", "Message Gateway"; vol. 2d, MH_A32_GO.

use crate::bindings::Payload;
use crate::bindings::bti;
use crate::dataport::MessageBases;
use crate::dataport::rig::{DATA, HEADER, Rig, SLOT, STATE, header, message};
use crate::dataport::{AccessLimits, WideLock, WorkerPort, sfid};
use crate::memory::AddressSpaceView;
use eu::{Message, MessageReply};
use eu::{SharedFunctions, StopReason};
use hw::state::{render_surface_state as rss, sampler_state as ss};

/// Untyped SIMD8 messages of one channel.
const READ: u32 = 0x01 << 14 | 2 << 12 | 0xe << 8;
const WRITE: u32 = 0x09 << 14 | 2 << 12 | 0xe << 8;

const LIMITS: AccessLimits = AccessLimits {
    barrier: false,
    scratch: 0,
    scratch_bytes: 0,
    bindless_surfaces: 21,
};

fn is_gap<T>(found: &Result<T, StopReason>) -> bool {
    matches!(found, Err(StopReason::Unimplemented { .. }))
}

fn is_refused<T>(found: &Result<T, StopReason>, name: &str) -> bool {
    matches!(found, Err(StopReason::Undefined { rule, .. }) if *rule == name)
}

#[test]
fn split_payloads_are_concatenated() {
    let payload = Payload {
        first: &[1, 2, 3, 4],
        second: &[5, 6],
    };
    assert_eq!(payload.dwords(), 6);
    let dwords: Vec<_> = (0..8).map(|i| payload.dword(i)).collect();
    assert_eq!(dwords, [1, 2, 3, 4, 5, 6, 0, 0]);
    for (index, dwords, part) in [
        (0, 4, Some([1, 2, 3, 4].as_slice())),
        (2, 2, Some(&[3, 4])),
        (4, 2, Some(&[5, 6])),
        (5, 1, Some(&[6])),
        // Not in one piece, or not there.
        (3, 2, None),
        (5, 2, None),
        (6, 1, None),
    ] {
        assert_eq!(payload.dword_range(index, dwords), part, "{index} {dwords}");
    }
    assert_eq!(payload.qword(3), 5 << 32 | 4);
    // 48 bits of an address count.
    let address = Payload {
        first: &[0x8000_0010],
        second: &[0xffff_9234],
    };
    assert_eq!(address.qword(0), 0xffff_9234_8000_0010);
    assert_eq!(address.address(0), 0x9234_8000_0010);
}

#[test]
fn binding_table_entries_select_surfaces() {
    let mut rig = Rig::new();
    let view = AddressSpaceView::new(&rig.space);
    // More of them than a port remembers: each 16 bytes further on.
    for entry in 0..12 {
        let words = Rig::buffer(DATA + 16 * entry, 16);
        view.write_block(STATE + 0x40 * (entry + 1), &words)
            .expect("mapped");
    }
    let mut port = rig.port();
    for entry in (0..12).chain(0..12).chain([3, 3, 11, 0]) {
        let offsets = SLOT.map(|i| 4 * i);
        let mut found = [0; 8];
        let read = message(sfid::DATA_CACHE_1, READ | entry, 0xff, &offsets);
        port.message(&read, &mut found).expect("read");
        let first = 1000 + 4 * entry;
        let expected = [first, first + 1, first + 2, first + 3, 0, 0, 0, 0];
        assert_eq!(found, expected, "entry {entry}");
    }
    // The low bits of an entry do not count.
    AddressSpaceView::new(&rig.space)
        .write(STATE, 0x80 | 0x3f)
        .expect("mapped");
    let found = rig.send(sfid::DATA_CACHE_1, READ, 1, &[0; 8]);
    assert_eq!(found[0], 1004);
}

#[test]
fn null_surface_reads_zero_and_drops_writes() {
    let mut rig = Rig::new();
    let mut words = Rig::buffer(DATA, 256);
    rss::SURFACE_TYPE.set(&mut words, 7);
    AddressSpaceView::new(&rig.space)
        .write_block(STATE + 0x40, &words)
        .expect("mapped");
    assert_eq!(rig.send(sfid::DATA_CACHE_1, READ, 1, &[0; 8])[0], 0);
    rig.send(sfid::DATA_CACHE_1, WRITE, 1, &[[0; 8], [5; 8]].concat());
    assert_eq!(rig.dword(0), 1000);
    // An image is no buffer.
    rss::SURFACE_TYPE.set(&mut words, 1);
    AddressSpaceView::new(&rig.space)
        .write_block(STATE + 0x40, &words)
        .expect("mapped");
    assert!(is_gap(&rig.ask(&message(
        sfid::DATA_CACHE_1,
        READ,
        1,
        &[0; 8]
    ))));
}

#[test]
fn stateless_messages_are_relative_to_the_general_state_base() {
    // Block and scattered messages add the buffer base of their header, others do not.
    for table in [bti::STATELESS, bti::STATELESS_NON_COHERENT] {
        let mut rig = Rig::new();
        let place = [header(5, 32), vec![12; 8]].concat();
        let mut read =
            |sfid, desc: u32, payload: &[u32]| rig.send(sfid, desc | table, 1, payload)[0];
        assert_eq!(read(sfid::DATA_CACHE_1, READ, &[12; 8]), 1003);
        assert_eq!(read(sfid::DATA_CACHE_1, READ | HEADER, &place), 1003);
        assert_eq!(read(sfid::DATA_CACHE_0, 4 << 14 | 2 << 10, &[12; 8]), 1003);
        assert_eq!(
            read(sfid::DATA_CACHE_0, HEADER | 4 << 14 | 2 << 10, &place),
            1011
        );
        assert_eq!(read(sfid::DATA_CACHE_0, HEADER | 3 << 14, &place), 1020);
        let mut block = header(5, 32);
        block[2] = 1;
        assert_eq!(read(sfid::DATA_CACHE_0, HEADER, &block), 1012);
        let dual = [header(5, 32), vec![1; 8]].concat();
        assert_eq!(read(sfid::DATA_CACHE_0, HEADER | 2 << 14, &dual), 1012);
        // Increments, with a response.
        let atomic = 0x02 << 14 | 1 << 13 | 1 << 12 | 5 << 8;
        assert_eq!(read(sfid::DATA_CACHE_1, atomic | HEADER, &place), 1003);
        assert_eq!(read(sfid::DATA_CACHE_1, atomic, &[12; 8]), 1004);
        // Beyond every surface the memory goes on; low bits of a dword's place do not count.
        assert_eq!(read(sfid::DATA_CACHE_1, READ, &[4 * 70 + 3; 8]), 1070);
        rig.send(
            sfid::DATA_CACHE_1,
            WRITE | table,
            1,
            &[[4 * 70 + 2; 8], [5; 8]].concat(),
        );
        assert_eq!([rig.dword(70), rig.dword(71)], [5, 1071]);
        let written = [place.clone(), vec![6; 8]].concat();
        rig.send(sfid::DATA_CACHE_1, WRITE | HEADER | table, 1, &written);
        assert_eq!([rig.dword(3), rig.dword(11)], [6, 1011]);
        let mut written = [header(5, 32), vec![9; 4]].concat();
        written[2] = 1;
        rig.send(sfid::DATA_CACHE_0, HEADER | 8 << 14 | table, 0xff, &written);
        assert_eq!(
            [4, 11, 12, 15, 16].map(|i| rig.dword(i)),
            [1004, 1011, 9, 9, 1016]
        );
        let stop = rig.ask(&message(sfid::DATA_CACHE_1, READ | table, 1, &[0x1000; 8]));
        let at = DATA + 0x1000;
        assert!(matches!(stop, Err(StopReason::Fault { at: found, .. }) if found == at));
    }
}

#[test]
fn bindless_surfaces_are_found_by_handle() {
    for limits in [None, Some(LIMITS)] {
        let mut rig = Rig::new();
        rig.limits = limits;
        let view = AddressSpaceView::new(&rig.space);
        for index in [0, 5, 20, 21] {
            let words = Rig::buffer(DATA + 16 * index, 16);
            view.write_block(STATE + 0x800 + 64 * index, &words)
                .expect("mapped");
        }
        for index in [0, 5, 20, 21] {
            let message = Message {
                ex_desc: index << 12 | 0x3c0,
                ..message(sfid::DATA_CACHE_1, READ | bti::BINDLESS, 1, &[4; 8])
            };
            let found = rig.ask(&message);
            if limits.is_some() && index == 21 {
                assert!(is_refused(&found, "bindless-bounds"), "{found:?}");
            } else {
                assert_eq!(found.expect("read").1[0], 1001 + 4 * index);
            }
        }
    }
}

#[test]
fn typed_messages_need_a_surface() {
    for table in [bti::SLM, bti::STATELESS, bti::STATELESS_NON_COHERENT] {
        let desc = 0x05 << 14 | 1 << 12 | table;
        let found = Rig::new().ask(&message(sfid::DATA_CACHE_1, desc, 1, &[0; 8]));
        assert!(is_gap(&found), "{table}: {found:?}");
    }
}

#[test]
fn sampler_states_are_in_the_dynamic_state_heap() {
    // The heap is one page.
    for limits in [None, Some(LIMITS)] {
        let mut rig = Rig::new();
        rig.limits = limits;
        let mut port = rig.port();
        let (bindings, sampler) = (&port.bindings, &mut port.sampler);
        assert!(sampler.sampler_state(bindings, 4096 - 16).is_ok());
        let beyond = sampler.sampler_state(bindings, 4096 - 12);
        match limits {
            Some(_) => assert!(is_refused(&beyond, "sampler-bounds"), "{beyond:?}"),
            None => assert!(
                matches!(beyond, Err(StopReason::Fault { .. })),
                "{beyond:?}"
            ),
        }
    }
    // More of them than a port remembers, each with a level of its own.
    let rig = Rig::new();
    let view = AddressSpaceView::new(&rig.space);
    for index in 0..12 {
        let mut words = [0; 4];
        ss::MIN_LOD.set(&mut words, index << 8);
        view.write_block(STATE + 0x800 + 16 * index, &words)
            .expect("mapped");
    }
    let mut port = rig.port();
    for index in (0..12).chain(0..12).chain([2, 2, 11]) {
        let (bindings, sampler) = (&port.bindings, &mut port.sampler);
        let found = sampler.sampler_state(bindings, 0x800 + 16 * index);
        let found = found.map(|s| s.min_lod);
        assert_eq!(found, Ok(index as f32));
    }
}

#[test]
fn memory_fence_writes_its_response() {
    let (reply, found) = Rig::new()
        .ask(&message(sfid::DATA_CACHE_0, 7 << 14, 0xff, &[0; 8]))
        .expect("done");
    assert_eq!((reply, found), (MessageReply::Done, vec![0; 64]));
}

#[test]
fn barrier_message_uses_the_thread_barrier_id() {
    let space = Rig::new().space;
    let wide = WideLock::default();
    for (limits, allowed) in [
        (None, true),
        (Some(LIMITS), false),
        (
            Some(AccessLimits {
                barrier: true,
                ..LIMITS
            }),
            true,
        ),
    ] {
        let mut port = WorkerPort::new(
            AddressSpaceView::new(&space),
            MessageBases::default(),
            &wide,
            0,
        );
        port.limit(limits);
        for arrived in 1..3 {
            let found = port.message(&message(sfid::GATEWAY, 4, 1, &[0; 8]), &mut []);
            match allowed {
                true => assert_eq!(
                    (found, port.arrived),
                    (Ok(MessageReply::BarrierArrived), arrived)
                ),
                false => assert!(is_refused(&found, "barrier-enable"), "{found:?}"),
            }
        }
        for (desc, known) in [
            (0, true),
            (1, true),
            (2, false),
            (3, false),
            (5, true),
            (6, false),
            (7, false),
        ] {
            let arrived = port.arrived;
            let found = port.message(&message(sfid::GATEWAY, desc, 1, &[0; 8]), &mut []);
            match known {
                true => assert_eq!((found, port.arrived), (Ok(MessageReply::Done), arrived)),
                false => assert!(is_gap(&found), "{desc}: {found:?}"),
            }
        }
    }
}

#[test]
fn unsupported_messages_are_reported_and_all_are_counted() {
    let rig = Rig::new();
    let mut port = rig.port();
    let mut ask = |sfid, opcode: u32| {
        let message = message(sfid, opcode << 14, 1, &[0; 8]);
        port.message(&message, &mut [0; 8])
    };
    for opcode in [5, 6, 9, 13, 14, 15] {
        assert!(is_gap(&ask(sfid::DATA_CACHE_0, opcode)), "{opcode:#x}");
    }
    for opcode in [
        0x00, 0x03, 0x04, 0x07, 0x08, 0x0a, 0x0b, 0x0c, 0x0e, 0x0f, 0x13, 0x16, 0x17, 0x18, 0x1c,
        0x1e, 0x1f,
    ] {
        assert!(is_gap(&ask(sfid::DATA_CACHE_1, opcode)), "{opcode:#x}");
    }
    for other in [1, 4, 5, 6, 8, 11, 13, 14, 15] {
        assert!(is_gap(&ask(other, 0)), "{other}");
    }
    for other in [sfid::NULL, sfid::THREAD_SPAWNER] {
        assert_eq!(ask(other, 0), Ok(MessageReply::Done));
    }
    // Sampler, constants, data, URB, render, others.
    assert_eq!(port.messages.by_kind(), [0, 0, 23, 1, 1, 9]);
    assert_eq!(port.messages.total(), 34);
    assert_eq!(port.slm.len(), 64);
}

#[test]
fn responses_may_be_shorter_than_the_message() {
    let rig = Rig::new();
    let mut port = rig.port();
    let offsets = SLOT.map(|i| 4 * i);
    let addresses = crate::dataport::rig::addresses(SLOT);
    for (desc, payload) in [
        (READ, offsets.as_slice()),
        (0x11 << 14 | 2 << 12 | 0xe << 8, &addresses),
    ] {
        let mut found = [0; 8];
        let read = message(sfid::DATA_CACHE_1, desc, 0xff, payload);
        port.message(&read, &mut found).expect("read");
        assert_eq!(found, SLOT.map(|i| 1000 + i), "{desc:#x}");
    }
}
