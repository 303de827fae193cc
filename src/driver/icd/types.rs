//! The C types of Vulkan: those of ash, and structures that are newer than it.
//!
//! Ref: the registry (vk.xml).

use std::ffi::c_void;
use std::marker::PhantomData;

pub use ash::vk::*;

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

#[cfg(test)]
mod tests;
