//! Something to draw to, and shaders to draw with.

use ash::vk;

use crate::rig::{Buffer, Rig};

/// The width and height in pixels.
pub const SIZE: u32 = 16;

/// The SPIR-V of a vertex and of a fragment shader.
pub fn compile(vertex: &str, fragment: &str) -> [Vec<u32>; 2] {
    let text = format!(
        "[require]\nvulkan 1.1\n\n[vertex shader]\n{vertex}\n[fragment shader]\n{fragment}\n[test]\ndraw rect 0 0 1 1\n"
    );
    let script = vkrunner::parse(&text, &[]).unwrap();
    let modules = vkrunner::Runner::compile(&script).unwrap();
    let words: Vec<_> = modules.into_iter().map(|module| module.1).collect();
    words.try_into().unwrap()
}

/// An image with memory and a view.
pub struct Target<'a> {
    rig: &'a Rig,
    pub image: vk::Image,
    memory: vk::DeviceMemory,
    pub view: vk::ImageView,
    /// Bytes of a linear image, and its row pitch.
    pub linear: Option<(&'a [u8], usize)>,
}

impl<'a> Target<'a> {
    /// An image that is drawn to. Colours are linear, so that the test sees them.
    pub fn new(rig: &'a Rig, format: vk::Format, layers: u32) -> Self {
        Self::sampled(rig, format, layers, vk::SampleCountFlags::TYPE_1)
    }

    /// An image of some samples. Colours of one are linear, so that the test sees them.
    pub fn sampled(
        rig: &'a Rig,
        format: vk::Format,
        layers: u32,
        samples: vk::SampleCountFlags,
    ) -> Self {
        let d = &rig.device;
        let depth = matches!(
            format,
            vk::Format::D16_UNORM | vk::Format::D32_SFLOAT | vk::Format::S8_UINT
        ) || format == vk::Format::D32_SFLOAT_S8_UINT
            || format == vk::Format::D24_UNORM_S8_UINT;
        let (tiling, usage, aspects) = match depth {
            true => (
                vk::ImageTiling::OPTIMAL,
                vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
                    | vk::ImageUsageFlags::INPUT_ATTACHMENT
                    | vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST,
                match format {
                    vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
                    vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
                    _ => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
                },
            ),
            false => (
                match samples {
                    vk::SampleCountFlags::TYPE_1 => vk::ImageTiling::LINEAR,
                    _ => vk::ImageTiling::OPTIMAL,
                },
                vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::INPUT_ATTACHMENT,
                vk::ImageAspectFlags::COLOR,
            ),
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D {
                width: SIZE,
                height: SIZE,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(layers)
            .samples(samples)
            .tiling(tiling)
            .usage(usage);
        unsafe {
            let image = d.create_image(&info, None).unwrap();
            let wants = d.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::default().allocation_size(wants.size);
            let memory = d.allocate_memory(&info, None).unwrap();
            d.bind_image_memory(image, memory, 0).unwrap();
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(aspects)
                .level_count(1)
                .layer_count(layers);
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
                .format(format)
                .subresource_range(range);
            let view = d.create_image_view(&info, None).unwrap();
            let linear = (tiling == vk::ImageTiling::LINEAR).then(|| {
                let part = vk::ImageSubresource::default().aspect_mask(aspects);
                let layout = d.get_image_subresource_layout(image, part);
                let flags = vk::MemoryMapFlags::empty();
                let data = d.map_memory(memory, 0, vk::WHOLE_SIZE, flags).unwrap();
                let bytes = std::slice::from_raw_parts(data.cast::<u8>(), wants.size as usize);
                (&bytes[layout.offset as usize..], layout.row_pitch as usize)
            });
            Self {
                rig,
                image,
                memory,
                view,
                linear,
            }
        }
    }

    /// A pixel of four bytes.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let (bytes, pitch) = self.linear.unwrap();
        let at = y as usize * pitch + x as usize * 4;
        bytes[at..at + 4].try_into().unwrap()
    }

    /// Compares all pixels of four bytes.
    pub fn check(&self, expected: impl Fn(u32, u32) -> [u8; 4]) {
        for y in 0..SIZE {
            for x in 0..SIZE {
                assert_eq!(self.pixel(x, y), expected(x, y), "pixel {x}, {y}");
            }
        }
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            let _ = d.device_wait_idle();
            d.destroy_image_view(self.view, None);
            d.destroy_image(self.image, None);
            d.free_memory(self.memory, None);
        }
    }
}

