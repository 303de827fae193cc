//! Buffers: GEM objects at fixed GPU addresses (softpin), referenced by every submission while they
//! exist.
//!
//! In:  sizes and zones, pages of the process, dma-bufs. Out: buffers with an address, mapped on
//!      demand.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use uapi::HostPages;

use crate::address_space::{AddressSpace, PAGE_BYTES, Zone};
use crate::buffer_cache::{BufferCache, CachedBuffer};
use crate::buffer_report::{BufferEvent, BufferListener, BufferReport, next_number};
use crate::error::{Error, Result};
use crate::exec_list::{ExecList, Owner};
use crate::file::File;
use crate::mapping::BufferMapping;

/// The state of a logical device that its buffers share: a kernel context and its address space.
#[derive(Debug)]
pub(crate) struct DeviceContext {
    pub(crate) file: Arc<File>,
    pub(crate) space: AddressSpace,
    pub(crate) has_llc: bool,
    pub(crate) context_id: u32,
    exec_list: Mutex<ExecList>,
    cache: Mutex<BufferCache>,
    /// Imported and exported buffers, by handle: the kernel returns the same handle for every
    /// import of an object.
    shared: Mutex<BTreeMap<u32, Weak<Buffer>>>,
    /// Receives what happens to the driver's own buffers.
    listener: Option<BufferListener>,
}

impl DeviceContext {
    pub(crate) fn new(
        file: &Arc<File>,
        space: AddressSpace,
        has_llc: bool,
        context_id: u32,
        listener: Option<BufferListener>,
    ) -> Arc<Self> {
        Arc::new(Self {
            file: file.clone(),
            space,
            has_llc,
            context_id,
            exec_list: Mutex::default(),
            cache: Mutex::default(),
            shared: Mutex::default(),
            listener,
        })
    }

    pub(crate) fn exec_list(&self) -> MutexGuard<'_, ExecList> {
        self.exec_list
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn cache(&self) -> MutexGuard<'_, BufferCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, event: BufferEvent, number: u64, bytes: u64) {
        if let Some(BufferListener(listener)) = &self.listener {
            listener(BufferReport {
                event,
                number,
                bytes,
            });
        }
    }

    /// Takes an idle buffer of this size from the cache and zeroes it. A cached buffer that a batch
    /// still uses is destroyed instead.
    fn take_cached(&self, bytes: u64) -> Option<CachedBuffer> {
        let cached = self.cache().pop(bytes)?;
        match self.file.wait(cached.handle, 0) {
            Ok(true) => {
                cached.mapping.clear();
                Some(cached)
            }
            _ => {
                self.destroy(cached);
                None
            }
        }
    }

    fn destroy(&self, buffer: CachedBuffer) {
        drop(buffer.mapping);
        self.file.close_private(buffer.handle);
        self.space.free(Zone::High, buffer.address, buffer.bytes);
    }

    /// Destroys all cached buffers. Returns whether there were any.
    fn evict_all(&self) -> bool {
        let buffers = self.cache().drain();
        buffers.map(|buffer| self.destroy(buffer)).count() > 0
    }

    fn shared(&self) -> MutexGuard<'_, BTreeMap<u32, Weak<Buffer>>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DeviceContext {
    fn drop(&mut self) {
        self.evict_all();
        self.file.context_destroy(self.context_id);
    }
}

/// The GPU address that a buffer gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Any free address of a zone.
    In(Zone),
    /// This address of a zone.
    At(Zone, u64),
}

impl Placement {
    fn allocate(self, space: &AddressSpace, bytes: u64) -> Result<(Zone, u64)> {
        match self {
            Placement::In(zone) => Ok((zone, space.allocate(zone, bytes)?)),
            Placement::At(zone, address) => {
                space.allocate_at(zone, address, bytes)?;
                Ok((zone, address))
            }
        }
    }
}

/// A GEM buffer at a fixed address.
#[derive(Debug)]
pub struct Buffer {
    context: Arc<DeviceContext>,
    handle: u32,
    /// See [`BufferReport::number`].
    number: u64,
    owner: Owner,
    bytes: u64,
    address: u64,
    zone: Zone,
    mapping: OnceLock<BufferMapping>,
    /// The CPU mapping is cached although the GPU does not snoop the CPU's caches.
    cached: AtomicBool,
    /// The buffer was imported or exported, so other imports may share the handle.
    shared: AtomicBool,
    /// The kernel's handle is closed.
    retired: AtomicBool,
    /// The buffer is handed over to the window system: submissions do not reference it.
    handed_over: AtomicBool,
    /// The pages were never shared and their mapping is coherent, so a dropped buffer may go to the
    /// cache.
    cacheable: AtomicBool,
}

