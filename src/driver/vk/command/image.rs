//! Copies and clears of images.
//!
//! In:  images, and regions as Vulkan describes them. Out: dispatches of meta shaders on the
//!      images' memory.
//! Ref: Vulkan specification, "Copying Data Between Images", "Copying Data Between Buffers and
//!      Images", "Clearing Images Outside a Render Pass Instance".

use ash::vk as api;
use blit::{Extent, MemoryBox, Order, Quads, SampleCopy, TexelMemory};
use hw::Wa;

use super::aux_state;
use super::buffer::CommandBuffer;
use super::image_box::ImageBox;
use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::image::{Image, ImagePlane, texel};

/// Layout of texels in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct BufferTexelLayout {
    /// Offset of the first texel, in bytes.
    pub offset_bytes: u64,
    /// Pixels of a row; 0: the width of the region.
    pub row_px: u32,
    /// Rows of pixels of a slice; 0: the height of the region.
    pub height_px: u32,
}

const OUT_OF_RANGE: Error = Error::InvalidUse {
    why: "a copy or clear beyond its image",
};

/// The byte order of a tiling.
pub(super) fn byte_order(tiling: surface::Tiling) -> Result<Order> {
    match tiling {
        surface::Tiling::Linear => Ok(Order::Rows),
        surface::Tiling::X => Ok(Order::X),
        surface::Tiling::Y => Ok(Order::Y),
        surface::Tiling::W => Ok(Order::W),
        surface::Tiling::Hiz | surface::Tiling::Ccs => Err(Error::InvalidUse {
            why: "texels of an auxiliary surface",
        }),
    }
}

impl ImageBox {
    /// Converts a region with one aspect.
    pub fn new(
        subresource: &api::ImageSubresourceLayers,
        offset: &api::Offset3D,
        extent: &api::Extent3D,
        image: &Image,
    ) -> Result<Self> {
        let offset_px = [offset.x, offset.y, offset.z].map(u32::try_from);
        let [Ok(x), Ok(y), Ok(z)] = offset_px else {
            return Err(OUT_OF_RANGE);
        };
        let layers = match subresource.layer_count {
            api::REMAINING_ARRAY_LAYERS => image
                .info
                .layers
                .checked_sub(subresource.base_array_layer)
                .ok_or(OUT_OF_RANGE)?,
            count => count,
        };
        // Copies between layers and slices give both counts as depth.
        let depth = match image.info.question.dimension {
            api::ImageType::TYPE_3D => extent.depth,
            _ => extent.depth.min(1),
        };
        Ok(Self {
            aspect: subresource.aspect_mask,
            level: subresource.mip_level,
            first_layer: subresource.base_array_layer,
            layers,
            offset_px: [x, y, z],
            extent_px: [extent.width, extent.height, depth],
        })
    }

    /// Checks that the box is within the image.
    pub(super) fn check_bounds(&self, image: &Image) -> Result<()> {
        let level = image.aspect_extent_px(self.aspect, self.level);
        let inside = self
            .offset_px
            .iter()
            .zip(self.extent_px)
            .zip(level)
            .all(|((&at, extent), level)| at.checked_add(extent).is_some_and(|end| end <= level));
        let layers = self.first_layer.checked_add(self.layers);
        let in_destination =
            self.level < image.info.levels && layers.is_some_and(|end| end <= image.info.layers);
        if inside && in_destination {
            Ok(())
        } else {
            Err(OUT_OF_RANGE)
        }
    }

    /// The aspects of a copy from this box to another: colour may be copied to a plane, to depth
    /// or to stencil, and the reverse; else depth and stencil are copied to the same aspect.
    pub(super) fn aspects(
        &self,
        to: &ImageBox,
    ) -> impl Iterator<Item = (api::ImageAspectFlags, api::ImageAspectFlags)> {
        let both = [api::ImageAspectFlags::DEPTH, api::ImageAspectFlags::STENCIL];
        let colours = (self.aspect, to.aspect);
        let each = both.map(|aspect| {
            let has = |of: &ImageBox| of.aspect.contains(aspect);
            (has(self) && has(to)).then_some((aspect, aspect))
        });
        let neither = each == [None; 2];
        let all = neither.then_some(colours).into_iter();
        all.chain(each.into_iter().flatten())
    }

