//! Models the GPU's caches: tracks which memory the work of a batch has written, and which readers
//! may still see stale data.
//!
//! In:  accesses of units by access path, byte by byte; writes of commands; PIPE_CONTROLs. Out:
//!      [`StopReason::Undefined`] at the first access that may return stale data on a real machine,
//!      or that data if requested; what each PIPE_CONTROL had to do.
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL", "3DSTATE_VERTEX_BUFFERS"; vol. 5, "L3 Cache", "Sampler
//!      Caches"; vol. 7, "End-of-Pipe Synchronization", "Vertex Fetch (VF) Stage", "State Caching".
//!
//! The model for dispatches, draws and commands of one batch (the kernel flushes and invalidates
//! between batches):
//!
//! - Walkers and draws run concurrently until a PIPE_CONTROL stalls: until then no other work may
//!   read or write what one has written through the data port or stream output. Atomics may
//!   overlap, and stream output is in order.
//! - Render target and depth writes are in order, each in a cache of its own that only draws
//!   access: until a PIPE_CONTROL has flushed it, and this or a later one has stalled, no other
//!   unit may read or write that memory.
//! - Five read-only caches keep their lines ([`state::STALE_RULES`]): memory that was written may
//!   be read through them only after an invalidation. A flush goes down the pipeline, an
//!   invalidation takes effect when its command is parsed ("pipelined flush, immediate
//!   invalidate"): one that executes while the writers still run has no effect.
//! - The command streamer reads memory, not the L3: it needs the stall together with a flush of the
//!   data cache.
//! - Commands write when they execute, but a post-sync operation writes when all earlier work is
//!   complete: other accesses to its address need a stall after it, or a semaphore that waits for
//!   the value it writes.
//! - Commands are prefetched: a command that a command writes shortly before it executes takes
//!   effect only behind a jump.
//! - Vertex fetch tags the lines of a buffer with the lower 32 bits of their address.
//!
//! A cache may hold any line, since neighbours of what was read are fetched too. So a first read of
//! an address needs the invalidation as well. Only the vertex cache is known to hold no more than
//! lines of 64 bytes of the buffers that were bound for draws since it was invalidated: "before
//! binding and then using Vertex Buffers that overlap with any previously bound Vertex Buffer (at a
//! 64B granularity) since the last invalidation". The same is assumed of the state cache for lines
//! that were read, and of the sampler's cache for MCS surfaces, which only the sampler's ld_mcs
//! message reads (ERRATA.md). Not checked: writes
//! after reads, since Vulkan lets drivers assume that walkers start in order; the order of a draw's
//! own accesses; and a flush of the L3 before the data port reads what commands have written
//! (ERRATA.md). Scratch memory is private to a thread.

mod state;

use crate::memory::AddressSpaceView;
use crate::observer::{
    CACHES, Colour, Depth, Marks, Memory, PipeControlEffects, ReadResult, SampledSurface, Slices,
    Via, Watch, WorkEpoch,
};
use crate::resolve_tracking::{FirstLine, ResolveTracker, memory_id};
use crate::rules::{COLOUR_RESOLVE, COMMAND_PREFETCH, HIZ_FILLED, HIZ_RESOLVE, VERTEX_TAG};
use crate::space::AddressSpace;
use crate::strict::cache_lines::{
    ATOMIC, DATA, DEPTH, Line, PAST_DEPTH, PAST_L3, PAST_RENDER, Page, PageBytes, READER_COUNT,
    RENDER, STREAM, split_by_line,
};
use crate::strict::surface;
use eu::StopReason;
use state::{
    Access, PostSyncWrite, STATE, State, TEXTURE, VERTEX, bytes_possibly_cached, physical_cache,
    write_kind,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes of commands that the command streamer prefetches.
const COMMAND_PREFETCH_BYTES: u64 = 512;

/// Tracks the memory that a batch has written.
#[derive(Default)]
pub(crate) struct Log {
    state: Mutex<State>,
    /// The address space.
    space: AddressSpace,
    /// Return stale data instead of stopping.
    returns_stale: bool,
    /// Leaves out the rules that drivers in use are known to break.
    pub lenient: bool,
}

/// What a PIPE_CONTROL had to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The data, render and depth cache held data that was not flushed.
    pub dirty: [bool; 3],
    /// Data was written that each cache of [`CACHES`] may hold a stale copy of.
    pub stale: [bool; CACHES.len()],
    /// Work, flushes or post-sync operations were outstanding, for which a stall waits.
    pub open: bool,
    /// Post-sync operations were outstanding.
    pub posted: bool,
}

