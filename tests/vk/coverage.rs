//! Which pixels and samples objects cover, where the application controls it.

use ash::vk;
use samples::vulkan::{
    Asks, Bound, Extension, Feature, GraphicsInfo, ImageInfo, More, Pipeline, Source, State,
    Target, Targets, Wants, extension, feature,
};
use samples::{Error, Gpu};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const SIDE: u32 = 16;

fn gpu(features: &[Feature], extensions: &[Extension]) -> Gpu {
    // The driver finds the simulated GPU.
    crate::rig::entry();
    let wants = Wants {
        features,
        extensions,
    };
    Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants).unwrap()
}

/// A triangle whose corners are pushed, in pixels.
const TRIANGLE: &str = "#version 450
layout(push_constant) uniform Push { vec2 corners[3]; };
void main() { gl_Position = vec4(corners[gl_VertexIndex] / 8.0 - 1.0, 0.0, 1.0); }";
const WHITE: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }";

fn pipeline(gpu: &Gpu, info: &GraphicsInfo<'_>) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: TRIANGLE,
        fragment: Some(WHITE),
        colors: &[RGBA8],
        push_bytes: 24,
        ..info.clone()
    })
}

/// Pixels with a part, however small, in a triangle; or those whose middle is in it.
fn conservative(gpu: &Gpu) -> Result<(), Error> {
    use vk::ConservativeRasterizationModeEXT as M;
    let plain = pipeline(gpu, &GraphicsInfo::default())?;
    let off = pipeline(
        gpu,
        &GraphicsInfo {
            more: &[More::Conservative(M::DISABLED)],
            ..GraphicsInfo::default()
        },
    )?;
    let on = pipeline(
        gpu,
        &GraphicsInfo {
            more: &[More::Conservative(M::OVERESTIMATE)],
            ..GraphicsInfo::default()
        },
    )?;
    let chosen = pipeline(
        gpu,
        &GraphicsInfo {
            dynamic: &[vk::DynamicState::CONSERVATIVE_RASTERIZATION_MODE_EXT],
            ..GraphicsInfo::default()
        },
    )?;
    let middles: &[(usize, usize)] = &[(1, 1), (2, 1), (1, 2)];
    let overlapped: &[(usize, usize)] = &[(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)];
    let cases = [
        (&plain, None, middles),
        (&off, None, middles),
        (&on, None, overlapped),
        (&chosen, Some(M::OVERESTIMATE), overlapped),
        (&chosen, Some(M::DISABLED), middles),
    ];
    for (pipeline, mode, expected) in cases {
        let color = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).target())?;
        gpu.run(|r| {
            let to = [Target::clear(&color, [0.0; 4])];
            r.draw_to(&Targets::new(&to), |r| {
                r.bind(pipeline, &[], &[1.25_f32, 1.25, 3.5, 1.25, 1.25, 3.5]);
                if let Some(mode) = mode {
                    r.state(State::Conservative(mode));
                }
                r.draw(0, 3, 1);
                Ok(())
            })
        })?;
        let texels = gpu.read(&color)?;
        let lit = |x: usize, y: usize| texels[(y * SIDE as usize + x) * 4] != 0;
        let all = (0..SIDE as usize).flat_map(|y| (0..SIDE as usize).map(move |x| (x, y)));
        let found: Vec<_> = all.filter(|&(x, y)| lit(x, y)).collect();
        assert_eq!(found, expected, "{mode:?}");
    }
    Ok(())
}

fn at(x: f32, y: f32) -> vk::SampleLocationEXT {
    vk::SampleLocationEXT { x, y }
}

