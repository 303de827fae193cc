//! Secondary command buffers.

use crate::vulkan::error::{Error, check};
use crate::vulkan::format::aspects;
use crate::vulkan::gpu::Gpu;
use crate::vulkan::recorder::{Recorder, Targets};
use ash::vk;

/// What a secondary command buffer inherits.
#[derive(Clone, Copy)]
pub enum PartOf<'a> {
    /// Nothing: it is executed outside renderings.
    Nothing,
    /// A subpass, with any framebuffer.
    Subpass(vk::RenderPass, u32),
    /// A dynamic rendering with these formats.
    Rendering {
        /// Formats of colour attachments.
        colors: &'a [vk::Format],
        /// Format of the depth/stencil attachment; `UNDEFINED`: there is none.
        depth: vk::Format,
        /// Samples.
        samples: vk::SampleCountFlags,
        /// Flags of the rendering, apart from that for its contents.
        flags: vk::RenderingFlags,
    },
}

impl Gpu {
    /// Records a secondary command buffer. If a size is given, viewport and scissor are set to it
    /// first.
    pub fn part(
        &self,
        of: PartOf<'_>,
        size_px: Option<[u32; 2]>,
        body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>,
    ) -> Result<vk::CommandBuffer, Error> {
        self.inheriting_part(
            of,
            vk::CommandBufferInheritanceInfo::default(),
            size_px,
            body,
        )
    }

    /// Like [`Gpu::part`], with more inheritance information.
    pub fn inheriting_part(
        &self,
        of: PartOf<'_>,
        inherits: vk::CommandBufferInheritanceInfo<'_>,
        size_px: Option<[u32; 2]>,
        body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>,
    ) -> Result<vk::CommandBuffer, Error> {
        use vk::CommandBufferUsageFlags as Usage;
        let d = &self.device;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::SECONDARY)
            .command_buffer_count(1);
        // SAFETY: structures live until calls return and all handles are this device's, here and
        // below; the pool frees the buffer.
        let buffers = check("vkAllocateCommandBuffers", unsafe {
            d.allocate_command_buffers(&info)
        })?;
        let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default();
        let mut inherits = inherits;
        let mut usage = Usage::SIMULTANEOUS_USE;
        match of {
            PartOf::Nothing => {}
            PartOf::Subpass(pass, subpass) => {
                usage |= Usage::RENDER_PASS_CONTINUE;
                inherits = inherits.render_pass(pass).subpass(subpass);
            }
            PartOf::Rendering {
                colors,
                depth,
                samples,
                flags,
            } => {
                usage |= Usage::RENDER_PASS_CONTINUE;
                rendering = rendering
                    .flags(flags)
                    .color_attachment_formats(colors)
                    .rasterization_samples(samples);
                let aspects = aspects(depth);
                if aspects.contains(vk::ImageAspectFlags::DEPTH) {
                    rendering.depth_attachment_format = depth;
                }
                if aspects.contains(vk::ImageAspectFlags::STENCIL) {
                    rendering.stencil_attachment_format = depth;
                }
                inherits = inherits.push_next(&mut rendering);
            }
        }
        let recorder = Recorder {
            gpu: self,
            commands: buffers[0],
        };
        let info = vk::CommandBufferBeginInfo::default()
            .flags(usage)
            .inheritance_info(&inherits);
        // SAFETY: as above.
        check("vkBeginCommandBuffer", unsafe {
            d.begin_command_buffer(recorder.commands, &info)
        })?;
        if let Some(size_px) = size_px {
            recorder.whole_area(size_px);
        }
        body(&recorder)?;
        // SAFETY: as above.
        check("vkEndCommandBuffer", unsafe {
            d.end_command_buffer(recorder.commands)
        })?;
        Ok(recorder.commands)
    }
}

impl Recorder<'_> {
    /// Executes secondary command buffers.
    pub fn execute(&self, parts: &[vk::CommandBuffer]) {
        // SAFETY: as above.
        unsafe {
            self.gpu.device.cmd_execute_commands(self.commands, parts);
        }
    }

    /// Renders to attachments with secondary command buffers.
    pub fn draw_parts_to(
        &self,
        targets: &Targets<'_>,
        parts: &[vk::CommandBuffer],
    ) -> Result<(), Error> {
        let contents = vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS;
        self.rendering(targets, contents, |r| {
            r.execute(parts);
            Ok(())
        })
    }

    /// Records a render pass; each subpass executes its secondary command buffers.
    pub fn render_pass_of_parts(
        &self,
        info: &vk::RenderPassBeginInfo<'_>,
        subpasses: &[&[vk::CommandBuffer]],
    ) {
        let contents = vk::SubpassContents::SECONDARY_COMMAND_BUFFERS;
        let d = &self.gpu.device;
        for (i, parts) in subpasses.iter().enumerate() {
            // SAFETY: as above.
            unsafe {
                match i {
                    0 => d.cmd_begin_render_pass(self.commands, info, contents),
                    _ => d.cmd_next_subpass(self.commands, contents),
                }
            }
            self.execute(parts);
        }
        // SAFETY: as above.
        unsafe { d.cmd_end_render_pass(self.commands) };
    }
}