    /// The destination of a copy of this box, from the offset of `to`: as many blocks, in pixels of
    /// the destination.
    pub(super) fn in_destination(
        &self,
        (source, part_from): (&Image, &ImagePlane),
        (destination, part_to): (&Image, &ImagePlane),
        to: &ImageBox,
    ) -> ImageBox {
        let blocks = texel_block(source, part_from);
        let of = texel_block(destination, part_to);
        let level = destination.aspect_extent_px(part_to.aspect, to.level);
        let mut written = *to;
        written.extent_px = self.extent_px;
        for axis in 0..2 {
            let elements = self.extent_px[axis].div_ceil(blocks.extent_sa[axis]);
            let left = level[axis].saturating_sub(to.offset_px[axis]);
            written.extent_px[axis] = match blocks == of {
                true => self.extent_px[axis],
                // The last block may extend beyond the image.
                false => (elements * of.extent_sa[axis]).min(left),
            };
        }
        let volume = |image: &Image| image.info.question.dimension == api::ImageType::TYPE_3D;
        // Layers of one image correspond to slices of the other.
        match (volume(source), volume(destination)) {
            (true, false) => (written.layers, written.extent_px[2]) = (self.extent_px[2], 1),
            (false, true) => (written.layers, written.extent_px[2]) = (1, self.layers),
            _ => written.layers = self.layers,
        }
        written
    }

    /// Whether the box starts or ends within a pair of pixels along an axis.
    fn splits_pair(&self, image: &Image, axis: usize) -> bool {
        let offset = self.offset_px[axis];
        let end = offset + self.extent_px[axis];
        let last = image.level_extent_px(self.level)[axis];
        !offset.is_multiple_of(2) || !(end.is_multiple_of(2) || end == last)
    }

    /// Whether the box splits 2×2 quads in which samples are interleaved.
    fn splits_quads(&self, image: &Image, part: &ImagePlane) -> bool {
        part.surface.sample_layout == surface::SampleLayout::Interleaved
            && (0..2).any(|axis| sample_shift(image, axis) > 0 && self.splits_pair(image, axis))
    }

    /// The quads that the box touches, and its start in the first one.
    pub(super) fn quads(&self, image: &Image, part: &ImagePlane) -> Result<Quads> {
        self.check_bounds(image)?;
        let mut whole = *self;
        let mut first_px = [0; 2];
        for axis in 0..2 {
            let offset = self.offset_px[axis];
            let end = (offset + self.extent_px[axis]).next_multiple_of(2);
            let end = end.min(image.level_extent_px(self.level)[axis]);
            first_px[axis] = offset % 2;
            whole.offset_px[axis] = offset - first_px[axis];
            whole.extent_px[axis] = end - whole.offset_px[axis];
        }
        let (plane, _) = whole.plane_and_extent(image, part)?;
        Ok(Quads { plane, first_px })
    }

    /// Location of the box in memory, and its size in bytes and rows, all samples included.
    pub(super) fn plane_and_extent(
        &self,
        image: &Image,
        part: &ImagePlane,
    ) -> Result<(TexelMemory, Extent)> {
        self.check_bounds(image)?;
        let surface = &part.surface;
        let block = surface.block;
        let volume = image.info.question.dimension == api::ImageType::TYPE_3D;
        let (first, slices) = match volume {
            true => (self.offset_px[2], self.extent_px[2]),
            false => (self.first_layer, self.layers),
        };
        let (mut at, mut size) = ([0; 2], [0; 2]);
        for axis in 0..2 {
            let (offset, extent) = (self.offset_px[axis], self.extent_px[axis]);
            (at[axis], size[axis]) = match surface.sample_layout {
                surface::SampleLayout::Interleaved => interleaved_range(image, self, axis)?,
                _ => (
                    offset / block.extent_sa[axis],
                    extent.div_ceil(block.extent_sa[axis]),
                ),
            };
        }
        let slices = match surface.sample_layout {
            surface::SampleLayout::Layers => slices * surface.samples,
            _ => slices,
        };
        let place = surface.offset_of(self.level, first);
        let bytes = block.bytes();
        let plane = TexelMemory {
            address: image.address(part)? + part.offset_bytes + place.offset_bytes,
            order: byte_order(surface.tiling)?,
            pitch_bytes: surface.row_pitch_bytes,
            x_bytes: (place.within_el[0] + at[0]) * bytes,
            y_rows: place.within_el[1] + at[1],
            slice_rows: surface.layer_pitch_rows_el,
        };
        let extent = Extent {
            row_bytes: size[0] * bytes,
            rows: size[1],
            slices,
        };
        Ok((plane, extent))
    }
}

