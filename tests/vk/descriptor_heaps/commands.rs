//! Heaps, sets and pipelines of both bind points in command buffers.

use ash::vk;

use super::heap::{
    ALL, Mapping, Resource, Source, Type, address, bind_info, bind_resources, bind_samplers,
    first_bytes, heap, heap_flags, inheritance, map, mapping_info, pipeline, push,
    write_descriptor,
};
use super::images::{BORDER, bordered, numbered, view_info};
use crate::canvas::{SIZE, Target, compile, viewport, whole};
use crate::rig::{self, Buffer, Kernel, Rig, fill};
use crate::shader_objects::set_plain_state;
use crate::textures::nearest;

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// Writes a uniform value to an element of a storage buffer, both by indices in push data.
const COPY: &str = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 1) uniform U { uint v; };
layout(push_constant) uniform P { uint from, to; };
void main() { r[to] = v; }";

fn copy_mappings() -> [Mapping; 2] {
    [
        map((0, 0, 1), ALL, Source::Constant([0, 0], [0; 2]), None),
        map(
            (0, 1, 1),
            ALL,
            Source::PushIndex([16, 0, 16, 0], [0; 4]),
            None,
        ),
    ]
}

/// Fills a heap for [`COPY`].
fn fill_heap(rig: &Rig, heap: &mut Buffer<'_>, out: &Buffer<'_>, values: &Buffer<'_>) {
    let slot = |buffer, at: u64| Resource::Buffer(Some((address(rig, buffer) + 64 * at, 64)));
    write_descriptor(heap, 0, Type::STORAGE_BUFFER, slot(out, 0));
    for at in 0..4u64 {
        let offset = 16 + 16 * at as usize;
        write_descriptor(heap, offset, Type::UNIFORM_BUFFER, slot(values, at));
    }
}

/// A uniform buffer with a dword in each of four slots of 64 bytes.
fn values<'a>(rig: &'a Rig, first: u32) -> Buffer<'a> {
    let mut buffer = rig.buffer(256);
    buffer.write_dwords(&(0..64).map(|at| first + at / 16).collect::<Vec<u32>>());
    buffer
}

/// A kernel with a set, which fills a buffer.
fn kernel(rig: &Rig, buffer: &Buffer<'_>) -> Kernel {
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    Kernel::new(rig, &fill(), kind, &[buffer], vk::PipelineCache::null())
}

#[test]
fn heaps_and_sets_replace_each_other() {
    let rig = Rig::new();
    let d = &rig.device;
    let (out, other, from) = (rig.buffer(64), rig.buffer(64), values(&rig, 10));
    let (mut first, mut second) = (heap(&rig), heap(&rig));
    let more = values(&rig, 20);
    fill_heap(&rig, &mut first, &out, &from);
    fill_heap(&rig, &mut second, &out, &more);
    let copies = pipeline(&rig, &rig::compile(COPY), &copy_mappings());
    let kernel = kernel(&rig, &other);
    rig.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, COMPUTE, copies);
        bind_resources(&rig, commands, &first);
        push(&rig, commands, 0, &[1, 0]);
        d.cmd_dispatch(commands, 1, 1, 1);
        // Only what changes is set again.
        push(&rig, commands, 4, &[1]);
        bind_resources(&rig, commands, &second);
        d.cmd_dispatch(commands, 1, 1, 1);
        kernel.bind(&rig, commands, &[], &[5, 2]);
        d.cmd_dispatch(commands, 1, 1, 1);
        d.cmd_bind_pipeline(commands, COMPUTE, copies);
        bind_resources(&rig, commands, &first);
        push(&rig, commands, 0, &[3, 2]);
        d.cmd_dispatch(commands, 1, 1, 1);
        // Commands of the driver's own shaders leave heaps and push data.
        d.cmd_fill_buffer(commands, other.buffer, 32, 4, 7);
        d.cmd_update_buffer(commands, other.buffer, 40, &[8, 0, 0, 0]);
        let region = vk::BufferCopy::default().dst_offset(48).size(8);
        d.cmd_copy_buffer(commands, from.buffer, other.buffer, &[region]);
        push(&rig, commands, 4, &[3]);
        d.cmd_dispatch(commands, 1, 1, 1);
    });
    assert_eq!(out.dwords()[..4], [11, 21, 13, 13]);
    let found = other.dwords();
    assert_eq!(
        (found[0], found[1], found[8], found[10], found[12]),
        (5, 5, 7, 8, 10)
    );
    kernel.destroy(&rig);
    unsafe { d.destroy_pipeline(copies, None) };
}

