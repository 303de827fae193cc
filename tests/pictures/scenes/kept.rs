//! Clears that later renderings find: in the same command buffer, in others, in parts, under
//! conditions.
//!
//! Every scene clears an image by a rendering, goes on with it by others that load it, and looks at
//! it in the end. Between them little is drawn, so that most of what is seen is the clear.

use crate::Scene;
use crate::compare::{EDGES, EXACT, ROUNDED, Shot};
use crate::pass;
use crate::stage::*;
use samples::vulkan::{
    Blend, Bound, GraphicsInfo, Image, ImageInfo, PartOf, Pipeline, Recorder, RenderPassInfo,
    SubpassInfo, Target, Targets, Use, extension, vk,
};
use samples::{Error, Gpu};

/// No multiple of anything.
const SIZE_PX: [u32; 2] = [45, 29];
const CLEAR: [f32; 4] = [0.2, 0.4, 0.6, 0.8];
const OTHER: [f32; 4] = [0.9, 0.1, 0.3, 0.5];

/// A rectangle from a corner to another one in a colour.
const RECTANGLE: &str = "#version 450
layout(push_constant) uniform Push { vec4 corners; vec4 paint; };
void main()
{
    vec2 where = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(corners.xy, corners.zw, where), 0.0, 1.0);
}";
const PAINT: &str = "#version 450
layout(push_constant) uniform Push { vec4 corners; vec4 paint; };
layout(location = 0) out vec4 colour;
void main() { colour = paint; }";
const PAINT_INTEGERS: &str = "#version 450
layout(push_constant) uniform Push { vec4 corners; vec4 paint; };
layout(location = 0) out uvec4 colour;
void main() { colour = uvec4(paint * 1000.0); }";

/// Corners and colours of rectangles, half of what is there shining through where colours are
/// blended.
const LEFT: [f32; 8] = [-0.9, -0.7, -0.3, 0.1, 1.0, 0.5, 0.0, 0.5];
const RIGHT: [f32; 8] = [0.1, -0.2, 0.8, 0.95, 0.0, 0.25, 1.0, 0.5];

type Do<'a> = &'a dyn Fn(&Recorder<'_>) -> Result<(), Error>;

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let mut all = vec![
        scene("kept_in_one_command_buffer", ROUNDED, |gpu| {
            Stage::new(gpu, RGBA8, 1)?.in_steps(&[&[0, 1, 2]])
        }),
        scene("kept_in_two_command_buffers", ROUNDED, |gpu| {
            Stage::new(gpu, RGBA8, 1)?.in_steps(&[&[0, 1], &[2]])
        }),
        scene("kept_in_three_command_buffers", ROUNDED, |gpu| {
            Stage::new(gpu, RGBA8, 1)?.in_steps(&[&[0], &[1], &[2]])
        }),
        scene("kept_and_looked_at_alone", ROUNDED, |gpu| {
            Stage::new(gpu, RGBA8, 1)?.in_steps(&[&[0]])
        }),
        scene("kept_and_sampled", ROUNDED, sampled),
        scene("kept_and_cleared_again", ROUNDED, again),
        scene("kept_and_given_up", ROUNDED, given_up),
        scene("kept_of_the_first_layer", ROUNDED, layers),
        scene("kept_of_the_first_level", ROUNDED, levels),
        scene("kept_of_one_of_two_targets", ROUNDED, targets),
        scene("kept_by_parts", ROUNDED, parts),
        scene("kept_under_conditions", EDGES, conditions).extended(&[extension::CONDITIONS]),
        scene("kept_between_render_passes", ROUNDED, passes),
        scene("kept_samples_joined_at_once", EDGES, |gpu| {
            joined(gpu, &[&[0, 1, 2]])
        }),
        scene("kept_samples_joined_later", EDGES, |gpu| {
            joined(gpu, &[&[0], &[1], &[2]])
        }),
        scene("kept_samples_copied", EDGES, |gpu| {
            let stage = Stage::new(gpu, RGBA8, 4)?;
            stage.steps(&[&[0], &[1]])?;
            stage.joined_by_command()
        }),
        scene("kept_where_samples_are_joined", EDGES, destination),
    ];
    for (format, name) in [
        (vk::Format::R8G8B8A8_SRGB, "srgb"),
        (vk::Format::B8G8R8A8_UNORM, "bgra"),
        (RGBA32F, "of_128_bits"),
    ] {
        all.push(scene(format!("kept_{name}"), ROUNDED, move |gpu| {
            Stage::new(gpu, format, 1)?.in_steps(&[&[0], &[1, 2]])
        }));
    }
    for (format, name) in [
        (vk::Format::R32_UINT, "kept_integers"),
        (vk::Format::R32G32_UINT, "kept_integers_of_64_bits"),
    ] {
        all.push(scene(name, EXACT, move |gpu| integers(gpu, format)));
    }
    all
}

