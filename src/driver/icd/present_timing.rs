//! Entry points of the timing of presents.
//!
//! In:  swapchains created with timing, presents with stages and target times. Out: the refreshes
//!      of their displays, the times of their presents.
//! Ref: Vulkan specification, "VK_EXT_present_timing".

use wsi::present::Refresh;
use wsi::schedule::Target;
use wsi::timing::{ReportFilter, TimeDomain, TimedPresent, TimingReport};

use crate::entry::entries;
use crate::objects::SwapchainObject;
use crate::surface::from_wsi;
use crate::{handle, raw, types as c};

/// `VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT`.
const STAGE_LOCAL: c::TimeDomainEXT = c::TimeDomainEXT::from_raw(1_000_208_000);
/// `VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT`.
const SWAPCHAIN_LOCAL: c::TimeDomainEXT = c::TimeDomainEXT::from_raw(1_000_208_001);
/// The counter of changes of the time domains: they never change.
const TIME_DOMAINS_COUNTER: u64 = 1;
/// `VkPresentTimingInfoFlagBitsEXT`.
const AT_RELATIVE_TIME: u32 = 1;
const AT_NEAREST_REFRESH: u32 = 2;
/// `VkPastPresentationTimingFlagBitsEXT`.
const ALLOW_PARTIAL: u32 = 1;
const ALLOW_OUT_OF_ORDER: u32 = 2;

/// The enumerator of a time domain.
fn enumerator(domain: TimeDomain) -> c::TimeDomainEXT {
    match domain {
        TimeDomain::StageLocal => STAGE_LOCAL,
        TimeDomain::SwapchainLocal => SWAPCHAIN_LOCAL,
        TimeDomain::Monotonic => c::TimeDomainEXT::CLOCK_MONOTONIC,
    }
}

/// Whether an enumerator is that of a time domain of swapchains alone.
pub fn is_local(domain: c::TimeDomainEXT) -> bool {
    [STAGE_LOCAL, SWAPCHAIN_LOCAL].contains(&domain)
}

/// The time domain of a swapchain with a number.
fn domain_with_id(id: u64) -> vk::Result<TimeDomain> {
    TimeDomain::with_id(id).ok_or(vk::Error::InvalidUse {
        why: "a time domain that the swapchain does not list",
    })
}

