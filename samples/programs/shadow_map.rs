//! Objects on a floor under a lamp, with shadows.
//!
//! Shows: rendering depth alone from the lamp's position, then sampling it with a comparison; depth
//! bias against self-shadowing, and percentage-closer filtering for soft edges.

use crate::geometry::{Mesh, Model, UNTEXTURED};
use crate::math::Mat4;
use crate::programs::canvas::Canvas;
use crate::programs::program::{COLOR, DEPTH, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{
    Bound, Buffer, Error, Gpu, GraphicsInfo, ImageInfo, Pipeline, Recorder, Set, Targets, Use, vk,
};

pub const PROGRAM: Program = Program {
    name: "shadow_map",
    about: "Shadows: a depth map rendered from the lamp, sampled with a comparison",
    features: &[],
    draw,
};

/// Side of the shadow map in texels.
const MAP: u32 = 1024;

const SCENE: &str = "
layout(binding = 0, std140) uniform Scene { mat4 to_clip; mat4 to_lamp; vec4 lamp; vec4 eye; };
layout(push_constant) uniform Push { mat4 to_world; vec4 base; };
";

const DEPTH_VERTEX: &str = "
layout(location = 0) in vec3 position;
void main() { gl_Position = to_lamp * to_world * vec4(position, 1.0); }
";

const VERTEX: &str = "
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_world;
void main()
{
    vec4 world = to_world * vec4(position, 1.0);
    out_world = world.xyz;
    out_normal = mat3(to_world) * normal;
    gl_Position = to_clip * world;
}";

const FRAGMENT: &str = "
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 world;
layout(binding = 1) uniform sampler2DShadow map;
layout(location = 0) out vec4 colour;

float light()
{
    vec4 p = to_lamp * vec4(world, 1.0);
    p.xyz /= p.w;
    vec2 uv = p.xy * 0.5 + 0.5;
    float sum = 0.0;
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++)
            sum += texture(map, vec3(uv + vec2(x, y) * 1.3 / textureSize(map, 0), p.z));
    return sum / 25.0;
}

void main()
{
    vec3 n = normalize(normal), to_eye = normalize(eye.xyz - world);
    vec3 to_light = lamp.xyz - world;
    float far = length(to_light);
    to_light /= far;
    vec3 paint = base.rgb;
    if (base.a > 0.5) {
        // The floor: boards of two woods.
        vec2 tile = floor(world.xz * 1.1);
        paint *= mod(tile.x + tile.y, 2.0) < 0.5 ? 1.0 : 0.62;
    }
    float shade = light() * max(dot(n, to_light), 0.0) * 34.0 / (far * far);
    float shine = light() * pow(max(dot(n, normalize(to_light + to_eye)), 0.0), 50.0);
    vec3 sky = vec3(0.16, 0.20, 0.30) * (0.5 + 0.5 * n.y) * 0.35;
    vec3 lit = paint * (sky + shade * vec3(1.0, 0.84, 0.62)) + 0.35 * (1.0 - base.a) * shine;
    float fog = 1.0 - exp(-0.0045 * dot(world, world));
    colour = vec4(mix(lit, vec3(0.020, 0.024, 0.040), fog), 1.0);
}";

/// An object: mesh, position, and colour; the colour's alpha tells whether it is the floor.
struct Object {
    model: Model,
    to_world: Mat4,
    base: [f32; 4],
}

