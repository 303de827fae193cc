//! Entry points of surfaces: X11 and Wayland windows, and headless surfaces.
//!
//! In:  windows of the application. Out: surfaces of `wsi`, and their capabilities.
//! Ref: Vulkan specification, "Window System Integration (WSI)", "WSI Surface".

use std::ffi::{c_ulong, c_void};
use std::sync::Arc;

use ash::vk as c;
use wayland_client::Proxy;
use wayland_client::backend::{Backend, ObjectId};
use wayland_client::protocol::wl_surface::WlSurface;
use wsi::present::{AlphaMode, GpuNodes};
use wsi::surface::{MAX_EXTENT, MIN_IMAGES, NativeWindow};
use wsi::{wayland, x11};

use crate::entry::{done, entries};
use crate::native_connection::NativeConnection;
use crate::objects::SurfaceObject;
use crate::{diagnosis, handle, raw};

/// Converts a result of `wsi`: reports an error of the window system and returns its code.
pub fn from_wsi(result: wsi::Result<c::Result>) -> vk::Result<c::Result> {
    result.or_else(|error| match error {
        wsi::Error::Device(error) => Err(error),
        error => {
            diagnosis::report(&error);
            Ok(error.code())
        }
    })
}

/// A surface of an X11 window.
///
/// # Safety
/// The connection is open, and the window exists on its server.
unsafe fn x11_surface(connection: NativeConnection, window: u32) -> wsi::Result<SurfaceObject> {
    // SAFETY: as the caller says.
    let window = unsafe {
        connection.sync()?;
        x11::Window::open(connection.socket()?, window)?
    };
    Ok(SurfaceObject {
        surface: Arc::new(wsi::Surface::new(NativeWindow::X11(Box::new(window)))),
        connection: Some(connection),
    })
}

/// Whether the driver can present to windows with an X11 visual.
///
/// # Safety
/// The connection is open.
unsafe fn supports_visual(connection: NativeConnection, visual: u32) -> c::Bool32 {
    // SAFETY: as the caller says.
    let socket = unsafe { connection.socket() };
    let supported = socket.and_then(|socket| x11::supports_visual(socket, visual));
    supported.unwrap_or(false).into()
}

/// A surface of a Wayland window.
///
/// # Safety
/// The arguments are libwayland's `wl_display` and a `wl_surface` of it, which outlive the surface.
unsafe fn wayland_surface(
    display: *mut c_void,
    surface: *mut c_void,
) -> wsi::Result<SurfaceObject> {
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
    let native = NativeWindow::Wayland(wayland::Window::new(connection, surface));
    Ok(SurfaceObject {
        surface: Arc::new(wsi::Surface::new(native)),
        connection: None,
    })
}

/// Creates the handle of a surface.
///
/// # Safety
/// As [`handle::create_with`]; `out` may be written.
pub unsafe fn write_surface(
    surface: wsi::Result<SurfaceObject>,
    allocator: *const c::AllocationCallbacks<'_>,
    out: *mut c::SurfaceKHR,
) -> vk::Result<c::Result> {
    from_wsi(surface.and_then(|surface| {
        // SAFETY: as the caller says.
        unsafe { raw::write(out, handle::create_with(allocator, surface)?) };
        Ok(c::Result::SUCCESS)
    }))
}

/// The usage flags that images of a format support.
pub fn supported_usage(physical: &vk::PhysicalDevice, format: c::Format) -> c::ImageUsageFlags {
    use c::ImageUsageFlags as U;
    let uses = [
        U::TRANSFER_SRC,
        U::TRANSFER_DST,
        U::SAMPLED,
        U::STORAGE,
        U::COLOR_ATTACHMENT,
        U::INPUT_ATTACHMENT,
        U::ATTACHMENT_FEEDBACK_LOOP_EXT,
    ];
    let supported = |usage: &U| {
        let description = wsi::frame::ImageDescription {
            format,
            extent_px: [1, 1],
            layers: 1,
            usage: *usage,
            flags: c::ImageCreateFlags::empty(),
            color_space: c::ColorSpaceKHR::SRGB_NONLINEAR,
        };
        physical
            .image_format_properties(&description.info(None).question)
            .is_ok()
    };
    uses.into_iter()
        .filter(supported)
        .fold(U::empty(), |all, usage| all | usage)
}

