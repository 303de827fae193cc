//! The functions that the Vulkan loader finds by name, and the equivalent for programs that link
//! this crate.
//!
//! In:  an instance and a command's name. Out: the entry point.
//! Ref: "Architecture of the Vulkan Loader Interfaces", driver interface.

use std::ffi::c_char;

use ash::vk as c;

use crate::entry::{self, FunctionPointer};
use crate::{driver_choice, proc_addr};

/// The `vkGetInstanceProcAddr` of this driver, for programs that link this crate (see
/// `ash::StaticFn`).
pub fn get_instance_proc_addr() -> c::PFN_vkGetInstanceProcAddr {
    vk_icdGetInstanceProcAddr
}

/// Negotiates the version of the loader-driver interface.
///
/// # Safety
/// `version` is null, or may be read and written.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(
    version: *mut u32,
) -> c::Result {
    const SUPPORTED: u32 = 5;
    // SAFETY: as the caller says.
    let Some(version) = (unsafe { version.as_mut() }) else {
        return c::Result::ERROR_INITIALIZATION_FAILED;
    };
    *version = (*version).min(SUPPORTED);
    driver_choice::note_loader();
    // Loaders unload a driver with its last instance; this library stays mapped for its
    // thread-local destructors.
    sys::prevent_unload();
    c::Result::SUCCESS
}

/// Looks up any command of the driver by name.
///
/// # Safety
/// `instance` is null or an instance of this driver; `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    instance: c::Instance,
    name: *const c_char,
) -> Option<FunctionPointer> {
    // SAFETY: as the caller says.
    entry::guard::<Option<FunctionPointer>>("vk_icdGetInstanceProcAddr", || unsafe {
        proc_addr::instance_pointer(instance, name)
    })
}

/// Looks up commands of physical devices by name.
///
/// # Safety
/// As [`vk_icdGetInstanceProcAddr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    instance: c::Instance,
    name: *const c_char,
) -> Option<FunctionPointer> {
    // SAFETY: as the caller says.
    entry::guard::<Option<FunctionPointer>>("vk_icdGetPhysicalDeviceProcAddr", || unsafe {
        proc_addr::physical_pointer(instance, name)
    })
}

#[cfg(test)]
mod tests;
