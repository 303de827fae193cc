//! The other stages of a pipeline around one shader.
//!
//! In:  what the shader needs. Out: GLSL for the stages before and behind it, compiled: they write
//!      all that it reads and read all that it writes, so that a driver that links stages finds
//!      nothing to leave out.

use crate::codegen::interface::{Interface, Location};
use ash::vk::ShaderStageFlags as Flags;
use compile::Stage;
use nir::{TessDomain, TessSpacing};
use std::fmt::Write;
use vkrunner::ShaderStage;

/// Attributes that every device has.
const ATTRIBUTES: u32 = 16;

/// One stage of a pipeline.
pub struct PipelineStage {
    pub stage: Flags,
    pub entry: String,
    pub words: Vec<u32>,
}

/// Vulkan's name of a stage.
pub fn flags(stage: Stage) -> Flags {
    match stage {
        Stage::Vertex => Flags::VERTEX,
        Stage::TessControl => Flags::TESSELLATION_CONTROL,
        Stage::TessEval => Flags::TESSELLATION_EVALUATION,
        Stage::Geometry => Flags::GEOMETRY,
        Stage::Fragment => Flags::FRAGMENT,
        Stage::Compute => Flags::COMPUTE,
    }
}

/// The stages of a pipeline for this shader, in order.
pub fn stages(shader: &Interface) -> Result<Vec<PipelineStage>, String> {
    let own = || {
        Ok(PipelineStage {
            stage: flags(shader.stage),
            entry: shader.entry.clone(),
            words: shader.words.clone(),
        })
    };
    let (inputs, outputs) = (&shader.inputs, &shader.outputs);
    let color = [COLOR];
    match shader.stage {
        Stage::Compute => vec![own()],
        Stage::Vertex => vec![own(), fragment(outputs)],
        Stage::Fragment => vec![vertex(inputs), own()],
        Stage::TessControl => {
            let evaluation = evaluation(outputs, &shader.shader.info.tess);
            vec![vertex(inputs), own(), evaluation, fragment(&color)]
        }
        Stage::TessEval => {
            let mut control = control(inputs, patch_vertices(shader));
            if let Ok(control) = &mut control
                && shader.shader.info.tess.domain == TessDomain::Unspecified
            {
                // Compilers of HLSL say it in the control shader.
                divides_triangles(&mut control.words);
            }
            vec![vertex(&[]), control, own(), fragment(outputs)]
        }
        Stage::Geometry => vec![vertex(inputs), own(), fragment(outputs)],
    }
    .into_iter()
    .collect()
}

/// Vertices of a patch, as it comes in and as the control stage writes it.
pub fn patch_vertices(shader: &Interface) -> u32 {
    let tess = &shader.shader.info.tess;
    match (shader.stage, tess.vertices_out, tess.domain) {
        (Stage::TessControl, n, _) if n > 0 => n,
        (_, _, TessDomain::Triangles) => 3,
        (_, _, TessDomain::Isolines) => 2,
        _ => 4,
    }
}

/// Adds to a module that its patches are triangles, divided equally.
fn divides_triangles(words: &mut Vec<u32>) {
    const ENTRY_POINT: u32 = 15;
    const EXECUTION_MODE: u32 = 16;
    const MODES: [u32; 3] = [22, 1, 4];
    const HEADER_WORDS: usize = 5;
    let mut at = HEADER_WORDS;
    while let Some(&word) = words.get(at) {
        let (opcode, count) = (word & 0xffff, (word >> 16) as usize);
        if count == 0 {
            return;
        }
        if opcode == ENTRY_POINT {
            let entry = words.get(at + 2).copied().unwrap_or_default();
            let modes = MODES.map(|mode| [3 << 16 | EXECUTION_MODE, entry, mode]);
            words.splice(at + count..at + count, modes.concat());
            return;
        }
        at += count;
    }
}

/// Attributes that a vertex shader for these varyings reads.
pub fn attributes(outputs: &[Location]) -> u32 {
    (outputs.len() as u32).clamp(1, ATTRIBUTES)
}

/// What the evaluation stage hands on.
const COLOR: Location = Location {
    number: 0,
    integer: false,
    wide: false,
    components: 4,
    patch: false,
};

fn compiled(stage: ShaderStage, flags: Flags, text: &str) -> Result<PipelineStage, String> {
    let words = vkrunner::compile_glsl(stage, text, (1, 1, 0))?;
    Ok(PipelineStage {
        stage: flags,
        entry: "main".into(),
        words,
    })
}

fn narrow<'a>(locations: &'a [Location], what: &str) -> Result<&'a [Location], String> {
    match locations.iter().any(|l| l.wide) {
        true => Err(format!("{what} of 64 bits: not measured")),
        false => Ok(locations),
    }
}

