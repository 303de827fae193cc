//! Memory and synchronisation that leave the device as file descriptors.

use ash::vk;

use crate::rig::{Kernel, Rig, fill};

#[test]
fn memory_is_shared_between_devices() {
    let (exporter, importer) = (Rig::new(), Rig::new());
    let kind = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    unsafe {
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(kind);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(8192)
            .push_next(&mut export);
        let memory = exporter.device.allocate_memory(&info, None).unwrap();
        let files = ash::khr::external_memory_fd::Device::new(&exporter.instance, &exporter.device);
        let fd = files
            .get_memory_fd(
                &vk::MemoryGetFdInfoKHR::default()
                    .memory(memory)
                    .handle_type(kind),
            )
            .unwrap();
        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(kind)
            .fd(fd);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(8192)
            .push_next(&mut import);
        let imported = importer.device.allocate_memory(&info, None).unwrap();
        let map = |rig: &Rig, memory| {
            rig.device
                .map_memory(memory, 0, 8192, vk::MemoryMapFlags::empty())
                .unwrap()
                .cast::<u8>()
        };
        let (ours, theirs) = (map(&exporter, memory), map(&importer, imported));
        ours.add(5000).write_volatile(42);
        assert_eq!(theirs.add(5000).read_volatile(), 42);
        exporter.device.free_memory(memory, None);
        assert_eq!(theirs.add(5000).read_volatile(), 42);
        importer.device.free_memory(imported, None);

        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(kind)
            .fd(1_000_000);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(8192)
            .push_next(&mut import);
        let refused = importer.device.allocate_memory(&info, None);
        assert_eq!(
            refused.err(),
            Some(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE)
        );
    }
}

#[test]
fn fences_and_semaphores_are_shared() {
    let rig = Rig::new();
    let d = &rig.device;
    let fences = ash::khr::external_fence_fd::Device::new(&rig.instance, d);
    let semaphores = ash::khr::external_semaphore_fd::Device::new(&rig.instance, d);
    unsafe {
        let kind = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
        let (a, b) = (
            d.create_fence(&Default::default(), None).unwrap(),
            d.create_fence(&Default::default(), None).unwrap(),
        );
        let fd = fences
            .get_fence_fd(&vk::FenceGetFdInfoKHR::default().fence(a).handle_type(kind))
            .unwrap();
        let info = vk::ImportFenceFdInfoKHR::default()
            .fence(b)
            .handle_type(kind)
            .fd(fd);
        fences.import_fence_fd(&info).unwrap();
        d.queue_submit(rig.queue, &[], a).unwrap();
        d.wait_for_fences(&[b], true, u64::MAX).unwrap();

        let kind = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let (x, y) = (
            d.create_semaphore(&Default::default(), None).unwrap(),
            d.create_semaphore(&Default::default(), None).unwrap(),
        );
        let fd = semaphores
            .get_semaphore_fd(
                &vk::SemaphoreGetFdInfoKHR::default()
                    .semaphore(x)
                    .handle_type(kind),
            )
            .unwrap();
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(y)
            .handle_type(kind)
            .fd(fd);
        semaphores.import_semaphore_fd(&info).unwrap();
        let (signals, waits) = ([x], [y]);
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
        let submits = [
            vk::SubmitInfo::default().signal_semaphores(&signals),
            vk::SubmitInfo::default()
                .wait_semaphores(&waits)
                .wait_dst_stage_mask(&stages),
        ];
        d.reset_fences(&[a]).unwrap();
        d.queue_submit(rig.queue, &submits, a).unwrap();
        d.wait_for_fences(&[a], true, u64::MAX).unwrap();
        for fence in [a, b] {
            d.destroy_fence(fence, None);
        }
        for semaphore in [x, y] {
            d.destroy_semaphore(semaphore, None);
        }
    }
}

