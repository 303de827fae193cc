//! Transform feedback: captures the vertices that a draw outputs in buffers.

use crate::vulkan::gpu::Gpu;
use crate::vulkan::memory::Buffer;
use crate::vulkan::query::Queries;
use crate::vulkan::recorder::Recorder;
use ash::vk;

/// Counters for each transform feedback buffer: a buffer and the byte offset in it.
pub type Counters<'a> = &'a [(&'a Buffer, u64)];

impl Recorder<'_> {
    fn transform_feedback(&self) -> &ash::ext::transform_feedback::DeviceFn {
        let gpu: &Gpu = self.gpu;
        gpu.transform_feedback.functions.fp()
    }

    /// Binds transform feedback buffers: buffer, offset and size in bytes.
    pub fn capture_to(&self, buffers: &[(&Buffer, u64, u64)]) {
        let handles: Vec<_> = buffers.iter().map(|b| b.0.handle).collect();
        let offsets: Vec<_> = buffers.iter().map(|b| b.1).collect();
        let sizes: Vec<_> = buffers.iter().map(|b| b.2).collect();
        let (f, count) = (self.transform_feedback(), buffers.len() as u32);
        // SAFETY: see `Gpu::run`, here and below.
        unsafe {
            (f.cmd_bind_transform_feedback_buffers_ext)(
                self.commands,
                0,
                count,
                handles.as_ptr(),
                offsets.as_ptr(),
                sizes.as_ptr(),
            );
        }
    }

    /// Captures the vertices that `body` draws. Capture continues at the counters `from`; the
    /// counters `to` are written at the end.
    pub fn capture(&self, from: Counters<'_>, to: Counters<'_>, body: impl FnOnce(&Self)) {
        let list = |counters: Counters<'_>| -> (Vec<_>, Vec<_>) {
            counters.iter().map(|c| (c.0.handle, c.1)).unzip()
        };
        let f = self.transform_feedback();
        let (handles, offsets) = list(from);
        let count = from.len() as u32;
        // SAFETY: as above.
        unsafe {
            (f.cmd_begin_transform_feedback_ext)(
                self.commands,
                0,
                count,
                handles.as_ptr(),
                offsets.as_ptr(),
            );
        }
        body(self);
        let (handles, offsets) = list(to);
        let count = to.len() as u32;
        // SAFETY: as above.
        unsafe {
            (f.cmd_end_transform_feedback_ext)(
                self.commands,
                0,
                count,
                handles.as_ptr(),
                offsets.as_ptr(),
            );
        }
    }

    /// Draws the captured vertices: (counter - `less_bytes`) / `stride_bytes` of them.
    pub fn draw_captured(
        &self,
        (counter, at): (&Buffer, u64),
        less_bytes: u32,
        stride_bytes: u32,
        instances: u32,
    ) {
        let f = self.transform_feedback();
        // SAFETY: as above.
        unsafe {
            (f.cmd_draw_indirect_byte_count_ext)(
                self.commands,
                instances,
                0,
                counter.handle,
                at,
                less_bytes,
                stride_bytes,
            );
        }
    }

    /// Begins a query of a vertex stream, records `body`, and ends it.
    pub fn ask_stream(&self, queries: &Queries, query: u32, stream: u32, body: impl FnOnce(&Self)) {
        let (f, none) = (self.transform_feedback(), vk::QueryControlFlags::empty());
        // SAFETY: as above.
        unsafe {
            (f.cmd_begin_query_indexed_ext)(self.commands, queries.pool, query, none, stream);
        }
        body(self);
        // SAFETY: as above.
        unsafe { (f.cmd_end_query_indexed_ext)(self.commands, queries.pool, query, stream) };
    }
}
