//! Entry points of transform feedback.
//!
//! In:  buffers, counters and queries. Out: commands of `vk`.
//! Ref: VK_EXT_transform_feedback.

use ash::vk as c;
use ash::vk::Handle;
use vk::command::{ByteCount, CounterAddresses, DrawParams};

use crate::entry::entries;
use crate::recording::record;
use crate::{handle, raw};

entries! { TRANSFORM_FEEDBACK:
    Device ["VK_EXT_transform_feedback"] vkCmdBindTransformFeedbackBuffersEXT(
        command_buffer: c::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        buffers: *const c::Buffer,
        offsets: *const c::DeviceSize,
        sizes: *const c::DeviceSize,
    ) {
        record(command_buffer, |commands| {
            let offsets = raw::slice(offsets, binding_count);
            let sizes = raw::slice(sizes, binding_count);
            for (index, &buffer) in raw::slice(buffers, binding_count).iter().enumerate() {
                let buffer = handle::get(buffer)?;
                let offset = offsets.get(index).copied().unwrap_or(0);
                let size = sizes.get(index).copied().filter(|&size| size != c::WHOLE_SIZE);
                let bytes = size.unwrap_or(buffer.bytes.saturating_sub(offset));
                let binding = first_binding.saturating_add(index as u32);
                commands.bind_capture(binding, buffer.address_of(offset, bytes)?, bytes)?;
            }
            Ok(())
        })
    }

    Device ["VK_EXT_transform_feedback"] vkCmdBeginTransformFeedbackEXT(
        command_buffer: c::CommandBuffer,
        first_counter_buffer: u32,
        counter_buffer_count: u32,
        counter_buffers: *const c::Buffer,
        counter_buffer_offsets: *const c::DeviceSize,
    ) {
        record(command_buffer, |commands| {
            let all = (counter_buffers, counter_buffer_offsets);
            commands.begin_capture(&counters(first_counter_buffer, counter_buffer_count, all)?)
        })
    }

    Device ["VK_EXT_transform_feedback"] vkCmdEndTransformFeedbackEXT(
        command_buffer: c::CommandBuffer,
        first_counter_buffer: u32,
        counter_buffer_count: u32,
        counter_buffers: *const c::Buffer,
        counter_buffer_offsets: *const c::DeviceSize,
    ) {
        record(command_buffer, |commands| {
            let all = (counter_buffers, counter_buffer_offsets);
            commands.end_capture(&counters(first_counter_buffer, counter_buffer_count, all)?)
        })
    }

    Device ["VK_EXT_transform_feedback"] vkCmdBeginQueryIndexedEXT(
        command_buffer: c::CommandBuffer,
        query_pool: c::QueryPool,
        query: u32,
        flags: c::QueryControlFlags,
        index: u32,
    ) {
        record(command_buffer, |commands| commands.begin_query(handle::get(query_pool)?, query, index))
    }

    Device ["VK_EXT_transform_feedback"] vkCmdEndQueryIndexedEXT(
        command_buffer: c::CommandBuffer,
        query_pool: c::QueryPool,
        query: u32,
        index: u32,
    ) {
        record(command_buffer, |commands| commands.end_query(handle::get(query_pool)?, query, index))
    }

    Device ["VK_EXT_transform_feedback"] vkCmdDrawIndirectByteCountEXT(
        command_buffer: c::CommandBuffer,
        instance_count: u32,
        first_instance: u32,
        counter_buffer: c::Buffer,
        counter_buffer_offset: c::DeviceSize,
        counter_offset: u32,
        vertex_stride: u32,
    ) {
        record(command_buffer, |commands| {
            let count = ByteCount {
                address: handle::get(counter_buffer)?.address_of(counter_buffer_offset, 4)?,
                offset_bytes: counter_offset,
                stride_bytes: vertex_stride,
            };
            let draw = DrawParams { instances: instance_count, first_instance, ..DrawParams::default() };
            commands.draw_byte_count(&draw, &count)
        })
    }
}

/// The addresses of counters; none where the buffer is null. A missing offset is 0.
///
/// # Safety
/// The arrays are null or have `count` elements; the buffers are null or handles of this driver.
unsafe fn counters(
    first: u32,
    count: u32,
    (buffers, offsets): (*const c::Buffer, *const c::DeviceSize),
) -> vk::Result<CounterAddresses> {
    let mut counters = CounterAddresses::default();
    // SAFETY: as the caller says.
    let (buffers, offsets) = unsafe { (raw::slice(buffers, count), raw::slice(offsets, count)) };
    for (index, &buffer) in buffers.iter().enumerate() {
        let counter = counters.get_mut((first as usize).saturating_add(index));
        let counter = counter.ok_or(vk::Error::InvalidUse {
            why: "more counters than maxTransformFeedbackBuffers",
        })?;
        if !buffer.is_null() {
            let offset = offsets.get(index).copied().unwrap_or(0);
            // SAFETY: as the caller says.
            *counter = Some(unsafe { handle::get(buffer) }?.address_of(offset, 4)?);
        }
    }
    Ok(counters)
}
