//! The time a thread takes with its EU to itself: instructions in order, each once all that it names is ready.
//!
//! In:  instructions before they execute, in the order in which they do. Out: cycles since the thread's start, and of each
//! instruction those in which it keeps an FPU busy.
//! The figures are those of gen9; `sim/README.md` tells where they come from, and what is left out. Slots, results, paces and banks are
//! what authors of Mesa's compiler have measured (`brw_ir_performance.cpp`, `brw_fs_bank_conflicts.cpp`). Answers from caches are those of
//! Intel's compiler (IGC, `visa/LocalScheduler/LatencyTable.h`), which agrees for arithmetic. Rates are of "The Compute Architecture
//! of Intel Processor Graphics Gen9", "SIMD FPUs".
//! Ref: SKL PRM vol. 7, "EU Overview", "Send Message"; vol. 2a, "NoDDChk".

use crate::general;
use crate::letter::Letter;
use crate::region::{Kind, SrcOp};
use crate::regs;
use crate::state::State;
use crate::uop::{Run, Uop};
use isa::descriptor::{data_cache_0, data_cache_1};
use isa::{Addr, CondMod, Desc, MathFn, Opcode, Type};

/// The issue slot for the least of instructions: 32 bytes of a register, or a SEND, or one that does nothing.
const SLOT: u64 = 2;
/// The slot of a branch.
const BRANCH: u64 = 8;
/// The slot of a write to the control register.
const CONTROL: u64 = 20;
/// From the end of the slot to where the result can be read; of instructions that go twice through the FPU.
const RESULT: u64 = 8;
const LONG_RESULT: u64 = 12;
/// How much sooner than a register an accumulator can be read, and how much later a flag or an address.
const ACCUMULATOR_SOONER: u64 = 4;
const FLAG_LATER: u64 = 4;
/// Eight channels of a math function in the FPU that has them, and from the end of the slot to the result.
const MATH: u64 = 4;
const MATH_RESULT: u64 = 16;
/// The same for those that are two functions.
const POWER: u64 = 8;
const POWER_RESULT: u64 = 24;
/// And for quotients and remainders of integers.
const DIVISION: u64 = 26;
const DIVISION_RESULT: u64 = 28;
/// From the end of a SEND's slot to where its registers have been read, and for each of them.
const PAYLOAD: u64 = 8;
const PAYLOAD_REGISTER: u64 = 2;

/// Places that instructions wait for: the GRF, a0, ten accumulators, four words of flags.
const ADDRESS: usize = 128;
const ACCUMULATORS: usize = ADDRESS + 1;
const FLAGS: usize = ACCUMULATORS + 10;
const PLACES: usize = FLAGS + 4;

/// The place of a byte of the register file, if any waits for it.
fn place(at: usize) -> Option<usize> {
    match at {
        0..regs::GRF_BYTES => Some(at / 32),
        regs::A0..regs::ACC => Some(ADDRESS),
        regs::ACC..regs::FLAG => Some(ACCUMULATORS + (at - regs::ACC) / 32),
        regs::FLAG..regs::CE => Some(FLAGS + ((at - regs::FLAG) / 2).min(3)),
        _ => None,
    }
}

/// Calls `each` with all places of some bytes side by side.
fn places(from: usize, bytes: usize, each: &mut impl FnMut(usize)) {
    if let (Some(first), Some(last)) = (place(from), place(from + bytes.max(1) - 1)) {
        (first..=last).for_each(each);
    }
}

/// Places of the flags of an instruction's channels.
fn flags(u: &Uop) -> std::ops::RangeInclusive<usize> {
    let first = u.flag_bit() as usize;
    let last = first + usize::from(u.n) - 1;
    FLAGS + first / 16..=FLAGS + (last / 16).min(3)
}

/// Places of the accumulators that an instruction uses without naming them: its channels' dwords.
fn accumulators(u: &Uop, each: &mut impl FnMut(usize)) {
    let (chan, n) = (usize::from(u.chan), usize::from(u.n));
    for register in chan / 8..=(chan + n - 1) / 8 {
        each(ACCUMULATORS + register % 2);
    }
}

/// What a kind of instruction costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    /// Cycles of the issue slot.
    slot: u64,
    /// Cycles of an FPU.
    busy: u64,
    /// It is only the one FPU that can do this.
    extended: bool,
    /// From the end of the slot to the result.
    result: u64,
}

