//! Conditions: comparisons into the flag where a branch or a select uses them, into registers
//! elsewhere.
//!
//! In:  boolean defs, comparisons, `bcsel`. Out: CMP and predicated instructions.
//! Tests: tests/fs/isel/.

use super::context::{Isel, exec_of};
use super::types::raw_type;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{Op, Pred};
use entity::Id;
use isa::{CondMod, Opcode, PredCtrl, Type};
use nir::{Alu, AluOp, Def};

/// Depth to which a tree of ANDs and ORs is evaluated in the flag.
const MAX_DEPTH: u32 = 6;

/// The conditional modifier and operand type of a comparison of `bits` bits, or `None` for other
/// operations.
pub(super) fn comparison(op: AluOp, bits: u8) -> Option<(CondMod, Type)> {
    let float = match bits {
        16 => Type::Hf,
        64 => Type::Df,
        _ => Type::F,
    };
    let (signed, unsigned) = match bits {
        16 => (Type::W, Type::Uw),
        64 => (Type::Q, Type::Uq),
        _ => (Type::D, Type::Ud),
    };
    Some(match op {
        AluOp::FLt => (CondMod::L, float),
        AluOp::FGe => (CondMod::Ge, float),
        AluOp::FEq => (CondMod::Z, float),
        AluOp::FNeu => (CondMod::Nz, float),
        AluOp::ILt => (CondMod::L, signed),
        AluOp::IGe => (CondMod::Ge, signed),
        AluOp::ULt => (CondMod::L, unsigned),
        AluOp::UGe => (CondMod::Ge, unsigned),
        AluOp::IEq => (CondMod::Z, signed),
        AluOp::INe => (CondMod::Nz, signed),
        _ => return None,
    })
}

/// The equivalent condition with swapped operands.
fn swap_operands(cmod: CondMod) -> CondMod {
    match cmod {
        CondMod::G => CondMod::L,
        CondMod::Ge => CondMod::Le,
        CondMod::L => CondMod::G,
        CondMod::Le => CondMod::Ge,
        other => other,
    }
}