/// The payload of an exported object belongs to the importer after its destruction: it is not
/// recycled.
#[test]
fn exported_objects_are_not_recycled() {
    let (rig, other) = (Rig::new(), Rig::new());
    let d = &rig.device;
    let here = ash::khr::external_fence_fd::Device::new(&rig.instance, d);
    let there = ash::khr::external_fence_fd::Device::new(&other.instance, &other.device);
    let kind = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
    let make = |device: &ash::Device| unsafe { device.create_fence(&Default::default(), None) };
    unsafe {
        let (mine, theirs) = (make(d).unwrap(), make(&other.device).unwrap());
        let info = vk::FenceGetFdInfoKHR::default()
            .fence(mine)
            .handle_type(kind);
        let info = vk::ImportFenceFdInfoKHR::default()
            .fence(theirs)
            .handle_type(kind)
            .fd(here.get_fence_fd(&info).unwrap());
        there.import_fence_fd(&info).unwrap();
        d.queue_submit(rig.queue, &[], mine).unwrap();
        d.wait_for_fences(&[mine], true, u64::MAX).unwrap();
        d.destroy_fence(mine, None);
        let new: Vec<_> = (0..4).map(|_| make(d).unwrap()).collect();
        assert_eq!(other.device.get_fence_status(theirs), Ok(true));
        other.device.reset_fences(&[theirs]).unwrap();
        for &new in &new {
            d.queue_submit(rig.queue, &[], new).unwrap();
        }
        d.wait_for_fences(&new, true, u64::MAX).unwrap();
        assert_eq!(other.device.get_fence_status(theirs), Ok(false));
        // Nor of what was taken over, though it was destroyed there.
        let queue = other.queue;
        other.device.queue_submit(queue, &[], theirs).unwrap();
        other.device.device_wait_idle().unwrap();
        other.device.destroy_fence(theirs, None);
        let last = make(&other.device).unwrap();
        assert_eq!(other.device.get_fence_status(last), Ok(false));
        other.device.destroy_fence(last, None);
        for new in new {
            d.destroy_fence(new, None);
        }
    }
}

/// A sync file is a copy: export resets the fence or waits on the semaphore, import is temporary.
#[test]
fn fences_and_semaphores_as_sync_files() {
    let rig = Rig::new();
    let d = &rig.device;
    let fences = ash::khr::external_fence_fd::Device::new(&rig.instance, d);
    let semaphores = ash::khr::external_semaphore_fd::Device::new(&rig.instance, d);
    unsafe {
        let kind = vk::ExternalFenceHandleTypeFlags::SYNC_FD;
        let (a, b) = (
            d.create_fence(&Default::default(), None).unwrap(),
            d.create_fence(&Default::default(), None).unwrap(),
        );
        d.queue_submit(rig.queue, &[], a).unwrap();
        let get = vk::FenceGetFdInfoKHR::default().fence(a).handle_type(kind);
        let file = fences.get_fence_fd(&get).unwrap();
        assert!(!d.get_fence_status(a).unwrap());
        let put = |fd| {
            let info = vk::ImportFenceFdInfoKHR::default()
                .fence(b)
                .handle_type(kind)
                .flags(vk::FenceImportFlags::TEMPORARY)
                .fd(fd);
            fences.import_fence_fd(&info)
        };
        // Nothing will signal it: a misuse that ends with an error.
        assert!(fences.get_fence_fd(&get).is_err());
        for fd in [file, -1] {
            put(fd).unwrap();
            d.wait_for_fences(&[b], true, u64::MAX).unwrap();
            d.reset_fences(&[b]).unwrap();
            assert!(!d.get_fence_status(b).unwrap());
        }
        assert_eq!(
            put(-2).err(),
            Some(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE)
        );

        let kind = vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD;
        let (x, y) = (
            d.create_semaphore(&Default::default(), None).unwrap(),
            d.create_semaphore(&Default::default(), None).unwrap(),
        );
        let (signals, waits) = ([x], [y]);
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
        // Twice: what is exported may be signalled again.
        for _ in 0..2 {
            let signal = [vk::SubmitInfo::default().signal_semaphores(&signals)];
            d.queue_submit(rig.queue, &signal, vk::Fence::null())
                .unwrap();
            let get = vk::SemaphoreGetFdInfoKHR::default()
                .semaphore(x)
                .handle_type(kind);
            let file = semaphores.get_semaphore_fd(&get).unwrap();
            let info = vk::ImportSemaphoreFdInfoKHR::default()
                .semaphore(y)
                .handle_type(kind)
                .flags(vk::SemaphoreImportFlags::TEMPORARY)
                .fd(file);
            semaphores.import_semaphore_fd(&info).unwrap();
            let wait = [vk::SubmitInfo::default()
                .wait_semaphores(&waits)
                .wait_dst_stage_mask(&stages)];
            d.queue_submit(rig.queue, &wait, a).unwrap();
            d.wait_for_fences(&[a], true, u64::MAX).unwrap();
            d.reset_fences(&[a]).unwrap();
        }

        let mut counts =
            vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        for (timeline, exportable) in [(false, true), (true, false)] {
            let mut info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(kind);
            if timeline {
                info = info.push_next(&mut counts);
            }
            let mut found = vk::ExternalSemaphoreProperties::default();
            rig.instance
                .get_physical_device_external_semaphore_properties(rig.physical, &info, &mut found);
            let features = found.external_semaphore_features;
            assert_eq!(
                features.contains(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE),
                exportable
            );
        }
        for fence in [a, b] {
            d.destroy_fence(fence, None);
        }
        for semaphore in [x, y] {
            d.destroy_semaphore(semaphore, None);
        }
    }
}

