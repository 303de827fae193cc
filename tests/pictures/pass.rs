//! Parts of render passes that scenes share.

use crate::stage::{COVER, RGBA8, fragment};
use samples::vulkan::{GraphicsInfo, Pipeline, RenderPassInfo, Set, SubpassInfo, vk};
use samples::{Error, Gpu};
use vk::{AccessFlags as A, PipelineStageFlags as S};

/// An attachment that is cleared first, kept, and left in a layout.
pub fn cleared(format: vk::Format, last: vk::ImageLayout) -> vk::AttachmentDescription {
    vk::AttachmentDescription::default()
        .format(format)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(last)
}

/// The result of the last subpass is copied after the pass.
pub fn copied_behind(subpass: u32) -> vk::SubpassDependency {
    vk::SubpassDependency::default()
        .src_subpass(subpass)
        .dst_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(S::COLOR_ATTACHMENT_OUTPUT)
        .src_access_mask(A::COLOR_ATTACHMENT_WRITE)
        .dst_stage_mask(S::TRANSFER)
        .dst_access_mask(A::TRANSFER_READ)
}

/// Two subpasses, of which the second reads the first's result at its own pixel: attachment
/// 0 is what the first draws to, attachment 1 the second's.
pub fn one_reads_the_other(gpu: &Gpu) -> Result<vk::RenderPass, Error> {
    gpu.render_pass(&RenderPassInfo {
        attachments: &[
            cleared(RGBA8, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL),
            cleared(RGBA8, vk::ImageLayout::TRANSFER_SRC_OPTIMAL),
        ],
        subpasses: &[
            SubpassInfo {
                colors: &[0],
                ..SubpassInfo::default()
            },
            SubpassInfo {
                colors: &[1],
                inputs: &[0],
                ..SubpassInfo::default()
            },
        ],
        dependencies: &[
            vk::SubpassDependency::default()
                .dst_subpass(1)
                .src_stage_mask(S::COLOR_ATTACHMENT_OUTPUT)
                .src_access_mask(A::COLOR_ATTACHMENT_WRITE)
                .dst_stage_mask(S::FRAGMENT_SHADER)
                .dst_access_mask(A::INPUT_ATTACHMENT_READ)
                .dependency_flags(vk::DependencyFlags::BY_REGION),
            copied_behind(1),
        ],
        views: &[],
    })
}

/// Covers the target of a subpass by a ramp.
pub fn ramp(gpu: &Gpu, pass: vk::RenderPass, subpass: u32) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(&fragment("", "colour = vec4(uv, uv.x * uv.y, 1.0);")),
        colors: &[RGBA8],
        subpass: Some((pass, subpass)),
        ..GraphicsInfo::default()
    })
}

/// Covers the target of a subpass by its input, colours exchanged and times `scale`, an expression
/// of three numbers and alpha's.
pub fn input_turned(
    gpu: &Gpu,
    pass: vk::RenderPass,
    subpass: u32,
    set: Set,
    scale: &str,
) -> Result<Pipeline, Error> {
    let turned = fragment(
        "layout(input_attachment_index = 0, binding = 0) uniform subpassInput t;",
        &format!("colour = subpassLoad(t).bgra * vec4({scale});"),
    );
    gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(&turned),
        colors: &[RGBA8],
        subpass: Some((pass, subpass)),
        sets: &[set],
        ..GraphicsInfo::default()
    })
}
