//! Which instructions have a fast path, and that it produces the interpreter's bits at the
//! edges.

mod pixel_positions;
mod random;

use crate::kernel::Kernel;
use crate::testing::{
    Rng, abs, arf_dst, both_paths, both_paths_with, cmod, dst, g, imm, neg, null_dst, op, pred,
    region, scalar,
};
use crate::uop::{AluFn, UopKind};
use isa::{Addr, ArfReg, CondMod, Dst, Inst, MathFn, Opcode, PredCtrl, Src, Type};

fn is_fast(i: &Inst) -> bool {
    let k = Kernel::from_insts(&[*i]).expect("there is an instruction");
    match &k.uops[0].kind {
        UopKind::Alu(f) => !std::ptr::fn_addr_eq(*f, crate::interpreter::execute as AluFn),
        _ => panic!("{i:?}"),
    }
}

fn typed_op(o: Opcode, d: Type, s: &[Type]) -> Inst {
    let s: Vec<Src> = s.iter().zip([2, 10, 18]).map(|(t, nr)| g(nr, *t)).collect();
    op(o, 8, dst(40, d), &s)
}

fn math(f: MathFn, ty: Type) -> Inst {
    let mut i = typed_op(Opcode::Math, ty, &[ty, ty]);
    i.math = Some(f);
    i
}

fn saturated(mut i: Inst) -> Inst {
    i.saturate = true;
    i
}

/// With `change` made to source `k`.
fn with(mut i: Inst, k: usize, change: impl Fn(Src) -> Src) -> Inst {
    i.src[k] = change(i.src[k]);
    i
}

