//! `ingot bench codegen`: runs the workers of both drivers and prints the report.

use crate::codegen::args::Args;
use crate::codegen::report;
use crate::codegen::row::{Rows, parse_line};
use crate::codegen::worker::shaders;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Runs workers until every shader has a row; returns the device name and the rows. A worker that
/// crashes is started again after the shader that crashed it.
fn run(
    command: &dyn Fn(usize) -> Command,
    count: usize,
    bar: &ProgressBar,
) -> Result<(String, Rows), String> {
    let (mut rows, mut device, mut from) = (Rows::new(), String::new(), 0);
    while from < count {
        let mut child = command(from)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| e.to_string())?;
        let mut open: Option<String> = None;
        let before = from;
        let lines = child.stdout.take().map(BufReader::new);
        for line in lines.into_iter().flat_map(BufRead::lines) {
            let line = line.map_err(|e| e.to_string())?;
            if let Some(name) = line.strip_prefix("#\t") {
                device = name.to_string();
                continue;
            }
            let row = match line.split('\t').next() {
                Some("+") => parse_line(&line).ok_or_else(|| "a line that cannot be read".into()),
                Some("-") => Err(line[1..].trim().to_string()),
                _ => {
                    bar.set_message(line.clone());
                    open = Some(line);
                    continue;
                }
            };
            if let Some(name) = open.take() {
                rows.insert(name, row);
                from += 1;
                bar.inc(1);
            }
        }
        let status = child.wait().map_err(|e| e.to_string())?;
        if let Some(name) = open {
            rows.insert(name, Err(format!("the process ended: {status}")));
            from += 1;
            bar.inc(1);
        }
        if from == before {
            return Err(format!("the driver does not run: {status}"));
        }
    }
    Ok((device, rows))
}

/// Runs `ingot bench codegen`.
pub fn main(args: &Args) -> Result<(), String> {
    let count = shaders(&args.folder)?.len();
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let bar = ProgressBar::new(2 * count as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{bar:30}] {msg}") {
        bar.set_style(style);
    }
    let profile = |driver: &str| {
        let name = format!("ingot-codegen-{}-{driver}.tsv", std::process::id());
        std::env::temp_dir().join(name)
    };
    let worker = |command: &mut Command, from: usize, driver: &str| {
        command
            .args(["bench", "codegen-worker"])
            .arg(&args.folder)
            .args(["--repeat", &args.repeat.to_string()])
            .args(["--from", &from.to_string()]);
        if let Some(folder) = &args.code {
            command.arg("--code").arg(folder.join(driver));
        }
        if args.run {
            // In addition to the user's options.
            let path = profile(driver);
            let mut options = std::env::var("INGOT_SIM").unwrap_or_default();
            options += &format!(",profile={}", path.display());
            command.arg("--profile").arg(path).env("INGOT_SIM", options);
        }
    };
    // Disk caches would replace compilation by reading files.
    let ours = |from: usize| {
        let mut command = Command::new(&program);
        worker(&mut command, from, "ours");
        let flags = std::env::var("INGOT_DEBUG").unwrap_or_default();
        let flags = format!("nocache,{flags}");
        command.args(["--gpu", "skl"]).env("INGOT_DEBUG", flags);
        command
    };
    let theirs = |from: usize| {
        let mut command = Command::new(&program);
        command.args(["sim", "--driver", &args.vs, "--gpu", "skl", "--"]);
        command.arg(&program);
        worker(&mut command, from, "theirs");
        command
            .args(["--icd", "loader"])
            .env("MESA_SHADER_CACHE_DISABLE", "true")
            .env("VK_ENABLE_PIPELINE_CACHE", "false");
        command
    };
    let (our_name, ours) = run(&ours, count, &bar)?;
    let (their_name, theirs) = run(&theirs, count, &bar)?;
    bar.finish_and_clear();
    for driver in ["ours", "theirs"] {
        // The file exists only with `--run`.
        let _ = std::fs::remove_file(profile(driver));
    }
    println!("ours: {our_name}\ntheirs: {their_name}");
    report::print(args, &ours, &theirs);
    Ok(())
}
