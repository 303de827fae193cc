//! Integer instructions of at most 32 bits, unsaturated: arithmetic modulo 2^32 gives every narrower result.
//!
//! Raw moves and selections of floats come here too.

use super::operand::{compare, fours_and, load, set_flags, spread, store, store_row};
use super::sized;
use crate::access::Operand;
use crate::alu_int::{self, Width};
use crate::flags;
use crate::general;
use crate::state::State;
use crate::uop::{AluFn, R, Uop};
use isa::{CondMod, MathFn, Opcode, Type};

/// A binary operation on 32-bit lanes; unary ones ignore `b`.
trait Op {
    fn f(a: u32, b: u32) -> u32;
}

macro_rules! ops {
    ($($name:ident |$a:ident, $b:ident| $e:expr;)*) => {
        $(
            struct $name;
            impl Op for $name {
                #[inline(always)]
                fn f($a: u32, $b: u32) -> u32 {
                    $e
                }
            }
        )*
    };
}

ops! {
    Mov |a, _b| a;
    Not |a, _b| !a;
    Add |a, b| a.wrapping_add(b);
    Mul |a, b| a.wrapping_mul(b);
    And |a, b| a & b;
    Or |a, b| a | b;
    Xor |a, b| a ^ b;
    Shl |a, b| a << (b & 31);
    Shr |a, b| a >> (b & 31);
    Asr |a, b| ((a as i32) >> (b & 31)) as u32;
    Bfrev |a, _b| a.reverse_bits();
    Cbit |a, _b| a.count_ones();
    Lzd |a, _b| a.leading_zeros();
    Fbl |a, _b| if a == 0 { u32::MAX } else { a.trailing_zeros() };
    Fbh |a, _b| if a == 0 { u32::MAX } else { a.leading_zeros() };
}

/// Flags of results, as the destination's type sees them.
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
    if u.plain && store_row(t, u, m, v) {
        return;
    }
    if u.cmod != CondMod::None {
        set_flags(t, u, m, result_flags(u, v));
    }
    store(t, u, m, v);
}

#[inline(always)]
fn unary<O: Op, const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load::<N>(t, u, 0);
    let mut v = [0u32; N];
    for i in 0..N {
        v[i] = O::f(a[i], 0);
    }
    finish(t, u, m, &v);
    Ok(())
}

#[inline(always)]
fn binary<O: Op, const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    let mut v = [0u32; N];
    for i in 0..N {
        v[i] = O::f(a[i], b[i]);
    }
    finish(t, u, m, &v);
    Ok(())
}

/// [`binary`] of words, each for four lanes, as places of subspans are.
#[inline(always)]
fn binary_fours<O: Op, const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let (a, b) = fours_and::<N>(t, u);
    let mut v = [0u32; N];
    for i in 0..N {
        v[i] = O::f(a[i], b[i]);
    }
    finish(t, u, m, &v);
    Ok(())
}

/// A raw MOV from registers that a0 names: an array indexed by each channel.
#[inline(always)]
fn mov_indirect<const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    let mut v = [0u32; N];
    let s = &u.src[0];
    let size = usize::from(s.size);
    for (i, v) in v.iter_mut().enumerate() {
        if m >> i & 1 != 0 {
            let at = general::indirect(t, u, s, i)?;
            *v = t.regs.read(at, size) as u32;
        }
    }
    store(t, u, m, &v);
    Ok(())
}

/// The routine for a raw MOV of at most 32 bits from an indirect source.
pub(super) fn select_indirect(u: &Uop) -> Option<AluFn> {
    if u.op != Opcode::Mov || u.cmod != CondMod::None || u.dst.size > 4 {
        return None;
    }
    Some(sized!(u, mov_indirect))
}

