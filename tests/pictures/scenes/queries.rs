//! What draws count: occlusionQueryPrecise; and timestamps among them.

use crate::Scene;
use crate::compare::{EXACT, Shot, Unit};
use crate::stage::*;
use samples::vulkan::{Asks, GraphicsInfo, Pipeline, Target, Targets, feature, vk};
use samples::{Error, Gpu};

/// A rectangle from a corner to another one, at a depth.
const RECTANGLE: &str = "#version 450
layout(push_constant) uniform Push { vec4 corners; float depth; };
void main()
{
    vec2 where = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(corners.xy, corners.zw, where), depth, 1.0);
}";
const WHITE: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }";

const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

fn rectangles(gpu: &Gpu, fragment: Option<&'static str>) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: RECTANGLE,
        fragment,
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        depth_format: DEPTH,
        depth: Some((vk::CompareOp::LESS, true)),
        push_bytes: 20,
        ..GraphicsInfo::default()
    })
}

fn numbers(what: &str, values: &[u64]) -> Shot {
    Shot {
        what: what.into(),
        width: values.len() as u32,
        bytes: values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
        unit: Unit::Bits(8),
    }
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    vec![
        scene("samples_counted", EXACT, samples_counted).needs(&[feature::PRECISE_OCCLUSION]),
        scene("results_not_there_leave_memory", EXACT, unavailable)
            .needs(&[feature::PRECISE_OCCLUSION]),
        scene("times_rise", EXACT, times),
        scene("outside_is_clipped_and_counted", EXACT, clipped).needs(&[feature::STATISTICS]),
    ]
}

/// Queries around draws, clears, renderings; copied with and without availability, in 32 and 64
/// bits.
fn samples_counted(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let (color, depth) = (target(gpu, RGBA8)?, target(gpu, DEPTH)?);
    let (drawn, depth_alone) = (rectangles(gpu, Some(WHITE))?, rectangles(gpu, None)?);
    let queries = gpu.queries(Asks::Samples, 4)?;
    let unused = gpu.queries(Asks::Samples, 2)?;
    let (narrow, wide) = (gpu.empty_buffer(4 * 8)?, gpu.empty_buffer(4 * 24)?);
    gpu.run(|r| {
        r.reset(&queries);
        r.reset(&unused);
        let rectangle = |pipeline: &Pipeline, x: f32, y: f32, z: f32| {
            r.bind(pipeline, &[], &[x, y, x + 1.0, y + 0.5, z]);
            r.draw(0, 4, 1);
        };
        let to = [Target::clear(&color, [0.0; 4])];
        let targets = Targets::new(&to).depth(&depth);
        r.draw_to(&targets, |r| {
            r.ask(&queries, 0, true, |_| rectangle(&drawn, -1.0, -1.0, 0.5));
            r.ask(&queries, 1, true, |r| {
                r.clear_parts([0.5; 4], &[[0, 0, 9, 9]]);
                rectangle(&drawn, -0.5, -0.75, 0.75);
                rectangle(&depth_alone, -0.5, -0.75, 0.25);
                rectangle(&drawn, 0.0, 0.0, 0.5);
            });
            r.ask(&queries, 2, false, |_| ());
            Ok(())
        })?;
        // Around a whole rendering, whose clear is no draw.
        let again = [Target::clear(&color, [0.25; 4])];
        r.ask(&queries, 3, true, |r| {
            let drawn = r.draw_to(&Targets::new(&again).depth(&depth), |_| {
                rectangle(&drawn, -1.0, -1.0, 0.125);
                rectangle(&drawn, -1.0, -1.0, 0.125);
                Ok(())
            });
            assert!(drawn.is_ok());
        });
        let flags = vk::QueryResultFlags::WITH_AVAILABILITY | vk::QueryResultFlags::WAIT;
        r.copy_results(&queries, &narrow, 8, flags);
        r.copy_results(&queries, &wide, 24, flags | vk::QueryResultFlags::TYPE_64);
        Ok(())
    })?;
    let results = gpu.results(&queries)?;
    let bits = |what: &str, bytes| Shot {
        what: what.into(),
        width: 4,
        bytes,
        unit: Unit::Bits(4),
    };
    Ok(vec![
        numbers("results", &results),
        numbers("no results", &gpu.results(&unused)?),
        bits("32 bits", gpu.contents(&narrow)?),
        bits("64 bits", gpu.contents(&wide)?),
    ])
}

