//! Expands ALU operations for which gen9 has no instruction.
//!
//! In:  scalar ALU operations.
//! Out: only the operations listed in this crate's documentation.
//! Ref: SKL PRM vol. 7, "Extended Math Function"; Vulkan spec, "Precision and Operation of SPIR-V
//!      Instructions".
//! Tests: tests/opt/lower_alu/.

mod bits;
mod float;
mod integer;
mod wide;
mod words;

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use bits::lower_bit_op;
use entity::Id;
use float::lower_float_op;
use integer::lower_integer_op;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_alu(s: &mut Shader, _: &Ctx) -> bool {
    let mut any = false;
    // An expansion may contain operations that need lowering themselves.
    while lower_instrs(s, needs_lowering, lower) {
        any = true;
    }
    any
}

fn needs_lowering(s: &Shader, i: &Instr) -> bool {
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
    let value = lower_float_op(b, a.op, s, bits)
        .or_else(|| lower_integer_op(b, a.op, s, bits))
        .or_else(|| lower_bit_op(b, a.op, s, bits));
    b.exact = false;
    b.preserve_nan_inf_sz = false;
    match value {
        Some(v) => Action::Replace(v),
        None => Action::Keep,
    }
}