/// INT DIV, quotient or remainder.
#[inline(always)]
fn int_div<const SIGNED: bool, const N: usize>(t: &mut State, u: &Uop) -> R {
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

/// Bit-field operations: rare enough for one lane at a time.
#[inline(always)]
fn fields<const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    let c = if u.sources > 2 {
        load::<N>(t, u, 2)
    } else {
        [0; N]
    };
    let w = Width {
        bits: 32,
        signed: u.src[..usize::from(u.sources).min(3)]
            .iter()
            .any(|s| s.ty.is_signed_int()),
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
fn cmp<const SIGNED: bool, const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = verdict::<SIGNED, N>(t, u);
    set_flags(t, u, m, hit);
    store(t, u, m, &spread::<N>(hit));
    Ok(())
}

#[inline(always)]
fn verdict<const SIGNED: bool, const N: usize>(t: &State, u: &Uop) -> u32 {
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    if SIGNED {
        compare(u.cmod, &a.map(|x| x as i32), &b.map(|x| x as i32))
    } else {
        compare(u.cmod, &a, &b)
    }
}

#[inline(always)]
fn sel_cmod<const SIGNED: bool, const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = verdict::<SIGNED, N>(t, u);
    choose::<N>(t, u, m, hit);
    Ok(())
}

#[inline(always)]
fn sel_pred<const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = t.predicate(u);
    choose::<N>(t, u, m, hit);
    Ok(())
}

#[inline(always)]
fn choose<const N: usize>(t: &mut State, u: &Uop, m: u32, hit: u32) {
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    let k = spread::<N>(hit & flags::lanes(N as u8));
    let mut v = [0u32; N];
    for i in 0..N {
        v[i] = (a[i] & k[i]) | (b[i] & !k[i]);
    }
    store(t, u, m, &v);
}

/// Whether a comparison of these sources fits 32 bits, and signed or not.
fn order(u: &Uop) -> Option<bool> {
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

macro_rules! ordered {
    ($u:expr, $f:ident) => {
        match order($u)? {
            true => sized!($u, $f, true),
            false => sized!($u, $f, false),
        }
    };
}

/// The routine for an integer instruction of at most 32 bits.
pub(super) fn select(u: &Uop) -> Option<AluFn> {
    let n = usize::from(u.sources).min(3);
    // Absolute values of integers, and flags of what overflowed, are the general path's.
    if u.src[..n].iter().any(|s| s.abs && !s.ty.is_float())
        || matches!(u.cmod, CondMod::O | CondMod::U)
    {
        return None;
    }
    let dword = u.src[0].size == 4;
    Some(match u.op {
        Opcode::Mov => sized!(u, unary, Mov),
        Opcode::Not => sized!(u, unary, Not),
        Opcode::Add if Operand::new(&u.src[0], false, u.n).is_fours() => {
            sized!(u, binary_fours, Add)
        }
        Opcode::Add => sized!(u, binary, Add),
        Opcode::Mul => sized!(u, binary, Mul),
        Opcode::And => sized!(u, binary, And),
        Opcode::Or => sized!(u, binary, Or),
        Opcode::Xor => sized!(u, binary, Xor),
        Opcode::Shl => sized!(u, binary, Shl),
        Opcode::Shr => sized!(u, binary, Shr),
        Opcode::Asr if u.src[0].ty == Type::Ud => sized!(u, binary, Shr),
        Opcode::Asr => sized!(u, binary, Asr),
        Opcode::Bfrev => sized!(u, unary, Bfrev),
        Opcode::Cbit if dword => sized!(u, unary, Cbit),
        Opcode::Lzd => sized!(u, unary, Lzd),
        Opcode::Fbl => sized!(u, unary, Fbl),
        Opcode::Fbh if u.src[0].ty == Type::Ud => sized!(u, unary, Fbh),
        Opcode::Bfe | Opcode::Bfi1 | Opcode::Bfi2 => sized!(u, fields),
        Opcode::Math
            if matches!(
                u.math,
                Some(MathFn::IntDivQuotient | MathFn::IntDivRemainder)
            ) && (u.src[0].ty == u.src[1].ty) =>
        {
            ordered!(u, int_div)
        }
        Opcode::Cmp | Opcode::Cmpn => ordered!(u, cmp),
        Opcode::Sel if u.cmod == CondMod::None => sized!(u, sel_pred),
        Opcode::Sel => ordered!(u, sel_cmod),
        _ => return None,
    })
}
