//! Many coloured lamps among columns.
//!
//! Shows: a render pass of two subpasses. The first draws colours, normals and depth of the visible
//! surfaces, the second reads them as input attachments, each pixel its own, and shades it with all
//! lamps, so hidden surfaces are never shaded.

use crate::geometry::{Mesh, UNTEXTURED};
use crate::math::{Mat4, chance};
use crate::programs::program::{COLOR, DEPTH, Program, View};
use crate::rgba_image::RgbaImage;
use crate::vulkan::{
    Bound, Error, Gpu, GraphicsInfo, Rate, RenderPassInfo, Stream, SubpassInfo, Use, vk,
};

pub const PROGRAM: Program = Program {
    name: "deferred",
    about: "Forty lamps: deferred shading with input attachments, in two subpasses",
    features: &[],
    draw,
};

const NORMAL: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
const LAMPS: u32 = 40;

const VERTEX: &str = "#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 place;
layout(location = 3) in vec4 size;
layout(location = 4) in vec4 colour;
layout(push_constant) uniform Push { mat4 to_clip; };
layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_colour;
void main()
{
    out_normal = normalize(normal / size.xyz);
    out_colour = colour.rgb;
    gl_Position = to_clip * vec4(position * size.xyz + place.xyz, 1.0);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 paint;
layout(location = 0) out vec4 out_paint;
layout(location = 1) out vec4 out_normal;
void main()
{
    out_paint = vec4(paint, 1.0);
    out_normal = vec4(normalize(normal), 1.0);
}";

const COVER: &str = "#version 450
void main()
{
    // One triangle that covers everything.
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
    gl_Position = vec4(corner, 0.0, 1.0);
}";

const LIGHT: &str = "#version 450
struct Lamp { vec4 place; vec4 colour; };
layout(input_attachment_index = 0, binding = 0) uniform subpassInput paint;
layout(input_attachment_index = 1, binding = 1) uniform subpassInput normal;
layout(input_attachment_index = 2, binding = 2) uniform subpassInput depth;
layout(binding = 3, std140) uniform Lamps { mat4 to_world; vec4 eye; vec4 size; Lamp lamps[40]; };
layout(location = 0) out vec4 colour;
void main()
{
    vec2 at = gl_FragCoord.xy / size.xy * 2.0 - 1.0;
    vec4 place = to_world * vec4(at, subpassLoad(depth).r, 1.0);
    vec3 world = place.xyz / place.w, n = subpassLoad(normal).xyz;
    vec3 base = subpassLoad(paint).rgb, to_eye = normalize(eye.xyz - world);
    vec3 sum = vec3(0.0);
    if (dot(n, n) > 0.5) {
        sum = base * 0.012;
        for (int i = 0; i < 40; i++) {
            vec3 to = lamps[i].place.xyz - world;
            float far = dot(to, to);
            to *= inversesqrt(far);
            float fall = 1.0 / (0.05 + far * 2.2);
            float shine = 0.7 * pow(max(dot(n, normalize(to + to_eye)), 0.0), 60.0);
            sum += lamps[i].colour.rgb * fall * (base * max(dot(n, to), 0.0) + shine);
        }
    }
    // The lamps themselves glow where the ray to the eye passes near them.
    float distance_seen = length(eye.xyz - world);
    for (int i = 0; i < 40; i++) {
        vec3 to = lamps[i].place.xyz - eye.xyz;
        float along = dot(to, -to_eye);
        float off = dot(to, to) - along * along;
        if (along < distance_seen)
            sum += lamps[i].colour.rgb * 0.0035 / (0.0015 + off);
    }
    sum = sum / (1.0 + 0.6 * sum);
    colour = vec4(sum, 1.0);
}";

fn draw(gpu: &Gpu, view: &View) -> Result<RgbaImage, Error> {
    let inner = |format| gpu.image(view.image(format).target().input());
    let (paint, normal, depth) = (inner(COLOR)?, inner(NORMAL)?, inner(DEPTH)?);
    let result = gpu.image(view.image(COLOR).target())?;
    let size = [view.width, view.height];
    let pass = render_pass(gpu)?;
    let views = [paint.view, normal.view, depth.view, result.view];
    let framebuffer = gpu.framebuffer(pass, &views, size)?;

    let cube = Mesh::cube().upload(gpu)?;
    let ball = Mesh::sphere(32, 16).upload(gpu)?;
    let (columns, balls) = (columns(), balls());
    let column_data = gpu.buffer(columns.as_flattened())?;
    let ball_data = gpu.buffer(balls.as_flattened())?;
    let each = Stream {
        rate: Rate::Instance,
        stride_bytes: 48,
        attributes: &[
            (vk::Format::R32G32B32A32_SFLOAT, 0),
            (vk::Format::R32G32B32A32_SFLOAT, 16),
            (vk::Format::R32G32B32A32_SFLOAT, 32),
        ],
    };
    let first = gpu.graphics(&GraphicsInfo {
        vertex: VERTEX,
        fragment: Some(FRAGMENT),
        streams: &[UNTEXTURED, each],
        cull: vk::CullModeFlags::BACK,
        depth: Some((vk::CompareOp::LESS, true)),
        colors: &[COLOR, NORMAL],
        subpass: Some((pass, 0)),
        push_bytes: 64,
        ..GraphicsInfo::default()
    })?;

    let eye = [0.0, 2.3, 7.5];
    let at = Mat4::look_at(eye, [0.0, 0.9, 0.0]);
    let lens = Mat4::perspective(0.72, view.aspect(), 0.5, 60.0);
    let lamps = gpu.buffer(&lamps(view, at, eye))?;
    let set = gpu.set(&[
        Bound::Input(paint.view),
        Bound::Input(normal.view),
        Bound::Input(depth.view),
        Bound::Uniform(&lamps),
    ])?;
    let second = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(LIGHT),
        colors: &[COLOR],
        subpass: Some((pass, 1)),
        sets: &[set],
        ..GraphicsInfo::default()
    })?;

    let to_clip = lens * at;
    let black = vk::ClearValue::default();
    let far = vk::ClearValue {
        depth_stencil: vk::ClearDepthStencilValue {
            depth: 1.0,
            stencil: 0,
        },
    };
    gpu.run(|r| {
        r.render_pass(
            pass,
            framebuffer,
            size,
            &[black, black, far, black],
            &[
                &|r| {
                    r.bind(&first, &[], to_clip.0.as_flattened());
                    r.vertices(&[(&cube.vertices, 0), (&column_data, 0)]);
                    r.indices(&cube.indices, vk::IndexType::UINT32);
                    r.draw_indexed(0, cube.count, 0, 0..columns.len() as u32);
                    r.vertices(&[(&ball.vertices, 0), (&ball_data, 0)]);
                    r.indices(&ball.indices, vk::IndexType::UINT32);
                    r.draw_indexed(0, ball.count, 0, 0..balls.len() as u32);
                },
                &|r| {
                    r.bind::<u8>(&second, &[set], &[]);
                    r.draw(0, 3, 1);
                },
            ],
        );
        r.left_as(&result, Use::CopyFrom);
        Ok(())
    })?;
    RgbaImage::read(gpu, &result)
}

