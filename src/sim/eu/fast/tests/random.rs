//! Random instructions, executed by the fast paths and by the interpreter, leave the same
//! registers.

use crate::kernel::Kernel;
use crate::state::Options;
use crate::testing::{Recorder, Rng, dst, eot, g, imm, null_dst, op, pred, region, scalar};
use crate::thread::{Thread, ThreadInit};
use isa::{Addr, CondMod, Inst, MathFn, Opcode, PredCtrl, RegFile, Region, Src, Type};
use std::sync::Arc;

const TYPES: [Type; 12] = [
    Type::Ub,
    Type::B,
    Type::Uw,
    Type::W,
    Type::Ud,
    Type::D,
    Type::Uq,
    Type::Q,
    Type::F,
    Type::F,
    Type::D,
    Type::Df,
];

fn random_src(r: &mut Rng, ty: Type, n: u8, base: u8) -> Src {
    let size = ty.size_bytes() as u8;
    let mut s = match r.below(6) {
        0 => imm(ty, r.next() >> (64 - 8 * u32::from(size))),
        1 => scalar(base, r.below(u64::from(32 / size)) as u8 * size, ty),
        2 if size < 8 => region(g(base, ty), 0, 8, 4, 2),
        3 if size < 8 => region(g(base, ty), size, 4, 4, 1),
        _ => g(base, ty),
    };
    if size == 1 && s.file == RegFile::Imm {
        s = g(base, ty);
    }
    if n == 1 && s.file == RegFile::Grf {
        s.region = Region::SCALAR;
    }
    s.negate = r.below(4) == 0 && s.file == RegFile::Grf;
    s.abs = r.below(6) == 0 && s.file == RegFile::Grf;
    s
}

const OPS: [Opcode; 28] = [
    Opcode::Mov,
    Opcode::Mov,
    Opcode::Sel,
    Opcode::Not,
    Opcode::And,
    Opcode::Or,
    Opcode::Xor,
    Opcode::Shl,
    Opcode::Shr,
    Opcode::Asr,
    Opcode::Cmp,
    Opcode::Add,
    Opcode::Mul,
    Opcode::Mad,
    Opcode::Frc,
    Opcode::Rndd,
    Opcode::Rnde,
    Opcode::Rndz,
    Opcode::Rndu,
    Opcode::Math,
    Opcode::Bfrev,
    Opcode::Bfe,
    Opcode::Bfi1,
    Opcode::Bfi2,
    Opcode::Cbit,
    Opcode::Lzd,
    Opcode::Fbl,
    Opcode::Fbh,
];

/// A type that the operation is defined for.
fn random_type(r: &mut Rng, o: Opcode) -> Type {
    let float = matches!(
        o,
        Opcode::Mad
            | Opcode::Frc
            | Opcode::Rndd
            | Opcode::Rnde
            | Opcode::Rndz
            | Opcode::Rndu
            | Opcode::Math
    );
    let dword = matches!(
        o,
        Opcode::Bfrev
            | Opcode::Bfe
            | Opcode::Bfi1
            | Opcode::Bfi2
            | Opcode::Lzd
            | Opcode::Fbl
            | Opcode::Fbh
    );
    let logic = matches!(
        o,
        Opcode::Not
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor
            | Opcode::Shl
            | Opcode::Shr
            | Opcode::Asr
            | Opcode::Cbit
    );
    if o == Opcode::Mad && r.below(3) == 0 {
        Type::Df
    } else if float {
        Type::F
    } else if dword {
        r.pick(&[Type::Ud, Type::D])
    } else {
        loop {
            let t = r.pick(&TYPES);
            if !(logic && t.is_float()) {
                return t;
            }
        }
    }
}

/// Replaces source 0 of a MOV by an indirect one.
fn make_indirect(r: &mut Rng, i: &mut Inst, ty: Type, n: u8) {
    i.src[0] = random_src(r, ty, n.min(8), 8);
    i.exec_size = n.min(8);
    if i.src[0].file == RegFile::Grf {
        i.src[0].addr = Addr::Indirect {
            a0_sub: 0,
            imm_bytes: 64,
        };
        if r.below(2) == 0 && n > 1 {
            i.src[0].region = Region::new(Region::VX1, 1, 0);
        }
    }
}

