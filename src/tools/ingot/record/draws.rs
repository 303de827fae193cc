//! The objects and calls of the rows that draw: a render target, pipelines, descriptor sets, and
//! the commands of a render pass.
//!
//! In:  a device.
//! Out: each call, repeated as requested.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench calls it"
)]

use ash::vk;
use std::cell::Cell;

/// Number of descriptor sets; the rows bind one at a time.
const SETS: usize = 64;
const SIDE: u32 = 64;
const BUFFER_BYTES: u64 = 1 << 16;
/// Offsets in the buffer, in bytes.
const INDICES_AT: u64 = 0x4000;
const UNIFORMS_AT: u64 = 0x8000;
const INDIRECT_AT: u64 = 0xc000;
/// One matrix.
const PUSH_BYTES: usize = 64;

const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

/// Vertex shader: positions and texture coordinates, a matrix from a buffer and one from push
/// constants.
pub const VERTEX: &str = "#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 coordinates;
layout(location = 0) out vec2 at;
layout(set = 0, binding = 0) uniform Scene { mat4 to_clip; };
layout(push_constant) uniform Push { mat4 to_scene; };
void main() { at = coordinates; gl_Position = to_clip * to_scene * vec4(position, 1.0); }
";

/// Fragment shader: a texture, multiplied by a specialization constant.
pub const FRAGMENT: &str = "#version 450
layout(constant_id = 0) const float bright = 1.0;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 1) uniform sampler2D picture;
void main() { colour = texture(picture, at) * bright; }
";

/// The words of the shaders.
pub struct Shaders {
    pub vertex: Vec<u32>,
    pub fragment: Vec<u32>,
}

type Outcome = Result<(), vk::Result>;

/// Objects that drawing needs.
pub struct Draws {
    pub(super) device: ash::Device,
    memory: Vec<vk::DeviceMemory>,
    buffer: vk::Buffer,
    colour: vk::Image,
    depth: vk::Image,
    texture: vk::Image,
    views: Vec<vk::ImageView>,
    sampler: vk::Sampler,
    set_layout: vk::DescriptorSetLayout,
    pub(super) layout: vk::PipelineLayout,
    pub(super) pass: vk::RenderPass,
    clearing_pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    pub(super) modules: Vec<vk::ShaderModule>,
    pub(super) cache: vk::PipelineCache,
    pipelines: Vec<vk::Pipeline>,
    set_pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    /// Specialization constant of the last pipeline created: a new value misses every pipeline
    /// cache.
    pub(super) bright: Cell<f32>,
}

/// Which of [`Draws`]' pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    First,
    /// The first one's shaders, other blending.
    OtherState,
    /// Another constant in the fragment shader.
    OtherShader,
}

// SAFETY, for every block below: handles are this device's, made in `new` or in the same function,
// and used by one thread; structures live until the call returns; what is destroyed is not in use,
// for the device has nothing to do.
impl Draws {
    /// Creates all objects. `memory_type` is host-visible.
    pub fn new(
        device: &ash::Device,
        memory_type: u32,
        shaders: &Shaders,
    ) -> Result<Draws, vk::Result> {
        let mut draws = Draws {
            device: device.clone(),
            memory: Vec::new(),
            buffer: vk::Buffer::null(),
            colour: vk::Image::null(),
            depth: vk::Image::null(),
            texture: vk::Image::null(),
            views: Vec::new(),
            sampler: vk::Sampler::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pass: vk::RenderPass::null(),
            clearing_pass: vk::RenderPass::null(),
            framebuffer: vk::Framebuffer::null(),
            modules: Vec::new(),
            cache: vk::PipelineCache::null(),
            pipelines: Vec::new(),
            set_pool: vk::DescriptorPool::null(),
            sets: Vec::new(),
            bright: Cell::new(1.0),
        };
        draws.create_images(memory_type)?;
        draws.make_sets()?;
        draws.pass = draws.make_pass(vk::AttachmentLoadOp::LOAD)?;
        draws.clearing_pass = draws.make_pass(vk::AttachmentLoadOp::CLEAR)?;
        // SAFETY: above.
        unsafe {
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(draws.pass)
                .attachments(&draws.views[..2])
                .width(SIDE)
                .height(SIDE)
                .layers(1);
            draws.framebuffer = device.create_framebuffer(&info, None)?;
            for words in [&shaders.vertex, &shaders.fragment] {
                let info = vk::ShaderModuleCreateInfo::default().code(words);
                draws
                    .modules
                    .push(device.create_shader_module(&info, None)?);
            }
            let info = vk::PipelineCacheCreateInfo::default();
            draws.cache = device.create_pipeline_cache(&info, None)?;
        }
        for which in [Pipeline::First, Pipeline::OtherState, Pipeline::OtherShader] {
            let pipeline = draws.create_pipeline(
                vk::PipelineCache::null(),
                which == Pipeline::OtherState,
                match which {
                    Pipeline::OtherShader => 0.5,
                    _ => 1.0,
                },
            )?;
            draws.pipelines.push(pipeline);
        }
        Ok(draws)
    }