/// Where a source is, if it is one register that the operand itself names.
fn register(s: &SrcOp) -> Option<usize> {
    let named = !matches!(s.kind, Kind::Imm | Kind::Indirect);
    Some(usize::from(s.base) / 32).filter(|r| named && *r < 128)
}

/// Banks of the GRF: even and odd registers, of both halves.
fn bank(register: usize) -> usize {
    (register & 64) >> 5 | register & 1
}

/// Whether three sources need one read more: the second and the third are in one bank, and no two are one register.
fn conflicts(u: &Uop) -> bool {
    let [first, second, third] = &u.src;
    let first = register(first);
    match (register(second), register(third)) {
        (Some(a), Some(b)) => bank(a) == bank(b) && a != b && first != Some(a) && first != Some(b),
        _ => false,
    }
}

/// What an instruction of registers costs.
fn cost(u: &Uop) -> Cost {
    let sources = &u.src[..usize::from(u.sources).min(3)];
    let n = u64::from(u.n);
    if let (Opcode::Math, Some(function)) = (u.op, u.math) {
        // However wide they are: nobody says that narrow ones are faster.
        let eights = n.div_ceil(8);
        let (slot, busy, result) = match function {
            MathFn::IntDivBoth | MathFn::IntDivQuotient | MathFn::IntDivRemainder => {
                let busy = DIVISION * eights;
                (busy + SLOT - DIVISION, busy, DIVISION_RESULT)
            }
            MathFn::Pow | MathFn::Fdiv => (MATH * eights - SLOT, POWER * eights, POWER_RESULT),
            _ => (MATH * eights - SLOT, MATH * eights, MATH_RESULT),
        };
        return Cost {
            slot,
            busy,
            extended: true,
            result,
        };
    }
    // Bytes are computed with as words.
    let widest = sources.iter().map(|s| u64::from(s.size.max(2))).max();
    let width = widest.unwrap_or(u64::from(u.dst.size));
    let written = match u.dst.kind {
        Kind::Null => 0,
        _ => n * u64::from(u.dst.stride),
    };
    let registers = (n * width).max(written).div_ceil(32);
    let integers = |s: &&SrcOp| matches!(s.ty, Type::D | Type::Ud);
    let factors = match u.op {
        Opcode::Mul => sources.iter().filter(integers).count(),
        Opcode::Mad => sources.iter().skip(1).filter(integers).count(),
        _ => 0,
    };
    // Products of dwords, and what is two operations, go through the FPU twice.
    let twice = factors == 2 && width == 4 || matches!(u.op, Opcode::Pln | Opcode::Lrp);
    let dots = matches!(
        u.op,
        Opcode::Dp4 | Opcode::Dph | Opcode::Dp3 | Opcode::Dp2 | Opcode::Dp4a
    );
    let wide = width > 4 || u.dst.size > 4;
    let double = u.dst.ty == Type::Df || sources.iter().any(|s| s.ty == Type::Df);
    let busy = registers * if twice { 2 * SLOT } else { SLOT };
    let more = match sources {
        [_, _, _] if conflicts(u) => registers,
        _ => 0,
    };
    // Rows that each take their own address are read a channel at a time.
    let scattered = match sources.iter().any(|s| s.vx1) {
        true => n,
        false => 0,
    };
    let control = (regs::CR..regs::N0).contains(&usize::from(u.dst.base));
    Cost {
        slot: match control && u.dst.kind != Kind::Null {
            true => CONTROL,
            false => busy + more + scattered,
        },
        busy,
        extended: double,
        result: match twice || dots || wide {
            true => LONG_RESULT,
            false => RESULT,
        },
    }
}

/// What a message costs that finds what it asks for in the cache that is made for it.
struct Service {
    /// Cycles from the end of the SEND's slot to the answer, beside those of its registers.
    answer: u64,
    /// Cycles from one message of eight channels to the next.
    pace: u64,
}

/// Data port messages of the second data cache that are atomic operations: untyped and typed ones, atomic counters, those with
/// addresses of 64 bits, and those of floats.
const ATOMIC: [u32; 11] = [
    0x02, 0x03, 0x06, 0x07, 0x0b, 0x0c, 0x12, 0x13, 0x1b, 0x1c, 0x1d,
];

/// The shared local memory's surface.
const SLM: u32 = 254;

