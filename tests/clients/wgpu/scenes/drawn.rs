//! The scenes. Each creates its objects and returns a closure that records a frame.

use crate::stage::{COLOUR, DEPTH, Image, Pipeline, SIDE, SRGB, Stage, nearer, pass};
use wgpu::{BufferUsages, VertexFormat};

/// Records a frame.
pub type Frame<'s> = Box<dyn Fn(&mut wgpu::CommandEncoder) + 's>;
/// Prepares a scene.
pub type Scene = for<'s> fn(&'s Stage) -> Frame<'s>;

/// Names and scenes.
pub const SCENES: [(&str, Scene); 11] = [
    ("triangle", triangle),
    ("floor", floor),
    ("cubes", cubes),
    ("sprites", sprites),
    ("multisample", multisample),
    ("stencil", stencil),
    ("shadow", shadow),
    ("particles", particles),
    ("deferred", deferred),
    ("images", images),
    ("lines", lines),
];

const BACKGROUND: wgpu::Color = wgpu::Color {
    r: 0.1,
    g: 0.12,
    b: 0.2,
    a: 1.0,
};

/// Attributes of consecutive floats: how many each has.
fn attributes(sizes: &[usize]) -> (u64, Vec<wgpu::VertexAttribute>) {
    let mut offset = 0;
    let mut list = Vec::new();
    for (size, location) in sizes.iter().zip(0..) {
        list.push(wgpu::VertexAttribute {
            format: match size {
                1 => VertexFormat::Float32,
                2 => VertexFormat::Float32x2,
                3 => VertexFormat::Float32x3,
                _ => VertexFormat::Float32x4,
            },
            offset,
            shader_location: location,
        });
        offset += *size as u64 * 4;
    }
    (offset, list)
}

fn vertices(
    (stride, list): &(u64, Vec<wgpu::VertexAttribute>),
) -> [Option<wgpu::VertexBufferLayout<'_>>; 1] {
    [Some(wgpu::VertexBufferLayout {
        array_stride: *stride,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: list,
    })]
}

/// Positions and colours from a vertex buffer, interpolated.
fn triangle(stage: &Stage) -> Frame<'_> {
    let attributes = attributes(&[2, 3]);
    let pipeline = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/triangle.wgsl"),
        buffers: &vertices(&attributes),
        ..Default::default()
    });
    #[rustfmt::skip]
    let vertices = stage.floats(&[
         0.0,  0.8, 1.0, 0.0, 0.0,
        -0.8, -0.7, 0.0, 1.0, 0.0,
         0.8, -0.6, 0.0, 0.0, 1.0,
    ], BufferUsages::VERTEX);
    Box::new(move |encoder| {
        let mut pass = pass(encoder, &[&stage.view], None, BACKGROUND, None);
        pass.set_pipeline(&pipeline);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.draw(0..3, 0..1);
    })
}

/// A level of squares in two colours, eight along each side, with a tint that shows which level is
/// sampled. Levels with less than a texel for each square have the mean colour.
///
/// Neighbouring levels are alike on purpose: the part that each has in a pixel is the fraction of a
/// logarithm, and lavapipe's is approximate (half of one of a square, off by up to 0.043).
fn checkers(side: u32, level: u32) -> Vec<u8> {
    let tint = level as u8 * 10;
    let mut texels = Vec::new();
    for y in 0..side {
        for x in 0..side {
            texels.extend(match (side < 8, (x * 8 / side + y * 8 / side) % 2) {
                (true, _) => [150, 145 + tint / 2, 150, 255],
                (false, 0) => [190, 190 - tint, 170, 255],
                (false, _) => [110, 100 + tint, 130, 255],
            });
        }
    }
    texels
}

/// An indexed quad that runs to the horizon, with mipmaps and filters between and within them;
/// isotropic, for an anisotropic filter is each driver's own and has no picture to compare with.
fn floor(stage: &Stage) -> Frame<'_> {
    let pipeline = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/floor.wgsl"),
        ..Default::default()
    });
    let levels = 7;
    let texture = stage.texture(Image {
        side: 64,
        levels,
        ..Default::default()
    });
    for level in 0..levels {
        stage.upload(&texture, (level, 0), &checkers(64 >> level, level));
    }
    let sampler = stage.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: wgpu::AddressMode::Repeat,
        address_mode_v: wgpu::AddressMode::MirrorRepeat,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    });
    let view = texture.create_view(&Default::default());
    let group = stage.group(
        &pipeline.get_bind_group_layout(0),
        vec![
            wgpu::BindingResource::TextureView(&view),
            wgpu::BindingResource::Sampler(&sampler),
        ],
    );
    let indices = stage.integers(&[0, 1, 2, 2, 1, 3], BufferUsages::INDEX);
    Box::new(move |encoder| {
        let mut pass = pass(encoder, &[&stage.view], None, BACKGROUND, None);
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..6, 0, 0..1);
    })
}

