//! Images, textures, texel buffers and addresses in compute shaders: GLSL through the whole
//! compiler, executed by the simulated GPU in strict mode at every width, against what Vulkan says
//! comes out.

mod addresses;
mod rig;

use rig::{Descriptor, Kind, LESS_OR_EQUAL, NONE, Rig, Surface};

const WIDTHS: [u8; 3] = [8, 16, 32];

const R32_UINT: u16 = 0x0d7;
const R32_FLOAT: u16 = 0x0d8;
const R32G32B32A32_UINT: u16 = 0x002;
const R8G8B8A8_UNORM: u16 = 0x0c7;

/// A shader of 32 invocations, `i`, with an output of dwords at binding 0.
fn shader(declarations: &str, body: &str) -> String {
    format!(
        "#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Out {{ uint o[]; }};
{declarations}
void main() {{
    uint i = gl_LocalInvocationIndex;
    {body}
}}
"
    )
}

/// A rig whose memory piece 0 is the output.
fn rig() -> Rig {
    let mut rig = Rig::new();
    rig.bind(0, 0, Descriptor::Buffer(Surface::bytes(4096, 0)));
    rig
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().copied().map(f32::from_bits).collect()
}

/// Every texel of an image of 8 x 4 is its number, from 100 on.
fn numbered(rig: &Rig, surface: &Surface) {
    for y in 0..surface.size[1] {
        for x in 0..surface.size[0] {
            let number = 100 + x + y * surface.size[0];
            rig.write(surface.piece, surface.byte_of([x, y, 0]), &[number]);
        }
    }
}

#[test]
fn image_loads_stores_and_atomics() {
    for width in WIDTHS {
        let mut rig = rig();
        let surface = Surface::plane(R32_UINT, 4, 8, 4, 1);
        numbered(&rig, &surface);
        rig.bind(1, 0, Descriptor::Image(surface));
        rig.run(
            &shader(
                "layout(binding = 1, r32ui) uniform uimage2D img;",
                "ivec2 at = ivec2(i % 8, i / 8);
    o[i] = imageLoad(img, at).x;
    imageStore(img, at, uvec4(1000 + i));
    o[32 + i] = imageAtomicAdd(img, at, i);
    o[64 + i] = imageAtomicCompSwap(img, at, i == 3 ? 1006u : 7u, 5u);
    o[96 + i] = imageLoad(img, at).x;
    // Beyond the edge: zero is read, and nothing is written.
    o[128 + i] = imageLoad(img, at + ivec2(8, 0)).x;
    imageStore(img, at + ivec2(0, 4), uvec4(7));
    if (i == 31)
        imageAtomicMax(img, at, 5000 + i);",
            ),
            width,
        );
        let found = rig.read(0, 0, 160);
        for i in 0..32u32 {
            let at = |row: u32| found[(row * 32 + i) as usize];
            assert_eq!(at(0), 100 + i, "simd{width} {i}");
            assert_eq!(at(1), 1000 + i);
            assert_eq!(at(2), 1000 + 2 * i);
            assert_eq!(at(3), if i == 3 { 5 } else { 1000 + 2 * i });
            assert_eq!(at(4), 0);
        }
        assert_eq!(rig.read(1, surface.byte_of([7, 3, 0]), 1), [5031]);
    }
}

/// Texels of a format as bytes, the shader's name of it, and what a shader reads; for half of these
/// the write gives the same bytes.
struct Format {
    name: &'static str,
    number: u16,
    bytes: u32,
    /// Prefix of GLSL's types: "", "i", "u".
    kind: &'static str,
    texel: u64,
    read: [f64; 4],
}

const fn format(
    name: &'static str,
    number: u16,
    bytes: u32,
    kind: &'static str,
    texel: u64,
    read: [f64; 4],
) -> Format {
    Format {
        name,
        number,
        bytes,
        kind,
        texel,
        read,
    }
}

