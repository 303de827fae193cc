//! Intrinsics: dispatch to the other files, system values, barriers and fences.
//!
//! In:  NIR intrinsics. Out: their LIR.

use super::context::{Isel, Loc};
use super::surface::Surface;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Inst, Op, SendInfo, Src};
use abi::DriverValue;
use isa::{ArfReg, Opcode, Type};
use nir::{CfEvent, Instr, Intrinsic, IntrinsicOp};

/// SPIR-V scope Workgroup. Smaller numbers are wider scopes.
const SCOPE_WORKGROUP: u32 = 2;

/// True for inputs, outputs and system values of graphics stages; none of them needs the lane
/// numbers.
fn is_stage_io(op: IntrinsicOp) -> bool {
    use IntrinsicOp as I;
    matches!(
        op,
        I::StoreOutput
            | I::LoadInput
            | I::LoadVertexId
            | I::LoadVertexIdZeroBase
            | I::LoadFirstVertex
            | I::LoadBaseVertex
            | I::LoadInstanceId
            | I::LoadBaseInstance
            | I::LoadDrawId
            | I::LoadBarycentricPixel
            | I::LoadBarycentricCentroid
            | I::LoadBarycentricSample
            | I::LoadBarycentricAtSample
            | I::LoadBarycentricAtOffset
            | I::LoadInterpolatedInput
            | I::LoadFragCoord
            | I::LoadPixelCoord
            | I::LoadFrontFace
            | I::LoadLayerId
            | I::LoadSampleId
            | I::LoadSamplePos
            | I::LoadSampleMaskIn
            | I::LoadHelperInvocation
            | I::IsHelperInvocation
            | I::Demote
            | I::DemoteIf
            | I::Terminate
            | I::TerminateIf
            | I::Ddx
            | I::Ddy
            | I::DdxFine
            | I::DdyFine
            | I::DdxCoarse
            | I::DdyCoarse
    )
}

