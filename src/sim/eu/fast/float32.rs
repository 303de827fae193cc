//! F instructions in the default rounding mode, and conversions between F and integers of at most
//! 32 bits.
//!
//! In:  a micro-op. Out: its routine. Sources are read in place, lane by lane, and results flushed
//!      in the same loop, which the integer routines do not need: so these have loops of their own.

use super::exec_size::for_exec_size;
use super::lane_op::{LaneOp, lane_ops};
use super::operand::{
    compare, float_lanes, flush_denorm, flush_denorms, lane_bits, lane_masks, load_flushed,
    set_flags, store, store_all_dwords, with_lanes,
};
use crate::alu_float;
use crate::flags;
use crate::interpreter;
use crate::math;
use crate::region::{OperandKind, SrcOp};
use crate::state::State;
use crate::uop::{AluFn, ExecResult, Uop};
use isa::{CondMod, MathFn, Opcode, Type};

lane_ops! { f32:
    Mov |a, _b| a;
    Add |a, b| a + b;
    Mul |a, b| a * b;
    Frc |a, _b| {
        let f = a - floor(a);
        if f >= 1.0 { 1.0 - f32::EPSILON / 2.0 } else { f }
    };
    Rndd |a, _b| floor(a);
    Rndu |a, _b| -floor(-a);
    Rnde |a, _b| round_even(a);
    Rndz |a, _b| floor(a.abs()).copysign(a);
    Inv |a, _b| 1.0 / a;
    Sqrt |a, _b| a.sqrt();
    Fdiv |a, b| a / b;
}

/// Rounds to the nearest integer, ties to even: `f32::round_ties_even` in a form that the compiler
/// vectorises.
#[inline(always)]
fn round_even(a: f32) -> f32 {
    // Floats of this size and above are integers.
    const WHOLE: f32 = 8_388_608.0;
    let size = a.abs();
    let near = ((size + WHOLE) - WHOLE).copysign(a);
    if size < WHOLE { near } else { a + 0.0 }
}

/// Rounds down, in a form that the compiler vectorises.
#[inline(always)]
fn floor(a: f32) -> f32 {
    let near = round_even(a);
    let below = if near > a { near - 1.0 } else { near };
    below.copysign(a)
}

/// p + c rounded once to F: the sum of the doubles is rounded to odd, then to F.
#[inline(always)]
fn add_rounded_once(p: f64, c: f64) -> f32 {
    let s = p + c;
    let bb = s - p;
    let err = (p - (s - bb)) + (c - bb);
    let x = s.to_bits();
    // A NaN here means that the sum is not finite, and compares false.
    let inexact = err.abs() > 0.0;
    let away = (err > 0.0) == (s > 0.0);
    let fix = if inexact && x & 1 == 0 {
        if away { 1 } else { u64::MAX }
    } else {
        0
    };
    f64::from_bits(x.wrapping_add(fix)) as f32
}

/// Flushes denormal results, saturates, sets flags and stores.
#[inline(always)]
fn flush_and_store<const N: usize>(t: &mut State, u: &Uop, m: u32, v: [f32; N]) {
    let mut v = v.map(f32::to_bits);
    flush_denorms(&mut v, t.f_denorm_mask);
    saturate_and_store(t, u, m, v);
}

/// Saturates results without denormals to flush, sets flags and stores.
#[inline(always)]
fn saturate_and_store<const N: usize>(t: &mut State, u: &Uop, m: u32, mut v: [u32; N]) {
    if u.plain_dwords && store_all_dwords(t, u, m, &v) {
        return;
    }
    if u.saturate {
        for x in &mut v {
            let f = f32::from_bits(*x);
            *x = if f > 0.0 { f.min(1.0) } else { 0.0 }.to_bits();
        }
    }
    if u.cmod != CondMod::None {
        let f = v.map(f32::from_bits);
        let hit = match u.cmod {
            CondMod::O => lane_bits::<N>(|i| f[i].is_infinite()),
            CondMod::U => lane_bits::<N>(|i| f[i].is_nan()),
            c => compare(c, &f, &[0.0; N]),
        };
        set_flags(t, u, m, hit);
    }
    store(t, u, m, &v);
}

