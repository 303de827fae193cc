//! LIR: EU instructions over virtual registers.
//!
//! A program is one list of instructions in layout order; IF, ELSE, ENDIF, DO, WHILE, BREAK and CONT
//! stand in it as themselves. Every instruction is as wide as the hardware can execute it: wider
//! operations are split when they are built. A VGRF is some whole registers; per-lane values
//! lie in it lane after lane.

use crate::error::FsError;
use entity::{Arena, Id};
use isa::{ArfReg, CondMod, MathFn, MessageRegisters, Opcode, PredCtrl, Type};
use smallvec::SmallVec;

/// Bytes of a general register.
pub const GRF_BYTES: u32 = 32;

/// Most bytes of a thread's scratch memory. Ref: SKL PRM vol. 2a, MEDIA_VFE_STATE, Per Thread Scratch Space.
const MOST_SCRATCH_BYTES: u64 = 2 << 20;

/// First register that the payload of the message that ends the thread may lie in.
pub const FIRST_OF_LAST_GRF: u8 = 112;

/// Registers that a thread's payload may have: a few are left to work with.
pub const PAYLOAD_GRFS: u8 = 124;

/// A virtual register: contiguous general registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vgrf {
    /// Length in registers.
    pub regs: u16,
    /// Must lie at this register (payload, end-of-thread message).
    pub fixed: Option<u8>,
    /// Made by the spiller: lives too shortly to be spilled.
    pub no_spill: bool,
}

impl Vgrf {
    /// Whether it is there from the start, as a part of the thread's payload. What else is fixed is the payload of the message that ends
    /// the thread, and lies at the file's end, where no thread's payload reaches.
    pub fn arrives(&self) -> bool {
        self.fixed
            .is_some_and(|first| u16::from(first) + self.regs <= PAYLOAD_GRFS.into())
    }
}

/// Name of a virtual register.
pub type VgrfId = Id<Vgrf>;

/// A message register (gen4 to gen6): destination of moves and payloads, and where a message finds its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mrf {
    /// Its number.
    pub nr: u8,
    /// Of a move: the second half goes to the register four behind the first half's. Of a payload: its first four values are colours,
    /// which the message wants that way on some parts.
    pub compr4: bool,
}

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reg {
    /// Nowhere.
    Null,
    /// A virtual register.
    Vgrf(VgrfId),
    /// An architecture register and its index.
    Arf(ArfReg, u8),
    /// A message register.
    Mrf(Mrf),
    /// An immediate with these bits.
    Imm(u64),
}

/// A source whose lanes form rows: row after row is `vstride` elements further, each `width` lanes wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Elements from one row to the next.
    pub vstride: u8,
    /// Lanes of a row.
    pub width: u8,
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src {
    /// Register.
    pub reg: Reg,
    /// Byte at which it starts within the register.
    pub offset: u32,
    /// Element type.
    pub ty: Type,
    /// Elements from one lane to the next; 0: one element for all.
    pub stride: u8,
    /// Rows within which `stride` holds.
    pub rows: Option<Rows>,
    /// Negated (complemented on logic operations).
    pub neg: bool,
    /// Absolute value, before the negation.
    pub abs: bool,
}

impl Src {
    /// No operand.
    pub const NULL: Src = Src {
        reg: Reg::Null,
        offset: 0,
        ty: Type::Ud,
        stride: 1,
        rows: None,
        neg: false,
        abs: false,
    };

    /// A region of a virtual register.
    pub const fn vgrf(v: VgrfId, offset: u32, ty: Type, stride: u8) -> Src {
        Src {
            reg: Reg::Vgrf(v),
            offset,
            ty,
            stride,
            rows: None,
            neg: false,
            abs: false,
        }
    }

    /// An immediate.
    pub const fn imm(ty: Type, bits: u64) -> Src {
        Src {
            reg: Reg::Imm(bits),
            offset: 0,
            ty,
            stride: 0,
            rows: None,
            neg: false,
            abs: false,
        }
    }

    /// An immediate of 32 bits.
    pub const fn ud(bits: u32) -> Src {
        Src::imm(Type::Ud, bits as u64)
    }

