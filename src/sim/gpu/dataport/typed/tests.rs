//! Typed messages through a port with one surface.

use super::*;
use crate::dataport::{MessageBases, WideLock, sfid};
use crate::memory::AddressSpaceView;
use crate::space::AddressSpace;
use crate::testing::memory;
use eu::SharedFunctions;
use hw::state::render_surface_state as rss;

const STATE: u64 = 0x10_0000;
const DATA: u64 = 0x20_0000;
const R32_UINT: u64 = 0x0d7;
const B8G8R8A8_UNORM: u64 = 0x0c0;
const READ: u32 = 0x05;
const ATOMIC: u32 = 0x06;
const WRITE: u32 = 0x0d;
/// Slot group low, no channel masked.
const LOW: u32 = 1 << 12;

/// A space with binding table entry 0 on a 16 × 8 surface in Y tiles of two array elements.
fn space(set: &[(hw::Field, u64)]) -> AddressSpace {
    let mut space = AddressSpace::new();
    space.map(STATE, 0x1000, memory(0x1000), 0).expect("free");
    space.map(DATA, 0x4000, memory(0x4000), 0).expect("free");
    let mut words = [0; 16];
    let base = [
        (rss::SURFACE_TYPE, 1),
        (rss::SURFACE_FORMAT, R32_UINT),
        (rss::SURFACE_ARRAY, 1),
        (rss::TILE_MODE, 3),
        (rss::WIDTH, 15),
        (rss::HEIGHT, 7),
        (rss::DEPTH, 1),
        (rss::SURFACE_QPITCH, 8 / 4),
        (rss::SURFACE_PITCH, 127),
        (rss::SURFACE_BASE_ADDRESS, DATA),
    ];
    for (field, value) in base.iter().chain(set) {
        field.set(&mut words, *value);
    }
    let view = AddressSpaceView::new(&space);
    view.write(STATE, 0x40).expect("mapped");
    view.write_block(STATE + 0x40, &words).expect("mapped");
    space
}

/// Sends a message whose parts are registers of one value for each slot.
fn send(
    space: &AddressSpace,
    opcode: u32,
    control: u32,
    lanes: u32,
    parts: [&[[u32; 8]]; 2],
) -> Result<Vec<u32>, StopReason> {
    send_to(
        sfid::DATA_CACHE_1,
        space,
        opcode << 14 | control,
        lanes,
        parts,
    )
}

fn send_to(
    sfid: u8,
    space: &AddressSpace,
    desc: u32,
    lanes: u32,
    [first, second]: [&[[u32; 8]]; 2],
) -> Result<Vec<u32>, StopReason> {
    let bases = MessageBases {
        binding_table: STATE,
        surface: STATE,
        ..MessageBases::default()
    };
    let wide = WideLock::default();
    let mut port = WorkerPort::new(AddressSpaceView::new(space), bases, &wide, 0);
    let message = Message {
        desc,
        ex_desc: 0,
        sfid,
        exec_size: 8,
        lanes,
        src0: first.as_flattened(),
        src1: second.as_flattened(),
        eot: false,
        waits: false,
        ip: 0,
    };
    let mut response = vec![0xdead; 32];
    port.message(&message, &mut response)?;
    Ok(response)
}

const SLOT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn texels_are_written_and_read_by_coordinates() {
    let space = space(&[]);
    // Only the first channel: the other three are masked.
    let control = LOW | 0xe << 8;
    let values = SLOT.map(|i| i + 100);
    let address = [SLOT, [2; 8], [1; 8]];
    let lanes = 0b1010_1010;
    send(&space, WRITE, control, lanes, [&address, &[values]]).expect("written");
    let view = AddressSpaceView::new(&space);
    // Element 1 begins 8 rows down; row 10; x = 5 is byte 20: the second column of 16 bytes.
    assert_eq!(view.read(DATA + 512 + 10 * 16 + 4).expect("mapped"), 105);
    assert_eq!(view.read(DATA + 512 + 10 * 16).expect("mapped"), 0);
    let response = send(&space, READ, control, 0xff, [&address, &[]]).expect("read");
    assert_eq!(response[..8], [0, 101, 0, 103, 0, 105, 0, 107]);
    assert_eq!(response[8], 0xdead);
}

