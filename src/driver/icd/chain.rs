//! `pNext` chains: features and properties from and to plain structures. Structures that are not known are left alone.

use ash::vk as c;
use vk::feature::{Extended, Features};

use crate::raw;

/// The structures of features that the driver has none of: queried, all are false; enabled, they are refused.
macro_rules! absent {
    ($do:ident) => {
        $do! {
            PhysicalDevice16BitStorageFeatures: storage_buffer16_bit_access
                uniform_and_storage_buffer16_bit_access storage_push_constant16 storage_input_output16;
            PhysicalDeviceMultiviewFeatures: multiview multiview_geometry_shader multiview_tessellation_shader;
            PhysicalDeviceVariablePointersFeatures: variable_pointers_storage_buffer variable_pointers;
            PhysicalDeviceProtectedMemoryFeatures: protected_memory;
            PhysicalDeviceSamplerYcbcrConversionFeatures: sampler_ycbcr_conversion;
            PhysicalDeviceShaderDrawParametersFeatures: shader_draw_parameters;
        }
    };
}

/// The structures of features that the driver has.
macro_rules! present {
    ($do:ident) => {
        $do! {
            PhysicalDeviceTimelineSemaphoreFeatures: timeline_semaphore;
            PhysicalDevicePipelineExecutablePropertiesFeaturesKHR: pipeline_executable_info;
            PhysicalDeviceHostQueryResetFeatures: host_query_reset;
        }
    };
}

/// Answers a query of features.
///
/// # Safety
/// `out` is null or a structure with a valid chain, all of it writable.
pub unsafe fn write_features(features: &Features, out: *mut c::PhysicalDeviceFeatures2<'_>) {
    // SAFETY: as the caller says.
    let Some(head) = (unsafe { out.as_mut() }) else {
        return;
    };
    head.features = features.core;
    // SAFETY: as the caller says.
    for node in unsafe { raw::chain(head.p_next) } {
        // SAFETY: a node of the chain; its type says what it is.
        let kind = unsafe { (*node).s_type };
        macro_rules! set_false {
            ($($ty:ident: $($field:ident)*;)*) => {
                $(if kind == <c::$ty<'_> as c::TaggedStructure>::STRUCTURE_TYPE {
                    // SAFETY: `sType` says that the node is of this type.
                    let node = unsafe { &mut *node.cast::<c::$ty<'_>>() };
                    $(node.$field = c::FALSE;)*
                })*
            };
        }
        macro_rules! set {
            ($($ty:ident: $($field:ident)*;)*) => {
                $(if kind == <c::$ty<'_> as c::TaggedStructure>::STRUCTURE_TYPE {
                    // SAFETY: `sType` says that the node is of this type.
                    let node = unsafe { &mut *node.cast::<c::$ty<'_>>() };
                    $(node.$field = features.extended.$field.into();)*
                })*
            };
        }
        absent!(set_false);
        present!(set);
    }
}

