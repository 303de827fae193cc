//! Entry points of dynamic state beyond that of core 1.0.
//!
//! In:  state values. Out: the values in a command buffer; state whose feature is not supported
//!      makes the command buffer invalid.
//! Ref: Vulkan 1.3, "Dynamic State"; VK_EXT_extended_dynamic_state, its versions 2 and 3,
//!      VK_EXT_color_write_enable, VK_EXT_line_rasterization.

use ash::vk as c;
use vk::command::DepthBias;
use vk::graphics::VertexBinding;

use crate::draw::vertex_buffer;
use crate::entry::entries;
use crate::raw;
use crate::recording::{record, record_infallible};
use crate::types::{DepthClampModeEXT, DepthClampRangeEXT};

/// Defines the table of entry points:
/// - `flags`: commands that set a `VkBool32`, each with the setter of the command buffer;
/// - `unsupported`: commands whose feature is not supported, each with the feature's name;
/// - `other`: all others, as [`entries`] defines them.
macro_rules! dynamic_state_entries {
    ($table:ident:
        flags { $($([$flag_extension:literal])? $flag_name:ident($flag:ident) => $setter:ident;)* }
        unsupported { $([$extension:literal] $name:ident($($arg:ident: $ty:ty),*) => $feature:literal;)* }
        other { $($other:tt)* }
    ) => {
        entries! { $table:
            $(Device $([$flag_extension])? $flag_name(command_buffer: c::CommandBuffer, $flag: c::Bool32) {
                record_infallible(command_buffer, |commands| commands.$setter($flag != c::FALSE))
            })*
            $(Device [$extension] $name(command_buffer: c::CommandBuffer $(, $arg: $ty)*) {
                record_unsupported(command_buffer, $feature)
            })*
            $($other)*
        }
    };
}

