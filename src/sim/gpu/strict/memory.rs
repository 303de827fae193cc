//! Which memory the work of a batch has written, and whether others may read it yet.
//!
//! In:  accesses of threads by cache, byte by byte; PIPE_CONTROLs. Out: [`Stop::Undefined`] at the first access that a real
//!      machine may answer with old data.
//! Ref: SKL PRM vol. 2a, "PIPE_CONTROL"; vol. 5, "L3 Cache", "Sampler Caches".
//!
//! What is demanded, of dispatches of one batch (the kernel flushes and invalidates between batches):
//!
//! - Walkers run side by side until a PIPE_CONTROL stalls: until then nobody else may read or write what one has written.
//!   Atomics of several may meet.
//! - Data port writes go to the L3, which the data port, the sampler and the constant cache all read through. The latter two keep
//!   copies: after the stall, memory that was written is read through them only when they have been invalidated. An invalidation
//!   takes effect when its command is read; one that comes while the writers still run counts for nothing.
//! - The command streamer does not read through the L3: for it, the stall comes with a flush of the data cache.
//!
//! Not demanded: order of reads before writes, which Vulkan lets drivers assume of walkers that start in order. A thread's scratch
//! memory is its own. Draws are not followed yet.

use super::{COMMANDS_STALE, CONSTANT_STALE, TEXTURE_STALE, WORK_ORDER};
use eu::Stop;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

/// Through what memory is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The command streamer.
    #[default]
    Commands,
    /// The data port.
    Data,
    /// The sampler.
    Texture,
    /// The constant cache.
    Constant,
}

/// A bit for each byte of a page.
type Bytes = [u64; 64];

struct Page {
    /// Written by the work that runs, and what of it by atomics alone.
    own: Bytes,
    own_atomic: Bytes,
    /// Written by earlier work that may still run.
    open: Bytes,
    open_atomic: Bytes,
    /// Written since the texture cache, and the constant cache, was invalidated; since the data cache was flushed.
    texture: Bytes,
    constant: Bytes,
    unflushed: Bytes,
}

const EMPTY: Page = Page {
    own: [0; 64],
    own_atomic: [0; 64],
    open: [0; 64],
    open_atomic: [0; 64],
    texture: [0; 64],
    constant: [0; 64],
    unflushed: [0; 64],
};

#[derive(Default)]
struct State {
    pages: BTreeMap<u64, Box<Page>>,
    reader: Reader,
    /// Address of the command whose work runs.
    at: u64,
    scratch: Range<u64>,
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
        self.scratch.contains(&address)
    }

    /// Err where one of these bytes was written by work that may still run.
    fn ordered(&self, address: u64, bytes: u64, atomic: bool) -> Result<(), Stop> {
        for (page, word, bits) in parts(address, bytes) {
            let Some(page) = self.pages.get(&page) else {
                continue;
            };
            let atomics = if atomic { 0 } else { page.open_atomic[word] };
            let clash = (page.open[word] | atomics) & bits != 0;
            WORK_ORDER.check(!clash, self.at, || {
                format!("{address:#x} was written by work that may still run")
            })?;
        }
        Ok(())
    }
}

impl Log {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The work of the command at `at` begins.
    pub fn begin(&self, at: u64, scratch: Range<u64>) {
        let mut state = self.state();
        (state.at, state.scratch, state.reader) = (at, scratch, Reader::Data);
    }

    /// All of its accesses are made, though for others it may still run.
    pub fn end(&self) {
        let mut state = self.state();
        state.reader = Reader::Commands;
        for page in state.pages.values_mut() {
            for i in 0..64 {
                let (own, atomic) = (page.own[i], page.own_atomic[i]);
                page.open[i] |= own;
                page.open_atomic[i] |= atomic;
                page.texture[i] |= own | atomic;
                page.constant[i] |= own | atomic;
                page.unflushed[i] |= own | atomic;
            }
            (page.own, page.own_atomic) = ([0; 64], [0; 64]);
        }
    }

    /// Through what the next reads go.
    pub fn through(&self, reader: Reader) {
        self.state().reader = reader;
    }

    /// Checks a read.
    pub fn read(&self, address: u64, bytes: u64) -> Result<(), Stop> {
        let state = self.state();
        if state.pages.is_empty() {
            return Ok(());
        }
        if state.reader != Reader::Commands {
            if state.is_scratch(address) {
                return Ok(());
            }
            state.ordered(address, bytes, false)?;
        }
        for (page, word, bits) in parts(address, bytes) {
            let Some(page) = state.pages.get(&page) else {
                continue;
            };
            let (rule, stale) = match state.reader {
                Reader::Data => continue,
                Reader::Commands => (&COMMANDS_STALE, &page.unflushed),
                Reader::Texture => (&TEXTURE_STALE, &page.texture),
                Reader::Constant => (&CONSTANT_STALE, &page.constant),
            };
            rule.check(stale[word] & bits == 0, state.at, || {
                format!("{address:#x} was written by earlier work")
            })?;
        }
        Ok(())
    }

