//! Strength-reduces integer multiplication and division by constants.
//!
//! In:  scalar `imul` by powers of two, and 32-bit divisions and remainders by constants.
//! Out: shifts, masks, and high halves of products.
//! Ref: Granlund and Montgomery, "Division by Invariant Integers using Multiplication"; Warren,
//!      "Hacker's Delight", chapter 10.
//! Tests: tests/opt/opt_idiv_const/ and below.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_idiv_const(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(
        s,
        |s, i| match_operands(s, i).is_some(),
        |b, id| {
            let Some((op, x, c)) = match_operands(b.shader, &b.shader.instrs[id]) else {
                return Action::Keep;
            };
            let x = b.channel(x.def, x.swizzle[0]);
            match reduce(b, op, x, c) {
                Some(v) => Action::Replace(v),
                None => Action::Keep,
            }
        },
    )
}

/// The operation, operand and constant of an instruction that this pass replaces.
fn match_operands(s: &Shader, i: &Instr) -> Option<(AluOp, AluSrc, u64)> {
    let Instr::Alu(a) = i else { return None };
    if s.defs[a.def].num_components != 1 {
        return None;
    }
    let constant = |k: usize| s.const_component(a.srcs[k].def, a.srcs[k].swizzle[0]);
    match a.op {
        AluOp::IMul => [(0, 1), (1, 0)].into_iter().find_map(|(x, c)| {
            let v = constant(c)?;
            v.is_power_of_two().then_some((a.op, a.srcs[x], v))
        }),
        AluOp::UDiv | AluOp::UMod | AluOp::IDiv | AluOp::IRem if s.defs[a.def].bit_size == 32 => {
            Some((a.op, a.srcs[0], constant(1)?))
        }
        _ => None,
    }
}

fn reduce(b: &mut Builder<'_>, op: AluOp, x: Id<Def>, c: u64) -> Option<Id<Def>> {
    Some(match op {
        // Division by zero may give any result.
        AluOp::UDiv | AluOp::UMod | AluOp::IDiv | AluOp::IRem if c == 0 => b.imm_u32(0),
        AluOp::IMul => {
            let by = b.imm_u32(c.trailing_zeros());
            b.ishl(x, by)
        }
        AluOp::UDiv => udiv(b, x, c as u32),
        AluOp::UMod if c.is_power_of_two() => {
            let mask = b.imm_u32(c as u32 - 1);
            b.iand(x, mask)
        }
        AluOp::UMod => {
            let q = udiv(b, x, c as u32);
            remainder(b, x, q, c as u32)
        }
        AluOp::IDiv => idiv(b, x, c as u32 as i32),
        AluOp::IRem => {
            let q = idiv(b, x, c as u32 as i32);
            remainder(b, x, q, c as u32)
        }
        _ => return None,
    })
}

/// `x - q * c`
fn remainder(b: &mut Builder<'_>, x: Id<Def>, q: Id<Def>, c: u32) -> Id<Def> {
    let c = b.imm_int(32, -i64::from(c as i32));
    let p = b.imul(q, c);
    b.iadd(x, p)
}

fn udiv(b: &mut Builder<'_>, x: Id<Def>, c: u32) -> Id<Def> {
    if c.is_power_of_two() {
        let by = b.imm_u32(c.trailing_zeros());
        return b.ushr(x, by);
    }
    // An even divisor leaves a bit to spare: x / (2^k · odd) = (x >> k) / odd.
    let (magic, shift, add) = unsigned_magic(c, 32);
    if add && c.is_multiple_of(2) {
        let k = c.trailing_zeros();
        let (magic, shift, _) = unsigned_magic(c >> k, 32 - k);
        let by = b.imm_u32(k);
        let x = b.ushr(x, by);
        let m = b.imm_u32(magic);
        let p = b.umul_high(x, m);
        let by = b.imm_u32(shift);
        return b.ushr(p, by);
    }
    let m = b.imm_u32(magic);
    let p = b.umul_high(x, m);
    if !add {
        let by = b.imm_u32(shift);
        return b.ushr(p, by);
    }
    // The multiplier has 33 bits: ((x - p) / 2 + p) >> (shift - 1) adds the top one without
    // overflow.
    let n = b.ineg(p);
    let d = b.iadd(x, n);
    let one = b.imm_u32(1);
    let d = b.ushr(d, one);
    let d = b.iadd(d, p);
    let by = b.imm_u32(shift - 1);
    b.ushr(d, by)
}

