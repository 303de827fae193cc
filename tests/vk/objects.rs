//! Queries, objects, errors of creation, caches.

use ash::vk;
use ash::vk::Handle;

use crate::rig::{Kernel, Rig, entry};

#[test]
fn the_device_reports_its_identity() {
    let rig = Rig::new();
    let properties = unsafe { rig.instance.get_physical_device_properties(rig.physical) };
    let name = properties.device_name_as_c_str().unwrap().to_str().unwrap();
    assert_eq!(name, "Intel(R) HD Graphics 530 (SKL GT2) [Ingot]");
    assert_eq!(
        properties.device_type,
        vk::PhysicalDeviceType::INTEGRATED_GPU
    );
    assert_eq!(
        (properties.vendor_id, properties.device_id),
        (0x8086, 0x1912)
    );
    assert_eq!(vk::api_version_major(properties.api_version), 1);
    assert_eq!(vk::api_version_minor(properties.api_version), 4);
    assert_eq!(properties.limits.max_compute_work_group_invocations, 1024);
    let families = unsafe {
        rig.instance
            .get_physical_device_queue_family_properties(rig.physical)
    };
    assert_eq!(families.len(), 1);
    assert_eq!(
        families[0].queue_flags,
        vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER
    );
    let memory = unsafe {
        rig.instance
            .get_physical_device_memory_properties(rig.physical)
    };
    assert!(memory.memory_heaps[0].size >= 1 << 29);
    assert!(
        memory.memory_types[0].property_flags.contains(
            vk::MemoryPropertyFlags::HOST_COHERENT | vk::MemoryPropertyFlags::DEVICE_LOCAL
        )
    );
}

#[test]
fn known_pnext_structures_are_filled_and_unknown_ones_skipped() {
    let rig = Rig::new();
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut ids = vk::PhysicalDeviceIDProperties::default();
    // Of an extension that the driver does not have: it must stay as it was.
    let mut stranger = vk::PhysicalDeviceMeshShaderPropertiesNV {
        max_draw_mesh_tasks_count: 77,
        ..Default::default()
    };
    let mut properties = vk::PhysicalDeviceProperties2::default()
        .push_next(&mut subgroup)
        .push_next(&mut stranger)
        .push_next(&mut ids);
    unsafe {
        rig.instance
            .get_physical_device_properties2(rig.physical, &mut properties)
    };
    assert_eq!(subgroup.subgroup_size, 32);
    assert_ne!(ids.device_uuid, [0; 16]);
    assert_eq!(stranger.max_draw_mesh_tasks_count, 77);

    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
    let mut protected = vk::PhysicalDeviceProtectedMemoryFeatures::default().protected_memory(true);
    let mut features = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut timeline)
        .push_next(&mut protected);
    unsafe {
        rig.instance
            .get_physical_device_features2(rig.physical, &mut features)
    };
    assert_eq!(features.features.robust_buffer_access, vk::TRUE);
    assert_eq!(
        (timeline.timeline_semaphore, protected.protected_memory),
        (vk::TRUE, vk::FALSE)
    );
}

#[test]
fn memory_requirements_are_known_before_buffer_creation() {
    let rig = Rig::new();
    let d = &rig.device;
    let maintenance = ash::khr::maintenance4::Device::new(&rig.instance, d);
    for (bytes, usage) in [
        (61, vk::BufferUsageFlags::TRANSFER_DST),
        (1 << 20, vk::BufferUsageFlags::UNIFORM_BUFFER),
    ] {
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        let ask = vk::DeviceBufferMemoryRequirements::default().create_info(&info);
        let mut found = vk::MemoryRequirements2::default();
        unsafe {
            (maintenance.fp().get_device_buffer_memory_requirements_khr)(
                d.handle(),
                &ask,
                &mut found,
            );
            let buffer = d.create_buffer(&info, None).unwrap();
            let made = d.get_buffer_memory_requirements(buffer);
            assert_eq!(found.memory_requirements.size, made.size);
            assert_eq!(found.memory_requirements.alignment, made.alignment);
            assert_eq!(
                found.memory_requirements.memory_type_bits,
                made.memory_type_bits
            );
            d.destroy_buffer(buffer, None);
        }
    }
    let mut most = vk::PhysicalDeviceMaintenance4Properties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut most);
    unsafe {
        rig.instance
            .get_physical_device_properties2(rig.physical, &mut properties)
    };
    let make = |size| unsafe {
        let info = vk::BufferCreateInfo::default().size(size);
        d.create_buffer(&info, None)
            .map(|buffer| d.destroy_buffer(buffer, None))
    };
    assert_eq!(make(most.max_buffer_size), Ok(()));
    assert_eq!(
        make(most.max_buffer_size + 1),
        Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)
    );
}

