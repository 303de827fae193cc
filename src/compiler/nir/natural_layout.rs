//! Natural layout of variables without explicit layout, and the constant data of a shader.
//!
//! In:  types and variables. Out: sizes and alignments; the bytes of constant data.

use crate::ir::{ConstValue, Shader};
use crate::types::{Type, Types, VariableMode};
use entity::{Id, IdMap};

/// The size of all types that are larger than any memory for variables. It is a multiple of every
/// alignment.
pub const MAX_NATURAL_BYTES: u32 = 1 << 31;

impl Types {
    /// (bytes, alignment) of each type in natural layout, indexed by type. Sizes are at most
    /// [`MAX_NATURAL_BYTES`].
    pub fn natural_sizes(&self) -> IdMap<Type, (u32, u32)> {
        let mut out: IdMap<Type, (u32, u32)> = IdMap::with_default((0, 1));
        for (id, ty) in self.iter() {
            out[id] = match ty {
                Type::Bool => (4, 4),
                Type::Int(b) | Type::Float(b) => (u32::from(*b) / 8, u32::from(*b) / 8),
                Type::Vector { elem, len } => (out[*elem].0 * u32::from(*len), out[*elem].1),
                Type::Pointer { .. } => (8, 8),
                Type::Image { .. } | Type::Sampler | Type::SampledImage(_) => (0, 1),
                Type::Matrix {
                    column, columns, ..
                } => {
                    let (size, align) = out[*column];
                    (size * u32::from(*columns), align)
                }
                Type::Array { elem, len, .. } => {
                    let (size, align) = out[*elem];
                    (
                        size.next_multiple_of(align)
                            .saturating_mul(len.unwrap_or(0))
                            .min(MAX_NATURAL_BYTES),
                        align,
                    )
                }
                Type::Struct { members, .. } => {
                    let (mut end, mut align) = (0u32, 1);
                    for m in members {
                        let (size, a) = out[m.ty];
                        end = end
                            .next_multiple_of(a)
                            .saturating_add(size)
                            .min(MAX_NATURAL_BYTES);
                        align = align.max(a);
                    }
                    (end.next_multiple_of(align), align)
                }
            };
        }
        out
    }

    /// The elements, columns or members of a type: (type, byte offset in natural layout).
    fn natural_members(
        &self,
        ty: Id<Type>,
        sizes: &IdMap<Type, (u32, u32)>,
    ) -> Vec<(Id<Type>, u32)> {
        let repeat = |part: Id<Type>, n: u32| {
            let (size, align) = sizes[part];
            let stride = size.next_multiple_of(align);
            (0..n).map(|k| (part, k * stride)).collect()
        };
        match &self[ty] {
            Type::Array { elem, len, .. } => repeat(*elem, len.unwrap_or(0)),
            Type::Matrix {
                column, columns, ..
            } => repeat(*column, (*columns).into()),
            Type::Struct { members, .. } => {
                let mut end = 0u32;
                let member = members.iter().map(|m| {
                    let (size, align) = sizes[m.ty];
                    let at = end.next_multiple_of(align);
                    end = at + size;
                    (m.ty, at)
                });
                member.collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Shader {
    /// The bytes that `load_constant` reads: the initial values of constant variables that have
    /// offsets. A boolean is a dword, 0 or 1.
    pub fn constant_data(&self) -> Vec<u8> {
        let laid_out = |(_, v): &(_, &crate::ir::Variable)| {
            v.mode == VariableMode::Constant && v.offset_bytes.is_some()
        };
        if !self.vars.iter().any(|v| laid_out(&v)) {
            return Vec::new();
        }
        let sizes = self.types.natural_sizes();
        let mut bytes = Vec::new();
        for (_, v) in self.vars.iter().filter(laid_out) {
            let (Some(at), Some(init)) = (v.offset_bytes, &v.init) else {
                continue;
            };
            let end = (at + sizes[v.ty].0).next_multiple_of(4) as usize;
            bytes.resize(bytes.len().max(end), 0);
            let mut work = vec![(at, v.ty, init)];
            while let Some((at, ty, init)) = work.pop() {
                match init {
                    ConstValue::Vector(values) => {
                        let (_, bits) = self.types.value_shape(ty).unwrap_or((1, 32));
                        let n = usize::from(if bits == 1 { 32 } else { bits }) / 8;
                        for (value, to) in values.iter().zip(bytes[at as usize..].chunks_mut(n)) {
                            to.copy_from_slice(&value.to_le_bytes()[..n]);
                        }
                    }
                    ConstValue::Composite(parts) => {
                        let members_of_type = self.types.natural_members(ty, &sizes);
                        work.extend(
                            members_of_type
                                .into_iter()
                                .zip(parts)
                                .map(|((ty, offset), part)| (at + offset, ty, part)),
                        );
                    }
                }
            }
        }
        bytes
    }
}
