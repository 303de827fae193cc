//! Changes one field of recorded batches at a time, and reports whether the simulator notices.
//!
//! In:  recordings (`ingot sim --record FILE`); how many changes to draw, and the seed of the draw.
//! Out: of each command a line: changes that were noticed, that are without effect by the table of
//!      fates, that stay within what a limit allows, whose unit is off in that recording, and that
//!      were missed; the misses by name; how many fields are on in no recording; exit status 1
//!      where fewer than `--least` percent were noticed.
//!
//! A change is: one bit of a field set or cleared, a field one more or one less, or the whole
//! command dropped (NOOPs in its place), in all occurrences in the recording: of commands, of the
//! structures that they hold, and of those that they point to in memory. The batches are executed
//! in strict mode; a change is noticed if in one of the recordings where something depends on it a
//! submission ends otherwise than before, or leaves other memory.
//!
//!     cargo run --release -p ingot-kmd --example mutate-fields -- --draw 200 --seed 1 FILE...

mod finest;
mod look;
mod relevance;
mod replay;
mod sends;
mod textures;

use gpu::fate::{self, Fate};
use hw::{Field, Packet, mi};
use ingot_kmd::Recording;
use look::{Looker, Place, Uses};
use replay::{Outcome, Patch, replay};
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

/// What is done to a field, or to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// A bit of a field, counted from the field's lowest, gets this value.
    Bit(u16, bool),
    /// The field's value is one more, or one less.
    More,
    Less,
    /// The command is dropped.
    Drop,
}

/// What can be changed: a field of a command or structure, or, without a field, a command as a
/// whole.
#[derive(Clone, Copy)]
struct Subject {
    packet: &'static Packet,
    /// Its number among the packet's.
    field: Option<usize>,
}

impl Subject {
    fn field(&self) -> Option<&'static Field> {
        self.packet.fields.get(self.field?)
    }

    /// The field's fate; a command as a whole is inert if all its fields are.
    fn fate(&self) -> Option<Fate> {
        let fates = fate::fates_of(self.packet)?;
        let Some(field) = self.field() else {
            let mut all = self
                .packet
                .fields
                .iter()
                .map(|field| fates.field_fate(field));
            let first = all.next()??;
            let inert = |fate| matches!(fate, Some(Fate::Inert(_)));
            return (inert(Some(first)) && all.all(inert)).then_some(first);
        };
        fates.field_fate(field)
    }
}

/// A recording, and what it is without changes.
struct Subjects {
    file: String,
    bytes: Vec<u8>,
    before: Vec<Outcome>,
    places: Vec<Place>,
}

/// The words of a command with a change; none where it changes nothing.
fn changed(words: &[u32], field: Option<&Field>, change: Change) -> Option<Vec<u32>> {
    let mut new = words.to_vec();
    match (field, change) {
        (None, _) => new.fill(mi::mi_noop::PACKET.header),
        // A command of a shorter form does not have its last fields.
        (Some(field), _) if usize::from(field.hi) / 32 >= words.len() => return None,
        (Some(field), Change::Bit(bit, set)) => {
            let bit = usize::from(field.lo + bit);
            let word = new.get_mut(bit / 32)?;
            *word = *word & !(1 << (bit % 32)) | u32::from(set) << (bit % 32);
        }
        (Some(field), step) => {
            let bytes = matches!(field.kind, hw::FieldKind::Address | hw::FieldKind::Offset);
            let unit = if bytes { 1u64 << (field.lo % 32) } else { 1 };
            let old = field.get(words);
            let value = match step {
                Change::More => old.wrapping_add(unit),
                _ => old.wrapping_sub(unit),
            };
            let most = match field.kind {
                hw::FieldKind::Int => u64::MAX,
                _ => u64::MAX >> (64 - field.bits()) << if bytes { field.lo % 32 } else { 0 },
            };
            field.set(&mut new, value & most);
        }
    }
    (new != words).then_some(new)
}

/// Looks at all submissions of a recording.
fn read_places(bytes: &[u8], uses: Uses) -> Result<Looker, String> {
    let mut recording = Recording::new(bytes).map_err(|e| e.to_string())?;
    let device = hw::Device::by_name(recording.device()).ok_or("recorded on no device")?;
    let mut looker = Looker::new(device.hw_gen, uses);
    let mut number = 0;
    while let Some(submission) = recording.next_submission().map_err(|e| e.to_string())? {
        looker.look(number, &submission);
        number += 1;
    }
    Ok(looker)
}

impl Subjects {
    fn read(file: String) -> Result<Subjects, String> {
        let bytes = std::fs::read(&file).map_err(|e| format!("{file}: {e}"))?;
        let before = replay(&bytes, &[], None)?;
        if let Some((Some(why), _)) = before.iter().find(|outcome| outcome.0.is_some()) {
            return Err(format!(
                "{file}: strict mode stops it without a change: {why}"
            ));
        }
        if replay(&bytes, &[], None)? != before {
            return Err(format!("{file}: two replays of it differ"));
        }
        // Twice: what some submission uses counts for those before it, too.
        let uses = read_places(&bytes, Uses::default())?.uses;
        let places = read_places(&bytes, uses)?.places;
        Ok(Subjects {
            file,
            bytes,
            before,
            places,
        })
    }

