//! Surface and sampler handles.
//!
//! In:  resource and sampler indices, handles. Out: handles in registers, and waterfall loops over
//! divergent ones.
//!
//! Surfaces are bindless: the handle goes into the extended descriptor, which holds one surface for
//! all lanes. A handle that differs between lanes needs a waterfall loop, with one surface in each
//! iteration.

use super::context::{Isel, exec_of};
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::{Op, Pred, Src};
use abi::DriverValue;
use entity::Id;
use isa::descriptor::bti;
use isa::{CondMod, Opcode, PredCtrl, Type};
use nir::{Access, Def, Intrinsic, IntrinsicOp};

/// Flag of waterfall loops: f1.0.
pub(super) const LOOP_FLAG: u8 = 2;

/// The surface that a memory access addresses.
#[derive(Clone, Copy)]
pub(super) enum Surface {
    /// The handle of a surface, and a constant to add to it.
    Buffer(Lanes, u32),
    /// Shared local memory.
    Shared,
}

/// The amount to add to a handle for the next surface of the same descriptor.
pub(super) const SURFACE_STEP: u32 = abi::DESCRIPTOR_SLOT_BYTES << 6;

impl Isel<'_> {
    /// Selects `vulkan_resource_index`: computes a surface handle.
    pub(super) fn select_resource_index(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let binding = self.binding(i)?;
        let exec = self.exec_for(def);
        let index = self.comp(i.srcs[0], 0, Type::Ud);
        if is_dynamic_buffer(binding.kind) {
            if let Some(index) = index.imm_bits() {
                let handle = self.push_value(DriverValue::DynamicHandle {
                    index: binding.dynamic_index + index as u32,
                });
                self.set_lanes(def, 0, handle);
                return Ok(());
            }
            let bytes = self.b.temp(Type::Ud, exec);
            let two = Lanes::imm(Type::Ud, 2);
            self.b
                .binary(Opcode::Shl, exec, bytes, index, two, Mods::NONE);
            let base = self.push_value(DriverValue::DynamicHandle {
                index: binding.dynamic_index,
            });
            let dst = self.alloc_def(def);
            self.mov_indirect(exec, dst, base, bytes);
            return Ok(());
        }
        let set = self.push_value(DriverValue::SetHandle {
            set: i.index("set"),
        });
        // A surface's handle is a byte offset shifted left by six bits; an indirect descriptor's
        // is a byte offset.
        let shift = if self.is_indirect(i) { 0 } else { 6 };
        let first = u64::from(binding.offset_bytes) << shift;
        let stride = u64::from(binding.stride_bytes) << shift;
        if let Some(index) = index.imm_bits() {
            let offset = first.wrapping_add(index.wrapping_mul(stride));
            if offset == 0 {
                self.set_lanes(def, 0, set);
                return Ok(());
            }
            if self.handle_uses[def] == self.uses[def.index()] {
                // The instruction that forms the extended descriptor adds the constant too.
                self.set_lanes(def, 0, set);
                self.handle_offsets[def] = offset as u32;
                return Ok(());
            }
            let dst = self.alloc_def(def);
            let offset = Lanes::imm(Type::Ud, offset & 0xffff_ffff);
            self.b
                .binary(Opcode::Add, exec, dst, set, offset, Mods::NONE);
            return Ok(());
        }
        let dst = self.alloc_def(def);
        let scaled = self.scale_index(exec, index, stride as u32);
        let sum = self.b.temp(Type::Ud, exec);
        self.b
            .binary(Opcode::Add, exec, sum, scaled, set, Mods::NONE);
        let first = Lanes::imm(Type::Ud, first & 0xffff_ffff);
        self.b
            .binary(Opcode::Add, exec, dst, sum, first, Mods::NONE);
        Ok(())
    }

    /// Whether a binding is in a set with indirect descriptors.
    fn is_indirect(&self, i: &Intrinsic) -> bool {
        let set = self.layout.sets.get(i.index("set") as usize);
        set.is_some_and(|set| set.indirect)
    }

    /// Byte offset of an element's sampler from the address that [`DriverValue::SetPlace`] has for
    /// the set.
    pub(super) fn sampler_offset(&self, i: &Intrinsic, element: u32) -> Result<u32, FsError> {
        let offset = self.binding(i)?.samplers.element_offset(element);
        Ok(offset.wrapping_add(self.layout.sampler_base_bytes))
    }

    /// Selects `vulkan_sampler_index`: the byte offset of a sampler's state from Dynamic State Base
    /// Address.
    pub(super) fn select_sampler_index(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        if self.uses[def.index()] > 0 && self.is_indirect(i) {
            return Err(FsError::Unsupported {
                op: i.op.info().name,
                what: "the NIR pipeline should have loaded the sampler's descriptor",
            });
        }
        let stride_bytes = self.binding(i)?.samplers.stride_bytes;
        let ud = Type::Ud;
        let exec = self.exec_for(def);
        let bytes = self.sampler_base(i.index("set"));
        let first = self.sampler_offset(i, 0)?;
        let index = self.comp(i.srcs[0], 0, ud);
        let (base, constant) = match index.imm_bits() {
            Some(index) => {
                let offset = (index as u32).wrapping_mul(stride_bytes);
                let constant = first.wrapping_add(offset);
                if self.record_sampler_offset(def, bytes, constant) {
                    return Ok(());
                }
                (bytes, constant)
            }
            None => {
                let scaled = self.scale_index(exec, index, stride_bytes);
                let sum = self.b.temp(ud, exec);
                self.b
                    .binary(Opcode::Add, exec, sum, scaled, bytes, Mods::NONE);
                (sum, first)
            }
        };
        let dst = self.alloc_def(def);
        let constant = Lanes::imm(ud, constant.into());
        self.b
            .binary(Opcode::Add, exec, dst, base, constant, Mods::NONE);
        Ok(())
    }

    /// Emits `index * by`, where `by` is a power of two or a multiple of [`SURFACE_STEP`].
    fn scale_index(&mut self, exec: Exec, index: Lanes, by: u32) -> Lanes {
        let to = self.b.temp(Type::Ud, exec);
        if by.is_power_of_two() {
            let log2 = Lanes::imm(Type::Ud, by.trailing_zeros().into());
            self.b
                .binary(Opcode::Shl, exec, to, index, log2, Mods::NONE);
        } else {
            // A binding has fewer than 2^16 elements, so a product with one word operand is exact.
            let steps = Lanes::imm(Type::Uw, u64::from(by / SURFACE_STEP));
            let product = self.b.temp(Type::Ud, exec);
            self.b
                .binary(Opcode::Mul, exec, product, index, steps, Mods::NONE);
            let log2 = Lanes::imm(Type::Ud, SURFACE_STEP.trailing_zeros().into());
            self.b
                .binary(Opcode::Shl, exec, to, product, log2, Mods::NONE);
        }
        to
    }

    /// The handle of the shader's constant data, loaded once at the start of the thread.
    pub(super) fn constant_data_handle(&mut self) -> Lanes {
        *self.constant_data.get_or_insert_with(|| {
            let to = self.b.temp(Type::Ud, Exec::Scalar);
            self.b
                .in_prologue(|b| b.emit(Op::ConstantDataHandle, Exec::Scalar, to, &[], Mods::NONE));
            to
        })
    }

    /// The surface of a buffer handle.
    pub(super) fn buffer_surface(&self, handle: Id<Def>) -> Surface {
        Surface::Buffer(self.comp(handle, 0, Type::Ud), self.handle_offsets[handle])
    }

    /// The surface that an intrinsic accesses. The index into an array of buffers is the same for
    /// all invocations unless the access is marked (Vulkan, "Shader Non-Uniform"); a pointer that
    /// was selected in some other way may differ between lanes.
    pub(super) fn accessed_surface(&mut self, i: &Intrinsic, handle: Id<Def>) -> Surface {
        match self.is_uniform_element(i, handle) {
            true => self.uniform_surface(handle, 0),
            false => self.buffer_surface(handle),
        }
    }

    /// True if the access is to an array element that must be the same for all active lanes.
    pub(super) fn is_uniform_element(&self, i: &Intrinsic, handle: Id<Def>) -> bool {
        let non_uniform = i.index("access") & Access::NON_UNIFORM != 0;
        let element = self.sh.intrinsic_of(handle);
        !non_uniform && element.is_some_and(|e| e.op == IntrinsicOp::VulkanResourceIndex)
    }

    /// A complete handle in registers, with its constant added.
    pub(super) fn handle_in_register(&mut self, handle: Id<Def>) -> Lanes {
        let base = self.comp(handle, 0, Type::Ud);
        let offset = self.handle_offsets[handle];
        if offset == 0 {
            return base;
        }
        let exec = exec_of(base);
        let sum = self.b.temp(Type::Ud, exec);
        let offset = Lanes::imm(Type::Ud, u64::from(offset));
        self.b
            .binary(Opcode::Add, exec, sum, base, offset, Mods::NONE);
        sum
    }

    /// Runs `f` to send messages to a surface: once, or, for a divergent handle, in a waterfall
    /// loop. `f` gets the binding table index, the constant to add to the handle, the handle, and
    /// modifiers for the messages.
    pub(super) fn for_each_surface(
        &mut self,
        surface: Surface,
        f: &mut dyn FnMut(&mut Self, u32, u32, Src, Mods),
    ) {
        let (handle, handle_offset) = match surface {
            Surface::Shared => {
                f(self, bti::SLM, 0, Src::NULL, Mods::NONE);
                return;
            }
            Surface::Buffer(handle, offset) => (handle, offset),
        };
        if handle.is_imm() || handle.pitch == 0 {
            let handle = match handle.imm_bits() {
                Some(bits) => self.b.imm_reg(Type::Ud, bits),
                None => handle,
            };
            f(
                self,
                bti::BINDLESS,
                handle_offset,
                handle.src(0),
                Mods::NONE,
            );
            return;
        }
        let handles = self.contiguous(handle);
        let first = self.b.temp(Type::Ud, Exec::Scalar);
        self.b.control(Op::Do, None, 0);
        self.read_first_active(first, handles);
        let null = Lanes::null(Type::Ud, 4);
        let equal = Mods::cmod(CondMod::Z, LOOP_FLAG);
        self.b
            .binary(Opcode::Cmp, Exec::Active, null, handles, first, equal);
        f(
            self,
            bti::BINDLESS,
            handle_offset,
            first.src(0),
            Mods::pred(LOOP_FLAG, false),
        );
        let others = Pred {
            ctrl: PredCtrl::Normal,
            inverse: true,
        };
        self.b
            .control(Op::Eu(Opcode::While), Some(others), LOOP_FLAG);
        self.b.new_block();
    }

    /// The surface, which is the same for all active lanes, with `handle_offset` added to
    /// its handle.
    pub(super) fn uniform_surface(&mut self, handle: Id<Def>, handle_offset: u32) -> Surface {
        match self.buffer_surface(handle) {
            Surface::Buffer(handle, offset) => Surface::Buffer(
                self.first_active_value(handle),
                offset.wrapping_add(handle_offset),
            ),
            Surface::Shared => Surface::Shared,
        }
    }
}

/// True for dynamic buffers, whose handles are push data.
pub(super) fn is_dynamic_buffer(kind: abi::DescriptorKind) -> bool {
    matches!(
        kind,
        abi::DescriptorKind::UniformBufferDynamic | abi::DescriptorKind::StorageBufferDynamic
    )
}
