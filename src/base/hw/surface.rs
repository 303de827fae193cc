//! Values of enumerated fields of RENDER_SURFACE_STATE and of depth buffer packets.
//!
//! Ref: SKL PRM vol. 2d, RENDER_SURFACE_STATE. Tests: below, against genxml.

/// Tile Mode: linear.
pub const TILE_MODE_LINEAR: u32 = 0;
/// Tile Mode: W tiles, of stencil buffers.
pub const TILE_MODE_WMAJOR: u32 = 1;
/// Tile Mode: X tiles.
pub const TILE_MODE_XMAJOR: u32 = 2;
/// Tile Mode: Y tiles.
pub const TILE_MODE_YMAJOR: u32 = 3;

/// Surface Type: 1D images and their arrays.
pub const SURFTYPE_1D: u32 = 0;
/// Surface Type: 2D images and their arrays.
pub const SURFTYPE_2D: u32 = 1;
/// Surface Type: 3D images.
pub const SURFTYPE_3D: u32 = 2;
/// Surface Type: cubes and their arrays.
pub const SURFTYPE_CUBE: u32 = 3;
/// Surface Type: buffers.
pub const SURFTYPE_BUFFER: u32 = 4;
/// Surface Type: structured buffers.
pub const SURFTYPE_STRBUF: u32 = 5;
/// Surface Type: null surface. Reads return zero, writes are dropped.
pub const SURFTYPE_NULL: u32 = 7;

/// Multisampled Surface Storage Format: each sample is stored as an array layer.
pub const MSFMT_MSS: u32 = 0;
/// Multisampled Surface Storage Format: samples are interleaved, as in depth and stencil buffers.
pub const MSFMT_DEPTH_STENCIL: u32 = 1;

/// Auxiliary Surface Mode: none.
pub const AUX_NONE: u32 = 0;
/// Auxiliary Surface Mode: CCS for fast clears only, or MCS if the surface is multisampled.
pub const AUX_CCS_D: u32 = 1;
/// Auxiliary Surface Mode: append counter.
pub const AUX_APPEND: u32 = 2;
/// Auxiliary Surface Mode: HiZ, for sampling from depth buffers.
pub const AUX_HIZ: u32 = 3;
/// Auxiliary Surface Mode: CCS with lossless compression.
pub const AUX_CCS_E: u32 = 5;

/// The value of Surface Horizontal Alignment or Surface Vertical Alignment for an alignment in
/// elements; `None` if it has no encoding.
pub const fn alignment_value(elements: u32) -> Option<u32> {
    match elements {
        4 => Some(1),
        8 => Some(2),
        16 => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::genxml::{self, Genxml, ItemKind};

    /// Field, name of the value in genxml, our value.
    const VALUES: &[(&str, &str, u32)] = &[
        ("Tile Mode", "LINEAR", TILE_MODE_LINEAR),
        ("Tile Mode", "WMAJOR", TILE_MODE_WMAJOR),
        ("Tile Mode", "XMAJOR", TILE_MODE_XMAJOR),
        ("Tile Mode", "YMAJOR", TILE_MODE_YMAJOR),
        ("Surface Type", "SURFTYPE_1D", SURFTYPE_1D),
        ("Surface Type", "SURFTYPE_2D", SURFTYPE_2D),
        ("Surface Type", "SURFTYPE_3D", SURFTYPE_3D),
        ("Surface Type", "SURFTYPE_CUBE", SURFTYPE_CUBE),
        ("Surface Type", "SURFTYPE_BUFFER", SURFTYPE_BUFFER),
        ("Surface Type", "SURFTYPE_STRBUF", SURFTYPE_STRBUF),
        ("Surface Type", "SURFTYPE_NULL", SURFTYPE_NULL),
        (
            "Multisampled Surface Storage Format",
            "MSFMT_MSS",
            MSFMT_MSS,
        ),
        (
            "Multisampled Surface Storage Format",
            "MSFMT_DEPTH_STENCIL",
            MSFMT_DEPTH_STENCIL,
        ),
        ("Auxiliary Surface Mode", "AUX_NONE", AUX_NONE),
        ("Auxiliary Surface Mode", "AUX_CCS_D", AUX_CCS_D),
        ("Auxiliary Surface Mode", "AUX_APPEND", AUX_APPEND),
        ("Auxiliary Surface Mode", "AUX_HIZ", AUX_HIZ),
        ("Auxiliary Surface Mode", "AUX_CCS_E", AUX_CCS_E),
    ];

    #[test]
    fn genxml_agrees() {
        let Some(folder) = genxml::folder() else {
            return;
        };
        let gen9 = Genxml::read(&folder.join("gen9.xml"));
        let state = gen9.get(ItemKind::Struct, "RENDER_SURFACE_STATE");
        let state = state.expect("RENDER_SURFACE_STATE");
        let value = |field: &str, name: &str| state.value(field, name);
        for &(field, name, ours) in VALUES {
            assert_eq!(value(field, name), Some(ours), "{field} {name}");
        }
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
