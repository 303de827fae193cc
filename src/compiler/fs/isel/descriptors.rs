//! Extended descriptors that come ready with the push data.
//!
//! In:  selected code whose messages name their surface by the handle of a set, or of a dynamic buffer, and a constant. Out: the
//! descriptors that most messages take lie behind each other in the push data; one move brings them into a0 as the thread begins, where
//! they stay. What finds no room adds its own, as before. Where the second payload of a sampler's message is longer in pixel shaders of
//! sixteen lanes, these have a group of their own, if that saves more than the room that it takes.
//! Ref: SKL PRM vol. 7, "SENDS" (extended descriptor in a0); "Address Register".

use super::Isel;
use crate::encode::INDIRECT_DW;
use crate::lir::{Dst, Inst, Op, Reg, Src};
use crate::message::SFID_SAMPLER;
use abi::{DriverValue, LAUNCHER_VALUES};
use isa::{ArfReg, Opcode, Type};
use nir::Stage;

/// Bits of an extended descriptor: how long the second payload is, and who serves the message.
const EX_MLEN_SHIFT: u32 = 6;
const EX_MLEN_MASK: u32 = 0xF;
const SFID_MASK: u32 = 0xF;

/// Dwords of a0.
const A0_DW: usize = abi::LAUNCHER_SUMS;

/// The descriptors that are pushed ready, for all widths of a shader the same.
pub(crate) struct Ready {
    /// The width that chose.
    width: u8,
    /// As many as one move brings: a power of two, or none.
    group: Vec<DriverValue>,
    /// What other widths take instead, as many; it is pushed behind them. Empty: the same.
    others: Vec<DriverValue>,
    /// Values that are pushed before them. What was behind those nobody reads.
    kept: usize,
}

