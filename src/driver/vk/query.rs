//! Timestamp queries: sixteen bytes each, a value and whether it is there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk as api;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::limits::TIMESTAMP_BITS;

/// Bytes of one query.
pub const QUERY_BYTES: u64 = 16;
/// Byte of the value in a query: eight bytes.
pub const VALUE_AT: u64 = 0;
/// Byte of the availability in a query: eight bytes, 0 or 1.
pub const AVAILABLE_AT: u64 = 8;

/// `VkQueryPool`.
#[derive(Debug)]
pub struct QueryPool {
    context: Arc<Context>,
    buffer: Arc<i915::Buffer>,
    /// Queries.
    pub count: u32,
}

/// A query's value and whether it is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Ticks.
    pub value: u64,
    /// It was written since the last reset.
    pub available: bool,
}

impl QueryPool {
    /// Queries, none available.
    pub fn new(context: &Arc<Context>, kind: api::QueryType, count: u32) -> Result<Self> {
        if kind != api::QueryType::TIMESTAMP {
            return Err(Error::FeatureNotPresent {
                what: "queries other than timestamps",
            });
        }
        let bytes = u64::from(count.max(1)) * QUERY_BYTES;
        // New buffers read zero: no query is available.
        let buffer = context.gpu.buffer(bytes, i915::Zone::High)?;
        Ok(Self {
            context: context.clone(),
            buffer,
            count,
        })
    }

    /// GPU address of a query.
    pub fn address(&self, query: u32) -> Result<u64> {
        if query >= self.count {
            return Err(BEYOND);
        }
        Ok(self.buffer.address() + u64::from(query) * QUERY_BYTES)
    }

    /// Checks `first..first + count`.
    pub fn check(&self, first: u32, count: u32) -> Result<()> {
        match first.checked_add(count) {
            Some(end) if end <= self.count => Ok(()),
            _ => Err(BEYOND),
        }
    }

    /// Resets queries from the host.
    pub fn reset(&self, first: u32, count: u32) -> Result<()> {
        self.check(first, count)?;
        let zeros = vec![0; count as usize * QUERY_BYTES as usize];
        Ok(self
            .buffer
            .map()?
            .write(first as usize * QUERY_BYTES as usize, &zeros)?)
    }

    fn read(&self, query: u32) -> Result<Reading> {
        let mut bytes = [0; QUERY_BYTES as usize];
        self.buffer
            .map()?
            .read(query as usize * QUERY_BYTES as usize, &mut bytes)?;
        let words: [u32; 4] = std::array::from_fn(|word| {
            u32::from_le_bytes(std::array::from_fn(|byte| {
                bytes.get(word * 4 + byte).copied().unwrap_or(0)
            }))
        });
        let value = u64::from(words[0]) | u64::from(words[1]) << 32;
        Ok(Reading {
            value: value & ((1 << TIMESTAMP_BITS) - 1),
            available: words[2] != 0,
        })
    }

    /// A query's reading; `wait` until it is available or the device is lost.
    pub fn reading(&self, query: u32, wait: bool) -> Result<Reading> {
        self.check(query, 1)?;
        self.context.check_lost()?;
        let started = Instant::now();
        loop {
            let reading = self.read(query)?;
            if reading.available || !wait {
                return Ok(reading);
            }
            self.context.check_hang()?;
            // Valid use has the query submitted, so it ends; this bound only keeps an error from being a hang.
            if started.elapsed() > Duration::from_secs(20) {
                return Err(Error::DeviceLost {
                    why: "a query that was waited for never became available".into(),
                });
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

const BEYOND: Error = Error::InvalidUse {
    why: "a query beyond its pool",
};
