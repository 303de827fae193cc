//! The hardware behind the kernel: executes batches on `gpu`, which stops those that hang.
//!
//! In:  a job. Out: whether it completed or hung; log lines, dumps, recordings and profiles as the
//!      options ask.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use gpu::{AddressSpace, Gpu, HwContext};

use crate::fence::lock;
use crate::job::Job;
use crate::options::{Options, StoppedBatch};
use crate::profile::Profile;
use crate::record::Recorder;

/// How a batch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchOutcome {
    Done,
    Hung,
}

/// Why a batch did not complete.
struct Failure {
    /// Where the hardware stopped, if it began to execute.
    stop: Option<gpu::StopReason>,
    text: String,
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self { stop: None, text }
    }
}

/// The hardware.
pub(crate) struct Engine {
    gpu: Gpu,
    options: Options,
    submits: AtomicU64,
    /// Number of the running batch.
    running: Arc<AtomicU64>,
    recorder: Mutex<Option<Recorder>>,
    profile: Mutex<Option<Profile>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

impl Engine {
    pub(crate) fn new(hw: &'static hw::Device, options: &Options) -> Self {
        let running = Arc::new(AtomicU64::new(0));
        let gpu = Gpu::new(hw, options.gpu(&running));
        let options = options.clone();
        let profile = Mutex::new(options.profile.clone().map(Profile::new));
        Self {
            gpu,
            options,
            submits: AtomicU64::new(0),
            running,
            recorder: Mutex::new(None),
            profile,
        }
    }

    /// The timestamp: 36 bits of a counter at the part's frequency.
    pub(crate) fn timestamp(&self) -> u64 {
        self.gpu.timestamp()
    }

    /// Runs a batch to its end.
    pub(crate) fn run(&self, job: &Job) -> BatchOutcome {
        let number = self.submits.fetch_add(1, Ordering::Relaxed);
        self.running.store(number, Ordering::Relaxed);
        if let Some(folder) = &self.options.dump
            && let Err(why) = crate::dump::write(folder, number, job, self.options.strict)
        {
            self.options.sink.line(&format!("submit {number}: {why}"));
        }
        self.record(number, |recorder| recorder.record_submission(job));
        if self.options.null {
            return BatchOutcome::Done;
        }
        let mut saved = lock(&job.context.saved);
        let context = saved
            .entry((job.engine.engine_class, job.slot))
            .or_default();
        // Treat a panic of the simulator like a hang: otherwise waiters would wait for ever for the
        // dead thread.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.execute(job, context)))
            .unwrap_or_else(|_| Err(Failure::from("the simulator panicked".to_owned())));
        self.record(number, |recorder| recorder.note_written_pages(job));
        if self.options.trace_submits || outcome.is_err() {
            let (address, bytes) = (job.batch_address, job.batch_bytes);
            let ended = match &outcome {
                Ok(report) => format!(
                    "done: {} commands, {} EU instructions",
                    report.commands, report.instructions
                ),
                Err(failure) => format!("hung: {}", failure.text),
            };
            let place = format!(
                "context {}, batch at {address:#x}, {bytes} bytes",
                job.context.id
            );
            self.options.sink.line(&format!(
                "submit {number}, {place}, {} buffers: {ended}",
                job.bindings.len()
            ));
        }
        match outcome {
            Ok(report) => {
                self.profile(number, report.work);
                BatchOutcome::Done
            }
            Err(failure) => {
                if let Some(stops) = &self.options.stops {
                    stops.report(StoppedBatch {
                        submission: number,
                        stop: failure.stop.as_ref(),
                        text: &failure.text,
                    });
                }
                // A reset: the context's hardware state is that of a new context.
                *context = HwContext::new();
                BatchOutcome::Hung
            }
        }
    }

    /// Calls `write` with the recorder, if the options ask for a recording. The first submission
    /// creates the file, so that a process that only queries the device does not overwrite it.
    fn record(&self, number: u64, write: impl FnOnce(&mut Recorder) -> std::io::Result<()>) {
        let Some(path) = &self.options.record else {
            return;
        };
        let mut recorder = lock(&self.recorder);
        let made = match &mut *recorder {
            Some(recorder) => Ok(recorder),
            None => Recorder::create(path, self.gpu.device().name).map(|new| recorder.insert(new)),
        };
        if let Err(error) = made.and_then(write) {
            let path = path.display();
            let line = format!("submit {number} is not recorded: {path}: {error}");
            self.options.sink.line(&line);
        }
    }

    /// Adds the work of a submission to the profile.
    fn profile(&self, number: u64, work: Vec<gpu::profile::WorkProfile>) {
        let mut profile = lock(&self.profile);
        if let Some(profile) = &mut *profile
            && let Err(line) = profile.add(number, work, self.gpu.device())
        {
            self.options.sink.line(&line);
        }
    }

    fn execute(&self, job: &Job, context: &mut HwContext) -> Result<gpu::BatchReport, Failure> {
        let mut places: Vec<_> = job.bindings.iter().collect();
        places.sort_by_key(|binding| binding.address);
        let mut space = AddressSpace::new();
        for binding in places {
            let pages = binding.buffer.pages().map_err(|error| error.to_string())?;
            let mapped = space.map(binding.address, binding.buffer.bytes(), pages.clone(), 0);
            mapped.map_err(|error| error.to_string())?;
        }
        let outcome = self
            .gpu
            .execute(context, &space, job.batch_address, job.batch_bytes);
        outcome.map_err(|stop| Failure {
            text: stop.to_string(),
            stop: Some(stop),
        })
    }
}

#[cfg(test)]
mod tests;
