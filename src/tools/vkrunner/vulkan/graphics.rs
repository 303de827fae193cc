//! The framebuffer, vertex buffers and graphics pipelines of a script.

use crate::script::{PipelineKey, PipelineState, Requirements, Script, ShaderStage, VertexSource};
use crate::vulkan::context::Context;
use crate::vulkan::error::{VulkanError, check};
use crate::vulkan::resources::{HostBuffer, Resources};
use ash::vk;
use std::ffi::CString;

/// An image with its memory and view.
struct Attachment {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
}

/// The framebuffer of a script, and the buffers of its draws.
pub struct Graphics<'c> {
    context: &'c Context,
    color: Attachment,
    /// The resolve attachment of a multisampled colour.
    resolved: Option<Attachment>,
    depth: Option<Attachment>,
    /// For the first use (contents not loaded), and for later ones (contents loaded).
    pub(super) render_passes: [vk::RenderPass; 2],
    pub(super) framebuffer: vk::Framebuffer,
    pub(super) extent: vk::Extent2D,
    samples: vk::SampleCountFlags,
    pub(super) clear_aspects: vk::ImageAspectFlags,
    /// Texels of the colour attachment after a render pass.
    pub(super) readback: Option<HostBuffer>,
    pub(super) rectangles: Option<HostBuffer>,
    pub(super) vertices: Option<HostBuffer>,
    pub(super) indices: Option<HostBuffer>,
    texel_bytes: usize,
}

impl Drop for Graphics<'_> {
    fn drop(&mut self) {
        let device = &self.context.device;
        // SAFETY: nothing is pending (see Resources); every handle is destroyed once, null ones are
        // ignored.
        unsafe {
            device.destroy_framebuffer(self.framebuffer, None);
            for pass in self.render_passes {
                device.destroy_render_pass(pass, None);
            }
            for attachment in [
                Some(&self.color),
                self.resolved.as_ref(),
                self.depth.as_ref(),
            ]
            .into_iter()
            .flatten()
            {
                device.destroy_image_view(attachment.view, None);
                device.destroy_image(attachment.image, None);
                device.free_memory(attachment.memory, None);
            }
            for buffer in [
                &self.readback,
                &self.rectangles,
                &self.vertices,
                &self.indices,
            ]
            .into_iter()
            .flatten()
            {
                buffer.destroy(device);
            }
        }
    }
}

/// Usage of the colour attachment.
const COLOR_USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::COLOR_ATTACHMENT.as_raw() | vk::ImageUsageFlags::TRANSFER_SRC.as_raw(),
);
/// Usage of the depth/stencil attachment.
const DEPTH_USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;

/// `Unsupported` if the device has no attachments of the required formats and sample count.
fn check_attachments(context: &Context, requirements: &Requirements) -> Result<(), VulkanError> {
    let format = requirements.framebuffer;
    let needs = vk::FormatFeatureFlags::COLOR_ATTACHMENT | vk::FormatFeatureFlags::BLIT_SRC;
    if !context.optimal_features(format.vk).contains(needs) {
        return Err(VulkanError::Unsupported(format!(
            "Format {} is not supported as a color attachment and blit source",
            format.name
        )));
    }
    if let Some(format) = requirements.depth_stencil
        && !context
            .optimal_features(format.vk)
            .contains(vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT)
    {
        return Err(VulkanError::Unsupported(format!(
            "Format {} is not supported as a depth/stencil attachment",
            format.name
        )));
    }
    // The bits of VkSampleCountFlags are the counts themselves.
    let samples = vk::SampleCountFlags::from_raw(requirements.samples);
    let of_color = (format, COLOR_USAGE);
    let of_depth = requirements.depth_stencil.map(|f| (f, DEPTH_USAGE));
    for (format, usage) in std::iter::once(of_color).chain(of_depth) {
        if requirements.samples > 1 && !context.sample_counts(format.vk, usage).contains(samples) {
            return Err(VulkanError::Unsupported(format!(
                "Attachments of format {} cannot have {} samples",
                format.name, requirements.samples
            )));
        }
    }
    Ok(())
}

