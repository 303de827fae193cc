//! Divergence analysis: which defs are uniform, that is, equal in all lanes that are active where
//! they are computed.
//!
//! In:  a shader after the NIR pipeline.
//! Out: the set of the *divergent* defs. A def in a loop that lanes leave in different iterations
//!      is divergent too if it is used after the loop: each lane needs the value of its own last
//!      iteration.
//! Tests: unit tests of this file.

use entity::{Id, IdSet};
use nir::{AluOp, CfEvent, Def, Instr, IntrinsicOp, Jump, Phi, Shader, TexSrc};

/// No loop.
const NO_LOOP: u32 = u32::MAX;

/// An open control-flow construct.
#[derive(Clone, Copy)]
enum Open {
    If { divergent: bool },
    Loop { index: usize },
}

#[derive(Default)]
struct LoopFacts {
    /// Lanes may leave the loop in different iterations.
    divergent_exit: bool,
    /// Lanes may begin the next iteration from different places.
    divergent_continue: bool,
}

/// The state of the analysis, which is repeated until nothing changes.
struct Analysis<'a> {
    shader: &'a Shader,
    divergent: IdSet<Def>,
    /// The innermost loop of each def and of each block, or [`NO_LOOP`].
    loop_of_def: Vec<u32>,
    loop_of_block: Vec<u32>,
    /// The enclosing loop of each loop, or [`NO_LOOP`].
    parent: Vec<u32>,
    loops: Vec<LoopFacts>,
}

/// Returns the divergent defs of a shader.
pub fn find_divergent(shader: &Shader) -> IdSet<Def> {
    let layout = shader.layout();
    let mut a = Analysis {
        shader,
        divergent: IdSet::new(),
        loop_of_def: vec![NO_LOOP; shader.defs.len()],
        loop_of_block: vec![NO_LOOP; shader.blocks.len()],
        parent: Vec::new(),
        loops: Vec::new(),
    };
    loop {
        let before = (a.divergent.len(), count_facts(&a.loops));
        a.propagate(&layout);
        a.mark_loop_results(&layout);
        if (a.divergent.len(), count_facts(&a.loops)) == before {
            return a.divergent;
        }
    }
}

impl Analysis<'_> {
    /// Propagates divergence from sources to defs and from conditions to phis, in one pass over the
    /// shader.
    fn propagate(&mut self, layout: &[CfEvent]) {
        let mut open: Vec<Open> = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        let mut next_loop = 0usize;
        // The phis of the next block belong to this construct.
        let mut join = Join::Uniform;
        for event in layout {
            match *event {
                CfEvent::If(i) => {
                    open.push(Open::If {
                        divergent: self.divergent.contains(self.shader.ifs[i].cond),
                    });
                    join = Join::Uniform;
                }
                CfEvent::Else(_) => join = Join::Uniform,
                CfEvent::EndIf(_) => {
                    join = match open.pop() {
                        Some(Open::If { divergent: true }) => Join::Divergent,
                        _ => Join::Uniform,
                    };
                }
                CfEvent::Loop(_) => {
                    let index = next_loop;
                    next_loop += 1;
                    if self.loops.len() <= index {
                        self.loops.push(LoopFacts::default());
                        self.parent.push(stack.last().copied().unwrap_or(NO_LOOP));
                    }
                    stack.push(index as u32);
                    open.push(Open::Loop { index });
                    join = if self.loops[index].divergent_continue {
                        Join::Divergent
                    } else {
                        Join::Uniform
                    };
                }
                CfEvent::EndLoop(_) => {
                    stack.pop();
                    join = match open.pop() {
                        Some(Open::Loop { index }) if self.loops[index].divergent_exit => {
                            Join::LoopExit
                        }
                        _ => Join::Uniform,
                    };
                }
                CfEvent::Block(b) => {
                    let here = stack.last().copied().unwrap_or(NO_LOOP);
                    self.loop_of_block[b.index()] = here;
                    for &i in &self.shader.blocks[b].instrs {
                        let instr = &self.shader.instrs[i];
                        if let Some(def) = instr.def() {
                            self.loop_of_def[def.index()] = here;
                            if is_divergent(self.shader, instr, &self.divergent, join) {
                                self.divergent.insert(def);
                            }
                        }
                        if let Instr::Jump(jump) = instr {
                            record_jump(*jump, &open, &mut self.loops);
                        }
                    }
                    join = Join::Uniform;
                }
            }
        }
    }

    /// Marks the defs that are used behind a loop which lanes leave in different iterations.
    fn mark_loop_results(&mut self, layout: &[CfEvent]) {
        let mut stack: Vec<u32> = Vec::new();
        let mut next_loop = 0u32;
        for event in layout {
            match *event {
                CfEvent::Loop(_) => {
                    stack.push(next_loop);
                    next_loop += 1;
                }
                CfEvent::EndLoop(_) => {
                    stack.pop();
                }
                CfEvent::Block(b) => {
                    for &i in &self.shader.blocks[b].instrs {
                        if let Instr::Phi(Phi { srcs, .. }) = &self.shader.instrs[i] {
                            // A phi reads its sources at the end of the predecessors, which may be
                            // in another loop.
                            for &(from, d) in srcs {
                                let at =
                                    enclosing_loops(self.loop_of_block[from.index()], &self.parent);
                                self.mark_if_loop_result(d, &at);
                            }
                            continue;
                        }
                        self.shader.instrs[i].for_each_src(|d| self.mark_if_loop_result(d, &stack));
                    }
                }
                CfEvent::If(i) => {
                    let d = self.shader.ifs[i].cond;
                    if self.leaves_divergent_loop(d, &stack) {
                        self.divergent.insert(d);
                    }
                }
                _ => {}
            }
        }
    }

    /// Marks a def that is used within the loops `stack`, if its value leaves a loop with divergent
    /// exits and is not a constant.
    fn mark_if_loop_result(&mut self, d: Id<Def>, stack: &[u32]) {
        if self.leaves_divergent_loop(d, stack) && !is_constant(self.shader, d) {
            self.divergent.insert(d);
        }
    }

    /// True if a use of a def within the loops `stack` is outside a loop of the def that has
    /// divergent exits.
    fn leaves_divergent_loop(&self, d: Id<Def>, stack: &[u32]) -> bool {
        let mut at = self.loop_of_def[d.index()];
        while at != NO_LOOP && !stack.contains(&at) {
            if self.loops[at as usize].divergent_exit {
                return true;
            }
            at = self.parent[at as usize];
        }
        false
    }
}

