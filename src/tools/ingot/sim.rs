//! `ingot sim`: any program on the simulated GPU, by preloading `libingot_sim.so`.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Arguments of `ingot sim`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    ingot sim -- vulkaninfo --summary\n  \
    ingot sim --gpu skl --strict -- vkcube --c 60\n  \
    ingot sim --rules                         what --strict demands\n  \
    ingot sim --gaps                          what is not simulated yet\n  \
    ingot sim --dump-targets pictures -- vkcube --c 1\n  \
    ingot sim --record cube.rec -- vkcube --c 1 && ingot sim --replay cube.rec\n\n\
    The Vulkan loader picks drivers as always; VK_DRIVER_FILES=ingot_icd.json or --driver narrows it to one.")]
pub struct Args {
    /// Simulated GPU (also INGOT_GPU; skl by default)
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// Stop at everything that a real machine would not forgive
    #[arg(long)]
    strict: bool,
    /// Write what these units do, comma-separated: ioctl, submit, cs (commands), eu (instructions)
    #[arg(long, value_name = "UNITS")]
    trace: Option<String>,
    /// Write what each dispatch and draw costs to a file: a table, or a timeline if it ends in .svg
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Write every submission to a file, for --replay and `ingot batch`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write what each batch has drawn to PNG files in a folder; with `,draws` after it, what each draw has
    #[arg(long, value_name = "DIR[,draws]")]
    dump_targets: Option<String>,
    /// Execute the submissions of such a file again, with no program
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "command"])]
    replay: Option<PathBuf>,
    /// Use only this Vulkan driver: a JSON manifest, or `ingot` or `anv`
    #[arg(long, value_name = "DRIVER")]
    driver: Option<String>,
    /// Print the rules of strict mode, with where the PRM has them
    #[arg(long)]
    rules: bool,
    /// Print what is not simulated yet: the unit, what asks for it, and what a batch ends with
    #[arg(long)]
    gaps: bool,
    /// The program and its arguments
    #[arg(
        required_unless_present_any = ["replay", "rules", "gaps"],
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    command: Vec<OsString>,
}

impl Args {
    /// Folder for pictures of render targets, and whether after each draw.
    fn targets(&self) -> Option<(PathBuf, bool)> {
        let text = self.dump_targets.as_ref()?;
        Some(match text.strip_suffix(",draws") {
            Some(folder) => (folder.into(), true),
            None => (text.into(), false),
        })
    }
}

/// Runs the command, and returns only if it could not be started; or replays a recording.
pub fn main(args: &Args) -> ExitCode {
    if args.rules {
        return rules();
    }
    if args.gaps {
        return gaps();
    }
    if let Some(path) = &args.replay {
        return match crate::recording::replay(path, args.strict, args.targets()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("ingot sim --replay: {message}");
                ExitCode::FAILURE
            }
        };
    }
    match command(args) {
        Ok(mut command) => {
            let error = command.exec();
            eprintln!("ingot sim: {}: {error}", args.command[0].to_string_lossy());
        }
        Err(message) => eprintln!("ingot sim: {message}"),
    }
    ExitCode::FAILURE
}

