//! Composite values: construction, extraction, insertion, shuffles, selects; instructions whose
//! results are pairs.

use crate::constants::MAX_LEAVES;
use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::Ty;
use crate::value::Value;
use entity::Id;
use nir::{AluOp as A, Def};
use smallvec::SmallVec;
use spirv::Op;

impl Translator<'_> {
    /// Composite instructions; `None` if `inst` is not one.
    pub fn composite_inst(&mut self, inst: &Inst) -> Result<Option<Value>> {
        let v = match inst.op {
            Op::Undef if inst.newer.is_none() => self.undef(inst.ty)?,
            Op::ConstantNull => self.null(inst.ty)?,
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => self.value(inst.arg(0)?)?,
            Op::CompositeConstruct => self.composite_value(inst, inst.args)?,
            Op::CompositeConstructReplicateEXT => self.replicated_value(inst)?,
            Op::CompositeExtract => {
                let mut v = self.value(inst.arg(0)?)?;
                for &i in inst.args.iter().skip(1) {
                    v = match v {
                        Value::Composite(parts) => match parts.get(i as usize) {
                            Some(p) => p.clone(),
                            None => return inst.loc.expected("a part", i.to_string()),
                        },
                        Value::Undef(ty) => self.undef_part(ty, i)?,
                        Value::Def(d) => {
                            let (n, _) = self.emit.shape(d);
                            if n == 1 || i >= u32::from(n) {
                                return inst.loc.expected("a component", i.to_string());
                            }
                            Value::Def(self.emit.channel(d, i as u8)?)
                        }
                        Value::Pointer(_) | Value::Opaque(_) | Value::Texel(_) => {
                            return inst.loc.expected("a composite", "a pointer or image");
                        }
                    };
                }
                v
            }
            Op::CompositeInsert => {
                let part = self.value(inst.arg(0)?)?;
                let whole = self.value(inst.arg(1)?)?;
                self.composite_insert(inst, &whole, part, inst.args.get(2..).unwrap_or(&[]))?
            }
            Op::VectorExtractDynamic => {
                let (v, i) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                Value::Def(self.emit.channel_dynamic(v, i)?)
            }
            Op::VectorInsertDynamic => {
                let (v, c, i) = (
                    self.arg_def(inst, 0)?,
                    self.arg_def(inst, 1)?,
                    self.arg_def(inst, 2)?,
                );
                Value::Def(self.emit.insert_dynamic(v, c, i)?)
            }
            Op::VectorShuffle => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                let (na, bits) = self.emit.shape(a);
                let (nb, _) = self.emit.shape(b);
                let mut lanes: SmallVec<[(Id<Def>, u8); 4]> = SmallVec::new();
                for &i in inst.args.iter().skip(2) {
                    let lane = if i == u32::MAX {
                        // 0xffffffff: the component is undefined.
                        (a, 0)
                    } else if i < u32::from(na) {
                        (a, i as u8)
                    } else if i < u32::from(na) + u32::from(nb) {
                        (b, (i - u32::from(na)) as u8)
                    } else {
                        return inst.loc.expected("a component", i.to_string());
                    };
                    lanes.push(lane);
                }
                Value::Def(self.emit.vec_from_channels(&lanes, bits)?)
            }
            Op::Select => {
                let cond = self.arg_def(inst, 0)?;
                let (a, b) = (self.value(inst.arg(1)?)?, self.value(inst.arg(2)?)?);
                self.select(cond, &a, &b, inst.ty)?
            }
            Op::IAddCarry | Op::ISubBorrow => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                let (low, high) = if inst.op == Op::IAddCarry {
                    (A::IAdd, A::UAddCarry)
                } else {
                    (A::ISub, A::USubBorrow)
                };
                let (l, h) = (self.emit.op2(low, a, b)?, self.emit.op2(high, a, b)?);
                pair(l, h)
            }
            Op::UMulExtended | Op::SMulExtended => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                let high = if inst.op == Op::UMulExtended {
                    A::UMulHigh
                } else {
                    A::IMulHigh
                };
                let (l, h) = (self.emit.op2(A::IMul, a, b)?, self.emit.op2(high, a, b)?);
                pair(l, h)
            }
            _ => return Ok(None),
        };
        Ok(Some(v))
    }

    fn composite_insert(
        &mut self,
        inst: &Inst,
        whole: &Value,
        part: Value,
        path: &[u32],
    ) -> Result<Value> {
        // Descend to the part; then rebuild the levels from the innermost outwards.
        let mut levels: Vec<(Value, u32)> = Vec::new();
        let mut cur = whole.clone();
        for &i in path {
            if let Value::Undef(ty) = cur {
                cur = Value::Composite(self.undef_parts(ty)?.into());
            }
            let next = match &cur {
                Value::Composite(parts) => match parts.get(i as usize) {
                    Some(p) => p.clone(),
                    None => return inst.loc.expected("a part", i.to_string()),
                },
                Value::Def(d) => {
                    let (n, _) = self.emit.shape(*d);
                    if n == 1 || i >= u32::from(n) {
                        return inst.loc.expected("a component", i.to_string());
                    }
                    part.clone()
                }
                Value::Undef(_) | Value::Pointer(_) | Value::Opaque(_) | Value::Texel(_) => {
                    return inst.loc.expected("a composite", "a pointer or image");
                }
            };
            levels.push((cur, i));
            cur = next;
            if levels.len() > 256 {
                return inst.loc.limit("levels of a composite", 256);
            }
        }
        let mut part = part;
        while let Some((level, i)) = levels.pop() {
            part = match level {
                Value::Composite(parts) => {
                    let mut parts = parts.to_vec();
                    let (Some(slot), index) = (parts.get_mut(i as usize), i) else {
                        return inst.loc.expected("a part", i.to_string());
                    };
                    if !slot.is_of_kind(&part) {
                        return inst
                            .loc
                            .expected("a part of the part's type", index.to_string());
                    }
                    *slot = part;
                    Value::Composite(parts.into())
                }
                Value::Def(d) => {
                    let Value::Def(c) = part else {
                        return inst.loc.expected("a scalar", "another value");
                    };
                    let (n, bits) = self.emit.shape(d);
                    if self.emit.shape(c) != (1, bits) {
                        return inst
                            .loc
                            .expected("a component of the vector's type", "another");
                    }
                    let lanes: SmallVec<[(Id<Def>, u8); 4]> = (0..n)
                        .map(|k| if u32::from(k) == i { (c, 0) } else { (d, k) })
                        .collect();
                    Value::Def(self.emit.vec_from_channels(&lanes, bits)?)
                }
                Value::Undef(_) | Value::Pointer(_) | Value::Opaque(_) | Value::Texel(_) => {
                    return inst.loc.expected("a composite", "a pointer or image");
                }
            };
        }
        Ok(part)
    }

    /// `cond ? a : b`, for each part.
    pub fn select(&mut self, cond: Id<Def>, a: &Value, b: &Value, ty: u32) -> Result<Value> {
        // An undefined value may be the other value.
        match (a, b) {
            (Value::Undef(_), other) | (other, Value::Undef(_)) => return Ok(other.clone()),
            _ => {}
        }
        if self.leaf_count(ty)? > MAX_LEAVES {
            return self.loc().limit("parts of a value", MAX_LEAVES as usize);
        }
        Ok(match (a, b) {
            (Value::Def(a), Value::Def(b)) => Value::Def(self.emit.op3(A::Bcsel, cond, *a, *b)?),
            (Value::Composite(a), Value::Composite(b)) if a.len() == b.len() => {
                let mut parts = Vec::with_capacity(a.len());
                for (i, (a, b)) in a.iter().zip(b.iter()).enumerate() {
                    let part = match &*self.ty(ty)? {
                        Ty::Struct { members, .. } => members.get(i).copied().unwrap_or(ty),
                        Ty::Array { elem, .. } => *elem,
                        Ty::Matrix { column, .. } => *column,
                        _ => return self.loc().expected("a composite type", format!("%{ty}")),
                    };
                    parts.push(self.select(cond, a, b, part)?);
                }
                Value::Composite(parts.into())
            }
            (Value::Pointer(a), Value::Pointer(b)) => {
                let (da, db) = (self.pointer_as_value(a)?, self.pointer_as_value(b)?);
                let d = self.emit.op3(A::Bcsel, cond, da, db)?;
                match &*self.ty(ty)? {
                    Ty::Pointer {
                        class,
                        to,
                        stride_bytes,
                    } => self.pointer_value(d, *class, *to, *stride_bytes)?,
                    _ => return self.loc().expected("a pointer type", format!("%{ty}")),
                }
            }
            _ => return self.loc().expected("two values of one type", "two types"),
        })
    }
}

fn pair(a: Id<Def>, b: Id<Def>) -> Value {
    Value::Composite(vec![Value::Def(a), Value::Def(b)].into())
}
