//! Memory mapped at chosen addresses, markers in buffers, and reports of memory and addresses.

use std::ffi::{CStr, c_void};
use std::os::fd::AsFd;
use std::ptr::NonNull;

use ash::vk::Handle;
use ash::{ext, khr, vk};

use crate::compute::compute_pipeline;
use crate::rig::{Kernel, Rig, compile, entry};

const NONE: Option<&vk::AllocationCallbacks<'_>> = None;
const PAGE: usize = 4096;

/// A device with these extensions and this chain of features.
fn device(rig: &Rig, names: &[&CStr], chain: *const c_void) -> ash::Device {
    let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names);
    info.p_next = chain;
    unsafe { rig.instance.create_device(rig.physical, &info, NONE) }.unwrap()
}

/// Reserves addresses: that of the first byte.
fn reserved(bytes: usize) -> NonNull<c_void> {
    let file = sys::memfd(c"reserved", bytes as u64).unwrap();
    let mapping = sys::Mapping::map_device(file.as_fd(), 0, bytes).unwrap();
    let at = mapping.as_ptr().cast();
    mapping.reserve().unwrap();
    NonNull::new(at).unwrap()
}

/// The kernel's note of what is mapped at an address, such as `rw-s`; none if nothing is.
fn mapped_at(at: NonNull<c_void>) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let [from, to] = [from, to].map(|end| usize::from_str_radix(end, 16).unwrap());
        (from..to)
            .contains(&at.addr().get())
            .then(|| rest.split(' ').next().unwrap().to_owned())
    })
}

/// A device that maps memory where it is told, and its commands.
struct Places {
    rig: Rig,
    device: ash::Device,
    maps: khr::map_memory2::Device,
}

impl Places {
    fn new() -> Self {
        let rig = Rig::new();
        let mut features = vk::PhysicalDeviceMapMemoryPlacedFeaturesEXT::default()
            .memory_map_placed(true)
            .memory_unmap_reserve(true);
        let names = [khr::map_memory2::NAME, ext::map_memory_placed::NAME];
        let device = device(&rig, &names, (&raw mut features).cast());
        Self {
            maps: khr::map_memory2::Device::new(&rig.instance, &device),
            rig,
            device,
        }
    }

    fn memory(&self, bytes: usize) -> vk::DeviceMemory {
        let info = vk::MemoryAllocateInfo::default().allocation_size(bytes as u64);
        unsafe { self.device.allocate_memory(&info, NONE) }.unwrap()
    }

    fn map(
        &self,
        memory: vk::DeviceMemory,
        (offset, size): (u64, u64),
        place: Option<NonNull<c_void>>,
    ) -> Result<*mut u32, vk::Result> {
        let mut placed = vk::MemoryMapPlacedInfoEXT::default();
        let mut info = vk::MemoryMapInfoKHR::default()
            .memory(memory)
            .offset(offset)
            .size(size);
        if let Some(place) = place {
            placed.p_placed_address = place.as_ptr();
            info.flags = vk::MemoryMapFlags::PLACED_EXT;
            info = info.push_next(&mut placed);
        }
        let mut data = std::ptr::null_mut();
        let device = self.device.handle();
        let map = self.maps.fp().map_memory2_khr;
        let mapped = unsafe { map(device, &raw const info, &raw mut data) };
        mapped.result_with_success(data.cast())
    }

    fn unmap(&self, memory: vk::DeviceMemory, flags: vk::MemoryUnmapFlagsKHR) {
        let info = vk::MemoryUnmapInfoKHR::default()
            .memory(memory)
            .flags(flags);
        let unmap = self.maps.fp().unmap_memory2_khr;
        let unmapped = unsafe { unmap(self.device.handle(), &raw const info) };
        unmapped.result().unwrap();
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        unsafe { self.device.destroy_device(NONE) };
        assert!(self.rig.pool != vk::CommandPool::null());
    }
}

const RESERVE: vk::MemoryUnmapFlagsKHR = vk::MemoryUnmapFlagsKHR::RESERVE_EXT;
const WHOLE: (u64, u64) = (0, vk::WHOLE_SIZE);

