//! Geometry and tessellation shaders: GLSL to pixels, as in [`crate::compiled`].

use cmd::draw::DrawParams;
use cmd::draw::state::{DirtyGroups, Topology};

use crate::compiled::{ALL, VERTEX, compile, middle, rig, three};
use crate::rig::SIZE;

const SHADE: &str = "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(shade, 1.0); }";

/// Draws `vertices` through these stages and compares every pixel.
fn check(
    stages: &[(&str, &str)],
    vertices: &[[f32; 5]],
    topology: Option<Topology>,
    expected: impl Fn(u32, u32) -> [f32; 4],
) {
    let shaders = compile(stages, 0);
    let mut rig = rig(&shaders, vertices);
    if let Some(topology) = topology {
        rig.change(DirtyGroups::ASSEMBLY, |state| state.topology = topology);
    }
    rig.draw(&DrawParams {
        vertices: vertices.len() as u32,
        ..three()
    });
    rig.run();
    for y in 0..SIZE {
        for x in 0..SIZE {
            // Coordinates of a domain have 16 bits.
            let (got, meant) = (rig.pixel(x, y), expected(x, y));
            let close = got.iter().zip(meant).all(|(a, b)| (a - b).abs() < 5e-4);
            assert!(close, "{x}, {y}: {got:?}, not {meant:?}");
        }
    }
}

#[test]
fn geometry_shader_expands_points_to_squares() {
    // Strips of four vertices around each point, separated by cuts. The first
    // point's is of another colour.
    let geometry = "#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 40) out;
layout(location = 0) in vec3 from[];
layout(location = 0) out vec3 shade;
void main() {
    for (int s = 0; s < 10; ++s) {
        if (s % 5 != gl_PrimitiveIDIn) continue;
        for (int c = 0; c < 4; ++c) {
            gl_Position = gl_in[0].gl_Position + vec4(c & 1, c >> 1, 0.0, 0.0) * vec2(0.5, 0.5).xyxy;
            shade = from[0] + vec3(0.0, 0.0, float(gl_PrimitiveIDIn) * 0.5);
            EmitVertex();
        }
        EndPrimitive();
    }
}";
    let points = [[-1.0, -1.0, 0.25, 0.5, 0.0], [0.0, 0.5, 0.5, 0.25, 0.0]];
    check(
        &[
            ("vertex", VERTEX),
            ("geometry", geometry),
            ("fragment", SHADE),
        ],
        &points,
        Some(Topology::PointList),
        |x, y| match (x, y) {
            (0..4, 0..4) => [0.25, 0.5, 0.0, 1.0],
            (8..12, 12..16) => [0.5, 0.25, 0.5, 1.0],
            _ => [0.0; 4],
        },
    );
}

#[test]
fn gs_invocations_read_the_same_vertices() {
    // Each of eleven invocations (two threads) draws a column's pixel rows of the triangle's last
    // vertex' colour.
    let geometry = "#version 450
layout(triangles, invocations = 11) in;
layout(points, max_vertices = 16) out;
layout(location = 0) in vec3 from[];
layout(location = 0) out vec3 shade;
void main() {
    for (int i = 0; i < 16; ++i) {
        gl_Position = vec4((vec2(gl_InvocationID, i) + 0.5) / 8.0 - 1.0, 0.5, 1.0);
        gl_PointSize = 1.0;
        shade = from[i % 3];
        EmitVertex();
    }
}";
    check(
        &[
            ("vertex", VERTEX),
            ("geometry", geometry),
            ("fragment", SHADE),
        ],
        &ALL,
        None,
        |x, y| match x {
            0..11 => {
                let [_, _, r, g, b] = ALL[y as usize % 3];
                [r, g, b, 1.0]
            }
            _ => [0.0; 4],
        },
    );
}