#[rustfmt::skip]
const FORMATS: &[Format] = &[
    format("rgba8", 0x0c7, 4, "", 0xff80_0133, [0.2, 1.0 / 255.0, 128.0 / 255.0, 1.0]),
    format("rgba8_snorm", 0x0c9, 4, "", 0x7f81_ff40, [64.0 / 127.0, -1.0 / 127.0, -1.0, 1.0]),
    format("rgba8ui", 0x0cb, 4, "u", 0xff80_0133, [51.0, 1.0, 128.0, 255.0]),
    format("rgba8i", 0x0ca, 4, "i", 0xff80_0133, [51.0, 1.0, -128.0, -1.0]),
    format("rgba16", 0x080, 8, "", 0xffff_8000_0001_3333, [0.2, 1.0 / 65535.0, 32768.0 / 65535.0, 1.0]),
    format("rgba16_snorm", 0x081, 8, "", 0x7fff_8001_ffff_4000, [16384.0 / 32767.0, -1.0 / 32767.0, -1.0, 1.0]),
    format("rgba16f", 0x084, 8, "", 0x3c00_b800_4248_0001, [5.960_464_477_539_063e-8, 3.140_625, -0.5, 1.0]),
    format("rgba16i", 0x082, 8, "i", 0xffff_8000_0001_3333, [13107.0, 1.0, -32768.0, -1.0]),
    format("rg32f", 0x085, 8, "", 0xc000_0000_3f80_0000, [1.0, -2.0, 0.0, 1.0]),
    format("rg32ui", 0x087, 8, "u", 0x0000_0007_0000_0009, [9.0, 7.0, 0.0, 1.0]),
    format("rg16", 0x0cc, 4, "", 0xffff_3333, [0.2, 1.0, 0.0, 1.0]),
    format("rg16_snorm", 0x0cd, 4, "", 0x8001_4000, [16384.0 / 32767.0, -1.0, 0.0, 1.0]),
    format("rg16f", 0x0d0, 4, "", 0xb800_4248, [3.140_625, -0.5, 0.0, 1.0]),
    format("rg16i", 0x0ce, 4, "i", 0xffff_0001, [1.0, -1.0, 0.0, 1.0]),
    format("rg8", 0x106, 2, "", 0xff33, [0.2, 1.0, 0.0, 1.0]),
    format("rg8_snorm", 0x107, 2, "", 0x8140, [64.0 / 127.0, -1.0, 0.0, 1.0]),
    format("rg8ui", 0x109, 2, "u", 0xff33, [51.0, 255.0, 0.0, 1.0]),
    format("r32f", 0x0d8, 4, "", 0x4049_0fdb, [3.141_592_741_012_573_2, 0.0, 0.0, 1.0]),
    format("r32i", 0x0d6, 4, "i", 0xffff_fff0, [-16.0, 0.0, 0.0, 1.0]),
    format("r16", 0x10a, 2, "", 0x3333, [0.2, 0.0, 0.0, 1.0]),
    format("r16_snorm", 0x10b, 2, "", 0xc001, [-16383.0 / 32767.0, 0.0, 0.0, 1.0]),
    format("r16f", 0x10e, 2, "", 0xb800, [-0.5, 0.0, 0.0, 1.0]),
    format("r16ui", 0x10d, 2, "u", 0xffff, [65535.0, 0.0, 0.0, 1.0]),
    format("r8", 0x140, 1, "", 0x33, [0.2, 0.0, 0.0, 1.0]),
    format("r8_snorm", 0x141, 1, "", 0x81, [-1.0, 0.0, 0.0, 1.0]),
    format("r8i", 0x142, 1, "i", 0xf0, [-16.0, 0.0, 0.0, 1.0]),
    format("rgb10_a2", 0x0c2, 4, "", 0x4000_03ff | 0x155 << 10 | 0x2aa << 20, [1.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0]),
    format("rgb10_a2ui", 0x0c4, 4, "u", 0x4000_03ff | 5 << 10 | 6 << 20, [1023.0, 5.0, 6.0, 1.0]),
    // 1.0, 0.5, 2.0: exponents of 15, 14, 16; a mantissa of 6, 6 and 5 bits.
    format("r11f_g11f_b10f", 0x0d3, 4, "", 15 << 6 | (14 << 6) << 11 | (16 << 5) << 22, [1.0, 0.5, 2.0, 1.0]),
];

