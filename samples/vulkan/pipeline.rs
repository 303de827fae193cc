//! Pipelines from GLSL, and render passes.

use crate::vulkan::descriptor::Set;
use crate::vulkan::error::{Error, check};
use crate::vulkan::format::aspects;
use crate::vulkan::gpu::{Gpu, Owned};
use crate::vulkan::memory::Image;
use crate::vulkan::sample_locations::sample_locations_info;
use ash::vk;
use vkrunner::ShaderStage;

/// Input rate of a vertex stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// Advances per vertex.
    Vertex,
    /// Advances per instance.
    Instance,
}

/// A vertex buffer binding; its attributes take the next free locations.
#[derive(Clone, Copy)]
pub struct Stream<'a> {
    /// Input rate.
    pub rate: Rate,
    /// Stride in bytes.
    pub stride_bytes: u32,
    /// Format and offset in bytes of each attribute.
    pub attributes: &'a [(vk::Format, u32)],
}

/// Blending of a colour attachment.
#[derive(Clone, Copy, Debug)]
pub enum Blend {
    /// No blending.
    Off,
    /// Alpha blending.
    Alpha,
    /// Additive blending.
    Add,
    /// Any other blend state.
    State(vk::PipelineColorBlendAttachmentState),
}

impl Blend {
    fn state(self) -> vk::PipelineColorBlendAttachmentState {
        use vk::BlendFactor as F;
        let all = vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA);
        let on = |source, destination| {
            all.blend_enable(true)
                .src_color_blend_factor(source)
                .dst_color_blend_factor(destination)
                .src_alpha_blend_factor(F::ONE)
                .dst_alpha_blend_factor(F::ONE_MINUS_SRC_ALPHA)
        };
        match self {
            Blend::Off => all,
            Blend::Alpha => on(F::SRC_ALPHA, F::ONE_MINUS_SRC_ALPHA),
            Blend::Add => on(F::ONE, F::ONE),
            Blend::State(state) => state,
        }
    }
}

/// Pipeline state of extensions.
#[derive(Clone, Copy, Debug)]
pub enum More<'a> {
    /// The tessellation domain origin is the lower left corner.
    LowerLeft,
    /// Depth clipping, independent of depth clamping.
    DepthClip(bool),
    /// The near plane is at z = -w (VK_EXT_depth_clip_control).
    NearAtMinusW,
    /// The last vertex is the provoking vertex.
    ProvokingLast,
    /// Line rasterization mode; stipple factor and pattern.
    Lines(vk::LineRasterizationModeEXT, Option<(u32, u16)>),
    /// Instance divisors: binding and divisor.
    Divisors(&'a [(u32, u32)]),
    /// Colour write enables, by attachment.
    Writes(&'a [bool]),
    /// Alpha-to-one.
    AlphaToOne,
    /// The vertex stream that is rasterized.
    Stream(u32),
    /// Conservative rasterization mode.
    Conservative(vk::ConservativeRasterizationModeEXT),
    /// Sample locations in a pixel; empty: dynamic state.
    Locations(&'a [vk::SampleLocationEXT]),
}

/// Description of a graphics pipeline. `Default`: triangle lists, no culling, no
/// depth test, no blending.
#[derive(Clone)]
pub struct GraphicsInfo<'a> {
    /// Vertex shader.
    pub vertex: &'a str,
    /// Tessellation control and evaluation shaders.
    pub tessellation: Option<(&'a str, &'a str)>,
    /// Geometry shader.
    pub geometry: Option<&'a str>,
    /// Fragment shader.
    pub fragment: Option<&'a str>,
    /// Vertex streams, by binding.
    pub streams: &'a [Stream<'a>],
    /// Primitive topology.
    pub topology: vk::PrimitiveTopology,
    /// Primitive restart.
    pub restart: bool,
    /// Control points of a patch, with tessellation.
    pub patch_vertices: u32,
    /// Polygon mode.
    pub fill: vk::PolygonMode,
    /// Cull mode.
    pub cull: vk::CullModeFlags,
    /// Winding of front faces.
    pub front: vk::FrontFace,
    /// Clamp depth instead of clipping.
    pub depth_clamp: bool,
    /// Rasterizer discard.
    pub discard: bool,
    /// Depth bias: constant factor, clamp, slope factor.
    pub bias: Option<[f32; 3]>,
    /// Depth test: comparison and whether depth is written.
    pub depth: Option<(vk::CompareOp, bool)>,
    /// Depth bounds test: minimum and maximum.
    pub bounds: Option<[f32; 2]>,
    /// Stencil test of front and back faces.
    pub stencil: Option<[vk::StencilOpState; 2]>,
    /// Blending of each colour attachment; a single entry applies to all.
    pub blend: &'a [Blend],
    /// Logic operation instead of blending.
    pub logic: Option<vk::LogicOp>,
    /// Blend constants.
    pub constant: [f32; 4],
    /// Samples of a pixel.
    pub samples: u32,
    /// Minimum fraction of samples that are shaded individually.
    pub sample_shading: Option<f32>,
    /// Sample mask.
    pub sample_mask: Option<u32>,
    /// Alpha-to-coverage.
    pub alpha_to_coverage: bool,
    /// Number of viewports and scissors.
    pub viewports: u32,
    /// Formats of colour attachments.
    pub colors: &'a [vk::Format],
    /// Format of the depth/stencil attachment.
    pub depth_format: vk::Format,
    /// A subpass of a render pass instead of dynamic rendering.
    pub subpass: Option<(vk::RenderPass, u32)>,
    /// Descriptor sets, by number.
    pub sets: &'a [Set],
    /// Size of the push constants in bytes.
    pub push_bytes: u32,
    /// Dynamic state, in addition to viewport and scissor.
    pub dynamic: &'a [vk::DynamicState],
    /// State of extensions.
    pub more: &'a [More<'a>],
    /// View mask with dynamic rendering.
    pub views: u32,
}

