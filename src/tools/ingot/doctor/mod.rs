//! `ingot doctor`: examines a machine's GPU from the first ioctl to whole scripts, and writes one
//! report file from which a fault can be diagnosed.
//!
//! In:  a device node, or a simulated GPU. Out: a sentence for each node, a line for each rung of
//!      the ramp, the report.
//! Files: `inventory` and `verdict` look; `ladder` has the rungs, `ramp` runs them in processes
//! (`process`, `child`) on a `machine`, through a `watched_kernel` that writes the `journal` and
//! reads the `counters`; `bare`, `scripted`, `textures` and `probes` are their work;
//! `bisection` seeks a cure of a hang; `observation` and `image_difference` compare with the
//! twin; `report`, `archive` and `replay` write and read the report.

mod archive;
mod bare;
mod bisection;
mod child;
mod counters;
mod error_state_file;
mod image_difference;
mod inventory;
mod journal;
mod ladder;
mod machine;
mod misbehaviour;
mod observation;
mod probes;
mod process;
mod ramp;
mod replay;
mod report;
mod scripted;
mod textures;
mod verdict;
mod watched_kernel;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use i915::Topology;
use i915::nodes::{self, NodeReport};
use uapi::{Errno, Kernel};

use machine::Machine;
use misbehaviour::Misbehaviour;
use observation::Outcome;
use watched_kernel::WatchedKernel;

/// Exit code if a rung failed.
const RUNG_FAILED: u8 = 2;

/// Arguments of `ingot doctor`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Only look: print a sentence for each device node, and submit nothing
    #[arg(long)]
    look: bool,
    /// Run the ramp on a simulated GPU, whatever the machine has
    #[arg(long)]
    simulated: bool,
    /// The simulated GPU (implies --simulated; skl by default)
    #[arg(long, value_name = "NAME", value_parser = crate::value_parsers::simulated_gpu)]
    gpu: Option<String>,
    /// The device node, by the number in renderD128; the first usable one by default
    #[arg(long, value_name = "MINOR")]
    node: Option<u32>,
    /// Begin with this rung
    #[arg(long, value_name = "RUNG", value_parser = rung_name)]
    from: Option<String>,
    /// Run only these rungs, comma-separated
    #[arg(long, value_name = "RUNGS", value_delimiter = ',', value_parser = rung_name)]
    only: Vec<String>,
    /// Pause for two seconds before each rung
    #[arg(long)]
    gently: bool,
    /// Also run rungs that may hang a healthy GPU
    #[arg(long)]
    dangerous: bool,
    /// Folder of VkRunner scripts for the rung `scripts`
    #[arg(long, value_name = "FOLDER", value_parser = crate::value_parsers::existing_path)]
    scripts: Option<PathBuf>,
    /// Seconds that a rung may take: 10 by default, 120 on a simulated GPU
    #[arg(long, value_name = "N")]
    deadline: Option<u64>,
    /// Folder for the report file
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,
    /// List the rungs
    #[arg(long)]
    list: bool,
    /// Print everything that the report contains; with --read: of an existing report
    #[arg(long)]
    show: bool,
    /// Run the rungs of a report on the simulated GPU of its machine
    #[arg(long, value_name = "FILE", value_parser = crate::value_parsers::existing_path)]
    read: Option<PathBuf>,
    #[command(flatten)]
    process: ProcessArgs,
}

/// Arguments of the process of a rung, and of tests of the command itself.
#[derive(clap::Args)]
struct ProcessArgs {
    #[arg(long, hide = true, value_parser = rung_name)]
    child: Option<String>,
    #[arg(long, hide = true, requires = "child")]
    machine: Option<Machine>,
    #[arg(long, hide = true, requires = "child")]
    label: Option<String>,
    #[arg(long, hide = true, requires = "child")]
    folder: Option<PathBuf>,
    #[arg(long, hide = true, requires = "child")]
    journal: Option<PathBuf>,
    #[arg(long, hide = true, requires = "child")]
    script: Option<PathBuf>,
    #[arg(long, hide = true, value_parser = Misbehaviour::parse)]
    misbehave: Option<Misbehaviour>,
}

/// The text below the options.
const HELP: &str = "\
What it does:
  1. Looks at the machine and says in one sentence whether Ingot can use each GPU.
  2. Runs the ramp: small tests, from an empty batch to whole scripts, each in a process of its own
     with a deadline. The journal names each submission before it is made, so that a machine that
     freezes still tells where. A rung that fails bars those that need it, and no others.
  3. After a hang, runs the rung again with options of INGOT_DEBUG, and names the one that helps.
     A rung that hangs again with all of them ends the ramp.
  4. Runs the same rungs on a simulated GPU of the same kind, and compares the results.
  5. Writes one file, ingot-report-ID-DATE.tar.gz, without the names of the host and the user.