/// The multiplier, the shift of the high half, and whether the multiplier has one bit more, for
/// operands of `bits` bits.
fn unsigned_magic(c: u32, bits: u32) -> (u32, u32, bool) {
    let c = u128::from(c);
    let limit = 1u128 << bits;
    for shift in 0..=32u32 {
        // The smallest multiple of the divisor above 2^(32 + shift): exact if its excess is small
        // enough for every operand.
        let power = 1u128 << (32 + shift);
        let factor = power.div_ceil(c);
        let excess = factor * c - power;
        if excess * limit <= power {
            return (factor as u32, shift, factor >> 32 != 0);
        }
    }
    (0, 0, false)
}

fn idiv(b: &mut Builder<'_>, x: Id<Def>, c: i32) -> Id<Def> {
    let magnitude = c.unsigned_abs();
    let q = if magnitude == 1 {
        x
    } else if magnitude.is_power_of_two() {
        // Rounds towards zero: negative numbers are first increased by the amount that the shift
        // rounds down.
        let k = magnitude.trailing_zeros();
        let (top, up, by) = (b.imm_u32(31), b.imm_u32(32 - k), b.imm_u32(k));
        let sign = b.ishr(x, top);
        let bias = b.ushr(sign, up);
        let moved = b.iadd(x, bias);
        b.ishr(moved, by)
    } else {
        let (magic, shift) = signed_magic(magnitude);
        let m = b.imm_int(32, i64::from(magic as i32));
        let mut p = b.imul_high(x, m);
        if (magic as i32) < 0 {
            p = b.iadd(p, x);
        }
        let by = b.imm_u32(shift);
        let p = b.ishr(p, by);
        let top = b.imm_u32(31);
        let sign = b.ushr(p, top);
        b.iadd(p, sign)
    };
    if c < 0 { b.ineg(q) } else { q }
}

/// The multiplier and the shift of the signed high half, for a divisor of at least 3 that is not a
/// power of two.
fn signed_magic(c: u32) -> (u32, u32) {
    let c = u128::from(c);
    for shift in 0..32u32 {
        let power = 1u128 << (32 + shift);
        let factor = power / c + 1;
        let excess = factor * c - power;
        if excess << 31 <= power {
            return (factor as u32, shift);
        }
    }
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::opt_constant_folding::opt_constant_folding;

    /// Builds `op x c`, replaces it, and folds it with `x` a constant.
    fn quotient(op: AluOp, x: u32, c: u32) -> u32 {
        let mut s = Shader::new(Stage::Compute, "t");
        let mut b = Builder::at_end(&mut s);
        let (x, c) = (b.imm_u32(x), b.imm_u32(c));
        let q = b.alu(op, &[x, c]);
        assert!(opt_idiv_const(&mut s, &Ctx::default()));
        opt_constant_folding(&mut s, &Ctx::default());
        let Some(a) = s.alu_of(q) else {
            return s.const_component(q, 0).unwrap() as u32;
        };
        s.const_component(a.srcs[0].def, 0).unwrap() as u32
    }

    #[test]
    fn quotients_by_constants_are_exact() {
        let corners = [
            0,
            1,
            2,
            3,
            6,
            7,
            9,
            10,
            99,
            100,
            641,
            0x7fff_fffe,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff_fffe,
            0xffff_ffff,
        ];
        let mut seed = 5u32;
        for c in corners
            .into_iter()
            .chain(11..40)
            .chain([1000, 65535, 65537])
            .filter(|c| *c != 0)
        {
            let mut xs = corners.to_vec();
            for k in 0..20 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                xs.push(seed);
                // Quotients change around multiples of the divisor.
                let m = (seed % (u32::MAX / c).max(1)).wrapping_mul(c);
                xs.push(m.wrapping_add(k % 3).wrapping_sub(1));
            }
            for x in xs {
                assert_eq!(quotient(AluOp::UDiv, x, c), x / c, "{x} / {c}");
                assert_eq!(quotient(AluOp::UMod, x, c), x % c, "{x} % {c}");
                let (y, d) = (x as i32, c as i32);
                assert_eq!(
                    quotient(AluOp::IDiv, x, c),
                    y.wrapping_div(d) as u32,
                    "{y} / {d}"
                );
                assert_eq!(
                    quotient(AluOp::IRem, x, c),
                    y.wrapping_rem(d) as u32,
                    "{y} % {d}"
                );
            }
        }
    }
}
