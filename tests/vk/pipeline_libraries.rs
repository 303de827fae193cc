//! Graphics pipelines that are linked from libraries (VK_EXT_graphics_pipeline_library).

use ash::vk;
use vk::GraphicsPipelineLibraryFlagsEXT as Part;

use crate::canvas::{
    self, Canvas, FRAGMENT, Look, RED, Target, VERTEX, rectangle, vertices, viewport, whole,
};
use crate::library_maker::{ALL, Maker, all_stages, parts};
use crate::rig::{Buffer, Rig};

type Flags = vk::PipelineCreateFlags;

/// The partitions of the four parts, each as a list of bits.
fn partitions() -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![vec![]];
    for part in ALL.map(|part| part.as_raw()) {
        let grown = all.iter().flat_map(|groups| {
            let joined = (0..groups.len()).map(|at| {
                let mut groups = groups.clone();
                groups[at] |= part;
                groups
            });
            let alone = [groups.iter().copied().chain([part]).collect()];
            joined.chain(alone).collect::<Vec<_>>()
        });
        all = grown.collect();
    }
    all
}

/// Draws vertices of a triangle list.
pub fn draw(canvas: &Canvas<'_>, pipeline: vk::Pipeline, buffer: &Buffer<'_>, count: u32) {
    canvas.run(|commands| {
        canvas.bind(commands, pipeline, buffer);
        unsafe { canvas.rig.device.cmd_draw(commands, count, 1, 0, 0) };
    });
}

/// Passes position and colour on; alpha is depth.
pub const DEEP_VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 shade;
void main()
{
    gl_Position = vec4(position, colour.a, 1.0);
    shade = colour;
}";

/// A scene in which every part has state that shows: attributes of a buffer, culled faces, a depth
/// test against 1, sums of red and green.
pub fn telling<'a>() -> Look<'a> {
    Look {
        cull: vk::CullModeFlags::FRONT,
        depth: vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_compare_op(vk::CompareOp::LESS),
        blend: vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::R | vk::ColorComponentFlags::G)
            .blend_enable(true)
            .src_color_blend_factor(vk::BlendFactor::ONE)
            .dst_color_blend_factor(vk::BlendFactor::ONE),
        ..Look::default()
    }
}

/// Vertices of that scene.
pub fn scene(rig: &Rig) -> Buffer<'_> {
    let mut all = rectangle([-1.0, -1.0], [0.5, 1.0], [1.0, 0.0, 0.0, 0.5]);
    all.extend(rectangle([-0.5, -1.0], [1.0, 1.0], [0.0, 1.0, 1.0, 0.25]));
    // Mirrored: a front face, which is culled.
    all.extend(rectangle([1.0, -1.0], [-1.0, 1.0], [1.0, 1.0, 1.0, 0.0]));
    // Fails the depth test.
    all.extend(rectangle([-1.0, -1.0], [1.0, 1.0], [1.0; 4]));
    vertices(rig, &all)
}

pub const SCENE_VERTICES: u32 = 24;

/// The pixels of that scene.
pub fn scene_pixel(x: u32) -> [u8; 4] {
    [255 * u8::from(x < 12), 255 * u8::from(x >= 4), 0, 0]
}

#[test]
fn any_division_into_libraries_draws_what_one_pipeline_draws() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, Some(vk::Format::D32_SFLOAT));
    let mut maker = Maker::new(&canvas, DEEP_VERTEX, FRAGMENT);
    maker.look = telling();
    let buffer = scene(&rig);
    let mut ways = vec![maker.create(parts(15), &[], Flags::empty()).unwrap()];
    let divisions = partitions();
    assert_eq!(divisions.len(), 15);
    for groups in divisions {
        let libraries: Vec<_> = groups.iter().map(|&g| maker.library(parts(g))).collect();
        // Linking compiles nothing, although there is no cache.
        let fast = Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        ways.push(maker.link(&libraries, fast).unwrap());
        let optimised = Flags::LINK_TIME_OPTIMIZATION_EXT;
        ways.push(maker.link(&libraries, optimised).unwrap());
        let refused = maker.link(&libraries, optimised | fast);
        assert_eq!(refused, Err(vk::Result::PIPELINE_COMPILE_REQUIRED));
        // Libraries may include others, and pipelines may have parts of their own.
        if let [others @ .., last] = &groups[..] {
            let others = &libraries[..others.len()];
            let inner = maker.create(Part::empty(), others, Flags::LIBRARY_KHR);
            let outer = maker.create(parts(*last), &[inner.unwrap()], Flags::empty());
            ways.push(outer.unwrap());
        }
        // A pipeline does not need its libraries.
        for library in libraries {
            maker.destroy(library);
        }
    }
    for pipeline in ways {
        draw(&canvas, pipeline, &buffer, SCENE_VERTICES);
        canvas.colour.check(|x, _| scene_pixel(x));
    }
}

