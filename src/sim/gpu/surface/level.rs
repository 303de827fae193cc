//! The layout of a mip level, computed once for many addresses.
//!
//! In:  an [`Image`] and a level. Out: addresses of texels. For loops over many of them.
//! Ref: as `layout.rs`.

use super::image::{Image, Kind};
use super::layout::{
    ALIGNMENT_1D, LEVELS, interleave, interleaved_size, level_offset, minify, mip_tail_offset,
};
use super::tiling::{self, Tiling};
use crate::memory::AddressSpaceView;
use eu::StopReason;
use std::ops::Range;

/// How slices and samples follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrangement {
    Buffer,
    /// Lines in linear memory: slices `qpitch` elements apart.
    Lines,
    /// Slices, each with its samples, `qpitch` rows apart.
    Slices,
    /// The same, with samples side by side.
    Interleaved,
    /// No memory: null surfaces, levels out of range.
    None,
}

/// A level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    arrangement: Arrangement,
    tiling: Tiling,
    address: u64,
    pitch: u32,
    /// Bytes of an element.
    bytes: u32,
    qpitch: u32,
    /// Texels: width, height, and slices or elements.
    extent: [u32; 3],
    /// Elements before the level's first.
    left: u32,
    top: u32,
    /// Slices before the level's first, in a mip tail of tiles that are several slices deep.
    front: u32,
    /// Texels of an element.
    block: [u32; 2],
    first_slice: u32,
    samples: u32,
    /// Slices of 3D surfaces end here, with the first slice counted.
    last_slice: u32,
}

impl Level {
    /// The layout of a level; `lod` counts from Surface Min LOD, as accesses do.
    pub fn new(image: &Image, lod: u32) -> Level {
        let level = image.level(lod);
        let extent = image.level_extent(lod);
        let bytes = image.bytes;
        let block = image.format.block_el.map(|n| u32::from(n).max(1));
        let mut made = Level {
            arrangement: Arrangement::Slices,
            tiling: image.tiling,
            address: image.address,
            pitch: image.pitch_bytes,
            bytes,
            qpitch: image.qpitch_rows,
            extent,
            left: image.x_offset,
            top: image.y_offset,
            front: 0,
            block,
            first_slice: image.min_array_element,
            samples: image.samples,
            last_slice: match image.kind {
                Kind::D3 => extent[2],
                _ => u32::MAX,
            },
        };
        if image.kind == Kind::Buffer {
            made.arrangement = Arrangement::Buffer;
        } else if image.kind == Kind::Null || level >= LEVELS {
            made.arrangement = Arrangement::None;
        } else if image.kind == Kind::D1 && image.tiling == Tiling::Linear {
            made.arrangement = Arrangement::Lines;
            let before = (0..level).map(|l| minify(image.width, l).next_multiple_of(ALIGNMENT_1D));
            made.left = before.sum();
        } else {
            let mut size = [image.width, image.height];
            if image.samples > 1 && image.interleaved {
                made.arrangement = Arrangement::Interleaved;
                let [w, h] = interleaved_size(image.samples);
                let [width, height] = size.map(|n| n.next_multiple_of(2));
                size = [width * w, height * h];
            }
            let align = [image.halign * block[0], image.valign * block[1]];
            // All levels of a mip tail are in the tile at which its first one would start.
            let in_tail = image
                .mip_tail_start
                .and_then(|start| level.checked_sub(start));
            let [left, top] = level_offset(level - in_tail.unwrap_or(0), size, align);
            let tail = in_tail.map(|n| mip_tail_offset(image.tiling, n, bytes));
            let [tail_x, tail_y, tail_z] = tail.unwrap_or_default();
            made.left += left / block[0] + tail_x;
            made.top += top / block[1] + tail_y;
            made.front = tail_z;
        }
        made
    }

