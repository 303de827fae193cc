//! The machine's caches: which memory the work of a batch has written, and who may still see what was there before.
//!
//! In:  accesses of units by cache, byte by byte; writes of commands; PIPE_CONTROLs. Out: [`Stop::Undefined`] at the first access
//!      that a real machine may answer with old data, or that data where it is asked for; what each PIPE_CONTROL had to do.
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL", "3DSTATE_VERTEX_BUFFERS"; vol. 5, "L3 Cache", "Sampler Caches"; vol. 7, "End-of-Pipe
//!      Synchronization", "Vertex Fetch (VF) Stage", "State Caching".
//!
//! What is demanded, of dispatches, draws and commands of one batch (the kernel flushes and invalidates between batches):
//!
//! - Walkers and draws run side by side until a PIPE_CONTROL stalls: until then nobody else may read or write what one has
//!   written through the data port or the stream output. Atomics of several may meet, and stream output is in order.
//! - Render targets and depth are written in order, each in a cache of its own, which draws alone see: until a PIPE_CONTROL
//!   has flushed it, and this or a later one has stalled, nobody else may read or write what is there.
//! - Five caches keep copies of what they have read ([`READERS`]): memory that was written is read through them only when
//!   they have been invalidated since. A flush goes down the pipeline, an invalidation takes effect when its command is read
//!   ("pipelined flush, immediate invalidate"): one that comes while the writers still run counts for nothing.
//! - The command streamer reads memory, not the L3: for it, the stall comes with a flush of the data cache.
//! - Commands write when they are read, but a post-sync operation does so when all before it is done: whoever reads or writes
//!   the place needs a stall after it, or a semaphore that waits for what it writes.
//! - Commands are read ahead: what a command writes into those that come soon is seen only behind a jump.
//! - Vertex fetch tells lines of a buffer apart by the lower 32 bits of their address.
//!
//! A cache may hold any line: what is near to what was read comes with it. So a reader that has not read a place before needs the
//! invalidation, too. The vertex cache alone is known to hold no more than lines of 64 bytes of the buffers that were bound for
//! draws since it was invalidated: "before binding and then using Vertex Buffers that overlap with any previously bound Vertex
//! Buffer (at a 64B granularity) since the last invalidation". So it is taken of the sampler's cache and multisample control
//! surfaces, of which nothing but the sampler's message for them reads (ERRATA.md). Not demanded: order of reads before writes, which Vulkan lets drivers assume of walkers that start in
//! order, and of a draw's own accesses; that the L3 is flushed before the data port reads what commands have written (ERRATA.md).
//! A thread's scratch memory is its own.

use super::lines::{
    ATOMIC, Copy, DATA, DEPTH, Line, PAST_DEPTH, PAST_L3, PAST_RENDER, Page, RENDER, STREAM,
    VIEWERS, parts,
};
use super::surface;
use crate::hiz::{First, Slice, Unresolved, number};
use crate::memory::View;
use crate::rules::{
    COLOUR_RESOLVE, COMMAND_PREFETCH, COMMANDS_STALE, CONSTANT_STALE, DEPTH_FLUSH, HIZ_FILLED,
    HIZ_RESOLVE, INSTRUCTION_STALE, POST_SYNC_PENDING, RENDER_FLUSH, Rule, STATE_STALE,
    TEXTURE_STALE, VERTEX_STALE, VERTEX_TAG, WORK_ORDER,
};
use crate::space::AddressSpace;
use crate::watch::{CACHES, Colour, Control, Depth, Marks, Memory, Seen, Slices, Via, Watch, Work};
use eu::Stop;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes of commands that the command streamer reads ahead.
const COMMAND_PREFETCH_BYTES: u64 = 512;

/// The rules of caches that keep copies, in the order of [`CACHES`].
const READERS: [&Rule; CACHES.len()] = [
    &TEXTURE_STALE,
    &CONSTANT_STALE,
    &VERTEX_STALE,
    &STATE_STALE,
    &INSTRUCTION_STALE,
];

