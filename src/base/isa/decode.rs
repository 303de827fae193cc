//! Decodes bytes to [`Inst`], in the layout of gen8 and gen9.
//!
//! Ref: SKL PRM vol. 7, "EU Instruction Format". Tests: `decode/tests.rs`, `text/tests/iga.rs`.

use crate::inst::{Addr, CondMod, Desc, Dst, Inst, Pred, RegFile, Region, SWIZZLE_XYZW, Send, Src};
use crate::layout::*;
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;
use hw::Gen;

/// Why bytes cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes end within the instruction.
    #[error("{have} bytes are not a whole instruction")]
    Truncated {
        /// Number of bytes.
        have: usize,
    },
    /// The generation has no opcode with this number.
    #[error("there is no opcode {0}")]
    Opcode(u8),
    /// The layout of this generation is not implemented.
    #[error("instructions of {0:?} cannot be decoded yet")]
    Generation(Gen),
    /// A field with a reserved value.
    #[error("{op}: {what} has the reserved value {value}")]
    Reserved {
        /// Mnemonic.
        op: &'static str,
        /// The field.
        what: &'static str,
        /// The value.
        value: u64,
    },
}

/// Decodes the instruction at the start of `bytes`; returns it and its length, 16 or (compacted) 8
/// bytes.
pub fn decode(bytes: &[u8], hw_gen: Gen) -> Result<(Inst, usize), DecodeError> {
    if !matches!(hw_gen, Gen::Gen8 | Gen::Gen9) {
        return Err(DecodeError::Generation(hw_gen));
    }
    let truncated = DecodeError::Truncated { have: bytes.len() };
    let Some(first) = bytes.first_chunk::<8>() else {
        return Err(truncated);
    };
    let low = u64::from_le_bytes(*first);
    if COMPACT.get(low.into()) == 1 {
        let word = crate::compact::expand(low, hw_gen).map_err(DecodeError::Opcode)?;
        let mut inst = decode_word(word, hw_gen)?;
        inst.compacted = true;
        return Ok((inst, 8));
    }
    match bytes.first_chunk::<16>() {
        Some(whole) => Ok((decode_word(u128::from_le_bytes(*whole), hw_gen)?, 16)),
        None => Err(truncated),
    }
}

fn decode_word(word: u128, hw_gen: Gen) -> Result<Inst, DecodeError> {
    let number = OPCODE.get(word) as u8;
    let op = Opcode::from_number(number, hw_gen).ok_or(DecodeError::Opcode(number))?;
    let decoder = Decoder {
        hw_gen,
        word,
        op,
        align16: ACCESS_MODE.get(word) == 1,
    };
    let mut inst = Inst::new(op, 1);
    let class = op.info().class;
    if class == EncodingClass::Nullary {
        inst.breakpoint = BREAKPOINT.get(word) == 1;
        return Ok(inst);
    }
    decoder.controls(&mut inst)?;
    match class {
        EncodingClass::Nullary => {}
        EncodingClass::Basic | EncodingClass::Math => decoder.basic(&mut inst)?,
        EncodingClass::ThreeSource => decoder.ternary(&mut inst)?,
        EncodingClass::Send => decoder.send(&mut inst)?,
        EncodingClass::SplitSend => decoder.sends(&mut inst)?,
        EncodingClass::Jip | EncodingClass::JipUip | EncodingClass::Jump => {
            decoder.branch(&mut inst)?
        }
        EncodingClass::Wait => {
            inst.src[0] = decoder.src(&SOURCES[0])?;
            inst.dst = decoder.dst()?;
            inst.dst.file = RegFile::Arf;
            inst.dst.hstride = 1;
            if let Addr::Direct { nr, sub_bytes } = inst.src[0].addr {
                inst.dst.addr = Addr::Direct { nr, sub_bytes };
            }
        }
    }
    Ok(inst)
}

struct Decoder {
    hw_gen: Gen,
    word: u128,
    op: Opcode,
    align16: bool,
}

impl Decoder {
    fn get(&self, field: Field) -> u64 {
        field.get(self.word)
    }

    fn reserved<T>(&self, what: &'static str, value: u64) -> Result<T, DecodeError> {
        Err(DecodeError::Reserved {
            op: self.op.info().name,
            what,
            value,
        })
    }

    fn stride(&self, what: &'static str, code: u64, max: u64) -> Result<u8, DecodeError> {
        match code {
            0 => Ok(0),
            c if c <= max => Ok(1 << (c - 1)),
            c => self.reserved(what, c),
        }
    }

