//! Draws that secondary command buffers record.

use crate::Scene;
use crate::compare::{EXACT, ROUNDED, Shot};
use crate::pass;
use crate::stage::*;
use samples::vulkan::{Bound, GraphicsInfo, ImageInfo, PartOf, Target, Targets, Use, vk};
use samples::{Error, Gpu};

/// A rectangle from a corner to another one, at a depth, in a colour.
const RECTANGLE: &str = "#version 450
layout(push_constant) uniform Push { vec4 corners; vec4 paint; float depth; };
void main()
{
    vec2 where = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(corners.xy, corners.zw, where), depth, 1.0);
}";

const PAINT: &str = "#version 450
layout(push_constant) uniform Push { vec4 corners; vec4 paint; float depth; };
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 other;
void main() { colour = paint; other = paint.bgra; }";

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    vec![
        scene("parts_of_a_rendering", ROUNDED, rendering),
        scene("parts_of_subpasses", ROUNDED, subpasses),
        scene("a_part_that_draws_by_itself", EXACT, alone),
    ]
}

/// Two parts, one of them twice and longer than a piece of a batch, in two renderings to targets of
/// their own.
fn rendering(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let depth_format = vk::Format::D32_SFLOAT;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: RECTANGLE,
        fragment: Some(PAINT),
        colors: &[RGBA8, RGBA8],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        depth_format,
        depth: Some((vk::CompareOp::LESS, true)),
        push_bytes: 36,
        ..GraphicsInfo::default()
    })?;
    let of = PartOf::Rendering {
        colors: &[RGBA8, RGBA8],
        depth: depth_format,
        samples: vk::SampleCountFlags::TYPE_1,
        flags: vk::RenderingFlags::empty(),
    };
    let long = gpu.part(of, Some([SIDE; 2]), |r| {
        for i in 0..60_u32 {
            let at = |step: u32| (i * step % 53) as f32 / 32.0 - 1.0;
            let (x, y) = (at(7), at(13));
            let paint = [at(3).abs(), at(5).abs(), at(11).abs(), 1.0];
            let [red, green, blue, alpha] = paint;
            let depth = (i * 17 % 61) as f32 / 64.0;
            r.bind(
                &pipeline,
                &[],
                &[x, y, x + 0.5, y + 0.375, red, green, blue, alpha, depth],
            );
            r.draw(0, 4, 1);
        }
        Ok(())
    })?;
    let short = gpu.part(of, Some([SIDE; 2]), |r| {
        r.clear_parts([0.3, 0.6, 0.9, 0.2], &[[2, 3, 7, 9], [30, 30, 2, 2]]);
        r.scissors(&[[0, 0, SIDE, SIDE / 2]]);
        r.bind(
            &pipeline,
            &[],
            &[-0.5_f32, -0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 0.25],
        );
        r.draw(0, 4, 1);
        Ok(())
    })?;
    let mut shots = Vec::new();
    for (order, what) in [
        (&[long, short, long][..], "twice"),
        (&[short, long], "once"),
    ] {
        let colors = [target(gpu, RGBA8)?, target(gpu, RGBA8)?];
        let depth = target(gpu, depth_format)?;
        gpu.run(|r| {
            let to = [
                Target::clear(&colors[0], [0.2, 0.4, 0.6, 0.8]),
                Target::clear(&colors[1], [0.5; 4]),
            ];
            r.draw_parts_to(&Targets::new(&to).depth(&depth), order)
        })?;
        for (i, color) in colors.iter().enumerate() {
            shots.push(shot(gpu, &format!("{what}, colour {i}"), color)?);
        }
    }
    Ok(shots)
}

/// A part of each of two subpasses, of which the second reads what the first has drawn; they know
/// no framebuffer, and are executed in two, of different sizes.
fn subpasses(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let pass = pass::one_reads_the_other(gpu)?;
    let drawing = pass::ramp(gpu, pass, 0)?;
    let first = gpu.part(PartOf::Subpass(pass, 0), Some([SIDE / 2, SIDE]), |r| {
        r.bind::<u8>(&drawing, &[], &[]);
        r.draw(0, 3, 1);
        Ok(())
    })?;
    let mut shots = Vec::new();
    for side in [SIDE, 2 * SIDE] {
        let info = ImageInfo::new(RGBA8, side, side).target();
        let (inner, last) = (gpu.image(info.input())?, gpu.image(info)?);
        let framebuffer = gpu.framebuffer(pass, &[inner.view, last.view], [side; 2])?;
        let set = gpu.set(&[Bound::Input(inner.view)])?;
        let reading = pass::input_turned(gpu, pass, 1, set, "1.0, 1.0, 0.5, 1.0")?;
        let second = gpu.part(PartOf::Subpass(pass, 1), Some([side; 2]), |r| {
            r.bind::<u8>(&reading, &[set], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })?;
        gpu.run(|r| {
            let clears = [vk::ClearValue {
                color: vk::ClearColorValue {
                    float32: [0.125, 0.25, 0.5, 1.0],
                },
            }; 2];
            let [width, height] = [side; 2];
            let info = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(vk::Rect2D::default().extent(vk::Extent2D { width, height }))
                .clear_values(&clears);
            r.render_pass_of_parts(&info, &[&[first], &[second]]);
            r.left_as(&last, Use::CopyFrom);
            Ok(())
        })?;
        shots.push(shot(gpu, &format!("{side} by {side}"), &last)?);
    }
    Ok(shots)
}

/// A whole rendering inside a part, between a dispatch of the primary before it and one behind it.
fn alone(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let color = target(gpu, RGBA8)?;
    let numbers = gpu.empty_buffer(64)?;
    let set = gpu.set(&[Bound::Storage(&numbers)])?;
    let adding = gpu.compute(
        "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Numbers { uint number; };
void main() { number = number * 3 + 1; }",
        &[set],
        0,
    )?;
    let covering = gpu.graphics(&GraphicsInfo {
        vertex: COVER,
        fragment: Some(&fragment(
            "layout(binding = 0) readonly buffer Numbers { uint number; };",
            "colour = vec4(number) / 16.0;",
        )),
        colors: &[RGBA8],
        sets: &[set],
        ..GraphicsInfo::default()
    })?;
    let part = gpu.part(PartOf::Nothing, None, |r| {
        let to = [Target::clear(&color, [1.0; 4])];
        r.draw_to(&Targets::new(&to), |r| {
            r.scissors(&[[4, 4, 20, 20]]);
            r.bind::<u8>(&covering, &[set], &[]);
            r.draw(0, 3, 1);
            Ok(())
        })
    })?;
    gpu.run(|r| {
        for part in [Some(part), None] {
            r.bind::<u8>(&adding, &[set], &[]);
            r.dispatch([1; 3]);
            r.barrier();
            if let Some(part) = part {
                r.execute(&[part]);
                r.barrier();
            }
        }
        Ok(())
    })?;
    let mut all = shots(gpu, &color)?;
    let bytes = gpu.contents(&numbers)?;
    all.push(Shot {
        what: "the number".into(),
        width: 4,
        bytes,
        unit: crate::compare::Unit::Bits(4),
    });
    Ok(all)
}