#[test]
fn layered_rendering_and_layer_input() {
    // Each invocation covers a layer of its own; fragments know which.
    let geometry = "#version 450
layout(triangles, invocations = 3) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec3 from[];
layout(location = 0) out vec3 shade;
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position;
        gl_Layer = 2 - gl_InvocationID;
        gl_PrimitiveID = 7 + gl_InvocationID;
        shade = from[i];
        EmitVertex();
    }
}";
    let fragment = "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(shade.xy, gl_Layer, gl_PrimitiveID); }";
    let shaders = compile(
        &[
            ("vertex", VERTEX),
            ("geometry", geometry),
            ("fragment", fragment),
        ],
        0,
    );
    let mut rig = rig(&shaders, &ALL);
    rig.add_layers(3);
    rig.draw(&three());
    rig.run();
    for layer in 0..3 {
        for (x, y) in [(0, 0), (SIZE - 1, 3), (5, SIZE - 1)] {
            let got = rig.pixel_of(layer, x, y);
            let meant = [middle(x), middle(y), layer as f32, 9.0 - layer as f32];
            let close = got.iter().zip(meant).all(|(a, b)| (a - b).abs() < 1e-4);
            assert!(close, "{layer}: {x}, {y}: {got:?}, not {meant:?}");
        }
    }
}

#[test]
fn input_arrays_with_dynamic_indices() {
    let vertex = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 colour;
layout(location = 2) out float parts[3];
void main() {
    gl_Position = vec4(position, 0.5, 1.0);
    for (int i = 0; i < 3; ++i) parts[i] = colour[i];
}";
    let geometry = "#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 2) in float parts[][3];
layout(location = 0) out vec3 shade;
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position;
        for (int k = 0; k < 3; ++k) shade[k] = parts[i][2 - k];
        EmitVertex();
    }
}";
    check(
        &[
            ("vertex", vertex),
            ("geometry", geometry),
            ("fragment", SHADE),
        ],
        &ALL,
        None,
        |x, y| [0.25, middle(y), middle(x), 1.0],
    );
}

#[test]
fn tessellated_patch_covers_the_triangle() {
    // Levels, a value of the patch that one invocation makes of the others', and the control
    // points' own.
    let control = "#version 450
layout(vertices = 3) out;
layout(location = 0) in vec3 from[];
layout(location = 0) out vec3 to[];
layout(location = 3) patch out vec2 sum;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    to[gl_InvocationID] = from[gl_InvocationID];
    barrier();
    if (gl_InvocationID == 1) sum.y = to[0].z + to[1].z + to[2].z;
    gl_TessLevelOuter[0] = 2.0;
    gl_TessLevelOuter[1] = 3.0;
    gl_TessLevelOuter[2] = 4.0;
    gl_TessLevelInner[0] = float(gl_PatchVerticesIn);
}";
    let evaluation = "#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location = 0) in vec3 to[];
layout(location = 3) patch in vec2 sum;
layout(location = 0) out vec3 shade;
void main() {
    gl_Position = vec4(0.0);
    shade = vec3(0.0);
    for (int i = 0; i < 3; ++i) {
        gl_Position += gl_in[i].gl_Position * gl_TessCoord[i];
        shade += to[i] * gl_TessCoord[i];
    }
    shade.z = sum.y + gl_TessLevelOuter[1] + float(gl_PrimitiveID);
}";
    check(
        &[
            ("vertex", VERTEX),
            ("tessellation control", control),
            ("tessellation evaluation", evaluation),
            ("fragment", SHADE),
        ],
        &ALL,
        None,
        |x, y| [middle(x), middle(y), 3.75, 1.0],
    );
}

#[test]
fn hs_threads_synchronise_at_barriers() {
    // Eleven control points: two threads. Each writes a neighbour's part, and reads what the other
    // thread wrote.
    let control = "#version 450
layout(vertices = 11) out;
layout(location = 0) in vec3 from[];
layout(location = 0) out float one[];
layout(location = 1) out vec4 all[];
void main() {
    one[gl_InvocationID] = float(gl_InvocationID);
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID % 3].gl_Position;
    barrier();
    float sum = 0.0;
    for (int i = 0; i < 11; ++i) sum += one[i];
    all[gl_InvocationID] = vec4(sum, from[gl_InvocationID % 3]);
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 1.0;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = 1.0;
}";
    let evaluation = "#version 450
