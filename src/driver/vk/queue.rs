//! The queue: executes batches in order, after their wait semaphores.
//!
//! In:  submissions: points to wait for, batches, points to signal.
//! Out: execbuffer calls. The kernel cannot wait for a timeline point that has not been submitted
//!      yet, so a submission that waits for one, and all after it, go to a thread that waits for
//!      the point to appear.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cmd::Generation;
use smallvec::SmallVec;

use crate::context::{self, Lost, STEP_NS};
use crate::diagnosis::Diagnosis;
use crate::error::{Error, Result};
use crate::sync::SyncPoint;

/// A batch of a submission.
#[derive(Clone, Copy, Debug)]
pub struct QueuedBatch {
    /// Its first command.
    pub start: i915::BatchStart,
    /// The L3 configuration that it expects, and the one that it leaves.
    pub l3: cmd::L3Use,
}

impl QueuedBatch {
    /// A batch that works with any L3 configuration.
    fn without_l3(start: i915::BatchStart) -> Self {
        Self {
            start,
            l3: cmd::L3Use::default(),
        }
    }
}

/// A submission.
#[derive(Clone, Debug, Default)]
pub struct QueueSubmission {
    /// Points to wait for before the first batch.
    pub waits: SmallVec<[SyncPoint; 2]>,
    /// Batches in order.
    pub batches: SmallVec<[QueuedBatch; 4]>,
    /// Points to signal after the last batch.
    pub signals: SmallVec<[SyncPoint; 4]>,
    /// A BO whose ownership passes to others after the last batch (presentation).
    pub handed_over: Option<Arc<i915::Buffer>>,
}

/// `VkQueue`.
#[derive(Debug)]
pub struct Queue {
    inner: Arc<Inner>,
    worker: Mutex<Option<std::thread::JoinHandle<()>>>,
}

#[derive(Debug)]
struct Inner {
    gpu: Arc<i915::Device>,
    lost: Arc<Lost>,
    diagnosis: Diagnosis,
    device: &'static hw::Device,
    /// Signalled with increasing values, by submissions that the queue itself has to wait for.
    timeline: Arc<i915::Syncobj>,
    /// Memory of batches that call the application's batches.
    batches: Arc<i915::MemoryPool>,
    /// An empty batch, for submissions without batches.
    empty_batch: i915::BatchStart,
    _empty_batch: i915::PoolAllocation,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Batches that call others, each with the timeline value of its last use.
    calling_batches: VecDeque<(u64, i915::PoolAllocation)>,
    /// Last value of the timeline.
    last: u64,
    /// The last submission does not signal the timeline.
    untracked: bool,
    /// The L3 configuration after the last submission.
    l3: cmd::L3Use,
    waiting: VecDeque<QueueSubmission>,
    /// The worker is executing a submission.
    busy: bool,
    stop: bool,
}