/// The capabilities of a surface, after the server has processed the application's requests.
///
/// # Safety
/// As [`SurfaceObject::sync_connection`].
unsafe fn capabilities(
    physical: &vk::PhysicalDevice,
    surface: &SurfaceObject,
) -> wsi::Result<c::SurfaceCapabilitiesKHR> {
    // SAFETY: as the caller says.
    unsafe { surface.sync_connection()? };
    let found = surface.surface.capabilities()?;
    let extent = |[width, height]: [u32; 2]| c::Extent2D { width, height };
    let any = [u32::MAX; 2];
    let alphas = surface.surface.alphas().iter().map(|alpha| match alpha {
        AlphaMode::Opaque => c::CompositeAlphaFlagsKHR::OPAQUE,
        AlphaMode::Premultiplied => c::CompositeAlphaFlagsKHR::PRE_MULTIPLIED,
        AlphaMode::Inherit => c::CompositeAlphaFlagsKHR::INHERIT,
    });
    let none = c::CompositeAlphaFlagsKHR::empty();
    let uses = surface
        .surface
        .formats(&GpuNodes::new(physical))?
        .into_iter()
        .map(|format| supported_usage(physical, format));
    Ok(c::SurfaceCapabilitiesKHR {
        min_image_count: MIN_IMAGES,
        // 0 means no limit.
        max_image_count: 0,
        current_extent: extent(found.extent.unwrap_or(any)),
        min_image_extent: extent(found.extent.unwrap_or([1, 1])),
        max_image_extent: extent(found.extent.unwrap_or([MAX_EXTENT; 2])),
        max_image_array_layers: 1,
        supported_transforms: c::SurfaceTransformFlagsKHR::IDENTITY,
        current_transform: c::SurfaceTransformFlagsKHR::IDENTITY,
        supported_composite_alpha: alphas.fold(none, |all, one| all | one),
        // What a swapchain of some format supports; not all of them have every use.
        supported_usage_flags: uses.fold(c::ImageUsageFlags::empty(), |all, one| all | one),
    })
}

/// The counters that a surface has.
pub fn supported_counters(surface: &wsi::Surface) -> c::SurfaceCounterFlagsEXT {
    match surface.counts_refreshes() {
        true => c::SurfaceCounterFlagsEXT::VBLANK,
        false => c::SurfaceCounterFlagsEXT::empty(),
    }
}

/// How a surface shows images of other sizes, and where: pixel by pixel, at the upper left corner.
pub fn supported_scaling(
    surface: &wsi::Surface,
) -> (c::PresentScalingFlagsEXT, c::PresentGravityFlagsEXT) {
    match surface.shows_any_size() {
        true => (
            c::PresentScalingFlagsEXT::ONE_TO_ONE,
            c::PresentGravityFlagsEXT::MIN,
        ),
        false => Default::default(),
    }
}

