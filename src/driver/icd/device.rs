//! Entry points of devices, queues, memory and buffers.
//!
//! In:  create infos, file descriptors and host pointers. Out: objects of `vk`.

use std::ffi::{c_int, c_void};
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;

use ash::vk as c;

use vk::memory::{AddressConstraint, MemoryImport};

use crate::entry::{done, entries};
use crate::memory_report::{MemoryEvent, Reports};
use crate::objects::DeviceObject;
use crate::types::DevicePipelineBinaryInternalCacheControlKHR;
use crate::{chain, handle, objects, raw, shader_cache};

entries! { DEVICE:
    Physical vkCreateDevice(
        physical_device: c::PhysicalDevice,
        create_info: *const c::DeviceCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        device: *mut c::Device,
    ) -> c::Result {
        let physical = handle::get(physical_device)?;
        let info = raw::reference(create_info, "VkDeviceCreateInfo")?;
        let queues = raw::slice(info.p_queue_create_infos, info.queue_create_info_count);
        if queues.iter().any(|queue| !QUEUE_FLAGS.contains(queue.flags)) {
            return Err(vk::Error::FeatureNotPresent { what: "protected queues" });
        }
        let queue_flags = queues.first().map_or(c::DeviceQueueCreateFlags::empty(), |queue| queue.flags);
        let messengers = physical.messengers.clone();
        let reports = Reports::new(info.p_next, Box::new(move |message| {
            // SAFETY: the message is valid during the call, and so are messengers.
            unsafe { objects::send_message(&messengers, INFO, BINDINGS, message) };
        }));
        let features = chain::enabled_features(physical, info)?;
        let request = vk::device::Request {
            features,
            extensions: raw::strings(info.pp_enabled_extension_names, info.enabled_extension_count),
            queues: queues.iter().map(|queue| (queue.queue_family_index, queue.queue_count)).collect(),
            priority: queues.iter().find_map(|queue| {
                let node = raw::find_in_chain::<c::DeviceQueueGlobalPriorityCreateInfoKHR<'_>>(queue.p_next);
                node.map(|node| node.global_priority)
            }),
            listener: reports.listener(),
            disk_cache: match raw::find_in_chain::<DevicePipelineBinaryInternalCacheControlKHR<'_>>(info.p_next) {
                Some(node) if node.disable_internal_cache != c::FALSE => None,
                _ => shader_cache::settings(),
            },
        };
        let created = vk::Device::new(physical, &request);
        let object = created.inspect_err(|error| physical.diagnosis().report_error(error))?;
        let queue: c::Queue = handle::create(object.clone());
        let created = handle::create_with(
            allocator,
            DeviceObject {
                device: object,
                queue,
                queue_flags,
                reports: reports.clone(),
                card: physical.displays.card(&physical.physical),
                requested_version: physical.requested_version,
            },
        );
        if created.is_err() {
            handle::destroy(queue);
        }
        let created = created?;
        reports.start(created);
        raw::write(device, created);
        done()
    }

    Device vkDestroyDevice(device: c::Device, allocator: *const c::AllocationCallbacks<'_>) {
        if let Some(object) = handle::remove(device) {
            let reports = object.reports.clone();
            handle::destroy(object.queue);
            drop(object);
            reports.stop();
        }
        Ok(())
    }

    Device vkGetDeviceQueue(device: c::Device, queue_family_index: u32, queue_index: u32, queue: *mut c::Queue) {
        let device = handle::get(device)?;
        let exists = queue_family_index == 0 && queue_index == 0 && device.queue_flags.is_empty();
        raw::write(queue, if exists { device.queue } else { c::Queue::null() });
        Ok(())
    }

    Device vkGetDeviceQueue2(
        device: c::Device,
        queue_info: *const c::DeviceQueueInfo2<'_>,
        queue: *mut c::Queue,
    ) {
        let device = handle::get(device)?;
        let info = raw::reference(queue_info, "VkDeviceQueueInfo2")?;
        let exists = info.queue_family_index == 0 && info.queue_index == 0 && info.flags == device.queue_flags;
        raw::write(queue, if exists { device.queue } else { c::Queue::null() });
        Ok(())
    }

    Device vkDeviceWaitIdle(device: c::Device) -> c::Result {
        handle::get(device)?.device.wait_idle()?;
        done()
    }

    Device vkGetDeviceGroupPeerMemoryFeatures(
        device: c::Device,
        heap_index: u32,
        local_device_index: u32,
        remote_device_index: u32,
        peer_memory_features: *mut c::PeerMemoryFeatureFlags,
    ) {
        handle::get(device)?;
        // A device group has one device, so there is no peer.
        raw::write(peer_memory_features, c::PeerMemoryFeatureFlags::empty());
        Ok(())
    }

    Device vkAllocateMemory(
        device: c::Device,
        allocate_info: *const c::MemoryAllocateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        memory: *mut c::DeviceMemory,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(allocate_info, "VkMemoryAllocateInfo")?;
        let export = raw::find_in_chain::<c::ExportMemoryAllocateInfo<'_>>(info.p_next)
            .map_or(c::ExternalMemoryHandleTypeFlags::empty(), |node| node.handle_types);
        let flags = raw::find_in_chain::<c::MemoryAllocateFlagsInfo<'_>>(info.p_next)
            .map_or(c::MemoryAllocateFlags::empty(), |node| node.flags);
        let replayed_address = raw::find_in_chain::<c::MemoryOpaqueCaptureAddressAllocateInfo<'_>>(info.p_next)
            .map_or(0, |node| node.opaque_capture_address);
        let place = match replayed_address {
            _ if !flags.contains(c::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY) => AddressConstraint::Anywhere,
            0 => AddressConstraint::Replayable,
            address => AddressConstraint::At(address),
        };
        let host = raw::find_in_chain::<c::ImportMemoryHostPointerInfoEXT<'_>>(info.p_next)
            .filter(|node| !node.handle_type.is_empty());
        let import = raw::find_in_chain::<c::ImportMemoryFdInfoKHR<'_>>(info.p_next).filter(|node| !node.handle_type.is_empty());
        let import = match import {
            Some(node) if !vk::memory::SHAREABLE.contains(node.handle_type) => {
                return Err(vk::Error::InvalidExternalHandle { why: "of a type that is not importable".into() });
            }
            Some(node) if node.fd < 0 => {
                return Err(vk::Error::InvalidExternalHandle { why: "not a file descriptor".into() });
            }
            // Vulkan transfers ownership of the descriptor only if the import succeeds, so the
            // import receives a duplicate.
            Some(node) => Some((duplicate(node.fd)?, node.fd)),
            None => None,
        };
        let (descriptor, imported_fd) =
            import.map_or((None, None), |(descriptor, fd)| (Some(MemoryImport::Descriptor(descriptor)), Some(fd)));
        let import = match host {
            Some(node) => Some(host_pages(node, info.allocation_size)?),
            None => descriptor,
        };
        let imported = import.is_some();
        let allocated = vk::memory::DeviceMemory::new(
            device.context(),
            vk::memory::MemoryAllocateInfo {
                bytes: info.allocation_size,
                type_index: info.memory_type_index,
                import,
                export,
                address: place,
            },
        );
        let object = Arc::new(allocated.inspect_err(|_| {
            let kind = c::DeviceMemoryReportEventTypeEXT::ALLOCATION_FAILED;
            let event = MemoryEvent { kind, number: 0, bytes: info.allocation_size };
            device.reports.memory(event, c::DeviceMemory::null());
        })?);
        let created = handle::create_with(allocator, object.clone())?;
        report_memory(device, created, &object, match imported {
            true => c::DeviceMemoryReportEventTypeEXT::IMPORT,
            false => c::DeviceMemoryReportEventTypeEXT::ALLOCATE,
        });
        raw::write(memory, created);
        if let Some(fd) = imported_fd {
            // The import succeeded, so the driver owns the descriptor and closes it.
            drop(OwnedFd::from_raw_fd(fd));
        }
        done()
    }

    Device vkFreeMemory(
        device: c::Device,
        memory: c::DeviceMemory,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        let device = handle::get(device)?;
        if let Some(object) = handle::remove(memory) {
            report_memory(device, memory, &object, match object.imported() {
                true => c::DeviceMemoryReportEventTypeEXT::UNIMPORT,
                false => c::DeviceMemoryReportEventTypeEXT::FREE,
            });
            object.freed();
        }
        Ok(())
    }

    Device vkMapMemory(
        device: c::Device,
        memory: c::DeviceMemory,
        offset: c::DeviceSize,
        size: c::DeviceSize,
        flags: c::MemoryMapFlags,
        data: *mut *mut c_void,
    ) -> c::Result {
        raw::write(data, handle::get(memory)?.map(offset, size, None)?.cast::<c_void>());
        done()
    }

    Device vkMapMemory2(
        device: c::Device,
        memory_map_info: *const c::MemoryMapInfoKHR<'_>,
        data: *mut *mut c_void,
    ) -> c::Result {
        let info = raw::reference(memory_map_info, "VkMemoryMapInfo")?;
        let place = info.flags.contains(c::MemoryMapFlags::PLACED_EXT).then(|| placed_address(info.p_next));
        let mapped = handle::get(info.memory)?.map(info.offset, info.size, place.transpose()?)?;
        raw::write(data, mapped.cast::<c_void>());
        done()
    }

    Device vkUnmapMemory2(
        device: c::Device,
        memory_unmap_info: *const c::MemoryUnmapInfoKHR<'_>,
    ) -> c::Result {
        let info = raw::reference(memory_unmap_info, "VkMemoryUnmapInfo")?;
        handle::get(info.memory)?.unmap(info.flags.contains(c::MemoryUnmapFlagsKHR::RESERVE_EXT))?;
        done()
    }

    Device vkUnmapMemory(device: c::Device, memory: c::DeviceMemory) {
        handle::get(memory)?.unmap(false)
    }

    Device vkFlushMappedMemoryRanges(
        device: c::Device,
        memory_range_count: u32,
        memory_ranges: *const c::MappedMemoryRange<'_>,
    ) -> c::Result {
        handle::get(device)?;
        for range in raw::slice(memory_ranges, memory_range_count) {
            handle::get(range.memory)?.make_coherent(range.offset, range.size)?;
        }
        done()
    }

    Device vkInvalidateMappedMemoryRanges(
        device: c::Device,
        memory_range_count: u32,
        memory_ranges: *const c::MappedMemoryRange<'_>,
    ) -> c::Result {
        handle::get(device)?;
        for range in raw::slice(memory_ranges, memory_range_count) {
            handle::get(range.memory)?.make_coherent(range.offset, range.size)?;
        }
        done()
    }

    Device vkGetDeviceMemoryCommitment(
        device: c::Device,
        memory: c::DeviceMemory,
        committed_memory_in_bytes: *mut c::DeviceSize,
    ) {
        let bytes = handle::get(memory)?.bytes;
        raw::write(committed_memory_in_bytes, bytes);
        Ok(())
    }

    Device ["VK_KHR_external_memory_fd"] vkGetMemoryFdKHR(
        device: c::Device,
        get_fd_info: *const c::MemoryGetFdInfoKHR<'_>,
        fd: *mut c_int,
    ) -> c::Result {
        let info = raw::reference(get_fd_info, "VkMemoryGetFdInfoKHR")?;
        raw::write(fd, handle::get(info.memory)?.export()?.into_raw_fd());
        done()
    }

    Device ["VK_KHR_external_memory_fd"] vkGetMemoryFdPropertiesKHR(
        device: c::Device,
        handle_type: c::ExternalMemoryHandleTypeFlags,
        fd: c_int,
        memory_fd_properties: *mut c::MemoryFdPropertiesKHR<'_>,
    ) -> c::Result {
        let device = handle::get(device)?;
        if handle_type != c::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT {
            return Err(vk::Error::InvalidExternalHandle { why: "memory properties are defined for dma-bufs only".into() });
        }
        // The import fails if the descriptor is not a dma-buf.
        device.context().gpu.import(duplicate(fd)?).map_err(|error| vk::Error::InvalidExternalHandle { why: error.to_string() })?;
        if let Some(out) = memory_fd_properties.as_mut() {
            out.memory_type_bits = device.context().physical.resource_types();
        }
        done()
    }

    Device vkCreateBuffer(
        device: c::Device,
        create_info: *const c::BufferCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        buffer: *mut c::Buffer,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(create_info, "VkBufferCreateInfo")?;
        raw::write(buffer, handle::create_with(allocator, new_buffer(info)?)?);
        done()
    }

    Device vkDestroyBuffer(device: c::Device, buffer: c::Buffer, allocator: *const c::AllocationCallbacks<'_>) {
        if let Some(object) = handle::remove(buffer)
            && let Ok(address) = object.address()
        {
            handle::get(device)?.reports.binding(buffer, (address, object.bytes), false);
        }
        Ok(())
    }

    Device vkGetBufferMemoryRequirements(
        device: c::Device,
        buffer: c::Buffer,
        memory_requirements: *mut c::MemoryRequirements,
    ) {
        raw::write(memory_requirements, requirements(device, handle::get(buffer)?)?);
        Ok(())
    }

    Device vkGetBufferMemoryRequirements2(
        device: c::Device,
        info: *const c::BufferMemoryRequirementsInfo2<'_>,
        memory_requirements: *mut c::MemoryRequirements2<'_>,
    ) {
        let info = raw::reference(info, "VkBufferMemoryRequirementsInfo2")?;
        write_requirements(memory_requirements, requirements(device, handle::get(info.buffer)?)?);
        Ok(())
    }

    Device vkGetDeviceBufferMemoryRequirements(
        device: c::Device,
        info: *const c::DeviceBufferMemoryRequirements<'_>,
        memory_requirements: *mut c::MemoryRequirements2<'_>,
    ) {
        let info = raw::reference(info, "VkDeviceBufferMemoryRequirements")?;
        let info = raw::reference(info.p_create_info, "VkBufferCreateInfo")?;
        write_requirements(memory_requirements, requirements(device, &new_buffer(info)?)?);
        Ok(())
    }

    Device vkGetBufferDeviceAddress(
        device: c::Device,
        info: *const c::BufferDeviceAddressInfo<'_>,
    ) -> c::DeviceAddress {
        let info = raw::reference(info, "VkBufferDeviceAddressInfo")?;
        handle::get(info.buffer)?.address()
    }

    Device ["VK_EXT_external_memory_host"] vkGetMemoryHostPointerPropertiesEXT(
        device: c::Device,
        handle_type: c::ExternalMemoryHandleTypeFlags,
        host_pointer: *const c_void,
        memory_host_pointer_properties: *mut c::MemoryHostPointerPropertiesEXT<'_>,
    ) -> c::Result {
        let device = handle::get(device)?;
        if handle_type != vk::memory::HOST {
            return Err(vk::Error::InvalidExternalHandle { why: "of a type that is not importable".into() });
        }
        if let Some(out) = memory_host_pointer_properties.as_mut() {
            out.memory_type_bits = device.context().physical.resource_types();
        }
        done()
    }

    // A buffer's address is that of its memory, whose capture address suffices to replay it.
    Device vkGetBufferOpaqueCaptureAddress(device: c::Device, info: *const c::BufferDeviceAddressInfo<'_>) -> u64 {
        Ok(0)
    }

    Device vkGetDeviceMemoryOpaqueCaptureAddress(
        device: c::Device,
        info: *const c::DeviceMemoryOpaqueCaptureAddressInfo<'_>,
    ) -> u64 {
        let info = raw::reference(info, "VkDeviceMemoryOpaqueCaptureAddressInfo")?;
        Ok(handle::get(info.memory)?.address())
    }

    Device vkBindBufferMemory(
        device: c::Device,
        buffer: c::Buffer,
        memory: c::DeviceMemory,
        memory_offset: c::DeviceSize,
    ) -> c::Result {
        bind_buffer(device, buffer, memory, memory_offset)?;
        done()
    }

    Device vkBindBufferMemory2(
        device: c::Device,
        bind_info_count: u32,
        bind_infos: *const c::BindBufferMemoryInfo<'_>,
    ) -> c::Result {
        let infos = raw::slice(bind_infos, bind_info_count);
        bind_each(infos, |info| info.p_next, |info| {
            bind_buffer(device, info.buffer, info.memory, info.memory_offset)
        })
    }
}

