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
