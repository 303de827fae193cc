//! Colours that a driver may compress: drawn, then read by units that understand the compression
//! and units that does not.
//!
//! Every scene draws something other than one colour to an image and has it sampled, copied,
//! scaled, given up or drawn to again. Copies look at memory, so a resolve that is left out before
//! them shows; what is written by them is plain, so a control surface that says otherwise shows
//! when the image is sampled.

use crate::Scene;
use crate::compare::{EXACT, ROUNDED, Shot};
use crate::stage::*;
use samples::vulkan::{
    Blend, Bound, GraphicsInfo, Image, ImageInfo, PartOf, Pipeline, Recorder, Target, Targets, Use,
    vk,
};
use samples::{Error, Gpu};

/// No multiple of a block either way.
const SIZE_PX: [u32; 2] = [61, 43];

/// Values that bytes hold, and that means of neighbours are.
const RAMP: &str = "ivec2 p = ivec2(gl_FragCoord.xy);
    colour = vec4(p.x * 4, p.y * 4, (p.x + p.y) * 2, 128) / 255.0;";
/// What is added to some pixels of each block.
const VEIL: &str = "ivec2 p = ivec2(gl_FragCoord.xy);
    if ((p.x / 3 + p.y / 5) % 2 == 0) discard;
    colour = vec4(p.y, p.x, 7, 1) / 255.0;";

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let mut all = vec![
        scene("compressed_and_sampled", ROUNDED, sampled),
        scene("compressed_and_copied", ROUNDED, copied),
        scene("compressed_and_copied_to", ROUNDED, copied_to),
        scene("compressed_and_given_up", ROUNDED, given_up),
        scene("compressed_and_cleared_by_a_command", ROUNDED, cleared),
        scene("compressed_levels_and_layers", ROUNDED, levels_and_layers),
        scene("compressed_levels_made_by_blits", ROUNDED, blits),
        scene("compressed_where_samples_are_joined", ROUNDED, joined),
        scene("compressed_by_parts", ROUNDED, parts),
        scene("compressed_beside_what_is_not", ROUNDED, beside),
    ];
    for (format, name) in [
        (vk::Format::B8G8R8A8_UNORM, "bgra"),
        (vk::Format::R16G16B16A16_UNORM, "of_64_bits"),
        (RGBA32F, "of_128_bits"),
    ] {
        all.push(scene(
            format!("compressed_{name}"),
            ROUNDED,
            move |gpu: &Gpu| {
                let stage = Stage::of(gpu, info(format))?;
                gpu.run(|r| stage.draw(r))?;
                let mut all = vec![stage.sampled("sampled")?];
                all.push(shot(gpu, "copied", &stage.image)?);
                Ok(all)
            },
        ));
    }
    all.push(scene("compressed_integers", EXACT, integers));
    all.push(scene("compressed_in_other_formats", ROUNDED, other_formats));
    all.push(scene(
        "compressed_and_cleared_in_other_formats",
        ROUNDED,
        cleared_in_other_formats,
    ));
    all
}

fn info(format: vk::Format) -> ImageInfo {
    let [width, height] = SIZE_PX;
    ImageInfo::new(format, width, height).target()
}

/// An image, and what covers it.
struct Stage<'g> {
    gpu: &'g Gpu,
    image: Image,
    ramp: Pipeline,
    /// What adds to it.
    veil: Pipeline,
}

fn pipeline(gpu: &Gpu, info: &ImageInfo, body: &str, blend: Blend) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(&fragment("", body)),
        colors: &[info.format],
        blend: &[blend],
        samples: info.samples,
        ..GraphicsInfo::default()
    })
}

impl<'g> Stage<'g> {
    fn new(gpu: &'g Gpu) -> Result<Self, Error> {
        Stage::of(gpu, info(RGBA8))
    }

    fn of(gpu: &'g Gpu, info: ImageInfo) -> Result<Self, Error> {
        Ok(Stage {
            gpu,
            image: gpu.image(info)?,
            ramp: pipeline(gpu, &info, RAMP, Blend::Off)?,
            veil: pipeline(gpu, &info, VEIL, Blend::Add)?,
        })
    }

