//! A field of rings, all drawn by one call.
//!
//! Shows: instanced vertex attributes, `gl_InstanceIndex`, and resolving a multisampled attachment.

use crate::geometry::{Mesh, UNTEXTURED};
use crate::math::{Mat4, Vec3, chance, normalize};
use crate::programs::canvas::Canvas;
use crate::programs::program::{COLOR, DEPTH, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{Error, Gpu, GraphicsInfo, Rate, Stream, vk};

pub const PROGRAM: Program = Program {
    name: "instancing",
    about: "Four hundred rings in one draw: per-instance vertex attributes",
    features: &[],
    draw,
};

const VERTEX: &str = "#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 place_size;
layout(location = 3) in vec4 axis_angle;
layout(push_constant) uniform Push { mat4 to_clip; vec4 eye; };
layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_world;
layout(location = 2) out vec3 out_colour;

vec3 turn(vec3 v)
{
    vec3 k = axis_angle.xyz;
    float s = sin(axis_angle.w), c = cos(axis_angle.w);
    return v * c + cross(k, v) * s + k * dot(k, v) * (1.0 - c);
}

void main()
{
    out_normal = turn(normal);
    out_world = turn(position) * place_size.w + place_size.xyz;
    float hue = fract(float(gl_InstanceIndex) * 0.61803399);
    vec3 wheel = 0.5 + 0.5 * cos(6.2831853 * (hue * 0.35 + vec3(0.0, 0.12, 0.28)));
    out_colour = wheel * wheel;
    gl_Position = to_clip * vec4(out_world, 1.0);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 world;
layout(location = 2) in vec3 base;
layout(push_constant) uniform Push { mat4 to_clip; vec4 eye; };
layout(location = 0) out vec4 colour;
void main()
{
    vec3 n = normalize(normal), to_eye = normalize(eye.xyz - world);
    vec3 sun = normalize(vec3(0.5, 0.8, 0.4));
    float rim = pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);
    float shine = pow(max(dot(n, normalize(sun + to_eye)), 0.0), 50.0);
    vec3 lit = base * (0.08 + 0.95 * max(dot(n, sun), 0.0)) + 0.35 * shine + 0.25 * rim * vec3(0.4, 0.6, 1.0);
    float fog = 1.0 - exp(-0.0085 * dot(eye.xyz - world, eye.xyz - world));
    colour = vec4(mix(lit, vec3(0.030, 0.040, 0.070), fog), 1.0);
}";

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    let canvas = Canvas::new(gpu, view, 4)?;
    let ring = Mesh::torus(0.28, 20, 10).upload(gpu)?;
    let mut places: Vec<[f32; 8]> = Vec::new();
    for i in 0..400 {
        let at = |axis: u32| chance(i * 5 + axis) * 2.0 - 1.0;
        let [x, y, z] = [at(0) * 13.0, at(1) * 7.0, at(2) * 11.0 - 6.0];
        let axis: Vec3 = normalize([at(3), at(4), 0.4]);
        let angle = view.seconds() * (0.5 + chance(i)) + i as f32;
        places.push([
            x,
            y,
            z,
            0.35 + 0.3 * chance(i),
            axis[0],
            axis[1],
            axis[2],
            angle,
        ]);
    }
    let places = gpu.buffer(places.as_flattened())?;
    let each = Stream {
        rate: Rate::Instance,
        stride_bytes: 32,
        attributes: &[
            (vk::Format::R32G32B32A32_SFLOAT, 0),
            (vk::Format::R32G32B32A32_SFLOAT, 16),
        ],
    };
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: VERTEX,
        fragment: Some(FRAGMENT),
        streams: &[UNTEXTURED, each],
        cull: vk::CullModeFlags::BACK,
        depth: Some((vk::CompareOp::LESS, true)),
        samples: canvas.samples,
        colors: &[COLOR],
        depth_format: DEPTH,
        push_bytes: 80,
        ..GraphicsInfo::default()
    })?;

    let eye = [0.0, 1.0, 9.0];
    let lens = Mat4::perspective(0.9, view.aspect(), 0.5, 60.0);
    let to_clip = lens * Mat4::look_at(eye, [0.0, 0.0, -4.0]);
    let mut push = to_clip.0.as_flattened().to_vec();
    push.extend([eye[0], eye[1], eye[2], 0.0]);
    canvas.draw(gpu, [0.030, 0.040, 0.070], |r| {
        r.bind(&pipeline, &[], &push);
        r.vertices(&[(&ring.vertices, 0), (&places, 0)]);
        r.indices(&ring.indices, vk::IndexType::UINT32);
        r.draw_indexed(0, ring.count, 0, 0..400);
        Ok(())
    })?;
    canvas.read(gpu)
}
