//! Query commands: begin, end, reset, copy.
//!
//! In:  query pools. Out: counters written to the pools, and the availability of each query after
//!      them.
//! Ref: Vulkan 1.3, "Queries".

use cmd::{PendingFlushes, StatisticsCounter};

use super::barrier::Dependency;
use super::buffer::CommandBuffer;
use crate::error::{Error, Result};
use crate::graphics::convert;
use crate::query::{AVAILABLE_AT, BEGIN_AT, END_AT, QueryPool, QueryType, VALUE_BYTES};

const NOT_A_TIMESTAMP: Error = Error::InvalidUse {
    why: "a timestamp query that is begun or ended, or a timestamp written to another query",
};

impl CommandBuffer {
    /// Makes queries unavailable.
    pub fn reset_queries(&mut self, pool: &QueryPool, first: u32, count: u32) -> Result<()> {
        pool.check(first, count)?;
        // Results of earlier commands may still be in flight.
        self.recorder.barrier(PendingFlushes::STALL);
        for query in first..first + count {
            self.recorder
                .store(pool.address(query)? + AVAILABLE_AT, 0)?;
        }
        Ok(())
    }

    /// Begins a query. `stream` is the vertex stream of transform feedback queries.
    pub fn begin_query(&mut self, pool: &QueryPool, query: u32, stream: u32) -> Result<()> {
        self.write_query_counters(pool, pool.address(query)? + BEGIN_AT, stream)
    }

    /// Ends a query. It becomes available when all earlier work is done.
    pub fn end_query(&mut self, pool: &QueryPool, query: u32, stream: u32) -> Result<()> {
        let address = pool.address(query)?;
        self.write_query_counters(pool, address + END_AT, stream)?;
        match pool.kind {
            QueryType::Samples => self.recorder.write_at_bottom(address + AVAILABLE_AT, 1),
            _ => self.recorder.store(address + AVAILABLE_AT, 1),
        }?;
        self.end_other_views(pool, query)
    }

    /// With multiview, a query uses as many queries as there are views: the first has the counts of
    /// all views, the others are zero.
    fn end_other_views(&mut self, pool: &QueryPool, query: u32) -> Result<()> {
        let views = self.rendering.views.mask().count_ones();
        for other in (query..query.saturating_add(views)).skip(1) {
            let address = pool.address(other)?;
            for at in (BEGIN_AT..pool.stride_bytes()).step_by(4) {
                self.recorder.store(address + at, 0)?;
            }
            self.recorder.store(address + AVAILABLE_AT, 1)?;
        }
        Ok(())
    }

    fn write_query_counters(&mut self, pool: &QueryPool, address: u64, stream: u32) -> Result<()> {
        let stream = convert::stream(stream)?;
        if stream != 0 && pool.kind != QueryType::Captured {
            return Err(Error::FeatureNotPresent {
                what: "primitivesGeneratedQueryWithNonZeroStreams",
            });
        }
        let recorder = &mut self.recorder;
        match pool.kind {
            QueryType::Time => Err(NOT_A_TIMESTAMP),
            QueryType::Samples => recorder.write_samples(address),
            QueryType::Counters(statistics) => {
                recorder.write_counters(statistics.counters(), address, VALUE_BYTES)
            }
            QueryType::Captured => {
                let counters = [
                    StatisticsCounter::Captured(stream),
                    StatisticsCounter::Capturable(stream),
                ];
                recorder.write_counters(counters, address, VALUE_BYTES)
            }
            QueryType::Primitives => recorder.write_counters(
                [StatisticsCounter::ClippingInvocations],
                address,
                VALUE_BYTES,
            ),
        }
    }

    /// Writes a timestamp and makes its query available, at the top (`early`) or at the bottom of
    /// the pipe.
    pub fn timestamp(&mut self, pool: &QueryPool, query: u32, early: bool) -> Result<()> {
        if pool.kind != QueryType::Time {
            return Err(NOT_A_TIMESTAMP);
        }
        let address = pool.address(query)?;
        self.recorder
            .timestamp(address + END_AT, address + AVAILABLE_AT, early)?;
        self.end_other_views(pool, query)
    }

    /// Copies query results to a buffer.
    pub fn copy_results(
        &mut self,
        pool: &QueryPool,
        queries: std::ops::Range<u32>,
        destination: u64,
        stride_bytes: u64,
        flags: u32,
    ) -> Result<()> {
        let count = queries.end.saturating_sub(queries.start);
        pool.check(queries.start, count)?;
        if count == 0 {
            return Ok(());
        }
        // Results are written in order, so a full barrier makes the earlier ones visible.
        self.barrier(&Dependency::FULL);
        self.dispatch_meta(&blit::query_launch(
            blit::QueryRange {
                address: pool.address(queries.start)?,
                count,
                values: pool.values() as u32,
            },
            destination,
            stride_bytes,
            flags,
        ))
    }
}