/// Instructions that have a routine of their own.
fn common() -> Vec<Inst> {
    use Type::{B, D, Df, F, Q, Ub, Ud, Uq, Uw, W};
    let sel = |d, s| {
        pred(
            typed_op(Opcode::Sel, d, &[s, s]),
            PredCtrl::Normal,
            false,
            0,
        )
    };
    let minmax = |d, s| cmod(typed_op(Opcode::Sel, d, &[s, s]), CondMod::Ge, 0);
    let cmp = |d, a, b| cmod(typed_op(Opcode::Cmp, d, &[a, b]), CondMod::Nz, 0);
    let mut fast: Vec<Inst> = Vec::new();
    for (o, n) in [
        (Opcode::Mov, 1),
        (Opcode::Not, 1),
        (Opcode::Add, 2),
        (Opcode::Mul, 2),
        (Opcode::And, 2),
        (Opcode::Or, 2),
        (Opcode::Xor, 2),
        (Opcode::Shl, 2),
        (Opcode::Shr, 2),
        (Opcode::Asr, 2),
        (Opcode::Bfrev, 1),
        (Opcode::Cbit, 1),
        (Opcode::Lzd, 1),
        (Opcode::Fbl, 1),
        (Opcode::Fbh, 1),
        (Opcode::Bfe, 3),
        (Opcode::Bfi1, 2),
        (Opcode::Bfi2, 3),
    ] {
        fast.push(typed_op(o, Ud, &[Ud; 3][..n]));
        fast.push(cmod(typed_op(o, Ud, &[Ud; 3][..n]), CondMod::Nz, 0));
    }
    for (o, n) in [
        (Opcode::Add, 2),
        (Opcode::Mul, 2),
        (Opcode::Mad, 3),
        (Opcode::Frc, 1),
        (Opcode::Rndd, 1),
        (Opcode::Rndu, 1),
        (Opcode::Rnde, 1),
        (Opcode::Rndz, 1),
    ] {
        fast.push(typed_op(o, F, &[F; 3][..n]));
        fast.push(saturated(with(typed_op(o, F, &[F; 3][..n]), 0, |s| {
            neg(abs(s))
        })));
    }
    for f in [
        MathFn::Inv,
        MathFn::Log,
        MathFn::Exp,
        MathFn::Sqrt,
        MathFn::Rsq,
        MathFn::Sin,
        MathFn::Cos,
        MathFn::Fdiv,
        MathFn::Pow,
    ] {
        fast.push(math(f, F));
    }
    for ty in [D, Ud] {
        fast.push(math(MathFn::IntDivQuotient, ty));
        fast.push(math(MathFn::IntDivRemainder, ty));
        fast.push(minmax(ty, ty));
        fast.push(cmp(ty, ty, ty));
    }
    for (o, n) in [
        (Opcode::Mov, 1),
        (Opcode::Add, 2),
        (Opcode::Mul, 2),
        (Opcode::And, 2),
        (Opcode::Or, 2),
        (Opcode::Xor, 2),
        (Opcode::Shl, 2),
        (Opcode::Shr, 2),
    ] {
        fast.push(typed_op(o, Uq, &[Uq; 2][..n]));
        fast.push(typed_op(o, Uq, &[Ud; 2][..n]));
        if o != Opcode::Mov {
            fast.push(cmod(typed_op(o, Q, &[Q; 2][..n]), CondMod::L, 0));
        }
    }
    for (o, n) in [(Opcode::Add, 2), (Opcode::Mul, 2), (Opcode::Mad, 3)] {
        fast.push(typed_op(o, Df, &[Df; 3][..n]));
    }
    let pln = with(typed_op(Opcode::Pln, F, &[F, F]), 0, |_| scalar(2, 16, F));
    fast.extend([
        pln,
        with(with(pln, 0, |_| scalar(3, 0, F)), 1, |_| g(11, F)),
        // Raw moves and selections, of any type of one size.
        typed_op(Opcode::Mov, F, &[F]),
        typed_op(Opcode::Mov, Df, &[Df]),
        typed_op(Opcode::Mov, B, &[B]),
        sel(F, F),
        sel(Df, Df),
        sel(D, W),
        saturated(sel(F, F)),
        minmax(F, F),
        // Conversions.
        typed_op(Opcode::Mov, D, &[W]),
        typed_op(Opcode::Mov, Uw, &[F]),
        typed_op(Opcode::Mov, F, &[D]),
        typed_op(Opcode::Mov, F, &[Ud]),
        saturated(typed_op(Opcode::Mov, F, &[Ub])),
        saturated(typed_op(Opcode::Mov, F, &[F])),
        with(typed_op(Opcode::Mov, F, &[F]), 0, neg),
        with(typed_op(Opcode::Mov, F, &[F]), 0, abs),
        with(typed_op(Opcode::Mov, F, &[W]), 0, neg),
        with(typed_op(Opcode::Mov, D, &[F]), 0, |s| neg(abs(s))),
        typed_op(Opcode::Mov, F, &[Df]),
        typed_op(Opcode::Mov, Df, &[F]),
        typed_op(Opcode::Mov, Df, &[D]),
        typed_op(Opcode::Mov, Df, &[Ud]),
        with(typed_op(Opcode::Mov, Df, &[Df]), 0, neg),
        // Comparisons.
        cmp(F, F, F),
        cmp(D, F, F),
        cmp(Q, Df, Df),
        cmp(D, W, D),
        cmp(D, Uw, D),
        cmp(D, Uw, Ud),
        with(typed_op(Opcode::Add, D, &[D, D]), 1, neg),
        with(typed_op(Opcode::And, Q, &[Q, Q]), 1, neg),
        typed_op(Opcode::Asr, Ud, &[Ud, Ud]),
        typed_op(Opcode::Asr, D, &[D, Ud]),
    ]);
    fast
}

/// Of so many channels that the registers suffice.
fn of_width(mut i: Inst, n: u8) -> Option<Inst> {
    // Thirty-two quadwords are eight registers; a plane has channels by the register.
    let wide = i.src.iter().any(|s| s.ty.size_bytes() == 8) || i.dst.ty.size_bytes() == 8;
    if (wide && n > 8) || (i.op == Opcode::Pln && n < 8) {
        return None;
    }
    i.exec_size = n;
    if n == 1 {
        i.src = i.src.map(|s| region(s, 0, 0, 1, 0));
    }
    Some(i)
}

#[test]
fn common_instructions_have_a_fast_path() {
    for i in common() {
        for i in [1, 2, 4, 8, 16, 32]
            .into_iter()
            .filter_map(|n| of_width(i, n))
        {
            assert!(is_fast(&i), "{i:?}");
        }
    }
}

