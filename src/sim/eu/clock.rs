//! Timing model of a thread that has its EU to itself: in-order issue with a scoreboard.
//!
//! In:  instructions in the order of execution, before they execute. Out: cycles since the thread's
//!      start, and for each instruction the cycles for which it occupies an FPU. The figures are
//!      those of gen9; `sim/README.md` lists their sources and what is not modelled. Issue cycles,
//!      latencies, message intervals and bank conflicts were measured by the authors of Mesa's
//!      compiler (`brw_ir_performance.cpp`, `brw_fs_bank_conflicts.cpp`). Latencies of cache
//!      accesses are those of Intel's compiler (IGC, `visa/LocalScheduler/LatencyTable.h`), which
//!      agrees for arithmetic. Rates are those of "The Compute Architecture of Intel Processor
//!      Graphics Gen9", "SIMD FPUs".
//! Ref: SKL PRM vol. 7, "EU Overview", "Send Message"; vol. 2a, "NoDDChk".

use crate::interpreter;
use crate::region::{OperandKind, SrcOp};
use crate::regs;
use crate::send_operands::ResolvedSend;
use crate::state::State;
use crate::uop::{Uop, UopKind};
use isa::descriptor::{self, bti, common};
use isa::message::{
    constant_cache, data_cache_0, data_cache_1, gateway, pixel_interpolator, render_cache, sampler,
    sampler_cache, urb,
};
use isa::{Addr, CondMod, Desc, MathFn, Opcode, Type};

/// Issue cycles for each 32 bytes of a register, and of SEND and NOP.
const SLOT: u64 = 2;
/// Issue cycles of a branch.
const BRANCH: u64 = 8;
/// Issue cycles of a write to the control register.
const CONTROL: u64 = 20;
/// Latency: cycles from the end of issue until the result can be read.
const RESULT: u64 = 8;
/// Latency of instructions that pass through the FPU twice.
const LONG_RESULT: u64 = 12;
/// How much earlier than a GRF an accumulator can be read.
const ACCUMULATOR_SOONER: u64 = 4;
/// How much later than a GRF a flag or address register can be read.
const FLAG_LATER: u64 = 4;
/// FPU cycles of a math function for eight channels, and its latency.
const MATH: u64 = 4;
const MATH_RESULT: u64 = 16;
/// The same for POW and FDIV, which are two functions each.
const POWER: u64 = 8;
const POWER_RESULT: u64 = 24;
/// The same for INT DIV.
const DIVISION: u64 = 26;
const DIVISION_RESULT: u64 = 28;
/// Cycles from the end of a SEND's issue until its payload has been read: a constant, and for each
/// register.
const PAYLOAD: u64 = 8;
const PAYLOAD_REGISTER: u64 = 2;

// Scoreboard entries: 128 GRFs, a0, ten accumulators, four words of flags.
const ADDRESS: usize = 128;
const ACCUMULATORS: usize = ADDRESS + 1;
const FLAGS: usize = ACCUMULATORS + 10;
const ENTRIES: usize = FLAGS + 4;

/// The scoreboard entry of a byte of the register files, if it has one.
fn scoreboard_entry(at: usize) -> Option<usize> {
    match at {
        0..regs::GRF_BYTES => Some(at / 32),
        regs::A0..regs::ACC => Some(ADDRESS),
        regs::ACC..regs::FLAG => Some(ACCUMULATORS + (at - regs::ACC) / 32),
        regs::FLAG..regs::CE => Some(FLAGS + ((at - regs::FLAG) / 2).min(3)),
        _ => None,
    }
}

/// Calls `each` with the entries of `bytes` bytes from byte `from` on.
fn for_each_entry(from: usize, bytes: usize, each: &mut impl FnMut(usize)) {
    if let (Some(first), Some(last)) = (
        scoreboard_entry(from),
        scoreboard_entry(from + bytes.max(1) - 1),
    ) {
        (first..=last).for_each(each);
    }
}

