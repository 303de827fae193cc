//! What draws and dispatches count, where no other driver at hand counts with us:
//! pipelineStatisticsQuery, inheritedQueries.

use ash::vk;
use samples::vulkan::{
    Asks, Bound, Extension, Feature, GraphicsInfo, ImageInfo, PartOf, Pipeline, Queries, Source,
    Target, Targets, Wants, extension, feature,
};
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

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const SIDE: u32 = 32;

fn target(gpu: &Gpu, format: vk::Format) -> Result<samples::vulkan::Image, Error> {
    gpu.image(ImageInfo::new(format, SIDE, SIDE).target())
}

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

/// A query that is begun by the primary counts what a part of it draws.
fn inherited(gpu: &Gpu) -> Result<(), Error> {
    let (color, depth) = (target(gpu, RGBA8)?, target(gpu, DEPTH)?);
    let drawn = rectangles(gpu, Some(WHITE))?;
    let queries = gpu.queries(Asks::Samples, 2)?;
    let of = PartOf::Rendering {
        colors: &[RGBA8],
        depth: DEPTH,
        samples: vk::SampleCountFlags::TYPE_1,
        flags: vk::RenderingFlags::empty(),
    };
    let counted = vk::CommandBufferInheritanceInfo::default()
        .occlusion_query_enable(true)
        .query_flags(vk::QueryControlFlags::PRECISE);
    let outer = gpu.inheriting_part(of, counted, Some([SIDE; 2]), |r| {
        r.bind(&drawn, &[], &[-1.0_f32, -1.0, 0.5, 0.25, 0.5]);
        r.draw(0, 4, 1);
        Ok(())
    })?;
    let inner = gpu.part(of, Some([SIDE; 2]), |r| {
        r.ask(&queries, 1, true, |r| {
            r.bind(&drawn, &[], &[-1.0_f32, -1.0, 1.0, 0.5, 0.25]);
            r.draw(0, 4, 1);
        });
        Ok(())
    })?;
    gpu.run(|r| {
        r.reset(&queries);
        let to = [Target::clear(&color, [0.0; 4])];
        r.ask(&queries, 0, true, |r| {
            let drawn = r.draw_parts_to(&Targets::new(&to).depth(&depth), &[outer]);
            assert!(drawn.is_ok());
        });
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_parts_to(&Targets::new(&to).depth(&depth), &[inner])
    })?;
    // 24 by 20 pixels, and 32 by 24.
    assert_eq!(gpu.results(&queries)?, [24 * 20, 1, 32 * 24, 1]);
    Ok(())
}

/// A pipeline whose geometry shader emits each triangle and its mirror image, in two invocations.
fn doubling(gpu: &Gpu) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: RECTANGLE,
        geometry: Some(
            "#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 6) out;
void main()
{
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 3; i++) {
            gl_Position = gl_in[i].gl_Position * vec4(1.0 - 2.0 * float(side), 1.0, 1.0, 1.0);
            EmitVertex();
        }
        EndPrimitive();
    }
}",
        ),
        fragment: Some(WHITE),
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        depth_format: DEPTH,
        push_bytes: 20,
        ..GraphicsInfo::default()
    })
}

/// A pipeline that tessellates patches of four control points.
fn patches(gpu: &Gpu) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: RECTANGLE,
        tessellation: Some((
            "#version 450
layout(vertices = 4) out;
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter = float[](2.0, 2.0, 2.0, 2.0);
    gl_TessLevelInner = float[](2.0, 2.0);
}",
            "#version 450
layout(quads) in;
void main()
{
    vec4 top = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
    vec4 low = mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x);
    gl_Position = mix(top, low, gl_TessCoord.y);
}",
        )),
        fragment: Some(WHITE),
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::PATCH_LIST,
        patch_vertices: 4,
        depth_format: DEPTH,
        push_bytes: 20,
        ..GraphicsInfo::default()
    })
}

