//! Buffers: pages with a GPU address, resident from birth to death.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use uapi::HostPages;

use crate::error::{Error, Result};
use crate::file::File;
use crate::mapping::Mapping;
use crate::resident::{Residents, Use};
use crate::spare::{Spare, Spares};
use crate::zone::{AddressSpace, PAGE_BYTES, Zone};

/// What buffers need of their device: a context of the kernel's, and its address space.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) file: Arc<File>,
    pub(crate) space: AddressSpace,
    pub(crate) has_llc: bool,
    pub(crate) context: u32,
    residents: Mutex<Residents>,
    spares: Mutex<Spares>,
    /// Buffers that were imported or exported, by handle: the kernel gives one handle for one object, however often it is imported.
    shared: Mutex<BTreeMap<u32, Weak<Buffer>>>,
}

impl Core {
    pub(crate) fn new(
        file: &Arc<File>,
        space: AddressSpace,
        has_llc: bool,
        context: u32,
    ) -> Arc<Self> {
        Arc::new(Self {
            file: file.clone(),
            space,
            has_llc,
            context,
            residents: Mutex::default(),
            spares: Mutex::default(),
            shared: Mutex::default(),
        })
    }

    pub(crate) fn residents(&self) -> MutexGuard<'_, Residents> {
        self.residents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn spares(&self) -> MutexGuard<'_, Spares> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A spare buffer of so many bytes that no batch uses, zeroed. One that was given back while a batch used it is the kernel's.
    fn spare(&self, bytes: u64) -> Option<Spare> {
        let spare = self.spares().take(bytes)?;
        match self.file.wait(spare.handle, 0) {
            Ok(true) => {
                spare.mapping.clear();
                Some(spare)
            }
            _ => {
                self.end(spare);
                None
            }
        }
    }

    fn end(&self, spare: Spare) {
        drop(spare.mapping);
        self.file.close_own(spare.handle);
        self.space.give(Zone::High, spare.address, spare.bytes);
    }

    /// Ends all spare buffers; whether there were any.
    fn end_spares(&self) -> bool {
        let spares = self.spares().take_all();
        spares.map(|spare| self.end(spare)).count() > 0
    }

    fn shared(&self) -> MutexGuard<'_, BTreeMap<u32, Weak<Buffer>>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.end_spares();
        self.file.context_destroy(self.context);
    }
}

/// Which addresses a buffer gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Any of a zone.
    In(Zone),
    /// These of a zone.
    At(Zone, u64),
}

impl Place {
    fn take(self, space: &AddressSpace, bytes: u64) -> Result<(Zone, u64)> {
        match self {
            Place::In(zone) => Ok((zone, space.take(zone, bytes)?)),
            Place::At(zone, address) => {
                space.take_at(zone, address, bytes)?;
                Ok((zone, address))
            }
        }
    }
}

/// A GEM buffer at a fixed address.
#[derive(Debug)]
pub struct Buffer {
    core: Arc<Core>,
    handle: u32,
    bytes: u64,
    address: u64,
    zone: Zone,
    mapping: OnceLock<Mapping>,
    /// The CPU's view is cached, though the GPU may not see that cache.
    cached: AtomicBool,
    /// It was imported or exported: others may have the same handle.
    shared: AtomicBool,
    /// The kernel has no such buffer any more.
    retired: AtomicBool,
    /// Submissions do not list it.
    given: AtomicBool,
    /// Nobody but this device ever knew of the pages, and the CPU sees them as they are: when they are given back, they may be kept.
    plain: AtomicBool,
}

