//! Records fifteen scenes with Ingot and with Mesa's ANV on the simulated GPU, and holds every
//! difference of their commands, state and registers to `tests/batch_diff/decisions.txt`.
//!
//! In:  the scenes, the decisions, and ANV (Debian: mesa-vulkan-drivers). Out: the differences that
//!      no line decides and the lines that no difference needs, each as a line for the file;
//!      `BLESS=1` rewrites the file with them, and leaves the reasons to be written. Without ANV
//!      nothing is compared; `INGOT_REQUIRE_TOOLS=1` makes that a failure.

mod decisions;
mod driver;
mod programs;
mod scenes;

use decisions::Decisions;
use driver::Driver;
use ingot_cli::batch_diff::{self, Usage};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::ExitCode;

/// The file of decisions.
const DECISIONS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../tests/batch_diff/decisions.txt"
);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, driver, program] = arguments.as_slice()
        && flag == driver::DRAW
    {
        return driver::draw(driver, program);
    }
    let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
    let ignored = !Path::new(driver::ANV).is_file() && !required;
    let mut trials = decisions::trials();
    let compare = Trial::test("every_difference_is_decided", every_difference_is_decided);
    trials.push(compare.with_ignored_flag(ignored));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Records all scenes with a driver; what it uses in all of them.
fn record(driver: Driver, folder: &Path) -> Result<Usage, String> {
    let mut usage = Usage::default();
    for scene in scenes::ALL {
        driver
            .record(scene, folder)
            .and_then(|bytes| usage.add(&bytes))
            .map_err(|why| format!("{} on {driver:?}: {why}", scene.name))?;
    }
    Ok(usage)
}

/// Records all scenes with both drivers at the same time.
fn record_both() -> Result<[Usage; 2], String> {
    let folder = std::env::temp_dir().join(format!("ingot-batch-diff-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let usages = std::thread::scope(|scope| {
        let [ours, anv] = driver::ALL.map(|driver| {
            let folder = &folder;
            scope.spawn(move || record(driver, folder))
        });
        [ours, anv].map(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err("a thread panics".into()))
        })
    });
    std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let [ours, anv] = usages;
    Ok([ours?, anv?])
}

fn every_difference_is_decided() -> Result<(), Failed> {
    let text = std::fs::read_to_string(DECISIONS).map_err(|e| format!("{DECISIONS}: {e}"))?;
    let decisions = Decisions::parse(&text)?;
    let [ours, anv] = record_both()?;
    let differences = batch_diff::differences(&ours, &anv);
    let verdict = decisions.judge(&differences);
    if verdict.is_complete() {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        let blessed = verdict.rewrite(&text);
        std::fs::write(DECISIONS, blessed).map_err(|e| format!("{DECISIONS}: {e}"))?;
    }
    Err(verdict.to_string().into())
}
