//! Lowers 64-bit integers to pairs of words, for parts whose EUs have no 64-bit integer arithmetic.
//!
//! In:  scalar ALU operations.
//! Out: with [`Ctx::soft_int64`], 64-bit integers are only loaded, moved, packed from two words and
//!      unpacked. With [`Ctx::soft_fp64`] alone, only divisions are lowered, which would otherwise
//!      use doubles. Without either nothing changes.
//! Ref: ICL PRM vol. 7, "Execution Data Types" (no Q and UQ).
//! Tests: tests/opt/lower_int64/, tests/fs_exec/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use crate::rewrite::word::{Cond, Emitter, Pair, Word};
use entity::Id;
use nir::*;
use std::cell::RefCell;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_int64(s: &mut Shader, ctx: &Ctx) -> bool {
    match (ctx.soft_int64, ctx.soft_fp64) {
        (true, _) => lower_instrs(s, uses_int64, lower),
        (_, true) => lower_instrs(s, is_64_bit_division, lower),
        _ => false,
    }
}

/// True for 64-bit integer divisions, which `lower_alu` expands to operations on doubles.
fn is_64_bit_division(s: &Shader, i: &Instr) -> bool {
    use AluOp as Op;
    let Instr::Alu(a) = i else { return false };
    let division = matches!(a.op, Op::UDiv | Op::UMod | Op::IDiv | Op::IRem | Op::IMod);
    division && s.defs[a.def].bit_size == 64
}

/// True if a shader selects between 64-bit values, or converts booleans to doubles, which is a
/// selection between one and zero.
pub(crate) fn selects_64_bit(s: &Shader) -> bool {
    let wide = |i: &Id<Instr>| {
        let Instr::Alu(a) = &s.instrs[*i] else {
            return false;
        };
        matches!(a.op, AluOp::Bcsel | AluOp::B2F) && s.defs[a.def].bit_size == 64
    };
    let mut blocks = s.block_order().into_iter();
    blocks.any(|b| s.blocks[b].instrs.iter().any(wide))
}

