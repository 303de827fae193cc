//! Executes the shader's control flow and instructions.
//!
//! In:  a machine, a valid shader.
//! Out: the machine's buffers as the shader leaves them.

use super::machine::{InterpError, Machine};
use super::mask::Mask;
use super::memory::Memory;
use crate::fold;
use crate::intrinsic::{Effects, IntrinsicOp};
use crate::ir::*;
use crate::shader::{CfEvent, LayoutOrder};
use crate::types::VariableMode;
use entity::{Id, IdMap};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A construct that control is inside of.
enum Frame {
    If {
        /// Invocations that will execute the else-list.
        else_mask: Mask,
        /// Invocations that have reached the end of the then-list.
        then_end_mask: Mask,
    },
    Loop {
        /// Position of the loop's event in the layout.
        start: usize,
        /// Invocations that have left the loop.
        broke: Mask,
        /// Invocations that wait for the next iteration.
        continued: Mask,
    },
}

pub(super) struct Execution<'m> {
    pub(super) s: &'m Shader,
    pub(super) machine: &'m mut Machine,
    pub(super) memory: Memory,
    /// Where each def's values begin: component `c` of lane `l` is `values[value_offset[def] + l *
    /// components + c]`.
    value_offset: IdMap<Def, usize>,
    values: Vec<u64>,
    pub(super) lanes: usize,
    workgroup: [u32; 3],
    /// The block that each lane executed last: selects the operand of a phi.
    prev_block: Vec<Id<Block>>,
    /// Helper invocations: without effect on memory and outputs.
    helpers: Mask,
    /// By position of an `If`, `Else` or `Loop` event in the layout: position of the event that
    /// ends it.
    partner_event: FxHashMap<usize, usize>,
    layout: LayoutOrder,
    steps: u64,
}

impl Machine {
    /// Executes all workgroups one after another.
    pub fn run(&mut self, s: &Shader) -> Result<(), InterpError> {
        let lanes: u32 = s.info.workgroup_size.iter().map(|x| (*x).max(1)).product();
        if lanes > 4096 {
            return Err(InterpError::Unsupported("workgroup too large".into()));
        }
        if self.subgroup_size == 0 {
            self.subgroup_size = 8;
        }
        let lanes = lanes as usize;
        let mut value_offset = IdMap::with_default(0);
        let mut total = 0;
        for (id, d) in s.defs.iter() {
            value_offset[id] = total;
            total += usize::from(d.num_components) * lanes;
        }
        let layout = s.layout();
        let mut open = Vec::new();
        let mut partner_event = FxHashMap::default();
        for (k, e) in layout.iter().enumerate() {
            match e {
                CfEvent::Block(_) => {}
                CfEvent::If(_) | CfEvent::Loop(_) => open.push(k),
                CfEvent::Else(_) => {
                    if let Some(o) = open.pop() {
                        partner_event.insert(o, k);
                    }
                    open.push(k);
                }
                CfEvent::EndIf(_) | CfEvent::EndLoop(_) => {
                    if let Some(o) = open.pop() {
                        partner_event.insert(o, k);
                    }
                }
            }
        }
        let memory = Memory::new(s, lanes);
        let mut run = Execution {
            s,
            machine: self,
            memory,
            value_offset,
            values: vec![0; total],
            lanes,
            workgroup: [0; 3],
            prev_block: vec![Id::new(0); lanes],
            helpers: Mask::none(lanes),
            partner_event,
            layout,
            steps: 0,
        };
        let [x, y, z] = run.machine.workgroups;
        for k in 0..z.max(1) {
            for j in 0..y.max(1) {
                for i in 0..x.max(1) {
                    run.workgroup = [i, j, k];
                    run.memory.reset(s);
                    run.run_workgroup()?;
                }
            }
        }
        Ok(())
    }
}

