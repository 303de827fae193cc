//! `ingot run`: runs VkRunner scripts and prints a table of verdicts.

use crate::expectations::{Expectations, surprise};
use indicatif::{ProgressBar, ProgressStyle};
use ingot_cli::icd_args::IcdArgs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use vkrunner::{Outcome, Runner, RunnerOptions, Verdict};

/// Arguments of `ingot run`.
#[derive(clap::Args)]
pub struct Args {
    /// Scripts, and folders in which to look for *.shader_test and *.vk_shader_test
    #[arg(required = true, value_parser = crate::value_parsers::existing_path)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    icd: IcdArgs,
    /// N-th physical device, from 1
    #[arg(long, value_name = "N")]
    device_id: Option<usize>,
    /// List every script, not only those with a surprise
    #[arg(short, long)]
    verbose: bool,
    /// Replace TOKEN by TEXT in every line
    #[arg(short = 'D', long = "replace", value_name = "TOKEN=TEXT")]
    replace: Vec<String>,
}

/// A script and its outcome.
struct Row {
    script: PathBuf,
    outcome: Outcome,
    surprise: Option<String>,
    /// The expectation's reason, if it is not expected to pass.
    reason: Option<String>,
    time: Duration,
}

/// Runs `ingot run`.
pub fn main(args: &Args) -> ExitCode {
    match run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("ingot run: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<bool, String> {
    let replacements = args
        .replace
        .iter()
        .map(|text| replacement(text))
        .collect::<Result<Vec<_>, _>>()?;
    let mut groups = Vec::new();
    for path in &args.paths {
        groups.push((scripts_under(path)?, Expectations::read(root_of(path))?));
    }
    let total: usize = groups.iter().map(|g| g.0.len()).sum();
    let options = RunnerOptions {
        device_id: args.device_id,
        dump: None,
    };
    let driver = args.icd.driver()?;
    let mut runner = Runner::new(driver.entry.clone(), options);
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{bar:30}] {msg}") {
        bar.set_style(style);
    }
    // Query the name before the first script: a skipped script may not create a device.
    let device = runner.chosen_device().map_err(|why| match &args.icd.icd {
        Some(icd) => format!("--icd {icd}: {why}"),
        None => why.to_string(),
    })?;
    if let Some(note) = &driver.note {
        eprintln!("ingot run: {note}");
    }
    let mut rows = Vec::new();
    let mut stale = Vec::new();
    for (scripts, expectations) in groups {
        stale.extend(expectations.stale());
        for script in scripts {
            bar.set_message(script.display().to_string());
            let start = Instant::now();
            let outcome = run_one(&mut runner, &script, &replacements);
            let expected = expectations.expectation(&script, &device, outcome.verdict);
            let surprise = surprise(expected, &outcome);
            if let Some(why) = &surprise {
                bar.suspend(|| {
                    println!("{}: {why}", script.display());
                    for line in &outcome.log {
                        println!("    {}", line.replace('\n', "\n    "));
                    }
                });
            }
            rows.push(Row {
                script,
                outcome,
                surprise,
                reason: expected.map(|expected| expected.reason.clone()),
                time: start.elapsed(),
            });
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    for name in &stale {
        println!("expectations.toml names what does not exist: {name}");
    }
    if args.verbose {
        for row in &rows {
            println!(
                "{:5} {:8.1} ms  {}",
                row.outcome.verdict.name(),
                row.time.as_secs_f64() * 1e3,
                row.script.display()
            );
        }
    }
    // Scripts may select another device of the driver.
    let device = runner.device_name().unwrap_or(device);
    summary(&rows, &driver.device_label(&device));
    let simulated = if driver.is_simulated(&device) {
        " (simulated)"
    } else {
        ""
    };
    println!("{}{simulated}", verdict_line(&rows));
    Ok(stale.is_empty() && rows.iter().all(|r| r.surprise.is_none()))
}

/// Prints the table, by folder, and the device.
fn summary(rows: &[Row], device: &str) {
    let mut folders: Vec<(String, [usize; 5])> = Vec::new();
    let width = rows
        .iter()
        .filter_map(|r| r.script.parent())
        .map(|p| p.display().to_string().len())
        .max()
        .unwrap_or(0)
        .max(6);
    for row in rows {
        let folder = row.script.parent().unwrap_or(Path::new(""));
        let folder = folder.display().to_string();
        let at = match folders.iter().position(|f| f.0 == folder) {
            Some(at) => at,
            None => {
                folders.push((folder, [0; 5]));
                folders.len() - 1
            }
        };
        let counts = &mut folders[at].1;
        match row.outcome.verdict {
            Verdict::Pass => counts[0] += 1,
            Verdict::Fail => counts[1] += 1,
            Verdict::Skip => counts[2] += 1,
        }
        counts[3] += usize::from(row.surprise.is_some());
        counts[4] += row.time.as_micros() as usize;
    }
    println!("{:width$}  pass  fail  skip  unexpected  seconds", "folder");
    let mut sum = [0; 5];
    for (folder, counts) in &folders {
        print_row(folder, counts, width);
        for (total, count) in sum.iter_mut().zip(counts) {
            *total += count;
        }
    }
    if folders.len() > 1 {
        print_row("all", &sum, width);
    }
    println!("on {device}");
    for (verdict, name) in [(Verdict::Skip, "skipped"), (Verdict::Fail, "failed")] {
        for (reason, count) in reasons(rows, verdict) {
            println!("{count} {name} as expected: {reason}");
        }
    }
}

/// Reasons for an expected verdict with their number of scripts, the most frequent first.
fn reasons(rows: &[Row], verdict: Verdict) -> Vec<(&str, usize)> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        if row.outcome.verdict != verdict || row.surprise.is_some() {
            continue;
        }
        let reason = row.reason.as_deref().unwrap_or_default();
        match counts.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => counts.push((reason, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// The last line: the totals.
fn verdict_line(rows: &[Row]) -> String {
    let expected = |verdict: Verdict| {
        let is = |row: &&Row| row.outcome.verdict == verdict && row.surprise.is_none();
        rows.iter().filter(is).count()
    };
    let mut parts = vec![format!("{} passed", expected(Verdict::Pass))];
    for (count, name) in [
        (expected(Verdict::Fail), "failed as expected"),
        (expected(Verdict::Skip), "skipped as expected"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {name}"));
        }
    }
    let surprises = rows.iter().filter(|row| row.surprise.is_some()).count();
    parts.push(format!("{surprises} not as expected"));
    parts.join(", ")
}

fn print_row(name: &str, counts: &[usize; 5], width: usize) {
    println!(
        "{name:width$}  {:4}  {:4}  {:4}  {:10}  {:7.2}",
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        counts[4] as f64 / 1e6
    );
}

fn run_one(runner: &mut Runner, script: &Path, replacements: &[vkrunner::Replacement]) -> Outcome {
    let fail = |message: String| Outcome {
        verdict: Verdict::Fail,
        log: vec![message],
        dumped: None,
        image: None,
    };
    let text = match std::fs::read_to_string(script) {
        Ok(text) => text,
        Err(error) => return fail(format!("{}: {error}", script.display())),
    };
    match vkrunner::parse(&text, replacements) {
        Ok(parsed) => runner.run(&parsed),
        Err(error) => fail(error.to_string()),
    }
}

/// Parses `TOKEN=TEXT`.
pub fn replacement(text: &str) -> Result<vkrunner::Replacement, String> {
    let (token, text) = text
        .split_once('=')
        .ok_or_else(|| format!("-D {text}: TOKEN=TEXT is expected"))?;
    Ok(vkrunner::Replacement {
        token: token.into(),
        text: text.into(),
    })
}

/// The folder with the expectations: `path` or its nearest parent that has them.
fn root_of(path: &Path) -> &Path {
    let mut near = path.ancestors().take(5);
    let root = near.find(|p| p.join("expectations.toml").is_file());
    match root {
        Some(root) => root,
        None if path.is_dir() => path,
        None => path.parent().unwrap_or(Path::new(".")),
    }
}

/// All scripts under a path, sorted.
pub fn scripts_under(path: &Path) -> Result<Vec<PathBuf>, String> {
    let mut scripts = Vec::new();
    let mut pending = vec![path.to_path_buf()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries =
                std::fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            pending.extend(entries.filter_map(Result::ok).map(|e| e.path()));
        } else if scripts.is_empty() && pending.is_empty() || is_script(&path) {
            scripts.push(path);
        }
    }
    scripts.retain(|s| s == path || is_script(s));
    if scripts.is_empty() {
        return Err(format!(
            "{}: no *.shader_test or *.vk_shader_test there",
            path.display()
        ));
    }
    scripts.sort();
    Ok(scripts)
}

fn is_script(path: &Path) -> bool {
    matches!(
        path.extension().and_then(|e| e.to_str()),
        Some("shader_test" | "vk_shader_test")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(verdict: Verdict, surprise: bool, reason: Option<&str>) -> Row {
        Row {
            script: PathBuf::new(),
            outcome: Outcome {
                verdict,
                log: Vec::new(),
                dumped: None,
                image: None,
            },
            surprise: surprise.then(String::new),
            reason: reason.map(str::to_string),
            time: Duration::ZERO,
        }
    }

    #[test]
    fn what_was_skipped_is_neither_passed_nor_failed() {
        let none = Some("no queue");
        let rows = [
            row(Verdict::Pass, false, None),
            row(Verdict::Skip, false, none),
            row(Verdict::Skip, false, Some("no lines")),
            row(Verdict::Skip, false, none),
            row(Verdict::Fail, false, Some("on purpose")),
            row(Verdict::Fail, true, None),
            row(Verdict::Pass, true, none),
        ];
        let line = "1 passed, 1 failed as expected, 3 skipped as expected, 2 not as expected";
        assert_eq!(verdict_line(&rows), line);
        assert_eq!(
            reasons(&rows, Verdict::Skip),
            [("no queue", 2), ("no lines", 1)]
        );
        assert_eq!(reasons(&rows, Verdict::Fail), [("on purpose", 1)]);
        assert_eq!(verdict_line(&rows[..1]), "1 passed, 0 not as expected");
    }
}
