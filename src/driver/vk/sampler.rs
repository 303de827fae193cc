//! `VkSampler`: SAMPLER_STATE and border colour.
//!
//! In:  parameters of the API. Out: SAMPLER_STATE; a custom border colour in the address range that
//!      its pointer reaches.
//! Ref: SKL PRM vol. 2d, "SAMPLER_STATE", "SAMPLER_BORDER_COLOR_STATE"; Vulkan specification,
//!      "Samplers".

use hw::value;
use std::sync::Arc;

use ash::vk as api;
use cmd::image::ChannelSelect;
use hw::state::sampler_state as state;

use crate::context::{BORDER_STRIDE_BYTES, BORDERS, Context, HEAPS};
use crate::error::{Error, Result};
use crate::format;
use crate::heap_states::HeapStates;
use crate::planar::SamplerYcbcrConversion;
use crate::surface_state::SurfaceStateWords;

/// Parameters of a sampler.
#[derive(Clone, Copy, Debug)]
pub struct SamplerInfo {
    /// Flags.
    pub flags: api::SamplerCreateFlags,
    /// Magnification filter.
    pub mag: api::Filter,
    /// Minification filter.
    pub min: api::Filter,
    /// Mipmap mode.
    pub mip: api::SamplerMipmapMode,
    /// Address modes.
    pub address: [api::SamplerAddressMode; 3],
    /// LOD bias.
    pub lod_bias: f32,
    /// Minimum and maximum LOD.
    pub lod: [f32; 2],
    /// Maximum anisotropy, if enabled.
    pub anisotropy: Option<f32>,
    /// Compare operation, if enabled.
    pub compare: Option<api::CompareOp>,
    /// Border colour.
    pub border: api::BorderColor,
    /// Custom border colour, and the format that it is for.
    pub custom: Option<([u32; 4], api::Format)>,
    /// Unnormalised coordinates.
    pub unnormalised: bool,
    /// Reduction mode.
    pub reduction: api::SamplerReductionMode,
    /// Y'CbCr conversion.
    pub conversion: Option<SamplerYcbcrConversion>,
}

/// What distinguishes samplers without a conversion: the state without its border colour pointer,
/// and the border colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerKey {
    state: SamplerStateWords,
    border: api::BorderColor,
    custom: Option<([u32; 4], api::Format)>,
}

impl SamplerKey {
    /// The custom border colour, and the format that it is for.
    pub fn custom_border(&self) -> Option<([u32; 4], api::Format)> {
        self.custom
    }
}

impl SamplerInfo {
    /// The key of a sampler without a conversion.
    pub fn key(&self) -> SamplerKey {
        SamplerKey {
            state: pack(self).dwords,
            border: self.border,
            custom: self.custom,
        }
    }
}

/// Dwords of SAMPLER_STATE.
pub type SamplerStateWords = [u32; 4];

/// `VkSampler`.
#[derive(Debug)]
pub struct Sampler {
    /// SAMPLER_STATE.
    pub state: SamplerStateWords,
    /// SAMPLER_STATE of the chroma planes, with a multi-planar conversion.
    pub chroma: Option<SamplerStateWords>,
    /// Conversion that shaders perform.
    pub conversion: Option<abi::YcbcrConversion>,
    /// Where indirect descriptors have `state` in the heap.
    pub in_heap: HeapStates,
    /// Custom border colour.
    _border: Option<i915::PoolAllocation>,
}

/// Shadow Function: the hardware compares texel and reference in the opposite order, and counts
/// texels that fail.
fn shadow_function(op: api::CompareOp) -> u64 {
    use value::draw::compare_function::*;
    match op {
        api::CompareOp::LESS => LEQUAL,
        api::CompareOp::EQUAL => NOTEQUAL,
        api::CompareOp::LESS_OR_EQUAL => LESS,
        api::CompareOp::GREATER => GEQUAL,
        api::CompareOp::NOT_EQUAL => EQUAL,
        api::CompareOp::GREATER_OR_EQUAL => GREATER,
        api::CompareOp::ALWAYS => NEVER,
        _ => ALWAYS,
    }
}

fn address_mode(mode: api::SamplerAddressMode) -> u64 {
    use value::state::address_mode::*;
    match mode {
        api::SamplerAddressMode::MIRRORED_REPEAT => MIRROR,
        api::SamplerAddressMode::CLAMP_TO_EDGE => CLAMP,
        api::SamplerAddressMode::CLAMP_TO_BORDER => CLAMP_BORDER,
        api::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE => MIRROR_ONCE,
        _ => WRAP,
    }
}

/// LOD as U4.8; there are at most 14 levels above the first.
fn level(lod: f32) -> u64 {
    (lod.clamp(0.0, 14.0) * 256.0).round() as u64
}

