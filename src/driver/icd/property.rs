//! Physical device properties: a row for each structure, with a value for each member.
//!
//! In:  a physical device. Out: `VkPhysicalDeviceProperties2` and its chain. A row becomes a struct
//!      literal, so that the compiler rejects a missing member; structures of a core version copy
//!      their members from those of the extensions that they absorbed. Unknown structures are left
//!      unchanged.
//! Ref: Vulkan specification, "Limits" and "vkGetPhysicalDeviceProperties2".

use std::marker::PhantomData;

use crate::{host_copy, raw, shader_cache, types as c};

/// A property structure.
trait Property {
    /// The structure with the device's values, its `sType` and a null `pNext`.
    fn query(device: &vk::PhysicalDevice) -> Self;
}

macro_rules! properties {
    ($($ty:ident |$device:ident| $(retains $pointer:ident)* $(layouts $count:ident $list:ident)* $({ $($before:stmt;)* })? [$($member:ident: $value:expr),* $(,)?])*) => {
        $(impl Property for c::$ty<'_> {
            fn query($device: &vk::PhysicalDevice) -> Self {
                $($($before)*)?
                Self {
                    s_type: <Self as c::TaggedStructure>::STRUCTURE_TYPE,
                    p_next: std::ptr::null_mut(),
                    $($member: $value,)*
                    _marker: PhantomData,
                }
            }
        })*

        /// Fills the property structures of a query.
        ///
        /// # Safety
        /// `out` is null or a structure with a valid chain, all of it writable.
        pub unsafe fn write_properties(device: &vk::PhysicalDevice, out: *mut c::PhysicalDeviceProperties2<'_>) {
            // SAFETY: as the caller says.
            let Some(head) = (unsafe { out.as_mut() }) else {
                return;
            };
            head.properties = core_properties(device);
            // SAFETY: as the caller says.
            for node in unsafe { raw::chain(head.p_next) } {
                // SAFETY: a node of the chain; `sType` determines its type.
                match unsafe { (*node).s_type } {
                    $(<c::$ty<'_> as c::TaggedStructure>::STRUCTURE_TYPE => {
                        // SAFETY: `sType` says that the node is of this type.
                        let out = unsafe { &mut *node.cast::<c::$ty<'_>>() };
                        let given = std::mem::replace(out, c::$ty::query(device));
                        out.p_next = given.p_next;
                        $(out.$pointer = given.$pointer;)*
                        $(
                            (out.$count, out.$list) = (given.$count, given.$list);
                            // SAFETY: as the caller says, for the list of this structure, too.
                            unsafe { host_copy::write_layouts(&raw mut out.$count, out.$list) };
                        )*
                    })*
                    _ => {}
                }
            }
        }

        /// The `sType` of each row.
        #[cfg(test)]
        const STRUCTURES: &[c::StructureType] =
            &[$(<c::$ty<'_> as c::TaggedStructure>::STRUCTURE_TYPE),*];
    };
}

/// Limit of descriptors in update-after-bind layouts.
/// Bytes of a descriptor in a descriptor buffer.
const DESCRIPTOR_BYTES: usize = vk::descriptor::DESCRIPTOR_BYTES;
/// Bytes of addresses for descriptor buffers. Large sets share them.
const DESCRIPTOR_SPACE_BYTES: u64 = 1 << 31;
const UPDATABLE: u32 = vk::limits::UPDATE_AFTER_BIND_DESCRIPTORS;
/// Limit of dynamic buffers in them: the descriptors of dynamic buffers are not in the heap, so the
/// ordinary limit applies.
const DYNAMIC: u32 = vk::limits::MAX_DYNAMIC_BUFFERS;
/// Limit of inline uniform blocks of a stage or set.
const BLOCKS: u32 = 64;
/// Stages that support subgroup operations.
const SUBGROUP_STAGES: c::ShaderStageFlags = c::ShaderStageFlags::from_raw(
    c::ShaderStageFlags::ALL_GRAPHICS.as_raw() | c::ShaderStageFlags::COMPUTE.as_raw(),
);
/// The version of the conformance tests that the driver is developed against. It is not certified:
/// docs/installing.md has the reason for not reporting 0.
const CONFORMANCE: c::ConformanceVersion = c::ConformanceVersion {
    major: 1,
    minor: 3,
    subminor: 0,
    patch: 0,
};

properties! {
    PhysicalDeviceSubgroupProperties |_device| [
        subgroup_size: vk::physical::SUBGROUP_SIZE,
        supported_stages: SUBGROUP_STAGES,
        supported_operations: vk::physical::SUBGROUP_OPERATIONS,
        quad_operations_in_all_stages: c::TRUE,
    ]
    PhysicalDeviceSubgroupSizeControlProperties |device| [
        min_subgroup_size: 8,
        max_subgroup_size: vk::physical::SUBGROUP_SIZE,
        max_compute_workgroup_subgroups: device.workgroup_threads(),
        required_subgroup_size_stages: SUBGROUP_STAGES,
    ]
    PhysicalDeviceIDProperties |device| [
        device_uuid: device.device_uuid(),
        driver_uuid: device.driver_uuid(),
        device_luid: [0; c::LUID_SIZE],
        device_node_mask: 0,
        device_luid_valid: c::FALSE,
    ]
    PhysicalDevicePointClippingProperties |_device| [
        point_clipping_behavior: c::PointClippingBehavior::USER_CLIP_PLANES_ONLY,
    ]
    PhysicalDeviceMultiviewProperties |_device| [
        max_multiview_view_count: vk::command::ViewMask::END,
        max_multiview_instance_index: u32::MAX / vk::command::ViewMask::END,
    ]
    PhysicalDeviceProtectedMemoryProperties |_device| [protected_no_fault: c::FALSE]
    PhysicalDeviceMaintenance3Properties |device| [
        max_per_set_descriptors: 1024,
        max_memory_allocation_size: vk::memory::MAX_ALLOCATION_BYTES.min(device.heap_bytes()),
    ]
    PhysicalDeviceMaintenance4Properties |_device| [max_buffer_size: vk::buffer::MAX_BYTES]
    PhysicalDeviceDriverProperties |_device| [
        // Khronos has assigned no driver ID.
        driver_id: c::DriverId::default(),
        driver_name: raw::char_array(vk::physical::DRIVER_NAME),
        driver_info: raw::char_array(concat!("Ingot ", env!("CARGO_PKG_VERSION"), ", not certified")),
        conformance_version: CONFORMANCE,
    ]
    PhysicalDeviceTimelineSemaphoreProperties |_device| [
        max_timeline_semaphore_value_difference: u64::MAX,
    ]
    PhysicalDeviceFloatControlsProperties |_device| [
        denorm_behavior_independence: c::ShaderFloatControlsIndependence::ALL,
        // cr0 has one rounding mode for all float sizes.
        rounding_mode_independence: c::ShaderFloatControlsIndependence::NONE,
        shader_signed_zero_inf_nan_preserve_float16: c::TRUE,
        shader_signed_zero_inf_nan_preserve_float32: c::TRUE,
        shader_signed_zero_inf_nan_preserve_float64: c::TRUE,
        shader_denorm_preserve_float16: c::TRUE,
        shader_denorm_preserve_float32: c::TRUE,
        shader_denorm_preserve_float64: c::TRUE,
        // The math box always keeps half-float denorms (SKL PRM vol. 2a, "math": half-float denorms
        // are retained).
        shader_denorm_flush_to_zero_float16: c::FALSE,
        shader_denorm_flush_to_zero_float32: c::TRUE,
        shader_denorm_flush_to_zero_float64: c::TRUE,
        shader_rounding_mode_rte_float16: c::TRUE,
        shader_rounding_mode_rte_float32: c::TRUE,
        shader_rounding_mode_rte_float64: c::TRUE,
        shader_rounding_mode_rtz_float16: c::TRUE,
        shader_rounding_mode_rtz_float32: c::TRUE,
        shader_rounding_mode_rtz_float64: c::TRUE,
    ]
    PhysicalDeviceDescriptorIndexingProperties |_device| [
        max_update_after_bind_descriptors_in_all_pools: vk::limits::UPDATE_AFTER_BIND_POOL_DESCRIPTORS,
        // Descriptors that differ between invocations are accessed in a loop, one after another.
        // Only buffers of sets with indirect descriptors are not, and few sets are of that kind.
        shader_uniform_buffer_array_non_uniform_indexing_native: c::FALSE,
        shader_sampled_image_array_non_uniform_indexing_native: c::FALSE,
        shader_storage_buffer_array_non_uniform_indexing_native: c::FALSE,
        shader_storage_image_array_non_uniform_indexing_native: c::FALSE,
        shader_input_attachment_array_non_uniform_indexing_native: c::FALSE,
        robust_buffer_access_update_after_bind: c::TRUE,
        quad_divergent_implicit_lod: c::FALSE,
        max_per_stage_descriptor_update_after_bind_samplers: UPDATABLE,
        max_per_stage_descriptor_update_after_bind_uniform_buffers: UPDATABLE,
        max_per_stage_descriptor_update_after_bind_storage_buffers: UPDATABLE,
        max_per_stage_descriptor_update_after_bind_sampled_images: UPDATABLE,
        max_per_stage_descriptor_update_after_bind_storage_images: UPDATABLE,
        max_per_stage_descriptor_update_after_bind_input_attachments: UPDATABLE,
        max_per_stage_update_after_bind_resources: vk::limits::UPDATE_AFTER_BIND_RESOURCES,
        max_descriptor_set_update_after_bind_samplers: UPDATABLE,
        max_descriptor_set_update_after_bind_uniform_buffers: UPDATABLE,
        max_descriptor_set_update_after_bind_uniform_buffers_dynamic: DYNAMIC,
        max_descriptor_set_update_after_bind_storage_buffers: UPDATABLE,
        max_descriptor_set_update_after_bind_storage_buffers_dynamic: DYNAMIC,
        max_descriptor_set_update_after_bind_sampled_images: UPDATABLE,
        max_descriptor_set_update_after_bind_storage_images: UPDATABLE,
        max_descriptor_set_update_after_bind_input_attachments: UPDATABLE,
    ]
    PhysicalDeviceExternalMemoryHostPropertiesEXT |_device| [
        min_imported_host_pointer_alignment: i915::PAGE_BYTES,
    ]
    PhysicalDeviceMapMemoryPlacedPropertiesEXT |_device| [
        min_placed_memory_map_alignment: vk::memory::PLACED_ALIGNMENT_BYTES,
    ]
    PhysicalDeviceImageAlignmentControlPropertiesMESA |_device| [
        supported_image_alignment_mask: vk::image::ALIGNMENTS,
    ]
    PhysicalDevicePushDescriptorPropertiesKHR |_device| [
        max_push_descriptors: vk::limits::MAX_PUSH_DESCRIPTORS,
    ]
    PhysicalDeviceInlineUniformBlockProperties |_device| [
        max_inline_uniform_block_size: vk::limits::MAX_INLINE_BLOCK_BYTES,
        max_per_stage_descriptor_inline_uniform_blocks: BLOCKS,
        max_per_stage_descriptor_update_after_bind_inline_uniform_blocks: BLOCKS,
        max_descriptor_set_inline_uniform_blocks: BLOCKS,
        max_descriptor_set_update_after_bind_inline_uniform_blocks: BLOCKS,
    ]
    // The hardware has no dot product instruction: products and sums are separate instructions.
    PhysicalDeviceShaderIntegerDotProductProperties |_device| [
        integer_dot_product8_bit_unsigned_accelerated: c::FALSE,
        integer_dot_product8_bit_signed_accelerated: c::FALSE,
        integer_dot_product8_bit_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product4x8_bit_packed_unsigned_accelerated: c::FALSE,
        integer_dot_product4x8_bit_packed_signed_accelerated: c::FALSE,
        integer_dot_product4x8_bit_packed_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product16_bit_unsigned_accelerated: c::FALSE,
        integer_dot_product16_bit_signed_accelerated: c::FALSE,
        integer_dot_product16_bit_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product32_bit_unsigned_accelerated: c::FALSE,
        integer_dot_product32_bit_signed_accelerated: c::FALSE,
        integer_dot_product32_bit_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product64_bit_unsigned_accelerated: c::FALSE,
        integer_dot_product64_bit_signed_accelerated: c::FALSE,
        integer_dot_product64_bit_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating8_bit_unsigned_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating8_bit_signed_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating8_bit_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating16_bit_unsigned_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating16_bit_signed_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating16_bit_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating32_bit_unsigned_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating32_bit_signed_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating32_bit_mixed_signedness_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating64_bit_unsigned_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating64_bit_signed_accelerated: c::FALSE,
        integer_dot_product_accumulating_saturating64_bit_mixed_signedness_accelerated: c::FALSE,
    ]
    PhysicalDeviceDepthStencilResolveProperties |_device| [
        supported_depth_resolve_modes: c::ResolveModeFlags::SAMPLE_ZERO
            | c::ResolveModeFlags::AVERAGE
            | c::ResolveModeFlags::MIN
            | c::ResolveModeFlags::MAX,
        supported_stencil_resolve_modes: c::ResolveModeFlags::SAMPLE_ZERO
            | c::ResolveModeFlags::MIN
            | c::ResolveModeFlags::MAX,
        independent_resolve_none: c::TRUE,
        independent_resolve: c::TRUE,
    ]
    PhysicalDeviceSamplerFilterMinmaxProperties |_device| [
        filter_minmax_single_component_formats: c::TRUE,
        filter_minmax_image_component_mapping: c::TRUE,
    ]
    PhysicalDeviceCustomBorderColorPropertiesEXT |_device| [
        max_custom_border_color_samplers: vk::limits::MAX_CUSTOM_BORDERS,
    ]
    PhysicalDeviceMultiDrawPropertiesEXT |_device| [
        max_multi_draw_count: vk::limits::MAX_MULTI_DRAWS,
    ]
    // The size of a buffer's surface is a multiple of dwords.
    PhysicalDeviceRobustness2PropertiesEXT |_device| [
        robust_storage_buffer_access_size_alignment: 4,
        robust_uniform_buffer_access_size_alignment: 4,
    ]
    PhysicalDeviceVulkan11Properties |device| {
        let id = c::PhysicalDeviceIDProperties::query(device);
        let subgroup = c::PhysicalDeviceSubgroupProperties::query(device);
        let points = c::PhysicalDevicePointClippingProperties::query(device);
        let multiview = c::PhysicalDeviceMultiviewProperties::query(device);
        let protected = c::PhysicalDeviceProtectedMemoryProperties::query(device);
        let maintenance3 = c::PhysicalDeviceMaintenance3Properties::query(device);
    } [
        device_uuid: id.device_uuid,
        driver_uuid: id.driver_uuid,
        device_luid: id.device_luid,
        device_node_mask: id.device_node_mask,
        device_luid_valid: id.device_luid_valid,
        subgroup_size: subgroup.subgroup_size,
        subgroup_supported_stages: subgroup.supported_stages,
        subgroup_supported_operations: subgroup.supported_operations,
        subgroup_quad_operations_in_all_stages: subgroup.quad_operations_in_all_stages,
        point_clipping_behavior: points.point_clipping_behavior,
        max_multiview_view_count: multiview.max_multiview_view_count,
        max_multiview_instance_index: multiview.max_multiview_instance_index,
        protected_no_fault: protected.protected_no_fault,
        max_per_set_descriptors: maintenance3.max_per_set_descriptors,
        max_memory_allocation_size: maintenance3.max_memory_allocation_size,
    ]
    PhysicalDeviceVulkan12Properties |device| {
        let driver = c::PhysicalDeviceDriverProperties::query(device);
        let float = c::PhysicalDeviceFloatControlsProperties::query(device);
        let indexing = c::PhysicalDeviceDescriptorIndexingProperties::query(device);
        let resolve = c::PhysicalDeviceDepthStencilResolveProperties::query(device);
        let minmax = c::PhysicalDeviceSamplerFilterMinmaxProperties::query(device);
        let timeline = c::PhysicalDeviceTimelineSemaphoreProperties::query(device);
    } [
        driver_id: driver.driver_id,
        driver_name: driver.driver_name,
        driver_info: driver.driver_info,
        conformance_version: driver.conformance_version,
        denorm_behavior_independence: float.denorm_behavior_independence,
        rounding_mode_independence: float.rounding_mode_independence,
        shader_signed_zero_inf_nan_preserve_float16: float.shader_signed_zero_inf_nan_preserve_float16,
        shader_signed_zero_inf_nan_preserve_float32: float.shader_signed_zero_inf_nan_preserve_float32,
        shader_signed_zero_inf_nan_preserve_float64: float.shader_signed_zero_inf_nan_preserve_float64,
        shader_denorm_preserve_float16: float.shader_denorm_preserve_float16,
        shader_denorm_preserve_float32: float.shader_denorm_preserve_float32,
        shader_denorm_preserve_float64: float.shader_denorm_preserve_float64,
        shader_denorm_flush_to_zero_float16: float.shader_denorm_flush_to_zero_float16,
        shader_denorm_flush_to_zero_float32: float.shader_denorm_flush_to_zero_float32,
        shader_denorm_flush_to_zero_float64: float.shader_denorm_flush_to_zero_float64,
        shader_rounding_mode_rte_float16: float.shader_rounding_mode_rte_float16,
        shader_rounding_mode_rte_float32: float.shader_rounding_mode_rte_float32,
        shader_rounding_mode_rte_float64: float.shader_rounding_mode_rte_float64,
        shader_rounding_mode_rtz_float16: float.shader_rounding_mode_rtz_float16,
        shader_rounding_mode_rtz_float32: float.shader_rounding_mode_rtz_float32,
        shader_rounding_mode_rtz_float64: float.shader_rounding_mode_rtz_float64,
        max_update_after_bind_descriptors_in_all_pools: indexing.max_update_after_bind_descriptors_in_all_pools,
        shader_uniform_buffer_array_non_uniform_indexing_native: indexing.shader_uniform_buffer_array_non_uniform_indexing_native,
        shader_sampled_image_array_non_uniform_indexing_native: indexing.shader_sampled_image_array_non_uniform_indexing_native,
        shader_storage_buffer_array_non_uniform_indexing_native: indexing.shader_storage_buffer_array_non_uniform_indexing_native,
        shader_storage_image_array_non_uniform_indexing_native: indexing.shader_storage_image_array_non_uniform_indexing_native,
        shader_input_attachment_array_non_uniform_indexing_native: indexing.shader_input_attachment_array_non_uniform_indexing_native,
        robust_buffer_access_update_after_bind: indexing.robust_buffer_access_update_after_bind,
        quad_divergent_implicit_lod: indexing.quad_divergent_implicit_lod,
        max_per_stage_descriptor_update_after_bind_samplers: indexing.max_per_stage_descriptor_update_after_bind_samplers,
        max_per_stage_descriptor_update_after_bind_uniform_buffers: indexing.max_per_stage_descriptor_update_after_bind_uniform_buffers,
        max_per_stage_descriptor_update_after_bind_storage_buffers: indexing.max_per_stage_descriptor_update_after_bind_storage_buffers,
        max_per_stage_descriptor_update_after_bind_sampled_images: indexing.max_per_stage_descriptor_update_after_bind_sampled_images,
        max_per_stage_descriptor_update_after_bind_storage_images: indexing.max_per_stage_descriptor_update_after_bind_storage_images,
        max_per_stage_descriptor_update_after_bind_input_attachments: indexing.max_per_stage_descriptor_update_after_bind_input_attachments,
        max_per_stage_update_after_bind_resources: indexing.max_per_stage_update_after_bind_resources,
        max_descriptor_set_update_after_bind_samplers: indexing.max_descriptor_set_update_after_bind_samplers,
        max_descriptor_set_update_after_bind_uniform_buffers: indexing.max_descriptor_set_update_after_bind_uniform_buffers,
        max_descriptor_set_update_after_bind_uniform_buffers_dynamic: indexing.max_descriptor_set_update_after_bind_uniform_buffers_dynamic,
        max_descriptor_set_update_after_bind_storage_buffers: indexing.max_descriptor_set_update_after_bind_storage_buffers,
        max_descriptor_set_update_after_bind_storage_buffers_dynamic: indexing.max_descriptor_set_update_after_bind_storage_buffers_dynamic,
        max_descriptor_set_update_after_bind_sampled_images: indexing.max_descriptor_set_update_after_bind_sampled_images,
        max_descriptor_set_update_after_bind_storage_images: indexing.max_descriptor_set_update_after_bind_storage_images,
        max_descriptor_set_update_after_bind_input_attachments: indexing.max_descriptor_set_update_after_bind_input_attachments,
        supported_depth_resolve_modes: resolve.supported_depth_resolve_modes,
        supported_stencil_resolve_modes: resolve.supported_stencil_resolve_modes,
        independent_resolve_none: resolve.independent_resolve_none,
        independent_resolve: resolve.independent_resolve,
        filter_minmax_single_component_formats: minmax.filter_minmax_single_component_formats,
        filter_minmax_image_component_mapping: minmax.filter_minmax_image_component_mapping,
        max_timeline_semaphore_value_difference: timeline.max_timeline_semaphore_value_difference,
        framebuffer_integer_color_sample_counts: device.limits().framebuffer_color_sample_counts,
    ]
    // Texel buffers that the sampler reads may start at any byte, written ones at a texel (SKL PRM
    // vol. 2d, RENDER_SURFACE_STATE, Surface Base Address).
    PhysicalDeviceTexelBufferAlignmentProperties |_device| [
        storage_texel_buffer_offset_alignment_bytes: 16,
        storage_texel_buffer_offset_single_texel_alignment: c::TRUE,
        uniform_texel_buffer_offset_alignment_bytes: 1,
        uniform_texel_buffer_offset_single_texel_alignment: c::FALSE,
    ]
    PhysicalDeviceVulkan13Properties |device| {
        let sizes = c::PhysicalDeviceSubgroupSizeControlProperties::query(device);
        let blocks = c::PhysicalDeviceInlineUniformBlockProperties::query(device);
        let texels = c::PhysicalDeviceTexelBufferAlignmentProperties::query(device);
        let dot = c::PhysicalDeviceShaderIntegerDotProductProperties::query(device);
        let maintenance4 = c::PhysicalDeviceMaintenance4Properties::query(device);
    } [
        min_subgroup_size: sizes.min_subgroup_size,
        max_subgroup_size: sizes.max_subgroup_size,
        max_compute_workgroup_subgroups: sizes.max_compute_workgroup_subgroups,
        required_subgroup_size_stages: sizes.required_subgroup_size_stages,
        max_inline_uniform_block_size: blocks.max_inline_uniform_block_size,
        max_per_stage_descriptor_inline_uniform_blocks: blocks.max_per_stage_descriptor_inline_uniform_blocks,
        max_per_stage_descriptor_update_after_bind_inline_uniform_blocks: blocks.max_per_stage_descriptor_update_after_bind_inline_uniform_blocks,
        max_descriptor_set_inline_uniform_blocks: blocks.max_descriptor_set_inline_uniform_blocks,
        max_descriptor_set_update_after_bind_inline_uniform_blocks: blocks.max_descriptor_set_update_after_bind_inline_uniform_blocks,
        max_inline_uniform_total_size: BLOCKS * vk::limits::MAX_INLINE_BLOCK_BYTES,
        integer_dot_product8_bit_unsigned_accelerated: dot.integer_dot_product8_bit_unsigned_accelerated,
        integer_dot_product8_bit_signed_accelerated: dot.integer_dot_product8_bit_signed_accelerated,
        integer_dot_product8_bit_mixed_signedness_accelerated: dot.integer_dot_product8_bit_mixed_signedness_accelerated,
        integer_dot_product4x8_bit_packed_unsigned_accelerated: dot.integer_dot_product4x8_bit_packed_unsigned_accelerated,
        integer_dot_product4x8_bit_packed_signed_accelerated: dot.integer_dot_product4x8_bit_packed_signed_accelerated,
        integer_dot_product4x8_bit_packed_mixed_signedness_accelerated: dot.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated,
        integer_dot_product16_bit_unsigned_accelerated: dot.integer_dot_product16_bit_unsigned_accelerated,
        integer_dot_product16_bit_signed_accelerated: dot.integer_dot_product16_bit_signed_accelerated,
        integer_dot_product16_bit_mixed_signedness_accelerated: dot.integer_dot_product16_bit_mixed_signedness_accelerated,
        integer_dot_product32_bit_unsigned_accelerated: dot.integer_dot_product32_bit_unsigned_accelerated,
        integer_dot_product32_bit_signed_accelerated: dot.integer_dot_product32_bit_signed_accelerated,
        integer_dot_product32_bit_mixed_signedness_accelerated: dot.integer_dot_product32_bit_mixed_signedness_accelerated,
        integer_dot_product64_bit_unsigned_accelerated: dot.integer_dot_product64_bit_unsigned_accelerated,
        integer_dot_product64_bit_signed_accelerated: dot.integer_dot_product64_bit_signed_accelerated,
        integer_dot_product64_bit_mixed_signedness_accelerated: dot.integer_dot_product64_bit_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating8_bit_unsigned_accelerated: dot.integer_dot_product_accumulating_saturating8_bit_unsigned_accelerated,
        integer_dot_product_accumulating_saturating8_bit_signed_accelerated: dot.integer_dot_product_accumulating_saturating8_bit_signed_accelerated,
        integer_dot_product_accumulating_saturating8_bit_mixed_signedness_accelerated: dot.integer_dot_product_accumulating_saturating8_bit_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated: dot.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated,
        integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated: dot.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated,
        integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated: dot.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating16_bit_unsigned_accelerated: dot.integer_dot_product_accumulating_saturating16_bit_unsigned_accelerated,
        integer_dot_product_accumulating_saturating16_bit_signed_accelerated: dot.integer_dot_product_accumulating_saturating16_bit_signed_accelerated,
        integer_dot_product_accumulating_saturating16_bit_mixed_signedness_accelerated: dot.integer_dot_product_accumulating_saturating16_bit_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating32_bit_unsigned_accelerated: dot.integer_dot_product_accumulating_saturating32_bit_unsigned_accelerated,
        integer_dot_product_accumulating_saturating32_bit_signed_accelerated: dot.integer_dot_product_accumulating_saturating32_bit_signed_accelerated,
        integer_dot_product_accumulating_saturating32_bit_mixed_signedness_accelerated: dot.integer_dot_product_accumulating_saturating32_bit_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating64_bit_unsigned_accelerated: dot.integer_dot_product_accumulating_saturating64_bit_unsigned_accelerated,
        integer_dot_product_accumulating_saturating64_bit_signed_accelerated: dot.integer_dot_product_accumulating_saturating64_bit_signed_accelerated,
        integer_dot_product_accumulating_saturating64_bit_mixed_signedness_accelerated: dot.integer_dot_product_accumulating_saturating64_bit_mixed_signedness_accelerated,
        storage_texel_buffer_offset_alignment_bytes: texels.storage_texel_buffer_offset_alignment_bytes,
        storage_texel_buffer_offset_single_texel_alignment: texels.storage_texel_buffer_offset_single_texel_alignment,
        uniform_texel_buffer_offset_alignment_bytes: texels.uniform_texel_buffer_offset_alignment_bytes,
        uniform_texel_buffer_offset_single_texel_alignment: texels.uniform_texel_buffer_offset_single_texel_alignment,
        max_buffer_size: maintenance4.max_buffer_size,
    ]
    PhysicalDeviceHostImageCopyPropertiesEXT |_device|
    layouts copy_src_layout_count p_copy_src_layouts layouts copy_dst_layout_count p_copy_dst_layouts [
        copy_src_layout_count: 0,
        p_copy_src_layouts: std::ptr::null_mut(),
        copy_dst_layout_count: 0,
        p_copy_dst_layouts: std::ptr::null_mut(),
        optimal_tiling_layout_uuid: vk::command::MEMCPY_LAYOUT,
        identical_memory_type_requirements: c::TRUE,
    ]
    PhysicalDeviceVulkan14Properties |device|
    layouts copy_src_layout_count p_copy_src_layouts layouts copy_dst_layout_count p_copy_dst_layouts {
        let lines = c::PhysicalDeviceLineRasterizationPropertiesEXT::query(device);
        let divisors = c::PhysicalDeviceVertexAttributeDivisorPropertiesKHR::query(device);
        let push = c::PhysicalDevicePushDescriptorPropertiesKHR::query(device);
        let maintenance5 = c::PhysicalDeviceMaintenance5PropertiesKHR::query(device);
        let maintenance6 = c::PhysicalDeviceMaintenance6PropertiesKHR::query(device);
        let robustness = c::PhysicalDevicePipelineRobustnessPropertiesEXT::query(device);
        let host_copies = c::PhysicalDeviceHostImageCopyPropertiesEXT::query(device);
    } [
        line_sub_pixel_precision_bits: lines.line_sub_pixel_precision_bits,
        max_vertex_attrib_divisor: divisors.max_vertex_attrib_divisor,
        supports_non_zero_first_instance: divisors.supports_non_zero_first_instance,
        max_push_descriptors: push.max_push_descriptors,
        // Input attachments are read through surfaces of their own.
        dynamic_rendering_local_read_depth_stencil_attachments: c::TRUE,
        dynamic_rendering_local_read_multisampled_attachments: c::TRUE,
        early_fragment_multisample_coverage_after_sample_counting: maintenance5.early_fragment_multisample_coverage_after_sample_counting,
        early_fragment_sample_mask_test_before_sample_counting: maintenance5.early_fragment_sample_mask_test_before_sample_counting,
        depth_stencil_swizzle_one_support: maintenance5.depth_stencil_swizzle_one_support,
        polygon_mode_point_size: maintenance5.polygon_mode_point_size,
        non_strict_single_pixel_wide_lines_use_parallelogram: maintenance5.non_strict_single_pixel_wide_lines_use_parallelogram,
        non_strict_wide_lines_use_parallelogram: maintenance5.non_strict_wide_lines_use_parallelogram,
        block_texel_view_compatible_multiple_layers: maintenance6.block_texel_view_compatible_multiple_layers,
        max_combined_image_sampler_descriptor_count: maintenance6.max_combined_image_sampler_descriptor_count,
        fragment_shading_rate_clamp_combiner_inputs: maintenance6.fragment_shading_rate_clamp_combiner_inputs,
        default_robustness_storage_buffers: robustness.default_robustness_storage_buffers,
        default_robustness_uniform_buffers: robustness.default_robustness_uniform_buffers,
        default_robustness_vertex_inputs: robustness.default_robustness_vertex_inputs,
        default_robustness_images: robustness.default_robustness_images,
        copy_src_layout_count: 0,
        p_copy_src_layouts: std::ptr::null_mut(),
        copy_dst_layout_count: 0,
        p_copy_dst_layouts: std::ptr::null_mut(),
        optimal_tiling_layout_uuid: host_copies.optimal_tiling_layout_uuid,
        identical_memory_type_requirements: host_copies.identical_memory_type_requirements,
    ]
    PhysicalDevicePCIBusInfoPropertiesEXT |device| {
        let address = device.info().node.as_ref().and_then(|node| node.pci).unwrap_or_default();
    } [
        pci_domain: address[0],
        pci_bus: address[1],
        pci_device: address[2],
        pci_function: address[3],
    ]
    PhysicalDeviceExtendedDynamicState3PropertiesEXT |_device| [
        dynamic_primitive_topology_unrestricted: c::TRUE,
    ]
    PhysicalDeviceNestedCommandBufferPropertiesEXT |_device| [
        // The commands of secondaries are copied, so no level costs more than another.
        max_command_buffer_nesting_level: u32::MAX,
    ]
    PhysicalDeviceVertexAttributeDivisorPropertiesEXT |_device| [
        max_vertex_attrib_divisor: vk::limits::MAX_VERTEX_DIVISOR,
    ]
    PhysicalDeviceVertexAttributeDivisorPropertiesKHR |_device| [
        max_vertex_attrib_divisor: vk::limits::MAX_VERTEX_DIVISOR,
        supports_non_zero_first_instance: c::TRUE,
    ]
    PhysicalDeviceComputeShaderDerivativesPropertiesKHR |_device| [
        mesh_and_task_shader_derivatives: c::FALSE,
    ]
    PhysicalDeviceMaintenance5PropertiesKHR |_device| [
        // Samples are counted as without early fragment tests (Mesa, `anv_physical_device.c`).
        early_fragment_multisample_coverage_after_sample_counting: c::FALSE,
        early_fragment_sample_mask_test_before_sample_counting: c::FALSE,
        // The channel selects of surface states apply to depth and stencil as to colour.
        depth_stencil_swizzle_one_support: c::TRUE,
        // Corners that are drawn as points have the width that 3DSTATE_SF selects for points.
        polygon_mode_point_size: c::TRUE,
        // Lines that are not rectangular follow the rule of diamonds, and wide ones replicate it.
        non_strict_single_pixel_wide_lines_use_parallelogram: c::FALSE,
        non_strict_wide_lines_use_parallelogram: c::FALSE,
    ]
    // The hardware bounds everything; without the features, the compiler may merge accesses to
    // buffers across their bounds.
    PhysicalDevicePipelineRobustnessPropertiesEXT |_device| [
        default_robustness_storage_buffers: c::PipelineRobustnessBufferBehaviorEXT::DISABLED,
        default_robustness_uniform_buffers: c::PipelineRobustnessBufferBehaviorEXT::DISABLED,
        default_robustness_vertex_inputs: c::PipelineRobustnessBufferBehaviorEXT::ROBUST_BUFFER_ACCESS_2,
        default_robustness_images: c::PipelineRobustnessImageBehaviorEXT::ROBUST_IMAGE_ACCESS_2,
    ]
    PhysicalDeviceDescriptorHeapPropertiesEXT |_device| [
        sampler_heap_alignment: DESCRIPTOR_BYTES as u64,
        // Uniform buffers may be in the heap itself.
        resource_heap_alignment: vk::limits::UNIFORM_OFFSET_ALIGNMENT,
        max_sampler_heap_size: DESCRIPTOR_SPACE_BYTES,
        max_resource_heap_size: DESCRIPTOR_SPACE_BYTES,
        min_sampler_heap_reserved_range: 0,
        min_sampler_heap_reserved_range_with_embedded: 0,
        min_resource_heap_reserved_range: 0,
        sampler_descriptor_size: DESCRIPTOR_BYTES as u64,
        image_descriptor_size: DESCRIPTOR_BYTES as u64,
        buffer_descriptor_size: DESCRIPTOR_BYTES as u64,
        sampler_descriptor_alignment: DESCRIPTOR_BYTES as u64,
        image_descriptor_alignment: DESCRIPTOR_BYTES as u64,
        buffer_descriptor_alignment: DESCRIPTOR_BYTES as u64,
        max_push_data_size: vk::limits::MAX_PUSH_CONSTANTS_BYTES.into(),
        // Nothing is captured to be replayed.
        image_capture_replay_opaque_data_size: 0,
        max_descriptor_heap_embedded_samplers: 2048,
        sampler_ycbcr_conversion_count: 1,
        sparse_descriptor_heaps: c::FALSE,
        protected_descriptor_heaps: c::FALSE,
    ]
    PhysicalDeviceDescriptorBufferPropertiesEXT |_device| [
        combined_image_sampler_descriptor_single_array: c::TRUE,
        bufferless_push_descriptors: c::TRUE,
        // The descriptor has the place of the view's state.
        allow_sampler_image_view_post_submit_creation: c::FALSE,
        descriptor_buffer_offset_alignment: DESCRIPTOR_BYTES as u64,
        max_descriptor_buffer_bindings: vk::limits::MAX_SETS,
        max_resource_descriptor_buffer_bindings: vk::limits::MAX_SETS,
        max_sampler_descriptor_buffer_bindings: vk::limits::MAX_SETS,
        max_embedded_immutable_sampler_bindings: vk::limits::MAX_SETS,
        max_embedded_immutable_samplers: 2048,
        // Nothing is captured to be replayed.
        buffer_capture_replay_descriptor_data_size: 0,
        image_capture_replay_descriptor_data_size: 0,
        image_view_capture_replay_descriptor_data_size: 0,
        sampler_capture_replay_descriptor_data_size: 0,
        acceleration_structure_capture_replay_descriptor_data_size: 0,
        sampler_descriptor_size: DESCRIPTOR_BYTES,
        combined_image_sampler_descriptor_size: DESCRIPTOR_BYTES,
        sampled_image_descriptor_size: DESCRIPTOR_BYTES,
        storage_image_descriptor_size: DESCRIPTOR_BYTES,
        uniform_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
        robust_uniform_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
        storage_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
        robust_storage_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
        uniform_buffer_descriptor_size: DESCRIPTOR_BYTES,
        robust_uniform_buffer_descriptor_size: DESCRIPTOR_BYTES,
        storage_buffer_descriptor_size: DESCRIPTOR_BYTES,
        robust_storage_buffer_descriptor_size: DESCRIPTOR_BYTES,
        input_attachment_descriptor_size: DESCRIPTOR_BYTES,
        acceleration_structure_descriptor_size: 0,
        max_sampler_descriptor_buffer_range: DESCRIPTOR_SPACE_BYTES,
        max_resource_descriptor_buffer_range: DESCRIPTOR_SPACE_BYTES,
        sampler_descriptor_buffer_address_space_size: DESCRIPTOR_SPACE_BYTES,
        resource_descriptor_buffer_address_space_size: DESCRIPTOR_SPACE_BYTES,
        descriptor_buffer_address_space_size: DESCRIPTOR_SPACE_BYTES,
    ]
    // Linking packs code that libraries have compiled. Interpolation belongs to the attribute setup
    // of the fragment shader alone.
    PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT |_device| [
        graphics_pipeline_library_fast_linking: c::TRUE,
        graphics_pipeline_library_independent_interpolation_decoration: c::TRUE,
    ]
    // The cache on disk; it may be disabled by the user.
    PhysicalDevicePipelineBinaryPropertiesKHR |device| {
        let has_cache = shader_cache::settings().is_some() && device.may_cache_on_disk();
    } [
        pipeline_binary_internal_cache: has_cache.into(),
        pipeline_binary_internal_cache_control: has_cache.into(),
        pipeline_binary_prefers_internal_cache: c::FALSE,
        pipeline_binary_precompiled_internal_cache: c::FALSE,
        pipeline_binary_compressed_data: c::FALSE,
    ]
    PhysicalDeviceMaintenance6PropertiesKHR |_device| [
        // Views of compressed images in formats of single texels have one layer, as core demands.
        block_texel_view_compatible_multiple_layers: c::FALSE,
        // One for each plane of a format.
        max_combined_image_sampler_descriptor_count: 3,
        fragment_shading_rate_clamp_combiner_inputs: c::FALSE,
    ]
    PhysicalDeviceMaintenance7PropertiesKHR |_device| [
        robust_fragment_shading_rate_attachment_access: c::FALSE,
        // Depth and stencil are surfaces of their own.
        separate_depth_stencil_attachment_access: c::TRUE,
        max_descriptor_set_total_uniform_buffers_dynamic: DYNAMIC,
        max_descriptor_set_total_storage_buffers_dynamic: DYNAMIC,
        max_descriptor_set_total_buffers_dynamic: 2 * DYNAMIC,
        max_descriptor_set_update_after_bind_total_uniform_buffers_dynamic: DYNAMIC,
        max_descriptor_set_update_after_bind_total_storage_buffers_dynamic: DYNAMIC,
        max_descriptor_set_update_after_bind_total_buffers_dynamic: 2 * DYNAMIC,
    ]
    // No other implementation is underneath.
    PhysicalDeviceLayeredApiPropertiesListKHR |_device| retains p_layered_apis [
        layered_api_count: 0,
        p_layered_apis: std::ptr::null_mut(),
    ]
    PhysicalDeviceMaintenance9PropertiesKHR |_device| [
        image2_d_view_of3_d_sparse: c::FALSE,
        default_vertex_attribute_value: c::DefaultVertexAttributeValueKHR::ZERO_ZERO_ZERO_ZERO,
    ]
    PhysicalDeviceCopyMemoryIndirectPropertiesKHR |_device| [
        supported_queues: c::QueueFlags::GRAPHICS | c::QueueFlags::COMPUTE | c::QueueFlags::TRANSFER,
    ]
    // Vertices are fetched by cache lines, whatever their alignment.
    PhysicalDeviceLegacyVertexAttributesPropertiesEXT |_device| [
        native_unaligned_performance: c::TRUE,
    ]
    PhysicalDeviceMaintenance10PropertiesKHR |_device| [
        // Border colours pass through the swizzle of the view, as texels do.
        rgba4_opaque_black_swizzled: c::TRUE,
        // Samples are read and pixels written as linear values.
        resolve_srgb_format_applies_transfer_function: c::TRUE,
        resolve_srgb_format_supports_transfer_function_control: c::TRUE,
    ]
    PhysicalDeviceProvokingVertexPropertiesEXT |_device| [
        provoking_vertex_mode_per_pipeline: c::TRUE,
        transform_feedback_preserves_triangle_fan_provoking_vertex: c::FALSE,
    ]
    PhysicalDeviceConservativeRasterizationPropertiesEXT |_device| [
        // A step of the grid that vertices are rounded to, plus half a step.
        primitive_overestimation_size: 1.0 / 512.0,
        max_extra_primitive_overestimation_size: 0.0,
        extra_primitive_overestimation_size_granularity: 0.0,
        primitive_underestimation: c::FALSE,
        conservative_point_and_line_rasterization: c::FALSE,
        degenerate_triangles_rasterized: c::FALSE,
        degenerate_lines_rasterized: c::FALSE,
        fully_covered_fragment_shader_input_variable: c::FALSE,
        conservative_rasterization_post_depth_coverage: c::TRUE,
    ]
    PhysicalDeviceSampleLocationsPropertiesEXT |_device| [
        sample_location_sample_counts: vk::limits::SAMPLE_COUNTS,
        max_sample_location_grid_size: c::Extent2D { width: 1, height: 1 },
        // Sixteenths of a pixel.
        sample_location_coordinate_range: [0.0, 0.9375],
        sample_location_sub_pixel_bits: 4,
        variable_sample_locations: c::TRUE,
    ]
    PhysicalDeviceShaderObjectPropertiesEXT |device| [
        shader_binary_uuid: device.cache_uuid(),
        shader_binary_version: vk::graphics::BINARY_VERSION,
    ]
    PhysicalDeviceShaderModuleIdentifierPropertiesEXT |_device| [
        shader_module_identifier_algorithm_uuid: vk::shader::IDENTIFIER_ALGORITHM,
    ]
    PhysicalDeviceTransformFeedbackPropertiesEXT |_device| [
        max_transform_feedback_streams: vk::limits::CAPTURE_STREAMS,
        max_transform_feedback_buffers: vk::limits::CAPTURE_BUFFERS,
        max_transform_feedback_buffer_size: 1 << 32,
        max_transform_feedback_stream_data_size: vk::limits::MAX_CAPTURE_BYTES,
        max_transform_feedback_buffer_data_size: vk::limits::MAX_CAPTURE_BYTES,
        max_transform_feedback_buffer_data_stride: vk::limits::MAX_CAPTURE_STRIDE_BYTES,
        transform_feedback_queries: c::TRUE,
        // The control data of strip outputs hold cut bits, so they cannot hold stream numbers.
        transform_feedback_streams_lines_triangles: c::FALSE,
        transform_feedback_rasterization_stream_select: c::TRUE,
        transform_feedback_draw: c::TRUE,
    ]
    PhysicalDeviceLineRasterizationPropertiesEXT |_device| [
        // A pixel has 16 x 16 subpixels (SKL PRM vol. 7, "GIQ (Diamond) Sampling Rules").
        line_sub_pixel_precision_bits: 4,
    ]
    PhysicalDeviceDrmPropertiesEXT |device| {
        let node = device.info().node.as_ref();
        let primary = node.and_then(|node| node.primary);
    } [
        has_primary: primary.is_some().into(),
        has_render: node.is_some().into(),
        primary_major: primary.map_or(0, |[major, _]| major.into()),
        primary_minor: primary.map_or(0, |[_, minor]| minor.into()),
        render_major: node.map_or(0, |node| node.major.into()),
        render_minor: node.map_or(0, |node| node.minor.into()),
    ]
}

/// `VkPhysicalDeviceProperties`.
pub fn core_properties(device: &vk::PhysicalDevice) -> c::PhysicalDeviceProperties {
    c::PhysicalDeviceProperties {
        api_version: vk::extension::API_VERSION,
        driver_version: vk::physical::DRIVER_VERSION,
        vendor_id: vk::physical::VENDOR,
        device_id: device.info().pci_id,
        device_type: c::PhysicalDeviceType::INTEGRATED_GPU,
        device_name: raw::char_array(&device.name()),
        pipeline_cache_uuid: device.cache_uuid(),
        limits: *device.limits(),
        sparse_properties: c::PhysicalDeviceSparseProperties::default(),
    }
}

#[cfg(test)]
mod tests;
