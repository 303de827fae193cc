//! Whether a program is statically linked, so that no library can be preloaded into it.
//!
//! In:  the name of a program, as a shell takes it. Out: yes or no.
//! Ref: System V ABI, "ELF Header" and "Program Header"; the layouts of 64-bit files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Type of the program header that names the dynamic linker.
const PT_INTERP: u32 = 3;

/// Whether the program is an ELF file without a dynamic linker. False for scripts, and for programs
/// that are not found or cannot be read.
pub fn is_statically_linked(program: &OsStr) -> bool {
    find_program(program).is_some_and(|path| has_no_interpreter(&path) == Some(true))
}

/// The file of a program: a path, or a name that is looked up in PATH.
fn find_program(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(path))
        .find(|path| path.is_file())
}

/// None if the file is not a 64-bit ELF file.
fn has_no_interpreter(path: &Path) -> Option<bool> {
    let mut file = File::open(path).ok()?;
    let mut header = [0; 64];
    file.read_exact(&mut header).ok()?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: usize, bytes: usize| {
        let field = header.get(at..at + bytes)?;
        Some(
            field
                .iter()
                .rev()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
        )
    };
    let (offset, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for index in 0..count {
        file.seek(SeekFrom::Start(offset.checked_add(index * size)?))
            .ok()?;
        let mut kind = [0; 4];
        file.read_exact(&mut kind).ok()?;
        if u32::from_le_bytes(kind) == PT_INTERP {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests;