/// A quadword that a post-sync operation writes, that nobody has waited for.
struct Posted {
    address: u64,
    /// No work has begun since: who has seen the value knows that all is done.
    last: bool,
}

/// An access, for the rules that it may break.
struct Access {
    address: u64,
    via: Via,
    atomic: bool,
}

#[derive(Default)]
struct State {
    /// What may be kept of what is said of memory ends with it: see [`State::turn`].
    work: Arc<Work>,
    /// By number.
    pages: FxHashMap<u64, Box<Page>>,
    /// Address of the command whose work runs.
    at: u64,
    scratch: Vec<Range<u64>>,
    unresolved: Arc<Mutex<Unresolved>>,
    /// The slice of a depth buffer that is being written through a hierarchical one.
    holding: Option<(Slice, Memory)>,
    /// Depth buffers that the work writes.
    depths: Vec<(u64, Memory)>,
    posted: Vec<Posted>,
    /// Bytes of commands executed; dwords that commands have written lately, and how many it were then.
    passed: u64,
    changed: Vec<(u64, u64)>,
    /// Lines that vertex fetch has read since it was invalidated, by buffer and the lower 32 bits of their address.
    lines: BTreeMap<(u32, u32), u64>,
    /// Lines that it may hold: of buffers bound for draws since then, whatever they read of them. Each from its first byte to
    /// its end, apart from each other.
    bound: BTreeMap<u64, u64>,
    /// Lines of multisample control surfaces that the sampler has read since its cache was invalidated.
    control: BTreeSet<u64>,
}

/// What a batch has written so far.
#[derive(Default)]
pub(crate) struct Log {
    state: Mutex<State>,
    /// The memory itself.
    space: AddressSpace,
    /// Old data is to be delivered instead of a stop.
    delivers: bool,
}

/// What a PIPE_CONTROL found to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Something was in the data, render and depth cache that is not flushed.
    pub dirty: [bool; 3],
    /// Something that each cache of [`CACHES`] may hold has been written.
    pub stale: [bool; CACHES.len()],
    /// Something that a stall makes known: work, flushes or post-sync operations that nobody has waited for.
    pub open: bool,
    /// Post-sync operations among that.
    pub posted: bool,
}

/// Of bytes that are written in a line: those of which a cache, by its place in [`CACHES`], may hold the line.
fn copied(bound: &BTreeMap<u64, u64>, cache: usize, line: u64, bytes: u64) -> u64 {
    let before = || bound.range(..=line).next_back();
    let held = cache != VERTEX || before().is_some_and(|(_, end)| line < *end);
    if held { bytes } else { 0 }
}

/// The cache that accesses go through, be there a hierarchical depth buffer or not.
fn cache_of(via: Via) -> Via {
    match via {
        Via::Hierarchical => Via::Depth,
        other => other,
    }
}

/// The kind of a write that is no command's.
fn kind_of(via: Via, atomic: bool) -> usize {
    match via {
        Via::Render => RENDER,
        Via::Depth => DEPTH,
        Via::Stream => STREAM,
        _ if atomic => ATOMIC,
        _ => DATA,
    }
}

impl State {
    /// What is known of memory changes otherwise than by accesses of work: what was said of it is over.
    fn turn(&mut self) {
        self.work.over.store(true, Relaxed);
        self.work = Arc::default();
    }

    /// Nothing that is not known by page may happen to accesses of one: operations that are to come, and scratch memory.
    fn is_plain(&self, page: u64) -> bool {
        let (first, end) = (page << 12, (page + 1) << 12);
        let meets = |range: &Range<u64>| range.start < end && first < range.end;
        self.posted.is_empty() && !self.scratch.iter().any(meets)
    }

    fn is_scratch(&self, address: u64) -> bool {
        self.scratch.iter().any(|range| range.contains(&address))
    }

    /// The lines of a range that something is known of: the first byte of the range that each has, the line, bits.
    fn lines(&self, address: u64, bytes: u64) -> impl Iterator<Item = (&Line, u64)> {
        parts(address, bytes).filter_map(|(number, line, bits)| {
            let page = self.pages.get(&number)?;
            Some((page.line(line), bits))
        })
    }

