//! Copies between images and host memory, and between images, by the CPU.
//!
//! In:  boxes of images, and bytes of the host. Out: bytes in the memory of images, or the reverse.
//!      Images with this usage have no aux surfaces, so that their memory is all that there is; a
//!      change of their layout is no work.
//! Ref: Vulkan specification, "Copying Data Between Images and Host Memory"
//!      (VK_EXT_host_image_copy).

use ash::vk as api;
use blit::{Extent, TexelMemory};
use hw::Wa;

use super::image::texel_block;
use super::image_box::ImageBox;
use crate::error::{Error, Result};
use crate::image::{Image, ImagePlane};
use crate::memory::DeviceMemory;

/// `optimalTilingLayoutUUID`: what `VK_HOST_IMAGE_COPY_MEMCPY` copies are rows of elements without
/// padding, whatever the tiling.
pub const MEMCPY_LAYOUT: [u8; 16] = *b"ingot: plain row";

/// Bytes of a void-extent block of ASTC; and the low bits that identify it.
const ASTC_BLOCK_BYTES: usize = 16;
const VOID_EXTENT: u16 = 0x1fc;
const VOID_EXTENT_MASK: u16 = 0x3ff;

const OUT_OF_RANGE: Error = Error::InvalidUse {
    why: "a copy beyond its image or its host memory",
};

/// A box of an image, and how its elements lie in host memory.
#[derive(Clone, Copy, Debug)]
pub struct HostCopy<'a> {
    image: &'a Image,
    memory: &'a DeviceMemory,
    plane: TexelMemory,
    extent: Extent,
    row_bytes: u64,
    slice_bytes: u64,
    /// Bytes of host memory from the first element to the last one.
    bytes: usize,
}

impl<'a> HostCopy<'a> {
    /// A box of an image. Rows of host memory have `row_px` pixels and slices `height_px` rows of
    /// pixels; 0: as many as the box. Fails if the image has no memory or no host transfer usage.
    pub fn new(image: &'a Image, of: &ImageBox, row_px: u32, height_px: u32) -> Result<Self> {
        let usage = image.info.question.usage;
        if !usage.contains(api::ImageUsageFlags::HOST_TRANSFER_EXT) || image.samples() > 1 {
            return Err(Error::InvalidUse {
                why: "a copy by the host of an image without that usage, or of several samples",
            });
        }
        let part = image.aspect_part(of.aspect)?;
        let block = texel_block(image, part);
        let or = |asked, else_px| if asked == 0 { else_px } else { asked };
        let count = |px: u32, axis: usize| u64::from(px.div_ceil(block.extent_sa[axis]));
        let (plane, extent) = of.plane_and_extent(image, part)?;
        let row_bytes = count(or(row_px, of.extent_px[0]), 0) * u64::from(block.bytes());
        let slice_bytes = row_bytes
            .checked_mul(count(or(height_px, of.extent_px[1]), 1))
            .ok_or(OUT_OF_RANGE)?;
        let (rows, slices) = (u64::from(extent.rows), u64::from(extent.slices));
        let bytes = match rows.min(slices).min(extent.row_bytes.into()) {
            0 => Some(0),
            _ => slice_bytes
                .checked_mul(slices - 1)
                .and_then(|before| before.checked_add(row_bytes.checked_mul(rows - 1)?))
                .and_then(|before| before.checked_add(extent.row_bytes.into())),
        };
        let bytes = bytes.and_then(|bytes| isize::try_from(bytes).ok());
        Ok(Self {
            image,
            memory: image.memory(part)?,
            plane,
            extent,
            row_bytes,
            slice_bytes,
            bytes: bytes.ok_or(OUT_OF_RANGE)?.cast_unsigned(),
        })
    }

    /// Bytes of host memory from the first element to the last one.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Each row: its slice, its number, and its first byte in host memory.
    fn rows(&self) -> impl Iterator<Item = (u32, u32, usize)> {
        let (row_bytes, slice_bytes, rows) = (self.row_bytes, self.slice_bytes, self.extent.rows);
        (0..self.extent.slices).flat_map(move |slice| {
            let first = u64::from(slice) * slice_bytes;
            (0..rows).map(move |row| (slice, row, (first + u64::from(row) * row_bytes) as usize))
        })
    }

    /// Makes the CPU's accesses to the box coherent with the GPU's, where the memory type is not.
    fn make_coherent(&self) -> Result<()> {
        let (span, _) = self.plane.bytes_touched(&self.extent);
        let at = span.address.saturating_sub(self.memory.address());
        self.memory.make_coherent(at, span.bytes)
    }

    /// Offset of an address in the image's memory.
    fn offset(&self, address: u64) -> usize {
        address.wrapping_sub(self.memory.address()) as usize
    }

