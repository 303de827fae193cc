//! What is drawn to, and the pipelines that fit it: by dynamic rendering or by a render pass.

use ash::vk;

use crate::object::{Image, Kind, Objects, VERTEX_BYTES};
use crate::random::Random;
use crate::world::World;

/// Targets, and what draws to them.
pub struct Scene {
    /// Places in the list of images.
    pub colour: Option<usize>,
    pub depth: Option<usize>,
    /// What many samples are resolved to.
    pub resolve: Option<usize>,
    /// Of a render pass; null where rendering is dynamic.
    pub pass: vk::RenderPass,
    pub framebuffer: vk::Framebuffer,
    pub width: u32,
    pub height: u32,
    pub samples: vk::SampleCountFlags,
    pub pipelines: Vec<Pipeline>,
}

/// A graphics pipeline, and the dynamic state that it needs before a draw.
pub struct Pipeline {
    pub pipeline: vk::Pipeline,
    pub dynamic: Vec<vk::DynamicState>,
    /// Lists of triangles, as its stages want them, are all that it takes.
    pub topology: vk::PrimitiveTopology,
    /// Reads the descriptors of its set.
    pub reads: bool,
}

const COMPARE: [vk::CompareOp; 4] = [
    vk::CompareOp::LESS,
    vk::CompareOp::GREATER_OR_EQUAL,
    vk::CompareOp::ALWAYS,
    vk::CompareOp::NOT_EQUAL,
];

/// Vertices: a position and a colour.
const BINDINGS: [vk::VertexInputBindingDescription; 1] = [vk::VertexInputBindingDescription {
    binding: 0,
    stride: VERTEX_BYTES,
    input_rate: vk::VertexInputRate::VERTEX,
}];
const ATTRIBUTES: [vk::VertexInputAttributeDescription; 2] = [
    vk::VertexInputAttributeDescription {
        location: 0,
        binding: 0,
        format: vk::Format::R32G32B32A32_SFLOAT,
        offset: 0,
    },
    vk::VertexInputAttributeDescription {
        location: 1,
        binding: 0,
        format: vk::Format::R8G8B8A8_UNORM,
        offset: 16,
    },
];

/// State that may be dynamic; viewports and scissors always are.
const DYNAMIC: &[vk::DynamicState] = &[
    vk::DynamicState::CULL_MODE,
    vk::DynamicState::FRONT_FACE,
    vk::DynamicState::PRIMITIVE_TOPOLOGY,
    vk::DynamicState::DEPTH_TEST_ENABLE,
    vk::DynamicState::DEPTH_WRITE_ENABLE,
    vk::DynamicState::DEPTH_COMPARE_OP,
    vk::DynamicState::DEPTH_BIAS,
    vk::DynamicState::DEPTH_BIAS_ENABLE,
    vk::DynamicState::STENCIL_TEST_ENABLE,
    vk::DynamicState::STENCIL_OP,
    vk::DynamicState::STENCIL_REFERENCE,
    vk::DynamicState::STENCIL_COMPARE_MASK,
    vk::DynamicState::STENCIL_WRITE_MASK,
    vk::DynamicState::BLEND_CONSTANTS,
    vk::DynamicState::LINE_WIDTH,
    vk::DynamicState::RASTERIZER_DISCARD_ENABLE,
    vk::DynamicState::PRIMITIVE_RESTART_ENABLE,
];

impl Scene {
    pub fn new(world: &World, random: &mut Random, objects: &Objects) -> Scene {
        // The first two images are read by shaders.
        let places: Vec<usize> = (2..objects.images.len()).collect();
        let image = |place: &usize| &objects.images[*place];
        let colour = random
            .pick_where(&places, |p| image(p).kind != Kind::Depth)
            .copied();
        let samples = colour.map(|place| objects.images[place].samples);
        let fits = |p: &usize| {
            image(p).kind == Kind::Depth
                && samples.is_none_or(|samples| image(p).samples == samples)
        };
        let mut depth = random.pick_where(&places, fits).copied();
        if colour.is_some() && random.one_in(3) {
            depth = None;
        }
        let any = colour.or(depth).map(|place| &objects.images[place]);
        let samples = any.map_or(vk::SampleCountFlags::TYPE_1, |image| image.samples);
        let (width, height) = any.map_or((16, 16), |image| (image.width, image.height));
        let resolve = colour
            .filter(|_| samples != vk::SampleCountFlags::TYPE_1)
            .and_then(|colour| {
                let format = objects.images[colour].format;
                random
                    .pick_where(&places, |p| image(p).single() && image(p).format == format)
                    .copied()
            });
        let mut scene = Scene {
            colour,
            depth,
            resolve: resolve.filter(|_| random.one_in(2)),
            pass: vk::RenderPass::null(),
            framebuffer: vk::Framebuffer::null(),
            width,
            height,
            samples,
            pipelines: Vec::new(),
        };
        if random.one_in(2) {
            scene.make_pass(world, random, objects);
        }
        scene.pipelines = (0..random.range(1, 3))
            .map(|_| scene.pipeline(world, random, objects))
            .collect();
        scene
    }

