//! Lowers 64-bit integers to pairs of words, for parts whose EUs have no 64-bit integer arithmetic.
//!
//! In:  scalar ALU operations.
//! Out: with [`Ctx::soft_int64`], 64-bit integers are only loaded, moved, packed from two words and
//!      unpacked. With [`Ctx::soft_fp64`] alone, only divisions are lowered, which would otherwise
//!      use doubles. Without either nothing changes.
//! Ref: ICL PRM vol. 7, "Execution Data Types" (no Q and UQ). Tests: tests/opt/lower_int64/,
//!      tests/fs_exec/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use crate::rewrite::word::{Cond, Pair, Place, Word};
use entity::Id;
use nir::*;
use std::cell::RefCell;

/// Entry point.
pub fn lower_int64(s: &mut Shader, ctx: &Ctx) -> bool {
    match (ctx.soft_int64, ctx.soft_fp64) {
        (true, _) => lower_instrs(s, is_wide, lower),
        (_, true) => lower_instrs(s, divides, lower),
        _ => false,
    }
}

/// True for 64-bit integer divisions, which `lower_alu` expands to operations on doubles.
fn divides(s: &Shader, i: &Instr) -> bool {
    use AluOp as Op;
    let Instr::Alu(a) = i else { return false };
    let division = matches!(a.op, Op::UDiv | Op::UMod | Op::IDiv | Op::IRem | Op::IMod);
    division && s.defs[a.def].bit_size == 64
}

