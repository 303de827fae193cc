//! Registers that messages share: headers in which a dword changes from one message to the next,
//! and blocks of uniform buffers.
//!
//! In:  the shader's uniform buffer loads and samplers.
//! Out: one header for block reads, one for sampler messages and one for scratch, initialised at
//! the start of the thread; their variable dwords are rewritten only where the value changes. A
//! block of a uniform buffer is read once for all its loads that the first one dominates.
//! Ref: SKL PRM vol. 7, "Sampling Engine: Message Header"; "Unaligned OWord Block Read".

use super::Isel;
use crate::lir::builder::{Builder, Exec, Lanes, Mods};
use crate::lir::message::{self, BTI_BINDLESS};
use crate::lir::{Dst, GRF_BYTES, Reg, SendInfo, Src, VgrfId};
use abi::DriverValue;
use entity::{Id, IdMap};
use isa::{Opcode, Type};
use nir::{AluOp, CfEvent, Def, Instr, Intrinsic, IntrinsicOp, Stage, TexOp, TexSrc};
use rustc_hash::FxHashMap;

/// Maximum bytes of a block read.
const BLOCK_BYTES: u32 = 128;
/// Constants up to this limit are separated from a dynamic offset.
const MOST_ADDED: u32 = 1 << 16;

/// A block of a uniform buffer: buffer handle, dynamic part of the offset, and first byte.
type Block = (Id<Def>, Option<Id<Def>>, u32);

/// The offset of a sampler's state: a register plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SamplerPlace {
    base: Lanes,
    more: u32,
}

/// The shared registers, and what they hold at the current point of the program.
#[derive(Default)]
pub(super) struct Reuse {
    /// The byte range (start, end) that loads read of each block.
    wanted: FxHashMap<Block, (u32, u32)>,
    /// Blocks already read whose read dominates the current instruction: block, first byte,
    /// registers.
    blocks: Vec<(Block, u32, VgrfId)>,
    /// For each open if or loop: the number of `blocks`, and the value of `changes`, at its start.
    open: Vec<(usize, u32)>,
    /// Counts writes to header dwords.
    changes: u32,
    block_header: Option<VgrfId>,
    pub(super) stateless_header: Option<VgrfId>,
    /// Payload of barrier messages.
    pub(super) barrier_payload: Option<VgrfId>,
    /// Dword 2 of the block header, if known: the byte offset.
    block_at: Option<Lanes>,
    sampler_header: Option<VgrfId>,
    /// Its dword 2, if known: texel offsets and gather component.
    word: Option<u32>,
    /// Its dword 3, if known: the sampler.
    sampler: Option<SamplerPlace>,
    /// Some sampler message needs a non-zero dword 2.
    has_words: bool,
    /// Number of uses of a def as a sampler handle.
    uses: IdMap<Def, u32>,
    places: IdMap<Def, Option<SamplerPlace>>,
    /// Number of the first active lane, and the count of control flow instructions for which it is
    /// valid.
    pub(super) first_active: Option<(u32, Lanes)>,
}

impl Reuse {
    /// True outside all ifs and loops.
    pub(super) fn is_outermost(&self) -> bool {
        self.open.is_empty()
    }

    /// Updates the state for a control flow event. Header dwords that a branch has changed are
    /// unknown after it, and all are unknown inside a loop, which may change them. Blocks stay
    /// known where their read dominates.
    pub(super) fn enter(&mut self, event: &CfEvent) {
        match event {
            CfEvent::Block(_) => {}
            CfEvent::If(_) => self.open.push((self.blocks.len(), self.changes)),
            CfEvent::Loop(_) => {
                self.forget_headers();
                self.open.push((self.blocks.len(), self.changes));
            }
            CfEvent::Else(_) => {
                let (blocks, changes) = self.open.last().copied().unwrap_or_default();
                self.leave(blocks, changes);
            }
            CfEvent::EndIf(_) | CfEvent::EndLoop(_) => {
                let (blocks, changes) = self.open.pop().unwrap_or_default();
                self.leave(blocks, changes);
            }
        }
    }

    fn leave(&mut self, blocks: usize, changes: u32) {
        self.blocks.truncate(blocks);
        if self.changes != changes {
            self.forget_headers();
        }
    }

    fn forget_headers(&mut self) {
        self.block_at = None;
        self.word = None;
        self.sampler = None;
    }
}

