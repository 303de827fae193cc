//! The power and the refreshes of displays, and events of them (VK_EXT_display_control,
//! VK_EXT_display_surface_counter).

use std::os::fd::FromRawFd as _;
use std::time::{Duration, Instant};

use ash::{ext, vk};

use crate::monitor::{Chain, Monitor, SIZES};

/// VESA DMT, 640 × 480 at 60 Hz: 800 × 525 pixels at 25.175 MHz.
const PERIOD: Duration = Duration::from_nanos(800 * 525 * 1_000_000 / 25_175);
/// A time after which a display that is on has refreshed.
const LONG_NS: u64 = 5_000_000_000;
/// A time for which a display that is off is watched.
const SHORT_NS: u64 = 60_000_000;

/// A monitor, and the functions of the extension.
struct Controls {
    monitor: Monitor,
    control: ext::display_control::Device,
    display: vk::DisplayKHR,
}

impl Controls {
    fn new() -> Self {
        let monitor = Monitor::new();
        let control = ext::display_control::Device::new(&monitor.instance, &monitor.device);
        let displays = &monitor.displays;
        let all = unsafe { displays.get_physical_device_display_properties(monitor.physical) };
        Self {
            display: all.unwrap()[0].display,
            control,
            monitor,
        }
    }

    fn set_power(&self, state: vk::DisplayPowerStateEXT) {
        let info = vk::DisplayPowerInfoEXT::default().power_state(state);
        let device = self.monitor.device.handle();
        let set = self.control.fp().display_power_control_ext;
        assert_eq!(
            unsafe { set(device, self.display, &raw const info) },
            vk::Result::SUCCESS
        );
    }

    /// A fence for the next refresh.
    fn refresh_fence(&self) -> vk::Fence {
        let info = vk::DisplayEventInfoEXT::default()
            .display_event(vk::DisplayEventTypeEXT::FIRST_PIXEL_OUT);
        let mut fence = vk::Fence::null();
        let register = self.control.fp().register_display_event_ext;
        let device = self.monitor.device.handle();
        let none = std::ptr::null();
        let registered =
            unsafe { register(device, self.display, &raw const info, none, &raw mut fence) };
        assert_eq!(registered, vk::Result::SUCCESS);
        fence
    }

    fn wait(&self, fence: vk::Fence, timeout_ns: u64) -> Result<(), vk::Result> {
        unsafe {
            self.monitor
                .device
                .wait_for_fences(&[fence], true, timeout_ns)
        }
    }

    fn destroy(&self, fence: vk::Fence) {
        unsafe { self.monitor.device.destroy_fence(fence, None) };
    }

    fn counter(&self, chain: &Chain) -> u64 {
        let mut count = u64::MAX;
        let get = self.control.fp().get_swapchain_counter_ext;
        let vblank = vk::SurfaceCounterFlagsEXT::VBLANK;
        let device = self.monitor.device.handle();
        let got = unsafe { get(device, chain.chain, vblank, &raw mut count) };
        assert_eq!(got, vk::Result::SUCCESS);
        count
    }
}

