//! `ingot bench codegen`: what two drivers' compilers make of the same shaders.
//!
//! In:  a folder of vertex, fragment and compute shaders, GLSL or SPIR-V. Out: for each stage and SIMD width the geometric mean of the
//! ratios of instructions, the totals of instructions, messages, spills and fills, the worst shaders, the time that pipelines took; and
//! what one of both refuses.
//!
//! Each driver runs in a process of its own, which is started again behind a shader that ended it.

mod device;
mod interface;

use crate::compile::words_of;
use crate::implementation::IcdArgs;
use device::{Device, Executable, Statistics};
use indicatif::{ProgressBar, ProgressStyle};
use interface::Interface;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Arguments of `ingot bench codegen`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of shaders (*.vert, *.frag, *.comp, *.spv), searched whole
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
    #[command(flatten)]
    icd: IcdArgs,
}

/// What a driver makes of a shader.
struct Row {
    stage: String,
    micros: f64,
    by_width: BTreeMap<u32, Statistics>,
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
            } else if matches!(kind, Some("vert" | "frag" | "comp" | "spv")) {
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
            let measured = device.measure(&shader, args.repeat, args.code.is_some())?;
            Ok((shader.stage, measured))
        });
        match measured {
            Ok((stage, (time, told))) => {
                if let Some(folder) = &args.code {
                    write_texts(
                        &folder.join(path.strip_prefix(&args.folder).unwrap_or(path)),
                        &told,
                    )?;
                }
                let told = told.iter().map(|e| {
                    let s = &e.statistics;
                    format!(
                        "{} {} {} {} {} {}",
                        s.width, s.instructions, s.sends, s.spills, s.fills, s.cycles
                    )
                });
                let told: Vec<String> = told.collect();
                let micros = time.as_nanos() as f64 / 1e3;
                println!("+\t{stage:?}\t{micros}\t{}", told.join("\t"));
            }
            Err(why) => println!("-\t{}", why.replace(['\n', '\t'], " ")),
        }
    }
    Ok(())
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

