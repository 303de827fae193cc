//! The block of push data: push constants, and dwords that the driver supplies.
//!
//! In:  loads of push constants, and requests for driver values. Out: [`abi::PushData`], and reads
//!      of its registers.

use super::context::Isel;
use super::payload::intrinsics;
use super::surface::is_dynamic_buffer;
use crate::error::FsError;
use crate::lir::builder::Lanes;
use abi::DriverValue;
use isa::Type;
use nir::{CfEvent, Instr, Intrinsic, IntrinsicOp, TexSrc};

/// Limit of the push constant bytes that a shader may address: a quarter of the register file.
const MAX_PUSH_BYTES: u64 = 1024;

impl Isel<'_> {
    /// The register of a dword that the driver pushes; requests it if it is not pushed yet.
    pub(super) fn push_value(&mut self, value: DriverValue) -> Lanes {
        let index = match self.push.driver.iter().position(|v| *v == value) {
            Some(index) => index,
            None => {
                self.push.driver.push(value);
                self.push.driver.len() - 1
            }
        };
        let dword = self.push.constants_dw + index as u32;
        Lanes::new(self.push_reg, dword * 4, Type::Ud, 0)
    }

    /// The register of a byte of the application's push constants, which must lie in the range that
    /// [`Isel::plan_push_data`] has found.
    fn push_constant(&self, byte: u32) -> Lanes {
        let offset = byte.saturating_sub(self.push.constants_first_dw * 4);
        Lanes::new(self.push_reg, offset & !3, Type::Ud, 0).offset_by(offset & 3)
    }

    /// Finds the range of push constants that the shader reads, counts uses of handles, and pushes
    /// the handles of dynamically indexed dynamic buffers in order.
    pub(super) fn plan_push_data(&mut self, layout: &[CfEvent]) -> Result<(), FsError> {
        let sh = self.sh;
        let intrinsics = || intrinsics(sh, layout);
        let (mut first, mut end) = (u64::MAX, 0);
        for intrinsic in intrinsics().filter(|i| i.op == IntrinsicOp::LoadPushConstant) {
            let (base, range) = (intrinsic.index("base"), intrinsic.index("range"));
            let (start, bytes) = match (sh.const_component(intrinsic.srcs[0], 0), intrinsic.def) {
                (Some(offset), Some(def)) => {
                    let d = sh.defs[def];
                    let bytes = u64::from(d.bit_size) / 8 * u64::from(d.num_components);
                    (u64::from(base) + offset, bytes)
                }
                _ => (base.into(), range.into()),
            };
            first = first.min(start / 4);
            end = end.max(start.saturating_add(bytes));
        }
        // A module may declare any size, but every dword takes register space.
        if end > MAX_PUSH_BYTES {
            return Err(FsError::Limit {
                what: "bytes of push constants",
                need: end,
                max: MAX_PUSH_BYTES,
            });
        }
        if first < end {
            self.push.constants_first_dw = first as u32;
            self.push.constants_dw = end.div_ceil(4).saturating_sub(first) as u32;
        }
        for event in layout {
            let CfEvent::Block(b) = *event else { continue };
            for &id in &sh.blocks[b].instrs {
                if let Instr::Tex(tex) = &sh.instrs[id]
                    && let Some(texture) = tex.src(TexSrc::TextureHandle)
                {
                    self.handle_uses[texture] += 1;
                }
            }
        }
        for intrinsic in intrinsics() {
            if let Some(operand) = handle_operand(intrinsic.op) {
                self.handle_uses[intrinsic.srcs[operand]] += 1;
            }
            if intrinsic.op == IntrinsicOp::VulkanResourceIndex
                && sh.const_of(intrinsic.srcs[0]).is_none()
            {
                let binding = self.binding(intrinsic)?;
                if is_dynamic_buffer(binding.kind) {
                    self.push_dynamic_handles(binding);
                }
            }
        }
        Ok(())
    }

    /// Pushes the handles of all elements of a dynamic buffer binding, in order.
    fn push_dynamic_handles(&mut self, binding: abi::DescriptorBinding) {
        let first = DriverValue::DynamicHandle {
            index: binding.dynamic_index,
        };
        if self.push.driver.contains(&first) {
            return;
        }
        for i in 0..binding.count {
            self.push.driver.push(DriverValue::DynamicHandle {
                index: binding.dynamic_index + i,
            });
        }
    }

    /// The binding that a resource or sampler index names, from the pipeline layout.
    pub(super) fn binding(&self, intrinsic: &Intrinsic) -> Result<abi::DescriptorBinding, FsError> {
        let (set, binding) = (intrinsic.index("set"), intrinsic.index("binding"));
        let missing = FsError::NoBinding { set, binding };
        let layout = self.layout.sets.get(set as usize).ok_or(missing.clone())?;
        let found = layout.bindings.iter().find(|b| b.binding == binding);
        found.copied().ok_or(missing)
    }

    /// Selects `load_push_constant`.
    pub(super) fn select_load_push_constant(&mut self, i: &Intrinsic) {
        let Some(def) = i.def else { return };
        let d = self.sh.defs[def];
        let bytes = u32::from(d.bit_size) / 8;
        if let Some(offset) = self.sh.const_component(i.srcs[0], 0) {
            let byte = i.index("base") + offset as u32;
            for c in 0..d.num_components {
                let value = self.push_constant(byte + u32::from(c) * bytes);
                self.set_uniform(def, c, value);
            }
            return;
        }
        let base = self.push_constant(i.index("base")).offset;
        let offset = self.comp(i.srcs[0], 0, Type::Ud);
        let exec = self.exec_for(def);
        self.alloc_def(def);
        for c in 0..d.num_components {
            let dst = self.comp(def, c, Type::Ud);
            let from = Lanes::new(self.push_reg, base + u32::from(c) * bytes, Type::Ud, 0);
            self.mov_indirect(exec, dst, from, offset);
        }
    }
}

/// The index of an intrinsic's surface handle operand.
fn handle_operand(op: IntrinsicOp) -> Option<usize> {
    match op {
        IntrinsicOp::LoadUbo
        | IntrinsicOp::LoadSsbo
        | IntrinsicOp::SsboAtomic
        | IntrinsicOp::SsboAtomicSwap
        | IntrinsicOp::GetSsboSize
        | IntrinsicOp::LoadSsboAddress
        | IntrinsicOp::LoadSurfaceState
        | IntrinsicOp::BindlessImageLoad
        | IntrinsicOp::BindlessImageStore
        | IntrinsicOp::BindlessImageAtomic
        | IntrinsicOp::BindlessImageAtomicSwap
        | IntrinsicOp::BindlessImageSize => Some(0),
        IntrinsicOp::StoreSsbo => Some(1),
        _ => None,
    }
}
