//! Divergence: which values are the same in every lane that is active where they are made.
//!
//! In:  a shader after the NIR pipeline.
//! Out: a set of the *divergent* defs. A value made in a loop that lanes leave at different times and used after
//!      that loop is divergent too: each lane must keep its own last one.

use entity::{Id, IdSet};
use nir::{AluOp, CfEvent, Def, Instr, IntrinsicOp, Jump, Phi, Shader, TexSrc};

/// What an open construct of control flow contributes.
#[derive(Clone, Copy)]
enum Open {
    If { divergent: bool },
    Loop { index: usize },
}

struct LoopFacts {
    divergent_exit: bool,
    divergent_continue: bool,
}

/// The divergent defs.
pub fn divergent(shader: &Shader) -> IdSet<Def> {
    let layout = shader.layout();
    let mut out = IdSet::new();
    // Loop nest of each def: outermost-first list is not needed, only how deep and which.
    let mut loop_of_def: Vec<u32> = vec![u32::MAX; shader.defs.len()];
    let mut loop_of_block: Vec<u32> = vec![u32::MAX; shader.blocks.len()];
    let mut parent: Vec<u32> = Vec::new();
    let mut loops: Vec<LoopFacts> = Vec::new();
    loop {
        let before = (out.len(), facts(&loops));
        let mut open: Vec<Open> = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        let mut next_loop = 0usize;
        // (phis of the next block are those after this construct)
        let mut after: After = After::None;
        for event in &layout {
            match *event {
                CfEvent::If(i) => {
                    open.push(Open::If {
                        divergent: out.contains(shader.ifs[i].cond),
                    });
                    after = After::None;
                }
                CfEvent::Else(_) => after = After::None,
                CfEvent::EndIf(_) => {
                    after = match open.pop() {
                        Some(Open::If { divergent: true }) => After::Divergent,
                        _ => After::None,
                    };
                }
                CfEvent::Loop(_) => {
                    let index = next_loop;
                    next_loop += 1;
                    if loops.len() <= index {
                        loops.push(LoopFacts {
                            divergent_exit: false,
                            divergent_continue: false,
                        });
                        parent.push(stack.last().copied().unwrap_or(u32::MAX));
                    }
                    stack.push(index as u32);
                    open.push(Open::Loop { index });
                    after = if loops[index].divergent_continue {
                        After::Divergent
                    } else {
                        After::None
                    };
                }
                CfEvent::EndLoop(_) => {
                    stack.pop();
                    after = match open.pop() {
                        Some(Open::Loop { index }) if loops[index].divergent_exit => After::Exit,
                        _ => After::None,
                    };
                }
                CfEvent::Block(b) => {
                    loop_of_block[b.index()] = stack.last().copied().unwrap_or(u32::MAX);
                    for &i in &shader.blocks[b].instrs {
                        let instr = &shader.instrs[i];
                        if let Some(def) = instr.def() {
                            loop_of_def[def.index()] = stack.last().copied().unwrap_or(u32::MAX);
                            if instr_diverges(shader, instr, &out, after) {
                                out.insert(def);
                            }
                        }
                        if let Instr::Jump(jump) = instr {
                            note_jump(*jump, &open, &mut loops);
                        }
                    }
                    after = After::None;
                }
            }
        }
        // Values that leave a loop whose lanes leave at different times.
        let mut stack: Vec<u32> = Vec::new();
        let mut next_loop = 0u32;
        for event in &layout {
            match *event {
                CfEvent::Loop(_) => {
                    stack.push(next_loop);
                    next_loop += 1;
                }
                CfEvent::EndLoop(_) => {
                    stack.pop();
                }
                CfEvent::Block(b) => {
                    for &i in &shader.blocks[b].instrs {
                        if let Instr::Phi(Phi { srcs, .. }) = &shader.instrs[i] {
                            // A phi reads at the end of each predecessor, which may be inside the loop it stands behind,
                            // or behind a loop inside the one it heads.
                            for &(from, d) in srcs {
                                let at = ancestors(loop_of_block[from.index()], &parent);
                                if leaves_divergent_loop(
                                    loop_of_def[d.index()],
                                    &at,
                                    &parent,
                                    &loops,
                                ) && !is_constant(shader, d)
                                {
                                    out.insert(d);
                                }
                            }
                            continue;
                        }
                        shader.instrs[i].for_each_src(|d| {
                            if leaves_divergent_loop(
                                loop_of_def[d.index()],
                                &stack,
                                &parent,
                                &loops,
                            ) && !is_constant(shader, d)
                            {
                                out.insert(d);
                            }
                        });
                    }
                }
                CfEvent::If(i) => {
                    let d = shader.ifs[i].cond;
                    if leaves_divergent_loop(loop_of_def[d.index()], &stack, &parent, &loops) {
                        out.insert(d);
                    }
                }
                _ => {}
            }
        }
        if (out.len(), facts(&loops)) == before {
            return out;
        }
    }
}