    fn create_images(&mut self, memory_type: u32) -> Outcome {
        let device = self.device.clone();
        // SAFETY: above.
        unsafe {
            let back = |size, memory: &mut Vec<_>| -> Result<vk::DeviceMemory, vk::Result> {
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(size)
                    .memory_type_index(memory_type);
                let made = device.allocate_memory(&info, None)?;
                memory.push(made);
                Ok(made)
            };
            let info = vk::BufferCreateInfo::default().size(BUFFER_BYTES).usage(
                vk::BufferUsageFlags::VERTEX_BUFFER
                    | vk::BufferUsageFlags::INDEX_BUFFER
                    | vk::BufferUsageFlags::UNIFORM_BUFFER
                    | vk::BufferUsageFlags::INDIRECT_BUFFER
                    | vk::BufferUsageFlags::TRANSFER_SRC
                    | vk::BufferUsageFlags::TRANSFER_DST,
            );
            self.buffer = device.create_buffer(&info, None)?;
            let needs = device.get_buffer_memory_requirements(self.buffer);
            let memory = back(needs.size, &mut self.memory)?;
            device.bind_buffer_memory(self.buffer, memory, 0)?;
            let moved = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
            let drawn = vk::ImageUsageFlags::COLOR_ATTACHMENT | moved;
            let tested = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            let read = vk::ImageUsageFlags::SAMPLED | moved;
            let kinds = [
                (COLOUR, drawn, vk::ImageAspectFlags::COLOR),
                (DEPTH, tested, vk::ImageAspectFlags::DEPTH),
                (COLOUR, read, vk::ImageAspectFlags::COLOR),
            ];
            let mut images = [vk::Image::null(); 3];
            for (image, (format, usage, aspect)) in images.iter_mut().zip(kinds) {
                *image = device.create_image(&image_info(format, usage), None)?;
                let needs = device.get_image_memory_requirements(*image);
                let memory = back(needs.size, &mut self.memory)?;
                device.bind_image_memory(*image, memory, 0)?;
                let info = vk::ImageViewCreateInfo::default()
                    .image(*image)
                    .view_type(vk::ImageViewType::TYPE_2D)
                    .format(format)
                    .subresource_range(whole(aspect));
                self.views.push(device.create_image_view(&info, None)?);
            }
            [self.colour, self.depth, self.texture] = images;
            let info = vk::SamplerCreateInfo::default()
                .mag_filter(vk::Filter::LINEAR)
                .min_filter(vk::Filter::LINEAR);
            self.sampler = device.create_sampler(&info, None)?;
        }
        Ok(())
    }

