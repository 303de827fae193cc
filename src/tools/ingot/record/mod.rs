//! `ingot bench record`: the CPU cost of recording and submitting, compared with another driver, on
//! a null kernel.
//!
//! In:  two drivers. Each runs in its own process on the simulated GPU with `INGOT_SIM=null`; both
//!      run each row in turn.
//! Out: a table: CPU time, or instructions by callgrind; words of batches and stalls, from
//!      recordings; the memory that the driver adds to its process, at the peak.

mod callgrind;
mod calls;
mod draws;
mod pipelines;
mod rows;

use crate::recording;
use calls::Bench;
use draws::Shaders;
use indicatif::{ProgressBar, ProgressStyle};
use kmd::Recording;
use rows::{ROWS, Row, Submits};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use vkrunner::{EntryPoint, ShaderStage};

/// Arguments of `ingot bench record`.
#[derive(clap::Args)]
pub struct Args {
    /// The driver to measure: a manifest, or `ingot`
    #[arg(long, default_value = "ingot")]
    driver: String,
    /// The driver to compare with: a manifest, or `anv`
    #[arg(long, default_value = "anv")]
    with: String,
    /// Rounds; the median counts
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Only rows that contain this text
    #[arg(long, value_name = "TEXT")]
    row: Option<String>,
    /// Count instructions with valgrind's callgrind instead of CPU time
    #[arg(long)]
    callgrind: bool,
    /// GPU to simulate
    #[arg(long, default_value = "skl")]
    gpu: String,
}

/// Arguments of the process that calls a driver.
#[derive(clap::Args)]
pub struct WorkerArgs {
    /// Folder with the shaders' SPIR-V: compiled elsewhere, so that their compiler's memory is not
    /// this process's
    shaders: PathBuf,
    /// Run every row twice, for callgrind
    #[arg(long)]
    twice: bool,
    /// Run this row and submit its commands, for a recording
    #[arg(long, value_name = "NUMBER")]
    submit: Option<usize>,
    #[arg(long)]
    row: Option<String>,
}

/// A shader of the bench.
struct Stage {
    stage: ShaderStage,
    source: &'static str,
    file: &'static str,
}

const STAGES: [Stage; 3] = [
    Stage {
        stage: ShaderStage::Compute,
        source: calls::SHADER,
        file: "compute.spv",
    },
    Stage {
        stage: ShaderStage::Vertex,
        source: draws::VERTEX,
        file: "vertex.spv",
    },
    Stage {
        stage: ShaderStage::Fragment,
        source: draws::FRAGMENT,
        file: "fragment.spv",
    },
];

fn chosen(text: Option<&str>) -> Vec<&'static Row> {
    let wanted = |row: &&Row| text.is_none_or(|text| row.name.contains(text));
    ROWS.iter().filter(wanted).collect()
}

/// Runs the worker: a line with a row's number gives a line with its time in ns, or `- why`;
/// `memory` gives the process's peak in KiB, beyond what it had without a driver.
pub fn worker(args: &WorkerArgs) -> Result<(), String> {
    let before = peak_memory_kib()?;
    let words = |stage: &Stage| -> Result<Vec<u32>, String> {
        let path = args.shaders.join(stage.file);
        let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let words = bytes.as_chunks().0.iter();
        Ok(words.map(|bytes| u32::from_le_bytes(*bytes)).collect())
    };
    let [compute, vertex, fragment] = &STAGES;
    let drawing = Shaders {
        vertex: words(vertex)?,
        fragment: words(fragment)?,
    };
    let bench = Bench::new(&EntryPoint::Loader, &words(compute)?, &drawing)?;
    let rows = chosen(args.row.as_deref());
    if let Some(number) = args.submit {
        return rows.get(number).ok_or("no such row")?.submit(&bench);
    }
    if args.twice {
        for row in rows {
            row.time(&bench)?;
            row.time(&bench)?;
        }
        return Ok(());
    }
    println!("{}", bench.name());
    for line in std::io::stdin().lines() {
        let line = line.map_err(|e| e.to_string())?;
        if line == "memory" {
            println!("{}", peak_memory_kib()? - before);
            continue;
        }
        let row = line.parse().ok().and_then(|n: usize| rows.get(n));
        match row.ok_or("no such row")?.time(&bench) {
            Ok(ns) => println!("{ns}"),
            Err(why) => println!("- {why}"),
        }
    }
    Ok(())
}

fn peak_memory_kib() -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|e| e.to_string())?;
    text.lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| "no VmHWM in /proc/self/status".into())
}

/// A temporary folder for files that the processes exchange, deleted on drop.
struct Folder(PathBuf);

