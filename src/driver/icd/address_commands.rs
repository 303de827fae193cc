//! Entry points of commands that take addresses of memory instead of buffers.
//!
//! In:  ranges of addresses. Out: the commands of `vk` that those with buffers become, too.
//! Ref: VK_KHR_device_address_commands.

use std::ffi::c_void;

use vk::command::{
    BufferTexelLayout, ByteCount, CounterAddresses, DrawParams, ImageBox, VertexBufferBinding,
};

use crate::entry::entries;
use crate::recording::record;
use crate::{handle, query, raw, types as c};

entries! { ADDRESS_COMMANDS:
    Device ["VK_KHR_device_address_commands"] vkCmdBindIndexBuffer3KHR(
        command_buffer: c::CommandBuffer,
        info: *const c::BindIndexBuffer3InfoKHR<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(info, "VkBindIndexBuffer3InfoKHR")?;
            let range = info.address_range;
            commands.bind_indices(range.address, range.bytes_there(), info.index_type)
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdBindVertexBuffers3KHR(
        command_buffer: c::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        binding_infos: *const c::BindVertexBuffer3InfoKHR<'_>,
    ) {
        record(command_buffer, |commands| {
            for (binding, info) in (first_binding..).zip(raw::slice(binding_infos, binding_count)) {
                let range = info.address_range;
                let vertices = VertexBufferBinding {
                    address: range.address,
                    bytes: if range.address == 0 { 0 } else { range.size },
                    stride_bytes: (info.set_stride == c::TRUE).then_some(range.stride),
                };
                commands.bind_vertices(binding, vertices)?;
            }
            Ok(())
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdDrawIndirect2KHR(
        command_buffer: c::CommandBuffer,
        info: *const c::DrawIndirect2InfoKHR<'_>,
    ) {
        draw_indirect(command_buffer, info, false)
    }

    Device ["VK_KHR_device_address_commands"] vkCmdDrawIndexedIndirect2KHR(
        command_buffer: c::CommandBuffer,
        info: *const c::DrawIndirect2InfoKHR<'_>,
    ) {
        draw_indirect(command_buffer, info, true)
    }

    Device ["VK_KHR_device_address_commands"] vkCmdDrawIndirectCount2KHR(
        command_buffer: c::CommandBuffer,
        info: *const c::DrawIndirectCount2InfoKHR<'_>,
    ) {
        draw_counted(command_buffer, info, false)
    }

    Device ["VK_KHR_device_address_commands"] vkCmdDrawIndexedIndirectCount2KHR(
        command_buffer: c::CommandBuffer,
        info: *const c::DrawIndirectCount2InfoKHR<'_>,
    ) {
        draw_counted(command_buffer, info, true)
    }

    Device ["VK_KHR_device_address_commands"] vkCmdDispatchIndirect2KHR(
        command_buffer: c::CommandBuffer,
        info: *const c::DispatchIndirect2InfoKHR<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(info, "VkDispatchIndirect2InfoKHR")?;
            commands.dispatch_indirect(info.address_range.address)
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdCopyMemoryKHR(
        command_buffer: c::CommandBuffer,
        copy_memory_info: *const c::CopyDeviceMemoryInfoKHR<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(copy_memory_info, "VkCopyDeviceMemoryInfoKHR")?;
            for region in raw::slice(info.p_regions, info.region_count) {
                let (from, to) = (region.src_range, region.dst_range);
                commands.copy(from.address, to.address, from.size.min(to.size))?;
            }
            Ok(())
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdCopyMemoryToImageKHR(
        command_buffer: c::CommandBuffer,
        copy_memory_info: *const c::CopyDeviceMemoryImageInfoKHR<'_>,
    ) {
        copy_image(command_buffer, copy_memory_info, true)
    }

    Device ["VK_KHR_device_address_commands"] vkCmdCopyImageToMemoryKHR(
        command_buffer: c::CommandBuffer,
        copy_memory_info: *const c::CopyDeviceMemoryImageInfoKHR<'_>,
    ) {
        copy_image(command_buffer, copy_memory_info, false)
    }

    Device ["VK_KHR_device_address_commands"] vkCmdUpdateMemoryKHR(
        command_buffer: c::CommandBuffer,
        dst_range: *const c::DeviceAddressRangeKHR,
        dst_flags: u32,
        data_size: c::DeviceSize,
        data: *const c_void,
    ) {
        record(command_buffer, |commands| {
            let range = raw::reference(dst_range, "VkDeviceAddressRangeKHR")?;
            let bytes = data_size.min(range.size);
            commands.update(range.address, raw::bytes(data, bytes as usize))
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdFillMemoryKHR(
        command_buffer: c::CommandBuffer,
        dst_range: *const c::DeviceAddressRangeKHR,
        dst_flags: u32,
        data: u32,
    ) {
        record(command_buffer, |commands| {
            let range = raw::reference(dst_range, "VkDeviceAddressRangeKHR")?;
            commands.fill(range.address, range.size & !3, data)
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdCopyQueryPoolResultsToMemoryKHR(
        command_buffer: c::CommandBuffer,
        query_pool: c::QueryPool,
        first_query: u32,
        query_count: u32,
        dst_range: *const c::StridedDeviceAddressRangeKHR,
        dst_flags: u32,
        query_result_flags: c::QueryResultFlags,
    ) {
        record(command_buffer, |commands| {
            let range = raw::reference(dst_range, "VkStridedDeviceAddressRangeKHR")?;
            query::copy_results(
                commands,
                handle::get(query_pool)?,
                (first_query, query_count),
                (range.stride, query_result_flags),
                |_| Ok(range.address),
            )
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdBeginConditionalRendering2EXT(
        command_buffer: c::CommandBuffer,
        conditional_rendering_begin: *const c::ConditionalRenderingBeginInfo2EXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(conditional_rendering_begin, "VkConditionalRenderingBeginInfo2EXT")?;
            let inverted = info.flags.contains(c::ConditionalRenderingFlagsEXT::INVERTED);
            commands.begin_conditional_rendering(info.address_range.address, inverted)
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdBindTransformFeedbackBuffers2EXT(
        command_buffer: c::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        binding_infos: *const c::BindTransformFeedbackBuffer2InfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            for (binding, info) in (first_binding..).zip(raw::slice(binding_infos, binding_count)) {
                commands.bind_capture(binding, info.address_range.address, info.address_range.size)?;
            }
            Ok(())
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdBeginTransformFeedback2EXT(
        command_buffer: c::CommandBuffer,
        first_counter_range: u32,
        counter_range_count: u32,
        counter_infos: *const c::BindTransformFeedbackBuffer2InfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let infos = raw::slice(counter_infos, counter_range_count);
            commands.begin_capture(&counters(first_counter_range, infos)?)
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdEndTransformFeedback2EXT(
        command_buffer: c::CommandBuffer,
        first_counter_range: u32,
        counter_range_count: u32,
        counter_infos: *const c::BindTransformFeedbackBuffer2InfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let infos = raw::slice(counter_infos, counter_range_count);
            commands.end_capture(&counters(first_counter_range, infos)?)
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdDrawIndirectByteCount2EXT(
        command_buffer: c::CommandBuffer,
        instance_count: u32,
        first_instance: u32,
        counter_info: *const c::BindTransformFeedbackBuffer2InfoEXT<'_>,
        counter_offset: u32,
        vertex_stride: u32,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(counter_info, "VkBindTransformFeedbackBuffer2InfoEXT")?;
            let count = ByteCount {
                address: info.address_range.address,
                offset_bytes: counter_offset,
                stride_bytes: vertex_stride,
            };
            let draw = DrawParams { instances: instance_count, first_instance, ..DrawParams::default() };
            commands.draw_byte_count(&draw, &count)
        })
    }

    Device ["VK_KHR_device_address_commands"] vkCmdWriteMarkerToMemoryAMD(
        command_buffer: c::CommandBuffer,
        info: *const c::MemoryMarkerInfoAMD<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(info, "VkMemoryMarkerInfoAMD")?;
            let early = c::PipelineStageFlags2::TOP_OF_PIPE.contains(info.stage);
            commands.write_marker(info.dst_range.address, info.marker, early)
        })
    }
}

/// A stride as the parameters of indirect draws have it.
fn stride(range: &c::StridedDeviceAddressRangeKHR) -> vk::Result<u32> {
    u32::try_from(range.stride).map_err(|_| vk::Error::InvalidUse {
        why: "a stride of indirect draws beyond 32 bits",
    })
}

/// Records indirect draws.
///
/// # Safety
/// As [`record`]; the structure is valid.
unsafe fn draw_indirect(
    commands: c::CommandBuffer,
    info: *const c::DrawIndirect2InfoKHR<'_>,
    indexed: bool,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        record(commands, |commands| {
            let info = raw::reference(info, "VkDrawIndirect2InfoKHR")?;
            let range = &info.address_range;
            commands.draw_indirect(range.address, info.draw_count, stride(range)?, indexed)
        })
    }
}

/// Records indirect draws whose number is in memory.
///
/// # Safety
/// As [`draw_indirect`].
unsafe fn draw_counted(
    commands: c::CommandBuffer,
    info: *const c::DrawIndirectCount2InfoKHR<'_>,
    indexed: bool,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        record(commands, |commands| {
            let info = raw::reference(info, "VkDrawIndirectCount2InfoKHR")?;
            let range = &info.address_range;
            let count_at = info.count_address_range.address;
            let max_draws = info.max_draw_count;
            commands.draw_counted(range.address, stride(range)?, indexed, count_at, max_draws)
        })
    }
}

/// Records copies between memory and an image.
///
/// # Safety
/// As [`draw_indirect`]; the image is null or a handle of this driver.
unsafe fn copy_image(
    commands: c::CommandBuffer,
    info: *const c::CopyDeviceMemoryImageInfoKHR<'_>,
    to_image: bool,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        record(commands, |commands| {
            let info = raw::reference(info, "VkCopyDeviceMemoryImageInfoKHR")?;
            let image = handle::get(info.image)?;
            for region in raw::slice(info.p_regions, info.region_count) {
                let rows = BufferTexelLayout {
                    offset_bytes: 0,
                    row_px: region.address_row_length,
                    height_px: region.address_image_height,
                };
                let (at, extent) = (&region.image_offset, &region.image_extent);
                let of = ImageBox::new(&region.image_subresource, at, extent, image)?;
                let range = region.address_range;
                commands.copy_memory_image(
                    (range.address, range.size),
                    &rows,
                    image,
                    &of,
                    to_image,
                )?;
            }
            Ok(())
        })
    }
}

/// The addresses of counters; none where a range has none.
fn counters(
    first: u32,
    infos: &[c::BindTransformFeedbackBuffer2InfoEXT<'_>],
) -> vk::Result<CounterAddresses> {
    let mut counters = CounterAddresses::default();
    for (index, info) in (first as usize..).zip(infos) {
        let counter = counters.get_mut(index).ok_or(vk::Error::InvalidUse {
            why: "more counters than maxTransformFeedbackBuffers",
        })?;
        let address = info.address_range.address;
        *counter = (address != 0).then_some(address);
    }
    Ok(counters)
}
