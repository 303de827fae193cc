//! Render targets: colours of pixels to memory.
//!
//! In:  a surface, a pixel, a colour as the shader sends it. Out: the pixel blended, masked, encoded and written.
//! Ref: SKL PRM vol. 7, "Render Target Write", "Color Buffer Blending".

use super::blend::{Blend, logic};
use crate::memory::View;
use crate::surface::{Image, format};
use eu::Stop;
use hw::ChannelKind;

/// A bound render target.
pub(crate) struct Target {
    pub image: Image,
    pub blend: Blend,
    integer: bool,
    /// Values are clamped to this range before blending.
    clamp: Option<(f32, f32)>,
    pub constant: [f32; 4],
}

impl Target {
    pub fn new(image: Image, blend: Blend, constant: [f32; 4]) -> Target {
        let kinds = image.format.channels.map(|c| c.0);
        let clamp = if kinds.contains(&ChannelKind::Unorm) {
            Some((0.0, 1.0))
        } else if kinds.contains(&ChannelKind::Snorm) {
            Some((-1.0, 1.0))
        } else {
            None
        };
        Target {
            integer: format::is_integer(image.format),
            clamp: clamp.filter(|_| blend.pre_clamp),
            image,
            blend,
            constant,
        }
    }

    /// Writes a pixel's colour; `second` is the other one of dual source blending.
    pub fn write(
        &self,
        view: &View<'_>,
        [x, y, layer]: [u32; 3],
        sample: u32,
        colour: [u32; 4],
        second: [u32; 4],
    ) -> Result<(), Stop> {
        let image = &self.image;
        let lod = image.lod;
        let Some(address) = image.texel_address(lod, x, y, layer, sample) else {
            return Ok(());
        };
        let blends = self.blend.enabled && !self.integer && self.blend.logic_op.is_none();
        let whole = self.blend.writes == [true; 4] && !blends && self.blend.logic_op.is_none();
        if whole {
            return image.store(view, lod, [x, y, layer], sample, colour);
        }
        image.materialize(view, lod, [x, y, layer])?;
        let old_raw = image.element(view, address)?;
        let old = format::decode(image.format, &old_raw);
        let mut new = colour;
        if blends {
            let clamped = |v: [u32; 4]| {
                v.map(f32::from_bits).map(|f| match self.clamp {
                    Some((low, high)) => f.max(low).min(high),
                    None => f,
                })
            };
            let result = self.blend.blend(
                clamped(colour),
                clamped(second),
                old.map(f32::from_bits),
                self.constant.map(|f| match self.clamp {
                    Some((low, high)) => f.max(low).min(high),
                    None => f,
                }),
            );
            new = result.map(f32::to_bits);
        }
        let mut merged = old;
        for i in 0..4 {
            if self.blend.writes[i] {
                merged[i] = new[i];
            }
        }
        let mut raw = format::encode(image.format, merged);
        if let Some(op) = self.blend.logic_op {
            // Channels that are not written keep their bits: merged has them as they were.
            let source = format::encode(image.format, colour);
            let result: [u8; 16] = std::array::from_fn(|i| logic(op, source[i], old_raw[i]));
            let mut values = format::decode(image.format, &result);
            for i in 0..4 {
                if !self.blend.writes[i] {
                    values[i] = old[i];
                }
            }
            raw = match self.blend.writes == [true; 4] {
                true => result,
                false => format::encode(image.format, values),
            };
        }
        image.put(view, address, &raw)
    }
}
