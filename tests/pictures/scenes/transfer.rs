//! Copies, blits and clears, by their commands alone.

use crate::Scene;
use crate::compare::{EXACT, FILTERED, ROUNDED, Shot, Tolerance};
use crate::stage::*;
use samples::vulkan::{Image, ImageInfo, vk};
use samples::{Error, Gpu};

fn layers(layer: u32, count: u32, mip: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: mip,
        base_array_layer: layer,
        layer_count: count,
    }
}

fn offset([x, y, z]: [i32; 3]) -> vk::Offset3D {
    vk::Offset3D { x, y, z }
}

fn extent([width, height, depth]: [u32; 3]) -> vk::Extent3D {
    vk::Extent3D {
        width,
        height,
        depth,
    }
}

/// An image of one colour, to be copied to.
fn blank(gpu: &Gpu, info: ImageInfo) -> Result<Image, Error> {
    let image = gpu.image(info)?;
    // A number that an integer format cannot hold would clear to anything.
    let colour = match info.format {
        vk::Format::R16G16B16A16_UINT => vk::ClearColorValue {
            uint32: [1, 0x8000, 0xffff, 7],
        },
        _ => vk::ClearColorValue {
            float32: [0.25, 0.5, 0.75, 1.0],
        },
    };
    gpu.run(|r| {
        r.clear(&image, colour);
        Ok(())
    })?;
    Ok(image)
}

/// Copies regions from one image without a pattern to a blank one.
fn copied(
    name: &str,
    from: ImageInfo,
    to: ImageInfo,
    regions: fn() -> Vec<vk::ImageCopy>,
) -> Scene {
    scene(name, EXACT, move |gpu| {
        let (from, to) = (noise(gpu, from)?, blank(gpu, to)?);
        gpu.run(|r| {
            r.copy(&from, &to, &regions());
            Ok(())
        })?;
        levels(gpu, &to)
    })
}

/// All levels of an image.
fn levels(gpu: &Gpu, image: &Image) -> Result<Vec<Shot>, Error> {
    let level = |mip| {
        Ok(Shot {
            what: format!("level {mip}"),
            width: image.info.level_px(mip)[0],
            bytes: gpu.read_level(image, mip, image.aspects())?,
            unit: unit(image.info.format)?,
        })
    };
    (0..image.info.mips).map(level).collect()
}

fn blitted(
    name: &str,
    tolerance: Tolerance,
    formats: [vk::Format; 2],
    filter: vk::Filter,
    corners: [[[i32; 3]; 2]; 2],
) -> Scene {
    scene(name, tolerance, move |gpu| {
        let from = noise(gpu, ImageInfo::new(formats[0], 16, 16))?;
        let to = blank(gpu, ImageInfo::new(formats[1], SIDE, SIDE))?;
        let region = vk::ImageBlit::default()
            .src_subresource(layers(0, 1, 0))
            .src_offsets(corners[0].map(offset))
            .dst_subresource(layers(0, 1, 0))
            .dst_offsets(corners[1].map(offset));
        gpu.run(|r| {
            r.blit(&from, &to, &[region], filter);
            Ok(())
        })?;
        shots(gpu, &to)
    })
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let groups = [copies(), blits(), clears()];
    groups.into_iter().flatten().collect()
}

/// Copies between images, and from buffers.
fn copies() -> Vec<Scene> {
    use vk::Format as F;
    let flat = ImageInfo::new(RGBA8, 16, 16);
    vec![
        copied("copy_parts", flat, flat, || {
            let part = |from, to, size| {
                vk::ImageCopy::default()
                    .src_subresource(layers(0, 1, 0))
                    .src_offset(offset(from))
                    .dst_subresource(layers(0, 1, 0))
                    .dst_offset(offset(to))
                    .extent(extent(size))
            };
            vec![
                part([1, 2, 0], [5, 0, 0], [7, 3, 1]),
                part([0, 8, 0], [3, 9, 0], [13, 5, 1]),
            ]
        }),
        copied(
            "copy_to_another_format_of_the_same_size",
            ImageInfo::new(F::R32_UINT, 16, 16),
            flat,
            || {
                vec![
                    vk::ImageCopy::default()
                        .src_subresource(layers(0, 1, 0))
                        .dst_subresource(layers(0, 1, 0))
                        .extent(extent([16, 16, 1])),
                ]
            },
        ),
        copied("copy_layers", flat.array(4), flat.array(5), || {
            vec![
                vk::ImageCopy::default()
                    .src_subresource(layers(1, 3, 0))
                    .dst_subresource(layers(2, 3, 0))
                    .extent(extent([16, 16, 1])),
            ]
        }),
        copied("copy_slices", flat.volume(4), flat.volume(6), || {
            vec![
                vk::ImageCopy::default()
                    .src_subresource(layers(0, 1, 0))
                    .src_offset(offset([0, 4, 1]))
                    .dst_subresource(layers(0, 1, 0))
                    .dst_offset(offset([2, 0, 3]))
                    .extent(extent([9, 8, 3])),
            ]
        }),
        copied("copy_between_levels", flat.mips(4), flat.mips(3), || {
            vec![
                vk::ImageCopy::default()
                    .src_subresource(layers(0, 1, 1))
                    .dst_subresource(layers(0, 1, 0))
                    .dst_offset(offset([4, 4, 0]))
                    .extent(extent([8, 8, 1])),
                vk::ImageCopy::default()
                    .src_subresource(layers(0, 1, 3))
                    .dst_subresource(layers(0, 1, 2))
                    .extent(extent([2, 2, 1])),
            ]
        }),
        copied(
            "copy_blocks",
            ImageInfo::new(F::BC1_RGBA_UNORM_BLOCK, 16, 16),
            ImageInfo::new(F::R16G16B16A16_UINT, 8, 8),
            || {
                vec![
                    vk::ImageCopy::default()
                        .src_subresource(layers(0, 1, 0))
                        .src_offset(offset([4, 0, 0]))
                        .dst_subresource(layers(0, 1, 0))
                        .dst_offset(offset([2, 3, 0]))
                        .extent(extent([12, 16, 1])),
                ]
            },
        )
        .needs(&[samples::vulkan::feature::COMPRESSED_BC]),
        scene("copy_from_a_buffer_with_gaps", EXACT, |gpu| {
            let image = blank(gpu, ImageInfo::new(RGBA8, 16, 16))?;
            let buffer = gpu.buffer(&bytes(4096, 3))?;
            let region = vk::BufferImageCopy::default()
                .buffer_offset(36)
                .buffer_row_length(21)
                .buffer_image_height(12)
                .image_subresource(layers(0, 1, 0))
                .image_offset(offset([3, 5, 0]))
                .image_extent(extent([11, 9, 1]));
            gpu.run(|r| {
                r.copy_regions_to_image(&buffer, &image, &[region]);
                Ok(())
            })?;
            shots(gpu, &image)
        }),
    ]
}

