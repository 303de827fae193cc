//! `ingot sim`: any program on the simulated GPU, by preloading `libingot_sim.so`.

use crate::manifests;
use ingot_cli::gpu_names;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Arguments of `ingot sim`.
#[derive(clap::Args)]
#[command(after_help = help())]
pub struct Args {
    /// Simulated GPU (also INGOT_GPU; skl by default)
    #[arg(long, value_name = "NAME", value_parser = crate::value_parsers::simulated_gpu)]
    gpu: Option<String>,
    /// Strict mode: stop at everything that could fail on real hardware
    #[arg(long)]
    strict: bool,
    /// Trace these units, comma-separated: ioctl, submit, cs (commands), eu (instructions)
    #[arg(long, value_name = "UNITS", value_parser = crate::value_parsers::units)]
    trace: Option<String>,
    /// Write the cost of each dispatch and draw to a file: a table, or a timeline if it ends in
    /// .svg
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Write every submission to a file, for --replay and `ingot batch`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the render targets after each batch to PNG files in a folder; with `,draws`: after
    /// each draw
    #[arg(long, value_name = "DIR[,draws]")]
    dump_targets: Option<String>,
    /// Execute the submissions of a recording again, without a program, on the GPU that it was
    /// recorded for
    #[arg(
        long,
        value_name = "FILE",
        value_parser = crate::value_parsers::existing_path,
        conflicts_with_all = ["record", "command", "gpu", "driver"]
    )]
    replay: Option<PathBuf>,
    /// Use only this driver: `ingot`, `anv` or `hasvk` (Vulkan), `iris` (OpenGL), `neo` (OpenCL),
    /// or a Vulkan driver's JSON manifest
    #[arg(long, value_name = "DRIVER")]
    driver: Option<String>,
    /// Print the rules of strict mode, with references to the PRM
    #[arg(long)]
    rules: bool,
    /// Print what is not simulated yet: the unit, the feature, and the error that a batch ends with
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

/// The text below the options.
fn help() -> String {
    let mut text = String::from(
        "Examples:\n  \
        ingot sim -- vulkaninfo --summary\n  \
        ingot sim --gpu skl --strict -- vkcube --c 60\n  \
        ingot sim --driver neo -- clinfo\n  \
        ingot sim --rules                         what --strict demands\n  \
        ingot sim --gaps                          what is not simulated yet\n  \
        ingot sim --dump-targets pictures -- vkcube --c 1\n  \
        ingot sim --record cube.rec -- vkcube --c 1 && ingot sim --replay cube.rec --profile cube.svg\n\n\
        The Vulkan loader picks drivers as always; VK_DRIVER_FILES=ingot_icd.json or --driver narrows it to one.\n\n",
    );
    text += "Simulated GPUs, ";
    text += &gpu_names::families(hw::Device::is_modelled);
    text
}

impl Args {
    /// Folder for the render targets' PNG files, and whether to write them after each draw.
    fn targets(&self) -> Option<(PathBuf, bool)> {
        let text = self.dump_targets.as_ref()?;
        Some(match text.strip_suffix(",draws") {
            Some(folder) => (folder.into(), true),
            None => (text.into(), false),
        })
    }
}

/// Runs `ingot sim`: replaces this process by the program, and returns only if that fails; or
/// replays a recording.
pub fn main(args: &Args) -> ExitCode {
    if args.rules {
        return rules();
    }
    if args.gaps {
        return gaps();
    }
    if let Some(path) = &args.replay {
        let replayed = options(args).and_then(|options| {
            if options.trace_ioctls {
                return Err("--trace ioctl: a recording has none".into());
            }
            crate::recording::replay(path, &options)
        });
        return match replayed {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("ingot sim --replay: {message}");
                ExitCode::FAILURE
            }
        };
    }
    match command(args) {
        Ok(mut command) => {
            if crate::static_program::is_statically_linked(&args.command[0]) {
                eprintln!(
                    "ingot sim: {} is statically linked: it sees no simulated GPU, only programs that it starts do",
                    args.command[0].to_string_lossy()
                );
            }
            let error = command.exec();
            eprintln!("ingot sim: {}: {error}", args.command[0].to_string_lossy());
        }
        Err(message) => eprintln!("ingot sim: {message}"),
    }
    ExitCode::FAILURE
}