#[test]
fn formats_are_converted() {
    let space = space(&[(rss::SURFACE_FORMAT, B8G8R8A8_UNORM)]);
    let colour = [1.0f32, 0.0, 0.2, 1.0].map(|v| [v.to_bits(); 8]);
    let address = [SLOT, [0; 8]];
    send(&space, WRITE, LOW, 0xff, [&address, &colour]).expect("written");
    let view = AddressSpaceView::new(&space);
    assert_eq!(view.read(DATA + 4).expect("mapped"), 0xffff_0033);
    // R8G8B8A8_UNORM with red and blue exchanged by the selects.
    let exchanged = [
        (rss::SURFACE_FORMAT, 0x0c7),
        (rss::SHADER_CHANNEL_SELECT_RED, 6),
        (rss::SHADER_CHANNEL_SELECT_GREEN, 5),
        (rss::SHADER_CHANNEL_SELECT_BLUE, 4),
        (rss::SHADER_CHANNEL_SELECT_ALPHA, 7),
    ];
    let space = self::space(&exchanged);
    send(&space, WRITE, LOW, 0xff, [&address, &colour]).expect("written");
    let view = AddressSpaceView::new(&space);
    assert_eq!(view.read(DATA + 4).expect("mapped"), 0xffff_0033);
    // R8G8B8A8_UINT, which reads support.
    let space = self::space(&[(rss::SURFACE_FORMAT, 0x0cb)]);
    let integers = [1u32, 2, 3, 0xff].map(|v| [v; 8]);
    send(&space, WRITE, LOW, 0xff, [&address, &integers]).expect("written");
    let response = send(&space, READ, LOW, 0xff, [&address, &[]]).expect("read");
    assert_eq!(response, integers.as_flattened());
}

#[test]
fn reads_of_unsupported_formats_give_the_bits_of_texels() {
    // R16G16B16A16_UNORM, B8G8R8A8_UNORM, R10G10B10A2_UNORM, R16_UNORM, R8_SNORM: writes convert,
    // reads give 64, 32, 32, 16 and 8 bits, and a read out of bounds zeros.
    let [zero, one, half] = [0.0f32, 1.0, 0.5].map(|v| [v.to_bits(); 8]);
    for (format, bits) in [
        (0x080, [0x8000_ffff, 0xffff_0000]),
        (B8G8R8A8_UNORM, [0xffff_8000, 0]),
        (0x0c2, [0xc008_03ff, 0]),
        (0x10a, [0xffff, 0]),
        (0x141, [0x7f, 0]),
    ] {
        let space = self::space(&[(rss::SURFACE_FORMAT, format)]);
        let address = [[3; 8], [1; 8]];
        let colour = [one, half, zero, one];
        send(&space, WRITE, LOW, 1, [&address, &colour]).expect("written");
        let found = send(&space, READ, LOW, 1, [&address, &[]]).expect("read");
        let found = [found[0], found[8], found[16], found[24]];
        assert_eq!(found, [bits[0], bits[1], 0, 1], "{format:#x}");
        let outside = [[16; 8], [1; 8]];
        let found = send(&space, READ, LOW, 1, [&outside, &[]]).expect("read");
        assert_eq!([found[0], found[8], found[16], found[24]], [0, 0, 0, 1]);
    }
}

