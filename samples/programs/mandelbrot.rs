//! The edge of the Mandelbrot set, computed.
//!
//! Shows: a compute shader that writes a storage image, and reading that image back, without any
//! draw.

use crate::programs::program::{Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{Bound, Error, Gpu, Use, vk};

pub const PROGRAM: Program = Program {
    name: "mandelbrot",
    about: "The edge of the Mandelbrot set: a compute shader writes an image",
    features: &[],
    draw,
};

const COMPUTE: &str = "#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D picture;
layout(push_constant) uniform Push { vec2 centre; float radius; };

vec3 palette(float t)
{
    return 0.5 + 0.5 * cos(6.2831853 * (t * vec3(1.0, 1.0, 1.0) + vec3(0.62, 0.70, 0.80)));
}

vec3 colour_of(vec2 c)
{
    const int LIMIT = 400;
    vec2 z = vec2(0.0);
    int i = 0;
    while (i < LIMIT && dot(z, z) < 256.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        i++;
    }
    if (i == LIMIT)
        return vec3(0.0);
    // How far it went beyond the circle makes the bands smooth.
    float steps = float(i) - log2(0.5 * log2(dot(z, z)));
    return palette(0.12 * sqrt(max(steps, 0.0)) + 0.02) * min(1.0, steps / 6.0);
}

void main()
{
    ivec2 size = imageSize(picture), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size)))
        return;
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        vec2 off = vec2(i & 1, i >> 1) * 0.5 + 0.25;
        vec2 p = (2.0 * (vec2(at) + off) - vec2(size)) / float(size.y);
        sum += colour_of(centre + radius * p);
    }
    imageStore(picture, at, vec4(sum / 4.0, 1.0));
}";

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    // Shaders cannot store to sRGB formats, so the shader writes sRGB values to a UNORM image.
    let info = view.image(vk::Format::R8G8B8A8_UNORM).storage();
    let image = gpu.image(info)?;
    let set = gpu.set(&[Bound::StorageImage(image.view)])?;
    let pipeline = gpu.compute(COMPUTE, &[set], 12)?;

    let radius = 0.0022 * (-view.seconds() * 0.5).exp();
    let push = [-0.743_64_f32, 0.131_83, radius];
    let groups = [view.width.div_ceil(8), view.height.div_ceil(8), 1];
    gpu.run(|r| {
        r.use_as(&image, Use::Storage);
        r.bind(&pipeline, &[set], &push);
        r.dispatch(groups);
        Ok(())
    })?;
    RgbaImage::read(gpu, &image)
}