    /// Err where one of these bytes of a line was written by work that may still run.
    fn ordered(&self, line: &Line, bits: u64, access: &Access) -> Result<(), Stop> {
        let of = |kind: usize, meets: bool| if meets { 0 } else { line.open[kind] };
        let open =
            of(DATA, false) | of(ATOMIC, access.atomic) | of(STREAM, access.via == Via::Stream);
        WORK_ORDER.check(open & bits == 0, self.at, || {
            let address = access.address;
            format!("{address:#x} was written by work that may still run")
        })
    }

    /// Err where one of these bytes of a line is in a cache of draws that is not flushed.
    fn flushed(&self, line: &Line, bits: u64, access: &Access) -> Result<(), Stop> {
        for (viewer, own, rule) in [
            (PAST_RENDER, Via::Render, &RENDER_FLUSH),
            (PAST_DEPTH, Via::Depth, &DEPTH_FLUSH),
        ] {
            let held = line.unseen(viewer) & bits;
            rule.check(access.via == own || held == 0, self.at, || {
                format!("{:#x} was written by an earlier draw", access.address)
            })?;
        }
        Ok(())
    }

    /// Err where one of these bytes of a line is one that this reader has an old copy of, or that has not come as far as to it.
    fn fresh(&self, line: &Line, bits: u64, access: &Access) -> Result<(), Stop> {
        let cache = CACHES.iter().position(|reader| *reader == access.via);
        let (rule, stale) = match cache {
            Some(cache) => (READERS[cache], line.unseen(cache)),
            None if access.via == Via::Commands => {
                let held = [PAST_RENDER, PAST_DEPTH, PAST_L3].map(|v| line.unseen(v));
                (&COMMANDS_STALE, held[0] | held[1] | held[2])
            }
            None => return Ok(()),
        };
        rule.check(stale & bits == 0, self.at, || {
            format!("{:#x} was written by earlier work", access.address)
        })
    }

    /// Err where a post-sync operation that may still be to come writes one of these bytes.
    fn arrived(&self, address: u64, bytes: u64) -> Result<(), Stop> {
        let end = address.saturating_add(bytes);
        let meets = |p: &Posted| p.address < end && address < p.address + 8;
        let kept = !self.posted.iter().any(meets);
        POST_SYNC_PENDING.check(kept, self.at, || {
            format!("{address:#x} is written by a PIPE_CONTROL that may not be done")
        })
    }

    /// A buffer of some bytes is bound for a draw: vertex fetch may hold its lines from now on.
    fn bind(&mut self, address: u64, bytes: u64) {
        self.turn();
        let (mut first, mut end) = (address & !63, (address + bytes).next_multiple_of(64));
        // Those that it touches become one with it; most often it is one of them.
        while let Some((&from, &to)) = self.bound.range(..=end).next_back() {
            if to < first {
                break;
            }
            self.bound.remove(&from);
            (first, end) = (first.min(from), end.max(to));
        }
        self.bound.insert(first, end);
        // What has not come to memory yet is not in a line that is read now.
        let numbers = first >> 12..=end >> 12;
        let bind = |number: u64, page: &mut Page| {
            if page.states().iter().all(|line| line.away() == 0) {
                return;
            }
            for (at, line) in (number << 12..).step_by(64).zip(page.lines_mut()) {
                if (first..end).contains(&at) {
                    line.stale[VERTEX] |= line.away();
                }
            }
            page.settle();
        };
        if numbers.end() - numbers.start() < self.pages.len() as u64 {
            for number in numbers {
                if let Some(page) = self.pages.get_mut(&number) {
                    bind(number, page);
                }
            }
            return;
        }
        for (number, page) in &mut self.pages {
            if numbers.contains(number) {
                bind(*number, page);
            }
        }
    }

    /// All work before is done, and what was flushed has arrived.
    fn stalled(&mut self) {
        self.turn();
        self.posted.clear();
        let lines = self.pages.values_mut().flat_map(|page| page.states_mut());
        for line in lines {
            (line.open, line.draining) = ([0; 3], [0; 2]);
        }
    }
}