/// True for operations with 64-bit integer operands or results, other than copies.
pub(crate) fn uses_int64(s: &Shader, i: &Instr) -> bool {
    use AluOp as Op;
    let Instr::Alu(a) = i else { return false };
    let copies = matches!(
        a.op,
        Op::Mov | Op::Pack64_2x32Split | Op::Unpack64_2x32SplitX | Op::Unpack64_2x32SplitY
    );
    let info = a.op.info();
    let wide = |ty: OpType, d: Id<Def>| ty.base != BaseType::Float && s.defs[d].bit_size == 64;
    let mut srcs = info.srcs.iter().zip(&a.srcs);
    let any = wide(info.out, a.def) || srcs.any(|(rule, src)| wide(rule.ty, src.def));
    any && !copies && !a.op.is_vec()
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Action {
    let Instr::Alu(a) = b.shader.instrs[id].clone() else {
        return Action::Keep;
    };
    let mut srcs = [a.def; 3];
    for (to, src) in srcs.iter_mut().zip(&a.srcs) {
        *to = b.channel(src.def, src.swizzle[0]);
    }
    let bits = srcs.map(|d| b.bits(d));
    let to = b.bits(a.def);
    let exact = std::mem::replace(&mut b.exact, true);
    let made = lower_op(&RefCell::new(&mut *b), a.op, srcs, bits, to);
    b.exact = exact;
    match made {
        Some(value) => Action::Replace(value),
        None => Action::Keep,
    }
}

/// Lowers an operation. `None` if it is lowered elsewhere, or if it is one of floats.
fn lower_op<'p>(
    emitter: &'p dyn Emitter,
    op: AluOp,
    srcs: [Id<Def>; 3],
    bits: [u8; 3],
    to: u8,
) -> Option<Id<Def>> {
    use AluOp as Op;
    let pair = |i: usize| Pair::unpack(emitter, srcs[i]);
    let word = |i: usize| Word::new(emitter, srcs[i]);
    let bitwise = |f: fn(Word<'p>, Word<'p>) -> Word<'p>| pair(0).zip(pair(1), f);
    let value = match op {
        Op::IAdd => pair(0) + pair(1),
        Op::ISub => pair(0) - pair(1),
        Op::IMul => pair(0).mul(pair(1)),
        Op::UMulHigh => mul_high(pair(0), pair(1)),
        Op::IMulHigh => signed_mul_high(pair(0), pair(1)),
        Op::UMul2x32_64 => Pair::product(word(0), word(1)),
        Op::IMul2x32_64 => Pair {
            lo: word(0).mul(word(1)),
            hi: Word::new(emitter, emitter.alu(Op::IMulHigh, &srcs[..2], 0)),
        },
        Op::INeg => pair(0).negate(),
        Op::IAbs => pair(0).negate_if(pair(0).hi.sign()),
        Op::IMin | Op::IMax | Op::UMin | Op::UMax => min_or_max(op, pair(0), pair(1)),
        Op::IAnd => bitwise(|x, y| x & y),
        Op::IOr => bitwise(|x, y| x | y),
        Op::IXor => bitwise(|x, y| x ^ y),
        Op::INot => pair(0).map(|x| !x),
        Op::IShl => pair(0).shl(word(1)),
        Op::UShr => pair(0).shr(word(1)),
        Op::IShr => pair(0).asr(word(1)),
        Op::Bcsel => Cond::new(emitter, srcs[0]).select_pair(pair(1), pair(2)),
        Op::UDiv => divide(emitter, pair(0), pair(1)).0,
        Op::UMod => divide(emitter, pair(0), pair(1)).1,
        Op::IDiv | Op::IRem | Op::IMod => signed_division(emitter, op, pair(0), pair(1)),
        Op::B2I => {
            let lo = Cond::new(emitter, srcs[0]).to_int();
            Pair {
                hi: lo.constant(0),
                lo,
            }
        }
        Op::I2I | Op::U2U if to == 64 && bits[0] == 64 => pair(0),
        Op::I2I | Op::U2U if to == 64 => {
            let lo = match bits[0] {
                32 => word(0),
                _ => Word::new(emitter, emitter.alu(op, &srcs[..1], 32)),
            };
            let hi = match op {
                Op::I2I => lo.sign(),
                _ => lo.constant(0),
            };
            Pair { lo, hi }
        }
        Op::I2I | Op::U2U => {
            let lo = pair(0).lo;
            return Some(match to {
                32 => lo.def,
                _ => emitter.alu(Op::U2U, &[lo.def], to),
            });
        }
        Op::F2I if to == 64 => {
            let sign = float_sign_mask(emitter, srcs[0], bits[0]);
            let magnitude = emitter.alu(Op::FAbs, &srcs[..1], 0);
            saturate(float_to_uint(emitter, magnitude, bits[0]), sign)
        }
        Op::F2U if to == 64 => float_to_uint(emitter, srcs[0], bits[0]),
        Op::U2F if bits[0] == 64 => return Some(uint_to_float(emitter, pair(0), to)),
        Op::I2F if bits[0] == 64 && to == 64 => {
            let high = emitter.alu(Op::I2F, &[pair(0).hi.def], 64);
            return Some(join_halves(emitter, high, pair(0).lo, 64));
        }
        Op::I2F if bits[0] == 64 => {
            let sign = pair(0).hi.sign();
            let magnitude = uint_to_float(emitter, pair(0).negate_if(sign), to);
            return Some(apply_sign(emitter, magnitude, sign, to));
        }
        Op::ILt | Op::IGe | Op::ULt | Op::UGe | Op::IEq | Op::INe => {
            return Some(compare(op, pair(0), pair(1)).def);
        }
        _ => return None,
    };
    Some(value.pack())
}

/// The minimum or maximum.
fn min_or_max<'p>(op: AluOp, x: Pair<'p>, y: Pair<'p>) -> Pair<'p> {
    let less = match op {
        AluOp::IMin | AluOp::IMax => x.ilt(y),
        _ => x.ult(y),
    };
    match op {
        AluOp::IMin | AluOp::UMin => less.select_pair(x, y),
        _ => less.select_pair(y, x),
    }
}