/// Adds a random conditional modifier and predicate.
fn with_random_conditions(r: &mut Rng, mut i: Inst) -> Inst {
    let o = i.op;
    let conds = [
        CondMod::Z,
        CondMod::Nz,
        CondMod::G,
        CondMod::Ge,
        CondMod::L,
        CondMod::Le,
    ];
    i.flag = r.below(4) as u8;
    if o == Opcode::Cmp || r.below(4) == 0 {
        i.cmod = r.pick(&conds);
    }
    if o == Opcode::Sel {
        if i.cmod != CondMod::None {
            i.cmod = r.pick(&[CondMod::L, CondMod::Ge]);
        } else {
            i = pred(i, PredCtrl::Normal, r.below(2) == 0, i.flag);
        }
    } else if r.below(3) == 0 {
        let ctrl = r.pick(&[
            PredCtrl::Normal,
            PredCtrl::Normal,
            PredCtrl::Any4h,
            PredCtrl::All8h,
        ]);
        let flag = i.flag;
        i = pred(i, ctrl, r.below(2) == 0, flag);
    }
    i
}

/// An instruction with random operands and modifiers.
fn random_inst(r: &mut Rng) -> Inst {
    let o = r.pick(&OPS);
    let mut n = r.pick(&[1, 4, 8, 8, 16, 16, 32]);
    let (td, mut t0, mut t1) = (random_type(r, o), random_type(r, o), random_type(r, o));
    if o != Opcode::Mov && (t0.is_float() || t1.is_float()) {
        let t = if t0 == Type::Df { Type::Df } else { Type::F };
        t0 = t;
        t1 = t;
    }
    let td = if o != Opcode::Mov && t0.is_float() {
        Type::F
    } else {
        td
    };
    if t0 == Type::Df || td == Type::Df {
        n = n.min(16);
    }
    let s = [
        random_src(r, t0, n, 8),
        random_src(r, t1, n, 24),
        random_src(r, t1, n, 40),
    ];
    let d = if r.below(8) == 0 {
        null_dst(td)
    } else {
        dst(64, td)
    };
    let mut i = op(o, n, d, &s);
    if o == Opcode::Mov && r.below(3) == 0 {
        make_indirect(r, &mut i, td, n);
    }
    if o == Opcode::Math {
        i.math = Some(r.pick(&[
            MathFn::Inv,
            MathFn::Sqrt,
            MathFn::Rsq,
            MathFn::Exp,
            MathFn::Log,
            MathFn::Fdiv,
            MathFn::Pow,
        ]));
    }
    i = with_random_conditions(r, i);
    i.no_mask = r.below(2) == 0;
    i.saturate = r.below(6) == 0 && o != Opcode::Cmp;
    i.chan_off = if n <= 8 { r.pick(&[0, 8]) } else { 0 };
    i
}

/// Equal bits, or both NaNs.
fn same(a: u32, b: u32) -> bool {
    a == b || (f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan())
}

#[test]
fn fast_paths_and_interpreter_agree() {
    let mut r = Rng(0x9e37_79b9_7f4a_7c15);
    let mut fast_seen = 0;
    for round in 0..20_000 {
        let inst = random_inst(&mut r);
        let code = [inst, eot()];
        let kernel = Kernel::from_insts(&code).expect("there is an instruction");
        if !std::ptr::fn_addr_eq(
            match &kernel.uops[0].kind {
                crate::uop::UopKind::Alu(f) => *f,
                _ => crate::interpreter::execute,
            },
            crate::interpreter::execute as crate::uop::AluFn,
        ) {
            fast_seen += 1;
        }
        let interpreted = Arc::new(kernel.clone().interpreter_only());
        let kernel = Arc::new(kernel);
        let payload: Vec<u32> = (0..1024).map(|_| r.dword()).collect();
        let mask = r.next() as u32;
        let init = ThreadInit {
            cr0: r.pick(&[0, 1 << 7, 1 << 7 | 3 << 4, 1 << 4]),
            ..ThreadInit::default()
        };
        let flags = r.next();
        let mut end = Vec::new();
        for k in [&kernel, &interpreted] {
            let mut t = Thread::new(k, &payload, mask, &init, Options::default());
            for (i, w) in t.state.regs.words_mut()[crate::regs::A0 / 2..][..16]
                .iter_mut()
                .enumerate()
            {
                *w = ((payload[i] as u16) % 100) * 32;
            }
            t.state.regs.set_flags(flags);
            let e = t.run(&mut Recorder::default(), 10);
            end.push((e, t));
        }
        assert_eq!(end[0].0, end[1].0, "round {round}: {inst:?}");
        let (a, b) = (&end[0].1, &end[1].1);
        assert_eq!(a.flags(), b.flags(), "round {round}: flags of {inst:?}");
        for (i, (x, y)) in a.grf().iter().zip(b.grf()).enumerate() {
            assert!(
                same(*x, *y),
                "round {round}: g{}.{} is {x:#x} by the fast path, {y:#x} by the interpreter: {inst:?}",
                i / 8,
                i % 8
            );
        }
    }
    // The comparison would be empty if the fast paths were never selected.
    assert!(fast_seen > 5_000, "{fast_seen}");
}
