//! Texel loads and stores by coordinates.
//!
//! In:  an [`Image`], coordinates. Out: values; memory changed.
//! Ref: SKL PRM vol. 5, "Surface Layout and Tiling"; vol. 7, "MCS Buffer for Render Target(s)".

use super::aux::Block;
use super::ccs_compression::CompressionCode;
use super::compressed;
use super::format;
use super::image::{Image, Kind};
use super::level::Level;
use crate::memory::AddressSpaceView;
use eu::StopReason;

impl Image {
    /// Err for formats that [`format::decode`] does not know.
    fn check_convertible(&self) -> Result<(), StopReason> {
        match format::known(self.format) {
            true => Ok(()),
            false => Err(StopReason::Unimplemented {
                what: format!("texels of the format {}", self.format.name),
                at: self.address,
            }),
        }
    }

    /// Whether a level of the view is there: those below Resource Min LOD, of which whole levels
    /// count here, are out of bounds for messages whose level is not clamped to it: they name it,
    /// or gather (ERRATA.md; SKL PRM vol. 2d, RENDER_SURFACE_STATE, Resource Min LOD; Vulkan,
    /// "Integer Texel Coordinate Operations", on an image view's least level, which Mesa's driver
    /// leaves to this field).
    pub fn is_resident(&self, level: u32) -> bool {
        level.saturating_add(self.min_lod) >= self.resource_min_lod >> 8
    }

    /// What a read out of bounds gives, before the swizzle: zeros, and the defaults of channels
    /// that the format lacks, alpha 1. Null surfaces have no format: zeros.
    /// Ref: Direct3D 10 and 11, `ld`, `ld_uav_typed`, `sample` of what is not bound;
    ///      `base/hw/ERRATA.md`, "Reads out of bounds".
    pub fn outside(&self) -> [u32; 4] {
        match self.kind {
            Kind::Null => [0; 4],
            _ => format::fill_missing_channels(self.format, [0; 4]),
        }
    }

    /// The value of a texel before the swizzle: [`Image::outside`] out of bounds, the clear colour
    /// where the surface is cleared. `z` is the slice, array element or face.
    pub fn load(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        [x, y, z]: [u32; 3],
        sample: u32,
    ) -> Result<[u32; 4], StopReason> {
        self.load_at(view, (lod, &self.at_level(lod)), [x, y, z], sample)
    }

    /// [`Image::load`] with the layout of the level at hand.
    pub fn load_at(
        &self,
        view: &AddressSpaceView<'_>,
        (lod, level): (u32, &Level),
        [x, y, z]: [u32; 3],
        sample: u32,
    ) -> Result<[u32; 4], StopReason> {
        let Some(address) = level.address(x, y, z, sample) else {
            return Ok(self.outside());
        };
        let block = self.block(view, lod, [x, y, z])?;
        self.decode_at(view, address, [x, y], block)
    }

    /// Decodes the texel of the element at an address, by the CCS state of its block.
    pub fn decode_at(
        &self,
        view: &AddressSpaceView<'_>,
        address: u64,
        [x, y]: [u32; 2],
        block: Block,
    ) -> Result<[u32; 4], StopReason> {
        match block {
            Block::Plain => {}
            Block::Clear => return Ok(self.clear_color),
            Block::Compressed => return self.decompressed(view, address),
        }
        if self.bytes == 2 && format::shares_chroma(self.format) {
            let first = address - u64::from(x % 2) * 2;
            let pair = view.read_bytes(first, 4)? as u32;
            return Ok(format::decode_pair(self.format, pair, x % 2 == 1));
        }
        let element = self.element(view, address)?;
        let [block_w, block_h] = self.format.block_el.map(u32::from);
        if block_w > 1 {
            if view.is_strict() {
                compressed::check_block(self.format, &element, address)?;
            }
            let (x, y) = ((x % block_w) as usize, (y % block_h.max(1)) as usize);
            if let Some(texel) = compressed::decode_texel(self.format, &element, x, y) {
                return Ok(texel);
            }
        }
        self.check_convertible()?;
        Ok(format::decode(self.format, &element))
    }

    /// The value of a texel of a compressed block.
    #[cold]
    fn decompressed(
        &self,
        view: &AddressSpaceView<'_>,
        address: u64,
    ) -> Result<[u32; 4], StopReason> {
        let mut element = self.element(view, address)?;
        let dwords = element.as_chunks_mut::<4>().0;
        for (i, dword) in (0..self.bytes / 4).zip(dwords) {
            let mask = self.compression_mask(address + 4 * u64::from(i));
            *dword = (u32::from_le_bytes(*dword) ^ mask).to_le_bytes();
        }
        self.check_convertible()?;
        Ok(format::decode(self.format, &element))
    }

    /// The XOR mask of a compressed block's dword at an address.
    #[inline]
    pub fn compression_mask(&self, address: u64) -> u32 {
        CompressionCode::from_format(self.format).xor_mask(address)
    }

    /// Writes a texel; dropped out of bounds. Resolves the texel's block first.
    pub fn store(
        &self,
        view: &AddressSpaceView<'_>,
        lod: u32,
        [x, y, z]: [u32; 3],
        sample: u32,
        values: [u32; 4],
    ) -> Result<(), StopReason> {
        let Some(address) = self.texel_address(lod, x, y, z, sample) else {
            return Ok(());
        };
        self.check_convertible()?;
        self.materialize(view, lod, [x, y, z])?;
        self.write_texel(view, address, &format::encode(self.format, values))
    }
}
