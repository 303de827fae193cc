//! Reports of the driver's own buffers, for applications that account for all memory.
//!
//! In:  created and destroyed buffers. Out: calls of a listener.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What happened to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferEvent {
    /// It was allocated.
    Allocated,
    /// It was freed.
    Freed,
    /// Its allocation failed.
    Failed,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferReport {
    /// What happened.
    pub event: BufferEvent,
    /// Number of the buffer, which no other buffer of the process ever has; 0 if it was not
    /// allocated.
    pub number: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Receives the reports, on any thread.
#[derive(Clone)]
pub struct BufferListener(pub Arc<dyn Fn(BufferReport) + Send + Sync>);

impl std::fmt::Debug for BufferListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BufferListener")
    }
}

/// A number for a new buffer.
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}
