//! What strict mode remembers of memory that the work of a batch has written, line by line.
//!
//! In:  which bytes were written, how, and what happened to the caches since ([`super::caches`]). Out: who may not see them yet.

use crate::watch::{CACHES, Marks};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A page's bytes as somebody saw them.
pub(super) type Copy = Box<[u8; 4096]>;

/// Kinds of writes: by the data port, by its atomics, by the stream output, by the render and by the depth cache. The first
/// three are [`Line::open`] when their work has ended.
pub(super) const DATA: usize = 0;
pub(super) const ATOMIC: usize = 1;
pub(super) const STREAM: usize = 2;
pub(super) const RENDER: usize = 3;
pub(super) const DEPTH: usize = 4;
const KINDS: usize = 5;
/// Lines of a page.
const LINES: usize = 64;

/// Who may see old bytes, by their place in [`Page::old`]: the caches of [`CACHES`]; who reads past the render and the depth cache;
/// the command streamer.
pub(super) const PAST_RENDER: usize = CACHES.len();
pub(super) const PAST_DEPTH: usize = PAST_RENDER + 1;
pub(super) const PAST_L3: usize = PAST_DEPTH + 1;
pub(super) const VIEWERS: usize = PAST_L3 + 1;

/// A line of 64 bytes: sets of bytes, a bit for each.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Written by earlier work that may still run, by kind.
    pub open: [u64; 3],
    /// In the render and the depth cache, not flushed; flushed, but not waited for.
    pub dirty: [u64; 2],
    pub draining: [u64; 2],
    /// Written since each cache of [`CACHES`] was invalidated; since the data cache was flushed.
    pub stale: [u64; CACHES.len()],
    pub unflushed: u64,
}

pub(super) struct Page {
    /// All of its lines, where they are alike, as they most often are of what is written whole.
    same: Line,
    /// Each of them else.
    each: Option<Box<[Line; LINES]>>,
    /// What the work that runs has written, by kind.
    own: [Option<Arc<Marks>>; KINDS],
    /// What was there before the work that runs wrote it, and what each of the viewers sees: where old data is delivered.
    pub before: Option<Copy>,
    pub old: [Option<Copy>; VIEWERS],
}

impl Line {
    /// What a viewer does not see.
    pub fn unseen(&self, viewer: usize) -> u64 {
        let cache = |cache: usize| self.dirty[cache] | self.draining[cache];
        match viewer {
            PAST_RENDER => cache(0),
            PAST_DEPTH => cache(1),
            PAST_L3 => self.unflushed,
            reader => self.stale.get(reader).copied().unwrap_or(0),
        }
    }

    /// What has not come to memory of work that is done or was told to be: it runs, or it is in the caches of draws.
    pub fn away(&self) -> u64 {
        let sets = self.open.iter().chain(&self.dirty).chain(&self.draining);
        sets.fold(0, |all, set| all | set)
    }

    /// Some caches of [`CACHES`] are invalidated while work runs: they may hold old bytes only where what was written has not
    /// come to memory: by work, or by the post-sync operations that write `posted`.
    pub fn refill(&mut self, caches: &[bool; CACHES.len()], posted: u64) {
        let away = self.away() | self.unflushed | posted;
        let stale = self.stale.iter_mut().zip(caches);
        for (stale, _) in stale.filter(|(_, asked)| **asked) {
            *stale &= away;
        }
    }
}

impl Page {
    pub fn new() -> Page {
        Page {
            same: Line::default(),
            each: None,
            own: [const { None }; KINDS],
            before: None,
            old: [const { None }; VIEWERS],
        }
    }

    /// One of its lines.
    pub fn line(&self, index: usize) -> &Line {
        match &self.each {
            Some(lines) => &lines[index % LINES],
            None => &self.same,
        }
    }

    /// Every state that lines of it are in, at least once.
    pub fn states(&self) -> &[Line] {
        match &self.each {
            Some(lines) => lines.as_slice(),
            None => std::slice::from_ref(&self.same),
        }
    }

    /// The same, to be changed all alike.
    pub fn states_mut(&mut self) -> &mut [Line] {
        match &mut self.each {
            Some(lines) => lines.as_mut_slice(),
            None => std::slice::from_mut(&mut self.same),
        }
    }

    /// All of its lines, to be changed each by itself; [`Page::settle`] is to follow.
    pub fn lines_mut(&mut self) -> &mut [Line; LINES] {
        let same = self.same;
        self.each.get_or_insert_with(|| Box::new([same; LINES]))
    }

    /// Keeps one line for all of them, where they are alike.
    pub fn settle(&mut self) {
        if let Some(lines) = &self.each
            && lines.iter().all(|line| *line == lines[0])
        {
            self.same = lines[0];
            self.each = None;
        }
    }

    /// The marks of what the work that runs writes in some way.
    pub fn marks(&mut self, kind: usize) -> &Arc<Marks> {
        self.own[kind].get_or_insert_with(Arc::default)
    }

    /// The work that runs has written here.
    pub fn is_written(&self) -> bool {
        self.own.iter().any(Option::is_some)
    }

    /// The work that runs has written all of a line, past the caches of draws.
    pub fn replaced(&self, line: usize) -> bool {
        let marks = [DATA, ATOMIC, STREAM].map(|kind| self.own[kind].as_deref());
        let bits = marks
            .into_iter()
            .flatten()
            .filter_map(|marks| marks.lines.get(line));
        bits.fold(0, |all, bits| all | bits.load(Relaxed)) == u64::MAX
    }

    /// What the work has written, by line and kind; it has ended, and the page knows no more of it.
    pub fn take_own(&mut self) -> [[u64; KINDS]; LINES] {
        let mut own = [[0; KINDS]; LINES];
        for (kind, marks) in self.own.iter_mut().enumerate() {
            let Some(marks) = marks.take() else {
                continue;
            };
            for (own, line) in own.iter_mut().zip(&marks.lines) {
                own[kind] = line.load(Relaxed);
            }
        }
        own
    }

    /// Nothing that anybody must know.
    pub fn is_empty(&self) -> bool {
        self.states().iter().all(|line| *line == Line::default())
    }

    /// Keeps the bytes of `new` that a viewer will not see any more, as `from` has them.
    pub fn keep(old: &mut Option<Copy>, from: &[u8; 4096], line: usize, new: u64) {
        let old = old.get_or_insert_with(|| Box::new([0; 4096]));
        for byte in (0..64).filter(|byte| new >> byte & 1 == 1) {
            old[line * 64 + byte] = from[line * 64 + byte];
        }
    }
}

/// The parts of a range by line: page, line within it, bits.
pub(super) fn parts(address: u64, bytes: u64) -> impl Iterator<Item = (u64, usize, u64)> {
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
