//! One thread: its registers, its channels, and the loop that runs it.
//!
//! In:  a [`Kernel`], a payload, the state registers. Out: messages, and why it stopped.
//! Ref: SKL PRM vol. 7, "EU Overview", "Thread Payload", "Execution Mask".

use crate::clock::Clock;
use crate::general;
use crate::kernel::Kernel;
use crate::message::{SharedFunctions, Stop};
use crate::region::Kind;
use crate::regs;
use crate::state::{Options, State};
use crate::uop::{R, Run, Uop};
use isa::{Inst, Opcode};
use std::sync::Arc;

/// How a run ended without anything being wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The thread sent its end-of-thread message.
    Eot,
    /// It waits for a notification: release it with [`Thread::notify`] and run it again.
    Barrier,
    /// The budget is used up; run it again to go on.
    Budget,
}

/// What cr0.0 begins with beside the float and rounding modes: only denormals of single precision are flushed, until the
/// kernel asks otherwise (SKL PRM vol. 2d, INTERFACE_DESCRIPTOR_DATA, Denorm Mode, Ftz).
pub const KEEP_HALF_AND_DOUBLE_DENORMALS: u32 = 1 << 6 | 1 << 10;

/// All four bits of each group of four that has any.
fn whole_fours(mask: u32) -> u32 {
    let any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111_1111;
    any * 15
}

/// Initial values of a thread's state registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Init {
    /// sr0.0..sr0.7: dispatch state. sr0.2 is replaced by the dispatch mask, sr0.3 by the vector mask: the dispatch mask's
    /// groups of four channels that have any on (SKL PRM vol. 7, "State Register", DMask and VMask).
    pub sr0: [u32; 8],
    /// The thread begins with the vector mask's channels instead of the dispatch mask's.
    pub vector_mask: bool,
    /// cr0.0: bit 0 float mode (ALT), bits 5:4 rounding mode, bit 6 keep DF denormals, bit 7 keep F denormals,
    /// bit 10 keep HF denormals.
    pub cr0: u32,
    /// tdr0.0..tdr0.7, as words in dwords.
    pub tdr0: [u32; 4],
}

/// What a thread has executed, where [`Options::statistics`] is set (`instructions` is always counted).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions executed.
    pub instructions: u64,
    /// Enabled lanes of all of them.
    pub lanes: u64,
    /// Instructions by class: see [`Statistics::CLASSES`].
    pub by_class: [u64; 6],
    /// Cycles in which an FPU of the EU is busy with them. What threads wait for is not in it.
    pub busy: u64,
    /// Those of them that only one of the EU's two FPUs can take: math functions and doubles.
    pub extended: u64,
    /// Cycles from a thread's start to its end, if it has the EU to itself: with all that it waits for but barriers. Summed
    /// over threads.
    pub alone: u64,
}

impl std::ops::AddAssign<&Statistics> for Statistics {
    fn add_assign(&mut self, other: &Statistics) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        for (to, from) in self.by_class.iter_mut().zip(other.by_class) {
            *to += from;
        }
        self.busy += other.busy;
        self.extended += other.extended;
        self.alone += other.alone;
    }
}

