//! Values of texels: what a clear writes, what a blit makes of them, bytes that no conversion
//! changes.
//!
//! In:  a [`Layout`] and random numbers. Out: bytes of elements. Only values that every correct
//!      driver stores the same way: where the specification leaves rounding open, bits are told to
//!      be unknown.

use ash::vk;

use crate::format::{Channel, Layout, Numeric};
use crate::random::Random;

/// Puts bits into an element.
fn put(bytes: &mut [u8], channel: &Channel, bits: u64) {
    for bit in 0..channel.bits {
        let at = (channel.at + bit) as usize;
        let set = (bits >> bit & 1) as u8;
        bytes[at / 8] = bytes[at / 8] & !(1 << (at % 8)) | set << (at % 8);
    }
}

/// Bits of an element.
fn get(bytes: &[u8], channel: &Channel) -> u64 {
    (0..channel.bits).fold(0, |bits, bit| {
        let at = (channel.at + bit) as usize;
        bits | u64::from(bytes[at / 8] >> (at % 8) & 1) << bit
    })
}

/// The highest number of so many bits.
fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// A float of 16 bits that is neither tiny nor infinite, and the same of 32.
fn halves(random: &mut Random) -> (u64, f32) {
    let (sign, exponent, mantissa) = (random.below(2), 8 + random.below(16), random.below(1024));
    let wide = (sign << 31) | (exponent + 127 - 15) << 23 | mantissa << 13;
    let bits = sign << 15 | exponent << 10 | mantissa;
    (bits, f32::from_bits(wide as u32))
}

/// Fills elements with bytes; floats are finite and normal, so that they survive being converted.
pub fn noise(layout: &Layout, random: &mut Random, bytes: &mut [u8]) {
    for byte in &mut *bytes {
        *byte = random.next() as u8;
    }
    if layout.numeric != Numeric::Sfloat {
        return;
    }
    let element_bytes = layout.aspects[0].bytes as usize;
    for element in bytes.chunks_exact_mut(element_bytes) {
        for channel in &layout.channels {
            let (half, float) = halves(random);
            match channel.bits {
                16 => put(element, channel, half),
                32 => put(element, channel, float.to_bits().into()),
                _ => put(element, channel, f64::from(float).to_bits()),
            }
        }
    }
}

/// Depths between 0 and 1, or bits of fixed point.
pub fn depths(format: vk::Format, random: &mut Random, bytes: &mut [u8]) {
    for byte in &mut *bytes {
        *byte = random.next() as u8;
    }
    if matches!(
        format,
        vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT
    ) {
        for element in bytes.chunks_exact_mut(4) {
            element.copy_from_slice(&random.unit().to_le_bytes());
        }
    }
}

/// A colour to clear with, and the bytes of a texel then.
pub fn clear(layout: &Layout, random: &mut Random) -> (vk::ClearColorValue, Vec<u8>) {
    let mut bytes = vec![0; layout.aspects[0].bytes as usize];
    let mut words = [0u32; 4].map(|_| random.next() as u32 & 0x3f7f_ffff);
    // Fast clears are of zeros and ones.
    let simple = random.one_in(3);
    let shared = layout.channels.iter().any(|channel| channel.letter == b'E');
    if shared {
        return shared_exponent(random);
    }
    for channel in &layout.channels {
        let Some(index) = b"RGBA".iter().position(|letter| *letter == channel.letter) else {
            continue;
        };
        let top = ones(channel.bits);
        let mut number = |end: u64| match simple {
            true => end * random.below(2),
            false => random.below(end.wrapping_add(1).max(1)),
        };
        // A component of 64 bits takes two of the four elements, as Khronos' tests have it.
        if channel.bits == 64 && matches!(layout.numeric, Numeric::Uint | Numeric::Sint) {
            let bits = match simple {
                true => random.below(2).wrapping_neg(),
                false => random.next(),
            };
            if let Some(pair) = words.get_mut(2 * index..2 * index + 2) {
                pair.copy_from_slice(&[bits as u32, (bits >> 32) as u32]);
            }
            put(&mut bytes, channel, bits);
            continue;
        }
        let (word, bits) = match layout.numeric {
            Numeric::Uint => {
                let bits = number(top.min(u32::MAX.into()));
                (bits as u32, bits)
            }
            Numeric::Sint => {
                let bits = number(top.min(u32::MAX.into()));
                let shift = 64 - channel.bits;
                (((bits << shift).cast_signed() >> shift) as u32, bits)
            }
            Numeric::Unorm => {
                let bits = number(top);
                ((bits as f32 / top as f32).to_bits(), bits)
            }
            Numeric::Uscaled => {
                let bits = number(top);
                ((bits as f32).to_bits(), bits)
            }
            Numeric::Snorm | Numeric::Sscaled => {
                let most = top >> 1;
                let signed = number(2 * most).cast_signed() - most.cast_signed();
                let value = match layout.numeric {
                    Numeric::Snorm => signed as f32 / most as f32,
                    _ => signed as f32,
                };
                (value.to_bits(), signed.cast_unsigned() & top)
            }
            Numeric::Sfloat => {
                let (half, float) = match simple {
                    true => [(0, 0.0), (0x3c00, 1.0)][random.below(2) as usize],
                    false => halves(random),
                };
                let bits = match channel.bits {
                    16 => half,
                    _ => u64::from(float.to_bits()),
                };
                (float.to_bits(), bits)
            }
            Numeric::Srgb if channel.letter == b'A' => {
                let bits = number(top);
                ((bits as f32 / top as f32).to_bits(), bits)
            }
            // What lies between is as exact as a driver's curve.
            Numeric::Srgb => {
                let one = random.below(2);
                ((one as f32).to_bits(), one * top)
            }
            // Five bits of exponent, the rest is mantissa.
            Numeric::Ufloat => {
                let exponent = random.range(12, 18);
                let mantissa = channel.bits - 5;
                let bits = u64::from(exponent) << mantissa;
                ((exponent + 127 - 15) << 23, bits)
            }
            Numeric::Opaque => (0, 0),
        };
        words[index] = word;
        put(&mut bytes, channel, bits);
    }
    (vk::ClearColorValue { uint32: words }, bytes)
}