#[test]
fn states_are_dynamic_where_the_library_of_their_part_says_so() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, Some(vk::Format::D32_SFLOAT));
    let mut maker = Maker::new(&canvas, DEEP_VERTEX, FRAGMENT);
    maker.look = telling();
    let buffer = scene(&rig);
    // The vertex library's depth test has no effect, nor has the fragment library's viewport.
    let states: [&[vk::DynamicState]; 4] = [
        &[vk::DynamicState::COLOR_WRITE_MASK_EXT],
        &[
            vk::DynamicState::SCISSOR,
            vk::DynamicState::DEPTH_TEST_ENABLE,
        ],
        &[
            vk::DynamicState::VIEWPORT,
            vk::DynamicState::DEPTH_COMPARE_OP,
        ],
        &[],
    ];
    let libraries: Vec<_> = ALL
        .into_iter()
        .zip(states)
        .map(|(part, dynamic)| {
            maker.look.dynamic = dynamic;
            maker.library(part)
        })
        .collect();
    maker.look.dynamic = &[];
    let pipeline = maker.link(&libraries, Flags::empty()).unwrap();
    let half = vk::Rect2D {
        extent: vk::Extent2D {
            width: 8,
            height: canvas::SIZE,
        },
        ..whole()
    };
    for (compare, passes) in [(vk::CompareOp::LESS, true), (vk::CompareOp::GREATER, false)] {
        canvas.run(|commands| unsafe {
            let quarter = vk::Viewport {
                width: 4.0,
                ..viewport()
            };
            d.cmd_set_viewport(commands, 0, &[quarter]);
            d.cmd_set_depth_test_enable(commands, false);
            canvas.bind(commands, pipeline, &buffer);
            d.cmd_set_scissor(commands, 0, &[half]);
            d.cmd_set_depth_compare_op(commands, compare);
            d.cmd_draw(commands, SCENE_VERTICES, 1, 0, 0);
        });
        canvas.colour.check(|x, _| match x < 8 && passes {
            true => scene_pixel(x),
            false => [0; 4],
        });
    }
}

/// A pipeline layout whose sets may be absent.
fn layout(rig: &Rig, sets: &[vk::DescriptorSetLayout]) -> vk::PipelineLayout {
    let push = [vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
        .size(64)];
    let info = vk::PipelineLayoutCreateInfo::default()
        .flags(vk::PipelineLayoutCreateFlags::INDEPENDENT_SETS_EXT)
        .set_layouts(sets)
        .push_constant_ranges(&push);
    unsafe { rig.device.create_pipeline_layout(&info, None) }.unwrap()
}

const SETS_VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 0) out vec4 shade;
layout(set = 0, binding = 0) uniform First { vec4 first; };
layout(set = 2, binding = 0) uniform Third { vec4 third; };
void main()
{
    gl_Position = vec4(position, 0.0, 1.0);
    shade = first + third;
}";

const SETS_FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
layout(push_constant) uniform Push { layout(offset = 16) uint one; };
layout(set = 1, binding = 0) uniform Second { vec4 value; } second[2];
layout(set = 1, binding = 1) uniform Plain { vec4 plain; };
void main() { colour = shade + second[one].value + second[0].value + plain; }";