/// GLSL's type of a location as it is read.
fn type_of(location: &Location) -> String {
    match (location.integer, location.components) {
        (true, 1) => "int".into(),
        (true, n) => format!("ivec{n}"),
        (false, 1) => "float".into(),
        (false, n) => format!("vec{n}"),
    }
}

/// The sum of a value's components, each as four.
fn sum_of(value: &str, components: u8) -> String {
    match components {
        1 => format!(" + vec4({value})"),
        n => (["x", "y", "z", "w"].iter().take(n.into()))
            .map(|c| format!(" + vec4({value}.{c})"))
            .collect(),
    }
}

/// A vertex shader in front of a stage that reads these: no varying is a constant or like another
/// one.
fn vertex(outputs: &[Location]) -> Result<PipelineStage, String> {
    let outputs = narrow(outputs, "inputs")?;
    let mut text = String::from("#version 450\n");
    let mut body = String::from("gl_Position = a0;\n");
    for k in 0..attributes(outputs) {
        let _ = writeln!(text, "layout(location = {k}) in vec4 a{k};");
    }
    for (k, output) in outputs.iter().enumerate() {
        let k = k as u32;
        let (n, value) = (
            output.number,
            format!("a{} * {}.0", k % ATTRIBUTES, 1 + k / ATTRIBUTES),
        );
        if output.integer {
            let _ = writeln!(text, "layout(location = {n}) flat out ivec4 o{n};");
            // Small numbers: they may be indices and loop bounds.
            let _ = writeln!(body, "o{n} = (ivec4({value}) & 1) + 1;");
        } else {
            let _ = writeln!(text, "layout(location = {n}) out vec4 o{n};");
            let _ = writeln!(body, "o{n} = {value};");
        }
    }
    let _ = writeln!(text, "void main() {{\n{body}}}");
    compiled(ShaderStage::Vertex, Flags::VERTEX, &text)
}

/// A control shader in front of an evaluation shader that reads these.
fn control(outputs: &[Location], vertices: u32) -> Result<PipelineStage, String> {
    let outputs = narrow(outputs, "inputs")?;
    let mut text = format!("#version 450\nlayout(vertices = {vertices}) out;\n");
    let mut body = String::from(
        "vec4 a = gl_in[gl_InvocationID].gl_Position;\n\
         gl_out[gl_InvocationID].gl_Position = a;\n\
         for (int k = 0; k < 4; k++) gl_TessLevelOuter[k] = 4.0;\n\
         for (int k = 0; k < 2; k++) gl_TessLevelInner[k] = 4.0;\n",
    );
    for output in outputs {
        let n = output.number;
        let (patch, array, at, name) = match output.patch {
            true => ("patch ", "", "", "p"),
            false => ("", "[]", "[gl_InvocationID]", "o"),
        };
        let ty = type_of(output);
        let wide = match output.integer {
            true => "ivec4",
            false => "vec4",
        };
        let swizzle = &"xyzw"[..output.components.into()];
        let _ = writeln!(
            text,
            "layout(location = {n}) {patch}out {ty} {name}{n}{array};"
        );
        let _ = writeln!(body, "{name}{n}{at} = {wide}(a * {n}.5).{swizzle};");
    }
    let _ = writeln!(text, "void main() {{\n{body}}}");
    compiled(ShaderStage::TessControl, Flags::TESSELLATION_CONTROL, &text)
}

/// An evaluation shader behind a control shader that writes these.
fn evaluation(inputs: &[Location], tess: &nir::TessInfo) -> Result<PipelineStage, String> {
    let inputs = narrow(inputs, "outputs")?;
    let domain = match tess.domain {
        TessDomain::Triangles => "triangles",
        TessDomain::Isolines => "isolines",
        _ => "quads",
    };
    let spacing = match tess.spacing {
        TessSpacing::FractionalEven => "fractional_even_spacing",
        TessSpacing::FractionalOdd => "fractional_odd_spacing",
        _ => "equal_spacing",
    };
    let order = match tess.ccw {
        Some(false) => "cw",
        _ => "ccw",
    };
    let mut text = format!(
        "#version 450\nlayout({domain}, {spacing}, {order}) in;\nlayout(location = 0) out vec4 color;\n"
    );
    let mut sum = String::from("vec4(0.0)");
    for input in inputs {
        let n = input.number;
        let ty = type_of(input);
        let (patch, array, value) = match input.patch {
            true => ("patch ", "", format!("p{n}")),
            false => ("", "[]", format!("i{n}[0]")),
        };
        let name = value.trim_end_matches("[0]");
        let _ = writeln!(text, "layout(location = {n}) {patch}in {ty} {name}{array};");
        sum += &sum_of(&value, input.components);
    }
    let _ = writeln!(
        text,
        "void main() {{\ngl_Position = gl_in[0].gl_Position + gl_TessCoord.xyzx;\ncolor = {sum};\n}}"
    );
    compiled(ShaderStage::TessEval, Flags::TESSELLATION_EVALUATION, &text)
}

