//! The C types of Vulkan: those of ash, and structures that are newer than it.
//!
//! Ref: the registry (vk.xml).

use std::ffi::c_void;
use std::marker::PhantomData;

mod heap;
mod present_timing;

pub use ash::vk::*;
pub use heap::*;
pub use present_timing::*;

/// `VkPhysicalDeviceComputeShaderDerivativesPropertiesKHR`.
#[repr(C)]
pub struct PhysicalDeviceComputeShaderDerivativesPropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub mesh_and_task_shader_derivatives: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceComputeShaderDerivativesPropertiesKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_511_000);
}

/// `VkPhysicalDeviceVulkan14Properties`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PhysicalDeviceVulkan14Properties<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub line_sub_pixel_precision_bits: u32,
    pub max_vertex_attrib_divisor: u32,
    pub supports_non_zero_first_instance: Bool32,
    pub max_push_descriptors: u32,
    pub dynamic_rendering_local_read_depth_stencil_attachments: Bool32,
    pub dynamic_rendering_local_read_multisampled_attachments: Bool32,
    pub early_fragment_multisample_coverage_after_sample_counting: Bool32,
    pub early_fragment_sample_mask_test_before_sample_counting: Bool32,
    pub depth_stencil_swizzle_one_support: Bool32,
    pub polygon_mode_point_size: Bool32,
    pub non_strict_single_pixel_wide_lines_use_parallelogram: Bool32,
    pub non_strict_wide_lines_use_parallelogram: Bool32,
    pub block_texel_view_compatible_multiple_layers: Bool32,
    pub max_combined_image_sampler_descriptor_count: u32,
    pub fragment_shading_rate_clamp_combiner_inputs: Bool32,
    pub default_robustness_storage_buffers: PipelineRobustnessBufferBehaviorEXT,
    pub default_robustness_uniform_buffers: PipelineRobustnessBufferBehaviorEXT,
    pub default_robustness_vertex_inputs: PipelineRobustnessBufferBehaviorEXT,
    pub default_robustness_images: PipelineRobustnessImageBehaviorEXT,
    pub copy_src_layout_count: u32,
    pub p_copy_src_layouts: *mut ImageLayout,
    pub copy_dst_layout_count: u32,
    pub p_copy_dst_layouts: *mut ImageLayout,
    pub optimal_tiling_layout_uuid: [u8; UUID_SIZE],
    pub identical_memory_type_requirements: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceVulkan14Properties<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(56);
}

/// `VkDepthClampRangeEXT`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthClampRangeEXT {
    pub min_depth_clamp: f32,
    pub max_depth_clamp: f32,
}

/// `VkDepthClampModeEXT`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthClampModeEXT(pub i32);

impl DepthClampModeEXT {
    /// Depth is clamped to a range that the application gives.
    pub const USER_DEFINED_RANGE: Self = Self(1);
}

/// `VkPipelineViewportDepthClampControlCreateInfoEXT`.
#[repr(C)]
pub struct PipelineViewportDepthClampControlCreateInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub depth_clamp_mode: DepthClampModeEXT,
    pub p_depth_clamp_range: *const DepthClampRangeEXT,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PipelineViewportDepthClampControlCreateInfoEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_582_001);
}

/// `VkPhysicalDeviceImageAlignmentControlPropertiesMESA`.
#[repr(C)]
pub struct PhysicalDeviceImageAlignmentControlPropertiesMESA<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub supported_image_alignment_mask: u32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceImageAlignmentControlPropertiesMESA<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_575_001);
}

/// `VkPhysicalDeviceMaintenance7PropertiesKHR`.
#[repr(C)]
pub struct PhysicalDeviceMaintenance7PropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub robust_fragment_shading_rate_attachment_access: Bool32,
    pub separate_depth_stencil_attachment_access: Bool32,
    pub max_descriptor_set_total_uniform_buffers_dynamic: u32,
    pub max_descriptor_set_total_storage_buffers_dynamic: u32,
    pub max_descriptor_set_total_buffers_dynamic: u32,
    pub max_descriptor_set_update_after_bind_total_uniform_buffers_dynamic: u32,
    pub max_descriptor_set_update_after_bind_total_storage_buffers_dynamic: u32,
    pub max_descriptor_set_update_after_bind_total_buffers_dynamic: u32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceMaintenance7PropertiesKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_562_001);
}