#[test]
fn secondary_command_buffers_inherit_heaps() {
    let rig = Rig::new();
    let d = &rig.device;
    let (out, from, mut resources) = (rig.buffer(64), values(&rig, 30), heap(&rig));
    fill_heap(&rig, &mut resources, &out, &from);
    let copies = pipeline(&rig, &rig::compile(COPY), &copy_mappings());
    let info = bind_info(&rig, &resources);
    let inherited = inheritance(&info, &info);
    let secondary = rig.command_buffer(vk::CommandBufferLevel::SECONDARY);
    let inheritance = vk::CommandBufferInheritanceInfo {
        p_next: inherited.as_ptr().cast(),
        ..Default::default()
    };
    let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
    unsafe {
        d.begin_command_buffer(secondary, &begin).unwrap();
        d.cmd_bind_pipeline(secondary, COMPUTE, copies);
        push(&rig, secondary, 0, &[2, 1]);
        d.cmd_dispatch(secondary, 1, 1, 1);
        d.end_command_buffer(secondary).unwrap();
    }
    rig.run(|commands| unsafe {
        bind_resources(&rig, commands, &resources);
        d.cmd_execute_commands(commands, &[secondary]);
        // The primary's heaps stay bound.
        d.cmd_bind_pipeline(commands, COMPUTE, copies);
        push(&rig, commands, 0, &[3, 2]);
        d.cmd_dispatch(commands, 1, 1, 1);
    });
    assert_eq!(out.dwords()[1..3], [32, 33]);
    unsafe { d.destroy_pipeline(copies, None) };
}

#[test]
fn heaps_need_memory_of_their_type() {
    let rig = Rig::new();
    let d = &rig.device;
    let bits = |usage| {
        let info = vk::BufferCreateInfo::default().size(256).usage(usage);
        unsafe {
            let buffer = d.create_buffer(&info, None).unwrap();
            let wants = d.get_buffer_memory_requirements(buffer);
            d.destroy_buffer(buffer, None);
            wants.memory_type_bits
        }
    };
    let heaps = bits(vk::BufferUsageFlags::from_raw(1 << 28));
    assert_eq!(
        heaps,
        bits(vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT)
    );
    let buffer = rig.buffer(4096);
    let commands = rig.command_buffer(vk::CommandBufferLevel::PRIMARY);
    unsafe {
        d.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
            .unwrap();
        bind_resources(&rig, commands, &buffer);
        assert!(d.end_command_buffer(commands).is_err());
    }
}

