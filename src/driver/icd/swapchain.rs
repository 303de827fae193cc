//! Entry points of swapchains.
//!
//! In:  create infos, acquires and presents. Out: swapchains of `wsi`, image indices, submissions.
//! Ref: Vulkan specification, "WSI Swapchain".

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use vk::queue::QueueSubmission;
use vk::sync::SyncPoint;
use wsi::frame::ImageDescription;
use wsi::present::{AlphaMode, HdrMetadata, PresentMode, SwapchainFit};
use wsi::render_times::RenderTimes;
use wsi::schedule::Target;
use wsi::surface::MIN_IMAGES;
use wsi::swapchain::PresentOptions;
use wsi::timing::TimedPresent;

use crate::entry::entries;
use crate::objects::SwapchainObject;
use crate::surface::{from_wsi, supported_counters, supported_scaling};
use crate::{diagnosis, handle, present_timing, raw, types as c};

/// The result code of a swapchain that can still present.
fn code(fit: SwapchainFit) -> c::Result {
    match fit {
        SwapchainFit::Optimal => c::Result::SUCCESS,
        SwapchainFit::NeedsCopy | SwapchainFit::Resized => c::Result::SUBOPTIMAL_KHR,
    }
}

/// `VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR` and `..._PRESENT_WAIT_2_BIT_KHR`: every swapchain
/// keeps present IDs and can wait for them.
const PRESENT_ID_2: c::SwapchainCreateFlagsKHR = c::SwapchainCreateFlagsKHR::from_raw(1 << 6);
const PRESENT_WAIT_2: c::SwapchainCreateFlagsKHR = c::SwapchainCreateFlagsKHR::from_raw(1 << 7);
/// `VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT`.
const PRESENT_TIMING: c::SwapchainCreateFlagsKHR = c::SwapchainCreateFlagsKHR::from_raw(1 << 9);

/// The description of a swapchain's images.
fn image_description(info: &c::SwapchainCreateInfoKHR<'_>) -> vk::Result<ImageDescription> {
    // Memory is allocated at once, which deferred allocation allows.
    let known = c::SwapchainCreateFlagsKHR::MUTABLE_FORMAT
        | c::SwapchainCreateFlagsKHR::DEFERRED_MEMORY_ALLOCATION_EXT
        | PRESENT_ID_2
        | PRESENT_WAIT_2
        | PRESENT_TIMING;
    if !known.contains(info.flags) {
        return Err(vk::Error::FeatureNotPresent {
            what: "this kind of swapchain",
        });
    }
    let mutable = info
        .flags
        .contains(c::SwapchainCreateFlagsKHR::MUTABLE_FORMAT);
    Ok(ImageDescription {
        format: info.image_format,
        extent_px: [info.image_extent.width, info.image_extent.height],
        layers: info.image_array_layers,
        usage: info.image_usage,
        flags: match mutable {
            true => c::ImageCreateFlags::MUTABLE_FORMAT,
            false => c::ImageCreateFlags::empty(),
        },
        color_space: info.image_color_space,
    })
}

/// HDR metadata as plain numbers.
fn hdr_metadata(metadata: &c::HdrMetadataEXT<'_>) -> HdrMetadata {
    let xy = |pair: c::XYColorEXT| [pair.x, pair.y];
    HdrMetadata {
        red: xy(metadata.display_primary_red),
        green: xy(metadata.display_primary_green),
        blue: xy(metadata.display_primary_blue),
        white: xy(metadata.white_point),
        max_luminance: metadata.max_luminance,
        min_luminance: metadata.min_luminance,
        max_content_light_level: metadata.max_content_light_level,
        max_frame_average_light_level: metadata.max_frame_average_light_level,
    }
}

/// A present mode that a surface supports.
fn present_mode(surface: &wsi::Surface, mode: c::PresentModeKHR) -> wsi::Result<PresentMode> {
    let mode = surface.present_mode(mode)?;
    let missing = vk::Error::FeatureNotPresent {
        what: "this present mode",
    };
    Ok(mode.ok_or(missing)?)
}

