//! Blocks: sizes, halves of registers, scratch.
//!
//! Ref: SKL PRM vol. 7, "OWord Block", "Scratch Block", "A64 OWord Block"; vol. 2d, MDC_DB_OW.

use crate::bindings::bti;
use crate::dataport::AccessLimits;
use crate::dataport::rig::{DATA, HEADER, Rig, SLM, SLOT, header, message, numbers};
use crate::dataport::sfid::{DATA_CACHE_0, DATA_CACHE_1};
use eu::Message;
use eu::StopReason;

/// Codes of sizes: dwords, and the first of them in a register.
const SIZES: [(u32, u32, u32); 5] = [(0, 4, 0), (1, 4, 4), (2, 8, 0), (3, 16, 0), (4, 32, 0)];

fn is_gap(stop: Result<(eu::MessageReply, Vec<u32>), StopReason>) -> bool {
    matches!(stop, Err(StopReason::Unimplemented { .. }))
}

#[test]
fn block_size_codes_give_the_length() {
    for (code, dwords, first) in SIZES {
        let data: Vec<u32> = (0..40).map(|i| 70 + i).collect();
        // By OWords through a surface or shared memory, and by an address, of which the bits of an
        // OWord do not count.
        let at = (DATA + 48 + 12) as u32;
        for (sfid, read, write, place) in [
            (DATA_CACHE_0, 0, 8 << 14, header(2, 3)),
            (DATA_CACHE_0, SLM, 8 << 14 | SLM, header(2, 3)),
            (DATA_CACHE_1, 0x14 << 14, 0x15 << 14, header(0, at)),
        ] {
            let mut rig = Rig::new();
            rig.slm = numbers(0, 64);
            let desc = HEADER | code << 8;
            let found = rig.send(sfid, desc | read, 0, &place);
            let mut expected = vec![0xdead; 32];
            for i in 0..dwords {
                expected[(first + i) as usize] = 1012 + i;
            }
            assert_eq!(found, expected, "{code} {read:#x}");
            let payload = [place, data.clone()].concat();
            rig.send(sfid, desc | write, 0xff, &payload);
            for i in 0..64 {
                let inside = (12..12 + dwords).contains(&i);
                let expected = if inside {
                    70 + first + i - 12
                } else {
                    1000 + i
                };
                let found = if read == SLM {
                    rig.slm[i as usize]
                } else {
                    rig.dword(i)
                };
                assert_eq!(found, expected, "{code} {write:#x}: dword {i}");
            }
        }
    }
    for code in 5..8 {
        for (sfid, opcode) in [
            (DATA_CACHE_0, 0),
            (DATA_CACHE_0, 8),
            (DATA_CACHE_1, 0x14),
            (DATA_CACHE_1, 0x15),
        ] {
            let payload = [header(0, DATA as u32), vec![0; 64]].concat();
            let mut rig = Rig::new();
            let desc = HEADER | opcode << 14 | code << 8;
            assert!(
                is_gap(rig.ask(&message(sfid, desc, 0xff, &payload))),
                "{opcode} {code}"
            );
        }
    }
}

/// A thread that spills a register must not touch what its other channels have spilled there.
#[test]
fn disabled_channels_write_nothing() {
    for (code, dwords, first) in SIZES {
        for (sfid, write, place) in [
            (DATA_CACHE_0, 8 << 14, header(2, 3)),
            (DATA_CACHE_0, 8 << 14 | SLM, header(2, 3)),
            (DATA_CACHE_1, 0x15 << 14, header(0, DATA as u32 + 48)),
        ] {
            // Eight channels and sixteen; a dword for each, and again from the first where the
            // block is longer.
            for (mask, channels) in [(0xa5, 8), (0x13, 8), (0x8765, 16)] {
                let mut rig = Rig::new();
                rig.slm = numbers(0, 64);
                let payload = [place.clone(), (0..40).map(|i| 70 + i).collect()].concat();
                rig.send(sfid, HEADER | code << 8 | write, mask, &payload);
                for i in 0..dwords {
                    let on = mask >> ((first + i) % channels) & 1 == 1;
                    let expected = if on { 70 + first + i } else { 1012 + i };
                    let found = match write & SLM == SLM {
                        true => rig.slm[12 + i as usize],
                        false => rig.dword(12 + i),
                    };
                    assert_eq!(found, expected, "{code} {write:#x} {mask:#x}: dword {i}");
                }
            }
        }
    }
}

