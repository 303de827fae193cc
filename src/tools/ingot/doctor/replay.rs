//! `ingot doctor --read`: a report of another machine, run again on its twin.
//!
//! In:  a report file. Out: a line for each rung: what the machine observed, what the twin observes
//!      now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::child::{OBSERVATION, Task};
use super::ladder::{LADDER, Rung, Work};
use super::machine::Machine;
use super::observation::Observation;
use super::{archive, process, report};

/// Prints the texts of a report: everything that its reader learns.
pub fn show(path: &Path) -> Result<(), String> {
    let files = archive::unpack(path)?;
    for (name, bytes) in &files {
        println!("{name}, {} bytes", bytes.len());
    }
    for name in [report::PAGE, archive::FACTS, "journal.txt"] {
        if let Some(bytes) = files.get(name) {
            println!("\n==== {name}\n{}", String::from_utf8_lossy(bytes));
        }
    }
    Ok(())
}

/// The twin that a report names.
fn twin(files: &BTreeMap<String, Vec<u8>>) -> Result<String, String> {
    let facts = files
        .get(archive::FACTS)
        .map(|bytes| String::from_utf8_lossy(bytes));
    let facts = facts.unwrap_or_default();
    let name = facts.lines().find_map(|line| line.strip_prefix("twin: "));
    let name = name.ok_or("the report names no twin: its GPU cannot be simulated")?;
    ingot_cli::gpu_names::simulated_device(name).map(|device| device.name.into())
}

/// A rung of a report: the ladder's row, its folder, what the machine observed.
struct Reported {
    rung: &'static Rung,
    folder: String,
    seen: Observation,
}

fn reported(files: &BTreeMap<String, Vec<u8>>) -> Vec<Reported> {
    let named = files.iter().filter_map(|(name, bytes)| {
        let folder = name
            .strip_prefix("rungs/")?
            .strip_suffix(&format!("/{OBSERVATION}"))?;
        if folder.contains('/') {
            return None;
        }
        let rung = LADDER.iter().find(|rung| rung.name == folder);
        let scripts = || {
            LADDER
                .iter()
                .find(|rung| matches!(rung.work, Work::AllScripts))
        };
        let script = folder.starts_with("scripts_").then(scripts).flatten();
        let seen = Observation::parse(&String::from_utf8_lossy(bytes))?;
        Some(Reported {
            rung: rung.or(script)?,
            folder: folder.into(),
            seen,
        })
    });
    let mut rows: Vec<Reported> = named.collect();
    rows.sort_by_key(|row| LADDER.iter().position(|rung| rung.name == row.rung.name));
    rows
}

/// Runs the rungs of a report on the twin. `work` is an empty folder for files. Returns whether the
/// twin observes everything that the machine did.
pub fn read(path: &Path, work: &Path) -> Result<bool, String> {
    let files = archive::unpack(path)?;
    let twin = twin(&files)?;
    let rows = reported(&files);
    println!(
        "{} rungs of the report, on the simulated GPU {twin}:",
        rows.len()
    );
    let mut same = true;
    for row in &rows {
        let folder = work.join(&row.folder);
        let script = script(&files, row, work)?;
        let machine = Machine::Simulated(twin.clone());
        let task = Task {
            deadline_seconds: machine.deadline_seconds(),
            machine,
            label: row.folder.clone(),
            folder,
            journal: work.join("journal.txt"),
            script,
            fault: None,
        };
        let now = process::run(row.rung, &task, row.rung.debug);
        let mut differences = row.seen.differences(&now);
        // Ratios of times are expected to differ.
        differences.retain(|line| !line.contains("times the twin's"));
        same &= differences.is_empty();
        println!("{:24} reported {}", row.folder, row.seen.outcome.name());
        for line in differences {
            println!("    {line}");
        }
    }
    Ok(same)
}

/// Writes the script of a failed rung to a file, if the report has it: the ladder may have changed.
fn script(
    files: &BTreeMap<String, Vec<u8>>,
    row: &Reported,
    work: &Path,
) -> Result<Option<PathBuf>, String> {
    let name = format!("rungs/{}/script.shader_test", row.folder);
    let Some(bytes) = files.get(&name) else {
        return Ok(None);
    };
    let path = work.join(format!("{}.shader_test", row.folder));
    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Some(path))
}
