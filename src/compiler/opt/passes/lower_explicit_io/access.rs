//! Loads, stores and atomics through a lowered pointer.
//!
//! In:  an intrinsic on a deref, and the [`Addr`] to which the deref was lowered.
//! Out: `load_ssbo` and similar, one per run of components that are contiguous in memory.

use super::address::{Addr, Lowering};
use crate::rewrite::instrs::replace_with_mov;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

impl Lowering<'_> {
    pub(super) fn lower_access(
        &mut self,
        block: Id<Block>,
        id: Id<Instr>,
        i: &Intrinsic,
        a: Addr,
    ) -> bool {
        use IntrinsicOp as Op;
        let ty = self.s.deref_of(i.srcs[0]).map(|d| d.ty);
        match i.op {
            Op::LoadDeref => {
                let (Some(def), Some(ty)) = (i.def, ty) else {
                    return false;
                };
                self.lower_load(block, id, def, ty, a, i.index("access"));
                true
            }
            Op::StoreDeref => {
                self.lower_store(block, i, a);
                true
            }
            Op::DerefAtomic | Op::DerefAtomicSwap => {
                self.lower_atomic(block, id, i, a);
                true
            }
            Op::DerefAddress => {
                let mut b = Builder::at_end_of_block(self.s, block);
                let address = if a.mode == VariableMode::Global {
                    Self::emit_address(&mut b, &a, 0)
                } else {
                    let (handle, offset) = Self::handle_and_offset(&mut b, &a);
                    b.pack_64_2x32_split(offset, handle)
                };
                replace_with_mov(b.shader, id, address);
                b.insert_instr(id);
                true
            }
            Op::DerefBufferArrayLength => {
                let Some(ty) = ty else { return false };
                let stride = match self.s.types.get(ty) {
                    Some(Type::Array {
                        elem, stride_bytes, ..
                    }) if *stride_bytes == 0 => self.natural_sizes[*elem].0,
                    Some(Type::Array { stride_bytes, .. }) => *stride_bytes,
                    _ => return false,
                };
                let Some(handle) = a.base else { return false };
                let mut b = Builder::at_end_of_block(self.s, block);
                let size = b.load(Op::GetSsboSize, 1, 32, &[handle], &[]);
                let start = Self::emit_offset(&mut b, &a, 0);
                let bytes = b.usub_sat(size, start);
                let stride = b.imm_u32(stride.max(1));
                let length = b.udiv(bytes, stride);
                replace_with_mov(b.shader, id, length);
                b.insert_instr(id);
                true
            }
            _ => false,
        }
    }

    /// A pointer outside of physical storage, as two values.
    pub(super) fn handle_and_offset(b: &mut Builder<'_>, a: &Addr) -> (Id<Def>, Id<Def>) {
        let handle = a.base.unwrap_or_else(|| b.imm_u32(0));
        (handle, Self::emit_offset(b, a, 0))
    }

    /// Groups the components of a vector of `n` × `bytes` bytes that are in `mask` into contiguous
    /// runs: (first component, number of components, byte offset).
    pub(super) fn contiguous_runs(
        a: &Addr,
        n: u8,
        bytes: u32,
        mask: u32,
    ) -> SmallVec<[(u8, u8, u32); 4]> {
        let mut out: SmallVec<[(u8, u8, u32); 4]> = SmallVec::new();
        let stride = a.component_stride.unwrap_or(bytes);
        for c in 0..n {
            if mask >> c & 1 == 0 {
                continue;
            }
            match out.last_mut() {
                Some((first, len, _)) if *first + *len == c && stride == bytes => *len += 1,
                _ => out.push((c, 1, u32::from(c) * stride)),
            }
        }
        out
    }

    pub(super) fn lower_load(
        &mut self,
        block: Id<Block>,
        id: Id<Instr>,
        def: Id<Def>,
        ty: Id<Type>,
        a: Addr,
        access: u32,
    ) {
        let shape = self.s.defs[def];
        let (n, bits) = (shape.num_components, shape.bit_size);
        let boolean = bits == 1;
        let bits = if boolean { 32 } else { bits };
        if let Some(&Type::Pointer { mode, .. }) = self.s.types.get(ty) {
            let mut b = Builder::at_end_of_block(self.s, block);
            // In physical storage a pointer is stored as its address, elsewhere as a handle and an
            // offset.
            let loaded = if mode == VariableMode::Global {
                let address = Self::emit_load(&mut b, &a, 1, 64, 0, access);
                Addr::unaligned(mode, Some(address), None)
            } else {
                let pair = Self::emit_load(&mut b, &a, 2, 32, 0, access);
                let (handle, offset) = (b.channel(pair, 0), b.channel(pair, 1));
                let handle =
                    matches!(mode, VariableMode::Ssbo | VariableMode::Ubo).then_some(handle);
                Addr::unaligned(mode, handle, Some(offset))
            };
            self.addr[def] = Some(loaded);
            return;
        }
        let runs = Self::contiguous_runs(&a, n, u32::from(bits) / 8, u32::MAX);
        let mut b = Builder::at_end_of_block(self.s, block);
        let mut parts: SmallVec<[(Id<Def>, u8); 4]> = SmallVec::new();
        for &(_, len, offset) in &runs {
            let v = Self::emit_load(&mut b, &a, len, bits, offset, access);
            parts.extend((0..len).map(|c| (v, c)));
        }
        let mut value = b.vec_of(&parts);
        if boolean {
            let zero = b.imm_zero(1, 32);
            value = b.ine(value, zero);
        }
        replace_with_mov(b.shader, id, value);
        b.insert_instr(id);
    }

    pub(super) fn emit_load(
        b: &mut Builder<'_>,
        a: &Addr,
        n: u8,
        bits: u8,
        extra: u32,
        access: u32,
    ) -> Id<Def> {
        use IntrinsicOp as Op;
        let mul = a.align_mul;
        let off = a.align_offset.wrapping_add(extra) & (mul - 1);
        let base = a.constant.wrapping_add(extra);
        let dynamic = |b: &mut Builder<'_>| a.offset.unwrap_or_else(|| b.imm_u32(0));
        match a.mode {
            VariableMode::Ubo | VariableMode::Ssbo => {
                let handle = a.base.unwrap_or_else(|| b.undef(1, 32));
                let offset = Self::emit_offset(b, a, extra);
                let op = if a.mode == VariableMode::Ubo {
                    Op::LoadUbo
                } else {
                    Op::LoadSsbo
                };
                b.load(op, n, bits, &[handle, offset], &[access, mul, off])
            }
            VariableMode::PushConst => {
                let offset = dynamic(b);
                let range = b.shader.info.push_constant_bytes.saturating_sub(base);
                b.load(
                    Op::LoadPushConstant,
                    n,
                    bits,
                    &[offset],
                    &[base, range, mul, off],
                )
            }
            VariableMode::Constant => {
                let offset = dynamic(b);
                b.load(Op::LoadConstant, n, bits, &[offset], &[base, mul, off])
            }
            VariableMode::Shared => {
                let offset = dynamic(b);
                b.load(Op::LoadShared, n, bits, &[offset], &[base, mul, off])
            }
            VariableMode::Global => {
                let address = Self::emit_address(b, a, extra);
                b.load(Op::LoadGlobal, n, bits, &[address], &[access, mul, off])
            }
            _ => {
                let offset = dynamic(b);
                b.load(Op::LoadScratch, n, bits, &[offset], &[base, mul, off])
            }
        }
    }

    pub(super) fn lower_store(&mut self, block: Id<Block>, i: &Intrinsic, a: Addr) {
        use IntrinsicOp as Op;
        let (value, access) = (i.srcs[1], i.index("access"));
        let mut mask = i.index("write_mask");
        let ty = self.s.deref_of(i.srcs[0]).map(|d| d.ty);
        let pointer = match ty.and_then(|ty| self.s.types.get(ty)) {
            Some(&Type::Pointer { mode, .. }) => self.pointer_address(value, mode),
            _ => self.addr[value],
        };
        let mut b = Builder::at_end_of_block(self.s, block);
        let value = match pointer {
            // In physical storage a pointer is stored as its address, elsewhere as a handle and an
            // offset.
            Some(p) if p.mode == VariableMode::Global => Self::emit_address(&mut b, &p, 0),
            Some(p) => {
                mask = 3;
                let (handle, offset) = Self::handle_and_offset(&mut b, &p);
                b.vec_of(&[(handle, 0), (offset, 0)])
            }
            None if b.bits(value) == 1 => b.b2i(value, 32),
            None => value,
        };
        let (n, bits) = (b.components(value), b.bits(value));
        for (first, len, extra) in Self::contiguous_runs(&a, n, u32::from(bits) / 8, mask) {
            let parts: SmallVec<[(Id<Def>, u8); 4]> =
                (first..first + len).map(|c| (value, c)).collect();
            let part = if len == n { value } else { b.vec_of(&parts) };
            let full = (1u32 << len) - 1;
            let mul = a.align_mul;
            let off = a.align_offset.wrapping_add(extra) & (mul - 1);
            let base = a.constant.wrapping_add(extra);
            match a.mode {
                VariableMode::Ssbo | VariableMode::Ubo => {
                    let handle = a.base.unwrap_or_else(|| b.undef(1, 32));
                    let offset = Self::emit_offset(&mut b, &a, extra);
                    b.intrinsic(
                        Op::StoreSsbo,
                        None,
                        &[part, handle, offset],
                        &[full, access, mul, off],
                    );
                }
                VariableMode::Global => {
                    let address = Self::emit_address(&mut b, &a, extra);
                    b.intrinsic(
                        Op::StoreGlobal,
                        None,
                        &[part, address],
                        &[full, access, mul, off],
                    );
                }
                _ => {
                    let op = if a.mode == VariableMode::Shared {
                        Op::StoreShared
                    } else {
                        Op::StoreScratch
                    };
                    let offset = a.offset.unwrap_or_else(|| b.imm_u32(0));
                    b.intrinsic(op, None, &[part, offset], &[base, full, mul, off]);
                }
            }
        }
    }

    pub(super) fn lower_atomic(&mut self, block: Id<Block>, id: Id<Instr>, i: &Intrinsic, a: Addr) {
        use IntrinsicOp as Op;
        let swap = i.op == Op::DerefAtomicSwap;
        let (atomic_op, access) = (i.index("atomic_op"), i.index("access"));
        let mut b = Builder::at_end_of_block(self.s, block);
        let mut srcs: SmallVec<[Id<Def>; 4]> = SmallVec::new();
        let mut indices: SmallVec<[u32; 4]> = SmallVec::new();
        let op = match a.mode {
            VariableMode::Shared => {
                let offset = a.offset.unwrap_or_else(|| b.imm_u32(0));
                srcs.push(offset);
                indices.push(a.constant);
                if !swap {
                    indices.push(atomic_op);
                }
                if swap {
                    Op::SharedAtomicSwap
                } else {
                    Op::SharedAtomic
                }
            }
            VariableMode::Global => {
                srcs.push(Self::emit_address(&mut b, &a, 0));
                if !swap {
                    indices.push(atomic_op);
                }
                indices.push(access);
                if swap {
                    Op::GlobalAtomicSwap
                } else {
                    Op::GlobalAtomic
                }
            }
            _ => {
                srcs.push(a.base.unwrap_or_else(|| b.undef(1, 32)));
                srcs.push(Self::emit_offset(&mut b, &a, 0));
                if !swap {
                    indices.push(atomic_op);
                }
                indices.push(access);
                if swap {
                    Op::SsboAtomicSwap
                } else {
                    Op::SsboAtomic
                }
            }
        };
        srcs.extend(i.srcs[1..].iter().copied());
        b.shader.instrs[id] = Instr::Intrinsic(Intrinsic {
            op,
            def: i.def,
            srcs,
            indices,
        });
        b.insert_instr(id);
    }
}
