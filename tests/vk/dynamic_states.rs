//! Dynamic states of newer extensions: vertex input, ranges of clamped depth, representations of
//! depth bias, and restart indices.

use ash::{ext, vk};

use crate::canvas::{
    BLUE, Canvas, GREEN, Look, RED, SIZE, Target, compile, pipeline, rectangle, stored, vertices,
    whole,
};
use crate::draws::rectangles;
use crate::rig::{Buffer, Rig};

/// The bytes of values.
fn bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// A buffer with these bytes.
fn filled<'a>(rig: &'a Rig, bytes: &[u8]) -> Buffer<'a> {
    let buffer = rig.buffer(bytes.len() as u64);
    buffer.data.copy_from_slice(bytes);
    buffer
}

/// A command of an extension that is newer than the bindings.
macro_rules! command {
    ($rig:expr, $name:literal, fn($($arg:ty),*)) => {{
        let load = $rig.instance.fp_v1_0().get_device_proc_addr;
        let found = unsafe { load($rig.device.handle(), $name.as_ptr()) };
        let found = found.expect("a command of the driver");
        unsafe {
            std::mem::transmute::<
                unsafe extern "system" fn(),
                unsafe extern "system" fn($($arg),*),
            >(found)
        }
    }};
}

/// The attribute of a location.
fn attribute(
    location: u32,
    binding: u32,
    format: vk::Format,
    offset: u32,
) -> vk::VertexInputAttributeDescription2EXT<'static> {
    vk::VertexInputAttributeDescription2EXT::default()
        .location(location)
        .binding(binding)
        .format(format)
        .offset(offset)
}

/// A binding with its stride.
fn binding(
    number: u32,
    stride: u32,
    rate: vk::VertexInputRate,
) -> vk::VertexInputBindingDescription2EXT<'static> {
    vk::VertexInputBindingDescription2EXT::default()
        .binding(number)
        .stride(stride)
        .input_rate(rate)
        .divisor(1)
}

#[test]
fn commands_set_the_vertex_input() {
    use vk::{Format as F, VertexInputRate as R};
    let rig = Rig::new();
    let d = &rig.device;
    let inputs = ext::vertex_input_dynamic_state::Device::new(&rig.instance, d);
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        bindings: &[],
        attributes: &[],
        dynamic: &[vk::DynamicState::VERTEX_INPUT_EXT],
        ..Look::default()
    };
    let drawn = rectangles(&canvas, &look);
    let left = vertices(&rig, &rectangle([-1.0, -1.0], [0.0, 1.0], RED));
    let right = rectangle([0.0, -1.0], [1.0, 1.0], RED);
    let positions: Vec<f32> = right.iter().flat_map(|vertex| vertex.0).collect();
    let positions = filled(&rig, &bytes(&positions));
    let colours = filled(&rig, &[9, 9, 9, 9, 10, 20, 30, 40]);
    canvas.run(|commands| unsafe {
        canvas.bind(commands, drawn, &left);
        let one = [binding(0, 24, R::VERTEX)];
        let attributes = [
            attribute(0, 0, F::R32G32_SFLOAT, 0),
            attribute(1, 0, F::R32G32B32A32_SFLOAT, 8),
        ];
        inputs.cmd_set_vertex_input(commands, &one, &attributes);
        d.cmd_draw(commands, 6, 1, 0, 0);
        // Another stride, another format, and colours of instances.
        let two = [binding(0, 8, R::VERTEX), binding(3, 4, R::INSTANCE)];
        let attributes = [
            attribute(1, 3, F::R8G8B8A8_UNORM, 0),
            attribute(0, 0, F::R32G32_SFLOAT, 0),
        ];
        inputs.cmd_set_vertex_input(commands, &two, &attributes);
        d.cmd_bind_vertex_buffers(commands, 0, &[positions.buffer], &[0]);
        d.cmd_bind_vertex_buffers(commands, 3, &[colours.buffer], &[0]);
        d.cmd_draw(commands, 6, 1, 0, 1);
    });
    canvas.colour.check(|x, _| match x < SIZE / 2 {
        true => stored(RED),
        false => [10, 20, 30, 40],
    });
}

