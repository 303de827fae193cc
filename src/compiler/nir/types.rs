//! Data types of variables and derefs, interned: equal types have equal ids.

use crate::op::BaseType;
use crate::tex::Dim;
use entity::{Arena, Id};
use rustc_hash::FxHashMap;

/// Storage of a variable or deref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableMode {
    /// Function-local, each invocation its own.
    FunctionTemp,
    /// Module-scope Private, each invocation its own.
    ShaderTemp,
    /// Constant data: the variable's initial value, the same for every invocation.
    Constant,
    /// Shared by a workgroup.
    Shared,
    /// Uniform buffer.
    Ubo,
    /// Storage buffer.
    Ssbo,
    /// Push constants.
    PushConst,
    /// Physical storage buffer (a 64-bit address).
    Global,
    /// Stage input.
    ShaderIn,
    /// Stage output.
    ShaderOut,
    /// Images, samplers, texel buffers.
    Uniform,
}

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
        /// Name, for debugging.
        name: String,
        /// The members.
        members: Vec<StructMember>,
    },
    /// A texture (read by `tex`) or a storage image or texel buffer (read and written by image
    /// intrinsics).
    Image {
        /// Dimension.
        dim: Dim,
        /// The image has array layers.
        array: bool,
        /// The image is multisampled.
        multisampled: bool,
        /// Type of a texel's components.
        base: BaseType,
        /// Bits of a component in the shader: 32, or 64 for 64-bit images.
        bits: u8,
        /// True for a storage image or storage texel buffer, false for a texture.
        storage: bool,
        /// Format of a storage image that the shader declares: SPIR-V's number, 0 for none.
        format: u32,
    },
    /// A sampler.
    Sampler,
    /// A texture and a sampler in one descriptor.
    SampledImage(Id<Type>),
    /// A pointer value in a variable (variable pointers).
    Pointer {
        /// Storage pointed to.
        mode: VariableMode,
        /// Type pointed to.
        to: Id<Type>,
    },
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructMember {
    /// Name, for debugging.
    pub name: String,
    /// Type, a matrix's layout included.
    pub ty: Id<Type>,
    /// `Offset`: bytes from the start of the struct.
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

    /// The scalar or vector type with `components` of `elem`.
    pub fn vector(&mut self, elem: Id<Type>, components: u8) -> Id<Type> {
        if components == 1 {
            elem
        } else {
            self.intern(Type::Vector {
                elem,
                len: components,
            })
        }
    }

    /// (components, bits) of a value of a scalar or vector type; a pointer is opaque, 1 × 32.
    /// `None` for other types.
    pub fn value_shape(&self, ty: Id<Type>) -> Option<(u8, u8)> {
        match self.get(ty)? {
            Type::Bool => Some((1, 1)),
            Type::Int(b) | Type::Float(b) => Some((1, *b)),
            Type::Vector { elem, len } => match self.get(*elem)? {
                Type::Bool => Some((*len, 1)),
                Type::Int(b) | Type::Float(b) => Some((*len, *b)),
                _ => None,
            },
            Type::Pointer { .. } => Some((1, 32)),
            _ => None,
        }
    }

    /// True if the type is or contains a 64-bit scalar.
    pub fn contains_64_bit(&self, ty: Id<Type>) -> bool {
        match self.get(ty) {
            Some(Type::Int(64) | Type::Float(64)) => true,
            Some(Type::Vector { elem, .. } | Type::Array { elem, .. }) => {
                self.contains_64_bit(*elem)
            }
            Some(Type::Matrix { column, .. }) => self.contains_64_bit(*column),
            Some(Type::Struct { members, .. }) => {
                members.iter().any(|m| self.contains_64_bit(m.ty))
            }
            _ => false,
        }
    }

    /// Number of I/O slots (four 32-bit components each) that a variable of the type occupies. A
    /// runtime array counts as one element.
    pub fn count_slots(&self, ty: Id<Type>) -> u32 {
        match self.get(ty) {
            Some(Type::Vector { elem, len }) => match self.get(*elem) {
                Some(Type::Int(64) | Type::Float(64)) => u32::from(*len).div_ceil(2),
                _ => u32::from(*len).div_ceil(4),
            },
            Some(Type::Matrix {
                column, columns, ..
            }) => self.count_slots(*column).saturating_mul((*columns).into()),
            Some(Type::Array { elem, len, .. }) => {
                self.count_slots(*elem).saturating_mul(len.unwrap_or(1))
            }
            Some(Type::Struct { members, .. }) => members
                .iter()
                .fold(0, |n, m| n.saturating_add(self.count_slots(m.ty))),
            _ => 1,
        }
    }
}

impl std::ops::Index<Id<Type>> for Types {
    type Output = Type;
    fn index(&self, id: Id<Type>) -> &Type {
        &self.arena[id]
    }
}
