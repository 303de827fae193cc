//! Orders the instructions of each block, and estimates how long they take.
//!
//! In:  LIR, before allocation (no registers) or after it.
//! Out: the same instructions in an order that hides latency: before allocation as long as registers are left, after it by
//!      the critical path alone. [`estimate`] walks a finished program and counts.
//! The figures are those of one thread with the unit to itself, as far as published measurements and Mesa's
//! performance model for gen9 agree; only their proportions matter.

use crate::lir::live::{Interval, NO_LOOP, loops};
use crate::lir::message;
use crate::lir::{GRF_BYTES, Inst, Lir, Op, Reg, Vgrf, VgrfId};
use entity::IdMap;
use isa::{ArfReg, MathFn, Opcode};

/// Registers in use beyond which the orders before allocation save registers, the first of them that fits being taken.
pub(crate) const PRESSURES: [i32; 3] = [72, 40, 0];
/// Blocks longer than this keep their order before allocation.
const MAX_BLOCK: usize = 4000;

/// Cycles that an instruction occupies the issue slot, and until its result can be read.
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
            // Two instructions, one after the other.
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
                message::SFID_GATEWAY => 60,
                message::SFID_SAMPLER => 250,
                message::SFID_DC0 if send.desc >> 18 & 1 == 1 => 120,
                message::SFID_DC0 | message::SFID_DC1 if send.desc & 0xff == message::BTI_SLM => {
                    110
                }
                message::SFID_DC0 | message::SFID_DC1 => 220,
                message::SFID_CONSTANT_CACHE => 170,
                _ => 60,
            };
            (issue, latency + 2 * u32::from(send.rlen))
        }
        Op::ConstantDataHandle => (2, 12),
        Op::Collect(_) | Op::Do | Op::HaltTarget => (0, 0),
    }
}

/// What an instruction depends on besides registers.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    None,
    /// Reads memory.
    Read,
    /// Writes memory.
    Write,
    /// Moves registers to or from scratch.
    Scratch,
    /// Nothing passes it.
    All,
}

fn order_of(inst: &Inst) -> Order {
    if let Some(send) = inst.send {
        if send.sfid == message::SFID_GATEWAY || send.eot {
            return Order::All;
        }
        if send.sfid == message::SFID_DC0 && send.desc >> 18 & 1 == 1 {
            return Order::Scratch;
        }
        // A fence answers nothing, but everything before it must be done.
        if send.sfid == message::SFID_DC0 && send.desc >> 14 & 0x1f == 7 {
            return Order::All;
        }
        return match (send.writes, send.reads) {
            (true, _) => Order::Write,
            (_, true) => Order::Read,
            // Nobody writes there.
            _ => Order::None,
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
        // The message that reads it stays behind.
        || matches!(inst.dst.reg, Reg::Mrf(_))
        || (0..inst.sources()).any(|i| special(inst.src[i].reg))
        || inst.op == Op::Eu(Opcode::Wait)
        || inst.dst.reg == Reg::Null && !inst.writes_flag() && !inst.is_control();
    if any { Order::All } else { Order::None }
}

/// Numbers of the things that dependencies go through: registers, then four words of flags, then a0.
struct Units<'a> {
    base: Vec<u32>,
    reg: Option<&'a IdMap<Vgrf, u8>>,
    flags: usize,
    address: usize,
    count: usize,
}

impl<'a> Units<'a> {
    fn new(lir: &Lir, reg: Option<&'a IdMap<Vgrf, u8>>) -> Units<'a> {
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
        Units {
            base,
            reg,
            flags: count,
            address: count + 4,
            count: count + 5,
        }
    }

    fn range(&self, v: VgrfId, offset: u32, bytes: u32) -> std::ops::Range<usize> {
        let first = match self.reg {
            Some(reg) => usize::from(reg[v]),
            None => self.base[v.index()] as usize,
        };
        let start = first + (offset / GRF_BYTES) as usize;
        start..first + ((offset + bytes.max(1)).div_ceil(GRF_BYTES)) as usize
    }

    fn reads(&self, lir: &Lir, inst: &Inst, mut f: impl FnMut(usize)) {
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
            self.flag_words(inst, &mut f);
        }
    }

    fn writes(&self, inst: &Inst, mut f: impl FnMut(usize)) {
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
            self.flag_words(inst, &mut f);
        }
    }

    fn flag_words(&self, inst: &Inst, mut f: impl FnMut(usize)) {
        let bits = inst.flag_bits();
        for word in 0..4 {
            if bits >> (16 * word) & 0xffff != 0 {
                f(self.flags + word);
            }
        }
    }
}

/// The dependencies within a block.
struct Graph {
    nodes: Vec<Node>,
    /// The edges of all nodes.
    edges: Vec<Edge>,
}