/// True if a shader selects between 64-bit values, or converts booleans to doubles, which is a
/// selection between one and zero.
pub(crate) fn selects_wide(s: &Shader) -> bool {
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
pub(crate) fn is_wide(s: &Shader, i: &Instr) -> bool {
    use AluOp as Op;
    let Instr::Alu(a) = i else { return false };
    let copies = matches!(
        a.op,
        Op::Mov | Op::Pack64_2x32Split | Op::Unpack64_2x32SplitX | Op::Unpack64_2x32SplitY
    );
    let info = a.op.info();
    let wide = |ty: OpType, d: Id<Def>| ty.base != Base::Float && s.defs[d].bit_size == 64;
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
    let made = one(&RefCell::new(&mut *b), a.op, srcs, bits, to);
    b.exact = exact;
    match made {
        Some(value) => Action::Replace(value),
        None => Action::Keep,
    }
}

/// Lowers an operation. `None` if it is lowered elsewhere, or if it is one of floats.
fn one<'p>(
    place: &'p dyn Place,
    op: AluOp,
    srcs: [Id<Def>; 3],
    bits: [u8; 3],
    to: u8,
) -> Option<Id<Def>> {
    use AluOp as Op;
    let pair = |i: usize| Pair::of(place, srcs[i]);
    let word = |i: usize| Word::new(place, srcs[i]);
    let of_words = |f: fn(Word<'p>, Word<'p>) -> Word<'p>| pair(0).zip(pair(1), f);
    let value = match op {
        Op::IAdd => pair(0) + pair(1),
        Op::ISub => pair(0) - pair(1),
        Op::IMul => pair(0).mul(pair(1)),
        Op::UMulHigh => mul_high(pair(0), pair(1)),
        Op::IMulHigh => signed_mul_high(pair(0), pair(1)),
        Op::UMul2x32_64 => Pair::product(word(0), word(1)),
        Op::IMul2x32_64 => Pair {
            lo: word(0).mul(word(1)),
            hi: Word::new(place, place.alu(Op::IMulHigh, &srcs[..2], 0)),
        },
        Op::INeg => pair(0).negated(),
        Op::IAbs => pair(0).negated_by(pair(0).hi.sign()),
        Op::IMin | Op::IMax | Op::UMin | Op::UMax => {
            let (x, y) = (pair(0), pair(1));
            let less = match op {
                Op::IMin | Op::IMax => x.less(y),
                _ => x.below(y),
            };
            match op {
                Op::IMin | Op::UMin => less.choose_pair(x, y),
                _ => less.choose_pair(y, x),
            }
        }
        Op::IAnd => of_words(|x, y| x & y),
        Op::IOr => of_words(|x, y| x | y),
        Op::IXor => of_words(|x, y| x ^ y),
        Op::INot => pair(0).both(|x| !x),
        Op::IShl => pair(0).shl(word(1)),
        Op::UShr => pair(0).shr(word(1)),
        Op::IShr => pair(0).asr(word(1)),
        Op::Bcsel => Cond::new(place, srcs[0]).choose_pair(pair(1), pair(2)),
        Op::UDiv => divide(place, pair(0), pair(1)).0,
        Op::UMod => divide(place, pair(0), pair(1)).1,
        Op::IDiv | Op::IRem | Op::IMod => {
            let (x, y) = (pair(0), pair(1));
            let (sx, sy) = (x.hi.sign(), y.hi.sign());
            let (quotient, rest) = divide(place, x.negated_by(sx), y.negated_by(sy));
            let rest = rest.negated_by(sx);
            match op {
                Op::IDiv => quotient.negated_by(sx ^ sy),
                Op::IRem => rest,
                _ => {
                    let fits = rest.is_zero() | (rest.hi ^ y.hi).least(0);
                    fits.choose_pair(rest, rest + y)
                }
            }
        }
        Op::B2I => {
            let lo = Cond::new(place, srcs[0]).bit();
            Pair {
                hi: lo.constant(0),
                lo,
            }
        }
        Op::I2I | Op::U2U if to == 64 && bits[0] == 64 => pair(0),
        Op::I2I | Op::U2U if to == 64 => {
            let lo = match bits[0] {
                32 => word(0),
                _ => Word::new(place, place.alu(op, &srcs[..1], 32)),
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
                _ => place.alu(Op::U2U, &[lo.def], to),
            });
        }
        Op::F2I if to == 64 => {
            let sign = sign_of_float(place, srcs[0], bits[0]);
            let magnitude = place.alu(Op::FAbs, &srcs[..1], 0);
            saturated(of_float(place, magnitude, bits[0]), sign)
        }
        Op::F2U if to == 64 => of_float(place, srcs[0], bits[0]),
        Op::U2F if bits[0] == 64 => return Some(to_float(place, pair(0), to)),
        Op::I2F if bits[0] == 64 && to == 64 => {
            let high = place.alu(Op::I2F, &[pair(0).hi.def], 64);
            return Some(joined(place, high, pair(0).lo, 64));
        }
        Op::I2F if bits[0] == 64 => {
            let sign = pair(0).hi.sign();
            let magnitude = to_float(place, pair(0).negated_by(sign), to);
            return Some(with_sign(place, magnitude, sign, to));
        }
        Op::ILt | Op::IGe | Op::ULt | Op::UGe | Op::IEq | Op::INe => {
            let (x, y) = (pair(0), pair(1));
            let truth = match op {
                Op::ILt => x.less(y),
                Op::IGe => !x.less(y),
                Op::ULt => x.below(y),
                Op::UGe => !x.below(y),
                Op::IEq => x.eq(y),
                _ => !x.eq(y),
            };
            return Some(truth.def);
        }
        _ => return None,
    };
    Some(value.pack())
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
    mul_high(x, y) - y.both(|w| w & sx) - x.both(|w| w & sy)
}

/// Iterations of [`divide`]. Each reduces what is left of the quotient, 64 bits at first, to at
/// most a factor of 2^-18, plus one.
const ROUNDS: u32 = 4;

/// The unsigned quotient and remainder; any result if `y` is zero. Each iteration subtracts an
/// estimate of the remaining quotient, made with a 32-bit reciprocal that is slightly too small so
/// that no remainder is negative, until at most one is left.
fn divide<'p>(place: &'p dyn Place, x: Pair<'p>, y: Pair<'p>) -> (Pair<'p>, Pair<'p>) {
    let float = |v: Pair<'p>| {
        let high = place.alu(AluOp::U2F, &[v.hi.def], 32);
        Word::new(place, joined(place, high, v.lo, 32))
    };
    let less = (1.0 - 2f32.powi(-19)).to_bits();
    let reciprocal = float(y).unary(AluOp::FRcp).fmul(less);
    let (mut quotient, mut rest) = (Pair::constant(x.lo, 0), x);
    for _ in 0..ROUNDS {
        let part = of_float(place, float(rest).fmul(reciprocal).def, 32);
        quotient = quotient + part;
        rest = rest - part.mul(y);
    }
    let done = rest.below(y);
    let more = quotient.add_word(x.lo.constant(1));
    (
        done.choose_pair(quotient, more),
        done.choose_pair(rest, rest - y),
    )
}

