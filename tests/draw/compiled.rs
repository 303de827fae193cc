//! GLSL to pixels: both shaders go through the whole compiler, `cmd` draws with them, and the
//! simulated GPU executes it.

use cmd::ScratchSpace;
use cmd::draw::DrawParams;
use cmd::draw::link::{StageShader, link};
use cmd::draw::state::{DirtyGroups, Topology, VertexAttribute, VertexBuffer};

use crate::rig::{Rig, SIZE, VERTICES};

/// R32G32_FLOAT, R32G32B32_FLOAT.
const FLOAT2: u16 = 0x085;
const FLOAT3: u16 = 0x040;
/// Vertices of a patch.
const PATCH: u8 = 3;

/// Compiles the stages of a pipeline, each under the heading that scripts have for it; the fragment
/// shader in these widths.
pub fn compile(stages: &[(&str, &str)], widths: u8) -> Vec<abi::ShaderBinary> {
    let mut script = String::new();
    for (name, source) in stages {
        script += &format!("[{name} shader]\n{source}\n");
    }
    let script = vkrunner::parse(&(script + "[test]\n"), &[]).expect("a script");
    let modules = vkrunner::Runner::compile(&script).expect("GLSL");
    let modules = modules.iter().map(|(stage, words)| {
        let stage = match stage {
            vkrunner::ShaderStage::Vertex => compile::Stage::Vertex,
            vkrunner::ShaderStage::TessControl => compile::Stage::TessControl,
            vkrunner::ShaderStage::TessEval => compile::Stage::TessEval,
            vkrunner::ShaderStage::Geometry => compile::Stage::Geometry,
            _ => compile::Stage::Fragment,
        };
        (stage, &words[..])
    });
    let modules: Vec<_> = modules.collect();
    let layout = abi::PipelineLayout::default();
    let key = |stage| compile::CompileKey {
        subgroup_size: compile::SubgroupSize::Fixed,
        backend: fs::Options {
            widths: if stage == compile::Stage::Fragment {
                widths
            } else {
                0
            },
            validate: true,
            ..fs::Options::default()
        },
        ..compile::CompileKey::new(stage, "main", &layout, ingot_tests::batch::device())
    };
    let words_of = |stage| modules.iter().find(|m| m.0 == stage).map(|m| m.1);
    let (control, evaluation) = (compile::Stage::TessControl, compile::Stage::TessEval);
    let tess = words_of(control).zip(words_of(evaluation)).map(|(c, e)| {
        let pair = ((c, &key(control)), (e, &key(evaluation)));
        compile::tess_modes(pair.0, pair.1, PATCH.into()).expect("modes")
    });
    let mut made: Vec<abi::ShaderBinary> = Vec::new();
    for (stage, words) in modules {
        let key = compile::CompileKey {
            tess,
            previous_stage: made.last().map(|binary| &binary.stage),
            ..key(stage)
        };
        let binary = compile::compile(words, &key).expect("code");
        made.push(binary);
    }
    made
}

/// A rig with these shaders, and vertices of a position of two floats and a colour of three.
pub fn rig(shaders: &[abi::ShaderBinary], vertices: &[[f32; 5]]) -> Rig {
    let mut rig = Rig::new();
    let mut end = 0;
    let stages = shaders.iter().map(|binary| {
        // Behind a kernel's end more is fetched.
        let code_offset_bytes = end;
        end += (binary.code.len() as u64 + 128).next_multiple_of(64);
        rig.code(code_offset_bytes, &binary.code);
        StageShader {
            binary,
            push: &binary.push,
            code_offset_bytes,
            scratch: ScratchSpace::default(),
        }
    });
    let stages: Vec<_> = stages.collect();
    rig.bind(link(&stages, 0).expect("they go together"));
    let words: Vec<u32> = vertices.iter().flatten().map(|v| v.to_bits()).collect();
    rig.write(VERTICES, &words);
    let patches = shaders.len() > 3;
    rig.change(DirtyGroups::ALL, |state| {
        if patches {
            state.topology = Topology::Patches;
            state.patch_points = PATCH;
        }
        state.attributes[0] = VertexAttribute {
            format: FLOAT2,
            channels: 2,
            ..VertexAttribute::default()
        };
        state.attributes[1] = VertexAttribute {
            offset_bytes: 8,
            format: FLOAT3,
            channels: 3,
            ..VertexAttribute::default()
        };
        state.vertex_buffers[0] = VertexBuffer {
            address: VERTICES,
            bytes: words.len() as u32 * 4,
            stride_bytes: 20,
        };
        state.vertex_buffer_count = 1;
        state.blend.targets[0].write_mask = 0xf;
    });
    rig
}

/// A triangle that covers everything, with a colour that grows from 0 to 1 to the right (red) and
/// down (green).
pub const ALL: [[f32; 5]; 3] = [
    [-1.0, -1.0, 0.0, 0.0, 0.25],
    [3.0, -1.0, 2.0, 0.0, 0.25],
    [-1.0, 3.0, 0.0, 2.0, 0.25],
];

pub const VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 colour;
layout(location = 0) out vec3 shade;
void main() { gl_Position = vec4(position, 0.5, 1.0); shade = colour; }";

pub fn three() -> DrawParams {
    DrawParams {
        vertices: 3,
        instances: 1,
        ..DrawParams::default()
    }
}

pub fn middle(at: u32) -> f32 {
    (at as f32 + 0.5) / SIZE as f32
}

/// Draws over everything and compares every pixel.
fn check(fragment: &str, expected: impl Fn(u32, u32) -> [f32; 4]) {
    check_with(VERTEX, fragment, expected);
}