/// SAMPLER_STATE without the border colour pointer.
fn pack(info: &SamplerInfo) -> hw::PacketWords<4> {
    use value::state::{
        anisotropic_algorithm, cube_surface_control_mode, lod_preclamp_mode, mip_filter,
        reduction_type, texture_filter,
    };
    let linear = |filter: api::Filter| filter != api::Filter::NEAREST;
    let filter = |filter: api::Filter| match (linear(filter), info.anisotropy) {
        (false, _) => texture_filter::NEAREST,
        (true, None) => texture_filter::LINEAR,
        (true, Some(_)) => texture_filter::ANISOTROPIC,
    };
    let mip = match info.mip {
        api::SamplerMipmapMode::LINEAR => mip_filter::LINEAR,
        _ => mip_filter::NEAREST,
    };
    let bias = (info.lod_bias.clamp(-16.0, 15.996) * 256.0).round() as i64;
    let seamless = !info
        .flags
        .contains(api::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT);
    // 2:1 to 16:1, in steps of two.
    let anisotropy = info.anisotropy.unwrap_or(2.0).clamp(2.0, 16.0);
    let reduction = match info.reduction {
        api::SamplerReductionMode::MIN => reduction_type::MINIMUM,
        api::SamplerReductionMode::MAX => reduction_type::MAXIMUM,
        _ => reduction_type::STD_FILTER,
    };
    let [u, v, w] = info.address.map(address_mode);
    let (min, mag) = (linear(info.min), linear(info.mag));
    state::words::<4>()
        .with(state::LOD_PRECLAMP_MODE, lod_preclamp_mode::OGL)
        .with(state::MIP_MODE_FILTER, mip)
        .with(state::MAG_MODE_FILTER, filter(info.mag))
        .with(state::MIN_MODE_FILTER, filter(info.min))
        .with(state::TEXTURE_LOD_BIAS, bias as u64 & 0x1fff)
        .with(
            state::ANISOTROPIC_ALGORITHM,
            match info.anisotropy {
                Some(_) => anisotropic_algorithm::EWA_APPROXIMATION,
                None => anisotropic_algorithm::LEGACY,
            },
        )
        .with(state::MIN_LOD, level(info.lod[0]))
        .with(state::MAX_LOD, level(info.lod[1]))
        .with(
            state::SHADOW_FUNCTION,
            shadow_function(info.compare.unwrap_or(api::CompareOp::NEVER)),
        )
        .with(
            state::CUBE_SURFACE_CONTROL_MODE,
            match seamless {
                true => cube_surface_control_mode::OVERRIDE,
                false => cube_surface_control_mode::PROGRAMMED,
            },
        )
        .with(state::MAXIMUM_ANISOTROPY, ((anisotropy - 2.0) / 2.0) as u64)
        .flag(state::R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, min)
        .flag(state::R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, mag)
        .flag(state::V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, min)
        .flag(state::V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, mag)
        .flag(state::U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE, min)
        .flag(state::U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE, mag)
        .flag(state::NON_NORMALIZED_COORDINATE_ENABLE, info.unnormalised)
        .with(state::TCX_ADDRESS_CONTROL_MODE, u)
        .with(state::TCY_ADDRESS_CONTROL_MODE, v)
        .with(state::TCZ_ADDRESS_CONTROL_MODE, w)
        .flag(
            state::REDUCTION_TYPE_ENABLE,
            reduction != reduction_type::STD_FILTER,
        )
        .with(state::REDUCTION_TYPE, reduction)
}

/// Swizzles a border colour for a swizzled format, which the sampler does not do.
fn swizzle_border(words: [u32; 4], format: api::Format) -> [u32; 4] {
    let Some(format) = format::find(format) else {
        return words;
    };
    let mut out = words;
    for (word, select) in words.into_iter().zip(format.swizzle) {
        let channel = match select {
            ChannelSelect::Red => 0,
            ChannelSelect::Green => 1,
            ChannelSelect::Blue => 2,
            ChannelSelect::Alpha => 3,
            ChannelSelect::Zero | ChannelSelect::One => continue,
        };
        out[channel] = word;
    }
    out
}

/// SAMPLER_STATE for blits: clamps to the edge.
pub fn blit_state(linear: bool) -> SamplerStateWords {
    let filter = match linear {
        true => api::Filter::LINEAR,
        false => api::Filter::NEAREST,
    };
    pack(&SamplerInfo {
        flags: api::SamplerCreateFlags::empty(),
        mag: filter,
        min: filter,
        mip: api::SamplerMipmapMode::NEAREST,
        address: [api::SamplerAddressMode::CLAMP_TO_EDGE; 3],
        lod_bias: 0.0,
        lod: [0.0; 2],
        anisotropy: None,
        compare: None,
        border: api::BorderColor::FLOAT_TRANSPARENT_BLACK,
        custom: None,
        unnormalised: false,
        reduction: api::SamplerReductionMode::WEIGHTED_AVERAGE,
        conversion: None,
    })
    .dwords
}