/// A column of pixels that a triangle's edge halves has the samples that lie on its side, wherever
/// they were set; in later batches and draws without custom locations, they are where
/// they always do.
fn locations(gpu: &Gpu) -> Result<(), Error> {
    let two = GraphicsInfo {
        samples: 2,
        ..GraphicsInfo::default()
    };
    let left = [at(0.0625, 0.5), at(0.25, 0.75)];
    let right = [at(0.9375, 0.25), at(0.75, 0.5)];
    let usual = pipeline(gpu, &two)?;
    let own = pipeline(
        gpu,
        &GraphicsInfo {
            more: &[More::Locations(&left)],
            ..two.clone()
        },
    )?;
    let chosen = pipeline(
        gpu,
        &GraphicsInfo {
            more: &[More::Locations(&[])],
            dynamic: &[vk::DynamicState::SAMPLE_LOCATIONS_EXT],
            ..two
        },
    )?;
    let many = ImageInfo::new(RGBA8, SIDE, SIDE).target().samples(2);
    let queries = gpu.queries(Asks::Samples, 6)?;
    // All pixels left of 4.5.
    let corners = [-100.0_f32, 8.0, 4.5, -104.5, 4.5, 120.5];
    for _ in 0..2 {
        let color = gpu.image(many)?;
        gpu.run(|r| {
            r.reset(&queries);
            let to = [Target::clear(&color, [0.0; 4])];
            r.draw_to(&Targets::new(&to), |r| {
                let draws = [
                    (&usual, None),
                    (&own, None),
                    (&chosen, Some(&right)),
                    (&usual, None),
                    (&chosen, Some(&left)),
                    (&own, None),
                ];
                for (query, (pipeline, places)) in (0..).zip(draws) {
                    r.bind(pipeline, &[], &corners);
                    if let Some(places) = places {
                        r.state(State::Locations(places));
                    }
                    r.ask(&queries, query, true, |r| r.draw(0, 3, 1));
                }
                Ok(())
            })
        })?;
        let results = gpu.results(&queries)?;
        let counts: Vec<_> = results.chunks_exact(2).map(|r| r[0]).collect();
        let of = |samples: u64| 16 * (4 * 2 + samples);
        assert_eq!(counts, [of(1), of(2), of(0), of(1), of(2), of(2)]);
    }
    Ok(())
}

#[test]
fn conservative_rasterization_covers_overlapped_pixels() {
    conservative(&gpu(&[], &[extension::CONSERVATIVE, extension::DYNAMIC_3])).unwrap();
}

#[test]
fn samples_are_at_their_custom_locations() {
    locations(&gpu(&[feature::PRECISE_OCCLUSION], &[extension::LOCATIONS])).unwrap();
}

/// Alpha of the first colour decides about the samples of all, and so does a mask, whether the
/// shader's or the pipeline's.
fn by_alpha(gpu: &Gpu) -> Result<(), Error> {
    let shader = |mask: &str| {
        format!(
            "#version 450
layout(push_constant) uniform Push {{ vec2 corners[3]; float alpha; }};
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
void main()
{{
    first = vec4(1.0, 0.0, 0.0, alpha);
    second = vec4(0.0, 1.0, 0.0, 1.0 - alpha);
    {mask}
}}"
        )
    };
    let (plain, masked) = (shader(""), shader("gl_SampleMask[0] = 0x5;"));
    let pipeline = |fragment: &str, sample_mask| {
        gpu.graphics(&GraphicsInfo {
            vertex: "#version 450
layout(push_constant) uniform Push { vec2 corners[3]; float alpha; };
void main() { gl_Position = vec4(corners[gl_VertexIndex] / 8.0 - 1.0, 0.0, 1.0); }",
            fragment: Some(fragment),
            colors: &[RGBA8, RGBA8],
            samples: 4,
            sample_mask,
            alpha_to_coverage: true,
            push_bytes: 28,
            ..GraphicsInfo::default()
        })
    };
    let all = pipeline(&plain, None)?;
    let shaders = pipeline(&masked, None)?;
    let pipelines = pipeline(&plain, Some(0x5))?;
    let many = ImageInfo::new(RGBA8, SIDE, SIDE).target().samples(4);
    let queries = gpu.queries(Asks::Samples, 1)?;
    for (pipeline, mask) in [(&all, 0xf), (&shaders, 0x5_u32), (&pipelines, 0x5)] {
        let mut before = 0;
        for (quarters, alpha) in [(0, 0.0), (1, 0.25), (2, 0.5), (3, 0.75), (4, 1.0_f32)] {
            let (one, two) = (gpu.image(many)?, gpu.image(many)?);
            let single = ImageInfo::new(RGBA8, SIDE, SIDE).target();
            let (first, second) = (gpu.image(single)?, gpu.image(single)?);
            gpu.run(|r| {
                r.reset(&queries);
                let to = [
                    Target::clear(&one, [0.0; 4]).resolve(&first),
                    Target::clear(&two, [0.0; 4]).resolve(&second),
                ];
                r.draw_to(&Targets::new(&to), |r| {
                    r.bind(
                        pipeline,
                        &[],
                        &[-16.0_f32, -16.0, 64.0, -16.0, -16.0, 64.0, alpha],
                    );
                    r.ask(&queries, 0, true, |r| r.draw(0, 3, 1));
                    Ok(())
                })
            })?;
            let samples = gpu.results(&queries)?[0] / 256;
            // Alpha selects that many samples of the mask; more alpha never covers less.
            assert!(samples >= before && samples <= u64::from(mask.count_ones()));
            if mask == 0xf {
                assert_eq!(samples, quarters);
            }
            if quarters == 4 {
                assert_eq!(samples, u64::from(mask.count_ones()));
            }
            before = samples;
            let (first, second) = (gpu.read(&first)?, gpu.read(&second)?);
            let part = samples as f32 * 255.0 / 4.0;
            assert!(
                (f32::from(first[0]) - part).abs() <= 1.0,
                "{alpha}: {}",
                first[0]
            );
            assert!(
                (f32::from(second[1]) - part).abs() <= 1.0,
                "{alpha}: {}",
                second[1]
            );
        }
    }
    Ok(())
}