fn figures(line: &str) -> Option<Row> {
    let mut fields = line.split('\t').skip(1);
    let stage = fields.next()?.to_string();
    let micros = fields.next()?.parse().ok()?;
    let mut by_width = BTreeMap::new();
    for field in fields.filter(|f| !f.is_empty()) {
        let n: Vec<f64> = field.split(' ').filter_map(|n| n.parse().ok()).collect();
        let &[width, instructions, sends, spills, fills, cycles] = &n[..] else {
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
    let worker = |command: &mut Command, from: usize, driver: &str| {
        command
            .args(["bench", "codegen-worker"])
            .arg(&args.folder)
            .args(["--repeat", &args.repeat.to_string()])
            .args(["--from", &from.to_string()]);
        if let Some(folder) = &args.code {
            command.arg("--code").arg(folder.join(driver));
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
    println!("ours: {our_name}\ntheirs: {their_name}");
    report(args, &ours, &theirs);
    Ok(())
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = ratios.fold((0.0, 0u32), |(sum, n), r| (sum + r.ln(), n + 1));
    (sum / f64::from(n.max(1))).exp()
}

fn report(args: &Args, ours: &Rows, theirs: &Rows) {
    for (name, row) in ours {
        match (row, theirs.get(name)) {
            // What no pipeline can be laid out for goes to neither.
            (Err(a), Some(Err(b))) if a == b => println!("not measured   {name}: {a}"),
            (Err(a), Some(Err(b))) => println!("both refuse   {name}: {a}; {b}"),
            (Err(why), _) => println!("ours refuses   {name}: {why}"),
            (_, Some(Err(why))) => println!("theirs refuses {name}: {why}"),
            _ => {}
        }
    }
    for stage in ["Vertex", "Fragment", "Compute"] {
        let both: Vec<(&String, &Row, &Row)> = ours
            .iter()
            .filter_map(|(name, row)| {
                let (a, b) = (row.as_ref().ok()?, theirs.get(name)?.as_ref().ok()?);
                (a.stage == stage).then_some((name, a, b))
            })
            .collect();
        if both.is_empty() {
            continue;
        }
        let time = geometric_mean(both.iter().map(|(_, a, b)| a.micros / b.micros));
        let total = |f: fn(&(&String, &Row, &Row)) -> f64| both.iter().map(f).sum::<f64>();
        let whole = total(|r| r.1.micros) / total(|r| r.2.micros);
        println!(
            "\n{stage}: {} shaders; time of pipelines {time:.2} (geometric mean), {whole:.2} of the total",
            both.len()
        );
        for width in [8, 16, 32] {
            width_report(args, width, &both);
        }
    }
}

fn width_report(args: &Args, width: u32, both: &[(&String, &Row, &Row)]) {
    let has = |row: &Row| row.by_width.contains_key(&width);
    let alone = both.iter().filter(|r| !has(r.1) && has(r.2)).count();
    let mut pairs: Vec<(&String, &Statistics, &Statistics)> = both
        .iter()
        .filter_map(|r| Some((r.0, r.1.by_width.get(&width)?, r.2.by_width.get(&width)?)))
        .filter(|p| p.1.instructions > 0.0 && p.2.instructions > 0.0)
        .collect();
    if pairs.is_empty() {
        return;
    }
    let ratio = |p: &(&String, &Statistics, &Statistics)| p.1.instructions / p.2.instructions;
    let sum = |f: fn(&Statistics) -> f64| {
        let (a, b) = pairs
            .iter()
            .fold((0.0, 0.0), |s, p| (s.0 + f(p.1), s.1 + f(p.2)));
        format!("{a} : {b}")
    };
    println!(
        "SIMD{width}: {} shaders, instructions {:.3} (geometric mean), {}; sends {}; spills {}; fills {}; {alone} have it in theirs alone",
        pairs.len(),
        geometric_mean(pairs.iter().map(ratio)),
        sum(|s| s.instructions),
        sum(|s| s.sends),
        sum(|s| s.spills),
        sum(|s| s.fills),
    );
    pairs.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    let shown = if args.all { pairs.len() } else { args.worst };
    for p in pairs.iter().take(shown) {
        println!(
            "    {:6.2}  {:>6} : {:<6} sends {:>4} : {:<4} {}",
            ratio(p),
            p.1.instructions,
            p.2.instructions,
            p.1.sends,
            p.2.sends,
            p.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_s_line_is_read_back() {
        let row = figures("+\tFragment\t12.5\t8 40 3 0 0 700\t16 41 3 2 1 800").unwrap();
        assert_eq!((row.stage.as_str(), row.micros), ("Fragment", 12.5));
        let wide = &row.by_width[&16];
        assert_eq!(
            (wide.instructions, wide.spills, wide.fills),
            (41.0, 2.0, 1.0)
        );
        assert!(figures("+\tFragment\t12.5\t8 40 3").is_none());
    }

    #[test]
    fn the_mean_of_ratios_is_geometric() {
        assert!((geometric_mean([0.5, 2.0].into_iter()) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_fragment_shader_gets_a_vertex_shader_that_fits() {
        let text = "#version 450\n\
            layout(set = 1, binding = 2) uniform sampler2D s[3];\n\
            layout(location = 0) in mat2 m;\n\
            layout(location = 4) flat in int k;\n\
            layout(location = 1) out vec4 o;\n\
            void main() { o = texture(s[1], m[0]) * m[1].x + k; }";
        let words =
            vkrunner::compile_glsl(vkrunner::ShaderStage::Fragment, text, (1, 1, 0)).unwrap();
        let shader = Interface::new(words).unwrap();
        let inputs: Vec<_> = shader
            .inputs
            .iter()
            .map(|i| (i.number, i.integer))
            .collect();
        assert_eq!(inputs, [(0, false), (1, false), (4, true)]);
        let outputs: Vec<_> = shader.outputs.iter().map(|o| o.number).collect();
        assert_eq!(outputs, [1]);
        let bound: Vec<_> = shader
            .bindings
            .iter()
            .map(|b| (b.set, b.binding, b.count))
            .collect();
        assert_eq!(bound, [(1, 2, 3)]);
        let vertex = shader.vertex_shader().unwrap();
        let vertex = Interface::new(vertex).unwrap();
        let outputs: Vec<_> = vertex
            .outputs
            .iter()
            .map(|o| (o.number, o.integer))
            .collect();
        assert_eq!(outputs, inputs);
    }
}
