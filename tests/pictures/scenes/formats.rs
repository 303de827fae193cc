//! Formats: what textures of them are read as, and what drawing to them leaves.

use crate::Scene;
use crate::compare::{EXACT, ROUNDED, Shot, Tolerance, Unit};
use crate::stage::*;
use samples::vulkan::{Bound, ImageInfo, feature, vk};

/// Rounding to a unit that is not 8 bits wide is compared as the bytes that come of it: last bits
/// may differ.
const LAST_BITS: Tolerance = Tolerance {
    steps: 0.02,
    per_mille: 0,
    why: "the last bits of a conversion to float",
};

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    use vk::Format as F;
    let mut all = Vec::new();
    for format in [
        F::R8_UNORM,
        F::R8G8_SNORM,
        F::B8G8R8A8_UNORM,
        F::R5G6B5_UNORM_PACK16,
        F::A1R5G5B5_UNORM_PACK16,
        F::A2B10G10R10_UNORM_PACK32,
        F::B10G11R11_UFLOAT_PACK32,
        F::E5B9G9R9_UFLOAT_PACK32,
        F::R16_UNORM,
        F::R16G16_UNORM,
        F::R16G16B16A16_SNORM,
    ] {
        all.push(read(format, "sampler2D", LAST_BITS));
    }
    for format in [F::R8_UINT, F::R16G16B16A16_UINT, F::R32G32B32A32_UINT] {
        all.push(read(format, "usampler2D", EXACT));
    }
    for format in [F::R8G8B8A8_SINT, F::R32G32_SINT] {
        all.push(read(format, "isampler2D", EXACT));
    }
    for format in [
        F::BC1_RGBA_UNORM_BLOCK,
        F::BC2_UNORM_BLOCK,
        F::BC3_UNORM_BLOCK,
        F::BC4_UNORM_BLOCK,
        F::BC5_UNORM_BLOCK,
        F::BC7_UNORM_BLOCK,
    ] {
        all.push(compressed(format));
    }
    // With the largest step between two of a format's values that lie from 0 to 1, in steps of 8
    // bits.
    for (format, step) in [
        (F::R8_UNORM, 1.0),
        (F::R8G8_UNORM, 1.0),
        (F::B8G8R8A8_UNORM, 1.0),
        (F::R8G8B8A8_SRGB, 3.0),
        (F::R5G6B5_UNORM_PACK16, 9.0),
        (F::A2B10G10R10_UNORM_PACK32, 1.0),
        (F::R16_UNORM, 1.0),
        (F::R16G16B16A16_SFLOAT, 1.0),
        (F::B10G11R11_UFLOAT_PACK32, 4.0),
        (F::R32_SFLOAT, 1.0),
        (F::R32G32_SFLOAT, 1.0),
    ] {
        all.push(drawn(format, step));
    }
    for (format, kind) in [
        (F::R8G8B8A8_UINT, "uvec4"),
        (F::R16_SINT, "ivec4"),
        (F::R32G32B32A32_UINT, "uvec4"),
    ] {
        all.push(drawn_whole(format, kind));
    }
    all
}

/// Bytes without a pattern in this format, drawn as floats.
fn read(format: vk::Format, kind: &'static str, tolerance: Tolerance) -> Scene {
    scene(
        format!("read_{format:?}").to_lowercase(),
        tolerance,
        move |gpu| {
            let image = noise(gpu, ImageInfo::new(format, 16, 16))?;
            let sampler = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::REPEAT)?;
            let shader = fragment(
                &format!("layout(binding = 0) uniform {kind} t;"),
                "colour = vec4(texelFetch(t, ivec2(gl_FragCoord.xy) & 15, 0));",
            );
            let bound = [Bound::Texture(image.view, sampler)];
            shots(gpu, &cover(gpu, RGBA32F, &shader, &bound)?)
        },
    )
}

fn compressed(format: vk::Format) -> Scene {
    let name = format!("read_{format:?}").to_lowercase();
    scene(name, ROUNDED, move |gpu| {
        let image = noise(gpu, ImageInfo::new(format, 32, 32))?;
        let sampler = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::REPEAT)?;
        let shader = fragment(
            "layout(binding = 0) uniform sampler2D t;",
            "colour = texelFetch(t, ivec2(gl_FragCoord.xy), 0);",
        );
        let bound = [Bound::Texture(image.view, sampler)];
        shots(gpu, &cover(gpu, RGBA8, &shader, &bound)?)
    })
    .needs(&[feature::COMPRESSED_BC])
}

/// Colours that every format holds exactly are compared bit by bit; the rest as what reading gives.
fn drawn(format: vk::Format, steps: f32) -> Scene {
    let tolerance = Tolerance { steps, ..ROUNDED };
    scene(
        format!("draw_{format:?}").to_lowercase(),
        tolerance,
        move |gpu| {
            let whole = fragment(
                "",
                "ivec2 p = ivec2(gl_FragCoord.xy) >> 2; colour = vec4(p.x & 1, p.y & 1, (p.x >> 1) & 1, (p.y >> 1) & 1);",
            );
            let exact = cover(gpu, format, &whole, &[])?;
            let bits = Shot {
                unit: Unit::Bits(samples::vulkan::texel_bytes(format, exact.aspects())?.0 as usize),
                ..shot(gpu, "zeros and ones", &exact)?
            };
            let ramp = fragment(
                "",
                "colour = vec4(uv.x, uv.y, uv.x * uv.y, floor(uv.x * 2.0));",
            );
            let ramp = cover(gpu, format, &ramp, &[])?;
            gpu.run(|r| {
                r.use_as(&ramp, samples::vulkan::Use::Sampled);
                Ok(())
            })?;
            let sampler = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::REPEAT)?;
            let shader = fragment(
                "layout(binding = 0) uniform sampler2D t;",
                "colour = texelFetch(t, ivec2(gl_FragCoord.xy), 0);",
            );
            let bound = [Bound::Texture(ramp.view, sampler)];
            let seen = cover(gpu, RGBA8, &shader, &bound)?;
            Ok(vec![bits, shot(gpu, "a ramp, read again", &seen)?])
        },
    )
}

/// Whole numbers.
fn drawn_whole(format: vk::Format, kind: &'static str) -> Scene {
    scene(
        format!("draw_{format:?}").to_lowercase(),
        EXACT,
        move |gpu| {
            let shader = format!(
            "#version 450
            layout(location = 0) out {kind} colour;
            void main() {{ ivec2 p = ivec2(gl_FragCoord.xy); colour = {kind}(p.x, p.y * 7, p.x * p.y, 255 - p.x); }}"
        );
            let image = cover(gpu, format, &shader, &[])?;
            let mut shot = shot(gpu, "the numbers", &image)?;
            shot.unit =
                Unit::Bits(samples::vulkan::texel_bytes(format, image.aspects())?.0 as usize);
            Ok(vec![shot])
        },
    )
}
