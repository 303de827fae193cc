//! F instructions in the default rounding mode, and conversions between F and integers of at most 32 bits.

use super::operand::{
    bits, compare, floats, flush, flushed, load_f, set_flags, spread, store, store_row, with,
};
use super::sized;
use crate::alu_float;
use crate::flags;
use crate::general;
use crate::math;
use crate::region::{Kind, SrcOp};
use crate::state::State;
use crate::uop::{AluFn, R, Uop};
use isa::{CondMod, MathFn, Opcode, Type};

/// An operation on F lanes.
trait Op {
    fn f(a: f32, b: f32) -> f32;
}

macro_rules! ops {
    ($($name:ident |$a:ident, $b:ident| $e:expr;)*) => {
        $(
            struct $name;
            impl Op for $name {
                #[inline(always)]
                fn f($a: f32, $b: f32) -> f32 {
                    $e
                }
            }
        )*
    };
}

ops! {
    Mov |a, _b| a;
    Add |a, b| a + b;
    Mul |a, b| a * b;
    Frc |a, _b| {
        let f = a - down(a);
        if f >= 1.0 { 1.0 - f32::EPSILON / 2.0 } else { f }
    };
    Rndd |a, _b| down(a);
    Rndu |a, _b| -down(-a);
    Rnde |a, _b| nearest(a);
    Rndz |a, _b| down(a.abs()).copysign(a);
    Inv |a, _b| 1.0 / a;
    Sqrt |a, _b| a.sqrt();
    Fdiv |a, b| a / b;
}

/// The nearest integer, of two the even one: as the library has it, in a form that compilers make wide.
#[inline(always)]
fn nearest(a: f32) -> f32 {
    // From here on all are integers.
    const WHOLE: f32 = 8_388_608.0;
    let size = a.abs();
    let near = ((size + WHOLE) - WHOLE).copysign(a);
    if size < WHOLE { near } else { a + 0.0 }
}

/// The greatest integer that is not above.
#[inline(always)]
fn down(a: f32) -> f32 {
    let near = nearest(a);
    let below = if near > a { near - 1.0 } else { near };
    below.copysign(a)
}

/// p + c with one rounding, where both are exact in a double: the sum is rounded to odd before F.
#[inline(always)]
fn fused(p: f64, c: f64) -> f32 {
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

/// Flushes, saturates, sets flags, writes.
#[inline(always)]
fn finish<const N: usize>(t: &mut State, u: &Uop, m: u32, v: [f32; N]) {
    let mut v = v.map(f32::to_bits);
    flush(&mut v, t.denorm_keep);
    settle(t, u, m, v);
}

/// Saturates what has been flushed, sets flags, writes.
#[inline(always)]
fn settle<const N: usize>(t: &mut State, u: &Uop, m: u32, mut v: [u32; N]) {
    if u.plain && store_row(t, u, m, &v) {
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
            CondMod::O => bits::<N>(|i| f[i].is_infinite()),
            CondMod::U => bits::<N>(|i| f[i].is_nan()),
            c => compare(c, &f, &[0.0; N]),
        };
        set_flags(t, u, m, hit);
    }
    store(t, u, m, &v);
}

