//! Instruction selection: NIR to LIR at one SIMD width.
//!
//! In:  a shader after the NIR pipeline (see the list in crate `opt`), its divergent values.
//! Out: LIR over virtual registers. Vectors and moves cost nothing here: a def is a list of places.
//! Booleans are 0 or ~0 in 32 bits where they must lie in registers; a comparison that feeds a branch or a select
//! is selected again there, into the flag.

mod alu;
mod cond;
mod convert;
mod descriptors;
mod ended;
mod fragment;
mod geometry;
mod global;
mod halves;
mod image;
mod intrinsic;
mod memory;
mod output;
mod pairs;
mod payload;
mod pushed;
mod reduce;
mod reuse;
mod sampler;
mod scratch;
mod slot_pairs;
mod subgroup;
mod target;
mod tess;
mod texture;
mod thread;
mod together;
mod urb;
mod vertex;

use crate::builder::{Build, Exec, Lanes, Mods};
use crate::error::FsError;
use crate::lir::*;
use crate::options::Options;
use abi::PushData;
use entity::{Id, IdMap, IdSet};
use isa::{Opcode, Type};
use nir::{Alu, AluSrc, Block, CfEvent, Def, Instr, Jump, Shader};
use smallvec::SmallVec;
use thread::Thread;

/// Where one component of a def is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Comp {
    /// Not made yet.
    None,
    /// A constant.
    Imm(u64),
    /// In a register.
    Reg {
        v: VgrfId,
        offset: u32,
        pitch: u8,
        half: u16,
    },
}

/// The result of selection, before the payload is laid out.
#[derive(Debug)]
pub(crate) struct Selected {
    pub lir: Lir,
    /// Push data that all threads share.
    pub push: PushData,
    /// First register of it.
    pub push_grf: u8,
    /// What a launch needs.
    pub stage: abi::StageInfo,
    /// Loops.
    pub loops: u32,
}

/// Copies for phis: (phi, value).
type Copies = SmallVec<[(Id<Def>, Id<Def>); 2]>;

pub(super) struct Isel<'a> {
    sh: &'a Shader,
    layout: &'a abi::PipelineLayout,
    /// There is no arithmetic of 64-bit integers.
    soft_int64: bool,
    divergent: &'a IdSet<Def>,
    b: Build,
    /// First component of each def in `comps`.
    start: Vec<u32>,
    comps: Vec<Comp>,
    uses: &'a [u32],
    /// Copies to make at the end of a block: (phi, value).
    copies: IdMap<Block, Copies>,
    /// Handle of the constant data, if something reads that.
    constants: Option<Lanes>,
    /// Loop in which each def is made, `u32::MAX` for none.
    loop_of: Vec<u32>,
    this_loop: u32,
    r0: VgrfId,
    push_reg: VgrfId,
    thread: Thread,
    /// Where the vertices of a primitive or patch that comes in have what.
    input_map: abi::VueMap,
    /// Fragments have one colour.
    replicated: bool,
    /// What this block stores belongs to a vertex that it emits.
    vertex_follows: bool,
    push: PushData,
    halts: bool,
    loops: u32,
    lane_id: Option<Lanes>,
    /// The same as words.
    lane_words: Option<Lanes>,
    /// Handles that are a scalar and a constant: (def, what is added to its register).
    handle_offsets: IdMap<Def, u32>,
    /// Uses of a def as the handle of a buffer.
    handle_uses: IdMap<Def, u32>,
    reuse: reuse::Reuse,
    together: together::Together,
    slot_pairs: slot_pairs::SlotPairs,
    ranges: pushed::Ranges,
    numbered: sampler::Numbered,
    /// Ranges of uniform buffers may be pushed.
    push_ranges: bool,
    /// Of an operation that only a clamp reads: the clamp's def.
    clamped: IdMap<Def, Option<Id<Def>>>,
    /// Of an operation that only a pair of halves reads: the pair, and which half it is.
    half_of: IdMap<Def, Option<(Id<Def>, u8)>>,
    /// Halves that lie side by side.
    packed: IdMap<Def, bool>,
    /// The operation that is selected clamps its result.
    clamping: bool,
    /// Components of each def up to the last one that is read.
    read: IdMap<Def, u8>,
    /// Answers of messages that have a parameter in common with another one, and another parameter not.
    apart: IdMap<Def, bool>,
}