/// E5B9G9R9: powers of two and zero; the exponent is that of the greatest.
fn shared_exponent(random: &mut Random) -> (vk::ClearColorValue, Vec<u8>) {
    let exponents = [0; 3].map(|_| random.range(0, 4));
    let most = exponents.into_iter().max().unwrap_or_default();
    // 2^(e - 2); the mantissa has nine bits below the exponent.
    let shared = most + 14;
    let mut word = shared << 27;
    let mut words = [0u32; 4];
    for (index, exponent) in exponents.into_iter().enumerate() {
        word |= (0x100 >> (most - exponent)) << (9 * index);
        words[index] = (exponent + 125) << 23;
    }
    (
        vk::ClearColorValue { uint32: words },
        word.to_le_bytes().to_vec(),
    )
}

/// True if a blit from one format to another has one right result for each value.
pub fn converts(from: &Layout, to: &Layout) -> bool {
    if !from.is_plain() || !to.is_plain() {
        return false;
    }
    if from.format == to.format {
        return from.numeric != Numeric::Ufloat;
    }
    if from.numeric != to.numeric {
        return false;
    }
    let bits_from = |letter| from.channels.iter().find(|c| c.letter == letter);
    let wide = |c: &Channel| bits_from(c.letter).is_none_or(|had| had.bits <= c.bits);
    match from.numeric {
        Numeric::Unorm => true,
        Numeric::Srgb => from.channels.iter().all(|c| c.bits == 8),
        // Numbers that do not fit have no defined result.
        Numeric::Uint | Numeric::Sint => to.channels.iter().all(wide),
        Numeric::Sfloat => to.channels.iter().all(wide) && to.channels.iter().all(|c| c.bits <= 32),
        _ => false,
    }
}

/// Converts a texel to another format; returns its bytes and a mask of the bits that are defined.
pub fn convert(from: &Layout, to: &Layout, bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut out = vec![0; to.aspects[0].bytes as usize];
    let mut mask = vec![0; out.len()];
    for channel in &to.channels {
        if channel.letter == b'X' {
            continue;
        }
        let had = from.channels.iter().find(|c| c.letter == channel.letter);
        let (mut sure, top) = (true, ones(channel.bits));
        let bits = match (had, to.numeric) {
            (None, _) if channel.letter != b'A' => 0,
            (None, Numeric::Uint | Numeric::Sint) => 1,
            (None, Numeric::Sfloat) if channel.bits == 16 => 0x3c00,
            (None, Numeric::Sfloat) => 0x3f80_0000,
            (None, _) => top,
            (Some(had), Numeric::Snorm) => {
                let bits = get(bytes, had);
                // The lowest number means the same as the one above it.
                sure = bits != 1 << (had.bits - 1);
                bits
            }
            (Some(had), Numeric::Unorm) => {
                let (value, most) = (u128::from(get(bytes, had)), u128::from(ones(had.bits)));
                let scaled = value * u128::from(top);
                // Halfway, or nearly: either.
                let rest = (scaled % most) * 1000 / most;
                sure = !(450..=550).contains(&rest);
                ((scaled + most / 2) / most) as u64
            }
            (Some(had), Numeric::Sint) => {
                let shift = 64 - had.bits;
                ((get(bytes, had) << shift).cast_signed() >> shift).cast_unsigned() & top
            }
            (Some(had), Numeric::Sfloat) if had.bits == 16 && channel.bits == 32 => {
                let bits = get(bytes, had);
                let (sign, rest) = (bits >> 15, bits & 0x7fff);
                let exponent = rest >> 10;
                sure = exponent != 0 && exponent != 31 || rest == 0;
                let wide = rest << 13;
                sign << 31 | if rest == 0 { 0 } else { wide + (112 << 23) }
            }
            (Some(had), _) => get(bytes, had),
        };
        put(&mut out, channel, bits);
        put(&mut mask, channel, if sure { top } else { 0 });
    }
    (out, mask)
}
