//! Instruction budget of a batch: a batch that exceeds it counts as a hang.
//!
//! In:  counts of executed instructions. Out: whether the budget is spent, and the address range in
//!      which the last thread loops.

use eu::{SharedFunctions, StopReason, Thread, ThreadExit};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Instructions that all threads of a batch may execute together.
#[derive(Debug)]
pub(crate) struct Budget {
    all: u64,
    left: AtomicU64,
}

/// Number of instructions that are stepped to find the loop that a thread is in.
const LOOP_STEPS: u32 = 1 << 14;

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
    /// A budget of this many instructions.
    pub fn new(all: u64) -> Budget {
        Budget {
            all,
            left: AtomicU64::new(all),
        }
    }

    /// Subtracts the instructions that a thread executed; false if fewer were left.
    pub fn spend(&self, instructions: u64) -> bool {
        let spend = |left: u64| Some(left.saturating_sub(instructions));
        let before = self.left.fetch_update(Relaxed, Relaxed, spend);
        before.is_ok_and(|left| left >= instructions)
    }

    /// Returns the error for the thread that spent the budget. Steps it a little further to find
    /// its loop.
    pub fn hang(
        &self,
        suspect: &Suspect<'_>,
        thread: &mut Thread,
        units: &mut dyn SharedFunctions,
    ) -> StopReason {
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
                "hang: the batch has run {} instructions; the thread of {stage} that ran last, kernel {kernel:#x}, {goes}",
                self.all
            ),
            at: *at,
        }
    }
}
