//! Loads, stores, atomics and derefs of the interpreter.

use super::execution::Execution;
use super::machine::InterpError;
use super::memory::{Ptr, Space, global_address, has_natural_layout};
use crate::fold;
use crate::intrinsic::{AtomicOp, IntrinsicOp};
use crate::ir::*;
use crate::op::AluOp;
use crate::types::{Type, VariableMode};
use entity::Id;
use smallvec::SmallVec;

fn atomic_alu_op(op: AtomicOp) -> Option<AluOp> {
    Some(match op {
        AtomicOp::IAdd => AluOp::IAdd,
        AtomicOp::IMin => AluOp::IMin,
        AtomicOp::UMin => AluOp::UMin,
        AtomicOp::IMax => AluOp::IMax,
        AtomicOp::UMax => AluOp::UMax,
        AtomicOp::IAnd => AluOp::IAnd,
        AtomicOp::IOr => AluOp::IOr,
        AtomicOp::IXor => AluOp::IXor,
        AtomicOp::FAdd => AluOp::FAdd,
        AtomicOp::FMin => AluOp::FMin,
        AtomicOp::FMax => AluOp::FMax,
        AtomicOp::Xchg | AtomicOp::CmpXchg => return None,
    })
}

impl Execution<'_> {
    fn object_bytes(&mut self, p: Ptr, lane: usize) -> Option<&mut Vec<u8>> {
        match p.space {
            Space::Private(v) => self.memory.private.get_mut(&(v, lane)),
            Space::Shared(v) => self.memory.shared.get_mut(&v),
            Space::SharedBytes => Some(&mut self.memory.shared_bytes),
            Space::ScratchBytes => self.memory.scratch.get_mut(lane),
            Space::ConstantBytes => Some(&mut self.memory.constants),
            Space::Push => Some(&mut self.machine.push_constants),
            Space::Buffer(n) => self.machine.buffers.get_mut(n).map(|b| &mut b.1),
            Space::Resources(_) | Space::None => None,
        }
    }

    fn read_scalar(&mut self, p: Ptr, lane: usize, extra: u64, bytes: usize) -> u64 {
        let at = p.offset.wrapping_add(extra);
        let mut out = [0u8; 8];
        if let Some(m) = self.object_bytes(p, lane)
            && let Some(from) = usize::try_from(at)
                .ok()
                .and_then(|at| m.get(at..at.checked_add(bytes)?))
        {
            out[..bytes].copy_from_slice(from);
        }
        u64::from_le_bytes(out)
    }

    fn write_scalar(&mut self, p: Ptr, lane: usize, extra: u64, bytes: usize, v: u64) {
        let at = p.offset.wrapping_add(extra);
        if let Some(m) = self.object_bytes(p, lane)
            && let Some(to) = usize::try_from(at)
                .ok()
                .and_then(|at| m.get_mut(at..at.checked_add(bytes)?))
        {
            to.copy_from_slice(&v.to_le_bytes()[..bytes]);
        }
    }

    fn find_buffer(&self, set: u32, binding: u32, element: u32) -> Result<usize, InterpError> {
        self.machine
            .buffers
            .iter()
            .position(|b| b.0 == (set, binding, element))
            .ok_or(InterpError::NoBuffer {
                set,
                binding,
                element,
            })
    }

    /// The pointer that value `d` of a lane represents: an address for physical storage, else the
    /// number of an interned pointer.
    fn pointer_value(&mut self, d: Id<Def>, mode: VariableMode, lane: usize) -> Ptr {
        let v = self.get(d, lane)[0];
        if mode == VariableMode::Global {
            return Ptr {
                space: match (v >> 32).checked_sub(1) {
                    Some(n) => Space::Buffer(n as usize),
                    None => Space::None,
                },
                offset: v & 0xffff_ffff,
            };
        }
        self.memory.interned_ptr(v)
    }

    pub(super) fn run_deref(&mut self, d: &Deref, lanes: &[usize]) -> Result<(), InterpError> {
        let s = self.s;
        let natural_layout = has_natural_layout(d.mode);
        for &l in lanes {
            let ptr = match d.kind {
                DerefKind::Var(v) => {
                    let var = &s.vars[v];
                    let space = match var.mode {
                        VariableMode::FunctionTemp
                        | VariableMode::ShaderTemp
                        | VariableMode::Constant => Space::Private(v),
                        VariableMode::Shared => Space::Shared(v),
                        VariableMode::PushConst => Space::Push,
                        VariableMode::Ubo | VariableMode::Ssbo => {
                            if matches!(s.types[var.ty], Type::Array { .. }) {
                                Space::Resources(v)
                            } else {
                                Space::Buffer(self.find_buffer(var.set, var.binding, 0)?)
                            }
                        }
                        _ => return Err(InterpError::Unsupported("storage of a variable".into())),
                    };
                    Ptr { space, offset: 0 }
                }
                DerefKind::Struct { parent, member } => {
                    let p = self.pointer_value(parent, d.mode, l);
                    let of = s.deref_of(parent).map(|x| x.ty);
                    let Some(Type::Struct { members, .. }) = of.and_then(|t| s.types.get(t)) else {
                        return Err(InterpError::Unsupported("member of no struct".into()));
                    };
                    let at = if natural_layout {
                        let mut end = 0u64;
                        for m in members.iter().take(member as usize) {
                            let (size, align) = self.memory.sizes[m.ty];
                            end = end.next_multiple_of(align) + size;
                        }
                        end.next_multiple_of(self.memory.sizes[d.ty].1)
                    } else {
                        members
                            .get(member as usize)
                            .map_or(0, |m| u64::from(m.offset_bytes))
                    };
                    Ptr {
                        offset: p.offset.wrapping_add(at),
                        ..p
                    }
                }
                DerefKind::Array { parent, index } => {
                    let p = self.pointer_value(parent, d.mode, l);
                    let bits = s.defs[index].bit_size;
                    let i = fold::sext(bits, self.get(index, l)[0]) as u64;
                    self.element_ptr(p, d, parent, i, natural_layout)?
                }
                DerefKind::PtrAsArray {
                    parent,
                    index,
                    stride_bytes,
                } => {
                    let p = self.pointer_value(parent, d.mode, l);
                    let bits = s.defs[index].bit_size;
                    let i = fold::sext(bits, self.get(index, l)[0]) as u64;
                    let stride = match stride_bytes {
                        0 => self.memory.sizes[d.ty].0,
                        n => u64::from(n),
                    };
                    Ptr {
                        offset: p.offset.wrapping_add(i.wrapping_mul(stride)),
                        ..p
                    }
                }
                DerefKind::Cast { parent, .. } => self.pointer_value(parent, d.mode, l),
            };
            let v = match (d.mode, ptr.space) {
                (VariableMode::Global, Space::Buffer(n)) => global_address(n, ptr.offset),
                _ => self.memory.intern_ptr(ptr),
            };
            self.set(d.def, l, &[v]);
        }
        Ok(())
    }

    fn element_ptr(
        &mut self,
        p: Ptr,
        d: &Deref,
        parent: Id<Def>,
        i: u64,
        natural_layout: bool,
    ) -> Result<Ptr, InterpError> {
        let s = self.s;
        let of = s.deref_of(parent).map_or(d.ty, |x| x.ty);
        if let Space::Resources(v) = p.space {
            let len = match s.types[of] {
                Type::Array { len, .. } => u64::from(len.unwrap_or(0)),
                _ => 0,
            };
            let element = p.offset.wrapping_mul(len).wrapping_add(i);
            if matches!(s.types[d.ty], Type::Array { .. }) {
                return Ok(Ptr {
                    offset: element,
                    ..p
                });
            }
            let var = &s.vars[v];
            let n = self.find_buffer(var.set, var.binding, element as u32)?;
            return Ok(Ptr {
                space: Space::Buffer(n),
                offset: 0,
            });
        }
        let natural = self.memory.sizes[d.ty].0;
        let stride = match s.types[of] {
            Type::Array { stride_bytes, .. } if !natural_layout && stride_bytes != 0 => {
                u64::from(stride_bytes)
            }
            Type::Matrix {
                column,
                stride_bytes,
                row_major,
                ..
            } if !natural_layout && stride_bytes != 0 => {
                if row_major {
                    match s.types[column] {
                        Type::Vector { elem, .. } => self.memory.sizes[elem].0,
                        _ => natural,
                    }
                } else {
                    u64::from(stride_bytes)
                }
            }
            Type::Vector { .. } => self.component_stride(parent, natural),
            _ => natural,
        };
        Ok(Ptr {
            offset: p.offset.wrapping_add(i.wrapping_mul(stride)),
            ..p
        })
    }

    /// Bytes between the components of the vector that `ptr` points to. They are not adjacent in a
    /// column of a row-major matrix.
    fn component_stride(&self, ptr: Id<Def>, natural: u64) -> u64 {
        let s = self.s;
        if let Some(Deref {
            kind: DerefKind::Array { parent, .. },
            mode,
            ..
        }) = s.deref_of(ptr)
            && !has_natural_layout(*mode)
            && let Some(of) = s.deref_of(*parent)
            && let Type::Matrix {
                row_major: true,
                stride_bytes,
                ..
            } = s.types[of.ty]
        {
            return u64::from(stride_bytes);
        }
        natural
    }

    /// Copies an object scalar by scalar, because the two sides may have different layouts.
    fn copy_object(&mut self, dst: Id<Def>, src: Id<Def>, lane: usize) -> Result<(), InterpError> {
        let s = self.s;
        let side = |r: &mut Self, d: Id<Def>| {
            let deref = s
                .deref_of(d)
                .ok_or(InterpError::Unsupported("copy of no deref".into()))?;
            let natural_layout = has_natural_layout(deref.mode);
            let stride = match s.types[deref.ty] {
                Type::Vector { elem, .. } => r.component_stride(d, r.memory.sizes[elem].0),
                _ => 0,
            };
            Ok((
                r.pointer_value(d, deref.mode, lane),
                deref.ty,
                stride,
                natural_layout,
            ))
        };
        let mut work = vec![(side(self, dst)?, side(self, src)?)];
        while let Some((to, from)) = work.pop() {
            let n = match &s.types[to.1] {
                Type::Vector { len, .. } => u64::from(*len),
                Type::Matrix { columns, .. } => u64::from(*columns),
                Type::Array { len, .. } => u64::from(len.unwrap_or(0)),
                Type::Struct { members, .. } => members.len() as u64,
                _ => {
                    let bytes = self.memory.sizes[to.1].0 as usize;
                    let v = self.read_scalar(from.0, lane, 0, bytes);
                    self.write_scalar(to.0, lane, 0, bytes, v);
                    continue;
                }
            };
            for k in (0..n).rev() {
                let parts = (self.part_ptr(to, k), self.part_ptr(from, k));
                let (Some(a), Some(b)) = parts else {
                    return Err(InterpError::Unsupported("copy between types".into()));
                };
                work.push((a, b));
            }
        }
        Ok(())
    }

    /// Element, column, member or component `k` of an object. Objects are (pointer, type, bytes
    /// between the components of a vector, natural layout).
    fn part_ptr(
        &self,
        (ptr, ty, stride, natural_layout): (Ptr, Id<Type>, u64, bool),
        k: u64,
    ) -> Option<(Ptr, Id<Type>, u64, bool)> {
        let sizes = &self.memory.sizes;
        let natural_stride = |ty: Id<Type>| match self.s.types[ty] {
            Type::Vector { elem, .. } => sizes[elem].0,
            _ => 0,
        };
        let at = |offset: u64, ty: Id<Type>, stride: u64| {
            let offset = ptr.offset.wrapping_add(offset);
            Some((Ptr { offset, ..ptr }, ty, stride, natural_layout))
        };
        match &self.s.types[ty] {
            Type::Vector { elem, .. } => at(k * stride, *elem, 0),
            Type::Matrix {
                column,
                stride_bytes,
                row_major,
                ..
            } => {
                let between = u64::from(*stride_bytes);
                if natural_layout || between == 0 {
                    at(k * sizes[*column].0, *column, natural_stride(*column))
                } else if *row_major {
                    at(k * natural_stride(*column), *column, between)
                } else {
                    at(k * between, *column, natural_stride(*column))
                }
            }
            Type::Array {
                elem, stride_bytes, ..
            } => {
                let between = match u64::from(*stride_bytes) {
                    n if n != 0 && !natural_layout => n,
                    _ => sizes[*elem].0,
                };
                at(k * between, *elem, natural_stride(*elem))
            }
            Type::Struct { members, .. } => {
                let m = members.get(k as usize)?;
                let mut offset = u64::from(m.offset_bytes);
                if natural_layout {
                    offset = 0;
                    for before in members.iter().take(k as usize) {
                        let (size, align) = sizes[before.ty];
                        offset = offset.next_multiple_of(align) + size;
                    }
                    offset = offset.next_multiple_of(sizes[m.ty].1);
                }
                at(offset, m.ty, natural_stride(m.ty))
            }
            _ => None,
        }
    }

    /// Bytes of one component in memory; a boolean takes four.
    fn scalar_bytes(bits: u8) -> usize {
        if bits == 1 { 4 } else { usize::from(bits) / 8 }
    }

    /// Executes `i` if it accesses memory; returns false otherwise.
    pub(super) fn try_memory_intrinsic(
        &mut self,
        i: &Intrinsic,
        lanes: &[usize],
    ) -> Result<bool, InterpError> {
        use IntrinsicOp as Op;
        let s = self.s;
        match i.op {
            Op::VulkanResourceIndex => {
                if let Some(def) = i.def {
                    for &l in lanes {
                        let element = self.get(i.srcs[0], l)[0] as u32;
                        let n = self.find_buffer(i.index("set"), i.index("binding"), element)?;
                        self.set(def, l, &[n as u64]);
                    }
                }
            }
            Op::CopyDeref => {
                for &l in lanes {
                    self.copy_object(i.srcs[0], i.srcs[1], l)?;
                }
            }
            Op::DerefAddress => {
                let mode = s.deref_of(i.srcs[0]).map(|d| d.mode);
                if let Some(def) = i.def {
                    for &l in lanes {
                        let v = self.get(i.srcs[0], l)[0];
                        let address = match mode {
                            // The value of such a pointer is an address.
                            Some(VariableMode::Global) => v,
                            _ => self.memory.interned_ptr(v).synthetic_address(),
                        };
                        self.set(def, l, &[address]);
                    }
                }
            }
            Op::LoadSsboAddress => {
                if let Some(def) = i.def {
                    for &l in lanes {
                        let n = self.get(i.srcs[0], l)[0] as usize;
                        self.set(def, l, &[global_address(n, 0)]);
                    }
                }
            }
            Op::GetSsboSize => {
                if let Some(def) = i.def {
                    for &l in lanes {
                        let n = self.get(i.srcs[0], l)[0] as usize;
                        let size = self.machine.buffers.get(n).map_or(0, |b| b.1.len());
                        self.set(def, l, &[size as u64]);
                    }
                }
            }
            Op::DerefBufferArrayLength => {
                let stride = match s.deref_of(i.srcs[0]).map(|d| &s.types[d.ty]) {
                    Some(Type::Array {
                        elem, stride_bytes, ..
                    }) => match u64::from(*stride_bytes) {
                        0 => self.memory.sizes[*elem].0,
                        n => n,
                    },
                    _ => return Err(InterpError::Unsupported("length of no array".into())),
                };
                if let Some(def) = i.def {
                    for &l in lanes {
                        let p = self.pointer_value(i.srcs[0], VariableMode::Ssbo, l);
                        let size = self.object_bytes(p, l).map_or(0, |b| b.len() as u64);
                        let n = size.saturating_sub(p.offset) / stride.max(1);
                        self.set(def, l, &[n]);
                    }
                }
            }
            _ => {
                let Some(value) = self.accessed_value(i) else {
                    return Ok(false);
                };
                for &l in lanes {
                    let p = self.access_ptr(i, l);
                    self.perform_access(i, l, p, value);
                }
            }
        }
        Ok(true)
    }

    /// The value that a load or atomic defines or a store writes; `None` if `i` accesses no memory.
    fn accessed_value(&self, i: &Intrinsic) -> Option<Id<Def>> {
        use IntrinsicOp as Op;
        match i.op {
            Op::LoadDeref
            | Op::DerefAtomic
            | Op::DerefAtomicSwap
            | Op::LoadUbo
            | Op::LoadSsbo
            | Op::SsboAtomic
            | Op::SsboAtomicSwap
            | Op::LoadPushConstant
            | Op::LoadConstant
            | Op::LoadShared
            | Op::SharedAtomic
            | Op::SharedAtomicSwap
            | Op::LoadScratch
            | Op::LoadGlobal
            | Op::LoadGlobalConstant
            | Op::GlobalAtomic
            | Op::GlobalAtomicSwap => i.def,
            Op::StoreDeref => Some(i.srcs[1]),
            Op::StoreSsbo | Op::StoreShared | Op::StoreScratch | Op::StoreGlobal => Some(i.srcs[0]),
            _ => None,
        }
    }

    fn access_ptr(&mut self, i: &Intrinsic, l: usize) -> Ptr {
        use IntrinsicOp as Op;
        let base = u64::from(i.index("base"));
        let offset = |r: &Self, k: usize| r.get(i.srcs[k], l)[0].wrapping_add(base) & 0xffff_ffff;
        let (space, offset) = match i.op {
            Op::LoadUbo | Op::LoadSsbo | Op::SsboAtomic | Op::SsboAtomicSwap => (
                Space::Buffer(self.get(i.srcs[0], l)[0] as usize),
                offset(self, 1),
            ),
            Op::StoreSsbo => (
                Space::Buffer(self.get(i.srcs[1], l)[0] as usize),
                offset(self, 2),
            ),
            Op::LoadPushConstant => (Space::Push, offset(self, 0)),
            Op::LoadShared | Op::SharedAtomic | Op::SharedAtomicSwap => {
                (Space::SharedBytes, offset(self, 0))
            }
            Op::LoadConstant => (Space::ConstantBytes, offset(self, 0)),
            Op::StoreShared => (Space::SharedBytes, offset(self, 1)),
            Op::LoadScratch => (Space::ScratchBytes, offset(self, 0)),
            Op::StoreScratch => (Space::ScratchBytes, offset(self, 1)),
            Op::LoadGlobal | Op::LoadGlobalConstant | Op::GlobalAtomic | Op::GlobalAtomicSwap => {
                return self.pointer_value(i.srcs[0], VariableMode::Global, l);
            }
            Op::StoreGlobal => return self.pointer_value(i.srcs[1], VariableMode::Global, l),
            _ => {
                let mode = self
                    .s
                    .deref_of(i.srcs[0])
                    .map_or(VariableMode::Ssbo, |d| d.mode);
                return self.pointer_value(i.srcs[0], mode, l);
            }
        };
        Ptr { space, offset }
    }

    fn perform_access(&mut self, i: &Intrinsic, l: usize, p: Ptr, value: Id<Def>) {
        use IntrinsicOp as Op;
        let shape = self.s.defs[value];
        let n = Self::scalar_bytes(shape.bit_size);
        let stride = match i.op {
            Op::LoadDeref | Op::StoreDeref => self.component_stride(i.srcs[0], n as u64),
            _ => n as u64,
        };
        let (swap_at, data_at) = match i.op {
            Op::DerefAtomic | Op::SharedAtomic | Op::GlobalAtomic => (None, Some(1)),
            Op::DerefAtomicSwap | Op::SharedAtomicSwap | Op::GlobalAtomicSwap => (Some(1), Some(2)),
            Op::SsboAtomic => (None, Some(2)),
            Op::SsboAtomicSwap => (Some(2), Some(3)),
            _ => (None, None),
        };
        if let Some(k) = data_at {
            let old = self.read_scalar(p, l, 0, n);
            let data = self.get(i.srcs[k], l)[0];
            let new = match swap_at {
                Some(c) if self.get(i.srcs[c], l)[0] != old => old,
                Some(_) => data,
                None => match AtomicOp::from_index(i.index("atomic_op")).and_then(atomic_alu_op) {
                    Some(op) => {
                        let mut out = [0];
                        let bits = shape.bit_size;
                        fold::fold(
                            op,
                            bits,
                            &[bits, bits],
                            &[&[old], &[data]],
                            self.s.info.float_controls,
                            &mut out,
                        );
                        out[0]
                    }
                    None => data,
                },
            };
            self.write_scalar(p, l, 0, n, new);
            self.set(value, l, &[old]);
            return;
        }
        if i.def.is_some() {
            let v: SmallVec<[u64; 4]> = (0..u64::from(shape.num_components))
                .map(|c| {
                    let v = self.read_scalar(p, l, c * stride, n);
                    if shape.bit_size == 1 {
                        u64::from(v != 0)
                    } else {
                        v
                    }
                })
                .collect();
            self.set(value, l, &v);
            return;
        }
        let mask = i.index("write_mask");
        let v: SmallVec<[u64; 4]> = self.get(value, l).into();
        for (c, v) in v.into_iter().enumerate() {
            if mask >> c & 1 == 1 {
                self.write_scalar(p, l, c as u64 * stride, n, v);
            }
        }
    }
}