/// Fills in what depends on the present mode, if one is given, and on scaling
/// (VK_KHR_surface_maintenance1).
///
/// # Safety
/// The chain of `out` is valid and writable.
unsafe fn write_maintenance(
    surface: &wsi::Surface,
    mode: Option<c::PresentModeKHR>,
    out: &mut c::SurfaceCapabilities2KHR<'_>,
) -> wsi::Result<()> {
    use crate::types::{
        PresentTimingSurfaceCapabilitiesEXT as PresentTiming,
        SurfaceCapabilitiesPresentId2KHR as PresentId,
        SurfaceCapabilitiesPresentWait2KHR as PresentWait,
    };
    let internal = mode.map(|mode| surface.present_mode(mode)).transpose()?;
    if let Some(mode) = internal.flatten() {
        out.surface_capabilities.min_image_count = surface.min_images(mode);
    }
    // SAFETY: as the caller says; each `sType` determines the type.
    unsafe {
        for node in raw::chain(out.p_next) {
            match (*node).s_type {
                c::StructureType::SURFACE_PRESENT_SCALING_CAPABILITIES_EXT => {
                    let node = &mut *node.cast::<c::SurfacePresentScalingCapabilitiesEXT<'_>>();
                    let (scaling, gravity) = supported_scaling(surface);
                    let [first, last] = match scaling.is_empty() {
                        true => [
                            out.surface_capabilities.min_image_extent,
                            out.surface_capabilities.max_image_extent,
                        ],
                        false => [1, MAX_EXTENT].map(|side| c::Extent2D {
                            width: side,
                            height: side,
                        }),
                    };
                    node.supported_present_scaling = scaling;
                    node.supported_present_gravity_x = gravity;
                    node.supported_present_gravity_y = gravity;
                    node.min_scaled_image_extent = first;
                    node.max_scaled_image_extent = last;
                }
                // Each image is shown in its own mode, so that a swapchain can change to any.
                c::StructureType::SURFACE_PRESENT_MODE_COMPATIBILITY_EXT => {
                    let node = &mut *node.cast::<c::SurfacePresentModeCompatibilityEXT<'_>>();
                    let modes = surface.modes()?.iter().map(|row| row.0);
                    let count = &raw mut node.present_mode_count;
                    // There is no result for a list that is too short.
                    let _ = raw::write_list(modes, count, node.p_present_modes);
                }
                // Every presentation reports when it is shown.
                <PresentId<'_> as c::TaggedStructure>::STRUCTURE_TYPE => {
                    (*node.cast::<PresentId<'_>>()).present_id2_supported = c::TRUE;
                }
                // The swapchain's thread keeps images until their time.
                <PresentTiming<'_> as c::TaggedStructure>::STRUCTURE_TYPE => {
                    let node = &mut *node.cast::<PresentTiming<'_>>();
                    node.present_timing_supported = c::TRUE;
                    node.present_at_absolute_time_supported = c::TRUE;
                    node.present_at_relative_time_supported = c::TRUE;
                    node.present_stage_queries = surface.timed_stages()?;
                }
                // There is no protected memory.
                c::StructureType::SURFACE_PROTECTED_CAPABILITIES_KHR => {
                    let node = &mut *node.cast::<c::SurfaceProtectedCapabilitiesKHR<'_>>();
                    node.supports_protected = c::FALSE;
                }
                <PresentWait<'_> as c::TaggedStructure>::STRUCTURE_TYPE => {
                    (*node.cast::<PresentWait<'_>>()).present_wait2_supported = c::TRUE;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The formats of a surface, in each of its colour spaces. Those beyond sRGB belong to an
/// extension.
fn formats(
    physical: &vk::PhysicalDevice,
    surface: &SurfaceObject,
) -> wsi::Result<impl ExactSizeIterator<Item = c::SurfaceFormatKHR>> {
    let formats = surface.surface.formats(&GpuNodes::new(physical))?;
    let spaces = match physical.instance_has("VK_EXT_swapchain_colorspace") {
        true => surface.surface.color_spaces()?,
        false => vec![c::ColorSpaceKHR::SRGB_NONLINEAR],
    };
    let all = spaces.into_iter().flat_map(|color_space| {
        let formats = formats.iter();
        formats.map(move |&format| c::SurfaceFormatKHR {
            format,
            color_space,
        })
    });
    Ok(all.collect::<Vec<_>>().into_iter())
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
        write_surface(x11_surface(NativeConnection::Xcb(info.connection.cast()), info.window), allocator, surface)
    }

    Physical ["VK_KHR_xcb_surface"] vkGetPhysicalDeviceXcbPresentationSupportKHR(
        physical_device: c::PhysicalDevice,
        queue_family_index: u32,
        connection: *mut c_void,
        visual: u32,
    ) -> c::Bool32 {
        handle::get(physical_device)?;
        Ok(supports_visual(NativeConnection::Xcb(connection), visual))
    }

    Instance ["VK_KHR_xlib_surface"] vkCreateXlibSurfaceKHR(
        instance: c::Instance,
        create_info: *const c::XlibSurfaceCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        surface: *mut c::SurfaceKHR,
    ) -> c::Result {
        handle::get(instance)?;
        let info = raw::reference(create_info, "VkXlibSurfaceCreateInfoKHR")?;
        // X11 resource IDs have 29 bits, whatever the type.
        write_surface(x11_surface(NativeConnection::Xlib(info.dpy.cast()), info.window as u32), allocator, surface)
    }

    Physical ["VK_KHR_xlib_surface"] vkGetPhysicalDeviceXlibPresentationSupportKHR(
        physical_device: c::PhysicalDevice,
        queue_family_index: u32,
        display: *mut c_void,
        visual: c_ulong,
    ) -> c::Bool32 {
        handle::get(physical_device)?;
        Ok(supports_visual(NativeConnection::Xlib(display), visual as u32))
    }

    Instance ["VK_KHR_wayland_surface"] vkCreateWaylandSurfaceKHR(
        instance: c::Instance,
        create_info: *const c::WaylandSurfaceCreateInfoKHR<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        surface: *mut c::SurfaceKHR,
    ) -> c::Result {
        handle::get(instance)?;
        let info = raw::reference(create_info, "VkWaylandSurfaceCreateInfoKHR")?;
        write_surface(wayland_surface(info.display.cast(), info.surface.cast()), allocator, surface)
    }

    Physical ["VK_KHR_wayland_surface"] vkGetPhysicalDeviceWaylandPresentationSupportKHR(
        physical_device: c::PhysicalDevice,
        queue_family_index: u32,
        display: *mut c_void,
    ) -> c::Bool32 {
        handle::get(physical_device)?;
        // Every compositor supports wl_shm.
        Ok(c::TRUE)
    }

    Instance ["VK_EXT_headless_surface"] vkCreateHeadlessSurfaceEXT(
        instance: c::Instance,
        create_info: *const c::HeadlessSurfaceCreateInfoEXT<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        surface: *mut c::SurfaceKHR,
    ) -> c::Result {
        handle::get(instance)?;
        let headless = wsi::Surface::new(NativeWindow::Headless);
        write_surface(Ok(SurfaceObject { surface: Arc::new(headless), connection: None }), allocator, surface)
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
        let gpu = GpuNodes::new(handle::get(physical_device)?);
        let formats = handle::get(surface)?.surface.formats(&gpu);
        from_wsi(formats.map(|formats| {
            raw::write(supported, (queue_family_index == 0 && !formats.is_empty()).into());
            c::Result::SUCCESS
        }))
    }

    Physical ["VK_KHR_surface"] vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
        physical_device: c::PhysicalDevice,
        surface: c::SurfaceKHR,
        surface_capabilities: *mut c::SurfaceCapabilitiesKHR,
    ) -> c::Result {
        let found = capabilities(handle::get(physical_device)?, handle::get(surface)?);
        from_wsi(found.map(|found| {
            raw::write(surface_capabilities, found);
            c::Result::SUCCESS
        }))
    }

    Physical ["VK_KHR_get_surface_capabilities2"] vkGetPhysicalDeviceSurfaceCapabilities2KHR(
        physical_device: c::PhysicalDevice,
        surface_info: *const c::PhysicalDeviceSurfaceInfo2KHR<'_>,
        surface_capabilities: *mut c::SurfaceCapabilities2KHR<'_>,
    ) -> c::Result {
        let info = raw::reference(surface_info, "VkPhysicalDeviceSurfaceInfo2KHR")?;
        let surface = handle::get(info.surface)?;
        let found = capabilities(handle::get(physical_device)?, surface);
        from_wsi(found.map(|found| {
            if let Some(out) = surface_capabilities.as_mut() {
                out.surface_capabilities = found;
                let mode = raw::find_in_chain::<c::SurfacePresentModeEXT<'_>>(info.p_next);
                write_maintenance(&surface.surface, mode.map(|node| node.present_mode), out)?;
            }
            Ok(c::Result::SUCCESS)
        }).and_then(|written| written))
    }

    Physical ["VK_EXT_display_surface_counter"] vkGetPhysicalDeviceSurfaceCapabilities2EXT(
        physical_device: c::PhysicalDevice,
        surface: c::SurfaceKHR,
        surface_capabilities: *mut c::SurfaceCapabilities2EXT<'_>,
    ) -> c::Result {
        let surface = handle::get(surface)?;
        let found = capabilities(handle::get(physical_device)?, surface);
        from_wsi(found.map(|found| {
            if let Some(out) = surface_capabilities.as_mut() {
                out.min_image_count = found.min_image_count;
                out.max_image_count = found.max_image_count;
                out.current_extent = found.current_extent;
                out.min_image_extent = found.min_image_extent;
                out.max_image_extent = found.max_image_extent;
                out.max_image_array_layers = found.max_image_array_layers;
                out.supported_transforms = found.supported_transforms;
                out.current_transform = found.current_transform;
                out.supported_composite_alpha = found.supported_composite_alpha;
                out.supported_usage_flags = found.supported_usage_flags;
                out.supported_surface_counters = supported_counters(&surface.surface);
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
        let formats = formats(handle::get(physical_device)?, handle::get(surface)?);
        from_wsi(formats.map(|formats| raw::write_list(formats, surface_format_count, surface_formats)))
    }

    Physical ["VK_KHR_get_surface_capabilities2"] vkGetPhysicalDeviceSurfaceFormats2KHR(
        physical_device: c::PhysicalDevice,
        surface_info: *const c::PhysicalDeviceSurfaceInfo2KHR<'_>,
        surface_format_count: *mut u32,
        surface_formats: *mut c::SurfaceFormat2KHR<'_>,
    ) -> c::Result {
        let info = raw::reference(surface_info, "VkPhysicalDeviceSurfaceInfo2KHR")?;
        let formats = formats(handle::get(physical_device)?, handle::get(info.surface)?);
        let fill = |format, out: *mut c::SurfaceFormat2KHR<'_>| (*out).surface_format = format;
        from_wsi(formats.map(|formats| raw::write_list_with(formats, surface_format_count, surface_formats, fill)))
    }

    Physical ["VK_KHR_surface"] vkGetPhysicalDeviceSurfacePresentModesKHR(
        physical_device: c::PhysicalDevice,
        surface: c::SurfaceKHR,
        present_mode_count: *mut u32,
        present_modes: *mut c::PresentModeKHR,
    ) -> c::Result {
        handle::get(physical_device)?;
        let modes = handle::get(surface)?.surface.modes();
        from_wsi(modes.map(|modes| {
            raw::write_list(modes.iter().map(|mode| mode.0), present_mode_count, present_modes)
        }))
    }

    Physical ["VK_KHR_swapchain"] vkGetPhysicalDevicePresentRectanglesKHR(
        physical_device: c::PhysicalDevice,
        surface: c::SurfaceKHR,
        rect_count: *mut u32,
        rects: *mut c::Rect2D,
    ) -> c::Result {
        let surface = handle::get(surface)?;
        from_wsi(capabilities(handle::get(physical_device)?, surface).map(|found| {
            let rect = c::Rect2D { offset: c::Offset2D::default(), extent: found.current_extent };
            raw::write_list(std::iter::once(rect), rect_count, rects)
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
        raw::write(modes, c::DeviceGroupPresentModeFlagsKHR::LOCAL);
        done()
    }
}