/// Texel block as the API counts it: two pixels of a packed 4:2:2 format are one element of the API
/// but two of the hardware, and the fourth channel of a widened format does not count.
pub(super) fn texel_block(image: &Image, part: &ImagePlane) -> surface::FormatBlock {
    let block = part.surface.block;
    if part.format.name.starts_with("YCRCB") {
        return surface::FormatBlock {
            bits: 2 * block.bits,
            extent_sa: [2, 1],
        };
    }
    match image.format.widened {
        true => surface::FormatBlock {
            bits: block.bits / 4 * 3,
            ..block
        },
        false => block,
    }
}

/// Converts an extent from blocks `block` to blocks `of`, which may differ in bits and pixels.
fn extent_in_blocks(
    extent: &Extent,
    block: surface::FormatBlock,
    of: surface::FormatBlock,
) -> Extent {
    let elements = extent.row_bytes / block.bytes() * block.extent_sa[0] / of.extent_sa[0];
    Extent {
        row_bytes: elements * of.bytes(),
        ..*extent
    }
}

/// Log2 of the number of samples side by side along an axis, where samples are interleaved.
fn sample_shift(image: &Image, axis: usize) -> u32 {
    let bits = image.samples().ilog2();
    if axis == 0 {
        bits.div_ceil(2)
    } else {
        bits / 2
    }
}

/// Range of interleaved samples that a box covers along an axis: 2×1, 2×2, 4×2 or 4×4 samples per
/// pixel.
fn interleaved_range(image: &Image, part: &ImageBox, axis: usize) -> Result<(u32, u32)> {
    let sample_shift = sample_shift(image, axis);
    let (offset, extent) = (part.offset_px[axis], part.extent_px[axis]);
    let end = offset + extent;
    if sample_shift > 0 && part.splits_pair(image, axis) {
        return Err(Error::InvalidUse {
            why: "a region of multisampled depth or stencil that splits a 2x2 quad",
        });
    }
    let end = if sample_shift > 0 {
        end.next_multiple_of(2)
    } else {
        end
    };
    Ok((offset << sample_shift, (end - offset) << sample_shift))
}

impl CommandBuffer {
    /// Copies between memory, of an address and a size, and a box of an image.
    pub fn copy_memory_image(
        &mut self,
        (address, size): (u64, u64),
        rows: &BufferTexelLayout,
        image: &Image,
        of: &ImageBox,
        to_image: bool,
    ) -> Result<()> {
        let place = |offset: u64, bytes: u64| match offset.checked_add(bytes) {
            Some(end) if end <= size => Ok(address + offset),
            _ => Err(OUT_OF_RANGE),
        };
        self.copy_rows_image(place, rows, image, of, to_image)
    }

    /// Copies between a buffer and an image.
    fn copy_buffer_image(
        &mut self,
        buffer: &Buffer,
        rows: &BufferTexelLayout,
        image: &Image,
        of: &ImageBox,
        to_image: bool,
    ) -> Result<()> {
        let place = |offset, bytes| buffer.address_of(offset, bytes);
        self.copy_rows_image(place, rows, image, of, to_image)
    }