const HOST: vk::ExternalMemoryHandleTypeFlags =
    vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

/// Pages of the test's own.
struct Pages {
    base: *mut u8,
    layout: std::alloc::Layout,
}

impl Pages {
    fn new(bytes: usize) -> Self {
        let layout = std::alloc::Layout::from_size_align(bytes, 4096).unwrap();
        let base = unsafe { std::alloc::alloc_zeroed(layout) };
        assert!(!base.is_null());
        Self { base, layout }
    }

    fn dword(&self, at: usize) -> u32 {
        assert!(at * 4 < self.layout.size());
        unsafe { self.base.cast::<u32>().add(at).read_volatile() }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        unsafe { std::alloc::dealloc(self.base, self.layout) };
    }
}

fn import_host(rig: &Rig, at: *mut u8, bytes: u64) -> Result<vk::DeviceMemory, vk::Result> {
    let mut host = vk::ImportMemoryHostPointerInfoEXT::default()
        .handle_type(HOST)
        .host_pointer(at.cast());
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(bytes)
        .push_next(&mut host);
    unsafe { rig.device.allocate_memory(&info, None) }
}

#[test]
fn imported_host_memory() {
    let rig = Rig::new();
    let d = &rig.device;
    let extension = ash::ext::external_memory_host::Device::new(&rig.instance, d);
    let pages = Pages::new(3 * 4096);
    unsafe {
        let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut host);
        rig.instance
            .get_physical_device_properties2(rig.physical, &mut properties);
        let alignment = host.min_imported_host_pointer_alignment;
        assert_eq!(alignment, 4096);
        let mut types = vk::MemoryHostPointerPropertiesEXT::default();
        let mut ask = |kind| {
            let get = extension.fp().get_memory_host_pointer_properties_ext;
            get(d.handle(), kind, pages.base.cast(), &mut types).result()
        };
        ask(HOST).unwrap();
        let foreign = vk::ExternalMemoryHandleTypeFlags::HOST_MAPPED_FOREIGN_MEMORY_EXT;
        assert_eq!(ask(foreign), Err(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE));
        assert_eq!(types.memory_type_bits & 1, 1);

        let memory = import_host(&rig, pages.base, 3 * 4096).unwrap();
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HOST);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default()
            .size(4096)
            .usage(usage)
            .push_next(&mut external);
        let buffer = d.create_buffer(&info, None).unwrap();
        d.bind_buffer_memory(buffer, memory, 4096).unwrap();
        // A copy writes; the CPU reads it in its own pages, without a mapping.
        rig.run(|commands| d.cmd_fill_buffer(commands, buffer, 8, 12, 0xfeed));
        let found: Vec<u32> = (1024..1030).map(|at| pages.dword(at)).collect();
        assert_eq!(found, [0, 0, 0xfeed, 0xfeed, 0xfeed, 0]);
        // What is mapped is these pages.
        let mapped = d
            .map_memory(memory, 64, 128, vk::MemoryMapFlags::empty())
            .unwrap();
        assert_eq!(mapped.cast::<u8>(), pages.base.add(64));
        d.unmap_memory(memory);
        d.destroy_buffer(buffer, None);
        d.free_memory(memory, None);
    }
}

