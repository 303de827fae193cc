//! Instruction selection: NIR to LIR at one SIMD width.
//!
//! In:  a shader after the NIR pipeline (see the list in crate `opt`) and the set of its divergent
//! values.
//! Out: LIR over virtual registers.
//!
//! [`select`] has the driver loop and [`context`] the state that all parts share; every other file
//! selects one family of instructions. Vectors and moves emit no code: each component of a def is
//! only a location. Booleans in registers are 0 or ~0 in 32 bits; a comparison that feeds a branch
//! or a select is selected again at that use, into the flag register.

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

use crate::error::FsError;
use crate::lir::builder::{Builder, Exec, Lanes, Mods};
use crate::lir::{Dst, GRF_BYTES, Lir, Op, Pred, SendInfo, Src, VgrfId};
use crate::options::Options;
use abi::PushData;
use entity::{Id, IdMap, IdSet};
use isa::{Opcode, Type};
use nir::{Alu, AluSrc, Block, CfEvent, Def, Instr, Jump, Shader};
use smallvec::SmallVec;
use thread::Thread;

/// Where one component of a def lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Comp {
    /// The def is not selected yet.
    None,
    /// A constant.
    Imm(u64),
    /// In a VGRF, in lane form as in [`Lanes`].
    Reg {
        v: VgrfId,
        offset: u32,
        pitch: u8,
        half: u16,
    },
}

/// The result of instruction selection at one SIMD width.
#[derive(Debug)]
pub(crate) struct Selected {
    pub lir: Lir,
    /// Push data that is the same for all threads.
    pub push: PushData,
    /// First GRF of the push data.
    pub push_grf: u8,
    /// What the driver needs to program the stage.
    pub stage: abi::StageInfo,
    /// Number of loops.
    pub loops: u32,
}

/// Copies that implement phis: (phi, source).
type Copies = SmallVec<[(Id<Def>, Id<Def>); 2]>;

pub(super) struct Isel<'a> {
    sh: &'a Shader,
    layout: &'a abi::PipelineLayout,
    /// The EUs have no 64-bit integer arithmetic.
    soft_int64: bool,
    divergent: &'a IdSet<Def>,
    b: Builder,
    /// Index of each def's first component in `locs`.
    start: Vec<u32>,
    comps: Vec<Comp>,
    uses: &'a [u32],
    /// Phi copies to emit at the end of each block.
    copies: IdMap<Block, Copies>,
    /// Surface handle of the shader's constant data, once something has read it.
    constants: Option<Lanes>,
    /// Innermost loop that defines each def; `u32::MAX` outside all loops.
    loop_of: Vec<u32>,
    this_loop: u32,
    r0: VgrfId,
    push_reg: VgrfId,
    thread: Thread,
    /// VUE map of the input vertices (geometry and tessellation control shaders).
    input_map: abi::VueMap,
    /// All pixels get the same colour, so the replicated render target write is used.
    replicated: bool,
    /// The current block emits a vertex after its output stores.
    vertex_follows: bool,
    push: PushData,
    halts: bool,
    loops: u32,
    lane_id: Option<Lanes>,
    /// The same numbers as packed words.
    lane_words: Option<Lanes>,
    /// Constant to add to a buffer handle's register, for handles that are a scalar plus a
    /// constant.
    handle_offsets: IdMap<Def, u32>,
    /// Number of uses of a def as a surface handle.
    handle_uses: IdMap<Def, u32>,
    reuse: reuse::Reuse,
    together: together::Together,
    slot_pairs: slot_pairs::SlotPairs,
    ranges: pushed::Ranges,
    numbered: sampler::Numbered,
    /// Ranges of uniform buffers may be pushed into registers.
    push_ranges: bool,
    /// For an operation whose only use is an `fsat`: the def of that `fsat`.
    clamped: IdMap<Def, Option<Id<Def>>>,
    /// For a 32-bit operation that computes half of a 64-bit value: that value, and 0 for the low
    /// half or 1 for the high one.
    half_of: IdMap<Def, Option<(Id<Def>, u8)>>,
    /// 16-bit floats that are stored packed, two bytes a lane.
    packed: IdMap<Def, bool>,
    /// The operation being selected saturates its result.
    clamping: bool,
    /// Number of leading components of each def that are read.
    read: IdMap<Def, u8>,
    /// Texture instructions that share some but not all parameters with another one.
    apart: IdMap<Def, bool>,
}

