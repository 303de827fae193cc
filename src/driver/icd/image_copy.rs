//! Entry points of copies, clears and resolves of images.
//!
//! The older forms of a command are made into the newer ones, region by region.

use ash::vk as c;
use vk::command::{BufferRows, ImageBox, Scaled};

use crate::entry::entries;
use crate::recording::record;
use crate::{handle, raw};

entries! { IMAGE_COPY:
    Device vkCmdCopyImage(
        command_buffer: c::CommandBuffer,
        src_image: c::Image,
        src_image_layout: c::ImageLayout,
        dst_image: c::Image,
        dst_image_layout: c::ImageLayout,
        region_count: u32,
        regions: *const c::ImageCopy,
    ) {
        let regions = raw::slice(regions, region_count).iter().map(|region| {
            c::ImageCopy2::default()
                .src_subresource(region.src_subresource)
                .src_offset(region.src_offset)
                .dst_subresource(region.dst_subresource)
                .dst_offset(region.dst_offset)
                .extent(region.extent)
        });
        copy(command_buffer, (src_image, dst_image), regions)
    }

    Device vkCmdCopyImage2(
        command_buffer: c::CommandBuffer,
        info: *const c::CopyImageInfo2<'_>,
    ) {
        let info = raw::reference(info, "VkCopyImageInfo2")?;
        let regions = raw::slice(info.p_regions, info.region_count).iter().copied();
        copy(command_buffer, (info.src_image, info.dst_image), regions)
    }

    Device vkCmdCopyBufferToImage(
        command_buffer: c::CommandBuffer,
        src_buffer: c::Buffer,
        dst_image: c::Image,
        dst_image_layout: c::ImageLayout,
        region_count: u32,
        regions: *const c::BufferImageCopy,
    ) {
        let regions = raw::slice(regions, region_count).iter().map(newer);
        copy_rows(command_buffer, (src_buffer, dst_image), true, regions)
    }

    Device vkCmdCopyBufferToImage2(
        command_buffer: c::CommandBuffer,
        info: *const c::CopyBufferToImageInfo2<'_>,
    ) {
        let info = raw::reference(info, "VkCopyBufferToImageInfo2")?;
        let regions = raw::slice(info.p_regions, info.region_count).iter().copied();
        copy_rows(command_buffer, (info.src_buffer, info.dst_image), true, regions)
    }

    Device vkCmdCopyImageToBuffer(
        command_buffer: c::CommandBuffer,
        src_image: c::Image,
        src_image_layout: c::ImageLayout,
        dst_buffer: c::Buffer,
        region_count: u32,
        regions: *const c::BufferImageCopy,
    ) {
        let regions = raw::slice(regions, region_count).iter().map(newer);
        copy_rows(command_buffer, (dst_buffer, src_image), false, regions)
    }

    Device vkCmdCopyImageToBuffer2(
        command_buffer: c::CommandBuffer,
        info: *const c::CopyImageToBufferInfo2<'_>,
    ) {
        let info = raw::reference(info, "VkCopyImageToBufferInfo2")?;
        let regions = raw::slice(info.p_regions, info.region_count).iter().copied();
        copy_rows(command_buffer, (info.dst_buffer, info.src_image), false, regions)
    }

    Device vkCmdBlitImage(
        command_buffer: c::CommandBuffer,
        src_image: c::Image,
        src_image_layout: c::ImageLayout,
        dst_image: c::Image,
        dst_image_layout: c::ImageLayout,
        region_count: u32,
        regions: *const c::ImageBlit,
        filter: c::Filter,
    ) {
        let regions = raw::slice(regions, region_count).iter().map(|region| Scaled {
            from: region.src_subresource,
            from_px: region.src_offsets,
            to: region.dst_subresource,
            to_px: region.dst_offsets,
        });
        scale(command_buffer, (src_image, dst_image), regions, filter)
    }

    Device vkCmdBlitImage2(
        command_buffer: c::CommandBuffer,
        info: *const c::BlitImageInfo2<'_>,
    ) {
        let info = raw::reference(info, "VkBlitImageInfo2")?;
        let regions = raw::slice(info.p_regions, info.region_count).iter().map(|region| Scaled {
            from: region.src_subresource,
            from_px: region.src_offsets,
            to: region.dst_subresource,
            to_px: region.dst_offsets,
        });
        scale(command_buffer, (info.src_image, info.dst_image), regions, info.filter)
    }

    Device vkCmdResolveImage(
        command_buffer: c::CommandBuffer,
        src_image: c::Image,
        src_image_layout: c::ImageLayout,
        dst_image: c::Image,
        dst_image_layout: c::ImageLayout,
        region_count: u32,
        regions: *const c::ImageResolve,
    ) {
        let regions = raw::slice(regions, region_count).iter().map(|region| {
            c::ImageResolve2::default()
                .src_subresource(region.src_subresource)
                .src_offset(region.src_offset)
                .dst_subresource(region.dst_subresource)
                .dst_offset(region.dst_offset)
                .extent(region.extent)
        });
        resolve(command_buffer, (src_image, dst_image), regions)
    }

    Device vkCmdResolveImage2(
        command_buffer: c::CommandBuffer,
        info: *const c::ResolveImageInfo2<'_>,
    ) {
        let info = raw::reference(info, "VkResolveImageInfo2")?;
        let regions = raw::slice(info.p_regions, info.region_count).iter().copied();
        resolve(command_buffer, (info.src_image, info.dst_image), regions)
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

fn newer(region: &c::BufferImageCopy) -> c::BufferImageCopy2<'static> {
    c::BufferImageCopy2::default()
        .buffer_offset(region.buffer_offset)
        .buffer_row_length(region.buffer_row_length)
        .buffer_image_height(region.buffer_image_height)
        .image_subresource(region.image_subresource)
        .image_offset(region.image_offset)
        .image_extent(region.image_extent)
}

/// Records copies between two images.
///
/// # Safety
/// As [`record`]; the images are handles of ours.
unsafe fn copy<'a>(
    commands: c::CommandBuffer,
    (source, destination): (c::Image, c::Image),
    mut regions: impl Iterator<Item = c::ImageCopy2<'a>>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let (source, destination) = (handle::get(source)?, handle::get(destination)?);
        record(commands, |buffer| {
            regions.try_for_each(|region| {
                let (from, to) = (&region.src_subresource, &region.dst_subresource);
                let extent = &region.extent;
                let from = ImageBox::new(from, &region.src_offset, extent, source)?;
                let to = ImageBox::new(to, &region.dst_offset, extent, destination)?;
                buffer.copy_image(source, &from, destination, &to)
            })
        })
    }
}

