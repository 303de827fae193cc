//! What is counted and timed among a batch's commands.
//!
//! In:  counters, addresses. Out: words that write them there, each when what it counts is known.
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL" (post-sync operations), "MI_STORE_REGISTER_MEM"; vol. 2c, the statistics registers.

use crate::draw::DrawGeneration;
use crate::generation::{Control, Counter};
use crate::recorder::Recorder;
use crate::stream::Memory;

impl<G: DrawGeneration, M: Memory> Recorder<G, M> {
    /// Writes a timestamp and that it is there: at once, or when everything before is done.
    pub fn timestamp(
        &mut self,
        value_at: u64,
        available_at: u64,
        early: bool,
    ) -> Result<(), M::Error> {
        self.settle_other()?;
        if early {
            return G::timestamp_early(&mut self.stream, value_at, available_at);
        }
        G::timestamp_late(&mut self.stream, value_at, available_at)?;
        self.busy = false;
        Ok(())
    }

    /// Writes how many samples have passed until here.
    pub fn write_samples(&mut self, address: u64) -> Result<(), M::Error> {
        // It is the pipeline that draws that counts them.
        self.select_draws()?;
        G::write_samples(&mut self.stream, address)?;
        self.busy = true;
        Ok(())
    }

    /// Writes a quadword when what was counted before is there.
    pub fn write_late(&mut self, address: u64, value: u64) -> Result<(), M::Error> {
        G::write_late(&mut self.stream, address, value)?;
        self.busy = true;
        Ok(())
    }

    /// Writes counters when everything before is done, the first to an address and the others `stride_bytes` behind one another.
    pub fn write_counters(
        &mut self,
        counters: impl IntoIterator<Item = Counter>,
        address: u64,
        stride_bytes: u64,
    ) -> Result<(), M::Error> {
        if self.busy {
            G::control(&mut self.stream, Control::default(), 0)?;
            self.busy = false;
        }
        for (counter, at) in counters
            .into_iter()
            .zip((address..).step_by(stride_bytes as usize))
        {
            G::write_counter(&mut self.stream, counter, at)?;
        }
        Ok(())
    }
}
