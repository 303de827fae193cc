//! Entry points of surfaces: windows of X11 and Wayland, and none.
//!
//! Ref: Vulkan specification, "Window System Integration (WSI)", "WSI Surface".

use std::ffi::{c_ulong, c_void};
use std::sync::Arc;

use ash::vk as c;
use wayland_client::Proxy;
use wayland_client::backend::{Backend, ObjectId};
use wayland_client::protocol::wl_surface::WlSurface;
use wsi::present::Alpha;
use wsi::surface::{MAX_EXTENT, MIN_IMAGES, Native};
use wsi::{wayland, x11};

use crate::entry::{done, entries};
use crate::face::SurfaceFace;
use crate::native::Connection;
use crate::{diagnosis, handle, raw};

/// What becomes of a result of `wsi`, whose errors have codes of their own.
pub fn told(result: wsi::Result<c::Result>) -> vk::Result<c::Result> {
    result.or_else(|error| match error {
        wsi::Error::Device(error) => Err(error),
        error => {
            diagnosis::say(&error);
            Ok(error.code())
        }
    })
}

/// # Safety
/// The connection is open, and the window one of its server's.
unsafe fn x11_surface(connection: Connection, window: u32) -> wsi::Result<SurfaceFace> {
    // SAFETY: as the caller says.
    let window = unsafe {
        connection.settle()?;
        x11::Window::open(connection.socket()?, window)?
    };
    Ok(SurfaceFace {
        surface: Arc::new(wsi::Surface::new(Native::X11(Box::new(window)))),
        application: Some(connection),
    })
}

/// # Safety
/// The connection is open.
unsafe fn shows(connection: Connection, visual: u32) -> c::Bool32 {
    // SAFETY: as the caller says.
    let socket = unsafe { connection.socket() };
    let shows = socket.and_then(|socket| x11::shows_visual(socket, visual));
    shows.unwrap_or(false).into()
}

/// Both are pointers of libwayland's.
///
/// # Safety
/// They are a `wl_display` and a `wl_surface` of it, which outlive the surface that is made of them.
unsafe fn wayland_surface(display: *mut c_void, surface: *mut c_void) -> wsi::Result<SurfaceFace> {
    let lost = |why: &dyn std::fmt::Display| wsi::Error::SurfaceLost {
        why: why.to_string(),
    };
    // SAFETY: as the caller says.
    let (connection, id) = unsafe {
        let backend = Backend::from_foreign_display(display.cast());
        let id = ObjectId::from_ptr(WlSurface::interface(), surface.cast());
        let connection = wayland_client::Connection::from_backend(backend);
        (connection, id.map_err(|error| lost(&error))?)
    };
    let surface = WlSurface::from_id(&connection, id).map_err(|error| lost(&error))?;
    let native = Native::Wayland(wayland::Window::new(connection, surface));
    Ok(SurfaceFace {
        surface: Arc::new(wsi::Surface::new(native)),
        application: None,
    })
}

/// Gives a surface to the application.
///
/// # Safety
/// As [`handle::make_in`]; `out` may be written.
unsafe fn put(
    face: wsi::Result<SurfaceFace>,
    allocator: *const c::AllocationCallbacks<'_>,
    out: *mut c::SurfaceKHR,
) -> vk::Result<c::Result> {
    told(face.and_then(|face| {
        // SAFETY: as the caller says.
        unsafe { raw::put(out, handle::make_in(allocator, face)?) };
        Ok(c::Result::SUCCESS)
    }))
}

/// What images of a surface may be used for.
pub fn usages(physical: &vk::PhysicalDevice, format: c::Format) -> c::ImageUsageFlags {
    use c::ImageUsageFlags as U;
    let uses = [
        U::TRANSFER_SRC,
        U::TRANSFER_DST,
        U::SAMPLED,
        U::STORAGE,
        U::COLOR_ATTACHMENT,
        U::INPUT_ATTACHMENT,
    ];
    let can = |usage: &U| {
        let wish = wsi::frame::Wish {
            format,
            extent_px: [1, 1],
            layers: 1,
            usage: *usage,
            flags: c::ImageCreateFlags::empty(),
        };
        physical
            .image_format_properties(&wish.info(None).question)
            .is_ok()
    };
    uses.into_iter()
        .filter(can)
        .fold(U::empty(), |all, usage| all | usage)
}

