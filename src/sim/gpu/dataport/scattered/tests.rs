//! Scattered and untyped messages: bytes, words, dwords, qwords and channels of each channel's own
//! place.
//!
//! Ref: SKL PRM vol. 7, "Byte Scattered", "DWord Scattered", "A64 Scattered", "Untyped Surface
//!      Read/Write".

use crate::dataport::AccessLimits;
use crate::dataport::rig::{DATA, HEADER, Rig, SLM, SLOT, addresses, header, message, numbers};
use crate::dataport::sfid::{CONSTANT_CACHE, DATA_CACHE_0, DATA_CACHE_1};
use eu::StopReason;

const BYTES: u32 = 4 << 14;
const WRITE_BYTES: u32 = 12 << 14;
const DWORDS: u32 = 3 << 14;
const WRITE_DWORDS: u32 = 11 << 14;
const READ: u32 = 0x01 << 14;
const WRITE: u32 = 0x09 << 14;
const A64: u32 = 0x10 << 14;
const WRITE_A64: u32 = 0x1a << 14;
/// Sixteen channels of byte and dword scattered messages.
const WIDE: u32 = 1 << 8;

/// Numbers of sixteen channels.
fn sixteen(of: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..16).map(of).collect()
}

fn is_gap(stop: Result<(eu::MessageReply, Vec<u32>), StopReason>) -> bool {
    matches!(stop, Err(StopReason::Unimplemented { .. }))
}

#[test]
fn slm_byte_accesses_cross_dwords() {
    let mut rig = Rig::new();
    rig.slm = numbers(0, 64);
    // Four bytes from byte 6 on; two from byte 15, and one at byte 21.
    for (size, offset, value) in [(2, 6, 0x8877_6655), (1, 15, 0xa1b2), (0, 21, 0xcc)] {
        let payload = [[offset; 8], [value; 8]].concat();
        rig.send(DATA_CACHE_0, WRITE_BYTES | SLM | size << 10, 1, &payload);
        let found = rig.send(DATA_CACHE_0, BYTES | SLM | size << 10, 1, &[offset; 8]);
        assert_eq!(found[0], value, "{offset}");
    }
    let expected = [1000, 0x6655_03e9, 0x8877, 0xb200_03eb, 0x03a1, 0xcced, 1006];
    assert_eq!(rig.slm[..7], expected);
}

#[test]
fn slm_accesses_beyond_its_size_are_out_of_bounds() {
    let mut rig = Rig::new();
    let refused = |stop: Result<_, StopReason>| {
        matches!(
            stop,
            Err(StopReason::Undefined {
                rule: "slm-bounds",
                ..
            })
        )
    };
    // The last byte that each touches is byte 255, or byte 256.
    for (desc, last) in [
        (BYTES, 255),
        (WRITE_BYTES, 255),
        (BYTES | 1 << 10, 254),
        (WRITE_BYTES | 1 << 10, 254),
        (BYTES | 2 << 10, 252),
        (WRITE_BYTES | 2 << 10, 252),
        (DWORDS, 63),
        (WRITE_DWORDS, 63),
    ] {
        for (offset, inside) in [(last, true), (last + 1, false)] {
            let payload = [[offset; 8], [3; 8]].concat();
            let message = message(DATA_CACHE_0, desc | SLM, 1, &payload);
            rig.limits = Some(LIMITS);
            assert_eq!(refused(rig.ask(&message)), !inside, "{desc:#x} {offset}");
        }
    }
    // Otherwise nothing is there: reads give zeros, writes go nowhere.
    rig.limits = None;
    rig.slm = numbers(0, 64);
    for (read, write, place) in [
        (BYTES, WRITE_BYTES, 256),
        (BYTES | 2 << 10, WRITE_BYTES | 2 << 10, 260),
        (DWORDS, WRITE_DWORDS, 64),
        (DWORDS, WRITE_DWORDS, 1 << 20),
    ] {
        let payload = [[place; 8], [3; 8]].concat();
        rig.send(DATA_CACHE_0, write | SLM, 1, &payload);
        assert_eq!(rig.slm, numbers(0, 64), "{write:#x}");
        let found = rig.send(DATA_CACHE_0, read | SLM, 1, &[place; 8]);
        assert_eq!(found[0], 0, "{read:#x}");
    }
    // An increment that is answered.
    let count = 0x02 << 14 | 1 << 13 | 1 << 12 | 5 << 8 | SLM;
    assert_eq!(rig.send(DATA_CACHE_1, count, 1, &[256; 8])[0], 0);
    assert_eq!(rig.slm, numbers(0, 64));
}

