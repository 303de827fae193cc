//! Transform feedback among a batch's commands: when vertices are captured, and draws of as many as were.
//!
//! In:  where vertices go, where the counters lie: bytes of each buffer that are filled. Out: words that load and store the registers in
//! which the machine counts them.
//! Ref: SKL PRM vol. 2c, "SO_WRITE_OFFSET" (nothing may be captured while they are loaded or stored); vol. 7, "Stream Output Logic (SOL)
//! Stage"; Vulkan, "Transform Feedback", "vkCmdDrawIndirectByteCountEXT".

use hw::register::SO_WRITE_OFFSET0;

use crate::draw::state::{CaptureBuffer, Dirty};
use crate::draw::{ByteCount, Draw, DrawGeneration};
use crate::generation::Control;
use crate::mi;
use crate::recorder::Recorder;
use crate::stream::Memory;

/// Where the counter of each buffer lies; none: it begins at its start, and where it ends is not asked.
pub type Counters = [Option<u64>; abi::CAPTURE_BUFFERS];

impl<G: DrawGeneration, M: Memory> Recorder<G, M> {
    /// Vertices go to this buffer when they are captured. False: there is no such buffer.
    pub fn bind_capture(&mut self, index: usize, buffer: CaptureBuffer) -> bool {
        let mut bound = false;
        self.draws().change(Dirty::STREAM_OUT, |state| {
            if let Some(place) = state.capture_buffers.get_mut(index) {
                *place = buffer;
                bound = true;
            }
        });
        bound
    }

    /// Waits until nothing is captured, in the pipeline that draws.
    fn wait_for_captures(&mut self) -> Result<(), M::Error> {
        self.settle_other()?;
        self.select_draws()?;
        if self.busy {
            G::control(&mut self.stream, Control::default(), 0)?;
            self.busy = false;
        }
        Ok(())
    }

    fn set_capturing(&mut self, on: bool) {
        self.draws()
            .change(Dirty::STREAM_OUT, |state| state.capturing = on);
    }

    /// Vertices are captured from here on, behind those that the counters tell of.
    pub fn begin_capture(&mut self, counters: &Counters) -> Result<(), M::Error> {
        self.wait_for_captures()?;
        for (register, counter) in (SO_WRITE_OFFSET0..).step_by(4).zip(counters) {
            match *counter {
                Some(at) => self.stream.put(mi::load_register_mem(register, at))?,
                None => self.stream.put(mi::load_register(register, 0))?,
            }
        }
        self.set_capturing(true);
        Ok(())
    }

    /// They are captured no more; the counters tell how far.
    pub fn end_capture(&mut self, counters: &Counters) -> Result<(), M::Error> {
        self.wait_for_captures()?;
        for (register, counter) in (SO_WRITE_OFFSET0..).step_by(4).zip(counters) {
            if let Some(at) = *counter {
                self.stream.put(mi::store_register_mem(register, at))?;
            }
        }
        self.set_capturing(false);
        Ok(())
    }

    /// Draws as many vertices as a counter tells of, from the first on. False: as [`Recorder::draw`].
    pub fn draw_byte_count(&mut self, draw: &Draw, count: &ByteCount) -> Result<bool, M::Error> {
        self.before_draw()?;
        let (stream, machine) = (&mut self.stream, &self.machine);
        match &mut self.draws {
            Some(draws) => draws.draw_byte_count(stream, machine, draw, count, self.conditional),
            None => Ok(false),
        }
    }
}
