//! Blocks whose texels are known by hand, and any bytes at all.

use super::codec::{BlockCodec, MAX_TEXELS, decode_block, decode_texel};
use super::texel::Texel;
use hw::{FORMATS, Format};

mod fields;
mod witness;

fn format(name: &str) -> &'static Format {
    FORMATS.iter().find(|f| f.name == name).expect(name)
}

fn texel(name: &str, block: &[u8], x: usize, y: usize) -> [f32; 4] {
    let texel = decode_texel(format(name), block, x, y).expect(name);
    texel.map(f32::from_bits)
}

/// A texel of eight bits a channel.
fn bytes(name: &str, block: &[u8], x: usize, y: usize) -> [u8; 4] {
    texel(name, block, x, y).map(|value| {
        let byte = (value * 255.0).round();
        assert!((value * 255.0 - byte).abs() < 1e-4, "{value}");
        byte as u8
    })
}

/// Fields of a block, from its lowest bit on.
#[derive(Default)]
struct Writer {
    block: u128,
    at: u32,
}

impl Writer {
    fn push_bits(mut self, value: u128, bits: u32) -> Writer {
        self.block |= value << self.at;
        self.at += bits;
        self
    }

    fn bytes(&self) -> [u8; 16] {
        self.block.to_le_bytes()
    }
}

#[test]
fn only_compressed_formats_and_whole_blocks_decode() {
    let mut texels = [[7; 4]; 16];
    for name in ["R8G8B8A8_UNORM", "RAW", "FXT1", "PLANAR_420_8"] {
        assert_eq!(decode_texel(format(name), &[0; 16], 0, 0), None);
        assert_eq!(decode_block(format(name), &[0; 16], &mut texels), None);
    }
    let bc1 = format("BC1_UNORM");
    assert_eq!(decode_texel(bc1, &[0; 7], 0, 0), None);
    assert_eq!(decode_texel(bc1, &[0; 8], 4, 0), None);
    assert_eq!(decode_texel(bc1, &[0; 8], 0, 4), None);
    assert_eq!(decode_block(bc1, &[0; 8], &mut texels[..15]), None);
    assert_eq!(texels, [[7; 4]; 16]);
    assert_eq!(decode_block(bc1, &[0; 8], &mut texels), Some(()));
    assert_eq!(texels, [[0, 0, 0, 0x3f80_0000]; 16]);
}

#[test]
fn bc1_to_bc3() {
    // Red (31, 0, 0) above blue (0, 0, 31): four colours, of the first row one each.
    let four = [0x00, 0xf8, 0x1f, 0x00, 0b11_10_01_00, 0, 0, 0];
    assert_eq!(bytes("BC1_UNORM", &four, 0, 0), [255, 0, 0, 255]);
    assert_eq!(bytes("BC1_UNORM", &four, 1, 0), [0, 0, 255, 255]);
    assert_eq!(bytes("BC1_UNORM", &four, 2, 0), [170, 0, 85, 255]);
    assert_eq!(bytes("BC1_UNORM", &four, 3, 0), [85, 0, 170, 255]);
    assert_eq!(bytes("BC1_UNORM", &four, 3, 3), [255, 0, 0, 255]);
    // The other order: three, and transparent black.
    let three = [0x1f, 0x00, 0x00, 0xf8, 0b11_10_01_00, 0, 0, 0];
    assert_eq!(texel("BC1_UNORM", &three, 2, 0), [0.5, 0.0, 0.5, 1.0]);
    assert_eq!(texel("BC1_UNORM", &three, 3, 0), [0.0; 4]);
    assert_eq!(texel("DXT1_RGB", &three, 3, 0), [0.0, 0.0, 0.0, 1.0]);
    let linear = texel("BC1_UNORM_SRGB", &three, 2, 0);
    assert!((linear[0] - 0.214_041_14).abs() < 1e-7, "{linear:?}");
    // With alpha of its own there are always four.
    let mut block = [0; 16];
    block[0] = 0x5f;
    block[8..].copy_from_slice(&three);
    assert_eq!(bytes("BC2_UNORM", &block, 0, 0), [0, 0, 255, 255]);
    assert_eq!(bytes("BC2_UNORM", &block, 1, 0), [255, 0, 0, 85]);
    assert_eq!(bytes("BC2_UNORM", &block, 3, 0), [170, 0, 85, 0]);
    // Alpha 240 to 100: index 2 is 6/7 of the first and 1/7 of the second.
    block[..8].copy_from_slice(&[240, 100, 0b10_001_000, 0, 0, 0, 0, 0]);
    assert_eq!(bytes("BC3_UNORM", &block, 0, 0)[3], 240);
    assert_eq!(bytes("BC3_UNORM", &block, 1, 0)[3], 100);
    assert_eq!(bytes("BC3_UNORM", &block, 2, 0)[3], 220);
}