    /// An architecture register as a scalar.
    pub const fn arf(reg: ArfReg, index: u8, offset: u32, ty: Type) -> Src {
        Src {
            reg: Reg::Arf(reg, index),
            offset,
            ty,
            stride: 0,
            rows: None,
            neg: false,
            abs: false,
        }
    }

    /// The virtual register, if it is one.
    pub const fn as_vgrf(&self) -> Option<VgrfId> {
        match self.reg {
            Reg::Vgrf(v) => Some(v),
            _ => None,
        }
    }

    /// The same, negated once more. An immediate is negated itself.
    pub fn negated(mut self) -> Src {
        if let Reg::Imm(bits) = self.reg {
            self.reg = Reg::Imm(match self.ty {
                Type::F => bits ^ 0x8000_0000,
                Type::Hf => bits ^ 0x8000,
                Type::Df => bits ^ 1 << 63,
                Type::Uq | Type::Q => bits.wrapping_neg(),
                Type::Uw | Type::W => bits.wrapping_neg() & 0xffff,
                _ => bits.wrapping_neg() & 0xffff_ffff,
            });
        } else {
            self.neg = !self.neg;
        }
        self
    }
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dst {
    /// Register.
    pub reg: Reg,
    /// Byte at which it starts within the register.
    pub offset: u32,
    /// Element type.
    pub ty: Type,
    /// Elements from one lane to the next: 1, 2 or 4.
    pub stride: u8,
}

impl Dst {
    /// The null register.
    pub const fn null(ty: Type) -> Dst {
        Dst {
            reg: Reg::Null,
            offset: 0,
            ty,
            stride: 1,
        }
    }

    /// A region of a virtual register.
    pub const fn vgrf(v: VgrfId, offset: u32, ty: Type, stride: u8) -> Dst {
        Dst {
            reg: Reg::Vgrf(v),
            offset,
            ty,
            stride,
        }
    }

    /// An architecture register.
    pub const fn arf(reg: ArfReg, index: u8, offset: u32, ty: Type) -> Dst {
        Dst {
            reg: Reg::Arf(reg, index),
            offset,
            ty,
            stride: 1,
        }
    }

    /// The virtual register, if it is one.
    pub const fn as_vgrf(&self) -> Option<VgrfId> {
        match self.reg {
            Reg::Vgrf(v) => Some(v),
            _ => None,
        }
    }
}

/// One source of a message's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What is copied, bit for bit, without modifiers; [`Reg::Null`] leaves a gap.
    pub src: Src,
    /// Bytes that it takes in the payload: a register for a header, else the same for each lane.
    pub bytes: u32,
    /// A whole register, copied whichever lanes are active.
    pub header: bool,
}

/// What [`Op::Collect`] puts one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// Headers first.
    pub parts: SmallVec<[Part; 5]>,
}

impl Payload {
    /// Bytes of all parts.
    pub fn bytes(&self) -> u32 {
        self.parts.iter().map(|p| p.bytes).sum()
    }
}

/// Name of a payload.
pub type PayloadId = Id<Payload>;

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// An operation of the EU with one to three sources, or control flow. MACH is the whole product's high half: it is encoded with
    /// the MUL that it needs before it, so that nobody else has to know of the accumulator.
    Eu(Opcode),
    /// The math box.
    Math(MathFn),
    /// A message: sources are payload, second payload or null, and a handle to be added to the
    /// extended descriptor or null.
    Send,
    /// Builds a payload in the destination's VGRF, or in message registers from the destination on. Its sources are
    /// [`Lir::payloads`]'s; they are all read before anything is written. `lower_collect` makes moves of what cannot be built in place.
    Collect(PayloadId),
    /// `dst = base[offset]`: sources are the base (the whole VGRF may be read) and a byte offset of type UW,
    /// one for each lane or one for all. It takes the address register.
    MovIndirect,
    /// The top of a loop: no instruction.
    Do,
    /// `dst` = the handle of the surface with the shader's constant data: the launcher writes it into the instruction.
    Constants,
    /// Where HALT goes: every lane is active again.
    HaltTarget,
}

