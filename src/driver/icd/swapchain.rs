//! Entry points of swapchains.
//!
//! Ref: Vulkan specification, "WSI Swapchain".

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ash::vk as c;
use vk::queue::Submission;
use vk::sync::Point;
use wsi::frame::Wish;
use wsi::present::{Alpha, Fit};
use wsi::surface::MIN_IMAGES;

use crate::entry::{done, entries};
use crate::face::SwapchainFace;
use crate::surface::told;
use crate::{diagnosis, handle, raw};

/// The code of a swapchain that still works.
fn code(fit: Fit) -> c::Result {
    match fit {
        Fit::Same => c::Result::SUCCESS,
        Fit::Copied | Fit::Resized => c::Result::SUBOPTIMAL_KHR,
    }
}

/// What a swapchain's images are.
fn wish(info: &c::SwapchainCreateInfoKHR<'_>) -> vk::Result<Wish> {
    let known = c::SwapchainCreateFlagsKHR::MUTABLE_FORMAT;
    if !known.contains(info.flags) {
        return Err(vk::Error::FeatureNotPresent {
            what: "this kind of swapchain",
        });
    }
    let mutable = info
        .flags
        .contains(c::SwapchainCreateFlagsKHR::MUTABLE_FORMAT);
    Ok(Wish {
        format: info.image_format,
        extent_px: [info.image_extent.width, info.image_extent.height],
        layers: info.image_array_layers,
        usage: info.image_usage,
        flags: match mutable {
            true => c::ImageCreateFlags::MUTABLE_FORMAT,
            false => c::ImageCreateFlags::empty(),
        },
    })
}

/// # Safety
/// The handles in `info` are ours.
unsafe fn create(
    context: &Arc<vk::context::Context>,
    info: &c::SwapchainCreateInfoKHR<'_>,
) -> wsi::Result<SwapchainFace> {
    // SAFETY: as the caller says.
    let (surface, old) = unsafe {
        (
            handle::get(info.surface)?,
            handle::optional(info.old_swapchain)?,
        )
    };
    // SAFETY: the surface is a live one's.
    unsafe { surface.settle()? };
    let pace = surface.surface.pace(info.present_mode);
    let pace = pace.ok_or(vk::Error::FeatureNotPresent {
        what: "this present mode",
    })?;
    let alpha = match info.composite_alpha {
        c::CompositeAlphaFlagsKHR::PRE_MULTIPLIED => Alpha::Premultiplied,
        c::CompositeAlphaFlagsKHR::INHERIT => Alpha::Inherit,
        _ => Alpha::Opaque,
    };
    let (swapchain, frames) = wsi::Swapchain::new(
        context,
        &surface.surface,
        &wish(info)?,
        info.min_image_count.max(MIN_IMAGES),
        pace,
        alpha,
        old.map(|face| &face.swapchain),
    )?;
    Ok(SwapchainFace {
        drawn: Arc::new(context.gpu.syncobj(false).map_err(vk::Error::from)?),
        images: frames
            .iter()
            .map(|frame| handle::make(frame.image.clone()))
            .collect(),
        frames,
        swapchain,
        last: AtomicU64::new(0),
    })
}

/// # Safety
/// The handles are ours.
unsafe fn acquire(
    swapchain: c::SwapchainKHR,
    timeout_ns: u64,
    semaphore: c::Semaphore,
    fence: c::Fence,
    index: *mut u32,
) -> vk::Result<c::Result> {
    // SAFETY: as the caller says.
    let (face, semaphore, fence) = unsafe {
        (
            handle::get(swapchain)?,
            handle::optional(semaphore)?,
            handle::optional(fence)?,
        )
    };
    told(face.swapchain.acquire(timeout_ns).and_then(|acquired| {
        let Some(acquired) = acquired else {
            let now = timeout_ns == 0;
            return Ok(if now {
                c::Result::NOT_READY
            } else {
                c::Result::TIMEOUT
            });
        };
        // Nothing reads the image any more.
        let signalled = semaphore.map_or(Ok(()), |semaphore| semaphore.signal_now());
        let signalled = signalled.and_then(|()| fence.map_or(Ok(()), |fence| fence.signal_now()));
        if let Err(error) = signalled {
            face.swapchain.release(acquired.index);
            return Err(error.into());
        }
        // SAFETY: as the caller says.
        unsafe { raw::put(index, acquired.index) };
        Ok(code(acquired.fit))
    }))
}