impl Log {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The log of a new batch on a machine, and in what memory. Where it is said to deliver, a reader gets old data instead of a stop.
    pub fn of(unresolved: Arc<Mutex<Unresolved>>, space: &AddressSpace, delivers: bool) -> Log {
        let state = State {
            unresolved,
            ..State::default()
        };
        Log {
            state: Mutex::new(state),
            space: space.clone(),
            delivers,
        }
    }

    /// The memory, where old data is to be delivered.
    fn old(&self) -> Option<&AddressSpace> {
        self.delivers.then_some(&self.space)
    }

    fn unresolved(&self) -> Arc<Mutex<Unresolved>> {
        Arc::clone(&self.state().unresolved)
    }

    /// A page as it is; none where old data is not wanted, or nothing is there.
    fn now(&self, number: u64) -> Option<Copy> {
        let view = View::new(self.old()?);
        let mut words = [0; 1024];
        view.read_block(number << 12, &mut words).ok()?;
        let mut copy = Box::new([0; 4096]);
        for (to, word) in copy.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        Some(copy)
    }

    /// Where old data is delivered: notes what is written through a hierarchical depth buffer, or past it.
    fn hide(&self, state: &State, address: u64, bytes: u64, through: bool) {
        let Some(space) = self.old() else {
            return;
        };
        let mut known = state.unresolved.lock().unwrap_or_else(|e| e.into_inner());
        if !through && known.hides_nothing() {
            return;
        }
        for (number, word, bits) in parts(address, bytes) {
            let start = number << 12 | (word as u64) << 6;
            let Some(memory) = space.backing(start) else {
                continue;
            };
            match state.holding.as_ref().filter(|_| through) {
                None => known.show(memory, (number, word, bits)),
                Some((slice, _)) => {
                    let mut words = [0; 16];
                    if View::new(space).read_block(start, &mut words).is_ok() {
                        let mut line = [0; 64];
                        for (to, word) in line.chunks_exact_mut(4).zip(words) {
                            to.copy_from_slice(&word.to_le_bytes());
                        }
                        known.hide((*slice, memory), (number, word, bits), &line);
                    }
                }
            }
        }
    }

    /// What somebody who looks past a hierarchical depth buffer sees of a byte, where that is not what is there.
    fn behind(&self, state: &State, address: u64) -> Option<u8> {
        let memory = self.old()?.backing(address)?;
        let known = state.unresolved.lock().unwrap_or_else(|e| e.into_inner());
        known.behind(memory, address)
    }

    /// Some of these bytes are not what somebody sees who looks past a hierarchical depth buffer.
    fn is_behind(&self, state: &State, address: u64, bytes: u64) -> bool {
        let nothing = |known: &Mutex<Unresolved>| {
            let known = known.lock().unwrap_or_else(|e| e.into_inner());
            known.hides_nothing()
        };
        if !self.delivers || nothing(&state.unresolved) {
            return false;
        }
        (address..address + bytes).any(|at| self.behind(state, at).is_some())
    }

    /// The work that ends has written other things where surfaces were that something is known of: all of a surface's first line,
    /// past the caches of draws, which know what they write to.
    fn replaced(&self, state: &State) {
        let mut known = state.unresolved.lock().unwrap_or_else(|e| e.into_inner());
        known.replaced(|address, memory| {
            let page = state.pages.get(&(address >> 12));
            page.is_some_and(|page| page.replaced((address >> 6 & 63) as usize))
                && self
                    .space
                    .backing(address)
                    .is_some_and(|here| number(here) == memory)
        });
    }

    /// What a surface begins with.
    fn first(&self, address: u64) -> Option<First> {
        let mut first = [0; 16];
        let view = View::new(&self.space);
        view.read_block(address & !63, &mut first).ok()?;
        Some(first)
    }

