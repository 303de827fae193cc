//! Entry points of draws, and of core 1.0's dynamic state.
//!
//! In:  arguments of draws, buffers, state values. Out: commands of `vk`.

use ash::vk as c;
use ash::vk::Handle;
use vk::command::{CommandBuffer, DepthBias, DrawParams, VertexBufferBinding};

use crate::entry::entries;
use crate::recording::{record, record_infallible};
use crate::{handle, raw};

entries! { DRAW:
    Device vkCmdSetViewport(
        command_buffer: c::CommandBuffer,
        first_viewport: u32,
        viewport_count: u32,
        viewports: *const c::Viewport,
    ) {
        record(command_buffer, |commands| {
            commands.set_viewports(first_viewport, raw::slice(viewports, viewport_count))
        })
    }

    Device vkCmdSetScissor(
        command_buffer: c::CommandBuffer,
        first_scissor: u32,
        scissor_count: u32,
        scissors: *const c::Rect2D,
    ) {
        record(command_buffer, |commands| {
            commands.set_scissors(first_scissor, raw::slice(scissors, scissor_count))
        })
    }

    Device vkCmdSetLineWidth(command_buffer: c::CommandBuffer, line_width: f32) {
        record_infallible(command_buffer, |commands| commands.set_line_width(line_width))
    }

    Device vkCmdSetDepthBias(
        command_buffer: c::CommandBuffer,
        depth_bias_constant_factor: f32,
        depth_bias_clamp: f32,
        depth_bias_slope_factor: f32,
    ) {
        record_infallible(command_buffer, |commands| {
            commands.set_depth_bias(DepthBias {
                constant: depth_bias_constant_factor,
                slope: depth_bias_slope_factor,
                clamp: depth_bias_clamp,
                absolute: false,
            });
        })
    }

    Device vkCmdSetBlendConstants(command_buffer: c::CommandBuffer, blend_constants: *const [f32; 4usize]) {
        record(command_buffer, |commands| {
            commands.set_blend_constants(*raw::reference(blend_constants, "blend constants")?);
            Ok(())
        })
    }

    Device vkCmdSetDepthBounds(command_buffer: c::CommandBuffer, min_depth_bounds: f32, max_depth_bounds: f32) {
        // `depthBounds` is not advertised, so no pipeline can use these values.
        handle::get(command_buffer)?;
        Ok(())
    }

    Device vkCmdSetStencilCompareMask(
        command_buffer: c::CommandBuffer,
        face_mask: c::StencilFaceFlags,
        compare_mask: u32,
    ) {
        record_infallible(command_buffer, |commands| commands.set_stencil_compare_mask(face_mask, compare_mask))
    }

    Device vkCmdSetStencilWriteMask(
        command_buffer: c::CommandBuffer,
        face_mask: c::StencilFaceFlags,
        write_mask: u32,
    ) {
        record_infallible(command_buffer, |commands| commands.set_stencil_write_mask(face_mask, write_mask))
    }

    Device vkCmdSetStencilReference(
        command_buffer: c::CommandBuffer,
        face_mask: c::StencilFaceFlags,
        reference: u32,
    ) {
        record_infallible(command_buffer, |commands| commands.set_stencil_reference(face_mask, reference))
    }

    Device vkCmdBindIndexBuffer(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        index_type: c::IndexType,
    ) {
        record(command_buffer, |commands| {
            let (address, bytes) = index_buffer(buffer, offset, c::WHOLE_SIZE)?;
            commands.bind_indices(address, bytes, index_type)
        })
    }

    Device vkCmdBindIndexBuffer2(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        size: c::DeviceSize,
        index_type: c::IndexType,
    ) {
        record(command_buffer, |commands| {
            let (address, bytes) = index_buffer(buffer, offset, size)?;
            commands.bind_indices(address, bytes, index_type)
        })
    }

    Device vkCmdBindVertexBuffers(
        command_buffer: c::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        buffers: *const c::Buffer,
        offsets: *const c::DeviceSize,
    ) {
        record(command_buffer, |commands| {
            let offsets = raw::slice(offsets, binding_count);
            for (index, &buffer) in raw::slice(buffers, binding_count).iter().enumerate() {
                let vertices = vertex_buffer(buffer, offsets.get(index), None, None)?;
                commands.bind_vertices(first_binding.saturating_add(index as u32), vertices)?;
            }
            Ok(())
        })
    }

    Device vkCmdDraw(
        command_buffer: c::CommandBuffer,
        vertex_count: u32,
        instance_count: u32,
        first_vertex: u32,
        first_instance: u32,
    ) {
        record(command_buffer, |commands| {
            commands.draw(&DrawParams {
                vertices: vertex_count,
                instances: instance_count,
                first_vertex,
                first_instance,
                ..DrawParams::default()
            })
        })
    }

    Device vkCmdDrawIndexed(
        command_buffer: c::CommandBuffer,
        index_count: u32,
        instance_count: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
    ) {
        record(command_buffer, |commands| {
            commands.draw(&DrawParams {
                vertices: index_count,
                instances: instance_count,
                first_vertex: first_index,
                first_instance,
                indexed: Some(vertex_offset),
                ..DrawParams::default()
            })
        })
    }

    Device vkCmdDrawIndirect(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        record(command_buffer, |commands| {
            let address = indirect_arguments(buffer, offset, draw_count, stride, 16)?;
            commands.draw_indirect(address, draw_count, stride, false)
        })
    }

    Device vkCmdDrawIndexedIndirect(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        record(command_buffer, |commands| {
            let address = indirect_arguments(buffer, offset, draw_count, stride, 20)?;
            commands.draw_indirect(address, draw_count, stride, true)
        })
    }

    Device vkCmdDrawIndirectCount(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        count_buffer: c::Buffer,
        count_buffer_offset: c::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    ) {
        record(command_buffer, |commands| {
            let address = indirect_arguments(buffer, offset, max_draw_count, stride, 16)?;
            let count_address = handle::get(count_buffer)?.address_of(count_buffer_offset, 4)?;
            commands.draw_counted(address, stride, false, count_address, max_draw_count)
        })
    }

    Device vkCmdDrawIndexedIndirectCount(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        count_buffer: c::Buffer,
        count_buffer_offset: c::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    ) {
        record(command_buffer, |commands| {
            let address = indirect_arguments(buffer, offset, max_draw_count, stride, 20)?;
            let count_address = handle::get(count_buffer)?.address_of(count_buffer_offset, 4)?;
            commands.draw_counted(address, stride, true, count_address, max_draw_count)
        })
    }

    Device ["VK_EXT_multi_draw"] vkCmdDrawMultiEXT(
        command_buffer: c::CommandBuffer,
        draw_count: u32,
        vertex_info: *const c::MultiDrawInfoEXT,
        instance_count: u32,
        first_instance: u32,
        stride: u32,
    ) {
        record(command_buffer, |commands| {
            for number in 0..draw_count {
                let info = raw::strided_element(vertex_info, number, stride);
                commands.draw(&DrawParams {
                    vertices: info.vertex_count,
                    instances: instance_count,
                    first_vertex: info.first_vertex,
                    first_instance,
                    indexed: None,
                    number,
                })?;
            }
            Ok(())
        })
    }

    Device ["VK_EXT_multi_draw"] vkCmdDrawMultiIndexedEXT(
        command_buffer: c::CommandBuffer,
        draw_count: u32,
        index_info: *const c::MultiDrawIndexedInfoEXT,
        instance_count: u32,
        first_instance: u32,
        stride: u32,
        vertex_offset: *const i32,
    ) {
        record(command_buffer, |commands| {
            let shared_offset = vertex_offset.as_ref();
            for number in 0..draw_count {
                let info = raw::strided_element(index_info, number, stride);
                commands.draw(&DrawParams {
                    vertices: info.index_count,
                    instances: instance_count,
                    first_vertex: info.first_index,
                    first_instance,
                    indexed: Some(*shared_offset.unwrap_or(&info.vertex_offset)),
                    number,
                })?;
            }
            Ok(())
        })
    }

    Device ["VK_EXT_sample_locations"] vkCmdSetSampleLocationsEXT(
        command_buffer: c::CommandBuffer,
        sample_locations_info: *const c::SampleLocationsInfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(sample_locations_info, "VkSampleLocationsInfoEXT")?;
            commands.set_sample_locations(info, raw::slice(info.p_sample_locations, info.sample_locations_count))
        })
    }

    Device ["VK_EXT_conditional_rendering"] vkCmdBeginConditionalRenderingEXT(
        command_buffer: c::CommandBuffer,
        conditional_rendering_begin: *const c::ConditionalRenderingBeginInfoEXT<'_>,
    ) {
        record(command_buffer, |commands| {
            let info = raw::reference(conditional_rendering_begin, "VkConditionalRenderingBeginInfoEXT")?;
            let inverted = info.flags.contains(c::ConditionalRenderingFlagsEXT::INVERTED);
            commands.begin_conditional_rendering(handle::get(info.buffer)?.address_of(info.offset, 4)?, inverted)
        })
    }

    Device ["VK_EXT_conditional_rendering"] vkCmdEndConditionalRenderingEXT(command_buffer: c::CommandBuffer) {
        record_infallible(command_buffer, CommandBuffer::end_conditional_rendering)
    }
}