/// An image, and what draws to it.
struct Stage<'g> {
    gpu: &'g Gpu,
    image: Image,
    blended: Pipeline,
}

fn rectangles(gpu: &Gpu, format: vk::Format, samples: u32) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: RECTANGLE,
        fragment: Some(PAINT),
        colors: &[format],
        blend: &[Blend::Alpha],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        push_bytes: 32,
        samples,
        ..GraphicsInfo::default()
    })
}

fn info(format: vk::Format) -> ImageInfo {
    let [width, height] = SIZE_PX;
    ImageInfo::new(format, width, height).target()
}

impl<'g> Stage<'g> {
    fn new(gpu: &'g Gpu, format: vk::Format, samples: u32) -> Result<Self, Error> {
        Stage::of(gpu, info(format).samples(samples))
    }

    fn of(gpu: &'g Gpu, info: ImageInfo) -> Result<Self, Error> {
        Ok(Stage {
            gpu,
            image: gpu.image(info)?,
            blended: rectangles(gpu, info.format, info.samples)?,
        })
    }

    fn rectangle(&self, r: &Recorder<'_>, rectangle: &[f32; 8]) {
        r.bind(&self.blended, &[], rectangle);
        r.draw(0, 4, 1);
    }

    /// Clears, and draws nothing.
    fn clear(&self, r: &Recorder<'_>) -> Result<(), Error> {
        r.draw_to(&Targets::new(&[Target::clear(&self.image, CLEAR)]), |_| {
            Ok(())
        })
    }

    /// Draws a rectangle into what is there.
    fn draw(&self, r: &Recorder<'_>, rectangle: &[f32; 8]) -> Result<(), Error> {
        r.draw_to(&Targets::new(&[Target::keep(&self.image)]), |r| {
            self.rectangle(r, rectangle);
            Ok(())
        })
    }

    fn step(&self, r: &Recorder<'_>, step: u32) -> Result<(), Error> {
        match step {
            0 => self.clear(r),
            1 => self.draw(r, &LEFT),
            _ => self.draw(r, &RIGHT),
        }
    }

    /// A command buffer for each list of steps.
    fn steps(&self, buffers: &[&[u32]]) -> Result<(), Error> {
        for steps in buffers {
            self.gpu
                .run(|r| steps.iter().try_for_each(|&step| self.step(r, step)))?;
        }
        Ok(())
    }

    /// Runs the same, and returns the result.
    fn in_steps(&self, buffers: &[&[u32]]) -> Result<Vec<Shot>, Error> {
        self.steps(buffers)?;
        shots(self.gpu, &self.image)
    }

    fn joined_by_command(&self) -> Result<Vec<Shot>, Error> {
        let one = self.gpu.image(info(self.image.info.format))?;
        self.gpu.run(|r| {
            r.resolve(&self.image, &one);
            Ok(())
        })?;
        shots(self.gpu, &one)
    }
}

/// Covers another image by what is sampled of one.
fn sampled_of(gpu: &Gpu, image: &Image) -> Result<Vec<Shot>, Error> {
    let sampler = sampler(
        gpu,
        vk::Filter::NEAREST,
        vk::SamplerAddressMode::CLAMP_TO_EDGE,
    )?;
    gpu.run(|r| {
        r.use_as(image, Use::Sampled);
        Ok(())
    })?;
    let shader = fragment(
        "layout(binding = 0) uniform sampler2D t;",
        "colour = texture(t, uv);",
    );
    let seen = cover(gpu, RGBA8, &shader, &[Bound::Texture(image.view, sampler)])?;
    shots(gpu, &seen)
}

fn sampled(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu, RGBA8, 1)?;
    stage.steps(&[&[0], &[1]])?;
    sampled_of(gpu, &stage.image)
}

/// To another colour, behind draws: in the same command buffer, and in another one.
fn again(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu, RGBA8, 1)?;
    let other = |r: &Recorder<'_>| {
        let to = [Target::clear(&stage.image, OTHER)];
        r.draw_to(&Targets::new(&to), |_| Ok(()))
    };
    gpu.run(|r| {
        stage.clear(r)?;
        other(r)?;
        stage.draw(r, &LEFT)
    })?;
    let mut all = shots(gpu, &stage.image)?;
    stage.steps(&[&[0, 1]])?;
    gpu.run(|r| other(r))?;
    stage.steps(&[&[2]])?;
    all.extend(shots(gpu, &stage.image)?);
    Ok(all)
}

