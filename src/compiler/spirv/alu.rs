//! Arithmetic, comparisons, conversions, bits.
//!
//! Ref: "SPIR-V Specification", "Conversion", "Arithmetic", "Bit", "Relational and Logical
//!      Instructions".

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::Ty;
use crate::value::Value;
use entity::Id;
use nir::{AluOp as A, Def};
use smallvec::{SmallVec, smallvec};
use spirv::{Decoration, FPRoundingMode, Op};

/// The NIR operation for instructions that are one NIR operation on the same operands.
fn direct_alu_op(op: Op) -> Option<A> {
    Some(match op {
        Op::SNegate => A::INeg,
        Op::FNegate => A::FNeg,
        Op::IAdd => A::IAdd,
        Op::FAdd => A::FAdd,
        Op::ISub => A::ISub,
        Op::FSub => A::FSub,
        Op::IMul => A::IMul,
        Op::FMul | Op::VectorTimesScalar => A::FMul,
        Op::UDiv => A::UDiv,
        Op::SDiv => A::IDiv,
        Op::FDiv => A::FDiv,
        Op::UMod => A::UMod,
        Op::SRem => A::IRem,
        Op::SMod => A::IMod,
        Op::FRem => A::FRem,
        Op::FMod => A::FMod,
        // Bitwise operations on booleans are invalid SPIR-V, but their meaning is clear.
        Op::BitwiseOr | Op::LogicalOr => A::IOr,
        Op::BitwiseXor => A::IXor,
        Op::BitwiseAnd | Op::LogicalAnd => A::IAnd,
        Op::Not | Op::LogicalNot => A::INot,
        Op::LogicalEqual | Op::IEqual => A::IEq,
        Op::LogicalNotEqual | Op::INotEqual => A::INe,
        Op::ULessThan => A::ULt,
        Op::SLessThan => A::ILt,
        Op::UGreaterThanEqual => A::UGe,
        Op::SGreaterThanEqual => A::IGe,
        Op::FOrdEqual => A::FEq,
        Op::FUnordNotEqual => A::FNeu,
        Op::FOrdLessThan => A::FLt,
        Op::FOrdGreaterThanEqual => A::FGe,
        Op::BitReverse => A::BitfieldReverse,
        Op::QuantizeToF16 => A::FQuantize2F16,
        // Fused, as the NIR operation is.
        Op::FmaKHR => A::FFma,
        _ => return None,
    })
}

/// The NIR comparison for comparisons that are one with the operands swapped.
fn swapped_comparison(op: Op) -> Option<A> {
    Some(match op {
        Op::UGreaterThan => A::ULt,
        Op::SGreaterThan => A::ILt,
        Op::ULessThanEqual => A::UGe,
        Op::SLessThanEqual => A::IGe,
        Op::FOrdGreaterThan => A::FLt,
        Op::FOrdLessThanEqual => A::FGe,
        _ => return None,
    })
}

/// For unordered comparisons: the ordered comparison whose complement they are, and whether the
/// operands are swapped.
fn complemented_comparison(op: Op) -> Option<(A, bool)> {
    Some(match op {
        Op::FUnordLessThan => (A::FGe, false),
        Op::FUnordGreaterThan => (A::FGe, true),
        Op::FUnordLessThanEqual => (A::FLt, true),
        Op::FUnordGreaterThanEqual => (A::FLt, false),
        _ => return None,
    })
}

