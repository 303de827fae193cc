//! Conditions: comparisons into the flag where a branch or a select uses them, into registers
//! elsewhere.
//!
//! In:  boolean defs, comparisons, `bcsel`. Out: CMP and predicated instructions.
//!
//! A tree of conditions becomes a chain of comparisons, each predicated on the one before, as long
//! as one operand of each AND and OR is a single comparison. Other operands, and those of XOR, go
//! to two flags that one scalar instruction combines. Where that is impossible, or where a mask is
//! in registers anyway, the mask is tested.
//! Tests: tests/fs/isel/, tests/fs/rows/.

use super::bool_forms::combines_conditions;
use super::context::{ConditionInFlag, Isel, exec_of};
use super::types::raw_type;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{Inst, Op, Pred, Reg};
use entity::Id;
use isa::{ArfReg, CondMod, Opcode, PredCtrl, Type};
use nir::{Alu, AluOp, Def};
use smallvec::SmallVec;

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

/// A flag subregister as a word operand.
pub(super) fn flag_word(flag: u8) -> Lanes {
    Lanes {
        offset: u32::from(flag % 2) * 2,
        ..Lanes::arf(ArfReg::Flag, flag / 2, Type::Uw)
    }
}

/// A null destination for an instruction that only tests a mask.
pub(super) fn null_like(mask: Lanes) -> Lanes {
    Lanes::null(mask.ty, mask.pitch.max(mask.ty.size_bytes() as u8))
}

/// The condition that holds exactly where this one does not, if the hardware has it.
pub(super) fn inverse_condition(cmod: CondMod, ty: Type) -> Option<CondMod> {
    Some(match cmod {
        CondMod::Z => CondMod::Nz,
        CondMod::Nz => CondMod::Z,
        // With a NaN operand, neither holds.
        _ if ty.is_float() => return None,
        CondMod::L => CondMod::Ge,
        CondMod::Ge => CondMod::L,
        _ => return None,
    })
}

/// Where and for which lanes a condition is evaluated.
#[derive(Clone, Copy)]
struct FlagUse {
    exec: Exec,
    flag: u8,
    /// The flag bits of lanes that are not active are left alone, and the flag must not hold the
    /// inverse.
    keeps_other_lanes: bool,
    /// No mask is made, whatever the uses of the condition ask for.
    without_masks: bool,
    depth: u32,
}

impl FlagUse {
    fn deeper(self) -> FlagUse {
        FlagUse {
            depth: self.depth + 1,
            ..self
        }
    }
}

