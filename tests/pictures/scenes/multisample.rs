//! Several samples in a texel.

use crate::Scene;
use crate::compare::{EXACT, ROUNDED, Shot, Tolerance};
use crate::stage::*;
use samples::Gpu;
use samples::vulkan::{
    Bound, GraphicsInfo, Image, ImageInfo, Recorder, Target, Targets, Use, feature, vk,
};

/// Edges of triangles between four samples: a sample may lie on either side.
const SAMPLES: Tolerance = Tolerance {
    steps: 1.0,
    per_mille: 20,
    why: "edges that cross a sample are rounded to the implementation's sub-pixel grid",
};

/// A triangle whose edges are slanted.
const TRIANGLE: &str = "#version 450
layout(location = 0) out vec2 uv;
void main()
{
    vec2 corner[3] = vec2[](vec2(-0.9, -0.7), vec2(0.85, -0.2), vec2(-0.3, 0.93));
    uv = corner[gl_VertexIndex] * 0.5 + 0.5;
    gl_Position = vec4(corner[gl_VertexIndex], 0.0, 1.0);
}";
const WHITE: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0, 0.5, 0.25, 0.5); }";

const GREEN: &str = "#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(0.0, uv.x > 0.5 ? 1.0 : 0.5, 0.25, 1.0); }";

/// How samples become one image.
#[derive(Clone, Copy)]
enum Resolve {
    /// At the end of rendering.
    Rendering,
    /// By a command.
    Command,
    /// By a shader that reads each.
    Shader,
}

