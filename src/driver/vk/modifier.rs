//! DRM format modifiers: tilings that are known across APIs and drivers.
//!
//! In:  a modifier. Out: its tiling.
//! Ref: drm_fourcc.h, "Format Modifiers"; Vulkan specification, "VK_EXT_image_drm_format_modifier".

use surface::TilingSet;

/// A modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modifier {
    /// Its number.
    pub code: u64,
    /// Its tiling.
    pub tilings: TilingSet,
}

const INTEL: u64 = 1 << 56;

/// The supported modifiers, in order of preference. None has an aux surface.
pub static MODIFIERS: &[Modifier] = &[
    // I915_FORMAT_MOD_Y_TILED, I915_FORMAT_MOD_X_TILED, DRM_FORMAT_MOD_LINEAR.
    Modifier {
        code: INTEL | 2,
        tilings: TilingSet::Y,
    },
    Modifier {
        code: INTEL | 1,
        tilings: TilingSet::X,
    },
    Modifier {
        code: 0,
        tilings: TilingSet::LINEAR,
    },
];

/// Explicit plane layouts: offset and row pitch in bytes.
pub type PlaneLayouts = [Option<(u64, u32)>; 3];

impl Modifier {
    /// Finds a modifier.
    pub fn find(code: u64) -> Option<&'static Modifier> {
        MODIFIERS.iter().find(|modifier| modifier.code == code)
    }
}