/// Each library knows only the sets of its own shaders; dynamic buffers of the sets between them
/// move those of the others.
#[test]
fn sets_are_independent() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let mut maker = Maker::new(&canvas, SETS_VERTEX, SETS_FRAGMENT);
    let dynamic = vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC;
    let plain = vk::DescriptorType::UNIFORM_BUFFER;
    let values = rig.buffer(2048);
    let colours = [
        [0.2, 0.0, 0.0, 0.0],
        [0.0, 0.4, 0.0, 0.0],
        [0.0, 0.0, 0.6, 0.0],
        [0.0, 0.0, 0.0, 0.8],
        [0.2, 0.2, 0.2, 0.2f32],
    ];
    for (at, colour) in colours.iter().flatten().enumerate() {
        let place = at / 4 * 256 + at % 4 * 4;
        values.data[place..place + 4].copy_from_slice(&colour.to_le_bytes());
    }
    unsafe {
        let set_layouts = [
            &[(dynamic, 1)][..],
            &[(dynamic, 2), (plain, 1)],
            &[(dynamic, 1)],
        ];
        let set_layouts = set_layouts.map(|bindings| {
            let bindings: Vec<_> = (0..)
                .zip(bindings)
                .map(|(binding, (kind, count))| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(*kind)
                        .descriptor_count(*count)
                        .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            d.create_descriptor_set_layout(&info, None).unwrap()
        });
        let [first, second, third] = set_layouts;
        let none = vk::DescriptorSetLayout::null();
        let layouts = [
            layout(&rig, &[first, none, third]),
            layout(&rig, &[none, second]),
            layout(&rig, &set_layouts),
        ];
        let sizes =
            [(dynamic, 4), (plain, 1)].map(|(ty, descriptor_count)| vk::DescriptorPoolSize {
                ty,
                descriptor_count,
            });
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(3)
            .pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&set_layouts);
        let sets = d.allocate_descriptor_sets(&info).unwrap();
        let range = |offset| {
            [vk::DescriptorBufferInfo::default()
                .buffer(values.buffer)
                .offset(offset)
                .range(16)]
        };
        let write = |set: usize, element| {
            let start = range(0);
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[set])
                .dst_array_element(element)
                .descriptor_type(dynamic)
                .buffer_info(&start);
            d.update_descriptor_sets(&[write], &[]);
        };
        for (set, element) in [(0, 0), (1, 0), (1, 1), (2, 0)] {
            write(set, element);
        }
        let last = range(4 * 256);
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[1])
            .dst_binding(1)
            .descriptor_type(plain)
            .buffer_info(&last);
        d.update_descriptor_sets(&[write], &[]);
        let mut library = |part, layout| {
            maker.layout = layout;
            maker.library(part)
        };
        let unused = vk::PipelineLayout::null();
        let libraries = [
            library(Part::VERTEX_INPUT_INTERFACE, unused),
            library(Part::PRE_RASTERIZATION_SHADERS, layouts[0]),
            library(Part::FRAGMENT_SHADER, layouts[1]),
            library(Part::FRAGMENT_OUTPUT_INTERFACE, unused),
        ];
        let ways = [
            (layouts[2], Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED),
            (unused, Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED),
            (layouts[2], Flags::LINK_TIME_OPTIMIZATION_EXT),
            (unused, Flags::LINK_TIME_OPTIMIZATION_EXT),
        ];
        let buffer = vertices(&rig, &rectangle([-1.0, -1.0], [1.0, 1.0], RED));
        for (layout, flags) in ways {
            maker.layout = layout;
            let pipeline = maker.link(&libraries, flags).unwrap();
            canvas.run(|commands| {
                let point = vk::PipelineBindPoint::GRAPHICS;
                d.cmd_bind_pipeline(commands, point, pipeline);
                d.cmd_bind_vertex_buffers(commands, 0, &[buffer.buffer], &[0]);
                // First, the two of the second, third: null stands for what is bound otherwise.
                let none = vk::DescriptorSet::null();
                let outer = [sets[0], none, sets[2]];
                let full = layouts[2];
                d.cmd_bind_descriptor_sets(commands, point, full, 1, &sets[1..2], &[256, 512]);
                d.cmd_bind_descriptor_sets(commands, point, full, 0, &outer, &[0, 768]);
                let stages = vk::ShaderStageFlags::ALL_GRAPHICS;
                d.cmd_push_constants(commands, layouts[2], stages, 16, &1u32.to_le_bytes());
                d.cmd_draw(commands, 6, 1, 0, 0);
            });
            canvas.colour.check(|_, _| [102, 153, 204, 255]);
        }
        drop(maker);
        d.destroy_descriptor_pool(pool, None);
        for layout in layouts {
            d.destroy_pipeline_layout(layout, None);
        }
        for layout in set_layouts {
            d.destroy_descriptor_set_layout(layout, None);
        }
    }
}

