//! Probes of open readings of the PRM that need images or several draws.
//!
//! In:  the driver of this process. Out: an [`Observation`] with the values that decide an entry of
//!      ERRATA.md, whatever they are.

use std::path::Path;

use samples::vulkan::{
    Bound, Error, Extension, GraphicsInfo, ImageInfo, RenderPassInfo, SubpassInfo, Target, Targets,
    Wants, extension, feature, vk,
};

use super::observation::{Observation, Outcome};
use super::textures::{self, open};

/// A triangle that covers the target.
const COVER: &str = "#version 450
void main()
{
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0);
}";

/// Width and height of the matrix of thresholds.
const MATRIX_PX: u32 = 4;
/// Shades between two neighbouring values: four for each of sixteen thresholds.
const SHADES: u32 = 64;
/// The lower of the two values.
const VALUE: u32 = 8;
/// One shade for each tile of the matrix's size.
const GRADIENT: &str = "#version 450
layout(push_constant) uniform Push { vec4 largest; };
layout(location = 0) out vec4 colour;
void main()
{
    float shade = (floor(gl_FragCoord.x / 4.0) + 0.5) / 64.0;
    colour = (8.0 + shade) / largest;
}";

/// A channel of a format whose thresholds are measured.
struct Channel {
    name: &'static str,
    shift: u32,
    bits: u32,
}

const fn channel(name: &'static str, shift: u32, bits: u32) -> Channel {
    Channel { name, shift, bits }
}

/// Formats, with bytes of a texel and channels, the first of which is red: narrow channels that
/// Vulkan allows to be dithered, and wider ones.
const DITHERED: &[(vk::Format, usize, &[Channel])] = &[
    (
        vk::Format::R5G6B5_UNORM_PACK16,
        2,
        &[channel("5 bits", 11, 5), channel("6 bits", 5, 6)],
    ),
    (vk::Format::R8G8B8A8_UNORM, 4, &[channel("8 bits", 0, 8)]),
    (
        vk::Format::A2B10G10R10_UNORM_PACK32,
        4,
        &[channel("10 bits", 0, 10)],
    ),
];

/// For each pixel of the matrix, row by row, how many of the shades became the upper value. None if
/// a pixel has neither of the two values.
fn rounded_up(texels: &[u32], channel: &Channel) -> Option<Vec<u32>> {
    let mut counts = vec![0; (MATRIX_PX * MATRIX_PX) as usize];
    let columns = (SHADES * MATRIX_PX) as usize;
    for (at, texel) in texels.iter().enumerate() {
        let (x, y) = (at % columns, at / columns);
        let above = (texel >> channel.shift & ((1 << channel.bits) - 1)).checked_sub(VALUE)?;
        let cell = y % MATRIX_PX as usize * MATRIX_PX as usize + x % MATRIX_PX as usize;
        *counts.get_mut(cell).filter(|_| above <= 1)? += above;
    }
    Some(counts)
}

/// ERRATA.md, "Dithering": the thresholds, as counts of shades that are rounded up.
pub fn dither(_folder: &Path) -> Result<Observation, Error> {
    let gpu = open(&Wants {
        features: &[],
        extensions: &[extension::DITHERING],
    })?;
    let mut seen = Observation::new(Outcome::Pass, "");
    for &(format, texel_bytes, channels) in DITHERED {
        let info = ImageInfo::new(format, SHADES * MATRIX_PX, MATRIX_PX).target();
        let image = gpu.image(info)?;
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: COVER,
            fragment: Some(GRADIENT),
            colors: &[format],
            push_bytes: 16,
            ..GraphicsInfo::default()
        })?;
        let mut largest = [1.0_f32; 4];
        for (to, channel) in largest.iter_mut().zip(channels) {
            *to = ((1_u32 << channel.bits) - 1) as f32;
        }
        gpu.run(|r| {
            let to = [Target::clear(&image, [0.0; 4])];
            r.draw_to(&Targets::new(&to).dithered(), |r| {
                r.bind(&pipeline, &[], &largest);
                r.draw(0, 3, 1);
                Ok(())
            })
        })?;
        let bytes = gpu.read(&image)?;
        let texels = bytes.chunks_exact(texel_bytes).map(|texel| {
            let bytes = texel.iter().rev();
            bytes.fold(0, |word, &byte| word << 8 | u32::from(byte))
        });
        let texels: Vec<u32> = texels.collect();
        for channel in channels {
            match rounded_up(&texels, channel) {
                Some(counts) => seen.value(channel.name, counts),
                None => {
                    seen.outcome = Outcome::Wrong;
                    let name = channel.name;
                    seen.reason = format!("{name}: a pixel has a value that is not next to it");
                    seen.value(channel.name, texels.clone());
                }
            }
        }
    }
    Ok(seen)
}

/// What the uniform buffer holds before the first draw, and after it.
const OLD: u32 = 0x01d0_01d0;
const NEW: u32 = 0x0e30_0e30;
/// Stores what it reads of the uniform buffer, and then changes that buffer, whose memory is a
/// storage buffer too.
const REPLACING: &str = "#version 450
layout(binding = 0) uniform Pushed { uint pushed; };
layout(binding = 1) buffer Same { uint same; };
layout(binding = 2) buffer Seen { uint count; uint seen[3]; };
layout(location = 0) out vec4 colour;
void main()
{
    seen[atomicAdd(count, 1)] = pushed;
    same = 0x0e300e30u;
    colour = vec4(0.0);
}";

