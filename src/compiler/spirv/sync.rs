//! Atomics and barriers.
//!
//! An atomic with stronger than relaxed semantics becomes a relaxed atomic between memory barriers.
//! Ref: "SPIR-V Specification", "Atomic Instructions", "Barrier Instructions"; Vulkan spec, "Memory
//!      Model".

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::value::{Pointer, TexelPointer, Value};
use entity::Id;
use nir::{Access, AluOp as A, AtomicOp, Def, IntrinsicOp as I};
use spirv::{MemorySemantics, Op, Scope};
use std::rc::Rc;

/// The memory or texel that an atomic accesses.
enum AtomicTarget {
    Memory(Rc<Pointer>),
    Texel(Rc<TexelPointer>),
}

/// The operation of an atomic instruction. Loads, stores and compare-exchange have none of their
/// own and give `IAdd`.
fn atomic_op(op: Op) -> Option<AtomicOp> {
    Some(match op {
        Op::AtomicLoad
        | Op::AtomicStore
        | Op::AtomicCompareExchange
        | Op::AtomicCompareExchangeWeak
        | Op::AtomicIIncrement
        | Op::AtomicIDecrement
        | Op::AtomicISub
        | Op::AtomicIAdd => AtomicOp::IAdd,
        Op::AtomicExchange => AtomicOp::Xchg,
        Op::AtomicSMin => AtomicOp::IMin,
        Op::AtomicUMin => AtomicOp::UMin,
        Op::AtomicSMax => AtomicOp::IMax,
        Op::AtomicUMax => AtomicOp::UMax,
        Op::AtomicAnd => AtomicOp::IAnd,
        Op::AtomicOr => AtomicOp::IOr,
        Op::AtomicXor => AtomicOp::IXor,
        Op::AtomicFAddEXT => AtomicOp::FAdd,
        Op::AtomicFMinEXT => AtomicOp::FMin,
        Op::AtomicFMaxEXT => AtomicOp::FMax,
        _ => return None,
    })
}

