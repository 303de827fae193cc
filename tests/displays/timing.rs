//! The timing of page flips (VK_EXT_present_timing).

use std::ffi::CStr;

use ash::vk;

use crate::monitor::{Chain, Monitor, SIZES};
use crate::timing_structures::{
    Past, PastInfo, PastProperties, PresentId2, PresentTiming, PresentTimings, Properties,
    StageTime, kind,
};

/// VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT, REQUEST_DEQUEUED and IMAGE_FIRST_PIXEL_OUT.
const STAGES: u32 = 7;
/// VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT.
const RELATIVE: u32 = 1;
/// VESA DMT, 640 × 480 at 60 Hz: 800 × 525 pixels at 25.175 MHz.
const PERIOD_NS: u64 = 800 * 525 * 1_000_000 / 25_175;
/// The display's events have microseconds.
const ROUNDING_NS: u64 = 1000;

/// A function of the device.
fn function(monitor: &Monitor, name: &CStr) -> unsafe extern "system" fn() {
    let load = monitor.instance.fp_v1_0().get_device_proc_addr;
    unsafe { load(monitor.device.handle(), name.as_ptr()) }.unwrap()
}

/// Presents an image with a target time, and returns the times of its stages.
fn present(
    monitor: &Monitor,
    chain: &Chain,
    number: u32,
    (flags, target_time): (u32, u64),
) -> [u64; 3] {
    type GetPast =
        unsafe extern "system" fn(vk::Device, *const PastInfo, *mut PastProperties) -> vk::Result;
    let timing = PresentTiming {
        s_type: kind(4),
        p_next: std::ptr::null(),
        flags,
        target_time,
        domain: 1,
        stages: STAGES,
        target_stage: 4,
    };
    let timings = PresentTimings {
        s_type: kind(3),
        p_next: std::ptr::null(),
        count: 1,
        all: &raw const timing,
    };
    let ids = [u64::from(number)];
    let numbers = PresentId2 {
        s_type: vk::StructureType::from_raw(1_000_479_001),
        p_next: (&raw const timings).cast(),
        count: 1,
        ids: ids.as_ptr(),
    };
    monitor.present_with(chain, number, SIZES[0], (&raw const numbers).cast());
    let info = PastInfo {
        s_type: kind(5),
        p_next: std::ptr::null(),
        flags: 0,
        swapchain: chain.chain,
    };
    let mut times = [StageTime::default(); 3];
    let mut past = Past {
        s_type: kind(7),
        p_next: std::ptr::null(),
        id: 0,
        target_time: 0,
        count: 3,
        stages: times.as_mut_ptr(),
        domain: vk::TimeDomainEXT::DEVICE,
        domain_id: 0,
        complete: 0,
    };
    let mut all = PastProperties {
        s_type: kind(6),
        p_next: std::ptr::null(),
        properties_counter: 0,
        domains_counter: 0,
        count: 1,
        all: &raw mut past,
    };
    // The image is shown, so nothing is missing.
    unsafe {
        let call: GetPast =
            std::mem::transmute(function(monitor, c"vkGetPastPresentationTimingEXT"));
        let got = call(monitor.device.handle(), &raw const info, &raw mut all);
        assert_eq!(got, vk::Result::SUCCESS);
    }
    assert_eq!((all.count, past.id, past.complete), (1, number.into(), 1));
    assert_eq!(past.target_time, target_time);
    assert_eq!(times.map(|time| time.stage), [1, 2, 4]);
    times.map(|time| time.time)
}

pub fn check_flips() {
    type Resize = unsafe extern "system" fn(vk::Device, vk::SwapchainKHR, u32) -> vk::Result;
    type GetProperties = unsafe extern "system" fn(
        vk::Device,
        vk::SwapchainKHR,
        *mut Properties,
        *mut u64,
    ) -> vk::Result;
    let monitor = Monitor::new();
    let surface = monitor.surface(SIZES[0]);
    let chain = monitor.chain(surface, SIZES[0]);
    let mut properties = Properties {
        s_type: kind(1),
        p_next: std::ptr::null(),
        duration: 0,
        interval: 0,
    };
    unsafe {
        let resize: Resize = std::mem::transmute(function(
            &monitor,
            c"vkSetSwapchainPresentTimingQueueSizeEXT",
        ));
        let device = monitor.device.handle();
        assert_eq!(resize(device, chain.chain, 1), vk::Result::SUCCESS);
        let get: GetProperties =
            std::mem::transmute(function(&monitor, c"vkGetSwapchainTimingPropertiesEXT"));
        let got = get(
            device,
            chain.chain,
            &raw mut properties,
            std::ptr::null_mut(),
        );
        assert_eq!(got, vk::Result::SUCCESS);
    }
    assert_eq!(
        (properties.duration, properties.interval),
        (PERIOD_NS, PERIOD_NS)
    );
    // The first image sets the mode; each later one is a flip at a refresh.
    present(&monitor, &chain, 1, (0, 0));
    let mut last = None;
    for (number, periods) in [(2, 0), (3, 0), (4, 0), (5, 3), (6, 4)] {
        let target = match periods {
            0 => (0, 0),
            _ => (RELATIVE, periods * PERIOD_NS),
        };
        let [_, dequeued, shown] = present(&monitor, &chain, number, target);
        assert!(dequeued < shown, "image {number}: {dequeued} {shown}");
        if let Some(last) = last.replace(shown) {
            let difference = (shown - last + ROUNDING_NS) % PERIOD_NS;
            assert!(
                difference <= 2 * ROUNDING_NS,
                "image {number}: {last} {shown}"
            );
            let least = periods.max(1) * PERIOD_NS - ROUNDING_NS;
            assert!(shown - last >= least, "image {number}: {last} {shown}");
        }
        // The image is passed on after the refresh before.
        if periods != 0 {
            assert!(
                shown - dequeued < 2 * PERIOD_NS,
                "image {number}: {dequeued} {shown}"
            );
        }
    }
    let target = last.unwrap() + 7 * PERIOD_NS - PERIOD_NS / 3;
    let [_, _, shown] = present(&monitor, &chain, 7, (0, target));
    assert!(shown >= target, "{target} {shown}");
    assert!(shown < target + 20 * PERIOD_NS, "{target} {shown}");
    monitor.destroy(chain, surface);
}