impl Log {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// A tracker for a new batch. `returns_stale`: readers get stale data instead of an error.
    pub fn with_resolve_tracker(
        unresolved: Arc<Mutex<ResolveTracker>>,
        space: &AddressSpace,
        returns_stale: bool,
    ) -> Log {
        let state = State {
            unresolved,
            ..State::default()
        };
        Log {
            state: Mutex::new(state),
            space: space.clone(),
            returns_stale,
            lenient: false,
        }
    }

    /// The address space, if stale data is to be returned.
    fn stale_space(&self) -> Option<&AddressSpace> {
        self.returns_stale.then_some(&self.space)
    }

    fn unresolved(&self) -> Arc<Mutex<ResolveTracker>> {
        Arc::clone(&self.state().unresolved)
    }

    /// The present contents of a page; `None` if stale data is not requested, or nothing is mapped.
    fn page_contents(&self, number: u64) -> Option<PageBytes> {
        let view = AddressSpaceView::new(self.stale_space()?);
        let mut words = [0; 1024];
        view.read_block(number << 12, &mut words).ok()?;
        let mut copy = Box::new([0; 4096]);
        for (to, word) in copy.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        Some(copy)
    }

    /// Where stale data is returned: records a write through HiZ, or one that bypasses it.
    fn record_depth_write(&self, state: &State, address: u64, bytes: u64, through: bool) {
        let Some(space) = self.stale_space() else {
            return;
        };
        let mut known = state.unresolved.lock().unwrap_or_else(|e| e.into_inner());
        if !through && known.has_no_stale_bytes() {
            return;
        }
        for (number, word, bits) in split_by_line(address, bytes) {
            let start = number << 12 | (word as u64) << 6;
            let Some(memory) = space.backing(start) else {
                continue;
            };
            match state.hiz_slice.as_ref().filter(|_| through) {
                None => known.drop_stale_bytes(memory, (number, word, bits)),
                Some((slice, _)) => {
                    let mut words = [0; 16];
                    if AddressSpaceView::new(space)
                        .read_block(start, &mut words)
                        .is_ok()
                    {
                        let mut line = [0; 64];
                        for (to, word) in line.chunks_exact_mut(4).zip(words) {
                            to.copy_from_slice(&word.to_le_bytes());
                        }
                        known.save_stale_bytes((*slice, memory), (number, word, bits), &line);
                    }
                }
            }
        }
    }

    /// The value of a byte that a reader without HiZ sees, if it differs from memory.
    fn stale_depth_byte(&self, state: &State, address: u64) -> Option<u8> {
        let memory = self.stale_space()?.backing(address)?;
        let known = state.unresolved.lock().unwrap_or_else(|e| e.into_inner());
        known.stale_byte(memory, address)
    }

    /// True if a reader without HiZ sees stale values in these bytes.
    fn has_stale_depth(&self, state: &State, address: u64, bytes: u64) -> bool {
        let nothing = |known: &Mutex<ResolveTracker>| {
            let known = known.lock().unwrap_or_else(|e| e.into_inner());
            known.has_no_stale_bytes()
        };
        if !self.returns_stale || nothing(&state.unresolved) {
            return false;
        }
        (address..address + bytes).any(|at| self.stale_depth_byte(state, at).is_some())
    }

