//! Memory as units read and write it.
//!
//! In:  GPU addresses. Out: dwords and bytes, each access reported to whoever watches.
//! Ref: SKL PRM vol. 5, "Memory Views".

use crate::space::{ADDRESS_MASK, AddressSpace};
use crate::watch::{Colour, Depth, Marks, Seen, Slices, Via, Watch, Work};
use eu::Stop;
use hw::state::render_surface_state::SURFACE_BASE_ADDRESS;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Memory that was looked at: its first address, bytes, and words.
#[derive(Clone, Copy)]
struct Known<'a> {
    start: u64,
    bytes: u64,
    words: &'a [AtomicU32],
}

impl Known<'_> {
    const NONE: Known<'static> = Known {
        start: 0,
        bytes: 0,
        words: &[],
    };
}

/// Pages of which is kept what the watch said of them.
const KEPT: usize = 8;

/// What the watch said of pages, which holds until its work is over.
#[derive(Default)]
struct Kept {
    work: Option<Arc<Work>>,
    /// Page and cache, and whether all of it may be read without asking again.
    read: [(u64, bool); KEPT],
    /// The same of writes.
    written: [(u64, Option<Arc<Marks>>); KEPT],
}

/// A page's place among those kept, and what tells it and a cache from others: never zero.
fn kept_place(page: u64, via: Via) -> (usize, u64) {
    let spread = page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (spread as usize % KEPT, page << 5 | 1 << 4 | via as u64)
}

impl Kept {
    /// Forgets everything, if it is of another work.
    fn turn(&mut self, work: Arc<Work>) {
        if self.work.as_ref().is_none_or(|w| !Arc::ptr_eq(w, &work)) {
            *self = Kept {
                work: Some(work),
                ..Kept::default()
            };
        }
    }

    fn is_over(&self) -> bool {
        let work = self.work.as_ref();
        work.is_none_or(|work| work.over.load(Relaxed))
    }

    /// Whether bytes of one page may be read without more ado.
    #[inline]
    fn is_readable(&mut self, watch: &dyn Watch, page: u64, via: Via) -> bool {
        let (place, key) = kept_place(page, via);
        if self.read[place].0 == key && !self.is_over() {
            return self.read[place].1;
        }
        let (work, may) = watch.readable(page, via);
        self.turn(work);
        self.read[place] = (key, may);
        may
    }

    /// What notes writes to a page, where nothing else has to be done about them.
    #[inline]
    fn writable(&mut self, watch: &dyn Watch, page: u64, via: Via) -> Option<&Marks> {
        let (place, key) = kept_place(page, via);
        if self.written[place].0 != key || self.is_over() {
            let (work, marks) = watch.writable(page, via);
            self.turn(work);
            self.written[place] = (key, marks);
        }
        self.written[place].1.as_deref()
    }
}

/// One thread's view of an address space: remembers the last range, as a TLB does.
pub struct View<'a> {
    space: &'a AddressSpace,
    /// Ranges that were looked at last, the latest first.
    last: Cell<Known<'a>>,
    before: Cell<Known<'a>>,
    /// Who is told of accesses.
    watch: Option<&'a dyn Watch>,
    /// Through what accesses go.
    via: Cell<Via>,
    kept: RefCell<Kept>,
}

impl<'a> View<'a> {
    /// A view with nothing remembered.
    pub fn new(space: &'a AddressSpace) -> View<'a> {
        View {
            space,
            last: Cell::new(Known::NONE),
            before: Cell::new(Known::NONE),
            watch: None,
            via: Cell::default(),
            kept: RefCell::default(),
        }
    }

    /// A view whose accesses are watched.
    pub(crate) fn watched(
        space: &'a AddressSpace,
        watch: Option<&'a dyn Watch>,
        via: Via,
    ) -> View<'a> {
        View {
            watch,
            via: Cell::new(via),
            ..View::new(space)
        }
    }

    /// Accesses are checked.
    pub(crate) fn is_strict(&self) -> bool {
        self.watch.is_some()
    }

