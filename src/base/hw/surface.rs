//! Values of surface states' and depth packets' enumerated fields.
//!
//! Ref: SKL PRM vol. 2d, RENDER_SURFACE_STATE. Compared with genxml by the test below.

/// Tile Mode of rows one after another.
pub const TILE_MODE_LINEAR: u32 = 0;
/// Tile Mode of stencil buffers.
pub const TILE_MODE_WMAJOR: u32 = 1;
/// Tile Mode of X tiles.
pub const TILE_MODE_XMAJOR: u32 = 2;
/// Tile Mode of Y tiles.
pub const TILE_MODE_YMAJOR: u32 = 3;

/// Surface Type of lines.
pub const SURFTYPE_1D: u32 = 0;
/// Surface Type of planes and their arrays.
pub const SURFTYPE_2D: u32 = 1;
/// Surface Type of volumes.
pub const SURFTYPE_3D: u32 = 2;
/// Surface Type of cubes and their arrays.
pub const SURFTYPE_CUBE: u32 = 3;
/// Surface Type of buffers.
pub const SURFTYPE_BUFFER: u32 = 4;
/// Surface Type of structured buffers.
pub const SURFTYPE_STRBUF: u32 = 5;
/// Surface Type of nothing: reads are zero, writes are dropped.
pub const SURFTYPE_NULL: u32 = 7;

/// Multisampled Surface Storage Format: each sample a layer of its own.
pub const MSFMT_MSS: u32 = 0;
/// Multisampled Surface Storage Format: samples interleaved, as depth and stencil buffers have them.
pub const MSFMT_DEPTH_STENCIL: u32 = 1;

/// Auxiliary Surface Mode: none.
pub const AUX_NONE: u32 = 0;
/// Auxiliary Surface Mode: fast clears alone, or an MCS where there are samples.
pub const AUX_CCS_D: u32 = 1;
/// Auxiliary Surface Mode: appended surfaces.
pub const AUX_APPEND: u32 = 2;
/// Auxiliary Surface Mode: a hierarchical depth buffer, for sampling.
pub const AUX_HIZ: u32 = 3;
/// Auxiliary Surface Mode: lossless compression.
pub const AUX_CCS_E: u32 = 5;

/// The value of Surface Horizontal or Vertical Alignment for this many elements, if there is one.
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

    /// Field, genxml's name of the value, ours.
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
        let Ok(folder) = std::env::var("INGOT_GENXML") else {
            eprintln!("not compared: INGOT_GENXML does not name a folder of genxml files");
            return;
        };
        let path = std::path::Path::new(&folder).join("gen9.xml");
        let text = std::fs::read_to_string(&path).expect("gen9.xml");
        let document = roxmltree::Document::parse(&text).expect("XML");
        let named = |tag: &'static str, name: &'static str, node: &roxmltree::Node<'_, '_>| {
            node.has_tag_name(tag) && node.attribute("name") == Some(name)
        };
        let state = document
            .descendants()
            .find(|node| named("struct", "RENDER_SURFACE_STATE", node))
            .expect("RENDER_SURFACE_STATE");
        let value = |field: &'static str, name: &'static str| {
            let field = state.children().find(|node| named("field", field, node))?;
            let value = field.children().find(|node| named("value", name, node))?;
            value.attribute("value")?.parse::<u32>().ok()
        };
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