/// Corners and normals of a cube's faces, and indices of their triangles.
fn cube() -> (Vec<f32>, Vec<u32>) {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for sign in [-1.0f32, 1.0] {
            let first = vertices.len() as u32 / 6;
            for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
                let mut corner = [0.0; 3];
                (corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3]) = (sign, u, v);
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                vertices.extend(corner);
                vertices.extend(normal);
            }
            let order: [u32; 6] = if sign > 0.0 {
                [0, 1, 2, 2, 1, 3]
            } else {
                [0, 2, 1, 2, 3, 1]
            };
            indices.extend(order.map(|i| first + i));
        }
    }
    (vertices, indices)
}

/// Lit cubes, indexed and instanced, with a depth test, culling and a uniform buffer.
fn cubes(stage: &Stage) -> Frame<'_> {
    let attributes = attributes(&[3, 3]);
    let pipeline = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/cubes.wgsl"),
        buffers: &vertices(&attributes),
        depth: Some(nearer()),
        primitive: wgpu::PrimitiveState {
            cull_mode: Some(wgpu::Face::Back),
            ..Default::default()
        },
        ..Default::default()
    });
    let (vertices, indices) = cube();
    let count = indices.len() as u32;
    let vertices = stage.floats(&vertices, BufferUsages::VERTEX);
    let indices = stage.integers(&indices, BufferUsages::INDEX);
    // Directions of the light; sine and cosine of the turn.
    let uniforms = stage.floats(
        &[0.48, 0.6, -0.64, 0.0, 0.6, 0.8, 0.28, 0.96],
        BufferUsages::UNIFORM,
    );
    let group = stage.group(
        &pipeline.get_bind_group_layout(0),
        vec![uniforms.as_entire_binding()],
    );
    let depth = stage.target(Image {
        format: DEPTH,
        ..Default::default()
    });
    Box::new(move |encoder| {
        let mut pass = pass(encoder, &[&stage.view], None, BACKGROUND, Some(&depth));
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..count, 0, 0..5);
    })
}

/// Instanced discs that blend over each other in order.
fn sprites(stage: &Stage) -> Frame<'_> {
    let pipeline = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/sprites.wgsl"),
        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..Default::default()
        },
        ..Default::default()
    });
    Box::new(move |encoder| {
        let mut pass = pass(encoder, &[&stage.view], None, BACKGROUND, None);
        pass.set_pipeline(&pipeline);
        pass.set_scissor_rect(4, 8, SIDE - 8, SIDE - 20);
        pass.draw(0..4, 0..24);
    })
}

/// A fan of thin triangles with four samples, resolved.
fn multisample(stage: &Stage) -> Frame<'_> {
    let pipeline = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/multisample.wgsl"),
        samples: 4,
        ..Default::default()
    });
    let samples = stage.target(Image {
        samples: 4,
        ..Default::default()
    });
    Box::new(move |encoder| {
        let mut pass = pass(encoder, &[&samples], Some(&stage.view), BACKGROUND, None);
        pass.set_pipeline(&pipeline);
        pass.draw(0..48, 0..1);
    })
}