impl Statistics {
    /// Names of the classes.
    pub const CLASSES: [&'static str; 6] = ["move", "logic", "arithmetic", "math", "flow", "send"];

    /// Cycles that one EU takes for these threads, if it runs so many of them at once: one's waits are hidden behind the work
    /// of the others as far as they have any. Whatever is more, the work of the two FPUs, or the threads' time one after the
    /// other in each of the EU's slots.
    pub fn estimate(&self, threads_per_eu: u32) -> u64 {
        let work = self.busy.div_ceil(2).max(self.extended);
        work.max(self.alone.div_ceil(u64::from(threads_per_eu).max(1)))
    }

    fn class(op: Opcode) -> usize {
        match op {
            Opcode::Mov
            | Opcode::Sel
            | Opcode::Movi
            | Opcode::Smov
            | Opcode::Dim
            | Opcode::Csel => 0,
            Opcode::Not
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor
            | Opcode::Shr
            | Opcode::Shl
            | Opcode::Asr
            | Opcode::Ror
            | Opcode::Rol
            | Opcode::Cmp
            | Opcode::Cmpn => 1,
            Opcode::Math => 3,
            Opcode::Send | Opcode::Sendc | Opcode::Sends | Opcode::Sendsc => 5,
            Opcode::Jmpi
            | Opcode::Brd
            | Opcode::If
            | Opcode::Brc
            | Opcode::Else
            | Opcode::Endif
            | Opcode::While
            | Opcode::Break
            | Opcode::Cont
            | Opcode::Halt
            | Opcode::Calla
            | Opcode::Call
            | Opcode::Ret
            | Opcode::Goto
            | Opcode::Join
            | Opcode::Wait
            | Opcode::Sync
            | Opcode::Nop => 4,
            _ => 2,
        }
    }
}

/// Sees every instruction before it executes.
pub trait TraceSink: Send {
    /// The instruction at byte offset `ip`, and its enabled lanes (lane 0 of the instruction in bit 0).
    fn instruction(&mut self, ip: u64, inst: &Inst, lanes: u32);
}

/// A thread on an EU.
pub struct Thread {
    /// None while it runs.
    kernel: Option<Arc<Kernel>>,
    pub(crate) state: State,
    pc: u32,
    statistics: Statistics,
    trace: Option<Box<dyn TraceSink>>,
    /// Kept where [`Options::statistics`] is set.
    clock: Option<Box<Clock>>,
    /// Length of the payload and channels of a thread of a straight kernel that has found all it used written: one like it
    /// finds the same.
    vetted: Option<(usize, u32)>,
    payload_dwords: usize,
    done: bool,
}

/// The notification counter that a WAIT looks at.
fn wait_register(u: &Uop) -> usize {
    match u.inst.src[0].addr {
        isa::Addr::Direct { sub_bytes, .. } => regs::N0 + usize::from(sub_bytes & 12),
        isa::Addr::Indirect { .. } => regs::N0,
    }
}

impl Thread {
    /// A thread at the start of `kernel`, with `payload` in g0 and on, and the channels of `dispatch_mask`.
    pub fn new(
        kernel: &Arc<Kernel>,
        payload: &[u32],
        dispatch_mask: u32,
        init: &Init,
        options: Options,
    ) -> Thread {
        let mut t = Thread {
            kernel: Some(Arc::clone(kernel)),
            state: State::new(options),
            pc: 0,
            statistics: Statistics::default(),
            trace: None,
            clock: options.statistics.then(|| Box::new(Clock::new())),
            vetted: None,
            payload_dwords: 0,
            done: false,
        };
        t.start(kernel, payload, dispatch_mask, init);
        t
    }

    /// Makes this thread a new one of another kernel, reusing its memory. Registers start as zeros.
    pub fn reset(
        &mut self,
        kernel: &Arc<Kernel>,
        payload: &[u32],
        dispatch_mask: u32,
        init: &Init,
    ) {
        let same = self.kernel.as_ref().is_some_and(|k| Arc::ptr_eq(k, kernel));
        if !same {
            self.kernel = Some(Arc::clone(kernel));
            self.vetted = None;
            self.state.regs.clear();
        } else {
            self.clear(kernel, payload.len(), dispatch_mask);
        }
        self.statistics = Statistics::default();
        if let Some(clock) = &mut self.clock {
            **clock = Clock::new();
        }
        self.start(kernel, payload, dispatch_mask, init);
    }

    /// Makes registers zero again that this thread may have written and another of the same kernel may look at.
    fn clear(&mut self, kernel: &Kernel, dwords: usize, dispatch_mask: u32) {
        let left = &kernel.leftovers;
        let regs = &mut self.state.regs;
        let all = left.channels & !dispatch_mask == 0;
        match all && dwords >= self.payload_dwords {
            true => regs.clear_parts(&left.seen),
            false => {
                let payload = 0..self.payload_dwords.div_ceil(2);
                regs.clear_parts(&left.written);
                regs.clear_parts(&[payload]);
            }
        }
        if left.architecture {
            regs.clear_architecture();
        }
    }

