//! State that extensions add to pipelines, and let commands set.

use crate::Scene;
use crate::compare::{EXACT, ROUNDED, Shot, Tolerance};
use crate::stage::*;
use samples::vulkan::{
    Blend, GraphicsInfo, More, Rate, Recorder, State, Stream, Target, Targets, extension, feature,
    vk,
};
use samples::{Error, Gpu};

/// A box of four corners; each has a colour, of which one is the box's.
const VERTEX: &str = "#version 450
layout(push_constant) uniform Push { vec4 box; vec4 paint; float z; };
layout(location = 0) flat out vec4 one;
void main()
{
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
    one = paint * vec4(1.0, 1.0, 0.25 + 0.25 * (gl_VertexIndex & 3), 1.0);
    gl_Position = vec4(mix(box.xy, box.zw, at), z, 1.0);
}";
const FRAGMENT: &str = "#version 450
layout(location = 0) flat in vec4 one;
layout(location = 0) out vec4 colour;
void main() { colour = one; }";

/// Edges that run along texels' middles.
const LINES: Tolerance = Tolerance {
    steps: 8.0,
    per_mille: 12,
    why: "a line may begin and end a texel apart",
};

const WHOLE: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];
const LEFT: [f32; 4] = [-1.0, -1.0, 0.0, 1.0];
const RIGHT: [f32; 4] = [0.0, -1.0, 1.0, 1.0];
const INNER: [f32; 4] = [-0.5, -0.625, 0.375, 0.75];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 0.5];
const GREEN: [f32; 4] = [0.0, 1.0, 0.5, 0.5];
const BLUE: [f32; 4] = [0.25, 0.25, 1.0, 0.75];

/// Draws a box in a colour, at a depth.
type Boxes<'a> = &'a dyn Fn([f32; 4], [f32; 4], f32);

fn drawn(
    info: GraphicsInfo<'static>,
    body: fn(&Recorder<'_>, Boxes<'_>),
) -> impl Fn(&Gpu) -> Result<Vec<Shot>, Error> + Send + 'static {
    move |gpu| {
        let format = vk::Format::D32_SFLOAT;
        let (color, depth) = (target(gpu, RGBA8)?, target(gpu, format)?);
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: VERTEX,
            fragment: Some(FRAGMENT),
            colors: &[RGBA8],
            depth_format: format,
            push_bytes: 36,
            topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
            ..info.clone()
        })?;
        // A pipeline in which nothing is dynamic but what all leave so: bound before, it must not
        // show.
        let other = gpu.graphics(&GraphicsInfo {
            vertex: VERTEX,
            fragment: Some(FRAGMENT),
            colors: &[RGBA8],
            depth_format: format,
            push_bytes: 36,
            ..GraphicsInfo::default()
        })?;
        gpu.run(|r| {
            let targets = [Target::clear(&color, [0.2, 0.4, 0.6, 0.8])];
            r.draw_to(&Targets::new(&targets).depth(&depth), |r| {
                r.bind(&other, &[], &[0.0_f32; 9]);
                body(r, &|[a, b, c, d], [x, y, z, w], depth| {
                    r.bind(&pipeline, &[], &[a, b, c, d, x, y, z, w, depth]);
                    r.draw(0, 4, 1);
                });
                Ok(())
            })
        })?;
        shots(gpu, &color)
    }
}

fn plain() -> GraphicsInfo<'static> {
    GraphicsInfo::default()
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let groups = [
        stencil(),
        extended_state_1_and_2(),
        extended_state_3_colors(),
        extended_state_3_raster(),
        pipeline_state(),
        vertices(),
        domains(),
    ];
    groups.into_iter().flatten().collect()
}

