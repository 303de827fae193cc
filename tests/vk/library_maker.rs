//! Libraries of graphics pipelines, and pipelines that are linked from them.

use std::cell::RefCell;

use ash::vk;
use vk::GraphicsPipelineLibraryFlagsEXT as Part;

use crate::canvas::{Canvas, Look, compile, viewport, whole};
use crate::rig::Rig;

type Flags = vk::PipelineCreateFlags;

/// Each part.
pub const ALL: [Part; 4] = [
    Part::VERTEX_INPUT_INTERFACE,
    Part::PRE_RASTERIZATION_SHADERS,
    Part::FRAGMENT_SHADER,
    Part::FRAGMENT_OUTPUT_INTERFACE,
];

/// A part, or several, from bits.
pub fn parts(bits: u32) -> Part {
    Part::from_raw(bits)
}

/// What libraries and pipelines are created from.
pub struct Maker<'a> {
    pub rig: &'a Rig,
    pub look: Look<'a>,
    /// Shaders by stage.
    pub shaders: Vec<(vk::ShaderStageFlags, Vec<u32>)>,
    pub layout: vk::PipelineLayout,
    pub pass: vk::RenderPass,
    pub cache: vk::PipelineCache,
    /// Multisample state of the fragment shader's library.
    pub multisamples_shader: bool,
    pub alpha_to_coverage: bool,
    pub discard: bool,
    pub view_mask: u32,
    /// `VkPipelineBinaryKHR` handles: the pipeline is created from them, without modules.
    pub binaries: Vec<u64>,
    made: RefCell<Vec<vk::Pipeline>>,
}

impl<'a> Maker<'a> {
    pub fn new(canvas: &'a Canvas<'a>, vertex: &str, fragment: &str) -> Self {
        let [vertex, fragment] = compile(vertex, fragment);
        let stages = [
            (vk::ShaderStageFlags::VERTEX, vertex),
            (vk::ShaderStageFlags::FRAGMENT, fragment),
        ];
        Self {
            rig: canvas.rig,
            look: Look::default(),
            shaders: stages.into(),
            layout: canvas.layout,
            pass: canvas.pass,
            cache: vk::PipelineCache::null(),
            multisamples_shader: false,
            alpha_to_coverage: false,
            discard: false,
            view_mask: 0,
            binaries: Vec::new(),
            made: RefCell::default(),
        }
    }

    /// A library of some parts.
    pub fn library(&self, own: Part) -> vk::Pipeline {
        let retained = Flags::LIBRARY_KHR | Flags::RETAIN_LINK_TIME_OPTIMIZATION_INFO_EXT;
        self.create(own, &[], retained).unwrap()
    }

    /// A pipeline of libraries that have all parts.
    pub fn link(
        &self,
        libraries: &[vk::Pipeline],
        flags: Flags,
    ) -> Result<vk::Pipeline, vk::Result> {
        self.create(Part::empty(), libraries, flags)
    }

    /// A pipeline or a library. The create info has no state but that of its own parts.
    pub fn create(
        &self,
        own: Part,
        libraries: &[vk::Pipeline],
        flags: Flags,
    ) -> Result<vk::Pipeline, vk::Result> {
        let d = &self.rig.device;
        let made = self.with_info(own, libraries, flags, |info| unsafe {
            d.create_graphics_pipelines(self.cache, &[*info], None)
        });
        match made {
            Ok(made) => {
                self.made.borrow_mut().push(made[0]);
                Ok(made[0])
            }
            Err((made, error)) => {
                assert_eq!(made, [vk::Pipeline::null()]);
                Err(error)
            }
        }
    }