/// Presents one image after what the queue has been given so far.
fn present(
    queue: &vk::queue::Queue,
    face: &SwapchainFace,
    index: u32,
    id: u64,
) -> vk::Result<c::Result> {
    let drawn = Point {
        syncobj: face.drawn.clone(),
        value: face.last.fetch_add(1, Relaxed) + 1,
    };
    let mut submission = Submission::default();
    submission.signals.push(drawn.clone());
    let frame = face.frames.get(index as usize);
    submission.given = frame.and_then(|frame| frame.given());
    queue.submit(&mut submission)?;
    told(face.swapchain.present(index, drawn, id).map(code))
}

entries! { SWAPCHAIN:
    Device ["VK_KHR_swapchain"] vkCreateSwapchainKHR(
        device: c::Device,
        create_info: *const c::SwapchainCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        swapchain: *mut c::SwapchainKHR,
    ) -> c::Result {
        let face = handle::get(device)?;
        let info = raw::reference(create_info, "VkSwapchainCreateInfoKHR")?;
        told(create(&face.device.context, info).and_then(|made| {
            let images = made.images.clone();
            let made = handle::make_in(allocator, made);
            if made.is_err() {
                for image in images {
                    handle::destroy(image);
                }
            }
            raw::put(swapchain, made?);
            Ok(c::Result::SUCCESS)
        }))
    }

    Device ["VK_KHR_swapchain"] vkDestroySwapchainKHR(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::get(device)?;
        if let Some(face) = handle::take(swapchain) {
            for image in face.images {
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
        Ok(raw::list(images.iter().copied(), swapchain_image_count, swapchain_images))
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
        let face = handle::get(swapchain)?;
        told(face.swapchain.wait_shown(present_id, timeout).map(|shown| {
            if shown { c::Result::SUCCESS } else { c::Result::TIMEOUT }
        }))
    }

    Device ["VK_KHR_swapchain"] vkQueuePresentKHR(
        queue: c::Queue,
        present_info: *const c::PresentInfoKHR<'_>,
    ) -> c::Result {
        let device = handle::get(queue)?;
        let info = raw::reference(present_info, "VkPresentInfoKHR")?;
        let mut waits = Submission::default();
        for &semaphore in raw::slice(info.p_wait_semaphores, info.wait_semaphore_count) {
            waits.waits.push(handle::get(semaphore)?.wait_point(0));
        }
        if !waits.waits.is_empty() {
            device.queue.submit(&mut waits)?;
        }
        let indices = raw::slice(info.p_image_indices, info.swapchain_count);
        let ids = raw::find::<c::PresentIdKHR<'_>>(info.p_next)
            .map_or(&[][..], |node| raw::slice(node.p_present_ids, node.swapchain_count));
        let mut all = c::Result::SUCCESS;
        for (at, &swapchain) in raw::slice(info.p_swapchains, info.swapchain_count).iter().enumerate() {
            let index = indices.get(at).copied().unwrap_or(u32::MAX);
            let id = ids.get(at).copied().unwrap_or(0);
            let presented = handle::get(swapchain).and_then(|face| present(&device.queue, face, index, id));
            let code = presented.unwrap_or_else(|error| {
                diagnosis::report(&error);
                error.code()
            });
            raw::put_at(info.p_results, at, code);
            // The worst is told: an error, or else that a window has another size.
            if all.as_raw() >= 0 && code != c::Result::SUCCESS {
                all = code;
            }
        }
        if all == c::Result::SUCCESS { done() } else { Ok(all) }
    }
}
