//! Which memory the work of a batch has written, and whether others may read it yet.
//!
//! In:  accesses of units by cache, byte by byte; PIPE_CONTROLs. Out: [`Stop::Undefined`] at the first access that a real
//!      machine may answer with old data.
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL"; vol. 5, "L3 Cache", "Sampler Caches"; vol. 7, "End-of-Pipe Synchronization",
//!      "Vertex Fetch (VF) Stage".
//!
//! What is demanded, of dispatches and draws of one batch (the kernel flushes and invalidates between batches):
//!
//! - Walkers and draws run side by side until a PIPE_CONTROL stalls: until then nobody else may read or write what one has
//!   written through the data port or the stream output. Atomics of several may meet, and stream output is in order.
//! - Render targets and depth are written in order, each in a cache of its own, which draws alone see: until a PIPE_CONTROL
//!   has flushed it, and this or a later one has stalled, nobody else may read or write what is there.
//! - The sampler, the constant cache and vertex fetch keep copies of what they have read: after the stall, memory that was
//!   written is read through them only when they have been invalidated. An invalidation takes effect when its command is read;
//!   one that comes while the writers still run counts for nothing.
//! - The command streamer does not read through the L3: for it, the stall comes with a flush of the data cache.
//!
//! Not demanded: order of reads before writes, which Vulkan lets drivers assume of walkers that start in order, and of a draw's
//! own accesses. A thread's scratch memory is its own.

use super::surface;
use crate::hiz::Unresolved;
use crate::rules::{
    COMMANDS_STALE, CONSTANT_STALE, DEPTH_FLUSH, HIZ_RESOLVE, RENDER_FLUSH, Rule, TEXTURE_STALE,
    VERTEX_STALE, WORK_ORDER,
};
use crate::watch::{Control, Depth, Memory, Slices, Via, Watch};
use eu::Stop;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

/// A bit for each byte of a page.
type Bytes = [u64; 64];

/// Kinds of writes: by the data port, by its atomics, by the stream output, by the render and by the depth cache. The first
/// three are [`Page::open`] when their work has ended.
const DATA: usize = 0;
const ATOMIC: usize = 1;
const STREAM: usize = 2;
const RENDER: usize = 3;
const DEPTH: usize = 4;

/// Caches that keep copies, by their place in [`Page::stale`].
const STALE: [(Via, &Rule); 3] = [
    (Via::Texture, &TEXTURE_STALE),
    (Via::Constant, &CONSTANT_STALE),
    (Via::Vertex, &VERTEX_STALE),
];

struct Page {
    /// Written by the work that runs, by kind.
    own: [Bytes; 5],
    /// Written by earlier work that may still run, by kind.
    open: [Bytes; 3],
    /// In the render and the depth cache, not flushed; flushed, but not waited for.
    dirty: [Bytes; 2],
    draining: [Bytes; 2],
    /// Written since each cache of [`STALE`] was invalidated; since the data cache was flushed.
    stale: [Bytes; 3],
    unflushed: Bytes,
}

const NONE: Bytes = [0; 64];

const EMPTY: Page = Page {
    own: [NONE; 5],
    open: [NONE; 3],
    dirty: [NONE; 2],
    draining: [NONE; 2],
    stale: [NONE; 3],
    unflushed: NONE,
};

impl Page {
    /// Nothing that anybody must know.
    fn is_empty(&self) -> bool {
        let sets = [&self.own[..], &self.open, &self.dirty, &self.draining];
        let sets = sets.into_iter().chain([&self.stale[..]]).flatten();
        sets.chain([&self.unflushed]).all(|bytes| *bytes == NONE)
    }
}

#[derive(Default)]
struct State {
    pages: BTreeMap<u64, Box<Page>>,
    /// Address of the command whose work runs.
    at: u64,
    scratch: Vec<Range<u64>>,
    unresolved: Unresolved,
}

/// What a batch has written so far.
#[derive(Default)]
pub(crate) struct Log(Mutex<State>);

