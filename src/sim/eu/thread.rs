//! One thread: its dispatch, its run loop, statistics and trace.
//!
//! In:  a [`Kernel`], a payload, the state registers. Out: messages, and the reason why a run
//!      ended.
//! Ref: SKL PRM vol. 7, "EU Overview", "Thread Payload", "Execution Mask".

use crate::clock::Clock;
use crate::interpreter;
use crate::kernel::Kernel;
use crate::message::{SharedFunctions, StopReason};
use crate::region::OperandKind;
use crate::regs;
use crate::state::{Options, State};
use crate::uop::{ExecResult, Uop, UopKind};
use isa::{Inst, Opcode};
use std::sync::Arc;

/// How a run ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadExit {
    /// The thread sent its end-of-thread message.
    Eot,
    /// The thread waits for a notification: release it with [`Thread::notify`] and run it again.
    Barrier,
    /// The instruction budget is used up; run the thread again to continue.
    Budget,
}

/// Initial value of cr0.0 besides the float and rounding modes: only single-precision denormals are
/// flushed, until the kernel changes that (SKL PRM vol. 2d, INTERFACE_DESCRIPTOR_DATA, Denorm Mode,
/// Ftz).
pub const KEEP_HALF_AND_DOUBLE_DENORMALS: u32 = 1 << 6 | 1 << 10;

/// The vector mask of a dispatch mask: all four bits of each group of four with any bit set.
fn vector_mask_of(mask: u32) -> u32 {
    let any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111_1111;
    any * 15
}

/// Initial values of a thread's state registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadInit {
    /// sr0.0..sr0.7: dispatch state. sr0.2 is replaced by the dispatch mask (DMask), sr0.3 by the
    /// vector mask (VMask): all channels of each group of four with an enabled one (SKL PRM vol. 7,
    /// "State Register").
    pub sr0: [u32; 8],
    /// Initially the channels of the vector mask are active instead of those of the dispatch mask.
    pub vector_mask: bool,
    /// cr0.0: bit 0 float mode (ALT), bits 5:4 rounding mode, bit 6 keep DF denormals, bit 7 keep F
    /// denormals, bit 10 keep HF denormals.
    pub cr0: u32,
    /// tdr0.0..tdr0.7, as words in dwords.
    pub tdr0: [u32; 4],
}

/// Counters of executed instructions. Without [`Options::statistics`], only `instructions` is
/// counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadStatistics {
    /// Instructions executed.
    pub instructions: u64,
    /// Enabled lanes, summed over the instructions.
    pub lanes: u64,
    /// Instructions by class: see [`ThreadStatistics::CLASSES`].
    pub by_class: [u64; 6],
    /// Cycles in which an FPU of the EU executes the instructions; no waiting time.
    pub busy: u64,
    /// The cycles of `busy` that only one of the EU's two FPUs can execute: math functions and
    /// doubles.
    pub extended: u64,
    /// Cycles from the start of a thread to its end if it has the EU to itself, including all
    /// waiting time but that at barriers. Summed over threads.
    pub alone: u64,
}

