//! Images and texel buffers in compute shaders.

use crate::Scene;
use crate::compare::{EXACT, FILTERED, Shot, Tolerance};
use crate::stage::*;
use samples::vulkan::{Bound, GraphicsInfo, ImageInfo, Rate, Stream, Target, Targets, Use, vk};
use samples::{Error, Gpu};

/// Runs a shader of 8 × 8 invocations a group over an image and a storage image of the same size.
fn computed(
    gpu: &Gpu,
    from: ImageInfo,
    to: ImageInfo,
    declarations: &str,
    body: &str,
) -> Result<Vec<Shot>, Error> {
    let (from, to) = (noise(gpu, from)?, gpu.image(to.storage())?);
    let sampler = sampler(gpu, vk::Filter::LINEAR, vk::SamplerAddressMode::REPEAT)?;
    let set = gpu.set(&[
        Bound::Texture(from.view, sampler),
        Bound::StorageImage(to.view),
    ])?;
    let text = format!(
        "#version 450
        layout(local_size_x = 8, local_size_y = 8) in;
        {declarations}
        void main() {{ ivec2 p = ivec2(gl_GlobalInvocationID.xy); {body} }}"
    );
    let pipeline = gpu.compute(&text, &[set], 0)?;
    gpu.run(|r| {
        r.use_as(&to, Use::Storage);
        r.bind::<u8>(&pipeline, &[set], &[]);
        r.dispatch([SIDE / 8, SIDE / 8, to.info.layers]);
        Ok(())
    })?;
    shots(gpu, &to)
}

fn stored(
    name: &str,
    tolerance: Tolerance,
    format: vk::Format,
    layout: &'static str,
    value: &'static str,
) -> Scene {
    scene(name, tolerance, move |gpu| {
        let flat = ImageInfo::new(RGBA8, 16, 16);
        let to = ImageInfo::new(format, SIDE, SIDE);
        let declarations =
            format!("layout(binding = 0) uniform sampler2D t; layout(binding = 1, {layout} to;");
        computed(
            gpu,
            flat,
            to,
            &declarations,
            &format!("imageStore(to, p, {value});"),
        )
    })
}

/// A buffer's vertices are computed and drawn, four times one after the other in one submission:
/// what vertex fetch has kept of those before is none of them. Constants of both stages, which
/// drivers push, are written between draws for which nothing is bound anew.
fn computed_constants(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let constants = gpu.buffer(&[0f32; 12])?;
    let write = gpu.set(&[Bound::Storage(&constants)])?;
    let read = gpu.set(&[Bound::Uniform(&constants)])?;
    let compute = gpu.compute(
        "#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0, std430) buffer Constants { vec4 place, colour; uint count; };
        // Without push constants: drivers may write all stages' anew then.
        void main()
        {
            place = vec4(vec2(count & 1, count >> 1) - 0.875, 0.75, 0.5);
            colour = vec4(count * 0.25, 1.0 - place.xy * 0.5, 1.0);
            count++;
        }",
        &[write],
        0,
    )?;
    let paint = gpu.graphics(&GraphicsInfo {
        vertex: "#version 450
            layout(binding = 0, std140) uniform Constants { vec4 place, colour; };
            void main()
            {
                vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
                gl_Position = vec4(place.xy + corner * place.zw, 0.0, 1.0);
            }",
        fragment: Some(
            "#version 450
            layout(binding = 0, std140) uniform Constants { vec4 place, colour; };
            layout(location = 0) out vec4 to;
            void main() { to = colour; }",
        ),
        sets: &[read],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        ..GraphicsInfo::default()
    })?;
    let to = target(gpu, RGBA8)?;
    gpu.run(|r| {
        r.clear(&to, vk::ClearColorValue { float32: [0.0; 4] });
        for number in 0..4 {
            r.bind::<u8>(&compute, &[write], &[]);
            r.dispatch([1, 1, 1]);
            r.barrier();
            r.draw_to(&Targets::new(&[Target::keep(&to)]), |r| {
                if number == 0 {
                    r.bind::<u8>(&paint, &[read], &[]);
                }
                r.draw(0, 4, 1);
                Ok(())
            })?;
            r.barrier();
        }
        Ok(())
    })?;
    shots(gpu, &to)
}

