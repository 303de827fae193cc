//! Data types of variables and derefs, interned: equal types have equal ids.

use crate::op::Base;
use crate::tex::Dim;
use entity::{Arena, Id};
use rustc_hash::FxHashMap;

/// A data type. Strides and offsets are bytes; 0 where the type has no explicit layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `OpTypeBool`.
    Bool,
    /// Integer of 8, 16, 32 or 64 bits. Signedness is a property of operations, not of types.
    Int(u8),
    /// Float of 16, 32 or 64 bits.
    Float(u8),
    /// 2..=4 (in kernels up to 16) scalars.
    Vector {
        /// Scalar type.
        elem: Id<Type>,
        /// Number of components.
        len: u8,
    },
    /// Columns that are vectors.
    Matrix {
        /// Type of one column.
        column: Id<Type>,
        /// Number of columns.
        columns: u8,
        /// `MatrixStride`: bytes between columns, or between rows if `row_major`.
        stride_bytes: u32,
        /// `RowMajor`.
        row_major: bool,
    },
    /// An array; `len` is `None` for a runtime array.
    Array {
        /// Type of one element.
        elem: Id<Type>,
        /// Number of elements.
        len: Option<u32>,
        /// `ArrayStride`.
        stride_bytes: u32,
    },
    /// A struct.
    Struct {
        /// Name, for people.
        name: String,
        /// The members.
        members: Vec<Member>,
    },
    /// A texture (read by `tex`) or a storage image or texel buffer (read and written by image intrinsics).
    Image {
        /// Dimension.
        dim: Dim,
        /// It has layers.
        array: bool,
        /// Its texels have samples.
        multisampled: bool,
        /// How a texel's components are to be read.
        base: Base,
        /// Bits of a component as the shader sees it: 32, 64 for 64-bit images.
        bits: u8,
        /// A storage image, not a texture.
        storage: bool,
        /// Format that the shader declares, of storage images: SPIR-V's number, 0 for none.
        format: u32,
    },
    /// A sampler.
    Sampler,
    /// A texture and a sampler in one descriptor.
    SampledImage(Id<Type>),
    /// A pointer that is stored in a variable (variable pointers).
    Pointer {
        /// Storage pointed to.
        mode: crate::ir::Mode,
        /// Type pointed to.
        to: Id<Type>,
    },
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Name, for people.
    pub name: String,
    /// Type, a matrix's layout included.
    pub ty: Id<Type>,
    /// `Offset`.
    pub offset_bytes: u32,
}

/// The interner.
#[derive(Clone, Debug, Default)]
pub struct Types {
    arena: Arena<Type>,
    ids: FxHashMap<Type, Id<Type>>,
}

impl Types {
    /// The id of `ty`, the same for equal types.
    pub fn intern(&mut self, ty: Type) -> Id<Type> {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.arena.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// The type, or `None` for an id of another interner.
    pub fn get(&self, id: Id<Type>) -> Option<&Type> {
        self.arena.get(id)
    }

    /// All types in order of interning.
    pub fn iter(&self) -> impl Iterator<Item = (Id<Type>, &Type)> {
        self.arena.iter()
    }
}

impl std::ops::Index<Id<Type>> for Types {
    type Output = Type;
    fn index(&self, id: Id<Type>) -> &Type {
        &self.arena[id]
    }
}
