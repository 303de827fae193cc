//! Geometry shaders: vertices read from the URB, vertices emitted, strips ended.
//!
//! In:  the intrinsics of a geometry shader. Out: URB messages, and the control data that ends
//! strips or names streams.
//!
//! Each lane counts the vertices that it has emitted, unless all lanes emit alike: then the count
//! is known at compile time. A vertex is written to the URB entry when it is emitted; the count and
//! the control data are written at the end of the thread.
//! Ref: SKL PRM vol. 7, "Geometry Shader (GS) Stage", "GS URB Entry".
//! Tests: tests/fs/geometry/.

use super::context::Isel;
use super::payload::{GeometryThread, Outputs, Thread};
use super::unsupported::{unsupported, wrong_stage};
use super::urb::{ALL_LANES, UrbAddress, slot_runs};
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{GRF_BYTES, VgrfId};
use isa::{CondMod, Opcode, Type};
use nir::{Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

/// True if a block of a geometry shader emits a vertex after its last output store.
pub(super) fn emits_after_stores(sh: &nir::Shader, block: entity::Id<nir::Block>) -> bool {
    let ops = sh.blocks[block].instrs.iter().rev();
    let mut ops = ops.filter_map(|&i| match &sh.instrs[i] {
        nir::Instr::Intrinsic(i) => Some(i.op),
        _ => None,
    });
    let last = ops.find(|op| matches!(op, IntrinsicOp::StoreOutput | IntrinsicOp::EmitVertex));
    sh.stage == nir::Stage::Geometry && last == Some(IntrinsicOp::EmitVertex)
}

impl Isel<'_> {
    /// The payload and state of the geometry thread.
    fn geometry_thread(&mut self) -> Result<&mut GeometryThread, FsError> {
        match &mut self.thread {
            Thread::Geometry(thread) => Ok(thread),
            _ => Err(wrong_stage("geometry shader intrinsic")),
        }
    }

    /// Initialises the vertex count and the control data with zero.
    pub(super) fn emit_geometry_state(&mut self) {
        let Thread::Geometry(thread) = &self.thread else {
            return;
        };
        if thread.known_emits.is_some() {
            return;
        }
        let vertices = u32::from(thread.info.vertices_out);
        let registers = match (thread.info.cuts, thread.info.streams) {
            (_, true) => (2 * vertices).div_ceil(32),
            (true, false) => vertices.div_ceil(32),
            (false, false) => 0,
        };
        let mut zeroed: SmallVec<[Lanes; 17]> = SmallVec::new();
        for _ in 0..=registers {
            let to = self.b.temp(Type::Ud, ALL_LANES);
            self.b.mov(ALL_LANES, to, Lanes::imm(Type::Ud, 0));
            zeroed.push(to);
        }
        if let Thread::Geometry(thread) = &mut self.thread {
            thread.vertex_count = zeroed.first().copied();
            thread.control_data = zeroed.into_iter().skip(1).collect();
        }
    }

    /// The register with the number of vertices that each lane has emitted.
    fn vertex_count(&mut self, i: &Intrinsic) -> Result<Lanes, FsError> {
        let unsupported = unsupported(i);
        self.geometry_thread()?.vertex_count.ok_or(unsupported)
    }

    /// Selects `emit_vertex`. Only points can go to other streams than the first.
    pub(super) fn select_emit_vertex(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let stream = i.index("stream");
        let info = &self.geometry_thread()?.info;
        if stream != u32::from(info.stream) && !info.streams {
            self.geometry_thread()?.outputs.clear();
            return Ok(());
        }
        let thread = self.geometry_thread()?;
        let info = thread.info.clone();
        let handles = Lanes::new(thread.handles, 0, Type::Ud, 4);
        let outputs = std::mem::take(&mut thread.outputs);
        if let Some(emits) = &mut thread.known_emits {
            let number = emits.count;
            // Vertices beyond the declared maximum are dropped.
            if number < u32::from(info.vertices_out) {
                emits.count += 1;
                if info.streams {
                    emits.set_bits(2 * number, stream);
                }
                let first = info.first_slot() + number * info.vertex_slots();
                for (slot, values) in slot_runs(&outputs, &info.outputs.vue) {
                    let address = self.urb_address(first + slot);
                    self.urb_write(handles, address, None, &values, Mods::NONE, false);
                }
            }
            return self.restore_outputs(outputs);
        }
        let count = self.vertex_count(i)?;
        // Vertices beyond the declared maximum are dropped.
        let null = Lanes::null(Type::Ud, 4);
        let limit = Lanes::imm(Type::Ud, info.vertices_out.into());
        let fits = Mods::cmod(CondMod::L, 0);
        self.b
            .binary(Opcode::Cmp, Exec::Active, null, count, limit, fits);
        let offset = self.b.temp(Type::Ud, ALL_LANES);
        let slots = Lanes::imm(Type::Uw, info.vertex_slots().into());
        self.b
            .binary(Opcode::Mul, ALL_LANES, offset, count, slots, Mods::NONE);
        let fitting = Mods::pred(0, false);
        for (slot, values) in slot_runs(&outputs, &info.outputs.vue) {
            let address = UrbAddress {
                slot: info.first_slot() + slot,
                offset: Some(offset),
            };
            self.urb_write(handles, address, None, &values, fitting, false);
        }
        if info.streams && stream != 0 {
            self.set_stream(count, stream)?;
            // Recomputes the condition: recording the stream has overwritten the flag.
            self.b
                .binary(Opcode::Cmp, Exec::Active, null, count, limit, fits);
        }
        let one = Lanes::imm(Type::Ud, 1);
        self.b
            .binary(Opcode::Add, Exec::Active, count, count, one, fitting);
        self.restore_outputs(outputs)
    }

    /// The address of a slot: what exceeds the descriptor's offset field becomes a per-lane offset.
    fn urb_address(&mut self, slot: u32) -> UrbAddress {
        const MAX_OFFSET: u32 = 0x7ff;
        if slot <= MAX_OFFSET {
            return UrbAddress::constant(slot);
        }
        let offset = self.b.temp(Type::Ud, ALL_LANES);
        let excess = Lanes::imm(Type::Ud, u64::from(slot - MAX_OFFSET));
        self.b.mov(ALL_LANES, offset, excess);
        UrbAddress {
            slot: MAX_OFFSET,
            offset: Some(offset),
        }
    }

    /// Restores the outputs after a vertex, which keep their values.
    fn restore_outputs(&mut self, outputs: Outputs) -> Result<(), FsError> {
        let aliased = self.block_emits_vertex;
        let thread = self.geometry_thread()?;
        thread.outputs = outputs;
        if aliased {
            // This block has aliased the stored values directly; later blocks may store to
            // registers, which hold nothing yet.
            thread.outputs.clear();
        }
        Ok(())
    }

    /// Records the stream of a vertex in the control data. For vertices beyond the maximum the bits
    /// are ignored.
    fn set_stream(&mut self, number: Lanes, stream: u32) -> Result<(), FsError> {
        let active = Exec::Active;
        // SHL uses five bits of its count: the bit index within the dword.
        let (first, bits) = (self.shift_left(number, 1), self.b.temp(Type::Ud, active));
        let stream = Lanes::imm(Type::Ud, stream.into());
        let unshifted = self.b.temp(Type::Ud, active);
        self.b.mov(active, unshifted, stream);
        self.b
            .binary(Opcode::Shl, active, bits, unshifted, first, Mods::NONE);
        self.set_control_bits(first, bits)
    }

    /// Ors `bits` into the control data register that holds bit `first`.
    fn set_control_bits(&mut self, first: Lanes, bits: Lanes) -> Result<(), FsError> {
        let active = Exec::Active;
        let cuts = self.geometry_thread()?.control_data.clone();
        if let [cut] = cuts[..] {
            self.b
                .binary(Opcode::Or, active, cut, cut, bits, Mods::NONE);
            return Ok(());
        }
        let dword = self.b.temp(Type::Ud, active);
        let five = Lanes::imm(Type::Ud, 5);
        self.b
            .binary(Opcode::Shr, active, dword, first, five, Mods::NONE);
        for (k, cut) in (0u64..).zip(cuts) {
            let null = Lanes::null(Type::Ud, 4);
            let here = Mods::cmod(CondMod::Z, 0);
            let k = Lanes::imm(Type::Ud, k);
            self.b.binary(Opcode::Cmp, active, null, dword, k, here);
            let mods = Mods::pred(0, false);
            self.b.binary(Opcode::Or, active, cut, cut, bits, mods);
        }
        Ok(())
    }

    /// Selects `end_primitive`: sets the cut bit of the last vertex. If there is no vertex yet, the
    /// bit set has no effect.
    pub(super) fn select_end_primitive(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let thread = self.geometry_thread()?;
        if !thread.info.cuts || i.index("stream") != u32::from(thread.info.stream) {
            return Ok(());
        }
        if let Some(emits) = &mut thread.known_emits {
            if let Some(last) = emits.count.checked_sub(1) {
                emits.set_bits(last, 1);
            }
            return Ok(());
        }
        let count = self.vertex_count(i)?;
        let active = Exec::Active;
        let last = self.b.temp(Type::Ud, active);
        let minus_one = Lanes::imm(Type::Ud, u32::MAX.into());
        self.b
            .binary(Opcode::Add, active, last, count, minus_one, Mods::NONE);
        // SHL uses five bits of its count.
        let bit = self.b.temp(Type::Ud, active);
        let one = Lanes::imm(Type::Ud, 1);
        self.b
            .binary(Opcode::Shl, active, bit, one, last, Mods::NONE);
        self.set_control_bits(last, bit)
    }

    /// Writes the control data and the vertex count, and ends the thread.
    pub(super) fn end_geometry_thread(&mut self) {
        /// Slot of the control data, after the 32 bytes of the vertex count.
        const CONTROL_SLOT: u32 = 2;
        let Thread::Geometry(thread) = &self.thread else {
            return;
        };
        let handles = Lanes::new(thread.handles, 0, Type::Ud, 4);
        let imm = |value: u32| Lanes::imm(Type::Ud, value.into());
        let (count, cuts) = match &thread.known_emits {
            Some(emits) => {
                let bits = emits.count * if thread.info.streams { 2 } else { 1 };
                let has_control_data = thread.info.streams || thread.info.cuts;
                let dwords = if has_control_data {
                    bits.div_ceil(32) as usize
                } else {
                    0
                };
                let dword = |k: usize| imm(emits.control_data.get(k).copied().unwrap_or(0));
                (imm(emits.count), (0..dwords).map(dword).collect())
            }
            None => (
                thread.vertex_count.unwrap_or(imm(0)),
                thread.control_data.clone(),
            ),
        };
        // A message writes up to eight dwords, which are two slots.
        for (k, cuts) in (0..).zip(cuts.chunks(8)) {
            let address = UrbAddress::constant(CONTROL_SLOT + 2 * k);
            self.urb_write(handles, address, None, cuts, Mods::NONE, false);
        }
        self.urb_write(
            handles,
            UrbAddress::constant(0),
            None,
            &[count],
            Mods::NONE,
            true,
        );
    }

    // --- inputs ---

    /// Selects `load_primitive_id` of a geometry shader: a payload register.
    pub(super) fn select_geometry_primitive_id(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let (unsupported, def) = (unsupported(i), i.def);
        let v = self.geometry_thread()?.primitive_id.ok_or(unsupported)?;
        if let Some(def) = def {
            self.set_lanes(def, 0, Lanes::new(v, 0, Type::Ud, 4));
        }
        Ok(())
    }

    /// Selects `load_invocation_id` of a geometry shader: the upper bits of the URB handles.
    pub(super) fn select_geometry_invocation_id(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let handles = Lanes::new(self.geometry_thread()?.handles, 0, Type::Ud, 4);
        let dst = self.alloc_def(def);
        let shift = Lanes::imm(Type::Ud, 27);
        self.b
            .binary(Opcode::Shr, Exec::Active, dst, handles, shift, Mods::NONE);
        Ok(())
    }

    /// The URB handles of the input vertices that the lanes index.
    fn geometry_handles(&mut self, i: &Intrinsic) -> Result<Lanes, FsError> {
        let thread = self.geometry_thread()?;
        let (inputs, instanced) = (thread.inputs, thread.info.invocations > 1);
        let vertices = u32::from(thread.info.vertices_in);
        let vertex = i.srcs[0];
        if let Some(n) = self.sh.const_component(vertex, 0) {
            let n = (n as u32).min(vertices.saturating_sub(1));
            return Ok(match instanced {
                false => Lanes::new(inputs, n * GRF_BYTES, Type::Ud, 4),
                true => {
                    let handle = Lanes::new(inputs, n * 4, Type::Ud, 0);
                    self.in_all_lanes(handle)
                }
            });
        }
        let number = self.comp(vertex, 0, Type::Ud);
        let bytes = self.shift_left(number, if instanced { 2 } else { 5 });
        let bytes = match instanced {
            true => bytes,
            false => {
                let (lane, sum) = (self.lane_id(), self.b.temp(Type::Ud, Exec::Active));
                let lane = self.shift_left(lane, 2);
                self.b
                    .binary(Opcode::Add, Exec::Active, sum, bytes, lane, Mods::NONE);
                sum
            }
        };
        Ok(self.gather_handles(inputs, bytes))
    }

    /// Gathers URB handles at per-lane byte offsets; inactive lanes get the first vertex's handle.
    pub(super) fn gather_handles(&mut self, from: VgrfId, bytes: Lanes) -> Lanes {
        let from = Lanes::new(from, 0, Type::Ud, 4);
        let to = self.in_all_lanes(from.scalar());
        self.mov_indirect(Exec::Active, to, from, bytes);
        to
    }

    /// The URB handles of the input vertices that the lanes of a geometry or tessellation control
    /// shader index.
    pub(super) fn vertex_handles(&mut self, i: &Intrinsic) -> Result<Lanes, FsError> {
        match &self.thread {
            Thread::Control(_) => self.control_input_handles(i),
            _ => self.geometry_handles(i),
        }
    }

    /// Selects `load_per_vertex_input` of geometry and tessellation control shaders.
    pub(super) fn select_per_vertex_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let handles = self.vertex_handles(i)?;
        let map = self.input_vue_map.clone();
        let slot_of = |slot: u8| map.slot_index(slot).map(|p| p as u32);
        let Some(address) = self.slot_address(i, i.srcs[1], slot_of)? else {
            self.set_zero(def);
            return Ok(());
        };
        self.load_slot(i, handles, address, false);
        Ok(())
    }

    /// Selects the intrinsics of geometry and tessellation shaders. Returns false for those that
    /// all stages have in common.
    pub(super) fn select_primitive_stage(&mut self, i: &Intrinsic) -> Result<bool, FsError> {
        use IntrinsicOp as I;
        match (&self.thread, i.op) {
            (Thread::Geometry(_), I::EmitVertex) => self.select_emit_vertex(i)?,
            (Thread::Geometry(_), I::EndPrimitive) => self.select_end_primitive(i)?,
            (Thread::Geometry(_), I::LoadPrimitiveId) => self.select_geometry_primitive_id(i)?,
            (Thread::Geometry(_), I::LoadInvocationId) => self.select_geometry_invocation_id(i)?,
            (Thread::Geometry(_) | Thread::Control(_), I::LoadPerVertexInput) => {
                self.select_per_vertex_input(i)?;
            }
            (Thread::Control(_) | Thread::Evaluation(_), _) => return self.select_tessellation(i),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