#[test]
fn embedded_samplers_stay_with_their_pipeline() {
    let rig = Rig::new();
    let d = &rig.device;
    let (out, other, mut resources) = (rig.buffer(64), rig.buffer(64), heap(&rig));
    let image = numbered(&rig, 50);
    let of_out = first_bytes(&out, 64);
    write_descriptor(&mut resources, 0, Type::STORAGE_BUFFER, of_out);
    let info = view_info(&image);
    write_descriptor(
        &mut resources,
        16,
        Type::SAMPLED_IMAGE,
        Resource::Image(Some(&info)),
    );
    let words = rig::compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(binding = 1) uniform usampler2D image;
layout(push_constant) uniform P { uint to; };
void main() { r[to] = textureLod(image, vec2(-1.0), 0.0).x; }",
    );
    let made = [nearest(), bordered()].map(|sampler| {
        let constant = Source::Constant([0, 16], [0; 2]);
        pipeline(
            &rig,
            &words,
            &[map((0, 0, 2), ALL, constant, Some(&sampler))],
        )
    });
    let kernel = kernel(&rig, &other);
    // The same set with the numbers that heaps and embedded samplers have, and with others.
    let layouts = [kernel.set_layout; 8];
    let layout_info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
    let layout = unsafe { d.create_pipeline_layout(&layout_info, None) }.unwrap();
    rig.run(|commands| unsafe {
        for (to, &pipeline) in (0..).zip(&made) {
            d.cmd_bind_pipeline(commands, COMPUTE, pipeline);
            for to in [to, to + 2] {
                let sets = [kernel.set; 8];
                d.cmd_bind_descriptor_sets(commands, COMPUTE, layout, 0, &sets, &[]);
                bind_resources(&rig, commands, &resources);
                push(&rig, commands, 0, &[to]);
                d.cmd_dispatch(commands, 1, 1, 1);
            }
        }
    });
    assert_eq!(out.dwords()[..4], [50, BORDER, 50, BORDER]);
    unsafe {
        for pipeline in made {
            d.destroy_pipeline(pipeline, None);
        }
        d.destroy_pipeline_layout(layout, None);
    }
    kernel.destroy(&rig);
}

/// Positions of a triangle that covers everything, moved by a uniform.
const VERTEX: &str = "#version 450
layout(std140, binding = 0) uniform U { vec4 shift; };
layout(push_constant) uniform P { float more; };
void main()
{
    vec2 corner = vec2(gl_VertexIndex % 2, gl_VertexIndex / 2) * 4.0 - 1.0;
    gl_Position = vec4(corner + shift.xy + vec2(0.0, more), 0.0, 1.0);
}";

/// A colour of a uniform, and of an image beyond its edge.
const FRAGMENT: &str = "#version 450
layout(std140, binding = 0) uniform U { vec4 shade; };
layout(set = 4, binding = 1) uniform usampler2D image;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(shade.xy, textureLod(image, vec2(-1.0), 0.0).x / 255.0, 1.0); }";

/// What [`VERTEX`] and [`FRAGMENT`] read.
struct Scene<'a> {
    uniform: Buffer<'a>,
    resources: Buffer<'a>,
    samplers: Buffer<'a>,
    mappings: [Vec<Mapping>; 2],
    sampler: Box<vk::SamplerCreateInfo<'static>>,
    _image: crate::images::Image<'a>,
}

impl<'a> Scene<'a> {
    fn new(rig: &'a Rig) -> Self {
        let mut uniform = rig.buffer(256);
        let (mut resources, samplers) = (heap(rig), heap(rig));
        let image = numbered(rig, 50);
        let mut values = [0.0f32; 64];
        // Half of the target to the right, and a colour.
        values[0] = 1.0;
        values[16..18].copy_from_slice(&[1.0, 0.2]);
        uniform.write_dwords(&values.map(f32::to_bits));
        for (at, slot) in [(64, 0), (80, 1)] {
            let range = (address(rig, &uniform) + 64 * slot, 16);
            let buffer = Resource::Buffer(Some(range));
            write_descriptor(&mut resources, at, Type::UNIFORM_BUFFER, buffer);
        }
        let info = view_info(&image);
        write_descriptor(
            &mut resources,
            96,
            Type::SAMPLED_IMAGE,
            Resource::Image(Some(&info)),
        );
        let sampler = Box::new(nearest());
        let constant = |offset| Source::Constant([offset, 0], [0; 2]);
        let mappings = [
            vec![map((0, 0, 1), ALL, constant(64), None)],
            vec![
                map((0, 0, 1), ALL, constant(80), None),
                map((4, 1, 1), ALL, constant(96), Some(&sampler)),
            ],
        ];
        Self {
            uniform,
            resources,
            samplers,
            mappings,
            sampler,
            _image: image,
        }
    }

