//! Fast paths: common instructions as wide loops over whole registers.
//!
//! In:  a resolved instruction. Out: a routine for it, or nothing, and the general path executes it.
//! A routine is chosen only where it gives the general path's bits; the modes it does not know (rounding other
//! than nearest, alternate floats) it hands back at run time. The tests execute random instructions both ways.

mod double;
mod float;
mod int;
mod operand;
mod wide;

use crate::access::{Operands, Store};
use crate::region::Kind;
use crate::uop::{AluFn, Uop};
use isa::{CondMod, MathFn, Opcode, Type};

/// A routine in the form of the host's processor.
macro_rules! on_host {
    ($f:expr) => {
        |t: &mut crate::state::State, u: &crate::uop::Uop| {
            let host = t.host;
            host.run(
                #[inline(always)]
                || $f(t, u),
            )
        }
    };
}
pub(crate) use on_host;

/// Chooses the instance of a routine for the instruction's number of lanes. Two and four lanes run as eight of
/// which some are masked.
macro_rules! sized {
    ($u:expr, $f:ident $(, $p:tt)*) => {
        match $u.n {
            1 => $f::<$($p,)* 1>,
            2 | 4 | 8 => $crate::fast::on_host!($f::<$($p,)* 8>),
            16 => $crate::fast::on_host!($f::<$($p,)* 16>),
            _ => $crate::fast::on_host!($f::<$($p,)* 32>),
        }
    };
}
pub(crate) use sized;

/// A fast routine for an instruction, where one applies.
pub(crate) fn select(u: &mut Uop) -> Option<AluFn> {
    let n = usize::from(u.sources).min(3);
    let lanes_cut = u.dst.lane_mask & u.full != u.full;
    if u.acc_wr
        || lanes_cut
        || u.dst.is_acc()
        || u.dst.kind == Kind::Indirect
        || !matches!(u.n, 1 | 2 | 4 | 8 | 16 | 32)
        || n == 0
    {
        return None;
    }
    let plain = |k: usize| !u.src[k].abs && !u.src[k].neg;
    let all = |f: &dyn Fn(Type) -> bool| u.src[..n].iter().all(|s| f(s.ty));
    let raw_mov = u.op == Opcode::Mov
        && u.src[0].ty == u.dst.ty
        && plain(0)
        && !u.saturate
        && (u.cmod == CondMod::None || !u.dst.ty.is_float());
    let raw_sel = u.op == Opcode::Sel
        && u.cmod == CondMod::None
        && u.src[..n]
            .iter()
            .all(|s| s.ty == u.dst.ty && !s.abs && !s.neg)
        && !u.saturate;
    let raw = raw_mov || raw_sel;
    if u.src[..n].iter().any(|s| s.kind == Kind::Indirect) {
        if !raw_mov {
            return None;
        }
        let f = int::select_indirect(u);
        u.fast = Operands::new(u.op, u.n, &u.src[..n], &u.dst);
        return f;
    }
    let int = |t: Type| !t.is_float();
    let narrow = |t: Type| t.size_bytes() <= 4;
    let df = u.dst.ty == Type::Df || !all(&|t| t != Type::Df);
    let f = if raw && u.dst.size == 8 {
        wide::select_raw(u)
    } else if raw && u.dst.ty.is_float() {
        int::select(u)
    } else if df {
        double::select(u)
    } else if all(&int) && int(u.dst.ty) && !u.saturate {
        if all(&narrow) && narrow(u.dst.ty) {
            int::select(u)
        } else {
            wide::select(u)
        }
    } else if all(&|t| t == Type::F) && u.dst.ty == Type::F {
        float::select(u)
    } else if u.op == Opcode::Mov && narrow(u.src[0].ty) && narrow(u.dst.ty) {
        float::select_convert(u)
    } else if all(&|t| t == Type::F) && matches!(u.op, Opcode::Cmp) && narrow(u.dst.ty) {
        float::select(u)
    } else {
        None
    };
    if f.is_some() {
        u.fast = Operands::new(u.op, u.n, &u.src[..n], &u.dst);
        let as_they_are = !u.saturate && u.cmod == CondMod::None;
        u.plain = as_they_are && u.fast.store == Store::Contig32;
    }
    f
}

/// The math functions with a fast float form.
fn is_float_math(f: Option<MathFn>) -> bool {
    matches!(
        f,
        Some(
            MathFn::Inv
                | MathFn::Log
                | MathFn::Exp
                | MathFn::Sqrt
                | MathFn::Rsq
                | MathFn::Sin
                | MathFn::Cos
                | MathFn::Fdiv
                | MathFn::Pow
        )
    )
}
