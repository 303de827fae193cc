//! Each channel type at its limits and between them, and the properties in format names.
//!
//! Ref: Vulkan, "Conversion from Normalized Fixed-Point to Floating-Point" and back, "16-Bit
//!      Floating-Point Numbers", "Unsigned 11-Bit Floating-Point Numbers", "Shared Exponent to
//!      RGB", "sRGB EOTF"; IEEE 754-2019, 4.3.1 (ties to even).

use crate::surface::format::*;
use hw::FORMATS;

fn format(name: &str) -> &'static Format {
    FORMATS.iter().find(|f| f.name == name).expect(name)
}

fn floats(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

/// The first channel that a texel of these bits, low ones first, has as a float.
fn red_of(name: &str, bits: u64) -> f32 {
    f32::from_bits(decode(format(name), &bits.to_le_bytes())[0])
}

/// The bits of a texel of this value in all channels.
fn texel_of(name: &str, value: u32) -> u128 {
    u128::from_le_bytes(encode(format(name), [value; 4]))
}

#[test]
fn format_name_tokens_list_channels_of_1_to_64_bits() {
    let some = |of: &[(u8, u32)]| Some(of.to_vec());
    for (token, expected) in [
        (
            "R10G10B10A2",
            some(&[(b'R', 10), (b'G', 10), (b'B', 10), (b'A', 2)]),
        ),
        ("X8B8", some(&[(b'X', 8), (b'B', 8)])),
        ("L8A1", some(&[(b'L', 8), (b'A', 1)])),
        ("I24X8", some(&[(b'I', 24), (b'X', 8)])),
        ("R64", some(&[(b'R', 64)])),
        ("R65", None),
        ("R0", None),
        ("R8G", None),
        ("G8R0", None),
        ("R", None),
        ("", None),
        ("8R8", None),
        ("P8", None),
        ("R8P8", None),
        ("R8g8", None),
    ] {
        assert_eq!(parse_channels(token), expected, "{token}");
    }
}

#[test]
fn all_formats_with_channel_lists_are_supported() {
    let no_list = |name: &str| {
        let families = ["BC", "DXT", "ETC", "EAC", "ASTC", "FXT", "YCRCB", "PLANAR"];
        let others = [
            "MONO8",
            "RAW",
            "R1_UNORM",
            "Y8_UNORM",
            "R10G10B10_FLOAT_A2_UNORM",
        ];
        families.iter().any(|family| name.starts_with(family))
            || name.contains("PALETTE")
            || name.contains("PASSTHRU")
            || others.contains(&name)
    };
    for format in FORMATS {
        assert_eq!(known(format), !no_list(format.name), "{}", format.name);
    }
}

#[test]
fn channel_list_ends_with_its_type() {
    let made = |name: &'static str| Format {
        name,
        ..*format("R8G8_UNORM")
    };
    let typed = parse_layout(&made("R8_UNORM_G8_UINT")).expect("two kinds");
    let kinds: Vec<_> = typed.parts.iter().map(|part| part.kind).collect();
    assert_eq!(kinds, [ChannelKind::Unorm, ChannelKind::Uint]);
    for name in ["R8G8", "R8_UNORM_G8", "UNORM", "SRGB", "R8G8_UNORM_HIGH"] {
        assert!(parse_layout(&made(name)).is_none(), "{name}");
    }
}