/// A loop and the loops around it, innermost first.
fn ancestors(mut at: u32, parent: &[u32]) -> Vec<u32> {
    let mut all = Vec::new();
    while at != u32::MAX {
        all.push(at);
        at = parent[at as usize];
    }
    all
}

/// What the construct before a block means for that block's phis.
#[derive(Clone, Copy, PartialEq)]
enum After {
    /// Every active lane comes the same way.
    None,
    /// Lanes come from different blocks.
    Divergent,
    /// Lanes left a loop in different iterations.
    Exit,
}

fn facts(loops: &[LoopFacts]) -> usize {
    let of = |l: &LoopFacts| usize::from(l.divergent_exit) + usize::from(l.divergent_continue);
    loops.iter().map(of).sum::<usize>() + loops.len()
}

fn is_constant(shader: &Shader, def: Id<Def>) -> bool {
    matches!(
        shader.instr_of(def),
        Instr::Const { .. } | Instr::Undef { .. }
    )
}

fn note_jump(jump: Jump, open: &[Open], loops: &mut [LoopFacts]) {
    let mut divergent = false;
    for o in open.iter().rev() {
        match *o {
            Open::If { divergent: d } => divergent |= d,
            Open::Loop { index } => {
                let facts = &mut loops[index];
                match jump {
                    Jump::Break | Jump::Return => facts.divergent_exit |= divergent,
                    Jump::Continue => facts.divergent_continue |= divergent,
                }
                if jump != Jump::Return {
                    return;
                }
                // Lanes that return leave every loop around.
                divergent |= facts.divergent_exit;
            }
        }
    }
}

/// True if a use inside `stack` of a def made in `def_loop` crosses the end of a loop with divergent exits.
fn leaves_divergent_loop(
    def_loop: u32,
    stack: &[u32],
    parent: &[u32],
    loops: &[LoopFacts],
) -> bool {
    let mut at = def_loop;
    while at != u32::MAX && !stack.contains(&at) {
        if loops[at as usize].divergent_exit {
            return true;
        }
        at = parent[at as usize];
    }
    false
}

