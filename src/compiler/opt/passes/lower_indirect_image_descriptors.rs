//! Lowers images, textures and samplers of sets with indirect descriptors.
//!
//! In:  `tex` and `bindless_image_*` with handles, and the sets with indirect descriptors
//!      ([`Ctx::indirect_sets`]).
//! Out: handles of surfaces and samplers that are loaded from the descriptors.
//! Ref: crate `abi`, "Indirect descriptors".
//! Tests: tests/opt/lower_indirect_image_descriptors/.

use crate::pass::{Ctx, IndirectSets};
use crate::rewrite::indirect_descriptors::load_descriptor;
use crate::rewrite::instrs::{Action, lower_instrs};
use abi::IndirectDescriptor;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_indirect_image_descriptors(s: &mut Shader, ctx: &Ctx) -> bool {
    let sets = ctx.indirect_sets;
    if sets.mask == 0 {
        return false;
    }
    lower_instrs(
        s,
        |s, i| {
            handles(i)
                .iter()
                .any(|h| indexed_binding(s, *h, sets).is_some())
        },
        |b, id| {
            for handle in handles(&b.shader.instrs[id]) {
                if let Some(loaded) = load_handle(b, handle, sets) {
                    replace_handle(&mut b.shader.instrs[id], handle, loaded);
                }
            }
            Action::Changed
        },
    )
}

/// The handles of surfaces and samplers that an instruction uses.
fn handles(i: &Instr) -> SmallVec<[Id<Def>; 2]> {
    let mut out = SmallVec::new();
    match i {
        Instr::Tex(t) => {
            out.extend(t.src(TexSrc::TextureHandle));
            out.extend(t.src(TexSrc::SamplerHandle));
        }
        Instr::Intrinsic(i) if i.op.index_of("image_dim").is_some() => {
            out.extend(i.srcs.first().copied());
        }
        _ => {}
    }
    out
}

/// The handle of the first plane's state and the constant that was added to it, for the states of
/// other planes.
fn plane_of(s: &Shader, handle: Id<Def>) -> Option<(Id<Def>, i64)> {
    let Instr::Alu(add) = s.instr_of(handle) else {
        return None;
    };
    let [base, plane] = &add.srcs[..] else {
        return None;
    };
    let constant = s.const_component(plane.def, 0)?;
    (add.op == AluOp::IAdd).then_some((base.def, i64::from(constant as u32 as i32)))
}

/// The instruction that computes the handle of an indirect descriptor.
fn indexed_binding(s: &Shader, handle: Id<Def>, sets: IndirectSets) -> Option<&Intrinsic> {
    use IntrinsicOp::{VulkanResourceIndex, VulkanSamplerIndex};
    let handle = plane_of(s, handle).map_or(handle, |(base, _)| base);
    let found = s.intrinsic_of(handle)?;
    let indexes = matches!(found.op, VulkanResourceIndex | VulkanSamplerIndex);
    (indexes && sets.contains(found.index("set"))).then_some(found)
}

/// Loads the handle that the indirect descriptor `handle` contains. A constant that was added for a
/// further plane is added to the loaded handle: the planes' states are consecutive.
fn load_handle(b: &mut Builder<'_>, handle: Id<Def>, sets: IndirectSets) -> Option<Id<Def>> {
    if let Some((base, plane)) = plane_of(b.shader, handle) {
        let loaded = load_handle(b, base, sets)?;
        return Some(b.iadd_imm(loaded, plane));
    }
    let found = indexed_binding(b.shader, handle, sets)?.clone();
    let dword = match found.op {
        IntrinsicOp::VulkanSamplerIndex => IndirectDescriptor::SAMPLER_DWORD,
        _ => IndirectDescriptor::SURFACE_DWORD,
    };
    let op = IntrinsicOp::VulkanResourceIndex;
    let descriptor = b.load(op, 1, 32, &found.srcs, &found.indices);
    Some(load_descriptor(b, descriptor, sets.base_high, dword, 1))
}

fn replace_handle(i: &mut Instr, handle: Id<Def>, loaded: Id<Def>) {
    match i {
        Instr::Tex(t) => {
            for (kind, def) in &mut t.srcs {
                let is_handle = matches!(kind, TexSrc::TextureHandle | TexSrc::SamplerHandle);
                if is_handle && *def == handle {
                    *def = loaded;
                }
            }
        }
        Instr::Intrinsic(i) => i.srcs[0] = loaded,
        _ => {}
    }
}
