//! `ingot bench`: figures beside other drivers', from one run, as ratios.

use crate::compile::words_of;
use crate::implementation::IcdArgs;
use crate::pipelines::Compiler;
use clap::Subcommand;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Arguments of `ingot bench`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Time of shader module and pipeline creation, beside another driver's on the simulator
    Compile {
        /// Folder of compute shaders (*.comp, *.spv)
        folder: PathBuf,
        /// Times each shader is compiled; the shortest counts
        #[arg(long, default_value_t = 5)]
        repeat: u32,
        /// The driver to compare with: a manifest, or `anv`
        #[arg(long, default_value = "anv")]
        with: String,
    },
    /// Compiles the shaders of a folder on one driver and prints microseconds: the worker of `compile`
    #[command(hide = true)]
    Worker {
        folder: PathBuf,
        #[arg(long)]
        repeat: u32,
        #[command(flatten)]
        icd: IcdArgs,
    },
}

/// Runs the command.
pub fn main(args: &Args) -> ExitCode {
    let result = match &args.what {
        What::Compile {
            folder,
            repeat,
            with,
        } => compare(folder, *repeat, with),
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

/// Prints `name microseconds`, or `name - why`, for each shader.
fn worker(folder: &Path, repeat: u32, icd: &IcdArgs) -> Result<(), String> {
    let compiler = Compiler::new(&icd.entry()?)?;
    println!("# {}", compiler.name);
    for path in shaders(folder)? {
        let name = path
            .file_stem()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let time = words_of(&path).and_then(|words| {
            let layout = compile::default_layout(&words, "main").map_err(|e| e.to_string())?;
            let mut bindings = Vec::new();
            for (set, content) in layout.sets.iter().enumerate() {
                for b in &content.bindings {
                    let storage = b.kind == abi::DescriptorKind::StorageBuffer;
                    bindings.push((set as u32, b.binding, storage));
                }
            }
            compiler.time(&words, &bindings, repeat)
        });
        match time {
            Ok(time) => println!("{name} {}", time.as_nanos() as f64 / 1e3),
            Err(why) => println!("{name} - {}", why.replace('\n', " ")),
        }
    }
    Ok(())
}

/// What a worker printed: times by shader, and reasons.
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

fn compare(folder: &Path, repeat: u32, with: &str) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let run = |mut command: Command| -> Result<(String, Times), String> {
        let output = command.output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(read(&String::from_utf8_lossy(&output.stdout)))
    };
    let worker = |command: &mut Command| {
        command
            .args(["bench", "worker"])
            .arg(folder)
            .arg("--repeat")
            .arg(repeat.to_string());
    };
    // Caches on disk would turn compiling into reading.
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
