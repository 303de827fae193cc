//! Conversions, packing and unpacking.
//!
//! In:  NIR conversions, pack, unpack and extract operations. Out: MOVs, and changes of the
//! rounding mode in cr0.
//!
//! 8- and 16-bit values live in 32-bit slots whose upper bits are undefined, so truncating an
//! integer only reads the same location with a shorter type. (16-bit floats that only arithmetic
//! uses are packed instead, see [`super::packed_half`].) Values converted down from 64 bits keep a
//! pitch of 8 bytes, as the region restrictions demand.

use super::context::{Isel, Loc};
use super::types::{float, int, raw_type, uint};
use super::unsupported::unsupported_alu;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{Dst, Inst, Op, Reg, Src};
use entity::{Id, IdMap};
use isa::{ArfReg, Opcode, Type};
use nir::{Alu, AluOp, Block, Def};

/// Rounding mode in bits 5:4 of cr0.0: towards zero.
const ROUND_TO_ZERO: u32 = 0x30;

impl Isel<'_> {
    /// Selects conversions, packing and unpacking.
    pub(super) fn select_conversion(&mut self, alu: &Alu) -> Result<(), FsError> {
        use AluOp as A;
        let to = self.bits(alu.def);
        let from = self.bits(alu.srcs[0].def);
        match alu.op {
            A::B2I => self.select_bool_to_number(alu, int(to.max(32))),
            A::B2F => self.select_bool_to_number(alu, float(to)),
            A::I2I | A::U2U if to <= from => self.alias_sub_word(alu, 0),
            A::I2I => self.select_cast(alu, int(from), int(to)),
            A::U2U => self.select_cast(alu, uint(from), uint(to)),
            A::I2F => self.select_cast(alu, int(from), float(to)),
            A::U2F => self.select_cast(alu, uint(from), float(to)),
            A::F2I => self.select_cast(alu, float(from), int(to)),
            A::F2U => self.select_cast(alu, float(from), uint(to)),
            A::F2F => self.select_cast(alu, float(from), float(to)),
            A::F2FRtne | A::F2FRtz => {
                let (to_zero, default_to_zero) = (alu.op == A::F2FRtz, self.rounds_to_zero());
                if to_zero != default_to_zero {
                    self.set_rounding(to_zero);
                }
                self.select_cast(alu, float(from), float(to));
                if to_zero != default_to_zero {
                    self.set_rounding(default_to_zero);
                }
            }
            A::Unpack64_2x32SplitX => self.alias_sub_word(alu, 0),
            A::Unpack64_2x32SplitY => self.alias_sub_word(alu, 4),
            A::Unpack32_2x16SplitX => self.alias_sub_word(alu, 0),
            A::Unpack32_2x16SplitY => self.alias_sub_word(alu, 2),
            A::Pack64_2x32Split => self.select_pack(alu, Type::Ud, Type::Ud, 4),
            A::Pack32_2x16Split => self.select_pack(alu, Type::Uw, Type::Uw, 2),
            A::PackHalf2x16Split => self.select_pack(alu, Type::F, Type::Hf, 2),
            A::UnpackHalf2x16SplitX => self.select_unpack_half(alu, 0),
            A::UnpackHalf2x16SplitY => self.select_unpack_half(alu, 2),
            A::ExtractU8 => self.select_extract(alu, Type::Ub)?,
            A::ExtractI8 => self.select_extract(alu, Type::B)?,
            A::ExtractU16 => self.select_extract(alu, Type::Uw)?,
            A::ExtractI16 => self.select_extract(alu, Type::W)?,
            _ => {
                return Err(unsupported_alu(
                    alu,
                    "the NIR pipeline should have lowered it",
                ));
            }
        }
        Ok(())
    }

    fn select_bool_to_number(&mut self, alu: &Alu, ty: Type) {
        let exec = self.exec_for(alu.def);
        let cond = alu.srcs[0].def;
        if self.is_shorter_as_flag(cond, exec) {
            self.number_to_flag(cond, exec);
            let dst = self.alloc_def(alu.def).retype(ty);
            let one = match ty {
                Type::Hf => 0x3c00,
                Type::F => 0x3f80_0000,
                Type::Df => 0x3ff0_0000_0000_0000,
                _ => 1,
            };
            self.b.mov(exec, dst, Lanes::imm(ty, 0));
            let mods = Mods::pred(0, false);
            let one = if ty.size_bytes() == 8 {
                self.b.imm_reg(ty, one)
            } else {
                Lanes::imm(ty, one)
            };
            self.b.emit(Op::Eu(Opcode::Mov), exec, dst, &[one], mods);
            return;
        }
        let mask = self.src(&alu.srcs[0], Type::D).negated();
        let dst = self.alloc_def(alu.def).retype(ty);
        let mask = match mask.imm_bits() {
            Some(_) if ty.is_float() => {
                let v = self.src(&alu.srcs[0], Type::D);
                self.b.imm_reg(Type::D, v.imm_bits().unwrap_or(0)).negated()
            }
            _ => mask,
        };
        self.b.mov(exec, dst, mask);
    }

    /// Makes the def an alias of the bytes of its operand from `offset` on.
    fn alias_sub_word(&mut self, alu: &Alu, offset: u32) {
        let s = &alu.srcs[0];
        match self.loc(s.def, s.swizzle[0]) {
            Loc::Imm(bits) => self.set_loc(alu.def, 0, Loc::Imm(self.truncated(alu, bits, offset))),
            Loc::Reg {
                v,
                offset: base,
                pitch,
                half,
            } => {
                if pitch == 8 && self.bits(alu.def) == 8 {
                    // A byte region can have a pitch of four bytes, but not of eight.
                    let exec = Exec::Active;
                    let dst = self.alloc_def(alu.def).retype(Type::Ud);
                    let from = Lanes {
                        half,
                        ..Lanes::new(v, base + offset, Type::Ud, pitch)
                    };
                    self.b.mov(exec, dst, from);
                    return;
                }
                if self.packed_half[alu.def] {
                    let dst = self.alloc_def(alu.def).retype(Type::Uw);
                    let from = Lanes {
                        half,
                        ..Lanes::new(v, base + offset, Type::Uw, pitch)
                    };
                    self.b.mov(Exec::Active, dst, from);
                    return;
                }
                if self.is_divergent(alu.def) && pitch == 0 {
                    let exec = Exec::Active;
                    let ty = raw_type(self.bits(alu.def));
                    let dst = self.alloc_def(alu.def).retype(ty);
                    self.b.mov(exec, dst, Lanes::new(v, base + offset, ty, 0));
                    return;
                }
                self.set_loc(
                    alu.def,
                    0,
                    Loc::Reg {
                        v,
                        offset: base + offset,
                        pitch,
                        half,
                    },
                );
            }
            Loc::None => self.set_loc(alu.def, 0, Loc::Imm(0)),
        }
    }

    /// The bits of a constant from byte `offset` on, truncated to the size of the def.
    fn truncated(&self, alu: &Alu, bits: u64, offset: u32) -> u64 {
        let n = self.bits(alu.def);
        let v = bits >> (offset * 8);
        if n == 64 { v } else { v & ((1 << n) - 1) }
    }

    /// Selects a value conversion, through an intermediate type where the hardware has no direct
    /// one.
    fn select_cast(&mut self, alu: &Alu, from: Type, to: Type) {
        let exec = self.exec_for(alu.def);
        let s = &alu.srcs[0];
        let mut src = if from.is_float() {
            self.float_src(s, from)
        } else {
            self.src(s, from)
        };
        if let Some(bits) = src.imm_bits() {
            // There are no byte immediates. The register's upper bits are undefined, as in every
            // slot.
            src = self.b.imm_reg(from, bits);
        }
        // There is no direct conversion between 64-bit types and bytes or half floats.
        let (small, big) = (
            from.size_bytes().min(to.size_bytes()),
            from.size_bytes().max(to.size_bytes()),
        );
        let intermediate = if big == 8 && (small == 1 || from == Type::Hf || to == Type::Hf) {
            Some(
                if from.is_float() && to.is_float() || from == Type::Hf || to == Type::Hf {
                    Type::F
                } else if to.is_signed_int() || from.is_signed_int() || from.is_float() {
                    Type::D
                } else {
                    Type::Ud
                },
            )
        } else if small == 1 && (from == Type::Hf || to == Type::Hf) {
            Some(if from == Type::Hf || to == Type::Hf {
                Type::F
            } else {
                Type::D
            })
        } else {
            None
        };
        if let Some(intermediate) = intermediate {
            let t = self.emit_conversion(exec, src, intermediate);
            let d = self.emit_conversion(exec, t, to);
            self.set_lanes(alu.def, 0, d);
        } else {
            let d = self.emit_conversion(exec, src, to);
            self.set_lanes(alu.def, 0, d);
        }
        if to.size_bytes() == 1 {
            // The low 16 bits of a slot must always be written.
            let byte = self.comp(alu.def, 0, to);
            let word = if to == Type::B { Type::W } else { Type::Uw };
            let whole = self.emit_conversion(exec, byte, word);
            self.set_lanes(alu.def, 0, whole);
        }
    }

    /// Emits the conversion of `src` to `to`, into new registers.
    fn emit_conversion(&mut self, exec: Exec, src: Lanes, to: Type) -> Lanes {
        let wide = src.ty.size_bytes() == 8 || to.size_bytes() == 8;
        let mut dst = self
            .b
            .temp(if wide { Type::Uq } else { Type::Ud }, exec)
            .retype(to);
        if exec == Exec::Scalar {
            // Even for one element, the stride must match the size of the execution type.
            let exec_bytes = src.ty.size_bytes();
            let stride = exec_bytes.max(to.size_bytes());
            let mut inst = Inst::new(Op::Eu(Opcode::Mov), 1);
            inst.no_mask = true;
            inst.dst = dst.dst(0);
            inst.dst.stride = (stride / to.size_bytes()) as u8;
            inst.src[0] = src.src(0);
            self.b.lir.insts.push(inst);
            return dst;
        }
        if dst.pitch == 0 {
            dst.pitch = 4;
        }
        self.b.mov(exec, dst, src);
        dst
    }

    /// True if the shader's execution modes request rounding towards zero. The EU has one rounding
    /// mode for all float sizes.
    fn rounds_to_zero(&self) -> bool {
        self.sh.info.float_controls.rounding_rtz != 0
    }

    /// Sets the float modes that the shader requests. Otherwise they stay as the thread starts:
    /// round to nearest even, and denormals as the driver configured them (SKL PRM vol. 7, "Control
    /// Register": bits 6, 7 and 10 preserve denormals of 64, 32, 16 bits).
    pub(super) fn emit_float_modes(&mut self) {
        let controls = self.sh.info.float_controls;
        let denorms = |sizes: u8| {
            [(1, 1 << 10), (2, 1 << 7), (4, 1 << 6)]
                .into_iter()
                .filter(|&(size, _)| sizes & size != 0)
                .fold(0, |bits, (_, bit)| bits | bit)
        };
        let keep = denorms(controls.denorm_preserve);
        let flush = denorms(controls.denorm_flush);
        if flush != 0 {
            self.update_cr0(Opcode::And, !flush);
        }
        let set = keep
            | if self.rounds_to_zero() {
                ROUND_TO_ZERO
            } else {
                0
            };
        if set != 0 {
            self.update_cr0(Opcode::Or, set);
        }
    }

    /// Sets the rounding mode: towards zero, or to nearest even.
    fn set_rounding(&mut self, to_zero: bool) {
        if to_zero {
            self.update_cr0(Opcode::Or, ROUND_TO_ZERO);
        } else {
            self.update_cr0(Opcode::And, !ROUND_TO_ZERO);
        }
    }

    /// Emits `cr0.0 = cr0.0 op bits`.
    fn update_cr0(&mut self, op: Opcode, bits: u32) {
        let cr0 = ArfReg::Control;
        let mut inst = Inst::new(Op::Eu(op), 1);
        inst.no_mask = true;
        inst.switch = true;
        inst.dst = Dst::arf(cr0, 0, 0, Type::Ud);
        inst.src[0] = Src::arf(cr0, 0, 0, Type::Ud);
        inst.src[1] = Src::ud(bits);
        self.b.lir.insts.push(inst);
    }

    /// Finds 32-bit operations that compute one half of a 64-bit value for the same lanes. They
    /// write directly into that half of its register.
    pub(super) fn find_int64_halves(&mut self, layout: &[nir::CfEvent]) {
        use AluOp as A;
        let sh = self.sh;
        let mut block_of: IdMap<Def, Option<Id<Block>>> = IdMap::default();
        for event in layout {
            let nir::CfEvent::Block(b) = *event else {
                continue;
            };
            for &id in &sh.blocks[b].instrs {
                let nir::Instr::Alu(alu) = &sh.instrs[id] else {
                    continue;
                };
                let can_write_half = matches!(
                    alu.op,
                    A::IAdd | A::IAnd | A::IOr | A::IXor | A::IShl | A::IShr | A::UShr
                );
                if can_write_half && self.bits(alu.def) == 32 && self.uses[alu.def.index()] == 1 {
                    block_of[alu.def] = Some(b);
                }
                if alu.op != A::Pack64_2x32Split || !self.is_divergent(alu.def) {
                    continue;
                }
                for (half, s) in (0..).zip(&alu.srcs) {
                    if block_of[s.def] == Some(b) && self.is_divergent(s.def) {
                        self.half_of[s.def] = Some((alu.def, half));
                    }
                }
            }
        }
    }

    /// Allocates the register of a 64-bit value's half, as part of the register of the whole.
    pub(super) fn alloc_int64_half(&mut self, def: Id<Def>, pair: Id<Def>, half: u8) -> Lanes {
        let whole = match self.loc(pair, 0) {
            Loc::None => self.alloc_def(pair),
            _ => self.comp(pair, 0, Type::Uq),
        };
        let to = whole.retype(Type::Ud).offset_by(4 * u32::from(half));
        self.set_lanes(def, 0, to);
        to
    }

    /// Selects a pack operation: writes both operands into one wider register.
    fn select_pack(&mut self, alu: &Alu, from: Type, part: Type, step: u32) {
        let exec = self.exec_for(alu.def);
        let in_place = |isel: &Self, i: usize| {
            let half = isel.half_of[alu.srcs[i].def];
            half.is_some_and(|h| h.0 == alu.def)
        };
        let is_allocated = in_place(self, 0) || in_place(self, 1);
        let dst = if is_allocated {
            self.comp(alu.def, 0, Type::Uq)
        } else {
            self.alloc_def(alu.def)
        };
        for i in 0..2 {
            if in_place(self, i) {
                continue;
            }
            let s = if from.is_float() {
                self.float_src(&alu.srcs[i], from)
            } else {
                self.src(&alu.srcs[i], from)
            };
            let s = match s.imm_bits() {
                Some(bits) if from != part => self.b.imm_reg(from, bits),
                _ => s,
            };
            let to = dst.retype(part).offset_by(step * i as u32);
            if exec == Exec::Scalar && from.size_bytes() > part.size_bytes() {
                let mut inst = Inst::new(Op::Eu(Opcode::Mov), 1);
                inst.no_mask = true;
                inst.dst = to.dst(0);
                inst.dst.stride = (from.size_bytes() / part.size_bytes()) as u8;
                inst.src[0] = s.src(0);
                self.b.lir.insts.push(inst);
            } else {
                self.b.mov(exec, to, s);
            }
        }
    }

    fn select_unpack_half(&mut self, alu: &Alu, offset: u32) {
        let exec = self.exec_for(alu.def);
        let s = self.src(&alu.srcs[0], Type::Ud);
        let s = match s.imm_bits() {
            Some(bits) => self.b.imm_reg(Type::Ud, bits),
            None => s,
        };
        let dst = self.alloc_def(alu.def).retype(Type::F);
        self.b.mov(exec, dst, s.retype(Type::Hf).offset_by(offset));
    }

    fn select_extract(&mut self, alu: &Alu, part: Type) -> Result<(), FsError> {
        let Some(index) = self
            .sh
            .const_component(alu.srcs[1].def, alu.srcs[1].swizzle[0])
        else {
            return Err(unsupported_alu(alu, "the index must be constant"));
        };
        let bits = self.bits(alu.def);
        let exec = self.exec_for(alu.def);
        let ty = if part.is_signed_int() {
            int(bits)
        } else {
            uint(bits)
        };
        let s = self.src(&alu.srcs[0], uint(bits));
        let s = match s.imm_bits() {
            Some(v) => self.b.imm_reg(uint(bits), v),
            None => s,
        };
        let offset = index as u32 * part.size_bytes();
        let dst = self.alloc_def(alu.def).retype(ty);
        if offset >= u32::from(bits) / 8 {
            self.b.mov(exec, dst, Lanes::imm(ty, 0));
            return Ok(());
        }
        if (bits == 64 || s.pitch == 8) && part.size_bytes() == 1 {
            // A byte region can have a pitch of four bytes but not of eight, and bytes convert to
            // 64 bits only through 32.
            let intermediate = if part.is_signed_int() {
                Type::D
            } else {
                Type::Ud
            };
            let dword = self.b.temp(Type::Ud, exec);
            self.b
                .mov(exec, dword, s.retype(Type::Ud).offset_by(offset & !3));
            let t = self.b.temp(intermediate, exec);
            self.b
                .mov(exec, t, dword.retype(part).offset_by(offset & 3));
            self.b.mov(exec, dst, t);
            return Ok(());
        }
        let from = if s.pitch == 8 && part.size_bytes() == 1 {
            // Half of a 64-bit value: a word region can have a pitch of 8 bytes, a byte region
            // cannot.
            let word = self.b.temp(Type::Ud, exec).retype(Type::Uw);
            self.b
                .mov(exec, word, s.retype(Type::Uw).offset_by(offset & !1));
            word.retype(part).offset_by(offset & 1)
        } else {
            s.retype(part).offset_by(offset)
        };
        self.b
            .emit(Op::Eu(Opcode::Mov), exec, dst, &[from], Mods::NONE);
        debug_assert!(matches!(dst.reg, Reg::Vgrf(_)));
        Ok(())
    }
}
