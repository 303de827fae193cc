//! The encoding of alignments in RENDER_SURFACE_STATE. Its enumerated values are in
//! [`crate::value::state`].
//!
//! Ref: SKL PRM vol. 2d, RENDER_SURFACE_STATE. Tests: below, against genxml.

use crate::value::state::surface_horizontal_alignment as align;

/// The value of Surface Horizontal Alignment or Surface Vertical Alignment for an alignment in
/// elements; `None` if it has no encoding.
pub const fn alignment_value(elements: u32) -> Option<u32> {
    match elements {
        4 => Some(align::HALIGN_4 as u32),
        8 => Some(align::HALIGN_8 as u32),
        16 => Some(align::HALIGN_16 as u32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::genxml::{self, Genxml, ItemKind};

    #[test]
    fn genxml_agrees() {
        let Some(folder) = genxml::folder() else {
            return;
        };
        let gen9 = Genxml::read(&folder.join("gen9.xml"));
        let state = gen9.get(ItemKind::Struct, "RENDER_SURFACE_STATE");
        let state = state.expect("RENDER_SURFACE_STATE");
        let value = |field: &str, name: &str| state.value(field, name);
        for (elements, horizontal, vertical) in [
            (4, "HALIGN_4", "VALIGN_4"),
            (8, "HALIGN_8", "VALIGN_8"),
            (16, "HALIGN_16", "VALIGN_16"),
        ] {
            let ours = alignment_value(elements);
            assert_eq!(value("Surface Horizontal Alignment", horizontal), ours);
            assert_eq!(value("Surface Vertical Alignment", vertical), ours);
        }
        assert_eq!(alignment_value(64), None);
    }
}