impl Isel<'_> {
    /// Finds blocks that several loads can share, and counts uses of samplers.
    pub(super) fn prepare_reuse(&mut self, layout: &[CfEvent]) {
        let sh = self.sh;
        let blocks = layout.iter().filter_map(|event| match event {
            CfEvent::Block(b) => Some(&sh.blocks[*b]),
            _ => None,
        });
        for &id in blocks.flat_map(|b| &b.instrs) {
            match &sh.instrs[id] {
                Instr::Tex(tex) => {
                    if let Some(sampler) = tex.src(TexSrc::SamplerHandle) {
                        self.reuse.uses[sampler] += 1;
                    }
                    self.reuse.has_words |= tex.src(TexSrc::Offset).is_some()
                        || tex.op == TexOp::Tg4 && tex.component > 0;
                }
                Instr::Intrinsic(i) => {
                    if let Some((block, first, end)) = self.block_of(i) {
                        let wanted = self.reuse.wanted.entry(block).or_insert((first, end));
                        *wanted = (wanted.0.min(first), wanted.1.max(end));
                    }
                }
                _ => {}
            }
        }
    }

    /// The block of a uniform buffer that a load reads from, and its byte range (start, end), if
    /// the block can be shared with other loads.
    fn block_of(&self, i: &Intrinsic) -> Option<(Block, u32, u32)> {
        let def = i.def?;
        let d = self.sh.defs[def];
        if i.op != IntrinsicOp::LoadUbo || d.bit_size != 32 || self.is_divergent(def) {
            return None;
        }
        if self.pushed_load(i).is_some() {
            return None;
        }
        let (root, first) = self.place_in_buffer(i.srcs[1])?;
        let bytes = u32::from(d.num_components) * 4;
        let end = first.checked_add(bytes)?;
        // Block boundaries. Parts of a block at a dynamic offset may wrap around and lie before the
        // buffer while others are inside; a block within its own alignment cannot.
        let unit = match root {
            None => BLOCK_BYTES,
            Some(_) => i.index("align_mul").min(BLOCK_BYTES),
        };
        let at = match root {
            None => first % unit,
            Some(_) => i.index("align_offset") % unit.max(1),
        };
        let start = first.checked_sub(at)?;
        let within = unit >= 2 * GRF_BYTES && first.is_multiple_of(4) && at + bytes <= unit;
        within.then_some(((i.srcs[0], root, start), first, end))
    }

    /// Splits an offset into a dynamic part and a constant.
    fn place_in_buffer(&self, offset: Id<Def>) -> Option<(Option<Id<Def>>, u32)> {
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
                if let Some(constant) = constant.filter(|n| *n < u64::from(MOST_ADDED))
                    && self.sh.defs[root].num_components == 1
                {
                    return Some((Some(root), constant as u32));
                }
            }
        }
        Some((Some(offset), 0))
    }

    /// Selects a uniform buffer load from a shared block. Returns false if it shares none.
    pub(super) fn load_shared_block(&mut self, i: &Intrinsic, handle: Lanes, more: u32) -> bool {
        let (Some((block, first, end)), Some(def)) = (self.block_of(i), i.def) else {
            return false;
        };
        let wanted = self.reuse.wanted.get(&block).copied().unwrap_or_default();
        if block.1.is_some() && wanted == (first, end) {
            // No other load reads this block.
            return false;
        }
        let known = self.reuse.blocks.iter().find(|b| b.0 == block);
        let (start, v) = match known {
            Some(&(_, start, v)) => (start, v),
            None => {
                let (mut start, end) = wanted;
                if self.starts_with_zero() && block.1.is_none() && block.2 == 0 {
                    start = 0;
                }
                let regs = (end - start).div_ceil(GRF_BYTES).next_power_of_two() as u8;
                let address = match block.1 {
                    None => Lanes::imm(Type::Ud, start.into()),
                    Some(root) => self.address(root, start),
                };
                let v = self.read_block(handle, more, address, regs, false);
                self.reuse.blocks.push((block, start, v));
                (start, v)
            }
        };
        for c in 0..self.sh.defs[def].num_components {
            let at = first - start + u32::from(c) * 4;
            self.set_place(def, c, Lanes::new(v, at, Type::Ud, 0));
        }
        true
    }

    /// Reads 1, 2 or 4 registers from byte `address` of a buffer on. `changing`: other threads may
    /// write the memory meanwhile.
    pub(super) fn read_block(
        &mut self,
        handle: Lanes,
        more: u32,
        address: Lanes,
        regs: u8,
        changing: bool,
    ) -> VgrfId {
        let (ud, eight) = (Type::Ud, Exec::NoMask(8));
        if self.starts_with_zero() && address.imm_bits() == Some(0) {
            return self.read_block_by(self.r0, handle, more, regs, changing);
        }
        let header = *self.reuse.block_header.get_or_insert_with(|| {
            let v = self.b.lir.vgrf(GRF_BYTES);
            let zero = Lanes::imm(ud, 0);
            let clear = |b: &mut Builder| b.mov(eight, Lanes::new(v, 0, ud, 4), zero);
            self.b.in_prologue(clear);
            v
        });
        if self.reuse.block_at != Some(address) {
            let to = Lanes::new(header, 8, ud, 0);
            self.b.mov(Exec::Scalar, to, address);
            self.reuse.changes += 1;
            self.reuse.block_at = address.is_imm().then_some(address);
        }
        self.read_block_by(header, handle, more, regs, changing)
    }

    /// True for stages where r0.2 is zero: r0 itself is the header of a block read at byte 0.
    fn starts_with_zero(&self) -> bool {
        matches!(self.sh.stage, Stage::Vertex | Stage::Fragment)
    }

    /// Sends a block read whose `header` holds the byte offset in dword 2.
    fn read_block_by(
        &mut self,
        header: VgrfId,
        handle: Lanes,
        more: u32,
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
            handle_offset: more,
            ..message::block_read(BTI_BINDLESS, regs, changing)
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

    // --- samplers -----------------------------------------------------------------------------------

    /// Byte offset of a descriptor set, from which its samplers are addressed.
    pub(super) fn sampler_base(&mut self, set: u32) -> Lanes {
        self.push_value(DriverValue::SetPlace { set })
    }

    /// Records a sampler's offset as a base plus a constant, to be written directly into headers.
    /// Returns false if other instructions need it in a register.
    pub(super) fn place_sampler(&mut self, def: Id<Def>, base: Lanes, more: u32) -> bool {
        if self.reuse.uses[def] != self.uses[def.index()] {
            return false;
        }
        self.reuse.places[def] = Some(SamplerPlace { base, more });
        true
    }

    /// The header of sampler messages, with `word` in dword 2 and the sampler's offset in dword 3.
    pub(super) fn sampler_header(&mut self, word: u32, sampler: Option<Id<Def>>) -> Src {
        let (ud, one) = (Type::Ud, Exec::Scalar);
        // Other stages have something else in r0.2.
        let clear = !self.starts_with_zero();
        let own = Lanes::new(self.r0, 0, ud, 4);
        let v = *self.reuse.sampler_header.get_or_insert_with(|| {
            let v = self.b.lir.vgrf(GRF_BYTES);
            self.b.in_prologue(|b| {
                b.mov(Exec::NoMask(8), Lanes::new(v, 0, ud, 4), own);
                if clear {
                    b.mov(one, Lanes::new(v, 8, ud, 0), Lanes::imm(ud, 0));
                }
            });
            v
        });
        if self.reuse.has_words && self.reuse.word != Some(word) {
            let word = Lanes::imm(ud, word.into());
            self.b.mov(one, Lanes::new(v, 8, ud, 0), word);
            self.reuse.changes += 1;
        }
        self.reuse.word = Some(word);
        if let Some(sampler) = sampler {
            let place = self.reuse.places[sampler].unwrap_or_else(|| {
                let place = self.comp(sampler, 0, ud);
                let base = self.one_of(place);
                SamplerPlace { base, more: 0 }
            });
            if self.reuse.sampler != Some(place) {
                let to = Lanes::new(v, 12, ud, 0);
                if place.more == 0 {
                    self.b.mov(one, to, place.base);
                } else {
                    let more = Lanes::imm(ud, place.more.into());
                    self.b
                        .binary(Opcode::Add, one, to, place.base, more, Mods::NONE);
                }
                self.reuse.changes += 1;
                // Only a VGRF identifies the value.
                let stays = matches!(place.base.reg, Reg::Vgrf(_));
                self.reuse.sampler = stays.then_some(place);
            }
        }
        Src::vgrf(v, 0, ud, 1)
    }
}
