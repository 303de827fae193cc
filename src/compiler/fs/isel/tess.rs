//! Tessellation shaders: control points and patch outputs in the patch's URB entry.
//!
//! In:  the intrinsics of control and evaluation shaders. Out: URB messages, and reads of pushed
//! registers.
//! Ref: SKL PRM vol. 7, "Hull Shader (HS) Stage", "Domain Shader (DS) Stage", "Patch URB Entry".
//! Tests: tests/fs/tess/.

use super::context::Isel;
use super::payload::{
    ControlThread, EvaluationThread, MAX_PUSHED, Thread, is_tess_level, tess_level_dword,
};
use super::unsupported::{unsupported, wrong_stage};
use super::urb::{ALL_LANES, UrbAddress};
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Inst, Op, Src, VgrfId};
use abi::DriverValue;
use isa::{ArfReg, CondMod, Opcode, Type};
use nir::{Instr, Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

impl Isel<'_> {
    /// The payload of the tessellation control thread.
    fn control_thread(&mut self) -> Result<&mut ControlThread, FsError> {
        match &mut self.thread {
            Thread::Control(thread) => Ok(thread),
            _ => Err(wrong_stage("tessellation control intrinsic")),
        }
    }

    /// The payload of the tessellation evaluation thread.
    fn evaluation_thread(&mut self) -> Result<&mut EvaluationThread, FsError> {
        match &mut self.thread {
            Thread::Evaluation(thread) => Ok(thread),
            _ => Err(wrong_stage("tessellation evaluation intrinsic")),
        }
    }

    /// Emits the patch's URB handle and the control point number of each lane. Lanes beyond the
    /// last control point halt.
    pub(super) fn emit_tessellation_state(&mut self) {
        let r0 = Lanes::new(self.r0, 0, Type::Ud, 0);
        match &self.thread {
            Thread::Control(thread) => {
                let points = thread.info.patch.points;
                let instances = thread.info.instances();
                let patch = self.in_all_lanes(r0);
                let invocation = self.control_point_numbers(instances);
                if !points.is_multiple_of(8) {
                    let null = Lanes::null(Type::Ud, 4);
                    let limit = Lanes::imm(Type::Ud, points.into());
                    let none = Mods::cmod(CondMod::Ge, 0);
                    self.b
                        .binary(Opcode::Cmp, Exec::Active, null, invocation, limit, none);
                    self.halts = true;
                    let pred = Mods::pred(0, false).pred;
                    self.b.control(Op::Eu(Opcode::Halt), pred, 0);
                }
                if let Thread::Control(thread) = &mut self.thread {
                    thread.patch = Some(patch);
                    thread.invocation = Some(invocation);
                }
            }
            Thread::Evaluation(_) => {
                let patch = self.in_all_lanes(r0);
                if let Thread::Evaluation(thread) = &mut self.thread {
                    thread.patch = Some(patch);
                }
            }
            _ => {}
        }
    }

    /// The control point number of each lane: eight times the instance number (bits 23:17 of r0.2),
    /// plus the lane number.
    fn control_point_numbers(&mut self, instances: u32) -> Lanes {
        const INSTANCE_BITS: u64 = 0x7f << 17;
        const SHIFT: u64 = 17 - 3;
        let words = Lanes::new(self.b.lir.vgrf(GRF_BYTES), 0, Type::Uw, 2);
        self.b
            .mov(ALL_LANES, words, Lanes::imm(Type::Uv, 0x7654_3210));
        let to = self.b.temp(Type::Ud, ALL_LANES);
        if instances == 1 {
            self.b.mov(ALL_LANES, to, words);
            return to;
        }
        let (one, first) = (Exec::Scalar, self.b.temp(Type::Ud, Exec::Scalar));
        let r0 = Lanes::new(self.r0, 8, Type::Ud, 0);
        let bits = Lanes::imm(Type::Ud, INSTANCE_BITS);
        self.b.binary(Opcode::And, one, first, r0, bits, Mods::NONE);
        let shift = Lanes::imm(Type::Ud, SHIFT);
        self.b
            .binary(Opcode::Shr, one, first, first, shift, Mods::NONE);
        self.b
            .binary(Opcode::Add, ALL_LANES, to, words, first, Mods::NONE);
        to
    }

    /// Selects the intrinsics of tessellation shaders. Returns false for those that all stages have
    /// in common.
    pub(super) fn select_tessellation(&mut self, i: &Intrinsic) -> Result<bool, FsError> {
        use IntrinsicOp as I;
        let is_control = matches!(self.thread, Thread::Control(_));
        match i.op {
            I::LoadPrimitiveId => {
                if let Some(def) = i.def {
                    let number = Lanes::new(self.r0, 4, Type::Ud, 0);
                    self.set_uniform(def, 0, number);
                }
            }
            I::LoadPatchVerticesIn => {
                let n = match self.sh.info.tess.vertices_in {
                    // Commands set it.
                    0 => self.push_value(DriverValue::PatchPoints),
                    known => Lanes::imm(Type::Ud, known.into()),
                };
                self.set_system_value(i, 0, n);
            }
            I::LoadInvocationId if is_control => {
                let unsupported = unsupported(i);
                let number = self.control_thread()?.invocation.ok_or(unsupported)?;
                if let Some(def) = i.def {
                    self.set_lanes(def, 0, number);
                }
            }
            I::StoreOutput if is_control => self.select_store_patch(i)?,
            I::StorePerVertexOutput => self.select_store_point(i)?,
            I::LoadOutput => self.select_load_patch(i)?,
            I::LoadPerVertexOutput => self.select_load_point(i)?,
            I::Barrier if is_control => self.select_patch_barrier(i)?,
            I::LoadTessCoord => self.select_tess_coord(i)?,
            I::LoadInput if !is_control => self.select_patch_input(i)?,
            I::LoadPerVertexInput if !is_control => self.select_point_input(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    // --- the control stage ---

    /// The URB handles of the input vertices that the lanes index.
    pub(super) fn control_input_handles(&mut self, i: &Intrinsic) -> Result<Lanes, FsError> {
        const MAX_VERTICES: u32 = 32;
        let thread = self.control_thread()?;
        let (inputs, instances) = (thread.inputs, thread.info.instances());
        let vertex = i.srcs[0];
        if let Some(n) = self.sh.const_component(vertex, 0) {
            let n = (n as u32).min(MAX_VERTICES - 1);
            return Ok(self.in_all_lanes(Lanes::new(inputs, n * 4, Type::Ud, 0)));
        }
        let is_own_index = |i: &Intrinsic| i.op == IntrinsicOp::LoadInvocationId;
        if instances == 1
            && matches!(self.sh.instr_of(vertex), Instr::Intrinsic(i) if is_own_index(i))
        {
            // Each lane reads its own vertex, and the handles are already in lane order.
            return Ok(Lanes::new(inputs, 0, Type::Ud, 4));
        }
        let number = self.comp(vertex, 0, Type::Ud);
        let bytes = self.shift_left(number, 2);
        Ok(self.gather_handles(inputs, bytes))
    }

    /// The URB handle of the patch's entry, in every lane.
    pub(super) fn patch_handle(&mut self, i: &Intrinsic) -> Result<Lanes, FsError> {
        let patch = match &self.thread {
            Thread::Control(thread) => thread.patch,
            Thread::Evaluation(thread) => thread.patch,
            _ => None,
        };
        patch.ok_or(unsupported(i))
    }

    /// The URB address of a per-patch output. `None` if the entry does not have it.
    fn patch_address(
        &mut self,
        i: &Intrinsic,
        offset: usize,
    ) -> Result<Option<UrbAddress>, FsError> {
        let map = match &self.thread {
            Thread::Control(thread) => thread.info.patch.clone(),
            Thread::Evaluation(thread) => thread.patch_map.clone(),
            _ => return Err(unsupported(i)),
        };
        let slot_of = |slot: u8| map.slot_index(slot).map(|p| p as u32);
        self.slot_address(i, i.srcs[offset], slot_of)
    }

    /// The URB address of a control point's slot. `vertex` and `offset` are the indices of the
    /// operands with the control point and the slot offset.
    pub(super) fn point_address(
        &mut self,
        i: &Intrinsic,
        vertex: usize,
        offset: usize,
    ) -> Result<Option<UrbAddress>, FsError> {
        let map = match &self.thread {
            Thread::Control(thread) => thread.info.patch.clone(),
            Thread::Evaluation(thread) => thread.patch_map.clone(),
            _ => return Err(unsupported(i)),
        };
        let slot_of = |slot: u8| map.point_slot_index(slot).map(|p| p as u32);
        let Some(mut address) = self.slot_address(i, i.srcs[offset], slot_of)? else {
            return Ok(None);
        };
        let slots = map.point_slots() as u32;
        if let Some(n) = self.sh.const_component(i.srcs[vertex], 0) {
            let n = (n as u32).min(map.points.saturating_sub(1));
            address.slot += n * slots;
            return Ok(Some(address));
        }
        let number = self.comp(i.srcs[vertex], 0, Type::Ud);
        let exec = self.urb_exec(i);
        let distance = self.b.temp(Type::Ud, exec);
        let slots = Lanes::imm(Type::Uw, slots.into());
        self.b
            .binary(Opcode::Mul, exec, distance, number, slots, Mods::NONE);
        address.offset = Some(match address.offset {
            None => distance,
            Some(offset) => {
                let sum = self.b.temp(Type::Ud, exec);
                self.b
                    .binary(Opcode::Add, exec, sum, distance, offset, Mods::NONE);
                sum
            }
        });
        Ok(Some(address))
    }

    /// Writes the components of a store.
    fn store_slot(&mut self, i: &Intrinsic, address: UrbAddress) -> Result<(), FsError> {
        let handles = self.patch_handle(i)?;
        let n = self.sh.defs[i.srcs[0]].num_components.min(4);
        let first =
            abi::header_dword(i.index("location") as u8).map_or(i.index("component"), u32::from);
        let written = i.index("write_mask") & ((1 << n) - 1);
        self.write_slot_dwords(i, handles, address, first, written);
        Ok(())
    }

    /// Writes the components of operand 0 in the mask `written` to a slot, starting at its dword
    /// `first`.
    fn write_slot_dwords(
        &mut self,
        i: &Intrinsic,
        handles: Lanes,
        address: UrbAddress,
        first: u32,
        written: u32,
    ) {
        let channels = written << first;
        let end = 32 - channels.leading_zeros();
        let mut values: SmallVec<[Lanes; 4]> = SmallVec::new();
        for c in 0..end {
            values.push(match channels >> c & 1 {
                1 => self.comp(i.srcs[0], (c - first) as u8, Type::Ud),
                _ => Lanes::imm(Type::Ud, 0),
            });
        }
        let all = channels.count_ones() == end;
        let masked = (!all).then_some(channels);
        self.urb_write(handles, address, masked, &values, Mods::NONE, false);
    }

    /// Selects `store_output` of a control shader: a per-patch output or a tessellation level.
    fn select_store_patch(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        self.require_dwords(i, &[i.srcs[0]])?;
        let slot = i.index("location");
        if !is_tess_level(slot) {
            return match self.patch_address(i, 1)? {
                Some(address) => self.store_slot(i, address),
                None => Err(unsupported(i)),
            };
        }
        let handles = self.patch_handle(i)?;
        let domain = self.control_thread()?.domain;
        // For both slots of the patch header: channel mask and values.
        let mut slots = [(0u32, [Lanes::imm(Type::Ud, 0); 4]); 2];
        for c in (0..4).filter(|c| i.index("write_mask") >> c & 1 == 1) {
            if let Some(dword) = tess_level_dword(domain, slot, i.index("component") + c) {
                let channel = dword % 4;
                let Some((channels, values)) = slots.get_mut((dword / 4) as usize) else {
                    continue;
                };
                *channels |= 1 << channel;
                values[channel as usize] = self.comp(i.srcs[0], c as u8, Type::Ud);
            }
        }
        for (slot, (channels, values)) in slots.into_iter().enumerate() {
            if channels != 0 {
                let end = (32 - channels.leading_zeros()) as usize;
                let (address, values) = (UrbAddress::constant(slot as u32), &values[..end]);
                let masked = (channels.count_ones() as usize != end).then_some(channels);
                self.urb_write(handles, address, masked, values, Mods::NONE, false);
            }
        }
        Ok(())
    }

    fn select_store_point(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        self.require_dwords(i, &[i.srcs[0]])?;
        match self.point_address(i, 1, 2)? {
            Some(address) => self.store_slot(i, address),
            None => Err(unsupported(i)),
        }
    }

    fn select_load_patch(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        if is_tess_level(i.index("location")) {
            return self.select_load_level(i);
        }
        let handles = self.patch_handle(i)?;
        if let Some(address) = self.patch_address(i, 0)? {
            self.load_slot(i, handles, address, true);
        }
        Ok(())
    }

    fn select_load_point(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let handles = self.patch_handle(i)?;
        if let Some(address) = self.point_address(i, 0, 1)? {
            self.load_slot(i, handles, address, true);
        }
        Ok(())
    }

    /// Loads tessellation levels from the patch header.
    fn select_load_level(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let domain = self.control_thread()?.domain;
        let handles = self.patch_handle(i)?;
        let mut read: [Option<VgrfId>; 2] = [None; 2];
        for c in 0..self.sh.defs[def].num_components {
            let component = i.index("component") + u32::from(c);
            let dword = tess_level_dword(domain, i.index("location"), component);
            let slot = dword.and_then(|dword| Some((dword, read.get_mut((dword / 4) as usize)?)));
            let level = match slot {
                Some((dword, read)) => {
                    let whole = || {
                        self.urb_read(
                            Exec::Active,
                            handles,
                            UrbAddress::constant(dword / 4),
                            4,
                            true,
                        )
                    };
                    let v = *read.get_or_insert_with(whole);
                    Lanes::new(v, dword % 4 * GRF_BYTES, Type::Ud, 4)
                }
                None => Lanes::imm(Type::Ud, 0),
            };
            self.set_lanes(def, c, level);
        }
        Ok(())
    }

    /// Selects a barrier between the threads of a patch. A single thread needs none, because its
    /// messages execute in order.
    fn select_patch_barrier(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        /// SPIR-V scope Workgroup; larger numbers are narrower scopes.
        const SCOPE_WORKGROUP: u32 = 2;
        let instances = self.control_thread()?.info.instances();
        if instances == 1 || i.index("execution_scope") > SCOPE_WORKGROUP {
            return Ok(());
        }
        let ud = Type::Ud;
        let payload = self.b.lir.vgrf(GRF_BYTES);
        self.b
            .mov(ALL_LANES, Lanes::new(payload, 0, ud, 4), Lanes::imm(ud, 0));
        // The barrier's number moves from bits 16:13 of r0.2 to bits 27:24. The number of threads
        // goes to bit 9 upwards, with bit 15 to mark it valid.
        let (one, to) = (Exec::Scalar, Lanes::new(payload, 8, ud, 0));
        let r0 = Lanes::new(self.r0, 8, ud, 0);
        let bits = Lanes::imm(ud, 0xf << 13);
        self.b.binary(Opcode::And, one, to, r0, bits, Mods::NONE);
        let shift = Lanes::imm(ud, 11);
        self.b.binary(Opcode::Shl, one, to, to, shift, Mods::NONE);
        let count = Lanes::imm(ud, u64::from(instances) << 9 | 1 << 15);
        self.b.binary(Opcode::Or, one, to, to, count, Mods::NONE);
        let header = Lanes::new(payload, 0, ud, 4);
        let payload = self.b.collect(ALL_LANES, &[header], &[]);
        let (null, none) = (Dst::null(ud), Src::NULL);
        let info = message::barrier();
        self.b
            .send(ALL_LANES, null, payload, none, none, info, Mods::NONE);
        let mut wait = Inst::new(Op::Eu(Opcode::Wait), 1);
        wait.no_mask = true;
        wait.dst = Dst::arf(ArfReg::Notification, 0, 0, ud);
        wait.src[0] = Src::arf(ArfReg::Notification, 0, 0, ud);
        self.b.lir.insts.push(wait);
        Ok(())
    }

    /// Ends a control thread with a write of zero to the first dword of the patch header,
    /// which must be zero.
    pub(super) fn end_control_thread(&mut self) {
        let Thread::Control(thread) = &self.thread else {
            return;
        };
        let Some(patch) = thread.patch else { return };
        let zero = Lanes::imm(Type::Ud, 0);
        self.urb_write(
            patch,
            UrbAddress::constant(0),
            Some(1),
            &[zero],
            Mods::NONE,
            true,
        );
    }

    // --- the evaluation stage ---

    fn select_tess_coord(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let thread = self.evaluation_thread()?;
        let (v, has_w) = (
            thread.coordinates,
            thread.info.domain == abi::TessDomain::Triangles,
        );
        for c in 0..3 {
            let coordinate = match c == 2 && !has_w {
                true => Lanes::imm(Type::Ud, 0),
                false => Lanes::new(v, u32::from(c) * GRF_BYTES, Type::Ud, 4),
            };
            self.set_lanes(def, c, coordinate);
        }
        Ok(())
    }

    /// The VGRF of a pushed register of the patch's URB entry; requests the push.
    fn pushed_register(&mut self, register: u32) -> Result<VgrfId, FsError> {
        let thread = self.evaluation_thread()?;
        if let Some(pushed) = thread.pushed.iter().find(|p| p.0 == register) {
            return Ok(pushed.1);
        }
        let v = self.b.lir.vgrf(GRF_BYTES);
        self.evaluation_thread()?.pushed.push((register, v));
        Ok(v)
    }

    /// Selects a load of the patch's URB entry from pushed registers. Returns false if the slot is
    /// beyond those that can be pushed.
    fn select_pushed_input(
        &mut self,
        i: &Intrinsic,
        slot: u32,
        first: u8,
    ) -> Result<bool, FsError> {
        let register = slot / 2;
        if register >= MAX_PUSHED {
            return Ok(false);
        }
        let Some(def) = i.def else { return Ok(true) };
        let v = self.pushed_register(register)?;
        for c in 0..self.sh.defs[def].num_components {
            let at = slot % 2 * 16 + u32::from(first + c) * 4;
            self.set_uniform(def, c, Lanes::new(v, at, Type::Ud, 0));
        }
        Ok(true)
    }

    /// Selects a load from the patch's URB entry: pushed, if possible, else with a message.
    fn select_entry_input(
        &mut self,
        i: &Intrinsic,
        address: Option<UrbAddress>,
    ) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        self.require_dwords(i, &[def])?;
        let Some(address) = address else {
            self.set_zero(def);
            return Ok(());
        };
        let first =
            abi::header_dword(i.index("location") as u8).unwrap_or(i.index("component") as u8);
        if address.offset.is_none() && self.select_pushed_input(i, address.slot, first)? {
            return Ok(());
        }
        let handles = self.patch_handle(i)?;
        self.load_slot(i, handles, address, false);
        Ok(())
    }

    /// Selects `load_input` of an evaluation shader: a per-patch input.
    fn select_patch_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        if is_tess_level(i.index("location")) {
            return self.select_pushed_level(i);
        }
        let address = self.patch_address(i, 0)?;
        self.select_entry_input(i, address)
    }

    /// Selects a load of tessellation levels from the pushed patch header.
    fn select_pushed_level(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let domain = self.evaluation_thread()?.info.domain;
        for c in 0..self.sh.defs[def].num_components {
            let component = i.index("component") + u32::from(c);
            match tess_level_dword(domain, i.index("location"), component) {
                Some(dword) => {
                    let v = self.pushed_register(0)?;
                    self.set_uniform(def, c, Lanes::new(v, dword * 4, Type::Ud, 0));
                }
                None => self.set_lanes(def, c, Lanes::imm(Type::Ud, 0)),
            }
        }
        Ok(())
    }

    fn select_point_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let address = self.point_address(i, 0, 1)?;
        self.select_entry_input(i, address)
    }
}
