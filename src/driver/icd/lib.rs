//! The C face of the driver: a Vulkan ICD.
//!
//! In:  calls of the loader, or of an application that opened this library itself.
//! Out: calls of `vk`, on plain structures and slices; its errors as `VkResult`.
//!
//! Every entry point is made by one macro (`entry`), which catches unwinding and maps errors; a body checks its handles
//! (`handle`) and reads pointers and `pNext` chains (`raw`, `chain`) before it calls `vk`. An object's own memory comes from
//! `VkAllocationCallbacks` where they are given (`handle::make_in`); what Rust's collections take is the process's. The only global
//! state is where GPUs come from ([`set_kernel_source`]), for programs that bring a kernel of their own.
//! Ref: Vulkan specification; "Architecture of the Vulkan Loader Interfaces", driver interface.

#![allow(unsafe_code, reason = "this crate is where C calls us")]

mod capture;
mod chain;
mod command;
mod debug_utils;
mod deferred;
mod dependency;
mod descriptor;
mod device;
mod diagnosis;
mod draw;
mod dynamic;
mod entry;
mod extension;
mod face;
mod graphics_pipeline;
mod handle;
mod image;
mod image_copy;
mod instance;
mod kinds;
#[cfg(test)]
mod limit_tests;
mod lookup;
mod native;
mod notes;
mod pipeline;
mod private_data;
mod property;
mod query;
mod raw;
mod recording;
#[cfg(test)]
mod registry_tests;
mod render;
mod sampler;
mod set_list;
mod shelf;
mod source;
mod surface;
mod swapchain;
mod sync;
mod table;
mod timing;

use std::ffi::c_char;

use ash::vk as c;

pub use entry::Pointer;
pub use source::set_kernel_source;
pub use vk::instance::KernelSource;

/// An entry for programs that link this crate: what `ash::StaticFn` wants.
pub fn get_instance_proc_addr() -> c::PFN_vkGetInstanceProcAddr {
    vk_icdGetInstanceProcAddr
}

/// Interface version that loader and driver agree on.
///
/// # Safety
/// `version` may be read and written.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(
    version: *mut u32,
) -> c::Result {
    const OURS: u32 = 5;
    // SAFETY: as the caller says.
    let Some(version) = (unsafe { version.as_mut() }) else {
        return c::Result::ERROR_INITIALIZATION_FAILED;
    };
    *version = (*version).min(OURS);
    // Loaders unload drivers with their last instance.
    sys::stay_loaded();
    c::Result::SUCCESS
}

/// Resolves every name that the driver has.
///
/// # Safety
/// `instance` is null or an instance of ours; `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    instance: c::Instance,
    name: *const c_char,
) -> Option<Pointer> {
    // SAFETY: as the caller says.
    entry::guard::<Option<Pointer>>("vk_icdGetInstanceProcAddr", || unsafe {
        lookup::instance_pointer(instance, name)
    })
}

/// Resolves the names of commands on physical devices.
///
/// # Safety
/// As [`vk_icdGetInstanceProcAddr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    instance: c::Instance,
    name: *const c_char,
) -> Option<Pointer> {
    // SAFETY: as the caller says.
    entry::guard::<Option<Pointer>>("vk_icdGetPhysicalDeviceProcAddr", || unsafe {
        lookup::physical_pointer(instance, name)
    })
}
