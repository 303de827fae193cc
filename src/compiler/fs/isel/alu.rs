//! ALU operations.
//!
//! In:  NIR ALU instructions. Out: EU instructions, with source modifiers and saturation folded in.
//! Conversions are in [`super::convert`], comparisons and selects in [`super::cond`].
//! Tests: tests/fs/isel/.

use super::bool_forms::MaskSize;
use super::cond::comparison;
use super::context::Isel;
use super::types::{HF_BYTES, float, int, sign_bit, uint};
use super::unsupported::unsupported_alu;
use crate::error::FsError;
use crate::lir::Op;
use crate::lir::builder::{Exec, Lanes, Mods};
use entity::Id;
use isa::{CondMod, MathFn, Opcode, Type};
use nir::{Alu, AluOp, Def};

/// The bits of a true boolean of this type.
fn mask_bits(ty: Type) -> u64 {
    (1 << (8 * ty.size_bytes())) - 1
}

impl Isel<'_> {
    /// Selects an ALU instruction.
    pub(super) fn select_alu(&mut self, alu: &Alu) -> Result<(), FsError> {
        if let Some(def) = self.fsat_of[alu.def] {
            // Its only use is an `fsat`: saturate here and write the `fsat`'s def.
            self.saturating = true;
            let saturated = Alu { def, ..alu.clone() };
            let result = self.select_alu_op(&saturated);
            self.saturating = false;
            return result;
        }
        if alu.op == AluOp::FSat && self.fsat_of[alu.srcs[0].def] == Some(alu.def) {
            return Ok(());
        }
        self.select_alu_op(alu)
    }

    /// Adds saturation to an operation's modifiers if its result is to be saturated.
    fn with_saturate(&self, mods: Mods) -> Mods {
        Mods {
            sat: self.saturating,
            ..mods
        }
    }

    /// Finds operations whose only use is an `fsat` and that can saturate their result themselves.
    pub(super) fn find_saturates(&mut self, layout: &[nir::CfEvent]) {
        use AluOp as A;
        let sh = self.sh;
        for event in layout {
            let nir::CfEvent::Block(b) = *event else {
                continue;
            };
            for &id in &sh.blocks[b].instrs {
                let nir::Instr::Alu(sat) = &sh.instrs[id] else {
                    continue;
                };
                if sat.op != A::FSat || self.bits(sat.def) != 32 || self.uses[sat.def.index()] == 0
                {
                    continue;
                }
                let operand = sat.srcs[0].def;
                let can_saturate = sh.alu_of(operand).is_some_and(|a| {
                    a.op.is_float_arithmetic() && a.op != A::FSat
                        || matches!(a.op, A::FLrp | A::FPow | A::FFract)
                });
                if can_saturate
                    && self.uses[operand.index()] == 1
                    && sh.defs[operand].num_components == 1
                    && self.is_divergent(operand) == self.is_divergent(sat.def)
                {
                    self.fsat_of[operand] = Some(sat.def);
                }
            }
        }
    }

    /// Dispatches an ALU instruction by its operation.
    fn select_alu_op(&mut self, alu: &Alu) -> Result<(), FsError> {
        use AluOp as A;
        let bits = self.bits(alu.def);
        match alu.op {
            A::Mov | A::Vec2 | A::Vec3 | A::Vec4 | A::Vec5 | A::Vec8 | A::Vec16 => {
                self.alias_def(alu);
            }
            A::Bcsel => self.select_bcsel(alu),
            A::FAdd | A::FMul | A::FMin | A::FMax => self.select_float_binary(alu, bits),
            A::FFma => self.select_ffma(alu, bits),
            A::FLrp => self.select_flrp(alu),
            A::FNeg | A::FAbs => self.select_sign_op(alu, bits),
            A::FSat | A::FFloor | A::FCeil | A::FTrunc | A::FRoundEven | A::FFract => {
                self.select_float_unary(alu, bits);
            }
            A::FRcp | A::FSqrt | A::FRsq | A::FExp2 | A::FLog2 | A::FSin | A::FCos | A::FPow => {
                self.select_float_math(alu, bits)?;
            }
            A::FLt
            | A::FGe
            | A::FEq
            | A::FNeu
            | A::ILt
            | A::IGe
            | A::ULt
            | A::UGe
            | A::IEq
            | A::INe => {
                let src_bits = self.bits(alu.srcs[0].def);
                match comparison(alu.op, src_bits) {
                    Some((cmod, ty)) if src_bits > 1 => self.select_comparison(alu, cmod, ty),
                    _ => self.select_bool_equality(alu),
                }
            }
            A::IAdd
            | A::IMul
            | A::IMin
            | A::IMax
            | A::UMin
            | A::UMax
            | A::IAnd
            | A::IOr
            | A::IXor
            | A::IShl
            | A::IShr
            | A::UShr => self.select_int_binary(alu, bits),
            A::INeg | A::IAbs | A::INot => self.select_int_unary(alu, bits),
            A::IMulHigh | A::UMulHigh | A::IMul2x32_64 | A::UMul2x32_64 => {
                self.select_wide_multiply(alu);
            }
            A::IDiv | A::UDiv | A::IRem | A::UMod => self.select_divide(alu),
            A::BitfieldReverse => self.select_bit_unary(alu, Opcode::Bfrev)?,
            A::BitCount => self.select_bit_unary(alu, Opcode::Cbit)?,
            A::FindLsb => self.select_bit_unary(alu, Opcode::Fbl)?,
            A::UClz => self.select_bit_unary(alu, Opcode::Lzd)?,
            A::UBfe => self.select_bit_ternary(alu, Opcode::Bfe, Type::Ud, [2, 1, 0]),
            A::IBfe => self.select_bit_ternary(alu, Opcode::Bfe, Type::D, [2, 1, 0]),
            A::Bfi => self.select_bit_ternary(alu, Opcode::Bfi2, Type::Ud, [0, 1, 2]),
            A::Bfm => self.select_bitfield_mask(alu),
            _ => self.select_conversion(alu)?,
        }
        Ok(())
    }

    /// Selects a move or a vector constructor: the def aliases its operands, without code.
    fn alias_def(&mut self, alu: &Alu) {
        for c in 0..self.sh.defs[alu.def].num_components {
            let (s, index) = match alu.op {
                AluOp::Mov => (&alu.srcs[0], usize::from(c)),
                _ => (&alu.srcs[usize::from(c)], 0),
            };
            self.alias_comp(alu.def, c, s.def, s.swizzle[index]);
        }
    }

    /// Selects `fneg` and `fabs` as a MOV with a source modifier.
    fn select_sign_op(&mut self, alu: &Alu, bits: u8) {
        let ty = float(bits);
        let exec = self.exec_for(alu.def);
        let a = self.float_src(&alu.srcs[0], ty);
        let a = match (alu.op, a.imm_bits()) {
            (AluOp::FNeg, _) => a.negated(),
            (_, Some(v)) => Lanes::imm(ty, v & !sign_bit(ty)),
            (_, None) => a.absolute(),
        };
        let dst = self.alloc_def(alu.def).retype(ty);
        self.b.mov(exec, dst, a);
    }

    fn select_flrp(&mut self, alu: &Alu) {
        let exec = self.exec_for(alu.def);
        let srcs = [2, 1, 0].map(|i| self.float_src(&alu.srcs[i], Type::F));
        let dst = self.alloc_def(alu.def).retype(Type::F);
        let mods = self.with_saturate(Mods::NONE);
        self.b.ternary(Opcode::Lrp, exec, dst, srcs, mods);
    }

    fn select_float_binary(&mut self, alu: &Alu, bits: u8) {
        let ty = float(bits);
        let exec = self.exec_for(alu.def);
        let (a, b) = (
            self.float_src(&alu.srcs[0], ty),
            self.float_src(&alu.srcs[1], ty),
        );
        let dst = self.alloc_def(alu.def).retype(ty);
        let (op, mods) = match alu.op {
            AluOp::FAdd => (Opcode::Add, Mods::NONE),
            AluOp::FMul => (Opcode::Mul, Mods::NONE),
            AluOp::FMin => (Opcode::Sel, Mods::cmod(CondMod::L, 0)),
            _ => (Opcode::Sel, Mods::cmod(CondMod::Ge, 0)),
        };
        let mods = self.with_saturate(mods);
        self.b.binary(op, exec, dst, a, b, mods);
    }

    fn select_ffma(&mut self, alu: &Alu, bits: u8) {
        let exec = self.exec_for(alu.def);
        if bits == 16 {
            let dst = self.alloc_def(alu.def).retype(Type::Hf);
            let srcs = [2, 0, 1].map(|i| self.float_src(&alu.srcs[i], Type::Hf));
            let sum = match dst.pitch {
                0 | HF_BYTES => dst,
                _ => self.b.temp_packed_hf(exec),
            };
            self.b.ternary(Opcode::Mad, exec, sum, srcs, Mods::NONE);
            if sum.reg != dst.reg {
                self.b.mov(exec, dst, sum);
            }
            return;
        }
        let ty = float(bits);
        let srcs = [2, 0, 1].map(|i| self.float_src(&alu.srcs[i], ty));
        let dst = self.alloc_def(alu.def).retype(ty);
        if bits == 64 && exec == Exec::Scalar {
            let whole = self.b.temp(ty, Exec::NoMask(4));
            let wide = srcs.map(|s| {
                let w = self.b.temp(ty, Exec::NoMask(4));
                self.b.mov(Exec::NoMask(4), w, s);
                w
            });
            self.b
                .ternary(Opcode::Mad, Exec::NoMask(4), whole, wide, Mods::NONE);
            self.b.mov(exec, dst, whole.scalar());
            return;
        }
        let mods = self.with_saturate(Mods::NONE);
        self.b.ternary(Opcode::Mad, exec, dst, srcs, mods);
    }

    fn select_float_unary(&mut self, alu: &Alu, bits: u8) {
        let ty = float(bits);
        let exec = self.exec_for(alu.def);
        let a = self.float_src(&alu.srcs[0], ty);
        let dst = self.alloc_def(alu.def).retype(ty);
        let (op, sat) = match alu.op {
            AluOp::FSat => (Opcode::Mov, true),
            AluOp::FFract if self.saturating => (Opcode::Frc, true),
            AluOp::FFloor => (Opcode::Rndd, false),
            AluOp::FCeil => (Opcode::Rndu, false),
            AluOp::FTrunc => (Opcode::Rndz, false),
            AluOp::FRoundEven => (Opcode::Rnde, false),
            _ => (Opcode::Frc, false),
        };
        let a = match a.imm_bits() {
            Some(v) if op != Opcode::Mov || ty == Type::Df => self.b.imm_reg(ty, v),
            _ => a,
        };
        if bits == 16 && op != Opcode::Mov {
            // Rounding has no 16-bit form; it is exact in 32 bits.
            let wide = self.b.temp(Type::F, exec);
            self.b.mov(exec, wide, a);
            self.b.emit(Op::Eu(op), exec, wide, &[wide], Mods::NONE);
            self.b.mov(exec, dst, wide);
            return;
        }
        let mods = Mods { sat, ..Mods::NONE };
        self.b.emit(Op::Eu(op), exec, dst, &[a], mods);
    }

    fn select_float_math(&mut self, alu: &Alu, bits: u8) -> Result<(), FsError> {
        let f = match alu.op {
            AluOp::FRcp => MathFn::Inv,
            AluOp::FSqrt => MathFn::Sqrt,
            AluOp::FRsq => MathFn::Rsq,
            AluOp::FExp2 => MathFn::Exp,
            AluOp::FLog2 => MathFn::Log,
            AluOp::FSin => MathFn::Sin,
            AluOp::FCos => MathFn::Cos,
            _ => MathFn::Pow,
        };
        if bits == 64 {
            return Err(unsupported_alu(
                alu,
                "the extended math unit has no 64-bit operations",
            ));
        }
        let exec = self.exec_for(alu.def);
        let n = f.sources();
        let mut srcs = [Lanes::imm(Type::F, 0); 2];
        for (i, s) in srcs.iter_mut().enumerate().take(n) {
            *s = self.float_src(&alu.srcs[i], float(bits));
            if bits == 16 && self.packed_half[alu.def] {
                *s = self.b.packed_source(exec, *s);
            } else if bits == 16 {
                let wide = self.b.temp(Type::F, exec);
                self.b.mov(exec, wide, *s);
                *s = wide;
            }
        }
        let second = (n == 2).then_some(srcs[1]);
        let dst = self.alloc_def(alu.def);
        if bits == 16 && self.packed_half[alu.def] {
            let to = dst.retype(Type::Hf);
            self.b.math(f, exec, to, srcs[0], second, false);
        } else if bits == 16 {
            let wide = self.b.temp(Type::F, exec);
            self.b.math(f, exec, wide, srcs[0], second, false);
            self.b.mov(exec, dst.retype(Type::Hf), wide);
        } else {
            let (to, sat) = (dst.retype(Type::F), self.saturating);
            self.b.math(f, exec, to, srcs[0], second, sat);
        }
        Ok(())
    }

    /// Selects `ieq` and `ine` of booleans.
    fn select_bool_equality(&mut self, alu: &Alu) {
        let exec = self.exec_for(alu.def);
        let ty = self.mask_type(alu.def);
        let a = self.logic_src(&alu.srcs[0], ty);
        let b = self.logic_src(&alu.srcs[1], ty);
        // The complement of one operand complements the result.
        let (a, b) = match (alu.op, a.imm_bits()) {
            (AluOp::IEq, Some(bits)) => (Lanes::imm(ty, !bits & mask_bits(ty)), b),
            (AluOp::IEq, None) => (a.negated(), b),
            _ => (a, b),
        };
        let dst = self.alloc_def(alu.def).retype(ty);
        self.b.binary(Opcode::Xor, exec, dst, a, b, Mods::NONE);
    }

    /// The type in which a logic operation computes a boolean.
    pub(super) fn mask_type(&self, def: Id<Def>) -> Type {
        match self.mask_size(def) {
            MaskSize::Word => Type::W,
            _ => Type::D,
        }
    }

    /// For `imax(sum, 0)`: the `iadd`, if `imax` is its only use and the sum cannot wrap. An
    /// unsigned saturating ADD then computes both.
    fn saturating_sum(&self, alu: &Alu) -> Option<&nir::Alu> {
        let constant = |s: &nir::AluSrc| self.sh.const_component(s.def, s.swizzle[0]);
        let operand = match (constant(&alu.srcs[0]), constant(&alu.srcs[1])) {
            (_, Some(0)) => alu.srcs[0].def,
            (Some(0), _) => alu.srcs[1].def,
            _ => return None,
        };
        let sum = self.sh.alu_of(operand).filter(|a| a.op == AluOp::IAdd)?;
        let (term, addend_bound) = match (constant(&sum.srcs[0]), constant(&sum.srcs[1])) {
            (None, Some(c)) => (sum.srcs[0].def, c),
            (Some(c), None) => (sum.srcs[1].def, c),
            _ => return None,
        };
        // The sum cannot wrap upwards if the other term has an upper bound too.
        let other = self.sh.alu_of(term)?;
        let bounded = match other.op {
            AluOp::IMin => other
                .srcs
                .iter()
                .any(|s| constant(s).is_some_and(|c| c < 1 << 20)),
            AluOp::INeg => {
                let field = self.sh.alu_of(other.srcs[0].def);
                field.is_some_and(|f| {
                    f.op == AluOp::UBfe && constant(&f.srcs[2]).is_some_and(|bits| bits <= 20)
                })
            }
            _ => false,
        };
        let is_only_use = self.uses[operand.index()] == 1
            && self.is_divergent(operand) == self.is_divergent(alu.def);
        let same_loop = self.loop_of[operand.index()] == self.current_loop;
        (self.bits(operand) == 32 && bounded && addend_bound < 1 << 20 && is_only_use && same_loop)
            .then_some(sum)
    }

    fn select_int_binary(&mut self, alu: &Alu, bits: u8) {
        use AluOp as A;
        let exec = self.exec_for(alu.def);
        if alu.op == A::IMax
            && let Some(sum) = self.saturating_sum(alu)
        {
            let (a, b) = (
                self.int_src(&sum.srcs[0], Type::D),
                self.int_src(&sum.srcs[1], Type::D),
            );
            let dst = self.alloc_def(alu.def).retype(Type::Ud);
            let mods = Mods {
                sat: true,
                ..Mods::NONE
            };
            self.b.binary(Opcode::Add, exec, dst, a, b, mods);
            return;
        }
        if alu.op == A::IMul
            && bits == 32
            && let (Some(a), Some(b)) = (self.number_mask(alu, 0), self.number_mask(alu, 1))
        {
            let dst = self.alloc_def(alu.def).retype(Type::D);
            self.b.binary(Opcode::Mul, exec, dst, a, b, Mods::NONE);
            return;
        }
        let (signed, unsigned) = (int(bits.max(16)), uint(bits.max(16)));
        let (signed, unsigned) = match bits {
            1 => (self.mask_type(alu.def), self.mask_type(alu.def)),
            _ => (signed, unsigned),
        };
        let (op, ty, mods) = match alu.op {
            A::IAdd => (Opcode::Add, signed, Mods::NONE),
            A::IMul => (Opcode::Mul, signed, Mods::NONE),
            A::IMin => (Opcode::Sel, signed, Mods::cmod(CondMod::L, 0)),
            A::IMax => (Opcode::Sel, signed, Mods::cmod(CondMod::Ge, 0)),
            A::UMin => (Opcode::Sel, unsigned, Mods::cmod(CondMod::L, 0)),
            A::UMax => (Opcode::Sel, unsigned, Mods::cmod(CondMod::Ge, 0)),
            A::IAnd => (Opcode::And, unsigned, Mods::NONE),
            A::IOr => (Opcode::Or, unsigned, Mods::NONE),
            A::IXor => (Opcode::Xor, unsigned, Mods::NONE),
            A::IShl => (Opcode::Shl, signed, Mods::NONE),
            A::IShr => (Opcode::Asr, signed, Mods::NONE),
            _ => (Opcode::Shr, unsigned, Mods::NONE),
        };
        let is_shift = matches!(alu.op, A::IShl | A::IShr | A::UShr);
        let a = match alu.op {
            A::IAdd => self.int_src(&alu.srcs[0], ty),
            A::IAnd | A::IOr | A::IXor => self.logic_src(&alu.srcs[0], ty),
            _ => self.src(&alu.srcs[0], ty),
        };
        let b = if is_shift {
            self.shift_count(alu, bits, exec)
        } else if alu.op == A::IAdd {
            self.int_src(&alu.srcs[1], ty)
        } else if matches!(alu.op, A::IAnd | A::IOr | A::IXor) {
            self.logic_src(&alu.srcs[1], ty)
        } else {
            self.src(&alu.srcs[1], ty)
        };
        let dst = self.alloc_def(alu.def).retype(ty);
        self.b.binary(op, exec, dst, a, b, mods);
    }

    /// For an operand of a product that is a boolean as a number: its mask as words. The product of
    /// two masks is that of the numbers, 1 where both are true.
    fn number_mask(&self, alu: &Alu, i: usize) -> Option<Lanes> {
        let number = self.sh.alu_of(alu.srcs[i].def)?;
        let mask = number.srcs.first()?;
        let same_lanes = self.exec_for(number.def) == self.exec_for(mask.def);
        let usable = number.op == AluOp::B2I
            && same_lanes
            && !self.dword_booleans
            && !self.is_shorter_as_flag(mask.def, self.exec_for(mask.def));
        usable
            .then(|| self.src(mask, Type::W))
            .filter(|l| !l.is_imm())
    }

    /// The count of a shift. The hardware takes it modulo 32 or 64, so shorter types need a mask.
    fn shift_count(&mut self, alu: &Alu, bits: u8, exec: Exec) -> Lanes {
        let s = self.src(&alu.srcs[1], Type::Ud);
        if let Some(v) = s.imm_bits() {
            return Lanes::imm(Type::Ud, v & u64::from(bits - 1));
        }
        if bits >= 32 {
            return s;
        }
        let t = self.b.temp(Type::Ud, exec);
        let mask = Lanes::imm(Type::Ud, u64::from(bits - 1));
        self.b.binary(Opcode::And, exec, t, s, mask, Mods::NONE);
        t
    }

    /// An operand of an integer sum. Negations become source modifiers, and so does `b2i`: 1 is the
    /// negation of a true boolean (~0).
    fn int_src(&self, s: &nir::AluSrc, ty: Type) -> Lanes {
        if let Some(i) = self.sh.intrinsic_of(s.def)
            && i.op == nir::IntrinsicOp::LoadSubgroupInvocation
            && ty == Type::D
            && let Some(words) = self.lane_id_words
        {
            return words;
        }
        if let Some(alu) = self.sh.alu_of(s.def)
            && alu.op == AluOp::INeg
            && self.is_divergent(s.def) == self.is_divergent(alu.srcs[0].def)
            && let l = self.src(&alu.srcs[0], ty)
            && !l.is_imm()
        {
            return l.negated();
        }
        if let Some(alu) = self.sh.alu_of(s.def)
            && alu.op == AluOp::B2I
            && matches!(ty, Type::W | Type::D)
            && !self.is_shorter_as_flag(alu.srcs[0].def, self.exec_for(s.def))
            && self.is_divergent(s.def) == self.is_divergent(alu.srcs[0].def)
            && let l = self.src(&alu.srcs[0], ty)
            && !l.is_imm()
        {
            return l.negated();
        }
        self.src(s, ty)
    }

    /// An operand of a bitwise operation. `inot` becomes a source modifier, since negation means
    /// complement on logic instructions.
    fn logic_src(&self, s: &nir::AluSrc, ty: Type) -> Lanes {
        if let Some(alu) = self.sh.alu_of(s.def)
            && alu.op == AluOp::INot
            && self.is_divergent(s.def) == self.is_divergent(alu.srcs[0].def)
            && let l = self.src(&alu.srcs[0], ty)
            && !l.is_imm()
        {
            return l.negated();
        }
        self.src(s, ty)
    }

    fn select_int_unary(&mut self, alu: &Alu, bits: u8) {
        let exec = self.exec_for(alu.def);
        let ty = match bits {
            1 => self.mask_type(alu.def),
            _ => int(bits.max(16)),
        };
        let a = self.src(&alu.srcs[0], ty);
        let a = match a.imm_bits() {
            Some(v) => self.b.imm_reg(ty, v),
            None => a,
        };
        let dst = self.alloc_def(alu.def).retype(ty);
        match alu.op {
            AluOp::INeg => self.b.mov(exec, dst, a.negated()),
            AluOp::IAbs => self.b.mov(exec, dst, a.absolute()),
            _ => self
                .b
                .emit(Op::Eu(Opcode::Not), exec, dst, &[a], Mods::NONE),
        }
    }

    /// Selects 32x32 to 64-bit products, and their high halves.
    fn select_wide_multiply(&mut self, alu: &Alu) {
        let signed = matches!(alu.op, AluOp::IMulHigh | AluOp::IMul2x32_64);
        let (narrow, wide) = if signed {
            (Type::D, Type::Q)
        } else {
            (Type::Ud, Type::Uq)
        };
        let exec = self.exec_for(alu.def);
        let (a, b) = (
            self.src(&alu.srcs[0], narrow),
            self.src(&alu.srcs[1], narrow),
        );
        if matches!(alu.op, AluOp::IMul2x32_64 | AluOp::UMul2x32_64) {
            let dst = self.alloc_def(alu.def).retype(wide);
            self.b.binary(Opcode::Mul, exec, dst, a, b, Mods::NONE);
            return;
        }
        if self.soft_int64 {
            let dst = self.alloc_def(alu.def).retype(narrow);
            self.b.binary(Opcode::Mach, exec, dst, a, b, Mods::NONE);
            return;
        }
        let product = self.b.temp(wide, exec);
        self.b.binary(Opcode::Mul, exec, product, a, b, Mods::NONE);
        self.set_lanes(alu.def, 0, product.retype(narrow).offset_by(4));
    }

    fn select_divide(&mut self, alu: &Alu) {
        let signed = matches!(alu.op, AluOp::IDiv | AluOp::IRem);
        let ty = if signed { Type::D } else { Type::Ud };
        let f = match alu.op {
            AluOp::IDiv | AluOp::UDiv => MathFn::IntDivQuotient,
            _ => MathFn::IntDivRemainder,
        };
        let exec = self.exec_for(alu.def);
        let (a, b) = (self.src(&alu.srcs[0], ty), self.src(&alu.srcs[1], ty));
        let dst = self.alloc_def(alu.def).retype(ty);
        self.b.math(f, exec, dst, a, Some(b), false);
    }

    fn select_bit_unary(&mut self, alu: &Alu, op: Opcode) -> Result<(), FsError> {
        if self.bits(alu.srcs[0].def) != 32 {
            return Err(unsupported_alu(alu, "only 32-bit operands are supported"));
        }
        let exec = self.exec_for(alu.def);
        let a = self.src(&alu.srcs[0], Type::Ud);
        let a = match a.imm_bits() {
            Some(v) => self.b.imm_reg(Type::Ud, v),
            None => a,
        };
        let dst = self.alloc_def(alu.def);
        self.b.emit(Op::Eu(op), exec, dst, &[a], Mods::NONE);
        Ok(())
    }

    /// Selects a three-source bit operation; `order` has the source of each operand.
    fn select_bit_ternary(&mut self, alu: &Alu, op: Opcode, ty: Type, order: [usize; 3]) {
        let srcs = order.map(|i| self.src(&alu.srcs[i], ty));
        let exec = self.exec_for(alu.def);
        let dst = self.alloc_def(alu.def).retype(ty);
        self.b.ternary(op, exec, dst, srcs, Mods::NONE);
    }

    /// Selects `bfm`, with BFI1.
    fn select_bitfield_mask(&mut self, alu: &Alu) {
        let exec = self.exec_for(alu.def);
        let [a, b] = [0, 1].map(|i| self.src(&alu.srcs[i], Type::Ud));
        let dst = self.alloc_def(alu.def);
        self.b.binary(Opcode::Bfi1, exec, dst, a, b, Mods::NONE);
    }
}
