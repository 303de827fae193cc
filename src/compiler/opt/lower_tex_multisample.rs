//! Samples are fetched by what the control surface says of them.
//!
//! In:  `txf_ms` of a texel and a sample. Out: a `txf_ms_mcs` of the texel before each, whose answer the fetch takes. A surface without
//! a control surface answers 0, which its fetches do not look at.
//! Tests: tests/opt/lower_tex_multisample/. Ref: SKL PRM vol. 2d, "Sampling Engine": ld_mcs, ld2dms_w.

use crate::pass::Ctx;
use crate::rewrite::{Action, lower_instrs};
use nir::*;

/// Entry point.
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
            let mut control = t.clone();
            control.op = TexOp::TxfMsMcs;
            control.dest_type = Base::Uint;
            control.remove_src(TexSrc::MsIndex);
            control.remove_src(TexSrc::Lod);
            let says = b.tex(control, 2, 32);
            t.set_src(TexSrc::MsMcs, says);
            b.shader.instrs[id] = Instr::Tex(t);
            Action::Changed
        },
    )
}
