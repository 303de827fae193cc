//! `ingot asm`, `ingot dis` and `ingot batch`: the assembler, the disassembler and the batch
//! decoder.

use crate::batch_diff;
use crate::error_state::{self, ErrorState};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `ingot asm`.
#[derive(clap::Args)]
pub struct AsmArgs {
    /// Assembly in IGA's syntax
    file: PathBuf,
    /// Device
    #[arg(long, value_name = "NAME", default_value = "skl", value_parser = ingot_cli::gpu_names::device)]
    gpu: &'static hw::Device,
    /// Output file for the machine code
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Arguments of `ingot dis`.
#[derive(clap::Args)]
pub struct DisArgs {
    /// Machine code
    file: PathBuf,
    /// Device
    #[arg(long, value_name = "NAME", default_value = "skl", value_parser = ingot_cli::gpu_names::device)]
    gpu: &'static hw::Device,
}

/// Arguments of `ingot batch`.
#[derive(clap::Args)]
#[command(after_help = BATCH_HELP)]
pub struct BatchArgs {
    /// Words of a batch, little endian, a recording of `ingot sim --record`, or the error state
    /// that i915 has after a hang (/sys/class/drm/cardN/error)
    #[arg(required_unless_present = "diff")]
    file: Option<PathBuf>,
    /// Compare two recordings of one program, field by field, with the state that commands point
    /// to; exit status 0: the same, 1: different, 2: not compared
    #[arg(
        long,
        num_args = 2,
        value_names = ["A", "B"],
        conflicts_with_all = ["file", "gpu", "address"]
    )]
    diff: Option<Vec<PathBuf>>,
    /// With --diff: show only commands and structures with this in their name, and all their fields
    #[arg(
        long,
        value_name = "PACKET",
        requires = "diff",
        conflicts_with = "file"
    )]
    only: Option<String>,
    /// Device
    #[arg(long, value_name = "NAME", default_value = "skl", value_parser = ingot_cli::gpu_names::device)]
    gpu: &'static hw::Device,
    /// GPU address of the first word, for the addresses printed
    #[arg(long, default_value_t = 0)]
    address: u64,
}

/// The text below the options of `ingot batch`.
const BATCH_HELP: &str = "Examples:\n  \
    ingot batch frame.rec                              print a recording, command by command\n  \
    ingot batch --diff ours.rec anv.rec                what two drivers do differently\n  \
    ingot batch --diff ours.rec anv.rec --only 3DSTATE_PS    one command, with all its fields\n\n\
    Recordings of one program by two drivers:\n  \
    ingot sim --driver ingot --record ours.rec -- PROGRAM\n  \
    ingot sim --driver anv --record anv.rec -- PROGRAM\n\n\
    --diff compares which values each field has, not the order of commands. Addresses, offsets and\n\
    sizes of objects count as equal, except that an address which is not canonical is told apart. A\n\
    register of MI_LOAD_REGISTER_IMM and a combination of flags of PIPE_CONTROL count as a field.";

fn finish(name: &str, result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("ingot {name}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &PathBuf) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Runs `ingot asm`.
pub fn asm(args: &AsmArgs) -> ExitCode {
    let run = || {
        let text = String::from_utf8(read(&args.file)?).map_err(|e| e.to_string())?;
        let code = isa::assemble_kernel(&text, args.gpu.hw_gen)
            .map_err(|e| format!("{}: {e}", args.file.display()))?;
        std::fs::write(&args.output, code).map_err(|e| format!("{}: {e}", args.output.display()))
    };
    finish("asm", run())
}

/// Runs `ingot dis`.
pub fn dis(args: &DisArgs) -> ExitCode {
    let run = || {
        let code = read(&args.file)?;
        let text = isa::disassemble_kernel(&code, args.gpu.hw_gen)
            .map_err(|e| format!("{}: {e}", args.file.display()))?;
        print!("{text}");
        Ok(())
    };
    finish("dis", run())
}

/// Compares two recordings. Ok: whether they are equal.
fn diff(a: &PathBuf, b: &PathBuf, only: Option<&str>) -> Result<bool, String> {
    let usage = |path: &PathBuf| -> Result<batch_diff::Usage, String> {
        let mut usage = batch_diff::Usage::default();
        let added = usage.add(&read(path)?);
        added.map_err(|why| format!("{}: {why}", path.display()))?;
        Ok(usage)
    };
    let [mut first, mut second] = [usage(a)?, usage(b)?];
    if let Some(only) = only {
        let part = only.to_uppercase();
        for usage in [&mut first, &mut second] {
            let packets = &mut usage.packets;
            packets.retain(|name, _| name.to_uppercase().contains(&part));
        }
        if first.packets.is_empty() && second.packets.is_empty() {
            return Err(format!(
                "--only {only}: neither recording has a command or structure of such a name"
            ));
        }
    }
    for (label, path, usage) in [("A", a, &first), ("B", b, &second)] {
        let (submissions, commands) = (usage.submissions, usage.commands);
        let devices: Vec<&str> = usage.devices.iter().copied().collect();
        let (path, devices) = (path.display(), devices.join(", "));
        println!("{label}: {path}: {submissions} submissions, {commands} commands, on {devices}");
    }
    print!("{}", batch_diff::table(&first, &second, only.is_some()));
    Ok(batch_diff::is_equal(&first, &second))
}

/// Runs `ingot batch`.
pub fn batch(args: &BatchArgs) -> ExitCode {
    if let Some([a, b]) = args.diff.as_deref() {
        return match diff(a, b, args.only.as_deref()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(message) => {
                eprintln!("ingot batch --diff: {message}");
                ExitCode::from(2)
            }
        };
    }
    let run = || {
        let file = args.file.as_ref().ok_or("no file given")?;
        let bytes = read(file)?;
        if crate::recording::is_recording(&bytes) {
            return crate::recording::print(&bytes, &mut std::io::stdout().lock());
        }
        if error_state::is_error_state(&bytes) {
            let state = ErrorState::parse(&String::from_utf8_lossy(&bytes))?;
            let device = state.device().unwrap_or(args.gpu);
            print!("{}", state.format(device.hw_gen));
            return Ok(());
        }
        if bytes.len() % 4 != 0 {
            return Err(format!(
                "{}: {} bytes are not whole words",
                file.display(),
                bytes.len()
            ));
        }
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
            .collect();
        for command in hw::batch::commands(&words, args.gpu.hw_gen) {
            print!("{}", hw::batch::format_command(&command, args.address));
        }
        Ok(())
    };
    finish("batch", run())
}
