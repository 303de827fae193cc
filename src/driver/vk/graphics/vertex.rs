//! Vertex attribute formats.
//!
//! In:  a format of the API. Out: hardware formats and channels; formats with three or four 64-bit
//!      channels take two locations.
//! Ref: SKL PRM vol. 2a, "VERTEX_ELEMENT_STATE", Source Element Format.

use ash::vk as api;
use cmd::draw::state::{AttributeKind, VertexAttribute};
use hw::{ChannelKind, FormatUse, Gen};
use smallvec::{SmallVec, smallvec};

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
