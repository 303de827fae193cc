//! Sparks around a fountain of light.
//!
//! Shows: a compute shader that moves points in a storage buffer, the same buffer as a vertex
//! buffer, the barrier between, point sizes, and additive blending.

use crate::math::{Mat4, chance};
use crate::programs::program::{COLOR, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{
    Blend, Bound, Error, Gpu, GraphicsInfo, Rate, Stream, Target, Targets, feature, vk,
};

pub const PROGRAM: Program = Program {
    name: "particles",
    about: "Sparks: a compute shader moves points, which are drawn with additive blending",
    features: &[feature::LARGE_POINTS],
    draw,
};

const COUNT: u32 = 4096;
/// Steps of a sixtieth of a second before the first frame, so that the sparks have spread.
const WARM_UP: u32 = 150;

const MOVE: &str = "#version 450
layout(local_size_x = 64) in;
struct Spark { vec4 place_age; vec4 speed_life; };
layout(binding = 0, std430) buffer Sparks { Spark sparks[]; };

uint hash(uint x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

void main()
{
    const float STEP = 1.0 / 60.0;
    uint i = gl_GlobalInvocationID.x;
    vec4 p = sparks[i].place_age, v = sparks[i].speed_life;
    p.w += STEP;
    if (p.w > v.w) {
        // A new spark leaves the nozzle.
        uint h = hash(i * 747796405u + floatBitsToUint(p.x));
        float a = float(h & 0xffffu) * (6.2831853 / 65536.0), b = float(h >> 16) / 65536.0;
        float wide = 0.25 + 0.75 * b * b;
        p = vec4(0.05 * cos(a), 0.0, 0.05 * sin(a), 0.0);
        v = vec4(wide * cos(a), 3.1 - 0.8 * b, wide * sin(a), 1.2 + 1.2 * fract(b * 7.0));
    }
    // A whirl, and gravity; the floor throws sparks back.
    v.xyz += STEP * (vec3(-p.z, 0.0, p.x) * 1.5 + vec3(0.0, -2.6, 0.0));
    p.xyz += STEP * v.xyz;
    if (p.y < 0.0) {
        p.y = -p.y;
        v.y = -0.45 * v.y;
    }
    sparks[i].place_age = p;
    sparks[i].speed_life = v;
}";

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 place_age;
layout(location = 1) in vec4 speed_life;
layout(push_constant) uniform Push { mat4 to_clip; float height; };
layout(location = 0) out vec3 colour;
void main()
{
    gl_Position = to_clip * vec4(place_age.xyz, 1.0);
    gl_PointSize = clamp(height * 0.055 / gl_Position.w, 1.0, 60.0);
    float age = clamp(place_age.w / speed_life.w, 0.0, 1.0);
    vec3 young = vec3(1.0, 0.75, 0.35), old = vec3(0.75, 0.10, 0.35);
    colour = mix(young, old, age) * (1.0 - age) * 0.5 + vec3(0.01, 0.02, 0.08);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec3 colour;
layout(location = 0) out vec4 result;
void main()
{
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float glow = max(1.0 - dot(p, p), 0.0);
    result = vec4(colour * glow * glow, 1.0);
}";

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    let color = gpu.image(view.image(COLOR).target())?;

    // All sparks end their first life at different times.
    let spark = |i: u32| {
        [
            chance(i),
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            2.4 * chance(i + COUNT),
        ]
    };
    let sparks: Vec<[f32; 8]> = (0..COUNT).map(spark).collect();
    let sparks = gpu.buffer(sparks.as_flattened())?;
    let set = gpu.set(&[Bound::Storage(&sparks)])?;
    let moving = gpu.compute(MOVE, &[set], 0)?;
    let drawing = gpu.graphics(&GraphicsInfo {
        vertex: VERTEX,
        fragment: Some(FRAGMENT),
        streams: &[Stream {
            rate: Rate::Vertex,
            stride_bytes: 32,
            attributes: &[
                (vk::Format::R32G32B32A32_SFLOAT, 0),
                (vk::Format::R32G32B32A32_SFLOAT, 16),
            ],
        }],
        topology: vk::PrimitiveTopology::POINT_LIST,
        blend: &[Blend::Add],
        colors: &[COLOR],
        push_bytes: 68,
        ..GraphicsInfo::default()
    })?;

    let lens = Mat4::perspective(0.8, view.aspect(), 0.1, 20.0);
    let to_clip = lens * Mat4::look_at([0.0, 1.5, 3.6], [0.0, 0.75, 0.0]);
    let mut push = to_clip.0.as_flattened().to_vec();
    push.push(view.height as f32);
    gpu.run(|r| {
        for _ in 0..WARM_UP + view.frame {
            r.bind::<u8>(&moving, &[set], &[]);
            r.dispatch([COUNT / 64, 1, 1]);
            r.barrier();
        }
        let targets = [Target::clear(&color, [0.004, 0.005, 0.012, 1.0])];
        r.draw_to(&Targets::new(&targets), |r| {
            r.bind(&drawing, &[], &push);
            r.vertices(&[(&sparks, 0)]);
            r.draw(0, COUNT, 1);
            Ok(())
        })
    })?;
    RgbaImage::read(gpu, &color)
}
