//! A star of thin rays, once with one sample and once with four, magnified.
//!
//! Shows: a multisampled attachment, resolving it, and a blit that scales with nearest filtering.

use crate::programs::program::{COLOR, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{
    Error, Gpu, GraphicsInfo, Image, ImageInfo, Rate, Recorder, Stream, Target, Targets, vk,
};
use std::f32::consts::TAU;

pub const PROGRAM: Program = Program {
    name: "msaa",
    about: "A star with one sample per pixel on the left and four on the right, magnified",
    features: &[],
    draw,
};

/// Magnification.
const ZOOM: u32 = 4;
const RAYS: u32 = 26;

const VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 colour;
layout(push_constant) uniform Push { vec2 stretch; };
layout(location = 0) out vec3 out_colour;
void main()
{
    out_colour = colour;
    gl_Position = vec4(position * stretch, 0.0, 1.0);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec3 colour;
layout(location = 0) out vec4 result;
void main() { result = vec4(colour, 1.0); }";

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    let whole = gpu.image(view.image(COLOR))?;
    // Each half is rendered at a low resolution and magnified.
    let (width, height) = (view.width.div_ceil(2 * ZOOM), view.height.div_ceil(ZOOM));
    let star = star(view.seconds());
    let vertices = gpu.buffer(star.as_flattened())?;
    let stretch = [
        0.9 * (height as f32 / width as f32).min(1.0),
        0.9 * (width as f32 / height as f32).min(1.0),
    ];
    let draw_star = |r: &Recorder<'_>, target: Target<'_>, samples| {
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: VERTEX,
            fragment: Some(FRAGMENT),
            streams: &[Stream {
                rate: Rate::Vertex,
                stride_bytes: 20,
                attributes: &[
                    (vk::Format::R32G32_SFLOAT, 0),
                    (vk::Format::R32G32B32_SFLOAT, 8),
                ],
            }],
            samples,
            colors: &[COLOR],
            push_bytes: 8,
            ..GraphicsInfo::default()
        })?;
        r.draw_to(&Targets::new(&[target]), |r| {
            r.bind(&pipeline, &[], &stretch);
            r.vertices(&[(&vertices, 0)]);
            r.draw(0, star.len() as u32, 1);
            Ok(())
        })
    };

    let info = ImageInfo::new(COLOR, width, height).target();
    let (plain, resolved) = (gpu.image(info)?, gpu.image(info)?);
    let sampled = gpu.image(info.samples(4))?;
    let background = [0.010, 0.013, 0.022, 1.0];
    gpu.run(|r| {
        draw_star(r, Target::clear(&plain, background), 1)?;
        let target = Target::clear(&sampled, background).resolve(&resolved);
        draw_star(r, target, 4)?;
        magnify(r, &plain, &whole, 0);
        magnify(r, &resolved, &whole, view.width / 2);
        Ok(())
    })?;
    RgbaImage::read(gpu, &whole)
}

/// Scales an image into the half of another that begins at this column.
fn magnify(r: &Recorder<'_>, from: &Image, to: &Image, column: u32) {
    let layers = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: 0,
        base_array_layer: 0,
        layer_count: 1,
    };
    let corner = |x: u32, y: u32, z| vk::Offset3D {
        x: x as i32,
        y: y as i32,
        z,
    };
    let [width, height, _] = from.info.size_px;
    let [whole_width, whole_height, _] = to.info.size_px;
    let half = (whole_width / 2).max(1);
    let region = vk::ImageBlit::default()
        .src_subresource(layers)
        .src_offsets([corner(0, 0, 0), corner(width, height, 1)])
        .dst_subresource(layers)
        .dst_offsets([corner(column, 0, 0), corner(column + half, whole_height, 1)]);
    r.blit(from, to, &[region], vk::Filter::NEAREST);
}

/// Triangles from the middle outwards: position and colour.
fn star(seconds: f32) -> Vec<[f32; 5]> {
    let mut corners = Vec::new();
    for ray in 0..RAYS {
        let angle = (ray as f32 + 0.3 + seconds) * TAU / RAYS as f32;
        let at = |turn: f32, far: f32| [far * (angle + turn).cos(), far * (angle + turn).sin()];
        let hue = |shift: f32| {
            let wave = (ray as f32 / RAYS as f32 * TAU + shift).cos();
            (0.5 + 0.5 * wave).powi(2) * 0.9 + 0.06
        };
        let colour = [hue(0.0), hue(2.1), hue(4.2)];
        for [x, y] in [at(0.0, 0.12), at(-0.045, 1.0), at(0.045, 1.0)] {
            corners.push([x, y, colour[0], colour[1], colour[2]]);
        }
    }
    corners
}
