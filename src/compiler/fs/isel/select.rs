//! The driver of instruction selection: control flow, blocks and phis.
//!
//! In:  a shader and a SIMD width. Out: [`Selected`].

use super::analysis::{BlockLoads, PushedUbos, SharedLoops, UrbPairs};
use super::bool_forms::MaskSize;
use super::context::{Isel, Loc, exec_of};
use super::payload::Thread;
use super::shared_registers::SharedRegisters;
use super::types::raw_type;
use super::{bool_forms, descriptors, geometry, payload};
use crate::error::FsError;
use crate::lir::builder::{Builder, Exec, Lanes, Mods};
use crate::lir::{Dst, GRF_BYTES, Lir, Op, Pred, SendInfo, Src};
use crate::options::Options;
use abi::PushData;
use entity::{Id, IdMap, IdSet};
use isa::{Opcode, Type};
use nir::{Block, CfEvent, Def, Instr, Jump, Shader};
use smallvec::SmallVec;

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
pub(crate) struct ShaderAnalysis<'a> {
    pub divergent: &'a IdSet<Def>,
    pub uses: &'a [u32],
    /// Extended descriptors to push. The first width chooses them; later widths must use the same.
    pub descriptors: Option<descriptors::PushedDescriptors>,
}

/// Selects instructions for `width` lanes. Returns `None` if this width would need other push data
/// than an earlier width of the same shader.
pub(crate) fn select(
    sh: &Shader,
    options: &Options,
    analysis: &mut ShaderAnalysis<'_>,
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
    let previous_stage = options.previous_stage.as_ref();
    let thread = Thread::new(sh, &layout_events, previous_stage, &mut b.lir)?;
    let input_vue_map = match previous_stage.and_then(abi::StageInfo::vertex_outputs) {
        Some(outputs) => outputs.vue.clone(),
        None => payload::vue_map_read(sh, &layout_events),
    };
    let mut first_loc = Vec::with_capacity(sh.defs.len() + 1);
    let mut total = 0;
    for (_, def) in sh.defs.iter() {
        first_loc.push(total);
        total += u32::from(def.num_components);
    }
    let mut isel = Isel {
        sh,
        layout: &options.layout,
        soft_int64: options.soft_int64,
        divergent: analysis.divergent,
        b,
        first_loc,
        locs: vec![Loc::None; total as usize],
        uses: analysis.uses,
        phi_copies: IdMap::default(),
        constant_data: None,
        loop_of: vec![u32::MAX; sh.defs.len()],
        current_loop: u32::MAX,
        r0,
        push_reg,
        thread,
        input_vue_map,
        replicated: options.replicated,
        block_emits_vertex: false,
        push: PushData::default(),
        halts: false,
        loops: 0,
        lane_id: None,
        lane_id_words: None,
        handle_offsets: IdMap::default(),
        handle_uses: IdMap::default(),
        shared: SharedRegisters::default(),
        shared_loops: SharedLoops::default(),
        urb_pairs: UrbPairs::default(),
        block_loads: BlockLoads::default(),
        robust_storage: options.robust_storage,
        robust_uniform: options.robust_uniform,
        pushed_ubos: PushedUbos::default(),
        sampler_index_uses: IdMap::default(),
        push_ranges: options.push_ranges,
        fsat_of: IdMap::default(),
        half_of: IdMap::default(),
        packed_half: IdMap::default(),
        bool_forms: IdMap::default(),
        dword_booleans: options.dword_booleans,
        word_masks: IdMap::default(),
        condition_in_flag: None,
        saturating: false,
        components_read: IdMap::default(),
        splits_payload: IdMap::default(),
        written_coordinates: IdMap::default(),
    };
    let lane_bytes = u64::from(sh.info.scratch_bytes).next_multiple_of(4);
    isel.b.lir.reserve_scratch(lane_bytes * u64::from(width))?;
    isel.select_body(&layout_events)?;
    if !isel.use_pushed_descriptors(&mut analysis.descriptors) {
        return Ok(None);
    }
    let (push_grf, stage) = isel.lay_out_payload()?;
    Ok(Some(Selected {
        lir: isel.b.lir,
        push: isel.push,
        push_grf,
        stage,
        loops: isel.loops,
    }))
}

