//! Lowers doubles to pairs of words, for parts whose EUs have no double arithmetic.
//!
//! In:  scalar ALU operations; votes.
//! Out: with [`Ctx::soft_fp64`], doubles are only loaded, moved, selected, packed from two words
//!      and unpacked. Without it nothing changes. The pass runs before `lower_alu`, whose
//!      expansions assume that the unit exists.
//!
//! Results are identical to the unit's, except for NaN payloads: correctly rounded to nearest even
//! or, if the shader sets that mode for any size (the unit has one rounding mode), towards zero;
//! `frsq` is within one ULP. Subnormals are preserved unless the shader flushes them. The code has
//! no branches.
//! Ref: IEEE 754-2019; SPV_KHR_float_controls.
//! Tests: tests/opt/lower_soft_fp64/, tests/fs_exec/.

mod compare;
mod convert;
mod format;
mod integral;
mod product;
mod quotient;
mod sum;

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use crate::rewrite::word::{Cond, Emitter, Pair, Word};
use convert::{IntegerType, NarrowFormat};
use entity::Id;
use format::{FloatModes, MAGNITUDE, SIGN, negate};
use nir::*;
use std::cell::RefCell;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_soft_fp64(s: &mut Shader, ctx: &Ctx) -> bool {
    let needs_lowering =
        |s: &Shader, i: &Instr| uses_fp64(s, i) || fp64_vote_operand(s, i).is_some();
    ctx.soft_fp64 && lower_instrs(s, needs_lowering, lower)
}

/// The operand of a vote on doubles.
fn fp64_vote_operand(s: &Shader, i: &Instr) -> Option<Id<Def>> {
    match i {
        Instr::Intrinsic(i) if i.op == IntrinsicOp::VoteFeq => {
            Some(i.srcs[0]).filter(|d| s.defs[*d].bit_size == 64)
        }
        _ => None,
    }
}

/// True if all invocations have the same value as the first one.
fn emit_vote_equal(b: &mut Builder<'_>, x: Id<Def>) -> Id<Def> {
    let modes = float_modes(b.shader.info.float_controls);
    let mut all = b.imm_bool(true);
    for x in b.channels(x) {
        let first = b.load(IntrinsicOp::ReadFirstInvocation, 1, 64, &[x], &[]);
        let same = {
            let emitter = RefCell::new(&mut *b);
            let [x, first] =
                [x, first].map(|d| format::flush_operand(Pair::unpack(&emitter, d), modes));
            compare::eq(x, first).def
        };
        all = b.iand(all, same);
    }
    b.load(IntrinsicOp::VoteAll, 1, 1, &[all], &[])
}

