//! Tests of constants: which buffers are named, and what is copied where one of them ends too early.

use super::*;
use crate::Gen9;
use crate::stream::testing::Chunks;
use hw::draw_state::state_constant_body as body;

const MACHINE: Machine = Machine {
    max_threads: 1,
    dynamic_base: 0x1_0000_0000,
    bindless_base: 0,
    scrap_address: 0x40,
};

fn range(set: u32, first: u32, registers: u32, end_bytes: u32) -> PushedRange {
    PushedRange {
        buffer: PushedBuffer::InSet {
            set,
            offset_bytes: 64,
        },
        first,
        registers,
        end_bytes,
    }
}

/// The commands that say constants of a stage, where the surface of set `n` lies at `n * 0x1000` and 64 bytes, and names so many bytes
/// from (n << 32) on.
fn said(push: &abi::PushData, bytes: [u32; 3]) -> Vec<Vec<u32>> {
    let mut memory = Chunks::default();
    let mut words = [0; BOUND_DW];
    for (set, bytes) in (0..).zip(bytes) {
        let mut surface = [0; 16];
        surface[abi::SURFACE_BYTES_DWORD] = bytes;
        surface[abi::SURFACE_ADDRESS_DWORD] = 0x40;
        surface[abi::SURFACE_ADDRESS_DWORD + 1] = set;
        memory.surfaces.insert(set * 0x1000 + 64, surface);
        let at = VALUES_AT + place(DriverValue::SetHandle { set }).unwrap();
        words[at] = (set * 0x1000) << 6;
    }
    let pushed = Pushed::new(push).unwrap();
    let mut stream = Stream::new(memory);
    constants::<Gen9, _>(
        &mut stream,
        &MACHINE,
        ConstantStage::Vertex,
        Some(&pushed),
        &Bound {
            words: &words,
            changed: Words::MAX,
        },
        &mut Default::default(),
        &mut Short(0),
    )
    .unwrap();
    let used = stream.commands_dw();
    let memory = stream.into_memory();
    let commands = hw::batch::commands(&memory.chunks[0][..used], hw::Gen::Gen9);
    commands.map(|command| command.words.to_vec()).collect()
}

/// Registers and addresses of the four buffers.
fn buffers(words: &[u32]) -> [(u64, u64); 4] {
    let words = &words[1..];
    [
        (body::READ_LENGTH, body::BUFFER),
        (body::READ_LENGTH_1, body::BUFFER_1),
        (body::READ_LENGTH_2, body::BUFFER_2),
        (body::READ_LENGTH_3, body::BUFFER_3),
    ]
    .map(|(length, address)| (length.get(words), address.get(words)))
}

#[test]
fn the_last_buffers_are_named() {
    let mut push = abi::PushData {
        ranges: vec![range(0, 2, 3, 150), range(2, 0, 1, 20)],
        ..Default::default()
    };
    let [all] = &said(&push, [150, 0, 32])[..] else {
        panic!("more than the buffers");
    };
    let own = [(0, 0), (0, 0), (3, 0x80), (1, 0x2_0000_0040)];
    assert_eq!(buffers(all), own);
    // With a block and a third one the first is used: an offset.
    push.driver.push(DriverValue::SetHandle { set: 1 });
    push.ranges.insert(1, range(1, 1, 2, 96));
    let all = &said(&push, [150, 100, 32])[0];
    let [block, others @ ..] = buffers(all);
    let own = [(3, 0x80), (2, 0x1_0000_0060), (1, 0x2_0000_0040)];
    assert_eq!(others, own);
    assert_eq!(block.0, 1);
    assert!(block.1 < 0x1_0000, "{:#x} is no offset", block.1);
}

