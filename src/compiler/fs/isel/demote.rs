//! `demote` and `terminate` tracked in a flag: a set bit of f1.1 marks a demoted pixel.
//!
//! In:  `demote` and `terminate` of shaders whose only effect is to write render targets.
//! Out: a comparison that sets the flag bits of the demoted lanes, where it pays a HALT of those,
//! and render target writes that are predicated by the flag. No register is needed.
//!
//! Other shaders keep a mask in a register ([`super::fragment`]), because messages to memory need
//! f1.1.
//! Tests: tests/fs/demote/.

use super::cond::{comparison, flag_word, inverse_condition, null_like};
use super::context::{Isel, exec_of};
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{Op, Pred};
use entity::Id;
use isa::{CondMod, Opcode, PredCtrl, Type};
use nir::{AluOp, CfEvent, Def, Effects, Instr, Intrinsic, IntrinsicOp, Jump, Shader, Tex, TexSrc};

/// f1.1: the predicate of live pixels for messages to memory, or, in shaders that this file
/// handles, the demoted pixels.
pub(super) const PIXEL_FLAG: u8 = 3;

/// Depth to which a tree of ANDs and ORs is evaluated in the flag.
const MAX_DEPTH: u32 = 6;

/// Cost of the code after the first demote up to which `terminate` emits no HALT; a sampler message
/// counts as [`SAMPLER_COST`] instructions.
const MAX_WASTED_COST: u32 = 40;
const SAMPLER_COST: u32 = 10;

/// [`PIXEL_FLAG`] as a word operand.
pub(super) fn pixel_flag() -> Lanes {
    flag_word(PIXEL_FLAG)
}

/// True for demote and terminate.
fn is_demote(op: IntrinsicOp) -> bool {
    use IntrinsicOp as I;
    matches!(op, I::Demote | I::DemoteIf | I::Terminate | I::TerminateIf)
}

/// True for a handle that no value computed by a terminated lane can change.
fn is_constant_handle(sh: &Shader, handle: Id<Def>) -> bool {
    use IntrinsicOp as I;
    let has_constant_index = |i: &Intrinsic| {
        matches!(i.op, I::VulkanResourceIndex | I::VulkanSamplerIndex)
            && sh.const_of(i.srcs[0]).is_some()
    };
    sh.intrinsic_of(handle).is_some_and(has_constant_index)
}

/// True if both handles of a texture instruction are constant ([`is_constant_handle`]).
fn has_constant_handles(sh: &Shader, tex: &Tex) -> bool {
    let handle = |src| tex.src(src).is_none_or(|def| is_constant_handle(sh, def));
    handle(TexSrc::TextureHandle) && handle(TexSrc::SamplerHandle)
}

/// How a shader's demoted pixels can be tracked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DemoteTracking {
    /// Writing render targets is the shader's only effect, so a flag is enough.
    pub in_flag: bool,
    /// Terminated lanes may continue without a HALT: nothing reads the execution mask, there is no
    /// loop whose exit they could delay, and little code is left.
    pub continues: bool,
}

impl DemoteTracking {
    /// Scans a shader.
    pub fn new(sh: &Shader, layout: &[CfEvent]) -> DemoteTracking {
        let mut out = DemoteTracking {
            in_flag: true,
            continues: true,
        };
        let (mut demoted, mut budget) = (false, MAX_WASTED_COST);
        for event in layout {
            let b = match *event {
                CfEvent::Block(b) => b,
                CfEvent::Loop(_) => {
                    out.continues = false;
                    continue;
                }
                _ => continue,
            };
            for &id in &sh.blocks[b].instrs {
                let mut cost = 1;
                match &sh.instrs[id] {
                    Instr::Intrinsic(i) if is_demote(i.op) => demoted = true,
                    Instr::Intrinsic(i) => {
                        let effects = i.op.info().effects;
                        let scratch = i.op == IntrinsicOp::StoreScratch;
                        let target = i.op == IntrinsicOp::StoreOutput;
                        out.in_flag &= !effects.any(Effects::WRITES) || scratch || target;
                        out.in_flag &= i.op != IntrinsicOp::IsHelperInvocation;
                        let uses_exec_mask = Effects::CONVERGENT.or(Effects::BY_INDEX);
                        let reads = effects.any(Effects::READS.or(Effects::MESSAGE));
                        let is_known =
                            i.op == IntrinsicOp::LoadUbo && is_constant_handle(sh, i.srcs[0]);
                        out.continues &=
                            !(effects.any(uses_exec_mask) || demoted && reads && !is_known);
                    }
                    Instr::Tex(tex) => {
                        cost = SAMPLER_COST;
                        out.continues &= !demoted || has_constant_handles(sh, tex);
                    }
                    Instr::Jump(Jump::Return) => out.continues = false,
                    Instr::Const { .. } | Instr::Undef { .. } => cost = 0,
                    _ => {}
                }
                if demoted {
                    out.continues &= budget >= cost;
                    budget = budget.saturating_sub(cost);
                }
            }
        }
        out.continues &= out.in_flag;
        out
    }
}

