//! Fences, semaphores, events: syncobjs, and one dword for an event.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use crate::context::Context;
use crate::error::{Error, Result};

/// A point in a timeline, or (point 0) a binary syncobj.
#[derive(Clone, Debug)]
pub struct Point {
    /// The kernel's object.
    pub syncobj: Arc<i915::Syncobj>,
    /// Value; 0 for a binary one.
    pub value: u64,
}

/// A payload that an import may stand in for, for a while.
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
    /// A fence.
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

    /// What a submission signals.
    pub fn syncobj(&self) -> Arc<i915::Syncobj> {
        locked(&self.payload).current().clone()
    }

    /// Signals it from the host: as by a payload that stands in until it is reset.
    pub fn signal_now(&self) -> Result<()> {
        let signalled = self.context.gpu.syncobj(true)?;
        locked(&self.payload).temporary = Some(Arc::new(signalled));
        Ok(())
    }

    /// Unsignals it; an imported temporary payload ends.
    pub fn reset(&self) -> Result<()> {
        let mut payload = locked(&self.payload);
        payload.temporary = None;
        if payload.permanent.is_shared() {
            return Ok(payload.permanent.reset()?);
        }
        // Another one is there already: the kernel resets many at a time.
        payload.permanent = Arc::new(self.context.gpu.syncobj(false)?);
        Ok(())
    }

    /// Whether it is signalled.
    pub fn is_signalled(&self) -> Result<bool> {
        self.context.check_lost()?;
        let signalled = self.syncobj().wait(0)?;
        self.context.check_hang()?;
        Ok(signalled)
    }

    /// A descriptor of the payload.
    pub fn export(&self) -> Result<OwnedFd> {
        Ok(self.syncobj().export()?)
    }

    /// A sync file of what is submitted; the fence is as if it were reset then.
    pub fn export_file(&self) -> Result<OwnedFd> {
        let file = export_file(&self.context, self.syncobj())?;
        self.reset()?;
        Ok(file)
    }

    /// Takes a payload over.
    pub fn import(&self, descriptor: OwnedFd, temporary: bool) -> Result<()> {
        import(&self.context, &self.payload, descriptor, temporary)
    }

    /// Takes a sync file over until it is reset; without a file, one whose work is done.
    pub fn import_file(&self, descriptor: Option<OwnedFd>) -> Result<()> {
        import_file(&self.context, &self.payload, descriptor)
    }
}

/// How long a signal that was submitted may take to reach the kernel. Valid use has all submitted that it depends on.
const SUBMITTED_NS: i64 = 2_000_000_000;

/// A sync file, once what signals the syncobj has reached the kernel: submissions that wait for values of timelines come there later.
fn export_file(context: &Context, syncobj: Arc<i915::Syncobj>) -> Result<OwnedFd> {
    let point = [(syncobj, 0)];
    let deadline = context.gpu.now_ns().saturating_add(SUBMITTED_NS);
    let submitted = context.wait(deadline, |until| {
        context.gpu.points_submitted(&point, until)
    })?;
    let [(syncobj, _)] = point;
    if !submitted {
        return Err(Error::InvalidUse {
            why: "a sync file of what nobody signals",
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

/// Waits for fences until a deadline of the monotonic clock. False: the deadline passed first.
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
    /// A binary one, or a timeline with its first value.
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

    /// Whether it counts.
    pub fn is_timeline(&self) -> bool {
        self.timeline
    }

    /// What a submission signals.
    pub fn signal_point(&self, value: u64) -> Point {
        Point {
            syncobj: locked(&self.payload).current().clone(),
            value: if self.timeline { value } else { 0 },
        }
    }

    /// What a submission waits for; a temporary payload is used up by this.
    pub fn wait_point(&self, value: u64) -> Point {
        let mut payload = locked(&self.payload);
        let syncobj = payload
            .temporary
            .take()
            .unwrap_or_else(|| payload.permanent.clone());
        Point {
            syncobj,
            value: if self.timeline { value } else { 0 },
        }
    }

    /// Signals a binary one from the host: as by a payload that stands in until it is waited for.
    pub fn signal_now(&self) -> Result<()> {
        let signalled = self.context.gpu.syncobj(true)?;
        locked(&self.payload).temporary = Some(Arc::new(signalled));
        Ok(())
    }

    /// The timeline's value.
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

    /// A descriptor of the payload.
    pub fn export(&self) -> Result<OwnedFd> {
        Ok(self.signal_point(0).syncobj.export()?)
    }

    /// A sync file of a binary one's submitted signal; the semaphore is as if it were waited for then.
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

    /// Takes a payload over.
    pub fn import(&self, descriptor: OwnedFd, temporary: bool) -> Result<()> {
        import(&self.context, &self.payload, descriptor, temporary)
    }

    /// Takes a sync file over until it is waited for; without a file, one whose work is done.
    pub fn import_file(&self, descriptor: Option<OwnedFd>) -> Result<()> {
        import_file(&self.context, &self.payload, descriptor)
    }
}

/// Waits for values of timelines until a deadline of the monotonic clock. False: the deadline passed first.
pub fn wait_timelines(
    context: &Context,
    waits: &[(Arc<Semaphore>, u64)],
    all: bool,
    deadline_ns: i64,
) -> Result<bool> {
    // Every timeline has reached 0; to the kernel, point 0 would be the binary fence.
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

/// Value of an event that is set.
pub const EVENT_SET: u32 = 1;

/// `VkEvent`: one dword that CPU and GPU write, and that the command streamer polls.
#[derive(Debug)]
pub struct Event {
    context: Arc<Context>,
    slice: i915::Slice,
}

impl Event {
    /// An event, not set.
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        let slice = context.general.take(64, 64)?;
        let event = Self {
            context: context.clone(),
            slice,
        };
        event.put(0)?;
        Ok(event)
    }

    fn put(&self, value: u32) -> Result<()> {
        Ok(self.slice.write(0, &value.to_le_bytes())?)
    }

    /// Sets it from the host.
    pub fn set(&self) -> Result<()> {
        self.put(EVENT_SET)
    }

    /// Resets it from the host.
    pub fn reset(&self) -> Result<()> {
        self.put(0)
    }

    /// Whether it is set.
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