/// Stencil state of VK_EXT_extended_dynamic_state.
fn stencil() -> Vec<Scene> {
    use vk::DynamicState as D;
    vec![
        scene("stencil_by_commands_wholly", EXACT, |gpu| {
            let format = match gpu.format_does(
                vk::Format::D32_SFLOAT_S8_UINT,
                vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
            ) {
                true => vk::Format::D32_SFLOAT_S8_UINT,
                false => vk::Format::D24_UNORM_S8_UINT,
            };
            let (color, depth) = (target(gpu, RGBA8)?, target(gpu, format)?);
            let pipeline = gpu.graphics(&GraphicsInfo {
                vertex: VERTEX,
                fragment: Some(FRAGMENT),
                colors: &[RGBA8],
                depth_format: format,
                push_bytes: 36,
                topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
                stencil: Some(
                    [vk::StencilOpState {
                        compare_mask: 0xff,
                        write_mask: 0xff,
                        reference: 3,
                        ..Default::default()
                    }; 2],
                ),
                dynamic: &[D::STENCIL_TEST_ENABLE, D::STENCIL_OP],
                ..plain()
            })?;
            gpu.run(|r| {
                let targets = [Target::clear(&color, [0.2, 0.4, 0.6, 0.8])];
                r.draw_to(&Targets::new(&targets).depth(&depth), |r| {
                    use vk::{CompareOp as C, StencilOp as S};
                    let cover = |[a, b, c, d]: [f32; 4], [x, y, z, w]: [f32; 4]| {
                        r.bind(&pipeline, &[], &[a, b, c, d, x, y, z, w, 0.5]);
                        r.draw(0, 4, 1);
                    };
                    let both = vk::StencilFaceFlags::FRONT_AND_BACK;
                    r.state(State::StencilTest(true));
                    r.state(State::StencilOp(
                        both,
                        [S::KEEP, S::REPLACE, S::KEEP],
                        C::ALWAYS,
                    ));
                    cover(INNER, RED);
                    r.state(State::StencilOp(
                        both,
                        [S::ZERO, S::INVERT, S::KEEP],
                        C::EQUAL,
                    ));
                    cover(LEFT, GREEN);
                    r.state(State::StencilOp(
                        both,
                        [S::KEEP, S::KEEP, S::KEEP],
                        C::NOT_EQUAL,
                    ));
                    cover([-1.0, -0.25, 1.0, 0.25], BLUE);
                    r.state(State::StencilTest(false));
                    cover([-0.25, 0.5, 0.25, 1.0], RED);
                    Ok(())
                })
            })?;
            shots(gpu, &color)
        })
        .extended(&[extension::DYNAMIC_1]),
    ]
}

/// Other state of VK_EXT_extended_dynamic_state and VK_EXT_extended_dynamic_state2.
fn extended_state_1_and_2() -> Vec<Scene> {
    use vk::DynamicState as D;
    vec![
        scene(
            "viewports_counted_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    dynamic: &[D::VIEWPORT_WITH_COUNT, D::SCISSOR_WITH_COUNT],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::Viewports([4.0, 6.0, 20.0, 18.0]));
                    r.state(State::Scissors([0, 0, 32, 32]));
                    cover(WHOLE, RED, 0.5);
                    r.state(State::Scissors([8, 3, 9, 11]));
                    cover(WHOLE, GREEN, 0.5);
                },
            ),
        )
        .extended(&[extension::DYNAMIC_1]),
        scene(
            "discard_and_restart_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    dynamic: &[D::RASTERIZER_DISCARD_ENABLE, D::PRIMITIVE_RESTART_ENABLE],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::Restart(true));
                    r.state(State::Discard(true));
                    cover(WHOLE, RED, 0.5);
                    r.state(State::Discard(false));
                    cover(INNER, GREEN, 0.5);
                },
            ),
        )
        .extended(&[extension::DYNAMIC_2]),
        scene(
            "depth_bias_turned_on_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    depth: Some((vk::CompareOp::LESS, true)),
                    bias: Some([64.0, 0.0, 0.0]),
                    dynamic: &[D::DEPTH_BIAS_ENABLE],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::DepthBiasOn(true));
                    cover(LEFT, RED, 0.5);
                    r.state(State::DepthBiasOn(false));
                    cover(INNER, GREEN, 0.5);
                    cover(RIGHT, RED, 0.25);
                    r.state(State::DepthBiasOn(true));
                    cover([0.25, -0.5, 0.75, 0.5], BLUE, 0.25);
                },
            ),
        )
        .extended(&[extension::DYNAMIC_2]),
        scene(
            "logic_operation_by_commands",
            ROUNDED,
            drawn(
                GraphicsInfo {
                    logic: Some(vk::LogicOp::COPY),
                    dynamic: &[D::LOGIC_OP_EXT],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::LogicOp(vk::LogicOp::XOR));
                    cover(LEFT, BLUE, 0.5);
                    r.state(State::LogicOp(vk::LogicOp::AND_INVERTED));
                    cover(INNER, GREEN, 0.5);
                },
            ),
        )
        .needs(&[feature::LOGIC_OP])
        .extended(&[extension::DYNAMIC_2]),
        scene(
            "writes_of_colours_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    more: &[More::Writes(&[true])],
                    dynamic: &[D::COLOR_WRITE_ENABLE_EXT],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::Writes([false, true]));
                    cover(WHOLE, RED, 0.5);
                    r.state(State::Writes([true, false]));
                    cover(INNER, GREEN, 0.5);
                },
            ),
        )
        .extended(&[extension::COLOR_WRITES]),
    ]
}