#[test]
fn out_of_bounds_writes_are_dropped_and_reads_return_zero() {
    let space = space(&[]);
    let control = LOW | 0xe << 8;
    let out = [
        [16, 0, 0, 15, u32::MAX, 0, 0, 0],
        [0, 8, 0, 7, 0, u32::MAX, 0, 0],
        [0, 0, 2, 1, 0, 0, u32::MAX, 0],
    ];
    send(&space, WRITE, control, 0xff, [&out, &[[7; 8]]]).expect("written");
    let response = send(&space, READ, control, 0xff, [&out, &[]]).expect("read");
    assert_eq!(response[..8], [0, 0, 0, 7, 0, 0, 0, 7]);
    // The format lacks three channels: alpha's default is 1, inside and outside; what is no surface
    // has none.
    let all = send(&space, READ, LOW, 0xff, [&out, &[]]).expect("read");
    assert_eq!(all[..8], response[..8]);
    assert_eq!(all[8..], [[0; 8], [0; 8], [1; 8]].concat());
    let null = self::space(&[(rss::SURFACE_TYPE, 7)]);
    let none = send(&null, READ, LOW, 0xff, [&out, &[]]).expect("read");
    assert_eq!(none, [0; 32]);
    let mut words = [0; 0x400];
    AddressSpaceView::new(&space)
        .read_block(DATA, &mut words)
        .expect("mapped");
    assert_eq!(words.iter().filter(|w| **w != 0).count(), 2);
}

#[test]
fn header_sample_mask_applies_to_the_slot_group() {
    let space = space(&[]);
    let mut header = [0; 8];
    header[7] = 0x0400;
    let control = 1 << 19 | 2 << 12 | 0xe << 8;
    let message = [header, SLOT, [9; 8]];
    // The message has one coordinate: 9s are data.
    send(&space, WRITE, control, 0xff, [&message, &[]]).expect("written");
    let mut words = [0; 8];
    AddressSpaceView::new(&space)
        .read_block(DATA, &mut words)
        .expect("mapped");
    assert_eq!(words, [0, 0, 9, 0, 0, 0, 0, 0]);
}

#[test]
fn typed_messages_access_buffers() {
    // Ten entries of 16 bits at a pitch of 2 bytes.
    let space = space(&[
        (rss::SURFACE_TYPE, 4),
        (rss::SURFACE_FORMAT, 0x10d),
        (rss::WIDTH, 9),
        (rss::HEIGHT, 0),
        (rss::DEPTH, 0),
        (rss::SURFACE_PITCH, 1),
    ]);
    let at = [1, 9, 10, 3, 4, 5, 6, 7];
    let control = LOW | 0xe << 8;
    send(&space, WRITE, control, 0x7, [&[at], &[[0x1_2345; 8]]]).expect("written");
    let view = AddressSpaceView::new(&space);
    // Integers are clamped.
    assert_eq!(view.read(DATA).expect("mapped"), 0xffff_0000);
    assert_eq!(view.read(DATA + 16).expect("mapped"), 0xffff_0000);
    assert_eq!(view.read(DATA + 20).expect("mapped"), 0);
    // Other coordinates are not theirs.
    let message = [at, [5; 8], [6; 8]];
    let found = send(&space, READ, control, 0x7, [&message, &[]]).expect("read");
    assert_eq!(found[..3], [0xffff, 0xffff, 0]);
}

#[test]
fn typed_atomic_increment_and_compare() {
    let space = space(&[]);
    // Add with a response: every slot to the same texel, in order.
    let same = [[3; 8], [0; 8]];
    let add = 1 << 13 | 7 << 8;
    let response = send(&space, ATOMIC, add, 0xff, [&same, &[[2; 8]]]).expect("added");
    assert_eq!(response[..8], SLOT.map(|i| i * 2));
    // Compare and write has two operands.
    let swap = 1 << 13 | 14 << 8;
    let operands = [[16; 8], [5; 8]];
    let response = send(&space, ATOMIC, swap, 0b11, [&same, &operands]).expect("swapped");
    assert_eq!(response[..3], [16, 5, 0xdead]);
    assert_eq!(
        AddressSpaceView::new(&space)
            .read(DATA + 12)
            .expect("mapped"),
        5
    );
    // Increment has none, and one beyond the edge gives zero.
    let increment = 1 << 13 | 5 << 8;
    let edge = [[3, 16, 3, 3, 3, 3, 3, 3], [0; 8]];
    let response = send(&space, ATOMIC, increment, 0b11, [&edge, &[]]).expect("counted");
    assert_eq!(response[..2], [5, 0]);
}

