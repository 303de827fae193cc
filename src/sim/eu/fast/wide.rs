//! Integer instructions with a quadword among their operands, and raw moves of 64-bit elements.

use super::sized;
use crate::alu_int;
use crate::region::Kind;
use crate::state::State;
use crate::uop::{AluFn, R, Uop};
use crate::{convert, flags};
use isa::{CondMod, Opcode, Type};

/// A binary operation on 64-bit lanes.
trait Op {
    fn f(a: u64, b: u64) -> u64;
}

macro_rules! ops {
    ($($name:ident |$a:ident, $b:ident| $e:expr;)*) => {
        $(
            struct $name;
            impl Op for $name {
                #[inline(always)]
                fn f($a: u64, $b: u64) -> u64 {
                    $e
                }
            }
        )*
    };
}

ops! {
    Mov |a, _b| a;
    Add |a, b| a.wrapping_add(b);
    Mul |a, b| a.wrapping_mul(b);
    And |a, b| a & b;
    Or |a, b| a | b;
    Xor |a, b| a ^ b;
    Shl |a, b| a << (b & 63);
    Shr |a, b| a >> (b & 63);
}

#[inline(always)]
fn load<const N: usize>(t: &State, u: &Uop, k: usize) -> [u64; N] {
    let s = &u.src[k];
    let size = usize::from(s.size);
    let mut v = [0u64; N];
    let get = |bits: u64| match s.ty {
        Type::B => bits as i8 as u64,
        Type::W => bits as i16 as u64,
        Type::D => bits as i32 as u64,
        _ => bits,
    };
    match s.kind {
        Kind::Contig if size == 8 && usize::from(s.base).is_multiple_of(8) => {
            let from = t.regs.qwords().get(usize::from(s.base) / 8..);
            if let Some(row) = from.and_then(|from| from.first_chunk()) {
                v = *row;
            }
        }
        Kind::Imm => {
            for (i, v) in v.iter_mut().enumerate() {
                *v = get(s.imm_lane(i));
            }
        }
        Kind::Scalar => v = [get(t.regs.read(usize::from(s.base), size)); N],
        _ => {
            for (i, v) in v.iter_mut().enumerate() {
                *v = get(t.regs.read(s.offset(i), size));
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
            let o = convert::Out::of_bits(*v, u.dst.ty);
            hit |= u32::from(flags::holds(u.cmod, &o)) << i;
        }
        let f = t.regs.flags();
        t.regs.set_flags(flags::merge(f, u.flag_bit(), m, hit));
    }
    if u.dst.kind == Kind::Null {
        return;
    }
    let (base, all) = (usize::from(u.dst.base), flags::lanes(N as u8));
    let together = u.dst.kind == Kind::Contig && size == 8 && base.is_multiple_of(8);
    if together
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

#[inline(always)]
fn unary<O: Op, const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let a = load::<N>(t, u, 0);
    finish(t, u, m, &a.map(|a| O::f(a, 0)));
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
    let mut v = [0u64; N];
    for i in 0..N {
        v[i] = O::f(a[i], b[i]);
    }
    finish(t, u, m, &v);
    Ok(())
}

#[inline(always)]
fn sel<const N: usize>(t: &mut State, u: &Uop) -> R {
    let m = t.mask(u);
    if m == 0 {
        return Ok(());
    }
    let hit = t.predicate(u);
    let a = load::<N>(t, u, 0);
    let b = load::<N>(t, u, 1);
    let mut v = [0u64; N];
    for i in 0..N {
        v[i] = if hit >> i & 1 != 0 { a[i] } else { b[i] };
    }
    finish(t, u, m, &v);
    Ok(())
}

/// The routine for a raw MOV or SEL of 64-bit elements.
pub(super) fn select_raw(u: &Uop) -> Option<AluFn> {
    if u.cmod != CondMod::None {
        return None;
    }
    Some(match u.op {
        Opcode::Mov => sized!(u, unary, Mov),
        Opcode::Sel => sized!(u, sel),
        _ => return None,
    })
}

/// The routine for an unsaturated integer instruction of up to 64 bits.
pub(super) fn select(u: &Uop) -> Option<AluFn> {
    let n = usize::from(u.sources).min(3);
    if u.src[..n].iter().any(|s| s.abs) || matches!(u.cmod, CondMod::O | CondMod::U) {
        return None;
    }
    Some(match u.op {
        Opcode::Mov => sized!(u, unary, Mov),
        Opcode::Add => sized!(u, binary, Add),
        Opcode::Mul => sized!(u, binary, Mul),
        Opcode::And => sized!(u, binary, And),
        Opcode::Or => sized!(u, binary, Or),
        Opcode::Xor => sized!(u, binary, Xor),
        Opcode::Shl => sized!(u, binary, Shl),
        Opcode::Shr => sized!(u, binary, Shr),
        _ => return None,
    })
}
