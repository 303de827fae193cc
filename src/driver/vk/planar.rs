//! Formats of luma and chroma: their planes, and what a conversion takes from them.
//!
//! In:  a format. Out: for each plane the hardware's format, and how much smaller it is; for each of Cr, Y' and Cb the plane and component
//! that it is.
//! Ref: Vulkan specification, "Formats Requiring Sampler Y'CbCr Conversion", "Compatible Formats of Planes of Multi-Planar Formats"; SKL PRM
//! vol. 2d, "SURFACE_FORMAT" (of YCRCB formats red is one chroma, green luma, blue the other).

use ash::vk as api;
use ash::vk::Format as F;

/// A plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// The hardware's format.
    pub format: &'static str,
    /// A texel stands for so many of the first plane's in x and y, as powers of two.
    pub shift: [u32; 2],
}

/// A format of luma and chroma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planar {
    /// Vulkan's.
    pub api: F,
    /// Its planes, luma first.
    pub planes: &'static [Plane],
    /// Plane and component of Cr, Y' and Cb.
    pub from: [(u8, u8); 3],
    /// Bits of each number.
    pub bits: u8,
}

const fn plane(format: &'static str, shift: [u32; 2]) -> Plane {
    Plane { format, shift }
}

const FULL: [u32; 2] = [0, 0];
const HALF_WIDTH: [u32; 2] = [1, 0];
const HALF: [u32; 2] = [1, 1];

const fn three(api: F, format: &'static str, planes: &'static [Plane]) -> Planar {
    Planar {
        api,
        planes,
        from: [(2, 0), (0, 0), (1, 0)],
        bits: if format.len() == "R8_UNORM".len() {
            8
        } else {
            16
        },
    }
}

const fn two(api: F, format: &'static str, planes: &'static [Plane]) -> Planar {
    Planar {
        from: [(1, 1), (0, 0), (1, 0)],
        ..three(api, format, planes)
    }
}

macro_rules! planes {
    ($luma:literal, $($chroma:literal)*, $shift:expr) => {
        &[plane($luma, FULL), $(plane($chroma, $shift)),*]
    };
}

const R8: &str = "R8_UNORM";
const R16: &str = "R16_UNORM";

/// One plane, of pairs of texels whose chroma the sampler gives to both.
const fn packed(api: F, planes: &'static [Plane]) -> Planar {
    Planar {
        api,
        planes,
        from: [(0, 2), (0, 1), (0, 0)],
        bits: 8,
    }
}

/// The formats.
pub static PLANAR: &[Planar] = &[
    packed(F::G8B8G8R8_422_UNORM, &[plane("YCRCB_SWAPUV", FULL)]),
    packed(F::B8G8R8G8_422_UNORM, &[plane("YCRCB_SWAPUVY", FULL)]),
    three(
        F::G8_B8_R8_3PLANE_420_UNORM,
        R8,
        planes!("R8_UNORM", "R8_UNORM" "R8_UNORM", HALF),
    ),
    two(
        F::G8_B8R8_2PLANE_420_UNORM,
        R8,
        planes!("R8_UNORM", "R8G8_UNORM", HALF),
    ),
    three(
        F::G8_B8_R8_3PLANE_422_UNORM,
        R8,
        planes!("R8_UNORM", "R8_UNORM" "R8_UNORM", HALF_WIDTH),
    ),
    two(
        F::G8_B8R8_2PLANE_422_UNORM,
        R8,
        planes!("R8_UNORM", "R8G8_UNORM", HALF_WIDTH),
    ),
    three(
        F::G8_B8_R8_3PLANE_444_UNORM,
        R8,
        planes!("R8_UNORM", "R8_UNORM" "R8_UNORM", FULL),
    ),
    three(
        F::G16_B16_R16_3PLANE_420_UNORM,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", HALF),
    ),
    two(
        F::G16_B16R16_2PLANE_420_UNORM,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", HALF),
    ),
    three(
        F::G16_B16_R16_3PLANE_422_UNORM,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", HALF_WIDTH),
    ),
    two(
        F::G16_B16R16_2PLANE_422_UNORM,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", HALF_WIDTH),
    ),
    three(
        F::G16_B16_R16_3PLANE_444_UNORM,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", FULL),
    ),
];

/// The aspects that planes are.
pub const ASPECTS: [api::ImageAspectFlags; 3] = [
    api::ImageAspectFlags::PLANE_0,
    api::ImageAspectFlags::PLANE_1,
    api::ImageAspectFlags::PLANE_2,
];