    /// The work that ends leaves depth buffers as they are now.
    fn leave(&self, state: &mut State) {
        if state.depths.is_empty() {
            return;
        }
        let mut known = state.unresolved.lock().unwrap_or_else(|e| e.into_inner());
        for (address, memory) in state.depths.drain(..) {
            if let Some(first) = self.first(address) {
                known.left(address, &memory, first);
            }
        }
    }

    /// A PIPE_CONTROL; what it found to do.
    pub fn pipe_control(&self, control: &Control) -> Found {
        let state = &mut *self.state();
        state.turn();
        let any = |bytes: &u64| *bytes != 0;
        let mut found = Found {
            open: !state.posted.is_empty(),
            posted: !state.posted.is_empty(),
            ..Found::default()
        };
        if control.ordered {
            state.posted.clear();
        }
        let mut posted: BTreeMap<u64, BTreeMap<usize, u64>> = BTreeMap::new();
        for operation in &state.posted {
            for (number, line, bits) in parts(operation.address, 8) {
                *posted.entry(number).or_default().entry(line).or_default() |= bits;
            }
        }
        let refills = control.refilled.contains(&true);
        for (number, page) in &mut state.pages {
            for line in page.states() {
                found.dirty[0] |= any(&line.unflushed);
                found.open |= line.open.iter().chain(&line.draining).any(any);
                for (to, dirty) in found.dirty[1..].iter_mut().zip(&line.dirty) {
                    *to |= any(dirty);
                }
                for (to, stale) in found.stale.iter_mut().zip(&line.stale) {
                    *to |= any(stale);
                }
            }
            let change = |line: &mut Line, posted: u64| {
                for (stale, invalid) in line.stale.iter_mut().zip(control.invalid) {
                    if invalid {
                        *stale = 0;
                    }
                }
                if refills {
                    line.refill(&control.refilled, posted);
                }
                for (cache, flush) in [control.render, control.depth].into_iter().enumerate() {
                    if flush {
                        line.draining[cache] |= std::mem::take(&mut line.dirty[cache]);
                    }
                }
                if control.stall && control.data {
                    line.unflushed = 0;
                }
            };
            match posted.get(number).filter(|_| refills) {
                None => page
                    .states_mut()
                    .iter_mut()
                    .for_each(|line| change(line, 0)),
                Some(posted) => {
                    for (index, line) in page.lines_mut().iter_mut().enumerate() {
                        change(line, posted.get(&index).copied().unwrap_or(0));
                    }
                }
            }
            page.settle();
        }
        if control.invalid[VERTEX] {
            state.lines.clear();
            state.bound.clear();
        }
        if control.invalid[TEXTURE] {
            state.control.clear();
        }
        if control.stall {
            state.stalled();
        }
        state.pages.retain(|_, page| !page.is_empty());
        found
    }

    /// A post-sync operation, which is to write a quadword.
    pub fn post(&self, address: u64) {
        let mut state = self.state();
        state.turn();
        state.posted.push(Posted {
            address,
            last: true,
        });
    }

    /// The command at `at` is next.
    pub fn command(&self, at: u64, bytes: u64) -> Result<(), Stop> {
        let mut state = self.state();
        state.at = at;
        let now = state.passed;
        state
            .changed
            .retain(|(_, passed)| now < passed + COMMAND_PREFETCH_BYTES);
        let range = at..at + bytes;
        let early = state
            .changed
            .iter()
            .find(|(place, _)| range.contains(place));
        COMMAND_PREFETCH.check(early.is_none(), at, || {
            let (place, passed) = early.copied().unwrap_or_default();
            format!(
                "{place:#x} was written {} bytes of commands before",
                now - passed
            )
        })?;
        state.passed += bytes;
        Ok(())
    }

    /// Commands go on elsewhere: what was read ahead is dropped.
    pub fn jump(&self) {
        self.state().changed.clear();
    }

    /// A semaphore waits for a value in memory. True where that says that all work before is done.
    pub fn waited(&self, address: u64) -> bool {
        let mut state = self.state();
        let Some(known) = state.posted.iter().rposition(|p| p.address == address) else {
            return false;
        };
        let all = state.posted.get(known).is_some_and(|p| p.last);
        // They are done in order.
        state.posted.drain(..=known);
        state.turn();
        if all {
            state.stalled();
        }
        all
    }
}