/// `VkPhysicalDeviceLayeredApiPropertiesListKHR`.
#[repr(C)]
pub struct PhysicalDeviceLayeredApiPropertiesListKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub layered_api_count: u32,
    pub p_layered_apis: *mut c_void,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceLayeredApiPropertiesListKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_562_002);
}

/// `VkDefaultVertexAttributeValueKHR`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultVertexAttributeValueKHR(pub i32);

impl DefaultVertexAttributeValueKHR {
    /// Attributes that are not there are zeroes.
    pub const ZERO_ZERO_ZERO_ZERO: Self = Self(0);
}

/// `VkPhysicalDeviceMaintenance9PropertiesKHR`.
#[repr(C)]
pub struct PhysicalDeviceMaintenance9PropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub image2_d_view_of3_d_sparse: Bool32,
    pub default_vertex_attribute_value: DefaultVertexAttributeValueKHR,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceMaintenance9PropertiesKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_584_001);
}

/// `VkPhysicalDeviceMaintenance10PropertiesKHR`.
#[repr(C)]
pub struct PhysicalDeviceMaintenance10PropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub rgba4_opaque_black_swizzled: Bool32,
    pub resolve_srgb_format_applies_transfer_function: Bool32,
    pub resolve_srgb_format_supports_transfer_function_control: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceMaintenance10PropertiesKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_630_001);
}

/// `VkQueueFamilyOwnershipTransferPropertiesKHR`.
#[repr(C)]
pub struct QueueFamilyOwnershipTransferPropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub optimal_image_transfer_to_queue_families: u32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for QueueFamilyOwnershipTransferPropertiesKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_584_002);
}

/// `VkQueueFamilyOptimalImageTransferGranularityPropertiesKHR`.
#[repr(C)]
pub struct QueueFamilyOptimalImageTransferGranularityPropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub optimal_image_transfer_granularity: Extent3D,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for QueueFamilyOptimalImageTransferGranularityPropertiesKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_657_001);
}

/// `VkResolveImageModeInfoKHR`.
#[repr(C)]
pub struct ResolveImageModeInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub flags: u32,
    pub resolve_mode: ResolveModeFlags,
    pub stencil_resolve_mode: ResolveModeFlags,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for ResolveImageModeInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_630_004);
}

/// `VkRenderingAttachmentFlagsInfoKHR`.
#[repr(C)]
pub struct RenderingAttachmentFlagsInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub flags: u32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for RenderingAttachmentFlagsInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_630_002);
}

/// `VkRenderingEndInfoKHR`.
#[repr(C)]
pub struct RenderingEndInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkSurfaceCapabilitiesPresentId2KHR`.
#[repr(C)]
pub struct SurfaceCapabilitiesPresentId2KHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub present_id2_supported: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for SurfaceCapabilitiesPresentId2KHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_479_000);
}

/// `VkPresentId2KHR`.
#[repr(C)]
pub struct PresentId2KHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub swapchain_count: u32,
    pub p_present_ids: *const u64,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PresentId2KHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_479_001);
}

/// `VkSurfaceCapabilitiesPresentWait2KHR`.
#[repr(C)]
pub struct SurfaceCapabilitiesPresentWait2KHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub present_wait2_supported: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for SurfaceCapabilitiesPresentWait2KHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_480_000);
}

/// `VkPresentWait2InfoKHR`.
#[repr(C)]
pub struct PresentWait2InfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub present_id: u64,
    pub timeout: u64,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkStridedDeviceAddressRangeKHR`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StridedDeviceAddressRangeKHR {
    pub address: DeviceAddress,
    pub size: DeviceSize,
    pub stride: DeviceSize,
}

