//! Where the elements of a surface lie in memory, for copies by the CPU.
//!
//! In:  a row of a box of elements. Out: runs of bytes that are contiguous in memory.
//! Ref: SKL PRM vol. 5, "Tiling" (X, Y and W tiles). Gen9 does not swizzle addresses by bank.

use std::ops::Range;

use crate::launch::{MemoryRange, Order};
use crate::texel::{Extent, TexelMemory};

/// Bytes of a tile.
const TILE_BYTES: u64 = 4096;

/// A run of contiguous bytes of a row of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TexelRun {
    /// GPU address of its first byte.
    pub address: u64,
    /// Its bytes in the row.
    pub bytes: Range<usize>,
}

/// Offset of a byte of a surface from its first tile, and the number of bytes that follow it in
/// memory as they do in the row.
fn tiled_offset(order: Order, pitch_bytes: u32, x: u64, y: u64) -> (u64, u64) {
    let pitch = u64::from(pitch_bytes);
    match order {
        Order::Rows => (y * pitch + x, u64::MAX),
        // Eight rows of 512 bytes.
        Order::X => {
            let tile = y / 8 * 8 * pitch + x / 512 * TILE_BYTES;
            (tile + y % 8 * 512 + x % 512, 512 - x % 512)
        }
        // Eight columns of 32 rows of 16 bytes.
        Order::Y => {
            let tile = y / 32 * 32 * pitch + x / 128 * TILE_BYTES;
            let column = x % 128 / 16 * 512;
            (tile + column + y % 32 * 16 + x % 16, 16 - x % 16)
        }
        // The pitch counts two rows. Blocks of 8 × 8 bytes in columns; within these, x and y
        // alternate from the lowest bit up.
        Order::W => {
            let tile = y / 64 * 32 * pitch + x / 64 * TILE_BYTES;
            let block = x % 64 / 8 * 512 + y % 64 / 8 * 64;
            let bit = |value: u64, from: u32, to: u32| (value >> from & 1) << to;
            let within = bit(x, 0, 0)
                | bit(y, 0, 1)
                | bit(x, 1, 2)
                | bit(y, 1, 3)
                | bit(x, 2, 4)
                | bit(y, 2, 5);
            (tile + block + within, 2 - x % 2)
        }
    }
}

impl TexelMemory {
    /// The range of memory that a box touches, as whole dwords, and the offset of its address in
    /// the first dword. The box is not empty.
    pub fn bytes_touched(&self, extent: &Extent) -> (MemoryRange, u32) {
        self.span(extent)
    }

    /// The runs of a row of a slice of the box, in order.
    pub fn runs(&self, slice: u32, row: u32, row_bytes: u32) -> impl Iterator<Item = TexelRun> {
        let memory = *self;
        let rows = u64::from(slice) * u64::from(memory.slice_rows);
        let y = u64::from(memory.y_rows) + u64::from(row) + rows;
        let mut done = 0;
        std::iter::from_fn(move || {
            let left = u64::from(row_bytes) - done;
            let x = u64::from(memory.x_bytes) + done;
            let (offset, contiguous) = tiled_offset(memory.order, memory.pitch_bytes, x, y);
            let run = contiguous.min(left);
            let bytes = done as usize..(done + run) as usize;
            done += run;
            (run > 0).then(|| TexelRun {
                address: memory.address + offset,
                bytes,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(order: Order, x_bytes: u32, y_rows: u32) -> TexelMemory {
        TexelMemory {
            address: 0x10000,
            order,
            pitch_bytes: 1024,
            x_bytes,
            y_rows,
            slice_rows: 64,
        }
    }

    fn run(address: u64, bytes: Range<usize>) -> TexelRun {
        TexelRun { address, bytes }
    }

    #[test]
    fn runs_follow_the_tiles() {
        let runs = |memory: TexelMemory, slice, row, bytes| {
            memory.runs(slice, row, bytes).collect::<Vec<_>>()
        };
        let linear = runs(memory(Order::Rows, 8, 1), 1, 2, 40);
        assert_eq!(linear, [run(0x10000 + 67 * 1024 + 8, 0..40)]);
        // Across two X tiles in the second row of tiles.
        let x = runs(memory(Order::X, 508, 9), 0, 1, 8);
        let row = 0x10000 + 8 * 1024 + 2 * 512;
        assert_eq!(x, [run(row + 508, 0..4), run(row + 4096, 4..8)]);
        // Across two columns of a Y tile.
        let y = runs(memory(Order::Y, 12, 33), 0, 0, 8);
        let tiles = 0x10000 + 32 * 1024;
        assert_eq!(y, [run(tiles + 16 + 12, 0..4), run(tiles + 512 + 16, 4..8)]);
        // Vol. 5's W tile: (1, 0) is byte 1, (0, 1) byte 2, (2, 0) byte 4, (8, 0) byte 512.
        let w = runs(memory(Order::W, 7, 1), 0, 0, 3);
        assert_eq!(
            w,
            [run(0x10000 + 0b01_0111, 0..1), run(0x10000 + 512 + 2, 1..3)]
        );
        assert_eq!(runs(memory(Order::Y, 0, 0), 0, 0, 0), []);
    }
}
