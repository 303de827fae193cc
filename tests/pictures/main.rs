//! Scenes drawn by the driver under test and by lavapipe in the same run: the images must be the
//! same, as far as Vulkan says.
//!
//! In:  the scenes, one table for each subject; our driver in this process on a strict simulated
//!      GPU, or, with `INGOT_PICTURES=loader`, what the Vulkan loader finds: `ingot sim --driver
//!      anv -- TEST-PROGRAM` judges the scenes themselves by a driver that is known to work.
//! Out: a test for each scene. What a driver cannot draw yet stands in `expected.toml` with the
//!      reason; drawing it all the same is a failure too. Without lavapipe (Debian:
//!      mesa-vulkan-drivers) nothing is compared; INGOT_REQUIRE_TOOLS=1 makes that a failure.
//! Ref: Vulkan specification; lavapipe, another implementation of it.

mod compare;
mod pass;
mod scenes;
mod stage;

use compare::{Shot, Tolerance};
use libtest_mimic::{Arguments, Failed, Trial};
use samples::vulkan::{Extension, Feature, Wants};
use samples::{Error, Gpu, Source};
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Arc, OnceLock};

/// Draws, and gives what is to be compared.
type Draw = dyn Fn(&Gpu) -> Result<Vec<Shot>, Error> + Send;

/// What is drawn, by what, and how closely it is compared.
struct Scene {
    name: String,
    features: &'static [Feature],
    extensions: &'static [Extension],
    tolerance: Tolerance,
    draw: Box<Draw>,
}

const LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
/// Without it lavapipe's fast path rounds in its own way.
const LAVAPIPE_OPTIONS: (&str, &str) = ("LP_PERF", "no_rast_linear");

fn main() -> ExitCode {
    if std::env::var(LAVAPIPE_OPTIONS.0).as_deref() != Ok(LAVAPIPE_OPTIONS.1) {
        // lavapipe reads its options from the environment of the process.
        return again();
    }
    let arguments = Arguments::from_args();
    let (source, section) = match std::env::var("INGOT_PICTURES").as_deref() {
        Err(_) => (ours(), "ingot"),
        Ok("loader") => (Source::Loader, "loader"),
        Ok(other) => {
            eprintln!("INGOT_PICTURES={other}: it is loader, or not set");
            return ExitCode::FAILURE;
        }
    };
    let expected = match expected(section) {
        Ok(expected) => expected,
        Err(line) => {
            eprintln!("{line}");
            return ExitCode::FAILURE;
        }
    };
    let lavapipe = lavapipe();
    let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
    let scenes = scenes::all();
    for name in expected.keys() {
        if !scenes.iter().any(|scene| scene.name == *name) {
            eprintln!("expected.toml: there is no scene {name}");
            return ExitCode::FAILURE;
        }
    }
    let ignored = lavapipe.is_err() && !required;
    let trials = scenes.into_iter().map(|scene| {
        let (source, reason) = (source.clone(), expected.get(&scene.name).cloned());
        let lavapipe = lavapipe.clone();
        let name = scene.name.clone();
        Trial::test(name, move || {
            let reference = lavapipe.map_err(Failed::from)?;
            judge(&scene, &source, &reference, reason.as_deref())
        })
        .with_ignored_flag(ignored)
    });
    let mut trials: Vec<_> = trials.collect();
    // Once more with optional optimisations of the driver off: the images must be the same.
    if section == "ingot" && std::env::var_os(DRIVER_OPTIONS).is_none() {
        let without = |&(flag, scenes): &(&'static str, &'static str)| {
            let name = format!("{scenes}_with_{flag}");
            Trial::test(name, move || without(flag, scenes)).with_ignored_flag(ignored)
        };
        trials.extend(SWITCHES.iter().map(without));
        let saved = |&(scene, counts): &(&'static str, [[usize; 2]; 4])| {
            let name = format!("{scene}_saves_resolves");
            Trial::test(name, move || saved(scene, counts)).with_ignored_flag(ignored)
        };
        trials.extend(RESOLVES.iter().map(saved));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Where our driver's options are.
const DRIVER_OPTIONS: &str = "INGOT_DEBUG";
/// Options that turn something off, and what the scenes are called that have to do with it.
const SWITCHES: &[(&str, &str)] = &[
    ("no-mcs", "sample"),
    // Every clear that can be fast is, and every image compressed that can be: scenes are small.
    ("fast-clears", ""),
    ("fast-clears,no-hiz", "depth"),
    ("fast-clears,no-ccs", "pass"),
    ("fast-clears,no-ccs", "kept"),
    ("fast-clears,no-mcs", "kept"),
    ("fast-clears,no-fast-clear-tracking", "kept"),
    ("fast-clears,no-fast-clear-tracking", "pass"),
    ("fast-clears,no-ccs-e", "kept"),
    ("fast-clears,no-ccs-e", "pass"),
    ("fast-clears,no-ccs-e", "compressed"),
    ("fast-clears,no-ccs", "compressed"),
    ("fast-clears,no-fast-clear-tracking", "compressed"),
    ("fast-clears,no-fast-clear-tracking,no-ccs-e", "kept"),
    ("no-fast-clear", "pass"),
    // What threads of 32 pixels draw is what narrower ones do.
    ("simd32_fs", ""),
];

/// Scenes, and how many resolves of colours their command buffers have, full and partial ones,
/// where clears are kept, and where they are not; the same where colours are compressed, too.
const RESOLVES: &[(&str, [[usize; 2]; 4])] = &[
    ("kept_and_cleared_again", [[2, 0], [4, 0], [2, 2], [2, 4]]),
    (
        "kept_of_one_of_two_targets",
        [[2, 0], [3, 0], [2, 2], [2, 3]],
    ),
    ("kept_by_parts", [[2, 0], [6, 0], [2, 2], [2, 6]]),
    ("compressed_and_copied", [[0, 0], [0, 0], [5, 0], [5, 0]]),
    (
        "compressed_and_cleared_in_other_formats",
        [[2, 0], [2, 0], [3, 2], [3, 2]],
    ),
];

/// Counts resolves in the driver's dump of its batches.
fn saved(scene: &str, counts: [[usize; 2]; 4]) -> Result<(), Failed> {
    let count = |flags: &str| -> Result<[usize; 2], Failed> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let run = Command::new(program)
            .args(["--exact", scene])
            .env(DRIVER_OPTIONS, flags)
            .output()
            .map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&run.stderr);
        let of = |kind: u8| format!("Render Target Resolve Type: {kind}");
        Ok([3, 1].map(|kind| text.matches(&of(kind)).count()))
    };
    let found = [
        count("fast-clears,bat,no-ccs-e")?,
        count("fast-clears,bat,no-ccs-e,no-fast-clear-tracking")?,
        count("fast-clears,bat")?,
        count("fast-clears,bat,no-fast-clear-tracking")?,
    ];
    match found == counts {
        true => Ok(()),
        false => Err(format!("{found:?} resolves instead of {counts:?}").into()),
    }
}