/// What is cleared is not asked for any more: what is copied to the image is there, and nothing
/// else.
fn given_up(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu, RGBA8, 1)?;
    let [width, height] = SIZE_PX;
    let texels = bytes(u64::from(4 * width * height), 5);
    let buffer = gpu.buffer(&texels)?;
    stage.steps(&[&[0]])?;
    gpu.run(|r| {
        r.left_as(&stage.image, Use::Nothing);
        r.copy_to_image(&buffer, &stage.image, 0, vk::ImageAspectFlags::COLOR);
        stage.draw(r, &LEFT)
    })?;
    stage.in_steps(&[&[2]])
}

/// The first layer is cleared alone, then both are drawn to at once.
fn layers(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let mut all = Vec::new();
    for together in [true, false] {
        let stage = Stage::of(gpu, info(RGBA8).array(2))?;
        let image = &stage.image;
        let view = |layer| {
            let mut seen = image.view_info();
            (seen.kind, seen.layers) = (vk::ImageViewType::TYPE_2D, (layer, 1));
            gpu.view(image, seen)
        };
        let (first, second) = (view(0)?, view(1)?);
        let clear: Do<'_> = &|r| {
            for (view, colour) in [(second, OTHER), (first, CLEAR)] {
                let to = [Target::clear(image, colour).view(view)];
                r.draw_to(&Targets::new(&to), |_| Ok(()))?;
            }
            Ok(())
        };
        let both: Do<'_> = &|r| {
            let to = [Target::keep(image)];
            let targets = Targets {
                layers: 2,
                ..Targets::new(&to)
            };
            r.draw_to(&targets, |r| {
                stage.rectangle(r, &LEFT);
                Ok(())
            })
        };
        let one: Do<'_> = &|r| {
            for view in [first, second] {
                let to = [Target::keep(image).view(view)];
                r.draw_to(&Targets::new(&to), |r| {
                    stage.rectangle(r, &RIGHT);
                    Ok(())
                })?;
            }
            Ok(())
        };
        match together {
            true => gpu.run(|r| [clear, both, one].iter().try_for_each(|step| step(r)))?,
            false => [clear, both, one]
                .iter()
                .try_for_each(|step| gpu.run(step))?,
        }
        let what = if together { "together" } else { "apart" };
        all.push(shot(gpu, what, image)?);
    }
    Ok(all)
}

/// The first level is cleared, and the others are generated from it.
fn levels(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let image = gpu.image(info(RGBA8).mips(3))?;
    let mut seen = image.view_info();
    seen.mips = (0, 1);
    let first = gpu.view(&image, seen)?;
    seen.mips = (1, 1);
    let second = gpu.view(&image, seen)?;
    gpu.run(|r| {
        let to = [Target::clear(&image, CLEAR).view(first)];
        r.draw_to(&Targets::new(&to), |_| Ok(()))?;
        let to = [Target::clear(&image, OTHER).view(second)];
        let [width, height] = SIZE_PX.map(|px| px / 2);
        let targets = Targets {
            size_px: [width, height],
            ..Targets::new(&to)
        };
        r.draw_to(&targets, |_| Ok(()))
    })?;
    let mut all = Vec::new();
    for (mip, what) in [(0, "the first"), (1, "the second")] {
        all.push(Shot {
            what: what.into(),
            width: image.info.level_px(mip)[0],
            bytes: gpu.read_level(&image, mip, vk::ImageAspectFlags::COLOR)?,
            unit: unit(RGBA8)?,
        });
    }
    Ok(all)
}