Examples:
  ingot doctor --look                      one sentence for each GPU; nothing is submitted
  ingot doctor                             the ramp on this machine's GPU
  ingot doctor --gently --from triangle    from the first draw on, with pauses
  ingot doctor --only hiz,ccs              two rungs
  ingot doctor --gpu skl                   the ramp on a simulated HD Graphics 530
  ingot doctor --read FILE --show          what a report contains
  ingot doctor --read FILE                 its rungs again, on the simulated GPU

Exit codes:
  0 everything passed; 1 the command failed; 2 a rung failed; 3 permission denied; 4 the kernel is
  too old; 5 the generation is not supported yet; 6 another kernel driver owns the GPU; 7 no GPU;
  8 unusable for another reason.

docs/laptop.md says what you risk.";

/// The name of a rung.
fn rung_name(name: &str) -> Result<String, String> {
    ladder::rung(name).map(|rung| rung.name.into())
}

/// Runs `ingot doctor`.
pub fn main(args: &Args) -> ExitCode {
    let result = match (&args.process.child, &args.read) {
        (Some(name), _) => return run_child(args, name),
        (None, Some(path)) if args.show => replay::show(path).map(|()| 0),
        (None, Some(path)) => read(args, path),
        (None, None) if args.list => {
            list();
            Ok(0)
        }
        (None, None) => examine(args),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            eprintln!("ingot doctor: {message}");
            ExitCode::FAILURE
        }
    }
}

fn list() {
    for rung in ladder::LADDER {
        let needs = match rung.needs.is_empty() {
            true => String::new(),
            false => format!(" (needs {})", rung.needs.join(", ")),
        };
        let danger = if rung.dangerous { " [--dangerous]" } else { "" };
        println!("{:26} {}{needs}{danger}", rung.name, rung.shows);
    }
}

/// The process of a rung.
fn run_child(args: &Args, name: &str) -> ExitCode {
    let process = &args.process;
    let (Ok(rung), Some(machine), Some(folder), Some(journal)) = (
        ladder::rung(name),
        &process.machine,
        &process.folder,
        &process.journal,
    ) else {
        eprintln!("ingot doctor: --child needs --machine, --folder and --journal");
        return ExitCode::FAILURE;
    };
    let task = child::Task {
        machine: machine.clone(),
        label: process.label.clone().unwrap_or_else(|| name.into()),
        folder: folder.clone(),
        journal: journal.clone(),
        script: process.script.clone(),
        deadline_seconds: args.deadline.unwrap_or(machine.deadline_seconds()),
        fault: process.misbehave.clone(),
    };
    child::main(rung, &task)
}

/// A machine that the ramp can run on.
struct Candidate {
    machine: Machine,
    report: NodeReport,
    /// The kernel's raw answers.
    facts: Vec<String>,
    /// PCI device id.
    pci_id: u16,
}

/// Reads the facts about a usable machine.
fn candidate(machine: Machine, report: NodeReport) -> Option<Candidate> {
    let device = report.outcome.as_ref().ok()?;
    let pci_id = u16::try_from(device.info.pci_id).ok()?;
    let mut facts = match machine.open(None) {
        Ok(kernel) => inventory::kernel_facts(kernel.as_ref()),
        Err(errno) => vec![format!("the second opening failed: {errno}")],
    };
    facts.push(format!("{:?}", device.info.topology));
    facts.extend(topology_difference(
        device.info.device,
        &device.info.topology,
    ));
    Some(Candidate {
        facts,
        pci_id,
        machine,
        report,
    })
}

/// How a machine's units differ from its twin's, which are those of the device table. `None`: they
/// are the same. Parts of one PCI id may have different EUs fused off.
fn topology_difference(row: &hw::Device, machine: &Topology) -> Option<String> {
    let twin = [row.slices.into(), row.total_subslices(), row.total_eus()];
    let machine = [machine.slices, machine.subslices, machine.eus];
    let units = |[slices, subslices, eus]: [u32; 3]| {
        format!("{slices} slices, {subslices} subslices, {eus} EUs")
    };
    (machine != twin).then(|| {
        let (machine, twin) = (units(machine), units(twin));
        format!("the twin has {twin}, not {machine}: timing and limits may differ for this reason")
    })
}

