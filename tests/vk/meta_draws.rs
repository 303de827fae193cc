//! Blits and resolves among draws: they are draws of the driver's own, of which the application's
//! know nothing.

use ash::vk;
use samples::vulkan::{
    Asks, Feature, GraphicsInfo, Image, ImageInfo, Queries, Source, Target, Targets, Wants, feature,
};
use samples::{Error, Gpu};

/// A rectangle from a corner to another one.
const RECTANGLE: &str = "#version 450
layout(push_constant) uniform Push { vec4 corners; vec4 colour; };
void main()
{
    vec2 where = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(corners.xy, corners.zw, where), 0.5, 1.0);
}";
const COLOURED: &str = "#version 450
layout(push_constant) uniform Push { vec4 corners; vec4 colour; };
layout(location = 0) out vec4 result;
void main() { result = colour; }";

const SRGB: vk::Format = vk::Format::R8G8B8A8_SRGB;
const SIDE: u32 = 32;

fn image(gpu: &Gpu, samples: u32, side: u32) -> Result<Image, Error> {
    gpu.image(
        ImageInfo::new(SRGB, side, side)
            .samples(samples)
            .target()
            .input(),
    )
}

/// A blit of a square to a place of another image.
fn placed(from: u32, to: u32, from_side: u32, to_side: u32) -> vk::ImageBlit {
    let corner = |at: u32, z: i32| vk::Offset3D {
        x: at as i32,
        y: at as i32,
        z,
    };
    let colour = vk::ImageSubresourceLayers::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .layer_count(1);
    vk::ImageBlit::default()
        .src_subresource(colour)
        .dst_subresource(colour)
        .src_offsets([corner(from, 0), corner(from + from_side, 1)])
        .dst_offsets([corner(to, 0), corner(to + to_side, 1)])
}

/// Pixels that differ from a function of column and row.
fn others(bytes: &[u8], side: u32, expected: impl Fn(u32, u32) -> [u8; 4]) -> usize {
    let places = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let pixels = bytes.as_chunks::<4>().0.iter();
    let wrong = pixels.zip(places).filter(|(is, (x, y))| {
        let close = |(a, b): (&u8, u8)| a.abs_diff(b) <= 1;
        !is.iter().zip(expected(*x, *y)).all(close)
    });
    wrong.count()
}

fn among_draws(gpu: &Gpu) -> Result<(), Error> {
    let several = image(gpu, 4, SIDE)?;
    let [first, second, third] = [(); 3].map(|()| image(gpu, 1, SIDE));
    let (first, second, third) = (first?, second?, third?);
    let small = image(gpu, 1, 16)?;
    let drawn = gpu.graphics(&GraphicsInfo {
        vertex: RECTANGLE,
        fragment: Some(COLOURED),
        colors: &[SRGB],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        samples: 4,
        push_bytes: 32,
        ..GraphicsInfo::default()
    })?;
    let counted: Queries = gpu.queries(Asks::Samples, 1)?;
    let statistics = vk::QueryPipelineStatisticFlags::VERTEX_SHADER_INVOCATIONS
        | vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS;
    let stages = gpu.queries(Asks::Statistics(statistics), 1)?;
    // Half of linear light is 188.
    let half = [-1.0_f32, -1.0, 0.0, 1.0, 0.5, 0.5, 0.5, 1.0];
    let done = std::cell::RefCell::new(Ok(()));
    let check = |result: Result<(), Error>| {
        if let Err(error) = result {
            *done.borrow_mut() = Err(error);
        }
    };
    gpu.run(|r| {
        r.reset(&counted);
        r.reset(&stages);
        r.clear(&small, vk::ClearColorValue { float32: [1.0; 4] });
        r.ask(&counted, 0, true, |r| {
            r.ask(&stages, 0, false, |r| {
                let to = [Target::clear(&several, [0.0; 4]).resolve(&first)];
                check(r.draw_to(&Targets::new(&to), |r| {
                    r.bind(&drawn, &[], &half);
                    r.draw(0, 4, 1);
                    Ok(())
                }));
                // Twice, so that two follow each other.
                let regions = [placed(8, 4, 16, 8), placed(12, 0, 4, 4)];
                r.blit(&first, &small, &regions, vk::Filter::NEAREST);
                // Neither pipeline nor colour is bound again.
                let to = [Target::keep(&several).resolve(&second)];
                check(r.draw_to(&Targets::new(&to), |r| {
                    r.push(&drawn, &[0.0_f32, 0.0, 1.0, 1.0]);
                    r.draw(0, 4, 1);
                    Ok(())
                }));
                r.resolve(&several, &third);
            });
        });
        Ok(())
    })?;
    done.into_inner()?;
    let (grey, none) = ([188, 188, 188, 255], [0; 4]);
    let halved = |x, _| if x < 16 { grey } else { none };
    assert_eq!(others(&gpu.read(&first)?, SIDE, halved), 0);
    let more = |x, y| if x < 16 || y >= 16 { grey } else { none };
    assert_eq!(others(&gpu.read(&second)?, SIDE, more), 0);
    assert_eq!(others(&gpu.read(&third)?, SIDE, more), 0);
    let scaled = |x: u32, y: u32| match (x, y) {
        (0..4, 0..4) => grey,
        (4..8, 4..12) => grey,
        (8..12, 4..12) => none,
        _ => [255; 4],
    };
    assert_eq!(others(&gpu.read(&small)?, 16, scaled), 0);
    let samples = u64::from(4 * (SIDE * SIDE / 2 + SIDE * SIDE / 4));
    assert_eq!(gpu.results(&counted)?, [samples, 1]);
    assert_eq!(gpu.results(&stages)?, [8, 4, 1]);
    Ok(())
}

#[test]
fn blits_and_resolves_preserve_bindings_and_query_counts() {
    crate::rig::entry();
    let features: &[Feature] = &[feature::PRECISE_OCCLUSION, feature::STATISTICS];
    let wants = Wants {
        features,
        extensions: &[],
    };
    let gpu = Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants).unwrap();
    among_draws(&gpu).unwrap();
}

#[test]
fn draws_have_the_maximum_push_constants() {
    const PUSHED: &str = "#version 450
layout(push_constant) uniform Push { vec4 all[16]; };
layout(location = 0) out vec4 result;
void main() { result = vec4(all[0].x, all[8].y, all[15].zw); }";
    crate::rig::entry();
    let wants = Wants {
        features: &[],
        extensions: &[],
    };
    let gpu = Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants).unwrap();
    let drawn = || -> Result<Vec<u8>, Error> {
        let format = vk::Format::R32G32B32A32_SFLOAT;
        let image = gpu.image(ImageInfo::new(format, SIDE, SIDE).target())?;
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: RECTANGLE,
            fragment: Some(PUSHED),
            colors: &[format],
            topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
            push_bytes: 256,
            ..GraphicsInfo::default()
        })?;
        gpu.run(|r| {
            r.draw_to(&Targets::new(&[Target::clear(&image, [0.0; 4])]), |r| {
                let mut all: [f32; 64] = std::array::from_fn(|at| at as f32);
                all[..4].copy_from_slice(&[-1.0, -1.0, 1.0, 1.0]);
                r.bind(&pipeline, &[], &all);
                r.draw(0, 4, 1);
                Ok(())
            })
        })?;
        gpu.read(&image)
    };
    let meant: Vec<u8> = [-1.0_f32, 33.0, 62.0, 63.0]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let found = drawn().unwrap();
    assert!(found.chunks_exact(16).all(|pixel| pixel == meant));
}