#[test]
fn unsupported_typed_messages_are_reported() {
    let space = space(&[(rss::SURFACE_FORMAT, B8G8R8A8_UNORM)]);
    let address = [SLOT];
    for (opcode, control) in [(ATOMIC, 7 << 8), (READ, 0), (0x07, 0)] {
        let stop = send(&space, opcode, control, 0xff, [&address, &[]]);
        assert!(
            matches!(stop, Err(StopReason::Unimplemented { .. })),
            "{opcode}"
        );
    }
}

#[test]
fn dual_oword_block_layout() {
    let space = space(&[
        (rss::SURFACE_TYPE, 4),
        (rss::SURFACE_FORMAT, 0x1ff),
        (rss::WIDTH, 0x7f),
        (rss::HEIGHT, 0),
        (rss::DEPTH, 0),
        (rss::SURFACE_PITCH, 0),
    ]);
    // 128 bytes: OWords 0 to 7. The second block's lies at 8 when its offset is 8: beyond.
    let offsets = |a, b| [a, 0, 0, 0, b, 0, 0, 0];
    let send = |desc, lanes, parts| send_to(sfid::DATA_CACHE_0, &space, desc, lanes, parts);
    let (header, one) = ([0; 8], 1 << 19);
    let message = [header, offsets(2, 5), [1, 2, 3, 4, 5, 6, 7, 8]];
    send(10 << 14 | one, 0b1101_1111, [&message, &[]]).expect("written");
    let view = AddressSpaceView::new(&space);
    let read = |at| view.read(DATA + at).expect("mapped");
    assert_eq!(
        [read(32), read(44), read(80), read(88), read(92)],
        [1, 4, 5, 7, 8]
    );
    assert_eq!(read(84), 0);
    let message = [header, offsets(2, 8)];
    let response = send(2 << 14 | one, 0xff, [&message, &[]]).expect("read");
    assert_eq!(response[..9], [1, 2, 3, 4, 0, 0, 0, 0, 0xdead]);
    // Four OWords of each: the second block's first is the half after the first's.
    let message = [header, offsets(2, 4)];
    let four = 2 << 14 | one | 2 << 8;
    let response = send(four, 0xff, [&message, &[]]).expect("read");
    assert_eq!(response[..4], [1, 2, 3, 4]);
    assert_eq!(response[12..16], [5, 0, 7, 8]);
}

#[test]
fn views_of_3d_surfaces_end_at_their_extent() {
    let volume = [
        (rss::SURFACE_TYPE, 2),
        (rss::SURFACE_ARRAY, 0),
        (rss::DEPTH, 7),
        (rss::RENDER_TARGET_VIEW_EXTENT, 2),
    ];
    let space = space(&volume);
    let control = LOW | 0xe << 8;
    let address = [[0; 8], [0; 8], SLOT];
    send(&space, WRITE, control, 0xff, [&address, &[[7; 8]]]).expect("written");
    let response = send(&space, READ, control, 0xff, [&address, &[]]).expect("read");
    assert_eq!(response[..8], [7, 7, 7, 0, 0, 0, 0, 0]);
    let all = send(&space, READ, LOW, 0xff, [&address, &[]]).expect("read");
    assert_eq!(all[24..], [1; 8]);
    // QPitch is 8 rows: the fourth slice was not written.
    let view = AddressSpaceView::new(&space);
    let row = |y: u64| view.read(DATA + y * 16).expect("mapped");
    assert_eq!([0, 8, 16, 24].map(row), [7, 7, 7, 0]);
}

/// As [`send_to`], with sixteen channels and all in one part.
fn send_sixteen(space: &AddressSpace, desc: u32, lanes: u32, payload: &[[u32; 8]]) -> Vec<u32> {
    let bases = MessageBases {
        binding_table: STATE,
        surface: STATE,
        ..MessageBases::default()
    };
    let wide = WideLock::default();
    let mut port = WorkerPort::new(AddressSpaceView::new(space), bases, &wide, 0);
    let message = Message {
        desc,
        ex_desc: 0,
        sfid: sfid::DATA_CACHE_1,
        exec_size: 16,
        lanes,
        src0: payload.as_flattened(),
        src1: &[],
        eot: false,
        waits: false,
        ip: 0,
    };
    let mut response = vec![0xdead; 32];
    port.message(&message, &mut response).expect("carried out");
    response
}

