//! Uninitialised reads: which instructions are stopped, and which bytes count as written.

use crate::message::StopReason;
use crate::state::Options;
use crate::testing::{
    Recorder, arf, arf_dst, cmod, dst, g, imm, no_mask, null_dst, op, pred, region, scalar,
    thread_with,
};
use crate::thread::ThreadExit;
use isa::{
    Addr, ArfReg, CondMod, Desc, Dst, Inst, MathFn, Opcode, PredCtrl, Region, Send, Src, Type,
};

pub(super) const UNINIT: Options = Options {
    strict: false,
    uninit: true,
    statistics: false,
};

/// Runs `code` with `payload`, eight channels of `mask`: where the check stops it (the instruction,
/// and the error's text).
pub(super) fn stopped(code: &[Inst], payload: &[u32], mask: u32) -> Option<(u64, String)> {
    let mut t = thread_with(code, payload, mask, 0, UNINIT);
    match t.run(&mut Recorder::default(), 100) {
        Ok(ThreadExit::Eot) => None,
        Err(StopReason::Undefined {
            rule: "uninitialised",
            at,
            what,
            ..
        }) => Some((at / 16, what)),
        e => panic!("{e:?}"),
    }
}

/// Asserts that instruction `k` is stopped because lane `lane` reads byte `byte` of register `nr`.
fn stops_at(got: Option<(u64, String)>, k: u64, lane: u32, nr: usize, byte: usize) {
    let Some((at, what)) = got else {
        panic!("instruction {k} should be stopped");
    };
    assert_eq!(at, k, "{what}");
    assert!(what.starts_with(&format!("lane {lane} of ")), "{what}");
    assert!(
        what.contains(&format!(" reads g{nr}.{byte} before")),
        "{what}"
    );
}

pub(super) fn write_one(n: u8, d: Dst) -> Inst {
    op(Opcode::Mov, n, d, &[imm(Type::D, 1)])
}

fn with_region(mut d: Dst, sub_bytes: u8, hstride: u8) -> Dst {
    if let Addr::Direct { nr, .. } = d.addr {
        d.addr = Addr::Direct { nr, sub_bytes };
    }
    d.hstride = hstride;
    d
}

/// An accumulator, in which undefined values are not tracked: a write to it is a use.
fn accumulator(ty: Type) -> Dst {
    arf_dst(ArfReg::Accumulator, 0, 0, ty)
}

/// A use of `s` by `n` channels.
fn use_of(n: u8, s: Src) -> Inst {
    let second = imm(if s.ty.is_float() { Type::F } else { Type::D }, 0);
    op(Opcode::Add, n, accumulator(s.ty), &[s, second])
}

#[test]
fn only_payload_registers_start_initialised() {
    let p = [7; 20];
    assert_eq!(stopped(&[use_of(8, g(1, Type::D))], &p, 0xff), None);
    stops_at(stopped(&[use_of(8, g(2, Type::D))], &p, 0xff), 0, 4, 2, 16);
    assert_eq!(stopped(&[use_of(8, g(2, Type::D))], &p, 0x0f), None);
    assert_eq!(stopped(&[use_of(4, g(2, Type::D))], &p, 0xff), None);
    stops_at(
        stopped(&[use_of(2, region(g(2, Type::Q), 8, 1, 1, 1))], &p, 0xff),
        0,
        1,
        2,
        16,
    );
    let byte = |nr, sub| use_of(1, scalar(nr, sub, Type::Ub));
    assert_eq!(
        stopped(&[use_of(8, g(0, Type::D)), byte(2, 15)], &p, 0xff),
        None
    );
    stops_at(stopped(&[byte(2, 16)], &p, 0xff), 0, 0, 2, 16);
    // The last of the register file.
    assert_eq!(
        stopped(&[use_of(8, g(127, Type::D))], &[7; 2000], 0xff),
        None
    );
    stops_at(
        stopped(&[use_of(8, g(127, Type::D))], &[7; 1023], 0xff),
        0,
        7,
        127,
        28,
    );
}

