//! Micro-ops: instructions with operands and branch targets resolved.
//!
//! In:  decoded instructions. Out: [`Uop`], its execution mask in a thread's state, and the errors
//!      it can stop with.
//! Ref: SKL PRM vol. 7, "EU Instruction Format", "Execution Mask", "Predication".

use crate::access::FastOperands;
use crate::byte_ranges::OperandBytes;
use crate::flags;
use crate::message::StopReason;
use crate::region::{DstOp, SrcOp};
use crate::rules::{self, ThreadRule};
use crate::send_operands::ResolvedSend;
use crate::state::State;
use isa::{CondMod, Inst, MathFn, Opcode, Pred, PredCtrl};

/// How an instruction is executed.
#[derive(Clone, Debug)]
pub(crate) enum UopKind {
    /// By an ALU routine, which reads and writes registers only.
    Alu(AluFn),
    /// By the interpreter, with an architecture register that has to be updated before (ce0, ip,
    /// tm0) or acts on the thread (cr0, ip).
    Special,
    Flow(Flow),
    Send,
    Wait,
    Nop,
    /// Stops the thread: the instruction could not be fetched, decoded or resolved.
    Trap(Box<StopReason>),
}

/// Kinds of control flow instructions, by the action on channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    If,
    Else,
    Endif,
    While,
    Break,
    ParkAtUip,
    Goto,
    Join,
    Jmpi,
    Brd,
    Call,
    Ret,
}

impl Flow {
    /// The kind of a control flow opcode; None for other opcodes.
    pub(crate) fn from_opcode(op: Opcode) -> Option<Flow> {
        Some(match op {
            Opcode::If => Flow::If,
            Opcode::Else => Flow::Else,
            Opcode::Endif => Flow::Endif,
            Opcode::While => Flow::While,
            Opcode::Break => Flow::Break,
            // All three make channels wait at UIP.
            Opcode::Cont | Opcode::Halt | Opcode::Brc => Flow::ParkAtUip,
            Opcode::Goto => Flow::Goto,
            Opcode::Join => Flow::Join,
            Opcode::Jmpi => Flow::Jmpi,
            Opcode::Brd => Flow::Brd,
            Opcode::Call | Opcode::Calla => Flow::Call,
            Opcode::Ret => Flow::Ret,
            _ => return None,
        })
    }
}

/// Result of executing one instruction. The error is boxed so that the result fits one host
/// register.
pub(crate) type ExecResult = Result<(), Box<StopReason>>;

/// A function that executes an ALU instruction.
pub(crate) type AluFn = fn(&mut State, &Uop) -> ExecResult;

/// One decoded instruction. Branch targets are indices of instructions in the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Uop {
    pub(crate) kind: UopKind,
    pub(crate) op: Opcode,
    pub(crate) math: Option<MathFn>,
    pub(crate) exec_size: u8,
    pub(crate) chan_off: u8,
    pub(crate) num_srcs: u8,
    pub(crate) flag: u8,
    pub(crate) no_mask: bool,
    pub(crate) saturate: bool,
    pub(crate) acc_wr: bool,
    /// The destination is contiguous dwords, without saturation and conditional modifier: the fast
    /// path may store whole rows.
    pub(crate) plain_dwords: bool,
    /// Channels may wait at this instruction.
    pub(crate) is_join_point: bool,
    pub(crate) cmod: CondMod,
    /// Mask of all `exec_size` lanes.
    pub(crate) full_mask: u32,
    pub(crate) pred: Option<Pred>,
    pub(crate) next: u32,
    pub(crate) jip: u32,
    pub(crate) uip: u32,
    pub(crate) ip: u64,
    pub(crate) dst: DstOp,
    pub(crate) src: [SrcOp; 3],
    /// Operands in the form that the fast paths use.
    pub(crate) fast: FastOperands,
    /// GRF bytes of the operands, for the check of uninitialised reads; None with indirect
    /// operands.
    pub(crate) operand_bytes: Option<OperandBytes>,
    /// Operands of a SEND that does not read a0.
    pub(crate) resolved_send: Option<ResolvedSend>,
    pub(crate) inst: Box<Inst>,
}

impl Uop {
    /// Index of lane 0's flag bit.
    #[inline]
    pub(crate) fn flag_bit(&self) -> u32 {
        u32::from(self.flag & 3) * 16 + u32::from(self.chan_off)
    }

    /// The error for an instruction that breaks a rule; `what` describes the finding.
    pub(crate) fn undefined(&self, rule: &ThreadRule, what: String) -> Box<StopReason> {
        Box::new(StopReason::Undefined {
            rule: rule.name,
            prm: rule.prm,
            what,
            at: self.ip,
        })
    }

    /// The error for an instruction that is not simulated yet.
    pub(crate) fn unimplemented(&self) -> Box<StopReason> {
        let f = self.math.map_or(String::new(), |m| format!(" {m:?}"));
        Box::new(StopReason::Unimplemented {
            what: format!(
                "{:?}{f} of {:?} and {:?}",
                self.op, self.dst.ty, self.src[0].ty
            ),
            at: self.ip,
        })
    }

    /// The error for an operation that is not defined for the types of its operands.
    pub(crate) fn wrong_types(&self) -> Box<StopReason> {
        self.undefined(
            &rules::TYPES,
            format!(
                "{:?} of {:?} and {:?}",
                self.op, self.dst.ty, self.src[0].ty
            ),
        )
    }
}

impl State {
    /// The lanes of `u` that the execution mask and the predicate enable.
    #[inline]
    pub(crate) fn mask(&self, u: &Uop) -> u32 {
        let m = if u.no_mask {
            u.full_mask
        } else {
            (self.amask >> u.chan_off) & u.full_mask
        };
        // The predicate of SEL selects a source and does not disable lanes.
        if u.pred.is_none() || u.op == Opcode::Sel {
            m
        } else {
            m & self.predicate(u)
        }
    }

    /// The predicate of each lane; all lanes for an instruction without a predicate.
    #[inline]
    pub(crate) fn predicate(&self, u: &Uop) -> u32 {
        match &u.pred {
            None => u.full_mask,
            Some(p) if p.ctrl == PredCtrl::Normal => {
                let w = flags::lane_flags(self.regs.flags(), u.flag_bit());
                (if p.inverse { !w } else { w }) & u.full_mask
            }
            Some(p) => flags::predicate(p, self.regs.flags(), u.flag, u.chan_off, u.exec_size),
        }
    }
}
