//! Timestamps, occlusion counts and statistics counters in a batch.
//!
//! In:  counters, addresses. Out: commands that write them, each at the point where the value is
//!      final.
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL" (post-sync operations), "MI_STORE_REGISTER_MEM"; vol. 2c,
//!      the statistics registers.

use crate::draw::DrawGeneration;
use crate::generation::{PipeControl, StatisticsCounter};
use crate::pending::PendingFlushes;
use crate::recorder::Recorder;
use crate::stream::StreamMemory;

impl<G: DrawGeneration, M: StreamMemory> Recorder<G, M> {
    /// Writes a timestamp and its availability: at the top of the pipe, or at the bottom.
    pub fn timestamp(
        &mut self,
        value_at: u64,
        available_at: u64,
        early: bool,
    ) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        if early {
            return G::emit_timestamp_top(&mut self.stream, value_at, available_at);
        }
        G::emit_timestamp_bottom(&mut self.stream, value_at, available_at)?;
        self.busy = false;
        Ok(())
    }

    /// Writes the count of passed samples.
    pub fn write_samples(&mut self, address: u64) -> Result<(), M::Error> {
        // The 3D pipeline counts samples.
        self.select_3d()?;
        G::emit_depth_count_write(&mut self.stream, address)?;
        self.busy = true;
        Ok(())
    }

    /// Writes a dword: at once (`early`), or when all earlier work is done. A post-sync write would
    /// not do, as it is a quadword.
    pub fn write_marker(&mut self, address: u64, value: u32, early: bool) -> Result<(), M::Error> {
        if !early {
            self.barrier(PendingFlushes::STALL);
        }
        self.store(address, value)
    }

    /// Writes a quadword at the bottom of the pipe.
    pub fn write_at_bottom(&mut self, address: u64, value: u64) -> Result<(), M::Error> {
        G::emit_bottom_write(&mut self.stream, address, value)?;
        self.busy = true;
        Ok(())
    }

    /// Writes statistics counters after all earlier work, `stride_bytes` apart.
    pub fn write_counters(
        &mut self,
        counters: impl IntoIterator<Item = StatisticsCounter>,
        address: u64,
        stride_bytes: u64,
    ) -> Result<(), M::Error> {
        if self.busy {
            G::emit_pipe_control(&mut self.stream, PipeControl::default(), 0)?;
            self.busy = false;
        }
        for (counter, at) in counters
            .into_iter()
            .zip((address..).step_by(stride_bytes as usize))
        {
            G::emit_counter_write(&mut self.stream, counter, at)?;
        }
        Ok(())
    }
}