/// What pipelines of a test differ in.
pub struct Look<'a> {
    pub topology: vk::PrimitiveTopology,
    pub bindings: &'a [vk::VertexInputBindingDescription],
    pub attributes: &'a [vk::VertexInputAttributeDescription],
    pub depth: vk::PipelineDepthStencilStateCreateInfo<'a>,
    pub blend: vk::PipelineColorBlendAttachmentState,
    pub dynamic: &'a [vk::DynamicState],
    pub cull: vk::CullModeFlags,
    pub restart: bool,
    pub samples: vk::SampleCountFlags,
    pub flags: vk::PipelineCreateFlags,
    /// Formats of colour and of depth and stencil, for what is drawn without a render pass.
    pub formats: Option<(vk::Format, vk::Format)>,
    /// Formats and blend states of colour attachments after the first.
    pub others: &'a [(vk::Format, vk::PipelineColorBlendAttachmentState)],
    /// Required subgroup size of all stages.
    pub subgroup_size: Option<u32>,
}

/// A position of two floats, then a colour of four.
pub const BINDINGS: &[vk::VertexInputBindingDescription] = &[vk::VertexInputBindingDescription {
    binding: 0,
    stride: 24,
    input_rate: vk::VertexInputRate::VERTEX,
}];
/// See [`BINDINGS`].
pub const ATTRIBUTES: &[vk::VertexInputAttributeDescription] = &[
    vk::VertexInputAttributeDescription {
        location: 0,
        binding: 0,
        format: vk::Format::R32G32_SFLOAT,
        offset: 0,
    },
    vk::VertexInputAttributeDescription {
        location: 1,
        binding: 0,
        format: vk::Format::R32G32B32A32_SFLOAT,
        offset: 8,
    },
];

impl Default for Look<'_> {
    fn default() -> Self {
        Self {
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            bindings: BINDINGS,
            attributes: ATTRIBUTES,
            depth: vk::PipelineDepthStencilStateCreateInfo::default(),
            blend: vk::PipelineColorBlendAttachmentState::default()
                .color_write_mask(vk::ColorComponentFlags::RGBA),
            dynamic: &[],
            cull: vk::CullModeFlags::NONE,
            restart: false,
            samples: vk::SampleCountFlags::TYPE_1,
            flags: vk::PipelineCreateFlags::empty(),
            formats: None,
            others: &[],
            subgroup_size: None,
        }
    }
}

/// Passes position and colour on; push constants are added to the position (x, y, z).
pub const VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 shade;
layout(push_constant) uniform Push { vec3 move; };
void main()
{
    gl_Position = vec4(position + move.xy, move.z, 1.0);
    shade = colour;
}";

/// Writes the colour.
pub const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
void main() { colour = shade; }";

/// A render pass with a framebuffer, and pipelines for it.
pub struct Canvas<'a> {
    pub rig: &'a Rig,
    pub colour: Target<'a>,
    pub depth: Option<Target<'a>>,
    pub pass: vk::RenderPass,
    pub framebuffer: vk::Framebuffer,
    pub layout: vk::PipelineLayout,
    pipelines: std::cell::RefCell<Vec<vk::Pipeline>>,
}

impl<'a> Canvas<'a> {
    /// A target of four bytes, cleared when the render pass begins; perhaps with depth and stencil,
    /// cleared too.
    pub fn new(rig: &'a Rig, depth: Option<vk::Format>) -> Self {
        Self::with(rig, depth, &[])
    }

