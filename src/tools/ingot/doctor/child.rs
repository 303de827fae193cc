//! The process of one rung.
//!
//! In:  the machine, the rung, the folder for its files. Out: `observation.txt` in that folder; a
//!      journal line before each submission. The process ends itself at its deadline.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use uapi::Kernel;

use super::bare::BareError;
use super::counters::Counters;
use super::journal::Journal;
use super::ladder::{Rung, Work};
use super::machine::Machine;
use super::misbehaviour::Misbehaviour;
use super::observation::{Observation, Outcome};
use super::scripted;
use super::textures;
use super::watched_kernel::WatchedKernel;

/// The file with the results in the folder of a rung.
pub const OBSERVATION: &str = "observation.txt";

/// What a child process is asked to do.
#[derive(Clone, Debug)]
pub struct Task {
    /// The machine.
    pub machine: Machine,
    /// The rung's name for the journal: that of a script in the rung `scripts`.
    pub label: String,
    /// The folder for its files.
    pub folder: PathBuf,
    /// The journal.
    pub journal: PathBuf,
    /// The script to run instead of the rung's.
    pub script: Option<PathBuf>,
    /// Seconds until the process gives up.
    pub deadline_seconds: u64,
    /// The fault of a simulated machine.
    pub fault: Option<Misbehaviour>,
}

/// Runs the rung.
pub fn main(rung: &Rung, task: &Task) -> ExitCode {
    let seen = match open(rung, task) {
        Ok(kernel) => {
            watch_deadline(task, &kernel);
            with_counters(judged(run(rung, task, &kernel), &kernel), &kernel)
        }
        Err(why) => Observation::new(Outcome::Refused, why),
    };
    match write(&task.folder, &seen) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("ingot doctor: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Opens the machine, with the journal around it.
fn open(rung: &Rung, task: &Task) -> Result<Arc<WatchedKernel>, String> {
    let inner = task.machine.open(task.fault.as_ref());
    let inner = inner.map_err(|errno| format!("{}: {errno}", task.machine))?;
    let journal = Journal::open(&task.journal)?;
    Ok(WatchedKernel::new(
        inner,
        journal,
        &task.label,
        &task.folder,
        counts(rung),
        task.fault.clone(),
    ))
}

/// Whether the pipeline's counters belong to the results. Bare rungs run nothing that is counted,
/// and the first submits nothing at all; a probe is decided by its own values alone.
fn counts(rung: &Rung) -> bool {
    !matches!(rung.work, Work::Bare(_)) && rung.erratum.is_none()
}

fn run(rung: &Rung, task: &Task, kernel: &Arc<WatchedKernel>) -> Observation {
    let shared: Arc<dyn Kernel> = kernel.clone();
    let source = move || -> Vec<Arc<dyn Kernel>> { vec![shared.clone()] };
    let text = match (rung.work, &task.script) {
        (Work::Bare(work), _) => return work(kernel.as_ref()).unwrap_or_else(bare_failure),
        (Work::Images(work), _) => {
            icd::set_kernel_source(Arc::new(source));
            return textures::run(work, &task.folder);
        }
        (Work::Script(text), None) => text.to_string(),
        (Work::AllScripts, None) => return Observation::new(Outcome::Crash, "no script is named"),
        (_, Some(path)) => match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                return Observation::new(Outcome::Crash, format!("{name}: {error}"));
            }
        },
    };
    icd::set_kernel_source(Arc::new(source));
    scripted::run(&text, &task.folder)
}

fn bare_failure(error: BareError) -> Observation {
    let outcome = match error {
        BareError::Refused { .. } => Outcome::Refused,
        BareError::Timeout => Outcome::Hang,
    };
    Observation::new(outcome, error.to_string())
}

/// Corrects the outcome by what the kernel knows: hung batches and refused submissions.
fn judged(mut seen: Observation, kernel: &WatchedKernel) -> Observation {
    let (active, pending) = kernel.hung_batches();
    if active + pending > 0 {
        seen.outcome = Outcome::Hang;
        seen.reason = format!(
            "the kernel found a hang: {active} batches hung, {pending} were lost ({})",
            seen.reason
        );
    } else if let Some(refused) = kernel.refused()
        && seen.outcome.is_failure()
    {
        seen.outcome = Outcome::Refused;
        seen.reason = refused;
    }
    seen
}

/// Adds the pipeline's counters to the results.
fn with_counters(mut seen: Observation, kernel: &WatchedKernel) -> Observation {
    for (name, value) in kernel.counters().iter().flat_map(Counters::rows) {
        let dwords = match u32::try_from(value) {
            Ok(low) => vec![low],
            Err(_) => vec![value as u32, (value >> 32) as u32],
        };
        seen.value(name, dwords);
    }
    seen
}

/// Starts a thread that ends the process at the deadline, with the reset statistics in the result.
fn watch_deadline(task: &Task, kernel: &Arc<WatchedKernel>) {
    let (folder, seconds) = (task.folder.clone(), task.deadline_seconds);
    let kernel = kernel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        let (active, pending) = kernel.hung_batches();
        let reason = format!(
            "no result after {seconds} s; last submission: {}; reset statistics: {active} batches hung, {pending} were lost",
            kernel.submissions()
        );
        let _ = write(&folder, &Observation::new(Outcome::Hang, reason));
        std::process::exit(0);
    });
}

/// Writes the result under another name first, so that it is never read incomplete.
fn write(folder: &Path, seen: &Observation) -> Result<(), String> {
    let (partial, path) = (folder.join("observation.part"), folder.join(OBSERVATION));
    std::fs::write(&partial, seen.to_text())
        .and_then(|()| std::fs::rename(&partial, &path))
        .map_err(|error| format!("{OBSERVATION}: {error}"))
}
