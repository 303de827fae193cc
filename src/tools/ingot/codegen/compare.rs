//! `ingot bench codegen`: runs the workers of both drivers and prints the report.

use crate::codegen::args::Args;
use crate::codegen::report::{self, Comparison};
use crate::codegen::results;
use crate::codegen::row::Row;
use crate::codegen::shader_set::ShaderSet;
use crate::codegen::worker_process::WorkerProcess;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names of the drivers in the report and in file names.
const DRIVERS: [&str; 2] = ["ours", "theirs"];

/// A folder for the files of this process, removed on drop.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> Result<TemporaryFolder, String> {
        let folder = sys::private_folder().map_err(|e| e.to_string())?;
        let folder = folder.join(format!("codegen-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(TemporaryFolder(folder))
    }

    fn file(&self, driver: &str, what: &str) -> PathBuf {
        self.0.join(format!("{driver}-{what}"))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What remains lies in a folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Adds the options of a worker to its command.
fn configure(command: &mut Command, args: &Args, folder: &TemporaryFolder, driver: &str) {
    command.args(["bench", "codegen-worker"]);
    if let Some(shaders) = &args.source.folder {
        command.arg(shaders);
    }
    if let Some(archive) = &args.source.foz {
        command.arg("--foz").arg(archive);
    }
    command.args(["--repeat", &args.repeat.to_string()]);
    if let Some(code) = &args.code {
        command.arg("--code").arg(code.join(driver));
    }
    if args.listings.is_some() {
        command
            .arg("--listings")
            .arg(folder.file(driver, "listings"));
    }
    if let Some(width) = args.simd {
        command.args(["--simd", &width.to_string()]);
    }
    if let Some(integer) = args.integer {
        command.args(["--integer", &integer.to_string()]);
    }
    if args.run {
        let profile = folder.file(driver, "profile.tsv");
        // In addition to the user's options.
        let mut options = std::env::var("INGOT_SIM").unwrap_or_default();
        if !options.contains("hang=") {
            options += ",hang=1";
        }
        options += &format!(",profile={}", profile.display());
        command.arg("--profile").arg(profile);
        command.arg("--results").arg(folder.file(driver, "results"));
        command.env("INGOT_SIM", options);
    }
}

/// Measures all shaders with both drivers, one after the other.
fn measure(
    shaders: &ShaderSet,
    workers: &mut [WorkerProcess<'_>; 2],
    folder: &TemporaryFolder,
    bar: &ProgressBar,
) -> Result<Comparison, String> {
    let mut comparison = Comparison::default();
    for index in 0..shaders.count() {
        let name = shaders.name(index);
        bar.set_message(name.clone());
        let [ours, theirs] = workers;
        let (ours, theirs) = (ours.measure(index)?, theirs.measure(index)?);
        bar.inc(1);
        let ran = |row: &Result<Row, String>| {
            let ran = row.as_ref().ok().and_then(|row| row.ran.as_ref());
            ran.is_some_and(Result::is_ok)
        };
        if ran(&ours) && ran(&theirs) {
            let [a, b] = DRIVERS.map(|driver| results::read(&folder.file(driver, "results")));
            let lines = results::differences(&a?, &b?);
            if !lines.is_empty() {
                comparison.differences.insert(name.clone(), lines);
            }
        }
        comparison.ours.insert(name.clone(), ours);
        comparison.theirs.insert(name, theirs);
    }
    Ok(comparison)
}

/// Writes the machine code of a shader by both compilers to the user's folder.
fn write_listings(
    to: &Path,
    folder: &TemporaryFolder,
    name: &str,
    heads: [String; 2],
) -> Result<(), String> {
    for (driver, head) in DRIVERS.into_iter().zip(heads) {
        let from = folder.file(driver, "listings").join(name);
        let text =
            std::fs::read_to_string(&from).map_err(|e| format!("{}: {e}", from.display()))?;
        let path = to.join(format!("{name}.{driver}.asm"));
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        std::fs::create_dir_all(path.parent().unwrap_or(to)).map_err(failed)?;
        std::fs::write(&path, format!("{head}{text}")).map_err(failed)?;
    }
    Ok(())
}

/// The program if the driver to compare with is given as another build of this program.
fn other_build(driver: &str) -> Option<&Path> {
    let path = Path::new(driver);
    let is_manifest = path.extension().is_some_and(|e| e == "json");
    (driver.contains('/') && !is_manifest).then_some(path)
}

/// Runs `ingot bench codegen`.
pub fn main(args: &Args) -> Result<(), String> {
    let shaders = ShaderSet::open(&args.source)?;
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let folder = TemporaryFolder::new()?;
    let bar = ProgressBar::new(shaders.count() as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{bar:30}] {msg}") {
        bar.set_style(style);
    }
    // Disk caches would replace compilation by reading files.
    let command_of_build = |program: &Path, driver: &str| {
        let mut command = Command::new(program);
        configure(&mut command, args, &folder, driver);
        let flags = std::env::var("INGOT_DEBUG").unwrap_or_default();
        let flags = format!("nocache,{flags}");
        command.args(["--gpu", "skl"]).env("INGOT_DEBUG", flags);
        command
    };
    let ours = || command_of_build(&program, DRIVERS[0]);
    let theirs = || {
        if let Some(build) = other_build(&args.vs) {
            return command_of_build(build, DRIVERS[1]);
        }
        let mut command = Command::new(&program);
        command.args(["sim", "--driver", &args.vs, "--gpu", "skl", "--"]);
        command.arg(&program);
        configure(&mut command, args, &folder, DRIVERS[1]);
        command
            .args(["--icd", "loader"])
            .env("MESA_SHADER_CACHE_DISABLE", "true")
            .env("VK_ENABLE_PIPELINE_CACHE", "false");
        command
    };
    let mut workers = [
        WorkerProcess::new(&ours, folder.file(DRIVERS[0], "errors")),
        WorkerProcess::new(&theirs, folder.file(DRIVERS[1], "errors")),
    ];
    let comparison = measure(&shaders, &mut workers, &folder, &bar)?;
    bar.finish_and_clear();
    for (driver, worker) in DRIVERS.iter().zip(&workers) {
        println!("{driver}: {}", worker.device);
    }
    for note in shaders.notes() {
        println!("{note}");
    }
    let listed = report::print(args, &comparison);
    if let Some(to) = &args.listings {
        for name in &listed {
            write_listings(to, &folder, name, comparison.heads(name))?;
        }
        println!(
            "\n{} shaders' machine code is in {}",
            listed.len(),
            to.display()
        );
    }
    Ok(())
}
