//! State that commands set, what attachments load, and render passes.

use crate::Scene;
use crate::compare::{EXACT, ROUNDED};
use crate::pass;
use crate::stage::*;
use samples::vulkan::{
    Blend, Bound, GraphicsInfo, ImageInfo, Recorder, State, Target, Targets, Use, extension, vk,
};
use samples::{Error, Gpu};

const COLOUR: &str = "#version 450
layout(push_constant) uniform Push { vec4 paint; };
layout(location = 0) out vec4 colour;
void main() { colour = paint; }";

/// Covers with a depth of 0.5; the colour is a push constant.
fn drawn(
    info: GraphicsInfo<'static>,
    body: fn(&Recorder<'_>, &dyn Fn([f32; 4])),
) -> impl Fn(&Gpu) -> Result<Vec<crate::compare::Shot>, Error> + Send + 'static {
    move |gpu| {
        let format = match info.stencil {
            Some(_) => {
                let both = vk::Format::D32_SFLOAT_S8_UINT;
                let attachment = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;
                match gpu.format_does(both, attachment) {
                    true => both,
                    false => vk::Format::D24_UNORM_S8_UINT,
                }
            }
            None => vk::Format::D32_SFLOAT,
        };
        let (color, depth) = (target(gpu, RGBA8)?, target(gpu, format)?);
        let cover = COVER.replace(", 0.0, 1.0)", ", 0.5, 1.0)");
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: &cover,
            fragment: Some(COLOUR),
            colors: &[RGBA8],
            depth_format: format,
            push_bytes: 16,
            ..info.clone()
        })?;
        gpu.run(|r| {
            let targets = [Target::clear(&color, [0.2, 0.4, 0.6, 0.8])];
            r.draw_to(&Targets::new(&targets).depth(&depth), |r| {
                body(r, &|paint| {
                    r.bind(&pipeline, &[], &paint);
                    r.draw(0, 3, 1);
                });
                Ok(())
            })
        })?;
        shots(gpu, &color)
    }
}

/// The left and the right half.
const LEFT: [[u32; 4]; 1] = [[0, 0, SIDE / 2, SIDE]];
const RIGHT: [[u32; 4]; 1] = [[SIDE / 2, 0, SIDE / 2, SIDE]];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 0.5];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 0.5];

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let groups = [fragment_state(), extended_state(), attachments()];
    groups.into_iter().flatten().collect()
}