/// All pipeline statistics of stages whose counts the specification fixes.
fn stages(gpu: &Gpu) -> Result<(), Error> {
    use vk::QueryPipelineStatisticFlags as S;
    let (color, depth) = (target(gpu, RGBA8)?, target(gpu, DEPTH)?);
    let plain = rectangles(gpu, Some(WHITE))?;
    let (doubled, patches) = (doubling(gpu)?, patches(gpu)?);
    let counted = gpu.empty_buffer(4)?;
    let set = gpu.set(&[Bound::Storage(&counted)])?;
    let computing = gpu.compute(
        "#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) buffer Numbers { uint number; };
void main() { atomicAdd(number, 1u); }",
        &[set],
        0,
    )?;
    let assembly = S::INPUT_ASSEMBLY_VERTICES | S::INPUT_ASSEMBLY_PRIMITIVES;
    let clipping = S::CLIPPING_INVOCATIONS | S::CLIPPING_PRIMITIVES;
    let geometry = S::GEOMETRY_SHADER_INVOCATIONS | S::GEOMETRY_SHADER_PRIMITIVES;
    let pools: Vec<Queries> = [
        assembly | S::VERTEX_SHADER_INVOCATIONS | clipping,
        geometry | S::CLIPPING_INVOCATIONS,
        S::TESSELLATION_CONTROL_SHADER_PATCHES | assembly,
        S::COMPUTE_SHADER_INVOCATIONS | S::VERTEX_SHADER_INVOCATIONS,
    ]
    .into_iter()
    .map(|which| gpu.queries(Asks::Statistics(which), 1))
    .collect::<Result<_, _>>()?;
    let all = S::from_raw((1 << 11) - 1);
    let whole = gpu.queries(Asks::Statistics(all), 2)?;
    let copied = gpu.empty_buffer(4 * 4)?;
    gpu.run(|r| {
        pools.iter().chain([&whole]).for_each(|pool| r.reset(pool));
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to).depth(&depth), |r| {
            let corners = [-1.0_f32, -1.0, 1.0, 0.5, 0.5];
            r.ask(&pools[0], 0, false, |r| {
                r.clear_parts([0.5; 4], &[[0, 0, 9, 9]]);
                r.bind(&plain, &[], &corners);
                r.draw(0, 4, 3);
            });
            r.ask(&pools[1], 0, false, |r| {
                r.bind(&doubled, &[], &corners);
                r.draw(0, 4, 1);
            });
            r.ask(&pools[2], 0, false, |r| {
                r.bind(&patches, &[], &corners);
                r.draw(0, 12, 2);
            });
            r.ask(&whole, 0, false, |r| {
                r.bind(&patches, &[], &corners);
                r.draw(0, 4, 1);
                r.bind(&doubled, &[], &corners);
                r.draw(0, 4, 1);
            });
            Ok(())
        })?;
        r.ask(&pools[3], 0, false, |r| {
            r.bind::<u8>(&computing, &[set], &[]);
            r.dispatch([3, 2, 1]);
        });
        let flags = vk::QueryResultFlags::WITH_AVAILABILITY | vk::QueryResultFlags::WAIT;
        r.copy_results(&pools[1], &copied, 16, flags);
        Ok(())
    })?;
    // A strip of two triangles three times; then twice, doubled by two invocations each; six
    // patches; 32 invocations of six groups.
    let expected: [&[u64]; 4] = [
        &[12, 6, 12, 6, 6, 1],
        &[4, 8, 8, 1],
        &[24, 6, 6, 1],
        &[0, 192, 1],
    ];
    for (pool, expected) in pools.iter().zip(expected) {
        assert_eq!(gpu.results(pool)?, expected);
    }
    let words: Vec<u8> = [4_u32, 8, 8, 1]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    assert_eq!(gpu.contents(&copied)?, words);
    let results = gpu.results(&whole)?;
    assert_eq!(results[..2], [8, 3]);
    // A quad of four has nine corners; how often a shader runs for each is the implementation's.
    assert!(results[9] >= 9);
    assert_eq!((results[11], results[23]), (1, 0));
    Ok(())
}

fn gpu(features: &[Feature]) -> Gpu {
    with(features, &[])
}

fn with(features: &[Feature], extensions: &[Extension]) -> Gpu {
    // The driver finds the simulated GPU.
    crate::rig::entry();
    let wants = Wants {
        features,
        extensions,
    };
    Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants).unwrap()
}

#[test]
fn queries_count_the_commands_they_enclose() {
    inherited(&gpu(&[
        feature::PRECISE_OCCLUSION,
        feature::INHERITED_QUERIES,
    ]))
    .unwrap();
}

#[test]
fn pipeline_statistics_queries() {
    let features = [
        feature::STATISTICS,
        feature::GEOMETRY,
        feature::TESSELLATION,
    ];
    stages(&gpu(&features)).unwrap();
}

/// A part that inherits a condition counts samples only where it holds; its clear and a draw behind
/// it, too.
#[test]
fn conditional_rendering_in_command_ranges() {
    let gpu = with(&[feature::PRECISE_OCCLUSION], &[extension::CONDITIONS]);
    let obeys = || -> Result<(), Error> {
        let (color, depth) = (target(&gpu, RGBA8)?, target(&gpu, DEPTH)?);
        let drawn = rectangles(&gpu, Some(WHITE))?;
        let values = gpu.buffer(&[0_u32, 1])?;
        let of = PartOf::Rendering {
            colors: &[RGBA8],
            depth: DEPTH,
            samples: vk::SampleCountFlags::TYPE_1,
            flags: vk::RenderingFlags::empty(),
        };
        let mut conditional = vk::CommandBufferInheritanceConditionalRenderingInfoEXT::default()
            .conditional_rendering_enable(true);
        let inherits = vk::CommandBufferInheritanceInfo::default().push_next(&mut conditional);
        let queries = gpu.queries(Asks::Samples, 1)?;
        let part = gpu.inheriting_part(of, inherits, Some([SIDE; 2]), |r| {
            r.ask(&queries, 0, true, |r| {
                r.bind(&drawn, &[], &[-1.0_f32, -1.0, 0.5, 0.25, 0.5]);
                r.draw(0, 4, 1);
            });
            r.clear_parts([1.0; 4], &[[31, 31, 1, 1]]);
            Ok(())
        })?;
        for (at, inverted, runs) in [
            (0, false, false),
            (4, false, true),
            (0, true, true),
            (4, true, false),
        ] {
            gpu.run(|r| {
                r.reset(&queries);
                let to = [Target::clear(&color, [0.0; 4])];
                r.only_if((&values, at), inverted, |r| {
                    let drawn = r.draw_parts_to(&Targets::new(&to).depth(&depth), &[part]);
                    assert!(drawn.is_ok());
                });
                Ok(())
            })?;
            let samples = if runs { 24 * 20 } else { 0 };
            assert_eq!(gpu.results(&queries)?, [samples, 1]);
            let last = gpu.read(&color)?.last_chunk::<4>().copied();
            assert_eq!(last, Some([if runs { 255 } else { 0 }; 4]));
        }
        // Where there is no condition, it runs, whatever the last one came to.
        gpu.run(|r| {
            r.reset(&queries);
            r.only_if((&values, 0), false, |_| ());
            let to = [Target::clear(&color, [0.0; 4])];
            r.draw_parts_to(&Targets::new(&to).depth(&depth), &[part])
        })?;
        assert_eq!(gpu.results(&queries)?, [24 * 20, 1]);
        Ok(())
    };
    obeys().unwrap();
}
