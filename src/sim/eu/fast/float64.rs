//! DF instructions in the default rounding mode, and conversions from and to DF.
//!
//! In:  a micro-op. Out: its routine.

use super::exec_size::for_exec_size;
use crate::flags;
use crate::interpreter;
use crate::region::{OperandKind, SrcOp};
use crate::state::State;
use crate::uop::{AluFn, ExecResult, Uop};
use isa::{CondMod, Opcode, Type};

/// An operation on DF lanes.
trait Op {
    fn apply(a: f64, b: f64, c: f64) -> f64;
}

macro_rules! ops {
    ($($name:ident |$a:ident, $b:ident, $c:ident| $e:expr;)*) => {
        $(
            struct $name;
            impl Op for $name {
                #[inline(always)]
                fn apply($a: f64, $b: f64, $c: f64) -> f64 {
                    $e
                }
            }
        )*
    };
}

ops! {
    Mov |a, _b, _c| a;
    Add |a, b, _c| a + b;
    Mul |a, b, _c| a * b;
    Mad |a, b, c| b.mul_add(c, a);
}

/// Loads a DF, F, D or UD source as doubles, with denormals flushed and modifiers applied.
#[inline(always)]
fn load<const N: usize>(t: &State, s: &SrcOp) -> [f64; N] {
    let size = usize::from(s.size);
    let mut v = [0f64; N];
    let scalar = (s.kind == OperandKind::Scalar).then(|| t.regs.read(usize::from(s.base), size));
    for (i, v) in v.iter_mut().enumerate() {
        let bits = match (s.kind, scalar) {
            (OperandKind::Imm, _) => s.imm_lane(i),
            (_, Some(x)) => x,
            _ => t.regs.read(s.offset(i), size),
        };
        let mut x = match s.ty {
            Type::Df => f64::from_bits(bits),
            Type::F => f64::from(f32::from_bits(bits as u32)),
            _ => {
                // Modifiers apply to the integer: -0 is 0.
                let n = if s.ty == Type::D {
                    i64::from(bits as u32 as i32)
                } else {
                    i64::from(bits as u32)
                };
                let n = if s.abs { n.abs() } else { n };
                let n = if s.neg { -n } else { n };
                *v = match s.keeps_dword() {
                    true => f64::from(n as i32),
                    false => n as f64,
                };
                continue;
            }
        };
        let flush = match s.ty {
            Type::Df => !t.fp_mode.keep_df_denorms && x.is_subnormal(),
            Type::F => !t.fp_mode.keep_f_denorms && f32::from_bits(bits as u32).is_subnormal(),
            _ => false,
        };
        if flush {
            x = 0f64.copysign(x);
        }
        if s.abs {
            x = x.abs();
        }
        if s.neg {
            x = -x;
        }
        *v = x;
    }
    v
}

#[inline(always)]
fn alu<O: Op, const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    if t.fp_needs_interpreter {
        return interpreter::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load::<N>(t, &u.src[0]);
    let b = if u.num_srcs > 1 {
        load::<N>(t, &u.src[1])
    } else {
        a
    };
    let c = if u.num_srcs > 2 {
        load::<N>(t, &u.src[2])
    } else {
        a
    };
    for i in 0..N {
        if m >> i & 1 == 0 {
            continue;
        }
        let x = O::apply(a[i], b[i], c[i]);
        if u.dst.ty == Type::Df {
            let flush = x.is_subnormal() && !t.fp_mode.keep_df_denorms;
            let x = if flush { 0f64.copysign(x) } else { x };
            t.regs.write(u.dst.offset(i), 8, x.to_bits());
        } else {
            let x = x as f32;
            let flush = x.is_subnormal() && !t.fp_mode.keep_f_denorms;
            let x = if flush { 0f32.copysign(x) } else { x };
            t.regs.write(u.dst.offset(i), 4, u64::from(x.to_bits()));
        }
    }
    Ok(())
}

#[inline(always)]
fn cmp<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load::<N>(t, &u.src[0]);
    let b = load::<N>(t, &u.src[1]);
    let mut hit = 0;
    for i in 0..N {
        hit |= u32::from(flags::compare(u.cmod, a[i], b[i])) << i;
    }
    let f = t.regs.flags();
    t.regs.set_flags(flags::merge(f, u.flag_bit(), m, hit));
    if u.dst.kind != OperandKind::Null {
        for i in 0..N {
            if m >> i & 1 != 0 {
                let ones = if hit >> i & 1 != 0 { u64::MAX } else { 0 };
                t.regs.write(u.dst.offset(i), usize::from(u.dst.size), ones);
            }
        }
    }
    Ok(())
}

/// Selects the routine for an instruction with a DF operand.
pub(super) fn select(u: &Uop) -> Option<AluFn> {
    let n = usize::from(u.num_srcs).min(3);
    let known = |t: Type| matches!(t, Type::Df | Type::F | Type::D | Type::Ud);
    if !u.src[..n].iter().all(|s| known(s.ty)) || u.saturate {
        return None;
    }
    let all_df = u.src[..n].iter().all(|s| s.ty == Type::Df);
    if all_df && u.op == Opcode::Cmp && u.cmod != CondMod::O {
        return Some(for_exec_size!(u, cmp));
    }
    let ends_in_float = u.dst.ty == Type::Df || (u.dst.ty == Type::F && u.op == Opcode::Mov);
    if u.cmod != CondMod::None || u.dst.kind == OperandKind::Null || !ends_in_float {
        return None;
    }
    Some(match u.op {
        // A MOV from DF to DF has modifiers here; without them, a raw move has been selected.
        Opcode::Mov => for_exec_size!(u, alu, Mov),
        Opcode::Add if all_df => for_exec_size!(u, alu, Add),
        Opcode::Mul if all_df => for_exec_size!(u, alu, Mul),
        Opcode::Mad if all_df => for_exec_size!(u, alu, Mad),
        _ => return None,
    })
}