/// Fails if a swapchain asks for scaling that its surface does not have.
///
/// # Safety
/// The chain of `info` is valid.
unsafe fn check_scaling(
    surface: &wsi::Surface,
    info: &c::SwapchainCreateInfoKHR<'_>,
) -> vk::Result<()> {
    type Scaling<'a> = c::SwapchainPresentScalingCreateInfoEXT<'a>;
    // SAFETY: as the caller says.
    let Some(asked) = (unsafe { raw::find_in_chain::<Scaling<'_>>(info.p_next) }) else {
        return Ok(());
    };
    let (scaling, gravity) = supported_scaling(surface);
    let known = scaling.contains(asked.scaling_behavior)
        && gravity.contains(asked.present_gravity_x)
        && gravity.contains(asked.present_gravity_y);
    match known {
        true => Ok(()),
        false => Err(vk::Error::FeatureNotPresent {
            what: "this scaling of presented images",
        }),
    }
}

/// Fails if a swapchain asks for counters that its surface does not have.
///
/// # Safety
/// The chain of `info` is valid.
unsafe fn check_counters(
    surface: &wsi::Surface,
    info: &c::SwapchainCreateInfoKHR<'_>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    let asked = unsafe { raw::find_in_chain::<c::SwapchainCounterCreateInfoEXT<'_>>(info.p_next) };
    let counters = asked.map_or_else(Default::default, |node| node.surface_counters);
    match supported_counters(surface).contains(counters) {
        true => Ok(()),
        false => Err(vk::Error::FeatureNotPresent {
            what: "this counter of surfaces",
        }),
    }
}

/// What one present of a swapchain asks for.
struct PresentRequest {
    index: u32,
    /// Present ID, or 0.
    id: u64,
    /// Signalled when the present no longer uses its semaphores.
    fence: Option<Arc<vk::sync::Fence>>,
    /// Present mode, if it changes.
    mode: Option<c::PresentModeKHR>,
    /// The report of its timing, and its target time.
    timing: Option<(TimedPresent, Option<Target>)>,
}

/// Creates a swapchain and the handles of its images.
///
/// # Safety
/// The handles in `info` are handles of this driver.
unsafe fn create(
    device: &vk::Device,
    info: &c::SwapchainCreateInfoKHR<'_>,
) -> wsi::Result<SwapchainObject> {
    // SAFETY: as the caller says.
    let (surface, old) = unsafe {
        (
            handle::get(info.surface)?,
            handle::optional(info.old_swapchain)?,
        )
    };
    // SAFETY: the surface is live, so its connection is open.
    unsafe { surface.sync_connection()? };
    // SAFETY: as the caller says.
    let more = unsafe {
        let more = raw::find_in_chain::<c::SwapchainPresentModesCreateInfoEXT<'_>>(info.p_next);
        more.map_or(&[][..], |node| {
            raw::slice(node.p_present_modes, node.present_mode_count)
        })
    };
    // The first one is the mode at the beginning.
    let modes = [info.present_mode];
    let modes = modes.iter().chain(more);
    let modes = modes.map(|&mode| present_mode(&surface.surface, mode));
    let modes = modes.collect::<wsi::Result<Vec<_>>>()?;
    // SAFETY: as the caller says.
    unsafe {
        check_scaling(&surface.surface, info)?;
        check_counters(&surface.surface, info)?;
    }
    let alpha = match info.composite_alpha {
        c::CompositeAlphaFlagsKHR::PRE_MULTIPLIED => AlphaMode::Premultiplied,
        c::CompositeAlphaFlagsKHR::INHERIT => AlphaMode::Inherit,
        _ => AlphaMode::Opaque,
    };
    let context = &device.context;
    let rendered = Arc::new(context.gpu.syncobj(false).map_err(vk::Error::from)?);
    let (swapchain, frames) = wsi::Swapchain::new(
        context,
        &surface.surface,
        &image_description(info)?,
        info.min_image_count.max(MIN_IMAGES),
        &modes,
        alpha,
        &rendered,
        old.map(|object| &object.swapchain),
    )?;
    if info.flags.contains(PRESENT_TIMING) {
        let count = u32::try_from(frames.len()).unwrap_or(u32::MAX);
        swapchain.enable_timing(RenderTimes::new(device, count)?);
    }
    Ok(SwapchainObject {
        surface: surface.surface.clone(),
        rendered,
        images: frames
            .iter()
            .map(|frame| handle::create(frame.image.clone()))
            .collect(),
        frames,
        swapchain,
        last_value: AtomicU64::new(0),
    })
}

/// Acquires an image and signals the semaphore and the fence.
///
/// # Safety
/// The handles are null or handles of this driver.
unsafe fn acquire(
    swapchain: c::SwapchainKHR,
    timeout_ns: u64,
    semaphore: c::Semaphore,
    fence: c::Fence,
    index: *mut u32,
) -> vk::Result<c::Result> {
    // SAFETY: as the caller says.
    let (object, semaphore, fence) = unsafe {
        (
            handle::get(swapchain)?,
            handle::optional(semaphore)?,
            handle::optional(fence)?,
        )
    };
    from_wsi(object.swapchain.acquire(timeout_ns).and_then(|acquired| {
        let Some(acquired) = acquired else {
            let polling = timeout_ns == 0;
            return Ok(if polling {
                c::Result::NOT_READY
            } else {
                c::Result::TIMEOUT
            });
        };
        // The window system no longer reads the image, so both are signalled at once.
        let signalled = semaphore.map_or(Ok(()), |semaphore| semaphore.signal_now());
        let signalled = signalled.and_then(|()| fence.map_or(Ok(()), |fence| fence.signal_now()));
        if let Err(error) = signalled {
            object.swapchain.release(acquired.index);
            return Err(error.into());
        }
        // SAFETY: as the caller says.
        unsafe { raw::write(index, acquired.index) };
        Ok(code(acquired.fit))
    }))
}

