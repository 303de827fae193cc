//! Renderings and pipelines that differ in their attachments
//! (VK_EXT_dynamic_rendering_unused_attachments).

use ash::vk;

use crate::canvas::{
    BLUE, FRAGMENT, GREEN, Look, RED, Target, VERTEX, compile, pipeline, rectangle, stored,
    vertices, whole,
};
use crate::rig::Rig;

const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

/// Draws in red with a pipeline for attachments of these formats, to an image over a background of
/// blue with a depth of 0, which a depth test of less never passes.
fn drawn(colour: vk::Format, depth: vk::Format, with_depth: bool) -> [u8; 4] {
    let rig = Rig::new();
    let d = &rig.device;
    let target = Target::new(&rig, COLOUR, 1);
    let tested = Target::new(&rig, DEPTH, 1);
    let push = [vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
        .size(64)];
    let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&push);
    let layout = unsafe { d.create_pipeline_layout(&info, None) }.unwrap();
    let look = Look {
        depth: vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_compare_op(vk::CompareOp::LESS),
        dynamic: &[vk::DynamicState::DEPTH_TEST_ENABLE],
        formats: Some((colour, depth)),
        ..Look::default()
    };
    let words = compile(VERTEX, FRAGMENT);
    let made = pipeline(&rig, &words, &look, layout, vk::RenderPass::null()).unwrap();
    let all = vertices(&rig, &rectangle([-1.0, -1.0], [1.0, 1.0], RED));
    rig.run(|commands| unsafe {
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(target.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .clear_value(vk::ClearValue {
                color: vk::ClearColorValue { float32: BLUE },
            })];
        let cleared = vk::RenderingAttachmentInfo::default()
            .image_view(tested.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR);
        let mut info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        if with_depth {
            info = info.depth_attachment(&cleared);
        }
        d.cmd_begin_rendering(commands, &info);
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, made);
        d.cmd_bind_vertex_buffers(commands, 0, &[all.buffer], &[0]);
        let stages = vk::ShaderStageFlags::ALL_GRAPHICS;
        d.cmd_push_constants(commands, layout, stages, 0, &[0; 64]);
        d.cmd_set_depth_test_enable(commands, true);
        d.cmd_draw(commands, 6, 1, 0, 0);
        d.cmd_end_rendering(commands);
    });
    unsafe {
        d.destroy_pipeline(made, None);
        d.destroy_pipeline_layout(layout, None);
    }
    target.check(|_, _| target.pixel(0, 0));
    target.pixel(0, 0)
}

#[test]
fn attachments_without_a_format_are_not_accessed() {
    let [red, blue] = [stored(RED), stored(BLUE)];
    let none = vk::Format::UNDEFINED;
    assert_eq!(drawn(COLOUR, DEPTH, true), blue);
    // The pipeline knows no depth: nothing is tested.
    assert_eq!(drawn(COLOUR, none, true), red);
    // It knows no colour: nothing is written.
    assert_eq!(drawn(none, none, false), blue);
    assert_eq!(drawn(none, none, true), blue);
}

#[test]
fn attachments_without_a_view_are_not_accessed() {
    // The rendering has no depth, although the pipeline has.
    assert_eq!(drawn(COLOUR, DEPTH, false), stored(RED));
    assert_ne!(stored(RED), stored(GREEN));
}