fn service(letter: &Letter) -> Service {
    let desc = letter.desc;
    let (answer, pace) = match letter.sfid {
        // Sampler.
        2 => (214, 16),
        // Gateway.
        3 => (30, 0),
        // Constant cache, and reads by the sampler's.
        4 | 9 => (100, 16),
        // Render cache.
        5 => (300, 0),
        // URB.
        6 => (200, 6),
        // Data cache: scratch memory in blocks; shared local memory; all else is in the L3.
        10 if data_cache_0::CATEGORY.get(desc) == 1 => (146, 8),
        10 | 12 => {
            let atomic =
                letter.sfid == 12 && ATOMIC.contains(&data_cache_1::MESSAGE_TYPE.get(desc));
            let more = if atomic { 30 } else { 0 };
            match desc & 0xff {
                SLM => (100 + more, 20 + more),
                _ => (146 + more, 20 + more),
            }
        }
        // Pixel interpolator.
        11 => (90, 14),
        _ => (50, 0),
    };
    Service { answer, pace }
}

/// What an instruction keeps busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Busy {
    /// Cycles of an FPU.
    pub(crate) any: u64,
    /// Those of them that only one of the two can take.
    pub(crate) extended: u64,
}

/// A thread's clock.
#[derive(Debug)]
pub(crate) struct Clock {
    /// When the issue slot is free.
    now: u64,
    /// When the last message of a thread has been read.
    ended: u64,
    /// When the FPU is free that has the math functions.
    extended: u64,
    /// When shared functions take the next message.
    functions: [u64; 16],
    /// When what was written last can be read.
    written: [u64; PLACES],
    /// When what messages send has been read.
    sent: [u64; ADDRESS],
}

impl Clock {
    pub(crate) fn new() -> Clock {
        Clock {
            now: 0,
            ended: 0,
            extended: 0,
            functions: [0; 16],
            written: [0; PLACES],
            sent: [0; ADDRESS],
        }
    }

    /// Cycles from the thread's start to the end of what it has done so far.
    pub(crate) fn elapsed(&self) -> u64 {
        self.now.max(self.ended)
    }

    /// Takes an instruction that is about to execute with these lanes.
    pub(crate) fn step(&mut self, state: &State, u: &Uop, lanes: u32) -> Busy {
        match u.run {
            Run::Alu(_) | Run::Special => self.compute(state, u),
            Run::Send => {
                self.send(state, u, lanes);
                Busy::default()
            }
            Run::Flow(_) => {
                self.branch(u);
                Busy::default()
            }
            // What it waits for is others' time.
            Run::Wait | Run::Nop => {
                self.now += SLOT;
                Busy::default()
            }
            Run::Trap(_) => Busy::default(),
        }
    }

    /// Waits until what is written there can be read.
    fn wait_read(&self, start: &mut u64, at: usize) {
        if let Some(ready) = self.written.get(at) {
            *start = (*start).max(*ready);
        }
    }

    /// Waits until it may be written.
    fn wait_write(&self, start: &mut u64, at: usize) {
        self.wait_read(start, at);
        if let Some(read) = self.sent.get(at) {
            *start = (*start).max(*read);
        }
    }

    /// When an instruction can issue as far as its predicate and its sources go.
    fn sources_ready(&self, state: &State, u: &Uop) -> u64 {
        let mut start = self.now;
        let mut wait = |at: usize| self.wait_read(&mut start, at);
        if u.pred.is_some() {
            flags(u).for_each(&mut wait);
        }
        let lanes = 0..usize::from(u.n);
        for (k, s) in u.src[..usize::from(u.sources).min(3)].iter().enumerate() {
            let (base, size) = (usize::from(s.base), usize::from(s.size));
            match s.kind {
                Kind::Imm | Kind::Null => {}
                Kind::Indirect => {
                    wait(ADDRESS);
                    for lane in lanes.clone() {
                        if let Ok(at) = general::indirect(state, u, s, lane) {
                            places(at, size, &mut wait);
                        }
                    }
                }
                // A pair of registers for each eight channels.
                _ if u.op == Opcode::Pln && k == 1 => {
                    places(base, lanes.len().div_ceil(8) * 64, &mut wait);
                }
                Kind::Scalar => places(base, size, &mut wait),
                Kind::Contig => places(base, lanes.len() * size, &mut wait),
                Kind::Table => lanes
                    .clone()
                    .for_each(|lane| places(s.offset(lane), size, &mut wait)),
            }
        }
        if matches!(u.op, Opcode::Mac | Opcode::Mach | Opcode::Sada2) {
            accumulators(u, &mut wait);
        }
        if u.dst.kind == Kind::Indirect {
            wait(ADDRESS);
        }
        start
    }