impl Default for GraphicsInfo<'_> {
    fn default() -> Self {
        GraphicsInfo {
            vertex: "",
            tessellation: None,
            geometry: None,
            fragment: None,
            streams: &[],
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            restart: false,
            patch_vertices: 0,
            fill: vk::PolygonMode::FILL,
            cull: vk::CullModeFlags::NONE,
            front: vk::FrontFace::COUNTER_CLOCKWISE,
            depth_clamp: false,
            discard: false,
            bias: None,
            depth: None,
            bounds: None,
            stencil: None,
            blend: &[Blend::Off],
            logic: None,
            constant: [0.0; 4],
            samples: 1,
            sample_shading: None,
            sample_mask: None,
            alpha_to_coverage: false,
            viewports: 1,
            colors: &[],
            depth_format: vk::Format::UNDEFINED,
            subpass: None,
            sets: &[],
            push_bytes: 0,
            dynamic: &[],
            more: &[],
            views: 0,
        }
    }
}

/// A pipeline and its layout.
#[derive(Clone, Copy)]
pub struct Pipeline {
    pub(super) handle: vk::Pipeline,
    pub(super) layout: vk::PipelineLayout,
    pub(super) point: vk::PipelineBindPoint,
}

/// A subpass: indices of its attachments.
#[derive(Clone, Copy, Default)]
pub struct SubpassInfo<'a> {
    /// Colour attachments.
    pub colors: &'a [u32],
    /// Resolve attachments; none, or one for each colour attachment.
    pub resolves: &'a [u32],
    /// Depth/stencil attachment.
    pub depth: Option<u32>,
    /// Input attachments.
    pub inputs: &'a [u32],
    /// Colours are dithered, with `legacy_dithering` of EXT.
    pub dithered: bool,
}

