//! The thread that runs batches: one at a time, in the order of their submission as far as what they wait for lets them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::engine::{Ended, Engine};
use crate::fence::{Events, all_signalled, lock};
use crate::job::Job;
use crate::options::Options;

/// How often somebody looks whether a batch takes for ever.
const WATCH_EVERY: Duration = Duration::from_millis(200);

/// How often a process that ends looks whether its batches have.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// How long it waits for who holds the queue: that may be the very thread that ends the process, by a signal's handler.
const HELD_FOR: Duration = Duration::from_secs(1);

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
    /// Index of the first batch of the highest priority that waits for nothing, and for no earlier batch of its context.
    fn ready(&self) -> Option<usize> {
        let mut blocked = BTreeSet::new();
        let mut best: Option<(i32, usize)> = None;
        for (index, job) in self.jobs.iter().enumerate() {
            let priority = job.context.priority.load(Ordering::Acquire);
            // A batch holds back later ones of its own context, whether it is ready or not.
            let first = blocked.insert((job.context.id, job.slot));
            let better = best.is_none_or(|(highest, _)| priority > highest);
            if first && better && all_signalled(&job.waits) {
                best = Some((priority, index));
            }
        }
        best.map(|(_, index)| index)
    }

    fn next(&mut self) -> Option<Next> {
        match self.ready() {
            Some(index) => Some(Next::Run(Box::new(self.jobs.remove(index)))),
            // What still waits then waits for something that cannot happen any more.
            None if self.stop => Some(Next::Stop),
            None => None,
        }
    }
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    events: Arc<Events>,
    reset_count: Arc<AtomicU32>,
    engine: Engine,
    /// The thread has ended.
    ended: AtomicBool,
    /// It runs no batch, and has found none that it could run; or it has ended. Changed under the queue's lock.
    settled: AtomicBool,
}

/// The threads of one process.
#[derive(Debug)]
struct Threads {
    /// The process: a fork leaves its threads behind.
    home: i32,
    worker: JoinHandle<()>,
    watcher: JoinHandle<()>,
}

/// The thread, and the way to it.
#[derive(Debug)]
pub(crate) struct Worker {
    shared: Arc<Shared>,
    threads: Mutex<Option<Threads>>,
    /// The process that the threads are of, for who must not take locks; 0: none yet.
    home: AtomicI32,
}

impl Worker {
    pub(crate) fn new(
        hw: &'static hw::Device,
        events: &Arc<Events>,
        resets: &Arc<AtomicU32>,
        options: &Options,
    ) -> Self {
        let shared = Shared {
            queue: Mutex::default(),
            events: events.clone(),
            reset_count: resets.clone(),
            engine: Engine::new(hw, options),
            ended: AtomicBool::new(false),
            settled: AtomicBool::new(true),
        };
        Self {
            shared: Arc::new(shared),
            threads: Mutex::new(None),
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
        shared.events.change(|| {
            let mut queue = lock(&shared.queue);
            shared.settled.store(false, Ordering::Release);
            queue.jobs.push(job);
        });
        Ok(())
    }

    /// Waits until what can run has run: the kernel lets batches of a process that has ended run to their end. Batches that wait
    /// for what nobody will signal are left. May be called from a signal's handler, and in a forked child, which has no batches,
    /// be its memory its parent's or not: no lock is waited for, and nothing is kept.
    pub(crate) fn settle(&self) {
        if self.home.load(Ordering::Acquire) != sys::uncached_process_id() {
            return;
        }
        let mut held: Option<Instant> = None;
        loop {
            if self.shared.settled.load(Ordering::Acquire) {
                // A fence may have been signalled since the thread has looked.
                match self.shared.queue.try_lock() {
                    Ok(queue) if queue.ready().is_none() => return,
                    Err(TryLockError::WouldBlock) => {
                        if held.get_or_insert_with(Instant::now).elapsed() > HELD_FOR {
                            return;
                        }
                    }
                    Ok(_) => held = None,
                    Err(TryLockError::Poisoned(_)) => return,
                }
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Starts the threads, if they do not run in this process.
    fn start(&self) -> uapi::Result<()> {
        let home = sys::process_id();
        let mut threads = lock(&self.threads);
        if threads.as_ref().is_some_and(|threads| threads.home == home) {
            return Ok(());
        }
        // Handles from before a fork belong to no thread of this process.
        std::mem::forget(threads.take());
        let watched = self.shared.clone();
        let watcher = spawn("ingot-watch", move || {
            while !watched.ended.load(Ordering::Acquire) {
                watched.engine.watch();
                std::thread::park_timeout(WATCH_EVERY);
            }
        })?;
        let shared = Settles(self.shared.clone());
        let worker = spawn("ingot-gpu", move || shared.0.run())?;
        self.home.store(home, Ordering::Release);
        *threads = Some(Threads {
            home,
            worker,
            watcher,
        });
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

/// A thread that has ended, however it did, runs nothing any more.
struct Settles(Arc<Shared>);

impl Drop for Settles {
    fn drop(&mut self) {
        self.0.settled.store(true, Ordering::Release);
    }
}

impl Shared {
    fn run(&self) {
        loop {
            let next = self.events.wait_until(i64::MAX, || {
                let mut queue = lock(&self.queue);
                let next = queue.next();
                self.settled.store(next.is_none(), Ordering::Release);
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
        } else if self.engine.run(&job) == Ended::Hung {
            self.reset_count.fetch_add(1, Ordering::AcqRel);
            job.context.hung();
        }
        drop(job.uses);
        job.done.signal(&self.events);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared
            .events
            .change(|| lock(&self.shared.queue).stop = true);
        let Some(threads) = lock(&self.threads).take() else {
            return;
        };
        if threads.home == sys::process_id() {
            // A panic of a thread has been printed already.
            let _ = threads.worker.join();
            self.shared.ended.store(true, Ordering::Release);
            threads.watcher.thread().unpark();
            let _ = threads.watcher.join();
        } else {
            std::mem::forget(threads);
        }
        for job in std::mem::take(&mut lock(&self.shared.queue).jobs) {
            job.done.signal(&self.shared.events);
        }
    }
}
