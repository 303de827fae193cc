//! The interface of a shader: the descriptors, attributes, varyings and render targets that it
//! needs.
//!
//! In:  SPIR-V of one entry point. Out: its descriptors with their types, its attributes or
//!      varyings, its render targets.
//! Ref: Vulkan, "Shader Interfaces".

use crate::fossilize::SetBinding;
use ash::vk;
use compile::Stage;
use entity::Id;
use nir::{BaseType, Dim, Instr, Slot, Type, Variable, VariableMode};

/// Descriptors of a binding, at most: layouts for descriptor indexing declare millions.
const MAX_DESCRIPTORS: u32 = 1024;
/// Number of elements of a runtime-sized array.
const RUNTIME_ELEMENTS: u32 = 16;

/// A descriptor.
#[derive(Clone, Copy)]
pub struct BoundDescriptor {
    pub set: u32,
    pub binding: u32,
    pub kind: vk::DescriptorType,
    pub count: u32,
    /// Its variable.
    pub variable: Id<Variable>,
}

/// The type of an image in the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageKind {
    pub dim: Dim,
    pub array: bool,
    pub multisampled: bool,
    pub base: BaseType,
    /// Format of a storage image: SPIR-V's number; 0: unknown.
    pub format: u32,
    /// The shader uses it with a depth comparison.
    pub shadow: bool,
}

/// One location of an interface.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub number: u32,
    pub integer: bool,
    pub wide: bool,
    pub components: u8,
    /// Per patch, not per vertex.
    pub patch: bool,
}

/// A binding of a set layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutBinding {
    pub binding: u32,
    pub kind: vk::DescriptorType,
    pub count: u32,
    pub stages: vk::ShaderStageFlags,
}

/// The set layouts that a shader needs.
fn sets(bindings: &[BoundDescriptor]) -> Vec<Vec<LayoutBinding>> {
    let count = bindings.iter().map(|b| b.set + 1).max().unwrap_or(0);
    let of_set = |set| {
        let of_set = bindings.iter().filter(|b| b.set == set);
        let binding = |b: &BoundDescriptor| LayoutBinding {
            binding: b.binding,
            kind: b.kind,
            count: b.count,
            stages: vk::ShaderStageFlags::ALL,
        };
        of_set.map(binding).collect()
    };
    (0..count).map(of_set).collect()
}

/// A specialization constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpecializationConstant {
    pub id: u32,
    /// The value's bytes, little-endian.
    pub data: Vec<u8>,
}

/// The elements of a constant as the compiler takes them: eight bytes each, zero-extended.
fn elements(constant: &SpecializationConstant) -> impl Iterator<Item = (u32, u64)> {
    let value = |part: &[u8]| part.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
    let parts = constant.data.chunks(8);
    parts.map(move |part| (constant.id, value(part)))
}

/// A shader and its interface.
pub struct Interface {
    pub stage: Stage,
    pub entry: String,
    pub words: Vec<u32>,
    pub specialization: Vec<SpecializationConstant>,
    /// VkPipelineShaderStageCreateFlags.
    pub stage_flags: u32,
    /// Required subgroup size.
    pub required_width: Option<u32>,
    /// A set and binding that variables of different descriptor types share, if there is one.
    pub conflict: Option<(u32, u32)>,
    /// The bindings of each descriptor set.
    pub sets: Vec<Vec<LayoutBinding>>,
    pub shader: nir::Shader,
    pub bindings: Vec<BoundDescriptor>,
    pub inputs: Vec<Location>,
    pub outputs: Vec<Location>,
}

impl Interface {
    /// Parses a module with one entry point; specialization constants have their defaults.
    pub fn new(words: Vec<u32>) -> Result<Interface, String> {
        let entries = compile::entry_points(&words).map_err(|e| e.to_string())?;
        let [(entry, stage)] = &entries[..] else {
            return Err(format!("{} entry points, not one", entries.len()));
        };
        let (entry, stage) = (entry.clone(), *stage);
        Interface::of_entry(words, entry, stage, Vec::new())
    }

