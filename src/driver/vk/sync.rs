//! Fences and semaphores (syncobjs), and events (a dword).

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use smallvec::SmallVec;

use crate::context::Context;
use crate::error::{Error, Result};

/// A timeline point, or a binary syncobj.
#[derive(Clone, Debug)]
pub struct SyncPoint {
    /// The syncobj.
    pub syncobj: Arc<i915::Syncobj>,
    /// Value; 0 for a binary syncobj.
    pub value: u64,
}

/// A payload that a temporary import may replace.
#[derive(Debug)]
struct Payload {
    permanent: Arc<i915::Syncobj>,
    temporary: Option<Arc<i915::Syncobj>>,
}

impl Payload {
    fn current(&self) -> &Arc<i915::Syncobj> {
        self.temporary.as_ref().unwrap_or(&self.permanent)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `VkFence`.
#[derive(Debug)]
pub struct Fence {
    context: Arc<Context>,
    payload: Mutex<Payload>,
}

impl Fence {
    /// Creates a fence.
    pub fn new(context: &Arc<Context>, signalled: bool) -> Result<Self> {
        let permanent = Arc::new(context.gpu.syncobj(signalled)?);
        Ok(Self {
            context: context.clone(),
            payload: Mutex::new(Payload {
                permanent,
                temporary: None,
            }),
        })
    }

    /// The syncobj that a submission signals.
    pub fn syncobj(&self) -> Arc<i915::Syncobj> {
        locked(&self.payload).current().clone()
    }

    /// Signals the fence from the host, with a temporary payload that lasts until the next reset.
    pub fn signal_now(&self) -> Result<()> {
        let signalled = self.context.gpu.syncobj(true)?;
        locked(&self.payload).temporary = Some(Arc::new(signalled));
        Ok(())
    }

    /// Gives the fence a temporary payload that the host signals later, unless the fence is reset
    /// or destroyed before.
    pub fn later_signal(&self) -> Result<Weak<i915::Syncobj>> {
        let syncobj = Arc::new(self.context.gpu.syncobj(false)?);
        let signal = Arc::downgrade(&syncobj);
        locked(&self.payload).temporary = Some(syncobj);
        Ok(signal)
    }

    /// Resets the fence, and ends a temporary payload.
    pub fn reset(&self) -> Result<()> {
        let mut payload = locked(&self.payload);
        payload.temporary = None;
        if payload.permanent.is_shared() {
            return Ok(payload.permanent.reset()?);
        }
        // Replaced by a new one from the device's pool: the kernel resets many with one call.
        payload.permanent = Arc::new(self.context.gpu.syncobj(false)?);
        Ok(())
    }

    /// Whether the fence is signalled.
    pub fn is_signalled(&self) -> Result<bool> {
        self.context.check_lost()?;
        let signalled = self.syncobj().wait(0)?;
        self.context.check_hang()?;
        Ok(signalled)
    }

    /// Exports the payload as a file descriptor.
    pub fn export(&self) -> Result<OwnedFd> {
        Ok(self.syncobj().export()?)
    }

    /// Exports the submitted work as a sync file, and resets the fence.
    pub fn export_file(&self) -> Result<OwnedFd> {
        let file = export_file(&self.context, self.syncobj())?;
        self.reset()?;
        Ok(file)
    }

    /// Imports a payload.
    pub fn import(&self, descriptor: OwnedFd, temporary: bool) -> Result<()> {
        import(&self.context, &self.payload, descriptor, temporary)
    }

    /// Imports a sync file until the next reset; `None`: signalled.
    pub fn import_file(&self, descriptor: Option<OwnedFd>) -> Result<()> {
        import_file(&self.context, &self.payload, descriptor)
    }
}

/// How long a submitted signal may take to reach the kernel. Valid usage has submitted all that it
/// depends on.
const SUBMITTED_NS: i64 = 2_000_000_000;

/// Exports a sync file, once the signal operation has reached the kernel: submissions that wait for
/// timeline values are submitted late.
fn export_file(context: &Context, syncobj: Arc<i915::Syncobj>) -> Result<OwnedFd> {
    let point = [(syncobj, 0)];
    let deadline = context.gpu.now_ns().saturating_add(SUBMITTED_NS);
    let submitted = context.wait(deadline, |until| context.gpu.wait_submitted(&point, until))?;
    let [(syncobj, _)] = point;
    if !submitted {
        return Err(Error::InvalidUse {
            why: "a sync file of a signal that was never submitted",
        });
    }
    Ok(syncobj.export_file()?)
}

fn import_file(
    context: &Context,
    payload: &Mutex<Payload>,
    descriptor: Option<OwnedFd>,
) -> Result<()> {
    let syncobj = context.gpu.syncobj(descriptor.is_none())?;
    if let Some(descriptor) = descriptor {
        syncobj
            .import_file(descriptor)
            .map_err(|error| Error::InvalidExternalHandle {
                why: error.to_string(),
            })?;
    }
    locked(payload).temporary = Some(Arc::new(syncobj));
    Ok(())
}

fn import(
    context: &Context,
    payload: &Mutex<Payload>,
    descriptor: OwnedFd,
    temporary: bool,
) -> Result<()> {
    let syncobj =
        context
            .gpu
            .import_syncobj(descriptor)
            .map_err(|error| Error::InvalidExternalHandle {
                why: error.to_string(),
            })?;
    let mut payload = locked(payload);
    if temporary {
        payload.temporary = Some(Arc::new(syncobj));
    } else {
        *payload = Payload {
            permanent: Arc::new(syncobj),
            temporary: None,
        };
    }
    Ok(())
}

/// Waits for fences until a deadline of the monotonic clock. Returns false if the deadline passed
/// first.
pub fn wait_fences(
    context: &Context,
    fences: &[Arc<Fence>],
    all: bool,
    deadline_ns: i64,
) -> Result<bool> {
    let syncobjs: SmallVec<[_; 4]> = fences.iter().map(|fence| fence.syncobj()).collect();
    let done = context.wait(deadline_ns, |until| {
        context.gpu.wait_syncobjs(&syncobjs, all, until)
    })?;
    context.check_hang()?;
    Ok(done)
}

/// `VkSemaphore`.
#[derive(Debug)]
pub struct Semaphore {
    context: Arc<Context>,
    timeline: bool,
    payload: Mutex<Payload>,
}

impl Semaphore {
    /// Creates a binary semaphore, or a timeline with an initial value.
    pub fn new(context: &Arc<Context>, initial: Option<u64>) -> Result<Self> {
        let permanent = Arc::new(context.gpu.syncobj(false)?);
        if let Some(value) = initial.filter(|&value| value > 0) {
            permanent.signal(value)?;
        }
        Ok(Self {
            context: context.clone(),
            timeline: initial.is_some(),
            payload: Mutex::new(Payload {
                permanent,
                temporary: None,
            }),
        })
    }

    /// Whether it is a timeline semaphore.
    pub fn is_timeline(&self) -> bool {
        self.timeline
    }

    /// The point that a submission signals.
    pub fn signal_point(&self, value: u64) -> SyncPoint {
        SyncPoint {
            syncobj: locked(&self.payload).current().clone(),
            value: if self.timeline { value } else { 0 },
        }
    }

    /// The point that a submission waits for; this consumes a temporary payload.
    pub fn wait_point(&self, value: u64) -> SyncPoint {
        let mut payload = locked(&self.payload);
        let syncobj = payload
            .temporary
            .take()
            .unwrap_or_else(|| payload.permanent.clone());
        SyncPoint {
            syncobj,
            value: if self.timeline { value } else { 0 },
        }
    }

    /// Signals a binary semaphore from the host, with a temporary payload that lasts until the next
    /// wait.
    pub fn signal_now(&self) -> Result<()> {
        let signalled = self.context.gpu.syncobj(true)?;
        locked(&self.payload).temporary = Some(Arc::new(signalled));
        Ok(())
    }

    /// Value of the timeline.
    pub fn value(&self) -> Result<u64> {
        self.context.check_lost()?;
        let value = self.signal_point(0).syncobj.query()?;
        self.context.check_hang()?;
        Ok(value)
    }

    /// Signals a timeline from the host.
    pub fn signal(&self, value: u64) -> Result<()> {
        Ok(self.signal_point(value).syncobj.signal(value)?)
    }

    /// Exports the payload as a file descriptor.
    pub fn export(&self) -> Result<OwnedFd> {
        Ok(self.signal_point(0).syncobj.export()?)
    }

    /// Exports a binary semaphore's submitted signal as a sync file, and unsignals it.
    pub fn export_file(&self) -> Result<OwnedFd> {
        if self.timeline {
            return Err(Error::InvalidUse {
                why: "a sync file of a timeline",
            });
        }
        let file = export_file(&self.context, self.signal_point(0).syncobj)?;
        let mut payload = locked(&self.payload);
        if payload.temporary.take().is_none() {
            payload.permanent.reset()?;
        }
        Ok(file)
    }

    /// Imports a payload.
    pub fn import(&self, descriptor: OwnedFd, temporary: bool) -> Result<()> {
        import(&self.context, &self.payload, descriptor, temporary)
    }

    /// Imports a sync file until the next wait; `None`: signalled.
    pub fn import_file(&self, descriptor: Option<OwnedFd>) -> Result<()> {
        import_file(&self.context, &self.payload, descriptor)
    }
}

/// Waits for timeline values until a deadline of the monotonic clock. Returns false if the deadline
/// passed first.
pub fn wait_timelines(
    context: &Context,
    waits: &[(Arc<Semaphore>, u64)],
    all: bool,
    deadline_ns: i64,
) -> Result<bool> {
    context.check_lost()?;
    // Every timeline has reached 0; the kernel would take point 0 for the binary fence.
    if !all && waits.iter().any(|wait| wait.1 == 0) {
        return Ok(true);
    }
    let points: Vec<_> = waits
        .iter()
        .filter(|wait| wait.1 > 0)
        .map(|(semaphore, value)| (semaphore.signal_point(*value).syncobj, *value))
        .collect();
    if points.is_empty() {
        return Ok(true);
    }
    let done = context.wait(deadline_ns, |until| {
        context.gpu.wait_points(&points, all, until)
    })?;
    context.check_hang()?;
    Ok(done)
}

/// Value of a set event.
pub const EVENT_SET: u32 = 1;

/// `VkEvent`: a dword that CPU and GPU write, and that the command streamer polls.
#[derive(Debug)]
pub struct Event {
    context: Arc<Context>,
    slice: i915::PoolAllocation,
}

impl Event {
    /// Creates an event that is not set.
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        let slice = context.general.allocate(64, 64)?;
        let event = Self {
            context: context.clone(),
            slice,
        };
        event.write(0)?;
        Ok(event)
    }

    fn write(&self, value: u32) -> Result<()> {
        Ok(self.slice.write(0, &value.to_le_bytes())?)
    }

    /// Sets the event from the host.
    pub fn set(&self) -> Result<()> {
        self.write(EVENT_SET)
    }

    /// Resets the event from the host.
    pub fn reset(&self) -> Result<()> {
        self.write(0)
    }

    /// Whether the event is set.
    pub fn is_set(&self) -> Result<bool> {
        self.context.check_lost()?;
        let mut bytes = [0; 4];
        self.slice.read(0, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes) == EVENT_SET)
    }

    /// GPU address of its dword.
    pub fn address(&self) -> u64 {
        self.slice.address()
    }
}