    /// Writes the box from host memory.
    pub fn write(&self, from: &[u8]) -> Result<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        let mapping = self.memory.buffer().map()?;
        let hw_gen = self.memory.context().physical.info().device.hw_gen;
        let patched =
            self.image.format.is_astc() && Wa::NoAstcVoidExtentDenormals.required_on(hw_gen);
        let mut patch = Vec::new();
        for (slice, row, at) in self.rows() {
            let end = at + self.extent.row_bytes as usize;
            let mut bytes = from.get(at..end).ok_or(OUT_OF_RANGE)?;
            if patched {
                patch.clear();
                patch.extend_from_slice(bytes);
                patch_void_extents(&mut patch);
                bytes = &patch;
            }
            for run in self.plane.runs(slice, row, self.extent.row_bytes) {
                let bytes = bytes.get(run.bytes).ok_or(OUT_OF_RANGE)?;
                mapping.write(self.offset(run.address), bytes)?;
            }
        }
        self.make_coherent()
    }

    /// Reads the box into host memory. Padding between rows is unchanged.
    pub fn read(&self, to: &mut [u8]) -> Result<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        self.make_coherent()?;
        let mapping = self.memory.buffer().map()?;
        for (slice, row, at) in self.rows() {
            let end = at + self.extent.row_bytes as usize;
            let bytes = to.get_mut(at..end).ok_or(OUT_OF_RANGE)?;
            for run in self.plane.runs(slice, row, self.extent.row_bytes) {
                let bytes = bytes.get_mut(run.bytes).ok_or(OUT_OF_RANGE)?;
                mapping.read(self.offset(run.address), bytes)?;
            }
        }
        Ok(())
    }
}

/// Replaces denormal colours of void-extent blocks by zero, as copies of the GPU do
/// ([`blit::copy_astc_blocks`]).
fn patch_void_extents(blocks: &mut [u8]) {
    for block in blocks.as_chunks_mut::<ASTC_BLOCK_BYTES>().0 {
        if u16::from_le_bytes([block[0], block[1]]) & VOID_EXTENT_MASK != VOID_EXTENT {
            continue;
        }
        for channel in block[8..].as_chunks_mut::<2>().0 {
            if matches!(u16::from_le_bytes(*channel), 1..=3) {
                *channel = [0; 2];
            }
        }
    }
}

/// Copies a box of an image to another image by the CPU. `to` gives the destination's offset; its
/// size is ignored.
pub fn copy_image_on_host(
    source: &Image,
    from: &ImageBox,
    destination: &Image,
    to: &ImageBox,
) -> Result<()> {
    for (aspect_from, aspect_to) in from.aspects(to) {
        let (from, to) = (
            ImageBox {
                aspect: aspect_from,
                ..*from
            },
            ImageBox {
                aspect: aspect_to,
                ..*to
            },
        );
        let part = |image: &'_ Image, aspect| image.aspect_part(aspect).copied();
        let parts: [ImagePlane; 2] = [part(source, aspect_from)?, part(destination, aspect_to)?];
        let to = from.in_destination((source, &parts[0]), (destination, &parts[1]), &to);
        let (read, written) = (
            HostCopy::new(source, &from, 0, 0)?,
            HostCopy::new(destination, &to, 0, 0)?,
        );
        if read.bytes() != written.bytes() {
            return Err(Error::InvalidUse {
                why: "a copy between elements of different sizes",
            });
        }
        let mut bytes = vec![0; read.bytes()];
        read.read(&mut bytes)?;
        written.write(&bytes)?;
    }
    Ok(())
}

/// Bytes of a level of a layer, or of a volume, in copies with `VK_HOST_IMAGE_COPY_MEMCPY`.
pub fn memcpy_bytes(image: &Image, aspect: api::ImageAspectFlags, level: u32) -> Result<u64> {
    let part = image.aspect_part(aspect)?;
    let block = texel_block(image, part);
    let [width, height, depth] = image.aspect_extent_px(aspect, level);
    let count = |px: u32, axis: usize| u64::from(px.div_ceil(block.extent_sa[axis]));
    Ok(count(width, 0) * count(height, 1) * u64::from(depth) * u64::from(block.bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn void_extents_have_no_denormal_colours() {
        let mut void = [0; 16];
        void[..2].copy_from_slice(&0xfdfc_u16.to_le_bytes());
        for (at, value) in [(8, 1_u16), (10, 3), (12, 4), (14, 0xffff)] {
            void[at..at + 2].copy_from_slice(&value.to_le_bytes());
        }
        let mut other = void;
        other[0] = 0;
        let mut blocks: Vec<u8> = void.into_iter().chain(other).collect();
        patch_void_extents(&mut blocks);
        assert_eq!(blocks[8..16], [0, 0, 0, 0, 4, 0, 0xff, 0xff]);
        assert_eq!(blocks[16..], other);
    }
}
