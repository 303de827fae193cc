//! Entry points of submission, fences, semaphores and events.
//!
//! In:  submit infos, create infos, descriptors. Out: submissions and objects of `vk`.

use std::ffi::c_int;
use std::os::fd::IntoRawFd;
use std::sync::Arc;

use ash::vk as c;
use smallvec::SmallVec;
use vk::queue::QueueSubmission;
use vk::sync::{Event, Fence, Semaphore};

use crate::chain::{FENCE_HANDLES, semaphore_handles};
use crate::device::import_fd;
use crate::entry::{done, entries};
use crate::{handle, raw};

/// The descriptor that stands for an already signalled sync file (Vulkan,
/// "VkImportFenceFdInfoKHR").
const SIGNALLED_FD: c_int = -1;

entries! { SYNC:
    Device vkQueueSubmit(
        queue: c::Queue,
        submit_count: u32,
        submits: *const c::SubmitInfo<'_>,
        fence: c::Fence,
    ) -> c::Result {
        let submits = raw::slice(submits, submit_count);
        submit(queue, submits, |info, work| read_submit_info(info, work), fence)
    }

    Device vkQueueSubmit2(
        queue: c::Queue,
        submit_count: u32,
        submits: *const c::SubmitInfo2<'_>,
        fence: c::Fence,
    ) -> c::Result {
        let submits = raw::slice(submits, submit_count);
        submit(queue, submits, |info, work| read_submit_info2(info, work), fence)
    }

    Device vkQueueWaitIdle(queue: c::Queue) -> c::Result {
        handle::get(queue)?.queue.wait_idle()?;
        done()
    }

    Device vkQueueBindSparse(
        queue: c::Queue,
        bind_info_count: u32,
        bind_info: *const c::BindSparseInfo<'_>,
        fence: c::Fence,
    ) -> c::Result {
        handle::get(queue)?;
        Err(vk::Error::FeatureNotPresent { what: "sparse binding" })
    }

    Device vkCreateFence(
        device: c::Device,
        create_info: *const c::FenceCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        fence: *mut c::Fence,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkFenceCreateInfo")?;
        let export = raw::find_in_chain::<c::ExportFenceCreateInfo<'_>>(info.p_next);
        if export.is_some_and(|node| !FENCE_HANDLES.contains(node.handle_types)) {
            return Err(vk::Error::FeatureNotPresent { what: "this kind of external fence" });
        }
        let object = Fence::new(device.context(), info.flags.contains(c::FenceCreateFlags::SIGNALED))?;
        raw::write(fence, handle::create_with(allocator, Arc::new(object))?);
        done()
    }

    Device vkDestroyFence(device: c::Device, fence: c::Fence, allocator: *const c::AllocationCallbacks<'_>) {
        handle::destroy(fence);
        Ok(())
    }

    Device vkResetFences(device: c::Device, fence_count: u32, fences: *const c::Fence) -> c::Result {
        for &fence in raw::slice(fences, fence_count) {
            handle::get(fence)?.reset()?;
        }
        done()
    }

    Device vkGetFenceStatus(device: c::Device, fence: c::Fence) -> c::Result {
        Ok(if handle::get(fence)?.is_signalled()? { c::Result::SUCCESS } else { c::Result::NOT_READY })
    }

    Device vkWaitForFences(
        device: c::Device,
        fence_count: u32,
        fences: *const c::Fence,
        wait_all: c::Bool32,
        timeout: u64,
    ) -> c::Result {
        let device = handle::get(device)?;
        let fences = raw::slice(fences, fence_count)
            .iter()
            .map(|&fence| handle::get(fence).cloned())
            .collect::<vk::Result<SmallVec<[_; 4]>>>()?;
        let deadline = deadline(device.context(), timeout);
        let reached = vk::sync::wait_fences(device.context(), &fences, wait_all != c::FALSE, deadline)?;
        Ok(if reached { c::Result::SUCCESS } else { c::Result::TIMEOUT })
    }

    Device ["VK_KHR_external_fence_fd"] vkGetFenceFdKHR(
        device: c::Device,
        get_fd_info: *const c::FenceGetFdInfoKHR<'_>,
        fd: *mut c_int,
    ) -> c::Result {
        let info = raw::reference(get_fd_info, "VkFenceGetFdInfoKHR")?;
        let fence = handle::get(info.fence)?;
        let descriptor = match info.handle_type {
            c::ExternalFenceHandleTypeFlags::OPAQUE_FD => fence.export()?,
            c::ExternalFenceHandleTypeFlags::SYNC_FD => fence.export_file()?,
            _ => return Err(vk::Error::FeatureNotPresent { what: "this kind of external fence" }),
        };
        raw::write(fd, descriptor.into_raw_fd());
        done()
    }

    Device ["VK_KHR_external_fence_fd"] vkImportFenceFdKHR(
        device: c::Device,
        import_fence_fd_info: *const c::ImportFenceFdInfoKHR<'_>,
    ) -> c::Result {
        let info = raw::reference(import_fence_fd_info, "VkImportFenceFdInfoKHR")?;
        let temporary = info.flags.contains(c::FenceImportFlags::TEMPORARY);
        let fence = handle::get(info.fence)?;
        match info.handle_type {
            c::ExternalFenceHandleTypeFlags::OPAQUE_FD => {
                import_fd(info.fd, |descriptor| fence.import(descriptor, temporary))?;
            }
            // Sync files are always imported temporarily.
            c::ExternalFenceHandleTypeFlags::SYNC_FD if info.fd == SIGNALLED_FD => fence.import_file(None)?,
            c::ExternalFenceHandleTypeFlags::SYNC_FD => {
                import_fd(info.fd, |descriptor| fence.import_file(Some(descriptor)))?;
            }
            _ => return Err(vk::Error::InvalidExternalHandle { why: "of a type that is not importable".into() }),
        }
        done()
    }

    Device vkCreateSemaphore(
        device: c::Device,
        create_info: *const c::SemaphoreCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        semaphore: *mut c::Semaphore,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkSemaphoreCreateInfo")?;
        let export = raw::find_in_chain::<c::ExportSemaphoreCreateInfo<'_>>(info.p_next);
        let initial = raw::find_in_chain::<c::SemaphoreTypeCreateInfo<'_>>(info.p_next)
            .filter(|node| node.semaphore_type == c::SemaphoreType::TIMELINE)
            .map(|node| node.initial_value);
        if export.is_some_and(|node| !semaphore_handles(initial.is_some()).contains(node.handle_types)) {
            return Err(vk::Error::FeatureNotPresent { what: "this kind of external semaphore" });
        }
        raw::write(semaphore, handle::create_with(allocator, Arc::new(Semaphore::new(device.context(), initial)?))?);
        done()
    }

    Device vkDestroySemaphore(
        device: c::Device,
        semaphore: c::Semaphore,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(semaphore);
        Ok(())
    }

    Device vkGetSemaphoreCounterValue(
        device: c::Device,
        semaphore: c::Semaphore,
        value: *mut u64,
    ) -> c::Result {
        raw::write(value, handle::get(semaphore)?.value()?);
        done()
    }

    Device vkWaitSemaphores(
        device: c::Device,
        wait_info: *const c::SemaphoreWaitInfo<'_>,
        timeout: u64,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(wait_info, "VkSemaphoreWaitInfo")?;
        let semaphores = raw::slice(info.p_semaphores, info.semaphore_count);
        let values = raw::slice(info.p_values, info.semaphore_count);
        let waits = semaphores
            .iter()
            .zip(values)
            .map(|(&semaphore, &value)| Ok((handle::get(semaphore)?.clone(), value)))
            .collect::<vk::Result<Vec<_>>>()?;
        let all = !info.flags.contains(c::SemaphoreWaitFlags::ANY);
        let deadline = deadline(device.context(), timeout);
        let reached = vk::sync::wait_timelines(device.context(), &waits, all, deadline)?;
        Ok(if reached { c::Result::SUCCESS } else { c::Result::TIMEOUT })
    }

    Device vkSignalSemaphore(device: c::Device, signal_info: *const c::SemaphoreSignalInfo<'_>) -> c::Result {
        let info = raw::reference(signal_info, "VkSemaphoreSignalInfo")?;
        handle::get(info.semaphore)?.signal(info.value)?;
        done()
    }

    Device ["VK_KHR_external_semaphore_fd"] vkGetSemaphoreFdKHR(
        device: c::Device,
        get_fd_info: *const c::SemaphoreGetFdInfoKHR<'_>,
        fd: *mut c_int,
    ) -> c::Result {
        let info = raw::reference(get_fd_info, "VkSemaphoreGetFdInfoKHR")?;
        let semaphore = handle::get(info.semaphore)?;
        let descriptor = match info.handle_type {
            c::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD => semaphore.export()?,
            c::ExternalSemaphoreHandleTypeFlags::SYNC_FD => semaphore.export_file()?,
            _ => return Err(vk::Error::FeatureNotPresent { what: "this kind of external semaphore" }),
        };
        raw::write(fd, descriptor.into_raw_fd());
        done()
    }

    Device ["VK_KHR_external_semaphore_fd"] vkImportSemaphoreFdKHR(
        device: c::Device,
        import_semaphore_fd_info: *const c::ImportSemaphoreFdInfoKHR<'_>,
    ) -> c::Result {
        let info = raw::reference(import_semaphore_fd_info, "VkImportSemaphoreFdInfoKHR")?;
        let temporary = info.flags.contains(c::SemaphoreImportFlags::TEMPORARY);
        let semaphore = handle::get(info.semaphore)?;
        match info.handle_type {
            c::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD => {
                import_fd(info.fd, |descriptor| semaphore.import(descriptor, temporary))?;
            }
            c::ExternalSemaphoreHandleTypeFlags::SYNC_FD if semaphore.is_timeline() => {
                return Err(vk::Error::InvalidUse { why: "a sync file imported into a timeline semaphore" });
            }
            // Sync files are always imported temporarily.
            c::ExternalSemaphoreHandleTypeFlags::SYNC_FD if info.fd == SIGNALLED_FD => semaphore.import_file(None)?,
            c::ExternalSemaphoreHandleTypeFlags::SYNC_FD => {
                import_fd(info.fd, |descriptor| semaphore.import_file(Some(descriptor)))?;
            }
            _ => return Err(vk::Error::InvalidExternalHandle { why: "of a type that is not importable".into() }),
        }
        done()
    }

    Device vkCreateEvent(
        device: c::Device,
        create_info: *const c::EventCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        event: *mut c::Event,
    ) -> c::Result {
        let device = handle::get(device)?;
        raw::write(event, handle::create_with(allocator, Event::new(device.context())?)?);
        done()
    }

    Device vkDestroyEvent(device: c::Device, event: c::Event, allocator: *const c::AllocationCallbacks<'_>) {
        handle::destroy(event);
        Ok(())
    }

    Device vkGetEventStatus(device: c::Device, event: c::Event) -> c::Result {
        Ok(if handle::get(event)?.is_set()? { c::Result::EVENT_SET } else { c::Result::EVENT_RESET })
    }

    Device vkSetEvent(device: c::Device, event: c::Event) -> c::Result {
        handle::get(event)?.set()?;
        done()
    }

    Device vkResetEvent(device: c::Device, event: c::Event) -> c::Result {
        handle::get(event)?.reset()?;
        done()
    }
}

