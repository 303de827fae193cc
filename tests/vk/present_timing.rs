//! The timing of presents (VK_EXT_present_timing), without a window.

use std::ffi::{CStr, c_void};

use ash::{khr, vk};

use crate::swapchains::Screen;
use crate::timing_structures::{
    Past, PastInfo, PastProperties, PresentId2, PresentTiming, PresentTimings, Properties,
    StageTime, TIMED, kind,
};

/// VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT.
const QUEUE_FULL: vk::Result = vk::Result::from_raw(-1_000_208_000);
/// Stages.
const QUEUE_OPERATIONS_END: u32 = 1;
const REQUEST_DEQUEUED: u32 = 2;
const FIRST_PIXEL_OUT: u32 = 4;
const BOTH: u32 = QUEUE_OPERATIONS_END | REQUEST_DEQUEUED;
/// VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT.
const RELATIVE: u32 = 1;
/// VK_PAST_PRESENTATION_TIMING_ALLOW_PARTIAL_RESULTS_BIT_EXT.
const PARTIAL: u32 = 1;
const MS: u64 = 1_000_000;

#[repr(C)]
struct Domains {
    s_type: vk::StructureType,
    p_next: *const c_void,
    count: u32,
    domains: *mut vk::TimeDomainEXT,
    ids: *mut u64,
}

#[repr(C)]
struct Calibration {
    s_type: vk::StructureType,
    p_next: *const c_void,
    swapchain: vk::SwapchainKHR,
    stage: u32,
    domain: u64,
}

/// A collected report.
#[derive(Clone, Debug, PartialEq)]
struct Report {
    id: u64,
    target_time: u64,
    times: Vec<StageTime>,
    complete: bool,
}

impl Report {
    fn time(&self, stage: u32) -> u64 {
        let mut times = self.times.iter();
        times.find(|time| time.stage == stage).unwrap().time
    }
}

/// A swapchain with timing.
struct Timed {
    screen: Screen,
    swapchain: vk::SwapchainKHR,
    next_id: u64,
}

/// The monotonic clock.
fn now() -> u64 {
    sys::monotonic_ns().unsigned_abs()
}

impl Timed {
    fn new() -> Self {
        let screen = Screen::new();
        let flags = vk::SwapchainCreateFlagsKHR::from_raw(TIMED);
        let swapchain = screen.swapchain_with(vk::SwapchainKHR::null(), flags);
        Self {
            swapchain: swapchain.unwrap(),
            screen,
            next_id: 1,
        }
    }

    fn function(&self, name: &CStr) -> unsafe extern "system" fn() {
        let load = self.screen.instance.fp_v1_0().get_device_proc_addr;
        unsafe { load(self.screen.device.handle(), name.as_ptr()) }.unwrap()
    }

    fn resize(&self, swapchain: vk::SwapchainKHR, size: u32) -> vk::Result {
        type F = unsafe extern "system" fn(vk::Device, vk::SwapchainKHR, u32) -> vk::Result;
        unsafe {
            let call: F =
                std::mem::transmute(self.function(c"vkSetSwapchainPresentTimingQueueSizeEXT"));
            call(self.screen.device.handle(), swapchain, size)
        }
    }

    /// Presents an image; its present ID is one more than the last one.
    fn present_image(
        &mut self,
        index: u32,
        (flags, target_time): (u32, u64),
        stages: u32,
        domain: u64,
    ) -> Result<bool, vk::Result> {
        let (swapchains, indices, ids) = ([self.swapchain], [index], [self.next_id]);
        let timing = PresentTiming {
            s_type: kind(4),
            p_next: std::ptr::null(),
            flags,
            target_time,
            domain,
            stages,
            target_stage: FIRST_PIXEL_OUT,
        };
        let timings = PresentTimings {
            s_type: kind(3),
            p_next: std::ptr::null(),
            count: 1,
            all: &raw const timing,
        };
        let numbers = PresentId2 {
            s_type: vk::StructureType::from_raw(1_000_479_001),
            p_next: (&raw const timings).cast(),
            count: 1,
            ids: ids.as_ptr(),
        };
        let mut info = vk::PresentInfoKHR::default()
            .swapchains(&swapchains)
            .image_indices(&indices);
        info.p_next = (&raw const numbers).cast();
        let (queue, swapchains) = (self.screen.queue, &self.screen.swapchains);
        let presented = unsafe { swapchains.queue_present(queue, &info) };
        self.next_id += u64::from(presented.is_ok());
        presented
    }

