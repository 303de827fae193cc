//! Formats that scripts can name, and how their texels and vertices are read and written.

use ash::vk;
use std::fmt;

/// How the bits of a component are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "Vulkan's names")]
pub enum Kind {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Sfloat,
    Ufloat,
    Srgb,
}

/// A format: its Vulkan name without `VK_FORMAT_`, its number, and its components.
pub struct Format {
    /// Name.
    pub name: &'static str,
    /// Number.
    pub vk: vk::Format,
    /// Components in the order of the name: letter (R, G, B, A, D, S, X), bits, kind.
    pub components: &'static [(char, u8, Kind)],
    /// Bytes of the word that a packed format is stored in, most significant component first; 0 if
    /// not packed.
    pub packed_bytes: usize,
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.vk == other.vk
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Format {
    /// The format with this name, in any case.
    pub fn from_name(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|f| f.name.eq_ignore_ascii_case(name))
    }

    /// Bytes of one texel.
    pub fn size_bytes(&self) -> usize {
        if self.packed_bytes != 0 {
            return self.packed_bytes;
        }
        self.components
            .iter()
            .map(|c| usize::from(c.1).div_ceil(8))
            .sum()
    }

    /// Alignment of a vertex attribute: the pack size, or the largest component.
    pub fn alignment(&self) -> usize {
        if self.packed_bytes != 0 {
            return self.packed_bytes;
        }
        let bytes = |c: &(char, u8, Kind)| usize::from(c.1) / 8;
        self.components.iter().map(bytes).max().unwrap_or(1)
    }

    /// Decodes a texel to red, green, blue, alpha; missing ones are 0, 0, 0, 1. sRGB is not
    /// linearised.
    pub fn decode(&self, bytes: &[u8]) -> [f64; 4] {
        let mut color = [0.0, 0.0, 0.0, 1.0];
        let mut at = if self.packed_bytes == 0 {
            0
        } else {
            self.packed_bytes * 8
        };
        for &(channel, bits, kind) in self.components {
            let width = usize::from(bits);
            if self.packed_bytes != 0 {
                at -= width;
            }
            let raw = read_bits(bytes, at, width);
            if self.packed_bytes == 0 {
                at += width;
            }
            let slot = match channel {
                'R' => 0,
                'G' => 1,
                'B' => 2,
                'A' => 3,
                _ => continue,
            };
            color[slot] = component_value(raw, bits, kind);
        }
        color
    }
}

/// Reads `width` bits from bit `at`, little endian.
fn read_bits(bytes: &[u8], at: usize, width: usize) -> u64 {
    let mut value = 0;
    for i in 0..width {
        let bit = at + i;
        let byte = bytes.get(bit / 8).copied().unwrap_or(0);
        value |= u64::from(byte >> (bit % 8) & 1) << i;
    }
    value
}

fn component_value(raw: u64, bits: u8, kind: Kind) -> f64 {
    let bits = u32::from(bits);
    let signed = (raw << (64 - bits)) as i64 >> (64 - bits);
    match kind {
        Kind::Unorm | Kind::Srgb => raw as f64 / ((1u128 << bits) - 1) as f64,
        Kind::Snorm => signed as f64 / ((1u128 << (bits - 1)) - 1) as f64,
        Kind::Uint | Kind::Uscaled => raw as f64,
        Kind::Sint | Kind::Sscaled => signed as f64,
        Kind::Sfloat => crate::value::float_value(raw, bits),
        // 5 bits of exponent like a half float, fewer of mantissa, no sign.
        Kind::Ufloat => half::f16::from_bits((raw << (15 - bits)) as u16).to_f64(),
    }
}

macro_rules! formats {
    ($($name:ident $packed:literal $kind:ident [$($channel:ident $bits:literal)*] $($kind2:ident [$($channel2:ident $bits2:literal)*])?;)*) => {
        /// The formats of Vulkan 1.0 that are neither compressed nor multi-planar, and four later
        /// packed ones.
        pub static FORMATS: &[Format] = &[$(Format {
            name: stringify!($name),
            vk: vk::Format::$name,
            components: &[
                $((channel(stringify!($channel)), $bits, Kind::$kind),)*
                $($((channel(stringify!($channel2)), $bits2, Kind::$kind2),)*)?
            ],
            packed_bytes: $packed,
        },)*];
    };
}