/// A fragment shader behind a stage that writes these.
fn fragment(inputs: &[Location]) -> Result<PipelineStage, String> {
    let inputs = narrow(inputs, "outputs")?;
    let mut text = String::from("#version 450\nlayout(location = 0) out vec4 color;\n");
    let mut sum = String::from("vec4(0.0)");
    for input in inputs {
        let (n, ty) = (input.number, type_of(input));
        let flat = if input.integer { "flat " } else { "" };
        let _ = writeln!(text, "layout(location = {n}) {flat}in {ty} i{n};");
        sum += &sum_of(&format!("i{n}"), input.components);
    }
    let _ = writeln!(text, "void main() {{ color = {sum}; }}");
    compiled(ShaderStage::Fragment, Flags::FRAGMENT, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(stage: ShaderStage, text: &str) -> Interface {
        let words = vkrunner::compile_glsl(stage, text, (1, 1, 0)).unwrap();
        Interface::new(words).unwrap()
    }

    fn interface_of(part: &PipelineStage) -> Interface {
        Interface::new(part.words.clone()).unwrap()
    }

    fn places(locations: &[Location]) -> Vec<(bool, u32, bool)> {
        let place = |l: &Location| (l.patch, l.number, l.integer);
        locations.iter().map(place).collect()
    }

    #[test]
    fn a_fragment_shader_gets_a_vertex_shader_that_fits() {
        let text = "#version 450\n\
            layout(set = 1, binding = 2) uniform sampler2D s[3];\n\
            layout(location = 0) in mat2 m;\n\
            layout(location = 4) flat in int k;\n\
            layout(location = 1) out vec4 o;\n\
            void main() { o = texture(s[1], m[0]) * m[1].x + k; }";
        let shader = interface(ShaderStage::Fragment, text);
        let inputs = places(&shader.inputs);
        assert_eq!(
            inputs,
            [(false, 0, false), (false, 1, false), (false, 4, true)]
        );
        let outputs: Vec<_> = shader.outputs.iter().map(|o| o.number).collect();
        assert_eq!(outputs, [1]);
        let bound: Vec<_> = shader
            .bindings
            .iter()
            .map(|b| (b.set, b.binding, b.count))
            .collect();
        assert_eq!(bound, [(1, 2, 3)]);
        let parts = stages(&shader).unwrap();
        assert_eq!(places(&interface_of(&parts[0]).outputs), inputs);
        assert_eq!(parts[1].stage, Flags::FRAGMENT);
    }

    #[test]
    fn an_evaluation_shader_gets_control_points_and_what_is_of_the_patch() {
        let text = "#version 450\n\
            layout(quads) in;\n\
            layout(location = 1) in vec3 n[];\n\
            layout(location = 4) patch in vec4 p;\n\
            layout(location = 0) out vec2 uv;\n\
            void main() { gl_Position = p + n[3].xyzx; uv = p.xy; }";
        let shader = interface(ShaderStage::TessEval, text);
        assert_eq!(
            places(&shader.inputs),
            [(false, 1, false), (true, 4, false)]
        );
        let parts = stages(&shader).unwrap();
        assert_eq!(parts.len(), 4);
        assert_eq!(
            places(&interface_of(&parts[1]).outputs),
            places(&shader.inputs)
        );
        assert_eq!(places(&interface_of(&parts[3]).inputs), [(false, 0, false)]);
        assert_eq!(patch_vertices(&shader), 4);
    }

    #[test]
    fn what_a_control_shader_writes_is_read() {
        let text = "#version 450\n\
            layout(vertices = 5) out;\n\
            layout(location = 2) in vec4 c[];\n\
            layout(location = 0) out ivec2 o[];\n\
            layout(location = 3) patch out float p;\n\
            void main() { o[gl_InvocationID] = ivec2(c[0].xy); p = 1.0; }";
        let shader = interface(ShaderStage::TessControl, text);
        let parts = stages(&shader).unwrap();
        assert_eq!(
            places(&interface_of(&parts[0]).outputs),
            [(false, 2, false)]
        );
        assert_eq!(
            places(&interface_of(&parts[2]).inputs),
            places(&shader.outputs)
        );
        assert_eq!(patch_vertices(&shader), 5);
    }
}
