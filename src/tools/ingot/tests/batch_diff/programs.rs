//! Programs that draw what scripts cannot: textures with layers, transform feedback, queries,
//! indirect work and secondary command buffers.

use samples::programs::View;
use samples::vulkan::{
    Asks, Bound, Extension, Feature, GraphicsInfo, Image, ImageInfo, PartOf, Target, Targets, Use,
    extension, feature, vk,
};
use samples::{Error, Gpu};

/// A program.
pub struct Program {
    /// Features that the device must have.
    pub features: &'static [Feature],
    /// Extensions that the device must have.
    pub extensions: &'static [Extension],
    /// Draws.
    pub draw: fn(&Gpu) -> Result<(), Error>,
}

/// The frame that sample programs draw.
pub const VIEW: View = View {
    width: 64,
    height: 64,
    frame: 0,
};

/// Samples an array of layers, a cube and a volume, and writes a storage image.
pub const ARRAYS: Program = Program {
    features: &[],
    extensions: &[],
    draw: arrays,
};
/// Captures vertices, draws them again, and counts samples, times and statistics.
pub const CAPTURES: Program = Program {
    features: &[
        feature::GEOMETRY,
        feature::STATISTICS,
        feature::PRECISE_OCCLUSION,
    ],
    extensions: &[extension::CAPTURES],
    draw: captures,
};
/// Draws and dispatches with arguments from memory, from secondary command buffers.
pub const INDIRECT: Program = Program {
    features: &[feature::MULTI_DRAW_INDIRECT],
    extensions: &[],
    draw: indirect,
};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
const SIDE: u32 = 32;

/// One triangle that covers the target; `uv` goes from 0 to 1.
const COVER: &str = "#version 450
layout(location = 0) out vec2 uv;
void main()
{
    uv = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;
    gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
}";

fn target(gpu: &Gpu, format: vk::Format) -> Result<Image, Error> {
    gpu.image(ImageInfo::new(format, SIDE, SIDE).target())
}

/// An image with contents in all levels, ready to be sampled.
fn texture(gpu: &Gpu, info: ImageInfo) -> Result<Image, Error> {
    let image = gpu.image(info)?;
    for mip in 0..info.mips {
        let len_bytes = info.level_bytes(mip, image.aspects())?;
        let texels: Vec<u8> = (0..len_bytes).map(|i| (i * 37 % 251) as u8).collect();
        gpu.upload(&image, mip, &texels)?;
    }
    gpu.run(|r| {
        r.use_as(&image, Use::Sampled);
        Ok(())
    })?;
    Ok(image)
}

fn arrays(gpu: &Gpu) -> Result<(), Error> {
    let layers = texture(gpu, ImageInfo::new(RGBA8, 16, 16).mips(3).array(4))?;
    let cube = texture(gpu, ImageInfo::new(RGBA8, 16, 16).cube())?;
    let volume = texture(gpu, ImageInfo::new(RGBA8, 8, 8).volume(8))?;
    let smooth = gpu.smooth(vk::SamplerAddressMode::REPEAT)?;
    let border = vk::SamplerCreateInfo::default()
        .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_BORDER)
        .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_BORDER)
        .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE)
        .compare_enable(true)
        .compare_op(vk::CompareOp::LESS);
    let border = gpu.sampler(&border)?;
    let depths = target(gpu, DEPTH)?;
    // Of a table of samplers the first is compared.
    let set = gpu.set(&[
        Bound::Texture(depths.view, border),
        Bound::Texture(layers.view, smooth),
        Bound::Texture(cube.view, smooth),
        Bound::Texture(volume.view, smooth),
    ])?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(
            "#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform sampler2DShadow depths;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2) uniform samplerCube cube;
layout(binding = 3) uniform sampler3D volume;
void main()
{
    colour = texture(layers, vec3(uv, floor(uv.x * 4.0))) + texture(cube, vec3(uv, 1.0))
        + texture(volume, vec3(uv, uv.y)) + texture(depths, vec3(uv * 1.5, 0.5));
}",
        ),
        colors: &[RGBA8],
        sets: &[set],
        ..GraphicsInfo::default()
    })?;
    let color = target(gpu, RGBA8)?;
    let stored = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).storage())?;
    let storage = gpu.set(&[
        Bound::StorageImage(stored.view),
        Bound::Texture(layers.view, smooth),
    ])?;
    let compute = gpu.compute(
        "#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D stored;
layout(binding = 1) uniform sampler2DArray layers;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(stored, at, textureLod(layers, vec3(vec2(at) / 32.0, 1.0), 1.0));
}",
        &[storage],
        0,
    )?;
    gpu.run(|r| {
        r.draw_to(&Targets::new(&[]).depth(&depths), |_| Ok(()))?;
        r.use_as(&depths, Use::Sampled);
        r.draw_to(&Targets::new(&[Target::clear(&color, [0.0; 4])]), |r| {
            r.bind::<u8>(&pipeline, &[set], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })?;
        r.use_as(&stored, Use::Storage);
        r.bind::<u8>(&compute, &[storage], &[]);
        r.dispatch([SIDE / 8, SIDE / 8, 1]);
        Ok(())
    })?;
    gpu.read(&color)?;
    gpu.read(&stored)?;
    Ok(())
}

