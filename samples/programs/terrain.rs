//! Mountains from a few patches.
//!
//! Shows: tessellation. The control shader requests more triangles near the eye, the evaluation
//! shader displaces the vertices by a height function, and the fragment shader computes the normal
//! from the same function.

use crate::math::Mat4;
use crate::programs::canvas::Canvas;
use crate::programs::program::{COLOR, DEPTH, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{Error, Gpu, GraphicsInfo, feature, vk};

pub const PROGRAM: Program = Program {
    name: "terrain",
    about: "Mountains: patches tessellated by distance and displaced by noise",
    features: &[feature::TESSELLATION],
    draw,
};

/// Patches along each side.
const PATCHES: u32 = 24;

const PUSH: &str = "
layout(push_constant) uniform Push { mat4 to_clip; vec4 eye; };
";

/// The height of the land, and what it is made of.
const HEIGHT: &str = "
float lattice(ivec2 p)
{
    uint h = uint(p.x) * 0x9e3779b9u ^ uint(p.y) * 0x85ebca6bu;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return float((h ^ (h >> 15)) >> 8) / 16777216.0;
}

float noise(vec2 p)
{
    vec2 cell = floor(p), t = p - cell;
    ivec2 c = ivec2(cell);
    t = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    float low = mix(lattice(c), lattice(c + ivec2(1, 0)), t.x);
    float high = mix(lattice(c + ivec2(0, 1)), lattice(c + ivec2(1, 1)), t.x);
    return mix(low, high, t.y);
}

float height(vec2 p, int octaves)
{
    float sum = 0.0, share = 0.5;
    vec2 q = p * 0.16 + vec2(11.3, 4.7);
    for (int i = 0; i < octaves; i++) {
        // Ridges: folded noise.
        float n = 1.0 - abs(2.0 * noise(q) - 1.0);
        sum += share * n * n;
        share *= 0.46;
        q = mat2(1.6, 1.2, -1.2, 1.6) * q + 7.1;
    }
    // A valley leads into the picture.
    float valley = smoothstep(0.2, 6.0, abs(p.x + 1.5 * sin(p.y * 0.3)));
    return sum * sum * (0.7 + 5.8 * valley) - 0.25;
}
";

const VERTEX: &str = "
layout(location = 0) out vec2 place;
void main()
{
    // Corners of square patches, four for each: no vertex buffer.
    const int SIDE = 24;
    int patch_number = gl_VertexIndex >> 2, corner = gl_VertexIndex & 3;
    ivec2 at = ivec2(patch_number % SIDE, patch_number / SIDE) + ivec2(corner & 1, corner >> 1);
    place = vec2(at) * 2.0 - vec2(24.0, 46.0);
    gl_Position = vec4(0.0);
}";

const CONTROL: &str = "
layout(vertices = 4) out;
layout(location = 0) in vec2 place[];
layout(location = 0) out vec2 out_place[];

float level(vec2 a, vec2 b)
{
    // Both patches at an edge compute the same.
    float far = distance(vec3((a + b) * 0.5, 0.5).xzy, eye.xyz);
    return clamp(90.0 / far, 2.0, 24.0);
}

void main()
{
    out_place[gl_InvocationID] = place[gl_InvocationID];
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter[0] = level(place[0], place[2]);
        gl_TessLevelOuter[1] = level(place[0], place[1]);
        gl_TessLevelOuter[2] = level(place[1], place[3]);
        gl_TessLevelOuter[3] = level(place[2], place[3]);
        gl_TessLevelInner[0] = 0.5 * (gl_TessLevelOuter[1] + gl_TessLevelOuter[3]);
        gl_TessLevelInner[1] = 0.5 * (gl_TessLevelOuter[0] + gl_TessLevelOuter[2]);
    }
}";

