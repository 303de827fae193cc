//! Deliberate faults in the compiler: which of them do the tests notice?
//!
//! In:  the sources of the compiler, `faults.txt`. Out: a line per fault.
//! `mutate-compiler draw [SEED]` draws the list anew; `run [NUMBER...]` builds all faults into one
//! copy of the workspace below target/mutation, each behind a switch, and runs the tests with one
//! fault on at a time; `show` prints the list with lines; `redraw` replaces faults whose text is
//! gone. Ref: tests/mutation/README.md.

mod list;
mod operators;
mod run;
mod sites;
mod tree;

use list::{CRATES, FAULTS, Fault, Sources};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

struct Folders {
    root: PathBuf,
    list: PathBuf,
    tree: PathBuf,
}

fn folders() -> Folders {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = tests.parent().expect("the workspace").to_path_buf();
    Folders {
        list: tests.join("mutation/compiler/faults.txt"),
        tree: root.join("target/mutation/compiler/tree"),
        root,
    }
}

fn main() {
    let folders = folders();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = arguments
        .iter()
        .skip(1)
        .filter_map(|a| a.parse().ok())
        .collect();
    let sources = list::sources(&folders.root.join("src/compiler"));
    match arguments.first().map(String::as_str) {
        Some("draw") => draw(&folders, &sources, numbers.first().map_or(1, |n| *n as u64)),
        Some("redraw") => redraw(&folders, &sources),
        Some("show") => show(&folders, &sources),
        Some("run") => run_faults(&folders, &sources, &numbers),
        _ => {
            eprintln!("mutate-compiler draw [SEED] | redraw | show | run [NUMBER...]");
            std::process::exit(2);
        }
    }
}

/// Removes the candidates that do not compile.
fn compiling(folders: &Folders, sources: &Sources, mut faults: Vec<Fault>) -> Vec<Fault> {
    loop {
        let numbered: Vec<(usize, Fault)> = (1..).zip(faults.iter().cloned()).collect();
        tree::write(&folders.root, &folders.tree, sources, &numbered);
        let errors = run::check(&folders.tree);
        if errors.is_empty() {
            return faults;
        }
        let before = faults.len();
        let mut guilty = BTreeSet::new();
        for error in errors.split("\n\n").filter(|e| e.starts_with("error")) {
            // A message quotes the lines that it is about, with the switches in them.
            let quoted = error.split("__fault(").nth(1);
            let number = quoted.and_then(|rest| rest.split(')').next()?.parse::<usize>().ok());
            if let Some(number) = number.or_else(|| nearest(sources, &faults, error)) {
                guilty.insert(number);
                let message = error.lines().next().unwrap_or_default();
                eprintln!(
                    "{}: {message}",
                    describe(sources, number, &faults[number - 1])
                );
            }
        }
        for number in guilty.into_iter().rev() {
            faults.remove(number - 1);
        }
        assert!(faults.len() < before, "no fault is to blame:\n{errors}");
    }
}

/// The last fault that starts above the last line that a message quotes.
fn nearest(sources: &Sources, faults: &[Fault], error: &str) -> Option<usize> {
    let place = error.split("--> src/compiler/").nth(1)?;
    let file = place.split(':').next()?;
    let margins = error
        .lines()
        .filter_map(|l| l.split_once(" |")?.0.trim().parse().ok());
    let last: usize = margins.max()?;
    let numbered = (1..).zip(faults).filter(|(_, fault)| fault.file == file);
    let starts = numbered.filter_map(|(n, f)| Some((list::find(sources, f)?.line, n)));
    starts
        .filter(|(start, _)| *start <= last)
        .max()
        .map(|(_, number)| number)
}

fn draw(folders: &Folders, sources: &Sources, seed: u64) {
    let quotas = list::quotas(sources);
    let mut candidates = Vec::new();
    for (name, quota) in CRATES.iter().zip(&quotas) {
        candidates.extend(list::draw(sources, seed, name, quota + quota / 2));
    }
    let compiling = compiling(folders, sources, candidates);
    let mut faults = Vec::new();
    for (name, quota) in CRATES.iter().zip(&quotas) {
        let prefix = format!("{name}/");
        let of_crate = compiling.iter().filter(|f| f.file.starts_with(&prefix));
        faults.extend(of_crate.take(*quota).cloned());
    }
    assert_eq!(faults.len(), FAULTS, "too few candidates compile");
    std::fs::write(&folders.list, list::print(seed, &faults)).expect("written");
}