#[test]
fn every_core_function_of_1_1_resolves() {
    let rig = Rig::new();
    let resolve = |name: &std::ffi::CStr| unsafe {
        (rig.instance.fp_v1_0().get_device_proc_addr)(rig.device.handle(), name.as_ptr()).is_some()
    };
    for name in [
        c"vkCmdDraw",
        c"vkCreateImage",
        c"vkCmdDispatchBase",
        c"vkTrimCommandPool",
        c"vkGetDeviceProcAddr",
    ] {
        assert!(resolve(name), "{name:?}");
    }
    // Not enabled, not of a device, not there.
    for name in [
        c"vkBindBufferMemory2KHR",
        c"vkCreateInstance",
        c"vkGetPhysicalDeviceProperties",
        c"vkCreateSwapchainKHR",
    ] {
        assert!(!resolve(name), "{name:?}");
    }
}

#[test]
fn unsupported_features_are_rejected() {
    let entry = entry();
    let layers = [c"VK_LAYER_of_paint".as_ptr()];
    let info = vk::InstanceCreateInfo::default().enabled_layer_names(&layers);
    let refused = unsafe { entry.create_instance(&info, None) }.err();
    assert_eq!(refused, Some(vk::Result::ERROR_LAYER_NOT_PRESENT));

    let rig = Rig::new();
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
    let names = [c"VK_KHR_ray_tracing_pipeline".as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names);
    let refused = unsafe { rig.instance.create_device(rig.physical, &info, None) }.err();
    assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    let features = vk::PhysicalDeviceFeatures::default().sparse_binding(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_features(&features);
    let refused = unsafe { rig.instance.create_device(rig.physical, &info, None) }.err();
    assert_eq!(refused, Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));

    // Who is drawn to nowhere is no input of later passes either.
    for (format, usage) in [
        (vk::Format::B8G8R8_UNORM, vk::ImageUsageFlags::SAMPLED),
        (
            vk::Format::R16G16B16_SINT,
            vk::ImageUsageFlags::INPUT_ATTACHMENT,
        ),
    ] {
        let image = unsafe {
            rig.instance.get_physical_device_image_format_properties(
                rig.physical,
                format,
                vk::ImageType::TYPE_2D,
                vk::ImageTiling::OPTIMAL,
                usage,
                vk::ImageCreateFlags::empty(),
            )
        };
        assert_eq!(image.err(), Some(vk::Result::ERROR_FORMAT_NOT_SUPPORTED));
    }
    let info = vk::MemoryAllocateInfo::default().allocation_size(1 << 60);
    let memory = unsafe { rig.device.allocate_memory(&info, None) };
    assert_eq!(memory.err(), Some(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    let info = vk::ShaderModuleCreateInfo::default().code(&[1, 2, 3]);
    assert!(unsafe { rig.device.create_shader_module(&info, None) }.is_err());
}

#[test]
fn failed_command_is_reported_by_end_command_buffer() {
    let rig = Rig::new();
    let commands = rig.command_buffer(vk::CommandBufferLevel::PRIMARY);
    let ended = rig.record_into(commands, |commands| unsafe {
        rig.device.cmd_draw(commands, 3, 1, 0, 0)
    });
    assert_eq!(ended, Err(vk::Result::ERROR_UNKNOWN));
    // It can be recorded again.
    assert_eq!(rig.record_into(commands, |_| ()), Ok(()));
}

#[test]
fn memory_is_zeroed_retained_and_freed() {
    let rig = Rig::new();
    for _ in 0..3 {
        let buffer = rig.buffer(10_000);
        assert!(buffer.data.iter().all(|&byte| byte == 0));
        buffer.data.fill(0xa5);
        unsafe {
            rig.device.unmap_memory(buffer.memory);
            let again = rig
                .device
                .map_memory(buffer.memory, 4096, 16, vk::MemoryMapFlags::empty())
                .unwrap();
            assert_eq!(again.cast::<u8>().read(), 0xa5);
            let twice = rig
                .device
                .map_memory(buffer.memory, 0, 16, vk::MemoryMapFlags::empty());
            assert_eq!(twice.err(), Some(vk::Result::ERROR_MEMORY_MAP_FAILED));
        }
    }
}

#[test]
fn descriptor_pool_memory_follows_allocated_sets() {
    const POOLS: usize = 256;
    // The largest sets that are in the heap.
    const DESCRIPTORS: u32 = 1 << 14;
    let rig = Rig::new();
    let d = &rig.device;
    unsafe {
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(DESCRIPTORS)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layouts = [d.create_descriptor_set_layout(&info, None).unwrap()];
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(DESCRIPTORS)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        // A device has a quarter of these surfaces: pools can be made, and sets until there are no
        // more.
        let make = |_| d.create_descriptor_pool(&info, None).unwrap();
        let pools: Vec<_> = (0..POOLS).map(make).collect();
        let set = |pool: vk::DescriptorPool| {
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            d.allocate_descriptor_sets(&info).map(|_| ())
        };
        let made = pools.iter().take_while(|&&pool| set(pool).is_ok()).count();
        assert!((8..POOLS).contains(&made), "{made} sets");
        assert_eq!(
            set(pools[made]),
            Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)
        );
        // What one gives back, another may have.
        d.destroy_descriptor_pool(pools[0], None);
        assert_eq!(set(pools[made]), Ok(()));
        for &pool in &pools[1..] {
            d.destroy_descriptor_pool(pool, None);
        }
        d.destroy_descriptor_set_layout(layouts[0], None);
    }
}

#[test]
fn descriptor_pool_exhaustion_and_reset() {
    let rig = Rig::new();
    let d = &rig.device;
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    unsafe {
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(kind)
            .descriptor_count(3)];
        let layout = d.create_descriptor_set_layout(
            &vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings),
            None,
        );
        let layouts = [layout.unwrap()];
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(kind)
            .descriptor_count(7)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(9)
            .pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        let first = d.allocate_descriptor_sets(&info).unwrap();
        d.allocate_descriptor_sets(&info).unwrap();
        assert_eq!(
            d.allocate_descriptor_sets(&info).err(),
            Some(vk::Result::ERROR_OUT_OF_POOL_MEMORY)
        );
        d.free_descriptor_sets(pool, &first).unwrap();
        d.allocate_descriptor_sets(&info).unwrap();
        d.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty())
            .unwrap();
        let sets = d.allocate_descriptor_sets(&info).unwrap();
        assert!(!sets[0].is_null());
        d.destroy_descriptor_pool(pool, None);
        d.destroy_descriptor_set_layout(layouts[0], None);
    }
}