impl Translator<'_> {
    /// Atomics and barriers; false if `inst` is not one.
    pub fn sync_inst(&mut self, inst: &Inst) -> Result<bool> {
        match inst.op {
            Op::ControlBarrier => {
                let execution = self.const_u32(inst.arg(0)?)?;
                let memory = self.const_u32(inst.arg(1)?)?;
                let semantics = self.const_u32(inst.arg(2)?)?;
                self.barrier(execution, memory, semantics)?;
            }
            Op::MemoryBarrier => {
                let memory = self.const_u32(inst.arg(0)?)?;
                let semantics = self.const_u32(inst.arg(1)?)?;
                self.barrier(Scope::Invocation as u32, memory, semantics)?;
            }
            // Makes the critical section's writes visible to the invocations that enter it next.
            Op::EndInvocationInterlockEXT => {
                let all = MemorySemantics::UNIFORM_MEMORY | MemorySemantics::IMAGE_MEMORY;
                let (none, device) = (Scope::Invocation as u32, Scope::Device as u32);
                self.barrier(none, device, all.bits())?;
            }
            Op::BeginInvocationInterlockEXT => {
                self.emit.intrinsic(I::BeginInterlock, None, &[], &[])?;
            }
            _ => return self.atomic_inst(inst),
        }
        Ok(true)
    }

    fn barrier(&mut self, execution: u32, memory: u32, semantics: u32) -> Result<()> {
        let s = MemorySemantics::from_bits_truncate(semantics);
        let mut modes = 0;
        if s.intersects(
            MemorySemantics::UNIFORM_MEMORY
                | MemorySemantics::CROSS_WORKGROUP_MEMORY
                | MemorySemantics::ATOMIC_COUNTER_MEMORY,
        ) {
            modes |= 1;
        }
        if s.contains(MemorySemantics::WORKGROUP_MEMORY) {
            modes |= 2;
        }
        if s.contains(MemorySemantics::IMAGE_MEMORY) {
            modes |= 4;
        }
        if execution >= Scope::Invocation as u32 && modes == 0 {
            return Ok(());
        }
        self.emit.intrinsic(
            I::Barrier,
            None,
            &[],
            &[execution, memory, semantics, modes],
        )?;
        Ok(())
    }

    fn atomic_inst(&mut self, inst: &Inst) -> Result<bool> {
        let Some(op) = atomic_op(inst.op) else {
            return Ok(false);
        };
        let target = match self.value(inst.arg(0)?)? {
            Value::Pointer(_) => {
                let ty = match inst.op {
                    Op::AtomicStore => self.type_of(inst.arg(3)?)?,
                    _ => inst.ty,
                };
                AtomicTarget::Memory(self.pointer_to(inst.arg(0)?, ty)?)
            }
            Value::Texel(t) => AtomicTarget::Texel(t),
            _ => return inst.loc.expected("a pointer", "another value"),
        };
        let shape = match &target {
            AtomicTarget::Memory(p) => self.shape_of(p.to)?,
            AtomicTarget::Texel(t) => (1, self.image_type_of(t.image.to)?.bits),
        };
        if shape.0 != 1 || !matches!(shape.1, 16 | 32 | 64) {
            return inst
                .loc
                .expected("a pointer to a number", "another pointer");
        }
        let scope = self.const_u32(inst.arg(1)?)?;
        let semantics = self.const_u32(inst.arg(2)?)?;
        let s = MemorySemantics::from_bits_truncate(semantics);
        let extra = Access {
            coherent: true,
            volatile: s.contains(MemorySemantics::VOLATILE),
            ..Access::default()
        };
        let releases = s.intersects(
            MemorySemantics::RELEASE
                | MemorySemantics::ACQUIRE_RELEASE
                | MemorySemantics::SEQUENTIALLY_CONSISTENT,
        );
        let acquires = s.intersects(
            MemorySemantics::ACQUIRE
                | MemorySemantics::ACQUIRE_RELEASE
                | MemorySemantics::SEQUENTIALLY_CONSISTENT,
        );
        if releases && inst.op != Op::AtomicLoad {
            self.barrier(Scope::Invocation as u32, scope, semantics)?;
        }
        let result = self.emit_atomic(inst, op, &target, shape, extra)?;
        if acquires && inst.op != Op::AtomicStore {
            self.barrier(Scope::Invocation as u32, scope, semantics)?;
        }
        if let Some(v) = result {
            self.set_result(inst, v)?;
        }
        Ok(true)
    }

    /// Emits an atomic operation without its barriers; returns its result.
    fn emit_atomic(
        &mut self,
        inst: &Inst,
        op: AtomicOp,
        target: &AtomicTarget,
        shape: (u8, u8),
        extra: Access,
    ) -> Result<Option<Value>> {
        Ok(match inst.op {
            Op::AtomicLoad => Some(match target {
                AtomicTarget::Memory(p) => self.load(p, extra)?,
                AtomicTarget::Texel(t) => Value::Def(self.texel_read(t, extra, shape)?),
            }),
            Op::AtomicStore => {
                let v = self.arg_def(inst, 3)?;
                self.check_shape(v, shape)?;
                match target {
                    AtomicTarget::Memory(p) => self.store(p, &Value::Def(v), extra)?,
                    AtomicTarget::Texel(t) => self.texel_write(t, extra, v)?,
                }
                None
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                let value = self.arg_def(inst, 4)?;
                let compare = self.arg_def(inst, 5)?;
                self.check_shape(value, shape)?;
                self.check_shape(compare, shape)?;
                let v = match target {
                    AtomicTarget::Memory(p) => {
                        let (d, access) = self.pointer_access(p, extra)?;
                        self.emit.intrinsic_value(
                            I::DerefAtomicSwap,
                            shape,
                            &[d, compare, value],
                            &[access],
                        )?
                    }
                    AtomicTarget::Texel(t) => {
                        self.texel_atomic(t, extra, None, &[compare, value], shape)?
                    }
                };
                Some(Value::Def(v))
            }
            _ => {
                let value = match inst.op {
                    Op::AtomicIIncrement => self.emit.constant(shape.1, &[1]),
                    Op::AtomicIDecrement => self.emit.constant(shape.1, &[u64::MAX]),
                    Op::AtomicISub => {
                        let v = self.arg_def(inst, 3)?;
                        self.emit.op1(A::INeg, v)?
                    }
                    _ => self.arg_def(inst, 3)?,
                };
                self.check_shape(value, shape)?;
                let v = match target {
                    AtomicTarget::Memory(p) => {
                        let (d, access) = self.pointer_access(p, extra)?;
                        self.emit.intrinsic_value(
                            I::DerefAtomic,
                            shape,
                            &[d, value],
                            &[op as u32, access],
                        )?
                    }
                    AtomicTarget::Texel(t) => {
                        self.texel_atomic(t, extra, Some(op as u32), &[value], shape)?
                    }
                };
                Some(Value::Def(v))
            }
        })
    }

    fn check_shape(&self, d: Id<Def>, shape: (u8, u8)) -> Result<()> {
        if self.emit.shape(d) == shape {
            Ok(())
        } else {
            self.loc()
                .expected("a value of the type pointed to", "another")
        }
    }
}
