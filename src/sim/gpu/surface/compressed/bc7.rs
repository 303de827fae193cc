//! BC7: eight modes of one to three subsets.
//!
//! In:  a block. Out: sixteen texels; of the reserved mode transparent black.
//! Ref: Khronos Data Format Specification, "BPTC Compressed Texture Image Formats", BC7.

use super::bits::Bits;
use super::partition::{Partition, mix, weight};
use super::texel::{Texel, unorm8};

struct Mode {
    subsets: usize,
    partition_bits: u32,
    rotation_bits: u32,
    selection_bits: u32,
    colour_bits: u32,
    alpha_bits: u32,
    /// A lowest bit for each end point.
    own_bits: bool,
    /// A lowest bit for each subset.
    shared_bits: bool,
    index_bits: u32,
    second_index_bits: u32,
}

#[rustfmt::skip]
static MODES: [Mode; 8] = {
    const fn mode(bits: [u32; 6], own: u8, shared: u8, index: u32, second: u32) -> Mode {
        let [subsets, partition_bits, rotation_bits, selection_bits, colour_bits, alpha_bits] = bits;
        Mode {
            subsets: subsets as usize, partition_bits, rotation_bits, selection_bits, colour_bits, alpha_bits,
            own_bits: own != 0, shared_bits: shared != 0, index_bits: index, second_index_bits: second,
        }
    }
    [
        mode([3, 4, 0, 0, 4, 0], 1, 0, 3, 0),
        mode([2, 6, 0, 0, 6, 0], 0, 1, 3, 0),
        mode([3, 6, 0, 0, 5, 0], 0, 0, 2, 0),
        mode([2, 6, 0, 0, 7, 0], 1, 0, 2, 0),
        mode([1, 0, 2, 1, 5, 6], 0, 0, 2, 3),
        mode([1, 0, 2, 0, 7, 8], 0, 0, 2, 2),
        mode([1, 0, 0, 0, 7, 7], 1, 0, 4, 0),
        mode([2, 6, 0, 0, 5, 5], 1, 0, 2, 0),
    ]
};

pub(super) fn block(block: u128, srgb: bool, out: &mut [Texel; 16]) {
    let number = block.trailing_zeros();
    let Some(mode) = MODES.get(number as usize) else {
        *out = [[0; 4]; 16];
        return;
    };
    let mut bits = Bits(block >> (number + 1));
    let partition = Partition::new(mode.subsets, bits.next_field(mode.partition_bits) as usize);
    let rotation = bits.next_field(mode.rotation_bits) as usize;
    let selection = bits.next_field(mode.selection_bits) == 1;
    let ends = ends(mode, &mut bits);
    let mut first = [0; 16];
    for (texel, index) in first.iter_mut().enumerate() {
        *index = bits.next_field(partition.index_bits(texel, mode.index_bits));
    }
    let colour: [(u32, u32); 16] = first.map(|index| (mode.index_bits, index));
    let mut alpha = colour;
    if mode.second_index_bits != 0 {
        for (texel, index) in alpha.iter_mut().enumerate() {
            let length = partition.index_bits(texel, mode.second_index_bits);
            *index = (mode.second_index_bits, bits.next_field(length));
        }
    }
    let (colour, alpha) = if selection {
        (alpha, colour)
    } else {
        (colour, alpha)
    };
    for (texel, value) in out.iter_mut().enumerate() {
        let [a, b] = ends[partition.subset(texel)];
        let weights = [colour[texel], alpha[texel]].map(|(bits, index)| weight(bits, index));
        let mut result = [0; 4];
        for (channel, result) in result.iter_mut().enumerate() {
            *result = mix(a[channel], b[channel], weights[channel / 3]) as u8;
        }
        if rotation != 0 {
            result.swap(3, rotation - 1);
        }
        *value = unorm8(result, srgb);
    }
}

/// The end points of each subset, of eight bits a channel.
fn ends(mode: &Mode, bits: &mut Bits) -> [[[i32; 4]; 2]; 3] {
    let mut ends = [[[0u32; 4]; 2]; 3];
    for channel in 0..4 {
        let length = match channel {
            3 => mode.alpha_bits,
            _ => mode.colour_bits,
        };
        for end in ends[..mode.subsets].as_flattened_mut() {
            end[channel] = bits.next_field(length);
        }
    }
    let more = u32::from(mode.own_bits || mode.shared_bits);
    for subset in &mut ends[..mode.subsets] {
        let shared = bits.next_field(mode.shared_bits.into());
        for end in subset {
            let lowest = shared | bits.next_field(mode.own_bits.into());
            for value in end {
                *value = *value << more | lowest;
            }
        }
    }
    ends.map(|subset| {
        subset.map(|end| {
            let widen = |value: u32, bits: u32| {
                let bits = bits + more;
                (value << (8 - bits) | value >> (2 * bits - 8)) as i32
            };
            let alpha = match mode.alpha_bits {
                0 => 255,
                bits => widen(end[3], bits),
            };
            let colour = mode.colour_bits;
            [
                widen(end[0], colour),
                widen(end[1], colour),
                widen(end[2], colour),
                alpha,
            ]
        })
    })
}
