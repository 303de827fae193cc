//! Transform feedback: what of vertices goes to buffers, where, in which order, and what is counted
//! on the way.

use ash::vk;
use samples::vulkan::{
    Asks, Buffer, Extension, Feature, GraphicsInfo, Image, ImageInfo, More, Pipeline, Rate, Source,
    State, Stream, Target, Targets, Wants, extension, feature,
};
use samples::{Error, Gpu};

/// What buffers hold before something is captured.
const BEFORE: u32 = 0xeeee_eeee;
const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const SIDE: u32 = 16;

fn gpu(features: &[Feature], extensions: &[Extension]) -> Gpu {
    // The driver finds the simulated GPU.
    crate::rig::entry();
    let extensions = [&[extension::CAPTURES], extensions].concat();
    let wants = Wants {
        features,
        extensions: &extensions,
    };
    Gpu::new(&Source::Function(icd::get_instance_proc_addr()), &wants).unwrap()
}

fn empty(gpu: &Gpu, dwords: usize) -> Result<Buffer, Error> {
    gpu.buffer(&vec![BEFORE; dwords])
}

fn words(gpu: &Gpu, buffer: &Buffer) -> Result<Vec<u32>, Error> {
    let bytes = gpu.contents(buffer)?;
    let words = bytes.chunks_exact(4).map(|w| w.try_into().unwrap());
    Ok(words.map(u32::from_le_bytes).collect())
}

fn target(gpu: &Gpu) -> Result<Image, Error> {
    gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).target())
}

/// Each kind of output, of two vertices: built-in ones, a matrix, an array, parts of a slot,
/// members of a block, 64 bits; gaps stay.
fn layouts(gpu: &Gpu) -> Result<(), Error> {
    let color = target(gpu)?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: "#version 450
layout(xfb_buffer = 0, xfb_stride = 100) out;
layout(xfb_buffer = 1, xfb_stride = 32) out;
layout(xfb_buffer = 2, xfb_stride = 40) out;
layout(xfb_buffer = 0) out gl_PerVertex {
    layout(xfb_offset = 4) vec4 gl_Position;
    layout(xfb_offset = 0) float gl_PointSize;
    layout(xfb_offset = 72) float gl_ClipDistance[3];
    layout(xfb_offset = 84) float gl_CullDistance[2];
};
layout(location = 0, xfb_buffer = 0, xfb_offset = 24) out mat2x3 m;
layout(location = 2, xfb_buffer = 0, xfb_offset = 48) flat out ivec2 a[3];
layout(location = 5, component = 1, xfb_buffer = 1, xfb_offset = 8) out vec2 c;
layout(location = 6, xfb_buffer = 1) out Block {
    layout(xfb_offset = 24) float x;
    vec2 y;
    layout(xfb_offset = 16) flat uint z;
};
layout(location = 9, xfb_buffer = 2, xfb_offset = 8) flat out dvec3 d;
layout(location = 12, xfb_buffer = 2, xfb_offset = 4) flat out uint nobody;
void main()
{
    float v = float(gl_VertexIndex);
    gl_Position = vec4(v, 2.0, 3.0, 4.0);
    gl_PointSize = 5.0 + v;
    for (int k = 0; k < 3; k++)
        gl_ClipDistance[k] = 10.0 + v + float(k);
    gl_CullDistance[0] = 20.0 + v;
    gl_CullDistance[1] = 30.0 + v;
    m = mat2x3(1.0, v, 3.0, 4.0, 5.0, 6.0);
    for (int k = 0; k < 3; k++)
        a[k] = ivec2(k, gl_VertexIndex);
    c = vec2(7.0, v);
    x = 8.0 + v;
    y = vec2(9.0);
    z = 100u + uint(gl_VertexIndex);
    d = dvec3(1.5, v, -2.0);
}",
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::POINT_LIST,
        discard: true,
        ..GraphicsInfo::default()
    })?;
    let buffers = [empty(gpu, 51)?, empty(gpu, 16)?, empty(gpu, 20)?];
    gpu.run(|r| {
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to), |r| {
            // The first begins at its second dword.
            let [a, b, c] = &buffers;
            r.capture_to(&[(a, 4, 200), (b, 0, 64), (c, 0, 80)]);
            r.bind::<u8>(&pipeline, &[], &[]);
            r.capture(&[], &[], |r| r.draw(0, 2, 1));
            // Where nothing is captured, nothing is written.
            r.draw(7, 1, 1);
            Ok(())
        })
    })?;
    let mut first = vec![BEFORE];
    let (mut second, mut third) = (Vec::new(), Vec::new());
    for vertex in 0..2_u32 {
        let v = vertex as f32;
        let f = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        first.extend(f(&[5.0 + v, v, 2.0, 3.0, 4.0]));
        first.push(BEFORE);
        first.extend(f(&[1.0, v, 3.0, 4.0, 5.0, 6.0]));
        first.extend([0, vertex, 1, vertex, 2, vertex]);
        first.extend(f(&[10.0 + v, 11.0 + v, 12.0 + v, 20.0 + v, 30.0 + v]));
        first.extend([BEFORE; 2]);
        second.extend([BEFORE; 2]);
        second.extend(f(&[7.0, v]));
        second.extend([100 + vertex, BEFORE, (8.0 + v).to_bits(), BEFORE]);
        third.extend([BEFORE; 2]);
        for value in [1.5, f64::from(v), -2.0] {
            let bits = value.to_bits();
            third.extend([bits as u32, (bits >> 32) as u32]);
        }
        third.extend([BEFORE; 2]);
    }
    assert_eq!(words(gpu, &buffers[0])?, first);
    assert_eq!(words(gpu, &buffers[1])?, second);
    let mut found = words(gpu, &buffers[2])?;
    // What no shader writes is not defined.
    for vertex in [0, 1] {
        found[10 * vertex + 1] = BEFORE;
    }
    assert_eq!(found, third);
    Ok(())
}

