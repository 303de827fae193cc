//! Memory accesses of units.
//!
//! In:  GPU addresses. Out: dwords and bytes; each access is reported to the observer, if there is
//!      one.
//! Ref: SKL PRM vol. 5, "Memory Views".

use crate::observer::{
    Colour, Depth, Marks, ReadResult, SampledSurface, Slices, Via, Watch, WorkEpoch,
};
use crate::space::{ADDRESS_MASK, AddressSpace};
use eu::StopReason;
use hw::state::render_surface_state::SURFACE_BASE_ADDRESS;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A mapped range that was looked up: its first address, size in bytes, and words.
#[derive(Clone, Copy)]
struct CachedRange<'a> {
    start: u64,
    bytes: u64,
    words: &'a [AtomicU32],
}

impl CachedRange<'_> {
    const NONE: CachedRange<'static> = CachedRange {
        start: 0,
        bytes: 0,
        words: &[],
    };
}

/// Number of pages whose permissions are cached.
const CACHED_PAGES: usize = 8;

/// Cached answers of the observer on pages, valid until its work ends.
#[derive(Default)]
struct PageCache {
    work: Option<Arc<WorkEpoch>>,
    /// Page and access path, and whether the whole page may be read without reporting.
    read: [(u64, bool); CACHED_PAGES],
    /// The same for writes: the set in which written bytes are recorded.
    written: [(u64, Option<Arc<Marks>>); CACHED_PAGES],
}

/// Returns a page's cache slot, and its nonzero key: page, access path, valid bit.
fn page_slot(page: u64, via: Via) -> (usize, u64) {
    let spread = page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (
        spread as usize % CACHED_PAGES,
        page << 5 | 1 << 4 | via as u64,
    )
}

impl PageCache {
    /// Clears the cache if it belongs to other work.
    fn start_epoch(&mut self, work: Arc<WorkEpoch>) {
        if self.work.as_ref().is_none_or(|w| !Arc::ptr_eq(w, &work)) {
            *self = PageCache {
                work: Some(work),
                ..PageCache::default()
            };
        }
    }

    fn is_over(&self) -> bool {
        let work = self.work.as_ref();
        work.is_none_or(|work| work.ended.load(Relaxed))
    }

    /// True if bytes of one page may be read without reporting.
    #[inline]
    fn is_readable(&mut self, watch: &dyn Watch, page: u64, via: Via) -> bool {
        let (place, key) = page_slot(page, via);
        if self.read[place].0 == key && !self.is_over() {
            return self.read[place].1;
        }
        let (work, may) = watch.readable(page, via);
        self.start_epoch(work);
        self.read[place] = (key, may);
        may
    }

    /// Returns the set in which writes to a page are recorded, if nothing else needs to happen.
    #[inline]
    fn writable(&mut self, watch: &dyn Watch, page: u64, via: Via) -> Option<&Marks> {
        let (place, key) = page_slot(page, via);
        if self.written[place].0 != key || self.is_over() {
            let (work, marks) = watch.writable(page, via);
            self.start_epoch(work);
            self.written[place] = (key, marks);
        }
        self.written[place].1.as_deref()
    }
}

/// A worker's view of an address space. Caches the ranges used last, as a TLB does.
pub struct AddressSpaceView<'a> {
    space: &'a AddressSpace,
    /// The two ranges that were used last, the latest first.
    last: Cell<CachedRange<'a>>,
    previous: Cell<CachedRange<'a>>,
    /// Receives accesses; `None` outside strict mode.
    watch: Option<&'a dyn Watch>,
    /// The access path of the next accesses.
    via: Cell<Via>,
    page_cache: RefCell<PageCache>,
}

