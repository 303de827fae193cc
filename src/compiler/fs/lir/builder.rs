//! The LIR builder: emits an operation on all lanes as one or more instructions of legal exec size.
//!
//! In:  an operation, and its operands as [`Lanes`].
//! Out: instructions in which no operand spans more than two registers.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions".

use crate::lir::inst::{Inst, Op, Payload, PayloadPart, Pred, SendInfo};
use crate::lir::operand::{Dst, GRF_BYTES, Reg, Src, VgrfId};
use crate::lir::program::Lir;
use entity::Arena;
use isa::{ArfReg, CondMod, MathFn, Opcode, Type};

/// Number of GRFs of a thread.
const GENERAL_REGISTERS: u16 = 128;

/// An operand for all lanes of the thread, from which the operands of instructions for some of the
/// lanes are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    pub reg: Reg,
    /// Offset of the element of lane 0 in bytes.
    pub offset: u32,
    pub ty: Type,
    /// Bytes from one lane to the next within 16 lanes; 0 for a scalar.
    pub pitch: u8,
    /// Bytes from lane 0 to lane 16.
    pub half: u16,
    pub neg: bool,
    pub abs: bool,
}

impl Lanes {
    pub const fn new(v: VgrfId, offset: u32, ty: Type, pitch: u8) -> Lanes {
        Lanes {
            reg: Reg::Vgrf(v),
            offset,
            ty,
            pitch,
            half: 16 * pitch as u16,
            neg: false,
            abs: false,
        }
    }
    pub const fn imm(ty: Type, bits: u64) -> Lanes {
        Lanes {
            reg: Reg::Imm(bits),
            offset: 0,
            ty,
            pitch: 0,
            half: 0,
            neg: false,
            abs: false,
        }
    }
    pub const fn null(ty: Type, pitch: u8) -> Lanes {
        Lanes {
            reg: Reg::Null,
            offset: 0,
            ty,
            pitch,
            half: 0,
            neg: false,
            abs: false,
        }
    }
    pub const fn arf(reg: ArfReg, index: u8, ty: Type) -> Lanes {
        Lanes {
            reg: Reg::Arf(reg, index),
            ..Lanes::null(ty, 0)
        }
    }
    pub const fn retype(mut self, ty: Type) -> Lanes {
        self.ty = ty;
        self
    }
    pub const fn offset_by(mut self, bytes: u32) -> Lanes {
        self.offset += bytes;
        self
    }
    pub fn negated(mut self) -> Lanes {
        if let Reg::Imm(_) = self.reg {
            self.reg = self.src(0).negated().reg;
        } else {
            self.neg = !self.neg;
        }
        self
    }
    pub const fn absolute(mut self) -> Lanes {
        self.abs = true;
        self.neg = false;
        self
    }
    pub const fn is_imm(&self) -> bool {
        matches!(self.reg, Reg::Imm(_))
    }
    pub const fn imm_bits(&self) -> Option<u64> {
        match self.reg {
            Reg::Imm(bits) => Some(bits),
            _ => None,
        }
    }
    /// A scalar operand with the element of lane 0.
    pub const fn scalar(mut self) -> Lanes {
        self.pitch = 0;
        self.half = 0;
        self
    }
    /// The operand whose element of lane `lane` is at the present offset; used for lanes of the
    /// same group of 16 alone.
    pub const fn starting_at_lane(mut self, lane: u8) -> Lanes {
        let before = lane as u32 / 16 * self.half as u32 + lane as u32 % 16 * self.pitch as u32;
        self.offset -= before;
        self
    }
    /// True if the elements are contiguous.
    pub const fn is_packed(&self) -> bool {
        self.pitch as u32 == self.ty.size_bytes()
    }

    fn byte_of(&self, lane: u8) -> u32 {
        let lane = u32::from(lane);
        self.offset + lane / 16 * u32::from(self.half) + lane % 16 * u32::from(self.pitch)
    }
    /// The source of an instruction whose first lane is `lane`.
    pub fn src(&self, lane: u8) -> Src {
        Src {
            reg: self.reg,
            offset: self.byte_of(lane),
            ty: self.ty,
            stride: (u32::from(self.pitch) / self.ty.size_bytes()) as u8,
            rows: None,
            neg: self.neg,
            abs: self.abs,
        }
    }
    /// The destination of an instruction whose first lane is `lane`.
    pub fn dst(&self, lane: u8) -> Dst {
        Dst {
            reg: self.reg,
            offset: self.byte_of(lane),
            ty: self.ty,
            stride: (u32::from(self.pitch) / self.ty.size_bytes()).max(1) as u8,
        }
    }
}

