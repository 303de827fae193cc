//! From vertices to fragments: topologies, indices, instances, indirect draws, culling, clipping,
//! viewports, the optional stages.

use crate::Scene;
use crate::compare::{EDGES, EXACT, ROUNDED, Shot, Tolerance};
use crate::stage::*;
use samples::vulkan::{
    Buffer, GraphicsInfo, ImageInfo, Pipeline, Rate, Recorder, Stream, Target, Targets, extension,
    feature, vk,
};
use samples::{Error, Gpu};

/// Lines of slants other than half turns.
const LINES: Tolerance = Tolerance {
    steps: 8.0,
    per_mille: 12,
    why: "a slanted line's colour is that of a point of it near the middle of the texel",
};

/// Positions and colours.
type Corner = [f32; 6];
const CORNERS: Stream<'static> = Stream {
    rate: Rate::Vertex,
    stride_bytes: 24,
    attributes: &[
        (vk::Format::R32G32_SFLOAT, 0),
        (vk::Format::R32G32B32A32_SFLOAT, 8),
    ],
};
const VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 paint;
layout(location = 0) out vec4 out_paint;
void main()
{
    gl_PointSize = 1.0;
    out_paint = paint;
    gl_Position = vec4(position, 0.0, 1.0);
}";
const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 paint;
layout(location = 0) out vec4 colour;
void main() { colour = paint; }";

/// A texel's middle in clip space.
fn middle(texel: f32) -> f32 {
    (texel + 0.5) / SIDE as f32 * 2.0 - 1.0
}

/// Eight corners in two rows, each with a colour of its own; how far right of and below a texel's
/// middle they are, in texels.
fn rows([right, below]: [f32; 2]) -> Vec<Corner> {
    let corner = |i: usize| {
        let (x, y) = ((i / 2) as f32 * 8.0 + 2.0, (i % 2) as f32 * 16.0 + 6.0);
        let part = i as f32 / 7.0;
        [
            middle(x + right),
            middle(y + below),
            part,
            1.0 - part,
            (i % 2) as f32,
            1.0,
        ]
    };
    (0..8).map(corner).collect()
}

fn draw(
    gpu: &Gpu,
    info: GraphicsInfo<'_>,
    push: &[f32],
    body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>,
) -> Result<Vec<Shot>, Error> {
    let image = target(gpu, RGBA8)?;
    let pipeline: Pipeline = gpu.graphics(&GraphicsInfo {
        colors: &[RGBA8],
        push_bytes: (push.len() * 4) as u32,
        ..info
    })?;
    gpu.run(|r| {
        let targets = [Target::clear(&image, [0.0, 0.0, 0.0, 1.0])];
        r.draw_to(&Targets::new(&targets), |r| {
            r.bind(&pipeline, &[], push);
            body(r)
        })
    })?;
    shots(gpu, &image)
}

fn plain<'a>() -> GraphicsInfo<'a> {
    GraphicsInfo {
        vertex: VERTEX,
        fragment: Some(FRAGMENT),
        streams: &[CORNERS],
        ..GraphicsInfo::default()
    }
}

fn topology(name: &str, topology: vk::PrimitiveTopology, tolerance: Tolerance) -> Scene {
    scene(name, tolerance, move |gpu| {
        // Off the middles no line passes exactly between two texels.
        let off = match topology {
            vk::PrimitiveTopology::POINT_LIST => [0.0; 2],
            _ => [0.23, 0.11],
        };
        let corners = gpu.buffer(rows(off).as_flattened())?;
        draw(
            gpu,
            GraphicsInfo {
                topology,
                ..plain()
            },
            &[],
            |r| {
                r.vertices(&[(&corners, 0)]);
                r.draw(0, 8, 1);
                Ok(())
            },
        )
    })
}

/// Squares of whole texels that the vertex shader places by its number and the instance's: nothing
/// is rounded.
const SQUARES: &str = "#version 450
layout(location = 0) in vec4 paint;
layout(location = 0) out vec4 out_paint;
void main()
{
    int corner = gl_VertexIndex & 3, square = (gl_VertexIndex >> 2) + gl_InstanceIndex * 3;
    vec2 at = vec2(square & 7, square >> 3) * 4.0 + vec2(corner & 1, corner >> 1) * 3.0;
    out_paint = paint;
    gl_Position = vec4(at / 16.0 - 1.0, 0.0, 1.0);
}";
const EACH: Stream<'static> = Stream {
    rate: Rate::Instance,
    stride_bytes: 4,
    attributes: &[(vk::Format::R8G8B8A8_UNORM, 0)],
};