/// A diamond in the stencil buffer, then stripes inside of it and dots outside.
fn stencil(stage: &Stage) -> Frame<'_> {
    let shader = include_str!("shaders/stencil.wgsl");
    let format = wgpu::TextureFormat::Depth24PlusStencil8;
    let with = |compare, pass_op| {
        let face = wgpu::StencilFaceState {
            compare,
            fail_op: wgpu::StencilOperation::Keep,
            depth_fail_op: wgpu::StencilOperation::Keep,
            pass_op,
        };
        Some(wgpu::DepthStencilState {
            format,
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState {
                front: face,
                back: face,
                read_mask: 0xff,
                write_mask: 0xff,
            },
            bias: Default::default(),
        })
    };
    let pipeline = |depth| {
        stage.pipeline(&Pipeline {
            shader,
            depth,
            ..Default::default()
        })
    };
    let mark = pipeline(with(
        wgpu::CompareFunction::Always,
        wgpu::StencilOperation::Replace,
    ));
    let inside = pipeline(with(
        wgpu::CompareFunction::Equal,
        wgpu::StencilOperation::Keep,
    ));
    let outside = pipeline(with(
        wgpu::CompareFunction::NotEqual,
        wgpu::StencilOperation::IncrementWrap,
    ));
    let buffer = stage.target(Image {
        format,
        ..Default::default()
    });
    Box::new(move |encoder| {
        let mut pass = pass(encoder, &[&stage.view], None, BACKGROUND, Some(&buffer));
        pass.set_stencil_reference(3);
        pass.set_pipeline(&mark);
        pass.draw(0..6, 0..1);
        pass.set_pipeline(&inside);
        pass.draw(6..9, 0..1);
        pass.set_pipeline(&outside);
        pass.draw(9..12, 0..1);
    })
}

/// Depths as a light sees them, then compared with by a sampler.
fn shadow(stage: &Stage) -> Frame<'_> {
    let shader = include_str!("shaders/shadow.wgsl");
    let attributes = attributes(&[3, 3]);
    let caster = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/caster.wgsl"),
        buffers: &vertices(&attributes),
        targets: &[],
        depth: Some(nearer()),
        ..Default::default()
    });
    let pipeline = stage.pipeline(&Pipeline {
        shader,
        buffers: &vertices(&attributes),
        depth: Some(nearer()),
        ..Default::default()
    });
    let image = Image {
        format: DEPTH,
        ..Default::default()
    };
    let (map, depth) = (stage.target(image), stage.target(image));
    let sampler = stage.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..Default::default()
    });
    let group = stage.group(
        &pipeline.get_bind_group_layout(0),
        vec![
            wgpu::BindingResource::TextureView(&map),
            wgpu::BindingResource::Sampler(&sampler),
        ],
    );
    let (mut vertices, mut indices) = cube();
    // Below the cube a plane of the same form.
    let first = vertices.len() as u32 / 6;
    for (x, z) in [(-4.0, -4.0), (4.0, -4.0), (-4.0, 4.0), (4.0, 4.0)] {
        vertices.extend([x, -1.5, z, 0.0, 1.0, 0.0]);
    }
    indices.extend([0, 2, 1, 2, 3, 1].map(|i: u32| first + i));
    let count = indices.len() as u32;
    let vertices = stage.floats(&vertices, BufferUsages::VERTEX);
    let indices = stage.integers(&indices, BufferUsages::INDEX);
    Box::new(move |encoder| {
        for view in [None, Some(&stage.view)] {
            let targets: Vec<_> = view.into_iter().collect();
            let buffer = if targets.is_empty() { &map } else { &depth };
            let mut pass = pass(encoder, &targets, None, BACKGROUND, Some(buffer));
            pass.set_pipeline(if targets.is_empty() {
                &caster
            } else {
                &pipeline
            });
            if !targets.is_empty() {
                pass.set_bind_group(0, &group, &[]);
            }
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..count, 0, 0..1);
        }
    })
}

/// A compute shader writes particles and the parameters of their draw.
fn particles(stage: &Stage) -> Frame<'_> {
    let shader = include_str!("shaders/particles.wgsl");
    let places = stage
        .device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &stage.module(shader),
            entry_point: Some("place"),
            compilation_options: Default::default(),
            cache: None,
        });
    let attributes = attributes(&[2, 4]);
    let pipeline = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/points.wgsl"),
        buffers: &vertices(&attributes),
        blend: Some(wgpu::BlendState {
            color: wgpu::BlendComponent {
                src_factor: wgpu::BlendFactor::One,
                dst_factor: wgpu::BlendFactor::One,
                operation: wgpu::BlendOperation::Add,
            },
            alpha: wgpu::BlendComponent::REPLACE,
        }),
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::PointList,
            ..Default::default()
        },
        ..Default::default()
    });
    const COUNT: usize = 512;
    let points = stage.floats(
        &[0.0; COUNT * 6],
        BufferUsages::VERTEX | BufferUsages::STORAGE,
    );
    let arguments = stage.integers(&[0; 4], BufferUsages::INDIRECT | BufferUsages::STORAGE);
    let group = stage.group(
        &places.get_bind_group_layout(0),
        vec![points.as_entire_binding(), arguments.as_entire_binding()],
    );
    Box::new(move |encoder| {
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&places);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(COUNT as u32 / 64, 1, 1);
        }
        let mut pass = pass(encoder, &[&stage.view], None, wgpu::Color::BLACK, None);
        pass.set_pipeline(&pipeline);
        pass.set_vertex_buffer(0, points.slice(..));
        pass.draw_indirect(&arguments, 0);
    })
}