#[test]
fn shader_writes_to_imported_host_memory() {
    let rig = Rig::new();
    let d = &rig.device;
    let pages = Pages::new(4096);
    let memory = import_host(&rig, pages.base, 4096).unwrap();
    let like = rig.buffer(256);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let kernel = Kernel::new(&rig, &fill(), kind, &[&like], vk::PipelineCache::null());
    unsafe {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HOST);
        let info = vk::BufferCreateInfo::default()
            .size(4096)
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER)
            .push_next(&mut external);
        let buffer = d.create_buffer(&info, None).unwrap();
        d.bind_buffer_memory(buffer, memory, 0).unwrap();
        let range = [vk::DescriptorBufferInfo::default()
            .buffer(buffer)
            .range(vk::WHOLE_SIZE)];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(kernel.set)
            .descriptor_type(kind)
            .buffer_info(&range);
        d.update_descriptor_sets(&[write], &[]);
        rig.run(|commands| {
            kernel.bind(&rig, commands, &[], &[77, 50]);
            d.cmd_dispatch(commands, 1, 1, 1);
        });
        assert_eq!(
            [0, 49, 50].map(|at| pages.dword(at)),
            [77, 77, 0],
            "what the shader wrote"
        );
        // The buffer outlives its memory, and the memory its pages: work goes on that uses neither.
        d.free_memory(memory, None);
        drop(pages);
        rig.run(|commands| d.cmd_fill_buffer(commands, like.buffer, 0, 4, 5));
        assert_eq!(like.dwords()[0], 5);
        d.destroy_buffer(buffer, None);
    }
    kernel.destroy(&rig);
}

#[test]
fn unmapped_host_memory_is_refused() {
    let rig = Rig::new();
    let pages = Pages::new(2 * 4096);
    let refused = Some(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
    let misplaced = pages.base.wrapping_add(64);
    assert_eq!(import_host(&rig, misplaced, 4096).err(), refused);
    assert_eq!(import_host(&rig, std::ptr::null_mut(), 4096).err(), refused);
    // Twice the same is two buffers on the same pages.
    let [a, b] = [0; 2].map(|_| import_host(&rig, pages.base, 8192).unwrap());
    unsafe {
        rig.device.free_memory(a, None);
        rig.device.free_memory(b, None);
    }
}

#[test]
fn external_handle_properties_are_reported() {
    let rig = Rig::new();
    let info = vk::PhysicalDeviceExternalBufferInfo::default()
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER)
        .handle_type(HOST);
    let mut found = vk::ExternalBufferProperties::default();
    let image = |tiling| {
        let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(HOST);
        let info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(vk::Format::R8G8B8A8_UNORM)
            .ty(vk::ImageType::TYPE_2D)
            .tiling(tiling)
            .usage(vk::ImageUsageFlags::TRANSFER_DST)
            .push_next(&mut external);
        let mut of = vk::ExternalImageFormatProperties::default();
        let mut properties = vk::ImageFormatProperties2::default().push_next(&mut of);
        let asked = unsafe {
            rig.instance.get_physical_device_image_format_properties2(
                rig.physical,
                &info,
                &mut properties,
            )
        };
        asked.map(|()| of.external_memory_properties.external_memory_features)
    };
    unsafe {
        rig.instance.get_physical_device_external_buffer_properties(
            rig.physical,
            &info,
            &mut found,
        );
    }
    let found = found.external_memory_properties;
    let importable = vk::ExternalMemoryFeatureFlags::IMPORTABLE;
    assert_eq!(found.external_memory_features, importable);
    assert_eq!(found.compatible_handle_types, HOST);
    assert_eq!(image(vk::ImageTiling::LINEAR), Ok(importable));
    assert_eq!(
        image(vk::ImageTiling::OPTIMAL),
        Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED)
    );
}
