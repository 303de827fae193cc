//! Depth and stencil: which fragments are drawn, and the values left in the attachments.

use crate::Scene;
use crate::compare::{EXACT, ROUNDED, Shot, Tolerance};
use crate::stage::*;
use samples::vulkan::{
    Bound, GraphicsInfo, Image, ImageInfo, Recorder, Target, Targets, Use, feature, vk,
};
use samples::{Error, Gpu};

/// Depths of planes are interpolated; the last bit of 24 or 32 is the implementation's.
const PLANES: Tolerance = Tolerance {
    steps: 0.01,
    per_mille: 0,
    why: "the last bits of interpolated depth",
};

/// A quad of two triangles: x from and to, depth at left and right, in clip space; its colour is a
/// push constant.
const QUAD: &str = "#version 450
layout(push_constant) uniform Push { vec4 place; vec4 colour; };
void main()
{
    vec2 t = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(place.x, place.y, t.x), t.y * 2.0 - 1.0, mix(place.z, place.w, t.x), 1.0);
}";
const COLOUR: &str = "#version 450
layout(push_constant) uniform Push { vec4 place; vec4 paint; };
layout(location = 0) out vec4 colour;
void main() { colour = paint; }";

/// Targets and what is common to a scene's pipelines.
struct Stage<'g> {
    gpu: &'g Gpu,
    color: Image,
    depth: Image,
}

impl<'g> Stage<'g> {
    fn new(gpu: &'g Gpu, depth: vk::Format) -> Result<Self, Error> {
        Ok(Stage {
            gpu,
            color: target(gpu, RGBA8)?,
            depth: target(gpu, depth)?,
        })
    }

    fn pipeline(&self, info: GraphicsInfo<'_>) -> Result<samples::vulkan::Pipeline, Error> {
        self.gpu.graphics(&GraphicsInfo {
            vertex: QUAD,
            fragment: Some(info.fragment.unwrap_or(COLOUR)),
            topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
            colors: &[RGBA8],
            depth_format: self.depth.info.format,
            push_bytes: 32,
            ..info
        })
    }

    fn draw(&self, body: impl FnOnce(&Recorder<'_>)) -> Result<(), Error> {
        self.gpu.run(|r| {
            let targets = [Target::clear(&self.color, [0.0, 0.0, 0.25, 1.0])];
            r.draw_to(&Targets::new(&targets).depth(&self.depth), |r| {
                body(r);
                Ok(())
            })
        })
    }

    fn colour(&self) -> Result<Shot, Error> {
        shot(self.gpu, "the colour", &self.color)
    }

    fn aspect(&self, what: &str, aspect: vk::ImageAspectFlags) -> Result<Shot, Error> {
        Ok(Shot {
            what: what.into(),
            width: SIDE,
            bytes: self.gpu.read_level(&self.depth, 0, aspect)?,
            unit: match aspect {
                vk::ImageAspectFlags::STENCIL => crate::compare::Unit::Bits(1),
                _ => unit(self.depth.info.format)?,
            },
        })
    }
}

fn quad(r: &Recorder<'_>, pipeline: &samples::vulkan::Pipeline, place: [f32; 4], colour: [f32; 4]) {
    let push = [place, colour];
    r.bind(pipeline, &[], push.as_flattened());
    r.draw(0, 4, 1);
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const WHOLE: [f32; 4] = [-1.0, 1.0, 0.5, 0.5];
/// Crosses the depth 0.5 in the middle, between two columns of texels.
const SLOPE: [f32; 4] = [-1.0, 1.0, 0.25, 0.75];

/// Two planes that cross, with a comparison and a format.
fn crossing(name: &str, format: vk::Format, compare: vk::CompareOp) -> Scene {
    scene(name, PLANES, move |gpu| {
        let stage = Stage::new(gpu, format)?;
        let first = stage.pipeline(GraphicsInfo {
            depth: Some((vk::CompareOp::ALWAYS, true)),
            ..GraphicsInfo::default()
        })?;
        let second = stage.pipeline(GraphicsInfo {
            depth: Some((compare, true)),
            ..GraphicsInfo::default()
        })?;
        stage.draw(|r| {
            quad(r, &first, WHOLE, RED);
            quad(r, &second, SLOPE, GREEN);
        })?;
        Ok(vec![
            stage.colour()?,
            stage.aspect("the depth", vk::ImageAspectFlags::DEPTH)?,
        ])
    })
}

/// A slope through a plane: what its fragments store in an image, and add to another one, is there
/// behind the plane too, unless tests come first.
fn stored_behind(
    gpu: &Gpu,
    declarations: &str,
    body: &str,
    tests: &str,
) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu, vk::Format::D32_SFLOAT)?;
    let stored = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).storage())?;
    let counts = gpu.image(ImageInfo::new(vk::Format::R32_UINT, SIDE, SIDE).storage())?;
    let set = gpu.set(&[
        Bound::StorageImage(stored.view),
        Bound::StorageImage(counts.view),
    ])?;
    let cleared = gpu.compute(
        "#version 450
        layout(local_size_x = 8, local_size_y = 8) in;
        layout(binding = 0, rgba8) uniform writeonly image2D stored;
        layout(binding = 1, r32ui) uniform writeonly uimage2D counts;
        void main()
        {
            ivec2 p = ivec2(gl_GlobalInvocationID.xy);
            imageStore(stored, p, vec4(0, 0, 1, 1));
            imageStore(counts, p, uvec4(3));
        }",
        &[set],
        0,
    )?;
    let plane = stage.pipeline(GraphicsInfo {
        depth: Some((vk::CompareOp::ALWAYS, true)),
        ..GraphicsInfo::default()
    })?;
    let fragment = format!(
        "#version 450
        {tests}
        {declarations}
        layout(binding = 0, rgba8) uniform writeonly image2D stored;
        layout(binding = 1, r32ui) uniform uimage2D counts;
        void main()
        {{
            ivec2 p = ivec2(gl_FragCoord.xy);
            imageStore(stored, p, vec4(gl_FragCoord.xy / 64.0, 0, 1));
            imageAtomicAdd(counts, p, 4);
            {body}
        }}"
    );
    let slope = stage.pipeline(GraphicsInfo {
        fragment: Some(&fragment),
        sets: &[set],
        depth: Some((vk::CompareOp::LESS, true)),
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        r.use_as(&stored, Use::Storage);
        r.use_as(&counts, Use::Storage);
        r.bind::<u8>(&cleared, &[set], &[]);
        r.dispatch([SIDE / 8, SIDE / 8, 1]);
        r.use_as(&stored, Use::Storage);
        r.use_as(&counts, Use::Storage);
        Ok(())
    })?;
    stage.draw(|r| {
        quad(r, &plane, WHOLE, RED);
        let push = [SLOPE, GREEN];
        r.bind(&slope, &[set], push.as_flattened());
        r.draw(0, 4, 1);
    })?;
    let mut shots = vec![
        shot(gpu, "what was stored", &stored)?,
        shot(gpu, "what was added", &counts)?,
        stage.aspect("the depth", vk::ImageAspectFlags::DEPTH)?,
    ];
    // Colours that a shader does not write are undefined.
    if !body.is_empty() {
        shots.push(stage.colour()?);
    }
    Ok(shots)
}

