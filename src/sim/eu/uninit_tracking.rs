//! Detects uses of uninitialised GRF bytes: marks bytes as written, and results as undefined where
//! an operand is.
//!
//! A register that nothing has written has some value, and an instruction may read it: a subgroup
//! operation reads those of disabled channels, and its result is masked off later. A use is what
//! depends on the value: an address, a branch, the predicate of a message, and a computed value in
//! a message's payload. Copies of registers that nothing has written may be sent: compilers send
//! undefined components of vectors.
//!
//! In:  an instruction before it executes, and its enabled lanes. Out: updated marks, or the broken
//!      rule.
//! Ref: SKL PRM vol. 7, "EU Register Files"; vol. 2d, message descriptors.

use crate::flags;
use crate::interpreter;
use crate::message::StopReason;
use crate::region::{OperandKind, SrcOp};
use crate::regs;
use crate::rules;
use crate::send_operands::ResolvedSend;
use crate::state::State;
use crate::uop::{ExecResult, Uop, UopKind};
use isa::descriptor::{self, bti, common};
use isa::message::{data_cache_0, data_cache_1, render_cache, urb};
use isa::{CondMod, Opcode, PredCtrl};
use std::ops::Range;

/// The part of a SEND that the address check looks at.
pub(crate) struct MessagePayload {
    pub(crate) sfid: u8,
    pub(crate) desc: u32,
    pub(crate) lanes: u32,
    /// First register of the payload.
    pub(crate) register: usize,
    /// Number of registers.
    pub(crate) len: usize,
}

fn uninitialised(u: &Uop, lane: usize, at: usize) -> Box<StopReason> {
    u.undefined(
        &rules::UNINITIALISED,
        format!(
            "lane {lane} of {:?} reads g{}.{} before anything is written there",
            u.op,
            at / 32,
            at % 32
        ),
    )
}

/// The undefined part of a source element.
#[derive(Clone, Copy, Default)]
struct UndefinedBits {
    bits: u64,
    /// Some of them are the result of a computation.
    computed: bool,
}

/// The undefined parts of the results of an instruction.
struct UndefinedResults {
    lanes: [UndefinedBits; 32],
    /// Lanes with undefined bits.
    mask: u32,
    /// Lanes with undefined operands.
    operands: u32,
}

/// The registers of a message that must not hold computed undefined values, counted over both parts
/// of the payload.
struct CheckedData {
    header: usize,
    data: Range<usize>,
}

impl CheckedData {
    /// None for messages that may send anything: spilled registers are not used yet.
    ///
    /// Each register of a write or an atomic of raw memory matters. The vectors of other messages
    /// may have undefined components, for which compilers send what the registers hold; of those
    /// the first register is checked. Addresses have a check of their own.
    fn of_message(send: &ResolvedSend, exec_size: usize) -> Option<CheckedData> {
        let header = common::HEADER_PRESENT.get(send.desc) as usize;
        let surface = common::BINDING_TABLE_INDEX.get(send.desc);
        let stateless = matches!(surface, bti::STATELESS | bti::STATELESS_NON_COHERENT);
        let value = exec_size.div_ceil(8);
        let end = send.src[0].1 + send.src[1].1;
        let (header, data) = match send.sfid {
            urb::SFID if descriptor::urb::CHANNEL_MASK_PRESENT.any(send.desc) => return None,
            urb::SFID => {
                let first = 1 + descriptor::urb::PER_SLOT_OFFSET_PRESENT.get(send.desc) as usize;
                (0, first..first + 1)
            }
            data_cache_0::SFID if descriptor::data_cache_0::CATEGORY.any(send.desc) => return None,
            data_cache_0::SFID | data_cache_1::SFID => {
                match lane_address_bytes(send.sfid, send.desc) {
                    Some(8) => (header, header + 2 * value..end),
                    _ if stateless => return None,
                    Some(_) => (header, header + value..end),
                    None => (header, header..header + value),
                }
            }
            render_cache::SFID => (2 * header, 2 * header..2 * header + value),
            _ => (header, header..header + value),
        };
        Some(CheckedData { header, data })
    }
}

