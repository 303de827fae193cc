//! The numbers in the texels of an uncompressed color image.
//!
//! In:  a format and a buffer that the image was copied to. Out: the numbers of its components.
//! Ref: Vulkan, "Identification of Formats".

use crate::codegen::results::{Number, NumberKind};
use ash::vk;

/// A component of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Component {
    offset_bits: u32,
    bits: u8,
    kind: NumberKind,
}

/// The components of a format by its name, R first in packed formats with R in the lowest bits;
/// `None` if they are not colors.
fn components(format: vk::Format) -> Option<Vec<Component>> {
    let name = format!("{format:?}");
    let mut words = name.split('_');
    let (letters, numeric) = (words.next()?, words.next()?);
    let packed = words.next().is_some_and(|word| word.starts_with("PACK"));
    if !letters.contains('R') {
        return None;
    }
    let mut widths: Vec<u8> = letters
        .split(|c: char| c.is_ascii_uppercase())
        .skip(1)
        .map(|digits| digits.parse().ok())
        .collect::<Option<_>>()?;
    if packed {
        // The first component is in the highest bits.
        widths.reverse();
    }
    let kind = match numeric {
        "UNORM" | "UFLOAT" => NumberKind::Unorm,
        "SNORM" => NumberKind::Snorm,
        "SFLOAT" => NumberKind::Float,
        "UINT" | "SINT" => NumberKind::Integer,
        _ => return None,
    };
    let mut offset_bits = 0;
    let next_component = |bits: u8| {
        let component = Component {
            offset_bits,
            bits,
            kind,
        };
        offset_bits += u32::from(bits);
        component
    };
    Some(widths.into_iter().map(next_component).collect())
}

/// Size of a texel in bytes; `None` for formats that [`numbers`] does not know.
pub fn texel_bytes(format: vk::Format) -> Option<u32> {
    let bits = |c: &Component| u32::from(c.bits);
    Some(components(format)?.iter().map(bits).sum::<u32>() / 8)
}

/// The numbers of all texels in a buffer; of each texel the first `written` components.
pub fn numbers(format: vk::Format, bytes: &[u8], written: usize) -> Vec<Number> {
    let mut numbers = Vec::new();
    let (Some(components), Some(texel)) = (components(format), texel_bytes(format)) else {
        return numbers;
    };
    for (index, texel) in bytes.chunks_exact((texel as usize).max(1)).enumerate() {
        for component in components.iter().take(written) {
            let first = component.offset_bits as usize / 8;
            let last = (component.offset_bits as usize + usize::from(component.bits)).div_ceil(8);
            let part = texel.get(first..last).unwrap_or_default();
            let word = part.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
            let raw = (word >> (component.offset_bits % 8)) & (u64::MAX >> (64 - component.bits));
            numbers.push(Number {
                offset_bits: 8 * (index * texel.len()) as u32 + component.offset_bits,
                kind: component.kind,
                bits: component.bits,
                raw,
                before: raw,
            });
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_follow_the_format_s_name() {
        let parts = |format, bytes: &[u8]| -> Vec<(u32, u8, u64)> {
            let all = numbers(format, bytes, 4);
            all.iter().map(|n| (n.offset_bits, n.bits, n.raw)).collect()
        };
        let texels = parts(vk::Format::R16G16_SNORM, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let expected = [
            (0, 16, 0x201),
            (16, 16, 0x403),
            (32, 16, 0x605),
            (48, 16, 0x807),
        ];
        assert_eq!(texels, expected);
        // A = 3, B = 1, G = 2, R = 5.
        let word: u32 = 3 << 30 | 1 << 20 | 2 << 10 | 5;
        let texels = parts(vk::Format::A2B10G10R10_UINT_PACK32, &word.to_le_bytes());
        assert_eq!(texels, [(0, 10, 5), (10, 10, 2), (20, 10, 1), (30, 2, 3)]);
        let word: u32 = 9 << 22 | 7 << 11 | 6;
        let texels = parts(vk::Format::B10G11R11_UFLOAT_PACK32, &word.to_le_bytes());
        assert_eq!(texels, [(0, 11, 6), (11, 11, 7), (22, 10, 9)]);
        assert_eq!(texel_bytes(vk::Format::R64_UINT), Some(8));
        assert_eq!(texel_bytes(vk::Format::D32_SFLOAT), None);
        assert_eq!(texel_bytes(vk::Format::BC1_RGB_UNORM_BLOCK), None);
    }

    #[test]
    fn components_that_are_not_written_are_left_out() {
        let all = numbers(vk::Format::R16G16B16A16_SFLOAT, &[0; 16], 3);
        let offsets: Vec<u32> = all.iter().map(|n| n.offset_bits).collect();
        assert_eq!(offsets, [0, 16, 32, 64, 80, 96]);
        assert!(all.iter().all(|n| n.kind == NumberKind::Float));
    }
}