const LIMITS: AccessLimits = AccessLimits {
    barrier: false,
    scratch: 0,
    scratch_bytes: 0,
    bindless_surfaces: 0,
};

#[test]
fn simd16_scattered_messages_with_a_header() {
    let lanes = 0x7ffe;
    let on = |i: u32| lanes >> i & 1 == 1;
    // Bytes, words, dwords at bytes, and dwords at dwords; each in a dword of its own, in turns
    // from both ends.
    for (read, write, size, unit) in [
        (BYTES, WRITE_BYTES, 0, 1),
        (BYTES, WRITE_BYTES, 1 << 10, 1),
        (BYTES, WRITE_BYTES, 2 << 10, 1),
        (DWORDS, WRITE_DWORDS, 2 << 8, 4),
    ] {
        let place = |i: u32| if i.is_multiple_of(2) { i } else { 63 - i };
        let offsets = sixteen(|i| place(i) * 4 / unit);
        let mask = match size >> 10 {
            0 if unit == 1 => 0xff,
            1 => 0xffff,
            _ => u32::MAX,
        };
        for table in [0, SLM] {
            let mut rig = Rig::new();
            rig.slm = numbers(0, 64);
            let desc = HEADER | WIDE | size | table;
            let payload = [header(5, 0), offsets.clone()].concat();
            let found = rig.send(DATA_CACHE_0, desc | read, lanes, &payload);
            for i in 0..16 {
                let expected = if on(i) {
                    (1000 + place(i)) & mask
                } else {
                    0xdead
                };
                assert_eq!(found[i as usize], expected, "{read:#x} {size:#x} {i}");
            }
            let values = sixteen(|i| 0x8070_6050 + i);
            let payload = [payload, values].concat();
            rig.send(DATA_CACHE_0, desc | write, lanes, &payload);
            for i in 0..16 {
                let old = 1000 + place(i);
                let new = old & !mask | (0x8070_6050 + i) & mask;
                let at = place(i);
                let found = if table == SLM {
                    rig.slm[at as usize]
                } else {
                    rig.dword(at)
                };
                let expected = if on(i) { new } else { old };
                assert_eq!(found, expected, "{write:#x} {size:#x} {i}");
            }
        }
    }
}

#[test]
fn accesses_across_the_end_of_a_buffer_are_out_of_bounds() {
    // 256 bytes. The memory goes on behind them with 1064.
    for (size, offset, found) in [
        (0, 255, 0),
        (1, 254, 0),
        (1, 255, 0),
        (2, 252, 1063),
        (2, 253, 0),
        (2, 256, 0),
        (0, 256, 0),
    ] {
        let mut rig = Rig::new();
        let read = rig.send(DATA_CACHE_0, BYTES | size << 10, 1, &[offset; 8]);
        assert_eq!(read[0], found, "{size} {offset}");
        let payload = [[offset; 8], [u32::MAX; 8]].concat();
        rig.send(DATA_CACHE_0, WRITE_BYTES | size << 10, 1, &payload);
        let bytes = 1 << size;
        let inside = offset + bytes <= 256;
        let expected = match inside {
            true => 1063 | u32::MAX << (32 - 8 * bytes),
            false => 1063,
        };
        assert_eq!(
            [rig.dword(63), rig.dword(64)],
            [expected, 1064],
            "{size} {offset}"
        );
    }
}

#[test]
fn constant_cache_scattered_and_block_reads() {
    let mut rig = Rig::new();
    let offsets = SLOT.map(|i| 5 * i + 2);
    let found = rig.send(CONSTANT_CACHE, DWORDS | 2 << 8, 0x7f, &offsets);
    assert_eq!(found[..7], offsets.map(|i| 1000 + i)[..7]);
    assert_eq!(found[7], 0xdead);
    // OWords by their number, or by a byte.
    let found = rig.send(CONSTANT_CACHE, HEADER | 2 << 8, 0xff, &header(2, 3));
    assert_eq!(found[..8], numbers(12, 8));
    let found = rig.send(
        CONSTANT_CACHE,
        HEADER | 1 << 14 | 2 << 8,
        0xff,
        &header(2, 28),
    );
    assert_eq!(found[..8], numbers(7, 8));
    for opcode in [2, 4, 5, 8, 11, 15] {
        let stop = rig.ask(&message(CONSTANT_CACHE, opcode << 14, 1, &[0; 16]));
        assert!(is_gap(stop), "{opcode}");
    }
}