    /// The same with a pipeline layout of sets, if there are any of one by which shaders read depth
    /// or stencil in between draws.
    pub fn with(rig: &'a Rig, depth: Option<vk::Format>, sets: &[vk::DescriptorSetLayout]) -> Self {
        let d = &rig.device;
        let colour = Target::new(rig, vk::Format::R8G8B8A8_UNORM, 1);
        let depth_target = depth.map(|format| Target::new(rig, format, 1));
        let attachment = |format| {
            vk::AttachmentDescription::default()
                .format(format)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .stencil_load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .final_layout(vk::ImageLayout::GENERAL)
        };
        let mut attachments = vec![attachment(vk::Format::R8G8B8A8_UNORM)];
        attachments.extend(depth.map(attachment));
        let colours = [vk::AttachmentReference {
            attachment: 0,
            layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        }];
        let depths = vk::AttachmentReference {
            attachment: 1,
            layout: match sets {
                [] => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                _ => vk::ImageLayout::GENERAL,
            },
        };
        let inputs = [depths];
        let between = [vk::SubpassDependency::default()
            .src_stage_mask(vk::PipelineStageFlags::LATE_FRAGMENT_TESTS)
            .src_access_mask(vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags::FRAGMENT_SHADER)
            .dst_access_mask(vk::AccessFlags::INPUT_ATTACHMENT_READ)
            .dependency_flags(vk::DependencyFlags::BY_REGION)];
        let mut subpass = vk::SubpassDescription::default().color_attachments(&colours);
        if depth.is_some() {
            subpass = subpass.depth_stencil_attachment(&depths);
        }
        if !sets.is_empty() {
            subpass = subpass.input_attachments(&inputs);
        }
        let subpasses = [subpass];
        let mut info = vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses);
        if !sets.is_empty() {
            info = info.dependencies(&between);
        }
        let push = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
            .size(64)];
        unsafe {
            let pass = d.create_render_pass(&info, None).unwrap();
            let mut views = vec![colour.view];
            views.extend(depth_target.as_ref().map(|target| target.view));
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(pass)
                .attachments(&views)
                .width(SIZE)
                .height(SIZE)
                .layers(1);
            let framebuffer = d.create_framebuffer(&info, None).unwrap();
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(sets)
                .push_constant_ranges(&push);
            let layout = d.create_pipeline_layout(&info, None).unwrap();
            Self {
                rig,
                colour,
                depth: depth_target,
                pass,
                framebuffer,
                layout,
                pipelines: Default::default(),
            }
        }
    }

    /// A pipeline of shaders.
    pub fn pipeline(&self, words: &[Vec<u32>; 2], look: &Look<'_>) -> vk::Pipeline {
        let pipeline = pipeline(self.rig, words, look, self.layout, self.pass).unwrap();
        self.pipelines.borrow_mut().push(pipeline);
        pipeline
    }

    /// Begins the render pass: black without alpha, depth 1, stencil 0.
    pub fn begin(&self, commands: vk::CommandBuffer, contents: vk::SubpassContents) {
        let depth = vk::ClearDepthStencilValue {
            depth: 1.0,
            stencil: 0,
        };
        let clears = [
            vk::ClearValue::default(),
            vk::ClearValue {
                depth_stencil: depth,
            },
        ];
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(whole())
            .clear_values(&clears);
        unsafe {
            self.rig
                .device
                .cmd_begin_render_pass(commands, &info, contents)
        }
    }

    /// Draws in the render pass.
    pub fn run(&self, body: impl FnOnce(vk::CommandBuffer)) {
        self.rig.run(|commands| {
            self.begin(commands, vk::SubpassContents::INLINE);
            body(commands);
            unsafe { self.rig.device.cmd_end_render_pass(commands) };
        });
    }

    /// Sets what is added to positions.
    pub fn shift(&self, commands: vk::CommandBuffer, by: [f32; 3]) {
        let bytes: Vec<u8> = by.iter().flat_map(|value| value.to_le_bytes()).collect();
        let stages = vk::ShaderStageFlags::ALL_GRAPHICS;
        unsafe {
            self.rig
                .device
                .cmd_push_constants(commands, self.layout, stages, 0, &bytes);
        }
    }

    /// Binds a pipeline and vertices.
    pub fn bind(&self, commands: vk::CommandBuffer, pipeline: vk::Pipeline, vertices: &Buffer<'_>) {
        let d = &self.rig.device;
        unsafe {
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_bind_vertex_buffers(commands, 0, &[vertices.buffer], &[0]);
        }
        self.shift(commands, [0.0; 3]);
    }
}