/// The parts of a range by page: page, word, bits.
fn parts(address: u64, bytes: u64) -> impl Iterator<Item = (u64, usize, u64)> {
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

impl State {
    fn is_scratch(&self, address: u64) -> bool {
        self.scratch.iter().any(|range| range.contains(&address))
    }

    /// Err where one of these bytes was written by work that may still run, or is in a cache that is not flushed.
    fn ordered(&self, address: u64, bytes: u64, via: Via, atomic: bool) -> Result<(), Stop> {
        for (number, word, bits) in parts(address, bytes) {
            let Some(page) = self.pages.get(&number) else {
                continue;
            };
            let of = |kind: usize, meets: bool| if meets { 0 } else { page.open[kind][word] };
            let open = of(DATA, false) | of(ATOMIC, atomic) | of(STREAM, via == Via::Stream);
            WORK_ORDER.check(open & bits == 0, self.at, || {
                format!("{address:#x} was written by work that may still run")
            })?;
            for (cache, own, rule) in [
                (0, Via::Render, &RENDER_FLUSH),
                (1, Via::Depth, &DEPTH_FLUSH),
            ] {
                let held = page.dirty[cache][word] | page.draining[cache][word];
                rule.check(via == own || held & bits == 0, self.at, || {
                    format!("{address:#x} was written by an earlier draw")
                })?;
            }
        }
        Ok(())
    }
}

impl Log {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The log of a new batch of a context.
    pub fn of(unresolved: Unresolved) -> Log {
        Log(Mutex::new(State {
            unresolved,
            ..State::default()
        }))
    }

    /// What the context keeps of it.
    pub fn into_unresolved(self) -> Unresolved {
        let state = self.0.into_inner();
        state.unwrap_or_else(|e| e.into_inner()).unresolved
    }

    /// A PIPE_CONTROL.
    pub fn pipe_control(&self, control: Control) {
        let mut state = self.state();
        for page in state.pages.values_mut() {
            let invalid = [control.texture, control.constant, control.vertex];
            for (stale, invalid) in page.stale.iter_mut().zip(invalid) {
                if invalid {
                    *stale = NONE;
                }
            }
            for (cache, flush) in [control.render, control.depth].into_iter().enumerate() {
                if flush {
                    let dirty = std::mem::replace(&mut page.dirty[cache], NONE);
                    for (to, from) in page.draining[cache].iter_mut().zip(dirty) {
                        *to |= from;
                    }
                }
            }
            if control.stall {
                (page.open, page.draining) = (EMPTY.open, EMPTY.draining);
                if control.data {
                    page.unflushed = NONE;
                }
            }
        }
        state.pages.retain(|_, page| !page.is_empty());
    }
}

impl Watch for Log {
    fn surface_state(&self, words: &[u32; 16], at: u64) -> Result<(), Stop> {
        surface::check(words, at)
    }

    fn depth(&self, (address, memory): (u64, &Memory), event: Depth) {
        let held = &mut self.state().unresolved;
        match event {
            Depth::Held([level, element]) => held.held((address, level, element), memory),
            Depth::Settled([level, element]) => held.settled((address, level, element)),
            Depth::Forgotten => held.forgotten(address),
        }
    }

    fn depth_seen(&self, place: (u64, &Memory), slices: Slices, at: u64) -> Result<(), Stop> {
        let held = self
            .state()
            .unresolved
            .among(place, slices.levels, slices.elements);
        HIZ_RESOLVE.check(held.is_none(), at, || {
            let (address, level, element) = held.unwrap_or_default();
            format!("level {level}, element {element} of the depth buffer at {address:#x}")
        })
    }

    fn begin(&self, at: u64) {
        let mut state = self.state();
        state.at = at;
        state.scratch.clear();
    }

    fn scratch(&self, range: Range<u64>) {
        self.state().scratch.push(range);
    }

    fn end(&self) {
        let mut state = self.state();
        for page in state.pages.values_mut() {
            for i in 0..64 {
                let own: [u64; 5] = std::array::from_fn(|kind| page.own[kind][i]);
                let all = own.into_iter().fold(0, |all, bits| all | bits);
                for kind in [DATA, ATOMIC, STREAM] {
                    page.open[kind][i] |= own[kind];
                }
                page.dirty[0][i] |= own[RENDER];
                page.dirty[1][i] |= own[DEPTH];
                for stale in &mut page.stale {
                    stale[i] |= all;
                }
                page.unflushed[i] |= own[DATA] | own[ATOMIC] | own[STREAM];
            }
            page.own = EMPTY.own;
        }
    }

    fn read(&self, address: u64, bytes: u64, via: Via) -> Result<(), Stop> {
        let state = self.state();
        if state.pages.is_empty() {
            return Ok(());
        }
        if via != Via::Commands {
            if state.is_scratch(address) {
                return Ok(());
            }
            state.ordered(address, bytes, via, false)?;
        }
        for (number, word, bits) in parts(address, bytes) {
            let Some(page) = state.pages.get(&number) else {
                continue;
            };
            let (rule, stale) = match STALE.iter().position(|(reader, _)| *reader == via) {
                Some(cache) => (STALE[cache].1, page.stale[cache][word]),
                None if via == Via::Commands => {
                    let held = [page.dirty, page.draining].map(|c| c[0][word] | c[1][word]);
                    (&COMMANDS_STALE, page.unflushed[word] | held[0] | held[1])
                }
                None => continue,
            };
            rule.check(stale & bits == 0, state.at, || {
                format!("{address:#x} was written by earlier work")
            })?;
        }
        Ok(())
    }

    fn write(&self, address: u64, bytes: u64, via: Via, atomic: bool) -> Result<(), Stop> {
        let mut state = self.state();
        if via == Via::Commands || state.is_scratch(address) {
            return Ok(());
        }
        let kind = match via {
            Via::Render => RENDER,
            Via::Depth => DEPTH,
            Via::Stream => STREAM,
            _ if atomic => ATOMIC,
            _ => DATA,
        };
        state.ordered(address, bytes, via, kind == ATOMIC)?;
        for (page, word, bits) in parts(address, bytes) {
            let page = state.pages.entry(page).or_insert_with(|| Box::new(EMPTY));
            page.own[kind][word] |= bits;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(result: Result<(), Stop>) -> Option<&'static str> {
        match result {
            Ok(()) => None,
            Err(Stop::Undefined { rule, .. }) => Some(rule),
            Err(other) => panic!("{other:?}"),
        }
    }

    /// Work that writes 100 bytes across a page's end, ended.
    fn written(via: Via, atomic: bool) -> Log {
        let log = Log::default();
        log.begin(0x40);
        assert_eq!(rule(log.write(0x1fe0, 100, via, atomic)), None);
        log.end();
        log
    }

    const READERS: [Via; 8] = [
        Via::Commands,
        Via::Data,
        Via::Texture,
        Via::Constant,
        Via::Vertex,
        Via::Render,
        Via::Depth,
        Via::Stream,
    ];

    fn stall() -> Control {
        Control {
            stall: true,
            ..Control::default()
        }
    }

    #[test]
    fn bytes_not_pages() {
        let log = written(Via::Data, false);
        log.begin(0x80);
        for (address, expected) in [
            (0x1fdc, None),
            (0x1fdd, Some("work-order")),
            (0x2043, Some("work-order")),
            (0x2044, None),
        ] {
            let read = log.read(address, 4, Via::Data);
            assert_eq!(rule(read), expected, "{address:#x}");
            assert_eq!(rule(log.write(address, 4, Via::Data, false)), expected);
        }
        let parts: Vec<_> = parts(0x1ffe, 3).collect();
        assert_eq!(parts, [(1, 63, 3 << 62), (2, 0, 1)]);
    }

    #[test]
    fn what_work_does_itself_is_its_own() {
        let log = Log::default();
        log.begin(0);
        log.scratch(0x5000..0x6000);
        log.scratch(0x8000..0x8100);
        for (address, via) in [
            (0x1000, Via::Data),
            (0x5000, Via::Data),
            (0x8000, Via::Data),
            (0x1004, Via::Render),
        ] {
            assert_eq!(rule(log.write(address, 4, via, false)), None);
        }
        for reader in READERS {
            assert_eq!(rule(log.read(0x1000, 8, reader)), None);
        }
        log.end();
        // Scratch memory is nobody else's either.
        log.begin(0);
        log.scratch(0x5000..0x6000);
        assert_eq!(rule(log.read(0x5000, 4, Via::Data)), None);
    }

    #[test]
    fn atomics_meet_and_streams_are_in_order() {
        let log = written(Via::Data, true);
        log.begin(0x80);
        let write = |via, atomic| rule(log.write(0x2000, 4, via, atomic));
        assert_eq!(write(Via::Data, true), None);
        assert_eq!(write(Via::Data, false), Some("work-order"));
        assert_eq!(rule(log.read(0x2000, 4, Via::Data)), Some("work-order"));
        let log = written(Via::Stream, false);
        log.begin(0x80);
        let write = |via| rule(log.write(0x2000, 4, via, false));
        assert_eq!(write(Via::Stream), None);
        assert_eq!(write(Via::Data), Some("work-order"));
    }

    #[test]
    fn each_reader_needs_its_own() {
        for writer in [Via::Data, Via::Stream] {
            for (reader, stale) in [
                (Via::Data, None),
                (Via::Render, None),
                (Via::Texture, Some("texture-stale")),
                (Via::Constant, Some("constant-stale")),
                (Via::Vertex, Some("vertex-stale")),
                (Via::Commands, Some("commands-stale")),
            ] {
                let log = written(writer, false);
                let read = |log: &Log| rule(log.read(0x2000, 4, reader));
                let early = match reader {
                    Via::Commands => stale,
                    _ => Some("work-order"),
                };
                assert_eq!(read(&log), early);
                log.pipe_control(stall());
                assert_eq!(read(&log), stale);
                // All but what it needs, then that alone.
                let own = Control {
                    stall: true,
                    data: reader == Via::Commands,
                    texture: reader == Via::Texture,
                    constant: reader == Via::Constant,
                    vertex: reader == Via::Vertex,
                    ..Control::default()
                };
                log.pipe_control(Control {
                    stall: true,
                    data: !own.data,
                    render: true,
                    depth: true,
                    texture: !own.texture,
                    constant: !own.constant,
                    vertex: !own.vertex,
                });
                assert_eq!(read(&log), stale);
                log.pipe_control(own);
                assert_eq!(read(&log), None);
            }
        }
    }

    #[test]
    fn draws_write_to_caches_of_their_own() {
        for (writer, flush) in [(Via::Render, "render-flush"), (Via::Depth, "depth-flush")] {
            let render = writer == Via::Render;
            let own = Control {
                render,
                depth: !render,
                ..Control::default()
            };
            let other = Control {
                render: !render,
                depth: render,
                ..stall()
            };
            for reader in READERS {
                let log = written(writer, false);
                log.begin(0x80);
                let read = |log: &Log| rule(log.read(0x2000, 4, reader));
                let early = match reader {
                    Via::Commands => Some("commands-stale"),
                    same if same == writer => None,
                    _ => Some(flush),
                };
                assert_eq!(read(&log), early, "{reader:?}");
                // Neither a stall, nor another cache's flush, nor a flush that nobody waits for.
                for control in [stall(), other, own] {
                    log.pipe_control(control);
                    assert_eq!(read(&log), early, "{reader:?}");
                }
                log.pipe_control(stall());
                let stale = match reader {
                    Via::Texture => Some("texture-stale"),
                    Via::Constant => Some("constant-stale"),
                    Via::Vertex => Some("vertex-stale"),
                    _ => None,
                };
                assert_eq!(read(&log), stale, "{reader:?}");
            }
            // Writes of others clash as reads do; a flush with a stall is enough.
            let log = written(writer, false);
            let write = |log: &Log| rule(log.write(0x2000, 4, Via::Data, false));
            assert_eq!(write(&log), Some(flush));
            log.pipe_control(Control { stall: true, ..own });
            assert_eq!(write(&log), None);
        }
    }
}