    /// The images that are drawn to, in the order of a framebuffer.
    fn targets<'a>(&self, objects: &'a Objects) -> impl Iterator<Item = &'a Image> {
        let places = [self.colour, self.depth, self.resolve];
        places
            .into_iter()
            .flatten()
            .map(|place| &objects.images[place])
    }

    /// Their handles: nothing else uses them while they are drawn to.
    pub fn used(&self, objects: &Objects) -> Vec<vk::Image> {
        self.targets(objects).map(|image| image.image).collect()
    }

    fn make_pass(&mut self, world: &World, random: &mut Random, objects: &Objects) {
        let general = vk::ImageLayout::GENERAL;
        let mut attachments = Vec::new();
        let mut views = Vec::new();
        for (number, image) in self.targets(objects).enumerate() {
            let resolved = self.resolve.is_some() && number + 1 == self.targets(objects).count();
            let mut load = || match random.below(3) {
                _ if resolved => vk::AttachmentLoadOp::DONT_CARE,
                0 => vk::AttachmentLoadOp::LOAD,
                1 => vk::AttachmentLoadOp::CLEAR,
                _ => vk::AttachmentLoadOp::DONT_CARE,
            };
            attachments.push(
                vk::AttachmentDescription::default()
                    .format(image.format)
                    .samples(image.samples)
                    .load_op(load())
                    .stencil_load_op(load())
                    .store_op(vk::AttachmentStoreOp::STORE)
                    .stencil_store_op(vk::AttachmentStoreOp::STORE)
                    .initial_layout(general)
                    .final_layout(general),
            );
            views.push(image.target);
        }
        let reference = |attachment: usize| vk::AttachmentReference {
            attachment: attachment as u32,
            layout: general,
        };
        let colours: Vec<_> = self.colour.iter().map(|_| reference(0)).collect();
        let depth = reference(colours.len());
        let resolves: Vec<_> = self
            .resolve
            .iter()
            .map(|_| reference(attachments.len() - 1))
            .collect();
        let mut subpass = vk::SubpassDescription::default().color_attachments(&colours);
        if self.depth.is_some() {
            subpass = subpass.depth_stencil_attachment(&depth);
        }
        if !resolves.is_empty() {
            subpass = subpass.resolve_attachments(&resolves);
        }
        let stages = |subpass| match subpass {
            vk::SUBPASS_EXTERNAL => vk::PipelineStageFlags::ALL_COMMANDS,
            _ => vk::PipelineStageFlags::ALL_GRAPHICS,
        };
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let edge = |from, to| {
            vk::SubpassDependency::default()
                .src_subpass(from)
                .dst_subpass(to)
                .src_stage_mask(stages(from))
                .dst_stage_mask(stages(to))
                .src_access_mask(access)
                .dst_access_mask(access)
        };
        let edges = [edge(vk::SUBPASS_EXTERNAL, 0), edge(0, vk::SUBPASS_EXTERNAL)];
        let subpasses = [subpass];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&edges);
        self.pass = unsafe { world.device.create_render_pass(&info, None) }.expect("a render pass");
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(self.pass)
            .attachments(&views)
            .width(self.width)
            .height(self.height)
            .layers(1);
        self.framebuffer =
            unsafe { world.device.create_framebuffer(&info, None) }.expect("a framebuffer");
    }

    /// The formats of its targets: colours, depth, stencil.
    pub fn formats(&self, objects: &Objects) -> (Vec<vk::Format>, vk::Format, vk::Format) {
        let of = |place: usize| objects.images[place].format;
        let with = |aspect| {
            let place = self
                .depth
                .filter(|place| objects.images[*place].aspects.contains(aspect));
            place.map_or(vk::Format::UNDEFINED, of)
        };
        let (depth, stencil) = (
            with(vk::ImageAspectFlags::DEPTH),
            with(vk::ImageAspectFlags::STENCIL),
        );
        (self.colour.map(of).into_iter().collect(), depth, stencil)
    }

    /// True if the colour target has an integer format.
    fn is_integer(&self, objects: &Objects) -> bool {
        self.colour
            .is_some_and(|index| objects.images[index].kind == Kind::Whole)
    }

    /// Draws which stages a pipeline has, and the topology that they take.
    fn stages<'a>(
        &self,
        world: &'a World,
        random: &mut Random,
        objects: &Objects,
    ) -> (
        Vec<vk::PipelineShaderStageCreateInfo<'a>>,
        vk::PrimitiveTopology,
    ) {
        let stage = |stage, module| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(stage)
                .module(module)
                .name(c"main")
        };
        let shaders = &world.shaders;
        let integer = self.is_integer(objects);
        let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, shaders.vertex)];
        let mut topology = *random.pick(&[
            vk::PrimitiveTopology::TRIANGLE_LIST,
            vk::PrimitiveTopology::TRIANGLE_STRIP,
            vk::PrimitiveTopology::TRIANGLE_FAN,
            vk::PrimitiveTopology::LINE_STRIP,
            vk::PrimitiveTopology::POINT_LIST,
        ]);
        let tessellated = random.one_in(4);
        if tessellated {
            stages.push(stage(
                vk::ShaderStageFlags::TESSELLATION_CONTROL,
                shaders.control,
            ));
            stages.push(stage(
                vk::ShaderStageFlags::TESSELLATION_EVALUATION,
                shaders.evaluation,
            ));
            topology = vk::PrimitiveTopology::PATCH_LIST;
        }
        if random.one_in(4) {
            stages.push(stage(vk::ShaderStageFlags::GEOMETRY, shaders.geometry));
            if !tessellated {
                topology = vk::PrimitiveTopology::TRIANGLE_LIST;
            }
        }
        if self.colour.is_some() {
            let module = if integer {
                shaders.whole
            } else {
                shaders.fragment
            };
            stages.push(stage(vk::ShaderStageFlags::FRAGMENT, module));
        }
        (stages, topology)
    }

    fn multisample(
        &self,
        world: &World,
        random: &mut Random,
        reads: bool,
    ) -> vk::PipelineMultisampleStateCreateInfo<'static> {
        vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(self.samples)
            .sample_shading_enable(
                world.features.sample_rate_shading == vk::TRUE && random.one_in(4),
            )
            .min_sample_shading(random.unit())
            .alpha_to_coverage_enable(reads && random.one_in(6))
    }

    fn blend(
        &self,
        random: &mut Random,
        objects: &Objects,
    ) -> vk::PipelineColorBlendAttachmentState {
        let blends = self.colour.is_some_and(|place| {
            objects.images[place]
                .features
                .contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND)
        });
        let factors = [
            vk::BlendFactor::ONE,
            vk::BlendFactor::SRC_ALPHA,
            vk::BlendFactor::ONE_MINUS_DST_COLOR,
            vk::BlendFactor::CONSTANT_COLOR,
        ];
        vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(blends && random.one_in(2))
            .src_color_blend_factor(*random.pick(&factors))
            .dst_color_blend_factor(*random.pick(&factors))
            .src_alpha_blend_factor(*random.pick(&factors))
            .dst_alpha_blend_factor(*random.pick(&factors))
            .color_write_mask(vk::ColorComponentFlags::from_raw(random.range(1, 15)))
    }

    fn pipeline(&self, world: &World, random: &mut Random, objects: &Objects) -> Pipeline {
        let (stages, topology) = self.stages(world, random, objects);
        let reads = self.colour.is_some() && !self.is_integer(objects);
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&BINDINGS)
            .vertex_attribute_descriptions(&ATTRIBUTES);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let tessellation =
            vk::PipelineTessellationStateCreateInfo::default().patch_control_points(3);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewport_count(1)
            .scissor_count(1);
        let raster = raster(world, random);
        let multisample = self.multisample(world, random, reads);
        let face = stencil_face(random);
        let (colours, depth, stencil) = self.formats(objects);
        let depth_state = depth_state(world, random, [depth, stencil], face);
        let blend = self.blend(random, objects);
        let blends = vec![blend; colours.len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&blends)
            .blend_constants([0.25, 0.5, 0.75, 1.0]);

        let dynamic = dynamic_states(random, topology);
        let states = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&colours)
            .depth_attachment_format(depth)
            .stencil_attachment_format(stencil);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&tessellation)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth_state)
            .color_blend_state(&blend)
            .dynamic_state(&states)
            .layout(objects.layout)
            .render_pass(self.pass);
        if self.pass == vk::RenderPass::null() {
            info = info.push_next(&mut rendering);
        }
        let cache = if random.one_in(2) {
            objects.cache
        } else {
            vk::PipelineCache::null()
        };
        let made = unsafe { world.device.create_graphics_pipelines(cache, &[info], None) };
        Pipeline {
            pipeline: made.expect("a pipeline")[0],
            dynamic,
            topology,
            reads,
        }
    }

    pub fn destroy(self, world: &World) {
        let d = &world.device;
        unsafe {
            self.pipelines
                .into_iter()
                .for_each(|made| d.destroy_pipeline(made.pipeline, None));
            d.destroy_framebuffer(self.framebuffer, None);
            d.destroy_render_pass(self.pass, None);
        }
    }
}

