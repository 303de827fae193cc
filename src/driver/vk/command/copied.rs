//! Places that copies have written since commands waited for each other.
//!
//! Copies, fills and clears are launches that run side by side: of two that write one place without a barrier between them, either may be
//! the last. Vulkan forbids that (VUID-vkCmdCopyBufferToImage-pRegions-00184), and applications do it all the same, as the drivers that
//! copy by draws keep their order. So the last few places are remembered, and what comes to one of them again waits.

use blit::Place;
use cmd::{Gen9, Pending, Recorder};

use super::memory::BatchMemory;

/// Places that are remembered: enough for what applications were seen to do, which is to write a place twice in a row.
const PLACES: usize = 8;

/// Places written.
#[derive(Debug, Default)]
pub struct Copied {
    places: [Option<Place>; PLACES],
    next: usize,
}

impl Copied {
    /// Nothing is written.
    pub fn clear(&mut self) {
        if self.next > 0 {
            *self = Self::default();
        }
    }

    /// Remembers a place that is about to be written; commands wait, where it was before.
    pub fn write(&mut self, recorder: &mut Recorder<Gen9, BatchMemory>, place: Place) {
        if recorder.is_waiting() {
            self.clear();
        }
        if self
            .places
            .iter()
            .flatten()
            .any(|before| before.overlaps(&place))
        {
            recorder.barrier(Pending::STALL);
            self.clear();
        }
        self.places[self.next % PLACES] = Some(place);
        self.next += 1;
    }
}
