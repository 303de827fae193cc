//! The queue: batches in order, after what they wait for.
//!
//! In:  submissions: points to wait for, batches, points to signal.
//! Out: execbuffer calls. The kernel cannot wait for a timeline point that nobody has submitted yet, so a submission that waits
//!      for one, and all behind it, go to a thread that waits for the point to appear.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::context::{self, Lost, STEP_NS};
use crate::diagnosis::Diagnosis;
use crate::error::{Error, Result};
use crate::sync::Point;

/// One call of the kernel's.
#[derive(Clone, Debug)]
pub struct BatchStart {
    /// First chunk of the batch.
    pub chunk: Arc<i915::Slice>,
}

/// Work.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    /// Waited for before the first batch.
    pub waits: Vec<Point>,
    /// Run in order.
    pub batches: Vec<BatchStart>,
    /// Signalled after the last batch.
    pub signals: Vec<Point>,
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
    /// Signalled with a rising value by every submission.
    timeline: Arc<i915::Syncobj>,
    /// A batch that does nothing, for submissions without one.
    trivial: BatchStart,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Value that the last submission signals.
    last: u64,
    waiting: VecDeque<Submission>,
    /// The worker is carrying one out.
    busy: bool,
    stop: bool,
}

impl Queue {
    /// A queue on a context.
    pub fn new(
        gpu: &Arc<i915::Device>,
        lost: &Arc<Lost>,
        diagnosis: &Diagnosis,
        batches: &Arc<i915::Pool>,
    ) -> Result<Arc<Self>> {
        let chunk = batches.take(64, 64)?;
        let mut end = Vec::new();
        for word in cmd::compute::trivial() {
            end.extend_from_slice(&word.to_le_bytes());
        }
        chunk.write(0, &end)?;
        let inner = Arc::new(Inner {
            gpu: gpu.clone(),
            lost: lost.clone(),
            diagnosis: diagnosis.clone(),
            timeline: Arc::new(gpu.syncobj(false)?),
            trivial: BatchStart {
                chunk: Arc::new(chunk),
            },
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        Ok(Arc::new(Self {
            inner,
            worker: Mutex::new(None),
        }))
    }

    /// Submits.
    pub fn submit(&self, mut submission: Submission) -> Result<()> {
        let inner = &self.inner;
        inner.lost.check()?;
        let mut state = inner.state();
        // Asked first: if it fails, no value has been promised that nobody will signal.
        let now = state.waiting.is_empty() && !state.busy && inner.can_run(&submission, 0)?;
        state.last += 1;
        submission.signals.push(Point {
            syncobj: inner.timeline.clone(),
            value: state.last,
        });
        if now {
            let ran = inner.run(&submission);
            if ran.is_ok() && inner.diagnosis.has(debug::Flag::Sync) {
                drop(state);
                return self.wait_idle();
            }
            if ran.is_err() {
                // Nobody will signal this value.
                state.last -= 1;
            }
            return ran;
        }
        state.waiting.push_back(submission);
        drop(state);
        inner.changed.notify_all();
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.is_none() {
            let inner = inner.clone();
            let thread = std::thread::Builder::new()
                .name("ingot-queue".into())
                .spawn(move || inner.work());
            *worker = Some(thread.map_err(|_| Error::OutOfHostMemory {
                what: "the queue's thread",
            })?);
        }
        Ok(())
    }

    /// Waits until everything submitted is done.
    pub fn wait_idle(&self) -> Result<()> {
        let inner = &self.inner;
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

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether every timeline point it waits for has been submitted; waits for that until a deadline.
    fn can_run(&self, submission: &Submission, deadline_ns: i64) -> Result<bool> {
        let timelines: Vec<_> = submission
            .waits
            .iter()
            .filter(|point| point.value > 0)
            .map(|point| (point.syncobj.clone(), point.value))
            .collect();
        Ok(timelines.is_empty() || self.gpu.points_submitted(&timelines, deadline_ns)?)
    }

    fn run(&self, submission: &Submission) -> Result<()> {
        let fences = |points: &[Point]| -> Vec<(Arc<i915::Syncobj>, u64)> {
            points
                .iter()
                .map(|point| (point.syncobj.clone(), point.value))
                .collect()
        };
        self.diagnosis.say(debug::Flag::Submit, || {
            let points = |points: &[Point]| -> Vec<String> {
                points
                    .iter()
                    .map(|point| format!("{}:{}", point.syncobj.handle(), point.value))
                    .collect()
            };
            let (waits, signals) = (points(&submission.waits), points(&submission.signals));
            let batches: Vec<String> = submission
                .batches
                .iter()
                .map(|batch| format!("{:#x}", batch.chunk.address()))
                .collect();
            format!("submit {batches:?} after {waits:?}, signals {signals:?}\n")
        });
        let trivial = [self.trivial.clone()];
        let batches = if submission.batches.is_empty() {
            &trivial[..]
        } else {
            &submission.batches[..]
        };
        for (index, batch) in batches.iter().enumerate() {
            let waits = if index == 0 {
                fences(&submission.waits)
            } else {
                Vec::new()
            };
            let signals = if index + 1 == batches.len() {
                fences(&submission.signals)
            } else {
                Vec::new()
            };
            if let Err(error) = self.gpu.execute(&batch.chunk, &waits, &signals) {
                let error = Error::from(error);
                // The semaphores' state is unknown from here on: only losing the device says so.
                if !matches!(
                    error,
                    Error::OutOfHostMemory { .. } | Error::OutOfDeviceMemory { .. }
                ) || index > 0
                {
                    self.lost.mark(error.to_string());
                    self.lost.check()?;
                }
                return Err(error);
            }
        }
        for point in submission.waits.iter().filter(|point| point.value == 0) {
            if let Err(error) = point.syncobj.reset() {
                // The work is on its way: the submission cannot fail any more, and the semaphore is wrong.
                self.lost.mark(error.to_string());
                self.lost.check()?;
            }
        }
        Ok(())
    }

    /// The thread: carries out what waits.
    fn work(&self) {
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
            if let Err(error) = self.when_ready(&submission) {
                self.lost.mark(error.to_string());
            }
            self.state().busy = false;
        }
    }

    fn when_ready(&self, submission: &Submission) -> Result<()> {
        loop {
            self.lost.check()?;
            if self.state().stop {
                return Ok(());
            }
            let deadline = self.gpu.now_ns().saturating_add(STEP_NS);
            if self.can_run(submission, deadline)? {
                return self.run(submission);
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
            // A panic of the worker has been reported where it happened.
            let _ = worker.join();
        }
    }
}
