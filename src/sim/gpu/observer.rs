//! Interface through which units report their accesses and events.
//!
//! In:  memory reads and writes with their access path, surface states as they are read, events of
//!      depth and colour buffers. Out: whether the batch may continue. Strict mode implements it
//!      ([`crate::strict`]); units know only this trait.

use crate::space::Backing;
use eu::StopReason;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The access path: the unit or cache through which memory is read or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Via {
    /// The command streamer.
    #[default]
    Commands,
    /// A post-sync operation, which writes when all earlier work is complete.
    PostSync,
    /// The data port.
    Data,
    /// The sampler.
    Texture,
    /// The constant cache.
    Constant,
    /// Vertex fetch.
    Vertex,
    /// The render cache.
    Render,
    /// The depth cache, which also holds stencil.
    Depth,
    /// The depth cache, for a depth buffer with HiZ.
    Hierarchical,
    /// The stream output.
    Stream,
    /// The state cache: surface and sampler states, binding tables, viewports and the like.
    State,
    /// The instruction cache.
    Instruction,
}

/// Read-only caches, which hold their lines until they are invalidated.
pub(crate) const CACHES: [Via; 5] = [
    Via::Texture,
    Via::Constant,
    Via::Vertex,
    Via::State,
    Via::Instruction,
];

/// Whether a read returns what memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadResult {
    /// The current contents of memory.
    Current,
    /// Some bytes are stale: [`Watch::before`] returns their old values.
    Stale,
}

/// Validity of answers on pages: callers may cache them while the work of one command runs.
#[derive(Debug, Default)]
pub(crate) struct WorkEpoch {
    /// Set when the work ends, or when its answers are no longer valid.
    pub ended: AtomicBool,
}

/// Bytes of a page that work has written: a bit for each byte, in 64 lines.
#[derive(Debug)]
pub(crate) struct Marks {
    pub lines: [AtomicU64; 64],
}

impl Default for Marks {
    fn default() -> Marks {
        Marks {
            lines: [const { AtomicU64::new(0) }; 64],
        }
    }
}

impl Marks {
    /// Marks bytes of a line as written.
    pub fn add(&self, line: usize, bits: u64) {
        if let Some(line) = self.lines.get(line)
            && line.load(Relaxed) & bits != bits
        {
            line.fetch_or(bits, Relaxed);
        }
    }
}

/// Effects of a PIPE_CONTROL on caches and work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PipeControlEffects {
    /// Waits for all work.
    pub stall: bool,
    /// Waits for the post-sync operations of earlier PIPE_CONTROLs.
    pub waits_for_post_sync: bool,
    /// Flushes the data cache; below, the render and the depth cache.
    pub data: bool,
    pub render: bool,
    pub depth: bool,
    /// Invalidates these of [`CACHES`], while no work runs that could refill them.
    pub invalidated: [bool; CACHES.len()],
    /// Invalidates these while work runs, which may refill them with the then current contents of
    /// memory.
    pub refilled: [bool; CACHES.len()],
}

/// The index buffer's number among the buffers of vertex fetch.
pub(crate) const INDICES: u32 = u32::MAX;

/// An event of a depth buffer that may have HiZ. A slice is a level and an array element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The slice was written through HiZ, so the depth buffer may be unresolved.
    Held([u32; 2]),
    /// The slice was resolved.
    Resolved([u32; 2]),
    /// The slice's HiZ became valid: it was cleared whole, or rebuilt from the slice.
    HizValid([u32; 2]),
    /// The slice may be written without updating HiZ.
    Passed([u32; 2]),
    /// The memory is no longer a depth buffer.
    Forgotten,
}

/// An event of a colour surface that may have an aux surface. A slice is a level and an array
/// element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// The slice was drawn to with compression enabled, or fast-cleared.
    Held([u32; 2]),
    /// The slice was fully resolved, or drawn to without an aux surface.
    Plain([u32; 2]),
}

/// A surface that the sampler reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampledSurface {
    pub address: u64,
    /// Name of the format.
    pub format: &'static str,
    /// It has an aux surface.
    pub has_aux: bool,
}

/// Levels and array elements of a surface: each the first, and one past the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slices {
    pub levels: [u32; 2],
    pub elements: [u32; 2],
}

/// The memory that an address is mapped to. Another buffer at the same address has another one.
pub(crate) type Memory = Arc<dyn Backing>;

/// Receives the accesses and events of all units.
pub(crate) trait Watch: Sync {
    /// The work of the command at `at` starts.
    fn begin(&self, at: u64);
    /// Declares scratch memory of the running work's threads.
    fn scratch(&self, range: Range<u64>);
    /// The running work has made all of its accesses.
    fn end(&self);
    /// Memory is read.
    fn read(&self, address: u64, bytes: u64, via: Via) -> Result<ReadResult, StopReason>;
    /// Returns the running work, and whether the whole page may be read without reporting until it
    /// ends.
    fn readable(&self, page: u64, via: Via) -> (Arc<WorkEpoch>, bool);
    /// The same for non-atomic writes; returns the set in which they are recorded, if they need no
    /// reporting.
    fn writable(&self, page: u64, via: Via) -> (Arc<WorkEpoch>, Option<Arc<Marks>>);
    /// Replaces bytes that were read by the stale bytes that this access path sees.
    fn before(&self, address: u64, bytes: &mut [u8], via: Via);
    /// A vertex or index buffer is bound for a draw, which may read all of it.
    fn bound(&self, address: u64, bytes: u64);
    /// Vertex fetch reads from this vertex buffer; [`INDICES`] is the index buffer.
    fn fetched(&self, buffer: u32, address: u64, bytes: u64) -> Result<(), StopReason>;
    /// The sampler is about to read an MCS at this address.
    fn control(&self, address: u64, bytes: u64);
    /// The message at `at` samples or loads from a surface.
    fn sampled(&self, surface: &SampledSurface, at: u64) -> Result<(), StopReason>;
    /// Memory is written.
    fn write(&self, address: u64, bytes: u64, via: Via, atomic: bool) -> Result<(), StopReason>;
    /// A surface state was read at `at`.
    fn surface_state(&self, words: &[u32; 16], at: u64, shared: bool) -> Result<(), StopReason>;
    /// An event of the depth buffer at an address.
    fn depth(&self, place: (u64, &Memory), event: Depth);
    /// The command or message at `at` accesses a depth buffer without HiZ.
    fn depth_seen(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), StopReason>;
    /// An event of the colour surface at an address.
    fn colour(&self, place: (u64, &Memory), event: Colour);
    /// The message at `at` reads a surface without its aux surface.
    fn colour_seen(&self, place: (u64, &Memory), slices: Slices, at: u64)
    -> Result<(), StopReason>;
    /// The push constants of a stage are read from these ranges, in this order.
    fn constants_committed(&self, stage: usize, ranges: Vec<Range<u64>>);
    /// True if the batch has written a dword of a stage's push constants since they were committed;
    /// `dword` counts over the ranges.
    fn constant_written(&self, stage: usize, dword: usize) -> bool;
    /// The draw at `at` tests or writes elements of one level of a depth buffer through HiZ.
    fn depth_through(
        &self,
        place: (u64, &Memory),
        slices: Slices,
        at: u64,
    ) -> Result<(), StopReason>;
}

#[cfg(test)]
pub(crate) mod testing;