/// A comparison.
fn compare<'p>(op: AluOp, x: Pair<'p>, y: Pair<'p>) -> Cond<'p> {
    match op {
        AluOp::ILt => x.ilt(y),
        AluOp::IGe => !x.ilt(y),
        AluOp::ULt => x.ult(y),
        AluOp::UGe => !x.ult(y),
        AluOp::IEq => x.eq(y),
        _ => !x.eq(y),
    }
}

/// The signed quotient, or the remainder with the sign of `x` (`irem`) or `y` (`imod`).
fn signed_division<'p>(emitter: &'p dyn Emitter, op: AluOp, x: Pair<'p>, y: Pair<'p>) -> Pair<'p> {
    let (sx, sy) = (x.hi.sign(), y.hi.sign());
    let (quotient, rest) = divide(emitter, x.negate_if(sx), y.negate_if(sy));
    let rest = rest.negate_if(sx);
    match op {
        AluOp::IDiv => quotient.negate_if(sx ^ sy),
        AluOp::IRem => rest,
        _ => {
            let fits = rest.is_zero() | (rest.hi ^ y.hi).ige(0);
            fits.select_pair(rest, rest + y)
        }
    }
}

/// The high 64 bits of the unsigned product.
fn mul_high<'p>(x: Pair<'p>, y: Pair<'p>) -> Pair<'p> {
    // No sum exceeds 64 bits: (2^32 - 1)² + 2 (2^32 - 1) = 2^64 - 1.
    let low = x.lo.mul_high(y.lo);
    let middle = Pair::product(x.hi, y.lo).add_word(low);
    let other = Pair::product(x.lo, y.hi).add_word(middle.lo);
    Pair::product(x.hi, y.hi)
        .add_word(middle.hi)
        .add_word(other.hi)
}

/// The high 64 bits of the signed product: the unsigned reading of a negative operand is too large
/// by 2^64.
fn signed_mul_high<'p>(x: Pair<'p>, y: Pair<'p>) -> Pair<'p> {
    let (sx, sy) = (x.hi.sign(), y.hi.sign());
    mul_high(x, y) - y.map(|w| w & sx) - x.map(|w| w & sy)
}

/// Iterations of [`divide`]. Each reduces what is left of the quotient, 64 bits at first, to at
/// most a factor of 2^-18, plus one.
const ROUNDS: u32 = 4;

/// The unsigned quotient and remainder; any result if `y` is zero. Each iteration subtracts an
/// estimate of the remaining quotient, made with a 32-bit reciprocal that is slightly too small so
/// that no remainder is negative, until at most one is left.
fn divide<'p>(emitter: &'p dyn Emitter, x: Pair<'p>, y: Pair<'p>) -> (Pair<'p>, Pair<'p>) {
    let float = |v: Pair<'p>| {
        let high = emitter.alu(AluOp::U2F, &[v.hi.def], 32);
        Word::new(emitter, join_halves(emitter, high, v.lo, 32))
    };
    let less = (1.0 - 2f32.powi(-19)).to_bits();
    let reciprocal = float(y).unary(AluOp::FRcp).fmul(less);
    let (mut quotient, mut rest) = (Pair::constant(x.lo, 0), x);
    for _ in 0..ROUNDS {
        let part = float_to_uint(emitter, float(rest).fmul(reciprocal).def, 32);
        quotient = quotient + part;
        rest = rest - part.mul(y);
    }
    let done = rest.ult(y);
    let more = quotient.add_word(x.lo.constant(1));
    (
        done.select_pair(quotient, more),
        done.select_pair(rest, rest - y),
    )
}

/// `high * 2^32 + low` as a float of `bits` bits. `high` is a float already.
fn join_halves(emitter: &dyn Emitter, high: Id<Def>, low: Word<'_>, bits: u8) -> Id<Def> {
    let low = emitter.alu(AluOp::U2F, &[low.def], bits);
    let up = float_constant(emitter, bits, 4_294_967_296.0);
    emitter.alu(AluOp::FFma, &[high, up, low], 0)
}

