//! Texels as another decoder has them.
//!
//! `witness.txt` was made with the decoders of Mesa 22.3.6 (`texcompress_bptc_tmp.h`,
//! `texcompress_etc.c`, `texcompress_astc.cpp`): format, block, and the FNV-1a hash of its texels,
//! rows first, in the decoder's own form.

use crate::surface::compressed::codec::{BlockCodec, MAX_TEXELS};
use crate::surface::compressed::srgb;
use crate::surface::compressed::texel::{Texel, half_bits};
use hw::FORMATS;
use std::sync::LazyLock;

static WITNESS: &str = include_str!("../witness.txt");

fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The finite half floats without sign, in their order.
static HALVES: LazyLock<Vec<u32>> = LazyLock::new(|| (0..0x7c00).map(half_bits).collect());

/// A channel in the form that the other decoder gives it.
fn native(name: &str, channel: usize, value: u32) -> Vec<u8> {
    let float = f32::from_bits(value);
    let find = |table: &[u32; 256]| {
        let found = table.iter().position(|entry| *entry == value);
        vec![found.expect("eight bits") as u8]
    };
    if name.starts_with("BC6H") {
        value.to_le_bytes().to_vec()
    } else if name == "EAC_R11" {
        let channel11 = (float * 2047.0).round() as u16;
        (channel11 << 5 | channel11 >> 6).to_le_bytes().to_vec()
    } else if name == "EAC_SIGNED_R11" {
        let ten = (float.abs() * 1023.0).round() as i16;
        let wide = ten << 5 | ten >> 5;
        let wide = if float < 0.0 { -wide } else { wide };
        wide.to_le_bytes().to_vec()
    } else if name.ends_with("FLT16") {
        let half = HALVES.binary_search(&value);
        (half.expect("a half float") as u16).to_le_bytes().to_vec()
    } else if name.contains("SRGB") && channel < 3 {
        find(srgb::linear8())
    } else {
        find(srgb::unorm8())
    }
}

/// Channels compared. Mesa widens alpha beside sRGB as it does the colours; the specification as in
/// other formats.
fn channels(name: &str) -> usize {
    match name {
        _ if name.contains("R11") => 1,
        _ if name.ends_with("U8SRGB") => 3,
        _ => 4,
    }
}

#[test]
fn witness_decoder_agrees() {
    let mut formats = Vec::new();
    for line in WITNESS.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, block, expected] = words[..] else {
            panic!("{line}");
        };
        let block: Vec<u8> = (0..block.len() / 2)
            .map(|i| u8::from_str_radix(&block[2 * i..2 * i + 2], 16).expect("hexadecimal"))
            .collect();
        let format = FORMATS.iter().find(|f| f.name == name).expect(name);
        let codec = BlockCodec::from_format(format).expect(name);
        let mut texels: [Texel; MAX_TEXELS] = [[0; 4]; MAX_TEXELS];
        codec.block(&block, &mut texels).expect(name);
        let count = usize::from(format.block_el[0]) * usize::from(format.block_el[1]);
        let texels = texels[..count].iter();
        let values = texels.flat_map(|texel| texel.iter().take(channels(name)).enumerate());
        let bytes = values.flat_map(|(channel, value)| native(name, channel, *value));
        let expected = u64::from_str_radix(expected, 16).expect("hexadecimal");
        assert_eq!(hash(bytes), expected, "{line}");
        if !formats.contains(&name) {
            formats.push(name);
        }
    }
    assert_eq!(formats.len(), 36);
}