    /// Covers the image, of which nothing is kept.
    fn draw(&self, r: &Recorder<'_>) -> Result<(), Error> {
        self.by(r, &self.ramp, None, SIZE_PX)
    }

    /// Draws over what is there.
    fn draw_more(&self, r: &Recorder<'_>) -> Result<(), Error> {
        self.by(r, &self.veil, None, SIZE_PX)
    }

    fn by(
        &self,
        r: &Recorder<'_>,
        pipeline: &Pipeline,
        view: Option<vk::ImageView>,
        size_px: [u32; 2],
    ) -> Result<(), Error> {
        let to = Target::keep(&self.image);
        let to = [match view {
            Some(view) => to.view(view),
            None => to,
        }];
        let targets = Targets {
            size_px,
            ..Targets::new(&to)
        };
        r.draw_to(&targets, |r| {
            r.bind::<u8>(pipeline, &[], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    }

    fn sampled(&self, what: &str) -> Result<Shot, Error> {
        sampled_level(self.gpu, &self.image, self.image.view, what, 0)
    }
}

/// Covers another image, as large as a level, by what is sampled of that.
fn sampled_level(
    gpu: &Gpu,
    image: &Image,
    view: vk::ImageView,
    what: &str,
    level: u32,
) -> Result<Shot, Error> {
    let sampler = sampler(
        gpu,
        vk::Filter::NEAREST,
        vk::SamplerAddressMode::CLAMP_TO_EDGE,
    )?;
    let [width, height, _] = image.info.level_px(level);
    let seen = gpu.image(ImageInfo::new(RGBA8, width, height).target())?;
    let sets = [gpu.set(&[Bound::Texture(view, sampler)])?];
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(&fragment(
            "layout(binding = 0) uniform sampler2D t;",
            &format!(
                "ivec2 p = ivec2(gl_FragCoord.xy);
                vec4 of_numbers = texelFetch(t, p, {level});
                vec4 of_place = textureLod(t, uv, {level}.0);
                colour = (p.x + p.y) % 2 == 0 ? of_numbers : of_place;"
            ),
        )),
        colors: &[RGBA8],
        sets: &sets,
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        r.use_as(image, Use::Sampled);
        r.draw_to(&Targets::new(&[Target::keep(&seen)]), |r| {
            r.bind::<u8>(&pipeline, &sets, &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    })?;
    shot(gpu, what, &seen)
}

/// Sampled, drawn to again, and sampled again, without other reads.
fn sampled(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu)?;
    gpu.run(|r| stage.draw(r))?;
    let first = stage.sampled("once")?;
    gpu.run(|r| stage.draw_more(r))?;
    Ok(vec![first, stage.sampled("twice")?])
}

/// To a buffer, and to another image: as it is drawn, and behind the sampler.
fn copied(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu)?;
    let other = gpu.image(info(RGBA8))?;
    gpu.run(|r| stage.draw(r))?;
    let mut all = vec![shot(gpu, "to a buffer", &stage.image)?];
    gpu.run(|r| {
        stage.draw_more(r)?;
        r.copy(&stage.image, &other, &[whole()]);
        Ok(())
    })?;
    all.push(shot(gpu, "to an image", &other)?);
    gpu.run(|r| stage.draw_more(r))?;
    all.push(stage.sampled("sampled")?);
    all.push(shot(gpu, "behind the sampler", &stage.image)?);
    all.push(stage.sampled("sampled again")?);
    Ok(all)
}

fn whole() -> vk::ImageCopy {
    let layers = vk::ImageSubresourceLayers::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .layer_count(1);
    let [width, height] = SIZE_PX;
    vk::ImageCopy::default()
        .src_subresource(layers)
        .dst_subresource(layers)
        .extent(vk::Extent3D {
            width,
            height,
            depth: 1,
        })
}

/// Texels from a buffer and from another image come over what was drawn; then more is drawn.
fn copied_to(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let (stage, other) = (Stage::new(gpu)?, Stage::new(gpu)?);
    let [width, height] = SIZE_PX;
    let buffer = gpu.buffer(&bytes(u64::from(4 * width * height), 3))?;
    let mut all = Vec::new();
    gpu.run(|r| {
        stage.draw(r)?;
        r.copy_to_image(&buffer, &stage.image, 0, vk::ImageAspectFlags::COLOR);
        Ok(())
    })?;
    all.push(stage.sampled("from a buffer")?);
    gpu.run(|r| stage.draw_more(r))?;
    all.push(stage.sampled("and drawn over")?);
    gpu.run(|r| {
        other.draw(r)?;
        r.copy(&other.image, &stage.image, &[whole()]);
        stage.draw_more(r)
    })?;
    all.push(stage.sampled("from an image, and drawn over")?);
    all.push(shot(gpu, "copied", &stage.image)?);
    Ok(all)
}

/// What was drawn is given up: by copies to the image, by draws.
fn given_up(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu)?;
    let [width, height] = SIZE_PX;
    let buffer = gpu.buffer(&bytes(u64::from(4 * width * height), 8))?;
    let mut all = Vec::new();
    gpu.run(|r| stage.draw(r))?;
    gpu.run(|r| {
        r.left_as(&stage.image, Use::Nothing);
        r.copy_to_image(&buffer, &stage.image, 0, vk::ImageAspectFlags::COLOR);
        Ok(())
    })?;
    all.push(stage.sampled("copied to")?);
    gpu.run(|r| {
        stage.draw_more(r)?;
        r.left_as(&stage.image, Use::Nothing);
        stage.draw(r)
    })?;
    all.push(stage.sampled("drawn to")?);
    gpu.run(|r| {
        r.left_as(&stage.image, Use::Nothing);
        r.clear(
            &stage.image,
            vk::ClearColorValue {
                float32: [0.25, 0.5, 0.75, 1.0],
            },
        );
        stage.draw_more(r)
    })?;
    all.push(stage.sampled("cleared")?);
    all.push(shot(gpu, "copied", &stage.image)?);
    Ok(all)
}

/// A command clears what was drawn, a rendering clears what it begins with, and more is drawn over
/// both.
fn cleared(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu)?;
    let colour = [0.9, 0.1, 0.3, 0.5];
    gpu.run(|r| {
        stage.draw(r)?;
        r.clear(&stage.image, vk::ClearColorValue { float32: colour });
        stage.draw_more(r)
    })?;
    let mut all = vec![stage.sampled("by a command")?];
    gpu.run(|r| {
        let to = [Target::clear(&stage.image, colour)];
        r.draw_to(&Targets::new(&to), |r| {
            r.clear_parts([0.2, 0.4, 0.6, 0.8], &[[3, 5, 33, 9]]);
            Ok(())
        })?;
        stage.draw_more(r)
    })?;
    all.push(stage.sampled("by a rendering")?);
    all.push(shot(gpu, "copied", &stage.image)?);
    Ok(all)
}