#[test]
fn integer_normalised_and_srgb_follow_the_format_name() {
    // Integer, normalised, sRGB.
    for (name, expected) in [
        ("R8_UINT", [true, false, false]),
        ("R16G16_SINT", [true, false, false]),
        ("X32_TYPELESS_G8X24_UINT", [true, false, false]),
        ("R8_UNORM", [false, true, false]),
        ("R8_SNORM", [false, true, false]),
        ("R16_FLOAT", [false, false, false]),
        ("R8_USCALED", [false, false, false]),
        ("R8_SSCALED", [false, false, false]),
        ("R32_SFIXED", [false, false, false]),
        ("R11G11B10_FLOAT", [false, false, false]),
        ("R9G9B9E5_SHAREDEXP", [false, false, false]),
        ("L8A8_UNORM_SRGB", [false, true, true]),
        ("R24_UNORM_X8_TYPELESS", [false, true, false]),
        ("RAW", [false, false, false]),
        ("BC1_UNORM_SRGB", [false, false, false]),
    ] {
        let format = format(name);
        let found = [is_integer(format), is_normalised(format), is_srgb(format)];
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn formats_with_a_special_encoding() {
    for (name, expected) in [
        ("R32_FLOAT", Encoding::Dwords(1)),
        ("R32G32_UINT", Encoding::Dwords(2)),
        ("R32G32B32_SINT", Encoding::Dwords(3)),
        ("R32G32B32A32_FLOAT", Encoding::Dwords(4)),
        ("R32G32B32X32_FLOAT", Encoding::Dwords(3)),
        ("R32G32_FLOAT_LD", Encoding::Dwords(2)),
        ("R32_FLOAT_X8X24_TYPELESS", Encoding::Dwords(1)),
        ("R32_UNORM", Encoding::General),
        ("R16G16_UINT", Encoding::General),
        ("A32_FLOAT", Encoding::General),
        ("L32_FLOAT", Encoding::General),
        ("R8G8B8A8_UINT", Encoding::Integers),
        ("R8G8B8A8_SINT", Encoding::General),
        ("R8G8B8_UINT", Encoding::General),
        ("R8G8B8A8_UNORM", Encoding::Bytes { red: 0, blue: 2 }),
        ("B8G8R8A8_UNORM_SRGB", Encoding::Bytes { red: 2, blue: 0 }),
        ("B8G8R8X8_UNORM", Encoding::General),
        ("R8G8B8A8_SNORM", Encoding::General),
        ("R9G9B9E5_SHAREDEXP", Encoding::SharedExponent),
    ] {
        let layout = find_layout(format(name)).expect(name);
        assert_eq!(layout.form, expected, "{name}");
    }
    // Texels of one dword that are drawn four at once.
    let packed: Vec<_> = FORMATS
        .iter()
        .filter(|format| bytes(format) == 4)
        .filter_map(|format| Some((format.name, Packer::from_format(format)?)))
        .collect();
    let ordered = |red, blue, srgb| Packer::Bytes { red, blue, srgb };
    let expected = [
        ("B8G8R8A8_UNORM", ordered(16, 0, false)),
        ("B8G8R8A8_UNORM_SRGB", ordered(16, 0, true)),
        ("R8G8B8A8_UNORM", ordered(0, 16, false)),
        ("R8G8B8A8_UNORM_SRGB", ordered(0, 16, true)),
        ("R8G8B8A8_UINT", Packer::Integers),
        ("R32_SINT", Packer::Dword { one: 1 }),
        ("R32_UINT", Packer::Dword { one: 1 }),
        ("R32_FLOAT", Packer::Dword { one: ONE }),
    ];
    assert_eq!(packed, expected);
}

#[test]
fn missing_channels_are_zero_and_alpha_one() {
    // Which of 5, 6, 7 and 8 are preserved; the default of alpha.
    for (name, expected) in [
        ("R8_UNORM", [5, 0, 0, ONE]),
        ("R8_UINT", [5, 0, 0, 1]),
        ("R8G8_SNORM", [5, 6, 0, ONE]),
        ("R11G11B10_FLOAT", [5, 6, 7, ONE]),
        ("R8G8B8A8_SINT", [5, 6, 7, 8]),
        ("B8G8R8X8_UNORM", [5, 6, 7, ONE]),
        ("A8_UNORM", [0, 0, 0, 8]),
        ("L8_UNORM", [5, 6, 7, ONE]),
        ("L8_SINT", [5, 6, 7, 1]),
        ("L8A8_UNORM", [5, 6, 7, 8]),
        ("I8_UINT", [5, 6, 7, 8]),
        ("X24_TYPELESS_G8_UINT", [0, 6, 0, 1]),
        ("R9G9B9E5_SHAREDEXP", [5, 6, 7, ONE]),
        ("BC1_UNORM", [5, 6, 7, 8]),
        ("BC3_UNORM_SRGB", [5, 6, 7, 8]),
        ("BC4_UNORM", [5, 0, 0, ONE]),
        ("BC4_SNORM", [5, 0, 0, ONE]),
        ("BC5_UNORM", [5, 6, 0, ONE]),
        ("BC5_SNORM", [5, 6, 0, ONE]),
        ("BC6H_UF16", [5, 6, 7, ONE]),
        ("BC6H_SF16", [5, 6, 7, ONE]),
        ("BC7_UNORM", [5, 6, 7, 8]),
        ("DXT1_RGB", [5, 6, 7, ONE]),
        ("DXT1_RGB_SRGB", [5, 6, 7, ONE]),
        ("ETC1_RGB8", [5, 6, 7, ONE]),
        ("ETC2_RGB8", [5, 6, 7, ONE]),
        ("ETC2_SRGB8", [5, 6, 7, ONE]),
        ("ETC2_RGB8_PTA", [5, 6, 7, 8]),
        ("ETC2_EAC_RGBA8", [5, 6, 7, 8]),
        ("EAC_R11", [5, 0, 0, ONE]),
        ("EAC_SIGNED_R11", [5, 0, 0, ONE]),
        ("EAC_RG11", [5, 6, 0, ONE]),
        ("EAC_SIGNED_RG11", [5, 6, 0, ONE]),
        ("ASTC_LDR_2D_4X4_FLT16", [5, 6, 7, 8]),
    ] {
        let filled = fill_missing_channels(format(name), [5, 6, 7, 8]);
        assert_eq!(filled, expected, "{name}");
    }
}

#[test]
fn element_size_follows_channels_or_block() {
    for (name, expected) in [
        ("R8_UNORM", 1),
        ("R5G5_SNORM_B6_UNORM", 2),
        ("R8G8B8_UNORM", 3),
        ("R9G9B9E5_SHAREDEXP", 4),
        ("R16G16B16_FLOAT", 6),
        ("R32_FLOAT_X8X24_TYPELESS", 8),
        ("R32G32B32_UINT", 12),
        ("R64G64B64_FLOAT", 24),
        ("R64G64B64A64_FLOAT", 32),
        ("YCRCB_NORMAL", 2),
        ("BC1_UNORM", 8),
        ("ASTC_LDR_2D_12X12_FLT16", 16),
        ("P2_UNORM_PALETTE0", 1),
        ("R1_UNORM", 1),
        ("RAW", 1),
    ] {
        assert_eq!(bytes(format(name)), expected, "{name}");
    }
}

#[test]
fn bit_fields_at_any_position() {
    let texel: [u8; 16] = std::array::from_fn(|i| (i as u8).wrapping_mul(0x4d) ^ 0xa5);
    let whole = u128::from_le_bytes(texel);
    for lo in 0..128 {
        for bits in [1, 2, 5, 8, 9, 10, 24, 31, 32, 33, 63, 64] {
            let mask = u128::MAX >> (128 - bits);
            let field = whole >> lo & mask;
            assert_eq!(u128::from(extract(&texel, lo, bits)), field, "{lo} {bits}");
            // Bits around the field stay.
            let around = 1 | 1 << 127;
            let mut into = u128::to_le_bytes(around);
            insert(&mut into, lo, bits, field as u64);
            let expected = around | field << lo;
            assert_eq!(u128::from_le_bytes(into), expected, "{lo} {bits}");
        }
    }
    // Bytes that are not there are zeros.
    assert_eq!(extract(&[0xff], 4, 12), 0xf);
    for (value, bits, expected) in [
        (0, 1, 0),
        (1, 1, -1),
        (1, 2, 1),
        (2, 2, -2),
        (0x7f, 8, 127),
        (0x80, 8, -128),
        (0x8000_0000, 32, -0x8000_0000),
        (0x8000_0000, 33, 0x8000_0000),
        (u64::MAX, 64, -1),
    ] {
        assert_eq!(sign_extend(value, bits), expected, "{value:#x} {bits}");
    }
}

#[test]
fn channel_decoding_per_type() {
    for (name, bits, expected) in [
        ("R16_UNORM", 0x8000, 32768.0 / 65535.0),
        ("R16_UNORM", 0xffff, 1.0),
        ("R32_UNORM", 0xffff_ffff, 1.0),
        ("R32_UNORM", 0x8000_0000, 0.5),
        (
            "R24_UNORM_X8_TYPELESS",
            0x55_0000,
            5_570_560.0 / 16_777_215.0,
        ),
        ("R16_SNORM", 0x7fff, 1.0),
        ("R16_SNORM", 0x8001, -1.0),
        ("R16_SNORM", 0x8000, -1.0),
        ("R16_SNORM", 0xffff, -1.0 / 32767.0),
        ("R32_SNORM", 0x4000_0000, 0.5),
        ("R32_SNORM", 0x8000_0000, -1.0),
        ("R10G10B10A2_SNORM", 0x1ff, 1.0),
        ("R10G10B10A2_SNORM", 0x100, 256.0 / 511.0),
        ("R10G10B10A2_SNORM", 0x200, -1.0),
        ("R10G10B10A2_SNORM", 0x3fe, -2.0 / 511.0),
        ("R8_USCALED", 0xff, 255.0),
        ("R16_USCALED", 0x8001, 32769.0),
        ("R32_USCALED", 0xffff_ffff, 4_294_967_296.0),
        ("R8_SSCALED", 0x80, -128.0),
        ("R16_SSCALED", 0xfffe, -2.0),
        ("R32_SSCALED", 0x8000_0000, -2_147_483_648.0),
        ("R32_SFIXED", 0x0001_8000, 1.5),
        ("R32_SFIXED", 0xffff_ffff, -1.0 / 65536.0),
        ("R32_SFIXED", 0x8000_0000, -32768.0),
        ("R16_FLOAT", 0xbc00, -1.0),
        ("R16_FLOAT", 0x8001, -1.0 / 16_777_216.0),
        ("R32_FLOAT", 0x8000_0001, -f32::from_bits(1)),
        ("R64_FLOAT", 0x3ff8_0000_0000_0000, 1.5),
        // The float nearest to 1/3.
        ("R64_FLOAT", 0xbfd5_5555_5555_5555, -1.0 / 3.0),
        // 2^(5 - 15) × (1 + 3/64).
        ("R11G11B10_FLOAT", 5 << 6 | 3, 67.0 / 65536.0),
        ("R11G11B10_FLOAT", 1, 1.0 / 1_048_576.0),
        ("R11G11B10_FLOAT", 0x7c0, f32::INFINITY),
        ("R11G11B10_FLOAT", 0x7bf, 65024.0),
        ("L16_FLOAT", 0x3800, 0.5),
        ("I16_UNORM", 0xffff, 1.0),
    ] {
        assert_eq!(red_of(name, bits), expected, "{name} {bits:#x}");
    }
    let nan = red_of("R11G11B10_FLOAT", 0x7c1);
    assert!(nan.is_nan() && red_of("R16_FLOAT", 0x7c01).is_nan());
    // All channels of formats with mixed sizes or types.
    let third = 1.0 / 3.0;
    for (name, bits, expected) in [
        ("R10G10B10A2_UNORM", 0x7ff0_0000, [0.0, 0.0, 1.0, third]),
        ("R10G10B10A2_SNORM", 0xc000_0000, [0.0, 0.0, 0.0, -1.0]),
        (
            "R10G10B10A2_SSCALED",
            0xa007_fc01,
            [1.0, 511.0, -512.0, -2.0],
        ),
        (
            "R10G10B10A2_USCALED",
            0xbff7_fc01,
            [1.0, 511.0, 1023.0, 2.0],
        ),
        (
            "R10G10B10_SNORM_A2_UNORM",
            0xa007_fc01,
            [1.0 / 511.0, 1.0, -1.0, 2.0 / 3.0],
        ),
        ("R5G5_SNORM_B6_UNORM", 0xfe0f, [1.0, -1.0, 1.0, 1.0]),
        (
            "R5G5_SNORM_B6_UNORM",
            0x05f1,
            [-1.0, 15.0 / 15.0, 1.0 / 63.0, 1.0],
        ),
        ("X8B8_UNORM_G8R8_SNORM", 0x817f_ff00, [-1.0, 1.0, 1.0, 1.0]),
        ("A8X8_UNORM_G8R8_SNORM", 0x7f81_00ff, [1.0, -1.0, 0.0, 1.0]),
        ("B8X8_UNORM_G8R8_SNORM", 0x7f81_00ff, [1.0, -1.0, 1.0, 1.0]),
        ("B4G4R4A4_UNORM", 0x5f30, [1.0, 3.0 / 15.0, 0.0, third]),
        ("A4B4G4R4_UNORM", 0x03f5, [0.0, 3.0 / 15.0, 1.0, third]),
        ("B5G5R5A1_UNORM", 0x83e0, [0.0, 1.0, 0.0, 1.0]),
        ("B5G5R5X1_UNORM", 0x7c00, [1.0, 0.0, 0.0, 1.0]),
        ("L8_UNORM", 51, [0.2, 0.2, 0.2, 1.0]),
        ("L16A16_UNORM", 0xffff_0000, [0.0, 0.0, 0.0, 1.0]),
        ("L16A16_FLOAT", 0x4000_3c00, [1.0, 1.0, 1.0, 2.0]),
        ("I24X8_UNORM", 0x12ff_ffff, [1.0; 4]),
        ("A24X8_UNORM", 0x12ff_ffff, [0.0, 0.0, 0.0, 1.0]),
        ("A32_FLOAT", 0x4000_0000, [0.0, 0.0, 0.0, 2.0]),
        ("R8G8B8_SNORM", 0x81_007f, [1.0, 0.0, -1.0, 1.0]),
    ] {
        let texel = u32::to_le_bytes(bits);
        assert_eq!(decode(format(name), &texel), floats(expected), "{name}");
    }
    for (name, bits, expected) in [
        ("R10G10B10A2_SINT", 0xa007_fc01u32, [1, 511, -512, -2]),
        ("R16G16_SINT", 0x8000_7fff, [32767, -32768, 0, 1]),
        ("R8G8B8A8_SINT", 0x80ff_7f01, [1, 127, -1, -128]),
        ("R8G8B8A8_UINT", 0x80ff_7f01, [1, 127, 255, 128]),
        ("L8A8_SINT", 0xfe80, [-128, -128, -128, -2]),
        ("I8_SINT", 0xff, [-1; 4]),
        ("R32_SINT", 0x8000_0000, [i32::MIN, 0, 0, 1]),
    ] {
        let found = decode(format(name), &bits.to_le_bytes());
        assert_eq!(found.map(|v| v as i32), expected, "{name}");
    }
}

#[test]
fn float_channel_encoding_rounds_to_nearest() {
    // The value in all channels; the texel.
    for (name, value, expected) in [
        // Ties of normalised numbers go to even: half of 255, 1023, 15, 31, 63, and of 1, which is
        // 0.
        ("R8_UNORM", 0.5, 128),
        ("R16_UNORM", 0.5, 0x8000),
        ("A1B5G5R5_UNORM", 0.5, 16 << 11 | 16 << 6 | 16 << 1),
        ("B5G6R5_UNORM", 0.5, 16 << 11 | 32 << 5 | 16),
        ("B4G4R4A4_UNORM", 0.5, 0x8888),
        (
            "R10G10B10A2_UNORM",
            0.5,
            2 << 30 | 512 << 20 | 512 << 10 | 512,
        ),
        ("R10G10B10A2_SNORM", 0.5, 256 << 20 | 256 << 10 | 256),
        ("R10G10B10A2_SNORM", -0.5, 768 << 20 | 768 << 10 | 768),
        ("R16_UNORM", 1.0 / 65535.0, 1),
        ("R16_UNORM", 0.499 / 65535.0, 0),
        ("R16_UNORM", 0.501 / 65535.0, 1),
        ("R16_UNORM", 1.5, 0xffff),
        ("R16_UNORM", f32::INFINITY, 0xffff),
        ("R16_UNORM", -0.1, 0),
        ("R32_UNORM", 1.0, 0xffff_ffff),
        ("R32_UNORM", 0.5, 0x8000_0000),
        ("R24_UNORM_X8_TYPELESS", 1.0, 0xff_ffff),
        ("R16_SNORM", 1.0, 0x7fff),
        ("R16_SNORM", -1.0, 0x8001),
        ("R16_SNORM", f32::NEG_INFINITY, 0x8001),
        ("R16_SNORM", f32::NAN, 0),
        ("R32_SNORM", -1.0, 0x8000_0001),
        (
            "R10G10B10_SNORM_A2_UNORM",
            -1.0,
            513 << 20 | 513 << 10 | 513,
        ),
        (
            "R10G10B10_SNORM_A2_UNORM",
            1.0,
            3 << 30 | 511 << 20 | 511 << 10 | 511,
        ),
        ("R5G5_SNORM_B6_UNORM", 1.0, 63 << 10 | 15 << 5 | 15),
        ("R5G5_SNORM_B6_UNORM", -1.0, 17 << 5 | 17),
        // Scaled numbers.
        ("R8_USCALED", 2.5, 2),
        ("R8_USCALED", 3.5, 4),
        ("R8_USCALED", 2.75, 3),
        ("R8_USCALED", 254.6, 255),
        ("R8_USCALED", 300.0, 255),
        ("R8_USCALED", -3.0, 0),
        ("R8_USCALED", f32::NAN, 0),
        ("R16_USCALED", 1e9, 0xffff),
        ("R32_USCALED", 1e20, 0xffff_ffff),
        ("R8_SSCALED", 2.5, 2),
        ("R8_SSCALED", -2.5, 0xfe),
        ("R8_SSCALED", -3.5, 0xfc),
        ("R8_SSCALED", 126.75, 127),
        ("R8_SSCALED", 200.0, 127),
        ("R8_SSCALED", -127.75, 0x80),
        ("R8_SSCALED", -200.0, 0x80),
        ("R8_SSCALED", f32::NAN, 0),
        ("R16_SSCALED", -1e9, 0x8000),
        ("R16_SSCALED", 1e9, 0x7fff),
        ("R32_SSCALED", -1e20, 0x8000_0000),
        ("R32_SSCALED", 1e20, 0x7fff_ffff),
        (
            "R10G10B10A2_SSCALED",
            600.0,
            1 << 30 | 511 << 20 | 511 << 10 | 511,
        ),
        // 16 bits before the point and 16 after it.
        ("R32_SFIXED", 1.5, 0x0001_8000),
        ("R32_SFIXED", -1.5, 0xfffe_8000),
        ("R32_SFIXED", 2.5 / 65536.0, 2),
        ("R32_SFIXED", 3.5 / 65536.0, 4),
        ("R32_SFIXED", 0.75 / 65536.0, 1),
        ("R32_SFIXED", 40000.0, 0x7fff_ffff),
        ("R32_SFIXED", -40000.0, 0x8000_0000),
        // Floats.
        ("R32_FLOAT", -0.0, 0x8000_0000),
        ("R64_FLOAT", 1.5, 0x3ff8_0000_0000_0000),
        ("R64_FLOAT", -0.1, 0xbfb9_9999_a000_0000),
        ("R16_FLOAT", -2.0, 0xc000),
        ("R16G16B16A16_FLOAT", 1.0, 0x3c00_3c00_3c00_3c00),
        // Luminance and intensity are red, and what is not there stays zero.
        ("L8A8_UNORM", 1.0, 0xffff),
        ("L16A16_FLOAT", 1.0, 0x3c00_3c00),
        ("I24X8_UNORM", 1.0, 0xff_ffff),
        ("B5G5R5X1_UNORM", 1.0, 0x7fff),
        ("B8G8R8X8_UNORM", 1.0, 0xff_ffff),
        ("X8B8_UNORM_G8R8_SNORM", 1.0, 0x7f7f_ff00),
    ] {
        let texel = texel_of(name, f32::to_bits(value));
        assert_eq!(texel, expected, "{name} {value}");
    }
    let values = floats([0.0, 0.25, 0.5, 1.0]);
    for (name, expected) in [
        ("L8A8_UNORM", 0xff00),
        ("I8_UNORM", 0),
        ("A8_UNORM", 0xff),
        ("B5G5R5A1_UNORM", 1 << 15 | 8 << 5 | 16),
        ("R24_UNORM_X8_TYPELESS", 0),
    ] {
        let texel = u128::from_le_bytes(encode(format(name), values));
        assert_eq!(texel, expected, "{name}");
    }
}

#[test]
fn integer_channel_encoding_clamps() {
    for (name, value, expected) in [
        ("R16_UINT", 70_000, 0xffff),
        ("R16_UINT", 65_534, 0xfffe),
        ("R10G10B10A2_UINT", 3, 0xc030_0c03),
        ("R10G10B10A2_UINT", 1024, 0xffff_ffff),
        ("R16_SINT", 32_768, 0x7fff),
        ("R16_SINT", 32_766, 0x7ffe),
        ("R16_SINT", -32_769, 0x8000),
        ("R16_SINT", -32_767, 0x8001),
        (
            "R10G10B10A2_SINT",
            -600,
            0x8000_0000 | 0x200 << 20 | 0x200 << 10 | 0x200,
        ),
        (
            "R10G10B10A2_SINT",
            600,
            0x4000_0000 | 0x1ff << 20 | 0x1ff << 10 | 0x1ff,
        ),
        ("R8G8B8A8_UINT", 256, 0xffff_ffff),
        ("R8G8B8A8_UINT", 254, 0xfefe_fefe),
        ("R8G8B8A8_SINT", 128, 0x7f7f_7f7f),
        ("R32_SINT", i32::MIN, 0x8000_0000),
        ("R32G32B32_UINT", 7, 7 << 64 | 7 << 32 | 7),
        ("X24_TYPELESS_G8_UINT", 300, 0xff00_0000),
        ("L8_UINT", 9, 9),
    ] {
        let texel = texel_of(name, value as u32);
        assert_eq!(texel, expected, "{name} {value}");
    }
    // What has no channels here, or more than 128 bits.
    for name in ["RAW", "BC1_UNORM", "R64G64B64A64_FLOAT", "R64G64B64_FLOAT"] {
        assert_eq!(texel_of(name, ONE), 0, "{name}");
    }
    assert_eq!(decode(format("RAW"), &[0xff; 4]), [0; 4]);
    let largest = decode(format("R64G64B64A64_FLOAT"), &[0x3f; 32]);
    assert_eq!(
        largest,
        [(f64::from_bits(0x3f3f_3f3f_3f3f_3f3f) as f32).to_bits(); 4]
    );
}

/// Bits of a small float's exponent and mantissa, to what they mean.
fn meaning(code: u32, mantissa: i32) -> f64 {
    let (exponent, fraction) = (
        (code >> mantissa) as i32,
        f64::from(code & ((1 << mantissa) - 1)),
    );
    match exponent {
        0 => fraction * f64::powi(2.0, -14 - mantissa),
        _ => (fraction + f64::powi(2.0, mantissa)) * f64::powi(2.0, exponent - 15 - mantissa),
    }
}

#[test]
fn small_float_encoding_rounds_to_nearest_even() {
    for mantissa in [10, 6, 5] {
        let infinity = 31u32 << mantissa;
        let encoded = |value: f32| match mantissa {
            10 => u32::from(to_half(value)),
            _ => to_unsigned_float(value, mantissa as u32),
        };
        for code in 0..infinity {
            let value = meaning(code, mantissa);
            let raw = small_float(
                code >> mantissa,
                code & ((1 << mantissa) - 1),
                mantissa as u32,
            );
            assert_eq!(f64::from(raw), value, "{mantissa} {code:#x}");
            assert_eq!(encoded(value as f32), code, "{mantissa} {code:#x}");
            let between = ((value + meaning(code + 1, mantissa)) / 2.0) as f32;
            // Half floats overflow to infinity, those without sign stop at the largest.
            let next = match code + 1 == infinity && mantissa != 10 {
                true => code,
                false => code + 1,
            };
            let even = if code & 1 == 0 { code } else { next };
            assert_eq!(encoded(between), even, "{mantissa} {code:#x}");
            assert_eq!(encoded(between.next_down()), code, "{mantissa} {code:#x}");
            assert_eq!(encoded(between.next_up()), next, "{mantissa} {code:#x}");
        }
        assert_eq!(encoded(f32::INFINITY), infinity);
        assert_eq!(encoded(f32::from_bits(1)), 0);
        let largest = if mantissa == 10 {
            infinity
        } else {
            infinity - 1
        };
        assert_eq!(encoded(f32::MAX), largest, "{mantissa}");
        // The upper bit of the mantissa is that of quiet NaNs.
        let quiet = infinity | 1 << (mantissa - 1);
        for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)] {
            assert_eq!(encoded(nan) & quiet, quiet, "{mantissa}");
        }
        if mantissa != 10 {
            assert_eq!(encoded(f32::NAN) >> (mantissa + 5), 0);
            for negative in [-0.0, -1.0, -f32::from_bits(1), f32::NEG_INFINITY] {
                assert_eq!(encoded(negative), 0, "{mantissa} {negative}");
            }
        }
    }
    for (value, half) in [(-0.0, 0x8000), (-1.0, 0xbc00), (f32::NEG_INFINITY, 0xfc00)] {
        assert_eq!(to_half(value), half);
        assert_eq!(from_half(half).to_bits(), value.to_bits());
    }
    assert!(from_half(0x7c01).is_nan() && from_half(0xfe00).is_nan());
    // Eleven, channel11 and ten bits.
    let texel = encode(format("R11G11B10_FLOAT"), floats([1.0, 0.5, 2.0, 0.0]));
    let expected = (16 << 5 << 22 | 14 << 6 << 11 | 15 << 6) as u32;
    assert_eq!(texel[..4], expected.to_le_bytes());
}

