//! Attributes of vertices: the formats that they are fetched in.
//!
//! In:  the API's format. Out: the hardware's number, and what channels there are.
//! Ref: SKL PRM vol. 2a, "VERTEX_ELEMENT_STATE", Source Element Format.

use ash::vk as api;
use cmd::draw::state::Attribute;
use hw::{ChannelKind, FormatUse, Gen};

use crate::format;

/// An attribute of a format, in buffer 0 at offset 0. None: vertices cannot be fetched in it.
pub fn attribute(hw_gen: Gen, format: api::Format) -> Option<Attribute> {
    let format = format::find(format)?.hw;
    if !format.uses(hw_gen).contains(FormatUse::VERTEX) {
        return None;
    }
    let there = format.channels.iter().filter(|channel| channel.1 > 0);
    let integer =
        |channel: &(ChannelKind, u8)| matches!(channel.0, ChannelKind::Uint | ChannelKind::Sint);
    Some(Attribute {
        format: format.number,
        channels: there.count() as u8,
        integer: format.channels.iter().any(integer),
        ..Attribute::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_counted() {
        let attribute = |format| attribute(Gen::Gen9, format);
        let two = attribute(api::Format::R32G32_SFLOAT).unwrap();
        assert_eq!((two.channels, two.integer), (2, false));
        let four = attribute(api::Format::A2B10G10R10_UINT_PACK32).unwrap();
        assert_eq!((four.channels, four.integer), (4, true));
        assert_eq!(attribute(api::Format::BC1_RGB_UNORM_BLOCK), None);
    }
}
