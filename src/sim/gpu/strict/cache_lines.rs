//! State of the memory that a batch has written, by cache line.
//!
//! In:  which bytes were written and how, and what happened to the caches since
//!      ([`crate::strict::caches`]). Out: which readers may see stale data.

use crate::observer::{CACHES, Marks};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The contents of a page.
pub(super) type PageBytes = Box<[u8; 4096]>;

/// Kinds of writes: by the data port, by its atomics, by stream output, by the render and by the
/// depth cache. The first three are in [`Line::open`] after their work.
pub(super) const DATA: usize = 0;
pub(super) const ATOMIC: usize = 1;
pub(super) const STREAM: usize = 2;
pub(super) const RENDER: usize = 3;
pub(super) const DEPTH: usize = 4;
const KINDS: usize = 5;
/// Lines of a page.
const LINES: usize = 64;

/// Readers that may see stale bytes, as indices of [`Page::old`]: the caches of [`CACHES`]; readers
/// that bypass the render and the depth cache; the command streamer.
pub(super) const PAST_RENDER: usize = CACHES.len();
pub(super) const PAST_DEPTH: usize = PAST_RENDER + 1;
pub(super) const PAST_L3: usize = PAST_DEPTH + 1;
pub(super) const READER_COUNT: usize = PAST_L3 + 1;

/// State of a line of 64 bytes. Each field is a set of bytes, one bit for each.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Written by earlier work that may still run, by kind.
    pub open: [u64; 3],
    /// In the render and the depth cache, not flushed; below, flushed without a stall since.
    pub dirty: [u64; 2],
    pub draining: [u64; 2],
    /// Written since each cache of [`CACHES`] was invalidated; below, since the data cache was
    /// flushed.
    pub stale: [u64; CACHES.len()],
    pub unflushed: u64,
}

pub(super) struct Page {
    /// The state of all lines, if they are equal, which is common for memory that is written as a
    /// whole.
    shared: Line,
    /// Else the state of each line.
    lines: Option<Box<[Line; LINES]>>,
    /// Bytes that the running work has written, by kind.
    written: [Option<Arc<Marks>>; KINDS],
    /// Where stale data is returned: contents before the running work's first write, and the stale
    /// bytes of each reader.
    pub before: Option<PageBytes>,
    pub old: [Option<PageBytes>; READER_COUNT],
}

impl Line {
    /// Bytes that a reader does not see.
    pub fn stale_for(&self, viewer: usize) -> u64 {
        let cache = |cache: usize| self.dirty[cache] | self.draining[cache];
        match viewer {
            PAST_RENDER => cache(0),
            PAST_DEPTH => cache(1),
            PAST_L3 => self.unflushed,
            reader => self.stale.get(reader).copied().unwrap_or(0),
        }
    }

    /// Bytes that have not reached memory: their work may still run, or they are in the render or
    /// depth cache.
    pub fn not_in_memory(&self) -> u64 {
        let sets = self.open.iter().chain(&self.dirty).chain(&self.draining);
        sets.fold(0, |all, set| all | set)
    }

    /// Some caches of [`CACHES`] are invalidated while work runs. They stay stale only in bytes
    /// that have not reached memory: written by running work, or by post-sync operations, which
    /// write `posted`.
    pub fn refill(&mut self, caches: &[bool; CACHES.len()], posted: u64) {
        let not_in_memory = self.not_in_memory() | self.unflushed | posted;
        let stale = self.stale.iter_mut().zip(caches);
        for (stale, _) in stale.filter(|(_, asked)| **asked) {
            *stale &= not_in_memory;
        }
    }
}

impl Page {
    pub fn new() -> Page {
        Page {
            shared: Line::default(),
            lines: None,
            written: [const { None }; KINDS],
            before: None,
            old: [const { None }; READER_COUNT],
        }
    }

    /// The state of a line.
    pub fn line(&self, index: usize) -> &Line {
        match &self.lines {
            Some(lines) => &lines[index % LINES],
            None => &self.shared,
        }
    }

    /// All distinct states of the page's lines (with repetitions).
    pub fn states(&self) -> &[Line] {
        match &self.lines {
            Some(lines) => lines.as_slice(),
            None => std::slice::from_ref(&self.shared),
        }
    }

    /// The same, to apply an equal change to all lines.
    pub fn states_mut(&mut self) -> &mut [Line] {
        match &mut self.lines {
            Some(lines) => lines.as_mut_slice(),
            None => std::slice::from_mut(&mut self.shared),
        }
    }

    /// All lines, to change them individually. Call [`Page::compact`] afterwards.
    pub fn lines_mut(&mut self) -> &mut [Line; LINES] {
        let shared = self.shared;
        self.lines.get_or_insert_with(|| Box::new([shared; LINES]))
    }

    /// Stores one state for all lines again if they are equal.
    pub fn compact(&mut self) {
        if let Some(lines) = &self.lines
            && lines.iter().all(|line| *line == lines[0])
        {
            self.shared = lines[0];
            self.lines = None;
        }
    }

    /// The set of bytes that the running work has written with this kind of write.
    pub fn marks(&mut self, kind: usize) -> &Arc<Marks> {
        self.written[kind].get_or_insert_with(Arc::default)
    }

    /// True if the running work has written to this page.
    pub fn is_written(&self) -> bool {
        self.written.iter().any(Option::is_some)
    }

    /// True if the running work has written a whole line outside the render and depth caches.
    pub fn replaced(&self, line: usize) -> bool {
        let marks = [DATA, ATOMIC, STREAM].map(|kind| self.written[kind].as_deref());
        let bits = marks
            .into_iter()
            .flatten()
            .filter_map(|marks| marks.lines.get(line));
        bits.fold(0, |all, bits| all | bits.load(Relaxed)) == u64::MAX
    }

    /// Ends the running work: returns and clears the bytes that it has written, by line and kind.
    pub fn take_written(&mut self) -> [[u64; KINDS]; LINES] {
        let mut written = [[0; KINDS]; LINES];
        for (kind, marks) in self.written.iter_mut().enumerate() {
            let Some(marks) = marks.take() else {
                continue;
            };
            for (written, line) in written.iter_mut().zip(&marks.lines) {
                written[kind] = line.load(Relaxed);
            }
        }
        written
    }

    /// True if the page has no state worth keeping.
    pub fn is_empty(&self) -> bool {
        self.states().iter().all(|line| *line == Line::default())
    }

    /// Saves the bytes `new` of a line, which a reader will see stale from now on, from the
    /// contents `from`.
    pub fn save_bytes(old: &mut Option<PageBytes>, from: &[u8; 4096], line: usize, new: u64) {
        let old = old.get_or_insert_with(|| Box::new([0; 4096]));
        for byte in (0..64).filter(|byte| new >> byte & 1 == 1) {
            old[line * 64 + byte] = from[line * 64 + byte];
        }
    }
}

/// Splits a range by line: page number, line in the page, bits of the bytes.
pub(super) fn split_by_line(address: u64, bytes: u64) -> impl Iterator<Item = (u64, usize, u64)> {
    let (mut at, mut left) = (address, bytes);
    std::iter::from_fn(move || {
        let first = at & 63;
        let count = left.min(64 - first);
        let bits = u64::MAX.checked_shr(64 - count as u32)? << first;
        let part = (at >> 12, (at >> 6 & 63) as usize, bits);
        (at, left) = (at.wrapping_add(count), left - count);
        Some(part)
    })
}
