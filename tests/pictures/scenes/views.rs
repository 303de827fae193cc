//! Multiview: one draw to multiple layers.

use crate::Scene;
use crate::compare::{ROUNDED, Shot};
use crate::pass;
use crate::stage::*;
use samples::vulkan::{
    Buffer, GraphicsInfo, Image, ImageInfo, More, Rate, Recorder, RenderPassInfo, Stream,
    SubpassInfo, Target, Targets, Use, extension, feature, vk,
};
use samples::{Error, Gpu};

const LAYERS: u32 = 4;
/// Views 0, 2 and 3: neither all nor in a row.
const VIEWS: u32 = 0b1101;

/// A box whose place and colour tell view, instance and what the instance reads.
const VERTEX: &str = "#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 paint;
layout(location = 0) out vec4 one;
void main()
{
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    one = vec4(paint.rg, gl_ViewIndex / 4.0, 1.0);
    vec2 corner = vec2(gl_InstanceIndex * 2 + gl_ViewIndex, gl_ViewIndex * 3) + 1.0;
    gl_Position = vec4((corner + at * vec2(1.5, 4.0)) / 8.0 - 1.0, 0.5, 1.0);
}";
const FRAGMENT: &str = "#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 one;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(one.rgb, 0.25 * (gl_ViewIndex + 1)); }";

const PAINTS: Stream<'static> = Stream {
    rate: Rate::Instance,
    stride_bytes: 16,
    attributes: &[(vk::Format::R32G32B32A32_SFLOAT, 0)],
};

fn plain() -> GraphicsInfo<'static> {
    GraphicsInfo {
        vertex: VERTEX,
        fragment: Some(FRAGMENT),
        colors: &[RGBA8],
        streams: &[PAINTS],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        views: VIEWS,
        ..GraphicsInfo::default()
    }
}

fn layered(gpu: &Gpu, samples: u32) -> Result<Image, Error> {
    let info = ImageInfo::new(RGBA8, SIDE, SIDE).target().array(LAYERS);
    gpu.image(info.samples(samples))
}

/// Draws to the views of an image that was of one colour before.
fn drawn(
    gpu: &Gpu,
    info: &GraphicsInfo<'_>,
    body: impl FnOnce(&Recorder<'_>, &Buffer) -> Result<(), Error>,
) -> Result<Vec<Shot>, Error> {
    let image = layered(gpu, 1)?;
    let paint = |i: u32| [i as f32 / 8.0, 1.0 - i as f32 / 8.0, 0.0, 1.0];
    let paints = gpu.buffer(&(0..8).map(paint).collect::<Vec<_>>())?;
    let pipeline = gpu.graphics(info)?;
    gpu.run(|r| {
        let grey = vk::ClearColorValue {
            float32: [0.5, 0.5, 0.5, 0.5],
        };
        r.clear(&image, grey);
        let targets = [Target::clear(&image, [0.0, 0.0, 0.25, 0.0])];
        r.draw_to(&Targets::new(&targets).views(info.views), |r| {
            r.bind::<u8>(&pipeline, &[], &[]);
            if !info.streams.is_empty() {
                r.vertices(&[(&paints, 0)]);
            }
            body(r, &paints)
        })
    })?;
    shots(gpu, &image)
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let mut all = vec![
        scene("views_by_instances", ROUNDED, |gpu| {
            let indices = gpu.buffer(&[0_u16, 1, 2, 3])?;
            drawn(gpu, &plain(), |r, _| {
                r.indices(&indices, vk::IndexType::UINT16);
                r.draw_indexed(0, 4, 0, 2..5);
                r.clear_parts([1.0, 0.0, 1.0, 1.0], &[[0, 28, 32, 2]]);
                Ok(())
            })
        }),
        scene("one_view_of_many", ROUNDED, |gpu| {
            let info = GraphicsInfo {
                views: 0b100,
                ..plain()
            };
            drawn(gpu, &info, |r, _| {
                r.draw(0, 4, 3);
                Ok(())
            })
        }),
        scene("views_by_an_indirect_draw", ROUNDED, |gpu| {
            let arguments = gpu.buffer(&[4_u32, 2, 0, 1, 4, 1, 0, 4])?;
            drawn(gpu, &plain(), |r, _| {
                r.draw_indirect(&arguments, 2);
                Ok(())
            })
        })
        .needs(&[feature::MULTI_DRAW_INDIRECT]),
        scene("views_of_divided_instances", ROUNDED, |gpu| {
            let info = GraphicsInfo {
                more: &[More::Divisors(&[(0, 2)])],
                ..plain()
            };
            drawn(gpu, &info, |r, _| {
                r.draw(0, 4, 5);
                Ok(())
            })
        }),
        scene("views_of_samples_are_resolved", ROUNDED, |gpu| {
            // Vulkan leaves open whether layers outside the views are resolved.
            const ALL: u32 = (1 << LAYERS) - 1;
            let (many, image) = (layered(gpu, 4)?, layered(gpu, 1)?);
            let paints = gpu.buffer(&[[1.0_f32; 4]; 4])?;
            let pipeline = gpu.graphics(&GraphicsInfo {
                samples: 4,
                views: ALL,
                ..plain()
            })?;
            gpu.run(|r| {
                let grey = vk::ClearColorValue { float32: [0.5; 4] };
                r.clear(&image, grey);
                let targets = [Target::clear(&many, [0.0, 0.0, 0.25, 0.0]).resolve(&image)];
                r.draw_to(&Targets::new(&targets).views(ALL), |r| {
                    r.bind::<u8>(&pipeline, &[], &[]);
                    r.vertices(&[(&paints, 0)]);
                    r.draw(0, 4, 3);
                    Ok(())
                })
            })?;
            shots(gpu, &image)
        }),
        scene("views_of_subpasses", ROUNDED, subpasses),
    ];
    all.extend(views_through_stages());
    let all = all.into_iter();
    let all = all.map(|scene| scene.extended(&[extension::MULTIVIEW, extension::DIVISORS]));
    all.collect()
}

/// Views through geometry shaders and tessellation.
fn views_through_stages() -> Vec<Scene> {
    vec![
        scene("views_through_a_geometry_shader", ROUNDED, |gpu| {
            let info = GraphicsInfo {
                geometry: Some(
                    "#version 450
                    #extension GL_EXT_multiview : require
                    layout(triangles) in;
                    layout(triangle_strip, max_vertices = 3) out;
                    layout(location = 0) in vec4 one[];
                    layout(location = 0) out vec4 paint;
                    void main()
                    {
                        for (int i = 0; i < 3; i++) {
                            paint = one[i] * vec4(1.0, 0.5, 1.0, 1.0);
                            gl_Position = gl_in[i].gl_Position + vec4(0.125 * gl_ViewIndex, 0.0, 0.0, 0.0);
                            EmitVertex();
                        }
                    }",
                ),
                ..plain()
            };
            drawn(gpu, &info, |r, _| {
                r.draw(0, 4, 3);
                Ok(())
            })
        })
        .needs(&[feature::GEOMETRY]),
        scene("views_through_tessellation", ROUNDED, |gpu| {
            let info = GraphicsInfo {
                tessellation: Some((
                    "#version 450
                    #extension GL_EXT_multiview : require
                    layout(vertices = 4) out;
                    layout(location = 0) in vec4 one[];
                    layout(location = 0) out vec4 paint[];
                    void main()
                    {
                        paint[gl_InvocationID] = one[gl_InvocationID];
                        gl_out[gl_InvocationID].gl_Position =
                            gl_in[gl_InvocationID].gl_Position - vec4(0.0, 0.0625 * gl_ViewIndex, 0.0, 0.0);
                        gl_TessLevelOuter = float[](2.0, 2.0, 2.0, 2.0);
                        gl_TessLevelInner = float[](2.0, 2.0);
                    }",
                    "#version 450
                    #extension GL_EXT_multiview : require
                    layout(quads, equal_spacing, ccw) in;
                    layout(location = 0) in vec4 paint[];
                    layout(location = 0) out vec4 one;
                    void main()
                    {
                        vec2 t = gl_TessCoord.xy;
                        one = vec4(paint[0].rg, gl_ViewIndex / 4.0, 1.0);
                        gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x),
                            mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);
                    }",
                )),
                topology: vk::PrimitiveTopology::PATCH_LIST,
                patch_vertices: 4,
                ..plain()
            };
            drawn(gpu, &info, |r, _| {
                r.draw(0, 4, 3);
                Ok(())
            })
        })
        .needs(&[feature::TESSELLATION]),
    ]
}