/// Blits: scaled, filtered, mirrored and converted.
fn blits() -> Vec<Scene> {
    use vk::Format as F;
    let (nearest, linear) = (vk::Filter::NEAREST, vk::Filter::LINEAR);
    let whole = [[0, 0, 0], [16, 16, 1]];
    vec![
        scene(
            "levels_made_by_blits",
            Tolerance {
                steps: 4.0,
                ..FILTERED
            },
            |gpu| {
                let image = gpu.image(ImageInfo::new(RGBA8, 16, 16).mips(5))?;
                gpu.upload(&image, 0, &bytes(1024, 5))?;
                gpu.run(|r| {
                    r.make_mips(&image);
                    Ok(())
                })?;
                levels(gpu, &image)
            },
        ),
        blitted(
            "blit_twice_as_large",
            EXACT,
            [RGBA8; 2],
            nearest,
            [whole, [[0, 0, 0], [32, 32, 1]]],
        ),
        blitted(
            "blit_smooth",
            FILTERED,
            [RGBA8; 2],
            linear,
            [whole, [[0, 0, 0], [32, 32, 1]]],
        ),
        blitted(
            "blit_mirrored",
            EXACT,
            [RGBA8; 2],
            nearest,
            [[[0, 0, 0], [16, 8, 1]], [[32, 24, 0], [0, 8, 1]]],
        ),
        blitted(
            "blit_smaller",
            EXACT,
            [RGBA8; 2],
            nearest,
            [whole, [[3, 3, 0], [7, 11, 1]]],
        ),
        blitted(
            "blit_to_another_format",
            ROUNDED,
            [F::B8G8R8A8_UNORM, F::R16_UNORM],
            nearest,
            [whole, [[0, 0, 0], [32, 32, 1]]],
        ),
        blitted(
            "blit_to_srgb",
            ROUNDED,
            [RGBA8, F::R8G8B8A8_SRGB],
            nearest,
            [whole, [[0, 0, 0], [16, 16, 1]]],
        ),
        blitted(
            "blit_to_float",
            Tolerance {
                steps: 0.01,
                ..ROUNDED
            },
            [RGBA8, RGBA32F],
            nearest,
            [whole, [[8, 8, 0], [24, 24, 1]]],
        ),
    ]
}

/// Clears of images of each kind of format.
fn clears() -> Vec<Scene> {
    use vk::Format as F;
    let formats = [
        RGBA8,
        F::R8G8B8A8_SRGB,
        F::R5G6B5_UNORM_PACK16,
        F::A2B10G10R10_UNORM_PACK32,
        F::R16G16B16A16_SFLOAT,
        F::E5B9G9R9_UFLOAT_PACK32,
    ];
    let clear = |format| {
        scene(
            format!("clear_{format:?}").to_lowercase(),
            ROUNDED,
            move |gpu| {
                let image = gpu.image(ImageInfo::new(format, 16, 16).mips(2).array(2))?;
                // Values of which none lies between two of a format's.
                let float32 = [1.0, 0.0, 1.0, 1.0];
                gpu.run(|r| {
                    r.clear(&image, vk::ClearColorValue { float32 });
                    Ok(())
                })?;
                levels(gpu, &image)
            },
        )
    };
    formats.into_iter().map(clear).collect()
}
