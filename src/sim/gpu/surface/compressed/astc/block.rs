//! Blocks: void extents, and the layout of the others.
//!
//! In:  a block and its size. Out: its texels; opaque magenta where the block is illegal or of high
//!      dynamic range.
//! Ref: Khronos Data Format Specification, ASTC, "Block Layout", "Void-Extent Blocks", "Illegal
//!      Encodings".

use super::mode::{MAX_WEIGHTS, Mode};
use super::{colour, partition, weight};
use crate::surface::compressed::texel::{ONE, Texel, unorm8};

/// The colour of what cannot be decoded.
pub(super) const ERROR: Texel = [ONE, 0, ONE, ONE];

/// Decodes a block; `out` has as many texels as it.
pub(crate) fn decode_block(block: u128, size: [usize; 2], srgb: bool, out: &mut [Texel]) {
    if block & 0x1ff == 0x1fc {
        out.fill(void_extent(block, srgb).unwrap_or(ERROR));
    } else if decode_coded(block, size, srgb, out).is_none() {
        out.fill(ERROR);
    }
}

/// A block of one colour.
fn void_extent(block: u128, srgb: bool) -> Option<Texel> {
    let high_range = block >> 9 & 1 == 1;
    let reserved = block >> 10 & 3;
    if high_range || reserved != 3 {
        return None;
    }
    let [s0, s1, t0, t1] = [12, 25, 38, 51].map(|at| block >> at & 0x1fff);
    let everywhere = [s0, s1, t0, t1] == [0x1fff; 4];
    if !everywhere && (s0 >= s1 || t0 >= t1) {
        return None;
    }
    let colour = [64, 80, 96, 112].map(|at| (block >> at) as u16);
    Some(finish(colour, srgb))
}

/// True for a void-extent block of low dynamic range of which a channel is a denormal as a half
/// float: 16 bits below 2⁻¹⁴.
pub(crate) fn has_denormal_colour(block: u128) -> bool {
    let one_colour = block & 0x3ff == 0x1fc;
    let channels = [64, 80, 96, 112].map(|at| (block >> at) as u16);
    one_colour && channels.iter().any(|value| (1..4).contains(value))
}

fn decode_coded(block: u128, size: [usize; 2], srgb: bool, out: &mut [Texel]) -> Option<()> {
    let mode = Mode::from_block(block)?;
    let partitions = (block >> 11 & 3) as usize + 1;
    let weights = mode.weights();
    if mode.grid[0] > size[0] || mode.grid[1] > size[1] || weights > MAX_WEIGHTS {
        return None;
    }
    let weight_bits = mode.range.bits(weights);
    if !(24..=96).contains(&weight_bits) || mode.dual && partitions == 4 {
        return None;
    }
    // Weights are at the upper end, in reverse; below them what is left of the end points' modes,
    // and the second plane's channel.
    let mut end = 128 - weight_bits;
    let mut modes = [0; 4];
    let start = if partitions == 1 {
        modes[0] = (block >> 13 & 15) as u32;
        17
    } else {
        let mut code = (block >> 23 & 63) as u32;
        if code & 3 == 0 {
            modes = [code >> 2; 4];
        } else {
            let more = 3 * partitions - 4;
            end = end.checked_sub(more)?;
            code |= ((block >> end) as u32 & ((1 << more) - 1)) << 6;
            for (i, mode) in modes.iter_mut().enumerate().take(partitions) {
                let class = (code & 3) - 1 + (code >> (2 + i) & 1);
                *mode = class << 2 | code >> (2 + partitions + 2 * i) & 3;
            }
        }
        29
    };
    let plane = match mode.dual {
        true => {
            end = end.checked_sub(2)?;
            Some((block >> end & 3) as usize)
        }
        false => None,
    };
    let modes = &modes[..partitions];
    let values = modes.iter().map(|mode| (*mode as usize / 4 + 1) * 2).sum();
    let room = end.checked_sub(start)?;
    let ends = colour::ends(block >> start, room, values, modes, srgb)?;
    let weights = weight::Grid::new(block.reverse_bits(), &mode);
    let seed = match partitions {
        1 => None,
        _ => Some((block >> 13 & 0x3ff) as u32),
    };
    let division = partition::PartitionPattern::new(seed, partitions, size);
    for (i, texel) in out.iter_mut().enumerate() {
        let at = [i % size[0], i / size[0]];
        let Some([a, b]) = ends[division.partition_of(at)] else {
            *texel = ERROR;
            continue;
        };
        let (first, second) = weights.texel_weights(at, size);
        let mut colour = [0; 4];
        for (channel, value) in colour.iter_mut().enumerate() {
            let weight = match plane {
                Some(plane) if plane == channel => second,
                _ => first,
            };
            *value = ((a[channel] * (64 - weight) + b[channel] * weight + 32) >> 6) as u16;
        }
        *texel = finish(colour, srgb);
    }
    Some(())
}

/// A colour of 16 bits a channel: its upper eight where it is sRGB, otherwise a half float, rounded
/// down.
fn finish(colour: [u16; 4], srgb: bool) -> Texel {
    if srgb {
        return unorm8(colour.map(|value| (value >> 8) as u8), true);
    }
    colour.map(|value| match value {
        0xffff => ONE,
        _ => {
            // A half float keeps channel11 bits; the least exponents keep none below 2⁻²⁴, of which
            // a value has none.
            let lost = (16 - value.leading_zeros()).saturating_sub(11);
            let truncated = value >> lost << lost;
            (f32::from(truncated) / 65536.0).to_bits()
        }
    })
}