/// Draws a slope, with something special about it, on a plane in the middle.
fn special(
    name: &str,
    info: GraphicsInfo<'static>,
    fragment: Option<&'static str>,
    place: [f32; 4],
) -> Scene {
    scene(name, PLANES, move |gpu| {
        let stage = Stage::new(gpu, vk::Format::D32_SFLOAT)?;
        let first = stage.pipeline(GraphicsInfo {
            depth: Some((vk::CompareOp::ALWAYS, true)),
            ..GraphicsInfo::default()
        })?;
        let second = stage.pipeline(GraphicsInfo {
            depth: Some((vk::CompareOp::LESS, true)),
            fragment,
            ..info.clone()
        })?;
        stage.draw(|r| {
            quad(r, &first, [-1.0, 0.5, 0.5, 0.5], RED);
            quad(r, &second, place, GREEN);
        })?;
        Ok(vec![
            stage.colour()?,
            stage.aspect("the depth", vk::ImageAspectFlags::DEPTH)?,
        ])
    })
}

/// Draws twice with stencil: the resulting values, and the fragments that passed.
fn stencilled(name: &str, first: vk::StencilOpState, second: [vk::StencilOpState; 2]) -> Scene {
    scene(name, EXACT, move |gpu| {
        let attachment = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;
        let both = vk::Format::D32_SFLOAT_S8_UINT;
        let format = match gpu.format_does(both, attachment) {
            true => both,
            false => vk::Format::D24_UNORM_S8_UINT,
        };
        let stage = Stage::new(gpu, format)?;
        let setting = stage.pipeline(GraphicsInfo {
            depth: Some((vk::CompareOp::ALWAYS, true)),
            stencil: Some([first; 2]),
            ..GraphicsInfo::default()
        })?;
        let testing = stage.pipeline(GraphicsInfo {
            depth: Some((vk::CompareOp::LESS, false)),
            stencil: Some(second),
            ..GraphicsInfo::default()
        })?;
        stage.draw(|r| {
            quad(r, &setting, [-0.5, 0.5, 0.5, 0.5], RED);
            quad(r, &testing, SLOPE, GREEN);
            // The other way round: a back face.
            quad(r, &testing, [0.75, 0.25, 0.25, 0.25], [1.0; 4]);
        })?;
        Ok(vec![
            stage.colour()?,
            stage.aspect("the stencil", vk::ImageAspectFlags::STENCIL)?,
        ])
    })
}

