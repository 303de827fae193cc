//! The extended instruction set GLSL.std.450.
//!
//! Ref: "SPIR-V Extended Instructions for GLSL"; Vulkan spec, "Precision and Operation of SPIR-V
//!      Instructions".

use crate::error::{Loc, Result};
use crate::matrix::matrix_value;
use crate::module::ExtSet;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::Ty;
use crate::value::Value;
use entity::Id;
use nir::{Access, AluOp as A, Def};
use spirv::{GlslStd450Op as G, Op};

/// The NIR operation for instructions that are one NIR operation on the same operands.
fn direct_alu_op(op: G) -> Option<A> {
    Some(match op {
        // Round may round halfway cases either way.
        G::Round | G::RoundEven => A::FRoundEven,
        G::Trunc => A::FTrunc,
        G::FAbs => A::FAbs,
        G::SAbs => A::IAbs,
        G::FSign => A::FSign,
        G::SSign => A::ISign,
        G::Floor => A::FFloor,
        G::Ceil => A::FCeil,
        G::Fract => A::FFract,
        G::Sin => A::FSin,
        G::Cos => A::FCos,
        G::Exp2 => A::FExp2,
        G::Log2 => A::FLog2,
        G::Pow => A::FPow,
        G::Sqrt => A::FSqrt,
        G::InverseSqrt => A::FRsq,
        // NIR's minimum and maximum return the other operand if one is NaN, which is valid for both
        // variants.
        G::FMin | G::NMin => A::FMin,
        G::UMin => A::UMin,
        G::SMin => A::IMin,
        G::FMax | G::NMax => A::FMax,
        G::UMax => A::UMax,
        G::SMax => A::IMax,
        G::PackSnorm4x8 => A::PackSnorm4x8,
        G::PackUnorm4x8 => A::PackUnorm4x8,
        G::PackSnorm2x16 => A::PackSnorm2x16,
        G::PackUnorm2x16 => A::PackUnorm2x16,
        G::PackHalf2x16 => A::PackHalf2x16,
        G::PackDouble2x32 => A::Pack64_2x32,
        G::UnpackSnorm2x16 => A::UnpackSnorm2x16,
        G::UnpackUnorm2x16 => A::UnpackUnorm2x16,
        G::UnpackHalf2x16 => A::UnpackHalf2x16,
        G::UnpackSnorm4x8 => A::UnpackSnorm4x8,
        G::UnpackUnorm4x8 => A::UnpackUnorm4x8,
        G::UnpackDouble2x32 => A::Unpack64_2x32,
        _ => return None,
    })
}

