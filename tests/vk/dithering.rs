//! Dithered renderings (VK_EXT_legacy_dithering): a channel of few bits gets one of the two values
//! next to the colour, by its pixel.

use ash::vk;
use samples::vulkan::{
    GraphicsInfo, Image, ImageInfo, PartOf, Pipeline, Recorder, RenderPassInfo, Source,
    SubpassInfo, Target, Targets, Wants, extension,
};
use samples::{Error, Gpu};

const SIDE: u32 = 16;
const PIXELS: usize = (SIDE * SIDE) as usize;
const R5G6B5: vk::Format = vk::Format::R5G6B5_UNORM_PACK16;
const B4G4R4A4: vk::Format = vk::Format::B4G4R4A4_UNORM_PACK16;

const COVER: &str = "#version 450
void main()
{
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0);
}";
const PUSHED: &str = "#version 450
layout(push_constant) uniform Push { vec4 pushed; };
layout(location = 0) out vec4 colour;
void main() { colour = pushed; }";

fn gpu() -> Gpu {
    // The driver finds the simulated GPU.
    crate::rig::entry();
    let wants = Wants {
        features: &[],
        extensions: &[extension::DITHERING],
    };
    Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants).unwrap()
}

fn covering(gpu: &Gpu, format: vk::Format) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(PUSHED),
        colors: &[format],
        push_bytes: 16,
        ..GraphicsInfo::default()
    })
}

fn target(gpu: &Gpu, format: vk::Format) -> Result<Image, Error> {
    gpu.image(ImageInfo::new(format, SIDE, SIDE).target())
}

/// Shift and width in bits of the channels of a format.
fn channels(format: vk::Format) -> &'static [(u16, u16)] {
    match format {
        R5G6B5 => &[(11, 5), (5, 6), (0, 5)],
        _ => &[(4, 4), (8, 4), (12, 4), (0, 4)],
    }
}

/// The colour that lies `fraction` of a step above the eighth value of each channel.
fn colour(format: vk::Format, fraction: f32) -> [f32; 4] {
    let mut all = [1.0; 4];
    for (to, (_, bits)) in all.iter_mut().zip(channels(format)) {
        *to = (8.0 + fraction) / ((1 << bits) - 1) as f32;
    }
    all
}

/// How many pixels have each value of a channel, in the order of the values.
fn histogram(texels: &[u8], (shift, bits): (u16, u16)) -> Vec<(u16, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for pair in texels.chunks_exact(2) {
        let texel = u16::from_le_bytes([pair[0], pair[1]]);
        *counts
            .entry(texel >> shift & ((1 << bits) - 1))
            .or_default() += 1;
    }
    counts.into_iter().collect()
}

fn histograms(gpu: &Gpu, image: &Image) -> Vec<Vec<(u16, usize)>> {
    let texels = gpu.read(image).unwrap();
    let channels = channels(image.info.format).iter();
    channels
        .map(|&channel| histogram(&texels, channel))
        .collect()
}

/// Every channel of the image has one value.
fn assert_plain(gpu: &Gpu, image: &Image, value: u16) {
    for found in histograms(gpu, image) {
        assert_eq!(found, [(value, PIXELS)]);
    }
}

/// Every channel has the eighth and the ninth value, the latter in `fraction` of the pixels.
fn assert_dithered(gpu: &Gpu, image: &Image, fraction: f32) {
    let above = (fraction * PIXELS as f32) as usize;
    for found in histograms(gpu, image) {
        assert_eq!(found, [(8, PIXELS - above), (9, above)]);
    }
}

fn draw(r: &Recorder<'_>, pipeline: &Pipeline, colour: [f32; 4]) {
    r.bind(pipeline, &[], &colour);
    r.draw(0, 3, 1);
}

/// A dynamic rendering with a draw.
fn rendered(gpu: &Gpu, format: vk::Format, dithered: bool, fraction: f32) -> Result<Image, Error> {
    let (image, pipeline) = (target(gpu, format)?, covering(gpu, format)?);
    gpu.run(|r| {
        let to = [Target::clear(&image, [0.0; 4])];
        let targets = Targets {
            dithered,
            ..Targets::new(&to)
        };
        r.draw_to(&targets, |r| {
            draw(r, &pipeline, colour(format, fraction));
            Ok(())
        })
    })?;
    Ok(image)
}

#[test]
fn dithered_renderings_have_two_neighbouring_values() -> Result<(), Error> {
    let gpu = gpu();
    for format in [R5G6B5, B4G4R4A4] {
        for fraction in [0.25, 0.5, 0.75] {
            let image = rendered(&gpu, format, true, fraction)?;
            assert_dithered(&gpu, &image, fraction);
        }
        let image = rendered(&gpu, format, false, 0.25)?;
        assert_plain(&gpu, &image, 8);
        // A value that the format has does not change.
        let image = rendered(&gpu, format, true, 0.0)?;
        assert_plain(&gpu, &image, 8);
    }
    Ok(())
}