#[test]
fn what_ends_too_early_is_copied() {
    let push = abi::PushData {
        ranges: vec![range(1, 1, 2, 70)],
        ..Default::default()
    };
    // Two dwords and a part of one are left.
    let all = said(&push, [0, 41, 0]);
    let copies: Vec<_> = all
        .iter()
        .take_while(|words| words[0] == mi::copy_memory(0, 0)[0])
        .map(|words| (words[3], words[4]))
        .collect();
    assert_eq!(copies, [(0x60, 1), (0x64, 1), (0x68, 1)]);
    let named = buffers(all.last().unwrap())[3];
    assert_eq!(named.0, 2);
    let to = u64::from(all[0][1]) | u64::from(all[0][2]) << 32;
    assert_eq!(named.1, to);
    // Of no buffer nothing is.
    let [none] = &said(&push, [0, 0, 0])[..] else {
        panic!("something is copied");
    };
    assert_eq!(buffers(none)[3].0, 2);
}

#[test]
fn a_first_buffer_behind_constants_without_a_last_one_waits() {
    let named = |first, last| {
        [first, 0, 0, last].map(|registers| ConstantBuffer {
            address: 0,
            registers,
        })
    };
    let mut short = Short::default();
    let mut names = |stage, first, last| short.names(stage, &named(first, last));
    // What was named before is not known.
    assert!(names(ConstantStage::Vertex, 1, 1));
    assert!(!names(ConstantStage::Vertex, 1, 1));
    // It was waited for what all stages had.
    assert!(!names(ConstantStage::Fragment, 1, 1));
    assert!(!names(ConstantStage::Vertex, 0, 1));
    assert!(!names(ConstantStage::Vertex, 1, 1));
    assert!(!names(ConstantStage::Vertex, 0, 0));
    assert!(!names(ConstantStage::Fragment, 1, 1));
    assert!(names(ConstantStage::Vertex, 1, 1));
}

#[test]
fn too_much_is_refused() {
    let most = |ranges: Vec<PushedRange>| {
        Pushed::new(&abi::PushData {
            constants_dw: 8,
            ranges,
            ..Default::default()
        })
    };
    assert!(most(vec![range(0, 0, 63, 2016)]).is_some());
    assert!(most(vec![range(0, 0, 64, 2048)]).is_none());
    assert!(most(vec![range(0, 0, 1, 32); 4]).is_none());
    assert!(most(vec![range(32, 0, 1, 32)]).is_none());
}

#[test]
fn samplers_begin_where_their_set_does() {
    let push = abi::PushData {
        samplers: Some(abi::Samplers {
            set: 2,
            offset_bytes: 0xffff_ff00,
        }),
        ..Default::default()
    };
    let all = said(&push, [0; 3]);
    let header = hw::draw::state_sampler_state_pointers_vs::PACKET.header;
    assert_eq!(all[0], [header, 0x1f00]);
    let pushed = Pushed::new(&push).unwrap();
    let set = place(DriverValue::SetHandle { set: 2 }).unwrap();
    assert_eq!(pushed.reads, bits(VALUES_AT + set, 1));
}

#[test]
fn sets_behind_the_first_are_pushed_and_seen_to_change() {
    let push = abi::PushData {
        driver: vec![
            DriverValue::SetHandle { set: 7 },
            DriverValue::SetHandle { set: 31 },
            DriverValue::SetPlace { set: 8 },
        ],
        ..Default::default()
    };
    let pushed = Pushed::new(&push).unwrap();
    let mut words = [0; BOUND_DW];
    let mut seen = 0;
    for (set, handle) in [(7, 0x700), (8, 0x800), (31, 0x3100)] {
        let at = VALUES_AT + place(DriverValue::SetHandle { set }).unwrap();
        words[at] = handle;
        assert_ne!(bits(at, 1) & pushed.reads, 0, "{set}");
        seen |= bits(at, 1);
    }
    assert_eq!(pushed.reads, seen);
    let mut to = [7; 8];
    pushed.write(&words, &mut to);
    assert_eq!(to[..3], [0x700, 0x3100, 0x800 >> 6]);
    // What nobody reads is told apart.
    for set in [6, 30] {
        let other = VALUES_AT + place(DriverValue::SetHandle { set }).unwrap();
        assert_eq!(bits(other, 1) & pushed.reads, 0, "{set}");
    }
}
