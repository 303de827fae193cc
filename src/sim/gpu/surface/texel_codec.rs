//! Vectorised conversion of texels whose channels have up to 16 bits.
//!
//! In:  a format, texels of up to a dword each, or colours. Out: what
//!      [`decode`](super::format::decode) and [`encode`](super::format::encode) make of each, in
//!      loops that compilers make wide.
//! Ref: as `format.rs`.

use super::format::{self, Packer};
use hw::{ChannelKind, Format};

/// The numeric type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChannelType {
    /// The format has no such channel: zero, or the default of alpha.
    None,
    Unsigned,
    Signed,
    Unorm,
    Snorm,
}

/// A channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    meaning: ChannelType,
    lo: u32,
    bits: u32,
}

/// Converts texels of up to a dword to red, green, blue and alpha, and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    /// A dword format that [`Packer`] converts.
    Packed(Packer),
    /// Channels by their bit fields.
    Fields(Fields),
}

/// Four channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    channels: [Field; 4],
    one: u32,
}

impl Codec {
    /// The codec of a format; `None` if only [`format::encode`] converts it.
    pub fn from_format(format: &Format) -> Option<Codec> {
        match format::bytes(format) {
            4 => Packer::from_format(format)
                .map(Codec::Packed)
                .or_else(|| Fields::from_format(format).map(Codec::Fields)),
            1 | 2 => Fields::from_format(format).map(Codec::Fields),
            _ => None,
        }
    }

    /// The reds, greens, blues and alphas of texels.
    #[inline(always)]
    pub fn unpack<const N: usize>(&self, texels: &[u32; N]) -> [[u32; N]; 4] {
        match self {
            Codec::Packed(packer) => packer.unpack_all(texels),
            Codec::Fields(fields) => fields.unpack(texels),
        }
    }

    /// The texels of some pixels' red, green, blue and alpha.
    #[inline(always)]
    pub fn pack<const N: usize>(&self, colours: [&[u32; N]; 4]) -> [u32; N] {
        match self {
            Codec::Packed(packer) => packer.pack(colours),
            Codec::Fields(fields) => fields.pack(colours),
        }
    }
}

impl Fields {
    fn from_format(format: &Format) -> Option<Fields> {
        let mut fields = Fields {
            channels: [Field {
                meaning: ChannelType::None,
                lo: 0,
                bits: 1,
            }; 4],
            one: format::fill_missing_channels(format, [0; 4])[3],
        };
        for (channel, lo, bits, kind) in format::plain_parts(format)? {
            let meaning = match kind {
                ChannelKind::Uint => ChannelType::Unsigned,
                ChannelKind::Sint => ChannelType::Signed,
                ChannelKind::Unorm => ChannelType::Unorm,
                ChannelKind::Snorm => ChannelType::Snorm,
                _ => return None,
            };
            // Of one bit, there would be nothing beside the sign.
            let signed = matches!(meaning, ChannelType::Signed | ChannelType::Snorm);
            if bits > 16 || signed && bits < 2 {
                return None;
            }
            *fields.channels.get_mut(channel)? = Field { meaning, lo, bits };
        }
        Some(fields)
    }

    #[inline(always)]
    fn unpack<const N: usize>(&self, texels: &[u32; N]) -> [[u32; N]; 4] {
        let mut all = [[0; N], [0; N], [0; N], [self.one; N]];
        for (field, values) in self.channels.iter().zip(&mut all) {
            let each = values.iter_mut().zip(texels);
            let (up, down) = (32 - field.lo - field.bits, 32 - field.bits);
            let unsigned = |texel: u32| texel << up >> down;
            let signed = |texel: u32| (texel << up) as i32 >> down;
            let max = (1u32 << field.bits) - 1;
            match field.meaning {
                ChannelType::None => {}
                ChannelType::Unsigned => each.for_each(|(to, texel)| *to = unsigned(*texel)),
                ChannelType::Signed => each.for_each(|(to, texel)| *to = signed(*texel) as u32),
                ChannelType::Unorm => {
                    // A quotient of numbers so small is rounded once, whether it is a double before
                    // or not.
                    let max = max as f32;
                    each.for_each(|(to, texel)| {
                        *to = (unsigned(*texel) as i32 as f32 / max).to_bits();
                    });
                }
                ChannelType::Snorm => {
                    let max = (max >> 1) as f32;
                    each.for_each(|(to, texel)| {
                        let value = signed(*texel) as f32 / max;
                        *to = if value < -1.0 { -1.0 } else { value }.to_bits();
                    });
                }
            }
        }
        all
    }

