//! Reductions and scans over a subgroup.
//!
//! In:  values of the active lanes. Out: LIR that ignores the execution mask; inactive lanes hold
//! the identity.

use super::context::Isel;
use super::types::slot_type;
use super::unsupported::unsupported;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{Inst, Op, Src};
use entity::Id;
use isa::{CondMod, Opcode, Type};
use nir::{AluOp, Def, Intrinsic, IntrinsicOp};

impl Isel<'_> {
    /// Selects reductions and scans. Inactive lanes hold the identity, so all lanes take part.
    /// Pairs of lanes are combined, then groups of four, eight and so on: the last lane of each
    /// lower half is combined into every lane of the upper half. The last lane of a cluster then
    /// holds its result.
    pub(super) fn select_reduce(
        &mut self,
        i: &Intrinsic,
        def: Id<Def>,
        cluster: u8,
    ) -> Result<(), FsError> {
        let src = i.srcs[0];
        // The front end splits vectors.
        if self.sh.defs[src].num_components != 1 {
            return Err(unsupported(i));
        }
        let bits = self.bits(src);
        let op = AluOp::ALL
            .get(i.index("reduction_op") as usize)
            .copied()
            .ok_or_else(|| unsupported(i))?;
        if bits == 64 {
            return self.select_reduce_int64(i, def, op, cluster);
        }
        // Narrower types are reduced in 32 bits.
        let (opcode, ty, cmod, identity) = reduction_op(op, bits).ok_or_else(|| unsupported(i))?;
        let width = self.b.width();
        let all_lanes = Exec::NoMask(width);
        let ud = Type::Ud;
        let mut acc = self.b.temp(ud, Exec::Active);
        self.b
            .mov(all_lanes, acc, Lanes::imm(ud, u64::from(identity)));
        let from = slot_type(ty, bits);
        let value = self.comp(src, 0, from);
        let value = match value.imm_bits() {
            Some(imm) if bits < 32 => self.b.imm_reg(from, imm),
            _ => value,
        };
        if from == ty {
            self.b.mov(Exec::Active, acc, value.retype(ud));
        } else {
            self.b.mov(Exec::Active, acc.retype(ty), value);
        }
        if i.op == IntrinsicOp::ExclusiveScan {
            let this_lane = self.lane_id();
            acc = self.shift_lanes_up(acc, this_lane, 1, identity);
        }
        self.combine_lanes(acc.retype(ty), opcode, cmod, cluster);
        let result = if i.op != IntrinsicOp::Reduce {
            acc
        } else if cluster == width {
            acc.offset_by(u32::from(width - 1) * 4).scalar()
        } else {
            self.broadcast_cluster_ends(acc, cluster)
        };
        let dst = self.alloc_def(def);
        if from == Type::Hf {
            self.b
                .mov(Exec::Active, dst.retype(Type::Hf), result.retype(Type::F));
        } else {
            // The upper bits of a slot are undefined, so no conversion is needed.
            self.b.mov(Exec::Active, dst.retype(ud), result);
        }
        Ok(())
    }

    /// Combines the lanes of each cluster in place: each lane gets the result of itself and all
    /// lanes of its cluster below it.
    fn combine_lanes(&mut self, acc: Lanes, opcode: Opcode, cmod: CondMod, cluster: u8) {
        let width = self.b.width();
        let mut half = 1u8;
        while half < cluster {
            let combine = |isel: &mut Self, lane: u8, stride: u8, n: u8| {
                isel.combine_upper_half(acc, (opcode, cmod), half, lane, stride, n);
            };
            match half {
                // Strided regions: every second or fourth lane, as many as two registers hold.
                1 | 2 => {
                    let stride = 2 * half;
                    for first in (0..width).step_by(16) {
                        let n = width.min(16) / stride;
                        for lane in half..2 * half {
                            combine(self, first + lane, stride, n);
                        }
                    }
                }
                _ => {
                    for first in (0..width).step_by(usize::from(2 * half)) {
                        combine(self, first + half, 1, half);
                    }
                }
            }
            half *= 2;
        }
    }

    /// Emits one step of [`Isel::combine_lanes`]: combines `n` lanes, from `lane` on and `stride`
    /// lanes apart, with the last lane of the lower half of their group of `2 * half` lanes.
    fn combine_upper_half(
        &mut self,
        acc: Lanes,
        (opcode, cmod): (Opcode, CondMod),
        half: u8,
        lane: u8,
        stride: u8,
        n: u8,
    ) {
        let group = 2 * half;
        let source = u32::from(lane / group * group + half - 1);
        // With a stride, each lane is in a group of its this_lane, and so is its source.
        let source_stride = match (stride > 1, n > 1) {
            (true, true) => stride,
            (true, false) => 1,
            (false, _) => 0,
        };
        let stride = if n > 1 { stride } else { 1 };
        let operand = |lane: u32, stride: u8| Src {
            stride,
            offset: lane * 4,
            ..acc.src(0)
        };
        let mut inst = Inst::new(Op::Eu(opcode), n);
        inst.no_mask = true;
        inst.cmod = cmod;
        inst.dst = acc.dst(0);
        inst.dst.offset = u32::from(lane) * 4;
        inst.dst.stride = stride;
        inst.src[0] = operand(source, source_stride);
        inst.src[1] = operand(u32::from(lane), stride);
        self.b.lir.insts.push(inst);
    }

    /// Broadcasts each cluster's last lane to all its lanes.
    fn broadcast_cluster_ends(&mut self, from: Lanes, cluster: u8) -> Lanes {
        let width = self.b.width();
        let to = self.b.temp(Type::Ud, Exec::Active);
        for first in (0..width).step_by(usize::from(cluster.max(16).min(width))) {
            let lanes = cluster.max(16).min(width);
            if cluster < 8 {
                for lane in 0..cluster {
                    let n = lanes / cluster;
                    self.mov_strided(to, first + lane, from, first + cluster - 1, cluster, n);
                }
            } else {
                for start in (first..first + lanes).step_by(usize::from(cluster)) {
                    let mut inst = Inst::new(Op::Eu(Opcode::Mov), cluster);
                    inst.no_mask = true;
                    inst.dst = to.dst(start);
                    inst.src[0] = from
                        .offset_by(u32::from(start + cluster - 1) * 4)
                        .scalar()
                        .src(0);
                    self.b.lir.insts.push(inst);
                }
            }
        }
        to
    }

    /// Shifts lanes up: lane `n` gets lane `n - by`, and the first `by` lanes get the identity.
    fn shift_lanes_up(&mut self, from: Lanes, this_lane: Lanes, by: u8, identity: u32) -> Lanes {
        let ud = Type::Ud;
        let all_lanes = Exec::NoMask(self.b.width());
        let lane = self.b.temp(ud, Exec::Active);
        let minus = Lanes::imm(Type::D, u64::from(u32::from(by).wrapping_neg()));
        self.b.binary(
            Opcode::Add,
            all_lanes,
            lane.retype(Type::D),
            this_lane.retype(Type::D),
            minus,
            Mods::NONE,
        );
        let other = self.b.temp(ud, Exec::Active);
        self.read_lanes(all_lanes, other, from, lane);
        let null = Lanes::null(ud, 4);
        let below = Mods::cmod(CondMod::L, 0);
        let n = Lanes::imm(ud, u64::from(by));
        self.b
            .binary(Opcode::Cmp, all_lanes, null, this_lane, n, below);
        let identity = Lanes::imm(ud, u64::from(identity));
        self.b.emit(
            Op::Eu(Opcode::Mov),
            all_lanes,
            other,
            &[identity],
            Mods::pred(0, false),
        );
        other
    }

    /// 64-bit reductions and scans. Each step combines a lane with one that is 1, 2, 4, ... lanes
    /// away: for reductions with the other half of ever larger clusters, for scans with the lanes
    /// below.
    fn select_reduce_int64(
        &mut self,
        i: &Intrinsic,
        def: Id<Def>,
        op: AluOp,
        cluster: u8,
    ) -> Result<(), FsError> {
        let identity = identity(op, 64).ok_or_else(|| unsupported(i))?;
        let all_lanes = Exec::NoMask(self.b.width());
        let (ud, uq) = (Type::Ud, Type::Uq);
        let identity = self.b.imm_reg(Type::Q, identity).retype(uq);
        let mut acc = self.b.temp(uq, Exec::Active);
        self.b.mov(all_lanes, acc, identity);
        let value = self.comp(i.srcs[0], 0, uq);
        let value = match value.imm_bits() {
            Some(imm) => self.b.imm_reg(Type::Q, imm).retype(uq),
            None => value,
        };
        self.b.mov(Exec::Active, acc, value);
        let this_lane = self.lane_id();
        let lane = self.b.temp(ud, Exec::Active);
        if i.op == IntrinsicOp::ExclusiveScan {
            acc = self.shift_lanes_up_int64(acc, this_lane, lane, 1, identity);
        }
        let mut step = 1u8;
        while step < cluster {
            let other = if i.op == IntrinsicOp::Reduce {
                let by = Lanes::imm(ud, u64::from(step));
                self.b
                    .binary(Opcode::Xor, all_lanes, lane, this_lane, by, Mods::NONE);
                let other = self.b.temp(uq, Exec::Active);
                self.read_lanes_int64(all_lanes, other, acc, lane);
                other
            } else {
                self.shift_lanes_up_int64(acc, this_lane, lane, step, identity)
            };
            acc = self
                .combine_int64(op, other, acc)
                .ok_or_else(|| unsupported(i))?;
            step *= 2;
        }
        let dst = self.alloc_def(def);
        self.b.mov(Exec::Active, dst, acc);
        Ok(())
    }

    /// Shifts 64-bit lanes up by `by`; the first `by` lanes get the identity. Overwrites `lane`.
    fn shift_lanes_up_int64(
        &mut self,
        from: Lanes,
        this_lane: Lanes,
        lane: Lanes,
        by: u8,
        identity: Lanes,
    ) -> Lanes {
        let all_lanes = Exec::NoMask(self.b.width());
        let minus = Lanes::imm(Type::D, u64::from(u32::from(by).wrapping_neg()));
        let (to, number) = (lane.retype(Type::D), this_lane.retype(Type::D));
        self.b
            .binary(Opcode::Add, all_lanes, to, number, minus, Mods::NONE);
        let other = self.b.temp(Type::Uq, Exec::Active);
        self.read_lanes_int64(all_lanes, other, from, lane);
        let below = Mods::cmod(CondMod::L, 0);
        let n = Lanes::imm(Type::Ud, u64::from(by));
        self.b.binary(
            Opcode::Cmp,
            all_lanes,
            Lanes::null(Type::Ud, 4),
            this_lane,
            n,
            below,
        );
        let mods = Mods::pred(0, false);
        self.b
            .emit(Op::Eu(Opcode::Mov), all_lanes, other, &[identity], mods);
        other
    }

    /// Combines two 64-bit values in all lanes. `None` if the operation is not supported.
    fn combine_int64(&mut self, op: AluOp, a: Lanes, b: Lanes) -> Option<Lanes> {
        let all_lanes = Exec::NoMask(self.b.width());
        let to = self.b.temp(Type::Uq, Exec::Active);
        if self.soft_int64 && self.emit_int64(all_lanes, op, to, [a, b]) {
            return Some(to);
        }
        if op == AluOp::IMul {
            // The full product of the low halves, plus the cross products in the high half.
            let (ud, d) = (Type::Ud, Type::D);
            self.b.binary(
                Opcode::Mul,
                all_lanes,
                to,
                a.retype(ud),
                b.retype(ud),
                Mods::NONE,
            );
            for (a, b) in [(a, b.offset_by(4)), (a.offset_by(4), b)] {
                let cross = self.b.temp(ud, Exec::Active);
                self.b.binary(
                    Opcode::Mul,
                    all_lanes,
                    cross.retype(d),
                    a.retype(d),
                    b.retype(d),
                    Mods::NONE,
                );
                let high = to.retype(ud).offset_by(4);
                self.b
                    .binary(Opcode::Add, all_lanes, high, high, cross, Mods::NONE);
            }
            return Some(to);
        }
        let (opcode, ty, cmod, _) = reduction_op(op, 64)?;
        let (to_ty, a, b) = (to.retype(ty), a.retype(ty), b.retype(ty));
        let mods = match cmod {
            CondMod::None => Mods::NONE,
            cmod => Mods::cmod(cmod, 0),
        };
        self.b.binary(opcode, all_lanes, to_ty, a, b, mods);
        Some(to)
    }

    /// Copies 64-bit values into a contiguous register.
    pub(super) fn contiguous_int64(&mut self, l: Lanes) -> Lanes {
        let all_lanes = Exec::NoMask(self.b.width());
        let to = self.b.temp(Type::Uq, Exec::Active);
        match l.imm_bits() {
            Some(bits) => {
                let imm = self.b.imm_reg(Type::Q, bits).retype(Type::Uq);
                self.b.mov(all_lanes, to, imm);
            }
            None if l.pitch == 0 => self.b.mov(all_lanes, to, l),
            None => self.b.mov(Exec::Active, to, l),
        }
        to
    }

    /// Emits `dst = from[lane]` for 64-bit values; `from` is a result of
    /// [`Self::contiguous_int64`].
    pub(super) fn read_lanes_int64(&mut self, exec: Exec, dst: Lanes, from: Lanes, lane: Lanes) {
        let ud = Type::Ud;
        let bytes = self.b.temp(ud, exec);
        let last = Lanes::imm(ud, u64::from(self.b.width()) - 1);
        self.b
            .binary(Opcode::And, exec, bytes, lane, last, Mods::NONE);
        let three = Lanes::imm(ud, 3);
        self.b
            .binary(Opcode::Shl, exec, bytes, bytes, three, Mods::NONE);
        for half in [0, 4] {
            let (to, part) = (
                dst.retype(ud).offset_by(half),
                from.retype(ud).offset_by(half),
            );
            self.mov_indirect(exec, to, part, bytes);
        }
    }
}