fn drawn(gpu: &Gpu, info: GraphicsInfo<'_>, resolve: Resolve) -> Result<Vec<Shot>, samples::Error> {
    let many = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).target().samples(4))?;
    let one = target(gpu, RGBA8)?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        samples: 4,
        colors: &[RGBA8],
        ..info
    })?;
    let draw = |r: &Recorder<'_>, target: Target<'_>| {
        r.draw_to(&Targets::new(&[target]), |r| {
            r.bind::<u8>(&pipeline, &[], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    };
    let clear = Target::clear(&many, [0.0, 0.0, 0.5, 1.0]);
    gpu.run(|r| match resolve {
        Resolve::Rendering => draw(r, clear.resolve(&one)),
        Resolve::Command => {
            draw(r, clear)?;
            r.resolve(&many, &one);
            Ok(())
        }
        Resolve::Shader => {
            draw(r, clear)?;
            r.use_as(&many, Use::Sampled);
            Ok(())
        }
    })?;
    match resolve {
        Resolve::Shader => shots(gpu, &fetched(gpu, &many)?),
        _ => shots(gpu, &one),
    }
}

/// The second and the last sample of each texel.
fn fetched(gpu: &Gpu, many: &Image) -> Result<Image, samples::Error> {
    let sampler = sampler(
        gpu,
        vk::Filter::NEAREST,
        vk::SamplerAddressMode::CLAMP_TO_EDGE,
    )?;
    let shader = fragment(
        "layout(binding = 0) uniform sampler2DMS t;",
        "ivec2 p = ivec2(gl_FragCoord.xy);
         colour = vec4(texelFetch(t, p, 1).rg, texelFetch(t, p, 3).b, float(textureSamples(t)) / 8.0);",
    );
    let shader = shader.replace(
        "#version 450",
        "#version 450\n#extension GL_ARB_shader_texture_image_samples : require",
    );
    cover(gpu, RGBA8, &shader, &[Bound::Texture(many.view, sampler)])
}

/// Samples copied into an image that a command has cleared, and drawn over.
fn copied(gpu: &Gpu) -> Result<Vec<Shot>, samples::Error> {
    let info = ImageInfo::new(RGBA8, SIDE, SIDE).target().samples(4);
    let (from, to) = (gpu.image(info)?, gpu.image(info)?);
    let pipeline = |fragment| {
        gpu.graphics(&GraphicsInfo {
            vertex: TRIANGLE,
            fragment: Some(fragment),
            samples: 4,
            colors: &[RGBA8],
            ..GraphicsInfo::default()
        })
    };
    let (white, other) = (pipeline(WHITE)?, pipeline(GREEN)?);
    let layers = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        layer_count: 1,
        ..Default::default()
    };
    let corner = |x, y| vk::Offset3D { x, y, z: 0 };
    let region = vk::ImageCopy {
        src_subresource: layers,
        src_offset: corner(1, 3),
        dst_subresource: layers,
        dst_offset: corner(7, 4),
        extent: vk::Extent3D {
            width: 19,
            height: 23,
            depth: 1,
        },
    };
    let colour = vk::ClearColorValue {
        float32: [1.0, 0.0, 1.0, 1.0],
    };
    let draw = |r: &Recorder<'_>, target, pipeline| {
        r.draw_to(&Targets::new(&[target]), |r| {
            r.bind::<u8>(pipeline, &[], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    };
    let mut all = Vec::new();
    gpu.run(|r| {
        draw(r, Target::clear(&from, [0.0, 0.0, 0.5, 1.0]), &white)?;
        r.clear(&to, colour);
        r.copy(&from, &to, &[region]);
        r.use_as(&to, Use::Sampled);
        Ok(())
    })?;
    all.extend(shots(gpu, &fetched(gpu, &to)?)?);
    gpu.run(|r| {
        draw(r, Target::keep(&to), &other)?;
        r.use_as(&to, Use::Sampled);
        Ok(())
    })?;
    all.extend(shots(gpu, &fetched(gpu, &to)?)?);
    Ok(all)
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let groups = [resolves_and_masks(), shading()];
    groups.into_iter().flatten().collect()
}

/// Resolves, fetches and copies of samples, and sample masks.
fn resolves_and_masks() -> Vec<Scene> {
    let white = || GraphicsInfo {
        vertex: TRIANGLE,
        fragment: Some(WHITE),
        ..GraphicsInfo::default()
    };
    vec![
        scene("samples_resolved_by_rendering", SAMPLES, move |gpu| {
            drawn(gpu, white(), Resolve::Rendering)
        }),
        scene("samples_resolved_by_a_command", SAMPLES, move |gpu| {
            drawn(gpu, white(), Resolve::Command)
        }),
        scene("samples_fetched", SAMPLES, move |gpu| {
            drawn(gpu, white(), Resolve::Shader)
        }),
        scene("samples_copied", SAMPLES, copied),
        scene("sample_mask", ROUNDED, move |gpu| {
            let info = GraphicsInfo {
                vertex: COVER,
                sample_mask: Some(0b1010),
                ..white()
            };
            drawn(gpu, info, Resolve::Command)
        }),
        scene("sample_mask_by_the_shader", ROUNDED, |gpu| {
            let info = GraphicsInfo {
                vertex: COVER,
                fragment: Some(
                    "#version 450
                    layout(location = 0) out vec4 colour;
                    void main() { gl_SampleMask[0] = int(gl_FragCoord.x) & 15; colour = vec4(1.0); }",
                ),
                ..GraphicsInfo::default()
            };
            drawn(gpu, info, Resolve::Command)
        }),
    ]
}

/// Sample shading, centroids, coverage and alpha to coverage.
fn shading() -> Vec<Scene> {
    vec![
        scene("each_sample_shaded", ROUNDED, |gpu| {
            // Where in the pixel an input is taken that is not said to be the sample's, is the
            // implementation's.
            let info = GraphicsInfo {
                vertex: COVER,
                fragment: Some(
                    "#version 450
                    layout(location = 0) sample in vec2 uv;
                    layout(location = 0) out vec4 colour;
                    void main() { colour = vec4(float(gl_SampleID) / 3.0, uv.x, float(gl_SampleID == 2), 1.0); }",
                ),
                sample_shading: Some(1.0),
                ..GraphicsInfo::default()
            };
            drawn(gpu, info, Resolve::Shader)
        })
        .needs(&[feature::SAMPLE_RATE]),
        scene("centroids_agree_where_samples_are_shaded", SAMPLES, |gpu| {
            let info = GraphicsInfo {
                vertex: "#version 450
                    layout(location = 0) out vec2 by_sample;
                    layout(location = 1) out vec2 by_centroid;
                    void main()
                    {
                        vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 1.7 - 0.8;
                        by_sample = by_centroid = at * 64.0;
                        gl_Position = vec4(at, 0.0, 1.0);
                    }",
                fragment: Some(
                    "#version 450
                    layout(location = 0) sample in vec2 by_sample;
                    layout(location = 1) centroid in vec2 by_centroid;
                    layout(location = 0) out vec4 colour;
                    void main()
                    {
                        vec2 apart = abs(interpolateAtCentroid(by_sample) - by_centroid);
                        bool agrees = all(lessThan(apart, vec2(0.001)));
                        colour = vec4(agrees ? 0.0 : 1.0, agrees ? 1.0 : 0.0, 0.0, 1.0);
                    }",
                ),
                sample_shading: Some(1.0),
                ..GraphicsInfo::default()
            };
            drawn(gpu, info, Resolve::Command)
        })
        .needs(&[feature::SAMPLE_RATE]),
        scene("covered_samples_seen_by_the_shader", SAMPLES, |gpu| {
            let info = GraphicsInfo {
                vertex: TRIANGLE,
                fragment: Some(
                    "#version 450
                    layout(location = 0) out vec4 colour;
                    void main() { colour = vec4(float(bitCount(gl_SampleMaskIn[0])) / 4.0); }",
                ),
                ..GraphicsInfo::default()
            };
            drawn(gpu, info, Resolve::Command)
        }),
        scene("alpha_decides_on_samples_at_its_ends", EXACT, |gpu| {
            // Between none and all of them the pattern is the implementation's.
            let info = GraphicsInfo {
                vertex: COVER,
                fragment: Some(
                    "#version 450
                    layout(location = 0) in vec2 uv;
                    layout(location = 0) out vec4 colour;
                    void main() { colour = vec4(1.0, 1.0, 0.0, uv.x < 0.5 ? 0.0 : 1.0); }",
                ),
                alpha_to_coverage: true,
                ..GraphicsInfo::default()
            };
            drawn(gpu, info, Resolve::Command)
        }),
    ]
}