impl<'a> AddressSpaceView<'a> {
    /// A view with an empty cache.
    pub fn new(space: &'a AddressSpace) -> AddressSpaceView<'a> {
        AddressSpaceView {
            space,
            last: Cell::new(CachedRange::NONE),
            previous: Cell::new(CachedRange::NONE),
            watch: None,
            via: Cell::default(),
            page_cache: RefCell::default(),
        }
    }

    /// A view whose accesses are reported to an observer.
    pub(crate) fn watched(
        space: &'a AddressSpace,
        watch: Option<&'a dyn Watch>,
        via: Via,
    ) -> AddressSpaceView<'a> {
        AddressSpaceView {
            watch,
            via: Cell::new(via),
            ..AddressSpaceView::new(space)
        }
    }

    /// True in strict mode: accesses are reported.
    pub(crate) fn is_strict(&self) -> bool {
        self.watch.is_some()
    }

    /// Reports a surface state that was read at `at`.
    pub(crate) fn surface_state(&self, words: &[u32; 16], at: u64) -> Result<(), StopReason> {
        match self.watch {
            Some(watch) => {
                let surface = SURFACE_BASE_ADDRESS.get(words) & ADDRESS_MASK;
                let memory = self.space.backing(surface);
                watch.surface_state(words, at, memory.is_some_and(|memory| memory.is_shared()))
            }
            None => Ok(()),
        }
    }

    /// Reports an event of the depth buffer at an address.
    pub(crate) fn depth(&self, address: u64, event: Depth) {
        if let Some(watch) = self.watch
            && let Some(memory) = self.space.backing(address)
        {
            watch.depth((address, memory), event);
        }
    }

    /// Reports that the command or message at `at` accesses a depth buffer without HiZ.
    pub(crate) fn depth_seen(
        &self,
        address: u64,
        slices: Slices,
        at: u64,
    ) -> Result<(), StopReason> {
        match (self.watch, self.space.backing(address)) {
            (Some(watch), Some(memory)) => watch.depth_seen((address, memory), slices, at),
            _ => Ok(()),
        }
    }

    /// Reports an event of the colour surface at an address.
    pub(crate) fn colour(&self, address: u64, event: Colour) {
        if let Some(watch) = self.watch
            && let Some(memory) = self.space.backing(address)
        {
            watch.colour((address, memory), event);
        }
    }

    /// Reports that the message at `at` reads a surface without its aux surface.
    pub(crate) fn colour_seen(
        &self,
        address: u64,
        slices: Slices,
        at: u64,
    ) -> Result<(), StopReason> {
        match (self.watch, self.space.backing(address)) {
            (Some(watch), Some(memory)) => watch.colour_seen((address, memory), slices, at),
            _ => Ok(()),
        }
    }

    /// Reports that the draw at `at` tests or writes a depth buffer through HiZ.
    pub(crate) fn depth_through(
        &self,
        address: u64,
        slices: Slices,
        at: u64,
    ) -> Result<(), StopReason> {
        match (self.watch, self.space.backing(address)) {
            (Some(watch), Some(memory)) => watch.depth_through((address, memory), slices, at),
            _ => Ok(()),
        }
    }

    /// Reports that a vertex or index buffer is bound for a draw.
    pub(crate) fn bound(&self, address: u64, bytes: u64) {
        if let Some(watch) = self.watch {
            watch.bound(address & ADDRESS_MASK, bytes);
        }
    }

    /// Reports that the sampler is about to read an MCS.
    pub(crate) fn control(&self, address: u64, bytes: u64) {
        if let Some(watch) = self.watch {
            watch.control(address & ADDRESS_MASK, bytes);
        }
    }

    /// Reports that the message at `at` samples or loads from a surface.
    pub(crate) fn sampled(&self, surface: &SampledSurface, at: u64) -> Result<(), StopReason> {
        match self.watch {
            Some(watch) => watch.sampled(surface, at),
            None => Ok(()),
        }
    }

    /// Reports that vertex fetch reads from a buffer.
    pub(crate) fn fetched(&self, buffer: u32, address: u64, bytes: u64) -> Result<(), StopReason> {
        match self.watch {
            Some(watch) => watch.fetched(buffer, address & ADDRESS_MASK, bytes),
            None => Ok(()),
        }
    }