#[inline(always)]
fn unary<O: Op, const N: usize>(t: &mut State, u: &Uop) -> R {
    if t.slow_float {
        return general::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let mut v = [0u32; N];
    let mut room = None;
    let a = floats::<N>(t, u, 0, &mut room);
    for (i, v) in v.iter_mut().enumerate() {
        *v = flushed(O::f(a.get(i), 0.0).to_bits(), t.denorm_keep);
    }
    settle(t, u, m, v);
    Ok(())
}

#[inline(always)]
fn binary<O: Op, const N: usize>(t: &mut State, u: &Uop) -> R {
    if t.slow_float {
        return general::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let mut v = [0u32; N];
    let (mut first, mut second) = (None, None);
    let a = floats::<N>(t, u, 0, &mut first);
    let b = floats::<N>(t, u, 1, &mut second);
    for (i, v) in v.iter_mut().enumerate() {
        *v = flushed(O::f(a.get(i), b.get(i)).to_bits(), t.denorm_keep);
    }
    settle(t, u, m, v);
    Ok(())
}

/// MAD, rounded once.
#[inline(always)]
fn mad<const N: usize>(t: &mut State, u: &Uop) -> R {
    if t.slow_float {
        return general::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let mut v = [0u32; N];
    let mut rooms = [None; 3];
    let [first, second, third] = &mut rooms;
    let a = floats::<N>(t, u, 0, first);
    let b = floats::<N>(t, u, 1, second);
    let c = floats::<N>(t, u, 2, third);
    for (i, v) in v.iter_mut().enumerate() {
        let sum = b.get(i).mul_add(c.get(i), a.get(i));
        *v = flushed(sum.to_bits(), t.denorm_keep);
    }
    settle(t, u, m, v);
    Ok(())
}

/// PLN: the plane at the coordinates of each group of eight channels, a pair of registers; in doubles as MAD is.
#[inline(always)]
fn plane<const N: usize>(t: &mut State, u: &Uop) -> R {
    if t.slow_float {
        return general::execute(t, u);
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
    flush(&mut coefficients, t.denorm_keep);
    let [p, q, _, r] = coefficients.map(|c| f64::from(f32::from_bits(c)));
    let mut v = [0f32; N];
    for (group, v) in v.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let at = usize::from(u.src[1].base) + group * 64;
        let (mut x, mut y) = ([0; 8], [0; 8]);
        read(at, &mut x);
        read(at + 32, &mut y);
        flush(&mut x, t.denorm_keep);
        flush(&mut y, t.denorm_keep);
        let (mut first, mut second, mut sums) = ([0f64; 8], [0f64; 8], [0f64; 8]);
        for i in 0..8 {
            first[i] = p * f64::from(f32::from_bits(x[i]));
            second[i] = q * f64::from(f32::from_bits(y[i])) + r;
            sums[i] = first[i] + second[i];
        }
        let doubt;
        (*v, doubt) = rounded(&sums);
        if doubt {
            for (v, (first, second)) in v.iter_mut().zip(first.into_iter().zip(second)) {
                *v = fused(first, second);
            }
        }
    }
    finish(t, u, m, v);
    Ok(())
}

/// Sums of two doubles as Fs, and whether rounding one of them twice may have made another F than rounding it once.
#[inline(always)]
fn rounded<const N: usize>(sums: &[f64; N]) -> ([f32; N], bool) {
    // The least normal F: what is about as small, or smaller, may be rounded as a denormal is.
    const SMALL: i32 = f32::MIN_POSITIVE.to_bits() as i32;
    let size = |v: f32| (v.to_bits() & 0x7fff_ffff) as i32;
    let mut v = [0f32; N];
    // A double halfway between two Fs may itself have been rounded; so may one whose F is a denormal. A zero is exact.
    let (mut halfway, mut small) = (0u32, 0u32);
    for (v, sum) in v.iter_mut().zip(sums) {
        *v = *sum as f32;
    }
    for sum in sums {
        halfway |= u32::from(sum.to_bits() as u32 & 0x1fff_ffff == 0x1000_0000);
    }
    for v in &v {
        small |= u32::from(size(*v) <= SMALL);
    }
    let tiny = |(v, sum): (&f32, &f64)| size(*v) <= SMALL && *sum != 0.0;
    let doubt = halfway != 0 || small != 0 && v.iter().zip(sums).any(tiny);
    (v, doubt)
}

/// Transcendental functions, in doubles.
#[inline(always)]
fn transcendental<const N: usize>(t: &mut State, u: &Uop) -> R {
    let (false, Some(f)) = (t.slow_float, u.math) else {
        return general::execute(t, u);
    };
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load_f::<N>(t, u, 0);
    let b = if u.sources > 1 {
        load_f::<N>(t, u, 1)
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
    finish(t, u, m, v);
    Ok(())
}

#[inline(always)]
fn cmp<const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load_f::<N>(t, u, 0).map(f32::from_bits);
    let b = load_f::<N>(t, u, 1).map(f32::from_bits);
    let hit = compare(u.cmod, &a, &b);
    set_flags(t, u, m, hit);
    store(t, u, m, &spread::<N>(hit));
    Ok(())
}

#[inline(always)]
fn sel_cmod<const N: usize>(t: &mut State, u: &Uop) -> R {
    if t.slow_float {
        return general::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load_f::<N>(t, u, 0).map(f32::from_bits);
    let b = load_f::<N>(t, u, 1).map(f32::from_bits);
    let mut v = [0f32; N];
    for i in 0..N {
        v[i] = if alu_float::select_f32(u.cmod, a[i], b[i]) {
            a[i]
        } else {
            b[i]
        };
    }
    finish_quiet(t, u, m, v);
    Ok(())
}

#[inline(always)]
fn sel_pred<const N: usize>(t: &mut State, u: &Uop) -> R {
    if t.slow_float {
        return general::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = t.predicate(u) & flags::lanes(N as u8);
    let a = load_f::<N>(t, u, 0).map(f32::from_bits);
    let b = load_f::<N>(t, u, 1).map(f32::from_bits);
    let mut v = [0f32; N];
    for i in 0..N {
        v[i] = if hit >> i & 1 != 0 { a[i] } else { b[i] };
    }
    finish_quiet(t, u, m, v);
    Ok(())
}

/// As `finish`, for SEL, whose conditional modifier sets no flags.
#[inline(always)]
fn finish_quiet<const N: usize>(t: &mut State, u: &Uop, m: u32, v: [f32; N]) {
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
fn f_to_int<const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    // A denormal is a zero to integers, flushed or not.
    with::<N>(
        t,
        u,
        0,
        #[inline(always)]
        |t, a| {
            let v = integers(u, &a);
            if !(u.plain && store_row(t, u, m, &v)) {
                store(t, u, m, &v);
            }
        },
    );
    Ok(())
}

/// Floats as integers of the destination's type: truncated, clamped.
#[inline(always)]
fn integers<const N: usize>(u: &Uop, a: &[u32; N]) -> [u32; N] {
    let (lo, hi) = match u.dst.ty {
        Type::W => (-0x8000, 0x7fff),
        Type::Uw => (0, 0xffff),
        Type::B => (-0x80, 0x7f),
        Type::Ub => (0, 0xff),
        _ => (i32::MIN, i32::MAX),
    };
    let mut v = [0u32; N];
    // Numbers from zero on that every integer of more than a byte holds, as pixels' places are: truncated in wide steps.
    const FEW: u32 = 32_768_f32.to_bits();
    // With a sign they are above as they stand.
    let most = a.iter().fold(0, |most, x| (*x).max(most));
    if u.dst.size > 1 && most < FEW {
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
fn int_to_f<const N: usize>(t: &mut State, u: &Uop) -> R {
    if t.slow_float {
        return general::execute(t, u);
    }
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let unsigned = u.src[0].ty == Type::Ud;
    with::<N>(
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
            finish(t, u, m, v);
        },
    );
    Ok(())
}

/// The routine for an instruction whose sources are F (and whose destination is F, but for CMP).
pub(super) fn select(u: &Uop) -> Option<AluFn> {
    Some(match u.op {
        // A raw move whose bits go to the flags too.
        Opcode::Mov if !u.src[0].abs && !u.src[0].neg && !u.saturate => return None,
        Opcode::Mov => sized!(u, unary, Mov),
        Opcode::Add => sized!(u, binary, Add),
        Opcode::Mul => sized!(u, binary, Mul),
        Opcode::Mad => sized!(u, mad),
        // Fewer channels than a register has, and modifiers, are left to the general path.
        Opcode::Pln => {
            let plain = |s: &SrcOp| !s.abs && !s.neg && usize::from(s.base).is_multiple_of(4);
            let kinds = (u.src[0].kind, u.src[1].kind);
            if u.n < 8 || kinds != (Kind::Scalar, Kind::Contig) || !u.src[..2].iter().all(plain) {
                return None;
            }
            sized!(u, plane)
        }
        Opcode::Frc => sized!(u, unary, Frc),
        Opcode::Rndd => sized!(u, unary, Rndd),
        Opcode::Rndu => sized!(u, unary, Rndu),
        Opcode::Rnde => sized!(u, unary, Rnde),
        Opcode::Rndz => sized!(u, unary, Rndz),
        Opcode::Cmp if u.cmod != CondMod::O => sized!(u, cmp),
        Opcode::Sel if u.cmod == CondMod::None => sized!(u, sel_pred),
        Opcode::Sel => sized!(u, sel_cmod),
        Opcode::Math if super::is_float_math(u.math) => match u.math? {
            MathFn::Inv => sized!(u, unary, Inv),
            MathFn::Sqrt => sized!(u, unary, Sqrt),
            MathFn::Fdiv => sized!(u, binary, Fdiv),
            _ => sized!(u, transcendental),
        },
        _ => return None,
    })
}

/// The routine for a MOV between F and a small integer.
pub(super) fn select_convert(u: &Uop) -> Option<AluFn> {
    let (from, to) = (u.src[0].ty, u.dst.ty);
    if from == Type::F && !to.is_float() && u.cmod == CondMod::None {
        return Some(sized!(u, f_to_int));
    }
    // A negated unsigned dword does not fit 32 bits; absolute values are the general path's.
    let s = &u.src[0];
    let fits = !s.abs && (!s.neg || s.size < 4);
    if !from.is_float() && to == Type::F && fits {
        return Some(sized!(u, int_to_f));
    }
    None
}