#[test]
fn every_typed_format_loads_and_stores() {
    for format in FORMATS {
        let mut rig = rig();
        let from = Surface::plane(format.number, format.bytes, 8, 4, 1);
        let to = Surface { piece: 2, ..from };
        let (low, high) = (format.texel as u32, (format.texel >> 32) as u32);
        rig.write(1, from.byte_of([4, 1, 0]), &[low, high]);
        rig.bind(1, 0, Descriptor::Image(from));
        rig.bind(2, 0, Descriptor::Image(to));
        let (name, kind) = (format.name, format.kind);
        let bits = if kind.is_empty() {
            "floatBitsToUint"
        } else {
            "uvec4"
        };
        rig.run(
            &shader(
                &format!(
                    "layout(binding = 1, {name}) uniform {kind}image2D from;
layout(binding = 2, {name}) uniform {kind}image2D to;"
                ),
                &format!(
                    "if (i == 0) {{
        {kind}vec4 texel = imageLoad(from, ivec2(4, 1));
        uvec4 bits = {bits}(texel);
        for (int c = 0; c < 4; ++c)
            o[c] = bits[c];
        imageStore(to, ivec2(4, 1), texel);
    }}"
                ),
            ),
            16,
        );
        let read = rig.read(0, 0, 4);
        for (c, (&found, &wanted)) in read.iter().zip(&format.read).enumerate() {
            let found = match kind {
                "" => f64::from(f32::from_bits(found)),
                "i" => f64::from(found as i32),
                _ => f64::from(found),
            };
            let close = (found - wanted).abs() <= 1.2e-7 * wanted.abs();
            assert!(close, "{name} {c}: {found}, not {wanted}");
        }
        let written = rig.read(2, to.byte_of([4, 1, 0]), 2);
        let written = u64::from(written[1]) << 32 | u64::from(written[0]);
        let mask = u64::MAX >> (64 - 8 * format.bytes);
        assert_eq!(written & mask, format.texel & mask, "{name}");
    }
}

#[test]
fn texture_fetch_sample_gather_and_compare() {
    for width in WIDTHS {
        let mut rig = rig();
        let surface = Surface::plane(R32_FLOAT, 4, 8, 4, 1);
        for y in 0..4 {
            for x in 0..8 {
                let value = (x + 8 * y) as f32 / 64.0;
                rig.write(1, surface.byte_of([x, y, 0]), &[value.to_bits()]);
            }
        }
        rig.bind(1, 0, Descriptor::Texture(surface));
        rig.bind(2, 0, Descriptor::Sampler(NONE));
        rig.bind(3, 0, Descriptor::Combined(surface, LESS_OR_EQUAL));
        rig.run(
            &shader(
                "layout(binding = 1) uniform texture2D t;
layout(binding = 2) uniform sampler s;
layout(binding = 3) uniform sampler2DShadow c;",
                "ivec2 at = ivec2(i % 8, i / 8);
    vec2 uv = (vec2(at) + 0.5) / vec2(8, 4);
    o[i] = floatBitsToUint(texelFetch(t, at, 0).x);
    o[32 + i] = floatBitsToUint(texture(sampler2D(t, s), uv).x);
    o[64 + i] = floatBitsToUint(textureGrad(sampler2D(t, s), uv, vec2(0.01), vec2(0.01)).x);
    o[96 + i] = floatBitsToUint(textureLodOffset(sampler2D(t, s), uv, 0.0, ivec2(1, -1)).x);
    // The texels around the corner above and to the left, and one step away from there.
    vec2 corner = vec2(at) / vec2(8, 4);
    o[128 + i] = floatBitsToUint(textureGather(sampler2D(t, s), corner).y);
    o[160 + i] = floatBitsToUint(textureGatherOffset(sampler2D(t, s), corner, ivec2(int(i) % 2, 0)).y);
    o[192 + i] = floatBitsToUint(textureLod(c, vec3(uv, 0.25), 0.0));
    o[224 + i] = floatBitsToUint(textureLod(sampler2D(t, s), uv + vec2(i), 0.0).w);
    ivec2 size = textureSize(t, 0);
    o[256 + i] = uint(size.x * 100 + size.y * 10 + textureQueryLevels(t));",
            ),
            width,
        );
        let found = rig.read(0, 0, 288);
        for i in 0..32i32 {
            let at = |row: i32| f32::from_bits(found[(row * 32 + i) as usize]);
            let texel = |x: i32, y: i32| (x.clamp(0, 7) + 8 * y.clamp(0, 3)) as f32 / 64.0;
            let (x, y) = (i % 8, i / 8);
            assert_eq!(at(0), texel(x, y), "simd{width} {i}");
            assert_eq!(at(1), texel(x, y), "simd{width} {i}");
            assert_eq!(at(2), texel(x, y), "simd{width} {i}");
            assert_eq!(at(3), texel(x + 1, y - 1), "simd{width} {i}");
            // The second of four is the one below, to the right.
            assert_eq!(at(4), texel(x, y), "simd{width} {i}");
            assert_eq!(at(5), texel(x + i % 2, y), "simd{width} {i}");
            assert_eq!(at(6), f32::from(u8::from(0.25 <= texel(x, y))));
            assert_eq!(at(7), 1.0);
            assert_eq!(found[(256 + i) as usize], 841);
        }
    }
}