/// `high * 2^32 + low` as a float of `bits` bits. `high` is a float already.
fn joined(place: &dyn Place, high: Id<Def>, low: Word<'_>, bits: u8) -> Id<Def> {
    let low = place.alu(AluOp::U2F, &[low.def], bits);
    let up = float_constant(place, bits, 4_294_967_296.0);
    place.alu(AluOp::FFma, &[high, up, low], 0)
}

fn float_constant(place: &dyn Place, bits: u8, value: f64) -> Id<Def> {
    match bits {
        64 => {
            let at = Word::new(place, place.constant(0));
            Pair::constant(at, value.to_bits()).pack()
        }
        _ => place.constant((value as f32).to_bits()),
    }
}

/// Converts a non-negative float to an unsigned integer, truncated and saturated. Negative floats
/// and NaN give 0.
fn of_float<'p>(place: &'p dyn Place, x: Id<Def>, bits: u8) -> Pair<'p> {
    let (x, bits) = match bits {
        16 => (place.alu(AluOp::F2F, &[x], 32), 32),
        _ => (x, bits),
    };
    let (down, minus_up) = (
        float_constant(place, bits, 2f64.powi(-32)),
        float_constant(place, bits, -4_294_967_296.0),
    );
    let high = place.alu(AluOp::FMul, &[x, down], 0);
    let high = place.alu(AluOp::F2U, &[high], 32);
    let whole = place.alu(AluOp::U2F, &[high], bits);
    let rest = place.alu(AluOp::FFma, &[whole, minus_up, x], 0);
    let low = Word::new(place, place.alu(AluOp::F2U, &[rest], 32));
    let hi = Word::new(place, high);
    // Among 32-bit floats only those that are too large give an all-ones high word.
    let lo = match bits {
        32 => hi.eq(u32::MAX).choose(u32::MAX, low),
        _ => low,
    };
    Pair { lo, hi }
}

/// The signed integer of a magnitude and a sign, saturated.
fn saturated<'p>(magnitude: Pair<'p>, sign: Word<'p>) -> Pair<'p> {
    let most = Pair {
        lo: !sign,
        hi: sign ^ 0x7fff_ffff,
    };
    let over = magnitude.hi.less(0);
    over.choose_pair(most, magnitude.negated_by(sign))
}

/// All ones if a float is negative.
fn sign_of_float<'p>(place: &'p dyn Place, x: Id<Def>, bits: u8) -> Word<'p> {
    match bits {
        64 => Pair::of(place, x).hi.sign(),
        32 => Word::new(place, x).sign(),
        _ => Word::new(place, place.alu(AluOp::I2I, &[x], 32)).sign(),
    }
}

/// Converts an unsigned integer to a float of 16, 32 or 64 bits, in the shader's rounding mode.
fn to_float(place: &dyn Place, x: Pair<'_>, bits: u8) -> Id<Def> {
    match bits {
        64 => {
            let high = place.alu(AluOp::U2F, &[x.hi.def], 64);
            joined(place, high, x.lo, 64)
        }
        32 => {
            // The highest 32 bits, with a sticky bit for those below, are rounded once; the
            // exponent is then adjusted.
            let n = x.hi.leading_zeros();
            let high = x.shl_short(n);
            let marked = high.hi | high.lo.any();
            let short = x.hi.eq(0);
            let top = short.choose(x.lo, marked);
            let up = short.choose(0, (-n + 32) << 23);
            let float = Word::new(place, place.alu(AluOp::U2F, &[top.def], 32));
            (float + up).def
        }
        // Values with a non-zero high word overflow to infinity or the largest half.
        _ => {
            let all = x.hi.eq(0).choose(x.lo, u32::MAX);
            place.alu(AluOp::U2F, &[all.def], bits)
        }
    }
}

/// Negates a non-negative float of 16 or 32 bits if `sign` is all ones.
fn with_sign(place: &dyn Place, x: Id<Def>, sign: Word<'_>, bits: u8) -> Id<Def> {
    match bits {
        32 => (Word::new(place, x) | sign << 31).def,
        _ => {
            let minus = place.alu(AluOp::FNeg, &[x], 0);
            let negative = sign.ne(0).def;
            place.alu(AluOp::Bcsel, &[negative, minus, x], 0)
        }
    }
}
