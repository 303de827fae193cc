//! Options of the simulated device: strict mode, tracing, output files, log.
//!
//! In:  an options list such as INGOT_SIM holds. Out: [`Options`].

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::targets::write_png;

/// Receives log messages: one line each, without the line end.
#[derive(Clone)]
pub struct LogSink(Arc<dyn Fn(&str) + Send + Sync>);

impl LogSink {
    /// A sink that calls this function.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    /// A sink that drops everything.
    pub fn none() -> Self {
        Self::new(|_| ())
    }

    /// Writes a line.
    pub fn line(&self, line: &str) {
        (self.0)(line);
    }
}

impl fmt::Debug for LogSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink")
    }
}

/// Describes a batch that was stopped before its end.
#[derive(Clone, Copy, Debug)]
pub struct StoppedBatch<'a> {
    /// Number of the submission, from 0.
    pub submission: u64,
    /// Why the hardware stopped; None if the batch could not be started or the simulator failed.
    pub stop: Option<&'a gpu::StopReason>,
    /// The whole description in one line.
    pub text: &'a str,
}

/// Callback for batches that are stopped.
#[derive(Clone)]
pub struct StopSink(Arc<dyn Fn(StoppedBatch<'_>) + Send + Sync>);

impl StopSink {
    /// A sink that calls this function.
    pub fn new(report: impl Fn(StoppedBatch<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(report))
    }

    pub(crate) fn report(&self, stopped: StoppedBatch<'_>) {
        (self.0)(stopped);
    }
}

impl fmt::Debug for StopSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StopSink")
    }
}

/// Seconds of work after which a draw or dispatch counts as hung, by default.
const DEFAULT_HANG_SECONDS: u32 = 10;
/// EU instructions that the simulator executes in a second on two idle CPUs; in strict mode, on
/// one.
const INSTRUCTIONS_PER_SECOND: u64 = 100_000_000;
const STRICT_INSTRUCTIONS_PER_SECOND: u64 = 20_000_000;
/// The part of a command's limit that each of its threads may execute.
const THREAD_SHARE: u64 = 16;
/// Commands that the simulator executes in a second, but for the work of draws and dispatches.
const COMMANDS_PER_SECOND: u64 = 2_000_000;
/// Draws and dispatches at their limit that a batch may execute.
const COMMANDS_PER_BATCH: u64 = 1024;

/// Options of a simulated device.
#[derive(Clone, Debug)]
pub struct Options {
    /// Strict mode: report what a real machine would not forgive, and hang.
    pub strict: bool,
    /// In strict mode: return stale data from caches instead of reporting the read.
    pub stale: bool,
    /// In strict mode: leave out the rules that drivers in use are known to break.
    pub lenient: bool,
    /// Work after which a draw or dispatch counts as hung: as many EU instructions as the simulator
    /// executes in so many seconds on an idle machine. What counts is the work, not the time. The
    /// limits of a batch's commands and of the time that it waits for a semaphore are in
    /// proportion.
    pub hang_seconds: u32,
    /// Number of host threads that execute EU threads; 0: the number of CPUs. Always one in strict
    /// mode, for a fixed order.
    pub cpu_threads: usize,
    /// Write a line for every ioctl.
    pub trace_ioctls: bool,
    /// Write a line for every submission, with the address of its batch.
    pub trace_submits: bool,
    /// Write every command that the command streamer executes.
    pub trace_commands: bool,
    /// Write every instruction that EU threads execute; the threads then run one after another.
    pub trace_instructions: bool,
    /// Write each batch, with the memory it accesses, to a file in this folder.
    pub dump: Option<PathBuf>,
    /// Write the cost of each dispatch and draw to this file: as a table, as a timeline if its name
    /// ends in .svg, or as appended machine-readable lines if it ends in .tsv.
    pub profile: Option<PathBuf>,
    /// Write every submission to this file: see [`crate::Recording`].
    pub record: Option<PathBuf>,
    /// Write render targets as PNG to this folder.
    pub targets: Option<PathBuf>,
    /// Write render targets after each draw instead of at the end of each batch.
    pub targets_each_draw: bool,
    /// The device has a display.
    pub display: bool,
    /// Write what the display shows as PNG to this folder.
    pub screen: Option<PathBuf>,
    /// Execute nothing and signal fences at once, to measure the CPU cost of a driver.
    pub null: bool,
    /// Where messages go.
    pub sink: LogSink,
    /// Called for each batch that is stopped, besides the line to `sink`.
    pub stops: Option<StopSink>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strict: false,
            stale: false,
            lenient: false,
            hang_seconds: DEFAULT_HANG_SECONDS,
            cpu_threads: 0,
            trace_ioctls: false,
            trace_submits: false,
            trace_commands: false,
            trace_instructions: false,
            dump: None,
            profile: None,
            record: None,
            targets: None,
            targets_each_draw: false,
            display: false,
            screen: None,
            null: false,
            sink: LogSink::none(),
            stops: None,
        }
    }
}

