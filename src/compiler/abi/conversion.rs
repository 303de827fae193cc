//! Conversions of sampled colours: what becomes of the planes of an image whose sampler has a Y'CbCr conversion.
//!
//! Ref: Vulkan specification, "Sampler Y'CbCr Conversion".

/// How numbers become red, green and blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColourModel {
    /// They are.
    #[default]
    Rgb,
    /// They stay Y'CbCr, their ranges made whole.
    Ycbcr,
    /// By ITU-R BT.709.
    Bt709,
    /// By ITU-R BT.601.
    Bt601,
    /// By ITU-R BT.2020, constant luminance not meant.
    Bt2020,
}

/// What a component of a converted colour is taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Component {
    /// 0.
    #[default]
    Zero,
    /// 1.
    One,
    /// A component of what a plane's sample answers with.
    Plane {
        /// Which plane: which piece of the descriptor.
        plane: u8,
        /// Which component.
        component: u8,
    },
}

/// A conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// Model.
    pub model: ColourModel,
    /// Numbers use a part of their range (ITU "narrow"); else all of it.
    pub narrow: bool,
    /// Bits of each number.
    pub bits: u8,
    /// Planes: so many pieces of the descriptor are surfaces.
    pub planes: u8,
    /// The planes behind the first have texels that lie where the first's even ones do, in x and y: their coordinates move by half a
    /// texel of the first plane.
    pub cosited: [bool; 2],
    /// What is converted, in the order Cr, Y', Cb, alpha.
    pub components: [Component; 4],
}

impl Conversion {
    /// The most that [`Conversion::pieces`] is: of three planes.
    pub const MOST_PIECES: u32 = 3 + 2;

    /// Pieces of a descriptor with this conversion: the planes' surfaces, the sampler of the planes behind the first, the first's.
    pub fn pieces(&self) -> u32 {
        let planes = u32::from(self.planes.max(1));
        planes + if planes > 1 { 2 } else { 1 }
    }
}

/// A conversion and the descriptor that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Converted {
    /// Number of the binding.
    pub binding: u32,
    /// Array element.
    pub element: u32,
    /// The conversion.
    pub conversion: Conversion,
}
