//! What an application asks of clocks, priorities and operations of the host.

use ash::vk;

use crate::rig::{Rig, entry};

const NONE: Option<&vk::AllocationCallbacks<'_>> = None;

/// A device that has these extensions, and priorities on request.
fn device(
    rig: &Rig,
    extensions: &[&std::ffi::CStr],
    priority: Option<vk::QueueGlobalPriorityKHR>,
) -> Result<ash::Device, vk::Result> {
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let mut wanted = vk::DeviceQueueGlobalPriorityCreateInfoKHR::default()
        .global_priority(priority.unwrap_or(vk::QueueGlobalPriorityKHR::MEDIUM));
    let mut queue = vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0]);
    if priority.is_some() {
        queue = queue.push_next(&mut wanted);
    }
    let queues = [queue];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names);
    unsafe { rig.instance.create_device(rig.physical, &info, NONE) }
}

#[test]
fn calibrated_timestamps() {
    let rig = Rig::new();
    let names = [ash::ext::calibrated_timestamps::NAME];
    let device = device(&rig, &names, None).unwrap();
    let host = ash::ext::calibrated_timestamps::Instance::new(&entry(), &rig.instance);
    let clocks = ash::ext::calibrated_timestamps::Device::new(&rig.instance, &device);
    let domains = unsafe { host.get_physical_device_calibrateable_time_domains(rig.physical) };
    let domains = domains.unwrap();
    assert_eq!(
        domains,
        [
            vk::TimeDomainEXT::DEVICE,
            vk::TimeDomainEXT::CLOCK_MONOTONIC,
            vk::TimeDomainEXT::CLOCK_MONOTONIC_RAW
        ]
    );
    let infos: Vec<_> = domains
        .iter()
        .map(|&domain| vk::CalibratedTimestampInfoEXT::default().time_domain(domain))
        .collect();
    let read = || unsafe { clocks.get_calibrated_timestamps(&infos).unwrap() };
    let properties = unsafe { rig.instance.get_physical_device_properties(rig.physical) };
    let tick_ns = f64::from(properties.limits.timestamp_period);
    let (first, _) = read();
    std::thread::sleep(std::time::Duration::from_millis(20));
    let (second, deviation) = read();
    assert!(deviation as f64 >= tick_ns);
    let passed: Vec<_> = first.iter().zip(&second).map(|(a, b)| b - a).collect();
    // All three have seen the same time pass, but for what lay between their readings.
    let device_ns = passed[0] as f64 * tick_ns;
    assert!(
        passed[1] >= 20_000_000 && passed[2] >= 19_000_000,
        "{passed:?}"
    );
    let bound = 2.0 * deviation as f64 + 0.1 * passed[1] as f64;
    assert!((device_ns - passed[1] as f64).abs() <= bound, "{passed:?}");
    unsafe { device.destroy_device(NONE) };
}

#[test]
fn global_queue_priorities() {
    let rig = Rig::new();
    let mut known = vk::QueueFamilyGlobalPriorityPropertiesKHR::default();
    let mut family = [vk::QueueFamilyProperties2::default().push_next(&mut known)];
    unsafe {
        rig.instance
            .get_physical_device_queue_family_properties2(rig.physical, &mut family);
    }
    let listed = &known.priorities[..known.priority_count as usize];
    assert!(listed.contains(&vk::QueueGlobalPriorityKHR::MEDIUM));
    assert!(listed.windows(2).all(|pair| pair[0] < pair[1]));
    let names = [ash::ext::global_priority::NAME];
    for priority in [
        vk::QueueGlobalPriorityKHR::LOW,
        vk::QueueGlobalPriorityKHR::MEDIUM,
        vk::QueueGlobalPriorityKHR::HIGH,
        vk::QueueGlobalPriorityKHR::REALTIME,
    ] {
        let made = device(&rig, &names, Some(priority));
        match listed.contains(&priority) {
            true => unsafe { made.unwrap().destroy_device(NONE) },
            false => assert_eq!(made.err(), Some(vk::Result::ERROR_NOT_PERMITTED_KHR)),
        }
    }
    let unknown = vk::QueueGlobalPriorityKHR::from_raw(7);
    let made = device(&rig, &names, Some(unknown));
    assert_eq!(made.err(), Some(vk::Result::ERROR_NOT_PERMITTED_KHR));
}