#[test]
fn non_uniform_handles_use_a_waterfall_loop() {
    for width in WIDTHS {
        let mut rig = rig();
        for element in 0..4 {
            let surface = Surface::plane(R32_UINT, 4, 8, 4, 1 + u64::from(element));
            let words = [10 * element + 1];
            rig.write(surface.piece, 0, &words);
            rig.bind(1, element, Descriptor::Texture(surface));
            rig.bind(2, element, Descriptor::Image(surface));
            rig.bind(3, element, Descriptor::Sampler(NONE));
        }
        rig.run(
            &shader(
                "layout(binding = 1) uniform utexture2D t[4];
layout(binding = 2, r32ui) uniform uimage2D img[4];
layout(binding = 3) uniform sampler s[4];",
                "uint n = (i * 7 / 3) % 4;
    o[i] = texelFetch(t[nonuniformEXT(n)], ivec2(0), 0).x;
    uint m = (i / 2) % 4;
    o[32 + i] = textureLod(nonuniformEXT(usampler2D(t[n], s[m])), vec2(0), 0.0).x;
    imageStore(img[nonuniformEXT(n)], ivec2(i % 8, 2), uvec4(n));
    if (i % 3 == 0)
        imageAtomicAdd(img[nonuniformEXT(m)], ivec2(0, 3), 1u);
    uint uniform_one = o[1000];
    o[64 + i] = texelFetch(t[uniform_one + 2], ivec2(0), 0).x;
    o[96 + i] = uint(imageSize(img[nonuniformEXT(n)]).x);",
            ),
            width,
        );
        let found = rig.read(0, 0, 128);
        let mut counts = [0; 4];
        for i in 0..32u32 {
            let n = i * 7 / 3 % 4;
            let at = |row: u32| found[(row * 32 + i) as usize];
            assert_eq!(at(0), 10 * n + 1, "simd{width} {i}");
            assert_eq!(at(1), 10 * n + 1, "simd{width} {i}");
            assert_eq!(at(2), 21, "simd{width} {i}");
            assert_eq!(at(3), 8, "simd{width} {i}");
            if i % 3 == 0 {
                counts[(i / 2 % 4) as usize] += 1;
            }
        }
        for (element, count) in counts.into_iter().enumerate() {
            let surface = Surface::plane(R32_UINT, 4, 8, 4, 1 + element as u64);
            let found = rig.read(surface.piece, surface.byte_of([0, 3, 0]), 1);
            assert_eq!(found, [count], "simd{width} {element}");
        }
    }
}