/// The places of the sampler's and of vertex fetch's cache in [`CACHES`].
const TEXTURE: usize = 0;
const VERTEX: usize = 2;

impl Watch for Log {
    fn surface_state(&self, words: &[u32; 16], at: u64, shared: bool) -> Result<(), Stop> {
        surface::check(words, at, shared)
    }

    fn depth(&self, (address, memory): (u64, &Memory), event: Depth) {
        let known = self.unresolved();
        let mut known = known.lock().unwrap_or_else(|e| e.into_inner());
        let slice = |[level, element]: [u32; 2]| (address, level, element);
        if matches!(event, Depth::Held(_) | Depth::Passed(_)) {
            let depths = &mut self.state().depths;
            if !depths.iter().any(|(known, _)| *known == address) {
                depths.push((address, Arc::clone(memory)));
            }
        }
        match event {
            Depth::Held(of) => {
                known.held(slice(of), memory);
                self.state().holding = Some((slice(of), Arc::clone(memory)));
            }
            Depth::Settled(of) => known.settled(slice(of), memory),
            Depth::Told(of) => known.told(slice(of), memory),
            Depth::Passed(of) => known.passed(slice(of), memory),
            Depth::Forgotten => known.forgotten(address, memory),
        }
    }

    fn depth_seen(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), Stop> {
        if self.delivers {
            // The depths themselves are old: see `behind`.
            return Ok(());
        }
        let known = self.unresolved();
        let known = known.lock().unwrap_or_else(|e| e.into_inner());
        let held = known.among(place, slices.levels, slices.elements);
        let held = held.filter(|_| {
            let first = self.first(place.0);
            first.is_none_or(|first| !known.is_other(place.0, place.1, &first))
        });
        HIZ_RESOLVE.check(held.is_none(), at, || {
            let (address, level, element) = held.unwrap_or_default();
            format!("level {level}, element {element} of the depth buffer at {address:#x}")
        })
    }

    fn colour(&self, (address, memory): (u64, &Memory), event: Colour) {
        let known = self.unresolved();
        let mut known = known.lock().unwrap_or_else(|e| e.into_inner());
        match event {
            Colour::Held([level, element]) => {
                known.compressed((address, level, element), memory);
            }
            Colour::Plain([level, element]) => known.plain((address, level, element), memory),
        }
    }

    fn colour_seen(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), Stop> {
        let known = self.unresolved();
        let known = known.lock().unwrap_or_else(|e| e.into_inner());
        let found = known.among_compressed(place, slices.levels, slices.elements);
        COLOUR_RESOLVE.check(found.is_none(), at, || {
            let (address, level, element) = found.unwrap_or_default();
            format!("level {level}, element {element} of the surface at {address:#x}")
        })
    }

    fn depth_through(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), Stop> {
        let known = self.unresolved();
        let known = known.lock().unwrap_or_else(|e| e.into_inner());
        let untold = known.untold(place, slices.levels[0], slices.elements);
        HIZ_FILLED.check(untold.is_none(), at, || {
            let (address, level, element) = untold.unwrap_or_default();
            format!("level {level}, element {element} of the depth buffer at {address:#x}")
        })
    }

    fn begin(&self, at: u64) {
        let mut state = self.state();
        state.turn();
        state.at = at;
        state.scratch.clear();
        for posted in &mut state.posted {
            posted.last = false;
        }
    }

    fn scratch(&self, range: Range<u64>) {
        let mut state = self.state();
        state.turn();
        state.scratch.push(range);
    }

