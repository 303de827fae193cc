//! What becomes of a colour on its way into the target.

use crate::Scene;
use crate::compare::{EXACT, ROUNDED};
use crate::stage::*;
use samples::vulkan::{Blend, GraphicsInfo, Image, Target, Targets, feature, vk};
use samples::{Error, Gpu};
use vk::{BlendFactor as F, BlendOp as Op};

const RAMP: &str = "colour = vec4(uv.x, uv.y, 1.0 - uv.x, 0.25 + 0.5 * uv.y);";

fn state(color: (F, Op, F), alpha: (F, Op, F)) -> Blend {
    Blend::State(
        vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(true)
            .src_color_blend_factor(color.0)
            .color_blend_op(color.1)
            .dst_color_blend_factor(color.2)
            .src_alpha_blend_factor(alpha.0)
            .alpha_blend_op(alpha.1)
            .dst_alpha_blend_factor(alpha.2)
            .color_write_mask(vk::ColorComponentFlags::RGBA),
    )
}

/// Draws a ramp on a colour.
fn on_colour(
    gpu: &Gpu,
    format: vk::Format,
    info: GraphicsInfo<'_>,
    shader: &str,
) -> Result<Image, Error> {
    let image = target(gpu, format)?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(shader),
        colors: &[format],
        ..info
    })?;
    gpu.run(|r| {
        let targets = [Target::clear(&image, [0.8, 0.4, 0.2, 0.6])];
        r.draw_to(&Targets::new(&targets), |r| {
            r.bind::<u8>(&pipeline, &[], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    })?;
    Ok(image)
}

fn blended(name: &'static str, format: vk::Format, blend: Blend) -> Scene {
    scene(name, ROUNDED, move |gpu| {
        let info = GraphicsInfo {
            blend: &[blend],
            constant: [0.3, 0.6, 0.9, 0.4],
            ..GraphicsInfo::default()
        };
        shots(gpu, &on_colour(gpu, format, info, &fragment("", RAMP))?)
    })
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let replace = (F::ONE, Op::ADD, F::ZERO);
    let mut all = vec![
        blended("blend_alpha", RGBA8, Blend::Alpha),
        blended("blend_add_saturates", RGBA8, Blend::Add),
        blended("blend_srgb", vk::Format::R8G8B8A8_SRGB, Blend::Alpha),
        blended("blend_float_is_not_clamped", RGBA32F, Blend::Add),
        blended("blend_subtract", RGBA8, state((F::ONE, Op::SUBTRACT, F::ONE), replace)),
        blended("blend_reverse_subtract", RGBA8, state((F::ONE, Op::REVERSE_SUBTRACT, F::ONE), replace)),
        blended("blend_least", RGBA8, state((F::ONE, Op::MIN, F::ONE), (F::ONE, Op::MAX, F::ONE))),
        blended("blend_greatest", RGBA8, state((F::ZERO, Op::MAX, F::ZERO), (F::ONE, Op::MIN, F::ONE))),
        blended("blend_constants", RGBA8, state((F::CONSTANT_COLOR, Op::ADD, F::ONE_MINUS_CONSTANT_ALPHA), (F::CONSTANT_ALPHA, Op::ADD, F::ZERO))),
        blended("blend_by_target", RGBA8, state((F::DST_COLOR, Op::ADD, F::ONE_MINUS_DST_ALPHA), (F::DST_ALPHA, Op::ADD, F::ONE))),
        blended("blend_alpha_saturated", RGBA8, state((F::SRC_ALPHA_SATURATE, Op::ADD, F::SRC_COLOR), replace)),
        blended("write_mask", RGBA8, Blend::State(vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::G | vk::ColorComponentFlags::A))),
        scene("blend_by_a_second_colour", ROUNDED, |gpu| {
            let shader = "#version 450
                layout(location = 0) in vec2 uv;
                layout(location = 0, index = 0) out vec4 colour;
                layout(location = 0, index = 1) out vec4 second;
                void main() { colour = vec4(uv, 0.5, 1.0); second = vec4(uv.y, 0.25, uv.x, 0.5); }";
            let info = GraphicsInfo {
                blend: &[state((F::SRC1_COLOR, Op::ADD, F::ONE_MINUS_SRC1_COLOR), (F::SRC1_ALPHA, Op::ADD, F::ZERO))],
                ..GraphicsInfo::default()
            };
            shots(gpu, &on_colour(gpu, RGBA8, info, shader)?)
        })
        .needs(&[feature::DUAL_SOURCE]),
        scene("several_targets_blend_apart", ROUNDED, |gpu| {
            let images = [target(gpu, RGBA8)?, target(gpu, vk::Format::R8_UNORM)?, target(gpu, RGBA8)?];
            let pipeline = gpu.graphics(&GraphicsInfo {
                vertex: COVER,
                fragment: Some("#version 450
                    layout(location = 0) in vec2 uv;
                    layout(location = 0) out vec4 a;
                    layout(location = 1) out vec4 b;
                    layout(location = 2) out vec4 c;
                    void main() { a = vec4(uv, 0.0, 0.5); b = vec4(uv.x * uv.y); c = vec4(1.0, uv, uv.x); }"),
                colors: &[RGBA8, vk::Format::R8_UNORM, RGBA8],
                blend: &[Blend::Alpha, Blend::Off, Blend::Add],
                ..GraphicsInfo::default()
            })?;
            let targets = [0, 1, 2].map(|i: usize| Target::clear(&images[i], [0.5, 0.25, 0.125, 1.0]));
            gpu.run(|r| {
                r.draw_to(&Targets::new(&targets), |r| {
                    r.bind::<u8>(&pipeline, &[], &[]);
                    r.draw(0, 3, 1);
                    Ok(())
                })
            })?;
            images.iter().enumerate().map(|(i, image)| shot(gpu, &format!("target {i}"), image)).collect()
        })
        .needs(&[feature::INDEPENDENT_BLEND]),
    ];
    for (name, op) in [
        ("logic_xor", vk::LogicOp::XOR),
        ("logic_and_inverted", vk::LogicOp::AND_INVERTED),
        ("logic_equivalent", vk::LogicOp::EQUIVALENT),
    ] {
        all.push(
            scene(name, EXACT, move |gpu| {
                let info = GraphicsInfo {
                    logic: Some(op),
                    ..GraphicsInfo::default()
                };
                let shader = fragment("", "ivec2 p = ivec2(gl_FragCoord.xy); colour = vec4(p.x * 8, p.y * 8, (p.x ^ p.y) * 8, 255) / 255.0;");
                shots(gpu, &on_colour(gpu, RGBA8, info, &shader)?)
            })
            .needs(&[feature::LOGIC_OP]),
        );
    }
    // Colours that no logic operation is applied to are written as they are, and not blended.
    for (name, format) in [
        ("logic_beside_srgb", vk::Format::R8G8B8A8_SRGB),
        ("logic_beside_floats", vk::Format::R16G16B16A16_SFLOAT),
    ] {
        all.push(
            scene(name, ROUNDED, move |gpu| {
                let info = GraphicsInfo {
                    logic: Some(vk::LogicOp::XOR),
                    blend: &[Blend::Alpha],
                    ..GraphicsInfo::default()
                };
                shots(gpu, &on_colour(gpu, format, info, &fragment("", RAMP))?)
            })
            .needs(&[feature::LOGIC_OP]),
        );
    }
    all
}