#[test]
fn alpha_to_coverage_affects_all_targets() {
    by_alpha(&gpu(&[feature::PRECISE_OCCLUSION], &[])).unwrap();
}

/// Smooth lines have soft edges in colours that are fractions; integers come as they are.
fn smooth(gpu: &Gpu) -> Result<(), Error> {
    let lines = vk::LineRasterizationModeEXT::RECTANGULAR_SMOOTH;
    for (format, kind, paint, value) in [
        (
            vk::Format::R8G8B8A8_UINT,
            "u",
            "7, 9, 11, 200",
            [7, 9, 11, 200],
        ),
        (RGBA8, "", "1.0", [255; 4]),
    ] {
        let fragment = format!(
            "#version 450
layout(location = 0) out {kind}vec4 colour;
void main() {{ colour = {kind}vec4({paint}); }}"
        );
        let pipeline = gpu.graphics(&GraphicsInfo {
            vertex: TRIANGLE,
            fragment: Some(&fragment),
            colors: &[format],
            topology: vk::PrimitiveTopology::LINE_LIST,
            more: &[More::Lines(lines, None)],
            push_bytes: 24,
            ..GraphicsInfo::default()
        })?;
        let color = gpu.image(ImageInfo::new(format, SIDE, SIDE).target())?;
        gpu.run(|r| {
            let to = [Target::clear(&color, [0.0; 4])];
            r.draw_to(&Targets::new(&to), |r| {
                r.bind(&pipeline, &[], &[1.0_f32, 3.3, 15.0, 9.1, 0.0, 0.0]);
                r.draw(0, 2, 1);
                Ok(())
            })
        })?;
        let texels = gpu.read(&color)?;
        let drawn: Vec<_> = texels.chunks_exact(4).filter(|t| t[3] != 0).collect();
        assert!(drawn.len() >= 14, "{}", drawn.len());
        let whole = drawn.iter().filter(|t| ***t == value).count();
        match kind {
            "u" => assert_eq!(whole, drawn.len()),
            _ => assert!(whole < drawn.len()),
        }
    }
    Ok(())
}

#[test]
fn smooth_lines_do_not_blend_integer_targets() {
    smooth(&gpu(&[], &[extension::LINES])).unwrap();
}

/// Fragments of a pixel read what those before them have written, one after another in the order of
/// their objects.
fn interlocked(gpu: &Gpu, layout: &str) -> Result<(), Error> {
    let numbers = gpu.empty_buffer(u64::from(SIDE * SIDE * 4))?;
    let set = gpu.set(&[Bound::Storage(&numbers)])?;
    let fragment = format!(
        "#version 450
#extension GL_ARB_fragment_shader_interlock : require
layout({layout}) in;
layout(binding = 0) coherent buffer Numbers {{ uint numbers[]; }};
layout(location = 0) flat in uint digit;
void main()
{{
    uint at = uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x);
    beginInvocationInterlockARB();
    numbers[at] = numbers[at] * 10u + digit;
    endInvocationInterlockARB();
}}"
    );
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: "#version 450
layout(location = 0) flat out uint digit;
void main()
{
    digit = uint(gl_InstanceIndex + 1);
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0);
}",
        fragment: Some(&fragment),
        colors: &[RGBA8],
        sets: &[set],
        ..GraphicsInfo::default()
    })?;
    let color = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).target())?;
    gpu.run(|r| {
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to), |r| {
            r.bind::<u8>(&pipeline, &[set], &[]);
            r.draw(0, 3, 6);
            Ok(())
        })
    })?;
    let bytes = gpu.contents(&numbers)?;
    let found = bytes.chunks_exact(4).map(|w| w.try_into().unwrap());
    assert!(found.map(u32::from_le_bytes).all(|n| n == 123_456));
    Ok(())
}

#[test]
fn fragment_shader_interlock_orders_fragments() {
    let gpu = gpu(&[feature::FRAGMENT_STORES], &[extension::INTERLOCK]);
    interlocked(&gpu, "pixel_interlock_ordered").unwrap();
    interlocked(&gpu, "sample_interlock_ordered").unwrap();
}