    /// Address of a texel, or of the compressed block that holds it; none out of bounds. `z` is the
    /// slice, array element or face.
    pub fn address(&self, x: u32, y: u32, z: u32, sample: u32) -> Option<u64> {
        let [width, height, depth] = self.extent;
        let inside = x < width && y < height && z < depth && sample < self.samples;
        if !inside {
            return None;
        }
        let slice = z + self.first_slice;
        if slice >= self.last_slice {
            return None;
        }
        let (mut x, mut y) = (x, y);
        if self.block != [1, 1] {
            [x, y] = [x / self.block[0], y / self.block[1]];
        }
        let mut slice = u64::from(slice);
        match self.arrangement {
            Arrangement::None => return None,
            Arrangement::Buffer => {
                return Some(self.address + u64::from(x) * u64::from(self.pitch));
            }
            Arrangement::Lines => {
                let elements = slice * u64::from(self.qpitch) + u64::from(self.left + x);
                return Some(self.address + elements * u64::from(self.bytes));
            }
            Arrangement::Interleaved => [x, y] = interleave(self.samples, [x, y], sample),
            Arrangement::Slices if self.samples > 1 => {
                slice = slice * u64::from(self.samples) + u64::from(sample);
            }
            Arrangement::Slices => {}
        }
        // Rows beyond 32 bits cannot be addressed: 2^15 slices and samples of 2^17 rows are the
        // limit.
        let (before, base) = self.slice_start(slice);
        let y = u32::try_from(before + u64::from(y + self.top)).ok()?;
        let offset = tiling::offset(self.tiling, (x + self.left) * self.bytes, y, self.pitch);
        Some(base + offset)
    }

    /// Rows before those of a slice, or sample, of the surface, and the address that its bytes
    /// count from. Where tiles are several slices deep, Surface QPitch is the rows between groups
    /// of slices that share tiles.
    #[inline(always)]
    fn slice_start(&self, slice: u64) -> (u64, u64) {
        let tile_slices = u64::from(self.tiling.tile_slices());
        if tile_slices == 1 {
            return (slice * u64::from(self.qpitch), self.address);
        }
        let slice = slice + u64::from(self.front);
        let in_tile = tiling::slice(self.tiling, (slice % tile_slices) as u32);
        let rows = slice / tile_slices * u64::from(self.qpitch);
        (rows, self.address + in_tile)
    }

    /// As [`Image::level_extent`].
    pub fn extent(&self) -> [u32; 3] {
        self.extent
    }

    /// Whether [`Level::subspan`] can find pixels: surfaces of one sample whose elements are
    /// texels, those of a dword in whole dwords. A linear surface that is only sampled may begin at
    /// any byte (SKL PRM vol. 2d, RENDER_SURFACE_STATE, Surface Base Address).
    pub fn is_plain(&self) -> bool {
        let tiled = self.arrangement == Arrangement::Slices;
        let dwords = (self.address | u64::from(self.pitch)).is_multiple_of(4);
        tiled && self.samples == 1 && self.block == [1, 1] && (dwords || self.bytes != 4)
    }

    /// [`Level::address`] of a plain level.
    #[inline]
    pub fn plain_address(&self, x: u32, y: u32, z: u32) -> Option<u64> {
        let row = self.row(y, z)?;
        (x < self.extent[0]).then(|| row + self.column(x))
    }

    /// [`Level::plain_address`] of four texels of a slice; none where one of them is out of bounds.
    #[inline(always)]
    pub fn plain_addresses(&self, xs: [u32; 4], ys: [u32; 4], z: u32) -> Option<[u64; 4]> {
        let [width, height, depth] = self.extent;
        let slice = z + self.first_slice;
        let beyond = |all: [u32; 4], size: u32| all.iter().any(|at| *at >= size);
        if beyond(xs, width) || beyond(ys, height) || z >= depth || slice >= self.last_slice {
            return None;
        }
        let (before, base) = self.slice_start(slice.into());
        let before = u32::try_from(before + u64::from(self.top)).ok();
        let before = before.filter(|n| *n < 1 << 31)?;
        let (mut columns, mut rows) = ([0; 4], [0; 4]);
        for i in 0..4 {
            columns[i] = (xs[i] + self.left) * self.bytes;
            rows[i] = ys[i] + before;
        }
        // Once for all four.
        let mut places = match self.tiling {
            Tiling::Linear => tiling::four(Tiling::Linear, columns, rows, self.pitch),
            Tiling::X => tiling::four(Tiling::X, columns, rows, self.pitch),
            Tiling::Y => tiling::four(Tiling::Y, columns, rows, self.pitch),
            Tiling::W => tiling::four(Tiling::W, columns, rows, self.pitch),
            standard => tiling::four(standard, columns, rows, self.pitch),
        };
        for place in &mut places {
            *place += base;
        }
        Some(places)
    }