    /// Reports a surface state that was read at `at`.
    pub(crate) fn surface_state(&self, words: &[u32; 16], at: u64) -> Result<(), Stop> {
        match self.watch {
            Some(watch) => {
                let surface = SURFACE_BASE_ADDRESS.get(words) & ADDRESS_MASK;
                let memory = self.space.backing(surface);
                watch.surface_state(words, at, memory.is_some_and(|memory| memory.is_shared()))
            }
            None => Ok(()),
        }
    }

    /// Reports what became of the depth buffer at an address.
    pub(crate) fn depth(&self, address: u64, event: Depth) {
        if let Some(watch) = self.watch
            && let Some(memory) = self.space.backing(address)
        {
            watch.depth((address, memory), event);
        }
    }

    /// Reports that the command or message at `at` looks at a depth buffer without a hierarchical one.
    pub(crate) fn depth_seen(&self, address: u64, slices: Slices, at: u64) -> Result<(), Stop> {
        match (self.watch, self.space.backing(address)) {
            (Some(watch), Some(memory)) => watch.depth_seen((address, memory), slices, at),
            _ => Ok(()),
        }
    }

    /// Reports what became of the colour surface at an address.
    pub(crate) fn colour(&self, address: u64, event: Colour) {
        if let Some(watch) = self.watch
            && let Some(memory) = self.space.backing(address)
        {
            watch.colour((address, memory), event);
        }
    }

    /// Reports that the message at `at` samples a surface without compression.
    pub(crate) fn colour_seen(&self, address: u64, slices: Slices, at: u64) -> Result<(), Stop> {
        match (self.watch, self.space.backing(address)) {
            (Some(watch), Some(memory)) => watch.colour_seen((address, memory), slices, at),
            _ => Ok(()),
        }
    }

    /// Reports that the draw at `at` tests or writes a depth buffer through a hierarchical one.
    pub(crate) fn depth_through(&self, address: u64, slices: Slices, at: u64) -> Result<(), Stop> {
        match (self.watch, self.space.backing(address)) {
            (Some(watch), Some(memory)) => watch.depth_through((address, memory), slices, at),
            _ => Ok(()),
        }
    }

    /// Reports that a draw has a vertex or index buffer bound.
    pub(crate) fn bound(&self, address: u64, bytes: u64) {
        if let Some(watch) = self.watch {
            watch.bound(address & ADDRESS_MASK, bytes);
        }
    }

    /// Reports that the sampler is about to read a multisample control surface.
    pub(crate) fn control(&self, address: u64, bytes: u64) {
        if let Some(watch) = self.watch {
            watch.control(address & ADDRESS_MASK, bytes);
        }
    }

    /// Reports that vertex fetch reads from a buffer.
    pub(crate) fn fetched(&self, buffer: u32, address: u64, bytes: u64) -> Result<(), Stop> {
        match self.watch {
            Some(watch) => watch.fetched(buffer, address & ADDRESS_MASK, bytes),
            None => Ok(()),
        }
    }

    /// Through what the next accesses go.
    pub(crate) fn through(&self, via: Via) {
        self.via.set(via);
    }

    /// Reads something through a cache of its own; the accesses after it go where they went before.
    pub(crate) fn by<T>(&self, via: Via, read: impl FnOnce(&Self) -> T) -> T {
        let back = self.via.replace(via);
        let value = read(self);
        self.via.set(back);
        value
    }

    #[inline(always)]
    fn reads(&self, address: u64, bytes: usize) -> Result<Seen, Stop> {
        match self.watch {
            Some(watch) => self.watched_read(watch, address, bytes),
            None => Ok(Seen::Now),
        }
    }

    fn watched_read(&self, watch: &dyn Watch, address: u64, bytes: usize) -> Result<Seen, Stop> {
        let (at, bytes, via) = (address & ADDRESS_MASK, bytes as u64, self.via.get());
        let page = at >> 12;
        if at.saturating_add(bytes).saturating_sub(1) >> 12 == page
            && self.kept.borrow_mut().is_readable(watch, page, via)
        {
            return Ok(Seen::Now);
        }
        watch.read(at, bytes, via)
    }

