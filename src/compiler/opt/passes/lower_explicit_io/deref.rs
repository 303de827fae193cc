//! Addresses of derefs.

use super::address::{Addr, Lowering};
use super::modes::is_compiler_laid_out;
use entity::Id;
use nir::*;

impl Lowering<'_> {
    /// The address of a deref. `None` if its parent is not lowered.
    pub(super) fn lower_deref(&mut self, block: Id<Block>, d: &Deref) -> Option<Addr> {
        match d.kind {
            DerefKind::Var(v) => Some(self.variable_address(block, d, v)),
            DerefKind::Struct { parent, member } => self.lower_struct_deref(d, parent, member),
            DerefKind::Array { parent, index } => self.lower_array_deref(block, d, parent, index),
            DerefKind::PtrAsArray {
                parent,
                index,
                stride_bytes,
            } => {
                let a = self.pointer_address(parent, d.mode)?;
                let stride = if stride_bytes == 0 {
                    let (size, align) = self.natural_sizes[d.ty];
                    size.next_multiple_of(align)
                } else {
                    stride_bytes
                };
                Some(self.add_index(block, a, index, stride))
            }
            DerefKind::Cast {
                parent,
                align_bytes,
                ..
            } => {
                let mut a = self.pointer_address(parent, d.mode)?;
                // Outside of physical storage, everything is aligned to its scalars.
                let align_bytes = match d.mode {
                    VariableMode::Global => align_bytes,
                    _ => align_bytes.max(self.natural_sizes[d.ty].1),
                };
                if align_bytes.is_power_of_two() && align_bytes > a.align_mul {
                    (a.align_mul, a.align_offset) = (align_bytes, 0);
                }
                Some(a)
            }
        }
    }

    /// The address of a struct member.
    fn lower_struct_deref(&mut self, d: &Deref, parent: Id<Def>, member: u32) -> Option<Addr> {
        let a = self.pointer_address(parent, d.mode)?;
        let of = self.s.deref_of(parent)?.ty;
        let Type::Struct { members, .. } = self.s.types.get(of)? else {
            return None;
        };
        let offset = if is_compiler_laid_out(self.s, d.mode) {
            let mut at = 0u32;
            for m in members.iter().take(member as usize) {
                let (size, align) = self.natural_sizes[m.ty];
                let end = at.next_multiple_of(align).saturating_add(size);
                at = end.min(MAX_NATURAL_BYTES);
            }
            at.next_multiple_of(self.natural_sizes[d.ty].1)
        } else {
            members.get(member as usize)?.offset_bytes
        };
        Some(self.add_constant(a, offset))
    }

    /// The address of an array element, matrix column or vector component, or the descriptor of an
    /// array of resources.
    fn lower_array_deref(
        &mut self,
        block: Id<Block>,
        d: &Deref,
        parent: Id<Def>,
        index: Id<Def>,
    ) -> Option<Addr> {
        let a = self.pointer_address(parent, d.mode)?;
        let of = self.s.deref_of(parent)?.ty;
        if let Some((var, element)) = a.resource {
            return Some(self.resource_element(block, d, a, var, element, of, index));
        }
        let mut out = a;
        let natural_stride = |l: &Self, ty| {
            let (size, align) = l.natural_sizes[ty];
            size.next_multiple_of(align)
        };
        let packed = is_compiler_laid_out(self.s, d.mode);
        let stride = match *self.s.types.get(of)? {
            Type::Array {
                elem, stride_bytes, ..
            } => {
                if packed || stride_bytes == 0 {
                    natural_stride(self, elem)
                } else {
                    stride_bytes
                }
            }
            Type::Vector { elem, .. } => {
                let stride = out.component_stride.take();
                stride.unwrap_or(self.natural_sizes[elem].0)
            }
            Type::Matrix {
                column,
                stride_bytes,
                row_major,
                ..
            } => {
                let elem = match *self.s.types.get(column)? {
                    Type::Vector { elem, .. } => elem,
                    _ => return None,
                };
                if packed || stride_bytes == 0 {
                    natural_stride(self, column)
                } else if row_major {
                    out.component_stride = Some(stride_bytes);
                    self.natural_sizes[elem].0
                } else {
                    stride_bytes
                }
            }
            _ => return None,
        };
        Some(self.add_index(block, out, index, stride))
    }

    /// The address of a variable.
    fn variable_address(&mut self, block: Id<Block>, d: &Deref, v: Id<Variable>) -> Addr {
        let var = &self.s.vars[v];
        let mut a = Addr {
            mode: d.mode,
            base: None,
            offset: None,
            constant: 0,
            align_mul: 1 << 20,
            align_offset: 0,
            component_stride: None,
            resource: None,
        };
        match d.mode {
            VariableMode::Ubo | VariableMode::Ssbo => {
                // minUniformBufferOffsetAlignment and minStorageBufferOffsetAlignment are at least
                // this.
                a.align_mul = 64;
                if matches!(self.s.types.get(var.ty), Some(Type::Array { .. })) {
                    a.resource = Some((v, None));
                } else {
                    a.base = Some(self.emit_handle(block, v, None));
                }
            }
            VariableMode::Constant
            | VariableMode::Shared
            | VariableMode::FunctionTemp
            | VariableMode::ShaderTemp => {
                let at = var.offset_bytes.unwrap_or(0);
                a = self.add_constant(a, at);
            }
            _ => {}
        }
        a
    }

    /// The handle of a buffer variable, or of one of its elements (0 by default).
    fn emit_handle(
        &mut self,
        block: Id<Block>,
        v: Id<Variable>,
        element: Option<Id<Def>>,
    ) -> Id<Def> {
        let (set, binding) = (self.s.vars[v].set, self.s.vars[v].binding);
        let mut b = Builder::at_end_of_block(self.s, block);
        let element = element.unwrap_or_else(|| b.imm_u32(0));
        b.load(
            IntrinsicOp::VulkanResourceIndex,
            1,
            32,
            &[element],
            &[set, binding],
        )
    }

    /// Adds an index to a pointer to an array of resources.
    fn resource_element(
        &mut self,
        block: Id<Block>,
        d: &Deref,
        mut a: Addr,
        var: Id<Variable>,
        element: Option<Id<Def>>,
        of: Id<Type>,
        index: Id<Def>,
    ) -> Addr {
        let len = match self.s.types.get(of) {
            Some(Type::Array { len, .. }) => len.unwrap_or(0),
            _ => 0,
        };
        let element = {
            let mut b = Builder::at_end_of_block(self.s, block);
            let index = if b.bits(index) == 64 {
                b.u2u(index, 32)
            } else {
                index
            };
            match element {
                None => index,
                Some(outer) => {
                    let scaled = b.imul_imm(outer, i64::from(len));
                    b.iadd(scaled, index)
                }
            }
        };
        if matches!(self.s.types.get(d.ty), Some(Type::Array { .. })) {
            a.resource = Some((var, Some(element)));
        } else {
            a.resource = None;
            a.base = Some(self.emit_handle(block, var, Some(element)));
        }
        a
    }
}