#[test]
fn strict_mode_requires_a_lane_for_each_dword_of_a_masked_block() {
    // The high half of a register, and blocks of more dwords than channels; those of as many; all
    // channels on.
    for (code, mask, kept) in [
        (0, 0x0f, false),
        (1, 0xfe, false),
        (2, 0x7f, true),
        (2, 0xfffe, false),
        (3, 0x7f, false),
        (3, 0x8000, true),
        (4, 0xff, true),
        (4, 0xff00, false),
    ] {
        for (sfid, write, place) in [
            (DATA_CACHE_0, 8 << 14, header(2, 3)),
            (
                DATA_CACHE_1,
                0x15 << 14 | bti::STATELESS,
                header(0, DATA as u32 + 48),
            ),
        ] {
            let mut rig = Rig::new();
            rig.limits = Some(AccessLimits {
                barrier: false,
                scratch: 0,
                scratch_bytes: 0,
                bindless_surfaces: 0,
            });
            let payload = [place, vec![9; 40]].concat();
            let found = rig.ask(&message(sfid, HEADER | code << 8 | write, mask, &payload));
            let refused = matches!(
                found,
                Err(StopReason::Undefined {
                    rule: "block-mask",
                    ..
                })
            );
            assert_eq!(refused, !kept, "{code} {mask:#x}: {found:?}");
        }
    }
}

#[test]
fn other_a64_blocks_are_not_simulated() {
    let payload = [header(0, DATA as u32), vec![9; 8]].concat();
    let works = |desc: u32| {
        let block = HEADER | 2 << 8 | desc;
        let found = Rig::new().ask(&message(DATA_CACHE_1, block, 0xff, &payload));
        match found {
            Ok(_) => true,
            Err(StopReason::Unimplemented { .. }) => false,
            Err(other) => panic!("{other}"),
        }
    };
    // Reads may be unaligned, writes may not.
    let kinds = |kind: u32| [0, 1, 2, 3].map(|subtype| works(kind << 14 | subtype << 11));
    assert_eq!(kinds(0x14), [true, true, false, false]);
    assert_eq!(kinds(0x15), [true, false, false, false]);
}

#[test]
fn unaligned_block_reads_start_at_any_dword() {
    for (code, dwords, first) in SIZES {
        let (first, dwords) = (first as usize, dwords as usize);
        // Bytes of a surface; an address.
        for (sfid, desc, place) in [
            (DATA_CACHE_0, 1 << 14, header(2, 20)),
            (
                DATA_CACHE_1,
                0x14 << 14 | 1 << 11,
                header(0, DATA as u32 + 22),
            ),
        ] {
            let found = Rig::new().send(sfid, HEADER | desc | code << 8, 0, &place);
            assert_eq!(
                found[first..first + dwords],
                numbers(5, dwords as u32),
                "{code}"
            );
            assert!(found[..first].iter().all(|d| *d == 0xdead), "{code}");
        }
    }
}

#[test]
fn block_addresses_are_truncated_to_48_bits() {
    let mut rig = Rig::new();
    let mut place = header(0, DATA as u32 + 32);
    place[1] = 0xffff_0000;
    let found = rig.send(DATA_CACHE_1, HEADER | 0x14 << 14 | 2 << 8, 0, &place);
    assert_eq!(found[..8], numbers(8, 8));
}

/// A block of scratch: registers as a power of two, and the first of 32 bytes.
fn scratch(log: u32, offset: u32) -> u32 {
    HEADER | 1 << 18 | log << 12 | offset
}

/// The descriptor bits that select scratch channels by the execution mask.
const WRITE: u32 = 1 << 17;
const BY_DWORDS: u32 = 1 << 16;

#[test]
fn scratch_blocks_of_one_to_eight_registers() {
    // The header's base counts kilobytes: its low bits are other things.
    let memory = header(5, 0x3ff);
    for log in 0..4 {
        let registers = 1 << log;
        let mut rig = Rig::new();
        let (_, found) = rig
            .ask(&message(DATA_CACHE_0, scratch(log, 2), 0, &memory))
            .expect("read");
        let mut expected = numbers(16, 8 * registers);
        expected.resize(64, 0xdead);
        assert_eq!(found, expected, "{registers}");
        let payload = [memory.clone(), (0..64).collect()].concat();
        rig.send(DATA_CACHE_0, scratch(log, 2) | WRITE, 0, &payload);
        for i in 0..96 {
            let inside = (16..16 + 8 * registers).contains(&i);
            let expected = if inside { i - 16 } else { 1000 + i };
            assert_eq!(rig.dword(i), expected, "{registers}: dword {i}");
        }
        // Sixteen channels, once for each two registers.
        let mut rig = Rig::new();
        let lanes = 0x8421;
        let on = |i: u32| lanes >> (i % 16) & 1 == 1;
        let read = message(DATA_CACHE_0, scratch(log, 2) | BY_DWORDS, lanes, &memory);
        let (_, found) = rig.ask(&read).expect("read");
        rig.send(
            DATA_CACHE_0,
            scratch(log, 2) | BY_DWORDS | WRITE,
            lanes,
            &payload,
        );
        for i in 0..8 * registers {
            let (returned, left) = if on(i) {
                (1016 + i, i)
            } else {
                (0xdead, 1016 + i)
            };
            assert_eq!(
                [found[i as usize], rig.dword(16 + i)],
                [returned, left],
                "{registers}: {i}"
            );
        }
    }
    // The second kilobyte, and the second 64.
    let mut rig = Rig::new();
    rig.send(
        DATA_CACHE_0,
        scratch(0, 3) | WRITE,
        0,
        &[header(5, 0x401), SLOT.to_vec()].concat(),
    );
    let found = [0x400 / 4 + 23, 0x400 / 4 + 25, 0x400 / 4 + 31].map(|i| rig.dword(i));
    assert_eq!(found, [0, 1, 7]);
    let behind = crate::testing::memory(0x1000);
    let start = DATA + 0x1_0000;
    rig.space.map(start, 0x1000, behind, 0).expect("free");
    let payload = [header(5, 0), SLOT.to_vec()].concat();
    rig.send(DATA_CACHE_0, scratch(0, 0x801) | WRITE, 0, &payload);
    let found = [7, 8, 9, 15, 16].map(|i| rig.dword(0x1_0000 / 4 + i));
    assert_eq!(found, [0, 0, 1, 7, 0]);
}

