//! Entry points of copies whose parameters the GPU reads.
//!
//! In:  lists of copies by their address. Out: commands of `vk`.
//! Ref: VK_KHR_copy_memory_indirect.

use crate::entry::entries;
use crate::recording::record;
use crate::{raw, types as c};

entries! { INDIRECT_COPY:
    Device ["VK_KHR_copy_memory_indirect"] vkCmdCopyMemoryIndirectKHR(
        command_buffer: c::CommandBuffer,
        copy_memory_indirect_info: *const c::CopyMemoryIndirectInfoKHR<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(copy_memory_indirect_info, "VkCopyMemoryIndirectInfoKHR")?;
            let list = &info.copy_address_range;
            commands.copy_indirect(list.address, list.stride, info.copy_count)
        })
    }

    // Without the feature indirectMemoryToImageCopy, no format supports it.
    Device ["VK_KHR_copy_memory_indirect"] vkCmdCopyMemoryToImageIndirectKHR(
        command_buffer: c::CommandBuffer,
        copy_memory_to_image_indirect_info: *const std::ffi::c_void,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "indirect copies to images" }))
    }
}
