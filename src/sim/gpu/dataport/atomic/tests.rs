//! Atomics through surfaces, shared local memory and addresses.
//!
//! Ref: SKL PRM vol. 7, "Untyped Atomic", "A64 Atomic"; vol. 2d, MDC_AOP, MDC_FOP.

use super::*;
use crate::dataport::rig::{DATA, HEADER, Rig, SIZE, SLM, SLOT, addresses, header, message};
use crate::dataport::sfid::DATA_CACHE_1;
use crate::memory::AddressSpaceView;

/// What MDC_AOP's operations leave of `old`, by the arithmetic of 64 bits on sign-extended numbers.
fn left(op: u32, old: i64, a: i64, b: i64) -> i64 {
    let unsigned = |v: i64| v as u64;
    match op {
        1 => old & a,
        2 => old | a,
        3 => old ^ a,
        4 => a,
        5 => old.wrapping_add(1),
        6 | 15 => old.wrapping_sub(1),
        7 => old.wrapping_add(a),
        8 => old.wrapping_sub(a),
        9 => a.wrapping_sub(old),
        10 => old.max(a),
        11 => old.min(a),
        12 => unsigned(old).max(unsigned(a)) as i64,
        13 => unsigned(old).min(unsigned(a)) as i64,
        _ if old == a => b,
        _ => old,
    }
}

/// Operands that an operation takes.
fn operands(op: u32) -> usize {
    match op {
        5 | 6 | 15 => 0,
        14 => 2,
        _ => 1,
    }
}

/// What memory holds before, and the operands, of eight channels.
const OLD: [i32; 8] = [7, -8, 0, 13, i32::MIN, -1, 12, 100];
const A: [i32; 8] = [7, -7, -1, 12, -1, i32::MIN, 10, 100];
const B: [i32; 8] = [70, 71, 72, 73, 74, 75, 76, 77];

fn bits(values: [i32; 8]) -> [u32; 8] {
    values.map(|v| v as u32)
}

#[test]
fn atomics_on_surfaces_and_slm_follow_the_operation_table() {
    for op in 1..16 {
        for (table, first) in [(0, 0), (0, HEADER), (SLM, 0), (SLM, HEADER)] {
            for returns in [0, 1 << 13] {
                let mut rig = Rig::new();
                for i in 0..8 {
                    let (at, old) = (8 * i + 1, OLD[i] as u32);
                    rig.slm[at] = old;
                    let view = AddressSpaceView::new(&rig.space);
                    view.write(DATA + 4 * at as u64, old).expect("mapped");
                }
                let mut payload = if first == 0 { vec![] } else { header(5, 1) };
                payload.extend(SLOT.map(|i| 32 * i + 4));
                // Operands that the operation does not take are not sent.
                payload.extend([A, B][..operands(op)].iter().flat_map(|o| bits(*o)));
                // SIMD8; the last channel is off.
                let desc = 0x02 << 14 | 1 << 12 | op << 8 | table | first | returns;
                let found = rig.send(DATA_CACHE_1, desc, 0x7f, &payload);
                for i in 0..8 {
                    let [old, a, b] = [OLD[i], A[i], B[i]].map(i64::from);
                    let new = if i < 7 { left(op, old, a, b) } else { old };
                    let at = 8 * i + 1;
                    let memory = match table {
                        SLM => rig.slm[at],
                        _ => rig.dword(at as u32),
                    };
                    assert_eq!(memory, new as u32, "operation {op}, channel {i}");
                    let returned = if op == 15 { new } else { old };
                    let expected = match returns != 0 && i < 7 {
                        true => returned as u32,
                        false => 0xdead,
                    };
                    assert_eq!(found[i], expected, "operation {op}, channel {i}");
                }
            }
        }
    }
}