impl<'c> Graphics<'c> {
    /// Creates framebuffer and buffers. Err: the device does not support them, or a call failed.
    pub fn new(
        context: &'c Context,
        resources: &Resources<'c>,
        script: &Script,
    ) -> Result<Graphics<'c>, VulkanError> {
        let requirements = &script.requirements;
        let format = requirements.framebuffer;
        check_attachments(context, requirements)?;
        // The bits of VkSampleCountFlags are the counts themselves.
        let samples = vk::SampleCountFlags::from_raw(requirements.samples);
        let (color_usage, depth_usage) = (COLOR_USAGE, DEPTH_USAGE);
        let (width, height) = requirements.framebuffer_size;
        let extent = vk::Extent2D { width, height };
        let color = Attachment::new(
            context,
            format.vk,
            (extent, samples),
            color_usage,
            vk::ImageAspectFlags::COLOR,
        )?;
        let mut graphics = Graphics {
            context,
            color,
            resolved: None,
            depth: None,
            render_passes: [vk::RenderPass::null(); 2],
            framebuffer: vk::Framebuffer::null(),
            extent,
            samples,
            clear_aspects: vk::ImageAspectFlags::COLOR,
            readback: None,
            rectangles: None,
            vertices: None,
            indices: None,
            texel_bytes: format.size_bytes(),
        };
        if let Some(format) = requirements.depth_stencil {
            let mut aspects = vk::ImageAspectFlags::empty();
            for &(channel, ..) in format.components {
                match channel {
                    'D' => aspects |= vk::ImageAspectFlags::DEPTH,
                    'S' => aspects |= vk::ImageAspectFlags::STENCIL,
                    _ => {}
                }
            }
            graphics.clear_aspects |= aspects;
            let size = (extent, samples);
            let attachment = Attachment::new(context, format.vk, size, depth_usage, aspects)?;
            graphics.depth = Some(attachment);
        }
        if requirements.samples > 1 {
            graphics.resolved = Some(Attachment::new(
                context,
                format.vk,
                (extent, vk::SampleCountFlags::TYPE_1),
                color_usage | vk::ImageUsageFlags::TRANSFER_DST,
                vk::ImageAspectFlags::COLOR,
            )?);
        }
        for first in [true, false] {
            let depth = requirements.depth_stencil.map(|f| f.vk);
            graphics.render_passes[usize::from(!first)] =
                render_pass(context, format.vk, depth, samples, first)?;
        }
        let mut views = vec![graphics.color.view];
        views.extend(graphics.depth.as_ref().map(|d| d.view));
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(graphics.render_passes[0])
            .attachments(&views)
            .width(width)
            .height(height)
            .layers(1);
        // SAFETY: the structures live until the call returns and the handles are of this device.
        graphics.framebuffer = check("vkCreateFramebuffer", unsafe {
            context.device.create_framebuffer(&info, None)
        })?;
        graphics.create_buffers(resources, script)?;
        Ok(graphics)
    }

    /// Creates the readback buffer and the buffers of rectangles, vertices and indices.
    fn create_buffers(
        &mut self,
        resources: &Resources<'c>,
        script: &Script,
    ) -> Result<(), VulkanError> {
        let texels = self.extent.width as usize * self.extent.height as usize * self.texel_bytes;
        self.readback = Some(resources.host_buffer(texels, vk::BufferUsageFlags::TRANSFER_DST)?);
        let rectangles = rectangle_vertices(script);
        if !rectangles.is_empty() {
            self.rectangles =
                Some(resources.filled_buffer(&rectangles, vk::BufferUsageFlags::VERTEX_BUFFER)?);
        }
        if let Some(data) = &script.vertex_data {
            self.vertices =
                Some(resources.filled_buffer(&data.bytes, vk::BufferUsageFlags::VERTEX_BUFFER)?);
        }
        if !script.indices.is_empty() {
            let bytes: Vec<u8> = script
                .indices
                .iter()
                .flat_map(|i| i.to_le_bytes())
                .collect();
            self.indices =
                Some(resources.filled_buffer(&bytes, vk::BufferUsageFlags::INDEX_BUFFER)?);
        }
        Ok(())
    }

    /// The colour attachment's image.
    pub(super) fn color_image(&self) -> vk::Image {
        self.color.image
    }

    /// The single-sampled image that a multisampled colour is resolved to after a render pass.
    pub(super) fn resolved_image(&self) -> Option<vk::Image> {
        self.resolved.as_ref().map(|attachment| attachment.image)
    }

    /// Texels of the framebuffer as last read back.
    pub fn texels(&self, resources: &Resources<'_>) -> Result<Vec<u8>, VulkanError> {
        match &self.readback {
            Some(buffer) => resources.contents(buffer),
            None => Ok(Vec::new()),
        }
    }
}