#[test]
fn simd8_message_uses_its_half_of_the_exec_mask() {
    // Dword (x, 0) of the first row: four texels of each column of 16 bytes.
    let texel = |x: u64| DATA + x / 4 * 512 + x % 4 * 4;
    for (group, lanes) in [(1, 0x3005), (2, 0x0530)] {
        let on = |i: u32| lanes >> (if group == 1 { i } else { i + 8 }) & 1 == 1;
        // With a header whose mask leaves the channels out that it does not name.
        for mask in [None, Some(0x1001)] {
            let named = |i: u32| {
                mask.is_none_or(|m: u32| m >> (if group == 1 { i } else { i + 8 }) & 1 == 1)
            };
            let space = space(&[]);
            let header = mask.map(|m| [0, 0, 0, 0, 0, 0, 0, m]);
            let first = if mask.is_some() { 1 << 19 } else { 0 };
            let desc = group << 12 | 0xe << 8 | first;
            let payload = |rest: &[[u32; 8]]| -> Vec<[u32; 8]> {
                header.iter().chain(rest).copied().collect()
            };
            let values = SLOT.map(|i| 50 + i);
            let sent = payload(&[SLOT, [0; 8], values]);
            send_sixteen(&space, WRITE << 14 | desc, lanes, &sent);
            let view = AddressSpaceView::new(&space);
            for i in 0..8 {
                let expected = if on(i) && named(i) { 50 + i } else { 0 };
                assert_eq!(view.read(texel(i.into())), Ok(expected), "{group} {i}");
                view.write(texel(i.into()), 70 + i).expect("mapped");
            }
            let sent = payload(&[SLOT, [0; 8]]);
            let found = send_sixteen(&space, READ << 14 | desc, lanes, &sent);
            for i in 0..8 {
                let expected = if on(i) && named(i) { 70 + i } else { 0xdead };
                assert_eq!(found[i as usize], expected, "{group} {i}");
            }
            // Of atomics the group is another bit: add 100.
            let half = if group == 2 { 1 << 12 } else { 0 };
            let sent = payload(&[SLOT, [0; 8], [100; 8]]);
            let desc = ATOMIC << 14 | half | 1 << 13 | 7 << 8 | first;
            let found = send_sixteen(&space, desc, lanes, &sent);
            for i in 0..8 {
                let counted = on(i) && named(i);
                let expected = if counted {
                    [70 + i, 170 + i]
                } else {
                    [0xdead, 70 + i]
                };
                let memory = view.read(texel(i.into())).expect("mapped");
                assert_eq!([found[i as usize], memory], expected, "{group} {i}");
            }
        }
    }
}

#[test]
fn masked_channels_are_zero() {
    // R32G32B32A32_UINT: texel x is at byte 512 x.
    let space = space(&[(rss::SURFACE_FORMAT, 0x002), (rss::WIDTH, 7)]);
    let view = AddressSpaceView::new(&space);
    for mask in 0..15u32 {
        let sent: Vec<_> = (0..4).filter(|c| mask >> c & 1 == 0).collect();
        view.write_block(DATA + 512, &[9; 4]).expect("mapped");
        let data: Vec<[u32; 8]> = sent.iter().map(|c| [100 + c; 8]).collect();
        let address = [[1; 8], [0; 8]];
        let control = LOW | mask << 8;
        send(&space, WRITE, control, 1, [&address, &data]).expect("written");
        let mut found = [0; 4];
        view.read_block(DATA + 512, &mut found).expect("mapped");
        let expected = [0, 1, 2, 3].map(|c| if sent.contains(&c) { 100 + c } else { 0 });
        assert_eq!(found, expected, "{mask:#b}");
        // Read, those that are asked for come one after the other.
        view.write_block(DATA + 512, &[5, 6, 7, 8]).expect("mapped");
        let found = send(&space, READ, control, 1, [&address, &[]]).expect("read");
        let mut expected: Vec<_> = sent.iter().map(|c| 5 + c).collect();
        expected.resize(4, 0xdead);
        assert_eq!([0, 8, 16, 24].map(|i| found[i]), expected[..], "{mask:#b}");
    }
}