#[test]
fn a64_scattered_element_sizes() {
    for lanes in [8u32, 16] {
        // Of sixteen channels the first and the last are off.
        let enabled = if lanes == 16 { 0x7ffe } else { 0xff };
        for first in [0, HEADER] {
            for (subtype, dwords) in [(1, 1), (2, 2)] {
                for log in 0..2u32 {
                    let count = 1 << log;
                    let mut rig = Rig::new();
                    // From the last dwords of the memory back, so that the places of one are not
                    // those of another.
                    let place = |lane: u32| 4 * (lanes - 1 - lane);
                    let mut payload = if first == 0 { vec![] } else { header(0, 7) };
                    for lane in 0..lanes {
                        let at = DATA + 4 * u64::from(place(lane));
                        // What lies above 48 bits is not looked at, nor are the bits of a byte.
                        payload.extend([at as u32 | lane & 3, 0xffff_0000 | (at >> 32) as u32]);
                    }
                    let control = subtype | log << 2 | u32::from(lanes == 16) << 4;
                    let desc = first | control << 8;
                    let mut rows = Vec::new();
                    for element in 0..count {
                        for lane in 0..lanes {
                            for half in 0..dwords {
                                rows.push((lane, element * dwords + half));
                            }
                        }
                    }
                    let read = message(DATA_CACHE_1, A64 | desc, enabled, &payload);
                    let (_, found) = rig.ask(&read).expect("read");
                    for (slot, (lane, dword)) in rows.iter().enumerate() {
                        let on = enabled >> lane & 1 == 1;
                        let expected = if on {
                            1000 + place(*lane) + dword
                        } else {
                            0xdead
                        };
                        assert_eq!(found[slot], expected, "{lanes} {subtype} {count}: {slot}");
                    }
                    payload.extend(0..rows.len() as u32);
                    rig.send(DATA_CACHE_1, WRITE_A64 | desc, enabled, &payload);
                    for (slot, (lane, dword)) in (0..).zip(&rows) {
                        let at = place(*lane) + dword;
                        let on = enabled >> lane & 1 == 1;
                        let expected = if on { slot } else { 1000 + at };
                        assert_eq!(rig.dword(at), expected, "{lanes} {subtype} {count}: {slot}");
                    }
                }
            }
        }
    }
}

#[test]
fn up_to_eight_elements_per_address() {
    for (subtype, log, count) in [(1, 2, 4), (1, 3, 8), (2, 2, 8)] {
        let mut rig = Rig::new();
        let mut payload = addresses(SLOT.map(|i| 8 * i));
        let desc = subtype << 8 | log << 10;
        let (_, found) = rig
            .ask(&message(DATA_CACHE_1, A64 | desc, 0xff, &payload))
            .expect("read");
        let dwords = subtype as usize;
        let slot = |dword: usize, lane: usize| {
            dword / dwords * 8 * dwords + lane * dwords + dword % dwords
        };
        for (dword, lane) in (0..count).flat_map(|d| (0..8).map(move |l| (d, l))) {
            let expected = 1000 + 8 * lane + dword;
            assert_eq!(
                found[slot(dword, lane)],
                expected as u32,
                "{subtype} {log}: {dword} {lane}"
            );
        }
        payload.extend((0..8 * count as u32).map(|i| 5 * i));
        rig.send(DATA_CACHE_1, WRITE_A64 | desc, 0xff, &payload);
        for (dword, lane) in (0..count).flat_map(|d| (0..8).map(move |l| (d, l))) {
            let expected = 5 * slot(dword, lane) as u32;
            assert_eq!(
                rig.dword((8 * lane + dword) as u32),
                expected,
                "{subtype} {log}"
            );
        }
    }
}