/// Entries of the flags of an instruction's channels.
fn flag_entries(u: &Uop) -> std::ops::RangeInclusive<usize> {
    let first = u.flag_bit() as usize;
    let last = first + usize::from(u.exec_size) - 1;
    FLAGS + first / 16..=FLAGS + (last / 16).min(3)
}

/// Calls `each` with the entries of the accumulators that an instruction uses implicitly: one dword
/// for each channel.
fn implicit_accumulators(u: &Uop, each: &mut impl FnMut(usize)) {
    let (chan, n) = (usize::from(u.chan_off), usize::from(u.exec_size));
    for register in chan / 8..=(chan + n - 1) / 8 {
        each(ACCUMULATORS + register % 2);
    }
}

/// The cost of an ALU instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    /// Cycles for which it blocks the issue of the thread's next instruction.
    issue: u64,
    /// Cycles for which it occupies an FPU.
    busy: u64,
    /// Only the FPU with extended math can execute it.
    extended: bool,
    /// Cycles from the end of issue to the result.
    latency: u64,
}

/// The GRF of a direct source.
fn direct_register(s: &SrcOp) -> Option<usize> {
    let named = !matches!(s.kind, OperandKind::Imm | OperandKind::Indirect);
    Some(usize::from(s.base) / 32).filter(|r| named && *r < 128)
}

/// The bank of a GRF: even and odd registers of the lower and the upper half are four banks.
fn bank(register: usize) -> usize {
    (register & 64) >> 5 | register & 1
}

/// True if three sources need one more read: src1 and src2 are in the same bank, and no two sources
/// are the same register.
fn has_bank_conflict(u: &Uop) -> bool {
    let [first, second, third] = &u.src;
    let first = direct_register(first);
    match (direct_register(second), direct_register(third)) {
        (Some(a), Some(b)) => bank(a) == bank(b) && a != b && first != Some(a) && first != Some(b),
        _ => false,
    }
}

/// The cost of an ALU instruction.
fn cost(u: &Uop) -> Cost {
    let sources = &u.src[..usize::from(u.num_srcs).min(3)];
    let n = u64::from(u.exec_size);
    if let (Opcode::Math, Some(function)) = (u.op, u.math) {
        // By channels alone: no source says that narrow types are faster.
        let eights = n.div_ceil(8);
        let (issue, busy, latency) = match function {
            MathFn::IntDivBoth | MathFn::IntDivQuotient | MathFn::IntDivRemainder => {
                let busy = DIVISION * eights;
                (busy + SLOT - DIVISION, busy, DIVISION_RESULT)
            }
            MathFn::Pow | MathFn::Fdiv => (MATH * eights - SLOT, POWER * eights, POWER_RESULT),
            _ => (MATH * eights - SLOT, MATH * eights, MATH_RESULT),
        };
        return Cost {
            issue,
            busy,
            extended: true,
            latency,
        };
    }
    // Bytes are computed as words.
    let widest = sources.iter().map(|s| u64::from(s.size.max(2))).max();
    let width = widest.unwrap_or(u64::from(u.dst.size));
    let written = match u.dst.kind {
        OperandKind::Null => 0,
        _ => n * u64::from(u.dst.stride),
    };
    let registers = (n * width).max(written).div_ceil(32);
    let integers = |s: &&SrcOp| matches!(s.ty, Type::D | Type::Ud);
    let factors = match u.op {
        Opcode::Mul => sources.iter().filter(integers).count(),
        Opcode::Mad => sources.iter().skip(1).filter(integers).count(),
        _ => 0,
    };
    // Products of dwords, and instructions that are two operations, pass through the FPU twice.
    let twice = factors == 2 && width == 4 || matches!(u.op, Opcode::Pln | Opcode::Lrp);
    let dots = matches!(
        u.op,
        Opcode::Dp4 | Opcode::Dph | Opcode::Dp3 | Opcode::Dp2 | Opcode::Dp4a
    );
    let wide = width > 4 || u.dst.size > 4;
    let double = u.dst.ty == Type::Df || sources.iter().any(|s| s.ty == Type::Df);
    let busy = registers * if twice { 2 * SLOT } else { SLOT };
    let more = match sources {
        [_, _, _] if has_bank_conflict(u) => registers,
        _ => 0,
    };
    // VxH regions, with an address for each channel, are read one channel at a time.
    let scattered = match sources.iter().any(|s| s.vx1) {
        true => n,
        false => 0,
    };
    let control = (regs::CR..regs::N0).contains(&usize::from(u.dst.base));
    Cost {
        issue: match control && u.dst.kind != OperandKind::Null {
            true => CONTROL,
            false => busy + more + scattered,
        },
        busy,
        extended: double,
        latency: match twice || dots || wide {
            true => LONG_RESULT,
            false => RESULT,
        },
    }
}

