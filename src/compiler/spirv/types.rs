//! SPIR-V's types, and decorations of struct members.
//!
//! In:  nothing. Out: plain data, which `type_table` fills in.

use nir::{BaseType, Dim};
use spirv::{Decoration, StorageClass};
use std::rc::Rc;

/// A SPIR-V type. Types are referred to by id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Void,
    Bool,
    Int {
        bits: u8,
        signed: bool,
    },
    Float {
        bits: u8,
    },
    Vector {
        elem: u32,
        len: u8,
    },
    Matrix {
        column: u32,
        columns: u8,
    },
    Array {
        elem: u32,
        len: Option<u32>,
        stride_bytes: u32,
    },
    Struct {
        id: u32,
        members: Vec<u32>,
    },
    Pointer {
        class: StorageClass,
        /// The type pointed to, or [`UNTYPED`].
        to: u32,
        stride_bytes: u32,
    },
    Function,
    Image(ImageTy),
    Sampler,
    /// The image's type.
    SampledImage(u32),
    /// Unsupported opaque types (acceleration structures, events, ...), by the name of their
    /// instruction.
    Opaque(&'static str),
}

/// The type that an untyped pointer points to: each use says which it is.
pub(crate) const UNTYPED: u32 = 0;

/// An image type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ImageTy {
    pub dim: Dim,
    pub array: bool,
    pub multisampled: bool,
    pub base: BaseType,
    pub bits: u8,
    /// A storage image, accessed without a sampler.
    pub storage: bool,
    /// SPIR-V's number.
    pub format: u32,
}

/// A type with its nesting depth and size.
#[derive(Clone, Debug)]
pub(crate) struct TyEntry {
    pub ty: Rc<Ty>,
    pub depth: u32,
    /// Number of scalars and vectors in a value, saturating.
    pub leaves: u64,
}

/// Layout of a matrix, given by decorations of the struct member that contains it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MatrixLayout {
    pub stride_bytes: u32,
    pub row_major: bool,
}

/// Layout and access of a struct member.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemberLayout {
    pub offset_bytes: u32,
    pub matrix: MatrixLayout,
    pub access: nir::Access,
}

/// Adds the access qualifier of a decoration, if it is one.
pub(crate) fn add_access(access: &mut nir::Access, kind: Decoration) {
    match kind {
        Decoration::Coherent => access.coherent = true,
        Decoration::Restrict | Decoration::RestrictPointer => access.restrict = true,
        Decoration::Aliased | Decoration::AliasedPointer => access.aliased = true,
        Decoration::Volatile => access.volatile = true,
        Decoration::NonWritable => access.non_writable = true,
        Decoration::NonReadable => access.non_readable = true,
        Decoration::NonUniform => access.non_uniform = true,
        _ => {}
    }
}