/// Each level of each layer is drawn to by itself; one of them once more.
fn levels_and_layers(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::of(gpu, info(RGBA8).mips(3).array(2))?;
    let image = &stage.image;
    let view = |mip, layer| {
        let mut seen = image.view_info();
        (seen.kind, seen.layers) = (vk::ImageViewType::TYPE_2D, (layer, 1));
        seen.mips = (mip, 1);
        gpu.view(image, seen)
    };
    let size = |mip| {
        let [width, height, _] = image.info.level_px(mip);
        [width, height]
    };
    gpu.run(|r| {
        for (mip, layer) in (0..3).flat_map(|mip| [(mip, 0), (mip, 1)]) {
            stage.by(r, &stage.ramp, Some(view(mip, layer)?), size(mip))?;
        }
        stage.by(r, &stage.veil, Some(view(1, 1)?), size(1))
    })?;
    let mut all = Vec::new();
    for layer in [0, 1] {
        let mut layers = image.view_info();
        (layers.kind, layers.layers) = (vk::ImageViewType::TYPE_2D, (layer, 1));
        let one = gpu.view(image, layers)?;
        for mip in 0..3 {
            let what = format!("layer {layer}, level {mip}");
            all.push(sampled_level(gpu, image, one, &what, mip)?);
        }
    }
    for mip in 0..3 {
        all.push(Shot {
            what: format!("level {mip}, copied"),
            width: image.info.level_px(mip)[0],
            bytes: gpu.read_level(image, mip, vk::ImageAspectFlags::COLOR)?,
            unit: unit(RGBA8)?,
        });
    }
    Ok(all)
}

