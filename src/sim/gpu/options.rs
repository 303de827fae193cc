//! Options of the simulator.

use crate::budget::InstructionLimits;
use crate::target_images::TargetSink;
use crate::thread_pool::Pool;
use crate::trace::Trace;
use hw::Gen;
use std::time::Duration;

/// Options of the simulator.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stop where a real machine's behaviour is undefined: see [`crate::rules::RULES`] for batches,
    /// and [`eu::Options`] for threads.
    pub strict: bool,
    /// In strict mode, return the stale data of caches that were not invalidated instead of
    /// stopping.
    pub stale: bool,
    /// In strict mode, leave out the rules that drivers in use are known to break
    /// ([`crate::rules::BatchRule::unless_lenient`]).
    pub lenient: bool,
    /// Number of CPU threads that run the EU threads of a dispatch; 0 = all. Strict mode uses one,
    /// for a deterministic order.
    pub cpu_threads: usize,
    /// Instruction limits, beyond which a batch counts as a hang.
    pub instruction_limits: InstructionLimits,
    /// Command limit of a batch; beyond it the batch counts as a hang.
    pub command_budget: u64,
    /// Time after which a semaphore wait counts as a hang.
    pub semaphore_wait: Duration,
    /// Record the cost of each dispatch and draw in
    /// [`BatchReport::work`](crate::cs::streamer::BatchReport::work).
    pub profile: bool,
    /// Receives images of the render targets that draws wrote.
    pub targets: Option<TargetSink>,
    /// Receives a trace of executed commands and instructions.
    pub trace: Trace,
    /// Generation of the simulated GPU (set by `Gpu::new`).
    pub hw_gen: Gen,
    /// What the errata of the device demand of kernels in strict mode (set by `Gpu::new`).
    pub kernel_errata: eu::KernelErrata,
    /// Host threads of this simulated GPU.
    pub pool: Pool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            strict: false,
            stale: false,
            lenient: false,
            cpu_threads: 0,
            instruction_limits: InstructionLimits {
                batch: 1 << 40,
                // About ten seconds of work on two CPU threads.
                command: 1_000_000_000,
                // Some seconds of one CPU thread; a real thread needs about one for it.
                thread: 1 << 26,
            },
            command_budget: 20_000_000,
            // About the timeout of the kernel's hang check.
            semaphore_wait: Duration::from_secs(10),
            profile: false,
            targets: None,
            trace: Trace::default(),
            hw_gen: Gen::Gen9,
            kernel_errata: eu::KernelErrata::default(),
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

    pub(crate) fn thread_options(&self) -> eu::Options {
        eu::Options {
            strict: self.strict,
            uninit: self.strict,
            statistics: self.profile,
        }
    }
}