/// Predicate of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pred {
    /// Form.
    pub ctrl: PredCtrl,
    /// Executes where the flag is 0.
    pub inverse: bool,
}

/// The message of a [`Op::Send`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendInfo {
    /// Shared function.
    pub sfid: u8,
    /// Descriptor without lengths.
    pub desc: u32,
    /// The third source is added to the descriptor, not to the extended one.
    pub dynamic_desc: bool,
    /// Added to the handle; its lowest 12 bits are 0.
    pub handle_offset: u32,
    /// Registers of the payload.
    pub mlen: u8,
    /// Registers of the second payload.
    pub ex_mlen: u8,
    /// Registers of the response.
    pub rlen: u8,
    /// The payload starts with a header.
    pub header: bool,
    /// Ends the thread.
    pub eot: bool,
    /// Waits for the threads before it that have pixels of this one's: SENDC.
    pub ordered: bool,
    /// Writes memory or does something else that must happen.
    pub writes: bool,
    /// Reads memory that may change.
    pub reads: bool,
}

impl SendInfo {
    /// What is added to the handle for the extended descriptor: the unit that serves the message takes its own number and the end of
    /// thread from there too.
    pub fn ex_desc_bits(&self) -> u32 {
        let lengths = u32::from(self.ex_mlen) << 6;
        self.handle_offset | lengths | u32::from(self.sfid) | u32::from(self.eot) << 5
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    /// Operation.
    pub op: Op,
    /// Lanes: 1, 2, 4, 8, 16 or 32.
    pub exec: u8,
    /// First lane.
    pub group: u8,
    /// Ignores which lanes are active.
    pub no_mask: bool,
    /// Predicate.
    pub pred: Option<Pred>,
    /// Conditional modifier.
    pub cmod: CondMod,
    /// Flag subregister of predicate and conditional modifier, 0..=3.
    pub flag: u8,
    /// Saturates.
    pub sat: bool,
    /// Writes the accumulator.
    pub acc_wr: bool,
    /// Thread switch after it (writes to control registers).
    pub switch: bool,
    /// Destination.
    pub dst: Dst,
    /// Sources.
    pub src: [Src; 3],
    /// Message.
    pub send: Option<SendInfo>,
}

impl Inst {
    /// `op` without operands.
    pub const fn new(op: Op, exec: u8) -> Inst {
        Inst {
            op,
            exec,
            group: 0,
            no_mask: false,
            pred: None,
            cmod: CondMod::None,
            flag: 0,
            sat: false,
            acc_wr: false,
            switch: false,
            dst: Dst::null(Type::Ud),
            src: [Src::NULL; 3],
            send: None,
        }
    }

    /// Number of sources that count.
    pub fn sources(&self) -> usize {
        match self.op {
            Op::Eu(op) => match op {
                Opcode::Jmpi => 0,
                _ => usize::from(op.info().sources),
            },
            Op::Math(f) => f.sources(),
            Op::Send => 3,
            Op::MovIndirect => 2,
            Op::Collect(_) | Op::Constants | Op::Do | Op::HaltTarget => 0,
        }
    }

    /// Calls `f` with the VGRF of every source, those of a payload too.
    pub fn each_read(&self, payloads: &Arena<Payload>, mut f: impl FnMut(VgrfId)) {
        let own = self.src.iter().take(self.sources());
        own.filter_map(Src::as_vgrf).for_each(&mut f);
        if let Op::Collect(payload) = self.op {
            let parts = payloads[payload].parts.iter();
            parts.filter_map(|p| p.src.as_vgrf()).for_each(f);
        }
    }

    /// Bytes of its VGRF that the destination covers, from `dst.offset` on.
    pub fn dst_bytes(&self) -> u32 {
        match self.send {
            Some(send) => u32::from(send.rlen) * GRF_BYTES,
            None => {
                let pitch = u32::from(self.dst.stride) * self.dst.ty.size_bytes();
                (u32::from(self.exec) - 1) * pitch + self.dst.ty.size_bytes()
            }
        }
    }

