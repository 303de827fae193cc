//! How much a batch may run before it counts as a hang.
//!
//! In:  instructions as threads run them. Out: whether there are more to run; if not, where the thread that ran last goes round.

use eu::{Exit, SharedFunctions, Stop, Thread};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Instructions that all threads of a batch may run together.
#[derive(Debug)]
pub(crate) struct Budget {
    all: u64,
    left: AtomicU64,
}

/// Instructions that are looked at to tell which loop a thread is in.
const LOOKED_AT: u32 = 1 << 14;

/// The thread that ran when the budget was spent.
pub(crate) struct Suspect<'a> {
    /// What it is a thread of: "CS", "VS" and so on.
    pub stage: &'a str,
    /// Address of its kernel, and of the instruction heap that the kernel is in.
    pub kernel: u64,
    pub heap: u64,
    /// Address of the draw or dispatch.
    pub at: u64,
}

impl Budget {
    /// This many instructions.
    pub fn new(all: u64) -> Budget {
        Budget {
            all,
            left: AtomicU64::new(all),
        }
    }

    /// Takes what a thread has run; false where that is more than is left.
    pub fn spend(&self, instructions: u64) -> bool {
        let spend = |left: u64| Some(left.saturating_sub(instructions));
        let before = self.left.fetch_update(Relaxed, Relaxed, spend);
        before.is_ok_and(|left| left >= instructions)
    }

    /// The hang of a thread that has spent the rest. It runs a little further, to tell where it goes round.
    pub fn hang(
        &self,
        suspect: &Suspect<'_>,
        thread: &mut Thread,
        units: &mut dyn SharedFunctions,
    ) -> Stop {
        let (mut first, mut last) = (u64::MAX, 0);
        let mut turns = 0;
        while turns < LOOKED_AT {
            let ip = thread.ip();
            (first, last) = (first.min(ip), last.max(ip));
            turns += 1;
            if !matches!(thread.run(units, 1), Ok(Exit::Budget)) {
                break;
            }
        }
        let Suspect {
            stage,
            kernel,
            heap,
            at,
        } = suspect;
        let goes = match turns {
            LOOKED_AT => format!(
                "goes round from {:#x} to {:#x}",
                heap.wrapping_add(first),
                heap.wrapping_add(last)
            ),
            _ => "is not in a loop: there are too many threads".into(),
        };
        Stop::Fault {
            what: format!(
                "hang: the batch has run {} instructions; the thread of {stage} that ran last, kernel {kernel:#x}, {goes}",
                self.all
            ),
            at: *at,
        }
    }
}