    /// Checks and notes a write of work. What the command streamer writes is not followed.
    pub fn write(&self, address: u64, bytes: u64, atomic: bool) -> Result<(), Stop> {
        let mut state = self.state();
        if state.reader == Reader::Commands || state.is_scratch(address) {
            return Ok(());
        }
        state.ordered(address, bytes, atomic)?;
        for (page, word, bits) in parts(address, bytes) {
            let page = state.pages.entry(page).or_insert_with(|| Box::new(EMPTY));
            match atomic {
                true => page.own_atomic[word] |= bits,
                false => page.own[word] |= bits,
            }
        }
        Ok(())
    }

    /// A PIPE_CONTROL: whether it waits for work, invalidates the texture and the constant cache when none runs, and flushes
    /// the data cache.
    pub fn pipe_control(&self, stall: bool, texture: bool, constant: bool, flush: bool) {
        let mut state = self.state();
        for page in state.pages.values_mut() {
            if texture {
                page.texture = [0; 64];
            }
            if constant {
                page.constant = [0; 64];
            }
            if stall {
                (page.open, page.open_atomic) = ([0; 64], [0; 64]);
            }
            if stall && flush {
                page.unflushed = [0; 64];
            }
        }
        state.pages.retain(|_, page| {
            let sets = [&page.open, &page.open_atomic, &page.texture];
            let more = [&page.constant, &page.unflushed];
            let mut all = sets.into_iter().chain(more);
            all.any(|bytes| bytes.iter().any(|bits| *bits != 0))
        });
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
    fn written(atomic: bool) -> Log {
        let log = Log::default();
        log.begin(0x40, 0..0);
        assert_eq!(rule(log.write(0x1fe0, 100, atomic)), None);
        log.end();
        log
    }

    #[test]
    fn bytes_not_pages() {
        let log = written(false);
        log.begin(0x80, 0..0);
        for (address, expected) in [
            (0x1fdc, None),
            (0x1fdd, Some("work-order")),
            (0x2043, Some("work-order")),
            (0x2044, None),
        ] {
            assert_eq!(rule(log.read(address, 4)), expected, "{address:#x}");
            assert_eq!(rule(log.write(address, 4, false)), expected);
        }
        let parts: Vec<_> = parts(0x1ffe, 3).collect();
        assert_eq!(parts, [(1, 63, 3 << 62), (2, 0, 1)]);
    }

    #[test]
    fn what_work_does_itself_is_its_own() {
        let log = Log::default();
        log.begin(0, 0x5000..0x6000);
        assert_eq!(rule(log.write(0x1000, 4, false)), None);
        assert_eq!(rule(log.write(0x5000, 4, false)), None);
        for reader in [Reader::Data, Reader::Texture, Reader::Constant] {
            log.through(reader);
            assert_eq!(rule(log.read(0x1000, 4)), None);
        }
        log.end();
        // Scratch memory is nobody else's either.
        log.begin(0, 0x5000..0x6000);
        assert_eq!(rule(log.read(0x5000, 4)), None);
    }

    #[test]
    fn atomics_meet() {
        let log = written(true);
        log.begin(0x80, 0..0);
        assert_eq!(rule(log.write(0x2000, 4, true)), None);
        assert_eq!(rule(log.write(0x2000, 4, false)), Some("work-order"));
        assert_eq!(rule(log.read(0x2000, 4)), Some("work-order"));
    }

    #[test]
    fn each_reader_needs_its_own() {
        for (reader, stale) in [
            (Reader::Data, None),
            (Reader::Texture, Some("texture-stale")),
            (Reader::Constant, Some("constant-stale")),
            (Reader::Commands, Some("commands-stale")),
        ] {
            let log = written(false);
            let read = |log: &Log| {
                log.through(reader);
                rule(log.read(0x2000, 4))
            };
            let early = match reader {
                Reader::Commands => stale,
                _ => Some("work-order"),
            };
            assert_eq!(read(&log), early);
            log.pipe_control(true, false, false, false);
            assert_eq!(read(&log), stale);
            let (texture, constant) = (reader == Reader::Texture, reader == Reader::Constant);
            log.pipe_control(true, !texture, !constant, reader != Reader::Commands);
            assert_eq!(read(&log), stale);
            log.pipe_control(true, texture, constant, reader == Reader::Commands);
            assert_eq!(read(&log), None);
        }
    }
}
