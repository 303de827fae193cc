//! What strict mode remembers of memory that the work of a batch has written, line by line.
//!
//! In:  which bytes were written, how, and what happened to the caches since ([`super::caches`]). Out: who may not see them yet.

use crate::watch::CACHES;

/// A page's bytes as somebody saw them.
pub(super) type Copy = Box<[u8; 4096]>;

/// Kinds of writes: by the data port, by its atomics, by the stream output, by the render and by the depth cache. The first
/// three are [`Line::open`] when their work has ended.
pub(super) const DATA: usize = 0;
pub(super) const ATOMIC: usize = 1;
pub(super) const STREAM: usize = 2;
pub(super) const RENDER: usize = 3;
pub(super) const DEPTH: usize = 4;

/// Who may see old bytes, by their place in [`Page::old`]: the caches of [`CACHES`]; who reads past the render and the depth cache;
/// the command streamer.
pub(super) const PAST_RENDER: usize = CACHES.len();
pub(super) const PAST_DEPTH: usize = PAST_RENDER + 1;
pub(super) const PAST_L3: usize = PAST_DEPTH + 1;
pub(super) const VIEWERS: usize = PAST_L3 + 1;

/// A line of 64 bytes: sets of bytes, a bit for each.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Written by the work that runs, by kind.
    pub own: [u64; 5],
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
    pub lines: [Line; 64],
    /// The work that runs has written here.
    pub written: bool,
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
            lines: [Line::default(); 64],
            written: false,
            before: None,
            old: [const { None }; VIEWERS],
        }
    }

    /// Nothing that anybody must know.
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| *line == Line::default())
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
