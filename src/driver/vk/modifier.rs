//! Layouts of images that others know: modifiers of DRM formats.
//!
//! In:  a format, or the modifiers that somebody can live with. Out: tilings, and what can be done in each.
//! Ref: drm_fourcc.h, "Format Modifiers"; Vulkan specification, "VK_EXT_image_drm_format_modifier".

use ash::vk as api;
use ash::vk::Format as F;
use hw::Gen;
use surface::Tilings;

use crate::format::Format;

/// A modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modifier {
    /// Its number.
    pub code: u64,
    /// How elements are laid out.
    pub tilings: Tilings,
}

const INTEL: u64 = 1 << 56;

/// The modifiers, the best first. None has an auxiliary surface.
pub static MODIFIERS: &[Modifier] = &[
    // I915_FORMAT_MOD_Y_TILED, I915_FORMAT_MOD_X_TILED, DRM_FORMAT_MOD_LINEAR.
    Modifier {
        code: INTEL | 2,
        tilings: Tilings::Y,
    },
    Modifier {
        code: INTEL | 1,
        tilings: Tilings::X,
    },
    Modifier {
        code: 0,
        tilings: Tilings::LINEAR,
    },
];

/// Where planes must lie: bytes of the memory where each begins, and from row to row.
pub type Layouts = [Option<(u64, u32)>; 3];

impl Modifier {
    /// The modifier of a number.
    pub fn of(code: u64) -> Option<&'static Modifier> {
        MODIFIERS.iter().find(|modifier| modifier.code == code)
    }

    /// What can be done with images of a format; nothing where the display's and the camera's world has no such format.
    pub fn features(&self, format: &Format, hw_gen: Gen) -> api::FormatFeatureFlags2 {
        use api::FormatFeatureFlags2 as A;
        let name = format.hw.name;
        let numbers = name.contains("UNORM") || name.contains("_FLOAT");
        let whole = format.hw.block_bits.is_power_of_two() && !format.is_compressed();
        let planes = [F::G8_B8R8_2PLANE_420_UNORM, F::G8_B8_R8_3PLANE_420_UNORM];
        let known = format.planar.is_none() || planes.contains(&format.api);
        // Unsigned floats have no name there.
        let known = known && name != "R11G11B10_FLOAT";
        if !(format.is_colour() && numbers && whole && known) {
            return A::empty();
        }
        let tiling = match self.tilings {
            Tilings::LINEAR => api::ImageTiling::LINEAR,
            _ => api::ImageTiling::OPTIMAL,
        };
        format.image_features(hw_gen, tiling) & !A::DISJOINT
    }
}

/// The modifiers that a format can have, with what can be done and how many planes there are in memory.
pub fn of_format(
    hw_gen: Gen,
    format: F,
) -> impl Iterator<Item = (&'static Modifier, api::FormatFeatureFlags2, u32)> {
    let row = crate::format::find(format);
    let all = MODIFIERS.iter().filter_map(move |modifier| {
        let row = row?;
        Some((modifier, modifier.features(row, hw_gen), row.plane_count()))
    });
    all.filter(|(_, features, _)| !features.is_empty())
}