/// The lanes for which an operation is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exec {
    /// All active lanes.
    Active,
    /// One lane without the execution mask: for values that are equal in all lanes.
    Scalar,
    /// This many lanes from lane 0 on, without the execution mask.
    NoMask(u8),
    /// (first lane, count): the active ones of these lanes.
    Range(u8, u8),
}

/// Modifiers of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mods {
    pub pred: Option<Pred>,
    pub cmod: CondMod,
    pub flag: u8,
    pub sat: bool,
}

impl Mods {
    pub const NONE: Mods = Mods {
        pred: None,
        cmod: CondMod::None,
        flag: 0,
        sat: false,
    };
    pub const fn pred(flag: u8, inverse: bool) -> Mods {
        Mods {
            pred: Some(Pred {
                ctrl: isa::PredCtrl::Normal,
                inverse,
            }),
            flag,
            ..Mods::NONE
        }
    }
    pub const fn cmod(cmod: CondMod, flag: u8) -> Mods {
        Mods {
            cmod,
            flag,
            ..Mods::NONE
        }
    }
}

/// Appends instructions to a program.
#[derive(Debug)]
pub(crate) struct Builder {
    pub lir: Lir,
    /// Number of control-flow instructions emitted.
    control_flow_count: u32,
    /// Instructions at the start of the program, whose results are valid in the whole program.
    prologue: Vec<Inst>,
    /// Constants loaded in the prologue, eight to a register: (bits, register, byte).
    constants: Vec<(u64, VgrfId, u32)>,
    /// Immediates loaded in this block: (bits, size of the type, register).
    imms: Vec<(u64, u8, VgrfId)>,
}

/// Maximum number of constants loaded in the prologue; more would take too many registers.
const MAX_CONSTANTS: usize = 64;

impl Builder {
    /// An empty program, with capacity for the usual number of instructions for `instrs` NIR
    /// instructions.
    pub fn new(width: u8, instrs: usize) -> Builder {
        let capacity = instrs * usize::from(width.div_ceil(16)) + instrs / 2;
        Builder {
            lir: Lir {
                insts: Vec::with_capacity(capacity),
                vgrfs: Arena::with_capacity(capacity),
                width,
                ..Lir::default()
            },
            control_flow_count: 0,
            prologue: Vec::new(),
            constants: Vec::new(),
            imms: Vec::new(),
        }
    }

    /// Calls `f` to emit instructions into the prologue. They may read the thread's payload and
    /// results of the prologue alone, and must not depend on the execution mask.
    pub fn in_prologue<R>(&mut self, f: impl FnOnce(&mut Builder) -> R) -> R {
        std::mem::swap(&mut self.lir.insts, &mut self.prologue);
        let result = f(self);
        std::mem::swap(&mut self.lir.insts, &mut self.prologue);
        result
    }

    /// Completes the program: inserts the prologue at its start.
    pub fn finish(&mut self) {
        let prologue = std::mem::take(&mut self.prologue);
        self.lir.insts.splice(0..0, prologue);
    }

    pub fn width(&self) -> u8 {
        self.lir.width
    }

    /// Begins a new block, in which immediates loaded before are not available.
    pub fn new_block(&mut self) {
        self.imms.clear();
    }

    /// A new VGRF for a value of this type, per lane or scalar; elements of less than 32 bits have
    /// slots of 32 bits.
    pub fn temp(&mut self, ty: Type, exec: Exec) -> Lanes {
        let slot: u8 = if ty.size_bytes() == 8 { 8 } else { 4 };
        match exec {
            Exec::Scalar => Lanes::new(self.lir.vgrf(GRF_BYTES), 0, ty, 0),
            Exec::Active | Exec::Range(..) => {
                let bytes = u32::from(self.lir.width) * u32::from(slot);
                Lanes::new(self.lir.vgrf(bytes), 0, ty, slot)
            }
            Exec::NoMask(n) => {
                Lanes::new(self.lir.vgrf(u32::from(n) * u32::from(slot)), 0, ty, slot)
            }
        }
    }