/// A render pass and its attachments.
#[derive(Clone, Copy)]
pub struct RenderPassInfo<'a> {
    /// Attachments.
    pub attachments: &'a [vk::AttachmentDescription],
    /// Subpasses.
    pub subpasses: &'a [SubpassInfo<'a>],
    /// Subpass dependencies.
    pub dependencies: &'a [vk::SubpassDependency],
    /// View mask of each subpass; empty: no multiview.
    pub views: &'a [u32],
}

/// Shader modules, destroyed once the pipeline is created.
struct Modules<'g> {
    gpu: &'g Gpu,
    made: Vec<(vk::ShaderStageFlags, vk::ShaderModule)>,
}

impl Modules<'_> {
    fn add(&mut self, stage: ShaderStage, glsl: &str) -> Result<(), Error> {
        let words = vkrunner::compile_glsl(stage, glsl, (1, 1, 0)).map_err(Error::Shader)?;
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are a module of glslang's; they live until the call returns.
        let module = unsafe { self.gpu.device.create_shader_module(&info, None) };
        let module = check("vkCreateShaderModule", module)?;
        self.made.push((stage.flag(), module));
        Ok(())
    }

    fn stages(&self) -> Vec<vk::PipelineShaderStageCreateInfo<'static>> {
        let stage = |(stage, module): &(_, _)| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(*stage)
                .module(*module)
                .name(c"main")
        };
        self.made.iter().map(stage).collect()
    }
}

impl Drop for Modules<'_> {
    fn drop(&mut self) {
        for (_, module) in &self.made {
            // SAFETY: each is destroyed once; created pipelines no longer reference it.
            unsafe { self.gpu.device.destroy_shader_module(*module, None) };
        }
    }
}

/// Extension structures of the rasterization state.
#[derive(Default)]
struct RasterizationChain {
    clip: Option<vk::PipelineRasterizationDepthClipStateCreateInfoEXT<'static>>,
    provoking: Option<vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'static>>,
    lines: Option<vk::PipelineRasterizationLineStateCreateInfoEXT<'static>>,
    stream: Option<vk::PipelineRasterizationStateStreamCreateInfoEXT<'static>>,
    conservative: Option<vk::PipelineRasterizationConservativeStateCreateInfoEXT<'static>>,
}

/// Extension structures of a pipeline, kept alive until it is created.
#[derive(Default)]
struct Chains {
    raster: RasterizationChain,
    origin: Option<vk::PipelineTessellationDomainOriginStateCreateInfo<'static>>,
    control: Option<vk::PipelineViewportDepthClipControlCreateInfoEXT<'static>>,
    divisors: Vec<vk::VertexInputBindingDivisorDescriptionEXT>,
    writes: Vec<vk::Bool32>,
    locations: Option<Vec<vk::SampleLocationEXT>>,
    alpha_to_one: bool,
}