#[test]
fn freed_sets_can_be_reused_by_any_layout() {
    let rig = Rig::new();
    let d = &rig.device;
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    unsafe {
        let layout = |kind, count| {
            let bindings = [vk::DescriptorSetLayoutBinding::default()
                .descriptor_type(kind)
                .descriptor_count(count)];
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            d.create_descriptor_set_layout(&info, None).unwrap()
        };
        let dynamic = vk::DescriptorType::STORAGE_BUFFER_DYNAMIC;
        let [small, large, changing] = [layout(kind, 1), layout(kind, 2), layout(dynamic, 1)];
        let size = |kind, count| {
            vk::DescriptorPoolSize::default()
                .ty(kind)
                .descriptor_count(count)
        };
        let sizes = [size(kind, 2), size(dynamic, 1)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .flags(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET)
            .max_sets(2)
            .pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let allocate = |layouts: &[vk::DescriptorSetLayout]| {
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(layouts);
            d.allocate_descriptor_sets(&info)
        };
        let full = Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY);
        for _ in 0..3 {
            // All of the room goes to two, to one, and to two again; in between there is none left,
            // and those of a failure are freed.
            let two = allocate(&[small, small]).unwrap();
            assert_ne!(two[0], two[1]);
            assert_eq!(allocate(&[small]), full);
            d.free_descriptor_sets(pool, &two).unwrap();
            assert_eq!(allocate(&[small, large]), full);
            let one = allocate(&[large]).unwrap();
            assert_eq!(allocate(&[small]), full);
            d.free_descriptor_sets(pool, &one).unwrap();
            let both = allocate(&[changing, small]).unwrap();
            d.free_descriptor_sets(pool, &both).unwrap();
        }
        // A destroyed layout equals no other, even if the next has the same address.
        let last = allocate(&[small]).unwrap();
        d.free_descriptor_sets(pool, &last).unwrap();
        d.destroy_descriptor_set_layout(small, None);
        let again = layout(kind, 2);
        let set = allocate(&[again]).unwrap();
        assert_eq!(allocate(&[large]), full);
        d.free_descriptor_sets(pool, &set).unwrap();
        d.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty())
            .unwrap();
        allocate(&[large]).unwrap();
        d.destroy_descriptor_pool(pool, None);
        for layout in [large, changing, again] {
            d.destroy_descriptor_set_layout(layout, None);
        }
    }
}