impl Buffer {
    /// New pages, zeroed by the kernel.
    pub(crate) fn new(
        core: &Arc<Core>,
        bytes: u64,
        place: Place,
        purpose: Use,
    ) -> Result<Arc<Self>> {
        let bytes = bytes
            .checked_next_multiple_of(PAGE_BYTES)
            .filter(|&bytes| bytes > 0)
            .ok_or(Error::Range { what: "a buffer" })?;
        let plain = purpose == Use::Application && place == Place::In(Zone::High) && core.has_llc;
        if plain && let Some(spare) = core.spare(bytes) {
            let place = (Zone::High, spare.address);
            let mut buffer = Self::made(core, spare.handle, bytes, place, purpose);
            buffer.mapping = OnceLock::from(spare.mapping);
            buffer.plain = AtomicBool::new(true);
            return Ok(Arc::new(buffer));
        }
        match Self::of_kernel(core, bytes, place, purpose, plain) {
            Err(_) if core.end_spares() => Self::of_kernel(core, bytes, place, purpose, plain),
            made => made,
        }
        .map(Arc::new)
    }

    fn of_kernel(
        core: &Arc<Core>,
        bytes: u64,
        place: Place,
        purpose: Use,
        plain: bool,
    ) -> Result<Self> {
        let (zone, address) = place.take(&core.space, bytes)?;
        match core.file.create(bytes) {
            Ok(handle) => {
                let mut buffer = Self::made(core, handle, bytes, (zone, address), purpose);
                buffer.plain = AtomicBool::new(plain);
                Ok(buffer)
            }
            Err(error) => {
                core.space.give(zone, address, bytes);
                Err(error)
            }
        }
    }

    /// Pages of the process.
    pub(crate) fn host(
        core: &Arc<Core>,
        pages: Arc<dyn HostPages>,
        place: Place,
    ) -> Result<Arc<Self>> {
        let mapping = Mapping::of_host(pages.clone())?;
        let bytes = size_of_val(mapping.words()) as u64;
        let (zone, address) = place.take(&core.space, bytes)?;
        match core.file.userptr(pages) {
            Ok(handle) => {
                let mut buffer = Self::made(core, handle, bytes, (zone, address), Use::Application);
                buffer.mapping = OnceLock::from(mapping);
                Ok(Arc::new(buffer))
            }
            Err(error) => {
                core.space.give(zone, address, bytes);
                Err(error)
            }
        }
    }

    /// The pages behind a dma-buf; the same buffer again, if this device has them already.
    pub(crate) fn import(core: &Arc<Core>, descriptor: OwnedFd) -> Result<Arc<Self>> {
        let mut known = core.shared();
        let (handle, bytes) = core.file.import(descriptor)?;
        if let Some(buffer) = known.get(&handle).and_then(Weak::upgrade) {
            core.file.close_shared(handle);
            buffer.share();
            return Ok(buffer);
        }
        match core.space.take(Zone::Shared, bytes) {
            Ok(address) => {
                let place = (Zone::Shared, address);
                let mut buffer = Self::made(core, handle, bytes, place, Use::Shared);
                buffer.shared = AtomicBool::new(true);
                let buffer = Arc::new(buffer);
                known.insert(handle, Arc::downgrade(&buffer));
                Ok(buffer)
            }
            Err(error) => {
                core.file.close_shared(handle);
                Err(error)
            }
        }
    }

    fn made(
        core: &Arc<Core>,
        handle: u32,
        bytes: u64,
        (zone, address): (Zone, u64),
        purpose: Use,
    ) -> Self {
        core.residents().add(handle, address, purpose);
        Self {
            core: core.clone(),
            handle,
            bytes,
            address,
            zone,
            mapping: OnceLock::new(),
            cached: AtomicBool::new(false),
            shared: AtomicBool::new(false),
            retired: AtomicBool::new(false),
            given: AtomicBool::new(false),
            plain: AtomicBool::new(false),
        }
    }

    /// The kernel's name for it.
    pub fn handle(&self) -> u32 {
        self.handle
    }

    /// Bytes: whole pages.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// GPU address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The pages, mapped at the first call and until the buffer dies.
    #[inline]
    pub fn map(&self) -> Result<&Mapping> {
        match self.mapping.get() {
            Some(mapping) => Ok(mapping),
            None => self.map_now(),
        }
    }

