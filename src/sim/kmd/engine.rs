//! The hardware behind the kernel: runs one batch on `gpu`.

use crate::options::Options;
use crate::worker::Job;

/// How a batch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Done,
    Hung,
}

/// What the hardware saves of a context between its batches.
#[derive(Debug, Default)]
pub(crate) struct SavedState;

/// The hardware.
#[derive(Debug)]
pub(crate) struct Engine {
    hw: &'static hw::Device,
    options: Options,
}

impl Engine {
    pub(crate) fn new(hw: &'static hw::Device, options: &Options) -> Self {
        Self {
            hw,
            options: options.clone(),
        }
    }

    /// The timestamp: 36 bits of a counter at the part's frequency.
    pub(crate) fn timestamp(&self) -> u64 {
        let ns = sys::monotonic_ns().unsigned_abs();
        let ticks = u128::from(ns) * u128::from(self.hw.timestamp_hz) / 1_000_000_000;
        ticks as u64 & ((1 << 36) - 1)
    }

    /// Runs a batch to its end.
    pub(crate) fn run(&self, job: &Job) -> Ended {
        if self.options.trace_submits {
            let (address, bytes) = (job.batch_address, job.batch_bytes);
            let line = format!(
                "batch at {address:#x}, {bytes} bytes, {} buffers",
                job.bindings.len()
            );
            self.options.sink.line(&line);
        }
        Ended::Done
    }
}
