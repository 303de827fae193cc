//! Extends bytes where they are extracted.
//!
//! In:  scalar ALU operations; bytes that are parts of dwords, as `opt_load_store_vectorize` leaves
//!      them: an extraction, truncated to 8 bits.
//! Out: conversions of such a byte to other types read the extraction, which has extended the byte
//!      already, or extract it with its sign.
//! Tests: tests/opt/opt_extracts/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_extracts(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(
        s,
        |s, i| matches!(i, Instr::Alu(alu) if extraction(s, alu).is_some()),
        |b, id| {
            let Instr::Alu(alu) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            let Some(extracted) = extraction(b.shader, &alu) else {
                return Action::Keep;
            };
            let bits = b.bits(alu.def);
            let signed = matches!(alu.op, AluOp::I2I | AluOp::I2F);
            let value = match signed {
                true => {
                    let (def, component) = extracted.dword;
                    let dword = b.channel(def, component);
                    let index = b.imm_u32(extracted.index);
                    b.alu(AluOp::ExtractI8, &[dword, index])
                }
                false => extracted.result,
            };
            Action::Replace(match alu.op {
                AluOp::U2U => b.u2u(value, bits),
                AluOp::I2I => b.i2i(value, bits),
                AluOp::U2F => b.u2f(value, bits),
                _ => b.i2f(value, bits),
            })
        },
    )
}

/// A byte that is extracted from a dword, zero-extended.
struct Extraction {
    result: Id<Def>,
    /// The dword: a component of a value.
    dword: (Id<Def>, u8),
    index: u32,
}

/// The extraction that a conversion's operand is the low byte of.
fn extraction(s: &Shader, alu: &Alu) -> Option<Extraction> {
    let converts = matches!(alu.op, AluOp::U2U | AluOp::I2I | AluOp::U2F | AluOp::I2F);
    let byte = alu.srcs.first()?.def;
    if !converts || s.defs[alu.def].bit_size == 8 || s.defs[byte].bit_size != 8 {
        return None;
    }
    let truncated = s.alu_of(byte)?;
    let result = truncated.srcs.first()?.def;
    if truncated.op != AluOp::U2U || s.defs[byte].num_components != 1 {
        return None;
    }
    let alu = s.alu_of(result)?;
    if alu.op != AluOp::ExtractU8 || s.defs[result].bit_size != 32 {
        return None;
    }
    let index = s.const_component(alu.srcs[1].def, alu.srcs[1].swizzle[0])?;
    Some(Extraction {
        result,
        dword: (alu.srcs[0].def, alu.srcs[0].swizzle[0]),
        index: index as u32,
    })
}
