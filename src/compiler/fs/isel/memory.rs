//! Push constants, descriptors, and loads, stores and atomics of buffers and shared memory.
//!
//! In:  memory intrinsics and resource indices. Out: untyped, byte scattered and block messages.
//!
//! Buffers are bindless: their handle goes into the extended descriptor, which holds one surface
//! for all lanes. A handle that differs between lanes needs a waterfall loop, with one surface in
//! each iteration.

use super::context::{Isel, Loc, exec_of};
use super::payload::intrinsics;
use super::types::{HF_BYTES, raw_type};
use super::unsupported::unsupported_intrinsic;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message::{self, BTI_BINDLESS, BTI_SLM};
use crate::lir::{Dst, GRF_BYTES, Op, Pred, SendInfo, Src, VgrfId};
use abi::DriverValue;
use entity::Id;
use isa::{CondMod, Opcode, PredCtrl, Type};
use nir::{Access, AtomicOp, CfEvent, Def, Instr, Intrinsic, IntrinsicOp, TexSrc};
use smallvec::SmallVec;

/// Flag of waterfall loops: f1.0.
pub(super) const LOOP_FLAG: u8 = 2;

/// The surface that a memory access addresses.
#[derive(Clone, Copy)]
pub(super) enum Surface {
    /// The handle of a surface, and a constant to add to it.
    Buffer(Lanes, u32),
    Shared,
}

/// A load whose payloads are built and whose messages are still to be sent.
pub(super) struct Load {
    /// Lanes of each message.
    lanes: u8,
    /// Bytes of each component.
    bytes: u8,
    components: u8,
    /// Other threads may write the memory meanwhile.
    changing: bool,
    /// First lane and payload of each message.
    payloads: SmallVec<[(u8, Src); 2]>,
    /// The register of the responses.
    answer: VgrfId,
}

/// Limit of the push constant bytes that a shader may address: a quarter of the register file.
const MAX_PUSH_BYTES: u64 = 1024;

/// The amount to add to a handle for the next surface of the same descriptor.
pub(super) const SURFACE_STEP: u32 = abi::PIECE_BYTES << 6;

