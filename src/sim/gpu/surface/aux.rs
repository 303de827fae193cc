//! What colour and multisample control surfaces say.
//!
//! In:  an [`Image`] with an auxiliary surface, a texel. Out: the state of the texel's block, and blocks made real.
//! Of the states this machine itself makes two: clear, and as it stands. It never compresses, which a render target with
//! compression enabled is free to do. Where the two bits of a block lie within a cache line of the control surface is
//! known to the machine alone: software only ever fills whole lines.
//! Ref: SKL PRM vol. 7, "MCS Buffer for Render Target(s)"; vol. 5, "Multisample control surface".

use super::format;
use super::image::{AuxMode, Image};
use super::layout::level_offset;
use super::tiling::{self, Tiling};
use crate::memory::View;
use eu::Stop;
use std::sync::atomic::Ordering::Relaxed;

/// A block as it stands.
const RESOLVED: u32 = 0;
/// A block that was cleared and not written since.
const CLEAR: u32 = 3;
/// What levels are aligned to, in pixels of the render target.
const LEVEL_ALIGNMENT: [u32; 2] = [128, 64];

impl Image {
    /// Pixels of a block that has one state: two cache lines side by side. None without a colour control surface.
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
    pub(super) fn ccs_place(&self, lod: u32, [x, y, z]: [u32; 3]) -> Option<(u64, u32)> {
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
        // A cache line, 16 bytes by 4 rows of a Y tile, has the states of 16 × 16 blocks: a dword for each row of them.
        let line = (column / 16, u32::try_from(row / 16).ok()?);
        let place = tiling::offset(Tiling::Y, line.0 * 16, line.1 * 4, self.aux.pitch_bytes);
        let dword = row % 16 * 4;
        Some((self.aux.address + place + dword, column % 16 * 2))
    }

    /// Whether a texel's block was cleared and not written since.
    pub fn is_clear(&self, view: &View<'_>, lod: u32, texel: [u32; 3]) -> Result<bool, Stop> {
        match self.ccs_place(lod, texel) {
            Some(place) => self.is_clear_at(view, place),
            None => Ok(false),
        }
    }

    fn is_clear_at(&self, view: &View<'_>, (address, shift): (u64, u32)) -> Result<bool, Stop> {
        match view.read(address & !3)? >> shift & 3 {
            RESOLVED => Ok(false),
            CLEAR => Ok(true),
            state => Err(Stop::Unimplemented {
                what: format!("a colour block in state {state}, which this machine does not make"),
                at: address,
            }),
        }
    }

    fn set_state(&self, view: &View<'_>, place: (u64, u32), state: u32) -> Result<(), Stop> {
        let (address, shift) = place;
        // The closure always answers, so the update cannot fail.
        let _ = view.atomic(address)?.fetch_update(Relaxed, Relaxed, |old| {
            Some(old & !(3 << shift) | state << shift)
        });
        Ok(())
    }

    /// Marks a texel's block as cleared; false where the surface has no states of blocks.
    pub fn mark_clear(&self, view: &View<'_>, lod: u32, texel: [u32; 3]) -> Result<bool, Stop> {
        match self.ccs_place(lod, texel) {
            Some(place) => self.set_state(view, place, CLEAR).map(|()| true),
            None => Ok(false),
        }
    }

    /// Makes a cleared block real: writes the clear colour to its texels and marks it as it stands. Done before a part
    /// of a block is written, and by resolves.
    pub fn materialize(&self, view: &View<'_>, lod: u32, [x, y, z]: [u32; 3]) -> Result<(), Stop> {
        let Some(block) = self.ccs_block() else {
            return Ok(());
        };
        let Some(place) = self.ccs_place(lod, [x, y, z]) else {
            return Ok(());
        };
        if !self.is_clear_at(view, place)? {
            return Ok(());
        }
        let texel = format::encode(self.format, self.clear_color);
        let (left, top) = (x - x % block[0], y - y % block[1]);
        let part = [left..left + block[0], top..top + block[1]];
        self.fill(view, &self.at_level(lod), part, z, &texel)?;
        self.set_state(view, place, RESOLVED)
    }

    /// Address of a pixel's entry in the multisample control surface, and its bytes: for each sample the slice that
    /// holds it. None without one.
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

    /// The slice that holds a sample, by the pixel's entry in the multisample control surface. None where the pixel is
    /// cleared.
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
    pub fn mcs(&self, view: &View<'_>, pixel: [u32; 3]) -> Result<u64, Stop> {
        match self.mcs_place(pixel) {
            Some((address, bytes)) => view.read_bytes(address, bytes),
            None => Ok(0),
        }
    }
}
