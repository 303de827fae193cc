//! Integer instructions of at most 32 bits without saturation, and raw moves and selections of
//! 32-bit floats.
//!
//! In:  a micro-op. Out: its routine. Arithmetic modulo 2^32 gives every narrower result, too.

use super::exec_size::for_exec_size;
use super::integer::{
    Add, And, IntLane, Mov, Mul, Or, Shl, Shr, Xor, binary, int_lane_arithmetic, unary,
};
use super::lane_op::{LaneOp, lane_ops};
use super::operand::{
    compare, lane_masks, load, load_quad_splat_and_lanes, set_flags, store, store_all_dwords,
};
use crate::access::FastSrc;
use crate::alu_int::{self, IntegerWidth};
use crate::flags;
use crate::interpreter;
use crate::state::State;
use crate::uop::{AluFn, ExecResult, Uop};
use isa::{CondMod, MathFn, Opcode, Type};

lane_ops! { u32:
    Not |a, _b| !a;
    Asr |a, b| ((a as i32) >> (b & 31)) as u32;
    Bfrev |a, _b| a.reverse_bits();
    Cbit |a, _b| a.count_ones();
    Lzd |a, _b| a.leading_zeros();
    Fbl |a, _b| if a == 0 { u32::MAX } else { a.trailing_zeros() };
    Fbh |a, _b| if a == 0 { u32::MAX } else { a.leading_zeros() };
}

impl IntLane for u32 {
    int_lane_arithmetic!(u32);

    #[inline(always)]
    fn load<const N: usize>(t: &State, u: &Uop, k: usize) -> [u32; N] {
        load(t, u, k)
    }

    #[inline(always)]
    fn finish<const N: usize>(t: &mut State, u: &Uop, m: u32, v: &[u32; N]) {
        finish(t, u, m, v);
    }
}

/// Evaluates the conditional modifier on results, interpreted as the destination's type.
#[inline(always)]
fn result_flags<const N: usize>(u: &Uop, v: &[u32; N]) -> u32 {
    let zero = [0i64; N];
    let mut x = [0i64; N];
    for (x, v) in x.iter_mut().zip(v) {
        *x = match u.dst.ty {
            Type::D => i64::from(*v as i32),
            Type::W => i64::from(*v as i16),
            Type::Uw => i64::from(*v as u16),
            Type::B => i64::from(*v as i8),
            Type::Ub => i64::from(*v as u8),
            _ => i64::from(*v),
        };
    }
    compare(u.cmod, &x, &zero)
}

#[inline(always)]
fn finish<const N: usize>(t: &mut State, u: &Uop, m: u32, v: &[u32; N]) {
    if u.plain_dwords && store_all_dwords(t, u, m, v) {
        return;
    }
    if u.cmod != CondMod::None {
        set_flags(t, u, m, result_flags(u, v));
    }
    store(t, u, m, v);
}

/// [`binary`] with words, each for four lanes, as source 0: for the positions of subspans.
#[inline(always)]
fn binary_quad_splat<O: LaneOp<u32>, const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let (a, b) = load_quad_splat_and_lanes::<N>(t, u);
    let mut v = [0u32; N];
    for i in 0..N {
        v[i] = O::apply(a[i], b[i]);
    }
    finish(t, u, m, &v);
    Ok(())
}

/// A raw MOV from an indirect source, such as an array with an index for each channel.
#[inline(always)]
fn mov_indirect<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    let mut v = [0u32; N];
    let s = &u.src[0];
    let size = usize::from(s.size);
    for (i, v) in v.iter_mut().enumerate() {
        if m >> i & 1 != 0 {
            let at = interpreter::indirect_offset(t, u, s, i)?;
            *v = t.regs.read(at, size) as u32;
        }
    }
    store(t, u, m, &v);
    Ok(())
}

/// Selects the routine for a raw MOV of at most 32 bits from an indirect source.
pub(super) fn select_indirect(u: &Uop) -> Option<AluFn> {
    if u.op != Opcode::Mov || u.cmod != CondMod::None || u.dst.size > 4 {
        return None;
    }
    Some(for_exec_size!(u, mov_indirect))
}

/// INT DIV with one result, the quotient or the remainder.
#[inline(always)]
fn int_div<const SIGNED: bool, const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    let quotient = u.math == Some(MathFn::IntDivQuotient);
    let mut v = [0u32; N];
    for i in 0..N {
        if m >> i & 1 == 0 {
            continue;
        }
        v[i] = if b[i] == 0 {
            match (SIGNED, (a[i] as i32) < 0) {
                (false, _) => u32::MAX,
                (true, false) => 0x7fff_ffff,
                (true, true) => 0x8000_0000,
            }
        } else if SIGNED {
            let (a, b) = (a[i] as i32, b[i] as i32);
            (if quotient {
                a.wrapping_div(b)
            } else {
                a.wrapping_rem(b)
            }) as u32
        } else if quotient {
            a[i] / b[i]
        } else {
            a[i] % b[i]
        };
    }
    finish(t, u, m, &v);
    Ok(())
}