impl Isel<'_> {
    /// Lets messages take the descriptors of `chosen`; the first width chooses. False: this width reads what that one does without.
    pub(super) fn ready_descriptors(&mut self, chosen: &mut Option<Ready>) -> bool {
        let is_first = chosen.is_none();
        let ready = chosen.get_or_insert_with(|| {
            let (group, others) = self.choose_descriptors();
            Ready {
                width: self.b.width(),
                group,
                others,
                kept: self.push.driver.len(),
            }
        });
        let count = ready.group.len();
        if count == 0 {
            return true;
        }
        let apart = self.b.width() != ready.width && !ready.others.is_empty();
        let mine = if apart { &ready.others } else { &ready.group };
        let at = A0_DW - count;
        let mut used = false;
        for k in 0..self.b.lir.insts.len() {
            let key = self.descriptor(&self.b.lir.insts[k]);
            let place = key.and_then(|key| mine.iter().position(|value| *value == key));
            if let Some(place) = place {
                let bytes = (at + place) as u32 * 4;
                self.b.lir.insts[k].src[2] = Src::arf(ArfReg::Address, 0, bytes, Type::Ud);
                used = true;
            }
        }
        // Pixel shaders have two widths as a rule, whose messages differ.
        if self.sh.stage != Stage::Fragment {
            let read = self.values_read();
            if is_first {
                ready.kept = read;
            } else if read > ready.kept {
                return false;
            }
            self.push.driver.truncate(ready.kept);
        }
        while !(self.push.constants_dw as usize + self.push.driver.len()).is_multiple_of(count) {
            self.push.driver.push(DriverValue::Nothing);
        }
        let mut first = self.push.constants_dw + self.push.driver.len() as u32;
        self.push.driver.extend_from_slice(&ready.group);
        self.push.driver.extend_from_slice(&ready.others);
        if apart {
            first += count as u32;
        }
        if !used {
            return true;
        }
        let mut mov = Inst::new(Op::Eu(Opcode::Mov), count as u8);
        mov.no_mask = true;
        mov.dst = Dst::arf(ArfReg::Address, 0, at as u32 * 4, Type::Ud);
        mov.src[0] = Src::vgrf(self.push_reg, first * 4, Type::Ud, 1);
        self.b.lir.insts.insert(0, mov);
        true
    }

    /// How many of the first values cover all that are read.
    fn values_read(&self) -> usize {
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

    /// What a message adds up in a0, if that is known when it is launched.
    fn descriptor(&self, inst: &Inst) -> Option<DriverValue> {
        let info = inst.send.filter(|info| !info.dynamic_desc)?;
        let handle = &inst.src[2];
        if handle.reg != Reg::Vgrf(self.push_reg) {
            return None;
        }
        let at = (handle.offset / 4).checked_sub(self.push.constants_dw)?;
        let more = info.ex_desc_bits();
        match *self.push.driver.get(at as usize)? {
            DriverValue::SetHandle { set } => Some(DriverValue::SetDescriptor { set, more }),
            DriverValue::DynamicHandle { index } => {
                Some(DriverValue::DynamicDescriptor { index, more })
            }
            _ => None,
        }
    }

    /// The descriptors that are worth it, as many as one move brings: a power of two. None: there are too few. Then, what other widths
    /// shall have instead.
    fn choose_descriptors(&self) -> (Vec<DriverValue>, Vec<DriverValue>) {
        let mut uses: Vec<(DriverValue, u32)> = Vec::new();
        let mut indirect = false;
        let mut depth = 0u32;
        // A loop makes what it needs in each round, and each side of a branch what it needs: how many sums the first that is met takes.
        let mut looped = false;
        let mut sums = 0u32;
        let (mut is_there, mut open) = (false, Vec::new());
        for inst in &self.b.lir.insts {
            match inst.op {
                Op::Do => depth += 1,
                Op::Eu(Opcode::While) => depth = depth.saturating_sub(1),
                Op::Eu(Opcode::If) => open.push(is_there),
                Op::Eu(Opcode::Else) => is_there = open.last().copied().unwrap_or(false),
                Op::Eu(Opcode::Endif) => is_there = open.pop().unwrap_or(false),
                Op::MovIndirect => indirect = true,
                _ => {}
            }
            let Some(key) = self.descriptor(inst) else {
                continue;
            };
            looped |= depth > 0;
            if !is_there && uses.first().is_none_or(|(value, _)| *value == key) {
                is_there = true;
                sums += 1;
            }
            let weight = 1 + 9 * depth.min(3);
            match uses.iter_mut().find(|(value, _)| *value == key) {
                Some((_, sum)) => *sum += weight,
                None => uses.push((key, weight)),
            }
        }
        let none = (Vec::new(), Vec::new());
        if uses.len() < 2 && !looped && sums < 2 {
            return none;
        }
        // Those that are used most; of equal ones the first.
        uses.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
        // Dword 0 is for indirect operands, of eight lanes the first half.
        let most = if indirect {
            A0_DW - INDIRECT_DW
        } else {
            A0_DW - 1
        };
        let two_widths = self.sh.stage == Stage::Fragment && self.b.width() == 8;
        let differs = |value: DriverValue| two_widths && twice_as_wide(value) != value;
        // What each choice leaves to be added in the code of both widths.
        let left = |most: usize, wide: bool| -> u32 {
            let sums = uses.iter().enumerate().map(|(k, &(value, sum))| {
                let missing = u32::from(k >= most);
                sum * (missing
                    + if wide {
                        missing
                    } else {
                        u32::from(k >= most || differs(value))
                    })
            });
            sums.sum()
        };
        let half = most.min(abi::LAUNCHER_SUMS / 2);
        let apart = two_widths && left(half, true) < left(most, false);
        uses.truncate(if apart { half } else { most });
        let count = uses.len().next_power_of_two();
        let pushed = if apart { 2 * count } else { count };
        let dwords = self.push.constants_dw as usize + self.push.driver.len();
        let padding = dwords.next_multiple_of(count) - dwords;
        if self.push.driver.len() + padding + pushed > LAUNCHER_VALUES {
            return none;
        }
        let gaps = std::iter::repeat_n(DriverValue::Nothing, count - uses.len());
        let group: Vec<DriverValue> = gaps
            .chain(uses.into_iter().map(|(value, _)| value))
            .collect();
        let others = if apart {
            group.iter().map(|value| twice_as_wide(*value)).collect()
        } else {
            Vec::new()
        };
        (group, others)
    }
}

/// The descriptor of the same message for twice as many lanes: the second payload of a sampler's is twice as long.
fn twice_as_wide(value: DriverValue) -> DriverValue {
    let wider = |more: u32| {
        let second = more >> EX_MLEN_SHIFT & EX_MLEN_MASK;
        let fits = 2 * second <= EX_MLEN_MASK;
        if more & SFID_MASK == u32::from(SFID_SAMPLER) && fits {
            more + (second << EX_MLEN_SHIFT)
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
