//! A logical device: a context with an address space of its own, its buffers, and submissions.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::buffer::Buffer;
use crate::error::Result;
use crate::file::{Fence, File};
use crate::heap::{Heap, HeapPiece};
use crate::info::Info;
use crate::pool::Slice;
use crate::syncobj::Syncobj;
use crate::zone::{AddressSpace, Zone};

/// What buffers need of their device.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) file: Arc<File>,
    pub(crate) space: AddressSpace,
    pub(crate) has_llc: bool,
    context: u32,
    /// Every buffer, by address: all are listed in every submission, as any command may reach any of them.
    resident: Mutex<BTreeMap<u64, u32>>,
    /// Every buffer, by handle: the kernel gives one handle for one object, however often it is imported.
    buffers: Mutex<BTreeMap<u32, Weak<Buffer>>>,
}

impl Core {
    pub(crate) fn resident(&self) -> MutexGuard<'_, BTreeMap<u64, u32>> {
        self.resident.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn buffers(&self) -> MutexGuard<'_, BTreeMap<u32, Weak<Buffer>>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.file.context_destroy(self.context);
    }
}

/// A logical device.
#[derive(Debug)]
pub struct Device {
    core: Arc<Core>,
    heap: Arc<Heap>,
    info: Info,
}

impl Device {
    /// A context with one render engine that is not recovered after a hang, and an empty address space.
    pub fn new(file: &Arc<File>, info: &Info) -> Result<Arc<Self>> {
        let space = AddressSpace::new(info.gtt_bytes)?;
        // Last of what can fail: from here on `Core` destroys it.
        let context = file.context_create()?;
        let core = Arc::new(Core {
            file: file.clone(),
            space,
            has_llc: info.has_llc,
            context,
            resident: Mutex::default(),
            buffers: Mutex::default(),
        });
        Ok(Arc::new(Self {
            heap: Heap::new(&core),
            core,
            info: info.clone(),
        }))
    }

    /// What the probe found.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// A buffer of zeros.
    pub fn buffer(&self, bytes: u64, zone: Zone) -> Result<Arc<Buffer>> {
        Buffer::new(&self.core, bytes, zone, None)
    }

    /// The buffer of a dma-buf.
    pub fn import(&self, descriptor: OwnedFd) -> Result<Arc<Buffer>> {
        Buffer::import(&self.core, descriptor)
    }

    /// A piece of the bindless surface heap.
    pub fn bindless_piece(&self, bytes: u32) -> Result<HeapPiece> {
        self.heap.take(bytes)
    }

    /// Writes a surface into the bindless heap, at a byte of it.
    pub fn write_bindless(&self, offset_bytes: u32, surface: &[u8; 64]) -> Result<()> {
        self.heap.write(offset_bytes, surface)
    }

    /// A syncobj.
    pub fn syncobj(&self, signalled: bool) -> Result<Syncobj> {
        Syncobj::new(&self.core.file, signalled)
    }

    /// The syncobj of a descriptor.
    pub fn import_syncobj(&self, descriptor: OwnedFd) -> Result<Syncobj> {
        Syncobj::import(&self.core.file, descriptor)
    }

    /// Waits for binary syncobjs, all or one of them, submitted or not, until a deadline of the monotonic clock. False: the
    /// deadline passed first.
    pub fn wait_syncobjs(
        &self,
        syncobjs: &[Arc<Syncobj>],
        all: bool,
        deadline_ns: i64,
    ) -> Result<bool> {
        let handles: Vec<u32> = syncobjs.iter().map(|syncobj| syncobj.handle()).collect();
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

    /// Runs a batch after what it waits for. Points are syncobjs with a timeline's value, or 0 for binary ones.
    pub fn execute(
        &self,
        batch: &Slice,
        waits: &[(Arc<Syncobj>, u64)],
        signals: &[(Arc<Syncobj>, u64)],
    ) -> Result<()> {
        let fence = |wait: bool| {
            move |(syncobj, value): &(Arc<Syncobj>, u64)| Fence {
                handle: syncobj.handle(),
                value: *value,
                wait,
            }
        };
        let fences: Vec<Fence> = waits
            .iter()
            .map(fence(true))
            .chain(signals.iter().map(fence(false)))
            .collect();
        let own = batch.buffer();
        let resident = self.core.resident();
        let others = resident.iter().map(|(&address, &handle)| (handle, address));
        // The batch comes last.
        let mut objects: Vec<(u32, u64)> = others
            .filter(|&(handle, _)| handle != own.handle())
            .collect();
        objects.push((own.handle(), own.address()));
        self.core.file.execute(
            self.core.context,
            &objects,
            batch.offset_bytes() as u32,
            &fences,
        )
    }

    /// Whether the context hung, or was waiting behind one that did.
    pub fn is_hung(&self) -> Result<bool> {
        self.core.file.context_hung(self.core.context)
    }

    /// The monotonic clock, in ns.
    pub fn now_ns(&self) -> i64 {
        sys::monotonic_ns()
    }
}
