//! What scenes are made of: covers, targets, textures, shots.

use crate::Scene;
use crate::compare::{Shot, Tolerance, Unit};
use samples::math::chance;
use samples::vulkan::{Bound, GraphicsInfo, Image, ImageInfo, Set, Target, Targets, Use, vk};
use samples::{Error, Gpu};

/// What most scenes draw to.
pub const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// What scenes draw to whose values are compared more finely.
pub const RGBA32F: vk::Format = vk::Format::R32G32B32A32_SFLOAT;
/// The side of a target in texels.
pub const SIDE: u32 = 32;

/// One triangle that covers the target; `uv` goes from 0 to 1.
pub const COVER: &str = "#version 450
layout(location = 0) out vec2 uv;
void main()
{
    uv = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;
    gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
}";

/// A scene without special wishes.
pub fn scene(
    name: impl Into<String>,
    tolerance: Tolerance,
    draw: impl Fn(&Gpu) -> Result<Vec<Shot>, Error> + Send + 'static,
) -> Scene {
    Scene {
        name: name.into(),
        features: &[],
        extensions: &[],
        tolerance,
        draw: Box::new(draw),
    }
}

impl Scene {
    /// With features.
    pub fn needs(mut self, features: &'static [samples::vulkan::Feature]) -> Scene {
        self.features = features;
        self
    }

    /// With extensions.
    pub fn extended(mut self, extensions: &'static [samples::vulkan::Extension]) -> Scene {
        self.extensions = extensions;
        self
    }
}

/// A target of `SIDE` by `SIDE` texels.
pub fn target(gpu: &Gpu, format: vk::Format) -> Result<Image, Error> {
    gpu.image(ImageInfo::new(format, SIDE, SIDE).target())
}

/// The unit of a format's bytes.
pub fn unit(format: vk::Format) -> Result<Unit, Error> {
    use vk::Format as F;
    Ok(match format {
        F::R8G8B8A8_UNORM | F::R8G8B8A8_SRGB | F::B8G8R8A8_UNORM => Unit::Rgba8,
        F::R32G32B32A32_SFLOAT => Unit::Rgba32f,
        F::R32_SFLOAT | F::D32_SFLOAT => Unit::Float,
        F::D16_UNORM | F::R16_UNORM => Unit::U16,
        other => {
            let aspect = vk::ImageAspectFlags::COLOR;
            Unit::Bits(samples::vulkan::texel_bytes(other, aspect)?.0 as usize)
        }
    })
}

/// The first level of an image of colours.
pub fn shot(gpu: &Gpu, what: &str, image: &Image) -> Result<Shot, Error> {
    Ok(Shot {
        what: what.into(),
        width: image.info.size_px[0],
        bytes: gpu.read(image)?,
        unit: unit(image.info.format)?,
    })
}

/// One shot.
pub fn shots(gpu: &Gpu, image: &Image) -> Result<Vec<Shot>, Error> {
    Ok(vec![shot(gpu, "the target", image)?])
}

/// The body of a fragment shader that sets `colour` from `uv`, with declarations before it.
pub fn fragment(declarations: &str, body: &str) -> String {
    format!(
        "#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
{declarations}
void main() {{ {body} }}"
    )
}

/// Covers a new target of the format by a fragment shader.
pub fn cover(
    gpu: &Gpu,
    format: vk::Format,
    shader: &str,
    bound: &[Bound<'_>],
) -> Result<Image, Error> {
    let image = target(gpu, format)?;
    let sets: Vec<Set> = match bound {
        [] => Vec::new(),
        _ => vec![gpu.set(bound)?],
    };
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(shader),
        colors: &[format],
        sets: &sets,
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        r.draw_to(&Targets::new(&[Target::clear(&image, [0.0; 4])]), |r| {
            r.bind::<u8>(&pipeline, &sets, &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    })?;
    Ok(image)
}

/// Bytes without a pattern, the same each time.
pub fn bytes(count: u64, seed: u32) -> Vec<u8> {
    let byte = |i| (chance(i + seed * 0x1_0000) * 255.999) as u8;
    (0..count as u32).map(byte).collect()
}

/// An image with bytes without a pattern in all levels and layers, ready to be sampled.
pub fn noise(gpu: &Gpu, info: ImageInfo) -> Result<Image, Error> {
    let image = gpu.image(info)?;
    for mip in 0..info.mips {
        let len_bytes = info.level_bytes(mip, image.aspects())?;
        gpu.upload(&image, mip, &bytes(len_bytes, mip + 1))?;
    }
    gpu.run(|r| {
        r.use_as(&image, Use::Sampled);
        Ok(())
    })?;
    Ok(image)
}

/// A sampler with one filter and one way to wrap.
pub fn sampler(
    gpu: &Gpu,
    filter: vk::Filter,
    wrap: vk::SamplerAddressMode,
) -> Result<vk::Sampler, Error> {
    gpu.sampler(&sampler_info(filter, wrap))
}

/// What such a sampler is.
pub fn sampler_info(
    filter: vk::Filter,
    wrap: vk::SamplerAddressMode,
) -> vk::SamplerCreateInfo<'static> {
    vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
        .address_mode_u(wrap)
        .address_mode_v(wrap)
        .address_mode_w(wrap)
        .max_lod(vk::LOD_CLAMP_NONE)
}