/// The absolute time in ns at which a wait with a relative timeout ends; 0 to poll.
fn deadline(device: &vk::Context, timeout_ns: u64) -> i64 {
    let timeout = i64::try_from(timeout_ns).unwrap_or(i64::MAX);
    if timeout == 0 {
        0
    } else {
        device.gpu.now_ns().saturating_add(timeout)
    }
}

/// Submits every info, converted by `read`. The last submission signals the fence; without infos,
/// an empty submission does.
///
/// # Safety
/// Queue and fence are handles of this driver; the fence may be null.
unsafe fn submit<T>(
    queue: c::Queue,
    infos: &[T],
    read: impl Fn(&T, &mut QueueSubmission) -> vk::Result<()>,
    fence: c::Fence,
) -> vk::Result<c::Result> {
    // SAFETY: as the caller says.
    let (device, fence) = unsafe { (handle::get(queue)?, handle::optional(fence)?) };
    if infos.is_empty() && fence.is_none() {
        device.context.check_lost()?;
        return done();
    }
    // Submissions are large and not moved. The frequent case of a single one stays on the stack.
    let (mut single, mut multiple);
    let work: &mut [QueueSubmission] = match infos.len() {
        0 | 1 => {
            single = [QueueSubmission::default()];
            &mut single
        }
        count => {
            multiple = vec![QueueSubmission::default(); count];
            &mut multiple
        }
    };
    for (info, work) in infos.iter().zip(&mut *work) {
        read(info, work)?;
    }
    if let (Some(fence), Some(last)) = (fence, work.last_mut()) {
        last.signals.push(vk::sync::SyncPoint {
            syncobj: fence.syncobj(),
            value: 0,
        });
    }
    for submission in work {
        device.queue.submit(submission)?;
    }
    done()
}