    /// Calls `each` with all places that an instruction writes.
    fn destinations(state: &State, u: &Uop, each: &mut impl FnMut(usize)) {
        let n = usize::from(u.n);
        let bytes = (n - 1) * usize::from(u.dst.stride) + usize::from(u.dst.size);
        let from = match u.dst.kind {
            Kind::Null => None,
            Kind::Indirect => {
                general::address(state, u, usize::from(u.dst.a0_sub), u.dst.disp, 0, bytes).ok()
            }
            _ => Some(usize::from(u.dst.base)),
        };
        if let Some(from) = from {
            // The remainder's registers follow the quotient's.
            let both = u.math == Some(MathFn::IntDivBoth);
            places(from, if both { 2 * bytes } else { bytes }, each);
        }
        // Selections have a condition, and leave flags alone.
        let compares = u.cmod != CondMod::None && !matches!(u.op, Opcode::Sel | Opcode::Csel);
        if compares || matches!(u.math, Some(MathFn::Invm | MathFn::Rsqrtm)) {
            flags(u).for_each(&mut *each);
        }
        if u.acc_wr || matches!(u.op, Opcode::Mach | Opcode::Addc | Opcode::Subb) {
            accumulators(u, each);
        }
    }

    fn compute(&mut self, state: &State, u: &Uop) -> Busy {
        let cost = cost(u);
        let mut start = self.sources_ready(state, u);
        if !u.inst.no_dd_chk {
            Clock::destinations(state, u, &mut |at| self.wait_write(&mut start, at));
        }
        if cost.extended {
            start = start.max(self.extended);
            self.extended = start + cost.busy;
        }
        self.now = start + cost.slot;
        let ready = self.now + cost.result;
        let written = &mut self.written;
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

    fn branch(&mut self, u: &Uop) {
        let mut start = self.now;
        let mut wait = |at: usize| self.wait_read(&mut start, at);
        if u.pred.is_some() {
            flags(u).for_each(&mut wait);
        }
        if u.sources > 0 {
            places(usize::from(u.src[0].base), 8, &mut wait);
        }
        self.now = start + BRANCH;
        if u.dst.kind != Kind::Null
            && let Some(at) = place(usize::from(u.dst.base))
            && let Some(written) = self.written.get_mut(at)
        {
            *written = self.now + RESULT;
        }
    }

    fn send(&mut self, state: &State, u: &Uop, lanes: u32) {
        let eot = u.inst.send.is_some_and(|send| send.eot);
        let mut start = self.now;
        if u.pred.is_some() {
            flags(u).for_each(|at| self.wait_read(&mut start, at));
        }
        let found = match &u.letter {
            Some(letter) => Ok(*letter),
            None => state.letter(u),
        };
        let (true, Ok(letter)) = (lanes != 0 || eot, found) else {
            // Nothing is sent.
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
            self.wait_read(&mut start, ADDRESS);
        }
        let parts = letter.parts.map(|(from, count)| from..from + count);
        for at in parts.iter().cloned().flatten() {
            self.wait_read(&mut start, at);
        }
        let answer = letter.answer.map(|from| from..from + letter.answers);
        let answer = answer.unwrap_or(0..0);
        if !u.inst.no_dd_chk {
            answer
                .clone()
                .for_each(|at| self.wait_write(&mut start, at));
        }
        self.now = start + SLOT;
        let registers = parts.iter().map(|part| part.len() as u64).sum::<u64>();
        let moved = registers * PAYLOAD_REGISTER;
        let read = self.now + PAYLOAD + moved;
        for at in parts.into_iter().flatten() {
            if let Some(sent) = self.sent.get_mut(at) {
                *sent = (*sent).max(read);
            }
        }
        let service = service(&letter);
        if let Some(free) = self.functions.get_mut(usize::from(letter.sfid)) {
            let begun = self.now.max(*free);
            *free = begun + service.pace * u64::from(u.n).div_ceil(8);
            for at in answer {
                if let Some(written) = self.written.get_mut(at) {
                    *written = begun + service.answer + moved;
                }
            }
        }
        if eot {
            self.ended = read;
        }
    }
}
