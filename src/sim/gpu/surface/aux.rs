//! Aux surfaces of colour: the block states of a CCS, and the entries of an MCS.
//!
//! In:  an [`Image`] with an aux surface, a texel. Out: the state of the texel's block, and
//!      transitions between states. A render target with compression enabled compresses every block
//!      that it writes, as a real one is free to do: while a draw goes on the block is in the
//!      render cache, as it stands, and goes to memory in the machine's code when the draw ends.
//!      Where the two bits of a block lie within a cache line of the control surface, and what they
//!      say but for zero, is known to the machine alone: software only ever fills whole lines.
//! Ref: SKL PRM vol. 7, "MCS Buffer for Render Target(s)", "Render Target Resolve"; vol. 5,
//!      "Multisample control surface"; vol. 2d, "RENDER_SURFACE_STATE", Auxiliary Surface Mode.

use super::ccs_compression::{BlockLines, CompressionCode};
use super::format;
use super::image::{AuxMode, Image};
use super::layout::level_offset;
use super::tiling::{self, Tiling};
use crate::memory::AddressSpaceView;
use crate::rules::TARGET_COMPRESSED;
use eu::StopReason;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A block whose bytes are its texels.
const RESOLVED: u32 = 0;
/// A compressed block.
const COMPRESSED: u32 = 1;
/// An uncompressed block in the render cache; the draw compresses it when it ends.
const OPEN: u32 = 2;
/// A block that was cleared and not written since.
const CLEAR: u32 = 3;
/// What levels are aligned to, in pixels of the render target.
const LEVEL_ALIGNMENT: [u32; 2] = [128, 64];

/// The CCS state of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Its bytes are its texels.
    Plain,
    /// Fast-cleared and not written since: all texels have the clear colour, and the bytes are
    /// undefined.
    Clear,
    /// Its bytes are compressed.
    Compressed,
}

/// A block that a draw has in the render cache: the location of its state, and its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    state: (u64, u32),
    block: BlockLines,
}

/// A CCS in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct CcsPlane {
    pub address: u64,
    pub pitch_bytes: u32,
}

impl CcsPlane {
    /// Address of the dword with the state of a block, and the lower of its two bits.
    pub fn location(&self, column: u32, row: u32) -> (u64, u32) {
        // A cache line, 16 bytes by 4 rows of a Y tile, has the states of 16 × 16 blocks: a dword
        // for each row of them.
        let [across, down] = [column / 16 * 16, row / 16 * 4];
        let line = tiling::offset(Tiling::Y, across, down, self.pitch_bytes);
        (
            self.address + line + u64::from(row % 16 * 4),
            column % 16 * 2,
        )
    }
}

/// What the two bits of a block's state say.
pub(super) fn block_of_state(state: u32) -> Block {
    match state {
        CLEAR => Block::Clear,
        COMPRESSED => Block::Compressed,
        _ => Block::Plain,
    }
}

impl Image {
    /// Pixels of a block that has one state: two cache lines side by side. `None` without a CCS.
    pub fn ccs_block(&self) -> Option<[u32; 2]> {
        if !matches!(self.aux.mode, AuxMode::CcsD | AuxMode::CcsE) {
            return None;
        }
        match self.bytes {
            4 => Some([8, 4]),
            8 => Some([4, 4]),
            16 => Some([2, 4]),
            _ => None,
        }
    }

    /// Address of the dword with a block's state, and the lower of its two bits.
    pub(super) fn ccs_location(&self, lod: u32, [x, y, z]: [u32; 3]) -> Option<(u64, u32)> {
        let [block_w, block_h] = self.ccs_block()?;
        let [width, height, depth] = self.level_extent(lod);
        if x >= width || y >= height || z >= depth {
            return None;
        }
        let slice = u64::from(z) + u64::from(self.min_array_element);
        let level = self.level(lod);
        let [left, top] = level_offset(level, [self.width, self.height], LEVEL_ALIGNMENT);
        let rows = u64::from(top) + u64::from(y) + slice * u64::from(self.aux.qpitch_rows);
        let (column, row) = ((left + x) / block_w, rows / u64::from(block_h));
        let plane = CcsPlane {
            address: self.aux.address,
            pitch_bytes: self.aux.pitch_bytes,
        };
        Some(plane.location(column, u32::try_from(row).ok()?))
    }

