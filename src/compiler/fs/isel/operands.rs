//! Operands and responses that several parts share.
//!
//! In:  operands in lane form. Out: copies with another layout, and registers for the responses of
//!      messages.

use super::context::{Isel, Loc};
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{GRF_BYTES, Op, VgrfId};
use entity::Id;
use isa::{Opcode, Type};
use nir::Def;

impl Isel<'_> {
    /// Splits the thread's lanes into messages of at most `max_lanes`. Returns the number of lanes
    /// of each message, and the first lane of each.
    pub(super) fn split_lanes(
        &self,
        max_lanes: u8,
    ) -> (u8, impl Iterator<Item = u8> + Clone + use<>) {
        let width = self.b.width();
        let lanes = width.min(max_lanes);
        (lanes, (0..width).step_by(usize::from(lanes)))
    }

    /// Allocates the response register for messages of `lanes` lanes and makes it the location of
    /// the def's components.
    pub(super) fn alloc_response(&mut self, def: Id<Def>, lanes: u8) -> VgrfId {
        let components = self.sh.defs[def].num_components;
        self.alloc_response_of(def, lanes, 0, components)
    }

    /// Like [`Isel::alloc_response`], for responses of `dwords` dwords for each lane; component 0
    /// of the def is dword `first`. `lanes` must be 16 or the SIMD width.
    pub(super) fn alloc_response_of(
        &mut self,
        def: Id<Def>,
        lanes: u8,
        first: u8,
        dwords: u8,
    ) -> VgrfId {
        let width = u32::from(self.b.width());
        let component_bytes = u32::from(lanes) * 4;
        let v = self.b.lir.vgrf(u32::from(dwords) * width * 4);
        // Within a message, lanes are contiguous; the next message's response starts after all
        // components.
        let half = if lanes == 16 {
            u32::from(dwords) * component_bytes
        } else {
            64
        };
        for c in 0..self.sh.defs[def].num_components.min(dwords - first) {
            let loc = Loc::Reg {
                v,
                offset: u32::from(c + first) * component_bytes,
                pitch: 4,
                half: half as u16,
            };
            self.set_loc(def, c, loc);
        }
        v
    }

    /// Sets the components of a def from the responses of eight-lane messages, each of which has
    /// `dwords` dwords for a lane. Component 0 of the def is dword `first`; components that the
    /// responses lack are not read.
    pub(super) fn set_from_responses(
        &mut self,
        def: Id<Def>,
        response: VgrfId,
        dwords: u8,
        first: u8,
    ) {
        let (lanes, first_lanes) = self.split_lanes(8);
        let offset_of = |c: u8| u32::from(c + first) * u32::from(lanes) * 4;
        let read = self.components_read[def].max(1);
        let components = read.min(dwords - first);
        if self.b.width() == lanes || dwords == 1 {
            for c in 0..components {
                let loc = Loc::Reg {
                    v: response,
                    offset: offset_of(c),
                    pitch: 4,
                    half: 64,
                };
                self.set_loc(def, c, loc);
            }
            return;
        }
        self.alloc_def(def);
        for c in 0..components {
            let to = self.comp(def, c, Type::Ud);
            for lane in first_lanes.clone() {
                let offset = u32::from(lane) * 4 * u32::from(dwords) + offset_of(c);
                let from = Lanes::new(response, offset, Type::Ud, 4).starting_at_lane(lane);
                self.b.mov(Exec::Range(lane, lanes), to, from);
            }
        }
    }

    /// The same values with a pitch of four bytes, from the start of a register on.
    pub(super) fn contiguous(&mut self, l: Lanes) -> Lanes {
        if l.pitch == 4 && l.half == 64 && !l.neg && !l.abs && l.offset.is_multiple_of(GRF_BYTES) {
            return l;
        }
        let to = self.b.temp(Type::Ud, Exec::Active);
        self.b.mov(Exec::Active, to, l);
        to
    }

    /// Emits `dst = base[bytes]`, an indirect read of the register file.
    pub(super) fn mov_indirect(&mut self, exec: Exec, dst: Lanes, base: Lanes, bytes: Lanes) {
        // The address register is made of words: uses the low half of each dword.
        let offset = match bytes.imm_bits() {
            Some(v) => self.b.imm_reg(Type::Ud, v),
            None => bytes,
        };
        self.b.emit(
            Op::MovIndirect,
            exec,
            dst,
            &[base.scalar(), offset.retype(Type::Uw)],
            Mods::NONE,
        );
    }

    /// Emits `to =` the first active lane's value of `from`, which must be contiguous.
    pub(super) fn read_first_active(&mut self, to: Lanes, from: Lanes) {
        let lane = self.emit_first_active();
        let bytes = self.b.temp(Type::Ud, Exec::Scalar);
        let two = Lanes::imm(Type::Ud, 2);
        self.b
            .binary(Opcode::Shl, Exec::Scalar, bytes, lane, two, Mods::NONE);
        self.mov_indirect(Exec::Scalar, to, from, bytes);
    }

    /// A value that is the same for all active lanes, as a scalar: that of the first active lane.
    pub(super) fn first_active_value(&mut self, value: Lanes) -> Lanes {
        if value.pitch == 0 {
            return value;
        }
        let value = self.contiguous(value);
        let to = self.b.temp(Type::Ud, Exec::Scalar);
        self.read_first_active(to, value);
        to
    }

    /// A scalar copied to all eight lanes of a register.
    pub(super) fn in_all_lanes(&mut self, value: Lanes) -> Lanes {
        let to = self.b.temp(Type::Ud, Exec::NoMask(8));
        self.b.mov(Exec::NoMask(8), to, value);
        to
    }

    /// Emits `value << bits`.
    pub(super) fn shift_left(&mut self, value: Lanes, bits: u64) -> Lanes {
        let to = self.b.temp(Type::Ud, Exec::Active);
        let bits = Lanes::imm(Type::Ud, bits);
        self.b
            .binary(Opcode::Shl, Exec::Active, to, value, bits, Mods::NONE);
        to
    }

    /// Moves an immediate into a register, so that parts of it can be read.
    pub(super) fn imm_to_register(&mut self, value: Lanes) -> Lanes {
        match value.imm_bits() {
            Some(bits) => self.b.imm_reg(Type::Ud, bits),
            None => value,
        }
    }
}