#[inline(always)]
fn unary<O: LaneOp<f32>, const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    if t.fp_needs_interpreter {
        return interpreter::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let mut v = [0u32; N];
    let mut scratch = None;
    let a = float_lanes::<N>(t, u, 0, &mut scratch);
    for (i, v) in v.iter_mut().enumerate() {
        *v = flush_denorm(O::apply(a.get(i), 0.0).to_bits(), t.f_denorm_mask);
    }
    saturate_and_store(t, u, m, v);
    Ok(())
}

#[inline(always)]
fn binary<O: LaneOp<f32>, const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    if t.fp_needs_interpreter {
        return interpreter::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let mut v = [0u32; N];
    let (mut first, mut second) = (None, None);
    let a = float_lanes::<N>(t, u, 0, &mut first);
    let b = float_lanes::<N>(t, u, 1, &mut second);
    for (i, v) in v.iter_mut().enumerate() {
        *v = flush_denorm(O::apply(a.get(i), b.get(i)).to_bits(), t.f_denorm_mask);
    }
    saturate_and_store(t, u, m, v);
    Ok(())
}

/// MAD, with one rounding.
#[inline(always)]
fn mad<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    if t.fp_needs_interpreter {
        return interpreter::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let mut v = [0u32; N];
    let mut scratch = [None; 3];
    let [first, second, third] = &mut scratch;
    let a = float_lanes::<N>(t, u, 0, first);
    let b = float_lanes::<N>(t, u, 1, second);
    let c = float_lanes::<N>(t, u, 2, third);
    for (i, v) in v.iter_mut().enumerate() {
        let sum = b.get(i).mul_add(c.get(i), a.get(i));
        *v = flush_denorm(sum.to_bits(), t.f_denorm_mask);
    }
    saturate_and_store(t, u, m, v);
    Ok(())
}

/// PLN, in doubles. The coordinates of each group of eight channels are a pair of registers.
#[inline(always)]
fn plane<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    if t.fp_needs_interpreter {
        return interpreter::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let read = |at: usize, out: &mut [u32]| {
        let from = t.regs.dwords().get(at / 4..at / 4 + out.len());
        out.copy_from_slice(from.unwrap_or(&[0; 8][..out.len()]));
    };
    let mut coefficients = [0; 4];
    read(usize::from(u.src[0].base), &mut coefficients);
    flush_denorms(&mut coefficients, t.f_denorm_mask);
    let [p, q, _, r] = coefficients.map(|c| f64::from(f32::from_bits(c)));
    let mut v = [0f32; N];
    for (group, v) in v.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let at = usize::from(u.src[1].base) + group * 64;
        let (mut x, mut y) = ([0; 8], [0; 8]);
        read(at, &mut x);
        read(at + 32, &mut y);
        flush_denorms(&mut x, t.f_denorm_mask);
        flush_denorms(&mut y, t.f_denorm_mask);
        let (mut first, mut second, mut sums) = ([0f64; 8], [0f64; 8], [0f64; 8]);
        for i in 0..8 {
            first[i] = p * f64::from(f32::from_bits(x[i]));
            second[i] = q * f64::from(f32::from_bits(y[i])) + r;
            sums[i] = first[i] + second[i];
        }
        let inexact;
        (*v, inexact) = round_sums(&sums);
        if inexact {
            for (v, (first, second)) in v.iter_mut().zip(first.into_iter().zip(second)) {
                *v = add_rounded_once(first, second);
            }
        }
    }
    flush_and_store(t, u, m, v);
    Ok(())
}

/// Rounds sums of two doubles to F. True if rounding a sum twice, to double and to F, may differ
/// from rounding it once.
#[inline(always)]
fn round_sums<const N: usize>(sums: &[f64; N]) -> ([f32; N], bool) {
    // The smallest normal F: numbers up to it may be rounded as denormals are.
    const SMALL: i32 = f32::MIN_POSITIVE.to_bits() as i32;
    let magnitude = |v: f32| (v.to_bits() & 0x7fff_ffff) as i32;
    let mut v = [0f32; N];
    // A double halfway between two Fs may be the result of rounding; so may one whose F is a
    // denormal. A zero is exact.
    let (mut halfway, mut small) = (0u32, 0u32);
    for (v, sum) in v.iter_mut().zip(sums) {
        *v = *sum as f32;
    }
    for sum in sums {
        halfway |= u32::from(sum.to_bits() as u32 & 0x1fff_ffff == 0x1000_0000);
    }
    for v in &v {
        small |= u32::from(magnitude(*v) <= SMALL);
    }
    let tiny = |(v, sum): (&f32, &f64)| magnitude(*v) <= SMALL && *sum != 0.0;
    let inexact = halfway != 0 || small != 0 && v.iter().zip(sums).any(tiny);
    (v, inexact)
}

