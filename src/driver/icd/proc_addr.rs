//! Lookup of entry points by name.
//!
//! In:  names. Out: function pointers, or none where the level or a disabled extension forbids it.
//! Ref: Vulkan specification, "Command Function Pointers"; loader interface,
//!      "vk_icdGetInstanceProcAddr".

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::sync::OnceLock;

use ash::vk as c;

use crate::entry::{DispatchLevel, EntryPoint, FunctionPointer, entries};
use crate::table::{PROMOTED, SHADER_OBJECT_STATES, TABLES};
use crate::{core_version, handle, raw};

entries! { PROC_ADDR:
    Global vkGetInstanceProcAddr(instance: c::Instance, name: *const c_char) -> Option<FunctionPointer> {
        instance_pointer(instance, name)
    }

    Device vkGetDeviceProcAddr(device: c::Device, name: *const c_char) -> Option<FunctionPointer> {
        device_pointer(device, name)
    }
}

/// The rows of all entry points, by name.
pub fn rows() -> &'static BTreeMap<&'static str, EntryPoint> {
    static ROWS: OnceLock<BTreeMap<&'static str, EntryPoint>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut rows: BTreeMap<_, _> = TABLES
            .iter()
            .copied()
            .chain([PROC_ADDR])
            .flatten()
            .map(|row| {
                let core_version = match row.extension {
                    "" => core_version::introduced(row.name),
                    _ => c::API_VERSION_1_0,
                };
                (
                    row.name,
                    EntryPoint {
                        core_version,
                        ..*row
                    },
                )
            })
            .collect();
        for &(name, core, extension) in PROMOTED {
            if let Some(row) = rows.get(core).copied() {
                rows.insert(
                    name,
                    EntryPoint {
                        name,
                        extension,
                        core_version: c::API_VERSION_1_0,
                        ..row
                    },
                );
            }
        }
        rows
    })
}

/// `vkGetInstanceProcAddr`.
///
/// # Safety
/// `instance` is null or a handle of this driver, `name` a string.
pub unsafe fn instance_pointer(
    instance: c::Instance,
    name: *const c_char,
) -> Option<FunctionPointer> {
    // SAFETY: as the caller says.
    let (row, instance) = unsafe {
        (
            rows().get(raw::string(name).as_str())?,
            handle::optional(instance).ok()?,
        )
    };
    let found = match instance {
        None => row.level == DispatchLevel::Global,
        // Functions of device extensions may be looked up before a device exists.
        Some(object) => {
            let instance_extension =
                vk::extension::find(vk::extension::INSTANCE, row.extension).is_some();
            let enabled = !instance_extension || object.instance.has(row.extension);
            enabled && row.core_version <= vk::extension::API_VERSION
        }
    };
    found.then_some(row.pointer)
}

/// `vkGetDeviceProcAddr`.
///
/// # Safety
/// As [`instance_pointer`].
pub unsafe fn device_pointer(device: c::Device, name: *const c_char) -> Option<FunctionPointer> {
    // SAFETY: as the caller says.
    let (row, object) = unsafe {
        (
            rows().get(raw::string(name).as_str())?,
            handle::get(device).ok()?,
        )
    };
    let device = &object.device;
    // Core functions of versions that the application did not request do not exist
    // (VK_KHR_maintenance5); other drivers do the same without that extension.
    let version = object.requested_version.min(vk::extension::API_VERSION);
    let enabled = match row.extension {
        "" => row.core_version <= version,
        name => device.has(name) || device.context.physical.instance_has(name),
    };
    let enabled =
        enabled || device.has("VK_EXT_shader_object") && SHADER_OBJECT_STATES.contains(&row.name);
    (row.level == DispatchLevel::Device && enabled).then_some(row.pointer)
}

/// `vk_icdGetPhysicalDeviceProcAddr`: functions whose first argument is a physical device.
///
/// # Safety
/// As [`instance_pointer`].
pub unsafe fn physical_pointer(
    instance: c::Instance,
    name: *const c_char,
) -> Option<FunctionPointer> {
    // SAFETY: as the caller says.
    let row = unsafe { rows().get(raw::string(name).as_str())? };
    if row.level != DispatchLevel::Physical {
        return None;
    }
    // SAFETY: as the caller says.
    unsafe { instance_pointer(instance, name) }
}

#[cfg(test)]
mod tests;