impl Translator<'_> {
    /// Extended instructions of GLSL.std.450; `None` if `inst` is no extended instruction.
    pub fn ext_inst(&mut self, inst: &Inst) -> Result<Option<Value>> {
        if inst.op != Op::ExtInst {
            return Ok(None);
        }
        let (set, number) = (inst.arg(0)?, inst.arg(1)?);
        match self.module.ext_sets.get(&set) {
            Some(ExtSet::Glsl450) => {}
            _ => return inst.loc.unsupported("this extended instruction set"),
        }
        let Some(op) = G::from_u32(number) else {
            return inst
                .loc
                .expected("an instruction of GLSL.std.450", number.to_string());
        };
        let args = Inst {
            args: inst.args.get(2..).unwrap_or(&[]),
            loc: Loc {
                op: ext_inst_name(op),
                ..inst.loc
            },
            ..*inst
        };
        self.emit.loc = args.loc;
        self.glsl_inst(op, &args).map(Some)
    }

    fn glsl_inst(&mut self, op: G, inst: &Inst) -> Result<Value> {
        if let Some(alu) = direct_alu_op(op) {
            let mut srcs: smallvec::SmallVec<[Id<Def>; 4]> = smallvec::smallvec![];
            for i in 0..alu.info().srcs.len() {
                srcs.push(self.arg_def(inst, i)?);
            }
            return Ok(Value::Def(self.emit.alu(alu, &srcs)?));
        }
        if let Some(v) = self.glsl_composite(op, inst)? {
            return Ok(v);
        }
        let x = self.arg_def(inst, 0)?;
        if let Some(d) = self.glsl_exponential(op, inst, x)? {
            return Ok(Value::Def(d));
        }
        if let Some(d) = self.glsl_common(op, inst, x)? {
            return Ok(Value::Def(d));
        }
        match self.glsl_geometric(op, inst, x)? {
            Some(d) => Ok(Value::Def(d)),
            None => inst.loc.unsupported("this instruction"),
        }
    }

    /// Functions with two results, of matrices, or of a pointer to an input; `None` if `op` is not
    /// one.
    fn glsl_composite(&mut self, op: G, inst: &Inst) -> Result<Option<Value>> {
        let v = match op {
            G::Modf | G::ModfStruct => {
                let x = self.arg_def(inst, 0)?;
                let (fract, whole) = self.modf(x)?;
                self.two_results(inst, op == G::ModfStruct, fract, whole)
            }
            G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset => {
                self.interpolate(op, inst)
            }
            G::Frexp | G::FrexpStruct => {
                let x = self.arg_def(inst, 0)?;
                let sig = self.emit.op1(A::FrexpSig, x)?;
                let exp = self.emit.op1(A::FrexpExp, x)?;
                let exp = match op {
                    G::Frexp => {
                        let p = self.pointer(inst.arg(1)?)?;
                        let bits = self.shape_of(p.to)?.1;
                        self.sext_or_trunc(exp, bits)?
                    }
                    _ => match &*self.ty(inst.ty)? {
                        Ty::Struct { members, .. } => match members.get(1) {
                            Some(&m) => {
                                let bits = self.shape_of(m)?.1;
                                self.sext_or_trunc(exp, bits)?
                            }
                            None => return inst.loc.expected("a struct of two", "another"),
                        },
                        _ => return inst.loc.expected("a struct of two", "another"),
                    },
                };
                self.two_results(inst, op == G::FrexpStruct, sig, exp)
            }
            G::Determinant => {
                let m = self.columns(inst, 0)?;
                Ok(Value::Def(self.determinant(&m)?))
            }
            G::MatrixInverse => {
                let m = self.columns(inst, 0)?;
                self.matrix_inverse(&m)
            }
            _ => return Ok(None),
        };
        v.map(Some)
    }

    /// Angle, exponential and trigonometric functions, of operand 0 `x`; `None` if `op` is not one.
    fn glsl_exponential(&mut self, op: G, inst: &Inst, x: Id<Def>) -> Result<Option<Id<Def>>> {
        let bits = self.emit.shape(x).1;
        let d = match op {
            G::Radians => {
                let k = self.emit.imm_float(bits, std::f64::consts::PI / 180.0);
                self.emit.op2(A::FMul, x, k)?
            }
            G::Degrees => {
                let k = self.emit.imm_float(bits, 180.0 / std::f64::consts::PI);
                self.emit.op2(A::FMul, x, k)?
            }
            G::Exp => {
                let k = self.emit.imm_float(bits, std::f64::consts::LOG2_E);
                let x = self.emit.op2(A::FMul, x, k)?;
                self.emit.op1(A::FExp2, x)?
            }
            G::Log => {
                let k = self.emit.imm_float(bits, std::f64::consts::LN_2);
                let x = self.emit.op1(A::FLog2, x)?;
                self.emit.op2(A::FMul, x, k)?
            }
            G::Tan
            | G::Asin
            | G::Acos
            | G::Atan
            | G::Sinh
            | G::Cosh
            | G::Tanh
            | G::Asinh
            | G::Acosh
            | G::Atanh => self.trigonometric(op, x)?,
            G::Atan2 => {
                let y = self.arg_def(inst, 1)?;
                self.atan2(x, y)?
            }
            G::Ldexp => {
                let exp = self.arg_def(inst, 1)?;
                let exp = self.sext_or_trunc(exp, 32)?;
                self.emit.op2(A::Ldexp, x, exp)?
            }
            _ => return Ok(None),
        };
        Ok(Some(d))
    }

    /// Common and integer functions, of operand 0 `x`; `None` if `op` is not one.
    fn glsl_common(&mut self, op: G, inst: &Inst, x: Id<Def>) -> Result<Option<Id<Def>>> {
        let bits = self.emit.shape(x).1;
        let d = match op {
            G::UClamp | G::SClamp | G::FClamp | G::NClamp => {
                let (lo, hi) = (self.arg_def(inst, 1)?, self.arg_def(inst, 2)?);
                let (max, min) = match op {
                    G::UClamp => (A::UMax, A::UMin),
                    G::SClamp => (A::IMax, A::IMin),
                    _ => (A::FMax, A::FMin),
                };
                let d = self.emit.op2(max, x, lo)?;
                self.emit.op2(min, d, hi)?
            }
            G::Fma => {
                let (y, z) = (self.arg_def(inst, 1)?, self.arg_def(inst, 2)?);
                // Fma only has to be as precise as a product and a sum (Vulkan, "Precision of
                // GLSL.std.450 Instructions"). At 16 bits emit these, because a three-source
                // instruction would need packed operands.
                if bits == 16 && !self.emit.exact {
                    let product = self.emit.op2(A::FMul, x, y)?;
                    self.emit.op2(A::FAdd, product, z)?
                } else {
                    self.emit.op3(A::FFma, x, y, z)?
                }
            }
            G::FMix => {
                let (y, a) = (self.arg_def(inst, 1)?, self.arg_def(inst, 2)?);
                if bits == 32 && !self.emit.exact {
                    return self.emit.op3(A::FLrp, x, y, a).map(Some);
                }
                let one = self.emit.imm_float(bits, 1.0);
                let rest = self.emit.op2(A::FSub, one, a)?;
                let l = self.emit.op2(A::FMul, x, rest)?;
                let r = self.emit.op2(A::FMul, y, a)?;
                self.emit.op2(A::FAdd, l, r)?
            }
            G::Step => {
                let v = self.arg_def(inst, 1)?;
                let (zero, one) = (
                    self.emit.imm_float(bits, 0.0),
                    self.emit.imm_float(bits, 1.0),
                );
                let below = self.emit.op2(A::FLt, v, x)?;
                self.emit.op3(A::Bcsel, below, zero, one)?
            }
            G::SmoothStep => {
                let (e1, v) = (self.arg_def(inst, 1)?, self.arg_def(inst, 2)?);
                let (a, b) = (
                    self.emit.op2(A::FSub, v, x)?,
                    self.emit.op2(A::FSub, e1, x)?,
                );
                let t = self.emit.op2(A::FDiv, a, b)?;
                let t = self.emit.op1(A::FSat, t)?;
                let (two, three) = (
                    self.emit.imm_float(bits, 2.0),
                    self.emit.imm_float(bits, 3.0),
                );
                let d = self.emit.op2(A::FMul, two, t)?;
                let d = self.emit.op2(A::FSub, three, d)?;
                let tt = self.emit.op2(A::FMul, t, t)?;
                self.emit.op2(A::FMul, tt, d)?
            }
            G::FindILsb | G::FindSMsb | G::FindUMsb => {
                let alu = match op {
                    G::FindILsb => A::FindLsb,
                    G::FindSMsb => A::IFindMsb,
                    _ => A::UFindMsb,
                };
                let d = self.emit.op1(alu, x)?;
                let to = self.shape_of(inst.ty)?.1;
                self.sext_or_trunc(d, to)?
            }
            _ => return Ok(None),
        };
        Ok(Some(d))
    }

    /// Geometric functions, of operand 0 `x`; `None` if `op` is not one.
    fn glsl_geometric(&mut self, op: G, inst: &Inst, x: Id<Def>) -> Result<Option<Id<Def>>> {
        let bits = self.emit.shape(x).1;
        let d = match op {
            G::Length => self.length(x)?,
            G::Distance => {
                let y = self.arg_def(inst, 1)?;
                let d = self.emit.op2(A::FSub, x, y)?;
                self.length(d)?
            }
            G::Normalize => {
                if self.emit.shape(x).0 == 1 {
                    self.emit.op1(A::FSign, x)?
                } else {
                    let d = self.dot(x, x)?;
                    let r = self.emit.op1(A::FRsq, d)?;
                    self.emit.op2(A::FMul, x, r)?
                }
            }
            G::Cross => {
                let y = self.arg_def(inst, 1)?;
                self.cross(x, y)?
            }
            G::FaceForward => {
                let (i, reference) = (self.arg_def(inst, 1)?, self.arg_def(inst, 2)?);
                let d = self.dot(reference, i)?;
                let zero = self.emit.imm_float(bits, 0.0);
                let toward = self.emit.op2(A::FLt, d, zero)?;
                let minus = self.emit.op1(A::FNeg, x)?;
                self.emit.op3(A::Bcsel, toward, x, minus)?
            }
            G::Reflect => {
                let n = self.arg_def(inst, 1)?;
                let d = self.dot(n, x)?;
                let two = self.emit.imm_float(bits, 2.0);
                let d = self.emit.op2(A::FMul, d, two)?;
                let d = self.emit.op2(A::FMul, n, d)?;
                self.emit.op2(A::FSub, x, d)?
            }
            G::Refract => {
                let (n, eta) = (self.arg_def(inst, 1)?, self.arg_def(inst, 2)?);
                self.refract(x, n, eta)?
            }
            _ => return Ok(None),
        };
        Ok(Some(d))
    }

    /// Sign-extends or truncates.
    fn sext_or_trunc(&mut self, d: Id<Def>, bits: u8) -> Result<Id<Def>> {
        if self.emit.shape(d).1 == bits {
            Ok(d)
        } else {
            self.emit.convert(A::I2I, d, bits)
        }
    }

    /// Two results: stores the second through the pointer in operand 1, or returns both as a
    /// struct.
    fn two_results(
        &mut self,
        inst: &Inst,
        is_struct: bool,
        first: Id<Def>,
        second: Id<Def>,
    ) -> Result<Value> {
        if is_struct {
            return Ok(matrix_value(&[first, second]));
        }
        let p = self.pointer(inst.arg(1)?)?;
        self.store(&p, &Value::Def(second), Access::default())?;
        Ok(Value::Def(first))
    }

    /// Fraction and whole part, both with the sign of `x`. The fraction of an infinity is 0.
    fn modf(&mut self, x: Id<Def>) -> Result<(Id<Def>, Id<Def>)> {
        let bits = self.emit.shape(x).1;
        let whole = self.emit.op1(A::FTrunc, x)?;
        let is_whole = self.emit.op2(A::FEq, x, whole)?;
        let rest = self.emit.op2(A::FSub, x, whole)?;
        let zero = self.emit.imm_float(bits, 0.0);
        let rest = self.emit.op3(A::Bcsel, is_whole, zero, rest)?;
        let fract = self.copysign(rest, x)?;
        Ok((fract, whole))
    }

    /// The magnitude of `a` with the sign of `b`.
    pub fn copysign(&mut self, a: Id<Def>, b: Id<Def>) -> Result<Id<Def>> {
        let bits = self.emit.shape(a).1;
        let sign = 1u64 << (bits - 1);
        let (sign, rest) = (
            self.emit.constant(bits, &[sign]),
            self.emit.constant(bits, &[sign - 1]),
        );
        let a = self.emit.op2(A::IAnd, a, rest)?;
        let b = self.emit.op2(A::IAnd, b, sign)?;
        self.emit.op2(A::IOr, a, b)
    }

    fn length(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        if self.emit.shape(x).0 == 1 {
            return self.emit.op1(A::FAbs, x);
        }
        let d = self.dot(x, x)?;
        self.emit.op1(A::FSqrt, d)
    }

    fn cross(&mut self, x: Id<Def>, y: Id<Def>) -> Result<Id<Def>> {
        if self.emit.shape(x) != self.emit.shape(y) || self.emit.shape(x).0 != 3 {
            return self
                .loc()
                .expected("two vectors of three components", "others");
        }
        let bits = self.emit.shape(x).1;
        let rotate = |tr: &mut Self, d, by: u8| {
            let lanes: smallvec::SmallVec<[(Id<Def>, u8); 4]> =
                (0..3).map(|i| (d, (i + by) % 3)).collect();
            tr.emit.vec_from_channels(&lanes, bits)
        };
        let (x1, y2) = (rotate(self, x, 1)?, rotate(self, y, 2)?);
        let (x2, y1) = (rotate(self, x, 2)?, rotate(self, y, 1)?);
        let (l, r) = (
            self.emit.op2(A::FMul, x1, y2)?,
            self.emit.op2(A::FMul, x2, y1)?,
        );
        self.emit.op2(A::FSub, l, r)
    }

    fn refract(&mut self, i: Id<Def>, n: Id<Def>, eta: Id<Def>) -> Result<Id<Def>> {
        let (components, bits) = self.emit.shape(i);
        let eta = if self.emit.shape(eta).1 == bits {
            eta
        } else {
            self.emit.convert(A::F2F, eta, bits)?
        };
        let d = self.dot(n, i)?;
        let (zero, one) = (
            self.emit.imm_float(bits, 0.0),
            self.emit.imm_float(bits, 1.0),
        );
        let dd = self.emit.op2(A::FMul, d, d)?;
        let s = self.emit.op2(A::FSub, one, dd)?;
        let ee = self.emit.op2(A::FMul, eta, eta)?;
        let s = self.emit.op2(A::FMul, ee, s)?;
        let k = self.emit.op2(A::FSub, one, s)?;
        let none = self.emit.op2(A::FLt, k, zero)?;
        // The root of a negative `k` is never selected, but must not be NaN, for exact code that
        // follows.
        let k = self.emit.op2(A::FMax, k, zero)?;
        let root = self.emit.op1(A::FSqrt, k)?;
        let along = self.emit.op2(A::FMul, eta, d)?;
        let along = self.emit.op2(A::FAdd, along, root)?;
        let (a, b) = (
            self.emit.op2(A::FMul, i, eta)?,
            self.emit.op2(A::FMul, n, along)?,
        );
        let r = self.emit.op2(A::FSub, a, b)?;
        let zeros: smallvec::SmallVec<[u64; 4]> = smallvec::smallvec![0; usize::from(components)];
        let zeros = self.emit.constant(bits, &zeros);
        self.emit.op3(A::Bcsel, none, zeros, r)
    }
}

/// Name of an instruction, for messages.
fn ext_inst_name(op: G) -> &'static str {
    rspirv::grammar::GLSL_STD_450_INSTRUCTION_TABLE
        .lookup_opcode(op as u32)
        .map_or("ExtInst", |i| i.opname)
}
