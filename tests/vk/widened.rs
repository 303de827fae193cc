//! Colours of three channels of one or two bytes: images that the driver lays out have a fourth
//! channel, which must not be observable.

use ash::vk;
use samples::vulkan::{
    Blend, Bound, GraphicsInfo, Image, ImageInfo, Source, Target, Targets, Use, Wants,
};
use samples::{Error, Gpu};

use crate::images::{Region, download, info, layer, noise, offset, regions, upload};
use crate::rig::Rig;

const THREE: vk::Format = vk::Format::R16G16B16_SFLOAT;
const FOUR: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
/// So large that clears are by blocks, and blocks are compressed.
const SIDE: u32 = 256;

const COVER: &str = "#version 450
layout(location = 0) out vec2 uv;
void main()
{
    uv = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;
    gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
}";
/// Alpha is not 1, and some samples of a pixel are left out.
const RAMP: &str = "#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(uv, 3.0 * uv.x * uv.y, 0.25); if (uv.x + uv.y < 0.7) discard; }";
const SEEN: &str = "#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { colour = texture(t, uv); }";

/// A ramp, blended by what alpha there is, on a colour; joined, of several samples.
fn drawn(gpu: &Gpu, format: vk::Format, samples: u32) -> Result<Image, Error> {
    use vk::BlendFactor as F;
    let info = ImageInfo::new(format, SIDE, SIDE).target();
    let (image, joined) = (gpu.image(info.samples(samples))?, gpu.image(info)?);
    let state = vk::PipelineColorBlendAttachmentState::default()
        .blend_enable(true)
        .src_color_blend_factor(F::DST_ALPHA)
        .dst_color_blend_factor(F::ONE_MINUS_SRC_ALPHA)
        .color_write_mask(
            vk::ColorComponentFlags::R | vk::ColorComponentFlags::G | vk::ColorComponentFlags::B,
        );
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(RAMP),
        colors: &[format],
        blend: &[Blend::State(state)],
        samples,
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        // One image keeps alpha 1, the other has none.
        let to = Target::clear(&image, [0.5, 0.25, 8.0, 1.0]);
        let to = match samples {
            1 => to,
            _ => to.resolve(&joined),
        };
        r.draw_to(&Targets::new(&[to]), |r| {
            r.bind::<u8>(&pipeline, &[], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    })?;
    Ok(match samples {
        1 => image,
        _ => joined,
    })
}

/// The texels that the sampler returns, alpha included.
fn seen(gpu: &Gpu, image: &Image) -> Result<Vec<u8>, Error> {
    let target = gpu.image(ImageInfo::new(FOUR, SIDE, SIDE).target())?;
    let sampler = gpu.smooth(vk::SamplerAddressMode::CLAMP_TO_EDGE)?;
    let set = [gpu.set(&[Bound::Texture(image.view, sampler)])?];
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(SEEN),
        colors: &[FOUR],
        sets: &set,
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        r.use_as(image, Use::Sampled);
        r.draw_to(&Targets::new(&[Target::clear(&target, [0.0; 4])]), |r| {
            r.bind::<u8>(&pipeline, &set, &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    })?;
    gpu.read(&target)
}

#[test]
fn three_channel_half_targets_match_four_channel_ones() {
    crate::rig::entry();
    let wants = Wants {
        features: &[],
        extensions: &[],
    };
    let gpu = Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants).unwrap();
    for samples in [1, 4] {
        let [three, four] = [THREE, FOUR].map(|format| drawn(&gpu, format, samples).unwrap());
        let [threes, fours] = [&three, &four].map(|image| gpu.read(image).unwrap());
        let without: Vec<u8> = fours
            .chunks_exact(8)
            .flat_map(|texel| texel[..6].to_vec())
            .collect();
        assert!(threes == without, "{samples} samples");
        // The clear colour is left somewhere, and something is drawn.
        let cleared = [0x00, 0x38, 0x00, 0x34, 0x00, 0x48];
        let left = threes
            .chunks_exact(6)
            .filter(|texel| **texel == cleared)
            .count();
        assert!((1000..60_000).contains(&left), "{left}");
        assert!(
            seen(&gpu, &three).unwrap() == seen(&gpu, &four).unwrap(),
            "{samples} samples"
        );
    }
}

/// Copies a box from an image of one tiling to one of another.
fn copied(rig: &Rig, tilings: [vk::ImageTiling; 2], formats: [vk::Format; 2], texel_bytes: usize) {
    let [source, target] = [0, 1].map(|side: usize| {
        info(formats[side], tilings[side])
            .mip_levels(1)
            .array_layers(2)
    });
    let images = [&source, &target].map(|info| crate::images::Image::new(rig, info));
    let there = regions(&source, false);
    let put = rig.buffer(there.last().map_or(0, Region::end) as u64);
    let got = rig.buffer(put.data.len() as u64);
    noise(put.data, 3);
    got.data.fill(0x33);
    let back = regions(&target, false);
    rig.run(|commands| unsafe {
        upload(rig, commands, &put, images[0].image, &there);
        upload(rig, commands, &got, images[1].image, &back);
        let colour = vk::ImageAspectFlags::COLOR;
        let region = vk::ImageCopy {
            src_subresource: layer(colour, 0, 1),
            src_offset: offset(5, 3, 0),
            dst_subresource: layer(colour, 0, 0),
            dst_offset: offset(9, 1, 0),
            extent: vk::Extent3D {
                width: 23,
                height: 17,
                depth: 1,
            },
        };
        let layout = vk::ImageLayout::GENERAL;
        let [from, to] = [images[0].image, images[1].image];
        rig.device
            .cmd_copy_image(commands, from, layout, to, layout, &[region]);
        rig.barrier(commands);
        download(rig, commands, &got, to, &back);
    });
    for (at, texel) in got.data.chunks_exact(texel_bytes).enumerate() {
        let (x, y, layer) = (at % 37, at / 37 % 21, at / (37 * 21));
        let inside = (9..32).contains(&x) && (1..18).contains(&y) && layer == 0;
        let from = ((21 + y + 2) * 37 + x).wrapping_sub(4) * texel_bytes;
        let unchanged = [0x33; 6];
        let expected = match inside {
            true => &put.data[from..from + texel_bytes],
            false => &unchanged[..texel_bytes],
        };
        assert_eq!(texel, expected, "{formats:?}, {tilings:?} {x} {y} {layer}");
    }
}

#[test]
fn three_channel_copies_keep_the_bytes_after_them() {
    let rig = Rig::new();
    let tilings = [vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR];
    for tilings in tilings
        .map(|a| tilings.map(|b| [a, b]))
        .into_iter()
        .flatten()
    {
        copied(&rig, tilings, [THREE, THREE], 6);
        copied(&rig, tilings, [vk::Format::R16G16B16_UINT, THREE], 6);
    }
    let unorm = vk::Format::R8G8B8_UNORM;
    let tiled = vk::ImageTiling::OPTIMAL;
    for other in tilings {
        copied(&rig, [other, tiled], [unorm; 2], 3);
        copied(&rig, [tiled, other], [unorm; 2], 3);
    }
    copied(&rig, [tiled; 2], [vk::Format::R8G8B8_SRGB, unorm], 3);
    copied(&rig, [tiled; 2], [vk::Format::R8G8B8_UINT, unorm], 3);
    // SAFETY: the device is alive.
    let properties = unsafe {
        rig.instance
            .get_physical_device_format_properties(rig.physical, unorm)
    };
    let sampled = vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR
        | vk::FormatFeatureFlags::TRANSFER_DST
        | vk::FormatFeatureFlags::BLIT_SRC;
    assert!(properties.optimal_tiling_features.contains(sampled));
}

/// Texels of three bytes are sampled with an alpha of one, whatever is stored behind them.
#[test]
fn three_bytes_are_sampled_as_an_opaque_colour() {
    crate::rig::entry();
    let wants = Wants {
        features: &[],
        extensions: &[],
    };
    let gpu = Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants).unwrap();
    let texels: Vec<u8> = (0..SIDE * SIDE * 3).map(|i| (i * 7 % 251) as u8).collect();
    let opaque: Vec<u8> = texels
        .chunks_exact(3)
        .flat_map(|texel| [texel[0], texel[1], texel[2], 0xff])
        .collect();
    let found = [
        (vk::Format::R8G8B8_UNORM, &texels),
        (vk::Format::R8G8B8A8_UNORM, &opaque),
    ]
    .map(|(format, texels)| {
        let image = gpu.image(ImageInfo::new(format, SIDE, SIDE)).unwrap();
        gpu.upload(&image, 0, texels).unwrap();
        seen(&gpu, &image).unwrap()
    });
    assert!(found[0] == found[1]);
    // Alpha is the float one in the last half of each texel.
    assert!(
        found[0]
            .chunks_exact(8)
            .all(|texel| texel[6..] == [0x00, 0x3c])
    );
}