/// A triangle of each point, captured and drawn.
const POINTS: &str = "#version 450
layout(location = 0) out vec4 corner;
void main() { corner = gl_Position = vec4(float(gl_VertexIndex) / 4.0 - 1.0, 0.0, 0.5, 1.0); }";
const TRIANGLES: &str = "#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out vec4 corner;
void main()
{
    for (int i = 0; i < 3; i++) {
        corner = gl_Position = gl_in[0].gl_Position + vec4(i & 1, i >> 1, 0.0, 0.0);
        EmitVertex();
    }
    EndPrimitive();
}";
const REPEATED: &str = "#version 450
layout(location = 0) in vec4 corner;
void main() { gl_Position = corner; }";
const WHITE: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }";

fn captures(gpu: &Gpu) -> Result<(), Error> {
    use samples::vulkan::{Rate, Stream};
    let (color, depth) = (target(gpu, RGBA8)?, target(gpu, DEPTH)?);
    let capturing = gpu.graphics(&GraphicsInfo {
        vertex: POINTS,
        geometry: Some(TRIANGLES),
        fragment: Some(WHITE),
        topology: vk::PrimitiveTopology::POINT_LIST,
        colors: &[RGBA8],
        depth_format: DEPTH,
        depth: Some((vk::CompareOp::LESS, true)),
        ..GraphicsInfo::default()
    })?;
    let again = gpu.graphics(&GraphicsInfo {
        vertex: REPEATED,
        fragment: Some(WHITE),
        streams: &[Stream {
            rate: Rate::Vertex,
            stride_bytes: 16,
            attributes: &[(vk::Format::R32G32B32A32_SFLOAT, 0)],
        }],
        colors: &[RGBA8],
        depth_format: DEPTH,
        ..GraphicsInfo::default()
    })?;
    let vertices = gpu.empty_buffer(1024)?;
    let counters = gpu.empty_buffer(16)?;
    let results = gpu.empty_buffer(256)?;
    let counted = vk::QueryPipelineStatisticFlags::VERTEX_SHADER_INVOCATIONS
        | vk::QueryPipelineStatisticFlags::FRAGMENT_SHADER_INVOCATIONS;
    let samples = gpu.queries(Asks::Samples, 2)?;
    let times = gpu.queries(Asks::Time, 2)?;
    let statistics = gpu.queries(Asks::Statistics(counted), 1)?;
    let captured = gpu.queries(Asks::Captured, 1)?;
    gpu.run(|r| {
        for queries in [&samples, &times, &statistics, &captured] {
            r.reset(queries);
        }
        r.time(&times, 0, vk::PipelineStageFlags::TOP_OF_PIPE);
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to).depth(&depth), |r| {
            r.bind::<u8>(&capturing, &[], &[]);
            r.capture_to(&[(&vertices, 0, 1024)]);
            r.ask_stream(&captured, 0, 0, |r| {
                r.ask(&statistics, 0, false, |r| {
                    r.ask(&samples, 0, true, |r| {
                        r.capture(&[], &[(&counters, 0)], |r| r.draw(0, 4, 1));
                        r.capture(&[(&counters, 0)], &[(&counters, 0)], |r| r.draw(4, 2, 1));
                    });
                });
            });
            Ok(())
        })?;
        r.barrier();
        let to = [Target::keep(&color)];
        r.draw_to(&Targets::new(&to).load_depth(&depth), |r| {
            r.bind::<u8>(&again, &[], &[]);
            r.vertices(&[(&vertices, 0)]);
            r.ask(&samples, 1, true, |r| {
                r.draw_captured((&counters, 0), 0, 16, 1);
            });
            Ok(())
        })?;
        r.time(&times, 1, vk::PipelineStageFlags::BOTTOM_OF_PIPE);
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        r.copy_results(&samples, &results, 8, flags);
        Ok(())
    })?;
    gpu.results(&samples)?;
    gpu.results(&times)?;
    gpu.read(&color)?;
    Ok(())
}

