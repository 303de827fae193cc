//! Recording and submitting.

use super::{Resources, VulkanError, check};
use ash::vk;

/// A command buffer that is begun when first used, and submitted and waited for by [`Recorder::finish`].
pub struct Recorder<'r, 'c> {
    resources: &'r Resources<'c>,
    buffer: vk::CommandBuffer,
    recording: bool,
    bound: Option<usize>,
}

impl Drop for Recorder<'_, '_> {
    fn drop(&mut self) {
        let device = &self.resources.context.device;
        // SAFETY: the buffer is not pending (see `finish`) and is freed once.
        unsafe { device.free_command_buffers(self.resources.pool, &[self.buffer]) };
    }
}

impl<'r, 'c> Recorder<'r, 'c> {
    /// An idle recorder.
    pub fn new(resources: &'r Resources<'c>) -> Result<Recorder<'r, 'c>, VulkanError> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(resources.pool)
            .command_buffer_count(1);
        // SAFETY: the structures live until the calls return and the handles are of this device, here and below.
        let buffers = check("vkAllocateCommandBuffers", unsafe {
            resources.context.device.allocate_command_buffers(&info)
        })?;
        Ok(Recorder {
            resources,
            buffer: buffers[0],
            recording: false,
            bound: None,
        })
    }

    fn begin(&mut self) -> Result<(), VulkanError> {
        if self.recording {
            return Ok(());
        }
        let device = &self.resources.context.device;
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: see `new`; beginning resets the buffer, which is not pending.
        check("vkBeginCommandBuffer", unsafe {
            device.begin_command_buffer(self.buffer, &info)
        })?;
        self.recording = true;
        self.bound = None;
        Ok(())
    }

    /// Records a dispatch with pipeline `pipeline`.
    pub fn dispatch(&mut self, pipeline: usize, groups: [u32; 3]) -> Result<(), VulkanError> {
        self.begin()?;
        let (resources, device) = (self.resources, &self.resources.context.device);
        // SAFETY: see `new`.
        unsafe {
            if self.bound != Some(pipeline) {
                let point = vk::PipelineBindPoint::COMPUTE;
                device.cmd_bind_pipeline(self.buffer, point, resources.pipelines[pipeline]);
                if !resources.sets.is_empty() {
                    device.cmd_bind_descriptor_sets(
                        self.buffer,
                        point,
                        resources.layout,
                        0,
                        &resources.sets,
                        &[],
                    );
                }
                self.bound = Some(pipeline);
            }
            device.cmd_dispatch(self.buffer, groups[0], groups[1], groups[2]);
        }
        Ok(())
    }

    /// Records push constants. Offset and size are multiples of 4 in every correct script; Vulkan demands it.
    pub fn push(&mut self, offset: usize, bytes: &[u8]) -> Result<(), VulkanError> {
        self.begin()?;
        // SAFETY: see `new`.
        unsafe {
            self.resources.context.device.cmd_push_constants(
                self.buffer,
                self.resources.layout,
                self.resources.stages,
                offset as u32,
                bytes,
            );
        }
        Ok(())
    }

    /// Makes writes visible to the host, submits, and waits without limit. Does nothing when idle.
    pub fn finish(&mut self) -> Result<(), VulkanError> {
        if !self.recording {
            return Ok(());
        }
        self.recording = false;
        let context = self.resources.context;
        let device = &context.device;
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let buffers = [self.buffer];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        let fences = [self.resources.fence];
        // SAFETY: see `new`; the fence is unsignalled and no other submission uses it.
        unsafe {
            device.cmd_pipeline_barrier(
                self.buffer,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            );
            check("vkEndCommandBuffer", device.end_command_buffer(self.buffer))?;
            check("vkResetFences", device.reset_fences(&fences))?;
            check(
                "vkQueueSubmit",
                device.queue_submit(context.queue, &submit, fences[0]),
            )?;
            check(
                "vkWaitForFences",
                device.wait_for_fences(&fences, true, u64::MAX),
            )
        }
    }
}