    /// Forgets the resolve state of surfaces that the ending work has overwritten: their whole
    /// first line was written outside the render and depth caches, whose writes update the state.
    fn replaced(&self, state: &State) {
        let mut known = state.unresolved.lock().unwrap_or_else(|e| e.into_inner());
        known.forget_overwritten(|address, memory| {
            let page = state.pages.get(&(address >> 12));
            page.is_some_and(|page| page.replaced((address >> 6 & 63) as usize))
                && self
                    .space
                    .backing(address)
                    .is_some_and(|here| memory_id(here) == memory)
        });
    }

    /// The first line of a surface.
    fn first(&self, address: u64) -> Option<FirstLine> {
        let mut first = [0; 16];
        let view = AddressSpaceView::new(&self.space);
        view.read_block(address & !63, &mut first).ok()?;
        Some(first)
    }

    /// Records the first lines of the depth buffers that the ending work wrote.
    fn record_depth_contents(&self, state: &mut State) {
        if state.depth_buffers.is_empty() {
            return;
        }
        let mut known = state.unresolved.lock().unwrap_or_else(|e| e.into_inner());
        for (address, memory) in state.depth_buffers.drain(..) {
            if let Some(first) = self.first(address) {
                known.record_first_line(address, &memory, first);
            }
        }
    }

