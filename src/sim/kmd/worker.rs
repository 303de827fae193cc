//! The thread that executes batches: one at a time, by priority and order of submission, when their
//! fences are signalled.
//!
//! In:  jobs. Out: their execution, signalled fences, updated reset counters.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::engine::{BatchOutcome, Engine};
use crate::fence::{WaitQueue, all_signalled, lock};
use crate::job::Job;
use crate::options::Options;

/// How often [`Worker::drain`] checks whether batches are left.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// How long [`Worker::drain`] waits for the queue's lock: the lock may be held by the calling
/// thread itself, interrupted by a signal.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct Queue {
    jobs: Vec<Job>,
    stop: bool,
}

enum Next {
    Run(Box<Job>),
    Stop,
}

impl Queue {
    /// Index of the first batch of the highest priority among those that are ready: fences
    /// signalled, no earlier batch of the same context and slot.
    fn ready(&self) -> Option<usize> {
        let mut blocked = BTreeSet::new();
        let mut best: Option<(i32, usize)> = None;
        for (index, job) in self.jobs.iter().enumerate() {
            let priority = job.context.priority.load(Ordering::Acquire);
            // A batch blocks later ones of its context, whether it is ready or not.
            let first = blocked.insert((job.context.id, job.slot));
            let better = best.is_none_or(|(highest, _)| priority > highest);
            if first && better && all_signalled(&job.wait_fences) {
                best = Some((priority, index));
            }
        }
        best.map(|(_, index)| index)
    }

    fn next(&mut self) -> Option<Next> {
        match self.ready() {
            Some(index) => Some(Next::Run(Box::new(self.jobs.remove(index)))),
            // The remaining batches wait for fences that nothing will signal any more.
            None if self.stop => Some(Next::Stop),
            None => None,
        }
    }
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    wait_queue: Arc<WaitQueue>,
    reset_count: Arc<AtomicU32>,
    engine: Engine,
    /// The worker thread executes no batch and none is ready, or it has ended. Changed under the
    /// queue's lock.
    idle: AtomicBool,
}

/// The thread, which exists in one process only.
#[derive(Debug)]
struct WorkerThread {
    /// Id of its process: a forked child does not have it.
    home: i32,
    handle: JoinHandle<()>,
}

/// The interface to the worker thread.
#[derive(Debug)]
pub(crate) struct Worker {
    shared: Arc<Shared>,
    thread: Mutex<Option<WorkerThread>>,
    /// Id of the thread's process, readable without a lock; 0 before it is started.
    home: AtomicI32,
}

impl Worker {
    pub(crate) fn new(
        hw: &'static hw::Device,
        wait_queue: &Arc<WaitQueue>,
        resets: &Arc<AtomicU32>,
        options: &Options,
    ) -> Self {
        let shared = Shared {
            queue: Mutex::default(),
            wait_queue: wait_queue.clone(),
            reset_count: resets.clone(),
            engine: Engine::new(hw, options),
            idle: AtomicBool::new(true),
        };
        Self {
            shared: Arc::new(shared),
            thread: Mutex::new(None),
            home: AtomicI32::new(0),
        }
    }

    /// The render engine's timestamp.
    pub(crate) fn timestamp(&self) -> u64 {
        self.shared.engine.timestamp()
    }

    /// Queues a batch.
    pub(crate) fn submit(&self, job: Job) -> uapi::Result<()> {
        self.start()?;
        let shared = &self.shared;
        shared.wait_queue.notify_with(|| {
            let mut queue = lock(&shared.queue);
            shared.idle.store(false, Ordering::Release);
            queue.jobs.push(job);
        });
        Ok(())
    }

    /// Waits until no batch is ready: the kernel, too, completes the batches of a process that has
    /// ended. Batches whose fences will never be signalled are left. May be called from a signal
    /// handler, and in a child of fork or vfork, which has no batches: it does not block on locks
    /// and changes nothing.
    pub(crate) fn drain(&self) {
        if self.home.load(Ordering::Acquire) != sys::uncached_process_id() {
            return;
        }
        let mut held: Option<Instant> = None;
        loop {
            if self.shared.idle.load(Ordering::Acquire) {
                // A fence may have been signalled since the worker checked.
                match self.shared.queue.try_lock() {
                    Ok(queue) if queue.ready().is_none() => return,
                    Err(TryLockError::WouldBlock) => {
                        if held.get_or_insert_with(Instant::now).elapsed() > MAX_LOCK_WAIT {
                            return;
                        }
                    }
                    Ok(_) => held = None,
                    Err(TryLockError::Poisoned(_)) => return,
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Starts the thread unless it runs in this process already.
    fn start(&self) -> uapi::Result<()> {
        let home = sys::process_id();
        let mut thread = lock(&self.thread);
        if thread.as_ref().is_some_and(|thread| thread.home == home) {
            return Ok(());
        }
        // A handle from before a fork does not refer to a thread of this process.
        std::mem::forget(thread.take());
        let shared = IdleOnDrop(self.shared.clone());
        let handle = spawn("ingot-gpu", move || shared.0.run())?;
        self.home.store(home, Ordering::Release);
        *thread = Some(WorkerThread { home, handle });
        Ok(())
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> uapi::Result<JoinHandle<()>> {
    let body = move || {
        // Signals are for the program's own threads.
        sys::block_signals();
        body();
    };
    std::thread::Builder::new()
        .name(name.into())
        .spawn(body)
        .map_err(|_| uapi::Errno::ENOMEM)
}

/// Sets [`Shared::idle`] when the worker thread ends, also by a panic.
struct IdleOnDrop(Arc<Shared>);

impl Drop for IdleOnDrop {
    fn drop(&mut self) {
        self.0.idle.store(true, Ordering::Release);
    }
}

impl Shared {
    fn run(&self) {
        loop {
            let next = self.wait_queue.wait_until(i64::MAX, || {
                let mut queue = lock(&self.queue);
                let next = queue.next();
                self.idle.store(next.is_none(), Ordering::Release);
                Ok(next)
            });
            match next {
                Ok(Next::Run(job)) => self.run_job(*job),
                Ok(Next::Stop) => return,
                // The end of the clock's range.
                Err(_) => (),
            }
        }
    }

    fn run_job(&self, job: Job) {
        if job.context.is_banned() {
            job.context.dropped();
        } else if self.engine.run(&job) == BatchOutcome::Hung {
            self.reset_count.fetch_add(1, Ordering::AcqRel);
            job.context.hung();
        }
        drop(job.accesses);
        job.done_fence.signal(&self.wait_queue);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared
            .wait_queue
            .notify_with(|| lock(&self.shared.queue).stop = true);
        let Some(thread) = lock(&self.thread).take() else {
            return;
        };
        if thread.home == sys::process_id() {
            // A panic of the thread has been printed already.
            let _ = thread.handle.join();
        } else {
            std::mem::forget(thread);
        }
        for job in std::mem::take(&mut lock(&self.shared.queue).jobs) {
            job.done_fence.signal(&self.shared.wait_queue);
        }
    }
}