/// Scissors, blend constants, depth bias and stencil values set by commands.
fn fragment_state() -> Vec<Scene> {
    use vk::DynamicState as D;
    let plain = GraphicsInfo::default;
    let by_constant = &const {
        [Blend::State(vk::PipelineColorBlendAttachmentState {
            blend_enable: vk::TRUE,
            src_color_blend_factor: vk::BlendFactor::CONSTANT_COLOR,
            dst_color_blend_factor: vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR,
            color_blend_op: vk::BlendOp::ADD,
            src_alpha_blend_factor: vk::BlendFactor::ONE,
            dst_alpha_blend_factor: vk::BlendFactor::ZERO,
            alpha_blend_op: vk::BlendOp::ADD,
            color_write_mask: vk::ColorComponentFlags::RGBA,
        })]
    };
    let replace = vk::StencilOpState {
        pass_op: vk::StencilOp::REPLACE,
        compare_op: vk::CompareOp::NOT_EQUAL,
        ..vk::StencilOpState::default()
    };
    vec![
        scene(
            "scissors_by_commands",
            EXACT,
            drawn(plain(), |r, cover| {
                r.scissors(&LEFT);
                cover(RED);
                r.scissors(&[[5, 7, 20, 4]]);
                cover(GREEN);
            }),
        ),
        scene(
            "blend_constants_by_commands",
            ROUNDED,
            drawn(
                GraphicsInfo {
                    blend: by_constant,
                    dynamic: &[D::BLEND_CONSTANTS],
                    ..plain()
                },
                |r, cover| {
                    for (half, constant) in [(LEFT, 0.25), (RIGHT, 0.75)] {
                        r.scissors(&half);
                        r.state(State::BlendConstants([constant, 0.5, 1.0 - constant, 1.0]));
                        cover(RED);
                    }
                },
            ),
        ),
        scene(
            "depth_bias_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    depth: Some((vk::CompareOp::LESS, true)),
                    bias: Some([0.0; 3]),
                    dynamic: &[D::DEPTH_BIAS],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::DepthBias([0.0; 3]));
                    cover(RED);
                    // Nearer by many steps on the left, farther on the right.
                    for (half, bias) in [(LEFT, -64.0), (RIGHT, 64.0)] {
                        r.scissors(&half);
                        r.state(State::DepthBias([bias, 0.0, 0.0]));
                        cover(GREEN);
                    }
                },
            ),
        ),
        scene(
            "stencil_values_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    stencil: Some([replace; 2]),
                    dynamic: &[
                        D::STENCIL_COMPARE_MASK,
                        D::STENCIL_WRITE_MASK,
                        D::STENCIL_REFERENCE,
                    ],
                    ..plain()
                },
                |r, cover| {
                    let both = vk::StencilFaceFlags::FRONT_AND_BACK;
                    r.state(State::StencilCompareMask(both, 0xff));
                    r.state(State::StencilWriteMask(both, 0x0f));
                    r.state(State::StencilReference(both, 0x35));
                    r.scissors(&LEFT);
                    cover(RED);
                    // On the left 5 is there, which this is too where the mask looks.
                    r.scissors(&[[0, 4, SIDE, 8]]);
                    r.state(State::StencilCompareMask(both, 0x0f));
                    cover(GREEN);
                },
            ),
        ),
    ]
}

/// Culling, depth tests and topology set by commands of VK_EXT_extended_dynamic_state.
fn extended_state() -> Vec<Scene> {
    use vk::DynamicState as D;
    let plain = GraphicsInfo::default;
    vec![
        scene(
            "culling_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    dynamic: &[D::CULL_MODE, D::FRONT_FACE],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::Cull(vk::CullModeFlags::BACK));
                    for (half, front, paint) in [
                        (LEFT, vk::FrontFace::CLOCKWISE, RED),
                        (RIGHT, vk::FrontFace::COUNTER_CLOCKWISE, GREEN),
                    ] {
                        r.scissors(&half);
                        r.state(State::Front(front));
                        cover(paint);
                    }
                },
            ),
        )
        .extended(&[extension::DYNAMIC_1]),
        scene(
            "depth_tests_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    depth: Some((vk::CompareOp::ALWAYS, true)),
                    dynamic: &[
                        D::DEPTH_TEST_ENABLE,
                        D::DEPTH_WRITE_ENABLE,
                        D::DEPTH_COMPARE_OP,
                    ],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::DepthTest(true));
                    r.state(State::DepthCompare(vk::CompareOp::LESS));
                    for (half, write) in [(LEFT, true), (RIGHT, false)] {
                        r.scissors(&half);
                        r.state(State::DepthWrite(write));
                        cover(RED);
                    }
                    r.scissors(&[[0, 8, SIDE, 16]]);
                    cover(GREEN);
                    r.scissors(&[[8, 12, 4, 4]]);
                    r.state(State::DepthTest(false));
                    cover([1.0; 4]);
                },
            ),
        )
        .extended(&[extension::DYNAMIC_1]),
        scene(
            "topology_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    dynamic: &[D::PRIMITIVE_TOPOLOGY],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::Topology(vk::PrimitiveTopology::TRIANGLE_STRIP));
                    r.scissors(&LEFT);
                    cover(RED);
                    r.state(State::Topology(vk::PrimitiveTopology::TRIANGLE_FAN));
                    r.scissors(&RIGHT);
                    cover(GREEN);
                },
            ),
        )
        .extended(&[extension::DYNAMIC_1]),
    ]
}