fn squares(name: &str, body: fn(&Gpu, &Recorder<'_>) -> Result<(), Error>) -> Scene {
    scene(name, EXACT, move |gpu| {
        let colours: Vec<u8> = (0..32u8)
            .flat_map(|i| [i * 8, 255 - i * 8, i.wrapping_mul(37), 255])
            .collect();
        let colours = gpu.buffer(&colours)?;
        let info = GraphicsInfo {
            vertex: SQUARES,
            streams: &[EACH],
            topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
            restart: true,
            ..plain()
        };
        draw(gpu, info, &[], |r| {
            r.vertices(&[(&colours, 0)]);
            body(gpu, r)
        })
    })
}

/// Fills buffers for indirect draws: rows of five words.
fn words(gpu: &Gpu, words: &[u32]) -> Result<Buffer, Error> {
    gpu.buffer(words)
}

/// A cover whose colour shows the winding, by its fragment shader.
fn culled(name: &str, cull: vk::CullModeFlags, front: vk::FrontFace) -> Scene {
    scene(name, EXACT, move |gpu| {
        let info = GraphicsInfo {
            vertex: "#version 450
                void main()
                {
                    // Left half one way round, right half the other.
                    vec2 at[6] = vec2[](vec2(-1, -1), vec2(0, -1), vec2(-1, 3), vec2(0, -1), vec2(0, 3), vec2(1, -1));
                    gl_Position = vec4(at[gl_VertexIndex], 0.0, 1.0);
                }",
            fragment: Some("#version 450
                layout(location = 0) out vec4 colour;
                void main() { colour = gl_FrontFacing ? vec4(1, 0, 0, 1) : vec4(0, 1, 0, 1); }"),
            cull,
            front,
            ..GraphicsInfo::default()
        };
        draw(gpu, info, &[], |r| {
            // Cut to rows where neither slanted edge passes.
            r.scissors(&[[0, 0, SIDE, 1]]);
            r.draw(0, 6, 1);
            Ok(())
        })
    })
}

/// Covers with viewports and scissors of its own.
fn windowed(name: &str, viewport: [f32; 6], scissor: [u32; 4]) -> Scene {
    scene(name, ROUNDED, move |gpu| {
        let shader = fragment("", "colour = vec4(uv, gl_FragCoord.z, 1.0);");
        let info = GraphicsInfo {
            vertex: COVER,
            fragment: Some(&shader),
            ..GraphicsInfo::default()
        };
        draw(gpu, info, &[], |r| {
            r.viewports(&[viewport]);
            r.scissors(&[scissor]);
            r.draw(0, 3, 1);
            Ok(())
        })
    })
}

/// All scenes of this subject.
pub fn scenes() -> Vec<Scene> {
    let groups = [
        topologies(),
        vertex_numbers(),
        viewports(),
        interpolation(),
        fill_modes(),
        geometry_and_tessellation(),
        vertex_formats(),
    ];
    groups.into_iter().flatten().collect()
}

/// Points, lines and triangles in each topology.
fn topologies() -> Vec<Scene> {
    use vk::PrimitiveTopology as T;
    vec![
        topology("points", T::POINT_LIST, EXACT),
        topology("lines", T::LINE_LIST, LINES),
        topology("line_strip", T::LINE_STRIP, LINES),
        topology("triangles", T::TRIANGLE_LIST, EDGES),
        topology("triangle_strip", T::TRIANGLE_STRIP, EDGES),
        topology("triangle_fan", T::TRIANGLE_FAN, EDGES),
    ]
}

/// Instances, indices and indirect draws.
fn vertex_numbers() -> Vec<Scene> {
    use vk::PrimitiveTopology as T;
    vec![
        squares("instances", |_, r| {
            r.draw(0, 4, 3);
            r.draw(8, 4, 7);
            Ok(())
        }),
        squares("indices_of_16_bits", |gpu, r| {
            let indices: [u16; 9] = [0, 1, 2, 3, 0xffff, 8, 9, 10, 11];
            let buffer = gpu.buffer(&indices)?;
            r.indices(&buffer, vk::IndexType::UINT16);
            r.draw_indexed(0, 9, 0, 2..5);
            r.draw_indexed(5, 4, 4, 6..8);
            Ok(())
        }),
        squares("indices_of_32_bits", |gpu, r| {
            let indices: [u32; 9] = [4, 5, 6, 7, !0, 0, 1, 2, 3];
            let buffer = gpu.buffer(&indices)?;
            r.indices(&buffer, vk::IndexType::UINT32);
            r.draw_indexed(0, 9, 8, 0..4);
            Ok(())
        }),
        squares("indirect", |gpu, r| {
            let draws = words(gpu, &[4, 3, 0, 0])?;
            r.draw_indirect(&draws, 1);
            Ok(())
        }),
        squares("indirect_many", |gpu, r| {
            let draws = words(gpu, &[4, 2, 0, 0, 4, 1, 12, 0, 4, 3, 4, 0])?;
            r.draw_indirect(&draws, 3);
            Ok(())
        })
        .needs(&[feature::MULTI_DRAW_INDIRECT]),
        squares("indirect_from_an_instance_on", |gpu, r| {
            let draws = words(gpu, &[4, 3, 4, 2])?;
            r.draw_indirect(&draws, 1);
            Ok(())
        })
        .needs(&[feature::FIRST_INSTANCE]),
        squares("indirect_indexed", |gpu, r| {
            let buffer = gpu.buffer(&[8_u32, 9, 10, 11, 0, 1, 2, 3])?;
            r.indices(&buffer, vk::IndexType::UINT32);
            // Indices, instances, first index, base, first instance.
            let draws = words(gpu, &[4, 4, 4, 4, 0])?;
            r.draw_indexed_indirect(&draws, 1);
            Ok(())
        }),
        scene("numbers_of_vertices_as_large_as_can_be", EXACT, |gpu| {
            let info = GraphicsInfo {
                vertex: "#version 450
                    void main()
                    {
                        // Beyond 24 bits no vertex is another's neighbour.
                        vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) - 0.5;
                        bool right = (gl_VertexIndex & 0xfffffffc) == 0xfffffff8;
                        gl_Position = vec4(right ? at : vec2(2.0), 0.0, 1.0);
                    }",
                fragment: Some(
                    "#version 450
                    layout(location = 0) out vec4 colour;
                    void main() { colour = vec4(0, 1, 0, 1); }",
                ),
                topology: T::TRIANGLE_STRIP,
                ..GraphicsInfo::default()
            };
            draw(gpu, info, &[], |r| {
                let buffer =
                    gpu.buffer(&[0xffff_fff8_u32, 0xffff_fff9, 0xffff_fffa, 0xffff_fffb])?;
                r.indices(&buffer, vk::IndexType::UINT32);
                r.draw_indexed(0, 4, 0, 0..1);
                Ok(())
            })
        })
        .needs(&[feature::FULL_INDICES]),
    ]
}

/// Viewports selected by shaders, faces that are culled, and the limits of viewports and scissors.
fn viewports() -> Vec<Scene> {
    use vk::PrimitiveTopology as T;
    let side = SIDE as f32;
    vec![
        scene("viewports_by_a_geometry_shader", EXACT, |gpu| {
            let info = GraphicsInfo {
                vertex: "#version 450
                    void main() { gl_Position = vec4(0.0); }",
                geometry: Some("#version 450
                    layout(points, invocations = 4) in;
                    layout(triangle_strip, max_vertices = 4) out;
                    layout(location = 0) flat out vec4 paint;
                    void main()
                    {
                        for (int i = 0; i < 4; ++i) {
                            gl_ViewportIndex = gl_InvocationID;
                            paint = vec4(gl_InvocationID & 1, gl_InvocationID >> 1, 0.25, 1.0);
                            gl_Position = vec4(vec2(i & 1, i >> 1) * 2.0 - 1.0, 0.0, 1.0);
                            EmitVertex();
                        }
                    }"),
                fragment: Some("#version 450
                    layout(location = 0) flat in vec4 paint;
                    layout(location = 0) out vec4 colour;
                    void main() { colour = paint; }"),
                topology: T::POINT_LIST,
                viewports: 4,
                ..GraphicsInfo::default()
            };
            draw(gpu, info, &[], |r| {
                let half = SIDE as f32 / 2.0;
                let places = [[0.0, 0.0], [half, 0.0], [0.0, half], [half, half]];
                r.viewports(&places.map(|[x, y]| [x, y, half, half, 0.0, 1.0]));
                // The last one's scissor cuts it.
                let all = [0, 0, SIDE, SIDE];
                r.scissors(&[all, all, all, [0, 0, SIDE - 4, SIDE - 2]]);
                r.draw(0, 1, 1);
                Ok(())
            })
        })
        .needs(&[feature::GEOMETRY, feature::MULTI_VIEWPORT]),
        scene("viewports_and_layers_by_a_vertex_shader", EXACT, |gpu| {
            let image = gpu.image(ImageInfo::new(RGBA8, SIDE, SIDE).target().array(2))?;
            let pipeline = gpu.graphics(&GraphicsInfo {
                vertex: "#version 450
                    #extension GL_ARB_shader_viewport_layer_array : require
                    layout(location = 0) flat out vec4 paint;
                    void main()
                    {
                        gl_ViewportIndex = gl_InstanceIndex & 3;
                        gl_Layer = gl_InstanceIndex % 3 & 1;
                        paint = vec4(gl_InstanceIndex & 1, gl_InstanceIndex >> 1, 0.25, 1.0);
                        gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0, 0.0, 1.0);
                    }",
                fragment: Some("#version 450
                    layout(location = 0) flat in vec4 paint;
                    layout(location = 0) out vec4 colour;
                    void main() { colour = paint + vec4(0, 0, gl_Layer * 0.5, 0); }"),
                topology: T::TRIANGLE_STRIP,
                viewports: 4,
                colors: &[RGBA8],
                ..GraphicsInfo::default()
            })?;
            gpu.run(|r| {
                let to = [Target::clear(&image, [0.0; 4])];
                let targets = Targets { layers: 2, ..Targets::new(&to) };
                r.draw_to(&targets, |r| {
                    let half = SIDE as f32 / 2.0;
                    let places = [[0.0, 0.0], [half, 0.0], [0.0, half], [half, half]];
                    r.viewports(&places.map(|[x, y]| [x, y, half, half, 0.0, 1.0]));
                    r.scissors(&[[0, 0, SIDE, SIDE]; 4]);
                    r.bind::<u8>(&pipeline, &[], &[]);
                    r.draw(0, 4, 4);
                    Ok(())
                })
            })?;
            Ok(vec![shot(gpu, "both layers", &image)?])
        })
        .needs(&[feature::GEOMETRY, feature::MULTI_VIEWPORT])
        .extended(&[extension::VIEWPORT_LAYER]),
        culled("faces_front_counter_clockwise", vk::CullModeFlags::NONE, vk::FrontFace::COUNTER_CLOCKWISE),
        culled("faces_front_culled", vk::CullModeFlags::FRONT, vk::FrontFace::CLOCKWISE),
        culled("faces_back_culled", vk::CullModeFlags::BACK, vk::FrontFace::CLOCKWISE),
        windowed("viewport_and_scissor", [4.0, 8.0, 24.0, 16.0, 0.25, 0.75], [6, 0, 20, 20]),
        windowed("viewport_upside_down", [0.0, side, side, -side, 0.0, 1.0], [0, 0, SIDE, SIDE]),
        windowed("viewport_beyond_the_target", [-16.0, -16.0, 64.0, 64.0, 1.0, 0.0], [0, 0, SIDE, SIDE]),
    ]
}

/// Push constants, interpolation, derivatives and clip distances.
fn interpolation() -> Vec<Scene> {
    use vk::PrimitiveTopology as T;
    vec![
        scene("constants_pushed_to_both_stages", EXACT, |gpu| {
            let info = GraphicsInfo {
                vertex: "#version 450
                    layout(push_constant) uniform Push { vec4 place; vec4 paint; };
                    void main() { vec2 t = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1); gl_Position = vec4(mix(place.xy, place.zw, t), 0, 1); }",
                fragment: Some("#version 450
                    layout(push_constant) uniform Push { vec4 place; vec4 paint; };
                    layout(location = 0) out vec4 colour;
                    void main() { colour = paint; }"),
                topology: T::TRIANGLE_STRIP,
                ..GraphicsInfo::default()
            };
            draw(
                gpu,
                info,
                &[-0.5, -0.5, 0.25, 0.75, 0.0, 1.0, 0.0, 1.0],
                |r| {
                    r.draw(0, 4, 1);
                    Ok(())
                },
            )
        }),
        scene(
            "interpolated_flat_and_without_perspective",
            ROUNDED,
            |gpu| {
                let info = GraphicsInfo {
                    vertex: "#version 450
                    layout(location = 0) flat out float whole;
                    layout(location = 1) noperspective out float straight;
                    layout(location = 2) out float bent;
                    void main()
                    {
                        vec2 t = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
                        whole = float(gl_VertexIndex + 1) / 4.0;
                        straight = t.x;
                        bent = t.x;
                        float w = 1.0 + 2.0 * t.x;
                        gl_Position = vec4((t * 2.0 - 1.0) * w, 0.0, w);
                    }",
                    fragment: Some(
                        "#version 450
                    layout(location = 0) flat in float whole;
                    layout(location = 1) noperspective in float straight;
                    layout(location = 2) in float bent;
                    layout(location = 0) out vec4 colour;
                    void main() { colour = vec4(whole, straight, bent, 1.0); }",
                    ),
                    topology: T::TRIANGLE_STRIP,
                    ..GraphicsInfo::default()
                };
                draw(gpu, info, &[], |r| {
                    // The diagonal belongs to one of the triangles, whose flat value differs: rows
                    // apart from it.
                    r.scissors(&[[0, 0, SIDE, 1]]);
                    r.draw(0, 4, 1);
                    Ok(())
                })
            },
        ),
        scene("derivatives", ROUNDED, |gpu| {
            let shader = fragment(
                "",
                "colour = vec4(dFdx(uv.x) * 16.0, dFdy(uv.y) * 8.0, fwidth(uv.x * uv.x) * 8.0, 1.0);",
            );
            let image = cover(gpu, RGBA8, &shader, &[])?;
            shots(gpu, &image)
        }),
        scene("clipped_by_distances", EXACT, |gpu| {
            let info = GraphicsInfo {
                vertex: "#version 450
                    out float gl_ClipDistance[2];
                    void main()
                    {
                        vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
                        gl_ClipDistance[0] = at.x + 0.5;
                        gl_ClipDistance[1] = 0.25 - at.y;
                        gl_Position = vec4(at, 0.0, 1.0);
                    }",
                fragment: Some(
                    "#version 450
                    layout(location = 0) out vec4 colour;
                    void main() { colour = vec4(1.0); }",
                ),
                ..GraphicsInfo::default()
            };
            draw(gpu, info, &[], |r| {
                r.draw(0, 3, 1);
                Ok(())
            })
        })
        .needs(&[feature::CLIP_DISTANCE]),
    ]
}

/// Outlines and large points.
fn fill_modes() -> Vec<Scene> {
    use vk::PrimitiveTopology as T;
    vec![
        scene(
            "outlines_of_triangles",
            Tolerance {
                per_mille: 60,
                ..EDGES
            },
            |gpu| {
                let corners = gpu.buffer(rows([0.0; 2]).as_flattened())?;
                let info = GraphicsInfo {
                    fill: vk::PolygonMode::LINE,
                    ..plain()
                };
                draw(gpu, info, &[], |r| {
                    r.vertices(&[(&corners, 0)]);
                    r.draw(0, 6, 1);
                    Ok(())
                })
            },
        )
        .needs(&[feature::FILL_MODES]),
        scene("large_points", EXACT, |gpu| {
            let corners = gpu.buffer(rows([0.0; 2]).as_flattened())?;
            let vertex = VERTEX.replace("gl_PointSize = 1.0", "gl_PointSize = 5.0");
            let info = GraphicsInfo {
                vertex: &vertex,
                fragment: Some(
                    "#version 450
                    layout(location = 0) in vec4 paint;
                    layout(location = 0) out vec4 colour;
                    void main() { colour = vec4(floor(gl_PointCoord * 5.0) / 5.0, paint.zw); }",
                ),
                topology: T::POINT_LIST,
                ..plain()
            };
            draw(gpu, info, &[], |r| {
                r.vertices(&[(&corners, 0)]);
                r.draw(0, 8, 1);
                Ok(())
            })
        })
        .needs(&[feature::LARGE_POINTS]),
    ]
}

/// Geometry shaders and tessellation.
fn geometry_and_tessellation() -> Vec<Scene> {
    use vk::PrimitiveTopology as T;
    vec![
        scene("geometry_shader_makes_squares", EXACT, |gpu| {
            let info = GraphicsInfo {
                vertex: "#version 450
                    layout(location = 0) out vec4 paint;
                    void main()
                    {
                        paint = vec4(float(gl_VertexIndex) / 15.0, 1.0, 0.5, 1.0);
                        gl_Position = vec4(vec2(gl_VertexIndex & 3, gl_VertexIndex >> 2) / 2.0 - 1.0, 0.0, 1.0);
                    }",
                geometry: Some("#version 450
                    layout(points) in;
                    layout(triangle_strip, max_vertices = 4) out;
                    layout(location = 0) in vec4 paint[];
                    layout(location = 0) out vec4 out_paint;
                    void main()
                    {
                        for (int i = 0; i < 4; i++) {
                            out_paint = vec4(paint[0].rg, float(gl_PrimitiveIDIn) / 16.0, 1.0);
                            gl_Position = gl_in[0].gl_Position + vec4(vec2(i & 1, i >> 1) * 0.375, 0.0, 0.0);
                            EmitVertex();
                        }
                    }"),
                fragment: Some(FRAGMENT),
                topology: T::POINT_LIST,
                ..GraphicsInfo::default()
            };
            draw(gpu, info, &[], |r| {
                r.draw(0, 16, 1);
                Ok(())
            })
        })
        .needs(&[feature::GEOMETRY]),
        scene("tessellated_quad", ROUNDED, |gpu| {
            let info = GraphicsInfo {
                vertex: "#version 450
                    void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 1.5 - 0.75, 0.0, 1.0); }",
                tessellation: Some((
                    "#version 450
                    layout(vertices = 4) out;
                    void main()
                    {
                        gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
                        gl_TessLevelOuter = float[](3.0, 4.0, 3.0, 4.0);
                        gl_TessLevelInner = float[](4.0, 3.0);
                    }",
                    "#version 450
                    layout(quads, equal_spacing, ccw) in;
                    layout(location = 0) out vec4 paint;
                    void main()
                    {
                        vec2 t = gl_TessCoord.xy;
                        paint = vec4(t, 0.0, 1.0);
                        gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x),
                            mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);
                    }",
                )),
                fragment: Some(FRAGMENT),
                topology: T::PATCH_LIST,
                patch_vertices: 4,
                ..GraphicsInfo::default()
            };
            draw(gpu, info, &[], |r| {
                r.draw(0, 4, 1);
                Ok(())
            })
        })
        .needs(&[feature::TESSELLATION]),
    ]
}

