//! The ramp: runs the rungs one after another, and decides what may follow a failure.
//!
//! In:  a [`Plan`]. Out: a [`RungResult`] for each rung, with the differences from the twin's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::child::Task;
use super::journal::Journal;
use super::ladder::{LADDER, Rung, Work};
use super::machine::Machine;
use super::misbehaviour::Misbehaviour;
use super::observation::{Observation, Outcome};
use super::process;
use super::scripted::IMAGE_FILE;
use super::{bisection, error_state_file, image_difference};

/// The pause before each rung with `--gently`, and after each hang.
const PAUSE: Duration = Duration::from_secs(2);
/// Dumps of shaders and batches that the twin makes for a rung that failed.
const DUMPS: &str = "vs,tcs,tes,gs,fs,cs,bat,nocache";

/// What to run, and where.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The machine.
    pub machine: Machine,
    /// The simulated GPU to compare with.
    pub twin: Option<String>,
    /// The first rung.
    pub from: Option<String>,
    /// The only rungs; empty: all.
    pub only: Vec<String>,
    /// Pause between rungs.
    pub gently: bool,
    /// Run rungs that may hang a healthy machine.
    pub dangerous: bool,
    /// The scripts of the rung `scripts`, in order.
    pub scripts: Vec<PathBuf>,
    /// Seconds that a rung may take.
    pub deadline_seconds: u64,
    /// The fault of a simulated machine.
    pub fault: Option<Misbehaviour>,
    /// The folder of the report.
    pub folder: PathBuf,
    /// The kernel's error state, if the machine is real.
    pub error_state: Option<PathBuf>,
}

/// The end of a rung.
#[derive(Clone, Debug)]
pub struct RungResult {
    /// The rung.
    pub rung: &'static Rung,
    /// Its name, or that of the script.
    pub label: String,
    /// What it observed.
    pub seen: Observation,
    /// The differences from the twin.
    pub differences: Vec<String>,
    /// The option of INGOT_DEBUG with which it passes.
    pub cure: Option<String>,
}

impl RungResult {
    fn new(rung: &'static Rung, label: &str, seen: Observation) -> Self {
        Self {
            rung,
            label: label.into(),
            seen,
            differences: Vec::new(),
            cure: None,
        }
    }
}

/// The folder of a rung's files in a report.
pub fn rung_folder(report: &Path, label: &str) -> PathBuf {
    report.join("rungs").join(label.replace(['/', '.'], "_"))
}

/// Whether the plan includes a rung.
fn is_chosen(plan: &Plan, rung: &Rung) -> bool {
    if !plan.only.is_empty() {
        return plan.only.iter().any(|name| name == rung.name);
    }
    let at = |name: &str| LADDER.iter().position(|rung| rung.name == name);
    let from = plan.from.as_deref().and_then(at).unwrap_or(0);
    at(rung.name) >= Some(from) && (!rung.dangerous || plan.dangerous)
}

/// Runs the ramp. `report` is called after each rung. The ramp ends after the second hang of one
/// rung.
pub fn run(plan: &Plan, mut report: impl FnMut(&RungResult)) -> Result<Vec<RungResult>, String> {
    let journal = Journal::open(&plan.folder.join("journal.txt"))?;
    let chosen: Vec<_> = LADDER.iter().filter(|rung| is_chosen(plan, rung)).collect();
    let scripts = chosen
        .iter()
        .any(|rung| matches!(rung.work, Work::AllScripts));
    let total = chosen.len() + if scripts { plan.scripts.len() } else { 0 };
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{bar:30}] {msg}") {
        bar.set_style(style);
    }
    let mut results: Vec<RungResult> = Vec::new();
    let mut failed: BTreeSet<&str> = BTreeSet::new();
    for rung in chosen {
        bar.set_message(rung.name);
        if let Some(need) = rung.needs.iter().find(|need| failed.contains(*need)) {
            failed.insert(rung.name);
            let barred = Observation::new(Outcome::Barred, format!("it needs {need}"));
            let result = RungResult::new(rung, rung.name, barred);
            bar.suspend(|| report(&result));
            results.push(result);
            bar.inc(1);
            continue;
        }
        if plan.gently {
            std::thread::sleep(PAUSE);
        }
        let ended = match rung.work {
            Work::AllScripts => {
                let (mut found, ended) = all_scripts(plan, &journal, rung, &bar)?;
                found
                    .iter()
                    .for_each(|result| bar.suspend(|| report(result)));
                results.append(&mut found);
                ended
            }
            _ => {
                let (result, ended) = run_rung(plan, &journal, rung, rung.name, None)?;
                bar.suspend(|| report(&result));
                if result.seen.outcome.is_failure() {
                    failed.insert(rung.name);
                }
                results.push(result);
                ended
            }
        };
        bar.inc(1);
        if ended {
            journal.line(&format!("rung {} hung twice: the ramp ends", rung.name))?;
            break;
        }
    }
    bar.finish_and_clear();
    journal.line("end of the ramp")?;
    Ok(results)
}

/// A task for the plan's machine.
fn task(plan: &Plan, label: &str, script: Option<&Path>) -> Task {
    Task {
        machine: plan.machine.clone(),
        label: label.into(),
        folder: rung_folder(&plan.folder, label),
        journal: plan.folder.join("journal.txt"),
        script: script.map(Path::to_path_buf),
        deadline_seconds: plan.deadline_seconds,
        fault: plan.fault.clone(),
    }
}

