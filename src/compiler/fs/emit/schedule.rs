//! Instruction scheduling, and estimates of execution time.
//!
//! In:  LIR, before or after register allocation.
//! Out: the instructions of each block in an order that hides latency: before allocation while
//!      registers are free, after it by the critical path alone. [`estimate`] computes the cycles
//!      of a finished program.
//!
//! The latencies are those of a single thread, as far as published measurements and Mesa's
//! performance model for gen9 agree; only their proportions matter.

use crate::lir::live::{Interval, NO_LOOP, loops};
use crate::lir::{GRF_BYTES, Inst, Lir, Op, Reg, Vgrf, VgrfId};
use entity::IdMap;
use isa::message::{
    constant_cache, data_cache_0, data_cache_1, gateway, pixel_interpolator, sampler, urb,
};
use isa::{ArfReg, MathFn, Opcode};

/// Pressure limits that are tried in turn: beyond this number of live registers, scheduling reduces
/// pressure instead of latency.
pub(crate) const PRESSURES: [i32; 3] = [72, 40, 0];
/// Blocks longer than this keep their order before allocation.
const MAX_BLOCK: usize = 4000;

/// Cycles for which an instruction occupies the issue slot, and cycles until its result can be
/// read.
fn timing(inst: &Inst) -> (u32, u32) {
    let regs = inst
        .dst_bytes()
        .max(
            (0..inst.sources())
                .map(|i| inst.src_bytes(i))
                .max()
                .unwrap_or(0),
        )
        .div_ceil(GRF_BYTES)
        .max(1);
    match inst.op {
        Op::Eu(op) => match op {
            Opcode::If | Opcode::Else | Opcode::Endif | Opcode::While => (8, 8),
            Opcode::Break | Opcode::Cont | Opcode::Halt => (8, 8),
            Opcode::Wait => (16, 100),
            Opcode::Mad | Opcode::Lrp => (2 * regs, 16),
            // It is encoded as MUL and MACH.
            Opcode::Mach => (4 * regs, 24),
            _ => (2 * regs, 14),
        },
        Op::Math(f) => {
            let lanes = u32::from(inst.exec).div_ceil(8);
            match f {
                MathFn::IntDivBoth | MathFn::IntDivQuotient | MathFn::IntDivRemainder => {
                    (64 * lanes, 100)
                }
                MathFn::Pow | MathFn::Fdiv => (16 * lanes, 34),
                _ => (8 * lanes, 24),
            }
        }
        Op::MovIndirect => (4 * regs, 24),
        Op::Send => {
            let Some(send) = inst.send else { return (2, 2) };
            let payload = u32::from(send.mlen + send.ex_mlen);
            let issue = 4 + payload;
            let latency = match send.sfid {
                gateway::SFID => 60,
                sampler::SFID => 250,
                _ if send.is_scratch() => 120,
                _ if send.accesses_slm() => 110,
                data_cache_0::SFID | data_cache_1::SFID => 220,
                constant_cache::SFID => 170,
                _ => 60,
            };
            (issue, latency + 2 * u32::from(send.rlen))
        }
        Op::ConstantDataHandle => (2, 12),
        Op::Collect(_) | Op::Do | Op::HaltTarget => (0, 0),
    }
}

/// The effects that order an instruction besides its registers.
#[derive(Clone, Copy, PartialEq)]
enum SideEffect {
    None,
    /// Reads memory.
    Read,
    /// Writes memory.
    Write,
    /// Reads or writes scratch memory.
    Scratch,
    /// Must not be reordered with any instruction.
    Barrier,
}