    fn bind(&self, rig: &Rig, commands: vk::CommandBuffer, more: f32) {
        bind_resources(rig, commands, &self.resources);
        bind_samplers(rig, commands, &self.samplers);
        push(rig, commands, 0, &[more.to_bits()]);
    }

    /// The right half, or the quarter of it at the bottom.
    fn check(&self, target: &Target<'_>, quarter: bool) {
        let shade = [255, 51, 50, 255];
        target.check(|x, y| match x >= SIZE / 2 && (!quarter || y >= SIZE / 2) {
            true => shade,
            false => [0; 4],
        });
        assert_eq!(self.sampler.max_lod, vk::LOD_CLAMP_NONE);
        assert_eq!(self.uniform.dwords()[0], 1.0f32.to_bits());
    }
}

/// A graphics pipeline without a layout, or a library of parts of it.
fn graphics_pipeline(
    rig: &Rig,
    words: &[Vec<u32>; 2],
    scene: &Scene<'_>,
    parts: Option<vk::GraphicsPipelineLibraryFlagsEXT>,
) -> vk::Pipeline {
    let d = &rig.device;
    let chains = scene
        .mappings
        .each_ref()
        .map(|mappings| mapping_info(mappings));
    let modules = words.each_ref().map(|words| unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        d.create_shader_module(&info, None).unwrap()
    });
    let stages = [
        (vk::ShaderStageFlags::VERTEX, modules[0], &chains[0]),
        (vk::ShaderStageFlags::FRAGMENT, modules[1], &chains[1]),
    ]
    .map(|(stage, module, chain)| {
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(stage)
            .module(module)
            .name(c"main");
        stage.p_next = chain.as_ptr().cast();
        stage
    });
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let (viewports, scissors) = ([viewport()], [whole()]);
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewports(&viewports)
        .scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blends = [vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let mut flags = heap_flags();
    let formats = [vk::Format::R8G8B8A8_UNORM];
    let mut rendering =
        vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
    let library =
        vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(parts.unwrap_or_default());
    if parts.is_some() {
        flags[2] |= u64::from(vk::PipelineCreateFlags::LIBRARY_KHR.as_raw());
        rendering.p_next = std::ptr::from_ref(&library).cast();
    }
    flags[1] = std::ptr::from_ref(&rendering) as u64;
    let mut info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend);
    info.p_next = flags.as_ptr().cast();
    unsafe {
        let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        for module in modules {
            d.destroy_shader_module(module, None);
        }
        made.unwrap()[0]
    }
}