    fn controls(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let exec = self.get(EXEC_SIZE);
        if exec > 5 {
            return self.reserved("execution size", exec);
        }
        inst.exec_size = 1 << exec;
        inst.chan_off = (self.get(QTR_CONTROL) * 8 + self.get(NIB_CONTROL) * 4) as u8;
        inst.align16 = self.align16;
        inst.no_dd_clr = self.get(NO_DD_CLEAR) == 1;
        inst.no_dd_chk = self.get(NO_DD_CHECK) == 1;
        match self.get(THREAD_CONTROL) {
            0 => {}
            1 => inst.atomic = true,
            2 => inst.switch = true,
            code => return self.reserved("thread control", code),
        }
        let pred = self.get(PRED_CONTROL);
        if pred != 0 {
            let table = if self.align16 {
                &PRED_ALIGN16
            } else {
                &PRED_ALIGN1
            };
            let Some(ctrl) = table[pred as usize] else {
                return self.reserved("predicate control", pred);
            };
            inst.pred = Some(Pred {
                ctrl,
                inverse: self.get(PRED_INVERSE) == 1,
            });
        }
        let cmod = self.get(COND_MODIFIER);
        match self.op.info().class {
            EncodingClass::Math => match MATH_FUNCTIONS.get(cmod as usize) {
                Some(Some(function)) => inst.math = Some(*function),
                _ => return self.reserved("math function", cmod),
            },
            EncodingClass::Send | EncodingClass::SplitSend => {}
            _ => match COND_MODS.get(cmod as usize) {
                Some(Some(cmod)) => inst.cmod = *cmod,
                _ => return self.reserved("conditional modifier", cmod),
            },
        }
        let bit28 = self.get(ACC_WRITE) == 1;
        match self.op {
            Opcode::If | Opcode::Else | Opcode::Goto => inst.branch_ctrl = bit28,
            _ => inst.acc_wr = bit28,
        }
        inst.breakpoint = self.get(BREAKPOINT) == 1;
        inst.saturate = self.get(SATURATE) == 1;
        if inst.pred.is_some() || inst.cmod != CondMod::None || inst.is_math_macro() {
            inst.flag = self.get(FLAG) as u8;
        }
        inst.no_mask = self.get(MASK_CONTROL) == 1;
        Ok(())
    }

    fn basic(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        inst.dst = self.dst()?;
        for i in 0..inst.sources() {
            inst.src[i] = if self.get(SOURCES[i].file) == 3 {
                self.immediate(i)?
            } else {
                self.src(&SOURCES[i])?
            };
        }
        Ok(())
    }

    fn file(&self, code: u64) -> Result<RegFile, DecodeError> {
        match code {
            0 => Ok(RegFile::Arf),
            1 => Ok(RegFile::Grf),
            _ => self.reserved("register file", code),
        }
    }

    fn reg_type(&self, code: u64) -> Result<Type, DecodeError> {
        match REG_TYPES.get(code as usize) {
            Some(Some(ty)) => Ok(*ty),
            _ => self.reserved("type", code),
        }
    }

    fn join_displacement(low: u64, high: u64) -> i16 {
        let value = (low & 0x1ff | high << 9) as i16;
        value << 6 >> 6
    }

    fn dst(&self) -> Result<Dst, DecodeError> {
        let addr = if self.get(DST_ADDR_MODE) == 1 {
            Addr::Indirect {
                a0_sub: self.get(DST_IA_SUB) as u8,
                imm_bytes: Self::join_displacement(self.get(DST_IA_IMM), self.get(DST_IA_IMM9)),
            }
        } else {
            let sub_bytes = if self.align16 {
                self.get(DST_SUB_A16) * 16
            } else {
                self.get(DST_SUB_A1)
            };
            Addr::Direct {
                nr: self.get(DST_REG) as u8,
                sub_bytes: sub_bytes as u8,
            }
        };
        Ok(Dst {
            file: self.file(self.get(DST_FILE))?,
            ty: self.reg_type(self.get(DST_TYPE))?,
            addr,
            hstride: match self.stride("destination stride", self.get(DST_HSTRIDE), 3)? {
                // 0 is reserved, but compilers encode it where there is no destination.
                0 => 1,
                stride => stride,
            },
            writemask: if self.align16 {
                self.get(DST_WRITEMASK) as u8
            } else {
                0xf
            },
        })
    }