impl Isel<'_> {
    /// Selects an intrinsic.
    pub(super) fn select_intrinsic(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        use IntrinsicOp as I;
        if i.op.info().effects.can_eliminate() && i.def.is_some_and(|d| self.uses[d.index()] == 0) {
            return Ok(());
        }
        if self.has_other_masks(i) {
            return self.select_with_dword_masks(i);
        }
        if self.select_primitive_stage(i)? {
            return Ok(());
        }
        match i.op {
            I::VulkanResourceIndex if self.is_pushed_handle(i) => {}
            I::VulkanResourceIndex => self.select_resource_index(i)?,
            I::VulkanSamplerIndex if i.def.is_some_and(|def| self.is_sampler_by_index(def)) => {}
            I::VulkanSamplerIndex => self.select_sampler_index(i)?,
            I::LoadUbo if self.select_pushed_load(i) => {}
            I::LoadUbo | I::LoadSsbo if self.is_loop_follower(i) => {}
            I::LoadUbo | I::LoadSsbo => self.select_buffer_load(i),
            I::StoreSsbo => {
                let surface = self.accessed_surface(i, i.srcs[1]);
                self.select_store(i, surface, i.srcs[2], 0);
            }
            I::SsboAtomic | I::SsboAtomicSwap => {
                let surface = self.accessed_surface(i, i.srcs[0]);
                self.select_atomic(i, surface, i.srcs[1], 0, &i.srcs[2..])?;
            }
            I::GetSsboSize => self.select_buffer_size(i),
            I::LoadSsboAddress => self.select_buffer_address(i),
            I::LoadSurfaceState => self.select_load_surface_state(i),
            I::LoadPushConstant => self.select_load_push_constant(i),
            I::LoadConstant => {
                let surface = Surface::Buffer(self.constant_data_handle(), 0);
                self.select_load(i, surface, i.srcs[0], i.index("base"));
            }
            I::LoadShared => self.select_load(i, Surface::Shared, i.srcs[0], i.index("base")),
            I::StoreShared => self.select_store(i, Surface::Shared, i.srcs[1], i.index("base")),
            I::SharedAtomic | I::SharedAtomicSwap => {
                self.select_atomic(i, Surface::Shared, i.srcs[0], i.index("base"), &i.srcs[1..])?;
            }
            I::LoadScratch => self.select_load_scratch(i),
            I::StoreScratch => self.select_store_scratch(i),
            I::LoadGlobal | I::LoadGlobalConstant => self.select_load_global(i),
            I::StoreGlobal => self.select_store_global(i),
            I::GlobalAtomic | I::GlobalAtomicSwap => self.select_global_atomic(i)?,
            I::Barrier => self.select_barrier(i),
            I::BeginInterlock => self.emit_fence(message::interlock(), true),
            I::Terminate if self.sh.stage != nir::Stage::Fragment => {
                self.halts = true;
                self.b.control(Op::Eu(Opcode::Halt), None, 0);
            }
            I::Terminate | I::TerminateIf | I::Demote | I::DemoteIf => self.select_demote(i)?,
            I::ShaderClock => self.select_clock(i),
            I::LoadWorkgroupId => {
                for (c, dword) in [1, 6, 7].into_iter().enumerate() {
                    let value = Lanes::new(self.r0, dword * 4, Type::Ud, 0);
                    self.set_system_value(i, c as u8, value);
                }
            }
            I::LoadBaseWorkgroupId => {
                for c in 0..3 {
                    let value = self.push_value(DriverValue::BaseWorkgroupId { component: c });
                    self.set_system_value(i, c as u8, value);
                }
            }
            I::LoadCoverageSamples => {
                let value = self.push_value(DriverValue::CoverageSamples);
                self.set_system_value(i, 0, value);
            }
            I::LoadNumWorkgroups => self.select_num_workgroups(i),
            I::LoadSubgroupId => {
                let value = self.thread_index()?;
                self.set_system_value(i, 0, value);
            }
            I::LoadSubgroupSize => {
                let width = Lanes::imm(Type::Ud, u64::from(self.b.width()));
                self.set_system_value(i, 0, width);
            }
            I::LoadNumSubgroups => {
                let n = self
                    .workgroup_invocations()
                    .div_ceil(u32::from(self.b.width()));
                self.set_system_value(i, 0, Lanes::imm(Type::Ud, u64::from(n)));
            }
            I::LoadSubgroupInvocation => {
                let lane = self.lane_id();
                self.set_system_value(i, 0, lane);
            }
            I::LoadLocalInvocationIndex => self.select_local_index(i)?,
            _ => return self.select_stage_io(i),
        }
        Ok(())
    }

    /// Selects inputs, outputs and system values of graphics stages.
    fn select_stage_io(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        use IntrinsicOp as I;
        match i.op {
            I::StoreOutput => self.select_store_output(i)?,
            I::LoadInput if self.sh.stage == nir::Stage::Vertex => self.select_vertex_input(i)?,
            I::LoadInput => self.select_flat_input(i)?,
            I::LoadVertexId
            | I::LoadVertexIdZeroBase
            | I::LoadFirstVertex
            | I::LoadBaseVertex
            | I::LoadInstanceId
            | I::LoadBaseInstance
            | I::LoadDrawId => self.select_vertex_value(i)?,
            // No code: `load_interpolated_input` reads them from the payload.
            I::LoadBarycentricPixel | I::LoadBarycentricCentroid | I::LoadBarycentricSample => {}
            I::LoadBarycentricAtSample => self.select_barycentric_at_sample(i)?,
            I::LoadBarycentricAtOffset => self.select_barycentric_at_offset(i)?,
            I::LoadInterpolatedInput => self.select_interpolated_input(i)?,
            I::LoadFragCoord => self.select_frag_coord(i)?,
            I::LoadPixelCoord => self.select_pixel_coord(i),
            I::LoadFrontFace => self.select_front_face(i),
            I::LoadLayerId => self.select_layer_id(i),
            I::LoadSampleId => self.select_sample_id(i),
            I::LoadSamplePos => self.select_sample_pos(i)?,
            I::LoadSampleMaskIn => self.select_sample_mask_in(i)?,
            I::LoadHelperInvocation | I::IsHelperInvocation => self.select_helper_invocation(i)?,
            I::Ddx | I::Ddy | I::DdxFine | I::DdyFine | I::DdxCoarse | I::DdyCoarse => {
                self.select_derivative(i)?;
            }
            _ => return self.select_image(i),
        }
        Ok(())
    }

    /// The number of invocations of a workgroup.
    pub(super) fn workgroup_invocations(&self) -> u32 {
        let size = self.sh.info.workgroup_size;
        size.iter().fold(1u32, |n, &s| n.saturating_mul(s.max(1)))
    }

    /// Makes a component of an intrinsic's def an alias of `value`.
    pub(super) fn set_system_value(&mut self, i: &Intrinsic, c: u8, value: Lanes) {
        if let Some(def) = i.def {
            // Even for a divergent def this needs no copy, because the value never changes.
            self.set_lanes(def, c, value);
        }
    }

    /// Computes the number of each lane, if an intrinsic may need it.
    pub(super) fn emit_lane_id(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let may_need = |op: IntrinsicOp| {
            use IntrinsicOp as I;
            !is_stage_io(op)
                && !matches!(
                    op,
                    I::LoadUbo
                        | I::LoadSsbo
                        | I::StoreSsbo
                        | I::VulkanResourceIndex
                        | I::VulkanSamplerIndex
                        | I::BindlessImageLoad
                        | I::BindlessImageStore
                        | I::BindlessImageAtomic
                        | I::BindlessImageAtomicSwap
                        | I::BindlessImageSize
                        | I::LoadPushConstant
                        | I::LoadConstant
                        | I::LoadShared
                        | I::StoreShared
                )
        };
        let used = layout.iter().any(|event| match *event {
            CfEvent::Block(b) => sh.blocks[b].instrs.iter().any(
                |&i| matches!(&sh.instrs[i], Instr::Intrinsic(intrinsic) if may_need(intrinsic.op)),
            ),
            _ => false,
        });
        if !used {
            return;
        }
        let width = self.b.width();
        let words = Lanes::new(self.b.lir.vgrf(u32::from(width) * 2), 0, Type::Uw, 2);
        let eight = Exec::NoMask(8);
        self.b.mov(eight, words, Lanes::imm(Type::Uv, 0x7654_3210));
        for k in 1..width / 8 {
            let first = Lanes::imm(Type::Uw, u64::from(k) * 8);
            let to = words.offset_by(u32::from(k) * 16);
            self.b
                .binary(Opcode::Add, eight, to, words, first, Mods::NONE);
        }
        // Integer additions read the words; this dword copy is eliminated where nothing else reads
        // it.
        let lanes = self.b.temp(Type::Ud, Exec::Active);
        self.b.mov(Exec::NoMask(width), lanes, words);
        self.lane_id_words = Some(words);
        self.lane_id = Some(lanes);
    }

    /// The number of each lane, computed by [`Isel::emit_lane_id`].
    pub(super) fn lane_id(&mut self) -> Lanes {
        debug_assert!(
            self.lane_id.is_some(),
            "lane numbers have not been computed"
        );
        self.lane_id.unwrap_or(Lanes::imm(Type::Ud, 0))
    }

    fn select_local_index(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let thread = self.thread_index()?;
        let first = self.b.temp(Type::Ud, Exec::Scalar);
        let log2 = Lanes::imm(Type::Ud, u64::from(self.b.width().trailing_zeros()));
        self.b
            .binary(Opcode::Shl, Exec::Scalar, first, thread, log2, Mods::NONE);
        let lane = self.lane_id();
        let dst = self.alloc_def(def);
        self.b
            .binary(Opcode::Add, Exec::Active, dst, lane, first, Mods::NONE);
        Ok(())
    }

    /// Emits a memory fence, or an interlock, which also waits for earlier threads that cover the
    /// same pixels. With `waits`, later instructions wait for its response.
    fn emit_fence(&mut self, info: SendInfo, waits: bool) {
        let ud = Type::Ud;
        let response = self.b.lir.vgrf(GRF_BYTES);
        let header = Lanes::new(self.r0, 0, ud, 4);
        let payload = self.b.collect(Exec::NoMask(8), &[header], &[]);
        let dst = Dst::vgrf(response, 0, ud, 1);
        let (all, none) = (Exec::NoMask(8), Src::NULL);
        self.b.send(all, dst, payload, none, none, info, Mods::NONE);
        if waits {
            // Reading the response waits for it.
            let null = Lanes::null(ud, 4);
            self.b.mov(all, null, Lanes::new(response, 0, ud, 4));
        }
    }

    /// The payload of barrier messages: bits 27:24 of dword 2 are the barrier's number, as in r0.
    /// All barriers share one register, which is initialised at the start of the thread, so that it
    /// never waits for a fence's response.
    fn barrier_payload(&mut self) -> Src {
        let (ud, r0) = (Type::Ud, self.r0);
        let payload = *self.shared.barrier_payload.get_or_insert_with(|| {
            let payload = self.b.lir.vgrf(GRF_BYTES);
            self.b.in_prologue(|b| {
                let whole = Lanes::new(payload, 0, ud, 4);
                b.mov(Exec::NoMask(8), whole, Lanes::imm(ud, 0));
                let [number, from] = [payload, r0].map(|v| Lanes::new(v, 8, ud, 0));
                let bits = Lanes::imm(ud, 0x0f00_0000);
                b.binary(Opcode::And, Exec::Scalar, number, from, bits, Mods::NONE);
            });
            payload
        });
        let payload = Lanes::new(payload, 0, ud, 4);
        self.b.collect(Exec::NoMask(8), &[payload], &[])
    }

    fn select_barrier(&mut self, i: &Intrinsic) {
        let ud = Type::Ud;
        // Value of `memory_modes`: shared memory only.
        const SHARED: u32 = 2;
        let single_thread = self.workgroup_invocations() <= u32::from(self.b.width());
        // Messages of one thread reach shared memory in order.
        let is_ordered = single_thread && i.index("memory_modes") == SHARED;
        let needs_fence =
            i.index("memory_semantics") != 0 && i.index("memory_modes") != 0 && !is_ordered;
        let needs_barrier = i.index("execution_scope") <= SCOPE_WORKGROUP && !single_thread;
        if needs_fence {
            // All threads of a workgroup share one data port, which executes messages in order:
            // what other threads send to shared memory after the barrier comes after the fence.
            self.emit_fence(message::fence(), i.index("memory_modes") != SHARED);
        }
        if !needs_barrier {
            return;
        }
        self.record_barrier();
        let payload = self.barrier_payload();
        self.b.send(
            Exec::NoMask(8),
            Dst::null(ud),
            payload,
            Src::NULL,
            Src::NULL,
            message::barrier(),
            Mods::NONE,
        );
        let mut wait = Inst::new(Op::Eu(Opcode::Wait), 1);
        wait.no_mask = true;
        wait.dst = Dst::arf(ArfReg::Notification, 0, 0, ud);
        wait.src[0] = Src::arf(ArfReg::Notification, 0, 0, ud);
        self.b.lir.insts.push(wait);
    }

    fn select_clock(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let v = self.b.lir.vgrf(GRF_BYTES);
        let mut inst = Inst::new(Op::Eu(Opcode::Mov), 4);
        inst.no_mask = true;
        inst.dst = Dst::vgrf(v, 0, Type::Ud, 1);
        inst.src[0] = Src::arf(ArfReg::Timestamp, 0, 0, Type::Ud);
        inst.src[0].stride = 1;
        self.b.lir.insts.push(inst);
        for c in 0..self.sh.defs[def].num_components {
            self.set_uniform(def, c, Lanes::new(v, u32::from(c) * 4, Type::Ud, 0));
        }
        debug_assert!(!matches!(self.loc(def, 0), Loc::None));
    }
}