fn float_constant(emitter: &dyn Emitter, bits: u8, value: f64) -> Id<Def> {
    match bits {
        64 => {
            let at = Word::new(emitter, emitter.constant(0));
            Pair::constant(at, value.to_bits()).pack()
        }
        _ => emitter.constant((value as f32).to_bits()),
    }
}

/// Converts a non-negative float to an unsigned integer, truncated and saturated. Negative floats
/// and NaN give 0.
fn float_to_uint<'p>(emitter: &'p dyn Emitter, x: Id<Def>, bits: u8) -> Pair<'p> {
    let (x, bits) = match bits {
        16 => (emitter.alu(AluOp::F2F, &[x], 32), 32),
        _ => (x, bits),
    };
    let (down, minus_up) = (
        float_constant(emitter, bits, 2f64.powi(-32)),
        float_constant(emitter, bits, -4_294_967_296.0),
    );
    let high = emitter.alu(AluOp::FMul, &[x, down], 0);
    let high = emitter.alu(AluOp::F2U, &[high], 32);
    let whole = emitter.alu(AluOp::U2F, &[high], bits);
    let rest = emitter.alu(AluOp::FFma, &[whole, minus_up, x], 0);
    let low = Word::new(emitter, emitter.alu(AluOp::F2U, &[rest], 32));
    let hi = Word::new(emitter, high);
    // Among 32-bit floats only those that are too large give an all-ones high word.
    let lo = match bits {
        32 => hi.eq(u32::MAX).select(u32::MAX, low),
        _ => low,
    };
    Pair { lo, hi }
}

/// The signed integer of a magnitude and a sign, saturated.
fn saturate<'p>(magnitude: Pair<'p>, sign: Word<'p>) -> Pair<'p> {
    let max = Pair {
        lo: !sign,
        hi: sign ^ 0x7fff_ffff,
    };
    let over = magnitude.hi.ilt(0);
    over.select_pair(max, magnitude.negate_if(sign))
}

/// All ones if a float is negative.
fn float_sign_mask<'p>(emitter: &'p dyn Emitter, x: Id<Def>, bits: u8) -> Word<'p> {
    match bits {
        64 => Pair::unpack(emitter, x).hi.sign(),
        32 => Word::new(emitter, x).sign(),
        _ => Word::new(emitter, emitter.alu(AluOp::I2I, &[x], 32)).sign(),
    }
}

/// Converts an unsigned integer to a float of 16, 32 or 64 bits, in the shader's rounding mode.
fn uint_to_float(emitter: &dyn Emitter, x: Pair<'_>, bits: u8) -> Id<Def> {
    match bits {
        64 => {
            let high = emitter.alu(AluOp::U2F, &[x.hi.def], 64);
            join_halves(emitter, high, x.lo, 64)
        }
        32 => {
            // The highest 32 bits, with a sticky bit for those below, are rounded once; the
            // exponent is then adjusted.
            let n = x.hi.leading_zeros();
            let high = x.shl_short(n);
            let marked = high.hi | high.lo.any_bit();
            let short = x.hi.eq(0);
            let top = short.select(x.lo, marked);
            let up = short.select(0, (-n + 32) << 23);
            let float = Word::new(emitter, emitter.alu(AluOp::U2F, &[top.def], 32));
            (float + up).def
        }
        // Values with a non-zero high word overflow to infinity or the largest half.
        _ => {
            let all = x.hi.eq(0).select(x.lo, u32::MAX);
            emitter.alu(AluOp::U2F, &[all.def], bits)
        }
    }
}

/// Negates a non-negative float of 16 or 32 bits if `sign` is all ones.
fn apply_sign(emitter: &dyn Emitter, x: Id<Def>, sign: Word<'_>, bits: u8) -> Id<Def> {
    match bits {
        32 => (Word::new(emitter, x) | sign << 31).def,
        _ => {
            let minus = emitter.alu(AluOp::FNeg, &[x], 0);
            let negative = sign.ne(0).def;
            emitter.alu(AluOp::Bcsel, &[negative, minus, x], 0)
        }
    }
}