/// Pads SAMPLER_STATE to a descriptor slot.
pub fn as_slot(state: SamplerStateWords) -> SurfaceStateWords {
    let mut piece = [0; size_of::<SurfaceStateWords>() / 4];
    for (to, from) in piece.iter_mut().zip(state) {
        *to = from;
    }
    piece
}

impl Sampler {
    /// Creates a sampler.
    pub fn new(context: &Context, info: &SamplerInfo) -> Result<Arc<Self>> {
        let known = api::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT;
        if !known.contains(info.flags) {
            return Err(Error::FeatureNotPresent {
                what: "this kind of sampler",
            });
        }
        let (address, border) = match info.custom {
            None => {
                let number = u64::try_from(info.border.as_raw()).unwrap_or(0);
                if number >= BORDERS.len() as u64 {
                    return Err(Error::InvalidUse {
                        why: "a custom border colour that is not given",
                    });
                }
                (
                    context.predefined_borders() + number * BORDER_STRIDE_BYTES,
                    None,
                )
            }
            Some((words, format)) => {
                let slice = context.alloc_border(swizzle_border(words, format))?;
                (slice.address(), Some(slice))
            }
        };
        let pointer = address - HEAPS.dynamic;
        let state = |info: &SamplerInfo| {
            let words = pack(info).with(state::BORDER_COLOR_POINTER, pointer);
            words.dwords
        };
        let conversion = info.conversion.and_then(|conversion| conversion.shader);
        let chroma = info
            .conversion
            .filter(|_| conversion.is_some_and(|c| c.planes > 1));
        Ok(Arc::new(Self {
            state: state(info),
            chroma: chroma.map(|chroma| {
                state(&SamplerInfo {
                    mag: chroma.filter,
                    min: chroma.filter,
                    ..*info
                })
            }),
            conversion,
            in_heap: HeapStates::default(),
            _border: border,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: SamplerInfo = SamplerInfo {
        flags: api::SamplerCreateFlags::empty(),
        mag: api::Filter::LINEAR,
        min: api::Filter::NEAREST,
        mip: api::SamplerMipmapMode::LINEAR,
        address: [
            api::SamplerAddressMode::REPEAT,
            api::SamplerAddressMode::CLAMP_TO_BORDER,
            api::SamplerAddressMode::MIRRORED_REPEAT,
        ],
        lod_bias: -1.5,
        lod: [0.25, 1000.0],
        anisotropy: None,
        compare: Some(api::CompareOp::LESS),
        border: api::BorderColor::FLOAT_OPAQUE_WHITE,
        custom: None,
        unnormalised: false,
        reduction: api::SamplerReductionMode::WEIGHTED_AVERAGE,
        conversion: None,
    };

    #[test]
    fn parameters_are_packed_into_their_fields() {
        let words = pack(&INFO).dwords;
        let get = |field: hw::Field| field.get(&words);
        assert_eq!(get(state::MAG_MODE_FILTER), 1);
        assert_eq!(get(state::MIN_MODE_FILTER), 0);
        assert_eq!(get(state::MIP_MODE_FILTER), 3);
        assert_eq!(get(state::TEXTURE_LOD_BIAS).cast_signed(), -384);
        assert_eq!((get(state::MIN_LOD), get(state::MAX_LOD)), (64, 14 * 256));
        assert_eq!(get(state::SHADOW_FUNCTION), 4);
        assert_eq!(get(state::TCX_ADDRESS_CONTROL_MODE), 0);
        assert_eq!(get(state::TCY_ADDRESS_CONTROL_MODE), 4);
        assert_eq!(get(state::TCZ_ADDRESS_CONTROL_MODE), 1);
        let words = pack(&SamplerInfo {
            anisotropy: Some(16.0),
            ..INFO
        })
        .dwords;
        assert_eq!(state::MAG_MODE_FILTER.get(&words), 2);
        assert_eq!(state::MIN_MODE_FILTER.get(&words), 0);
        assert_eq!(state::MAXIMUM_ANISOTROPY.get(&words), 7);
    }

    #[test]
    fn border_colours_are_swizzled() {
        let words = [1, 2, 3, 4];
        assert_eq!(swizzle_border(words, api::Format::R8G8B8A8_UNORM), words);
        assert_eq!(
            swizzle_border(words, api::Format::B4G4R4A4_UNORM_PACK16),
            [3, 2, 1, 4]
        );
    }
}
