//! Names to entry points.
//!
//! Ref: Vulkan specification, "Command Function Pointers"; loader interface, "vk_icdGetInstanceProcAddr".

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::sync::OnceLock;

use ash::vk as c;

use crate::entry::{Level, Pointer, Row};
use crate::{
    capture, command, deferred, descriptor, device, draw, dynamic, graphics_pipeline, handle,
    image, image_copy, instance, pipeline, private_data, query, raw, render, sampler, surface,
    swapchain, sync, timing,
};

/// Names that an extension gave before core took the function over: the name, the core name, the extension.
const PROMOTED: &[(&str, &str, &str)] = &[
    (
        "vkCreateSamplerYcbcrConversionKHR",
        "vkCreateSamplerYcbcrConversion",
        "VK_KHR_sampler_ycbcr_conversion",
    ),
    (
        "vkDestroySamplerYcbcrConversionKHR",
        "vkDestroySamplerYcbcrConversion",
        "VK_KHR_sampler_ycbcr_conversion",
    ),
    (
        "vkBindBufferMemory2KHR",
        "vkBindBufferMemory2",
        "VK_KHR_bind_memory2",
    ),
    (
        "vkBindImageMemory2KHR",
        "vkBindImageMemory2",
        "VK_KHR_bind_memory2",
    ),
    (
        "vkCmdDispatchBaseKHR",
        "vkCmdDispatchBase",
        "VK_KHR_device_group",
    ),
    (
        "vkCmdSetDeviceMaskKHR",
        "vkCmdSetDeviceMask",
        "VK_KHR_device_group",
    ),
    (
        "vkCreateDescriptorUpdateTemplateKHR",
        "vkCreateDescriptorUpdateTemplate",
        "VK_KHR_descriptor_update_template",
    ),
    (
        "vkDestroyDescriptorUpdateTemplateKHR",
        "vkDestroyDescriptorUpdateTemplate",
        "VK_KHR_descriptor_update_template",
    ),
    (
        "vkEnumeratePhysicalDeviceGroupsKHR",
        "vkEnumeratePhysicalDeviceGroups",
        "VK_KHR_device_group_creation",
    ),
    (
        "vkGetBufferMemoryRequirements2KHR",
        "vkGetBufferMemoryRequirements2",
        "VK_KHR_get_memory_requirements2",
    ),
    (
        "vkGetDescriptorSetLayoutSupportKHR",
        "vkGetDescriptorSetLayoutSupport",
        "VK_KHR_maintenance3",
    ),
    (
        "vkGetDeviceGroupPeerMemoryFeaturesKHR",
        "vkGetDeviceGroupPeerMemoryFeatures",
        "VK_KHR_device_group",
    ),
    (
        "vkGetImageMemoryRequirements2KHR",
        "vkGetImageMemoryRequirements2",
        "VK_KHR_get_memory_requirements2",
    ),
    (
        "vkGetImageSparseMemoryRequirements2KHR",
        "vkGetImageSparseMemoryRequirements2",
        "VK_KHR_get_memory_requirements2",
    ),
    (
        "vkGetPhysicalDeviceExternalBufferPropertiesKHR",
        "vkGetPhysicalDeviceExternalBufferProperties",
        "VK_KHR_external_memory_capabilities",
    ),
    (
        "vkGetPhysicalDeviceExternalFencePropertiesKHR",
        "vkGetPhysicalDeviceExternalFenceProperties",
        "VK_KHR_external_fence_capabilities",
    ),
    (
        "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR",
        "vkGetPhysicalDeviceExternalSemaphoreProperties",
        "VK_KHR_external_semaphore_capabilities",
    ),
    (
        "vkGetPhysicalDeviceFeatures2KHR",
        "vkGetPhysicalDeviceFeatures2",
        "VK_KHR_get_physical_device_properties2",
    ),
    (
        "vkGetPhysicalDeviceFormatProperties2KHR",
        "vkGetPhysicalDeviceFormatProperties2",
        "VK_KHR_get_physical_device_properties2",
    ),
    (
        "vkGetPhysicalDeviceImageFormatProperties2KHR",
        "vkGetPhysicalDeviceImageFormatProperties2",
        "VK_KHR_get_physical_device_properties2",
    ),
    (
        "vkGetPhysicalDeviceMemoryProperties2KHR",
        "vkGetPhysicalDeviceMemoryProperties2",
        "VK_KHR_get_physical_device_properties2",
    ),
    (
        "vkGetPhysicalDeviceProperties2KHR",
        "vkGetPhysicalDeviceProperties2",
        "VK_KHR_get_physical_device_properties2",
    ),
    (
        "vkGetPhysicalDeviceQueueFamilyProperties2KHR",
        "vkGetPhysicalDeviceQueueFamilyProperties2",
        "VK_KHR_get_physical_device_properties2",
    ),
    (
        "vkGetPhysicalDeviceSparseImageFormatProperties2KHR",
        "vkGetPhysicalDeviceSparseImageFormatProperties2",
        "VK_KHR_get_physical_device_properties2",
    ),
    (
        "vkCmdBeginRenderPass2KHR",
        "vkCmdBeginRenderPass2",
        "VK_KHR_create_renderpass2",
    ),
    (
        "vkCmdDrawIndexedIndirectCountKHR",
        "vkCmdDrawIndexedIndirectCount",
        "VK_KHR_draw_indirect_count",
    ),
    (
        "vkCmdDrawIndirectCountKHR",
        "vkCmdDrawIndirectCount",
        "VK_KHR_draw_indirect_count",
    ),
    (
        "vkCmdEndRenderPass2KHR",
        "vkCmdEndRenderPass2",
        "VK_KHR_create_renderpass2",
    ),
    (
        "vkCmdNextSubpass2KHR",
        "vkCmdNextSubpass2",
        "VK_KHR_create_renderpass2",
    ),
    (
        "vkCreateRenderPass2KHR",
        "vkCreateRenderPass2",
        "VK_KHR_create_renderpass2",
    ),
    (
        "vkTrimCommandPoolKHR",
        "vkTrimCommandPool",
        "VK_KHR_maintenance1",
    ),
    (
        "vkUpdateDescriptorSetWithTemplateKHR",
        "vkUpdateDescriptorSetWithTemplate",
        "VK_KHR_descriptor_update_template",
    ),
    (
        "vkGetSemaphoreCounterValueKHR",
        "vkGetSemaphoreCounterValue",
        "VK_KHR_timeline_semaphore",
    ),
    (
        "vkGetBufferDeviceAddressKHR",
        "vkGetBufferDeviceAddress",
        "VK_KHR_buffer_device_address",
    ),
    (
        "vkGetBufferDeviceAddressEXT",
        "vkGetBufferDeviceAddress",
        "VK_EXT_buffer_device_address",
    ),
    (
        "vkGetBufferOpaqueCaptureAddressKHR",
        "vkGetBufferOpaqueCaptureAddress",
        "VK_KHR_buffer_device_address",
    ),
    (
        "vkGetDeviceMemoryOpaqueCaptureAddressKHR",
        "vkGetDeviceMemoryOpaqueCaptureAddress",
        "VK_KHR_buffer_device_address",
    ),
    (
        "vkResetQueryPoolEXT",
        "vkResetQueryPool",
        "VK_EXT_host_query_reset",
    ),
    (
        "vkSignalSemaphoreKHR",
        "vkSignalSemaphore",
        "VK_KHR_timeline_semaphore",
    ),
    (
        "vkWaitSemaphoresKHR",
        "vkWaitSemaphores",
        "VK_KHR_timeline_semaphore",
    ),
    (
        "vkCmdCopyBuffer2KHR",
        "vkCmdCopyBuffer2",
        "VK_KHR_copy_commands2",
    ),
    (
        "vkCmdPipelineBarrier2KHR",
        "vkCmdPipelineBarrier2",
        "VK_KHR_synchronization2",
    ),
    (
        "vkCmdSetEvent2KHR",
        "vkCmdSetEvent2",
        "VK_KHR_synchronization2",
    ),
    (
        "vkCmdResetEvent2KHR",
        "vkCmdResetEvent2",
        "VK_KHR_synchronization2",
    ),
    (
        "vkCmdWaitEvents2KHR",
        "vkCmdWaitEvents2",
        "VK_KHR_synchronization2",
    ),
    (
        "vkGetDeviceBufferMemoryRequirementsKHR",
        "vkGetDeviceBufferMemoryRequirements",
        "VK_KHR_maintenance4",
    ),
    (
        "vkCmdSetCullModeEXT",
        "vkCmdSetCullMode",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetFrontFaceEXT",
        "vkCmdSetFrontFace",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetPrimitiveTopologyEXT",
        "vkCmdSetPrimitiveTopology",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetViewportWithCountEXT",
        "vkCmdSetViewportWithCount",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetScissorWithCountEXT",
        "vkCmdSetScissorWithCount",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdBindVertexBuffers2EXT",
        "vkCmdBindVertexBuffers2",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetDepthTestEnableEXT",
        "vkCmdSetDepthTestEnable",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetDepthWriteEnableEXT",
        "vkCmdSetDepthWriteEnable",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetDepthCompareOpEXT",
        "vkCmdSetDepthCompareOp",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetDepthBoundsTestEnableEXT",
        "vkCmdSetDepthBoundsTestEnable",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetStencilTestEnableEXT",
        "vkCmdSetStencilTestEnable",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetStencilOpEXT",
        "vkCmdSetStencilOp",
        "VK_EXT_extended_dynamic_state",
    ),
    (
        "vkCmdSetRasterizerDiscardEnableEXT",
        "vkCmdSetRasterizerDiscardEnable",
        "VK_EXT_extended_dynamic_state2",
    ),
    (
        "vkCmdSetDepthBiasEnableEXT",
        "vkCmdSetDepthBiasEnable",
        "VK_EXT_extended_dynamic_state2",
    ),
    (
        "vkCmdSetPrimitiveRestartEnableEXT",
        "vkCmdSetPrimitiveRestartEnable",
        "VK_EXT_extended_dynamic_state2",
    ),
    (
        "vkGetDeviceImageMemoryRequirementsKHR",
        "vkGetDeviceImageMemoryRequirements",
        "VK_KHR_maintenance4",
    ),
    (
        "vkGetDeviceImageSparseMemoryRequirementsKHR",
        "vkGetDeviceImageSparseMemoryRequirements",
        "VK_KHR_maintenance4",
    ),
    (
        "vkCmdCopyImage2KHR",
        "vkCmdCopyImage2",
        "VK_KHR_copy_commands2",
    ),
    (
        "vkCmdCopyBufferToImage2KHR",
        "vkCmdCopyBufferToImage2",
        "VK_KHR_copy_commands2",
    ),
    (
        "vkCmdCopyImageToBuffer2KHR",
        "vkCmdCopyImageToBuffer2",
        "VK_KHR_copy_commands2",
    ),
    (
        "vkCmdBlitImage2KHR",
        "vkCmdBlitImage2",
        "VK_KHR_copy_commands2",
    ),
    (
        "vkCmdResolveImage2KHR",
        "vkCmdResolveImage2",
        "VK_KHR_copy_commands2",
    ),
    (
        "vkGetPhysicalDeviceToolPropertiesEXT",
        "vkGetPhysicalDeviceToolProperties",
        "VK_EXT_tooling_info",
    ),
    (
        "vkCmdWriteTimestamp2KHR",
        "vkCmdWriteTimestamp2",
        "VK_KHR_synchronization2",
    ),
    (
        "vkCmdBeginRenderingKHR",
        "vkCmdBeginRendering",
        "VK_KHR_dynamic_rendering",
    ),
    (
        "vkCmdEndRenderingKHR",
        "vkCmdEndRendering",
        "VK_KHR_dynamic_rendering",
    ),
    (
        "vkQueueSubmit2KHR",
        "vkQueueSubmit2",
        "VK_KHR_synchronization2",
    ),
    (
        "vkCreatePrivateDataSlotEXT",
        "vkCreatePrivateDataSlot",
        "VK_EXT_private_data",
    ),
    (
        "vkDestroyPrivateDataSlotEXT",
        "vkDestroyPrivateDataSlot",
        "VK_EXT_private_data",
    ),
    (
        "vkGetPrivateDataEXT",
        "vkGetPrivateData",
        "VK_EXT_private_data",
    ),
    (
        "vkSetPrivateDataEXT",
        "vkSetPrivateData",
        "VK_EXT_private_data",
    ),
];

static TABLES: &[&[Row]] = &[
    instance::INSTANCE,
    device::DEVICE,
    deferred::DEFERRED,
    descriptor::DESCRIPTOR,
    pipeline::PIPELINE,
    private_data::PRIVATE_DATA,
    sync::SYNC,
    timing::TIMING,
    capture::CAPTURE,
    command::COMMAND,
    image::IMAGE,
    image_copy::IMAGE_COPY,
    sampler::SAMPLER,
    graphics_pipeline::GRAPHICS_PIPELINE,
    draw::DRAW,
    dynamic::DYNAMIC,
    query::QUERY,
    render::RENDER,
    surface::SURFACE,
    swapchain::SWAPCHAIN,
];

/// All rows, by name.
pub fn rows() -> &'static BTreeMap<&'static str, Row> {
    static ROWS: OnceLock<BTreeMap<&'static str, Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut rows: BTreeMap<_, _> = TABLES
            .iter()
            .copied()
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
    let enabled = row.extension.is_empty() || face.device.has(row.extension);
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
        let total: usize = TABLES.iter().map(|table| table.len()).sum();
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
