//! Pointers to physical storage (64-bit addresses), and comparisons of pointers of any storage
//! class.
//!
//! The value of a pointer to physical storage is a 64-bit integer, in variables, in memory, in phis
//! and selects. Each use casts it to a deref. The alignment in the memory operands of a load or
//! store becomes a final cast of the deref.
//! Ref: SPV_KHR_physical_storage_buffer; "SPIR-V Specification", "Memory Operands", Aligned.

use crate::error::Result;
use crate::memory::memory_operand_access;
use crate::reader::Inst;
use crate::state::Translator;
use crate::types::{Ty, UNTYPED};
use crate::value::{AccessStep, Pointer, PointerBase, Value};
use entity::Id;
use nir::{AluOp as A, Def, IntrinsicOp, Type};
use smallvec::SmallVec;
use spirv::{MemoryAccess, Op, StorageClass};
use std::rc::Rc;

impl Translator<'_> {
    /// The value of a pointer.
    pub fn pointer_as_value(&mut self, p: &Pointer) -> Result<Id<Def>> {
        if p.class != StorageClass::PhysicalStorageBuffer {
            return self.pointer_def(p);
        }
        self.comparable_pointer(p)
    }

    /// A 64-bit value for comparisons of pointers: the address for physical storage, else the
    /// resource's handle (high 32 bits) and the byte offset in it (low 32 bits).
    fn comparable_pointer(&mut self, p: &Pointer) -> Result<Id<Def>> {
        match p.base {
            PointerBase::Value { def, .. }
                if p.steps.is_empty() && p.class == StorageClass::PhysicalStorageBuffer =>
            {
                Ok(def)
            }
            _ => {
                let deref = self.pointer_def(p)?;
                self.emit
                    .intrinsic_value(IntrinsicOp::DerefAddress, (1, 64), &[deref], &[])
            }
        }
    }

    /// `OpPtrEqual`, `OpPtrNotEqual` and `OpPtrDiff`; `None` if `inst` is another instruction.
    pub fn pointer_comparison_inst(&mut self, inst: &Inst) -> Result<Option<Value>> {
        if !matches!(inst.op, Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff) {
            return Ok(None);
        }
        let (p, q) = (self.pointer(inst.arg(0)?)?, self.pointer(inst.arg(1)?)?);
        let (x, y) = (self.comparable_pointer(&p)?, self.comparable_pointer(&q)?);
        let value = match inst.op {
            Op::PtrEqual => self.emit.op2(A::IEq, x, y)?,
            Op::PtrNotEqual => self.emit.op2(A::INe, x, y)?,
            _ => {
                let bytes = self.element_bytes(inst.arg(0)?, &p)?;
                // Both point into one array, which is smaller than 2 GiB unless it is physical
                // storage.
                let bits = match p.class {
                    StorageClass::PhysicalStorageBuffer => 64,
                    _ => 32,
                };
                let (x, y) = (self.zext_or_trunc(x, bits)?, self.zext_or_trunc(y, bits)?);
                let difference = self.emit.op2(A::ISub, x, y)?;
                let bytes = self.emit.constant(bits, &[bytes.into()]);
                let elements = self.emit.op2(A::IDiv, difference, bytes)?;
                let (_, bits) = self.shape_of(inst.ty)?;
                match self.emit.shape(elements).1 == bits {
                    true => elements,
                    false => self.emit.convert(A::I2I, elements, bits)?,
                }
            }
        };
        Ok(Some(Value::Def(value)))
    }

    /// What `OpPtrDiff` counts in: the stride, in bytes, of the array that pointer `p` with the id
    /// `id` points into; bytes for untyped pointers.
    fn element_bytes(&mut self, id: u32, p: &Pointer) -> Result<u32> {
        if self.is_untyped(id)? {
            return Ok(1);
        }
        let ty = self.type_of(id)?;
        if self.has_layout(p.class)
            && let Ty::Pointer { stride_bytes, .. } = &*self.ty(ty)?
            && *stride_bytes != 0
        {
            return Ok(*stride_bytes);
        }
        let ty = self.nir_type(p.to, self.has_layout(p.class))?;
        let (size, align) = self.emit.shader.types.natural_sizes()[ty];
        Ok(size.next_multiple_of(align).max(1))
    }

    /// Conversions between addresses and integers; `None` if `inst` is another instruction.
    pub fn address_inst(&mut self, inst: &Inst) -> Result<Option<Value>> {
        let from = match inst.op {
            Op::ConvertPtrToU | Op::ConvertUToPtr => self.value(inst.arg(0)?)?,
            Op::Bitcast => {
                let value = self.value(inst.arg(0)?)?;
                let to_pointer = matches!(&*self.ty(inst.ty)?, Ty::Pointer { .. });
                if !to_pointer && !matches!(value, Value::Pointer(_)) {
                    return Ok(None);
                }
                value
            }
            _ => return Ok(None),
        };
        let address = match &from {
            Value::Pointer(p) if p.class == StorageClass::PhysicalStorageBuffer => {
                self.pointer_as_value(p)?
            }
            Value::Def(d) => *d,
            _ => {
                return inst
                    .loc
                    .unsupported("the address of a pointer to other than physical storage");
            }
        };
        let to = self.ty(inst.ty)?;
        let value = match &*to {
            Ty::Pointer {
                class: class @ StorageClass::PhysicalStorageBuffer,
                to,
                stride_bytes,
            } => {
                let address = match self.emit.shape(address) {
                    (1, 64) => address,
                    (1, _) => self.zext_or_trunc(address, 64)?,
                    _ => self.bitcast(address, 1, 64)?,
                };
                self.pointer_value(address, *class, *to, *stride_bytes)?
            }
            Ty::Int { bits, .. } => Value::Def(self.zext_or_trunc(address, *bits)?),
            Ty::Vector { .. } => {
                let (n, bits) = self.shape_of(inst.ty)?;
                Value::Def(self.bitcast(address, n, bits)?)
            }
            _ => return inst.loc.unsupported("this conversion of an address"),
        };
        Ok(Some(value))
    }

    /// `OpCopyMemorySized`: copies a constant number of bytes, in dwords if it is a multiple of
    /// four.
    pub fn copy_bytes(&mut self, inst: &Inst) -> Result<()> {
        const MAX_UNITS: u32 = 4096;
        let size = self.def(inst.arg(2)?)?;
        let size = self.emit.index32(size)?;
        let Some(&[bytes]) = self.emit.const_of(size).map(|v| v.as_slice()) else {
            return inst
                .loc
                .unsupported("a copy of a number of bytes that is not constant");
        };
        let bytes = bytes as u32;
        let unit = match bytes {
            bytes if bytes % 4 == 0 => 4,
            bytes if bytes % 2 == 0 => 2,
            _ => 1,
        };
        if bytes / unit > MAX_UNITS {
            return inst.loc.limit("parts of a copy", MAX_UNITS as usize);
        }
        let operands = memory_operand_access(inst.args.get(3).copied());
        let (target, source) = (self.pointer(inst.arg(0)?)?, self.pointer(inst.arg(1)?)?);
        let target = self.pointer_to_units(&target, unit)?;
        let source = self.pointer_to_units(&source, unit)?;
        for index in 0..bytes / unit {
            let index = self.emit.imm32(index);
            let at = |p: &Pointer| {
                let mut p = p.clone();
                p.steps.push(AccessStep::Ptr(index, unit));
                p
            };
            let (to, access) = self.pointer_access(&at(&target), operands)?;
            let (from, from_access) = self.pointer_access(&at(&source), operands)?;
            let value = self.emit.load(from, (1, 8 * unit as u8), from_access)?;
            self.emit.store(to, value, access)?;
        }
        Ok(())
    }

    /// `p` as a pointer to integers of `bytes`.
    fn pointer_to_units(&mut self, p: &Pointer, bytes: u32) -> Result<Pointer> {
        if !self.has_layout(p.class) {
            return self
                .loc()
                .unsupported(format!("a copy of bytes in {:?}", p.class));
        }
        let ty = self.emit.shader.types.intern(Type::Int(8 * bytes as u8));
        Ok(Pointer {
            base: PointerBase::Value {
                def: self.pointer_as_value(p)?,
                ty,
                stride_bytes: bytes,
            },
            steps: SmallVec::new(),
            class: p.class,
            mode: p.mode,
            to: UNTYPED,
            access: p.access,
            align_bytes: 0,
        })
    }

    /// `p` with the alignment from the memory operands (from the mask on) of a load or store.
    pub fn with_alignment(&self, p: Rc<Pointer>, operands: &[u32]) -> Rc<Pointer> {
        let mask = operands.first().copied().unwrap_or(0);
        let is_aligned = MemoryAccess::from_bits_truncate(mask).contains(MemoryAccess::ALIGNED);
        match operands.get(1) {
            Some(&align_bytes)
                if is_aligned
                    && p.class == StorageClass::PhysicalStorageBuffer
                    && align_bytes.is_power_of_two() =>
            {
                let mut p = p;
                Rc::make_mut(&mut p).align_bytes = align_bytes;
                p
            }
            _ => p,
        }
    }
}