/// Blending, logic operations and samples of VK_EXT_extended_dynamic_state3.
fn extended_state_3_colors() -> Vec<Scene> {
    use vk::DynamicState as D;
    const ADD: vk::ColorBlendEquationEXT = vk::ColorBlendEquationEXT {
        src_color_blend_factor: vk::BlendFactor::SRC_ALPHA,
        dst_color_blend_factor: vk::BlendFactor::ONE,
        color_blend_op: vk::BlendOp::ADD,
        src_alpha_blend_factor: vk::BlendFactor::ZERO,
        dst_alpha_blend_factor: vk::BlendFactor::ONE,
        alpha_blend_op: vk::BlendOp::ADD,
    };
    const LEAST: vk::ColorBlendEquationEXT = vk::ColorBlendEquationEXT {
        color_blend_op: vk::BlendOp::MIN,
        ..ADD
    };
    vec![
        scene(
            "blending_by_commands_wholly",
            ROUNDED,
            drawn(
                GraphicsInfo {
                    dynamic: &[
                        D::COLOR_BLEND_ENABLE_EXT,
                        D::COLOR_BLEND_EQUATION_EXT,
                        D::COLOR_WRITE_MASK_EXT,
                    ],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::Blended(true));
                    r.state(State::Equation(ADD));
                    r.state(State::WriteMask(vk::ColorComponentFlags::RGBA));
                    cover(LEFT, RED, 0.5);
                    r.state(State::Equation(LEAST));
                    cover(INNER, GREEN, 0.5);
                    r.state(State::Blended(false));
                    r.state(State::WriteMask(
                        vk::ColorComponentFlags::B | vk::ColorComponentFlags::A,
                    ));
                    cover([0.25, 0.0, 1.0, 1.0], BLUE, 0.5);
                },
            ),
        )
        .extended(&[extension::DYNAMIC_3]),
        scene(
            "logic_and_sample_mask_by_commands",
            ROUNDED,
            drawn(
                GraphicsInfo {
                    logic: Some(vk::LogicOp::XOR),
                    dynamic: &[D::LOGIC_OP_ENABLE_EXT, D::SAMPLE_MASK_EXT],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::SampleMask(1));
                    r.state(State::Logic(true));
                    cover(LEFT, BLUE, 0.5);
                    r.state(State::Logic(false));
                    cover(INNER, GREEN, 0.5);
                    r.state(State::SampleMask(0));
                    cover(WHOLE, RED, 0.5);
                },
            ),
        )
        .needs(&[feature::LOGIC_OP])
        .extended(&[extension::DYNAMIC_3]),
        scene(
            "alpha_to_one_by_commands",
            ROUNDED,
            drawn(
                GraphicsInfo {
                    blend: &[Blend::Alpha],
                    dynamic: &[D::ALPHA_TO_ONE_ENABLE_EXT],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::AlphaToOne(true));
                    cover(LEFT, RED, 0.5);
                    r.state(State::AlphaToOne(false));
                    cover(INNER, GREEN, 0.5);
                },
            ),
        )
        .needs(&[feature::ALPHA_TO_ONE])
        .extended(&[extension::DYNAMIC_3]),
    ]
}

