//! Conversions by hand-made values, and round trips over all formats.

use super::*;
use hw::FORMATS;

mod channels;

fn format(name: &str) -> &'static Format {
    FORMATS.iter().find(|f| f.name == name).expect("a format")
}

fn floats(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

#[test]
fn channel_widths_match_the_format_table() {
    let mut counted = 0;
    for format in FORMATS {
        let Some(layout) = find_layout(format) else {
            continue;
        };
        counted += 1;
        // The table follows ISL in these three.
        let quirks = ["R16G16_SSCALED", "R32_SFIXED", "R64G64B64_FLOAT"];
        if quirks.contains(&format.name) || layout.form == Encoding::SharedExponent {
            continue;
        }
        assert_eq!(
            layout.bytes * 8,
            usize::from(format.block_bits),
            "{}",
            format.name
        );
        for part in &layout.parts {
            if let Target::Colour(i) = part.target {
                let expected = (part.kind, part.bits as u8);
                assert_eq!(expected, format.channels[i], "{}", format.name);
            }
        }
    }
    assert!(counted > 150, "{counted}");
}

#[test]
fn channel_order_follows_the_format_name() {
    let blue = [0xff, 0, 0, 0x80];
    let expected = floats([0.0, 0.0, 1.0, 128.0 / 255.0]);
    assert_eq!(decode(format("B8G8R8A8_UNORM"), &blue), expected);
    let expected = floats([1.0, 0.0, 0.0, 128.0 / 255.0]);
    assert_eq!(decode(format("R8G8B8A8_UNORM"), &blue), expected);
    // Blue in the low five bits, red in the high five.
    let red = 0xf800u16.to_le_bytes();
    assert_eq!(
        decode(format("B5G6R5_UNORM"), &red),
        floats([1.0, 0.0, 0.0, 1.0])
    );
    let alpha = 1u16.to_le_bytes();
    assert_eq!(
        decode(format("A1B5G5R5_UNORM"), &alpha),
        floats([0.0, 0.0, 0.0, 1.0])
    );
    let packed = (3u32 << 30 | 512 << 20 | 1023 << 10 | 7).to_le_bytes();
    assert_eq!(
        decode(format("R10G10B10A2_UINT"), &packed),
        [7, 1023, 512, 3]
    );
    assert_eq!(
        decode(format("B10G10R10A2_UINT"), &packed),
        [512, 1023, 7, 3]
    );
    let half = floats([1.0, 1.0, 1.0, 0.0]);
    assert_eq!(decode(format("L8A8_UNORM"), &[0xff, 0]), half);
    assert_eq!(decode(format("I8_UNORM"), &[0]), [0; 4]);
    assert_eq!(
        decode(format("A8_UNORM"), &[0xff]),
        floats([0.0, 0.0, 0.0, 1.0])
    );
    let depth = 0xab00_0000u32.to_le_bytes();
    assert_eq!(
        decode(format("X24_TYPELESS_G8_UINT"), &depth),
        [0, 0xab, 0, 1]
    );
    let depth = 0xabff_ffffu32.to_le_bytes();
    assert_eq!(
        decode(format("R24_UNORM_X8_TYPELESS"), &depth),
        floats([1.0, 0.0, 0.0, 1.0])
    );
    assert_eq!(
        decode(format("R8_SINT"), &[0x80]),
        [-128i32 as u32, 0, 0, 1]
    );
    assert_eq!(
        decode(format("R8_SNORM"), &[0x80]),
        floats([-1.0, 0.0, 0.0, 1.0])
    );
}

#[test]
fn small_float_decoding() {
    for (half, value) in [
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x7bff, 65504.0),
        (0x0001, f32::powi(2.0, -24)),
        (0x0400, f32::powi(2.0, -14)),
        (0x7c00, f32::INFINITY),
    ] {
        assert_eq!(from_half(half), value);
        assert_eq!(to_half(value), half);
    }
    // Ties go to even: 1 + 2^-11 is between 0x3c00 and 0x3c01.
    assert_eq!(to_half(1.0 + f32::powi(2.0, -11)), 0x3c00);
    assert_eq!(to_half(1.0 + 3.0 * f32::powi(2.0, -11)), 0x3c02);
    assert_eq!(to_half(65520.0), 0x7c00);
    for half in 0..=u16::MAX {
        if half & 0x7c00 != 0x7c00 || half & 0x3ff == 0 {
            assert_eq!(to_half(from_half(half)), half);
        }
    }
    let packed = format("R11G11B10_FLOAT");
    // 1.0 is exponent 15: 15 << 6 for channel11 bits, 15 << 5 for ten.
    let one = (15u32 << 5 << 22 | 15 << 6 << 11 | 15 << 6).to_le_bytes();
    assert_eq!(decode(packed, &one), floats([1.0; 4]));
    assert_eq!(encode(packed, floats([1.0; 4]))[..4], one);
    let clamped = decode(packed, &encode(packed, floats([-1.0, 1e9, 0.5, 0.0])));
    assert_eq!(clamped, floats([0.0, 65024.0, 0.5, 1.0]));
    let shared = format("R9G9B9E5_SHAREDEXP");
    let exact = floats([1.0, 0.5, 0.25, 1.0]);
    assert_eq!(decode(shared, &encode(shared, exact)), exact);
    let nan = floats([f32::NAN; 4]);
    assert_eq!(encode(shared, nan), [0; 16]);
    // 256 with exponent 16 is 256 * 2^-8.
    let one = (16u32 << 27 | 256).to_le_bytes();
    assert_eq!(decode(shared, &one), floats([1.0, 0.0, 0.0, 1.0]));
}

