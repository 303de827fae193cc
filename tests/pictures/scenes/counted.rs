//! Draws that memory counts (drawIndirectCount), draws by lists (multiDraw), indices of a byte
//! (indexTypeUint8), and conditions (conditionalRendering).

use crate::Scene;
use crate::compare::{EXACT, Shot};
use crate::stage::*;
use samples::vulkan::{
    Bound, GraphicsInfo, Pipeline, Recorder, Target, Targets, extension, feature, vk,
};
use samples::{Error, Gpu};

/// Squares of four pixels, six vertices each, side by side; the number of the draw decides on the
/// row.
const SQUARES: &str = "#version 450
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) out flat vec4 paint;
void main()
{
    int square = gl_VertexIndex / 6, corner = gl_VertexIndex % 6;
    ivec2 at = ivec2(corner & 1, corner >> 1);
    if (corner > 2)
        at = ivec2(1) - ivec2((corner - 3) & 1, (corner - 3) >> 1);
    vec2 where = vec2(at + ivec2(square, gl_DrawIDARB)) / 4.0 - 1.0;
    gl_Position = vec4(where, 0.0, 1.0);
    paint = vec4(float(gl_BaseVertexARB & 15) / 15.0, float(gl_DrawIDARB) / 15.0, 0.0, 1.0);
}";
const PAINT: &str = "#version 450
layout(location = 0) in flat vec4 paint;
layout(location = 0) out vec4 colour;
void main() { colour = paint; }";

fn squares(gpu: &Gpu) -> Result<Pipeline, Error> {
    gpu.graphics(&GraphicsInfo {
        vertex: SQUARES,
        fragment: Some(PAINT),
        colors: &[RGBA8],
        ..GraphicsInfo::default()
    })
}

/// Draws into a new target.
fn drawn(
    gpu: &Gpu,
    body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>,
) -> Result<Vec<Shot>, Error> {
    let color = target(gpu, RGBA8)?;
    gpu.run(|r| {
        let to = [Target::clear(&color, [0.0, 0.0, 1.0, 1.0])];
        r.draw_to(&Targets::new(&to), body)
    })?;
    shots(gpu, &color)
}

/// Vertices and first vertex of draws of some squares.
fn draws(of: &[[u32; 2]]) -> Vec<[u32; 4]> {
    of.iter()
        .map(|&[first, count]| [count * 6, 1, first * 6, 0])
        .collect()
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    vec![
        scene("draws_counted_in_memory", EXACT, counted)
            .needs(&[feature::MULTI_DRAW_INDIRECT])
            .extended(&[extension::COUNTS]),
        scene("draws_by_lists", EXACT, lists).extended(&[extension::LISTS]),
        scene("indices_of_a_byte", EXACT, bytes_as_indices).extended(&[extension::BYTE_INDICES]),
        scene("draws_under_conditions", EXACT, conditions).extended(&[extension::CONDITIONS]),
        scene("counted_draws_under_conditions", EXACT, both)
            .needs(&[feature::MULTI_DRAW_INDIRECT])
            .extended(&[extension::CONDITIONS, extension::COUNTS]),
        scene("dispatches_under_conditions", EXACT, dispatches).extended(&[extension::CONDITIONS]),
    ]
}

fn counted(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let pipeline = squares(gpu)?;
    let plain = gpu.buffer(&draws(&[[0, 2], [1, 1], [3, 4], [0, 8]]))?;
    let indexed = gpu.buffer(&[[6_u32, 1, 0, 6, 0], [6, 1, 6, 0, 0], [12, 1, 0, 36, 0]])?;
    let indices = gpu.buffer(&(0..12_u16).collect::<Vec<_>>())?;
    let counts = gpu.buffer(&[3_u32, 2, 0, 9])?;
    let mut all = Vec::new();
    for (at, most) in [(0, 4), (8, 4), (12, 3)] {
        all.extend(drawn(gpu, |r| {
            r.bind::<u8>(&pipeline, &[], &[]);
            r.draw_counted(&plain, (&counts, at), most, false);
            r.scissors(&[[0, 16, SIDE, SIDE / 2]]);
            Ok(())
        })?);
    }
    all.extend(drawn(gpu, |r| {
        r.bind::<u8>(&pipeline, &[], &[]);
        r.indices(&indices, vk::IndexType::UINT16);
        r.draw_counted(&indexed, (&counts, 4), 3, true);
        // A draw after it is not affected.
        r.draw(30, 6, 1);
        Ok(())
    })?);
    Ok(all)
}