/// Number of uses of each def.
pub(crate) fn count_uses(sh: &Shader) -> Vec<u32> {
    let mut uses = vec![0u32; sh.defs.len()];
    for event in sh.layout() {
        match event {
            CfEvent::Block(b) => {
                for &i in &sh.blocks[b].instrs {
                    sh.instrs[i].for_each_src(|d| uses[d.index()] += 1);
                }
            }
            CfEvent::If(i) => uses[sh.ifs[i].cond.index()] += 1,
            _ => {}
        }
    }
    uses
}

/// What is known of a shader, whatever the width.
pub(crate) struct Known<'a> {
    pub divergent: &'a IdSet<Def>,
    pub uses: &'a [u32],
    /// The descriptors that are pushed ready: the first width chooses, others take the same.
    pub descriptors: Option<descriptors::Ready>,
}

/// Selects instructions for `width` lanes. None: this width wants other push data than an earlier one.
pub(crate) fn select(
    sh: &Shader,
    options: &Options,
    known: &mut Known<'_>,
    width: u8,
) -> Result<Option<Selected>, FsError> {
    let instrs = sh.blocks.iter().map(|(_, block)| block.instrs.len()).sum();
    let mut b = Build::new(width, instrs);
    let layout_events = sh.layout();
    // The header, and in fragment shaders the masks behind it, of sixteen pixels each.
    let headers = if sh.stage == nir::Stage::Fragment {
        1 + u32::from(width).div_ceil(16)
    } else {
        1
    };
    let r0 = b.lir.vgrf(headers * GRF_BYTES);
    let push_reg = b.lir.vgrf(GRF_BYTES);
    let before = options.before.as_ref();
    let thread = Thread::new(sh, &layout_events, before, &mut b.lir)?;
    let input_map = match before.and_then(abi::StageInfo::vertex_outputs) {
        Some(outputs) => outputs.vue.clone(),
        None => payload::vertices_read(sh, &layout_events),
    };
    let mut start = Vec::with_capacity(sh.defs.len() + 1);
    let mut total = 0;
    for (_, def) in sh.defs.iter() {
        start.push(total);
        total += u32::from(def.num_components);
    }
    let mut isel = Isel {
        sh,
        layout: &options.layout,
        soft_int64: options.soft_int64,
        divergent: known.divergent,
        b,
        start,
        comps: vec![Comp::None; total as usize],
        uses: known.uses,
        copies: IdMap::default(),
        constants: None,
        loop_of: vec![u32::MAX; sh.defs.len()],
        this_loop: u32::MAX,
        r0,
        push_reg,
        thread,
        input_map,
        replicated: options.replicated,
        vertex_follows: false,
        push: PushData::default(),
        halts: false,
        loops: 0,
        lane_id: None,
        lane_words: None,
        handle_offsets: IdMap::default(),
        handle_uses: IdMap::default(),
        reuse: reuse::Reuse::default(),
        together: together::Together::default(),
        slot_pairs: slot_pairs::SlotPairs::default(),
        ranges: pushed::Ranges::default(),
        numbered: sampler::Numbered::default(),
        push_ranges: options.push_ranges,
        clamped: IdMap::default(),
        half_of: IdMap::default(),
        packed: IdMap::default(),
        clamping: false,
        read: IdMap::default(),
        apart: IdMap::default(),
    };
    let lane_bytes = u64::from(sh.info.scratch_bytes).next_multiple_of(4);
    isel.b.lir.reserve_scratch(lane_bytes * u64::from(width))?;
    isel.run(&layout_events)?;
    if !isel.ready_descriptors(&mut known.descriptors) {
        return Ok(None);
    }
    let (push_grf, stage) = isel.lay_out()?;
    Ok(Some(Selected {
        lir: isel.b.lir,
        push: isel.push,
        push_grf,
        stage,
        loops: isel.loops,
    }))
}