dynamic_state_entries! { DYNAMIC:
    flags {
        vkCmdSetDepthTestEnable(depth_test_enable) => set_depth_test;
        vkCmdSetDepthWriteEnable(depth_write_enable) => set_depth_write;
        vkCmdSetStencilTestEnable(stencil_test_enable) => set_stencil_test;
        vkCmdSetRasterizerDiscardEnable(rasterizer_discard_enable) => set_rasterizer_discard;
        vkCmdSetDepthBiasEnable(depth_bias_enable) => set_depth_bias_enable;
        vkCmdSetPrimitiveRestartEnable(primitive_restart_enable) => set_primitive_restart;
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetDepthClampEnableEXT(depth_clamp_enable) => set_depth_clamp;
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetAlphaToCoverageEnableEXT(alpha_to_coverage_enable) => set_alpha_to_coverage;
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetAlphaToOneEnableEXT(alpha_to_one_enable) => set_alpha_to_one;
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetLogicOpEnableEXT(logic_op_enable) => set_logic_op_enable;
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetDepthClipEnableEXT(depth_clip_enable) => set_depth_clip;
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetLineStippleEnableEXT(stippled_line_enable) => set_line_stipple_enable;
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetSampleLocationsEnableEXT(sample_locations_enable) => set_sample_locations_enable;
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetDepthClipNegativeOneToOneEXT(negative_one_to_one) => set_near_at_minus_w;
    }
    unsupported {
        ["VK_EXT_extended_dynamic_state3"] vkCmdSetExtraPrimitiveOverestimationSizeEXT(extra_primitive_overestimation_size: f32)
            => "extendedDynamicState3ExtraPrimitiveOverestimationSize";
    }
    other {
        Device vkCmdSetCullMode(
            command_buffer: c::CommandBuffer,
            cull_mode: c::CullModeFlags,
        ) {
            record_infallible(command_buffer, |commands| commands.set_cull(cull_mode))
        }

        Device vkCmdSetFrontFace(
            command_buffer: c::CommandBuffer,
            front_face: c::FrontFace,
        ) {
            record_infallible(command_buffer, |commands| commands.set_front_face(front_face))
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
            // The scissor count always equals the viewport count.
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
                    let vertices = vertex_buffer(buffer, offsets.get(index), sizes.get(index), strides.get(index))?;
                    commands.bind_vertices(first_binding.saturating_add(index as u32), vertices)?;
                }
                Ok(())
            })
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

        Device ["VK_EXT_extended_dynamic_state2"] vkCmdSetLogicOpEXT(
            command_buffer: c::CommandBuffer,
            logic_op: c::LogicOp,
        ) {
            record(command_buffer, |commands| commands.set_logic_op(logic_op))
        }

        Device ["VK_EXT_color_write_enable"] vkCmdSetColorWriteEnableEXT(
            command_buffer: c::CommandBuffer,
            attachment_count: u32,
            color_write_enables: *const c::Bool32,
        ) {
            record_infallible(command_buffer, |commands| {
                commands.set_colour_writes(raw::slice(color_write_enables, attachment_count));
            })
        }

        Device vkCmdSetLineStipple(
            command_buffer: c::CommandBuffer,
            line_stipple_factor: u32,
            line_stipple_pattern: u16,
        ) {
            record_infallible(command_buffer, |commands| commands.set_line_stipple(line_stipple_factor, line_stipple_pattern))
        }

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetTessellationDomainOriginEXT(
            command_buffer: c::CommandBuffer,
            domain_origin: c::TessellationDomainOrigin,
        ) {
            record_infallible(command_buffer, |commands| commands.set_domain_origin(domain_origin))
        }

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetPolygonModeEXT(
            command_buffer: c::CommandBuffer,
            polygon_mode: c::PolygonMode,
        ) {
            record(command_buffer, |commands| commands.set_polygon_mode(polygon_mode))
        }

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetSampleMaskEXT(
            command_buffer: c::CommandBuffer,
            samples: c::SampleCountFlags,
            sample_mask: *const c::SampleMask,
        ) {
            record(command_buffer, |commands| {
                // Null stands for all samples.
                commands.set_sample_mask(sample_mask.as_ref().copied().unwrap_or(u32::MAX));
                Ok(())
            })
        }

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetColorBlendEnableEXT(
            command_buffer: c::CommandBuffer,
            first_attachment: u32,
            attachment_count: u32,
            color_blend_enables: *const c::Bool32,
        ) {
            record(command_buffer, |commands| {
                commands.set_blend_enables(first_attachment, raw::slice(color_blend_enables, attachment_count))
            })
        }

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetColorBlendEquationEXT(
            command_buffer: c::CommandBuffer,
            first_attachment: u32,
            attachment_count: u32,
            color_blend_equations: *const c::ColorBlendEquationEXT,
        ) {
            record(command_buffer, |commands| {
                commands.set_blend_equations(first_attachment, raw::slice(color_blend_equations, attachment_count))
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

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetProvokingVertexModeEXT(
            command_buffer: c::CommandBuffer,
            provoking_vertex_mode: c::ProvokingVertexModeEXT,
        ) {
            record_infallible(command_buffer, |commands| commands.set_provoking_vertex(provoking_vertex_mode))
        }

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetLineRasterizationModeEXT(
            command_buffer: c::CommandBuffer,
            line_rasterization_mode: c::LineRasterizationModeEXT,
        ) {
            record(command_buffer, |commands| commands.set_line_rasterization_mode(line_rasterization_mode))
        }

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetRasterizationStreamEXT(
            command_buffer: c::CommandBuffer,
            rasterization_stream: u32,
        ) {
            record(command_buffer, |commands| commands.set_stream(rasterization_stream))
        }

        Device ["VK_EXT_extended_dynamic_state2"] vkCmdSetPatchControlPointsEXT(
            command_buffer: c::CommandBuffer,
            patch_control_points: u32,
        ) {
            record_infallible(command_buffer, |commands| commands.set_patch_points(patch_control_points))
        }

        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetRasterizationSamplesEXT(
            command_buffer: c::CommandBuffer,
            rasterization_samples: c::SampleCountFlags,
        ) {
            record(command_buffer, |commands| commands.set_samples(rasterization_samples))
        }

        Device ["VK_EXT_vertex_input_dynamic_state"] vkCmdSetVertexInputEXT(
            command_buffer: c::CommandBuffer,
            vertex_binding_description_count: u32,
            vertex_binding_descriptions: *const c::VertexInputBindingDescription2EXT<'_>,
            vertex_attribute_description_count: u32,
            vertex_attribute_descriptions: *const c::VertexInputAttributeDescription2EXT<'_>,
        ) {
            record(command_buffer, |commands| {
                let bindings = raw::slice(vertex_binding_descriptions, vertex_binding_description_count);
                let bindings = bindings.iter().map(|from| VertexBinding {
                    binding: from.binding,
                    stride_bytes: from.stride,
                    per_instance: (from.input_rate == c::VertexInputRate::INSTANCE).then_some(from.divisor),
                });
                let attributes = raw::slice(vertex_attribute_descriptions, vertex_attribute_description_count);
                let attributes = attributes.iter().map(|from| c::VertexInputAttributeDescription {
                    location: from.location,
                    binding: from.binding,
                    format: from.format,
                    offset: from.offset,
                });
                commands.set_vertex_input(bindings, attributes)
            })
        }

        Device ["VK_EXT_depth_clamp_control"] vkCmdSetDepthClampRangeEXT(
            command_buffer: c::CommandBuffer,
            depth_clamp_mode: DepthClampModeEXT,
            depth_clamp_range: *const DepthClampRangeEXT,
        ) {
            record(command_buffer, |commands| {
                commands.set_depth_clamp_range(clamp_range(depth_clamp_mode, depth_clamp_range)?);
                Ok(())
            })
        }

        Device ["VK_EXT_depth_bias_control"] vkCmdSetDepthBias2EXT(
            command_buffer: c::CommandBuffer,
            depth_bias_info: *const c::DepthBiasInfoEXT<'_>,
        ) {
            record(command_buffer, |commands| {
                let info = raw::reference(depth_bias_info, "VkDepthBiasInfoEXT")?;
                commands.set_depth_bias(DepthBias {
                    constant: info.depth_bias_constant_factor,
                    slope: info.depth_bias_slope_factor,
                    clamp: info.depth_bias_clamp,
                    absolute: is_absolute_bias(raw::find_in_chain(info.p_next))?,
                });
                Ok(())
            })
        }

        Device ["VK_EXT_primitive_restart_index"] vkCmdSetPrimitiveRestartIndexEXT(
            command_buffer: c::CommandBuffer,
            primitive_restart_index: u32,
        ) {
            record_infallible(command_buffer, |commands| commands.set_restart_index(primitive_restart_index))
        }

        // Pipelines with this dynamic state expect that any draw reads its attachments.
        Device ["VK_EXT_attachment_feedback_loop_dynamic_state"] vkCmdSetAttachmentFeedbackLoopEnableEXT(
            command_buffer: c::CommandBuffer,
            aspect_mask: c::ImageAspectFlags,
        ) {
            record(command_buffer, |_| Ok(()))
        }

        // The extension requires the functions of all its features.
        Device ["VK_EXT_extended_dynamic_state3"] vkCmdSetConservativeRasterizationModeEXT(
            command_buffer: c::CommandBuffer,
            conservative_rasterization_mode: c::ConservativeRasterizationModeEXT,
        ) {
            record(command_buffer, |commands| commands.set_conservative_mode(conservative_rasterization_mode))
        }
    }
}

/// The range of clamped depth. `None`: that of each viewport.
///
/// # Safety
/// `range` is null or valid.
pub unsafe fn clamp_range(
    mode: DepthClampModeEXT,
    range: *const DepthClampRangeEXT,
) -> vk::Result<Option<[f32; 2]>> {
    if mode != DepthClampModeEXT::USER_DEFINED_RANGE {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    let range = unsafe { raw::reference(range, "VkDepthClampRangeEXT") }?;
    Ok(Some([range.min_depth_clamp, range.max_depth_clamp]))
}

/// Whether the constant factor of depth bias is the bias itself.
pub fn is_absolute_bias(
    representation: Option<&c::DepthBiasRepresentationInfoEXT<'_>>,
) -> vk::Result<bool> {
    use c::DepthBiasRepresentationEXT as R;
    match representation.map(|from| from.depth_bias_representation) {
        None | Some(R::LEAST_REPRESENTABLE_VALUE_FORMAT) => Ok(false),
        Some(R::FLOAT) => Ok(true),
        Some(_) => Err(vk::Error::FeatureNotPresent {
            what: "leastRepresentableValueForceUnormRepresentation",
        }),
    }
}

/// Makes a command buffer invalid because a feature is not supported.
///
/// # Safety
/// As [`record`].
unsafe fn record_unsupported(
    command_buffer: c::CommandBuffer,
    what: &'static str,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        record(command_buffer, |_| {
            Err(vk::Error::FeatureNotPresent { what })
        })
    }
}
