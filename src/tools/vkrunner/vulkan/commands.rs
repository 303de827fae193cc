//! Recording and submitting: idle → recording → in a render pass, as commands need it.

use crate::vulkan::error::{VulkanError, check};
use crate::vulkan::graphics::Graphics;
use crate::vulkan::resources::Resources;
use ash::vk;

/// A command buffer that is begun when first used, and submitted and waited for by
/// [`Recorder::finish`].
pub struct Recorder<'r, 'c> {
    resources: &'r Resources<'c>,
    graphics: Option<&'r Graphics<'c>>,
    buffer: vk::CommandBuffer,
    recording: bool,
    in_render_pass: bool,
    first_render: bool,
    bound: Option<usize>,
    sets_bound: [bool; 2],
    /// The push constants that the script has set so far.
    push_block: Vec<u8>,
}

/// How commands use an image.
#[derive(Clone, Copy)]
struct Use {
    layout: vk::ImageLayout,
    access: vk::AccessFlags,
    stage: vk::PipelineStageFlags,
}

/// Values of a clear.
#[derive(Clone, Copy, Debug)]
pub struct ClearValues {
    /// Colour.
    pub color: [f32; 4],
    /// Depth.
    pub depth: f32,
    /// Stencil.
    pub stencil: u32,
}

/// The geometry of a draw.
#[derive(Clone, Copy, Debug)]
pub enum DrawCall {
    /// The n-th `draw rect` of the script.
    Rectangle(usize),
    /// `draw arrays`.
    Arrays {
        /// 16-bit indices from the first on.
        indexed: bool,
        /// First vertex, or the offset added to indices.
        first: u32,
        /// Vertices or indices.
        count: u32,
        /// Instances.
        instances: u32,
    },
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
    pub fn new(
        resources: &'r Resources<'c>,
        graphics: Option<&'r Graphics<'c>>,
    ) -> Result<Recorder<'r, 'c>, VulkanError> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(resources.pool)
            .command_buffer_count(1);
        // SAFETY: the structures live until the calls return and the handles are of this device,
        // here and below.
        let buffers = check("vkAllocateCommandBuffers", unsafe {
            resources.context.device.allocate_command_buffers(&info)
        })?;
        Ok(Recorder {
            resources,
            graphics,
            buffer: buffers[0],
            recording: false,
            in_render_pass: false,
            first_render: true,
            bound: None,
            sets_bound: [false; 2],
            push_block: Vec::new(),
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
        self.sets_bound = [false; 2];
        Ok(())
    }

    fn begin_render_pass(&mut self, graphics: &Graphics<'_>) -> Result<(), VulkanError> {
        self.begin()?;
        if self.in_render_pass {
            return Ok(());
        }
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(graphics.render_passes[usize::from(!self.first_render)])
            .framebuffer(graphics.framebuffer)
            .render_area(vk::Rect2D {
                offset: vk::Offset2D { x: 0, y: 0 },
                extent: graphics.extent,
            });
        // SAFETY: see `new`.
        unsafe {
            self.resources.context.device.cmd_begin_render_pass(
                self.buffer,
                &info,
                vk::SubpassContents::INLINE,
            );
        }
        self.first_render = false;
        self.in_render_pass = true;
        Ok(())
    }

    /// Ends the render pass, resolves the framebuffer and copies it to the readback buffer.
    fn end_render_pass(&mut self) {
        if !self.in_render_pass {
            return;
        }
        self.in_render_pass = false;
        let Some(graphics) = self.graphics else {
            return;
        };
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: 0,
            base_array_layer: 0,
            layer_count: 1,
        };
        let extent = vk::Extent3D {
            width: graphics.extent.width,
            height: graphics.extent.height,
            depth: 1,
        };
        let attachment = Use {
            layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            access: vk::AccessFlags::COLOR_ATTACHMENT_WRITE
                | vk::AccessFlags::COLOR_ATTACHMENT_READ,
            stage: vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
        };
        let source = Use {
            layout: vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            access: vk::AccessFlags::TRANSFER_READ,
            stage: vk::PipelineStageFlags::TRANSFER,
        };
        let device = &self.resources.context.device;
        let color = graphics.color_image();
        // SAFETY: see `new`.
        unsafe { device.cmd_end_render_pass(self.buffer) };
        self.change(color, attachment, source);
        let mut shown = color;
        if let Some(resolved) = graphics.resolved_image() {
            // The previous resolved contents are overwritten, after their copy has finished.
            let replaced = Use {
                layout: vk::ImageLayout::UNDEFINED,
                ..source
            };
            let target = Use {
                layout: vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                access: vk::AccessFlags::TRANSFER_WRITE,
                stage: vk::PipelineStageFlags::TRANSFER,
            };
            let region = vk::ImageResolve::default()
                .src_subresource(layers)
                .dst_subresource(layers)
                .extent(extent);
            self.change(resolved, replaced, target);
            // SAFETY: see `new`; the images are as large as the framebuffer, and of one format.
            unsafe {
                device.cmd_resolve_image(
                    self.buffer,
                    color,
                    source.layout,
                    resolved,
                    target.layout,
                    &[region],
                );
            }
            self.change(resolved, target, source);
            shown = resolved;
        }
        if let Some(readback) = &graphics.readback {
            let region = vk::BufferImageCopy::default()
                .image_subresource(layers)
                .image_extent(extent);
            // SAFETY: see `new`; the buffer holds all texels.
            unsafe {
                device.cmd_copy_image_to_buffer(
                    self.buffer,
                    shown,
                    source.layout,
                    readback.buffer,
                    &[region],
                );
            }
        }
        self.change(color, source, attachment);
    }