/// One is kept and the other one cleared, and the other way round.
fn targets(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let [first, second] = [Stage::new(gpu, RGBA8, 1)?, Stage::new(gpu, RGBA8, 1)?];
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: RECTANGLE,
        fragment: Some(
            "#version 450
layout(push_constant) uniform Push { vec4 corners; vec4 paint; };
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 other;
void main() { colour = paint; other = paint.bgra; }",
        ),
        colors: &[RGBA8, RGBA8],
        blend: &[Blend::Alpha, Blend::Alpha],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        push_bytes: 32,
        ..GraphicsInfo::default()
    })?;
    let both = |r: &Recorder<'_>, to: [Target<'_>; 2], rectangle: &[f32; 8]| {
        r.draw_to(&Targets::new(&to), |r| {
            r.bind(&pipeline, &[], rectangle);
            r.draw(0, 4, 1);
            Ok(())
        })
    };
    first.steps(&[&[0]])?;
    gpu.run(|r| {
        let to = [
            Target::keep(&first.image),
            Target::clear(&second.image, OTHER),
        ];
        both(r, to, &LEFT)
    })?;
    gpu.run(|r| {
        let to = [
            Target::clear(&first.image, OTHER),
            Target::keep(&second.image),
        ];
        both(r, to, &RIGHT)
    })?;
    Ok(vec![
        shot(gpu, "the first", &first.image)?,
        shot(gpu, "the second", &second.image)?,
    ])
}

/// A part clears and draws by itself, another is a part of renderings that go on: both are executed
/// twice.
fn parts(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let stage = Stage::new(gpu, RGBA8, 1)?;
    let mut all = Vec::new();
    let of = PartOf::Rendering {
        colors: &[RGBA8],
        depth: vk::Format::UNDEFINED,
        samples: vk::SampleCountFlags::TYPE_1,
        flags: vk::RenderingFlags::empty(),
    };
    let within = gpu.part(of, Some(SIZE_PX), |r| {
        stage.rectangle(r, &RIGHT);
        Ok(())
    })?;
    // What it is used as before is what the part expects.
    stage.steps(&[&[0]])?;
    let alone = gpu.part(PartOf::Nothing, None, |r| {
        stage.clear(r)?;
        stage.draw(r, &LEFT)
    })?;
    let keep = [Target::keep(&stage.image)];
    let other = [Target::clear(&stage.image, OTHER)];
    for what in ["first", "again"] {
        gpu.run(|r| {
            r.draw_to(&Targets::new(&other), |_| Ok(()))?;
            r.use_as(&stage.image, Use::Color);
            r.execute(&[alone]);
            r.draw_parts_to(&Targets::new(&keep), &[within])
        })?;
        gpu.run(|r| r.draw_parts_to(&Targets::new(&keep), &[within, within]))?;
        all.push(shot(gpu, what, &stage.image)?);
        gpu.run(|r| {
            r.use_as(&stage.image, Use::Color);
            Ok(())
        })?;
    }
    Ok(all)
}

/// Layouts change, and renderings begin, whatever a condition says; draws behind them still do as
/// it says.
fn conditions(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let values = gpu.buffer(&[0_u32, 1])?;
    let mut all = Vec::new();
    for (at, what) in [(0, "nothing"), (4, "all")] {
        let (stage, other) = (Stage::new(gpu, RGBA8, 1)?, Stage::new(gpu, RGBA8, 1)?);
        let several = Stage::new(gpu, RGBA8, 4)?;
        let stages = [&stage, &other, &several];
        for stage in stages {
            stage.steps(&[&[0]])?;
        }
        let mut done = Ok(());
        gpu.run(|r| {
            r.only_if((&values, at), false, |r| {
                done = stages.iter().try_for_each(|stage| stage.draw(r, &LEFT));
                r.use_as(&other.image, Use::Sampled);
                r.use_as(&several.image, Use::CopyFrom);
                let drawn = stage.draw(r, &RIGHT);
                done = std::mem::replace(&mut done, Ok(())).and(drawn);
            });
            Ok(())
        })?;
        done?;
        for (stage, of) in [(&stage, "kept"), (&other, "resolved")] {
            all.push(shot(gpu, &format!("{what}, {of}"), &stage.image)?);
        }
        all.extend(several.joined_by_command()?);
    }
    Ok(all)
}