/// Vertex n is a point in pixel n, n, of a colour that says what it has read.
#[test]
fn attributes_lie_at_any_byte() {
    let rig = Rig::new();
    let d = &rig.device;
    let inputs = ext::vertex_input_dynamic_state::Device::new(&rig.instance, d);
    let canvas = Canvas::new(&rig, None);
    let words = compile(
        "#version 450
layout(location = 0) in uint word;
layout(location = 1) in int number;
layout(location = 2) in vec2 pair;
layout(location = 0) out vec4 shade;
void main()
{
    gl_Position = vec4((vec2(gl_VertexIndex) + 0.5) / 8.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    uint expected = 0;
    for (int i = 3; i >= 0; i--)
        expected = expected << 8 | (7 + gl_VertexIndex + i) * 13 & 0xff;
    bool word_right = word == expected;
    bool number_right = number == ((5 + gl_VertexIndex * 3) * 13 & 0xff);
    vec2 bits = pair * 65535.0;
    uvec2 read = uvec2(bits + 0.5);
    int at = 9 + gl_VertexIndex * 5;
    uvec4 bytes = uvec4(at, at + 1, at + 2, at + 3) * 13 & 0xff;
    bool pair_right = read == uvec2(bytes.x | bytes.y << 8, bytes.z | bytes.w << 8);
    shade = vec4(word_right, number_right, pair_right, 1);
}",
        crate::canvas::FRAGMENT,
    );
    let look = Look {
        topology: vk::PrimitiveTopology::POINT_LIST,
        bindings: &[],
        attributes: &[],
        dynamic: &[vk::DynamicState::VERTEX_INPUT_EXT],
        ..Look::default()
    };
    let drawn = canvas.pipeline(&words, &look);
    let bytes: Vec<u8> = (0..128u32).map(|at| (at * 13) as u8).collect();
    let from = filled(&rig, &bytes);
    use vk::VertexInputRate as R;
    canvas.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
        let buffers = [from.buffer; 3];
        d.cmd_bind_vertex_buffers(commands, 0, &buffers, &[7, 4, 6]);
        let bindings = [
            binding(0, 1, R::VERTEX),
            binding(1, 3, R::VERTEX),
            binding(2, 5, R::VERTEX),
        ];
        let attributes = [
            attribute(0, 0, vk::Format::R32_UINT, 0),
            // Unsigned in memory, signed in the shader.
            attribute(1, 1, vk::Format::R8_UINT, 1),
            attribute(2, 2, vk::Format::R16G16_UNORM, 3),
        ];
        inputs.cmd_set_vertex_input(commands, &bindings, &attributes);
        d.cmd_draw(commands, SIZE, 1, 0, 0);
    });
    canvas.colour.check(|x, y| match x == y {
        true => [255; 4],
        false => [0; 4],
    });
}

#[test]
fn commands_enable_sample_locations() {
    let rig = Rig::new();
    let d = &rig.device;
    let enables = ext::extended_dynamic_state3::Device::new(&rig.instance, d);
    let locations = ext::sample_locations::Device::new(&rig.instance, d);
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        dynamic: &[
            vk::DynamicState::SAMPLE_LOCATIONS_EXT,
            vk::DynamicState::SAMPLE_LOCATIONS_ENABLE_EXT,
        ],
        ..Look::default()
    };
    let drawn = rectangles(&canvas, &look);
    // The right edge is in the middle of pixel 8, whose centre is not covered.
    let half = vertices(&rig, &rectangle([-1.0, -1.0], [0.0625, 1.0], RED));
    for (on, expected) in [(true, stored(RED)), (false, [0; 4])] {
        canvas.run(|commands| unsafe {
            canvas.bind(commands, drawn, &half);
            let places = [vk::SampleLocationEXT { x: 0.25, y: 0.5 }];
            let info = vk::SampleLocationsInfoEXT::default()
                .sample_locations_per_pixel(vk::SampleCountFlags::TYPE_1)
                .sample_location_grid_size(vk::Extent2D {
                    width: 1,
                    height: 1,
                })
                .sample_locations(&places);
            (locations.fp().cmd_set_sample_locations_ext)(commands, &raw const info);
            enables.cmd_set_sample_locations_enable(commands, on);
            d.cmd_draw(commands, 6, 1, 0, 0);
        });
        assert_eq!(canvas.colour.pixel(7, 5), stored(RED));
        assert_eq!(canvas.colour.pixel(8, 5), expected);
    }
}