/// `VkCopyMemoryIndirectInfoKHR`.
#[repr(C)]
pub struct CopyMemoryIndirectInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub src_copy_flags: u32,
    pub dst_copy_flags: u32,
    pub copy_count: u32,
    pub copy_address_range: StridedDeviceAddressRangeKHR,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkPhysicalDeviceCopyMemoryIndirectPropertiesKHR`.
#[repr(C)]
pub struct PhysicalDeviceCopyMemoryIndirectPropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub supported_queues: QueueFlags,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceCopyMemoryIndirectPropertiesKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_426_001);
}

/// `VkPhysicalDeviceLegacyVertexAttributesPropertiesEXT`.
#[repr(C)]
pub struct PhysicalDeviceLegacyVertexAttributesPropertiesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub native_unaligned_performance: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDeviceLegacyVertexAttributesPropertiesEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_495_001);
}

/// `VkBindIndexBuffer3InfoKHR`.
#[repr(C)]
pub struct BindIndexBuffer3InfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub address_range: DeviceAddressRangeKHR,
    pub address_flags: u32,
    pub index_type: IndexType,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkBindVertexBuffer3InfoKHR`.
#[repr(C)]
pub struct BindVertexBuffer3InfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub set_stride: Bool32,
    pub address_range: StridedDeviceAddressRangeKHR,
    pub address_flags: u32,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkDrawIndirect2InfoKHR`.
#[repr(C)]
pub struct DrawIndirect2InfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub address_range: StridedDeviceAddressRangeKHR,
    pub address_flags: u32,
    pub draw_count: u32,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkDrawIndirectCount2InfoKHR`.
#[repr(C)]
pub struct DrawIndirectCount2InfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub address_range: StridedDeviceAddressRangeKHR,
    pub address_flags: u32,
    pub count_address_range: DeviceAddressRangeKHR,
    pub count_address_flags: u32,
    pub max_draw_count: u32,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkDispatchIndirect2InfoKHR`.
#[repr(C)]
pub struct DispatchIndirect2InfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub address_range: DeviceAddressRangeKHR,
    pub address_flags: u32,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkDeviceMemoryCopyKHR`.
#[repr(C)]
pub struct DeviceMemoryCopyKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub src_range: DeviceAddressRangeKHR,
    pub src_flags: u32,
    pub dst_range: DeviceAddressRangeKHR,
    pub dst_flags: u32,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkCopyDeviceMemoryInfoKHR`.
#[repr(C)]
pub struct CopyDeviceMemoryInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub region_count: u32,
    pub p_regions: *const DeviceMemoryCopyKHR<'a>,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkDeviceMemoryImageCopyKHR`.
#[repr(C)]
pub struct DeviceMemoryImageCopyKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub address_range: DeviceAddressRangeKHR,
    pub address_flags: u32,
    pub address_row_length: u32,
    pub address_image_height: u32,
    pub image_subresource: ImageSubresourceLayers,
    pub image_layout: ImageLayout,
    pub image_offset: Offset3D,
    pub image_extent: Extent3D,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkCopyDeviceMemoryImageInfoKHR`.
#[repr(C)]
pub struct CopyDeviceMemoryImageInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub image: Image,
    pub region_count: u32,
    pub p_regions: *const DeviceMemoryImageCopyKHR<'a>,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkConditionalRenderingBeginInfo2EXT`.
#[repr(C)]
pub struct ConditionalRenderingBeginInfo2EXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub address_range: DeviceAddressRangeKHR,
    pub address_flags: u32,
    pub flags: ConditionalRenderingFlagsEXT,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkBindTransformFeedbackBuffer2InfoEXT`.
#[repr(C)]
pub struct BindTransformFeedbackBuffer2InfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub address_range: DeviceAddressRangeKHR,
    pub address_flags: u32,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkMemoryMarkerInfoAMD`.
