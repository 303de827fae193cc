//! A batch on its way to the hardware.
//!
//! In:  what `exec` has found. Out: plain data, which the worker runs.

use std::sync::Arc;

use uapi::i915::EngineClassInstance;

use crate::context::Context;
use crate::fence::Fence;
use crate::others::Use;
use crate::space::Binding;

/// A batch with all that it needs.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) context: Arc<Context>,
    pub(crate) engine: EngineClassInstance,
    /// Index of the engine in the context: batches of one context and index run in order.
    pub(crate) slot: u32,
    /// The address space while it runs.
    pub(crate) bindings: Vec<Binding>,
    /// Address of the first command, not canonical.
    pub(crate) batch_address: u64,
    pub(crate) batch_bytes: u64,
    pub(crate) waits: Vec<Arc<Fence>>,
    /// What other processes may have, too, which wait for it.
    pub(crate) uses: Vec<Use>,
    pub(crate) done: Arc<Fence>,
}