    /// Parses one entry point of a module.
    pub fn of_entry(
        words: Vec<u32>,
        entry: String,
        stage: Stage,
        specialization: Vec<SpecializationConstant>,
    ) -> Result<Interface, String> {
        let constants: Vec<(u32, u64)> = specialization.iter().flat_map(elements).collect();
        let module = spirv_front::Module::parse(&words).map_err(|e| e.to_string())?;
        let shader = module
            .to_nir(&spirv_front::Options {
                entry_point: &entry,
                stage,
                specialization: &constants,
                ..spirv_front::Options::default()
            })
            .map_err(|e| e.to_string())?;
        let (mut bindings, mut inputs, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for (id, var) in shader.vars.iter() {
            let list = match var.mode {
                VariableMode::ShaderIn => &mut inputs,
                VariableMode::ShaderOut => &mut outputs,
                _ => {
                    bindings.extend(bound(&shader, id, var));
                    continue;
                }
            };
            let Some(io) = &var.io else { continue };
            let first = match io.patch {
                true => io.slot.0.checked_sub(Slot::PATCH0.0),
                false => io.slot.0.checked_sub(Slot::VAR0.0),
            };
            if let Some(first) = first {
                let ty = of_a_vertex(&shader, stage, var, io.patch);
                locations(&shader, ty, first.into(), io.patch, list);
            }
        }
        for list in [&mut inputs, &mut outputs] {
            list.sort_by_key(|l| (l.patch, l.number, !l.wide));
            list.dedup_by_key(|l| (l.patch, l.number));
        }
        bindings.sort_by_key(|b| {
            (
                b.set,
                b.binding,
                b.kind != vk::DescriptorType::SAMPLED_IMAGE,
            )
        });
        let mut conflict = None;
        bindings.dedup_by(|other, first| {
            let same = (first.set, first.binding) == (other.set, other.binding);
            // A texture and a sampler with the same binding, as HLSL compilers emit them, are one
            // descriptor.
            use vk::DescriptorType as D;
            if same && (first.kind, other.kind) == (D::SAMPLED_IMAGE, D::SAMPLER) {
                first.kind = D::COMBINED_IMAGE_SAMPLER;
            } else if same && first.kind != other.kind {
                conflict = Some((first.set, first.binding));
            }
            same
        });
        Ok(Interface {
            stage,
            entry,
            words,
            specialization,
            stage_flags: 0,
            required_width: None,
            conflict,
            sets: sets(&bindings),
            shader,
            bindings,
            inputs,
            outputs,
        })
    }

    /// Replaces the set layouts by those of a pipeline layout. Counts are limited to
    /// [`MAX_DESCRIPTORS`]; bindings of types that this module does not know are left out unless
    /// the shader uses them: then they have the type that its variable needs.
    ///
    /// # Errors
    /// The shader uses a binding that the layout does not have.
    pub fn declare(&mut self, sets: &[Vec<SetBinding>]) -> Result<(), String> {
        use vk::DescriptorType as D;
        let mut declared = Vec::new();
        for (set, bindings) in sets.iter().enumerate() {
            let used = |binding: u32| {
                let bound = self.bindings.iter();
                let mut bound = bound.filter(|b| b.set as usize == set);
                bound.find(|b| b.binding == binding)
            };
            let layout = |b: &SetBinding| {
                let known = (0..=D::INPUT_ATTACHMENT.as_raw()).contains(&(b.kind as i32));
                Some(LayoutBinding {
                    binding: b.binding,
                    kind: match known {
                        true => D::from_raw(b.kind as i32),
                        false => used(b.binding)?.kind,
                    },
                    count: b.count.min(MAX_DESCRIPTORS),
                    stages: vk::ShaderStageFlags::from_raw(b.stages),
                })
            };
            declared.push(bindings.iter().filter_map(layout).collect::<Vec<_>>());
        }
        for bound in &mut self.bindings {
            let set = declared.get(bound.set as usize);
            let found = set.and_then(|set| set.iter().find(|b| b.binding == bound.binding));
            let missing = || {
                let (set, binding) = (bound.set, bound.binding);
                format!("the pipeline's layout has no binding {binding} in set {set}")
            };
            let found = found.ok_or_else(missing)?;
            (bound.kind, bound.count) = (found.kind, found.count);
        }
        self.sets = declared;
        Ok(())
    }

    /// True if the shader may access memory by addresses: the capability
    /// PhysicalStorageBufferAddresses.
    pub fn uses_addresses(&self) -> bool {
        const HEADER_WORDS: usize = 5;
        const CAPABILITY: u32 = 2 << 16 | 17;
        const PHYSICAL_STORAGE_BUFFER_ADDRESSES: u32 = 5347;
        // Capabilities come first in a module.
        let words = self.words.get(HEADER_WORDS..).unwrap_or_default();
        let mut capabilities = words.chunks_exact(2).take_while(|c| c[0] == CAPABILITY);
        capabilities.any(|c| c[1] == PHYSICAL_STORAGE_BUFFER_ADDRESSES)
    }

    /// The type of a single descriptor of a binding.
    pub fn held(&self, bound: &BoundDescriptor) -> Id<Type> {
        let mut ty = self.shader.vars[bound.variable].ty;
        while let Type::Array { elem, .. } = &self.shader.types[ty] {
            ty = *elem;
        }
        ty
    }

    /// The image type of a binding; `None` if it is not an image.
    pub fn image(&self, bound: &BoundDescriptor) -> Option<ImageKind> {
        let mut ty = self.held(bound);
        if let Type::SampledImage(of) = &self.shader.types[ty] {
            ty = *of;
        }
        match &self.shader.types[ty] {
            Type::Image {
                dim,
                array,
                multisampled,
                base,
                format,
                ..
            } => Some(ImageKind {
                dim: *dim,
                array: *array,
                multisampled: *multisampled,
                base: *base,
                format: *format,
                shadow: self.is_compared(bound.variable),
            }),
            _ => None,
        }
    }

    /// True if the shader uses a variable's textures or samplers with a depth comparison.
    pub fn is_compared(&self, variable: Id<Variable>) -> bool {
        use nir::TexSrc::{SamplerDeref, TextureDeref};
        let shader = &self.shader;
        let is_it = |mut at: Id<nir::Def>| loop {
            let Some(deref) = shader.deref_of(at) else {
                return false;
            };
            at = match deref.kind {
                nir::DerefKind::Var(var) => return var == variable,
                nir::DerefKind::Array { parent, .. }
                | nir::DerefKind::PtrAsArray { parent, .. }
                | nir::DerefKind::Struct { parent, .. }
                | nir::DerefKind::Cast { parent, .. } => parent,
            };
        };
        shader.instrs.iter().any(|(_, instr)| match instr {
            Instr::Tex(tex) if tex.shadow => {
                let named = |(kind, _): &&(_, _)| matches!(kind, TextureDeref | SamplerDeref);
                tex.srcs.iter().filter(named).any(|(_, def)| is_it(*def))
            }
            _ => false,
        })
    }
}

/// The type of a variable for one vertex: stages that process whole primitives have arrays of them.
fn of_a_vertex(shader: &nir::Shader, stage: Stage, var: &Variable, patch: bool) -> Id<Type> {
    let many = match stage {
        Stage::TessControl => !patch,
        Stage::TessEval => !patch && var.mode == VariableMode::ShaderIn,
        Stage::Geometry => var.mode == VariableMode::ShaderIn,
        _ => false,
    };
    match &shader.types[var.ty] {
        Type::Array { elem, .. } if many => *elem,
        _ => var.ty,
    }
}

fn bound(shader: &nir::Shader, variable: Id<Variable>, var: &Variable) -> Option<BoundDescriptor> {
    use compile::DescriptorKind as K;
    use vk::DescriptorType as D;
    let (kind, count) = compile::described(shader, var, RUNTIME_ELEMENTS)?;
    let kind = match kind {
        K::UniformBuffer | K::UniformBufferDynamic | K::InlineUniformBlock => D::UNIFORM_BUFFER,
        K::StorageBuffer | K::StorageBufferDynamic => D::STORAGE_BUFFER,
        K::Sampler => D::SAMPLER,
        K::SampledImage => D::SAMPLED_IMAGE,
        K::CombinedImageSampler => D::COMBINED_IMAGE_SAMPLER,
        K::StorageImage => D::STORAGE_IMAGE,
        K::UniformTexelBuffer => D::UNIFORM_TEXEL_BUFFER,
        K::StorageTexelBuffer => D::STORAGE_TEXEL_BUFFER,
        K::InputAttachment => D::INPUT_ATTACHMENT,
    };
    Some(BoundDescriptor {
        set: var.set,
        binding: var.binding,
        kind,
        count,
        variable,
    })
}

/// Adds the locations of a value from `at` on; returns the next free location.
fn locations(
    shader: &nir::Shader,
    ty: Id<Type>,
    at: u32,
    patch: bool,
    out: &mut Vec<Location>,
) -> u32 {
    let mut one = |integer: bool, bits: u8, components: u8| {
        out.push(Location {
            number: at,
            integer,
            wide: bits == 64,
            components,
            patch,
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
        } => (0..*columns).fold(at, |at, _| locations(shader, *column, at, patch, out)),
        Type::Array { elem, len, .. } => {
            (0..len.unwrap_or(1)).fold(at, |at, _| locations(shader, *elem, at, patch, out))
        }
        Type::Struct { members, .. } => members
            .iter()
            .fold(at, |at, m| locations(shader, m.ty, at, patch, out)),
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::DescriptorType as D;

    fn shader() -> Interface {
        let text = "#version 450\n\
            layout(local_size_x = 1) in;\n\
            layout(set = 1, binding = 4) buffer B { float x[]; };\n\
            layout(set = 0, binding = 2) uniform sampler2D t[];\n\
            void main() { x[0] = texture(t[1], vec2(0)).x; }";
        let words =
            vkrunner::compile_glsl(vkrunner::ShaderStage::Compute, text, (1, 1, 0)).unwrap();
        Interface::new(words).unwrap()
    }

    fn declared(binding: u32, kind: u32, count: u32) -> SetBinding {
        SetBinding {
            binding,
            kind,
            count,
            stages: 0x20,
        }
    }

    #[test]
    fn a_pipeline_s_layout_replaces_what_the_shader_implies() {
        let mut shader = shader();
        let kinds = |shader: &Interface| -> Vec<(u32, D, u32)> {
            let bindings = shader.bindings.iter();
            bindings.map(|b| (b.binding, b.kind, b.count)).collect()
        };
        let combined = D::COMBINED_IMAGE_SAMPLER;
        assert_eq!(
            kinds(&shader),
            [(2, combined, 2), (4, D::STORAGE_BUFFER, 1)]
        );
        assert_eq!((shader.sets[0].len(), shader.sets[1].len()), (1, 1));
        // A combined image sampler for descriptor indexing, a type that is not known and unused,
        // a known type that is unused, and a dynamic storage buffer.
        let sets = [
            vec![
                declared(2, 1, 1 << 20),
                declared(3, 1_000_150_000, 1),
                declared(9, 6, 1),
            ],
            vec![declared(4, 9, 1)],
        ];
        shader.declare(&sets).unwrap();
        let expected = [(2, combined, 1024), (4, D::STORAGE_BUFFER_DYNAMIC, 1)];
        assert_eq!(kinds(&shader), expected);
        let bindings: Vec<u32> = shader.sets[0].iter().map(|b| b.binding).collect();
        assert_eq!(bindings, [2, 9]);
        assert_eq!(shader.sets[1][0].stages, vk::ShaderStageFlags::COMPUTE);
        // A type that is not known, for a binding that the shader uses.
        shader
            .declare(&[sets[0].clone(), vec![declared(4, 1_000_351_000, 1)]])
            .unwrap();
        assert_eq!(shader.sets[1][0].kind, D::STORAGE_BUFFER_DYNAMIC);
        let error = shader.declare(&sets[..1]).unwrap_err();
        assert_eq!(error, "the pipeline's layout has no binding 4 in set 1");
    }

    #[test]
    fn shaders_that_use_addresses_are_known_by_their_capability() {
        assert!(!shader().uses_addresses());
        let text = "#version 450\n#extension GL_EXT_buffer_reference : require\n\
            layout(buffer_reference) buffer Node { uint n; };\n\
            layout(push_constant) uniform P { Node node; };\n\
            void main() { node.n = 1; }";
        let words =
            vkrunner::compile_glsl(vkrunner::ShaderStage::Compute, text, (1, 1, 0)).unwrap();
        assert!(Interface::new(words).unwrap().uses_addresses());
    }

    #[test]
    fn variables_of_different_types_at_one_binding_are_noticed() {
        assert_eq!(shader().conflict, None);
        let text = "#version 450\n\
            layout(local_size_x = 1) in;\n\
            layout(binding = 3) buffer B { float x[]; };\n\
            layout(binding = 3) uniform sampler2D t;\n\
            void main() { x[0] = texture(t, vec2(0)).x; }";
        let words =
            vkrunner::compile_glsl(vkrunner::ShaderStage::Compute, text, (1, 1, 0)).unwrap();
        assert_eq!(Interface::new(words).unwrap().conflict, Some((0, 3)));
    }
}
