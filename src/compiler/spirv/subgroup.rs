//! Subgroup operations.
//!
//! Ref: "SPIR-V Specification", "Non-Uniform Instructions"; SPV_KHR_shader_ballot,
//!      SPV_KHR_subgroup_vote.

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::Ty;
use crate::value::Value;
use entity::Id;
use nir::{AluOp as A, Def, IntrinsicOp as I};
use rspirv::grammar::OperandKind;
use smallvec::SmallVec;
use spirv::{GroupOperation, Op, Scope};

/// Invocations of a quad.
const QUAD: u32 = 4;

/// The ALU operation of a reduction or scan.
fn reduction_op(op: Op) -> Option<A> {
    Some(match op {
        Op::GroupNonUniformIAdd => A::IAdd,
        Op::GroupNonUniformFAdd => A::FAdd,
        Op::GroupNonUniformIMul => A::IMul,
        Op::GroupNonUniformFMul => A::FMul,
        Op::GroupNonUniformSMin => A::IMin,
        Op::GroupNonUniformUMin => A::UMin,
        Op::GroupNonUniformFMin => A::FMin,
        Op::GroupNonUniformSMax => A::IMax,
        Op::GroupNonUniformUMax => A::UMax,
        Op::GroupNonUniformFMax => A::FMax,
        Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd => A::IAnd,
        Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => A::IOr,
        Op::GroupNonUniformBitwiseXor | Op::GroupNonUniformLogicalXor => A::IXor,
        _ => return None,
    })
}

/// Instructions of one value that are one intrinsic, with the position of the value.
fn unary_intrinsic(op: Op) -> Option<(I, usize)> {
    Some(match op {
        Op::GroupNonUniformAll => (I::VoteAll, 1),
        Op::GroupNonUniformAny => (I::VoteAny, 1),
        Op::GroupNonUniformBroadcastFirst => (I::ReadFirstInvocation, 1),
        Op::GroupNonUniformBallot => (I::Ballot, 1),
        Op::GroupNonUniformInverseBallot => (I::InverseBallot, 1),
        Op::SubgroupAllKHR => (I::VoteAll, 0),
        Op::SubgroupAnyKHR => (I::VoteAny, 0),
        Op::SubgroupBallotKHR => (I::Ballot, 0),
        Op::SubgroupFirstInvocationKHR => (I::ReadFirstInvocation, 0),
        _ => return None,
    })
}

/// Instructions of a value and an index, mask or delta that are one intrinsic, with the position of
/// the value.
fn binary_intrinsic(op: Op) -> Option<(I, usize)> {
    Some(match op {
        Op::GroupNonUniformBroadcast => (I::ReadInvocation, 1),
        Op::GroupNonUniformShuffle => (I::Shuffle, 1),
        Op::GroupNonUniformShuffleXor => (I::ShuffleXor, 1),
        Op::GroupNonUniformShuffleUp => (I::ShuffleUp, 1),
        Op::GroupNonUniformShuffleDown => (I::ShuffleDown, 1),
        Op::GroupNonUniformQuadBroadcast => (I::QuadBroadcast, 1),
        Op::SubgroupReadInvocationKHR => (I::ReadInvocation, 0),
        _ => return None,
    })
}