/// Queries copied without waiting, one of which was asked nothing: what is in the buffer for it
/// stays.
fn unavailable(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let (color, depth) = (target(gpu, RGBA8)?, target(gpu, DEPTH)?);
    let drawn = rectangles(gpu, Some(WHITE))?;
    let queries = gpu.queries(Asks::Samples, 3)?;
    let before = [0x1234_5678_u32; 6];
    let (narrow, wide) = (gpu.buffer(&before)?, gpu.buffer(&before)?);
    gpu.run(|r| {
        r.reset(&queries);
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to).depth(&depth), |r| {
            for query in [0, 2] {
                r.ask(&queries, query, true, |r| {
                    r.bind(
                        &drawn,
                        &[],
                        &[-1.0_f32, -1.0, 1.0, 0.5, 0.5 - query as f32 / 8.0],
                    );
                    r.draw(0, 4, 1);
                });
            }
            Ok(())
        })
    })?;
    // The draws are done: only what was never asked has no result.
    gpu.run(|r| {
        r.copy_results(&queries, &narrow, 4, vk::QueryResultFlags::empty());
        r.copy_results(&queries, &wide, 8, vk::QueryResultFlags::TYPE_64);
        Ok(())
    })?;
    let bits = |what: &str, bytes| Shot {
        what: what.into(),
        width: 6,
        bytes,
        unit: Unit::Bits(4),
    };
    Ok(vec![
        bits("32 bits", gpu.contents(&narrow)?),
        bits("64 bits", gpu.contents(&wide)?),
    ])
}

/// Primitives within the viewport, across its edge and outside, with what the clipper counts of
/// them. How many it lets through is the implementation's.
fn clipped(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    use vk::QueryPipelineStatisticFlags as S;
    let (color, depth) = (target(gpu, RGBA8)?, target(gpu, DEPTH)?);
    let drawn = rectangles(gpu, Some(WHITE))?;
    let counts = S::CLIPPING_INVOCATIONS | S::CLIPPING_PRIMITIVES;
    let queries = gpu.queries(Asks::Statistics(counts), 3)?;
    gpu.run(|r| {
        r.reset(&queries);
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to).depth(&depth), |r| {
            for (query, x) in (0..).zip([-0.5_f32, 0.75, 1.5]) {
                r.ask(&queries, query, false, |r| {
                    r.bind(&drawn, &[], &[x, -0.5, x + 0.5, 0.5, 0.5]);
                    r.draw(0, 4, 1);
                });
            }
            Ok(())
        })
    })?;
    let results = gpu.results(&queries)?;
    let came: Vec<u64> = results.chunks(3).map(|query| query[0]).collect();
    Ok(vec![
        numbers("primitives that came", &came),
        shot(gpu, "colour", &color)?,
    ])
}

/// Timestamps within a rendering and outside, at several stages.
fn times(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    use vk::PipelineStageFlags as S;
    let (color, depth) = (target(gpu, RGBA8)?, target(gpu, DEPTH)?);
    let drawn = rectangles(gpu, Some(WHITE))?;
    let stages = [
        S::TOP_OF_PIPE,
        S::VERTEX_SHADER,
        S::LATE_FRAGMENT_TESTS,
        S::COLOR_ATTACHMENT_OUTPUT,
        S::BOTTOM_OF_PIPE,
    ];
    let queries = gpu.queries(Asks::Time, stages.len() as u32 + 1)?;
    gpu.run(|r| {
        r.reset(&queries);
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to).depth(&depth), |r| {
            for (query, stage) in (0..).zip(stages) {
                r.time(&queries, query, stage);
                r.bind(&drawn, &[], &[-1.0_f32, -1.0, 1.0, 0.5, 0.5]);
                r.draw(0, 4, 1);
            }
            Ok(())
        })?;
        r.time(&queries, stages.len() as u32, S::ALL_COMMANDS);
        Ok(())
    })?;
    let results = gpu.results(&queries)?;
    let (times, there): (Vec<u64>, Vec<u64>) = results
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .unzip();
    Ok(vec![
        numbers("availability", &there),
        numbers("order", &[u64::from(times.is_sorted())]),
    ])
}