/// Twenty outputs.
const MANY_VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 0) out float values[20];
void main()
{
    gl_Position = vec4(position, 0.0, 1.0);
    for (int i = 0; i < 20; i++)
        values[i] = float(i + 1) / 255.0;
}";

/// All but two of them: more than the hardware can select freely.
const MANY_FRAGMENT: &str = "#version 450
layout(location = 0) in float first[8];
layout(location = 9) in float others[10];
layout(location = 0) out vec4 colour;
void main()
{
    float sum = 0.0;
    for (int i = 0; i < 8; i++)
        sum += first[i];
    for (int i = 0; i < 10; i++)
        sum += others[i];
    colour = vec4(sum, others[9], first[7], 1.0);
}";

/// A cull distance behind a clip distance that the fragment shader does not know.
const CULL_VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[2]; };
void main()
{
    gl_Position = vec4(position, 0.0, 1.0);
    gl_ClipDistance[0] = 1.0;
    gl_CullDistance[0] = 0.2;
    gl_CullDistance[1] = 0.4;
}";

const CULL_FRAGMENT: &str = "#version 450
in float gl_CullDistance[2];
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_CullDistance[0], gl_CullDistance[1], 0.0, 1.0); }";

/// These are the fragment shaders whose inputs are laid out by the stage before them.
#[test]
fn shaders_that_attribute_setup_cannot_connect_are_compiled_again() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let buffer = vertices(&rig, &rectangle([-1.0, -1.0], [1.0, 1.0], RED));
    for (vertex, fragment, expected) in [
        // The sums of 1 to 8 and of 10 to 19.
        (MANY_VERTEX, MANY_FRAGMENT, [181, 19, 8, 255]),
        (CULL_VERTEX, CULL_FRAGMENT, [51, 102, 0, 255]),
    ] {
        let mut maker = Maker::new(&canvas, vertex, fragment);
        let libraries = ALL.map(|part| maker.library(part));
        let fast = Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        let refused = maker.link(&libraries, fast);
        assert_eq!(refused, Err(vk::Result::PIPELINE_COMPILE_REQUIRED));
        maker.cache = unsafe { d.create_pipeline_cache(&Default::default(), None) }.unwrap();
        let optimised = Flags::LINK_TIME_OPTIMIZATION_EXT;
        // The cache has the shader for the second link.
        for flags in [Flags::empty(), fast, optimised] {
            let pipeline = maker.link(&libraries, flags).unwrap();
            draw(&canvas, pipeline, &buffer, 6);
            canvas.colour.check(|_, _| expected);
        }
        unsafe { d.destroy_pipeline_cache(maker.cache, None) };
    }
}

const TWO_COLOURS: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
void main()
{
    first = vec4(1.0, 0.0, 0.0, 0.75);
    second = vec4(0.0, 1.0, 0.0, 0.25);
    gl_SampleMask[0] = 15;
}";