#[test]
fn bc4_and_bc5() {
    // 10 to 210 in fifths; indices 2, 5, 6 and 7.
    let block = [10, 210, 0b10_101_010, 0b1111, 0, 0, 0, 0];
    assert_eq!(bytes("BC4_UNORM", &block, 0, 0), [50, 0, 0, 255]);
    assert_eq!(bytes("BC4_UNORM", &block, 1, 0), [170, 0, 0, 255]);
    assert_eq!(bytes("BC4_UNORM", &block, 2, 0), [0, 0, 0, 255]);
    assert_eq!(bytes("BC4_UNORM", &block, 3, 0), [255, 0, 0, 255]);
    // −128 counts as −127, both −1.
    let block = [0x80, 0x7f, 0b10_001_000, 0b1111, 0, 0, 0, 0];
    for (x, value) in [-1.0, 1.0, -1.0, 1.0].into_iter().enumerate() {
        assert_eq!(texel("BC4_SNORM", &block, x, 0)[0], value);
    }
    let mut both = [0; 16];
    both[8..].copy_from_slice(&block);
    assert_eq!(texel("BC5_SNORM", &both, 1, 0), [0.0, 1.0, 0.0, 1.0]);
    both[0] = 51;
    assert_eq!(bytes("BC5_UNORM", &both, 0, 0), [51, 128, 0, 255]);
}

#[test]
fn bc7_by_hand() {
    // Mode 6: end points (0, 0, 0, 0) and (255, 255, 255, 255), the weights of four bits.
    let mut writer = Writer::default().push_bits(1 << 6, 7);
    for _ in 0..4 {
        writer = writer.push_bits(0, 7).push_bits(127, 7);
    }
    writer = writer.push_bits(0b10, 2).push_bits(0, 3);
    for index in 1..16 {
        writer = writer.push_bits(index, 4);
    }
    assert_eq!(writer.at, 128);
    let block = writer.bytes();
    assert_eq!(bytes("BC7_UNORM", &block, 0, 0), [0; 4]);
    // (255 × 4 + 32) / 64, and (255 × 34 + 32) / 64.
    assert_eq!(bytes("BC7_UNORM", &block, 1, 0), [16; 4]);
    assert_eq!(bytes("BC7_UNORM", &block, 0, 2), [135; 4]);
    assert_eq!(bytes("BC7_UNORM", &block, 3, 3), [255; 4]);
    // Mode 1 of partition 13: the lower half is of the second subset; all its indices are zero.
    let mut writer = Writer::default().push_bits(2, 2).push_bits(13, 6);
    for [first, second] in [[63, 0], [0, 63], [0, 0]] {
        writer = writer
            .push_bits(first, 6)
            .push_bits(0, 6)
            .push_bits(second, 6)
            .push_bits(0, 6);
    }
    let block = writer.push_bits(0b01, 2).bytes();
    assert_eq!(bytes("BC7_UNORM", &block, 3, 1), [255, 2, 2, 255]);
    assert_eq!(bytes("BC7_UNORM", &block, 0, 2), [0, 253, 0, 255]);
    // Mode 5 with alpha in the place of green.
    let block = Writer::default()
        .push_bits(1 << 5, 6)
        .push_bits(2, 2)
        .push_bits(127, 14)
        .push_bits(0, 14)
        .push_bits(0, 14)
        .push_bits(51, 16)
        .bytes();
    assert_eq!(bytes("BC7_UNORM", &block, 2, 2), [255, 51, 0, 0]);
    assert_eq!(texel("BC7_UNORM", &[0; 16], 0, 0), [0.0; 4]);
}