#[test]
fn initialisation_is_tracked_per_byte() {
    // Two words of every four bytes' low half.
    let words = write_one(4, with_region(dst(30, Type::W), 4, 2));
    let word = |sub| scalar(30, sub, Type::W);
    for (sub, written) in [
        (4, true),
        (8, true),
        (16, true),
        (2, false),
        (6, false),
        (18, false),
        (20, false),
    ] {
        let got = stopped(&[words, use_of(1, word(sub))], &[], 0xff);
        if written {
            assert_eq!(got, None, "{sub}");
        } else {
            stops_at(got, 1, 0, 30, usize::from(sub));
        }
    }
    stops_at(
        stopped(&[words, use_of(1, scalar(30, 4, Type::D))], &[], 0xff),
        1,
        0,
        30,
        4,
    );
    let all = write_one(8, dst(30, Type::D));
    assert_eq!(
        stopped(&[all, use_of(1, scalar(30, 24, Type::Q))], &[], 0xff),
        None
    );
    // Half of a quadword is none.
    let half = write_one(4, dst(30, Type::D));
    stops_at(
        stopped(&[half, use_of(1, scalar(30, 16, Type::Q))], &[], 0xff),
        1,
        0,
        30,
        16,
    );
    let odd = write_one(1, with_region(dst(30, Type::D), 28, 1));
    stops_at(
        stopped(&[odd, use_of(1, scalar(30, 24, Type::Q))], &[], 0xff),
        1,
        0,
        30,
        24,
    );
    assert_eq!(
        stopped(&[odd, use_of(1, scalar(30, 28, Type::D))], &[], 0xff),
        None
    );
}

#[test]
fn disabled_lanes_stay_uninitialised() {
    let some = pred(write_one(8, dst(30, Type::D)), PredCtrl::Normal, true, 0);
    let every = use_of(8, g(30, Type::D));
    assert_eq!(stopped(&[some, every], &[], 0xff), None, "flags are zero");
    let none = pred(write_one(8, dst(30, Type::D)), PredCtrl::Normal, false, 0);
    stops_at(stopped(&[none, every], &[], 0xff), 1, 0, 30, 0);
    let low = write_one(4, dst(30, Type::D));
    stops_at(stopped(&[low, every], &[], 0xff), 1, 4, 30, 16);
    // Operations, as moves do, by their masks.
    for o in [Opcode::Mov, Opcode::Add] {
        let mut masked = op(o, 8, dst(30, Type::D), &[imm(Type::D, 1), imm(Type::D, 1)]);
        masked.align16 = true;
        masked.dst.writemask = 0b1011;
        stops_at(stopped(&[masked, every], &[], 0xff), 1, 2, 30, 8);
        masked.dst.writemask = 0b1111;
        assert_eq!(stopped(&[masked, every], &[], 0xff), None, "{o:?}");
    }
}

#[test]
fn quarter_instruction_checks_its_own_channels() {
    let mut upper = use_of(8, g(30, Type::D));
    upper.chan_off = 8;
    stops_at(stopped(&[upper], &[], 0x0400), 0, 2, 30, 8);
    assert_eq!(stopped(&[upper], &[], 0x00ff), None);
    // Without mask it goes through what is off.
    assert_eq!(stopped(&[no_mask(upper)], &[], 0x00ff), None);
    stops_at(stopped(&[no_mask(upper)], &[], 0x8000), 0, 7, 30, 28);
}