/// Colours, normals and places to three targets, then light from them.
fn deferred(stage: &Stage) -> Frame<'_> {
    let half = wgpu::TextureFormat::Rgba16Float;
    let formats = [wgpu::TextureFormat::Rgba8UnormSrgb, half, half];
    let geometry = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/geometry.wgsl"),
        targets: &formats,
        depth: Some(nearer()),
        ..Default::default()
    });
    let light = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/light.wgsl"),
        ..Default::default()
    });
    let image = |format| {
        stage.target(Image {
            format,
            ..Default::default()
        })
    };
    let views = formats.map(image);
    let depth = image(DEPTH);
    let resources = views.iter().map(wgpu::BindingResource::TextureView);
    let group = stage.group(&light.get_bind_group_layout(0), resources.collect());
    Box::new(move |encoder| {
        {
            let targets = views.each_ref();
            let mut pass = pass(encoder, &targets, None, wgpu::Color::BLACK, Some(&depth));
            pass.set_pipeline(&geometry);
            pass.draw(0..9, 0..1);
        }
        let mut pass = pass(encoder, &[&stage.view], None, BACKGROUND, None);
        pass.set_pipeline(&light);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    })
}

/// A cube map, an array and a 3D image, each in a part of the image.
fn images(stage: &Stage) -> Frame<'_> {
    let pipeline = stage.pipeline(&Pipeline {
        shader: include_str!("shaders/images.wgsl"),
        ..Default::default()
    });
    let colour = |i: u32| {
        [
            (i * 37 % 256) as u8,
            (i * 91 % 256) as u8,
            (i * 151 % 256) as u8,
            255,
        ]
    };
    let fill = |texture: &wgpu::Texture, layers: u32, side: u32| {
        for layer in 0..layers {
            let texels = (0..side * side).flat_map(|i| colour(layer * 13 + i));
            stage.upload(texture, (0, layer), &texels.collect::<Vec<u8>>());
        }
    };
    let small = Image {
        side: 4,
        ..Default::default()
    };
    let layers = stage.texture(Image { depth: 6, ..small });
    fill(&layers, 6, 4);
    let volume = stage.texture(Image {
        depth: 4,
        dimension: wgpu::TextureDimension::D3,
        format: COLOUR,
        ..small
    });
    fill(&volume, 4, 4);
    let viewed = |dimension| {
        layers.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(dimension),
            ..Default::default()
        })
    };
    let cube = viewed(wgpu::TextureViewDimension::Cube);
    let array = viewed(wgpu::TextureViewDimension::D2Array);
    let whole = volume.create_view(&Default::default());
    let sampler = stage.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    let group = stage.group(
        &pipeline.get_bind_group_layout(0),
        vec![
            wgpu::BindingResource::TextureView(&cube),
            wgpu::BindingResource::TextureView(&array),
            wgpu::BindingResource::TextureView(&whole),
            wgpu::BindingResource::Sampler(&sampler),
        ],
    );
    Box::new(move |encoder| {
        let mut pass = pass(encoder, &[&stage.view], None, BACKGROUND, None);
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        for (part, x) in [(0, 0.0), (1, 0.5)] {
            let side = SIDE as f32 / 2.0;
            pass.set_viewport(x * SIDE as f32, 0.0, side, side, 0.0, 1.0);
            pass.draw(part * 3..part * 3 + 3, 0..1);
        }
        pass.set_viewport(16.0, 68.5, 96.0, 56.0, 0.0, 1.0);
        pass.draw(6..9, 0..1);
    })
}

