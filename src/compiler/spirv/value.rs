//! Values of ids during translation.

use abi::HeapOffset;
use entity::Id;
use nir::{Access, Def, Type, Variable, VariableMode};
use smallvec::SmallVec;
use spirv::{BuiltIn, StorageClass};
use std::rc::Rc;

/// The state of an id.
#[derive(Clone, Debug)]
pub(crate) enum IdState {
    /// Not defined yet.
    Empty,
    /// A global constant or variable that is translated at its first use; index of its instruction.
    Lazy(u32),
    Value(Value),
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Scalar or vector.
    Def(Id<Def>),
    /// Columns, elements or members.
    Composite(Rc<[Value]>),
    /// An undefined array or struct, by its type. Its parts are not materialized, because it may be
    /// larger than any value in use.
    Undef(u32),
    Pointer(Rc<Pointer>),
    /// An image, a sampler, or both.
    Opaque(Opaque),
    /// A pointer to a texel, for atomics.
    Texel(Rc<TexelPointer>),
}

impl Value {
    /// True if both are scalars or vectors, both composites, both pointers, and so on.
    pub fn is_of_kind(&self, other: &Value) -> bool {
        use std::mem::discriminant;
        let composite = |v: &Value| matches!(v, Value::Composite(_) | Value::Undef(_));
        discriminant(self) == discriminant(other) || composite(self) && composite(other)
    }
}

/// An image or sampler: the pointers through which they were loaded; `None` if undefined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opaque {
    pub image: Option<Rc<Pointer>>,
    pub sampler: Option<Rc<Pointer>>,
}

/// A texel of a storage image.
#[derive(Clone, Debug)]
pub(crate) struct TexelPointer {
    pub image: Rc<Pointer>,
    pub coord: Id<Def>,
    pub sample: Id<Def>,
}

/// A pointer: a base and the steps of access chains. Derefs are emitted at each use.
#[derive(Clone, Debug)]
pub(crate) struct Pointer {
    pub base: PointerBase,
    pub steps: SmallVec<[AccessStep; 4]>,
    pub class: StorageClass,
    pub mode: VariableMode,
    /// SPIR-V type pointed to.
    pub to: u32,
    /// Access qualifiers accumulated along the chain.
    pub access: Access,
    /// Alignment of a pointer to physical storage that is loaded from or stored to; 0 if unknown.
    pub align_bytes: u32,
}

impl Pointer {
    /// Makes a pointer into a heap, without steps, one to another type.
    pub fn retype_heap(&mut self, to: u32) {
        self.to = to;
        if let PointerBase::Heap { ty, .. } = &mut self.base {
            *ty = to;
        }
    }
}

/// The start of a pointer.
#[derive(Clone, Debug)]
pub(crate) enum PointerBase {
    Var(Id<Variable>),
    /// A pointer value: the result of a select, phi, load or address computation.
    Value {
        def: Id<Def>,
        /// NIR type pointed to.
        ty: Id<Type>,
        stride_bytes: u32,
    },
    /// A system value.
    BuiltIn(BuiltIn),
    /// A resource of a shader for descriptor heaps.
    Mapped(Rc<MappedResource>),
    /// What is at an offset of a heap, in bytes; the heap is given by the number of its set, and
    /// what is there by its SPIR-V type.
    Heap {
        set: u32,
        offset: Id<Def>,
        ty: u32,
    },
    /// A block of inputs or outputs: the variables of its members, which are arrays if the block is
    /// an array.
    Block {
        vars: Rc<[Id<Variable>]>,
        /// Number of array steps before the step that selects a member.
        arrays: u8,
    },
}

/// A resource that is mapped to a heap, to push data or to an address.
#[derive(Clone, Debug)]
pub(crate) struct MappedResource {
    pub location: ResourceLocation,
    /// The arrays around the resource: their lengths, from the outermost on.
    pub arrays: SmallVec<[u32; 2]>,
    /// NIR type of the resource.
    pub ty: Id<Type>,
}

/// Where a resource is.
#[derive(Clone, Debug)]
pub(crate) enum ResourceLocation {
    /// A descriptor.
    Heap {
        /// The heap, and the descriptor's offset in it.
        descriptor: (Id<Variable>, HeapOffset),
        /// A combined image sampler's sampler.
        sampler: Option<SamplerLocation>,
        /// The binding minus the first one of the mapping.
        first_element: u32,
    },
    /// An embedded sampler.
    Embedded(Id<Variable>),
    /// A variable: a struct with the buffer as its only member.
    Push(Id<Variable>),
    /// A 64-bit address.
    Address(Id<Def>, u32),
}

/// Where the sampler of a combined image sampler is.
#[derive(Clone, Debug)]
pub(crate) enum SamplerLocation {
    Heap(Id<Variable>, HeapOffset),
    Embedded(Id<Variable>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum AccessStep {
    Array(Id<Def>),
    Struct(u32),
    /// The element operand of `OpPtrAccessChain` and the stride in bytes.
    Ptr(Id<Def>, u32),
}

/// Bits of a pointer's value: 64 for an address, 32 for an opaque deref.
pub(crate) fn pointer_bits(class: StorageClass) -> u8 {
    match class {
        StorageClass::PhysicalStorageBuffer => 64,
        _ => 32,
    }
}
