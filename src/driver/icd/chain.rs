//! `pNext` chains of features, and structures that several commands answer with. Structures that are not known are left alone.

use std::ffi::c_void;

use ash::vk as c;

use crate::raw;

/// The members of a structure of features: what follows `sType` and `pNext`.
///
/// # Safety
/// `node` is a structure of features.
unsafe fn members(node: *mut c::BaseOutStructure<'_>) -> *mut c::Bool32 {
    // SAFETY: every structure of features is `sType`, `pNext` and `VkBool32`s (the test `structures_of_features_are_the_registrys`
    // holds the table to that), so its members start where the head ends.
    unsafe { node.add(1) }.cast()
}

/// Answers a query of features.
///
/// # Safety
/// `out` is null or a structure with a valid chain, all of it writable.
pub unsafe fn write_features(
    device: &vk::PhysicalDevice,
    out: *mut c::PhysicalDeviceFeatures2<'_>,
) {
    let first: *const c_void = out.cast();
    // SAFETY: as the caller says; the head is a structure of features too.
    for node in unsafe { raw::chain(first) } {
        // SAFETY: a node of the chain; its type says what it is.
        let kind = unsafe { (*node).s_type };
        if let Some(row) = vk::feature::structure(kind) {
            // SAFETY: `sType` says that the node is of this type.
            let values =
                unsafe { std::slice::from_raw_parts_mut(members(node), row.members.len()) };
            row.fill(device.info().device, values);
        }
    }
}

/// `VkPhysicalDeviceFeatures`.
pub fn core_features(device: &vk::PhysicalDevice) -> c::PhysicalDeviceFeatures {
    let mut all = c::PhysicalDeviceFeatures2::default();
    // SAFETY: a structure of our own, without a chain.
    unsafe { write_features(device, &mut all) };
    all.features
}

/// Refuses the features that a `VkDeviceCreateInfo` enables and that are not offered.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn enabled_features(
    device: &vk::PhysicalDevice,
    info: &c::DeviceCreateInfo<'_>,
) -> vk::Result<vk::feature::Enabled> {
    let device = device.info().device;
    let mut enabled = vk::feature::Enabled::default();
    let mut core = c::PhysicalDeviceFeatures2::default();
    // SAFETY: as the caller says.
    if let Some(features) = unsafe { info.p_enabled_features.as_ref() } {
        core.features = *features;
    }
    core.p_next = info.p_next.cast_mut();
    let first: *const c_void = (&raw const core).cast();
    // SAFETY: `core` outlives the loop, and goes on with the caller's chain.
    for node in unsafe { raw::chain(first) } {
        // SAFETY: a node of the chain; its type says what it is.
        let kind = unsafe { (*node).s_type };
        if let Some(row) = vk::feature::structure(kind) {
            // SAFETY: `sType` says that the node is of this type; it is only read.
            let values = unsafe { std::slice::from_raw_parts(members(node), row.members.len()) };
            row.check(device, values)?;
            enabled.robust_buffers |= row.enables(values, "robustBufferAccess");
        }
    }
    Ok(enabled)
}

/// `VkPhysicalDeviceMemoryProperties`.
pub fn memory_properties(device: &vk::PhysicalDevice) -> c::PhysicalDeviceMemoryProperties {
    let mut out = c::PhysicalDeviceMemoryProperties::default();
    for (to, from) in out.memory_types.iter_mut().zip(device.memory_types()) {
        *to = c::MemoryType {
            property_flags: from.flags,
            heap_index: from.heap_index,
        };
        out.memory_type_count += 1;
    }
    out.memory_heap_count = 1;
    out.memory_heaps[0] = c::MemoryHeap {
        size: device.heap_bytes(),
        flags: c::MemoryHeapFlags::DEVICE_LOCAL,
    };
    out
}

/// Fills the structures that memory properties may be asked with.
///
/// # Safety
/// The chain is valid.
pub unsafe fn write_budget(
    device: &vk::PhysicalDevice,
    out: &mut c::PhysicalDeviceMemoryProperties2<'_>,
) {
    // SAFETY: as the caller says.
    for node in unsafe { raw::chain(out.p_next) } {
        // SAFETY: as the caller says; the tag says which structure it is.
        unsafe {
            if (*node).s_type == c::StructureType::PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT {
                let budget = &mut *node.cast::<c::PhysicalDeviceMemoryBudgetPropertiesEXT<'_>>();
                budget.heap_budget = [0; c::MAX_MEMORY_HEAPS];
                budget.heap_usage = [0; c::MAX_MEMORY_HEAPS];
                budget.heap_budget[0] = device.budget_bytes();
                budget.heap_usage[0] = device.used_bytes();
            }
        }
    }
}

/// Fills the structure of priorities that properties of queue families may be asked with.
///
/// # Safety
/// The chain is valid.
pub unsafe fn write_priorities(device: &vk::PhysicalDevice, first: *const c_void) {
    // SAFETY: as the caller says.
    for node in unsafe { raw::chain(first) } {
        // SAFETY: as the caller says; the tag says which structure it is.
        unsafe {
            if (*node).s_type == c::StructureType::QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR {
                let out = &mut *node.cast::<c::QueueFamilyGlobalPriorityPropertiesKHR<'_>>();
                let all = device.priorities();
                out.priority_count = all.len() as u32;
                for (to, from) in out.priorities.iter_mut().zip(all) {
                    *to = from.0;
                }
            }
        }
    }
}

/// What a fence's payload can be shared as.
pub const FENCE_HANDLES: c::ExternalFenceHandleTypeFlags =
    c::ExternalFenceHandleTypeFlags::from_raw(
        c::ExternalFenceHandleTypeFlags::OPAQUE_FD.as_raw()
            | c::ExternalFenceHandleTypeFlags::SYNC_FD.as_raw(),
    );

/// What a semaphore's payload can be shared as: a sync file is one fence, and no timeline.
pub fn semaphore_handles(timeline: bool) -> c::ExternalSemaphoreHandleTypeFlags {
    use c::ExternalSemaphoreHandleTypeFlags as Handles;
    match timeline {
        true => Handles::OPAQUE_FD,
        false => Handles::OPAQUE_FD | Handles::SYNC_FD,
    }
}

/// What can be done with memory handles of a type.
pub fn external_memory(kind: c::ExternalMemoryHandleTypeFlags) -> c::ExternalMemoryProperties {
    if kind == vk::memory::HOST {
        return c::ExternalMemoryProperties {
            external_memory_features: c::ExternalMemoryFeatureFlags::IMPORTABLE,
            export_from_imported_handle_types: c::ExternalMemoryHandleTypeFlags::empty(),
            compatible_handle_types: kind,
        };
    }
    let known = kind.as_raw().is_power_of_two() && vk::memory::SHAREABLE.contains(kind);
    if !known {
        return c::ExternalMemoryProperties::default();
    }
    c::ExternalMemoryProperties {
        external_memory_features: c::ExternalMemoryFeatureFlags::EXPORTABLE
            | c::ExternalMemoryFeatureFlags::IMPORTABLE,
        export_from_imported_handle_types: vk::memory::SHAREABLE,
        compatible_handle_types: vk::memory::SHAREABLE,
    }
}
