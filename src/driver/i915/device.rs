//! A logical device: a kernel context with its own address space, its buffers, and submissions.
//!
//! In:  the file and the properties of a probed GPU. Out: buffers, syncobjs, submissions, waits.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use smallvec::SmallVec;
use uapi::HostPages;

use crate::address_space::{AddressSpace, Zone};
use crate::buffer::{Buffer, DeviceContext, Placement};
use crate::buffer_report::BufferListener;
use crate::error::Result;
use crate::exec_list::Owner;
use crate::file::{ContextPriority, Fence, File};
use crate::info::GpuInfo;
use crate::surface_heap::SurfaceHeap;
use crate::syncobj::{Syncobj, SyncobjPool};

/// The start of a batch. Its buffer must exist until the batch is submitted; otherwise the kernel
/// rejects the submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchStart {
    handle: u32,
    offset_bytes: u32,
    address: u64,
}

impl BatchStart {
    /// The start at an offset in a buffer.
    pub fn new(buffer: &Buffer, offset_bytes: u64) -> Self {
        Self {
            handle: buffer.handle(),
            // Buffers of batches have at most a few MiB.
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
    context: Arc<DeviceContext>,
    heap: Arc<SurfaceHeap>,
    syncobjs: Arc<SyncobjPool>,
    info: GpuInfo,
}

impl Device {
    /// A device with a context that has one render engine and is not recovered after a hang, and an
    /// empty address space. `listener` receives what happens to the driver's own buffers.
    pub fn new(
        file: &Arc<File>,
        info: &GpuInfo,
        priority: ContextPriority,
        listener: Option<BufferListener>,
    ) -> Result<Arc<Self>> {
        let space = AddressSpace::new(info.gtt_bytes)?;
        // The last step that can fail: from here on, `DeviceContext` destroys the kernel context.
        let context_id = file.context_create(priority)?;
        let context = DeviceContext::new(file, space, info.has_llc, context_id, listener);
        Ok(Arc::new(Self {
            heap: SurfaceHeap::new(&context),
            syncobjs: SyncobjPool::new(file),
            context,
            info: info.clone(),
        }))
    }

    /// The properties found by the probe.
    pub fn info(&self) -> &GpuInfo {
        &self.info
    }

    /// A zeroed buffer for the driver's own use.
    pub fn buffer(&self, bytes: u64, zone: Zone) -> Result<Arc<Buffer>> {
        Buffer::new(&self.context, bytes, Placement::In(zone), Owner::Driver)
    }

    /// A zeroed buffer for the application, in [`Zone::Shared`] if it may be exported.
    pub fn memory(&self, bytes: u64, place: Placement) -> Result<Arc<Buffer>> {
        Buffer::new(&self.context, bytes, place, Owner::Application)
    }

    /// A buffer on pages of the process (userptr).
    pub fn userptr_buffer(
        &self,
        pages: Arc<dyn HostPages>,
        place: Placement,
    ) -> Result<Arc<Buffer>> {
        Buffer::host(&self.context, pages, place)
    }

    /// The buffer of a dma-buf.
    pub fn import(&self, descriptor: OwnedFd) -> Result<Arc<Buffer>> {
        Buffer::import(&self.context, descriptor)
    }

    /// The bindless surface heap.
    pub fn bindless(&self) -> &Arc<SurfaceHeap> {
        &self.heap
    }

    /// A new syncobj.
    pub fn syncobj(&self, signalled: bool) -> Result<Syncobj> {
        Syncobj::new(&self.syncobjs, signalled)
    }

    /// The syncobj of a descriptor.
    pub fn import_syncobj(&self, descriptor: OwnedFd) -> Result<Syncobj> {
        Syncobj::import(&self.syncobjs, descriptor)
    }

    /// Waits for all, or any, of some binary syncobjs, which need not be submitted yet, until a
    /// deadline on the monotonic clock. Returns false if the deadline passed first.
    pub fn wait_syncobjs(
        &self,
        syncobjs: &[Arc<Syncobj>],
        all: bool,
        deadline_ns: i64,
    ) -> Result<bool> {
        let handles: SmallVec<[u32; 8]> = syncobjs.iter().map(|s| s.handle()).collect();
        self.context.file.syncobj_wait(&handles, all, deadline_ns)
    }

    /// As [`Device::wait_syncobjs`], for values of timelines.
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
        self.context
            .file
            .timeline_wait(&points, all, false, deadline_ns)
    }

    /// Waits until the work that signals each point is submitted, complete or not. Returns false if
    /// the deadline passed first.
    pub fn wait_submitted(&self, points: &[(Arc<Syncobj>, u64)], deadline_ns: i64) -> Result<bool> {
        let points: Vec<_> = points
            .iter()
            .map(|(syncobj, value)| (syncobj.handle(), *value))
            .collect();
        self.context
            .file
            .timeline_wait(&points, true, true, deadline_ns)
    }

    /// Submits a batch. `waits` and `signals` are syncobjs with a timeline's value, or 0 for binary
    /// ones. The submission hands the buffer `handed_over` over to others, which the kernel makes
    /// wait for the batch (see [`Buffer::hand_over`]).
    pub fn execute<'a>(
        &self,
        batch: BatchStart,
        handed_over: Option<&Buffer>,
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
        // Extended in place: `collect` would move the array.
        let mut fences: SmallVec<[Fence; 8]> = SmallVec::new();
        fences.extend(waits.into_iter().map(fence(true)));
        fences.extend(signals.into_iter().map(fence(false)));
        let mut exec_list = self.context.exec_list();
        if let Some(handed_over) = handed_over {
            exec_list.set_owner(handed_over.handle(), Owner::Shared);
        }
        let result = self.context.file.execute(
            self.context.context_id,
            exec_list.with_batch_first(batch.handle)?,
            batch.offset_bytes,
            &fences,
        );
        drop(exec_list);
        if let Some(handed_over) = handed_over {
            handed_over.hand_over();
        }
        result
    }

    /// Whether the context hung, or lost queued work to a hang.
    pub fn is_hung(&self) -> Result<bool> {
        self.context.file.context_hung(self.context.context_id)
    }

    /// The render engine's timestamp, in ticks of `timestamp_hz`.
    pub fn timestamp(&self) -> Result<u64> {
        self.context.file.timestamp()
    }

    /// CLOCK_MONOTONIC_RAW, in ns.
    pub fn now_raw_ns(&self) -> i64 {
        sys::monotonic_raw_ns()
    }

    /// CLOCK_MONOTONIC, in ns.
    pub fn now_ns(&self) -> i64 {
        sys::monotonic_ns()
    }
}
