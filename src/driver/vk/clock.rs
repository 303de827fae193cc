//! Calibrated timestamps: clocks sampled together.
//!
//! In:  clocks. Out: the time of each, and the maximum deviation.
//! Ref: Vulkan, "vkGetCalibratedTimestampsEXT".

use ash::vk as api;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::limits::TIMESTAMP_BITS;

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The GPU's clock, as in timestamp queries.
    Device,
    /// The host's monotonic clock, in ns.
    Monotonic,
    /// The host's raw monotonic clock, which is never slewed.
    MonotonicRaw,
}

/// Supported time domains.
pub const DOMAINS: [api::TimeDomainEXT; 3] = [
    api::TimeDomainEXT::DEVICE,
    api::TimeDomainEXT::CLOCK_MONOTONIC,
    api::TimeDomainEXT::CLOCK_MONOTONIC_RAW,
];

impl Clock {
    /// The clock of a time domain.
    pub fn new(domain: api::TimeDomainEXT) -> Result<Self> {
        match domain {
            api::TimeDomainEXT::DEVICE => Ok(Clock::Device),
            api::TimeDomainEXT::CLOCK_MONOTONIC => Ok(Clock::Monotonic),
            api::TimeDomainEXT::CLOCK_MONOTONIC_RAW => Ok(Clock::MonotonicRaw),
            _ => Err(Error::InvalidUse {
                why: "a time domain that is not listed",
            }),
        }
    }

    /// Nanoseconds per tick, rounded up.
    fn tick_ns(self, context: &Context) -> u64 {
        match self {
            Clock::Device => 1_000_000_000_u64.div_ceil(context.gpu.info().timestamp_hz.max(1)),
            Clock::Monotonic | Clock::MonotonicRaw => 1,
        }
    }
}

/// Samples of several clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// Time of each clock, in its own ticks.
    pub times: Vec<u64>,
    /// Maximum deviation in ns: the duration of the sampling, plus a tick of the slowest clock.
    pub deviation_ns: u64,
}

/// Samples clocks one after another.
pub fn read(context: &Context, clocks: &[Clock]) -> Result<Read> {
    let begin = context.gpu.now_raw_ns();
    let mut times = Vec::with_capacity(clocks.len());
    for clock in clocks {
        times.push(match clock {
            Clock::Device => context.gpu.timestamp()? & ((1 << TIMESTAMP_BITS) - 1),
            Clock::Monotonic => context.gpu.now_ns().cast_unsigned(),
            Clock::MonotonicRaw => context.gpu.now_raw_ns().cast_unsigned(),
        });
    }
    let took = context.gpu.now_raw_ns().saturating_sub(begin);
    let ticks = clocks.iter().map(|clock| clock.tick_ns(context));
    Ok(Read {
        times,
        deviation_ns: u64::try_from(took).unwrap_or(0) + ticks.max().unwrap_or(0),
    })
}
