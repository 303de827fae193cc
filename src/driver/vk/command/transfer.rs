//! Transfers and events, performed with meta dispatches or by the command streamer.

use blit::MemoryBox;
use cmd::PendingFlushes;

use super::buffer::CommandBuffer;
use crate::error::{Error, Result};
use crate::surface_state::BufferDescriptor;
use crate::sync::EVENT_SET;

/// Maximum bytes of inline data beside the commands; larger data is allocated apart.
const MAX_INLINE_BYTES: usize = 2048;

impl CommandBuffer {
    /// Dispatches a meta shader.
    pub(super) fn dispatch_meta(&mut self, launch: &blit::Launch) -> Result<()> {
        let mut handles = [0; blit::MAX_BUFFERS];
        let buffers = launch.buffers();
        for (handle, span) in handles.iter_mut().zip(buffers) {
            let buffer = BufferDescriptor {
                address: span.address,
                bytes: span.bytes,
            };
            *handle = self.surfaces.write_buffer(&self.context, buffer)?;
        }
        let handles = handles.get(..buffers.len()).unwrap_or_default();
        self.dispatch_meta_on(launch.shader, handles, &launch.push_dw, launch.groups)
    }

    /// Dispatches a meta shader with existing surfaces.
    pub(super) fn dispatch_meta_on(
        &mut self,
        shader: blit::Shader,
        handles: &[u32],
        push_dw: &[u32],
        groups: [u32; 3],
    ) -> Result<()> {
        let pipeline = self.meta_pipelines.pipeline(&self.context, shader)?;
        self.recorder
            .dispatch_internal(pipeline.launch(), handles, push_dw, groups)
    }

    /// Orders a write after earlier writes of copies to the same memory.
    pub(super) fn order_write(&mut self, place: MemoryBox) {
        self.copy_hazards.record_write(&mut self.recorder, place);
    }

    /// Copies memory.
    pub fn copy(&mut self, source: u64, destination: u64, bytes: u64) -> Result<()> {
        self.order_write(MemoryBox::line(destination, bytes));
        for launch in blit::copy_launches(source, destination, bytes) {
            self.dispatch_meta(&launch)?;
        }
        Ok(())
    }

    /// Performs `count` copies, whose addresses and sizes are listed from `address` on.
    pub fn copy_indirect(&mut self, address: u64, stride_bytes: u64, count: u32) -> Result<()> {
        const UNALIGNED: Error = Error::InvalidUse {
            why: "a list of copies that is not aligned, or whose copies overlap",
        };
        if !(address | stride_bytes).is_multiple_of(4) {
            return Err(UNALIGNED);
        }
        let launches = blit::copy_indirect_launches(address, stride_bytes, count);
        for launch in launches.ok_or(UNALIGNED)? {
            self.dispatch_meta(&launch)?;
        }
        Ok(())
    }

    /// Fills memory with a dword; address and size are multiples of 4.
    pub fn fill(&mut self, address: u64, bytes: u64, value: u32) -> Result<()> {
        self.order_write(MemoryBox::line(address, bytes));
        for launch in blit::fill_launches(address, bytes, value) {
            self.dispatch_meta(&launch)?;
        }
        Ok(())
    }

    /// Writes inline data, a multiple of 4 bytes, to memory.
    pub fn update(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        let source = if bytes.len() > MAX_INLINE_BYTES {
            let slice = self.context.dynamic.allocate(bytes.len() as u64, 64)?;
            slice.write(0, bytes)?;
            let source = slice.address();
            self.large_uploads.push(slice);
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

    /// Sets or resets an event when all earlier work is done.
    pub fn set_event(&mut self, address: u64, set: bool) -> Result<()> {
        self.recorder
            .barrier(PendingFlushes::STALL.with(PendingFlushes::FLUSH_DATA));
        self.recorder
            .store(address, if set { EVENT_SET } else { 0 })
    }

    /// Writes a dword: at once (`early`), or when all earlier work is done.
    pub fn write_marker(&mut self, address: u64, value: u32, early: bool) -> Result<()> {
        self.recorder.write_marker(address, value, early)
    }

    /// Waits until an event is set.
    pub fn wait_event(&mut self, address: u64) -> Result<()> {
        self.recorder.wait_equal(address, EVENT_SET)
    }
}