fn raster(world: &World, random: &mut Random) -> vk::PipelineRasterizationStateCreateInfo<'static> {
    vk::PipelineRasterizationStateCreateInfo::default()
        .polygon_mode(
            match world.features.fill_mode_non_solid == vk::TRUE && random.one_in(4) {
                true => vk::PolygonMode::LINE,
                false => vk::PolygonMode::FILL,
            },
        )
        .cull_mode(*random.pick(&[vk::CullModeFlags::NONE, vk::CullModeFlags::BACK]))
        .depth_bias_enable(random.one_in(4))
        .depth_bias_constant_factor(1.5)
        .depth_clamp_enable(world.features.depth_clamp == vk::TRUE && random.one_in(4))
        .line_width(1.0)
}

fn stencil_face(random: &mut Random) -> vk::StencilOpState {
    vk::StencilOpState {
        fail_op: vk::StencilOp::INVERT,
        pass_op: *random.pick(&[
            vk::StencilOp::REPLACE,
            vk::StencilOp::INCREMENT_AND_WRAP,
            vk::StencilOp::KEEP,
        ]),
        depth_fail_op: vk::StencilOp::DECREMENT_AND_CLAMP,
        compare_op: *random.pick(&COMPARE),
        compare_mask: 0xff,
        write_mask: random.next() as u32 & 0xff,
        reference: random.next() as u32 & 0xff,
    }
}