/// An instruction of a block.
struct Node {
    /// Edges to those that wait for it, as places in [`Graph::edges`]: the first and the last.
    first: u32,
    last: u32,
    /// Edges that lead here.
    preds: u32,
    height: u32,
    /// What [`timing`] says.
    issue: u32,
    latency: u32,
}

struct Edge {
    to: u32,
    latency: u32,
    /// The next of the same node, or [`NOBODY`].
    next: u32,
}

impl Graph {
    fn new(block: &[Inst]) -> Graph {
        let node = |inst| {
            let (issue, latency) = timing(inst);
            Node {
                first: NOBODY,
                last: NOBODY,
                preds: 0,
                height: 0,
                issue,
                latency,
            }
        };
        Graph {
            nodes: block.iter().map(node).collect(),
            edges: Vec::with_capacity(4 * block.len()),
        }
    }

    fn edge(&mut self, from: u32, to: usize, latency: u32) {
        if from as usize == to {
            return;
        }
        let edge = self.edges.len() as u32;
        self.edges.push(Edge {
            to: to as u32,
            latency,
            next: NOBODY,
        });
        self.nodes[to].preds += 1;
        let node = &mut self.nodes[from as usize];
        match std::mem::replace(&mut node.last, edge) {
            NOBODY => node.first = edge,
            last => self.edges[last as usize].next = edge,
        }
    }

    /// An edge to who needs the result.
    fn result(&mut self, from: u32, to: usize) {
        self.edge(from, to, self.nodes[from as usize].latency);
    }
}

/// Scratch space for building graphs, kept from block to block.
struct Trackers {
    /// Last writer of each unit.
    writer: Vec<u32>,
    /// The last of its readers since, as a place in `readers`.
    reader: Vec<u32>,
    /// Readers, and the place of the one before of the same unit.
    readers: Vec<(u32, u32)>,
    touched: Vec<usize>,
}

const NOBODY: u32 = u32::MAX;

fn graph(lir: &Lir, block: &[Inst], units: &Units<'_>, t: &mut Trackers) -> Graph {
    let mut g = Graph::new(block);
    let mut last_all = NOBODY;
    let mut last_write = NOBODY;
    let mut last_scratch = NOBODY;
    let mut reads: Vec<u32> = Vec::new();
    for (k, inst) in block.iter().enumerate() {
        let me = k as u32;
        if last_all != NOBODY {
            g.result(last_all, k);
        }
        units.reads(lir, inst, |u| {
            if t.writer[u] != NOBODY {
                g.result(t.writer[u], k);
            }
            t.touched.push(u);
            let before = std::mem::replace(&mut t.reader[u], t.readers.len() as u32);
            t.readers.push((me, before));
        });
        units.writes(inst, |u| {
            if t.writer[u] != NOBODY {
                g.result(t.writer[u], k);
            }
            let mut next = std::mem::replace(&mut t.reader[u], NOBODY);
            while let Some(&(reader, before)) = t.readers.get(next as usize) {
                g.edge(reader, k, 2);
                next = before;
            }
            t.touched.push(u);
            t.writer[u] = me;
        });
        match order_of(inst) {
            Order::None => {}
            Order::Read => {
                if last_write != NOBODY {
                    g.edge(last_write, k, 4);
                }
                reads.push(me);
            }
            Order::Write => {
                if last_write != NOBODY {
                    g.edge(last_write, k, 4);
                }
                for r in reads.drain(..) {
                    g.edge(r, k, 4);
                }
                last_write = me;
            }
            Order::Scratch => {
                if last_scratch != NOBODY {
                    g.edge(last_scratch, k, 4);
                }
                last_scratch = me;
            }
            Order::All => {
                let first = if last_all == NOBODY { 0 } else { last_all + 1 };
                for before in first..me {
                    g.edge(before, k, g.nodes[before as usize].issue);
                }
                last_all = me;
                last_write = NOBODY;
                reads.clear();
            }
        }
    }
    for u in t.touched.drain(..) {
        t.writer[u] = NOBODY;
        t.reader[u] = NOBODY;
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

/// Where blocks begin and end: control flow stands between them.
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

/// Registers as they come and go in a block, before allocation.
struct Pressure<'a> {
    live: &'a IdMap<Vgrf, Interval>,
    /// Reads still to come in the block.
    left: IdMap<Vgrf, u32>,
    now: i32,
    first: u32,
    end: u32,
    /// VGRFs that the block has made or found.
    here: IdMap<Vgrf, bool>,
}

impl Pressure<'_> {
    fn enter(&mut self, block: &[Inst], start: usize) {
        self.first = 2 * start as u32;
        self.end = 2 * (start + block.len()) as u32;
        for inst in block {
            for i in 0..inst.sources() {
                if let Some(v) = inst.src[i].as_vgrf() {
                    self.left[v] = 0;
                    self.here[v] = self.live[v].start < self.first;
                }
            }
            if let Some(v) = inst.dst.as_vgrf() {
                self.left[v] = 0;
                self.here[v] = self.live[v].start < self.first;
            }
        }
        for inst in block {
            for i in 0..inst.sources() {
                if let Some(v) = inst.src[i].as_vgrf() {
                    self.left[v] += 1;
                }
            }
        }
    }

    /// Registers that executing the instruction takes, less those it gives back.
    fn change(&self, lir: &Lir, inst: &Inst) -> i32 {
        let mut sum = 0;
        if let Some(v) = inst.dst.as_vgrf()
            && !self.here[v]
        {
            sum += i32::from(lir.vgrfs[v].regs);
        }
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf() {
                let again = (0..i).any(|j| inst.src[j].as_vgrf() == Some(v));
                let count = (0..inst.sources())
                    .filter(|j| inst.src[*j].as_vgrf() == Some(v))
                    .count() as u32;
                if !again && self.left[v] == count && self.live[v].end < self.end {
                    sum -= i32::from(lir.vgrfs[v].regs);
                }
            }
        }
        sum
    }

    fn execute(&mut self, lir: &Lir, inst: &Inst) {
        self.now += self.change(lir, inst);
        if let Some(v) = inst.dst.as_vgrf() {
            self.here[v] = true;
        }
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf() {
                self.left[v] = self.left[v].saturating_sub(1);
            }
        }
    }
}