/// A render pass of two subpasses, of which one dithers, each with its own attachment.
fn one_dithers(gpu: &Gpu, dithers: usize) -> Result<vk::RenderPass, Error> {
    let attachment = vk::AttachmentDescription::default()
        .format(R5G6B5)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
    let copied = |subpass| {
        vk::SubpassDependency::default()
            .src_subpass(subpass)
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ)
    };
    let subpass = |index: usize, colors| SubpassInfo {
        colors,
        dithered: index == dithers,
        ..SubpassInfo::default()
    };
    gpu.render_pass(&RenderPassInfo {
        attachments: &[attachment; 2],
        subpasses: &[subpass(0, &[0]), subpass(1, &[1])],
        dependencies: &[copied(0), copied(1)],
        views: &[],
    })
}

#[test]
fn dithered_subpasses_have_two_neighbouring_values() -> Result<(), Error> {
    let gpu = gpu();
    for dithers in 0..2 {
        let pass = one_dithers(&gpu, dithers)?;
        let images = [target(&gpu, R5G6B5)?, target(&gpu, R5G6B5)?];
        let views = images.each_ref().map(|image| image.view);
        let framebuffer = gpu.framebuffer(pass, &views, [SIDE; 2])?;
        // One pipeline, which both subpasses are compatible with.
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: COVER,
            fragment: Some(PUSHED),
            colors: &[R5G6B5],
            subpass: Some((pass, 0)),
            push_bytes: 16,
            ..GraphicsInfo::default()
        })?;
        let drawn = |r: &Recorder<'_>| draw(r, &pipeline, colour(R5G6B5, 0.25));
        let check = || {
            assert_dithered(&gpu, &images[dithers], 0.25);
            assert_plain(&gpu, &images[1 - dithers], 8);
        };
        gpu.run(|r| {
            let clears = [vk::ClearValue::default(); 2];
            r.render_pass(pass, framebuffer, [SIDE; 2], &clears, &[&drawn, &drawn]);
            for image in &images {
                r.left_as(image, samples::vulkan::Use::CopyFrom);
            }
            Ok(())
        })?;
        check();
        let part = |subpass| {
            gpu.part(PartOf::Subpass(pass, subpass), Some([SIDE; 2]), |r| {
                drawn(r);
                Ok(())
            })
        };
        let parts = [part(0)?, part(1)?];
        gpu.run(|r| {
            let clears = [vk::ClearValue::default(); 2];
            let extent = vk::Extent2D {
                width: SIDE,
                height: SIDE,
            };
            let info = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(vk::Rect2D::default().extent(extent))
                .clear_values(&clears);
            r.render_pass_of_parts(&info, &[&[parts[0]], &[parts[1]]]);
            Ok(())
        })?;
        check();
    }
    Ok(())
}

#[test]
fn dithering_ends_with_its_rendering_and_does_not_touch_clears() -> Result<(), Error> {
    let gpu = gpu();
    let pipeline = covering(&gpu, R5G6B5)?;
    let (below, halfway) = (colour(R5G6B5, 0.25), colour(R5G6B5, 0.5));
    let images = [
        target(&gpu, R5G6B5)?,
        target(&gpu, R5G6B5)?,
        target(&gpu, R5G6B5)?,
        target(&gpu, R5G6B5)?,
    ];
    gpu.run(|r| {
        for (index, image) in images.iter().enumerate() {
            let to = [Target::clear(image, below)];
            let targets = Targets {
                dithered: index != 1,
                ..Targets::new(&to)
            };
            r.draw_to(&targets, |r| {
                match index {
                    // Cleared within the rendering, before the draw and after it.
                    2 => {
                        r.clear_parts([0.0; 4], &[[0, 0, SIDE, SIDE]]);
                        draw(r, &pipeline, halfway);
                    }
                    3 => {
                        draw(r, &pipeline, halfway);
                        r.clear_parts(below, &[[0, 0, SIDE, SIDE]]);
                    }
                    _ => draw(r, &pipeline, below),
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    assert_dithered(&gpu, &images[0], 0.25);
    assert_plain(&gpu, &images[1], 8);
    assert_dithered(&gpu, &images[2], 0.5);
    assert_plain(&gpu, &images[3], 8);
    Ok(())
}

#[test]
fn secondaries_inherit_dithering() -> Result<(), Error> {
    let gpu = gpu();
    let pipeline = covering(&gpu, R5G6B5)?;
    for dithered in [true, false] {
        let image = target(&gpu, R5G6B5)?;
        let of = PartOf::Rendering {
            colors: &[R5G6B5],
            depth: vk::Format::UNDEFINED,
            samples: vk::SampleCountFlags::TYPE_1,
            flags: match dithered {
                true => vk::RenderingFlags::ENABLE_LEGACY_DITHERING_EXT,
                false => vk::RenderingFlags::empty(),
            },
        };
        let part = gpu.part(of, Some([SIDE; 2]), |r| {
            draw(r, &pipeline, colour(R5G6B5, 0.25));
            Ok(())
        })?;
        gpu.run(|r| {
            let to = [Target::clear(&image, [0.0; 4])];
            let targets = Targets {
                dithered,
                ..Targets::new(&to)
            };
            r.draw_parts_to(&targets, &[part])
        })?;
        match dithered {
            true => assert_dithered(&gpu, &image, 0.25),
            false => assert_plain(&gpu, &image, 8),
        }
    }
    Ok(())
}
