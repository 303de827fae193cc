//! Entry points of copies, blits, clears and resolves of images.
//!
//! In:  images, buffers and regions, as arguments or in a structure. Out: one command of `vk` per
//!      region.

use ash::vk as c;
use vk::command::{BlitRegion, BufferTexelLayout, ImageBox};

use crate::entry::entries;
use crate::recording::record;
use crate::render::resolve_mode;
use crate::types::ResolveImageModeInfoKHR;
use crate::{handle, raw};

/// Defines the table of entry points. A row of `copies` defines the two forms of a command: the one
/// that takes its operands as arguments and the one that takes them in a structure, whose members
/// have the same names. A row consists of
/// - the names of both forms and the structure's type;
/// - the arguments before the regions, the type of a region, and the arguments after the regions;
/// - the operands passed to the function that records the command, and the conversion of a region
///   of either form.
macro_rules! image_copy_entries {
    ($table:ident:
        copies { $(
            $name:ident / $name2:ident($info:ident):
            ($($arg:ident: $arg_ty:ident),*), $region_ty:ident $(, $extra:ident: $extra_ty:ident)?
            => $record:ident($source:ident, $destination:ident), $convert:expr;
        )* }
        other { $($other:tt)* }
    ) => {
        entries! { $table:
            $(
                Device $name(
                    command_buffer: c::CommandBuffer,
                    $($arg: c::$arg_ty,)*
                    region_count: u32,
                    regions: *const c::$region_ty,
                    $($extra: c::$extra_ty,)?
                ) {
                    let regions = raw::slice(regions, region_count).iter().map($convert);
                    $record(command_buffer, ($source, $destination), regions $(, $extra)?)
                }

                Device $name2(command_buffer: c::CommandBuffer, info: *const c::$info<'_>) {
                    let info = raw::reference(info, concat!("Vk", stringify!($info)))?;
                    let regions = raw::slice(info.p_regions, info.region_count).iter().map($convert);
                    $record(command_buffer, (info.$source, info.$destination), regions $(, info.$extra)?)
                }
            )*
            $($other)*
        }
    };
}

/// An [`ImageRegion`] of a `VkImageCopy`, `VkImageResolve` or their second versions.
macro_rules! image_region {
    ($region:ident) => {
        ImageRegion {
            source: $region.src_subresource,
            source_offset: $region.src_offset,
            destination: $region.dst_subresource,
            destination_offset: $region.dst_offset,
            extent: $region.extent,
        }
    };
}

/// A [`BufferRegion`] of a `VkBufferImageCopy` or its second version.
macro_rules! buffer_region {
    ($region:ident) => {
        BufferRegion {
            rows: BufferTexelLayout {
                offset_bytes: $region.buffer_offset,
                row_px: $region.buffer_row_length,
                height_px: $region.buffer_image_height,
            },
            image: $region.image_subresource,
            offset: $region.image_offset,
            extent: $region.image_extent,
        }
    };
}

/// The [`BlitRegion`] of a `VkImageBlit` or its second version.
macro_rules! blit_region {
    ($region:ident) => {
        BlitRegion {
            source: $region.src_subresource,
            source_px: $region.src_offsets,
            destination: $region.dst_subresource,
            destination_px: $region.dst_offsets,
        }
    };
}

image_copy_entries! { IMAGE_COPY:
    copies {
        vkCmdCopyImage / vkCmdCopyImage2(CopyImageInfo2):
            (src_image: Image, src_image_layout: ImageLayout, dst_image: Image, dst_image_layout: ImageLayout), ImageCopy
            => copy_image(src_image, dst_image), |region| image_region!(region);
        vkCmdCopyBufferToImage / vkCmdCopyBufferToImage2(CopyBufferToImageInfo2):
            (src_buffer: Buffer, dst_image: Image, dst_image_layout: ImageLayout), BufferImageCopy
            => copy_buffer_to_image(src_buffer, dst_image), |region| buffer_region!(region);
        vkCmdCopyImageToBuffer / vkCmdCopyImageToBuffer2(CopyImageToBufferInfo2):
            (src_image: Image, src_image_layout: ImageLayout, dst_buffer: Buffer), BufferImageCopy
            => copy_image_to_buffer(src_image, dst_buffer), |region| buffer_region!(region);
        vkCmdBlitImage / vkCmdBlitImage2(BlitImageInfo2):
            (src_image: Image, src_image_layout: ImageLayout, dst_image: Image, dst_image_layout: ImageLayout), ImageBlit,
            filter: Filter
            => blit(src_image, dst_image), |region| blit_region!(region);
    }
    other {
        Device vkCmdResolveImage(
            command_buffer: c::CommandBuffer,
            src_image: c::Image,
            src_image_layout: c::ImageLayout,
            dst_image: c::Image,
            dst_image_layout: c::ImageLayout,
            region_count: u32,
            regions: *const c::ImageResolve,
        ) {
            let regions = raw::slice(regions, region_count).iter().map(|region| image_region!(region));
            resolve(command_buffer, (src_image, dst_image), regions, None)
        }

        Device vkCmdResolveImage2(command_buffer: c::CommandBuffer, info: *const c::ResolveImageInfo2<'_>) {
            let info = raw::reference(info, "VkResolveImageInfo2")?;
            let regions = raw::slice(info.p_regions, info.region_count).iter().map(|region| image_region!(region));
            let modes = raw::find_in_chain::<ResolveImageModeInfoKHR<'_>>(info.p_next);
            resolve(command_buffer, (info.src_image, info.dst_image), regions, modes)
        }

        Device vkCmdClearColorImage(
            command_buffer: c::CommandBuffer,
            image: c::Image,
            image_layout: c::ImageLayout,
            color: *const c::ClearColorValue,
            range_count: u32,
            ranges: *const c::ImageSubresourceRange,
        ) {
            let value = raw::reference(color, "VkClearColorValue")?.uint32;
            let image = handle::get(image)?;
            let ranges = raw::slice(ranges, range_count);
            record(command_buffer, |buffer| {
                ranges.iter().try_for_each(|range| buffer.clear_colours(image, &value, range))
            })
        }

        Device vkCmdClearDepthStencilImage(
            command_buffer: c::CommandBuffer,
            image: c::Image,
            image_layout: c::ImageLayout,
            depth_stencil: *const c::ClearDepthStencilValue,
            range_count: u32,
            ranges: *const c::ImageSubresourceRange,
        ) {
            let value = raw::reference(depth_stencil, "VkClearDepthStencilValue")?;
            let image = handle::get(image)?;
            let ranges = raw::slice(ranges, range_count);
            record(command_buffer, |buffer| {
                ranges.iter().try_for_each(|range| buffer.clear_depth_stencil(image, value, range))
            })
        }
    }
}

