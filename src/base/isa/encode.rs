//! Encodes [`Inst`] to 16 bytes, in the layout of gen8 and gen9.
//!
//! Operands that an instruction does not have (a second source, the destination of a branch) are
//! encoded as zeros, as IGA does.
//! Ref: SKL PRM vol. 7, "EU Instruction Format". Tests: `decode/tests.rs`, `text/tests/iga.rs`.

use crate::inst::{Addr, CondMod, Desc, Dst, Inst, Pred, RegFile, Region, Src};
use crate::layout::*;
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;
use hw::Gen;

/// Why an instruction cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The operation does not exist in this generation.
    #[error("{op} does not exist on {hw_gen:?}")]
    NoSuchOpcode {
        /// Mnemonic.
        op: &'static str,
        /// Generation.
        hw_gen: Gen,
    },
    /// The layout of this generation is not implemented.
    #[error("instructions of {0:?} cannot be encoded yet")]
    Generation(Gen),
    /// A value that does not fit its field.
    #[error("{op}: {what} cannot be {value}")]
    Field {
        /// Mnemonic.
        op: &'static str,
        /// The field.
        what: &'static str,
        /// The value.
        value: i64,
    },
    /// A combination that has no encoding.
    #[error("{op}: {what}")]
    Form {
        /// Mnemonic.
        op: &'static str,
        /// What is wrong.
        what: &'static str,
    },
}

/// Encodes one instruction, uncompacted.
pub fn encode(inst: &Inst, hw_gen: Gen) -> Result<[u8; 16], EncodeError> {
    if !matches!(hw_gen, Gen::Gen8 | Gen::Gen9) {
        return Err(EncodeError::Generation(hw_gen));
    }
    let name = inst.op.info().name;
    let number = inst
        .op
        .number(hw_gen)
        .ok_or(EncodeError::NoSuchOpcode { op: name, hw_gen })?;
    let mut encoder = Encoder {
        word: 0,
        inst,
        name,
        hw_gen,
    };
    OPCODE.or_into(&mut encoder.word, number.into());
    let class = inst.op.info().class;
    if class == EncodingClass::Nullary {
        BREAKPOINT.or_into(&mut encoder.word, inst.breakpoint.into());
    } else {
        encoder.controls()?;
    }
    match class {
        EncodingClass::Nullary => {}
        EncodingClass::Basic | EncodingClass::Math => encoder.basic()?,
        EncodingClass::ThreeSource => encoder.ternary()?,
        EncodingClass::Send => encoder.send()?,
        EncodingClass::SplitSend => encoder.sends()?,
        EncodingClass::Jip | EncodingClass::JipUip | EncodingClass::Jump => encoder.branch()?,
        EncodingClass::Wait => encoder.wait()?,
    }
    Ok(encoder.word.to_le_bytes())
}

struct Encoder<'a> {
    word: u128,
    inst: &'a Inst,
    name: &'static str,
    hw_gen: Gen,
}