fn computed_vertices(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    const POINT: Stream<'static> = Stream {
        rate: Rate::Vertex,
        stride_bytes: 8,
        attributes: &[(vk::Format::R32G32_SFLOAT, 0)],
    };
    let corners = gpu.buffer(&[0f32; 8])?;
    let set = gpu.set(&[Bound::Storage(&corners)])?;
    let compute = gpu.compute(
        "#version 450
        layout(local_size_x = 4) in;
        layout(binding = 0) buffer Corners { vec2 corners[]; };
        layout(push_constant) uniform Push { vec2 first; };
        void main()
        {
            uint i = gl_LocalInvocationIndex;
            corners[i] = first + vec2(i & 1, i >> 1) * 0.5;
        }",
        &[set],
        8,
    )?;
    let paint = gpu.graphics(&GraphicsInfo {
        vertex: "#version 450
            layout(location = 0) in vec2 position;
            void main() { gl_Position = vec4(position, 0.0, 1.0); }",
        fragment: Some(
            "#version 450
            layout(location = 0) out vec4 colour;
            void main() { colour = vec4(gl_FragCoord.xy / 32.0, 1.0, 1.0); }",
        ),
        streams: &[POINT],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        ..GraphicsInfo::default()
    })?;
    let to = target(gpu, RGBA8)?;
    gpu.run(|r| {
        r.clear(&to, vk::ClearColorValue { float32: [0.0; 4] });
        for first in [[-1f32, -1.0], [0.25, -0.75], [-0.75, 0.25], [0.5, 0.5]] {
            r.bind(&compute, &[set], &first);
            r.dispatch([1, 1, 1]);
            r.barrier();
            r.draw_to(&Targets::new(&[Target::keep(&to)]), |r| {
                r.bind::<u8>(&paint, &[], &[]);
                r.vertices(&[(&corners, 0)]);
                r.draw(0, 4, 1);
                Ok(())
            })?;
            r.barrier();
        }
        Ok(())
    })?;
    shots(gpu, &to)
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let groups = [stores(), buffers_and_atomics()];
    groups.into_iter().flatten().collect()
}

/// Storage images of each shape and format.
fn stores() -> Vec<Scene> {
    use vk::Format as F;
    vec![
        stored(
            "stored_rgba8",
            EXACT,
            RGBA8,
            "rgba8) uniform writeonly image2D",
            "vec4(p.x & 1, p.y & 1, (p.x >> 3) & 1, 1)",
        ),
        stored(
            "stored_r32f",
            EXACT,
            F::R32_SFLOAT,
            "r32f) uniform writeonly image2D",
            "vec4(float(p.x) * 0.5 + float(p.y))",
        ),
        stored(
            "stored_rgba16f",
            EXACT,
            F::R16G16B16A16_SFLOAT,
            "rgba16f) uniform writeonly image2D",
            "vec4(p.x, p.y, p.x * 2, -p.y)",
        ),
        stored(
            "stored_rgba32ui",
            EXACT,
            F::R32G32B32A32_UINT,
            "rgba32ui) uniform writeonly uimage2D",
            "uvec4(p.x, p.y, p.x * p.y, ~p.x)",
        ),
        stored(
            "stored_r16i",
            EXACT,
            F::R16_SINT,
            "r16i) uniform writeonly iimage2D",
            "ivec4(p.x * p.y - 300)",
        ),
        stored(
            "sampled_in_compute",
            FILTERED,
            RGBA8,
            "rgba8) uniform writeonly image2D",
            "textureLod(t, (vec2(p) + 0.5) / 21.0, 0.0)",
        ),
    ]
}