/// Subpasses of different views: the attachment is cleared in each view where that is drawn first.
fn subpasses(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    use vk::{AccessFlags as A, PipelineStageFlags as S};
    let info = ImageInfo::new(RGBA8, SIDE, SIDE).target().array(LAYERS);
    let image = gpu.image(info)?;
    let paints = gpu.buffer(&[[1.0_f32, 0.5, 0.0, 1.0]; 4])?;
    let attachment = pass::cleared(RGBA8, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
    let written = A::COLOR_ATTACHMENT_WRITE;
    let pass = gpu.render_pass(&RenderPassInfo {
        attachments: &[attachment],
        subpasses: &[SubpassInfo {
            colors: &[0],
            ..SubpassInfo::default()
        }; 2],
        dependencies: &[
            vk::SubpassDependency::default()
                .dst_subpass(1)
                .src_stage_mask(S::COLOR_ATTACHMENT_OUTPUT)
                .src_access_mask(written)
                .dst_stage_mask(S::COLOR_ATTACHMENT_OUTPUT)
                .dst_access_mask(A::COLOR_ATTACHMENT_READ | written)
                .dependency_flags(vk::DependencyFlags::BY_REGION | vk::DependencyFlags::VIEW_LOCAL),
            pass::copied_behind(1),
        ],
        views: &[0b0101, 0b1111],
    })?;
    let framebuffer = gpu.framebuffer(pass, &[image.view], [SIDE; 2])?;
    let pipeline = |subpass| {
        gpu.graphics(&GraphicsInfo {
            subpass: Some((pass, subpass)),
            ..plain()
        })
    };
    let (some, all) = (pipeline(0)?, pipeline(1)?);
    gpu.run(|r| {
        let color = vk::ClearColorValue {
            float32: [0.0, 0.0, 1.0, 1.0],
        };
        r.render_pass(
            pass,
            framebuffer,
            [SIDE; 2],
            &[vk::ClearValue { color }],
            &[
                &|r| {
                    r.bind::<u8>(&some, &[], &[]);
                    r.vertices(&[(&paints, 0)]);
                    r.draw(0, 4, 1);
                },
                &|r| {
                    r.bind::<u8>(&all, &[], &[]);
                    r.vertices(&[(&paints, 0)]);
                    r.draw(0, 4, 3);
                },
            ],
        );
        r.left_as(&image, Use::CopyFrom);
        Ok(())
    })?;
    shots(gpu, &image)
}
