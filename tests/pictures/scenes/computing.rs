//! Images and texel buffers in compute shaders.

use crate::Scene;
use crate::compare::{EXACT, FILTERED, Shot, Tolerance};
use crate::stage::*;
use samples::vulkan::{Bound, ImageInfo, Use, vk};
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

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
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
