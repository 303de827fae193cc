//! The supported extensions: name, revision, and the core version that includes each.
//!
//! Promoted extensions are listed too: many applications look for them although they are in core.

use ash::vk as api;
use hw::{Device, Wa};

/// An extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// `VK_...`.
    pub name: &'static str,
    /// Revision.
    pub spec_version: u32,
    /// Core version that includes it, if any.
    pub core_since: Option<u32>,
    /// An erratum: parts with it do not offer the extension.
    pub withheld_for: Option<Wa>,
}

const fn row(name: &'static str, spec_version: u32, core_since: Option<u32>) -> Extension {
    Extension {
        name,
        spec_version,
        core_since,
        withheld_for: None,
    }
}

impl Extension {
    const fn withheld_for(self, erratum: Wa) -> Extension {
        Extension {
            withheld_for: Some(erratum),
            ..self
        }
    }

    /// Whether a device offers this device extension.
    pub fn is_offered_on(&self, device: &Device) -> bool {
        self.withheld_for
            .is_none_or(|erratum| !device.needs(erratum))
    }
}

const V1_1: Option<u32> = Some(api::API_VERSION_1_1);
const V1_2: Option<u32> = Some(api::API_VERSION_1_2);
const V1_3: Option<u32> = Some(api::API_VERSION_1_3);
const V1_4: Option<u32> = Some(API_VERSION_1_4);

/// Vulkan 1.4, which is newer than the definitions of ash.
pub const API_VERSION_1_4: u32 = api::make_api_version(0, 1, 4, 0);

/// The supported version of Vulkan. Commands of versions beyond this one are not found.
pub const API_VERSION: u32 = api::make_api_version(0, 1, 4, 366);

/// Instance extensions, by name.
pub const INSTANCE: &[Extension] = &[
    row("VK_EXT_acquire_drm_display", 1, None),
    row("VK_EXT_acquire_xlib_display", 1, None),
    row("VK_EXT_debug_utils", 2, None),
    row("VK_EXT_direct_mode_display", 1, None),
    row("VK_EXT_display_surface_counter", 1, None),
    row("VK_EXT_headless_surface", 1, None),
    row("VK_EXT_surface_maintenance1", 1, None),
    row("VK_EXT_swapchain_colorspace", 5, None),
    row("VK_KHR_device_group_creation", 1, V1_1),
    row("VK_KHR_display", 23, None),
    row("VK_KHR_external_fence_capabilities", 1, V1_1),
    row("VK_KHR_external_memory_capabilities", 1, V1_1),
    row("VK_KHR_external_semaphore_capabilities", 1, V1_1),
    row("VK_KHR_get_display_properties2", 1, None),
    row("VK_KHR_get_physical_device_properties2", 2, V1_1),
    row("VK_KHR_get_surface_capabilities2", 1, None),
    row("VK_KHR_surface", 25, None),
    row("VK_KHR_surface_maintenance1", 1, None),
    row("VK_KHR_surface_protected_capabilities", 1, None),
    row("VK_KHR_wayland_surface", 6, None),
    row("VK_KHR_xcb_surface", 6, None),
    row("VK_KHR_xlib_surface", 6, None),
];