impl Queue {
    /// Creates a queue.
    pub fn new(
        gpu: &Arc<i915::Device>,
        lost: &Arc<Lost>,
        diagnosis: &Diagnosis,
        batches: &Arc<i915::MemoryPool>,
    ) -> Result<Arc<Self>> {
        let empty_batch = batches.allocate(64, 64)?;
        empty_batch.write(0, &bytes(&cmd::nothing()))?;
        let inner = Arc::new(Inner {
            gpu: gpu.clone(),
            lost: lost.clone(),
            diagnosis: diagnosis.clone(),
            device: gpu.info().device,
            timeline: Arc::new(gpu.syncobj(false)?),
            batches: batches.clone(),
            empty_batch: i915::BatchStart::new(empty_batch.buffer(), empty_batch.offset_bytes()),
            _empty_batch: empty_batch,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        Ok(Arc::new(Self {
            inner,
            worker: Mutex::new(None),
        }))
    }

    /// Submits. `submission` is empty or undefined afterwards.
    pub fn submit(&self, submission: &mut QueueSubmission) -> Result<()> {
        self.submit_tracked(submission, false)
    }

    /// Submits; with `track`, also signals the timeline.
    fn submit_tracked(&self, submission: &mut QueueSubmission, track: bool) -> Result<()> {
        let inner = &self.inner;
        inner.lost.check()?;
        let mut state = inner.state();
        // Checked first: if it fails, no timeline value has been promised.
        let now = state.waiting.is_empty() && !state.busy && inner.can_run(submission, 0)?;
        let mut tracked = track;
        let mut l3 = state.l3;
        let batches = submission.batches.iter();
        let changes: SmallVec<[_; 4]> = batches.map(|batch| l3.append(batch.l3)).collect();
        if submission.batches.len() > 1 || changes.iter().any(Option::is_some) {
            let batches = submission.batches.iter().zip(changes);
            let one = inner.calling_batch(&mut state, batches)?;
            submission.batches.clear();
            submission.batches.push(QueuedBatch::without_l3(one));
            tracked = true;
        }
        state.untracked = !tracked;
        if tracked {
            state.last += 1;
            submission.signals.push(SyncPoint {
                syncobj: inner.timeline.clone(),
                value: state.last,
            });
        }
        if now {
            let ran = inner.execute(submission);
            if ran.is_ok() {
                state.l3 = l3;
            }
            if ran.is_ok() && inner.diagnosis.has(debug::Flag::Sync) {
                drop(state);
                return self.wait_idle();
            }
            if ran.is_err() && tracked {
                // This value will never be signalled.
                state.last -= 1;
                state.untracked = true;
            }
            return ran;
        }
        // If this fails later, the device is lost.
        state.l3 = l3;
        state.waiting.push_back(std::mem::take(submission));
        drop(state);
        inner.changed.notify_all();
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.is_none() {
            let inner = inner.clone();
            let thread = std::thread::Builder::new()
                .name("ingot-queue".into())
                .spawn(move || inner.run_worker());
            *worker = Some(thread.map_err(|_| Error::OutOfHostMemory {
                what: "the queue's thread",
            })?);
        }
        Ok(())
    }

    /// Waits until all submitted work is done.
    pub fn wait_idle(&self) -> Result<()> {
        let inner = &self.inner;
        let untracked = inner.state().untracked;
        if untracked {
            // An empty submission completes after all earlier ones.
            self.submit_tracked(&mut QueueSubmission::default(), true)?;
        }
        let last = inner.state().last;
        if last > 0 {
            let point = [(inner.timeline.clone(), last)];
            context::wait(&inner.gpu, &inner.lost, i64::MAX, |deadline| {
                inner.gpu.wait_points(&point, true, deadline)
            })?;
        }
        context::check_hang(&inner.gpu, &inner.lost)
    }
}

/// Dwords as bytes in memory.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all timeline points to wait for have been submitted; waits for that until a
    /// deadline.
    fn can_run(&self, submission: &QueueSubmission, deadline_ns: i64) -> Result<bool> {
        let timelines: Vec<_> = submission
            .waits
            .iter()
            .filter(|point| point.value > 0)
            .map(|point| (point.syncobj.clone(), point.value))
            .collect();
        Ok(timelines.is_empty() || self.gpu.wait_submitted(&timelines, deadline_ns)?)
    }

    /// A batch that calls all of these, each after a change of the L3 configuration if there is one
    /// for it: an execbuffer takes one batch, and costs as much as a thousand calls.
    fn calling_batch<'a>(
        &self,
        state: &mut State,
        batches: impl ExactSizeIterator<Item = (&'a QueuedBatch, Option<cmd::L3Partition>)>,
    ) -> Result<i915::BatchStart> {
        let mut words = Vec::with_capacity(batches.len() * cmd::CALL_DW + 2);
        for (batch, change) in batches {
            if let Some(partition) = change {
                words.extend(cmd::Gen9::l3_partition_words(self.device, partition));
            }
            words.extend(cmd::call(batch.start.address()));
        }
        words.extend(cmd::nothing());
        let words = bytes(&words);
        let slice = self.alloc_calling_batch(state, words.len() as u64)?;
        slice.write(0, &words)?;
        let start = i915::BatchStart::new(slice.buffer(), slice.offset_bytes());
        state.calling_batches.push_back((state.last + 1, slice));
        Ok(start)
    }

    /// Memory for a calling batch: reused from a finished submission, or allocated.
    fn alloc_calling_batch(&self, state: &mut State, bytes: u64) -> Result<i915::PoolAllocation> {
        if let Some((value, slice)) = state.calling_batches.front()
            && *value <= self.timeline.query()?
        {
            let fits = slice.bytes() >= bytes;
            let unused = state.calling_batches.pop_front();
            if let Some((_, slice)) = unused.filter(|_| fits) {
                return Ok(slice);
            }
        }
        Ok(self.batches.allocate(bytes.next_power_of_two(), 64)?)
    }

    fn execute(&self, submission: &QueueSubmission) -> Result<()> {
        self.diagnosis.log(debug::Flag::Submit, || {
            let points = |points: &[SyncPoint]| -> Vec<String> {
                points
                    .iter()
                    .map(|point| format!("{}:{}", point.syncobj.handle(), point.value))
                    .collect()
            };
            let (waits, signals) = (points(&submission.waits), points(&submission.signals));
            let batch = submission
                .batches
                .first()
                .map_or(0, |batch| batch.start.address());
            format!("submit {batch:#x} after {waits:?}, signals {signals:?}\n")
        });
        let batch = submission.batches.first();
        let batch = batch.map_or(self.empty_batch, |batch| batch.start);
        fn fence(point: &SyncPoint) -> (&i915::Syncobj, u64) {
            (&point.syncobj, point.value)
        }
        let waits = submission.waits.iter().map(fence);
        let signals = submission.signals.iter().map(fence);
        if let Err(error) =
            self.gpu
                .execute(batch, submission.handed_over.as_deref(), waits, signals)
        {
            let error = Error::from(error);
            // The state of the semaphores is unknown now, so the device is lost.
            if !matches!(
                error,
                Error::OutOfHostMemory { .. } | Error::OutOfDeviceMemory { .. }
            ) {
                self.lost.mark_error(&error);
                self.lost.check()?;
            }
            return Err(error);
        }
        // Waiting unsignals a binary semaphore, unless the same submission signals it again.
        let signalled_again = |point: &SyncPoint| {
            let mut signals = submission.signals.iter();
            signals.any(|signal| {
                signal.value == 0 && signal.syncobj.handle() == point.syncobj.handle()
            })
        };
        let waited = |point: &&SyncPoint| point.value == 0 && !signalled_again(point);
        for point in submission.waits.iter().filter(waited) {
            if let Err(error) = point.syncobj.reset() {
                // The work is already submitted, so the submission cannot fail, but the semaphore
                // is in the wrong state.
                self.lost.mark_error(&Error::from(error));
                self.lost.check()?;
            }
        }
        Ok(())
    }

    /// The worker thread: executes waiting submissions.
    fn run_worker(&self) {
        loop {
            let submission = {
                let mut state = self.state();
                loop {
                    if state.stop {
                        return;
                    }
                    if let Some(submission) = state.waiting.pop_front() {
                        state.busy = true;
                        break submission;
                    }
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            };
            if let Err(error) = self.run_when_ready(&submission) {
                self.lost.mark_error(&error);
            }
            self.state().busy = false;
        }
    }

    fn run_when_ready(&self, submission: &QueueSubmission) -> Result<()> {
        loop {
            self.lost.check()?;
            if self.state().stop {
                return Ok(());
            }
            let deadline = self.gpu.now_ns().saturating_add(STEP_NS);
            if self.can_run(submission, deadline)? {
                return self.execute(submission);
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.inner.state().stop = true;
        self.inner.changed.notify_all();
        let worker = self
            .worker
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(worker) = worker {
            // A panic of the worker has already been reported.
            let _ = worker.join();
        }
    }
}