/// The value of `INGOT_SIM` for the program: the present value and the options of the command line.
fn option_list(args: &Args) -> Result<String, String> {
    let mut options: Vec<String> = std::env::var("INGOT_SIM").into_iter().collect();
    if args.strict {
        options.push("strict".into());
    }
    if !args.driver.as_deref().is_none_or(is_ingot) {
        options.push("lenient".into());
    }
    if let Some(units) = &args.trace {
        options.extend(units.split(',').map(|unit| format!("trace={unit}")));
    }
    for (name, path) in [("record", &args.record), ("profile", &args.profile)] {
        if let Some(path) = path {
            // Absolute, because the program may change its working directory.
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
    Ok(options.join(","))
}

fn parsed(list: &str) -> Result<kmd::Options, String> {
    let sink = kmd::LogSink::new(|line| eprintln!("ingot-sim: {line}"));
    kmd::Options::parse(list, sink).map_err(|error| format!("INGOT_SIM: {error}"))
}

/// The parsed options.
fn options(args: &Args) -> Result<kmd::Options, String> {
    parsed(&option_list(args)?)
}

fn command(args: &Args) -> Result<Command, String> {
    let (program, arguments) = args.command.split_first().ok_or("no program given")?;
    let choices = match &args.driver {
        Some(driver) => {
            choices(driver).map_err(|why| format!("--driver {driver}: {why}; {DRIVERS}"))?
        }
        None => Vec::new(),
    };
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
        None => match std::env::var("INGOT_GPU") {
            Ok(gpu) => {
                gpu_names::simulated_device(&gpu)
                    .map_err(|error| format!("INGOT_GPU {gpu}: {error}"))?;
            }
            Err(_) => {
                command.env("INGOT_GPU", "skl");
            }
        },
    }
    let list = option_list(args)?;
    // Report a wrong option here rather than in the program.
    parsed(&list)?;
    if !list.is_empty() {
        command.env("INGOT_SIM", list);
    }
    // Mesa shows a swapchain's images by DRI3 or linux-dmabuf, and the X server or compositor
    // cannot open a device that only this process sees: the window system layer must copy them by
    // the CPU instead.
    if std::env::var_os("MESA_VK_WSI_DEBUG").is_none() {
        command.env("MESA_VK_WSI_DEBUG", "sw");
    }
    // What simulated GPUs run is compiled anew, and leaves nothing in the cache of the user's own
    // GPU, unless the user names a folder. Mesa's variable would take program binaries from its
    // OpenGL drivers.
    let names = ["INGOT_SHADER_CACHE_DISABLE", "MESA_SHADER_CACHE_DIR"];
    if names.iter().all(|name| std::env::var_os(name).is_none()) {
        command.env("INGOT_SHADER_CACHE_DISABLE", "true");
    }
    command.envs(choices);
    Ok(command)
}

/// Prints the rules of strict mode: for batches and dispatches, for threads, for instructions.
fn rules() -> ExitCode {
    let (mut rows, mut out) = (Vec::new(), String::new());
    rows.extend(gpu::RULES.iter().map(|r| {
        let lenient = if r.unless_lenient {
            "; not if lenient"
        } else {
            ""
        };
        (r.name, r.help, format!("{}{lenient}", r.prm))
    }));
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
    // A closed pipe (`| head`) is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

/// Prints the gaps of the simulator, by unit.
fn gaps() -> ExitCode {
    let mut out = String::new();
    let wide = |of: fn(&gpu::Gap) -> &str| gpu::GAPS.iter().map(|g| of(g).len()).max();
    let file = wide(|g| g.file).unwrap_or(0);
    let asked_by = wide(|g| g.asked_by).unwrap_or(0);
    for gap in gpu::GAPS {
        out += &format!(
            "{:file$}  {:asked_by$}  {}\n",
            gap.file, gap.asked_by, gap.message
        );
    }
    print(&out)
}

/// Finds an installed file: beside this program (build tree), or in the folders of an installation.
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

/// The values of `--driver`.
const DRIVERS: &str =
    "it may be ingot, anv or hasvk (Vulkan), iris (OpenGL), neo (OpenCL), or a JSON manifest";

/// True for our own driver, by name or manifest. All others break rules that `lenient` leaves out:
/// Mesa's most of them, and kernels of Intel's OpenCL driver leave flag registers unread.
fn is_ingot(driver: &str) -> bool {
    let name = std::path::Path::new(driver).file_name();
    name.is_some_and(|name| name.to_string_lossy().starts_with("ingot"))
}

/// The environment variables that make the program's loader use only this driver.
fn choices(driver: &str) -> Result<Vec<(&'static str, OsString)>, String> {
    let installed = |path: &str| match std::path::Path::new(path).exists() {
        true => Ok(path.into()),
        false => Err(format!("{path} is not there")),
    };
    Ok(match driver {
        "iris" => {
            installed("/usr/lib/x86_64-linux-gnu/dri/iris_dri.so")?;
            vec![("MESA_LOADER_DRIVER_OVERRIDE", "iris".into())]
        }
        "neo" => vec![(
            "OCL_ICD_VENDORS",
            installed("/etc/OpenCL/vendors/intel.icd")?,
        )],
        _ => {
            let manifest = manifest(driver)?.into_os_string();
            vec![
                ("VK_DRIVER_FILES", manifest.clone()),
                ("VK_ICD_FILENAMES", manifest),
                // Mesa's device-selection layer would enumerate all devices once more.
                ("NODEVICE_SELECT", "1".into()),
            ]
        }
    })
}

/// A manifest by file name, or by the name of a driver.
fn manifest(driver: &str) -> Result<PathBuf, String> {
    match driver {
        "anv" => manifests::find("intel_icd"),
        "hasvk" => manifests::find("intel_hasvk_icd"),
        "ingot" => own_manifest(),
        path => PathBuf::from(path)
            .canonicalize()
            .map_err(|e| e.to_string()),
    }
}

/// The word size of this build's driver, as manifests have it.
const LIBRARY_ARCH: &str = if cfg!(target_pointer_width = "64") {
    "64"
} else {
    "32"
};

/// The installed manifest if this program is installed; else one for the driver of the build tree,
/// written to a folder that only this user can write to.
fn own_manifest() -> Result<PathBuf, String> {
    let library = find("libvulkan_ingot.so", &["../lib", "../lib/x86_64-linux-gnu"])?;
    if let Ok(installed) = find("ingot_icd.x86_64.json", &["../share/vulkan/icd.d"]) {
        return Ok(installed);
    }
    let folder = sys::private_folder().map_err(|e| e.to_string())?;
    let text = include_str!("../../driver/icd/ingot_icd.json.in")
        .replace("@library_path@", &library.display().to_string())
        .replace("@library_arch@", LIBRARY_ARCH);
    // One file for each library, so that builds do not overwrite each other's.
    let mut hash = DefaultHasher::new();
    text.hash(&mut hash);
    let path = folder.join(format!("ingot_icd-{:016x}.json", hash.finish()));
    if !path.is_file() {
        // Written to a temporary file and renamed: other processes may write it at the same time.
        let draft = path.with_extension(std::process::id().to_string());
        std::fs::write(&draft, text)
            .and_then(|()| std::fs::rename(&draft, &path))
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(path)
}