/// Squares, placed by the number of the instance.
const SQUARES: &str = "#version 450
layout(location = 0) out flat vec4 paint;
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
    gl_Position = vec4((corner + float(gl_InstanceIndex)) / 4.0 - 1.0, 0.0, 1.0);
    paint = vec4(float(gl_VertexIndex & 15) / 15.0, 0.0, 1.0, 1.0);
}";
const PAINT: &str = "#version 450
layout(location = 0) in flat vec4 paint;
layout(location = 0) out vec4 colour;
void main() { colour = paint; }";

fn indirect(gpu: &Gpu) -> Result<(), Error> {
    let color = target(gpu, RGBA8)?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: SQUARES,
        fragment: Some(PAINT),
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        colors: &[RGBA8],
        ..GraphicsInfo::default()
    })?;
    let draws = gpu.buffer(&[[4_u32, 2, 0, 0], [4, 1, 4, 0]])?;
    let indexed = gpu.buffer(&[[4_u32, 3, 0, 4, 0]])?;
    let indices = gpu.buffer(&(0..8_u16).collect::<Vec<_>>())?;
    let counts = gpu.buffer(&[0_u32; 64])?;
    let set = gpu.set(&[Bound::Storage(&counts)])?;
    let compute = gpu.compute(
        "#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer Counts { uint counts[]; };
void main() { atomicAdd(counts[gl_GlobalInvocationID.x & 63u], 1u); }",
        &[set],
        0,
    )?;
    let groups = gpu.buffer(&[4_u32, 1, 1])?;
    let of = PartOf::Rendering {
        colors: &[RGBA8],
        depth: vk::Format::UNDEFINED,
        samples: vk::SampleCountFlags::TYPE_1,
        flags: vk::RenderingFlags::empty(),
    };
    let part = gpu.part(of, Some([SIDE; 2]), |r| {
        r.bind::<u8>(&pipeline, &[], &[]);
        r.draw_indirect(&draws, 2);
        r.indices(&indices, vk::IndexType::UINT16);
        r.draw_indexed_indirect(&indexed, 1);
        Ok(())
    })?;
    let counting = gpu.part(PartOf::Nothing, None, |r| {
        r.bind::<u8>(&compute, &[set], &[]);
        r.dispatch_indirect(&groups);
        Ok(())
    })?;
    gpu.run(|r| {
        r.execute(&[counting]);
        r.barrier();
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_parts_to(&Targets::new(&to), &[part, part])?;
        r.bind::<u8>(&compute, &[set], &[]);
        r.dispatch_indirect(&groups);
        Ok(())
    })?;
    gpu.read(&color)?;
    gpu.contents(&counts)?;
    Ok(())
}