#[test]
fn simd16_atomics() {
    let mut rig = Rig::new();
    let offsets: Vec<u32> = (0..16).map(|i| 12 * i).collect();
    // Those of even dwords hold what is compared with.
    let a: Vec<u32> = (0..16)
        .map(|i| if i % 2 == 0 { 1000 + 3 * i } else { 0 })
        .collect();
    let b: Vec<u32> = (0..16).map(|i| 50 + i).collect();
    let payload = [header(2, 9), offsets, a, b].concat();
    let desc = HEADER | 0x02 << 14 | 1 << 13 | 14 << 8;
    let found = rig.send(DATA_CACHE_1, desc, 0xfff0, &payload);
    for i in 0..16 {
        let old = 1000 + 3 * i;
        let new = if i % 2 == 0 && i >= 4 { 50 + i } else { old };
        assert_eq!(rig.dword(3 * i), new, "channel {i}");
        let returned = if i >= 4 { old } else { 0xdead };
        assert_eq!(found[i as usize], returned, "channel {i}");
    }
}

#[test]
fn out_of_bounds_atomics_have_no_effect() {
    let mut rig = Rig::new();
    let edge = SIZE * 4;
    let payload = [[edge - 4, edge, edge - 2, 0, 0, 0, 0, 0], [5; 8]].concat();
    let desc = 0x02 << 14 | 1 << 13 | 1 << 12 | 7 << 8;
    let found = rig.send(DATA_CACHE_1, desc, 0x07, &payload);
    assert_eq!(found[..3], [1063, 0, 0]);
    assert_eq!([63, 64].map(|i| rig.dword(i)), [1068, 1064]);
}

#[test]
fn float_atomics() {
    let nan = f32::NAN;
    // FMAX, FMIN, FCMPWR, FADD: what was there, operands, what is left.
    let cases = [
        (1, 1.5, 2.5, 0.0, 2.5),
        (1, 2.5, -3.5, 0.0, 2.5),
        (1, -2.0, -1.0, 0.0, -1.0),
        (1, nan, -1.0, 0.0, -1.0),
        (1, -1.0, nan, 0.0, -1.0),
        (2, 1.5, 2.5, 0.0, 1.5),
        (2, 2.5, -3.5, 0.0, -3.5),
        (2, -2.0, -1.0, 0.0, -2.0),
        (2, nan, 4.0, 0.0, 4.0),
        (2, 4.0, nan, 0.0, 4.0),
        (3, 1.5, 1.5, 8.0, 8.0),
        (3, 1.5, 2.5, 8.0, 1.5),
        (3, -0.0, 0.0, 8.0, 8.0),
        (4, 1.5, 2.25, 0.0, 3.75),
        (4, 1.5, -2.25, 0.0, -0.75),
    ];
    for (op, old, a, b, left) in cases.map(|(op, old, a, b, left): (u32, f32, f32, f32, f32)| {
        (op, old.to_bits(), a.to_bits(), b.to_bits(), left.to_bits())
    }) {
        let (control, operands) = (
            1 << 13 | op << 8,
            if op == 3 { vec![a, b] } else { vec![a] },
        );
        let spread = |v: u32| [0, v, 0, 0, 0, 0, 0, 0];
        let data: Vec<u32> = operands.iter().flat_map(|v| spread(*v)).collect();
        // A surface, shared memory, and an address; dword 9 by the second channel.
        let by_offset = [spread(36).to_vec(), data.clone()].concat();
        let by_address = [addresses([0, 9, 0, 0, 0, 0, 0, 0]), data].concat();
        for (desc, payload) in [
            (0x1b << 14 | 1 << 12, &by_offset),
            (0x1b << 14 | 1 << 12 | SLM, &by_offset),
            (0x1d << 14, &by_address),
        ] {
            let mut rig = Rig::new();
            rig.slm[9] = old;
            AddressSpaceView::new(&rig.space)
                .write(DATA + 36, old)
                .expect("mapped");
            let found = rig.send(DATA_CACHE_1, desc | control, 0x02, payload);
            let memory = if desc & 0xff == SLM {
                rig.slm[9]
            } else {
                rig.dword(9)
            };
            let what = format!("{op}: {old:#x} {a:#x}");
            assert_eq!([memory, found[1], found[0]], [left, old, 0xdead], "{what}");
        }
    }
}

