//! Sampler Y'CbCr conversions: how the planes of an image become an RGB colour.
//!
//! Ref: Vulkan specification, "Sampler Y'CbCr Conversion".

/// The colour model of a conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColourModel {
    /// The values are RGB already.
    #[default]
    Rgb,
    /// The values stay Y'CbCr; only their range is expanded.
    Ycbcr,
    /// Converted to RGB by ITU-R BT.709.
    Bt709,
    /// Converted to RGB by ITU-R BT.601.
    Bt601,
    /// Converted to RGB by ITU-R BT.2020, non-constant luminance.
    Bt2020,
}

/// The source of a component of the colour to convert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum YcbcrComponent {
    /// 0.
    #[default]
    Zero,
    /// 1.
    One,
    /// A component of the texel sampled from a plane.
    Plane {
        /// The plane, which is the slot of the descriptor.
        plane: u8,
        /// The component of the texel.
        component: u8,
    },
}

/// A sampler Y'CbCr conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct YcbcrConversion {
    /// Model.
    pub model: ColourModel,
    /// ITU "narrow" range; else full range.
    pub narrow: bool,
    /// Bits of each component: 10 and 12 are the upper ones of 16, the others are zero.
    pub bits: u8,
    /// Number of planes: as many slots of the descriptor are surfaces.
    pub planes: u8,
    /// In x and y: chroma samples are cosited with even luma samples, so that the coordinates of
    /// the planes after the first are shifted by half a texel of the first plane.
    pub cosited: [bool; 2],
    /// The components to convert, in the order Cr, Y', Cb, alpha.
    pub components: [YcbcrComponent; 4],
}

impl YcbcrConversion {
    /// Maximum of [`YcbcrConversion::slots`]: with three planes.
    pub const MAX_SLOTS: u32 = 3 + 2;

    /// Number of slots of a descriptor with this conversion: the planes' surfaces, the sampler of
    /// the planes after the first, the first plane's sampler.
    pub fn slots(&self) -> u32 {
        let planes = u32::from(self.planes.max(1));
        planes + if planes > 1 { 2 } else { 1 }
    }
}

/// A descriptor with a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvertedBinding {
    /// Binding number.
    pub binding: u32,
    /// Array element.
    pub element: u32,
    /// The conversion.
    pub conversion: YcbcrConversion,
}