impl Attachment {
    fn new(
        context: &Context,
        format: vk::Format,
        (extent, samples): (vk::Extent2D, vk::SampleCountFlags),
        usage: vk::ImageUsageFlags,
        aspects: vk::ImageAspectFlags,
    ) -> Result<Attachment, VulkanError> {
        let device = &context.device;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D {
                width: extent.width,
                height: extent.height,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(samples)
            .usage(usage);
        let mut attachment = Attachment {
            image: vk::Image::null(),
            memory: vk::DeviceMemory::null(),
            view: vk::ImageView::null(),
        };
        // SAFETY: as in Graphics::new; what is made before an error is destroyed by `undo`.
        unsafe {
            attachment.image = check("vkCreateImage", device.create_image(&info, None))?;
            let rest = |attachment: &mut Attachment| -> Result<(), VulkanError> {
                let needs = device.get_image_memory_requirements(attachment.image);
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(needs.size)
                    .memory_type_index(needs.memory_type_bits.trailing_zeros());
                attachment.memory = check("vkAllocateMemory", device.allocate_memory(&info, None))?;
                check(
                    "vkBindImageMemory",
                    device.bind_image_memory(attachment.image, attachment.memory, 0),
                )?;
                let info = vk::ImageViewCreateInfo::default()
                    .image(attachment.image)
                    .view_type(vk::ImageViewType::TYPE_2D)
                    .format(format)
                    .subresource_range(vk::ImageSubresourceRange {
                        aspect_mask: aspects,
                        base_mip_level: 0,
                        level_count: 1,
                        base_array_layer: 0,
                        layer_count: 1,
                    });
                attachment.view =
                    check("vkCreateImageView", device.create_image_view(&info, None))?;
                Ok(())
            };
            if let Err(error) = rest(&mut attachment) {
                device.destroy_image(attachment.image, None);
                device.free_memory(attachment.memory, None);
                return Err(error);
            }
        }
        Ok(attachment)
    }
}

fn render_pass(
    context: &Context,
    color: vk::Format,
    depth: Option<vk::Format>,
    samples: vk::SampleCountFlags,
    first: bool,
) -> Result<vk::RenderPass, VulkanError> {
    let attachment = |format, layout| {
        let (load, initial) = if first {
            (vk::AttachmentLoadOp::DONT_CARE, vk::ImageLayout::UNDEFINED)
        } else {
            (vk::AttachmentLoadOp::LOAD, layout)
        };
        vk::AttachmentDescription::default()
            .format(format)
            .samples(samples)
            .load_op(load)
            .store_op(vk::AttachmentStoreOp::STORE)
            .stencil_load_op(load)
            .stencil_store_op(vk::AttachmentStoreOp::STORE)
            .initial_layout(initial)
            .final_layout(layout)
    };
    let mut attachments = vec![attachment(color, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)];
    let depth_layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    attachments.extend(depth.map(|format| attachment(format, depth_layout)));
    let color_reference = [vk::AttachmentReference {
        attachment: 0,
        layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
    }];
    let depth_reference = vk::AttachmentReference {
        attachment: 1,
        layout: depth_layout,
    };
    let mut subpass = vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&color_reference);
    if depth.is_some() {
        subpass = subpass.depth_stencil_attachment(&depth_reference);
    }
    let subpasses = [subpass];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    // SAFETY: as in Graphics::new.
    check("vkCreateRenderPass", unsafe {
        context.device.create_render_pass(&info, None)
    })
}

