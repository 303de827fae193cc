//! Choices of whoever runs the simulator.

use crate::pool::Pool;
use crate::targets::TargetSink;
use crate::trace::Trace;
use hw::Gen;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Choices of whoever runs the simulator.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stop at what a real machine would not forgive: see [`crate::rules::RULES`] for batches, and [`eu::Options`] for threads.
    pub strict: bool,
    /// In strict mode, what a cache holds that was written since is delivered as it was, and stops nothing.
    pub stale: bool,
    /// EU threads of a dispatch run on this many CPU threads; 0 = all. One in strict mode, for a fixed order.
    pub cpu_threads: usize,
    /// Instructions of all threads of one batch before it counts as a hang.
    pub instruction_budget: u64,
    /// Commands of one batch before it counts as a hang.
    pub command_budget: u64,
    /// How long a semaphore may stay unsignalled before it counts as a hang.
    pub semaphore_wait: Duration,
    /// Note what each dispatch and draw costs, in [`Report::work`].
    pub profile: bool,
    /// Who gets pictures of what draws have written.
    pub targets: Option<TargetSink>,
    /// Who is told of what is executed.
    pub trace: Trace,
    /// Set by others to stop a batch.
    pub cancel: Arc<AtomicBool>,
    /// Generation of the machine (filled in by `Gpu::new`).
    pub hw_gen: Gen,
    /// Its EUs are small cores, with more rules on 64 bits (filled in with the generation).
    pub small_core: bool,
    /// The host's threads of this machine.
    pub pool: Pool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            strict: false,
            stale: false,
            cpu_threads: 0,
            // About ten seconds of work on two CPU threads.
            instruction_budget: 1_000_000_000,
            command_budget: 20_000_000,
            // The kernel's hang check gives a ring about this long.
            semaphore_wait: Duration::from_secs(10),
            profile: false,
            targets: None,
            trace: Trace::default(),
            cancel: Arc::new(AtomicBool::new(false)),
            hw_gen: Gen::Gen9,
            small_core: false,
            pool: Pool::default(),
        }
    }
}

impl Options {
    pub(crate) fn workers(&self) -> usize {
        match (self.strict || self.trace.instructions, self.cpu_threads) {
            (true, _) => 1,
            (false, 0) => std::thread::available_parallelism().map_or(1, usize::from),
            (false, n) => n,
        }
    }

    pub(crate) fn cancelled(&self) -> bool {
        self.cancel.load(Relaxed)
    }

    pub(crate) fn thread_options(&self) -> eu::Options {
        eu::Options {
            strict: self.strict,
            uninit: self.strict,
            statistics: self.profile,
        }
    }
}