impl<'a> Isel<'a> {
    fn run(&mut self, layout: &[CfEvent]) -> Result<(), FsError> {
        self.prepare_packed(layout);
        self.prepare_phis(layout);
        self.prepare_push(layout)?;
        self.prepare_ranges(layout);
        self.prepare_samplers(layout);
        self.prepare_reuse(layout);
        self.prepare_together(layout);
        self.prepare_slot_pairs(layout);
        self.prepare_clamps(layout);
        self.prepare_halves(layout);
        self.prepare_answers(layout);
        self.prepare_parameters(layout);
        self.prepare_lane_id(layout);
        self.prepare_live(layout);
        self.prepare_geometry();
        self.prepare_tessellation();
        self.float_modes();
        let mut loops: Vec<u32> = Vec::new();
        for (at, event) in layout.iter().enumerate() {
            self.b.new_block();
            self.reuse.enter(event);
            match *event {
                CfEvent::Block(b) => self.block(b, at + 1 == layout.len())?,
                CfEvent::If(i) => {
                    let cond = self.sh.ifs[i].cond;
                    let (flag, inverse) = self.flag_of(cond, Exec::Active, 0)?;
                    let pred = Pred {
                        ctrl: isa::PredCtrl::Normal,
                        inverse,
                    };
                    self.b.control(Op::Eu(Opcode::If), Some(pred), flag);
                }
                CfEvent::Else(_) => self.b.control(Op::Eu(Opcode::Else), None, 0),
                CfEvent::EndIf(_) => self.b.control(Op::Eu(Opcode::Endif), None, 0),
                CfEvent::Loop(_) => {
                    loops.push(self.this_loop);
                    self.this_loop = self.loops;
                    self.loops += 1;
                    self.b.control(Op::Do, None, 0);
                }
                CfEvent::EndLoop(_) => {
                    self.b.control(Op::Eu(Opcode::While), None, 0);
                    self.this_loop = loops.pop().unwrap_or(u32::MAX);
                }
            }
        }
        if self.halts {
            self.b.control(Op::HaltTarget, None, 0);
        }
        match self.thread {
            Thread::Compute(_) => self.end_of_thread(),
            Thread::Vertex(_) | Thread::Evaluation(_) => self.end_of_vertex(),
            Thread::Control(_) => self.end_control(),
            Thread::Geometry(_) => self.end_geometry(),
            Thread::Fragment(_) => self.write_targets()?,
        }
        self.b.finish();
        Ok(())
    }

    /// Gives phis their registers, and blocks their copies.
    fn prepare_phis(&mut self, layout: &[CfEvent]) {
        let mut heads = false;
        for event in layout {
            let before = std::mem::replace(&mut heads, matches!(event, CfEvent::Loop(_)));
            let CfEvent::Block(b) = *event else { continue };
            for &i in &self.sh.blocks[b].instrs {
                let Instr::Phi(phi) = &self.sh.instrs[i] else {
                    break;
                };
                self.new_def(phi.def);
                for &(pred, src) in &phi.srcs {
                    // What is undefined need not come. (Where a loop begins, the register has to be taken before it.)
                    if !before && matches!(self.sh.instr_of(src), Instr::Undef { .. }) {
                        continue;
                    }
                    self.copies[pred].push((phi.def, src));
                }
            }
        }
    }

    fn block(&mut self, block: Id<Block>, last: bool) -> Result<(), FsError> {
        let sh = self.sh;
        let mut jump = None;
        self.vertex_follows = geometry::emits_behind_stores(sh, block);
        for &i in &sh.blocks[block].instrs {
            let instr = &sh.instrs[i];
            if let Some(def) = instr.def() {
                self.loop_of[def.index()] = self.this_loop;
            }
            match instr {
                Instr::Const { def, values } => {
                    let at = self.start[def.index()] as usize;
                    for (c, v) in values.iter().enumerate() {
                        self.comps[at + c] = Comp::Imm(*v);
                    }
                }
                Instr::Undef { def } => {
                    let at = self.start[def.index()] as usize;
                    for c in 0..usize::from(sh.defs[*def].num_components) {
                        self.comps[at + c] = Comp::Imm(0);
                    }
                }
                Instr::Alu(alu) => {
                    if self.uses[alu.def.index()] > 0 {
                        self.alu(alu)?;
                    }
                }
                Instr::Intrinsic(_) if self.slot_pair(i)? => {}
                Instr::Intrinsic(intrinsic) => self.intrinsic(intrinsic)?,
                Instr::Phi(_) => {}
                Instr::Jump(j) => jump = Some(*j),
                Instr::Tex(tex) => self.tex(tex)?,
                Instr::Deref(_) => {
                    return Err(FsError::Unsupported {
                        op: "deref",
                        what: "is lowered before the backend",
                    });
                }
            }
        }
        self.phi_copies(block);
        match jump {
            Some(Jump::Break) => self.b.control(Op::Eu(Opcode::Break), None, 0),
            Some(Jump::Continue) => self.b.control(Op::Eu(Opcode::Cont), None, 0),
            Some(Jump::Return) if !last => {
                self.halts = true;
                self.b.control(Op::Eu(Opcode::Halt), None, 0);
            }
            Some(Jump::Return) | None => {}
        }
        Ok(())
    }

