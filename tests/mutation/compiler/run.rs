//! Builds the tree of faults once, and runs the tests with one fault on at a time.
//!
//! In:  the tree, the list. Out: what noticed each fault: the first step that fails or takes longer
//! than several times what it takes without a fault. Steps run from the cheapest on, and only where
//! they reach the fault: a record without a fault says which steps and scripts do.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Packages whose unit tests run, from the cheapest on.
const PACKAGES: &[&str] = &[
    "ingot-nir",
    "ingot-opt",
    "ingot-compile",
    "ingot-fs",
    "ingot-spirv",
];

/// Test programs of `tests` that run before the scripts, from the cheapest on.
const QUICK: &[&str] = &["kernels", "front_end"];

/// Those that run after them.
const SLOW: &[&str] = &["draw", "resources", "bad_input", "fs_exec", "vk"];

/// Scripts that one process runs.
const CHUNK: usize = 12;

/// One command that may notice a fault.
pub struct Step {
    /// What the table calls it.
    pub name: String,
    program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
    /// Time that it took without a fault.
    baseline: Duration,
    /// Faults whose switch it reaches.
    reached: BTreeSet<usize>,
}

fn cargo(tree: &Path) -> Command {
    let mut command = Command::new("nice");
    command.arg("cargo").current_dir(tree);
    command.env("CARGO_TARGET_DIR", tree.with_file_name("build"));
    command
}

/// What cargo says about the four crates: empty if they compile.
pub fn check(tree: &Path) -> String {
    let mut command = cargo(tree);
    command.args(["check", "-q", "--keep-going"]);
    for name in super::list::CRATES {
        command.args(["-p", &format!("ingot-{name}")]);
    }
    let output = command.output().expect("cargo runs");
    if output.status.success() {
        return String::new();
    }
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Builds all tests. Returns the steps in order, those of `SLOW` separately.
pub fn build(tree: &Path) -> (Vec<Step>, Vec<Step>) {
    let mut tests = cargo(tree);
    tests.args(["test", "--no-run", "--lib"]);
    for package in PACKAGES {
        tests.args(["-p", package]);
    }
    let mut programs = cargo(tree);
    programs.args(["test", "--no-run", "-p", "ingot-tests"]);
    for program in QUICK.iter().chain(SLOW) {
        programs.args(["--test", program]);
    }
    let mut command = cargo(tree);
    command.args(["build", "-p", "ingot", "--bin", "ingot"]);
    let mut steps = Vec::new();
    for mut build in [tests, programs, command] {
        let output = build.output().expect("cargo runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        for line in text
            .lines()
            .filter(|l| l.trim_start().starts_with("Executable"))
        {
            let program = line.rsplit('(').next().and_then(|p| p.strip_suffix(')'));
            let program = PathBuf::from(program.expect("a path in brackets"));
            steps.push(executable(tree, &program));
        }
    }
    // Unit tests come first; what takes longest last.
    let order = |step: &Step| match step.name.strip_prefix("tests: ") {
        None if step.name == "scripts" => QUICK.len() + 1,
        None => 0,
        Some(name) => match QUICK.iter().position(|quick| *quick == name) {
            Some(i) => i + 1,
            None => QUICK.len() + 2 + SLOW.iter().position(|slow| *slow == name).unwrap_or(0),
        },
    };
    steps.extend(scripts(tree));
    steps.sort_by_key(order);
    let start = steps.partition_point(|step| order(step) <= QUICK.len() + 1);
    let slow = steps.split_off(start);
    (steps, slow)
}

fn executable(tree: &Path, program: &Path) -> Step {
    let file = program
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let name = file
        .rsplit_once('-')
        .map_or(file.as_str(), |(name, _)| name)
        .to_string();
    let unit = PACKAGES
        .iter()
        .find(|package| package.replace('-', "_") == name);
    let (name, folder) = match unit {
        Some(package) => {
            let name = package.trim_start_matches("ingot-");
            (
                format!("unit tests of {name}"),
                tree.join("src/compiler").join(name),
            )
        }
        None => (format!("tests: {name}"), tree.join("tests")),
    };
    Step {
        name,
        program: tree.join(program),
        arguments: Vec::new(),
        folder,
        baseline: Duration::ZERO,
        reached: BTreeSet::new(),
    }
}

/// One step for each script.
fn scripts(tree: &Path) -> Vec<Step> {
    let mut pending = vec![tree.join("vkrunner-scripts")];
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder)
            .expect("a readable folder")
            .flatten()
        {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|end| end == "shader_test") {
                files.push(path);
            }
        }
    }
    files.sort();
    let step = |path: PathBuf| {
        let relative = path
            .strip_prefix(tree)
            .expect("below")
            .to_string_lossy()
            .into_owned();
        Step {
            name: "scripts".into(),
            program: tree.with_file_name("build").join("debug/ingot"),
            arguments: vec!["run".into(), "--strict".into(), relative],
            folder: tree.to_path_buf(),
            baseline: Duration::ZERO,
            reached: BTreeSet::new(),
        }
    };
    files.into_iter().map(step).collect()
}