/// # Safety
/// As [`SurfaceFace::settle`].
unsafe fn capabilities(
    physical: &vk::PhysicalDevice,
    face: &SurfaceFace,
) -> wsi::Result<c::SurfaceCapabilitiesKHR> {
    // SAFETY: as the caller says.
    unsafe { face.settle()? };
    let found = face.surface.capabilities()?;
    let extent = |[width, height]: [u32; 2]| c::Extent2D { width, height };
    let any = [u32::MAX; 2];
    let alphas = face.surface.alphas().iter().map(|alpha| match alpha {
        Alpha::Opaque => c::CompositeAlphaFlagsKHR::OPAQUE,
        Alpha::Premultiplied => c::CompositeAlphaFlagsKHR::PRE_MULTIPLIED,
        Alpha::Inherit => c::CompositeAlphaFlagsKHR::INHERIT,
    });
    let none = c::CompositeAlphaFlagsKHR::empty();
    let uses = face
        .surface
        .formats()?
        .iter()
        .map(|&format| usages(physical, format));
    Ok(c::SurfaceCapabilitiesKHR {
        min_image_count: MIN_IMAGES,
        // No limit.
        max_image_count: 0,
        current_extent: extent(found.extent.unwrap_or(any)),
        min_image_extent: extent(found.extent.unwrap_or([1, 1])),
        max_image_extent: extent(found.extent.unwrap_or([MAX_EXTENT; 2])),
        max_image_array_layers: 1,
        supported_transforms: c::SurfaceTransformFlagsKHR::IDENTITY,
        current_transform: c::SurfaceTransformFlagsKHR::IDENTITY,
        supported_composite_alpha: alphas.fold(none, |all, one| all | one),
        supported_usage_flags: uses.reduce(|all, one| all & one).unwrap_or_default(),
    })
}

fn formats(face: &SurfaceFace) -> wsi::Result<impl ExactSizeIterator<Item = c::SurfaceFormatKHR>> {
    let formats = face.surface.formats()?.iter();
    Ok(formats.map(|&format| c::SurfaceFormatKHR {
        format,
        color_space: c::ColorSpaceKHR::SRGB_NONLINEAR,
    }))
}