fn side_effect(inst: &Inst) -> SideEffect {
    if let Some(send) = inst.send {
        if send.sfid == gateway::SFID || send.eot {
            return SideEffect::Barrier;
        }
        if send.is_scratch() {
            return SideEffect::Scratch;
        }
        // A memory fence must follow all earlier messages.
        if send.is_memory_fence() {
            return SideEffect::Barrier;
        }
        return match (send.writes, send.reads) {
            (true, _) => SideEffect::Write,
            (_, true) => SideEffect::Read,
            // It reads memory that is not written meanwhile.
            _ => SideEffect::None,
        };
    }
    let special = |r: Reg| {
        matches!(
            r,
            Reg::Arf(
                ArfReg::Control | ArfReg::State | ArfReg::Timestamp | ArfReg::Notification,
                _
            )
        )
    };
    let any = special(inst.dst.reg)
        // Message registers have no dependency tracking here.
        || matches!(inst.dst.reg, Reg::Mrf(_))
        || (0..inst.sources()).any(|i| special(inst.src[i].reg))
        || inst.op == Op::Eu(Opcode::Wait)
        || inst.dst.reg == Reg::Null && !inst.writes_flag() && !inst.is_control();
    if any {
        SideEffect::Barrier
    } else {
        SideEffect::None
    }
}

/// A numbering of the resources that carry dependencies: registers (GRFs, or the registers of VGRFs
/// before allocation), then the four flag subregisters, then a0.
struct Resources<'a> {
    /// Before allocation the number of each VGRF's first register.
    base: Vec<u32>,
    /// After allocation the first GRF of each VGRF.
    reg: Option<&'a IdMap<Vgrf, u8>>,
    /// Number of the first flag subregister.
    flags: usize,
    /// Number of a0.
    address: usize,
    count: usize,
}

impl<'a> Resources<'a> {
    fn new(lir: &Lir, reg: Option<&'a IdMap<Vgrf, u8>>) -> Resources<'a> {
        let mut base = Vec::new();
        let mut count = 128;
        if reg.is_none() {
            count = 0;
            base.reserve(lir.vgrfs.len());
            for (_, v) in lir.vgrfs.iter() {
                base.push(count as u32);
                count += usize::from(v.regs);
            }
        }
        Resources {
            base,
            reg,
            flags: count,
            address: count + 4,
            count: count + 5,
        }
    }

    /// The registers of a range of bytes of a VGRF.
    fn range(&self, v: VgrfId, offset: u32, bytes: u32) -> std::ops::Range<usize> {
        let first = match self.reg {
            Some(reg) => usize::from(reg[v]),
            None => self.base[v.index()] as usize,
        };
        let start = first + (offset / GRF_BYTES) as usize;
        start..first + ((offset + bytes.max(1)).div_ceil(GRF_BYTES)) as usize
    }

    fn for_each_read(&self, lir: &Lir, inst: &Inst, mut f: impl FnMut(usize)) {
        for i in 0..inst.sources() {
            let s = &inst.src[i];
            match s.reg {
                Reg::Vgrf(v) if inst.op == Op::MovIndirect && i == 0 => {
                    let all = u32::from(lir.vgrfs[v].regs) * GRF_BYTES;
                    self.range(v, 0, all).for_each(&mut f);
                }
                Reg::Vgrf(v) if inst.src_bytes(i) > 0 => {
                    self.range(v, s.offset, inst.src_bytes(i)).for_each(&mut f);
                }
                Reg::Arf(ArfReg::Flag, _) => (self.flags..self.address).for_each(&mut f),
                Reg::Arf(ArfReg::Address, _) => f(self.address),
                _ => {}
            }
        }
        if inst.pred.is_some() {
            self.for_each_flag(inst, &mut f);
        }
    }

    fn for_each_write(&self, inst: &Inst, mut f: impl FnMut(usize)) {
        match inst.dst.reg {
            Reg::Vgrf(v) if inst.dst_bytes() > 0 => {
                self.range(v, inst.dst.offset, inst.dst_bytes())
                    .for_each(&mut f);
            }
            Reg::Arf(ArfReg::Flag, _) => (self.flags..self.address).for_each(&mut f),
            Reg::Arf(ArfReg::Address, _) => f(self.address),
            _ => {}
        }
        if inst.writes_flag() {
            self.for_each_flag(inst, &mut f);
        }
    }

    fn for_each_flag(&self, inst: &Inst, mut f: impl FnMut(usize)) {
        let bits = inst.flag_bits();
        for word in 0..4 {
            if bits >> (16 * word) & 0xffff != 0 {
                f(self.flags + word);
            }
        }
    }
}

/// The dependency graph of a block.
struct DependencyGraph {
    nodes: Vec<Node>,
    /// The edges of all nodes, as linked lists.
    edges: Vec<Edge>,
}

/// An instruction of a block.
struct Node {
    /// The first and the last outgoing edge, as indices of [`DependencyGraph::edges`].
    first: u32,
    last: u32,
    /// Number of incoming edges from instructions that are not scheduled yet.
    preds: u32,
    /// Cycles of the longest path to the end of the block.
    height: u32,
    /// From [`timing`].
    issue: u32,
    latency: u32,
}

struct Edge {
    to: u32,
    latency: u32,
    /// The next edge of the same node, or [`NONE`].
    next: u32,
}

impl DependencyGraph {
    fn new(block: &[Inst]) -> DependencyGraph {
        let node = |inst| {
            let (issue, latency) = timing(inst);
            Node {
                first: NONE,
                last: NONE,
                preds: 0,
                height: 0,
                issue,
                latency,
            }
        };
        DependencyGraph {
            nodes: block.iter().map(node).collect(),
            edges: Vec::with_capacity(4 * block.len()),
        }
    }