/// Clears in a rendering, attachments that are loaded, and input attachments.
fn attachments() -> Vec<Scene> {
    let plain = GraphicsInfo::default;
    vec![
        scene(
            "parts_cleared_while_drawing",
            ROUNDED,
            drawn(plain(), |r, cover| {
                cover(RED);
                r.clear_parts([0.1, 0.9, 0.3, 0.7], &[[1, 2, 9, 5], [20, 11, 12, 21]]);
            }),
        ),
        scene("attachment_kept", EXACT, |gpu| {
            let image = noise(gpu, ImageInfo::new(RGBA8, SIDE, SIDE).target())?;
            let pipeline = gpu.graphics(&GraphicsInfo {
                vertex: COVER,
                fragment: Some(COLOUR),
                colors: &[RGBA8],
                push_bytes: 16,
                ..GraphicsInfo::default()
            })?;
            gpu.run(|r| {
                r.draw_to(&Targets::new(&[Target::keep(&image)]), |r| {
                    r.scissors(&[[3, 3, 9, 22]]);
                    r.bind(&pipeline, &[], &GREEN);
                    r.draw(0, 3, 1);
                    Ok(())
                })
            })?;
            shots(gpu, &image)
        }),
        scene("drawn_to_a_level_and_a_layer", EXACT, |gpu| {
            let info = ImageInfo::new(RGBA8, SIDE, SIDE).mips(2).array(3).target();
            let image = noise(gpu, info)?;
            let mut part = image.view_info();
            part.kind = vk::ImageViewType::TYPE_2D;
            (part.mips, part.layers) = ((1, 1), (1, 1));
            let view = gpu.view(&image, part)?;
            let shader = fragment(
                "",
                "ivec2 p = ivec2(gl_FragCoord.xy); colour = vec4(p.x & 1, p.y & 1, 0, 1);",
            );
            let pipeline = gpu.graphics(&GraphicsInfo {
                vertex: COVER,
                fragment: Some(&shader),
                colors: &[RGBA8],
                ..GraphicsInfo::default()
            })?;
            gpu.run(|r| {
                let colors = [Target::clear(&image, [0.0; 4]).view(view)];
                let mut targets = Targets::new(&colors);
                targets.size_px = [SIDE / 2, SIDE / 2];
                r.draw_to(&targets, |r| {
                    r.bind::<u8>(&pipeline, &[], &[]);
                    r.draw(0, 3, 1);
                    Ok(())
                })
            })?;
            let level = |mip| {
                Ok(crate::compare::Shot {
                    what: format!("level {mip}"),
                    width: image.info.level_px(mip)[0],
                    bytes: gpu.read_level(&image, mip, image.aspects())?,
                    unit: unit(RGBA8)?,
                })
            };
            (0..2).map(level).collect()
        }),
        scene("two_subpasses_and_an_input", ROUNDED, subpasses),
    ]
}

/// The second subpass reads the result of the first at its own pixel.
fn subpasses(gpu: &Gpu) -> Result<Vec<crate::compare::Shot>, Error> {
    let first = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).target().input())?;
    let last = target(gpu, RGBA8)?;
    let pass = pass::one_reads_the_other(gpu)?;
    let framebuffer = gpu.framebuffer(pass, &[first.view, last.view], [SIDE; 2])?;
    let drawing = pass::ramp(gpu, pass, 0)?;
    let set = gpu.set(&[Bound::Input(first.view)])?;
    let reading = pass::input_turned(gpu, pass, 1, set, "1.0, 1.0, 0.5, 1.0")?;
    gpu.run(|r| {
        let clears = [vk::ClearValue::default(); 2];
        r.render_pass(
            pass,
            framebuffer,
            [SIDE; 2],
            &clears,
            &[
                &|r| {
                    r.bind::<u8>(&drawing, &[], &[]);
                    r.draw(0, 3, 1);
                },
                &|r| {
                    r.bind::<u8>(&reading, &[set], &[]);
                    r.draw(0, 3, 1);
                },
            ],
        );
        r.left_as(&last, Use::CopyFrom);
        Ok(())
    })?;
    shots(gpu, &last)
}
