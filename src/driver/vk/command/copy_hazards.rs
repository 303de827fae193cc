//! Write-after-write hazards of copies.
//!
//! Copies, fills and clears are dispatches that run in parallel: if two of them write the same
//! memory without a barrier between them, either may come last. Vulkan forbids that
//! (VUID-vkCmdCopyBufferToImage-pRegions-00184), but applications rely on it, since drivers that
//! copy by drawing keep the order. So the last few destinations are remembered, and a second write
//! to one of them waits.

use blit::MemoryBox;
use cmd::{Gen9, PendingFlushes, Recorder};

use super::memory::BatchMemory;

/// Number of remembered destinations: enough for applications that write a destination twice in a
/// row.
const TRACKED: usize = 8;

/// Recent destinations of copies.
#[derive(Debug, Default)]
pub struct CopyHazards {
    destinations: [Option<MemoryBox>; TRACKED],
    next: usize,
}

impl CopyHazards {
    /// Forgets all destinations.
    pub fn clear(&mut self) {
        if self.next > 0 {
            *self = Self::default();
        }
    }

    /// Records a destination that is about to be written, with a stall if it was written before.
    pub fn record_write(
        &mut self,
        recorder: &mut Recorder<Gen9, BatchMemory>,
        destination: MemoryBox,
    ) {
        if recorder.is_waiting() {
            self.clear();
        }
        if self
            .destinations
            .iter()
            .flatten()
            .any(|before| before.overlaps(&destination))
        {
            recorder.barrier(PendingFlushes::STALL);
            self.clear();
        }
        self.destinations[self.next % TRACKED] = Some(destination);
        self.next += 1;
    }
}