/// Modifiers of a comparison that adds lanes to the demoted ones: only lanes that are not demoted
/// are compared.
fn demoting(cmod: CondMod) -> Mods {
    let not_demoted = Pred {
        ctrl: PredCtrl::Normal,
        inverse: true,
    };
    Mods {
        pred: Some(not_demoted),
        ..Mods::cmod(cmod, PIXEL_FLAG)
    }
}

impl Isel<'_> {
    /// Selects a demote or terminate: of all active lanes, or of those where the operand is true.
    pub(super) fn demote_in_flag(&mut self, i: &Intrinsic, continues: bool) -> Result<(), FsError> {
        match i.srcs.first() {
            Some(&condition) => self.demote_where(condition, false, 0),
            None => {
                let r0 = Lanes::new(self.r0, 0, Type::Ud, 0);
                let null = Lanes::null(Type::Ud, 4);
                self.b.binary(
                    Opcode::Cmp,
                    Exec::Active,
                    null,
                    r0,
                    r0,
                    demoting(CondMod::Z),
                );
            }
        }
        let terminates = matches!(i.op, IntrinsicOp::Terminate | IntrinsicOp::TerminateIf);
        if terminates && !continues {
            self.halts = true;
            let demoted = Pred {
                ctrl: PredCtrl::Normal,
                inverse: false,
            };
            self.b
                .control(Op::Eu(Opcode::Halt), Some(demoted), PIXEL_FLAG);
        }
        Ok(())
    }

    /// Marks the lanes where a condition holds (or does not, if `inverse`) as demoted.
    fn demote_where(&mut self, def: Id<Def>, inverse: bool, depth: u32) {
        if let Some(alu) = self.sh.alu_of(def)
            && depth < MAX_DEPTH
            && self.can_reselect(alu)
        {
            let bits = self.bits(alu.srcs[0].def);
            match alu.op {
                AluOp::INot => return self.demote_where(alu.srcs[0].def, !inverse, depth + 1),
                AluOp::IOr if !inverse => {
                    self.demote_where(alu.srcs[0].def, false, depth + 1);
                    return self.demote_where(alu.srcs[1].def, false, depth + 1);
                }
                AluOp::IAnd if inverse => {
                    self.demote_where(alu.srcs[0].def, true, depth + 1);
                    return self.demote_where(alu.srcs[1].def, true, depth + 1);
                }
                _ if bits > 1 => {
                    if let Some((cmod, ty)) = comparison(alu.op, bits) {
                        let cmod = if inverse {
                            inverse_condition(cmod, ty)
                        } else {
                            Some(cmod)
                        };
                        if let Some(cmod) = cmod {
                            return self.emit_compare(alu, Exec::Active, None, ty, demoting(cmod));
                        }
                    }
                }
                _ => {}
            }
        }
        let mask = self.comp(def, 0, Type::D);
        let mask = match mask.imm_bits() {
            Some(bits) => self.b.imm_reg(Type::D, bits),
            None => mask,
        };
        debug_assert!(matches!(exec_of(mask), Exec::Active | Exec::Scalar));
        let null = null_like(mask);
        let cmod = if inverse { CondMod::Z } else { CondMod::Nz };
        self.b.emit(
            Op::Eu(Opcode::Mov),
            Exec::Active,
            null,
            &[mask],
            demoting(cmod),
        );
    }
}
