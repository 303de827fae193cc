//! A selected object with an outline, and its reflection in the floor.
//!
//! Shows: two classic uses of the stencil buffer. The selected object sets the stencil where it is
//! drawn; drawn again, enlarged, it is visible only outside that area. The floor marks where a
//! reflection may be drawn.

use crate::geometry::{Mesh, Model, UNTEXTURED};
use crate::math::Mat4;
use crate::programs::program::{COLOR, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{Blend, Error, Gpu, GraphicsInfo, Pipeline, Recorder, Target, Targets, vk};

pub const PROGRAM: Program = Program {
    name: "stencil_outline",
    about: "An outline and a reflection, masked by the stencil buffer",
    features: &[],
    draw,
};

/// Depth with stencil: every device has this one or `D24_UNORM_S8_UINT`.
const DEPTH_STENCIL: vk::Format = vk::Format::D32_SFLOAT_S8_UINT;
const OTHER: vk::Format = vk::Format::D24_UNORM_S8_UINT;

const VERTEX: &str = "#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(push_constant) uniform Push { mat4 to_clip; vec4 colour; vec4 place_size; float swell; float mirror; };
layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_world;
void main()
{
    vec3 p = (position + swell * normal) * place_size.w + place_size.xyz;
    out_normal = normal;
    out_world = p;
    gl_Position = to_clip * vec4(p.x, p.y * mirror, p.z, 1.0);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 world;
layout(push_constant) uniform Push { mat4 to_clip; vec4 colour; vec4 place_size; float swell; float mirror; };
layout(location = 0) out vec4 result;
void main()
{
    if (mirror < 0.0 && world.y < 0.0)
        discard;
    vec3 n = normalize(normal), sun = normalize(vec3(-0.4, 0.8, 0.5));
    vec3 to_eye = normalize(vec3(0.0, 2.2, 6.0) - world);
    float shine = pow(max(dot(n, normalize(sun + to_eye)), 0.0), 40.0);
    vec3 lit = colour.rgb * (0.25 + 0.75 * max(dot(n, sun), 0.0)) + 0.4 * shine;
    result = vec4(swell > 0.0 ? colour.rgb : lit, colour.a);
}";

/// An object: mesh, colour, position and size.
struct Object<'a> {
    model: &'a Model,
    colour: [f32; 4],
    place_size: [f32; 4],
}

impl Object<'_> {
    fn draw(&self, r: &Recorder<'_>, how: &Pipeline, to_clip: Mat4, swell: f32, mirror: f32) {
        let mut push = to_clip.0.as_flattened().to_vec();
        push.extend(self.colour);
        push.extend(self.place_size);
        push.extend([swell, mirror]);
        r.bind(how, &[], &push);
        r.vertices(&[(&self.model.vertices, 0)]);
        r.indices(&self.model.indices, vk::IndexType::UINT32);
        r.draw_indexed(0, self.model.count, 0, 0..1);
    }
}

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    let attachment = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;
    let format = match gpu.format_does(DEPTH_STENCIL, attachment) {
        true => DEPTH_STENCIL,
        false => OTHER,
    };
    let color = gpu.image(view.image(COLOR).target())?;
    let depth = gpu.image(view.image(format).target())?;

    // Stencil state that writes a bit, tests bits, or both.
    let stencil = |compare, reference, asks, sets| vk::StencilOpState {
        fail_op: vk::StencilOp::KEEP,
        pass_op: vk::StencilOp::REPLACE,
        depth_fail_op: vk::StencilOp::KEEP,
        compare_op: compare,
        compare_mask: asks,
        write_mask: sets,
        reference,
    };
    let (chosen, floor) = (1, 2);
    let pipeline = |stencil, depth, blend| {
        gpu.graphics(&GraphicsInfo {
            vertex: VERTEX,
            fragment: Some(FRAGMENT),
            streams: &[UNTEXTURED],
            depth: Some(depth),
            stencil: Some([stencil; 2]),
            blend: &[blend],
            colors: &[COLOR],
            depth_format: format,
            push_bytes: 104,
            ..GraphicsInfo::default()
        })
    };
    let less = (vk::CompareOp::LESS, true);
    let above = (vk::CompareOp::ALWAYS, false);
    let always = vk::CompareOp::ALWAYS;
    let plain = pipeline(stencil(always, 0, 0, 0), less, Blend::Off)?;
    let marks_chosen = pipeline(stencil(always, chosen, 0, chosen), less, Blend::Off)?;
    let marks_floor = pipeline(stencil(always, floor, 0, floor), less, Blend::Off)?;
    let on_floor = pipeline(
        stencil(vk::CompareOp::EQUAL, floor, floor, 0),
        above,
        Blend::Alpha,
    )?;
    let around = pipeline(
        stencil(vk::CompareOp::NOT_EQUAL, chosen, chosen, 0),
        above,
        Blend::Off,
    )?;

    let (ball, ring, slab) = (
        Mesh::sphere(48, 24).upload(gpu)?,
        Mesh::torus(0.35, 48, 24).upload(gpu)?,
        Mesh::floor(3.2, 1.0).upload(gpu)?,
    );
    let object = |model, colour, place_size| Object {
        model,
        colour,
        place_size,
    };
    let lift = 0.12 * (2.0 * view.seconds()).sin();
    let ground = object(&slab, [0.035, 0.05, 0.075, 1.0], [0.0, 0.0, 0.0, 1.0]);
    let objects = [
        object(&ball, [0.75, 0.20, 0.16, 1.0], [-1.9, 0.8, -0.3, 0.75]),
        object(&ball, [0.16, 0.42, 0.75, 1.0], [1.9, 0.65, 0.2, 0.6]),
        object(
            &ring,
            [0.80, 0.60, 0.22, 1.0],
            [0.0, 0.85 + lift, 0.0, 0.85],
        ),
    ];
    let picked = &objects[2];
    let lens = Mat4::perspective(0.65, view.aspect(), 0.5, 30.0);
    let to_clip = lens * Mat4::look_at([0.0, 2.2, 6.0], [0.0, 0.45, 0.0]);
    gpu.run(|r| {
        let colors = [Target::clear(&color, [0.55, 0.62, 0.70, 1.0])];
        r.draw_to(&Targets::new(&colors).depth(&depth), |r| {
            ground.draw(r, &marks_floor, to_clip, 0.0, 1.0);
            for object in &objects {
                let mut faint = Object { ..*object };
                faint.colour[3] = 0.35;
                faint.draw(r, &on_floor, to_clip, 0.0, -1.0);
            }
            for object in &objects[..2] {
                object.draw(r, &plain, to_clip, 0.0, 1.0);
            }
            picked.draw(r, &marks_chosen, to_clip, 0.0, 1.0);
            let outline = Object {
                colour: [1.0, 0.85, 0.2, 1.0],
                ..*picked
            };
            outline.draw(r, &around, to_clip, 0.07, 1.0);
            Ok(())
        })
    })?;
    RgbaImage::read(gpu, &color)
}