impl Encoder<'_> {
    fn set(&mut self, field: Field, value: u64) {
        field.or_into(&mut self.word, value);
    }

    fn field_error<T>(&self, what: &'static str, value: impl Into<i64>) -> Result<T, EncodeError> {
        Err(EncodeError::Field {
            op: self.name,
            what,
            value: value.into(),
        })
    }

    fn form_error<T>(&self, what: &'static str) -> Result<T, EncodeError> {
        Err(EncodeError::Form {
            op: self.name,
            what,
        })
    }

    fn log2(&self, what: &'static str, value: u8, max: u8) -> Result<u64, EncodeError> {
        if value.is_power_of_two() && value <= max {
            Ok(value.trailing_zeros().into())
        } else {
            self.field_error(what, value)
        }
    }

    /// The code of a stride: 0, 1, 2, 4, … are encoded as 0, 1, 2, 3, ….
    fn stride(&self, what: &'static str, value: u8, max: u8) -> Result<u64, EncodeError> {
        match value {
            0 => Ok(0),
            _ => Ok(self.log2(what, value, max)? + 1),
        }
    }

    /// Encodes the fields in the lowest 35 bits, which control execution.
    fn controls(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let exec = self.log2("execution size", inst.exec_size, 32)?;
        self.set(EXEC_SIZE, exec);
        if !inst.chan_off.is_multiple_of(4) || inst.chan_off > 28 {
            return self.field_error("first channel", inst.chan_off);
        }
        self.set(QTR_CONTROL, (inst.chan_off / 8).into());
        self.set(NIB_CONTROL, (inst.chan_off / 4 % 2).into());
        self.set(ACCESS_MODE, inst.align16.into());
        self.set(NO_DD_CLEAR, inst.no_dd_clr.into());
        self.set(NO_DD_CHECK, inst.no_dd_chk.into());
        let thread = match (inst.atomic, inst.switch) {
            (false, false) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (true, true) => return self.form_error("Atomic and Switch exclude each other"),
        };
        self.set(THREAD_CONTROL, thread);
        if let Some(pred) = inst.pred {
            let Some(code) = pred_code(pred, inst.align16) else {
                return self.form_error("this predicate form does not exist in this access mode");
            };
            self.set(PRED_CONTROL, code);
            self.set(PRED_INVERSE, pred.inverse.into());
        }
        match inst.op.info().class {
            EncodingClass::Math => {
                let Some(function) = inst.math else {
                    return self.form_error("MATH without a function");
                };
                self.set(COND_MODIFIER, function as u64);
            }
            EncodingClass::Send | EncodingClass::SplitSend => {}
            _ => self.set(COND_MODIFIER, inst.cmod as u64),
        }
        let bit28 = match inst.op {
            Opcode::If | Opcode::Else | Opcode::Goto => inst.branch_ctrl,
            _ => inst.acc_wr,
        };
        self.set(ACC_WRITE, bit28.into());
        self.set(BREAKPOINT, inst.breakpoint.into());
        self.set(SATURATE, inst.saturate.into());
        if inst.flag > 3 {
            return self.field_error("flag register", inst.flag);
        }
        if inst.pred.is_some() || inst.cmod != CondMod::None || inst.is_math_macro() {
            self.set(FLAG, inst.flag.into());
        }
        self.set(MASK_CONTROL, inst.no_mask.into());
        Ok(())
    }

    fn basic(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        self.dst(&inst.dst)?;
        let sources = inst.sources();
        for i in 0..sources {
            let src = &inst.src[i];
            if src.file == RegFile::Imm {
                if i + 1 != sources {
                    return self.form_error("only the last source can be an immediate");
                }
                self.immediate(src, i)?;
            } else {
                self.src(src, &SOURCES[i])?;
            }
        }
        Ok(())
    }

    fn file(&self, file: RegFile) -> Result<u64, EncodeError> {
        match file {
            RegFile::Arf => Ok(0),
            RegFile::Grf => Ok(1),
            RegFile::Imm => Ok(3),
            RegFile::Mrf => self.form_error("this generation has no message registers"),
        }
    }

    fn reg_type(&self, ty: Type) -> Result<u64, EncodeError> {
        match code_of(&REG_TYPES, ty) {
            Some(code) => Ok(code),
            None => self.form_error("a register cannot have this type"),
        }
    }

    fn dst(&mut self, dst: &Dst) -> Result<(), EncodeError> {
        if dst.file == RegFile::Imm {
            return self.form_error("an immediate cannot be written");
        }
        let file = self.file(dst.file)?;
        self.set(DST_FILE, file);
        let ty = self.reg_type(dst.ty)?;
        self.set(DST_TYPE, ty);
        let stride = self.stride("destination stride", dst.hstride, 4)?;
        if !self.inst.is_math_macro() {
            self.set(DST_HSTRIDE, stride);
        }
        match dst.addr {
            Addr::Direct { nr, sub_bytes } => {
                if sub_bytes > 31 {
                    return self.field_error("destination subregister", sub_bytes);
                }
                self.set(DST_REG, nr.into());
                if self.inst.align16 {
                    if !sub_bytes.is_multiple_of(16) {
                        return self.field_error("align16 destination subregister", sub_bytes);
                    }
                    self.set(DST_SUB_A16, (sub_bytes / 16).into());
                    self.set(DST_WRITEMASK, dst.writemask.into());
                } else {
                    self.set(DST_SUB_A1, sub_bytes.into());
                }
            }
            Addr::Indirect { a0_sub, imm_bytes } => {
                if self.inst.align16 {
                    return self.form_error("an operand in align16 cannot be indirect");
                }
                let imm = self.indirect_imm(a0_sub, imm_bytes)?;
                self.set(DST_ADDR_MODE, 1);
                self.set(DST_IA_SUB, a0_sub.into());
                self.set(DST_IA_IMM, imm);
                self.set(DST_IA_IMM9, imm >> 9);
            }
        }
        Ok(())
    }

    fn indirect_imm(&self, a0_sub: u8, imm_bytes: i16) -> Result<u64, EncodeError> {
        if a0_sub > 15 {
            return self.field_error("address subregister", a0_sub);
        }
        if !(-512..512).contains(&imm_bytes) {
            return self.field_error("address displacement", imm_bytes);
        }
        Ok(imm_bytes as u64 & 0x3ff)
    }

    fn src(&mut self, src: &Src, fields: &SourceFields) -> Result<(), EncodeError> {
        let file = self.file(src.file)?;
        self.set(fields.file, file);
        let ty = self.reg_type(src.ty)?;
        self.set(fields.ty, ty);
        self.set(fields.abs, src.abs.into());
        self.set(fields.negate, src.negate.into());
        match src.addr {
            Addr::Direct { nr, sub_bytes } => {
                if sub_bytes > 31 {
                    return self.field_error("source subregister", sub_bytes);
                }
                self.set(fields.reg, nr.into());
                if self.inst.align16 {
                    if !sub_bytes.is_multiple_of(16) {
                        return self.field_error("align16 source subregister", sub_bytes);
                    }
                    self.set(fields.sub_a16, (sub_bytes / 16).into());
                } else {
                    self.set(fields.sub_a1, sub_bytes.into());
                }
            }
            Addr::Indirect { a0_sub, imm_bytes } => {
                if self.inst.align16 {
                    return self.form_error("an operand in align16 cannot be indirect");
                }
                let imm = self.indirect_imm(a0_sub, imm_bytes)?;
                self.set(fields.addr_mode, 1);
                self.set(fields.ia_sub, a0_sub.into());
                self.set(fields.ia_imm, imm);
                self.set(fields.ia_imm9, imm >> 9);
            }
        }
        let vstride = match src.region.vstride {
            Region::VX1 => 15,
            v => self.stride("vertical stride", v, 32)?,
        };
        self.set(fields.vstride, vstride);
        if self.inst.align16 {
            self.set(fields.swiz_xy, (src.swizzle & 15).into());
            self.set(fields.swiz_zw, (src.swizzle >> 4).into());
        } else {
            let width = self.log2("region width", src.region.width, 16)?;
            self.set(fields.width, width);
            let hstride = self.stride("horizontal stride", src.region.hstride, 4)?;
            self.set(fields.hstride, hstride);
        }
        Ok(())
    }

    fn immediate(&mut self, src: &Src, index: usize) -> Result<(), EncodeError> {
        let Some(code) = code_of(&IMM_TYPES, src.ty) else {
            return self.form_error("an immediate cannot have this type");
        };
        self.set(SOURCES[index].file, 3);
        self.set(SOURCES[index].ty, code);
        if src.abs || src.negate {
            return self.form_error("an immediate has no modifiers");
        }
        if src.ty.size_bytes() == 8 {
            if index != 0 {
                return self.form_error("a 64-bit immediate needs a one-source instruction");
            }
            self.set(IMM64, src.imm);
        } else {
            self.set(IMM32, src.imm);
        }
        Ok(())
    }

    fn ternary(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        if !inst.align16 {
            return self.form_error("three sources need align16 in this generation");
        }
        let Addr::Direct { nr, sub_bytes } = inst.dst.addr else {
            return self.form_error("an operand of a three-source instruction cannot be indirect");
        };
        if inst.dst.file != RegFile::Grf {
            return self.form_error("the destination of a three-source instruction is a GRF");
        }
        if !sub_bytes.is_multiple_of(4) || sub_bytes > 28 {
            return self.field_error("destination subregister", sub_bytes);
        }
        self.set(T_DST_REG, nr.into());
        self.set(T_DST_SUB, (sub_bytes / 4).into());
        self.set(T_DST_WRITEMASK, inst.dst.writemask.into());
        let types = |ty| code_of(&TERNARY_TYPES, ty);
        let (Some(dst), Some(src)) = (types(inst.dst.ty), types(inst.src[0].ty)) else {
            return self.form_error("a three-source instruction cannot have this type");
        };
        self.set(T_DST_TYPE, dst);
        self.set(T_SRC_TYPE, src);
        let float = |src: &Src| matches!(src.ty, Type::F | Type::Hf);
        let mixes = self.hw_gen >= Gen::Gen9 && inst.src.iter().all(float);
        if mixes {
            // F and HF is the only mix: the type field holds the type of source 0, and a bit each
            // for sources 1 and 2 selects HF.
            let half = |src: &Src| u64::from(src.ty == Type::Hf);
            self.set(T_SRC1_TYPE, half(&inst.src[1]));
            self.set(T_SRC2_TYPE, half(&inst.src[2]));
        } else if inst.src.iter().any(|s| s.ty != inst.src[0].ty) {
            return self.form_error("the three sources cannot have these types");
        }
        for (src, fields) in inst.src.iter().zip(&TERNARY) {
            let Addr::Direct { nr, sub_bytes } = src.addr else {
                return self
                    .form_error("an operand of a three-source instruction cannot be indirect");
            };
            if src.file != RegFile::Grf {
                return self.form_error("sources of a three-source instruction are GRFs");
            }
            // On gen8 sources start at dwords.
            let unit = if self.hw_gen < Gen::Gen9 { 4 } else { 2 };
            if !sub_bytes.is_multiple_of(unit) || sub_bytes > 30 {
                return self.field_error("source subregister", sub_bytes);
            }
            self.set(fields.reg, nr.into());
            self.set(fields.sub, (sub_bytes / 4).into());
            self.set(fields.sub_half, (sub_bytes / 2 % 2).into());
            self.set(fields.abs, src.abs.into());
            self.set(fields.negate, src.negate.into());
            self.set(fields.swizzle, src.swizzle.into());
            self.set(fields.rep, src.rep_ctrl.into());
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let Some(send) = inst.send else {
            return self.form_error("SEND without a message");
        };
        self.dst(&inst.dst)?;
        let mut payload = inst.src[0];
        let Addr::Direct { .. } = payload.addr else {
            return self.form_error("the payload cannot be indirect");
        };
        // The extended descriptor takes the bits of the region.
        payload.region = Region::SCALAR;
        self.src(&payload, &SOURCES[0])?;
        self.set(SFID, send.sfid.into());
        self.set(SEND_EOT, send.eot.into());
        match send.desc {
            Desc::Imm(desc) => {
                self.set(SRC1_FILE, 3);
                self.set(SEND_DESC, (desc & 0x7fff_ffff).into());
            }
            Desc::A0(sub) => {
                self.set(SRC1_REG, 0x10);
                self.set(SEND_DESC_REG_ADDR, u64::from(sub) * 2);
            }
        }
        match send.ex_desc {
            Desc::Imm(ex) => {
                // Gen8 has no extended descriptor: the bits hold the region of the payload.
                if ex & 0xffff != 0 || ex != 0 && self.hw_gen < Gen::Gen9 {
                    return self.field_error("the extended descriptor of SEND", ex);
                }
                let ex = u64::from(ex);
                self.set(SEND_EX_DESC_31_28, ex >> 28);
                self.set(SEND_EX_DESC_27_24, ex >> 24);
                self.set(SEND_EX_DESC_23_20, ex >> 20);
                self.set(SEND_EX_DESC_19_16, ex >> 16);
            }
            Desc::A0(_) => {
                return self.form_error("an extended descriptor in a0 needs SENDS");
            }
        }
        Ok(())
    }

    fn sends(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let Some(send) = inst.send else {
            return self.form_error("SENDS without a message");
        };
        let direct = |addr| match addr {
            Addr::Direct { nr, sub_bytes } => Some((u64::from(nr), sub_bytes)),
            Addr::Indirect { .. } => None,
        };
        let (Some(dst), Some(src0), Some(src1)) = (
            direct(inst.dst.addr),
            direct(inst.src[0].addr),
            direct(inst.src[1].addr),
        ) else {
            return self.form_error("an operand of SENDS cannot be indirect");
        };
        self.set(DST_REG, dst.0);
        self.set(SENDS_DST_SUB, (dst.1 / 16).into());
        self.set(SENDS_DST_FILE, u64::from(inst.dst.file == RegFile::Grf));
        let ty = self.reg_type(inst.dst.ty)?;
        self.set(DST_TYPE, ty);
        self.set(SRC0_REG, src0.0);
        self.set(SENDS_SRC0_SUB, (src0.1 / 16).into());
        self.set(SENDS_SRC1_REG, src1.0);
        self.set(SENDS_SRC1_FILE, u64::from(inst.src[1].file == RegFile::Grf));
        self.set(SEND_EOT, send.eot.into());
        match send.desc {
            Desc::Imm(desc) => self.set(SEND_DESC, (desc & 0x7fff_ffff).into()),
            Desc::A0(0) => self.set(SENDS_SEL_DESC, 1),
            Desc::A0(_) => return self.form_error("the descriptor of SENDS can only be in a0.0"),
        }
        match send.ex_desc {
            Desc::Imm(ex) => {
                self.set(SFID, send.sfid.into());
                if ex & 0xfc3f != 0 {
                    return self.field_error("the extended descriptor of SENDS", ex);
                }
                self.set(SENDS_EX_DESC_31_16, u64::from(ex >> 16));
                self.set(SENDS_EX_DESC_9_6, u64::from(ex >> 6));
            }
            Desc::A0(sub) => {
                // The SFID comes from the lowest bits of the register.
                self.set(SENDS_SEL_EX_DESC, 1);
                self.set(SENDS_EX_DESC_SUB, u64::from(sub / 2));
            }
        }
        Ok(())
    }

    fn branch(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let class = inst.op.info().class;
        let (jip, uip) = (inst.jip as u32 as u64, inst.uip as u32 as u64);
        match class {
            EncodingClass::JipUip => {
                self.set(DST_HSTRIDE, 1);
                self.set(SRC0_FILE, 3);
                self.set(SRC0_TYPE, 1);
                self.set(JIP, jip);
                self.set(UIP, uip);
            }
            EncodingClass::Jip => {
                self.set(DST_HSTRIDE, 1);
                self.set(SRC1_FILE, 3);
                self.set(SRC1_TYPE, 1);
                self.set(JIP, jip);
            }
            _ => self.jump(jip, uip)?,
        }
        Ok(())
    }

    /// Encodes the operands of JMPI, BRD, BRC, CALL, CALLA and RET.
    fn jump(&mut self, jip: u64, uip: u64) -> Result<(), EncodeError> {
        let inst = self.inst;
        let immediate = inst.src[0].file == RegFile::Imm;
        let ip = 0xa0;
        match inst.op {
            Opcode::Jmpi => {
                self.set(DST_REG, ip);
                self.set(DST_HSTRIDE, 1);
                self.set(SRC0_REG, ip);
                if immediate {
                    self.set(SRC1_FILE, 3);
                    self.set(SRC1_TYPE, 1);
                    // Unlike other jumps, JMPI counts from the next instruction.
                    self.set(JIP, (inst.jip as u32).wrapping_sub(16).into());
                } else {
                    self.src(&inst.src[0], &SOURCES[1])?;
                }
            }
            Opcode::Brd | Opcode::Brc => {
                self.set(DST_REG, ip);
                self.set(DST_HSTRIDE, 1);
                self.set(DST_TYPE, 1);
                if immediate {
                    self.set(SRC0_FILE, 3);
                    self.set(SRC0_TYPE, 1);
                    self.set(JIP, jip);
                    if inst.op == Opcode::Brc {
                        self.set(UIP, uip);
                    }
                } else {
                    self.src(&inst.src[0], &SOURCES[0])?;
                }
            }
            Opcode::Ret => {
                self.set(DST_HSTRIDE, 1);
                self.src(&inst.src[0], &SOURCES[0])?;
            }
            _ => {
                self.dst(&inst.dst)?;
                // The unused source has the region <2;2,1>, except in CALL on gen8.
                if inst.op == Opcode::Calla || self.hw_gen >= Gen::Gen9 {
                    self.set(SRC0_HSTRIDE, 1);
                    self.set(SRC0_WIDTH, 1);
                    self.set(SRC0_VSTRIDE, 2);
                }
                if immediate {
                    self.set(SRC1_FILE, 3);
                    self.set(SRC1_TYPE, 1);
                    self.set(JIP, jip);
                } else {
                    self.src(&inst.src[0], &SOURCES[1])?;
                }
            }
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let Addr::Direct { nr, sub_bytes } = inst.src[0].addr else {
            return self.form_error("the notification register cannot be indirect");
        };
        let ty = self.reg_type(inst.dst.ty)?;
        self.set(DST_TYPE, ty);
        self.set(DST_REG, nr.into());
        self.set(DST_SUB_A1, sub_bytes.into());
        self.set(DST_HSTRIDE, 1);
        self.src(&inst.src[0], &SOURCES[0])
    }
}

/// The code of a type in a table of types.
fn code_of(table: &[Option<Type>], ty: Type) -> Option<u64> {
    let code = table.iter().position(|t| *t == Some(ty))?;
    Some(code as u64)
}

fn pred_code(pred: Pred, align16: bool) -> Option<u64> {
    let table = if align16 { &PRED_ALIGN16 } else { &PRED_ALIGN1 };
    let code = table.iter().position(|c| *c == Some(pred.ctrl))?;
    Some(code as u64)
}
