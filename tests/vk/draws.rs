//! What draws leave in their targets.

use ash::vk;

use crate::canvas::{
    self, BLUE, Canvas, FRAGMENT, GREEN, Look, RED, SIZE, Target, VERTEX, compile, rectangle,
    stored, vertices,
};
use crate::rig::Rig;

/// True if a pixel's centre is left of and above the diagonal.
fn above(x: u32, y: u32) -> bool {
    x + y + 1 < SIZE
}

#[test]
fn triangle_coverage() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let pipeline = canvas.pipeline(&compile(VERTEX, FRAGMENT), &Look::default());
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
    let buffer = vertices(&rig, &corners.map(|corner| (corner, RED)));
    canvas.run(|commands| {
        canvas.bind(commands, pipeline, &buffer);
        unsafe { rig.device.cmd_draw(commands, 3, 1, 0, 0) };
    });
    for y in 0..SIZE {
        for x in 0..SIZE {
            if x + y + 1 == SIZE {
                // On the edge: the rule for those decides.
                continue;
            }
            let expected = if above(x, y) { stored(RED) } else { [0; 4] };
            assert_eq!(canvas.colour.pixel(x, y), expected, "pixel {x}, {y}");
        }
    }
}

/// A pipeline over rectangles, that differs from the usual.
pub(crate) fn rectangles(canvas: &Canvas<'_>, look: &Look<'_>) -> vk::Pipeline {
    canvas.pipeline(&compile(VERTEX, FRAGMENT), look)
}

#[test]
fn depth_test_less_with_two_quads() {
    let rig = Rig::new();
    for format in [
        vk::Format::D32_SFLOAT,
        vk::Format::D16_UNORM,
        vk::Format::D24_UNORM_S8_UINT,
    ] {
        let canvas = Canvas::new(&rig, Some(format));
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::LESS);
        let look = Look {
            depth,
            ..Look::default()
        };
        let pipeline = rectangles(&canvas, &look);
        let left = rectangle([-1.0, -1.0], [0.0, 1.0], RED);
        let all = rectangle([-1.0, -1.0], [1.0, 1.0], GREEN);
        let buffer = vertices(&rig, &[left, all].concat());
        canvas.run(|commands| {
            canvas.bind(commands, pipeline, &buffer);
            canvas.shift(commands, [0.0, 0.0, 0.25]);
            unsafe { rig.device.cmd_draw(commands, 6, 1, 0, 0) };
            canvas.shift(commands, [0.0, 0.0, 0.5]);
            unsafe { rig.device.cmd_draw(commands, 6, 1, 6, 0) };
        });
        let expected = |x, _| stored(if x < SIZE / 2 { RED } else { GREEN });
        canvas.colour.check(expected);
    }
}

#[test]
fn stencil_test_equal() {
    let rig = Rig::new();
    for format in [
        vk::Format::S8_UINT,
        vk::Format::D24_UNORM_S8_UINT,
        vk::Format::D32_SFLOAT_S8_UINT,
    ] {
        let canvas = Canvas::new(&rig, Some(format));
        let face = |pass, compare| vk::StencilOpState {
            pass_op: pass,
            compare_op: compare,
            compare_mask: 0xff,
            write_mask: 0xff,
            ..Default::default()
        };
        let depth = |face| {
            vk::PipelineDepthStencilStateCreateInfo::default()
                .stencil_test_enable(true)
                .front(face)
                .back(face)
        };
        let reference = [vk::DynamicState::STENCIL_REFERENCE];
        let marks = rectangles(
            &canvas,
            &Look {
                depth: depth(face(vk::StencilOp::REPLACE, vk::CompareOp::ALWAYS)),
                blend: vk::PipelineColorBlendAttachmentState::default(),
                dynamic: &reference,
                ..Look::default()
            },
        );
        let draws = rectangles(
            &canvas,
            &Look {
                depth: depth(face(vk::StencilOp::KEEP, vk::CompareOp::EQUAL)),
                dynamic: &reference,
                ..Look::default()
            },
        );
        let left = rectangle([-1.0, -1.0], [0.0, 1.0], RED);
        let all = rectangle([-1.0, -1.0], [1.0, 1.0], GREEN);
        let buffer = vertices(&rig, &[left, all].concat());
        canvas.run(|commands| unsafe {
            let both = vk::StencilFaceFlags::FRONT_AND_BACK;
            canvas.bind(commands, marks, &buffer);
            rig.device.cmd_set_stencil_reference(commands, both, 5);
            rig.device.cmd_draw(commands, 6, 1, 0, 0);
            canvas.bind(commands, draws, &buffer);
            rig.device.cmd_draw(commands, 6, 1, 6, 0);
        });
        let expected = |x, _| if x < SIZE / 2 { stored(GREEN) } else { [0; 4] };
        canvas.colour.check(expected);
    }
}