/// A loop and its enclosing loops, innermost first.
fn enclosing_loops(mut at: u32, parent: &[u32]) -> Vec<u32> {
    let mut all = Vec::new();
    while at != NO_LOOP {
        all.push(at);
        at = parent[at as usize];
    }
    all
}

/// How lanes arrive at a block with phis.
#[derive(Clone, Copy, PartialEq)]
enum Join {
    /// All active lanes come from the same predecessor.
    Uniform,
    /// Lanes may come from different predecessors.
    Divergent,
    /// Lanes have left a loop in different iterations.
    LoopExit,
}

/// A number that changes if any of the facts does.
fn count_facts(loops: &[LoopFacts]) -> usize {
    let count = |l: &LoopFacts| usize::from(l.divergent_exit) + usize::from(l.divergent_continue);
    loops.iter().map(count).sum::<usize>() + loops.len()
}

fn is_constant(shader: &Shader, def: Id<Def>) -> bool {
    matches!(
        shader.instr_of(def),
        Instr::Const { .. } | Instr::Undef { .. }
    )
}

/// Records the divergence of a jump in the loops that it leaves or continues.
fn record_jump(jump: Jump, open: &[Open], loops: &mut [LoopFacts]) {
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
                // A return leaves all enclosing loops.
                divergent |= facts.divergent_exit;
            }
        }
    }
}

/// True if the def of an instruction is divergent, given the divergent defs found so far.
fn is_divergent(shader: &Shader, instr: &Instr, divergent: &IdSet<Def>, join: Join) -> bool {
    let mut any_src = false;
    instr.for_each_src(|d| any_src |= divergent.contains(d));
    match instr {
        Instr::Const { .. } | Instr::Undef { .. } | Instr::Jump(_) => false,
        Instr::Alu(_) | Instr::Deref(_) => any_src,
        // Sampler responses are per lane.
        Instr::Tex(_) => true,
        Instr::Phi(phi) => match join {
            Join::Uniform => any_src,
            Join::Divergent => any_src || phi.srcs.len() > 1,
            Join::LoopExit => true,
        },
        Instr::Intrinsic(i) => match i.op {
            IntrinsicOp::LoadWorkgroupId
            | IntrinsicOp::LoadBaseWorkgroupId
            | IntrinsicOp::LoadNumWorkgroups
            | IntrinsicOp::LoadSubgroupId
            | IntrinsicOp::LoadNumSubgroups
            | IntrinsicOp::LoadSubgroupSize => false,
            // All pixels of a thread belong to one primitive.
            IntrinsicOp::LoadFrontFace | IntrinsicOp::LoadLayerId => false,
            IntrinsicOp::LoadInput if shader.stage == nir::Stage::Fragment => any_src,
            // All domain points of a thread belong to one patch.
            IntrinsicOp::LoadInput | IntrinsicOp::LoadPerVertexInput
                if shader.stage == nir::Stage::TessEval =>
            {
                any_src
            }
            IntrinsicOp::LoadPatchVerticesIn | IntrinsicOp::LoadCoverageSamples => false,
            // Votes and ballots have one result for all lanes.
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
            | IntrinsicOp::LoadSsboAddress
            | IntrinsicOp::LoadSurfaceState => any_src,
            IntrinsicOp::LoadUbo
            | IntrinsicOp::LoadSsbo
            | IntrinsicOp::LoadConstant
            | IntrinsicOp::LoadGlobal
            | IntrinsicOp::LoadGlobalConstant => {
                // Block reads move aligned dwords.
                let bits = match i.alignment() {
                    0..4 => 0,
                    _ => i.def.map_or(0, |d| shader.defs[d].bit_size),
                };
                any_src || bits != 32
            }
            _ => true,
        },
    }
}

/// Adds uniform results of ALU instructions that are only read as per-lane data of messages:
/// computed for all lanes, they need no copy to a per-lane register.
pub fn add_message_data(shader: &Shader, divergent: &mut IdSet<Def>) {
    // For each def: a message reads it as per-lane data; anything else reads it.
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

/// The operands of an intrinsic that its message reads as per-lane data.
fn data_operands(op: IntrinsicOp) -> &'static [usize] {
    match op {
        IntrinsicOp::StoreSsbo => &[0, 2],
        IntrinsicOp::StoreShared => &[0, 1],
        IntrinsicOp::SsboAtomic => &[1, 2],
        IntrinsicOp::StoreGlobal | IntrinsicOp::StoreOutput => &[0],
        _ => &[],
    }
}

#[cfg(test)]
mod tests;
