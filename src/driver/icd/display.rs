//! Entry points of displays without a window system.
//!
//! In:  physical devices, descriptors of primary nodes, X servers that lease displays. Out:
//!      displays, modes and planes, and surfaces of `wsi`. A display has a plane of its own, with
//!      the same index.
//! Ref: Vulkan specification, "Presenting Directly to Display Devices",
//!      "VK_EXT_direct_mode_display", "VK_EXT_acquire_drm_display", "VK_EXT_acquire_xlib_display".

use std::ffi::{c_ulong, c_void};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use ash::vk as c;
use wsi::display::{Mode, Screen};
use wsi::surface::NativeWindow;

use crate::display_list::DisplayObject;
use crate::entry::entries;
use crate::native_connection::NativeConnection;
use crate::objects::{PhysicalDeviceObject, SurfaceObject};
use crate::surface::{from_wsi, write_surface};
use crate::{handle, raw};

fn extent([width, height]: [u32; 2]) -> c::Extent2D {
    c::Extent2D { width, height }
}

/// The properties of the displays of a device.
///
/// # Safety
/// The handle is one of this driver.
unsafe fn display_properties(
    physical_device: c::PhysicalDevice,
) -> wsi::Result<Vec<c::DisplayPropertiesKHR<'static>>> {
    // SAFETY: as the caller says; the handles of displays live as long as the instance.
    unsafe {
        let object = handle::get(physical_device)?;
        let all = object.displays.connected(&object.physical)?.into_iter();
        let all = all.map(|(display, handle)| {
            let preferred = display.modes.first();
            let resolution = preferred.map_or([0; 2], Mode::extent_px);
            Ok(c::DisplayPropertiesKHR {
                display: handle,
                display_name: handle::get(handle)?.name.as_ptr(),
                physical_dimensions: extent(display.size_mm),
                physical_resolution: extent(resolution),
                supported_transforms: c::SurfaceTransformFlagsKHR::IDENTITY,
                plane_reorder_possible: c::FALSE,
                persistent_content: c::FALSE,
                ..Default::default()
            })
        });
        all.collect()
    }
}

/// The planes of the displays of a device.
///
/// # Safety
/// As [`display_properties`].
unsafe fn plane_properties(
    physical_device: c::PhysicalDevice,
) -> wsi::Result<Vec<c::DisplayPlanePropertiesKHR>> {
    // SAFETY: as the caller says.
    let displays = unsafe { display_properties(physical_device)? };
    let planes = displays
        .into_iter()
        .map(|display| c::DisplayPlanePropertiesKHR {
            current_display: display.display,
            current_stack_index: 0,
        });
    Ok(planes.collect())
}

/// The modes of a display.
///
/// # Safety
/// As [`display_properties`], for both handles.
unsafe fn mode_properties(
    physical_device: c::PhysicalDevice,
    display: c::DisplayKHR,
) -> wsi::Result<Vec<c::DisplayModePropertiesKHR>> {
    // SAFETY: as the caller says.
    let modes = unsafe {
        let displays = &handle::get(physical_device)?.displays;
        displays.modes(handle::get(display)?)?
    };
    let modes = modes
        .into_iter()
        .map(|(mode, handle)| c::DisplayModePropertiesKHR {
            display_mode: handle,
            parameters: parameters(&mode),
        });
    Ok(modes.collect())
}

/// The parameters of a mode.
fn parameters(mode: &Mode) -> c::DisplayModeParametersKHR {
    c::DisplayModeParametersKHR {
        visible_region: extent(mode.extent_px()),
        refresh_rate: mode.refresh_mhz(),
    }
}