/// Smaller levels are made of what was drawn to the first.
fn blits(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let info = ImageInfo::new(RGBA8, 64, 32).target().mips(4);
    let stage = Stage::of(gpu, info)?;
    let mut first = stage.image.view_info();
    first.mips = (0, 1);
    let first = gpu.view(&stage.image, first)?;
    let mut all = Vec::new();
    for (what, pipeline) in [("once", &stage.ramp), ("again", &stage.ramp)] {
        gpu.run(|r| {
            stage.by(r, pipeline, Some(first), [64, 32])?;
            r.make_mips(&stage.image);
            Ok(())
        })?;
        for mip in 0..4 {
            let view = stage.image.view;
            let what = format!("{what}, level {mip}");
            all.push(sampled_level(gpu, &stage.image, view, &what, mip)?);
        }
    }
    Ok(all)
}

/// Samples are joined in what was drawn to, whole and in a part, and by a command.
fn joined(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let several = Stage::of(gpu, info(RGBA8).samples(4))?;
    let stage = Stage::new(gpu)?;
    let mut all = Vec::new();
    for (what, size_px) in [("whole", SIZE_PX), ("a part", [29, 17])] {
        gpu.run(|r| {
            stage.draw(r)?;
            let to = [Target::keep(&several.image).resolve(&stage.image)];
            let targets = Targets {
                size_px,
                ..Targets::new(&to)
            };
            r.draw_to(&targets, |r| {
                r.bind::<u8>(&several.ramp, &[], &[]);
                r.draw(0, 3, 1);
                Ok(())
            })?;
            stage.draw_more(r)
        })?;
        all.push(stage.sampled(what)?);
        all.push(shot(gpu, &format!("{what}, copied"), &stage.image)?);
    }
    gpu.run(|r| {
        stage.draw(r)?;
        r.resolve(&several.image, &stage.image);
        stage.draw_more(r)
    })?;
    all.push(stage.sampled("by a command")?);
    Ok(all)
}

/// A part draws within renderings, another by itself.
fn parts(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu)?;
    let of = PartOf::Rendering {
        colors: &[RGBA8],
        depth: vk::Format::UNDEFINED,
        samples: vk::SampleCountFlags::TYPE_1,
        flags: vk::RenderingFlags::empty(),
    };
    let within = gpu.part(of, Some(SIZE_PX), |r| {
        r.bind::<u8>(&stage.veil, &[], &[]);
        r.draw(0, 3, 1);
        Ok(())
    })?;
    gpu.run(|r| stage.draw(r))?;
    let alone = gpu.part(PartOf::Nothing, None, |r| stage.draw_more(r))?;
    let keep = [Target::keep(&stage.image)];
    gpu.run(|r| {
        r.draw_parts_to(&Targets::new(&keep), &[within])?;
        r.execute(&[alone]);
        r.draw_parts_to(&Targets::new(&keep), &[within])
    })?;
    let first = stage.sampled("sampled")?;
    Ok(vec![first, shot(gpu, "copied", &stage.image)?])
}

/// One image is compressed and another, which shaders write, is not: both are drawn to at once, one
/// is covered by the other.
fn beside(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let (one, other) = (Stage::new(gpu)?, Stage::of(gpu, info(RGBA8).storage())?);
    let both = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(
            "#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 other;
void main()
{
    ivec2 p = ivec2(gl_FragCoord.xy);
    colour = vec4(p, p.x + p.y, 128) / 255.0;
    other = colour.bgra;
}",
        ),
        colors: &[RGBA8, RGBA8],
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        let to = [Target::keep(&one.image), Target::keep(&other.image)];
        r.draw_to(&Targets::new(&to), |r| {
            r.bind::<u8>(&both, &[], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    })?;
    let mut all = vec![one.sampled("one")?, other.sampled("other")?];
    gpu.run(|r| {
        r.copy(&one.image, &other.image, &[whole()]);
        other.draw_more(r)?;
        r.copy(&other.image, &one.image, &[whole()]);
        one.draw_more(r)
    })?;
    all.push(one.sampled("one of the other")?);
    all.push(shot(gpu, "copied", &one.image)?);
    Ok(all)
}

const BYTES: vk::Format = vk::Format::R8G8B8A8_UINT;
const SIGNED: vk::Format = vk::Format::R8G8B8A8_SNORM;

/// An image that is seen in several formats, and what draws numbers over it.
struct Mixed<'g> {
    stage: Stage<'g>,
    bytes: vk::ImageView,
    signed: vk::ImageView,
    numbers: Pipeline,
}