    fn make_sets(&mut self) -> Outcome {
        let device = self.device.clone();
        // SAFETY: above.
        unsafe {
            let bindings = [
                vk::DescriptorSetLayoutBinding::default()
                    .binding(0)
                    .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::VERTEX),
                vk::DescriptorSetLayoutBinding::default()
                    .binding(1)
                    .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::FRAGMENT),
            ];
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            self.set_layout = device.create_descriptor_set_layout(&info, None)?;
            let layouts = [self.set_layout];
            let ranges = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::VERTEX)
                .size(PUSH_BYTES as u32)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&layouts)
                .push_constant_ranges(&ranges);
            self.layout = device.create_pipeline_layout(&info, None)?;
            let sizes = [
                vk::DescriptorType::UNIFORM_BUFFER,
                vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            ]
            .map(|ty| vk::DescriptorPoolSize {
                ty,
                descriptor_count: SETS as u32,
            });
            let info = vk::DescriptorPoolCreateInfo::default()
                .max_sets(SETS as u32)
                .pool_sizes(&sizes);
            self.set_pool = device.create_descriptor_pool(&info, None)?;
            let layouts = [self.set_layout; SETS];
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.set_pool)
                .set_layouts(&layouts);
            self.sets = device.allocate_descriptor_sets(&info)?;
        }
        for i in 0..SETS {
            self.update(i);
        }
        Ok(())
    }

    fn make_pass(&self, load: vk::AttachmentLoadOp) -> Result<vk::RenderPass, vk::Result> {
        let attachment = |format, layout| {
            vk::AttachmentDescription::default()
                .format(format)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(load)
                .store_op(vk::AttachmentStoreOp::STORE)
                .initial_layout(layout)
                .final_layout(layout)
        };
        let in_colour = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let in_depth = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let attachments = [attachment(COLOUR, in_colour), attachment(DEPTH, in_depth)];
        let colours = [vk::AttachmentReference {
            attachment: 0,
            layout: in_colour,
        }];
        let depth = vk::AttachmentReference {
            attachment: 1,
            layout: in_depth,
        };
        let subpasses = [vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&colours)
            .depth_stencil_attachment(&depth)];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses);
        // SAFETY: above.
        unsafe { self.device.create_render_pass(&info, None) }
    }

    /// Creates and destroys an image.
    pub fn make_image(&self) -> Outcome {
        let info = image_info(COLOUR, vk::ImageUsageFlags::SAMPLED);
        // SAFETY: above.
        unsafe {
            let image = self.device.create_image(&info, None)?;
            self.device.destroy_image(image, None);
        }
        Ok(())
    }

    /// Creates and destroys an image view.
    pub fn make_view(&self) -> Outcome {
        let info = vk::ImageViewCreateInfo::default()
            .image(self.texture)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(COLOUR)
            .subresource_range(whole(vk::ImageAspectFlags::COLOR));
        // SAFETY: above.
        unsafe {
            let view = self.device.create_image_view(&info, None)?;
            self.device.destroy_image_view(view, None);
        }
        Ok(())
    }

    /// Binds and sets all that a draw needs: pipeline, dynamic state, set, buffers, push data.
    pub fn bind_all(&self, to: vk::CommandBuffer) {
        self.bind_pipeline(to, Pipeline::First);
        self.set_viewport(to, 0);
        self.set_constants(to, 0);
        self.bind_set(to, 0);
        self.bind_vertices(to, 0);
        self.bind_indices(to);
        self.push(to, 0);
    }

    /// Begins the render pass: loads what was there, or clears it.
    pub fn begin_pass(&self, to: vk::CommandBuffer, clears: bool) {
        let values = [
            vk::ClearValue::default(),
            vk::ClearValue {
                depth_stencil: vk::ClearDepthStencilValue {
                    depth: 1.0,
                    stencil: 0,
                },
            },
        ];
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(if clears {
                self.clearing_pass
            } else {
                self.pass
            })
            .framebuffer(self.framebuffer)
            .render_area(area())
            .clear_values(&values);
        let inside = vk::SubpassContents::INLINE;
        // SAFETY: above.
        unsafe { self.device.cmd_begin_render_pass(to, &info, inside) }
    }

    pub fn end_pass(&self, to: vk::CommandBuffer) {
        // SAFETY: above.
        unsafe { self.device.cmd_end_render_pass(to) }
    }

    pub fn bind_pipeline(&self, to: vk::CommandBuffer, which: Pipeline) {
        let pipeline = self.pipelines[which as usize];
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: above.
        unsafe { self.device.cmd_bind_pipeline(to, point, pipeline) }
    }

    pub fn set_viewport(&self, to: vk::CommandBuffer, i: usize) {
        let viewport = [vk::Viewport {
            x: (i % 8) as f32,
            width: 32.0,
            height: 32.0,
            max_depth: 1.0,
            ..Default::default()
        }];
        let mut scissor = [area()];
        scissor[0].offset.y = (i % 8) as i32;
        // SAFETY: above.
        unsafe {
            self.device.cmd_set_viewport(to, 0, &viewport);
            self.device.cmd_set_scissor(to, 0, &scissor);
        }
    }

    /// Blend constants and the stencil's reference.
    pub fn set_constants(&self, to: vk::CommandBuffer, i: usize) {
        let faces = vk::StencilFaceFlags::FRONT_AND_BACK;
        // SAFETY: above.
        unsafe {
            self.device.cmd_set_blend_constants(to, &[i as f32; 4]);
            self.device
                .cmd_set_stencil_reference(to, faces, (i % 256) as u32);
        }
    }

    pub fn bind_set(&self, to: vk::CommandBuffer, i: usize) {
        let point = vk::PipelineBindPoint::GRAPHICS;
        let set = [self.sets[i % SETS]];
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_bind_descriptor_sets(to, point, self.layout, 0, &set, &[]);
        }
    }

    pub fn bind_vertices(&self, to: vk::CommandBuffer, i: usize) {
        let offset = [(i % 64) as u64 * 20];
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_bind_vertex_buffers(to, 0, &[self.buffer], &offset);
        }
    }

    pub fn bind_indices(&self, to: vk::CommandBuffer) {
        let kind = vk::IndexType::UINT16;
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_bind_index_buffer(to, self.buffer, INDICES_AT, kind);
        }
    }

    pub fn push(&self, to: vk::CommandBuffer, i: usize) {
        let stage = vk::ShaderStageFlags::VERTEX;
        let data = [i as u8; PUSH_BYTES];
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_push_constants(to, self.layout, stage, 0, &data);
        }
    }

    pub fn draw(&self, to: vk::CommandBuffer) {
        // SAFETY: above.
        unsafe { self.device.cmd_draw(to, 3, 1, 0, 0) }
    }

    pub fn draw_indexed(&self, to: vk::CommandBuffer) {
        // SAFETY: above.
        unsafe { self.device.cmd_draw_indexed(to, 3, 1, 0, 0, 0) }
    }

    pub fn draw_indirect(&self, to: vk::CommandBuffer) {
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_draw_indirect(to, self.buffer, INDIRECT_AT, 1, 16);
        }
    }

    /// Clears the colour attachment within the render pass.
    pub fn clear_attachment(&self, to: vk::CommandBuffer) {
        let clear = [vk::ClearAttachment::default().aspect_mask(vk::ImageAspectFlags::COLOR)];
        let rect = [vk::ClearRect {
            rect: area(),
            base_array_layer: 0,
            layer_count: 1,
        }];
        // SAFETY: above.
        unsafe { self.device.cmd_clear_attachments(to, &clear, &rect) }
    }

    /// A barrier from attachment writes to attachment writes.
    pub fn barrier(&self, to: vk::CommandBuffer) {
        let stage = vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT;
        let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let barrier = [vk::ImageMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_READ)
            .old_layout(layout)
            .new_layout(layout)
            .image(self.colour)
            .subresource_range(whole(vk::ImageAspectFlags::COLOR))];
        let flags = vk::DependencyFlags::empty();
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_pipeline_barrier(to, stage, stage, flags, &[], &[], &barrier);
        }
    }

    /// Copies a few bytes within the buffer, to another place each time.
    pub fn copy_buffer(&self, to: vk::CommandBuffer, i: usize) {
        const BYTES: u64 = 16;
        const PLACES: u64 = (INDIRECT_AT - UNIFORMS_AT) / BYTES;
        let region = [vk::BufferCopy {
            src_offset: 0,
            dst_offset: UNIFORMS_AT + i as u64 % PLACES * BYTES,
            size: BYTES,
        }];
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_copy_buffer(to, self.buffer, self.buffer, &region);
        }
    }

    /// Fills a piece of the texture from the buffer, another one each time: no barrier is between
    /// them.
    pub fn copy_to_image(&self, to: vk::CommandBuffer, i: usize) {
        let region = [vk::BufferImageCopy::default()
            .image_subresource(layer())
            .image_offset(piece(i))
            .image_extent(piece_extent())];
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_copy_buffer_to_image(to, self.buffer, self.texture, layout, &region);
        }
    }

    /// Copies a piece of the target to the texture, another one each time.
    pub fn copy_image(&self, to: vk::CommandBuffer, i: usize) {
        let region = [vk::ImageCopy::default()
            .src_subresource(layer())
            .src_offset(piece(i))
            .dst_subresource(layer())
            .dst_offset(piece(i))
            .extent(piece_extent())];
        let (from, into) = moved();
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_copy_image(to, self.colour, from, self.texture, into, &region);
        }
    }

    /// Scales the target to a quarter of the texture.
    pub fn blit_image(&self, to: vk::CommandBuffer) {
        let corner = |side: u32| vk::Offset3D {
            x: side as i32,
            y: side as i32,
            z: 1,
        };
        let region = [vk::ImageBlit::default()
            .src_subresource(layer())
            .src_offsets([vk::Offset3D::default(), corner(SIDE)])
            .dst_subresource(layer())
            .dst_offsets([vk::Offset3D::default(), corner(SIDE / 2)])];
        let (from, into) = moved();
        let filter = vk::Filter::LINEAR;
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_blit_image(to, self.colour, from, self.texture, into, &region, filter);
        }
    }

    /// Clears the texture.
    pub fn clear_image(&self, to: vk::CommandBuffer) {
        let range = [whole(vk::ImageAspectFlags::COLOR)];
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        let value = vk::ClearColorValue::default();
        // SAFETY: above.
        unsafe {
            self.device
                .cmd_clear_color_image(to, self.texture, layout, &value, &range);
        }
    }

    /// Writes the two descriptors of a set.
    pub fn update(&self, i: usize) {
        let set = self.sets[i % SETS];
        let uniforms = [vk::DescriptorBufferInfo {
            buffer: self.buffer,
            offset: UNIFORMS_AT + (i % SETS) as u64 * 64,
            range: 64,
        }];
        let image_infos = [vk::DescriptorImageInfo {
            sampler: self.sampler,
            image_view: self.views[2],
            image_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        }];
        let writes = [
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(0)
                .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                .buffer_info(&uniforms),
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(1)
                .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                .image_info(&image_infos),
        ];
        // SAFETY: above; no command buffer with the set is in the queue.
        unsafe { self.device.update_descriptor_sets(&writes, &[]) }
    }
}

