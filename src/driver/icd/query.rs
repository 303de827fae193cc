//! Entry points of queries.
//!
//! In:  query pools and ranges. Out: results in host memory, commands of `vk`.

use std::ffi::c_void;

use ash::vk as c;
use vk::query::{QueryPool, QueryType};

use crate::entry::{done, entries};
use crate::recording::record;
use crate::{handle, raw};

entries! { QUERY:
    Device vkCreateQueryPool(
        device: c::Device,
        create_info: *const c::QueryPoolCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        query_pool: *mut c::QueryPool,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkQueryPoolCreateInfo")?;
        let object = QueryPool::new(device.context(), QueryType::new(info.query_type, info.pipeline_statistics)?, info.query_count)?;
        raw::write(query_pool, handle::create_with(allocator, object)?);
        done()
    }

    Device vkDestroyQueryPool(
        device: c::Device,
        query_pool: c::QueryPool,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(query_pool);
        Ok(())
    }

    Device vkResetQueryPool(device: c::Device, query_pool: c::QueryPool, first_query: u32, query_count: u32) {
        handle::get(query_pool)?.reset(first_query, query_count)?;
        Ok(())
    }

    Device vkGetQueryPoolResults(
        device: c::Device,
        query_pool: c::QueryPool,
        first_query: u32,
        query_count: u32,
        data_size: usize,
        data: *mut c_void,
        stride: c::DeviceSize,
        flags: c::QueryResultFlags,
    ) -> c::Result {
        let pool = handle::get(query_pool)?;
        pool.check(first_query, query_count)?;
        let has = |flag| flags.contains(flag);
        let wide = has(c::QueryResultFlags::TYPE_64);
        let slot_bytes = if wide { 8 } else { 4 };
        let result_bytes = slot_bytes * (pool.values() + usize::from(has(c::QueryResultFlags::WITH_AVAILABILITY)));
        let mut all_available = true;
        for index in 0..query_count {
            let at = (index as usize).saturating_mul(stride as usize);
            if at.checked_add(result_bytes).is_none_or(|end| end > data_size) {
                return Err(vk::Error::InvalidUse { why: "query results beyond their memory" });
            }
            let reading = pool.reading(first_query + index, has(c::QueryResultFlags::WAIT))?;
            all_available &= reading.available;
            let put = |slot_index: usize, value: u64| {
                let to = data.cast::<u8>().add(at + slot_index * slot_bytes);
                if wide {
                    to.cast::<u64>().write_unaligned(value);
                } else {
                    to.cast::<u32>().write_unaligned(value as u32);
                }
            };
            if reading.available || has(c::QueryResultFlags::PARTIAL) {
                reading.values.iter().enumerate().for_each(|(slot_index, &value)| put(slot_index, value));
            }
            if has(c::QueryResultFlags::WITH_AVAILABILITY) {
                put(reading.values.len(), reading.available.into());
            }
        }
        Ok(if all_available { c::Result::SUCCESS } else { c::Result::NOT_READY })
    }

    Device vkCmdResetQueryPool(
        command_buffer: c::CommandBuffer,
        query_pool: c::QueryPool,
        first_query: u32,
        query_count: u32,
    ) {
        record(command_buffer, |buffer| {
            buffer.reset_queries(handle::get(query_pool)?, first_query, query_count)
        })
    }

    Device vkCmdWriteTimestamp(
        command_buffer: c::CommandBuffer,
        pipeline_stage: c::PipelineStageFlags,
        query_pool: c::QueryPool,
        query: u32,
    ) {
        timestamp(command_buffer, c::PipelineStageFlags2::from_raw(pipeline_stage.as_raw().into()), query_pool, query)
    }

    Device vkCmdWriteTimestamp2(
        command_buffer: c::CommandBuffer,
        stage: c::PipelineStageFlags2,
        query_pool: c::QueryPool,
        query: u32,
    ) {
        timestamp(command_buffer, stage, query_pool, query)
    }

    Device vkCmdCopyQueryPoolResults(
        command_buffer: c::CommandBuffer,
        query_pool: c::QueryPool,
        first_query: u32,
        query_count: u32,
        dst_buffer: c::Buffer,
        dst_offset: c::DeviceSize,
        stride: c::DeviceSize,
        flags: c::QueryResultFlags,
    ) {
        record(command_buffer, |buffer| {
            let destination = handle::get(dst_buffer)?;
            let range = (first_query, query_count);
            copy_results(buffer, handle::get(query_pool)?, range, (stride, flags), |bytes| {
                destination.address_of(dst_offset, bytes)
            })
        })
    }

    Device vkCmdBeginQuery(
        command_buffer: c::CommandBuffer,
        query_pool: c::QueryPool,
        query: u32,
        flags: c::QueryControlFlags,
    ) {
        // Occlusion queries are always precise, so the flag changes nothing.
        record(command_buffer, |buffer| buffer.begin_query(handle::get(query_pool)?, query, 0))
    }

    Device vkCmdEndQuery(command_buffer: c::CommandBuffer, query_pool: c::QueryPool, query: u32) {
        record(command_buffer, |buffer| buffer.end_query(handle::get(query_pool)?, query, 0))
    }
}

/// Records a copy of the results of queries: the first one and their number, the distance of their
/// results in bytes and what is written, and the address of memory for that many bytes.
pub(crate) fn copy_results(
    commands: &mut vk::command::CommandBuffer,
    pool: &QueryPool,
    (first, count): (u32, u32),
    (stride, flags): (c::DeviceSize, c::QueryResultFlags),
    address: impl FnOnce(u64) -> vk::Result<u64>,
) -> vk::Result<()> {
    use c::QueryResultFlags as F;
    pool.check(first, count)?;
    let wide = if flags.contains(F::TYPE_64) { 8 } else { 4 };
    let slots = pool.values() as u64 + u64::from(flags.contains(F::WITH_AVAILABILITY));
    let strides = u64::from(count.saturating_sub(1)).saturating_mul(stride);
    let bytes = strides.saturating_add(wide * slots);
    let bit = |flag, bit| if flags.contains(flag) { bit } else { 0 };
    let bits = bit(F::TYPE_64, vk::command::RESULT_64)
        | bit(F::WITH_AVAILABILITY, vk::command::RESULT_AVAILABILITY)
        | bit(F::PARTIAL, vk::command::RESULT_PARTIAL);
    commands.copy_results(pool, first..first + count, address(bytes)?, stride, bits)
}

/// Records a timestamp. Only one at the top of the pipe does not wait for earlier commands.
///
/// # Safety
/// As [`record`]; the pool is a handle of this driver.
unsafe fn timestamp(
    commands: c::CommandBuffer,
    stage: c::PipelineStageFlags2,
    pool: c::QueryPool,
    query: u32,
) -> vk::Result<()> {
    let early = c::PipelineStageFlags2::TOP_OF_PIPE.contains(stage);
    // SAFETY: as the caller says.
    unsafe {
        record(commands, |commands| {
            commands.timestamp(handle::get(pool)?, query, early)
        })
    }
}
