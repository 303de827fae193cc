//! A batch queued for execution.
//!
//! In:  the results of `exec`. Out: plain data, which the worker executes.

use std::sync::Arc;

use uapi::i915::EngineClassInstance;

use crate::context::Context;
use crate::dma_buf_locks::BufferAccess;
use crate::fence::Fence;
use crate::vm::Binding;

/// A batch with everything that its execution needs.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) context: Arc<Context>,
    pub(crate) engine: EngineClassInstance,
    /// Index of the engine in the context: batches of one context and index run in order.
    pub(crate) slot: u32,
    /// Buffers bound while it runs.
    pub(crate) bindings: Vec<Binding>,
    /// GPU address of the first command, not canonical.
    pub(crate) batch_address: u64,
    pub(crate) batch_bytes: u64,
    pub(crate) wait_fences: Vec<Arc<Fence>>,
    /// Locks on buffers that are shared with other processes.
    pub(crate) accesses: Vec<BufferAccess>,
    pub(crate) done_fence: Arc<Fence>,
}