/// A closed line through centres of pixels, in a panel of 64: each corner stands an eighth before
/// the centre, by both directions that meet there.
///
/// So every rule for lines gives the same pixels if their directions are those of the compass:
/// lavapipe's, which has Vulkan's strict lines (rectangles), and that of diamonds which Intel's
/// parts follow, where the rectangle of a slanted line has now one pixel more and now one less.
fn outline(corners: &[(i8, i8)]) -> Vec<f32> {
    let towards = |(x, y): (i8, i8), (to_x, to_y): (i8, i8)| {
        (
            f32::from((to_x - x).signum()),
            f32::from((to_y - y).signum()),
        )
    };
    let count = corners.len();
    let mut places = Vec::new();
    for (i, corner) in corners.iter().enumerate() {
        let (came_x, came_y) = towards(corners[(i + count - 1) % count], *corner);
        let (goes_x, goes_y) = towards(*corner, corners[(i + 1) % count]);
        places.push((f32::from(corner.0) + 0.5 - (came_x + goes_x) / 8.0) / 32.0 - 1.0);
        places.push((f32::from(corner.1) + 0.5 - (came_y + goes_y) / 8.0) / 32.0 - 1.0);
    }
    places
}

/// Lines in four viewports, each with a scissor, a dynamic offset into one uniform buffer and a
/// panel behind it; all blends in a view of the picture as sRGB. Strips end where the index is the
/// greatest.
fn lines(stage: &Stage) -> Frame<'_> {
    const PANELS: u32 = 4;
    // What an offset into a uniform buffer must be a multiple of, at most.
    const STEP: usize = 256;
    let shader = include_str!("shaders/lines.wgsl");
    let layout = stage.dynamic_layout(wgpu::ShaderStages::VERTEX_FRAGMENT, 32);
    let attributes = attributes(&[2]);
    let pipeline = |topology, strip_index_format| {
        stage.pipeline(&Pipeline {
            shader,
            layout: Some(&layout),
            buffers: &vertices(&attributes),
            targets: &[SRGB],
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            primitive: wgpu::PrimitiveState {
                topology,
                strip_index_format,
                ..Default::default()
            },
            ..Default::default()
        })
    };
    let outlines = pipeline(
        wgpu::PrimitiveTopology::LineStrip,
        Some(wgpu::IndexFormat::Uint16),
    );
    let panel = pipeline(wgpu::PrimitiveTopology::TriangleList, None);
    let figures: [&[(i8, i8)]; 3] = [
        &[
            (20, 6),
            (44, 6),
            (58, 20),
            (58, 44),
            (44, 58),
            (20, 58),
            (6, 44),
            (6, 20),
        ],
        &[(36, 12), (52, 28), (28, 52), (12, 36)],
        &[(24, 24), (24, 38), (42, 38), (42, 24)],
    ];
    // The panel's triangle, then the figures.
    let mut corners = vec![-1.0, -1.0, 3.0, -1.0, -1.0, 3.0];
    let mut indices = Vec::new();
    for figure in figures {
        let first = corners.len() as u16 / 2;
        corners.extend(outline(figure));
        indices.extend(first..corners.len() as u16 / 2);
        indices.extend([first, u16::MAX]);
    }
    let count = indices.len() as u32;
    indices.resize(indices.len().next_multiple_of(2), u16::MAX);
    let corners = stage.floats(&corners, BufferUsages::VERTEX);
    let indices = stage.shorts(&indices, BufferUsages::INDEX);
    // For each panel its colour, and the sine and cosine of the turn of its lines.
    let mut values = vec![0.0; STEP / 4 * PANELS as usize];
    for (i, panel) in values.chunks_exact_mut(STEP / 4).enumerate() {
        let (sine, cosine) = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][i];
        let part = i as f32 / 4.0;
        panel[..6].copy_from_slice(&[0.2 + part, 0.9 - part, 0.5, 0.75, sine, cosine]);
    }
    let uniforms = stage.floats(&values, BufferUsages::UNIFORM);
    let group = stage.group(
        &layout,
        vec![wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &uniforms,
            offset: 0,
            size: wgpu::BufferSize::new(32),
        })],
    );
    Box::new(move |encoder| {
        let mut pass = pass(encoder, &[&stage.srgb_view], None, BACKGROUND, None);
        pass.set_vertex_buffer(0, corners.slice(..));
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint16);
        let half = SIDE / 2;
        for i in 0..PANELS {
            let (x, y) = (i % 2 * half, i / 2 * half);
            pass.set_viewport(x as f32, y as f32, half as f32, half as f32, 0.0, 1.0);
            pass.set_scissor_rect(x + 2 + i, y + 3, half - 8, half - 5 - 2 * i);
            pass.set_bind_group(0, &group, &[i * STEP as u32]);
            pass.set_pipeline(&panel);
            pass.draw(0..3, 0..1);
            pass.set_pipeline(&outlines);
            pass.draw_indexed(0..count, 0, 0..1);
        }
    })
}