/// Captures a number of each vertex: its index, plus what an attribute says if it has one.
fn numbers(gpu: &Gpu, info: &GraphicsInfo<'_>) -> Result<Pipeline, Error> {
    let plain = "#version 450
layout(xfb_buffer = 0, xfb_stride = 12, xfb_offset = 4, location = 0) flat out uint number;
void main()
{
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    number = uint(gl_VertexIndex);
}";
    let fetched = "#version 450
layout(location = 0) in uint before;
layout(xfb_buffer = 0, xfb_stride = 12, xfb_offset = 4, location = 0) flat out uint number;
void main()
{
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    number = before + 100u * uint(gl_InstanceIndex + 1);
}";
    gpu.graphics(&GraphicsInfo {
        vertex: match info.streams {
            [] => plain,
            _ => fetched,
        },
        colors: &[RGBA8],
        ..info.clone()
    })
}

/// The numbers that were captured, up to the first place where nothing was.
fn captured(gpu: &Gpu, buffer: &Buffer) -> Result<Vec<u32>, Error> {
    let words = words(gpu, buffer)?;
    let numbers = words.chunks_exact(3).map(|vertex| {
        assert_eq!((vertex[0], vertex[2]), (BEFORE, BEFORE));
        vertex[1]
    });
    Ok(numbers.take_while(|&number| number != BEFORE).collect())
}

