//! `ingot bench codegen`: what two drivers' compilers make of the same shaders.
//!
//! In:  a folder of shaders of all stages, GLSL or SPIR-V. Out: for each stage and SIMD width the geometric mean of the ratios of
//! instructions, the totals of instructions, messages, spills and fills, the worst shaders, the time that pipelines took; and what one of
//! both refuses. With `--run` each shader runs once on the simulated GPU, on the same inputs with both drivers: cycles by the simulator's
//! timing model, and which shaders compute something else.
//!
//! Each driver runs in a process of its own, which is started again behind a shader that ended it.

mod contents;
mod device;
mod execute;
mod interface;
mod neighbours;
mod pile;
mod pipeline;
mod report;
mod resources;

use crate::compile::words_of;
use crate::implementation::IcdArgs;
use device::{Device, Executable, Measured, Statistics};
use execute::Ran;
use indicatif::{ProgressBar, ProgressStyle};
use interface::Interface;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Arguments of `ingot bench codegen`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of shaders (*.vert, *.tesc, *.tese, *.geom, *.frag, *.comp, *.spv), searched whole
    folder: PathBuf,
    /// The driver to compare with: a manifest, or `anv`
    #[arg(long, default_value = "anv")]
    vs: String,
    /// Times each pipeline is made; the shortest counts
    #[arg(long, default_value_t = 3)]
    repeat: u32,
    /// How many of the worst shaders are named
    #[arg(long, default_value_t = 20)]
    worst: usize,
    /// Print every shader's figures too
    #[arg(long)]
    all: bool,
    /// Write what each compiler shows of its code (passes, machine code) into this folder, as SHADER.SIMDn.NAME
    #[arg(long)]
    code: Option<PathBuf>,
    /// Run each shader once on the simulated GPU, too: cycles by its timing model, and whether both drivers compute the same
    #[arg(long)]
    run: bool,
}

/// Arguments of its worker.
#[derive(clap::Args)]
pub struct WorkerArgs {
    folder: PathBuf,
    #[arg(long)]
    repeat: u32,
    /// Shaders that are left out
    #[arg(long)]
    from: usize,
    /// Folder for what the compiler shows
    #[arg(long)]
    code: Option<PathBuf>,
    /// Run each shader, too, and read this profile of the simulator
    #[arg(long)]
    profile: Option<PathBuf>,
    #[command(flatten)]
    icd: IcdArgs,
}

/// What a driver makes of a shader.
struct Row {
    stage: String,
    micros: f64,
    by_width: BTreeMap<u32, Statistics>,
    /// None where it was not asked for.
    ran: Option<Result<Ran, String>>,
}

/// By shader.
type Rows = BTreeMap<String, Result<Row, String>>;

fn shaders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for path in entries.filter_map(Result::ok).map(|e| e.path()) {
            let kind = path.extension().and_then(|e| e.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(
                kind,
                Some("vert" | "tesc" | "tese" | "geom" | "frag" | "comp" | "spv")
            ) {
                out.push(path);
            }
        }
    }
    out.sort();
    if out.is_empty() {
        return Err(format!("{}: no shaders there", folder.display()));
    }
    Ok(out)
}

/// Prints a line for each shader from `from` on: name, then figures or a reason.
pub fn worker(args: &WorkerArgs) -> Result<(), String> {
    let device = Device::new(&args.icd.entry()?)?;
    println!("#\t{}", device.name());
    for path in shaders(&args.folder)?.iter().skip(args.from) {
        let name = path.strip_prefix(&args.folder).unwrap_or(path).display();
        // Said before: it may be the last word.
        println!("{name}");
        let measured = words_of(path).and_then(Interface::new).and_then(|shader| {
            let profile = args.profile.as_deref();
            let texts = args.code.is_some();
            let measured = device.measure(&shader, args.repeat, texts, profile)?;
            Ok((shader.stage, measured))
        });
        match measured {
            Ok((stage, measured)) => {
                if let Some(folder) = &args.code {
                    let name = path.strip_prefix(&args.folder).unwrap_or(path);
                    write_texts(&folder.join(name), &measured.executables)?;
                }
                println!("{}", line(stage, &measured));
                if let Some(Err(_)) = measured.ran {
                    // The device may be lost: the next process has another.
                    return Ok(());
                }
            }
            Err(why) => println!("-\t{}", plain(&why)),
        }
    }
    Ok(())
}

