//! Entry points of command buffers: pools, dispatches, buffer copies, barriers and events.
//!
//! In:  arguments of commands. Out: command buffers and commands of `vk`.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use ash::vk as c;
use ash::vk::Handle;
use vk::command::{BindPoint, CommandBuffer, CommandPool, Heap, LayoutChange};

use crate::dependency;
use crate::entry::{done, entries};
use crate::objects::{CommandPoolObject, PipelineObject};
use crate::recording::{bind_point, bind_points, record};
use crate::{handle, raw, render, types};

/// The layout transition of an image barrier of either version.
macro_rules! layout_transition {
    ($barrier:ident) => {
        layout_transition(
            $barrier.image,
            [$barrier.old_layout, $barrier.new_layout],
            [
                $barrier.src_queue_family_index,
                $barrier.dst_queue_family_index,
            ],
            $barrier.subresource_range,
        )
    };
}

entries! { COMMAND:
    Device vkCreateCommandPool(
        device: c::Device,
        create_info: *const c::CommandPoolCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        command_pool: *mut c::CommandPool,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkCommandPoolCreateInfo")?;
        if info.queue_family_index != 0 || info.flags.contains(c::CommandPoolCreateFlags::PROTECTED) {
            return Err(vk::Error::FeatureNotPresent { what: "this queue family, or protected command buffers" });
        }
        let pool = CommandPoolObject { pool: CommandPool::new(&device.device), buffers: Mutex::default() };
        raw::write(command_pool, handle::create_with(allocator, pool)?);
        done()
    }

    Device vkDestroyCommandPool(
        device: c::Device,
        command_pool: c::CommandPool,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        if let Some(pool) = handle::remove(command_pool) {
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
            handle::get_mut(c::CommandBuffer::from_raw(buffer))?.reset();
        }
        done()
    }

    Device vkTrimCommandPool(device: c::Device, command_pool: c::CommandPool, flags: c::CommandPoolTrimFlags) {
        handle::get(command_pool)?.pool.trim();
        Ok(())
    }

    Device vkAllocateCommandBuffers(
        device: c::Device,
        allocate_info: *const c::CommandBufferAllocateInfo<'_>,
        command_buffers: *mut c::CommandBuffer,
    ) -> c::Result {
        let info = raw::reference(allocate_info, "VkCommandBufferAllocateInfo")?;
        let pool = handle::get(info.command_pool)?;
        let mut live = pool.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        for index in 0..info.command_buffer_count as usize {
            let secondary = info.level == c::CommandBufferLevel::SECONDARY;
            let buffer: c::CommandBuffer = handle::create(CommandBuffer::new(&pool.pool, secondary));
            live.insert(buffer.as_raw());
            raw::write_at(command_buffers, index, buffer);
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
        let mut live = pool.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        for &buffer in raw::slice(command_buffers, command_buffer_count) {
            if live.remove(&buffer.as_raw()) {
                handle::destroy(buffer);
            }
        }
        Ok(())
    }

    Device vkBeginCommandBuffer(
        command_buffer: c::CommandBuffer,
        begin_info: *const c::CommandBufferBeginInfo<'_>,
    ) -> c::Result {
        let buffer = handle::get_mut(command_buffer)?;
        let (inherited, conditional) = match (buffer.is_secondary(), begin_info.as_ref()) {
            (true, Some(info)) => (render::inherited_rendering(info)?, render::inherits_condition(info)),
            _ => (None, false),
        };
        buffer.begin(inherited.as_ref(), conditional)?;
        if buffer.is_secondary() {
            inherit_heaps(buffer, begin_info)?;
        }
        done()
    }

    Device vkEndCommandBuffer(command_buffer: c::CommandBuffer) -> c::Result {
        handle::get_mut(command_buffer)?.end()?;
        done()
    }

    Device vkResetCommandBuffer(
        command_buffer: c::CommandBuffer,
        flags: c::CommandBufferResetFlags,
    ) -> c::Result {
        handle::get_mut(command_buffer)?.reset();
        done()
    }

    Device vkCmdBindPipeline(
        command_buffer: c::CommandBuffer,
        pipeline_bind_point: c::PipelineBindPoint,
        pipeline: c::Pipeline,
    ) {
        record(command_buffer, |buffer| {
            match (handle::get(pipeline)?, pipeline_bind_point) {
                (PipelineObject::Compute(pipeline), c::PipelineBindPoint::COMPUTE) => buffer.bind_pipeline(pipeline)?,
                (PipelineObject::Graphics(pipeline), c::PipelineBindPoint::GRAPHICS) => buffer.bind_graphics(pipeline)?,
                (PipelineObject::Library(_), _) => return Err(vk::Error::InvalidUse { why: "a pipeline library bound as a pipeline" }),
                _ => return Err(vk::Error::InvalidUse { why: "a pipeline bound to a bind point of another type" }),
            }
            Ok(())
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
        let info = c::BindDescriptorSetsInfoKHR {
            layout,
            first_set,
            descriptor_set_count,
            p_descriptor_sets: descriptor_sets,
            dynamic_offset_count,
            p_dynamic_offsets: dynamic_offsets,
            ..c::BindDescriptorSetsInfoKHR::default()
        };
        record(command_buffer, |buffer| bind_sets(buffer, bind_point(pipeline_bind_point)?, &info))
    }

    Device vkCmdBindDescriptorSets2(
        command_buffer: c::CommandBuffer,
        bind_descriptor_sets_info: *const c::BindDescriptorSetsInfoKHR<'_>,
    ) {
        record(command_buffer, |buffer| {
            let info = raw::reference(bind_descriptor_sets_info, "VkBindDescriptorSetsInfo")?;
            bind_points(info.stage_flags).try_for_each(|point| bind_sets(buffer, point, info))
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
        record(command_buffer, |buffer| buffer.push(stage_flags, offset, raw::bytes(values, size as usize)))
    }

    Device vkCmdPushConstants2(
        command_buffer: c::CommandBuffer,
        push_constants_info: *const c::PushConstantsInfoKHR<'_>,
    ) {
        record(command_buffer, |buffer| {
            let info = raw::reference(push_constants_info, "VkPushConstantsInfo")?;
            buffer.push(info.stage_flags, info.offset, raw::bytes(info.p_values, info.size as usize))
        })
    }

    Device vkCmdDispatch(
        command_buffer: c::CommandBuffer,
        group_count_x: u32,
        group_count_y: u32,
        group_count_z: u32,
    ) {
        record(command_buffer, |buffer| {
            buffer.dispatch([0; 3], [group_count_x, group_count_y, group_count_z])
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
        record(command_buffer, |buffer| {
            buffer.dispatch(
                [base_group_x, base_group_y, base_group_z],
                [group_count_x, group_count_y, group_count_z],
            )
        })
    }

    Device vkCmdDispatchIndirect(command_buffer: c::CommandBuffer, buffer: c::Buffer, offset: c::DeviceSize) {
        record(command_buffer, |commands| {
            commands.dispatch_indirect(handle::get(buffer)?.address_of(offset, 12)?)
        })
    }

    Device vkCmdSetDeviceMask(command_buffer: c::CommandBuffer, device_mask: u32) {
        // A device group has one device.
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
        let regions = raw::slice(regions, region_count).iter();
        copy_buffer(command_buffer, (src_buffer, dst_buffer), regions.map(|r| (r.src_offset, r.dst_offset, r.size)))
    }

    Device vkCmdCopyBuffer2(
        command_buffer: c::CommandBuffer,
        copy_buffer_info: *const c::CopyBufferInfo2<'_>,
    ) {
        let info = raw::reference(copy_buffer_info, "VkCopyBufferInfo2")?;
        let regions = raw::slice(info.p_regions, info.region_count).iter();
        let regions = regions.map(|r| (r.src_offset, r.dst_offset, r.size));
        copy_buffer(command_buffer, (info.src_buffer, info.dst_buffer), regions)
    }

    Device vkCmdUpdateBuffer(
        command_buffer: c::CommandBuffer,
        dst_buffer: c::Buffer,
        dst_offset: c::DeviceSize,
        data_size: c::DeviceSize,
        data: *const c_void,
    ) {
        record(command_buffer, |commands| {
            let address = handle::get(dst_buffer)?.address_of(dst_offset, data_size)?;
            commands.update(address, raw::bytes(data, data_size as usize))
        })
    }

    Device vkCmdFillBuffer(
        command_buffer: c::CommandBuffer,
        dst_buffer: c::Buffer,
        dst_offset: c::DeviceSize,
        size: c::DeviceSize,
        data: u32,
    ) {
        record(command_buffer, |commands| {
            let buffer = handle::get(dst_buffer)?;
            // VK_WHOLE_SIZE fills to the end of the buffer, rounded down to whole dwords.
            let remaining = buffer.bytes.saturating_sub(dst_offset) & !3;
            let bytes = if size == c::WHOLE_SIZE { remaining } else { size };
            commands.fill(buffer.address_of(dst_offset, bytes)?, bytes, data)
        })
    }

    Device ["VK_AMD_buffer_marker"] vkCmdWriteBufferMarkerAMD(
        command_buffer: c::CommandBuffer,
        pipeline_stage: c::PipelineStageFlags,
        dst_buffer: c::Buffer,
        dst_offset: c::DeviceSize,
        marker: u32,
    ) {
        let stage = c::PipelineStageFlags2::from_raw(pipeline_stage.as_raw().into());
        write_marker(command_buffer, stage, (dst_buffer, dst_offset), marker)
    }

    Device ["VK_AMD_buffer_marker"] vkCmdWriteBufferMarker2AMD(
        command_buffer: c::CommandBuffer,
        stage: c::PipelineStageFlags2,
        dst_buffer: c::Buffer,
        dst_offset: c::DeviceSize,
        marker: u32,
    ) {
        write_marker(command_buffer, stage, (dst_buffer, dst_offset), marker)
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
        record(command_buffer, |buffer| {
            buffer.barrier(&dependency::merged(
                (src_stage_mask, dst_stage_mask),
                raw::slice(memory_barriers, memory_barrier_count),
                raw::slice(buffer_memory_barriers, buffer_memory_barrier_count),
                raw::slice(image_memory_barriers, image_memory_barrier_count),
            ));
            let images = raw::slice(image_memory_barriers, image_memory_barrier_count);
            buffer.transitions(images.iter().filter_map(|image| layout_transition!(image)))
        })
    }

    // The event is set once all earlier commands are complete and their writes are in memory,
    // whatever the stage mask.
    Device vkCmdSetEvent(command_buffer: c::CommandBuffer, event: c::Event, stage_mask: c::PipelineStageFlags) {
        record(command_buffer, |buffer| buffer.set_event(handle::get(event)?.address(), true))
    }

    Device vkCmdResetEvent(
        command_buffer: c::CommandBuffer,
        event: c::Event,
        stage_mask: c::PipelineStageFlags,
    ) {
        record(command_buffer, |buffer| buffer.set_event(handle::get(event)?.address(), false))
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
        record(command_buffer, |buffer| {
            for &event in raw::slice(events, event_count) {
                buffer.wait_event(handle::get(event)?.address())?;
            }
            buffer.barrier(&dependency::merged(
                (src_stage_mask, dst_stage_mask),
                raw::slice(memory_barriers, memory_barrier_count),
                raw::slice(buffer_memory_barriers, buffer_memory_barrier_count),
                raw::slice(image_memory_barriers, image_memory_barrier_count),
            ));
            let images = raw::slice(image_memory_barriers, image_memory_barrier_count);
            buffer.transitions(images.iter().filter_map(|image| layout_transition!(image)))
        })
    }

    Device vkCmdPipelineBarrier2(
        command_buffer: c::CommandBuffer,
        dependency_info: *const c::DependencyInfo<'_>,
    ) {
        record(command_buffer, |buffer| {
            record_dependency(buffer, raw::reference(dependency_info, "VkDependencyInfo")?)
        })
    }

    // The event is set once all earlier commands are complete and their writes are in memory,
    // whatever the dependency.
    Device vkCmdSetEvent2(
        command_buffer: c::CommandBuffer,
        event: c::Event,
        dependency_info: *const c::DependencyInfo<'_>,
    ) {
        record(command_buffer, |buffer| buffer.set_event(handle::get(event)?.address(), true))
    }

    Device vkCmdResetEvent2(
        command_buffer: c::CommandBuffer,
        event: c::Event,
        stage_mask: c::PipelineStageFlags2,
    ) {
        record(command_buffer, |buffer| buffer.set_event(handle::get(event)?.address(), false))
    }

    Device vkCmdWaitEvents2(
        command_buffer: c::CommandBuffer,
        event_count: u32,
        events: *const c::Event,
        dependency_infos: *const c::DependencyInfo<'_>,
    ) {
        record(command_buffer, |buffer| {
            for &event in raw::slice(events, event_count) {
                buffer.wait_event(handle::get(event)?.address())?;
            }
            let infos = raw::slice(dependency_infos, event_count);
            infos.iter().try_for_each(|info| record_dependency(buffer, info))
        })
    }

    Device vkCmdExecuteCommands(
        command_buffer: c::CommandBuffer,
        command_buffer_count: u32,
        command_buffers: *const c::CommandBuffer,
    ) {
        record(command_buffer, |primary| {
            for &secondary in raw::slice(command_buffers, command_buffer_count) {
                if secondary == command_buffer {
                    return Err(vk::Error::InvalidUse { why: "a command buffer that executes itself" });
                }
                primary.execute(handle::get(secondary)?)?;
            }
            Ok(())
        })
    }
}

/// Binds descriptor sets to a bind point.
///
/// # Safety
/// The structure is valid.
unsafe fn bind_sets(
    buffer: &mut CommandBuffer,
    point: BindPoint,
    info: &c::BindDescriptorSetsInfoKHR<'_>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let layout = handle::get(info.layout)?;
        let mut offsets = raw::slice(info.p_dynamic_offsets, info.dynamic_offset_count).iter();
        let sets = raw::slice(info.p_descriptor_sets, info.descriptor_set_count);
        for (number, &set) in (info.first_set as usize..).zip(sets) {
            // Null stands for a set that no shader uses (VK_EXT_graphics_pipeline_library).
            if let Some(object) = handle::optional(set)? {
                buffer.bind_set(point, layout, number, &object.set, &mut offsets)?;
            }
        }
    }
    Ok(())
}

/// Records the barriers and layout transitions of a `VkDependencyInfo`.
///
/// # Safety
/// The structure is valid; its images are handles of this driver.
unsafe fn record_dependency(
    buffer: &mut CommandBuffer,
    info: &c::DependencyInfo<'_>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        dependency::each(info).for_each(|dependency| buffer.barrier(&dependency));
        let images = raw::slice(
            info.p_image_memory_barriers,
            info.image_memory_barrier_count,
        );
        buffer.transitions(images.iter().filter_map(|image| layout_transition!(image)))
    }
}

/// Whether a queue family stands for another device or API.
fn is_foreign(family: u32) -> bool {
    [c::QUEUE_FAMILY_EXTERNAL, c::QUEUE_FAMILY_FOREIGN_EXT].contains(&family)
}

/// The layout transition of an image barrier, or none if neither layout nor owner change.
///
/// # Safety
/// The image is a handle of this driver.
unsafe fn layout_transition<'a>(
    image: c::Image,
    layouts: [c::ImageLayout; 2],
    families: [u32; 2],
    range: c::ImageSubresourceRange,
) -> Option<vk::Result<LayoutChange<'a>>> {
    let [old, new] = layouts;
    let foreign = families.map(is_foreign);
    let changes = old != new || foreign != [false; 2];
    // SAFETY: as the caller says.
    let found = changes.then(|| unsafe { handle::get(image) });
    found.map(|image| {
        Ok(LayoutChange {
            image: image?,
            range,
            layouts,
            foreign,
        })
    })
}

/// Records the write of a marker. Only one at the top of the pipe does not wait for earlier
/// commands.
///
/// # Safety
/// As [`record`]; the buffer is a handle of this driver.
unsafe fn write_marker(
    commands: c::CommandBuffer,
    stage: c::PipelineStageFlags2,
    (buffer, offset): (c::Buffer, c::DeviceSize),
    marker: u32,
) -> vk::Result<()> {
    let early = c::PipelineStageFlags2::TOP_OF_PIPE.contains(stage);
    // SAFETY: as the caller says.
    unsafe {
        record(commands, |commands| {
            if !offset.is_multiple_of(4) {
                return Err(vk::Error::InvalidUse {
                    why: "a marker at an offset that is no multiple of 4",
                });
            }
            let address = handle::get(buffer)?.address_of(offset, 4)?;
            commands.write_marker(address, marker, early)
        })
    }
}

/// Records copies between two buffers; a region is two offsets and a size.
///
/// # Safety
/// As [`record`]; the buffers are handles of this driver.
unsafe fn copy_buffer(
    commands: c::CommandBuffer,
    (source, destination): (c::Buffer, c::Buffer),
    regions: impl Iterator<Item = (c::DeviceSize, c::DeviceSize, c::DeviceSize)>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        record(commands, |commands| {
            let (source, destination) = (handle::get(source)?, handle::get(destination)?);
            for (from, to, size) in regions {
                commands.copy(
                    source.address_of(from, size)?,
                    destination.address_of(to, size)?,
                    size,
                )?;
            }
            Ok(())
        })
    }
}

/// Binds the heaps that a secondary command buffer inherits.
///
/// # Safety
/// The structure is null or valid, and its chain too.
unsafe fn inherit_heaps(
    buffer: &mut CommandBuffer,
    begin_info: *const c::CommandBufferBeginInfo<'_>,
) -> vk::Result<()> {
    type Inherits<'a> = types::CommandBufferInheritanceDescriptorHeapInfoEXT<'a>;
    // SAFETY: as the caller says.
    let heaps = unsafe {
        let inheritance = begin_info
            .as_ref()
            .and_then(|info| info.p_inheritance_info.as_ref());
        let node = inheritance.and_then(|from| raw::find_in_chain::<Inherits<'_>>(from.p_next));
        node.map_or([(Heap::Samplers, None), (Heap::Resources, None)], |node| {
            [
                (Heap::Samplers, node.p_sampler_heap_bind_info.as_ref()),
                (Heap::Resources, node.p_resource_heap_bind_info.as_ref()),
            ]
        })
    };
    for (heap, info) in heaps {
        if let Some(info) = info {
            buffer.bind_heap(heap, info.heap_range.address)?;
        }
    }
    Ok(())
}
