//! What a pipeline around a shader must offer it.
//!
//! In:  SPIR-V of a vertex, fragment or compute shader. Out: its descriptors, its attributes or varyings, its render targets.
//! Ref: Vulkan, "Shader Interfaces".

use ash::vk;
use compile::Stage;
use entity::Id;
use nir::{Mode, Slot, Type};
use vkrunner::ShaderStage;

/// Elements of an array whose length is the application's choice.
const RUNTIME_ELEMENTS: u32 = 16;
/// Attributes that every device has.
const ATTRIBUTES: u32 = 16;

/// A descriptor.
#[derive(Clone, Copy)]
pub struct Bound {
    pub set: u32,
    pub binding: u32,
    pub kind: vk::DescriptorType,
    pub count: u32,
}

/// One location of an interface.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub number: u32,
    pub integer: bool,
    pub wide: bool,
    pub components: u8,
}

/// A shader and what it needs.
pub struct Interface {
    pub stage: Stage,
    pub entry: String,
    pub words: Vec<u32>,
    pub bindings: Vec<Bound>,
    pub inputs: Vec<Location>,
    pub outputs: Vec<Location>,
}

impl Interface {
    /// Reads a module with one entry point.
    pub fn new(words: Vec<u32>) -> Result<Interface, String> {
        let entries = compile::entry_points(&words).map_err(|e| e.to_string())?;
        let [(entry, stage)] = &entries[..] else {
            return Err(format!("{} entry points, not one", entries.len()));
        };
        let (entry, stage) = (entry.clone(), *stage);
        if !matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
            return Err("of a stage that stands between others: not measured".into());
        }
        let module = spirv_front::Module::parse(&words).map_err(|e| e.to_string())?;
        let shader = module
            .to_nir(&spirv_front::Options {
                entry_point: &entry,
                stage,
                ..spirv_front::Options::default()
            })
            .map_err(|e| e.to_string())?;
        let mut out = Interface {
            stage,
            entry,
            words: Vec::new(),
            bindings: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        for (_, var) in shader.vars.iter() {
            match (var.mode, &var.io) {
                (Mode::ShaderIn, Some(io)) if io.slot.0 >= Slot::VAR0.0 => {
                    let first = u32::from(io.slot.0 - Slot::VAR0.0);
                    locations(&shader, var.ty, first, &mut out.inputs);
                }
                (Mode::ShaderOut, Some(io)) if io.slot.0 >= Slot::VAR0.0 => {
                    let first = u32::from(io.slot.0 - Slot::VAR0.0);
                    locations(&shader, var.ty, first, &mut out.outputs);
                }
                _ => out.bindings.extend(bound(&shader, var)),
            }
        }
        for list in [&mut out.inputs, &mut out.outputs] {
            list.sort_by_key(|l| (l.number, !l.wide));
            list.dedup_by_key(|l| l.number);
        }
        out.bindings.sort_by_key(|b| (b.set, b.binding));
        out.bindings.dedup_by_key(|b| (b.set, b.binding));
        out.words = words;
        Ok(out)
    }

    /// A vertex shader in front of a fragment shader: no input is a constant or like another one.
    pub fn vertex_shader(&self) -> Result<Vec<u32>, String> {
        if self.inputs.iter().any(|i| i.wide) {
            return Err("inputs of 64 bits: not measured".into());
        }
        let mut text = String::from("#version 450\n");
        let mut body = String::from("gl_Position = a0;\n");
        for k in 0..self.attributes() {
            text += &format!("layout(location = {k}) in vec4 a{k};\n");
        }
        for (k, input) in self.inputs.iter().enumerate() {
            let n = input.number;
            let value = format!(
                "a{} * {}.0",
                k as u32 % ATTRIBUTES,
                1 + k as u32 / ATTRIBUTES
            );
            if input.integer {
                text += &format!("layout(location = {n}) flat out ivec4 o{n};\n");
                body += &format!("o{n} = floatBitsToInt({value});\n");
            } else {
                text += &format!("layout(location = {n}) out vec4 o{n};\n");
                body += &format!("o{n} = {value};\n");
            }
        }
        text += &format!("void main() {{\n{body}}}\n");
        vkrunner::compile_glsl(ShaderStage::Vertex, &text, (1, 1, 0))
    }