/// Data computed between draws, loads after stores, atomics and texel buffers.
fn buffers_and_atomics() -> Vec<Scene> {
    use vk::Format as F;
    vec![
        scene(
            "vertices_computed_again_between_draws",
            EXACT,
            computed_vertices,
        ),
        scene(
            "constants_computed_again_between_draws",
            EXACT,
            computed_constants,
        ),
        scene("loaded_and_stored_again", EXACT, |gpu| {
            let image = noise(gpu, ImageInfo::new(RGBA8, SIDE, SIDE).storage())?;
            let set = gpu.set(&[Bound::StorageImage(image.view)])?;
            let pipeline = gpu.compute(
                "#version 450
                layout(local_size_x = 8, local_size_y = 8) in;
                layout(binding = 0, rgba8) uniform image2D t;
                void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); imageStore(t, p, imageLoad(t, p).abgr); }",
                &[set],
                0,
            )?;
            gpu.run(|r| {
                r.use_as(&image, Use::Storage);
                r.bind::<u8>(&pipeline, &[set], &[]);
                r.dispatch([SIDE / 8, SIDE / 8, 1]);
                Ok(())
            })?;
            shots(gpu, &image)
        }),
        scene("counted_by_image_atomics", EXACT, |gpu| {
            let image = gpu.image(ImageInfo::new(F::R32_UINT, 8, 8).storage())?;
            let set = gpu.set(&[Bound::StorageImage(image.view)])?;
            let pipeline = gpu.compute(
                "#version 450
                layout(local_size_x = 8, local_size_y = 8) in;
                layout(binding = 0, r32ui) uniform uimage2D t;
                void main()
                {
                    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
                    // Sums in the upper half, greatest in the lower: neither depends on an order.
                    imageAtomicAdd(t, ivec2(p.x, p.y & 3), uint(p.x + p.y));
                    imageAtomicMax(t, ivec2(p.x >> 1, 4 + (p.y >> 1)), uint(p.x * p.y));
                }",
                &[set],
                0,
            )?;
            gpu.run(|r| {
                let uint32 = [5; 4];
                r.clear(&image, vk::ClearColorValue { uint32 });
                r.use_as(&image, Use::Storage);
                r.bind::<u8>(&pipeline, &[set], &[]);
                r.dispatch([1, 1, 1]);
                Ok(())
            })?;
            shots(gpu, &image)
        }),
        scene("array_of_layers_stored", EXACT, |gpu| {
            let flat = ImageInfo::new(RGBA8, 16, 16);
            let to = ImageInfo::new(RGBA8, SIDE, SIDE).array(3);
            computed(
                gpu,
                flat,
                to,
                "layout(binding = 0) uniform sampler2D t; layout(binding = 1, rgba8) uniform writeonly image2DArray to;",
                "int layer = int(gl_WorkGroupID.z);
                 imageStore(to, ivec3(p, layer), vec4(p.x >> 4 & 1, p.y >> 4 & 1, layer & 1, layer >> 1));",
            )
        }),
        scene("texel_buffers", EXACT, |gpu| {
            let from = gpu.buffer(&bytes(1024, 4))?;
            let to = gpu.empty_buffer(1024)?;
            let set = gpu.set(&[
                Bound::UniformTexels(gpu.texels(&from, RGBA8)?),
                Bound::StorageTexels(gpu.texels(&to, F::R32_UINT)?),
            ])?;
            let pipeline = gpu.compute(
                "#version 450
                layout(local_size_x = 64) in;
                layout(binding = 0) uniform samplerBuffer from;
                layout(binding = 1, r32ui) uniform writeonly uimageBuffer to;
                void main()
                {
                    int i = int(gl_GlobalInvocationID.x);
                    imageStore(to, i, uvec4(packUnorm4x8(texelFetch(from, textureSize(from) - 1 - i).gbar)));
                }",
                &[set],
                0,
            )?;
            gpu.run(|r| {
                r.bind::<u8>(&pipeline, &[set], &[]);
                r.dispatch([4, 1, 1]);
                Ok(())
            })?;
            Ok(vec![Shot {
                what: "the buffer".into(),
                width: 256,
                bytes: gpu.contents(&to)?,
                unit: crate::compare::Unit::Rgba8,
            }])
        }),
    ]
}
