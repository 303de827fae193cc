//! Entry points of instances and physical devices.
//!
//! In:  create infos and queries. Out: instances, handles of physical devices, their properties.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, OnceLock};

use ash::vk as c;

use crate::chain::{FENCE_HANDLES, semaphore_handles};
use crate::display_list::Displays;
use crate::entry::{done, entries};
use crate::objects::{self, DebugMessenger, InstanceObject, PhysicalDeviceObject};
use crate::{chain, device_discovery, diagnosis, extension, handle, property, raw};

entries! { INSTANCE:
    Global vkEnumerateInstanceVersion(api_version: *mut u32) -> c::Result {
        raw::write(api_version, vk::extension::API_VERSION);
        done()
    }

    Global vkEnumerateInstanceLayerProperties(
        property_count: *mut u32,
        properties: *mut c::LayerProperties,
    ) -> c::Result {
        Ok(raw::write_list::<c::LayerProperties>(std::iter::empty(), property_count, properties))
    }

    Global vkEnumerateInstanceExtensionProperties(
        layer_name: *const c_char,
        property_count: *mut u32,
        properties: *mut c::ExtensionProperties,
    ) -> c::Result {
        let offered = vk::extension::INSTANCE.iter();
        extension::enumerate(offered, layer_name, property_count, properties)
    }

    Global vkCreateInstance(
        create_info: *const c::InstanceCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        instance: *mut c::Instance,
    ) -> c::Result {
        let info = raw::reference(create_info, "VkInstanceCreateInfo")?;
        let layers = raw::strings(info.pp_enabled_layer_names, info.enabled_layer_count);
        let extensions = raw::strings(info.pp_enabled_extension_names, info.enabled_extension_count);
        let messengers = Arc::<Mutex<Vec<Arc<DebugMessenger>>>>::default();
        let receivers = messengers.clone();
        let diagnosis = diagnosis::diagnosis().with_listener(Arc::new(move |text: &str| objects::send_error(&receivers, text)));
        // Messengers in the chain receive messages only while the instance is created and
        // destroyed.
        let creation_messengers = messengers_in_chain(info.p_next);
        objects::set_messengers(&messengers, creation_messengers.clone());
        let created = vk::Instance::new(device_discovery::gpu_source(), diagnosis, &layers, &extensions);
        match &created {
            // GPUs are enumerated early for messengers that exist no longer when the application
            // asks for the devices.
            Ok(created) if !creation_messengers.is_empty() => objects::send_unusable_gpus(&messengers, created),
            Ok(_) => {}
            Err(error) => objects::send_error(&messengers, &error.to_string()),
        }
        objects::set_messengers(&messengers, Vec::new());
        raw::write(
            instance,
            handle::create_with(
                allocator,
                InstanceObject {
                    instance: created?,
                    physical: OnceLock::new(),
                    messengers,
                    creation_messengers,
                    requested_version: requested_version(info),
                },
            )?,
        );
        done()
    }

    Instance vkDestroyInstance(instance: c::Instance, allocator: *const c::AllocationCallbacks<'_>) {
        if let Some(object) = handle::remove(instance) {
            objects::set_messengers(&object.messengers, object.creation_messengers);
            for device in object.physical.into_inner().unwrap_or_default() {
                // One reference is the handle's and one the instance's; logical devices hold the
                // others.
                if handle::remove(device).is_some_and(|device| Arc::strong_count(&device.physical) > 2) {
                    objects::send_error(&object.messengers, "an instance is destroyed before its devices");
                }
            }
        }
        Ok(())
    }

    Instance vkEnumeratePhysicalDevices(
        instance: c::Instance,
        physical_device_count: *mut u32,
        physical_devices: *mut c::PhysicalDevice,
    ) -> c::Result {
        let devices = physical_device_handles(handle::get(instance)?);
        Ok(raw::write_list(devices.iter().copied(), physical_device_count, physical_devices))
    }

    Instance vkEnumeratePhysicalDeviceGroups(
        instance: c::Instance,
        physical_device_group_count: *mut u32,
        physical_device_group_properties: *mut c::PhysicalDeviceGroupProperties<'_>,
    ) -> c::Result {
        let devices = physical_device_handles(handle::get(instance)?);
        let fill = |device: &c::PhysicalDevice, group: *mut c::PhysicalDeviceGroupProperties<'_>| {
            (*group).physical_device_count = 1;
            (*group).physical_devices = Default::default();
            (*group).physical_devices[0] = *device;
            (*group).subset_allocation = c::FALSE;
        };
        Ok(raw::write_list_with(
            devices.iter(),
            physical_device_group_count,
            physical_device_group_properties,
            fill,
        ))
    }

    Physical vkGetPhysicalDeviceFeatures(
        physical_device: c::PhysicalDevice,
        features: *mut c::PhysicalDeviceFeatures,
    ) {
        raw::write(features, chain::core_features(handle::get(physical_device)?));
        Ok(())
    }

    Physical vkGetPhysicalDeviceFeatures2(
        physical_device: c::PhysicalDevice,
        features: *mut c::PhysicalDeviceFeatures2<'_>,
    ) {
        chain::write_features(handle::get(physical_device)?, features);
        Ok(())
    }

    Physical vkGetPhysicalDeviceProperties(
        physical_device: c::PhysicalDevice,
        properties: *mut c::PhysicalDeviceProperties,
    ) {
        raw::write(properties, property::core_properties(handle::get(physical_device)?));
        Ok(())
    }

    Physical vkGetPhysicalDeviceProperties2(
        physical_device: c::PhysicalDevice,
        properties: *mut c::PhysicalDeviceProperties2<'_>,
    ) {
        property::write_properties(handle::get(physical_device)?, properties);
        Ok(())
    }

    // The driver is not a tool; layers add themselves to this list.
    Physical vkGetPhysicalDeviceToolProperties(
        physical_device: c::PhysicalDevice,
        tool_count: *mut u32,
        tool_properties: *mut c::PhysicalDeviceToolProperties<'_>,
    ) -> c::Result {
        handle::get(physical_device)?;
        Ok(raw::write_list::<c::PhysicalDeviceToolProperties<'_>>(std::iter::empty(), tool_count, tool_properties))
    }

    Physical vkGetPhysicalDeviceSparseImageFormatProperties(
        physical_device: c::PhysicalDevice,
        format: c::Format,
        ty: c::ImageType,
        samples: c::SampleCountFlags,
        usage: c::ImageUsageFlags,
        tiling: c::ImageTiling,
        property_count: *mut u32,
        properties: *mut c::SparseImageFormatProperties,
    ) {
        // A void command: the count tells the application whether the list was truncated.
        let _ = raw::write_list(std::iter::empty::<c::SparseImageFormatProperties>(), property_count, properties);
        Ok(())
    }

    Physical vkGetPhysicalDeviceSparseImageFormatProperties2(
        physical_device: c::PhysicalDevice,
        format_info: *const c::PhysicalDeviceSparseImageFormatInfo2<'_>,
        property_count: *mut u32,
        properties: *mut c::SparseImageFormatProperties2<'_>,
    ) {
        // A void command: the count tells the application whether the list was truncated.
        let _ = raw::write_list(std::iter::empty::<c::SparseImageFormatProperties2<'_>>(), property_count, properties);
        Ok(())
    }

    Physical vkGetPhysicalDeviceQueueFamilyProperties(
        physical_device: c::PhysicalDevice,
        queue_family_property_count: *mut u32,
        queue_family_properties: *mut c::QueueFamilyProperties,
    ) {
        let family = handle::get(physical_device)?.queue_family();
        // A void command: the count tells the application whether the list was truncated.
        let _ = raw::write_list(std::iter::once(family), queue_family_property_count, queue_family_properties);
        Ok(())
    }

    Physical vkGetPhysicalDeviceQueueFamilyProperties2(
        physical_device: c::PhysicalDevice,
        queue_family_property_count: *mut u32,
        queue_family_properties: *mut c::QueueFamilyProperties2<'_>,
    ) {
        let device = handle::get(physical_device)?;
        let family = device.queue_family();
        let _ = raw::write_list_with(
            std::iter::once(family),
            queue_family_property_count,
            queue_family_properties,
            |family, out: *mut c::QueueFamilyProperties2<'_>| {
                (*out).queue_family_properties = family;
                chain::write_queue_family(device, (*out).p_next);
            },
        );
        Ok(())
    }

    Physical vkGetPhysicalDeviceMemoryProperties(
        physical_device: c::PhysicalDevice,
        memory_properties: *mut c::PhysicalDeviceMemoryProperties,
    ) {
        raw::write(memory_properties, chain::memory_properties(handle::get(physical_device)?));
        Ok(())
    }

    Physical vkGetPhysicalDeviceMemoryProperties2(
        physical_device: c::PhysicalDevice,
        memory_properties: *mut c::PhysicalDeviceMemoryProperties2<'_>,
    ) {
        let device = handle::get(physical_device)?;
        if let Some(out) = memory_properties.as_mut() {
            out.memory_properties = chain::memory_properties(device);
            chain::write_budget(device, out);
        }
        Ok(())
    }

    Physical vkGetPhysicalDeviceExternalBufferProperties(
        physical_device: c::PhysicalDevice,
        external_buffer_info: *const c::PhysicalDeviceExternalBufferInfo<'_>,
        external_buffer_properties: *mut c::ExternalBufferProperties<'_>,
    ) {
        let info = raw::reference(external_buffer_info, "VkPhysicalDeviceExternalBufferInfo")?;
        if let Some(out) = external_buffer_properties.as_mut() {
            out.external_memory_properties = chain::external_memory(info.handle_type);
        }
        Ok(())
    }

    Physical vkGetPhysicalDeviceExternalFenceProperties(
        physical_device: c::PhysicalDevice,
        external_fence_info: *const c::PhysicalDeviceExternalFenceInfo<'_>,
        external_fence_properties: *mut c::ExternalFenceProperties<'_>,
    ) {
        let info = raw::reference(external_fence_info, "VkPhysicalDeviceExternalFenceInfo")?;
        if let Some(out) = external_fence_properties.as_mut() {
            let known = !info.handle_type.is_empty() && FENCE_HANDLES.contains(info.handle_type);
            let kinds = if known { FENCE_HANDLES } else { c::ExternalFenceHandleTypeFlags::empty() };
            out.export_from_imported_handle_types = kinds;
            out.compatible_handle_types = kinds;
            out.external_fence_features = if known {
                c::ExternalFenceFeatureFlags::EXPORTABLE | c::ExternalFenceFeatureFlags::IMPORTABLE
            } else {
                c::ExternalFenceFeatureFlags::empty()
            };
        }
        Ok(())
    }

    Physical vkGetPhysicalDeviceExternalSemaphoreProperties(
        physical_device: c::PhysicalDevice,
        external_semaphore_info: *const c::PhysicalDeviceExternalSemaphoreInfo<'_>,
        external_semaphore_properties: *mut c::ExternalSemaphoreProperties<'_>,
    ) {
        let info = raw::reference(external_semaphore_info, "VkPhysicalDeviceExternalSemaphoreInfo")?;
        if let Some(out) = external_semaphore_properties.as_mut() {
            let timeline = raw::find_in_chain::<c::SemaphoreTypeCreateInfo<'_>>(info.p_next)
                .is_some_and(|node| node.semaphore_type == c::SemaphoreType::TIMELINE);
            let handles = semaphore_handles(timeline);
            let known = !info.handle_type.is_empty() && handles.contains(info.handle_type);
            let kinds = if known { handles } else { c::ExternalSemaphoreHandleTypeFlags::empty() };
            out.export_from_imported_handle_types = kinds;
            out.compatible_handle_types = kinds;
            out.external_semaphore_features = if known {
                c::ExternalSemaphoreFeatureFlags::EXPORTABLE | c::ExternalSemaphoreFeatureFlags::IMPORTABLE
            } else {
                c::ExternalSemaphoreFeatureFlags::empty()
            };
        }
        Ok(())
    }

    Physical ["VK_EXT_sample_locations"] vkGetPhysicalDeviceMultisamplePropertiesEXT(
        physical_device: c::PhysicalDevice,
        samples: c::SampleCountFlags,
        multisample_properties: *mut c::MultisamplePropertiesEXT<'_>,
    ) {
        handle::get(physical_device)?;
        if let Some(out) = multisample_properties.as_mut() {
            // The grid is one pixel for every supported sample count.
            let side = u32::from(vk::limits::SAMPLE_COUNTS.contains(samples));
            out.max_sample_location_grid_size = c::Extent2D { width: side, height: side };
        }
        Ok(())
    }

    Physical vkEnumerateDeviceLayerProperties(
        physical_device: c::PhysicalDevice,
        property_count: *mut u32,
        properties: *mut c::LayerProperties,
    ) -> c::Result {
        handle::get(physical_device)?;
        Ok(raw::write_list::<c::LayerProperties>(std::iter::empty(), property_count, properties))
    }

    Physical vkEnumerateDeviceExtensionProperties(
        physical_device: c::PhysicalDevice,
        layer_name: *const c_char,
        property_count: *mut u32,
        properties: *mut c::ExtensionProperties,
    ) -> c::Result {
        let device = handle::get(physical_device)?.info().device;
        let offered = vk::extension::offered_on(device);
        extension::enumerate(offered, layer_name, property_count, properties)
    }
}