    fn places(&self, packet: &'static Packet) -> impl Iterator<Item = &Place> {
        self.places
            .iter()
            .filter(move |place| std::ptr::eq(place.packet, packet))
    }

    /// Words that a change changes, and whether anything depends on one of them.
    fn patches(&self, subject: Subject, change: Change) -> (Vec<Patch>, bool) {
        let mut patches = BTreeMap::new();
        let mut on = false;
        for place in self.places(subject.packet) {
            let Some(new) = changed(&place.words, subject.field(), change) else {
                continue;
            };
            on |= match (subject.field, subject.field()) {
                (Some(number), Some(field)) => {
                    let counts = place.counts.get(number).copied().unwrap_or(0);
                    let shift =
                        if matches!(field.kind, hw::FieldKind::Address | hw::FieldKind::Offset) {
                            field.lo % 32
                        } else {
                            0
                        };
                    let differs = field.get(&place.words) ^ field.get(&new);
                    differs >> shift & counts != 0
                }
                // Without it, all its fields are zeros.
                _ => {
                    let mut fields = place.packet.fields.iter().zip(&place.counts);
                    let says = fields.any(|(field, counts)| field.get(&place.words) & counts != 0);
                    says || place.packet.fields.is_empty()
                }
            };
            for (i, (old, new)) in place.words.iter().zip(new).enumerate() {
                if *old != new {
                    patches.insert((place.submission, place.at + i as u64 * 4), new);
                }
            }
        }
        (
            patches
                .into_iter()
                .map(|((submission, at), new)| (submission, at, new))
                .collect(),
            on,
        )
    }
}

/// What became of the changes of a command.
#[derive(Default, Clone, Copy)]
struct Row {
    noticed: u32,
    /// In the first recording that was tried.
    at_once: u32,
    inert: u32,
    within: u32,
    off: u32,
    missed: u32,
}

/// The next number of a sequence that the seed fixes.
fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize % below.max(1)
}

struct Arguments {
    draw: usize,
    seed: u64,
    least: u32,
    only: Option<String>,
    list: bool,
    files: Vec<String>,
}

const USAGE: &str = "mutate-fields [--draw N] [--seed N] [--least PERCENT] [--only COMMAND] [--list-off] RECORDING...";

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments {
        draw: 200,
        seed: 1,
        least: 0,
        only: None,
        list: false,
        files: Vec::new(),
    };
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        let mut number = || -> Result<u64, String> {
            let value = given.next().and_then(|value| value.parse().ok());
            value.ok_or_else(|| format!("{word} takes a number"))
        };
        match word.as_str() {
            "--draw" => arguments.draw = number()? as usize,
            "--seed" => arguments.seed = number()?,
            "--least" => arguments.least = number()? as u32,
            "--only" => arguments.only = given.next(),
            "--list-off" => arguments.list = true,
            other if other.starts_with('-') => return Err(format!("no option {other}; {USAGE}")),
            _ => arguments.files.push(word),
        }
    }
    match arguments.files.is_empty() {
        true => Err(USAGE.into()),
        false => Ok(arguments),
    }
}

