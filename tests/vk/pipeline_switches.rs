//! Random sequences of pipelines, dynamic state, meta operations and secondary command buffers: the
//! images are the same whether draws emit what has changed or all state
//! (`INGOT_DEBUG=full-state`).
//!
//! `INGOT_SWITCHES=first,count` chooses other seeds.

use std::path::PathBuf;
use std::process::Command;

use ash::vk;
use samples::vulkan::{
    Blend, Bound, Buffer, Depth, Feature, GraphicsInfo, Image, ImageInfo, More, PartOf, Pipeline,
    Rate, Recorder, Set, Source, State, Stream, Target, Targets, Wants, extension, feature,
};
use samples::{Error, Gpu};

#[path = "../calls/random.rs"]
#[allow(dead_code, reason = "other tests use the rest of the generator")]
mod random;

use random::Random;

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 corner;
layout(location = 1) in vec4 tint;
layout(push_constant) uniform Push { vec4 offset; vec4 colour; };
layout(location = 0) out vec4 shade;
void main()
{
    gl_Position = vec4(corner.xy + offset.xy, corner.z + offset.z, 1.0);
    gl_PointSize = 3.0;
    shade = tint;
}";
/// More outputs, another attribute order, the index of the vertex, and a uniform buffer.
const WIDE_VERTEX: &str = "#version 450
layout(location = 0) in vec4 corner;
layout(location = 2) in vec4 tint;
layout(set = 0, binding = 0) uniform Scene { vec4 moves[4]; };
layout(push_constant) uniform Push { vec4 offset; vec4 colour; };
layout(location = 0) out vec4 shade;
layout(location = 1) flat out vec4 more[7];
void main()
{
    gl_Position = vec4(corner.xy + moves[gl_InstanceIndex & 3].xy, 0.5 + offset.z, 1.0);
    gl_PointSize = 2.0;
    shade = tint.bgra;
    for (int i = 0; i < 7; ++i)
        more[i] = vec4(float((gl_VertexIndex + i) & 7) / 8.0);
}";
const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 result;
void main() { result = shade; }";
const PUSHED_FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(push_constant) uniform Push { vec4 offset; vec4 colour; };
layout(location = 0) out vec4 result;
void main() { result = colour * 0.5 + shade * 0.25; }";
const SET_FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(set = 0, binding = 0) uniform Scene { vec4 moves[4]; };
layout(set = 0, binding = 1) uniform sampler2D picture;
layout(location = 0) out vec4 result;
void main()
{
    if (shade.a < 0.3) discard;
    result = texture(picture, gl_FragCoord.xy / 32.0) + abs(moves[1]) * 0.5;
}";
const WIDE_FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 1) flat in vec4 more[7];
layout(location = 0) out vec4 result;
void main() { result = shade * 0.5 + more[3] * 0.25 + more[6] * 0.25; }";
const GEOMETRY: &str = "#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 from[];
layout(location = 0) out vec4 shade;
layout(push_constant) uniform Push { vec4 offset; vec4 colour; };
void main()
{
    for (int i = 0; i < 4; ++i) {
        gl_Position = gl_in[i % 3].gl_Position + vec4(i == 3 ? 0.5 : 0.0);
        shade = from[i % 3] * colour;
        EmitVertex();
    }
}";
const CONTROL: &str = "#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 from[];
layout(location = 0) out vec4 to[];
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    to[gl_InvocationID] = from[gl_InvocationID];
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
    gl_TessLevelInner[0] = 2.0;
}";
const EVALUATION: &str = "#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location = 0) in vec4 from[];
layout(location = 0) out vec4 shade;
layout(push_constant) uniform Push { vec4 offset; vec4 colour; };
void main()
{
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position
        + gl_TessCoord.z * gl_in[2].gl_Position;
    shade = gl_TessCoord.x * from[0] + gl_TessCoord.y * from[1] + gl_TessCoord.z * colour;
}";
/// Adds to the uniform buffer.
const COMPUTE: &str = "#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Scene { vec4 moves[4]; };
void main() { moves[gl_LocalInvocationIndex] = fract(moves[gl_LocalInvocationIndex].yzwx + 0.3) - 0.4; }";