#[repr(C)]
pub struct MemoryMarkerInfoAMD<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub stage: PipelineStageFlags2,
    pub dst_range: DeviceAddressRangeKHR,
    pub dst_flags: u32,
    pub marker: u32,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkMemoryRangeBarrierKHR`.
#[repr(C)]
pub struct MemoryRangeBarrierKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub src_stage_mask: PipelineStageFlags2,
    pub src_access_mask: AccessFlags2,
    pub dst_stage_mask: PipelineStageFlags2,
    pub dst_access_mask: AccessFlags2,
    pub src_queue_family_index: u32,
    pub dst_queue_family_index: u32,
    pub address_range: DeviceAddressRangeKHR,
    pub address_flags: u32,
    pub _marker: PhantomData<&'a ()>,
}

/// `VkMemoryRangeBarriersInfoKHR`.
#[repr(C)]
pub struct MemoryRangeBarriersInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub memory_range_barrier_count: u32,
    pub p_memory_range_barriers: *const MemoryRangeBarrierKHR<'a>,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for MemoryRangeBarriersInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_318_004);
}

/// `VkPipelineBinaryKHR`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineBinaryKHR(u64);

impl Handle for PipelineBinaryKHR {
    const TYPE: ObjectType = ObjectType::from_raw(1_000_483_000);

    fn as_raw(self) -> u64 {
        self.0
    }

    fn from_raw(value: u64) -> Self {
        Self(value)
    }
}

/// `VK_MAX_PIPELINE_BINARY_KEY_SIZE_KHR`.
pub const PIPELINE_BINARY_KEY_BYTES: usize = 32;

/// `VkPipelineBinaryCreateInfoKHR`.
#[repr(C)]
pub struct PipelineBinaryCreateInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub p_keys_and_data_info: *const PipelineBinaryKeysAndDataKHR<'a>,
    pub pipeline: Pipeline,
    pub p_pipeline_create_info: *const PipelineCreateInfoKHR<'a>,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PipelineBinaryCreateInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_001);
}

/// `VkPipelineBinaryInfoKHR`.
#[repr(C)]
pub struct PipelineBinaryInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub binary_count: u32,
    pub p_pipeline_binaries: *const PipelineBinaryKHR,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PipelineBinaryInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_002);
}

/// `VkPipelineBinaryKeyKHR`.
#[repr(C)]
pub struct PipelineBinaryKeyKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub key_size: u32,
    pub key: [u8; PIPELINE_BINARY_KEY_BYTES],
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PipelineBinaryKeyKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_003);
}

/// `VkPhysicalDevicePipelineBinaryPropertiesKHR`.
#[repr(C)]
pub struct PhysicalDevicePipelineBinaryPropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub pipeline_binary_internal_cache: Bool32,
    pub pipeline_binary_internal_cache_control: Bool32,
    pub pipeline_binary_prefers_internal_cache: Bool32,
    pub pipeline_binary_precompiled_internal_cache: Bool32,
    pub pipeline_binary_compressed_data: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PhysicalDevicePipelineBinaryPropertiesKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_004);
}

/// `VkReleaseCapturedPipelineDataInfoKHR`.
#[repr(C)]
pub struct ReleaseCapturedPipelineDataInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub pipeline: Pipeline,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for ReleaseCapturedPipelineDataInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_005);
}

/// `VkPipelineBinaryDataInfoKHR`.
#[repr(C)]
pub struct PipelineBinaryDataInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub pipeline_binary: PipelineBinaryKHR,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PipelineBinaryDataInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_006);
}

/// `VkPipelineCreateInfoKHR`.
#[repr(C)]
pub struct PipelineCreateInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PipelineCreateInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_007);
}

/// `VkDevicePipelineBinaryInternalCacheControlKHR`.
#[repr(C)]
pub struct DevicePipelineBinaryInternalCacheControlKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub disable_internal_cache: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for DevicePipelineBinaryInternalCacheControlKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_008);
}

/// `VkPipelineBinaryHandlesInfoKHR`.
#[repr(C)]
pub struct PipelineBinaryHandlesInfoKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub pipeline_binary_count: u32,
    pub p_pipeline_binaries: *mut PipelineBinaryKHR,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PipelineBinaryHandlesInfoKHR<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_483_009);
}

/// `VkPipelineBinaryDataKHR`.
#[repr(C)]
pub struct PipelineBinaryDataKHR {
    pub data_size: usize,
    pub p_data: *mut c_void,
}

/// `VkPipelineBinaryKeysAndDataKHR`.
#[repr(C)]
pub struct PipelineBinaryKeysAndDataKHR<'a> {
    pub binary_count: u32,
    pub p_pipeline_binary_keys: *const PipelineBinaryKeyKHR<'a>,
    pub p_pipeline_binary_data: *const PipelineBinaryDataKHR,
    pub _marker: PhantomData<&'a ()>,
}

#[cfg(test)]
mod tests;