#[test]
fn coordinates_and_size_of_every_dimension() {
    let of = |kind, size, array, piece| Surface {
        kind,
        format: R32_UINT,
        texel_bytes: 4,
        size,
        array,
        piece,
    };
    for width in WIDTHS {
        let mut rig = rig();
        let surfaces = [
            of(Kind::D1, [8, 1, 1], false, 1),
            of(Kind::D1, [8, 1, 3], true, 2),
            of(Kind::D2, [8, 4, 5], true, 3),
            of(Kind::D3, [8, 4, 5], false, 4),
            // A storage image of cubes is an array of faces.
            of(Kind::D2, [4, 4, 12], true, 5),
            Surface::texels(R32_UINT, 4, 200, 6),
        ];
        for (k, surface) in surfaces.iter().enumerate() {
            rig.bind(1 + k as u32, 0, Descriptor::Image(*surface));
        }
        let cube = Surface {
            kind: Kind::Cube,
            ..surfaces[4]
        };
        rig.bind(7, 0, Descriptor::Texture(cube));
        rig.bind(8, 0, Descriptor::Texture(surfaces[5]));
        rig.bind(9, 0, Descriptor::Texture(surfaces[3]));
        rig.bind(10, 0, Descriptor::Combined(cube, NONE));
        rig.run(
            &shader(
                "layout(binding = 1, r32ui) uniform uimage1D a;
layout(binding = 2, r32ui) uniform uimage1DArray b;
layout(binding = 3, r32ui) uniform uimage2DArray c;
layout(binding = 4, r32ui) uniform uimage3D d;
layout(binding = 5, r32ui) uniform uimageCubeArray e;
layout(binding = 6, r32ui) uniform uimageBuffer f;
layout(binding = 7) uniform utextureCubeArray g;
layout(binding = 8) uniform utextureBuffer h;
layout(binding = 9) uniform utexture3D k;
layout(binding = 10) uniform usamplerCubeArray l;",
                "if (i == 3) {
        imageStore(a, 5, uvec4(11));
        imageStore(b, ivec2(5, 2), uvec4(12));
        imageStore(c, ivec3(5, 3, 4), uvec4(13));
        imageStore(d, ivec3(5, 3, 4), uvec4(14));
        // Cube 1, face 5 (towards -z).
        imageStore(e, ivec3(1, 2, 11), uvec4(15));
        imageStore(f, 150, uvec4(16));
        o[0] = imageLoad(a, 5).x;
        o[1] = imageLoad(b, ivec2(5, 2)).x;
        o[2] = imageLoad(c, ivec3(5, 3, 4)).x;
        o[3] = imageLoad(d, ivec3(5, 3, 4)).x;
        o[4] = imageLoad(e, ivec3(1, 2, 11)).x;
        o[5] = imageLoad(f, 150).x + imageAtomicExchange(f, 151, 3u);
        o[6] = uint(imageSize(a));
        ivec2 s2 = imageSize(b);
        o[7] = uint(s2.x * 10 + s2.y);
        ivec3 s3 = imageSize(c);
        o[8] = uint(s3.x * 100 + s3.y * 10 + s3.z);
        s3 = imageSize(d);
        o[9] = uint(s3.x * 100 + s3.y * 10 + s3.z);
        s3 = imageSize(e);
        o[10] = uint(s3.x * 100 + s3.y * 10 + s3.z);
        o[11] = uint(imageSize(f));
        s3 = textureSize(g, 0);
        o[12] = uint(s3.x * 100 + s3.y * 10 + s3.z);
        o[13] = uint(textureSize(h));
        s3 = textureSize(k, 0);
        o[14] = uint(s3.x * 100 + s3.y * 10 + s3.z);
        o[15] = texelFetch(h, 17).x;
        o[16] = texelFetch(k, ivec3(2, 1, 3), 0).x;
    }
    // Texel (1, 2) of the face towards -z, of cube 1: a direction of no unit length.
    vec3 to = vec3(0.25, -0.25, -1.0) * float(i + 1);
    o[32 + i] = textureLod(l, vec4(to, 1.0), 0.0).x;
    o[64 + i] = textureGrad(l, vec4(to, 1.0), vec3(0.1), vec3(0.2)).x;",
            ),
            width,
        );
        rig.write(6, 17 * 4, &[77]);
        let found = rig.read(0, 0, 96);
        assert_eq!(found[..6], [11, 12, 13, 14, 15, 16], "simd{width}");
        assert_eq!(
            found[6..15],
            [8, 83, 845, 845, 442, 200, 442, 200, 845],
            "simd{width}"
        );
        assert_eq!(found[15..17], [0, 0]);
        assert_eq!(rig.read(6, 151 * 4, 1), [3]);
        for i in 0..32 {
            assert_eq!(found[32 + i], 15, "simd{width} {i}");
            assert_eq!(found[64 + i], 15, "simd{width} {i}");
        }
    }
}

