//! Integer arithmetic that gen9 has no instruction for.

use super::wide;
use super::words::split_words;
use entity::Id;
use nir::*;

/// Expands an integer operation. `None` for other operations.
pub(super) fn lower_integer_op(
    b: &mut Builder<'_>,
    op: AluOp,
    [x, y, _, _]: [Id<Def>; 4],
    bits: u8,
) -> Option<Id<Def>> {
    use AluOp as Op;
    Some(match op {
        Op::ISub => {
            let n = b.ineg(y);
            b.iadd(x, n)
        }
        Op::ISign => {
            let (one, minus) = (b.imm_int(bits, 1), b.imm_int(bits, -1));
            let v = b.imin(x, one);
            b.imax(v, minus)
        }
        Op::IMod => imod(b, x, y, bits),
        Op::UDiv if bits == 64 => wide::udivmod(b, x, y).0,
        Op::UMod if bits == 64 => wide::udivmod(b, x, y).1,
        Op::IDiv | Op::IRem if bits == 64 => wide::signed_division(b, x, y, op == Op::IDiv),
        Op::UDiv | Op::UMod | Op::IDiv | Op::IRem => {
            // Narrow integers are divided as 32-bit ones.
            let signed = matches!(op, Op::IDiv | Op::IRem);
            let (x, y) = if signed {
                (b.i2i(x, 32), b.i2i(y, 32))
            } else {
                (b.u2u(x, 32), b.u2u(y, 32))
            };
            let v = b.alu(op, &[x, y]);
            b.u2u(v, bits)
        }
        Op::UAddCarry => {
            let sum = b.iadd(x, y);
            let carry = b.ult(sum, x);
            b.b2i(carry, bits)
        }
        Op::USubBorrow => {
            let borrow = b.ult(x, y);
            b.b2i(borrow, bits)
        }
        Op::UAddSat => {
            let sum = b.iadd(x, y);
            let carry = b.ult(sum, x);
            let all = b.imm_int(bits, -1);
            b.bcsel(carry, all, sum)
        }
        Op::USubSat => {
            let m = b.umax(x, y);
            let n = b.ineg(y);
            b.iadd(m, n)
        }
        Op::IAddSat | Op::ISubSat => {
            let (r, other) = if op == Op::IAddSat {
                (b.iadd(x, y), y)
            } else {
                let n = b.ineg(y);
                let r = b.iadd(x, n);
                (r, b.inot(y))
            };
            // Overflow: the result's sign differs from that of both terms.
            let (p, q) = (b.ixor(x, r), b.ixor(other, r));
            let both = b.iand(p, q);
            let zero = b.imm_zero(1, bits);
            let over = b.ilt(both, zero);
            let top = b.imm_u32(u32::from(bits) - 1);
            let sign = b.ishr(x, top);
            let max = b.imm_int(bits, (nir::fold::mask(bits) >> 1) as i64);
            let limit = b.ixor(sign, max);
            b.bcsel(over, limit, r)
        }
        Op::IMul => imul64(b, x, y),
        Op::IMulHigh | Op::UMulHigh if bits < 32 => {
            let shift = b.imm_u32(u32::from(bits));
            let (x, y) = if op == Op::IMulHigh {
                (b.i2i(x, 32), b.i2i(y, 32))
            } else {
                (b.u2u(x, 32), b.u2u(y, 32))
            };
            let p = b.imul(x, y);
            let p = b.ushr(p, shift);
            b.u2u(p, bits)
        }
        Op::IMulHigh | Op::UMulHigh => mul_high64(b, x, y, op == Op::IMulHigh),
        _ => return None,
    })
}

fn imod(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>, bits: u8) -> Id<Def> {
    let constant = b.shader.const_component(y, 0);
    if let Some(c) = constant.filter(|c| c.is_power_of_two() && c >> (bits - 1) == 0) {
        let mask = b.imm_int(bits, c as i64 - 1);
        return b.iand(x, mask);
    }
    let r = b.irem(x, y);
    let zero = b.imm_zero(1, bits);
    if constant.is_some_and(|c| c != 0 && c >> (bits - 1) == 0) {
        let below = b.ilt(r, zero);
        let moved = b.iadd(r, y);
        return b.bcsel(below, moved, r);
    }
    let some = b.ine(r, zero);
    let signs = b.ixor(r, y);
    let differ = b.ilt(signs, zero);
    let fix = b.iand(some, differ);
    let moved = b.iadd(r, y);
    b.bcsel(fix, moved, r)
}

fn imul64(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>) -> Id<Def> {
    let (xl, xh) = split_words(b, x);
    let (yl, yh) = split_words(b, y);
    let whole = b.umul_2x32_64(xl, yl);
    let (lo, hi) = split_words(b, whole);
    let (p, q) = (b.imul(xl, yh), b.imul(xh, yl));
    let hi = b.iadd(hi, p);
    let hi = b.iadd(hi, q);
    b.pack_64_2x32_split(lo, hi)
}

/// The high 64 bits of a 64-bit product, from four 32-bit products.
fn mul_high64(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>, signed: bool) -> Id<Def> {
    let (xl, xh) = split_words(b, x);
    let (yl, yh) = split_words(b, y);
    let ll = b.umul_2x32_64(xl, yl);
    let lh = b.umul_2x32_64(xl, yh);
    let hl = b.umul_2x32_64(xh, yl);
    let hh = b.umul_2x32_64(xh, yh);
    let by = b.imm_u32(32);
    let carry = b.ushr(ll, by);
    let mid = b.iadd(lh, carry);
    let low = b.imm_int(64, 0xffff_ffff);
    let mid_low = b.iand(mid, low);
    let mid2 = b.iadd(hl, mid_low);
    let (a, c) = (b.ushr(mid, by), b.ushr(mid2, by));
    let high = b.iadd(hh, a);
    let mut high = b.iadd(high, c);
    if signed {
        let zero = b.imm_zero(1, 64);
        for (v, other) in [(x, y), (y, x)] {
            let negative = b.ilt(v, zero);
            let part = b.bcsel(negative, other, zero);
            let n = b.ineg(part);
            high = b.iadd(high, n);
        }
    }
    high
}