    /// The state of a texel's block; plain without a CCS.
    pub fn block(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        texel: [u32; 3],
    ) -> Result<Block, StopReason> {
        match self.ccs_location(lod, texel) {
            Some(place) => Ok(block_of_state(read_block_state(view, place)?)),
            None => Ok(Block::Plain),
        }
    }

    /// Whether a texel's block was cleared and not written since.
    #[cfg(test)]
    pub fn is_clear(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        texel: [u32; 3],
    ) -> Result<bool, StopReason> {
        Ok(self.block(view, lod, texel)? == Block::Clear)
    }

    /// Marks a texel's block as fast-cleared; false if the surface has no CCS.
    pub fn mark_clear(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        texel: [u32; 3],
    ) -> Result<bool, StopReason> {
        match self.ccs_location(lod, texel) {
            Some(place) => write_block_state(view, place, CLEAR).map(|()| true),
            None => Ok(false),
        }
    }

    /// Resolves a fast-cleared or compressed block fully. Happens before the data port writes a
    /// part of a block.
    pub fn materialize(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        texel: [u32; 3],
    ) -> Result<(), StopReason> {
        let Some(place) = self.ccs_location(lod, texel) else {
            return Ok(());
        };
        match read_block_state(view, place)? {
            CLEAR => self.fill_block(view, lod, texel)?,
            COMPRESSED => self.toggle_compression(view, lod, texel)?,
            _ => return Ok(()),
        }
        write_block_state(view, place, RESOLVED)
    }

    /// Resolves a texel's block: fully, or partially, which writes the clear colour only.
    pub fn resolve(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        texel: [u32; 3],
        in_full: bool,
    ) -> Result<(), StopReason> {
        let compresses = self.aux.mode == AuxMode::CcsE;
        let Some(place) = self.ccs_location(lod, texel) else {
            return Ok(());
        };
        let state = match (
            read_block_state(view, place)?,
            self.compressible_block(lod, texel),
        ) {
            (CLEAR, block) => {
                self.fill_block(view, lod, texel)?;
                match block.filter(|_| compresses && !in_full) {
                    Some(block) => {
                        CompressionCode::from_format(self.format).toggle(view, block)?;
                        COMPRESSED
                    }
                    None => RESOLVED,
                }
            }
            (COMPRESSED, _) if !compresses => {
                return self.check_compression_enabled(view, lod, texel);
            }
            (COMPRESSED, _) if in_full => {
                self.toggle_compression(view, lod, texel)?;
                RESOLVED
            }
            _ => return Ok(()),
        };
        write_block_state(view, place, state)
    }

    /// Brings a texel's block into the render cache, as it stands, before a part of it is drawn to;
    /// what has to be given to [`Image::close`] when the draw ends, where the block was not there
    /// yet.
    pub fn open(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        texel: [u32; 3],
    ) -> Result<Option<Opened>, StopReason> {
        let Some(place) = self.ccs_location(lod, texel) else {
            return Ok(None);
        };
        let state = read_block_state(view, place)?;
        let block = self.compressible_block(lod, texel);
        let compresses = block.filter(|_| self.aux.mode == AuxMode::CcsE);
        match state {
            OPEN => return Ok(None),
            CLEAR => self.fill_block(view, lod, texel)?,
            COMPRESSED => {
                self.check_compression_enabled(view, lod, texel)?;
                // Without compression enabled, the hardware would not decompress the block either.
                if compresses.is_none() {
                    return Ok(None);
                }
                self.toggle_compression(view, lod, texel)?;
            }
            _ => {}
        }
        match compresses {
            Some(block) => {
                if state != COMPRESSED {
                    block.report(view)?;
                }
                write_block_state(view, place, OPEN)?;
                Ok(Some(Opened {
                    state: place,
                    block,
                }))
            }
            None if state == CLEAR => write_block_state(view, place, RESOLVED).map(|()| None),
            None => Ok(None),
        }
    }

    /// Compresses a block that a draw had in the render cache.
    pub fn close(&self, view: &AddressSpaceView<'_>, opened: Opened) -> Result<(), StopReason> {
        let Opened { state, block } = opened;
        CompressionCode::from_format(self.format).toggle(view, block)?;
        let [word, ..] = view.unreported(state.0, 1)? else {
            return Ok(());
        };
        set_state_bits(word, state.1, COMPRESSED);
        Ok(())
    }