/// Math functions that are evaluated in doubles, lane by lane.
#[inline(always)]
fn transcendental<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let (false, Some(f)) = (t.fp_needs_interpreter, u.math) else {
        return interpreter::execute(t, u);
    };
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load_flushed::<N>(t, u, 0);
    let b = if u.num_srcs > 1 {
        load_flushed::<N>(t, u, 1)
    } else {
        [0; N]
    };
    let mut v = [0f32; N];
    for i in 0..N {
        if m >> i & 1 != 0 {
            let (x, y) = (f32::from_bits(a[i]), f32::from_bits(b[i]));
            v[i] = math::eval(f, f64::from(x), f64::from(y)).unwrap_or(0.0) as f32;
        }
    }
    flush_and_store(t, u, m, v);
    Ok(())
}

#[inline(always)]
fn cmp<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load_flushed::<N>(t, u, 0).map(f32::from_bits);
    let b = load_flushed::<N>(t, u, 1).map(f32::from_bits);
    let hit = compare(u.cmod, &a, &b);
    set_flags(t, u, m, hit);
    store(t, u, m, &lane_masks::<N>(hit));
    Ok(())
}

#[inline(always)]
fn sel_cmod<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    if t.fp_needs_interpreter {
        return interpreter::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load_flushed::<N>(t, u, 0).map(f32::from_bits);
    let b = load_flushed::<N>(t, u, 1).map(f32::from_bits);
    let mut v = [0f32; N];
    for i in 0..N {
        v[i] = if alu_float::select_f32(u.cmod, a[i], b[i]) {
            a[i]
        } else {
            b[i]
        };
    }
    store_selected(t, u, m, v);
    Ok(())
}

#[inline(always)]
fn sel_pred<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    if t.fp_needs_interpreter {
        return interpreter::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = t.predicate(u) & flags::lane_mask(N as u8);
    let a = load_flushed::<N>(t, u, 0).map(f32::from_bits);
    let b = load_flushed::<N>(t, u, 1).map(f32::from_bits);
    let mut v = [0f32; N];
    for i in 0..N {
        v[i] = if hit >> i & 1 != 0 { a[i] } else { b[i] };
    }
    store_selected(t, u, m, v);
    Ok(())
}

/// As `finish`, for SEL, whose conditional modifier sets no flags.
#[inline(always)]
fn store_selected<const N: usize>(t: &mut State, u: &Uop, m: u32, v: [f32; N]) {
    let mut v = v.map(f32::to_bits);
    if u.saturate {
        for x in &mut v {
            let f = f32::from_bits(*x);
            *x = if f > 0.0 { f.min(1.0) } else { 0.0 }.to_bits();
        }
    }
    store(t, u, m, &v);
}

#[inline(always)]
fn f_to_int<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    // A denormal converts to zero whether it is flushed or not.
    with_lanes::<N>(
        t,
        u,
        0,
        #[inline(always)]
        |t, a| {
            let v = to_integers(u, &a);
            if !(u.plain_dwords && store_all_dwords(t, u, m, &v)) {
                store(t, u, m, &v);
            }
        },
    );
    Ok(())
}

/// Converts floats to integers of the destination's type: truncates and clamps.
#[inline(always)]
fn to_integers<const N: usize>(u: &Uop, a: &[u32; N]) -> [u32; N] {
    let (lo, hi) = match u.dst.ty {
        Type::W => (-0x8000, 0x7fff),
        Type::Uw => (0, 0xffff),
        Type::B => (-0x80, 0x7f),
        Type::Ub => (0, 0xff),
        _ => (i32::MIN, i32::MAX),
    };
    let mut v = [0u32; N];
    // Numbers in 0..32768, such as pixel positions, fit every integer wider than a byte: truncated
    // by vector code.
    const LIMIT: u32 = 32_768_f32.to_bits();
    // The bits of negative numbers are greater than LIMIT.
    let max = a.iter().fold(0, |max, x| (*x).max(max));
    if u.dst.size > 1 && max < LIMIT {
        for i in 0..N {
            let x = f32::from_bits(a[i]);
            let near = x + 8_388_608.0;
            let above = u32::from(near - 8_388_608.0 > x);
            v[i] = (near.to_bits() & 0x7f_ffff) - above;
        }
        return v;
    }
    for i in 0..N {
        let x = f32::from_bits(a[i]);
        v[i] = if u.dst.ty == Type::Ud {
            x as u32
        } else {
            (x as i32).clamp(lo, hi) as u32
        };
    }
    v
}