    /// Sets the access path of the next accesses.
    pub(crate) fn through(&self, via: Via) {
        self.via.set(via);
    }

    /// Runs `read` with another access path, then restores the present one.
    pub(crate) fn by<T>(&self, via: Via, read: impl FnOnce(&Self) -> T) -> T {
        let back = self.via.replace(via);
        let value = read(self);
        self.via.set(back);
        value
    }

    #[inline(always)]
    fn report_read(&self, address: u64, bytes: usize) -> Result<ReadResult, StopReason> {
        match self.watch {
            Some(watch) => self.observed_read(watch, address, bytes),
            None => Ok(ReadResult::Current),
        }
    }

    fn observed_read(
        &self,
        watch: &dyn Watch,
        address: u64,
        bytes: usize,
    ) -> Result<ReadResult, StopReason> {
        let (at, bytes, via) = (address & ADDRESS_MASK, bytes as u64, self.via.get());
        let page = at >> 12;
        if at.saturating_add(bytes).saturating_sub(1) >> 12 == page
            && self.page_cache.borrow_mut().is_readable(watch, page, via)
        {
            return Ok(ReadResult::Current);
        }
        watch.read(at, bytes, via)
    }

    /// Replaces the bytes of a read by the stale bytes that this access path sees.
    #[cold]
    fn read_stale(&self, address: u64, bytes: &mut [u8]) {
        if let Some(watch) = self.watch {
            watch.before(address & ADDRESS_MASK, bytes, self.via.get());
        }
    }

    #[inline(always)]
    fn report_access(&self, address: u64, bytes: usize, atomic: bool) -> Result<(), StopReason> {
        match self.watch {
            Some(watch) => self.observed_write(watch, address, bytes, atomic),
            None => Ok(()),
        }
    }

    fn observed_write(
        &self,
        watch: &dyn Watch,
        address: u64,
        bytes: usize,
        atomic: bool,
    ) -> Result<(), StopReason> {
        let (at, bytes, via) = (address & ADDRESS_MASK, bytes as u64, self.via.get());
        let (first, count) = (at & 63, bytes);
        // The fast path: a write within one line.
        if !atomic
            && count != 0
            && first + count <= 64
            && let Some(marks) = self.page_cache.borrow_mut().writable(watch, at >> 12, via)
        {
            let bits = u64::MAX >> (64 - count) << first;
            marks.add((at >> 6 & 63) as usize, bits);
            return Ok(());
        }
        watch.write(at, bytes, via, atomic)
    }

