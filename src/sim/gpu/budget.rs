//! Instruction budgets: a batch, command or thread that exceeds its own counts as a hang. Work is
//! counted, not time: the same batch hangs or does not on any machine, however busy it is.
//!
//! In:  counts of executed instructions. Out: whether a budget is spent, and the address range in
//!      which the last thread loops.

use eu::{SharedFunctions, StopReason, Thread, ThreadExit};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Instructions that a batch, each of its draws and dispatches, and each of their threads may
/// execute. A vertex, an instance and an object count as an instruction each, so that draws without
/// shaders end, too.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: InstructionLimits,
    /// What is left to the batch after the commands before this one.
    of_batch: AtomicU64,
    /// What the command may have, and what is left to it.
    of_command: AtomicU64,
    left: AtomicU64,
}

/// Numbers of instructions beyond which work counts as a hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionLimits {
    /// Of a batch, over all its draws and dispatches.
    pub batch: u64,
    /// Of a draw or dispatch, over all its threads.
    pub command: u64,
    /// Of a thread.
    pub thread: u64,
}

impl InstructionLimits {
    /// The same limit for batches, commands and threads.
    pub const fn of_all(instructions: u64) -> InstructionLimits {
        InstructionLimits {
            batch: instructions,
            command: instructions,
            thread: instructions,
        }
    }
}

/// Number of instructions that are stepped to find the loop that a thread is in.
const LOOP_STEPS: u32 = 1 << 14;

/// How users raise the limits.
const MORE: &str = "hang=SECONDS in INGOT_SIM allows more";

/// The thread that spent the budget.
pub(crate) struct Suspect<'a> {
    /// Its stage: "CS", "VS" and so on.
    pub stage: &'a str,
    /// Address of its kernel; below, of the instruction heap that holds the kernel.
    pub kernel: u64,
    pub heap: u64,
    /// Address of the draw or dispatch.
    pub at: u64,
}

impl Budget {
    /// The budget of a batch.
    pub fn new(limits: InstructionLimits) -> Budget {
        let first = limits.command.min(limits.batch);
        Budget {
            limits,
            of_batch: AtomicU64::new(limits.batch),
            of_command: AtomicU64::new(first),
            left: AtomicU64::new(first),
        }
    }

    /// Gives the next draw or dispatch a budget of its own, out of what is left to the batch.
    pub fn begin_command(&self) {
        let spent = self.of_command.load(Relaxed) - self.left.load(Relaxed);
        let of_batch = self.of_batch.load(Relaxed).saturating_sub(spent);
        let next = self.limits.command.min(of_batch);
        self.of_batch.store(of_batch, Relaxed);
        self.of_command.store(next, Relaxed);
        self.left.store(next, Relaxed);
    }

    /// Whether a thread may go on after this many instructions.
    pub fn allows_thread(&self, instructions: u64) -> bool {
        instructions <= self.limits.thread
    }

    /// Subtracts instructions from what the command has left; false if it had fewer.
    pub fn spend(&self, instructions: u64) -> bool {
        let spend = |left: u64| Some(left.saturating_sub(instructions));
        let before = self.left.fetch_update(Relaxed, Relaxed, spend);
        before.is_ok_and(|left| left >= instructions)
    }

    /// Charges a command for vertices, instances or objects.
    ///
    /// # Errors
    /// The command has spent its budget.
    pub fn spend_on_fixed_functions(&self, items: usize, at: u64) -> Result<(), StopReason> {
        if self.spend(items as u64) {
            return Ok(());
        }
        Err(StopReason::Fault {
            what: format!(
                "hang: a draw has run {} instructions, its vertices and objects counted ({MORE})",
                self.of_command.load(Relaxed)
            ),
            at,
        })
    }

    /// Returns the error for the thread that spent a budget. Steps it a little further to find its
    /// loop.
    pub fn hang(
        &self,
        suspect: &Suspect<'_>,
        thread: &mut Thread,
        units: &mut dyn SharedFunctions,
    ) -> StopReason {
        let executed = thread.statistics().instructions;
        let spent = if self.allows_thread(executed) {
            let of_command = self.of_command.load(Relaxed);
            match of_command == self.limits.command {
                true => format!("a draw or dispatch has run {of_command} instructions"),
                false => format!("the batch has run {} instructions", self.limits.batch),
            }
        } else {
            format!("a thread has run {executed} instructions")
        };
        let (mut first, mut last) = (u64::MAX, 0);
        let mut steps = 0;
        while steps < LOOP_STEPS {
            let ip = thread.ip();
            (first, last) = (first.min(ip), last.max(ip));
            steps += 1;
            if !matches!(thread.run(units, 1), Ok(ThreadExit::Budget)) {
                break;
            }
        }
        let Suspect {
            stage,
            kernel,
            heap,
            at,
        } = suspect;
        let goes = match steps {
            LOOP_STEPS => format!(
                "goes round from {:#x} to {:#x}",
                heap.wrapping_add(first),
                heap.wrapping_add(last)
            ),
            _ => "is not in a loop: there are too many threads".into(),
        };
        StopReason::Fault {
            what: format!(
                "hang: {spent} ({MORE}); the thread of {stage} that ran last, kernel {kernel:#x}, {goes}"
            ),
            at: *at,
        }
    }
}