#[test]
fn a64_atomics_of_dwords_and_qwords() {
    let old64 = [7, -8, 0, 13, i64::MIN, -1, 1 << 32, u32::MAX as i64];
    let a64 = [7, -7, -1, 12, -1, i64::MIN, (1 << 32) + 1, 1];
    let b64 = [1 << 40, 71, 72, 73, 74, 75, 76, 77];
    let halves = |v: [i64; 8]| v.map(|v| [v as u32, (v >> 32) as u32]).concat();
    for op in 1..16 {
        for wide in [false, true] {
            for (first, returns) in [(0, 1 << 13), (HEADER, 1 << 13), (0, 0)] {
                let mut rig = Rig::new();
                let [old, a, b] = match wide {
                    true => [old64, a64, b64],
                    false => [OLD, A, B].map(|v| v.map(i64::from)),
                };
                let view = AddressSpaceView::new(&rig.space);
                for (i, old) in (0..).zip(old) {
                    // A 32-bit operation leaves the adjacent dword, 9, unchanged.
                    let value = if wide {
                        old as u64
                    } else {
                        old as u32 as u64 | 9 << 32
                    };
                    view.write64(DATA + 16 * i, value).expect("mapped");
                }
                // An address of a qword is a multiple of eight: its low bits do not count.
                let dwords = SLOT.map(|i| 4 * i + u32::from(wide && i % 2 == 1));
                let mut payload = if first == 0 { vec![] } else { header(1, 1) };
                payload.extend(addresses(dwords));
                for operand in &[a, b][..operands(op)] {
                    match wide {
                        true => payload.extend(halves(*operand)),
                        false => payload.extend(operand.map(|v| v as u32)),
                    }
                }
                let size = u32::from(wide) << 12;
                let desc = 0x12 << 14 | size | op << 8 | first | returns;
                let found = rig.send(DATA_CACHE_1, desc, 0xbf, &payload);
                let view = AddressSpaceView::new(&rig.space);
                for i in 0..8 {
                    let on = i != 6;
                    let new = if on {
                        left(op, old[i], a[i], b[i])
                    } else {
                        old[i]
                    };
                    let memory = view.read64(DATA + 16 * i as u64).expect("mapped");
                    let returned = if op == 15 { new } else { old[i] };
                    let what = format!("operation {op}, channel {i}");
                    let (returned, expected) = match wide {
                        true => {
                            assert_eq!(memory, new as u64, "{what}");
                            let expected = [returned as u32, (returned >> 32) as u32];
                            (found[2 * i..2 * i + 2].to_vec(), expected.to_vec())
                        }
                        false => {
                            assert_eq!(memory, new as u32 as u64 | 9 << 32, "{what}");
                            (vec![found[i]], vec![returned as u32])
                        }
                    };
                    let silent = vec![0xdead; expected.len()];
                    let expected = if on && returns != 0 { expected } else { silent };
                    assert_eq!(returned, expected, "{what}");
                }
            }
        }
    }
}

#[test]
fn unsupported_atomics_leave_memory_unchanged() {
    let mut rig = Rig::new();
    let payload = [[36; 8], [5; 8]].concat();
    for (opcode, op) in [(0x02, 0), (0x1b, 0), (0x1b, 5)] {
        let desc = opcode << 14 | 1 << 12 | op << 8;
        // Whether the message is refused is not checked.
        let _ = rig.ask(&message(DATA_CACHE_1, desc, 0x01, &payload));
        assert_eq!(rig.dword(9), 1009, "{opcode:#x} {op}");
    }
}

#[test]
fn atomic_operations_follow_the_table() {
    assert_eq!(integer(7, 32, 0xffff_ffff, 2, 0), 1);
    assert_eq!(integer(10, 32, 0xffff_ffff, 1, 0), 1);
    assert_eq!(integer(12, 32, 0xffff_ffff, 1, 0), 0xffff_ffff);
    assert_eq!(integer(14, 32, 5, 5, 9), 9);
    assert_eq!(integer(14, 32, 5, 6, 9), 5);
    assert_eq!(integer(9, 64, 1, 0, 0), u64::MAX);
    assert_eq!(
        float(4, 1.5f32.to_bits(), 2.0f32.to_bits(), 0),
        3.5f32.to_bits()
    );
}