    /// Calls a function with the create info of a pipeline or a library.
    pub fn with_info<R>(
        &self,
        own: Part,
        libraries: &[vk::Pipeline],
        flags: Flags,
        use_info: impl FnOnce(&vk::GraphicsPipelineCreateInfo<'_>) -> R,
    ) -> R {
        let look = &self.look;
        let belongs = |stage| match stage {
            vk::ShaderStageFlags::FRAGMENT => own.contains(Part::FRAGMENT_SHADER),
            _ => own.contains(Part::PRE_RASTERIZATION_SHADERS),
        };
        let mut modules: Vec<_> = self
            .shaders
            .iter()
            .filter(|shader| belongs(shader.0))
            .map(|shader| vk::ShaderModuleCreateInfo::default().code(&shader.1))
            .collect();
        let stages = self.shaders.iter().map(|shader| shader.0);
        let stages = stages.filter(|stage| belongs(*stage));
        let stages: Vec<_> = stages
            .zip(&mut modules)
            .map(|(stage, module)| {
                let info = vk::PipelineShaderStageCreateInfo::default()
                    .stage(stage)
                    .name(c"main");
                match self.binaries.is_empty() {
                    true => info.push_next(module),
                    false => info,
                }
            })
            .collect();
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(look.bindings)
            .vertex_attribute_descriptions(look.attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(look.topology)
            .primitive_restart_enable(look.restart);
        let patches = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(3);
        let (viewports, scissors) = ([viewport()], [whole()]);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(self.discard)
            .cull_mode(look.cull)
            .line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .alpha_to_coverage_enable(self.alpha_to_coverage)
            .rasterization_samples(look.samples);
        let mut blends = vec![look.blend];
        blends.extend(look.others.iter().map(|other| other.1));
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(look.dynamic);
        let (colour, depth) = look.formats.unwrap_or_default();
        let mut colours = vec![colour];
        colours.extend(look.others.iter().map(|other| other.0));
        let mut rendering = vk::PipelineRenderingCreateInfo::default().view_mask(self.view_mask);
        if own.contains(Part::FRAGMENT_OUTPUT_INTERFACE) {
            rendering = rendering
                .color_attachment_formats(&colours)
                .depth_attachment_format(depth)
                .stencil_attachment_format(depth);
        }
        let mut which = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(own);
        let mut included = vk::PipelineLibraryCreateInfoKHR::default().libraries(libraries);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .flags(look.flags | flags)
            .layout(self.layout)
            .push_next(&mut which)
            .push_next(&mut included);
        if own.contains(Part::VERTEX_INPUT_INTERFACE) {
            info = info
                .vertex_input_state(&input)
                .input_assembly_state(&assembly);
        }
        if own.contains(Part::PRE_RASTERIZATION_SHADERS) {
            info = info
                .viewport_state(&viewport)
                .rasterization_state(&raster)
                .tessellation_state(&patches);
        }
        if own.contains(Part::FRAGMENT_SHADER) {
            info = info.depth_stencil_state(&look.depth);
        }
        let output = own.contains(Part::FRAGMENT_OUTPUT_INTERFACE);
        if output {
            info = info.color_blend_state(&blend);
        }
        if output || own.contains(Part::FRAGMENT_SHADER) && self.multisamples_shader {
            info = info.multisample_state(&multisample);
        }
        if !own.is_empty() {
            info = info.stages(&stages).dynamic_state(&dynamic);
            info = info.render_pass(self.pass);
        }
        if look.formats.is_some() {
            info = info.push_next(&mut rendering);
        }
        // VkPipelineBinaryInfoKHR: type, chain, count, handles.
        let binaries = [
            1_000_483_002,
            info.p_next as u64,
            self.binaries.len() as u64,
            self.binaries.as_ptr() as u64,
        ];
        if !self.binaries.is_empty() {
            info.p_next = binaries.as_ptr().cast();
        }
        use_info(&info)
    }

    /// Destroys a library or pipeline early.
    pub fn destroy(&self, pipeline: vk::Pipeline) {
        self.made.borrow_mut().retain(|&other| other != pipeline);
        unsafe { self.rig.device.destroy_pipeline(pipeline, None) };
    }
}

impl Drop for Maker<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            let _ = d.device_wait_idle();
            for &pipeline in self.made.borrow().iter() {
                d.destroy_pipeline(pipeline, None);
            }
        }
    }
}

/// The modules of shaders of all stages.
pub fn all_stages() -> Vec<(vk::ShaderStageFlags, Vec<u32>)> {
    let text = "[require]
vulkan 1.1
tessellationShader
geometryShader

[vertex shader]
#version 450
layout(location = 0) out float number;
void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
    number = float(gl_VertexIndex);
}

[tessellation control shader]
#version 450
layout(vertices = 3) out;
layout(location = 0) in float number[];
layout(location = 0) out float doubled[];
layout(location = 1) patch out float count;
void main()
{
    gl_TessLevelOuter = float[](1.0, 1.0, 1.0, 1.0);
    gl_TessLevelInner = float[](1.0, 1.0);
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    doubled[gl_InvocationID] = number[gl_InvocationID] * 2.0;
    count = float(gl_PatchVerticesIn);
}

[tessellation evaluation shader]
#version 450
layout(triangles) in;
layout(location = 0) in float doubled[];
layout(location = 1) patch in float count;
layout(location = 3) out vec2 both;
void main()
{
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position
        + gl_TessCoord.z * gl_in[2].gl_Position;
    both = vec2(doubled[0] + doubled[1] + doubled[2], count);
}

[geometry shader]
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 3) in vec2 both[];
layout(location = 2) out vec4 unread;
layout(location = 5) out vec4 shade;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        gl_PrimitiveID = 9;
        unread = vec4(1.0);
        shade = vec4(both[i] / 255.0, 0.0, 1.0);
        EmitVertex();
    }
}

[fragment shader]
#version 450
layout(location = 5) in vec4 shade;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(shade.xy, float(gl_PrimitiveID) / 255.0, 1.0); }

[test]
draw rect 0 0 1 1
";
    use vk::ShaderStageFlags as S;
    let script = vkrunner::parse(text, &[]).unwrap();
    let compiled = vkrunner::Runner::compile(&script).unwrap();
    let stages = [
        S::VERTEX,
        S::TESSELLATION_CONTROL,
        S::TESSELLATION_EVALUATION,
        S::GEOMETRY,
        S::FRAGMENT,
    ];
    let words = compiled.into_iter().map(|module| module.1);
    stages.into_iter().zip(words).collect()
}
