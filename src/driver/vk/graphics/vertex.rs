//! Vertex attribute formats.
//!
//! In:  a format of the API. Out: hardware formats and channels; formats with three or four 64-bit
//!      channels take two locations.
//! Ref: SKL PRM vol. 2a, "VERTEX_ELEMENT_STATE", Source Element Format.

use ash::vk as api;
use cmd::draw::state::{AttributeKind, FixedFunctionState, VertexAttribute};
use hw::{ChannelKind, FormatUse, Gen};
use smallvec::{SmallVec, smallvec};

use crate::error::{Error, Result};
use crate::format;

/// Bytes of a location with 64-bit channels.
const LOCATION_BYTES: u16 = 16;

/// The attributes that a format occupies in consecutive locations, for buffer 0 and offset 0.
/// Returns `None` if it is not a vertex format.
pub fn attributes(hw_gen: Gen, format: api::Format) -> Option<SmallVec<[VertexAttribute; 2]>> {
    let of = format::find(format)?.hw;
    if !of.uses(hw_gen).contains(FormatUse::VERTEX) {
        return None;
    }
    let there = of.channels.iter().filter(|channel| channel.1 > 0);
    let channels = there.count() as u8;
    let is = |kinds: &[ChannelKind]| of.channels.iter().any(|c| kinds.contains(&c.0));
    if is(&[ChannelKind::Raw]) {
        return quadwords(channels);
    }
    let kind = match is(&[ChannelKind::Uint, ChannelKind::Sint]) {
        true => AttributeKind::Integer,
        false => AttributeKind::Float,
    };
    Some(smallvec![VertexAttribute {
        format: of.number,
        channels,
        kind,
        ..VertexAttribute::default()
    }])
}

/// A vertex buffer binding of a vertex input state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Its number.
    pub binding: u32,
    /// Bytes from one vertex or instance to the next.
    pub stride_bytes: u32,
    /// Instance step rate. `None`: per vertex.
    pub per_instance: Option<u32>,
}

const OVER_LIMITS: Error = Error::InvalidUse {
    why: "more vertex bindings or attributes than there can be",
};

/// Sets strides of vertex buffers, and attributes. Returns the number of attribute locations that
/// were set.
pub fn set_input(
    hw_gen: Gen,
    bindings: impl Iterator<Item = Binding> + Clone,
    attributes_from: impl Iterator<Item = api::VertexInputAttributeDescription>,
    state: &mut FixedFunctionState,
) -> Result<usize> {
    let mut count = 0;
    for binding in bindings.clone() {
        let place = state.vertex_buffers.get_mut(binding.binding as usize);
        let stride = u16::try_from(binding.stride_bytes).ok();
        let stride = stride.filter(|&stride| stride <= 2048);
        place.ok_or(OVER_LIMITS)?.stride_bytes = stride.ok_or(Error::InvalidUse {
            why: "a stride of vertices above maxVertexInputBindingStride",
        })?;
    }
    for from in attributes_from {
        let parts = attributes(hw_gen, from.format).ok_or(Error::FormatNotSupported)?;
        let binding = bindings.clone().find(|b| b.binding == from.binding);
        let binding = binding.ok_or(Error::InvalidUse {
            why: "a vertex attribute without its binding",
        })?;
        let offset = u16::try_from(from.offset).ok();
        let offset = offset.filter(|&at| at <= 2047).ok_or(OVER_LIMITS)?;
        for (location, part) in (from.location as usize..).zip(parts) {
            let place = state.attributes.get_mut(location);
            *place.ok_or(OVER_LIMITS)? = VertexAttribute {
                buffer: u8::try_from(binding.binding).map_err(|_| OVER_LIMITS)?,
                offset_bytes: offset + part.offset_bytes,
                per_instance: binding.per_instance,
                ..part
            };
            count = count.max(location + 1);
        }
    }
    Ok(count)
}

/// Two 64-bit channels per location, as a shader may read either location alone.
fn quadwords(channels: u8) -> Option<SmallVec<[VertexAttribute; 2]>> {
    let firsts = (0..channels).step_by(2);
    let parts = firsts.map(|first| {
        let channels = (channels - first).min(2);
        let format = match channels {
            1 => api::Format::R64_SFLOAT,
            _ => api::Format::R64G64_SFLOAT,
        };
        Some(VertexAttribute {
            offset_bytes: LOCATION_BYTES * u16::from(first / 2),
            format: format::find(format)?.hw.number,
            channels,
            kind: AttributeKind::Quadwords,
            ..VertexAttribute::default()
        })
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_the_right_channels() {
        let found = |format| {
            let all = attributes(Gen::Gen9, format)?;
            let known = all.iter().map(|a| (a.offset_bytes, a.channels, a.kind));
            Some(known.collect::<Vec<_>>())
        };
        let two = found(api::Format::R32G32_SFLOAT);
        assert_eq!(two, Some(vec![(0, 2, AttributeKind::Float)]));
        let four = found(api::Format::A2B10G10R10_UINT_PACK32);
        assert_eq!(four, Some(vec![(0, 4, AttributeKind::Integer)]));
        let quadwords = AttributeKind::Quadwords;
        assert_eq!(
            found(api::Format::R64G64B64_SFLOAT),
            Some(vec![(0, 2, quadwords), (16, 1, quadwords)])
        );
        assert_eq!(found(api::Format::BC1_RGB_UNORM_BLOCK), None);
    }
}
