//! Linking of two consecutive stages.
//!
//! In:  nothing. Out: [`InputsRead`], the outputs of the previous stage that a stage reads;
//!      [`OutputLink`], where the previous stage's outputs are after linking, with its text in a
//!      shader's header.
//! Ref: Vulkan, "Shader Interfaces": outputs without a consumer have no effect, and the
//!      implementation decides how values are passed.

use crate::io::{Slot, SlotSet};

/// Number of user locations of a stage's interface, without per-patch ones.
const LOCATIONS: usize = (Slot::PATCH0.0 - Slot::VAR0.0) as usize;

/// The dwords of the previous stage's outputs that a stage may read, without built-ins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputsRead {
    /// Slots that are read at least partly, including per-patch ones.
    pub slots: SlotSet,
    /// The stage reads inputs of several vertices (geometry and tessellation): each slot costs a
    /// message.
    pub vertices: bool,
    /// By location: mask of interpolated components in bits 0 to 3, of flat ones
    /// ([`crate::InterpMode::Flat`]) in bits 4 to 7.
    components: [u8; LOCATIONS],
    /// Mask of locations that are indexed dynamically.
    indexed_dynamically: u64,
}

impl InputsRead {
    /// Nothing is read.
    pub const NONE: InputsRead = InputsRead {
        slots: SlotSet::NONE,
        vertices: false,
        components: [0; LOCATIONS],
        indexed_dynamically: 0,
    };

    /// Bytes of [`InputsRead::to_bytes`].
    pub const BYTES: usize = 16 + 1 + LOCATIONS + 8;

    /// The record as bytes, for caches.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(InputsRead::BYTES);
        out.extend_from_slice(&self.slots.mask().to_le_bytes());
        out.push(self.vertices.into());
        out.extend_from_slice(&self.components);
        out.extend_from_slice(&self.indexed_dynamically.to_le_bytes());
        out
    }

    /// The record of [`InputsRead::to_bytes`]. `None` if the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<InputsRead> {
        let (mask, rest) = bytes.split_first_chunk::<16>()?;
        let (vertices, rest) = rest.split_first()?;
        let (components, rest) = rest.split_first_chunk::<LOCATIONS>()?;
        Some(InputsRead {
            slots: SlotSet::from_mask(u128::from_le_bytes(*mask)),
            vertices: match vertices {
                0 => false,
                1 => true,
                _ => return None,
            },
            components: *components,
            indexed_dynamically: u64::from_le_bytes(rest.try_into().ok()?),
        })
    }

    fn location_index(slot: Slot) -> Option<usize> {
        let at = usize::from(slot.0.checked_sub(Slot::VAR0.0)?);
        (at < LOCATIONS).then_some(at)
    }

    /// Marks components (a mask) of a slot as read, as flat or interpolated ones.
    pub fn add(&mut self, slot: Slot, components: u8, flat: bool) {
        self.slots = self.slots.with(slot);
        if let Some(at) = InputsRead::location_index(slot) {
            self.components[at] |= (components & 0xf) << if flat { 4 } else { 0 };
        }
    }

    /// Marks a slot as read with a dynamic index: all of it is read, and linking must not move it.
    pub fn pin(&mut self, slot: Slot) {
        self.add(slot, 0xf, false);
        if let Some(at) = InputsRead::location_index(slot) {
            self.indexed_dynamically |= 1 << at;
        }
    }

    /// Masks of the components of a slot that are read: interpolated ones, then flat ones.
    pub fn components_read(&self, slot: Slot) -> [u8; 2] {
        let both = InputsRead::location_index(slot).map_or(0, |at| self.components[at]);
        [both & 0xf, both >> 4]
    }

    /// True if linking must not move a slot.
    pub fn is_pinned(&self, slot: Slot) -> bool {
        InputsRead::location_index(slot).is_none_or(|at| self.indexed_dynamically >> at & 1 == 1)
    }
}

/// Where the next stage reads a dword of an output after linking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutputLink {
    /// The output's original slot.
    pub slot: Slot,
    /// The original component.
    pub component: u8,
    /// The new location.
    pub to: LinkTarget,
}

/// The new location of an output's dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkTarget {
    /// A component of a slot.
    At(Slot, u8),
    /// A constant, the same for all vertices, that is not passed through the URB.
    Constant(u32),
}

/// Prints the lines of a shader's header.
pub(crate) fn print(links: &[OutputLink], out: &mut String) -> std::fmt::Result {
    use std::fmt::Write as _;
    for link in links {
        let from = link.slot.name();
        write!(out, "    linked {from} component={} ", link.component)?;
        match link.to {
            LinkTarget::At(slot, component) => {
                writeln!(out, "to {} component={component}", slot.name())?;
            }
            LinkTarget::Constant(bits) => writeln!(out, "constant {bits:#x}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_read_survive_a_round_trip() {
        let mut read = InputsRead::NONE;
        read.vertices = true;
        read.add(Slot::VAR0, 0b0101, false);
        read.add(Slot(Slot::VAR0.0 + 3), 0b1010, true);
        read.pin(Slot(Slot::VAR0.0 + 5));
        let bytes = read.to_bytes();
        assert_eq!(bytes.len(), InputsRead::BYTES);
        assert_eq!(InputsRead::from_bytes(&bytes), Some(read));
        for index in 0..bytes.len() {
            assert_eq!(InputsRead::from_bytes(&bytes[..index]), None);
            let mut changed = bytes.clone();
            changed[index] ^= 2;
            assert_ne!(InputsRead::from_bytes(&changed), Some(read), "{index}");
        }
    }

    #[test]
    fn tess_modes_survive_a_round_trip() {
        use crate::{TessDomain, TessInfo, TessSpacing};
        for ccw in [None, Some(false), Some(true)] {
            let modes = TessInfo {
                vertices_in: 3,
                vertices_out: 4,
                domain: TessDomain::Isolines,
                spacing: TessSpacing::FractionalOdd,
                ccw,
                point_mode: ccw.is_none(),
            };
            assert_eq!(TessInfo::from_words(modes.to_words()), Some(modes));
        }
        for index in 2..6 {
            let mut words = TessInfo::default().to_words();
            words[index] = 4;
            assert_eq!(TessInfo::from_words(words), None);
        }
    }
}