/// The alpha of the first colour decides for both attachments, beside the sample mask. Only the
/// output's library knows that it does.
#[test]
fn the_output_enables_alpha_to_coverage() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let format = vk::Format::R8G8B8A8_UNORM;
    let four = vk::SampleCountFlags::TYPE_4;
    let targets = [(); 2].map(|()| Target::sampled(&rig, format, 1, four));
    let resolved = [(); 2].map(|()| Target::new(&rig, format, 1));
    let blend = Look::default().blend;
    let others = [(format, blend)];
    let mut maker = Maker::new(&canvas, VERTEX, TWO_COLOURS);
    maker.pass = vk::RenderPass::null();
    maker.look.formats = Some((format, vk::Format::UNDEFINED));
    maker.look.samples = four;
    maker.look.others = &others;
    let [input, vertex, fragment, without] = ALL.map(|part| maker.library(part));
    maker.alpha_to_coverage = true;
    let with = maker.library(Part::FRAGMENT_OUTPUT_INTERFACE);
    maker.multisamples_shader = true;
    let informed = maker.library(Part::FRAGMENT_SHADER);
    let buffer = vertices(&rig, &rectangle([-1.0, -1.0], [1.0, 1.0], RED));
    let fast = Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    // Three samples of four: 191.25, and 47.8 of an alpha of 63.75.
    for (fragment, output, flags, expected) in [
        (fragment, without, fast, [0, 255, 0, 64]),
        (fragment, with, Flags::empty(), [0, 191, 0, 48]),
        (informed, with, fast, [0, 191, 0, 48]),
    ] {
        let pipeline = maker
            .link(&[input, vertex, fragment, output], flags)
            .unwrap();
        rig.run(|commands| unsafe {
            let attachments = [0, 1].map(|at: usize| {
                vk::RenderingAttachmentInfo::default()
                    .image_view(targets[at].view)
                    .image_layout(vk::ImageLayout::GENERAL)
                    .load_op(vk::AttachmentLoadOp::CLEAR)
                    .store_op(vk::AttachmentStoreOp::STORE)
                    .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                    .resolve_image_view(resolved[at].view)
                    .resolve_image_layout(vk::ImageLayout::GENERAL)
            });
            let info = vk::RenderingInfo::default()
                .render_area(whole())
                .layer_count(1)
                .color_attachments(&attachments);
            d.cmd_begin_rendering(commands, &info);
            canvas.bind(commands, pipeline, &buffer);
            d.cmd_draw(commands, 6, 1, 0, 0);
            d.cmd_end_rendering(commands);
        });
        resolved[1].check(|_, _| expected);
    }
}

#[test]
fn a_library_has_all_stages_before_rasterization() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let mut maker = Maker::new(&canvas, VERTEX, FRAGMENT);
    maker.shaders = all_stages();
    assert_eq!(maker.shaders.len(), 5);
    maker.look.bindings = &[];
    maker.look.attributes = &[];
    maker.look.topology = vk::PrimitiveTopology::PATCH_LIST;
    let libraries = ALL.map(|part| maker.library(part));
    let buffer = rig.buffer(64);
    let fast = Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    for flags in [fast, Flags::LINK_TIME_OPTIMIZATION_EXT] {
        let pipeline = maker.link(&libraries, flags).unwrap();
        draw(&canvas, pipeline, &buffer, 3);
        // Twice 0 + 1 + 2, the size of the patch, and the number of the geometry shader.
        canvas.colour.check(|_, _| [6, 3, 9, 255]);
    }
}

#[test]
fn incomplete_and_contradictory_links_fail() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let mut maker = Maker::new(&canvas, VERTEX, FRAGMENT);
    let libraries = ALL.map(|part| maker.library(part));
    let invalid = Err(vk::Result::ERROR_UNKNOWN);
    for subset in 1..15_u32 {
        let some: Vec<_> = (0..4)
            .filter(|part| subset >> part & 1 == 1)
            .map(|part: usize| libraries[part])
            .collect();
        assert_eq!(maker.link(&some, Flags::empty()), invalid, "{subset:b}");
        let all: Vec<_> = some.iter().chain(&libraries).copied().collect();
        assert_eq!(maker.link(&all, Flags::empty()), invalid, "{subset:b}");
    }
    let whole = maker.link(&libraries, Flags::empty()).unwrap();
    assert_eq!(maker.link(&[whole], Flags::empty()), invalid);
    assert_eq!(maker.create(parts(2), &libraries, Flags::empty()), invalid);
    let layout = std::mem::take(&mut maker.layout);
    assert!(maker.create(parts(4), &[], Flags::LIBRARY_KHR).is_err());
    maker.layout = layout;
    // A library is not a pipeline.
    let commands = rig.command_buffer(vk::CommandBufferLevel::PRIMARY);
    let recorded = rig.record_into(commands, |commands| unsafe {
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, libraries[1]);
    });
    assert!(recorded.is_err());
    // Parts for different views.
    maker.pass = vk::RenderPass::null();
    maker.look.formats = Some((vk::Format::R8G8B8A8_UNORM, vk::Format::UNDEFINED));
    let [input, vertex, fragment, output] = ALL.map(|part| {
        maker.view_mask = if part == Part::FRAGMENT_SHADER { 3 } else { 1 };
        maker.library(part)
    });
    let refused = maker.link(&[input, vertex, fragment, output], Flags::empty());
    assert_eq!(refused, invalid);
    // Without rasterization, there need not be parts behind it.
    maker.discard = true;
    let discards = maker.library(Part::PRE_RASTERIZATION_SHADERS);
    maker.link(&[input, discards], Flags::empty()).unwrap();
    maker.look.dynamic = &[vk::DynamicState::RASTERIZER_DISCARD_ENABLE];
    let may_discard = maker.library(Part::PRE_RASTERIZATION_SHADERS);
    assert_eq!(maker.link(&[input, may_discard], Flags::empty()), invalid);
}