    /// The parallel copies at the end of a block, in an order that reads every value before it is lost.
    fn phi_copies(&mut self, block: Id<Block>) {
        let mut todo: SmallVec<[(Lanes, Lanes); 4]> = SmallVec::new();
        for (phi, src) in std::mem::take(&mut self.copies[block]) {
            let ty = raw_type(self.sh.defs[phi].bit_size);
            let comps = self.sh.defs[phi].num_components;
            for c in 0..comps {
                let to = self.comp(phi, c, ty);
                let from = self.comp(src, c, ty);
                if to.reg != from.reg || to.offset != from.offset {
                    todo.push((to, from));
                }
            }
        }
        while !todo.is_empty() {
            let ready = todo
                .iter()
                .position(|(to, _)| todo.iter().all(|(_, from)| from.reg != to.reg));
            let at = ready.unwrap_or(0);
            let (to, from) = todo.remove(at);
            if ready.is_none() {
                // A cycle: what is overwritten now is read from a copy later.
                let saved = self.b.temp(to.ty, exec_of(to));
                self.b.mov(exec_of(to), saved, to);
                for other in &mut todo {
                    if other.1.reg == to.reg {
                        other.1 = saved;
                    }
                }
            }
            self.b.mov(exec_of(to), to, from);
        }
    }

    /// Ends a thread that makes a vertex in each lane.
    fn end_of_vertex(&mut self) {
        let handles = match &self.thread {
            Thread::Vertex(thread) => thread.handles,
            Thread::Evaluation(thread) => thread.handles,
            _ => return,
        };
        if let Some(outputs) = self.thread.outputs().map(std::mem::take) {
            self.write_vertex(handles, &outputs);
            if let Some(place) = self.thread.outputs() {
                *place = outputs;
            }
        }
    }

    fn end_of_thread(&mut self) {
        let ud = Type::Ud;
        let r0 = Lanes::new(self.r0, 0, ud, 4);
        let payload = self.b.collect_last(Exec::Whole(8), &[r0], &[]);
        // The URB entry belongs to the fixed function: it is not dereferenced (bit 4).
        let info = SendInfo {
            sfid: crate::message::SFID_THREAD_SPAWNER,
            desc: 1 << 4,
            dynamic_desc: false,
            handle_offset: 0,
            mlen: 1,
            ex_mlen: 0,
            rlen: 0,
            header: false,
            ordered: false,
            eot: true,
            writes: true,
            reads: false,
        };
        self.b.send(
            Exec::Whole(8),
            Dst::null(Type::Uw),
            payload,
            Src::NULL,
            Src::NULL,
            info,
            Mods::NONE,
        );
    }

    // --- defs -------------------------------------------------------------------------------------

    pub(super) fn bits(&self, def: Id<Def>) -> u8 {
        self.sh.defs[def].bit_size
    }

    pub(super) fn is_divergent(&self, def: Id<Def>) -> bool {
        self.divergent.contains(def)
    }

    /// How a def is computed: once, or for every active lane.
    pub(super) fn exec_for(&self, def: Id<Def>) -> Exec {
        if self.is_divergent(def) {
            Exec::Active
        } else {
            Exec::Scalar
        }
    }

