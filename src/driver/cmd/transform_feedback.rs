//! Transform feedback: begin, end, and draws whose vertex count is the number of captured bytes.
//!
//! In:  capture buffers, and the memory of their counters (bytes written so far). Out: commands
//!      that load and store the SO_WRITE_OFFSET registers.
//! Ref: SKL PRM vol. 2c, "SO_WRITE_OFFSET" (no vertices may be captured while they are loaded or
//!      stored); vol. 7, "Stream Output Logic (SOL) Stage"; Vulkan, "Transform Feedback",
//!      "vkCmdDrawIndirectByteCountEXT".

use hw::register::SO_WRITE_OFFSET0;

use crate::draw::state::{CaptureBuffer, DirtyGroups};
use crate::draw::{ByteCount, DrawGeneration, DrawParams};
use crate::generation::PipeControl;
use crate::mi;
use crate::recorder::Recorder;
use crate::stream::StreamMemory;

/// GPU address of each buffer's byte counter. `None`: capturing starts at offset 0, and the final
/// offset is not stored.
pub type CounterAddresses = [Option<u64>; abi::CAPTURE_BUFFERS];

impl<G: DrawGeneration, M: StreamMemory> Recorder<G, M> {
    /// Binds a transform feedback buffer. Returns false if `index` is out of range.
    pub fn bind_capture(&mut self, index: usize, buffer: CaptureBuffer) -> bool {
        let mut in_range = false;
        self.draws().change(DirtyGroups::STREAM_OUT, |state| {
            if let Some(bound) = state.capture_buffers.get_mut(index) {
                *bound = buffer;
                in_range = true;
            }
        });
        in_range
    }

    /// Selects the 3D pipeline and stalls until no vertices are being captured.
    fn stall_draws(&mut self) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        self.select_3d()?;
        if self.busy {
            G::emit_pipe_control(&mut self.stream, PipeControl::default(), 0)?;
            self.busy = false;
        }
        Ok(())
    }

    fn set_capturing(&mut self, on: bool) {
        self.draws()
            .change(DirtyGroups::STREAM_OUT, |state| state.capturing = on);
    }

    /// Starts capturing vertices at the byte offsets that the counters hold.
    pub fn begin_capture(&mut self, counters: &CounterAddresses) -> Result<(), M::Error> {
        self.stall_draws()?;
        for (register, counter) in (SO_WRITE_OFFSET0..).step_by(4).zip(counters) {
            match *counter {
                Some(at) => self.stream.emit(mi::load_register_mem(register, at))?,
                None => self.stream.emit(mi::load_register(register, 0))?,
            }
        }
        self.set_capturing(true);
        Ok(())
    }

    /// Stops capturing, and stores the final byte offsets to the counters.
    pub fn end_capture(&mut self, counters: &CounterAddresses) -> Result<(), M::Error> {
        self.stall_draws()?;
        for (register, counter) in (SO_WRITE_OFFSET0..).step_by(4).zip(counters) {
            if let Some(at) = *counter {
                self.stream.emit(mi::store_register_mem(register, at))?;
            }
        }
        self.set_capturing(false);
        Ok(())
    }

    /// Draws as many vertices as a byte count in memory covers, starting at `draw.first`. Returns
    /// false as [`Recorder::draw`] does.
    pub fn draw_byte_count(
        &mut self,
        draw: &DrawParams,
        count: &ByteCount,
    ) -> Result<bool, M::Error> {
        self.before_draw()?;
        let (stream, machine) = (&mut self.stream, &self.machine);
        match &mut self.draws {
            Some(draws) => draws.draw_byte_count(stream, machine, draw, count, self.conditional),
            None => Ok(false),
        }
    }
}