#[test]
fn shared_exponent_follows_the_largest_channel() {
    let two = |n| f32::powi(2.0, n);
    for ([r, g, b], exponent, expected) in [
        ([1.0, 0.5, 0.25], 16, [256, 128, 64]),
        ([0.25, 1.0, 0.5], 16, [64, 256, 128]),
        ([0.5, 0.25, 1.0], 16, [128, 64, 256]),
        // Halves go up, in steps of 2^-8.
        ([1.0 + two(-9), two(-9), 2.9 * two(-9)], 16, [257, 1, 1]),
        (
            [1.0 + 0.9 * two(-9), 0.9 * two(-9), 3.0 * two(-9)],
            16,
            [256, 0, 2],
        ),
        // 511.5 steps are 512, which is 256 of twice the size; a little less is 511.
        ([2.0 - two(-9), 1.0, 0.0], 17, [256, 128, 0]),
        ([2.0 - 1.1 * two(-9), 1.0, 0.0], 16, [511, 256, 0]),
        // The least exponent is 0, with steps of 2^-24.
        ([two(-15), 0.0, 0.0], 1, [256, 0, 0]),
        ([two(-16), two(-17), two(-24)], 0, [256, 128, 1]),
        ([two(-17), two(-25), two(-26)], 0, [128, 1, 0]),
        ([0.0, 0.0, 0.0], 0, [0, 0, 0]),
        // 65408 is the largest.
        ([65408.0, 128.0, 1e6], 31, [511, 1, 511]),
        ([65536.0, f32::INFINITY, 64.0], 31, [511, 511, 1]),
        ([32768.0, -1.0, f32::NEG_INFINITY], 31, [256, 0, 0]),
        ([f32::NAN, 4.0, -0.0], 18, [0, 256, 0]),
    ] {
        let texel = encode(format("R9G9B9E5_SHAREDEXP"), floats([r, g, b, 7.0]));
        let [red, green, blue] = expected;
        let bits: u32 = exponent << 27 | blue << 18 | green << 9 | red;
        assert_eq!(texel[..4], bits.to_le_bytes(), "{r} {g} {b}");
        assert_eq!(texel[4..], [0; 12]);
        let step = two(exponent as i32 - 24);
        let back = [red, green, blue].map(|n| n as f32 * step);
        let found = decode(format("R9G9B9E5_SHAREDEXP"), &texel[..4]);
        assert_eq!(
            found,
            floats([back[0], back[1], back[2], 1.0]),
            "{r} {g} {b}"
        );
    }
}

