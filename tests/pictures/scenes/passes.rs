//! Render passes with imageless framebuffers, and separate depth and stencil.

use crate::Scene;
use crate::compare::{EXACT, Shot};
use crate::pass::{self, cleared};
use crate::stage::*;
use samples::vulkan::{
    Bound, GraphicsInfo, ImageInfo, RenderPassInfo, SubpassInfo, Use, extension, vk,
};
use samples::{Error, Gpu};

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let imageless = scene("attachments_named_when_a_pass_begins", EXACT, named);
    vec![
        imageless.extended(&[
            extension::FORMAT_LIST,
            extension::IMAGELESS,
            extension::SEPARATE_LAYOUTS,
        ]),
        scene("cleared_and_read", EXACT, cleared_and_read),
        scene("read_by_the_next_pass", EXACT, read_by_the_next_pass),
    ]
}

/// An attachment that a pass clears and a subpass reads, without draws to it.
fn cleared_and_read(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let first = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).target().input())?;
    let last = target(gpu, RGBA8)?;
    let pass = gpu.render_pass(&RenderPassInfo {
        attachments: &[
            cleared(RGBA8, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL),
            cleared(RGBA8, vk::ImageLayout::TRANSFER_SRC_OPTIMAL),
        ],
        subpasses: &[SubpassInfo {
            colors: &[1],
            inputs: &[0],
            ..SubpassInfo::default()
        }],
        dependencies: &[pass::copied_behind(0)],
        views: &[],
    })?;
    let framebuffer = gpu.framebuffer(pass, &[first.view, last.view], [SIDE; 2])?;
    let set = gpu.set(&[Bound::Input(first.view)])?;
    let reading = pass::input_turned(gpu, pass, 0, set, "uv, 1.0, 1.0")?;
    gpu.run(|r| {
        let color = |float32| vk::ClearValue {
            color: vk::ClearColorValue { float32 },
        };
        let clears = [color([0.2, 1.0, 0.6, 1.0]), color([1.0, 0.0, 0.0, 1.0])];
        r.render_pass(
            pass,
            framebuffer,
            [SIDE; 2],
            &clears,
            &[&|r| {
                r.bind::<u8>(&reading, &[set], &[]);
                r.draw(0, 3, 1);
            }],
        );
        r.left_as(&last, Use::CopyFrom);
        Ok(())
    })?;
    Ok(vec![shot(gpu, "read", &last)?])
}

/// The target of a pass without dependencies, which the next pass samples: the layout in which the
/// first leaves it implies that its writes are available, and the second waits for its end.
fn read_by_the_next_pass(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    use vk::{AccessFlags as A, PipelineStageFlags as S};
    let first = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).target())?;
    let last = target(gpu, RGBA8)?;
    let pass = |left_as, dependencies: &[vk::SubpassDependency]| {
        gpu.render_pass(&RenderPassInfo {
            attachments: &[cleared(RGBA8, left_as)],
            subpasses: &[SubpassInfo {
                colors: &[0],
                ..SubpassInfo::default()
            }],
            dependencies,
            views: &[],
        })
    };
    let drawing = pass(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL, &[])?;
    let behind = vk::SubpassDependency::default()
        .src_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(S::ALL_COMMANDS)
        .dst_stage_mask(S::FRAGMENT_SHADER)
        .dst_access_mask(A::SHADER_READ);
    let reading = pass(
        vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        &[behind, pass::copied_behind(0)],
    )?;
    let framebuffers = [
        gpu.framebuffer(drawing, &[first.view], [SIDE; 2])?,
        gpu.framebuffer(reading, &[last.view], [SIDE; 2])?,
    ];
    let ramp = pass::ramp(gpu, drawing, 0)?;
    let sampler = sampler(
        gpu,
        vk::Filter::NEAREST,
        vk::SamplerAddressMode::CLAMP_TO_EDGE,
    )?;
    let set = gpu.set(&[Bound::Texture(first.view, sampler)])?;
    let turned = fragment(
        "layout(binding = 0) uniform sampler2D t;",
        "colour = texelFetch(t, ivec2(gl_FragCoord.yx), 0).bgra;",
    );
    let turning = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(&turned),
        colors: &[RGBA8],
        subpass: Some((reading, 0)),
        sets: &[set],
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        let clears = [vk::ClearValue::default()];
        r.render_pass(
            drawing,
            framebuffers[0],
            [SIDE; 2],
            &clears,
            &[&|r| {
                r.bind::<u8>(&ramp, &[], &[]);
                r.draw(0, 3, 1);
            }],
        );
        r.render_pass(
            reading,
            framebuffers[1],
            [SIDE; 2],
            &clears,
            &[&|r| {
                r.bind::<u8>(&turning, &[set], &[]);
                r.draw(0, 3, 1);
            }],
        );
        r.left_as(&last, Use::CopyFrom);
        Ok(())
    })?;
    Ok(vec![shot(gpu, "read", &last)?])
}