#[test]
fn alpha_blending() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let blend = vk::PipelineColorBlendAttachmentState::default()
        .blend_enable(true)
        .src_color_blend_factor(vk::BlendFactor::SRC_ALPHA)
        .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
        .color_blend_op(vk::BlendOp::ADD)
        .src_alpha_blend_factor(vk::BlendFactor::CONSTANT_ALPHA)
        .dst_alpha_blend_factor(vk::BlendFactor::ONE)
        .alpha_blend_op(vk::BlendOp::ADD)
        .color_write_mask(vk::ColorComponentFlags::RGBA);
    let look = Look {
        blend,
        dynamic: &[vk::DynamicState::BLEND_CONSTANTS],
        ..Look::default()
    };
    let pipeline = rectangles(&canvas, &look);
    let whole = |colour| rectangle([-1.0, -1.0], [1.0, 1.0], colour);
    let half = [0.0, 0.0, 1.0, 0.6];
    let buffer = vertices(&rig, &[whole(RED), whole(half)].concat());
    canvas.run(|commands| unsafe {
        canvas.bind(commands, pipeline, &buffer);
        rig.device
            .cmd_set_blend_constants(commands, &[0.0, 0.0, 0.0, 0.4]);
        rig.device.cmd_draw(commands, 12, 1, 0, 0);
    });
    // Alpha: 0.4 of 1, then 0.4 of 0.6 more.
    let expected = [0.4, 0.0, 0.6, 0.64];
    canvas.colour.check(|_, _| stored(expected));
}

#[test]
fn scissors_and_viewports() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        dynamic: &[vk::DynamicState::SCISSOR, vk::DynamicState::VIEWPORT],
        ..Look::default()
    };
    let pipeline = rectangles(&canvas, &look);
    let left = rectangle([-1.0, -1.0], [0.0, 1.0], RED);
    let buffer = vertices(&rig, &left);
    canvas.run(|commands| unsafe {
        canvas.bind(commands, pipeline, &buffer);
        let viewport = vk::Viewport {
            x: 4.0,
            y: 0.0,
            width: 8.0,
            height: 16.0,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        let scissor = vk::Rect2D {
            offset: vk::Offset2D { x: 0, y: 3 },
            extent: vk::Extent2D {
                width: 7,
                height: 1000,
            },
        };
        rig.device.cmd_set_viewport(commands, 0, &[viewport]);
        rig.device.cmd_set_scissor(commands, 0, &[scissor]);
        rig.device.cmd_draw(commands, 6, 1, 0, 0);
    });
    canvas
        .colour
        .check(|x, y| match (4..7).contains(&x) && y >= 3 {
            true => stored(RED),
            false => [0; 4],
        });
}

/// Indices of a buffer.
fn indices<'a>(rig: &'a Rig, from: &[u16]) -> crate::rig::Buffer<'a> {
    let bytes: Vec<u8> = from.iter().flat_map(|index| index.to_le_bytes()).collect();
    let buffer = rig.buffer(bytes.len() as u64);
    buffer.data.copy_from_slice(&bytes);
    buffer
}

#[test]
fn index_types_and_primitive_restart() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        restart: true,
        ..Look::default()
    };
    let pipeline = rectangles(&canvas, &look);
    let grid: Vec<_> = (0..10)
        .map(|at| {
            (
                [(at / 2) as f32 / 2.0 - 1.0, (at % 2) as f32 * 2.0 - 1.0],
                RED,
            )
        })
        .collect();
    let unused = ([9.0, 9.0], GREEN);
    let buffer = vertices(&rig, &[vec![unused], grid].concat());
    // The first and the third quarter.
    let order = indices(&rig, &[7, 0, 1, 2, 3, 0xffff, 4, 5, 6, 7]);
    canvas.run(|commands| unsafe {
        canvas.bind(commands, pipeline, &buffer);
        let kind = vk::IndexType::UINT16;
        rig.device
            .cmd_bind_index_buffer(commands, order.buffer, 0, kind);
        rig.device.cmd_draw_indexed(commands, 9, 1, 1, 1, 0);
    });
    canvas.colour.check(|x, _| match x / 4 {
        0 | 2 => stored(RED),
        _ => [0; 4],
    });
}

/// Moves to the right by a quarter for each instance, and colours from a buffer that goes by
/// instances.
const INSTANCES: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 shade;
void main()
{
    gl_Position = vec4(position + vec2(0.5 * gl_InstanceIndex, 0.0), 0.0, 1.0);
    shade = colour;
}";