/// Examines a simulated GPU as if it were a node of /dev/dri.
fn simulated_node(name: &str, fault: Option<&Misbehaviour>) -> (Machine, NodeReport) {
    /// The group of display devices on most systems.
    const GROUP: u32 = 44;
    let machine = Machine::Simulated(name.into());
    let device = hw::Device::by_name(name);
    let node = sys::Node {
        path: format!("{name} (simulated)").into(),
        major: 0,
        minor: 0,
        mode: 0o660,
        group: GROUP,
        id: device.map(|device| sys::PciId {
            vendor: hw::INTEL_VENDOR,
            device: device.pci_id,
            revision: 0,
        }),
        driver: None,
        pci: None,
        primary: None,
    };
    let open = |_: &Path| -> Result<Arc<dyn Kernel>, Errno> {
        let kernel = machine.open(fault)?;
        Ok(match fault {
            Some(fault) => WatchedKernel::unrecorded(kernel, fault.clone()),
            None => kernel,
        })
    };
    let report = nodes::examine(node, &open);
    (machine, report)
}

/// Looks at all nodes and prints their verdicts. Returns the machine to examine, the exit code, and
/// facts about the system.
fn look(args: &Args) -> (Option<Candidate>, u8, Vec<String>) {
    let root = Path::new("/");
    let mut facts = inventory::system_facts(root);
    let all = inventory::nodes(root);
    facts.extend(all.iter().map(|node| format!("node {}", node.line())));
    let reports: Vec<(Machine, NodeReport)> = match args.simulated || args.gpu.is_some() {
        true => {
            let name = args.gpu.as_deref().unwrap_or("skl");
            vec![simulated_node(name, args.process.misbehave.as_ref())]
        }
        false => {
            let survey = nodes::survey().into_iter();
            let named = survey.filter_map(|node| Some((Machine::of_node(&node.path)?, node)));
            let wanted = args.node.map(Machine::Node);
            named
                .filter(|(machine, _)| wanted.as_ref().is_none_or(|only| only == machine))
                .collect()
        }
    };
    if reports.is_empty() {
        println!("{}", nodes::NO_NODES);
        return (None, verdict::NO_NODE, facts);
    }
    for (_, report) in &reports {
        println!("{}", verdict::sentence(report));
        facts.push(verdict::sentence(report));
    }
    // The first Intel GPU that cannot be used explains why none can.
    let unusable = reports
        .iter()
        .find(|(_, report)| report.is_unusable_intel());
    let explains = unusable.or(reports.first());
    let code = explains.map_or(0, |(_, report)| verdict::exit_code(report.outcome.as_ref()));
    let mut usable = reports
        .into_iter()
        .filter(|(_, report)| report.outcome.is_ok());
    match usable.next() {
        Some((machine, report)) => (candidate(machine, report), 0, facts),
        None => (None, code, facts),
    }
}