/// Surfaces of displays count refreshes, and so do their swapchains.
pub fn check_counters() {
    let controls = Controls::new();
    let monitor = &controls.monitor;
    let surface = monitor.surface(SIZES[0]);
    let counters = ext::display_surface_counter::Instance::new(&monitor.entry, &monitor.instance);
    let mut found = vk::SurfaceCapabilities2EXT::default();
    let get = counters.fp().get_physical_device_surface_capabilities2_ext;
    let got = unsafe { get(monitor.physical, surface, &raw mut found) };
    assert_eq!(got, vk::Result::SUCCESS);
    let can = unsafe {
        let surfaces = &monitor.surfaces;
        surfaces.get_physical_device_surface_capabilities(monitor.physical, surface)
    };
    let can = can.unwrap();
    assert_eq!(
        found.supported_surface_counters,
        vk::SurfaceCounterFlagsEXT::VBLANK
    );
    assert_eq!(
        (
            found.min_image_count,
            found.current_extent,
            found.supported_usage_flags
        ),
        (
            can.min_image_count,
            can.current_extent,
            can.supported_usage_flags
        )
    );
    assert_eq!(
        (
            found.max_image_extent,
            found.max_image_array_layers,
            found.supported_composite_alpha
        ),
        (
            can.max_image_extent,
            can.max_image_array_layers,
            can.supported_composite_alpha
        )
    );
    let chain = monitor.chain(surface, SIZES[0]);
    // The display is off.
    assert_eq!(controls.counter(&chain), 0);
    monitor.present(&chain, 1, SIZES[0]);
    let begin = Instant::now();
    let first = controls.counter(&chain);
    std::thread::sleep(6 * PERIOD);
    let second = controls.counter(&chain);
    let elapsed = begin.elapsed();
    let most = elapsed.as_nanos() / PERIOD.as_nanos() + 1;
    assert!(second >= first + 6, "{first} {second}");
    assert!(
        u128::from(second - first) <= most,
        "{first} {second} in {elapsed:?}"
    );
    monitor.destroy(chain, surface);
}

/// Fences of the first pixel out are signalled at refreshes, as long as there are any.
pub fn check_refresh_events() {
    let controls = Controls::new();
    let monitor = &controls.monitor;
    let d = &monitor.device;
    // Registered before the display is on: its first refresh.
    let early = controls.refresh_fence();
    assert_eq!(controls.wait(early, SHORT_NS), Err(vk::Result::TIMEOUT));
    let surface = monitor.surface(SIZES[0]);
    let chain = monitor.chain(surface, SIZES[0]);
    monitor.present(&chain, 1, SIZES[0]);
    assert_eq!(controls.wait(early, LONG_NS), Ok(()));
    controls.destroy(early);
    let begin = Instant::now();
    let first = controls.counter(&chain);
    for _ in 0..4 {
        // Two fences for one refresh, while images are flipped.
        let fences = [controls.refresh_fence(), controls.refresh_fence()];
        let waited = unsafe { d.wait_for_fences(&fences, true, LONG_NS) };
        assert_eq!(waited, Ok(()));
        unsafe {
            assert_eq!(d.get_fence_status(fences[0]), Ok(true));
            d.reset_fences(&fences).unwrap();
            assert_eq!(d.get_fence_status(fences[0]), Ok(false));
        }
        for fence in fences {
            controls.destroy(fence);
        }
    }
    let refreshes = controls.counter(&chain) - first;
    assert!(refreshes >= 4, "{refreshes}");
    let least = PERIOD * 3;
    assert!(begin.elapsed() >= least, "{:?}", begin.elapsed());
    // Fences that are reset or destroyed before their refresh are not signalled any more.
    controls.set_power(vk::DisplayPowerStateEXT::OFF);
    let [awaited, reset, destroyed] = [0; 3].map(|_| controls.refresh_fence());
    // Also if others have a descriptor of it.
    let exports = ash::khr::external_fence_fd::Device::new(&monitor.instance, d);
    let info = vk::FenceGetFdInfoKHR::default()
        .fence(reset)
        .handle_type(vk::ExternalFenceHandleTypeFlags::OPAQUE_FD);
    let exported =
        unsafe { std::os::fd::OwnedFd::from_raw_fd(exports.get_fence_fd(&info).unwrap()) };
    assert_eq!(controls.wait(awaited, SHORT_NS), Err(vk::Result::TIMEOUT));
    unsafe { d.reset_fences(&[reset]) }.unwrap();
    controls.destroy(destroyed);
    controls.set_power(vk::DisplayPowerStateEXT::ON);
    assert_eq!(controls.wait(awaited, LONG_NS), Ok(()));
    assert_eq!(controls.wait(reset, SHORT_NS), Err(vk::Result::TIMEOUT));
    drop(exported);
    controls.destroy(awaited);
    controls.destroy(reset);
    // Flips and refreshes are told apart: each gets its own event.
    for number in 2..8 {
        let fence = controls.refresh_fence();
        monitor.present(&chain, number, SIZES[0]);
        assert_eq!(controls.wait(fence, LONG_NS), Ok(()));
        controls.destroy(fence);
    }
    monitor.destroy(chain, surface);
}

