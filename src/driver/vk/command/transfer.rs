//! Commands that the driver carries out by shaders of its own or by the command streamer: copies, fills, queries, events.

use cmd::Pending;

use super::barrier::Dependency;
use super::buffer::CommandBuffer;
use crate::error::Result;
use crate::query::{AVAILABLE_AT, QUERY_BYTES, VALUE_AT};
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

    /// Copies memory.
    pub fn copy(&mut self, source: u64, destination: u64, bytes: u64) -> Result<()> {
        for launch in blit::copy_launches(source, destination, bytes) {
            self.launch(&launch)?;
        }
        Ok(())
    }

    /// Fills memory with a dword; address and bytes are multiples of 4.
    pub fn fill(&mut self, address: u64, bytes: u64, value: u32) -> Result<()> {
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

    /// Makes queries unavailable.
    pub fn reset_queries(&mut self, address: u64, count: u32) -> Result<()> {
        // Timestamps of before may still be on their way.
        self.recorder.barrier(Pending::STALL);
        for query in 0..u64::from(count) {
            for dword in 0..QUERY_BYTES / 4 {
                let at = address + query * QUERY_BYTES + dword * 4;
                self.recorder.store(at, 0)?;
            }
        }
        Ok(())
    }

    /// Writes a timestamp and makes its query available; early: when the command streamer comes by.
    pub fn timestamp(&mut self, query: u64, early: bool) -> Result<()> {
        self.recorder
            .timestamp(query + VALUE_AT, query + AVAILABLE_AT, early)
    }

    /// Copies query results to a buffer.
    pub fn copy_results(
        &mut self,
        queries: u64,
        count: u32,
        destination: u64,
        stride_bytes: u64,
        flags: u32,
    ) -> Result<()> {
        // Timestamps are written in order, so after this those of before are there.
        self.barrier(&Dependency::FULL);
        self.launch(&blit::query_launch(
            queries,
            destination,
            count,
            stride_bytes,
            flags,
        ))
    }
}
