//! DRM format modifiers: tilings that are known across APIs and drivers.
//!
//! In:  a modifier. Out: its tiling, and whether it has a CCS.
//! Ref: drm_fourcc.h, "Format Modifiers"; Vulkan specification, "VK_EXT_image_drm_format_modifier".

use surface::TilingSet;

/// A modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modifier {
    /// Its number.
    pub code: u64,
    /// Its tiling.
    pub tilings: TilingSet,
    /// Whether a second memory plane holds the CCS of the first: blocks may be compressed, but
    /// none is fast-cleared.
    pub has_ccs: bool,
}

const INTEL: u64 = 1 << 56;

/// The supported modifiers, in order of preference.
pub static MODIFIERS: &[Modifier] = &[
    // I915_FORMAT_MOD_Y_TILED_CCS, I915_FORMAT_MOD_Y_TILED, I915_FORMAT_MOD_X_TILED,
    // DRM_FORMAT_MOD_LINEAR.
    Modifier {
        code: INTEL | 4,
        tilings: TilingSet::Y,
        has_ccs: true,
    },
    Modifier {
        code: INTEL | 2,
        tilings: TilingSet::Y,
        has_ccs: false,
    },
    Modifier {
        code: INTEL | 1,
        tilings: TilingSet::X,
        has_ccs: false,
    },
    Modifier {
        code: 0,
        tilings: TilingSet::LINEAR,
        has_ccs: false,
    },
];

/// The explicit layout of a memory plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneLayout {
    /// Offset in bytes.
    pub offset: u64,
    /// Row pitch in bytes.
    pub row_pitch: u32,
    /// Bytes from one layer, or slice of depth, to the next; 0 if there is one.
    pub slice_pitch: u64,
}

/// Explicit layouts of memory planes.
pub type PlaneLayouts = [Option<PlaneLayout>; 3];

impl Modifier {
    /// Whether images with the modifier may have layers, one or three dimensions: the tiled ones
    /// do not say where slices are.
    pub fn has_slices(&self) -> bool {
        self.tilings == TilingSet::LINEAR
    }

    /// Finds a modifier.
    pub fn find(code: u64) -> Option<&'static Modifier> {
        MODIFIERS.iter().find(|modifier| modifier.code == code)
    }
}