/// Draws some scenes in a separate process, in which a driver option is set.
fn without(flag: &str, scenes: &str) -> Result<(), Failed> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let run = Command::new(program)
        .arg(scenes)
        .env(DRIVER_OPTIONS, flag)
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&run.stdout);
    match run.status.success() && !text.contains(" 0 passed") {
        true => Ok(()),
        false => Err(text.into_owned().into()),
    }
}

/// This program once more, with the environment that lavapipe wants.
fn again() -> ExitCode {
    let error = match std::env::current_exe() {
        Ok(program) => Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(LAVAPIPE_OPTIONS.0, LAVAPIPE_OPTIONS.1)
            .exec(),
        Err(error) => error,
    };
    eprintln!("this program cannot be started again: {error}");
    ExitCode::FAILURE
}

/// Our driver, in this process, with one strict simulated GPU.
fn ours() -> Source {
    static GPU: OnceLock<Arc<kmd::Device>> = OnceLock::new();
    let kernels = || -> Vec<Arc<dyn uapi::Kernel>> {
        let options = || kmd::Options {
            strict: true,
            hang_seconds: 10,
            sink: kmd::LogSink::new(|line| eprintln!("{line}")),
            ..kmd::Options::default()
        };
        let gpu = GPU.get_or_init(|| kmd::Device::new("skl", options()).expect("a known GPU"));
        vec![gpu.open()]
    };
    icd::set_kernel_source(Arc::new(kernels));
    Source::Function(icd::get_instance_proc_addr())
}

/// lavapipe's library, as its manifest names it.
fn lavapipe() -> Result<PathBuf, String> {
    let text = std::fs::read_to_string(LAVAPIPE).map_err(|e| format!("{LAVAPIPE}: {e}"))?;
    let path = text.split("\"library_path\":").nth(1);
    let path = path.and_then(|rest| rest.split('"').nth(1));
    let path = path.ok_or_else(|| format!("{LAVAPIPE} names no library"))?;
    Ok(PathBuf::from(path))
}

/// Scenes that a driver is known not to draw, with reasons.
fn expected(section: &str) -> Result<BTreeMap<String, String>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pictures/expected.toml");
    let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(&path).map_err(|e| at(&e))?;
    let table = toml::de::DeTable::parse(&text).map_err(|e| at(&e))?;
    let mut reasons = BTreeMap::new();
    let Some(section) = table.get_ref().get(section) else {
        return Ok(reasons);
    };
    let section = section.get_ref().as_table();
    for (name, reason) in section.ok_or_else(|| at(&"sections are tables"))? {
        let reason = reason.get_ref().as_str().filter(|r| !r.is_empty());
        let reason = reason.ok_or_else(|| at(&"a reason is text"))?;
        reasons.insert(name.get_ref().to_string(), reason.to_string());
    }
    Ok(reasons)
}

/// Draws a scene twice and compares.
fn judge(
    scene: &Scene,
    source: &Source,
    reference: &Path,
    reason: Option<&str>,
) -> Result<(), Failed> {
    let wants = Wants {
        features: scene.features,
        extensions: scene.extensions,
    };
    let draw = |source: &Source| {
        let gpu = Gpu::new(source, &wants)?;
        (scene.draw)(&gpu)
    };
    let right = draw(&Source::Driver(reference.to_path_buf()))
        .map_err(|e| format!("lavapipe cannot draw it: {e}"))?;
    let verdict = draw(source)
        .map_err(|e| e.to_string())
        .and_then(|drawn| compare::same(&drawn, &right, scene.tolerance));
    match (verdict, reason) {
        (Ok(()), None) | (Err(_), Some(_)) => Ok(()),
        (Err(why), None) => Err(why.into()),
        (Ok(()), Some(reason)) => Err(format!("it passes; expected.toml says: {reason}").into()),
    }
}