fn draw_all(r: &Recorder<'_>, objects: &[Object], pipeline: &Pipeline, set: Set) {
    for object in objects {
        let mut push = object.to_world.0.as_flattened().to_vec();
        push.extend(object.base);
        r.bind(pipeline, &[set], &push);
        r.vertices(&[(&object.model.vertices, 0)]);
        r.indices(&object.model.indices, vk::IndexType::UINT32);
        r.draw_indexed(0, object.model.count, 0, 0..1);
    }
}

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    let canvas = Canvas::new(gpu, view, 4)?;
    let map = gpu.image(ImageInfo::new(DEPTH, MAP, MAP).target())?;
    let sampler = gpu.sampler(
        &vk::SamplerCreateInfo::default()
            .mag_filter(vk::Filter::LINEAR)
            .min_filter(vk::Filter::LINEAR)
            // Outside the shadow map everything is lit.
            .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_BORDER)
            .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_BORDER)
            .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE)
            .compare_enable(true)
            .compare_op(vk::CompareOp::LESS_OR_EQUAL),
    )?;
    let scene = scene(gpu, view)?;
    let set = gpu.set(&[Bound::Uniform(&scene)])?;
    let lit_set = gpu.set(&[Bound::Uniform(&scene), Bound::Texture(map.view, sampler)])?;
    let objects = objects(gpu, view)?;

    let text = |body: &str| format!("#version 450\n{SCENE}{body}");
    let (depth_vertex, vertex, fragment) = (text(DEPTH_VERTEX), text(VERTEX), text(FRAGMENT));
    let to_map = gpu.graphics(&GraphicsInfo {
        vertex: &depth_vertex,
        streams: &[crate::vulkan::Stream {
            attributes: &UNTEXTURED.attributes[..1],
            ..UNTEXTURED
        }],
        depth: Some((vk::CompareOp::LESS, true)),
        bias: Some([4.0, 0.0, 7.0]),
        depth_format: DEPTH,
        sets: &[set],
        push_bytes: 80,
        ..GraphicsInfo::default()
    })?;
    let to_canvas = gpu.graphics(&GraphicsInfo {
        vertex: &vertex,
        fragment: Some(&fragment),
        streams: &[UNTEXTURED],
        cull: vk::CullModeFlags::BACK,
        depth: Some((vk::CompareOp::LESS, true)),
        samples: canvas.samples,
        colors: &[COLOR],
        depth_format: DEPTH,
        sets: &[lit_set],
        push_bytes: 80,
        ..GraphicsInfo::default()
    })?;

    gpu.run(|r| {
        r.draw_to(&Targets::new(&[]).depth(&map), |r| {
            draw_all(r, &objects, &to_map, set);
            Ok(())
        })?;
        r.use_as(&map, Use::Sampled);
        canvas.record(r, [0.020, 0.024, 0.040], |r| {
            draw_all(r, &objects, &to_canvas, lit_set);
            Ok(())
        })
    })?;
    canvas.read(gpu)
}

/// The uniform block: both projections, the lamp and the eye.
fn scene(gpu: &Gpu, view: &View) -> Result<Buffer, Error> {
    let angle = 3.6 + 0.5 * view.seconds();
    let lamp = [4.2 * angle.cos(), 5.2, 4.2 * angle.sin()];
    let eye = [0.0, 3.4, 8.2];
    let lens = Mat4::perspective(0.62, view.aspect(), 0.5, 60.0);
    let to_clip = lens * Mat4::look_at(eye, [0.0, 0.55, 0.0]);
    let to_lamp = Mat4::perspective(1.15, 1.0, 1.0, 20.0) * Mat4::look_at(lamp, [0.0, 0.3, 0.0]);
    let mut block = Vec::new();
    block.extend(to_clip.0.as_flattened());
    block.extend(to_lamp.0.as_flattened());
    block.extend([lamp[0], lamp[1], lamp[2], 1.0, eye[0], eye[1], eye[2], 1.0]);
    gpu.buffer(&block)
}

fn objects(gpu: &Gpu, view: &View) -> Result<Vec<Object>, Error> {
    let (ball, cube) = (Mesh::sphere(48, 24).upload(gpu)?, Mesh::cube().upload(gpu)?);
    let ring = Mesh::torus(0.3, 64, 24).upload(gpu)?;
    let floor = Mesh::floor(30.0, 1.0).upload(gpu)?;
    let at = |place, size| Mat4::translate(place) * Mat4::scale([size; 3]);
    let turned = Mat4::rotate([0.0, 1.0, 0.0], 0.5);
    let spin = Mat4::rotate([0.0, 0.6, 0.8], 1.1 + view.seconds());
    let object = |model, to_world, base| Object {
        model,
        to_world,
        base,
    };
    let mut all = vec![
        object(floor, Mat4::IDENTITY, [0.46, 0.34, 0.24, 1.0]),
        object(
            cube,
            at([-2.1, 0.8, 0.1], 0.8) * turned,
            [0.14, 0.30, 0.52, 0.0],
        ),
        object(ball, at([1.9, 0.75, 0.6], 0.75), [0.62, 0.16, 0.10, 0.0]),
        object(
            ring,
            at([0.0, 1.45, -0.2], 0.95) * spin,
            [0.75, 0.52, 0.14, 0.0],
        ),
    ];
    for i in 0..7 {
        let angle = 0.9 * i as f32;
        let place = [3.6 * angle.cos(), 0.28, 3.6 * angle.sin() - 0.6];
        all.push(object(ball, at(place, 0.28), [0.35, 0.42, 0.36, 0.0]));
    }
    Ok(all)
}
