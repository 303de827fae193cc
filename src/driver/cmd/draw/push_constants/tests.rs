//! Tests of push constants: constant buffers, and copies of ranges that their buffer does not
//! cover.

use super::*;
use crate::Gen9;
use crate::stream::testing::HostChunks;
use hw::draw_state::state_constant_body as body;

const MACHINE: DeviceInfo = DeviceInfo {
    device: &hw::DEVICES[0],
    max_threads: 1,
    dynamic_base: 0x1_0000_0000,
    bindless_base: 0,
    scrap_address: 0x40,
    has_barrier_mode: false,
    full_state: false,
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

/// The commands that push constants. The surface of set `n` lies at `n * 0x1000 + 64` and covers
/// `bytes[n]` bytes from `n << 32` on.
fn emitted(push: &abi::PushData, bytes: [u32; 3]) -> Vec<Vec<u32>> {
    let mut memory = HostChunks::default();
    let mut words = [0; BOUND_DW];
    for (set, bytes) in (0..).zip(bytes) {
        let mut surface = [0; 16];
        surface[abi::SURFACE_BYTES_DWORD] = bytes;
        surface[abi::SURFACE_ADDRESS_DWORD] = 0x40;
        surface[abi::SURFACE_ADDRESS_DWORD + 1] = set;
        memory.surfaces.insert(set * 0x1000 + 64, surface);
        let at = VALUES_AT + value_index(DriverValue::SetHandle { set }).unwrap();
        words[at] = (set * 0x1000) << 6;
    }
    let pushed = PushLayout::new(push).unwrap();
    let mut stream = Stream::new(memory);
    emit_stage_constants::<Gen9, _>(
        &mut stream,
        &MACHINE,
        ConstantStage::Vertex,
        Some(&pushed),
        &BoundWords {
            words: &words,
            changed: WordMask::MAX,
        },
        &mut Default::default(),
        &mut EmptyLastBuffers(0),
    )
    .unwrap();
    let used = stream.commands_dw();
    let memory = stream.into_memory();
    let commands = hw::batch::commands(&memory.chunks[0][..used], hw::Gen::Gen9);
    commands.map(|command| command.words.to_vec()).collect()
}

/// Register counts and addresses of the four constant buffers.
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
fn ranges_take_the_last_constant_buffers() {
    let mut push = abi::PushData {
        ranges: vec![range(0, 2, 3, 150), range(2, 0, 1, 20)],
        ..Default::default()
    };
    let [all] = &emitted(&push, [150, 0, 32])[..] else {
        panic!("more than the constant buffers");
    };
    let expected = [(0, 0), (0, 0), (3, 0x80), (1, 0x2_0000_0040)];
    assert_eq!(buffers(all), expected);
    // A block and a third range fill all four; the first is an offset.
    push.driver.push(DriverValue::SetHandle { set: 1 });
    push.ranges.insert(1, range(1, 1, 2, 96));
    let all = &emitted(&push, [150, 100, 32])[0];
    let [block, others @ ..] = buffers(all);
    let expected = [(3, 0x80), (2, 0x1_0000_0060), (1, 0x2_0000_0040)];
    assert_eq!(others, expected);
    assert_eq!(block.0, 1);
    assert!(block.1 < 0x1_0000, "{:#x} is not an offset", block.1);
}

#[test]
fn ranges_beyond_the_end_of_a_buffer_are_copied() {
    let push = abi::PushData {
        ranges: vec![range(1, 1, 2, 70)],
        ..Default::default()
    };
    // Two dwords and a part of a third one remain.
    let all = emitted(&push, [0, 41, 0]);
    let copies: Vec<_> = all
        .iter()
        .take_while(|words| words[0] == mi::copy_memory(0, 0)[0])
        .map(|words| (words[3], words[4]))
        .collect();
    assert_eq!(copies, [(0x60, 1), (0x64, 1), (0x68, 1)]);
    let emitted_buffer = buffers(all.last().unwrap())[3];
    assert_eq!(emitted_buffer.0, 2);
    let to = u64::from(all[0][1]) | u64::from(all[0][2]) << 32;
    assert_eq!(emitted_buffer.1, to);
    // An empty buffer needs no copy.
    let [only] = &emitted(&push, [0, 0, 0])[..] else {
        panic!("unexpected copy");
    };
    assert_eq!(buffers(only)[3].0, 2);
}

#[test]
fn using_the_first_buffer_after_an_empty_last_one_stalls() {
    let emitted_buffer = |first, last| {
        [first, 0, 0, last].map(|registers| ConstantBuffer {
            address: 0,
            registers,
        })
    };
    let mut empty_last = EmptyLastBuffers::default();
    let mut update = |stage, first, last| empty_last.update(stage, &emitted_buffer(first, last));
    // Earlier batches are unknown.
    assert!(update(ConstantStage::Vertex, 1, 1));
    assert!(!update(ConstantStage::Vertex, 1, 1));
    // The stall covered all stages.
    assert!(!update(ConstantStage::Fragment, 1, 1));
    assert!(!update(ConstantStage::Vertex, 0, 1));
    assert!(!update(ConstantStage::Vertex, 1, 1));
    assert!(!update(ConstantStage::Vertex, 0, 0));
    assert!(!update(ConstantStage::Fragment, 1, 1));
    assert!(update(ConstantStage::Vertex, 1, 1));
}

#[test]
fn push_layouts_over_the_hardware_limits_are_refused() {
    let layout = |ranges: Vec<PushedRange>| {
        PushLayout::new(&abi::PushData {
            constants_dw: 8,
            ranges,
            ..Default::default()
        })
    };
    assert!(layout(vec![range(0, 0, 63, 2016)]).is_some());
    assert!(layout(vec![range(0, 0, 64, 2048)]).is_none());
    assert!(layout(vec![range(0, 0, 1, 32); 4]).is_none());
    assert!(layout(vec![range(32, 0, 1, 32)]).is_none());
}

#[test]
fn sampler_pointers_are_relative_to_the_set() {
    let push = abi::PushData {
        samplers: Some(abi::SamplerTable {
            set: 2,
            offset_bytes: 0xffff_ff00,
        }),
        ..Default::default()
    };
    let all = emitted(&push, [0; 3]);
    let header = hw::draw::state_sampler_state_pointers_vs::PACKET.header;
    assert_eq!(all[0], [header, 0x1f00]);
    let pushed = PushLayout::new(&push).unwrap();
    let set = value_index(DriverValue::SetHandle { set: 2 }).unwrap();
    assert_eq!(pushed.reads, word_mask(VALUES_AT + set, 1));
}

#[test]
fn handles_of_sets_beyond_the_eighth_are_pushed_and_tracked() {
    let push = abi::PushData {
        driver: vec![
            DriverValue::SetHandle { set: 7 },
            DriverValue::SetHandle { set: 31 },
            DriverValue::SetPlace { set: 8 },
        ],
        ..Default::default()
    };
    let pushed = PushLayout::new(&push).unwrap();
    let mut words = [0; BOUND_DW];
    let mut seen = 0;
    for (set, handle) in [(7, 0x700), (8, 0x800), (31, 0x3100)] {
        let at = VALUES_AT + value_index(DriverValue::SetHandle { set }).unwrap();
        words[at] = handle;
        assert_ne!(word_mask(at, 1) & pushed.reads, 0, "{set}");
        seen |= word_mask(at, 1);
    }
    assert_eq!(pushed.reads, seen);
    let mut to = [7; 8];
    pushed.write(&words, &mut to);
    assert_eq!(to[..3], [0x700, 0x3100, 0x800 >> 6]);
    // Sets that the shader does not use are not tracked.
    for set in [6, 30] {
        let other = VALUES_AT + value_index(DriverValue::SetHandle { set }).unwrap();
        assert_eq!(word_mask(other, 1) & pushed.reads, 0, "{set}");
    }
}
