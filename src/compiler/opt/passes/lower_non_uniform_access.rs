//! Lowers non-uniform texture, sampler and image access to waterfall loops.
//!
//! In:  `tex` and `bindless_image_*` marked non-uniform.
//! Out: each in a loop that handles one handle per iteration: the first active invocation's handle
//!      serves all invocations with the same one, which then leave the loop. No access is marked
//!      any more, and the handle of every message is uniform. Accesses with a handle that
//!      divergence analysis finds uniform, for example one computed from a flat input, get no loop.
//!      Packed texel offsets are in the message's header like handles, and are treated like them.
//!
//! Buffers are left unchanged: the backend handles divergent buffer handles.
//! Ref: Vulkan, "Shader Non-Uniform".
//! Tests: tests/opt/lower_non_uniform_access/.

use crate::pass::Ctx;
use crate::rewrite::cf::{CfEdit, split_block, split_blocks};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_non_uniform_access(s: &mut Shader, _: &Ctx) -> bool {
    let changed = unmark_uniform_accesses(s);
    let marked = |s: &Shader, i: Id<Instr>| is_marked(&s.instrs[i]).then_some(());
    let wrapped = split_blocks(s, marked, |s, edit, point, ()| {
        wrap_in_loop(s, edit, point.list, point.at, point.block, point.k);
        // The loop.
        1
    });
    wrapped | changed
}

/// Removes the marks of accesses whose handles are uniform.
fn unmark_uniform_accesses(s: &mut Shader) -> bool {
    let mut accesses: SmallVec<[(Id<Instr>, Id<Block>); 4]> = SmallVec::new();
    for b in s.block_order() {
        let instrs = s.blocks[b].instrs.iter().copied();
        accesses.extend(instrs.filter(|i| is_marked(&s.instrs[*i])).map(|i| (i, b)));
    }
    if accesses.is_empty() {
        return false;
    }
    let divergence = Divergence::new(s);
    accesses.retain(|(i, b)| {
        let handles = non_uniform_handles(&s.instrs[*i]);
        let differs = |h: &Id<Def>| divergence.is_divergent_at(s, *h, *b);
        !handles.iter().any(differs)
    });
    for &(i, _) in &accesses {
        unmark(&mut s.instrs[i], &[]);
    }
    !accesses.is_empty()
}

/// The handle operands, and the packed offset, that are marked non-uniform.
fn non_uniform_handles(i: &Instr) -> SmallVec<[Id<Def>; 2]> {
    let mut out = SmallVec::new();
    match i {
        Instr::Tex(t) => {
            if t.texture_non_uniform {
                out.extend(t.src(TexSrc::TextureHandle));
            }
            if t.sampler_non_uniform {
                out.extend(t.src(TexSrc::SamplerHandle));
            }
            if t.offset_non_uniform {
                out.extend(t.src(TexSrc::PackedOffset));
            }
        }
        Instr::Intrinsic(i)
            if i.op.index_of("image_dim").is_some()
                && i.index("access") & Access::NON_UNIFORM != 0 =>
        {
            out.extend(i.srcs.first().copied());
        }
        _ => {}
    }
    out
}

fn is_marked(i: &Instr) -> bool {
    !non_uniform_handles(i).is_empty()
}

/// Wraps the instruction at `k` of `block` in a loop inserted at `at` of `list`, and moves the rest
/// of the block behind it.
fn wrap_in_loop(
    s: &mut Shader,
    edit: &mut CfEdit,
    list: ListRef,
    at: usize,
    block: Id<Block>,
    k: usize,
) {
    let (guarded, after) = split_block(s, edit, block, k);
    let handles = non_uniform_handles(&s.instrs[guarded]);
    let new_block = |s: &mut Shader| s.blocks.push(Block::default());
    let (head, matching, skip, next) = (new_block(s), new_block(s), new_block(s), new_block(s));

    let mut b = Builder::at_end_of_block(s, head);
    let mut all_match: Option<Id<Def>> = None;
    let mut uniform: SmallVec<[(Id<Def>, Id<Def>); 2]> = SmallVec::new();
    for handle in handles {
        if uniform.iter().any(|f| f.0 == handle) {
            continue;
        }
        let first = b.load(IntrinsicOp::ReadFirstInvocation, 1, 32, &[handle], &[]);
        let same = b.ieq(handle, first);
        all_match = Some(match all_match {
            Some(other) => b.iand(other, same),
            None => same,
        });
        uniform.push((handle, first));
    }
    let Some(cond) = all_match else { return };
    b.set_block_end(matching);
    b.insert_instr(guarded);
    b.jump(Jump::Break);
    unmark(&mut s.instrs[guarded], &uniform);

    let branch = s.ifs.push(If {
        cond,
        then_list: vec![CfNode::Block(matching)],
        else_list: vec![CfNode::Block(skip)],
    });
    let body = vec![CfNode::Block(head), CfNode::If(branch), CfNode::Block(next)];
    let waterfall = s.loops.push(Loop { body });
    let nodes = [CfNode::Loop(waterfall), CfNode::Block(after)];
    s.list_mut(list).splice(at..at, nodes);
}

/// Removes the marks, and replaces each handle by the uniform one.
fn unmark(i: &mut Instr, uniform: &[(Id<Def>, Id<Def>)]) {
    let first = |handle: Id<Def>| {
        let found = uniform.iter().find(|f| f.0 == handle);
        found.map_or(handle, |f| f.1)
    };
    match i {
        Instr::Tex(t) => {
            (t.texture_non_uniform, t.sampler_non_uniform) = (false, false);
            t.offset_non_uniform = false;
            for (kind, def) in &mut t.srcs {
                if matches!(
                    kind,
                    TexSrc::TextureHandle | TexSrc::SamplerHandle | TexSrc::PackedOffset
                ) {
                    *def = first(*def);
                }
            }
        }
        Instr::Intrinsic(i) => {
            if let Some(at) = i.op.index_of("access") {
                i.indices[at] &= !Access::NON_UNIFORM;
            }
            if let Some(handle) = i.srcs.first_mut() {
                *handle = first(*handle);
            }
        }
        _ => {}
    }
}