    /// Executes a PIPE_CONTROL; returns what it had to do.
    pub fn pipe_control(&self, control: &PipeControlEffects) -> Found {
        let state = &mut *self.state();
        state.start_epoch();
        let any = |bytes: &u64| *bytes != 0;
        let mut found = Found {
            open: !state.posted.is_empty(),
            posted: !state.posted.is_empty(),
            ..Found::default()
        };
        if control.waits_for_post_sync {
            state.posted.clear();
        }
        let mut posted: BTreeMap<u64, BTreeMap<usize, u64>> = BTreeMap::new();
        for operation in &state.posted {
            for (number, line, bits) in split_by_line(operation.address, 8) {
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
                for (stale, invalidated) in line.stale.iter_mut().zip(control.invalidated) {
                    if invalidated {
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
            page.compact();
        }
        if control.invalidated[VERTEX] {
            state.lines.clear();
            state.bound.clear();
        }
        if control.invalidated[STATE] {
            state.states.clear();
        }
        if control.invalidated[TEXTURE] {
            state.control.clear();
            state.sampler.invalidate();
        }
        if control.stall {
            state.complete_all_work();
        }
        state.pages.retain(|_, page| !page.is_empty());
        found
    }

    /// A post-sync operation that will write a quadword.
    pub fn post(&self, address: u64) {
        let mut state = self.state();
        state.start_epoch();
        state.posted.push(PostSyncWrite {
            address,
            last: true,
        });
    }

    /// The command at `at` is about to execute.
    pub fn command(&self, at: u64, bytes: u64) -> Result<(), StopReason> {
        let mut state = self.state();
        state.at = at;
        let page_contents = state.command_bytes;
        state
            .written_commands
            .retain(|(_, command_bytes)| page_contents < command_bytes + COMMAND_PREFETCH_BYTES);
        let range = at..at + bytes;
        let early = state
            .written_commands
            .iter()
            .find(|(place, _)| range.contains(place));
        COMMAND_PREFETCH.check(early.is_none(), at, || {
            let (place, command_bytes) = early.copied().unwrap_or_default();
            format!(
                "{place:#x} was written {} bytes of commands before",
                page_contents - command_bytes
            )
        })?;
        state.command_bytes += bytes;
        Ok(())
    }

    /// A jump discards prefetched commands.
    pub fn jump(&self) {
        self.state().written_commands.clear();
    }

    /// A semaphore waits for a value in memory. Returns true if that implies that all earlier work
    /// is complete.
    pub fn waited(&self, address: u64) -> bool {
        let mut state = self.state();
        let Some(known) = state.posted.iter().rposition(|p| p.address == address) else {
            return false;
        };
        let all = state.posted.get(known).is_some_and(|p| p.last);
        // Post-sync operations complete in order.
        state.posted.drain(..=known);
        state.start_epoch();
        if all {
            state.complete_all_work();
        }
        all
    }
}

impl Watch for Log {
    fn surface_state(&self, words: &[u32; 16], at: u64, shared: bool) -> Result<(), StopReason> {
        surface::check(words, at, shared, self.lenient)
    }

    fn depth(&self, (address, memory): (u64, &Memory), event: Depth) {
        let known = self.unresolved();
        let mut known = known.lock().unwrap_or_else(|e| e.into_inner());
        let slice = |[level, element]: [u32; 2]| (address, level, element);
        if matches!(event, Depth::Held(_) | Depth::Passed(_)) {
            let depth_buffers = &mut self.state().depth_buffers;
            if !depth_buffers.iter().any(|(known, _)| *known == address) {
                depth_buffers.push((address, Arc::clone(memory)));
            }
        }
        match event {
            Depth::Held(of) => {
                known.mark_unresolved(slice(of), memory);
                self.state().hiz_slice = Some((slice(of), Arc::clone(memory)));
            }
            Depth::Resolved(of) => known.mark_resolved(slice(of), memory),
            Depth::HizValid(of) => known.mark_hiz_valid(slice(of), memory),
            Depth::Passed(of) => known.mark_hiz_invalid(slice(of), memory),
            Depth::Forgotten => known.forget_surface(address, memory),
        }
    }

    fn depth_seen(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), StopReason> {
        if self.returns_stale {
            // The reader sees the old depths: see `stale_depth_byte`.
            return Ok(());
        }
        let known = self.unresolved();
        let known = known.lock().unwrap_or_else(|e| e.into_inner());
        let held = known.first_unresolved(place, slices.levels, slices.elements);
        let held = held.filter(|_| {
            let first = self.first(place.0);
            first.is_none_or(|first| !known.is_overwritten(place.0, place.1, &first))
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
                known.mark_compressed((address, level, element), memory);
            }
            Colour::Plain([level, element]) => {
                known.mark_uncompressed((address, level, element), memory)
            }
        }
    }

    fn colour_seen(
        &self,
        place: (u64, &Memory),
        slices: Slices,
        at: u64,
    ) -> Result<(), StopReason> {
        let known = self.unresolved();
        let known = known.lock().unwrap_or_else(|e| e.into_inner());
        let found = known.first_compressed(place, slices.levels, slices.elements);
        COLOUR_RESOLVE.check(found.is_none(), at, || {
            let (address, level, element) = found.unwrap_or_default();
            format!("level {level}, element {element} of the surface at {address:#x}")
        })
    }

    fn depth_through(
        &self,
        place: (u64, &Memory),
        slices: Slices,
        at: u64,
    ) -> Result<(), StopReason> {
        let known = self.unresolved();
        let known = known.lock().unwrap_or_else(|e| e.into_inner());
        let untold = known.first_without_hiz(place, slices.levels[0], slices.elements);
        HIZ_FILLED.check(untold.is_none(), at, || {
            let (address, level, element) = untold.unwrap_or_default();
            format!("level {level}, element {element} of the depth buffer at {address:#x}")
        })
    }

    fn begin(&self, at: u64) {
        let mut state = self.state();
        state.start_epoch();
        state.at = at;
        state.scratch.clear();
        for posted in &mut state.posted {
            posted.last = false;
        }
    }

    fn scratch(&self, range: Range<u64>) {
        let mut state = self.state();
        state.start_epoch();
        state.scratch.push(range);
    }

    fn end(&self) {
        let mut state = self.state();
        state.start_epoch();
        self.replaced(&state);
        self.record_depth_contents(&mut state);
        let State {
            pages,
            bound,
            states,
            constants,
            ..
        } = &mut *state;
        // Only pages that the work has written change.
        for (number, page) in pages.iter_mut().filter(|(_, page)| page.is_written()) {
            let before = page.before.take();
            let owns = page.take_written();
            if constants.overlap(number << 12, 4096) {
                for (line, own) in (number << 12..).step_by(64).zip(&owns) {
                    constants.write_line(line, own.iter().fold(0, |all, bits| all | bits));
                }
            }
            if let Some(before) = &before {
                for (i, own) in owns.iter().enumerate() {
                    let all = own.iter().fold(0, |all, bits| all | bits);
                    for viewer in 0..READER_COUNT {
                        let new = match viewer {
                            PAST_RENDER => own[RENDER],
                            PAST_DEPTH => own[DEPTH],
                            PAST_L3 => own[DATA] | own[ATOMIC] | own[STREAM],
                            _ => all,
                        };
                        let new = new & !page.line(i).stale_for(viewer);
                        if new != 0 {
                            Page::save_bytes(&mut page.old[viewer], before, i, new);
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
                    *stale |= bytes_possibly_cached((bound, states), cache, at, all);
                }
                line.unflushed |= own[DATA] | own[ATOMIC] | own[STREAM];
            }
            page.compact();
        }
    }

    fn read(&self, address: u64, bytes: u64, via: Via) -> Result<ReadResult, StopReason> {
        let mut state = self.state();
        if via == Via::State {
            state.read_state(address, bytes);
        }
        if via != Via::Hierarchical && self.has_stale_depth(&state, address, bytes) {
            return Ok(ReadResult::Stale);
        }
        let via = physical_cache(via);
        if state.pages.is_empty() && state.posted.is_empty() {
            return Ok(ReadResult::Current);
        }
        if via != Via::Commands && state.is_scratch(address) {
            return Ok(ReadResult::Current);
        }
        state.check_post_sync(address, bytes)?;
        let mut seen = ReadResult::Current;
        let access = Access {
            address,
            via,
            atomic: false,
        };
        for (line, bits) in state.lines(address, bytes) {
            let stale_space = match via {
                Via::Commands => Ok(()),
                _ => {
                    state.check_ordered(line, bits, &access)?;
                    state.check_flushed(line, bits, &access)
                }
            };
            match stale_space.and_then(|()| state.check_fresh(line, bits, &access)) {
                Ok(()) => {}
                Err(_) if self.returns_stale => seen = ReadResult::Stale,
                Err(stop) => return Err(stop),
            }
        }
        Ok(seen)
    }

    fn before(&self, address: u64, bytes: &mut [u8], via: Via) {
        let state = self.state();
        let cache = CACHES.iter().position(|reader| *reader == via);
        for (at, byte) in (address..).zip(bytes) {
            if let Some(stale_space) = self
                .stale_depth_byte(&state, at)
                .filter(|_| via != Via::Hierarchical)
            {
                *byte = stale_space;
            }
            let Some(page) = state.pages.get(&(at >> 12)) else {
                continue;
            };
            let (line, bit) = (page.line((at >> 6 & 63) as usize), at & 63);
            // The reader's own cache holds the oldest value; then come the caches between it and
            // memory.
            let viewers = [
                cache,
                (via != Via::Render).then_some(PAST_RENDER),
                (physical_cache(via) != Via::Depth).then_some(PAST_DEPTH),
                (via == Via::Commands).then_some(PAST_L3),
            ];
            let mut viewers = viewers.into_iter().flatten();
            let viewer = viewers.find(|viewer| line.stale_for(*viewer) >> bit & 1 == 1);
            if let Some(stale_space) = viewer.and_then(|viewer| page.old[viewer].as_ref()) {
                *byte = stale_space[(at & 0xfff) as usize];
            }
        }
    }

    fn write(&self, address: u64, bytes: u64, via: Via, atomic: bool) -> Result<(), StopReason> {
        let mut state = self.state();
        self.record_depth_write(&state, address, bytes, via == Via::Hierarchical);
        let via = physical_cache(via);
        let commands = matches!(via, Via::Commands | Via::PostSync);
        if !commands && state.is_scratch(address) {
            return Ok(());
        }
        let kind = write_kind(via, atomic);
        if via != Via::PostSync {
            state.check_post_sync(address, bytes)?;
            let access = Access {
                address,
                via,
                atomic: kind == ATOMIC,
            };
            for (line, bits) in state.lines(address, bytes) {
                state.check_ordered(line, bits, &access)?;
                state.check_flushed(line, bits, &access)?;
            }
        }
        if via == Via::Commands {
            let command_bytes = state.command_bytes;
            let dwords = (address & !3..address + bytes).step_by(4);
            state
                .written_commands
                .extend(dwords.map(|dword| (dword, command_bytes)));
        }
        if commands {
            state.start_epoch();
            state.constants.write(address, bytes);
        }
        let State {
            pages,
            bound,
            states,
            ..
        } = &mut *state;
        for (number, index, bits) in split_by_line(address, bytes) {
            let page = &mut **pages.entry(number).or_insert_with(|| Box::new(Page::new()));
            if commands {
                if let Some(page_contents) = self.page_contents(number) {
                    for viewer in 0..CACHES.len() {
                        let new = bits & !page.line(index).stale_for(viewer);
                        Page::save_bytes(&mut page.old[viewer], &page_contents, index, new);
                    }
                }
                let at = number << 12 | (index as u64) << 6;
                let line = &mut page.lines_mut()[index];
                for (cache, stale) in line.stale.iter_mut().enumerate() {
                    *stale |= bytes_possibly_cached((bound, states), cache, at, bits);
                }
                continue;
            }
            // The first write of the work to a page saves its contents.
            if !page.is_written() {
                page.before = self.page_contents(number);
            }
            page.marks(kind).add(index, bits);
        }
        Ok(())
    }

    fn readable(&self, page: u64, via: Via) -> (Arc<WorkEpoch>, bool) {
        let state = self.state();
        // Which lines are read through the state cache is recorded.
        let recorded = matches!(via, Via::Commands | Via::State);
        let mut may = !self.returns_stale && !recorded && state.is_plain(page);
        let access = Access {
            address: page << 12,
            via: physical_cache(via),
            atomic: false,
        };
        for line in state.pages.get(&page).iter().flat_map(|page| page.states()) {
            may = may
                && state.check_ordered(line, u64::MAX, &access).is_ok()
                && state.check_flushed(line, u64::MAX, &access).is_ok()
                && state.check_fresh(line, u64::MAX, &access).is_ok();
        }
        (Arc::clone(&state.work), may)
    }

    fn writable(&self, page: u64, via: Via) -> (Arc<WorkEpoch>, Option<Arc<Marks>>) {
        let state = &mut *self.state();
        let mut may = !self.returns_stale
            && !matches!(via, Via::Commands | Via::PostSync)
            && state.is_plain(page);
        let access = Access {
            address: page << 12,
            via: physical_cache(via),
            atomic: false,
        };
        for line in state.pages.get(&page).iter().flat_map(|page| page.states()) {
            may = may
                && state.check_ordered(line, u64::MAX, &access).is_ok()
                && state.check_flushed(line, u64::MAX, &access).is_ok();
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
            Some(Arc::clone(page.marks(write_kind(access.via, false)))),
        )
    }

    fn constants_committed(&self, stage: usize, ranges: Vec<Range<u64>>) {
        self.state().constants.commit(stage, ranges);
    }

    fn constant_written(&self, stage: usize, dword: usize) -> bool {
        self.state().constants.is_written(stage, dword)
    }

    fn bound(&self, address: u64, bytes: u64) {
        if bytes != 0 {
            self.state().bind_buffer(address, bytes);
        }
    }

    fn sampled(&self, surface: &SampledSurface, at: u64) -> Result<(), StopReason> {
        match self.lenient {
            true => Ok(()),
            false => self.state().sampler.read(surface, at),
        }
    }

    fn control(&self, address: u64, bytes: u64) {
        let state = &mut *self.state();
        for (number, line, _) in split_by_line(address, bytes) {
            // A line that was not cached is fetched from memory now.
            if state.control.insert(number << 6 | line as u64)
                && let Some(page) = state.pages.get_mut(&number)
            {
                page.lines_mut()[line].stale[TEXTURE] = 0;
                page.compact();
            }
        }
    }

    fn fetched(&self, buffer: u32, address: u64, bytes: u64) -> Result<(), StopReason> {
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
mod tests;