#[test]
fn scratch_access_beyond_the_thread_scratch_is_refused() {
    let mut rig = Rig::new();
    rig.limits = Some(AccessLimits {
        barrier: false,
        scratch: 0,
        scratch_bytes: 2048,
        bindless_surfaces: 0,
    });
    for (place, log, offset, inside) in [
        (0, 0, 63, true),
        (0, 0, 64, false),
        (0, 1, 62, true),
        (0, 1, 63, false),
        (0, 3, 56, true),
        (0, 3, 57, false),
        (0, 0, 0xfff, false),
        (0, 0, 0x800, false),
        // The header may name another place of the thread's, or another thread's memory.
        (0x400, 0, 31, true),
        (0x400, 0, 32, false),
        (0xc00, 0, 31, true),
        (0xc00, 0, 32, false),
    ] {
        let payload = [header(5, place), vec![0; 64]].concat();
        for write in [0, WRITE] {
            let desc = scratch(log, offset) | write;
            let found = rig.ask(&message(DATA_CACHE_0, desc, 0, &payload));
            let refused = matches!(
                found,
                Err(StopReason::Undefined {
                    rule: "scratch-bounds",
                    ..
                })
            );
            assert_eq!(refused, !inside, "{place:#x} {log} {offset}: {found:?}");
        }
    }
}

#[test]
fn dual_blocks_of_one_or_four_registers() {
    let offsets = [1, 0, 0, 0, 9, 0, 0, 0];
    for first in [0, HEADER] {
        let place = if first == 0 {
            offsets.to_vec()
        } else {
            [header(3, 5), offsets.to_vec()].concat()
        };
        for (code, registers) in [(0, 1), (2, 4)] {
            let mut rig = Rig::new();
            let payload = [place.clone(), (0..8 * registers).collect()].concat();
            let desc = first | code << 8;
            let read = message(DATA_CACHE_0, desc | 2 << 14, 0xdf, &payload);
            let (_, found) = rig.ask(&read).expect("read");
            rig.send(DATA_CACHE_0, desc | 10 << 14, 0xdf, &payload);
            assert!(found[32..].iter().all(|d| *d == 0xdead), "{registers}");
            for i in 0..32 {
                let (register, lane) = (i / 8, i % 8);
                let at = if lane < 4 {
                    4 + 4 * register + lane
                } else {
                    36 + 4 * register + lane - 4
                };
                let on = register < registers && lane != 5;
                let (returned, left) = if on {
                    (1000 + at, i)
                } else {
                    (0xdead, 1000 + at)
                };
                assert_eq!(
                    [found[i as usize], rig.dword(at)],
                    [returned, left],
                    "{registers}: {i}"
                );
            }
        }
        // The last OWord of the buffer.
        let mut last = place.clone();
        let start = last.len() - 8;
        last[start] = 15;
        let found = Rig::new().send(DATA_CACHE_0, first | 2 << 14, 0xff, &last);
        assert_eq!(found[..8], [numbers(60, 4), numbers(36, 4)].concat());
        for code in [1, 3] {
            let desc = first | 2 << 14 | code << 8;
            let stop = Rig::new().ask(&message(DATA_CACHE_0, desc, 0xff, &place));
            assert!(is_gap(stop), "{code}");
        }
    }
}

#[test]
fn split_send_carries_write_data_in_the_second_payload() {
    let mut rig = Rig::new();
    let (first, second) = ([header(2, 2), vec![5; 4]].concat(), [6; 4]);
    let message = Message {
        src1: &second,
        ..message(DATA_CACHE_0, HEADER | 8 << 14 | 2 << 8, 0xff, &first)
    };
    rig.ask(&message).expect("written");
    let found: Vec<_> = (7..17).map(|i| rig.dword(i)).collect();
    assert_eq!(found, [1007, 5, 5, 5, 5, 6, 6, 6, 6, 1016]);
}