#[test]
fn paths_agree_with_few_enabled_channels() {
    let mut r = Rng(0xfe3);
    let p: Vec<u32> = (0..1024).map(|_| r.dword()).collect();
    let mut indirect = typed_op(Opcode::Mov, Type::D, &[Type::D]);
    indirect.src[0].addr = Addr::Indirect {
        a0_sub: 0,
        imm_bytes: 36,
    };
    for i in common().into_iter().chain([indirect]) {
        for i in [1, 2, 8, 16].into_iter().filter_map(|n| of_width(i, n)) {
            for mask in [0, 1, 2, 0x80, 0x8001, 0xffff_fffe] {
                let [a, b] = both_paths_with(&[i], &p, mask, 0, |t| t.state.regs.set_flags(0xa53c));
                assert_eq!(a.flags(), b.flags(), "{mask:#x}: flags of {i:?}");
                let differs = a.grf().iter().zip(b.grf()).position(|(a, b)| !same(*a, *b));
                assert_eq!(differs, None, "{mask:#x}: {i:?}");
            }
        }
    }
}

#[test]
fn unsupported_instructions_use_the_interpreter() {
    use Type::{B, D, Df, F, Hf, Q, Ub, Ud, Uq, W};
    let cmp = |d, a, b| cmod(typed_op(Opcode::Cmp, d, &[a, b]), CondMod::L, 0);
    let add = typed_op(Opcode::Add, D, &[D, D]);
    let mut table = vec![
        saturated(add),
        with(add, 0, abs),
        Inst {
            acc_wr: true,
            ..add
        },
        Inst {
            dst: arf_dst(ArfReg::Accumulator, 0, 0, D),
            ..add
        },
        Inst {
            dst: Dst {
                writemask: 7,
                ..add.dst
            },
            align16: true,
            ..add
        },
        // How much of a sum did not fit.
        cmod(add, CondMod::O, 0),
        cmod(typed_op(Opcode::Add, Q, &[Q, Q]), CondMod::O, 0),
        cmod(typed_op(Opcode::Add, Q, &[Q, Q]), CondMod::U, 0),
        with(typed_op(Opcode::Add, Q, &[Q, Q]), 1, abs),
        cmod(typed_op(Opcode::Cmp, D, &[F, F]), CondMod::O, 0),
        cmod(typed_op(Opcode::Cmp, Q, &[Df, Df]), CondMod::O, 0),
        // Orders of numbers beyond 32 bits.
        cmp(D, D, Ud),
        cmp(D, Ud, D),
        cmp(D, Ud, W),
        with(cmp(D, D, D), 0, neg),
        with(cmp(Ud, Ud, Ud), 1, neg),
        with(
            cmod(typed_op(Opcode::Sel, D, &[D, D]), CondMod::L, 0),
            1,
            abs,
        ),
        cmod(typed_op(Opcode::Cmpn, F, &[F, F]), CondMod::L, 0),
        // Leading bits of signed or narrow numbers, set bits of narrow ones.
        typed_op(Opcode::Fbh, Ud, &[D]),
        typed_op(Opcode::Cbit, Ud, &[Ub]),
        typed_op(Opcode::Avg, D, &[D, D]),
        math(MathFn::IntDivBoth, D),
        with(math(MathFn::IntDivQuotient, D), 1, |_| g(10, Ud)),
        math(MathFn::Invm, F),
        math(MathFn::Rsqrtm, F),
        // Bits to the flags as they are, but denormals that are zeros.
        cmod(typed_op(Opcode::Mov, F, &[F]), CondMod::Z, 0),
        cmod(typed_op(Opcode::Mov, Q, &[Q]), CondMod::O, 0),
        cmod(typed_op(Opcode::Mov, D, &[F]), CondMod::Z, 0),
        with(typed_op(Opcode::Mov, F, &[D]), 0, abs),
        with(typed_op(Opcode::Mov, F, &[Ud]), 0, neg),
        typed_op(Opcode::Mov, F, &[Q]),
        typed_op(Opcode::Mov, Q, &[F]),
        typed_op(Opcode::Mov, F, &[Hf]),
        typed_op(Opcode::Mov, Hf, &[F]),
        typed_op(Opcode::Add, Hf, &[Hf, Hf]),
        typed_op(Opcode::Add, D, &[F, F]),
        typed_op(Opcode::Add, F, &[F, D]),
        typed_op(Opcode::Lrp, F, &[F, F, F]),
        typed_op(Opcode::Line, F, &[F, F]),
        // Doubles.
        saturated(typed_op(Opcode::Add, Df, &[Df, Df])),
        cmod(typed_op(Opcode::Add, Df, &[Df, Df]), CondMod::Z, 0),
        typed_op(Opcode::Add, F, &[Df, Df]),
        typed_op(Opcode::Add, Df, &[Df, F]),
        typed_op(Opcode::Add, Df, &[F, F]),
        typed_op(Opcode::Mov, Df, &[Q]),
        typed_op(Opcode::Mov, Df, &[Hf]),
        typed_op(Opcode::Mov, D, &[Df]),
        typed_op(Opcode::Rnde, Df, &[Df]),
        Inst {
            dst: null_dst(Df),
            ..typed_op(Opcode::Mul, Df, &[Df, Df])
        },
        typed_op(Opcode::Asr, Uq, &[Uq, Ud]),
        saturated(typed_op(Opcode::Mov, B, &[B])),
    ];
    let pln = with(typed_op(Opcode::Pln, F, &[F, F]), 0, |_| scalar(2, 16, F));
    table.extend([
        with(pln, 0, neg),
        with(pln, 1, abs),
        with(pln, 1, |_| scalar(10, 0, F)),
        with(pln, 0, |_| g(2, F)),
        Inst {
            exec_size: 4,
            ..pln
        },
    ]);
    // Through a0, moves alone.
    let mut indirect = typed_op(Opcode::Mov, D, &[D]);
    indirect.src[0].addr = Addr::Indirect {
        a0_sub: 0,
        imm_bytes: 0,
    };
    assert!(is_fast(&indirect));
    table.extend([
        saturated(indirect),
        with(indirect, 0, neg),
        cmod(indirect, CondMod::Z, 0),
        Inst {
            dst: dst(40, W),
            ..indirect
        },
        Inst {
            op: Opcode::Not,
            ..indirect
        },
        with(
            Inst {
                dst: dst(40, Q),
                ..indirect
            },
            0,
            |s| Src { ty: Q, ..s },
        ),
        Inst {
            dst: Dst {
                addr: indirect.src[0].addr,
                ..dst(0, D)
            },
            ..typed_op(Opcode::Mov, D, &[D])
        },
    ]);
    for i in table {
        assert!(!is_fast(&i), "{i:?}");
    }
}