/// Draws quarters whose places are the number of the instance, and whose colours go by instances.
fn instances(rig: &Rig, draw: impl FnOnce(vk::CommandBuffer)) -> Vec<[u8; 4]> {
    let canvas = Canvas::new(rig, None);
    let bindings = [
        crate::canvas::BINDINGS[0],
        vk::VertexInputBindingDescription {
            binding: 1,
            stride: 16,
            input_rate: vk::VertexInputRate::INSTANCE,
        },
    ];
    let mut attributes = crate::canvas::ATTRIBUTES.to_vec();
    attributes[1].binding = 1;
    attributes[1].offset = 0;
    let look = Look {
        bindings: &bindings,
        attributes: &attributes,
        ..Look::default()
    };
    let pipeline = canvas.pipeline(&compile(INSTANCES, FRAGMENT), &look);
    let quarter = rectangle([-1.0, -1.0], [-0.5, 1.0], RED);
    let buffer = vertices(rig, &quarter);
    let colours = rig.buffer(64);
    let floats = [BLUE, RED, GREEN, BLUE].concat();
    for (to, from) in colours.data.chunks_exact_mut(4).zip(floats) {
        to.copy_from_slice(&from.to_le_bytes());
    }
    canvas.run(|commands| unsafe {
        canvas.bind(commands, pipeline, &buffer);
        rig.device
            .cmd_bind_vertex_buffers(commands, 1, &[colours.buffer], &[0]);
        draw(commands);
    });
    let row = (0..4).map(|quarter| canvas.colour.pixel(quarter * 4, 7));
    row.collect()
}

#[test]
fn instance_index_and_instanced_attributes() {
    let rig = Rig::new();
    let row = instances(&rig, |commands| unsafe {
        rig.device.cmd_draw(commands, 6, 2, 0, 1);
    });
    assert_eq!(row, [[0; 4], stored(RED), stored(GREEN), [0; 4]]);
}

#[test]
fn indirect_draws_read_their_parameters() {
    let rig = Rig::new();
    let buffer = rig.buffer(64);
    let words: [u32; 10] = [6, 1, 0, 0, 0xdead, 6, 1, 0, 2, 0xdead];
    for (to, from) in buffer.data.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&from.to_le_bytes());
    }
    let row = instances(&rig, |commands| unsafe {
        rig.device
            .cmd_draw_indirect(commands, buffer.buffer, 0, 2, 20);
    });
    assert_eq!(row, [stored(BLUE), [0; 4], stored(GREEN), [0; 4]]);
}

#[test]
fn load_op_clear_and_load() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let pipeline = rectangles(&canvas, &Look::default());
    let left = rectangle([-1.0, -1.0], [0.0, 1.0], RED);
    let buffer = vertices(&rig, &left);
    canvas.run(|commands| {
        canvas.bind(commands, pipeline, &buffer);
        unsafe { rig.device.cmd_draw(commands, 6, 1, 0, 0) };
    });
    // The area of the second render pass is smaller: nothing changes outside.
    let mut clear = vk::ClearValue::default();
    clear.color.float32 = BLUE;
    let clears = [clear];
    let area = vk::Rect2D {
        offset: vk::Offset2D { x: 2, y: 4 },
        extent: vk::Extent2D {
            width: 12,
            height: 8,
        },
    };
    let info = vk::RenderPassBeginInfo::default()
        .render_pass(canvas.pass)
        .framebuffer(canvas.framebuffer)
        .render_area(area)
        .clear_values(&clears);
    rig.run(|commands| unsafe {
        rig.device
            .cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
        rig.device.cmd_end_render_pass(commands);
    });
    canvas.colour.check(|x, y| {
        if (2..14).contains(&x) && (4..12).contains(&y) {
            return stored(BLUE);
        }
        if x < 8 { stored(RED) } else { [0; 4] }
    });
}