entries! { SURFACE:
    Instance ["VK_KHR_xcb_surface"] vkCreateXcbSurfaceKHR(
        instance: c::Instance,
        create_info: *const c::XcbSurfaceCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        surface: *mut c::SurfaceKHR,
    ) -> c::Result {
        handle::get(instance)?;
        let info = raw::reference(create_info, "VkXcbSurfaceCreateInfoKHR")?;
        put(x11_surface(Connection::Xcb(info.connection.cast()), info.window), allocator, surface)
    }

    Physical ["VK_KHR_xcb_surface"] vkGetPhysicalDeviceXcbPresentationSupportKHR(
        physical_device: c::PhysicalDevice,
        queue_family_index: u32,
        connection: *mut c_void,
        visual: u32,
    ) -> c::Bool32 {
        handle::get(physical_device)?;
        Ok(shows(Connection::Xcb(connection), visual))
    }

    Instance ["VK_KHR_xlib_surface"] vkCreateXlibSurfaceKHR(
        instance: c::Instance,
        create_info: *const c::XlibSurfaceCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        surface: *mut c::SurfaceKHR,
    ) -> c::Result {
        handle::get(instance)?;
        let info = raw::reference(create_info, "VkXlibSurfaceCreateInfoKHR")?;
        // Names of X11 have 29 bits, in whatever type.
        put(x11_surface(Connection::Xlib(info.dpy.cast()), info.window as u32), allocator, surface)
    }

    Physical ["VK_KHR_xlib_surface"] vkGetPhysicalDeviceXlibPresentationSupportKHR(
        physical_device: c::PhysicalDevice,
        queue_family_index: u32,
        display: *mut c_void,
        visual: c_ulong,
    ) -> c::Bool32 {
        handle::get(physical_device)?;
        Ok(shows(Connection::Xlib(display), visual as u32))
    }

    Instance ["VK_KHR_wayland_surface"] vkCreateWaylandSurfaceKHR(
        instance: c::Instance,
        create_info: *const c::WaylandSurfaceCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        surface: *mut c::SurfaceKHR,
    ) -> c::Result {
        handle::get(instance)?;
        let info = raw::reference(create_info, "VkWaylandSurfaceCreateInfoKHR")?;
        put(wayland_surface(info.display.cast(), info.surface.cast()), allocator, surface)
    }

    Physical ["VK_KHR_wayland_surface"] vkGetPhysicalDeviceWaylandPresentationSupportKHR(
        physical_device: c::PhysicalDevice,
        queue_family_index: u32,
        display: *mut c_void,
    ) -> c::Bool32 {
        handle::get(physical_device)?;
        // Every compositor has shared memory.
        Ok(c::TRUE)
    }

    Instance ["VK_EXT_headless_surface"] vkCreateHeadlessSurfaceEXT(
        instance: c::Instance,
        create_info: *const c::HeadlessSurfaceCreateInfoEXT<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        surface: *mut c::SurfaceKHR,
    ) -> c::Result {
        handle::get(instance)?;
        let nowhere = wsi::Surface::new(Native::Headless);
        put(Ok(SurfaceFace { surface: Arc::new(nowhere), application: None }), allocator, surface)
    }

    Instance ["VK_KHR_surface"] vkDestroySurfaceKHR(
        instance: c::Instance,
        surface: c::SurfaceKHR,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(surface);
        Ok(())
    }

    Physical ["VK_KHR_surface"] vkGetPhysicalDeviceSurfaceSupportKHR(
        physical_device: c::PhysicalDevice,
        queue_family_index: u32,
        surface: c::SurfaceKHR,
        supported: *mut c::Bool32,
    ) -> c::Result {
        handle::get(physical_device)?;
        let formats = handle::get(surface)?.surface.formats();
        told(formats.map(|formats| {
            raw::put(supported, (queue_family_index == 0 && !formats.is_empty()).into());
            c::Result::SUCCESS
        }))
    }

    Physical ["VK_KHR_surface"] vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
        physical_device: c::PhysicalDevice,
        surface: c::SurfaceKHR,
        surface_capabilities: *mut c::SurfaceCapabilitiesKHR,
    ) -> c::Result {
        let found = capabilities(handle::get(physical_device)?, handle::get(surface)?);
        told(found.map(|found| {
            raw::put(surface_capabilities, found);
            c::Result::SUCCESS
        }))
    }

    Physical ["VK_KHR_get_surface_capabilities2"] vkGetPhysicalDeviceSurfaceCapabilities2KHR(
        physical_device: c::PhysicalDevice,
        surface_info: *const c::PhysicalDeviceSurfaceInfo2KHR<'_>,
        surface_capabilities: *mut c::SurfaceCapabilities2KHR<'_>,
    ) -> c::Result {
        let info = raw::reference(surface_info, "VkPhysicalDeviceSurfaceInfo2KHR")?;
        let found = capabilities(handle::get(physical_device)?, handle::get(info.surface)?);
        told(found.map(|found| {
            if let Some(out) = surface_capabilities.as_mut() {
                out.surface_capabilities = found;
            }
            c::Result::SUCCESS
        }))
    }

    Physical ["VK_KHR_surface"] vkGetPhysicalDeviceSurfaceFormatsKHR(
        physical_device: c::PhysicalDevice,
        surface: c::SurfaceKHR,
        surface_format_count: *mut u32,
        surface_formats: *mut c::SurfaceFormatKHR,
    ) -> c::Result {
        handle::get(physical_device)?;
        let formats = formats(handle::get(surface)?);
        told(formats.map(|formats| raw::list(formats, surface_format_count, surface_formats)))
    }

    Physical ["VK_KHR_get_surface_capabilities2"] vkGetPhysicalDeviceSurfaceFormats2KHR(
        physical_device: c::PhysicalDevice,
        surface_info: *const c::PhysicalDeviceSurfaceInfo2KHR<'_>,
        surface_format_count: *mut u32,
        surface_formats: *mut c::SurfaceFormat2KHR<'_>,
    ) -> c::Result {
        handle::get(physical_device)?;
        let info = raw::reference(surface_info, "VkPhysicalDeviceSurfaceInfo2KHR")?;
        let formats = formats(handle::get(info.surface)?);
        let fill = |format, out: *mut c::SurfaceFormat2KHR<'_>| (*out).surface_format = format;
        told(formats.map(|formats| raw::list_with(formats, surface_format_count, surface_formats, fill)))
    }

    Physical ["VK_KHR_surface"] vkGetPhysicalDeviceSurfacePresentModesKHR(
        physical_device: c::PhysicalDevice,
        surface: c::SurfaceKHR,
        present_mode_count: *mut u32,
        present_modes: *mut c::PresentModeKHR,
    ) -> c::Result {
        handle::get(physical_device)?;
        let modes = handle::get(surface)?.surface.modes().iter().map(|mode| mode.0);
        Ok(raw::list(modes, present_mode_count, present_modes))
    }

    Physical ["VK_KHR_swapchain"] vkGetPhysicalDevicePresentRectanglesKHR(
        physical_device: c::PhysicalDevice,
        surface: c::SurfaceKHR,
        rect_count: *mut u32,
        rects: *mut c::Rect2D,
    ) -> c::Result {
        let face = handle::get(surface)?;
        told(capabilities(handle::get(physical_device)?, face).map(|found| {
            let rect = c::Rect2D { offset: c::Offset2D::default(), extent: found.current_extent };
            raw::list(std::iter::once(rect), rect_count, rects)
        }))
    }

    Device ["VK_KHR_swapchain"] vkGetDeviceGroupPresentCapabilitiesKHR(
        device: c::Device,
        capabilities: *mut c::DeviceGroupPresentCapabilitiesKHR<'_>,
    ) -> c::Result {
        handle::get(device)?;
        if let Some(out) = capabilities.as_mut() {
            out.present_mask = Default::default();
            out.present_mask[0] = 1;
            out.modes = c::DeviceGroupPresentModeFlagsKHR::LOCAL;
        }
        done()
    }

    Device ["VK_KHR_swapchain"] vkGetDeviceGroupSurfacePresentModesKHR(
        device: c::Device,
        surface: c::SurfaceKHR,
        modes: *mut c::DeviceGroupPresentModeFlagsKHR,
    ) -> c::Result {
        handle::get(device)?;
        handle::get(surface)?;
        raw::put(modes, c::DeviceGroupPresentModeFlagsKHR::LOCAL);
        done()
    }
}