/// The cost of a message that hits the cache of its shared function.
struct Service {
    /// Cycles from the end of the SEND's issue to the response, besides those for its payload
    /// registers.
    latency: u64,
    /// Cycles from one message of eight channels to the next (the pace in `sim/README.md`).
    interval: u64,
}

/// Message types of data cache 1 that are atomic operations: untyped and typed, atomic counters,
/// with 64-bit addresses, on floats.
const ATOMIC: [u32; 11] = [
    0x02, 0x03, 0x06, 0x07, 0x0b, 0x0c, 0x12, 0x13, 0x1b, 0x1c, 0x1d,
];

/// The cost of a message, by its shared function and descriptor.
fn service(send: &ResolvedSend) -> Service {
    let desc = send.desc;
    let (latency, interval) = match send.sfid {
        sampler::SFID => (214, 16),
        gateway::SFID => (30, 0),
        sampler_cache::SFID | constant_cache::SFID => (100, 16),
        render_cache::SFID => (300, 0),
        urb::SFID => (200, 6),
        // Data cache: scratch memory in blocks; shared local memory; all else is in the L3.
        data_cache_0::SFID if descriptor::data_cache_0::CATEGORY.any(desc) => (146, 8),
        data_cache_0::SFID | data_cache_1::SFID => {
            let atomic = send.sfid == data_cache_1::SFID
                && ATOMIC.contains(&descriptor::data_cache_1::MESSAGE_TYPE.get(desc));
            let more = if atomic { 30 } else { 0 };
            match common::BINDING_TABLE_INDEX.get(desc) {
                bti::SLM => (100 + more, 20 + more),
                _ => (146 + more, 20 + more),
            }
        }
        pixel_interpolator::SFID => (90, 14),
        _ => (50, 0),
    };
    Service { latency, interval }
}

/// The FPU time of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Busy {
    /// Cycles on either FPU.
    pub(crate) any: u64,
    /// The part of them that only the FPU with extended math can execute.
    pub(crate) extended: u64,
}

/// A thread's clock.
#[derive(Debug)]
pub(crate) struct Clock {
    /// When the next instruction can issue.
    now: u64,
    /// When the payload of the end-of-thread message has been read.
    ended: u64,
    /// When the FPU with extended math is free.
    extended_free_at: u64,
    /// When each shared function accepts the next message.
    functions_free_at: [u64; 16],
    /// When the last result in each scoreboard entry can be read.
    readable_at: [u64; ENTRIES],
    /// When the payloads of messages in each GRF have been read.
    payload_read_at: [u64; ADDRESS],
}

impl Clock {
    pub(crate) fn new() -> Clock {
        Clock {
            now: 0,
            ended: 0,
            extended_free_at: 0,
            functions_free_at: [0; 16],
            readable_at: [0; ENTRIES],
            payload_read_at: [0; ADDRESS],
        }
    }

    /// Cycles from the thread's start to the end of the instructions so far.
    pub(crate) fn elapsed(&self) -> u64 {
        self.now.max(self.ended)
    }

