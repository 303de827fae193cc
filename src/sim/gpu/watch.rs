//! What units report of their work, for whoever checks it.
//!
//! In:  which memory was read and written, through which cache, by whose work; surface states as they are read; what becomes of
//!      depth buffers. Out: whether the machine may go on. Strict mode listens ([`crate::strict`]); units know this trait alone.

use crate::space::Backing;
use eu::Stop;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Through what memory is read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Via {
    /// The command streamer.
    #[default]
    Commands,
    /// A post-sync operation, which comes when all before it is done.
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
    /// The depth cache, with stencil.
    Depth,
    /// The same, of a depth buffer with a hierarchical one.
    Hierarchical,
    /// The stream output.
    Stream,
    /// The state cache: surface and sampler states, binding tables, viewports and the like.
    State,
    /// The instruction cache.
    Instruction,
}

/// Caches that keep copies of what they have read until they are invalidated.
pub(crate) const CACHES: [Via; 5] = [
    Via::Texture,
    Via::Constant,
    Via::Vertex,
    Via::State,
    Via::Instruction,
];

/// What a reader sees of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// What is there.
    Now,
    /// Some bytes as they were before they were written: [`Watch::before`] tells which.
    Before,
}

/// The work of one command, to those who keep what they were told of memory while it goes on.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// It has ended, or something has happened that they have to be told anew of.
    pub over: AtomicBool,
}

/// What a work has written of a page: a bit for each byte of 64 lines.
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
    /// Notes that bytes of a page were written.
    pub fn add(&self, line: usize, bits: u64) {
        if let Some(line) = self.lines.get(line)
            && line.load(Relaxed) & bits != bits
        {
            line.fetch_or(bits, Relaxed);
        }
    }
}

/// What a PIPE_CONTROL does to caches and work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Control {
    /// Waits for work.
    pub stall: bool,
    /// Waits for the post-sync operations of those before it.
    pub ordered: bool,
    /// Flushes the data, render and depth cache.
    pub data: bool,
    pub render: bool,
    pub depth: bool,
    /// Invalidates these of [`CACHES`], and nothing runs that could fill them again.
    pub invalid: [bool; CACHES.len()],
    /// Invalidates these while work runs: it may fill them again, with what is in memory by then.
    pub refilled: [bool; CACHES.len()],
}

/// The index buffer among the buffers of vertex fetch.
pub(crate) const INDICES: u32 = u32::MAX;

/// What becomes of a depth buffer that may have a hierarchical one. A slice is a level and an array element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The slice was written through the hierarchical one, which may hold depths back.
    Held([u32; 2]),
    /// The slice was resolved.
    Settled([u32; 2]),
    /// The hierarchical one was cleared whole, or made from the slice: it tells of all of it.
    Told([u32; 2]),
    /// The slice may be written past the hierarchical one.
    Passed([u32; 2]),
    /// The memory is no depth buffer any more.
    Forgotten,
}

/// What becomes of a colour surface that may have a control surface. A slice is a level and an array element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// The slice was drawn to, with compression enabled, or cleared by blocks.
    Held([u32; 2]),
    /// The slice was resolved in full, or drawn to without a control surface.
    Plain([u32; 2]),
}

/// Levels and elements of a surface, each from the first to before the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slices {
    pub levels: [u32; 2],
    pub elements: [u32; 2],
}

/// Memory that something is in. Another buffer at the same address is something else.
pub(crate) type Memory = Arc<dyn Backing>;

/// Who is told of all that units do.
pub(crate) trait Watch: Sync {
    /// The work of the command at `at` begins.
    fn begin(&self, at: u64);
    /// Scratch memory of threads of the work that runs.
    fn scratch(&self, range: Range<u64>);
    /// All accesses of the work are made.
    fn end(&self);
    /// Memory is read.
    fn read(&self, address: u64, bytes: u64, via: Via) -> Result<Seen, Stop>;
    /// The work that goes on, and whether all of a page may be read without asking again until it is over.
    fn readable(&self, page: u64, via: Via) -> (Arc<Work>, bool);
    /// The same of writes that are no atomics; where it may, what notes them.
    fn writable(&self, page: u64, via: Via) -> (Arc<Work>, Option<Arc<Marks>>);
    /// Puts the bytes that this reader sees in the place of those that are there.
    fn before(&self, address: u64, bytes: &mut [u8], via: Via);
    /// A vertex or index buffer is bound for a draw, which may read all of it.
    fn bound(&self, address: u64, bytes: u64);
    /// Vertex fetch reads from this vertex buffer; [`INDICES`] is the index buffer.
    fn fetched(&self, buffer: u32, address: u64, bytes: u64) -> Result<(), Stop>;
    /// The sampler is about to read a multisample control surface here.
    fn control(&self, address: u64, bytes: u64);
    /// Memory is written.
    fn write(&self, address: u64, bytes: u64, via: Via, atomic: bool) -> Result<(), Stop>;
    /// A surface state was read at `at`.
    fn surface_state(&self, words: &[u32; 16], at: u64, shared: bool) -> Result<(), Stop>;
    /// Something happens to the depth buffer at an address.
    fn depth(&self, place: (u64, &Memory), event: Depth);
    /// The command or message at `at` looks at a depth buffer without a hierarchical one.
    fn depth_seen(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), Stop>;
    /// Something happens to the colour surface at an address.
    fn colour(&self, place: (u64, &Memory), event: Colour);
    /// The message at `at` samples a surface without compression.
    fn colour_seen(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), Stop>;
    /// The draw at `at` tests or writes elements of one level of a depth buffer through a hierarchical one.
    fn depth_through(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), Stop>;
}

#[cfg(test)]
#[path = "watch_rig.rs"]
pub(crate) mod testing;