#[test]
fn deferred_host_operations_complete_immediately() {
    let rig = Rig::new();
    let names = [ash::khr::deferred_host_operations::NAME];
    let device = device(&rig, &names, None).unwrap();
    let deferred = ash::khr::deferred_host_operations::Device::new(&rig.instance, &device);
    unsafe {
        let operation = deferred.create_deferred_operation(NONE).unwrap();
        assert_eq!(
            deferred.get_deferred_operation_max_concurrency(operation),
            0
        );
        deferred.get_deferred_operation_result(operation).unwrap();
        deferred.deferred_operation_join(operation).unwrap();
        deferred.destroy_deferred_operation(operation, NONE);
        device.destroy_device(NONE);
    }
}

/// The messages that a messenger received.
unsafe extern "system" fn heard(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    message: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut std::ffi::c_void,
) -> vk::Bool32 {
    assert_eq!(severity, vk::DebugUtilsMessageSeverityFlagsEXT::ERROR);
    unsafe {
        let text = (*message).message_as_c_str().unwrap().to_string_lossy();
        (*user.cast::<Vec<String>>()).push(text.into_owned());
    }
    vk::FALSE
}

#[test]
fn debug_messengers_receive_shader_errors() {
    let entry = entry();
    let names = [ash::ext::debug_utils::NAME.as_ptr()];
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
    let info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_extension_names(&names);
    unsafe {
        let instance = entry.create_instance(&info, NONE).unwrap();
        let messengers = ash::ext::debug_utils::Instance::new(&entry, &instance);
        let mut said: [Vec<String>; 2] = Default::default();
        let errors = vk::DebugUtilsMessageSeverityFlagsEXT::ERROR;
        let warnings = vk::DebugUtilsMessageSeverityFlagsEXT::WARNING;
        let user = |said: &mut Vec<String>| (&raw mut *said).cast();
        let users = said.each_mut().map(user);
        let [first, second] = [(errors, users[0]), (warnings, users[1])].map(|(which, user)| {
            let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
                .message_severity(which)
                .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
                .pfn_user_callback(Some(heard))
                .user_data(user);
            let made = messengers.create_debug_utils_messenger(&info, NONE);
            made.unwrap()
        });
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let device = instance.create_device(physical, &info, NONE).unwrap();
        // Names and labels are taken.
        let labels = ash::ext::debug_utils::Device::new(&instance, &device);
        let queue = device.get_device_queue(0, 0);
        let label = vk::DebugUtilsLabelEXT::default().label_name(c"frame");
        labels.queue_insert_debug_utils_label(queue, &label);
        let name = vk::DebugUtilsObjectNameInfoEXT::default()
            .object_handle(queue)
            .object_name(c"the queue");
        labels.set_debug_utils_object_name(&name).unwrap();

        // A module that ends in the midst of a function.
        let mut words = crate::rig::fill();
        words.pop();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = device.create_shader_module(&info, NONE).unwrap();
        let layout = device
            .create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), NONE)
            .unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let infos = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)];
        let make = || device.create_compute_pipelines(vk::PipelineCache::null(), &infos, NONE);
        assert_eq!(make().unwrap_err().1, vk::Result::ERROR_INVALID_SHADER_NV);
        messengers.destroy_debug_utils_messenger(first, NONE);
        // The messenger is destroyed.
        assert_eq!(make().unwrap_err().1, vk::Result::ERROR_INVALID_SHADER_NV);
        messengers.destroy_debug_utils_messenger(second, NONE);
        device.destroy_shader_module(module, NONE);
        device.destroy_pipeline_layout(layout, NONE);
        device.destroy_device(NONE);
        instance.destroy_instance(NONE);
        let [first, second] = said;
        assert_eq!(first.len(), 1, "{first:?}");
        assert!(first[0].contains("OpFunctionEnd"), "{first:?}");
        assert!(second.is_empty());
    }
}

#[test]
fn messengers_in_the_instance_chain_receive_creation_and_destruction() {
    let entry = entry();
    let mut said = Vec::<String>::new();
    let messenger = |said: &mut Vec<String>| {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
            .pfn_user_callback(Some(heard))
            .user_data((&raw mut *said).cast())
    };
    unsafe {
        let names = [ash::ext::debug_utils::NAME, c"VK_KHR_surface_of_mars"].map(|n| n.as_ptr());
        let mut chained = messenger(&mut said);
        let info = vk::InstanceCreateInfo::default()
            .enabled_extension_names(&names)
            .push_next(&mut chained);
        let refused = entry.create_instance(&info, NONE).err();
        assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("VK_KHR_surface_of_mars"), "{said:?}");

        let mut chained = messenger(&mut said);
        let info = vk::InstanceCreateInfo::default()
            .enabled_extension_names(&names[..1])
            .push_next(&mut chained);
        let instance = entry.create_instance(&info, NONE).unwrap();
        let messengers = ash::ext::debug_utils::Instance::new(&entry, &instance);
        // It is there for creation and destruction alone.
        messengers.submit_debug_utils_message(
            vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
            &vk::DebugUtilsMessengerCallbackDataEXT::default().message(c"hello"),
        );
        assert_eq!(said.len(), 1);
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let device = instance.create_device(physical, &info, NONE).unwrap();
        instance.destroy_instance(NONE);
        assert_eq!(said.len(), 2);
        assert!(said[1].contains("before its devices"), "{said:?}");
        device.destroy_device(NONE);
    }
}

