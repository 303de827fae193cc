//! Subgroup operations.
//!
//! In:  subgroup intrinsics. Out: flag reads and indirect register reads.
//!
//! The execution mask is read as a flag that the active lanes have written; other lanes' values are
//! read from their registers through the address register. Reductions and scans are in
//! [`super::reduce`].
//! Tests: tests/fs/subgroup/.

use super::cond::null_like;
use super::context::Isel;
use super::types::{raw_type, slot_type};
use super::unsupported::unsupported;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{Dst, Inst, Op, Src};
use entity::Id;
use isa::{ArfReg, CondMod, Opcode, Type};
use nir::{Def, Intrinsic, IntrinsicOp};

impl Isel<'_> {
    /// Selects subgroup intrinsics.
    pub(super) fn select_subgroup(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        use IntrinsicOp as I;
        let Some(def) = i.def else {
            return Err(unsupported(i));
        };
        match i.op {
            I::Elect => self.select_elect(def),
            I::FirstInvocation => self.select_first_invocation(def),
            I::Ballot => self.select_ballot(i, def),
            I::InverseBallot => self.select_inverse_ballot(i, def),
            I::VoteAny | I::VoteAll => self.select_vote(i, def),
            I::VoteIeq | I::VoteFeq => self.select_vote_equal(i, def),
            I::ReadFirstInvocation => self.select_read_first_invocation(i, def),
            I::ReadInvocation => self.select_read_invocation(i, def),
            I::Shuffle => {
                let lane = self.comp(i.srcs[1], 0, Type::Ud);
                self.select_read_lane(i, def, lane);
            }
            I::ShuffleXor | I::ShuffleUp | I::ShuffleDown => {
                match self.sh.const_component(i.srcs[1], 0) {
                    Some(distance) => self.select_shuffle_by_constant(i, def, distance as u32),
                    None => self.select_shuffle_by_distance(i, def),
                }
            }
            I::QuadBroadcast => self.select_quad_broadcast(i, def),
            I::QuadSwapHorizontal => self.select_quad(i, def, [1, 0, 3, 2]),
            I::QuadSwapVertical => self.select_quad(i, def, [2, 3, 0, 1]),
            I::QuadSwapDiagonal => self.select_quad(i, def, [3, 2, 1, 0]),
            I::LoadSubgroupMask => self.select_subgroup_mask(i, def),
            I::Reduce | I::InclusiveScan | I::ExclusiveScan => {
                let width = u32::from(self.b.width());
                let cluster = match i.index("cluster_size") {
                    0 => width,
                    size => size.min(width),
                };
                self.select_reduce(i, def, cluster as u8)?;
            }
            _ => return Err(unsupported(i)),
        }
        Ok(())
    }

    fn select_elect(&mut self, def: Id<Def>) {
        let first = self.first_active();
        let lane = self.lane_id();
        let dst = self.alloc_def(def);
        let mods = Mods::cmod(CondMod::Z, 0);
        self.b
            .binary(Opcode::Cmp, Exec::Active, dst, lane, first, mods);
    }

    fn select_first_invocation(&mut self, def: Id<Def>) {
        let first = self.first_active();
        let exec = self.exec_for(def);
        let dst = self.alloc_def(def);
        self.b.mov(exec, dst, first);
    }

    fn select_ballot(&mut self, i: &Intrinsic, def: Id<Def>) {
        let mask = self.comp(i.srcs[0], 0, Type::D);
        let bits = self.ballot(mask, CondMod::Nz);
        let zero = Lanes::imm(Type::Ud, 0);
        let components = self.sh.defs[def].num_components;
        let value = |c: u8| if c == 0 { bits } else { zero };
        if !self.is_divergent(def) {
            for c in 0..components {
                self.set_lanes(def, c, value(c));
            }
            return;
        }
        self.alloc_def(def);
        for c in 0..components {
            let dst = self.comp(def, c, Type::Ud);
            self.b.mov(Exec::Active, dst, value(c));
        }
    }

    fn select_inverse_ballot(&mut self, i: &Intrinsic, def: Id<Def>) {
        let active = Exec::Active;
        let lane = self.lane_id();
        let bits = self.comp(i.srcs[0], 0, Type::Ud);
        let shifted = self.b.temp(Type::Ud, active);
        self.b
            .binary(Opcode::Shr, active, shifted, bits, lane, Mods::NONE);
        let bit = self.b.temp(Type::Ud, active);
        let one = Lanes::imm(Type::Ud, 1);
        self.b
            .binary(Opcode::And, active, bit, shifted, one, Mods::NONE);
        let dst = self.alloc_def(def).retype(Type::D);
        self.b.mov(active, dst, bit.retype(Type::D).negated());
    }

    fn select_vote(&mut self, i: &Intrinsic, def: Id<Def>) {
        let mask = self.comp(i.srcs[0], 0, Type::D);
        // All lanes are true if no lane is false.
        let cmod = match i.op {
            IntrinsicOp::VoteAny => CondMod::Nz,
            _ => CondMod::Z,
        };
        let bits = self.ballot(mask, cmod);
        self.compare_bits(def, bits, cmod);
    }

    fn select_read_first_invocation(&mut self, i: &Intrinsic, def: Id<Def>) {
        let components = self.sh.defs[def].num_components;
        if !self.is_divergent(i.srcs[0]) {
            for c in 0..components {
                self.alias_comp(def, c, i.srcs[0], c);
            }
            return;
        }
        if self.is_divergent(def) {
            let first = self.emit_first_active();
            self.select_read_lane(i, def, first);
            return;
        }
        if self.all_lanes_active() {
            for c in 0..components {
                let value = self.comp(i.srcs[0], c, Type::Ud);
                let value = self.contiguous(value);
                let to = self.b.temp(Type::Ud, Exec::Scalar);
                self.b.mov(Exec::Scalar, to, value.scalar());
                self.set_lanes(def, c, to);
            }
            return;
        }
        let lane = self.first_active();
        let bytes = self.b.temp(Type::Ud, Exec::Scalar);
        let two = Lanes::imm(Type::Ud, 2);
        self.b
            .binary(Opcode::Shl, Exec::Scalar, bytes, lane, two, Mods::NONE);
        for c in 0..components {
            let value = self.comp(i.srcs[0], c, Type::Ud);
            let value = self.contiguous(value);
            let to = self.b.temp(Type::Ud, Exec::Scalar);
            self.mov_indirect(Exec::Scalar, to, value, bytes);
            self.set_lanes(def, c, to);
        }
    }

    fn select_read_invocation(&mut self, i: &Intrinsic, def: Id<Def>) {
        let constant = self.sh.const_component(i.srcs[1], 0);
        let Some(lane) = constant.filter(|_| self.bits(i.srcs[0]) <= 32) else {
            let lane = self.comp(i.srcs[1], 0, Type::Ud);
            self.select_read_lane(i, def, lane);
            return;
        };
        let lane = lane as u32 & u32::from(self.b.width() - 1);
        self.alloc_def(def);
        for c in 0..self.sh.defs[def].num_components {
            let value = self.comp(i.srcs[0], c, Type::Ud);
            let value = self.contiguous_in_all_lanes(value);
            let dst = self.comp(def, c, Type::Ud);
            self.b
                .mov(Exec::Active, dst, value.offset_by(lane * 4).scalar());
        }
    }

    /// Selects a shuffle by a constant distance. Computes in bytes, so that all such shuffles share
    /// the byte offset of the own lane.
    fn select_shuffle_by_constant(&mut self, i: &Intrinsic, def: Id<Def>, distance: u32) {
        use IntrinsicOp as I;
        let active = Exec::Active;
        let width = self.b.width();
        let distance = distance & u32::from(width - 1);
        let lane = self.lane_id();
        let lane_bytes = self.shift_left(lane, 2);
        let (op, distance) = match i.op {
            I::ShuffleXor => (Opcode::Xor, distance * 4),
            I::ShuffleDown => (Opcode::Add, distance * 4),
            _ => (Opcode::Add, (distance * 4).wrapping_neg()),
        };
        let mut bytes = self.b.temp(Type::Ud, active);
        let distance = Lanes::imm(Type::Ud, distance.into());
        self.b
            .binary(op, active, bytes, lane_bytes, distance, Mods::NONE);
        if op == Opcode::Add {
            let wrapped = self.b.temp(Type::Ud, active);
            let last = Lanes::imm(Type::Ud, u64::from(width) * 4 - 1);
            self.b
                .binary(Opcode::And, active, wrapped, bytes, last, Mods::NONE);
            bytes = wrapped;
        }
        self.select_read_lane_at(i, def, bytes);
    }

    /// Selects a shuffle by a dynamic distance.
    fn select_shuffle_by_distance(&mut self, i: &Intrinsic, def: Id<Def>) {
        use IntrinsicOp as I;
        let active = Exec::Active;
        let this_lane = self.lane_id();
        let distance = self.comp(i.srcs[1], 0, Type::Ud);
        let lane = self.b.temp(Type::Ud, active);
        match i.op {
            I::ShuffleXor => {
                self.b
                    .binary(Opcode::Xor, active, lane, this_lane, distance, Mods::NONE)
            }
            I::ShuffleDown => {
                self.b
                    .binary(Opcode::Add, active, lane, this_lane, distance, Mods::NONE)
            }
            _ => {
                let distance = distance.retype(Type::D).negated();
                let this_lane = this_lane.retype(Type::D);
                let to = lane.retype(Type::D);
                self.b
                    .binary(Opcode::Add, active, to, this_lane, distance, Mods::NONE);
            }
        }
        self.select_read_lane(i, def, lane);
    }

    fn select_quad_broadcast(&mut self, i: &Intrinsic, def: Id<Def>) {
        if let Some(index) = self.constant_quad_index(i) {
            self.select_quad(i, def, [index; 4]);
            return;
        }
        let active = Exec::Active;
        let this_lane = self.lane_id();
        let index = self.comp(i.srcs[1], 0, Type::Ud);
        let first = self.b.temp(Type::Ud, active);
        let quad_mask = Lanes::imm(Type::Ud, 0xffff_fffc);
        self.b
            .binary(Opcode::And, active, first, this_lane, quad_mask, Mods::NONE);
        let lane = self.b.temp(Type::Ud, active);
        self.b
            .binary(Opcode::Add, active, lane, first, index, Mods::NONE);
        self.select_read_lane(i, def, lane);
    }

    /// The index of a quad broadcast that a strided copy can implement: a constant one, of values
    /// of at most 32 bits.
    fn constant_quad_index(&self, i: &Intrinsic) -> Option<u8> {
        if self.bits(i.srcs[0]) > 32 {
            return None;
        }
        let index = self.sh.const_component(i.srcs[1], 0)?;
        Some((index & 3) as u8)
    }

    /// True if every lane is known to be active: outside all control flow, in a compute shader
    /// whose workgroup fills its threads and in which no invocation returns early.
    fn all_lanes_active(&self) -> bool {
        let sh = self.sh;
        let size: u32 = sh.info.workgroup_size.iter().product();
        let last = sh.last_block(nir::ListRef::Body);
        let early = |b: &&Id<nir::Block>| Some(**b) != last;
        let returns = |b: &Id<nir::Block>| sh.jump_of(*b) == Some(nir::Jump::Return);
        sh.stage == nir::Stage::Compute
            && size > 0
            && size.is_multiple_of(self.b.width().into())
            && self.shared.is_outermost()
            && !sh.block_order().iter().filter(early).any(returns)
    }

    /// The number of the first active lane; reuses the register until the next control flow
    /// instruction.
    fn first_active(&mut self) -> Lanes {
        let here = self.b.control_flow_count();
        if let Some((valid_at, first)) = self.shared.first_active
            && valid_at == here
        {
            return first;
        }
        let first = self.emit_first_active();
        self.shared.first_active = Some((here, first));
        first
    }

    /// Computes the number of the first active lane. ce0 does not account for the lanes with which
    /// the thread was dispatched: in compute shaders these are the first ones, in other stages any.
    pub(super) fn emit_first_active(&mut self) -> Lanes {
        /// Dwords of sr0: the dispatch mask, and the mask of all lanes of subspans with a
        /// dispatched lane.
        const DISPATCH_MASK: u32 = 2;
        const VECTOR_MASK: u32 = 3;
        let lane = self.b.temp(Type::Ud, Exec::Scalar);
        let mut mask = Lanes::arf(ArfReg::ChannelEnable, 0, Type::Ud);
        let dispatched = match self.sh.stage {
            nir::Stage::Compute => None,
            nir::Stage::Fragment => Some(VECTOR_MASK),
            _ => Some(DISPATCH_MASK),
        };
        if let Some(dword) = dispatched {
            let both = self.b.temp(Type::Ud, Exec::Scalar);
            let dispatched = Lanes::arf(ArfReg::State, 0, Type::Ud).offset_by(4 * dword);
            self.b.mov(Exec::Scalar, both, dispatched);
            let and = Op::Eu(Opcode::And);
            self.b
                .emit(and, Exec::Scalar, both, &[mask, both], Mods::NONE);
            mask = both;
        }
        self.b
            .emit(Op::Eu(Opcode::Fbl), Exec::Scalar, lane, &[mask], Mods::NONE);
        lane
    }

    /// Clears f0.
    fn clear_flag(&mut self) {
        let mut inst = Inst::new(Op::Eu(Opcode::Mov), 1);
        inst.no_mask = true;
        inst.dst = Dst::arf(ArfReg::Flag, 0, 0, Type::Ud);
        inst.src[0] = Src::ud(0);
        self.b.lir.insts.push(inst);
    }

    /// Copies f0 into a scalar.
    fn read_flag(&mut self) -> Lanes {
        let bits = self.b.temp(Type::Ud, Exec::Scalar);
        self.b
            .mov(Exec::Scalar, bits, Lanes::arf(ArfReg::Flag, 0, Type::Ud));
        bits
    }

    /// A scalar with one bit for each active lane in which `cmod` holds for `mask`.
    fn ballot(&mut self, mask: Lanes, cmod: CondMod) -> Lanes {
        self.clear_flag();
        let null = null_like(mask);
        let mods = Mods::cmod(cmod, 0);
        self.b
            .emit(Op::Eu(Opcode::Mov), Exec::Active, null, &[mask], mods);
        self.read_flag()
    }

    /// Selects a boolean def that compares a scalar with zero.
    fn compare_bits(&mut self, def: Id<Def>, bits: Lanes, cmod: CondMod) {
        let exec = self.exec_for(def);
        let dst = self.alloc_def(def);
        let zero = Lanes::imm(Type::Ud, 0);
        self.b
            .binary(Opcode::Cmp, exec, dst, bits, zero, Mods::cmod(cmod, 0));
    }

    /// Selects `vote_ieq` and `vote_feq`: compares all lanes with the first active one.
    fn select_vote_equal(&mut self, i: &Intrinsic, def: Id<Def>) {
        let src = i.srcs[0];
        let d = self.sh.defs[src];
        let float = i.op == IntrinsicOp::VoteFeq;
        let all_active = self.all_lanes_active() && d.bit_size <= 32;
        let first = match all_active {
            true => Lanes::imm(Type::Ud, 0),
            false => self.emit_first_active(),
        };
        let mut differing: Option<Lanes> = None;
        for c in 0..d.num_components {
            let (value, reference, ty) = if d.bit_size == 64 {
                let value = self.comp(src, c, Type::Uq);
                let value = self.contiguous_int64(value);
                let reference = self.b.temp(Type::Uq, Exec::Scalar);
                self.read_lanes_int64(Exec::Scalar, reference, value, first);
                (value, reference, if float { Type::Df } else { Type::Uq })
            } else {
                // Narrower types are compared in 32 bits.
                let ty = if float { Type::F } else { Type::Ud };
                let from = slot_type(ty, d.bit_size);
                let value = self.comp(src, c, from);
                let value = if from == ty {
                    self.contiguous_in_all_lanes(value.retype(Type::Ud))
                } else {
                    let value = match value.imm_bits() {
                        Some(bits) => self.b.imm_reg(from, bits),
                        None => value,
                    };
                    let wide = self.b.temp(Type::Ud, Exec::Active);
                    self.b.mov(Exec::Active, wide.retype(ty), value);
                    wide
                };
                let reference = self.b.temp(Type::Ud, Exec::Scalar);
                match all_active {
                    true => self.b.mov(Exec::Scalar, reference, value.scalar()),
                    false => self.read_lanes(Exec::Scalar, reference, value, first),
                }
                (value, reference, ty)
            };
            self.clear_flag();
            let null = Lanes::null(ty, if d.bit_size == 64 { 8 } else { 4 });
            let mods = Mods::cmod(CondMod::Nz, 0);
            if ty == Type::Uq && self.soft_int64 {
                self.compare_ne_int64(Exec::Active, value, reference);
            } else {
                self.b.binary(
                    Opcode::Cmp,
                    Exec::Active,
                    null,
                    value.retype(ty),
                    reference.retype(ty),
                    mods,
                );
            }
            let bits = self.read_flag();
            differing = Some(match differing {
                None => bits,
                Some(previous) => {
                    let combined = self.b.temp(Type::Ud, Exec::Scalar);
                    self.b.binary(
                        Opcode::Or,
                        Exec::Scalar,
                        combined,
                        previous,
                        bits,
                        Mods::NONE,
                    );
                    combined
                }
            });
        }
        if let Some(bits) = differing {
            self.compare_bits(def, bits, CondMod::Z);
        }
    }

    /// The same values in a contiguous register that is valid in all lanes.
    fn contiguous_in_all_lanes(&mut self, l: Lanes) -> Lanes {
        if l.is_imm() || l.pitch == 0 {
            // Other lanes may read it, so it is written to inactive lanes too.
            let width = self.b.width();
            let to = self.b.temp(Type::Ud, Exec::Active);
            self.b.mov(Exec::NoMask(width), to, l);
            return to;
        }
        self.contiguous(l)
    }

    /// Emits `dst = from[lane]` for 32-bit values.
    pub(super) fn read_lanes(&mut self, exec: Exec, dst: Lanes, from: Lanes, lane: Lanes) {
        let bytes = self.lane_byte_offset(exec, lane);
        self.mov_indirect(exec, dst, from, bytes);
    }

    /// The byte offset of a lane in a register; lane numbers wrap around at the width.
    fn lane_byte_offset(&mut self, exec: Exec, lane: Lanes) -> Lanes {
        let wrapped = self.b.temp(Type::Ud, exec);
        let last = Lanes::imm(Type::Ud, u64::from(self.b.width()) - 1);
        self.b
            .binary(Opcode::And, exec, wrapped, lane, last, Mods::NONE);
        let bytes = self.b.temp(Type::Ud, exec);
        let two = Lanes::imm(Type::Ud, 2);
        self.b
            .binary(Opcode::Shl, exec, bytes, wrapped, two, Mods::NONE);
        bytes
    }

    /// Selects a def whose lanes are source 0 of lane `lane`.
    fn select_read_lane(&mut self, i: &Intrinsic, def: Id<Def>, lane: Lanes) {
        let lane = if lane.is_imm() {
            let to = self.b.temp(Type::Ud, Exec::Active);
            self.b.mov(Exec::Active, to, lane);
            to
        } else {
            lane
        };
        let bytes = self.lane_byte_offset(Exec::Active, lane);
        self.select_read_lane_at(i, def, bytes);
    }

    /// Like [`Isel::select_read_lane`], with the byte offset of the lane.
    fn select_read_lane_at(&mut self, i: &Intrinsic, def: Id<Def>, bytes: Lanes) {
        let src = i.srcs[0];
        let d = self.sh.defs[src];
        self.alloc_def(def);
        for c in 0..d.num_components {
            let halves: &[u32] = if d.bit_size == 64 { &[0, 4] } else { &[0] };
            for &at in halves {
                let value = self.comp(src, c, Type::Ud);
                let value = if d.bit_size == 64 && value.is_imm() {
                    Lanes::imm(
                        Type::Ud,
                        value.imm_bits().unwrap_or(0) >> (8 * at) & 0xffff_ffff,
                    )
                } else {
                    value.offset_by(at)
                };
                let value = self.contiguous_in_all_lanes(value);
                let ty = if d.bit_size < 32 {
                    raw_type(d.bit_size)
                } else {
                    Type::Ud
                };
                let dst = self.comp(def, c, ty).offset_by(at);
                self.mov_indirect(Exec::Active, dst, value, bytes);
            }
        }
    }

    /// Selects `load_subgroup_mask`: the bits of the lanes in a relation to the own lane.
    fn select_subgroup_mask(&mut self, i: &Intrinsic, def: Id<Def>) {
        let active = Exec::Active;
        let this_lane = self.lane_id();
        let ud = Type::Ud;
        let width = self.b.width();
        let lane_bit = self.b.temp(ud, active);
        let one = self.b.imm_reg(ud, 1);
        self.b
            .binary(Opcode::Shl, active, lane_bit, one, this_lane, Mods::NONE);
        // eq: 1 << n; ge: -(1 << n); gt: ge << 1; le: ~gt; lt: ~ge; all restricted to the subgroup.
        let v = self.b.temp(ud, active);
        let d = |l: Lanes| l.retype(Type::D);
        match i.index("relation") {
            0 => self.b.mov(active, v, lane_bit),
            1 | 4 => self.b.mov(active, d(v), d(lane_bit).negated()),
            _ => {
                let ge = self.b.temp(ud, active);
                self.b.mov(active, d(ge), d(lane_bit).negated());
                let by_one = Lanes::imm(ud, 1);
                self.b
                    .binary(Opcode::Shl, active, v, ge, by_one, Mods::NONE);
            }
        }
        if matches!(i.index("relation"), 3 | 4) {
            self.b
                .emit(Op::Eu(Opcode::Not), active, v, &[v], Mods::NONE);
        }
        self.alloc_def(def);
        for c in 0..self.sh.defs[def].num_components {
            let dst = self.comp(def, c, ud);
            if c == 0 {
                let all = Lanes::imm(ud, (1u64 << width) - 1);
                self.b.binary(Opcode::And, active, dst, v, all, Mods::NONE);
            } else {
                self.b.mov(active, dst, Lanes::imm(ud, 0));
            }
        }
    }

    /// Copies `n` lanes with a stride of `step` lanes, ignoring the execution mask.
    pub(super) fn mov_strided(
        &mut self,
        to: Lanes,
        lane: u8,
        from: Lanes,
        source: u8,
        step: u8,
        n: u8,
    ) {
        let mut inst = Inst::new(Op::Eu(Opcode::Mov), n);
        inst.no_mask = true;
        inst.dst = to.dst(lane);
        inst.dst.stride = step;
        inst.src[0] = from.src(source);
        inst.src[0].stride = step;
        self.b.lir.insts.push(inst);
    }

    /// Selects a def whose lane `n` is lane `pattern[n % 4]` of its quad. 64-bit patterns must be
    /// swaps: lane `n ^ pattern[0]`.
    fn select_quad(&mut self, i: &Intrinsic, def: Id<Def>, pattern: [u8; 4]) {
        let src = i.srcs[0];
        let d = self.sh.defs[src];
        if d.bit_size == 64 {
            // Each half is a dword of the lane, but four of them are too far apart for one region,
            // so this is a shuffle.
            let this_lane = self.lane_id();
            let lane = self.b.temp(Type::Ud, Exec::Active);
            let by = Lanes::imm(Type::Ud, u64::from(pattern[0]));
            self.b
                .binary(Opcode::Xor, Exec::Active, lane, this_lane, by, Mods::NONE);
            self.select_read_lane(i, def, lane);
            return;
        }
        let width = self.b.width();
        for c in 0..d.num_components {
            let value = self.comp(src, c, Type::Ud);
            let value = self.contiguous_in_all_lanes(value);
            let to = self.b.temp(Type::Ud, Exec::Active);
            for first in (0..width).step_by(16) {
                let n = width.min(16);
                if pattern == [1, 0, 3, 2] {
                    self.mov_strided(to, first, value, first + 1, 2, n / 2);
                    self.mov_strided(to, first + 1, value, first, 2, n / 2);
                    continue;
                }
                for (lane, &source) in pattern.iter().enumerate() {
                    self.mov_strided(to, first + lane as u8, value, first + source, 4, n / 4);
                }
            }
            self.set_lanes(def, c, to);
        }
    }
}
