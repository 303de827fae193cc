//! `ingot bench`: measurements of Ingot and another driver in one run, with their ratios.

use crate::compile::{only_entry, words_of};
use crate::manifests;
use crate::pipelines::Compiler;
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};
use ingot_cli::icd_args::IcdArgs;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Arguments of `ingot bench`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Time of shader module and pipeline creation, compared with another driver on the simulator
    Compile {
        /// Folder of compute shaders (*.comp, *.spv)
        folder: PathBuf,
        /// Compilations of each shader; the shortest time counts
        #[arg(long, default_value_t = 5)]
        repeat: u32,
        /// The driver to compare with: a manifest, or `anv`
        #[arg(long, default_value = "anv")]
        with: String,
    },
    /// Speed of the simulated EUs on a dispatch of ten million invocations, compared with another
    /// implementation
    Simulator {
        /// The dispatch, as a script [default: a built-in one]
        script: Option<PathBuf>,
        /// Implementation to compare with: a manifest for the Vulkan loader, or `lavapipe`
        #[arg(long, default_value = "lavapipe")]
        with: String,
        /// Runs of the script; the shortest time counts
        #[arg(long, default_value_t = 3)]
        repeat: u32,
    },
    /// Instructions, messages and spills of shaders, static or executed, compared with another
    /// driver on the simulator
    Codegen(crate::codegen::Args),
    /// Measures the shaders of a folder on one driver: the worker of `codegen`
    #[command(hide = true)]
    CodegenWorker(crate::codegen::WorkerArgs),
    /// CPU time of recording and submitting, compared with another driver, on a null kernel
    Record(crate::record::Args),
    /// Calls one driver: the worker of `record`
    #[command(hide = true)]
    RecordWorker(crate::record::WorkerArgs),
    /// Compiles the shaders of a folder on one driver and prints microseconds: the worker of
    /// `compile`
    #[command(hide = true)]
    Worker {
        folder: PathBuf,
        #[arg(long)]
        repeat: u32,
        #[command(flatten)]
        icd: IcdArgs,
    },
}

/// Runs `ingot bench`.
pub fn main(args: &Args) -> ExitCode {
    let result = match &args.what {
        What::Compile {
            folder,
            repeat,
            with,
        } => compare(folder, *repeat, with),
        What::Simulator {
            script,
            with,
            repeat,
        } => simulator(script.as_deref(), with, *repeat),
        What::Codegen(args) => crate::codegen::main(args),
        What::CodegenWorker(args) => crate::codegen::worker(args),
        What::Record(args) => crate::record::main(args),
        What::RecordWorker(args) => crate::record::worker(args),
        What::Worker {
            folder,
            repeat,
            icd,
        } => worker(folder, *repeat, icd),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("ingot bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn shaders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "comp" || e == "spv"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no *.comp or *.spv there", folder.display()));
    }
    Ok(files)
}

/// Prints `name microseconds`, or `name - error`, for each shader.
fn worker(folder: &Path, repeat: u32, icd: &IcdArgs) -> Result<(), String> {
    let compiler = Compiler::new(&icd.entry()?)?;
    println!("# {}", compiler.name());
    for path in shaders(folder)? {
        let name = path
            .file_stem()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let time = words_of(&path).and_then(|words| {
            let entry = only_entry(&words)?;
            let layout = compile::default_layout(&words, compile::Stage::Compute, &entry)
                .map_err(|e| e.to_string())?;
            let mut bindings = Vec::new();
            for (set, content) in layout.sets.iter().enumerate() {
                for b in &content.bindings {
                    let storage = b.kind == abi::DescriptorKind::StorageBuffer;
                    bindings.push((set as u32, b.binding, storage));
                }
            }
            let entry = CString::new(entry).map_err(|e| e.to_string())?;
            compiler.time(&words, &entry, &bindings, repeat)
        });
        match time {
            Ok(time) => println!("{name} {}", time.as_nanos() as f64 / 1e3),
            Err(why) => println!("{name} - {}", why.replace('\n', " ")),
        }
    }
    Ok(())
}

/// Parses a worker's output: times and errors by shader.
type Times = BTreeMap<String, Result<f64, String>>;

fn read(output: &str) -> (String, Times) {
    let mut times = Times::new();
    let mut device = String::new();
    for line in output.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            device = name.to_string();
        } else if let Some((name, rest)) = line.split_once(' ') {
            let time = rest.parse::<f64>().map_err(|_| rest.to_string());
            times.insert(name.to_string(), time);
        }
    }
    (device, times)
}

/// A progress bar on a terminal.
fn progress(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{bar:30}] {msg}") {
        bar.set_style(style);
    }
    bar
}