/// Red of a pixel after a draw to four samples, resolved: with the samples of the fragment shader's
/// mask, and with an alpha of 0.5.
fn red_of_samples(fragment: &str, to_coverage: bool) -> u8 {
    let rig = Rig::new();
    let d = &rig.device;
    let enables = ext::extended_dynamic_state3::Device::new(&rig.instance, d);
    let format = vk::Format::R8G8B8A8_UNORM;
    let four = vk::SampleCountFlags::TYPE_4;
    let target = Target::sampled(&rig, format, 1, four);
    let resolved = Target::new(&rig, format, 1);
    let layout = unsafe { d.create_pipeline_layout(&Default::default(), None) }.unwrap();
    let look = Look {
        bindings: &[],
        attributes: &[],
        dynamic: &[
            vk::DynamicState::RASTERIZATION_SAMPLES_EXT,
            vk::DynamicState::ALPHA_TO_COVERAGE_ENABLE_EXT,
        ],
        formats: Some((format, vk::Format::UNDEFINED)),
        ..Look::default()
    };
    let words = compile(
        "#version 450
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(corner * 4.0 - 1.0, 0.0, 1.0);
}",
        fragment,
    );
    let drawn = pipeline(&rig, &words, &look, layout, vk::RenderPass::null()).unwrap();
    rig.run(|commands| unsafe {
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(target.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .resolve_mode(vk::ResolveModeFlags::AVERAGE)
            .resolve_image_view(resolved.view)
            .resolve_image_layout(vk::ImageLayout::GENERAL)];
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        let barrier = [vk::ImageMemoryBarrier2::default()
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .new_layout(vk::ImageLayout::GENERAL)
            .image(target.image)
            .subresource_range(crate::images::range(vk::ImageAspectFlags::COLOR))];
        let prepared = vk::DependencyInfo::default().image_memory_barriers(&barrier);
        d.cmd_pipeline_barrier2(commands, &prepared);
        d.cmd_begin_rendering(commands, &info);
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
        enables.cmd_set_rasterization_samples(commands, four);
        enables.cmd_set_alpha_to_coverage_enable(commands, to_coverage);
        d.cmd_draw(commands, 3, 1, 0, 0);
        d.cmd_end_rendering(commands);
    });
    unsafe {
        d.destroy_pipeline(drawn, None);
        d.destroy_pipeline_layout(layout, None);
    }
    resolved.pixel(5, 5)[0]
}

#[test]
fn commands_set_samples_and_alpha_to_coverage() {
    const PLAIN: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0, 0.0, 0.0, 0.5); }";
    // Three of the four samples.
    const MASKED: &str = "#version 450
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(1.0, 0.0, 0.0, 0.5);
    gl_SampleMask[0] = 7;
}";
    assert_eq!(red_of_samples(PLAIN, false), 255);
    assert!((127..=128).contains(&red_of_samples(PLAIN, true)));
    assert!((191..=192).contains(&red_of_samples(MASKED, false)));
    assert!((127..=128).contains(&red_of_samples(MASKED, true)));
}

#[test]
fn commands_set_the_patch_size() {
    let text = "[require]
vulkan 1.1
tessellationShader

[vertex shader]
#version 450
void main() { gl_Position = vec4(gl_VertexIndex, 0.0, 0.0, 1.0); }

[tessellation control shader]
#version 450
layout(vertices = 1) out;
layout(location = 0) patch out float count;
void main()
{
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 1.0;
    gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 1.0;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = 1.0;
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_PatchVerticesIn - 1].gl_Position;
    count = float(gl_PatchVerticesIn);
}

[tessellation evaluation shader]
#version 450
layout(quads) in;
layout(location = 0) patch in float count;
layout(location = 0) out vec4 shade;
void main()
{
    gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.0, 1.0);
    shade = vec4(count / 255.0, gl_in[0].gl_Position.x / 255.0, 0.0, 1.0);
}

[fragment shader]
#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
void main() { colour = shade; }

