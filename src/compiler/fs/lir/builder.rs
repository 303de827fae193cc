//! Building LIR: operations on all lanes become as many instructions as the hardware needs.
//!
//! In:  an operation and its operands in lane form ([`Lanes`]: bytes from one lane to the next).
//! Out: instructions in which no operand spans more than two registers.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions".

use crate::lir::inst::{Inst, Op, Payload, PayloadPart, Pred, SendInfo};
use crate::lir::operand::{Dst, GRF_BYTES, Reg, Src, VgrfId};
use crate::lir::program::Lir;
use entity::Arena;
use isa::{ArfReg, CondMod, MathFn, Opcode, Type};

/// Registers of a thread.
const GENERAL_REGISTERS: u16 = 128;

/// An operand in lane form: it knows where each lane's element lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    pub reg: Reg,
    /// Byte of lane 0.
    pub offset: u32,
    pub ty: Type,
    /// Bytes from one lane to the next; 0: the same for all.
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
    pub const fn at(mut self, bytes: u32) -> Lanes {
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
    /// Lane 0 for all lanes.
    pub const fn scalar(mut self) -> Lanes {
        self.pitch = 0;
        self.half = 0;
        self
    }
    /// As a source of lanes from `lane` on, of which the first is at this offset now; they are of one sixteen.
    pub const fn starting_at_lane(mut self, lane: u8) -> Lanes {
        let before = lane as u32 / 16 * self.half as u32 + lane as u32 % 16 * self.pitch as u32;
        self.offset -= before;
        self
    }
    /// Elements lie one behind the other.
    pub const fn is_packed(&self) -> bool {
        self.pitch as u32 == self.ty.size_bytes()
    }

    fn byte_of(&self, lane: u8) -> u32 {
        let lane = u32::from(lane);
        self.offset + lane / 16 * u32::from(self.half) + lane % 16 * u32::from(self.pitch)
    }
    /// As the source of an instruction that starts at `lane`.
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
    /// As its destination.
    pub fn dst(&self, lane: u8) -> Dst {
        Dst {
            reg: self.reg,
            offset: self.byte_of(lane),
            ty: self.ty,
            stride: (u32::from(self.pitch) / self.ty.size_bytes()).max(1) as u8,
        }
    }
}

/// Which lanes an operation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exec {
    /// The active ones.
    Active,
    /// One, whatever is active: values that are the same for all.
    Scalar,
    /// So many, from lane 0, whatever is active.
    NoMask(u8),
    /// So many from this lane on, the active ones.
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

/// Emits into a program.
#[derive(Debug)]
pub(crate) struct Builder {
    pub lir: Lir,
    control_flow_count: u32,
    /// What is made before everything else, and holds for the whole program.
    prologue: Vec<Inst>,
    /// Constants of the whole program, eight to a register: (bits, register, byte).
    constants: Vec<(u64, VgrfId, u32)>,
    /// Registers that hold immediates in this block: (bits, bytes of the type) → register.
    imms: Vec<(u64, u8, VgrfId)>,
}

/// Constants that are kept for the whole program; more would take too many registers.
const MOST_CONSTANTS: usize = 64;

impl Builder {
    /// Nothing, with room for what so many NIR instructions become as a rule.
    pub fn new(width: u8, instrs: usize) -> Builder {
        let room = instrs * usize::from(width.div_ceil(16)) + instrs / 2;
        Builder {
            lir: Lir {
                insts: Vec::with_capacity(room),
                vgrfs: Arena::with_capacity(room),
                width,
                ..Lir::default()
            },
            control_flow_count: 0,
            prologue: Vec::new(),
            constants: Vec::new(),
            imms: Vec::new(),
        }
    }

    /// Lets `f` emit what is made before everything else: of the thread's payload alone, whichever lanes are active.
    pub fn in_prologue<R>(&mut self, f: impl FnOnce(&mut Builder) -> R) -> R {
        std::mem::swap(&mut self.lir.insts, &mut self.prologue);
        let result = f(self);
        std::mem::swap(&mut self.lir.insts, &mut self.prologue);
        result
    }