impl Translator<'_> {
    /// Subgroup instructions; false if `inst` is not one.
    pub fn subgroup_inst(&mut self, inst: &Inst) -> Result<bool> {
        match self.subgroup_value(inst)? {
            Some(d) => {
                self.set_result(inst, Value::Def(d))?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn subgroup_value(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        // The first operand after type and result is a scope.
        let operands = crate::grammar::by_number(inst.op as u32).map_or(&[][..], |g| g.operands);
        let scoped = operands.get(2).map(|o| o.kind) == Some(OperandKind::IdScope);
        if scoped && inst.loc.op.starts_with("GroupNonUniform") {
            let scope = self.const_u32(inst.arg(0)?)?;
            if scope != Scope::Subgroup as u32 {
                return inst.loc.unsupported(format!("scope {scope}"));
            }
        }
        if let Some((op, at)) = unary_intrinsic(inst.op) {
            let v = self.arg_def(inst, at)?;
            let shape = self.shape_of(inst.ty)?;
            self.check_source(op, v)?;
            return Ok(Some(self.emit.intrinsic_value(op, shape, &[v], &[])?));
        }
        if let Some((op, at)) = binary_intrinsic(inst.op) {
            let (v, i) = (self.arg_def(inst, at)?, self.arg_def(inst, at + 1)?);
            let i = self.emit.index32(i)?;
            let shape = self.emit.shape(v);
            return Ok(Some(self.emit.intrinsic_value(op, shape, &[v, i], &[])?));
        }
        if let Some(op) = reduction_op(inst.op) {
            return self.reduce_or_scan(inst, op).map(Some);
        }
        let d = match inst.op {
            Op::GroupNonUniformElect => self.emit.intrinsic_value(I::Elect, (1, 1), &[], &[])?,
            Op::GroupNonUniformAllEqual => {
                let v = self.arg_def(inst, 1)?;
                let float = matches!(
                    &*self.scalar_of(self.type_of(inst.arg(1)?)?)?,
                    Ty::Float { .. }
                );
                let op = if float { I::VoteFeq } else { I::VoteIeq };
                self.emit.intrinsic_value(op, (1, 1), &[v], &[])?
            }
            Op::SubgroupAllEqualKHR => {
                let v = self.arg_def(inst, 0)?;
                self.emit.intrinsic_value(I::VoteIeq, (1, 1), &[v], &[])?
            }
            Op::GroupNonUniformQuadSwap => {
                let v = self.arg_def(inst, 1)?;
                let op = match self.const_u32(inst.arg(2)?)? {
                    0 => I::QuadSwapHorizontal,
                    1 => I::QuadSwapVertical,
                    2 => I::QuadSwapDiagonal,
                    n => return inst.loc.expected("direction 0, 1 or 2", n.to_string()),
                };
                let shape = self.emit.shape(v);
                self.emit.intrinsic_value(op, shape, &[v], &[])?
            }
            // Only the active invocations of the quad vote.
            Op::GroupNonUniformQuadAllKHR | Op::GroupNonUniformQuadAnyKHR => {
                let v = self.arg_def(inst, 0)?;
                self.check_source(I::VoteAll, v)?;
                let all = inst.op == Op::GroupNonUniformQuadAllKHR;
                let op = if all { A::IAnd } else { A::IOr };
                self.emit
                    .intrinsic_value(I::Reduce, (1, 1), &[v], &[op as u32, QUAD])?
            }
            Op::GroupNonUniformRotateKHR => self.rotate(inst)?,
            Op::ReadClockKHR => {
                let scope = self.const_u32(inst.arg(0)?)?;
                let v = self
                    .emit
                    .intrinsic_value(I::ShaderClock, (2, 32), &[], &[scope])?;
                match self.shape_of(inst.ty)? {
                    (1, 64) => self.emit.op1(A::Pack64_2x32, v)?,
                    _ => v,
                }
            }
            _ => return self.ballot_inst(inst),
        };
        Ok(Some(d))
    }

    /// Operations on ballots; `None` if `inst` is not one.
    fn ballot_inst(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        let d = match inst.op {
            Op::GroupNonUniformBallotBitExtract => {
                let (v, i) = (self.ballot_operand(inst, 1)?, self.arg_def(inst, 2)?);
                let i = self.emit.index32(i)?;
                let (five, low) = (self.emit.imm32(5), self.emit.imm32(31));
                let word = self.emit.op2(A::UShr, i, five)?;
                let word = self.emit.channel_dynamic(v, word)?;
                let bit = self.emit.op2(A::IAnd, i, low)?;
                let moved = self.emit.op2(A::UShr, word, bit)?;
                let (one, zero) = (self.emit.imm32(1), self.emit.imm32(0));
                let bit = self.emit.op2(A::IAnd, moved, one)?;
                self.emit.op2(A::INe, bit, zero)?
            }
            Op::GroupNonUniformBallotBitCount => {
                let operation = inst.arg(1)?;
                let v = self.ballot_operand(inst, 2)?;
                let mask = match GroupOperation::from_u32(operation) {
                    Some(GroupOperation::Reduce) => self.all_invocations()?,
                    Some(GroupOperation::InclusiveScan) => self.subgroup_mask(3)?,
                    Some(GroupOperation::ExclusiveScan) => self.subgroup_mask(4)?,
                    _ => {
                        return inst.loc.expected("Reduce or a scan", operation.to_string());
                    }
                };
                let v = self.emit.op2(A::IAnd, v, mask)?;
                let counts = self.emit.op1(A::BitCount, v)?;
                self.emit.reduce_channels(A::IAdd, counts)?
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                let v = self.ballot_operand(inst, 1)?;
                let mask = self.all_invocations()?;
                let v = self.emit.op2(A::IAnd, v, mask)?;
                let words = self.emit.channels(v)?;
                let lsb = inst.op == Op::GroupNonUniformBallotFindLSB;
                let op = if lsb { A::FindLsb } else { A::UFindMsb };
                // Later words override earlier ones, so that the order ends with the word to
                // prefer.
                let order: SmallVec<[usize; 4]> = if lsb {
                    (0..words.len()).rev().collect()
                } else {
                    (0..words.len()).collect()
                };
                let zero = self.emit.imm32(0);
                let mut out = self.emit.imm32(u32::MAX);
                for i in order {
                    let Some(&w) = words.get(i) else { continue };
                    let bit = self.emit.op1(op, w)?;
                    let first = self.emit.imm32(32 * i as u32);
                    let bit = self.emit.op2(A::IAdd, bit, first)?;
                    let some = self.emit.op2(A::INe, w, zero)?;
                    out = self.emit.op3(A::Bcsel, some, bit, out)?;
                }
                out
            }
            _ => return Ok(None),
        };
        Ok(Some(d))
    }

    fn check_source(&self, op: I, v: Id<Def>) -> Result<()> {
        let shape = self.emit.shape(v);
        match op {
            I::VoteAll | I::VoteAny | I::Ballot if shape != (1, 1) => {
                self.loc().expected("a boolean", "another value")
            }
            I::InverseBallot if shape != (4, 32) => {
                self.loc().expected("four 32-bit words", "another value")
            }
            _ => Ok(()),
        }
    }

    fn ballot_operand(&mut self, inst: &Inst, i: usize) -> Result<Id<Def>> {
        let v = self.arg_def(inst, i)?;
        if self.emit.shape(v) != (4, 32) {
            return inst.loc.expected("four 32-bit words", "another value");
        }
        Ok(v)
    }

    /// The subgroup mask built-in of a relation: 0 eq, 1 ge, 2 gt, 3 le, 4 lt.
    ///
    /// The mask covers the subgroup size that the shader sees, which may exceed the dispatch width.
    pub fn subgroup_mask(&mut self, relation: u32) -> Result<Id<Def>> {
        let Some(size) = self.subgroup_size else {
            return self
                .emit
                .intrinsic_value(I::LoadSubgroupMask, (4, 32), &[], &[relation]);
        };
        let all = u32::MAX
            .checked_shr(32_u32.saturating_sub(size))
            .unwrap_or(0);
        let lane = self
            .emit
            .intrinsic_value(I::LoadSubgroupInvocation, (1, 32), &[], &[])?;
        let (one, ones, all) = (
            self.emit.imm32(1),
            self.emit.imm32(u32::MAX),
            self.emit.imm32(all),
        );
        let equal = self.emit.op2(A::IShl, one, lane)?;
        let below = self.emit.op2(A::IAdd, equal, ones)?;
        let not_above = self.emit.op2(A::IOr, equal, below)?;
        let mask = match relation {
            0 => equal,
            1 | 2 => {
                let rest = if relation == 1 { below } else { not_above };
                let rest = self.emit.op1(A::INot, rest)?;
                self.emit.op2(A::IAnd, rest, all)?
            }
            3 => not_above,
            _ => below,
        };
        let zero = self.emit.imm32(0);
        self.emit.vector(&[mask, zero, zero, zero])
    }

    /// Ballot bits of all invocations of the subgroup, active or not.
    fn all_invocations(&mut self) -> Result<Id<Def>> {
        let (ge, lt) = (self.subgroup_mask(1)?, self.subgroup_mask(4)?);
        self.emit.op2(A::IOr, ge, lt)
    }

    fn reduce_or_scan(&mut self, inst: &Inst, op: A) -> Result<Id<Def>> {
        let operation = inst.arg(1)?;
        let v = self.arg_def(inst, 2)?;
        let shape = self.emit.shape(v);
        let admits = op.info().out.admits(shape.1);
        if !admits {
            return inst.loc.expected(
                "a value that the operation takes",
                format!("{} bits", shape.1),
            );
        }
        let (intrinsic, cluster) = match GroupOperation::from_u32(operation) {
            Some(GroupOperation::Reduce) => (I::Reduce, Some(0)),
            Some(GroupOperation::InclusiveScan) => (I::InclusiveScan, None),
            Some(GroupOperation::ExclusiveScan) => (I::ExclusiveScan, None),
            Some(GroupOperation::ClusteredReduce) => {
                let n = self.const_u32(inst.arg(3)?)?;
                if !n.is_power_of_two() {
                    return inst.loc.expected("a power of two", n.to_string());
                }
                (I::Reduce, Some(n))
            }
            Some(other) => {
                return inst.loc.unsupported(format!("group operation {other:?}"));
            }
            None => {
                return inst
                    .loc
                    .expected("a group operation", operation.to_string());
            }
        };
        if cluster == Some(1) {
            return Ok(v);
        }
        let mut indices: SmallVec<[u32; 2]> = SmallVec::new();
        indices.push(op as u32);
        indices.extend(cluster);
        // Reduce each component separately: the backend reduces scalars.
        let mut reduced: SmallVec<[Id<Def>; 4]> = SmallVec::new();
        for part in self.emit.channels(v)? {
            let part = self
                .emit
                .intrinsic_value(intrinsic, (1, shape.1), &[part], &indices)?;
            reduced.push(part);
        }
        self.emit.vector(&reduced)
    }

    /// Reads from the invocation `delta` further on, wrapping around within the cluster.
    fn rotate(&mut self, inst: &Inst) -> Result<Id<Def>> {
        let (v, delta) = (self.arg_def(inst, 1)?, self.arg_def(inst, 2)?);
        let delta = self.emit.index32(delta)?;
        let size = match inst.args.get(3) {
            Some(&id) => self.def(id)?,
            None => self
                .emit
                .intrinsic_value(I::LoadSubgroupSize, (1, 32), &[], &[])?,
        };
        let one = self.emit.imm32(1);
        let low = self.emit.op2(A::ISub, size, one)?;
        let lane = self
            .emit
            .intrinsic_value(I::LoadSubgroupInvocation, (1, 32), &[], &[])?;
        let sum = self.emit.op2(A::IAdd, lane, delta)?;
        let inside = self.emit.op2(A::IAnd, sum, low)?;
        let high = self.emit.op1(A::INot, low)?;
        let first = self.emit.op2(A::IAnd, lane, high)?;
        let index = self.emit.op2(A::IOr, first, inside)?;
        let shape = self.emit.shape(v);
        self.emit
            .intrinsic_value(I::Shuffle, shape, &[v, index], &[])
    }
}
