//! Y'CbCr formats: planes, and the parameters of conversions.
//!
//! In:  a format. Out: hardware format and subsampling of each plane; plane and component of each
//!      of Cr, Y' and Cb.
//! Ref: Vulkan specification, "Formats Requiring Sampler Y'CbCr Conversion", "Compatible Formats of
//!      Planes of Multi-Planar Formats"; SKL PRM vol. 2d, "SURFACE_FORMAT" (in YCRCB formats red is
//!      one chroma, green luma, blue the other).

use ash::vk as api;
use ash::vk::Format as F;

/// A plane of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatPlane {
    /// Hardware format.
    pub format: &'static str,
    /// Log2 of the subsampling in x and y.
    pub shift: [u32; 2],
}

/// A Y'CbCr format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YcbcrFormat {
    /// Vulkan's format.
    pub api: F,
    /// Planes, luma first.
    pub planes: &'static [FormatPlane],
    /// Plane and component of Cr, Y' and Cb.
    pub component_sources: [(u8, u8); 3],
    /// Bits of each component: 10 and 12 are the upper ones of 16, the others are unused.
    pub bits: u8,
}

impl YcbcrFormat {
    /// The same planes with fewer bits: the upper ones of each component.
    const fn with_upper_bits(self, bits: u8) -> YcbcrFormat {
        YcbcrFormat { bits, ..self }
    }
}

const fn plane(format: &'static str, shift: [u32; 2]) -> FormatPlane {
    FormatPlane { format, shift }
}

const FULL: [u32; 2] = [0, 0];
const HALF_WIDTH: [u32; 2] = [1, 0];
const HALF: [u32; 2] = [1, 1];

const fn three(api: F, format: &'static str, planes: &'static [FormatPlane]) -> YcbcrFormat {
    YcbcrFormat {
        api,
        planes,
        component_sources: [(2, 0), (0, 0), (1, 0)],
        bits: if format.len() == "R8_UNORM".len() {
            8
        } else {
            16
        },
    }
}