    #[inline(always)]
    fn pack<const N: usize>(&self, colours: [&[u32; N]; 4]) -> [u32; N] {
        let mut texels = [0; N];
        for (field, colour) in self.channels.iter().zip(colours) {
            let each = texels.iter_mut().zip(colour);
            let lo = field.lo;
            let max = (1u32 << field.bits) - 1;
            let half = (max >> 1) as i32;
            match field.meaning {
                ChannelType::None => {}
                ChannelType::Unsigned => each.for_each(|(to, v)| *to |= (*v).min(max) << lo),
                ChannelType::Signed => each.for_each(|(to, v)| {
                    let value = (*v as i32).max(-half - 1).min(half);
                    *to |= (value as u32 & max) << lo;
                }),
                ChannelType::Unorm => {
                    let by = f64::from(max);
                    each.for_each(|(to, v)| {
                        *to |= (quantise_low(f32::from_bits(*v), 0.0, by) & max) << lo;
                    });
                }
                ChannelType::Snorm => {
                    let by = f64::from(half);
                    each.for_each(|(to, v)| {
                        *to |= (quantise_low(f32::from_bits(*v), -1.0, by) & max) << lo;
                    });
                }
            }
        }
        texels
    }
}

/// Lower bits of a value between `min` and 1, times a number, rounded to nearest even; NaN is 0.
#[inline(always)]
fn quantise_low(value: f32, min: f32, by: f64) -> u32 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let number = if value.is_nan() { 0.0 } else { value };
    let above = if number > min { number } else { min };
    let clamped = if above < 1.0 { above } else { 1.0 };
    (f64::from(clamped) * by + SHIFT).to_bits() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use hw::FORMATS;

    fn codecs() -> impl Iterator<Item = (&'static Format, Codec)> {
        FORMATS
            .iter()
            .filter_map(|f| Some((f, Codec::from_format(f)?)))
    }

    #[test]
    fn formats_of_small_channels_have_a_codec() {
        let has = |name: &str| {
            let found = codecs().find(|(format, _)| format.name == name);
            found.map(|(_, codec)| matches!(codec, Codec::Fields(_)))
        };
        for name in [
            "R8_UNORM",
            "R8_UINT",
            "R8_SINT",
            "R8_SNORM",
            "A8_UNORM",
            "R16_UINT",
            "R16_UNORM",
            "R8G8_UNORM",
            "R8G8_SINT",
            "B5G6R5_UNORM",
            "B5G5R5A1_UNORM",
            "B8G8R8X8_UNORM",
            "R10G10B10A2_UNORM",
            "R16G16_SINT",
        ] {
            assert_eq!(has(name), Some(true), "{name}");
        }
        for name in ["R8G8B8A8_UNORM", "R32_FLOAT"] {
            assert_eq!(has(name), Some(false), "{name}");
        }
        for name in [
            "R16_FLOAT",
            "L8_UNORM",
            "L8A8_UNORM_SRGB",
            "I8_UNORM",
            "B5G6R5_UNORM_SRGB",
            "R8_USCALED",
            "R11G11B10_FLOAT",
            "R16G16B16A16_UNORM",
            "BC1_UNORM",
            "YCRCB_NORMAL",
        ] {
            assert_eq!(has(name), None, "{name}");
        }
    }

    #[test]
    fn unpack_equals_decode() {
        for (format, codec) in codecs() {
            let bytes = format::bytes(format) as usize;
            // All of two bytes; of dwords, each half with another of the other.
            for first in (0..1u32 << 16).step_by(16) {
                let texels: [u32; 16] = std::array::from_fn(|i| {
                    let low = first + i as u32;
                    match bytes {
                        1 => low & 0xff,
                        2 => low,
                        _ => low << 16 | low.wrapping_mul(0x9e37) & 0xffff,
                    }
                });
                let all = codec.unpack(&texels);
                for (i, texel) in texels.iter().enumerate() {
                    let own = [0, 1, 2, 3].map(|c: usize| all[c][i]);
                    let decoded = format::decode(format, &texel.to_le_bytes()[..bytes]);
                    assert_eq!(own, decoded, "{} {texel:#x}", format.name);
                }
            }
        }
    }

    #[test]
    fn pack_equals_encode() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            state
        };
        let special = [
            0.0f32,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5 / 255.0,
            2.0,
            -2.0,
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MIN_POSITIVE,
        ]
        .map(f32::to_bits);
        for (format, codec) in codecs() {
            for _ in 0..400 {
                let mut value = || {
                    let (which, bits) = (random() >> 28, random());
                    match which {
                        0..4 => special[bits as usize % special.len()],
                        4..10 => (bits as f32 / u32::MAX as f32 * 2.2 - 1.1).to_bits(),
                        10..12 => bits >> 24,
                        12..14 => ((bits as i32) >> 16) as u32,
                        _ => bits,
                    }
                };
                let colours: [[u32; 16]; 4] =
                    std::array::from_fn(|_| std::array::from_fn(|_| value()));
                let texels = codec.pack(colours.each_ref());
                for (i, texel) in texels.iter().enumerate() {
                    let [a, b, c, d, ..] = format::encode(format, colours.map(|v| v[i]));
                    let encoded = u32::from_le_bytes([a, b, c, d]);
                    let own = colours.map(|v| v[i]);
                    assert_eq!(*texel, encoded, "{} {own:x?}", format.name);
                }
            }
        }
    }
}