#[test]
fn device_procedures_require_enabled_extensions() {
    let found = |instance_names: &[&std::ffi::CStr], device_names: &[&std::ffi::CStr]| {
        let entry = entry();
        let names: Vec<_> = instance_names.iter().map(|name| name.as_ptr()).collect();
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&app)
            .enabled_extension_names(&names);
        unsafe {
            let instance = entry.create_instance(&info, NONE).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let names: Vec<_> = device_names.iter().map(|name| name.as_ptr()).collect();
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names);
            let device = instance.create_device(physical, &info, NONE).unwrap();
            let found = [
                c"vkQueueSubmit",
                c"vkSetDebugUtilsObjectNameEXT",
                c"vkCmdBeginDebugUtilsLabelEXT",
                c"vkCmdPushDescriptorSetKHR",
                c"vkCreateInstance",
                c"vkGetPhysicalDeviceProperties",
            ]
            .map(|name| {
                let get = instance.fp_v1_0().get_device_proc_addr;
                get(device.handle(), name.as_ptr()).is_some()
            });
            device.destroy_device(NONE);
            instance.destroy_instance(NONE);
            found
        }
    };
    let (utils, push) = (ash::ext::debug_utils::NAME, ash::khr::push_descriptor::NAME);
    assert_eq!(found(&[], &[]), [true, false, false, false, false, false]);
    assert_eq!(
        found(&[utils], &[]),
        [true, true, true, false, false, false]
    );
    assert_eq!(
        found(&[], &[push]),
        [true, false, false, true, false, false]
    );
}

/// What one side writes the other reads, in every type of memory, by the rules for that type.
#[test]
fn every_memory_type_is_coherent_with_the_gpu() {
    assert_eq!(
        [0, 1].map(|gpu| seen_from_both_sides(&Rig::on(gpu))),
        [2, 3]
    );
}

/// How many types there are.
fn seen_from_both_sides(rig: &Rig) -> u32 {
    let d = &rig.device;
    let types = unsafe {
        rig.instance
            .get_physical_device_memory_properties(rig.physical)
    };
    let coherent = |kind: &vk::MemoryType| {
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        kind.property_flags.contains(flags)
    };
    assert!(types.memory_types_as_slice().iter().any(coherent));
    let copied = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    for (index, kind) in (0..).zip(types.memory_types_as_slice()) {
        // The last type is for descriptor buffers.
        let usage = match index + 1 == types.memory_type_count {
            true => copied | vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT,
            false => copied,
        };
        unsafe {
            let info = vk::BufferCreateInfo::default().size(4096).usage(usage);
            let buffer = d.create_buffer(&info, None).unwrap();
            let wants = d.get_buffer_memory_requirements(buffer);
            assert!(wants.memory_type_bits & 1 << index != 0);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(wants.size)
                .memory_type_index(index);
            let memory = d.allocate_memory(&info, None).unwrap();
            d.bind_buffer_memory(buffer, memory, 0).unwrap();
            let flags = vk::MemoryMapFlags::empty();
            let data = d.map_memory(memory, 0, vk::WHOLE_SIZE, flags).unwrap();
            let data = std::slice::from_raw_parts_mut(data.cast::<u8>(), 4096);
            data[64..128].fill(42);
            let range = [vk::MappedMemoryRange::default()
                .memory(memory)
                .offset(64)
                .size(64)];
            d.flush_mapped_memory_ranges(&range).unwrap();
            rig.run(|commands| {
                let part = vk::BufferCopy {
                    src_offset: 64,
                    dst_offset: 1024,
                    size: 64,
                };
                d.cmd_copy_buffer(commands, buffer, buffer, &[part]);
            });
            let range = [vk::MappedMemoryRange::default()
                .memory(memory)
                .offset(1024)
                .size(vk::WHOLE_SIZE)];
            d.invalidate_mapped_memory_ranges(&range).unwrap();
            assert_eq!(data[1024..1088], [42; 64], "{:?}", kind.property_flags);
            d.destroy_buffer(buffer, None);
            d.free_memory(memory, None);
        }
    }
    types.memory_type_count
}
