//! Leaves PIPE_CONTROLs of recorded batches out, whole and flag by flag, and reports for each
//! whether the simulator notices, or why there was nothing to notice.
//!
//! In:  recordings (`ingot sim --record FILE`). Out: for each recording, how many were noticed, and
//!      how many were not and for which reasons; a line for each that no reason explains, and then
//!      exit status 1. With `--each`, a line for each change.
//!
//! A change is: one PIPE_CONTROL dropped (NOOPs in its place); one flag of one PIPE_CONTROL
//! cleared; a flag cleared in all of them. The batches are executed in strict mode; a change is
//! noticed if a submission ends otherwise than before, or leaves other memory. The reasons are
//! strict mode's (`gpu::ExecutedPipeControl`): what it found to do when the command came; where
//! there was something, that a later command of the batch did it before anybody looked, or that the
//! batch ended, where the kernel does it.
//!
//!     cargo run --release -p ingot-tests --example mutate-flushes -- [--each] FILE...

use gpu::{
    AddressSpaceView, ExecutedPipeControl, Gpu, HwContext, InstructionLimits, Options, Purpose,
};
use hw::media::pipe_control;
use hw::{Field, mi};
use kmd::{Recording, Submission};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::process::ExitCode;

/// A PIPE_CONTROL: submission and address.
type Place = (usize, u64);

/// What is cleared of a PIPE_CONTROL.
#[derive(Clone, Copy)]
enum Change {
    Drop,
    Flag(Field),
}

/// What a submission came to.
#[derive(Clone, PartialEq, Eq)]
struct Outcome {
    stop: Option<String>,
    memory: u64,
    controls: Vec<ExecutedPipeControl>,
}

impl Outcome {
    fn same(&self, other: &Outcome) -> bool {
        self.stop == other.stop && self.memory == other.memory
    }
}

fn memory(submission: &Submission) -> u64 {
    let view = AddressSpaceView::new(&submission.space);
    let mut hasher = DefaultHasher::new();
    let mut words = vec![0; 1 << 14];
    for (start, bytes) in submission.space.ranges() {
        let mut at = start;
        while at < start + bytes {
            let count = ((start + bytes - at) / 4).min(words.len() as u64) as usize;
            let part = &mut words[..count];
            if view.read_block(at, part).is_err() {
                break;
            }
            // Most of memory is zeros, which only the positions of the other words record.
            if part.iter().any(|word| *word != 0) {
                hasher.write_u64(at);
                part.iter().for_each(|word| hasher.write_u32(*word));
            }
            at += count as u64 * 4;
        }
    }
    hasher.finish()
}

/// The words of a PIPE_CONTROL with a change.
fn changed(words: [u32; 6], change: Change) -> [u32; 6] {
    let mut new = words;
    match change {
        Change::Drop => new.fill(mi::mi_noop::PACKET.header),
        Change::Flag(field) => field.set(&mut new, 0),
    }
    new
}