#[test]
fn memory_is_mapped_where_the_application_says() {
    let places = Places::new();
    let mut limits = vk::PhysicalDeviceMapMemoryPlacedPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
    let (instance, physical) = (&places.rig.instance, places.rig.physical);
    unsafe { instance.get_physical_device_properties2(physical, &mut all) };
    assert_eq!(limits.min_placed_memory_map_alignment, PAGE as u64);
    // The pages before and behind stay as they are.
    let around = reserved(4 * PAGE);
    let place = unsafe { around.byte_add(PAGE) };
    let memory = places.memory(2 * PAGE);
    let data = places.map(memory, WHOLE, Some(place)).unwrap();
    assert_eq!(data.cast(), place.as_ptr());
    unsafe { data.add(1025).write(0x1234_5678) };
    let end = unsafe { around.byte_add(3 * PAGE) };
    assert_eq!(
        [around, place, end].map(|at| mapped_at(at).unwrap()),
        ["---p", "rw-s", "---p"]
    );
    // What was written is in the memory, wherever that is mapped.
    places.unmap(memory, RESERVE);
    assert_eq!(mapped_at(place).unwrap(), "---p");
    let data = places.map(memory, (4096, 4096), None).unwrap();
    assert_ne!(data.cast(), unsafe { place.byte_add(PAGE) }.as_ptr());
    assert_eq!(unsafe { data.add(1).read() }, 0x1234_5678);
    places.unmap(memory, vk::MemoryUnmapFlagsKHR::empty());
    // The reserved addresses can be used again, and without the flag they are nobody's.
    let data = places.map(memory, WHOLE, Some(place)).unwrap();
    assert_eq!(unsafe { data.add(1025).read() }, 0x1234_5678);
    places.unmap(memory, vk::MemoryUnmapFlagsKHR::empty());
    assert_eq!(mapped_at(place), None);
    unsafe { places.device.free_memory(memory, NONE) };
}

#[test]
fn addresses_stay_reserved_behind_memory_that_is_gone() {
    let places = Places::new();
    let memory = places.memory(3 * PAGE);
    let at = places.map(memory, WHOLE, None).unwrap();
    let at = NonNull::new(at.cast::<c_void>()).unwrap();
    places.unmap(memory, RESERVE);
    unsafe { places.device.free_memory(memory, NONE) };
    assert_eq!(mapped_at(at).unwrap(), "---p");
    // Freeing memory ends a mapping that is there.
    let memory = places.memory(3 * PAGE);
    places.map(memory, WHOLE, Some(at)).unwrap();
    assert_eq!(mapped_at(at).unwrap(), "rw-s");
    unsafe { places.device.free_memory(memory, NONE) };
    assert_eq!(mapped_at(at), None);
}

#[test]
fn parts_and_addresses_within_pages_cannot_be_placed() {
    let places = Places::new();
    let memory = places.memory(2 * PAGE);
    let place = reserved(2 * PAGE);
    let inside = unsafe { place.byte_add(64) };
    let failed = Err(vk::Result::ERROR_MEMORY_MAP_FAILED);
    assert_eq!(places.map(memory, (0, 4096), Some(place)), failed);
    assert_eq!(places.map(memory, (4096, 4096), Some(place)), failed);
    assert_eq!(places.map(memory, WHOLE, Some(inside)), failed);
    assert_eq!(mapped_at(place).unwrap(), "---p");
    // Nothing is mapped, so that the memory can be.
    assert!(places.map(memory, (0, 8192), Some(place)).is_ok());
    assert_eq!(places.map(memory, WHOLE, None), failed);
    unsafe { places.device.free_memory(memory, NONE) };
}

/// Counts to 40,000, and stores that.
const SLOW: &str = "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint stored[]; };
void main() { for (uint i = 0; i < 40000; i++) stored[0] += 1; }";

/// Copies the marker in dword 8 to dword 1: what a shader sees of it.
const READS: &str = "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint stored[]; };
void main() { stored[1] = stored[8]; }";

