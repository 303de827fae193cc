//! What draws leave in their targets.

use ash::vk;

use crate::canvas::{
    BLUE, Canvas, FRAGMENT, GREEN, Look, RED, SIZE, VERTEX, compile, rectangle, stored, vertices,
};
use crate::rig::Rig;

/// Whether a pixel's middle lies left of and above the diagonal.
fn above(x: u32, y: u32) -> bool {
    x + y + 1 < SIZE
}

#[test]
fn a_triangle_covers_its_pixels() {
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
fn rectangles(canvas: &Canvas<'_>, look: &Look<'_>) -> vk::Pipeline {
    canvas.pipeline(&compile(VERTEX, FRAGMENT), look)
}

#[test]
fn the_nearer_of_two_is_seen() {
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
fn stencil_lets_through_what_was_marked() {
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
fn colours_are_blended() {
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
fn scissors_and_viewports_bound_what_is_drawn() {
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
fn indices_choose_vertices_and_the_highest_ends_a_strip() {
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

/// Moves to the right by a quarter for each instance, and colours from a buffer that goes by instances.
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
fn instances_have_numbers_and_attributes() {
    let rig = Rig::new();
    let row = instances(&rig, |commands| unsafe {
        rig.device.cmd_draw(commands, 6, 2, 0, 1);
    });
    assert_eq!(row, [[0; 4], stored(RED), stored(GREEN), [0; 4]]);
}

#[test]
fn draws_are_what_memory_says() {
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
fn load_operations_clear_or_keep() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let pipeline = rectangles(&canvas, &Look::default());
    let left = rectangle([-1.0, -1.0], [0.0, 1.0], RED);
    let buffer = vertices(&rig, &left);
    canvas.run(|commands| {
        canvas.bind(commands, pipeline, &buffer);
        unsafe { rig.device.cmd_draw(commands, 6, 1, 0, 0) };
    });
    // The area of the second render pass is smaller: outside of it nothing changes.
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
fn attachments_are_cleared_in_rectangles() {
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
fn misuse_is_an_error_and_not_a_crash() {
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