/// What saves registers.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Saving {
    /// The instruction that frees most, or takes least.
    Least,
    /// The instruction that frees most; where none does, the written order. What takes least may be taken in vain: addresses of many
    /// loads, before the one behind which registers are free again.
    Written,
}

/// Orders the blocks before allocation. Beyond so many registers in use, registers are saved.
pub(crate) fn before_allocation(
    lir: &mut Lir,
    live: &IdMap<Vgrf, Interval>,
    pressure: i32,
    saving: Saving,
) {
    let units = Units::new(lir, None);
    let mut t = trackers(&units, lir.insts.len());
    // Registers live where each block begins.
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
        left: IdMap::for_arena(&lir.vgrfs, 0),
        now: 0,
        first: 0,
        end: 0,
        here: IdMap::for_arena(&lir.vgrfs, false),
    };
    for (start, end) in blocks(lir) {
        if end - start < 3 || end - start > MAX_BLOCK {
            continue;
        }
        let block: Vec<Inst> = lir.insts[start..end].to_vec();
        let g = graph(lir, &block, &units, &mut t);
        p.enter(&block, start);
        p.now = if start == 0 { 0 } else { change[2 * start - 1] };
        let order = list(g, |ready, time| {
            if p.now > pressure {
                // Too many registers; among equals the written order.
                let most = if saving == Saving::Least { i32::MAX } else { 1 };
                let change = |r: &Ready| p.change(lir, &block[r.node as usize]).min(most);
                let all = ready.iter().enumerate();
                let best = all.min_by_key(|(_, r)| (change(r), r.node));
                let at = best.map_or(0, |b| b.0);
                p.execute(lir, &block[ready[at].node as usize]);
                return at;
            }
            let at = by_height(ready, time);
            p.execute(lir, &block[ready[at].node as usize]);
            at
        });
        for (k, node) in order.into_iter().enumerate() {
            lir.insts[start + k] = block[node as usize];
        }
    }
}

/// Orders the blocks after allocation.
pub(crate) fn after_allocation(lir: &mut Lir, reg: &IdMap<Vgrf, u8>) {
    let units = Units::new(lir, Some(reg));
    let mut t = trackers(&units, lir.insts.len());
    for (start, end) in blocks(lir) {
        if end - start < 3 {
            continue;
        }
        let block: Vec<Inst> = lir.insts[start..end].to_vec();
        let g = graph(lir, &block, &units, &mut t);
        let mut last: Option<u32> = None;
        let order = list(g, |ready, time| {
            let by_address = last.map(|last| &block[last as usize]);
            let by_address = by_address.filter(|last| last.op == Op::MovIndirect);
            let same = by_address.and_then(|last| {
                let beside = |r: &Ready| shares_address(last, &block[r.node as usize]);
                ready.iter().position(|r| r.at <= time && beside(r))
            });
            let at = same.unwrap_or_else(|| by_height(ready, time));
            last = Some(ready[at].node);
            at
        });
        for (k, node) in order.into_iter().enumerate() {
            lir.insts[start + k] = block[node as usize];
        }
    }
}