    /// Puts the prologue where it belongs: selection is complete.
    pub fn finish(&mut self) {
        let prologue = std::mem::take(&mut self.prologue);
        self.lir.insts.splice(0..0, prologue);
    }

    pub fn width(&self) -> u8 {
        self.lir.width
    }

    /// Forgets what is known about registers: another block begins.
    pub fn new_block(&mut self) {
        self.imms.clear();
    }

    /// A new register for one value of this type: in every lane, or one for all.
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

    /// A new register for a half in every lane, side by side; or one for all.
    pub fn temp_packed_hf(&mut self, exec: Exec) -> Lanes {
        match exec {
            Exec::Scalar => self.temp(Type::Hf, exec),
            _ => {
                let bytes = 2 * u32::from(self.lir.width);
                Lanes::new(self.lir.vgrf(bytes), 0, Type::Hf, 2)
            }
        }
    }

    /// An immediate in a register.
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

    /// A constant of the whole program, while there is room.
    fn constant(&mut self, bits: u64) -> Option<Lanes> {
        let ud = Type::Ud;
        if let Some(&(_, v, at)) = self.constants.iter().find(|c| c.0 == bits) {
            return Some(Lanes::new(v, at, ud, 0));
        }
        if self.constants.len() == MOST_CONSTANTS {
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

    /// First lane, number of lanes, and whether they are taken without the execution mask.
    fn lanes(&self, exec: Exec) -> (u8, u8, bool) {
        match exec {
            Exec::Active => (0, self.lir.width, false),
            Exec::Scalar => (0, 1, true),
            Exec::NoMask(n) => (0, n, true),
            Exec::Range(lane, n) => (lane, n, false),
        }
    }

    /// Emits an operation for the lanes of `exec`, in as many instructions as it takes. Operands must be legal
    /// but for their width.
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
        // Mixed mode with a destination of 32 bits has 8 lanes (SKL PRM vol. 7, "Mixed Mode").
        let mixed = dst.ty == Type::F && srcs.iter().any(|s| s.ty == Type::Hf);
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
            // A constant fills its slot.
            (dst.ty, src.ty) = (Type::Ud, Type::Ud);
        }
        self.emit(Op::Eu(Opcode::Mov), exec, dst, &[src], Mods::NONE);
    }

    /// A two-source operation; immediates are put where they may stand.
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

    /// Makes an immediate fit for the second source: 32 bits at most, not a byte.
    fn second_imm(&mut self, b: Lanes, bits: u64) -> Lanes {
        match b.ty {
            // Not sign-extended from 32 bits: the comparison would be signed.
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

    /// A source where one of three can be read: its elements one behind the other, or one for all lanes.
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

    /// A three-source operation: align16 reads whole registers, lane after lane, or one element for all.
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

    /// The math box.
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
                // The second operand may be an immediate of 32 bits.
                self.emit(Op::Math(f), exec, dst, &[a, b], mods);
            }
            None => self.emit(Op::Math(f), exec, dst, &[a], mods),
        }
    }

    /// An instruction of control flow, for all lanes.
    pub fn control(&mut self, op: Op, pred: Option<Pred>, flag: u8) {
        let mut inst = Inst::new(op, self.lir.width);
        inst.pred = pred;
        inst.flag = flag;
        self.lir.insts.push(inst);
        self.control_flow_count += 1;
    }

    /// Instructions of control flow so far: while it is the same, the same lanes are active.
    pub fn control_flow_count(&self) -> u32 {
        self.control_flow_count
    }

    /// A message for so many lanes from `lane` on.
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

    /// A message's payload: whole registers first, then values of so many lanes one behind the other, each lane in a slot of
    /// four bytes or of eight. [`Lanes::null`] leaves a gap.
    pub fn collect(&mut self, exec: Exec, headers: &[Lanes], values: &[Lanes]) -> Src {
        let v = self.lir.vgrf(0);
        self.collect_into(v, exec, headers, values)
    }

    /// The payload of the message that ends the thread: it lies at the end of the register file.
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
