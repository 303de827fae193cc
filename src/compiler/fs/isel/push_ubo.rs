//! Ranges of uniform buffers that are pushed into registers, so that no message reads them.
//!
//! In:  loads at constant offsets from buffers whose descriptors are fixed when the draw is
//! recorded.
//! Out: ranges in [`abi::PushData`], and a VGRF for each register of them that is read. A load
//! inside a range emits no code.
//! Ref: SKL PRM vol. 2a, "3DSTATE_CONSTANT(Body)": 64 registers of four buffers together.

use super::context::Isel;
use super::payload::intrinsics;
use super::surface::is_dynamic_buffer;
use crate::lir::builder::Lanes;
use crate::lir::{GRF_BYTES, MAX_PAYLOAD_GRFS};
use abi::{DescriptorKind, PushedBuffer, PushedRange};
use isa::Type;
use nir::{CfEvent, Instr, Intrinsic, IntrinsicOp, Stage};
use std::collections::BTreeMap;

/// Registers reserved for driver values, eight to a register, beside the push constants.
const DRIVER_VALUE_REGISTERS: u32 = 4;

/// Only this many registers from the start of a buffer can be pushed.
const END_REGISTER: u32 = 1 << 11;

impl Isel<'_> {
    /// Chooses the ranges of uniform buffers to push.
    pub(super) fn choose_pushed_ubos(&mut self, layout: &[CfEvent]) {
        if !self.push_ranges || self.sh.stage == Stage::Compute {
            return;
        }
        let block = self.push.constants_dw.div_ceil(abi::REGISTER_DW) + DRIVER_VALUE_REGISTERS;
        let payload = u32::from(MAX_PAYLOAD_GRFS).saturating_sub(self.thread.payload_registers());
        let room = payload.min(abi::MAX_PUSH_REGISTERS).saturating_sub(block);
        let ranges = self.read_ranges(layout);
        if ranges.is_empty() {
            return;
        }
        self.push_ranges_within(&ranges, room, layout);
    }

    /// The contiguous ranges of buffer registers that are read, most loads first.
    fn read_ranges(&self, layout: &[CfEvent]) -> Vec<PushedRange> {
        // For each register: number of loads, and the end of the bytes they read.
        let mut read: BTreeMap<(PushedBuffer, u32), (u32, u32)> = BTreeMap::new();
        for i in intrinsics(self.sh, layout) {
            let Some((buffer, first, end)) = self.pushable_load(i) else {
                continue;
            };
            for register in first / GRF_BYTES..end.div_ceil(GRF_BYTES) {
                let reads = read.entry((buffer, register)).or_default();
                reads.0 += 1;
                reads.1 = reads.1.max(end.min((register + 1) * GRF_BYTES));
            }
        }
        let mut ranges: Vec<(u32, PushedRange)> = Vec::new();
        for (&(buffer, register), &(loads, end_bytes)) in &read {
            match ranges.last_mut() {
                Some((all_loads, range))
                    if range.buffer == buffer && range.first + range.registers == register =>
                {
                    *all_loads += loads;
                    range.registers += 1;
                    range.end_bytes = end_bytes;
                }
                _ => ranges.push((
                    loads,
                    PushedRange {
                        buffer,
                        first: register,
                        registers: 1,
                        end_bytes,
                    },
                )),
            }
        }
        ranges.sort_by_key(|range| std::cmp::Reverse(range.0));
        ranges.into_iter().map(|range| range.1).collect()
    }

    /// Pushes ranges until `room` registers are used, the last one possibly truncated, and counts
    /// the loads inside them by handle.
    fn push_ranges_within(&mut self, ranges: &[PushedRange], room: u32, layout: &[CfEvent]) {
        let mut left = room;
        for range in ranges {
            if left == 0 || self.push.ranges.len() == abi::MAX_PUSHED_RANGES {
                break;
            }
            let registers = range.registers.min(left);
            left -= registers;
            self.push.ranges.push(PushedRange {
                registers,
                end_bytes: range.end_bytes.min((range.first + registers) * GRF_BYTES),
                ..*range
            });
        }
        for i in intrinsics(self.sh, layout) {
            if self.pushed_load(i).is_some() {
                self.pushed_ubos.pushed_uses[i.srcs[0]] += 1;
            }
        }
    }

    /// The buffer and the byte range (start, end) of a load, if they can be pushed.
    fn pushable_load(&self, i: &Intrinsic) -> Option<(PushedBuffer, u32, u32)> {
        let def = i.def?;
        let d = self.sh.defs[def];
        if i.op != IntrinsicOp::LoadUbo || d.bit_size > 32 || self.is_divergent(def) {
            return None;
        }
        let Instr::Intrinsic(handle) = self.sh.instr_of(i.srcs[0]) else {
            return None;
        };
        if handle.op != IntrinsicOp::VulkanResourceIndex {
            return None;
        }
        let index = u32::try_from(self.sh.const_component(handle.srcs[0], 0)?).ok()?;
        let binding = self.binding(handle).ok()?;
        let uniform = matches!(
            binding.kind,
            DescriptorKind::UniformBuffer | DescriptorKind::UniformBufferDynamic
        );
        if !uniform || !binding.static_at_bind || index >= binding.count {
            return None;
        }
        let buffer = if is_dynamic_buffer(binding.kind) {
            PushedBuffer::Dynamic {
                index: binding.dynamic_index + index,
            }
        } else {
            PushedBuffer::InSet {
                set: handle.index("set"),
                offset_bytes: binding.offset_bytes + index * binding.stride_bytes,
            }
        };
        let bytes = u32::from(d.bit_size) / 8;
        let first = u32::try_from(self.sh.const_component(i.srcs[1], 0)?).ok()?;
        let end = first.checked_add(u32::from(d.num_components) * bytes)?;
        let fits = first.is_multiple_of(bytes) && end <= END_REGISTER * GRF_BYTES;
        fits.then_some((buffer, first, end))
    }

    /// The buffer and the first byte of a load whose bytes are pushed.
    pub(super) fn pushed_load(&self, i: &Intrinsic) -> Option<(PushedBuffer, u32)> {
        if self.push.ranges.is_empty() {
            return None;
        }
        let (buffer, first, end) = self.pushable_load(i)?;
        let holds = |range: &PushedRange| {
            let start = range.first * GRF_BYTES;
            range.buffer == buffer && start <= first && end <= range.end_bytes
        };
        self.push
            .ranges
            .iter()
            .any(holds)
            .then_some((buffer, first))
    }

    /// True for a handle that only pushed loads use, so that it needs no code.
    pub(super) fn is_pushed_handle(&self, i: &Intrinsic) -> bool {
        i.def
            .is_some_and(|def| self.pushed_ubos.pushed_uses[def] == self.uses[def.index()])
    }

    /// Selects a load from pushed registers. Returns false if its bytes are not pushed.
    pub(super) fn select_pushed_load(&mut self, i: &Intrinsic) -> bool {
        let (Some((buffer, first)), Some(def)) = (self.pushed_load(i), i.def) else {
            return false;
        };
        let d = self.sh.defs[def];
        for c in 0..d.num_components {
            let byte = first + u32::from(c) * u32::from(d.bit_size) / 8;
            let key = (buffer, byte / GRF_BYTES);
            let v = match self.pushed_ubos.registers.get(&key) {
                Some(&v) => v,
                None => {
                    let v = self.b.lir.vgrf(GRF_BYTES);
                    self.pushed_ubos.registers.insert(key, v);
                    v
                }
            };
            let offset = byte % GRF_BYTES;
            let value = Lanes::new(v, offset & !3, Type::Ud, 0).offset_by(offset & 3);
            self.set_lanes(def, c, value);
        }
        true
    }

    /// Assigns GRFs to the pushed ranges, from `first` on.
    pub(super) fn lay_out_pushed_ubos(&mut self, first: u32) {
        let mut grf = first;
        for range in &self.push.ranges {
            for register in 0..range.registers {
                let key = (range.buffer, range.first + register);
                if let Some(&v) = self.pushed_ubos.registers.get(&key) {
                    self.b.lir.vgrfs[v].fixed = u8::try_from(grf + register).ok();
                }
            }
            grf += range.registers;
        }
    }
}