/// Executes a recording with a change at some places; ends at the first submission that differs
/// from `before`, and says so.
fn replay(
    bytes: &[u8],
    change: Option<(Change, &[Place])>,
    before: &[Outcome],
) -> Result<(Vec<Outcome>, bool), String> {
    let mut recording = Recording::new(bytes).map_err(|e| e.to_string())?;
    let device = hw::Device::by_name(recording.device()).ok_or("recorded on no device")?;
    let options = Options {
        strict: true,
        // Most recordings are of Mesa's drivers, which break some rules.
        lenient: true,
        instruction_limits: InstructionLimits::of_all(50_000_000),
        semaphore_wait: std::time::Duration::from_millis(200),
        ..Options::default()
    };
    let gpu = Gpu::new(device, options);
    let mut contexts: BTreeMap<(u64, u32, u32), HwContext> = BTreeMap::new();
    let mut outcomes = Vec::new();
    let last = change.and_then(|(_, places)| places.iter().map(|(number, _)| *number).max());
    while let Some(submission) = recording.next_submission().map_err(|e| e.to_string())? {
        let number = outcomes.len();
        let view = AddressSpaceView::new(&submission.space);
        let mut undo = Vec::new();
        if let Some((change, places)) = change {
            for (_, at) in places.iter().filter(|(of, _)| *of == number) {
                let mut words = [0; 6];
                let stop = |e: gpu::StopReason| e.to_string();
                view.read_block(*at, &mut words).map_err(stop)?;
                view.write_block(*at, &changed(words, change))
                    .map_err(stop)?;
                undo.push((*at, words));
            }
        }
        let context = contexts.entry(submission.context).or_default();
        let (at, length) = (submission.batch_address, submission.batch_bytes);
        let ended = gpu.execute(context, &submission.space, at, length);
        for (at, words) in undo {
            view.write_block(at, &words).map_err(|e| e.to_string())?;
        }
        let (stop, controls) = match ended {
            Ok(report) => (None, report.controls),
            Err(stop) => {
                *context = HwContext::new();
                (Some(stop.to_string()), Vec::new())
            }
        };
        outcomes.push(Outcome {
            stop,
            memory: memory(&submission),
            controls,
        });
        if let Some(known) = before.get(number)
            && outcomes.last().is_some_and(|new| !new.same(known))
        {
            return Ok((outcomes, true));
        }
        // A recording holds the memory that each submission began with: later ones do not see what
        // this one left.
        if !before.is_empty() && last.is_some_and(|last| number > last) {
            break;
        }
    }
    Ok((outcomes, false))
}

/// Why it does not matter that a flag of a PIPE_CONTROL is cleared; none where nothing is known.
fn reason(name: &str, number: usize, of: &Outcome) -> Option<String> {
    let control = of.controls.get(number)?;
    let purpose = control.flags.iter().find(|(flag, _)| *flag == name);
    match purpose?.1 {
        Purpose::Nothing(why) => Some(format!("{name}: {why}")),
        Purpose::Something => {
            let sets =
                |later: &ExecutedPipeControl| later.flags.iter().any(|(flag, _)| *flag == name);
            let stalls = "Command Streamer Stall Enable";
            let ordered = "Pipe Control Flush Enable";
            let stall =
                |later: &ExecutedPipeControl| later.flags.iter().any(|(flag, _)| *flag == stalls);
            let later = of.controls.get(number + 1..).unwrap_or_default();
            Some(match later.iter().any(sets) {
                true if name == stalls => format!("{name}: a later one waits before anybody looks"),
                // Whoever stalls has waited for post-sync operations, too.
                _ if name == ordered && later.iter().any(stall) => {
                    format!("{name}: a later stall does it before anybody looks")
                }
                true => format!("{name}: a later one does it before anybody looks"),
                false => format!("{name}: the batch ends before anybody looks"),
            })
        }
        Purpose::Unknown => None,
    }
}

/// Flags of a PIPE_CONTROL.
fn flags() -> impl Iterator<Item = &'static Field> {
    use pipe_control as f;
    let says = [f::ADDRESS.lo, f::IMMEDIATE_DATA.lo];
    let fields = f::PACKET.fields.iter();
    fields.filter(move |field| field.lo >= 32 && !says.contains(&field.lo))
}

#[derive(Default)]
struct Sum {
    changes: u32,
    noticed: u32,
    reasons: BTreeMap<String, u32>,
    unexplained: Vec<String>,
}

impl Sum {
    /// Counts a change, by the reasons of all that it takes away, or as one that nothing explains.
    fn add(&mut self, name: String, noticed: bool, reasons: Option<Vec<String>>, each: bool) {
        self.changes += 1;
        let said = match (&noticed, &reasons) {
            (true, _) => "noticed".into(),
            (false, Some(reasons)) if reasons.is_empty() => "it sets nothing".into(),
            (false, Some(reasons)) => reasons.join("; "),
            (false, None) => "UNEXPLAINED".into(),
        };
        if each {
            println!("{name}: {said}");
        }
        match (noticed, reasons) {
            (true, _) => self.noticed += 1,
            (false, Some(reasons)) => {
                for reason in reasons {
                    *self.reasons.entry(reason).or_default() += 1;
                }
            }
            (false, None) => self.unexplained.push(name),
        }
    }
}