/// Device extensions, by name. A device offers those that it does not lose to an erratum.
pub const DEVICE: &[Extension] = &[
    row("VK_AMD_buffer_marker", 1, None),
    row("VK_EXT_4444_formats", 1, V1_3),
    row("VK_EXT_attachment_feedback_loop_dynamic_state", 1, None),
    row("VK_EXT_attachment_feedback_loop_layout", 2, None),
    row("VK_EXT_border_color_swizzle", 1, None),
    row("VK_EXT_buffer_device_address", 2, None),
    row("VK_EXT_calibrated_timestamps", 2, None),
    row("VK_EXT_color_write_enable", 1, None),
    row("VK_EXT_conditional_rendering", 2, None),
    row("VK_EXT_conservative_rasterization", 1, None).withheld_for(Wa::ConservativeRasterHeader),
    row("VK_EXT_custom_border_color", 12, None),
    row("VK_EXT_depth_bias_control", 1, None),
    row("VK_EXT_depth_clamp_control", 1, None),
    row("VK_EXT_depth_clamp_zero_one", 1, None),
    row("VK_EXT_depth_clip_control", 1, None),
    row("VK_EXT_depth_clip_enable", 1, None),
    row("VK_EXT_descriptor_buffer", 1, None),
    row("VK_EXT_descriptor_heap", 1, None),
    row("VK_EXT_descriptor_indexing", 2, V1_2),
    row("VK_EXT_device_address_binding_report", 1, None),
    row("VK_EXT_device_memory_report", 2, None),
    row("VK_EXT_display_control", 1, None),
    row("VK_EXT_dynamic_rendering_unused_attachments", 1, None),
    row("VK_EXT_extended_dynamic_state", 1, V1_3),
    row("VK_EXT_extended_dynamic_state2", 1, V1_3),
    row("VK_EXT_extended_dynamic_state3", 2, None),
    row("VK_EXT_external_memory_acquire_unmodified", 1, None),
    row("VK_EXT_external_memory_dma_buf", 1, None),
    row("VK_EXT_external_memory_host", 1, None),
    row("VK_EXT_fragment_shader_interlock", 1, None),
    row("VK_EXT_global_priority", 2, None),
    row("VK_EXT_global_priority_query", 1, None),
    row("VK_EXT_graphics_pipeline_library", 1, None),
    row("VK_EXT_hdr_metadata", 3, None),
    row("VK_EXT_host_image_copy", 1, V1_4),
    row("VK_EXT_host_query_reset", 1, V1_2),
    row("VK_EXT_image_2d_view_of_3d", 1, None),
    row("VK_EXT_image_drm_format_modifier", 2, None),
    row("VK_EXT_image_robustness", 1, V1_3),
    row("VK_EXT_image_sliced_view_of_3d", 1, None),
    row("VK_EXT_image_view_min_lod", 1, None),
    row("VK_EXT_index_type_uint8", 1, None),
    row("VK_EXT_inline_uniform_block", 1, V1_3),
    row("VK_EXT_legacy_dithering", 2, None),
    row("VK_EXT_legacy_vertex_attributes", 1, None),
    row("VK_EXT_line_rasterization", 1, None),
    row("VK_EXT_load_store_op_none", 1, None),
    row("VK_EXT_map_memory_placed", 1, None),
    row("VK_EXT_memory_budget", 1, None),
    row("VK_EXT_multi_draw", 1, None),
    row("VK_EXT_mutable_descriptor_type", 1, None),
    row("VK_EXT_nested_command_buffer", 1, None),
    row("VK_EXT_non_seamless_cube_map", 1, None),
    row("VK_EXT_pci_bus_info", 2, None),
    row("VK_EXT_physical_device_drm", 1, None),
    row("VK_EXT_pipeline_creation_cache_control", 3, V1_3),
    row("VK_EXT_pipeline_creation_feedback", 1, V1_3),
    row("VK_EXT_pipeline_robustness", 1, V1_4),
    row("VK_EXT_post_depth_coverage", 1, None),
    row("VK_EXT_present_timing", 3, None),
    row("VK_EXT_primitive_restart_index", 1, None),
    row("VK_EXT_primitive_topology_list_restart", 1, None),
    row("VK_EXT_primitives_generated_query", 1, None),
    row("VK_EXT_private_data", 1, V1_3),
    row("VK_EXT_provoking_vertex", 1, None),
    row("VK_EXT_queue_family_foreign", 1, None),
    row("VK_EXT_robustness2", 1, None),
    row("VK_EXT_sample_locations", 1, None),
    row("VK_EXT_sampler_filter_minmax", 2, V1_2),
    row("VK_EXT_scalar_block_layout", 1, V1_2),
    row("VK_EXT_separate_stencil_usage", 1, V1_2),
    row("VK_EXT_shader_atomic_float", 1, None),
    row("VK_EXT_shader_atomic_float2", 1, None),
    row("VK_EXT_shader_demote_to_helper_invocation", 1, V1_3),
    row("VK_EXT_shader_image_atomic_int64", 1, None),
    row("VK_EXT_shader_module_identifier", 1, None),
    row("VK_EXT_shader_object", 1, None),
    row("VK_EXT_shader_replicated_composites", 1, None),
    row("VK_EXT_shader_stencil_export", 1, None),
    row("VK_EXT_shader_subgroup_ballot", 1, None),
    row("VK_EXT_shader_subgroup_vote", 1, None),
    row("VK_EXT_shader_uniform_buffer_unsized_array", 1, None),
    row("VK_EXT_shader_viewport_index_layer", 1, V1_2),
    row("VK_EXT_subgroup_size_control", 2, V1_3),
    row("VK_EXT_swapchain_maintenance1", 1, None),
    row("VK_EXT_texel_buffer_alignment", 1, V1_3),
    row("VK_EXT_tooling_info", 1, V1_3),
    row("VK_EXT_transform_feedback", 1, None),
    row("VK_EXT_vertex_attribute_divisor", 3, None),
    row("VK_EXT_vertex_input_dynamic_state", 2, None),
    row("VK_EXT_ycbcr_2plane_444_formats", 1, V1_3),
    row("VK_EXT_ycbcr_image_arrays", 1, None),
    row("VK_GOOGLE_decorate_string", 1, None),
    row("VK_GOOGLE_hlsl_functionality1", 1, None),
    row("VK_GOOGLE_user_type", 1, None),
    row("VK_INTEL_shader_integer_functions2", 1, None),
    row("VK_KHR_16bit_storage", 1, V1_1),
    row("VK_KHR_8bit_storage", 1, V1_2),
    row("VK_KHR_bind_memory2", 1, V1_1),
    row("VK_KHR_buffer_device_address", 1, V1_2),
    row("VK_KHR_calibrated_timestamps", 1, None),
    row("VK_KHR_compute_shader_derivatives", 1, None),
    row("VK_KHR_copy_commands2", 1, V1_3),
    row("VK_KHR_copy_memory_indirect", 1, None),
    row("VK_KHR_create_renderpass2", 1, V1_2),
    row("VK_KHR_dedicated_allocation", 3, V1_1),
    row("VK_KHR_deferred_host_operations", 4, None),
    row("VK_KHR_depth_clamp_zero_one", 1, None),
    row("VK_KHR_depth_stencil_resolve", 1, V1_2),
    row("VK_KHR_descriptor_update_template", 1, V1_1),
    row("VK_KHR_device_address_commands", 1, None),
    row("VK_KHR_device_group", 4, V1_1),
    row("VK_KHR_draw_indirect_count", 1, V1_2),
    row("VK_KHR_driver_properties", 1, V1_2),
    row("VK_KHR_dynamic_rendering", 1, V1_3),
    row("VK_KHR_dynamic_rendering_local_read", 1, V1_4),
    row("VK_KHR_external_fence", 1, V1_1),
    row("VK_KHR_external_fence_fd", 1, None),
    row("VK_KHR_external_memory", 1, V1_1),
    row("VK_KHR_external_memory_fd", 1, None),
    row("VK_KHR_external_semaphore", 1, V1_1),
    row("VK_KHR_external_semaphore_fd", 1, None),
    row("VK_KHR_format_feature_flags2", 2, V1_3),
    row("VK_KHR_get_memory_requirements2", 1, V1_1),
    row("VK_KHR_global_priority", 1, V1_4),
    row("VK_KHR_image_format_list", 1, V1_2),
    row("VK_KHR_imageless_framebuffer", 1, V1_2),
    row("VK_KHR_incremental_present", 2, None),
    row("VK_KHR_index_type_uint8", 1, V1_4),
    row("VK_KHR_internally_synchronized_queues", 1, None),
    row("VK_KHR_line_rasterization", 1, V1_4),
    row("VK_KHR_load_store_op_none", 1, V1_4),
    row("VK_KHR_maintenance1", 2, V1_1),
    row("VK_KHR_maintenance10", 1, None),
    row("VK_KHR_maintenance11", 1, None),
    row("VK_KHR_maintenance2", 1, V1_1),
    row("VK_KHR_maintenance3", 1, V1_1),
    row("VK_KHR_maintenance4", 2, V1_3),
    row("VK_KHR_maintenance5", 1, V1_4),
    row("VK_KHR_maintenance6", 1, V1_4),
    row("VK_KHR_maintenance7", 1, None),
    row("VK_KHR_maintenance8", 1, None),
    row("VK_KHR_maintenance9", 1, None),
    row("VK_KHR_map_memory2", 1, V1_4),
    row("VK_KHR_multiview", 1, V1_1),
    row("VK_KHR_pipeline_binary", 1, None),
    row("VK_KHR_pipeline_executable_properties", 1, None),
    row("VK_KHR_pipeline_library", 1, None),
    row("VK_KHR_present_id", 1, None),
    row("VK_KHR_present_id2", 1, None),
    row("VK_KHR_present_wait", 1, None),
    row("VK_KHR_present_wait2", 1, None),
    row("VK_KHR_push_descriptor", 2, V1_4),
    row("VK_KHR_relaxed_block_layout", 1, V1_1),
    row("VK_KHR_robustness2", 1, None),
    row("VK_KHR_sampler_mirror_clamp_to_edge", 3, V1_2),
    row("VK_KHR_sampler_ycbcr_conversion", 14, V1_1),
    row("VK_KHR_separate_depth_stencil_layouts", 1, V1_2),
    row("VK_KHR_shader_atomic_int64", 1, V1_2),
    row("VK_KHR_shader_clock", 1, None),
    row("VK_KHR_shader_constant_data", 1, None),
    row("VK_KHR_shader_draw_parameters", 1, V1_1),
    row("VK_KHR_shader_expect_assume", 1, V1_4),
    row("VK_KHR_shader_float16_int8", 1, V1_2),
    row("VK_KHR_shader_float_controls", 4, V1_2),
    row("VK_KHR_shader_float_controls2", 1, V1_4),
    row("VK_KHR_shader_fma", 1, None),
    row("VK_KHR_shader_integer_dot_product", 1, V1_3),
    row("VK_KHR_shader_maximal_reconvergence", 1, None),
    row("VK_KHR_shader_non_semantic_info", 1, V1_3),
    row("VK_KHR_shader_quad_control", 1, None),
    row("VK_KHR_shader_relaxed_extended_instruction", 1, None),
    row("VK_KHR_shader_subgroup_extended_types", 1, V1_2),
    row("VK_KHR_shader_subgroup_rotate", 2, V1_4),
    row("VK_KHR_shader_subgroup_uniform_control_flow", 1, None),
    row("VK_KHR_shader_terminate_invocation", 1, V1_3),
    row("VK_KHR_shader_untyped_pointers", 1, None),
    row("VK_KHR_spirv_1_4", 1, V1_2),
    row("VK_KHR_storage_buffer_storage_class", 1, V1_1),
    row("VK_KHR_swapchain", 70, None),
    row("VK_KHR_swapchain_maintenance1", 1, None),
    row("VK_KHR_swapchain_mutable_format", 1, None),
    row("VK_KHR_synchronization2", 1, V1_3),
    row("VK_KHR_timeline_semaphore", 2, V1_2),
    row("VK_KHR_uniform_buffer_standard_layout", 1, V1_2),
    row("VK_KHR_variable_pointers", 1, V1_1),
    row("VK_KHR_vertex_attribute_divisor", 1, V1_4),
    row("VK_KHR_vulkan_memory_model", 3, V1_2),
    row("VK_KHR_workgroup_memory_explicit_layout", 1, None),
    row("VK_KHR_zero_initialize_workgroup_memory", 1, V1_3),
    row("VK_MESA_image_alignment_control", 1, None),
    row("VK_NV_compute_shader_derivatives", 1, None),
    row("VK_VALVE_mutable_descriptor_type", 1, None),
];

