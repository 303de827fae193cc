//! What the cache model knows: the state of written memory, and the checks of an access against it.
//!
//! In:  lines of written memory, outstanding post-sync operations, buffers that were bound. Out:
//!      [`StopReason::Undefined`] for an access that a rule forbids.
//! Ref: as in the parent module. Tests: `tests.rs` beside this file.

use crate::observer::{CACHES, Memory, Via, WorkEpoch};
use crate::resolve_tracking::{ResolveTracker, Slice};
use crate::rules::{
    BatchRule, COMMANDS_STALE, CONSTANT_STALE, DEPTH_FLUSH, INSTRUCTION_STALE, POST_SYNC_PENDING,
    RENDER_FLUSH, STATE_STALE, TEXTURE_STALE, VERTEX_STALE, WORK_ORDER,
};
use crate::strict::cache_lines::{
    ATOMIC, DATA, DEPTH, Line, PAST_DEPTH, PAST_L3, PAST_RENDER, Page, RENDER, STREAM,
    split_by_line,
};
use crate::strict::constants::ConstantWrites;
use crate::strict::sampler::SamplerReads;
use eu::StopReason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// Indices of the sampler's, of vertex fetch's and of the state cache in [`CACHES`].
pub(super) const TEXTURE: usize = 0;
pub(super) const VERTEX: usize = 2;
pub(super) const STATE: usize = 3;

/// The rule for stale data in each read-only cache, in the order of [`CACHES`].
pub(super) const STALE_RULES: [&BatchRule; CACHES.len()] = [
    &TEXTURE_STALE,
    &CONSTANT_STALE,
    &VERTEX_STALE,
    &STATE_STALE,
    &INSTRUCTION_STALE,
];

/// A post-sync operation that writes a quadword and was not waited for.
pub(super) struct PostSyncWrite {
    pub(super) address: u64,
    /// No work has begun since, so that observing the value implies that all work is complete.
    pub(super) last: bool,
}

/// An access that is checked against the rules.
pub(super) struct Access {
    pub(super) address: u64,
    pub(super) via: Via,
    pub(super) atomic: bool,
}

#[derive(Default)]
pub(super) struct State {
    /// The running work, whose answers on pages callers may cache: see [`State::start_epoch`].
    pub(super) work: Arc<WorkEpoch>,
    /// State of written pages, by page number.
    pub(super) pages: FxHashMap<u64, Box<Page>>,
    /// Address of the command whose work is running.
    pub(super) at: u64,
    pub(super) scratch: Vec<Range<u64>>,
    pub(super) unresolved: Arc<Mutex<ResolveTracker>>,
    /// The depth slice that is being written through HiZ.
    pub(super) hiz_slice: Option<(Slice, Memory)>,
    /// Depth buffers that the running work writes.
    pub(super) depth_buffers: Vec<(u64, Memory)>,
    pub(super) posted: Vec<PostSyncWrite>,
    /// Bytes of commands executed so far; below, dwords that commands wrote recently, each with the
    /// value of `command_bytes` at that time.
    pub(super) command_bytes: u64,
    pub(super) written_commands: Vec<(u64, u64)>,
    /// Lines that vertex fetch has read since it was invalidated, by buffer and the lower 32 bits
    /// of their address.
    pub(super) lines: BTreeMap<(u32, u32), u64>,
    /// Lines that vertex fetch may hold: all of the buffers bound for draws since then. Disjoint
    /// ranges, from the first byte to the end.
    pub(super) bound: BTreeMap<u64, u64>,
    /// Lines that were read through the state cache since it was invalidated.
    pub(super) states: FxHashSet<u64>,
    /// Lines of MCS surfaces that the sampler has read since its cache was invalidated.
    pub(super) control: BTreeSet<u64>,
    /// Surfaces that the sampler has read since then.
    pub(super) sampler: SamplerReads,
    /// The batch's writes to push constants that it has committed.
    pub(super) constants: ConstantWrites,
}

/// Restricts the bytes that are written in a line to those that a cache (an index in [`CACHES`])
/// may hold: `bound` are the lines of vertex fetch, `states` those of the state cache.
pub(super) fn bytes_possibly_cached(
    (bound, states): (&BTreeMap<u64, u64>, &FxHashSet<u64>),
    cache: usize,
    line: u64,
    bytes: u64,
) -> u64 {
    let before = || bound.range(..=line).next_back();
    let held = match cache {
        VERTEX => before().is_some_and(|(_, end)| line < *end),
        STATE => states.contains(&line),
        _ => true,
    };
    if held { bytes } else { 0 }
}

/// The cache behind an access path, with or without HiZ.
pub(super) fn physical_cache(via: Via) -> Via {
    match via {
        Via::Hierarchical => Via::Depth,
        other => other,
    }
}

/// The kind of a write by work.
pub(super) fn write_kind(via: Via, atomic: bool) -> usize {
    match via {
        Via::Render => RENDER,
        Via::Depth => DEPTH,
        Via::Stream => STREAM,
        _ if atomic => ATOMIC,
        _ => DATA,
    }
}

impl State {
    /// Invalidates cached answers, since the state of memory changes otherwise than by accesses of
    /// the running work.
    pub(super) fn start_epoch(&mut self) {
        self.work.ended.store(true, Relaxed);
        self.work = Arc::default();
    }

    /// True if the page's state alone decides about accesses: no post-sync operation is
    /// outstanding, and no scratch memory is in it.
    pub(super) fn is_plain(&self, page: u64) -> bool {
        let (first, end) = (page << 12, (page + 1) << 12);
        let meets = |range: &Range<u64>| range.start < end && first < range.end;
        self.posted.is_empty() && !self.scratch.iter().any(meets)
    }

