//! Entry points of command buffers.

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk as c;
use ash::vk::Handle;
use vk::command::{Command, CommandBuffer, CopyRegion, Groups};

use crate::entry::{done, entries};
use crate::handle::{self, CommandPoolFace};
use crate::raw;

entries! { COMMAND:
    Device vkCreateCommandPool(
        device: c::Device,
        create_info: *const c::CommandPoolCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        command_pool: *mut c::CommandPool,
    ) -> c::Result {
        let face = handle::get(device)?;
        let info = raw::reference(create_info, "VkCommandPoolCreateInfo")?;
        if info.queue_family_index != 0 || info.flags.contains(c::CommandPoolCreateFlags::PROTECTED) {
            return Err(vk::Error::FeatureNotPresent { what: "this queue family, or protected command buffers" });
        }
        let pool = CommandPoolFace { device: face.device.clone(), buffers: Mutex::default() };
        raw::put(command_pool, handle::make(pool));
        done()
    }

    Device vkDestroyCommandPool(
        device: c::Device,
        command_pool: c::CommandPool,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        if let Some(pool) = handle::destroy(command_pool) {
            for buffer in pool.buffers.into_inner().unwrap_or_else(PoisonError::into_inner) {
                handle::destroy(c::CommandBuffer::from_raw(buffer));
            }
        }
        Ok(())
    }

    Device vkResetCommandPool(
        device: c::Device,
        command_pool: c::CommandPool,
        flags: c::CommandPoolResetFlags,
    ) -> c::Result {
        let pool = handle::get(command_pool)?;
        for &buffer in pool.buffers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            locked(c::CommandBuffer::from_raw(buffer))?.reset();
        }
        done()
    }

    // What is not in use goes back to the device's pools at once, so there is nothing to trim.
    Device vkTrimCommandPool(device: c::Device, command_pool: c::CommandPool, flags: c::CommandPoolTrimFlags) {
        handle::get(command_pool)?;
        Ok(())
    }

    Device vkAllocateCommandBuffers(
        device: c::Device,
        allocate_info: *const c::CommandBufferAllocateInfo<'_>,
        command_buffers: *mut c::CommandBuffer,
    ) -> c::Result {
        let info = raw::reference(allocate_info, "VkCommandBufferAllocateInfo")?;
        let pool = handle::get(info.command_pool)?;
        let mut known = pool.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        for index in 0..info.command_buffer_count as usize {
            let secondary = info.level == c::CommandBufferLevel::SECONDARY;
            let buffer: c::CommandBuffer = handle::make(Mutex::new(CommandBuffer::new(&pool.device, secondary)));
            known.insert(buffer.as_raw());
            raw::put_at(command_buffers, index, buffer);
        }
        done()
    }

    Device vkFreeCommandBuffers(
        device: c::Device,
        command_pool: c::CommandPool,
        command_buffer_count: u32,
        command_buffers: *const c::CommandBuffer,
    ) {
        let pool = handle::get(command_pool)?;
        let mut known = pool.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        for &buffer in raw::slice(command_buffers, command_buffer_count) {
            if known.remove(&buffer.as_raw()) {
                handle::destroy(buffer);
            }
        }
        Ok(())
    }

    Device vkBeginCommandBuffer(
        command_buffer: c::CommandBuffer,
        begin_info: *const c::CommandBufferBeginInfo<'_>,
    ) -> c::Result {
        locked(command_buffer)?.begin()?;
        done()
    }

    Device vkEndCommandBuffer(command_buffer: c::CommandBuffer) -> c::Result {
        locked(command_buffer)?.end()?;
        done()
    }

    Device vkResetCommandBuffer(
        command_buffer: c::CommandBuffer,
        flags: c::CommandBufferResetFlags,
    ) -> c::Result {
        locked(command_buffer)?.reset();
        done()
    }

    Device vkCmdBindPipeline(
        command_buffer: c::CommandBuffer,
        pipeline_bind_point: c::PipelineBindPoint,
        pipeline: c::Pipeline,
    ) {
        record(command_buffer, |_| {
            if pipeline_bind_point != c::PipelineBindPoint::COMPUTE {
                return Err(vk::Error::FeatureNotPresent { what: "graphics" });
            }
            Ok(Command::BindPipeline(handle::get(pipeline)?.clone()))
        })
    }

    Device vkCmdBindDescriptorSets(
        command_buffer: c::CommandBuffer,
        pipeline_bind_point: c::PipelineBindPoint,
        layout: c::PipelineLayout,
        first_set: u32,
        descriptor_set_count: u32,
        descriptor_sets: *const c::DescriptorSet,
        dynamic_offset_count: u32,
        dynamic_offsets: *const u32,
    ) {
        if pipeline_bind_point != c::PipelineBindPoint::COMPUTE {
            // Sets of other bind points disturb nothing, and no pipeline of theirs can be bound.
            return Ok(());
        }
        record(command_buffer, |_| {
            let sets = raw::slice(descriptor_sets, descriptor_set_count)
                .iter()
                .map(|&set| handle::get(set).cloned())
                .collect::<vk::Result<Vec<_>>>()?;
            let offsets = raw::slice(dynamic_offsets, dynamic_offset_count);
            Ok(Command::BindSets {
                layout: handle::get(layout)?.clone(),
                first: first_set,
                sets: vk::command::bound_sets(&sets, offsets)?,
            })
        })
    }

    Device vkCmdPushConstants(
        command_buffer: c::CommandBuffer,
        layout: c::PipelineLayout,
        stage_flags: c::ShaderStageFlags,
        offset: u32,
        size: u32,
        values: *const c_void,
    ) {
        record(command_buffer, |_| {
            Ok(Command::Push { offset_bytes: offset, data: raw::bytes(values, size as usize).to_vec() })
        })
    }

    Device vkCmdDispatch(
        command_buffer: c::CommandBuffer,
        group_count_x: u32,
        group_count_y: u32,
        group_count_z: u32,
    ) {
        record(command_buffer, |_| {
            let count = [group_count_x, group_count_y, group_count_z];
            Ok(Command::Dispatch(Groups::Direct { base: [0; 3], count }))
        })
    }

    Device vkCmdDispatchBase(
        command_buffer: c::CommandBuffer,
        base_group_x: u32,
        base_group_y: u32,
        base_group_z: u32,
        group_count_x: u32,
        group_count_y: u32,
        group_count_z: u32,
    ) {
        record(command_buffer, |_| {
            let base = [base_group_x, base_group_y, base_group_z];
            let count = [group_count_x, group_count_y, group_count_z];
            Ok(Command::Dispatch(Groups::Direct { base, count }))
        })
    }

    Device vkCmdDispatchIndirect(command_buffer: c::CommandBuffer, buffer: c::Buffer, offset: c::DeviceSize) {
        record(command_buffer, |_| {
            let address = handle::get(buffer)?.address_of(offset, 12)?;
            Ok(Command::Dispatch(Groups::Indirect { address }))
        })
    }

    Device vkCmdSetDeviceMask(command_buffer: c::CommandBuffer, device_mask: u32) {
        // There is one device.
        handle::get(command_buffer)?;
        Ok(())
    }

    Device vkCmdCopyBuffer(
        command_buffer: c::CommandBuffer,
        src_buffer: c::Buffer,
        dst_buffer: c::Buffer,
        region_count: u32,
        regions: *const c::BufferCopy,
    ) {
        record(command_buffer, |_| {
            let (source, destination) = (handle::get(src_buffer)?, handle::get(dst_buffer)?);
            let regions = raw::slice(regions, region_count).iter().map(|region| {
                Ok(CopyRegion {
                    source: source.address_of(region.src_offset, region.size)?,
                    destination: destination.address_of(region.dst_offset, region.size)?,
                    bytes: region.size,
                })
            });
            Ok(Command::Copy(regions.collect::<vk::Result<_>>()?))
        })
    }

    Device vkCmdUpdateBuffer(
        command_buffer: c::CommandBuffer,
        dst_buffer: c::Buffer,
        dst_offset: c::DeviceSize,
        data_size: c::DeviceSize,
        data: *const c_void,
    ) {
        record(command_buffer, |_| {
            let data = raw::bytes(data, data_size as usize).to_vec();
            let address = handle::get(dst_buffer)?.address_of(dst_offset, data_size)?;
            Ok(Command::Update { address, data })
        })
    }

    Device vkCmdFillBuffer(
        command_buffer: c::CommandBuffer,
        dst_buffer: c::Buffer,
        dst_offset: c::DeviceSize,
        size: c::DeviceSize,
        data: u32,
    ) {
        record(command_buffer, |_| {
            let buffer = handle::get(dst_buffer)?;
            // The whole rest of the buffer, down to whole dwords.
            let rest = buffer.bytes.saturating_sub(dst_offset) & !3;
            let bytes = if size == c::WHOLE_SIZE { rest } else { size };
            Ok(Command::Fill { address: buffer.address_of(dst_offset, bytes)?, bytes, value: data })
        })
    }

    Device vkCmdPipelineBarrier(
        command_buffer: c::CommandBuffer,
        src_stage_mask: c::PipelineStageFlags,
        dst_stage_mask: c::PipelineStageFlags,
        dependency_flags: c::DependencyFlags,
        memory_barrier_count: u32,
        memory_barriers: *const c::MemoryBarrier<'_>,
        buffer_memory_barrier_count: u32,
        buffer_memory_barriers: *const c::BufferMemoryBarrier<'_>,
        image_memory_barrier_count: u32,
        image_memory_barriers: *const c::ImageMemoryBarrier<'_>,
    ) {
        record(command_buffer, |_| Ok(Command::Barrier))
    }

    Device vkCmdSetEvent(command_buffer: c::CommandBuffer, event: c::Event, stage_mask: c::PipelineStageFlags) {
        record(command_buffer, |_| Ok(Command::SetEvent { address: handle::get(event)?.address(), set: true }))
    }

    Device vkCmdResetEvent(
        command_buffer: c::CommandBuffer,
        event: c::Event,
        stage_mask: c::PipelineStageFlags,
    ) {
        record(command_buffer, |_| Ok(Command::SetEvent { address: handle::get(event)?.address(), set: false }))
    }

    Device vkCmdWaitEvents(
        command_buffer: c::CommandBuffer,
        event_count: u32,
        events: *const c::Event,
        src_stage_mask: c::PipelineStageFlags,
        dst_stage_mask: c::PipelineStageFlags,
        memory_barrier_count: u32,
        memory_barriers: *const c::MemoryBarrier<'_>,
        buffer_memory_barrier_count: u32,
        buffer_memory_barriers: *const c::BufferMemoryBarrier<'_>,
        image_memory_barrier_count: u32,
        image_memory_barriers: *const c::ImageMemoryBarrier<'_>,
    ) {
        record(command_buffer, |_| {
            let events = raw::slice(events, event_count).iter();
            let addresses = events.map(|&event| Ok(handle::get(event)?.address()));
            Ok(Command::WaitEvents { addresses: addresses.collect::<vk::Result<_>>()? })
        })
    }

    Device vkCmdResetQueryPool(
        command_buffer: c::CommandBuffer,
        query_pool: c::QueryPool,
        first_query: u32,
        query_count: u32,
    ) {
        record(command_buffer, |_| {
            let pool = handle::get(query_pool)?;
            pool.check(first_query, query_count)?;
            Ok(Command::ResetQueries { address: pool.address(first_query)?, count: query_count })
        })
    }

    Device vkCmdWriteTimestamp(
        command_buffer: c::CommandBuffer,
        pipeline_stage: c::PipelineStageFlags,
        query_pool: c::QueryPool,
        query: u32,
    ) {
        record(command_buffer, |_| {
            let address = handle::get(query_pool)?.address(query)?;
            Ok(Command::Timestamp { address, early: pipeline_stage == c::PipelineStageFlags::TOP_OF_PIPE })
        })
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
        record(command_buffer, |_| {
            let pool = handle::get(query_pool)?;
            pool.check(first_query, query_count)?;
            let wide = if flags.contains(c::QueryResultFlags::TYPE_64) { 8 } else { 4 };
            let pair = if flags.contains(c::QueryResultFlags::WITH_AVAILABILITY) { 2 } else { 1 };
            let bytes = u64::from(query_count.saturating_sub(1)).saturating_mul(stride).saturating_add(wide * pair);
            let bit = |flag, bit| if flags.contains(flag) { bit } else { 0 };
            let bits = bit(c::QueryResultFlags::TYPE_64, vk::command::RESULT_64)
                | bit(c::QueryResultFlags::WITH_AVAILABILITY, vk::command::RESULT_AVAILABILITY)
                | bit(c::QueryResultFlags::PARTIAL, vk::command::RESULT_PARTIAL);
            Ok(Command::CopyResults {
                queries: pool.address(first_query)?,
                count: query_count,
                destination: handle::get(dst_buffer)?.address_of(dst_offset, bytes)?,
                stride_bytes: stride,
                flags: bits,
            })
        })
    }

    Device vkCmdExecuteCommands(
        command_buffer: c::CommandBuffer,
        command_buffer_count: u32,
        command_buffers: *const c::CommandBuffer,
    ) {
        let mut primary = locked(command_buffer)?;
        for &secondary in raw::slice(command_buffers, command_buffer_count) {
            if secondary == command_buffer {
                primary.record(Err(vk::Error::InvalidUse { why: "a command buffer that executes itself" }));
                break;
            }
            match locked(secondary) {
                Ok(secondary) => primary.execute(&secondary),
                Err(error) => primary.record(Err(error)),
            }
        }
        Ok(())
    }
}

/// # Safety
/// As [`handle::get`].
unsafe fn locked<'a>(buffer: c::CommandBuffer) -> vk::Result<MutexGuard<'a, CommandBuffer>> {
    // SAFETY: as the caller says.
    Ok(unsafe { handle::get(buffer)? }
        .lock()
        .unwrap_or_else(PoisonError::into_inner))
}

/// Records a command. An error of making it is the command buffer's, told when it ends.
///
/// # Safety
/// As [`handle::get`].
pub unsafe fn record(
    buffer: c::CommandBuffer,
    make: impl FnOnce(&vk::Device) -> vk::Result<Command>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    let mut buffer = unsafe { locked(buffer)? };
    let command = make(buffer.device());
    buffer.record(command);
    Ok(())
}