/// Four vertices for each `draw rect`, in the order of the commands.
fn rectangle_vertices(script: &Script) -> Vec<u8> {
    use crate::script::Operation;
    let (width, height) = script.requirements.framebuffer_size;
    let (width, height) = (width as f32, height as f32);
    let mut bytes = Vec::new();
    for command in &script.commands {
        let Operation::DrawRect {
            ortho,
            mut x,
            mut y,
            mut w,
            mut h,
            ..
        } = command.op
        else {
            continue;
        };
        if ortho {
            x = x * 2.0 / width - 1.0;
            y = y * 2.0 / height - 1.0;
            w = w * 2.0 / width;
            h = h * 2.0 / height;
        }
        for corner in [(x, y), (x + w, y), (x, y + h), (x + w, y + h)] {
            for value in [corner.0, corner.1, 0.0] {
                bytes.extend(value.to_le_bytes());
            }
        }
    }
    bytes
}

impl Resources<'_> {
    /// Creates a graphics pipeline of all non-compute stages.
    pub fn add_graphics_pipeline(
        &mut self,
        graphics: &Graphics<'_>,
        script: &Script,
        key: &PipelineKey,
    ) -> Result<(), VulkanError> {
        let PipelineKey::Graphics {
            vertices,
            state,
            entries,
        } = key
        else {
            return Ok(());
        };
        let names: Vec<CString> = entries
            .iter()
            .map(|e| CString::new(e.as_str()).unwrap_or_default())
            .collect();
        let stages: Vec<_> = self
            .modules
            .iter()
            .filter(|m| m.0 != ShaderStage::Compute)
            .map(|&(stage, module)| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(stage.flag())
                    .module(module)
                    .name(&names[stage as usize])
            })
            .collect();
        let (bindings, attributes) = vertex_input(script, *vertices);
        let vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::from_raw(state.int("topology") as i32))
            .primitive_restart_enable(state.int("primitiveRestartEnable") != 0);
        let tessellation = vk::PipelineTessellationStateCreateInfo::default()
            .patch_control_points(state.int("patchControlPoints") as u32);
        let viewports = [vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: graphics.extent.width as f32,
            height: graphics.extent.height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        }];
        let scissors = [vk::Rect2D {
            offset: vk::Offset2D { x: 0, y: 0 },
            extent: graphics.extent,
        }];
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let raster = rasterization(state);
        // Words of 32 samples; samples beyond the first word are always enabled.
        let mask = [state.int("sampleMask") as u32, u32::MAX];
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(graphics.samples)
            .sample_shading_enable(state.int("sampleShadingEnable") != 0)
            .min_sample_shading(state.float("minSampleShading"))
            .sample_mask(&mask)
            .alpha_to_coverage_enable(state.int("alphaToCoverageEnable") != 0)
            .alpha_to_one_enable(state.int("alphaToOneEnable") != 0);
        let depth = depth_stencil(state);
        let blends = [blend_attachment(state)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .logic_op_enable(state.int("logicOpEnable") != 0)
            .logic_op(vk::LogicOp::from_raw(state.int("logicOp") as i32))
            .attachments(&blends);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex_input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(self.layout)
            .render_pass(graphics.render_passes[0]);
        if self.modules.iter().any(|m| m.0 == ShaderStage::TessEval) {
            info = info.tessellation_state(&tessellation);
        }
        // SAFETY: as in Graphics::new.
        let made = unsafe {
            self.context
                .device
                .create_graphics_pipelines(self.cache, &[info], None)
        };
        let made = check("vkCreateGraphicsPipelines", made.map_err(|(_, e)| e))?;
        self.pipelines.extend(made);
        Ok(())
    }
}