    fn start(&mut self, kernel: &Kernel, payload: &[u32], dispatch_mask: u32, init: &Init) {
        self.pc = kernel.first;
        let state = &mut self.state;
        let vector_mask = whole_fours(dispatch_mask);
        state.amask = match init.vector_mask {
            true => vector_mask,
            false => dispatch_mask,
        };
        state.waiting = 0;
        self.done = false;
        let n = payload.len().min(regs::GRF_BYTES / 4);
        self.payload_dwords = n;
        let looked_at = state.options.uninit && self.vetted != Some((n, state.amask));
        state.written = looked_at.then(|| Box::new([0; 128]));
        state.regs.dwords_mut()[..n].copy_from_slice(&payload[..n]);
        state.mark_written(0, n * 4);
        let mut sr0 = init.sr0;
        (sr0[2], sr0[3]) = (dispatch_mask, vector_mask);
        state.regs.set_dwords(regs::SR, &sr0);
        state.regs.set_dwords(regs::TDR, &init.tdr0);
        state.regs.set_dword(regs::CR, init.cr0);
        state.set_mode();
    }

    /// Sends every instruction to `sink` before it executes.
    pub fn set_trace(&mut self, sink: Box<dyn TraceSink>) {
        self.trace = Some(sink);
    }

    /// The GRF: 128 registers of eight dwords.
    pub fn grf(&self) -> &[u32] {
        self.state.regs.grf()
    }

    /// f0 in the low half, f1 in the high half.
    pub fn flags(&self) -> u64 {
        self.state.regs.flags()
    }

    /// Channels that take part now.
    pub fn active(&self) -> u32 {
        self.state.amask
    }

    /// What has been executed.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Byte offset of the next instruction.
    pub fn ip(&self) -> u64 {
        let kernel = self.kernel.as_ref();
        let next = kernel.and_then(|kernel| kernel.uops.get(self.pc as usize));
        next.map_or(0, |u| u.ip)
    }

    /// Delivers a notification: the barrier the thread waits for is released.
    pub fn notify(&mut self) {
        let n = self.state.regs.dword(regs::N0);
        self.state.regs.set_dword(regs::N0, n.wrapping_add(1));
    }

    /// Runs until the end of the thread, a barrier, or `budget` instructions.
    ///
    /// # Errors
    /// Where the program does something undefined, not simulated, or that faults; the thread is finished then.
    pub fn run(&mut self, sf: &mut dyn SharedFunctions, budget: u64) -> Result<Exit, Stop> {
        // Taken rather than counted: what others count, too, the host's processors wait for.
        let (false, Some(kernel)) = (self.done, self.kernel.take()) else {
            return Ok(Exit::Eot);
        };
        let observed =
            self.state.options.statistics || self.state.written.is_some() || self.trace.is_some();
        // The instruction at work, and the next.
        let (mut at, mut pc) = (self.pc, self.pc);
        let mut left = budget;
        let end = loop {
            if left == 0 {
                break Ok(Exit::Budget);
            }
            let Some(u) = kernel.uops.get(pc as usize) else {
                let from = kernel.uops.get(at as usize);
                break Err(Box::new(Stop::Fault {
                    what: "jump to an instruction that does not exist".into(),
                    at: from.map_or(0, |u| u.ip),
                }));
            };
            at = pc;
            if u.join && self.state.waiting != 0 {
                self.state.wake(pc);
            }
            if observed && let Err(e) = self.observe(u) {
                break Err(e);
            }
            left -= 1;
            let done = match &u.run {
                Run::Alu(f) => f(&mut self.state, u),
                Run::Nop => Ok(()),
                Run::Send => match self.state.send(u, sf) {
                    Ok(true) => {
                        self.done = true;
                        if kernel.straight && self.state.written.is_some() {
                            self.vetted = Some((self.payload_dwords, self.state.amask));
                        }
                        break Ok(Exit::Eot);
                    }
                    Ok(false) => Ok(()),
                    Err(e) => Err(e),
                },
                Run::Wait => {
                    let at = wait_register(u);
                    let n = self.state.regs.dword(at);
                    if n == 0 {
                        left += 1;
                        break Ok(Exit::Barrier);
                    }
                    self.state.regs.set_dword(at, n - 1);
                    Ok(())
                }
                Run::Flow(_) | Run::Special | Run::Trap(_) => match self.turn(u, sf, &kernel) {
                    Ok(next) => {
                        pc = next;
                        continue;
                    }
                    Err(e) => Err(e),
                },
            };
            match done {
                Ok(()) => pc = u.next,
                Err(e) => break Err(e),
            }
        };
        self.kernel = Some(kernel);
        self.pc = pc;
        self.statistics.instructions += budget - left;
        match end {
            Ok(e) => Ok(e),
            Err(e) => {
                self.done = true;
                Err(*e)
            }
        }
    }

