//! An observer that records reads and writes and allows everything.

use crate::observer::{
    Colour, Depth, Marks, Memory, ReadResult, SampledSurface, Slices, Via, Watch, WorkEpoch,
};
use eu::StopReason;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// True for a write; address; number of bytes.
pub(crate) type RecordedAccess = (bool, u64, u64);

/// Accesses since the last call of [`Quiet::take`].
#[derive(Default)]
pub(crate) struct Quiet {
    accesses: Mutex<Vec<RecordedAccess>>,
}

impl Quiet {
    /// Returns the recorded accesses and clears the list.
    pub fn drain(&self) -> Vec<RecordedAccess> {
        std::mem::take(&mut *self.accesses.lock().expect("nobody panics"))
    }

    fn note(&self, access: RecordedAccess) {
        self.accesses.lock().expect("nobody panics").push(access);
    }
}

impl Watch for Quiet {
    fn begin(&self, _: u64) {}
    fn scratch(&self, _: Range<u64>) {}
    fn end(&self) {}
    fn read(&self, address: u64, bytes: u64, _: Via) -> Result<ReadResult, StopReason> {
        self.note((false, address, bytes));
        Ok(ReadResult::Current)
    }
    fn readable(&self, _: u64, _: Via) -> (Arc<WorkEpoch>, bool) {
        (Arc::default(), false)
    }
    fn writable(&self, _: u64, _: Via) -> (Arc<WorkEpoch>, Option<Arc<Marks>>) {
        (Arc::default(), None)
    }
    fn before(&self, _: u64, _: &mut [u8], _: Via) {}
    fn bound(&self, _: u64, _: u64) {}
    fn fetched(&self, _: u32, _: u64, _: u64) -> Result<(), StopReason> {
        Ok(())
    }
    fn control(&self, _: u64, _: u64) {}
    fn sampled(&self, _: &SampledSurface, _: u64) -> Result<(), StopReason> {
        Ok(())
    }
    fn write(&self, address: u64, bytes: u64, _: Via, _: bool) -> Result<(), StopReason> {
        self.note((true, address, bytes));
        Ok(())
    }
    fn surface_state(&self, _: &[u32; 16], _: u64, _: bool) -> Result<(), StopReason> {
        Ok(())
    }
    fn depth(&self, _: (u64, &Memory), _: Depth) {}
    fn depth_seen(&self, _: (u64, &Memory), _: Slices, _: u64) -> Result<(), StopReason> {
        Ok(())
    }
    fn colour(&self, _: (u64, &Memory), _: Colour) {}
    fn colour_seen(&self, _: (u64, &Memory), _: Slices, _: u64) -> Result<(), StopReason> {
        Ok(())
    }
    fn constants_committed(&self, _: usize, _: Vec<Range<u64>>) {}
    fn constant_written(&self, _: usize, _: usize) -> bool {
        false
    }
    fn depth_through(&self, _: (u64, &Memory), _: Slices, _: u64) -> Result<(), StopReason> {
        Ok(())
    }
}
