//! Recordings of `ingot sim --record`: printed by `ingot batch`, executed by `ingot sim --replay`.

use crate::indirect_state::StateReader;
use gpu::{AddressSpaceView, Gpu, HwContext};
use hw::media::pipe_control;
use hw::mi::mi_batch_buffer_start as start;
use kmd::{Recording, Submission};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Maximum number of commands printed of a submission: batches may loop.
const MAX_COMMANDS: usize = 1_000_000;

/// True if the bytes start with a recording's header.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(b"INGOTREC")
}

/// The device of a recording.
///
/// # Errors
/// The recording names a device that is not in the table.
pub fn device(recording: &Recording<'_>) -> Result<&'static hw::Device, String> {
    let name = recording.device();
    hw::Device::by_name(name).ok_or_else(|| format!("recorded on {name:?}, which is no device"))
}

/// Prints every command of every submission, including called batches, with the state and kernels
/// that commands point to.
///
/// # Errors
/// The recording is damaged, or the output cannot be written.
pub fn print(bytes: &[u8], out: &mut dyn Write) -> Result<(), String> {
    let mut recording = Recording::new(bytes).map_err(|e| e.to_string())?;
    let hw_gen = device(&recording)?.hw_gen;
    let mut number = 0;
    // Base addresses belong to a context and persist between submissions.
    let mut bases: BTreeMap<(u64, u32, u32), StateReader> = BTreeMap::new();
    while let Some(submission) = recording.next_submission().map_err(|e| e.to_string())? {
        let printer = bases.entry(submission.context).or_default();
        let (context, engine, slot) = submission.context;
        let at = submission.batch_address;
        let place =
            format!("context {context}, engine class {engine}, slot {slot}, batch at {at:#x}");
        let written = writeln!(out, "submission {number}: {place}")
            .and_then(|()| print_batch(&submission, hw_gen, printer, out));
        if let Err(error) = written {
            // The reader closed the pipe.
            return match error.kind() {
                std::io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(error.to_string()),
            };
        }
        number += 1;
    }
    Ok(())
}

/// Visits the commands of a submission in execution order until `visit` stops it. Returns the
/// reason if it ends before the batch did. Immediate data is stored, as it may be commands.
///
/// # Errors
/// The error of `visit`, if it stops the walk.
pub fn walk(
    submission: &Submission,
    hw_gen: hw::Gen,
    mut visit: impl FnMut(&hw::batch::Command<'_>, u64) -> std::io::Result<()>,
) -> std::io::Result<Option<String>> {
    let view = AddressSpaceView::new(&submission.space);
    let mut at = submission.batch_address;
    // A second-level batch that starts another one chains to it: there is a single return address.
    let mut back_to = None;
    for _ in 0..MAX_COMMANDS {
        let mut words = Vec::new();
        let Ok(first) = view.read(at) else {
            return Ok(Some(format!("{at:#014x}: nothing is mapped here")));
        };
        let known = hw::batch::find_packet(first, hw_gen);
        let length_dw = known
            .map_or_else(|| hw::batch::length_dw(first), |p| p.length(first))
            .max(1);
        for i in 0..length_dw as u64 {
            match view.read(at + i * 4) {
                Ok(word) => words.push(word),
                Err(_) => break,
            }
        }
        let command = hw::batch::Command {
            at_dw: 0,
            words: &words,
            packet: known,
            length_dw,
        };
        visit(&command, at)?;
        let is = |packet: &hw::Packet| known.is_some_and(|p| std::ptr::eq(p, packet));
        if is(&hw::mi::mi_store_data_imm::PACKET) {
            store_data(&view, &words);
        }
        let after = at + length_dw as u64 * 4;
        if is(&start::PACKET) {
            if start::SECOND_LEVEL_BATCH_BUFFER.get(&words) == 1 {
                back_to = back_to.or(Some(after));
            }
            at = start::BATCH_BUFFER_START_ADDRESS.get(&words) & 0xffff_ffff_ffff;
        } else if is(&hw::mi::mi_batch_buffer_end::PACKET) {
            match back_to.take() {
                Some(back) => at = back,
                None => return Ok(None),
            }
        } else {
            at = after;
        }
    }
    Ok(Some(format!("… {MAX_COMMANDS} commands, and no end")))
}

/// Executes MI_STORE_DATA_IMM: batches write the addresses of later MI_BATCH_BUFFER_STARTs with it,
/// as Mesa's drivers do to return from secondary command buffers.
fn store_data(view: &AddressSpaceView<'_>, words: &[u32]) {
    use hw::mi::mi_store_data_imm as store;
    let address = store::ADDRESS.get(words) & 0xffff_ffff_ffff;
    let data = words.get(3..).unwrap_or_default();
    // What is not mapped is reported where the batch ends.
    let _ = view.write_block(address, data);
}

fn print_batch(
    submission: &Submission,
    hw_gen: hw::Gen,
    printer: &mut StateReader,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let cut = walk(submission, hw_gen, |command, at| {
        write!(out, "{}", hw::batch::format_command(command, at))?;
        if let Some(packet) = command.packet {
            let printer = printer.print(packet, command.words, &submission.space, hw_gen);
            write!(out, "{printer}")?;
        }
        Ok(())
    })?;
    cut.map_or(Ok(()), |why| writeln!(out, "{why}"))
}

/// Counts of commands.
#[derive(Clone, Debug, Default)]
pub struct CommandCounts {
    /// Size of the commands in bytes.
    pub bytes: u64,
    /// Number of GPGPU_WALKER commands.
    pub dispatches: u64,
    /// Number of 3DPRIMITIVE commands.
    pub draws: u64,
    /// Number of PIPE_CONTROLs that stall the command streamer.
    pub stalls: u64,
}

impl CommandCounts {
    /// Number of dispatches and draws.
    pub fn work(&self) -> u64 {
        self.dispatches + self.draws
    }

    /// Adds the counts of another submission.
    pub fn add(&mut self, other: &CommandCounts) {
        self.bytes += other.bytes;
        self.dispatches += other.dispatches;
        self.draws += other.draws;
        self.stalls += other.stalls;
    }
}

/// Counts the commands that a submission executes.
pub fn count(submission: &Submission, hw_gen: hw::Gen) -> CommandCounts {
    let mut count = CommandCounts::default();
    let is = |packet: Option<&'static hw::Packet>, other: &hw::Packet| {
        packet.is_some_and(|p| std::ptr::eq(p, other))
    };
    // The visitor does not fail; a truncated batch is counted up to its end.
    let _ = walk(submission, hw_gen, |command, _| {
        count.bytes += command.words.len() as u64 * 4;
        count.dispatches += u64::from(is(command.packet, &hw::media::gpgpu_walker::PACKET));
        count.draws += u64::from(is(command.packet, &hw::draw::primitive::PACKET));
        let stalls = is(command.packet, &pipe_control::PACKET)
            && pipe_control::COMMAND_STREAMER_STALL_ENABLE.get(command.words) == 1;
        count.stalls += u64::from(stalls);
        Ok(())
    });
    count
}

/// Replays every submission and prints a line for each.
///
/// # Errors
/// The file cannot be read or is not a recording, or a submission ends with an error.
pub fn replay(path: &Path, options: &kmd::Options) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut recording = Recording::new(&bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    let running = Arc::new(AtomicU64::new(0));
    let gpu = Gpu::new(device(&recording)?, options.gpu(&running));
    let mut profile = options.profile.clone().map(kmd::Profile::new);
    let mut contexts: BTreeMap<(u64, u32, u32), HwContext> = BTreeMap::new();
    let mut total = gpu::BatchReport::default();
    let mut failed = 0;
    println!("submission  commands  dispatches   threads  EU instructions  messages");
    for number in 0.. {
        let Some(submission) = recording.next_submission().map_err(|e| e.to_string())? else {
            break;
        };
        let context = contexts.entry(submission.context).or_default();
        let (at, bytes) = (submission.batch_address, submission.batch_bytes);
        running.store(number, Relaxed);
        match gpu.execute(context, &submission.space, at, bytes) {
            Ok(report) => {
                println!("{number:>10}{}", row(&report));
                total.commands += report.commands;
                total.dispatches += report.dispatches;
                total.threads += report.threads;
                total.instructions += report.instructions;
                total.messages += report.messages;
                if let Some(profile) = &mut profile {
                    profile.add(number, report.work, gpu.device())?;
                }
            }
            Err(stop) => {
                println!("{number:>10}  {stop}");
                failed += 1;
                *context = HwContext::new();
            }
        }
    }
    println!("     total{}", row(&total));
    match failed {
        0 => Ok(()),
        n => Err(format!("{n} submissions did not end as they should")),
    }
}

fn row(report: &gpu::BatchReport) -> String {
    format!(
        "{:>10}{:>12}{:>10}{:>17}{:>10}",
        report.commands, report.dispatches, report.threads, report.instructions, report.messages
    )
}