/// True for operations with a double operand or result. (Moves and selections are untyped.)
pub(crate) fn uses_fp64(s: &Shader, i: &Instr) -> bool {
    let Instr::Alu(a) = i else { return false };
    let info = a.op.info();
    let double = |ty: OpType, d: Id<Def>| ty.base == BaseType::Float && s.defs[d].bit_size == 64;
    let mut srcs = info.srcs.iter().zip(&a.srcs);
    double(info.out, a.def) || srcs.any(|(rule, src)| double(rule.ty, src.def))
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Action {
    if let Some(x) = fp64_vote_operand(b.shader, &b.shader.instrs[id]) {
        return Action::Replace(emit_vote_equal(b, x));
    }
    let Instr::Alu(a) = b.shader.instrs[id].clone() else {
        return Action::Keep;
    };
    let mut srcs = [a.def; 3];
    for (to, src) in srcs.iter_mut().zip(&a.srcs) {
        *to = b.channel(src.def, src.swizzle[0]);
    }
    let controls = b.shader.info.float_controls;
    let lowering = Lowering {
        op: a.op,
        srcs,
        bits: b.bits(srcs[0]),
        to: b.bits(a.def),
        controls,
    };
    let exact = std::mem::replace(&mut b.exact, true);
    let made = lowering.emit(&RefCell::new(&mut *b));
    b.exact = exact;
    match made {
        Some(value) => Action::Replace(value),
        None => Action::Keep,
    }
}

/// The modes for doubles. The unit has one rounding mode for all sizes.
fn float_modes(controls: FloatControls) -> FloatModes {
    FloatModes {
        towards_zero: controls.rounding_rtz != 0,
        flush: controls.flushes(64),
    }
}

/// An operation to lower.
struct Lowering {
    op: AluOp,
    srcs: [Id<Def>; 3],
    /// The bit size of the first operand.
    bits: u8,
    /// The bit size of the result.
    to: u8,
    controls: FloatControls,
}

impl Lowering {
    fn flushes(&self, bits: u8) -> bool {
        self.controls.flushes(bits)
    }

    /// Emits the lowered operation. `None` if it does not exist for doubles.
    fn emit(&self, emitter: &dyn Emitter) -> Option<Id<Def>> {
        use AluOp as Op;
        let modes = float_modes(self.controls);
        let bits = |i: usize| Pair::unpack(emitter, self.srcs[i]);
        let x = |i: usize| format::flush_operand(bits(i), modes);
        let value = match self.op {
            Op::FAdd => sum::add(x(0), x(1), modes),
            Op::FSub => sum::add(x(0), negate(x(1)), modes),
            Op::FMul => product::mul(x(0), x(1), modes),
            Op::FFma => product::fma(x(0), x(1), x(2), modes),
            Op::FDiv => quotient::div(x(0), x(1), modes),
            Op::FMod => quotient::remainder(x(0), x(1), modes, integral::floor),
            Op::FRem => quotient::remainder(x(0), x(1), modes, integral::trunc),
            Op::FRcp => quotient::rcp(x(0), modes),
            Op::FSqrt => quotient::sqrt(x(0), modes),
            Op::FRsq => quotient::rsq(x(0), modes),
            Op::FNeg => negate(x(0)),
            Op::FAbs => {
                let x = x(0);
                Pair {
                    hi: x.hi & MAGNITUDE,
                    ..x
                }
            }
            Op::FMin => compare::min(x(0), x(1)),
            Op::FMax => compare::max(x(0), x(1)),
            Op::FSat => compare::sat(x(0)),
            Op::FSign => compare::sign(x(0)),
            Op::FTrunc => integral::trunc(x(0)),
            Op::FFloor => integral::floor(x(0)),
            Op::FCeil => integral::ceil(x(0)),
            Op::FRoundEven => integral::round_even(x(0)),
            Op::FFract => integral::fract(x(0), modes),
            Op::Ldexp => integral::ldexp(x(0), Word::new(emitter, self.srcs[1]), modes),
            Op::FrexpSig => integral::frexp(x(0)).0,
            Op::FrexpExp => return Some(integral::frexp(x(0)).1.def),
            Op::FEq => return Some(compare::eq(x(0), x(1)).def),
            Op::FNeu => return Some((!compare::eq(x(0), x(1))).def),
            Op::FLt => return Some(compare::lt(x(0), x(1)).def),
            Op::FGe => return Some(compare::ge(x(0), x(1)).def),
            Op::B2F => convert::from_bool(Cond::new(emitter, self.srcs[0])),
            Op::F2F | Op::F2FRtz | Op::F2FRtne if self.bits == 64 && self.to == 64 => x(0),
            Op::F2F | Op::F2FRtz | Op::F2FRtne if self.to == 64 => self.emit_from_float(emitter),
            Op::F2F | Op::F2FRtz | Op::F2FRtne => return Some(self.emit_to_float(emitter, x(0))),
            Op::I2F | Op::U2F => self.emit_from_integer(emitter),
            Op::F2I | Op::F2U => return Some(self.emit_to_integer(emitter, x(0))),
            _ => return None,
        };
        Some(value.pack())
    }

    fn emit_from_float<'p>(&self, emitter: &'p dyn Emitter) -> Pair<'p> {
        // Every subnormal half is a normal 32-bit float.
        let single = match self.bits {
            16 => emitter.alu(AluOp::F2F, &self.srcs[..1], 32),
            _ => self.srcs[0],
        };
        convert::widen(Word::new(emitter, single), self.flushes(32))
    }

    fn emit_to_float(&self, emitter: &dyn Emitter, x: Pair<'_>) -> Id<Def> {
        let towards_zero = match self.op {
            AluOp::F2FRtz => true,
            AluOp::F2FRtne => false,
            _ => float_modes(self.controls).towards_zero,
        };
        let (fraction, bias) = if self.to == 32 { (23, 127) } else { (10, 15) };
        let small = NarrowFormat {
            fraction,
            bias,
            flush: self.flushes(self.to),
        };
        let magnitude = convert::narrow(x, small, towards_zero);
        if self.to == 32 {
            return (magnitude | (x.hi & SIGN)).def;
        }
        let sign = (x.hi & SIGN) >> 16;
        emitter.alu(AluOp::U2U, &[(magnitude | sign).def], self.to)
    }

    fn emit_from_integer<'p>(&self, emitter: &'p dyn Emitter) -> Pair<'p> {
        let modes = float_modes(self.controls);
        let signed = self.op == AluOp::I2F;
        if self.bits == 64 {
            let x = Pair::unpack(emitter, self.srcs[0]);
            if !signed {
                return convert::from_u64(x, modes);
            }
            let magnitude = convert::from_u64(x.negate_if(x.hi.sign()), modes);
            return Pair {
                hi: magnitude.hi | (x.hi & SIGN),
                ..magnitude
            };
        }
        let whole = if signed { AluOp::I2I } else { AluOp::U2U };
        let word = match self.bits {
            32 => self.srcs[0],
            _ => emitter.alu(whole, &self.srcs[..1], 32),
        };
        let x = Word::new(emitter, word);
        if !signed {
            return convert::from_u32(x);
        }
        let magnitude = convert::from_u32(x.unary(AluOp::IAbs));
        Pair {
            hi: magnitude.hi | (x & SIGN),
            ..magnitude
        }
    }

    fn emit_to_integer(&self, emitter: &dyn Emitter, x: Pair<'_>) -> Id<Def> {
        let to = IntegerType {
            bits: u32::from(self.to),
            signed: self.op == AluOp::F2I,
        };
        let value = convert::to_integer(x, to);
        match self.to {
            64 => value.pack(),
            32 => value.lo.def,
            _ => emitter.alu(AluOp::U2U, &[value.lo.def], self.to),
        }
    }
}