    fn end(&self) {
        let mut state = self.state();
        state.turn();
        self.replaced(&state);
        self.leave(&mut state);
        let State { pages, bound, .. } = &mut *state;
        // Only what the work has written changes.
        for (number, page) in pages.iter_mut().filter(|(_, page)| page.is_written()) {
            let before = page.before.take();
            let owns = page.take_own();
            if let Some(before) = &before {
                for (i, own) in owns.iter().enumerate() {
                    let all = own.iter().fold(0, |all, bits| all | bits);
                    for viewer in 0..VIEWERS {
                        let new = match viewer {
                            PAST_RENDER => own[RENDER],
                            PAST_DEPTH => own[DEPTH],
                            PAST_L3 => own[DATA] | own[ATOMIC] | own[STREAM],
                            _ => all,
                        };
                        let new = new & !page.line(i).unseen(viewer);
                        if new != 0 {
                            Page::keep(&mut page.old[viewer], before, i, new);
                        }
                    }
                }
            }
            let lines = page.lines_mut().iter_mut().enumerate();
            for ((i, line), own) in lines.zip(&owns) {
                let all = own.iter().fold(0, |all, bits| all | bits);
                for kind in [DATA, ATOMIC, STREAM] {
                    line.open[kind] |= own[kind];
                }
                line.dirty[0] |= own[RENDER];
                line.dirty[1] |= own[DEPTH];
                let at = number << 12 | (i as u64) << 6;
                for (cache, stale) in line.stale.iter_mut().enumerate() {
                    *stale |= copied(bound, cache, at, all);
                }
                line.unflushed |= own[DATA] | own[ATOMIC] | own[STREAM];
            }
            page.settle();
        }
    }

    fn read(&self, address: u64, bytes: u64, via: Via) -> Result<Seen, Stop> {
        let state = self.state();
        if via != Via::Hierarchical && self.is_behind(&state, address, bytes) {
            return Ok(Seen::Before);
        }
        let via = cache_of(via);
        if state.pages.is_empty() && state.posted.is_empty() {
            return Ok(Seen::Now);
        }
        if via != Via::Commands && state.is_scratch(address) {
            return Ok(Seen::Now);
        }
        state.arrived(address, bytes)?;
        let mut seen = Seen::Now;
        let access = Access {
            address,
            via,
            atomic: false,
        };
        for (line, bits) in state.lines(address, bytes) {
            let old = match via {
                Via::Commands => Ok(()),
                _ => {
                    state.ordered(line, bits, &access)?;
                    state.flushed(line, bits, &access)
                }
            };
            match old.and_then(|()| state.fresh(line, bits, &access)) {
                Ok(()) => {}
                Err(_) if self.delivers => seen = Seen::Before,
                Err(stop) => return Err(stop),
            }
        }
        Ok(seen)
    }

    fn before(&self, address: u64, bytes: &mut [u8], via: Via) {
        let state = self.state();
        let cache = CACHES.iter().position(|reader| *reader == via);
        for (at, byte) in (address..).zip(bytes) {
            if let Some(old) = self.behind(&state, at).filter(|_| via != Via::Hierarchical) {
                *byte = old;
            }
            let Some(page) = state.pages.get(&(at >> 12)) else {
                continue;
            };
            let (line, bit) = (page.line((at >> 6 & 63) as usize), at & 63);
            // What the reader holds itself is the oldest; what is behind it comes next.
            let viewers = [
                cache,
                (via != Via::Render).then_some(PAST_RENDER),
                (cache_of(via) != Via::Depth).then_some(PAST_DEPTH),
                (via == Via::Commands).then_some(PAST_L3),
            ];
            let mut viewers = viewers.into_iter().flatten();
            let viewer = viewers.find(|viewer| line.unseen(*viewer) >> bit & 1 == 1);
            if let Some(old) = viewer.and_then(|viewer| page.old[viewer].as_ref()) {
                *byte = old[(at & 0xfff) as usize];
            }
        }
    }

