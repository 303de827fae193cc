//! The simulator's stand-in for lossless colour compression: an XOR of each dword of a block.
//!
//! In:  a block's place in memory, the format that it is drawn in. Out: its bytes in the code, or
//!      out of it again. How a real machine compresses is known to nobody outside it, and what
//!      matters to software is this alone: the bytes of a compressed block are no colours to anyone
//!      who does not look at the control surface, nor in a format whose channels are as wide as
//!      others. So each byte is changed, by its place in the tile (memory that two address spaces
//!      share is one to both of them) and the widths of the channels. Applied twice, the code gives
//!      back the bytes.
//! Ref: SKL PRM vol. 7, "Render Target Resolve"; vol. 2d, "RENDER_SURFACE_STATE", Auxiliary Surface
//!      Mode.

use super::tiling::Tiling;
use crate::memory::AddressSpaceView;
use eu::StopReason;
use hw::Format;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a cache line.
const LINE: u64 = 64;

/// The compression code of a format: formats with the same channel widths share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompressionCode(u32);

impl CompressionCode {
    /// The code of a format. Alpha does not count: RGBX is compatible with RGBA.
    pub fn from_format(format: &Format) -> CompressionCode {
        let [red, green, blue, _] = format.channels.map(|(_, bits)| u32::from(bits));
        CompressionCode(red << 12 | green << 18 | blue << 24)
    }

    /// The mask that the dword at an address is XORed with; none of its bytes is zero.
    pub fn xor_mask(self, address: u64) -> u32 {
        let place = (address & 0xffc) as u32 | self.0;
        let mixed = (place ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b1);
        mixed ^ mixed >> 15 | 0x0101_0101
    }

    /// Compresses or decompresses a block. Observers are not notified: [`BlockLines::report`] does
    /// that.
    pub fn toggle(self, view: &AddressSpaceView<'_>, block: BlockLines) -> Result<(), StopReason> {
        for line in block.0 {
            let words = view.unreported(line, LINE as usize / 4)?;
            for (address, word) in (line..).step_by(4).zip(words) {
                word.store(word.load(Relaxed) ^ self.xor_mask(address), Relaxed);
            }
        }
        Ok(())
    }
}

/// The addresses of the two cache lines, side by side, of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockLines([u64; 2]);

impl BlockLines {
    /// The lines of the block that starts at an address of a tiling; `None` if no block does, or
    /// the tiling's lines are not 16 bytes by four rows.
    pub fn from_address(tiling: Tiling, address: u64) -> Option<BlockLines> {
        let across = tiling.next_line_bytes()?;
        let starts = address.is_multiple_of(LINE) && address & across == 0;
        starts.then_some(BlockLines([address, address + across]))
    }

    /// Reports a write of both lines to the observer.
    pub fn report(self, view: &AddressSpaceView<'_>) -> Result<(), StopReason> {
        self.0
            .iter()
            .try_for_each(|line| view.report_write(*line, LINE as usize))
    }
}

#[cfg(test)]
mod tests;