    fn add_edge(&mut self, from: u32, to: usize, latency: u32) {
        if from as usize == to {
            return;
        }
        let edge = self.edges.len() as u32;
        self.edges.push(Edge {
            to: to as u32,
            latency,
            next: NONE,
        });
        self.nodes[to].preds += 1;
        let node = &mut self.nodes[from as usize];
        match std::mem::replace(&mut node.last, edge) {
            NONE => node.first = edge,
            last => self.edges[last as usize].next = edge,
        }
    }

    /// An edge to an instruction that waits for the result of `from`.
    fn add_result_edge(&mut self, from: u32, to: usize) {
        self.add_edge(from, to, self.nodes[from as usize].latency);
    }
}

/// The accesses to each resource so far in a block. The memory is reused for all blocks.
struct AccessTracker {
    /// The last writer of each resource.
    writer: Vec<u32>,
    /// The last reader since that write, as an index of `readers`.
    reader: Vec<u32>,
    /// Readers, and the index of the previous reader of the same resource.
    readers: Vec<(u32, u32)>,
    /// The resources accessed in the block.
    touched: Vec<usize>,
}

/// No edge, instruction or reader.
const NONE: u32 = u32::MAX;

/// Builds the dependency graph of a block.
fn build_graph(
    lir: &Lir,
    block: &[Inst],
    resources: &Resources<'_>,
    t: &mut AccessTracker,
) -> DependencyGraph {
    let mut g = DependencyGraph::new(block);
    let mut last_barrier = NONE;
    let mut last_write = NONE;
    let mut last_scratch = NONE;
    let mut reads: Vec<u32> = Vec::new();
    for (k, inst) in block.iter().enumerate() {
        let me = k as u32;
        if last_barrier != NONE {
            g.add_result_edge(last_barrier, k);
        }
        resources.for_each_read(lir, inst, |r| {
            if t.writer[r] != NONE {
                g.add_result_edge(t.writer[r], k);
            }
            t.touched.push(r);
            let before = std::mem::replace(&mut t.reader[r], t.readers.len() as u32);
            t.readers.push((me, before));
        });
        resources.for_each_write(inst, |r| {
            if t.writer[r] != NONE {
                g.add_result_edge(t.writer[r], k);
            }
            let mut next = std::mem::replace(&mut t.reader[r], NONE);
            while let Some(&(reader, before)) = t.readers.get(next as usize) {
                g.add_edge(reader, k, 2);
                next = before;
            }
            t.touched.push(r);
            t.writer[r] = me;
        });
        match side_effect(inst) {
            SideEffect::None => {}
            SideEffect::Read => {
                if last_write != NONE {
                    g.add_edge(last_write, k, 4);
                }
                reads.push(me);
            }
            SideEffect::Write => {
                if last_write != NONE {
                    g.add_edge(last_write, k, 4);
                }
                for r in reads.drain(..) {
                    g.add_edge(r, k, 4);
                }
                last_write = me;
            }
            SideEffect::Scratch => {
                if last_scratch != NONE {
                    g.add_edge(last_scratch, k, 4);
                }
                last_scratch = me;
            }
            SideEffect::Barrier => {
                let first = if last_barrier == NONE {
                    0
                } else {
                    last_barrier + 1
                };
                for before in first..me {
                    g.add_edge(before, k, g.nodes[before as usize].issue);
                }
                last_barrier = me;
                last_write = NONE;
                reads.clear();
            }
        }
    }
    for r in t.touched.drain(..) {
        t.writer[r] = NONE;
        t.reader[r] = NONE;
    }
    t.readers.clear();
    for k in (0..block.len()).rev() {
        let mut height = g.nodes[k].issue;
        let mut next = g.nodes[k].first;
        while let Some(edge) = g.edges.get(next as usize) {
            height = height.max(g.nodes[edge.to as usize].height + edge.latency);
            next = edge.next;
        }
        g.nodes[k].height = height;
    }
    g
}

/// The ranges of instructions (first, end) between control-flow instructions.
fn blocks(lir: &Lir) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, inst) in lir.insts.iter().enumerate() {
        if inst.is_control() {
            if at > start {
                out.push((start, at));
            }
            start = at + 1;
        }
    }
    if lir.insts.len() > start {
        out.push((start, lir.insts.len()));
    }
    out
}