    /// Copies between rows of texels in memory and an image. `place`: the address of an offset, if
    /// that many bytes follow.
    fn copy_rows_image(
        &mut self,
        place: impl Fn(u64, u64) -> Result<u64>,
        rows: &BufferTexelLayout,
        image: &Image,
        of: &ImageBox,
        to_image: bool,
    ) -> Result<()> {
        let part = image.aspect_part(of.aspect)?;
        let (plane, extent) = of.plane_and_extent(image, part)?;
        let block = texel_block(image, part);
        let or = |asked, else_px| if asked == 0 { else_px } else { asked };
        let row_el = or(rows.row_px, of.extent_px[0]).div_ceil(block.extent_sa[0]);
        let slice_rows = or(rows.height_px, of.extent_px[1]).div_ceil(block.extent_sa[1]);
        let pitch_bytes = row_el.checked_mul(block.bytes()).ok_or(OUT_OF_RANGE)?;
        if extent.rows == 0 || extent.slices == 0 {
            return Ok(());
        }
        let linear_extent = extent_in_blocks(&extent, part.surface.block, block);
        let last_row =
            u64::from(slice_rows) * u64::from(extent.slices - 1) + u64::from(extent.rows - 1);
        let bytes = last_row * u64::from(pitch_bytes) + u64::from(linear_extent.row_bytes);
        let linear = TexelMemory {
            address: place(rows.offset_bytes, bytes)?,
            order: Order::Rows,
            pitch_bytes,
            x_bytes: 0,
            y_rows: 0,
            slice_rows,
        };
        let (linear, plane) = ((linear, linear_extent), (plane, extent));
        match to_image {
            true => self.copy_elements(linear, plane, image, Some(image.format)),
            false => self.copy_elements(plane, linear, image, None),
        }
    }

    /// Copies a box of elements to a box of equally many. If the row sizes differ, one side has
    /// three channels and the other, of a widened image, a fourth one. `written`: the format of the
    /// destination, if it is an image: blocks of ASTC may be patched.
    fn copy_elements(
        &mut self,
        source: (TexelMemory, Extent),
        destination: (TexelMemory, Extent),
        widened: &Image,
        written: Option<&Format>,
    ) -> Result<()> {
        self.order_write(MemoryBox::new(destination.0, destination.1));
        let patches_astc = Wa::NoAstcVoidExtentDenormals.required_on(self.hw_gen())
            && written.is_some_and(Format::is_astc);
        let launches = match source.1 == destination.1 {
            true if patches_astc => blit::copy_astc_blocks(source.0, destination.0, source.1)
                .ok_or(Error::InvalidUse {
                    why: "a copy of parts of ASTC blocks",
                })?,
            true => blit::copy_texels(source.0, destination.0, source.1),
            false => {
                let channel_bytes = u32::from(widened.format.hw.block_bits) / (4 * 8);
                blit::copy_three_channel_texels(source, destination, channel_bytes).ok_or(
                    Error::InvalidUse {
                        why: "a copy between elements of different sizes",
                    },
                )?
            }
        };
        for launch in launches {
            self.dispatch_meta(&launch)?;
        }
        Ok(())
    }

    /// Copies a box of an image to a buffer.
    pub fn copy_image_to_buffer(
        &mut self,
        image: &Image,
        from: &ImageBox,
        buffer: &Buffer,
        rows: &BufferTexelLayout,
    ) -> Result<()> {
        self.copy_buffer_image(buffer, rows, image, from, false)
    }

    /// Copies a buffer to a box of an image.
    pub fn copy_buffer_to_image(
        &mut self,
        buffer: &Buffer,
        rows: &BufferTexelLayout,
        image: &Image,
        to: &ImageBox,
    ) -> Result<()> {
        self.copy_buffer_image(buffer, rows, image, to, true)
    }

    /// Copies a box of an image to another image. `to` gives the destination's offset; its size is
    /// ignored.
    pub fn copy_image(
        &mut self,
        source: &Image,
        from: &ImageBox,
        destination: &Image,
        to: &ImageBox,
    ) -> Result<()> {
        for (aspect_from, aspect_to) in from.aspects(to) {
            let (part_from, part_to) = (
                source.aspect_part(aspect_from)?,
                destination.aspect_part(aspect_to)?,
            );
            let in_destination =
                from.in_destination((source, part_from), (destination, part_to), to);
            if source.samples() > 1
                && part_from.surface.sample_layout != part_to.surface.sample_layout
            {
                self.rearrange_samples(
                    (source, from, part_from),
                    (destination, &in_destination, part_to),
                )?;
                continue;
            }
            if from.splits_quads(source, part_from)
                || in_destination.splits_quads(destination, part_to)
            {
                self.copy_samples(
                    (source, from, part_from),
                    (destination, &in_destination, part_to),
                )?;
                continue;
            }
            let (plane_from, extent) = from.plane_and_extent(source, part_from)?;
            let (plane_to, same) = in_destination.plane_and_extent(destination, part_to)?;
            let written = Some(destination.format);
            let widened = match source.format.widened {
                true => source,
                false => destination,
            };
            self.copy_elements((plane_from, extent), (plane_to, same), widened, written)?;
            if let Some(control) =
                aux_state::copy_hazards(source, from, destination, &in_destination)?
            {
                for launch in control {
                    self.dispatch_meta(&launch)?;
                }
            }
        }
        Ok(())
    }