impl Drop for Canvas<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            let _ = d.device_wait_idle();
            for &pipeline in self.pipelines.borrow().iter() {
                d.destroy_pipeline(pipeline, None);
            }
            d.destroy_framebuffer(self.framebuffer, None);
            d.destroy_render_pass(self.pass, None);
            d.destroy_pipeline_layout(self.layout, None);
        }
    }
}

/// All pixels.
pub fn whole() -> vk::Rect2D {
    vk::Rect2D {
        offset: vk::Offset2D::default(),
        extent: vk::Extent2D {
            width: SIZE,
            height: SIZE,
        },
    }
}

/// The whole area.
pub fn viewport() -> vk::Viewport {
    vk::Viewport {
        x: 0.0,
        y: 0.0,
        width: SIZE as f32,
        height: SIZE as f32,
        min_depth: 0.0,
        max_depth: 1.0,
    }
}

/// A pipeline of shaders.
pub fn pipeline(
    rig: &Rig,
    words: &[Vec<u32>; 2],
    look: &Look<'_>,
    layout: vk::PipelineLayout,
    pass: vk::RenderPass,
) -> Result<vk::Pipeline, vk::Result> {
    let d = &rig.device;
    let modules = words.each_ref().map(|words| unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        d.create_shader_module(&info, None).unwrap()
    });
    let mut sizes = [0; 2].map(|_| {
        vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
            .required_subgroup_size(look.subgroup_size.unwrap_or_default())
    });
    let [vertex_size, fragment_size] = &mut sizes;
    let stages = [
        (vk::ShaderStageFlags::VERTEX, modules[0], vertex_size),
        (vk::ShaderStageFlags::FRAGMENT, modules[1], fragment_size),
    ]
    .map(|(stage, module, size)| {
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(stage)
            .module(module)
            .name(c"main");
        match look.subgroup_size {
            Some(_) => stage.push_next(size),
            None => stage,
        }
    });
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(look.bindings)
        .vertex_attribute_descriptions(look.attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(look.topology)
        .primitive_restart_enable(look.restart);
    let (viewports, scissors) = ([viewport()], [whole()]);
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewports(&viewports)
        .scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default()
        .cull_mode(look.cull)
        .line_width(1.0);
    let multisample =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(look.samples);
    let mut blends = vec![look.blend];
    blends.extend(look.others.iter().map(|other| other.1));
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(look.dynamic);
    let (colour, depth) = look.formats.unwrap_or_default();
    let mut colours = vec![colour];
    colours.extend(look.others.iter().map(|other| other.0));
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(&colours)
        .depth_attachment_format(depth)
        .stencil_attachment_format(depth);
    let mut info = vk::GraphicsPipelineCreateInfo::default()
        .flags(look.flags)
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .depth_stencil_state(&look.depth)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout)
        .render_pass(pass);
    if look.formats.is_some() {
        info = info.push_next(&mut rendering);
    }
    unsafe {
        let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        for module in modules {
            d.destroy_shader_module(module, None);
        }
        made.map(|made| made[0]).map_err(|(_, error)| error)
    }
}

/// Vertices of positions and colours.
pub fn vertices<'a>(rig: &'a Rig, from: &[([f32; 2], [f32; 4])]) -> Buffer<'a> {
    let floats = from
        .iter()
        .flat_map(|(place, colour)| place.iter().chain(colour));
    let bytes: Vec<u8> = floats.flat_map(|value| value.to_le_bytes()).collect();
    let buffer = rig.buffer(bytes.len() as u64);
    buffer.data.copy_from_slice(&bytes);
    buffer
}

pub const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
pub const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
pub const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

/// As it is stored.
pub fn stored(colour: [f32; 4]) -> [u8; 4] {
    colour.map(|value| (value * 255.0).round() as u8)
}

/// Two triangles: a rectangle from one corner to another, in normalized coordinates.
pub fn rectangle(from: [f32; 2], to: [f32; 2], colour: [f32; 4]) -> Vec<([f32; 2], [f32; 4])> {
    let corners = [
        [from[0], from[1]],
        [to[0], from[1]],
        [from[0], to[1]],
        [from[0], to[1]],
        [to[0], from[1]],
        [to[0], to[1]],
    ];
    corners.map(|corner| (corner, colour)).to_vec()
}
