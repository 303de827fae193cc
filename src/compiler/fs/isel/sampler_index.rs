//! Samplers that messages address by index in their descriptor, so that they need no header.
//!
//! In:  samplers at constant locations. Out: where the driver points the stage's sampler state
//!      table, chosen so that most messages find theirs within reach of an index.
//! Ref: SKL PRM vol. 7, "Sampling Engine: Message Descriptor"; vol. 2a,
//! 3DSTATE_SAMPLER_STATE_POINTERS.

use super::context::Isel;
use abi::{MAX_INDEXED_SAMPLERS, SAMPLER_BYTES, SamplerTable};
use entity::Id;
use nir::{CfEvent, Def, Instr, IntrinsicOp, Stage, Tex, TexSrc};

/// The texture instructions of a shader in layout order.
fn tex_instrs<'a>(sh: &'a nir::Shader, layout: &'a [CfEvent]) -> impl Iterator<Item = &'a Tex> {
    let blocks = layout.iter().filter_map(|event| match *event {
        CfEvent::Block(b) => Some(&sh.blocks[b]),
        _ => None,
    });
    let instrs = blocks.flat_map(|b| &b.instrs);
    instrs.filter_map(|&id| match &sh.instrs[id] {
        Instr::Tex(tex) => Some(tex),
        _ => None,
    })
}

impl Isel<'_> {
    /// Chooses where the driver points the sampler state table. Compute stages have no table that
    /// changes with a descriptor set.
    pub(super) fn choose_sampler_table(&mut self, layout: &[CfEvent]) {
        if !self.push_ranges || self.sh.stage == Stage::Compute {
            return;
        }
        let samplers: Vec<SamplerTable> = tex_instrs(self.sh, layout)
            .filter_map(|tex| self.constant_sampler(tex))
            .collect();
        let in_reach = |start: &SamplerTable| {
            samplers
                .iter()
                .filter(|p| index_from(start, p).is_some())
                .count()
        };
        // The start with the most samplers in reach; ties go to the first.
        self.push.samplers = samplers.iter().copied().rev().max_by_key(in_reach);
        for tex in tex_instrs(self.sh, layout) {
            if let (Some(_), Some(def)) = (
                self.sampler_table_index(tex),
                tex.src(TexSrc::SamplerHandle),
            ) {
                self.sampler_index_uses[def] += 1;
            }
        }
    }

    /// The constant location of a message's sampler, if the message needs no header for other
    /// reasons.
    fn constant_sampler(&self, tex: &Tex) -> Option<SamplerTable> {
        let def = tex.src(TexSrc::SamplerHandle)?;
        let Instr::Intrinsic(i) = self.sh.instr_of(def) else {
            return None;
        };
        if i.op != IntrinsicOp::VulkanSamplerIndex
            || !tex.op.needs_sampler()
            || self.texel_offset_word(tex).ok()? != 0
            || self.dynamic_offset(tex).is_some()
        {
            return None;
        }
        let index = self.sh.const_component(i.srcs[0], 0)? as u32;
        Some(SamplerTable {
            set: i.index("set"),
            offset_bytes: self.sampler_offset(i, index).ok()?,
        })
    }

    /// The index of a message's sampler in the table, if it is in reach.
    pub(super) fn sampler_table_index(&self, tex: &Tex) -> Option<u32> {
        index_from(self.push.samplers.as_ref()?, &self.constant_sampler(tex)?)
    }

    /// True for a sampler handle that is only used by index, so that it needs no code.
    pub(super) fn is_sampler_by_index(&self, def: Id<Def>) -> bool {
        self.sampler_index_uses[def] == self.uses[def.index()]
    }
}

/// The index of a sampler in a table that starts at `start`, if it is in reach.
fn index_from(start: &SamplerTable, sampler: &SamplerTable) -> Option<u32> {
    let bytes = sampler.offset_bytes.wrapping_sub(start.offset_bytes);
    let number = bytes / SAMPLER_BYTES;
    (sampler.set == start.set
        && bytes.is_multiple_of(SAMPLER_BYTES)
        && number < MAX_INDEXED_SAMPLERS)
        .then_some(number)
}