/// The capabilities of a plane in a mode: it covers the display.
///
/// # Safety
/// As [`handle::get`].
unsafe fn plane_capabilities(
    mode: c::DisplayModeKHR,
) -> vk::Result<c::DisplayPlaneCapabilitiesKHR> {
    // SAFETY: as the caller says.
    let size = extent(unsafe { handle::get(mode)? }.mode.extent_px());
    Ok(c::DisplayPlaneCapabilitiesKHR {
        supported_alpha: c::DisplayPlaneAlphaFlagsKHR::OPAQUE,
        min_src_extent: size,
        max_src_extent: size,
        min_dst_extent: size,
        max_dst_extent: size,
        ..Default::default()
    })
}

/// Borrows a descriptor of the application.
///
/// # Safety
/// It stays open during the command.
unsafe fn borrow<'a>(descriptor: i32) -> wsi::Result<BorrowedFd<'a>> {
    if descriptor < 0 {
        return Err(wsi::Error::SurfaceLost {
            why: "a negative descriptor".into(),
        });
    }
    // SAFETY: as the caller says.
    Ok(unsafe { BorrowedFd::borrow_raw(descriptor) })
}

/// Acquires a display from the X server of a connection, by a lease.
///
/// # Safety
/// The connection is an open one of Xlib.
unsafe fn lease(dpy: *mut c_void, display: &DisplayObject) -> wsi::Result<()> {
    // One descriptor drives all displays of a device.
    if display.card.is_acquired() {
        return Err(wsi::Error::SurfaceLost {
            why: "a display is acquired already".into(),
        });
    }
    // SAFETY: as the caller says.
    let socket = unsafe { NativeConnection::Xlib(dpy).socket()? };
    let leased = wsi::x11::lease(socket, display.connector)?;
    display.card.acquire(leased.as_fd(), display.connector)
}

/// The display of an output of an X server; null if it is not one of this device.
///
/// # Safety
/// As [`lease`].
unsafe fn display_of_output(
    object: &PhysicalDeviceObject,
    dpy: *mut c_void,
    output: u32,
) -> wsi::Result<c::DisplayKHR> {
    // SAFETY: as the caller says.
    let socket = unsafe { NativeConnection::Xlib(dpy).socket()? };
    let connector = wsi::x11::connector_of_output(socket, output)?;
    let card = object.displays.card(&object.physical);
    let Some((card, connector)) = card.zip(connector) else {
        return Ok(c::DisplayKHR::null());
    };
    if !card.may_have_connector(connector) {
        return Ok(c::DisplayKHR::null());
    }
    let name = format!("connector {connector}");
    Ok(object.displays.handle(&card, connector, &name))
}

/// Reports an error of the window system, and returns the code that these commands have for it.
pub fn or_code(result: wsi::Result<()>, code: c::Result) -> vk::Result<c::Result> {
    match from_wsi(result.map(|()| c::Result::SUCCESS))? {
        c::Result::SUCCESS => Ok(c::Result::SUCCESS),
        _ => Ok(code),
    }
}