/// The present IDs of a present, from the structure of either extension.
///
/// # Safety
/// The chain is valid.
unsafe fn present_ids<'a>(chain: *const c_void) -> &'a [u64] {
    // SAFETY: as the caller says.
    unsafe {
        let second = raw::find_in_chain::<c::PresentId2KHR<'_>>(chain);
        let first = raw::find_in_chain::<c::PresentIdKHR<'_>>(chain);
        let first = first.map(|node| (node.p_present_ids, node.swapchain_count));
        let ids = second.map(|node| (node.p_present_ids, node.swapchain_count));
        ids.or(first)
            .map_or(&[], |(ids, count)| raw::slice(ids, count))
    }
}

/// Waits until an image with a present ID is shown.
///
/// # Safety
/// The swapchain is null or a handle of this driver.
unsafe fn wait_for_present(
    swapchain: c::SwapchainKHR,
    present_id: u64,
    timeout_ns: u64,
) -> vk::Result<c::Result> {
    // SAFETY: as the caller says.
    let object = unsafe { handle::get(swapchain)? };
    let shown = object.swapchain.wait_shown(present_id, timeout_ns);
    from_wsi(shown.map(|shown| match shown {
        true => c::Result::SUCCESS,
        false => c::Result::TIMEOUT,
    }))
}

/// Presents one image after all work submitted to the queue so far.
fn present(
    queue: &vk::queue::Queue,
    object: &SwapchainObject,
    request: PresentRequest,
) -> vk::Result<c::Result> {
    let rendered = SyncPoint {
        syncobj: object.rendered.clone(),
        value: object.last_value.fetch_add(1, Relaxed) + 1,
    };
    let reserved = match request.timing {
        Some((timed, _)) => object.swapchain.reserve_timing(timed),
        None => Ok(None),
    };
    let mut submission = QueueSubmission::default();
    if let Ok(batch) = &reserved {
        submission.batches.extend(*batch);
    }
    submission.signals.push(rendered.clone());
    submission
        .signals
        .extend(request.fence.map(|fence| SyncPoint {
            syncobj: fence.syncobj(),
            value: 0,
        }));
    let frame = object.frames.get(request.index as usize);
    if reserved.is_ok() {
        submission.handed_over = frame.and_then(|frame| frame.handed_over_buffer());
    }
    let submitted = queue.submit(&mut submission);
    // A present that is rejected for its timing still waits and signals.
    let presented = submitted.map_err(wsi::Error::from).and_then(|()| {
        reserved?;
        let mode = request.mode.map(|mode| present_mode(&object.surface, mode));
        let options = PresentOptions {
            id: request.id,
            mode: mode.transpose()?,
            target: request.timing.and_then(|(_, target)| target),
        };
        let presented = object.swapchain.present(request.index, rendered, options);
        presented.map(code)
    });
    if presented.is_err() && request.timing.is_some() {
        object.swapchain.cancel_timing();
    }
    from_wsi(presented)
}

