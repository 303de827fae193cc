//! Memory at 64-bit addresses: buffer device addresses, the number of workgroups, the size of a buffer.

use super::Isel;
use super::memory::{atomic_op, no_atomic};
use crate::builder::{Exec, Lanes, Mods};
use crate::error::FsError;
use crate::lir::{Dst, GRF_BYTES, Src, VgrfId};
use crate::message;
use abi::DriverValue;
use isa::{Opcode, Type};
use nir::Intrinsic;
use smallvec::SmallVec;

/// Bytes from a surface state to the dword that holds the buffer's size.
const SIZE_AT: u64 = abi::SURFACE_BYTES_DWORD as u64 * 4;

impl Isel<'_> {
    /// Addresses of the lanes, eight bytes each.
    fn addresses(&mut self, address: Lanes, exec: Exec) -> Src {
        let address = match address.imm_bits() {
            Some(bits) => self.b.imm_reg(Type::Uq, bits),
            None => address,
        };
        self.b.collect(exec, &[], &[address])
    }

    pub(super) fn load_global(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let d = self.sh.defs[def];
        let bytes = d.bit_size / 8;
        let n = d.num_components;
        let address = self.comp(i.srcs[0], 0, Type::Uq);
        let (lanes, parts) = self.parts(16);
        let v = self.answer(def, lanes);
        for lane in parts {
            let payload = self.addresses(address, Exec::Part(lane, lanes));
            let info = if bytes == 4 {
                message::a64_read(lanes, n)
            } else {
                message::a64_byte_read(lanes, bytes)
            };
            let at = u32::from(lane) * 4 * u32::from(n);
            let dst = Dst::vgrf(v, at, Type::Ud, 1);
            self.b.send(
                Exec::Part(lane, lanes),
                dst,
                payload,
                Src::NULL,
                Src::NULL,
                info,
                Mods::NONE,
            );
        }
    }

    pub(super) fn store_global(&mut self, i: &Intrinsic) {
        let value = i.srcs[0];
        let d = self.sh.defs[value];
        let bytes = d.bit_size / 8;
        let address = self.comp(i.srcs[1], 0, Type::Uq);
        let data: SmallVec<[Lanes; 4]> = (0..d.num_components)
            .map(|c| self.comp(value, c, super::raw_type(d.bit_size)))
            .collect();
        let data = self.whole_slots(data, d.bit_size);
        let (lanes, parts) = self.parts(16);
        for lane in parts {
            let payload = self.addresses(address, Exec::Part(lane, lanes));
            let data = self.b.collect(Exec::Part(lane, lanes), &[], &data);
            let info = if bytes == 4 {
                message::a64_write(lanes, d.num_components)
            } else {
                message::a64_byte_write(lanes, bytes)
            };
            let mods = self.effect(Mods::NONE);
            self.b.send(
                Exec::Part(lane, lanes),
                Dst::null(Type::Ud),
                payload,
                data,
                Src::NULL,
                info,
                mods,
            );
        }
    }

    pub(super) fn global_atomic(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let op = atomic_op(i)?;
        let address = self.comp(i.srcs[0], 0, Type::Uq);
        let operands = &i.srcs[1..];
        self.only_dwords(i, operands)?;
        let wanted = i.def.filter(|d| self.uses[d.index()] > 0);
        let data: SmallVec<[Lanes; 2]> = operands
            .iter()
            .map(|d| self.comp(*d, 0, Type::Ud))
            .collect();
        let v = wanted.map(|def| self.answer(def, 8));
        let (lanes, parts) = self.parts(8);
        for lane in parts {
            let payload = self.addresses(address, Exec::Part(lane, lanes));
            let data = self.b.collect(Exec::Part(lane, lanes), &[], &data);
            let info = message::a64_atomic(op, operands.len() as u8, v.is_some())
                .ok_or_else(|| no_atomic(i))?;
            let dst = match v {
                Some(v) => Dst::vgrf(v, u32::from(lane) * 4, Type::Ud, 1),
                None => Dst::null(Type::Ud),
            };
            let mods = self.effect(Mods::NONE);
            self.b.send(
                Exec::Part(lane, lanes),
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

    /// Reads `n` dwords at one address; the answer's dword `c` is at byte `32 * c`.
    fn read_uniform(&mut self, low: Lanes, high: Lanes, add: Lanes, n: u8) -> VgrfId {
        let exec = Exec::Whole(8);
        let address = Lanes::new(self.b.lir.vgrf(64), 0, Type::Ud, 8);
        self.b.mov(exec, address, low);
        self.b.mov(exec, address.at(4), high);
        let payload = if add.imm_bits() == Some(0) {
            address
        } else {
            let sum = Lanes::new(self.b.lir.vgrf(64), 0, Type::Uq, 8);
            let address = address.retype(Type::Uq);
            self.b
                .binary(Opcode::Add, exec, sum, address, add, Mods::NONE);
            sum
        };
        let v = self.b.lir.vgrf(GRF_BYTES * u32::from(n));
        let payload = self.b.collect(exec, &[], &[payload.retype(Type::Uq)]);
        self.b.send(
            exec,
            Dst::vgrf(v, 0, Type::Ud, 1),
            payload,
            Src::NULL,
            Src::NULL,
            message::a64_read(8, n),
            Mods::NONE,
        );
        v
    }

    pub(super) fn num_workgroups(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let low = self.push_value(DriverValue::NumWorkgroupsAddress { dword: 0 });
        let high = self.push_value(DriverValue::NumWorkgroupsAddress { dword: 1 });
        let v = self.read_uniform(low, high, Lanes::imm(Type::Ud, 0), 3);
        for c in 0..3 {
            self.uniform_place(def, c, Lanes::new(v, u32::from(c) * GRF_BYTES, Type::Ud, 0));
        }
    }

    /// `get_ssbo_size`: from the surface state, as crate `abi` says.
    pub(super) fn buffer_size(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let ud = Type::Ud;
        let handle = self.handle(i.srcs[0]);
        let low = self.push_value(DriverValue::SurfaceHeapAddress { dword: 0 });
        let high = self.push_value(DriverValue::SurfaceHeapAddress { dword: 1 });
        let exec = super::exec_of(handle);
        let bytes = self.b.temp(ud, exec);
        let six = Lanes::imm(ud, 6);
        self.b
            .binary(Opcode::Shr, exec, bytes, handle, six, Mods::NONE);
        let at = self.b.temp(ud, exec);
        let size_at = Lanes::imm(ud, SIZE_AT);
        self.b
            .binary(Opcode::Add, exec, at, bytes, size_at, Mods::NONE);
        if exec == Exec::Scalar {
            let v = self.read_uniform(low, high, at, 1);
            self.uniform_place(def, 0, Lanes::new(v, 0, ud, 0));
            return;
        }
        let address = self.b.temp(Type::Uq, Exec::Active);
        self.b.mov(Exec::Active, address.retype(ud), low);
        self.b.mov(Exec::Active, address.retype(ud).at(4), high);
        let sum = self.b.temp(Type::Uq, Exec::Active);
        self.b
            .binary(Opcode::Add, Exec::Active, sum, address, at, Mods::NONE);
        let (lanes, parts) = self.parts(16);
        let v = self.answer(def, lanes);
        for lane in parts {
            let payload = self.addresses(sum, Exec::Part(lane, lanes));
            let dst = Dst::vgrf(v, u32::from(lane) * 4, ud, 1);
            self.b.send(
                Exec::Part(lane, lanes),
                dst,
                payload,
                Src::NULL,
                Src::NULL,
                message::a64_read(lanes, 1),
                Mods::NONE,
            );
        }
    }
}
