//! Integer instructions with a quadword operand, and raw moves of 64-bit elements.
//!
//! In:  a micro-op. Out: its routine.

use super::exec_size::for_exec_size;
use super::integer::{
    Add, And, IntLane, Mov, Mul, Or, Shl, Shr, Xor, binary, int_lane_arithmetic, unary,
};
use crate::alu_int;
use crate::region::OperandKind;
use crate::state::State;
use crate::uop::{AluFn, ExecResult, Uop};
use crate::{convert, flags};
use isa::{CondMod, Opcode, Type};

impl IntLane for u64 {
    int_lane_arithmetic!(u64);

    #[inline(always)]
    fn load<const N: usize>(t: &State, u: &Uop, k: usize) -> [u64; N] {
        let s = &u.src[k];
        let size = usize::from(s.size);
        let mut v = [0u64; N];
        let extend = |bits: u64| match s.ty {
            Type::B => bits as i8 as u64,
            Type::W => bits as i16 as u64,
            Type::D => bits as i32 as u64,
            _ => bits,
        };
        match s.kind {
            OperandKind::Contiguous if size == 8 && usize::from(s.base).is_multiple_of(8) => {
                let from = t.regs.qwords().get(usize::from(s.base) / 8..);
                if let Some(row) = from.and_then(|from| from.first_chunk()) {
                    v = *row;
                }
            }
            OperandKind::Imm => {
                for (i, v) in v.iter_mut().enumerate() {
                    *v = extend(s.imm_lane(i));
                }
            }
            OperandKind::Scalar => v = [extend(t.regs.read(usize::from(s.base), size)); N],
            _ => {
                for (i, v) in v.iter_mut().enumerate() {
                    *v = extend(t.regs.read(s.offset(i), size));
                }
            }
        }
        if s.neg {
            let add = u64::from(!alu_int::is_logic(u.op));
            for v in &mut v {
                *v = (!*v).wrapping_add(add);
                if s.keeps_dword() {
                    *v = *v as i32 as u64;
                }
            }
        }
        v
    }

    #[inline(always)]
    fn finish<const N: usize>(t: &mut State, u: &Uop, m: u32, v: &[u64; N]) {
        let size = usize::from(u.dst.size);
        if u.cmod != CondMod::None {
            let mut hit = 0;
            for (i, v) in v.iter().enumerate() {
                let o = convert::Element::of_bits(*v, u.dst.ty);
                hit |= u32::from(flags::condition_holds(u.cmod, &o)) << i;
            }
            let f = t.regs.flags();
            t.regs.set_flags(flags::merge(f, u.flag_bit(), m, hit));
        }
        if u.dst.kind == OperandKind::Null {
            return;
        }
        let (base, all) = (usize::from(u.dst.base), flags::lane_mask(N as u8));
        let contiguous =
            u.dst.kind == OperandKind::Contiguous && size == 8 && base.is_multiple_of(8);
        if contiguous
            && m == all
            && let Some(to) = t.regs.qwords_mut().get_mut(base / 8..base / 8 + N)
        {
            to.copy_from_slice(v);
            return;
        }
        for (i, v) in v.iter().enumerate() {
            if m >> i & 1 != 0 {
                t.regs.write(u.dst.offset(i), size, *v);
            }
        }
    }
}

#[inline(always)]
fn sel<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = t.predicate(u);
    let a = u64::load::<N>(t, u, 0);
    let b = u64::load::<N>(t, u, 1);
    let mut v = [0u64; N];
    for i in 0..N {
        v[i] = if hit >> i & 1 != 0 { a[i] } else { b[i] };
    }
    u64::finish(t, u, m, &v);
    Ok(())
}

/// Selects the routine for a raw MOV or SEL of 64-bit elements.
pub(super) fn select_raw(u: &Uop) -> Option<AluFn> {
    if u.cmod != CondMod::None {
        return None;
    }
    Some(match u.op {
        Opcode::Mov => for_exec_size!(u, unary, u64, Mov),
        Opcode::Sel => for_exec_size!(u, sel),
        _ => return None,
    })
}

/// Selects the routine for an integer instruction of up to 64 bits without saturation.
pub(super) fn select(u: &Uop) -> Option<AluFn> {
    let n = usize::from(u.num_srcs).min(3);
    if u.src[..n].iter().any(|s| s.abs) || matches!(u.cmod, CondMod::O | CondMod::U) {
        return None;
    }
    Some(match u.op {
        Opcode::Mov => for_exec_size!(u, unary, u64, Mov),
        Opcode::Add => for_exec_size!(u, binary, u64, Add),
        Opcode::Mul => for_exec_size!(u, binary, u64, Mul),
        Opcode::And => for_exec_size!(u, binary, u64, And),
        Opcode::Or => for_exec_size!(u, binary, u64, Or),
        Opcode::Xor => for_exec_size!(u, binary, u64, Xor),
        Opcode::Shl => for_exec_size!(u, binary, u64, Shl),
        Opcode::Shr => for_exec_size!(u, binary, u64, Shr),
        _ => return None,
    })
}