#[test]
fn a64_byte_scattered_data_sizes() {
    for (log, mask) in [(0, 0xff), (1, 0xffff), (2, u32::MAX)] {
        let mut rig = Rig::new();
        let mut payload = header(3, 0);
        // From byte 3 of a dword on: three of four bytes are the next dword's.
        for i in 0..16 {
            let at = DATA + 8 * i + 3;
            payload.extend([at as u32, (at >> 32) as u32]);
        }
        payload.extend(sixteen(|i| 0x5544_3300 + i));
        let desc = HEADER | (log << 2 | 1 << 4) << 8;
        rig.send(DATA_CACHE_1, WRITE_A64 | desc, 0xfffe, &payload);
        for i in 0..16u64 {
            let old = u64::from(1000 + 2 * i as u32) | u64::from(1001 + 2 * i as u32) << 32;
            let new =
                old & !(u64::from(mask) << 24) | u64::from((0x5544_3300 + i as u32) & mask) << 24;
            let new = if i == 0 { old } else { new };
            let found = [rig.dword(2 * i as u32), rig.dword(2 * i as u32 + 1)];
            assert_eq!(found, [new as u32, (new >> 32) as u32], "{log} {i}");
        }
        let found = rig.send(DATA_CACHE_1, A64 | desc, 0xfffe, &payload);
        assert_eq!(found[0], 0xdead);
        assert_eq!(found[1..16], sixteen(|i| (0x5544_3300 + i) & mask)[1..]);
    }
}

#[test]
fn reserved_element_sizes_are_reported() {
    let mut rig = Rig::new();
    let payload = addresses(SLOT);
    for (sfid, desc) in [
        // Bytes by three and by eights, and a fourth kind of element.
        (DATA_CACHE_0, BYTES | 3 << 10),
        (DATA_CACHE_0, WRITE_BYTES | 3 << 10),
        (DATA_CACHE_1, A64 | 3 << 10),
        (DATA_CACHE_1, A64 | 3 << 8),
        // SIMD4x2.
        (DATA_CACHE_1, READ),
        (DATA_CACHE_1, READ | 3 << 12),
        (DATA_CACHE_1, WRITE),
        (DATA_CACHE_1, 0x11 << 14),
        (DATA_CACHE_1, 0x19 << 14),
    ] {
        let stop = rig.ask(&message(sfid, desc, 1, &payload));
        assert!(is_gap(stop), "{sfid} {desc:#x}");
    }
}

#[test]
fn simd16_channels_are_consecutive_in_the_payload() {
    // Channels 0 and 2 of three dwords each, by offsets and by addresses; low bits of a place do
    // not count.
    let control = 1 << 12 | 0b1010 << 8;
    let lanes = 0xf7ff;
    let on = |i: u32| lanes >> i & 1 == 1;
    for first in [0, HEADER] {
        for (read, write, wide) in [(READ, WRITE, false), (0x11 << 14, 0x19 << 14, true)] {
            let place = |i: u32| 3 * (15 - i);
            let mut payload = if first == 0 { vec![] } else { header(5, 64) };
            for i in 0..16 {
                match wide {
                    true => {
                        let at = DATA + 4 * u64::from(place(i)) + u64::from(i % 4);
                        payload.extend([at as u32, 0xffff_0000 | (at >> 32) as u32]);
                    }
                    false => payload.push(4 * place(i) + i % 4),
                }
            }
            let mut rig = Rig::new();
            let found = rig.send(DATA_CACHE_1, read | control | first, lanes, &payload);
            for i in 0..16 {
                let expected =
                    [place(i), place(i) + 2].map(|d| if on(i) { 1000 + d } else { 0xdead });
                let found = [found[i as usize], found[16 + i as usize]];
                assert_eq!(found, expected, "{wide}: {i}");
            }
            payload.extend(0..32);
            rig.send(DATA_CACHE_1, write | control | first, lanes, &payload);
            for i in 0..16 {
                let at = place(i);
                let old = [1000 + at, 1001 + at, 1002 + at];
                let expected = if on(i) { [i, 1001 + at, 16 + i] } else { old };
                let found = [0, 1, 2].map(|d| rig.dword(at + d));
                assert_eq!(found, expected, "{wide}: {i}");
            }
        }
    }
}