/// The flags of queues: that several threads may use it at once is true of the queue anyway.
const QUEUE_FLAGS: c::DeviceQueueCreateFlags = c::DeviceQueueCreateFlags::from_raw(4);
const INFO: c::DebugUtilsMessageSeverityFlagsEXT = c::DebugUtilsMessageSeverityFlagsEXT::INFO;
const BINDINGS: c::DebugUtilsMessageTypeFlagsEXT =
    c::DebugUtilsMessageTypeFlagsEXT::DEVICE_ADDRESS_BINDING;

/// Reports that memory is or was the application's, and its addresses.
fn report_memory(
    device: &DeviceObject,
    memory: c::DeviceMemory,
    object: &vk::memory::DeviceMemory,
    kind: c::DeviceMemoryReportEventTypeEXT,
) {
    use c::DeviceMemoryReportEventTypeEXT as Kind;
    let event = MemoryEvent {
        kind,
        number: object.buffer().number(),
        bytes: object.buffer().bytes(),
    };
    device.reports.memory(event, memory);
    let range = (object.address(), object.bytes);
    let bound = [Kind::ALLOCATE, Kind::IMPORT].contains(&kind);
    device.reports.binding(memory, range, bound);
}

/// The address that memory is to be mapped at.
///
/// # Safety
/// The chain is valid; the pages at the address belong to the application, as
/// VK_EXT_map_memory_placed requires.
unsafe fn placed_address(chain: *const c_void) -> vk::Result<i915::Place> {
    // SAFETY: as the caller says.
    let node = unsafe { raw::find_in_chain::<c::MemoryMapPlacedInfoEXT<'_>>(chain) };
    let address = node.and_then(|node| NonNull::new(node.p_placed_address.cast::<u8>()));
    let address = address.ok_or(vk::Error::BadHandle {
        what: "VkMemoryMapPlacedInfoEXT",
    })?;
    // SAFETY: as the caller says.
    Ok(unsafe { i915::Place::new(address) })
}

/// Binds a buffer, and reports its addresses.
///
/// # Safety
/// As [`handle::get`].
unsafe fn bind_buffer(
    device: c::Device,
    buffer: c::Buffer,
    memory: c::DeviceMemory,
    offset: c::DeviceSize,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    let (device, object, memory) = unsafe {
        (
            handle::get(device)?,
            handle::get(buffer)?,
            handle::get(memory)?,
        )
    };
    object.bind(memory, offset)?;
    device
        .reports
        .binding(buffer, (object.address()?, object.bytes), true);
    Ok(())
}

/// Binds memory to each object of a list, and writes the result to the `VkBindMemoryStatus` of its
/// chain. After a failure the others are bound all the same; the first failure is returned.
///
/// # Safety
/// The chains are valid.
pub(crate) unsafe fn bind_each<T>(
    infos: &[T],
    chain: impl Fn(&T) -> *const c_void,
    bind: impl Fn(&T) -> vk::Result<()>,
) -> vk::Result<c::Result> {
    let mut all = Ok(());
    for info in infos {
        let bound = bind(info);
        let code = match &bound {
            Ok(()) => c::Result::SUCCESS,
            Err(error) => error.code(),
        };
        // SAFETY: as the caller says.
        unsafe {
            if let Some(status) = raw::find_in_chain::<c::BindMemoryStatusKHR<'_>>(chain(info)) {
                raw::write(status.p_result, code);
            }
        }
        all = all.and(bound);
    }
    all?;
    done()
}