/// The register pressure while a block is scheduled, before allocation.
struct Pressure<'a> {
    live: &'a IdMap<Vgrf, Interval>,
    /// For each VGRF the reads in the block that are not scheduled yet.
    reads_left: IdMap<Vgrf, u32>,
    /// Number of live registers.
    now: i32,
    /// The positions of the block, as in [`Interval`].
    first: u32,
    end: u32,
    /// VGRFs that are live at the start of the block, or whose definition is scheduled.
    defined: IdMap<Vgrf, bool>,
}

impl Pressure<'_> {
    /// Begins a block.
    fn enter(&mut self, block: &[Inst], start: usize) {
        self.first = 2 * start as u32;
        self.end = 2 * (start + block.len()) as u32;
        for inst in block {
            for i in 0..inst.sources() {
                if let Some(v) = inst.src[i].as_vgrf() {
                    self.reads_left[v] = 0;
                    self.defined[v] = self.live[v].start < self.first;
                }
            }
            if let Some(v) = inst.dst.as_vgrf() {
                self.reads_left[v] = 0;
                self.defined[v] = self.live[v].start < self.first;
            }
        }
        for inst in block {
            for i in 0..inst.sources() {
                if let Some(v) = inst.src[i].as_vgrf() {
                    self.reads_left[v] += 1;
                }
            }
        }
    }

    /// The change of the number of live registers if the instruction is scheduled next.
    fn change(&self, lir: &Lir, inst: &Inst) -> i32 {
        let mut sum = 0;
        if let Some(v) = inst.dst.as_vgrf()
            && !self.defined[v]
        {
            sum += i32::from(lir.vgrfs[v].regs);
        }
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf() {
                let again = (0..i).any(|j| inst.src[j].as_vgrf() == Some(v));
                let count = (0..inst.sources())
                    .filter(|j| inst.src[*j].as_vgrf() == Some(v))
                    .count() as u32;
                if !again && self.reads_left[v] == count && self.live[v].end < self.end {
                    sum -= i32::from(lir.vgrfs[v].regs);
                }
            }
        }
        sum
    }

    fn schedule(&mut self, lir: &Lir, inst: &Inst) {
        self.now += self.change(lir, inst);
        if let Some(v) = inst.dst.as_vgrf() {
            self.defined[v] = true;
        }
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf() {
                self.reads_left[v] = self.reads_left[v].saturating_sub(1);
            }
        }
    }
}

