//! The interpreter: runs workgroups of a shader, invocation by invocation in step.
//!
//! In:  a valid shader, buffers, push constants, how many workgroups, how wide a subgroup.
//! Out: the buffers after it.
//!
//! All invocations of a workgroup execute each instruction together, under a mask that follows structured
//! control flow; a *tangle* is what is active of one subgroup. So barriers need no waiting: whoever is
//! active has arrived. Memory is bytes; within an instruction, invocations go in order of their index.
//! Reads out of bounds give 0, writes there are lost. Derefs are executed too, so that a shader can be run
//! before and after any pass.
//! Ref: SPIR-V "Execution model"; SPV_KHR_maximal_reconvergence for tangles.

mod memory;
mod subgroup;

use crate::fold;
use crate::intrinsic::IntrinsicOp;
use crate::ir::*;
use crate::shader::{CfEvent, Layout};
use crate::types::Mode;
use entity::{Id, IdMap};
use memory::Memory;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Why a shader could not be run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// More steps than allowed: an endless loop, probably.
    #[error("not done after {0} blocks")]
    TooLong(u64),
    /// No buffer is bound where the shader looks for one.
    #[error("no buffer at set {set}, binding {binding}, element {element}")]
    NoBuffer {
        /// Descriptor set.
        set: u32,
        /// Binding.
        binding: u32,
        /// Array element.
        element: u32,
    },
    /// The shader does something that the interpreter has no meaning for.
    #[error("{0}")]
    Unsupported(String),
}

/// What a shader runs on.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Contents of buffers by (set, binding, array element).
    pub buffers: Vec<((u32, u32, u32), Vec<u8>)>,
    /// Push constants.
    pub push_constants: Vec<u8>,
    /// Workgroups in x, y, z.
    pub workgroups: [u32; 3],
    /// First workgroup (vkCmdDispatchBase).
    pub base_workgroup: [u32; 3],
    /// Invocations in a subgroup.
    pub subgroup_size: u32,
    /// Blocks that may be executed in all; 0: a million.
    pub step_limit: u64,
}

/// A set of invocations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Mask(Vec<u64>);

impl Mask {
    fn none(n: usize) -> Mask {
        Mask(vec![0; n.div_ceil(64)])
    }
    fn all(n: usize) -> Mask {
        let mut m = Mask::none(n);
        (0..n).for_each(|i| m.set(i));
        m
    }
    fn set(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
    fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }
    fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }
    fn join(&mut self, other: &Mask) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
    fn without(&self, other: &Mask) -> Mask {
        Mask(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }
    fn lanes(&self) -> Vec<usize> {
        (0..self.0.len() * 64).filter(|i| self.has(*i)).collect()
    }
}

/// What the walk is inside of.
enum Frame {
    If {
        /// Waits for the else-list.
        otherwise: Mask,
        /// Has come to the end of the then-list.
        done: Mask,
    },
    Loop {
        start: usize,
        broke: Mask,
        continued: Mask,
    },
}

struct Run<'m> {
    s: &'m Shader,
    machine: &'m mut Machine,
    memory: Memory,
    /// Position of each def's values: component `c` of lane `l` is `values[at[def] + l * components + c]`.
    at: IdMap<Def, usize>,
    values: Vec<u64>,
    lanes: usize,
    workgroup: [u32; 3],
    from: Vec<Id<Block>>,
    /// Invocations that have no effect on memory and outputs.
    helpers: Mask,
    /// Where each `If`, `Else` and `Loop` event's partner is.
    partner: FxHashMap<usize, usize>,
    layout: Layout,
    steps: u64,
}