#[test]
fn pipeline_cache_data_round_trip() {
    let rig = Rig::new();
    let d = &rig.device;
    let words = crate::rig::fill();
    let buffer = rig.buffer(256);
    unsafe {
        let cache = d
            .create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None)
            .unwrap();
        let empty = d.get_pipeline_cache_data(cache).unwrap().len();
        let kernel = Kernel::new(
            &rig,
            &words,
            vk::DescriptorType::STORAGE_BUFFER,
            &[&buffer],
            cache,
        );
        let data = d.get_pipeline_cache_data(cache).unwrap();
        assert!(data.len() > empty + 64);
        let info = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        let loaded = d.create_pipeline_cache(&info, None).unwrap();
        assert_eq!(d.get_pipeline_cache_data(loaded).unwrap(), data);
        // The same pipeline adds nothing: it was found.
        let other = Kernel::new(
            &rig,
            &words,
            vk::DescriptorType::STORAGE_BUFFER,
            &[&buffer],
            loaded,
        );
        assert_eq!(d.get_pipeline_cache_data(loaded).unwrap(), data);
        let merged = d
            .create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None)
            .unwrap();
        d.merge_pipeline_caches(merged, &[cache, loaded]).unwrap();
        assert_eq!(d.get_pipeline_cache_data(merged).unwrap(), data);
        other.destroy(&rig);
        kernel.destroy(&rig);
        for cache in [cache, loaded, merged] {
            d.destroy_pipeline_cache(cache, None);
        }
    }
}