    pub(super) fn is_scratch(&self, address: u64) -> bool {
        self.scratch.iter().any(|range| range.contains(&address))
    }

    /// The lines of a range whose page has a state, and the bits of the bytes in range.
    pub(super) fn lines(&self, address: u64, bytes: u64) -> impl Iterator<Item = (&Line, u64)> {
        split_by_line(address, bytes).filter_map(|(number, line, bits)| {
            let page = self.pages.get(&number)?;
            Some((page.line(line), bits))
        })
    }

    /// Checks that none of these bytes of a line was written by work that may still run.
    pub(super) fn check_ordered(
        &self,
        line: &Line,
        bits: u64,
        access: &Access,
    ) -> Result<(), StopReason> {
        let of = |kind: usize, meets: bool| if meets { 0 } else { line.open[kind] };
        let open =
            of(DATA, false) | of(ATOMIC, access.atomic) | of(STREAM, access.via == Via::Stream);
        WORK_ORDER.check(open & bits == 0, self.at, || {
            let address = access.address;
            format!("{address:#x} was written by work that may still run")
        })
    }

    /// Checks that none of these bytes of a line is in a render or depth cache that is not flushed.
    pub(super) fn check_flushed(
        &self,
        line: &Line,
        bits: u64,
        access: &Access,
    ) -> Result<(), StopReason> {
        for (viewer, own, rule) in [
            (PAST_RENDER, Via::Render, &RENDER_FLUSH),
            (PAST_DEPTH, Via::Depth, &DEPTH_FLUSH),
        ] {
            let held = line.stale_for(viewer) & bits;
            rule.check(access.via == own || held == 0, self.at, || {
                format!("{:#x} was written by an earlier draw", access.address)
            })?;
        }
        Ok(())
    }

    /// Checks that this reader has no stale copy of these bytes of a line, and that they have
    /// reached its level of memory.
    pub(super) fn check_fresh(
        &self,
        line: &Line,
        bits: u64,
        access: &Access,
    ) -> Result<(), StopReason> {
        let cache = CACHES.iter().position(|reader| *reader == access.via);
        let (rule, stale) = match cache {
            Some(cache) => (STALE_RULES[cache], line.stale_for(cache)),
            None if access.via == Via::Commands => {
                let held = [PAST_RENDER, PAST_DEPTH, PAST_L3].map(|v| line.stale_for(v));
                (&COMMANDS_STALE, held[0] | held[1] | held[2])
            }
            None => return Ok(()),
        };
        rule.check(stale & bits == 0, self.at, || {
            format!("{:#x} was written by earlier work", access.address)
        })
    }

    /// Checks that no outstanding post-sync operation writes these bytes.
    pub(super) fn check_post_sync(&self, address: u64, bytes: u64) -> Result<(), StopReason> {
        let end = address.saturating_add(bytes);
        let meets = |p: &PostSyncWrite| p.address < end && address < p.address + 8;
        let pending = self.posted.iter().any(meets);
        POST_SYNC_PENDING.check(!pending, self.at, || {
            format!("{address:#x} is written by a PIPE_CONTROL that may not be done")
        })
    }

    /// State is read: the state cache holds its lines from now on, as they are in memory.
    pub(super) fn read_state(&mut self, address: u64, bytes: u64) {
        for (number, index, _) in split_by_line(address, bytes) {
            if self.states.insert(number << 12 | (index as u64) << 6)
                && let Some(page) = self.pages.get_mut(&number)
                && page.line(index).not_in_memory() != page.line(index).stale[STATE]
            {
                let line = &mut page.lines_mut()[index];
                line.stale[STATE] = line.not_in_memory();
            }
        }
    }

    /// A buffer is bound for a draw: vertex fetch may hold its lines from now on.
    pub(super) fn bind_buffer(&mut self, address: u64, bytes: u64) {
        self.start_epoch();
        let (mut first, mut end) = (address & !63, (address + bytes).next_multiple_of(64));
        // Ranges that it touches are merged into it; usually it lies inside one.
        while let Some((&from, &to)) = self.bound.range(..=end).next_back() {
            if to < first {
                break;
            }
            self.bound.remove(&from);
            (first, end) = (first.min(from), end.max(to));
        }
        self.bound.insert(first, end);
        // A line that is fetched now lacks data that has not reached memory yet.
        let numbers = first >> 12..=end >> 12;
        let bind_buffer = |number: u64, page: &mut Page| {
            if page.states().iter().all(|line| line.not_in_memory() == 0) {
                return;
            }
            for (at, line) in (number << 12..).step_by(64).zip(page.lines_mut()) {
                if (first..end).contains(&at) {
                    line.stale[VERTEX] |= line.not_in_memory();
                }
            }
            page.compact();
        };
        if numbers.end() - numbers.start() < self.pages.len() as u64 {
            for number in numbers {
                if let Some(page) = self.pages.get_mut(&number) {
                    bind_buffer(number, page);
                }
            }
            return;
        }
        for (number, page) in &mut self.pages {
            if numbers.contains(number) {
                bind_buffer(*number, page);
            }
        }
    }

    /// All earlier work is complete, and flushed data is in memory.
    pub(super) fn complete_all_work(&mut self) {
        self.start_epoch();
        self.posted.clear();
        let lines = self.pages.values_mut().flat_map(|page| page.states_mut());
        for line in lines {
            (line.open, line.draining) = ([0; 3], [0; 2]);
        }
    }
}