#[test]
fn texel_buffer_format_conversion() {
    for width in WIDTHS {
        let mut rig = rig();
        let texels = Surface::texels(R8G8B8A8_UNORM, 4, 64, 1);
        for i in 0..32 {
            rig.write(1, i * 4, &[0xff00_0000 | (i as u32 * 8)]);
        }
        rig.bind(1, 0, Descriptor::Texture(texels));
        rig.bind(2, 0, Descriptor::Image(texels));
        let wide = Surface::texels(R32G32B32A32_UINT, 16, 32, 2);
        rig.bind(3, 0, Descriptor::Image(wide));
        rig.run(
            &shader(
                "layout(binding = 1) uniform textureBuffer t;
layout(binding = 2, rgba8) uniform imageBuffer b;
layout(binding = 3, rgba32ui) uniform uimageBuffer w;",
                "o[i] = floatBitsToUint(texelFetch(t, int(i)).x);
    o[32 + i] = floatBitsToUint(imageLoad(b, int(i)).x);
    imageStore(b, int(32 + i), vec4(1.0, 0.0, 0.5, float(i) / 255.0));
    imageStore(w, int(i), uvec4(i, i + 1, i + 2, i + 3));
    uvec4 again = imageLoad(w, int(i));
    o[64 + i] = again.x + again.y * 100 + again.z * 10000 + again.w * 1000000;",
            ),
            width,
        );
        let found = rig.read(0, 0, 96);
        let read = floats(&found[..64]);
        for i in 0..32u32 {
            let wanted = (i * 8) as f32 / 255.0;
            for row in 0..2 {
                let found = read[(row * 32 + i) as usize];
                assert!((found - wanted).abs() < 1e-6, "simd{width} {i}: {found}");
            }
            let digits = i + (i + 1) * 100 + (i + 2) * 10000 + (i + 3) * 1_000_000;
            assert_eq!(found[(64 + i) as usize], digits);
            let written = rig.read(1, u64::from(32 + i) * 4, 1)[0];
            assert_eq!(written & 0xff00_ffff, i << 24 | 0xff, "simd{width} {i}");
        }
    }
}

#[test]
fn storage_reads_use_formats_of_the_same_size() {
    let bits = |number: u16| hw::Format::by_number(number.into()).map(|f| f.block_bits);
    for format in FORMATS {
        let read = abi::typed_read_format(format.number).expect("a format of shaders");
        assert_eq!(bits(read), bits(format.number), "{}", format.name);
        // What is read so is read so again.
        assert_eq!(abi::typed_read_format(read), Some(read), "{}", format.name);
    }
}

#[test]
fn gather_offsets_and_dynamic_texel_buffer_indices() {
    for width in WIDTHS {
        let mut rig = rig();
        let surface = Surface::plane(R32_UINT, 4, 8, 4, 1);
        numbered(&rig, &surface);
        rig.bind(1, 0, Descriptor::Combined(surface, NONE));
        for element in 0..4 {
            let texels = Surface::texels(R32_UINT, 4, 16, 2 + u64::from(element));
            rig.write(2 + u64::from(element), 0, &[7 * element, 7 * element + 1]);
            rig.bind(2, element, Descriptor::Texture(texels));
            rig.bind(3, element, Descriptor::Image(texels));
        }
        rig.run(
            &shader(
                "layout(binding = 1) uniform usampler2D t;
layout(binding = 2) uniform utextureBuffer b[4];
// Written without a format.
layout(binding = 3) uniform writeonly uimageBuffer w[4];",
                "const ivec2 steps[4] = ivec2[4](ivec2(0, 0), ivec2(1, 0), ivec2(-1, 1), ivec2(2, -1));
    vec2 corner = vec2(i % 8, i / 8) / vec2(8, 4);
    uvec4 four = textureGatherOffsets(t, corner, steps);
    for (int c = 0; c < 4; ++c)
        o[i * 4 + c] = four[c];
    uint n = (i * 5) % 4;
    o[128 + i] = texelFetch(b[nonuniformEXT(n)], int(i & 1)).x;
    uint same = o[1000];
    o[160 + i] = texelFetch(b[same + 3], 1).x;
    if (i < 16)
        imageStore(w[nonuniformEXT(i % 4)], int(i / 4) + 4, uvec4(500 + i));",
            ),
            width,
        );
        let found = rig.read(0, 0, 192);
        for i in 0..32i32 {
            // Each offset gives the texel above and to the left of the corner.
            for (c, [dx, dy]) in (0..).zip([[0, 0], [1, 0], [-1, 1], [2, -1]]) {
                let (x, y) = (i % 8 - 1 + dx, i / 8 - 1 + dy);
                let wanted = 100 + x.clamp(0, 7) + 8 * y.clamp(0, 3);
                assert_eq!(
                    found[(i * 4 + c) as usize],
                    wanted as u32,
                    "simd{width} {i} {c}"
                );
            }
            let n = i * 5 % 4;
            assert_eq!(
                found[(128 + i) as usize],
                (7 * n + i % 2) as u32,
                "simd{width} {i}"
            );
            assert_eq!(found[(160 + i) as usize], 22, "simd{width} {i}");
        }
        for i in 0..16u32 {
            let written = rig.read(2 + u64::from(i % 4), u64::from(i / 4 + 4) * 4, 1);
            assert_eq!(written, [500 + i], "simd{width}");
        }
    }
}