    /// Gives a def registers of its own, and returns its first component as raw bits.
    pub(super) fn new_def(&mut self, def: Id<Def>) -> Lanes {
        if let Some((pair, half)) = self.half_of[def] {
            return self.new_half(def, pair, half);
        }
        let d = self.sh.defs[def];
        let slot: u8 = match d.bit_size {
            64 => 8,
            16 if self.packed[def] => halves::HALF_BYTES,
            _ => 4,
        };
        let (pitch, step) = if self.is_divergent(def) {
            (slot, u32::from(slot) * u32::from(self.b.width()))
        } else {
            (0, u32::from(slot))
        };
        let v = self.b.lir.vgrf(step * u32::from(d.num_components));
        let at = self.start[def.index()] as usize;
        for c in 0..u32::from(d.num_components) {
            self.comps[at + c as usize] = Comp::Reg {
                v,
                offset: c * step,
                pitch,
                half: 16 * u16::from(pitch),
            };
        }
        Lanes::new(v, 0, raw_type(d.bit_size), pitch)
    }

    /// Says where component `c` of a def is.
    pub(super) fn set_comp(&mut self, def: Id<Def>, c: u8, place: Comp) {
        self.comps[self.start[def.index()] as usize + usize::from(c)] = place;
    }

    /// Where component `c` of a def is.
    pub(super) fn place(&self, def: Id<Def>, c: u8) -> Comp {
        self.comps
            .get(self.start[def.index()] as usize + usize::from(c))
            .copied()
            .unwrap_or(Comp::None)
    }

    /// Component `c` of a def, read as `ty`.
    pub(super) fn comp(&self, def: Id<Def>, c: u8, ty: Type) -> Lanes {
        match self.place(def, c) {
            Comp::Imm(bits) => {
                let bits = if self.bits(def) == 1 && bits != 0 {
                    0xffff_ffff
                } else {
                    bits
                };
                Lanes::imm(ty, bits)
            }
            Comp::Reg {
                v,
                offset,
                pitch,
                half,
            } => Lanes {
                half,
                ..Lanes::new(v, offset, within_dword(ty, offset), pitch)
            },
            Comp::None => {
                debug_assert!(false, "a def is read before it is made");
                Lanes::imm(ty, 0)
            }
        }
    }

    /// An ALU operand read as `ty`.
    pub(super) fn src(&self, s: &AluSrc, ty: Type) -> Lanes {
        self.comp(s.def, s.swizzle[0], ty)
    }

    /// An ALU operand of a float operation: negations and absolute values become modifiers.
    pub(super) fn fsrc(&self, s: &AluSrc, ty: Type) -> Lanes {
        let (mut def, mut c) = (s.def, s.swizzle[0]);
        let (mut neg, mut abs) = (false, false);
        while let Instr::Alu(Alu { op, srcs, .. }) = self.sh.instr_of(def) {
            match op {
                nir::AluOp::FNeg => neg ^= !abs,
                nir::AluOp::FAbs => abs = true,
                _ => break,
            }
            // A scalar that lanes left behind in a loop has moved on since.
            if self.is_divergent(def) != self.is_divergent(srcs[0].def) {
                break;
            }
            (def, c) = (srcs[0].def, srcs[0].swizzle[0]);
        }
        let mut l = self.comp(def, c, ty);
        if abs {
            l = match l.imm_bits() {
                Some(bits) => Lanes::imm(ty, bits & !sign_bit(ty)),
                None => l.absolute(),
            };
        }
        if neg { l.negated() } else { l }
    }
}

pub(super) fn sign_bit(ty: Type) -> u64 {
    1 << (ty.size_bytes() * 8 - 1)
}

/// The type to read a place as that was asked for as dwords: half a dword that begins within one is a word, and what is behind it another
/// lane's.
fn within_dword(ty: Type, offset: u32) -> Type {
    if ty.size_bytes() == 4 && !offset.is_multiple_of(4) {
        Type::Uw
    } else {
        ty
    }
}

/// The lanes a place is for.
pub(super) fn exec_of(l: Lanes) -> Exec {
    if l.pitch == 0 {
        Exec::Scalar
    } else {
        Exec::Active
    }
}

/// The type that copies a def bit for bit. Of a slot with 8 or 16 bits the lower half is always written.
pub(super) fn raw_type(bits: u8) -> Type {
    match bits {
        64 => Type::Uq,
        8 | 16 => Type::Uw,
        _ => Type::Ud,
    }
}