/// Fill modes, depth clipping and line state of VK_EXT_extended_dynamic_state3.
fn extended_state_3_raster() -> Vec<Scene> {
    use vk::DynamicState as D;
    vec![
        scene(
            "fill_and_provoking_vertex_by_commands",
            LINES,
            drawn(
                GraphicsInfo {
                    dynamic: &[D::POLYGON_MODE_EXT, D::PROVOKING_VERTEX_MODE_EXT],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::Fill(vk::PolygonMode::FILL));
                    r.state(State::Provoking(vk::ProvokingVertexModeEXT::LAST_VERTEX));
                    cover(LEFT, BLUE, 0.5);
                    r.state(State::Provoking(vk::ProvokingVertexModeEXT::FIRST_VERTEX));
                    cover([0.0, -1.0, 1.0, 0.0], BLUE, 0.5);
                    r.state(State::Fill(vk::PolygonMode::LINE));
                    cover([0.21875, 0.21875, 0.84375, 0.84375], GREEN, 0.5);
                },
            ),
        )
        .needs(&[feature::FILL_MODES])
        .extended(&[extension::DYNAMIC_3, extension::PROVOKING]),
        scene(
            "clipping_by_depth_by_commands",
            EXACT,
            drawn(
                GraphicsInfo {
                    depth: Some((vk::CompareOp::LESS_OR_EQUAL, true)),
                    dynamic: &[
                        D::DEPTH_CLIP_ENABLE_EXT,
                        D::DEPTH_CLAMP_ENABLE_EXT,
                        D::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT,
                    ],
                    ..plain()
                },
                |r, cover| {
                    r.state(State::NearAtMinusW(false));
                    r.state(State::DepthClip(true));
                    r.state(State::DepthClamp(false));
                    // Clipped away.
                    cover(WHOLE, RED, -0.5);
                    r.state(State::DepthClip(false));
                    r.state(State::DepthClamp(true));
                    // Clamped to the far plane: nothing is behind it.
                    cover(LEFT, GREEN, 1.5);
                    cover(INNER, RED, 2.5);
                    r.state(State::DepthClip(true));
                    r.state(State::NearAtMinusW(true));
                    // At a quarter of the depth.
                    cover([0.25, -1.0, 1.0, 1.0], BLUE, -0.5);
                    r.state(State::NearAtMinusW(false));
                    cover([0.5, -0.5, 1.0, 0.5], RED, 0.3);
                    cover([0.5, 0.5, 1.0, 1.0], GREEN, 0.2);
                },
            ),
        )
        .needs(&[feature::DEPTH_CLAMP])
        .extended(&[
            extension::DYNAMIC_3,
            extension::DEPTH_CLIP,
            extension::DEPTH_CLIP_CONTROL,
        ]),
        scene("stippled_lines_by_commands", LINES, |gpu| {
            lines(
                gpu,
                &[More::Lines(vk::LineRasterizationModeEXT::DEFAULT, None)],
                &[
                    D::LINE_RASTERIZATION_MODE_EXT,
                    D::LINE_STIPPLE_ENABLE_EXT,
                    D::LINE_STIPPLE_EXT,
                ],
                |r| {
                    r.state(State::Lines(vk::LineRasterizationModeEXT::BRESENHAM));
                    r.state(State::Stippled(true));
                    r.state(State::Stipple(2, 0b1110_0101_1001_0001));
                    r.draw(0, 2, 1);
                    r.state(State::Stippled(false));
                    r.draw(2, 2, 1);
                    r.state(State::Stippled(true));
                    r.state(State::Stipple(1, 0x5555));
                    r.draw(4, 2, 1);
                },
            )
        })
        .extended(&[extension::DYNAMIC_3, extension::LINES]),
    ]
}

/// Horizontal and vertical lines through the middles of texels.
fn lines(
    gpu: &Gpu,
    more: &[More<'_>],
    dynamic: &[vk::DynamicState],
    body: impl FnOnce(&Recorder<'_>),
) -> Result<Vec<Shot>, Error> {
    let image = target(gpu, RGBA8)?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: "#version 450
            const vec2 ends[8] = vec2[](vec2(2.5, 4.5), vec2(29.5, 4.5), vec2(3.5, 8.5), vec2(28.5, 8.5),
                vec2(6.5, 11.5), vec2(6.5, 30.5), vec2(10.5, 12.5), vec2(28.5, 30.5));
            layout(location = 0) flat out vec4 one;
            void main()
            {
                one = vec4(1.0, 0.25 * (gl_VertexIndex >> 1), 0.0, 1.0);
                gl_Position = vec4(ends[gl_VertexIndex] / 16.0 - 1.0, 0.0, 1.0);
            }",
        fragment: Some(FRAGMENT),
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::LINE_LIST,
        more,
        dynamic,
        ..plain()
    })?;
    gpu.run(|r| {
        let targets = [Target::clear(&image, [0.0, 0.0, 0.0, 1.0])];
        r.draw_to(&Targets::new(&targets), |r| {
            r.bind::<u8>(&pipeline, &[], &[]);
            body(r);
            Ok(())
        })
    })?;
    shots(gpu, &image)
}