/// A colour that comes from each of these formats of vertices.
fn vertex_formats() -> Vec<Scene> {
    use vk::Format as F;
    let formats = [
        (F::R8G8B8A8_UNORM, "vec4", 4),
        (F::R8G8B8A8_SNORM, "vec4", 4),
        (F::R16G16B16A16_UNORM, "vec4", 8),
        (F::R16G16_UNORM, "vec2", 4),
        (F::A2B10G10R10_UNORM_PACK32, "vec4", 4),
        (F::R8G8B8A8_UINT, "uvec4", 4),
        (F::R16G16_SINT, "ivec2", 4),
    ];
    let of = |(format, kind, size): (vk::Format, &'static str, u32)| {
        scene(
            format!("vertices_{format:?}").to_lowercase(),
            ROUNDED,
            move |gpu| {
                let scaled = match kind {
                    "vec2" => "vec4(value, 0.0, 1.0)",
                    "uvec4" => "vec4(value) / 255.0",
                    "ivec2" => "abs(vec4(vec2(value), 0.0, 32768.0)) / 32768.0",
                    _ => "value",
                };
                let vertex = format!(
                "#version 450
                layout(location = 0) in {kind} value;
                layout(location = 0) out vec4 paint;
                void main()
                {{
                    int corner = gl_VertexIndex & 3;
                    vec2 at = vec2(gl_InstanceIndex & 7, gl_InstanceIndex >> 3) * 4.0 + vec2(corner & 1, corner >> 1) * 4.0;
                    paint = {scaled};
                    gl_Position = vec4(at / 16.0 - 1.0, 0.0, 1.0);
                }}"
            );
                let data = gpu.buffer(&bytes(u64::from(size) * 64, 9))?;
                let attributes = [(format, 0)];
                let info = GraphicsInfo {
                    vertex: &vertex,
                    fragment: Some(FRAGMENT),
                    streams: &[Stream {
                        rate: Rate::Instance,
                        stride_bytes: size,
                        attributes: &attributes,
                    }],
                    topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
                    ..GraphicsInfo::default()
                };
                draw(gpu, info, &[], |r| {
                    r.vertices(&[(&data, 0)]);
                    r.draw(0, 4, 64);
                    Ok(())
                })
            },
        )
    };
    formats.into_iter().map(of).collect()
}
