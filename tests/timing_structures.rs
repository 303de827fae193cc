//! The structures of VK_EXT_present_timing, which are newer than ash.
//!
//! Ref: the registry (vk.xml).

use std::ffi::c_void;

use ash::vk;

/// VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT and PRESENT_ID_2_BIT_KHR.
pub const TIMED: u32 = 1 << 9 | 1 << 6;

/// The structure type of the extension with a number.
pub const fn kind(number: i32) -> vk::StructureType {
    vk::StructureType::from_raw(1_000_208_000 + number)
}

/// `VkPresentTimingInfoEXT`.
#[repr(C)]
pub struct PresentTiming {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub flags: u32,
    pub target_time: u64,
    pub domain: u64,
    pub stages: u32,
    pub target_stage: u32,
}

/// `VkPresentTimingsInfoEXT`.
#[repr(C)]
pub struct PresentTimings {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub count: u32,
    pub all: *const PresentTiming,
}

/// `VkPresentId2KHR`.
#[repr(C)]
pub struct PresentId2 {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub count: u32,
    pub ids: *const u64,
}

/// `VkPastPresentationTimingInfoEXT`.
#[repr(C)]
pub struct PastInfo {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub flags: u32,
    pub swapchain: vk::SwapchainKHR,
}

/// `VkPresentStageTimeEXT`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTime {
    pub stage: u32,
    pub time: u64,
}

/// `VkPastPresentationTimingEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Past {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub id: u64,
    pub target_time: u64,
    pub count: u32,
    pub stages: *mut StageTime,
    pub domain: vk::TimeDomainEXT,
    pub domain_id: u64,
    pub complete: vk::Bool32,
}

/// `VkPastPresentationTimingPropertiesEXT`.
#[repr(C)]
pub struct PastProperties {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub properties_counter: u64,
    pub domains_counter: u64,
    pub count: u32,
    pub all: *mut Past,
}

/// `VkSwapchainTimingPropertiesEXT`.
#[repr(C)]
pub struct Properties {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub duration: u64,
    pub interval: u64,
}
