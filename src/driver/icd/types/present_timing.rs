//! The structures of VK_EXT_present_timing.
//!
//! Ref: the registry (vk.xml).

use std::ffi::c_void;
use std::marker::PhantomData;

use ash::vk::{Bool32, StructureType, SwapchainKHR, TaggedStructure, TimeDomainEXT};

/// `VkPresentStageTimeEXT`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PresentStageTimeEXT {
    pub stage: u32,
    pub time: u64,
}

/// `VkPresentTimingSurfaceCapabilitiesEXT`.
#[repr(C)]
pub struct PresentTimingSurfaceCapabilitiesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub present_timing_supported: Bool32,
    pub present_at_absolute_time_supported: Bool32,
    pub present_at_relative_time_supported: Bool32,
    pub present_stage_queries: u32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PresentTimingSurfaceCapabilitiesEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_008);
}

/// `VkSwapchainCalibratedTimestampInfoEXT`.
#[repr(C)]
pub struct SwapchainCalibratedTimestampInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub swapchain: SwapchainKHR,
    pub present_stage: u32,
    pub time_domain_id: u64,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for SwapchainCalibratedTimestampInfoEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_009);
}

/// `VkSwapchainTimingPropertiesEXT`.
#[repr(C)]
pub struct SwapchainTimingPropertiesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub refresh_duration: u64,
    pub refresh_interval: u64,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for SwapchainTimingPropertiesEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_001);
}

/// `VkSwapchainTimeDomainPropertiesEXT`.
#[repr(C)]
pub struct SwapchainTimeDomainPropertiesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub time_domain_count: u32,
    pub p_time_domains: *mut TimeDomainEXT,
    pub p_time_domain_ids: *mut u64,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for SwapchainTimeDomainPropertiesEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_002);
}

/// `VkPastPresentationTimingInfoEXT`.
#[repr(C)]
pub struct PastPresentationTimingInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub flags: u32,
    pub swapchain: SwapchainKHR,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PastPresentationTimingInfoEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_005);
}

/// `VkPastPresentationTimingPropertiesEXT`.
#[repr(C)]
pub struct PastPresentationTimingPropertiesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub timing_properties_counter: u64,
    pub time_domains_counter: u64,
    pub presentation_timing_count: u32,
    pub p_presentation_timings: *mut PastPresentationTimingEXT<'a>,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PastPresentationTimingPropertiesEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_006);
}

/// `VkPastPresentationTimingEXT`.
#[repr(C)]
pub struct PastPresentationTimingEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub present_id: u64,
    pub target_time: u64,
    pub present_stage_count: u32,
    pub p_present_stages: *mut PresentStageTimeEXT,
    pub time_domain: TimeDomainEXT,
    pub time_domain_id: u64,
    pub report_complete: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PastPresentationTimingEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_007);
}

/// `VkPresentTimingsInfoEXT`.
#[repr(C)]
pub struct PresentTimingsInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub swapchain_count: u32,
    pub p_timing_infos: *const PresentTimingInfoEXT<'a>,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PresentTimingsInfoEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_003);
}

/// `VkPresentTimingInfoEXT`.
#[repr(C)]
pub struct PresentTimingInfoEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub flags: u32,
    pub target_time: u64,
    pub time_domain_id: u64,
    pub present_stage_queries: u32,
    pub target_time_domain_present_stage: u32,
    pub _marker: PhantomData<&'a ()>,
}

// SAFETY: the type begins with this `sType` and `pNext`.
unsafe impl TaggedStructure for PresentTimingInfoEXT<'_> {
    const STRUCTURE_TYPE: StructureType = StructureType::from_raw(1_000_208_004);
}