    /// An instruction after which another may come than the next, and where it leads to.
    #[inline(never)]
    fn turn(
        &mut self,
        u: &Uop,
        sf: &mut dyn SharedFunctions,
        kernel: &Kernel,
    ) -> Result<u32, Box<Stop>> {
        match &u.run {
            Run::Flow(f) => self.state.flow(*f, u, kernel),
            Run::Special => self.special(u, sf, kernel),
            Run::Trap(stop) => Err(stop.clone()),
            _ => Ok(u.next),
        }
    }

    /// An instruction on registers that change by themselves or that change the thread.
    fn special(
        &mut self,
        u: &Uop,
        sf: &mut dyn SharedFunctions,
        kernel: &Kernel,
    ) -> Result<u32, Box<Stop>> {
        let state = &mut self.state;
        if u.src.iter().any(|s| s.within(regs::TM, regs::FC)) {
            let now = sf.timestamp();
            state.regs.set_dword(regs::TM, now as u32);
            state.regs.set_dword(regs::TM + 4, (now >> 32) as u32);
        }
        state.regs.set_dword(regs::CE, state.amask);
        state.regs.set_dword(regs::IP, u.ip as u32);
        general::execute(state, u)?;
        if matches!(u.dst.kind, Kind::Contig | Kind::Table) {
            let base = usize::from(u.dst.base);
            if (regs::CR..regs::N0).contains(&base) {
                state.set_mode();
            }
            if (regs::IP..regs::TDR).contains(&base) {
                let at = u64::from(state.regs.dword(regs::IP));
                return kernel.at(at).ok_or_else(|| {
                    Box::new(Stop::Unimplemented {
                        what: format!("write of {at:#x} to ip"),
                        at: u.ip,
                    })
                });
            }
        }
        Ok(u.next)
    }

    /// Everything that watches an instruction rather than executes it.
    #[inline(never)]
    fn observe(&mut self, u: &Uop) -> R {
        let lanes = self.state.mask(u);
        if let Some(t) = &mut self.trace {
            t.instruction(u.ip, &u.inst, lanes);
        }
        // A thread looks at a WAIT anew each time it is run, and takes it once.
        let waits = matches!(u.run, Run::Wait) && self.state.regs.dword(wait_register(u)) == 0;
        if let Some(clock) = self.clock.as_mut().filter(|_| !waits) {
            let statistics = &mut self.statistics;
            statistics.lanes += u64::from(lanes.count_ones());
            statistics.by_class[Statistics::class(u.op)] += 1;
            let busy = clock.step(&self.state, u, lanes);
            statistics.busy += busy.any;
            statistics.extended += busy.extended;
            statistics.alone = clock.elapsed();
        }
        self.state.watch(u, lanes)
    }
}
