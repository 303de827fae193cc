//! Subgroup operations.
//!
//! What reads the execution mask reads it as a flag that active lanes have written; what reads other lanes reads
//! their registers through the address register.

use super::Isel;
use crate::builder::{Exec, Lanes, Mods};
use crate::error::FsError;
use crate::lir::{Dst, Inst, Op, Src};
use entity::Id;
use isa::{ArfReg, CondMod, Opcode, Type};
use nir::{AluOp, Def, Intrinsic, IntrinsicOp};

impl Isel<'_> {
    pub(super) fn subgroup(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        use IntrinsicOp as I;
        let Some(def) = i.def else {
            return Err(unsupported(i));
        };
        let active = Exec::Active;
        let width = self.b.width();
        match i.op {
            I::Elect => {
                let first = self.first_lane();
                let lane = self.lane_index();
                let dst = self.new_def(def);
                let mods = Mods::cmod(CondMod::Z, 0);
                self.b.binary(Opcode::Cmp, active, dst, lane, first, mods);
            }
            I::FirstInvocation => {
                let first = self.first_lane();
                let dst = self.new_def(def);
                self.b.mov(active, dst, first);
            }
            I::Ballot => {
                let mask = self.comp(i.srcs[0], 0, Type::D);
                let bits = self.ballot(mask, CondMod::Nz);
                self.new_def(def);
                for c in 0..self.sh.defs[def].num_components {
                    let dst = self.comp(def, c, Type::Ud);
                    let v = if c == 0 {
                        bits
                    } else {
                        Lanes::imm(Type::Ud, 0)
                    };
                    self.b.mov(active, dst, v);
                }
            }
            I::VoteAny | I::VoteAll => {
                let mask = self.comp(i.srcs[0], 0, Type::D);
                let (of, is) = if i.op == I::VoteAny {
                    (CondMod::Nz, CondMod::Nz)
                } else {
                    (CondMod::Z, CondMod::Z)
                };
                let bits = self.ballot(mask, of);
                self.bits_to_mask(def, bits, is);
            }
            I::VoteIeq | I::VoteFeq => self.vote_equal(i, def),
            I::ReadFirstInvocation => {
                let first = self.first_lane();
                self.read_lane(i, def, first);
            }
            I::ReadInvocation | I::Shuffle => {
                let lane = self.comp(i.srcs[1], 0, Type::Ud);
                self.read_lane(i, def, lane);
            }
            I::ShuffleXor | I::ShuffleUp | I::ShuffleDown => {
                let own = self.lane_index();
                let by = self.comp(i.srcs[1], 0, Type::Ud);
                let lane = self.b.temp(Type::Ud, active);
                match i.op {
                    I::ShuffleXor => self
                        .b
                        .binary(Opcode::Xor, active, lane, own, by, Mods::NONE),
                    I::ShuffleDown => self
                        .b
                        .binary(Opcode::Add, active, lane, own, by, Mods::NONE),
                    _ => {
                        let by = by.retype(Type::D).negated();
                        let own = own.retype(Type::D);
                        let to = lane.retype(Type::D);
                        self.b.binary(Opcode::Add, active, to, own, by, Mods::NONE);
                    }
                }
                self.read_lane(i, def, lane);
            }
            I::QuadBroadcast => {
                let own = self.lane_index();
                let index = self.comp(i.srcs[1], 0, Type::Ud);
                let first = self.b.temp(Type::Ud, active);
                let quad = Lanes::imm(Type::Ud, 0xffff_fffc);
                self.b
                    .binary(Opcode::And, active, first, own, quad, Mods::NONE);
                let lane = self.b.temp(Type::Ud, active);
                self.b
                    .binary(Opcode::Add, active, lane, first, index, Mods::NONE);
                self.read_lane(i, def, lane);
            }
            I::QuadSwapHorizontal | I::QuadSwapVertical | I::QuadSwapDiagonal => {
                let by = match i.op {
                    I::QuadSwapHorizontal => 1,
                    I::QuadSwapVertical => 2,
                    _ => 3,
                };
                let own = self.lane_index();
                let lane = self.b.temp(Type::Ud, active);
                let by = Lanes::imm(Type::Ud, by);
                self.b
                    .binary(Opcode::Xor, active, lane, own, by, Mods::NONE);
                self.read_lane(i, def, lane);
            }
            I::InverseBallot => {
                let own = self.lane_index();
                let bits = self.comp(i.srcs[0], 0, Type::Ud);
                let shifted = self.b.temp(Type::Ud, active);
                self.b
                    .binary(Opcode::Shr, active, shifted, bits, own, Mods::NONE);
                let bit = self.b.temp(Type::Ud, active);
                let one = Lanes::imm(Type::Ud, 1);
                self.b
                    .binary(Opcode::And, active, bit, shifted, one, Mods::NONE);
                let dst = self.new_def(def).retype(Type::D);
                self.b.mov(active, dst, bit.retype(Type::D).negated());
            }
            I::LoadSubgroupMask => self.lane_mask(i, def),
            I::Reduce | I::InclusiveScan | I::ExclusiveScan => {
                let cluster = match i.index("cluster_size") {
                    0 => u32::from(width),
                    n => n.min(u32::from(width)),
                };
                self.reduce(i, def, cluster as u8)?;
            }
            _ => return Err(unsupported(i)),
        }
        Ok(())
    }

    /// Number of the first active lane.
    fn first_lane(&mut self) -> Lanes {
        let lane = self.b.temp(Type::Ud, Exec::Scalar);
        let mask = Lanes::arf(ArfReg::ChannelEnable, 0, Type::Ud);
        self.b
            .emit(Op::Eu(Opcode::Fbl), Exec::Scalar, lane, &[mask], Mods::NONE);
        lane
    }

    fn clear_flag(&mut self) {
        let mut inst = Inst::new(Op::Eu(Opcode::Mov), 1);
        inst.no_mask = true;
        inst.dst = Dst::arf(ArfReg::Flag, 0, 0, Type::Ud);
        inst.src[0] = Src::ud(0);
        self.b.lir.insts.push(inst);
    }

    fn read_flag(&mut self) -> Lanes {
        let bits = self.b.temp(Type::Ud, Exec::Scalar);
        self.b
            .mov(Exec::Scalar, bits, Lanes::arf(ArfReg::Flag, 0, Type::Ud));
        bits
    }

    /// One bit for each active lane for which the condition holds of `mask`.
    fn ballot(&mut self, mask: Lanes, cmod: CondMod) -> Lanes {
        self.clear_flag();
        let null = Lanes::null(Type::D, 4);
        let mods = Mods::cmod(cmod, 0);
        self.b
            .emit(Op::Eu(Opcode::Mov), Exec::Active, null, &[mask], mods);
        self.read_flag()
    }

    fn bits_to_mask(&mut self, def: Id<Def>, bits: Lanes, is: CondMod) {
        let dst = self.new_def(def);
        let zero = Lanes::imm(Type::Ud, 0);
        self.b.binary(
            Opcode::Cmp,
            Exec::Active,
            dst,
            bits,
            zero,
            Mods::cmod(is, 0),
        );
    }

    fn vote_equal(&mut self, i: &Intrinsic, def: Id<Def>) {
        let src = i.srcs[0];
        let d = self.sh.defs[src];
        let float = i.op == IntrinsicOp::VoteFeq;
        let first = self.first_lane();
        let mut all: Option<Lanes> = None;
        for c in 0..d.num_components {
            let value = self.comp(src, c, Type::Ud);
            let ty = match (float, d.bit_size) {
                (true, 16) => Type::Hf,
                (true, _) => Type::F,
                (false, 16) => Type::Uw,
                (false, 8) => Type::Ub,
                _ => Type::Ud,
            };
            let value = self.as_register(value);
            let one = self.b.temp(Type::Ud, Exec::Scalar);
            self.element(Exec::Scalar, one, value, first);
            self.clear_flag();
            let null = Lanes::null(ty, 4);
            let mods = Mods::cmod(CondMod::Nz, 0);
            self.b.binary(
                Opcode::Cmp,
                Exec::Active,
                null,
                value.retype(ty),
                one.retype(ty),
                mods,
            );
            let bits = self.read_flag();
            all = Some(match all {
                None => bits,
                Some(before) => {
                    let sum = self.b.temp(Type::Ud, Exec::Scalar);
                    self.b
                        .binary(Opcode::Or, Exec::Scalar, sum, before, bits, Mods::NONE);
                    sum
                }
            });
        }
        if let Some(bits) = all {
            self.bits_to_mask(def, bits, CondMod::Z);
        }
    }

    /// The same values in a packed register of all lanes.
    fn as_register(&mut self, l: Lanes) -> Lanes {
        if l.is_imm() || l.pitch == 0 {
            // Every lane, active or not, has it.
            let width = self.b.width();
            let to = self.b.temp(Type::Ud, Exec::Active);
            self.b.mov(Exec::Whole(width), to, l);
            return to;
        }
        self.packed(l)
    }

    /// `dst = from[lane]`, 32 bits.
    fn element(&mut self, exec: Exec, dst: Lanes, from: Lanes, lane: Lanes) {
        let within = self.b.temp(Type::Ud, exec);
        let last = Lanes::imm(Type::Ud, u64::from(self.b.width()) - 1);
        self.b
            .binary(Opcode::And, exec, within, lane, last, Mods::NONE);
        let bytes = self.b.temp(Type::Ud, exec);
        let two = Lanes::imm(Type::Ud, 2);
        self.b
            .binary(Opcode::Shl, exec, bytes, within, two, Mods::NONE);
        self.indirect(exec, dst, from, bytes);
    }

    /// A def whose lanes are other lanes' values of source 0.
    fn read_lane(&mut self, i: &Intrinsic, def: Id<Def>, lane: Lanes) {
        let src = i.srcs[0];
        let d = self.sh.defs[src];
        self.new_def(def);
        let lane = if lane.is_imm() {
            let to = self.b.temp(Type::Ud, Exec::Active);
            self.b.mov(Exec::Active, to, lane);
            to
        } else {
            lane
        };
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
                    value.at(at)
                };
                let value = self.as_register(value);
                let ty = if d.bit_size < 32 {
                    super::raw_type(d.bit_size)
                } else {
                    Type::Ud
                };
                let dst = self.comp(def, c, ty).at(at);
                self.element(Exec::Active, dst, value, lane);
            }
        }
    }

    fn lane_mask(&mut self, i: &Intrinsic, def: Id<Def>) {
        let active = Exec::Active;
        let own = self.lane_index();
        let ud = Type::Ud;
        let width = self.b.width();
        let one = self.b.temp(ud, active);
        let bit = self.b.imm_reg(ud, 1);
        self.b
            .binary(Opcode::Shl, active, one, bit, own, Mods::NONE);
        // eq: 1 << n; ge: -(1 << n); gt: ge << 1; le: ~gt; lt: ~ge; all within the subgroup.
        let v = self.b.temp(ud, active);
        let d = |l: Lanes| l.retype(Type::D);
        match i.index("relation") {
            0 => self.b.mov(active, v, one),
            1 | 4 => self.b.mov(active, d(v), d(one).negated()),
            _ => {
                let ge = self.b.temp(ud, active);
                self.b.mov(active, d(ge), d(one).negated());
                let by = Lanes::imm(ud, 1);
                self.b.binary(Opcode::Shl, active, v, ge, by, Mods::NONE);
            }
        }
        if matches!(i.index("relation"), 3 | 4) {
            self.b
                .emit(Op::Eu(Opcode::Not), active, v, &[v], Mods::NONE);
        }
        self.new_def(def);
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

    /// Reductions and scans, in steps of doubling distance over all lanes; inactive lanes hold the identity.
    fn reduce(&mut self, i: &Intrinsic, def: Id<Def>, cluster: u8) -> Result<(), FsError> {
        let src = i.srcs[0];
        let bits = self.bits(src);
        let number = i.index("reduction_op") as usize;
        let op = AluOp::ALL
            .get(number)
            .copied()
            .ok_or_else(|| unsupported(i))?;
        if !matches!(bits, 1 | 32) {
            return Err(unsupported(i));
        }
        let (opcode, ty, cmod, identity) = reduction(op).ok_or_else(|| unsupported(i))?;
        let width = self.b.width();
        let whole = Exec::Whole(width);
        let own = self.lane_index();
        let ud = Type::Ud;
        let mut acc = self.b.temp(ud, Exec::Active);
        self.b.mov(whole, acc, Lanes::imm(ud, u64::from(identity)));
        let value = self.comp(src, 0, ud);
        self.b.mov(Exec::Active, acc, value);
        let mods = Mods::cmod(cmod, 0);
        let scan = i.op != IntrinsicOp::Reduce;
        if i.op == IntrinsicOp::ExclusiveScan {
            acc = self.shifted_up(acc, own, 1, identity);
        }
        let mut step = 1u8;
        while step < cluster {
            let other = if scan {
                self.shifted_up(acc, own, step, identity)
            } else {
                let lane = self.b.temp(ud, Exec::Active);
                let by = Lanes::imm(ud, u64::from(step));
                self.b.binary(Opcode::Xor, whole, lane, own, by, Mods::NONE);
                let other = self.b.temp(ud, Exec::Active);
                self.element(whole, other, acc, lane);
                other
            };
            let sum = self.b.temp(ud, Exec::Active);
            self.b.binary(
                opcode,
                whole,
                sum.retype(ty),
                other.retype(ty),
                acc.retype(ty),
                mods,
            );
            acc = sum;
            step *= 2;
        }
        let dst = self.new_def(def);
        self.b.mov(Exec::Active, dst, acc);
        Ok(())
    }

    /// Lane `n` gets lane `n - by`; the first `by` lanes get the identity.
    fn shifted_up(&mut self, from: Lanes, own: Lanes, by: u8, identity: u32) -> Lanes {
        let ud = Type::Ud;
        let whole = Exec::Whole(self.b.width());
        let lane = self.b.temp(ud, Exec::Active);
        let minus = Lanes::imm(Type::D, u64::from(u32::from(by).wrapping_neg()));
        self.b.binary(
            Opcode::Add,
            whole,
            lane.retype(Type::D),
            own.retype(Type::D),
            minus,
            Mods::NONE,
        );
        let other = self.b.temp(ud, Exec::Active);
        self.element(whole, other, from, lane);
        let null = Lanes::null(ud, 4);
        let below = Mods::cmod(CondMod::L, 0);
        let n = Lanes::imm(ud, u64::from(by));
        self.b.binary(Opcode::Cmp, whole, null, own, n, below);
        let identity = Lanes::imm(ud, u64::from(identity));
        self.b.emit(
            Op::Eu(Opcode::Mov),
            whole,
            other,
            &[identity],
            Mods::pred(0, false),
        );
        other
    }
}

