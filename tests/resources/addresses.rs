//! Physical storage: buffers that are accessed by 64-bit addresses.

use crate::rig::{Descriptor, Rig, Surface};

const WIDTHS: [u8; 3] = [8, 16, 32];

/// A shader of 32 invocations, `i`, with buffers of dwords: an output at binding 0, an input at
/// binding 1.
fn shader(declarations: &str, body: &str) -> String {
    format!(
        "#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Out {{ uint o[]; }};
layout(std430, binding = 1) buffer In {{ uvec2 at[8]; }};
{declarations}
void main() {{
    uint i = gl_LocalInvocationIndex;
    {body}
}}
"
    )
}

/// Pieces 0 and 1 are the buffers; the input holds the addresses of pieces 2 and 3.
fn rig() -> Rig {
    let mut rig = Rig::new();
    rig.bind(0, 0, Descriptor::Buffer(Surface::bytes(4096, 0)));
    rig.bind(1, 0, Descriptor::Buffer(Surface::bytes(64, 1)));
    rig.write(1, 0, &Rig::address(2, 0));
    rig.write(1, 8, &Rig::address(3, 0));
    rig
}

#[test]
fn linked_list_through_physical_addresses() {
    for width in WIDTHS {
        let rig = rig();
        // Nodes of 16 bytes: the next one's address, a number. The last points nowhere.
        for n in 0..5u64 {
            let [low, high] = match n {
                4 => [0, 0],
                n => Rig::address(2, (n + 1) * 16),
            };
            rig.write(2, n * 16, &[low, high, 10 + n as u32, 0]);
        }
        rig.run(
            &shader(
                "layout(buffer_reference) buffer Node;
layout(buffer_reference, std430) buffer Node { Node next; uint number; };",
                "Node node = Node(at[0]);
    uint sum = 0;
    // Each invocation leaves after so many.
    for (uint k = 0; k < 1 + i % 7 && uint64_t(node) != 0ul; ++k) {
        sum += node.number;
        node = node.next;
    }
    o[i] = sum;
    o[32 + i] = uvec2(node).x;",
            ),
            width,
        );
        let found = rig.read(0, 0, 64);
        for i in 0..32usize {
            let nodes = (1 + i % 7).min(5);
            let sum: u32 = (10..10 + nodes as u32).sum();
            let next = match nodes {
                5 => 0,
                n => Rig::address(2, n as u64 * 16)[0],
            };
            assert_eq!((found[i], found[32 + i]), (sum, next), "simd{width} {i}");
        }
    }
}

