//! Commands that the driver carries out by shaders of its own or by the command streamer: copies, fills, events.

use blit::Place;
use cmd::Pending;

use super::buffer::CommandBuffer;
use crate::error::Result;
use crate::surface_state::BufferDescriptor;
use crate::sync::EVENT_SET;

/// Bytes that are kept beside the commands; more get memory of their own.
const MOST_BESIDE: usize = 2048;

impl CommandBuffer {
    /// Runs a shader of the driver's own.
    pub(super) fn launch(&mut self, launch: &blit::Launch) -> Result<()> {
        let mut handles = [0; blit::MAX_BUFFERS];
        let buffers = launch.buffers();
        for (handle, span) in handles.iter_mut().zip(buffers) {
            let buffer = BufferDescriptor {
                address: span.address,
                bytes: span.bytes,
            };
            *handle = self.surfaces.make(&self.context, buffer)?;
        }
        let handles = handles.get(..buffers.len()).unwrap_or_default();
        self.launch_on(launch.shader, handles, &launch.push_dw, launch.groups)
    }

    /// The same on surfaces that are there.
    pub(super) fn launch_on(
        &mut self,
        shader: blit::Shader,
        handles: &[u32],
        push_dw: &[u32],
        groups: [u32; 3],
    ) -> Result<()> {
        let pipeline = self.internal.pipeline(&self.context, shader)?;
        self.recorder
            .internal(pipeline.launch(), handles, push_dw, groups)
    }

    /// Keeps what is written to a place behind what was written to it before.
    pub(super) fn overwrite(&mut self, place: Place) {
        self.copied.write(&mut self.recorder, place);
    }

    /// Copies memory.
    pub fn copy(&mut self, source: u64, destination: u64, bytes: u64) -> Result<()> {
        self.overwrite(Place::line(destination, bytes));
        for launch in blit::copy_launches(source, destination, bytes) {
            self.launch(&launch)?;
        }
        Ok(())
    }

    /// Fills memory with a dword; address and bytes are multiples of 4.
    pub fn fill(&mut self, address: u64, bytes: u64, value: u32) -> Result<()> {
        self.overwrite(Place::line(address, bytes));
        for launch in blit::fill_launches(address, bytes, value) {
            self.launch(&launch)?;
        }
        Ok(())
    }

    /// Writes bytes, a multiple of 4, to memory when the command runs.
    pub fn update(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        let source = if bytes.len() > MOST_BESIDE {
            let slice = self.context.dynamic.take(bytes.len() as u64, 64)?;
            slice.write(0, bytes)?;
            let source = slice.address();
            self.large.push(slice);
            source
        } else {
            let data = self.recorder.data(bytes.len() / 4)?;
            for (to, from) in data.words.iter_mut().zip(bytes.as_chunks().0) {
                *to = u32::from_le_bytes(*from);
            }
            data.address
        };
        self.copy(source, address, bytes.len() as u64)
    }

    /// Writes an event's dword when everything before is done.
    pub fn set_event(&mut self, address: u64, set: bool) -> Result<()> {
        self.recorder
            .barrier(Pending::STALL.with(Pending::FLUSH_DATA));
        self.recorder
            .store(address, if set { EVENT_SET } else { 0 })
    }

    /// Waits until an event is set.
    pub fn wait_event(&mut self, address: u64) -> Result<()> {
        self.recorder.wait_equal(address, EVENT_SET)
    }
}