fn instr_diverges(shader: &Shader, instr: &Instr, out: &IdSet<Def>, after: After) -> bool {
    let mut any_src = false;
    instr.for_each_src(|d| any_src |= out.contains(d));
    match instr {
        Instr::Const { .. } | Instr::Undef { .. } | Instr::Jump(_) => false,
        Instr::Alu(_) | Instr::Deref(_) => any_src,
        // A sampler's answer comes back for each lane.
        Instr::Tex(_) => true,
        Instr::Phi(phi) => match after {
            After::None => any_src,
            After::Divergent => any_src || phi.srcs.len() > 1,
            After::Exit => true,
        },
        Instr::Intrinsic(i) => match i.op {
            IntrinsicOp::LoadWorkgroupId
            | IntrinsicOp::LoadBaseWorkgroupId
            | IntrinsicOp::LoadNumWorkgroups
            | IntrinsicOp::LoadSubgroupId
            | IntrinsicOp::LoadNumSubgroups
            | IntrinsicOp::LoadSubgroupSize => false,
            // A thread's pixels are of one primitive.
            IntrinsicOp::LoadFrontFace | IntrinsicOp::LoadLayerId => false,
            IntrinsicOp::LoadInput if shader.stage == nir::Stage::Fragment => any_src,
            // Points of one patch.
            IntrinsicOp::LoadInput | IntrinsicOp::LoadPerVertexInput
                if shader.stage == nir::Stage::TessEval =>
            {
                any_src
            }
            IntrinsicOp::LoadPatchVerticesIn => false,
            // What all active lanes say together is one thing.
            IntrinsicOp::Ballot
            | IntrinsicOp::VoteAny
            | IntrinsicOp::VoteAll
            | IntrinsicOp::VoteIeq
            | IntrinsicOp::VoteFeq
            | IntrinsicOp::FirstInvocation => false,
            IntrinsicOp::ReadFirstInvocation => {
                any_src && i.def.is_none_or(|d| shader.defs[d].bit_size != 32)
            }
            IntrinsicOp::LoadPrimitiveId => shader.stage == nir::Stage::Geometry,
            IntrinsicOp::LoadPushConstant
            | IntrinsicOp::VulkanResourceIndex
            | IntrinsicOp::VulkanSamplerIndex
            | IntrinsicOp::GetSsboSize
            | IntrinsicOp::LoadSsboAddress => any_src,
            IntrinsicOp::LoadUbo | IntrinsicOp::LoadSsbo | IntrinsicOp::LoadConstant => {
                let bits = i.def.map_or(0, |d| shader.defs[d].bit_size);
                any_src || bits != 32
            }
            _ => true,
        },
    }
}

/// Adds what every lane has to get in any case: results of arithmetic that messages alone read, as data for each lane. Made for all
/// lanes at once they need no copies.
pub fn widen(shader: &Shader, divergent: &mut IdSet<Def>) {
    // Whether a message reads it, and whether anything else does.
    let mut sent: Vec<(bool, bool)> = vec![(false, false); shader.defs.len()];
    let layout = shader.layout();
    for event in layout.iter().rev() {
        let b = match *event {
            CfEvent::Block(b) => b,
            CfEvent::If(i) => {
                sent[shader.ifs[i].cond.index()].1 = true;
                continue;
            }
            _ => continue,
        };
        for &id in shader.blocks[b].instrs.iter().rev() {
            match &shader.instrs[id] {
                Instr::Alu(alu) if matches!(alu.op, AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4) => {
                    let how = sent[alu.def.index()];
                    for s in &alu.srcs {
                        let at = &mut sent[s.def.index()];
                        *at = (at.0 || how.0, at.1 || how.1);
                    }
                }
                Instr::Intrinsic(i) => {
                    let data = data_operands(i.op);
                    for (k, s) in i.srcs.iter().enumerate() {
                        let at = &mut sent[s.index()];
                        if data.contains(&k) {
                            at.0 = true;
                        } else {
                            at.1 = true;
                        }
                    }
                }
                Instr::Tex(tex) => {
                    for (kind, s) in &tex.srcs {
                        let at = &mut sent[s.index()];
                        if matches!(kind, TexSrc::Coord | TexSrc::Lod | TexSrc::Bias) {
                            at.0 = true;
                        } else {
                            at.1 = true;
                        }
                    }
                }
                other => other.for_each_src(|d| sent[d.index()].1 = true),
            }
        }
    }
    for event in &layout {
        let CfEvent::Block(b) = *event else { continue };
        for &id in &shader.blocks[b].instrs {
            if let Instr::Alu(alu) = &shader.instrs[id]
                && sent[alu.def.index()] == (true, false)
                && shader.defs[alu.def].num_components == 1
                && shader.defs[alu.def].bit_size == 32
                && alu.op != AluOp::Mov
            {
                divergent.insert(alu.def);
            }
        }
    }
}

/// The operands that a message has for each lane.
fn data_operands(op: IntrinsicOp) -> &'static [usize] {
    match op {
        IntrinsicOp::StoreSsbo => &[0, 2],
        IntrinsicOp::StoreShared => &[0, 1],
        IntrinsicOp::SsboAtomic => &[1, 2],
        IntrinsicOp::StoreGlobal | IntrinsicOp::StoreOutput => &[0],
        _ => &[],
    }
}