/// Captures that go on where others ended, until there is no room; draws of what was captured; what
/// queries tell of it.
fn counters(gpu: &Gpu) -> Result<(), Error> {
    let color = target(gpu)?;
    let points = GraphicsInfo {
        topology: vk::PrimitiveTopology::POINT_LIST,
        ..GraphicsInfo::default()
    };
    let made = numbers(gpu, &points)?;
    let again = numbers(
        gpu,
        &GraphicsInfo {
            streams: &[Stream {
                rate: Rate::Vertex,
                stride_bytes: 12,
                attributes: &[(vk::Format::R32_UINT, 4)],
            }],
            ..points
        },
    )?;
    // Room for four vertices, and for none.
    let (room, more) = (empty(gpu, 13)?, empty(gpu, 30)?);
    let counters = empty(gpu, 8)?;
    let queries = gpu.queries(Asks::Captured, 2)?;
    let primitives = gpu.queries(Asks::Primitives, 1)?;
    let copied = empty(gpu, 6)?;
    gpu.run(|r| {
        r.reset(&queries);
        r.reset(&primitives);
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to), |r| {
            r.bind::<u8>(&made, &[], &[]);
            r.capture_to(&[(&room, 0, 52)]);
            r.ask_stream(&queries, 0, 0, |r| {
                r.capture(&[], &[(&counters, 4)], |r| r.draw(0, 3, 1));
            });
            Ok(())
        })?;
        r.barrier();
        r.draw_to(&Targets::new(&to), |r| {
            r.bind::<u8>(&made, &[], &[]);
            r.ask_stream(&queries, 1, 0, |r| {
                r.capture(&[(&counters, 4)], &[(&counters, 12)], |r| r.draw(10, 2, 1));
            });
            Ok(())
        })?;
        r.barrier();
        r.draw_to(&Targets::new(&to), |r| {
            r.bind::<u8>(&again, &[], &[]);
            r.vertices(&[(&room, 0)]);
            r.capture_to(&[(&more, 0, 120)]);
            r.ask_stream(&primitives, 0, 0, |r| {
                r.capture(&[], &[], |r| {
                    r.draw_captured((&counters, 12), 0, 12, 2);
                    r.draw_captured((&counters, 12), 36, 12, 1);
                    // Of 48 bytes, seven at a time.
                    r.draw_captured((&counters, 12), 32, 7, 1);
                });
            });
            Ok(())
        })?;
        let flags = vk::QueryResultFlags::WITH_AVAILABILITY | vk::QueryResultFlags::WAIT;
        r.copy_results(&queries, &copied, 12, flags);
        Ok(())
    })?;
    assert_eq!(captured(gpu, &room)?, [0, 1, 2, 10]);
    assert_eq!(words(gpu, &counters)?[..4], [BEFORE, 36, BEFORE, 48]);
    let expected = [100, 101, 102, 110, 200, 201, 202, 210, 100, 100];
    let mut found = Vec::new();
    found.extend(captured(gpu, &more)?);
    assert_eq!(found[..9], expected[..9]);
    // The third draw has two vertices: there was room for one.
    assert_eq!(found.len(), 10);
    assert_eq!(gpu.results(&queries)?, [3, 3, 1, 1, 2, 1]);
    assert_eq!(words(gpu, &copied)?, [3, 3, 1, 1, 2, 1]);
    assert_eq!(gpu.results(&primitives)?, [8 + 1 + 2, 1]);
    Ok(())
}