/// The options of the comma-separated list, each with its help text.
pub const OPTION_NAMES: &[(&str, &str)] = &[
    (
        "strict",
        "report what a real machine would not forgive, and hang as it would",
    ),
    (
        "stale",
        "strict, but reads return stale data from caches instead of being reported: the images show it",
    ),
    (
        "lenient",
        "in strict mode, leave out the rules that drivers in use are known to break (--driver of any other than Ingot implies it)",
    ),
    (
        "hang=SECONDS",
        "work after which a draw or dispatch counts as hung: 10^8 EU instructions for each of these seconds (2 * 10^7 if strict), and a sixteenth of them for a thread; 10 by default",
    ),
    (
        "threads=N",
        "number of host threads that execute EU threads, except in strict mode",
    ),
    ("trace=ioctl", "write a line for every ioctl"),
    ("trace=submit", "write a line for every submission"),
    (
        "trace=cs",
        "write every command that the command streamer executes",
    ),
    (
        "trace=eu",
        "write every instruction of EU threads, with the enabled channels",
    ),
    (
        "dump=FOLDER",
        "write each batch, with the memory it accesses, to a file",
    ),
    (
        "profile=FILE",
        "write what each dispatch and draw costs: a table, or a timeline if FILE ends in .svg; if it ends in .tsv, a line for each of \
         their stages is added to it, between tabs, as soon as a batch has run",
    ),
    (
        "targets=FOLDER",
        "write the render targets to PNG files after each batch",
    ),
    (
        "draw-targets=FOLDER",
        "write the render targets to PNG files after each draw",
    ),
    (
        "record=FILE",
        "write all submissions to a file, which `ingot sim --replay` executes again",
    ),
    (
        "display",
        "the device has a display: a monitor of 640x480 or 800x600 pixels at 60 Hz",
    ),
    (
        "display=FOLDER",
        "display, and write what it shows to a PNG file at each change; unplugged while the file unplugged is there",
    ),
    (
        "null",
        "execute nothing and signal fences at once, to measure drivers",
    ),
];

/// An unknown option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no option is called {0:?}; there are {names}", names = option_names())]
pub struct OptionError(String);

/// The names of all options, for messages.
fn option_names() -> String {
    let names: Vec<&str> = OPTION_NAMES.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

impl Options {
    /// The options of the simulated hardware. `running` is the number of the running submission,
    /// for the names of image files.
    pub fn gpu(&self, running: &Arc<AtomicU64>) -> gpu::Options {
        let sink = self.sink.clone();
        let mut trace = gpu::Trace::new(move |line| sink.line(line));
        trace.commands = self.trace_commands;
        trace.instructions = self.trace_instructions;
        let targets = self.targets.clone().map(|folder| {
            let (running, sink) = (Arc::clone(running), self.sink.clone());
            gpu::TargetSink::new(self.targets_each_draw, move |picture| {
                let number = running.load(Relaxed);
                if let Err(why) = write_png(&folder, number, picture) {
                    sink.line(&format!("submit {number}: {why}"));
                }
            })
        });
        gpu::Options {
            targets,
            trace,
            profile: self.profile.is_some(),
            strict: self.strict,
            stale: self.stale,
            lenient: self.lenient,
            instruction_limits: self.instruction_limits(),
            command_budget: u64::from(self.hang_seconds) * COMMANDS_PER_SECOND,
            semaphore_wait: Duration::from_secs(self.hang_seconds.into()),
            cpu_threads: self.cpu_threads,
            ..gpu::Options::default()
        }
    }

    /// The instruction limits of [`Options::hang_seconds`].
    fn instruction_limits(&self) -> gpu::InstructionLimits {
        let per_second = match self.strict {
            true => STRICT_INSTRUCTIONS_PER_SECOND,
            false => INSTRUCTIONS_PER_SECOND,
        };
        let command = u64::from(self.hang_seconds) * per_second;
        gpu::InstructionLimits {
            batch: command * COMMANDS_PER_BATCH,
            command,
            thread: command / THREAD_SHARE,
        }
    }

    /// True if batches are neither executed nor written to a file.
    pub fn ignores_batches(&self) -> bool {
        self.null && self.record.is_none() && self.dump.is_none()
    }

    /// Parses a comma-separated list, such as `INGOT_SIM` holds.
    ///
    /// # Errors
    /// The first unknown option.
    pub fn parse(list: &str, sink: LogSink) -> Result<Self, OptionError> {
        let mut options = Self {
            sink,
            ..Self::default()
        };
        for word in list
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let bad = || OptionError(word.to_owned());
            match word.split_once('=') {
                None if word == "strict" => options.strict = true,
                None if word == "stale" => (options.strict, options.stale) = (true, true),
                None if word == "lenient" => options.lenient = true,
                None if word == "display" => options.display = true,
                Some(("display", folder)) => {
                    options.display = true;
                    options.screen = Some(folder.into());
                }
                None if word == "null" => options.null = true,
                Some(("hang", seconds)) => {
                    options.hang_seconds = seconds.parse().map_err(|_| bad())?;
                }
                Some(("threads", count)) => {
                    options.cpu_threads = count.parse().map_err(|_| bad())?
                }
                Some(("trace", "ioctl")) => options.trace_ioctls = true,
                Some(("trace", "submit")) => options.trace_submits = true,
                Some(("trace", "cs")) => options.trace_commands = true,
                Some(("trace", "eu")) => options.trace_instructions = true,
                Some(("dump", folder)) => options.dump = Some(folder.into()),
                Some(("profile", file)) => options.profile = Some(file.into()),
                Some(("targets", folder)) => options.targets = Some(folder.into()),
                Some(("draw-targets", folder)) => {
                    options.targets = Some(folder.into());
                    options.targets_each_draw = true;
                }
                Some(("record", file)) => options.record = Some(file.into()),
                _ => return Err(bad()),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests;
