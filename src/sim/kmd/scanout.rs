//! Framebuffers: what the display engine reads, and how.
//!
//! In:  buffers with a format, a pitch and a modifier. Out: the pixels of the screen.
//! Ref: drm_fourcc.h; SKL PRM vol. 5, "Tiling"; vol. 12, "PLANE_CTL", "PLANE_STRIDE".

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use gpu::{CompressedPlane, TargetImage};
use hw::{Device, Wa};
use uapi::mode::{FbCmd2, FormatModifier, FormatModifierBlob};
use uapi::{Errno, Result};

use crate::buffer::Buffer;
use crate::targets::write_png;

/// Maximum width and height of framebuffers.
pub const MAX_SIDE: u32 = 8192;
/// Bytes of a pixel of every format.
const PIXEL_BYTES: u32 = 4;
const INTEL: u64 = 1 << 56;

/// The formats of the plane: the FourCC, the first bit of red, green and blue, and bits of each.
const FORMATS: [([u8; 4], [u32; 3], u32); 6] = [
    (*b"XR24", [16, 8, 0], 8),
    (*b"AR24", [16, 8, 0], 8),
    (*b"XB24", [0, 8, 16], 8),
    (*b"AB24", [0, 8, 16], 8),
    (*b"XR30", [20, 10, 0], 10),
    (*b"XB30", [0, 10, 20], 10),
];

/// The tilings that the plane reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tiling {
    Linear,
    X,
    Y,
}

/// A modifier of the plane.
struct ModifierRow {
    code: u64,
    tiling: Tiling,
    /// The second memory plane is a CCS.
    has_ccs: bool,
}

/// The modifiers of the plane.
const MODIFIERS: [ModifierRow; 4] = [
    row(INTEL | 4, Tiling::Y, true),
    row(INTEL | 2, Tiling::Y, false),
    row(INTEL | 1, Tiling::X, false),
    row(0, Tiling::Linear, false),
];

const fn row(code: u64, tiling: Tiling, has_ccs: bool) -> ModifierRow {
    ModifierRow {
        code,
        tiling,
        has_ccs,
    }
}

/// Number of the formats that can be compressed, which come first: those with 8 bits per channel.
const COMPRESSED_FORMATS: usize = 4;

/// A framebuffer.
#[derive(Debug)]
pub(crate) struct Framebuffer {
    pub(crate) id: u32,
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) extent_px: [u32; 2],
    fourcc: u32,
    tiling: Tiling,
    pitch_bytes: u32,
    offset_bytes: u32,
    /// Offset and pitch of the CCS in bytes.
    ccs: Option<[u32; 2]>,
}

/// The codes of the plane's formats.
pub fn format_codes() -> Vec<u32> {
    FORMATS
        .iter()
        .map(|row| u32::from_le_bytes(row.0))
        .collect()
}

/// The blob of the plane's formats and modifiers.
pub fn format_blob() -> Vec<u8> {
    let formats = format_codes();
    let header_bytes = size_of::<FormatModifierBlob>();
    let modifiers_offset = (header_bytes + formats.len() * 4).next_multiple_of(8);
    let header = FormatModifierBlob {
        version: uapi::mode::FORMAT_BLOB_CURRENT,
        flags: 0,
        count_formats: formats.len() as u32,
        formats_offset: header_bytes as u32,
        count_modifiers: MODIFIERS.len() as u32,
        modifiers_offset: modifiers_offset as u32,
    };
    let mut blob = bytemuck::bytes_of(&header).to_vec();
    blob.extend(bytemuck::cast_slice::<u32, u8>(&formats));
    blob.resize(modifiers_offset, 0);
    for row in MODIFIERS {
        let count = match row.has_ccs {
            true => COMPRESSED_FORMATS,
            false => formats.len(),
        };
        blob.extend(bytemuck::bytes_of(&FormatModifier {
            formats: (1 << count) - 1,
            offset: 0,
            pad: 0,
            modifier: row.code,
        }));
    }
    blob
}

