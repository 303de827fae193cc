//! Lowers input attachments to texel fetches at the fragment's position.
//!
//! In:  `image_deref_load` of a subpass image.
//! Out: `txf` or `txf_ms` at the fragment's pixel plus the operand's offset, in the layer being
//!      rendered to.
//! Ref: Vulkan, "Input Attachment Interface"; crate `abi`, "Descriptors".
//! Tests: tests/opt/lower_input_attachments/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_input_attachments(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(
        s,
        |_, i| {
            matches!(i, Instr::Intrinsic(i) if i.op == IntrinsicOp::ImageDerefLoad
                && i.index("image_dim") == Dim::SubpassData as u32)
        },
        |b, id| lower(b, id).unwrap_or(Action::Keep),
    )
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Option<Action> {
    let Instr::Intrinsic(i) = b.shader.instrs[id].clone() else {
        return None;
    };
    let def = i.def?;
    let Type::Image { multisampled, .. } = b.shader.types[b.shader.deref_of(i.srcs[0])?.ty] else {
        return None;
    };
    let pixel_coord = b.system_value(IntrinsicOp::LoadPixelCoord);
    let pixel_coord = b.channels(pixel_coord);
    let mut parts: SmallVec<[Id<Def>; 4]> = SmallVec::new();
    for (c, pixel) in pixel_coord.into_iter().enumerate() {
        let offset = b.channel(i.srcs[1], c as u8);
        parts.push(b.iadd(pixel, offset));
    }
    parts.push(b.system_value(IntrinsicOp::LoadLayerId));
    let coord = b.vec(&parts);
    let mut srcs = SmallVec::new();
    srcs.push((TexSrc::TextureDeref, i.srcs[0]));
    srcs.push((TexSrc::Coord, coord));
    let op = if multisampled {
        srcs.push((TexSrc::MsIndex, i.srcs[2]));
        TexOp::TxfMs
    } else {
        srcs.push((TexSrc::Lod, b.imm_u32(0)));
        TexOp::Txf
    };
    let (n, bits) = (b.components(def), b.bits(def));
    let texel = b.tex(
        Tex {
            op,
            def,
            srcs,
            dim: Dim::D2,
            array: true,
            shadow: false,
            dest_type: BaseType::from_index(i.index("dest_type"))?,
            component: 0,
            tg4_offsets: None,
            texture_non_uniform: i.index("access") & Access::NON_UNIFORM != 0,
            sampler_non_uniform: false,
            offset_non_uniform: false,
        },
        4,
        bits,
    );
    let components: SmallVec<[(Id<Def>, u8); 4]> = (0..n).map(|c| (texel, c)).collect();
    Some(Action::Replace(b.vec_of(&components)))
}