const fn two(api: F, format: &'static str, planes: &'static [FormatPlane]) -> YcbcrFormat {
    YcbcrFormat {
        component_sources: [(1, 1), (0, 0), (1, 0)],
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

/// A single plane of packed 4:2:2 texels, whose chroma the sampler upsamples.
const fn packed(api: F, planes: &'static [FormatPlane]) -> YcbcrFormat {
    YcbcrFormat {
        api,
        planes,
        component_sources: [(0, 2), (0, 1), (0, 0)],
        bits: 8,
    }
}

/// The supported formats.
pub static PLANAR: &[YcbcrFormat] = &[
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
    two(
        F::G8_B8R8_2PLANE_444_UNORM,
        R8,
        planes!("R8_UNORM", "R8G8_UNORM", FULL),
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
    two(
        F::G16_B16R16_2PLANE_444_UNORM,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", FULL),
    ),
    three(
        F::G16_B16_R16_3PLANE_444_UNORM,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", FULL),
    ),
    three(
        F::G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", HALF),
    )
    .with_upper_bits(10),
    two(
        F::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", HALF),
    )
    .with_upper_bits(10),
    three(
        F::G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", HALF_WIDTH),
    )
    .with_upper_bits(10),
    two(
        F::G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", HALF_WIDTH),
    )
    .with_upper_bits(10),
    three(
        F::G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", FULL),
    )
    .with_upper_bits(10),
    two(
        F::G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", FULL),
    )
    .with_upper_bits(10),
    three(
        F::G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", HALF),
    )
    .with_upper_bits(12),
    two(
        F::G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", HALF),
    )
    .with_upper_bits(12),
    three(
        F::G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", HALF_WIDTH),
    )
    .with_upper_bits(12),
    two(
        F::G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", HALF_WIDTH),
    )
    .with_upper_bits(12),
    three(
        F::G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16_UNORM" "R16_UNORM", FULL),
    )
    .with_upper_bits(12),
    two(
        F::G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16,
        R16,
        planes!("R16_UNORM", "R16G16_UNORM", FULL),
    )
    .with_upper_bits(12),
];

/// Aspects of the planes.
pub const ASPECTS: [api::ImageAspectFlags; 3] = [
    api::ImageAspectFlags::PLANE_0,
    api::ImageAspectFlags::PLANE_1,
    api::ImageAspectFlags::PLANE_2,
];

impl YcbcrFormat {
    /// Finds a format.
    pub fn find(format: F) -> Option<&'static YcbcrFormat> {
        PLANAR.iter().find(|row| row.api == format)
    }

    /// Whether it has several planes.
    pub fn is_multi_planar(&self) -> bool {
        self.planes.len() > 1
    }

    /// Whether a plane is subsampled along an axis.
    pub fn is_smaller(&self, axis: usize) -> bool {
        self.planes.iter().any(|plane| plane.shift[axis] > 0)
    }

    /// The plane of an aspect.
    pub fn plane(&self, aspect: api::ImageAspectFlags) -> Option<&'static FormatPlane> {
        let index = ASPECTS.iter().position(|&known| known == aspect)?;
        self.planes.get(index).filter(|_| self.is_multi_planar())
    }
}

/// Parameters of a `VkSamplerYcbcrConversion`.
#[derive(Clone, Copy, Debug)]
pub struct YcbcrConversionInfo {
    /// Image format.
    pub format: F,
    /// Colour model.
    pub model: api::SamplerYcbcrModelConversion,
    /// Quantisation range.
    pub range: api::SamplerYcbcrRange,
    /// Component swizzle.
    pub components: api::ComponentMapping,
    /// Chroma sample location in x and y.
    pub chroma: [api::ChromaLocation; 2],
    /// Chroma filter.
    pub filter: api::Filter,
}

/// `VkSamplerYcbcrConversion`.
#[derive(Clone, Copy, Debug)]
pub struct SamplerYcbcrConversion {
    /// Its parameters.
    pub info: YcbcrConversionInfo,
    /// Conversion that shaders perform; none for formats other than Y'CbCr.
    pub shader: Option<abi::YcbcrConversion>,
    /// Chroma filter.
    pub filter: api::Filter,
}

impl SamplerYcbcrConversion {
    /// Creates a conversion.
    pub fn new(info: &YcbcrConversionInfo) -> SamplerYcbcrConversion {
        use abi::{ColourModel, YcbcrComponent};
        use api::ComponentSwizzle as C;
        use api::SamplerYcbcrModelConversion as M;
        let shader = YcbcrFormat::find(info.format).map(|row| {
            let [red, green, blue] = (row.component_sources)
                .map(|(plane, component)| YcbcrComponent::Plane { plane, component });
            let one = |swizzle, own| match swizzle {
                C::ZERO => YcbcrComponent::Zero,
                C::ONE | C::A => YcbcrComponent::One,
                C::R => red,
                C::G => green,
                C::B => blue,
                _ => own,
            };
            let by = &info.components;
            let even = |axis: usize| {
                row.is_smaller(axis) && info.chroma[axis] == api::ChromaLocation::COSITED_EVEN
            };
            abi::YcbcrConversion {
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
                    one(by.a, YcbcrComponent::One),
                ],
            }
        });
        SamplerYcbcrConversion {
            info: *info,
            shader,
            filter: info.filter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_refer_to_hardware_formats() {
        for row in PLANAR {
            for plane in row.planes {
                let format = hw::FORMATS
                    .iter()
                    .find(|format| format.name == plane.format);
                assert!(format.is_some(), "{row:?}");
            }
            assert!(row.planes.len() as u32 + 2 <= abi::YcbcrConversion::MAX_SLOTS);
            let name = format!("{:?}", row.api);
            let bits = match row.planes[0].format == R16 {
                true if name.starts_with("G10X6") => 10,
                true if name.starts_with("G12X4") => 12,
                true => 16,
                false => 8,
            };
            assert_eq!(row.bits, bits, "{name}");
            for (plane, component) in row.component_sources {
                let format = row.planes[usize::from(plane)].format;
                let two = format.contains("G8") || format.contains("G16");
                assert!(format.starts_with('Y') || component <= u8::from(two));
            }
        }
    }

    #[test]
    fn conversions_swizzle_components_of_planes() {
        use abi::YcbcrComponent;
        let found = SamplerYcbcrConversion::new(&YcbcrConversionInfo {
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
        let plane = |plane, component| YcbcrComponent::Plane { plane, component };
        assert_eq!(
            shader.components,
            [plane(1, 0), plane(0, 0), plane(1, 0), YcbcrComponent::One]
        );
        assert_eq!(shader.cosited, [true, false]);
        assert_eq!((shader.planes, shader.bits, shader.slots()), (2, 8, 4));
    }
}