/// A region of a copy or resolve between two images.
struct ImageRegion {
    source: c::ImageSubresourceLayers,
    source_offset: c::Offset3D,
    destination: c::ImageSubresourceLayers,
    destination_offset: c::Offset3D,
    extent: c::Extent3D,
}

impl ImageRegion {
    /// The region's box in the source, and in the destination.
    fn boxes(
        &self,
        source: &vk::image::Image,
        destination: &vk::image::Image,
    ) -> vk::Result<(ImageBox, ImageBox)> {
        Ok((
            ImageBox::new(&self.source, &self.source_offset, &self.extent, source)?,
            ImageBox::new(
                &self.destination,
                &self.destination_offset,
                &self.extent,
                destination,
            )?,
        ))
    }
}

/// A region of a copy between a buffer and an image.
struct BufferRegion {
    rows: BufferTexelLayout,
    image: c::ImageSubresourceLayers,
    offset: c::Offset3D,
    extent: c::Extent3D,
}

impl BufferRegion {
    /// The region's box in the image.
    fn image_box(&self, image: &vk::image::Image) -> vk::Result<ImageBox> {
        ImageBox::new(&self.image, &self.offset, &self.extent, image)
    }
}

/// Records copies between two images.
///
/// # Safety
/// As [`record`]; the images are null or handles of this driver.
unsafe fn copy_image(
    commands: c::CommandBuffer,
    (source, destination): (c::Image, c::Image),
    mut regions: impl Iterator<Item = ImageRegion>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let (source, destination) = (handle::get(source)?, handle::get(destination)?);
        record(commands, |buffer| {
            regions.try_for_each(|region| {
                let (from, to) = region.boxes(source, destination)?;
                buffer.copy_image(source, &from, destination, &to)
            })
        })
    }
}

/// Records copies from a buffer to an image.
///
/// # Safety
/// As [`record`]; both are null or handles of this driver.
unsafe fn copy_buffer_to_image(
    commands: c::CommandBuffer,
    (source, image): (c::Buffer, c::Image),
    mut regions: impl Iterator<Item = BufferRegion>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let (source, image) = (handle::get(source)?, handle::get(image)?);
        record(commands, |buffer| {
            regions.try_for_each(|region| {
                let to = region.image_box(image)?;
                buffer.copy_buffer_to_image(source, &region.rows, image, &to)
            })
        })
    }
}

/// Records copies from an image to a buffer.
///
/// # Safety
/// As [`copy_buffer_to_image`].
unsafe fn copy_image_to_buffer(
    commands: c::CommandBuffer,
    (image, destination): (c::Image, c::Buffer),
    mut regions: impl Iterator<Item = BufferRegion>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let (image, destination) = (handle::get(image)?, handle::get(destination)?);
        record(commands, |buffer| {
            regions.try_for_each(|region| {
                let from = region.image_box(image)?;
                buffer.copy_image_to_buffer(image, &from, destination, &region.rows)
            })
        })
    }
}

/// Records blits between two images.
///
/// # Safety
/// As [`copy_image`].
unsafe fn blit(
    commands: c::CommandBuffer,
    (source, destination): (c::Image, c::Image),
    mut regions: impl Iterator<Item = BlitRegion>,
    filter: c::Filter,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let (source, destination) = (handle::get(source)?, handle::get(destination)?);
        record(commands, |buffer| {
            regions.try_for_each(|region| buffer.scale(source, destination, &region, filter))
        })
    }
}

/// `VK_RESOLVE_IMAGE_SKIP_TRANSFER_FUNCTION_BIT_KHR`. The other flag asks for the default.
const RESOLVE_SKIP_TRANSFER_FUNCTION: u32 = 1 << 0;

/// Records resolves between two images.
///
/// # Safety
/// As [`copy_image`].
unsafe fn resolve(
    commands: c::CommandBuffer,
    (source, destination): (c::Image, c::Image),
    mut regions: impl Iterator<Item = ImageRegion>,
    modes: Option<&ResolveImageModeInfoKHR<'_>>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let (source, destination) = (handle::get(source)?, handle::get(destination)?);
        let encoded = modes.is_some_and(|modes| modes.flags & RESOLVE_SKIP_TRANSFER_FUNCTION != 0);
        let modes = modes.map(|modes| -> vk::Result<_> {
            Ok([
                resolve_mode(modes.resolve_mode)?,
                resolve_mode(modes.stencil_resolve_mode)?,
            ])
        });
        let modes = modes.transpose();
        record(commands, |buffer| {
            let modes = modes?;
            regions.try_for_each(|region| {
                let (from, to) = region.boxes(source, destination)?;
                buffer.resolve(source, &from, destination, &to, modes, encoded)
            })
        })
    }
}