fn op(
    compare: vk::CompareOp,
    reference: u32,
    [fail, depth_fail, pass]: [vk::StencilOp; 3],
    [reads, writes]: [u32; 2],
) -> vk::StencilOpState {
    vk::StencilOpState {
        fail_op: fail,
        pass_op: pass,
        depth_fail_op: depth_fail,
        compare_op: compare,
        compare_mask: reads,
        write_mask: writes,
        reference,
    }
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    use vk::CompareOp as C;
    use vk::StencilOp as S;
    let set = op(C::ALWAYS, 0xfe, [S::KEEP, S::KEEP, S::REPLACE], [255, 255]);
    let plain = GraphicsInfo::default();
    let mut all = vec![
        crossing("depth_16_bits", vk::Format::D16_UNORM, C::LESS),
        special("depth_bias", GraphicsInfo { bias: Some([0.0, 0.0, 4.0]), ..plain.clone() }, None, SLOPE),
        special("depth_clamped", GraphicsInfo { depth_clamp: true, ..plain.clone() }, None, [-1.0, 1.0, -0.5, 1.25])
            .needs(&[feature::DEPTH_CLAMP]),
        special("depth_clipped", plain.clone(), None, [-1.0, 1.0, -0.5, 1.5]),
        special("depth_by_the_shader", plain.clone(), Some("#version 450
            layout(push_constant) uniform Push { vec4 place; vec4 paint; };
            layout(location = 0) out vec4 colour;
            void main() { colour = paint; gl_FragDepth = fract(gl_FragCoord.y / 16.0); }"), SLOPE),
        special("early_tests", plain.clone(), Some("#version 450
            layout(early_fragment_tests) in;
            layout(push_constant) uniform Push { vec4 place; vec4 paint; };
            layout(location = 0) out vec4 colour;
            void main() { if ((int(gl_FragCoord.x) & 3) == 0) discard; colour = paint; }"), SLOPE),
        special("discarded_fragments_leave_no_depth", plain, Some("#version 450
            layout(push_constant) uniform Push { vec4 place; vec4 paint; };
            layout(location = 0) out vec4 colour;
            void main() { if ((int(gl_FragCoord.x + gl_FragCoord.y) & 3) == 0) discard; colour = paint; }"), SLOPE),
        stencilled("stencil_equal", set, [op(C::EQUAL, 0xfe, [S::ZERO, S::INVERT, S::KEEP], [255, 255]); 2]),
        stencilled("stencil_counts_and_wraps", set, [
            op(C::ALWAYS, 0, [S::KEEP, S::DECREMENT_AND_WRAP, S::INCREMENT_AND_WRAP], [255, 255]),
            op(C::ALWAYS, 0, [S::KEEP, S::INCREMENT_AND_CLAMP, S::DECREMENT_AND_CLAMP], [255, 255]),
        ]),
        stencilled("stencil_masks", set, [op(C::LESS, 0x13, [S::REPLACE, S::INVERT, S::REPLACE], [0x1f, 0x3c]); 2]),
        stencilled("stencil_sides_differ", set, [
            op(C::NOT_EQUAL, 0xfe, [S::INVERT, S::KEEP, S::REPLACE], [255, 255]),
            op(C::GREATER_OR_EQUAL, 0xff, [S::KEEP, S::KEEP, S::ZERO], [255, 255]),
        ]),
        scene("fragments_behind_depth_store_in_images", PLANES, |gpu| {
            stored_behind(gpu, "layout(location = 0) out vec4 colour;", "colour = vec4(1);", "")
        })
        .needs(&[feature::FRAGMENT_STORES]),
        scene("fragments_without_colour_store_in_images", PLANES, |gpu| {
            stored_behind(gpu, "", "", "")
        })
        .needs(&[feature::FRAGMENT_STORES]),
        scene("early_tests_keep_fragments_from_storing", PLANES, |gpu| {
            stored_behind(gpu, "", "", "layout(early_fragment_tests) in;")
        })
        .needs(&[feature::FRAGMENT_STORES]),
        scene("depth_sampled_afterwards", ROUNDED, |gpu| {
            let stage = Stage::new(gpu, vk::Format::D32_SFLOAT)?;
            let pipeline = stage.pipeline(GraphicsInfo {
                depth: Some((C::ALWAYS, true)),
                ..GraphicsInfo::default()
            })?;
            stage.draw(|r| quad(r, &pipeline, SLOPE, GREEN))?;
            gpu.run(|r| {
                r.use_as(&stage.depth, Use::Sampled);
                Ok(())
            })?;
            let sampler = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_EDGE)?;
            let shader = fragment(
                "layout(binding = 0) uniform sampler2D t;",
                "colour = vec4(texture(t, uv).r);",
            );
            let bound = [Bound::Texture(stage.depth.view, sampler)];
            shots(gpu, &cover(gpu, RGBA8, &shader, &bound)?)
        }),
    ];
    for (name, compare) in [
        ("depth_never", C::NEVER),
        ("depth_less", C::LESS),
        ("depth_equal", C::EQUAL),
        ("depth_less_or_equal", C::LESS_OR_EQUAL),
        ("depth_greater", C::GREATER),
        ("depth_not_equal", C::NOT_EQUAL),
    ] {
        all.push(crossing(name, vk::Format::D32_SFLOAT, compare));
    }
    all
}
