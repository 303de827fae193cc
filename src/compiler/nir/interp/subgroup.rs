//! Subgroup operations of the interpreter: what is active of one subgroup acts together.

use super::{InterpError, Run};
use crate::fold;
use crate::intrinsic::IntrinsicOp;
use crate::ir::*;
use crate::op::{AluOp, Base};
use entity::Id;
use smallvec::SmallVec;

type Value = SmallVec<[u64; 4]>;

/// The value that changes nothing when `op` combines it with another.
fn identity(op: AluOp, bits: u8) -> u64 {
    let one = |x: f64| fold::round_float(bits, x.into(), false);
    let most = fold::mask(bits) >> 1;
    match op {
        AluOp::FAdd => one(-0.0),
        AluOp::FMul => one(1.0),
        AluOp::FMin => one(f64::INFINITY),
        AluOp::FMax => one(f64::NEG_INFINITY),
        AluOp::IMul => 1,
        AluOp::IMin => most,
        AluOp::IMax => most + 1,
        AluOp::UMin | AluOp::IAnd => fold::mask(bits),
        _ => 0,
    }
}

impl Run<'_> {
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

    /// True if `i` was a subgroup operation and is done.
    pub(super) fn subgroup_intrinsic(
        &mut self,
        i: &Intrinsic,
        lanes: &[usize],
    ) -> Result<bool, InterpError> {
        let effects = i.op.info().effects;
        if i.op == IntrinsicOp::Barrier || !effects.any(crate::Effects::CROSS_THREAD) {
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
            self.tangle(i, def, tangle, group * size, size)?;
        }
        Ok(true)
    }

    /// Difference within the quad of a lane, where `op` takes it. Workgroups without quads have none.
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

    fn tangle(
        &mut self,
        i: &Intrinsic,
        def: Id<Def>,
        tangle: &[usize],
        base: usize,
        size: usize,
    ) -> Result<(), InterpError> {
        use IntrinsicOp as Op;
        let first = tangle[0];
        let value: Vec<Value> = match i.srcs.first() {
            Some(&d) => tangle.iter().map(|l| self.get(d, *l).into()).collect(),
            None => Vec::new(),
        };
        let shape = self.s.defs[def];
        let bits = shape.bit_size;
        let yes = |x: bool| -> Value { SmallVec::from_iter([u64::from(x)]) };
        let same = |v: Value| -> Vec<Value> { vec![v; tangle.len()] };
        let out: Vec<Value> = match i.op {
            Op::Elect => tangle.iter().map(|l| yes(*l == first)).collect(),
            Op::FirstInvocation => same(SmallVec::from_iter([(first - base) as u64])),
            Op::Ballot => {
                let mut m = 0u128;
                for (l, v) in tangle.iter().zip(&value) {
                    m |= u128::from(v[0]) << (l - base);
                }
                let per = usize::from(bits);
                same(
                    (0..usize::from(shape.num_components))
                        .map(|c| (m >> (per * c)) as u64 & fold::mask(bits))
                        .collect(),
                )
            }
            Op::VoteAny => same(yes(value.iter().any(|v| v[0] != 0))),
            Op::VoteAll => same(yes(value.iter().all(|v| v[0] != 0))),
            Op::VoteIeq => same(yes(value.iter().all(|v| *v == value[0]))),
            Op::VoteFeq => {
                let bits = self.s.defs[i.srcs[0]].bit_size;
                let f = |v: &Value| -> Vec<f64> {
                    v.iter().map(|x| fold::float_value(bits, *x)).collect()
                };
                same(yes(value.iter().all(|v| f(v) == f(&value[0]))))
            }
            Op::ReadFirstInvocation => same(value[0].clone()),
            Op::InverseBallot => tangle
                .iter()
                .zip(&value)
                .map(|(l, v)| {
                    let per = usize::from(self.s.defs[i.srcs[0]].bit_size);
                    let at = l - base;
                    yes(v.get(at / per).is_some_and(|w| w >> (at % per) & 1 == 1))
                })
                .collect(),
            Op::Reduce | Op::InclusiveScan | Op::ExclusiveScan => {
                let Some(&op) = AluOp::ALL.get(i.index("reduction_op") as usize) else {
                    return Err(InterpError::Unsupported("reduction_op".into()));
                };
                if op.info().srcs.len() != 2 || op.info().out.base == Base::Bool {
                    return Err(InterpError::Unsupported(op.info().name.into()));
                }
                let cluster = match i.index("cluster_size") as usize {
                    0 => size,
                    n => n,
                };
                let mut out = Vec::new();
                for (k, l) in tangle.iter().enumerate() {
                    let mine = (l - base) / cluster;
                    let mut sum: Value =
                        SmallVec::from_elem(identity(op, bits), usize::from(shape.num_components));
                    for (j, other) in tangle.iter().enumerate() {
                        let take = match i.op {
                            Op::Reduce => (other - base) / cluster == mine,
                            Op::InclusiveScan => j <= k,
                            _ => j < k,
                        };
                        if take {
                            sum = self.combine(op, bits, &sum, &value[j]);
                        }
                    }
                    out.push(sum);
                }
                out
            }
            Op::Ddx | Op::Ddy | Op::DdxFine | Op::DdyFine | Op::DdxCoarse | Op::DdyCoarse => tangle
                .iter()
                .map(|l| self.derivative(i.op, i.srcs[0], *l, bits))
                .collect(),
            _ => tangle
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
                    // From a lane that is not there, anything may come: zero.
                    if from < size && base + from < self.lanes {
                        self.get(i.srcs[0], base + from).into()
                    } else {
                        SmallVec::from_elem(0, usize::from(shape.num_components))
                    }
                })
                .collect(),
        };
        for (l, v) in tangle.iter().zip(&out) {
            self.set(def, *l, v);
        }
        Ok(())
    }
}
