//! Entry points of calibrated timestamps.
//!
//! In:  time domains. Out: their clocks, read as close together as possible, and the maximum
//!      deviation in ns.
//! Ref: VK_EXT_calibrated_timestamps.

use ash::vk as c;
use vk::clock::Clock;

use crate::entry::{done, entries};
use crate::{handle, present_timing, raw};

entries! { CALIBRATED_TIMESTAMPS:
    Physical ["VK_EXT_calibrated_timestamps"] vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(
        physical_device: c::PhysicalDevice,
        time_domain_count: *mut u32,
        time_domains: *mut c::TimeDomainEXT,
    ) -> c::Result {
        handle::get(physical_device)?;
        Ok(raw::write_list(vk::clock::DOMAINS.iter().copied(), time_domain_count, time_domains))
    }

    Device ["VK_EXT_calibrated_timestamps"] vkGetCalibratedTimestampsEXT(
        device: c::Device,
        timestamp_count: u32,
        timestamp_infos: *const c::CalibratedTimestampInfoEXT<'_>,
        timestamps: *mut u64,
        max_deviation: *mut u64,
    ) -> c::Result {
        let device = handle::get(device)?;
        let infos = raw::slice(timestamp_infos, timestamp_count).iter();
        let clock = |info: &c::CalibratedTimestampInfoEXT<'_>| {
            if present_timing::is_local(info.time_domain) {
                return present_timing::check_calibration(info).map(|()| Clock::Monotonic);
            }
            Clock::new(info.time_domain)
        };
        let clocks = infos.map(clock).collect::<vk::Result<Vec<_>>>()?;
        let read = vk::clock::read(device.context(), &clocks)?;
        for (index, &time) in read.times.iter().enumerate() {
            raw::write_at(timestamps, index, time);
        }
        raw::write(max_deviation, read.deviation_ns);
        done()
    }
}
