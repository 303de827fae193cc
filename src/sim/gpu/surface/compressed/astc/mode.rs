//! Block modes: the grid of weights, their range, and whether there is a second plane.
//!
//! In:  a block. Out: its mode; none where it is reserved.
//! Ref: Khronos Data Format Specification, ASTC, "Block Mode".

use super::sequence::{Range, WEIGHT_RANGES};

/// Most weights of a block.
pub(super) const MAX_WEIGHTS: usize = 64;

/// What a block mode says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    /// Width and height of the grid of weights.
    pub(super) grid: [usize; 2],
    pub(super) dual: bool,
    pub(super) range: Range,
}

impl Mode {
    /// `None` where the mode is reserved.
    pub(super) fn from_block(block: u128) -> Option<Mode> {
        let bit = |at: u32| (block >> at & 1) as usize;
        let two = |at: u32| (block >> at & 3) as usize;
        let (a, b) = (two(5), two(7));
        let mut high = bit(9);
        let mut dual = bit(10) == 1;
        let (range, grid) = if two(0) != 0 {
            let grid = match two(2) {
                0 => [b + 4, a + 2],
                1 => [b + 8, a + 2],
                2 => [a + 2, b + 8],
                _ if b < 2 => [a + 2, b + 6],
                _ => [b, a + 2],
            };
            (two(0) << 1 | bit(4), grid)
        } else {
            let grid = match (b, a) {
                (0, _) => [12, a + 2],
                (1, _) => [a + 2, 12],
                (2, _) => {
                    let grid = [a + 6, two(9) + 6];
                    (high, dual) = (0, false);
                    grid
                }
                (_, 0) => [6, 10],
                (_, 1) => [10, 6],
                _ => return None,
            };
            (two(2) << 1 | bit(4), grid)
        };
        Some(Mode {
            grid,
            dual,
            range: *WEIGHT_RANGES.get((range + 6 * high).checked_sub(2)?)?,
        })
        .filter(|_| range >= 2)
    }

    /// Weights of both planes.
    pub(super) fn weights(&self) -> usize {
        self.grid[0] * self.grid[1] * (1 + usize::from(self.dual))
    }
}
