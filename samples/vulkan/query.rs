//! Query pools: timestamps, occlusion, statistics and transform feedback.

use crate::vulkan::error::{Error, check};
use crate::vulkan::gpu::{Gpu, Owned};
use crate::vulkan::memory::Buffer;
use crate::vulkan::recorder::Recorder;
use ash::vk;

/// Query type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Timestamps.
    Time,
    /// Occlusion: number of samples that passed the tests.
    Samples,
    /// Pipeline statistics.
    Statistics(vk::QueryPipelineStatisticFlags),
    /// Transform feedback: primitives written, and primitives that needed space.
    Captured,
    /// Primitives generated, before clipping.
    Primitives,
}

/// A query pool.
#[derive(Clone, Copy)]
pub struct Queries {
    pub(super) pool: vk::QueryPool,
    values: u32,
    count: u32,
}

impl Gpu {
    /// Creates a pool of `count` queries.
    pub fn queries(&self, asks: Asks, count: u32) -> Result<Queries, Error> {
        let info = vk::QueryPoolCreateInfo::default().query_count(count);
        let (info, values) = match asks {
            Asks::Time => (info.query_type(vk::QueryType::TIMESTAMP), 1),
            Asks::Samples => (info.query_type(vk::QueryType::OCCLUSION), 1),
            Asks::Captured => (
                info.query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT),
                2,
            ),
            Asks::Primitives => (info.query_type(vk::QueryType::PRIMITIVES_GENERATED_EXT), 1),
            Asks::Statistics(which) => (
                info.query_type(vk::QueryType::PIPELINE_STATISTICS)
                    .pipeline_statistics(which),
                which.as_raw().count_ones(),
            ),
        };
        // SAFETY: structures live until calls return; what is made is owned by the device at once.
        let pool = check("vkCreateQueryPool", unsafe {
            self.device.create_query_pool(&info, None)
        })?;
        self.own(Owned::Queries(pool));
        Ok(Queries {
            pool,
            values,
            count,
        })
    }

    /// The results of all queries as 64-bit values, each query followed by its availability.
    /// Unavailable results are 0.
    pub fn results(&self, queries: &Queries) -> Result<Vec<u64>, Error> {
        let slots = queries.values as usize + 1;
        let mut data = vec![0_u64; slots * queries.count as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        let (pool, stride) = (queries.pool, slots as u64 * 8);
        // SAFETY: the memory is as large as the results; nothing is in flight.
        let result = unsafe {
            (self.device.fp_v1_0().get_query_pool_results)(
                self.device.handle(),
                pool,
                0,
                queries.count,
                data.len() * 8,
                data.as_mut_ptr().cast(),
                stride,
                flags,
            )
        };
        match result {
            vk::Result::SUCCESS | vk::Result::NOT_READY => Ok(data),
            result => check("vkGetQueryPoolResults", Err(result)),
        }
    }
}

impl Recorder<'_> {
    /// Resets all queries.
    pub fn reset(&self, queries: &Queries) {
        // SAFETY: see `Gpu::run`, here and below.
        unsafe {
            let d = &self.gpu.device;
            d.cmd_reset_query_pool(self.commands, queries.pool, 0, queries.count);
        }
    }

    /// Counts during `body`.
    pub fn ask(&self, queries: &Queries, query: u32, precise: bool, body: impl FnOnce(&Self)) {
        let flags = match precise {
            true => vk::QueryControlFlags::PRECISE,
            false => vk::QueryControlFlags::empty(),
        };
        let d = &self.gpu.device;
        // SAFETY: as above.
        unsafe { d.cmd_begin_query(self.commands, queries.pool, query, flags) };
        body(self);
        // SAFETY: as above.
        unsafe { d.cmd_end_query(self.commands, queries.pool, query) };
    }

    /// Writes a timestamp when earlier commands have finished a stage.
    pub fn time(&self, queries: &Queries, query: u32, stage: vk::PipelineStageFlags) {
        // SAFETY: as above.
        unsafe {
            let d = &self.gpu.device;
            d.cmd_write_timestamp(self.commands, stage, queries.pool, query);
        }
    }

    /// Copies the results of all queries to a buffer with this stride in bytes.
    pub fn copy_results(
        &self,
        queries: &Queries,
        to: &Buffer,
        stride_bytes: u64,
        flags: vk::QueryResultFlags,
    ) {
        // SAFETY: as above.
        unsafe {
            self.gpu.device.cmd_copy_query_pool_results(
                self.commands,
                queries.pool,
                0,
                queries.count,
                to.handle,
                0,
                stride_bytes,
                flags,
            );
        }
    }
}