/// Executables belong to libraries, too; link-time optimization eliminates what is not read.
#[test]
fn libraries_have_executables_and_links_are_optimized() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let vertex = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 shade;
layout(location = 1) out vec4 unread;
void main()
{
    gl_Position = vec4(position, 0.0, 1.0);
    shade = colour;
    unread = sin(colour) + exp2(colour);
}";
    let maker = Maker::new(&canvas, vertex, FRAGMENT);
    let libraries = ALL.map(|part| maker.library(part));
    let fast = maker.link(&libraries, Flags::empty()).unwrap();
    let optimised = maker.link(&libraries, Flags::LINK_TIME_OPTIMIZATION_EXT);
    let count = |pipeline| rig.statistic(pipeline, c"Instruction Count");
    let [alone, fast, optimised] = [libraries[1], fast, optimised.unwrap()].map(count);
    assert_eq!(alone, fast);
    // Eight functions, at the least.
    assert!(optimised + 8 <= fast, "{optimised} of {fast}");
}

/// The feedback of a creation: hits of its stages.
#[test]
fn shaders_of_libraries_are_cached() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let mut maker = Maker::new(&canvas, VERTEX, FRAGMENT);
    let cached = Flags::LIBRARY_KHR | Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    maker.cache = unsafe { d.create_pipeline_cache(&Default::default(), None) }.unwrap();
    for part in [Part::PRE_RASTERIZATION_SHADERS, Part::FRAGMENT_SHADER] {
        let required = Err(vk::Result::PIPELINE_COMPILE_REQUIRED);
        assert_eq!(maker.create(part, &[], cached), required);
        maker.library(part);
        maker.create(part, &[], cached).unwrap();
    }
    let libraries = ALL.map(|part| maker.library(part));
    let optimised = Flags::LINK_TIME_OPTIMIZATION_EXT;
    let only_cached = optimised | Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    let required = Err(vk::Result::PIPELINE_COMPILE_REQUIRED);
    assert_eq!(maker.link(&libraries, only_cached), required);
    maker.link(&libraries, optimised).unwrap();
    maker.link(&libraries, only_cached).unwrap();
    // The code is that of one pipeline.
    let whole = Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    maker.create(parts(15), &[], whole).unwrap();
    unsafe { d.destroy_pipeline_cache(maker.cache, None) };
}

/// A library without shaders finds none in a cache; static strides that commands replace may have
/// any value.
#[test]
fn a_library_of_vertex_input_has_no_cache_hit_and_any_stride() {
    let rig = Rig::new();
    let bindings = [vk::VertexInputBindingDescription::default().stride(1 << 20)];
    let input =
        vk::PipelineVertexInputStateCreateInfo::default().vertex_binding_descriptions(&bindings);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let create = |states: &[vk::DynamicState], feedback: &mut vk::PipelineCreationFeedback| {
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(states);
        let mut parts = vk::GraphicsPipelineLibraryCreateInfoEXT::default()
            .flags(vk::GraphicsPipelineLibraryFlagsEXT::VERTEX_INPUT_INTERFACE);
        let mut chain =
            vk::PipelineCreationFeedbackCreateInfo::default().pipeline_creation_feedback(feedback);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .flags(vk::PipelineCreateFlags::LIBRARY_KHR)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .dynamic_state(&dynamic)
            .push_next(&mut parts)
            .push_next(&mut chain);
        let cache = vk::PipelineCache::null();
        let made = unsafe { rig.device.create_graphics_pipelines(cache, &[info], None) };
        made.map(|made| unsafe { rig.device.destroy_pipeline(made[0], None) })
    };
    let mut feedback = vk::PipelineCreationFeedback::default();
    let strides = [vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE];
    assert!(create(&strides, &mut feedback).is_ok());
    assert_eq!(feedback.flags, vk::PipelineCreationFeedbackFlags::VALID);
    assert!(create(&[], &mut feedback).is_err());
}
