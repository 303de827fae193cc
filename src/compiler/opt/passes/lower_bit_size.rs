//! Widens 8-bit ALU operations to 16 bits.
//!
//! In:  scalar ALU operations.
//! Out: only copies, selections, logic operations and conversions have 8-bit operands or results.
//!      On gen9 only moves may write packed bytes.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions" (destinations of byte type).
//! Tests: tests/opt/lower_bit_size/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_bit_size(s: &mut Shader, _: &Ctx) -> bool {
    let signs = reads_signed_bytes(s);
    lower_instrs(
        s,
        |s, i| match i {
            Instr::Alu(a) => needs_lowering(s, a),
            _ => false,
        },
        |b, id| {
            let Instr::Alu(a) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            b.exact = a.exact;
            let action = lower(b, &a, signs);
            b.exact = false;
            action
        },
    )
}

fn needs_lowering(s: &Shader, a: &Alu) -> bool {
    let info = a.op.info();
    if info.props.has(AluProps::CONVERTS) || info.props.has(AluProps::SELECTS) || a.op.is_vec() {
        return false;
    }
    // Bitwise operations do not depend on the width, and the backend moves bytes as it needs.
    if matches!(a.op, AluOp::Bcsel) || s.defs[a.def].num_components != 1 {
        return false;
    }
    let byte = |size: SizeRule, bits: u8| size == SizeRule::Same && bits == 8;
    byte(info.out.size, s.defs[a.def].bit_size)
        || info
            .srcs
            .iter()
            .zip(&a.srcs)
            .any(|(r, x)| byte(r.ty.size, s.defs[x.def].bit_size))
}

/// True if neither the low half of the result nor, for comparisons, the result depends on how the
/// operands are extended.
fn ignores_extension(op: AluOp) -> bool {
    use AluOp as Op;
    matches!(
        op,
        Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::INeg
            | Op::IShl
            | Op::IEq
            | Op::INe
            | Op::IAnd
            | Op::IOr
            | Op::IXor
            | Op::INot
    )
}

/// True if any operation reads a byte as a signed number. Operands that may be extended either way
/// are then sign-extended too, else zero-extended, so that a byte is extended in only one way if
/// possible.
fn reads_signed_bytes(s: &Shader) -> bool {
    let byte = |def| s.defs[def].bit_size == 8;
    s.blocks
        .iter()
        .flat_map(|(_, block)| &block.instrs)
        .any(|&i| {
            let Instr::Alu(a) = &s.instrs[i] else {
                return false;
            };
            let info = a.op.info();
            !ignores_extension(a.op)
                && info
                    .srcs
                    .iter()
                    .zip(&a.srcs)
                    .any(|(rule, x)| rule.ty.base == BaseType::Int && byte(x.def))
        })
}

fn lower(b: &mut Builder<'_>, a: &Alu, signs: bool) -> Action {
    let info = a.op.info();
    let signs = signs || !ignores_extension(a.op);
    let mut srcs: SmallVec<[entity::Id<Def>; 4]> = SmallVec::new();
    for (rule, src) in info.srcs.iter().zip(&a.srcs) {
        let v = b.channel(src.def, src.swizzle[0]);
        srcs.push(if rule.ty.size != SizeRule::Same || b.bits(v) != 8 {
            v
        } else if rule.ty.base == BaseType::Uint || !signs {
            b.u2u(v, 16)
        } else {
            b.i2i(v, 16)
        });
    }
    if matches!(a.op, AluOp::IShl | AluOp::IShr | AluOp::UShr) {
        // A shift count is taken modulo the width, which changes.
        let seven = b.imm_u32(7);
        srcs[1] = b.iand(srcs[1], seven);
    }
    let v = b.alu(a.op, &srcs);
    if info.out.size == SizeRule::Same {
        Action::Replace(b.u2u(v, 8))
    } else {
        Action::Replace(v)
    }
}