#[test]
fn fourth_coordinate_is_the_mip_level() {
    // Level 1 of 8 × 4 texels is 8 rows down: row 8 of the tile. Element 1 is 12 rows down.
    let levels = [(rss::MIP_COUNT_LOD, 1), (rss::SURFACE_QPITCH, 12 / 4)];
    let space = space(&levels);
    let view = AddressSpaceView::new(&space);
    let control = LOW | 0xe << 8;
    let at = |x: u64, y: u64| DATA + x / 4 * 512 + y * 16 + x % 4 * 4;
    let address = [[1; 8], [0; 8], [1; 8], SLOT];
    send(
        &space,
        WRITE,
        control,
        0xff,
        [&address, &[SLOT.map(|i| 30 + i)]],
    )
    .expect("written");
    assert_eq!(
        [view.read(at(1, 12)), view.read(at(1, 20))],
        [Ok(30), Ok(31)]
    );
    let mut words = [0; 0x1000];
    view.read_block(DATA, &mut words).expect("mapped");
    assert_eq!(words.iter().filter(|w| **w != 0).count(), 2);
    view.write_block(DATA, &[77; 0x1000]).expect("mapped");
    let found = send(&space, READ, control, 0xff, [&address, &[]]).expect("read");
    assert_eq!(found[..8], [77, 77, 0, 0, 0, 0, 0, 0]);
    let increment = 1 << 13 | 5 << 8;
    let found = send(&space, ATOMIC, increment, 0xff, [&address, &[]]).expect("counted");
    assert_eq!(found[..8], [77, 77, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        [view.read(at(1, 12)), view.read(at(1, 20))],
        [Ok(78), Ok(78)]
    );
    // The edge of the second level.
    let edge = [
        [7, 8, 0, 0, 0, 0, 0, 0],
        [3, 0, 4, 3, 0, 0, 0, 0],
        [0; 8],
        [1; 8],
    ];
    let found = send(&space, READ, control, 0xf, [&edge, &[]]).expect("read");
    assert_eq!(found[..4], [77, 0, 0, 77]);
}

#[test]
fn array_index_of_1d_surfaces_is_the_second_coordinate() {
    // Linear lines, 64 texels from one to the next.
    let space = space(&[
        (rss::SURFACE_TYPE, 0),
        (rss::TILE_MODE, 0),
        (rss::DEPTH, 2),
        (rss::SURFACE_QPITCH, 64 / 4),
    ]);
    let control = LOW | 0xe << 8;
    let address = [[0, 15, 16, 3, 3, 3, 3, 3], [0, 1, 1, 2, 3, 0, 0, 0]];
    send(
        &space,
        WRITE,
        control,
        0x1f,
        [&address, &[SLOT.map(|i| 20 + i)]],
    )
    .expect("written");
    let mut words = [0; 0x400];
    AddressSpaceView::new(&space)
        .read_block(DATA, &mut words)
        .expect("mapped");
    let written: Vec<_> = (0..0x400)
        .filter(|i| words[*i] != 0)
        .map(|i| (i, words[i]))
        .collect();
    assert_eq!(written, [(0, 20), (64 + 15, 21), (128 + 3, 23)]);
    let found = send(&space, READ, control, 0x1f, [&address, &[]]).expect("read");
    assert_eq!(found[..5], [20, 21, 0, 23, 0]);
}

#[test]
fn typed_atomics_follow_the_operation_table() {
    // What is there, operands, what is left; PREDEC is the one that returns it.
    let minus = |n: u32| n.wrapping_neg();
    for (format, op, old, operands, left) in [
        (R32_UINT, 1, 12, vec![10], 8),
        (R32_UINT, 2, 12, vec![10], 14),
        (R32_UINT, 3, 12, vec![10], 6),
        (R32_UINT, 4, 12, vec![10], 10),
        (R32_UINT, 5, 12, vec![], 13),
        (R32_UINT, 6, 12, vec![], 11),
        (R32_UINT, 7, 12, vec![10], 22),
        (R32_UINT, 8, 12, vec![10], 2),
        (R32_UINT, 9, 12, vec![10], minus(2)),
        // R32_SINT.
        (0x0d6, 10, minus(1), vec![10], 10),
        (0x0d6, 11, 12, vec![minus(1)], minus(1)),
        (R32_UINT, 12, 12, vec![minus(1)], minus(1)),
        (R32_UINT, 13, minus(1), vec![12], 12),
        (R32_UINT, 14, 12, vec![12, 5], 5),
        (R32_UINT, 14, 12, vec![13, 5], 12),
        (R32_UINT, 15, 12, vec![], 11),
        // R32_FLOAT: bits are exchanged, also those of a signalling NaN.
        (0x0d8, 4, 12, vec![0x7f80_0001], 0x7f80_0001),
    ] {
        let space = space(&[(rss::SURFACE_FORMAT, format)]);
        let view = AddressSpaceView::new(&space);
        let data: Vec<[u32; 8]> = operands.iter().map(|o| [*o; 8]).collect();
        let address = [[2; 8], [1; 8]];
        for returns in [0, 1 << 13] {
            view.write(DATA + 24, old).expect("mapped");
            let found = send(&space, ATOMIC, op << 8 | returns, 0b10, [&address, &data]);
            let found = found.expect("carried out");
            let returned = match (returns, op) {
                (0, _) => 0xdead,
                (_, 15) => left,
                _ => old,
            };
            let expected = [0xdead, returned, 0xdead];
            assert_eq!(found[..3], expected, "operation {op}");
            assert_eq!(view.read(DATA + 24), Ok(left), "operation {op}");
        }
    }
    // Other operations on R32_FLOAT, and other formats, are not modelled.
    for (format, op) in [(0x0d8, 7), (B8G8R8A8_UNORM, 4)] {
        let space = space(&[(rss::SURFACE_FORMAT, format)]);
        let found = send(&space, ATOMIC, op << 8, 1, [&[[0; 8]], &[[1; 8]]]);
        assert!(
            matches!(found, Err(StopReason::Unimplemented { .. })),
            "{format:#x}"
        );
    }
    // Nothing is what a null surface has.
    let null = space(&[
        (rss::SURFACE_TYPE, 7),
        (rss::SURFACE_FORMAT, B8G8R8A8_UNORM),
    ]);
    let found = send(&null, ATOMIC, 1 << 13 | 5 << 8, 1, [&[[0; 8]], &[]]);
    assert_eq!(found.expect("counted")[0], 0);
}

#[test]
fn typed_write_materialises_a_fast_cleared_block_first() {
    let space = space(&[
        (rss::AUXILIARY_SURFACE_MODE, 1),
        (rss::AUXILIARY_SURFACE_QPITCH, 16 / 4),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x2000),
        (rss::RED_CLEAR_COLOR, 40),
    ]);
    let view = AddressSpaceView::new(&space);
    // Blocks of 8 × 4 texels, two bits each: the first two of the first row.
    view.write(DATA + 0x2000, 0xf).expect("mapped");
    let one = |x: u32| [[x; 8], [1; 8]];
    let control = LOW | 0xe << 8;
    let found = send(&space, READ, control, 1, [&one(3), &[]]).expect("read");
    assert_eq!(found[0], 40);
    let add = 1 << 13 | 7 << 8;
    let found = send(&space, ATOMIC, add, 1, [&one(3), &[[2; 8]]]).expect("added");
    assert_eq!(found[0], 40);
    send(&space, WRITE, control, 1, [&one(9), &[[7; 8]]]).expect("written");
    assert_eq!(view.read(DATA + 0x2000), Ok(0));
    for (x, expected) in [(2, 40), (3, 42), (8, 40), (9, 7)] {
        let found = send(&space, READ, control, 1, [&one(x), &[]]).expect("read");
        assert_eq!(found[0], expected, "{x}");
    }
}