impl Machine {
    /// Runs all workgroups, one behind the other.
    pub fn run(&mut self, s: &Shader) -> Result<(), InterpError> {
        let lanes: u32 = s.info.workgroup_size.iter().map(|x| (*x).max(1)).product();
        if lanes > 4096 {
            return Err(InterpError::Unsupported("workgroup too large".into()));
        }
        if self.subgroup_size == 0 {
            self.subgroup_size = 8;
        }
        let lanes = lanes as usize;
        let mut at = IdMap::with_default(0);
        let mut total = 0;
        for (id, d) in s.defs.iter() {
            at[id] = total;
            total += usize::from(d.num_components) * lanes;
        }
        let layout = s.layout();
        let mut open = Vec::new();
        let mut partner = FxHashMap::default();
        for (k, e) in layout.iter().enumerate() {
            match e {
                CfEvent::Block(_) => {}
                CfEvent::If(_) | CfEvent::Loop(_) => open.push(k),
                CfEvent::Else(_) => {
                    if let Some(o) = open.pop() {
                        partner.insert(o, k);
                    }
                    open.push(k);
                }
                CfEvent::EndIf(_) | CfEvent::EndLoop(_) => {
                    if let Some(o) = open.pop() {
                        partner.insert(o, k);
                    }
                }
            }
        }
        let memory = Memory::new(s, lanes);
        let mut run = Run {
            s,
            machine: self,
            memory,
            at,
            values: vec![0; total],
            lanes,
            workgroup: [0; 3],
            from: vec![Id::new(0); lanes],
            helpers: Mask::none(lanes),
            partner,
            layout,
            steps: 0,
        };
        let [x, y, z] = run.machine.workgroups;
        for k in 0..z.max(1) {
            for j in 0..y.max(1) {
                for i in 0..x.max(1) {
                    run.workgroup = [i, j, k];
                    run.memory.start(s);
                    run.one()?;
                }
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    fn get(&self, d: Id<Def>, lane: usize) -> &[u64] {
        let n = usize::from(self.s.defs[d].num_components);
        let at = self.at[d] + lane * n;
        &self.values[at..at + n]
    }

    fn set(&mut self, d: Id<Def>, lane: usize, v: &[u64]) {
        let n = usize::from(self.s.defs[d].num_components);
        let bits = self.s.defs[d].bit_size;
        let at = self.at[d] + lane * n;
        for (to, v) in self.values[at..at + n].iter_mut().zip(v) {
            *to = v & fold::mask(bits);
        }
    }

    fn one(&mut self) -> Result<(), InterpError> {
        let limit = match self.machine.step_limit {
            0 => 1_000_000,
            n => n,
        };
        let mut mask = Mask::all(self.lanes);
        self.helpers = Mask::none(self.lanes);
        let mut frames: Vec<Frame> = Vec::new();
        let mut pc = 0;
        while let Some(&event) = self.layout.get(pc) {
            match event {
                CfEvent::Block(b) => {
                    self.steps += 1;
                    if self.steps > limit {
                        return Err(InterpError::TooLong(limit));
                    }
                    if !mask.is_empty() {
                        self.block(b, &mut mask, &mut frames)?;
                    }
                }
                CfEvent::If(i) => {
                    let cond = self.s.ifs[i].cond;
                    let mut then = Mask::none(self.lanes);
                    for l in mask.lanes() {
                        if self.get(cond, l)[0] != 0 {
                            then.set(l);
                        }
                    }
                    frames.push(Frame::If {
                        otherwise: mask.without(&then),
                        done: Mask::none(self.lanes),
                    });
                    mask = then;
                }
                CfEvent::Else(_) => {
                    if let Some(Frame::If { otherwise, done }) = frames.last_mut() {
                        *done = std::mem::replace(&mut mask, otherwise.clone());
                    }
                }
                CfEvent::EndIf(_) => {
                    if let Some(Frame::If { done, .. }) = frames.pop() {
                        mask.join(&done);
                    }
                }
                CfEvent::Loop(_) => {
                    if mask.is_empty() {
                        pc = self.partner.get(&pc).copied().unwrap_or(pc);
                    } else {
                        frames.push(Frame::Loop {
                            start: pc,
                            broke: Mask::none(self.lanes),
                            continued: Mask::none(self.lanes),
                        });
                    }
                }
                CfEvent::EndLoop(_) => {
                    if let Some(Frame::Loop {
                        start,
                        broke,
                        continued,
                    }) = frames.last_mut()
                    {
                        mask.join(continued);
                        *continued = Mask::none(self.lanes);
                        if mask.is_empty() {
                            mask = std::mem::take(broke);
                            frames.pop();
                        } else {
                            pc = *start;
                        }
                    }
                }
            }
            pc += 1;
        }
        Ok(())
    }

    fn block(
        &mut self,
        b: Id<Block>,
        mask: &mut Mask,
        frames: &mut [Frame],
    ) -> Result<(), InterpError> {
        let s = self.s;
        let mut lanes = mask.lanes();
        // All phis of a block are evaluated at once.
        let mut phis: Vec<(Id<Def>, usize, SmallVec<[u64; 4]>)> = Vec::new();
        for &id in &s.blocks[b].instrs {
            let Instr::Phi(p) = &s.instrs[id] else { break };
            for &l in &lanes {
                if let Some((_, v)) = p.srcs.iter().find(|(from, _)| *from == self.from[l]) {
                    phis.push((p.def, l, self.get(*v, l).into()));
                }
            }
        }
        for (def, l, v) in phis {
            self.set(def, l, &v);
        }
        for &id in &s.blocks[b].instrs {
            match &s.instrs[id] {
                Instr::Phi(_) => {}
                Instr::Alu(a) => self.alu(a, &lanes),
                Instr::Const { def, values } => {
                    for &l in &lanes {
                        self.set(*def, l, values);
                    }
                }
                Instr::Undef { def } => {
                    for &l in &lanes {
                        self.set(*def, l, &[0; MAX_COMPONENTS]);
                    }
                }
                Instr::Deref(d) => self.deref(d, &lanes)?,
                Instr::Tex(t) => {
                    return Err(InterpError::Unsupported(format!(
                        "{}: no textures are bound",
                        t.op.info().name
                    )));
                }
                Instr::Intrinsic(i) => {
                    if i.op.info().effects.any(crate::Effects::CHANGES_MASK) {
                        self.change_mask(i, &lanes, mask);
                        lanes = mask.lanes();
                        if lanes.is_empty() {
                            return Ok(());
                        }
                        continue;
                    }
                    self.intrinsic(i, &lanes)?;
                }
                Instr::Jump(j) => {
                    for &l in &lanes {
                        self.from[l] = b;
                    }
                    let inner = frames.iter_mut().rev().find_map(|f| match f {
                        Frame::Loop {
                            broke, continued, ..
                        } => Some((broke, continued)),
                        Frame::If { .. } => None,
                    });
                    match (j, inner) {
                        (Jump::Break, Some((broke, _))) => broke.join(mask),
                        (Jump::Continue, Some((_, continued))) => continued.join(mask),
                        _ => {}
                    }
                    *mask = Mask::none(self.lanes);
                    return Ok(());
                }
            }
        }
        for &l in &lanes {
            self.from[l] = b;
        }
        Ok(())
    }

    /// `terminate` and `demote`, with and without condition.
    fn change_mask(&mut self, i: &Intrinsic, lanes: &[usize], mask: &mut Mask) {
        let mut hit = Mask::none(self.lanes);
        for &l in lanes {
            if i.srcs.first().is_none_or(|d| self.get(*d, l)[0] != 0) {
                hit.set(l);
            }
        }
        match i.op {
            IntrinsicOp::Demote | IntrinsicOp::DemoteIf => self.helpers.join(&hit),
            _ => *mask = mask.without(&hit),
        }
    }

    fn alu(&mut self, a: &Alu, lanes: &[usize]) {
        let def = self.s.defs[a.def];
        let bits: SmallVec<[u8; 16]> = a.srcs.iter().map(|s| self.s.defs[s.def].bit_size).collect();
        for &l in lanes {
            let mut srcs: SmallVec<[SmallVec<[u64; 4]>; 3]> = SmallVec::new();
            for (k, s) in a.srcs.iter().enumerate() {
                let n = usize::from(a.src_components(k, def.num_components));
                let v = self.get(s.def, l);
                srcs.push(s.swizzle[..n].iter().map(|c| v[usize::from(*c)]).collect());
            }
            let parts: SmallVec<[&[u64]; 3]> = srcs.iter().map(|s| s.as_slice()).collect();
            let mut out = [0u64; MAX_COMPONENTS];
            let n = usize::from(def.num_components);
            fold::fold(
                a.op,
                def.bit_size,
                &bits,
                &parts,
                self.s.info.float_controls,
                &mut out[..n],
            );
            self.set(a.def, l, &out[..n]);
        }
    }

    /// LocalInvocationIndex of a lane: lanes count quads one after another, row by row.
    fn local_index(&self, lane: usize) -> usize {
        match self.s.info.derivative_group {
            DerivativeGroup::None | DerivativeGroup::Linear => lane,
            DerivativeGroup::Quads => {
                let width = self.s.info.workgroup_size[0].max(1) as usize;
                let in_row = (width / 2).max(1);
                let (quad, right, lower) = (lane / 4, lane & 1, lane >> 1 & 1);
                let (x, y) = (quad % in_row * 2 + right, quad / in_row * 2 + lower);
                y * width + x
            }
        }
    }

    /// True for what helpers do not do: writing anything but their own variables.
    fn is_suppressed(&self, i: &Intrinsic) -> bool {
        let own = match i.op {
            IntrinsicOp::StoreScratch | IntrinsicOp::Barrier | IntrinsicOp::BeginInterlock => true,
            IntrinsicOp::StoreDeref | IntrinsicOp::CopyDeref => self
                .s
                .deref_of(i.srcs[0])
                .is_some_and(|d| matches!(d.mode, Mode::FunctionTemp | Mode::ShaderTemp)),
            _ => false,
        };
        !own && i.op.info().effects.any(crate::Effects::WRITES)
    }

    /// The constant indices and operands decide; values of `i.def` are set for all of `lanes`.
    fn intrinsic(&mut self, i: &Intrinsic, lanes: &[usize]) -> Result<(), InterpError> {
        use IntrinsicOp as Op;
        if self.is_suppressed(i) && lanes.iter().any(|l| self.helpers.has(*l)) {
            let alive: Vec<usize> = lanes
                .iter()
                .copied()
                .filter(|l| !self.helpers.has(*l))
                .collect();
            return match alive.is_empty() {
                true => Ok(()),
                false => self.intrinsic(i, &alive),
            };
        }
        if self.memory_intrinsic(i, lanes)? || self.subgroup_intrinsic(i, lanes)? {
            return Ok(());
        }
        let Some(def) = i.def else {
            return match i.op {
                Op::Barrier | Op::BeginInterlock => Ok(()),
                _ => Err(InterpError::Unsupported(i.op.info().name.into())),
            };
        };
        let size = self.machine.subgroup_size as usize;
        let [wx, wy, _] = self.s.info.workgroup_size.map(|x| x.max(1) as usize);
        for &l in lanes {
            let wide = |v: [u32; 3]| v.map(u64::from).to_vec();
            let lane = l % size;
            let v: Vec<u64> = match i.op {
                Op::LoadWorkgroupId => wide(self.workgroup),
                Op::LoadBaseWorkgroupId => wide(self.machine.base_workgroup),
                Op::LoadNumWorkgroups => wide(self.machine.workgroups.map(|x| x.max(1))),
                Op::LoadLocalInvocationId => {
                    let index = self.local_index(l);
                    [index % wx, index / wx % wy, index / (wx * wy)]
                        .map(|x| x as u64)
                        .to_vec()
                }
                Op::LoadLocalInvocationIndex => vec![self.local_index(l) as u64],
                Op::LoadSubgroupId => vec![(l / size) as u64],
                Op::LoadNumSubgroups => vec![self.lanes.div_ceil(size) as u64],
                Op::LoadSubgroupSize => vec![size as u64],
                Op::LoadSubgroupInvocation => vec![lane as u64],
                Op::LoadSubgroupMask => {
                    let all: u128 = if size >= 128 {
                        u128::MAX
                    } else {
                        (1 << size) - 1
                    };
                    let eq = 1u128 << lane;
                    let below = eq - 1;
                    let m = match i.index("relation") {
                        0 => eq,
                        1 => all & !below,
                        2 => all & !below & !eq,
                        3 => below | eq,
                        _ => below,
                    };
                    (0..4)
                        .map(|k| (m >> (32 * k)) as u64 & 0xffff_ffff)
                        .collect()
                }
                Op::ShaderClock => vec![self.steps, 0],
                Op::IsHelperInvocation => vec![u64::from(self.helpers.has(l))],
                _ => return Err(InterpError::Unsupported(i.op.info().name.into())),
            };
            self.set(def, l, &v);
        }
        Ok(())
    }
}