entries! { DISPLAY:
    Physical ["VK_KHR_display"] vkGetPhysicalDeviceDisplayPropertiesKHR(
        physical_device: c::PhysicalDevice,
        property_count: *mut u32,
        properties: *mut c::DisplayPropertiesKHR<'_>,
    ) -> c::Result {
        from_wsi(display_properties(physical_device).map(|all| raw::write_list(all.into_iter(), property_count, properties.cast())))
    }

    Physical ["VK_KHR_get_display_properties2"] vkGetPhysicalDeviceDisplayProperties2KHR(
        physical_device: c::PhysicalDevice,
        property_count: *mut u32,
        properties: *mut c::DisplayProperties2KHR<'_>,
    ) -> c::Result {
        let fill = |found: c::DisplayPropertiesKHR<'static>, out: *mut c::DisplayProperties2KHR<'_>| (*out).display_properties = found;
        from_wsi(display_properties(physical_device).map(|all| raw::write_list_with(all.into_iter(), property_count, properties, fill)))
    }

    Physical ["VK_KHR_display"] vkGetPhysicalDeviceDisplayPlanePropertiesKHR(
        physical_device: c::PhysicalDevice,
        property_count: *mut u32,
        properties: *mut c::DisplayPlanePropertiesKHR,
    ) -> c::Result {
        from_wsi(plane_properties(physical_device).map(|all| raw::write_list(all.into_iter(), property_count, properties)))
    }

    Physical ["VK_KHR_get_display_properties2"] vkGetPhysicalDeviceDisplayPlaneProperties2KHR(
        physical_device: c::PhysicalDevice,
        property_count: *mut u32,
        properties: *mut c::DisplayPlaneProperties2KHR<'_>,
    ) -> c::Result {
        let fill = |found, out: *mut c::DisplayPlaneProperties2KHR<'_>| (*out).display_plane_properties = found;
        from_wsi(plane_properties(physical_device).map(|all| raw::write_list_with(all.into_iter(), property_count, properties, fill)))
    }

    Physical ["VK_KHR_display"] vkGetDisplayPlaneSupportedDisplaysKHR(
        physical_device: c::PhysicalDevice,
        plane_index: u32,
        display_count: *mut u32,
        displays: *mut c::DisplayKHR,
    ) -> c::Result {
        from_wsi(plane_properties(physical_device).map(|planes| {
            let own = planes.get(plane_index as usize).map(|plane| plane.current_display);
            raw::write_list(own.into_iter(), display_count, displays)
        }))
    }

    Physical ["VK_KHR_display"] vkGetDisplayModePropertiesKHR(
        physical_device: c::PhysicalDevice,
        display: c::DisplayKHR,
        property_count: *mut u32,
        properties: *mut c::DisplayModePropertiesKHR,
    ) -> c::Result {
        from_wsi(mode_properties(physical_device, display).map(|all| raw::write_list(all.into_iter(), property_count, properties)))
    }

    Physical ["VK_KHR_get_display_properties2"] vkGetDisplayModeProperties2KHR(
        physical_device: c::PhysicalDevice,
        display: c::DisplayKHR,
        property_count: *mut u32,
        properties: *mut c::DisplayModeProperties2KHR<'_>,
    ) -> c::Result {
        let fill = |found, out: *mut c::DisplayModeProperties2KHR<'_>| (*out).display_mode_properties = found;
        from_wsi(mode_properties(physical_device, display).map(|all| raw::write_list_with(all.into_iter(), property_count, properties, fill)))
    }

    Physical ["VK_KHR_display"] vkCreateDisplayModeKHR(
        physical_device: c::PhysicalDevice,
        display: c::DisplayKHR,
        create_info: *const c::DisplayModeCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        mode: *mut c::DisplayModeKHR,
    ) -> c::Result {
        let asked = raw::reference(create_info, "VkDisplayModeCreateInfoKHR")?.parameters;
        from_wsi(mode_properties(physical_device, display).map(|all| {
            // The driver makes no timings of its own: a display's are those of its modes.
            let same = |found: &&c::DisplayModePropertiesKHR| {
                let own = found.parameters;
                (own.visible_region, own.refresh_rate) == (asked.visible_region, asked.refresh_rate)
            };
            let Some(found) = all.iter().find(same) else {
                return c::Result::ERROR_INITIALIZATION_FAILED;
            };
            raw::write(mode, found.display_mode);
            c::Result::SUCCESS
        }))
    }

    Physical ["VK_KHR_display"] vkGetDisplayPlaneCapabilitiesKHR(
        physical_device: c::PhysicalDevice,
        mode: c::DisplayModeKHR,
        plane_index: u32,
        capabilities: *mut c::DisplayPlaneCapabilitiesKHR,
    ) -> c::Result {
        raw::write(capabilities, plane_capabilities(mode)?);
        Ok(c::Result::SUCCESS)
    }

    Physical ["VK_KHR_get_display_properties2"] vkGetDisplayPlaneCapabilities2KHR(
        physical_device: c::PhysicalDevice,
        info: *const c::DisplayPlaneInfo2KHR<'_>,
        capabilities: *mut c::DisplayPlaneCapabilities2KHR<'_>,
    ) -> c::Result {
        let info = raw::reference(info, "VkDisplayPlaneInfo2KHR")?;
        let found = plane_capabilities(info.mode)?;
        if let Some(out) = capabilities.as_mut() {
            out.capabilities = found;
        }
        Ok(c::Result::SUCCESS)
    }

    Instance ["VK_KHR_display"] vkCreateDisplayPlaneSurfaceKHR(
        instance: c::Instance,
        create_info: *const c::DisplaySurfaceCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        surface: *mut c::SurfaceKHR,
    ) -> c::Result {
        handle::get(instance)?;
        let info = raw::reference(create_info, "VkDisplaySurfaceCreateInfoKHR")?;
        let mode = handle::get(info.display_mode)?;
        let screen = Screen::new(mode.card.clone(), mode.connector, mode.mode);
        let native = wsi::Surface::new(NativeWindow::Display(screen));
        write_surface(Ok(SurfaceObject { surface: Arc::new(native), connection: None }), allocator, surface)
    }

    Physical ["VK_EXT_direct_mode_display"] vkReleaseDisplayEXT(
        physical_device: c::PhysicalDevice,
        display: c::DisplayKHR,
    ) -> c::Result {
        handle::get(display)?.card.release();
        Ok(c::Result::SUCCESS)
    }

    Physical ["VK_EXT_acquire_drm_display"] vkAcquireDrmDisplayEXT(
        physical_device: c::PhysicalDevice,
        drm_fd: i32,
        display: c::DisplayKHR,
    ) -> c::Result {
        let display = handle::get(display)?;
        let acquired = borrow(drm_fd).and_then(|descriptor| display.card.acquire(descriptor, display.connector));
        or_code(acquired, c::Result::ERROR_INITIALIZATION_FAILED)
    }

    Physical ["VK_EXT_acquire_xlib_display"] vkAcquireXlibDisplayEXT(
        physical_device: c::PhysicalDevice,
        dpy: *mut c_void,
        display: c::DisplayKHR,
    ) -> c::Result {
        handle::get(physical_device)?;
        or_code(lease(dpy, handle::get(display)?), c::Result::ERROR_INITIALIZATION_FAILED)
    }

    Physical ["VK_EXT_acquire_xlib_display"] vkGetRandROutputDisplayEXT(
        physical_device: c::PhysicalDevice,
        dpy: *mut c_void,
        rr_output: c_ulong,
        display: *mut c::DisplayKHR,
    ) -> c::Result {
        let object = handle::get(physical_device)?;
        // X11 resource IDs have 29 bits, whatever the type. A server that does not lease displays
        // has none for the driver.
        let found = display_of_output(object, dpy, rr_output as u32);
        raw::write(display, found.as_ref().copied().unwrap_or_default());
        or_code(found.map(drop), c::Result::SUCCESS)
    }

    Physical ["VK_EXT_acquire_drm_display"] vkGetDrmDisplayEXT(
        physical_device: c::PhysicalDevice,
        drm_fd: i32,
        connector_id: u32,
        display: *mut c::DisplayKHR,
    ) -> c::Result {
        let object = handle::get(physical_device)?;
        raw::write(display, c::DisplayKHR::null());
        let Some(card) = object.displays.card(&object.physical) else {
            return Ok(c::Result::ERROR_UNKNOWN);
        };
        let known = borrow(drm_fd).and_then(|descriptor| card.has_connector(descriptor, connector_id));
        let named = known.and_then(|known| {
            if !known {
                return Err(wsi::Error::SurfaceLost { why: format!("there is no connector {connector_id}") });
            }
            let name = format!("connector {connector_id}");
            raw::write(display, object.displays.handle(&card, connector_id, &name));
            Ok(())
        });
        or_code(named, c::Result::ERROR_UNKNOWN)
    }
}
