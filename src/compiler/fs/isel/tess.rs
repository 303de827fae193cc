//! Tessellation threads: control points and patches written to and read from the patch's URB entry.
//!
//! Ref: SKL PRM vol. 7, "Hull Shader (HS) Stage", "Domain Shader (DS) Stage", "Patch URB Entry".

use super::Isel;
use super::payload::{ControlThread, EvaluationThread, MOST_PUSHED, is_level, level_dword};
use super::thread::Thread;
use super::urb::Place;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Inst, Op, Src, VgrfId};
use isa::{ArfReg, CondMod, Opcode, Type};
use nir::{Instr, Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

/// All lanes of a thread, whichever are active.
const ALL: Exec = Exec::NoMask(8);

impl Isel<'_> {
    fn control(&mut self) -> Result<&mut ControlThread, FsError> {
        match &mut self.thread {
            Thread::Control(thread) => Ok(thread),
            _ => Err(FsError::Unsupported {
                op: "an intrinsic of tessellation control shaders",
                what: "stands in another stage",
            }),
        }
    }

    fn evaluation(&mut self) -> Result<&mut EvaluationThread, FsError> {
        match &mut self.thread {
            Thread::Evaluation(thread) => Ok(thread),
            _ => Err(FsError::Unsupported {
                op: "an intrinsic of tessellation evaluation shaders",
                what: "stands in another stage",
            }),
        }
    }

    /// The patch's handle, and which control points the lanes are for: those that are for none end.
    pub(super) fn prepare_tessellation(&mut self) {
        let own = Lanes::new(self.r0, 0, Type::Ud, 0);
        match &self.thread {
            Thread::Control(thread) => {
                let points = thread.info.patch.points;
                let instances = thread.info.instances();
                let patch = self.in_all_lanes(own);
                let invocation = self.control_points(instances);
                if !points.is_multiple_of(8) {
                    let null = Lanes::null(Type::Ud, 4);
                    let most = Lanes::imm(Type::Ud, points.into());
                    let none = Mods::cmod(CondMod::Ge, 0);
                    self.b
                        .binary(Opcode::Cmp, Exec::Active, null, invocation, most, none);
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
                let patch = self.in_all_lanes(own);
                if let Thread::Evaluation(thread) = &mut self.thread {
                    thread.patch = Some(patch);
                }
            }
            _ => {}
        }
    }

    /// The number of each lane's control point: eight times that of the instance (bits 23:17 of r0.2), and the lane's.
    fn control_points(&mut self, instances: u32) -> Lanes {
        const INSTANCE_BITS: u64 = 0x7f << 17;
        const SHIFT: u64 = 17 - 3;
        let words = Lanes::new(self.b.lir.vgrf(GRF_BYTES), 0, Type::Uw, 2);
        self.b.mov(ALL, words, Lanes::imm(Type::Uv, 0x7654_3210));
        let to = self.b.temp(Type::Ud, ALL);
        if instances == 1 {
            self.b.mov(ALL, to, words);
            return to;
        }
        let (one, first) = (Exec::Scalar, self.b.temp(Type::Ud, Exec::Scalar));
        let own = Lanes::new(self.r0, 8, Type::Ud, 0);
        let bits = Lanes::imm(Type::Ud, INSTANCE_BITS);
        self.b
            .binary(Opcode::And, one, first, own, bits, Mods::NONE);
        let shift = Lanes::imm(Type::Ud, SHIFT);
        self.b
            .binary(Opcode::Shr, one, first, first, shift, Mods::NONE);
        self.b
            .binary(Opcode::Add, ALL, to, words, first, Mods::NONE);
        to
    }

    /// What tessellation shaders ask and do; false for what all stages have.
    pub(super) fn tessellation(&mut self, i: &Intrinsic) -> Result<bool, FsError> {
        use IntrinsicOp as I;
        let is_control = matches!(self.thread, Thread::Control(_));
        match i.op {
            I::LoadPrimitiveId => {
                if let Some(def) = i.def {
                    let number = Lanes::new(self.r0, 4, Type::Ud, 0);
                    self.uniform_place(def, 0, number);
                }
            }
            I::LoadPatchVerticesIn => {
                if let Some(def) = i.def {
                    let n = Lanes::imm(Type::Ud, self.sh.info.tess.vertices_in.into());
                    self.set_place(def, 0, n);
                }
            }
            I::LoadInvocationId if is_control => {
                let unsupported = super::subgroup::unsupported(i);
                let number = self.control()?.invocation.ok_or(unsupported)?;
                if let Some(def) = i.def {
                    self.set_place(def, 0, number);
                }
            }
            I::StoreOutput if is_control => self.store_patch(i)?,
            I::StorePerVertexOutput => self.store_point(i)?,
            I::LoadOutput => self.load_patch(i)?,
            I::LoadPerVertexOutput => self.load_point(i)?,
            I::Barrier if is_control => self.patch_barrier(i)?,
            I::LoadTessCoord => self.tess_coord(i)?,
            I::LoadInput if !is_control => self.patch_input(i)?,
            I::LoadPerVertexInput if !is_control => self.point_input(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    // --- the control stage ----------------------------------------------------------------------------

    /// The handles of the vertices that lanes ask for.
    pub(super) fn control_handles(&mut self, i: &Intrinsic) -> Result<Lanes, FsError> {
        const MOST: u32 = 32;
        let thread = self.control()?;
        let (inputs, instances) = (thread.inputs, thread.info.instances());
        let vertex = i.srcs[0];
        if let Some(n) = self.sh.const_component(vertex, 0) {
            let n = (n as u32).min(MOST - 1);
            return Ok(self.in_all_lanes(Lanes::new(inputs, n * 4, Type::Ud, 0)));
        }
        let own = |i: &Intrinsic| i.op == IntrinsicOp::LoadInvocationId;
        if instances == 1 && matches!(self.sh.instr_of(vertex), Instr::Intrinsic(i) if own(i)) {
            // Each lane its own vertex: the handles stand as the lanes do.
            return Ok(Lanes::new(inputs, 0, Type::Ud, 4));
        }
        let number = self.comp(vertex, 0, Type::Ud);
        let bytes = self.shifted(number, 2);
        Ok(self.picked(inputs, bytes))
    }

    pub(super) fn patch_handle(&mut self, i: &Intrinsic) -> Result<Lanes, FsError> {
        let patch = match &self.thread {
            Thread::Control(thread) => thread.patch,
            Thread::Evaluation(thread) => thread.patch,
            _ => None,
        };
        patch.ok_or(super::subgroup::unsupported(i))
    }

    /// Where an output of the patch lies.
    fn patch_place(&mut self, i: &Intrinsic, offset: usize) -> Result<Option<Place>, FsError> {
        let map = match &self.thread {
            Thread::Control(thread) => thread.info.patch.clone(),
            Thread::Evaluation(thread) => thread.patch_map.clone(),
            _ => return Err(super::subgroup::unsupported(i)),
        };
        let place = |slot: u8| map.place(slot).map(|p| p as u32);
        self.place_of_slots(i, i.srcs[offset], place)
    }

    /// Where a slot of a control point lies. Operands: the point, slots to add.
    pub(super) fn point_place(
        &mut self,
        i: &Intrinsic,
        vertex: usize,
        offset: usize,
    ) -> Result<Option<Place>, FsError> {
        let map = match &self.thread {
            Thread::Control(thread) => thread.info.patch.clone(),
            Thread::Evaluation(thread) => thread.patch_map.clone(),
            _ => return Err(super::subgroup::unsupported(i)),
        };
        let place = |slot: u8| map.point_place(slot).map(|p| p as u32);
        let Some(mut place) = self.place_of_slots(i, i.srcs[offset], place)? else {
            return Ok(None);
        };
        let slots = map.point_slots() as u32;
        if let Some(n) = self.sh.const_component(i.srcs[vertex], 0) {
            let n = (n as u32).min(map.points.saturating_sub(1));
            place.slot += n * slots;
            return Ok(Some(place));
        }
        let number = self.comp(i.srcs[vertex], 0, Type::Ud);
        let exec = self.exec_of_slots(i);
        let distance = self.b.temp(Type::Ud, exec);
        let slots = Lanes::imm(Type::Uw, slots.into());
        self.b
            .binary(Opcode::Mul, exec, distance, number, slots, Mods::NONE);
        place.offset = Some(match place.offset {
            None => distance,
            Some(more) => {
                let sum = self.b.temp(Type::Ud, exec);
                self.b
                    .binary(Opcode::Add, exec, sum, distance, more, Mods::NONE);
                sum
            }
        });
        Ok(Some(place))
    }

    /// Writes the components that a store names.
    fn write_slot(&mut self, i: &Intrinsic, place: Place) -> Result<(), FsError> {
        let handles = self.patch_handle(i)?;
        let n = self.sh.defs[i.srcs[0]].num_components.min(4);
        let first =
            abi::header_dword(i.index("location") as u8).map_or(i.index("component"), u32::from);
        let written = i.index("write_mask") & ((1 << n) - 1);
        self.write_dwords(i, handles, place, first, written);
        Ok(())
    }

    /// Writes components of operand 0, those of the mask, from a dword of a slot on.
    fn write_dwords(
        &mut self,
        i: &Intrinsic,
        handles: Lanes,
        place: Place,
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
        self.urb_write(handles, place, masked, &values, Mods::NONE, false);
    }

    /// `store_output` of a control shader.
    fn store_patch(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        self.only_dwords(i, &[i.srcs[0]])?;
        let slot = i.index("location");
        if !is_level(slot) {
            return match self.patch_place(i, 1)? {
                Some(place) => self.write_slot(i, place),
                None => Err(super::subgroup::unsupported(i)),
            };
        }
        let handles = self.patch_handle(i)?;
        let domain = self.control()?.domain;
        // By slot of the header: its channels that are written, and with what.
        let mut slots = [(0u32, [Lanes::imm(Type::Ud, 0); 4]); 2];
        for c in (0..4).filter(|c| i.index("write_mask") >> c & 1 == 1) {
            if let Some(dword) = level_dword(domain, slot, i.index("component") + c) {
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
                let (place, values) = (Place::at(slot as u32), &values[..end]);
                let masked = (channels.count_ones() as usize != end).then_some(channels);
                self.urb_write(handles, place, masked, values, Mods::NONE, false);
            }
        }
        Ok(())
    }

    fn store_point(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        self.only_dwords(i, &[i.srcs[0]])?;
        match self.point_place(i, 1, 2)? {
            Some(place) => self.write_slot(i, place),
            None => Err(super::subgroup::unsupported(i)),
        }
    }

    fn load_patch(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        if is_level(i.index("location")) {
            return self.load_level(i);
        }
        let handles = self.patch_handle(i)?;
        if let Some(place) = self.patch_place(i, 0)? {
            self.read_slot(i, handles, place, true);
        }
        Ok(())
    }

    fn load_point(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let handles = self.patch_handle(i)?;
        if let Some(place) = self.point_place(i, 0, 1)? {
            self.read_slot(i, handles, place, true);
        }
        Ok(())
    }

    /// Tessellation levels, read from the header.
    fn load_level(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let domain = self.control()?.domain;
        let handles = self.patch_handle(i)?;
        let mut read: [Option<VgrfId>; 2] = [None; 2];
        for c in 0..self.sh.defs[def].num_components {
            let component = i.index("component") + u32::from(c);
            let level = level_dword(domain, i.index("location"), component);
            let slot = level.and_then(|dword| Some((dword, read.get_mut((dword / 4) as usize)?)));
            let place = match slot {
                Some((dword, read)) => {
                    let whole =
                        || self.urb_read(Exec::Active, handles, Place::at(dword / 4), 4, true);
                    let v = *read.get_or_insert_with(whole);
                    Lanes::new(v, dword % 4 * GRF_BYTES, Type::Ud, 4)
                }
                None => Lanes::imm(Type::Ud, 0),
            };
            self.set_place(def, c, place);
        }
        Ok(())
    }

    /// A barrier of a patch's threads. Messages of one thread are done in order.
    fn patch_barrier(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        /// Scope Workgroup; narrower ones have larger numbers.
        const SCOPE_WORKGROUP: u32 = 2;
        let instances = self.control()?.info.instances();
        if instances == 1 || i.index("execution_scope") > SCOPE_WORKGROUP {
            return Ok(());
        }
        let ud = Type::Ud;
        let payload = self.b.lir.vgrf(GRF_BYTES);
        self.b
            .mov(ALL, Lanes::new(payload, 0, ud, 4), Lanes::imm(ud, 0));
        // The barrier's number is in bits 16:13 of r0.2 and goes to 27:24; then how many threads, and that this is said.
        let (one, to) = (Exec::Scalar, Lanes::new(payload, 8, ud, 0));
        let own = Lanes::new(self.r0, 8, ud, 0);
        let bits = Lanes::imm(ud, 0xf << 13);
        self.b.binary(Opcode::And, one, to, own, bits, Mods::NONE);
        let shift = Lanes::imm(ud, 11);
        self.b.binary(Opcode::Shl, one, to, to, shift, Mods::NONE);
        let count = Lanes::imm(ud, u64::from(instances) << 9 | 1 << 15);
        self.b.binary(Opcode::Or, one, to, to, count, Mods::NONE);
        let header = Lanes::new(payload, 0, ud, 4);
        let payload = self.b.collect(ALL, &[header], &[]);
        let (null, none) = (Dst::null(ud), Src::NULL);
        let info = message::barrier();
        self.b
            .send(ALL, null, payload, none, none, info, Mods::NONE);
        let mut wait = Inst::new(Op::Eu(Opcode::Wait), 1);
        wait.no_mask = true;
        wait.dst = Dst::arf(ArfReg::Notification, 0, 0, ud);
        wait.src[0] = Src::arf(ArfReg::Notification, 0, 0, ud);
        self.b.lir.insts.push(wait);
        Ok(())
    }

    /// Ends a control thread, with zero for a dword of the patch's header that must be zero.
    pub(super) fn end_control(&mut self) {
        let Thread::Control(thread) = &self.thread else {
            return;
        };
        let Some(patch) = thread.patch else { return };
        let zero = Lanes::imm(Type::Ud, 0);
        self.urb_write(patch, Place::at(0), Some(1), &[zero], Mods::NONE, true);
    }

    // --- the evaluation stage -------------------------------------------------------------------------

    fn tess_coord(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let thread = self.evaluation()?;
        let (v, has_w) = (
            thread.coordinates,
            thread.info.domain == abi::TessDomain::Triangles,
        );
        for c in 0..3 {
            let place = match c == 2 && !has_w {
                true => Lanes::imm(Type::Ud, 0),
                false => Lanes::new(v, u32::from(c) * GRF_BYTES, Type::Ud, 4),
            };
            self.set_place(def, c, place);
        }
        Ok(())
    }

    /// A register of the patch's entry that is pushed.
    fn pushed_register(&mut self, register: u32) -> Result<VgrfId, FsError> {
        let thread = self.evaluation()?;
        let known = thread.pushed.iter().find(|p| p.0 == register);
        if let Some(known) = known {
            return Ok(known.1);
        }
        let v = self.b.lir.vgrf(GRF_BYTES);
        self.evaluation()?.pushed.push((register, v));
        Ok(v)
    }

    /// Components of the patch's entry that are pushed, if they lie where they can be.
    fn pushed(&mut self, i: &Intrinsic, slot: u32, first: u8) -> Result<bool, FsError> {
        let register = slot / 2;
        if register >= MOST_PUSHED {
            return Ok(false);
        }
        let Some(def) = i.def else { return Ok(true) };
        let v = self.pushed_register(register)?;
        for c in 0..self.sh.defs[def].num_components {
            let at = slot % 2 * 16 + u32::from(first + c) * 4;
            self.uniform_place(def, c, Lanes::new(v, at, Type::Ud, 0));
        }
        Ok(true)
    }

    fn entry_input(&mut self, i: &Intrinsic, place: Option<Place>) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        self.only_dwords(i, &[def])?;
        let Some(place) = place else {
            self.nothing(def);
            return Ok(());
        };
        let first =
            abi::header_dword(i.index("location") as u8).unwrap_or(i.index("component") as u8);
        if place.offset.is_none() && self.pushed(i, place.slot, first)? {
            return Ok(());
        }
        let handles = self.patch_handle(i)?;
        self.read_slot(i, handles, place, false);
        Ok(())
    }

    /// `load_input` of an evaluation shader: of the patch.
    fn patch_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        if is_level(i.index("location")) {
            return self.pushed_level(i);
        }
        let place = self.patch_place(i, 0)?;
        self.entry_input(i, place)
    }

    /// Tessellation levels: the header's registers.
    fn pushed_level(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let domain = self.evaluation()?.info.domain;
        for c in 0..self.sh.defs[def].num_components {
            let component = i.index("component") + u32::from(c);
            match level_dword(domain, i.index("location"), component) {
                Some(dword) => {
                    let v = self.pushed_register(0)?;
                    self.uniform_place(def, c, Lanes::new(v, dword * 4, Type::Ud, 0));
                }
                None => self.set_place(def, c, Lanes::imm(Type::Ud, 0)),
            }
        }
        Ok(())
    }

    fn point_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let place = self.point_place(i, 0, 1)?;
        self.entry_input(i, place)
    }
}
