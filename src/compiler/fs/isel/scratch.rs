//! Scratch memory of dynamically indexed local arrays: stateless messages.
//!
//! In:  `load_scratch` and `store_scratch`. Out: dword and byte scattered messages.
//!
//! The dwords of all lanes are interleaved, so that lanes with the same index touch one cache line.
//! Ref: SKL PRM vol. 7, "Data Port Messages", dword and byte scattered; the header is that of
//! stateless messages.

use super::context::Isel;
use super::types::raw_type;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, SendInfo, Src};
use entity::Id;
use isa::{Opcode, Type};
use nir::{Def, Intrinsic};
use smallvec::SmallVec;

impl Isel<'_> {
    /// The header of stateless messages, with the thread's scratch base and size; initialised once
    /// at the start of the thread.
    fn stateless_header(&mut self) -> Lanes {
        let ud = Type::Ud;
        let v = *self.shared.stateless_header.get_or_insert_with(|| {
            let v = self.b.lir.vgrf(GRF_BYTES);
            let (header, r0) = (Lanes::new(v, 0, ud, 0), Lanes::new(self.r0, 0, ud, 0));
            self.b.in_prologue(|b| {
                let zero = Lanes::imm(ud, 0);
                b.mov(Exec::NoMask(8), Lanes::new(v, 0, ud, 4), zero);
                for (dword, mask) in [(3, 0xf), (5, 0xffff_fc00)] {
                    let (to, from) = (header.offset_by(dword * 4), r0.offset_by(dword * 4));
                    let mask = Lanes::imm(ud, mask);
                    b.binary(Opcode::And, Exec::Scalar, to, from, mask, Mods::NONE);
                }
            });
            v
        });
        Lanes::new(v, 0, ud, 0)
    }

    /// The offset of each lane's data in scratch, where the dwords of all lanes are interleaved: in
    /// dwords if `dwords`, else in bytes. The accesses of a block compute what they have in common
    /// once: the constant part is added last.
    fn scratch_offset(&mut self, offset: Id<Def>, base: u32, dwords: bool) -> Lanes {
        let exec = Exec::Active;
        let ud = Type::Ud;
        let log2 = u64::from(self.b.width().trailing_zeros());
        let lane = self.lane_id();
        let emit = |isel: &mut Self, op, a, b: u64| {
            let to = isel.b.temp(ud, exec);
            isel.b
                .binary(op, exec, to, a, Lanes::imm(ud, b), Mods::NONE);
            to
        };
        if dwords {
            let (root, constant) = self.split_offset(offset).unwrap_or((Some(offset), 0));
            let first = match root {
                None => lane,
                Some(root) => {
                    let bytes = self.comp(root, 0, ud);
                    let scaled = emit(self, Opcode::Shl, bytes, log2 - 2);
                    let to = self.b.temp(ud, exec);
                    self.b
                        .binary(Opcode::Add, exec, to, scaled, lane, Mods::NONE);
                    to
                }
            };
            return match constant.wrapping_add(base) << (log2 - 2) {
                0 => first,
                constant => emit(self, Opcode::Add, first, constant.into()),
            };
        }
        let address = self.byte_offset(offset, base);
        let high = emit(self, Opcode::And, address, 0xffff_fffc);
        let high = emit(self, Opcode::Shl, high, log2);
        let low = emit(self, Opcode::And, address, 3);
        let lane = emit(self, Opcode::Shl, lane, 2);
        let sum = self.b.temp(ud, exec);
        self.b.binary(Opcode::Add, exec, sum, high, low, Mods::NONE);
        let to = self.b.temp(ud, exec);
        self.b.binary(Opcode::Add, exec, to, sum, lane, Mods::NONE);
        to
    }

    pub(super) fn select_load_scratch(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let d = self.sh.defs[def];
        let bytes = d.bit_size / 8;
        let header = self.stateless_header();
        let base = i.index("base");
        let (lanes, first_lanes) = self.split_lanes(16);
        let v = self.alloc_response(def, lanes);
        for c in 0..d.num_components {
            let offsets = self.scratch_offset(i.srcs[0], base + 4 * u32::from(c), bytes == 4);
            for lane in first_lanes.clone() {
                let offset = u32::from(lane) * 4 * u32::from(d.num_components)
                    + u32::from(c) * u32::from(lanes) * 4;
                let dst = Dst::vgrf(v, offset, Type::Ud, 1);
                let exec = Exec::Range(lane, lanes);
                let base = self.b.collect(Exec::NoMask(8), &[header], &[]);
                let index = self.b.collect(exec, &[], &[offsets]);
                let info = if bytes == 4 {
                    message::dword_read(lanes)
                } else {
                    SendInfo {
                        header: true,
                        mlen: 1,
                        ex_mlen: lanes.div_ceil(8),
                        ..message::byte_read(
                            isa::descriptor::bti::STATELESS_NON_COHERENT,
                            lanes,
                            bytes,
                        )
                    }
                };
                self.b
                    .send(exec, dst, base, index, Src::NULL, info, Mods::NONE);
            }
        }
    }

    pub(super) fn select_store_scratch(&mut self, i: &Intrinsic) {
        let value = i.srcs[0];
        let d = self.sh.defs[value];
        let bytes = d.bit_size / 8;
        let header = self.stateless_header();
        let base = i.index("base");
        let (lanes, first_lanes) = self.split_lanes(16);
        for c in 0..d.num_components {
            let offsets = self.scratch_offset(i.srcs[1], base + 4 * u32::from(c), bytes == 4);
            let data: SmallVec<[Lanes; 4]> =
                SmallVec::from_elem(self.comp(value, c, raw_type(d.bit_size)), 1);
            let data = self.in_whole_slots(data, d.bit_size);
            for lane in first_lanes.clone() {
                // The header is the first payload, so that it needs no copy; offsets and data are
                // the second.
                let exec = Exec::Range(lane, lanes);
                let base = self.b.collect(Exec::NoMask(8), &[header], &[]);
                let values: SmallVec<[Lanes; 2]> =
                    [offsets].into_iter().chain(data.clone()).collect();
                let values = self.b.collect(exec, &[], &values);
                let info = if bytes == 4 {
                    message::dword_write(lanes)
                } else {
                    SendInfo {
                        header: true,
                        mlen: 1,
                        ex_mlen: 2 * lanes.div_ceil(8),
                        ..message::byte_write(
                            isa::descriptor::bti::STATELESS_NON_COHERENT,
                            lanes,
                            bytes,
                        )
                    }
                };
                let null = Dst::null(Type::Ud);
                self.b
                    .send(exec, null, base, values, Src::NULL, info, Mods::NONE);
            }
        }
    }
}