#[test]
fn bc6h_by_hand() {
    // One subset of ten bits, all ones and all zeros: the largest half float (0xffff × 31 / 64),
    // and zero.
    let block = Writer::default()
        .push_bits(3, 5)
        .push_bits(0x3ff, 10)
        .bytes();
    assert_eq!(
        texel("BC6H_UF16", &block, 0, 0),
        [65504.0, 0.0, 0.0, 1.0],
        "unsigned"
    );
    // Signed, those bits are −1: (1 << 15 + 0x4000) >> 9 is 96, and 96 × 31 / 32 is 93, a
    // subnormal.
    let small = texel("BC6H_SF16", &block, 0, 0)[0];
    assert_eq!(small, -93.0 / 16_777_216.0);
    // The value 0x3ef is (0x3ef << 16 + 0x8000) >> 10 = 0xfbe0, × 31 / 64 = 0x7a00.
    let block = Writer::default()
        .push_bits(3, 5)
        .push_bits(0x3ef, 10)
        .bytes();
    assert_eq!(texel("BC6H_UF16", &block, 1, 1)[0], 49152.0);
    // Reserved modes are black.
    for code in [19, 23, 27, 31] {
        let block = Writer::default()
            .push_bits(code, 5)
            .push_bits(u128::MAX >> 5, 0);
        assert_eq!(
            texel("BC6H_UF16", &block.bytes(), 0, 0),
            [0.0, 0.0, 0.0, 1.0]
        );
    }
}

#[test]
fn etc2_modes() {
    let block = |high: u32, low: u32| (u64::from(high) << 32 | u64::from(low)).to_be_bytes();
    // Individual: 0x8 and 0x1 of red; codewords 0 and 7. Texel (0, 0) has index 3, the rest 0.
    let individual = block(0x8100_001c, 0x0001_0001);
    assert_eq!(bytes("ETC2_RGB8", &individual, 0, 0), [128, 0, 0, 255]);
    assert_eq!(bytes("ETC1_RGB8", &individual, 1, 0), [138, 2, 2, 255]);
    assert_eq!(bytes("ETC2_RGB8", &individual, 2, 0), [64, 47, 47, 255]);
    // Flipped, the halves are above each other.
    let flipped = block(0x8100_001d, 0);
    assert_eq!(bytes("ETC2_RGB8", &flipped, 3, 1), [138, 2, 2, 255]);
    assert_eq!(bytes("ETC2_RGB8", &flipped, 0, 2), [64, 47, 47, 255]);
    // Differential: red 16, and 16 − 4 = 12.
    let differential = block(0x8400_0002, 0);
    assert_eq!(bytes("ETC2_RGB8", &differential, 0, 0), [134, 2, 2, 255]);
    assert_eq!(bytes("ETC2_RGB8", &differential, 2, 0), [101, 2, 2, 255]);
    // Without the bit, alpha is punched through: indices 0 and 2 differ.
    let holes = block(0x8400_0000, 0x0001_0000);
    assert_eq!(texel("ETC2_RGB8_PTA", &holes, 0, 0), [0.0; 4]);
    assert_eq!(bytes("ETC2_RGB8_PTA", &holes, 1, 0), [132, 0, 0, 255]);
    // T: red 0 − 1 is out of range. First colour (3, 1, 2), second (5, 6, 7) / 15; distance 23.
    let t = block(0x0712_567a, 0x0001_0003);
    assert_eq!(bytes("ETC2_RGB8", &t, 0, 0), [62, 79, 96, 255]);
    assert_eq!(bytes("ETC2_RGB8", &t, 0, 1), [108, 125, 142, 255]);
    assert_eq!(bytes("ETC2_RGB8", &t, 1, 0), [51, 17, 34, 255]);
    // H: green 0 − 3. First colour (1, 0, 2), second (8, 6, 3) / 15, which is more: distance 23.
    let h = block(0x0805_431e, 0x0005_0003);
    assert_eq!(bytes("ETC2_RGB8", &h, 1, 0), [40, 23, 57, 255]);
    assert_eq!(bytes("ETC2_RGB8", &h, 0, 1), [0, 0, 11, 255]);
    assert_eq!(bytes("ETC2_RGB8", &h, 0, 2), [159, 125, 74, 255]);
    assert_eq!(bytes("ETC2_RGB8", &h, 0, 0), [113, 79, 28, 255]);
    // Planar: blue 0 − 1. Blue is 6 / 63 at the origin, 0 to the right, all below.
    let planar = block(0x0000_0702, 0x0000_003f);
    assert_eq!(bytes("ETC2_RGB8", &planar, 0, 0), [0, 0, 24, 255]);
    assert_eq!(bytes("ETC2_RGB8", &planar, 3, 0), [0, 0, 6, 255]);
    assert_eq!(bytes("ETC2_RGB8", &planar, 0, 1), [0, 0, 82, 255]);
}

