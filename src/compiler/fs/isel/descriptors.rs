//! Extended descriptors that arrive complete in the push data.
//!
//! In:  selected code whose SENDs address their surface by the handle of a descriptor set or
//! dynamic buffer plus a constant.
//! Out: the most used extended descriptors, contiguous in the push data, and one MOV at the start
//! of the thread that copies them into a0, where they stay. Other messages compute theirs with an
//! ADD, as before.
//!
//! The second payload of a sampler message is longer in SIMD16 fragment shaders than in SIMD8 ones,
//! which changes the extended descriptor. They get a second group of descriptors if that saves more
//! than the space costs.
//! Ref: SKL PRM vol. 7, "SENDS" (extended descriptor in a0); "Address Register".

use super::context::Isel;
use crate::lir::INDIRECT_DW;
use crate::lir::{Dst, Inst, Op, Reg, Src};
use abi::{DriverValue, MAX_DRIVER_VALUES};
use isa::descriptor::extended;
use isa::message::sampler;
use isa::{ArfReg, Opcode, Type};
use nir::Stage;

/// Largest length of a second payload that an extended descriptor can hold, in registers.
const MAX_EX_MLEN: u32 = extended::MESSAGE_LENGTH.get(u32::MAX);

/// Dwords of the address register.
const A0_DW: usize = abi::MAX_DESCRIPTOR_SUMS;

/// The extended descriptors to push; the same for all SIMD widths of a shader.
pub(crate) struct PushedDescriptors {
    /// The SIMD width that chose them.
    width: u8,
    /// A power of two (one MOV copies them), or empty.
    group: Vec<DriverValue>,
    /// As many descriptors for the other widths, pushed after `group`; empty if `group` serves all
    /// widths.
    others: Vec<DriverValue>,
    /// Number of driver values that are pushed in front; no code reads those after them.
    driver_values: usize,
}