#[test]
fn markers_are_written_once_their_stage_is_done() {
    let rig = Rig::new();
    let get = |name: &CStr| unsafe {
        let get = rig
            .instance
            .get_device_proc_addr(rig.device.handle(), name.as_ptr());
        get.unwrap()
    };
    type Found = unsafe extern "system" fn();
    let (first, second) = unsafe {
        (
            std::mem::transmute::<Found, vk::PFN_vkCmdWriteBufferMarkerAMD>(get(
                c"vkCmdWriteBufferMarkerAMD",
            )),
            std::mem::transmute::<Found, vk::PFN_vkCmdWriteBufferMarker2AMD>(get(
                c"vkCmdWriteBufferMarker2AMD",
            )),
        )
    };
    let out = rig.buffer(64);
    out.data.copy_from_slice(&[0xee; 64]);
    out.data[..4].fill(0);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let cache = vk::PipelineCache::null();
    let slow = Kernel::new(&rig, &compile(SLOW), kind, &[&out], cache);
    let (layout, reads) = compute_pipeline(&rig, READS, slow.set_layout);
    let point = vk::PipelineBindPoint::COMPUTE;
    rig.run(|commands| unsafe {
        let d = &rig.device;
        d.cmd_bind_pipeline(commands, point, slow.pipeline);
        d.cmd_bind_descriptor_sets(commands, point, slow.layout, 0, &[slow.set], &[]);
        d.cmd_dispatch(commands, 1, 1, 1);
        let late = vk::PipelineStageFlags::COMPUTE_SHADER;
        first(commands, late, out.buffer, 32, 0xabcd_ef01);
        let early = vk::PipelineStageFlags2::TOP_OF_PIPE;
        second(commands, early, out.buffer, 40, 7);
        let late = vk::PipelineStageFlags2::BOTTOM_OF_PIPE;
        second(commands, late, out.buffer, 44, 9);
        rig.barrier(commands);
        d.cmd_bind_pipeline(commands, point, reads);
        d.cmd_dispatch(commands, 1, 1, 1);
    });
    // Each marker is one dword, and its neighbours keep their values.
    let rest = 0xeeee_eeee;
    assert_eq!(
        out.dwords(),
        [
            40_000,
            0xabcd_ef01,
            rest,
            rest,
            rest,
            rest,
            rest,
            rest,
            0xabcd_ef01,
            rest,
            7,
            9,
            rest,
            rest,
            rest,
            rest
        ]
    );
    unsafe {
        rig.device.destroy_pipeline(reads, NONE);
        rig.device.destroy_pipeline_layout(layout, NONE);
    }
    slow.destroy(&rig);
}

/// What a callback of memory received: kind, number, bytes, type and handle of the object.
type Event = (
    vk::DeviceMemoryReportEventTypeEXT,
    u64,
    u64,
    vk::ObjectType,
    u64,
);

unsafe extern "system" fn reported(
    data: *const vk::DeviceMemoryReportCallbackDataEXT<'_>,
    user: *mut c_void,
) {
    let events = unsafe { &*user.cast::<std::sync::Mutex<Vec<Event>>>() };
    let data = unsafe { &*data };
    assert_eq!(data.heap_index, 0);
    let event = (
        data.ty,
        data.memory_object_id,
        data.size,
        data.object_type,
        data.object_handle,
    );
    events.lock().unwrap().push(event);
}