fn command(args: &Args) -> Result<Command, String> {
    let (program, arguments) = args.command.split_first().ok_or("no program given")?;
    let mut command = Command::new(program);
    command.args(arguments);
    let library = find(
        "libingot_sim.so",
        &["../lib/ingot", "../lib/x86_64-linux-gnu/ingot"],
    )?;
    let mut preload = library.into_os_string();
    if let Some(others) = std::env::var_os("LD_PRELOAD") {
        preload.push(":");
        preload.push(others);
    }
    command.env("LD_PRELOAD", preload);
    match &args.gpu {
        Some(gpu) => {
            command.env("INGOT_GPU", gpu);
        }
        None if std::env::var_os("INGOT_GPU").is_none() => {
            command.env("INGOT_GPU", "skl");
        }
        None => {}
    }
    let mut options: Vec<String> = std::env::var("INGOT_SIM").into_iter().collect();
    if args.strict {
        options.push("strict".into());
    }
    if let Some(units) = &args.trace {
        options.extend(units.split(',').map(|unit| format!("trace={unit}")));
    }
    for (name, path) in [("record", &args.record), ("profile", &args.profile)] {
        if let Some(path) = path {
            // The program may change its working directory.
            let path = std::path::absolute(path).map_err(|e| format!("{}: {e}", path.display()))?;
            options.push(format!("{name}={}", path.display()));
        }
    }
    if let Some((folder, each_draw)) = args.targets() {
        let path =
            std::path::absolute(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let name = if each_draw { "draw-targets" } else { "targets" };
        options.push(format!("{name}={}", path.display()));
    }
    if !options.is_empty() {
        command.env("INGOT_SIM", options.join(","));
    }
    // Mesa shows a swapchain's images by DRI3 or linux-dmabuf, and the X server or compositor cannot open a device that
    // only this process sees: the window system layer must copy them by the CPU instead.
    if std::env::var_os("MESA_VK_WSI_DEBUG").is_none() {
        command.env("MESA_VK_WSI_DEBUG", "sw");
    }
    if let Some(driver) = &args.driver {
        let manifest = manifest(driver)?;
        command.env("VK_DRIVER_FILES", &manifest);
        command.env("VK_ICD_FILENAMES", &manifest);
        // Mesa's device-selection layer would enumerate everything once more.
        command.env("NODEVICE_SELECT", "1");
    }
    Ok(command)
}

/// The rules as a table: those for batches and dispatches, those for threads, those for single instructions.
fn rules() -> ExitCode {
    let (mut rows, mut out) = (Vec::new(), String::new());
    rows.extend(gpu::RULES.iter().map(|r| (r.name, r.help, r.prm.into())));
    rows.extend(eu::RULES.iter().map(|r| (r.name, r.help, r.prm.into())));
    let instructions = isa::rules(hw::Gen::Gen9);
    rows.extend(instructions.map(|r| (r.rule, r.text, format!("SKL PRM, \"{}\"", r.prm))));
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    for (name, demand, prm) in rows {
        out += &format!("{name:width$}  {demand}  [{prm}]\n");
    }
    print(&out)
}

fn print(text: &str) -> ExitCode {
    // A pager that is closed early is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

/// The gaps as a table, by unit.
fn gaps() -> ExitCode {
    let mut out = String::new();
    let wide = |of: fn(&gpu::Gap) -> &str| gpu::GAPS.iter().map(|g| of(g).len()).max();
    let file = wide(|g| g.file).unwrap_or(0);
    let asked_by = wide(|g| g.asked_by).unwrap_or(0);
    for gap in gpu::GAPS {
        out += &format!(
            "{:file$}  {:asked_by$}  {}\n",
            gap.file, gap.asked_by, gap.what
        );
    }
    print(&out)
}

/// A file of ours: beside this program (a build tree), or where an installation puts it.
fn find(name: &str, installed: &[&str]) -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let folder = program.parent().ok_or("this program has no folder")?;
    let candidates = std::iter::once(folder.join(name))
        .chain(installed.iter().map(|d| folder.join(d).join(name)));
    for candidate in candidates {
        if candidate.is_file() {
            return candidate.canonicalize().map_err(|e| e.to_string());
        }
    }
    Err(format!(
        "{name} is not beside {} nor installed: `cargo build --workspace` (with --release if this program is a release build) makes it",
        program.display()
    ))
}

/// A manifest by file name, or by the name of a driver.
fn manifest(driver: &str) -> Result<PathBuf, String> {
    let system = |name: &str| {
        let path = PathBuf::from("/usr/share/vulkan/icd.d").join(name);
        path.is_file()
            .then_some(path.clone())
            .ok_or_else(|| format!("{} is not there", path.display()))
    };
    match driver {
        "anv" => system("intel_icd.x86_64.json"),
        "hasvk" => system("intel_hasvk_icd.x86_64.json"),
        "ingot" => build_tree_manifest(),
        path => {
            let path = PathBuf::from(path);
            path.canonicalize()
                .map_err(|e| format!("{}: {e}", path.display()))
        }
    }
}

/// The installed manifest, or one written beside the driver of a build tree.
fn build_tree_manifest() -> Result<PathBuf, String> {
    let library = find("libvulkan_ingot.so", &["../lib", "../lib/x86_64-linux-gnu"])?;
    let folder = library.parent().ok_or("the driver has no folder")?;
    let path = folder.join("ingot_icd.json");
    let text = format!(
        "{{\"file_format_version\": \"1.0.0\", \"ICD\": {{\"library_path\": \"{}\", \"api_version\": \"1.1.0\"}}}}\n",
        library.display()
    );
    let installed = PathBuf::from("/usr/share/vulkan/icd.d/ingot_icd.x86_64.json");
    match std::fs::write(&path, text) {
        Ok(()) => Ok(path),
        Err(_) if installed.is_file() => Ok(installed),
        Err(e) => Err(format!("{}: {e}", path.display())),
    }
}