impl Buffer {
    /// A buffer of zeroed pages, from the cache if possible.
    pub(crate) fn new(
        context: &Arc<DeviceContext>,
        bytes: u64,
        place: Placement,
        owner: Owner,
    ) -> Result<Arc<Self>> {
        let bytes = bytes
            .checked_next_multiple_of(PAGE_BYTES)
            .filter(|&bytes| bytes > 0)
            .ok_or(Error::Range { what: "a buffer" })?;
        let cacheable =
            owner == Owner::Application && place == Placement::In(Zone::High) && context.has_llc;
        if cacheable && let Some(cached) = context.take_cached(bytes) {
            let place = (Zone::High, cached.address);
            let mut buffer = Self::with_handle(context, cached.handle, bytes, place, owner);
            buffer.mapping = OnceLock::from(cached.mapping);
            buffer.cacheable = AtomicBool::new(true);
            return Ok(Arc::new(buffer));
        }
        match Self::create_new(context, bytes, place, owner, cacheable) {
            Err(_) if context.evict_all() => {
                Self::create_new(context, bytes, place, owner, cacheable)
            }
            result => result,
        }
        .map(Arc::new)
        .inspect_err(|_| {
            if owner == Owner::Driver {
                context.report(BufferEvent::Failed, 0, bytes);
            }
        })
    }

    /// A buffer of new pages, zeroed by the kernel.
    fn create_new(
        context: &Arc<DeviceContext>,
        bytes: u64,
        place: Placement,
        owner: Owner,
        cacheable: bool,
    ) -> Result<Self> {
        let (zone, address) = place.allocate(&context.space, bytes)?;
        match context.file.create(bytes) {
            Ok(handle) => {
                let mut buffer = Self::with_handle(context, handle, bytes, (zone, address), owner);
                buffer.cacheable = AtomicBool::new(cacheable);
                Ok(buffer)
            }
            Err(error) => {
                context.space.free(zone, address, bytes);
                Err(error)
            }
        }
    }

    /// A buffer on pages of the process (userptr).
    pub(crate) fn host(
        context: &Arc<DeviceContext>,
        pages: Arc<dyn HostPages>,
        place: Placement,
    ) -> Result<Arc<Self>> {
        let mapping = BufferMapping::of_host(pages.clone())?;
        let bytes = size_of_val(mapping.words()) as u64;
        let (zone, address) = place.allocate(&context.space, bytes)?;
        match context.file.userptr(pages) {
            Ok(handle) => {
                let mut buffer =
                    Self::with_handle(context, handle, bytes, (zone, address), Owner::Application);
                buffer.mapping = OnceLock::from(mapping);
                Ok(Arc::new(buffer))
            }
            Err(error) => {
                context.space.free(zone, address, bytes);
                Err(error)
            }
        }
    }

    /// The buffer of a dma-buf. A repeated import returns the same buffer.
    pub(crate) fn import(context: &Arc<DeviceContext>, descriptor: OwnedFd) -> Result<Arc<Self>> {
        let mut shared = context.shared();
        let (handle, bytes) = context.file.import(descriptor)?;
        if let Some(buffer) = shared.get(&handle).and_then(Weak::upgrade) {
            context.file.close_shared(handle);
            buffer.mark_shared();
            return Ok(buffer);
        }
        match context.space.allocate(Zone::Shared, bytes) {
            Ok(address) => {
                let place = (Zone::Shared, address);
                let mut buffer = Self::with_handle(context, handle, bytes, place, Owner::Shared);
                buffer.shared = AtomicBool::new(true);
                let buffer = Arc::new(buffer);
                shared.insert(handle, Arc::downgrade(&buffer));
                Ok(buffer)
            }
            Err(error) => {
                context.file.close_shared(handle);
                Err(error)
            }
        }
    }

    /// A buffer with a kernel handle and an address, added to the list of submissions.
    fn with_handle(
        context: &Arc<DeviceContext>,
        handle: u32,
        bytes: u64,
        (zone, address): (Zone, u64),
        owner: Owner,
    ) -> Self {
        context.exec_list().add(handle, address, owner);
        let number = next_number();
        if owner == Owner::Driver {
            context.report(BufferEvent::Allocated, number, bytes);
        }
        Self {
            context: context.clone(),
            handle,
            number,
            owner,
            bytes,
            address,
            zone,
            mapping: OnceLock::new(),
            cached: AtomicBool::new(false),
            shared: AtomicBool::new(false),
            retired: AtomicBool::new(false),
            handed_over: AtomicBool::new(false),
            cacheable: AtomicBool::new(false),
        }
    }

    /// Its GEM handle.
    pub fn handle(&self) -> u32 {
        self.handle
    }

    /// A number that no other buffer of the process ever has.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Size in bytes, a multiple of the page size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// GPU address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The mapping of the pages, created by the first call and kept until the buffer is dropped.
    #[inline]
    pub fn map(&self) -> Result<&BufferMapping> {
        match self.mapping.get() {
            Some(mapping) => Ok(mapping),
            None => self.map_slow(),
        }
    }

