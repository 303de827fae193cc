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