#[test]
fn values_are_clamped_and_rounded() {
    let unorm = |v: f32| encode(format("R8_UNORM"), floats([v; 4]))[0];
    assert_eq!(unorm(2.0), 255);
    assert_eq!(unorm(-1.0), 0);
    assert_eq!(unorm(f32::NAN), 0);
    assert_eq!(unorm(0.5), 128);
    assert_eq!(unorm(1.49 / 255.0), 1);
    let snorm = |v: f32| encode(format("R8_SNORM"), floats([v; 4]))[0] as i8;
    assert_eq!([snorm(-2.0), snorm(1.0), snorm(-0.5)], [-127, 127, -64]);
    assert_eq!(encode(format("R8_UINT"), [300; 4])[0], 255);
    assert_eq!(
        encode(format("R8_SINT"), [-300i32 as u32; 4])[0] as i8,
        -128
    );
    let linear = decode(format("R8G8B8A8_UNORM_SRGB"), &[188, 0, 255, 188]);
    let [r, _, b, a] = linear.map(f32::from_bits);
    assert!((r - 0.502_886).abs() < 1e-5, "{r}");
    assert_eq!((b, a), (1.0, 188.0 / 255.0));
}

#[test]
fn decoded_texels_encode_to_the_same_bits() {
    for format in FORMATS.iter().filter(|f| known(f) && bytes(f) <= 16) {
        let size = bytes(format) as usize;
        // Corner bits, and bytes from a generator of Weyl's kind.
        let mut patterns = vec![[0u8; 16], [0xff; 16], [0x7f; 16], [0x80; 16], [0x01; 16]];
        let mut state = 1u32;
        for _ in 0..64 {
            patterns.push(std::array::from_fn(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            }));
        }
        for pattern in patterns {
            let first = decode(format, &pattern[..size]);
            let floats_are_numbers =
                is_integer(format) || first.iter().all(|v| !f32::from_bits(*v).is_nan());
            if floats_are_numbers {
                // Once through, redundant forms (two of -1, two shared exponents) are gone.
                let again = decode(format, &encode(format, first)[..size]);
                assert_eq!(again, first, "{} {pattern:02x?}", format.name);
            }
        }
    }
}

#[test]
fn packed_texels_match_encoded_texels() {
    let values = [
        [0.0, 0.1, 0.5, 1.0].map(f32::to_bits),
        [-1.0, 2.0, f32::NAN, f32::INFINITY].map(f32::to_bits),
        [0.003_130_8, 0.04, 0.214, 0.999].map(f32::to_bits),
        [0, 254, 255, 70_000],
    ];
    for format in FORMATS.iter() {
        let Some(packer) = Packer::from_format(format) else {
            continue;
        };
        // Pixel i has component c from the row (i + c).
        let colours = [0, 1, 2, 3].map(|c| [0, 1, 2, 3].map(|i| values[(i + c) % 4][c]));
        let texels = packer.pack(colours.each_ref());
        for (i, texel) in texels.iter().enumerate() {
            let encoded = encode(format, colours.map(|channel| channel[i]));
            assert_eq!(texel.to_le_bytes(), encoded[..4], "{} {i}", format.name);
            let decoded = decode(format, &encoded[..4]);
            assert_eq!(packer.unpack(*texel), decoded, "{} {i}", format.name);
        }
        let all = packer.unpack_all(&texels);
        let each = [0, 1, 2, 3].map(|c| texels.map(|texel| packer.unpack(texel)[c]));
        assert_eq!(all, each, "{}", format.name);
    }
}

#[test]
fn srgb_encoding_matches_the_formula() {
    for i in 0..=4096 {
        let value = i as f32 / 4096.0;
        let stored = quantise(linear_to_srgb(value), 0.0, 255.0);
        assert_eq!(i64::from(srgb_byte(value)), stored, "{value}");
    }
    assert_eq!([f32::NAN, -1.0, 2.0].map(srgb_byte), [0, 0, 255]);
}

#[test]
fn ycbcr_pairs_share_chroma() {
    // Luma 10 and 20, blue's chroma 30, red's 40, in the orders of the names.
    let pairs = [
        ("YCRCB_NORMAL", [10, 30, 20, 40]),
        ("YCRCB_SWAPUVY", [40, 10, 30, 20]),
        ("YCRCB_SWAPUV", [10, 40, 20, 30]),
        ("YCRCB_SWAPY", [30, 10, 40, 20]),
    ];
    for (name, bytes) in pairs {
        let format = format(name);
        assert!(shares_chroma(format) && bytes_of(format) == 2, "{name}");
        for (second, luma) in [(false, 10.0), (true, 20.0)] {
            let texel = decode_pair(format, u32::from_le_bytes(bytes), second);
            let expected = [40.0, luma, 30.0, 255.0].map(|v: f32| v / 255.0);
            assert_eq!(texel, floats(expected), "{name}");
        }
    }
    assert!(!shares_chroma(format("R8G8_UNORM")));
}

fn bytes_of(format: &Format) -> u32 {
    bytes(format)
}
