//! Text with distance fields, sharp at every size.
//!
//! Shows: a texture of one channel (the distance of each texel from the nearest pen stroke), a quad
//! for each letter as an instance, and a fragment shader that derives strokes, outlines and glow
//! from the distance.

use crate::font::Font;
use crate::programs::program::{COLOR, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{
    Blend, Bound, Error, Gpu, GraphicsInfo, Image, ImageInfo, Rate, Stream, Target, Targets, vk,
};

pub const PROGRAM: Program = Program {
    name: "text",
    about: "Text by distance fields: a font of pen strokes, with outline and glow",
    features: &[],
    draw,
};

/// Letters in a row of the atlas, and the side of a letter's cell in texels.
const ROW: u32 = 8;
const CELL: u32 = 48;
/// Side of a cell in font units: the letter and its margin.
const CELL_UNITS: f32 = 10.0;
/// The largest distance that the atlas stores, in font units.
const REACH: f32 = 2.0;

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 place_size_cell;
layout(location = 1) in vec4 style;
layout(push_constant) uniform Push { vec2 size; vec2 cells; };
layout(location = 0) out vec2 uv;
layout(location = 1) out vec4 out_style;
layout(location = 2) out float up;
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    float cell = place_size_cell.w;
    uv = (vec2(mod(cell, cells.x), floor(cell / cells.x)) + corner) / cells;
    out_style = style;
    up = 1.0 - corner.y;
    vec2 at = place_size_cell.xy + place_size_cell.z * corner;
    gl_Position = vec4(2.0 * at / size - 1.0, 0.0, 1.0);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 style;
layout(location = 2) in float up;
layout(binding = 0) uniform sampler2D atlas;
layout(location = 0) out vec4 colour;
void main()
{
    float far = texture(atlas, uv).r * 2.0;
    float soft = 0.7 * fwidth(far) + 1e-4;
    // The stroke, half as wide as style.w says.
    float ink = 1.0 - smoothstep(style.w - soft, style.w + soft, far);
    vec3 paint = style.rgb;
    float cover = ink;
    if (style.w > 0.5) {
        // The large letters: metal with a bright horizon, a dark outline, and glow.
        float sky = smoothstep(0.30, 0.72, up);
        float horizon = exp(-60.0 * (up - 0.46) * (up - 0.46));
        paint = mix(vec3(0.45, 0.20, 0.03), vec3(1.0, 0.76, 0.32), sky) + 0.5 * horizon;
        paint *= 0.75 + 0.5 * smoothstep(style.w, 0.0, far);
        float outline = 1.0 - smoothstep(style.w + 0.20 - soft, style.w + 0.20 + soft, far);
        float glow = exp(-2.6 * max(far - style.w, 0.0)) * 0.55 * smoothstep(2.0, 1.3, far);
        cover = max(outline, glow);
        paint = mix(mix(vec3(0.9, 0.40, 0.08), vec3(0.03, 0.012, 0.002), outline), paint, ink);
    }
    colour = vec4(paint, cover);
}";

const BACK_VERTEX: &str = "#version 450
layout(location = 0) out vec2 at;
void main()
{
    at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
    gl_Position = vec4(at, 0.0, 1.0);
}";

const BACK_FRAGMENT: &str = "#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    float light = exp(-1.4 * dot(at * vec2(0.8, 1.2), at * vec2(0.8, 1.2)));
    colour = vec4(mix(vec3(0.004, 0.006, 0.014), vec3(0.022, 0.035, 0.075), light), 1.0);
}";

