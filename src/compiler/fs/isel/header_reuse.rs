//! Registers that messages share: headers in which a dword changes from one message to the next,
//! and blocks of uniform buffers.
//!
//! In:  the shader's uniform buffer loads and samplers.
//! Out: one header for block reads, one for sampler messages and one for scratch, initialised at
//! the start of the thread; their variable dwords are rewritten only where the value changes. A
//! block of a uniform buffer is read once for all its loads that the first one dominates.
//! Ref: SKL PRM vol. 7, "Sampling Engine: Message Header"; "Unaligned OWord Block Read".
//! Tests: tests/fs/header_reuse/.

use super::context::Isel;
use super::shared_registers::{SamplerOffset, UniformBlock};
use crate::lir::builder::{Exec, Lanes, Mods};
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Reg, SendInfo, Src, VgrfId};
use abi::DriverValue;
use entity::Id;
use isa::{Opcode, Type};
use nir::{AluOp, CfEvent, Def, Instr, Intrinsic, IntrinsicOp, Stage, TexOp, TexSrc};

/// Maximum bytes of a block read.
const BLOCK_BYTES: u32 = 128;
/// Constants up to this limit are separated from a dynamic offset.
const MAX_SPLIT_CONSTANT: u32 = 1 << 16;

impl Isel<'_> {
    /// Finds blocks that several loads can share, and counts uses of samplers.
    pub(super) fn find_shared_blocks(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let blocks = layout.iter().filter_map(|event| match event {
            CfEvent::Block(b) => Some(&sh.blocks[*b]),
            _ => None,
        });
        for &id in blocks.flat_map(|b| &b.instrs) {
            match &sh.instrs[id] {
                Instr::Tex(tex) => {
                    if let Some(sampler) = tex.src(TexSrc::SamplerHandle) {
                        self.shared.sampler_uses[sampler] += 1;
                    }
                    self.shared.needs_sampler_word |= tex.src(TexSrc::Offset).is_some()
                        || tex.src(TexSrc::PackedOffset).is_some()
                        || tex.op == TexOp::Tg4 && tex.component > 0;
                }
                Instr::Intrinsic(i) => {
                    if let Some((block, first, end)) = self.uniform_block(i) {
                        let range = self
                            .shared
                            .block_ranges
                            .entry(block)
                            .or_insert((first, end));
                        *range = (range.0.min(first), range.1.max(end));
                    }
                }
                _ => {}
            }
        }
    }

    /// The block of a uniform buffer that a load reads from, and its byte range (start, end), if
    /// the block can be shared with other loads.
    fn uniform_block(&self, i: &Intrinsic) -> Option<(UniformBlock, u32, u32)> {
        let def = i.def?;
        let d = self.sh.defs[def];
        if i.op != IntrinsicOp::LoadUbo || d.bit_size != 32 || self.is_divergent(def) {
            return None;
        }
        if self.pushed_load(i).is_some() {
            return None;
        }
        let (root, first) = self.split_offset(i.srcs[1])?;
        let bytes = u32::from(d.num_components) * 4;
        let end = first.checked_add(bytes)?;
        // Block boundaries. Parts of a block at a dynamic offset may wrap around and lie before the
        // buffer while others are inside, which robust accesses would notice; a block within its
        // own alignment cannot.
        let align_mul = i.index("align_mul");
        let is_aligned = align_mul >= BLOCK_BYTES || self.robust_uniform;
        let (unit, offset_in_block) = match root {
            Some(_) if is_aligned => {
                let unit = align_mul.min(BLOCK_BYTES);
                (unit, i.index("align_offset") % unit.max(1))
            }
            _ => (BLOCK_BYTES, first % BLOCK_BYTES),
        };
        let start = first.checked_sub(offset_in_block)?;
        let fits =
            unit >= 2 * GRF_BYTES && first.is_multiple_of(4) && offset_in_block + bytes <= unit;
        fits.then_some(((i.srcs[0], root, start), first, end))
    }

    /// Splits an offset into a dynamic part and a constant.
    pub(super) fn split_offset(&self, offset: Id<Def>) -> Option<(Option<Id<Def>>, u32)> {
        if let Some(constant) = self.sh.const_component(offset, 0) {
            return Some((None, u32::try_from(constant).ok()?));
        }
        if let Some(sum) = self.sh.alu_of(offset)
            && sum.op == AluOp::IAdd
        {
            for (c, other) in [(1, 0), (0, 1)] {
                let (constant, root) = (&sum.srcs[c], sum.srcs[other].def);
                let constant = self.sh.const_component(constant.def, constant.swizzle[0]);
                // Large constants may be negative numbers: the sum could wrap around.
                if let Some(constant) = constant.filter(|n| *n < u64::from(MAX_SPLIT_CONSTANT))
                    && self.sh.defs[root].num_components == 1
                {
                    return Some((Some(root), constant as u32));
                }
            }
        }
        Some((Some(offset), 0))
    }

    /// Selects a uniform buffer load from a shared block. Returns false if it shares none.
    pub(super) fn select_shared_block_load(
        &mut self,
        i: &Intrinsic,
        handle: Lanes,
        handle_offset: u32,
    ) -> bool {
        let (Some((block, first, end)), Some(def)) = (self.uniform_block(i), i.def) else {
            return false;
        };
        let range = self
            .shared
            .block_ranges
            .get(&block)
            .copied()
            .unwrap_or_default();
        if block.1.is_some() && range == (first, end) {
            // No other load reads this block.
            return false;
        }
        let mut blocks = self.shared.blocks.iter();
        let (start, v) = match blocks.find(|b| b.0 == block) {
            Some(&(_, start, v)) => (start, v),
            None => {
                let (mut start, end) = range;
                if self.r0_has_zero_offset() && block.1.is_none() && block.2 == 0 {
                    start = 0;
                }
                let regs = (end - start).div_ceil(GRF_BYTES).next_power_of_two() as u8;
                let address = match block.1 {
                    None => Lanes::imm(Type::Ud, start.into()),
                    Some(root) => self.byte_offset(root, start),
                };
                let v = self.read_block(handle, handle_offset, address, regs, false);
                self.shared.blocks.push((block, start, v));
                (start, v)
            }
        };
        for c in 0..self.sh.defs[def].num_components {
            let offset = first - start + u32::from(c) * 4;
            self.set_lanes(def, c, Lanes::new(v, offset, Type::Ud, 0));
        }
        true
    }

    /// Reads 1, 2 or 4 registers from byte `address` of a buffer on. `changing`: other threads may
    /// write the memory meanwhile.
    pub(super) fn read_block(
        &mut self,
        handle: Lanes,
        handle_offset: u32,
        address: Lanes,
        regs: u8,
        changing: bool,
    ) -> VgrfId {
        let (ud, eight) = (Type::Ud, Exec::NoMask(8));
        if self.r0_has_zero_offset() && address.imm_bits() == Some(0) {
            return self.send_block_read(self.r0, handle, handle_offset, regs, changing);
        }
        let header = *self.shared.block_header.get_or_insert_with(|| {
            let v = self.b.lir.vgrf(GRF_BYTES);
            let zero = Lanes::imm(ud, 0);
            self.b
                .in_prologue(|b| b.mov(eight, Lanes::new(v, 0, ud, 4), zero));
            v
        });
        if self.shared.block_offset != Some(address) {
            let to = Lanes::new(header, 8, ud, 0);
            self.b.mov(Exec::Scalar, to, address);
            self.shared.header_writes += 1;
            self.shared.block_offset = address.is_imm().then_some(address);
        }
        self.send_block_read(header, handle, handle_offset, regs, changing)
    }

    /// True for stages where r0.2 is zero: r0 itself is the header of a block read at byte 0.
    fn r0_has_zero_offset(&self) -> bool {
        matches!(self.sh.stage, Stage::Vertex | Stage::Fragment)
    }

    /// Sends a block read whose `header` holds the byte offset in dword 2.
    fn send_block_read(
        &mut self,
        header: VgrfId,
        handle: Lanes,
        handle_offset: u32,
        regs: u8,
        changing: bool,
    ) -> VgrfId {
        let (ud, eight) = (Type::Ud, Exec::NoMask(8));
        let handle = match handle.imm_bits() {
            Some(bits) => self.b.imm_reg(ud, bits),
            None => handle,
        };
        let v = self.b.lir.vgrf(u32::from(regs) * GRF_BYTES);
        let info = SendInfo {
            handle_offset,
            ..message::block_read(isa::descriptor::bti::BINDLESS, regs, changing)
        };
        self.b.send(
            eight,
            Dst::vgrf(v, 0, ud, 1),
            Src::vgrf(header, 0, ud, 1),
            Src::NULL,
            handle.src(0),
            info,
            Mods::NONE,
        );
        v
    }

    // --- samplers ---

    /// Byte offset of a descriptor set, from which its samplers are addressed.
    pub(super) fn sampler_base(&mut self, set: u32) -> Lanes {
        self.push_value(DriverValue::SetPlace { set })
    }

    /// Records a sampler's offset as a base plus a constant, to be written directly into headers.
    /// Returns false if other instructions need it in a register.
    pub(super) fn record_sampler_offset(
        &mut self,
        def: Id<Def>,
        base: Lanes,
        constant: u32,
    ) -> bool {
        if self.shared.sampler_uses[def] != self.uses[def.index()] {
            return false;
        }
        self.shared.sampler_offsets[def] = Some(SamplerOffset { base, constant });
        true
    }

    /// The header of sampler messages, with `word` in dword 2 and the sampler's offset in dword 3.
    pub(super) fn sampler_header(&mut self, word: Lanes, sampler: Option<Id<Def>>) -> Src {
        let (ud, scalar) = (Type::Ud, Exec::Scalar);
        // Other stages have something else in r0.2.
        let clears_word = !self.r0_has_zero_offset();
        let r0 = Lanes::new(self.r0, 0, ud, 4);
        let v = *self.shared.sampler_header.get_or_insert_with(|| {
            let v = self.b.lir.vgrf(GRF_BYTES);
            self.b.in_prologue(|b| {
                b.mov(Exec::NoMask(8), Lanes::new(v, 0, ud, 4), r0);
                if clears_word {
                    b.mov(scalar, Lanes::new(v, 8, ud, 0), Lanes::imm(ud, 0));
                }
            });
            v
        });
        if self.shared.needs_sampler_word && self.shared.sampler_word != Some(word) {
            self.b.mov(scalar, Lanes::new(v, 8, ud, 0), word);
            self.shared.header_writes += 1;
        }
        self.shared.sampler_word = word.is_imm().then_some(word);
        if let Some(sampler) = sampler {
            let sampler_offset = self.shared.sampler_offsets[sampler].unwrap_or_else(|| {
                let offset = self.comp(sampler, 0, ud);
                let base = self.first_active_value(offset);
                SamplerOffset { base, constant: 0 }
            });
            if self.shared.sampler_offset != Some(sampler_offset) {
                let to = Lanes::new(v, 12, ud, 0);
                if sampler_offset.constant == 0 {
                    self.b.mov(scalar, to, sampler_offset.base);
                } else {
                    let constant = Lanes::imm(ud, sampler_offset.constant.into());
                    self.b.binary(
                        Opcode::Add,
                        scalar,
                        to,
                        sampler_offset.base,
                        constant,
                        Mods::NONE,
                    );
                }
                self.shared.header_writes += 1;
                // Only a VGRF identifies the value.
                let is_known = matches!(sampler_offset.base.reg, Reg::Vgrf(_));
                self.shared.sampler_offset = is_known.then_some(sampler_offset);
            }
        }
        Src::vgrf(v, 0, ud, 1)
    }
}