/// Two subpasses; only the last attachment is stored.
fn render_pass(gpu: &Gpu) -> Result<vk::RenderPass, Error> {
    use vk::{AccessFlags as A, ImageLayout as L, PipelineStageFlags as S};
    let inner = |format, last| {
        vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
            .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
            .final_layout(last)
    };
    let read = L::SHADER_READ_ONLY_OPTIMAL;
    let result = inner(COLOR, L::TRANSFER_SRC_OPTIMAL).store_op(vk::AttachmentStoreOp::STORE);
    let drawn = S::COLOR_ATTACHMENT_OUTPUT | S::LATE_FRAGMENT_TESTS;
    let written = A::COLOR_ATTACHMENT_WRITE | A::DEPTH_STENCIL_ATTACHMENT_WRITE;
    gpu.render_pass(&RenderPassInfo {
        attachments: &[
            inner(COLOR, read),
            inner(NORMAL, read),
            inner(DEPTH, read),
            result,
        ],
        subpasses: &[
            SubpassInfo {
                colors: &[0, 1],
                depth: Some(2),
                ..SubpassInfo::default()
            },
            SubpassInfo {
                colors: &[3],
                inputs: &[0, 1, 2],
                ..SubpassInfo::default()
            },
        ],
        dependencies: &[
            // By region: a pixel of the second subpass waits for the same pixel of the first.
            vk::SubpassDependency::default()
                .src_subpass(0)
                .dst_subpass(1)
                .src_stage_mask(drawn)
                .src_access_mask(written)
                .dst_stage_mask(S::FRAGMENT_SHADER)
                .dst_access_mask(A::INPUT_ATTACHMENT_READ)
                .dependency_flags(vk::DependencyFlags::BY_REGION),
            vk::SubpassDependency::default()
                .src_subpass(1)
                .dst_subpass(vk::SUBPASS_EXTERNAL)
                .src_stage_mask(S::COLOR_ATTACHMENT_OUTPUT)
                .src_access_mask(A::COLOR_ATTACHMENT_WRITE)
                .dst_stage_mask(S::TRANSFER)
                .dst_access_mask(A::TRANSFER_READ),
        ],
        views: &[],
    })
}