fn depth_state(
    world: &World,
    random: &mut Random,
    [depth, stencil]: [vk::Format; 2],
    face: vk::StencilOpState,
) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let has_depth = depth != vk::Format::UNDEFINED;
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(has_depth && random.one_in(2))
        .depth_write_enable(random.one_in(2))
        .depth_compare_op(*random.pick(&COMPARE))
        .depth_bounds_test_enable(
            has_depth && world.features.depth_bounds == vk::TRUE && random.one_in(5),
        )
        .max_depth_bounds(0.9)
        .stencil_test_enable(stencil != vk::Format::UNDEFINED && random.one_in(2))
        .front(face)
        .back(face)
}

/// Draws the state that commands set.
fn dynamic_states(random: &mut Random, topology: vk::PrimitiveTopology) -> Vec<vk::DynamicState> {
    let patches = topology == vk::PrimitiveTopology::PATCH_LIST;
    let mut dynamic = vec![vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    for &state in DYNAMIC {
        let fits = match state {
            vk::DynamicState::PRIMITIVE_TOPOLOGY | vk::DynamicState::PRIMITIVE_RESTART_ENABLE => {
                !patches
            }
            _ => true,
        };
        if fits && random.one_in(4) {
            dynamic.push(state);
        }
    }
    dynamic
}