/// BFE, BFI1 and BFI2: too rare for vector code, so evaluated lane by lane.
#[inline(always)]
fn bit_fields<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    let c = if u.num_srcs > 2 {
        load::<N>(t, u, 2)
    } else {
        [0; N]
    };
    let w = IntegerWidth {
        bits: 32,
        signed: u.src[..usize::from(u.num_srcs).min(3)]
            .iter()
            .any(|s| s.ty.is_signed_int()),
        signed_dst: u.dst.ty.is_signed_int(),
        src0: u.src[0].ty,
    };
    let mut v = [0u32; N];
    for i in 0..N {
        let r = alu_int::eval(
            u.op,
            w,
            i128::from(a[i]),
            i128::from(b[i]),
            i128::from(c[i]),
        );
        v[i] = r.unwrap_or(0) as u32;
    }
    finish(t, u, m, &v);
    Ok(())
}

#[inline(always)]
fn cmp<const SIGNED: bool, const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = compare_sources::<SIGNED, N>(t, u);
    set_flags(t, u, m, hit);
    store(t, u, m, &lane_masks::<N>(hit));
    Ok(())
}

#[inline(always)]
fn compare_sources<const SIGNED: bool, const N: usize>(t: &State, u: &Uop) -> u32 {
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    if SIGNED {
        compare(u.cmod, &a.map(|x| x as i32), &b.map(|x| x as i32))
    } else {
        compare(u.cmod, &a, &b)
    }
}

#[inline(always)]
fn sel_cmod<const SIGNED: bool, const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = compare_sources::<SIGNED, N>(t, u);
    store_selected::<N>(t, u, m, hit);
    Ok(())
}

#[inline(always)]
fn sel_pred<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = t.predicate(u);
    store_selected::<N>(t, u, m, hit);
    Ok(())
}

#[inline(always)]
fn store_selected<const N: usize>(t: &mut State, u: &Uop, m: u32, hit: u32) {
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    let k = lane_masks::<N>(hit & flags::lane_mask(N as u8));
    let mut v = [0u32; N];
    for i in 0..N {
        v[i] = (a[i] & k[i]) | (b[i] & !k[i]);
    }
    store(t, u, m, &v);
}

/// True if the sources compare as signed 32-bit integers, false if as unsigned ones, None if 32
/// bits do not suffice.
fn comparison_signedness(u: &Uop) -> Option<bool> {
    let s = &u.src[..2];
    if s.iter().any(|s| s.abs || s.neg || s.ty.is_float()) {
        None
    } else if s.iter().all(|s| s.ty != Type::Ud) {
        Some(true)
    } else if s.iter().all(|s| !s.ty.is_signed_int()) {
        Some(false)
    } else {
        None
    }
}

macro_rules! by_signedness {
    ($u:expr, $f:ident) => {
        match comparison_signedness($u)? {
            true => for_exec_size!($u, $f, true),
            false => for_exec_size!($u, $f, false),
        }
    };
}

/// Selects the routine for an integer instruction of at most 32 bits.
pub(super) fn select(u: &Uop) -> Option<AluFn> {
    let n = usize::from(u.num_srcs).min(3);
    // Absolute values of integers, and conditions on overflow, are left to the interpreter.
    if u.src[..n].iter().any(|s| s.abs && !s.ty.is_float())
        || matches!(u.cmod, CondMod::O | CondMod::U)
    {
        return None;
    }
    let dword = u.src[0].size == 4;
    Some(match u.op {
        Opcode::Mov => for_exec_size!(u, unary, u32, Mov),
        Opcode::Not => for_exec_size!(u, unary, u32, Not),
        Opcode::Add if FastSrc::new(&u.src[0], false, u.exec_size).is_plain_quad_splat() => {
            for_exec_size!(u, binary_quad_splat, Add)
        }
        Opcode::Add => for_exec_size!(u, binary, u32, Add),
        Opcode::Mul => for_exec_size!(u, binary, u32, Mul),
        Opcode::And => for_exec_size!(u, binary, u32, And),
        Opcode::Or => for_exec_size!(u, binary, u32, Or),
        Opcode::Xor => for_exec_size!(u, binary, u32, Xor),
        Opcode::Shl => for_exec_size!(u, binary, u32, Shl),
        Opcode::Shr => for_exec_size!(u, binary, u32, Shr),
        Opcode::Asr if u.src[0].ty == Type::Ud => for_exec_size!(u, binary, u32, Shr),
        Opcode::Asr => for_exec_size!(u, binary, u32, Asr),
        Opcode::Bfrev => for_exec_size!(u, unary, u32, Bfrev),
        Opcode::Cbit if dword => for_exec_size!(u, unary, u32, Cbit),
        Opcode::Lzd => for_exec_size!(u, unary, u32, Lzd),
        Opcode::Fbl => for_exec_size!(u, unary, u32, Fbl),
        Opcode::Fbh if u.src[0].ty == Type::Ud => for_exec_size!(u, unary, u32, Fbh),
        Opcode::Bfe | Opcode::Bfi1 | Opcode::Bfi2 => for_exec_size!(u, bit_fields),
        Opcode::Math
            if matches!(
                u.math,
                Some(MathFn::IntDivQuotient | MathFn::IntDivRemainder)
            ) && (u.src[0].ty == u.src[1].ty) =>
        {
            by_signedness!(u, int_div)
        }
        Opcode::Cmp | Opcode::Cmpn => by_signedness!(u, cmp),
        Opcode::Sel if u.cmod == CondMod::None => for_exec_size!(u, sel_pred),
        Opcode::Sel => by_signedness!(u, sel_cmod),
        _ => return None,
    })
}