impl Planar {
    /// The row of a format.
    pub fn of(format: F) -> Option<&'static Planar> {
        PLANAR.iter().find(|row| row.api == format)
    }

    /// Whether planes are images of their own.
    pub fn is_split(&self) -> bool {
        self.planes.len() > 1
    }

    /// Whether some plane is smaller than the first, in x or in y.
    pub fn is_smaller(&self, axis: usize) -> bool {
        self.planes.iter().any(|plane| plane.shift[axis] > 0)
    }

    /// The plane that an aspect is.
    pub fn plane(&self, aspect: api::ImageAspectFlags) -> Option<&'static Plane> {
        let index = ASPECTS.iter().position(|&known| known == aspect)?;
        self.planes.get(index).filter(|_| self.is_split())
    }
}

/// What is asked of `VkSamplerYcbcrConversion`.
#[derive(Clone, Copy, Debug)]
pub struct ConversionInfo {
    /// Format of the image.
    pub format: F,
    /// Model.
    pub model: api::SamplerYcbcrModelConversion,
    /// Range.
    pub range: api::SamplerYcbcrRange,
    /// What each component is taken from.
    pub components: api::ComponentMapping,
    /// Where chroma lies, in x and y.
    pub chroma: [api::ChromaLocation; 2],
    /// Filter of chroma.
    pub filter: api::Filter,
}

/// `VkSamplerYcbcrConversion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// What shaders do; none: colours are as they are.
    pub shader: Option<abi::Conversion>,
    /// Filter of chroma.
    pub filter: api::Filter,
}

impl Conversion {
    /// A conversion.
    pub fn new(info: &ConversionInfo) -> Conversion {
        use abi::{ColourModel, Component};
        use api::ComponentSwizzle as C;
        use api::SamplerYcbcrModelConversion as M;
        let shader = Planar::of(info.format).map(|row| {
            let [red, green, blue] =
                (row.from).map(|(plane, component)| Component::Plane { plane, component });
            let one = |swizzle, own| match swizzle {
                C::ZERO => Component::Zero,
                C::ONE | C::A => Component::One,
                C::R => red,
                C::G => green,
                C::B => blue,
                _ => own,
            };
            let by = &info.components;
            let even = |axis: usize| {
                row.is_smaller(axis) && info.chroma[axis] == api::ChromaLocation::COSITED_EVEN
            };
            abi::Conversion {
                model: match info.model {
                    M::YCBCR_IDENTITY => ColourModel::Ycbcr,
                    M::YCBCR_709 => ColourModel::Bt709,
                    M::YCBCR_601 => ColourModel::Bt601,
                    M::YCBCR_2020 => ColourModel::Bt2020,
                    _ => ColourModel::Rgb,
                },
                narrow: info.range == api::SamplerYcbcrRange::ITU_NARROW,
                bits: row.bits,
                planes: row.planes.len() as u8,
                cosited: [even(0), even(1)],
                components: [
                    one(by.r, red),
                    one(by.g, green),
                    one(by.b, blue),
                    one(by.a, Component::One),
                ],
            }
        });
        Conversion {
            shader,
            filter: info.filter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_have_formats_and_numbers() {
        for row in PLANAR {
            for plane in row.planes {
                let format = hw::FORMATS
                    .iter()
                    .find(|format| format.name == plane.format);
                assert!(format.is_some(), "{row:?}");
            }
            assert!(row.planes.len() as u32 + 2 <= abi::Conversion::MOST_PIECES);
            let bits = if row.planes[0].format == R16 { 16 } else { 8 };
            assert_eq!(row.bits, bits);
            for (plane, component) in row.from {
                let format = row.planes[usize::from(plane)].format;
                let two = format.contains("G8") || format.contains("G16");
                assert!(format.starts_with('Y') || component <= u8::from(two));
            }
        }
    }

    #[test]
    fn conversions_take_components_where_planes_have_them() {
        use abi::Component;
        let found = Conversion::new(&ConversionInfo {
            format: F::G8_B8R8_2PLANE_420_UNORM,
            model: api::SamplerYcbcrModelConversion::YCBCR_709,
            range: api::SamplerYcbcrRange::ITU_NARROW,
            components: api::ComponentMapping {
                r: api::ComponentSwizzle::B,
                ..Default::default()
            },
            chroma: [
                api::ChromaLocation::COSITED_EVEN,
                api::ChromaLocation::MIDPOINT,
            ],
            filter: api::Filter::LINEAR,
        });
        let shader = found.shader.unwrap();
        let plane = |plane, component| Component::Plane { plane, component };
        assert_eq!(
            shader.components,
            [plane(1, 0), plane(0, 0), plane(1, 0), Component::One]
        );
        assert_eq!(shader.cosited, [true, false]);
        assert_eq!((shader.planes, shader.bits, shader.pieces()), (2, 8, 4));
    }
}