/// The identity of an operation on `bits` bits; float identities of 16 bits are given as 32.
fn identity(op: AluOp, bits: u8) -> Option<u64> {
    let all = u64::MAX >> (64 - bits.max(8));
    let float = |value: f64| match bits {
        64 => value.to_bits(),
        _ => u64::from((value as f32).to_bits()),
    };
    Some(match op {
        AluOp::IAdd | AluOp::IOr | AluOp::IXor | AluOp::UMax => 0,
        AluOp::FAdd => float(-0.0),
        AluOp::IMul => 1,
        AluOp::FMul => float(1.0),
        AluOp::IMin => all >> 1,
        AluOp::IMax => !(all >> 1),
        AluOp::UMin => all,
        AluOp::IAnd => u64::MAX,
        AluOp::FMin => float(f64::INFINITY),
        AluOp::FMax => float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// The implementation of a reduction: opcode, type, conditional modifier of SEL, identity in 32
/// bits.
fn reduction_op(op: AluOp, bits: u8) -> Option<(Opcode, Type, CondMod, u32)> {
    let none = CondMod::None;
    let (signed, unsigned, float) = match bits {
        64 => (Type::Q, Type::Uq, Type::Df),
        _ => (Type::D, Type::Ud, Type::F),
    };
    let (opcode, ty, cmod) = match op {
        AluOp::IAdd => (Opcode::Add, signed, none),
        AluOp::FAdd => (Opcode::Add, float, none),
        AluOp::IMul => (Opcode::Mul, signed, none),
        AluOp::FMul => (Opcode::Mul, float, none),
        AluOp::IMin => (Opcode::Sel, signed, CondMod::L),
        AluOp::UMin => (Opcode::Sel, unsigned, CondMod::L),
        AluOp::FMin => (Opcode::Sel, float, CondMod::L),
        AluOp::IMax => (Opcode::Sel, signed, CondMod::Ge),
        AluOp::UMax => (Opcode::Sel, unsigned, CondMod::Ge),
        AluOp::FMax => (Opcode::Sel, float, CondMod::Ge),
        AluOp::IAnd => (Opcode::And, unsigned, none),
        AluOp::IOr => (Opcode::Or, unsigned, none),
        AluOp::IXor => (Opcode::Xor, unsigned, none),
        _ => return None,
    };
    Some((
        opcode,
        ty,
        cmod,
        identity(op, bits.max(if bits == 1 { 32 } else { 8 }))? as u32,
    ))
}