impl Chains {
    fn new(more: &[More<'_>]) -> Self {
        let mut all = Chains::default();
        for more in more {
            match *more {
                More::LowerLeft => {
                    let origin = vk::PipelineTessellationDomainOriginStateCreateInfo::default();
                    all.origin =
                        Some(origin.domain_origin(vk::TessellationDomainOrigin::LOWER_LEFT));
                }
                More::DepthClip(on) => {
                    let clip = vk::PipelineRasterizationDepthClipStateCreateInfoEXT::default();
                    all.raster.clip = Some(clip.depth_clip_enable(on));
                }
                More::NearAtMinusW => {
                    let control = vk::PipelineViewportDepthClipControlCreateInfoEXT::default();
                    all.control = Some(control.negative_one_to_one(true));
                }
                More::ProvokingLast => {
                    type Info = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'static>;
                    let last = vk::ProvokingVertexModeEXT::LAST_VERTEX;
                    all.raster.provoking = Some(Info::default().provoking_vertex_mode(last));
                }
                More::Lines(mode, stipple) => {
                    let (factor, pattern) = stipple.unwrap_or((1, 0));
                    let lines = vk::PipelineRasterizationLineStateCreateInfoEXT::default()
                        .line_rasterization_mode(mode)
                        .stippled_line_enable(stipple.is_some())
                        .line_stipple_factor(factor)
                        .line_stipple_pattern(pattern);
                    all.raster.lines = Some(lines);
                }
                More::Divisors(divisors) => {
                    let one = |&(binding, divisor): &(u32, u32)| {
                        vk::VertexInputBindingDivisorDescriptionEXT { binding, divisor }
                    };
                    all.divisors = divisors.iter().map(one).collect();
                }
                More::Writes(writes) => all.writes = writes.iter().map(|&on| on.into()).collect(),
                More::Conservative(mode) => {
                    type Info = vk::PipelineRasterizationConservativeStateCreateInfoEXT<'static>;
                    all.raster.conservative =
                        Some(Info::default().conservative_rasterization_mode(mode));
                }
                More::Locations(places) => all.locations = Some(places.to_vec()),
                More::Stream(stream) => {
                    type Info = vk::PipelineRasterizationStateStreamCreateInfoEXT<'static>;
                    all.raster.stream = Some(Info::default().rasterization_stream(stream));
                }
                More::AlphaToOne => all.alpha_to_one = true,
            }
        }
        all
    }
}

impl RasterizationChain {
    /// Chains the extension structures to the rasterization state.
    fn append_to<'a>(
        &'a mut self,
        mut raster: vk::PipelineRasterizationStateCreateInfo<'a>,
    ) -> vk::PipelineRasterizationStateCreateInfo<'a> {
        if let Some(clip) = &mut self.clip {
            raster = raster.push_next(clip);
        }
        if let Some(provoking) = &mut self.provoking {
            raster = raster.push_next(provoking);
        }
        if let Some(conservative) = &mut self.conservative {
            raster = raster.push_next(conservative);
        }
        if let Some(stream) = &mut self.stream {
            raster = raster.push_next(stream);
        }
        if let Some(lines) = &mut self.lines {
            raster = raster.push_next(lines);
        }
        raster
    }
}

/// Bindings and attributes of vertex streams: binding numbers count streams, locations count
/// attributes.
fn vertex_input(
    streams: &[Stream<'_>],
) -> (
    Vec<vk::VertexInputBindingDescription>,
    Vec<vk::VertexInputAttributeDescription>,
) {
    let (mut bindings, mut attributes) = (Vec::new(), Vec::new());
    for (stream, binding) in streams.iter().zip(0..) {
        let rate = match stream.rate {
            Rate::Vertex => vk::VertexInputRate::VERTEX,
            Rate::Instance => vk::VertexInputRate::INSTANCE,
        };
        bindings.push(
            vk::VertexInputBindingDescription::default()
                .binding(binding)
                .stride(stream.stride_bytes)
                .input_rate(rate),
        );
        for (format, offset) in stream.attributes {
            attributes.push(
                vk::VertexInputAttributeDescription::default()
                    .location(attributes.len() as u32)
                    .binding(binding)
                    .format(*format)
                    .offset(*offset),
            );
        }
    }
    (bindings, attributes)
}

/// The rasterization state without extension structures.
fn rasterization<'a>(info: &GraphicsInfo<'_>) -> vk::PipelineRasterizationStateCreateInfo<'a> {
    let [constant, clamp, slope] = info.bias.unwrap_or_default();
    vk::PipelineRasterizationStateCreateInfo::default()
        .depth_clamp_enable(info.depth_clamp)
        .rasterizer_discard_enable(info.discard)
        .polygon_mode(info.fill)
        .cull_mode(info.cull)
        .front_face(info.front)
        .depth_bias_enable(info.bias.is_some())
        .depth_bias_constant_factor(constant)
        .depth_bias_clamp(clamp)
        .depth_bias_slope_factor(slope)
        .line_width(1.0)
}

/// The multisample state without sample mask and sample locations.
fn multisample<'a>(
    info: &GraphicsInfo<'_>,
    alpha_to_one: bool,
) -> vk::PipelineMultisampleStateCreateInfo<'a> {
    vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::from_raw(info.samples))
        .sample_shading_enable(info.sample_shading.is_some())
        .min_sample_shading(info.sample_shading.unwrap_or_default())
        .alpha_to_coverage_enable(info.alpha_to_coverage)
        .alpha_to_one_enable(alpha_to_one)
}