const SIDE: u32 = 32;
const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT_S8_UINT;
const SAMPLES: [u32; 2] = [1, 4];
/// Vertices in the buffer.
const VERTICES: u64 = 24;

/// A pipeline, and the dynamic states that must be set after it is bound.
struct Drawn {
    pipeline: Pipeline,
    dynamic: &'static [vk::DynamicState],
}

/// Targets of one sample count.
struct Scene {
    colour: Image,
    depth: Image,
    resolved: Image,
    pipelines: Vec<Drawn>,
}

struct World<'g> {
    gpu: &'g Gpu,
    scenes: Vec<Scene>,
    other: Image,
    vertices: Buffer,
    indices: Buffer,
    sets: [Set; 2],
    compute: Pipeline,
    compute_set: Set,
}

const STREAMS: &[Stream<'static>] = &[Stream {
    rate: Rate::Vertex,
    stride_bytes: 32,
    attributes: &[
        (vk::Format::R32G32B32A32_SFLOAT, 0),
        (vk::Format::R32G32B32A32_SFLOAT, 16),
        (vk::Format::R8G8B8A8_UNORM, 16),
    ],
}];

const DYNAMIC_RASTER: &[vk::DynamicState] = &[
    vk::DynamicState::CULL_MODE,
    vk::DynamicState::FRONT_FACE,
    vk::DynamicState::PRIMITIVE_TOPOLOGY,
];
const DYNAMIC_TESTS: &[vk::DynamicState] = &[
    vk::DynamicState::DEPTH_TEST_ENABLE,
    vk::DynamicState::DEPTH_COMPARE_OP,
    vk::DynamicState::STENCIL_REFERENCE,
    vk::DynamicState::RASTERIZER_DISCARD_ENABLE,
    vk::DynamicState::BLEND_CONSTANTS,
];