impl Isel<'_> {
    /// Makes SENDs use the pushed descriptors in `chosen`, which the first width fills in. Returns
    /// false if this width reads driver values that the first width has dropped.
    pub(super) fn use_pushed_descriptors(
        &mut self,
        chosen: &mut Option<PushedDescriptors>,
    ) -> bool {
        let is_first = chosen.is_none();
        let pushed = chosen.get_or_insert_with(|| {
            let (group, others) = self.choose_descriptors();
            PushedDescriptors {
                width: self.b.width(),
                group,
                others,
                driver_values: self.push.driver.len(),
            }
        });
        let count = pushed.group.len();
        if count == 0 {
            return true;
        }
        let uses_others = self.b.width() != pushed.width && !pushed.others.is_empty();
        let descriptors = if uses_others {
            &pushed.others
        } else {
            &pushed.group
        };
        let first_dword = A0_DW - count;
        let mut used = false;
        for k in 0..self.b.lir.insts.len() {
            let descriptor = self.descriptor_value(&self.b.lir.insts[k]);
            let index = descriptor
                .and_then(|descriptor| descriptors.iter().position(|value| *value == descriptor));
            if let Some(index) = index {
                let bytes = (first_dword + index) as u32 * 4;
                self.b.lir.insts[k].src[2] = Src::arf(ArfReg::Address, 0, bytes, Type::Ud);
                used = true;
            }
        }
        // Fragment shaders usually have several widths whose messages differ, so they keep all
        // driver values.
        if self.sh.stage != Stage::Fragment {
            let read = self.driver_values_read();
            if is_first {
                pushed.driver_values = read;
            } else if read > pushed.driver_values {
                return false;
            }
            self.push.driver.truncate(pushed.driver_values);
        }
        while !(self.push.constants_dw as usize + self.push.driver.len()).is_multiple_of(count) {
            self.push.driver.push(DriverValue::Nothing);
        }
        let mut first = self.push.constants_dw + self.push.driver.len() as u32;
        self.push.driver.extend_from_slice(&pushed.group);
        self.push.driver.extend_from_slice(&pushed.others);
        if uses_others {
            first += count as u32;
        }
        if !used {
            return true;
        }
        let mut mov = Inst::new(Op::Eu(Opcode::Mov), count as u8);
        mov.no_mask = true;
        mov.dst = Dst::arf(ArfReg::Address, 0, first_dword as u32 * 4, Type::Ud);
        mov.src[0] = Src::vgrf(self.push_reg, first * 4, Type::Ud, 1);
        self.b.lir.insts.insert(0, mov);
        true
    }

    /// Number of leading driver values that cover all that are read.
    fn driver_values_read(&self) -> usize {
        let is_push = |src: &Src| src.reg == Reg::Vgrf(self.push_reg);
        let mut end = 0;
        for inst in &self.b.lir.insts {
            let sources = inst.src[..inst.sources()].iter().enumerate();
            for (i, src) in sources.filter(|(_, src)| is_push(src)) {
                end = end.max(match inst.op {
                    Op::MovIndirect => u32::MAX,
                    _ => src.offset + inst.src_bytes(i),
                });
            }
            if let Op::Collect(payload) = inst.op {
                let parts = self.b.lir.payloads[payload].parts.iter();
                for part in parts.filter(|part| is_push(&part.src)) {
                    end = end.max(part.src.offset + part.bytes);
                }
            }
        }
        let dwords = end.div_ceil(4).saturating_sub(self.push.constants_dw);
        self.push.driver.len().min(dwords as usize)
    }

    /// The extended descriptor of a SEND as a driver value, if the driver can compute it when it
    /// records the draw or dispatch.
    fn descriptor_value(&self, inst: &Inst) -> Option<DriverValue> {
        let info = inst.send.filter(|info| !info.dynamic_desc)?;
        let handle = &inst.src[2];
        if handle.reg != Reg::Vgrf(self.push_reg) {
            return None;
        }
        let index = (handle.offset / 4).checked_sub(self.push.constants_dw)?;
        let more = info.ex_desc_bits();
        match *self.push.driver.get(index as usize)? {
            DriverValue::SetHandle { set } => Some(DriverValue::SetDescriptor { set, more }),
            DriverValue::DynamicHandle { index } => {
                Some(DriverValue::DynamicDescriptor { index, more })
            }
            _ => None,
        }
    }

    /// Chooses the descriptors to push: a power of two, so that one MOV copies them, or none if too
    /// few are used to pay. Returns them, and those that the other widths use instead.
    fn choose_descriptors(&self) -> (Vec<DriverValue>, Vec<DriverValue>) {
        let mut uses: Vec<(DriverValue, u32)> = Vec::new();
        let mut indirect = false;
        let mut depth = 0u32;
        // Loops and branch sides each compute the descriptors they need: `sums` counts the ADDs
        // that the first descriptor met would take without pushing.
        let mut in_loop = false;
        let mut sums = 0u32;
        let (mut available, mut outer) = (false, Vec::new());
        for inst in &self.b.lir.insts {
            match inst.op {
                Op::Do => depth += 1,
                Op::Eu(Opcode::While) => depth = depth.saturating_sub(1),
                Op::Eu(Opcode::If) => outer.push(available),
                Op::Eu(Opcode::Else) => available = outer.last().copied().unwrap_or(false),
                Op::Eu(Opcode::Endif) => available = outer.pop().unwrap_or(false),
                Op::MovIndirect => indirect = true,
                _ => {}
            }
            let Some(descriptor) = self.descriptor_value(inst) else {
                continue;
            };
            in_loop |= depth > 0;
            if !available && uses.first().is_none_or(|(value, _)| *value == descriptor) {
                available = true;
                sums += 1;
            }
            let weight = 1 + 9 * depth.min(3);
            match uses.iter_mut().find(|(value, _)| *value == descriptor) {
                Some((_, sum)) => *sum += weight,
                None => uses.push((descriptor, weight)),
            }
        }
        let none = (Vec::new(), Vec::new());
        if uses.len() < 2 && !in_loop && sums < 2 {
            return none;
        }
        // Most used first; the sort is stable, so ties keep program order.
        uses.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
        // Indirect operands use a0 too: dword 0, or the first half for eight lanes.
        let max = if indirect {
            A0_DW - INDIRECT_DW
        } else {
            A0_DW - 1
        };
        let two_widths = self.sh.stage == Stage::Fragment && self.b.width() == 8;
        let differs = |value: DriverValue| two_widths && twice_as_wide(value) != value;
        // The ADDs that each choice leaves in the code of both widths together.
        let remaining_adds = |max: usize, wide: bool| -> u32 {
            let sums = uses.iter().enumerate().map(|(k, &(value, sum))| {
                let missing = u32::from(k >= max);
                sum * (missing
                    + if wide {
                        missing
                    } else {
                        u32::from(k >= max || differs(value))
                    })
            });
            sums.sum()
        };
        let half_max = max.min(abi::MAX_DESCRIPTOR_SUMS / 2);
        let has_others = two_widths && remaining_adds(half_max, true) < remaining_adds(max, false);
        uses.truncate(if has_others { half_max } else { max });
        let count = uses.len().next_power_of_two();
        let pushed_count = if has_others { 2 * count } else { count };
        let dwords = self.push.constants_dw as usize + self.push.driver.len();
        let padding = dwords.next_multiple_of(count) - dwords;
        if self.push.driver.len() + padding + pushed_count > MAX_DRIVER_VALUES {
            return none;
        }
        let gaps = std::iter::repeat_n(DriverValue::Nothing, count - uses.len());
        let group: Vec<DriverValue> = gaps
            .chain(uses.into_iter().map(|(value, _)| value))
            .collect();
        let others = if has_others {
            group.iter().map(|value| twice_as_wide(*value)).collect()
        } else {
            Vec::new()
        };
        (group, others)
    }
}

/// The descriptor of the same message for twice as many lanes: a sampler message's second payload
/// is twice as long.
fn twice_as_wide(value: DriverValue) -> DriverValue {
    let wider = |more: u32| {
        let second = extended::MESSAGE_LENGTH.get(more);
        let fits = 2 * second <= MAX_EX_MLEN;
        if extended::SFID.get(more) == u32::from(sampler::SFID) && fits {
            more + extended::MESSAGE_LENGTH.encode(second)
        } else {
            more
        }
    };
    match value {
        DriverValue::SetDescriptor { set, more } => DriverValue::SetDescriptor {
            set,
            more: wider(more),
        },
        DriverValue::DynamicDescriptor { index, more } => DriverValue::DynamicDescriptor {
            index,
            more: wider(more),
        },
        other => other,
    }
}
