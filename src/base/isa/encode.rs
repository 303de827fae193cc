//! [`Inst`] to its 16 bytes, gen8 and gen9's layout.
//!
//! What an instruction does not have (a second source, a destination of a branch) is encoded as zeros, as IGA does.

use crate::inst::{Addr, CondMod, Desc, Dst, File, Inst, Pred, PredCtrl, Region, Src};
use crate::layout::*;
use crate::opcode::{Class, Opcode};
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
    /// This generation's layout is not known yet.
    #[error("instructions of {0:?} cannot be encoded yet")]
    Generation(Gen),
    /// A value that its field cannot hold.
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

/// Encodes one instruction.
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
    OPCODE.put(&mut encoder.word, number.into());
    let class = inst.op.info().class;
    if class == Class::Nullary {
        BREAKPOINT.put(&mut encoder.word, inst.breakpoint.into());
    } else {
        encoder.controls()?;
    }
    match class {
        Class::Nullary => {}
        Class::Basic | Class::Math => encoder.basic()?,
        Class::ThreeSource => encoder.ternary()?,
        Class::Send => encoder.send()?,
        Class::SplitSend => encoder.sends()?,
        Class::Jip | Class::JipUip | Class::Jump => encoder.branch()?,
        Class::Wait => encoder.wait()?,
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
    fn put(&mut self, field: Field, value: u64) {
        field.put(&mut self.word, value);
    }

    fn bad<T>(&self, what: &'static str, value: impl Into<i64>) -> Result<T, EncodeError> {
        Err(EncodeError::Field {
            op: self.name,
            what,
            value: value.into(),
        })
    }

    fn form<T>(&self, what: &'static str) -> Result<T, EncodeError> {
        Err(EncodeError::Form {
            op: self.name,
            what,
        })
    }

    fn log2(&self, what: &'static str, value: u8, max: u8) -> Result<u64, EncodeError> {
        if value.is_power_of_two() && value <= max {
            Ok(value.trailing_zeros().into())
        } else {
            self.bad(what, value)
        }
    }

    /// 0, 1, 2, 4 … as 0, 1, 2, 3 ….
    fn stride(&self, what: &'static str, value: u8, max: u8) -> Result<u64, EncodeError> {
        match value {
            0 => Ok(0),
            _ => Ok(self.log2(what, value, max)? + 1),
        }
    }

    /// Everything in the lowest 35 bits.
    fn controls(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let exec = self.log2("execution size", inst.exec_size, 32)?;
        self.put(EXEC_SIZE, exec);
        if !inst.chan_off.is_multiple_of(4) || inst.chan_off > 28 {
            return self.bad("first channel", inst.chan_off);
        }
        self.put(QTR_CONTROL, (inst.chan_off / 8).into());
        self.put(NIB_CONTROL, (inst.chan_off / 4 % 2).into());
        self.put(ACCESS_MODE, inst.align16.into());
        self.put(NO_DD_CLEAR, inst.no_dd_clr.into());
        self.put(NO_DD_CHECK, inst.no_dd_chk.into());
        let thread = match (inst.atomic, inst.switch) {
            (false, false) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (true, true) => return self.form("Atomic and Switch exclude each other"),
        };
        self.put(THREAD_CONTROL, thread);
        if let Some(pred) = inst.pred {
            let Some(code) = pred_code(pred, inst.align16) else {
                return self.form("no such predicate form in this access mode");
            };
            self.put(PRED_CONTROL, code);
            self.put(PRED_INVERSE, pred.inverse.into());
        }
        match inst.op.info().class {
            Class::Math => {
                let Some(function) = inst.math else {
                    return self.form("MATH without a function");
                };
                self.put(COND_MODIFIER, function as u64);
            }
            Class::Send | Class::SplitSend => {}
            _ => self.put(COND_MODIFIER, inst.cmod as u64),
        }
        let bit28 = match inst.op {
            Opcode::If | Opcode::Else | Opcode::Goto => inst.branch_ctrl,
            _ => inst.acc_wr,
        };
        self.put(ACC_WRITE, bit28.into());
        self.put(BREAKPOINT, inst.breakpoint.into());
        self.put(SATURATE, inst.saturate.into());
        if inst.flag > 3 {
            return self.bad("flag register", inst.flag);
        }
        if inst.pred.is_some() || inst.cmod != CondMod::None || inst.is_math_macro() {
            self.put(FLAG, inst.flag.into());
        }
        self.put(MASK_CONTROL, inst.no_mask.into());
        Ok(())
    }

    fn basic(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        self.dst(&inst.dst)?;
        let sources = inst.sources();
        for i in 0..sources {
            let src = &inst.src[i];
            if src.file == File::Imm {
                if i + 1 != sources {
                    return self.form("only the last source can be an immediate");
                }
                self.immediate(src, i)?;
            } else {
                self.src(src, &SOURCES[i])?;
            }
        }
        Ok(())
    }

    fn file(&self, file: File) -> Result<u64, EncodeError> {
        match file {
            File::Arf => Ok(0),
            File::Grf => Ok(1),
            File::Imm => Ok(3),
            File::Mrf => self.form("there are no message registers in this generation"),
        }
    }

    fn reg_type(&self, ty: Type) -> Result<u64, EncodeError> {
        match code_of(&REG_TYPES, ty) {
            Some(code) => Ok(code),
            None => self.form("a register of this type"),
        }
    }

    fn dst(&mut self, dst: &Dst) -> Result<(), EncodeError> {
        if dst.file == File::Imm {
            return self.form("an immediate cannot be written");
        }
        let file = self.file(dst.file)?;
        self.put(DST_FILE, file);
        let ty = self.reg_type(dst.ty)?;
        self.put(DST_TYPE, ty);
        let stride = self.stride("destination stride", dst.hstride, 4)?;
        if !self.inst.is_math_macro() {
            self.put(DST_HSTRIDE, stride);
        }
        match dst.addr {
            Addr::Direct { nr, sub_bytes } => {
                if sub_bytes > 31 {
                    return self.bad("destination subregister", sub_bytes);
                }
                self.put(DST_REG, nr.into());
                if self.inst.align16 {
                    if !sub_bytes.is_multiple_of(16) {
                        return self.bad("align16 destination subregister", sub_bytes);
                    }
                    self.put(DST_SUB_A16, (sub_bytes / 16).into());
                    self.put(DST_WRITEMASK, dst.writemask.into());
                } else {
                    self.put(DST_SUB_A1, sub_bytes.into());
                }
            }
            Addr::Indirect { a0_sub, imm_bytes } => {
                if self.inst.align16 {
                    return self.form("indirect operands in align16");
                }
                let imm = self.indirect_imm(a0_sub, imm_bytes)?;
                self.put(DST_ADDR_MODE, 1);
                self.put(DST_IA_SUB, a0_sub.into());
                self.put(DST_IA_IMM, imm);
                self.put(DST_IA_IMM9, imm >> 9);
            }
        }
        Ok(())
    }

    fn indirect_imm(&self, a0_sub: u8, imm_bytes: i16) -> Result<u64, EncodeError> {
        if a0_sub > 15 {
            return self.bad("address subregister", a0_sub);
        }
        if !(-512..512).contains(&imm_bytes) {
            return self.bad("address displacement", imm_bytes);
        }
        Ok(imm_bytes as u64 & 0x3ff)
    }

    fn src(&mut self, src: &Src, fields: &SourceFields) -> Result<(), EncodeError> {
        let file = self.file(src.file)?;
        self.put(fields.file, file);
        let ty = self.reg_type(src.ty)?;
        self.put(fields.ty, ty);
        self.put(fields.abs, src.abs.into());
        self.put(fields.negate, src.negate.into());
        match src.addr {
            Addr::Direct { nr, sub_bytes } => {
                if sub_bytes > 31 {
                    return self.bad("source subregister", sub_bytes);
                }
                self.put(fields.reg, nr.into());
                if self.inst.align16 {
                    if !sub_bytes.is_multiple_of(16) {
                        return self.bad("align16 source subregister", sub_bytes);
                    }
                    self.put(fields.sub_a16, (sub_bytes / 16).into());
                } else {
                    self.put(fields.sub_a1, sub_bytes.into());
                }
            }
            Addr::Indirect { a0_sub, imm_bytes } => {
                if self.inst.align16 {
                    return self.form("indirect operands in align16");
                }
                let imm = self.indirect_imm(a0_sub, imm_bytes)?;
                self.put(fields.addr_mode, 1);
                self.put(fields.ia_sub, a0_sub.into());
                self.put(fields.ia_imm, imm);
                self.put(fields.ia_imm9, imm >> 9);
            }
        }
        let vstride = match src.region.vstride {
            Region::VX1 => 15,
            v => self.stride("vertical stride", v, 32)?,
        };
        self.put(fields.vstride, vstride);
        if self.inst.align16 {
            self.put(fields.swiz_xy, (src.swizzle & 15).into());
            self.put(fields.swiz_zw, (src.swizzle >> 4).into());
        } else {
            let width = self.log2("region width", src.region.width, 16)?;
            self.put(fields.width, width);
            let hstride = self.stride("horizontal stride", src.region.hstride, 4)?;
            self.put(fields.hstride, hstride);
        }
        Ok(())
    }

    fn immediate(&mut self, src: &Src, index: usize) -> Result<(), EncodeError> {
        let Some(code) = code_of(&IMM_TYPES, src.ty) else {
            return self.form("an immediate of this type");
        };
        self.put(SOURCES[index].file, 3);
        self.put(SOURCES[index].ty, code);
        if src.abs || src.negate {
            return self.form("an immediate has no modifiers");
        }
        if src.ty.size_bytes() == 8 {
            if index != 0 {
                return self.form("a 64-bit immediate needs a one-source instruction");
            }
            self.put(IMM64, src.imm);
        } else {
            self.put(IMM32, src.imm);
        }
        Ok(())
    }

    fn ternary(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        if !inst.align16 {
            return self.form("three sources need align16 in this generation");
        }
        let Addr::Direct { nr, sub_bytes } = inst.dst.addr else {
            return self.form("an indirect operand of a three-source instruction");
        };
        if inst.dst.file != File::Grf {
            return self.form("the destination of a three-source instruction is a GRF");
        }
        if !sub_bytes.is_multiple_of(4) || sub_bytes > 28 {
            return self.bad("destination subregister", sub_bytes);
        }
        self.put(T_DST_REG, nr.into());
        self.put(T_DST_SUB, (sub_bytes / 4).into());
        self.put(T_DST_WRITEMASK, inst.dst.writemask.into());
        let types = |ty| code_of(&TERNARY_TYPES, ty);
        let (Some(dst), Some(src)) = (types(inst.dst.ty), types(inst.src[0].ty)) else {
            return self.form("a three-source instruction of this type");
        };
        self.put(T_DST_TYPE, dst);
        self.put(T_SRC_TYPE, src);
        let float = |src: &Src| matches!(src.ty, Type::F | Type::Hf);
        let mixes = self.hw_gen >= Gen::Gen9 && inst.src.iter().all(float);
        if mixes {
            // F and HF are the one mix there is: the first source's type, and for each other one a bit that says HF.
            let half = |src: &Src| u64::from(src.ty == Type::Hf);
            self.put(T_SRC1_TYPE, half(&inst.src[1]));
            self.put(T_SRC2_TYPE, half(&inst.src[2]));
        } else if inst.src.iter().any(|s| s.ty != inst.src[0].ty) {
            return self.form("three sources of these types");
        }
        for (src, fields) in inst.src.iter().zip(&TERNARY) {
            let Addr::Direct { nr, sub_bytes } = src.addr else {
                return self.form("an indirect operand of a three-source instruction");
            };
            if src.file != File::Grf {
                return self.form("sources of a three-source instruction are GRFs");
            }
            // Gen8 can only start at dwords.
            let unit = if self.hw_gen < Gen::Gen9 { 4 } else { 2 };
            if !sub_bytes.is_multiple_of(unit) || sub_bytes > 30 {
                return self.bad("source subregister", sub_bytes);
            }
            self.put(fields.reg, nr.into());
            self.put(fields.sub, (sub_bytes / 4).into());
            self.put(fields.sub_half, (sub_bytes / 2 % 2).into());
            self.put(fields.abs, src.abs.into());
            self.put(fields.negate, src.negate.into());
            self.put(fields.swizzle, src.swizzle.into());
            self.put(fields.rep, src.rep_ctrl.into());
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let Some(send) = inst.send else {
            return self.form("SEND without a message");
        };
        self.dst(&inst.dst)?;
        let mut payload = inst.src[0];
        let Addr::Direct { .. } = payload.addr else {
            return self.form("an indirect payload");
        };
        // The region's bits belong to the extended descriptor.
        payload.region = Region::SCALAR;
        self.src(&payload, &SOURCES[0])?;
        self.put(SFID, send.sfid.into());
        self.put(SEND_EOT, send.eot.into());
        match send.desc {
            Desc::Imm(desc) => {
                self.put(SRC1_FILE, 3);
                self.put(SEND_DESC, (desc & 0x7fff_ffff).into());
            }
            Desc::A0(sub) => {
                self.put(SRC1_REG, 0x10);
                self.put(SEND_DESC_REG_ADDR, u64::from(sub) * 2);
            }
        }
        match send.ex_desc {
            Desc::Imm(ex) => {
                // Gen8 has none: its bits are the payload's region.
                if ex & 0xffff != 0 || ex != 0 && self.hw_gen < Gen::Gen9 {
                    return self.bad("the extended descriptor of SEND", ex);
                }
                let ex = u64::from(ex);
                self.put(SEND_EX_DESC_31_28, ex >> 28);
                self.put(SEND_EX_DESC_27_24, ex >> 24);
                self.put(SEND_EX_DESC_23_20, ex >> 20);
                self.put(SEND_EX_DESC_19_16, ex >> 16);
            }
            Desc::A0(_) => {
                return self.form("an extended descriptor in a0 needs SENDS");
            }
        }
        Ok(())
    }

    fn sends(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let Some(send) = inst.send else {
            return self.form("SENDS without a message");
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
            return self.form("an indirect operand of SENDS");
        };
        self.put(DST_REG, dst.0);
        self.put(SENDS_DST_SUB, (dst.1 / 16).into());
        self.put(SENDS_DST_FILE, u64::from(inst.dst.file == File::Grf));
        let ty = self.reg_type(inst.dst.ty)?;
        self.put(DST_TYPE, ty);
        self.put(SRC0_REG, src0.0);
        self.put(SENDS_SRC0_SUB, (src0.1 / 16).into());
        self.put(SENDS_SRC1_REG, src1.0);
        self.put(SENDS_SRC1_FILE, u64::from(inst.src[1].file == File::Grf));
        self.put(SEND_EOT, send.eot.into());
        match send.desc {
            Desc::Imm(desc) => self.put(SEND_DESC, (desc & 0x7fff_ffff).into()),
            Desc::A0(0) => self.put(SENDS_SEL_DESC, 1),
            Desc::A0(_) => return self.form("the descriptor of SENDS can only be in a0.0"),
        }
        match send.ex_desc {
            Desc::Imm(ex) => {
                self.put(SFID, send.sfid.into());
                if ex & 0xfc3f != 0 {
                    return self.bad("the extended descriptor of SENDS", ex);
                }
                self.put(SENDS_EX_DESC_31_16, u64::from(ex >> 16));
                self.put(SENDS_EX_DESC_9_6, u64::from(ex >> 6));
            }
            Desc::A0(sub) => {
                // The shared function's id comes from the register's lowest bits.
                self.put(SENDS_SEL_EX_DESC, 1);
                self.put(SENDS_EX_DESC_SUB, u64::from(sub / 2));
            }
        }
        Ok(())
    }

    fn branch(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let class = inst.op.info().class;
        let (jip, uip) = (inst.jip as u32 as u64, inst.uip as u32 as u64);
        match class {
            Class::JipUip => {
                self.put(DST_HSTRIDE, 1);
                self.put(SRC0_FILE, 3);
                self.put(SRC0_TYPE, 1);
                self.put(JIP, jip);
                self.put(UIP, uip);
            }
            Class::Jip => {
                self.put(DST_HSTRIDE, 1);
                self.put(SRC1_FILE, 3);
                self.put(SRC1_TYPE, 1);
                self.put(JIP, jip);
            }
            _ => self.jump(jip, uip)?,
        }
        Ok(())
    }

    /// JMPI, BRD, BRC, CALL, CALLA, RET.
    fn jump(&mut self, jip: u64, uip: u64) -> Result<(), EncodeError> {
        let inst = self.inst;
        let immediate = inst.src[0].file == File::Imm;
        let ip = 0xa0;
        match inst.op {
            Opcode::Jmpi => {
                self.put(DST_REG, ip);
                self.put(DST_HSTRIDE, 1);
                self.put(SRC0_REG, ip);
                if immediate {
                    self.put(SRC1_FILE, 3);
                    self.put(SRC1_TYPE, 1);
                    // JMPI alone counts from the instruction after it.
                    self.put(JIP, (inst.jip as u32).wrapping_sub(16).into());
                } else {
                    self.src(&inst.src[0], &SOURCES[1])?;
                }
            }
            Opcode::Brd | Opcode::Brc => {
                self.put(DST_REG, ip);
                self.put(DST_HSTRIDE, 1);
                self.put(DST_TYPE, 1);
                if immediate {
                    self.put(SRC0_FILE, 3);
                    self.put(SRC0_TYPE, 1);
                    self.put(JIP, jip);
                    if inst.op == Opcode::Brc {
                        self.put(UIP, uip);
                    }
                } else {
                    self.src(&inst.src[0], &SOURCES[0])?;
                }
            }
            Opcode::Ret => {
                self.put(DST_HSTRIDE, 1);
                self.src(&inst.src[0], &SOURCES[0])?;
            }
            _ => {
                self.dst(&inst.dst)?;
                // The source that is not there has the region <2;2,1>, but in gen8's CALL.
                if inst.op == Opcode::Calla || self.hw_gen >= Gen::Gen9 {
                    self.put(SRC0_HSTRIDE, 1);
                    self.put(SRC0_WIDTH, 1);
                    self.put(SRC0_VSTRIDE, 2);
                }
                if immediate {
                    self.put(SRC1_FILE, 3);
                    self.put(SRC1_TYPE, 1);
                    self.put(JIP, jip);
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
            return self.form("an indirect notification register");
        };
        let ty = self.reg_type(inst.dst.ty)?;
        self.put(DST_TYPE, ty);
        self.put(DST_REG, nr.into());
        self.put(DST_SUB_A1, sub_bytes.into());
        self.put(DST_HSTRIDE, 1);
        self.src(&inst.src[0], &SOURCES[0])
    }
}

/// Code of a type in a table.
pub(crate) fn code_of(table: &[Option<Type>], ty: Type) -> Option<u64> {
    let at = table.iter().position(|t| *t == Some(ty))?;
    Some(at as u64)
}

/// Predicate forms by code, align1 and align16.
pub(crate) const PRED_ALIGN1: [Option<PredCtrl>; 16] = [
    None,
    Some(PredCtrl::Normal),
    Some(PredCtrl::AnyV),
    Some(PredCtrl::AllV),
    Some(PredCtrl::Any2h),
    Some(PredCtrl::All2h),
    Some(PredCtrl::Any4h),
    Some(PredCtrl::All4h),
    Some(PredCtrl::Any8h),
    Some(PredCtrl::All8h),
    Some(PredCtrl::Any16h),
    Some(PredCtrl::All16h),
    Some(PredCtrl::Any32h),
    Some(PredCtrl::All32h),
    None,
    None,
];

/// See [`PRED_ALIGN1`].
pub(crate) const PRED_ALIGN16: [Option<PredCtrl>; 16] = [
    None,
    Some(PredCtrl::Normal),
    Some(PredCtrl::X),
    Some(PredCtrl::Y),
    Some(PredCtrl::Z),
    Some(PredCtrl::W),
    Some(PredCtrl::Any4hAlign16),
    Some(PredCtrl::All4hAlign16),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
];

fn pred_code(pred: Pred, align16: bool) -> Option<u64> {
    let table = if align16 { &PRED_ALIGN16 } else { &PRED_ALIGN1 };
    let at = table.iter().position(|c| *c == Some(pred.ctrl))?;
    Some(at as u64)
}