#[test]
fn clear_attachments_rectangles() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, Some(vk::Format::D32_SFLOAT));
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(true)
        .depth_compare_op(vk::CompareOp::LESS);
    let look = Look {
        depth,
        ..Look::default()
    };
    let pipeline = rectangles(&canvas, &look);
    let buffer = vertices(&rig, &rectangle([-1.0, -1.0], [1.0, 1.0], RED));
    canvas.run(|commands| unsafe {
        canvas.bind(commands, pipeline, &buffer);
        canvas.shift(commands, [0.0, 0.0, 0.5]);
        let rectangle = |x, y, width, height| {
            [vk::ClearRect {
                rect: vk::Rect2D {
                    offset: vk::Offset2D { x, y },
                    extent: vk::Extent2D { width, height },
                },
                base_array_layer: 0,
                layer_count: 1,
            }]
        };
        let mut value = vk::ClearValue::default();
        value.depth_stencil.depth = 0.25;
        let depth = vk::ClearAttachment::default()
            .aspect_mask(vk::ImageAspectFlags::DEPTH)
            .clear_value(value);
        rig.device
            .cmd_clear_attachments(commands, &[depth], &rectangle(0, 0, 16, 4));
        // What is bound is bound still.
        rig.device.cmd_draw(commands, 6, 1, 0, 0);
        let mut value = vk::ClearValue::default();
        value.color.float32 = GREEN;
        let colour = vk::ClearAttachment::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .clear_value(value);
        rig.device
            .cmd_clear_attachments(commands, &[colour], &rectangle(8, 8, 4, 8));
    });
    canvas.colour.check(|x, y| match (x, y) {
        (8..12, 8..) => stored(GREEN),
        (_, ..4) => [0; 4],
        _ => stored(RED),
    });
}

#[test]
fn misuse_is_reported_as_an_error() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let commands = rig.command_buffer(vk::CommandBufferLevel::PRIMARY);
    let draw = |body: &dyn Fn(vk::CommandBuffer)| rig.record_into(commands, body);
    // Nothing is bound.
    let nothing = draw(&|commands| {
        canvas.begin(commands, vk::SubpassContents::INLINE);
        unsafe { rig.device.cmd_draw(commands, 3, 1, 0, 0) };
    });
    assert!(nothing.is_err());
    // No render pass has begun.
    let pipeline = rectangles(&canvas, &Look::default());
    let outside = draw(&|commands| unsafe {
        rig.device
            .cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        rig.device.cmd_draw(commands, 3, 1, 0, 0);
    });
    assert!(outside.is_err());
    let too_many = draw(&|commands| unsafe {
        rig.device
            .cmd_set_viewport(commands, 15, &[crate::canvas::viewport(); 2]);
    });
    assert!(too_many.is_err());
    let ended = draw(&|commands| unsafe { rig.device.cmd_end_render_pass(commands) });
    assert!(ended.is_err());
}