/// The choice among ready instructions while the register pressure is too high.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum PressureHeuristic {
    /// The instruction that frees most registers, or allocates fewest.
    Greedy,
    /// The instruction that frees most registers, or the first one in source order if none frees
    /// any. The greedy choice may be bad: it computes the addresses of many loads before the one
    /// that makes registers free again.
    SourceOrder,
}

/// Schedules the blocks before register allocation. While more than `pressure` registers are live,
/// `heuristic` reduces them.
pub(crate) fn before_allocation(
    lir: &mut Lir,
    live: &IdMap<Vgrf, Interval>,
    pressure: i32,
    heuristic: PressureHeuristic,
) {
    let resources = Resources::new(lir, None);
    let mut t = AccessTracker::new(&resources, lir.insts.len());
    // The number of live registers at each position.
    let mut change = vec![0i32; 2 * lir.insts.len() + 3];
    for (v, vgrf) in lir.vgrfs.iter() {
        if live[v].is_used() {
            change[live[v].start as usize] += i32::from(vgrf.regs);
            change[live[v].end as usize + 1] -= i32::from(vgrf.regs);
        }
    }
    let mut now = 0;
    for c in &mut change {
        now += *c;
        *c = now;
    }
    let mut p = Pressure {
        live,
        reads_left: IdMap::for_arena(&lir.vgrfs, 0),
        now: 0,
        first: 0,
        end: 0,
        defined: IdMap::for_arena(&lir.vgrfs, false),
    };
    for (start, end) in blocks(lir) {
        if end - start < 3 || end - start > MAX_BLOCK {
            continue;
        }
        let block: Vec<Inst> = lir.insts[start..end].to_vec();
        let g = build_graph(lir, &block, &resources, &mut t);
        p.enter(&block, start);
        p.now = if start == 0 { 0 } else { change[2 * start - 1] };
        let order = list_schedule(g, |ready, time| {
            if p.now > pressure {
                // Ties are broken by source order.
                let max = match heuristic {
                    PressureHeuristic::Greedy => i32::MAX,
                    PressureHeuristic::SourceOrder => 1,
                };
                let change = |r: &Ready| p.change(lir, &block[r.node as usize]).min(max);
                let all = ready.iter().enumerate();
                let best = all.min_by_key(|(_, r)| (change(r), r.node));
                let at = best.map_or(0, |b| b.0);
                p.schedule(lir, &block[ready[at].node as usize]);
                return at;
            }
            let at = pick_critical(ready, time);
            p.schedule(lir, &block[ready[at].node as usize]);
            at
        });
        for (k, node) in order.into_iter().enumerate() {
            lir.insts[start + k] = block[node as usize];
        }
    }
}

/// Schedules the blocks after register allocation; `reg` is the first GRF of each VGRF. Indirect
/// moves with an equal address follow one another, as the encoder computes the address once for
/// them.
pub(crate) fn after_allocation(lir: &mut Lir, reg: &IdMap<Vgrf, u8>) {
    let resources = Resources::new(lir, Some(reg));
    let mut t = AccessTracker::new(&resources, lir.insts.len());
    for (start, end) in blocks(lir) {
        if end - start < 3 {
            continue;
        }
        let block: Vec<Inst> = lir.insts[start..end].to_vec();
        let g = build_graph(lir, &block, &resources, &mut t);
        let mut last: Option<u32> = None;
        let order = list_schedule(g, |ready, time| {
            let indirect = last.map(|last| &block[last as usize]);
            let indirect = indirect.filter(|last| last.op == Op::MovIndirect);
            let same = indirect.and_then(|last| {
                let shares = |r: &Ready| shares_address(last, &block[r.node as usize]);
                ready.iter().position(|r| r.at <= time && shares(r))
            });
            let at = same.unwrap_or_else(|| pick_critical(ready, time));
            last = Some(ready[at].node);
            at
        });
        for (k, node) in order.into_iter().enumerate() {
            lir.insts[start + k] = block[node as usize];
        }
    }
}