    #[cold]
    fn map_now(&self) -> Result<&Mapping> {
        let mapping = self.map_anew()?;
        // Another thread may have been quicker; then this mapping goes again.
        Ok(self.mapping.get_or_init(|| mapping))
    }

    /// A mapping of the pages that is the caller's alone.
    pub(crate) fn map_anew(&self) -> Result<Mapping> {
        let cached = self.core.has_llc || self.cached.load(Relaxed);
        self.core.file.map(self.handle, self.bytes, cached)
    }

    /// The buffer, mapped: writes and reads within it no longer fail.
    pub(crate) fn mapped(self: Arc<Self>) -> Result<Arc<Self>> {
        self.map()?;
        Ok(self)
    }

    /// Writes bytes.
    pub fn write(&self, offset_bytes: usize, data: &[u8]) -> Result<()> {
        self.map()?.write(offset_bytes, data)
    }

    /// Reads bytes.
    pub fn read(&self, offset_bytes: usize, out: &mut [u8]) -> Result<()> {
        self.map()?.read(offset_bytes, out)
    }

    /// Gives the pages back, and no submission lists them from now on; the addresses stay taken as long as the value lives.
    pub fn retire(&self) {
        if self.retired.swap(true, Relaxed) {
            return;
        }
        self.core.residents().remove(self.handle);
        if !self.shared.load(Relaxed) {
            self.core.file.close_own(self.handle);
            return;
        }
        {
            let mut known = self.core.shared();
            // An import may have brought the same handle to life again meanwhile.
            let own = |buffer: &Weak<Buffer>| std::ptr::eq(buffer.as_ptr(), self);
            if known.get(&self.handle).is_some_and(own) {
                known.remove(&self.handle);
            }
        }
        self.core.file.close_shared(self.handle);
    }

    /// The CPU's view shall be cached: whoever maps it flushes and invalidates. To be said before the first mapping.
    pub fn cache(&self) {
        self.cached.store(true, Relaxed);
    }

    /// From now on others use the pages who know nothing of Vulkan's semaphores.
    pub fn share(&self) {
        self.plain.store(false, Relaxed);
        self.core.residents().change(self.handle, Use::Shared);
    }

    /// Others have it now: no submission lists it, so neither they nor those that draw something else wait for one another.
    pub fn give(&self) {
        self.plain.store(false, Relaxed);
        if !self.given.swap(true, Relaxed) {
            self.core.residents().remove(self.handle);
        }
    }

    /// Takes it back when nobody uses it any more, within some nanoseconds; less than 0: ever. False: somebody uses it still.
    pub fn take_back(&self, timeout_ns: i64) -> Result<bool> {
        if !self.given.load(Relaxed) {
            return Ok(true);
        }
        if !self.core.file.wait(self.handle, timeout_ns)? {
            return Ok(false);
        }
        let mut residents = self.core.residents();
        if self.given.swap(false, Relaxed) && !self.retired.load(Relaxed) {
            residents.add(self.handle, self.address, Use::Application);
        }
        Ok(true)
    }

    /// A dma-buf of the pages.
    pub fn export(self: &Arc<Self>) -> Result<OwnedFd> {
        self.plain.store(false, Relaxed);
        // Before anybody can import it.
        let mut known = self.core.shared();
        if !self.shared.swap(true, Relaxed) {
            known.insert(self.handle, Arc::downgrade(self));
            self.core.file.share(self.handle);
        }
        drop(known);
        self.core.file.export(self.handle)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if *self.plain.get_mut()
            && !*self.retired.get_mut()
            && let Some(mapping) = self.mapping.take()
        {
            self.core.residents().remove(self.handle);
            let spare = Spare {
                handle: self.handle,
                bytes: self.bytes,
                address: self.address,
                mapping,
            };
            let kept = self.core.spares().put(spare);
            if let Err(spare) = kept {
                self.core.end(spare);
            }
            return;
        }
        self.retire();
        self.core.space.give(self.zone, self.address, self.bytes);
    }
}
