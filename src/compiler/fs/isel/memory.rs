//! Loads, stores and atomics of buffers and shared memory.
//!
//! In:  memory intrinsics. Out: untyped, byte scattered and block messages.

use super::context::{Isel, exec_of};
use super::surface::Surface;
use super::types::{HF_BYTES, raw_type};
use super::unsupported::unsupported_intrinsic;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, SendInfo, Src, VgrfId};
use entity::Id;
use isa::{Opcode, Type};
use nir::{AtomicOp, Def, Intrinsic, IntrinsicOp};
use smallvec::SmallVec;

/// A load whose payloads are built and whose messages are still to be sent.
pub(super) struct Load {
    /// Lanes of each message.
    lanes: u8,
    /// Bytes of each component.
    bytes: u8,
    /// Components are no dwords at multiples of four bytes.
    scattered: bool,
    components: u8,
    /// Other threads may write the memory meanwhile.
    changing: bool,
    /// First lane and payload of each message.
    payloads: SmallVec<[(u8, Src); 2]>,
    /// The register of the responses.
    response: VgrfId,
}

impl Isel<'_> {
    /// The byte offset of each lane plus a constant.
    pub(super) fn byte_offset(&mut self, offset: Id<Def>, base: u32) -> Lanes {
        let l = self.comp(offset, 0, Type::Ud);
        if let Some(v) = l.imm_bits() {
            return Lanes::imm(Type::Ud, u64::from((v as u32).wrapping_add(base)));
        }
        if base == 0 {
            return l;
        }
        let exec = exec_of(l);
        let to = self.b.temp(Type::Ud, exec);
        let base = Lanes::imm(Type::Ud, u64::from(base));
        self.b.binary(Opcode::Add, exec, to, l, base, Mods::NONE);
        to
    }

    /// Selects a load from a buffer or from shared memory at `offset + base` bytes.
    pub(super) fn select_load(
        &mut self,
        i: &Intrinsic,
        surface: Surface,
        offset: Id<Def>,
        base: u32,
    ) {
        if i.def.is_some_and(|def| !self.is_divergent(def))
            && let Surface::Buffer(handle, handle_offset) = surface
        {
            self.load_uniform(i, handle, handle_offset, offset, base);
            return;
        }
        let Some(load) = self.prepare_load(i, offset, base) else {
            return;
        };
        self.for_each_surface(surface, &mut |isel, bti, handle_offset, handle, mods| {
            isel.send_load(&load, (bti, handle_offset), handle, mods);
        });
    }

    /// Builds the payloads of a load and allocates its response register.
    pub(super) fn prepare_load(
        &mut self,
        i: &Intrinsic,
        offset: Id<Def>,
        base: u32,
    ) -> Option<Load> {
        let def = i.def?;
        let d = self.sh.defs[def];
        // A constant may be defined after the load whose loop this load shares, so it is not read
        // through its location.
        let address = match self.sh.const_component(offset, 0) {
            Some(at) => Lanes::imm(Type::Ud, u64::from((at as u32).wrapping_add(base))),
            None => self.byte_offset(offset, base),
        };
        let (lanes, first_lanes) = self.split_lanes(16);
        let response = self.alloc_response(def, lanes);
        let payloads = first_lanes.map(|lane| {
            let exec = Exec::Range(lane, lanes);
            (lane, self.b.collect(exec, &[], &[address]))
        });
        Some(Load {
            lanes,
            bytes: d.bit_size / 8,
            scattered: is_scattered(d.bit_size, i),
            components: d.num_components,
            changing: i.op != IntrinsicOp::LoadUbo,
            payloads: payloads.collect(),
            response,
        })
    }

    /// Sends the messages of a load to a surface: (binding table index, constant to add to the
    /// handle).
    pub(super) fn send_load(
        &mut self,
        load: &Load,
        (bti, handle_offset): (u32, u32),
        handle: Src,
        mods: Mods,
    ) {
        let (lanes, n) = (load.lanes, load.components);
        for &(lane, payload) in &load.payloads {
            let info = match load.scattered {
                false => message::untyped_read(bti, lanes, n),
                true => message::byte_read(bti, lanes, load.bytes),
            };
            let info = SendInfo {
                handle_offset,
                reads: load.changing,
                ..info
            };
            let offset = u32::from(lane) * 4 * u32::from(n);
            let dst = Dst::vgrf(load.response, offset, Type::Ud, 1);
            let exec = Exec::Range(lane, lanes);
            self.b
                .send(exec, dst, payload, Src::NULL, handle, info, mods);
        }
    }

    /// A load of the same dwords for all lanes, as a block read.
    fn load_uniform(
        &mut self,
        i: &Intrinsic,
        handle: Lanes,
        handle_offset: u32,
        offset: Id<Def>,
        base: u32,
    ) {
        let Some(def) = i.def else { return };
        if self.select_shared_block_load(i, handle, handle_offset)
            || self.select_joined_load(i, handle, handle_offset)
        {
            return;
        }
        let address = self.byte_offset(offset, base);
        let changing = i.op != IntrinsicOp::LoadUbo;
        let v = self.read_block(handle, handle_offset, address, 1, changing);
        for c in 0..self.sh.defs[def].num_components {
            self.set_lanes(def, c, Lanes::new(v, u32::from(c) * 4, Type::Ud, 0));
        }
    }

    /// Selects a store to a buffer or to shared memory at `offset + base` bytes.
    pub(super) fn select_store(
        &mut self,
        i: &Intrinsic,
        surface: Surface,
        offset: Id<Def>,
        base: u32,
    ) {
        let value = i.srcs[0];
        let d = self.sh.defs[value];
        let scattered = is_scattered(d.bit_size, i);
        let address = self.byte_offset(offset, base);
        let data: SmallVec<[Lanes; 4]> = (0..d.num_components)
            .map(|c| self.comp(value, c, raw_type(d.bit_size)))
            .collect();
        let data = self.in_whole_slots(data, d.bit_size);
        let (lanes, first_lanes) = self.split_lanes(16);
        let payloads: SmallVec<[(u8, Src, Src); 2]> = first_lanes
            .map(|lane| {
                let exec = Exec::Range(lane, lanes);
                let address = self.b.collect(exec, &[], &[address]);
                (lane, address, self.b.collect(exec, &[], &data))
            })
            .collect();
        self.for_each_surface(surface, &mut |isel, bti, handle_offset, handle, mods| {
            for &(lane, address, data) in &payloads {
                let info = match scattered {
                    false => message::untyped_write(bti, lanes, d.num_components),
                    true => message::byte_write(bti, lanes, d.bit_size / 8),
                };
                let info = SendInfo {
                    handle_offset,
                    ..info
                };
                let null = Dst::null(Type::Ud);
                let mods = isel.with_live_predicate(mods);
                isel.b.send(
                    Exec::Range(lane, lanes),
                    null,
                    address,
                    data,
                    handle,
                    info,
                    mods,
                );
            }
        });
    }

    /// Moves 8- and 16-bit values that are packed, or that are not in the low bits of their slot,
    /// into slots of their own.
    pub(super) fn in_whole_slots(
        &mut self,
        data: SmallVec<[Lanes; 4]>,
        bits: u8,
    ) -> SmallVec<[Lanes; 4]> {
        if bits >= 32 {
            return data;
        }
        data.into_iter()
            .map(|l| {
                let has_slot = l.pitch != HF_BYTES;
                if l.is_imm() || has_slot && l.offset.is_multiple_of(4) {
                    return l;
                }
                let ty = if bits == 8 { Type::Ub } else { Type::Uw };
                let to = self.b.temp(Type::Ud, exec_of(l));
                self.b.mov(exec_of(l), to, l.retype(ty));
                to.retype(Type::Uw)
            })
            .collect()
    }

    /// Returns an error unless all operands have 32 bits.
    pub(super) fn require_dwords(
        &self,
        i: &Intrinsic,
        operands: &[Id<Def>],
    ) -> Result<(), FsError> {
        if operands.iter().all(|&operand| self.bits(operand) == 32) {
            return Ok(());
        }
        Err(unsupported_intrinsic(i, "only 32-bit values are supported"))
    }

    /// Selects an atomic on a buffer or on shared memory at `offset + base` bytes.
    pub(super) fn select_atomic(
        &mut self,
        i: &Intrinsic,
        surface: Surface,
        offset: Id<Def>,
        base: u32,
        operands: &[Id<Def>],
    ) -> Result<(), FsError> {
        let op = atomic_op(i)?;
        self.require_dwords(i, operands)?;
        let wanted = i.def.filter(|d| self.uses[d.index()] > 0);
        let address = self.byte_offset(offset, base);
        let data: SmallVec<[Lanes; 2]> = operands
            .iter()
            .map(|d| self.comp(*d, 0, Type::Ud))
            .collect();
        let (lanes, first_lanes) = self.split_lanes(16);
        let v = wanted.map(|def| self.alloc_response(def, lanes));
        let payloads: SmallVec<[(u8, Src, Src); 2]> = first_lanes
            .map(|lane| {
                let exec = Exec::Range(lane, lanes);
                let address = self.b.collect(exec, &[], &[address]);
                (lane, address, self.b.collect(exec, &[], &data))
            })
            .collect();
        let mut error = None;
        let operands = operands.len() as u8;
        self.for_each_surface(surface, &mut |isel, bti, handle_offset, handle, mods| {
            for &(lane, address, data) in &payloads {
                let Some(info) = message::untyped_atomic(bti, lanes, op, operands, v.is_some())
                else {
                    error = Some(unsupported_atomic(i));
                    return;
                };
                let info = SendInfo {
                    handle_offset,
                    ..info
                };
                let dst = match v {
                    Some(v) => Dst::vgrf(v, u32::from(lane) * 4, Type::Ud, 1),
                    None => Dst::null(Type::Ud),
                };
                let mods = isel.with_live_predicate(mods);
                isel.b.send(
                    Exec::Range(lane, lanes),
                    dst,
                    address,
                    data,
                    handle,
                    info,
                    mods,
                );
            }
        });
        error.map_or(Ok(()), Err)
    }
}

