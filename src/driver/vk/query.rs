//! Query pools. A query is an availability qword and pairs of values; a result is the difference of
//! a pair.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk as api;
use cmd::StatisticsCounter;
use smallvec::SmallVec;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::limits::TIMESTAMP_BITS;

/// Offset of the availability in a query: a dword, 0 or 1, and a dword of zero.
pub const AVAILABLE_AT: u64 = 0;
/// Offset of the first begin value; the end value follows. Timestamps have a begin value of zero.
pub const BEGIN_AT: u64 = 8;
/// See [`BEGIN_AT`].
pub const END_AT: u64 = 16;
/// Bytes of a pair of values.
pub const VALUE_BYTES: u64 = 16;

/// Maximum number of results of a query.
pub const MAX_VALUES: usize = 11;

/// Query types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryType {
    /// Timestamps.
    Time,
    /// Occlusion: samples that passed.
    Samples,
    /// Pipeline statistics.
    Counters(PipelineStatistics),
    /// Transform feedback: primitives of a stream that were captured, and that would have been
    /// captured given enough space.
    Captured,
    /// Primitives that reached the clipper.
    Primitives,
}

/// The supported bits of `VkQueryPipelineStatisticFlagBits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineStatistics(u32);

impl PipelineStatistics {
    /// Their counters, in order of bits.
    pub fn counters(self) -> impl Iterator<Item = StatisticsCounter> {
        let all = (0..).zip(STATISTICS);
        all.filter(move |(bit, _)| self.0 >> bit & 1 != 0)
            .map(|(_, counter)| counter)
    }
}

/// Counters by bit.
const STATISTICS: [StatisticsCounter; MAX_VALUES] = [
    StatisticsCounter::AssembledVertices,
    StatisticsCounter::AssembledPrimitives,
    StatisticsCounter::VertexInvocations,
    StatisticsCounter::GeometryInvocations,
    StatisticsCounter::GeometryPrimitives,
    StatisticsCounter::ClippingInvocations,
    StatisticsCounter::ClippingPrimitives,
    StatisticsCounter::FragmentInvocations,
    StatisticsCounter::TessControlInvocations,
    StatisticsCounter::TessEvalInvocations,
    StatisticsCounter::ComputeInvocations,
];

impl QueryType {
    /// Converts a query type with its statistics.
    pub fn new(kind: api::QueryType, statistics: api::QueryPipelineStatisticFlags) -> Result<Self> {
        match kind {
            api::QueryType::TIMESTAMP => Ok(QueryType::Time),
            api::QueryType::OCCLUSION => Ok(QueryType::Samples),
            api::QueryType::PIPELINE_STATISTICS => {
                let known = statistics.as_raw() & ((1 << STATISTICS.len()) - 1);
                Ok(QueryType::Counters(PipelineStatistics(known)))
            }
            api::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT => Ok(QueryType::Captured),
            api::QueryType::PRIMITIVES_GENERATED_EXT => Ok(QueryType::Primitives),
            _ => Err(Error::FeatureNotPresent {
                what: "queries of this type",
            }),
        }
    }

    fn values(&self) -> usize {
        match self {
            QueryType::Time | QueryType::Samples | QueryType::Primitives => 1,
            QueryType::Captured => 2,
            QueryType::Counters(PipelineStatistics(bits)) => bits.count_ones() as usize,
        }
    }
}

/// `VkQueryPool`.
#[derive(Debug)]
pub struct QueryPool {
    context: Arc<Context>,
    buffer: Arc<i915::Buffer>,
    /// Query type.
    pub kind: QueryType,
    /// Number of queries.
    pub count: u32,
}

/// Results and availability of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryResult {
    /// Ticks or counts.
    pub values: SmallVec<[u64; MAX_VALUES]>,
    /// The query is available.
    pub available: bool,
}

impl QueryPool {
    /// Creates a pool; no query is available.
    pub fn new(context: &Arc<Context>, kind: QueryType, count: u32) -> Result<Self> {
        let bytes = u64::from(count.max(1)) * query_bytes(&kind);
        // New BOs are zeroed: no query is available.
        let buffer = context.gpu.buffer(bytes, i915::Zone::High)?;
        Ok(Self {
            context: context.clone(),
            buffer,
            kind,
            count,
        })
    }

    /// Bytes of a query.
    pub fn stride_bytes(&self) -> u64 {
        query_bytes(&self.kind)
    }

    /// Number of results of a query.
    pub fn values(&self) -> usize {
        self.kind.values()
    }

    /// GPU address of a query.
    pub fn address(&self, query: u32) -> Result<u64> {
        if query >= self.count {
            return Err(OUT_OF_RANGE);
        }
        Ok(self.buffer.address() + u64::from(query) * self.stride_bytes())
    }

    /// Checks that `first..first + count` is in range.
    pub fn check(&self, first: u32, count: u32) -> Result<()> {
        match first.checked_add(count) {
            Some(end) if end <= self.count => Ok(()),
            _ => Err(OUT_OF_RANGE),
        }
    }

    /// Resets queries on the host.
    pub fn reset(&self, first: u32, count: u32) -> Result<()> {
        self.check(first, count)?;
        let map = self.buffer.map()?;
        for query in u64::from(first)..u64::from(first) + u64::from(count) {
            let at = query * self.stride_bytes() + AVAILABLE_AT;
            map.write(at as usize, &[0; 4])?;
        }
        Ok(())
    }

    fn read(&self, query: u32) -> Result<QueryResult> {
        let map = self.buffer.map()?;
        let start = u64::from(query) * self.stride_bytes();
        let qword = |at: u64| -> Result<u64> {
            let mut bytes = [0; 8];
            map.read((start + at) as usize, &mut bytes)?;
            Ok(u64::from_le_bytes(bytes))
        };
        // Read first, so that the values are at least as new.
        let available = qword(AVAILABLE_AT)? != 0;
        let mut values = SmallVec::new();
        for at in (0..).step_by(VALUE_BYTES as usize).take(self.values()) {
            let counted = qword(at + END_AT)?.wrapping_sub(qword(at + BEGIN_AT)?);
            values.push(match (available, &self.kind) {
                (false, _) => 0,
                (true, QueryType::Time) => counted & ((1 << TIMESTAMP_BITS) - 1),
                (true, _) => counted,
            });
        }
        Ok(QueryResult { values, available })
    }

    /// Reads a query. `wait` until it is available or the device is lost.
    pub fn reading(&self, query: u32, wait: bool) -> Result<QueryResult> {
        self.check(query, 1)?;
        self.context.check_lost()?;
        let started = Instant::now();
        loop {
            let reading = self.read(query)?;
            if reading.available || !wait {
                return Ok(reading);
            }
            self.context.check_hang()?;
            // Valid usage has submitted the query; the bound only turns an application error into
            // an error code.
            if started.elapsed() > Duration::from_secs(20) {
                return Err(Error::DeviceLost {
                    why: "a query that was waited for never became available".into(),
                });
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

fn query_bytes(kind: &QueryType) -> u64 {
    BEGIN_AT + kind.values() as u64 * VALUE_BYTES
}

const OUT_OF_RANGE: Error = Error::InvalidUse {
    why: "a query beyond its pool",
};