/// The address and size in bytes of the indices in a buffer's range from an offset up to a size, or
/// to its end for `VK_WHOLE_SIZE`. Indices beyond it are 0, so all of them without a buffer.
///
/// # Safety
/// As [`handle::get`].
unsafe fn index_buffer(
    buffer: c::Buffer,
    offset: c::DeviceSize,
    size: c::DeviceSize,
) -> vk::Result<(u64, u64)> {
    // SAFETY: as the caller says.
    let Some(buffer) = (unsafe { handle::optional(buffer)? }) else {
        return Ok((0, 0));
    };
    let bytes = match size {
        c::WHOLE_SIZE => buffer.bytes.saturating_sub(offset),
        bytes => bytes,
    };
    Ok((buffer.address_of(offset, bytes)?, bytes))
}

/// The vertex buffer of a binding: a buffer's range from an offset up to a size, or to its end if
/// the size is not given.
///
/// # Safety
/// As [`handle::get`].
pub(crate) unsafe fn vertex_buffer(
    buffer: c::Buffer,
    offset: Option<&c::DeviceSize>,
    size: Option<&c::DeviceSize>,
    stride: Option<&c::DeviceSize>,
) -> vk::Result<VertexBufferBinding> {
    let stride_bytes = stride.copied();
    if buffer.is_null() {
        return Ok(VertexBufferBinding {
            address: 0,
            bytes: 0,
            stride_bytes,
        });
    }
    // SAFETY: as the caller says.
    let buffer = unsafe { handle::get(buffer) }?;
    let offset = offset.copied().unwrap_or(0);
    let remaining_bytes = buffer.bytes.saturating_sub(offset);
    let bytes = size.copied().filter(|&size| size != c::WHOLE_SIZE);
    let bytes = bytes.unwrap_or(remaining_bytes);
    Ok(VertexBufferBinding {
        address: buffer.address_of(offset, bytes)?,
        bytes,
        stride_bytes,
    })
}

/// The address of the arguments of indirect draws; an error if they do not all lie in the buffer.
/// `bytes` is the size of one draw's arguments.
///
/// # Safety
/// As [`handle::get`].
unsafe fn indirect_arguments(
    buffer: c::Buffer,
    offset: c::DeviceSize,
    count: u32,
    stride: u32,
    bytes: u64,
) -> vk::Result<u64> {
    let strides = u64::from(count.saturating_sub(1)).saturating_mul(stride.into());
    let all = if count == 0 {
        0
    } else {
        strides.saturating_add(bytes)
    };
    // SAFETY: as the caller says.
    unsafe { handle::get(buffer) }?.address_of(offset, all)
}
