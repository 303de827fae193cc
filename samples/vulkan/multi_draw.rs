//! Indirect draws with a draw count in a buffer, multi-draws, and conditional rendering.

use crate::vulkan::memory::Buffer;
use crate::vulkan::recorder::Recorder;
use ash::vk;

impl Recorder<'_> {
    /// Draws with indirect structures of a buffer; their number is a dword of another buffer, at
    /// most `most`.
    pub fn draw_counted(
        &self,
        draws: &Buffer,
        (count, at): (&Buffer, u64),
        most: u32,
        indexed: bool,
    ) {
        let plain = size_of::<vk::DrawIndirectCommand>() as u32;
        let with_indices = size_of::<vk::DrawIndexedIndirectCommand>() as u32;
        let (c, f) = (self.commands, &self.gpu.draw_extensions.counts);
        // SAFETY: see `Gpu::run`, here and below.
        unsafe {
            match indexed {
                false => {
                    f.cmd_draw_indirect_count(c, draws.handle, 0, count.handle, at, most, plain)
                }
                true => f.cmd_draw_indexed_indirect_count(
                    c,
                    draws.handle,
                    0,
                    count.handle,
                    at,
                    most,
                    with_indices,
                ),
            }
        }
    }

    /// Draws several ranges of vertices: first vertex and count of each.
    pub fn draw_list(&self, runs: &[[u32; 2]]) {
        let runs: Vec<_> = runs
            .iter()
            .map(|&[first_vertex, vertex_count]| vk::MultiDrawInfoEXT {
                first_vertex,
                vertex_count,
            })
            .collect();
        let stride = size_of::<vk::MultiDrawInfoEXT>() as u32;
        // SAFETY: as above.
        unsafe {
            (self.gpu.draw_extensions.multi_draw.fp().cmd_draw_multi_ext)(
                self.commands,
                runs.len() as u32,
                runs.as_ptr(),
                1,
                0,
                stride,
            );
        }
    }

    /// Draws several ranges of indices: first index, count and vertex offset of each; `same`
    /// replaces all vertex offsets.
    pub fn draw_indexed_list(&self, runs: &[(u32, u32, i32)], same: Option<i32>) {
        let runs: Vec<_> = runs
            .iter()
            .map(
                |&(first_index, index_count, vertex_offset)| vk::MultiDrawIndexedInfoEXT {
                    first_index,
                    index_count,
                    vertex_offset,
                },
            )
            .collect();
        let stride = size_of::<vk::MultiDrawIndexedInfoEXT>() as u32;
        let same = same.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: as above.
        unsafe {
            (self
                .gpu
                .draw_extensions
                .multi_draw
                .fp()
                .cmd_draw_multi_indexed_ext)(
                self.commands,
                runs.len() as u32,
                runs.as_ptr(),
                1,
                0,
                stride,
                same,
            );
        }
    }

    /// Conditional rendering: draws, dispatches and attachment clears in `body` execute only if a
    /// dword is non-zero (`inverted`: zero).
    pub fn only_if(&self, (buffer, at): (&Buffer, u64), inverted: bool, body: impl FnOnce(&Self)) {
        let flags = match inverted {
            true => vk::ConditionalRenderingFlagsEXT::INVERTED,
            false => vk::ConditionalRenderingFlagsEXT::empty(),
        };
        let info = vk::ConditionalRenderingBeginInfoEXT::default()
            .buffer(buffer.handle)
            .offset(at)
            .flags(flags);
        let f = self.gpu.draw_extensions.conditions.fp();
        // SAFETY: as above.
        unsafe { (f.cmd_begin_conditional_rendering_ext)(self.commands, &info) };
        body(self);
        // SAFETY: as above.
        unsafe { (f.cmd_end_conditional_rendering_ext)(self.commands) };
    }
}