#[test]
fn srgb_curve_is_linear_near_zero() {
    // The straight parts include their ends.
    for (stored, linear) in [
        (0.0, 0.0),
        (0.02, 0.02 / 12.92),
        (0.04045, 0.04045 / 12.92),
        (1.0, 1.0),
    ] {
        assert_eq!(srgb_to_linear(stored), linear, "{stored}");
    }
    for (linear, stored) in [
        (0.0, 0.0),
        (0.002, 0.002 * 12.92),
        (0.003_130_8, 0.003_130_8 * 12.92),
        (1.0, 1.0),
    ] {
        assert_eq!(linear_to_srgb(linear), stored, "{linear}");
    }
    // Published values to seven digits.
    for (stored, linear) in [
        (0.05, 0.003_935_939),
        (0.2, 0.033_104_767),
        (0.5, 0.214_041_14),
        (0.8, 0.603_827_4),
    ] {
        let to = srgb_to_linear(stored);
        assert!((to / linear - 1.0).abs() < 3e-6, "{stored}: {to}");
        let back = linear_to_srgb(linear);
        assert!((back / stored - 1.0).abs() < 3e-6, "{linear}: {back}");
    }
    // Alpha is as it stands, in texels of bytes and in others. Red is stored as 188 / 255.
    let values = floats([0.502_886_5, 0.0, 1.0, 0.5]);
    for (name, expected) in [
        ("R8G8B8A8_UNORM_SRGB", 0x80ff_00bcu32),
        ("B8G8R8A8_UNORM_SRGB", 0x80bc_00ff),
        ("B8G8R8X8_UNORM_SRGB", 0xbc_00ff),
        ("R10G10B10A2_UNORM_SRGB", 2 << 30 | 1023 << 20 | 754),
        ("B5G6R5_UNORM_SRGB", 23 << 11 | 31),
        ("B5G5R5A1_UNORM_SRGB", 23 << 10 | 31),
    ] {
        let texel = encode(format(name), values);
        assert_eq!(texel[..4], expected.to_le_bytes(), "{name}");
        if let Some(packer) = Packer::from_format(format(name)) {
            let found = packer.unpack(expected);
            assert_eq!(found, decode(format(name), &texel), "{name}");
            assert_eq!(found[3], (128.0f32 / 255.0).to_bits(), "{name}");
        }
    }
    for (name, texel, expected) in [
        (
            "L8A8_UNORM_SRGB",
            [188, 188, 0, 0],
            [true, true, true, false],
        ),
        ("R8G8B8A8_UNORM_SRGB", [188; 4], [true, true, true, false]),
        ("B8G8R8A8_UNORM_SRGB", [188; 4], [true, true, true, false]),
        (
            "R8G8B8_UNORM_SRGB",
            [188, 188, 188, 0],
            [true, true, true, false],
        ),
    ] {
        let values = decode(format(name), &texel).map(f32::from_bits);
        for (value, curved) in values.into_iter().zip(expected) {
            let wanted = match curved {
                true => 0.502_886_5,
                false if name == "R8G8B8_UNORM_SRGB" => 1.0,
                false => 188.0 / 255.0,
            };
            assert!((value - wanted).abs() < 1e-6, "{name} {value}");
        }
    }
    let [grey, ..] = encode(
        format("L8A8_UNORM_SRGB"),
        floats([0.502_886_5, 0.0, 0.0, 0.5]),
    );
    assert_eq!(grey, 188);
    let alpha = encode(format("L8A8_UNORM_SRGB"), floats([0.0, 0.0, 0.0, 0.5]));
    assert_eq!(alpha[..2], [0, 128]);
    // Colours beyond the ends are clamped before the curve.
    for (value, byte) in [(-1.0, 0), (2.0, 255), (f32::INFINITY, 255), (f32::NAN, 0)] {
        for name in ["L8_UNORM_SRGB", "R8G8B8A8_UNORM_SRGB"] {
            let texel = encode(format(name), floats([value; 4]));
            assert_eq!(texel[0], byte, "{name} {value}");
        }
    }
}