fn pipelines(gpu: &Gpu, sets: &[Set], samples: u32) -> Result<Vec<Drawn>, Error> {
    let plain = GraphicsInfo {
        vertex: VERTEX,
        fragment: Some(FRAGMENT),
        streams: STREAMS,
        colors: &[COLOUR],
        depth_format: DEPTH,
        samples,
        sets,
        push_bytes: 32,
        ..GraphicsInfo::default()
    };
    let p = || plain.clone();
    let face = vk::StencilOpState {
        pass_op: vk::StencilOp::INCREMENT_AND_WRAP,
        compare_op: vk::CompareOp::LESS_OR_EQUAL,
        compare_mask: 0xff,
        write_mask: 0xff,
        ..vk::StencilOpState::default()
    };
    let constant = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA)
        .blend_enable(true)
        .src_color_blend_factor(vk::BlendFactor::CONSTANT_COLOR)
        .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA);
    let constant = [Blend::State(constant)];
    let red = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::R);
    let red = [Blend::State(red)];
    #[rustfmt::skip]
    let all = [
        p(),
        p(),
        GraphicsInfo { fragment: Some(PUSHED_FRAGMENT), ..p() },
        GraphicsInfo { fragment: Some(SET_FRAGMENT), ..p() },
        GraphicsInfo { vertex: WIDE_VERTEX, ..p() },
        GraphicsInfo { vertex: WIDE_VERTEX, fragment: Some(WIDE_FRAGMENT), ..p() },
        GraphicsInfo { geometry: Some(GEOMETRY), ..p() },
        GraphicsInfo {
            tessellation: Some((CONTROL, EVALUATION)), patch_vertices: 3,
            topology: vk::PrimitiveTopology::PATCH_LIST, ..p()
        },
        GraphicsInfo {
            tessellation: Some((CONTROL, EVALUATION)), patch_vertices: 3, more: &[More::LowerLeft],
            geometry: Some(GEOMETRY), topology: vk::PrimitiveTopology::PATCH_LIST, ..p()
        },
        GraphicsInfo { fragment: None, depth: Some((vk::CompareOp::ALWAYS, true)), ..p() },
        GraphicsInfo { blend: &[Blend::Alpha], ..p() },
        GraphicsInfo { blend: &[Blend::Add], fragment: Some(PUSHED_FRAGMENT), ..p() },
        GraphicsInfo { blend: &constant, constant: [0.2, 0.5, 0.8, 1.0], ..p() },
        GraphicsInfo { blend: &red, ..p() },
        GraphicsInfo { logic: Some(vk::LogicOp::XOR), ..p() },
        GraphicsInfo { cull: vk::CullModeFlags::BACK, ..p() },
        GraphicsInfo { topology: vk::PrimitiveTopology::LINE_LIST, ..p() },
        GraphicsInfo { topology: vk::PrimitiveTopology::POINT_LIST, ..p() },
        GraphicsInfo { fill: vk::PolygonMode::LINE, ..p() },
        GraphicsInfo { discard: true, ..p() },
        GraphicsInfo { sample_mask: Some(5), ..p() },
        GraphicsInfo { alpha_to_coverage: true, ..p() },
        GraphicsInfo { bias: Some([4.0, 0.0, 1.0]), depth: Some((vk::CompareOp::LESS, true)), ..p() },
        GraphicsInfo { depth: Some((vk::CompareOp::GREATER, true)), stencil: Some([face; 2]), ..p() },
        GraphicsInfo { dynamic: DYNAMIC_RASTER, ..p() },
        GraphicsInfo {
            dynamic: DYNAMIC_TESTS, stencil: Some([face; 2]), blend: &constant,
            depth: Some((vk::CompareOp::LESS, true)), ..p()
        },
    ];
    let pipelines = all.iter().map(|info| {
        Ok(Drawn {
            pipeline: gpu.graphics(info)?,
            dynamic: match info.dynamic.len() {
                3 => DYNAMIC_RASTER,
                5 => DYNAMIC_TESTS,
                _ => &[],
            },
        })
    });
    pipelines.collect()
}

impl<'g> World<'g> {
    fn new(gpu: &'g Gpu) -> Result<Self, Error> {
        let mut random = Random::new(0);
        let number = |random: &mut Random| (random.unit() - 0.5) * 2.4;
        let vertices: Vec<[f32; 8]> = (0..VERTICES)
            .map(|_| {
                let [x, y] = [(); 2].map(|()| number(&mut random));
                let shade = [(); 4].map(|()| random.unit());
                let z = random.unit();
                [x, y, z, 1.0, shade[0], shade[1], shade[2], shade[3]]
            })
            .collect();
        let indices: Vec<u16> = (0..64).map(|_| random.below(VERTICES) as u16).collect();
        let scenes = [[0.1_f32, -0.2, 0.3, 0.4], [-0.3, 0.1, 0.6, 0.2]].map(|row| [row; 4]);
        let [first, second] = [gpu.buffer(&scenes[0])?, gpu.buffer(&scenes[1])?];
        let other = gpu.image(ImageInfo::new(COLOUR, SIDE, SIDE).target().input())?;
        let picture = gpu.image(ImageInfo::new(COLOUR, 4, 4).input())?;
        let texels: Vec<[u8; 4]> = (0..16).map(|i| [i * 16, 255 - i * 9, i * 3, 255]).collect();
        gpu.upload(&picture, 0, &texels)?;
        let sampler = gpu.smooth(vk::SamplerAddressMode::REPEAT)?;
        let [nearest, smooth] = [gpu.sampler(&vk::SamplerCreateInfo::default())?, sampler];
        let sets = [
            gpu.set(&[
                Bound::Uniform(&first),
                Bound::Texture(picture.view, nearest),
            ])?,
            gpu.set(&[
                Bound::Uniform(&second),
                Bound::Texture(picture.view, smooth),
            ])?,
        ];
        let compute_set = gpu.set(&[Bound::Storage(&first)])?;
        let scene = |samples: u32| -> Result<Scene, Error> {
            let target = |format| {
                let info = ImageInfo::new(format, SIDE, SIDE).samples(samples).target();
                gpu.image(info)
            };
            Ok(Scene {
                colour: target(COLOUR)?,
                depth: target(DEPTH)?,
                resolved: gpu.image(ImageInfo::new(COLOUR, SIDE, SIDE).target().input())?,
                pipelines: pipelines(gpu, &sets[..1], samples)?,
            })
        };
        Ok(World {
            gpu,
            scenes: vec![scene(SAMPLES[0])?, scene(SAMPLES[1])?],
            other,
            vertices: gpu.buffer(&vertices)?,
            indices: gpu.buffer(&indices)?,
            sets,
            compute: gpu.compute(COMPUTE, &[compute_set], 0)?,
            compute_set,
        })
    }

