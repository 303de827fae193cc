//! Selection of a fast routine for an instruction.
//!
//! In:  a micro-op with resolved operands. Out: the routine, or none for the interpreter.

use super::{float32, float64, int32, int64};
use crate::access::{FastOperands, Store};
use crate::region::OperandKind;
use crate::uop::{AluFn, Uop};
use isa::{CondMod, Opcode, Type};

/// The fast routine for an instruction, if there is one; also fills in the operands that it uses.
pub(crate) fn select(u: &mut Uop) -> Option<AluFn> {
    let n = usize::from(u.num_srcs).min(3);
    let lanes_cut = u.dst.lane_mask & u.full_mask != u.full_mask;
    if u.acc_wr
        || lanes_cut
        || u.dst.is_acc()
        || u.dst.kind == OperandKind::Indirect
        || !matches!(u.exec_size, 1 | 2 | 4 | 8 | 16 | 32)
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
    if u.src[..n].iter().any(|s| s.kind == OperandKind::Indirect) {
        if !raw_mov {
            return None;
        }
        let f = int32::select_indirect(u);
        u.fast = FastOperands::new(u.op, u.exec_size, &u.src[..n], &u.dst);
        return f;
    }
    let int = |t: Type| !t.is_float();
    let narrow = |t: Type| t.size_bytes() <= 4;
    let df = u.dst.ty == Type::Df || !all(&|t| t != Type::Df);
    let f = if raw && u.dst.size == 8 {
        int64::select_raw(u)
    } else if raw && u.dst.ty.is_float() {
        int32::select(u)
    } else if df {
        float64::select(u)
    } else if all(&int) && int(u.dst.ty) && !u.saturate {
        if all(&narrow) && narrow(u.dst.ty) {
            int32::select(u)
        } else {
            int64::select(u)
        }
    } else if all(&|t| t == Type::F) && u.dst.ty == Type::F {
        float32::select(u)
    } else if u.op == Opcode::Mov && narrow(u.src[0].ty) && narrow(u.dst.ty) {
        float32::select_convert(u)
    } else if all(&|t| t == Type::F) && matches!(u.op, Opcode::Cmp) && narrow(u.dst.ty) {
        float32::select(u)
    } else {
        None
    };
    if f.is_some() {
        u.fast = FastOperands::new(u.op, u.exec_size, &u.src[..n], &u.dst);
        let unmodified = !u.saturate && u.cmod == CondMod::None;
        u.plain_dwords = unmodified && u.fast.store == Store::Contig32;
    }
    f
}