/// Runs a rung or a script, its bisection after a hang, and its twin. Returns whether the ramp must
/// end.
fn run_rung(
    plan: &Plan,
    journal: &Journal,
    rung: &'static Rung,
    label: &str,
    script: Option<&Path>,
) -> Result<(RungResult, bool), String> {
    let task = task(plan, label, script);
    journal.line(&format!("rung {label} begins"))?;
    let seen = process::run(rung, &task, rung.debug);
    journal.line(&format!("rung {label} ends: {}", seen.outcome.name()))?;
    let mut result = RungResult::new(rung, label, seen);
    let mut ended = false;
    if result.seen.outcome == Outcome::Hang {
        if let Some(path) = &plan.error_state {
            error_state_file::save(path, &task.folder);
        }
        let mut again = |flags: &[&str]| {
            std::thread::sleep(PAUSE);
            let all: Vec<&str> = [rung.debug]
                .into_iter()
                .chain(flags.iter().copied())
                .collect();
            let list = all.join(",");
            let attempt = Task {
                folder: task.folder.join("bisection"),
                ..task.clone()
            };
            let seen = process::run(rung, &attempt, &list);
            // A journal that cannot be written was reported when the rung began.
            let _ = journal.line(&format!(
                "rung {label} with {list}: {}",
                seen.outcome.name()
            ));
            seen.outcome
        };
        let found = bisection::find_cure(rung.cures, &mut again);
        ended = found.is_none();
        result.cure = found;
    }
    if let Some(twin) = &plan.twin {
        compare_with_twin(plan, twin, &task, &mut result);
    }
    if let (true, Work::Script(text)) = (result.seen.outcome.is_failure(), rung.work) {
        // Neither the script nor the image decides anything: a failure to write is no result.
        let _ = std::fs::write(task.folder.join("script.shader_test"), text);
    }
    if let (true, Some(path)) = (result.seen.outcome.is_failure(), script) {
        let _ = std::fs::copy(path, task.folder.join("script.shader_test"));
    }
    Ok((result, ended))
}

/// Runs a rung on the twin, and adds the differences to the result. After a failure the twin's
/// shaders and batches are dumped too: they are the ones that the machine ran.
fn compare_with_twin(plan: &Plan, twin: &str, task: &Task, result: &mut RungResult) {
    let machine = Machine::Simulated(twin.into());
    let twin_task = Task {
        deadline_seconds: machine.deadline_seconds(),
        machine,
        folder: task.folder.join("twin"),
        journal: plan.folder.join("twin-journal.txt"),
        fault: None,
        ..task.clone()
    };
    let failed = result.seen.outcome.is_failure();
    let flags = match failed {
        true => format!("{},{DUMPS}", result.rung.debug),
        false => result.rung.debug.into(),
    };
    let twin_seen = process::run(result.rung, &twin_task, &flags);
    result.differences = result.seen.differences(&twin_seen);
    let (mine, other) = (
        task.folder.join(IMAGE_FILE),
        twin_task.folder.join(IMAGE_FILE),
    );
    if mine.exists() && other.exists() {
        match image_difference::compare(&mine, &other, &task.folder.join("difference.png")) {
            Ok(None) => {}
            Ok(Some(found)) => {
                let (column, row) = found.first;
                result.differences.push(format!(
                    "image: {} pixels differ, the first at ({column}, {row}), by {} at most",
                    found.pixels, found.largest
                ));
            }
            Err(why) => result.differences.push(format!("image: {why}")),
        }
    }
}

/// Runs each script in its own process. Returns a summary and the scripts that failed, and whether
/// the ramp must end.
fn all_scripts(
    plan: &Plan,
    journal: &Journal,
    rung: &'static Rung,
    bar: &ProgressBar,
) -> Result<(Vec<RungResult>, bool), String> {
    if plan.scripts.is_empty() {
        let none = Observation::new(Outcome::Skip, "--scripts names no folder");
        return Ok((vec![RungResult::new(rung, rung.name, none)], false));
    }
    let mut failures = Vec::new();
    let (mut passed, mut skipped) = (0, 0);
    let mut ended = false;
    // A script whose result the twin shares says nothing about the machine.
    let alone = Plan {
        twin: None,
        ..plan.clone()
    };
    for path in &plan.scripts {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
        let label = format!("scripts/{}-{name}", parent.to_string_lossy());
        bar.set_message(label.clone());
        let (mut result, hung_twice) = run_rung(&alone, journal, rung, &label, Some(path))?;
        bar.inc(1);
        match result.seen.outcome {
            Outcome::Pass => passed += 1,
            Outcome::Skip => skipped += 1,
            _ => {
                if let Some(twin) = &plan.twin {
                    compare_with_twin(plan, twin, &task(plan, &label, Some(path)), &mut result);
                }
                let failed = |line: &String| line.starts_with("outcome: ");
                match plan.twin.is_some() && !result.differences.iter().any(failed) {
                    true => passed += 1,
                    false => failures.push(result),
                }
            }
        }
        if !failures.iter().any(|failure| failure.label == label) {
            let folder = rung_folder(&plan.folder, &label);
            std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        if hung_twice {
            ended = true;
            break;
        }
    }
    let count = failures.len();
    let text = format!("{passed} passed, {skipped} skipped, {count} failed");
    let outcome = match count {
        0 => Outcome::Pass,
        _ => Outcome::Wrong,
    };
    let mut results = vec![RungResult::new(
        rung,
        rung.name,
        Observation::new(outcome, text),
    )];
    results.append(&mut failures);
    Ok((results, ended))
}