impl std::ops::AddAssign<&ThreadStatistics> for ThreadStatistics {
    fn add_assign(&mut self, other: &ThreadStatistics) {
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

impl ThreadStatistics {
    /// Names of the classes.
    pub const CLASSES: [&'static str; 6] = ["move", "logic", "arithmetic", "math", "flow", "send"];

    /// Estimates the cycles that one EU takes for these threads if it runs `threads_per_eu` of them
    /// at once. The waiting time of one thread is hidden behind the work of others: the estimate is
    /// the larger one of the work of the two FPUs and the threads' total time divided by the number
    /// of threads.
    pub fn estimate(&self, threads_per_eu: u32) -> u64 {
        let work = self.busy.div_ceil(2).max(self.extended);
        work.max(self.alone.div_ceil(u64::from(threads_per_eu).max(1)))
    }

    /// Index of an opcode's class in [`ThreadStatistics::CLASSES`].
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

/// Receives every instruction before it executes.
pub trait TraceSink: Send {
    /// Called with the instruction at byte offset `ip` and its enabled lanes (lane 0 of the
    /// instruction in bit 0).
    fn instruction(&mut self, ip: u64, inst: &Inst, lanes: u32);
}

/// A thread on an EU.
pub struct Thread {
    /// None while [`Thread::run`] has it.
    kernel: Option<Arc<Kernel>>,
    pub(crate) state: State,
    pc: u32,
    statistics: ThreadStatistics,
    trace: Option<Box<dyn TraceSink>>,
    /// None unless [`Options::statistics`] is set.
    clock: Option<Box<Clock>>,
    /// Payload length and active channels of a thread of a straight-line kernel that has computed
    /// nothing from uninitialised registers. Others with the same values do not either, and are not
    /// checked.
    init_checked_for: Option<(usize, u32)>,
    payload_dwords: usize,
    done: bool,
}

/// Byte offset of the notification counter that a WAIT waits for.
fn wait_register(u: &Uop) -> usize {
    match u.inst.src[0].addr {
        isa::Addr::Direct { sub_bytes, .. } => regs::N0 + usize::from(sub_bytes & 12),
        isa::Addr::Indirect { .. } => regs::N0,
    }
}

impl Thread {
    /// Dispatches a thread of `kernel` with `payload` in g0 and on and the channels of
    /// `dispatch_mask`. All other registers are zero.
    pub fn new(
        kernel: &Arc<Kernel>,
        payload: &[u32],
        dispatch_mask: u32,
        init: &ThreadInit,
        options: Options,
    ) -> Thread {
        let mut t = Thread {
            kernel: Some(Arc::clone(kernel)),
            state: State::new(options),
            pc: 0,
            statistics: ThreadStatistics::default(),
            trace: None,
            clock: options.statistics.then(|| Box::new(Clock::new())),
            init_checked_for: None,
            payload_dwords: 0,
            done: false,
        };
        t.start(kernel, payload, dispatch_mask, init);
        t
    }

    /// Dispatches another thread in the memory of this one: like [`Thread::new`], but faster.
    pub fn reset(
        &mut self,
        kernel: &Arc<Kernel>,
        payload: &[u32],
        dispatch_mask: u32,
        init: &ThreadInit,
    ) {
        let same = self.kernel.as_ref().is_some_and(|k| Arc::ptr_eq(k, kernel));
        if !same {
            self.kernel = Some(Arc::clone(kernel));
            self.init_checked_for = None;
            self.state.regs.clear();
        } else {
            self.clear_registers(kernel, payload.len(), dispatch_mask);
        }
        self.statistics = ThreadStatistics::default();
        if let Some(clock) = &mut self.clock {
            **clock = Clock::new();
        }
        self.start(kernel, payload, dispatch_mask, init);
    }

    /// Zeroes the registers that this thread may have written and that the next thread of the same
    /// kernel, with a payload of `dwords`, could read before it writes them.
    fn clear_registers(&mut self, kernel: &Kernel, dwords: usize, dispatch_mask: u32) {
        let ranges = &kernel.clear_ranges;
        let regs = &mut self.state.regs;
        let all = ranges.channels & !dispatch_mask == 0;
        match all && dwords >= self.payload_dwords {
            true => regs.clear_qwords(&ranges.read_before_written),
            false => {
                let payload = 0..self.payload_dwords.div_ceil(2);
                regs.clear_qwords(&ranges.written);
                regs.clear_qwords(&[payload]);
            }
        }
        if ranges.writes_arf {
            regs.clear_arf();
        }
    }

    fn start(&mut self, kernel: &Kernel, payload: &[u32], dispatch_mask: u32, init: &ThreadInit) {
        self.pc = kernel.first;
        let state = &mut self.state;
        let vector_mask = vector_mask_of(dispatch_mask);
        state.amask = match init.vector_mask {
            true => vector_mask,
            false => dispatch_mask,
        };
        state.waiting = 0;
        self.done = false;
        let n = payload.len().min(regs::GRF_BYTES / 4);
        self.payload_dwords = n;
        let checked = state.options.uninit && self.init_checked_for != Some((n, state.amask));
        state.written = checked.then(|| Box::new([0; 128]));
        state.undefined.clear();
        state.regs.dwords_mut()[..n].copy_from_slice(&payload[..n]);
        state.mark_written(0, n * 4);
        let mut sr0 = init.sr0;
        (sr0[2], sr0[3]) = (dispatch_mask, vector_mask);
        state.regs.set_dwords(regs::SR, &sr0);
        state.regs.set_dwords(regs::TDR, &init.tdr0);
        state.regs.set_dword(regs::CR, init.cr0);
        state.update_fp_mode();
    }

    /// Passes every instruction to `sink` before it executes.
    pub fn set_trace(&mut self, sink: Box<dyn TraceSink>) {
        self.trace = Some(sink);
    }

    /// The GRF: 128 registers of eight dwords.
    pub fn grf(&self) -> &[u32] {
        self.state.regs.grf()
    }

    /// The flag registers: f0 in the low half, f1 in the high half.
    pub fn flags(&self) -> u64 {
        self.state.regs.flags()
    }

    /// The active channels.
    pub fn active(&self) -> u32 {
        self.state.amask
    }

    /// Counters since the thread was dispatched.
    pub fn statistics(&self) -> &ThreadStatistics {
        &self.statistics
    }

    /// Byte offset of the next instruction.
    pub fn ip(&self) -> u64 {
        let kernel = self.kernel.as_ref();
        let next = kernel.and_then(|kernel| kernel.uops.get(self.pc as usize));
        next.map_or(0, |u| u.ip)
    }

    /// Increments n0.0: releases the barrier that the thread waits for.
    pub fn notify(&mut self) {
        let n = self.state.regs.dword(regs::N0);
        self.state.regs.set_dword(regs::N0, n.wrapping_add(1));
    }

    /// Runs until the end of the thread, a barrier, or `budget` instructions. A thread that has
    /// ended stays at [`ThreadExit::Eot`].
    ///
    /// # Errors
    /// The program does something undefined, not simulated, or that faults. The thread has
    /// ended then.
    pub fn run(
        &mut self,
        sf: &mut dyn SharedFunctions,
        budget: u64,
    ) -> Result<ThreadExit, StopReason> {
        // Moved out rather than cloned: the reference count is shared between host threads, and its
        // cache line contended.
        let (false, Some(kernel)) = (self.done, self.kernel.take()) else {
            return Ok(ThreadExit::Eot);
        };
        let observed =
            self.state.options.statistics || self.state.written.is_some() || self.trace.is_some();
        // Indices of the current instruction and of the next.
        let (mut at, mut pc) = (self.pc, self.pc);
        let mut left = budget;
        let end = loop {
            if left == 0 {
                break Ok(ThreadExit::Budget);
            }
            let Some(u) = kernel.uops.get(pc as usize) else {
                let from = kernel.uops.get(at as usize);
                break Err(Box::new(StopReason::Fault {
                    what: "jump to an instruction that does not exist".into(),
                    at: from.map_or(0, |u| u.ip),
                }));
            };
            at = pc;
            if u.is_join_point && self.state.waiting != 0 {
                self.state.wake(pc);
            }
            if observed && let Err(e) = self.observe(u) {
                break Err(e);
            }
            left -= 1;
            let done = match &u.kind {
                UopKind::Alu(f) => f(&mut self.state, u),
                UopKind::Nop => Ok(()),
                UopKind::Send => match self.state.send(u, sf) {
                    Ok(true) => {
                        self.done = true;
                        let state = &self.state;
                        if kernel.straight_line && state.written.is_some() && !state.undefined.any {
                            self.init_checked_for = Some((self.payload_dwords, self.state.amask));
                        }
                        break Ok(ThreadExit::Eot);
                    }
                    Ok(false) => Ok(()),
                    Err(e) => Err(e),
                },
                UopKind::Wait => {
                    let at = wait_register(u);
                    let n = self.state.regs.dword(at);
                    if n == 0 {
                        left += 1;
                        break Ok(ThreadExit::Barrier);
                    }
                    self.state.regs.set_dword(at, n - 1);
                    Ok(())
                }
                UopKind::Flow(_) | UopKind::Special | UopKind::Trap(_) => {
                    match self.execute_control(u, sf, &kernel) {
                        Ok(next) => {
                            pc = next;
                            continue;
                        }
                        Err(e) => Err(e),
                    }
                }
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

    /// Executes an instruction that may change the instruction pointer, or traps. Returns the index
    /// of the next instruction.
    #[inline(never)]
    fn execute_control(
        &mut self,
        u: &Uop,
        sf: &mut dyn SharedFunctions,
        kernel: &Kernel,
    ) -> Result<u32, Box<StopReason>> {
        match &u.kind {
            UopKind::Flow(f) => self.state.flow(*f, u, kernel),
            UopKind::Special => self.execute_special(u, sf, kernel),
            UopKind::Trap(stop) => Err(stop.clone()),
            _ => Ok(u.next),
        }
    }

    /// Executes a [`UopKind::Special`]: updates ce0, ip and tm0 before, and applies writes of cr0
    /// and ip after.
    fn execute_special(
        &mut self,
        u: &Uop,
        sf: &mut dyn SharedFunctions,
        kernel: &Kernel,
    ) -> Result<u32, Box<StopReason>> {
        let state = &mut self.state;
        if u.src.iter().any(|s| s.within(regs::TM, regs::FC)) {
            let now = sf.timestamp();
            state.regs.set_dword(regs::TM, now as u32);
            state.regs.set_dword(regs::TM + 4, (now >> 32) as u32);
        }
        state.regs.set_dword(regs::CE, state.amask);
        state.regs.set_dword(regs::IP, u.ip as u32);
        interpreter::execute(state, u)?;
        if matches!(u.dst.kind, OperandKind::Contiguous | OperandKind::Table) {
            let base = usize::from(u.dst.base);
            if (regs::CR..regs::N0).contains(&base) {
                state.update_fp_mode();
            }
            if (regs::IP..regs::TDR).contains(&base) {
                let at = u64::from(state.regs.dword(regs::IP));
                return kernel.index_of(at).ok_or_else(|| {
                    Box::new(StopReason::Unimplemented {
                        what: format!("write of {at:#x} to ip"),
                        at: u.ip,
                    })
                });
            }
        }
        Ok(u.next)
    }

    /// Traces, counts and checks an instruction before it executes.
    #[inline(never)]
    fn observe(&mut self, u: &Uop) -> ExecResult {
        let lanes = self.state.mask(u);
        if let Some(t) = &mut self.trace {
            t.instruction(u.ip, &u.inst, lanes);
        }
        // A blocked WAIT is retried in each run but counts once, when it passes.
        let waits = matches!(u.kind, UopKind::Wait) && self.state.regs.dword(wait_register(u)) == 0;
        if let Some(clock) = self.clock.as_mut().filter(|_| !waits) {
            let statistics = &mut self.statistics;
            statistics.lanes += u64::from(lanes.count_ones());
            statistics.by_class[ThreadStatistics::class(u.op)] += 1;
            let busy = clock.issue(&self.state, u, lanes);
            statistics.busy += busy.any;
            statistics.extended += busy.extended;
            statistics.alone = clock.elapsed();
        }
        self.state.check_uninitialised(u, lanes)
    }
}

#[cfg(test)]
mod tests;