    /// Bytes of its VGRF that source `i` covers, from its offset on.
    #[inline]
    pub fn src_bytes(&self, i: usize) -> u32 {
        let s = &self.src[i];
        if let Some(send) = self.send {
            return match i {
                0 => u32::from(send.mlen) * GRF_BYTES,
                1 => u32::from(send.ex_mlen) * GRF_BYTES,
                _ => 4,
            };
        }
        let size = s.ty.size_bytes();
        match (self.op, i, s.rows) {
            // Plane coefficients, and two coordinates for each lane.
            (Op::Eu(Opcode::Pln), 0, _) => 4 * size,
            (Op::Eu(Opcode::Pln), _, _) => 2 * u32::from(self.exec) * size,
            (.., Some(rows)) => {
                let (width, lanes) = (u32::from(rows.width), u32::from(self.exec));
                let row = (lanes / width).saturating_sub(1) * u32::from(rows.vstride);
                (row + (width - 1) * u32::from(s.stride)) * size + size
            }
            _ => (u32::from(self.exec) - 1) * u32::from(s.stride) * size + size,
        }
    }

    /// True if it opens, closes or leaves a block of control flow.
    pub fn is_control(&self) -> bool {
        match self.op {
            Op::Eu(op) => op.is_branch(),
            Op::Do | Op::HaltTarget => true,
            _ => false,
        }
    }

    /// True if it must stay although nobody reads its result.
    pub fn has_side_effects(&self) -> bool {
        if self.is_control() || matches!(self.op, Op::Eu(Opcode::Wait | Opcode::Nop)) {
            return true;
        }
        if let Some(send) = self.send {
            return send.writes || send.eot;
        }
        self.acc_wr
            || matches!(self.dst.reg, Reg::Arf(..) | Reg::Mrf(_) | Reg::Null)
            || self.cmod != CondMod::None && self.writes_flag()
    }

    /// True if the conditional modifier changes the flag (SEL's and CSEL's does not).
    pub fn writes_flag(&self) -> bool {
        self.cmod != CondMod::None && !matches!(self.op, Op::Eu(Opcode::Sel | Opcode::Csel))
    }

    /// The flag bits it reads or writes, as a mask over f0 and f1.
    pub fn flag_bits(&self) -> u64 {
        let (first, width) = match self.pred.map(|p| p.ctrl) {
            None | Some(PredCtrl::Normal) => (
                u32::from(self.flag) * 16 + u32::from(self.group),
                u32::from(self.exec),
            ),
            Some(_) => (u32::from(self.flag) * 16, 32),
        };
        ((1u64 << width) - 1) << first
    }
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Lir {
    /// The instructions in layout order.
    pub insts: Vec<Inst>,
    /// The virtual registers.
    pub vgrfs: Arena<Vgrf>,
    /// The payloads that [`Op::Collect`] builds.
    pub payloads: Arena<Payload>,
    /// Lanes of a thread: 8, 16 or 32.
    pub width: u8,
    /// The part's message registers, if it has any.
    pub message_registers: Option<MessageRegisters>,
    /// Bytes of scratch for each thread used so far.
    pub scratch_bytes: u32,
    /// Bits of flags that are read in other blocks than those that write them, as [`Inst::flag_bits`] has them.
    pub kept_flags: u64,
}

impl Lir {
    /// A new virtual register of so many bytes.
    pub fn vgrf(&mut self, bytes: u32) -> VgrfId {
        self.vgrfs.push(Vgrf {
            regs: bytes.div_ceil(GRF_BYTES).max(1) as u16,
            fixed: None,
            no_spill: false,
        })
    }

    /// So many bytes more of scratch: where they begin, at a register.
    pub fn reserve_scratch(&mut self, bytes: u64) -> Result<u32, FsError> {
        let first = self.scratch_bytes.next_multiple_of(GRF_BYTES);
        let end = u64::from(first) + bytes;
        if end > MOST_SCRATCH_BYTES {
            return Err(FsError::Limit {
                what: "bytes of scratch for a thread",
                need: end,
                max: MOST_SCRATCH_BYTES,
            });
        }
        self.scratch_bytes = end as u32;
        Ok(first)
    }
}