impl Isel<'_> {
    // --- push data
    // --------------------------------------------------------------------------------

    /// The register of a dword that the driver pushes; requests it if it is not pushed yet.
    pub(super) fn push_value(&mut self, value: DriverValue) -> Lanes {
        let at = match self.push.driver.iter().position(|v| *v == value) {
            Some(at) => at,
            None => {
                self.push.driver.push(value);
                self.push.driver.len() - 1
            }
        };
        let dword = self.push.constants_dw + at as u32;
        Lanes::new(self.push_reg, dword * 4, Type::Ud, 0)
    }

    /// The register of a byte of the application's push constants, which must lie in the range that
    /// [`Isel::plan_push_data`] has found.
    fn push_constant(&self, byte: u32) -> Lanes {
        let at = byte.saturating_sub(self.push.constants_first_dw * 4);
        Lanes::new(self.push_reg, at & !3, Type::Ud, 0).at(at & 3)
    }

    /// Finds the range of push constants that the shader reads, counts uses of handles, and pushes
    /// the handles of dynamically indexed dynamic buffers in order.
    pub(super) fn plan_push_data(&mut self, layout: &[CfEvent]) -> Result<(), FsError> {
        let sh = self.sh;
        let intrinsics = || intrinsics(sh, layout);
        let (mut first, mut end) = (u64::MAX, 0);
        for intrinsic in intrinsics().filter(|i| i.op == IntrinsicOp::LoadPushConstant) {
            let (base, range) = (intrinsic.index("base"), intrinsic.index("range"));
            let (at, bytes) = match (sh.const_component(intrinsic.srcs[0], 0), intrinsic.def) {
                (Some(offset), Some(def)) => {
                    let d = sh.defs[def];
                    let bytes = u64::from(d.bit_size) / 8 * u64::from(d.num_components);
                    (u64::from(base) + offset, bytes)
                }
                _ => (base.into(), range.into()),
            };
            first = first.min(at / 4);
            end = end.max(at.saturating_add(bytes));
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
            if let Some(at) = handle_operand(intrinsic.op) {
                self.handle_uses[intrinsic.srcs[at]] += 1;
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

    fn push_dynamic_handles(&mut self, binding: abi::Binding) {
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

    pub(super) fn binding(&self, intrinsic: &Intrinsic) -> Result<abi::Binding, FsError> {
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
            let at = i.index("base") + offset as u32;
            for c in 0..d.num_components {
                let place = self.push_constant(at + u32::from(c) * bytes);
                self.set_uniform(def, c, place);
            }
            return;
        }
        let base = self.push_constant(i.index("base")).offset;
        let offset = self.comp(i.srcs[0], 0, Type::Ud);
        let exec = self.exec_for(def);
        let whole = self.alloc_def(def);
        let _ = whole;
        for c in 0..d.num_components {
            let dst = self.comp(def, c, Type::Ud);
            let from = Lanes::new(self.push_reg, base + u32::from(c) * bytes, Type::Ud, 0);
            self.mov_indirect(exec, dst, from, offset);
        }
    }

    /// Sets a component of a def from a scalar; a divergent def gets a copy in each lane.
    pub(super) fn set_uniform(&mut self, def: Id<Def>, c: u8, place: Lanes) {
        if !self.is_divergent(def) {
            self.set_lanes(def, c, place);
            return;
        }
        let to = self.b.temp(Type::Ud, Exec::Active);
        self.b.mov(Exec::Active, to, place.retype(Type::Ud));
        self.set_lanes(def, c, to);
    }

    /// Emits `dst = base[bytes]`, an indirect read of the register file.
    pub(super) fn mov_indirect(&mut self, exec: Exec, dst: Lanes, base: Lanes, bytes: Lanes) {
        // The address register is made of words: uses the low half of each dword.
        let offset = match bytes.imm_bits() {
            Some(v) => self.b.imm_reg(Type::Ud, v),
            None => bytes,
        };
        self.b.emit(
            Op::MovIndirect,
            exec,
            dst,
            &[base.scalar(), offset.retype(Type::Uw)],
            Mods::NONE,
        );
    }

    // --- descriptors
    // --------------------------------------------------------------------------------

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
        // A handle is a byte offset shifted left by six bits.
        let first = u64::from(binding.offset_bytes) << 6;
        let stride = u64::from(binding.stride_bytes) << 6;
        if let Some(index) = index.imm_bits() {
            let offset = first.wrapping_add(index.wrapping_mul(stride));
            if offset == 0 {
                self.set_lanes(def, 0, set);
                return Ok(());
            }
            if self.handle_uses[def] == self.uses[def.index()] {
                // The extended descriptor has a field for the constant, so no ADD is needed.
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

    /// Byte offset of an element's sampler from the address that [`DriverValue::SetPlace`] has for
    /// the set.
    pub(super) fn sampler_offset(&self, i: &Intrinsic, element: u32) -> Result<u32, FsError> {
        let at = self.binding(i)?.samplers.of(element);
        Ok(at.wrapping_add(self.layout.sampler_base_bytes))
    }

    /// Selects `vulkan_sampler_index`: the byte offset of a sampler's state from Dynamic State Base
    /// Address.
    pub(super) fn select_sampler_index(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let Some(def) = i.def else { return Ok(()) };
        let stride_bytes = self.binding(i)?.samplers.stride_bytes;
        let ud = Type::Ud;
        let exec = self.exec_for(def);
        let bytes = self.sampler_base(i.index("set"));
        let first = self.sampler_offset(i, 0)?;
        let index = self.comp(i.srcs[0], 0, ud);
        let (base, constant) = match index.imm_bits() {
            Some(index) => {
                let at = (index as u32).wrapping_mul(stride_bytes);
                let more = first.wrapping_add(at);
                if self.record_sampler_offset(def, bytes, more) {
                    return Ok(());
                }
                (bytes, more)
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
            let pieces = Lanes::imm(Type::Uw, u64::from(by / SURFACE_STEP));
            let product = self.b.temp(Type::Ud, exec);
            self.b
                .binary(Opcode::Mul, exec, product, index, pieces, Mods::NONE);
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
        let marked = i.index("access") & Access::NON_UNIFORM != 0;
        let element = self.sh.intrinsic_of(handle);
        !marked && element.is_some_and(|e| e.op == IntrinsicOp::VulkanResourceIndex)
    }

    /// A complete handle in registers, with its constant added.
    pub(super) fn handle_in_register(&mut self, handle: Id<Def>) -> Lanes {
        let place = self.comp(handle, 0, Type::Ud);
        let offset = self.handle_offsets[handle];
        if offset == 0 {
            return place;
        }
        let exec = exec_of(place);
        let sum = self.b.temp(Type::Ud, exec);
        let offset = Lanes::imm(Type::Ud, u64::from(offset));
        self.b
            .binary(Opcode::Add, exec, sum, place, offset, Mods::NONE);
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
        let (handle, more) = match surface {
            Surface::Shared => {
                f(self, BTI_SLM, 0, Src::NULL, Mods::NONE);
                return;
            }
            Surface::Buffer(h, more) => (h, more),
        };
        if handle.is_imm() || handle.pitch == 0 {
            let handle = match handle.imm_bits() {
                Some(bits) => self.b.imm_reg(Type::Ud, bits),
                None => handle,
            };
            f(self, BTI_BINDLESS, more, handle.src(0), Mods::NONE);
            return;
        }
        let packed = self.contiguous(handle);
        let one = self.b.temp(Type::Ud, Exec::Scalar);
        self.b.control(Op::Do, None, 0);
        self.read_first_active(one, packed);
        let null = Lanes::null(Type::Ud, 4);
        let equal = Mods::cmod(CondMod::Z, LOOP_FLAG);
        self.b
            .binary(Opcode::Cmp, Exec::Active, null, packed, one, equal);
        f(
            self,
            BTI_BINDLESS,
            more,
            one.src(0),
            Mods::pred(LOOP_FLAG, false),
        );
        let rest = Pred {
            ctrl: PredCtrl::Normal,
            inverse: true,
        };
        self.b.control(Op::Eu(Opcode::While), Some(rest), LOOP_FLAG);
        self.b.new_block();
    }

    /// The same values with a pitch of four bytes, from the start of a register on.
    pub(super) fn contiguous(&mut self, l: Lanes) -> Lanes {
        if l.pitch == 4 && l.half == 64 && !l.neg && !l.abs && l.offset.is_multiple_of(GRF_BYTES) {
            return l;
        }
        let to = self.b.temp(Type::Ud, Exec::Active);
        self.b.mov(Exec::Active, to, l);
        to
    }

    /// Emits `to =` the first active lane's value of `from`, which must be contiguous.
    pub(super) fn read_first_active(&mut self, to: Lanes, from: Lanes) {
        let lane = self.emit_first_active();
        let bytes = self.b.temp(Type::Ud, Exec::Scalar);
        let two = Lanes::imm(Type::Ud, 2);
        self.b
            .binary(Opcode::Shl, Exec::Scalar, bytes, lane, two, Mods::NONE);
        self.mov_indirect(Exec::Scalar, to, from, bytes);
    }

    // --- loads and stores
    // -----------------------------------------------------------------------------

    /// The byte offset of each lane plus a constant.
    pub(super) fn byte_offset(&mut self, offset: Id<Def>, base: u32) -> Lanes {
        let l = self.comp(offset, 0, Type::Ud);
        if let Some(v) = l.imm_bits() {
            return Lanes::imm(Type::Ud, u64::from((v as u32).wrapping_add(base)));
        }
        if base == 0 {
            return l;
        }
        let exec = exec_of(l);
        let to = self.b.temp(Type::Ud, exec);
        let base = Lanes::imm(Type::Ud, u64::from(base));
        self.b.binary(Opcode::Add, exec, to, l, base, Mods::NONE);
        to
    }

    /// Splits the thread's lanes into messages of at most `max_lanes`: lanes of each message, and
    /// the first lane of each.
    pub(super) fn split_lanes(
        &self,
        at_once: u8,
    ) -> (u8, impl Iterator<Item = u8> + Clone + use<>) {
        let width = self.b.width();
        let n = width.min(at_once);
        (n, (0..width).step_by(usize::from(n)))
    }

    /// Allocates the response register for messages of `n` lanes and makes it the location of the
    /// def's components.
    pub(super) fn alloc_response(&mut self, def: Id<Def>, n: u8) -> VgrfId {
        let comps = self.sh.defs[def].num_components;
        let width = self.b.width();
        let part = u32::from(n) * 4;
        let v = self.b.lir.vgrf(u32::from(comps) * u32::from(width) * 4);
        // Within a message, lanes are contiguous; the next message's response starts after all
        // components.
        let half = if n == 16 { part * u32::from(comps) } else { 64 };
        for c in 0..comps {
            let place = Loc::Reg {
                v,
                offset: u32::from(c) * part,
                pitch: 4,
                half: half as u16,
            };
            self.set_loc(def, c, place);
        }
        v
    }

    pub(super) fn select_load(
        &mut self,
        i: &Intrinsic,
        surface: Surface,
        offset: Id<Def>,
        base: u32,
    ) {
        if i.def.is_some_and(|def| !self.is_divergent(def))
            && let Surface::Buffer(handle, more) = surface
        {
            self.load_uniform(i, handle, more, offset, base);
            return;
        }
        let Some(load) = self.prepare_load(i, offset, base) else {
            return;
        };
        self.for_each_surface(surface, &mut |isel, bti, more, handle, mods| {
            isel.send_load(&load, (bti, more), handle, mods);
        });
    }

    /// Builds the payloads of a load and allocates its response register.
    pub(super) fn prepare_load(
        &mut self,
        i: &Intrinsic,
        offset: Id<Def>,
        base: u32,
    ) -> Option<Load> {
        let def = i.def?;
        let d = self.sh.defs[def];
        // A constant may be defined after the load whose loop this load shares, so it is not read
        // through its location.
        let address = match self.sh.const_component(offset, 0) {
            Some(at) => Lanes::imm(Type::Ud, u64::from((at as u32).wrapping_add(base))),
            None => self.byte_offset(offset, base),
        };
        let (lanes, parts) = self.split_lanes(16);
        let answer = self.alloc_response(def, lanes);
        let payloads = parts.map(|lane| {
            let exec = Exec::Range(lane, lanes);
            (lane, self.b.collect(exec, &[], &[address]))
        });
        Some(Load {
            lanes,
            bytes: d.bit_size / 8,
            components: d.num_components,
            changing: i.op != IntrinsicOp::LoadUbo,
            payloads: payloads.collect(),
            answer,
        })
    }

    /// Sends the messages of a load to a surface: (binding table index, constant to add to the
    /// handle).
    pub(super) fn send_load(
        &mut self,
        load: &Load,
        (bti, more): (u32, u32),
        handle: Src,
        mods: Mods,
    ) {
        let (lanes, n) = (load.lanes, load.components);
        for &(lane, payload) in &load.payloads {
            let info = if load.bytes == 4 {
                message::untyped_read(bti, lanes, n)
            } else {
                message::byte_read(bti, lanes, load.bytes)
            };
            let info = SendInfo {
                handle_offset: more,
                reads: load.changing,
                ..info
            };
            let at = u32::from(lane) * 4 * u32::from(n);
            let dst = Dst::vgrf(load.answer, at, Type::Ud, 1);
            let exec = Exec::Range(lane, lanes);
            self.b
                .send(exec, dst, payload, Src::NULL, handle, info, mods);
        }
    }

    /// A load of the same dwords for all lanes, as a block read.
    fn load_uniform(
        &mut self,
        i: &Intrinsic,
        handle: Lanes,
        more: u32,
        offset: Id<Def>,
        base: u32,
    ) {
        let Some(def) = i.def else { return };
        if self.select_shared_block_load(i, handle, more) {
            return;
        }
        let address = self.byte_offset(offset, base);
        let changing = i.op != IntrinsicOp::LoadUbo;
        let v = self.read_block(handle, more, address, 1, changing);
        for c in 0..self.sh.defs[def].num_components {
            self.set_lanes(def, c, Lanes::new(v, u32::from(c) * 4, Type::Ud, 0));
        }
    }

    pub(super) fn select_store(
        &mut self,
        value: Id<Def>,
        surface: Surface,
        offset: Id<Def>,
        base: u32,
    ) {
        let d = self.sh.defs[value];
        let bytes = d.bit_size / 8;
        let address = self.byte_offset(offset, base);
        let data: SmallVec<[Lanes; 4]> = (0..d.num_components)
            .map(|c| self.comp(value, c, raw_type(d.bit_size)))
            .collect();
        let data = self.in_whole_slots(data, d.bit_size);
        let (lanes, parts) = self.split_lanes(16);
        let payloads: SmallVec<[(u8, Src, Src); 2]> = parts
            .map(|lane| {
                let exec = Exec::Range(lane, lanes);
                let address = self.b.collect(exec, &[], &[address]);
                (lane, address, self.b.collect(exec, &[], &data))
            })
            .collect();
        self.for_each_surface(surface, &mut |isel, bti, more, handle, mods| {
            for &(lane, address, data) in &payloads {
                let info = if bytes == 4 {
                    message::untyped_write(bti, lanes, d.num_components)
                } else {
                    message::byte_write(bti, lanes, bytes)
                };
                let info = SendInfo {
                    handle_offset: more,
                    ..info
                };
                let null = Dst::null(Type::Ud);
                let mods = isel.with_live_predicate(mods);
                isel.b.send(
                    Exec::Range(lane, lanes),
                    null,
                    address,
                    data,
                    handle,
                    info,
                    mods,
                );
            }
        });
    }

    /// Moves 8- and 16-bit values that are packed, or that are not in the low bits of their slot,
    /// into slots of their own.
    pub(super) fn in_whole_slots(
        &mut self,
        data: SmallVec<[Lanes; 4]>,
        bits: u8,
    ) -> SmallVec<[Lanes; 4]> {
        if bits >= 32 {
            return data;
        }
        data.into_iter()
            .map(|l| {
                let has_slot = l.pitch != HF_BYTES;
                if l.is_imm() || has_slot && l.offset.is_multiple_of(4) {
                    return l;
                }
                let ty = if bits == 8 { Type::Ub } else { Type::Uw };
                let to = self.b.temp(Type::Ud, exec_of(l));
                self.b.mov(exec_of(l), to, l.retype(ty));
                to.retype(Type::Uw)
            })
            .collect()
    }

    /// Returns an error unless all operands have 32 bits.
    pub(super) fn require_dwords(
        &self,
        i: &Intrinsic,
        operands: &[Id<Def>],
    ) -> Result<(), FsError> {
        if operands.iter().all(|&operand| self.bits(operand) == 32) {
            return Ok(());
        }
        Err(unsupported_intrinsic(i, "only 32-bit values are supported"))
    }

    pub(super) fn select_atomic(
        &mut self,
        i: &Intrinsic,
        surface: Surface,
        offset: Id<Def>,
        base: u32,
        operands: &[Id<Def>],
    ) -> Result<(), FsError> {
        let op = atomic_op(i)?;
        self.require_dwords(i, operands)?;
        let wanted = i.def.filter(|d| self.uses[d.index()] > 0);
        let address = self.byte_offset(offset, base);
        let data: SmallVec<[Lanes; 2]> = operands
            .iter()
            .map(|d| self.comp(*d, 0, Type::Ud))
            .collect();
        let (lanes, parts) = self.split_lanes(16);
        let v = wanted.map(|def| self.alloc_response(def, lanes));
        let payloads: SmallVec<[(u8, Src, Src); 2]> = parts
            .map(|lane| {
                let exec = Exec::Range(lane, lanes);
                let address = self.b.collect(exec, &[], &[address]);
                (lane, address, self.b.collect(exec, &[], &data))
            })
            .collect();
        let mut failed = None;
        let operands = operands.len() as u8;
        self.for_each_surface(surface, &mut |isel, bti, more, handle, mods| {
            for &(lane, address, data) in &payloads {
                let Some(info) = message::untyped_atomic(bti, lanes, op, operands, v.is_some())
                else {
                    failed = Some(unsupported_atomic(i));
                    return;
                };
                let info = SendInfo {
                    handle_offset: more,
                    ..info
                };
                let dst = match v {
                    Some(v) => Dst::vgrf(v, u32::from(lane) * 4, Type::Ud, 1),
                    None => Dst::null(Type::Ud),
                };
                let mods = isel.with_live_predicate(mods);
                isel.b.send(
                    Exec::Range(lane, lanes),
                    dst,
                    address,
                    data,
                    handle,
                    info,
                    mods,
                );
            }
        });
        failed.map_or(Ok(()), Err)
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
        | IntrinsicOp::BindlessImageLoad
        | IntrinsicOp::BindlessImageStore
        | IntrinsicOp::BindlessImageAtomic
        | IntrinsicOp::BindlessImageAtomicSwap
        | IntrinsicOp::BindlessImageSize => Some(0),
        IntrinsicOp::StoreSsbo => Some(1),
        _ => None,
    }
}

pub(super) fn is_dynamic_buffer(kind: abi::DescriptorKind) -> bool {
    matches!(
        kind,
        abi::DescriptorKind::UniformBufferDynamic | abi::DescriptorKind::StorageBufferDynamic
    )
}

/// The operation of an atomic intrinsic.
pub(super) fn atomic_op(i: &Intrinsic) -> Result<AtomicOp, FsError> {
    const ALL: [AtomicOp; 13] = [
        AtomicOp::IAdd,
        AtomicOp::IMin,
        AtomicOp::UMin,
        AtomicOp::IMax,
        AtomicOp::UMax,
        AtomicOp::IAnd,
        AtomicOp::IOr,
        AtomicOp::IXor,
        AtomicOp::Xchg,
        AtomicOp::FAdd,
        AtomicOp::FMin,
        AtomicOp::FMax,
        AtomicOp::CmpXchg,
    ];
    if i.op.index_of("atomic_op").is_none() {
        return Ok(AtomicOp::CmpXchg);
    }
    let number = i.index("atomic_op");
    let found = ALL.into_iter().find(|op| *op as u32 == number);
    found.ok_or_else(|| unsupported_atomic(i))
}

pub(super) fn unsupported_atomic(i: &Intrinsic) -> FsError {
    unsupported_intrinsic(i, "the hardware does not have this atomic operation")
}