/// True if `b` is an indirect move that can use the value of a0 computed for the indirect move `a`.
fn shares_address(a: &Inst, b: &Inst) -> bool {
    let address = |i: &Inst| (i.src[1], i.exec, i.group, i.no_mask);
    b.op == Op::MovIndirect && address(a) == address(b)
}

impl AccessTracker {
    /// A tracker with capacity for `insts` instructions.
    fn new(resources: &Resources<'_>, insts: usize) -> AccessTracker {
        AccessTracker {
            writer: vec![NONE; resources.count],
            reader: vec![NONE; resources.count],
            readers: Vec::with_capacity(4 * insts),
            touched: Vec::with_capacity(4 * insts),
        }
    }
}

/// An instruction all of whose predecessors are scheduled.
#[derive(Clone, Copy)]
struct Ready {
    node: u32,
    /// The cycle at which its operands are available.
    at: u32,
    height: u32,
}

/// Of the instructions that can start first, the one with the longest path to the end of the block.
fn pick_critical(ready: &[Ready], time: u32) -> usize {
    let best = ready.iter().enumerate().min_by_key(|(_, r)| {
        let wait = r.at.saturating_sub(time);
        (wait, u32::MAX - r.height, r.node)
    });
    best.map_or(0, |b| b.0)
}

/// List scheduling: `pick` chooses among the ready instructions at a cycle. Returns the order of
/// the nodes.
fn list_schedule(g: DependencyGraph, mut pick: impl FnMut(&[Ready], u32) -> usize) -> Vec<u32> {
    let DependencyGraph { mut nodes, edges } = g;
    let n = nodes.len();
    let mut at = vec![0u32; n];
    let first = nodes.iter().zip(0u32..).filter(|(node, _)| node.preds == 0);
    let mut ready: Vec<Ready> = first
        .map(|(node, k)| Ready {
            node: k,
            at: 0,
            height: node.height,
        })
        .collect();
    let mut order = Vec::with_capacity(n);
    let mut time = 0;
    while !ready.is_empty() {
        let chosen = pick(&ready, time).min(ready.len() - 1);
        let r = ready.swap_remove(chosen);
        let k = r.node as usize;
        let start = time.max(r.at);
        order.push(r.node);
        let mut next = nodes[k].first;
        while let Some(edge) = edges.get(next as usize) {
            next = edge.next;
            let s = edge.to as usize;
            at[s] = at[s].max(start + edge.latency);
            let node = &mut nodes[s];
            node.preds -= 1;
            if node.preds == 0 {
                ready.push(Ready {
                    node: edge.to,
                    at: at[s],
                    height: node.height,
                });
            }
        }
        time = start + nodes[k].issue;
    }
    debug_assert_eq!(order.len(), n);
    order
}

/// Cycles for which an instruction occupies one of the two FPUs, and cycles for which that must be
/// the FPU with the math functions. Messages and branches occupy neither.
///
/// Ref: "The Compute Architecture of Intel Processor Graphics Gen9", "SIMD FPUs": four lanes of 32
///      bits per cycle each; for math functions Mesa's model of gen9 (`brw_ir_performance.cpp`).
fn fpu_cycles(inst: &Inst, issue: u32) -> (u32, u32) {
    match inst.op {
        Op::Eu(Opcode::Pln) => (4 * u32::from(inst.exec).div_ceil(8), 0),
        Op::Eu(op) if !op.is_branch() && op != Opcode::Wait => {
            (if op == Opcode::Lrp { 2 * issue } else { issue }, 0)
        }
        Op::MovIndirect => (issue, 0),
        Op::Math(f) => {
            let eights = u32::from(inst.exec).div_ceil(8);
            let cycles = eights
                * match f {
                    MathFn::IntDivBoth | MathFn::IntDivQuotient | MathFn::IntDivRemainder => 26,
                    MathFn::Pow | MathFn::Fdiv => 8,
                    _ => 4,
                };
            (cycles, cycles)
        }
        _ => (0, 0),
    }
}

