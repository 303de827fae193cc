//! Assembles SPIR-V text: `assemble FOLDER FILE...` writes `FOLDER/NAME.spv` for each
//! `NAME.spvasm`.
//!
//! In:  text as [`ingot_spirv::asm`] takes it, instructions of today's grammar included. Out: the
//!      words of each module, little-endian; exit status 1 at the first error.

use std::path::Path;
use std::process::ExitCode;

/// The version that the modules state.
const VERSION: (u8, u8) = (1, 4);

fn assemble(folder: &Path, file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let words = ingot_spirv::asm::assemble(&text, VERSION).map_err(|e| e.to_string())?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let name = file.with_extension("spv");
    let name = name.file_name().ok_or("a file is expected")?;
    std::fs::write(folder.join(name), bytes).map_err(|e| e.to_string())
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: assemble FOLDER FILE...");
        return ExitCode::FAILURE;
    };
    for file in arguments {
        if let Err(why) = assemble(folder.as_ref(), file.as_ref()) {
            eprintln!("{}: {why}", file.to_string_lossy());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