/// Adds a semaphore wait. A submission starts only after all its waits, so stage masks are ignored.
///
/// # Safety
/// The semaphore is a handle of this driver.
unsafe fn wait_for(
    work: &mut QueueSubmission,
    semaphore: c::Semaphore,
    value: u64,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    let semaphore = unsafe { handle::get(semaphore)? };
    // A timeline has always reached 0.
    if value > 0 || !semaphore.is_timeline() {
        work.waits.push(semaphore.wait_point(value));
    }
    Ok(())
}

/// Adds a semaphore signal.
///
/// # Safety
/// The semaphore is a handle of this driver.
unsafe fn signal(
    work: &mut QueueSubmission,
    semaphore: c::Semaphore,
    value: u64,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    work.signals
        .push(unsafe { handle::get(semaphore)? }.signal_point(value));
    Ok(())
}

/// Adds the contents of a `VkSubmitInfo2` to a submission.
///
/// # Safety
/// The structure is valid.
unsafe fn read_submit_info2(
    info: &c::SubmitInfo2<'_>,
    work: &mut QueueSubmission,
) -> vk::Result<()> {
    if !info.flags.is_empty() {
        return Err(vk::Error::FeatureNotPresent {
            what: "protected submissions",
        });
    }
    // SAFETY: as the caller says.
    unsafe {
        for info in raw::slice(info.p_wait_semaphore_infos, info.wait_semaphore_info_count) {
            wait_for(work, info.semaphore, info.value)?;
        }
        for info in raw::slice(info.p_command_buffer_infos, info.command_buffer_info_count) {
            work.batches
                .push(handle::get(info.command_buffer)?.batch()?);
        }
        for info in raw::slice(
            info.p_signal_semaphore_infos,
            info.signal_semaphore_info_count,
        ) {
            signal(work, info.semaphore, info.value)?;
        }
    }
    Ok(())
}