    #[cold]
    fn map_slow(&self) -> Result<&BufferMapping> {
        let mapping = self.map_separately()?;
        // If another thread has mapped the buffer first, this mapping is dropped.
        Ok(self.mapping.get_or_init(|| mapping))
    }

    /// A further mapping of the pages, owned by the caller.
    pub(crate) fn map_separately(&self) -> Result<BufferMapping> {
        self.map_range(self.bytes, None)
    }

    /// A further mapping of the first pages, as many as `bytes` need, at any address or at a place.
    /// Its owner drops it before the application frees the memory.
    pub fn map_range(&self, bytes: u64, place: Option<sys::Place>) -> Result<BufferMapping> {
        let cached = self.context.has_llc || self.cached.load(Relaxed);
        let bytes = bytes.next_multiple_of(PAGE_BYTES).min(self.bytes);
        self.context.file.map(self.handle, bytes, cached, place)
    }

    /// Maps the buffer, so that later reads and writes within it cannot fail.
    pub(crate) fn mapped(self: Arc<Self>) -> Result<Arc<Self>> {
        self.map()?;
        Ok(self)
    }

    /// Writes bytes at an offset.
    pub fn write(&self, offset_bytes: usize, data: &[u8]) -> Result<()> {
        self.map()?.write(offset_bytes, data)
    }

    /// Reads bytes at an offset.
    pub fn read(&self, offset_bytes: usize, out: &mut [u8]) -> Result<()> {
        self.map()?.read(offset_bytes, out)
    }

    /// Frees the pages and removes the buffer from submissions. Its addresses stay allocated until
    /// it is dropped.
    pub fn retire(&self) {
        if self.retired.swap(true, Relaxed) {
            return;
        }
        self.context.exec_list().remove(self.handle);
        if self.owner == Owner::Driver {
            self.context
                .report(BufferEvent::Freed, self.number, self.bytes);
        }
        if !self.shared.load(Relaxed) {
            self.context.file.close_private(self.handle);
            return;
        }
        {
            let mut shared = self.context.shared();
            // A concurrent import may have replaced the entry by a new buffer with the same handle.
            let is_self = |buffer: &Weak<Buffer>| std::ptr::eq(buffer.as_ptr(), self);
            if shared.get(&self.handle).is_some_and(is_self) {
                shared.remove(&self.handle);
            }
        }
        self.context.file.close_shared(self.handle);
    }

    /// Makes the CPU mapping cached; the user of the mapping must flush and invalidate. Must be
    /// called before the first mapping.
    pub fn map_cached(&self) {
        self.cached.store(true, Relaxed);
    }

    /// Marks the pages as used by others without Vulkan's semaphores, so that submissions
    /// synchronise implicitly with them.
    pub fn mark_shared(&self) {
        self.cacheable.store(false, Relaxed);
        self.context
            .exec_list()
            .set_owner(self.handle, Owner::Shared);
    }

    /// Hands the buffer over to others, such as a window system: submissions no longer reference
    /// it, so that they and the others do not wait for each other.
    pub fn hand_over(&self) {
        self.cacheable.store(false, Relaxed);
        if !self.handed_over.swap(true, Relaxed) {
            self.context.exec_list().remove(self.handle);
        }
    }

    /// Ends [`Buffer::hand_over`] once the buffer is idle. Waits up to `timeout_ns`, without limit
    /// if that is negative. Returns false if the buffer is still in use.
    pub fn reclaim(&self, timeout_ns: i64) -> Result<bool> {
        if !self.handed_over.load(Relaxed) {
            return Ok(true);
        }
        if !self.context.file.wait(self.handle, timeout_ns)? {
            return Ok(false);
        }
        let mut exec_list = self.context.exec_list();
        if self.handed_over.swap(false, Relaxed) && !self.retired.load(Relaxed) {
            exec_list.add(self.handle, self.address, Owner::Application);
        }
        Ok(true)
    }

    /// Exports the pages as a dma-buf.
    pub fn export(self: &Arc<Self>) -> Result<OwnedFd> {
        self.cacheable.store(false, Relaxed);
        // Before the descriptor exists, so that no import can miss the entry.
        let mut shared = self.context.shared();
        if !self.shared.swap(true, Relaxed) {
            shared.insert(self.handle, Arc::downgrade(self));
            self.context.file.mark_shared(self.handle);
        }
        drop(shared);
        self.context.file.export(self.handle)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if *self.cacheable.get_mut()
            && !*self.retired.get_mut()
            && let Some(mapping) = self.mapping.take()
        {
            self.context.exec_list().remove(self.handle);
            let buffer = CachedBuffer {
                handle: self.handle,
                bytes: self.bytes,
                address: self.address,
                mapping,
            };
            let result = self.context.cache().insert(buffer);
            if let Err(buffer) = result {
                self.context.destroy(buffer);
            }
            return;
        }
        self.retire();
        self.context.space.free(self.zone, self.address, self.bytes);
    }
}