const EVALUATION: &str = "
layout(quads, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec2 place[];
layout(location = 0) out vec3 world;
void main()
{
    vec2 t = gl_TessCoord.xy;
    vec2 p = mix(mix(place[0], place[1], t.x), mix(place[2], place[3], t.x), t.y);
    world = vec3(p.x, max(height(p, 6), 0.0), p.y);
    gl_Position = to_clip * vec4(world, 1.0);
}";

const FRAGMENT: &str = "
layout(location = 0) in vec3 world;
layout(location = 0) out vec4 colour;
void main()
{
    vec2 p = world.xz;
    float step_wide = 0.02 + 0.002 * distance(world, eye.xyz);
    float h = height(p, 7);
    vec2 slope = vec2(height(p + vec2(step_wide, 0.0), 7), height(p + vec2(0.0, step_wide), 7)) - h;
    vec3 n = normalize(vec3(-slope.x, step_wide, -slope.y));
    vec3 sun = normalize(vec3(-0.62, 0.42, -0.30)), to_eye = normalize(eye.xyz - world);
    vec3 rock = mix(vec3(0.16, 0.12, 0.10), vec3(0.26, 0.21, 0.18), noise(p * 9.0));
    vec3 grass = mix(vec3(0.050, 0.095, 0.025), vec3(0.10, 0.13, 0.04), noise(p * 5.0));
    vec3 base = mix(rock, grass, smoothstep(0.62, 0.80, n.y) * (1.0 - smoothstep(0.9, 1.7, h)));
    base = mix(base, vec3(0.82, 0.86, 0.92), smoothstep(0.55, 0.75, n.y) * smoothstep(1.5, 2.2, h + 0.6 * noise(p * 2.0)));
    vec3 lit = base * (vec3(0.20, 0.27, 0.40) * (0.5 + 0.5 * n.y) + vec3(2.5, 1.85, 1.25) * max(dot(n, sun), 0.0));
    if (h < 0.0) {
        // Water.
        float deep = 1.0 - exp(9.0 * h);
        vec3 r = reflect(-to_eye, vec3(0.0, 1.0, 0.0));
        vec3 water = mix(vec3(0.010, 0.045, 0.060), vec3(0.55, 0.60, 0.66), pow(1.0 - max(to_eye.y, 0.0), 4.0));
        water += vec3(1.0, 0.75, 0.45) * pow(max(dot(r, sun), 0.0), 120.0);
        lit = mix(lit * 0.6, water, clamp(0.35 + deep, 0.0, 1.0));
    }
    vec3 from_eye = world - eye.xyz;
    float fog = 1.0 - exp(-0.00055 * dot(from_eye, from_eye));
    vec3 sky = mix(vec3(0.60, 0.68, 0.80), vec3(1.0, 0.76, 0.50), pow(max(dot(normalize(from_eye), sun), 0.0), 3.0));
    colour = vec4(mix(lit, sky, fog), 1.0);
}";

const SKY_VERTEX: &str = "
layout(location = 0) out vec2 at;
void main()
{
    at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
    gl_Position = vec4(at, 1.0, 1.0);
}";

const SKY_FRAGMENT: &str = "
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    float up = clamp(0.30 - 0.85 * at.y, 0.0, 1.0);
    vec3 sky = mix(vec3(0.66, 0.72, 0.81), vec3(0.16, 0.33, 0.62), up);
    float glow = exp(-1.6 * distance(at * vec2(1.3, 1.0), vec2(-1.15, -0.55)));
    colour = vec4(sky + vec3(0.55, 0.33, 0.12) * glow, 1.0);
}";

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    let canvas = Canvas::new(gpu, view, 4)?;
    let text = |parts: &[&str]| format!("#version 450\n{}", parts.concat());
    let sky_vertex = text(&[SKY_VERTEX]);
    let sky_fragment = text(&[SKY_FRAGMENT]);
    let targets = GraphicsInfo {
        samples: canvas.samples,
        colors: &[COLOR],
        depth_format: DEPTH,
        ..GraphicsInfo::default()
    };
    let sky = gpu.graphics(&GraphicsInfo {
        vertex: &sky_vertex,
        fragment: Some(&sky_fragment),
        ..targets.clone()
    })?;
    let (vertex, control) = (text(&[VERTEX]), text(&[PUSH, CONTROL]));
    let evaluation = text(&[PUSH, HEIGHT, EVALUATION]);
    let fragment = text(&[PUSH, HEIGHT, FRAGMENT]);
    let land = gpu.graphics(&GraphicsInfo {
        vertex: &vertex,
        tessellation: Some((&control, &evaluation)),
        fragment: Some(&fragment),
        topology: vk::PrimitiveTopology::PATCH_LIST,
        patch_vertices: 4,
        depth: Some((vk::CompareOp::LESS, true)),
        push_bytes: 80,
        ..targets
    })?;

    let eye = [0.6, 2.3, 4.5 - 0.8 * view.seconds()];
    let lens = Mat4::perspective(0.8, view.aspect(), 0.1, 120.0);
    let to_clip = lens * Mat4::look_at(eye, [-0.6, 1.7, eye[2] - 6.0]);
    let mut push = to_clip.0.as_flattened().to_vec();
    push.extend([eye[0], eye[1], eye[2], 1.0]);
    canvas.draw(gpu, [0.0; 3], |r| {
        r.bind::<u8>(&sky, &[], &[]);
        r.draw(0, 3, 1);
        r.bind(&land, &[], &push);
        r.draw(0, PATCHES * PATCHES * 4, 1);
        Ok(())
    })?;
    canvas.read(gpu)
}