    /// Address of a plain level's row of a slice; none out of bounds.
    #[inline]
    fn row(&self, y: u32, z: u32) -> Option<u64> {
        let [_, height, depth] = self.extent;
        if y >= height || z >= depth || z + self.first_slice >= self.last_slice {
            return None;
        }
        let (before, base) = self.slice_start(u64::from(z + self.first_slice));
        let rows = before + u64::from(y + self.top);
        let row = tiling::row(self.tiling, u32::try_from(rows).ok()?, self.pitch);
        Some(base + row)
    }

    /// Bytes from a row's address to its texel at `x`.
    #[inline]
    fn column(&self, x: u32) -> u64 {
        tiling::column(self.tiling, (x + self.left) * self.bytes)
    }

    /// Addresses of the 2 × 2 texels from `x` and `y` on, the lower row last; none where a texel of
    /// them is out of bounds or the level is not plain.
    pub fn subspan(&self, x: u32, y: u32, z: u32) -> Option<[u64; 4]> {
        let [width, height, depth] = self.extent;
        let inside = x + 1 < width && y + 1 < height && z < depth;
        let slice = z + self.first_slice;
        if !inside || slice >= self.last_slice || !self.is_plain() {
            return None;
        }
        let (before, base) = self.slice_start(slice.into());
        let first = u32::try_from(before + u64::from(y + self.top)).ok()?;
        let second = first.checked_add(1)?;
        let left = (x + self.left) * self.bytes;
        let columns = [left, left + self.bytes].map(|at| tiling::column(self.tiling, at));
        let [upper, lower] =
            [first, second].map(|at| base + tiling::row(self.tiling, at, self.pitch));
        Some([
            upper + columns[0],
            upper + columns[1],
            lower + columns[0],
            lower + columns[1],
        ])
    }
}

impl Level {
    /// Bytes of an element.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Addresses of the texels from a place on, of a row and of the row below it: of the first four
    /// of the row, and of the fifth. None where a texel of them is out of bounds, where four (of
    /// less than a dword, eight) are not together from a dword on, and where texels are longer than
    /// a dword.
    #[inline(always)]
    pub fn rows(&self, [x, y, z]: [u32; 3], [wide, high]: [u32; 2]) -> Option<[[u64; 2]; 2]> {
        let [width, height, depth] = self.extent;
        let inside = x < width && width - x >= wide && y < height && height - y >= high;
        let slice = z + self.first_slice;
        if !inside || z >= depth || slice >= self.last_slice || !self.is_plain() {
            return None;
        }
        // Sixteen bytes of a row are together in all tilings but W.
        let left = x + self.left;
        let together = if self.bytes == 4 { 4 } else { 8 };
        let straight = self.address | u64::from(self.pitch);
        if !matches!(self.bytes, 1 | 2 | 4)
            || !left.is_multiple_of(together)
            || !straight.is_multiple_of(4)
            || self.tiling == Tiling::W
        {
            return None;
        }
        let (before, base) = self.slice_start(slice.into());
        let first = u32::try_from(before + u64::from(y + self.top)).ok()?;
        let second = first.checked_add(1)?;
        let (pitch, bytes) = (self.pitch, self.bytes);
        let places = |tiling: Tiling| {
            let columns = [left, left + 4].map(|x| tiling::column(tiling, x * bytes));
            [first, second].map(|y| {
                let row = base + tiling::row(tiling, y, pitch);
                columns.map(|column| row + column)
            })
        };
        // Once for all of them.
        Some(match self.tiling {
            Tiling::Linear => places(Tiling::Linear),
            Tiling::X => places(Tiling::X),
            Tiling::Y | Tiling::W => places(Tiling::Y),
            standard => places(standard),
        })
    }
}

impl Image {
    /// Size of a level, counted as accesses count: Surface Min LOD is added. The third is the depth
    /// of 3D surfaces, else the array elements (of cubes, faces).
    pub fn level_extent(&self, lod: u32) -> [u32; 3] {
        let level = self.level(lod);
        let depth = match self.kind {
            Kind::D3 => minify(self.depth, level),
            _ => self.depth,
        };
        match self.kind {
            Kind::Buffer | Kind::Null => [self.width, self.height, self.depth],
            _ => [minify(self.width, level), minify(self.height, level), depth],
        }
    }

    /// Adds Surface Min LOD to the level of an access.
    pub(super) fn level(&self, lod: u32) -> u32 {
        lod.saturating_add(self.min_lod)
    }