    fn bind(&self, r: &Recorder<'_>, random: &mut Random, scene: &Scene) -> Pipeline {
        let drawn = random.pick(&scene.pipelines);
        let push = [(); 8].map(|()| random.unit() * 0.8 - 0.3);
        let sets = [*random.pick(&self.sets)];
        match random.below(4) {
            0 => r.bind(&drawn.pipeline, &sets, &push),
            1 => r.bind(&drawn.pipeline, &[], &push),
            2 => r.bind(&drawn.pipeline, &sets, &push[..0]),
            _ => r.bind(&drawn.pipeline, &[], &push[..0]),
        }
        for state in drawn.dynamic {
            set_state(r, random, *state);
        }
        drawn.pipeline
    }

    /// Everything that draws need.
    fn bind_all(&self, r: &Recorder<'_>, random: &mut Random, scene: &Scene) -> Pipeline {
        let pipeline = self.bind(r, random, scene);
        r.vertices(&[(&self.vertices, 0)]);
        r.indices(&self.indices, vk::IndexType::UINT16);
        r.push(&pipeline, &[0.1_f32, 0.2, 0.1, 0.0, 0.9, 0.6, 0.4, 1.0]);
        r.bind(&pipeline, &self.sets[..1], &[0_f32; 0]);
        pipeline
    }

    fn draws(&self, r: &Recorder<'_>, random: &mut Random, scene: &Scene, bound: &mut Pipeline) {
        for _ in 0..random.range(2, 8) {
            match random.below(12) {
                0..5 => *bound = self.bind(r, random, scene),
                5 => r.push(bound, &[(); 8].map(|()| random.unit())),
                6 => {
                    let size = random.range(8, SIDE) as f32;
                    r.viewports(&[[random.unit() * 8.0, 0.0, size, size, 0.0, 1.0]]);
                }
                7 => {
                    let [x, y] = [(); 2].map(|()| random.range(0, SIDE / 2));
                    r.scissors(&[[x, y, SIDE / 2, SIDE / 2]]);
                }
                8 => r.vertices(&[(&self.vertices, 32 * random.below(3))]),
                9 => {
                    let [x, y] = [(); 2].map(|()| random.range(0, SIDE - 4));
                    let colour = [(); 4].map(|()| random.unit());
                    r.clear_parts(colour, &[[x, y, 4, 4]]);
                }
                _ => {}
            }
            let first = random.range(0, 2) * 3;
            let count = 3 * random.range(1, 4);
            match random.one_in(3) {
                true => r.draw_indexed(first, count, random.range(0, 2) as i32, 0..2),
                false => r.draw(first, count, random.range(1, 3)),
            }
        }
    }