#[test]
fn pipeline_executables_report_statistics() {
    let rig = Rig::new();
    let buffer = rig.buffer(256);
    let words = crate::rig::compile(
        "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer From { uint from[]; };
layout(std430, binding = 1) buffer To { uint to[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    to[i] = from[i ^ 1u] * 3u + i;
}",
    );
    let kernel = Kernel::new(
        &rig,
        &words,
        vk::DescriptorType::STORAGE_BUFFER,
        &[&buffer, &buffer],
        vk::PipelineCache::null(),
    );
    let executables =
        ash::khr::pipeline_executable_properties::Device::new(&rig.instance, &rig.device);
    unsafe {
        let info = vk::PipelineInfoKHR::default().pipeline(kernel.pipeline);
        let found = executables
            .get_pipeline_executable_properties(&info)
            .unwrap();
        assert!(!found.is_empty());
        assert!(matches!(found[0].subgroup_size, 8 | 16 | 32));
        let value = |name| rig.statistic(kernel.pipeline, name);
        assert!(value(c"Instruction Count") > 10);
        assert!(value(c"SEND Count") >= 3);
        assert!(value(c"Cycle Count") > 10);
        assert_eq!(value(c"SIMD Width"), u64::from(found[0].subgroup_size));
    }
    kernel.destroy(&rig);
}

#[test]
fn invalid_handles_are_errors() {
    let rig = Rig::new();
    let d = &rig.device;
    let buffer = rig.buffer(64);
    unsafe {
        // Null is nothing to destroy.
        d.destroy_buffer(vk::Buffer::null(), None);
        d.destroy_pipeline(vk::Pipeline::null(), None);
        d.free_memory(vk::DeviceMemory::null(), None);
        // A handle of another kind.
        let fence = vk::Fence::from_raw(buffer.buffer.as_raw());
        assert_eq!(d.get_fence_status(fence), Err(vk::Result::ERROR_UNKNOWN));
        let bound = d.bind_buffer_memory(
            buffer.buffer,
            vk::DeviceMemory::from_raw(buffer.buffer.as_raw()),
            0,
        );
        assert_eq!(bound, Err(vk::Result::ERROR_UNKNOWN));
        // It is still what it was.
        assert_eq!(d.get_buffer_memory_requirements(buffer.buffer).size, 64);
    }
}

#[test]
fn private_data_is_per_object() {
    let rig = Rig::new();
    let data = ash::ext::private_data::Device::new(&rig.instance, &rig.device);
    unsafe {
        let info = vk::PrivateDataSlotCreateInfo::default();
        let slots = [0; 2].map(|_| data.create_private_data_slot(&info, None).unwrap());
        let buffer = rig.buffer(64);
        assert_eq!(data.get_private_data(buffer.buffer, slots[0]), 0);
        data.set_private_data(buffer.buffer, slots[0], 7).unwrap();
        data.set_private_data(buffer.buffer, slots[1], 8).unwrap();
        data.set_private_data(buffer.buffer, slots[1], u64::MAX)
            .unwrap();
        data.set_private_data(rig.queue, slots[0], 9).unwrap();
        assert_eq!(data.get_private_data(buffer.buffer, slots[0]), 7);
        assert_eq!(data.get_private_data(buffer.buffer, slots[1]), u64::MAX);
        assert_eq!(data.get_private_data(rig.queue, slots[0]), 9);
        drop(buffer);
        // An object at the same address starts clean.
        for _ in 0..100 {
            let event = rig
                .device
                .create_event(&vk::EventCreateInfo::default(), None);
            let event = event.unwrap();
            assert_eq!(data.get_private_data(event, slots[0]), 0);
            data.set_private_data(event, slots[0], 5).unwrap();
            rig.device.destroy_event(event, None);
        }
        for slot in slots {
            data.destroy_private_data_slot(slot, None);
        }
    }
}

#[test]
fn heap_budget_is_enforced() {
    let rig = Rig::new();
    let used = || {
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut memory = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        // SAFETY: structures of the call's own.
        unsafe {
            rig.instance
                .get_physical_device_memory_properties2(rig.physical, &mut memory);
        }
        let heap = memory.memory_properties.memory_heaps[0].size;
        assert!(budget.heap_budget[0] > 0 && budget.heap_budget[0] <= heap);
        assert!(budget.heap_budget[1..].iter().all(|bytes| *bytes == 0));
        (heap, budget.heap_usage[0])
    };
    let (heap, before) = used();
    let info = vk::MemoryAllocateInfo::default().allocation_size(1 << 30);
    let mut all = Vec::new();
    // SAFETY: plain structures; what is allocated is freed below.
    let end = loop {
        match unsafe { rig.device.allocate_memory(&info, None) } {
            Ok(memory) => all.push(memory),
            Err(error) => break error,
        }
        assert!((all.len() as u64) << 30 <= heap);
        assert_eq!(used().1, before + ((all.len() as u64) << 30));
    };
    assert_eq!(end, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    assert_eq!(all.len() as u64, (heap - before) >> 30);
    for memory in all {
        // SAFETY: allocated above, freed once.
        unsafe { rig.device.free_memory(memory, None) };
    }
    assert_eq!(used().1, before);
}