    fn write(&self, address: u64, bytes: u64, via: Via, atomic: bool) -> Result<(), Stop> {
        let mut state = self.state();
        self.hide(&state, address, bytes, via == Via::Hierarchical);
        let via = cache_of(via);
        let commands = matches!(via, Via::Commands | Via::PostSync);
        if !commands && state.is_scratch(address) {
            return Ok(());
        }
        let kind = kind_of(via, atomic);
        if via != Via::PostSync {
            state.arrived(address, bytes)?;
            let access = Access {
                address,
                via,
                atomic: kind == ATOMIC,
            };
            for (line, bits) in state.lines(address, bytes) {
                state.ordered(line, bits, &access)?;
                state.flushed(line, bits, &access)?;
            }
        }
        if via == Via::Commands {
            let passed = state.passed;
            let dwords = (address & !3..address + bytes).step_by(4);
            state.changed.extend(dwords.map(|dword| (dword, passed)));
        }
        if commands {
            state.turn();
        }
        let State { pages, bound, .. } = &mut *state;
        for (number, index, bits) in parts(address, bytes) {
            let page = &mut **pages.entry(number).or_insert_with(|| Box::new(Page::new()));
            if commands {
                if let Some(now) = self.now(number) {
                    for viewer in 0..CACHES.len() {
                        let new = bits & !page.line(index).unseen(viewer);
                        Page::keep(&mut page.old[viewer], &now, index, new);
                    }
                }
                let at = number << 12 | (index as u64) << 6;
                let line = &mut page.lines_mut()[index];
                for (cache, stale) in line.stale.iter_mut().enumerate() {
                    *stale |= copied(bound, cache, at, bits);
                }
                continue;
            }
            // The work's first write to the page keeps what was there.
            if !page.is_written() {
                page.before = self.now(number);
            }
            page.marks(kind).add(index, bits);
        }
        Ok(())
    }

    fn readable(&self, page: u64, via: Via) -> (Arc<Work>, bool) {
        let state = self.state();
        let mut may = !self.delivers && via != Via::Commands && state.is_plain(page);
        let access = Access {
            address: page << 12,
            via: cache_of(via),
            atomic: false,
        };
        for line in state.pages.get(&page).iter().flat_map(|page| page.states()) {
            may = may
                && state.ordered(line, u64::MAX, &access).is_ok()
                && state.flushed(line, u64::MAX, &access).is_ok()
                && state.fresh(line, u64::MAX, &access).is_ok();
        }
        (Arc::clone(&state.work), may)
    }

    fn writable(&self, page: u64, via: Via) -> (Arc<Work>, Option<Arc<Marks>>) {
        let state = &mut *self.state();
        let mut may =
            !self.delivers && !matches!(via, Via::Commands | Via::PostSync) && state.is_plain(page);
        let access = Access {
            address: page << 12,
            via: cache_of(via),
            atomic: false,
        };
        for line in state.pages.get(&page).iter().flat_map(|page| page.states()) {
            may = may
                && state.ordered(line, u64::MAX, &access).is_ok()
                && state.flushed(line, u64::MAX, &access).is_ok();
        }
        let work = Arc::clone(&state.work);
        if !may {
            return (work, None);
        }
        let page = state
            .pages
            .entry(page)
            .or_insert_with(|| Box::new(Page::new()));
        (
            work,
            Some(Arc::clone(page.marks(kind_of(access.via, false)))),
        )
    }

    fn bound(&self, address: u64, bytes: u64) {
        if bytes != 0 {
            self.state().bind(address, bytes);
        }
    }

    fn control(&self, address: u64, bytes: u64) {
        let state = &mut *self.state();
        for (number, line, _) in parts(address, bytes) {
            // A line that was not there comes as memory has it.
            if state.control.insert(number << 6 | line as u64)
                && let Some(page) = state.pages.get_mut(&number)
            {
                page.lines_mut()[line].stale[TEXTURE] = 0;
                page.settle();
            }
        }
    }

    fn fetched(&self, buffer: u32, address: u64, bytes: u64) -> Result<(), Stop> {
        let mut state = self.state();
        let at = state.at;
        for line in address >> 6..=(address + bytes.max(1) - 1) >> 6 {
            let tag = (line << 6) as u32;
            let known = *state.lines.entry((buffer, tag)).or_insert(line);
            VERTEX_TAG.check(known == line, at, || {
                format!(
                    "{:#x} after {:#x} of the same buffer",
                    line << 6,
                    known << 6
                )
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "caches_tests.rs"]
mod tests;
