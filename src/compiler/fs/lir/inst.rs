//! LIR instructions, their payloads and their messages.

use crate::lir::operand::{Dst, GRF_BYTES, Reg, Src, VgrfId};
use entity::{Arena, Id};
use isa::{CondMod, MathFn, Opcode, PredCtrl, Type};
use smallvec::SmallVec;

/// A part of a message's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadPart {
    /// The source, copied bit for bit and without modifiers; [`Reg::Null`] for a gap that is not
    /// written.
    pub src: Src,
    /// Size in the payload in bytes: one register for a header, otherwise the same number of bytes
    /// for each lane.
    pub bytes: u32,
    /// It is a whole register, copied without the execution mask.
    pub header: bool,
}

/// The parts of a payload that [`Op::Collect`] builds, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The parts, headers first.
    pub parts: SmallVec<[PayloadPart; 5]>,
}

impl Payload {
    /// Size of all parts in bytes.
    pub fn bytes(&self) -> u32 {
        self.parts.iter().map(|p| p.bytes).sum()
    }
}

/// Identifies a payload of a program.
pub type PayloadId = Id<Payload>;

/// The operation of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// An EU operation with one to three sources, or control flow. MACH computes the high half of a
    /// product: the encoder emits the MUL that it needs before it, so the accumulator is not
    /// visible in LIR.
    Eu(Opcode),
    /// A math function.
    Math(MathFn),
    /// A message. Sources: payload; second payload or null; handle that is added to the extended
    /// descriptor, or null.
    Send,
    /// Builds a payload in the destination's VGRF, or in message registers from the destination on.
    /// Its sources are in [`Lir::payloads`](crate::lir::Lir::payloads); all of them are read before
    /// anything is written. `lower_collect` replaces it.
    Collect(PayloadId),
    /// `dst = base[offset]`. Sources: the base, whose whole VGRF may be read; a byte offset of type
    /// UW, per lane or scalar. It uses the address register.
    MovIndirect,
    /// The beginning of a loop; not encoded as an instruction.
    Do,
    /// `dst` = the handle of the surface with the shader's constant data; the driver patches it
    /// into the instruction.
    ConstantDataHandle,
    /// The target of HALT, behind which all lanes are active again.
    HaltTarget,
}

/// Predicate of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pred {
    /// Predicate control.
    pub ctrl: PredCtrl,
    /// The instruction is executed where the flag is 0.
    pub inverse: bool,
}

/// The message of a [`Op::Send`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendInfo {
    /// Shared function.
    pub sfid: u8,
    /// Descriptor without the lengths and the header bit.
    pub desc: u32,
    /// The third source is added to the descriptor, not to the extended descriptor.
    pub dynamic_desc: bool,
    /// Added to the handle; its lowest 12 bits are 0.
    pub handle_offset: u32,
    /// Length of the payload in registers.
    pub mlen: u8,
    /// Length of the second payload in registers.
    pub ex_mlen: u8,
    /// Length of the response in registers.
    pub rlen: u8,
    /// The payload starts with a header.
    pub header: bool,
    /// The message ends the thread.
    pub eot: bool,
    /// The message waits for earlier threads that shade the same pixels (SENDC).
    pub sendc: bool,
    /// The message writes memory or has another side effect.
    pub writes: bool,
    /// The message reads memory that may change.
    pub reads: bool,
}

impl SendInfo {
    /// The bits that are added to the handle to form the extended descriptor. It includes the SFID
    /// and EOT, which the shared function takes from there.
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
    /// Exec size: 1, 2, 4, 8, 16 or 32 lanes.
    pub exec: u8,
    /// First lane.
    pub group: u8,
    /// The instruction ignores the execution mask.
    pub no_mask: bool,
    /// Predicate.
    pub pred: Option<Pred>,
    /// Conditional modifier.
    pub cmod: CondMod,
    /// Flag subregister of predicate and conditional modifier, 0..=3.
    pub flag: u8,
    /// Saturates the result.
    pub sat: bool,
    /// Writes the accumulator.
    pub acc_wr: bool,
    /// Thread control is Switch (after writes to control registers).
    pub switch: bool,
    /// Destination.
    pub dst: Dst,
    /// Sources.
    pub src: [Src; 3],
    /// Message.
    pub send: Option<SendInfo>,
}

impl Inst {
    /// An instruction without operands.
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

    /// Number of sources.
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

    /// Calls `f` with the VGRF of every source, including the parts of a payload.
    pub fn for_each_vgrf_read(&self, payloads: &Arena<Payload>, mut f: impl FnMut(VgrfId)) {
        let own = self.src.iter().take(self.sources());
        own.filter_map(Src::as_vgrf).for_each(&mut f);
        if let Op::Collect(payload) = self.op {
            let parts = payloads[payload].parts.iter();
            parts.filter_map(|p| p.src.as_vgrf()).for_each(f);
        }
    }

    /// Number of bytes from the destination's first element to the end of its last one.
    pub fn dst_bytes(&self) -> u32 {
        match self.send {
            Some(send) => u32::from(send.rlen) * GRF_BYTES,
            None => {
                let pitch = u32::from(self.dst.stride) * self.dst.ty.size_bytes();
                (u32::from(self.exec) - 1) * pitch + self.dst.ty.size_bytes()
            }
        }
    }

    /// Number of bytes from the first element of source `i` to the end of its last one.
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
            // PLN reads four plane coefficients, and two coordinates for each lane.
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

    /// True for a control-flow instruction.
    pub fn is_control(&self) -> bool {
        match self.op {
            Op::Eu(op) => op.is_branch(),
            Op::Do | Op::HaltTarget => true,
            _ => false,
        }
    }

    /// True if the instruction must not be removed even if its result is not read.
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

    /// True if the conditional modifier writes the flag (that of SEL and CSEL does not).
    pub fn writes_flag(&self) -> bool {
        self.cmod != CondMod::None && !matches!(self.op, Op::Eu(Opcode::Sel | Opcode::Csel))
    }

    /// The flag bits that the predicate or the conditional modifier accesses, as a mask over f0 and
    /// f1.
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