impl<'a> Isel<'a> {
    /// Runs the analyses, selects all blocks in layout order and ends the thread.
    fn select_body(&mut self, layout: &[CfEvent]) -> Result<(), FsError> {
        self.find_packed_halves(layout);
        self.bool_forms =
            bool_forms::find_forms(self.sh, layout, self.b.width(), self.dword_booleans);
        self.allocate_phis(layout);
        self.plan_push_data(layout)?;
        self.choose_pushed_ubos(layout);
        self.choose_sampler_table(layout);
        self.find_shared_blocks(layout);
        self.find_block_loads(layout);
        self.find_shared_loops(layout);
        self.find_urb_pairs(layout);
        self.find_saturates(layout);
        self.find_int64_halves(layout);
        self.find_components_read(layout);
        self.find_split_payloads(layout);
        self.find_written_coordinates(layout);
        self.emit_lane_id(layout);
        self.emit_live_mask(layout);
        self.emit_geometry_state();
        self.emit_tessellation_state();
        self.emit_float_modes();
        let mut loops: Vec<u32> = Vec::new();
        for (index, event) in layout.iter().enumerate() {
            self.b.new_block();
            self.shared.enter(event);
            match *event {
                CfEvent::Block(b) => self.select_block(b, index + 1 == layout.len())?,
                CfEvent::If(i) => {
                    let cond = self.sh.ifs[i].cond;
                    let (flag, inverse) = self.condition_to_flag(cond, Exec::Active);
                    let pred = Pred {
                        ctrl: isa::PredCtrl::Normal,
                        inverse,
                    };
                    self.b.control(Op::Eu(Opcode::If), Some(pred), flag);
                }
                CfEvent::Else(_) => self.b.control(Op::Eu(Opcode::Else), None, 0),
                CfEvent::EndIf(_) => self.b.control(Op::Eu(Opcode::Endif), None, 0),
                CfEvent::Loop(_) => {
                    loops.push(self.current_loop);
                    self.current_loop = self.loops;
                    self.loops += 1;
                    self.b.control(Op::Do, None, 0);
                }
                CfEvent::EndLoop(_) => {
                    self.b.control(Op::Eu(Opcode::While), None, 0);
                    self.current_loop = loops.pop().unwrap_or(u32::MAX);
                }
            }
        }
        if self.halts {
            self.b.control(Op::HaltTarget, None, 0);
        }
        match self.thread {
            Thread::Compute(_) => self.end_compute_thread(),
            Thread::Vertex(_) | Thread::Evaluation(_) => self.end_vertex_thread(),
            Thread::Control(_) => self.end_control_thread(),
            Thread::Geometry(_) => self.end_geometry_thread(),
            Thread::Fragment(_) => self.write_render_targets()?,
        }
        self.b.finish();
        Ok(())
    }

    /// Allocates registers for phis and records the copies that each predecessor block has to emit.
    fn allocate_phis(&mut self, layout: &[CfEvent]) {
        let mut after_loop_start = false;
        for event in layout {
            let is_loop_header =
                std::mem::replace(&mut after_loop_start, matches!(event, CfEvent::Loop(_)));
            let CfEvent::Block(b) = *event else { continue };
            for &i in &self.sh.blocks[b].instrs {
                let Instr::Phi(phi) = &self.sh.instrs[i] else {
                    break;
                };
                self.alloc_def(phi.def);
                for &(pred, src) in &phi.srcs {
                    // An undefined source needs no copy. (The phi at a loop header keeps it, so
                    // that its register is live from before the loop.)
                    if !is_loop_header && matches!(self.sh.instr_of(src), Instr::Undef { .. }) {
                        continue;
                    }
                    self.phi_copies[pred].push((phi.def, src));
                }
            }
        }
    }

    /// Selects a block. `last`: it is the last one of the shader, from which a return needs no
    /// HALT.
    fn select_block(&mut self, block: Id<Block>, last: bool) -> Result<(), FsError> {
        let sh = self.sh;
        let mut jump = None;
        self.block_emits_vertex = geometry::emits_after_stores(sh, block);
        for &i in &sh.blocks[block].instrs {
            let instr = &sh.instrs[i];
            if let Some(def) = instr.def() {
                self.loop_of[def.index()] = self.current_loop;
            }
            match instr {
                Instr::Const { def, values } => {
                    let first = self.first_loc[def.index()] as usize;
                    for (c, v) in values.iter().enumerate() {
                        self.locs[first + c] = Loc::Imm(*v);
                    }
                }
                Instr::Undef { def } => {
                    let first = self.first_loc[def.index()] as usize;
                    for c in 0..usize::from(sh.defs[*def].num_components) {
                        self.locs[first + c] = Loc::Imm(0);
                    }
                }
                Instr::Alu(alu) => {
                    if self.uses[alu.def.index()] > 0 {
                        self.select_alu(alu)?;
                    }
                }
                Instr::Intrinsic(_) if self.select_urb_pair(i)? => {}
                Instr::Intrinsic(intrinsic) => self.select_intrinsic(intrinsic)?,
                Instr::Phi(_) => {}
                Instr::Jump(j) => jump = Some(*j),
                Instr::Tex(tex) => self.select_tex(tex)?,
                Instr::Deref(_) => {
                    return Err(FsError::Unsupported {
                        op: "deref",
                        what: "the NIR pipeline should have lowered it",
                    });
                }
            }
        }
        self.emit_phi_copies(block);
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
    fn emit_phi_copies(&mut self, block: Id<Block>) {
        let mut todo: SmallVec<[(Lanes, Lanes); 4]> = SmallVec::new();
        for (phi, src) in std::mem::take(&mut self.phi_copies[block]) {
            let d = self.sh.defs[phi];
            let ty = match d.bit_size {
                1 if self.mask_size(phi) == MaskSize::Word => Type::W,
                1 => Type::D,
                bits => raw_type(bits),
            };
            for c in 0..d.num_components {
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
            let (to, from) = todo.remove(ready.unwrap_or(0));
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
    fn end_vertex_thread(&mut self) {
        let handles = match &self.thread {
            Thread::Vertex(thread) => thread.handles,
            Thread::Evaluation(thread) => thread.handles,
            _ => return,
        };
        if let Some(outputs) = self.thread.outputs().map(std::mem::take) {
            self.write_vertex(handles, &outputs);
            if let Some(thread_outputs) = self.thread.outputs() {
                *thread_outputs = outputs;
            }
        }
    }

    /// Ends a compute thread with a message to the thread spawner.
    fn end_compute_thread(&mut self) {
        let ud = Type::Ud;
        let r0 = Lanes::new(self.r0, 0, ud, 4);
        let payload = self.b.collect_eot(Exec::NoMask(8), &[r0], &[]);
        // The fixed function owns the URB handle, so this message must not dereference it (bit 4).
        let info = SendInfo {
            sfid: isa::message::thread_spawner::SFID,
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
}