#[test]
fn rendering_end_resolves_multisampled_attachments() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let samples = vk::SampleCountFlags::TYPE_4;
    let (rgba, depth_format) = (vk::Format::R8G8B8A8_UNORM, vk::Format::D32_SFLOAT_S8_UINT);
    let colours = Target::sampled(&rig, rgba, 1, samples);
    let depths = Target::sampled(&rig, depth_format, 1, samples);
    let depth = Target::new(&rig, depth_format, 1);
    let face = vk::StencilOpState {
        pass_op: vk::StencilOp::REPLACE,
        compare_op: vk::CompareOp::ALWAYS,
        write_mask: 0xff,
        reference: 5,
        ..Default::default()
    };
    let look = Look {
        depth: vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::ALWAYS)
            .stencil_test_enable(true)
            .front(face)
            .back(face),
        samples,
        formats: Some((rgba, depth_format)),
        ..Look::default()
    };
    let words = compile(VERTEX, FRAGMENT);
    let null = vk::RenderPass::null();
    let pipeline = canvas::pipeline(&rig, &words, &look, canvas.layout, null).unwrap();
    // Columns of samples lie at 1, 3, 5 and 7 eighths of a pixel, the first sample at 3. Above two
    // are covered and it is one of them, below one is.
    let edge = |px: f32| px * 2.0 / SIZE as f32 - 1.0;
    let above = rectangle([-1.0, -1.0], [edge(8.5), 0.0], RED);
    let below = rectangle([-1.0, 0.0], [edge(8.25), 1.0], RED);
    let buffer = vertices(&rig, &[above, below].concat());
    let area = vk::Rect2D {
        offset: vk::Offset2D { x: 3, y: 1 },
        extent: vk::Extent2D {
            width: 10,
            height: 14,
        },
    };
    let mut blue = vk::ClearValue::default();
    blue.color.float32 = BLUE;
    let far = vk::ClearValue {
        depth_stencil: vk::ClearDepthStencilValue {
            depth: 1.0,
            stencil: 9,
        },
    };
    let attachment = |from: &Target<'_>, to: &Target<'_>, mode, clear| {
        vk::RenderingAttachmentInfo::default()
            .image_view(from.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .resolve_mode(mode)
            .resolve_image_view(to.view)
            .resolve_image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .clear_value(clear)
    };
    let first = vk::ResolveModeFlags::SAMPLE_ZERO;
    let average = vk::ResolveModeFlags::AVERAGE;
    let to_colour = [attachment(&colours, &canvas.colour, average, blue)];
    let to_depth = attachment(&depths, &depth, first, far);
    let info = vk::RenderingInfo::default()
        .render_area(area)
        .layer_count(1)
        .color_attachments(&to_colour)
        .depth_attachment(&to_depth)
        .stencil_attachment(&to_depth);
    let rendering = ash::khr::dynamic_rendering::Device::new(&rig.instance, d);
    let pixels = u64::from(SIZE * SIZE);
    let (depth_out, stencil_out) = (rig.buffer(pixels * 4), rig.buffer(pixels));
    let (depth_part, stencil_part) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    rig.run(|commands| unsafe {
        let general = vk::ImageLayout::GENERAL;
        let before = vk::ClearDepthStencilValue {
            depth: 0.5,
            stencil: 1,
        };
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(depth_part | stencil_part)
            .level_count(1)
            .layer_count(1);
        d.cmd_clear_depth_stencil_image(commands, depth.image, general, &before, &[range]);
        let wait = |from, writes, to, reads| {
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(writes)
                .dst_access_mask(reads);
            let none = vk::DependencyFlags::empty();
            d.cmd_pipeline_barrier(commands, from, to, none, &[barrier], &[], &[]);
        };
        let (transfer, output) = (
            vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
        );
        // For synchronisation, all resolves are colour writes.
        let drawn = vk::AccessFlags::COLOR_ATTACHMENT_WRITE;
        wait(transfer, vk::AccessFlags::TRANSFER_WRITE, output, drawn);
        rendering.cmd_begin_rendering(commands, &info);
        canvas.bind(commands, pipeline, &buffer);
        canvas.shift(commands, [0.0, 0.0, 0.25]);
        d.cmd_draw(commands, 12, 1, 0, 0);
        rendering.cmd_end_rendering(commands);
        wait(output, drawn, transfer, vk::AccessFlags::TRANSFER_READ);
        for (aspect, out) in [(depth_part, &depth_out), (stencil_part, &stencil_out)] {
            let region = vk::BufferImageCopy::default()
                .image_subresource(
                    vk::ImageSubresourceLayers::default()
                        .aspect_mask(aspect)
                        .layer_count(1),
                )
                .image_extent(vk::Extent3D {
                    width: SIZE,
                    height: SIZE,
                    depth: 1,
                });
            let to = out.buffer;
            d.cmd_copy_image_to_buffer(commands, depth.image, general, to, &[region]);
        }
    });
    let inside = |x, y| (3..13).contains(&x) && (1..15).contains(&y);
    canvas.colour.check(|x, y| match x {
        _ if !inside(x, y) => [0; 4],
        0..8 => stored(RED),
        8 if y < SIZE / 2 => [128, 0, 128, 255],
        8 => [64, 0, 191, 255],
        _ => stored(BLUE),
    });
    for y in 0..SIZE {
        for x in 0..SIZE {
            let at = (y * SIZE + x) as usize;
            let bytes = depth_out.data[4 * at..][..4].try_into().unwrap();
            let found = (f32::from_le_bytes(bytes), stencil_out.data[at]);
            let covered = x < 8 || (x == 8 && y < SIZE / 2);
            let expected = match (inside(x, y), covered) {
                (false, _) => (0.5, 1),
                (true, true) => (0.25, 5),
                (true, false) => (1.0, 9),
            };
            assert_eq!(found, expected, "pixel {x}, {y}");
        }
    }
    unsafe { d.destroy_pipeline(pipeline, None) };
}

#[test]
fn outputs_without_an_attachment_are_dropped() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let fragment = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
layout(location = 3) out vec4 nowhere;
layout(location = 6) out vec4 elsewhere;
void main() { colour = shade; nowhere = shade.gbra; elsewhere = vec4(1.0); }";
    let pipeline = canvas.pipeline(&compile(VERTEX, fragment), &Look::default());
    let buffer = vertices(&rig, &rectangle([-1.0, -1.0], [1.0, 1.0], RED));
    // What the command buffer's memory held before is no state: ones would be blending and logic
    // operations at once.
    let scrap = rig.buffer_for(64 * 512, vk::BufferUsageFlags::TRANSFER_DST);
    rig.run(|commands| unsafe {
        for part in 0..64 {
            rig.device
                .cmd_update_buffer(commands, scrap.buffer, part * 512, &[0xff; 512]);
        }
    });
    canvas.run(|commands| {
        canvas.bind(commands, pipeline, &buffer);
        unsafe { rig.device.cmd_draw(commands, 6, 1, 0, 0) };
    });
    canvas.colour.check(|_, _| stored(RED));
}
