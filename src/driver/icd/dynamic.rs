//! Entry points of state that extensions let commands set.
//!
//! In:  the API's values. Out: the same in a command buffer; what no pipeline of ours can leave dynamic makes it invalid.
//! Ref: Vulkan 1.3, "Dynamic State"; VK_EXT_extended_dynamic_state, its second and third, VK_EXT_color_write_enable,
//! VK_EXT_line_rasterization.

use ash::vk as c;

use crate::draw::{set, vertices};
use crate::entry::entries;
use crate::raw;
use crate::recording::record;

entries! { DYNAMIC:
    Device vkCmdSetCullMode(
        command_buffer: c::CommandBuffer,
        cull_mode: c::CullModeFlags,
    ) {
        set(command_buffer, |commands| commands.set_cull(cull_mode))
    }

    Device vkCmdSetFrontFace(
        command_buffer: c::CommandBuffer,
        front_face: c::FrontFace,
    ) {
        set(command_buffer, |commands| commands.set_front_face(front_face))
    }

    Device vkCmdSetPrimitiveTopology(
        command_buffer: c::CommandBuffer,
        primitive_topology: c::PrimitiveTopology,
    ) {
        record(command_buffer, |commands| commands.set_topology(primitive_topology))
    }

    Device vkCmdSetViewportWithCount(
        command_buffer: c::CommandBuffer,
        viewport_count: u32,
        viewports: *const c::Viewport,
    ) {
        record(command_buffer, |commands| commands.set_all_viewports(raw::slice(viewports, viewport_count)))
    }

    Device vkCmdSetScissorWithCount(
        command_buffer: c::CommandBuffer,
        scissor_count: u32,
        scissors: *const c::Rect2D,
    ) {
        // There are as many as viewports.
        record(command_buffer, |commands| commands.set_scissors(0, raw::slice(scissors, scissor_count)))
    }

    Device vkCmdBindVertexBuffers2(
        command_buffer: c::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        buffers: *const c::Buffer,
        offsets: *const c::DeviceSize,
        sizes: *const c::DeviceSize,
        strides: *const c::DeviceSize,
    ) {
        record(command_buffer, |commands| {
            let offsets = raw::slice(offsets, binding_count);
            let (sizes, strides) = (raw::slice(sizes, binding_count), raw::slice(strides, binding_count));
            for (index, &buffer) in raw::slice(buffers, binding_count).iter().enumerate() {
                let vertices = vertices(buffer, offsets.get(index), sizes.get(index), strides.get(index))?;
                commands.bind_vertices(first_binding.saturating_add(index as u32), vertices)?;
            }
            Ok(())
        })
    }

    Device vkCmdSetDepthTestEnable(
        command_buffer: c::CommandBuffer,
        depth_test_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_depth_test(depth_test_enable != c::FALSE))
    }

    Device vkCmdSetDepthWriteEnable(
        command_buffer: c::CommandBuffer,
        depth_write_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_depth_write(depth_write_enable != c::FALSE))
    }

    Device vkCmdSetDepthCompareOp(
        command_buffer: c::CommandBuffer,
        depth_compare_op: c::CompareOp,
    ) {
        record(command_buffer, |commands| commands.set_depth_compare(depth_compare_op))
    }

    Device vkCmdSetDepthBoundsTestEnable(
        command_buffer: c::CommandBuffer,
        depth_bounds_test_enable: c::Bool32,
    ) {
        record(command_buffer, |_| match depth_bounds_test_enable {
            c::FALSE => Ok(()),
            _ => Err(vk::Error::FeatureNotPresent { what: "depthBounds" }),
        })
    }

    Device vkCmdSetStencilTestEnable(
        command_buffer: c::CommandBuffer,
        stencil_test_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_stencil_test(stencil_test_enable != c::FALSE))
    }

    Device vkCmdSetStencilOp(
        command_buffer: c::CommandBuffer,
        face_mask: c::StencilFaceFlags,
        fail_op: c::StencilOp,
        pass_op: c::StencilOp,
        depth_fail_op: c::StencilOp,
        compare_op: c::CompareOp,
    ) {
        record(command_buffer, |commands| {
            commands.set_stencil_op(face_mask, [fail_op, depth_fail_op, pass_op], compare_op)
        })
    }

    Device vkCmdSetRasterizerDiscardEnable(
        command_buffer: c::CommandBuffer,
        rasterizer_discard_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_discard(rasterizer_discard_enable != c::FALSE))
    }

    Device vkCmdSetDepthBiasEnable(
        command_buffer: c::CommandBuffer,
        depth_bias_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_depth_bias_enable(depth_bias_enable != c::FALSE))
    }

    Device vkCmdSetPrimitiveRestartEnable(
        command_buffer: c::CommandBuffer,
        primitive_restart_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_restart(primitive_restart_enable != c::FALSE))
    }

    Device ["VK_EXT_extended_dynamic_state2"] vkCmdSetLogicOpEXT(
        command_buffer: c::CommandBuffer,
        logic_op: c::LogicOp,
    ) {
        record(command_buffer, |commands| commands.set_logic_op(logic_op))
    }

    Device ["VK_EXT_extended_dynamic_state2"] vkCmdSetPatchControlPointsEXT(
        command_buffer: c::CommandBuffer,
        patch_control_points: u32,
    ) {
        // Shaders are compiled for patches of so many vertices.
        refused(command_buffer, "extendedDynamicState2PatchControlPoints")
    }

    Device ["VK_EXT_color_write_enable"] vkCmdSetColorWriteEnableEXT(
        command_buffer: c::CommandBuffer,
        attachment_count: u32,
        color_write_enables: *const c::Bool32,
    ) {
        set(command_buffer, |commands| {
            commands.set_colour_writes(raw::slice(color_write_enables, attachment_count));
        })
    }

    Device ["VK_EXT_line_rasterization"] vkCmdSetLineStippleEXT(
        command_buffer: c::CommandBuffer,
        line_stipple_factor: u32,
        line_stipple_pattern: u16,
    ) {
        set(command_buffer, |commands| commands.set_stipple(line_stipple_factor, line_stipple_pattern))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetTessellationDomainOriginEXT(
        command_buffer: c::CommandBuffer,
        domain_origin: c::TessellationDomainOrigin,
    ) {
        set(command_buffer, |commands| commands.set_domain_origin(domain_origin))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetDepthClampEnableEXT(
        command_buffer: c::CommandBuffer,
        depth_clamp_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_depth_clamp(depth_clamp_enable != c::FALSE))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetPolygonModeEXT(
        command_buffer: c::CommandBuffer,
        polygon_mode: c::PolygonMode,
    ) {
        record(command_buffer, |commands| commands.set_fill(polygon_mode))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetRasterizationSamplesEXT(
        command_buffer: c::CommandBuffer,
        rasterization_samples: c::SampleCountFlags,
    ) {
        refused(command_buffer, "extendedDynamicState3RasterizationSamples")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetSampleMaskEXT(
        command_buffer: c::CommandBuffer,
        samples: c::SampleCountFlags,
        sample_mask: *const c::SampleMask,
    ) {
        record(command_buffer, |commands| {
            commands.set_sample_mask(*raw::reference(sample_mask, "a sample mask")?);
            Ok(())
        })
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetAlphaToCoverageEnableEXT(
        command_buffer: c::CommandBuffer,
        alpha_to_coverage_enable: c::Bool32,
    ) {
        refused(command_buffer, "extendedDynamicState3AlphaToCoverageEnable")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetAlphaToOneEnableEXT(
        command_buffer: c::CommandBuffer,
        alpha_to_one_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_alpha_to_one(alpha_to_one_enable != c::FALSE))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetLogicOpEnableEXT(
        command_buffer: c::CommandBuffer,
        logic_op_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_logic(logic_op_enable != c::FALSE))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetColorBlendEnableEXT(
        command_buffer: c::CommandBuffer,
        first_attachment: u32,
        attachment_count: u32,
        color_blend_enables: *const c::Bool32,
    ) {
        record(command_buffer, |commands| {
            commands.set_blended(first_attachment, raw::slice(color_blend_enables, attachment_count))
        })
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetColorBlendEquationEXT(
        command_buffer: c::CommandBuffer,
        first_attachment: u32,
        attachment_count: u32,
        color_blend_equations: *const c::ColorBlendEquationEXT,
    ) {
        record(command_buffer, |commands| {
            commands.set_equations(first_attachment, raw::slice(color_blend_equations, attachment_count))
        })
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetColorWriteMaskEXT(
        command_buffer: c::CommandBuffer,
        first_attachment: u32,
        attachment_count: u32,
        color_write_masks: *const c::ColorComponentFlags,
    ) {
        record(command_buffer, |commands| {
            commands.set_write_masks(first_attachment, raw::slice(color_write_masks, attachment_count))
        })
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetDepthClipEnableEXT(
        command_buffer: c::CommandBuffer,
        depth_clip_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_depth_clip(depth_clip_enable != c::FALSE))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetProvokingVertexModeEXT(
        command_buffer: c::CommandBuffer,
        provoking_vertex_mode: c::ProvokingVertexModeEXT,
    ) {
        set(command_buffer, |commands| commands.set_provoking(provoking_vertex_mode))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetLineRasterizationModeEXT(
        command_buffer: c::CommandBuffer,
        line_rasterization_mode: c::LineRasterizationModeEXT,
    ) {
        record(command_buffer, |commands| commands.set_lines(line_rasterization_mode))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetLineStippleEnableEXT(
        command_buffer: c::CommandBuffer,
        stippled_line_enable: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_stippled(stippled_line_enable != c::FALSE))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetDepthClipNegativeOneToOneEXT(
        command_buffer: c::CommandBuffer,
        negative_one_to_one: c::Bool32,
    ) {
        set(command_buffer, |commands| commands.set_near_at_minus_w(negative_one_to_one != c::FALSE))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetRasterizationStreamEXT(
        command_buffer: c::CommandBuffer,
        rasterization_stream: u32,
    ) {
        record(command_buffer, |commands| commands.set_stream(rasterization_stream))
    }

    // The extension brings the functions of all its features.
    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetConservativeRasterizationModeEXT(
        command_buffer: c::CommandBuffer,
        conservative_rasterization_mode: c::ConservativeRasterizationModeEXT,
    ) {
        record(command_buffer, |commands| commands.set_conservative(conservative_rasterization_mode))
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetExtraPrimitiveOverestimationSizeEXT(
        command_buffer: c::CommandBuffer,
        extra_primitive_overestimation_size: f32,
    ) {
        refused(command_buffer, "extendedDynamicState3ExtraPrimitiveOverestimationSize")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetSampleLocationsEnableEXT(
        command_buffer: c::CommandBuffer,
        sample_locations_enable: c::Bool32,
    ) {
        refused(command_buffer, "extendedDynamicState3SampleLocationsEnable")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetColorBlendAdvancedEXT(
        command_buffer: c::CommandBuffer,
        first_attachment: u32,
        attachment_count: u32,
        color_blend_advanced: *const c::ColorBlendAdvancedEXT,
    ) {
        refused(command_buffer, "extendedDynamicState3ColorBlendAdvanced")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetViewportWScalingEnableNV(
        command_buffer: c::CommandBuffer,
        viewport_w_scaling_enable: c::Bool32,
    ) {
        refused(command_buffer, "extendedDynamicState3ViewportWScalingEnable")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetViewportSwizzleNV(
        command_buffer: c::CommandBuffer,
        first_viewport: u32,
        viewport_count: u32,
        viewport_swizzles: *const c::ViewportSwizzleNV,
    ) {
        refused(command_buffer, "extendedDynamicState3ViewportSwizzle")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetCoverageToColorEnableNV(
        command_buffer: c::CommandBuffer,
        coverage_to_color_enable: c::Bool32,
    ) {
        refused(command_buffer, "extendedDynamicState3CoverageToColorEnable")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetCoverageToColorLocationNV(
        command_buffer: c::CommandBuffer,
        coverage_to_color_location: u32,
    ) {
        refused(command_buffer, "extendedDynamicState3CoverageToColorLocation")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetCoverageModulationModeNV(
        command_buffer: c::CommandBuffer,
        coverage_modulation_mode: c::CoverageModulationModeNV,
    ) {
        refused(command_buffer, "extendedDynamicState3CoverageModulationMode")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetCoverageModulationTableEnableNV(
        command_buffer: c::CommandBuffer,
        coverage_modulation_table_enable: c::Bool32,
    ) {
        refused(command_buffer, "extendedDynamicState3CoverageModulationTableEnable")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetCoverageModulationTableNV(
        command_buffer: c::CommandBuffer,
        coverage_modulation_table_count: u32,
        coverage_modulation_table: *const f32,
    ) {
        refused(command_buffer, "extendedDynamicState3CoverageModulationTable")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetShadingRateImageEnableNV(
        command_buffer: c::CommandBuffer,
        shading_rate_image_enable: c::Bool32,
    ) {
        refused(command_buffer, "extendedDynamicState3ShadingRateImageEnable")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetRepresentativeFragmentTestEnableNV(
        command_buffer: c::CommandBuffer,
        representative_fragment_test_enable: c::Bool32,
    ) {
        refused(command_buffer, "extendedDynamicState3RepresentativeFragmentTestEnable")
    }

    Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetCoverageReductionModeNV(
        command_buffer: c::CommandBuffer,
        coverage_reduction_mode: c::CoverageReductionModeNV,
    ) {
        refused(command_buffer, "extendedDynamicState3CoverageReductionMode")
    }
}

/// Makes a command buffer invalid: the feature is not offered.
///
/// # Safety
/// As [`record`].
unsafe fn refused(command_buffer: c::CommandBuffer, what: &'static str) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        record(command_buffer, |_| {
            Err(vk::Error::FeatureNotPresent { what })
        })
    }
}