impl Step {
    fn command(&self) -> Command {
        let mut command = Command::new("nice");
        command
            .arg(&self.program)
            .args(&self.arguments)
            .current_dir(&self.folder);
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .stdin(Stdio::null());
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }

    /// Runs without a fault: takes the time, and records which faults' switches are reached.
    /// Returns false if it fails even so.
    pub fn calibrate(&mut self, log: &Path) -> bool {
        let _ = std::fs::remove_file(log);
        let start = Instant::now();
        let status = self
            .command()
            .env("INGOT_FAULT_LOG", log)
            .status()
            .expect("runs");
        self.baseline = start.elapsed();
        let text = std::fs::read_to_string(log).unwrap_or_default();
        self.reached = text.lines().filter_map(|line| line.parse().ok()).collect();
        status.success()
    }

    /// How it fails with this fault on: nothing if it passes. Ends at the first test that fails.
    fn failure(&self, fault: usize) -> Option<&'static str> {
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        let mut command = self.command();
        command.env("INGOT_FAULT", fault.to_string()).stdout(writer);
        let mut child = command.spawn().expect("runs");
        drop(command);
        let failed = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&failed);
        let watcher = std::thread::spawn(move || {
            let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                text.extend_from_slice(buffer.get(..n).unwrap_or(&[]));
                if text.windows(10).any(|w| w == b"... FAILED") {
                    seen.store(true, Ordering::Relaxed);
                }
                text.drain(..text.len().saturating_sub(10));
            }
        });
        let limit = self.baseline * 6 + Duration::from_secs(20);
        let start = Instant::now();
        let result = loop {
            if failed.load(Ordering::Relaxed) {
                break Some("");
            }
            match child.try_wait().expect("a child") {
                Some(status) if status.success() => break None,
                Some(_) => break Some(""),
                None if start.elapsed() > limit => break Some(" (no end)"),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let _ = child.kill();
        let _ = child.wait();
        let _ = watcher.join();
        result
    }

    /// The name, and which script.
    pub fn describe(&self) -> String {
        format!("{} {}", self.name, self.arguments.join(" "))
    }

    /// Saved calibration: one line.
    pub fn print(&self) -> String {
        let numbers: Vec<String> = self.reached.iter().map(usize::to_string).collect();
        let time = self.baseline.as_millis();
        format!("{}\t{time}\t{}\n", self.describe(), numbers.join(","))
    }

    /// Reads what `print` wrote. Returns false if it did not pass then.
    pub fn restore(&mut self, text: &str) -> bool {
        let name = self.describe();
        let mut lines = text.lines().map(|line| line.split('\t'));
        let Some(mut line) = lines.find_map(|mut l| (l.next()? == name).then_some(l)) else {
            return false;
        };
        let time = line.next().and_then(|time| time.parse().ok());
        self.baseline = Duration::from_millis(time.unwrap_or(0));
        let numbers = line.next().unwrap_or_default();
        self.reached = numbers.split(',').filter_map(|n| n.parse().ok()).collect();
        true
    }
}

/// What notices a fault, if anything does.
pub fn run(steps: &[Step], fault: usize) -> Option<String> {
    let reaching: Vec<&Step> = steps
        .iter()
        .filter(|s| s.reached.contains(&fault))
        .collect();
    let mut next = 0;
    while let Some(step) = reaching.get(next) {
        let mut together = Step {
            name: step.name.clone(),
            program: step.program.clone(),
            arguments: step.arguments.clone(),
            folder: step.folder.clone(),
            baseline: step.baseline,
            reached: BTreeSet::new(),
        };
        next += 1;
        while step.name == "scripts" && together.arguments.len() < CHUNK + 2 {
            let Some(other) = reaching.get(next).filter(|s| s.name == "scripts") else {
                break;
            };
            together.arguments.extend(other.arguments.last().cloned());
            together.baseline += other.baseline;
            next += 1;
        }
        if let Some(why) = together.failure(fault) {
            return Some(format!("{}{why}", together.name));
        }
    }
    None
}

/// How many steps reach a fault.
pub fn reaching(steps: &[Step], fault: usize) -> usize {
    steps
        .iter()
        .filter(|step| step.reached.contains(&fault))
        .count()
}

/// Changes whenever the build does.
pub fn key(steps: &[Step]) -> String {
    let unit = steps
        .iter()
        .filter(|step| !step.name.starts_with("tests: "));
    let times = unit.map(|step| {
        let modified = step.program.metadata().and_then(|m| m.modified()).ok();
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        since.map_or(0, |duration| duration.as_secs())
    });
    times.max().unwrap_or(0).to_string()
}