[test]
draw rect 0 0 1 1
";
    let rig = Rig::new();
    let d = &rig.device;
    let sizes = ext::extended_dynamic_state2::Device::new(&rig.instance, d);
    let canvas = Canvas::new(&rig, None);
    let script = vkrunner::parse(text, &[]).unwrap();
    let compiled = vkrunner::Runner::compile(&script).unwrap();
    let stages = [
        vk::ShaderStageFlags::VERTEX,
        vk::ShaderStageFlags::TESSELLATION_CONTROL,
        vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        vk::ShaderStageFlags::FRAGMENT,
    ];
    assert_eq!(compiled.len(), stages.len());
    let drawn = unsafe {
        let modules: Vec<_> = compiled
            .iter()
            .map(|(_, words)| {
                let info = vk::ShaderModuleCreateInfo::default().code(words);
                d.create_shader_module(&info, None).unwrap()
            })
            .collect();
        let stages: Vec<_> = stages
            .iter()
            .zip(&modules)
            .map(|(&stage, &module)| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(stage)
                    .module(module)
                    .name(c"main")
            })
            .collect();
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::PATCH_LIST);
        let patches = vk::PipelineTessellationStateCreateInfo::default();
        let (viewports, scissors) = ([crate::canvas::viewport()], [whole()]);
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blends = [vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let dynamic = [vk::DynamicState::PATCH_CONTROL_POINTS_EXT];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&patches)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(canvas.layout)
            .render_pass(canvas.pass);
        let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        for module in modules {
            d.destroy_shader_module(module, None);
        }
        made.unwrap()[0]
    };
    for points in [3, 5] {
        canvas.run(|commands| unsafe {
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
            // Another size before: the last one counts.
            (sizes.fp().cmd_set_patch_control_points_ext)(commands, 7);
            (sizes.fp().cmd_set_patch_control_points_ext)(commands, points);
            d.cmd_draw(commands, points, 1, 0, 0);
        });
        // The number of vertices, and the last vertex, whose position is its number.
        let expected = [points as u8, points as u8 - 1, 0, 255];
        canvas.colour.check(|_, _| expected);
    }
    unsafe { d.destroy_pipeline(drawn, None) };
}

/// Depths of the pixels of a column after drawing.
fn depths(canvas: &Canvas<'_>, columns: [u32; 3]) -> [f32; 3] {
    let rig = canvas.rig;
    let out = rig.buffer(u64::from(SIZE * SIZE * 4));
    let depth = canvas.depth.as_ref().unwrap();
    rig.run(|commands| {
        let region = vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::DEPTH)
                    .layer_count(1),
            )
            .image_extent(vk::Extent3D {
                width: SIZE,
                height: SIZE,
                depth: 1,
            });
        rig.barrier(commands);
        let layout = vk::ImageLayout::GENERAL;
        unsafe {
            rig.device.cmd_copy_image_to_buffer(
                commands,
                depth.image,
                layout,
                out.buffer,
                &[region],
            );
        }
    });
    let words = out.dwords();
    columns.map(|x| f32::from_bits(words[(5 * SIZE + x) as usize]))
}

/// A column of the target, four pixels wide, from pixel 0 on.
fn column(rig: &Rig) -> Buffer<'_> {
    vertices(rig, &rectangle([-1.0, -1.0], [-0.5, 1.0], GREEN))
}

/// How draws test and write depth.
fn written() -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(true)
        .depth_write_enable(true)
        .depth_compare_op(vk::CompareOp::ALWAYS)
}

/// `VkDepthClampRangeEXT`.
#[repr(C)]
struct ClampRange {
    minimum: f32,
    maximum: f32,
}

#[test]
fn depth_is_clamped_to_a_range_of_commands() {
    type Range = *const ClampRange;
    let rig = Rig::new();
    let d = &rig.device;
    let enables = ext::extended_dynamic_state3::Device::new(&rig.instance, d);
    let set_range = command!(
        rig,
        c"vkCmdSetDepthClampRangeEXT",
        fn(vk::CommandBuffer, i32, Range)
    );
    let canvas = Canvas::new(&rig, Some(vk::Format::D32_SFLOAT));
    let range = vk::DynamicState::from_raw(1_000_582_000);
    let look = Look {
        depth: written(),
        dynamic: &[vk::DynamicState::DEPTH_CLAMP_ENABLE_EXT, range],
        ..Look::default()
    };
    let drawn = rectangles(&canvas, &look);
    let column = column(&rig);
    canvas.run(|commands| unsafe {
        canvas.bind(commands, drawn, &column);
        enables.cmd_set_depth_clamp_enable(commands, true);
        let (minimum, maximum) = (0.25, 0.5);
        let limits = ClampRange { minimum, maximum };
        for (x, z) in [(0.0, 2.0), (0.5, -1.0)] {
            set_range(commands, 1, &raw const limits);
            canvas.shift(commands, [x, 0.0, z]);
            d.cmd_draw(commands, 6, 1, 0, 0);
        }
        // The viewport's range.
        set_range(commands, 0, std::ptr::null());
        canvas.shift(commands, [1.0, 0.0, -1.0]);
        d.cmd_draw(commands, 6, 1, 0, 0);
    });
    assert_eq!(depths(&canvas, [1, 5, 9]), [0.5, 0.25, 0.0]);
}