    fn src(&self, fields: &SourceFields) -> Result<Src, DecodeError> {
        let addr = if self.get(fields.addr_mode) == 1 {
            Addr::Indirect {
                a0_sub: self.get(fields.ia_sub) as u8,
                imm_bytes: Self::join_displacement(
                    self.get(fields.ia_imm),
                    self.get(fields.ia_imm9),
                ),
            }
        } else {
            let sub_bytes = if self.align16 {
                self.get(fields.sub_a16) * 16
            } else {
                self.get(fields.sub_a1)
            };
            Addr::Direct {
                nr: self.get(fields.reg) as u8,
                sub_bytes: sub_bytes as u8,
            }
        };
        let vstride = match self.get(fields.vstride) {
            15 => Region::VX1,
            code => self.stride("vertical stride", code, 6)?,
        };
        let (width, hstride, swizzle) = if self.align16 {
            let swizzle = self.get(fields.swiz_xy) | self.get(fields.swiz_zw) << 4;
            (4, 1, swizzle as u8)
        } else {
            let width = self.get(fields.width);
            if width > 4 {
                return self.reserved("region width", width);
            }
            let hstride = self.stride("horizontal stride", self.get(fields.hstride), 3)?;
            (1 << width, hstride, SWIZZLE_XYZW)
        };
        Ok(Src {
            file: self.file(self.get(fields.file))?,
            ty: self.reg_type(self.get(fields.ty))?,
            addr,
            region: Region {
                vstride,
                width,
                hstride,
            },
            abs: self.get(fields.abs) == 1,
            negate: self.get(fields.negate) == 1,
            swizzle,
            rep_ctrl: false,
            imm: 0,
        })
    }

    fn immediate(&self, index: usize) -> Result<Src, DecodeError> {
        let code = self.get(SOURCES[index].ty);
        let Some(Some(ty)) = IMM_TYPES.get(code as usize) else {
            return self.reserved("immediate type", code);
        };
        let wide = ty.size_bytes() == 8;
        if wide && index != 0 {
            return self.reserved("immediate type of source 1", code);
        }
        let bits = self.get(if wide { IMM64 } else { IMM32 });
        let mut src = Src::imm(*ty, bits);
        // A 16-bit immediate is stored twice. The bits are kept as they are, even if the halves
        // differ.
        src.imm = bits;
        Ok(src)
    }

    fn ternary(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        if !self.align16 {
            return self.reserved("access mode", 0);
        }
        let ty = |code: u64, what| match TERNARY_TYPES.get(code as usize) {
            Some(Some(ty)) => Ok(*ty),
            _ => self.reserved(what, code),
        };
        let dst_ty = ty(self.get(T_DST_TYPE), "destination type")?;
        let src_ty = ty(self.get(T_SRC_TYPE), "source type")?;
        inst.dst = Dst::grf(
            self.get(T_DST_REG) as u8,
            self.get(T_DST_SUB) as u8 * 4,
            dst_ty,
        );
        inst.dst.writemask = self.get(T_DST_WRITEMASK) as u8;
        let is_half = [0, self.get(T_SRC1_TYPE), self.get(T_SRC2_TYPE)];
        for (i, fields) in TERNARY.iter().enumerate() {
            let mixes = self.hw_gen >= Gen::Gen9 && i != 0;
            let ty = match (src_ty, is_half[i]) {
                (Type::F | Type::Hf, 1) if mixes => Type::Hf,
                (Type::F | Type::Hf, _) if mixes => Type::F,
                _ => src_ty,
            };
            let nr = self.get(fields.reg) as u8;
            let half = self.hw_gen >= Gen::Gen9 && self.get(fields.sub_half) == 1;
            let sub_bytes = self.get(fields.sub) as u8 * 4 + u8::from(half) * 2;
            let mut src = Src::grf(nr, sub_bytes, ty, Region::new(4, 4, 1));
            src.abs = self.get(fields.abs) == 1;
            src.negate = self.get(fields.negate) == 1;
            src.swizzle = self.get(fields.swizzle) as u8;
            src.rep_ctrl = self.get(fields.rep) == 1;
            inst.src[i] = src;
        }
        Ok(())
    }

