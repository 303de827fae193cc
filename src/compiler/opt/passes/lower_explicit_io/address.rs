//! Lowered pointers, and the arithmetic on them.

use entity::{Id, IdMap};
use nir::*;

/// A lowered pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addr {
    pub(super) mode: VariableMode,
    /// The buffer's handle, or a 64-bit base address.
    pub(super) base: Option<Id<Def>>,
    /// The dynamic part of the offset in bytes.
    pub(super) offset: Option<Id<Def>>,
    /// The constant part of the offset in bytes.
    pub(super) constant: u32,
    /// The whole offset is `align_offset` modulo `align_mul`.
    pub(super) align_mul: u32,
    pub(super) align_offset: u32,
    /// The stride in bytes between the components of the vector pointed to, if they are not
    /// contiguous (a column of a row-major matrix).
    pub(super) component_stride: Option<u32>,
    /// For a pointer to an array of resources: its variable, and the flattened index of the
    /// elements selected so far.
    pub(super) resource: Option<(Id<Variable>, Option<Id<Def>>)>,
}

impl Addr {
    /// A pointer of unknown alignment; a later cast may give it one.
    pub(super) fn unaligned(
        mode: VariableMode,
        base: Option<Id<Def>>,
        offset: Option<Id<Def>>,
    ) -> Addr {
        Addr {
            mode,
            base,
            offset,
            constant: 0,
            align_mul: 1,
            align_offset: 0,
            component_stride: None,
            resource: None,
        }
    }
}

/// A phi of pointers, and the phis of their components.
pub(super) struct PointerPhi {
    pub(super) pointer: Id<Instr>,
    pub(super) mode: VariableMode,
    pub(super) handle: Option<Id<Instr>>,
    pub(super) offset: Id<Instr>,
}

/// The state of the pass.
pub(super) struct Lowering<'s> {
    pub(super) s: &'s mut Shader,
    pub(super) addr: IdMap<Def, Option<Addr>>,
    /// The storage mode of each value that is a pointer.
    pub(super) modes: IdMap<Def, Option<VariableMode>>,
    pub(super) natural_sizes: IdMap<Type, (u32, u32)>,
    pub(super) phis: Vec<PointerPhi>,
}

/// The alignment of a sum after adding `stride` times an unknown number.
pub(super) fn add_stride(mul: u32, offset: u32, stride: u32) -> (u32, u32) {
    if stride == 0 {
        return (mul, offset);
    }
    let mul = mul.min(1 << stride.trailing_zeros());
    (mul, offset & (mul - 1))
}

impl Lowering<'_> {
    pub(super) fn add_constant(&self, mut a: Addr, bytes: u32) -> Addr {
        a.constant = a.constant.wrapping_add(bytes);
        a.align_offset = a.align_offset.wrapping_add(bytes) & (a.align_mul - 1);
        a
    }

    pub(super) fn add_index(
        &mut self,
        block: Id<Block>,
        mut a: Addr,
        index: Id<Def>,
        stride: u32,
    ) -> Addr {
        if let Some(i) = self.s.const_component(index, 0) {
            return self.add_constant(a, (i as u32).wrapping_mul(stride));
        }
        (a.align_mul, a.align_offset) = add_stride(a.align_mul, a.align_offset, stride);
        let wide = a.mode == VariableMode::Global;
        let mut b = Builder::at_end_of_block(self.s, block);
        let index = match (wide, b.bits(index)) {
            (true, 32) => b.i2i(index, 64),
            (false, 64) => b.u2u(index, 32),
            _ => index,
        };
        let bytes = b.imul_imm(index, i64::from(stride));
        a.offset = Some(match a.offset {
            None => bytes,
            Some(old) => b.iadd(old, bytes),
        });
        a
    }

    /// The lowered form of any pointer value. A pointer that is not a deref is an address in
    /// physical storage, an offset in shared memory, and a handle for buffers.
    pub(super) fn pointer_address(&mut self, d: Id<Def>, mode: VariableMode) -> Option<Addr> {
        if let Some(a) = self.addr[d] {
            return Some(a);
        }
        let (base, offset) = match (mode, self.s.defs[d].bit_size) {
            (VariableMode::Global, 64) | (VariableMode::Ssbo | VariableMode::Ubo, 32) => {
                (Some(d), None)
            }
            (VariableMode::Shared, _) => (None, Some(d)),
            _ => return None,
        };
        Some(Addr::unaligned(mode, base, offset))
    }

    /// The sum of the dynamic and constant parts of the offset, and `extra`.
    pub(super) fn emit_offset(b: &mut Builder<'_>, a: &Addr, extra: u32) -> Id<Def> {
        let constant = a.constant.wrapping_add(extra);
        match a.offset {
            None => b.imm_u32(constant),
            Some(o) => b.iadd_imm(o, i64::from(constant as i32)),
        }
    }

    pub(super) fn emit_address(b: &mut Builder<'_>, a: &Addr, extra: u32) -> Id<Def> {
        let base = a.base.unwrap_or_else(|| b.imm_int(64, 0));
        let base = match a.offset {
            Some(o) => b.iadd(base, o),
            None => base,
        };
        b.iadd_imm(base, i64::from(a.constant.wrapping_add(extra)))
    }
}
