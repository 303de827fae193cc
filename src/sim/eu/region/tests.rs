//! Where operands are: regions, architecture registers, immediates, and what leaves the register
//! file.
//!
//! Ref: SKL PRM vol. 7, "Register Region Addressing": element i of `<v;w,h>` is in row i / w and
//!      column i mod w, rows are v and columns h elements apart.

mod operands;

use crate::region::{DstOp, OperandKind, SrcOp, expand_vf};
use crate::regs;
use crate::testing::{
    Rng, abs, arf, arf_dst, both_paths, dst, g, imm, neg, null_dst, null_src, op, region, scalar,
};
use isa::{Addr, ArfReg, Dst, Inst, Opcode, RegFile, Region, Src, Type};

/// One source and `n` channels.
fn source(n: u8, s: Src) -> Result<SrcOp, String> {
    SrcOp::new(&op(Opcode::Mov, n, dst(100, s.ty), &[s]), 0, false)
}

/// As `source`, in align16.
fn aligned(n: u8, s: Src, three: bool) -> SrcOp {
    let mut i = op(Opcode::Mad, n, dst(100, s.ty), &[s]);
    i.align16 = true;
    SrcOp::new(&i, 0, three).unwrap_or_else(|e| panic!("{s:?}: {e}"))
}

#[test]
fn region_rows_and_columns() {
    for ty in [Type::Ub, Type::W, Type::F, Type::Q] {
        let size = ty.size_bytes() as usize;
        for v in [0u8, 1, 2, 4, 8, 16, 32] {
            for w in [1u8, 2, 4, 8, 16] {
                for h in [0u8, 1, 2, 4] {
                    for n in [1u8, 2, 4, 8, 16, 32] {
                        let s = region(g(10, ty), 8, v, w, h);
                        let what = format!("{n} lanes of <{v};{w},{h}>:{ty:?}");
                        let (v, w, h) = (usize::from(v), usize::from(w), usize::from(h));
                        let want: Vec<usize> = (0..usize::from(n))
                            .map(|i| 328 + (i / w * v + i % w * h) * size)
                            .collect();
                        if want.iter().any(|at| at + size > regs::GRF_BYTES) {
                            assert!(source(n, s).is_err(), "{what}");
                            continue;
                        }
                        let o = source(n, s).unwrap_or_else(|e| panic!("{what}: {e}"));
                        let got: Vec<usize> = (0..usize::from(n)).map(|i| o.offset(i)).collect();
                        assert_eq!(got, want, "{what}");
                        // The kinds that need no table are found.
                        let kind = if want.iter().all(|at| *at == 328) {
                            OperandKind::Scalar
                        } else if want.windows(2).all(|p| p[1] == p[0] + size) {
                            OperandKind::Contiguous
                        } else {
                            OperandKind::Table
                        };
                        assert_eq!(
                            (o.kind, o.ty, usize::from(o.size)),
                            (kind, ty, size),
                            "{what}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn align16_source_swizzles_groups_of_four() {
    let mut s = g(10, Type::F);
    s.region = Region::new(4, 4, 1);
    for swizzle in [0xe4u8, 0x1b, 0x00, 0xff, 0x9c] {
        s.swizzle = swizzle;
        for three in [false, true] {
            let o = aligned(16, s, three);
            for i in 0..16 {
                let c = usize::from(swizzle >> (2 * (i % 4)) & 3);
                assert_eq!(o.offset(i), 320 + 4 * (i / 4 * 4 + c), "{swizzle:#x} {i}");
            }
        }
    }
    // A vertical stride of zero repeats the first four; three sources have none.
    s.swizzle = 0x1b;
    s.region.vstride = 0;
    for i in 0..16 {
        assert_eq!(aligned(16, s, false).offset(i), 320 + 4 * (3 - i % 4));
        assert_eq!(
            aligned(16, s, true).offset(i),
            320 + 4 * (i / 4 * 4 + 3 - i % 4)
        );
    }
    // .r repeats one element, of three sources only.
    s.rep_ctrl = true;
    s.region.vstride = 4;
    assert_eq!(aligned(16, s, true).kind, OperandKind::Scalar);
    assert_eq!(aligned(16, s, true).offset(9), 320);
    assert_eq!(aligned(16, s, false).offset(4), 320 + 4 * 7);
}

#[test]
fn source_must_end_within_the_register_file() {
    let reaches = |n, s: Src| source(n, s).err();
    let end = |r: Option<String>, byte: usize| {
        r.is_some_and(|e| e.contains(&format!("source 0 of Mov reaches byte {byte:#x}")))
    };
    let g127 = |sub, ty, v, w, h| region(g(127, ty), sub, v, w, h);
    for (n, s) in [
        (8, g(127, Type::D)),
        (16, g(126, Type::D)),
        (32, g(124, Type::F)),
        (1, scalar(127, 31, Type::Ub)),
        (32, scalar(127, 24, Type::Q)),
        (8, g127(4, Type::D, 0, 4, 1)),
        (4, g127(0, Type::W, 4, 4, 4)),
        (8, null_src()),
        (32, null_src()),
        // Flow control's registers are the last of the architecture's.
        (16, arf(ArfReg::FlowControl, 0, 0, Type::Ud)),
    ] {
        assert_eq!(reaches(n, s), None, "{n} {s:?}");
    }
    for (n, s, byte) in [
        (16, g(127, Type::D), 4096 + 31),
        (8, g127(4, Type::D, 8, 8, 1), 4096 + 3),
        (1, scalar(127, 30, Type::D), 4096 + 1),
        (2, g127(30, Type::W, 1, 1, 0), 4096 + 1),
        (16, arf(ArfReg::FlowControl, 0, 4, Type::Ud), regs::END + 3),
    ] {
        let e = reaches(n, s);
        assert!(end(e.clone(), byte), "{n} {s:?}: {e:?}, not {byte:#x}");
    }
}

#[test]
fn destination_must_end_within_the_register_file() {
    let table = [
        (8, dst(127, Type::D), 1, 0, true),
        (16, dst(127, Type::D), 1, 0, false),
        (16, dst(126, Type::D), 1, 0, true),
        (8, dst(127, Type::D), 1, 4, false),
        (7, dst(127, Type::D), 1, 4, true),
        // The last element has no stride behind it.
        (8, dst(127, Type::W), 2, 0, true),
        (8, dst(127, Type::W), 2, 2, true),
        (8, dst(127, Type::W), 2, 4, false),
        (4, dst(127, Type::W), 4, 6, true),
        (4, dst(127, Type::W), 4, 8, false),
        (16, arf_dst(ArfReg::FlowControl, 0, 0, Type::Ud), 1, 0, true),
        (
            16,
            arf_dst(ArfReg::FlowControl, 0, 4, Type::Ud),
            1,
            4,
            false,
        ),
        (32, null_dst(Type::Q), 1, 0, true),
    ];
    for (n, mut d, stride, sub, fits) in table {
        d.hstride = stride;
        if let Addr::Direct { sub_bytes, .. } = &mut d.addr {
            *sub_bytes = sub;
        }
        let i = op(Opcode::Mov, n, d, &[imm(Type::D, 0)]);
        assert_eq!(DstOp::new(&i).is_ok(), fits, "{n} {d:?}");
    }
    // One lane.
    let mut d = dst(127, Type::D);
    d.addr = Addr::Direct {
        nr: 127,
        sub_bytes: 28,
    };
    let i = op(Opcode::Mov, 1, d, &[imm(Type::D, 0)]);
    assert!(DstOp::new(&i).is_ok());
    // A message's response has its own length.
    for o in [Opcode::Send, Opcode::Sendc, Opcode::Sends, Opcode::Sendsc] {
        let i = op(o, 16, dst(127, Type::D), &[g(2, Type::D)]);
        assert!(DstOp::new(&i).is_ok(), "{o:?}");
    }
}

#[test]
fn destinations_have_strides_and_write_masks() {
    let of = |n, d: Dst, align16| {
        let mut i = op(Opcode::Mov, n, d, &[imm(Type::D, 0)]);
        i.align16 = align16;
        DstOp::new(&i).unwrap_or_else(|e| panic!("{d:?}: {e}"))
    };
    let strided = |hstride, ty| Dst {
        hstride,
        ..dst(20, ty)
    };
    for (hstride, ty, kind, apart) in [
        (1, Type::D, OperandKind::Contiguous, 4),
        (2, Type::D, OperandKind::Table, 8),
        (4, Type::B, OperandKind::Table, 4),
        (2, Type::Q, OperandKind::Table, 16),
        // Not encoded: as one.
        (0, Type::W, OperandKind::Contiguous, 2),
    ] {
        let o = of(8, strided(hstride, ty), false);
        assert_eq!((o.kind, o.lane_mask), (kind, u32::MAX), "{hstride} {ty:?}");
        for i in 0..8 {
            assert_eq!(o.offset(i), 640 + i * apart, "{hstride} {ty:?}");
        }
    }
    // Align16 has no stride, and a mask for each group of four.
    let masked = Dst {
        writemask: 0b0110,
        ..strided(2, Type::D)
    };
    let o = of(8, masked, true);
    assert_eq!(
        (o.kind, o.lane_mask, o.offset(3)),
        (OperandKind::Contiguous, 0x6666_6666, 652)
    );
    assert_eq!(of(8, null_dst(Type::D), false).kind, OperandKind::Null);
    let accumulates = |d| of(8, d, false).is_acc();
    for (d, acc) in [
        (arf_dst(ArfReg::Accumulator, 0, 0, Type::D), true),
        (arf_dst(ArfReg::Accumulator, 9, 0, Type::D), true),
        (
            Dst {
                hstride: 2,
                ..arf_dst(ArfReg::Accumulator, 0, 0, Type::W)
            },
            true,
        ),
        (arf_dst(ArfReg::Flag, 0, 0, Type::Uw), false),
        (arf_dst(ArfReg::Address, 0, 0, Type::Uw), false),
        (dst(4, Type::D), false),
        (null_dst(Type::D), false),
    ] {
        assert_eq!(accumulates(d), acc, "{d:?}");
    }
}

#[test]
fn architecture_registers_map_to_distinct_offsets() {
    let at = |r, idx, sub| {
        source(1, region(arf(r, idx, sub, Type::Uw), sub, 0, 1, 0)).map(|o| usize::from(o.base))
    };
    let table = [
        (ArfReg::Address, regs::A0),
        (ArfReg::Accumulator, regs::ACC),
        (ArfReg::ChannelEnable, regs::CE),
        (ArfReg::MessageControl, regs::OTHER),
        (ArfReg::StackPointer, regs::OTHER),
        (ArfReg::State, regs::SR),
        (ArfReg::Control, regs::CR),
        (ArfReg::Notification, regs::N0),
        (ArfReg::InstructionPointer, regs::IP),
        (ArfReg::ThreadDependency, regs::TDR),
        (ArfReg::Timestamp, regs::TM),
        (ArfReg::FlowControl, regs::FC),
    ];
    for (r, base) in table {
        for sub in [0, 2, 14, 30] {
            assert_eq!(at(r, 0, sub), Ok(base + usize::from(sub)), "{r:?}.{sub}");
        }
    }
    for idx in 0..10 {
        let want = regs::ACC + 32 * usize::from(idx) + 4;
        assert_eq!(at(ArfReg::Accumulator, idx, 4), Ok(want), "acc{idx}");
    }
    // f0.0, f0.1, f1.0, f1.1 are words one behind the other.
    for (idx, sub, word) in [(0, 0, 0), (0, 2, 1), (1, 0, 2), (1, 2, 3)] {
        assert_eq!(
            at(ArfReg::Flag, idx, sub),
            Ok(regs::FLAG + 2 * word),
            "f{idx}.{sub}"
        );
    }
    // Null is null for every lane.
    for sub in [0, 8] {
        assert_eq!(at(ArfReg::Null, 0, sub), Ok(regs::NULL));
    }
    let null = source(32, null_src()).map(|o| (o.kind, o.offset(31)));
    assert_eq!(null, Ok((OperandKind::Scalar, regs::NULL)));
    // Only an operand that names a register is within its range.
    let tm = source(1, arf(ArfReg::Timestamp, 0, 0, Type::Ud));
    assert!(tm.is_ok_and(|o| o.within(regs::TM, regs::FC) && !o.within(regs::TDR, regs::TM)));
    let mut indirect = imm(Type::D, 0);
    indirect.addr = Addr::Indirect {
        a0_sub: 0,
        imm_bytes: 0,
    };
    let through_a0 = Src {
        file: RegFile::Grf,
        ..indirect
    };
    for s in [imm(Type::D, 1), through_a0] {
        assert!(source(1, s).is_ok_and(|o| !o.within(0, regs::END)), "{s:?}");
    }
}

#[test]
fn immediates_are_truncated_and_replicated() {
    let bits = 0xfedc_ba98_8765_4321u64;
    let high = 0xfedc_ba98_d765_c3a1u64;
    for (ty, want) in [
        (Type::Ub, 0xa1),
        (Type::W, 0xc3a1),
        (Type::Hf, 0xc3a1),
        (Type::D, 0xd765_c3a1),
        (Type::F, 0xd765_c3a1),
        (Type::Q, high),
        (Type::Df, high),
    ] {
        let o = source(16, abs(neg(imm(ty, high)))).unwrap_or_else(|e| panic!("{ty:?}: {e}"));
        assert_eq!(
            (o.kind, o.ty, o.abs, o.neg),
            (OperandKind::Imm, ty, true, true)
        );
        for i in [0, 1, 7, 15] {
            assert_eq!(o.imm_lane(i), want, "{ty:?} {i}");
        }
    }
    for (ty, into) in [
        (Type::V, Type::W),
        (Type::Uv, Type::Uw),
        (Type::Vf, Type::F),
    ] {
        let o = source(16, imm(ty, bits)).unwrap_or_else(|e| panic!("{ty:?}: {e}"));
        assert_eq!(o.ty, into);
        for i in 0..32 {
            // 1 to 8, of which V's last is minus eight; VF has a byte for each lane of four.
            let nibble = 1 + i as u64 % 8;
            let want = match ty {
                Type::V if nibble == 8 => 0xfff8,
                Type::Vf => u64::from(expand_vf((bits >> (8 * (i % 4))) as u8)),
                _ => nibble,
            };
            assert_eq!(o.imm_lane(i), want, "{ty:?} {i}");
        }
    }
}

#[test]
fn vf_immediate_decoding() {
    for code in 0..=255u8 {
        let (exponent, mantissa) = (i32::from(code >> 4 & 7), f32::from(code & 15));
        let magnitude = if code & 0x7f == 0 {
            0.0
        } else {
            (1.0 + mantissa / 16.0) * 2f32.powi(exponent - 3)
        };
        let want = if code & 0x80 == 0 {
            magnitude
        } else {
            -magnitude
        };
        assert_eq!(expand_vf(code), want.to_bits(), "{code:#x}");
    }
}

#[test]
fn indirect_region_displacements_per_lane() {
    let through = |v, w, h| Src {
        addr: Addr::Indirect {
            a0_sub: 3,
            imm_bytes: -6,
        },
        ..region(g(0, Type::W), 0, v, w, h)
    };
    let of = |s| source(8, s).unwrap_or_else(|e| panic!("{s:?}: {e}"));
    let one = of(through(4, 2, 1));
    assert_eq!(
        (one.kind, one.a0_sub, one.disp, one.vx1),
        (OperandKind::Indirect, 3, -6, false)
    );
    let table = |o: &SrcOp| o.table.as_ref().map(|t| t[..8].to_vec());
    assert_eq!(table(&one), Some(vec![0, 2, 8, 10, 16, 18, 24, 26]));
    // Each row has an address of its own: the displacement begins again.
    let many = of(through(Region::VX1, 4, 2));
    assert!(many.vx1 && many.width == 4);
    assert_eq!(table(&many), Some(vec![0, 4, 8, 12, 0, 4, 8, 12]));
    let mut d = dst(0, Type::W);
    d.addr = Addr::Indirect {
        a0_sub: 5,
        imm_bytes: 34,
    };
    let o = DstOp::new(&op(Opcode::Mov, 8, d, &[imm(Type::W, 0)]));
    assert!(
        o.is_ok_and(|o| (o.kind, o.a0_sub, o.disp, o.stride) == (OperandKind::Indirect, 5, 34, 2))
    );
}

/// What an addition of `add` leaves that reads all of its source before it writes.
fn read_first(grf: &mut [u8], i: &Inst, mask: u32, add: u64) {
    let (n, size) = (usize::from(i.exec_size), i.dst.ty.size_bytes() as usize);
    let place = |a: Addr| match a {
        Addr::Direct { nr, sub_bytes } => usize::from(nr) * 32 + usize::from(sub_bytes),
        Addr::Indirect { .. } => 0,
    };
    let stride = usize::from(i.dst.hstride) * size;
    let r = i.src[0].region;
    let (v, w, h) = (
        usize::from(r.vstride),
        usize::from(r.width),
        usize::from(r.hstride),
    );
    let sums: Vec<u64> = (0..n)
        .map(|l| {
            let at = place(i.src[0].addr) + (l / w * v + l % w * h) * size;
            let mut b = [0; 8];
            b[..size].copy_from_slice(&grf[at..at + size]);
            u64::from_le_bytes(b).wrapping_add(add)
        })
        .collect();
    for (l, sum) in sums.iter().enumerate().filter(|(l, _)| mask >> l & 1 != 0) {
        let at = place(i.dst.addr) + l * stride;
        grf[at..at + size].copy_from_slice(&sum.to_le_bytes()[..size]);
    }
}

/// `add (16) r2:d r2<0;1,0>:d r1:uw`, as Intel's compiler writes it.
#[test]
fn compressed_instruction_may_overwrite_its_scalar_source() {
    let payload: Vec<u32> = (0..1024)
        .map(|i| if i < 16 { 0x0003_0002 } else { 1_000 + i })
        .collect();
    let i = op(
        Opcode::Add,
        16,
        dst(2, Type::D),
        &[scalar(2, 0, Type::D), g(1, Type::Uw)],
    );
    for t in both_paths(&[i], &payload, u32::MAX) {
        let want: Vec<u32> = (0..16).map(|l| 1_016 + 2 + l % 2).collect();
        assert_eq!(t.grf()[16..32], want);
    }
}

#[test]
fn sources_are_read_before_the_destination_is_written() {
    let mut r = Rng(0x5011d);
    let payload: Vec<u32> = (0..1024).map(|_| r.next() as u32).collect();
    for round in 0..4_000 {
        let ty = r.pick(&[Type::W, Type::D, Type::D, Type::Q]);
        let size = ty.size_bytes() as u8;
        let n = if size == 8 {
            r.pick(&[2, 4, 8])
        } else {
            r.pick(&[2, 4, 8, 16])
        };
        let mut i = op(
            Opcode::Add,
            n,
            dst(20, ty),
            &[
                g(18 + r.below(5) as u8, ty),
                imm(if size == 2 { Type::W } else { Type::D }, 3),
            ],
        );
        let sub = r.below(u64::from(32 / size)) as u8 * size;
        i.src[0] = region(
            i.src[0],
            sub,
            r.pick(&[0, 1, 2, 4, 8]),
            r.pick(&[1, 2, 4, 8]),
            r.pick(&[0, 1, 2]),
        );
        i.dst.hstride = r.pick(&[1, 1, 2, 4]);
        let sub_bytes = r.below(u64::from(32 / size)) as u8 * size;
        i.dst.addr = Addr::Direct { nr: 20, sub_bytes };
        let mask = r.next() as u32 | if r.below(2) == 0 { u32::MAX } else { 0 };
        let mut want: Vec<u8> = payload.iter().flat_map(|w| w.to_le_bytes()).collect();
        read_first(&mut want, &i, mask, 3);
        for t in both_paths(&[i], &payload, mask) {
            let got: Vec<u8> = t.grf().iter().flat_map(|w| w.to_le_bytes()).collect();
            let first = got.iter().zip(&want).position(|(a, b)| a != b);
            assert_eq!(first, None, "round {round}: {mask:#x} {i:?}");
        }
    }
}
