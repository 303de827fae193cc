//! Descriptor heaps: resources that are mapped to them, and the heaps as built-in variables.
//!
//! In:  variables with a set and binding, and the pipeline's mappings; pointers into the heaps.
//! Out: derefs of variables that stand for a whole heap, an array whose elements are one byte
//!      apart (crate `abi`, "Descriptor heaps"); addresses of buffers without descriptors.
//! Ref: Vulkan, "Descriptor Heaps"; SPV_EXT_descriptor_heap.

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::{Ty, UNTYPED, add_access};
use crate::value::{
    AccessStep, MappedResource, Pointer, PointerBase, ResourceLocation, SamplerLocation, Value,
};
use abi::{
    HEAP_BINDING, HeapMapping, HeapOffset, IndexLocation, IndirectDescriptor, MappingSource,
    RESOURCE_HEAP_SET, SAMPLER_HEAP_SET, resource_type,
};
use entity::Id;
use nir::{Access, AluOp, Def, IntrinsicOp, StructMember, Type, Variable, VariableMode};
use smallvec::SmallVec;
use spirv::{BuiltIn, Decoration, StorageClass};
use std::rc::Rc;

/// Alignment, in bytes, of buffers that are given by their address:
/// `minUniformBufferOffsetAlignment` is at least the first, `minStorageBufferOffsetAlignment` the
/// second.
const UNIFORM_ALIGNMENT: u32 = 16;
const STORAGE_ALIGNMENT: u32 = 4;

/// A deref of a resource, and how many steps of the access chain it has consumed.
pub(crate) struct ResourceDeref {
    pub def: Id<Def>,
    pub ty: Id<Type>,
    pub mode: VariableMode,
    pub steps: usize,
}

