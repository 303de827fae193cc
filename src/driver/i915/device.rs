//! A logical device: a context with an address space of its own, its buffers, and submissions.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use smallvec::SmallVec;
use uapi::HostPages;

use crate::buffer::{Buffer, Core, Place};
use crate::error::Result;
use crate::file::{Fence, File, Priority};
use crate::heap::Heap;
use crate::info::Info;
use crate::resident::Use;
use crate::syncobj::{Syncobj, Syncobjs};
use crate::zone::{AddressSpace, Zone};

/// Where a batch begins. The buffer must be there until the batch has been submitted: the kernel refuses one that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    handle: u32,
    offset_bytes: u32,
    address: u64,
}

impl Start {
    /// At a byte of a buffer.
    pub fn new(buffer: &Buffer, offset_bytes: u64) -> Self {
        Self {
            handle: buffer.handle(),
            // Batches are in buffers of a few MiB.
            offset_bytes: offset_bytes as u32,
            address: buffer.address() + offset_bytes,
        }
    }

    /// GPU address of the first command.
    pub fn address(&self) -> u64 {
        self.address
    }
}

/// A logical device.
#[derive(Debug)]
pub struct Device {
    core: Arc<Core>,
    heap: Arc<Heap>,
    syncobjs: Arc<Syncobjs>,
    info: Info,
}

impl Device {
    /// A context with one render engine that is not recovered after a hang, and an empty address space.
    pub fn new(file: &Arc<File>, info: &Info, priority: Priority) -> Result<Arc<Self>> {
        let space = AddressSpace::new(info.gtt_bytes)?;
        // Last of what can fail: from here on `Core` destroys it.
        let context = file.context_create(priority)?;
        let core = Core::new(file, space, info.has_llc, context);
        Ok(Arc::new(Self {
            heap: Heap::new(&core),
            syncobjs: Syncobjs::new(file),
            core,
            info: info.clone(),
        }))
    }

    /// What the probe found.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// A buffer of zeros, for the driver's own use.
    pub fn buffer(&self, bytes: u64, zone: Zone) -> Result<Arc<Buffer>> {
        Buffer::new(&self.core, bytes, Place::In(zone), Use::Driver)
    }

    /// A buffer of zeros, for the application's: in [`Zone::Shared`] where it may be exported.
    pub fn memory(&self, bytes: u64, place: Place) -> Result<Arc<Buffer>> {
        Buffer::new(&self.core, bytes, place, Use::Application)
    }

    /// A buffer on pages of the process.
    pub fn host_memory(&self, pages: Arc<dyn HostPages>, place: Place) -> Result<Arc<Buffer>> {
        Buffer::host(&self.core, pages, place)
    }

    /// The buffer of a dma-buf.
    pub fn import(&self, descriptor: OwnedFd) -> Result<Arc<Buffer>> {
        Buffer::import(&self.core, descriptor)
    }

    /// The bindless surface heap.
    pub fn bindless(&self) -> &Arc<Heap> {
        &self.heap
    }

    /// A syncobj.
    pub fn syncobj(&self, signalled: bool) -> Result<Syncobj> {
        Syncobj::new(&self.syncobjs, signalled)
    }

    /// The syncobj of a descriptor.
    pub fn import_syncobj(&self, descriptor: OwnedFd) -> Result<Syncobj> {
        Syncobj::import(&self.syncobjs, descriptor)
    }

    /// Waits for binary syncobjs, all or one of them, submitted or not, until a deadline of the monotonic clock. False: the
    /// deadline passed first.
    pub fn wait_syncobjs(
        &self,
        syncobjs: &[Arc<Syncobj>],
        all: bool,
        deadline_ns: i64,
    ) -> Result<bool> {
        let handles: SmallVec<[u32; 8]> = syncobjs.iter().map(|s| s.handle()).collect();
        self.core.file.syncobj_wait(&handles, all, deadline_ns)
    }

    /// Waits for values of timelines, as [`Device::wait_syncobjs`].
    pub fn wait_points(
        &self,
        points: &[(Arc<Syncobj>, u64)],
        all: bool,
        deadline_ns: i64,
    ) -> Result<bool> {
        let points: Vec<_> = points
            .iter()
            .map(|(syncobj, value)| (syncobj.handle(), *value))
            .collect();
        self.core
            .file
            .timeline_wait(&points, all, false, deadline_ns)
    }

    /// Waits until all points have been submitted, done or not.
    pub fn points_submitted(
        &self,
        points: &[(Arc<Syncobj>, u64)],
        deadline_ns: i64,
    ) -> Result<bool> {
        let points: Vec<_> = points
            .iter()
            .map(|(syncobj, value)| (syncobj.handle(), *value))
            .collect();
        self.core
            .file
            .timeline_wait(&points, true, true, deadline_ns)
    }

    /// Runs a batch after what it waits for. Points are syncobjs with a timeline's value, or 0 for binary ones. A buffer that is given
    /// to others thereby is theirs when the batch is done, as far as the kernel makes them wait.
    pub fn execute<'a>(
        &self,
        batch: Start,
        given: Option<&Buffer>,
        waits: impl IntoIterator<Item = (&'a Syncobj, u64)>,
        signals: impl IntoIterator<Item = (&'a Syncobj, u64)>,
    ) -> Result<()> {
        let fence = |wait: bool| {
            move |(syncobj, value): (&Syncobj, u64)| Fence {
                handle: syncobj.handle(),
                value,
                wait,
            }
        };
        // Filled where they stay: what `collect` makes is moved.
        let mut fences: SmallVec<[Fence; 8]> = SmallVec::new();
        fences.extend(waits.into_iter().map(fence(true)));
        fences.extend(signals.into_iter().map(fence(false)));
        let mut residents = self.core.residents();
        if let Some(given) = given {
            residents.change(given.handle(), Use::Shared);
        }
        let ran = self.core.file.execute(
            self.core.context,
            residents.led_by(batch.handle)?,
            batch.offset_bytes,
            &fences,
        );
        drop(residents);
        if let Some(given) = given {
            given.give();
        }
        ran
    }

    /// Whether the context hung, or was waiting behind one that did.
    pub fn is_hung(&self) -> Result<bool> {
        self.core.file.context_hung(self.core.context)
    }

    /// The render engine's clock, in its ticks.
    pub fn timestamp(&self) -> Result<u64> {
        self.core.file.timestamp()
    }

    /// The monotonic clock that nothing slews, in ns.
    pub fn now_raw_ns(&self) -> i64 {
        sys::monotonic_raw_ns()
    }

    /// The monotonic clock, in ns.
    pub fn now_ns(&self) -> i64 {
        sys::monotonic_ns()
    }
}