    fn present(&mut self, target: (u32, u64), stages: u32) -> Result<bool, vk::Result> {
        let index = self.screen.acquire(self.swapchain, u64::MAX).unwrap();
        self.present_image(index, target, stages, 1)
    }

    /// The available reports, at most so many.
    fn past(&self, flags: u32, room: usize) -> (vk::Result, Vec<Report>) {
        type F = unsafe extern "system" fn(
            vk::Device,
            *const PastInfo,
            *mut PastProperties,
        ) -> vk::Result;
        let info = PastInfo {
            s_type: kind(5),
            p_next: std::ptr::null(),
            flags,
            swapchain: self.swapchain,
        };
        let mut times = vec![[StageTime::default(); 4]; room];
        let past = |times: &mut [StageTime; 4]| Past {
            s_type: kind(7),
            p_next: std::ptr::null(),
            id: 0,
            target_time: 0,
            count: 4,
            stages: times.as_mut_ptr(),
            domain: vk::TimeDomainEXT::DEVICE,
            domain_id: 0,
            complete: 7,
        };
        let mut all: Vec<Past> = times.iter_mut().map(past).collect();
        let mut properties = PastProperties {
            s_type: kind(6),
            p_next: std::ptr::null(),
            properties_counter: 0,
            domains_counter: 0,
            count: room as u32,
            all: match room {
                0 => std::ptr::null_mut(),
                _ => all.as_mut_ptr(),
            },
        };
        let result = unsafe {
            let call: F = std::mem::transmute(self.function(c"vkGetPastPresentationTimingEXT"));
            call(
                self.screen.device.handle(),
                &raw const info,
                &raw mut properties,
            )
        };
        assert!(properties.properties_counter > 0 && properties.domains_counter > 0);
        if room == 0 {
            let none = Report {
                id: 0,
                target_time: 0,
                times: Vec::new(),
                complete: false,
            };
            return (result, vec![none; properties.count as usize]);
        }
        let reports = all.iter().zip(&times).take(properties.count as usize);
        let reports = reports.map(|(past, times)| {
            assert_eq!(
                (past.domain, past.domain_id),
                (vk::TimeDomainEXT::from_raw(1_000_208_000), 1)
            );
            assert!(past.complete <= 1);
            Report {
                id: past.id,
                target_time: past.target_time,
                times: times[..past.count as usize].to_vec(),
                complete: past.complete == 1,
            }
        });
        (result, reports.collect())
    }