/// Adds the contents of a `VkSubmitInfo` to a submission.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn read_submit_info(info: &c::SubmitInfo<'_>, work: &mut QueueSubmission) -> vk::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        let values = raw::find_in_chain::<c::TimelineSemaphoreSubmitInfo<'_>>(info.p_next);
        let wait_values = values.map_or(&[][..], |node| {
            raw::slice(
                node.p_wait_semaphore_values,
                node.wait_semaphore_value_count,
            )
        });
        let signal_values = values.map_or(&[][..], |node| {
            raw::slice(
                node.p_signal_semaphore_values,
                node.signal_semaphore_value_count,
            )
        });
        for (index, &semaphore) in raw::slice(info.p_wait_semaphores, info.wait_semaphore_count)
            .iter()
            .enumerate()
        {
            let value = wait_values.get(index).copied().unwrap_or(0);
            wait_for(work, semaphore, value)?;
        }
        for &buffer in raw::slice(info.p_command_buffers, info.command_buffer_count) {
            work.batches.push(handle::get(buffer)?.batch()?);
        }
        for (index, &semaphore) in raw::slice(info.p_signal_semaphores, info.signal_semaphore_count)
            .iter()
            .enumerate()
        {
            let value = signal_values.get(index).copied().unwrap_or(0);
            signal(work, semaphore, value)?;
        }
        Ok(())
    }
}