impl Translator<'_> {
    /// The heap that a variable stands for, as the number of its set.
    fn heap_of_variable(&self, id: u32) -> Option<u32> {
        let built_in = self.module.decoration_arg(id, Decoration::BuiltIn)?;
        match BuiltIn::from_u32(built_in)? {
            BuiltIn::ResourceHeapEXT => Some(RESOURCE_HEAP_SET),
            BuiltIn::SamplerHeapEXT => Some(SAMPLER_HEAP_SET),
            _ => None,
        }
    }

    /// The value of a variable that is a heap; `None` for other variables.
    pub fn heap_variable(&mut self, inst: &Inst) -> Result<Option<Value>> {
        let Some(set) = self.heap_of_variable(inst.id) else {
            return Ok(None);
        };
        let class = match &*self.ty(inst.ty)? {
            Ty::Pointer {
                class: class @ StorageClass::UniformConstant,
                to: UNTYPED,
                ..
            } => *class,
            _ => return inst.loc.unsupported("a heap that has a type"),
        };
        let offset = self.emit.imm32(0);
        Ok(Some(Value::Pointer(Rc::new(Pointer {
            base: PointerBase::Heap {
                set,
                offset,
                ty: UNTYPED,
            },
            steps: SmallVec::new(),
            class,
            mode: VariableMode::Uniform,
            to: UNTYPED,
            access: Access::default(),
            align_bytes: 0,
        }))))
    }

    /// The variable that stands for a heap of resources of a type.
    fn heap_array(&mut self, set: u32, mode: VariableMode, ty: Id<Type>) -> Id<Variable> {
        let array = self.emit.shader.types.intern(Type::Array {
            elem: ty,
            len: None,
            stride_bytes: 0,
        });
        self.resource_variable((set, HEAP_BINDING), mode, array)
    }

    /// The variable of a type at a set and binding.
    fn resource_variable(
        &mut self,
        (set, binding): (u32, u32),
        mode: VariableMode,
        ty: Id<Type>,
    ) -> Id<Variable> {
        let key = (set, binding, mode, ty);
        if let Some((_, var)) = self.heap_variables.iter().find(|(known, _)| *known == key) {
            return *var;
        }
        let name = match set {
            RESOURCE_HEAP_SET => "resource_heap",
            SAMPLER_HEAP_SET => "sampler_heap",
            _ => "embedded_sampler",
        };
        let var = self.emit.variable(name.into(), mode, ty);
        let variable = self.emit.var_mut(var);
        (variable.set, variable.binding) = (set, binding);
        self.heap_variables.push((key, var));
        var
    }

    /// The mapping of a variable, which is of the given types.
    fn mapping(&self, set: u32, binding: u32, types: u32) -> Option<HeapMapping> {
        let mut mappings = self.heap?.mappings.iter();
        let found = mappings.find(|mapping| {
            mapping.set == set
                && binding
                    .checked_sub(mapping.first_binding)
                    .is_some_and(|at| at < mapping.binding_count)
                && mapping.resources & types != 0
        });
        found.cloned()
    }

    /// The type of a resource, as mappings distinguish them. `to` is its type without arrays.
    fn resource_types(&mut self, inst: &Inst, to: u32, mode: VariableMode) -> Result<u32> {
        let mut read_only = self.module.has_decoration(inst.id, Decoration::NonWritable);
        Ok(match &*self.ty(to)? {
            Ty::Sampler => resource_type::SAMPLER,
            Ty::SampledImage(_) => resource_type::COMBINED_SAMPLED_IMAGE,
            Ty::Image(image) if !image.storage => resource_type::SAMPLED_IMAGE,
            Ty::Image(image) if image.dim == nir::Dim::SubpassData => {
                resource_type::READ_ONLY_IMAGE | resource_type::READ_WRITE_IMAGE
            }
            Ty::Image(_) if read_only => resource_type::READ_ONLY_IMAGE,
            Ty::Image(_) => resource_type::READ_WRITE_IMAGE,
            _ if mode == VariableMode::Ubo => resource_type::UNIFORM_BUFFER,
            Ty::Struct { id, members } => {
                // Compilers decorate the members of a block that is not written.
                read_only |= !members.is_empty()
                    && (0..members.len())
                        .all(|i| self.member_layout(*id, i as u32).access.non_writable);
                match read_only {
                    true => resource_type::READ_ONLY_STORAGE_BUFFER,
                    false => resource_type::READ_WRITE_STORAGE_BUFFER,
                }
            }
            _ => return inst.loc.expected("a resource", format!("%{to}")),
        })
    }

    /// The resource that a variable is mapped to; `None` if the shader uses descriptor sets, or the
    /// variable is no resource.
    pub fn mapped_variable(
        &mut self,
        inst: &Inst,
        (class, to): (StorageClass, u32),
        mode: VariableMode,
    ) -> Result<Option<Rc<MappedResource>>> {
        use VariableMode::{Ssbo, Ubo, Uniform};
        let (Some(heap), true) = (self.heap, matches!(mode, Ssbo | Ubo | Uniform)) else {
            return Ok(None);
        };
        let mut arrays: SmallVec<[u32; 2]> = SmallVec::new();
        let mut inner = to;
        while let Ty::Array { elem, len, .. } = &*self.ty(inner)? {
            arrays.push(len.unwrap_or(1));
            inner = *elem;
        }
        let number = |kind| self.module.decoration_arg(inst.id, kind).unwrap_or(0);
        let set = number(Decoration::DescriptorSet);
        let binding = number(Decoration::Binding);
        let types = self.resource_types(inst, inner, mode)?;
        let Some(mapping) = self.mapping(set, binding, types) else {
            return inst.loc.unsupported(format!(
                "a resource of set {set}, binding {binding} without a mapping"
            ));
        };
        let ty = self.nir_type(inner, self.has_layout(class))?;
        let is_combined = types == resource_type::COMBINED_SAMPLED_IMAGE;
        let location = match mapping.source {
            MappingSource::Descriptor {
                embedded: Some(embedded),
                ..
            } if types == resource_type::SAMPLER => {
                ResourceLocation::Embedded(self.embedded_sampler(heap.embedded_set, embedded))
            }
            MappingSource::Descriptor {
                alone,
                combined: [image, sampler],
                embedded,
            } => {
                let set = match types {
                    resource_type::SAMPLER => SAMPLER_HEAP_SET,
                    _ => RESOURCE_HEAP_SET,
                };
                let sampler = is_combined.then(|| match embedded {
                    Some(embedded) => SamplerLocation::Embedded(
                        self.embedded_sampler(heap.embedded_set, embedded),
                    ),
                    None => {
                        let heap = self.heap_array(SAMPLER_HEAP_SET, mode, ty);
                        SamplerLocation::Heap(heap, sampler)
                    }
                });
                let offset = if is_combined { image } else { alone };
                ResourceLocation::Heap {
                    descriptor: (self.heap_array(set, mode, ty), offset),
                    sampler,
                    first_element: binding.wrapping_sub(mapping.first_binding),
                }
            }
            source => self.data_location(inst, &source, mode, ty)?,
        };
        Ok(Some(Rc::new(MappedResource {
            location,
            arrays,
            ty,
        })))
    }

    fn embedded_sampler(&mut self, set: u32, binding: u32) -> Id<Variable> {
        let ty = self.emit.shader.types.intern(Type::Sampler);
        self.resource_variable((set, binding), VariableMode::Uniform, ty)
    }

    /// Where a buffer without a descriptor is.
    fn data_location(
        &mut self,
        inst: &Inst,
        source: &MappingSource,
        mode: VariableMode,
        ty: Id<Type>,
    ) -> Result<ResourceLocation> {
        if mode == VariableMode::Uniform {
            return inst.loc.expected("a mapping to a descriptor", "to data");
        }
        let alignment = match mode {
            VariableMode::Ubo => UNIFORM_ALIGNMENT,
            _ => STORAGE_ALIGNMENT,
        };
        let address = match *source {
            MappingSource::PushData { offset_bytes } => {
                let block = self.emit.shader.types.intern(Type::Struct {
                    name: String::new(),
                    members: vec![StructMember {
                        name: "data".into(),
                        ty,
                        offset_bytes,
                    }],
                });
                self.reserve_push_data(offset_bytes.saturating_add(self.size_bytes(ty)));
                let name = "push_data".into();
                let mode = VariableMode::PushConst;
                return Ok(ResourceLocation::Push(
                    self.emit.variable(name, mode, block),
                ));
            }
            MappingSource::HeapData {
                offset_bytes,
                push_offset_bytes,
            } => {
                let zero = self.emit.imm32(0);
                let op = IntrinsicOp::VulkanResourceIndex;
                let heap = [RESOURCE_HEAP_SET, HEAP_BINDING];
                let handle = self.emit.intrinsic_value(op, (1, 32), &[zero], &heap)?;
                let pushed = self.push_dword(push_offset_bytes)?;
                let low = self.emit.op2(AluOp::IAdd, handle, pushed)?;
                let more = offset_bytes.wrapping_sub(IndirectDescriptor::TAG);
                let low = self.add32(low, more)?;
                let high = self.emit.imm32(self.heap.map_or(0, |heap| heap.base_high));
                self.emit.op2(AluOp::Pack64_2x32Split, low, high)?
            }
            MappingSource::PushAddress { push_offset_bytes } => {
                self.push_address(push_offset_bytes)?
            }
            MappingSource::IndirectAddress {
                push_offset_bytes,
                address_offset_bytes,
            } => {
                let memory = self.push_address(push_offset_bytes)?;
                let words = self.load_words(memory, address_offset_bytes, None, 2)?;
                self.emit.op1(AluOp::Pack64_2x32, words)?
            }
            MappingSource::Descriptor { .. } => {
                return inst.loc.expected("a mapping to data", "a descriptor");
            }
        };
        Ok(ResourceLocation::Address(address, alignment))
    }

    /// Makes push data reach to a byte.
    fn reserve_push_data(&mut self, end: u32) {
        let bytes = &mut self.emit.shader.info.push_constant_bytes;
        *bytes = end.max(*bytes);
    }

    /// `count` dwords of push data.
    fn push_dwords(&mut self, offset_bytes: u32, count: u8) -> Result<Id<Def>> {
        let bytes = 4 * u32::from(count);
        self.reserve_push_data(offset_bytes.saturating_add(bytes));
        let zero = self.emit.imm32(0);
        let op = IntrinsicOp::LoadPushConstant;
        let indices = [offset_bytes, bytes, bytes, 0];
        self.emit
            .intrinsic_value(op, (count, 32), &[zero], &indices)
    }

    fn push_dword(&mut self, offset_bytes: u32) -> Result<Id<Def>> {
        self.push_dwords(offset_bytes, 1)
    }

    fn push_address(&mut self, offset_bytes: u32) -> Result<Id<Def>> {
        let words = self.push_dwords(offset_bytes, 2)?;
        self.emit.op1(AluOp::Pack64_2x32, words)
    }

    /// `count` dwords of memory that the shader does not write, at an address plus `offset_bytes`
    /// plus four times `element`.
    fn load_words(
        &mut self,
        address: Id<Def>,
        offset_bytes: u32,
        element: Option<Id<Def>>,
        count: u8,
    ) -> Result<Id<Def>> {
        let mut address = address;
        if let Some(element) = element {
            let bytes = self.scale(element, 4)?;
            let bytes = self.emit.convert(AluOp::U2U, bytes, 64)?;
            address = self.emit.op2(AluOp::IAdd, address, bytes)?;
        }
        if offset_bytes != 0 {
            let more = self.emit.constant(64, &[offset_bytes.into()]);
            address = self.emit.op2(AluOp::IAdd, address, more)?;
        }
        let op = IntrinsicOp::LoadGlobalConstant;
        self.emit
            .intrinsic_value(op, (count, 32), &[address], &[0, 4, 0])
    }

    fn add32(&mut self, a: Id<Def>, more: u32) -> Result<Id<Def>> {
        if more == 0 {
            return Ok(a);
        }
        let more = self.emit.imm32(more);
        self.emit.op2(AluOp::IAdd, a, more)
    }

    fn scale(&mut self, a: Id<Def>, by: u32) -> Result<Id<Def>> {
        if by == 1 {
            return Ok(a);
        }
        let by = self.emit.imm32(by);
        self.emit.op2(AluOp::IMul, a, by)
    }

    /// The byte offset of the descriptor of an element.
    fn descriptor_offset(&mut self, place: &HeapOffset, element: Id<Def>) -> Result<Id<Def>> {
        let mut offset = self.scale(element, place.array_stride_bytes)?;
        if let Some(index) = place.index {
            let dword = match index.location {
                IndexLocation::Push { offset_bytes } => self.push_dword(offset_bytes)?,
                IndexLocation::Memory {
                    push_offset_bytes,
                    address_offset_bytes,
                    is_array,
                } => {
                    let memory = self.push_address(push_offset_bytes)?;
                    let element = is_array.then_some(element);
                    self.load_words(memory, address_offset_bytes, element, 1)?
                }
            };
            let mut value = dword;
            if index.first_bit != 0 {
                let bits = self.emit.imm32(index.first_bit.into());
                value = self.emit.op2(AluOp::UShr, value, bits)?;
            }
            if u32::from(index.first_bit) + u32::from(index.bits) < u32::BITS {
                let mask = self.emit.imm32((1 << index.bits) - 1);
                value = self.emit.op2(AluOp::IAnd, value, mask)?;
            }
            let value = self.scale(value, index.stride_bytes)?;
            offset = self.emit.op2(AluOp::IAdd, offset, value)?;
        }
        self.add32(offset, place.offset_bytes)
    }

    /// The deref of a mapped resource. `sampler`: of a combined image sampler, its sampler.
    pub fn resource_deref(
        &mut self,
        resource: &MappedResource,
        p: &Pointer,
        sampler: bool,
    ) -> Result<ResourceDeref> {
        let steps = resource.arrays.len();
        let mut index: Option<Id<Def>> = None;
        for (at, &len) in resource.arrays.iter().enumerate() {
            let Some(&AccessStep::Array(step)) = p.steps.get(at) else {
                return self.loc().expected("a resource", "an array of resources");
            };
            index = Some(match index {
                None => step,
                Some(outer) => {
                    let outer = self.scale(outer, len)?;
                    self.emit.op2(AluOp::IAdd, outer, step)?
                }
            });
        }
        let (mut ty, mut mode) = (resource.ty, p.mode);
        let def = match &resource.location {
            ResourceLocation::Heap {
                descriptor,
                sampler: sampler_location,
                first_element,
            } => {
                let element = match index {
                    Some(index) => self.add32(index, *first_element)?,
                    None => self.emit.imm32(*first_element),
                };
                let (heap, offset) = match sampler_location {
                    Some(SamplerLocation::Embedded(var)) if sampler => {
                        let def = self.emit.deref_var(*var, p.access)?;
                        ty = self.emit.var_type(*var).1;
                        return Ok(ResourceDeref {
                            def,
                            ty,
                            mode,
                            steps,
                        });
                    }
                    Some(SamplerLocation::Heap(heap, offset)) if sampler => (*heap, *offset),
                    _ => *descriptor,
                };
                let offset = self.descriptor_offset(&offset, element)?;
                self.deref_heap(heap, offset, (mode, ty), p.access)?
            }
            ResourceLocation::Embedded(var) => self.emit.deref_var(*var, p.access)?,
            ResourceLocation::Push(var) => {
                mode = VariableMode::PushConst;
                let block = self.emit.deref_var(*var, p.access)?;
                self.emit.deref_struct(block, 0, mode, ty, p.access)?
            }
            ResourceLocation::Address(address, alignment) => {
                mode = VariableMode::Global;
                self.emit
                    .deref_cast(*address, 0, *alignment, mode, ty, p.access)?
            }
        };
        Ok(ResourceDeref {
            def,
            ty,
            mode,
            steps,
        })
    }

    fn deref_heap(
        &mut self,
        heap: Id<Variable>,
        offset: Id<Def>,
        (mode, ty): (VariableMode, Id<Type>),
        access: Access,
    ) -> Result<Id<Def>> {
        let whole = self.emit.deref_var(heap, access)?;
        self.emit.deref_array(whole, offset, mode, ty, access)
    }

    /// The deref of what is at an offset of a heap, and its type: a resource, or the contents of
    /// the buffer there. `ty` is its SPIR-V type.
    pub fn heap_deref(
        &mut self,
        (set, offset): (u32, Id<Def>),
        ty: u32,
        p: &Pointer,
    ) -> Result<(Id<Def>, Id<Type>)> {
        let ty = match ty {
            UNTYPED => self.emit.shader.types.intern(Type::Int(32)),
            ty => self.nir_type(ty, self.has_layout(p.class))?,
        };
        let heap = self.heap_array(set, p.mode, ty);
        let def = self.deref_heap(heap, offset, (p.mode, ty), p.access)?;
        Ok((def, ty))
    }
}