/// Position, size and colour of the floor and the columns.
fn columns() -> Vec<[f32; 12]> {
    let stone = [0.62, 0.60, 0.58, 1.0];
    let block = |[x, y, z]: [f32; 3], [w, h, d]: [f32; 3]| {
        let mut data = [0.0; 12];
        data[..8].copy_from_slice(&[x, y, z, 1.0, w, h, d, 1.0]);
        data[8..].copy_from_slice(&stone);
        data
    };
    let mut all = vec![block([0.0, -0.25, -6.0], [14.0, 0.25, 16.0])];
    for row in 0..6 {
        for side in [-1.0, 1.0] {
            let (x, z) = (side * 2.5, 3.0 - 2.6 * row as f32);
            all.push(block([x, 1.6, z], [0.22, 1.6, 0.22]));
            all.push(block([x, 0.12, z], [0.36, 0.12, 0.36]));
            all.push(block([x, 3.25, z], [0.40, 0.12, 0.40]));
        }
    }
    all
}

/// Position, size and colour of the balls on the floor.
fn balls() -> Vec<[f32; 12]> {
    let ball = |i: u32| {
        let size = 0.16 + 0.24 * chance(i + 50);
        let (x, z) = ((chance(i) - 0.5) * 8.4, 4.0 - 12.0 * chance(i + 100));
        let bright = 0.35 + 0.5 * chance(i + 150);
        [
            x, size, z, 1.0, size, size, size, 1.0, bright, bright, bright, 1.0,
        ]
    };
    (0..26).map(ball).collect()
}

/// The uniform block of the second subpass.
fn lamps(view: &View, to_eye: Mat4, eye: [f32; 3]) -> Vec<f32> {
    let mut block = Vec::new();
    block.extend(from_clip(view, to_eye, eye).0.as_flattened());
    block.extend([eye[0], eye[1], eye[2], 1.0]);
    block.extend([view.width as f32, view.height as f32, 0.0, 0.0]);
    for i in 0..LAMPS {
        let turn = view.seconds() * (0.3 + chance(i + 300)) + i as f32;
        let x = (chance(i + 400) - 0.5) * 7.6 + 0.5 * turn.cos();
        let z = 3.8 - 14.0 * chance(i + 500) + 0.5 * turn.sin();
        let hue = chance(i + 600) * std::f32::consts::TAU;
        let part = |shift: f32| (0.5 + 0.5 * (hue + shift).cos()).powi(2) * 1.1 + 0.03;
        block.extend([x, 0.35 + 1.5 * chance(i + 700).powi(2), z, 1.0]);
        block.extend([part(0.0), part(2.1), part(4.2), 1.0]);
    }
    block
}

/// The inverse of view and projection: the projection is inverted by hand, the rotation by its
/// transpose.
fn from_clip(view: &View, to_eye: Mat4, eye: [f32; 3]) -> Mat4 {
    let lens = Mat4::perspective(0.72, view.aspect(), 0.5, 60.0).0;
    let unlens = Mat4([
        [1.0 / lens[0][0], 0.0, 0.0, 0.0],
        [0.0, 1.0 / lens[1][1], 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0 / lens[3][2]],
        [0.0, 0.0, -1.0, lens[2][2] / lens[3][2]],
    ]);
    let m = to_eye.0;
    let unturn = Mat4([
        [m[0][0], m[1][0], m[2][0], 0.0],
        [m[0][1], m[1][1], m[2][1], 0.0],
        [m[0][2], m[1][2], m[2][2], 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]);
    Mat4::translate(eye) * unturn * unlens
}