/// The depth and stencil state.
fn depth_stencil<'a>(info: &GraphicsInfo<'_>) -> vk::PipelineDepthStencilStateCreateInfo<'a> {
    let (compare, write) = info.depth.unwrap_or((vk::CompareOp::ALWAYS, false));
    let [near, far] = info.bounds.unwrap_or_default();
    let [front, back] = info.stencil.unwrap_or_default();
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(info.depth.is_some())
        .depth_write_enable(write)
        .depth_compare_op(compare)
        .depth_bounds_test_enable(info.bounds.is_some())
        .min_depth_bounds(near)
        .max_depth_bounds(far)
        .stencil_test_enable(info.stencil.is_some())
        .front(front)
        .back(back)
}

/// Blend states, one for each colour attachment.
fn blend_states(info: &GraphicsInfo<'_>) -> Vec<vk::PipelineColorBlendAttachmentState> {
    match info.blend {
        [one] => vec![one.state(); info.colors.len()],
        each => each.iter().map(|blend| blend.state()).collect(),
    }
}

/// The attachment formats of dynamic rendering.
fn rendering_formats<'a>(info: &GraphicsInfo<'a>) -> vk::PipelineRenderingCreateInfo<'a> {
    let has = aspects(info.depth_format);
    let of = |aspect| match has.contains(aspect) {
        true => info.depth_format,
        false => vk::Format::UNDEFINED,
    };
    vk::PipelineRenderingCreateInfo::default()
        .view_mask(info.views)
        .color_attachment_formats(info.colors)
        .depth_attachment_format(of(vk::ImageAspectFlags::DEPTH))
        .stencil_attachment_format(of(vk::ImageAspectFlags::STENCIL))
}

