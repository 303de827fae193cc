//! The structures of Vulkan 1.4, which repeat those of extensions.

use std::ffi::c_void;

use ash::vk;

use crate::rig::{Rig, entry};

/// `VkPhysicalDeviceVulkan14Features`.
#[repr(C)]
struct Features {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    values: [vk::Bool32; 21],
}

/// Its members.
const MEMBERS: [&str; 21] = [
    "globalPriorityQuery",
    "shaderSubgroupRotate",
    "shaderSubgroupRotateClustered",
    "shaderFloatControls2",
    "shaderExpectAssume",
    "rectangularLines",
    "bresenhamLines",
    "smoothLines",
    "stippledRectangularLines",
    "stippledBresenhamLines",
    "stippledSmoothLines",
    "vertexAttributeInstanceRateDivisor",
    "vertexAttributeInstanceRateZeroDivisor",
    "indexTypeUint8",
    "dynamicRenderingLocalRead",
    "maintenance5",
    "maintenance6",
    "pipelineProtectedAccess",
    "pipelineRobustness",
    "hostImageCopy",
    "pushDescriptor",
];

/// What the hardware cannot do, or what needs protected memory.
const ABSENT: [&str; 4] = [
    "rectangularLines",
    "stippledRectangularLines",
    "stippledSmoothLines",
    "pipelineProtectedAccess",
];

/// Features of extensions that may come later.
const OPEN: [&str; 2] = ["dynamicRenderingLocalRead", "hostImageCopy"];

/// `VkPhysicalDeviceVulkan14Properties`.
#[repr(C)]
struct Properties {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    line_bits: u32,
    max_divisor: u32,
    first_instance: u32,
    push_descriptors: u32,
    local_read: [u32; 2],
    maintenance5: [u32; 6],
    maintenance6: [u32; 3],
    robustness: [i32; 4],
    source_layout_count: u32,
    source_layouts: *mut vk::ImageLayout,
    destination_layout_count: u32,
    destination_layouts: *mut vk::ImageLayout,
    layout_uuid: [u8; 16],
    identical_memory_types: u32,
}

fn query_features(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Features {
    let mut found = Features {
        s_type: vk::StructureType::from_raw(55),
        p_next: std::ptr::null_mut(),
        values: [7; 21],
    };
    let mut all = vk::PhysicalDeviceFeatures2 {
        p_next: (&raw mut found).cast(),
        ..Default::default()
    };
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    found
}

#[test]
fn features_of_the_version_are_found_and_enabled() {
    let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&app);
    unsafe {
        let instance = entry().create_instance(&info, None).unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let mut found = query_features(&instance, physical);
        for (name, value) in MEMBERS.iter().zip(found.values) {
            if !OPEN.contains(name) {
                assert_eq!(value, u32::from(!ABSENT.contains(name)), "{name}");
            }
            assert!(value <= 1, "{name}");
        }
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        info.p_next = (&raw const found).cast();
        let device = instance.create_device(physical, &info, None).unwrap();
        device.destroy_device(None);
        // A feature that is not there cannot be enabled.
        found.values[17] = 1;
        info.p_next = (&raw const found).cast();
        let refused = instance.create_device(physical, &info, None).err();
        assert_eq!(refused, Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
        instance.destroy_instance(None);
    }
}

#[test]
fn properties_of_the_version_are_those_of_the_extensions() {
    let rig = Rig::new();
    let mut layouts = [vk::ImageLayout::UNDEFINED; 64];
    let pointers = [layouts.as_mut_ptr(), unsafe {
        layouts.as_mut_ptr().add(32)
    }];
    let mut found = Properties {
        s_type: vk::StructureType::from_raw(56),
        p_next: std::ptr::null_mut(),
        line_bits: 0,
        max_divisor: 0,
        first_instance: 0,
        push_descriptors: 0,
        local_read: [7; 2],
        maintenance5: [7; 6],
        maintenance6: [7; 3],
        robustness: [7; 4],
        source_layout_count: 32,
        source_layouts: pointers[0],
        destination_layout_count: 32,
        destination_layouts: pointers[1],
        layout_uuid: [7; 16],
        identical_memory_types: 7,
    };
    let mut maintenance5 = vk::PhysicalDeviceMaintenance5PropertiesKHR::default();
    let mut maintenance6 = vk::PhysicalDeviceMaintenance6PropertiesKHR::default();
    let mut divisors = vk::PhysicalDeviceVertexAttributeDivisorPropertiesKHR::default();
    let mut push = vk::PhysicalDevicePushDescriptorPropertiesKHR::default();
    let mut lines = vk::PhysicalDeviceLineRasterizationPropertiesKHR::default();
    let mut all = vk::PhysicalDeviceProperties2::default()
        .push_next(&mut maintenance5)
        .push_next(&mut maintenance6)
        .push_next(&mut divisors)
        .push_next(&mut push)
        .push_next(&mut lines);
    found.p_next = all.p_next;
    all.p_next = (&raw mut found).cast();
    let (instance, physical) = (&rig.instance, rig.physical);
    unsafe { instance.get_physical_device_properties2(physical, &mut all) };
    assert_eq!(found.line_bits, lines.line_sub_pixel_precision_bits);
    assert_eq!(found.max_divisor, divisors.max_vertex_attrib_divisor);
    assert_eq!(found.first_instance, vk::TRUE);
    assert_eq!(found.push_descriptors, push.max_push_descriptors);
    assert!(found.push_descriptors >= 32);
    // Points and swizzles have their properties, which tests of maintenance5 execute.
    assert_eq!(found.maintenance5, [0, 0, 1, 1, 0, 0]);
    assert_eq!(maintenance5.polygon_mode_point_size, vk::TRUE);
    assert_eq!(maintenance5.depth_stencil_swizzle_one_support, vk::TRUE);
    let most = maintenance6.max_combined_image_sampler_descriptor_count;
    assert_eq!((found.maintenance6[1], most), (3, 3));
    assert_eq!(found.robustness, [1, 1, 3, 3]);
    // The application's pointers stay.
    assert_eq!(found.source_layouts, pointers[0]);
    assert_eq!(found.destination_layouts, pointers[1]);
    assert!(found.source_layout_count <= 32 && found.destination_layout_count <= 32);
    assert!(found.identical_memory_types <= 1);
}