/// The device extensions that a device offers, by name.
pub fn offered_on(
    device: &Device,
) -> impl ExactSizeIterator<Item = &'static Extension> + Clone + use<> {
    let rows = DEVICE.iter().filter(|row| row.is_offered_on(device));
    rows.collect::<Vec<_>>().into_iter()
}

/// Finds an extension by name.
pub fn find(table: &'static [Extension], name: &str) -> Option<&'static Extension> {
    table.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_without_duplicates() {
        for table in [INSTANCE, DEVICE] {
            assert!(table.windows(2).all(|pair| pair[0].name < pair[1].name));
        }
        assert!(find(DEVICE, "VK_KHR_timeline_semaphore").is_some());
        assert!(find(DEVICE, "VK_NV_mesh_shader").is_none());
    }

    #[test]
    fn parts_with_an_erratum_lose_an_extension() {
        let offered = |device: &str, name: &str| {
            let device = Device::by_name(device).unwrap();
            offered_on(device).any(|row| row.name == name)
        };
        let conservative = "VK_EXT_conservative_rasterization";
        assert!(!offered("skl", conservative));
        for device in ["bxt", "kbl", "cfl", "glk"] {
            assert!(offered(device, conservative), "{device}");
        }
        assert!(offered("skl", "VK_EXT_custom_border_color"));
    }

    #[test]
    fn the_documentation_lists_what_is_offered() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/extensions.md");
        let text = std::fs::read_to_string(page).unwrap();
        let mut documented = Vec::new();
        for line in text.lines().filter(|line| line.starts_with("| `VK_")) {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [name, _, ours, why] = cells[..] else {
                panic!("four cells: {line}");
            };
            assert_eq!(
                ours == "yes",
                why.is_empty(),
                "a reason where it is not there: {line}"
            );
            if ours == "yes" {
                documented.push(name.trim_matches('`'));
            }
        }
        let skylake = Device::by_name("skl").unwrap();
        let rows = INSTANCE.iter().chain(offered_on(skylake));
        let mut offered: Vec<_> = rows.map(|row| row.name).collect();
        offered.sort_unstable();
        assert_eq!(documented, offered);
    }
}