/// The lines of text: text, the middle of the line and the height of the letters as fractions of
/// the image height, colour.
const LINES: &[(&str, f32, f32, [f32; 3])] = &[
    ("INGOT", 0.36, 0.30, [1.0, 0.8, 0.4]),
    (
        "A VULKAN DRIVER FOR INTEL GPUS",
        0.66,
        0.046,
        [0.75, 0.80, 0.95],
    ),
    (
        "SPIR-V > NIR > FS BACKEND > GEN MACHINE CODE > I915",
        0.76,
        0.034,
        [0.40, 0.62, 0.95],
    ),
    (
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789",
        0.87,
        0.028,
        [0.55, 0.50, 0.42],
    ),
];

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    let color = gpu.image(view.image(COLOR).target())?;
    let font = Font::new();
    let letters: Vec<char> = font.letters().collect();
    let rows = (letters.len() as u32).div_ceil(ROW);
    let atlas = atlas(gpu, &font, &letters, rows)?;
    let smooth = gpu.smooth(vk::SamplerAddressMode::CLAMP_TO_EDGE)?;
    let set = gpu.set(&[Bound::Texture(atlas.view, smooth)])?;

    let quads = quads(view, &letters);
    let quad_data = gpu.buffer(quads.as_flattened())?;
    let back = gpu.graphics(&GraphicsInfo {
        vertex: BACK_VERTEX,
        fragment: Some(BACK_FRAGMENT),
        colors: &[COLOR],
        ..GraphicsInfo::default()
    })?;
    let writing = gpu.graphics(&GraphicsInfo {
        vertex: VERTEX,
        fragment: Some(FRAGMENT),
        streams: &[Stream {
            rate: Rate::Instance,
            stride_bytes: 32,
            attributes: &[
                (vk::Format::R32G32B32A32_SFLOAT, 0),
                (vk::Format::R32G32B32A32_SFLOAT, 16),
            ],
        }],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        blend: &[Blend::Alpha],
        colors: &[COLOR],
        sets: &[set],
        push_bytes: 16,
        ..GraphicsInfo::default()
    })?;

    let push = [
        view.width as f32,
        view.height as f32,
        ROW as f32,
        rows as f32,
    ];
    gpu.run(|r| {
        let targets = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&targets), |r| {
            r.bind::<u8>(&back, &[], &[]);
            r.draw(0, 3, 1);
            r.bind(&writing, &[set], &push);
            r.vertices(&[(&quad_data, 0)]);
            r.draw(0, 4, quads.len() as u32);
            Ok(())
        })
    })?;
    RgbaImage::read(gpu, &color)
}

/// A quad for each letter: position and size in texels, cell; colour and half the width of the
/// strokes.
fn quads(view: &View, letters: &[char]) -> Vec<[f32; 8]> {
    let mut quads = Vec::new();
    for (text, middle, part, [red, green, blue]) in LINES {
        // Letters are 6 units high; each advances by 5.6.
        let unit = part * view.height as f32 / 6.0;
        let stroke = if *part > 0.1 { 0.62 } else { 0.38 };
        let width = (text.chars().count() as f32 * 5.6 - 1.6) * unit;
        let left = (view.width as f32 - width) / 2.0;
        let top = middle * view.height as f32 - 3.0 * unit;
        for (i, letter) in text.chars().enumerate() {
            let Some(cell) = letters.iter().position(|l| *l == letter) else {
                continue;
            };
            // The cell has the same margin on all sides of the letter's box.
            let x = left + (i as f32 * 5.6 - (CELL_UNITS - 4.0) / 2.0) * unit;
            let y = top - (CELL_UNITS - 6.0) / 2.0 * unit;
            let size = CELL_UNITS * unit;
            quads.push([x, y, size, cell as f32, *red, *green, *blue, stroke]);
        }
    }
    quads
}

/// The atlas: distances of all letters, as fractions of `REACH`.
fn atlas(gpu: &Gpu, font: &Font, letters: &[char], rows: u32) -> Result<Image, Error> {
    let (width, height) = (ROW * CELL, rows * CELL);
    let mut texels = vec![255_u8; (width * height) as usize];
    for (letter, number) in letters.iter().zip(0..) {
        for y in 0..CELL {
            for x in 0..CELL {
                let units = |at: u32| (at as f32 + 0.5) / CELL as f32 * CELL_UNITS;
                let point = [
                    units(x) - (CELL_UNITS - 4.0) / 2.0,
                    (CELL_UNITS + 6.0) / 2.0 - units(y),
                ];
                let far = font.distance(*letter, point) / REACH;
                let (column, row) = (number % ROW * CELL + x, number / ROW * CELL + y);
                texels[(row * width + column) as usize] = (far.min(1.0) * 255.0).round() as u8;
            }
        }
    }
    let image = gpu.image(ImageInfo::new(vk::Format::R8_UNORM, width, height))?;
    gpu.upload(&image, 0, &texels)?;
    Ok(image)
}