impl Framebuffer {
    /// A framebuffer of a device, with a number. Without a modifier, the buffer's fence register
    /// decides on X tiling, as GEM_SET_TILING has left it.
    pub(crate) fn new(
        id: u32,
        request: &FbCmd2,
        modifier: Option<u64>,
        buffer: Arc<Buffer>,
        device: &Device,
    ) -> Result<Framebuffer> {
        let extent_px = [request.width, request.height];
        let modifier = modifier.unwrap_or(match crate::fence::lock(&buffer.tiling).mode {
            uapi::i915::TILING_X => INTEL | 1,
            _ => 0,
        });
        let row = MODIFIERS.iter().find(|row| row.code == modifier);
        let row = row.ok_or(Errno::EINVAL)?;
        let [pitch_bytes, offset_bytes] = [request.pitches[0], request.offsets[0]];
        let ccs = [request.offsets[1], request.pitches[1]];
        let framebuffer = Framebuffer {
            id,
            buffer,
            extent_px,
            fourcc: request.pixel_format,
            tiling: row.tiling,
            pitch_bytes,
            offset_bytes,
            ccs: row.has_ccs.then_some(ccs),
        };
        let [tile_bytes, tile_rows] = framebuffer.tile();
        let index = format_codes()
            .iter()
            .position(|code| *code == framebuffer.fourcc);
        let formats = if row.has_ccs {
            COMPRESSED_FORMATS
        } else {
            FORMATS.len()
        };
        let known = index.is_some_and(|index| index < formats) && framebuffer.has_valid_ccs(device);
        let sized = extent_px.iter().all(|side| (1..=MAX_SIDE).contains(side));
        let fits = pitch_bytes.is_multiple_of(tile_bytes)
            && pitch_bytes >= request.width.saturating_mul(PIXEL_BYTES);
        // The start of a surface is a page, and of a tiled one a tile.
        let aligned = offset_bytes.is_multiple_of(4096);
        let rows = u64::from(request.height.next_multiple_of(tile_rows));
        let end = u64::from(offset_bytes) + rows * u64::from(pitch_bytes);
        match known && sized && fits && aligned && end <= framebuffer.buffer.bytes() {
            true => Ok(framebuffer),
            false => Err(Errno::EINVAL),
        }
    }

    /// Number of memory planes: the surface, and the CCS if there is one.
    pub(crate) fn memory_planes(&self) -> usize {
        1 + usize::from(self.ccs.is_some())
    }

    /// Whether the CCS, if there is one, covers the surface, and rows of a wide surface are whole
    /// groups of four tiles ([`Wa::CcsScanoutPitch`]).
    fn has_valid_ccs(&self, device: &Device) -> bool {
        /// Pixels for which a tile of the CCS has the states.
        const TILE_PX: [u32; 2] = [1024, 512];
        const MAX_SINGLE_TILES_PX: u32 = 3840;
        let Some([offset_bytes, pitch_bytes]) = self.ccs else {
            return true;
        };
        let [width, height] = self.extent_px;
        let [tile_bytes, _] = self.tile();
        let wide = device.needs(Wa::CcsScanoutPitch) && width > MAX_SINGLE_TILES_PX;
        let unit = if wide { 4 * tile_bytes } else { tile_bytes };
        let tiles = pitch_bytes / tile_bytes;
        let rows = u64::from(height.div_ceil(TILE_PX[1]));
        let end = u64::from(offset_bytes) + rows * u64::from(tiles) * 4096;
        self.pitch_bytes.is_multiple_of(unit)
            && pitch_bytes.is_multiple_of(tile_bytes)
            && tiles >= width.div_ceil(TILE_PX[0])
            && offset_bytes.is_multiple_of(4096)
            && end <= self.buffer.bytes()
    }

    /// Bytes and rows of a tile; of linear memory, the unit of PLANE_STRIDE.
    fn tile(&self) -> [u32; 2] {
        match self.tiling {
            Tiling::Linear => [64, 1],
            Tiling::X => [512, 8],
            Tiling::Y => [128, 32],
        }
    }