/// A flag, all PIPE_CONTROLs that set it, and why each may be without it, where all have a reason.
type Everywhere = (&'static Field, Vec<Place>, Option<Vec<String>>);

fn witness(file: &str, bytes: &[u8], each: bool) -> Result<Sum, String> {
    let (before, _) = replay(bytes, None, &[])?;
    if replay(bytes, None, &before)?.1 {
        return Err(format!("{file}: two replays of it differ"));
    }
    if let Some(stop) = before.iter().find_map(|of| of.stop.as_ref()) {
        return Err(format!("{file}: {stop}"));
    }
    let mut sum = Sum::default();
    let mut everywhere: BTreeMap<u16, Everywhere> = BTreeMap::new();
    for (submission, of) in before.iter().enumerate() {
        for (number, control) in of.controls.iter().enumerate() {
            let places = [(submission, control.address)];
            let name = |what: &str| format!("{file}: {submission}: {:#x}: {what}", control.address);
            let of_flag = |field: &Field| {
                let posts = field.lo == pipe_control::POST_SYNC_OPERATION.lo;
                match posts {
                    // Memory is the same without it, or a check would have failed.
                    true => Some(format!("{}: what it writes was there already", field.name)),
                    false => reason(field.name, number, of),
                }
            };
            let given: Vec<&Field> = flags()
                .filter(|field| {
                    let posts = field.lo == pipe_control::POST_SYNC_OPERATION.lo;
                    control.flags.iter().any(|(flag, _)| *flag == field.name)
                        || posts && control.posts
                })
                .collect();
            let reasons = given.iter().map(|field| of_flag(field)).collect();
            let (_, noticed) = replay(bytes, Some((Change::Drop, &places)), &before)?;
            sum.add(name("dropped"), noticed, reasons, each);
            for field in given {
                let change = Change::Flag(*field);
                let (_, noticed) = replay(bytes, Some((change, &places)), &before)?;
                let reasons = of_flag(field).map(|reason| vec![reason]);
                sum.add(name(field.name), noticed, reasons.clone(), each);
                let all = everywhere
                    .entry(field.lo)
                    .or_insert((field, vec![], Some(vec![])));
                all.1.extend(places);
                all.2 = all.2.take().zip(reasons).map(|(mut all, more)| {
                    all.extend(more);
                    all
                });
            }
        }
    }
    for (field, places, reasons) in everywhere.into_values() {
        let (_, noticed) = replay(bytes, Some((Change::Flag(*field), &places)), &before)?;
        let noun = field.name;
        let reasons = reasons.map(|all| {
            // Where a later one did it, that one is gone, too: whoever looked would have stopped
            // the batch.
            let alone = |reason: String| match reason.contains("a later one") {
                true => format!("{noun}: nobody looks, even without the later ones"),
                false => reason,
            };
            let mut all: Vec<String> = all.into_iter().map(alone).collect();
            all.sort();
            all.dedup();
            all
        });
        sum.add(
            format!("{file}: {} everywhere", field.name),
            noticed,
            reasons,
            each,
        );
    }
    Ok(sum)
}

fn run() -> Result<bool, String> {
    let (options, files): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|word| word.starts_with('-'));
    if let Some(other) = options.iter().find(|option| *option != "--each") {
        return Err(format!("no option {other}"));
    }
    if files.is_empty() {
        return Err("mutate-flushes [--each] RECORDING...".into());
    }
    let mut all = Sum::default();
    for file in &files {
        let bytes = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
        let sum = witness(file, &bytes, !options.is_empty())?;
        println!(
            "{file}: {} changes, {} noticed, {} unexplained",
            sum.changes,
            sum.noticed,
            sum.unexplained.len()
        );
        all.changes += sum.changes;
        all.noticed += sum.noticed;
        all.unexplained.extend(sum.unexplained);
        for (reason, count) in sum.reasons {
            *all.reasons.entry(reason).or_default() += count;
        }
    }
    for (reason, count) in &all.reasons {
        println!("{count:>6}  {reason}");
    }
    for name in &all.unexplained {
        println!("UNEXPLAINED {name}");
    }
    println!(
        "{} changes: {} noticed, {} for a reason, {} unexplained",
        all.changes,
        all.noticed,
        all.changes as usize - all.noticed as usize - all.unexplained.len(),
        all.unexplained.len()
    );
    Ok(all.unexplained.is_empty())
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}