    /// Returns the dword at `address`, rounded down, for an atomic update; reports it as a write.
    pub fn atomic(&self, address: u64) -> Result<&'a AtomicU32, StopReason> {
        self.report_access(address & !3, 4, true)?;
        Ok(&self.words(address)?[0])
    }

    /// Reports a write that the caller makes through [`AddressSpaceView::unreported`].
    pub fn report_write(&self, address: u64, bytes: usize) -> Result<(), StopReason> {
        self.report_access(address, bytes, false)
    }

    /// Returns dwords of one range from a multiple of 4 on, without reporting. For units that
    /// rewrite memory without changing the values it holds.
    pub fn unreported(&self, address: u64, dwords: usize) -> Result<&'a [AtomicU32], StopReason> {
        let words = self.words(address)?.get(..dwords);
        words.ok_or_else(|| fault(address))
    }

    /// Returns the words from `address` (rounded down to a dword) to the end of its range: at least
    /// one.
    #[inline]
    fn words(&self, address: u64) -> Result<&'a [AtomicU32], StopReason> {
        let at = address & ADDRESS_MASK;
        let mut known = self.last.get();
        if at.wrapping_sub(known.start) >= known.bytes {
            known = self.find_range(at).ok_or_else(|| fault(address))?;
        }
        let words = known.words.get(((at - known.start) / 4) as usize..);
        words
            .filter(|w| !w.is_empty())
            .ok_or_else(|| fault(address))
    }

    /// Looks up the range of an address and caches it.
    #[cold]
    fn find_range(&self, at: u64) -> Option<CachedRange<'a>> {
        let before = self.previous.replace(self.last.get());
        if at.wrapping_sub(before.start) < before.bytes {
            self.last.set(before);
            return Some(before);
        }
        let range = self.space.find(at)?;
        let first = range.first_word;
        let count = ((range.end - range.start) / 4) as usize;
        let known = CachedRange {
            start: range.start,
            bytes: range.end - range.start,
            words: range.backing.words().get(first..first + count)?,
        };
        self.last.set(known);
        Some(known)
    }

    /// Reads a dword at a multiple of 4.
    #[inline]
    pub fn read(&self, address: u64) -> Result<u32, StopReason> {
        let seen = self.report_read(address, 4)?;
        let value = self.words(address)?[0].load(Relaxed);
        if seen == ReadResult::Stale {
            let mut bytes = value.to_le_bytes();
            self.read_stale(address, &mut bytes);
            return Ok(u32::from_le_bytes(bytes));
        }
        Ok(value)
    }

    /// Reads four dwords at multiples of 4.
    #[inline]
    pub fn read_four(&self, addresses: [u64; 4]) -> Result<[u32; 4], StopReason> {
        let known = self.last.get();
        let places = addresses.map(|a| (a & ADDRESS_MASK).wrapping_sub(known.start));
        let mut values = [0; 4];
        let mut now = true;
        if self.watch.is_some() {
            for address in addresses {
                now &= self.report_read(address, 4)? == ReadResult::Current;
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

    /// Returns dwords from a multiple of 4 on; `None` if accesses are observed, or the dwords are
    /// not all in one range.
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

    /// Returns runs of dwords from multiples of 4 on; `None` unless all are in the range that was
    /// used last.
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
        // All runs are `Some` here.
        let [first, ..] = runs.as_slice() else {
            return None;
        };
        let first = (*first)?;
        Some(runs.map(|run| run.unwrap_or(first)))
    }

    /// [`AddressSpaceView::runs`] that are read as a whole and reported as such. Also `None` if
    /// this access path would see stale data.
    #[inline(always)]
    pub fn readable<const R: usize, const N: usize>(
        &self,
        addresses: [u64; R],
    ) -> Result<Option<[&'a [AtomicU32; N]; R]>, StopReason> {
        let runs = self.runs(addresses);
        if self.watch.is_some() && runs.is_some() {
            for address in addresses {
                if self.report_read(address, N * 4)? == ReadResult::Stale {
                    return Ok(None);
                }
            }
        }
        Ok(runs)
    }

    /// [`AddressSpaceView::runs`] that are written as a whole and reported as such.
    #[inline(always)]
    pub fn writable<const R: usize, const N: usize>(
        &self,
        addresses: [u64; R],
    ) -> Result<Option<[&'a [AtomicU32; N]; R]>, StopReason> {
        let runs = self.runs(addresses);
        if self.watch.is_some() && runs.is_some() {
            for address in addresses {
                self.report_access(address, N * 4, false)?;
            }
        }
        Ok(runs)
    }

    /// Writes a dword at a multiple of 4.
    #[inline]
    pub fn write(&self, address: u64, value: u32) -> Result<(), StopReason> {
        self.report_access(address, 4, false)?;
        self.words(address)?[0].store(value, Relaxed);
        Ok(())
    }

    /// Writes the dwords selected by `mask`, each at a multiple of 4.
    #[inline]
    pub fn write_four(
        &self,
        addresses: [u64; 4],
        mask: u32,
        values: [u32; 4],
    ) -> Result<(), StopReason> {
        let known = self.last.get();
        let places = addresses.map(|a| (a & ADDRESS_MASK).wrapping_sub(known.start));
        if self.watch.is_some() {
            for (i, pair) in [0, 2].into_iter().zip(addresses.as_chunks::<2>().0) {
                if mask >> i & 3 == 3 && pair[1] == pair[0].wrapping_add(4) {
                    self.report_access(pair[0], 8, false)?;
                    continue;
                }
                for (j, address) in pair.iter().enumerate() {
                    if mask >> (i + j) & 1 == 1 {
                        self.report_access(*address, 4, false)?;
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
    pub fn read64(&self, address: u64) -> Result<u64, StopReason> {
        let low = self.read(address)?;
        let high = self.read(address.wrapping_add(4))?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }

    /// Writes two dwords.
    pub fn write64(&self, address: u64, value: u64) -> Result<(), StopReason> {
        self.write(address, value as u32)?;
        self.write(address.wrapping_add(4), (value >> 32) as u32)
    }

    /// Fills `out` with dwords from a multiple of 4 on, across adjacent ranges.
    pub fn read_block(&self, address: u64, out: &mut [u32]) -> Result<(), StopReason> {
        let seen = self.report_read(address, out.len() * 4)?;
        let mut done = 0;
        while done < out.len() {
            let words = self.words(address.wrapping_add(done as u64 * 4))?;
            for (to, from) in out[done..].iter_mut().zip(words) {
                *to = from.load(Relaxed);
            }
            done += words.len();
        }
        if seen == ReadResult::Stale {
            for (i, word) in out.iter_mut().enumerate() {
                let mut bytes = word.to_le_bytes();
                self.read_stale(address.wrapping_add(i as u64 * 4), &mut bytes);
                *word = u32::from_le_bytes(bytes);
            }
        }
        Ok(())
    }

    /// Writes four dwords repeatedly from a multiple of 16 on.
    pub fn write_pattern(
        &self,
        address: u64,
        pattern: [u32; 4],
        dwords: usize,
    ) -> Result<(), StopReason> {
        self.report_access(address, dwords * 4, false)?;
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
    pub fn write_block(&self, address: u64, values: &[u32]) -> Result<(), StopReason> {
        self.report_access(address, values.len() * 4, false)?;
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
    pub fn read_bytes(&self, address: u64, bytes: u32) -> Result<u64, StopReason> {
        let shift = (address & 3) as u32 * 8;
        let base = address & !3;
        let seen = self.report_read(address, bytes as usize)?;
        if seen == ReadResult::Current && shift + bytes * 8 <= 32 {
            let dword = self.words(base)?[0].load(Relaxed);
            return Ok(u64::from(dword >> shift & u32::MAX >> (32 - bytes * 8)));
        }
        let dword =
            |at: u64| -> Result<u128, StopReason> { Ok(self.words(at)?[0].load(Relaxed).into()) };
        let mut raw = dword(base)?;
        let last = address.wrapping_add(u64::from(bytes) - 1) & !3;
        for i in 1..=2u64 {
            if i * 4 <= last.wrapping_sub(base) {
                raw |= dword(base.wrapping_add(i * 4))? << (32 * i);
            }
        }
        let mut value = (raw >> shift) as u64;
        if seen == ReadResult::Stale {
            let mut all = value.to_le_bytes();
            self.read_stale(address, all.get_mut(..bytes as usize).unwrap_or_default());
            value = u64::from_le_bytes(all);
        }
        Ok(value & (u64::MAX >> (64 - bytes * 8)))
    }

    /// Writes 1, 2, 4 or 8 bytes at any address. Concurrent writes to other bytes of the same dword
    /// are preserved.
    pub fn write_bytes(&self, address: u64, bytes: u32, value: u64) -> Result<(), StopReason> {
        let shift = (address & 3) as u32 * 8;
        let base = address & !3;
        self.report_access(address, bytes as usize, false)?;
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
                    // The closure always returns `Some`, so the update cannot fail.
                    let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | bits));
                }
            }
        }
        Ok(())
    }
}

fn fault(address: u64) -> StopReason {
    StopReason::Fault {
        what: "no memory is mapped at this GPU address".into(),
        at: address,
    }
}

#[cfg(test)]
mod tests;
