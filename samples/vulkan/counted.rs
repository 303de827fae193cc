//! Draws that memory counts, draws by lists, and conditions: functions of extensions.

use super::{Buffer, Gpu, Recorder};
use ash::vk;

/// Those functions; those of an extension that the device was made without are never called.
pub(super) struct Counted {
    counts: ash::khr::draw_indirect_count::Device,
    lists: ash::ext::multi_draw::Device,
    conditions: ash::ext::conditional_rendering::Device,
    /// What buffers may be used for beside what they always may.
    pub usage: vk::BufferUsageFlags,
}

impl Counted {
    pub fn new(instance: &ash::Instance, device: &ash::Device) -> Self {
        let name = c"vkCmdBeginConditionalRenderingEXT".as_ptr();
        // SAFETY: the device is the instance's.
        let conditional = unsafe { instance.get_device_proc_addr(device.handle(), name) };
        Counted {
            usage: match conditional {
                Some(_) => vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT,
                None => vk::BufferUsageFlags::empty(),
            },
            counts: ash::khr::draw_indirect_count::Device::new(instance, device),
            lists: ash::ext::multi_draw::Device::new(instance, device),
            conditions: ash::ext::conditional_rendering::Device::new(instance, device),
        }
    }
}

impl Recorder<'_> {
    fn counted(&self) -> &Counted {
        let gpu: &Gpu = self.gpu;
        &gpu.counted
    }

    /// Draws what structures in a buffer say, as often as a dword of another one says, but not more often than `most`.
    pub fn draw_counted(
        &self,
        draws: &Buffer,
        (count, at): (&Buffer, u64),
        most: u32,
        indexed: bool,
    ) {
        let plain = size_of::<vk::DrawIndirectCommand>() as u32;
        let with_indices = size_of::<vk::DrawIndexedIndirectCommand>() as u32;
        let (c, f) = (self.commands, &self.counted().counts);
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

    /// Draws several runs of vertices: the first of each, and how many.
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
            (self.counted().lists.fp().cmd_draw_multi_ext)(
                self.commands,
                runs.len() as u32,
                runs.as_ptr(),
                1,
                0,
                stride,
            );
        }
    }

    /// Draws several runs of indices: the first of each, how many, and what is added to each.
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
            (self.counted().lists.fp().cmd_draw_multi_indexed_ext)(
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

    /// Draws, dispatches and clears of parts in `body` happen only where a dword is not zero; or where it is.
    pub fn only_if(&self, (buffer, at): (&Buffer, u64), inverted: bool, body: impl FnOnce(&Self)) {
        let flags = match inverted {
            true => vk::ConditionalRenderingFlagsEXT::INVERTED,
            false => vk::ConditionalRenderingFlagsEXT::empty(),
        };
        let info = vk::ConditionalRenderingBeginInfoEXT::default()
            .buffer(buffer.handle)
            .offset(at)
            .flags(flags);
        let f = self.counted().conditions.fp();
        // SAFETY: as above.
        unsafe { (f.cmd_begin_conditional_rendering_ext)(self.commands, &info) };
        body(self);
        // SAFETY: as above.
        unsafe { (f.cmd_end_conditional_rendering_ext)(self.commands) };
    }
}