/// Imports pages of the application's memory.
///
/// # Safety
/// The pages stay mapped until the memory is freed, as VK_EXT_external_memory_host requires.
unsafe fn host_pages(
    node: &c::ImportMemoryHostPointerInfoEXT<'_>,
    bytes: c::DeviceSize,
) -> vk::Result<MemoryImport> {
    let bad = |why: &str| vk::Error::InvalidExternalHandle { why: why.into() };
    if node.handle_type != vk::memory::HOST {
        return Err(bad("of a type that is not importable"));
    }
    let base = NonNull::new(node.p_host_pointer.cast::<u8>()).ok_or_else(|| bad("null"))?;
    let bytes = usize::try_from(bytes).map_err(|_| bad("larger than the process"))?;
    if !base.addr().get().is_multiple_of(sys::PAGE_BYTES) || !bytes.is_multiple_of(sys::PAGE_BYTES)
    {
        return Err(bad("not whole pages"));
    }
    // SAFETY: as the caller says. They are not accessed after `Memory::freed`, when no submission
    // references them any more and mapping the memory is invalid.
    let pages = unsafe { sys::Mapping::borrow(base, bytes) };
    Ok(MemoryImport::Host(Arc::new(pages)))
}

/// Duplicates a descriptor that the application keeps.
///
/// # Safety
/// `fd` is open, or not a valid descriptor.
unsafe fn duplicate(fd: c_int) -> vk::Result<OwnedFd> {
    if fd < 0 {
        return Err(vk::Error::InvalidExternalHandle {
            why: "not a file descriptor".into(),
        });
    }
    // SAFETY: as the caller says; it is not negative.
    let borrowed = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
    borrowed
        .try_clone_to_owned()
        .map_err(|error| vk::Error::InvalidExternalHandle {
            why: format!("not open: {error}"),
        })
}

