//! Expands ALU operations for which gen9 has no instruction.
//!
//! In:  scalar ALU operations.
//! Out: only the operations listed in this crate's documentation.
//! Ref: SKL PRM vol. 7, "Extended Math Function"; Vulkan spec, "Precision and Operation of SPIR-V
//!      Instructions". Tests: tests/opt/lower_alu/.

use crate::passes::lower_alu_64 as wide;
use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;

/// Entry point.
pub fn lower_alu(s: &mut Shader, _: &Ctx) -> bool {
    let mut any = false;
    // An expansion may contain operations that need lowering themselves.
    while lower_instrs(s, wants, lower) {
        any = true;
    }
    any
}

fn wants(s: &Shader, i: &Instr) -> bool {
    use AluOp as Op;
    let Instr::Alu(a) = i else { return false };
    let bits = s.defs[a.def].bit_size;
    match a.op {
        Op::FSub
        | Op::ISub
        | Op::FDiv
        | Op::FMod
        | Op::FRem
        | Op::FSign
        | Op::ISign
        | Op::IMod
        | Op::Ldexp
        | Op::FrexpSig
        | Op::FrexpExp
        | Op::FQuantize2F16
        | Op::UAddCarry
        | Op::USubBorrow
        | Op::IAddSat
        | Op::UAddSat
        | Op::ISubSat
        | Op::USubSat
        | Op::IFindMsb
        | Op::UFindMsb
        | Op::BitfieldInsert
        | Op::UBitfieldExtract
        | Op::IBitfieldExtract => true,
        Op::IMul => bits == 64,
        Op::IMulHigh | Op::UMulHigh => bits != 32,
        Op::BitfieldReverse => bits != 32,
        Op::UDiv | Op::UMod | Op::IDiv | Op::IRem => bits != 32,
        Op::FRcp
        | Op::FSqrt
        | Op::FRsq
        | Op::FFloor
        | Op::FCeil
        | Op::FTrunc
        | Op::FRoundEven
        | Op::FFract => bits == 64,
        // A byte or word of a 64-bit operand.
        Op::ExtractU8 | Op::ExtractI8 | Op::ExtractU16 | Op::ExtractI16 => {
            bits == 64 && s.const_of(a.srcs[1].def).is_some()
        }
        Op::F2F | Op::F2FRtne => bits == 16 && s.defs[a.srcs[0].def].bit_size == 64,
        Op::BitCount | Op::FindLsb | Op::UClz => s.defs[a.srcs[0].def].bit_size != 32,
        _ => false,
    }
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Action {
    let Instr::Alu(a) = b.shader.instrs[id].clone() else {
        return Action::Keep;
    };
    let mut s = [a.def; 4];
    for (to, src) in s.iter_mut().zip(&a.srcs) {
        *to = b.channel(src.def, src.swizzle[0]);
    }
    b.exact = a.exact;
    b.preserve_nan_inf_sz = a.preserve_nan_inf_sz;
    let bits = b.bits(a.def);
    let value = one(b, a.op, s, bits);
    b.exact = false;
    b.preserve_nan_inf_sz = false;
    match value {
        Some(v) => Action::Replace(v),
        None => Action::Keep,
    }
}

fn one(b: &mut Builder<'_>, op: AluOp, [x, y, z, w]: [Id<Def>; 4], bits: u8) -> Option<Id<Def>> {
    use AluOp as Op;
    Some(match op {
        Op::FSub => {
            let n = b.fneg(y);
            b.fadd(x, n)
        }
        Op::ISub => {
            let n = b.ineg(y);
            b.iadd(x, n)
        }
        Op::FDiv => fdiv(b, x, y, bits, wide::Ends::Largest),
        Op::FMod | Op::FRem => {
            // A quotient that overflows has no meaningful remainder.
            let q = fdiv(b, x, y, bits, wide::Ends::Infinite);
            let q = if op == Op::FMod {
                b.ffloor(q)
            } else {
                b.ftrunc(q)
            };
            let n = b.fneg(y);
            b.ffma(n, q, x)
        }
        Op::FSign => fsign(b, x, bits),
        Op::ISign => {
            let (one, minus) = (b.imm_int(bits, 1), b.imm_int(bits, -1));
            let v = b.imin(x, one);
            b.imax(v, minus)
        }
        Op::IMod => imod(b, x, y, bits),
        Op::UDiv if bits == 64 => wide::udivmod(b, x, y).0,
        Op::UMod if bits == 64 => wide::udivmod(b, x, y).1,
        Op::IDiv | Op::IRem if bits == 64 => wide::signed_division(b, x, y, op == Op::IDiv),
        Op::FRcp => wide::frcp(b, x),
        Op::FSqrt | Op::FRsq => wide::root(b, x, op == Op::FRsq),
        Op::FTrunc => wide::ftrunc(b, x),
        Op::FFloor | Op::FCeil => wide::floor_or_ceil(b, x, op == Op::FCeil),
        Op::FRoundEven => wide::fround_even(b, x),
        Op::FFract => {
            let floor = wide::floor_or_ceil(b, x, false);
            let minus = b.fneg(floor);
            b.fadd(x, minus)
        }
        Op::ExtractU8 | Op::ExtractI8 | Op::ExtractU16 | Op::ExtractI16 => extract64(b, op, x, y)?,
        Op::F2F | Op::F2FRtne => {
            // Convert to 32 bits with round-to-odd first, so that rounding twice gives the
            // correctly rounded result.
            let single = b.f2f_rtz(x, 32);
            let back = b.f2f(single, 64);
            let lost = b.fneu(back, x);
            let lost = b.b2i(lost, 32);
            let single = b.ior(single, lost);
            b.alu_sized(op, &[single], 16)
        }
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
        Op::Ldexp => ldexp(b, x, y, bits),
        Op::FrexpSig => frexp(b, x, bits).0,
        Op::FrexpExp => {
            let bits = b.bits(x);
            frexp(b, x, bits).1
        }
        Op::FQuantize2F16 => {
            let h = b.f2f_rtne(x, 16);
            let q = b.f2f(h, 32);
            let magnitude = b.fabs(x);
            let least = b.imm_float(32, 2f64.powi(-14));
            // Decided before rounding, according to "too small to be represented as a normal" of
            // OpQuantizeToF16.
            let small = b.flt(magnitude, least);
            let sign = b.imm_u32(0x8000_0000);
            let zero = b.iand(x, sign);
            b.bcsel(small, zero, q)
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
            let most = b.imm_int(bits, (nir::fold::mask(bits) >> 1) as i64);
            let limit = b.ixor(sign, most);
            b.bcsel(over, limit, r)
        }
        Op::UFindMsb => find_msb(b, x),
        Op::IFindMsb => {
            let bits = b.bits(x);
            let top = b.imm_u32(u32::from(bits) - 1);
            let sign = b.ishr(x, top);
            let v = b.ixor(x, sign);
            find_msb(b, v)
        }
        Op::BitfieldInsert => {
            // A width of 32 is separate: the hardware's bitfields have at most 31 bits.
            let (mask, limit) = (b.bfm(w, z), b.imm_u32(32));
            let field = b.bfi(mask, y, x);
            let all = b.uge(w, limit);
            b.bcsel(all, y, field)
        }
        Op::UBitfieldExtract | Op::IBitfieldExtract => {
            let field = if op == Op::UBitfieldExtract {
                b.ubfe(x, y, z)
            } else {
                b.ibfe(x, y, z)
            };
            let limit = b.imm_u32(32);
            let all = b.uge(z, limit);
            b.bcsel(all, x, field)
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
        Op::BitfieldReverse if bits == 64 => {
            let (lo, hi) = halves(b, x);
            let (lo, hi) = (b.bitfield_reverse(lo), b.bitfield_reverse(hi));
            b.pack_64_2x32_split(hi, lo)
        }
        Op::BitfieldReverse => {
            let v = b.u2u(x, 32);
            let v = b.bitfield_reverse(v);
            let shift = b.imm_u32(32 - u32::from(bits));
            let v = b.ushr(v, shift);
            b.u2u(v, bits)
        }
        Op::BitCount if b.bits(x) == 64 => {
            let (lo, hi) = halves(b, x);
            let (lo, hi) = (b.bit_count(lo), b.bit_count(hi));
            b.iadd(lo, hi)
        }
        Op::FindLsb if b.bits(x) == 64 => {
            let (lo, hi) = halves(b, x);
            let (l, h) = (b.find_lsb(lo), b.find_lsb(hi));
            // -1, the result for 0, is the largest unsigned number, and `h | 32` leaves it
            // unchanged.
            let bit = b.imm_u32(32);
            let h = b.ior(h, bit);
            b.umin(l, h)
        }
        Op::UClz if b.bits(x) == 64 => {
            let (lo, hi) = halves(b, x);
            let (l, h) = (b.uclz(lo), b.uclz(hi));
            let zero = b.imm_u32(0);
            let none = b.ieq(hi, zero);
            let l = b.iadd_imm(l, 32);
            b.bcsel(none, l, h)
        }
        Op::BitCount | Op::FindLsb => {
            let v = b.u2u(x, 32);
            b.alu(op, &[v])
        }
        Op::UClz => {
            let extra = 32 - i64::from(b.bits(x));
            let v = b.u2u(x, 32);
            let v = b.uclz(v);
            b.iadd_imm(v, -extra)
        }
        _ => return None,
    })
}

fn halves(b: &mut Builder<'_>, x: Id<Def>) -> (Id<Def>, Id<Def>) {
    (b.unpack_64_2x32_split_x(x), b.unpack_64_2x32_split_y(x))
}

/// Division with at most 2.5 ULP of error, as Vulkan requires: a multiplication by the math box's
/// reciprocal. Vulkan requires nothing for divisors outside 2^-126 to 2^126 in magnitude, whose
/// reciprocals may be subnormal.
fn fdiv(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>, bits: u8, ends: wide::Ends) -> Id<Def> {
    if bits == 16 {
        // Divided in 32 bits and rounded once more: well within 2.5 ULP.
        let (x, y) = (b.f2f(x, 32), b.f2f(y, 32));
        let q = fdiv_plain(b, x, y);
        return b.f2f(q, 16);
    }
    if bits == 64 {
        let one = b.shader.const_component(x, 0) == Some(1f64.to_bits());
        if one {
            return wide::frcp(b, y);
        }
        return wide::fdiv(b, x, y, ends);
    }
    fdiv_plain(b, x, y)
}

fn fdiv_plain(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>) -> Id<Def> {
    let r = b.frcp(y);
    b.fmul(x, r)
}

/// `copysign(1, x)`, or `x` itself if it is zero.
fn fsign(b: &mut Builder<'_>, x: Id<Def>, bits: u8) -> Id<Def> {
    let zero = b.imm_float(bits, 0.0);
    let nonzero = b.fneu(x, zero);
    let sign_bit = b.imm_int(bits, (1u64 << (bits - 1)) as i64);
    let sign = b.iand(x, sign_bit);
    let one = b.imm_float(bits, 1.0);
    let signed_one = b.ior(sign, one);
    b.bcsel(nonzero, signed_one, sign)
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

/// `bit size - 1 - leading zeros`, which is -1 for 0.
fn find_msb(b: &mut Builder<'_>, x: Id<Def>) -> Id<Def> {
    let top = i64::from(b.bits(x)) - 1;
    let n = b.uclz(x);
    let n = b.ineg(n);
    b.iadd_imm(n, top)
}

/// `x * 2^e` as two products. The second factor is exactly 1.0 unless the exponent is above
/// Vulkan's range.
fn ldexp(b: &mut Builder<'_>, x: Id<Def>, e: Id<Def>, bits: u8) -> Id<Def> {
    if bits == 16 {
        // Exact in 32 bits, then rounded once.
        let (low, high) = (b.imm_int(32, -126), b.imm_int(32, 127));
        let t = b.imax(e, low);
        let t = b.imin(t, high);
        let t = b.iadd_imm(t, 127);
        let shift = b.imm_u32(23);
        let scale = b.ishl(t, shift);
        let wide = b.f2f(x, 32);
        let p = b.fmul(wide, scale);
        return b.f2f(p, 16);
    }
    let (bias, shift) = if bits == 32 { (127, 23) } else { (1023, 20) };
    let (zero, high) = (b.imm_u32(0), b.imm_int(32, bias));
    let by = b.imm_u32(shift);
    let t = b.imin(e, high);
    let t = b.iadd_imm(t, bias);
    let t = b.imax(t, zero);
    let t = b.ishl(t, by);
    // The part of the exponent above the bias, biased again: 1.0 in most cases.
    let top = b.imm_int(32, 2 * bias);
    let u = b.imax(e, high);
    let u = b.imin(u, top);
    let u = b.ishl(u, by);
    let (t, u) = if bits == 32 {
        (t, u)
    } else {
        (b.pack_64_2x32_split(zero, t), b.pack_64_2x32_split(zero, u))
    };
    let p = b.fmul(x, t);
    b.fmul(p, u)
}

/// The significand in [0.5, 1) and the exponent. Zero, infinity and NaN are their own significands,
/// with exponent 0.
fn frexp(b: &mut Builder<'_>, x: Id<Def>, bits: u8) -> (Id<Def>, Id<Def>) {
    if bits == 16 {
        // Every half, subnormals included, is a normal 32-bit float.
        let wide = b.f2f(x, 32);
        let zero = b.imm_u32(0);
        let (sig, exp) = frexp_normal(b, wide, 32, zero);
        return (b.f2f(sig, 16), exp);
    }
    // Subnormals are scaled up to normal numbers first.
    let (least, up) = match bits {
        64 => (f64::MIN_POSITIVE, 54),
        _ => (f64::from(f32::MIN_POSITIVE), 24),
    };
    let (least, factor) = (b.imm_float(bits, least), b.imm_float(bits, 2f64.powi(up)));
    let magnitude = b.fabs(x);
    let small = b.flt(magnitude, least);
    let larger = b.fmul(x, factor);
    let x = b.bcsel(small, larger, x);
    let (extra, zero) = (b.imm_int(32, -i64::from(up)), b.imm_u32(0));
    let extra = b.bcsel(small, extra, zero);
    frexp_normal(b, x, bits, extra)
}

/// `frexp` of an operand that is not subnormal; `extra` is added to the exponent.
fn frexp_normal(b: &mut Builder<'_>, x: Id<Def>, bits: u8, extra: Id<Def>) -> (Id<Def>, Id<Def>) {
    // The fields of the dword that holds the exponent.
    let (word, low, field, shift, bias) = if bits == 64 {
        let (lo, hi) = halves(b, x);
        (hi, Some(lo), 0x7ff0_0000u32, 20, 1022)
    } else {
        (x, None, 0x7f80_0000, 23, 126)
    };
    let mask = b.imm_u32(field);
    let keep = b.imm_u32(!field);
    let half = b.imm_u32(bias << shift);
    let e = b.iand(word, mask);
    let rest = b.iand(word, keep);
    let sig = b.ior(rest, half);
    let by = b.imm_u32(shift);
    let exp = b.ushr(e, by);
    let exp = b.iadd_imm(exp, -i64::from(bias));
    let exp = b.iadd(exp, extra);
    let zero = b.imm_u32(0);
    let not_zero = b.ine(e, zero);
    let not_inf = b.ine(e, mask);
    let normal = b.iand(not_zero, not_inf);
    let sig = b.bcsel(normal, sig, word);
    let exp = b.bcsel(normal, exp, zero);
    match low {
        None => (sig, exp),
        Some(lo) => (b.pack_64_2x32_split(lo, sig), exp),
    }
}

/// Extracts a byte or word of a 64-bit value from the half that holds it: no register region
/// strides over 8 bytes in units of a byte.
fn extract64(b: &mut Builder<'_>, op: AluOp, x: Id<Def>, index: Id<Def>) -> Option<Id<Def>> {
    let index = b.shader.const_component(index, 0)?;
    let (each, signed) = match op {
        AluOp::ExtractU8 => (4, false),
        AluOp::ExtractI8 => (4, true),
        AluOp::ExtractU16 => (2, false),
        _ => (2, true),
    };
    if index >= 2 * each {
        return Some(b.imm_zero(1, 64));
    }
    let (lo, hi) = halves(b, x);
    let at = b.imm_u32((index % each) as u32);
    let part = b.alu(op, &[if index < each { lo } else { hi }, at]);
    Some(if signed {
        b.i2i(part, 64)
    } else {
        b.u2u(part, 64)
    })
}

fn imul64(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>) -> Id<Def> {
    let (xl, xh) = halves(b, x);
    let (yl, yh) = halves(b, y);
    let whole = b.umul_2x32_64(xl, yl);
    let (lo, hi) = halves(b, whole);
    let (p, q) = (b.imul(xl, yh), b.imul(xh, yl));
    let hi = b.iadd(hi, p);
    let hi = b.iadd(hi, q);
    b.pack_64_2x32_split(lo, hi)
}

/// The high 64 bits of a 64-bit product, from four 32-bit products.
fn mul_high64(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>, signed: bool) -> Id<Def> {
    let (xl, xh) = halves(b, x);
    let (yl, yh) = halves(b, y);
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
