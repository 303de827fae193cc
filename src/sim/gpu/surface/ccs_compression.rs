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

use crate::memory::AddressSpaceView;
use eu::StopReason;
use hw::Format;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a cache line.
const LINE: u64 = 64;
/// Bytes from a line of a Y tile to its right neighbour.
const ACROSS: u64 = 512;

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

    /// Compresses or decompresses the block at an address. Observers are not notified: [`report`]
    /// does that.
    pub fn toggle(self, view: &AddressSpaceView<'_>, block: u64) -> Result<(), StopReason> {
        for line in lines(block) {
            let words = view.unreported(line, LINE as usize / 4)?;
            for (address, word) in (line..).step_by(4).zip(words) {
                word.store(word.load(Relaxed) ^ self.xor_mask(address), Relaxed);
            }
        }
        Ok(())
    }
}

/// Whether an address is aligned as a block of two lines of a Y tile.
pub(super) fn is_block_address(address: u64) -> bool {
    address.is_multiple_of(LINE) && address & ACROSS == 0
}

/// The addresses of a block's two lines.
pub(super) fn lines(block: u64) -> [u64; 2] {
    [block, block + ACROSS]
}

/// Reports a write of both lines of a block to the observer.
pub(super) fn report(view: &AddressSpaceView<'_>, block: u64) -> Result<(), StopReason> {
    lines(block)
        .iter()
        .try_for_each(|line| view.report_write(*line, LINE as usize))
}

#[cfg(test)]
mod tests;