#[test]
fn moving_uninitialised_bytes_uninitialises_the_destination() {
    let write = write_one(8, dst(30, Type::D));
    let over = op(Opcode::Mov, 8, dst(30, Type::D), &[g(40, Type::D)]);
    let user = use_of(8, g(30, Type::D));
    stops_at(stopped(&[write, over, user], &[], 0xff), 2, 0, 30, 0);
    // Only in the lanes that moved.
    let upper = Inst {
        exec_size: 4,
        dst: with_region(dst(30, Type::D), 16, 1),
        ..over
    };
    stops_at(stopped(&[write, upper, user], &[], 0xff), 2, 4, 30, 16);
    // What is written of the source stays so.
    let half = write_one(4, dst(40, Type::D));
    stops_at(stopped(&[half, over, user], &[], 0xff), 2, 4, 30, 16);
    assert_eq!(
        stopped(&[half, over, use_of(4, g(30, Type::D))], &[], 0xff),
        None
    );
    // Byte for byte: of an element half of which is written that half may be used.
    let low = write_one(8, with_region(dst(40, Type::W), 0, 2));
    let words = Src {
        region: Region::new(16, 8, 2),
        ..g(30, Type::W)
    };
    assert_eq!(stopped(&[low, over, use_of(8, words)], &[], 0xff), None);
    stops_at(
        stopped(&[low, over, use_of(8, g(30, Type::D))], &[], 0xff),
        2,
        0,
        30,
        0,
    );
    // A move that changes the type moves, too.
    let narrow = op(Opcode::Mov, 8, dst(30, Type::W), &[g(40, Type::D)]);
    stops_at(
        stopped(&[half, narrow, use_of(8, g(30, Type::W))], &[], 0xff),
        2,
        4,
        30,
        8,
    );
}

#[test]
fn sel_result_is_initialised_like_its_selected_source() {
    let one = write_one(8, dst(40, Type::D));
    let sources = [g(40, Type::D), g(50, Type::D)];
    let sel = |inverse| {
        pred(
            op(Opcode::Sel, 8, dst(30, Type::D), &sources),
            PredCtrl::Normal,
            inverse,
            0,
        )
    };
    let user = use_of(8, g(30, Type::D));
    // The flags are zero: source 1, or source 0 by the inverse.
    stops_at(stopped(&[one, sel(false), user], &[], 0xff), 2, 0, 30, 0);
    assert_eq!(stopped(&[one, sel(true), user], &[], 0xff), None);
    assert_eq!(stopped(&[one, sel(false)], &[], 0xff), None);
    // By lanes.
    let odd = cmod(
        op(
            Opcode::And,
            8,
            null_dst(Type::D),
            &[imm(Type::V, 0x7654_3210), imm(Type::D, 1)],
        ),
        CondMod::Z,
        0,
    );
    stops_at(
        stopped(&[one, odd, sel(false), user], &[], 0xff),
        3,
        1,
        30,
        4,
    );
    // The lesser of two depends on both.
    let minimum = cmod(
        op(Opcode::Sel, 8, accumulator(Type::D), &sources),
        CondMod::L,
        0,
    );
    stops_at(stopped(&[one, minimum], &[], 0xff), 1, 0, 50, 0);
}

#[test]
fn moves_to_other_files_are_uses() {
    let copy = op(Opcode::Mov, 8, dst(30, Type::D), &[g(40, Type::D)]);
    for d in [
        accumulator(Type::D),
        arf_dst(ArfReg::Address, 0, 0, Type::Uw),
        arf_dst(ArfReg::Flag, 0, 0, Type::Ud),
        Dst {
            addr: Addr::Indirect {
                a0_sub: 0,
                imm_bytes: 0,
            },
            ..dst(0, Type::D)
        },
    ] {
        stops_at(stopped(&[Inst { dst: d, ..copy }], &[], 0xff), 0, 0, 40, 0);
    }
    // The last register is a register.
    assert_eq!(
        stopped(
            &[Inst {
                dst: dst(127, Type::D),
                ..copy
            }],
            &[],
            0xff
        ),
        None
    );
}

