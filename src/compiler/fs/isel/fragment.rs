//! Fragment shaders: payload values, live pixels, inputs, system values and derivatives.
//!
//! In:  the intrinsics of a fragment shader. Out: reads of the payload, pixel interpolator
//! messages, the mask of live pixels.
//!
//! Helper invocations execute like others; they are part of the execution mask. Where only live
//! pixels may have an effect (memory, render targets), the message is predicated by the dispatch
//! mask in r1.7, or, in shaders that demote pixels, by a copy of it from which demoted pixels are
//! removed.
//! SIMD32 threads have two groups of 16 pixels: r1 and r2 have the same layout, and all per-pixel
//! payload comes group by group.
//! Ref: SKL PRM vol. 7, "Pixel Shader Thread Payload"; "PLN".
//! Tests: tests/fs/fragment/.

use super::cond::flag_word;
use super::context::{Isel, Loc};
use super::demote::{DemoteTracking, PIXEL_FLAG, pixel_flag};
use super::payload::{FragmentThread, PayloadValue, Thread};
use super::surface::LOOP_FLAG;
use super::unsupported::{unsupported_intrinsic, wrong_stage};
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message::{self, InterpolateAt};
use crate::lir::{Dst, GRF_BYTES, Inst, Op, Pred, Reg, Rows, Src, VgrfId};
use abi::Barycentric;
use entity::Id;
use isa::{ArfReg, MathFn, Opcode, Type};
use nir::{Def, Instr, InterpMode, Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

/// Byte offset of the dispatch mask (r1.7) in the VGRF of r0 and r1. That of pixels 16 to 31 is one
/// register further.
pub(super) const PIXEL_MASK_OFFSET: u32 = GRF_BYTES + 28;

/// Lanes of a pixel group.
pub(super) const PIXEL_GROUP: u8 = 16;

/// Byte offset of a lane's pixel group from that of the first one, in payload that has one register
/// per group.
pub(super) fn group_offset(lane: u8) -> u32 {
    u32::from(lane / PIXEL_GROUP) * GRF_BYTES
}

/// The values of one pixel group, in registers of its own.
fn group_lanes(v: VgrfId, offset: u32, ty: Type, pitch: u8) -> Lanes {
    Lanes {
        half: 0,
        ..Lanes::new(v, offset, ty, pitch)
    }
}

/// Bytes of the pixel interpolator's response for each lane.
const RESPONSE_BYTES: u32 = 8;

/// The barycentric mode of an intrinsic, if the payload can have it.
fn barycentric_mode(i: &Intrinsic) -> Option<Barycentric> {
    use Barycentric as B;
    let linear = InterpMode::from_index(i.index("interp_mode")) == Some(InterpMode::NoPerspective);
    Some(match (i.op, linear) {
        (IntrinsicOp::LoadBarycentricPixel, false) => B::PerspectivePixel,
        (IntrinsicOp::LoadBarycentricCentroid, false) => B::PerspectiveCentroid,
        (IntrinsicOp::LoadBarycentricSample, false) => B::PerspectiveSample,
        (IntrinsicOp::LoadBarycentricPixel, true) => B::LinearPixel,
        (IntrinsicOp::LoadBarycentricCentroid, true) => B::LinearCentroid,
        (IntrinsicOp::LoadBarycentricSample, true) => B::LinearSample,
        _ => return None,
    })
}

impl Isel<'_> {
    /// The payload of the fragment thread.
    fn fragment_thread(&mut self) -> Result<&mut FragmentThread, FsError> {
        match &mut self.thread {
            Thread::Fragment(thread) => Ok(thread),
            _ => Err(wrong_stage("fragment shader intrinsic")),
        }
    }

    /// The registers of a payload value with `bytes` for each lane, one VGRF per pixel group;
    /// allocates them at the first use.
    fn payload_value(
        &mut self,
        field: impl Fn(&mut FragmentThread) -> &mut PayloadValue,
        bytes: u32,
    ) -> Result<[VgrfId; 2], FsError> {
        if let Some(groups) = *field(self.fragment_thread()?) {
            return Ok(groups);
        }
        let width = self.b.width();
        let bytes = bytes * u32::from(width.min(PIXEL_GROUP));
        let first = self.b.lir.vgrf(bytes);
        let second = if width > PIXEL_GROUP {
            self.b.lir.vgrf(bytes)
        } else {
            first
        };
        let groups = [first, second];
        *field(self.fragment_thread()?) = Some(groups);
        Ok(groups)
    }

    /// The pixel groups of a payload value: first lane, lanes, and registers of each.
    fn pixel_groups<T: Copy>(
        &self,
        registers: [T; 2],
    ) -> impl Iterator<Item = (u8, Exec, T)> + use<T> {
        let (lanes, first_lanes) = self.split_lanes(PIXEL_GROUP);
        let groups = first_lanes.zip(registers);
        groups.map(move |(lane, regs)| (lane, Exec::Range(lane, lanes), regs))
    }

    /// A payload value with a dword for each lane: the payload itself, or a copy if there are two
    /// pixel groups.
    fn payload_lanes(
        &mut self,
        field: impl Fn(&mut FragmentThread) -> &mut PayloadValue,
        ty: Type,
    ) -> Result<Lanes, FsError> {
        let registers = self.payload_value(field, 4)?;
        if self.b.width() <= PIXEL_GROUP {
            return Ok(Lanes::new(registers[0], 0, ty, 4));
        }
        let all = self.b.temp(ty, Exec::Active);
        for (_, exec, v) in self.pixel_groups(registers) {
            self.b.mov(exec, all, group_lanes(v, 0, ty, 4));
        }
        Ok(all)
    }

    // --- live pixels ---

    /// The type of a mask with one bit for each pixel.
    fn pixel_mask_type(&self) -> Type {
        if self.b.width() > PIXEL_GROUP {
            Type::Ud
        } else {
            Type::Uw
        }
    }

    /// The dispatch mask: one bit for each pixel that is not a helper invocation at the start.
    fn dispatch_mask(&mut self) -> Lanes {
        let word = |lane| Lanes::new(self.r0, PIXEL_MASK_OFFSET + group_offset(lane), Type::Uw, 0);
        let (low, high) = (word(0), word(PIXEL_GROUP));
        if self.b.width() <= PIXEL_GROUP {
            return low;
        }
        let Thread::Fragment(thread) = &mut self.thread else {
            return low;
        };
        *thread.dispatch_mask.get_or_insert_with(|| {
            let both = self.b.temp(Type::Ud, Exec::Scalar);
            self.b.in_prologue(|b| {
                for (offset, word) in [(0, low), (2, high)] {
                    b.mov(Exec::Scalar, both.offset_by(offset).retype(Type::Uw), word);
                }
            });
            both
        })
    }

    /// In shaders that demote pixels: initialises the mask of live pixels, or the flag of demoted
    /// ones.
    pub(super) fn emit_live_mask(&mut self, layout: &[nir::CfEvent]) {
        // In SIMD32 both flag registers are needed for conditions, so none is left for demoted
        // pixels.
        let has_flag = self.b.width() <= PIXEL_GROUP;
        if let Thread::Fragment(thread) = &mut self.thread
            && thread.info.kills
        {
            let tracking = DemoteTracking::new(self.sh, layout);
            if tracking.in_flag && has_flag {
                thread.flag_continues = Some(tracking.continues);
                self.b.lir.cross_block_flags |= 0xffff << (16 * u32::from(PIXEL_FLAG));
                self.b
                    .mov(Exec::Scalar, pixel_flag(), Lanes::imm(Type::Uw, 0));
                return;
            }
            let live = self.b.temp(Type::Ud, Exec::Scalar);
            thread.live_mask = Some(live);
            let from = self.dispatch_mask();
            self.b.mov(Exec::Scalar, live, from);
        }
    }

    /// The mask of live pixels: one bit each.
    pub(super) fn live_mask(&mut self) -> Lanes {
        let ty = self.pixel_mask_type();
        let live = match &self.thread {
            Thread::Fragment(thread) => thread.live_mask,
            _ => None,
        };
        match live {
            Some(live) => live.retype(ty),
            None => self.dispatch_mask(),
        }
    }

    /// Adds a predicate to a message with an effect on memory, so that helper invocations do not
    /// execute it.
    pub(super) fn with_live_predicate(&mut self, mods: Mods) -> Mods {
        if !matches!(self.thread, Thread::Fragment(_)) {
            return mods;
        }
        let live = self.live_mask();
        let scalar = Exec::Scalar;
        let flag_register = |flag: u8| Lanes::arf(ArfReg::Flag, flag / 2, Type::Ud);
        // In SIMD32 the waterfall loop uses f1, and no condition is live in f0 here.
        let (flag, to, from) = if live.ty == Type::Ud {
            (0, flag_register(0), flag_register(mods.flag))
        } else {
            (PIXEL_FLAG, pixel_flag(), flag_word(mods.flag))
        };
        match mods.pred {
            Some(_) => self
                .b
                .binary(Opcode::And, scalar, to, from, live, Mods::NONE),
            None => self.b.mov(scalar, to, live),
        }
        Mods::pred(flag, false)
    }

    /// Selects `demote` and `terminate`: of all active pixels, or of those where the condition
    /// holds.
    pub(super) fn select_demote(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let scalar = Exec::Scalar;
        if let Some(continues) = self.fragment_thread()?.flag_continues {
            return self.demote_in_flag(i, continues);
        }
        let live = match self.fragment_thread()?.live_mask {
            Some(live) => live,
            None => {
                return Err(unsupported_intrinsic(
                    i,
                    "the shader has no mask of live pixels",
                ));
            }
        };
        let terminates = matches!(i.op, IntrinsicOp::Terminate | IntrinsicOp::TerminateIf);
        let bits = self.b.temp(Type::Ud, scalar);
        let mut pred = None;
        if let Some(&condition) = i.srcs.first() {
            // Inactive pixels stay live: the comparison does not write their flag bits.
            let (condition, inverse) = self.strip_not(condition);
            let unset = if inverse { u64::from(u32::MAX) } else { 0 };
            let flag = Lanes::arf(ArfReg::Flag, 0, Type::Ud);
            self.b.mov(scalar, flag, Lanes::imm(Type::Ud, unset));
            self.condition_to_active_flag_bits(condition);
            let flag = if inverse { flag } else { flag.negated() };
            self.b
                .emit(Op::Eu(Opcode::And), scalar, live, &[flag, live], Mods::NONE);
            pred = Some(Pred {
                ctrl: isa::PredCtrl::Normal,
                inverse,
            });
        } else {
            let active = Lanes::arf(ArfReg::ChannelEnable, 0, Type::Ud);
            self.b
                .emit(Op::Eu(Opcode::Not), scalar, bits, &[active], Mods::NONE);
            self.b
                .binary(Opcode::And, scalar, live, live, bits, Mods::NONE);
        }
        if terminates {
            self.halts = true;
            self.b.control(Op::Eu(Opcode::Halt), pred, 0);
        }
        Ok(())
    }

    /// Strips `inot` from a condition. Returns the inner condition, and true if it is the inverse.
    fn strip_not(&self, def: Id<Def>) -> (Id<Def>, bool) {
        let (mut def, mut inverse) = (def, false);
        while let Some(alu) = self.sh.alu_of(def)
            && alu.op == nir::AluOp::INot
        {
            def = alu.srcs[0].def;
            inverse = !inverse;
        }
        (def, inverse)
    }

    /// Selects `is_helper_invocation` and `load_helper_invocation`.
    pub(super) fn select_helper_invocation(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let pixels = if i.op == IntrinsicOp::IsHelperInvocation {
            self.live_mask()
        } else {
            self.dispatch_mask()
        };
        let dst = self.alloc_def(def);
        let flag = Lanes::arf(ArfReg::Flag, 0, pixels.ty);
        self.b.mov(Exec::Scalar, flag, pixels);
        self.mask_from_flag(Exec::Active, dst, 0, true);
        Ok(())
    }

    // --- inputs ---

    /// The plane coefficients of an input component: four floats, of which PLN uses three; the last
    /// is the constant coefficient.
    fn plane_coefficients(
        &mut self,
        i: &Intrinsic,
        slot: u32,
        component: u8,
    ) -> Result<Lanes, FsError> {
        let thread = self.fragment_thread()?;
        let mut inputs = thread.info.inputs.iter();
        let attribute = inputs.position(|s| u32::from(*s) == slot);
        let Some(attribute) = attribute.filter(|_| component < 4) else {
            return Err(unsupported_intrinsic(
                i,
                "the slot is outside the range that the intrinsic declares",
            ));
        };
        let half = component / 2;
        let mut setup = thread.setup.iter();
        let v = match setup.find(|s| (s.0, s.1) == (attribute, half)) {
            Some(&(.., v)) => v,
            None => {
                let v = self.b.lir.vgrf(GRF_BYTES);
                self.fragment_thread()?.setup.push((attribute, half, v));
                v
            }
        };
        Ok(Lanes::new(v, u32::from(component % 2) * 16, Type::F, 0))
    }

    /// Selects `load_input` of a fragment shader: a flat input is the constant coefficient.
    pub(super) fn select_flat_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let slot = i.index("location") + self.constant_slot(i, i.srcs[0])?;
        let d = self.sh.defs[def];
        if d.bit_size != 32 {
            return Err(unsupported_intrinsic(i, "only 32-bit inputs are supported"));
        }
        for c in 0..d.num_components {
            let first = abi::header_dword(slot as u8).unwrap_or(i.index("component") as u8);
            let constant = self.plane_coefficients(i, slot, first + c)?.offset_by(12);
            self.set_uniform(def, c, constant.retype(Type::Ud));
        }
        Ok(())
    }

    /// Selects `load_interpolated_input`.
    pub(super) fn select_interpolated_input(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let slot = i.index("location") + self.constant_slot(i, i.srcs[1])?;
        let mode = match self.sh.instr_of(i.srcs[0]) {
            Instr::Intrinsic(barycentric) => barycentric_mode(barycentric),
            _ => None,
        };
        if self.sh.defs[def].bit_size != 32 {
            return Err(unsupported_intrinsic(i, "only 32-bit inputs are supported"));
        }
        let coordinates = match (mode, self.loc(i.srcs[0], 0)) {
            (Some(mode), _) => {
                let groups = self.payload_value(|t| &mut t.barycentrics[mode as usize], 8)?;
                groups.map(|v| (v, 0))
            }
            (None, Loc::Reg { v, .. }) => [(v, 0), (v, RESPONSE_BYTES * u32::from(PIXEL_GROUP))],
            (None, _) => return Err(unsupported_intrinsic(i, "unknown barycentric coordinates")),
        };
        for c in 0..self.sh.defs[def].num_components {
            let plane = self.plane_coefficients(i, slot, i.index("component") as u8 + c)?;
            // A separate VGRF for each component, so that unused ones are eliminated and the others
            // can be scheduled near their uses.
            let to = self.b.temp(Type::F, Exec::Active);
            self.set_lanes(def, c, to);
            for (lane, _, (v, offset)) in self.pixel_groups(coordinates) {
                let mut inst = Inst::new(Op::Eu(Opcode::Pln), self.b.width().min(PIXEL_GROUP));
                inst.group = lane;
                inst.dst = to.dst(lane);
                inst.src[0] = plane.src(0);
                inst.src[1] = Src::vgrf(v, offset, Type::F, 1);
                self.b.lir.insts.push(inst);
            }
        }
        Ok(())
    }

    /// Selects `load_barycentric_at_sample`. The pixel interpolator handles one sample number per
    /// message.
    pub(super) fn select_barycentric_at_sample(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let (sample, to) = (i.srcs[0], self.alloc_interpolator_response(i)?);
        if let Some(n) = self.sh.const_component(sample, 0) {
            let data = (n as u32 & 0xf) << 4;
            self.send_interpolate(i, to, None, data, Lanes::null(Type::Ud, 0), Mods::NONE);
            return Ok(());
        }
        let number = self.comp(sample, 0, Type::Ud);
        let shift = Lanes::imm(Type::Ud, 4);
        let data = self.b.temp(Type::Ud, Exec::Scalar);
        if !self.is_divergent(sample) {
            self.b
                .binary(Opcode::Shl, Exec::Scalar, data, number, shift, Mods::NONE);
            self.send_interpolate(i, to, None, 0, data, Mods::NONE);
            return Ok(());
        }
        // A waterfall loop: the lanes with the first active lane's sample number get their response
        // and leave. Messages are predicated, so they preserve the other lanes.
        let zero = Lanes::imm(Type::Ud, 0);
        for half in 0..2 {
            let all = Lanes::new(to, half * 4 * u32::from(self.b.width()), Type::Ud, 4);
            self.b.mov(Exec::Active, all, zero);
        }
        let number = self.contiguous(number);
        let first = self.b.temp(Type::Ud, Exec::Scalar);
        self.b.control(Op::Do, None, 0);
        self.read_first_active(first, number);
        let null = Lanes::null(Type::Ud, 4);
        let same = Mods::cmod(isa::CondMod::Z, LOOP_FLAG);
        self.b
            .binary(Opcode::Cmp, Exec::Active, null, number, first, same);
        self.b
            .binary(Opcode::Shl, Exec::Scalar, data, first, shift, Mods::NONE);
        let mods = Mods::pred(LOOP_FLAG, false);
        self.send_interpolate(i, to, None, 0, data, mods);
        let others = Pred {
            ctrl: isa::PredCtrl::Normal,
            inverse: true,
        };
        self.b
            .control(Op::Eu(Opcode::While), Some(others), LOOP_FLAG);
        self.b.new_block();
        Ok(())
    }

    /// Selects `load_barycentric_at_offset`. Offsets are in sixteenths of a pixel, from -8 to 7.
    pub(super) fn select_barycentric_at_offset(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let to = self.alloc_interpolator_response(i)?;
        let none = Lanes::null(Type::Ud, 0);
        if let Some(&[x, y]) = self.sh.const_of(i.srcs[0]) {
            let [x, y] = [x, y].map(|bits| {
                let sixteenths = (f32::from_bits(bits as u32) * 16.0) as i32;
                sixteenths.clamp(-8, 7) as u32 & 0xf
            });
            self.send_interpolate(i, to, None, x | y << 4, none, Mods::NONE);
            return Ok(());
        }
        let active = Exec::Active;
        let mut values = [none; 2];
        for (c, value) in values.iter_mut().enumerate() {
            let offset = self.comp(i.srcs[0], c as u8, Type::F);
            let (scaled, rounded) = (self.b.temp(Type::F, active), self.b.temp(Type::D, active));
            let sixteen = Lanes::imm(Type::F, 16f32.to_bits().into());
            self.b
                .binary(Opcode::Mul, active, scaled, offset, sixteen, Mods::NONE);
            self.b.mov(active, rounded, scaled);
            *value = self.b.temp(Type::D, active);
            let min = Mods::cmod(isa::CondMod::L, 0);
            let seven = Lanes::imm(Type::D, 7);
            self.b
                .binary(Opcode::Sel, active, *value, rounded, seven, min);
        }
        self.send_interpolate(i, to, Some(values), 0, none, Mods::NONE);
        Ok(())
    }

    /// Allocates the pixel interpolator's response: two registers for every eight lanes, as PLN
    /// reads them.
    fn alloc_interpolator_response(&mut self, i: &Intrinsic) -> Result<VgrfId, FsError> {
        self.fragment_thread()?.info.pulls_barycentrics = true;
        let v = self.b.lir.vgrf(RESPONSE_BYTES * u32::from(self.b.width()));
        if let Some(def) = i.def {
            for c in 0..2 {
                let loc = Loc::Reg {
                    v,
                    offset: u32::from(c) * GRF_BYTES,
                    pitch: 4,
                    half: 64,
                };
                self.set_loc(def, c, loc);
            }
        }
        Ok(v)
    }

    /// Sends messages to the pixel interpolator. `values` are per-lane offsets; without them r0 is
    /// the payload. `dynamic` is added to the descriptor.
    fn send_interpolate(
        &mut self,
        i: &Intrinsic,
        to: VgrfId,
        values: Option<[Lanes; 2]>,
        data: u32,
        dynamic: Lanes,
        mods: Mods,
    ) {
        let linear =
            InterpMode::from_index(i.index("interp_mode")) == Some(InterpMode::NoPerspective);
        let evaluate_at = match (i.op, values) {
            (IntrinsicOp::LoadBarycentricAtSample, _) => InterpolateAt::Sample,
            (_, None) => InterpolateAt::SharedOffset,
            (_, Some(_)) => InterpolateAt::Offset,
        };
        let r0 = Src::vgrf(self.r0, 0, Type::Ud, 1);
        let (lanes, first_lanes) = self.split_lanes(PIXEL_GROUP);
        for lane in first_lanes {
            let exec = Exec::Range(lane, lanes);
            let payload = values.map_or(r0, |values| self.b.collect(exec, &[], &values));
            let mut info = message::interpolate(evaluate_at, linear, lane, lanes, data);
            info.dynamic_desc = dynamic.reg != Reg::Null;
            self.b.send(
                exec,
                Dst::vgrf(to, RESPONSE_BYTES * u32::from(lane), Type::Ud, 1),
                payload,
                Src::NULL,
                dynamic.src(0),
                info,
                mods,
            );
        }
    }

    // --- system values ---

    /// Integer pixel coordinates of the group that begins with a lane: the subspans' origins plus
    /// the position within the subspan. One ADD computes both axes, four words of each in turn; the
    /// result is one operand per axis.
    fn pixel_words(&mut self, lane: u8) -> [Src; 2] {
        let width = self.b.width().min(PIXEL_GROUP);
        let v = self.b.lir.vgrf(u32::from(width) * 4);
        let rows = |vstride: u8| Some(Rows { vstride, width: 4 });
        let mut inst = Inst::new(Op::Eu(Opcode::Add), 2 * width);
        inst.no_mask = true;
        inst.dst = Dst::vgrf(v, 0, Type::Uw, 1);
        // r1.2 and the following dwords hold two words (x, y) for each subspan.
        inst.src[0] = Src::vgrf(self.r0, GRF_BYTES + 8 + group_offset(lane), Type::Uw, 0);
        inst.src[0].rows = rows(1);
        inst.src[1] = Src::imm(Type::V, 0x1100_1010);
        self.b.lir.insts.push(inst);
        [0, 8].map(|offset| Src {
            rows: rows(8),
            ..Src::vgrf(v, offset, Type::Uw, 1)
        })
    }

    /// Integer pixel coordinates in lane form, converted to `ty`: x and y.
    fn pixel_coordinates(&mut self, ty: Type) -> [Lanes; 2] {
        let (lanes, first_lanes) = self.split_lanes(PIXEL_GROUP);
        let words: SmallVec<[(u8, [Src; 2]); 2]> = first_lanes
            .map(|lane| (lane, self.pixel_words(lane)))
            .collect();
        [0, 1].map(|axis| {
            let whole = self.b.temp(ty, Exec::Active);
            for (lane, words) in &words {
                let mut inst = Inst::new(Op::Eu(Opcode::Mov), lanes);
                inst.group = *lane;
                inst.dst = whole.dst(*lane);
                inst.src[0] = words[axis];
                self.b.lir.insts.push(inst);
            }
            whole
        })
    }

    /// Selects `load_pixel_coord`.
    pub(super) fn select_pixel_coord(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        for (axis, whole) in self.pixel_coordinates(Type::Ud).into_iter().enumerate() {
            self.set_lanes(def, axis as u8, whole);
        }
    }

    /// Selects `load_frag_coord`.
    pub(super) fn select_frag_coord(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let active = Exec::Active;
        for (axis, whole) in self.pixel_coordinates(Type::F).into_iter().enumerate() {
            let to = self.b.temp(Type::F, active);
            let half = Lanes::imm(Type::F, 0.5f32.to_bits().into());
            self.b
                .binary(Opcode::Add, active, to, whole, half, Mods::NONE);
            self.set_lanes(def, axis as u8, to);
        }
        let depth = self.payload_lanes(|t| &mut t.depth, Type::F)?;
        self.set_lanes(def, 2, depth);
        let w = self.payload_value(|t| &mut t.w, 4)?;
        let to = self.b.temp(Type::F, active);
        for (_, exec, w) in self.pixel_groups(w) {
            let w = group_lanes(w, 0, Type::F, 4);
            self.b.math(MathFn::Inv, exec, to, w, None, false);
        }
        self.set_lanes(def, 3, to);
        Ok(())
    }

    /// Selects `load_front_face`: bit 15 of r0.0 is set for back faces.
    pub(super) fn select_front_face(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let scalar = Exec::Scalar;
        let back = self.b.temp(Type::D, scalar);
        let r0 = Lanes::new(self.r0, 0, Type::W, 0);
        let count = Lanes::imm(Type::Uw, 15);
        self.b
            .binary(Opcode::Asr, scalar, back, r0, count, Mods::NONE);
        let exec = self.exec_for(def);
        let dst = self.alloc_def(def).retype(Type::D);
        self.b
            .emit(Op::Eu(Opcode::Not), exec, dst, &[back], Mods::NONE);
    }

    /// Selects `load_layer_id`: bits 26:16 of r0.0.
    pub(super) fn select_layer_id(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let exec = self.exec_for(def);
        let dst = self.alloc_def(def);
        let high = Lanes::new(self.r0, 2, Type::Uw, 0);
        let mask = Lanes::imm(Type::Uw, 0x7ff);
        self.b
            .binary(Opcode::And, exec, dst, high, mask, Mods::NONE);
    }

    /// Selects `load_sample_id`: r1.0 has four bits for each subspan.
    pub(super) fn select_sample_id(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let width = self.b.width();
        let words = Lanes::new(self.b.lir.vgrf(u32::from(width) * 2), 0, Type::Uw, 2);
        let (lanes, first_lanes) = self.split_lanes(PIXEL_GROUP);
        for lane in first_lanes {
            let mut inst = Inst::new(Op::Eu(Opcode::Shr), lanes);
            inst.group = lane;
            inst.dst = words.dst(lane);
            inst.src[0] = Src::vgrf(self.r0, GRF_BYTES + group_offset(lane), Type::Ub, 0);
            inst.src[0].rows = Some(Rows {
                vstride: 1,
                width: 8,
            });
            inst.src[1] = Src::imm(Type::V, 0x4444_0000);
            self.b.lir.insts.push(inst);
        }
        let dst = self.alloc_def(def);
        let four_bits = Lanes::imm(Type::Uw, 0xf);
        self.b
            .binary(Opcode::And, Exec::Active, dst, words, four_bits, Mods::NONE);
    }

    /// Selects `load_sample_pos`. The payload has two bytes for each pixel, in sixteenths of a
    /// pixel.
    pub(super) fn select_sample_pos(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let v = self.payload_value(|t| &mut t.sample_positions, 2)?;
        let active = Exec::Active;
        for c in 0..2 {
            let (whole, to) = (self.b.temp(Type::F, active), self.b.temp(Type::F, active));
            for (_, exec, v) in self.pixel_groups(v) {
                self.b.mov(exec, whole, group_lanes(v, c, Type::Ub, 2));
            }
            let sixteenth = Lanes::imm(Type::F, 0.0625f32.to_bits().into());
            self.b
                .binary(Opcode::Mul, active, to, whole, sixteenth, Mods::NONE);
            self.set_lanes(def, c as u8, to);
        }
        Ok(())
    }

    /// Selects `load_sample_mask_in`.
    pub(super) fn select_sample_mask_in(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let coverage = self.payload_lanes(|t| &mut t.coverage, Type::Ud)?;
        self.set_lanes(def, 0, coverage);
        Ok(())
    }

    // --- derivatives ---

    /// Selects derivatives: differences within each subspan.
    pub(super) fn select_derivative(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        use IntrinsicOp as I;
        let Some(def) = i.def else { return Ok(()) };
        let d = self.sh.defs[def];
        if d.bit_size != 32 {
            return Err(unsupported_intrinsic(
                i,
                "only 32-bit derivatives are supported",
            ));
        }
        let width = self.b.width();
        self.alloc_def(def);
        // Lanes 0 and 1 are the upper row of a subspan, 2 and 3 the lower one.
        let quads = |width: u8, vstride: u8, stride: u8| (stride, Rows { vstride, width });
        // A region spans two registers at most.
        let max_lanes = width.min(16);
        let (first, second, (stride, rows), lanes) = match i.op {
            I::Ddx | I::DdxCoarse => (0, 1, quads(4, 4, 0), max_lanes),
            I::DdxFine => (0, 1, quads(2, 2, 0), max_lanes),
            I::DdyFine => (0, 2, quads(2, 0, 1), 4),
            _ => (0, 2, quads(4, 4, 0), max_lanes),
        };
        for c in 0..d.num_components {
            let value = self.comp(i.srcs[0], c, Type::F);
            let to = self.comp(def, c, Type::F);
            if value.pitch != 4 || value.neg || value.abs {
                // Uniform values are equal in all lanes.
                self.b.mov(Exec::Active, to, Lanes::imm(Type::F, 0));
                continue;
            }
            for lane in (0..width).step_by(usize::from(lanes)) {
                let source = |n: u8| Src {
                    stride,
                    rows: Some(rows),
                    ..value.src(lane + n)
                };
                let mut inst = Inst::new(Op::Eu(Opcode::Add), lanes);
                inst.group = lane;
                inst.dst = to.dst(lane);
                inst.src[0] = source(second);
                inst.src[1] = source(first).negated();
                self.b.lir.insts.push(inst);
            }
        }
        Ok(())
    }
}