/// The buffer of a create info.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn new_buffer(info: &c::BufferCreateInfo<'_>) -> vk::Result<vk::buffer::Buffer> {
    // SAFETY: as the caller says.
    let (external, flags2) = unsafe {
        (
            raw::find_in_chain::<c::ExternalMemoryBufferCreateInfo<'_>>(info.p_next),
            raw::find_in_chain::<c::BufferUsageFlags2CreateInfoKHR<'_>>(info.p_next),
        )
    };
    // The flags of the chain replace those of the structure, and have the same bits. (None of the
    // upper ones belongs to anything that the driver offers.)
    let usage = flags2.map_or(info.usage, |node| {
        c::BufferUsageFlags::from_raw(node.usage.as_raw() as u32)
    });
    if external
        .is_some_and(|node| !(vk::memory::SHAREABLE | vk::memory::HOST).contains(node.handle_types))
    {
        return Err(vk::Error::FeatureNotPresent {
            what: "this kind of external memory",
        });
    }
    vk::buffer::Buffer::new(info.size, usage, info.flags)
}

/// Writes memory requirements. No resource requires or prefers a dedicated allocation.
///
/// # Safety
/// `out` is null or a structure with a valid chain, all of it writable.
pub unsafe fn write_requirements(
    out: *mut c::MemoryRequirements2<'_>,
    requirements: c::MemoryRequirements,
) {
    // SAFETY: as the caller says; `sType` determines the structure of a node.
    unsafe {
        let Some(out) = out.as_mut() else { return };
        out.memory_requirements = requirements;
        for node in raw::chain(out.p_next) {
            if (*node).s_type == c::StructureType::MEMORY_DEDICATED_REQUIREMENTS {
                let node = &mut *node.cast::<c::MemoryDedicatedRequirements<'_>>();
                node.prefers_dedicated_allocation = c::FALSE;
                node.requires_dedicated_allocation = c::FALSE;
            }
        }
    }
}

/// The memory requirements of a buffer.
///
/// # Safety
/// As [`handle::get`].
unsafe fn requirements(
    device: c::Device,
    buffer: &vk::buffer::Buffer,
) -> vk::Result<c::MemoryRequirements> {
    // SAFETY: as the caller says.
    let device = unsafe { handle::get(device)? };
    let found = buffer.requirements(&device.context().physical);
    Ok(c::MemoryRequirements {
        size: found.bytes,
        alignment: found.alignment_bytes,
        memory_type_bits: found.type_bits,
    })
}

/// Passes a duplicate of a descriptor to `import`, and closes the descriptor if that succeeds.
///
/// # Safety
/// The application owns `fd`, and gives it to the driver.
pub unsafe fn import_fd(
    fd: c_int,
    import: impl FnOnce(OwnedFd) -> vk::Result<()>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        import(duplicate(fd)?)?;
        drop(OwnedFd::from_raw_fd(fd));
    }
    Ok(())
}