fn compare(folder: &Path, repeat: u32, with: &str) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let bar = progress(2 * shaders(folder)?.len() as u64);
    // A worker prints a line for each shader as it goes.
    let run = |mut command: Command| -> Result<(String, Times), String> {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().map_err(|e| e.to_string())?;
        let mut errors = child.stderr.take();
        let listener = std::thread::spawn(move || {
            let mut text = String::new();
            // Malformed lines are ignored.
            let _ = errors.as_mut().map(|from| from.read_to_string(&mut text));
            text
        });
        let mut lines = String::new();
        for line in child
            .stdout
            .take()
            .map(BufReader::new)
            .into_iter()
            .flat_map(BufRead::lines)
        {
            let line = line.map_err(|e| e.to_string())?;
            if !line.starts_with('#') {
                bar.set_message(line.split(' ').next().unwrap_or_default().to_string());
                bar.inc(1);
            }
            lines += &line;
            lines.push('\n');
        }
        let status = child.wait().map_err(|e| e.to_string())?;
        match status.success() {
            true => Ok(read(&lines)),
            false => Err(listener.join().unwrap_or_default()),
        }
    };
    let worker = |command: &mut Command| {
        command
            .args(["bench", "worker"])
            .arg(folder)
            .arg("--repeat")
            .arg(repeat.to_string());
    };
    // Disk caches would replace compilation by reading files.
    let mut ours = Command::new(&program);
    worker(&mut ours);
    ours.args(["--gpu", "skl"]).env("INGOT_DEBUG", "nocache");
    let mut theirs = Command::new(&program);
    theirs.args(["sim", "--driver", with, "--gpu", "skl", "--"]);
    theirs.arg(&program);
    worker(&mut theirs);
    theirs
        .args(["--icd", "loader"])
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("VK_ENABLE_PIPELINE_CACHE", "false");
    let ((our_name, ours), (their_name, theirs)) = (run(ours)?, run(theirs)?);
    bar.finish_and_clear();
    println!(
        "{:24} {:>10} {:>10} {:>7}",
        "shader", "ours µs", "theirs µs", "ratio"
    );
    let mut ratios = Vec::new();
    for (name, time) in &ours {
        match (time, theirs.get(name)) {
            (Ok(a), Some(Ok(b))) => {
                println!("{name:24} {a:10.0} {b:10.0} {:7.2}", a / b);
                ratios.push(a / b);
            }
            (Err(why), _) => println!("{name:24} ours: {why}"),
            (_, Some(Err(why))) => println!("{name:24} theirs: {why}"),
            _ => {}
        }
    }
    ratios.sort_by(f64::total_cmp);
    let at = |part: f64| ratios.get((ratios.len() as f64 * part) as usize).copied();
    if let (Some(low), Some(median), Some(high)) = (at(0.1), at(0.5), at(0.9)) {
        println!(
            "\n{} shaders; ratio ours ({our_name}) / theirs ({their_name}): median {median:.2}, 10 % {low:.2}, 90 % {high:.2}",
            ratios.len()
        );
    }
    Ok(())
}

/// Number of invocations that a script dispatches, with the workgroup sizes of its SPIR-V.
fn invocations(script: &vkrunner::Script) -> Result<u64, String> {
    let modules = vkrunner::Runner::compile(script)?;
    let (_, words) = modules.first().ok_or("the script has no shader")?;
    let size = compile::workgroup_size(words, "main").map_err(|e| e.to_string())?;
    let per_group: u64 = size.iter().map(|n| u64::from(*n)).product();
    Ok(script.workgroups() * per_group)
}

/// Runs a script on the simulator in this process, and on another implementation in a child
/// process.
fn simulator(path: Option<&Path>, with: &str, repeat: u32) -> Result<(), String> {
    let own;
    let path = match path {
        Some(path) => path,
        None => {
            // The child process reads the script from a file.
            let folder = sys::private_folder().map_err(|e| e.to_string())?;
            own = folder.join("dispatch.shader_test");
            let text = include_str!("../../../benches/dispatch.shader_test");
            std::fs::write(&own, text).map_err(|e| format!("{}: {e}", own.display()))?;
            &own
        }
    };
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let bar = progress(u64::from(repeat) * 2);
    let script = vkrunner::parse(&text, &[]).map_err(|e| e.to_string())?;
    let invocations = invocations(&script)?;
    let instructions = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&instructions);
    // The simulator reports the number of instructions of each submission.
    let sink = kmd::LogSink::new(move |line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            if pair[1] == "EU"
                && let Ok(n) = pair[0].parse()
            {
                counter.store(n, Relaxed);
            }
        }
    });
    let options = kmd::Options {
        trace_submits: true,
        sink,
        ..kmd::Options::default()
    };
    let device = kmd::Device::new("skl", options).map_err(|e| e.to_string())?;
    icd::set_kernel_source(Arc::new(move || -> Vec<Arc<dyn uapi::Kernel>> {
        vec![device.open()]
    }));
    let entry = vkrunner::EntryPoint::Function(icd::get_instance_proc_addr());
    let mut runner = vkrunner::Runner::new(entry, vkrunner::RunnerOptions::default());
    let mut best = f64::MAX;
    for _ in 0..repeat {
        bar.set_message("the simulator");
        let start = Instant::now();
        let outcome = runner.run(&script);
        best = best.min(start.elapsed().as_secs_f64());
        if outcome.verdict != vkrunner::Verdict::Pass {
            return Err(outcome.log.join("\n"));
        }
        bar.inc(1);
    }
    let count = instructions.load(Relaxed);
    bar.suspend(|| println!("{invocations} invocations, {count} EU instructions"));
    println!(
        "simulator: {best:.3} s, {:.1} M EU instructions/s, {:.1} M invocations/s",
        count as f64 / best / 1e6,
        invocations as f64 / best / 1e6
    );
    let manifest = match with {
        "lavapipe" => manifests::find("lvp_icd")?,
        path => path.into(),
    };
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut theirs = f64::MAX;
    for _ in 0..repeat {
        bar.set_message(with.to_string());
        let output = Command::new(&program)
            .args(["run", "--icd", "loader", "-v"])
            .arg(path)
            .env("VK_ICD_FILENAMES", &manifest)
            .output()
            .map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let time = text.lines().find_map(|l| {
            l.strip_prefix("pass")?
                .split_whitespace()
                .next()?
                .parse::<f64>()
                .ok()
        });
        theirs = theirs.min(time.ok_or_else(|| format!("{with} did not pass: {text}"))? / 1e3);
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!(
        "{with}: {theirs:.3} s, {:.1} M invocations/s; ratio simulator/{with} {:.2}",
        invocations as f64 / theirs / 1e6,
        best / theirs
    );
    Ok(())
}
