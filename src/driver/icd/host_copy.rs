//! Entry points of copies by the host, and of what these need to know (VK_EXT_host_image_copy).
//!
//! In:  images, regions, pointers to host memory. Out: copies of `vk`, done at once.

use ash::vk as c;
use vk::command::{HostCopy, ImageBox, copy_image_on_host};

use crate::entry::{done, entries};
use crate::{handle, raw};

/// The layouts in which the host may access images: all, as it finds the same bytes in each.
const LAYOUTS: &[c::ImageLayout] = &[
    c::ImageLayout::GENERAL,
    c::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
    c::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    c::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    c::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    c::ImageLayout::TRANSFER_SRC_OPTIMAL,
    c::ImageLayout::TRANSFER_DST_OPTIMAL,
    c::ImageLayout::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
    c::ImageLayout::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
    c::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL,
    c::ImageLayout::DEPTH_READ_ONLY_OPTIMAL,
    c::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL,
    c::ImageLayout::STENCIL_READ_ONLY_OPTIMAL,
    c::ImageLayout::READ_ONLY_OPTIMAL,
    c::ImageLayout::ATTACHMENT_OPTIMAL,
    c::ImageLayout::RENDERING_LOCAL_READ_KHR,
    c::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
];

entries! { HOST_COPY:
    Device vkCopyMemoryToImage(
        device: c::Device,
        copy_memory_to_image_info: *const c::CopyMemoryToImageInfoEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(copy_memory_to_image_info, "VkCopyMemoryToImageInfo")?;
        let image = handle::get(info.dst_image)?;
        let plain = info.flags.contains(c::HostImageCopyFlagsEXT::MEMCPY);
        for from in raw::slice(info.p_regions, info.region_count) {
            let region = ImageBox::new(&from.image_subresource, &from.image_offset, &from.image_extent, image)?;
            let [row, height] = padding(plain, [from.memory_row_length, from.memory_image_height]);
            let copy = HostCopy::new(image, &region, row, height)?;
            copy.write(raw::bytes(from.p_host_pointer.cast(), copy.bytes()))?;
        }
        done()
    }

    Device vkCopyImageToMemory(
        device: c::Device,
        copy_image_to_memory_info: *const c::CopyImageToMemoryInfoEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(copy_image_to_memory_info, "VkCopyImageToMemoryInfo")?;
        let image = handle::get(info.src_image)?;
        let plain = info.flags.contains(c::HostImageCopyFlagsEXT::MEMCPY);
        for to in raw::slice(info.p_regions, info.region_count) {
            let region = ImageBox::new(&to.image_subresource, &to.image_offset, &to.image_extent, image)?;
            let [row, height] = padding(plain, [to.memory_row_length, to.memory_image_height]);
            let copy = HostCopy::new(image, &region, row, height)?;
            copy.read(raw::bytes_mut(to.p_host_pointer.cast(), copy.bytes()))?;
        }
        done()
    }

    Device vkCopyImageToImage(
        device: c::Device,
        copy_image_to_image_info: *const c::CopyImageToImageInfoEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(copy_image_to_image_info, "VkCopyImageToImageInfo")?;
        let (source, destination) = (handle::get(info.src_image)?, handle::get(info.dst_image)?);
        for region in raw::slice(info.p_regions, info.region_count) {
            let from = ImageBox::new(&region.src_subresource, &region.src_offset, &region.extent, source)?;
            let to = ImageBox::new(&region.dst_subresource, &region.dst_offset, &region.extent, destination)?;
            copy_image_on_host(source, &from, destination, &to)?;
        }
        done()
    }

    // Images that the host accesses have no aux surfaces, so no layout differs from another.
    Device vkTransitionImageLayout(
        device: c::Device,
        transition_count: u32,
        transitions: *const c::HostImageLayoutTransitionInfoEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        for transition in raw::slice(transitions, transition_count) {
            let image = handle::get(transition.image)?;
            if !image.info.question.usage.contains(c::ImageUsageFlags::HOST_TRANSFER_EXT) {
                return Err(vk::Error::InvalidUse {
                    why: "a layout transition by the host of an image without host transfer usage",
                });
            }
        }
        done()
    }
}

/// The pixels of a row and the rows of a slice in host memory, which plain copies do not have.
fn padding(plain: bool, asked: [u32; 2]) -> [u32; 2] {
    match plain {
        true => [0; 2],
        false => asked,
    }
}

/// Writes the layouts that the host may copy from or to, to a list that the application allocated,
/// or their number if there is no list.
///
/// # Safety
/// `count` is valid; `list` is null or has so many elements.
pub unsafe fn write_layouts(count: *mut u32, list: *mut c::ImageLayout) {
    // SAFETY: as the caller says. These lists have no result: as many are written as fit.
    let _ = unsafe { raw::write_list(LAYOUTS.iter().copied(), count, list) };
}

/// What host transfer usage costs an image: only attachments have aux surfaces to lose.
pub fn performance(tiling: c::ImageTiling, usage: c::ImageUsageFlags) -> [c::Bool32; 2] {
    let attachments =
        c::ImageUsageFlags::COLOR_ATTACHMENT | c::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    let loses = tiling == c::ImageTiling::OPTIMAL && usage.intersects(attachments);
    // Optimal device access, and identical memory layout.
    [(!loses).into(); 2]
}
