//! `ingot asm`, `ingot dis` and `ingot batch`: the assembler, the disassembler and the batch
//! decoder.

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
pub struct BatchArgs {
    /// Words of a batch, little endian, a recording of `ingot sim --record`, or the error state
    /// that i915 has after a hang (/sys/class/drm/cardN/error)
    file: PathBuf,
    /// Device
    #[arg(long, value_name = "NAME", default_value = "skl", value_parser = ingot_cli::gpu_names::device)]
    gpu: &'static hw::Device,
    /// GPU address of the first word, for the addresses printed
    #[arg(long, default_value_t = 0)]
    address: u64,
}

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

/// Runs `ingot batch`.
pub fn batch(args: &BatchArgs) -> ExitCode {
    let run = || {
        let bytes = read(&args.file)?;
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
                args.file.display(),
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