#[test]
fn the_constant_of_depth_bias_has_a_representation() {
    let rig = Rig::new();
    let d = &rig.device;
    let biases = ext::depth_bias_control::Device::new(&rig.instance, d);
    let canvas = Canvas::new(&rig, Some(vk::Format::D32_SFLOAT));
    let look = Look {
        depth: written(),
        dynamic: &[
            vk::DynamicState::DEPTH_BIAS,
            vk::DynamicState::DEPTH_BIAS_ENABLE,
        ],
        ..Look::default()
    };
    let drawn = rectangles(&canvas, &look);
    let column = column(&rig);
    canvas.run(|commands| unsafe {
        canvas.bind(commands, drawn, &column);
        d.cmd_set_depth_bias_enable(commands, true);
        let absolute = vk::DepthBiasRepresentationEXT::FLOAT;
        let mut info = vk::DepthBiasRepresentationInfoEXT::default()
            .depth_bias_representation(absolute)
            .depth_bias_exact(true);
        // With a depth of 0.25, the smallest difference is 2^-25.
        let steps = (1 << 22) as f32;
        for (x, constant, absolute) in [(0.0, 0.125, true), (0.5, steps, false)] {
            let mut bias = vk::DepthBiasInfoEXT::default().depth_bias_constant_factor(constant);
            if absolute {
                bias = bias.push_next(&mut info);
            }
            (biases.fp().cmd_set_depth_bias2_ext)(commands, &raw const bias);
            canvas.shift(commands, [x, 0.0, 0.25]);
            d.cmd_draw(commands, 6, 1, 0, 0);
        }
        // What core 1.0 sets is relative again.
        let mut bias = vk::DepthBiasInfoEXT::default().depth_bias_constant_factor(0.5);
        bias = bias.push_next(&mut info);
        (biases.fp().cmd_set_depth_bias2_ext)(commands, &raw const bias);
        d.cmd_set_depth_bias(commands, steps, 0.0, 0.0);
        canvas.shift(commands, [1.0, 0.0, 0.25]);
        d.cmd_draw(commands, 6, 1, 0, 0);
    });
    assert_eq!(depths(&canvas, [1, 5, 9]), [0.375; 3]);
}

#[test]
fn commands_set_the_restart_index() {
    let rig = Rig::new();
    let d = &rig.device;
    let set_index = command!(
        rig,
        c"vkCmdSetPrimitiveRestartIndexEXT",
        fn(vk::CommandBuffer, u32)
    );
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        restart: true,
        ..Look::default()
    };
    let drawn = rectangles(&canvas, &look);
    // Two strips: columns 0 to 3 and 12 to 15.
    let strip = |left, colour| {
        let corner = move |x, y| ([x, y], colour);
        let right = left + 0.5;
        [
            corner(left, -1.0),
            corner(right, -1.0),
            corner(left, 1.0),
            corner(right, 1.0),
        ]
    };
    let all: Vec<_> = strip(-1.0, RED)
        .into_iter()
        .chain(strip(0.5, BLUE))
        .collect();
    let corners = vertices(&rig, &all);
    let indices = |restart: u16| {
        let list = [0, 1, 2, 3, restart, 4, 5, 6, 7];
        let bytes: Vec<u8> = list
            .iter()
            .flat_map(|index: &u16| index.to_le_bytes())
            .collect();
        filled(&rig, &bytes)
    };
    let [custom, usual] = [100, 0xffff].map(indices);
    for (indices, index) in [(&custom, Some(100)), (&usual, None)] {
        canvas.run(|commands| unsafe {
            canvas.bind(commands, drawn, &corners);
            let u16 = vk::IndexType::UINT16;
            // Binding an index buffer restores the usual index.
            set_index(commands, 6);
            d.cmd_bind_index_buffer(commands, indices.buffer, 0, u16);
            if let Some(index) = index {
                set_index(commands, index);
            }
            d.cmd_draw_indexed(commands, 9, 1, 0, 0, 0);
        });
        canvas.colour.check(|x, _| match x {
            0..4 => stored(RED),
            12.. => stored(BLUE),
            _ => [0; 4],
        });
    }
}