fn lists(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let pipeline = squares(gpu)?;
    let indices = gpu.buffer(&(0..24_u16).collect::<Vec<_>>())?;
    drawn(gpu, |r| {
        r.bind::<u8>(&pipeline, &[], &[]);
        r.draw_list(&[[0, 12], [6, 6], [18, 24]]);
        r.draw_list(&[]);
        r.indices(&indices, vk::IndexType::UINT16);
        let runs = [(12, 6, 18), (0, 0, 0), (0, 6, 36), (6, 6, 12), (0, 12, 6)];
        r.draw_indexed_list(&runs, None);
        let runs = [
            (0, 6, 0),
            (0, 0, 0),
            (18, 6, 0),
            (0, 0, 0),
            (6, 0, 0),
            (12, 12, 0),
        ];
        r.draw_indexed_list(&runs, Some(24));
        Ok(())
    })
}

fn bytes_as_indices(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    // Strips: the highest index begins a new one.
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: "#version 450
void main()
{
    gl_Position = vec4(vec2(gl_VertexIndex & 15, gl_VertexIndex >> 4) / 8.0 - 1.0, 0.0, 1.0);
}",
        fragment: Some(
            "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }",
        ),
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        restart: true,
        ..GraphicsInfo::default()
    })?;
    let indices = gpu.buffer(&[
        0x00_u8, 0x03, 0x20, 0x23, 0x40, 0xff, 0xff, 0x88, 0x8c, 0xc8, 0xff, 0xe0, 0xe2, 0xf1, 0xf3,
    ])?;
    drawn(gpu, |r| {
        r.bind::<u8>(&pipeline, &[], &[]);
        r.indices(&indices, vk::IndexType::UINT8_EXT);
        r.draw_indexed(0, 15, 0, 0..1);
        Ok(())
    })
}

fn conditions(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let pipeline = squares(gpu)?;
    let values = gpu.buffer(&[0_u32, 1, 0x8000_0000, 0])?;
    let indirect = gpu.buffer(&draws(&[[5, 1]]))?;
    drawn(gpu, |r| {
        for (place, (at, inverted)) in
            (0..).zip([(0, false), (4, false), (8, false), (12, true), (4, true)])
        {
            r.only_if((&values, at), inverted, |r| {
                r.bind::<u8>(&pipeline, &[], &[]);
                r.draw(place * 6, 6, 1);
                r.clear_parts([1.0; 4], &[[place * 4, 20, 3, 3]]);
            });
        }
        r.only_if((&values, 0), false, |r| r.draw_indirect(&indirect, 1));
        r.draw(42, 6, 1);
        Ok(())
    })
}

fn both(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let pipeline = squares(gpu)?;
    let plain = gpu.buffer(&draws(&[[0, 2], [1, 1], [3, 4], [0, 8]]))?;
    let values = gpu.buffer(&[0_u32, 2])?;
    let mut all = Vec::new();
    for (at, inverted) in [(0, false), (4, false), (0, true), (4, true)] {
        all.extend(drawn(gpu, |r| {
            r.bind::<u8>(&pipeline, &[], &[]);
            r.only_if((&values, at), inverted, |r| {
                r.draw_counted(&plain, (&values, 4), 4, false);
                r.draw_counted(&plain, (&values, 0), 4, false);
                // The condition holds on behind counted draws.
                r.draw(42, 6, 1);
            });
            Ok(())
        })?);
    }
    Ok(all)
}

fn dispatches(gpu: &Gpu) -> Result<Vec<Shot>, Error> {
    let values = gpu.buffer(&[0_u32, 2])?;
    let numbers = gpu.empty_buffer(16)?;
    let groups = gpu.buffer(&[1_u32, 1, 1])?;
    let set = gpu.set(&[Bound::Storage(&numbers)])?;
    let pipeline = gpu.compute(
        "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Numbers { uint numbers[]; };
layout(push_constant) uniform Push { uint at; };
void main() { numbers[at]++; }",
        &[set],
        4,
    )?;
    gpu.run(|r| {
        for (number, (at, inverted)) in
            (0_u32..).zip([(0, false), (4, false), (0, true), (4, true)])
        {
            r.only_if((&values, at), inverted, |r| {
                r.bind(&pipeline, &[set], &[number]);
                r.dispatch([1; 3]);
                r.barrier();
                r.dispatch_indirect(&groups);
                r.barrier();
            });
        }
        Ok(())
    })?;
    Ok(vec![Shot {
        what: "dispatches".into(),
        width: 4,
        bytes: gpu.contents(&numbers)?,
        unit: crate::compare::Unit::Bits(4),
    }])
}