#[inline(always)]
fn int_to_f<const N: usize>(t: &mut State, u: &Uop) -> ExecResult {
    if t.fp_needs_interpreter {
        return interpreter::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let unsigned = u.src[0].ty == Type::Ud;
    with_lanes::<N>(
        t,
        u,
        0,
        #[inline(always)]
        |t, a| {
            let mut v = [0f32; N];
            if unsigned {
                for i in 0..N {
                    v[i] = a[i] as f32;
                }
            } else {
                for i in 0..N {
                    v[i] = a[i] as i32 as f32;
                }
            }
            flush_and_store(t, u, m, v);
        },
    );
    Ok(())
}

/// True for the math functions with a fast routine.
fn is_fast_math(f: Option<MathFn>) -> bool {
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

/// Selects the routine for an instruction whose sources are F and whose destination is F or that of
/// a CMP.
pub(super) fn select(u: &Uop) -> Option<AluFn> {
    Some(match u.op {
        // A raw move with a conditional modifier.
        Opcode::Mov if !u.src[0].abs && !u.src[0].neg && !u.saturate => return None,
        Opcode::Mov => for_exec_size!(u, unary, Mov),
        Opcode::Add => for_exec_size!(u, binary, Add),
        Opcode::Mul => for_exec_size!(u, binary, Mul),
        Opcode::Mad => for_exec_size!(u, mad),
        // PLN with fewer than eight channels or with modifiers is left to the interpreter.
        Opcode::Pln => {
            let plain = |s: &SrcOp| !s.abs && !s.neg && usize::from(s.base).is_multiple_of(4);
            let kinds = (u.src[0].kind, u.src[1].kind);
            if u.exec_size < 8
                || kinds != (OperandKind::Scalar, OperandKind::Contiguous)
                || !u.src[..2].iter().all(plain)
            {
                return None;
            }
            for_exec_size!(u, plane)
        }
        Opcode::Frc => for_exec_size!(u, unary, Frc),
        Opcode::Rndd => for_exec_size!(u, unary, Rndd),
        Opcode::Rndu => for_exec_size!(u, unary, Rndu),
        Opcode::Rnde => for_exec_size!(u, unary, Rnde),
        Opcode::Rndz => for_exec_size!(u, unary, Rndz),
        Opcode::Cmp if u.cmod != CondMod::O => for_exec_size!(u, cmp),
        Opcode::Sel if u.cmod == CondMod::None => for_exec_size!(u, sel_pred),
        Opcode::Sel => for_exec_size!(u, sel_cmod),
        Opcode::Math if is_fast_math(u.math) => match u.math? {
            MathFn::Inv => for_exec_size!(u, unary, Inv),
            MathFn::Sqrt => for_exec_size!(u, unary, Sqrt),
            MathFn::Fdiv => for_exec_size!(u, binary, Fdiv),
            _ => for_exec_size!(u, transcendental),
        },
        _ => return None,
    })
}

/// Selects the routine for a MOV between F and an integer of at most 32 bits.
pub(super) fn select_convert(u: &Uop) -> Option<AluFn> {
    let (from, to) = (u.src[0].ty, u.dst.ty);
    if from == Type::F && !to.is_float() && u.cmod == CondMod::None {
        return Some(for_exec_size!(u, f_to_int));
    }
    // A negated unsigned dword does not fit 32 bits; absolute values are left to the interpreter.
    let s = &u.src[0];
    let fits = !s.abs && (!s.neg || s.size < 4);
    if !from.is_float() && to == Type::F && fits {
        return Some(for_exec_size!(u, int_to_f));
    }
    None
}