    /// What was read, as this reader sees it.
    #[cold]
    fn before(&self, address: u64, bytes: &mut [u8]) {
        if let Some(watch) = self.watch {
            watch.before(address & ADDRESS_MASK, bytes, self.via.get());
        }
    }

    #[inline(always)]
    fn writes(&self, address: u64, bytes: usize, atomic: bool) -> Result<(), Stop> {
        match self.watch {
            Some(watch) => self.watched_write(watch, address, bytes, atomic),
            None => Ok(()),
        }
    }

    fn watched_write(
        &self,
        watch: &dyn Watch,
        address: u64,
        bytes: usize,
        atomic: bool,
    ) -> Result<(), Stop> {
        let (at, bytes, via) = (address & ADDRESS_MASK, bytes as u64, self.via.get());
        let (first, count) = (at & 63, bytes);
        // Of one line, as most are.
        if !atomic
            && count != 0
            && first + count <= 64
            && let Some(marks) = self.kept.borrow_mut().writable(watch, at >> 12, via)
        {
            let bits = u64::MAX >> (64 - count) << first;
            marks.add((at >> 6 & 63) as usize, bits);
            return Ok(());
        }
        watch.write(at, bytes, via, atomic)
    }

    /// The dword at `address`, rounded down, to be changed at once.
    pub fn atomic(&self, address: u64) -> Result<&'a AtomicU32, Stop> {
        self.writes(address & !3, 4, true)?;
        Ok(&self.words(address)?[0])
    }

    /// Reports a write that is made by way of [`View::unreported`].
    pub fn report_write(&self, address: u64, bytes: usize) -> Result<(), Stop> {
        self.writes(address, bytes, false)
    }

    /// Dwords from a multiple of 4 on that are all of one range, of which nobody is told: for what a unit does to memory without
    /// changing what it holds.
    pub fn unreported(&self, address: u64, dwords: usize) -> Result<&'a [AtomicU32], Stop> {
        let words = self.words(address)?.get(..dwords);
        words.ok_or_else(|| fault(address))
    }

    /// The words from `address` (rounded down to a dword) to the end of its range: at least one.
    #[inline]
    fn words(&self, address: u64) -> Result<&'a [AtomicU32], Stop> {
        let at = address & ADDRESS_MASK;
        let mut known = self.last.get();
        if at.wrapping_sub(known.start) >= known.bytes {
            known = self.look(at).ok_or_else(|| fault(address))?;
        }
        let words = known.words.get(((at - known.start) / 4) as usize..);
        words
            .filter(|w| !w.is_empty())
            .ok_or_else(|| fault(address))
    }

    /// Finds the range of an address and remembers it.
    #[cold]
    fn look(&self, at: u64) -> Option<Known<'a>> {
        let before = self.before.replace(self.last.get());
        if at.wrapping_sub(before.start) < before.bytes {
            self.last.set(before);
            return Some(before);
        }
        let range = self.space.find(at)?;
        let first = range.first_word;
        let count = ((range.end - range.start) / 4) as usize;
        let known = Known {
            start: range.start,
            bytes: range.end - range.start,
            words: range.backing.words().get(first..first + count)?,
        };
        self.last.set(known);
        Some(known)
    }

    /// Reads a dword at a multiple of 4.
    #[inline]
    pub fn read(&self, address: u64) -> Result<u32, Stop> {
        let seen = self.reads(address, 4)?;
        let value = self.words(address)?[0].load(Relaxed);
        if seen == Seen::Before {
            let mut bytes = value.to_le_bytes();
            self.before(address, &mut bytes);
            return Ok(u32::from_le_bytes(bytes));
        }
        Ok(value)
    }

    /// Reads dwords at multiples of 4 each.
    #[inline]
    pub fn read_four(&self, addresses: [u64; 4]) -> Result<[u32; 4], Stop> {
        let known = self.last.get();
        let places = addresses.map(|a| (a & ADDRESS_MASK).wrapping_sub(known.start));
        let mut values = [0; 4];
        let mut now = true;
        if self.watch.is_some() {
            for address in addresses {
                now &= self.reads(address, 4)? == Seen::Now;
            }
        }
        if now && places.iter().all(|p| *p < known.bytes) {
            for (value, place) in values.iter_mut().zip(places) {
                let word = known.words.get((place / 4) as usize);
                *value = word.map_or(0, |word| word.load(Relaxed));
            }
            return Ok(values);
        }
        for (value, address) in values.iter_mut().zip(addresses) {
            *value = self.read(address)?;
        }
        Ok(values)
    }

    /// Dwords from a multiple of 4 on; none where accesses are watched, or they are not all of one range.
    #[inline]
    pub fn span(&self, address: u64, dwords: usize) -> Option<&'a [AtomicU32]> {
        if self.watch.is_some() || !address.is_multiple_of(4) {
            return None;
        }
        let known = self.last.get();
        let place = (address & ADDRESS_MASK).wrapping_sub(known.start);
        match known.words.get((place / 4) as usize..) {
            Some(words) if place < known.bytes => words.get(..dwords),
            _ => self.words(address).ok()?.get(..dwords),
        }
    }

    /// Runs of dwords from multiples of 4 on, each inside what was looked at last; none where memory has to be looked for.
    #[inline(always)]
    fn runs<const R: usize, const N: usize>(
        &self,
        addresses: [u64; R],
    ) -> Option<[&'a [AtomicU32; N]; R]> {
        self.words(*addresses.first()?).ok()?;
        let known = self.last.get();
        let mut runs = [None; R];
        for (run, address) in runs.iter_mut().zip(addresses) {
            let place = (address & ADDRESS_MASK).wrapping_sub(known.start);
            let words = known.words.get(usize::try_from(place / 4).ok()?..)?;
            *run = Some(words.first_chunk()?);
        }
        // All of them are there.
        let [first, ..] = runs.as_slice() else {
            return None;
        };
        let first = (*first)?;
        Some(runs.map(|run| run.unwrap_or(first)))
    }

    /// [`View::runs`] that are read as a whole, and reported so. None also where this reader does not see what there is now.
    #[inline(always)]
    pub fn readable<const R: usize, const N: usize>(
        &self,
        addresses: [u64; R],
    ) -> Result<Option<[&'a [AtomicU32; N]; R]>, Stop> {
        let runs = self.runs(addresses);
        if self.watch.is_some() && runs.is_some() {
            for address in addresses {
                if self.reads(address, N * 4)? == Seen::Before {
                    return Ok(None);
                }
            }
        }
        Ok(runs)
    }

    /// [`View::runs`] that are written as a whole, and reported so.
    #[inline(always)]
    pub fn writable<const R: usize, const N: usize>(
        &self,
        addresses: [u64; R],
    ) -> Result<Option<[&'a [AtomicU32; N]; R]>, Stop> {
        let runs = self.runs(addresses);
        if self.watch.is_some() && runs.is_some() {
            for address in addresses {
                self.writes(address, N * 4, false)?;
            }
        }
        Ok(runs)
    }

    /// Writes a dword at a multiple of 4.
    #[inline]
    pub fn write(&self, address: u64, value: u32) -> Result<(), Stop> {
        self.writes(address, 4, false)?;
        self.words(address)?[0].store(value, Relaxed);
        Ok(())
    }

    /// Writes dwords of `mask` at multiples of 4 each.
    #[inline]
    pub fn write_four(&self, addresses: [u64; 4], mask: u32, values: [u32; 4]) -> Result<(), Stop> {
        let known = self.last.get();
        let places = addresses.map(|a| (a & ADDRESS_MASK).wrapping_sub(known.start));
        if self.watch.is_some() {
            for (i, pair) in [0, 2].into_iter().zip(addresses.as_chunks::<2>().0) {
                if mask >> i & 3 == 3 && pair[1] == pair[0].wrapping_add(4) {
                    self.writes(pair[0], 8, false)?;
                    continue;
                }
                for (j, address) in pair.iter().enumerate() {
                    if mask >> (i + j) & 1 == 1 {
                        self.writes(*address, 4, false)?;
                    }
                }
            }
        }
        let near = places.iter().all(|p| *p < known.bytes);
        for (i, value) in values.into_iter().enumerate() {
            if mask >> i & 1 == 0 {
                continue;
            }
            let word = known.words.get((places[i] / 4) as usize);
            match word.filter(|_| near) {
                Some(word) => word.store(value, Relaxed),
                None => self.words(addresses[i])?[0].store(value, Relaxed),
            }
        }
        Ok(())
    }

    /// Reads two dwords.
    pub fn read64(&self, address: u64) -> Result<u64, Stop> {
        let low = self.read(address)?;
        let high = self.read(address.wrapping_add(4))?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }

    /// Writes two dwords.
    pub fn write64(&self, address: u64, value: u64) -> Result<(), Stop> {
        self.write(address, value as u32)?;
        self.write(address.wrapping_add(4), (value >> 32) as u32)
    }

    /// Fills `out` with dwords from a multiple of 4 on, across ranges that adjoin.
    pub fn read_block(&self, address: u64, out: &mut [u32]) -> Result<(), Stop> {
        let seen = self.reads(address, out.len() * 4)?;
        let mut done = 0;
        while done < out.len() {
            let words = self.words(address.wrapping_add(done as u64 * 4))?;
            for (to, from) in out[done..].iter_mut().zip(words) {
                *to = from.load(Relaxed);
            }
            done += words.len();
        }
        if seen == Seen::Before {
            for (i, word) in out.iter_mut().enumerate() {
                let mut bytes = word.to_le_bytes();
                self.before(address.wrapping_add(i as u64 * 4), &mut bytes);
                *word = u32::from_le_bytes(bytes);
            }
        }
        Ok(())
    }

    /// Writes four dwords again and again, from a multiple of 16 on.
    pub fn write_pattern(
        &self,
        address: u64,
        pattern: [u32; 4],
        dwords: usize,
    ) -> Result<(), Stop> {
        self.writes(address, dwords * 4, false)?;
        let mut done = 0;
        while done < dwords {
            let words = self.words(address.wrapping_add(done as u64 * 4))?;
            let words = words.get(..dwords - done).unwrap_or(words);
            let (fours, rest) = words.as_chunks::<4>();
            for [a, b, c, d] in fours {
                a.store(pattern[0], Relaxed);
                b.store(pattern[1], Relaxed);
                c.store(pattern[2], Relaxed);
                d.store(pattern[3], Relaxed);
            }
            for (to, from) in rest.iter().zip(pattern) {
                to.store(from, Relaxed);
            }
            done += words.len();
        }
        Ok(())
    }

    /// Writes dwords from a multiple of 4 on.
    pub fn write_block(&self, address: u64, values: &[u32]) -> Result<(), Stop> {
        self.writes(address, values.len() * 4, false)?;
        let mut done = 0;
        while done < values.len() {
            let words = self.words(address.wrapping_add(done as u64 * 4))?;
            for (from, to) in values[done..].iter().zip(words) {
                to.store(*from, Relaxed);
            }
            done += words.len();
        }
        Ok(())
    }

    /// Reads 1, 2, 4 or 8 bytes at any address.
    pub fn read_bytes(&self, address: u64, bytes: u32) -> Result<u64, Stop> {
        let shift = (address & 3) as u32 * 8;
        let base = address & !3;
        let seen = self.reads(address, bytes as usize)?;
        if seen == Seen::Now && shift + bytes * 8 <= 32 {
            let dword = self.words(base)?[0].load(Relaxed);
            return Ok(u64::from(dword >> shift & u32::MAX >> (32 - bytes * 8)));
        }
        let dword = |at: u64| -> Result<u128, Stop> { Ok(self.words(at)?[0].load(Relaxed).into()) };
        let mut raw = dword(base)?;
        let last = address.wrapping_add(u64::from(bytes) - 1) & !3;
        for i in 1..=2u64 {
            if i * 4 <= last.wrapping_sub(base) {
                raw |= dword(base.wrapping_add(i * 4))? << (32 * i);
            }
        }
        let mut value = (raw >> shift) as u64;
        if seen == Seen::Before {
            let mut all = value.to_le_bytes();
            self.before(address, all.get_mut(..bytes as usize).unwrap_or_default());
            value = u64::from_le_bytes(all);
        }
        Ok(value & (u64::MAX >> (64 - bytes * 8)))
    }

    /// Writes 1, 2, 4 or 8 bytes at any address; neighbours in the same dword keep what others write to them.
    pub fn write_bytes(&self, address: u64, bytes: u32, value: u64) -> Result<(), Stop> {
        let shift = (address & 3) as u32 * 8;
        let base = address & !3;
        self.writes(address, bytes as usize, false)?;
        let mask = u128::from(u64::MAX >> (64 - bytes * 8)) << shift;
        let bits = u128::from(value) << shift & mask;
        for i in 0..3u64 {
            let part = |wide: u128| (wide >> (32 * i)) as u32;
            let (mask, bits) = (part(mask), part(bits));
            match mask {
                0 => {}
                u32::MAX => self.words(base.wrapping_add(i * 4))?[0].store(bits, Relaxed),
                _ => {
                    let word = &self.words(base.wrapping_add(i * 4))?[0];
                    // The closure always answers, so the update cannot fail.
                    let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | bits));
                }
            }
        }
        Ok(())
    }
}