impl<'g> Mixed<'g> {
    fn new(gpu: &'g Gpu) -> Result<Self, Error> {
        let stage = Stage::of(gpu, info(RGBA8).views(&[RGBA8, BYTES, SIGNED]))?;
        let view = |format| {
            let mut seen = stage.image.view_info();
            seen.format = format;
            gpu.view(&stage.image, seen)
        };
        let (bytes, signed) = (view(BYTES)?, view(SIGNED)?);
        let numbers = gpu.graphics(&GraphicsInfo {
            vertex: COVER,
            fragment: Some(
                "#version 450
layout(location = 0) out uvec4 colour;
void main()
{
    uvec2 p = uvec2(gl_FragCoord.xy);
    if ((p.x / 7 + p.y / 3) % 2 == 0) discard;
    colour = uvec4(p.x * 3, p.y * 5, 99, 255);
}",
            ),
            colors: &[BYTES],
            ..GraphicsInfo::default()
        })?;
        Ok(Mixed {
            stage,
            bytes,
            signed,
            numbers,
        })
    }

    fn over(&self, r: &Recorder<'_>) -> Result<(), Error> {
        let to = [Target::keep(&self.stage.image).view(self.bytes)];
        r.draw_to(&Targets::new(&to), |r| {
            r.bind::<u8>(&self.numbers, &[], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    }

    /// As bytes with signs.
    fn sampled(&self, what: &str) -> Result<Shot, Error> {
        sampled_level(self.stage.gpu, &self.stage.image, self.signed, what, 0)
    }
}

/// Drawn to in one format, then in another, and sampled in a third.
fn other_formats(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let mixed = Mixed::new(gpu)?;
    gpu.run(|r| {
        mixed.stage.draw(r)?;
        mixed.over(r)
    })?;
    Ok(vec![
        mixed.stage.sampled("as it is")?,
        mixed.sampled("signed")?,
        shot(gpu, "copied", &mixed.stage.image)?,
    ])
}

/// Cleared in one format, drawn to in another, and sampled in a third.
fn cleared_in_other_formats(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let mixed = Mixed::new(gpu)?;
    let image = &mixed.stage.image;
    gpu.run(|r| {
        let to = [Target::clear(image, [0.2, 0.4, 0.6, 0.8])];
        r.draw_to(&Targets::new(&to), |_| Ok(()))?;
        mixed.over(r)
    })?;
    let mut all = vec![mixed.sampled("cleared, signed")?];
    gpu.run(|r| {
        let to = [Target::clear(image, [0.5, 0.25, 0.125, 1.0]).view(mixed.signed)];
        r.draw_to(&Targets::new(&to), |_| Ok(()))?;
        mixed.over(r)
    })?;
    all.push(mixed.stage.sampled("cleared by another")?);
    all.push(shot(gpu, "copied", image)?);
    Ok(all)
}

fn integers(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let mut all = Vec::new();
    for format in [vk::Format::R32_UINT, vk::Format::R32G32_UINT] {
        let image = gpu.image(info(format))?;
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: COVER,
            fragment: Some(
                "#version 450
layout(location = 0) out uvec4 colour;
void main() { colour = uvec4(gl_FragCoord.xyxy * vec4(1001, 70007, 3, 1)); }",
            ),
            colors: &[format],
            ..GraphicsInfo::default()
        })?;
        gpu.run(|r| {
            r.draw_to(&Targets::new(&[Target::keep(&image)]), |r| {
                r.bind::<u8>(&pipeline, &[], &[]);
                r.draw(0, 3, 1);
                Ok(())
            })
        })?;
        all.extend(shots(gpu, &image)?);
    }
    Ok(all)
}