/// One framebuffer, two colours one after the other; depth has a layout of its own.
fn named(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    use vk::{AccessFlags as A, PipelineStageFlags as S};
    let format = vk::Format::D32_SFLOAT;
    let info = ImageInfo::new(RGBA8, SIDE, SIDE).target();
    let colours = [gpu.image(info)?, gpu.image(info)?];
    let depth = gpu.image(ImageInfo::new(format, SIDE, SIDE).target())?;
    let pass = gpu.render_pass(&RenderPassInfo {
        attachments: &[
            cleared(RGBA8, vk::ImageLayout::TRANSFER_SRC_OPTIMAL),
            cleared(format, vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL),
        ],
        subpasses: &[SubpassInfo {
            colors: &[0],
            depth: Some(1),
            ..SubpassInfo::default()
        }],
        dependencies: &[
            vk::SubpassDependency::default()
                .src_subpass(vk::SUBPASS_EXTERNAL)
                .src_stage_mask(S::LATE_FRAGMENT_TESTS)
                .src_access_mask(A::DEPTH_STENCIL_ATTACHMENT_WRITE)
                .dst_stage_mask(S::EARLY_FRAGMENT_TESTS)
                .dst_access_mask(A::DEPTH_STENCIL_ATTACHMENT_WRITE),
            pass::copied_behind(0),
        ],
        views: &[],
    })?;
    let framebuffer = gpu.imageless(pass, &[&colours[0], &depth])?;
    let paint = fragment("", "colour = vec4(step(0.25, uv), 0.0, 1.0);");
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: &COVER.replace(", 0.0, 1.0)", ", uv.x, 1.0)"),
        fragment: Some(&paint),
        colors: &[RGBA8],
        depth_format: format,
        depth: Some((vk::CompareOp::LESS, true)),
        subpass: Some((pass, 0)),
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        for (colour, limit) in colours.iter().zip([0.6, 0.3]) {
            let color = vk::ClearColorValue {
                float32: [0.0, 0.0, 1.0, 1.0],
            };
            let depth_stencil = vk::ClearDepthStencilValue {
                depth: limit,
                stencil: 0,
            };
            let clears = [vk::ClearValue { color }, vk::ClearValue { depth_stencil }];
            let views = [colour.view, depth.view];
            r.render_pass_to(
                &views,
                pass,
                framebuffer,
                [SIDE; 2],
                &clears,
                &[&|r| {
                    r.bind::<u8>(&pipeline, &[], &[]);
                    r.draw(0, 3, 1);
                }],
            );
            r.left_as(colour, Use::CopyFrom);
        }
        Ok(())
    })?;
    let shots = [("first", &colours[0]), ("second", &colours[1])];
    shots
        .map(|(what, image)| shot(gpu, what, image))
        .into_iter()
        .collect()
}
