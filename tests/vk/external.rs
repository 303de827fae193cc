//! Memory and synchronisation that leave the device as file descriptors.

use ash::vk;

use crate::rig::Rig;

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