impl Translator<'_> {
    /// The operand of a decoration that is a constant id.
    fn id_decoration(
        &mut self,
        ty: u32,
        member: Option<u32>,
        kind: Decoration,
    ) -> Result<Option<u32>> {
        let decorations = self.module.decorations(ty).iter();
        let found = decorations
            .filter(|d| d.member == member && d.kind == kind)
            .find_map(|d| d.args.first().copied());
        found.map(|id| self.const_u32(id)).transpose()
    }

    /// The pointer into a heap `p`, extended by the indices of an access chain.
    pub fn heap_access_chain(
        &mut self,
        inst: &Inst,
        p: &Pointer,
        indices: &[u32],
    ) -> Result<Pointer> {
        let mut p = p.clone();
        let PointerBase::Heap {
            set, mut offset, ..
        } = p.base
        else {
            return inst.loc.expected("a pointer into a heap", "another");
        };
        for &index in indices {
            let ty = self.ty(p.to)?;
            match &*ty {
                Ty::Struct { id, members } => {
                    let i = self.const_u32(index)?;
                    let Some(&member) = members.get(i as usize) else {
                        return inst.loc.expected("a member", i.to_string());
                    };
                    let by_id = self.id_decoration(*id, Some(i), Decoration::OffsetIdEXT)?;
                    let layout = self.member_layout(*id, i);
                    p.access = p.access.union(layout.access);
                    offset = self.add32(offset, by_id.unwrap_or(layout.offset_bytes))?;
                    p.to = member;
                }
                Ty::Array {
                    elem, stride_bytes, ..
                } => {
                    let by_id = self.id_decoration(p.to, None, Decoration::ArrayStrideIdEXT)?;
                    let stride = match by_id {
                        None if *stride_bytes == 0 => {
                            return inst.loc.expected("an array with a stride", "none");
                        }
                        stride => stride.unwrap_or(*stride_bytes),
                    };
                    let d = self.def(index)?;
                    let d = self.emit.index32(d)?;
                    let bytes = self.scale(d, stride)?;
                    offset = self.emit.op2(AluOp::IAdd, offset, bytes)?;
                    p.access.non_uniform |=
                        self.module.has_decoration(index, Decoration::NonUniform);
                    p.to = *elem;
                }
                _ => {
                    return inst
                        .loc
                        .expected("a pointer to an array or struct", "another");
                }
            }
        }
        p.access.non_uniform |= self.module.has_decoration(inst.id, Decoration::NonUniform);
        let ty = p.to;
        p.base = PointerBase::Heap { set, offset, ty };
        Ok(p)
    }

    /// The pointer into a heap `p`, moved by `index` elements of `stride_bytes`.
    pub fn heap_element(
        &mut self,
        p: &Pointer,
        index: Id<Def>,
        stride_bytes: u32,
    ) -> Result<Pointer> {
        let mut p = p.clone();
        if let PointerBase::Heap { offset, .. } = &mut p.base {
            let bytes = self.scale(index, stride_bytes)?;
            *offset = self.emit.op2(AluOp::IAdd, *offset, bytes)?;
        }
        Ok(p)
    }

    /// `OpBufferPointerEXT`: the pointer to the contents of a buffer whose descriptor is in the
    /// heap.
    pub fn buffer_pointer(&mut self, inst: &Inst) -> Result<Value> {
        let p = self.pointer(inst.arg(0)?)?;
        let (class, to) = match &*self.ty(inst.ty)? {
            Ty::Pointer {
                class: class @ (StorageClass::Uniform | StorageClass::StorageBuffer),
                to,
                ..
            } => (*class, *to),
            _ => return inst.loc.expected("a pointer to a buffer", "another type"),
        };
        let PointerBase::Heap { set, offset, .. } = p.base else {
            return inst.loc.expected("a pointer into a heap", "another");
        };
        let mut access = p.access;
        for decoration in self.module.decorations_of_id(inst.id) {
            add_access(&mut access, decoration.kind);
        }
        access.non_uniform |= self.module.has_decoration(inst.id, Decoration::NonUniform);
        let mode = self.variable_mode(class, to)?;
        access.non_writable |= mode == VariableMode::Ubo;
        Ok(Value::Pointer(Rc::new(Pointer {
            base: PointerBase::Heap {
                set,
                offset,
                ty: to,
            },
            steps: SmallVec::new(),
            class,
            mode,
            to,
            access,
            align_bytes: 0,
        })))
    }

    /// `OpConstantSizeOfEXT`: the size of a descriptor.
    pub fn descriptor_size(&mut self, inst: &Inst) -> Result<Value> {
        let is_descriptor = match &*self.ty(inst.arg(0)?)? {
            Ty::Image(_) | Ty::Sampler => true,
            Ty::Opaque(name) => *name == "TypeBufferEXT",
            _ => false,
        };
        if !is_descriptor {
            let ty = inst.arg(0)?;
            return inst
                .loc
                .expected("the type of a descriptor", format!("%{ty}"));
        }
        let (_, bits) = self.shape_of(inst.ty)?;
        let bytes = IndirectDescriptor::BYTES;
        Ok(Value::Def(self.emit.constant(bits, &[bytes.into()])))
    }
}
