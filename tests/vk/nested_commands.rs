//! Secondary command buffers that execute others, and that begin renderings
//! (VK_EXT_nested_command_buffer).

use ash::vk;

use crate::canvas::{BLUE, Canvas, GREEN, Look, RED, SIZE, rectangle, stored, vertices, whole};
use crate::draws::rectangles;
use crate::rig::Rig;

/// Records a secondary that continues the first subpass.
fn continued(canvas: &Canvas<'_>, body: impl FnOnce(vk::CommandBuffer)) -> vk::CommandBuffer {
    let d = &canvas.rig.device;
    let commands = canvas.rig.command_buffer(vk::CommandBufferLevel::SECONDARY);
    let inheritance = vk::CommandBufferInheritanceInfo::default().render_pass(canvas.pass);
    let flags = vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE
        | vk::CommandBufferUsageFlags::SIMULTANEOUS_USE;
    let info = vk::CommandBufferBeginInfo::default()
        .flags(flags)
        .inheritance_info(&inheritance);
    unsafe {
        d.begin_command_buffer(commands, &info).unwrap();
        body(commands);
        d.end_command_buffer(commands).unwrap();
    }
    commands
}

#[test]
fn secondaries_execute_secondaries_in_a_subpass() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let drawn = rectangles(&canvas, &Look::default());
    let quarter =
        |left: f32, colour| vertices(&rig, &rectangle([left, -1.0], [left + 0.5, 1.0], colour));
    let [red, green, blue] =
        [(-1.0, RED), (-0.5, GREEN), (0.0, BLUE)].map(|(left, colour)| quarter(left, colour));
    let draw = |commands, from| {
        canvas.bind(commands, drawn, from);
        unsafe { d.cmd_draw(commands, 6, 1, 0, 0) };
    };
    let inner = continued(&canvas, |commands| draw(commands, &green));
    let middle = continued(&canvas, |commands| {
        draw(commands, &red);
        unsafe { d.cmd_execute_commands(commands, &[inner]) };
        draw(commands, &blue);
        // A second time: its commands are not moved, but copied.
        unsafe { d.cmd_execute_commands(commands, &[inner]) };
    });
    // Secondaries and draws of the primary's own, in one subpass.
    let both = vk::SubpassContents::from_raw(1_000_451_000);
    let last = quarter(0.5, RED);
    rig.run(|commands| unsafe {
        canvas.begin(commands, both);
        draw(commands, &last);
        d.cmd_execute_commands(commands, &[middle]);
        d.cmd_end_render_pass(commands);
    });
    canvas.colour.check(|x, _| match x * 4 / SIZE {
        0 | 3 => stored(RED),
        1 => stored(GREEN),
        _ => stored(BLUE),
    });
}

#[test]
fn secondaries_begin_renderings_that_secondaries_continue() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let format = vk::Format::R8G8B8A8_UNORM;
    let look = Look {
        formats: Some((format, vk::Format::UNDEFINED)),
        ..Look::default()
    };
    let words = crate::canvas::compile(crate::canvas::VERTEX, crate::canvas::FRAGMENT);
    let null = vk::RenderPass::null();
    let drawn = crate::canvas::pipeline(&rig, &words, &look, canvas.layout, null).unwrap();
    let half = vertices(&rig, &rectangle([-1.0, -1.0], [0.0, 1.0], GREEN));
    let secondary = || rig.command_buffer(vk::CommandBufferLevel::SECONDARY);
    let (inner, outer) = (secondary(), secondary());
    let formats = [format];
    let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default()
        .color_attachment_formats(&formats)
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let inheritance = vk::CommandBufferInheritanceInfo::default().push_next(&mut rendering);
    let info = vk::CommandBufferBeginInfo::default()
        .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
        .inheritance_info(&inheritance);
    unsafe {
        d.begin_command_buffer(inner, &info).unwrap();
        canvas.bind(inner, drawn, &half);
        d.cmd_draw(inner, 6, 1, 0, 0);
        d.end_command_buffer(inner).unwrap();
        let nothing = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default().inheritance_info(&nothing);
        d.begin_command_buffer(outer, &info).unwrap();
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(canvas.colour.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .clear_value(vk::ClearValue {
                color: vk::ClearColorValue { float32: RED },
            })];
        let info = vk::RenderingInfo::default()
            .flags(vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS)
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        d.cmd_begin_rendering(outer, &info);
        d.cmd_execute_commands(outer, &[inner]);
        d.cmd_end_rendering(outer);
        d.end_command_buffer(outer).unwrap();
    }
    rig.run(|commands| unsafe { d.cmd_execute_commands(commands, &[outer]) });
    canvas.colour.check(|x, _| match x < SIZE / 2 {
        true => stored(GREEN),
        false => stored(RED),
    });
    unsafe { d.destroy_pipeline(drawn, None) };
}