/// Replaces each fault that is no longer found by the next of its crate's draw.
fn redraw(folders: &Folders, sources: &Sources) {
    let text = std::fs::read_to_string(&folders.list).expect("faults.txt");
    let (seed, mut faults) = list::parse(&text).expect("a list");
    let lost = |fault: &Fault| list::find(sources, fault).is_none();
    let same = |a: &Fault, b: &Fault| list::find(sources, a) == list::find(sources, b);
    for name in CRATES {
        let prefix = format!("{name}/");
        let count = faults
            .iter()
            .filter(|f| f.file.starts_with(&prefix))
            .count();
        let gone = faults
            .iter()
            .filter(|f| f.file.starts_with(&prefix) && lost(f))
            .count();
        if gone == 0 {
            continue;
        }
        let fresh: Vec<Fault> = list::draw(sources, seed, name, 2 * count + 20)
            .into_iter()
            .filter(|fault| !faults.iter().any(|old| same(old, fault)))
            .collect();
        let mut fresh = compiling(folders, sources, fresh).into_iter();
        for fault in faults.iter_mut().filter(|f| f.file.starts_with(&prefix)) {
            if lost(fault) {
                *fault = fresh.next().expect("another draw");
            }
        }
    }
    std::fs::write(&folders.list, list::print(seed, &faults)).expect("written");
}

fn show(folders: &Folders, sources: &Sources) {
    let text = std::fs::read_to_string(&folders.list).expect("faults.txt");
    for (number, fault) in (1..).zip(list::parse(&text).expect("a list").1) {
        println!("{}", describe(sources, number, &fault));
    }
}

fn describe(sources: &Sources, number: usize, fault: &Fault) -> String {
    let site = list::find(sources, fault);
    let (line, mutated) = site.map_or((0, ""), |s| (s.line, s.mutated.as_str()));
    format!(
        "{number} {}:{line} {}: {}: `{}` to `{mutated}`: {}",
        fault.file, fault.function, fault.operator, fault.original, fault.noticed
    )
}

/// Builds, runs the tests under each fault, and writes the list with the results.
fn run_faults(folders: &Folders, sources: &Sources, numbers: &[usize]) {
    let text = std::fs::read_to_string(&folders.list).expect("faults.txt");
    let (seed, mut faults) = list::parse(&text).expect("a list");
    let numbered: Vec<(usize, Fault)> = (1..).zip(faults.iter().cloned()).collect();
    tree::write(&folders.root, &folders.tree, sources, &numbered);
    let (mut quick, mut slow) = run::build(&folders.tree);
    let saved = folders.tree.with_file_name("calibration");
    let key = run::key(&quick);
    calibrate(&mut quick, &saved, &key);
    let mut left: Vec<usize> = (1..=faults.len()).collect();
    left.retain(|number| numbers.is_empty() || numbers.contains(number));
    left.retain(|&number| !notice(&quick, sources, number, &mut faults[number - 1]));
    if !left.is_empty() {
        calibrate(&mut slow, &saved, &key);
        left.retain(|&number| !notice(&slow, sources, number, &mut faults[number - 1]));
    }
    for &number in &left {
        let fault = &mut faults[number - 1];
        if !fault.noticed.starts_with("none") {
            fault.noticed = "none".into();
        }
        let reaching = run::reaching(&quick, number) + run::reaching(&slow, number);
        let line = describe(sources, number, fault);
        println!("not noticed: {line} ({reaching} steps reach it)");
    }
    println!("{} not noticed", left.len());
    std::fs::write(&folders.list, list::print(seed, &faults)).expect("written");
}

/// Runs the steps under a fault. True if one notices it.
fn notice(steps: &[run::Step], sources: &Sources, number: usize, fault: &mut Fault) -> bool {
    let start = Instant::now();
    let Some(step) = run::run(steps, number) else {
        return false;
    };
    fault.noticed = step;
    let seconds = start.elapsed().as_secs_f64();
    println!("{} ({seconds:.1} s)", describe(sources, number, fault));
    true
}

/// Runs each step once without a fault, unless that was done for this very build. Removes those
/// that fail even so.
fn calibrate(steps: &mut Vec<run::Step>, saved: &Path, key: &str) {
    let mut text = std::fs::read_to_string(saved).unwrap_or_default();
    if !text.starts_with(key) {
        text = format!("{key}\n");
    }
    let log = saved.with_file_name("reached");
    steps.retain_mut(|step| {
        if step.restore(&text) {
            return true;
        }
        let passes = step.calibrate(&log);
        match passes {
            true => text += &step.print(),
            false => eprintln!("fails without a fault: {}", step.describe()),
        }
        passes
    });
    std::fs::write(saved, text).expect("written");
}