/// Renders to a target, cleared to zeros.
fn render(rig: &Rig, target: &Target<'_>, body: impl FnOnce(vk::CommandBuffer)) {
    rig.run(|commands| unsafe {
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(target.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        rig.device.cmd_begin_rendering(commands, &info);
        body(commands);
        rig.device.cmd_end_rendering(commands);
    });
}

#[test]
fn stages_of_a_draw_have_their_own_mappings() {
    let rig = Rig::new();
    let scene = Scene::new(&rig);
    let target = Target::new(&rig, vk::Format::R8G8B8A8_UNORM, 1);
    let pipeline = graphics_pipeline(&rig, &compile(VERTEX, FRAGMENT), &scene, None);
    let point = vk::PipelineBindPoint::GRAPHICS;
    render(&rig, &target, |commands| unsafe {
        rig.device.cmd_bind_pipeline(commands, point, pipeline);
        scene.bind(&rig, commands, 0.0);
        rig.device.cmd_draw(commands, 3, 1, 0, 0);
    });
    scene.check(&target, false);
    unsafe { rig.device.destroy_pipeline(pipeline, None) };
}

#[test]
fn libraries_are_linked_without_a_layout() {
    use vk::GraphicsPipelineLibraryFlagsEXT as Parts;
    let rig = Rig::new();
    let scene = Scene::new(&rig);
    let target = Target::new(&rig, vk::Format::R8G8B8A8_UNORM, 1);
    let words = compile(VERTEX, FRAGMENT);
    let halves = [
        Parts::VERTEX_INPUT_INTERFACE | Parts::PRE_RASTERIZATION_SHADERS,
        Parts::FRAGMENT_SHADER | Parts::FRAGMENT_OUTPUT_INTERFACE,
    ];
    let libraries = halves.map(|parts| graphics_pipeline(&rig, &words, &scene, Some(parts)));
    let link = vk::PipelineLibraryCreateInfoKHR::default().libraries(&libraries);
    let mut flags = heap_flags();
    flags[1] = std::ptr::from_ref(&link) as u64;
    let info = vk::GraphicsPipelineCreateInfo {
        p_next: flags.as_ptr().cast(),
        ..Default::default()
    };
    let d = &rig.device;
    let made = unsafe { d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    let pipeline = made.unwrap()[0];
    render(&rig, &target, |commands| unsafe {
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        scene.bind(&rig, commands, 0.0);
        d.cmd_draw(commands, 3, 1, 0, 0);
    });
    scene.check(&target, false);
    for pipeline in libraries.into_iter().chain([pipeline]) {
        unsafe { d.destroy_pipeline(pipeline, None) };
    }
}

#[test]
fn shader_objects_use_heaps() {
    let rig = Rig::new();
    let scene = Scene::new(&rig);
    let target = Target::new(&rig, vk::Format::R8G8B8A8_UNORM, 1);
    let objects = ash::ext::shader_object::Device::new(&rig.instance, &rig.device);
    let stages = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    let chains = scene
        .mappings
        .each_ref()
        .map(|mappings| mapping_info(mappings));
    let words = compile(VERTEX, FRAGMENT);
    let create = |codes: [(vk::ShaderCodeTypeEXT, &[u8]); 2]| {
        let infos = [0, 1].map(|at| {
            let (kind, code) = codes[at];
            let mut info = vk::ShaderCreateInfoEXT::default()
                // VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT.
                .flags(vk::ShaderCreateFlagsEXT::from_raw(1 << 10))
                .stage(stages[at])
                .next_stage(match at {
                    0 => stages[1],
                    _ => vk::ShaderStageFlags::empty(),
                })
                .code_type(kind)
                .code(code)
                .name(c"main");
            // Binaries have their mappings.
            if kind == vk::ShaderCodeTypeEXT::SPIRV {
                info.p_next = chains[at].as_ptr().cast();
            }
            info
        });
        unsafe { objects.create_shaders(&infos, None) }.unwrap()
    };
    let bytes = words.each_ref().map(|words| {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        bytes.collect::<Vec<u8>>()
    });
    let spirv = vk::ShaderCodeTypeEXT::SPIRV;
    let first = create([(spirv, &bytes[0]), (spirv, &bytes[1])]);
    let binaries: Vec<_> = first
        .iter()
        .map(|&shader| unsafe { objects.get_shader_binary_data(shader) }.unwrap())
        .collect();
    let binary = vk::ShaderCodeTypeEXT::BINARY;
    let second = create([(binary, &binaries[0]), (binary, &binaries[1])]);
    for shaders in [&first, &second] {
        render(&rig, &target, |commands| unsafe {
            let inputs =
                ash::ext::vertex_input_dynamic_state::Device::new(&rig.instance, &rig.device);
            set_plain_state(&rig, commands, vk::PrimitiveTopology::TRIANGLE_LIST);
            inputs.cmd_set_vertex_input(commands, &[], &[]);
            objects.cmd_bind_shaders(commands, &stages, shaders);
            scene.bind(&rig, commands, 1.0);
            rig.device.cmd_draw(commands, 3, 1, 0, 0);
        });
        scene.check(&target, true);
    }
    for shader in first.into_iter().chain(second) {
        unsafe { objects.destroy_shader(shader, None) };
    }
}
