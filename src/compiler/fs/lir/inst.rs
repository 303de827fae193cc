//! LIR instructions, their payloads and their messages.

use crate::lir::operand::{Dst, GRF_BYTES, Reg, Src, VgrfId};
use entity::{Arena, Id};
use isa::{CondMod, MathFn, Opcode, PredCtrl, Type};
use smallvec::SmallVec;

/// One source of a message's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadPart {
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
    pub parts: SmallVec<[PayloadPart; 5]>,
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
    ConstantDataHandle,
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
    pub sendc: bool,
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
            Op::Collect(_) | Op::ConstantDataHandle | Op::Do | Op::HaltTarget => 0,
        }
    }

    /// Calls `f` with the VGRF of every source, those of a payload too.
    pub fn for_each_vgrf_read(&self, payloads: &Arena<Payload>, mut f: impl FnMut(VgrfId)) {
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