/// The same state without commands: fixed in the pipeline.
fn pipeline_state() -> Vec<Scene> {
    vec![
        scene(
            "writes_of_colours_by_a_pipeline",
            EXACT,
            drawn(
                GraphicsInfo {
                    more: &[More::Writes(&[false])],
                    ..plain()
                },
                |_, cover| cover(WHOLE, RED, 0.5),
            ),
        )
        .extended(&[extension::COLOR_WRITES]),
        scene(
            "last_vertex_provokes",
            EXACT,
            drawn(
                GraphicsInfo {
                    more: &[More::ProvokingLast],
                    ..plain()
                },
                |_, cover| cover(INNER, BLUE, 0.5),
            ),
        )
        .extended(&[extension::PROVOKING]),
        scene(
            "no_clipping_by_depth",
            EXACT,
            drawn(
                GraphicsInfo {
                    more: &[More::DepthClip(false)],
                    ..plain()
                },
                |_, cover| {
                    cover(LEFT, GREEN, -0.5);
                    cover(INNER, RED, 1.5);
                },
            ),
        )
        .extended(&[extension::DEPTH_CLIP]),
        scene(
            "depth_from_minus_one",
            EXACT,
            drawn(
                GraphicsInfo {
                    depth: Some((vk::CompareOp::LESS, true)),
                    more: &[More::NearAtMinusW],
                    ..plain()
                },
                |_, cover| {
                    cover(LEFT, GREEN, -0.5);
                    cover(INNER, RED, -0.25);
                    cover([-0.75, -0.25, 0.75, 0.125], BLUE, -0.75);
                },
            ),
        )
        .extended(&[extension::DEPTH_CLIP_CONTROL]),
        scene("stippled_lines", LINES, |gpu| {
            let stippled = More::Lines(
                vk::LineRasterizationModeEXT::BRESENHAM,
                Some((3, 0b1010_1100_1111_0000)),
            );
            lines(gpu, &[stippled], &[], |r| r.draw(0, 6, 1))
        })
        .extended(&[extension::LINES]),
    ]
}

/// A stream of colours, one for each instance or for several.
const PAINTS: Stream<'static> = Stream {
    rate: Rate::Instance,
    stride_bytes: 16,
    attributes: &[(vk::Format::R32G32B32A32_SFLOAT, 0)],
};

fn vertices() -> Vec<Scene> {
    const COLUMNS: &str = "#version 450
        layout(location = 0) in vec4 paint;
        layout(location = 0) flat out vec4 one;
        void main()
        {
            vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
            one = paint;
            gl_Position = vec4((vec2(gl_InstanceIndex - 2 + 0.8 * at.x, at.y) / vec2(8.0, 1.0)) * 2.0 - 1.0, 0.0, 1.0);
        }";
    let divided = |name: &str, divisor: u32| {
        scene(name, ROUNDED, move |gpu| {
            let image = target(gpu, RGBA8)?;
            let paint = |i: u32| [i as f32 / 10.0, 1.0 - i as f32 / 10.0, (i % 2) as f32, 1.0];
            let paints = gpu.buffer(&(0..12).map(paint).collect::<Vec<_>>())?;
            let indices = gpu.buffer(&[0_u16, 1, 2, 3])?;
            let pipeline = gpu.graphics(&GraphicsInfo {
                vertex: COLUMNS,
                fragment: Some(FRAGMENT),
                colors: &[RGBA8],
                streams: &[PAINTS],
                topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
                more: &[More::Divisors(&[(0, divisor)])],
                ..plain()
            })?;
            gpu.run(|r| {
                let targets = [Target::clear(&image, [0.0; 4])];
                r.draw_to(&Targets::new(&targets), |r| {
                    r.bind::<u8>(&pipeline, &[], &[]);
                    r.vertices(&[(&paints, 0)]);
                    r.indices(&indices, vk::IndexType::UINT16);
                    r.draw_indexed(0, 4, 0, 2..10);
                    Ok(())
                })
            })?;
            shots(gpu, &image)
        })
        .extended(&[extension::DIVISORS])
    };
    vec![
        divided("three_instances_share_a_value", 3),
        divided("all_instances_share_a_value", 0),
        scene("lists_end_at_the_highest_index", EXACT, |gpu| {
            let image = target(gpu, RGBA8)?;
            let indices = gpu.buffer(&[0_u16, 1, 0xffff, 0, 1, 2, 3, 0xffff])?;
            let pipeline = gpu.graphics(&GraphicsInfo {
                vertex: VERTEX,
                fragment: Some(FRAGMENT),
                colors: &[RGBA8],
                push_bytes: 36,
                restart: true,
                ..plain()
            })?;
            gpu.run(|r| {
                let targets = [Target::clear(&image, [0.0; 4])];
                r.draw_to(&Targets::new(&targets), |r| {
                    let push = [-0.75_f32, -0.5, 0.75, 0.5, 0.5, 1.0, 1.0, 1.0, 0.5];
                    r.bind(&pipeline, &[], &push);
                    r.indices(&indices, vk::IndexType::UINT16);
                    r.draw_indexed(0, 8, 0, 0..1);
                    Ok(())
                })
            })?;
            shots(gpu, &image)
        })
        .extended(&[extension::LIST_RESTART]),
    ]
}