#[test]
fn srgb_thresholds_are_the_smallest_floats_of_each_byte() {
    let stored = |value| quantise(linear_to_srgb(value), 0.0, 255.0);
    for (below, least) in SRGB_THRESHOLDS.iter().enumerate() {
        let sides = [least.next_down(), *least];
        let bytes = [below, below + 1];
        assert_eq!(sides.map(stored), bytes.map(|byte| byte as i64));
        assert_eq!(sides.map(srgb_byte), bytes.map(|byte| byte as u8));
    }
}

#[test]
fn unorm8_ties_round_to_even() {
    // Of bytes and of the bytes drawn four at once: halves, and both sides of the border between
    // two bytes.
    let border = 100.5f32 / 255.0;
    for (value, byte) in [
        (0.5, 128),
        (border.next_up(), 101),
        (border.next_down(), 100),
        (0.49 / 255.0, 0),
        (0.51 / 255.0, 1),
        (0.8, 204),
        (254.51 / 255.0, 255),
        (1.0, 255),
        (-0.0, 0),
    ] {
        let bits = f32::to_bits(value);
        assert_eq!(unorm_byte(value), byte, "{value}");
        assert_eq!(quantise(value, 0.0, 255.0), i64::from(byte), "{value}");
        let texel = texel_of("R8G8B8A8_UNORM", bits);
        assert_eq!(texel, u128::from(byte) * 0x0101_0101, "{value}");
    }
    for (value, expected) in [
        (0.5, 0),
        (1.5, 2),
        (2.5, 2),
        (-0.5, 0),
        (-1.5, -2),
        (-2.25, -2),
    ] {
        assert_eq!(round_ties_even(value), expected, "{value}");
    }
}

#[test]
fn non_ycbcr_formats_have_no_pair() {
    assert_eq!(decode_pair(format("R8G8_UNORM"), u32::MAX, true), [0; 4]);
}
