//! A cube of cast plates, spinning.
//!
//! Shows: vertex and index buffers, a mipmapped texture, a depth buffer, push constants.

use crate::font::Font;
use crate::geometry::{Mesh, VERTICES};
use crate::math::{Mat4, chance};
use crate::programs::program::{COLOR, DEPTH, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{Bound, Error, Gpu, GraphicsInfo, Image, ImageInfo, Target, Targets, vk};

pub const PROGRAM: Program = Program {
    name: "spinning_cube",
    about: "A textured cube: vertex and index buffers, a mipmapped texture, a depth buffer",
    features: &[],
    draw,
};

const VERTEX: &str = "#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(push_constant) uniform Push { mat4 to_clip; mat4 to_world; };
layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_world;
layout(location = 2) out vec2 out_uv;
void main()
{
    gl_Position = to_clip * vec4(position, 1.0);
    out_world = (to_world * vec4(position, 1.0)).xyz;
    out_normal = mat3(to_world) * normal;
    out_uv = uv;
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 world;
layout(location = 2) in vec2 uv;
layout(binding = 0) uniform sampler2D plate;
layout(location = 0) out vec4 colour;
const vec3 EYE = vec3(0.0, 1.6, 4.6);
void main()
{
    vec3 n = normalize(normal), to_eye = normalize(EYE - world);
    vec3 base = texture(plate, uv).rgb;
    vec3 lit = base * 0.10;
    // A warm lamp on the right, a cold one on the left.
    vec3 lamps[2] = vec3[](vec3(3.0, 4.0, 3.5), vec3(-4.0, 1.0, 2.5));
    vec3 light[2] = vec3[](vec3(1.0, 0.86, 0.70) * 1.5, vec3(0.35, 0.55, 1.0) * 0.7);
    for (int i = 0; i < 2; i++) {
        vec3 to_lamp = normalize(lamps[i] - world);
        vec3 half_way = normalize(to_lamp + to_eye);
        float shine = pow(max(dot(n, half_way), 0.0), 60.0);
        lit += light[i] * (base * max(dot(n, to_lamp), 0.0) + 0.6 * shine * base.r);
    }
    colour = vec4(lit, 1.0);
}";

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    // The attachments.
    let color = gpu.image(view.image(COLOR).target())?;
    let depth = gpu.image(view.image(DEPTH).target())?;

    // Mesh, texture and pipeline.
    let cube = Mesh::cube().upload(gpu)?;
    let plate = plate(gpu)?;
    let smooth = gpu.smooth(vk::SamplerAddressMode::CLAMP_TO_EDGE)?;
    let set = gpu.set(&[Bound::Texture(plate.view, smooth)])?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: VERTEX,
        fragment: Some(FRAGMENT),
        streams: &[VERTICES],
        cull: vk::CullModeFlags::BACK,
        depth: Some((vk::CompareOp::LESS, true)),
        colors: &[COLOR],
        depth_format: DEPTH,
        sets: &[set],
        push_bytes: 128,
        ..GraphicsInfo::default()
    })?;

    // The transformation.
    let angle = 0.72 + view.seconds();
    let to_world = Mat4::rotate([0.0, 1.0, 0.0], angle) * Mat4::rotate([0.6, 0.0, 0.8], 0.35);
    let lens = Mat4::perspective(0.75, view.aspect(), 0.5, 20.0);
    let to_eye = Mat4::look_at([0.0, 1.6, 4.6], [0.0, 0.0, 0.0]);
    let push = [(lens * to_eye * to_world).0, to_world.0];

    let background = [0.012, 0.016, 0.026, 1.0];
    gpu.run(|r| {
        let targets = [Target::clear(&color, background)];
        r.draw_to(&Targets::new(&targets).depth(&depth), |r| {
            r.bind(&pipeline, &[set], push.as_flattened());
            r.vertices(&[(&cube.vertices, 0)]);
            r.indices(&cube.indices, vk::IndexType::UINT32);
            r.draw_indexed(0, cube.count, 0, 0..1);
            Ok(())
        })
    })?;
    RgbaImage::read(gpu, &color)
}

/// The texture: a brass plate with a frame, scratches and a letter, with all mip levels.
fn plate(gpu: &Gpu) -> Result<Image, Error> {
    const SIDE: u32 = 256;
    let font = Font::new();
    let mut texels = Vec::new();
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (u, v) = (x as f32 / SIDE as f32, y as f32 / SIDE as f32);
            let to_edge = u.min(v).min(1.0 - u).min(1.0 - v);
            let to_letter = font.distance('I', [u * 10.0 - 3.0, 8.0 - v * 10.0]);
            // Scratches run along x, as a brush leaves them.
            let scratch = chance(y * 7 + x / 23) * 0.10 + chance(y * 1009 + x) * 0.05;
            let frame = if to_edge < 0.055 { 0.55 } else { 1.0 };
            let groove = 1.0 - 0.75 * (1.0 - (to_edge - 0.055).abs() * 90.0).max(0.0);
            let letter = 0.30 + 0.70 * ((to_letter - 0.42) * 6.0).clamp(0.0, 1.0);
            let bright = (0.80 + scratch) * frame * groove * letter;
            let byte = |part: f32| (part * bright * 255.0).clamp(0.0, 255.0) as u8;
            texels.push([byte(0.98), byte(0.80), byte(0.45), 255]);
        }
    }
    let info = ImageInfo::new(COLOR, SIDE, SIDE).mips(SIDE.ilog2() + 1);
    let image = gpu.image(info)?;
    gpu.upload(&image, 0, texels.as_flattened())?;
    gpu.run(|r| {
        r.make_mips(&image);
        Ok(())
    })?;
    Ok(image)
}