    fn send(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        inst.dst = self.dst()?;
        let addr = if self.get(SOURCES[0].addr_mode) == 1 {
            return self.reserved("payload address mode", 1);
        } else {
            self.get(SRC0_REG) as u8
        };
        let ty = self.reg_type(self.get(SRC0_TYPE))?;
        inst.src[0] = Src::grf(
            addr,
            self.get(SRC0_SUB_A1) as u8 & 0x10,
            ty,
            Region::new(8, 8, 1),
        );
        inst.src[0].file = self.file(self.get(SRC0_FILE))?;
        let desc = if self.get(SRC1_FILE) == 3 {
            Desc::Imm(self.get(SEND_DESC) as u32)
        } else {
            Desc::A0(self.get(SEND_DESC_REG_ADDR) as u8 / 2)
        };
        let ex_desc = if self.hw_gen < Gen::Gen9 {
            0
        } else {
            self.extended_descriptor()
        };
        // Bits 19:16 of the extended descriptor take the bits of the subregister.
        inst.src[0].addr = Addr::Direct {
            nr: addr,
            sub_bytes: 0,
        };
        inst.send = Some(Send {
            sfid: self.get(SFID) as u8,
            desc,
            ex_desc: Desc::Imm(ex_desc as u32),
            eot: self.get(SEND_EOT) == 1,
        });
        Ok(())
    }

    fn extended_descriptor(&self) -> u64 {
        self.get(SEND_EX_DESC_31_28) << 28
            | self.get(SEND_EX_DESC_27_24) << 24
            | self.get(SEND_EX_DESC_23_20) << 20
            | self.get(SEND_EX_DESC_19_16) << 16
    }

    fn sends(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let file = |bit: u64| if bit == 1 { RegFile::Grf } else { RegFile::Arf };
        let ty = self.reg_type(self.get(DST_TYPE))?;
        inst.dst = Dst::grf(
            self.get(DST_REG) as u8,
            self.get(SENDS_DST_SUB) as u8 * 16,
            ty,
        );
        inst.dst.file = file(self.get(SENDS_DST_FILE));
        let region = Region::new(8, 8, 1);
        inst.src[0] = Src::grf(
            self.get(SRC0_REG) as u8,
            self.get(SENDS_SRC0_SUB) as u8 * 16,
            Type::Ud,
            region,
        );
        inst.src[1] = Src::grf(self.get(SENDS_SRC1_REG) as u8, 0, Type::Ud, region);
        inst.src[1].file = file(self.get(SENDS_SRC1_FILE));
        let desc = match self.get(SENDS_SEL_DESC) {
            1 => Desc::A0(0),
            _ => Desc::Imm(self.get(SEND_DESC) as u32),
        };
        let ex_desc = match self.get(SENDS_SEL_EX_DESC) {
            1 => Desc::A0(self.get(SENDS_EX_DESC_SUB) as u8 * 2),
            _ => {
                let high = self.get(SENDS_EX_DESC_31_16) << 16;
                Desc::Imm((high | self.get(SENDS_EX_DESC_9_6) << 6) as u32)
            }
        };
        inst.send = Some(Send {
            sfid: self.get(SFID) as u8,
            desc,
            ex_desc,
            eot: self.get(SEND_EOT) == 1,
        });
        Ok(())
    }

    fn branch(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let jip = self.get(JIP) as u32 as i32;
        let uip = self.get(UIP) as u32 as i32;
        match inst.op.info().class {
            EncodingClass::JipUip => {
                inst.jip = jip;
                inst.uip = uip;
            }
            EncodingClass::Jip => inst.jip = jip,
            _ => self.jump(inst, jip, uip)?,
        }
        Ok(())
    }

    fn jump(&self, inst: &mut Inst, jip: i32, uip: i32) -> Result<(), DecodeError> {
        let immediate = Src::imm_d(0);
        match self.op {
            Opcode::Jmpi => {
                if self.get(SRC1_FILE) == 3 {
                    inst.src[0] = immediate;
                    inst.jip = jip.wrapping_add(16);
                } else {
                    inst.src[0] = self.src(&SOURCES[1])?;
                }
            }
            Opcode::Brd | Opcode::Brc => {
                if self.get(SRC0_FILE) == 3 {
                    inst.src[0] = immediate;
                    inst.jip = jip;
                    if self.op == Opcode::Brc {
                        inst.uip = uip;
                    }
                } else {
                    inst.src[0] = self.src(&SOURCES[0])?;
                }
            }
            Opcode::Ret => inst.src[0] = self.src(&SOURCES[0])?,
            _ => {
                inst.dst = self.dst()?;
                if self.get(SRC1_FILE) == 3 {
                    inst.src[0] = immediate;
                    inst.jip = jip;
                } else {
                    inst.src[0] = self.src(&SOURCES[1])?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