impl Translator<'_> {
    /// Operand `i` as a def.
    pub fn arg_def(&mut self, inst: &Inst, i: usize) -> Result<Id<Def>> {
        let id = inst.arg(i)?;
        self.def(id)
    }

    /// Bits of a scalar of the result.
    fn result_bits(&self, inst: &Inst) -> Result<u8> {
        Ok(self.shape_of(inst.ty)?.1)
    }

    /// ALU instructions; `None` if `inst` is not one.
    pub fn alu_inst(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        if let Some(op) = direct_alu_op(inst.op) {
            let mut srcs: SmallVec<[Id<Def>; 4]> = smallvec![];
            for i in 0..op.info().srcs.len() {
                srcs.push(self.arg_def(inst, i)?);
            }
            return Ok(Some(self.emit.alu(op, &srcs)?));
        }
        if let Some(op) = swapped_comparison(inst.op) {
            let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
            return Ok(Some(self.emit.op2(op, b, a)?));
        }
        if let Some((op, swap)) = complemented_comparison(inst.op) {
            let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
            let (a, b) = if swap { (b, a) } else { (a, b) };
            let d = self.emit.op2(op, a, b)?;
            return Ok(Some(self.emit.op1(A::INot, d)?));
        }
        if inst.op == Op::Dot {
            let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
            return self.dot(a, b).map(Some);
        }
        if let Some(d) = self.float_test_inst(inst)? {
            return Ok(Some(d));
        }
        if let Some(d) = self.bit_inst(inst)? {
            return Ok(Some(d));
        }
        if let Some(d) = self.conversion_inst(inst)? {
            return Ok(Some(d));
        }
        match self.integer_dot(inst)? {
            None => self.integer_function(inst),
            dot => Ok(dot),
        }
    }

    /// Comparisons that need several operations, and classification of floats; `None` if `inst` is
    /// not one.
    fn float_test_inst(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        let d = match inst.op {
            Op::FOrdNotEqual | Op::LessOrGreater | Op::FUnordEqual => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                let (l, g) = (self.emit.op2(A::FLt, a, b)?, self.emit.op2(A::FLt, b, a)?);
                let ne = self.emit.op2(A::IOr, l, g)?;
                if inst.op == Op::FUnordEqual {
                    self.emit.op1(A::INot, ne)?
                } else {
                    ne
                }
            }
            Op::Ordered | Op::Unordered => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                let (a, b) = (self.is_nan(a)?, self.is_nan(b)?);
                let nan = self.emit.op2(A::IOr, a, b)?;
                if inst.op == Op::Ordered {
                    self.emit.op1(A::INot, nan)?
                } else {
                    nan
                }
            }
            Op::IsNan => {
                let a = self.arg_def(inst, 0)?;
                self.is_nan(a)?
            }
            Op::IsInf | Op::IsFinite => {
                let a = self.arg_def(inst, 0)?;
                self.emit.exact = true;
                let bits = self.emit.shape(a).1;
                let magnitude = self.emit.op1(A::FAbs, a)?;
                let inf = self.emit.imm_float(bits, f64::INFINITY);
                let op = if inst.op == Op::IsInf { A::FEq } else { A::FLt };
                self.emit.op2(op, magnitude, inf)?
            }
            Op::IsNormal => {
                let a = self.arg_def(inst, 0)?;
                self.emit.exact = true;
                let bits = self.emit.shape(a).1;
                let magnitude = self.emit.op1(A::FAbs, a)?;
                let inf = self.emit.imm_float(bits, f64::INFINITY);
                let min_normal = match bits {
                    16 => 2f64.powi(-14),
                    32 => f64::from(f32::MIN_POSITIVE),
                    _ => f64::MIN_POSITIVE,
                };
                let min_normal = self.emit.imm_float(bits, min_normal);
                let finite = self.emit.op2(A::FLt, magnitude, inf)?;
                let big = self.emit.op2(A::FGe, magnitude, min_normal)?;
                self.emit.op2(A::IAnd, finite, big)?
            }
            Op::SignBitSet => {
                let a = self.arg_def(inst, 0)?;
                let bits = self.emit.shape(a).1;
                let zero = self.emit.constant(bits, &[0]);
                self.emit.op2(A::ILt, a, zero)?
            }
            _ => return Ok(None),
        };
        Ok(Some(d))
    }

    /// Shifts, bit fields, and reductions of booleans; `None` if `inst` is not one.
    fn bit_inst(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        let d = match inst.op {
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                let b = self.convert_to_u32(b)?;
                let op = match inst.op {
                    Op::ShiftLeftLogical => A::IShl,
                    Op::ShiftRightLogical => A::UShr,
                    _ => A::IShr,
                };
                self.emit.op2(op, a, b)?
            }
            Op::Any | Op::All => {
                let a = self.arg_def(inst, 0)?;
                let op = if inst.op == Op::Any { A::IOr } else { A::IAnd };
                self.emit.reduce_channels(op, a)?
            }
            Op::BitCount => {
                let a = self.arg_def(inst, 0)?;
                let bits = self.result_bits(inst)?;
                let d = self.emit.op1(A::BitCount, a)?;
                self.zext_or_trunc(d, bits)?
            }
            Op::BitFieldInsert => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                let (o, n) = (self.arg_def(inst, 2)?, self.arg_def(inst, 3)?);
                let (o, n) = (self.convert_to_u32(o)?, self.convert_to_u32(n)?);
                match self.result_bits(inst)? {
                    32 => self.emit.alu(A::BitfieldInsert, &[a, b, o, n])?,
                    64 => self.insert_into_qword(a, b, [o, n])?,
                    // Bits above the smaller type do not matter.
                    bits => {
                        let (a, b) = (self.convert_to_u32(a)?, self.convert_to_u32(b)?);
                        let d = self.emit.alu(A::BitfieldInsert, &[a, b, o, n])?;
                        self.zext_or_trunc(d, bits)?
                    }
                }
            }
            Op::BitFieldSExtract | Op::BitFieldUExtract => {
                let a = self.arg_def(inst, 0)?;
                let (o, n) = (self.arg_def(inst, 1)?, self.arg_def(inst, 2)?);
                let (o, n) = (self.convert_to_u32(o)?, self.convert_to_u32(n)?);
                let op = if inst.op == Op::BitFieldSExtract {
                    A::IBitfieldExtract
                } else {
                    A::UBitfieldExtract
                };
                match self.result_bits(inst)? {
                    32 => self.emit.op3(op, a, o, n)?,
                    64 => self.extract_from_qword(op == A::IBitfieldExtract, a, [o, n])?,
                    bits => {
                        let a = self.convert_to_u32(a)?;
                        let d = self.emit.op3(op, a, o, n)?;
                        self.zext_or_trunc(d, bits)?
                    }
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(d))
    }

    /// Conversions and bitcasts; `None` if `inst` is not one.
    fn conversion_inst(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        let d = match inst.op {
            Op::ConvertFToU | Op::ConvertFToS => {
                let a = self.arg_def(inst, 0)?;
                let bits = self.result_bits(inst)?;
                let op = if inst.op == Op::ConvertFToU {
                    A::F2U
                } else {
                    A::F2I
                };
                self.emit.convert(op, a, bits)?
            }
            Op::ConvertSToF | Op::ConvertUToF => {
                let a = self.arg_def(inst, 0)?;
                let bits = self.result_bits(inst)?;
                let op = if inst.op == Op::ConvertSToF {
                    A::I2F
                } else {
                    A::U2F
                };
                self.emit.convert(op, a, bits)?
            }
            Op::UConvert | Op::SConvert => {
                let a = self.arg_def(inst, 0)?;
                let bits = self.result_bits(inst)?;
                if self.emit.shape(a).1 == bits {
                    a
                } else {
                    let op = if inst.op == Op::UConvert {
                        A::U2U
                    } else {
                        A::I2I
                    };
                    self.emit.convert(op, a, bits)?
                }
            }
            Op::FConvert => {
                let a = self.arg_def(inst, 0)?;
                let bits = self.result_bits(inst)?;
                if self.emit.shape(a).1 == bits {
                    a
                } else {
                    let mode = self
                        .module
                        .decoration_arg(inst.id, Decoration::FPRoundingMode);
                    let op = match mode.and_then(FPRoundingMode::from_u32) {
                        Some(FPRoundingMode::RTE) => A::F2FRtne,
                        Some(FPRoundingMode::RTZ) => A::F2FRtz,
                        None => A::F2F,
                        Some(m) => return inst.loc.unsupported(format!("rounding mode {m:?}")),
                    };
                    self.emit.convert(op, a, bits)?
                }
            }
            Op::Bitcast => {
                let a = self.value(inst.arg(0)?)?;
                let (n, bits) = match (&a, &*self.ty(inst.ty)?) {
                    (Value::Def(_), Ty::Int { .. } | Ty::Float { .. } | Ty::Vector { .. }) => {
                        self.shape_of(inst.ty)?
                    }
                    _ => return inst.loc.unsupported("a bitcast of pointers"),
                };
                match a {
                    Value::Def(d) => self.bitcast(d, n, bits)?,
                    _ => return inst.loc.unsupported("a bitcast of pointers"),
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(d))
    }

    /// Tests for NaN. Exact, because the optimiser may otherwise assume that there is no NaN and
    /// fold the test.
    pub fn is_nan(&mut self, a: Id<Def>) -> Result<Id<Def>> {
        let was = std::mem::replace(&mut self.emit.exact, true);
        let d = self.emit.op2(A::FNeu, a, a);
        self.emit.exact = was;
        d
    }

    /// A shift count, field offset or field width, converted to 32 bits.
    pub fn convert_to_u32(&mut self, d: Id<Def>) -> Result<Id<Def>> {
        self.zext_or_trunc(d, 32)
    }

    /// Zero-extends or truncates.
    pub fn zext_or_trunc(&mut self, d: Id<Def>, bits: u8) -> Result<Id<Def>> {
        if self.emit.shape(d).1 == bits {
            Ok(d)
        } else {
            self.emit.convert(A::U2U, d, bits)
        }
    }

    /// Dot product of float vectors.
    pub fn dot(&mut self, a: Id<Def>, b: Id<Def>) -> Result<Id<Def>> {
        if self.emit.shape(a) != self.emit.shape(b) {
            return self.loc().expected("vectors of one type", "two types");
        }
        match self.emit.shape(a).0 {
            1 => self.emit.op2(A::FMul, a, b),
            2 => self.emit.op2(A::FDot2, a, b),
            3 => self.emit.op2(A::FDot3, a, b),
            4 => self.emit.op2(A::FDot4, a, b),
            _ => {
                let p = self.emit.op2(A::FMul, a, b)?;
                self.emit.reduce_channels(A::FAdd, p)
            }
        }
    }

    /// Reinterprets `d` as `n` components of `bits` bits, lowest component first.
    pub fn bitcast(&mut self, d: Id<Def>, n: u8, bits: u8) -> Result<Id<Def>> {
        let (from_n, from_bits) = self.emit.shape(d);
        if from_bits == bits && from_n == n {
            return Ok(d);
        }
        if u32::from(from_n) * u32::from(from_bits) != u32::from(n) * u32::from(bits)
            || bits == 1
            || from_bits == 1
        {
            return self
                .loc()
                .expected("as many bits as before", format!("{n} x {bits}"));
        }
        let parts = self.emit.channels(d)?;
        let mut out: SmallVec<[Id<Def>; 4]> = smallvec![];
        if bits > from_bits {
            for group in parts.chunks(usize::from(bits / from_bits)) {
                out.push(self.pack_scalars(group, bits)?);
            }
        } else {
            for &part in &parts {
                out.extend(self.unpack_scalar(part, bits)?);
            }
        }
        self.emit.vector(&out)
    }

    /// Packs scalars, lowest first, into one scalar of `bits` bits.
    fn pack_scalars(&mut self, parts: &[Id<Def>], bits: u8) -> Result<Id<Def>> {
        let from = parts.first().map_or(0, |&p| self.emit.shape(p).1);
        let op = match (from, bits) {
            (32, 64) => Some(A::Pack64_2x32),
            (16, 64) => Some(A::Pack64_4x16),
            (16, 32) => Some(A::Pack32_2x16),
            (8, 32) => Some(A::Pack32_4x8),
            _ => None,
        };
        if let Some(op) = op {
            let v = self.emit.vector(parts)?;
            return self.emit.op1(op, v);
        }
        let mut acc = self.emit.constant(bits, &[0]);
        for (i, &p) in parts.iter().enumerate() {
            let wide = self.emit.convert(A::U2U, p, bits)?;
            let by = self.emit.imm32(u32::from(from) * i as u32);
            let moved = self.emit.op2(A::IShl, wide, by)?;
            acc = self.emit.op2(A::IOr, acc, moved)?;
        }
        Ok(acc)
    }

    /// Splits a scalar into scalars of `bits` bits, lowest first.
    fn unpack_scalar(&mut self, part: Id<Def>, bits: u8) -> Result<SmallVec<[Id<Def>; 4]>> {
        let from = self.emit.shape(part).1;
        let op = match (from, bits) {
            (64, 32) => Some(A::Unpack64_2x32),
            (64, 16) => Some(A::Unpack64_4x16),
            (32, 16) => Some(A::Unpack32_2x16),
            (32, 8) => Some(A::Unpack32_4x8),
            _ => None,
        };
        if let Some(op) = op {
            let v = self.emit.op1(op, part)?;
            return self.emit.channels(v);
        }
        let mut out = smallvec![];
        for i in 0..from / bits {
            let by = self.emit.imm32(u32::from(bits) * u32::from(i));
            let moved = self.emit.op2(A::UShr, part, by)?;
            out.push(self.emit.convert(A::U2U, moved, bits)?);
        }
        Ok(out)
    }
}
