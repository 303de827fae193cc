//! Weights: a grid of them, and one for each texel.
//!
//! In:  the block with its bits reversed, its mode. Out: weights of 0 to 64.
//! Ref: Khronos Data Format Specification, ASTC, "Weight Unquantization", "Weight Infill".

use super::mode::{MAX_WEIGHTS, Mode};
use super::sequence::{Digit, Range};

pub(super) struct Grid {
    weights: [u8; MAX_WEIGHTS],
    size: [usize; 2],
    /// Planes, whose weights alternate.
    planes: usize,
}

impl Grid {
    pub fn new(reversed: u128, mode: &Mode) -> Grid {
        let mut digits = [(0, 0); MAX_WEIGHTS];
        let count = mode.weights().min(MAX_WEIGHTS);
        mode.range.decode(reversed, &mut digits[..count]);
        Grid {
            weights: digits.map(|(digit, bits)| widen(mode.range, digit, bits) as u8),
            size: mode.grid,
            planes: 1 + usize::from(mode.dual),
        }
    }

    /// The weights of a texel, by plane; the same twice where there is one.
    pub fn texel_weights(&self, texel: [usize; 2], block: [usize; 2]) -> (u32, u32) {
        let mut place = [(0, 0); 2];
        for (axis, (whole, part)) in place.iter_mut().enumerate() {
            let last = block[axis] - 1;
            let scale = (1024 + block[axis] / 2) / last;
            let position = (scale * texel[axis] * (self.size[axis] - 1) + 32) >> 6;
            (*whole, *part) = (position >> 4, (position & 15) as u32);
        }
        let [(s, fs), (t, ft)] = place;
        let both = (fs * ft + 8) >> 4;
        let parts = [16 + both - fs - ft, fs - both, ft - both, both];
        let first = s + t * self.size[0];
        let corners = [
            first,
            first + 1,
            first + self.size[0],
            first + self.size[0] + 1,
        ];
        let plane = |plane: usize| {
            let weigh = |(corner, part): (usize, u32)| {
                // Corners beyond the grid have no part.
                let weight = self.weights.get(corner * self.planes + plane);
                part * u32::from(weight.copied().unwrap_or(0))
            };
            (corners.into_iter().zip(parts).map(weigh).sum::<u32>() + 8) >> 4
        };
        let weight = plane(0);
        match self.planes {
            2 => (weight, plane(1)),
            _ => (weight, weight),
        }
    }
}

fn widen(range: Range, digit: u32, bits: u32) -> u32 {
    let [b, c] = [bits >> 1 & 1, bits >> 2 & 1];
    let (step, pattern) = match (range.digit, range.bits) {
        (Digit::Trit, 0) => return [0, 32, 63].get(digit as usize).map_or(0, round),
        (Digit::Quint, 0) => return [0, 16, 32, 47, 63].get(digit as usize).map_or(0, round),
        (Digit::None, length) => {
            let mut value = 0;
            let mut filled = 0;
            while filled < 6 {
                value = value << length | bits;
                filled += length.max(1);
            }
            return round(&(value >> (filled - 6)));
        }
        (Digit::Trit, 1) => (50, 0),
        (Digit::Trit, 2) => (23, b * 0b100_0101),
        (Digit::Trit, _) => (11, (c * 0b100_0010) | (b * 0b010_0001)),
        (Digit::Quint, 1) => (28, 0),
        (Digit::Quint, _) => (13, b * 0b100_0010),
    };
    let a = (bits & 1) * 0x7f;
    let value = (digit * step + pattern) ^ a;
    round(&(a & 0x20 | value >> 2))
}

/// From 63 steps to 64.
fn round(value: &u32) -> u32 {
    value + u32::from(*value > 32)
}

#[cfg(test)]
mod tests;
