//! What an id stands for during translation.

use entity::Id;
use nir::{Access, Def, Mode, Type, Variable};
use smallvec::SmallVec;
use spirv::{BuiltIn, StorageClass};
use std::rc::Rc;

/// The state of an id.
#[derive(Clone, Debug)]
pub(crate) enum IdState {
    /// Not defined yet.
    Empty,
    /// A global constant or variable, made when first used; index of its instruction.
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
    Pointer(Rc<Pointer>),
    /// An image, a sampler, or both.
    Opaque(Opaque),
    /// A pointer to a texel, for atomics.
    Texel(Rc<TexelPointer>),
}

/// An image or sampler: the pointers through which they were loaded; none where they are undefined.
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

/// A pointer: where it starts, and the way from there. Derefs are written where it is used.
#[derive(Clone, Debug)]
pub(crate) struct Pointer {
    pub base: PointerBase,
    pub steps: SmallVec<[AccessStep; 4]>,
    pub class: StorageClass,
    pub mode: Mode,
    /// SPIR-V type pointed to.
    pub to: u32,
    /// Access gathered along the way.
    pub access: Access,
    /// Of a pointer to physical storage that is read or written: its alignment, if that is known. 0: it is not.
    pub align_bytes: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum PointerBase {
    Var(Id<Variable>),
    /// A pointer that was computed: chosen, stored and loaded.
    Value {
        def: Id<Def>,
        /// NIR type pointed to.
        ty: Id<Type>,
        stride_bytes: u32,
    },
    /// A read-only input that is not memory.
    BuiltIn(BuiltIn),
    /// A block of inputs or outputs: variables of its members, each an array if the block is.
    Block {
        vars: Rc<[Id<Variable>]>,
        /// Steps into arrays before the one that names a member.
        arrays: u8,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum AccessStep {
    Array(Id<Def>),
    Struct(u32),
    /// `OpPtrAccessChain`'s element.
    Ptr(Id<Def>, u32),
}

/// Bits of a pointer of this class as a value: an address, or the number of a deref.
pub(crate) fn pointer_bits(class: StorageClass) -> u8 {
    match class {
        StorageClass::PhysicalStorageBuffer => 64,
        _ => 32,
    }
}