impl Gpu {
    fn layout(&self, sets: &[Set], push_bytes: u32) -> Result<vk::PipelineLayout, Error> {
        let sets: Vec<_> = sets.iter().map(|set| set.layout).collect();
        let push = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::ALL)
            .size(push_bytes)];
        let ranges = if push_bytes == 0 { &[][..] } else { &push[..] };
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&sets)
            .push_constant_ranges(ranges);
        // SAFETY: structures live until calls return; what is made is owned by the device at once,
        // here and below.
        let layout = unsafe { self.device.create_pipeline_layout(&info, None) };
        let layout = check("vkCreatePipelineLayout", layout)?;
        self.own(Owned::PipelineLayout(layout));
        Ok(layout)
    }

    /// Creates a compute pipeline.
    pub fn compute(&self, glsl: &str, sets: &[Set], push_bytes: u32) -> Result<Pipeline, Error> {
        let layout = self.layout(sets, push_bytes)?;
        let mut modules = Modules {
            gpu: self,
            made: Vec::new(),
        };
        modules.add(ShaderStage::Compute, glsl)?;
        let info = vk::ComputePipelineCreateInfo::default()
            .stage(modules.stages()[0])
            .layout(layout);
        // SAFETY: as above.
        let made = unsafe {
            self.device
                .create_compute_pipelines(vk::PipelineCache::null(), &[info], None)
        };
        let made = check("vkCreateComputePipelines", made.map_err(|(_, e)| e))?;
        self.own(Owned::Pipeline(made[0]));
        Ok(Pipeline {
            handle: made[0],
            layout,
            point: vk::PipelineBindPoint::COMPUTE,
        })
    }

    /// Compiles the shaders of a graphics pipeline.
    fn graphics_modules(&self, info: &GraphicsInfo<'_>) -> Result<Modules<'_>, Error> {
        let mut modules = Modules {
            gpu: self,
            made: Vec::new(),
        };
        modules.add(ShaderStage::Vertex, info.vertex)?;
        if let Some((control, evaluation)) = info.tessellation {
            modules.add(ShaderStage::TessControl, control)?;
            modules.add(ShaderStage::TessEval, evaluation)?;
        }
        if let Some(geometry) = info.geometry {
            modules.add(ShaderStage::Geometry, geometry)?;
        }
        if let Some(fragment) = info.fragment {
            modules.add(ShaderStage::Fragment, fragment)?;
        }
        Ok(modules)
    }

    /// Creates a graphics pipeline.
    pub fn graphics(&self, info: &GraphicsInfo<'_>) -> Result<Pipeline, Error> {
        if info.subpass.is_none() {
            self.rendering()?;
        }
        let layout = self.layout(info.sets, info.push_bytes)?;
        let modules = self.graphics_modules(info)?;
        let stages = modules.stages();
        let mut chains = Chains::new(info.more);

        let (bindings, attributes) = vertex_input(info.streams);
        let mut vertex = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let mut divisors = vk::PipelineVertexInputDivisorStateCreateInfoEXT::default()
            .vertex_binding_divisors(&chains.divisors);
        if !chains.divisors.is_empty() {
            vertex = vertex.push_next(&mut divisors);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(info.topology)
            .primitive_restart_enable(info.restart);
        let mut tessellation = vk::PipelineTessellationStateCreateInfo::default()
            .patch_control_points(info.patch_vertices);
        if let Some(origin) = &mut chains.origin {
            tessellation = tessellation.push_next(origin);
        }
        let mut viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewport_count(info.viewports)
            .scissor_count(info.viewports);
        if let Some(control) = &mut chains.control {
            viewport = viewport.push_next(control);
        }
        let raster = chains.raster.append_to(rasterization(info));
        let mask = [info.sample_mask.unwrap_or(!0)];
        let mut samples = multisample(info, chains.alpha_to_one);
        if info.sample_mask.is_some() {
            samples = samples.sample_mask(&mask);
        }
        let locations = chains.locations.take();
        let mut located = vk::PipelineSampleLocationsStateCreateInfoEXT::default();
        if let Some(locations) = &locations {
            located = located
                .sample_locations_enable(true)
                .sample_locations_info(sample_locations_info(locations));
            samples = samples.push_next(&mut located);
        }
        let depth = depth_stencil(info);
        let blends = blend_states(info);
        let mut blend = vk::PipelineColorBlendStateCreateInfo::default()
            .logic_op_enable(info.logic.is_some())
            .logic_op(info.logic.unwrap_or_default())
            .attachments(&blends)
            .blend_constants(info.constant);
        let mut writes =
            vk::PipelineColorWriteCreateInfoEXT::default().color_write_enables(&chains.writes);
        if !chains.writes.is_empty() {
            blend = blend.push_next(&mut writes);
        }
        let mut dynamic = info.dynamic.to_vec();
        if !dynamic.contains(&vk::DynamicState::VIEWPORT_WITH_COUNT) {
            dynamic.extend([vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
        } else {
            viewport = viewport.viewport_count(0).scissor_count(0);
        }
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);

        let mut rendering = rendering_formats(info);
        let mut create = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout);
        if info.tessellation.is_some() {
            create = create.tessellation_state(&tessellation);
        }
        create = match info.subpass {
            Some((pass, subpass)) => create.render_pass(pass).subpass(subpass),
            None => create.push_next(&mut rendering),
        };
        // SAFETY: as above.
        let made = unsafe {
            self.device
                .create_graphics_pipelines(vk::PipelineCache::null(), &[create], None)
        };
        let made = check("vkCreateGraphicsPipelines", made.map_err(|(_, e)| e))?;
        self.own(Owned::Pipeline(made[0]));
        Ok(Pipeline {
            handle: made[0],
            layout,
            point: vk::PipelineBindPoint::GRAPHICS,
        })
    }

    /// A render pass and its attachments.
    pub fn render_pass(&self, info: &RenderPassInfo<'_>) -> Result<vk::RenderPass, Error> {
        let refer = |numbers: &[u32], layout: vk::ImageLayout| -> Vec<vk::AttachmentReference> {
            let one = |&attachment| vk::AttachmentReference { attachment, layout };
            numbers.iter().map(one).collect()
        };
        let color = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let both = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        // Depth alone, where the attachment ends so.
        let alone = vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL;
        let ends_alone = info.attachments.iter().any(|a| a.final_layout == alone);
        let depth = if ends_alone { alone } else { both };
        let input = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        let references: Vec<_> = info
            .subpasses
            .iter()
            .map(|subpass| {
                (
                    refer(subpass.colors, color),
                    refer(subpass.resolves, color),
                    refer(subpass.depth.as_slice(), depth),
                    refer(subpass.inputs, input),
                )
            })
            .collect();
        let subpasses: Vec<_> = references
            .iter()
            .zip(info.subpasses)
            .map(|((colors, resolves, depth, inputs), from)| {
                let mut subpass = vk::SubpassDescription::default()
                    .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
                    .color_attachments(colors)
                    .input_attachments(inputs);
                if !resolves.is_empty() {
                    subpass = subpass.resolve_attachments(resolves);
                }
                if from.dithered {
                    subpass.flags |= vk::SubpassDescriptionFlags::ENABLE_LEGACY_DITHERING_EXT;
                }
                match depth.first() {
                    Some(depth) => subpass.depth_stencil_attachment(depth),
                    None => subpass,
                }
            })
            .collect();
        let mut create = vk::RenderPassCreateInfo::default()
            .attachments(info.attachments)
            .subpasses(&subpasses)
            .dependencies(info.dependencies);
        let mut multiview = vk::RenderPassMultiviewCreateInfo::default().view_masks(info.views);
        if !info.views.is_empty() {
            create = create.push_next(&mut multiview);
        }
        // SAFETY: as above.
        let pass = unsafe { self.device.create_render_pass(&create, None) };
        let pass = check("vkCreateRenderPass", pass)?;
        self.own(Owned::RenderPass(pass));
        Ok(pass)
    }

    /// The attachments of a render pass that are named when it begins: what they are like.
    pub fn imageless(
        &self,
        pass: vk::RenderPass,
        images: &[&Image],
    ) -> Result<vk::Framebuffer, Error> {
        let [width, height, _] = images.first().map_or([1; 3], |image| image.info.size_px);
        let formats: Vec<_> = images.iter().map(|image| [image.info.format]).collect();
        let like = images.iter().zip(&formats).map(|(image, formats)| {
            vk::FramebufferAttachmentImageInfo::default()
                .usage(image.info.usage)
                .width(width)
                .height(height)
                .layer_count(image.info.layers)
                .view_formats(formats)
        });
        let like: Vec<_> = like.collect();
        let mut attachments =
            vk::FramebufferAttachmentsCreateInfo::default().attachment_image_infos(&like);
        let mut info = vk::FramebufferCreateInfo::default()
            .flags(vk::FramebufferCreateFlags::IMAGELESS)
            .render_pass(pass)
            .width(width)
            .height(height)
            .layers(1)
            .push_next(&mut attachments);
        info.attachment_count = like.len() as u32;
        // SAFETY: as above.
        let made = unsafe { self.device.create_framebuffer(&info, None) };
        let made = check("vkCreateFramebuffer", made)?;
        self.own(Owned::Framebuffer(made));
        Ok(made)
    }

    /// The attachments of a render pass.
    pub fn framebuffer(
        &self,
        pass: vk::RenderPass,
        views: &[vk::ImageView],
        [width, height]: [u32; 2],
    ) -> Result<vk::Framebuffer, Error> {
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(views)
            .width(width)
            .height(height)
            .layers(1);
        // SAFETY: as above.
        let made = unsafe { self.device.create_framebuffer(&info, None) };
        let made = check("vkCreateFramebuffer", made)?;
        self.own(Owned::Framebuffer(made));
        Ok(made)
    }
}