    /// A fragment shader behind a vertex shader, which reads all that is written: otherwise a driver that links would make nothing of it.
    pub fn fragment_shader(&self) -> Result<Vec<u32>, String> {
        if self.outputs.iter().any(|o| o.wide) {
            return Err("outputs of 64 bits: not measured".into());
        }
        let mut text = String::from("#version 450\nlayout(location = 0) out vec4 color;\n");
        let mut sum = String::from("vec4(0.0)");
        for output in &self.outputs {
            let n = output.number;
            let (flat, ty) = match (output.integer, output.components) {
                (true, 1) => ("flat ", "int".into()),
                (true, n) => ("flat ", format!("ivec{n}")),
                (false, 1) => ("", "float".into()),
                (false, n) => ("", format!("vec{n}")),
            };
            text += &format!("layout(location = {n}) {flat}in {ty} i{n};\n");
            for component in ["x", "y", "z", "w"].iter().take(output.components.into()) {
                sum += &match output.components {
                    1 => format!(" + vec4(i{n})"),
                    _ => format!(" + vec4(i{n}.{component})"),
                };
            }
        }
        text += &format!("void main() {{ color = {sum}; }}\n");
        vkrunner::compile_glsl(ShaderStage::Fragment, &text, (1, 1, 0))
    }

    /// Attributes that [`Interface::vertex_shader`] reads.
    pub fn attributes(&self) -> u32 {
        (self.inputs.len() as u32).clamp(1, ATTRIBUTES)
    }
}

fn bound(shader: &nir::Shader, var: &nir::Variable) -> Option<Bound> {
    use compile::DescriptorKind as K;
    use vk::DescriptorType as D;
    let (kind, count) = compile::described(shader, var, RUNTIME_ELEMENTS)?;
    let kind = match kind {
        K::UniformBuffer | K::UniformBufferDynamic => D::UNIFORM_BUFFER,
        K::StorageBuffer | K::StorageBufferDynamic => D::STORAGE_BUFFER,
        K::Sampler => D::SAMPLER,
        K::SampledImage => D::SAMPLED_IMAGE,
        K::CombinedImageSampler => D::COMBINED_IMAGE_SAMPLER,
        K::StorageImage => D::STORAGE_IMAGE,
        K::UniformTexelBuffer => D::UNIFORM_TEXEL_BUFFER,
        K::StorageTexelBuffer => D::STORAGE_TEXEL_BUFFER,
        K::InputAttachment => D::INPUT_ATTACHMENT,
    };
    Some(Bound {
        set: var.set,
        binding: var.binding,
        kind,
        count,
    })
}

/// The locations of a value from `at` on; the first behind them.
fn locations(shader: &nir::Shader, ty: Id<Type>, at: u32, out: &mut Vec<Location>) -> u32 {
    let mut one = |integer: bool, bits: u8, components: u8| {
        out.push(Location {
            number: at,
            integer,
            wide: bits == 64,
            components,
        });
        at + 1 + u32::from(bits == 64 && components > 2)
    };
    match &shader.types[ty] {
        Type::Int(bits) => one(true, *bits, 1),
        Type::Float(bits) => one(false, *bits, 1),
        Type::Vector { elem, len } => match &shader.types[*elem] {
            Type::Float(bits) => one(false, *bits, *len),
            Type::Int(bits) => one(true, *bits, *len),
            _ => at,
        },
        Type::Matrix {
            column, columns, ..
        } => (0..*columns).fold(at, |at, _| locations(shader, *column, at, out)),
        Type::Array { elem, len, .. } => {
            (0..len.unwrap_or(1)).fold(at, |at, _| locations(shader, *elem, at, out))
        }
        Type::Struct { members, .. } => members
            .iter()
            .fold(at, |at, m| locations(shader, m.ty, at, out)),
        _ => at,
    }
}