    /// Issues an instruction that is about to execute with these lanes.
    pub(crate) fn issue(&mut self, state: &State, u: &Uop, lanes: u32) -> Busy {
        match u.kind {
            UopKind::Alu(_) | UopKind::Special => self.compute(state, u),
            UopKind::Send => {
                self.send(state, u, lanes);
                Busy::default()
            }
            UopKind::Flow(_) => {
                self.branch(u);
                Busy::default()
            }
            // Waiting for a barrier is time of other threads.
            UopKind::Wait | UopKind::Nop => {
                self.now += SLOT;
                Busy::default()
            }
            UopKind::Trap(_) => Busy::default(),
        }
    }

    /// Delays `start` until entry `at` can be read.
    fn wait_readable(&self, start: &mut u64, at: usize) {
        if let Some(ready) = self.readable_at.get(at) {
            *start = (*start).max(*ready);
        }
    }

    /// Delays `start` until entry `at` may be written.
    fn wait_writable(&self, start: &mut u64, at: usize) {
        self.wait_readable(start, at);
        if let Some(read) = self.payload_read_at.get(at) {
            *start = (*start).max(*read);
        }
    }

    /// The cycle in which the predicate and the sources of an instruction are ready.
    fn sources_ready(&self, state: &State, u: &Uop) -> u64 {
        let mut start = self.now;
        let mut wait = |at: usize| self.wait_readable(&mut start, at);
        if u.pred.is_some() {
            flag_entries(u).for_each(&mut wait);
        }
        let lanes = 0..usize::from(u.exec_size);
        for (k, s) in u.src[..usize::from(u.num_srcs).min(3)].iter().enumerate() {
            let (base, size) = (usize::from(s.base), usize::from(s.size));
            match s.kind {
                OperandKind::Imm | OperandKind::Null => {}
                OperandKind::Indirect => {
                    wait(ADDRESS);
                    for lane in lanes.clone() {
                        if let Ok(at) = interpreter::indirect_offset(state, u, s, lane) {
                            for_each_entry(at, size, &mut wait);
                        }
                    }
                }
                // A pair of registers for each eight channels.
                _ if u.op == Opcode::Pln && k == 1 => {
                    for_each_entry(base, lanes.len().div_ceil(8) * 64, &mut wait);
                }
                OperandKind::Scalar => for_each_entry(base, size, &mut wait),
                OperandKind::Contiguous => for_each_entry(base, lanes.len() * size, &mut wait),
                OperandKind::Table => lanes
                    .clone()
                    .for_each(|lane| for_each_entry(s.offset(lane), size, &mut wait)),
            }
        }
        if matches!(u.op, Opcode::Mac | Opcode::Mach | Opcode::Sada2) {
            implicit_accumulators(u, &mut wait);
        }
        if u.dst.kind == OperandKind::Indirect {
            wait(ADDRESS);
        }
        start
    }

    /// Calls `each` with all entries that an instruction writes.
    fn destinations(state: &State, u: &Uop, each: &mut impl FnMut(usize)) {
        let n = usize::from(u.exec_size);
        let bytes = (n - 1) * usize::from(u.dst.stride) + usize::from(u.dst.size);
        let from = match u.dst.kind {
            OperandKind::Null => None,
            OperandKind::Indirect => interpreter::indirect_address(
                state,
                u,
                usize::from(u.dst.a0_sub),
                u.dst.disp,
                0,
                bytes,
            )
            .ok(),
            _ => Some(usize::from(u.dst.base)),
        };
        if let Some(from) = from {
            // The remainder's registers follow the quotient's.
            let both = u.math == Some(MathFn::IntDivBoth);
            for_each_entry(from, if both { 2 * bytes } else { bytes }, each);
        }
        // The conditional modifier of SEL and CSEL selects and does not write flags.
        let compares = u.cmod != CondMod::None && !matches!(u.op, Opcode::Sel | Opcode::Csel);
        if compares || matches!(u.math, Some(MathFn::Invm | MathFn::Rsqrtm)) {
            flag_entries(u).for_each(&mut *each);
        }
        if u.acc_wr || matches!(u.op, Opcode::Mach | Opcode::Addc | Opcode::Subb) {
            implicit_accumulators(u, each);
        }
    }