#[test]
fn eac_channels() {
    // Base 100, multiplier 3, table 13; the first texel's index is 7, the second's (below it) 3.
    let block = (100u64 << 56 | 3 << 52 | 13 << 48 | 7 << 45 | 3 << 42).to_be_bytes();
    let mut colour = [0; 16];
    colour[..8].copy_from_slice(&block);
    assert_eq!(bytes("ETC2_EAC_RGBA8", &colour, 0, 0)[3], 127);
    assert_eq!(bytes("ETC2_EAC_RGBA8", &colour, 0, 1)[3], 70);
    assert_eq!(bytes("ETC2_EAC_RGBA8", &colour, 1, 0)[3], 97);
    assert_eq!(
        texel("EAC_R11", &block, 0, 0),
        [1020.0 / 2047.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(texel("EAC_SIGNED_R11", &block, 0, 1)[0], 560.0 / 1023.0);
    // Without a multiplier the modifier counts once. −128 is −127.
    let block = (0x80u64 << 56 | 13 << 48 | 7 << 45).to_be_bytes();
    assert_eq!(texel("EAC_SIGNED_R11", &block, 0, 0)[0], -1007.0 / 1023.0);
    assert_eq!(texel("EAC_SIGNED_R11", &block, 1, 1)[0], -1017.0 / 1023.0);
    assert_eq!(texel("EAC_R11", &block, 0, 0)[0], 1037.0 / 2047.0);
    colour[8..].copy_from_slice(&block);
    let both = texel("EAC_RG11", &colour, 0, 0);
    assert_eq!(both, [1020.0 / 2047.0, 1037.0 / 2047.0, 0.0, 1.0]);
}

/// A void extent of this colour.
fn void_extent(colour: [u16; 4]) -> Writer {
    let writer = Writer::default()
        .push_bits(0xdfc, 12)
        .push_bits((1 << 52) - 1, 52);
    colour
        .into_iter()
        .fold(writer, |writer, value| writer.push_bits(value.into(), 16))
}

const MAGENTA: [u8; 4] = [255, 0, 255, 255];

#[test]
fn astc_void_extents() {
    let block = void_extent([0xffff, 0x8000, 0x4001, 0]).bytes();
    for size in ["4X4", "8X5", "12X12"] {
        let name = format!("ASTC_LDR_2D_{size}_FLT16");
        assert_eq!(texel(&name, &block, 3, 3), [1.0, 0.5, 0.25, 0.0]);
    }
    let [red, half, _, alpha] = texel("ASTC_LDR_2D_4X4_U8SRGB", &block, 0, 0);
    assert_eq!([red, alpha], [1.0, 0.0]);
    assert!((half - 0.215_860_53).abs() < 1e-7, "{half}");
    // Of high dynamic range; with a reserved bit; with an empty extent.
    for wrong in [1u128 << 9, 1 << 10, 1 << 12] {
        let block = void_extent([0; 4]).block ^ wrong;
        let block = block.to_le_bytes();
        assert_eq!(bytes("ASTC_LDR_2D_6X6_FLT16", &block, 5, 5), MAGENTA);
    }
}

#[test]
fn denormal_colours_of_void_extents_are_refused() {
    let refused = |name, block: [u8; 16]| super::check_block(format(name), &block, 0).is_err();
    const NAME: &str = "ASTC_LDR_2D_4X4_FLT16";
    for (channel, is_refused) in [(0, false), (1, true), (3, true), (4, false)] {
        let block = void_extent([0x8000, 0, channel, 0xffff]).bytes();
        assert_eq!(refused(NAME, block), is_refused, "{channel}");
    }
    // Of high dynamic range; another format; another kind of block.
    let high = void_extent([1; 4]).block ^ 1 << 9;
    assert!(!refused(NAME, high.to_le_bytes()));
    assert!(!refused("BC7_UNORM", void_extent([1; 4]).bytes()));
    assert!(!refused(NAME, [1; 16]));
}

/// One partition: a mode of end points, their values as whole bytes, weights of two bits in a grid
/// of 4 × 4.
fn single(mode: u128, values: &[u8], weights: u32) -> [u8; 16] {
    // Range 0 to 3 is code 4 (low bit 0 at bit 4, upper bits 2); width 4 and height 4 are A = 2 and
    // B = 0.
    let mut writer = Writer::default()
        .push_bits(0b000_0100_0010, 11)
        .push_bits(0, 2)
        .push_bits(mode, 4);
    for value in values {
        writer = writer.push_bits((*value).into(), 8);
    }
    let weights = u128::from(weights).reverse_bits();
    (writer.block | weights).to_le_bytes()
}

#[test]
fn astc_single_partition() {
    let name = "ASTC_LDR_2D_4X4_FLT16";
    // Grey from 0 to 255: weights 0, 21, 43 and 64 of 64.
    let block = single(0, &[0, 255], 0b11_10_01_00);
    let whole = |value: u32| (value as u16 >> 5 << 5) as f32 / 65536.0;
    assert_eq!(texel(name, &block, 0, 0), [0.0, 0.0, 0.0, 1.0]);
    let third = texel(name, &block, 1, 0)[0];
    assert_eq!(third, whole((65535 * 21 + 32) / 64).min(third));
    assert!((third - 21.0 / 64.0).abs() < 1.0 / 1024.0, "{third}");
    assert_eq!(texel(name, &block, 3, 0), [1.0; 4]);
    // Red, green and blue, in order and with blue contracted.
    let block = single(8, &[0, 255, 10, 20, 30, 40], 0);
    let [_, green, blue, _] = texel(name, &block, 0, 0);
    assert!((green - 10.0 / 255.0).abs() < 1e-3 && (blue - 30.0 / 255.0).abs() < 1e-3);
    let block = single(8, &[255, 0, 20, 10, 40, 30], 0);
    let [red, green, blue, _] = texel(name, &block, 0, 0).map(|value| (value * 255.0).round());
    assert_eq!([red, green, blue], [15.0, 20.0, 30.0]);
    // High dynamic range.
    for mode in [2, 3, 7, 11, 14, 15] {
        let block = single(mode, &[0; 8], 0);
        assert_eq!(bytes(name, &block, 1, 2), MAGENTA);
    }
    // The grid is larger than the block; the mode is reserved.
    let mut block = single(0, &[0, 255], 0);
    block[0] |= 0b100;
    assert_eq!(bytes(name, &block, 0, 0), MAGENTA);
    assert_eq!(bytes(name, &[0; 16], 0, 0), MAGENTA);
}

#[test]
fn any_block_bytes_decode_without_panic() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut decoded = 0;
    for format in FORMATS {
        let Some(codec) = BlockCodec::from_format(format) else {
            continue;
        };
        decoded += 1;
        let mut texels: [Texel; MAX_TEXELS] = [[0; 4]; MAX_TEXELS];
        for _ in 0..400 {
            let block = [random(), random()].map(u64::to_le_bytes);
            assert_eq!(codec.block(block.as_flattened(), &mut texels), Some(()));
            for value in texels.as_flattened() {
                let value = f32::from_bits(*value);
                assert!(value.is_finite(), "{}", format.name);
                let bounded = format.name.starts_with("BC6H") || value.abs() <= 1.0;
                assert!(bounded, "{}: {value}", format.name);
            }
        }
        for block in [[0; 16], [0xff; 16]] {
            assert_eq!(codec.block(&block, &mut texels), Some(()));
        }
    }
    assert_eq!(decoded, 16 + 11 + 28);
}
