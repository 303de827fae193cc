//! One instruction, resolved to what the interpreter needs.
//!
//! In:  what decoding found. Out: [`Uop`], the lanes of a thread that it is for, and the ways in which it can fail.
//! Ref: SKL PRM vol. 7, "EU Instruction Format", "Execution Mask", "Predication".

use crate::access::Operands;
use crate::flags;
use crate::letter::Letter;
use crate::message::Stop;
use crate::region::{DstOp, SrcOp};
use crate::rules::{self, Rule};
use crate::state::State;
use crate::touched::Touched;
use isa::{CondMod, Inst, MathFn, Opcode, Pred, PredCtrl};

/// What executes an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Run {
    /// Registers to registers.
    Alu(AluFn),
    /// As `Alu`, on registers that must be brought up to date before, or acted on after.
    Special,
    Flow(Flow),
    Send,
    Wait,
    Nop,
    /// Reaching this ends the thread.
    Trap(Box<Stop>),
}

/// Kinds of flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    If,
    Else,
    Endif,
    While,
    Break,
    Wander,
    Goto,
    Join,
    Jmpi,
    Brd,
    Call,
    Ret,
}

impl Flow {
    pub(crate) fn of(op: Opcode) -> Option<Flow> {
        Some(match op {
            Opcode::If => Flow::If,
            Opcode::Else => Flow::Else,
            Opcode::Endif => Flow::Endif,
            Opcode::While => Flow::While,
            Opcode::Break => Flow::Break,
            // CONT and HALT both wait at UIP; so does BRC.
            Opcode::Cont | Opcode::Halt | Opcode::Brc => Flow::Wander,
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

/// Result of executing one instruction; boxed so that success costs a register.
pub(crate) type R = Result<(), Box<Stop>>;

/// An ALU routine.
pub(crate) type AluFn = fn(&mut State, &Uop) -> R;

/// One instruction, resolved.
#[derive(Clone, Debug)]
pub(crate) struct Uop {
    pub(crate) run: Run,
    pub(crate) op: Opcode,
    pub(crate) math: Option<MathFn>,
    pub(crate) n: u8,
    pub(crate) chan: u8,
    pub(crate) sources: u8,
    pub(crate) flag: u8,
    pub(crate) no_mask: bool,
    pub(crate) saturate: bool,
    pub(crate) acc_wr: bool,
    /// Results go to dwords side by side as they are: none is saturated, nor sets flags.
    pub(crate) plain: bool,
    /// Channels may wait here.
    pub(crate) join: bool,
    pub(crate) cmod: CondMod,
    /// A mask of `n` lanes.
    pub(crate) full: u32,
    pub(crate) pred: Option<Pred>,
    pub(crate) next: u32,
    pub(crate) jip: u32,
    pub(crate) uip: u32,
    pub(crate) ip: u64,
    pub(crate) dst: DstOp,
    pub(crate) src: [SrcOp; 3],
    pub(crate) fast: Operands,
    /// What strict mode looks at first.
    pub(crate) touched: Option<Touched>,
    /// What a SEND sends that names all of it itself.
    pub(crate) letter: Option<Letter>,
    pub(crate) inst: Box<Inst>,
}

impl Uop {
    /// Flag bit of lane 0.
    #[inline]
    pub(crate) fn flag_bit(&self) -> u32 {
        u32::from(self.flag & 3) * 16 + u32::from(self.chan)
    }

    /// It does what a rule forbids.
    pub(crate) fn undefined(&self, rule: &Rule, what: String) -> Box<Stop> {
        Box::new(Stop::Undefined {
            rule: rule.name,
            prm: rule.prm,
            what,
            at: self.ip,
        })
    }

    /// It is not simulated.
    pub(crate) fn unimplemented(&self) -> Box<Stop> {
        let f = self.math.map_or(String::new(), |m| format!(" {m:?}"));
        Box::new(Stop::Unimplemented {
            what: format!(
                "{:?}{f} of {:?} and {:?}",
                self.op, self.dst.ty, self.src[0].ty
            ),
            at: self.ip,
        })
    }

    /// An operation on types it does not have.
    pub(crate) fn wrong_types(&self) -> Box<Stop> {
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
    /// Lanes of `u` that are enabled by the execution mask and the predicate.
    #[inline]
    pub(crate) fn mask(&self, u: &Uop) -> u32 {
        let m = if u.no_mask {
            u.full
        } else {
            (self.amask >> u.chan) & u.full
        };
        // The predicate of SEL selects a source; it disables nothing.
        if u.pred.is_none() || u.op == Opcode::Sel {
            m
        } else {
            m & self.predicate(u)
        }
    }

    /// The predicate of each lane; all lanes where there is none.
    #[inline]
    pub(crate) fn predicate(&self, u: &Uop) -> u32 {
        match &u.pred {
            None => u.full,
            Some(p) if p.ctrl == PredCtrl::Normal => {
                let w = flags::window(self.regs.flags(), u.flag_bit());
                (if p.inverse { !w } else { w }) & u.full
            }
            Some(p) => flags::predicate(p, self.regs.flags(), u.flag, u.chan, u.n),
        }
    }
}