fn fault(address: u64) -> Stop {
    Stop::Fault {
        what: "no memory is mapped at this GPU address".into(),
        at: address,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::space::{Backing, MapError};
    use std::sync::Arc;

    /// Zeroed memory.
    pub(crate) fn memory(bytes: usize) -> Arc<dyn Backing> {
        let words: Box<[AtomicU32]> = (0..bytes / 4).map(|_| AtomicU32::new(0)).collect();
        Arc::new(words)
    }

    #[test]
    fn ranges_do_not_overlap_and_faults_name_the_address() {
        let mut space = AddressSpace::new();
        space.map(0x1000, 0x2000, memory(0x2000), 0).unwrap();
        let overlap = space.map(0x2000, 0x1000, memory(0x1000), 0);
        assert!(matches!(overlap, Err(MapError::Overlap { .. })));
        assert!(matches!(
            space.map(0x10, 0x1000, memory(0x1000), 0),
            Err(MapError::Range { .. })
        ));
        assert!(matches!(
            space.map(0x8000, 0x2000, memory(0x1000), 0),
            Err(MapError::Short { .. })
        ));
        let view = View::new(&space);
        assert!(view.read(0x2ffc).is_ok());
        assert!(matches!(
            view.read(0x3000),
            Err(Stop::Fault { at: 0x3000, .. })
        ));
        assert!(space.unmap(0x1000) && !space.unmap(0x1000));
    }

    #[test]
    fn bytes_cross_dwords_and_ranges() {
        let mut space = AddressSpace::new();
        space.map(0, 0x1000, memory(0x1000), 0).unwrap();
        space.map(0x1000, 0x1000, memory(0x1000), 0).unwrap();
        let view = View::new(&space);
        view.write_bytes(0xffe, 4, 0x1122_3344).unwrap();
        assert_eq!(view.read_bytes(0xffe, 4).unwrap(), 0x1122_3344);
        assert_eq!(view.read(0xffc).unwrap(), 0x3344_0000);
        assert_eq!(view.read(0x1000).unwrap(), 0x1122);
        view.write_bytes(0xffd, 1, 0xaa).unwrap();
        assert_eq!(view.read_bytes(0xffc, 8).unwrap(), 0x1122_3344_aa00);
        let mut out = [0; 2];
        view.read_block(0xffc, &mut out).unwrap();
        assert_eq!(out, [0x3344_aa00, 0x1122]);
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod view_tests;