impl Execution<'_> {
    pub(super) fn get(&self, d: Id<Def>, lane: usize) -> &[u64] {
        let n = usize::from(self.s.defs[d].num_components);
        let at = self.value_offset[d] + lane * n;
        &self.values[at..at + n]
    }

    pub(super) fn set(&mut self, d: Id<Def>, lane: usize, v: &[u64]) {
        let n = usize::from(self.s.defs[d].num_components);
        let bits = self.s.defs[d].bit_size;
        let at = self.value_offset[d] + lane * n;
        for (to, v) in self.values[at..at + n].iter_mut().zip(v) {
            *to = v & fold::mask(bits);
        }
    }

    fn run_workgroup(&mut self) -> Result<(), InterpError> {
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
                        self.run_block(b, &mut mask, &mut frames)?;
                    }
                }
                CfEvent::If(i) => {
                    let cond = self.s.ifs[i].cond;
                    let mut then = Mask::none(self.lanes);
                    for l in mask.lanes() {
                        if self.get(cond, l)[0] != 0 {
                            then.insert(l);
                        }
                    }
                    frames.push(Frame::If {
                        else_mask: mask.without(&then),
                        then_end_mask: Mask::none(self.lanes),
                    });
                    mask = then;
                }
                CfEvent::Else(_) => {
                    if let Some(Frame::If {
                        else_mask,
                        then_end_mask,
                    }) = frames.last_mut()
                    {
                        *then_end_mask = std::mem::replace(&mut mask, else_mask.clone());
                    }
                }
                CfEvent::EndIf(_) => {
                    if let Some(Frame::If { then_end_mask, .. }) = frames.pop() {
                        mask.union_with(&then_end_mask);
                    }
                }
                CfEvent::Loop(_) => {
                    if mask.is_empty() {
                        pc = self.partner_event.get(&pc).copied().unwrap_or(pc);
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
                        mask.union_with(continued);
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

    fn run_block(
        &mut self,
        b: Id<Block>,
        mask: &mut Mask,
        frames: &mut [Frame],
    ) -> Result<(), InterpError> {
        let s = self.s;
        let mut lanes = mask.lanes();
        // All phis of a block read their operands before any is written.
        let mut phis: Vec<(Id<Def>, usize, SmallVec<[u64; 4]>)> = Vec::new();
        for &id in &s.blocks[b].instrs {
            let Instr::Phi(p) = &s.instrs[id] else { break };
            for &l in &lanes {
                if let Some((_, v)) = p.srcs.iter().find(|(from, _)| *from == self.prev_block[l]) {
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
                Instr::Alu(a) => self.run_alu(a, &lanes),
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
                Instr::Deref(d) => self.run_deref(d, &lanes)?,
                Instr::Tex(t) => {
                    return Err(InterpError::Unsupported(format!(
                        "{}: no textures are bound",
                        t.op.info().name
                    )));
                }
                Instr::Intrinsic(i) => {
                    if i.op.info().effects.any(Effects::CHANGES_MASK) {
                        self.change_mask(i, &lanes, mask);
                        lanes = mask.lanes();
                        if lanes.is_empty() {
                            return Ok(());
                        }
                        continue;
                    }
                    self.run_intrinsic(i, &lanes)?;
                }
                Instr::Jump(j) => {
                    for &l in &lanes {
                        self.prev_block[l] = b;
                    }
                    let inner = frames.iter_mut().rev().find_map(|f| match f {
                        Frame::Loop {
                            broke, continued, ..
                        } => Some((broke, continued)),
                        Frame::If { .. } => None,
                    });
                    match (j, inner) {
                        (Jump::Break, Some((broke, _))) => broke.union_with(mask),
                        (Jump::Continue, Some((_, continued))) => continued.union_with(mask),
                        _ => {}
                    }
                    *mask = Mask::none(self.lanes);
                    return Ok(());
                }
            }
        }
        for &l in &lanes {
            self.prev_block[l] = b;
        }
        Ok(())
    }

    /// Executes `terminate` and `demote`, with and without a condition.
    fn change_mask(&mut self, i: &Intrinsic, lanes: &[usize], mask: &mut Mask) {
        let mut hit = Mask::none(self.lanes);
        for &l in lanes {
            if i.srcs.first().is_none_or(|d| self.get(*d, l)[0] != 0) {
                hit.insert(l);
            }
        }
        match i.op {
            IntrinsicOp::Demote | IntrinsicOp::DemoteIf => self.helpers.union_with(&hit),
            _ => *mask = mask.without(&hit),
        }
    }

    fn run_alu(&mut self, a: &Alu, lanes: &[usize]) {
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

    /// LocalInvocationIndex of a lane. With derivative group quads, each four lanes are a quad, and
    /// quads are numbered row by row.
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

    /// True if helper invocations must not execute `i`: it writes something else than their own
    /// variables.
    fn is_suppressed(&self, i: &Intrinsic) -> bool {
        let own = match i.op {
            IntrinsicOp::StoreScratch | IntrinsicOp::Barrier | IntrinsicOp::BeginInterlock => true,
            IntrinsicOp::StoreDeref | IntrinsicOp::CopyDeref => {
                self.s.deref_of(i.srcs[0]).is_some_and(|d| {
                    matches!(
                        d.mode,
                        VariableMode::FunctionTemp | VariableMode::ShaderTemp
                    )
                })
            }
            _ => false,
        };
        !own && i.op.info().effects.any(Effects::WRITES)
    }

    /// Executes an intrinsic for all of `lanes`.
    fn run_intrinsic(&mut self, i: &Intrinsic, lanes: &[usize]) -> Result<(), InterpError> {
        use IntrinsicOp as Op;
        if self.is_suppressed(i) && lanes.iter().any(|l| self.helpers.contains(*l)) {
            let alive: Vec<usize> = lanes
                .iter()
                .copied()
                .filter(|l| !self.helpers.contains(*l))
                .collect();
            return match alive.is_empty() {
                true => Ok(()),
                false => self.run_intrinsic(i, &alive),
            };
        }
        if self.try_memory_intrinsic(i, lanes)? || self.try_subgroup_intrinsic(i, lanes)? {
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
                Op::IsHelperInvocation => vec![u64::from(self.helpers.contains(l))],
                _ => return Err(InterpError::Unsupported(i.op.info().name.into())),
            };
            self.set(def, l, &v);
        }
        Ok(())
    }
}