    /// Records the barrier and layout transition for an image's next use.
    fn change(&self, image: vk::Image, from: Use, to: Use) {
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(from.access)
            .dst_access_mask(to.access)
            .old_layout(from.layout)
            .new_layout(to.layout)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                base_mip_level: 0,
                level_count: 1,
                base_array_layer: 0,
                layer_count: 1,
            });
        // SAFETY: see `new`.
        unsafe {
            self.resources.context.device.cmd_pipeline_barrier(
                self.buffer,
                from.stage,
                to.stage,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[barrier],
            );
        }
    }

    fn bind(&mut self, point: vk::PipelineBindPoint, pipeline: usize) {
        let (resources, device) = (self.resources, &self.resources.context.device);
        let slot = usize::from(point == vk::PipelineBindPoint::GRAPHICS);
        // SAFETY: see `new`.
        unsafe {
            if self.bound != Some(pipeline) {
                device.cmd_bind_pipeline(self.buffer, point, resources.pipelines[pipeline]);
                self.bound = Some(pipeline);
            }
            if !self.sets_bound[slot] && !resources.sets.is_empty() {
                device.cmd_bind_descriptor_sets(
                    self.buffer,
                    point,
                    resources.layout,
                    0,
                    &resources.sets,
                    &[],
                );
                self.sets_bound[slot] = true;
            }
        }
    }

    /// Records a dispatch with pipeline `pipeline`.
    pub fn dispatch(&mut self, pipeline: usize, groups: [u32; 3]) -> Result<(), VulkanError> {
        self.begin()?;
        self.end_render_pass();
        self.bind(vk::PipelineBindPoint::COMPUTE, pipeline);
        let [x, y, z] = groups;
        // SAFETY: see `new`.
        unsafe {
            self.resources
                .context
                .device
                .cmd_dispatch(self.buffer, x, y, z);
        }
        Ok(())
    }

    /// Records a draw with pipeline `pipeline`.
    pub fn draw(&mut self, pipeline: usize, call: DrawCall) -> Result<(), VulkanError> {
        let Some(graphics) = self.graphics else {
            return Ok(());
        };
        self.begin_render_pass(graphics)?;
        self.bind(vk::PipelineBindPoint::GRAPHICS, pipeline);
        let device = &self.resources.context.device;
        // SAFETY: see `new`; the buffers are those the pipeline's vertex input describes.
        unsafe {
            match call {
                DrawCall::Rectangle(n) => {
                    if let Some(buffer) = &graphics.rectangles {
                        let offset = n as u64 * 48;
                        device.cmd_bind_vertex_buffers(self.buffer, 0, &[buffer.buffer], &[offset]);
                    }
                    device.cmd_draw(self.buffer, 4, 1, 0, 0);
                }
                DrawCall::Arrays {
                    indexed,
                    first,
                    count,
                    instances,
                } => {
                    if let Some(buffer) = &graphics.vertices {
                        device.cmd_bind_vertex_buffers(self.buffer, 0, &[buffer.buffer], &[0]);
                    }
                    match &graphics.indices {
                        Some(buffer) if indexed => {
                            let ty = vk::IndexType::UINT16;
                            device.cmd_bind_index_buffer(self.buffer, buffer.buffer, 0, ty);
                            let base = first as i32;
                            device.cmd_draw_indexed(self.buffer, count, instances, 0, base, 0);
                        }
                        _ => device.cmd_draw(self.buffer, count, instances, first, 0),
                    }
                }
            }
        }
        Ok(())
    }

    /// Records a clear of the whole framebuffer.
    pub fn clear(&mut self, values: &ClearValues) -> Result<(), VulkanError> {
        let Some(graphics) = self.graphics else {
            return Ok(());
        };
        self.begin_render_pass(graphics)?;
        let mut attachments = vec![vk::ClearAttachment {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            color_attachment: 0,
            clear_value: vk::ClearValue {
                color: vk::ClearColorValue {
                    float32: values.color,
                },
            },
        }];
        let depth_stencil = graphics.clear_aspects & !vk::ImageAspectFlags::COLOR;
        if !depth_stencil.is_empty() {
            attachments.push(vk::ClearAttachment {
                aspect_mask: depth_stencil,
                color_attachment: 0,
                clear_value: vk::ClearValue {
                    depth_stencil: vk::ClearDepthStencilValue {
                        depth: values.depth,
                        stencil: values.stencil,
                    },
                },
            });
        }
        let rect = vk::ClearRect {
            rect: vk::Rect2D {
                offset: vk::Offset2D { x: 0, y: 0 },
                extent: graphics.extent,
            },
            base_array_layer: 0,
            layer_count: 1,
        };
        // SAFETY: see `new`.
        unsafe {
            self.resources
                .context
                .device
                .cmd_clear_attachments(self.buffer, &attachments, &[rect]);
        }
        Ok(())
    }

    /// Records push constants: the whole dwords that hold the bytes, since Vulkan takes no parts of
    /// them. Bytes of those dwords that the script has not pushed are zero.
    pub fn push(&mut self, offset: usize, bytes: &[u8]) -> Result<(), VulkanError> {
        self.begin()?;
        let (end, first) = (offset + bytes.len(), offset / 4 * 4);
        let past = end.next_multiple_of(4);
        if self.push_block.len() < past {
            self.push_block.resize(past, 0);
        }
        self.push_block[offset..end].copy_from_slice(bytes);
        // SAFETY: see `new`.
        unsafe {
            self.resources.context.device.cmd_push_constants(
                self.buffer,
                self.resources.layout,
                self.resources.stages,
                first as u32,
                &self.push_block[first..past],
            );
        }
        Ok(())
    }

    /// Makes writes visible to the host, submits, and waits without limit. Does nothing when idle.
    pub fn finish(&mut self) -> Result<(), VulkanError> {
        if !self.recording {
            return Ok(());
        }
        self.end_render_pass();
        self.recording = false;
        let context = self.resources.context;
        let device = &context.device;
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
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
