//! Entry points of the power and the refreshes of displays.
//!
//! In:  displays, swapchains. Out: power states, fences that events of displays signal, counters.
//! Ref: Vulkan specification, "Display Control", "VK_EXT_display_control".

use std::sync::Arc;

use ash::vk as c;
use vk::sync::Fence;
use wsi::display::{PowerState, Signal};

use crate::display::or_code;
use crate::entry::entries;
use crate::objects::DeviceObject;
use crate::surface::from_wsi;
use crate::{handle, raw};

/// Creates a fence that an event signals.
///
/// # Safety
/// As [`handle::create_with`]; `out` may be written.
unsafe fn write_event_fence(
    device: &DeviceObject,
    allocator: *const c::AllocationCallbacks<'_>,
    out: *mut c::Fence,
    register: impl FnOnce(Signal) -> wsi::Result<()>,
) -> vk::Result<c::Result> {
    let fence = Arc::new(Fence::new(device.context(), false)?);
    let registered = register(fence.later_signal()?);
    if registered.is_ok() {
        // SAFETY: as the caller says.
        unsafe { raw::write(out, handle::create_with(allocator, fence)?) };
    }
    or_code(registered, c::Result::ERROR_UNKNOWN)
}

/// The error for an enumerator that the driver does not know.
fn unknown(what: &'static str) -> vk::Error {
    vk::Error::FeatureNotPresent { what }
}

entries! { DISPLAY_CONTROL:
    Device ["VK_EXT_display_control"] vkDisplayPowerControlEXT(
        device: c::Device,
        display: c::DisplayKHR,
        display_power_info: *const c::DisplayPowerInfoEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        let display = handle::get(display)?;
        let info = raw::reference(display_power_info, "VkDisplayPowerInfoEXT")?;
        let power = match info.power_state {
            c::DisplayPowerStateEXT::OFF => PowerState::Off,
            c::DisplayPowerStateEXT::SUSPEND => PowerState::Suspend,
            c::DisplayPowerStateEXT::ON => PowerState::On,
            _ => return Err(unknown("this power state of displays")),
        };
        or_code(display.card.set_power(display.connector, power), c::Result::ERROR_UNKNOWN)
    }

    Device ["VK_EXT_display_control"] vkRegisterDeviceEventEXT(
        device: c::Device,
        device_event_info: *const c::DeviceEventInfoEXT<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        fence: *mut c::Fence,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(device_event_info, "VkDeviceEventInfoEXT")?;
        if info.device_event != c::DeviceEventTypeEXT::DISPLAY_HOTPLUG {
            return Err(unknown("this event of devices"));
        }
        // Without a primary node there are no displays, and the fence is never signalled.
        let register = |signal| device.card.as_ref().map_or(Ok(()), |card| card.signal_hotplug(signal));
        write_event_fence(device, allocator, fence, register)
    }

    Device ["VK_EXT_display_control"] vkRegisterDisplayEventEXT(
        device: c::Device,
        display: c::DisplayKHR,
        display_event_info: *const c::DisplayEventInfoEXT<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        fence: *mut c::Fence,
    ) -> c::Result {
        let device = handle::get(device)?;
        let display = handle::get(display)?;
        let info = raw::reference(display_event_info, "VkDisplayEventInfoEXT")?;
        if info.display_event != c::DisplayEventTypeEXT::FIRST_PIXEL_OUT {
            return Err(unknown("this event of displays"));
        }
        let register = |signal| display.card.signal_refresh(display.connector, signal);
        write_event_fence(device, allocator, fence, register)
    }

    Device ["VK_EXT_display_control"] vkGetSwapchainCounterEXT(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        counter: c::SurfaceCounterFlagsEXT,
        counter_value: *mut u64,
    ) -> c::Result {
        handle::get(device)?;
        let object = handle::get(swapchain)?;
        if counter != c::SurfaceCounterFlagsEXT::VBLANK {
            return Err(unknown("this counter of surfaces"));
        }
        from_wsi(object.surface.refresh_count().map(|count| {
            raw::write(counter_value, count);
            c::Result::SUCCESS
        }))
    }
}