    /// Waits for the next report, and collects it.
    fn report(&self) -> Report {
        let begin = now();
        loop {
            let (result, mut reports) = self.past(0, 1);
            assert!(result.as_raw() >= 0, "{result}");
            if let Some(report) = reports.pop() {
                return report;
            }
            assert!(now() - begin < 20_000 * MS, "no report");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    fn destroy(self) {
        self.screen.destroy(&[self.swapchain]);
    }
}

#[test]
fn presents_report_when_their_stages_end() {
    let mut timed = Timed::new();
    // There is no room before a size is set.
    let index = timed.screen.acquire(timed.swapchain, u64::MAX).unwrap();
    assert_eq!(timed.present_image(index, (0, 0), BOTH, 1), Err(QUEUE_FULL));
    assert_eq!(timed.resize(timed.swapchain, 2), vk::Result::SUCCESS);
    let begin = now();
    // The image was not presented.
    assert_eq!(timed.present_image(index, (0, 0), BOTH, 1), Ok(false));
    let report = timed.report();
    let end = now();
    let (rendered, dequeued) = (
        report.time(QUEUE_OPERATIONS_END),
        report.time(REQUEST_DEQUEUED),
    );
    assert!(report.complete && report.id == 1 && report.target_time == 0);
    assert_eq!(report.times.len(), 2);
    // A tick of the GPU is shorter than 0.1 µs; the clocks are read a few µs difference.
    assert!(
        (begin - MS..end + MS).contains(&rendered),
        "{begin} {rendered} {end}"
    );
    assert!((begin..end).contains(&dequeued), "{begin} {dequeued} {end}");
    // Copies of images begin when they are rendered.
    assert!(rendered < dequeued + MS, "{rendered} {dequeued}");
    assert_eq!(timed.past(0, 1), (vk::Result::SUCCESS, Vec::new()));
    // Nothing is reported of a present that asks for nothing, and it needs no room.
    assert_eq!(timed.present((0, 0), 0), Ok(false));
    for _ in 0..2 {
        assert_eq!(timed.present((0, 0), QUEUE_OPERATIONS_END), Ok(false));
    }
    assert_eq!(timed.resize(timed.swapchain, 1), vk::Result::NOT_READY);
    let index = timed.screen.acquire(timed.swapchain, u64::MAX).unwrap();
    let refused = timed.present_image(index, (0, 0), BOTH, 1);
    assert_eq!(refused, Err(QUEUE_FULL));
    unsafe { timed.screen.device.device_wait_idle() }.unwrap();
    assert_eq!(timed.past(0, 0).1.len(), 2);
    let (result, reports) = timed.past(0, 1);
    assert_eq!((result, reports[0].id), (vk::Result::INCOMPLETE, 3));
    assert_eq!(timed.present_image(index, (0, 0), BOTH, 1), Ok(false));
    assert_eq!([timed.report().id, timed.report().id], [4, 5]);
    assert_eq!(timed.resize(timed.swapchain, 1), vk::Result::SUCCESS);
    timed.destroy();
}

#[test]
fn images_are_shown_at_their_time() {
    let mut timed = Timed::new();
    assert_eq!(timed.resize(timed.swapchain, 4), vk::Result::SUCCESS);
    // A relative time needs an image before.
    let begin = now();
    timed
        .present((RELATIVE, 60_000 * MS), REQUEST_DEQUEUED)
        .unwrap();
    let first = timed.report();
    assert!(first.time(REQUEST_DEQUEUED) < begin + 30_000 * MS);
    assert_eq!(first.target_time, 60_000 * MS);
    let target = now() + 80 * MS;
    timed.present((0, target), BOTH).unwrap();
    timed
        .present((RELATIVE, 50 * MS), REQUEST_DEQUEUED)
        .unwrap();
    // Until then nothing is reported, but by part.
    unsafe { timed.screen.device.device_wait_idle() }.unwrap();
    let (_, none) = timed.past(0, 2);
    let (result, partial) = timed.past(PARTIAL, 2);
    if now() < target {
        assert_eq!(none, []);
        assert_eq!((result, partial.len()), (vk::Result::SUCCESS, 1));
        assert!(!partial[0].complete && partial[0].times.len() == 1);
        assert_eq!(partial[0].times[0].stage, QUEUE_OPERATIONS_END);
    }
    let [absolute, relative] = [timed.report(), timed.report()];
    let [shown, next] = [&absolute, &relative].map(|report| report.time(REQUEST_DEQUEUED));
    assert!(
        (target..target + 5_000 * MS).contains(&shown),
        "{target} {shown}"
    );
    assert!(absolute.time(QUEUE_OPERATIONS_END) < shown);
    assert!(
        (shown + 50 * MS..shown + 5_000 * MS).contains(&next),
        "{shown} {next}"
    );
    // The end does not wait for an image that is far off.
    timed
        .present((0, now() + 3_600_000 * MS), REQUEST_DEQUEUED)
        .unwrap();
    timed.destroy();
}

#[test]
fn time_domains_are_listed_and_calibrated() {
    type List = unsafe extern "system" fn(
        vk::Device,
        vk::SwapchainKHR,
        *mut Domains,
        *mut u64,
    ) -> vk::Result;
    let mut timed = Timed::new();
    let device = timed.screen.device.handle();
    let list = |count: u32, domains: &mut [vk::TimeDomainEXT], ids: &mut [u64]| unsafe {
        let call: List =
            std::mem::transmute(timed.function(c"vkGetSwapchainTimeDomainPropertiesEXT"));
        let (domains, ids) = match count {
            0 => (std::ptr::null_mut(), std::ptr::null_mut()),
            _ => (domains.as_mut_ptr(), ids.as_mut_ptr()),
        };
        let mut all = Domains {
            s_type: kind(2),
            p_next: std::ptr::null(),
            count,
            domains,
            ids,
        };
        let mut counter = 0;
        let result = call(device, timed.swapchain, &raw mut all, &raw mut counter);
        assert!(counter > 0);
        (result, all.count)
    };
    let mut domains = [vk::TimeDomainEXT::DEVICE; 3];
    let mut ids = [0; 3];
    assert_eq!(list(0, &mut domains, &mut ids), (vk::Result::SUCCESS, 3));
    assert_eq!(list(2, &mut domains, &mut ids), (vk::Result::INCOMPLETE, 2));
    assert_eq!(list(3, &mut domains, &mut ids), (vk::Result::SUCCESS, 3));
    let local = vk::TimeDomainEXT::from_raw(1_000_208_000);
    let meant = [
        local,
        vk::TimeDomainEXT::from_raw(1_000_208_001),
        vk::TimeDomainEXT::CLOCK_MONOTONIC,
    ];
    assert_eq!(domains, meant);

    type Calibrate = unsafe extern "system" fn(
        vk::Device,
        u32,
        *const vk::CalibratedTimestampInfoEXT<'_>,
        *mut u64,
        *mut u64,
    ) -> vk::Result;
    let calibrate = |domain, id, stage, swapchain| unsafe {
        let call: Calibrate = std::mem::transmute(timed.function(c"vkGetCalibratedTimestampsKHR"));
        let node = Calibration {
            s_type: kind(9),
            p_next: std::ptr::null(),
            swapchain,
            stage,
            domain: id,
        };
        let both = [domain, vk::TimeDomainEXT::CLOCK_MONOTONIC].map(|domain| {
            let mut info = vk::CalibratedTimestampInfoEXT::default().time_domain(domain);
            info.p_next = (&raw const node).cast();
            info
        });
        let (mut times, mut deviation) = ([0; 2], 0);
        call(device, 2, both.as_ptr(), times.as_mut_ptr(), &mut deviation)
            .result()
            .map(|()| (times[1] - times[0], deviation))
    };
    let own = timed.swapchain;
    for (domain, id, stage) in [
        (domains[0], ids[0], QUEUE_OPERATIONS_END),
        (domains[1], ids[1], 0),
    ] {
        // Its clock is the monotonic clock.
        let (difference, deviation) = calibrate(domain, id, stage, own).unwrap();
        assert!(difference <= deviation, "{difference} {deviation}");
    }
    // A number that is not listed, that of another domain, two stages, no stage.
    for (id, stage) in [(99, 1), (ids[1], 1), (ids[0], BOTH), (ids[0], 0)] {
        assert!(
            calibrate(domains[0], id, stage, own).is_err(),
            "{id} {stage}"
        );
    }

    let index = timed.screen.acquire(timed.swapchain, u64::MAX).unwrap();
    assert_eq!(timed.resize(timed.swapchain, 1), vk::Result::SUCCESS);
    assert!(timed.present_image(index, (0, 0), BOTH, 99).is_err());
    // The refused one has taken no room.
    assert_eq!(timed.present_image(index, (0, 0), BOTH, 1), Ok(false));
    timed.destroy();
}

#[test]
fn timing_is_for_swapchains_that_are_created_with_it() {
    let mut timed = Timed::new();
    let untimed = timed.screen.swapchain(timed.swapchain).unwrap();
    assert!(timed.resize(untimed, 1).as_raw() < 0);
    let old = std::mem::replace(&mut timed.swapchain, untimed);
    let index = timed.screen.acquire(untimed, u64::MAX).unwrap();
    assert!(timed.present_image(index, (0, 0), BOTH, 1).is_err());
    assert_eq!(timed.resize(old, 1), vk::Result::SUCCESS);
    timed.screen.destroy(&[old, untimed]);
}

#[test]
fn a_surface_without_a_display_times_what_precedes_the_display() {
    let timed = Timed::new();
    let screen = &timed.screen;
    #[repr(C)]
    struct Found {
        s_type: vk::StructureType,
        p_next: *const c_void,
        supported: [vk::Bool32; 3],
        stages: u32,
    }
    let mut found = Found {
        s_type: kind(8),
        p_next: std::ptr::null(),
        supported: [7; 3],
        stages: !0,
    };
    let mut all = vk::SurfaceCapabilities2KHR {
        p_next: (&raw mut found).cast(),
        ..Default::default()
    };
    let get = khr::get_surface_capabilities2::Instance::new(&screen.entry, &screen.instance);
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(screen.surface);
    let physical = screen.physical;
    let got = unsafe { get.get_physical_device_surface_capabilities2(physical, &info, &mut all) };
    got.unwrap();
    assert_eq!(found.supported, [vk::TRUE; 3]);
    assert_eq!(found.stages, BOTH);
    type F = unsafe extern "system" fn(
        vk::Device,
        vk::SwapchainKHR,
        *mut Properties,
        *mut u64,
    ) -> vk::Result;
    let mut properties = Properties {
        s_type: kind(1),
        p_next: std::ptr::null(),
        duration: 7,
        interval: 7,
    };
    let mut counter = 0;
    let result = unsafe {
        let call: F = std::mem::transmute(timed.function(c"vkGetSwapchainTimingPropertiesEXT"));
        let device = screen.device.handle();
        call(
            device,
            timed.swapchain,
            &raw mut properties,
            &raw mut counter,
        )
    };
    // There are no refreshes.
    assert_eq!(result, vk::Result::SUCCESS);
    assert_eq!((properties.duration, properties.interval), (0, 0));
    assert!(counter > 0);
    timed.destroy();
}