/// ERRATA.md, "When push constants are read": three draws of one pixel with one uniform buffer,
/// which the first one changes. Behind it the barrier is one for storage buffers, so that the
/// driver does not emit the constants again; behind the second, one for uniform buffers.
pub fn constants_early(_folder: &Path) -> Result<Observation, Error> {
    let gpu = open(&Wants {
        features: &[feature::FRAGMENT_STORES],
        extensions: &[],
    })?;
    let format = vk::Format::R8G8B8A8_UNORM;
    let color = gpu.image(ImageInfo::new(format, 1, 1).target())?;
    let attachment = vk::AttachmentDescription::default()
        .format(format)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
    let fragments = vk::PipelineStageFlags::FRAGMENT_SHADER;
    let reads = vk::AccessFlags::SHADER_READ | vk::AccessFlags::UNIFORM_READ;
    let pass = gpu.render_pass(&RenderPassInfo {
        attachments: &[attachment],
        subpasses: &[SubpassInfo {
            colors: &[0],
            ..SubpassInfo::default()
        }],
        dependencies: &[vk::SubpassDependency::default()
            .src_stage_mask(fragments)
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_stage_mask(fragments)
            .dst_access_mask(reads)
            .dependency_flags(vk::DependencyFlags::BY_REGION)],
        views: &[],
    })?;
    let framebuffer = gpu.framebuffer(pass, &[color.view], [1; 2])?;
    let constants = gpu.buffer(&[OLD; 16])?;
    let results = gpu.empty_buffer(16)?;
    let set = gpu.set(&[
        Bound::Uniform(&constants),
        Bound::Storage(&constants),
        Bound::Storage(&results),
    ])?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(REPLACING),
        colors: &[format],
        subpass: Some((pass, 0)),
        sets: &[set],
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        let clears = [vk::ClearValue::default()];
        r.render_pass(
            pass,
            framebuffer,
            [1; 2],
            &clears,
            &[&|r| {
                r.bind::<u8>(&pipeline, &[set], &[]);
                r.draw(0, 3, 1);
                r.fragment_barrier(vk::AccessFlags::SHADER_READ);
                r.draw(0, 3, 1);
                r.fragment_barrier(reads);
                r.draw(0, 3, 1);
            }],
        );
        Ok(())
    })?;
    let found = words(&gpu.contents(&results)?);
    let right = match found[..] {
        [3, OLD, second, NEW] => second == OLD || second == NEW,
        _ => false,
    };
    let mut seen = match right {
        true => Observation::new(Outcome::Pass, ""),
        false => Observation::new(
            Outcome::Wrong,
            format!("the draws read {found:08x?}, not 3, {OLD:08x}, either, {NEW:08x}"),
        ),
    };
    seen.value("read by each draw", found.get(1..).unwrap_or(&[]).to_vec());
    Ok(seen)
}

/// ERRATA.md, "Mip tails of surfaces without standard tiling": the texels of each level, if the
/// rung's options let a mip tail start at level 1. Texels of a tail are a finding, not a failure.
pub fn mip_tail(folder: &Path) -> Result<Observation, Error> {
    let seen = textures::mip_levels(folder)?;
    Ok(Observation {
        outcome: Outcome::Pass,
        ..seen
    })
}

/// VK_EXT_sampler_filter_minmax, which has no feature structure.
const MINMAX: Extension = Extension {
    name: ash::ext::sampler_filter_minmax::NAME,
    features: None,
};
/// Texels of a footprint of two by two. The last one is nearest to the sampled position.
const FOOTPRINT: [u32; 4] = [7, 3, 8, 5];
/// Samples where the four texels meet.
const EXTREMES: &str = "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform usampler2D lowest;
layout(binding = 1) uniform usampler2D highest;
layout(binding = 2) buffer Extremes { uint least, most; };
void main()
{
    least = textureLod(lowest, vec2(0.5), 0.0).x;
    most = textureLod(highest, vec2(0.5), 0.0).x;
}";

/// ERRATA.md, "Extremes of integers": minimum and maximum of four integer texels.
pub fn integer_extremes(_folder: &Path) -> Result<Observation, Error> {
    let gpu = open(&Wants {
        features: &[],
        extensions: &[MINMAX],
    })?;
    let image = gpu.image(ImageInfo::new(vk::Format::R32_UINT, 2, 2))?;
    gpu.upload(&image, 0, &FOOTPRINT)?;
    let sampler = |mode| {
        let mut reduction = vk::SamplerReductionModeCreateInfo::default().reduction_mode(mode);
        let clamp = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(vk::Filter::LINEAR)
            .min_filter(vk::Filter::LINEAR)
            .address_mode_u(clamp)
            .address_mode_v(clamp)
            .push_next(&mut reduction);
        gpu.sampler(&info)
    };
    let lowest = sampler(vk::SamplerReductionMode::MIN)?;
    let highest = sampler(vk::SamplerReductionMode::MAX)?;
    let results = gpu.empty_buffer(8)?;
    let set = gpu.set(&[
        Bound::Texture(image.view, lowest),
        Bound::Texture(image.view, highest),
        Bound::Storage(&results),
    ])?;
    let pipeline = gpu.compute(EXTREMES, &[set], 0)?;
    gpu.run(|r| {
        r.bind::<u8>(&pipeline, &[set], &[]);
        r.dispatch([1; 3]);
        Ok(())
    })?;
    let mut seen = Observation::new(Outcome::Pass, "");
    seen.value("minimum, maximum", words(&gpu.contents(&results)?));
    Ok(seen)
}

/// Dwords of little-endian bytes.
fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect()
}

#[cfg(test)]
mod tests;