fn check_with(vertex: &str, fragment: &str, expected: impl Fn(u32, u32) -> [f32; 4]) {
    for widths in [8, 16, 8 | 16] {
        let shaders = compile(&[("vertex", vertex), ("fragment", fragment)], widths);
        let mut rig = rig(&shaders, &ALL);
        rig.draw(&three());
        rig.run();
        for y in 0..SIZE {
            for x in 0..SIZE {
                let (got, meant) = (rig.pixel(x, y), expected(x, y));
                let close = got.iter().zip(meant).all(|(a, b)| (a - b).abs() < 1e-5);
                assert!(close, "{x}, {y} (widths {widths}): {got:?}, not {meant:?}");
            }
        }
    }
}

#[test]
fn varying_interpolation() {
    check(
        "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(shade, 1.0); }",
        |x, y| [middle(x), middle(y), 0.25, 1.0],
    );
}

#[test]
fn frag_coord_builtin() {
    check(
        "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() { colour = gl_FragCoord * vec4(shade.zzz, 1.0); }",
        |x, y| [(x as f32 + 0.5) / 4.0, (y as f32 + 0.5) / 4.0, 0.125, 1.0],
    );
}

#[test]
fn discarded_fragments_preserve_the_target() {
    check(
        "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() {
    if (int(gl_FragCoord.x + gl_FragCoord.y) % 3 == 0) discard;
    colour = vec4(shade.x, 1.0, 0.0, 1.0);
}",
        |x, y| match (x + y + 1) % 3 {
            0 => [0.0; 4],
            _ => [middle(x), 1.0, 0.0, 1.0],
        },
    );
}

#[test]
fn derivatives_are_differences_in_the_quad() {
    check(
        "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(dFdx(shade.x), dFdy(shade.y), dFdx(shade.y), fwidth(shade.x)); }",
        |_, _| [1.0 / SIZE as f32, 1.0 / SIZE as f32, 0.0, 1.0 / SIZE as f32],
    );
}

#[test]
fn divergent_loops_and_branches() {
    check(
        "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() {
    float sum = 0.0;
    for (int i = 0; i < int(gl_FragCoord.x); ++i) sum += i % 2 == 0 ? 1.0 : 0.5;
    colour = vec4(sum, shade.yz, 1.0);
}",
        |x, y| {
            let sum = (0..x).map(|i| if i % 2 == 0 { 1.0 } else { 0.5 }).sum();
            [sum, middle(y), 0.25, 1.0]
        },
    );
}

#[test]
fn interpolate_at_functions() {
    // Pixels have one sample, in the middle. The number of the sample is not known before, and the
    // same for all at once.
    let step = 1.0 / SIZE as f32;
    check(
        "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() {
    float still = interpolateAtOffset(shade, vec2(0.25, -0.5)).x;
    float moving = interpolateAtOffset(shade, vec2(0.0, shade.z)).y;
    colour = vec4(still, moving, interpolateAtSample(shade, int(shade.z)).x, interpolateAtCentroid(shade).y);
}",
        |x, y| {
            [
                middle(x) + 0.25 * step,
                middle(y) + 0.25 * step,
                middle(x),
                middle(y),
            ]
        },
    );
}

#[test]
fn fragment_shader_with_many_inputs() {
    // Twenty-two are written, of which all but three are read, and two that no vertex has.
    let (mut vertex, mut fragment) = (String::new(), String::new());
    let (mut written, mut sum) = (String::new(), String::new());
    for n in 0..22 {
        vertex += &format!("layout(location = {n}) out vec2 v{n};\n");
        written += &format!("v{n} = colour.xy * {n}.0;\n");
        if n % 8 != 3 {
            fragment += &format!("layout(location = {n}) in vec2 v{n};\n");
            sum += &format!(" + v{n} * {}.0", if n == 21 { 1 } else { 0 } + n % 2);
        }
    }
    // 1 + 5 + 7 + 9 + 13 + 15 + 17 + 2 * 21.
    let total = 109.0;
    check_with(
        &format!(
            "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 colour;
{vertex}
void main() {{ gl_Position = vec4(position, 0.5, 1.0); {written} }}"
        ),
        &format!(
            "#version 450
{fragment}
layout(location = 27) in vec2 nothing;
layout(location = 0) out vec4 colour;
void main() {{ colour = vec4((vec2(0.0) {sum}) / {total}.0, gl_PrimitiveID + nothing.x, 1.0); }}"
        ),
        |x, y| [middle(x), middle(y), 0.0, 1.0],
    );
}

#[test]
fn unwritten_builtins_have_their_defaults() {
    check(
        "#version 450
layout(location = 0) in vec3 shade;
layout(location = 7) in vec2 nothing;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(gl_PrimitiveID + 1, gl_Layer, nothing.x, gl_FrontFacing ? 0.5 : shade.z);
}",
        |_, _| [1.0, 0.0, 0.0, 0.25],
    );
}

#[test]
fn clip_and_cull_distances() {
    const PIXEL: &str = "#version 450
layout(location = 0) in vec3 shade;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_ClipDistance[0], gl_ClipDistance[1], shade.z, 1.0); }";
    for (culled, cull) in [(false, "0.5"), (true, "-0.5")] {
        let vertex = format!(
            "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 colour;
layout(location = 0) out vec3 shade;
out float gl_ClipDistance[2];
out float gl_CullDistance[1];
void main() {{
    gl_Position = vec4(position, 0.5, 1.0);
    gl_ClipDistance[0] = position.x;
    gl_ClipDistance[1] = 1.0;
    gl_CullDistance[0] = {cull};
    shade = colour;
}}"
        );
        check_with(&vertex, PIXEL, |x, _| match (culled, x < SIZE / 2) {
            (true, _) | (_, true) => [0.0; 4],
            _ => [2.0 * middle(x) - 1.0, 1.0, 0.25, 1.0],
        });
    }
}