/// The version of Vulkan that the application requests.
///
/// # Safety
/// The structure is valid.
unsafe fn requested_version(info: &c::InstanceCreateInfo<'_>) -> u32 {
    // SAFETY: as the caller says.
    let application = unsafe { info.p_application_info.as_ref() };
    let version = application.map_or(0, |application| application.api_version);
    version.max(c::API_VERSION_1_0)
}

/// Handles of an instance's physical devices. The first call creates them, and sends the messengers
/// the reasons why other GPUs are no physical devices.
fn physical_device_handles(object: &InstanceObject) -> &[c::PhysicalDevice] {
    let mut is_first_call = false;
    let handles = object.physical.get_or_init(|| {
        is_first_call = true;
        object
            .instance
            .devices()
            .iter()
            .cloned()
            .map(|physical| {
                handle::create(PhysicalDeviceObject {
                    physical,
                    displays: Displays::default(),
                    messengers: object.messengers.clone(),
                    requested_version: object.requested_version,
                })
            })
            .collect()
    });
    if is_first_call {
        objects::send_unusable_gpus(&object.messengers, &object.instance);
    }
    handles
}

/// The messengers described by a `pNext` chain.
///
/// # Safety
/// The chain is valid.
unsafe fn messengers_in_chain(chain: *const c_void) -> Vec<Arc<DebugMessenger>> {
    // SAFETY: as the caller says; `sType` determines the structure of a node.
    unsafe {
        raw::chain(chain)
            .filter(|&node| {
                (*node).s_type == c::StructureType::DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT
            })
            .map(|node| {
                let node = &*node.cast::<c::DebugUtilsMessengerCreateInfoEXT<'_>>();
                Arc::new(DebugMessenger::new(node))
            })
            .collect()
    }
}