impl Isel<'_> {
    /// Evaluates a boolean def into a flag. Returns the flag subregister, and true if the flag
    /// holds the inverse.
    pub(super) fn condition_to_flag(
        &mut self,
        def: Id<Def>,
        exec: Exec,
        depth: u32,
    ) -> Result<(u8, bool), FsError> {
        self.condition_to_flag_if(def, exec, None, depth)
    }

    /// Like [`Isel::condition_to_flag`]; with a predicate, only the flag bits of lanes where it
    /// holds are written.
    fn condition_to_flag_if(
        &mut self,
        def: Id<Def>,
        exec: Exec,
        pred: Option<Pred>,
        depth: u32,
    ) -> Result<(u8, bool), FsError> {
        if let Some(alu) = self.sh.alu_of(def)
            && depth < MAX_DEPTH
            && self.can_reselect(alu)
        {
            let bits = self.bits(alu.srcs[0].def);
            match alu.op {
                AluOp::INot if pred.is_none() => {
                    let (flag, inverse) =
                        self.condition_to_flag_if(alu.srcs[0].def, exec, pred, depth + 1)?;
                    return Ok((flag, !inverse));
                }
                AluOp::IAnd | AluOp::IOr if pred.is_none() => {
                    let (a, b) = (alu.srcs[0].def, alu.srcs[1].def);
                    if let Some(second) = self.sh.alu_of(b)
                        && comparison(second.op, self.bits(second.srcs[0].def)).is_some()
                        && self.bits(second.srcs[0].def) > 1
                        && self.can_reselect(second)
                        && self.is_not_inverted(a)
                    {
                        self.condition_to_flag_if(a, exec, None, depth + 1)?;
                        let pred = Pred {
                            ctrl: PredCtrl::Normal,
                            inverse: alu.op == AluOp::IOr,
                        };
                        return self.condition_to_flag_if(b, exec, Some(pred), depth + 1);
                    }
                }
                _ if bits > 1 => {
                    if let Some((cmod, ty)) = comparison(alu.op, bits) {
                        let mods = Mods {
                            pred,
                            ..Mods::cmod(cmod, 0)
                        };
                        self.emit_compare(alu, exec, None, ty, mods);
                        return Ok((0, false));
                    }
                }
                _ => {}
            }
        }
        let mask = self.comp(def, 0, Type::D);
        let null = Lanes::null(Type::D, 4);
        let mods = Mods {
            pred,
            ..Mods::cmod(CondMod::Nz, 0)
        };
        self.b.emit(Op::Eu(Opcode::Mov), exec, null, &[mask], mods);
        Ok((0, false))
    }

    /// True if materialising the boolean as 0 or ~0 takes more instructions than the flag:
    /// comparisons of operands that are not 32 bits wide.
    pub(super) fn is_cheaper_as_flag(&self, def: Id<Def>) -> bool {
        let narrow_or_wide = |def: Id<Def>| {
            self.sh.alu_of(def).is_some_and(|alu| {
                let bits = self.bits(alu.srcs[0].def);
                comparison(alu.op, bits).is_some() && !matches!(bits, 1 | 32)
            })
        };
        match self.sh.alu_of(def) {
            Some(alu) if matches!(alu.op, AluOp::IAnd | AluOp::IOr) => {
                let single = alu.srcs.iter().all(|s| self.uses[s.def.index()] == 1);
                single && alu.srcs.iter().all(|s| narrow_or_wide(s.def))
            }
            _ => narrow_or_wide(def),
        }
    }

    /// True if [`Isel::condition_to_flag`] does not return the inverse of this condition.
    fn is_not_inverted(&self, def: Id<Def>) -> bool {
        !matches!(self.sh.alu_of(def), Some(alu) if alu.op == AluOp::INot)
    }

    /// True if the operation can be selected again at this point: its operands still have the
    /// values that they had at its definition.
    pub(super) fn can_reselect(&self, alu: &Alu) -> bool {
        if self.loop_of[alu.def.index()] == self.current_loop {
            return true;
        }
        let divergent = self.is_divergent(alu.def);
        alu.srcs
            .iter()
            .all(|s| self.is_divergent(s.def) == divergent || self.sh.const_of(s.def).is_some())
    }

    /// Emits a comparison that writes the flag of `mods` and, if given, `dst`.
    pub(super) fn emit_compare(
        &mut self,
        alu: &Alu,
        exec: Exec,
        dst: Option<Lanes>,
        ty: Type,
        mods: Mods,
    ) {
        let operand = |i: usize| {
            if ty.is_float() {
                self.float_src(&alu.srcs[i], ty)
            } else {
                self.src(&alu.srcs[i], ty)
            }
        };
        let (mut a, mut b) = (operand(0), operand(1));
        let mut mods = mods;
        if a.is_imm() && !b.is_imm() {
            (a, b) = (b, a);
            mods.cmod = swap_operands(mods.cmod);
        }
        let null = Lanes::null(ty, a.pitch.max(b.pitch));
        if ty == Type::Df
            && dst.is_none()
            && !a.is_imm()
            && b.imm_bits().is_some_and(|v| v << 1 == 0)
        {
            // There are no 64-bit immediates, but MOV with a conditional modifier compares with
            // zero.
            self.b.emit(Op::Eu(Opcode::Mov), exec, null, &[a], mods);
            return;
        }
        self.b
            .binary(Opcode::Cmp, exec, dst.unwrap_or(null), a, b, mods);
    }

    /// Selects a comparison whose result is 0 or ~0 in registers.
    pub(super) fn select_comparison(&mut self, alu: &Alu, cmod: CondMod, ty: Type) {
        let exec = self.exec_for(alu.def);
        let dst = self.alloc_def(alu.def);
        if ty.size_bytes() == 4 {
            self.emit_compare(alu, exec, Some(dst.retype(ty)), ty, Mods::cmod(cmod, 0));
            return;
        }
        self.emit_compare(alu, exec, None, ty, Mods::cmod(cmod, 0));
        self.mask_from_flag(exec, dst, 0, false);
    }

    /// Writes 0 or ~0 to `dst` from a flag.
    pub(super) fn mask_from_flag(&mut self, exec: Exec, dst: Lanes, flag: u8, inverse: bool) {
        let dst = dst.retype(Type::D);
        self.b.mov(exec, dst, Lanes::imm(Type::D, 0));
        let mods = Mods::pred(flag, inverse);
        let ones = Lanes::imm(Type::D, 0xffff_ffff);
        self.b.emit(Op::Eu(Opcode::Mov), exec, dst, &[ones], mods);
    }

    /// Selects `bcsel`: `cond ? a : b`.
    pub(super) fn select_bcsel(&mut self, alu: &Alu) -> Result<(), FsError> {
        let bits = self.bits(alu.def);
        let exec = self.exec_for(alu.def);
        let ty = raw_type(bits);
        let (mut a, mut b) = (self.src(&alu.srcs[1], ty), self.src(&alu.srcs[2], ty));
        let dst = self.alloc_def(alu.def).retype(ty);
        let (flag, mut inverse) = self.condition_to_flag(alu.srcs[0].def, exec, 0)?;
        if bits == 8 {
            // Of an 8-bit operand only the byte itself is certain to be initialised, but the low 16
            // bits of a slot must always be written.
            for (s, mods) in [(b, Mods::NONE), (a, Mods::pred(flag, inverse))] {
                let (to, from) = match s.is_imm() {
                    true => (dst.retype(Type::Ud), s.retype(Type::Ud)),
                    false => (dst.retype(Type::Uw), s.retype(Type::Ub)),
                };
                self.b.emit(Op::Eu(Opcode::Mov), exec, to, &[from], mods);
            }
            return Ok(());
        }
        if a.is_imm() && b.is_imm() {
            self.b.mov(exec, dst, b);
            self.b.emit(
                Op::Eu(Opcode::Mov),
                exec,
                dst,
                &[a],
                Mods::pred(flag, inverse),
            );
            return Ok(());
        }
        if a.is_imm() {
            (a, b) = (b, a);
            inverse = !inverse;
        }
        self.b
            .binary(Opcode::Sel, exec, dst, a, b, Mods::pred(flag, inverse));
        debug_assert!(exec_of(dst) == exec);
        Ok(())
    }
}