    fn between(&self, r: &Recorder<'_>, random: &mut Random, scene: &Scene) {
        match random.below(5) {
            0 => {
                let colour = vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .layer_count(1);
                let corner = |at: i32, z| vk::Offset3D { x: at, y: at, z };
                let region = vk::ImageBlit::default()
                    .src_subresource(colour)
                    .dst_subresource(colour)
                    .src_offsets([corner(0, 0), corner(20, 1)])
                    .dst_offsets([corner(3, 0), corner(30, 1)]);
                r.blit(&scene.resolved, &self.other, &[region], vk::Filter::LINEAR);
            }
            1 => {
                let float32 = [(); 4].map(|()| random.unit());
                r.clear(&self.other, vk::ClearColorValue { float32 });
            }
            2 => {
                r.barrier();
                r.bind(&self.compute, &[self.compute_set], &[0_f32; 0]);
                r.dispatch([1, 1, 1]);
                r.barrier();
            }
            3 if scene.colour.info.samples > 1 => r.resolve(&scene.colour, &self.other),
            _ => {}
        }
    }

    /// A rendering, of commands or of secondary command buffers.
    fn rendering(
        &self,
        r: &Recorder<'_>,
        random: &mut Random,
        scene: &Scene,
        bound: &mut Option<Pipeline>,
    ) -> Result<(), Error> {
        let mut target = match random.one_in(4) {
            true => Target::clear(&scene.colour, [0.1, 0.2, 0.3, 0.4]),
            false => Target::keep(&scene.colour),
        };
        if scene.colour.info.samples > 1 && random.one_in(2) {
            target = target.resolve(&scene.resolved);
        }
        let colors = [target];
        let clear = random.one_in(3).then_some((0.5, 3));
        let targets = Targets {
            depth: Some(Depth {
                image: &scene.depth,
                clear,
            }),
            ..Targets::new(&colors)
        };
        if random.one_in(4) {
            let part = PartOf::Rendering {
                colors: &[COLOUR],
                depth: DEPTH,
                samples: vk::SampleCountFlags::from_raw(scene.colour.info.samples),
                flags: vk::RenderingFlags::empty(),
            };
            let mut parts = Vec::new();
            for _ in 0..random.range(1, 3) {
                parts.push(self.gpu.part(part, Some([SIDE; 2]), |r| {
                    let mut bound = self.bind_all(r, random, scene);
                    self.draws(r, random, scene, &mut bound);
                    Ok(())
                })?);
            }
            *bound = None;
            return r.draw_parts_to(&targets, &parts);
        }
        r.draw_to(&targets, |r| {
            let mut pipeline = match *bound {
                Some(pipeline) => pipeline,
                None => self.bind_all(r, random, scene),
            };
            self.draws(r, random, scene, &mut pipeline);
            *bound = Some(pipeline);
            Ok(())
        })
    }

    /// One command buffer. Returns all images.
    fn play(&self, seed: u64) -> Result<Vec<u8>, Error> {
        let random = &mut Random::new(seed);
        self.gpu.run(|r| {
            for scene in &self.scenes {
                let start = [Target::clear(&scene.colour, [0.0; 4])];
                let targets = Targets::new(&start).depth(&scene.depth);
                r.draw_to(&targets, |_| Ok(()))?;
                r.clear(&scene.resolved, vk::ClearColorValue { float32: [0.5; 4] });
            }
            r.clear(&self.other, vk::ClearColorValue { float32: [0.7; 4] });
            for _ in 0..2 {
                for scene in &self.scenes {
                    // Pipelines have one sample count.
                    let mut bound = None;
                    for _ in 0..random.range(1, 3) {
                        self.rendering(r, random, scene, &mut bound)?;
                        self.between(r, random, scene);
                    }
                }
            }
            let scene = &self.scenes[1];
            r.resolve(&scene.colour, &scene.resolved);
            Ok(())
        })?;
        let mut bytes = self.gpu.read(&self.scenes[0].colour)?;
        bytes.extend(self.gpu.read(&self.scenes[1].resolved)?);
        bytes.extend(self.gpu.read(&self.other)?);
        Ok(bytes)
    }
}