/// Equal, or no numbers both.
fn same(a: u32, b: u32) -> bool {
    a == b || (f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan())
}

/// Numbers at the edges of what floats and integers do.
const EDGES: [u32; 32] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f7f_ffff,
    0x3f80_0001,
    0x3f00_0000,
    0x4b00_0001,
    0xcb80_0001,
    0x4f00_0000,
    0x4eff_ffff,
    0xcf00_0000,
    0xcf00_0001,
    0x4f80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0xb300_0000,
    0x4780_0000,
    0x46ff_fe00,
    0x437f_0000,
    0x0000_00ff,
    0x0000_8000,
    0xffff_ffff,
];

#[test]
fn paths_agree_on_all_pairs_of_edge_values() {
    use Type::{B, D, Df, F, Q, Ub, Ud, Uq, Uw, W};
    let mut table: Vec<Inst> = Vec::new();
    for (o, n) in [
        (Opcode::Add, 2),
        (Opcode::Mul, 2),
        (Opcode::Mad, 3),
        (Opcode::Frc, 1),
        (Opcode::Rndd, 1),
        (Opcode::Rnde, 1),
        (Opcode::Mov, 1),
    ] {
        table.push(saturated(typed_op(o, F, &[F; 3][..n])));
        for c in [
            CondMod::None,
            CondMod::Z,
            CondMod::G,
            CondMod::Le,
            CondMod::O,
            CondMod::U,
        ] {
            table.push(cmod(typed_op(o, F, &[F; 3][..n]), c, 0));
        }
    }
    for f in [
        MathFn::Inv,
        MathFn::Sqrt,
        MathFn::Fdiv,
        MathFn::Rsq,
        MathFn::Pow,
    ] {
        table.push(math(f, F));
        table.push(saturated(math(f, F)));
    }
    for ty in [D, Ud, W, Uw, B, Ub] {
        table.push(typed_op(Opcode::Mov, ty, &[F]));
        table.push(with(typed_op(Opcode::Mov, ty, &[F]), 0, |s| neg(abs(s))));
        table.push(typed_op(Opcode::Mov, F, &[ty]));
        table.push(saturated(typed_op(Opcode::Mov, F, &[ty])));
        table.push(cmod(typed_op(Opcode::Mov, F, &[ty]), CondMod::L, 0));
        if ty.size_bytes() < 4 {
            table.push(with(typed_op(Opcode::Mov, F, &[ty]), 0, neg));
        }
        for c in [
            CondMod::Z,
            CondMod::Nz,
            CondMod::G,
            CondMod::Ge,
            CondMod::L,
            CondMod::Le,
        ] {
            table.push(cmod(typed_op(Opcode::Cmp, D, &[ty, ty]), c, 0));
            table.push(cmod(typed_op(Opcode::Add, ty, &[D, D]), c, 0));
            table.push(cmod(typed_op(Opcode::Sel, ty, &[ty, ty]), c, 0));
        }
    }
    for ty in [D, Ud] {
        table.push(math(MathFn::IntDivQuotient, ty));
        table.push(math(MathFn::IntDivRemainder, ty));
        table.push(typed_op(Opcode::Bfe, ty, &[ty; 3]));
        table.push(typed_op(Opcode::Bfi2, ty, &[ty; 3]));
        table.push(typed_op(Opcode::Asr, ty, &[ty, Ud]));
        table.push(typed_op(Opcode::Shr, ty, &[ty, Ud]));
    }
    for (o, n) in [
        (Opcode::Add, 2),
        (Opcode::Mul, 2),
        (Opcode::Mad, 3),
        (Opcode::Mov, 1),
    ] {
        table.push(with(typed_op(o, Df, &[Df; 3][..n]), 0, neg));
        if n < 3 {
            for c in [CondMod::None, CondMod::Z, CondMod::L, CondMod::G] {
                table.push(cmod(with(typed_op(o, Q, &[Q, D][..n]), 0, neg), c, 1));
                table.push(cmod(typed_op(o, Uq, &[Ud, Uq][..n]), c, 1));
                table.push(cmod(typed_op(o, D, &[Q, W][..n]), c, 1));
            }
        }
    }
    for c in [
        CondMod::Z,
        CondMod::Nz,
        CondMod::G,
        CondMod::Ge,
        CondMod::L,
        CondMod::Le,
        CondMod::U,
    ] {
        table.push(cmod(typed_op(Opcode::Cmp, F, &[F, F]), c, 2));
        table.push(cmod(typed_op(Opcode::Cmp, Q, &[Df, Df]), c, 2));
    }
    table.extend([
        typed_op(Opcode::Mov, F, &[Df]),
        typed_op(Opcode::Mov, Df, &[F]),
        with(typed_op(Opcode::Mov, Df, &[D]), 0, |s| neg(abs(s))),
        with(typed_op(Opcode::Mov, Df, &[Ud]), 0, neg),
        cmod(typed_op(Opcode::Sel, F, &[F, F]), CondMod::L, 0),
        cmod(typed_op(Opcode::Sel, F, &[F, F]), CondMod::Ge, 0),
        saturated(cmod(typed_op(Opcode::Sel, F, &[F, F]), CondMod::Ge, 0)),
    ]);
    for shift in 0..EDGES.len() {
        // Every edge meets every other one in some lane.
        let mut p = vec![0x1111_1111; 1024];
        for i in 0..96 {
            p[16 + i] = EDGES[i % 32];
            p[80 + i] = EDGES[(i + shift) % 32];
            p[144 + i] = EDGES[(i * 5 + shift / 2) % 32];
        }
        for i in &table {
            let wide = i.src.iter().any(|s| s.ty.size_bytes() == 8) || i.dst.ty.size_bytes() == 8;
            let mut i = *i;
            i.exec_size = if wide { 8 } else { 16 };
            // Doubles are made of two edges each; both halves of the table have their turn.
            let round = if shift % 2 == 0 { 0 } else { 1 << 7 | 1 << 6 };
            let [a, b] = both_paths_with(&[i], &p, 0xffff, round, |t| {
                t.state.regs.set_flags(0x5a5a_a5a5)
            });
            assert_eq!(a.flags(), b.flags(), "{shift}: flags of {i:?}");
            let differs = a.grf().iter().zip(b.grf()).position(|(a, b)| !same(*a, *b));
            assert_eq!(differs, None, "{shift}: {i:?}");
        }
    }
}