/// A text without what separates fields.
fn plain(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

/// A worker's line of a shader.
fn line(stage: compile::Stage, measured: &Measured) -> String {
    let micros = measured.time.as_nanos() as f64 / 1e3;
    let ran = match &measured.ran {
        None => String::new(),
        Some(Err(why)) => format!("!{}", plain(why)),
        Some(Ok(ran)) => ran.figures().map(|n| n.to_string()).join(" "),
    };
    let told = measured.executables.iter().map(|e| {
        let s = &e.statistics;
        let (width, instructions, sends) = (s.width, s.instructions, s.sends);
        format!(
            "\t{width} {instructions} {sends} {} {} {}",
            s.spills, s.fills, s.cycles
        )
    });
    format!("+\t{stage:?}\t{micros}\t{ran}{}", told.collect::<String>())
}

/// A file for each text of a shader's executables.
fn write_texts(shader: &Path, executables: &[Executable]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", shader.display());
    if let Some(folder) = shader.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    for executable in executables {
        for (name, text) in &executable.texts {
            let mut file = shader.as_os_str().to_owned();
            let name = name.replace([' ', '/'], "_");
            file.push(format!(".SIMD{}.{name}", executable.statistics.width));
            std::fs::write(file, text).map_err(failed)?;
        }
    }
    Ok(())
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(' ').filter_map(|n| n.parse().ok()).collect()
}

fn figures(line: &str) -> Option<Row> {
    let mut fields = line.split('\t').skip(1);
    let stage = fields.next()?.to_string();
    let micros = fields.next()?.parse().ok()?;
    let ran = match fields.next()? {
        "" => None,
        text => Some(match text.strip_prefix('!') {
            Some(why) => Err(why.to_owned()),
            None => Ok(Ran::of_figures(&numbers(text))?),
        }),
    };
    let mut by_width = BTreeMap::new();
    for field in fields.filter(|f| !f.is_empty()) {
        let &[width, instructions, sends, spills, fills, cycles] = &numbers(field)[..] else {
            return None;
        };
        by_width.insert(
            width as u32,
            Statistics {
                width: width as u32,
                instructions,
                sends,
                spills,
                fills,
                cycles,
            },
        );
    }
    Some(Row {
        stage,
        micros,
        by_width,
        ran,
    })
}

/// Runs workers until every shader has a row.
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
                Some("+") => figures(&line).ok_or_else(|| "a line that cannot be read".into()),
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

/// Runs the command.
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
            // On top of what the user asks of the simulator.
            let path = profile(driver);
            let mut options = std::env::var("INGOT_SIM").unwrap_or_default();
            options += &format!(",profile={}", path.display());
            command.arg("--profile").arg(path).env("INGOT_SIM", options);
        }
    };
    // Caches on disk would turn compiling into reading.
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
        // Not there without `--run`.
        let _ = std::fs::remove_file(profile(driver));
    }
    println!("ours: {our_name}\ntheirs: {their_name}");
    report::print(args, &ours, &theirs);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_s_line_is_read_back() {
        let row = figures("+\tFragment\t12.5\t\t8 40 3 0 0 700\t16 41 3 2 1 800").unwrap();
        assert_eq!((row.stage.as_str(), row.micros), ("Fragment", 12.5));
        let wide = &row.by_width[&16];
        assert_eq!(
            (wide.instructions, wide.spills, wide.fills),
            (41.0, 2.0, 1.0)
        );
        assert!(row.ran.is_none());
        assert!(figures("+\tFragment\t12.5\t\t8 40 3").is_none());
        let row = figures("+\tVertex\t1\t!it hangs\t8 40 3 0 0 700").unwrap();
        assert_eq!(row.ran, Some(Err("it hangs".to_owned())));
        let row = figures("+\tVertex\t1\t1 8 40 80 700 100 0.5").unwrap();
        let ran = row.ran.unwrap().unwrap();
        assert_eq!((ran.alone, ran.sum), (700.0, 0.5));
    }
}