const fn channel(name: &str) -> char {
    name.as_bytes()[0] as char
}

formats! {
    R4G4_UNORM_PACK8 1 Unorm [R 4 G 4];
    R4G4B4A4_UNORM_PACK16 2 Unorm [R 4 G 4 B 4 A 4];
    B4G4R4A4_UNORM_PACK16 2 Unorm [B 4 G 4 R 4 A 4];
    A4R4G4B4_UNORM_PACK16 2 Unorm [A 4 R 4 G 4 B 4];
    A4B4G4R4_UNORM_PACK16 2 Unorm [A 4 B 4 G 4 R 4];
    R5G6B5_UNORM_PACK16 2 Unorm [R 5 G 6 B 5];
    B5G6R5_UNORM_PACK16 2 Unorm [B 5 G 6 R 5];
    R5G5B5A1_UNORM_PACK16 2 Unorm [R 5 G 5 B 5 A 1];
    B5G5R5A1_UNORM_PACK16 2 Unorm [B 5 G 5 R 5 A 1];
    A1R5G5B5_UNORM_PACK16 2 Unorm [A 1 R 5 G 5 B 5];
    R10X6_UNORM_PACK16 2 Unorm [R 10 X 6];
    R12X4_UNORM_PACK16 2 Unorm [R 12 X 4];
    R8_UNORM 0 Unorm [R 8];
    R8_SNORM 0 Snorm [R 8];
    R8_USCALED 0 Uscaled [R 8];
    R8_SSCALED 0 Sscaled [R 8];
    R8_UINT 0 Uint [R 8];
    R8_SINT 0 Sint [R 8];
    R8_SRGB 0 Srgb [R 8];
    R8G8_UNORM 0 Unorm [R 8 G 8];
    R8G8_SNORM 0 Snorm [R 8 G 8];
    R8G8_USCALED 0 Uscaled [R 8 G 8];
    R8G8_SSCALED 0 Sscaled [R 8 G 8];
    R8G8_UINT 0 Uint [R 8 G 8];
    R8G8_SINT 0 Sint [R 8 G 8];
    R8G8_SRGB 0 Srgb [R 8 G 8];
    R8G8B8_UNORM 0 Unorm [R 8 G 8 B 8];
    R8G8B8_SNORM 0 Snorm [R 8 G 8 B 8];
    R8G8B8_USCALED 0 Uscaled [R 8 G 8 B 8];
    R8G8B8_SSCALED 0 Sscaled [R 8 G 8 B 8];
    R8G8B8_UINT 0 Uint [R 8 G 8 B 8];
    R8G8B8_SINT 0 Sint [R 8 G 8 B 8];
    R8G8B8_SRGB 0 Srgb [R 8 G 8 B 8];
    B8G8R8_UNORM 0 Unorm [B 8 G 8 R 8];
    B8G8R8_SNORM 0 Snorm [B 8 G 8 R 8];
    B8G8R8_USCALED 0 Uscaled [B 8 G 8 R 8];
    B8G8R8_SSCALED 0 Sscaled [B 8 G 8 R 8];
    B8G8R8_UINT 0 Uint [B 8 G 8 R 8];
    B8G8R8_SINT 0 Sint [B 8 G 8 R 8];
    B8G8R8_SRGB 0 Srgb [B 8 G 8 R 8];
    R8G8B8A8_UNORM 0 Unorm [R 8 G 8 B 8 A 8];
    R8G8B8A8_SNORM 0 Snorm [R 8 G 8 B 8 A 8];
    R8G8B8A8_USCALED 0 Uscaled [R 8 G 8 B 8 A 8];
    R8G8B8A8_SSCALED 0 Sscaled [R 8 G 8 B 8 A 8];
    R8G8B8A8_UINT 0 Uint [R 8 G 8 B 8 A 8];
    R8G8B8A8_SINT 0 Sint [R 8 G 8 B 8 A 8];
    R8G8B8A8_SRGB 0 Srgb [R 8 G 8 B 8 A 8];
    B8G8R8A8_UNORM 0 Unorm [B 8 G 8 R 8 A 8];
    B8G8R8A8_SNORM 0 Snorm [B 8 G 8 R 8 A 8];
    B8G8R8A8_USCALED 0 Uscaled [B 8 G 8 R 8 A 8];
    B8G8R8A8_SSCALED 0 Sscaled [B 8 G 8 R 8 A 8];
    B8G8R8A8_UINT 0 Uint [B 8 G 8 R 8 A 8];
    B8G8R8A8_SINT 0 Sint [B 8 G 8 R 8 A 8];
    B8G8R8A8_SRGB 0 Srgb [B 8 G 8 R 8 A 8];
    A8B8G8R8_UNORM_PACK32 4 Unorm [A 8 B 8 G 8 R 8];
    A8B8G8R8_SNORM_PACK32 4 Snorm [A 8 B 8 G 8 R 8];
    A8B8G8R8_USCALED_PACK32 4 Uscaled [A 8 B 8 G 8 R 8];
    A8B8G8R8_SSCALED_PACK32 4 Sscaled [A 8 B 8 G 8 R 8];
    A8B8G8R8_UINT_PACK32 4 Uint [A 8 B 8 G 8 R 8];
    A8B8G8R8_SINT_PACK32 4 Sint [A 8 B 8 G 8 R 8];
    A8B8G8R8_SRGB_PACK32 4 Srgb [A 8 B 8 G 8 R 8];
    A2R10G10B10_UNORM_PACK32 4 Unorm [A 2 R 10 G 10 B 10];
    A2R10G10B10_SNORM_PACK32 4 Snorm [A 2 R 10 G 10 B 10];
    A2R10G10B10_USCALED_PACK32 4 Uscaled [A 2 R 10 G 10 B 10];
    A2R10G10B10_SSCALED_PACK32 4 Sscaled [A 2 R 10 G 10 B 10];
    A2R10G10B10_UINT_PACK32 4 Uint [A 2 R 10 G 10 B 10];
    A2R10G10B10_SINT_PACK32 4 Sint [A 2 R 10 G 10 B 10];
    A2B10G10R10_UNORM_PACK32 4 Unorm [A 2 B 10 G 10 R 10];
    A2B10G10R10_SNORM_PACK32 4 Snorm [A 2 B 10 G 10 R 10];
    A2B10G10R10_USCALED_PACK32 4 Uscaled [A 2 B 10 G 10 R 10];
    A2B10G10R10_SSCALED_PACK32 4 Sscaled [A 2 B 10 G 10 R 10];
    A2B10G10R10_UINT_PACK32 4 Uint [A 2 B 10 G 10 R 10];
    A2B10G10R10_SINT_PACK32 4 Sint [A 2 B 10 G 10 R 10];
    R16_UNORM 0 Unorm [R 16];
    R16_SNORM 0 Snorm [R 16];
    R16_USCALED 0 Uscaled [R 16];
    R16_SSCALED 0 Sscaled [R 16];
    R16_UINT 0 Uint [R 16];
    R16_SINT 0 Sint [R 16];
    R16_SFLOAT 0 Sfloat [R 16];
    R16G16_UNORM 0 Unorm [R 16 G 16];
    R16G16_SNORM 0 Snorm [R 16 G 16];
    R16G16_USCALED 0 Uscaled [R 16 G 16];
    R16G16_SSCALED 0 Sscaled [R 16 G 16];
    R16G16_UINT 0 Uint [R 16 G 16];
    R16G16_SINT 0 Sint [R 16 G 16];
    R16G16_SFLOAT 0 Sfloat [R 16 G 16];
    R16G16B16_UNORM 0 Unorm [R 16 G 16 B 16];
    R16G16B16_SNORM 0 Snorm [R 16 G 16 B 16];
    R16G16B16_USCALED 0 Uscaled [R 16 G 16 B 16];
    R16G16B16_SSCALED 0 Sscaled [R 16 G 16 B 16];
    R16G16B16_UINT 0 Uint [R 16 G 16 B 16];
    R16G16B16_SINT 0 Sint [R 16 G 16 B 16];
    R16G16B16_SFLOAT 0 Sfloat [R 16 G 16 B 16];
    R16G16B16A16_UNORM 0 Unorm [R 16 G 16 B 16 A 16];
    R16G16B16A16_SNORM 0 Snorm [R 16 G 16 B 16 A 16];
    R16G16B16A16_USCALED 0 Uscaled [R 16 G 16 B 16 A 16];
    R16G16B16A16_SSCALED 0 Sscaled [R 16 G 16 B 16 A 16];
    R16G16B16A16_UINT 0 Uint [R 16 G 16 B 16 A 16];
    R16G16B16A16_SINT 0 Sint [R 16 G 16 B 16 A 16];
    R16G16B16A16_SFLOAT 0 Sfloat [R 16 G 16 B 16 A 16];
    R32_UINT 0 Uint [R 32];
    R32_SINT 0 Sint [R 32];
    R32_SFLOAT 0 Sfloat [R 32];
    R32G32_UINT 0 Uint [R 32 G 32];
    R32G32_SINT 0 Sint [R 32 G 32];
    R32G32_SFLOAT 0 Sfloat [R 32 G 32];
    R32G32B32_UINT 0 Uint [R 32 G 32 B 32];
    R32G32B32_SINT 0 Sint [R 32 G 32 B 32];
    R32G32B32_SFLOAT 0 Sfloat [R 32 G 32 B 32];
    R32G32B32A32_UINT 0 Uint [R 32 G 32 B 32 A 32];
    R32G32B32A32_SINT 0 Sint [R 32 G 32 B 32 A 32];
    R32G32B32A32_SFLOAT 0 Sfloat [R 32 G 32 B 32 A 32];
    R64_UINT 0 Uint [R 64];
    R64_SINT 0 Sint [R 64];
    R64_SFLOAT 0 Sfloat [R 64];
    R64G64_UINT 0 Uint [R 64 G 64];
    R64G64_SINT 0 Sint [R 64 G 64];
    R64G64_SFLOAT 0 Sfloat [R 64 G 64];
    R64G64B64_UINT 0 Uint [R 64 G 64 B 64];
    R64G64B64_SINT 0 Sint [R 64 G 64 B 64];
    R64G64B64_SFLOAT 0 Sfloat [R 64 G 64 B 64];
    R64G64B64A64_UINT 0 Uint [R 64 G 64 B 64 A 64];
    R64G64B64A64_SINT 0 Sint [R 64 G 64 B 64 A 64];
    R64G64B64A64_SFLOAT 0 Sfloat [R 64 G 64 B 64 A 64];
    B10G11R11_UFLOAT_PACK32 4 Ufloat [B 10 G 11 R 11];
    D16_UNORM 0 Unorm [D 16];
    X8_D24_UNORM_PACK32 4 Unorm [X 8 D 24];
    D32_SFLOAT 0 Sfloat [D 32];
    S8_UINT 0 Uint [S 8];
    D16_UNORM_S8_UINT 0 Unorm [D 16] Uint [S 8];
    D24_UNORM_S8_UINT 0 Unorm [D 24] Uint [S 8];
    D32_SFLOAT_S8_UINT 0 Sfloat [D 32] Uint [S 8];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_decode_to_numbers() {
        let format = Format::from_name("b8g8r8a8_unorm").unwrap();
        assert_eq!(format.decode(&[0, 255, 51, 255]), [0.2, 1.0, 0.0, 1.0]);
        let packed = Format::from_name("R5G6B5_UNORM_PACK16").unwrap();
        assert_eq!(
            packed.decode(&0xf800u16.to_le_bytes()),
            [1.0, 0.0, 0.0, 1.0]
        );
        let float = Format::from_name("B10G11R11_UFLOAT_PACK32").unwrap();
        let one = 15u32 << 6;
        assert_eq!(
            float.decode(&(one | one << 11).to_le_bytes()),
            [1.0, 1.0, 0.0, 1.0]
        );
        let snorm = Format::from_name("R8_SNORM").unwrap();
        assert_eq!(snorm.decode(&[0x81])[0], -1.0);
    }

    #[test]
    fn there_are_no_doubles_and_sizes_fit() {
        for (i, format) in FORMATS.iter().enumerate() {
            assert!(FORMATS[..i].iter().all(|f| f.vk != format.vk), "{format:?}");
            if format.packed_bytes != 0 {
                let bits: usize = format.components.iter().map(|c| usize::from(c.1)).sum();
                assert_eq!(bits, format.packed_bytes * 8, "{format:?}");
            }
        }
    }
}