/// Everything that can be changed in some recording, and how much of it is on in none.
fn subjects(recordings: &[Subjects]) -> (Vec<Subject>, Vec<Subject>) {
    let ends = [
        &mi::mi_noop::PACKET,
        &mi::mi_batch_buffer_end::PACKET,
        &mi::mi_batch_buffer_start::PACKET,
    ];
    let mut seen: BTreeMap<usize, (&'static Packet, Vec<u64>, bool)> = BTreeMap::new();
    for place in recordings.iter().flat_map(|recording| &recording.places) {
        let entry = seen.entry(std::ptr::from_ref(place.packet).addr());
        let (_, counts, command) =
            entry.or_insert_with(|| (place.packet, vec![0; place.counts.len()], false));
        for (all, new) in counts.iter_mut().zip(&place.counts) {
            *all |= new;
        }
        *command |= std::ptr::eq(place.packet, place.command)
            && !ends.iter().any(|end| std::ptr::eq(*end, place.packet));
    }
    let (mut all, mut off) = (Vec::new(), Vec::new());
    let mut named: Vec<_> = seen.into_values().collect();
    named.sort_by_key(|(packet, ..)| packet.name);
    for (packet, counts, command) in named {
        for (number, counts) in counts.into_iter().enumerate() {
            let subject = Subject {
                packet,
                field: Some(number),
            };
            all.push(subject);
            if counts == 0 && !matches!(subject.fate(), Some(Fate::Inert(_))) {
                off.push(subject);
            }
        }
        if command {
            all.push(Subject {
                packet,
                field: None,
            });
        }
    }
    (all, off)
}

/// Draws a change of the subject.
fn draw_change(subject: Subject, seed: &mut u64) -> Change {
    match subject.field() {
        None => Change::Drop,
        Some(field) => {
            let bits = usize::from(field.hi - field.lo) + 1;
            match random(seed, 2 * bits + 2) {
                0 => Change::More,
                1 => Change::Less,
                choice => Change::Bit((choice as u16 - 2) / 2, choice % 2 == 0),
            }
        }
    }
}

/// Prints a line for each command; returns the sum of the lines.
fn print_rows(rows: &BTreeMap<&str, Row>) -> Row {
    println!(
        "{:<44}{:>8}{:>8}{:>8}{:>8}{:>8}",
        "command", "noticed", "inert", "within", "off", "MISSED"
    );
    let mut sum = Row::default();
    for (name, row) in rows {
        println!(
            "{name:<44}{:>8}{:>8}{:>8}{:>8}{:>8}",
            row.noticed, row.inert, row.within, row.off, row.missed
        );
        sum.noticed += row.noticed;
        sum.at_once += row.at_once;
        sum.inert += row.inert;
        sum.within += row.within;
        sum.off += row.off;
        sum.missed += row.missed;
    }
    sum
}

fn run() -> Result<bool, String> {
    let Arguments {
        draw,
        mut seed,
        least,
        only,
        list,
        files,
    } = arguments()?;
    let recordings = files
        .into_iter()
        .map(Subjects::read)
        .collect::<Result<Vec<Subjects>, String>>()?;
    let (mut all, off) = subjects(&recordings);
    if let Some(only) = &only {
        all.retain(|subject| subject.packet.name == only);
    }
    if all.is_empty() {
        return Err("nothing there to change".into());
    }
    let fields = all.iter().filter(|subject| subject.field.is_some()).count();
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut misses = Vec::new();
    let mut drawn = BTreeSet::new();
    let mut tried = 0;
    for _ in 0..draw.saturating_mul(20) {
        if tried == draw {
            break;
        }
        let which = random(&mut seed, all.len());
        let subject = all[which];
        let change = draw_change(subject, &mut seed);
        if !drawn.insert((which, format!("{change:?}"))) {
            continue;
        }
        // In which recordings it changes something: first those where something depends on it.
        let mut found = Vec::new();
        for recording in &recordings {
            let (patches, on) = recording.patches(subject, change);
            if !patches.is_empty() {
                found.insert(random(&mut seed, found.len() + 1), (recording, patches, on));
            }
        }
        if found.is_empty() {
            continue;
        }
        tried += 1;
        found.sort_by_key(|(.., on)| !on);
        let (inert, bound) = match subject.fate() {
            Some(Fate::Inert(_)) => (true, false),
            fate => (false, matches!(fate, Some(Fate::Bound | Fate::Allows(_)))),
        };
        let on = found.iter().filter(|(.., on)| *on).count();
        // What nothing depends on is tried once, as is what is inert: it must make no difference.
        let tries = if inert { 1 } else { on.max(1) };
        let mut noticed = None;
        for (number, (recording, patches, _)) in found.iter().take(tries).enumerate() {
            if replay(&recording.bytes, patches, Some(&recording.before))? != recording.before {
                noticed = Some(number);
                break;
            }
        }
        let row = rows.entry(subject.packet.name).or_default();
        match noticed {
            Some(number) => {
                row.noticed += 1;
                row.at_once += u32::from(number == 0);
            }
            None if inert => row.inert += 1,
            None if on == 0 => row.off += 1,
            None if bound => row.within += 1,
            None => {
                row.missed += 1;
                let field = subject.field().map_or("", |field| field.name);
                misses.push(format!(
                    "{} {field}, {change:?}: in {on} recordings, {} the first",
                    subject.packet.name, found[0].0.file
                ));
            }
        }
    }
    let sum = print_rows(&rows);
    misses.sort();
    for miss in &misses {
        println!("MISSED {miss}");
    }
    let names = off.iter().filter_map(|subject| {
        Some(format!(
            "{}: {}",
            subject.packet.name,
            subject.field()?.name
        ))
    });
    for name in names.filter(|_| list) {
        println!("off everywhere: {name}");
    }
    let counted = (sum.noticed + sum.missed).max(1);
    let percent = f64::from(sum.noticed) * 100.0 / f64::from(counted);
    println!(
        "{} of {fields} fields, and not inert, are off in all {} recordings",
        off.len(),
        recordings.len()
    );
    println!(
        "{tried} changes: {} noticed ({} of them in the first recording tried), {} inert by the table, {} within what a limit \
         allows, {} of units that are off, {} missed: {percent:.1} % of those that count",
        sum.noticed, sum.at_once, sum.inert, sum.within, sum.off, sum.missed
    );
    Ok(percent >= f64::from(least))
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