fn set_state(r: &Recorder<'_>, random: &mut Random, state: vk::DynamicState) {
    use vk::DynamicState as D;
    let on = random.one_in(2);
    r.state(match state {
        D::CULL_MODE if on => State::Cull(vk::CullModeFlags::FRONT),
        D::CULL_MODE => State::Cull(vk::CullModeFlags::NONE),
        D::FRONT_FACE if on => State::Front(vk::FrontFace::CLOCKWISE),
        D::FRONT_FACE => State::Front(vk::FrontFace::COUNTER_CLOCKWISE),
        D::PRIMITIVE_TOPOLOGY if on => State::Topology(vk::PrimitiveTopology::TRIANGLE_STRIP),
        D::PRIMITIVE_TOPOLOGY => State::Topology(vk::PrimitiveTopology::TRIANGLE_LIST),
        D::DEPTH_TEST_ENABLE => State::DepthTest(on),
        D::DEPTH_COMPARE_OP if on => State::DepthCompare(vk::CompareOp::GREATER),
        D::DEPTH_COMPARE_OP => State::DepthCompare(vk::CompareOp::LESS),
        D::STENCIL_REFERENCE => {
            State::StencilReference(vk::StencilFaceFlags::FRONT_AND_BACK, random.range(0, 5))
        }
        D::RASTERIZER_DISCARD_ENABLE => State::Discard(random.one_in(4)),
        _ => State::BlendConstants([(); 4].map(|()| random.unit())),
    });
}

/// Where a child process writes its images.
const IMAGES: &str = "INGOT_SWITCH_IMAGES";

/// Seeds: the first, and how many.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("INGOT_SWITCHES").unwrap_or_default();
    let (first, count) = given.split_once(',').unwrap_or(("1", "12"));
    let [first, count] = [first, count].map(|number| number.parse::<u64>().expect("a number"));
    first..first + count
}

fn draw_all() -> Result<Vec<u8>, Error> {
    crate::rig::entry();
    let features: &[Feature] = &[
        feature::GEOMETRY,
        feature::TESSELLATION,
        feature::FILL_MODES,
        feature::LOGIC_OP,
        feature::LARGE_POINTS,
    ];
    let wants = Wants {
        features,
        extensions: &[extension::DYNAMIC_1, extension::DYNAMIC_2],
    };
    let gpu = Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants)?;
    let world = World::new(&gpu)?;
    let mut all = Vec::new();
    for seed in seeds() {
        all.extend(world.play(seed)?);
    }
    Ok(all)
}

/// The images that another process of this program draws.
fn drawn_with(flags: &str) -> Vec<u8> {
    let name = format!("ingot-switches-{}-{flags}", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    let test = "pipeline_switches::switches_draw_what_full_state_draws";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("INGOT_DEBUG", flags)
        .env(IMAGES, &path)
        .output()
        .unwrap();
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    // A name that is no test would run none, and succeed.
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    bytes
}

#[test]
fn switches_draw_what_full_state_draws() {
    if let Some(path) = std::env::var_os(IMAGES) {
        std::fs::write(path, draw_all().unwrap()).unwrap();
        return;
    }
    // HiZ operations among the draws, although the images are small.
    let [changes, full] = ["fast-clears", "fast-clears,full-state"].map(drawn_with);
    let per_seed = changes.len() / seeds().count();
    assert!(per_seed > 0 && changes.len() == full.len());
    let images = changes.chunks(per_seed).zip(full.chunks(per_seed));
    for ((changes, full), seed) in images.zip(seeds()) {
        assert!(changes == full, "seed {seed}");
        let first = &changes[..4];
        assert!(changes.chunks(4).any(|pixel| pixel != first), "seed {seed}");
    }
}