/// A display that is off is not turned on by images, which keep their pace.
pub fn check_power() {
    let controls = Controls::new();
    let monitor = &controls.monitor;
    let surface = monitor.surface(SIZES[0]);
    let chain = monitor.chain(surface, SIZES[0]);
    // Without a CRTC it is off until an image is shown.
    controls.set_power(vk::DisplayPowerStateEXT::ON);
    monitor.present(&chain, 1, SIZES[0]);
    monitor.present(&chain, 2, SIZES[0]);
    assert_ne!(controls.counter(&chain), 0);
    let states = [
        vk::DisplayPowerStateEXT::OFF,
        vk::DisplayPowerStateEXT::SUSPEND,
    ];
    for (state, first) in states.into_iter().zip([3, 8]) {
        controls.set_power(state);
        let begin = Instant::now();
        for number in first..first + 4 {
            monitor.present(&chain, number, SIZES[0]);
        }
        // The last one waits until it is shown.
        assert!(begin.elapsed() >= 4 * PERIOD, "{:?}", begin.elapsed());
        assert_eq!(controls.counter(&chain), 0);
        controls.set_power(vk::DisplayPowerStateEXT::ON);
        assert_ne!(controls.counter(&chain), 0);
        monitor.present(&chain, first + 4, SIZES[0]);
    }
    monitor.destroy(chain, surface);
}

/// Waits for an event end when the device is lost.
pub fn check_lost_device() {
    let controls = Controls::new();
    let monitor = &controls.monitor;
    let d = &monitor.device;
    // The display is off.
    let fence = controls.refresh_fence();
    unsafe {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(monitor.pool)
            .command_buffer_count(1);
        let commands = d.allocate_command_buffers(&info).unwrap();
        let event = d.create_event(&Default::default(), None).unwrap();
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        d.begin_command_buffer(commands[0], &Default::default())
            .unwrap();
        d.cmd_wait_events(commands[0], &[event], all, all, &[], &[], &[]);
        d.end_command_buffer(commands[0]).unwrap();
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        d.queue_submit(monitor.queue, &[submit], vk::Fence::null())
            .unwrap();
        let lost = Err(vk::Result::ERROR_DEVICE_LOST);
        assert_eq!(d.queue_wait_idle(monitor.queue), lost);
        assert_eq!(controls.wait(fence, u64::MAX), lost);
        assert_eq!(d.get_fence_status(fence), lost.map(|()| true));
        d.destroy_event(event, None);
    }
    controls.destroy(fence);
}

/// A fence of hotplug events, while the monitor is unplugged and plugged in again.
pub fn check_hotplug(unplugged: &std::path::Path) {
    let controls = Controls::new();
    let monitor = &controls.monitor;
    let d = &monitor.device;
    let register = || {
        let info =
            vk::DeviceEventInfoEXT::default().device_event(vk::DeviceEventTypeEXT::DISPLAY_HOTPLUG);
        let mut fence = vk::Fence::null();
        let register = controls.control.fp().register_device_event_ext;
        let none = std::ptr::null();
        let registered = unsafe { register(d.handle(), &raw const info, none, &raw mut fence) };
        assert_eq!(registered, vk::Result::SUCCESS);
        fence
    };
    let displays = || {
        let displays = &monitor.displays;
        let all = unsafe { displays.get_physical_device_display_properties(monitor.physical) };
        all.unwrap().len()
    };
    for plugs_in in [false, true, false] {
        let fence = register();
        assert_eq!(controls.wait(fence, SHORT_NS), Err(vk::Result::TIMEOUT));
        assert_eq!(displays(), usize::from(!plugs_in));
        match plugs_in {
            true => std::fs::remove_file(unplugged).unwrap(),
            false => std::fs::write(unplugged, "").unwrap(),
        }
        assert_eq!(controls.wait(fence, LONG_NS), Ok(()));
        assert_eq!(displays(), usize::from(plugs_in));
        controls.destroy(fence);
    }
}
