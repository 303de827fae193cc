//! Entry points of what the driver cannot do yet: graphics, and copies of images.
//!
//! Vulkan wants the functions to exist. None of their objects can be created, so functions that take one have nothing to do;
//! commands that would draw or touch an image make their command buffer invalid, which `vkEndCommandBuffer` tells.

use ash::vk as c;
use ash::vk::Handle;

use crate::command::record;
use crate::entry::entries;
use crate::{handle, raw};

entries! { GRAPHICS:
    Device vkCreateFramebuffer(
        device: c::Device,
        create_info: *const c::FramebufferCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        framebuffer: *mut c::Framebuffer,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(framebuffer, Handle::from_raw(0));
        Err(vk::Error::FeatureNotPresent { what: "graphics" })
    }

    Device vkCreateRenderPass(
        device: c::Device,
        create_info: *const c::RenderPassCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        render_pass: *mut c::RenderPass,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(render_pass, Handle::from_raw(0));
        Err(vk::Error::FeatureNotPresent { what: "graphics" })
    }

    Device vkCreateSamplerYcbcrConversion(
        device: c::Device,
        create_info: *const c::SamplerYcbcrConversionCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        ycbcr_conversion: *mut c::SamplerYcbcrConversion,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(ycbcr_conversion, Handle::from_raw(0));
        Err(vk::Error::FeatureNotPresent { what: "samplers" })
    }

    Device vkCreateGraphicsPipelines(
        device: c::Device,
        pipeline_cache: c::PipelineCache,
        create_info_count: u32,
        create_infos: *const c::GraphicsPipelineCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        pipelines: *mut c::Pipeline,
    ) -> c::Result {
        handle::get(device)?;
        for index in 0..create_info_count as usize {
            raw::put_at(pipelines, index, c::Pipeline::null());
        }
        Err(vk::Error::FeatureNotPresent { what: "graphics" })
    }

    Device vkGetRenderAreaGranularity(
        device: c::Device,
        render_pass: c::RenderPass,
        granularity: *mut c::Extent2D,
    ) {
        raw::put(granularity, c::Extent2D { width: 1, height: 1 });
        Ok(())
    }

    Device vkDestroyFramebuffer(
        device: c::Device,
        framebuffer: c::Framebuffer,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        Ok(())
    }

    Device vkDestroyRenderPass(
        device: c::Device,
        render_pass: c::RenderPass,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        Ok(())
    }

    Device vkDestroySamplerYcbcrConversion(
        device: c::Device,
        ycbcr_conversion: c::SamplerYcbcrConversion,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        Ok(())
    }

    Device vkCmdSetViewport(
        command_buffer: c::CommandBuffer,
        first_viewport: u32,
        viewport_count: u32,
        viewports: *const c::Viewport,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdSetScissor(
        command_buffer: c::CommandBuffer,
        first_scissor: u32,
        scissor_count: u32,
        scissors: *const c::Rect2D,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdSetLineWidth(command_buffer: c::CommandBuffer, line_width: f32) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdSetDepthBias(
        command_buffer: c::CommandBuffer,
        depth_bias_constant_factor: f32,
        depth_bias_clamp: f32,
        depth_bias_slope_factor: f32,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdSetBlendConstants(command_buffer: c::CommandBuffer, blend_constants: *const [f32; 4usize]) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdSetDepthBounds(command_buffer: c::CommandBuffer, min_depth_bounds: f32, max_depth_bounds: f32) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdSetStencilCompareMask(
        command_buffer: c::CommandBuffer,
        face_mask: c::StencilFaceFlags,
        compare_mask: u32,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdSetStencilWriteMask(
        command_buffer: c::CommandBuffer,
        face_mask: c::StencilFaceFlags,
        write_mask: u32,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdSetStencilReference(
        command_buffer: c::CommandBuffer,
        face_mask: c::StencilFaceFlags,
        reference: u32,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdBindIndexBuffer(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        index_type: c::IndexType,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdBindVertexBuffers(
        command_buffer: c::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        buffers: *const c::Buffer,
        offsets: *const c::DeviceSize,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdDraw(
        command_buffer: c::CommandBuffer,
        vertex_count: u32,
        instance_count: u32,
        first_vertex: u32,
        first_instance: u32,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdDrawIndexed(
        command_buffer: c::CommandBuffer,
        index_count: u32,
        instance_count: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdDrawIndirect(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdDrawIndexedIndirect(
        command_buffer: c::CommandBuffer,
        buffer: c::Buffer,
        offset: c::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
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
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "images" }))
    }

    Device vkCmdClearAttachments(
        command_buffer: c::CommandBuffer,
        attachment_count: u32,
        attachments: *const c::ClearAttachment,
        rect_count: u32,
        rects: *const c::ClearRect,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
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
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "images" }))
    }

    Device vkCmdBeginQuery(
        command_buffer: c::CommandBuffer,
        query_pool: c::QueryPool,
        query: u32,
        flags: c::QueryControlFlags,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "queries other than timestamps" }))
    }

    Device vkCmdEndQuery(command_buffer: c::CommandBuffer, query_pool: c::QueryPool, query: u32) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "queries other than timestamps" }))
    }

    Device vkCmdBeginRenderPass(
        command_buffer: c::CommandBuffer,
        render_pass_begin: *const c::RenderPassBeginInfo<'_>,
        contents: c::SubpassContents,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdNextSubpass(command_buffer: c::CommandBuffer, contents: c::SubpassContents) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdEndRenderPass(command_buffer: c::CommandBuffer) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCreateRenderPass2(
        device: c::Device,
        create_info: *const c::RenderPassCreateInfo2<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        render_pass: *mut c::RenderPass,
    ) -> c::Result {
        handle::get(device)?;
        raw::put(render_pass, Handle::from_raw(0));
        Err(vk::Error::FeatureNotPresent { what: "graphics" })
    }

    Device vkCmdBeginRenderPass2(
        command_buffer: c::CommandBuffer,
        render_pass_begin: *const c::RenderPassBeginInfo<'_>,
        subpass_begin_info: *const c::SubpassBeginInfo<'_>,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdNextSubpass2(
        command_buffer: c::CommandBuffer,
        subpass_begin_info: *const c::SubpassBeginInfo<'_>,
        subpass_end_info: *const c::SubpassEndInfo<'_>,
    ) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device vkCmdEndRenderPass2(command_buffer: c::CommandBuffer, subpass_end_info: *const c::SubpassEndInfo<'_>) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
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
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
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
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "graphics" }))
    }

    Device ["VK_KHR_copy_commands2"] vkCmdBlitImage2KHR(command_buffer: c::CommandBuffer, info: *const c::BlitImageInfo2<'_>) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "images" }))
    }

    Device ["VK_KHR_copy_commands2"] vkCmdResolveImage2KHR(command_buffer: c::CommandBuffer, info: *const c::ResolveImageInfo2<'_>) {
        record(command_buffer, |_| Err(vk::Error::FeatureNotPresent { what: "images" }))
    }
}