    /// Whether a flip may replace another framebuffer: the display engine changes addresses alone.
    pub(crate) fn can_replace(&self, shown: &Framebuffer) -> bool {
        let layout = |of: &Framebuffer| {
            let compressed = of.ccs.is_some();
            (
                of.extent_px,
                of.fourcc,
                of.tiling,
                of.pitch_bytes,
                compressed,
            )
        };
        layout(self) == layout(shown)
    }

    /// Offset of a pixel in the buffer.
    fn pixel_offset(&self, x: u32, y: u32) -> u64 {
        let [tile_bytes, tile_rows] = self.tile();
        let x = x * PIXEL_BYTES;
        let within = match self.tiling {
            Tiling::Linear => return u64::from(self.offset_bytes) + linear(self.pitch_bytes, x, y),
            Tiling::X => y % tile_rows * tile_bytes + x % tile_bytes,
            // Columns of 16 bytes.
            Tiling::Y => x % tile_bytes / 16 * 512 + y % tile_rows * 16 + x % 16,
        };
        let tile = y / tile_rows * (self.pitch_bytes / tile_bytes) + x / tile_bytes;
        u64::from(self.offset_bytes) + u64::from(tile) * 4096 + u64::from(within)
    }

    /// The surface with its CCS, if it has one.
    fn compressed_plane(&self) -> Option<CompressedPlane> {
        let [ccs_offset_bytes, ccs_pitch_bytes] = self.ccs?;
        // The code depends on the widths of the channels, which all compressed formats share.
        let format = hw::FORMATS
            .iter()
            .find(|format| format.name == "B8G8R8A8_UNORM")?;
        Some(CompressedPlane {
            format,
            offset_bytes: self.offset_bytes.into(),
            pitch_bytes: self.pitch_bytes,
            ccs_offset_bytes: ccs_offset_bytes.into(),
            ccs_pitch_bytes,
        })
    }

    /// Red, green and blue of a pixel, with 8 bits each. `None` in a fast-cleared block.
    fn pixel(&self, words: &[AtomicU32], x: u32, y: u32) -> Option<[u8; 3]> {
        let word = match self.compressed_plane() {
            Some(plane) => plane.pixel(words, [x, y])?,
            None => {
                let word = words.get((self.pixel_offset(x, y) / 4) as usize);
                word.map_or(0, |word| word.load(Relaxed))
            }
        };
        let row = FORMATS
            .iter()
            .find(|row| u32::from_le_bytes(row.0) == self.fourcc);
        let (shifts, bits) = row.map_or(([0; 3], 8), |row| (row.1, row.2));
        Some(shifts.map(|shift| ((word >> shift & ((1 << bits) - 1)) >> (bits - 8)) as u8))
    }
}

/// Offset of a byte of linear memory.
fn linear(pitch_bytes: u32, x_bytes: u32, y: u32) -> u64 {
    u64::from(y) * u64::from(pitch_bytes) + u64::from(x_bytes)
}

/// Writes what a screen of a size shows of a framebuffer to `<number>-screen.png` in a folder.
pub(crate) fn write_image(
    folder: &Path,
    number: u64,
    [width, height]: [u32; 2],
    framebuffer: &Framebuffer,
) -> std::result::Result<(), String> {
    let pages = framebuffer.buffer.pages();
    let pages = pages.map_err(|error| format!("a framebuffer without memory: {error}"))?;
    let words = pages.words();
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let pixels: Option<Vec<_>> = places
        .map(|(x, y)| framebuffer.pixel(words, x, y))
        .collect();
    let pixels = pixels
        .ok_or("the display engine reads fast-cleared blocks, whose colour it does not know")?;
    let image = TargetImage {
        name: "screen".into(),
        width,
        height,
        channels: 3,
        pixels: pixels.concat(),
    };
    write_png(folder, number, &image)
}

#[cfg(test)]
mod tests;
