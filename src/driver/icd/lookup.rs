//! Names to entry points.
//!
//! Ref: Vulkan specification, "Command Function Pointers"; loader interface, "vk_icdGetInstanceProcAddr".

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::sync::OnceLock;

use ash::vk as c;

use crate::entry::{Level, Pointer, Row, entries};
use crate::table::{PROMOTED, TABLES};
use crate::{handle, raw};

entries! { LOOKUP:
    Global vkGetInstanceProcAddr(instance: c::Instance, name: *const c_char) -> Option<Pointer> {
        instance_pointer(instance, name)
    }

    Device vkGetDeviceProcAddr(device: c::Device, name: *const c_char) -> Option<Pointer> {
        device_pointer(device, name)
    }
}

/// All rows, by name.
pub fn rows() -> &'static BTreeMap<&'static str, Row> {
    static ROWS: OnceLock<BTreeMap<&'static str, Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut rows: BTreeMap<_, _> = TABLES
            .iter()
            .copied()
            .chain([LOOKUP])
            .flatten()
            .map(|row| (row.name, *row))
            .collect();
        for &(name, core, extension) in PROMOTED {
            if let Some(row) = rows.get(core).copied() {
                rows.insert(
                    name,
                    Row {
                        name,
                        extension,
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
/// `instance` is null or a handle of ours, `name` a string.
pub unsafe fn instance_pointer(instance: c::Instance, name: *const c_char) -> Option<Pointer> {
    // SAFETY: as the caller says.
    let (row, instance) = unsafe {
        (
            rows().get(raw::text(name).as_str())?,
            handle::optional(instance).ok()?,
        )
    };
    let found = match instance {
        None => row.level == Level::Global,
        // Functions of device extensions may be asked for before there is a device.
        Some(face) => {
            let instance_extension =
                vk::extension::find(vk::extension::INSTANCE, row.extension).is_some();
            !instance_extension || face.instance.has(row.extension)
        }
    };
    found.then_some(row.pointer)
}

/// `vkGetDeviceProcAddr`.
///
/// # Safety
/// As [`instance_pointer`].
pub unsafe fn device_pointer(device: c::Device, name: *const c_char) -> Option<Pointer> {
    // SAFETY: as the caller says.
    let (row, face) = unsafe {
        (
            rows().get(raw::text(name).as_str())?,
            handle::get(device).ok()?,
        )
    };
    let device = &face.device;
    let enabled = row.extension.is_empty()
        || device.has(row.extension)
        || device.context.physical.instance_has(row.extension);
    (row.level == Level::Device && enabled).then_some(row.pointer)
}

/// `vk_icdGetPhysicalDeviceProcAddr`: functions whose first argument is a physical device.
///
/// # Safety
/// As [`instance_pointer`].
pub unsafe fn physical_pointer(instance: c::Instance, name: *const c_char) -> Option<Pointer> {
    // SAFETY: as the caller says.
    let row = unsafe { rows().get(raw::text(name).as_str())? };
    if row.level != Level::Physical {
        return None;
    }
    // SAFETY: as the caller says.
    unsafe { instance_pointer(instance, name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_promoted_ones_resolve() {
        let total: usize = TABLES
            .iter()
            .chain([&LOOKUP])
            .map(|table| table.len())
            .sum();
        assert_eq!(rows().len(), total + PROMOTED.len());
        for row in rows().values().filter(|row| !row.extension.is_empty()) {
            let known = vk::extension::find(vk::extension::DEVICE, row.extension)
                .or(vk::extension::find(vk::extension::INSTANCE, row.extension));
            assert!(known.is_some(), "{} of {}", row.name, row.extension);
        }
    }

    #[test]
    fn without_an_instance_only_global_commands() {
        let resolve = |name: &std::ffi::CStr| {
            // SAFETY: a null instance and a string.
            unsafe { instance_pointer(c::Instance::null(), name.as_ptr()) }.is_some()
        };
        for name in [
            c"vkCreateInstance",
            c"vkEnumerateInstanceVersion",
            c"vkEnumerateInstanceExtensionProperties",
            c"vkEnumerateInstanceLayerProperties",
            c"vkGetInstanceProcAddr",
        ] {
            assert!(resolve(name), "{name:?}");
        }
        assert!(!resolve(c"vkCreateDevice"));
        assert!(!resolve(c"vkQueueSubmit"));
        assert!(!resolve(c"vkFlyToTheMoon"));
    }
}