    /// "For render target surfaces, this setting disables render target compression": such a target
    /// does not know what compressed blocks hold.
    fn check_compression_enabled(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        texel: [u32; 3],
    ) -> Result<(), StopReason> {
        let [x, y, z] = texel;
        let holds = self.aux.mode == AuxMode::CcsE || !view.is_strict();
        TARGET_COMPRESSED.check(holds, self.address, || {
            format!("the block of pixel {x}, {y} of slice {z} of level {lod} is compressed")
        })
    }

    /// The lines of a texel's block; `None` if it cannot be compressed.
    fn compressible_block(&self, lod: u32, [x, y, z]: [u32; 3]) -> Option<BlockLines> {
        let [block_w, block_h] = self.ccs_block()?;
        let corner = self.texel_address(lod, x - x % block_w, y - y % block_h, z, 0)?;
        BlockLines::from_address(self.tiling, corner)
    }

    /// Compresses or decompresses a texel's block in memory.
    fn toggle_compression(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        texel: [u32; 3],
    ) -> Result<(), StopReason> {
        match self.compressible_block(lod, texel) {
            Some(block) => {
                block.report(view)?;
                CompressionCode::from_format(self.format).toggle(view, block)
            }
            None => Ok(()),
        }
    }

    /// Writes the clear colour to the texels of a block.
    fn fill_block(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        [x, y, z]: [u32; 3],
    ) -> Result<(), StopReason> {
        let Some(block) = self.ccs_block() else {
            return Ok(());
        };
        let texel = format::encode(self.format, self.clear_color);
        let (left, top) = (x - x % block[0], y - y % block[1]);
        let part = [left..left + block[0], top..top + block[1]];
        self.fill(view, &self.at_level(lod), part, z, &texel)
    }

    /// Address of a pixel's entry in the multisample control surface, and its bytes: for each
    /// sample the slice that holds it. None without one.
    pub fn mcs_place(&self, [x, y, z]: [u32; 3]) -> Option<(u64, u32)> {
        if self.aux.mode != AuxMode::Mcs || x >= self.width || y >= self.height || z >= self.depth {
            return None;
        }
        let bytes = match self.samples {
            2 | 4 => 1,
            8 => 4,
            _ => 8,
        };
        let slice = u64::from(z) + u64::from(self.min_array_element);
        let row = u64::from(y) + slice * u64::from(self.aux.qpitch_rows);
        let row = u32::try_from(row).ok()?;
        let place = tiling::offset(Tiling::Y, x * bytes, row, self.aux.pitch_bytes);
        Some((self.aux.address + place, bytes))
    }

    /// The slice that holds a sample, by the pixel's entry in the multisample control surface. None
    /// where the pixel is cleared.
    pub fn slice_of(&self, mcs: u64, sample: u32) -> Option<u32> {
        let (bits, whole) = match self.samples {
            2 => (1, 0x3),
            4 => (2, 0xff),
            8 => (4, 0xffff_ffff),
            _ => (4, u64::MAX),
        };
        let held = mcs.checked_shr(bits * sample).unwrap_or(0) & ((1 << bits) - 1);
        (mcs & whole != whole).then_some(held as u32)
    }

    /// A pixel's entry in the multisample control surface; 0 without one.
    pub fn mcs(&self, view: &AddressSpaceView<'_>, pixel: [u32; 3]) -> Result<u64, StopReason> {
        match self.mcs_place(pixel) {
            Some((address, bytes)) => view.read_bytes(address, bytes),
            None => Ok(0),
        }
    }
}

/// Reads the two bits of a block's state.
fn read_block_state(
    view: &AddressSpaceView<'_>,
    (address, shift): (u64, u32),
) -> Result<u32, StopReason> {
    Ok(view.read(address & !3)? >> shift & 3)
}

fn write_block_state(
    view: &AddressSpaceView<'_>,
    (address, shift): (u64, u32),
    state: u32,
) -> Result<(), StopReason> {
    set_state_bits(view.atomic(address)?, shift, state);
    Ok(())
}

fn set_state_bits(word: &AtomicU32, shift: u32, state: u32) {
    // The closure always answers, so the update cannot fail.
    let _ = word.fetch_update(Relaxed, Relaxed, |old| {
        Some(old & !(3 << shift) | state << shift)
    });
}
