//! What two stages that follow each other know of one another.
//!
//! In:  nothing. Out: [`Reads`], what a stage reads of the outputs of the one before; [`Link`], where that one has put them, with the text of
//! it in a shader's header.
//! Ref: Vulkan, "Shader Interfaces": what nothing consumes has no effect, and where values lie between stages is the implementation's.

use crate::io::{Slot, Slots};

/// Locations of a stage's interface, those of patches aside.
const LOCATIONS: usize = (Slot::PATCH0.0 - Slot::VAR0.0) as usize;

/// Dwords that a stage may read of what the stage before writes, those of the API's own slots aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reads {
    /// Slots that it reads of, those of patches too.
    pub slots: Slots,
    /// It reads vertices of primitives or patches: a message for each slot.
    pub vertices: bool,
    /// By locations: components in bits 0 to 3, those read of one vertex alone ([`crate::Interp::Flat`]) in bits 4 to 7.
    components: [u8; LOCATIONS],
    /// Locations that it reads at places known at run time alone, a bit each.
    pinned: u64,
}

impl Reads {
    /// Nothing is read.
    pub const NONE: Reads = Reads {
        slots: Slots::NONE,
        vertices: false,
        components: [0; LOCATIONS],
        pinned: 0,
    };

    fn at(slot: Slot) -> Option<usize> {
        let at = usize::from(slot.0.checked_sub(Slot::VAR0.0)?);
        (at < LOCATIONS).then_some(at)
    }

    /// Components of a slot are read, a bit each.
    pub fn add(&mut self, slot: Slot, components: u8, flat: bool) {
        self.slots = self.slots.with(slot);
        if let Some(at) = Reads::at(slot) {
            self.components[at] |= (components & 0xf) << if flat { 4 } else { 0 };
        }
    }

    /// All of a slot is read, and that where it lies.
    pub fn pin(&mut self, slot: Slot) {
        self.add(slot, 0xf, false);
        if let Some(at) = Reads::at(slot) {
            self.pinned |= 1 << at;
        }
    }

    /// Components read of a slot, a bit each: interpolated ones, then those of one vertex alone.
    pub fn of(&self, slot: Slot) -> [u8; 2] {
        let both = Reads::at(slot).map_or(0, |at| self.components[at]);
        [both & 0xf, both >> 4]
    }

    /// Whether a slot has to stay where it is.
    pub fn is_pinned(&self, slot: Slot) -> bool {
        Reads::at(slot).is_none_or(|at| self.pinned >> at & 1 == 1)
    }
}

/// What the stage behind finds instead of an output's dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The slot of the output.
    pub slot: Slot,
    /// The component.
    pub component: u8,
    /// Where it is.
    pub to: Linked,
}

/// Where an output's dword is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linked {
    /// In a component of a slot.
    At(Slot, u8),
    /// In no vertex: it is this for all of them.
    Constant(u32),
}

/// The lines of a shader's header.
pub(crate) fn print(links: &[Link], out: &mut String) -> std::fmt::Result {
    use std::fmt::Write as _;
    for link in links {
        let from = link.slot.name();
        write!(out, "    linked {from} component={} ", link.component)?;
        match link.to {
            Linked::At(slot, component) => {
                writeln!(out, "to {} component={component}", slot.name())?;
            }
            Linked::Constant(bits) => writeln!(out, "constant {bits:#x}")?,
        }
    }
    Ok(())
}