layout(quads) in;
layout(location = 0) in float one[];
layout(location = 1) in vec4 all[];
layout(location = 0) out vec3 shade;
void main() {
    gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.5, 1.0);
    shade = vec3(all[10].x, all[7].y, gl_TessCoord.x + gl_TessCoord.z + one[9]);
}";
    check(
        &[
            ("vertex", VERTEX),
            ("tessellation control", control),
            ("tessellation evaluation", evaluation),
            ("fragment", SHADE),
        ],
        &ALL,
        None,
        // from[7 % 3] is the second vertex's.
        |x, _| [55.0, 2.0, 9.0 + middle(x), 1.0],
    );
}

#[test]
fn large_patches_use_pulled_inputs() {
    // Thirty-two control points of three slots; the domain's place says which are read.
    let control = "#version 450
layout(vertices = 32) out;
layout(location = 0) in vec3 from[];
layout(location = 4) out vec4 wide[];
layout(location = 6) patch out vec4 parts[2];
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID % 3].gl_Position;
    wide[gl_InvocationID] = vec4(from[gl_InvocationID % 3], float(gl_InvocationID));
    parts[gl_InvocationID & 1] = vec4(0.0, 0.0, 0.0, float(gl_InvocationID & 1) + 0.5);
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 4.0;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = 4.0;
}";
    let evaluation = "#version 450
layout(quads, ccw) in;
layout(location = 4) in vec4 wide[];
layout(location = 6) patch in vec4 parts[2];
layout(location = 0) out vec3 shade;
void main() {
    gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.5, 1.0);
    int place = int(gl_TessCoord.x * 4.0 + 0.5);
    shade = vec3(wide[place * 7].w / 28.0, wide[31].x + gl_TessCoord.y, parts[place >> 2].w);
}";
    check(
        &[
            ("vertex", VERTEX),
            ("tessellation control", control),
            ("tessellation evaluation", evaluation),
            ("fragment", SHADE),
        ],
        &ALL,
        None,
        // The right edge's points have the second part: three quarters of the way it begins to come
        // in.
        |x, y| {
            let part = 0.5 + (middle(x) * 4.0 - 3.0).max(0.0);
            [middle(x), 2.0 + middle(y), part, 1.0]
        },
    );
}

#[test]
fn isolines_feed_a_geometry_shader() {
    // Four lines, each made of quads of its two ends by a geometry shader.
    let control = "#version 450
layout(vertices = 1) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[0].gl_Position;
    gl_TessLevelOuter[0] = 4.0;
    gl_TessLevelOuter[1] = 1.0;
}";
    let evaluation = "#version 450
layout(isolines) in;
layout(location = 0) out vec3 shade;
void main() {
    gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0.5, 1.0);
    shade = vec3(gl_TessCoord.xy, 0.5);
}";
    let geometry = "#version 450
layout(lines) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec3 from[];
layout(location = 0) out vec3 shade;
void main() {
    for (int i = 0; i < 4; ++i) {
        gl_Position = gl_in[i & 1].gl_Position + vec4(0.0, i >> 1, 0.0, 0.0) * 0.25;
        shade = from[i & 1];
        EmitVertex();
    }
}";
    check(
        &[
            ("vertex", VERTEX),
            ("tessellation control", control),
            ("tessellation evaluation", evaluation),
            ("geometry", geometry),
            ("fragment", SHADE),
        ],
        &ALL,
        None,
        |x, y| match y % 4 {
            0 | 1 => [middle(x), (y / 4) as f32 / 4.0, 0.5, 1.0],
            _ => [0.0; 4],
        },
    );
}