/// How a reduction is computed: operation, type, condition of SEL, identity.
fn reduction(op: AluOp) -> Option<(Opcode, Type, CondMod, u32)> {
    let none = CondMod::None;
    Some(match op {
        AluOp::IAdd => (Opcode::Add, Type::D, none, 0),
        AluOp::FAdd => (Opcode::Add, Type::F, none, 0x8000_0000),
        AluOp::IMul => (Opcode::Mul, Type::D, none, 1),
        AluOp::FMul => (Opcode::Mul, Type::F, none, 1.0f32.to_bits()),
        AluOp::IMin => (Opcode::Sel, Type::D, CondMod::L, i32::MAX as u32),
        AluOp::UMin => (Opcode::Sel, Type::Ud, CondMod::L, u32::MAX),
        AluOp::FMin => (Opcode::Sel, Type::F, CondMod::L, f32::INFINITY.to_bits()),
        AluOp::IMax => (Opcode::Sel, Type::D, CondMod::Ge, i32::MIN as u32),
        AluOp::UMax => (Opcode::Sel, Type::Ud, CondMod::Ge, 0),
        AluOp::FMax => (
            Opcode::Sel,
            Type::F,
            CondMod::Ge,
            f32::NEG_INFINITY.to_bits(),
        ),
        AluOp::IAnd => (Opcode::And, Type::Ud, none, u32::MAX),
        AluOp::IOr => (Opcode::Or, Type::Ud, none, 0),
        AluOp::IXor => (Opcode::Xor, Type::Ud, none, 0),
        _ => return None,
    })
}

fn unsupported(i: &Intrinsic) -> FsError {
    FsError::Unsupported {
        op: i.op.info().name,
        what: "not in this backend yet",
    }
}