fn area() -> vk::Rect2D {
    vk::Extent2D {
        width: SIDE,
        height: SIDE,
    }
    .into()
}

fn extent() -> vk::Extent3D {
    vk::Extent3D {
        width: SIDE,
        height: SIDE,
        depth: 1,
    }
}

/// Side of a piece of the texture: there are more pieces than times.
const PIECE: u32 = 2;

/// Where a piece is.
fn piece(i: usize) -> vk::Offset3D {
    let row = (SIDE / PIECE) as usize;
    let at = |number: usize| (number % row) as i32 * PIECE as i32;
    vk::Offset3D {
        x: at(i),
        y: at(i / row),
        z: 0,
    }
}

fn piece_extent() -> vk::Extent3D {
    vk::Extent3D {
        width: PIECE,
        height: PIECE,
        depth: 1,
    }
}

/// Layouts that transfers read and write.
fn moved() -> (vk::ImageLayout, vk::ImageLayout) {
    (
        vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    )
}

fn layer() -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        layer_count: 1,
        ..Default::default()
    }
}

fn whole(aspect_mask: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    }
}

fn image_info(format: vk::Format, usage: vk::ImageUsageFlags) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(extent())
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(usage)
}

impl Drop for Draws {
    fn drop(&mut self) {
        let device = &self.device;
        // SAFETY: above; everything goes once, and a null handle may be destroyed.
        unsafe {
            device.destroy_descriptor_pool(self.set_pool, None);
            for pipeline in &self.pipelines {
                device.destroy_pipeline(*pipeline, None);
            }
            for module in &self.modules {
                device.destroy_shader_module(*module, None);
            }
            device.destroy_pipeline_cache(self.cache, None);
            device.destroy_framebuffer(self.framebuffer, None);
            device.destroy_render_pass(self.pass, None);
            device.destroy_render_pass(self.clearing_pass, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            device.destroy_sampler(self.sampler, None);
            for view in &self.views {
                device.destroy_image_view(*view, None);
            }
            for image in [self.colour, self.depth, self.texture] {
                device.destroy_image(image, None);
            }
            device.destroy_buffer(self.buffer, None);
            for memory in &self.memory {
                device.free_memory(*memory, None);
            }
        }
    }
}
