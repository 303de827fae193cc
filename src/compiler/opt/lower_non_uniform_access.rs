//! Textures, samplers and images that may differ between invocations.
//!
//! In:  `tex` and `bindless_image_*` marked non-uniform. Out: each in a loop that runs once for each of the handles that occur: the first
//! active invocation's handle serves all that have the same, which then leave. Nothing is marked any more; a handle is the
//! same for all active lanes of a message. What is seen to be the same for all has no loop: a handle by a flat input of a fragment, say.
//!
//! Buffers stay as they are: the backend serves handles that differ.
//! Ref: Vulkan, "Shader Non-Uniform". Tests: tests/opt/lower_non_uniform_access/.

use crate::cf::{CfEdit, cut_block, cut_blocks};
use crate::pass::Ctx;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Entry point.
pub fn lower_non_uniform_access(s: &mut Shader, _: &Ctx) -> bool {
    let changed = unmark_uniform(s);
    let marked = |s: &Shader, i: Id<Instr>| is_marked(&s.instrs[i]).then_some(());
    let wrapped = cut_blocks(s, marked, |s, edit, cut, ()| {
        wrap(s, edit, cut.list, cut.at, cut.block, cut.k);
        // The loop.
        1
    });
    wrapped | changed
}

/// Takes the marks off what is the same for all active invocations after all.
fn unmark_uniform(s: &mut Shader) -> bool {
    let mut places: SmallVec<[(Id<Instr>, Id<Block>); 4]> = SmallVec::new();
    for b in s.block_order() {
        let instrs = s.blocks[b].instrs.iter().copied();
        places.extend(instrs.filter(|i| is_marked(&s.instrs[*i])).map(|i| (i, b)));
    }
    if places.is_empty() {
        return false;
    }
    let divergence = Divergence::new(s);
    places.retain(|(i, b)| {
        let handles = marked(&s.instrs[*i]);
        let differs = |h: &Id<Def>| divergence.used_outside(s, *h, *b);
        !handles.iter().any(differs)
    });
    for &(i, _) in &places {
        unmark(&mut s.instrs[i], &[]);
    }
    !places.is_empty()
}

/// Where the operands are that may differ.
fn marked(i: &Instr) -> SmallVec<[Id<Def>; 2]> {
    let mut out = SmallVec::new();
    match i {
        Instr::Tex(t) => {
            if t.texture_non_uniform {
                out.extend(t.src(TexSrc::TextureHandle));
            }
            if t.sampler_non_uniform {
                out.extend(t.src(TexSrc::SamplerHandle));
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
    !marked(i).is_empty()
}

/// Puts the instruction at `k` of `block` into a loop at `at` of `list`, and what follows it into a block behind that.
fn wrap(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, block: Id<Block>, k: usize) {
    let (guarded, after) = cut_block(s, edit, block, k);
    let handles = marked(&s.instrs[guarded]);
    let new_block = |s: &mut Shader| s.blocks.push(Block::default());
    let (head, serve, skip, next) = (new_block(s), new_block(s), new_block(s), new_block(s));

    let mut b = Builder::at_end_of_block(s, head);
    let mut mine: Option<Id<Def>> = None;
    let mut firsts: SmallVec<[(Id<Def>, Id<Def>); 2]> = SmallVec::new();
    for handle in handles {
        if firsts.iter().any(|f| f.0 == handle) {
            continue;
        }
        let first = b.load(IntrinsicOp::ReadFirstInvocation, 1, 32, &[handle], &[]);
        let same = b.ieq(handle, first);
        mine = Some(match mine {
            Some(other) => b.iand(other, same),
            None => same,
        });
        firsts.push((handle, first));
    }
    let Some(cond) = mine else { return };
    b.set_block_end(serve);
    b.place(guarded);
    b.jump(Jump::Break);
    unmark(&mut s.instrs[guarded], &firsts);

    let choice = s.ifs.push(If {
        cond,
        then_list: vec![CfNode::Block(serve)],
        else_list: vec![CfNode::Block(skip)],
    });
    let body = vec![CfNode::Block(head), CfNode::If(choice), CfNode::Block(next)];
    let waterfall = s.loops.push(Loop { body });
    let nodes = [CfNode::Loop(waterfall), CfNode::Block(after)];
    s.list_mut(list).splice(at..at, nodes);
}

/// Takes the marks off, and puts in each handle's place what is the same for all that are served.
fn unmark(i: &mut Instr, firsts: &[(Id<Def>, Id<Def>)]) {
    let first = |handle: Id<Def>| {
        let found = firsts.iter().find(|f| f.0 == handle);
        found.map_or(handle, |f| f.1)
    };
    match i {
        Instr::Tex(t) => {
            (t.texture_non_uniform, t.sampler_non_uniform) = (false, false);
            for (kind, def) in &mut t.srcs {
                if matches!(kind, TexSrc::TextureHandle | TexSrc::SamplerHandle) {
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