entries! { SWAPCHAIN:
    Device ["VK_KHR_swapchain"] vkCreateSwapchainKHR(
        device: c::Device,
        create_info: *const c::SwapchainCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        swapchain: *mut c::SwapchainKHR,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkSwapchainCreateInfoKHR")?;
        from_wsi(create(&device.device, info).and_then(|object| {
            let images = object.images.clone();
            let created = handle::create_with(allocator, object);
            if created.is_err() {
                for image in images {
                    handle::destroy(image);
                }
            }
            raw::write(swapchain, created?);
            Ok(c::Result::SUCCESS)
        }))
    }

    Device ["VK_KHR_swapchain"] vkDestroySwapchainKHR(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::get(device)?;
        if let Some(object) = handle::remove(swapchain) {
            for image in object.images {
                handle::destroy(image);
            }
        }
        Ok(())
    }

    Device ["VK_KHR_swapchain"] vkGetSwapchainImagesKHR(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        swapchain_image_count: *mut u32,
        swapchain_images: *mut c::Image,
    ) -> c::Result {
        handle::get(device)?;
        let images = &handle::get(swapchain)?.images;
        Ok(raw::write_list(images.iter().copied(), swapchain_image_count, swapchain_images))
    }

    Device ["VK_KHR_swapchain"] vkAcquireNextImageKHR(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        timeout: u64,
        semaphore: c::Semaphore,
        fence: c::Fence,
        image_index: *mut u32,
    ) -> c::Result {
        handle::get(device)?;
        acquire(swapchain, timeout, semaphore, fence, image_index)
    }

    Device ["VK_KHR_swapchain"] vkAcquireNextImage2KHR(
        device: c::Device,
        acquire_info: *const c::AcquireNextImageInfoKHR<'_>,
        image_index: *mut u32,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(acquire_info, "VkAcquireNextImageInfoKHR")?;
        acquire(info.swapchain, info.timeout, info.semaphore, info.fence, image_index)
    }

    Device ["VK_KHR_present_wait"] vkWaitForPresentKHR(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        present_id: u64,
        timeout: u64,
    ) -> c::Result {
        handle::get(device)?;
        wait_for_present(swapchain, present_id, timeout)
    }

    Device ["VK_KHR_present_wait2"] vkWaitForPresent2KHR(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        present_wait2_info: *const c::PresentWait2InfoKHR<'_>,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(present_wait2_info, "VkPresentWait2InfoKHR")?;
        wait_for_present(swapchain, info.present_id, info.timeout)
    }

    Device ["VK_EXT_swapchain_maintenance1"] vkReleaseSwapchainImagesEXT(
        device: c::Device,
        release_info: *const c::ReleaseSwapchainImagesInfoEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(release_info, "VkReleaseSwapchainImagesInfoKHR")?;
        let object = handle::get(info.swapchain)?;
        for &index in raw::slice(info.p_image_indices, info.image_index_count) {
            object.swapchain.release(index);
        }
        Ok(c::Result::SUCCESS)
    }

    Device ["VK_EXT_hdr_metadata"] vkSetHdrMetadataEXT(
        device: c::Device,
        swapchain_count: u32,
        swapchains: *const c::SwapchainKHR,
        metadata: *const c::HdrMetadataEXT<'_>,
    ) {
        handle::get(device)?;
        let metadata = raw::slice(metadata, swapchain_count).iter();
        for (&swapchain, metadata) in raw::slice(swapchains, swapchain_count).iter().zip(metadata) {
            handle::get(swapchain)?.swapchain.set_metadata(hdr_metadata(metadata));
        }
        Ok(())
    }

    Device ["VK_KHR_swapchain"] vkQueuePresentKHR(
        queue: c::Queue,
        present_info: *const c::PresentInfoKHR<'_>,
    ) -> c::Result {
        let device = handle::get(queue)?;
        let info = raw::reference(present_info, "VkPresentInfoKHR")?;
        let mut waits = QueueSubmission::default();
        for &semaphore in raw::slice(info.p_wait_semaphores, info.wait_semaphore_count) {
            waits.waits.push(handle::get(semaphore)?.wait_point(0));
        }
        if !waits.waits.is_empty() {
            device.queue.submit(&mut waits)?;
        }
        let indices = raw::slice(info.p_image_indices, info.swapchain_count);
        let ids = present_ids(info.p_next);
        let fences = raw::find_in_chain::<c::SwapchainPresentFenceInfoEXT<'_>>(info.p_next)
            .map_or(&[][..], |node| raw::slice(node.p_fences, node.swapchain_count));
        let modes = raw::find_in_chain::<c::SwapchainPresentModeInfoEXT<'_>>(info.p_next)
            .map_or(&[][..], |node| raw::slice(node.p_present_modes, node.swapchain_count));
        let timings = raw::find_in_chain::<c::PresentTimingsInfoEXT<'_>>(info.p_next)
            .map_or(&[][..], |node| raw::slice(node.p_timing_infos, node.swapchain_count));
        let mut result = c::Result::SUCCESS;
        for (position, &swapchain) in raw::slice(info.p_swapchains, info.swapchain_count).iter().enumerate() {
            let index = indices.get(position).copied().unwrap_or(u32::MAX);
            let fence = fences.get(position).copied().unwrap_or_default();
            let id = ids.get(position).copied().unwrap_or(0);
            let timing = timings.get(position);
            let presented = handle::get(swapchain).and_then(|object| present(&device.queue, object, PresentRequest {
                index,
                id,
                fence: handle::optional(fence)?.cloned(),
                mode: modes.get(position).copied(),
                timing: timing.map(|timing| present_timing::request(timing, index, id)).transpose()?,
            }));
            let code = presented.unwrap_or_else(|error| {
                diagnosis::report(&error);
                error.code()
            });
            raw::write_at(info.p_results, position, code);
            // The command returns the first error, or else SUBOPTIMAL_KHR if any swapchain is
            // suboptimal.
            if result.as_raw() >= 0 && code != c::Result::SUCCESS {
                result = code;
            }
        }
        Ok(result)
    }
}