    /// A new VGRF for a half-float per lane, packed; or for a scalar.
    pub fn temp_packed_hf(&mut self, exec: Exec) -> Lanes {
        match exec {
            Exec::Scalar => self.temp(Type::Hf, exec),
            _ => {
                let bytes = 2 * u32::from(self.lir.width);
                Lanes::new(self.lir.vgrf(bytes), 0, Type::Hf, 2)
            }
        }
    }

    /// Loads an immediate into a register, once for the program or for the block.
    pub fn imm_reg(&mut self, ty: Type, bits: u64) -> Lanes {
        let size = ty.size_bytes().max(4) as u8;
        if size == 4
            && let Some(constant) = self.constant(bits)
        {
            return constant.retype(ty);
        }
        if let Some(&(.., v)) = self.imms.iter().find(|e| e.0 == bits && e.1 == size) {
            return Lanes::new(v, 0, ty, 0);
        }
        let to = self.temp(ty, Exec::Scalar);
        let (raw, bits) = match (size, ty) {
            (8, Type::Df) => (Type::Df, bits),
            (8, _) => (Type::Q, bits),
            (_, Type::F) => (Type::F, bits),
            (_, Type::Hf | Type::Uw | Type::Ub) => (Type::Ud, bits),
            _ => (Type::D, bits),
        };
        self.emit(
            Op::Eu(Opcode::Mov),
            Exec::Scalar,
            to.retype(raw),
            &[Lanes::imm(raw, bits)],
            Mods::NONE,
        );
        if let Reg::Vgrf(v) = to.reg {
            self.imms.push((bits, size, v));
        }
        to
    }

    /// Loads a constant in the prologue, unless [`MAX_CONSTANTS`] are loaded already.
    fn constant(&mut self, bits: u64) -> Option<Lanes> {
        let ud = Type::Ud;
        if let Some(&(_, v, at)) = self.constants.iter().find(|c| c.0 == bits) {
            return Some(Lanes::new(v, at, ud, 0));
        }
        if self.constants.len() == MAX_CONSTANTS {
            return None;
        }
        let at = self.constants.len() as u32 * 4 % GRF_BYTES;
        let v = match self.constants.last() {
            Some(&(_, v, _)) if at > 0 => v,
            _ => self.lir.vgrf(GRF_BYTES),
        };
        self.constants.push((bits, v, at));
        let to = Lanes::new(v, at, ud, 0);
        self.in_prologue(|b| b.mov(Exec::Scalar, to, Lanes::imm(ud, bits)));
        Some(to)
    }

    /// First lane, number of lanes, and NoMask.
    fn lanes(&self, exec: Exec) -> (u8, u8, bool) {
        match exec {
            Exec::Active => (0, self.lir.width, false),
            Exec::Scalar => (0, 1, true),
            Exec::NoMask(n) => (0, n, true),
            Exec::Range(lane, n) => (lane, n, false),
        }
    }

    /// Emits an operation for the lanes of `exec`, split into instructions of legal exec size. The
    /// operands must be legal otherwise.
    pub fn emit(&mut self, op: Op, exec: Exec, dst: Lanes, srcs: &[Lanes], mods: Mods) {
        let (first, count, no_mask) = self.lanes(exec);
        let mut bytes = dst.ty.size_bytes().max(u32::from(dst.pitch));
        for s in srcs {
            bytes = bytes.max(s.ty.size_bytes()).max(u32::from(s.pitch));
        }
        let mut step = count.min(16).min((64 / bytes) as u8);
        if let Op::Math(f) = op
            && (f.sources() == 2 && f != MathFn::Pow && f != MathFn::Fdiv || dst.ty == Type::Hf)
        {
            step = step.min(8);
        }
        // Mixed mode with a 32-bit destination is limited to 8 lanes (SKL PRM vol. 7, "Mixed
        // Mode"), but conversions are not (see the rule `mixed_single_size` of `isa`).
        let mixed = dst.ty == Type::F && srcs.iter().any(|s| s.ty == Type::Hf);
        let mixed = mixed && op != Op::Eu(Opcode::Mov);
        // An accumulator holds eight integers (SKL PRM vol. 2a, "mach").
        if matches!(op, Op::MovIndirect | Op::Eu(Opcode::Mach)) || mixed {
            step = step.min(8);
        }
        let mut lane = first;
        while lane < first + count {
            let mut inst = Inst::new(op, step);
            inst.group = lane;
            inst.no_mask = no_mask;
            inst.pred = mods.pred;
            inst.cmod = mods.cmod;
            inst.flag = mods.flag;
            inst.sat = mods.sat;
            inst.dst = dst.dst(lane);
            for (to, from) in inst.src.iter_mut().zip(srcs) {
                *to = from.src(lane);
            }
            self.lir.insts.push(inst);
            lane += step;
        }
    }