/// True if a0, made for a read by it, serves another instruction.
fn shares_address(a: &Inst, b: &Inst) -> bool {
    let made = |i: &Inst| (i.src[1], i.exec, i.group, i.no_mask);
    b.op == Op::MovIndirect && made(a) == made(b)
}

/// For graphs of so many instructions, or of blocks of them.
fn trackers(units: &Units<'_>, insts: usize) -> Trackers {
    Trackers {
        writer: vec![NOBODY; units.count],
        reader: vec![NOBODY; units.count],
        readers: Vec::with_capacity(4 * insts),
        touched: Vec::with_capacity(4 * insts),
    }
}

/// An instruction all of whose predecessors are placed.
#[derive(Clone, Copy)]
struct Ready {
    node: u32,
    /// When its operands are there.
    at: u32,
    height: u32,
}

/// The longest way to the end among those that can start now; else the one that can start first.
fn by_height(ready: &[Ready], time: u32) -> usize {
    let best = ready.iter().enumerate().min_by_key(|(_, r)| {
        let wait = r.at.saturating_sub(time);
        (wait, u32::MAX - r.height, r.node)
    });
    best.map_or(0, |b| b.0)
}

/// List scheduling: `pick` chooses among the ready.
fn list(g: Graph, mut pick: impl FnMut(&[Ready], u32) -> usize) -> Vec<u32> {
    let Graph { mut nodes, edges } = g;
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

/// Cycles in which an instruction keeps one of the two FPUs busy, and those in which it can only be the one that has the math functions.
/// Messages and branches need neither.
///
/// Ref: "The Compute Architecture of Intel Processor Graphics Gen9", "SIMD FPUs": four lanes of 32 bits a cycle each; of functions what
/// Mesa's model of gen9 has (`brw_ir_performance.cpp`).
fn work(inst: &Inst, issue: u32) -> (u32, u32) {
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

/// Cycles from one message of eight lanes to the next of the same shared function: what Mesa's model of gen9 has
/// (`brw_ir_performance.cpp`), most of it by its own word a guess.
fn pace(sfid: u8) -> u32 {
    match sfid {
        message::SFID_SAMPLER | message::SFID_CONSTANT_CACHE => 16,
        message::SFID_DC0 | message::SFID_DC1 => 20,
        message::SFID_PIXEL_INTERPOLATOR => 14,
        message::SFID_URB => 6,
        _ => 0,
    }
}

/// What one run of a thread costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Estimate {
    /// Cycles from start to end, alone on its EU.
    pub cycles: u64,
    /// Cycles in which it occupies the EU.
    pub issue: u64,
    /// Cycles in which the EU's two FPUs can do what it computes, if another thread always has work for the other one.
    pub work: u64,
    /// It has branches that not all lanes need take.
    pub branches: bool,
}

impl Estimate {
    /// Cycles of an EU for a thread, if so many run on it at once: the others work while one waits, as far as they have work.
    pub fn shared(&self, threads: u64) -> u64 {
        self.work.max(self.cycles / threads.max(1))
    }
}

/// Estimates one thread's run through the program: loops count ten times.
pub(crate) fn estimate(lir: &Lir, reg: &IdMap<Vgrf, u8>) -> Estimate {
    let units = Units::new(lir, Some(reg));
    let loops = loops(lir);
    let mut there = vec![0u64; units.count];
    let mut time = 0u64;
    let mut total = Estimate::default();
    let mut weight = 1u64;
    let mut here = NO_LOOP;
    let mut next = 0;
    // When each shared function takes the next message.
    let mut functions = [0u64; 16];
    let (mut busy, mut only) = (0u64, 0u64);
    for inst in &lir.insts {
        if inst.op == Op::Do {
            here = next;
            next += 1;
            weight = 10u64.saturating_pow(loops[here as usize].depth.min(6));
        }
        let (issue, latency) = timing(inst);
        let mut start = time;
        units.reads(lir, inst, |u| start = start.max(there[u]));
        units.writes(inst, |u| start = start.max(there[u]));
        let mut ready = start + u64::from(latency);
        if let Some(send) = inst.send {
            let free = &mut functions[usize::from(send.sfid & 15)];
            ready += free.saturating_sub(start);
            *free =
                start.max(*free) + u64::from(pace(send.sfid) * u32::from(inst.exec).div_ceil(8));
        }
        units.writes(inst, |u| there[u] = ready);
        total.branches |= inst.op == Op::Eu(Opcode::If);
        let (any, extended) = work(inst, issue);
        busy += u64::from(any) * weight;
        only += u64::from(extended) * weight;
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
    total.work = busy.div_ceil(2).max(only);
    total
}