impl Isel<'_> {
    /// Evaluates a boolean def into f0.0. Returns the flag subregister, and true if the flag holds
    /// the inverse. The flag bits of lanes that are not active are undefined.
    pub(super) fn condition_to_flag(&mut self, def: Id<Def>, exec: Exec) -> (u8, bool) {
        if let Some(held) = self.condition_in_flag
            && (held.def, held.exec) == (def, exec)
            && !self.may_change_flags(held.end)
        {
            return (0, held.inverse);
        }
        let to = FlagUse {
            exec,
            flag: 0,
            keeps_other_lanes: false,
            without_masks: false,
            depth: 0,
        };
        // [`crate::opt::flags`] finds comparisons that are repeated, but no chains of them.
        let is_chain = self.flag_operation(def, to).is_some();
        let inverse = self.evaluate(def, to);
        let end = self.b.lir.insts.len();
        self.condition_in_flag = is_chain.then_some(ConditionInFlag {
            def,
            exec,
            inverse,
            end,
        });
        (0, inverse)
    }

    /// True if the flags may differ from what they were behind the first `since` instructions, or
    /// other lanes may be active.
    fn may_change_flags(&self, since: usize) -> bool {
        let changes = |i: &Inst| {
            let to_flag = matches!(i.dst.reg, Reg::Arf(ArfReg::Flag, _));
            i.is_control() || i.writes_flag() || to_flag
        };
        self.b
            .lir
            .insts
            .get(since..)
            .is_none_or(|insts| insts.iter().any(changes))
    }

    /// Evaluates a condition for which [`Isel::is_shorter_as_flag`] into f0.0.
    pub(super) fn number_to_flag(&mut self, def: Id<Def>, exec: Exec) {
        let to = FlagUse {
            exec,
            flag: 0,
            keeps_other_lanes: false,
            without_masks: true,
            depth: 0,
        };
        let inverse = self.evaluate(def, to);
        debug_assert!(!inverse);
    }

    /// Evaluates a boolean def into the flag bits of f0.0 of the active lanes.
    pub(super) fn condition_to_active_flag_bits(&mut self, def: Id<Def>) {
        let to = FlagUse {
            exec: Exec::Active,
            flag: 0,
            keeps_other_lanes: true,
            without_masks: false,
            depth: 0,
        };
        let inverse = self.evaluate(def, to);
        debug_assert!(!inverse);
    }

    /// The operation that makes a condition out of others, if it is to be evaluated in flags here.
    fn flag_operation(&self, def: Id<Def>, to: FlagUse) -> Option<&'_ Alu> {
        let alu = self.sh.alu_of(def)?;
        let forms = &self.bool_forms[def];
        // A mask that is in registers anyway is tested instead.
        let in_registers = forms.mask && alu.op != AluOp::INot && !to.without_masks;
        let usable = to.depth < MAX_DEPTH && !in_registers && self.can_reselect(alu);
        (usable && combines_conditions(self.sh, alu)).then_some(alu)
    }

    /// Evaluates a condition; returns true if the flag holds the inverse.
    fn evaluate(&mut self, def: Id<Def>, to: FlagUse) -> bool {
        let Some(alu) = self.flag_operation(def, to).cloned() else {
            self.test(def, false, to, None);
            return false;
        };
        let (a, b) = (alu.srcs[0].def, alu.srcs.last().map_or(def, |s| s.def));
        match alu.op {
            AluOp::INot if to.keeps_other_lanes || self.is_tested_exactly(a, true, to) => {
                self.test(a, true, to, None);
                false
            }
            AluOp::INot => !self.evaluate(a, to.deeper()),
            AluOp::IAnd | AluOp::IOr => {
                let chains = |first, second| {
                    let inverse = self.is_inverse(first, to.deeper());
                    self.is_tested_exactly(second, inverse, to)
                        && !(inverse && to.keeps_other_lanes)
                };
                let (first, second) = match (chains(a, b), chains(b, a)) {
                    (true, _) => (a, b),
                    (false, true) => (b, a),
                    (false, false) => match self.second_flag(&alu, to) {
                        Some(other) => return self.combine_flags(&alu, to, other),
                        None => {
                            self.test(def, false, to, None);
                            return false;
                        }
                    },
                };
                let inverse = self.evaluate(first, to.deeper());
                // Where the first operand decides, the flag stays as it is. With the inverse of the
                // first operand, AND and OR exchange their roles.
                let pred = Pred {
                    ctrl: PredCtrl::Normal,
                    inverse: (alu.op == AluOp::IOr) != inverse,
                };
                self.test(second, inverse, to, Some(pred));
                inverse
            }
            _ => match self.second_flag(&alu, to) {
                Some(other) => self.combine_flags(&alu, to, other),
                None => {
                    self.test(def, false, to, None);
                    false
                }
            },
        }
    }

    /// True if [`Isel::evaluate`] leaves the inverse of a condition in the flag.
    fn is_inverse(&self, def: Id<Def>, to: FlagUse) -> bool {
        let Some(alu) = self.flag_operation(def, to) else {
            return false;
        };
        let (a, b) = (alu.srcs[0].def, alu.srcs.last().map_or(def, |s| s.def));
        match alu.op {
            AluOp::INot if to.keeps_other_lanes || self.is_tested_exactly(a, true, to) => false,
            AluOp::INot => !self.is_inverse(a, to.deeper()),
            AluOp::IAnd | AluOp::IOr => {
                let [x, y] = [a, b].map(|def| self.is_inverse(def, to.deeper()));
                let chains = |second, inverse: bool| {
                    self.is_tested_exactly(second, inverse, to)
                        && !(inverse && to.keeps_other_lanes)
                };
                if chains(b, x) { x } else { chains(a, y) && y }
            }
            _ => false,
        }
    }

    /// A flag for the second operand of an operation whose first one is evaluated in `to`, if no
    /// other value is in it and the flags take fewer instructions than a test of the masks: two
    /// scalar instructions combine them, since the second source of an instruction is no ARF.
    fn second_flag(&self, alu: &Alu, to: FlagUse) -> Option<u8> {
        let wide = self.b.width() > 16;
        // SIMD32 takes all of f0. In fragment shaders, f1 has the live pixels.
        let is_free = !wide || self.sh.stage == nir::Stage::Compute;
        let comparisons = |i: usize| self.count_comparisons(alu.srcs[i].def, to.deeper());
        let ([a, shared_a], [b, shared_b]) = (comparisons(0)?, comparisons(1)?);
        // Masks that are combined, but for those of comparisons that flags repeat.
        let masks = (a + b - 1).saturating_sub(shared_a + shared_b) * if wide { 2 } else { 1 };
        let usable = to.flag == 0 && is_free && !to.keeps_other_lanes && masks > 2;
        usable.then_some(if wide { 2 } else { 1 })
    }

    /// Number of comparisons that evaluate a condition in a flag, and of those among them that have
    /// other uses, for each of which a flag is evaluated again; none if one of them, or of their
    /// results, has a mask in registers anyway.
    fn count_comparisons(&self, def: Id<Def>, to: FlagUse) -> Option<[u32; 2]> {
        if self.bool_forms[def].mask || to.depth > MAX_DEPTH {
            return None;
        }
        match self.flag_operation(def, to) {
            Some(alu) => {
                let mut operands = alu.srcs.iter();
                operands.try_fold([0; 2], |[all, shared], s| {
                    let [more, more_shared] = self.count_comparisons(s.def, to.deeper())?;
                    Some([all + more, shared + more_shared])
                })
            }
            None => {
                let shared = u32::from(self.uses[def.index()] > 1);
                self.comparison_of(def, false).map(|_| [1, shared])
            }
        }
    }

    /// Evaluates both operands in flags and combines these.
    fn combine_flags(&mut self, alu: &Alu, to: FlagUse, other: u8) -> bool {
        let (a, b) = (alu.srcs[0].def, alu.srcs[1].def);
        let a_inverse = self.evaluate(a, to.deeper());
        let second = FlagUse {
            flag: other,
            ..to.deeper()
        };
        let b_inverse = self.evaluate(b, second);
        let word = |flag| match other {
            2 => Lanes::arf(ArfReg::Flag, flag / 2, Type::Ud),
            _ => flag_word(flag),
        };
        // Only the first source may be a flag.
        let copy = self.b.temp(word(other).ty, Exec::Scalar);
        self.b.mov(Exec::Scalar, copy, word(other));
        let operand = |value: Lanes, inverse| match inverse {
            true => value.negated(),
            false => value,
        };
        let (op, srcs, inverse) = match alu.op {
            AluOp::IAnd => (
                Opcode::And,
                [operand(word(0), a_inverse), operand(copy, b_inverse)],
                false,
            ),
            AluOp::IOr => (
                Opcode::Or,
                [operand(word(0), a_inverse), operand(copy, b_inverse)],
                false,
            ),
            op => (
                Opcode::Xor,
                [word(0), copy],
                (op == AluOp::IEq) != (a_inverse != b_inverse),
            ),
        };
        self.b
            .emit(Op::Eu(op), Exec::Scalar, word(0), &srcs, Mods::NONE);
        inverse
    }

    /// The comparison whose result is `def` or, with `inverse`, its complement.
    fn comparison_of(&self, def: Id<Def>, inverse: bool) -> Option<(&'_ Alu, CondMod, Type)> {
        let (mut def, mut inverse) = (def, inverse);
        let mut alu = self.sh.alu_of(def)?;
        while alu.op == AluOp::INot {
            (def, inverse) = (alu.srcs[0].def, !inverse);
            alu = self.sh.alu_of(def)?;
        }
        let bits = self.bits(alu.srcs.first()?.def);
        let (cmod, ty) = comparison(alu.op, bits).filter(|_| bits > 1)?;
        let cmod = match inverse {
            true => inverse_condition(cmod, ty)?,
            false => cmod,
        };
        self.can_reselect(alu).then_some((alu, cmod, ty))
    }

    /// True if [`Isel::test`] takes one instruction that does not need the mask of a comparison.
    fn is_tested_exactly(&self, def: Id<Def>, inverse: bool, to: FlagUse) -> bool {
        let has_mask = self.bool_forms[def].mask && !to.without_masks;
        has_mask || self.sh.alu_of(def).is_none() || self.comparison_of(def, inverse).is_some()
    }

    /// Evaluates a condition, or its complement, with one comparison. With a predicate, only the
    /// flag bits of lanes where it holds are written.
    fn test(&mut self, def: Id<Def>, inverse: bool, to: FlagUse, pred: Option<Pred>) {
        if let Some((alu, cmod, ty)) = self.comparison_of(def, inverse) {
            let (alu, mods) = (alu.clone(), Mods::cmod(cmod, to.flag));
            return self.emit_compare(&alu, to.exec, None, ty, Mods { pred, ..mods });
        }
        let mask = self.comp(def, 0, Type::D);
        let cmod = if inverse { CondMod::Z } else { CondMod::Nz };
        let mods = Mods {
            pred,
            ..Mods::cmod(cmod, to.flag)
        };
        let null = null_like(mask);
        self.b
            .emit(Op::Eu(Opcode::Mov), to.exec, null, &[mask], mods);
    }

    /// True if the number that a boolean stands for takes fewer instructions as a flag and two
    /// predicated moves than as a conversion of its mask, or as many where a sum reads the mask
    /// itself: the boolean and all that it is made of have no other use, and are evaluated by
    /// predicated comparisons. Of equal numbers of instructions, those with the flag take fewer
    /// registers if the mask has quadwords.
    pub(super) fn is_shorter_as_flag(&self, def: Id<Def>, exec: Exec) -> bool {
        let mut open: SmallVec<[Id<Def>; 8]> = SmallVec::from_slice(&[def]);
        let width = u32::from(self.b.width());
        let (one, mut comparisons, mut reads) = (width.div_ceil(16), 0, 0);
        let mut has_quadwords = false;
        while let Some(def) = open.pop() {
            let Some(alu) = self.sh.alu_of(def) else {
                return false;
            };
            let same_lanes = self.exec_for(def) == exec;
            if self.uses[def.index()] != 1 || !same_lanes || !self.can_reselect(alu) {
                return false;
            }
            let bits = self.bits(alu.srcs[0].def);
            if matches!(alu.op, AluOp::IAnd | AluOp::IOr) {
                // The second operand of a chain is a comparison.
                let [a, b] = [0, 1].map(|i| alu.srcs[i].def);
                match [a, b].map(|def| self.comparison_of(def, false).is_some()) {
                    [_, true] => open.extend([a, b]),
                    [true, false] => open.extend([b, a]),
                    [false, false] => return false,
                }
            } else if bits > 1 && comparison(alu.op, bits).is_some() {
                comparisons += 1;
                has_quadwords |= bits == 64;
                // One operation reads each mask: that of a quadword for eight lanes at a time.
                let widened = self.dword_booleans && bits != 32;
                reads += match (exec, bits) {
                    (Exec::Scalar, _) => 1 + u32::from(widened),
                    (_, 64) if widened => width / 8 + one,
                    (_, 64) => width / 8,
                    _ if widened => 2 * one,
                    _ => one,
                };
            } else {
                return false;
            }
            if comparisons > MAX_DEPTH {
                return false;
            }
        }
        let moves = if exec == Exec::Scalar { 2 } else { 2 * one };
        moves < reads || moves == reads && has_quadwords
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

    /// Selects a comparison whose result is 0 or ~0 in registers. CMP writes the mask at the size
    /// of its operands.
    pub(super) fn select_comparison(&mut self, alu: &Alu, cmod: CondMod, ty: Type) {
        let exec = self.exec_for(alu.def);
        let dst = self.alloc_def(alu.def);
        let mods = Mods::cmod(cmod, 0);
        if u32::from(self.mask_size(alu.def).bytes()) == ty.size_bytes() {
            self.emit_compare(alu, exec, Some(dst.retype(ty)), ty, mods);
            return;
        }
        let mask = match ty.size_bytes() {
            2 => self.b.temp_packed_hf(exec),
            _ => self.b.temp(ty, exec),
        };
        self.emit_compare(alu, exec, Some(mask.retype(ty)), ty, mods);
        let part = if ty.size_bytes() == 2 {
            Type::W
        } else {
            Type::D
        };
        self.b.mov(exec, dst.retype(Type::D), mask.retype(part));
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
    pub(super) fn select_bcsel(&mut self, alu: &Alu) {
        let bits = self.bits(alu.def);
        let exec = self.exec_for(alu.def);
        let ty = match bits {
            1 => self.mask_type(alu.def),
            _ => raw_type(bits),
        };
        let (mut a, mut b) = (self.src(&alu.srcs[1], ty), self.src(&alu.srcs[2], ty));
        let dst = self.alloc_def(alu.def).retype(ty);
        let (flag, mut inverse) = self.condition_to_flag(alu.srcs[0].def, exec);
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
            return;
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
            return;
        }
        if a.is_imm() {
            (a, b) = (b, a);
            inverse = !inverse;
        }
        self.b
            .binary(Opcode::Sel, exec, dst, a, b, Mods::pred(flag, inverse));
        debug_assert!(exec_of(dst) == exec);
    }
}