    pub fn mov(&mut self, exec: Exec, dst: Lanes, src: Lanes) {
        let (mut dst, mut src) = (dst, src);
        if src.is_imm()
            && dst.ty == Type::Uw
            && src.ty == Type::Uw
            && dst.pitch != 2
            && dst.offset.is_multiple_of(4)
        {
            // The whole 32-bit slot is written, so no bytes of it depend on an earlier value.
            (dst.ty, src.ty) = (Type::Ud, Type::Ud);
        }
        self.emit(Op::Eu(Opcode::Mov), exec, dst, &[src], Mods::NONE);
    }

    /// Emits a two-source operation. Immediates that are not legal where they are become the second
    /// source or are loaded.
    pub fn binary(&mut self, op: Opcode, exec: Exec, dst: Lanes, a: Lanes, b: Lanes, mods: Mods) {
        let commutes = matches!(
            op,
            Opcode::Add | Opcode::Mul | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Avg
        ) || op == Opcode::Sel && mods.cmod != CondMod::None;
        let (mut a, mut b) = if a.is_imm() && !b.is_imm() && commutes {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(bits) = a.imm_bits() {
            a = self.imm_reg(a.ty, bits);
        }
        if let Some(bits) = b.imm_bits() {
            b = self.second_imm(b, bits);
        }
        self.emit(Op::Eu(op), exec, dst, &[a, b], mods);
    }

    /// Converts an immediate to one that is legal as the second source: at most 32 bits, not a
    /// byte; or loads it.
    fn second_imm(&mut self, b: Lanes, bits: u64) -> Lanes {
        match b.ty {
            // A sign-extended immediate would make the comparison signed.
            Type::Uq => match u32::try_from(bits) {
                Ok(small) => Lanes::imm(Type::Ud, u64::from(small)),
                Err(_) => self.imm_reg(b.ty, bits),
            },
            Type::Q => match i32::try_from(bits as i64) {
                Ok(small) => Lanes::imm(Type::D, u64::from(small as u32)),
                Err(_) => self.imm_reg(b.ty, bits),
            },
            Type::Df => self.imm_reg(b.ty, bits),
            Type::B => Lanes::imm(Type::W, u64::from(bits as i8 as u16)),
            Type::Ub => Lanes::imm(Type::Uw, bits & 0xff),
            _ => b,
        }
    }

    /// Copies a source, unless it is legal in a three-source instruction: packed elements, or a
    /// scalar.
    pub fn packed_source(&mut self, exec: Exec, s: Lanes) -> Lanes {
        let s = match s.imm_bits() {
            Some(bits) => self.imm_reg(s.ty, bits),
            None => s,
        };
        let one = match s.ty {
            Type::Df => false,
            Type::Hf => s.pitch == 0 && s.offset.is_multiple_of(4),
            _ => s.pitch == 0,
        };
        if one || s.is_packed() && s.offset.is_multiple_of(16) {
            return s;
        }
        let plain = Lanes {
            neg: false,
            abs: false,
            ..s
        };
        let copy = match s.ty {
            Type::Hf => self.temp_packed_hf(exec),
            ty => self.temp(ty, exec),
        };
        self.mov(exec, copy, plain);
        Lanes {
            neg: s.neg,
            abs: s.abs,
            ..copy
        }
    }

    /// Emits a three-source operation, whose align16 sources must be packed or scalar.
    pub fn ternary(&mut self, op: Opcode, exec: Exec, dst: Lanes, srcs: [Lanes; 3], mods: Mods) {
        let wide = exec == Exec::Scalar;
        let exec3 = if wide { Exec::NoMask(8) } else { exec };
        let srcs = srcs.map(|s| self.packed_source(exec3, s));
        let to = if wide {
            Lanes {
                pitch: dst.ty.size_bytes() as u8,
                ..dst
            }
        } else {
            dst
        };
        self.emit(Op::Eu(op), exec3, to, &srcs, mods);
    }

    /// Emits a math function.
    pub fn math(
        &mut self,
        f: MathFn,
        exec: Exec,
        dst: Lanes,
        a: Lanes,
        b: Option<Lanes>,
        sat: bool,
    ) {
        let a = match a.imm_bits() {
            Some(bits) => self.imm_reg(a.ty, bits),
            None => a,
        };
        let mods = Mods { sat, ..Mods::NONE };
        match b {
            Some(b) => {
                // The second source may be a 32-bit immediate.
                self.emit(Op::Math(f), exec, dst, &[a, b], mods);
            }
            None => self.emit(Op::Math(f), exec, dst, &[a], mods),
        }
    }

    /// Emits a control-flow instruction, for all lanes.
    pub fn control(&mut self, op: Op, pred: Option<Pred>, flag: u8) {
        let mut inst = Inst::new(op, self.lir.width);
        inst.pred = pred;
        inst.flag = flag;
        self.lir.insts.push(inst);
        self.control_flow_count += 1;
    }

    /// Number of control-flow instructions emitted so far. While it does not change, the same lanes
    /// are active.
    pub fn control_flow_count(&self) -> u32 {
        self.control_flow_count
    }

    /// Emits a message for the lanes of `exec`.
    pub fn send(
        &mut self,
        exec: Exec,
        dst: Dst,
        payload: Src,
        second: Src,
        handle: Src,
        info: SendInfo,
        mods: Mods,
    ) {
        let (lane, count, no_mask) = self.lanes(exec);
        let mut inst = Inst::new(Op::Send, count);
        inst.group = lane;
        inst.no_mask = no_mask;
        inst.pred = mods.pred;
        inst.flag = mods.flag;
        inst.dst = dst;
        inst.src = [payload, second, handle];
        inst.send = Some(info);
        self.lir.insts.push(inst);
    }

    /// Emits a [`Op::Collect`] that builds a payload: headers of one register each, then values
    /// with a slot of four or eight bytes per lane. [`Lanes::null`] leaves a gap.
    pub fn collect(&mut self, exec: Exec, headers: &[Lanes], values: &[Lanes]) -> Src {
        let v = self.lir.vgrf(0);
        self.collect_into(v, exec, headers, values)
    }

    /// The same for the EOT message, whose payload is at the end of the register file.
    pub fn collect_eot(&mut self, exec: Exec, headers: &[Lanes], values: &[Lanes]) -> Src {
        let v = self.lir.vgrf(0);
        let payload = self.collect_into(v, exec, headers, values);
        let vgrf = &mut self.lir.vgrfs[v];
        vgrf.fixed = u8::try_from(GENERAL_REGISTERS.saturating_sub(vgrf.regs)).ok();
        vgrf.no_spill = true;
        payload
    }

    fn collect_into(&mut self, v: VgrfId, exec: Exec, headers: &[Lanes], values: &[Lanes]) -> Src {
        let (lane, count, no_mask) = self.lanes(exec);
        let headers = headers.iter().map(|h| PayloadPart {
            src: Lanes {
                pitch: 4,
                ..h.retype(Type::Ud)
            }
            .src(0),
            bytes: GRF_BYTES,
            header: true,
        });
        let values = values.iter().map(|value| PayloadPart {
            src: value.src(lane),
            bytes: u32::from(count) * value.ty.size_bytes().max(4),
            header: false,
        });
        let payload = Payload {
            parts: headers.chain(values).collect(),
        };
        self.lir.vgrfs[v].regs = payload.bytes().div_ceil(GRF_BYTES) as u16;
        let mut inst = Inst::new(Op::Collect(self.lir.payloads.push(payload)), count);
        inst.group = lane;
        inst.no_mask = no_mask;
        inst.dst = Dst::vgrf(v, 0, Type::Ud, 1);
        self.lir.insts.push(inst);
        Src::vgrf(v, 0, Type::Ud, 1)
    }
}