#[test]
fn exactly_the_sources_of_an_operation_are_checked() {
    let w = g(40, Type::D);
    let n = g(50, Type::D);
    let write = write_one(8, dst(40, Type::D));
    for (o, s, stops) in [
        (Opcode::Not, [n, w, w], true),
        (Opcode::Not, [w, n, n], false),
        (Opcode::Add, [n, w, w], true),
        (Opcode::Add, [w, n, w], true),
        (Opcode::Add, [w, w, n], false),
        (Opcode::Bfe, [w, w, n], true),
        (Opcode::Bfe, [w, w, w], false),
    ] {
        let i = op(o, 8, accumulator(Type::D), &s);
        let got = stopped(&[write, i], &[], 0xff);
        if stops {
            stops_at(got, 1, 0, 50, 0);
        } else {
            assert_eq!(got, None, "{o:?}");
        }
    }
    let mut inverse = op(
        Opcode::Math,
        8,
        dst(60, Type::F),
        &[g(40, Type::F), g(50, Type::F)],
    );
    inverse.math = Some(MathFn::Inv);
    assert_eq!(stopped(&[write, inverse], &[], 0xff), None);
    // Immediates, and registers of other files, are always written.
    let a = op(
        Opcode::Add,
        8,
        dst(60, Type::D),
        &[arf(ArfReg::Accumulator, 0, 0, Type::D), imm(Type::D, 1)],
    );
    assert_eq!(stopped(&[a], &[], 0xff), None);
}

#[test]
fn indirect_operands_check_the_addressed_registers() {
    let a0 = |v| {
        no_mask(op(
            Opcode::Mov,
            1,
            arf_dst(ArfReg::Address, 0, 0, Type::Uw),
            &[imm(Type::Uw, v)],
        ))
    };
    let through = Addr::Indirect {
        a0_sub: 0,
        imm_bytes: 0,
    };
    let mut s = g(0, Type::D);
    s.addr = through;
    let write = write_one(8, dst(40, Type::D));
    let read = |v| stopped(&[write, a0(v), use_of(8, s)], &[], 0xff);
    assert_eq!(read(40 * 32), None);
    stops_at(read(40 * 32 + 8), 2, 6, 41, 0);
    let carried = |v| {
        let copy = op(Opcode::Mov, 8, dst(30, Type::D), &[s]);
        stopped(&[write, a0(v), copy, use_of(8, g(30, Type::D))], &[], 0xff)
    };
    assert_eq!(carried(40 * 32), None);
    stops_at(carried(40 * 32 + 8), 3, 6, 30, 24);
    // A destination: all bytes from its first lane to its last.
    let d = |n, hstride| {
        write_one(
            n,
            Dst {
                addr: through,
                hstride,
                ..dst(0, Type::D)
            },
        )
    };
    let code = |n, hstride, first: u8, count| {
        let back = region(g(50, Type::D), first, count, count, 1);
        stopped(
            &[a0(50 * 32 + 4), d(n, hstride), use_of(count, back)],
            &[],
            0xffff,
        )
    };
    assert_eq!(code(4, 1, 4, 4), None);
    stops_at(code(4, 1, 0, 4), 2, 0, 50, 0);
    stops_at(code(4, 1, 8, 4), 2, 3, 50, 20);
    assert_eq!(code(4, 2, 4, 4), None);
    assert_eq!(code(1, 1, 4, 1), None);
    stops_at(code(1, 1, 8, 1), 2, 0, 50, 8);
}

#[test]
fn response_initialises_rlen_registers() {
    let mut send = op(Opcode::Send, 8, dst(30, Type::Ud), &[g(0, Type::Ud)]);
    send.send = Some(Send {
        sfid: 3,
        desc: Desc::Imm(1 << 25 | 2 << 20),
        ex_desc: Desc::Imm(0),
        eot: false,
    });
    let user = |nr| use_of(8, g(nr, Type::D));
    assert_eq!(stopped(&[send, user(30), user(31)], &[], 0xff), None);
    stops_at(stopped(&[send, user(32)], &[], 0xff), 1, 0, 32, 0);
    let byte = use_of(1, scalar(32, 0, Type::Ub));
    stops_at(stopped(&[send, byte], &[], 0xff), 1, 0, 32, 0);
    stops_at(stopped(&[send, user(29)], &[], 0xff), 1, 0, 29, 0);
}