#[test]
fn arrays_structs_and_small_types_through_addresses() {
    for width in WIDTHS {
        let rig = rig();
        let bytes: Vec<u32> = (0..64).map(|n| n * 0x0101_0101).collect();
        rig.write(2, 0, &bytes);
        rig.run(
            &shader(
                "struct Pair { uint8_t small; uint16_t middle; uvec3 wide; };
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Bytes { uint8_t b[]; };
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Words { uint16_t w; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Pairs { Pair p[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Wide { mat2x4 m; double d; };",
                "// Addresses that are multiples of nothing.
    Bytes bytes = Bytes(uint64_t(Bytes(at[0])) + i);
    o[i] = uint(bytes.b[1]) + 1000 * uint(bytes.b[5]);
    Words words = Words(uint64_t(packUint2x32(at[0])) + 2 * i);
    o[32 + i] = uint(words.w);
    Pairs pairs = Pairs(at[1]);
    pairs.p[i].small = uint8_t(i);
    pairs.p[i].middle = uint16_t(1000 + i);
    pairs.p[i].wide = uvec3(i, i * 2, i * 3);
    Wide from = Wide(at[0]);
    // A pointer that was chosen, and moved.
    Wide chosen = (i & 1) == 0 ? from : from + 1;
    o[64 + i] = floatBitsToUint(chosen.m[1].z);
    o[96 + i] = uint(doubleBitsToUint64(chosen.d) >> 32);",
            ),
            width,
        );
        let found = rig.read(0, 0, 128);
        let byte = |n: u32| n / 4;
        for i in 0..32u32 {
            let at = |row: u32| found[(row * 32 + i) as usize];
            assert_eq!(at(0), byte(i + 1) + 1000 * byte(i + 5), "simd{width} {i}");
            assert_eq!(at(1), byte(2 * i) * 0x101, "simd{width} {i}");
            // Blocks of 48 bytes: the seventh dword, and the tenth.
            let block = i % 2 * 12;
            assert_eq!(at(2), (block + 6) * 0x0101_0101, "simd{width} {i}");
            assert_eq!(at(3), (block + 9) * 0x0101_0101, "simd{width} {i}");
            let pair = rig.read(3, u64::from(i) * 16, 4);
            assert_eq!(
                pair[0] & 0xffff_00ff,
                (1000 + i) << 16 | i,
                "simd{width} {i}"
            );
            assert_eq!(pair[1..], [i, 2 * i, 3 * i], "simd{width} {i}");
        }
    }
}

#[test]
fn int64_atomics_in_buffers_and_through_addresses() {
    for width in WIDTHS {
        let mut rig = rig();
        rig.bind(2, 0, Descriptor::Buffer(Surface::bytes(60, 2)));
        rig.bind(2, 1, Descriptor::Buffer(Surface::bytes(64, 4)));
        let big = [0xffff_fff0, 0x10, 0x1111_1111, 0x2222_2222];
        rig.write(2, 0, &big);
        rig.write(4, 0, &big);
        rig.write(3, 0, &big);
        rig.run(
            &shader(
                "#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_nonuniform_qualifier : require
layout(std430, binding = 2) buffer Wide { uint64_t n[8]; } w[2];
layout(buffer_reference, std430) buffer Counters { uint64_t n[]; };",
                "uint which = i & 1;
    uint64_t old = atomicAdd(w[0].n[0], uint64_t(1));
    o[i] = uint(old);
    o[32 + i] = uint(old >> 32);
    // Beyond its end: the last eight bytes are not all there.
    o[64 + i] = uint(atomicAdd(w[0].n[7], uint64_t(5)) + 3ul);
    atomicMax(w[nonuniformEXT(which)].n[2], uint64_t(i) << 32);
    Counters c = Counters(at[1]);
    atomicCompSwap(c.n[1], 0x2222222211111111ul, 0x4444444433333333ul);
    atomicExchange(c.n[2], 0x0000000700000009ul);
    atomicAdd(c.n[0], uint64_t(i));",
            ),
            width,
        );
        let found = rig.read(0, 0, 96);
        let mut seen: Vec<u64> = (0..32)
            .map(|i| u64::from(found[32 + i]) << 32 | u64::from(found[i]))
            .collect();
        seen.sort_unstable();
        let first = 0x10_ffff_fff0;
        assert_eq!(
            seen,
            (first..first + 32).collect::<Vec<u64>>(),
            "simd{width}"
        );
        assert!(found[64..].iter().all(|&n| n == 3), "simd{width}");
        assert_eq!(rig.read(2, 0, 2), [0x10, 0x11], "simd{width}");
        assert_eq!(rig.read(2, 16, 2), [0, 30], "simd{width}");
        assert_eq!(rig.read(2, 56, 2), [0, 0], "simd{width}");
        assert_eq!(rig.read(4, 16, 2), [0, 31], "simd{width}");
        let sum: u32 = (0..32).sum();
        let wanted = [
            0xffff_fff0u32.wrapping_add(sum),
            0x11,
            0x3333_3333,
            0x4444_4444,
            9,
            7,
        ];
        assert_eq!(rig.read(3, 0, 6), wanted, "simd{width}");
    }
}

#[test]
fn atomics_count_in_physical_storage() {
    for width in WIDTHS {
        let rig = rig();
        rig.run(
            &shader(
                "layout(buffer_reference, std430) buffer Counters { uint n[]; };",
                "Counters c = Counters(at[0]);
    o[i] = atomicAdd(c.n[i % 3], 1u);
    atomicMax(c.n[7], i);
    atomicCompSwap(c.n[8], 0u, 5u);",
            ),
            width,
        );
        assert_eq!(rig.read(2, 0, 3), [11, 11, 10], "simd{width}");
        assert_eq!(rig.read(2, 28, 2), [31, 5], "simd{width}");
        let mut seen: Vec<u32> = rig.read(0, 0, 32);
        seen.sort_unstable();
        let mut wanted: Vec<u32> = (0..10).flat_map(|n| [n, n, n]).collect();
        wanted.extend([10, 10]);
        assert_eq!(seen, wanted, "simd{width}");
    }
}