/// Strips and fans come as the objects that they make; an odd triangle of a strip keeps its
/// provoking vertex in its place.
fn topologies(gpu: &Gpu) -> Result<(), Error> {
    use vk::PrimitiveTopology as T;
    let color = target(gpu)?;
    let cases: &[(T, u32, &[More<'_>], &[u32])] = &[
        (T::POINT_LIST, 3, &[], &[0, 1, 2]),
        (T::LINE_LIST, 5, &[], &[0, 1, 2, 3]),
        (T::LINE_STRIP, 4, &[], &[0, 1, 1, 2, 2, 3]),
        (T::TRIANGLE_LIST, 6, &[], &[0, 1, 2, 3, 4, 5]),
        (T::TRIANGLE_STRIP, 5, &[], &[0, 1, 2, 1, 3, 2, 2, 3, 4]),
        (
            T::TRIANGLE_STRIP,
            5,
            &[More::ProvokingLast],
            &[0, 1, 2, 2, 1, 3, 2, 3, 4],
        ),
        (T::LINE_LIST_WITH_ADJACENCY, 8, &[], &[1, 2, 5, 6]),
        (T::TRIANGLE_LIST_WITH_ADJACENCY, 6, &[], &[0, 2, 4]),
    ];
    for &(topology, vertices, more, expected) in cases {
        for discard in [false, true] {
            let pipeline = numbers(
                gpu,
                &GraphicsInfo {
                    topology,
                    more,
                    discard,
                    ..GraphicsInfo::default()
                },
            )?;
            let buffer = empty(gpu, 60)?;
            gpu.run(|r| {
                let to = [Target::clear(&color, [0.0; 4])];
                r.draw_to(&Targets::new(&to), |r| {
                    r.capture_to(&[(&buffer, 0, 240)]);
                    r.bind::<u8>(&pipeline, &[], &[]);
                    r.capture(&[], &[], |r| r.draw(0, vertices, 1));
                    Ok(())
                })
            })?;
            assert_eq!(captured(gpu, &buffer)?, expected, "{topology:?} {more:?}");
        }
    }
    Ok(())
}

/// The corners of a tessellated square, by a stage that is the last one; the pieces of one that is
/// not are not captured.
fn tessellated(gpu: &Gpu) -> Result<(), Error> {
    let color = target(gpu)?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: "#version 450
layout(xfb_buffer = 0, xfb_stride = 8, xfb_offset = 0, location = 3) out vec2 hidden;
void main() { hidden = vec2(77.0); gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }",
        tessellation: Some((
            "#version 450
layout(vertices = 1) out;
void main()
{
    gl_TessLevelOuter = float[](2.0, 2.0, 2.0, 2.0);
    gl_TessLevelInner = float[](2.0, 2.0);
}",
            "#version 450
layout(quads) in;
layout(xfb_buffer = 0, xfb_stride = 8, xfb_offset = 0, location = 0) out vec2 at;
void main() { at = gl_TessCoord.xy; gl_Position = vec4(at, 0.0, 1.0); }",
        )),
        patch_vertices: 1,
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::PATCH_LIST,
        ..GraphicsInfo::default()
    })?;
    let buffer = empty(gpu, 64)?;
    let queries = gpu.queries(Asks::Captured, 1)?;
    gpu.run(|r| {
        r.reset(&queries);
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to), |r| {
            r.capture_to(&[(&buffer, 0, 256)]);
            r.bind::<u8>(&pipeline, &[], &[]);
            r.ask_stream(&queries, 0, 0, |r| {
                r.capture(&[], &[], |r| r.draw(0, 1, 1));
            });
            Ok(())
        })
    })?;
    assert_eq!(gpu.results(&queries)?, [8, 8, 1]);
    let words = words(gpu, &buffer)?;
    let triangles = words[..48].chunks_exact(6).map(|t| {
        let p: Vec<_> = t.iter().map(|&w| f32::from_bits(w)).collect();
        (p[2] - p[0]) * (p[5] - p[1]) - (p[4] - p[0]) * (p[3] - p[1])
    });
    // Eight halves of a quarter: together the whole square, twice its area.
    let areas: Vec<_> = triangles.collect();
    assert!(areas.iter().all(|area| area.abs() == 0.25), "{areas:?}");
    assert_eq!(words[48..], [BEFORE; 16]);
    Ok(())
}