/// GrfByteMask of the address that each lane sends in a message of type `t` (bits 18:14 of the
/// descriptor) to a shared function; nothing where it sends none (SKL PRM vol. 2d, "Message Type"
/// of data cache 0 and 1).
fn address_bytes(sfid: u8, t: u32) -> Option<usize> {
    // Data cache 0, but for scratch blocks (bit 18): dwords and bytes, scattered, read and written.
    let scattered = [0b0011, 0b0100, 0b1011, 0b1100];
    // Data cache 1: untyped reads, atomics, writes, float atomics of a surface; and those of 64-bit
    // addresses, with scattered reads and writes.
    let untyped = [0b00001, 0b00010, 0b01001, 0b11011];
    let stateless = [0b10000, 0b10001, 0b10010, 0b11001, 0b11010, 0b11101];
    match sfid {
        10 if scattered.contains(&t) => Some(4),
        12 if untyped.contains(&t) => Some(4),
        12 if stateless.contains(&t) => Some(8),
        _ => None,
    }
}

#[test]
fn addresses_of_enabled_lanes_must_be_initialised() {
    let message = |sfid, kind: u32, header: u32, len: u32| {
        let mut i = op(Opcode::Send, 16, null_dst(Type::Ud), &[g(10, Type::Ud)]);
        i.send = Some(Send {
            sfid,
            desc: Desc::Imm(len << 25 | header << 19 | kind << 14),
            ex_desc: Desc::Imm(0),
            eot: false,
        });
        i
    };
    for sfid in 0..16u8 {
        for kind in 0..32 {
            for header in [0u32, 1] {
                // The message begins behind what the payload has written.
                let payload = vec![0; 80 + 8 * header as usize];
                let got = stopped(&[message(sfid, kind, header, 6)], &payload, 0b1_0000_0100);
                match address_bytes(sfid, kind) {
                    None => assert_eq!(got, None, "{sfid} {kind:#x}"),
                    Some(bytes) => stops_at(got, 0, 2, 10 + header as usize, 2 * bytes),
                }
            }
        }
    }
    // Lanes one by one; what lies past the message is no address.
    for (sfid, kind, bytes) in [
        (12u8, 0b00001u32, 4usize),
        (12, 0b10001, 8),
        (10, 0b0011, 4),
    ] {
        for lane in 0..16 {
            let at = 320 + lane as usize * bytes;
            let exactly = vec![0; (at + bytes) / 4];
            let less = vec![0; (at + bytes) / 4 - 1];
            for len in [1, 2, 4] {
                let i = message(sfid, kind, 0, len);
                assert_eq!(stopped(&[i], &exactly, 1 << lane), None, "{kind:#x} {lane}");
                let got = stopped(&[i], &less, 1 << lane);
                if at + bytes <= 320 + 32 * len as usize {
                    stops_at(got, 0, lane, at / 32, at % 32);
                } else {
                    assert_eq!(got, None, "{kind:#x} {lane}, {len} registers");
                }
            }
        }
    }
}

#[test]
fn urb_handles_of_enabled_lanes_must_be_initialised() {
    let message = |opcode: u32, slots: u32, masks: u32| {
        let mut i = op(Opcode::Send, 8, null_dst(Type::Ud), &[g(10, Type::Ud)]);
        i.send = Some(Send {
            sfid: 6,
            desc: Desc::Imm(4 << 25 | 1 << 19 | slots << 17 | masks << 15 | opcode),
            ex_desc: Desc::Imm(0),
            eot: false,
        });
        i
    };
    // SIMD8 writes and reads: handles, then offsets and masks where there are some; what is written
    // may be anything.
    for opcode in [7, 8] {
        for (slots, masks) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let i = message(opcode, slots, masks);
            let registers = 1 + (slots + masks) as usize;
            for register in 0..registers {
                let end = 80 + 8 * register;
                let got = stopped(&[i], &vec![0; end + 2], 0b100);
                stops_at(got, 0, 2, 10 + register, 8);
                let got = stopped(&[i], &vec![0; end + 2], 0b011);
                match register + 1 == registers {
                    true => assert_eq!(got, None),
                    false => stops_at(got, 0, 0, 11 + register, 0),
                }
            }
            let all = vec![0; 80 + 8 * registers];
            assert_eq!(stopped(&[i], &all, 0xff), None, "{opcode}");
        }
    }
}

