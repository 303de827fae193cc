//! Subgroup operations of the interpreter. Each is executed for one tangle (the active lanes of one
//! subgroup) after another.

use super::execution::Execution;
use super::machine::InterpError;
use crate::fold;
use crate::intrinsic::{Effects, IntrinsicOp};
use crate::ir::*;
use crate::op::{AluOp, BaseType};
use entity::Id;
use smallvec::SmallVec;

type Value = SmallVec<[u64; 4]>;

/// The identity element of a reduction with `op`.
fn identity_element(op: AluOp, bits: u8) -> u64 {
    let float = |x: f64| fold::round_float(bits, x.into(), false);
    let max = fold::mask(bits) >> 1;
    match op {
        AluOp::FAdd => float(-0.0),
        AluOp::FMul => float(1.0),
        AluOp::FMin => float(f64::INFINITY),
        AluOp::FMax => float(f64::NEG_INFINITY),
        AluOp::IMul => 1,
        AluOp::IMin => max,
        AluOp::IMax => max + 1,
        AluOp::UMin | AluOp::IAnd => fold::mask(bits),
        _ => 0,
    }
}

impl Execution<'_> {
    fn combine(&self, op: AluOp, bits: u8, a: &[u64], b: &[u64]) -> Value {
        let mut out: Value = SmallVec::from_elem(0, a.len());
        fold::fold(
            op,
            bits,
            &[bits, bits],
            &[a, b],
            self.s.info.float_controls,
            &mut out,
        );
        out
    }

    /// Executes `i` if it is a subgroup operation or derivative; returns false otherwise.
    pub(super) fn try_subgroup_intrinsic(
        &mut self,
        i: &Intrinsic,
        lanes: &[usize],
    ) -> Result<bool, InterpError> {
        let effects = i.op.info().effects;
        if i.op == IntrinsicOp::Barrier || !effects.any(Effects::CROSS_THREAD) {
            return Ok(false);
        }
        let Some(def) = i.def else { return Ok(false) };
        let size = self.machine.subgroup_size as usize;
        let mut rest = lanes;
        while let Some(&first) = rest.first() {
            let group = first / size;
            let n = rest.iter().take_while(|l| **l / size == group).count();
            let (tangle, others) = rest.split_at(n);
            rest = others;
            self.run_tangle(i, def, tangle, group * size, size)?;
        }
        Ok(true)
    }

    /// The derivative `op` of value `of` in the quad of a lane.
    fn derivative(&self, op: IntrinsicOp, of: Id<Def>, lane: usize, bits: u8) -> Value {
        use IntrinsicOp as Op;
        let quad = lane & !3;
        let (from, to) = match op {
            Op::Ddx | Op::DdxCoarse => (quad, quad + 1),
            Op::DdxFine => (lane & !1, lane | 1),
            Op::DdyFine => (lane & !2, lane | 2),
            _ => (quad, quad + 2),
        };
        let start: Value = self.get(of, from.min(self.lanes - 1)).into();
        let end: Value = self.get(of, to.min(self.lanes - 1)).into();
        let sign = 1 << (bits - 1);
        let less: Value = start.iter().map(|x| x ^ sign).collect();
        self.combine(AluOp::FAdd, bits, &end, &less)
    }

    fn run_tangle(
        &mut self,
        i: &Intrinsic,
        def: Id<Def>,
        tangle: &[usize],
        base: usize,
        size: usize,
    ) -> Result<(), InterpError> {
        use IntrinsicOp as Op;
        let value: Vec<Value> = match i.srcs.first() {
            Some(&d) => tangle.iter().map(|l| self.get(d, *l).into()).collect(),
            None => Vec::new(),
        };
        let shape = self.s.defs[def];
        let out: Vec<Value> = match i.op {
            Op::Reduce | Op::InclusiveScan | Op::ExclusiveScan => {
                self.reduce_or_scan(i, shape, tangle, &value, base, size)?
            }
            Op::Ddx | Op::Ddy | Op::DdxFine | Op::DdyFine | Op::DdxCoarse | Op::DdyCoarse => tangle
                .iter()
                .map(|l| self.derivative(i.op, i.srcs[0], *l, shape.bit_size))
                .collect(),
            _ => match self.vote_or_ballot(i, shape, tangle, &value, base) {
                Some(out) => out,
                None => self.shuffle(i, shape, tangle, base, size),
            },
        };
        for (l, v) in tangle.iter().zip(&out) {
            self.set(def, *l, v);
        }
        Ok(())
    }

    /// Operations on the set of active lanes; `None` if `i` is no such operation.
    fn vote_or_ballot(
        &self,
        i: &Intrinsic,
        shape: Def,
        tangle: &[usize],
        value: &[Value],
        base: usize,
    ) -> Option<Vec<Value>> {
        use IntrinsicOp as Op;
        let first = tangle[0];
        let bits = shape.bit_size;
        let boolean = |x: bool| -> Value { SmallVec::from_iter([u64::from(x)]) };
        let same = |v: Value| -> Vec<Value> { vec![v; tangle.len()] };
        let out: Vec<Value> = match i.op {
            Op::Elect => tangle.iter().map(|l| boolean(*l == first)).collect(),
            Op::FirstInvocation => same(SmallVec::from_iter([(first - base) as u64])),
            Op::Ballot => {
                let mut m = 0u128;
                for (l, v) in tangle.iter().zip(value) {
                    m |= u128::from(v[0]) << (l - base);
                }
                let per = usize::from(bits);
                same(
                    (0..usize::from(shape.num_components))
                        .map(|c| (m >> (per * c)) as u64 & fold::mask(bits))
                        .collect(),
                )
            }
            Op::VoteAny => same(boolean(value.iter().any(|v| v[0] != 0))),
            Op::VoteAll => same(boolean(value.iter().all(|v| v[0] != 0))),
            Op::VoteIeq => same(boolean(value.iter().all(|v| *v == value[0]))),
            Op::VoteFeq => {
                let bits = self.s.defs[i.srcs[0]].bit_size;
                let f = |v: &Value| -> Vec<f64> {
                    v.iter().map(|x| fold::float_value(bits, *x)).collect()
                };
                same(boolean(value.iter().all(|v| f(v) == f(&value[0]))))
            }
            Op::ReadFirstInvocation => same(value[0].clone()),
            Op::InverseBallot => tangle
                .iter()
                .zip(value)
                .map(|(l, v)| {
                    let per = usize::from(self.s.defs[i.srcs[0]].bit_size);
                    let at = l - base;
                    boolean(v.get(at / per).is_some_and(|w| w >> (at % per) & 1 == 1))
                })
                .collect(),
            _ => return None,
        };
        Some(out)
    }

    /// Reductions over clusters, and scans over the tangle.
    fn reduce_or_scan(
        &self,
        i: &Intrinsic,
        shape: Def,
        tangle: &[usize],
        value: &[Value],
        base: usize,
        size: usize,
    ) -> Result<Vec<Value>, InterpError> {
        use IntrinsicOp as Op;
        let bits = shape.bit_size;
        let Some(&op) = AluOp::ALL.get(i.index("reduction_op") as usize) else {
            return Err(InterpError::Unsupported("reduction_op".into()));
        };
        if op.info().srcs.len() != 2 || op.info().out.base == BaseType::Bool {
            return Err(InterpError::Unsupported(op.info().name.into()));
        }
        let cluster = match i.index("cluster_size") as usize {
            0 => size,
            n => n,
        };
        let mut out = Vec::new();
        for (k, l) in tangle.iter().enumerate() {
            let own_cluster = (l - base) / cluster;
            let mut sum: Value = SmallVec::from_elem(
                identity_element(op, bits),
                usize::from(shape.num_components),
            );
            for (j, other) in tangle.iter().enumerate() {
                let included = match i.op {
                    Op::Reduce => (other - base) / cluster == own_cluster,
                    Op::InclusiveScan => j <= k,
                    _ => j < k,
                };
                if included {
                    sum = self.combine(op, bits, &sum, &value[j]);
                }
            }
            out.push(sum);
        }
        Ok(out)
    }

    /// The operand's value in another lane, chosen by index.
    fn shuffle(
        &self,
        i: &Intrinsic,
        shape: Def,
        tangle: &[usize],
        base: usize,
        size: usize,
    ) -> Vec<Value> {
        use IntrinsicOp as Op;
        tangle
            .iter()
            .map(|l| {
                let me = l - base;
                let n = i.srcs.get(1).map_or(0, |d| self.get(*d, *l)[0] as usize);
                let from = match i.op {
                    Op::ReadInvocation | Op::Shuffle => n,
                    Op::ShuffleXor => me ^ n,
                    Op::ShuffleUp => me.wrapping_sub(n),
                    Op::ShuffleDown => me.wrapping_add(n),
                    Op::QuadBroadcast => (me & !3) + (n & 3),
                    Op::QuadSwapHorizontal => me ^ 1,
                    Op::QuadSwapVertical => me ^ 2,
                    _ => me ^ 3,
                };
                // The value of a nonexistent lane is undefined; the interpreter gives zero.
                if from < size && base + from < self.lanes {
                    self.get(i.srcs[0], base + from).into()
                } else {
                    SmallVec::from_elem(0, usize::from(shape.num_components))
                }
            })
            .collect()
    }
}
