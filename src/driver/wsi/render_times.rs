//! When the rendering of presented images ended: timestamps of the GPU.
//!
//! In:  the images of a swapchain, each with a batch that follows its rendering. Out: times on the
//!      monotonic clock.
//! Ref: Vulkan specification, "VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT".

use std::sync::{Arc, Mutex};

use ash::vk as api;
use vk::clock::{self, Clock};
use vk::command::{CommandBuffer, CommandPool};
use vk::limits::TIMESTAMP_BITS;
use vk::query::{QueryPool, QueryType};
use vk::queue::QueuedBatch;

use crate::error::Result;

/// A timestamp for each image of a swapchain.
pub struct RenderTimes {
    context: Arc<vk::context::Context>,
    queries: QueryPool,
    batches: Vec<QueuedBatch>,
    /// Keeps the memory of the batches.
    _commands: Mutex<(CommandPool, Vec<CommandBuffer>)>,
}

impl RenderTimes {
    /// Timestamps for so many images.
    pub fn new(device: &vk::Device, count: u32) -> Result<Self> {
        let none = api::QueryPipelineStatisticFlags::empty();
        let kind = QueryType::new(api::QueryType::TIMESTAMP, none)?;
        let queries = QueryPool::new(&device.context, kind, count)?;
        let pool = CommandPool::new(device);
        let mut batches = Vec::new();
        let mut buffers = Vec::new();
        for index in 0..count {
            let mut buffer = CommandBuffer::new(&pool, false);
            buffer.begin(None, false)?;
            buffer.timestamp(&queries, index, false)?;
            buffer.end()?;
            batches.push(buffer.batch()?);
            buffers.push(buffer);
        }
        Ok(Self {
            context: device.context.clone(),
            queries,
            batches,
            _commands: Mutex::new((pool, buffers)),
        })
    }

    /// Forgets the timestamp of an image, which its batch is about to write again.
    pub(crate) fn reset(&self, index: u32) -> Result<()> {
        Ok(self.queries.reset(index, 1)?)
    }

    /// The batch that writes the timestamp of an image. None: there is no such image.
    pub fn batch(&self, index: u32) -> Option<QueuedBatch> {
        self.batches.get(index as usize).copied()
    }

    /// The clocks of the device and the host, read together.
    fn now(&self) -> Result<clock::Read> {
        /// Deviation of the clocks that is accepted, in ns.
        const CLOSE_NS: u64 = 20_000;
        /// Maximum number of readings: the thread may be interrupted in any of them.
        const READINGS: u32 = 8;
        let read = || clock::read(&self.context, &[Clock::Device, Clock::Monotonic]);
        let mut best = read()?;
        for _ in 1..READINGS {
            if best.deviation_ns <= CLOSE_NS {
                break;
            }
            let again = read()?;
            if again.deviation_ns < best.deviation_ns {
                best = again;
            }
        }
        Ok(best)
    }

    /// When the rendering of an image ended, in ns of the monotonic clock. None: it has not ended
    /// yet. With `wait`, its end is waited for.
    ///
    /// # Errors
    /// There is no such image, or the device is lost.
    pub(crate) fn time_ns(&self, index: u32, wait: bool) -> Result<Option<u64>> {
        let result = self.queries.reading(index, wait)?;
        let ticks = result.values.first().filter(|_| result.available);
        let Some(&ticks) = ticks else {
            return Ok(None);
        };
        let now = self.now()?;
        let &[now_ticks, now_ns] = now.times.as_slice() else {
            return Ok(None);
        };
        // The counter wraps around.
        let passed = now_ticks.wrapping_sub(ticks) & ((1 << TIMESTAMP_BITS) - 1);
        let hz = u128::from(self.context.gpu.info().timestamp_hz.max(1));
        let passed_ns = u128::from(passed) * 1_000_000_000 / hz;
        let passed_ns = u64::try_from(passed_ns).unwrap_or(u64::MAX);
        Ok(Some(now_ns.saturating_sub(passed_ns)))
    }
}