/// Counts the uses of each def.
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

/// Facts about a shader that hold at every SIMD width.
pub(crate) struct Known<'a> {
    pub divergent: &'a IdSet<Def>,
    pub uses: &'a [u32],
    /// Extended descriptors to push. The first width chooses them; later widths must use the same.
    pub descriptors: Option<descriptors::Ready>,
}

/// Selects instructions for `width` lanes. Returns `None` if this width would need other push data
/// than an earlier width of the same shader.
pub(crate) fn select(
    sh: &Shader,
    options: &Options,
    known: &mut Known<'_>,
    width: u8,
) -> Result<Option<Selected>, FsError> {
    let instrs = sh.blocks.iter().map(|(_, block)| block.instrs.len()).sum();
    let mut b = Builder::new(width, instrs);
    let layout_events = sh.layout();
    // r0, and in fragment shaders one more header register (r1, r2) for each group of 16 pixels.
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

    /// Allocates registers for phis and records the copies that each predecessor block has to emit.
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
                    // An undefined source needs no copy. (The phi at a loop header keeps it, so
                    // that its register is live from before the loop.)
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

    /// Emits a block's parallel phi copies in an order that reads every value before it is
    /// overwritten.
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
                // A cycle: saves the value that is overwritten now, for the copies that still read
                // it.
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

    /// Ends a thread that produces one vertex in each lane.
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
        let payload = self.b.collect_eot(Exec::NoMask(8), &[r0], &[]);
        // The fixed function owns the URB handle, so this message must not dereference it (bit 4).
        let info = SendInfo {
            sfid: crate::lir::message::SFID_THREAD_SPAWNER,
            desc: 1 << 4,
            dynamic_desc: false,
            handle_offset: 0,
            mlen: 1,
            ex_mlen: 0,
            rlen: 0,
            header: false,
            sendc: false,
            eot: true,
            writes: true,
            reads: false,
        };
        self.b.send(
            Exec::NoMask(8),
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

    /// The lanes for which a def is computed: one for uniform defs, all active ones for divergent
    /// defs.
    pub(super) fn exec_for(&self, def: Id<Def>) -> Exec {
        if self.is_divergent(def) {
            Exec::Active
        } else {
            Exec::Scalar
        }
    }

    /// Allocates registers for a def and returns its first component as raw bits.
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

    /// Sets the location of component `c` of a def.
    pub(super) fn set_comp(&mut self, def: Id<Def>, c: u8, place: Comp) {
        self.comps[self.start[def.index()] as usize + usize::from(c)] = place;
    }

    /// The location of component `c` of a def.
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

    /// A float ALU operand; `fneg` and `fabs` of it are folded into source modifiers.
    pub(super) fn fsrc(&self, s: &AluSrc, ty: Type) -> Lanes {
        let (mut def, mut c) = (s.def, s.swizzle[0]);
        let (mut neg, mut abs) = (false, false);
        while let Instr::Alu(Alu { op, srcs, .. }) = self.sh.instr_of(def) {
            match op {
                nir::AluOp::FNeg => neg ^= !abs,
                nir::AluOp::FAbs => abs = true,
                _ => break,
            }
            // Not through a divergence boundary: lanes that left a loop early must keep the value
            // of their own iteration, but the scalar register already has a later one.
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

/// The type with which to read a location as `ty`: a 32-bit read that starts in the middle of a
/// dword is narrowed to a word, because the bytes behind it belong to another lane.
fn within_dword(ty: Type, offset: u32) -> Type {
    if ty.size_bytes() == 4 && !offset.is_multiple_of(4) {
        Type::Uw
    } else {
        ty
    }
}

/// The lanes that a location holds values for.
pub(super) fn exec_of(l: Lanes) -> Exec {
    if l.pitch == 0 {
        Exec::Scalar
    } else {
        Exec::Active
    }
}

/// The type that copies a def bit for bit. The low 16 bits of an 8- or 16-bit slot are always
/// written.
pub(super) fn raw_type(bits: u8) -> Type {
    match bits {
        64 => Type::Uq,
        8 | 16 => Type::Uw,
        _ => Type::Ud,
    }
}