/// True for accesses other than to dwords at multiples of four bytes: only byte scattered messages
/// reach them.
pub(super) fn is_scattered(bits: u8, i: &Intrinsic) -> bool {
    bits < 32 || i.alignment() < 4
}

/// The operation of an atomic intrinsic.
pub(super) fn atomic_op(i: &Intrinsic) -> Result<AtomicOp, FsError> {
    const ALL: [AtomicOp; 13] = [
        AtomicOp::IAdd,
        AtomicOp::IMin,
        AtomicOp::UMin,
        AtomicOp::IMax,
        AtomicOp::UMax,
        AtomicOp::IAnd,
        AtomicOp::IOr,
        AtomicOp::IXor,
        AtomicOp::Xchg,
        AtomicOp::FAdd,
        AtomicOp::FMin,
        AtomicOp::FMax,
        AtomicOp::CmpXchg,
    ];
    if i.op.index_of("atomic_op").is_none() {
        return Ok(AtomicOp::CmpXchg);
    }
    let number = i.index("atomic_op");
    let found = ALL.into_iter().find(|op| *op as u32 == number);
    found.ok_or_else(|| unsupported_atomic(i))
}

/// The error for an atomic operation that no message has.
pub(super) fn unsupported_atomic(i: &Intrinsic) -> FsError {
    unsupported_intrinsic(i, "the hardware does not have this atomic operation")
}