    /// Copies depth or stencil sample by sample.
    fn copy_samples(
        &mut self,
        (source, from, part_from): (&Image, &ImageBox, &ImagePlane),
        (destination, to, part_to): (&Image, &ImageBox, &ImagePlane),
    ) -> Result<()> {
        let bytes = part_from.surface.block.bytes();
        let same = source.samples() == destination.samples()
            && part_to.surface.block == part_from.surface.block;
        if !same || !matches!(bytes, 1 | 2 | 4) {
            return Err(Error::InvalidUse {
                why: "a copy of depth or stencil to another format",
            });
        }
        let samples = SampleCopy {
            samples_log2: source.samples().ilog2(),
            unit_log2: bytes.ilog2(),
        };
        let sides = [
            from.quads(source, part_from)?,
            to.quads(destination, part_to)?,
        ];
        let [width, height, _] = from.extent_px;
        for launch in blit::copy_samples(samples, sides, [width, height, from.layers]) {
            self.dispatch_meta(&launch)?;
        }
        Ok(())
    }

    /// Writes an element to all of a box.
    pub fn fill_image(&mut self, image: &Image, of: &ImageBox, element: &[u8]) -> Result<()> {
        let part = image.aspect_part(of.aspect)?;
        let (mut plane, mut extent) = of.plane_and_extent(image, part)?;
        if let Some(control) = aux_state::map_to_slice_0(image, of)? {
            // Slice 0 holds all samples.
            let samples = part.surface.samples;
            plane.slice_rows *= samples;
            extent.slices /= samples;
            for launch in control {
                self.dispatch_meta(&launch)?;
            }
        }
        self.order_write(MemoryBox::new(plane, extent));
        for launch in blit::fill_texels(plane, extent, element) {
            self.dispatch_meta(&launch)?;
        }
        Ok(())
    }

    fn clear_levels(
        &mut self,
        image: &Image,
        range: &api::ImageSubresourceRange,
        aspect: api::ImageAspectFlags,
        element: &[u8],
    ) -> Result<()> {
        let left = |all: u32, first: u32, count: u32| match count {
            api::REMAINING_MIP_LEVELS => all.saturating_sub(first),
            count => count,
        };
        const { assert!(api::REMAINING_MIP_LEVELS == api::REMAINING_ARRAY_LAYERS) };
        let levels = left(image.info.levels, range.base_mip_level, range.level_count);
        let layers = left(image.info.layers, range.base_array_layer, range.layer_count);
        for level in (range.base_mip_level..).take(levels as usize) {
            if level >= image.info.levels {
                return Err(OUT_OF_RANGE);
            }
            let whole = ImageBox {
                aspect,
                level,
                first_layer: range.base_array_layer,
                layers,
                offset_px: [0; 3],
                extent_px: image.level_extent_px(level),
            };
            self.fill_image(image, &whole, element)?;
        }
        Ok(())
    }

    /// Clears ranges of a colour image; `value` holds the bits of the four channels.
    pub fn clear_colours(
        &mut self,
        image: &Image,
        value: &[u32; 4],
        range: &api::ImageSubresourceRange,
    ) -> Result<()> {
        if image.format.is_compressed() {
            return Err(Error::FormatNotSupported);
        }
        let element = texel::colour(image.format, value);
        self.clear_levels(image, range, api::ImageAspectFlags::COLOR, &element)
    }

    /// Clears ranges of a depth and stencil image.
    pub fn clear_depth_stencil(
        &mut self,
        image: &Image,
        value: &api::ClearDepthStencilValue,
        range: &api::ImageSubresourceRange,
    ) -> Result<()> {
        for part in image.parts() {
            if range.aspect_mask.contains(part.aspect) {
                let element = texel::depth_stencil(part.format, value);
                self.clear_levels(image, range, part.aspect, &element)?;
            }
        }
        Ok(())
    }
}