/// Checks that calibration asks for a time domain that a swapchain has: its clock is the monotonic
/// clock.
///
/// # Safety
/// The chain of `info` is valid, and the handle in it is one of this driver.
pub unsafe fn check_calibration(info: &c::CalibratedTimestampInfoEXT<'_>) -> vk::Result<()> {
    type Local<'a> = c::SwapchainCalibratedTimestampInfoEXT<'a>;
    // SAFETY: as the caller says.
    let node = unsafe { raw::find_in_chain::<Local<'_>>(info.p_next) };
    let node = node.ok_or(vk::Error::InvalidUse {
        why: "a time domain of a swapchain without VkSwapchainCalibratedTimestampInfoEXT",
    })?;
    // SAFETY: as the caller says.
    unsafe { timed(node.swapchain)? };
    let same = enumerator(domain_with_id(node.time_domain_id)?) == info.time_domain;
    if !same || (info.time_domain == STAGE_LOCAL && node.present_stage.count_ones() != 1) {
        return Err(vk::Error::InvalidUse {
            why: "a time domain of a swapchain that has another number, or no present stage",
        });
    }
    Ok(())
}

/// What a present asks for: the report of its timing, and its target time.
pub fn request(
    info: &c::PresentTimingInfoEXT<'_>,
    index: u32,
    id: u64,
) -> vk::Result<(TimedPresent, Option<Target>)> {
    let target = (info.target_time != 0).then_some(Target {
        time_ns: info.target_time,
        is_relative: info.flags & AT_RELATIVE_TIME != 0,
        is_nearest: info.flags & AT_NEAREST_REFRESH != 0,
    });
    let present = TimedPresent {
        number: 0,
        id,
        index,
        target_ns: info.target_time,
        domain: domain_with_id(info.time_domain_id)?,
        stages: info.present_stage_queries,
    };
    Ok((present, target))
}

/// A swapchain that was created with timing.
///
/// # Safety
/// The handle is null or one of this driver.
unsafe fn timed<'a>(swapchain: c::SwapchainKHR) -> vk::Result<&'a SwapchainObject> {
    // SAFETY: as the caller says.
    let object = unsafe { handle::get(swapchain)? };
    match object.swapchain.has_timing() {
        true => Ok(object),
        false => Err(vk::Error::InvalidUse {
            why: "a swapchain without VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT",
        }),
    }
}

/// Writes a report to a structure of the application.
///
/// # Safety
/// The structure has room for as many stages as it says.
unsafe fn write_report(report: &TimingReport, out: &mut c::PastPresentationTimingEXT<'_>) {
    let TimingReport { present, times, .. } = report;
    out.present_id = present.id;
    out.target_time = present.target_ns;
    let times = times.iter().take(out.present_stage_count as usize);
    out.present_stage_count = times.len() as u32;
    for (index, &(stage, time)) in times.enumerate() {
        // SAFETY: as the caller says.
        unsafe {
            raw::write_at(
                out.p_present_stages,
                index,
                c::PresentStageTimeEXT { stage, time },
            )
        };
    }
    out.time_domain = enumerator(present.domain);
    out.time_domain_id = present.domain.id();
    out.report_complete = report.is_complete.into();
}

/// Writes the available reports of a swapchain, or their number.
///
/// # Safety
/// The list in `out` is null or has as many structures as it says.
unsafe fn past_timings(
    object: &SwapchainObject,
    flags: u32,
    out: &mut c::PastPresentationTimingPropertiesEXT<'_>,
) -> wsi::Result<c::Result> {
    let filter = ReportFilter {
        partial: flags & ALLOW_PARTIAL != 0,
        out_of_order: flags & ALLOW_OUT_OF_ORDER != 0,
    };
    out.timing_properties_counter = object.swapchain.refresh().counter;
    out.time_domains_counter = TIME_DOMAINS_COUNTER;
    if out.p_presentation_timings.is_null() {
        out.presentation_timing_count = object.swapchain.count_timings(filter)? as u32;
        return Ok(c::Result::SUCCESS);
    }
    let room = out.presentation_timing_count as usize;
    let (reports, has_more) = object.swapchain.collect_timings(filter, room)?;
    out.presentation_timing_count = reports.len() as u32;
    for (index, report) in reports.iter().enumerate() {
        // SAFETY: as the caller says; there are at most as many reports.
        unsafe { write_report(report, &mut *out.p_presentation_timings.add(index)) };
    }
    Ok(match has_more {
        true => c::Result::INCOMPLETE,
        false => c::Result::SUCCESS,
    })
}

entries! { PRESENT_TIMING:
    Device ["VK_EXT_present_timing"] vkSetSwapchainPresentTimingQueueSizeEXT(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        size: u32,
    ) -> c::Result {
        handle::get(device)?;
        from_wsi(timed(swapchain)?.swapchain.set_timing_queue_size(size).map(|fits| match fits {
            true => c::Result::SUCCESS,
            false => c::Result::NOT_READY,
        }))
    }

    Device ["VK_EXT_present_timing"] vkGetSwapchainTimingPropertiesEXT(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        swapchain_timing_properties: *mut c::SwapchainTimingPropertiesEXT<'_>,
        swapchain_timing_properties_counter: *mut u64,
    ) -> c::Result {
        handle::get(device)?;
        let state = handle::get(swapchain)?.swapchain.refresh();
        raw::write(swapchain_timing_properties_counter, state.counter);
        let period_ns = match state.refresh {
            Refresh::Pending => return Ok(c::Result::NOT_READY),
            Refresh::Unknown => 0,
            Refresh::Period(period_ns) => period_ns,
        };
        if let Some(out) = swapchain_timing_properties.as_mut() {
            // No window system reports refreshes of a variable rate.
            (out.refresh_duration, out.refresh_interval) = (period_ns, period_ns);
        }
        Ok(c::Result::SUCCESS)
    }

    Device ["VK_EXT_present_timing"] vkGetSwapchainTimeDomainPropertiesEXT(
        device: c::Device,
        swapchain: c::SwapchainKHR,
        swapchain_time_domain_properties: *mut c::SwapchainTimeDomainPropertiesEXT<'_>,
        time_domains_counter: *mut u64,
    ) -> c::Result {
        handle::get(device)?;
        handle::get(swapchain)?;
        raw::write(time_domains_counter, TIME_DOMAINS_COUNTER);
        let Some(out) = swapchain_time_domain_properties.as_mut() else {
            return Ok(c::Result::SUCCESS);
        };
        let mut count = out.time_domain_count;
        let domains = TimeDomain::ALL.into_iter();
        let ids = domains.clone().map(TimeDomain::id);
        let written = raw::write_list(domains.map(enumerator), &raw mut count, out.p_time_domains);
        // Both lists have the same length, and so the same result.
        let _ = raw::write_list(ids, &raw mut out.time_domain_count, out.p_time_domain_ids);
        Ok(written)
    }

    Device ["VK_EXT_present_timing"] vkGetPastPresentationTimingEXT(
        device: c::Device,
        past_presentation_timing_info: *const c::PastPresentationTimingInfoEXT<'_>,
        past_presentation_timing_properties: *mut c::PastPresentationTimingPropertiesEXT<'_>,
    ) -> c::Result {
        handle::get(device)?;
        let info = raw::reference(past_presentation_timing_info, "VkPastPresentationTimingInfoEXT")?;
        let object = timed(info.swapchain)?;
        match past_presentation_timing_properties.as_mut() {
            Some(out) => from_wsi(past_timings(object, info.flags, out)),
            None => Ok(c::Result::SUCCESS),
        }
    }
}
