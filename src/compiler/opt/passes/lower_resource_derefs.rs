//! Lowers derefs of images, textures and samplers to handles.
//!
//! In:  `tex` with derefs; `image_deref_*`.
//! Out: `tex` with handles, and `bindless_image_*`. A handle is `vulkan_resource_index` (for
//!      samplers `vulkan_sampler_index`) of the variable's set and binding, with a flattened array
//!      index. Non-uniform marks are kept.
//! Tests: tests/opt/lower_resource_derefs/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_resource_derefs(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(
        s,
        |_, i| match i {
            Instr::Tex(t) => {
                t.src(TexSrc::TextureDeref).is_some() || t.src(TexSrc::SamplerDeref).is_some()
            }
            Instr::Intrinsic(i) => bindless_op(i.op).is_some(),
            _ => false,
        },
        |b, id| lower(b, id).unwrap_or(Action::Keep),
    )
}

fn bindless_op(op: IntrinsicOp) -> Option<IntrinsicOp> {
    use IntrinsicOp as Op;
    Some(match op {
        Op::ImageDerefLoad => Op::BindlessImageLoad,
        Op::ImageDerefStore => Op::BindlessImageStore,
        Op::ImageDerefAtomic => Op::BindlessImageAtomic,
        Op::ImageDerefAtomicSwap => Op::BindlessImageAtomicSwap,
        Op::ImageDerefSize => Op::BindlessImageSize,
        Op::ImageDerefSamples => Op::BindlessImageSamples,
        _ => return None,
    })
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Option<Action> {
    match b.shader.instrs[id].clone() {
        Instr::Tex(mut t) => {
            use IntrinsicOp::{VulkanResourceIndex, VulkanSamplerIndex};
            for (from, to, op) in [
                (
                    TexSrc::TextureDeref,
                    TexSrc::TextureHandle,
                    VulkanResourceIndex,
                ),
                (
                    TexSrc::SamplerDeref,
                    TexSrc::SamplerHandle,
                    VulkanSamplerIndex,
                ),
            ] {
                if let Some(ptr) = t.src(from) {
                    let h = emit_handle(b, ptr, op)?;
                    t.remove_src(from);
                    t.set_src(to, h);
                }
            }
            b.shader.instrs[id] = Instr::Tex(t);
        }
        Instr::Intrinsic(mut i) => {
            i.op = bindless_op(i.op)?;
            i.srcs[0] = emit_handle(b, i.srcs[0], IntrinsicOp::VulkanResourceIndex)?;
            b.shader.instrs[id] = Instr::Intrinsic(i);
        }
        _ => return None,
    }
    Some(Action::Changed)
}

/// The handle of the resource that a deref points to; `None` if it cannot be determined.
fn emit_handle(b: &mut Builder<'_>, ptr: Id<Def>, op: IntrinsicOp) -> Option<Id<Def>> {
    let mut index: Option<Id<Def>> = None;
    // The number of elements of the arrays seen so far.
    let mut below = 1u32;
    let mut at = ptr;
    loop {
        let d = b.shader.deref_of(at)?.clone();
        match d.kind {
            DerefKind::Var(v) => {
                let (set, binding) = (b.shader.vars[v].set, b.shader.vars[v].binding);
                let index = match index {
                    Some(i) => i,
                    None => b.imm_u32(0),
                };
                return Some(b.load(op, 1, 32, &[index], &[set, binding]));
            }
            DerefKind::Array { parent, index: i } => {
                let more = b.imul_imm(i, below.into());
                index = Some(match index {
                    Some(old) => b.iadd(old, more),
                    None => more,
                });
                let of = b.shader.deref_of(parent)?.ty;
                let Type::Array { len, .. } = b.shader.types[of] else {
                    return None;
                };
                below = below.saturating_mul(len.unwrap_or(1));
                at = parent;
            }
            _ => return None,
        }
    }
}