#[test]
fn stores_preserve_disabled_lanes_and_adjacent_bytes() {
    let before = vec![0x5555_5555u32; 1024];
    for (ty, stride, sub) in [
        (Type::D, 1u8, 0u8),
        (Type::D, 1, 4),
        (Type::D, 2, 0),
        (Type::W, 1, 0),
        (Type::W, 1, 2),
        (Type::W, 2, 2),
        (Type::W, 4, 0),
        (Type::B, 1, 0),
        (Type::B, 1, 3),
        (Type::B, 4, 1),
        (Type::Q, 1, 0),
        (Type::F, 1, 8),
    ] {
        for n in [1u8, 2, 4, 8] {
            for mask in [0xff, 0x5a, 0, 1, 0x80] {
                let (size, bits) = (ty.size_bytes() as usize, 0x8182_8384_8586_8788u64);
                let mut d = dst(40, ty);
                d.hstride = stride;
                d.addr = Addr::Direct {
                    nr: 40,
                    sub_bytes: sub,
                };
                // The bits of eight elements, from a register.
                let mut p = before.clone();
                p[16] = bits as u32;
                p[17] = (bits >> 32) as u32;
                let i = op(Opcode::Mov, n, d, &[scalar(2, 0, ty)]);
                let mut want: Vec<u8> = p.iter().flat_map(|w| w.to_le_bytes()).collect();
                for k in (0..usize::from(n)).filter(|k| mask >> k & 1 != 0) {
                    let at = 1280 + usize::from(sub) + k * size * usize::from(stride);
                    want[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
                }
                for t in both_paths(&[i], &p, mask) {
                    let got: Vec<u8> = t.grf().iter().flat_map(|w| w.to_le_bytes()).collect();
                    let wrong = got.iter().zip(&want).position(|(a, b)| a != b);
                    assert_eq!(wrong, None, "{mask:#x} {i:?}");
                }
            }
        }
    }
}

#[test]
fn loads_read_elements_of_every_size_and_offset() {
    let mut r = Rng(0x10ad);
    let p: Vec<u32> = (0..1024).map(|_| r.next() as u32).collect();
    let bytes: Vec<u8> = p.iter().flat_map(|w| w.to_le_bytes()).collect();
    for ty in [
        Type::Ub,
        Type::B,
        Type::Uw,
        Type::W,
        Type::Ud,
        Type::D,
        Type::Q,
    ] {
        let size = ty.size_bytes() as usize;
        for (v, w, h) in [
            (8u8, 8u8, 1u8),
            (0, 1, 0),
            (16, 8, 2),
            (4, 4, 1),
            (1, 4, 2),
            (0, 4, 1),
            (32, 8, 4),
        ] {
            for sub in (0..32).step_by(size) {
                for (o, negate) in [
                    (Opcode::Mov, false),
                    (Opcode::Add, true),
                    (Opcode::And, true),
                ] {
                    let mut s = region(g(8, ty), sub as u8, v, w, h);
                    s.negate = negate;
                    let ones = imm(Type::D, u64::from(u32::MAX));
                    let into = if size == 8 { Type::Q } else { Type::D };
                    let second = if o == Opcode::Add {
                        imm(Type::D, 0)
                    } else {
                        ones
                    };
                    let i = op(o, 8, dst(80, into), &[s, second]);
                    for t in both_paths(&[i], &p, 0xff) {
                        for k in 0..8usize {
                            let (w, v, h) = (usize::from(w), usize::from(v), usize::from(h));
                            let at = 256 + sub + (k / w * v + k % w * h) * size;
                            let mut b = [0; 8];
                            b[..size].copy_from_slice(&bytes[at..at + size]);
                            let x = u64::from_le_bytes(b);
                            let x = match ty {
                                Type::B => x as i8 as i64,
                                Type::W => x as i16 as i64,
                                Type::D => x as i32 as i64,
                                _ => x as i64,
                            };
                            let want = match (o, negate) {
                                (Opcode::Add, _) => x.wrapping_neg(),
                                (Opcode::And, _) => !x,
                                _ => x,
                            };
                            let mask = if size == 8 { u64::MAX } else { 0xffff_ffff };
                            let step = if size == 8 { 8 } else { 4 };
                            let got = t.state.regs.read(2560 + k * step, step);
                            assert_eq!(got, want as u64 & mask, "{sub} lane {k} of {i:?}");
                        }
                    }
                }
            }
        }
    }
}