/// Records copies between a buffer and an image.
///
/// # Safety
/// As [`record`]; both are handles of ours.
unsafe fn copy_rows<'a>(
    commands: c::CommandBuffer,
    (rows, image): (c::Buffer, c::Image),
    to_image: bool,
    mut regions: impl Iterator<Item = c::BufferImageCopy2<'a>>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let (rows, image) = (handle::get(rows)?, handle::get(image)?);
        record(commands, |buffer| {
            regions.try_for_each(|region| {
                let of = &region.image_subresource;
                let of = ImageBox::new(of, &region.image_offset, &region.image_extent, image)?;
                let layout = BufferRows {
                    offset_bytes: region.buffer_offset,
                    row_px: region.buffer_row_length,
                    height_px: region.buffer_image_height,
                };
                match to_image {
                    true => buffer.copy_buffer_to_image(rows, &layout, image, &of),
                    false => buffer.copy_image_to_buffer(image, &of, rows, &layout),
                }
            })
        })
    }
}

/// Records scaled copies between two images.
///
/// # Safety
/// As [`copy`].
unsafe fn scale(
    commands: c::CommandBuffer,
    (source, destination): (c::Image, c::Image),
    mut regions: impl Iterator<Item = Scaled>,
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

/// Records resolves between two images.
///
/// # Safety
/// As [`copy`].
unsafe fn resolve<'a>(
    commands: c::CommandBuffer,
    (source, destination): (c::Image, c::Image),
    mut regions: impl Iterator<Item = c::ImageResolve2<'a>>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let (source, destination) = (handle::get(source)?, handle::get(destination)?);
        record(commands, |buffer| {
            regions.try_for_each(|region| {
                let (from, to) = (&region.src_subresource, &region.dst_subresource);
                let extent = &region.extent;
                let from = ImageBox::new(from, &region.src_offset, extent, source)?;
                let to = ImageBox::new(to, &region.dst_offset, extent, destination)?;
                buffer.resolve(source, &from, destination, &to)
            })
        })
    }
}