/// Looks, runs the ramp, writes the report. Returns the exit code.
fn examine(args: &Args) -> Result<u8, String> {
    warn_of_frozen_ramp(&args.output);
    let (found, code, mut facts) = look(args);
    let Some(found) = found.filter(|_| !args.look) else {
        return Ok(code);
    };
    let verdict = verdict::sentence(&found.report);
    facts.extend(found.facts);
    let device = hw::Device::by_pci_id(found.pci_id).filter(|device| device.is_modelled());
    let twin = device.map(|device| device.name.to_string());
    match &twin {
        Some(name) => facts.push(format!("twin: {name}")),
        None => println!("This GPU cannot be simulated: nothing is compared"),
    }
    let folder = new_folder(&args.output, found.pci_id)?;
    let folder = std::path::absolute(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let usual_seconds = found.machine.deadline_seconds();
    let plan = ramp::Plan {
        error_state: error_state_path(&found.machine),
        machine: found.machine,
        twin,
        from: args.from.clone(),
        only: args.only.clone(),
        gently: args.gently,
        dangerous: args.dangerous,
        scripts: scripts(args)?,
        deadline_seconds: args.deadline.unwrap_or(usual_seconds),
        fault: args.process.misbehave.clone(),
        folder: folder.clone(),
    };
    let results = ramp::run(&plan, |result| match result.seen.outcome {
        Outcome::Pass => {
            let (label, shows, reason) = (&result.label, result.rung.shows, &result.seen.reason);
            println!(
                "{}",
                format!("pass  {label:26} {shows} {reason}").trim_end()
            );
        }
        _ => println!("      {}", report::sentence(result)),
    })?;
    let names = report::PrivateNames::of_this_process();
    report::write(&folder, &verdict, &facts, &results, &names)?;
    let file = archive::pack(&folder)?;
    std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    println!("{}", report::summary(&results));
    println!("The report is {}", file.display());
    if args.show {
        replay::show(&file)?;
    } else {
        println!(
            "`ingot doctor --read {} --show` prints what it contains",
            file.display()
        );
    }
    let failed = results
        .iter()
        .any(|result| result.seen.outcome.is_failure());
    Ok(if failed { RUNG_FAILED } else { 0 })
}

/// Creates the folder of a report. Another number follows if there is one of the same second.
fn new_folder(output: &Path, pci_id: u16) -> Result<PathBuf, String> {
    let name = format!("ingot-report-{pci_id:04x}-{}", date(SystemTime::now()));
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut free = std::iter::once(name.clone())
        .chain(numbered)
        .map(|name| output.join(name))
        .filter(|folder| !folder.exists() && !folder.with_added_extension("tar.gz").exists());
    let folder = free.next().unwrap_or_else(|| output.join(&name));
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    Ok(folder)
}

/// Tells of a ramp that did not end: the machine froze, or it was interrupted.
fn warn_of_frozen_ramp(output: &Path) {
    let entries = std::fs::read_dir(output).into_iter().flatten().flatten();
    for folder in entries.map(|entry| entry.path()) {
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Ok(text) = std::fs::read_to_string(folder.join("journal.txt")) else {
            continue;
        };
        if name.starts_with("ingot-report-") && !text.contains("end of the ramp") {
            let last = journal::last_submission(&text).unwrap_or("none");
            println!(
                "{name}: an earlier ramp did not end; its last submission: {last}. Keep the folder, and go on behind that rung with --from"
            );
        }
    }
}

/// The scripts of the rung `scripts`, in the order of features: computation before drawing.
fn scripts(args: &Args) -> Result<Vec<PathBuf>, String> {
    let usual = Path::new("vkrunner-scripts");
    let folder = match &args.scripts {
        Some(folder) => folder.as_path(),
        None if usual.is_dir() => usual,
        None => return Ok(Vec::new()),
    };
    let mut scripts = crate::run::scripts_under(folder)?;
    // These fail by intention, to test the runner.
    scripts.retain(|path| !path.components().any(|part| part.as_os_str() == "errors"));
    let draws = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "draw");
    scripts.sort_by_key(|path| (draws(path), path.clone()));
    let absolute = scripts.iter().map(std::path::absolute);
    absolute
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{}: {error}", folder.display()))
}

/// The kernel's error state of a machine.
fn error_state_path(machine: &Machine) -> Option<PathBuf> {
    let Machine::Node(minor) = machine else {
        return None;
    };
    let folder = format!("/sys/class/drm/renderD{minor}/device/drm");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut cards = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let card = cards.find(|name| name.starts_with("card"))?;
    Some(Path::new("/sys/class/drm").join(card).join("error"))
}

/// Runs a report on its twin. Returns the exit code.
fn read(args: &Args, path: &Path) -> Result<u8, String> {
    let work = args
        .output
        .join(format!("ingot-replay-{}", std::process::id()));
    std::fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
    let work = std::path::absolute(&work).map_err(|e| format!("{}: {e}", work.display()))?;
    let same = replay::read(path, &work);
    std::fs::remove_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
    Ok(if same? { 0 } else { RUNG_FAILED })
}

/// A time as YYYYMMDD-HHMMSS, in UTC. Ref: the civil calendar's eras of 400 years, which begin in
/// March, so that leap days are last.
fn date(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let day = day - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn fewer_eus_than_those_of_the_twin_are_reported() {
        let row = hw::Device::by_name("skl").unwrap();
        let mut machine = Topology {
            slices: 1,
            subslices: 3,
            eus: 24,
            min_eus: 8,
            max_eus: 8,
        };
        assert_eq!(topology_difference(row, &machine), None);
        (machine.eus, machine.min_eus) = (23, 7);
        let text = topology_difference(row, &machine).unwrap();
        assert!(
            text.contains("24 EUs, not 1 slices, 3 subslices, 23 EUs"),
            "{text}"
        );
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "19700101-000000"),
            (951_782_399, "20000228-235959"),
            (951_782_400, "20000229-000000"),
            (1_709_251_199, "20240229-235959"),
            (1_735_689_599, "20241231-235959"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