/// A render pass clears, another goes on with what it has left.
fn passes(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let drawn = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let first = pass::cleared(RGBA8, drawn);
    let second = first
        .load_op(vk::AttachmentLoadOp::LOAD)
        .initial_layout(drawn);
    let last = second.final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
    let image = gpu.image(info(RGBA8))?;
    let mut made = Vec::new();
    for attachment in [first, second, last] {
        let pass = gpu.render_pass(&RenderPassInfo {
            attachments: &[attachment],
            subpasses: &[SubpassInfo {
                colors: &[0],
                ..SubpassInfo::default()
            }],
            dependencies: &[
                vk::SubpassDependency::default()
                    .src_subpass(vk::SUBPASS_EXTERNAL)
                    .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
                    .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
                    .dst_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
                    .dst_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_READ),
                pass::copied_behind(0),
            ],
            views: &[],
        })?;
        let framebuffer = gpu.framebuffer(pass, &[image.view], SIZE_PX)?;
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: RECTANGLE,
            fragment: Some(PAINT),
            colors: &[RGBA8],
            blend: &[Blend::Alpha],
            topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
            push_bytes: 32,
            subpass: Some((pass, 0)),
            ..GraphicsInfo::default()
        })?;
        made.push((pass, framebuffer, pipeline));
    }
    let clears = [vk::ClearValue {
        color: vk::ClearColorValue { float32: CLEAR },
    }];
    let run = |r: &Recorder<'_>, which: usize| {
        let (pass, framebuffer, pipeline) = &made[which];
        r.render_pass(
            *pass,
            *framebuffer,
            SIZE_PX,
            &clears,
            &[&|r| {
                if let Some(rectangle) = [LEFT, RIGHT].get(which.wrapping_sub(1)) {
                    r.bind(pipeline, &[], rectangle);
                    r.draw(0, 4, 1);
                }
            }],
        );
    };
    let mut all = Vec::new();
    for (buffers, what) in [
        (&[&[0, 1, 2][..]][..], "one command buffer"),
        (&[&[0], &[1], &[2]], "three"),
        (&[&[0], &[2]], "two"),
    ] {
        for passes in buffers {
            gpu.run(|r| {
                passes.iter().for_each(|&which| run(r, which));
                Ok(())
            })?;
        }
        gpu.run(|r| {
            r.left_as(&image, Use::CopyFrom);
            Ok(())
        })?;
        all.push(shot(gpu, what, &image)?);
    }
    Ok(all)
}

/// Samples are cleared, drawn to, and joined at the end of the last rendering; then once more by a
/// command.
fn joined(gpu: &Gpu, buffers: &[&[u32]]) -> Result<Vec<Shot>, Error> {
    let mut all = Vec::new();
    for format in [RGBA8, vk::Format::R8G8B8A8_SRGB, RGBA32F] {
        let stage = Stage::new(gpu, format, 4)?;
        let one = gpu.image(info(format))?;
        let last: Do<'_> = &|r| {
            let to = [Target::keep(&stage.image).resolve(&one)];
            r.draw_to(&Targets::new(&to), |r| {
                stage.rectangle(r, &RIGHT);
                Ok(())
            })
        };
        for steps in buffers {
            gpu.run(|r| {
                steps.iter().try_for_each(|&step| match step {
                    2 => last(r),
                    step => stage.step(r, step),
                })
            })?;
        }
        all.extend(shots(gpu, &one)?);
        // What is in the samples after it.
        all.extend(stage.joined_by_command()?);
    }
    Ok(all)
}

/// What samples are joined in has been cleared before.
fn destination(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let (several, stage) = (Stage::new(gpu, RGBA8, 4)?, Stage::new(gpu, RGBA8, 1)?);
    let join = |r: &Recorder<'_>| {
        let to = [Target::clear(&several.image, OTHER).resolve(&stage.image)];
        r.draw_to(&Targets::new(&to), |r| {
            several.rectangle(r, &LEFT);
            Ok(())
        })
    };
    gpu.run(|r| {
        stage.clear(r)?;
        join(r)?;
        stage.draw(r, &RIGHT)
    })?;
    let mut all = shots(gpu, &stage.image)?;
    stage.steps(&[&[0]])?;
    gpu.run(|r| join(r))?;
    stage.steps(&[&[2]])?;
    all.extend(shots(gpu, &stage.image)?);
    Ok(all)
}

fn integers(gpu: &Gpu, format: vk::Format) -> Result<Vec<Shot>, Error> {
    let image = gpu.image(info(format))?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: RECTANGLE,
        fragment: Some(PAINT_INTEGERS),
        colors: &[format],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        push_bytes: 32,
        ..GraphicsInfo::default()
    })?;
    gpu.run(|r| {
        let mut to = Target::keep(&image);
        to.load = samples::vulkan::Load::Clear(vk::ClearColorValue {
            uint32: [0xdead_beef, 1, 2, 3],
        });
        r.draw_to(&Targets::new(&[to]), |_| Ok(()))
    })?;
    gpu.run(|r| {
        r.draw_to(&Targets::new(&[Target::keep(&image)]), |r| {
            r.bind(&pipeline, &[], &LEFT);
            r.draw(0, 4, 1);
            Ok(())
        })
    })?;
    shots(gpu, &image)
}
