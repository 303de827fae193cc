//! What extensions let fragment shaders do: end, become helpers, write stencil.

use crate::Scene;
use crate::compare::ROUNDED;
use crate::stage::*;
use samples::vulkan::{Bound, GraphicsInfo, Target, Targets, extension, vk};

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    vec![
        scene("helpers_by_demotion", ROUNDED, |gpu| {
            // Differences need the demoted neighbours.
            let shader = "#version 450
                #extension GL_EXT_demote_to_helper_invocation : require
                layout(location = 0) in vec2 uv;
                layout(location = 0) out vec4 colour;
                void main()
                {
                    ivec2 at = ivec2(gl_FragCoord.xy);
                    if ((at.x & 1) != 0 && at.y > 9)
                        demote;
                    float squared = gl_FragCoord.x * gl_FragCoord.x;
                    colour = vec4(dFdx(squared) / 64.0, helperInvocationEXT() ? 1.0 : 0.25, uv.y, 1.0);
                }";
            let image = cover(gpu, RGBA8, shader, &[])?;
            shots(gpu, &image)
        })
        .extended(&[extension::DEMOTE]),
        scene("outputs_without_targets", ROUNDED, |gpu| {
            // What has no target is written to nowhere.
            let shader = "#version 450
                layout(location = 0) in vec2 uv;
                layout(location = 0) out vec4 colour;
                layout(location = 1) out vec4 lost;
                layout(location = 4) out vec4 gone;
                void main()
                {
                    colour = vec4(uv, 0.5, 1.0);
                    lost = vec4(uv, 1.0, 0.0);
                    gone = vec4(1.0);
                }";
            let image = cover(gpu, RGBA8, shader, &[])?;
            shots(gpu, &image)
        }),
        scene("invocations_end", ROUNDED, |gpu| {
            let shader = "#version 450
                #extension GL_EXT_terminate_invocation : require
                layout(location = 0) in vec2 uv;
                layout(location = 0) out vec4 colour;
                void main()
                {
                    if (length(uv - 0.5) > 0.4)
                        terminateInvocation;
                    colour = vec4(uv, 0.5, 1.0);
                }";
            let image = cover(gpu, RGBA8, shader, &[])?;
            shots(gpu, &image)
        })
        .extended(&[extension::TERMINATE]),
        scene("texels_begin_anywhere", ROUNDED, |gpu| {
            // The view begins at texel 5 of single bytes.
            let texels: Vec<u8> = (0..64).map(|i| (i * 4) as u8).collect();
            let buffer = gpu.buffer(&texels)?;
            let view = gpu.texels_from(&buffer, vk::Format::R8_UNORM, 5)?;
            let shader = fragment(
                "layout(binding = 0) uniform textureBuffer texels;",
                "colour = vec4(texelFetch(texels, int(gl_FragCoord.x)).r, 0.0, 0.0, 1.0);",
            );
            let image = cover(gpu, RGBA8, &shader, &[Bound::UniformTexels(view)])?;
            shots(gpu, &image)
        })
        .extended(&[extension::TEXEL_ALIGNMENT]),
        scene("stencil_by_the_shader", ROUNDED, |gpu| {
            let format = match gpu.format_does(
                vk::Format::D32_SFLOAT_S8_UINT,
                vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
            ) {
                true => vk::Format::D32_SFLOAT_S8_UINT,
                false => vk::Format::D24_UNORM_S8_UINT,
            };
            let (color, depth) = (target(gpu, RGBA8)?, target(gpu, format)?);
            let face = vk::StencilOpState {
                pass_op: vk::StencilOp::REPLACE,
                compare_op: vk::CompareOp::ALWAYS,
                compare_mask: 0xff,
                write_mask: 0xff,
                ..Default::default()
            };
            let marked = vk::StencilOpState {
                pass_op: vk::StencilOp::KEEP,
                compare_op: vk::CompareOp::LESS,
                reference: 3,
                ..face
            };
            let pipeline = |shader: &str, face| {
                gpu.graphics(&GraphicsInfo {
                    vertex: COVER,
                    fragment: Some(shader),
                    colors: &[RGBA8],
                    depth_format: format,
                    stencil: Some([face; 2]),
                    ..GraphicsInfo::default()
                })
            };
            let writing = pipeline(
                "#version 450
                #extension GL_ARB_shader_stencil_export : require
                layout(location = 0) out vec4 colour;
                void main()
                {
                    gl_FragStencilRefARB = int(gl_FragCoord.x) / 4;
                    colour = vec4(1.0, 0.0, 0.0, 1.0);
                }",
                face,
            )?;
            let reading = pipeline(&fragment("", "colour = vec4(0.0, uv, 1.0);"), marked)?;
            gpu.run(|r| {
                let targets = [Target::clear(&color, [0.0; 4])];
                r.draw_to(&Targets::new(&targets).depth(&depth), |r| {
                    for pipeline in [&writing, &reading] {
                        r.bind::<u8>(pipeline, &[], &[]);
                        r.draw(0, 3, 1);
                    }
                    Ok(())
                })
            })?;
            shots(gpu, &color)
        })
        .extended(&[extension::STENCIL_EXPORT]),
    ]
}