fn domains() -> Vec<Scene> {
    /// A quad that is culled if its triangles go round the wrong way.
    fn domain(
        gpu: &Gpu,
        more: &[More<'_>],
        dynamic: &[vk::DynamicState],
        body: impl FnOnce(&Recorder<'_>),
    ) -> Result<Vec<Shot>, Error> {
        let image = target(gpu, RGBA8)?;
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: "#version 450
                void main() { gl_Position = vec4(0.0); }",
            tessellation: Some((
                "#version 450
                layout(vertices = 1) out;
                void main()
                {
                    gl_TessLevelOuter = float[](2.0, 2.0, 2.0, 2.0);
                    gl_TessLevelInner = float[](2.0, 2.0);
                }",
                "#version 450
                layout(quads, equal_spacing, ccw) in;
                layout(location = 0) flat out vec4 one;
                void main()
                {
                    one = vec4(gl_PrimitiveID == 0 ? 1.0 : 0.0, 1.0, 0.0, 1.0);
                    vec2 at = gl_TessCoord.xy * 0.9;
                    gl_Position = vec4(at.x - (gl_PrimitiveID == 0 ? 0.95 : 0.0), at.y * 2.0 - 0.9, 0.0, 1.0);
                }",
            )),
            fragment: Some(FRAGMENT),
            colors: &[RGBA8],
            topology: vk::PrimitiveTopology::PATCH_LIST,
            patch_vertices: 1,
            cull: vk::CullModeFlags::BACK,
            more,
            dynamic,
            ..plain()
        })?;
        gpu.run(|r| {
            let targets = [Target::clear(&image, [0.0; 4])];
            r.draw_to(&Targets::new(&targets), |r| {
                r.bind::<u8>(&pipeline, &[], &[]);
                body(r);
                Ok(())
            })
        })?;
        shots(gpu, &image)
    }
    use vk::TessellationDomainOrigin as Origin;
    vec![
        scene("domain_from_the_upper_left", EXACT, |gpu| {
            domain(gpu, &[], &[], |r| r.draw(0, 2, 1))
        })
        .needs(&[feature::TESSELLATION]),
        scene("domain_from_the_lower_left", EXACT, |gpu| {
            domain(gpu, &[More::LowerLeft], &[], |r| r.draw(0, 2, 1))
        })
        .needs(&[feature::TESSELLATION]),
        scene("domain_origin_by_commands", EXACT, |gpu| {
            let dynamic = [vk::DynamicState::TESSELLATION_DOMAIN_ORIGIN_EXT];
            domain(gpu, &[], &dynamic, |r| {
                r.state(State::DomainOrigin(Origin::UPPER_LEFT));
                r.draw(0, 1, 1);
                r.state(State::DomainOrigin(Origin::LOWER_LEFT));
                r.draw(0, 2, 1);
            })
        })
        .needs(&[feature::TESSELLATION])
        .extended(&[extension::DYNAMIC_3]),
    ]
}