/// Cycles from one SIMD8 message to the next of the same shared function, from Mesa's model of gen9
/// (`brw_ir_performance.cpp`), which calls most of these numbers guesses.
fn message_interval(sfid: u8) -> u32 {
    match sfid {
        sampler::SFID | constant_cache::SFID => 16,
        data_cache_0::SFID | data_cache_1::SFID => 20,
        pixel_interpolator::SFID => 14,
        urb::SFID => 6,
        _ => 0,
    }
}

/// The estimated cost of one thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Estimate {
    /// Cycles from start to end, if the thread is alone on its EU.
    pub cycles: u64,
    /// Cycles for which it occupies the issue slot of the EU.
    pub issue: u64,
    /// Cycles that the two FPUs of the EU need for it, if other threads keep the FPU busy that it
    /// does not use.
    pub work: u64,
    /// It contains an IF.
    pub branches: bool,
}

impl Estimate {
    /// Cycles of an EU for each of `threads` threads that run on it at once: either the FPUs are
    /// always busy, or the latency of a thread is divided among all of them.
    pub fn cycles_per_thread(&self, threads: u64) -> u64 {
        self.work.max(self.cycles / threads.max(1))
    }
}

/// Estimates the cost of a thread. Each loop is assumed to have ten iterations.
pub(crate) fn estimate(lir: &Lir, reg: &IdMap<Vgrf, u8>) -> Estimate {
    let resources = Resources::new(lir, Some(reg));
    let loops = loops(lir);
    // The cycle at which each resource is available.
    let mut available = vec![0u64; resources.count];
    let mut time = 0u64;
    let mut total = Estimate::default();
    let mut weight = 1u64;
    let mut here = NO_LOOP;
    let mut next = 0;
    // The cycle at which each shared function accepts the next message.
    let mut functions = [0u64; 16];
    let (mut any_fpu, mut math_fpu) = (0u64, 0u64);
    for inst in &lir.insts {
        if inst.op == Op::Do {
            here = next;
            next += 1;
            weight = 10u64.saturating_pow(loops[here as usize].depth.min(6));
        }
        let (issue, latency) = timing(inst);
        let mut start = time;
        resources.for_each_read(lir, inst, |r| start = start.max(available[r]));
        resources.for_each_write(inst, |r| start = start.max(available[r]));
        let mut ready = start + u64::from(latency);
        if let Some(send) = inst.send {
            let free = &mut functions[usize::from(send.sfid & 15)];
            ready += free.saturating_sub(start);
            let interval = message_interval(send.sfid) * u32::from(inst.exec).div_ceil(8);
            *free = start.max(*free) + u64::from(interval);
        }
        resources.for_each_write(inst, |r| available[r] = ready);
        total.branches |= inst.op == Op::Eu(Opcode::If);
        let (any, math) = fpu_cycles(inst, issue);
        any_fpu += u64::from(any) * weight;
        math_fpu += u64::from(math) * weight;
        total.cycles += (start + u64::from(issue) - time) * weight;
        total.issue += u64::from(issue) * weight;
        time = start + u64::from(issue);
        if inst.op == Op::Eu(Opcode::While) && here != NO_LOOP {
            here = loops[here as usize].parent;
            weight = if here == NO_LOOP {
                1
            } else {
                10u64.saturating_pow(loops[here as usize].depth.min(6))
            };
        }
    }
    total.work = any_fpu.div_ceil(2).max(math_fpu);
    total
}

#[cfg(test)]
mod tests;