    /// Issues an ALU instruction.
    fn compute(&mut self, state: &State, u: &Uop) -> Busy {
        let cost = cost(u);
        let mut start = self.sources_ready(state, u);
        if !u.inst.no_dd_chk {
            Clock::destinations(state, u, &mut |at| self.wait_writable(&mut start, at));
        }
        if cost.extended {
            start = start.max(self.extended_free_at);
            self.extended_free_at = start + cost.busy;
        }
        self.now = start + cost.issue;
        let ready = self.now + cost.latency;
        let written = &mut self.readable_at;
        Clock::destinations(state, u, &mut |at| {
            if let Some(written) = written.get_mut(at) {
                *written = match at {
                    ACCUMULATORS..FLAGS => ready - ACCUMULATOR_SOONER,
                    ADDRESS.. => ready + FLAG_LATER,
                    _ => ready,
                };
            }
        });
        Busy {
            any: cost.busy,
            extended: if cost.extended { cost.busy } else { 0 },
        }
    }

    /// Issues a control flow instruction.
    fn branch(&mut self, u: &Uop) {
        let mut start = self.now;
        let mut wait = |at: usize| self.wait_readable(&mut start, at);
        if u.pred.is_some() {
            flag_entries(u).for_each(&mut wait);
        }
        if u.num_srcs > 0 {
            for_each_entry(usize::from(u.src[0].base), 8, &mut wait);
        }
        self.now = start + BRANCH;
        if u.dst.kind != OperandKind::Null
            && let Some(at) = scoreboard_entry(usize::from(u.dst.base))
            && let Some(written) = self.readable_at.get_mut(at)
        {
            *written = self.now + RESULT;
        }
    }

    /// Issues a SEND.
    fn send(&mut self, state: &State, u: &Uop, lanes: u32) {
        let eot = u.inst.send.is_some_and(|send| send.eot);
        let mut start = self.now;
        if u.pred.is_some() {
            flag_entries(u).for_each(|at| self.wait_readable(&mut start, at));
        }
        let found = match &u.resolved_send {
            Some(send) => Ok(*send),
            None => state.resolve_send(u),
        };
        let (true, Ok(send)) = (lanes != 0 || eot, found) else {
            // No message is sent.
            self.now = start + SLOT;
            return;
        };
        let indirect = |addr| matches!(addr, Addr::Indirect { .. });
        let by_register = |d| matches!(d, Desc::A0(_));
        let described = u
            .inst
            .send
            .is_some_and(|send| by_register(send.desc) || by_register(send.ex_desc));
        let [first, second, _] = &u.inst.src;
        if described || [u.inst.dst.addr, first.addr, second.addr].map(indirect) != [false; 3] {
            self.wait_readable(&mut start, ADDRESS);
        }
        let parts = send.src.map(|(from, count)| from..from + count);
        for at in parts.iter().cloned().flatten() {
            self.wait_readable(&mut start, at);
        }
        let response = send.dst.map(|from| from..from + send.rlen);
        let response = response.unwrap_or(0..0);
        if !u.inst.no_dd_chk {
            response
                .clone()
                .for_each(|at| self.wait_writable(&mut start, at));
        }
        self.now = start + SLOT;
        let registers = parts.iter().map(|part| part.len() as u64).sum::<u64>();
        let moved = registers * PAYLOAD_REGISTER;
        let read = self.now + PAYLOAD + moved;
        for at in parts.into_iter().flatten() {
            if let Some(sent) = self.payload_read_at.get_mut(at) {
                *sent = (*sent).max(read);
            }
        }
        let service = service(&send);
        if let Some(free) = self.functions_free_at.get_mut(usize::from(send.sfid)) {
            let begun = self.now.max(*free);
            *free = begun + service.interval * u64::from(u.exec_size).div_ceil(8);
            for at in response {
                if let Some(written) = self.readable_at.get_mut(at) {
                    *written = begun + service.latency + moved;
                }
            }
        }
        if eot {
            self.ended = read;
        }
    }
}

#[cfg(test)]
mod tests;