/// The features that a `VkDeviceCreateInfo` enables.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn read_features(info: &c::DeviceCreateInfo<'_>) -> Features {
    let mut features = Features {
        core: Default::default(),
        extended: Extended::default(),
    };
    // SAFETY: as the caller says.
    if let Some(core) = unsafe { info.p_enabled_features.as_ref() } {
        features.core = *core;
    }
    // SAFETY: as the caller says.
    for node in unsafe { raw::chain(info.p_next) } {
        // SAFETY: a node of the chain; its type says what it is.
        let kind = unsafe { (*node).s_type };
        if kind == c::StructureType::PHYSICAL_DEVICE_FEATURES_2 {
            // SAFETY: `sType` says that the node is of this type.
            features.core = unsafe { (*node.cast::<c::PhysicalDeviceFeatures2<'_>>()).features };
        }
        macro_rules! refuse {
            ($($ty:ident: $($field:ident)*;)*) => {
                $(if kind == <c::$ty<'_> as c::TaggedStructure>::STRUCTURE_TYPE {
                    // SAFETY: `sType` says that the node is of this type.
                    let node = unsafe { &*node.cast::<c::$ty<'_>>() };
                    $(if node.$field != c::FALSE {
                        features.extended.unsupported = Some(stringify!($field));
                    })*
                })*
            };
        }
        macro_rules! get {
            ($($ty:ident: $($field:ident)*;)*) => {
                $(if kind == <c::$ty<'_> as c::TaggedStructure>::STRUCTURE_TYPE {
                    // SAFETY: `sType` says that the node is of this type.
                    let node = unsafe { &*node.cast::<c::$ty<'_>>() };
                    $(features.extended.$field = node.$field != c::FALSE;)*
                })*
            };
        }
        absent!(refuse);
        present!(get);
    }
    features
}

/// `VkPhysicalDeviceProperties`.
pub fn core_properties(device: &vk::PhysicalDevice) -> c::PhysicalDeviceProperties {
    c::PhysicalDeviceProperties {
        api_version: vk::extension::API_VERSION,
        driver_version: vk::physical::DRIVER_VERSION,
        vendor_id: vk::physical::VENDOR,
        device_id: device.info().pci_id,
        device_type: c::PhysicalDeviceType::INTEGRATED_GPU,
        device_name: raw::array(&device.name()),
        pipeline_cache_uuid: device.cache_uuid(),
        limits: device.limits(),
        sparse_properties: c::PhysicalDeviceSparseProperties::default(),
    }
}

/// Answers a query of properties.
///
/// # Safety
/// `out` is null or a structure with a valid chain, all of it writable.
pub unsafe fn write_properties(
    device: &vk::PhysicalDevice,
    out: *mut c::PhysicalDeviceProperties2<'_>,
) {
    // SAFETY: as the caller says.
    let Some(head) = (unsafe { out.as_mut() }) else {
        return;
    };
    head.properties = core_properties(device);
    // SAFETY: as the caller says.
    for node in unsafe { raw::chain(head.p_next) } {
        macro_rules! fill {
            ($($ty:ident |$out:ident| $body:block)*) => {
                // SAFETY: a node of the chain; its type says what it is.
                match unsafe { (*node).s_type } {
                    $(<c::$ty<'_> as c::TaggedStructure>::STRUCTURE_TYPE => {
                        // SAFETY: `sType` says that the node is of this type.
                        let $out = unsafe { &mut *node.cast::<c::$ty<'_>>() };
                        $body
                    })*
                    _ => {}
                }
            };
        }
        fill! {
            PhysicalDeviceSubgroupProperties |out| {
                out.subgroup_size = vk::physical::SUBGROUP_SIZE;
                out.supported_stages = c::ShaderStageFlags::COMPUTE;
                out.supported_operations = c::SubgroupFeatureFlags::BASIC;
                out.quad_operations_in_all_stages = c::FALSE;
            }
            PhysicalDeviceIDProperties |out| {
                out.device_uuid = device.device_uuid();
                out.driver_uuid = device.driver_uuid();
                out.device_luid = Default::default();
                out.device_node_mask = 0;
                out.device_luid_valid = c::FALSE;
            }
            PhysicalDevicePointClippingProperties |out| {
                out.point_clipping_behavior = c::PointClippingBehavior::USER_CLIP_PLANES_ONLY;
            }
            PhysicalDeviceMultiviewProperties |out| {
                out.max_multiview_view_count = 6;
                out.max_multiview_instance_index = (1 << 27) - 1;
            }
            PhysicalDeviceProtectedMemoryProperties |out| { out.protected_no_fault = c::FALSE; }
            PhysicalDeviceMaintenance3Properties |out| {
                out.max_per_set_descriptors = 1024;
                out.max_memory_allocation_size = vk::memory::MAX_ALLOCATION_BYTES.min(device.heap_bytes());
            }
            PhysicalDeviceDriverProperties |out| {
                out.driver_id = c::DriverId::default();
                out.driver_name = raw::array(vk::physical::DRIVER_NAME);
                out.driver_info = raw::array(concat!("Ingot ", env!("CARGO_PKG_VERSION")));
                out.conformance_version = c::ConformanceVersion::default();
            }
            PhysicalDeviceTimelineSemaphoreProperties |out| {
                out.max_timeline_semaphore_value_difference = u64::MAX;
            }
            PhysicalDevicePCIBusInfoPropertiesEXT |out| {
                let place = device.info().node.as_ref().and_then(|node| node.pci).unwrap_or_default();
                out.pci_domain = place[0];
                out.pci_bus = place[1];
                out.pci_device = place[2];
                out.pci_function = place[3];
            }
            PhysicalDeviceDrmPropertiesEXT |out| {
                let node = device.info().node.as_ref();
                out.has_primary = c::FALSE;
                out.primary_major = 0;
                out.primary_minor = 0;
                out.has_render = node.is_some().into();
                out.render_major = node.map_or(0, |node| node.major.into());
                out.render_minor = node.map_or(0, |node| node.minor.into());
            }
        }
    }
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

/// What can be done with memory handles of a type.
pub fn external_memory(kind: c::ExternalMemoryHandleTypeFlags) -> c::ExternalMemoryProperties {
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