impl Folder {
    /// Creates the folder and writes the shaders to it.
    fn new() -> Result<Folder, String> {
        let folder = std::env::temp_dir().join(format!("ingot-bench-{}", std::process::id()));
        let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let folder = Folder(folder);
        for stage in &STAGES {
            let words = vkrunner::compile_glsl(stage.stage, stage.source, (1, 1, 0))?;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let path = folder.0.join(stage.file);
            std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // An error is ignored: nothing depends on the folder's deletion.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The command line of a worker with a driver, optionally under a program such as valgrind.
fn command(
    args: &Args,
    folder: &Folder,
    driver: &str,
    options: &str,
    under: &[String],
    worker: &[String],
) -> Result<Command, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(&program);
    command.args(["sim", "--driver", driver, "--gpu", &args.gpu, "--"]);
    command.args(under).arg(&program);
    command.args(["bench", "record-worker"]).args(worker);
    command.arg(&folder.0);
    if let Some(row) = &args.row {
        command.args(["--row", row]);
    }
    command.env("INGOT_SIM", options);
    // Pipelines are compiled, not read from a file of an earlier run.
    command.env("MESA_SHADER_CACHE_DISABLE", "true");
    Ok(command)
}

/// A worker process that calls a driver row by row.
struct Worker {
    child: Child,
    /// A socket: writing to a pipe whose reader is gone would end this process.
    input: UnixStream,
    output: BufReader<ChildStdout>,
    name: String,
}

impl Worker {
    fn start(mut command: Command, driver: &str) -> Result<Worker, String> {
        let (input, its) = UnixStream::pair().map_err(|e| e.to_string())?;
        let mut child = command
            .stdin(OwnedFd::from(its))
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let output = child.stdout.take();
        let mut worker = Worker {
            child,
            input,
            output: BufReader::new(output.ok_or("no pipe")?),
            name: String::new(),
        };
        worker.name = worker.line().map_err(|e| format!("{driver}: {e}"))?;
        Ok(worker)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("the process that calls the driver has ended".into()),
            Ok(_) => Ok(line.trim_end().into()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn ask(&mut self, question: &str) -> Result<f64, String> {
        writeln!(self.input, "{question}").map_err(|e| e.to_string())?;
        let line = self.line()?;
        line.parse()
            .map_err(|_| line.trim_start_matches("- ").into())
    }

    fn end(self) -> Result<(), String> {
        let Worker {
            mut child, input, ..
        } = self;
        drop(input);
        child.wait().map(|_| ()).map_err(|e| e.to_string())
    }
}

/// Measurements of a row with one driver.
#[derive(Clone, Default)]
struct Figures {
    /// By round: ns, or instructions.
    costs: Vec<f64>,
    words: Option<recording::CommandCounts>,
    trouble: Option<String>,
}

impl Figures {
    fn median(&self) -> Option<f64> {
        let mut sorted = self.costs.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }
}

/// Runs `ingot bench record`.
pub fn main(args: &Args) -> Result<(), String> {
    let rows = chosen(args.row.as_deref());
    if rows.is_empty() {
        return Err("no row's name contains that".into());
    }
    let folder = Folder::new()?;
    let drivers = [args.driver.as_str(), args.with.as_str()];
    let counted = rows.iter().filter(|r| r.submits != Submits::Nothing);
    let measures = if args.callgrind { 1 } else { args.rounds };
    let bar = ProgressBar::new((2 * (measures + counted.count())) as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{bar:30}] {msg}") {
        bar.set_style(style);
    }
    let mut figures = vec![[Figures::default(), Figures::default()]; rows.len()];
    let mut names = drivers.map(str::to_string);
    let mut memory = [0.0; 2];
    if args.callgrind {
        for (side, driver) in drivers.iter().enumerate() {
            bar.set_message(format!("{driver} under callgrind"));
            for (row, cost) in figures
                .iter_mut()
                .zip(callgrind(args, &folder, driver, &rows)?)
            {
                row[side].costs.push(cost);
            }
            bar.inc(1);
        }
    } else {
        // Both drivers run on one CPU: other CPUs may be slower or busier.
        sys::pin_to_current_cpu().map_err(|e| format!("one CPU for both drivers: {e}"))?;
        let start = |driver: &str| {
            let command = command(args, &folder, driver, "null", &[], &[])?;
            Worker::start(command, driver)
        };
        let mut workers = [start(drivers[0])?, start(drivers[1])?];
        for round in 0..args.rounds + 1 {
            for (number, row) in figures.iter_mut().enumerate() {
                // The drivers alternate in going first.
                for side in [round % 2, (round + 1) % 2] {
                    bar.set_message(rows[number].name);
                    match workers[side].ask(&number.to_string()) {
                        // The first round warms up.
                        Ok(cost) if round > 0 => row[side].costs.push(cost),
                        Ok(_) => {}
                        Err(why) => row[side].trouble = Some(why),
                    }
                }
            }
            if round > 0 {
                bar.inc(2);
            }
        }
        for (side, mut worker) in workers.into_iter().enumerate() {
            memory[side] = worker.ask("memory")? / 1024.0;
            names[side] = worker.name.clone();
            worker.end()?;
        }
    }
    for (number, row) in figures.iter_mut().enumerate() {
        if rows[number].submits == Submits::Nothing {
            continue;
        }
        for (side, driver) in drivers.iter().enumerate() {
            bar.set_message(format!("{}: commands", rows[number].name));
            match count(args, &folder, driver, number, rows[number].times) {
                Ok(count) => row[side].words = Some(count),
                Err(why) => row[side].trouble = Some(why),
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    print(args, &rows, &figures);
    if !args.callgrind {
        let [a, b] = memory;
        println!(
            "\nmemory that the driver adds, at the peak: {a:.1} and {b:.1} MiB, {:.2}",
            a / b
        );
    }
    println!("ours: {}; theirs: {}", names[0], names[1]);
    Ok(())
}

fn print(args: &Args, rows: &[&Row], figures: &[[Figures; 2]]) {
    let unit = if args.callgrind { "instr." } else { "ns" };
    println!(
        "{:52} {:>9} {:>9} {:>6} {:>14} {:>13}",
        format!("each: {unit}"),
        "ours",
        "theirs",
        "ratio",
        "batch bytes",
        "stalls"
    );
    for (row, [ours, theirs]) in rows.iter().zip(figures) {
        let mut line = format!("{:52}", row.name);
        let (a, b) = (ours.median(), theirs.median());
        for cost in [a, b] {
            line += &cost.map_or("         —".into(), |c| format!(" {c:9.0}"));
        }
        line += &match (a, b) {
            (Some(a), Some(b)) => format!(" {:6.2}", a / b),
            _ => "      —".into(),
        };
        if let (Some(a), Some(b)) = (&ours.words, &theirs.words) {
            let each = |count: &recording::CommandCounts| count.bytes as f64 / row.times as f64;
            let bytes = format!("{:.0} : {:.0}", each(a), each(b));
            let stalls = format!("{} : {}", a.stalls, b.stalls);
            line += &format!(" {bytes:>14} {stalls:>13}");
        }
        println!("{line}");
        for (whose, figures) in [("ours", ours), ("theirs", theirs)] {
            if let Some(why) = &figures.trouble {
                println!("    {whose}: {why}");
            }
        }
    }
    let mut ratios: Vec<_> = figures
        .iter()
        .filter_map(|[ours, theirs]| Some(ours.median()? / theirs.median()?))
        .collect();
    ratios.sort_by(f64::total_cmp);
    if let (Some(median), Some(most)) = (ratios.get(ratios.len() / 2), ratios.last()) {
        println!("ratios: median {median:.2}, largest {most:.2}");
    }
}

/// Counts the commands of a row, in a separate recording.
fn count(
    args: &Args,
    folder: &Folder,
    driver: &str,
    number: usize,
    times: usize,
) -> Result<recording::CommandCounts, String> {
    let file = &folder.0.join("recording");
    let options = format!("null,record={}", file.display());
    let worker = ["--submit".to_string(), number.to_string()];
    let output = command(args, folder, driver, &options, &[], &worker)?
        .output()
        .map_err(|e| e.to_string())?;
    let bytes = std::fs::read(file);
    // Remove the file, so that the next row does not read it.
    let _ = std::fs::remove_file(file);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    let bytes = bytes.map_err(|e| format!("{}: {e}", file.display()))?;
    let mut recording = Recording::new(&bytes).map_err(|e| e.to_string())?;
    let mut sum = recording::CommandCounts::default();
    let hw_gen = recording::device(&recording)?.hw_gen;
    while let Some(submission) = recording.next_submission().map_err(|e| e.to_string())? {
        let count = recording::count(&submission, hw_gen);
        // A device's first batch only initializes the context.
        if count.work() > 0 {
            sum.add(&count);
        }
    }
    match sum.work() {
        n if n >= times as u64 => Ok(sum),
        n => Err(format!("{n} dispatches and draws in the recording")),
    }
}

/// Instructions of each row. Every row runs twice; the second counts.
fn callgrind(
    args: &Args,
    folder: &Folder,
    driver: &str,
    rows: &[&Row],
) -> Result<Vec<f64>, String> {
    let out = folder.0.join("out");
    let under = [
        "valgrind".to_string(),
        "-q".into(),
        "--tool=callgrind".into(),
        format!("--callgrind-out-file={}", out.display()),
        "--collect-atstart=no".into(),
    ];
    let worker = ["--twice".to_string()];
    let ran = command(args, folder, driver, "null", &under, &worker)?
        .output()
        .map_err(|e| e.to_string());
    ran.and_then(|output| match output.status.success() {
        true => (2..)
            .step_by(2)
            .zip(rows)
            .map(|(dump, row)| summary(&out, dump).map(|count| count / row.times as f64))
            .collect(),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    })
}

/// Instructions of a dump.
fn summary(out: &Path, number: usize) -> Result<f64, String> {
    let path = PathBuf::from(format!("{}.{number}", out.display()));
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.lines()
        .find_map(|line| line.strip_prefix("summary:"))
        .and_then(|count| count.trim().parse::<f64>().ok())
        .ok_or_else(|| format!("{}: no summary", path.display()))
}