fn vertex_input(
    script: &Script,
    vertices: VertexSource,
) -> (
    Vec<vk::VertexInputBindingDescription>,
    Vec<vk::VertexInputAttributeDescription>,
) {
    let binding = |stride: usize| {
        vk::VertexInputBindingDescription::default()
            .stride(stride as u32)
            .input_rate(vk::VertexInputRate::VERTEX)
    };
    match (vertices, &script.vertex_data) {
        (VertexSource::Rectangle, _) => {
            let attribute =
                vk::VertexInputAttributeDescription::default().format(vk::Format::R32G32B32_SFLOAT);
            (vec![binding(12)], vec![attribute])
        }
        (VertexSource::Script, Some(data)) => {
            let attributes = data
                .attributes
                .iter()
                .map(|a| {
                    vk::VertexInputAttributeDescription::default()
                        .location(a.location)
                        .format(a.format.vk)
                        .offset(a.offset as u32)
                })
                .collect();
            (vec![binding(data.stride)], attributes)
        }
        (VertexSource::Script, None) => (Vec::new(), Vec::new()),
    }
}

fn rasterization(state: &PipelineState) -> vk::PipelineRasterizationStateCreateInfo<'static> {
    vk::PipelineRasterizationStateCreateInfo::default()
        .depth_clamp_enable(state.int("depthClampEnable") != 0)
        .rasterizer_discard_enable(state.int("rasterizerDiscardEnable") != 0)
        .polygon_mode(vk::PolygonMode::from_raw(state.int("polygonMode") as i32))
        .cull_mode(vk::CullModeFlags::from_raw(state.int("cullMode") as u32))
        .front_face(vk::FrontFace::from_raw(state.int("frontFace") as i32))
        .depth_bias_enable(state.int("depthBiasEnable") != 0)
        .depth_bias_constant_factor(state.float("depthBiasConstantFactor"))
        .depth_bias_clamp(state.float("depthBiasClamp"))
        .depth_bias_slope_factor(state.float("depthBiasSlopeFactor"))
        .line_width(state.float("lineWidth"))
}

fn depth_stencil(state: &PipelineState) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let face = |side: &str| {
        let int = |name: &str| state.int(&format!("{side}.{name}"));
        vk::StencilOpState {
            fail_op: vk::StencilOp::from_raw(int("failOp") as i32),
            pass_op: vk::StencilOp::from_raw(int("passOp") as i32),
            depth_fail_op: vk::StencilOp::from_raw(int("depthFailOp") as i32),
            compare_op: vk::CompareOp::from_raw(int("compareOp") as i32),
            compare_mask: int("compareMask") as u32,
            write_mask: int("writeMask") as u32,
            reference: int("reference") as u32,
        }
    };
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(state.int("depthTestEnable") != 0)
        .depth_write_enable(state.int("depthWriteEnable") != 0)
        .depth_compare_op(vk::CompareOp::from_raw(state.int("depthCompareOp") as i32))
        .depth_bounds_test_enable(state.int("depthBoundsTestEnable") != 0)
        .stencil_test_enable(state.int("stencilTestEnable") != 0)
        .front(face("front"))
        .back(face("back"))
        .min_depth_bounds(state.float("minDepthBounds"))
        .max_depth_bounds(state.float("maxDepthBounds"))
}

fn blend_attachment(state: &PipelineState) -> vk::PipelineColorBlendAttachmentState {
    let factor = |name: &str| vk::BlendFactor::from_raw(state.int(name) as i32);
    let op = |name: &str| vk::BlendOp::from_raw(state.int(name) as i32);
    vk::PipelineColorBlendAttachmentState {
        blend_enable: u32::from(state.int("blendEnable") != 0),
        src_color_blend_factor: factor("srcColorBlendFactor"),
        dst_color_blend_factor: factor("dstColorBlendFactor"),
        color_blend_op: op("colorBlendOp"),
        src_alpha_blend_factor: factor("srcAlphaBlendFactor"),
        dst_alpha_blend_factor: factor("dstAlphaBlendFactor"),
        alpha_blend_op: op("alphaBlendOp"),
        color_write_mask: vk::ColorComponentFlags::from_raw(state.int("colorWriteMask") as u32),
    }
}
