//! Addresses of the texels of storage images and storage texel buffers.
//!
//! In:  the layout of a view's texels. Out: dwords in the two surface states of the descriptor,
//!      from which shaders compute addresses for 64-bit atomics: gen9's typed atomics have 32 bits.
//! Ref: SKL PRM vol. 5, "Tiling"; vol. 7, "Typed Atomic".

use crate::descriptor::{DESCRIPTOR_SLOT_BYTES, TYPED_READ_SLOT, VIEW_FORMAT_SLOT};

/// Bytes of a texel whose address shaders compute.
pub const ADDRESSED_TEXEL_BYTES: u32 = 8;

/// Where the texels of a view are. All zeros, as in null surfaces, is a view without texels.
///
/// Memory consists of bands of 2^`row_shift` rows, and bands of columns of 2^`column_shift` bytes,
/// whose rows are consecutive. With `u` = 8 × (x + first column), `v` = y + first row + layer ×
/// `layer_pitch_rows`, C = `column_shift` and R = `row_shift`, the address is
///
/// ```text
/// base + (v >> R) × (row_pitch_bytes << R)
///      + (u >> C << (C + R)) + ((v & (2^R - 1)) << C) + (u & (2^C - 1))
/// ```
///
/// Linear images have bands of one row (R = 0), X tiles are columns of 512 bytes and 8 rows, and
/// the columns of Y tiles have 16 bytes and 32 rows. The texels of a buffer are one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TexelAddressing {
    /// Address of the tile that contains texel (0, 0, 0), or of the texel if there are no tiles.
    pub base_address: u64,
    /// Columns, rows and layers (or slices) of the view.
    pub extent: [u32; 3],
    /// Bytes from one row to the next.
    pub row_pitch_bytes: u32,
    /// Rows from one layer to the next.
    pub layer_pitch_rows: u32,
    /// Column and row of texel (0, 0, 0) in its tile.
    pub first_texel: [u8; 2],
    /// Binary logarithm of a column's bytes.
    pub column_shift: u8,
    /// Binary logarithm of a column's rows.
    pub row_shift: u8,
}

/// First of the four dwords of each surface state that hold the addressing. The hardware ignores
/// them in surfaces without an aux surface.
const FIRST_DWORD: usize = 12;

/// Byte of a dword of a slot's state, from the first slot on.
const fn byte_of(slot: u32, dword: u32) -> u32 {
    slot * DESCRIPTOR_SLOT_BYTES + 4 * (FIRST_DWORD as u32 + dword)
}

impl TexelAddressing {
    /// Byte, from the descriptor's first state on, of four dwords: columns, rows, layers, and rows
    /// from one layer to the next.
    pub const EXTENT_BYTE: u32 = byte_of(VIEW_FORMAT_SLOT, 0);
    /// Byte, from the descriptor's first state on, of four dwords: the low and high halves of the
    /// base address, the pitch of rows in bytes, and the packed fields ([`Self::FIRST_COLUMN`],
    /// [`Self::FIRST_ROW`], [`Self::COLUMN_SHIFT`], [`Self::ROW_SHIFT`]).
    pub const BASE_BYTE: u32 = byte_of(TYPED_READ_SLOT, 0);
    /// First bit of the packed field with the first texel's column.
    pub const FIRST_COLUMN: u32 = 0;
    /// First bit of the packed field with the first texel's row.
    pub const FIRST_ROW: u32 = 8;
    /// First bit of the packed field with the column shift.
    pub const COLUMN_SHIFT: u32 = 16;
    /// First bit of the packed field with the row shift.
    pub const ROW_SHIFT: u32 = 24;
    /// Bits of a packed field.
    pub const FIELD_BITS: u32 = 8;

    /// Stores the addressing in the two states of a descriptor.
    pub fn store(&self, states: &mut [[u32; 16]; 2]) {
        let [columns, rows, layers] = self.extent;
        let [first_column, first_row] = self.first_texel;
        let packed = u32::from(first_column) << Self::FIRST_COLUMN
            | u32::from(first_row) << Self::FIRST_ROW
            | u32::from(self.column_shift) << Self::COLUMN_SHIFT
            | u32::from(self.row_shift) << Self::ROW_SHIFT;
        let extent = [columns, rows, layers, self.layer_pitch_rows];
        let base = [
            self.base_address as u32,
            (self.base_address >> 32) as u32,
            self.row_pitch_bytes,
            packed,
        ];
        states[VIEW_FORMAT_SLOT as usize][FIRST_DWORD..].copy_from_slice(&extent);
        states[TYPED_READ_SLOT as usize][FIRST_DWORD..].copy_from_slice(&base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_hold_the_addressing_where_shaders_load_it() {
        let mut states = [[7; 16]; 2];
        let addressing = TexelAddressing {
            base_address: 0x1234_5678_9abc,
            extent: [1, 2, 3],
            row_pitch_bytes: 4,
            layer_pitch_rows: 5,
            first_texel: [6, 7],
            column_shift: 8,
            row_shift: 9,
        };
        addressing.store(&mut states);
        let dwords: Vec<u32> = states.concat();
        let at = |byte: u32| &dwords[byte as usize / 4..][..4];
        assert_eq!(at(TexelAddressing::EXTENT_BYTE), [1, 2, 3, 5]);
        let base = [0x5678_9abc, 0x1234, 4, 0x0908_0706];
        assert_eq!(at(TexelAddressing::BASE_BYTE), base);
        assert!(states.iter().all(|state| state[..12] == [7; 12]));
    }
}