#[test]
fn memory_of_applications_and_of_the_driver_is_reported() {
    use vk::DeviceMemoryReportEventTypeEXT as Kind;
    let rig = Rig::new();
    let events = std::sync::Mutex::new(Vec::<Event>::new());
    let mut features =
        vk::PhysicalDeviceDeviceMemoryReportFeaturesEXT::default().device_memory_report(true);
    let mut report = vk::DeviceDeviceMemoryReportCreateInfoEXT {
        p_next: (&raw mut features).cast(),
        pfn_user_callback: Some(reported),
        p_user_data: (&raw const events).cast_mut().cast(),
        ..Default::default()
    };
    let names = [
        ext::device_memory_report::NAME,
        khr::external_memory_fd::NAME,
    ];
    let d = device(&rig, &names, (&raw mut report).cast());
    let device = d.handle().as_raw();
    let files = khr::external_memory_fd::Device::new(&rig.instance, &d);
    let kind = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    let (first, second) = unsafe {
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(kind);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(10_000)
            .push_next(&mut export);
        let first = d.allocate_memory(&info, NONE).unwrap();
        let info = vk::MemoryGetFdInfoKHR::default()
            .memory(first)
            .handle_type(kind);
        let fd = files.get_memory_fd(&info).unwrap();
        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(kind)
            .fd(fd);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(10_000)
            .push_next(&mut import);
        let second = d.allocate_memory(&info, NONE).unwrap();
        let info = vk::MemoryAllocateInfo::default().allocation_size(1 << 60);
        assert!(d.allocate_memory(&info, NONE).is_err());
        d.free_memory(second, NONE);
        d.free_memory(first, NONE);
        d.destroy_device(NONE);
        (first, second)
    };
    let events = events.into_inner().unwrap();
    let (own, driver): (Vec<Event>, Vec<Event>) = events
        .iter()
        .partition(|event| event.3 == vk::ObjectType::DEVICE_MEMORY);
    let number = own[0].1;
    // The import is the same memory.
    let of = |kind, number, bytes, memory: vk::DeviceMemory| {
        (
            kind,
            number,
            bytes,
            vk::ObjectType::DEVICE_MEMORY,
            memory.as_raw(),
        )
    };
    assert_eq!(
        own,
        [
            of(Kind::ALLOCATE, number, 12_288, first),
            of(Kind::IMPORT, number, 12_288, second),
            of(
                Kind::ALLOCATION_FAILED,
                0,
                1 << 60,
                vk::DeviceMemory::null()
            ),
            of(Kind::UNIMPORT, number, 12_288, second),
            of(Kind::FREE, number, 12_288, first),
        ]
    );
    // Whatever the driver allocates for itself is freed with the device.
    let mut live = std::collections::BTreeMap::new();
    for (kind, number, bytes, object, handle) in driver {
        assert_eq!((object, handle), (vk::ObjectType::DEVICE, device));
        match kind {
            Kind::ALLOCATE => assert_eq!(live.insert(number, bytes), None),
            Kind::FREE => assert_eq!(live.remove(&number), Some(bytes)),
            other => panic!("{other:?}"),
        }
    }
    assert!(live.is_empty(), "{live:?}");
    assert!(events.iter().any(|event| event.3 == vk::ObjectType::DEVICE));
}

/// What a messenger received: type of the object, its handle, address, bytes, whether bound.
type Binding = (vk::ObjectType, u64, u64, u64, bool);

unsafe extern "system" fn bound(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    message: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    use vk::DebugUtilsMessageTypeFlagsEXT as Types;
    assert_eq!(severity, vk::DebugUtilsMessageSeverityFlagsEXT::INFO);
    assert_eq!(types, Types::DEVICE_ADDRESS_BINDING);
    unsafe {
        let data = &*(*message)
            .p_next
            .cast::<vk::DeviceAddressBindingCallbackDataEXT<'_>>();
        assert_eq!(
            data.s_type,
            vk::StructureType::DEVICE_ADDRESS_BINDING_CALLBACK_DATA_EXT
        );
        assert!(data.flags.is_empty() && (*message).object_count == 1);
        let object = &*(*message).p_objects;
        let bound = data.binding_type == vk::DeviceAddressBindingTypeEXT::BIND;
        let binding = (
            object.object_type,
            object.object_handle,
            data.base_address,
            data.size,
            bound,
        );
        (*user.cast::<Vec<Binding>>()).push(binding);
    }
    vk::FALSE
}

