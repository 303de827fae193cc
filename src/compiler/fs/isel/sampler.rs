//! Samplers that messages ask for by number, so that they have no header.
//!
//! In:  the samplers that are named by constants. Out: where the launcher points to, so that most messages find theirs near it.
//! Ref: SKL PRM vol. 7, "Sampling Engine: Message Descriptor"; vol. 2a, 3DSTATE_SAMPLER_STATE_POINTERS.

use super::Isel;
use abi::{NUMBERED_SAMPLERS, SAMPLER_BYTES, Samplers};
use entity::{Id, IdMap};
use nir::{CfEvent, Def, Instr, IntrinsicOp, Stage, Tex, TexSrc};

/// Uses of a def as a sampler that is asked for by number.
#[derive(Default)]
pub(super) struct Numbered {
    uses: IdMap<Def, u32>,
}

/// All instructions that sample, in layout order.
fn texs<'a>(sh: &'a nir::Shader, layout: &'a [CfEvent]) -> impl Iterator<Item = &'a Tex> {
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
    /// Chooses where the launcher points to. Compute threads have no pointer that changes with a set.
    pub(super) fn prepare_samplers(&mut self, layout: &[CfEvent]) {
        if !self.push_ranges || self.sh.stage == Stage::Compute {
            return;
        }
        let places: Vec<Samplers> = texs(self.sh, layout)
            .filter_map(|tex| self.known_sampler(tex))
            .collect();
        let near = |start: &Samplers| places.iter().filter(|p| number(start, p).is_some()).count();
        // The first of those that are near most.
        self.push.samplers = places.iter().copied().rev().max_by_key(near);
        for tex in texs(self.sh, layout) {
            if let (Some(_), Some(def)) = (self.sampler_number(tex), tex.src(TexSrc::SamplerHandle))
            {
                self.numbered.uses[def] += 1;
            }
        }
    }

    /// Where the sampler of a message lies that needs no header for anything else.
    fn known_sampler(&self, tex: &Tex) -> Option<Samplers> {
        let def = tex.src(TexSrc::SamplerHandle)?;
        let Instr::Intrinsic(i) = self.sh.instr_of(def) else {
            return None;
        };
        if i.op != IntrinsicOp::VulkanSamplerIndex
            || !tex.op.needs_sampler()
            || self.header_word(tex).ok()? != 0
        {
            return None;
        }
        let index = self.sh.const_component(i.srcs[0], 0)? as u32;
        Some(Samplers {
            set: i.index("set"),
            offset_bytes: self.sampler_offset(i, index).ok()?,
        })
    }

    /// The number of a message's sampler, if it has one.
    pub(super) fn sampler_number(&self, tex: &Tex) -> Option<u32> {
        number(self.push.samplers.as_ref()?, &self.known_sampler(tex)?)
    }

    /// True for a sampler that is asked for by its number alone.
    pub(super) fn is_numbered(&self, def: Id<Def>) -> bool {
        self.numbered.uses[def] == self.uses[def.index()]
    }
}

/// The number of a sampler from another one on.
fn number(start: &Samplers, place: &Samplers) -> Option<u32> {
    let bytes = place.offset_bytes.wrapping_sub(start.offset_bytes);
    let number = bytes / SAMPLER_BYTES;
    (place.set == start.set && bytes.is_multiple_of(SAMPLER_BYTES) && number < NUMBERED_SAMPLERS)
        .then_some(number)
}