#[test]
fn value_with_an_uninitialised_byte_is_uninitialised() {
    let bytes = |nr| [1, 2, 3].map(|sub| write_one(1, with_region(dst(nr, Type::Ub), sub, 1)));
    let mut code = bytes(30).to_vec();
    code.push(use_of(1, scalar(30, 0, Type::D)));
    stops_at(stopped(&code, &[], 0xff), 3, 0, 30, 0);
    code.insert(0, write_one(1, with_region(dst(30, Type::Ub), 0, 1)));
    assert_eq!(stopped(&code, &[], 0xff), None);
    // Nor is an address.
    let mut send = op(Opcode::Send, 8, null_dst(Type::Ud), &[g(10, Type::Ud)]);
    send.send = Some(Send {
        sfid: 12,
        desc: Desc::Imm(1 << 25 | 1 << 14),
        ex_desc: Desc::Imm(0),
        eot: false,
    });
    let mut code = bytes(10).to_vec();
    code.push(send);
    stops_at(stopped(&code, &[], 0x01), 3, 0, 10, 0);
    code.insert(0, write_one(1, with_region(dst(10, Type::Ub), 0, 1)));
    assert_eq!(stopped(&code, &[], 0x01), None);
}

#[test]
fn uninitialised_move_affects_only_its_bytes_and_lanes() {
    let copy = op(Opcode::Mov, 8, dst(30, Type::D), &[g(40, Type::D)]);
    for lane in [0u8, 3, 7] {
        let user = no_mask(use_of(1, scalar(30, 4 * lane, Type::D)));
        let got = stopped(
            &[
                copy,
                Inst {
                    chan_off: lane / 4 * 4,
                    exec_size: 4,
                    ..user
                },
            ],
            &[],
            1 << lane,
        );
        stops_at(got, 1, u32::from(lane % 4), 30, usize::from(4 * lane));
    }
    // Adjacent bytes are unchanged.
    let all = [
        write_one(8, dst(30, Type::D)),
        write_one(8, dst(50, Type::D)),
    ];
    let one = Inst {
        exec_size: 1,
        dst: with_region(dst(30, Type::D), 8, 1),
        ..copy
    };
    for (nr, sub, written) in [
        (30, 7, true),
        (30, 8, false),
        (30, 11, false),
        (30, 12, true),
        (50, 0, true),
    ] {
        let byte = use_of(1, scalar(nr, sub, Type::Ub));
        let got = stopped(&[all[0], all[1], one, byte], &[], 0xff);
        if written {
            assert_eq!(got, None, "g{nr}.{sub}");
        } else {
            stops_at(got, 3, 0, 30, usize::from(sub));
        }
    }
    // To the last bytes of the register file.
    let last = Inst {
        exec_size: 1,
        dst: with_region(dst(127, Type::D), 28, 1),
        ..copy
    };
    assert_eq!(stopped(&[last], &[], 0xff), None);
}

#[test]
fn disabled_but_initialised_lanes_stay_initialised() {
    let all = no_mask(write_one(8, dst(30, Type::D)));
    let through = no_mask(op(
        Opcode::Add,
        8,
        dst(31, Type::D),
        &[g(30, Type::D), imm(Type::D, 1)],
    ));
    let last = use_of(8, scalar(31, 28, Type::D));
    assert_eq!(stopped(&[all, through, last], &[], 0x0f), None);
}