#[test]
fn bindings_of_addresses_are_reported() {
    let entry = entry();
    let names = [ext::debug_utils::NAME.as_ptr()];
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_extension_names(&names);
    unsafe {
        let instance = entry.create_instance(&info, NONE).unwrap();
        let messengers = ext::debug_utils::Instance::new(&entry, &instance);
        let mut said = Vec::<Binding>::new();
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::INFO)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::DEVICE_ADDRESS_BINDING)
            .pfn_user_callback(Some(bound))
            .user_data((&raw mut said).cast());
        let messenger = messengers
            .create_debug_utils_messenger(&info, NONE)
            .unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let names = [ext::device_address_binding_report::NAME.as_ptr()];
        let mut addresses =
            vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
        let mut handles = [[0; 3]; 2];
        let mut address = 0;
        let mut image_bytes = 0;
        // Only the second device reports.
        for (handles, report) in handles.iter_mut().zip([false, true]) {
            let mut features = vk::PhysicalDeviceAddressBindingReportFeaturesEXT::default()
                .report_address_binding(report);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(&mut addresses)
                .push_next(&mut features);
            let d = instance.create_device(physical, &info, NONE).unwrap();
            let mut flags = vk::MemoryAllocateFlagsInfo::default()
                .flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(1 << 16)
                .push_next(&mut flags);
            let memory = d.allocate_memory(&info, NONE).unwrap();
            let info = vk::BufferCreateInfo::default()
                .size(1000)
                .usage(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
            let buffer = d.create_buffer(&info, NONE).unwrap();
            d.bind_buffer_memory(buffer, memory, 4096).unwrap();
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            address = d.get_buffer_device_address(&info);
            let info = crate::textures::image_info(vk::Format::R8_UINT, [16, 16, 1], 1, 1);
            let image = d.create_image(&info, NONE).unwrap();
            image_bytes = d.get_image_memory_requirements(image).size;
            let info = [vk::BindImageMemoryInfo::default()
                .image(image)
                .memory(memory)
                .memory_offset(8192)];
            d.bind_image_memory2(&info).unwrap();
            d.destroy_image(image, NONE);
            d.destroy_buffer(buffer, NONE);
            d.free_memory(memory, NONE);
            d.destroy_device(NONE);
            *handles = [memory.as_raw(), buffer.as_raw(), image.as_raw()];
        }
        messengers.destroy_debug_utils_messenger(messenger, NONE);
        instance.destroy_instance(NONE);
        let [memory, buffer, image] = handles[1];
        let memory = |bound| {
            let kind = vk::ObjectType::DEVICE_MEMORY;
            (kind, memory, address - 4096, 1 << 16, bound)
        };
        let buffer = |bound| (vk::ObjectType::BUFFER, buffer, address, 1000, bound);
        let image = |bound| {
            let kind = vk::ObjectType::IMAGE;
            (kind, image, address + 4096, image_bytes, bound)
        };
        assert_eq!(
            said,
            [
                memory(true),
                buffer(true),
                image(true),
                image(false),
                buffer(false),
                memory(false)
            ]
        );
    }
}

/// `VkPhysicalDeviceImageAlignmentControlPropertiesMESA`.
#[repr(C)]
struct Alignments {
    s_type: vk::StructureType,
    p_next: *mut std::ffi::c_void,
    mask: u32,
}

/// `VkImageAlignmentControlCreateInfoMESA`.
#[repr(C)]
struct AlignmentControl {
    s_type: vk::StructureType,
    p_next: *const std::ffi::c_void,
    largest: u32,
}

#[test]
fn images_are_aligned_to_what_was_asked_for() {
    let rig = Rig::new();
    let mut found = Alignments {
        s_type: vk::StructureType::from_raw(1_000_575_001),
        p_next: std::ptr::null_mut(),
        mask: 0,
    };
    let mut all = vk::PhysicalDeviceProperties2 {
        p_next: (&raw mut found).cast(),
        ..Default::default()
    };
    unsafe {
        let (instance, physical) = (&rig.instance, rig.physical);
        instance.get_physical_device_properties2(physical, &mut all);
    }
    assert_eq!(found.mask, 4096);
    use vk::ImageUsageFlags as U;
    for (format, extent, samples, usage) in [
        (
            vk::Format::R8G8B8A8_UNORM,
            [700, 500, 1],
            1,
            U::COLOR_ATTACHMENT | U::SAMPLED,
        ),
        (
            vk::Format::R8G8B8A8_UNORM,
            [700, 500, 1],
            8,
            U::COLOR_ATTACHMENT,
        ),
        (
            vk::Format::R32G32B32A32_SFLOAT,
            [64, 64, 64],
            1,
            U::SAMPLED | U::STORAGE,
        ),
        (
            vk::Format::D32_SFLOAT_S8_UINT,
            [900, 900, 1],
            4,
            U::DEPTH_STENCIL_ATTACHMENT,
        ),
        (vk::Format::BC7_UNORM_BLOCK, [1024, 1024, 1], 1, U::SAMPLED),
    ] {
        let info = crate::textures::image_info(format, extent, 1, 1)
            .samples(vk::SampleCountFlags::from_raw(samples))
            .usage(usage);
        let control = AlignmentControl {
            s_type: vk::StructureType::from_raw(1_000_575_002),
            p_next: info.p_next,
            largest: 4096,
        };
        let info = vk::ImageCreateInfo {
            p_next: (&raw const control).cast(),
            ..info
        };
        unsafe {
            let image = rig.device.create_image(&info, None).unwrap();
            let wants = rig.device.get_image_memory_requirements(image);
            assert_eq!(wants.alignment, 4096, "{format:?} {extent:?}");
            rig.device.destroy_image(image, None);
        }
    }
}
