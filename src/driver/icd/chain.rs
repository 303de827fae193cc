//! `pNext` chains of features, and structures that several queries write.
//!
//! In:  a physical device and the chain of a query or of `VkDeviceCreateInfo`. Out: filled
//!      structures, the enabled features. Unknown structures are left unchanged.

use std::ffi::c_void;

use ash::vk as c;

use crate::{raw, types};

/// The members of a feature structure, which follow `sType` and `pNext`.
///
/// # Safety
/// `node` is a feature structure.
unsafe fn members(node: *mut c::BaseOutStructure<'_>) -> *mut c::Bool32 {
    // SAFETY: every feature structure consists of `sType`, `pNext` and `VkBool32`s (the test
    // `feature_structures_match_the_registry` checks this), so its members start where the head
    // ends.
    unsafe { node.add(1) }.cast()
}

/// Fills the feature structures of a query.
///
/// # Safety
/// `out` is null or a structure with a valid chain, all of it writable.
pub unsafe fn write_features(
    device: &vk::PhysicalDevice,
    out: *mut c::PhysicalDeviceFeatures2<'_>,
) {
    let first: *const c_void = out.cast();
    // SAFETY: as the caller says; the head is a feature structure too.
    for node in unsafe { raw::chain(first) } {
        // SAFETY: a node of the chain; `sType` determines its type.
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
    // SAFETY: a local structure without a chain.
    unsafe { write_features(device, &mut all) };
    all.features
}

/// The features that a `VkDeviceCreateInfo` enables; an error if one of them is not supported.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn enabled_features(
    device: &vk::PhysicalDevice,
    info: &c::DeviceCreateInfo<'_>,
) -> vk::Result<vk::feature::EnabledFeatures> {
    let device = device.info().device;
    let mut enabled = vk::feature::EnabledFeatures::default();
    let mut core = c::PhysicalDeviceFeatures2::default();
    // SAFETY: as the caller says.
    if let Some(features) = unsafe { info.p_enabled_features.as_ref() } {
        core.features = *features;
    }
    core.p_next = info.p_next.cast_mut();
    let first: *const c_void = (&raw const core).cast();
    // SAFETY: `core` outlives the loop, and its chain is the caller's.
    for node in unsafe { raw::chain(first) } {
        // SAFETY: a node of the chain; `sType` determines its type.
        let kind = unsafe { (*node).s_type };
        if let Some(row) = vk::feature::structure(kind) {
            // SAFETY: `sType` says that the node is of this type; it is only read.
            let values = unsafe { std::slice::from_raw_parts(members(node), row.members.len()) };
            row.check(device, values)?;
            enabled.robust_buffers |= row.enables(values, "robustBufferAccess");
            let loops = "attachmentFeedbackLoopDynamicState";
            enabled.dynamic_feedback_loops |= row.enables(values, loops);
            enabled.astc |= row.enables(values, "textureCompressionASTC_LDR");
            enabled.unmap_reserve |= row.enables(values, "memoryUnmapReserve");
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

/// Fills `VkPhysicalDeviceMemoryBudgetPropertiesEXT` in the chain of memory properties.
///
/// # Safety
/// The chain is valid.
pub unsafe fn write_budget(
    device: &vk::PhysicalDevice,
    out: &mut c::PhysicalDeviceMemoryProperties2<'_>,
) {
    // SAFETY: as the caller says.
    for node in unsafe { raw::chain(out.p_next) } {
        // SAFETY: as the caller says; `sType` determines the structure.
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

/// Fills the chain of queue family properties: global priorities, and what the only queue family
/// makes true of transfers.
///
/// # Safety
/// The chain is valid.
pub unsafe fn write_queue_family(device: &vk::PhysicalDevice, first: *const c_void) {
    type Granularity<'a> = types::QueueFamilyOptimalImageTransferGranularityPropertiesKHR<'a>;
    type Ownership<'a> = types::QueueFamilyOwnershipTransferPropertiesKHR<'a>;
    // SAFETY: as the caller says.
    for node in unsafe { raw::chain(first) } {
        // SAFETY: as the caller says; `sType` determines the structure.
        unsafe {
            match (*node).s_type {
                c::StructureType::QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR => {
                    let out = &mut *node.cast::<c::QueueFamilyGlobalPriorityPropertiesKHR<'_>>();
                    let all = device.priorities();
                    out.priority_count = all.len() as u32;
                    for (to, from) in out.priorities.iter_mut().zip(all) {
                        *to = from.0;
                    }
                }
                <Ownership<'_> as c::TaggedStructure>::STRUCTURE_TYPE => {
                    // Family 0, the only one.
                    let out = &mut *node.cast::<Ownership<'_>>();
                    out.optimal_image_transfer_to_queue_families = 1;
                }
                <Granularity<'_> as c::TaggedStructure>::STRUCTURE_TYPE => {
                    let out = &mut *node.cast::<Granularity<'_>>();
                    out.optimal_image_transfer_granularity =
                        device.queue_family().min_image_transfer_granularity;
                }
                _ => {}
            }
        }
    }
}

/// The handle types that a fence's payload can be shared as.
pub const FENCE_HANDLES: c::ExternalFenceHandleTypeFlags =
    c::ExternalFenceHandleTypeFlags::from_raw(
        c::ExternalFenceHandleTypeFlags::OPAQUE_FD.as_raw()
            | c::ExternalFenceHandleTypeFlags::SYNC_FD.as_raw(),
    );

/// The handle types that a semaphore's payload can be shared as. A sync file holds one fence, so it
/// cannot share a timeline.
pub fn semaphore_handles(timeline: bool) -> c::ExternalSemaphoreHandleTypeFlags {
    use c::ExternalSemaphoreHandleTypeFlags as Handles;
    match timeline {
        true => Handles::OPAQUE_FD,
        false => Handles::OPAQUE_FD | Handles::SYNC_FD,
    }
}

/// The external memory properties of a handle type.
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

#[cfg(test)]
mod tests;
