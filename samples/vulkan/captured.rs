//! Vertices that go to buffers: functions of transform feedback.

use super::{Buffer, Gpu, Queries, Recorder};
use ash::vk;

/// Those functions; where the device was made without the extension they are never called.
pub(super) struct Captured {
    functions: ash::ext::transform_feedback::Device,
    /// What buffers may be used for beside what they always may.
    pub usage: vk::BufferUsageFlags,
}

impl Captured {
    pub fn new(instance: &ash::Instance, device: &ash::Device) -> Self {
        use vk::BufferUsageFlags as U;
        let name = c"vkCmdBeginTransformFeedbackEXT".as_ptr();
        // SAFETY: the device is the instance's.
        let there = unsafe { instance.get_device_proc_addr(device.handle(), name) };
        Captured {
            functions: ash::ext::transform_feedback::Device::new(instance, device),
            usage: match there {
                Some(_) => {
                    U::TRANSFORM_FEEDBACK_BUFFER_EXT | U::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT
                }
                None => U::empty(),
            },
        }
    }
}

/// A number of bytes in a buffer for each buffer that vertices go to.
pub type Counters<'a> = &'a [(&'a Buffer, u64)];

impl Recorder<'_> {
    fn captured(&self) -> &ash::ext::transform_feedback::DeviceFn {
        let gpu: &Gpu = self.gpu;
        gpu.captured.functions.fp()
    }

    /// Vertices go to these buffers, from a byte on and so many bytes at most.
    pub fn capture_to(&self, buffers: &[(&Buffer, u64, u64)]) {
        let handles: Vec<_> = buffers.iter().map(|b| b.0.handle).collect();
        let offsets: Vec<_> = buffers.iter().map(|b| b.1).collect();
        let sizes: Vec<_> = buffers.iter().map(|b| b.2).collect();
        let (f, count) = (self.captured(), buffers.len() as u32);
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

    /// What `body` draws is captured, behind what counters tell of at its beginning; at its end others are written.
    pub fn capture(&self, from: Counters<'_>, to: Counters<'_>, body: impl FnOnce(&Self)) {
        let list = |counters: Counters<'_>| -> (Vec<_>, Vec<_>) {
            counters.iter().map(|c| (c.0.handle, c.1)).unzip()
        };
        let f = self.captured();
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

    /// Draws as many vertices as a counter tells of, less some bytes; each has so many.
    pub fn draw_captured(
        &self,
        (counter, at): (&Buffer, u64),
        less_bytes: u32,
        stride_bytes: u32,
        instances: u32,
    ) {
        let f = self.captured();
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

    /// Asks about a stream during `body`.
    pub fn ask_stream(&self, queries: &Queries, query: u32, stream: u32, body: impl FnOnce(&Self)) {
        let (f, none) = (self.captured(), vk::QueryControlFlags::empty());
        // SAFETY: as above.
        unsafe {
            (f.cmd_begin_query_indexed_ext)(self.commands, queries.pool, query, none, stream);
        }
        body(self);
        // SAFETY: as above.
        unsafe { (f.cmd_end_query_indexed_ext)(self.commands, queries.pool, query, stream) };
    }
}