/// Bytes of the address that each lane sends to the data caches; None for other messages (SKL PRM
/// vol. 2d, "Message Type").
fn lane_address_bytes(sfid: u8, desc: u32) -> Option<usize> {
    match sfid {
        data_cache_1::SFID => {
            use data_cache_1::*;
            match descriptor::data_cache_1::MESSAGE_TYPE.get(desc) {
                UNTYPED_SURFACE_READ
                | UNTYPED_SURFACE_WRITE
                | UNTYPED_ATOMIC
                | UNTYPED_ATOMIC_FLOAT => Some(4),
                A64_SCATTERED_READ
                | A64_SCATTERED_WRITE
                | A64_UNTYPED_SURFACE_READ
                | A64_UNTYPED_SURFACE_WRITE
                | A64_UNTYPED_ATOMIC
                | A64_UNTYPED_ATOMIC_FLOAT => Some(8),
                _ => None,
            }
        }
        data_cache_0::SFID if !descriptor::data_cache_0::CATEGORY.any(desc) => {
            use data_cache_0::*;
            match descriptor::data_cache_0::MESSAGE_TYPE.get(desc) {
                DWORD_SCATTERED_READ
                | DWORD_SCATTERED_WRITE
                | BYTE_SCATTERED_READ
                | BYTE_SCATTERED_WRITE => Some(4),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A copy without computation: MOV, or SEL by a predicate.
fn is_copy(u: &Uop) -> bool {
    matches!(u.op, Opcode::Mov | Opcode::Sel) && u.cmod == CondMod::None
}

impl State {
    /// Checks an instruction before it executes and marks its destination as written or undefined,
    /// if [`crate::Options::uninit`] is set.
    pub(crate) fn check_uninitialised(&mut self, u: &Uop, lanes: u32) -> ExecResult {
        if self.written.is_none() {
            return Ok(());
        }
        if matches!(u.kind, UopKind::Flow(_) | UopKind::Send) {
            return self.check_predicate(u);
        }
        // The usual case: all source bytes of all lanes are written.
        if let (Some(operand_bytes), Some(written)) = (&u.operand_bytes, &mut self.written)
            && self.undefined.flags == 0
            && operand_bytes.are_sources_written(written)
        {
            match lanes & u.dst.lane_mask & u.full_mask == u.full_mask {
                true => operand_bytes.mark_destination(written),
                false => self.mark_lanes_written(u, lanes & u.dst.lane_mask),
            }
            return Ok(());
        }
        self.track_undefined(u, lanes)
    }

    /// Marks the results of an ALU instruction: undefined where an operand or the predicate is.
    /// Stops where an undefined value goes to a register in which it is not tracked.
    fn track_undefined(&mut self, u: &Uop, lanes: u32) -> ExecResult {
        // A NoMask instruction also executes for channels that are off. Compilers ignore those
        // results: they are undefined, but may be sent.
        let active = (self.amask >> u.chan_off) & u.full_mask;
        let unknown = self.undefined_predicate(u) & active;
        let lanes = lanes | unknown;
        let results = self.undefined_results(u, lanes, unknown)?;
        let found = results.mask & active;
        let size = usize::from(u.dst.size);
        let direct = matches!(u.dst.kind, OperandKind::Contiguous | OperandKind::Table);
        let in_grf = direct && u.dst.offset(0) + size <= regs::GRF_BYTES;
        if found != 0 && (u.acc_wr || u.dst.kind != OperandKind::Null && !in_grf) {
            return Err(self.first_finding(u, found.trailing_zeros() as usize));
        }
        if in_grf {
            self.mark_results(u, lanes & u.dst.lane_mask, active, &results);
        } else if direct {
            self.define_flags(u);
        } else if u.dst.kind == OperandKind::Indirect {
            let far = (usize::from(u.exec_size) - 1) * usize::from(u.dst.stride) + size;
            let at = interpreter::indirect_address(
                self,
                u,
                usize::from(u.dst.a0_sub),
                u.dst.disp,
                0,
                far,
            )?;
            self.mark_written(at, far);
        }
        if u.cmod != CondMod::None && !matches!(u.op, Opcode::Sel | Opcode::Csel) {
            let found = found & !self.decided_flags(u, unknown & !results.operands)?;
            let flags = self.undefined.flags;
            self.undefined.flags = flags::merge(flags, u.flag_bit(), lanes, found);
            self.undefined.any |= found != 0;
        }
        Ok(())
    }

    /// The undefined bits of each lane's result; all bits of the lanes in `unknown`, whose
    /// predicate is undefined.
    fn undefined_results(
        &self,
        u: &Uop,
        lanes: u32,
        unknown: u32,
    ) -> Result<UndefinedResults, Box<StopReason>> {
        let chosen = match u.op {
            Opcode::Sel => self.predicate(u),
            _ => u.full_mask,
        };
        let mut results = UndefinedResults {
            lanes: [UndefinedBits::default(); 32],
            mask: 0,
            operands: 0,
        };
        let sources = &u.src[..usize::from(u.num_srcs).min(3)];
        for i in (0..usize::from(u.exec_size)).filter(|i| lanes >> i & 1 != 0) {
            let found = if is_copy(u) {
                self.undefined_bits(u, &u.src[usize::from(chosen >> i & 1 == 0)], i)?
            } else {
                let bits = match (u.op, sources) {
                    (Opcode::And | Opcode::Or, [a, b]) => self.undefined_logic(u, [a, b], i)?,
                    _ => {
                        let mut all = 0;
                        for s in sources {
                            all |= self.undefined_bits(u, s, i)?.bits;
                        }
                        all
                    }
                };
                UndefinedBits {
                    bits,
                    computed: bits != 0,
                }
            };
            results.operands |= u32::from(found.bits != 0) << i;
            let found = match unknown >> i & 1 {
                0 => found,
                _ => UndefinedBits {
                    bits: u64::MAX,
                    computed: true,
                },
            };
            results.lanes[i] = found;
            results.mask |= u32::from(found.bits != 0) << i;
        }
        Ok(results)
    }

    /// Byte offset of a lane's source element; None for an immediate.
    fn element_offset(
        &self,
        u: &Uop,
        s: &SrcOp,
        lane: usize,
    ) -> Result<Option<usize>, Box<StopReason>> {
        Ok(match s.kind {
            OperandKind::Imm => None,
            OperandKind::Indirect => Some(interpreter::indirect_offset(self, u, s, lane)?),
            _ => Some(s.offset(lane)),
        })
    }

    /// The undefined bits of a lane's source element. Only the GRF and the flags have any.
    fn undefined_bits(
        &self,
        u: &Uop,
        s: &SrcOp,
        lane: usize,
    ) -> Result<UndefinedBits, Box<StopReason>> {
        let (Some(written), Some(at)) = (&self.written, self.element_offset(u, s, lane)?) else {
            return Ok(UndefinedBits::default());
        };
        let size = usize::from(s.size).min(8);
        let mut found = UndefinedBits::default();
        if at + size > regs::GRF_BYTES {
            if (regs::FLAG..regs::FLAG + 8).contains(&at) {
                let bits = self.undefined.flags >> (8 * (at - regs::FLAG));
                found.bits = bits & (u64::MAX >> (64 - 8 * size));
                found.computed = found.bits != 0;
            }
            return Ok(found);
        }
        let (register, first) = (at / 32, at % 32);
        for byte in (0..size).filter(|byte| first + byte < 32) {
            if written[register] >> (first + byte) & 1 == 0 {
                found.bits |= 0xff << (8 * byte);
                found.computed |= self.undefined.bytes[register] >> (first + byte) & 1 != 0;
            }
        }
        Ok(found)
    }

    /// The undefined bits of the result of AND or OR. Zeros of one operand of AND, and ones of OR,
    /// define the result whatever the other operand is.
    fn undefined_logic(
        &self,
        u: &Uop,
        sources: [&SrcOp; 2],
        lane: usize,
    ) -> Result<u64, Box<StopReason>> {
        let same_size = sources.iter().all(|s| s.size == u.dst.size);
        let (mut undefined, mut decided) = (0, 0);
        for s in sources {
            let bits = self.undefined_bits(u, s, lane)?.bits;
            undefined |= bits;
            let value = match (self.element_offset(u, s, lane)?, &s.lanes) {
                (Some(at), _) => self.regs.read(at, usize::from(s.size).min(8)),
                (None, Some(lanes)) => u64::from(lanes[lane]),
                (None, None) => s.imm,
            };
            // The source modifier of logic instructions is NOT.
            let value = if s.neg { !value } else { value };
            let deciding = match u.op {
                Opcode::And => !value,
                _ => value,
            };
            decided |= deciding & !bits;
        }
        Ok(match same_size {
            true => undefined & !decided,
            false => undefined,
        })
    }

    /// The finding that an instruction uses an undefined operand in this lane.
    fn first_finding(&self, u: &Uop, lane: usize) -> Box<StopReason> {
        for s in &u.src[..usize::from(u.num_srcs).min(3)] {
            let found = self.undefined_bits(u, s, lane);
            if let (Ok(found), Ok(Some(at))) = (found, self.element_offset(u, s, lane))
                && found.bits != 0
                && at < regs::GRF_BYTES
            {
                return uninitialised(u, lane, at);
            }
        }
        self.undefined_flag(u, lane)
    }

    fn undefined_flag(&self, u: &Uop, lane: usize) -> Box<StopReason> {
        let op = u.op;
        u.undefined(
            &rules::UNINITIALISED,
            format!("lane {lane} of {op:?} uses a flag computed from uninitialised registers"),
        )
    }

    /// Marks the results of `lanes`. A raw move keeps the marks of each byte; an element of another
    /// result is undefined if any of its bytes is.
    fn mark_results(&mut self, u: &Uop, lanes: u32, active: u32, results: &UndefinedResults) {
        let s = &u.src[0];
        let bytewise = match u.op {
            Opcode::Mov => is_copy(u) && s.ty == u.dst.ty && !s.abs && !s.neg && !u.saturate,
            _ => false,
        };
        self.mark_lanes_written(u, lanes);
        let size = usize::from(u.dst.size);
        for i in (0..usize::from(u.exec_size)).filter(|i| (lanes & results.mask) >> i & 1 != 0) {
            let result = results.lanes[i];
            let computed = result.computed && active >> i & 1 != 0;
            self.undefined.any |= computed;
            let at = u.dst.offset(i);
            for byte in (0..size).filter(|byte| at + byte < regs::GRF_BYTES) {
                if bytewise && result.bits >> (8 * byte) & 0xff == 0 {
                    continue;
                }
                let (register, bit) = ((at + byte) / 32, (at + byte) % 32);
                if let Some(written) = &mut self.written {
                    written[register] &= !(1 << bit);
                }
                let bytes = &mut self.undefined.bytes[register];
                *bytes = *bytes & !(1 << bit) | u32::from(computed) << bit;
            }
        }
    }

    /// Marks the destination bytes of `lanes` as written.
    fn mark_lanes_written(&mut self, u: &Uop, lanes: u32) {
        for i in (0..usize::from(u.exec_size)).filter(|i| lanes >> i & 1 != 0) {
            self.mark_written(u.dst.offset(i), usize::from(u.dst.size));
        }
    }

    /// An instruction writes defined values to architecture registers: those that are flags are
    /// defined from now on.
    fn define_flags(&mut self, u: &Uop) {
        for i in 0..usize::from(u.exec_size) {
            let at = u.dst.offset(i);
            if (regs::FLAG..regs::FLAG + 8).contains(&at) {
                let bits = u64::MAX >> (64 - 8 * usize::from(u.dst.size).min(8));
                self.undefined.flags &= !(bits << (8 * (at - regs::FLAG)));
            }
        }
    }

    /// The lanes of `unknown`, whose predicate is undefined, in which a comparison leaves the same
    /// value in its flag whether or not it executes: `(+f0.0) cmp.nz.f0.0 null ...`, which
    /// compilers emit for a conjunction, leaves 0 if its operands are equal.
    fn decided_flags(&mut self, u: &Uop, unknown: u32) -> Result<u32, Box<StopReason>> {
        let (Some(pred), UopKind::Alu(execute)) = (&u.pred, &u.kind) else {
            return Ok(0);
        };
        if unknown == 0 || pred.ctrl != PredCtrl::Normal || u.dst.kind != OperandKind::Null {
            return Ok(0);
        }
        // Executes it for all of these lanes; it writes nothing but flags.
        let flags = self.regs.flags();
        let enabling = if pred.inverse { 0 } else { u32::MAX };
        let enabled = flags::merge(flags, u.flag_bit(), unknown, enabling);
        self.regs.set_flags(enabled);
        let done = execute(self, u);
        let result = flags::lane_flags(self.regs.flags(), u.flag_bit());
        self.regs.set_flags(flags);
        done?;
        // A lane in which it does not execute keeps the flag that disables it.
        let unexecuted = !enabling;
        Ok(!(result ^ unexecuted) & unknown)
    }

    /// The lanes whose predicate depends on undefined flags.
    fn undefined_predicate(&self, u: &Uop) -> u32 {
        let Some(pred) = u.pred.as_ref().filter(|_| self.undefined.flags != 0) else {
            return 0;
        };
        let predicate = |flags: u64| flags::predicate(pred, flags, u.flag, u.chan_off, u.exec_size);
        let flags = self.regs.flags();
        // Each predicate is monotonic in the flags.
        predicate(flags | self.undefined.flags) ^ predicate(flags & !self.undefined.flags)
    }

    /// Checks that the flags by which a branch or a message is predicated are defined.
    fn check_predicate(&self, u: &Uop) -> ExecResult {
        let enabled = match u.no_mask {
            true => u.full_mask,
            false => (self.amask >> u.chan_off) & u.full_mask,
        };
        match self.undefined_predicate(u) & enabled {
            0 => Ok(()),
            lanes => Err(self.undefined_flag(u, lanes.trailing_zeros() as usize)),
        }
    }

    /// Checks that the data of a SEND has no value of an enabled lane that is computed from
    /// uninitialised registers.
    pub(crate) fn check_message_data(
        &self,
        u: &Uop,
        send: &ResolvedSend,
        lanes: u32,
    ) -> ExecResult {
        let Some(written) = self.written.as_ref().filter(|_| self.undefined.any) else {
            return Ok(());
        };
        let Some(checked) = CheckedData::of_message(send, usize::from(u.exec_size)) else {
            return Ok(());
        };
        let active = lanes & (self.amask >> u.chan_off);
        let registers = send
            .src
            .into_iter()
            .flat_map(|(first, len)| first..first + len);
        for (index, register) in registers.enumerate() {
            let is_header = index < checked.header;
            if !is_header && !checked.data.contains(&index) {
                continue;
            }
            let bytes = self.undefined.bytes[register] & !written[register];
            // Registers of 16 lanes come in pairs.
            let upper = u.exec_size == 16 && !is_header && (index - checked.data.start) % 2 == 1;
            let is_sent = |byte: &usize| {
                let lane = byte / 4 + if upper { 8 } else { 0 };
                bytes >> byte & 1 != 0 && (is_header || active >> lane & 1 != 0)
            };
            if let Some(byte) = (0..32).find(is_sent) {
                let op = u.op;
                return Err(u.undefined(
                    &rules::UNINITIALISED,
                    format!(
                        "{op:?} sends g{register}.{byte}, computed from uninitialised registers"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Checks that the addresses, or URB handles, of a SEND's enabled lanes have been written.
    pub(crate) fn check_message_addresses(&self, u: &Uop, m: &MessagePayload) -> ExecResult {
        let Some(w) = &self.written else {
            return Ok(());
        };
        let header = common::HEADER_PRESENT.get(m.desc) as usize;
        let end = (m.register + m.len) * 32;
        // SIMD8 URB messages begin with a register of handles, optionally followed by one of
        // offsets and one of channel masks.
        let urb = m.sfid == urb::SFID
            && matches!(
                descriptor::urb::OPCODE.get(m.desc),
                urb::SIMD8_WRITE | urb::SIMD8_READ
            );
        let more = descriptor::urb::PER_SLOT_OFFSET_PRESENT.get(m.desc)
            + descriptor::urb::CHANNEL_MASK_PRESENT.get(m.desc);
        let bytes = match lane_address_bytes(m.sfid, m.desc) {
            Some(bytes) => bytes,
            None if urb => 4,
            None => return Ok(()),
        };
        let (first, blocks, lanes) = match urb {
            true => (0, 1 + more as usize, m.lanes & 0xff),
            false => (header, 1, m.lanes),
        };
        // Fast check of whole registers before the check of each lane.
        let reach =
            (lanes.checked_ilog2().map_or(0, |last| last as usize + 1) * bytes).div_ceil(32);
        for block in first..first + blocks {
            let from = m.register + block;
            let whole = w.get(from..from + reach);
            if whole.is_some_and(|whole| whole.iter().all(|bytes| *bytes == u32::MAX)) {
                continue;
            }
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                let at = (m.register + block) * 32 + lane * bytes;
                let inside = at + bytes <= end;
                let need = (((1u64 << bytes) - 1) << (at % 32)) as u32;
                if inside && w.get(at / 32).is_some_and(|w| w & need != need) {
                    return Err(uninitialised(u, lane, at));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod undefined_tests;