    /// Address of a texel, or of the compressed block that holds it; none out of bounds. `z` is the
    /// slice, array element or face.
    pub fn texel_address(&self, lod: u32, x: u32, y: u32, z: u32, sample: u32) -> Option<u64> {
        self.at_level(lod).address(x, y, z, sample)
    }

    /// A level, for many addresses.
    pub fn at_level(&self, lod: u32) -> Level {
        Level::new(self, lod)
    }

    /// Writes an element to all texels of a part of a slice that lie in bounds, for each sample.
    pub fn fill(
        &self,
        view: &AddressSpaceView<'_>,
        level: &Level,
        [columns, rows]: [Range<u32>; 2],
        z: u32,
        element: &[u8; 16],
    ) -> Result<(), StopReason> {
        // 16 bytes of a row are together in all tilings but W.
        let bytes = self.bytes.clamp(1, 16);
        let together = 16 / bytes;
        let chunks = level.is_plain() && self.tiling != Tiling::W && 16 % bytes == 0;
        let [width, height, _] = level.extent();
        let (mut across, end) = (columns.start, columns.end.min(width));
        let below = rows.end.min(height);
        let straight = (level.address | u64::from(level.pitch)).is_multiple_of(16)
            && ((across + level.left) * bytes).is_multiple_of(16);
        if chunks && straight && rows.start < below {
            let mut run = PatternRun {
                view,
                pattern: repeated(element, bytes),
                first: 0,
                dwords: 0,
            };
            let first = across;
            // A few rows at a time, whose addresses are found once.
            for top in (rows.start..below).step_by(PatternRun::ROWS) {
                let mut known = [0; PatternRun::ROWS];
                let mut count = 0;
                for y in (top..below).take(PatternRun::ROWS) {
                    if let Some(row) = level.row(y, z) {
                        known[count] = row;
                        count += 1;
                    }
                }
                across = first;
                while across < end && end - across >= together {
                    let column = level.column(across);
                    for row in &known[..count] {
                        run.add(row + column)?;
                    }
                    across += together;
                }
            }
            run.write()?;
        }
        if across < end {
            for y in rows {
                self.fill_row(view, level, across..end, [y, z], element)?;
            }
        }
        Ok(())
    }

    /// Writes an element to the texels of a row that lie in bounds, one by one.
    fn fill_row(
        &self,
        view: &AddressSpaceView<'_>,
        level: &Level,
        columns: Range<u32>,
        [y, z]: [u32; 2],
        element: &[u8; 16],
    ) -> Result<(), StopReason> {
        for x in columns {
            for sample in 0..self.samples {
                if let Some(address) = level.address(x, y, z, sample) {
                    self.write_texel(view, address, element)?;
                }
            }
        }
        Ok(())
    }
}

/// Sixteen bytes of elements of 1, 2, 4, 8 or 16 bytes.
fn repeated(element: &[u8; 16], bytes: u32) -> [u32; 4] {
    let dword = |i: usize| element.as_chunks::<4>().0.get(i).copied().unwrap_or([0; 4]);
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| u32::from_le_bytes(dword(i)));
    match bytes {
        1 => [(a & 0xff) * 0x0101_0101; 4],
        2 => [(a & 0xffff) * 0x0001_0001; 4],
        4 => [a; 4],
        8 => [a, b, a, b],
        _ => [a, b, c, d],
    }
}

/// Groups of 16 bytes that lie one behind the other, and are written at once.
struct PatternRun<'v, 'a> {
    view: &'v AddressSpaceView<'a>,
    /// What each of them becomes.
    pattern: [u32; 4],
    first: u64,
    dwords: usize,
}

impl PatternRun<'_, '_> {
    /// Rows whose addresses are known at a time.
    const ROWS: usize = 16;

    /// Adds the 16 bytes from an address on; writes the run first if they do not continue it.
    fn add(&mut self, address: u64) -> Result<(), StopReason> {
        if self.first + self.dwords as u64 * 4 != address {
            self.write()?;
            self.first = address;
        }
        self.dwords += 4;
        Ok(())
    }

    /// Writes the run.
    fn write(&mut self) -> Result<(), StopReason> {
        match std::mem::take(&mut self.dwords) {
            0 => Ok(()),
            dwords => self.view.write_pattern(self.first, self.pattern, dwords),
        }
    }
}

#[cfg(test)]
mod tests;
