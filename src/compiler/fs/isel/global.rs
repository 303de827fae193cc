//! Memory at 64-bit addresses: global loads, stores and atomics, the number of workgroups, size and
//! address of a buffer.
//!
//! In:  intrinsics that use addresses, or that read what the driver keeps in memory. Out: A64
//! messages.

use super::context::{Isel, Loc, exec_of};
use super::memory::{atomic_op, is_scattered, unsupported_atomic};
use super::types::raw_type;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Src, VgrfId};
use abi::DriverValue;
use entity::Id;
use isa::{Opcode, Type};
use nir::{Def, Intrinsic};
use smallvec::SmallVec;

/// Byte offset, in a surface state, of the dword with the buffer's size.
const SIZE_OFFSET: u64 = abi::SURFACE_BYTES_DWORD as u64 * 4;
/// Byte offset, in a surface state, of the buffer's address.
const ADDRESS_OFFSET: u64 = abi::SURFACE_ADDRESS_DWORD as u64 * 4;

impl Isel<'_> {
    /// The payload of addresses, eight bytes for each lane.
    pub(super) fn address_payload(&mut self, address: Lanes, exec: Exec) -> Src {
        let address = match address.imm_bits() {
            Some(bits) => self.b.imm_reg(Type::Uq, bits),
            None => address,
        };
        self.b.collect(exec, &[], &[address])
    }

    pub(super) fn select_load_global(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        if !self.is_divergent(def) {
            self.select_uniform_global_load(i);
            return;
        }
        let d = self.sh.defs[def];
        let bytes = d.bit_size / 8;
        let n = d.num_components;
        let address = self.comp(i.srcs[0], 0, Type::Uq);
        let (lanes, first_lanes) = self.split_lanes(16);
        let v = self.alloc_response(def, lanes);
        for lane in first_lanes {
            let payload = self.address_payload(address, Exec::Range(lane, lanes));
            let info = match is_scattered(d.bit_size, i) {
                false => message::a64_read(lanes, n),
                true => message::a64_byte_read(lanes, bytes),
            };
            let byte_offset = u32::from(lane) * 4 * u32::from(n);
            let dst = Dst::vgrf(v, byte_offset, Type::Ud, 1);
            self.b.send(
                Exec::Range(lane, lanes),
                dst,
                payload,
                Src::NULL,
                Src::NULL,
                info,
                Mods::NONE,
            );
        }
    }

    pub(super) fn select_store_global(&mut self, i: &Intrinsic) {
        let value = i.srcs[0];
        let d = self.sh.defs[value];
        let bytes = d.bit_size / 8;
        let address = self.comp(i.srcs[1], 0, Type::Uq);
        let data: SmallVec<[Lanes; 4]> = (0..d.num_components)
            .map(|c| self.comp(value, c, raw_type(d.bit_size)))
            .collect();
        let data = self.in_whole_slots(data, d.bit_size);
        let (lanes, first_lanes) = self.split_lanes(16);
        for lane in first_lanes {
            let payload = self.address_payload(address, Exec::Range(lane, lanes));
            let data = self.b.collect(Exec::Range(lane, lanes), &[], &data);
            let info = match is_scattered(d.bit_size, i) {
                false => message::a64_write(lanes, d.num_components),
                true => message::a64_byte_write(lanes, bytes),
            };
            let mods = self.with_live_predicate(Mods::NONE);
            self.b.send(
                Exec::Range(lane, lanes),
                Dst::null(Type::Ud),
                payload,
                data,
                Src::NULL,
                info,
                mods,
            );
        }
    }

    pub(super) fn select_global_atomic(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let op = atomic_op(i)?;
        let address = self.comp(i.srcs[0], 0, Type::Uq);
        let operands = &i.srcs[1..];
        let bits = operands.first().map_or(32, |d| self.bits(*d));
        let wanted = i.def.filter(|d| self.uses[d.index()] > 0);
        let ty = raw_type(bits);
        let data: SmallVec<[Lanes; 2]> = operands
            .iter()
            .map(|d| {
                let value = self.comp(*d, 0, ty);
                match value.imm_bits() {
                    Some(constant) if bits == 64 => self.b.imm_reg(ty, constant),
                    _ => value,
                }
            })
            .collect();
        let slot = bits / 8;
        let v = wanted.map(|def| {
            let v = self.b.lir.vgrf(u32::from(self.b.width()) * u32::from(slot));
            let loc = Loc::Reg {
                v,
                offset: 0,
                pitch: slot,
                half: 16 * u16::from(slot),
            };
            self.set_loc(def, 0, loc);
            v
        });
        let (lanes, first_lanes) = self.split_lanes(8);
        for lane in first_lanes {
            let payload = self.address_payload(address, Exec::Range(lane, lanes));
            let data = self.b.collect(Exec::Range(lane, lanes), &[], &data);
            let info = message::a64_atomic(op, bits, operands.len() as u8, v.is_some())
                .ok_or_else(|| unsupported_atomic(i))?;
            let dst = match v {
                Some(v) => Dst::vgrf(v, u32::from(lane) * u32::from(slot), Type::Ud, 1),
                None => Dst::null(Type::Ud),
            };
            let mods = self.with_live_predicate(Mods::NONE);
            self.b.send(
                Exec::Range(lane, lanes),
                dst,
                payload,
                data,
                Src::NULL,
                info,
                mods,
            );
        }
        Ok(())
    }

    /// Emits `sum = address + add`, where `add` is an unsigned 32-bit number.
    fn emit_add_to_address(&mut self, exec: Exec, sum: Lanes, address: Lanes, add: Lanes) {
        if !self.soft_int64 {
            self.b
                .binary(Opcode::Add, exec, sum, address, add, Mods::NONE);
            return;
        }
        self.add_int64(exec, sum, address, add);
    }

    /// Reads `n` dwords at one address, `high:low + add`. Each dword of the response is in a
    /// register of its own.
    fn read_uniform(&mut self, low: Lanes, high: Lanes, add: Lanes, n: u8) -> VgrfId {
        let exec = Exec::NoMask(8);
        let address = Lanes::new(self.b.lir.vgrf(64), 0, Type::Ud, 8);
        self.b.mov(exec, address, low);
        self.b.mov(exec, address.offset_by(4), high);
        let payload = if add.imm_bits() == Some(0) {
            address
        } else {
            let sum = Lanes::new(self.b.lir.vgrf(64), 0, Type::Uq, 8);
            self.emit_add_to_address(exec, sum, address.retype(Type::Uq), add);
            sum
        };
        let payload = self.b.collect(exec, &[], &[payload.retype(Type::Uq)]);
        self.read_for_all(payload, n)
    }

    /// Reads `n` dwords at the addresses in the payload, without the execution mask. Each dword of
    /// the response is in a register of its own.
    pub(super) fn read_for_all(&mut self, payload: Src, n: u8) -> VgrfId {
        let v = self.b.lir.vgrf(GRF_BYTES * u32::from(n));
        self.b.send(
            Exec::NoMask(8),
            Dst::vgrf(v, 0, Type::Ud, 1),
            payload,
            Src::NULL,
            Src::NULL,
            message::a64_read(8, n),
            Mods::NONE,
        );
        v
    }

    /// Selects `load_num_workgroups`, which the driver keeps in memory.
    pub(super) fn select_num_workgroups(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let low = self.push_value(DriverValue::NumWorkgroupsAddress { dword: 0 });
        let high = self.push_value(DriverValue::NumWorkgroupsAddress { dword: 1 });
        let v = self.read_uniform(low, high, Lanes::imm(Type::Ud, 0), 3);
        for c in 0..3 {
            self.set_uniform(def, c, Lanes::new(v, u32::from(c) * GRF_BYTES, Type::Ud, 0));
        }
    }

    /// Selects `get_ssbo_size`: reads the size from the surface state (see crate `abi`).
    pub(super) fn select_buffer_size(&mut self, i: &Intrinsic) {
        self.select_state_dwords(i, SIZE_OFFSET);
    }

    /// Selects `load_surface_state`.
    pub(super) fn select_load_surface_state(&mut self, i: &Intrinsic) {
        self.select_state_dwords(i, i.index("base").into());
    }

    /// Reads the result from a surface state, from byte `byte` on.
    fn select_state_dwords(&mut self, i: &Intrinsic, byte: u64) {
        let Some(def) = i.def else { return };
        let n = self.sh.defs[def].num_components;
        let state = self.read_surface_state(i.srcs[0], byte, n);
        for (c, &dword) in (0..n).zip(&state) {
            match dword.pitch {
                0 => self.set_uniform(def, c, dword),
                _ => self.set_lanes(def, c, dword),
            }
        }
    }

    /// Selects `load_ssbo_address`: reads the address from the surface state.
    pub(super) fn select_buffer_address(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let state = self.read_surface_state(i.srcs[0], ADDRESS_OFFSET, 2);
        let exec = self.exec_for(def);
        let dst = self.alloc_def(def).retype(Type::Ud);
        for (n, &dword) in (0..).zip(&state) {
            self.b.mov(exec, dst.offset_by(4 * n), dword);
        }
    }

    /// Reads `n` dwords of a surface state from byte `byte` on.
    fn read_surface_state(&mut self, handle: Id<Def>, byte: u64, n: u8) -> SmallVec<[Lanes; 4]> {
        let ud = Type::Ud;
        let handle = self.handle_in_register(handle);
        let low = self.push_value(DriverValue::SurfaceHeapAddress { dword: 0 });
        let high = self.push_value(DriverValue::SurfaceHeapAddress { dword: 1 });
        let exec = exec_of(handle);
        let bytes = self.b.temp(ud, exec);
        let six = Lanes::imm(ud, 6);
        self.b
            .binary(Opcode::Shr, exec, bytes, handle, six, Mods::NONE);
        let byte_offset = self.b.temp(ud, exec);
        let byte = Lanes::imm(ud, byte);
        self.b
            .binary(Opcode::Add, exec, byte_offset, bytes, byte, Mods::NONE);
        if exec == Exec::Scalar {
            let v = self.read_uniform(low, high, byte_offset, n);
            let dword = |c: u8| Lanes::new(v, u32::from(c) * GRF_BYTES, ud, 0);
            return (0..n).map(dword).collect();
        }
        let address = self.b.temp(Type::Uq, Exec::Active);
        self.b.mov(Exec::Active, address.retype(ud), low);
        self.b
            .mov(Exec::Active, address.retype(ud).offset_by(4), high);
        let sum = self.b.temp(Type::Uq, Exec::Active);
        self.emit_add_to_address(Exec::Active, sum, address, byte_offset);
        let (lanes, first_lanes) = self.split_lanes(16);
        let v = self
            .b
            .lir
            .vgrf(u32::from(self.b.width()) * 4 * u32::from(n));
        for lane in first_lanes {
            let payload = self.address_payload(sum, Exec::Range(lane, lanes));
            let dst = Dst::vgrf(v, u32::from(lane) * 4 * u32::from(n), ud, 1);
            self.b.send(
                Exec::Range(lane, lanes),
                dst,
                payload,
                Src::NULL,
                Src::NULL,
                message::a64_read(lanes, n),
                Mods::NONE,
            );
        }
        let part = u32::from(lanes) * 4;
        let dword = |c: u8| Lanes {
            half: (part * u32::from(n)) as u16,
            ..Lanes::new(v, u32::from(c) * part, ud, 4)
        };
        (0..n).map(dword).collect()
    }
}
