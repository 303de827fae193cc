//! Adds the MCS data that gen9's multisampled fetches need.
//!
//! In:  `txf_ms` of a texel and a sample.
//! Out: a `txf_ms_mcs` of the texel before each, whose result is an operand of the fetch. It
//!      returns 0 for surfaces without an MCS, whose fetches ignore it.
//! Ref: SKL PRM vol. 2d, "Sampling Engine": ld_mcs, ld2dms_w.
//! Tests: tests/opt/lower_tex_multisample/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_tex_multisample(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(
        s,
        |_, i| match i {
            Instr::Tex(t) => t.op == TexOp::TxfMs && t.src(TexSrc::MsMcs).is_none(),
            _ => false,
        },
        |b, id| {
            let Instr::Tex(mut t) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            let mut mcs_fetch = t.clone();
            mcs_fetch.op = TexOp::TxfMsMcs;
            mcs_fetch.dest_type = BaseType::Uint;
            mcs_fetch.remove_src(TexSrc::MsIndex);
            mcs_fetch.remove_src(TexSrc::Lod);
            let mcs = b.tex(mcs_fetch, 2, 32);
            t.set_src(TexSrc::MsMcs, mcs);
            b.shader.instrs[id] = Instr::Tex(t);
            Action::Changed
        },
    )
}