/// Points of four streams, more than one dword of control data; one of the streams is drawn.
fn streams(gpu: &Gpu) -> Result<(), Error> {
    let white = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }";
    let info = GraphicsInfo {
        vertex: "#version 450
void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }",
        geometry: Some(
            "#version 450
layout(points) in;
layout(points, max_vertices = 40) out;
layout(stream = 0, xfb_buffer = 3, xfb_stride = 4, xfb_offset = 0, location = 0) flat out uint a;
layout(stream = 1, xfb_buffer = 2, xfb_stride = 4, xfb_offset = 0, location = 1) flat out uint b;
layout(stream = 2, xfb_buffer = 1, xfb_stride = 8, xfb_offset = 4, location = 2) flat out uint c;
layout(stream = 3, xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0, location = 3) flat out uint d;
void place(int at) { gl_Position = vec4((float(at) + 0.5) / 8.0 - 1.0, 0.03, 0.0, 1.0); gl_PointSize = 1.0; }
void main()
{
    for (int k = 0; k < 9; k++) {
        uint n = uint(k + 100 * gl_PrimitiveIDIn);
        place(k);
        d = n + 3000u;
        EmitStreamVertex(3);
        place(k);
        a = n;
        EmitStreamVertex(0);
        if (k % 2 == 0) {
            place(k);
            c = n + 2000u;
            EmitStreamVertex(2);
            EndStreamPrimitive(2);
        }
        if (k >= 4) {
            place(k);
            b = n + 1000u;
            EmitStreamVertex(1);
        }
    }
}",
        ),
        fragment: Some(white),
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::POINT_LIST,
        ..GraphicsInfo::default()
    };
    let first = gpu.graphics(&info)?;
    let second = gpu.graphics(&GraphicsInfo {
        more: &[More::Stream(1)],
        ..info.clone()
    })?;
    let chosen = gpu.graphics(&GraphicsInfo {
        dynamic: &[vk::DynamicState::RASTERIZATION_STREAM_EXT],
        ..info
    })?;
    let queries: Vec<_> = (0..4)
        .map(|_| gpu.queries(Asks::Captured, 1))
        .collect::<Result<_, _>>()?;
    let mut drawn = Vec::new();
    for (pipeline, stream) in [(&first, None), (&second, None), (&chosen, Some(2))] {
        let color = target(gpu)?;
        let buffers: Vec<_> = (0..4).map(|_| empty(gpu, 40)).collect::<Result<_, _>>()?;
        gpu.run(|r| {
            queries.iter().for_each(|q| r.reset(q));
            let to = [Target::clear(&color, [0.0; 4])];
            r.draw_to(&Targets::new(&to), |r| {
                // The third stream has room for three points.
                let sizes = [160, 24, 160, 160];
                let to: Vec<_> = buffers.iter().zip(sizes).map(|(b, n)| (b, 0, n)).collect();
                r.capture_to(&to);
                r.bind::<u8>(pipeline, &[], &[]);
                if let Some(stream) = stream {
                    r.state(State::Stream(stream));
                }
                r.ask_stream(&queries[0], 0, 0, |r| {
                    r.ask_stream(&queries[1], 0, 1, |r| {
                        r.ask_stream(&queries[2], 0, 2, |r| {
                            r.ask_stream(&queries[3], 0, 3, |r| {
                                r.capture(&[], &[], |r| r.draw(0, 2, 1));
                            });
                        });
                    });
                });
                Ok(())
            })
        })?;
        let all = |base: u32, which: &dyn Fn(u32) -> bool| -> Vec<u32> {
            let of = |p: u32| {
                (0..9)
                    .filter(|&k| which(k))
                    .map(move |k| base + k + 100 * p)
            };
            (0..2).flat_map(of).collect()
        };
        let (zero, one) = (all(0, &|_| true), all(1000, &|k| k >= 4));
        let three = all(3000, &|_| true);
        assert_eq!(
            words(gpu, &buffers[3])?[..19],
            [&zero[..], &[BEFORE]].concat()
        );
        assert_eq!(
            words(gpu, &buffers[2])?[..11],
            [&one[..], &[BEFORE]].concat()
        );
        assert_eq!(
            words(gpu, &buffers[0])?[..19],
            [&three[..], &[BEFORE]].concat()
        );
        let gaps = [BEFORE, 2000, BEFORE, 2002, BEFORE, 2004, BEFORE, BEFORE];
        assert_eq!(words(gpu, &buffers[1])?[..8], gaps);
        let expected = [[18, 18, 1], [10, 10, 1], [3, 10, 1], [18, 18, 1]];
        for (queries, expected) in queries.iter().zip(expected) {
            assert_eq!(gpu.results(queries)?, expected);
        }
        let pixels = gpu.read(&color)?;
        let row = &pixels[(SIDE * 8 * 4) as usize..][..(SIDE * 4) as usize];
        let lit: Vec<_> = row.chunks_exact(4).map(|p| u8::from(p[0] != 0)).collect();
        drawn.push(lit[..9].to_vec());
    }
    assert_eq!(drawn[0], [1; 9]);
    assert_eq!(drawn[1], [0, 0, 0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(drawn[2], [1, 0, 1, 0, 1, 0, 1, 0, 1]);
    Ok(())
}

#[test]
fn transform_feedback_buffers_offsets_and_strides() {
    let features = [
        feature::CLIP_DISTANCE,
        feature::CULL_DISTANCE,
        feature::FLOAT64,
    ];
    layouts(&gpu(&features, &[])).unwrap();
}

#[test]
fn transform_feedback_resume_and_draw() {
    counters(&gpu(&[], &[extension::PRIMITIVES])).unwrap();
}

#[test]
fn captured_primitives_preserve_vertex_order() {
    topologies(&gpu(&[feature::GEOMETRY], &[extension::PROVOKING])).unwrap();
}

#[test]
fn last_vertex_stage_is_captured() {
    tessellated(&gpu(&[feature::TESSELLATION], &[])).unwrap();
}

/// Strips, all of one stream that is not the first.
fn strips(gpu: &Gpu) -> Result<(), Error> {
    let color = target(gpu)?;
    let pipeline = gpu.graphics(&GraphicsInfo {
        vertex: "#version 450
void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }",
        geometry: Some(
            "#version 450
layout(points) in;
layout(line_strip, max_vertices = 5) out;
layout(stream = 2, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0, location = 0) flat out uint number;
void main()
{
    for (uint k = 0u; k < 5u; k++) {
        gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
        number = k;
        EmitStreamVertex(2);
        if (k == 2u)
            EndStreamPrimitive(2);
    }
    EndStreamPrimitive(2);
}",
        ),
        colors: &[RGBA8],
        topology: vk::PrimitiveTopology::POINT_LIST,
        more: &[More::Stream(2)],
        ..GraphicsInfo::default()
    })?;
    let (buffer, queries) = (empty(gpu, 8)?, gpu.queries(Asks::Captured, 2)?);
    gpu.run(|r| {
        r.reset(&queries);
        let to = [Target::clear(&color, [0.0; 4])];
        r.draw_to(&Targets::new(&to), |r| {
            r.capture_to(&[(&buffer, 0, 32), (&buffer, 0, 32)]);
            r.bind::<u8>(&pipeline, &[], &[]);
            r.ask_stream(&queries, 0, 2, |r| {
                r.ask_stream(&queries, 1, 0, |r| r.capture(&[], &[], |r| r.draw(0, 1, 1)));
            });
            Ok(())
        })
    })?;
    assert_eq!(words(gpu, &buffer)?, [0, 1, 1, 2, 3, 4, BEFORE, BEFORE]);
    assert_eq!(gpu.results(&queries)?, [3, 3, 1, 0, 0, 1]);
    Ok(())
}

#[test]
fn captured_strips_of_one_stream() {
    strips(&gpu(&[feature::GEOMETRY], &[])).unwrap();
}

#[test]
fn captured_points_of_multiple_streams() {
    streams(&gpu(&[feature::GEOMETRY], &[extension::DYNAMIC_3])).unwrap();
}
