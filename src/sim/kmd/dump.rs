//! Dumps a batch with the memory that it accesses to a file, as a seed for the batch fuzzer or for
//! the analysis of a hang.
//!
//! In:  a job's bindings. Out: little-endian numbers: the batch's address (8 bytes; bit 0: strict),
//!      then for each buffer its address (8), bytes mapped (4), bytes of contents (4), and the
//!      contents. Trailing zeros of a buffer and everything after its first [`MAX_BYTES`] are
//!      omitted.

use std::path::Path;

use crate::job::Job;

/// Most bytes that are dumped of a buffer.
const MAX_BYTES: u64 = 128 << 10;

/// The contents of the file.
fn bytes(job: &Job, strict: bool) -> uapi::Result<Vec<u8>> {
    let mut out = (job.batch_address & !7 | u64::from(strict))
        .to_le_bytes()
        .to_vec();
    for binding in &job.bindings {
        let mapped = binding.buffer.bytes().min(MAX_BYTES) as u32;
        let mut data = vec![0; mapped as usize];
        binding.buffer.pages()?.read(0, &mut data)?;
        let used = data
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |at| at + 1);
        data.truncate(used.next_multiple_of(4));
        out.extend_from_slice(&binding.address.to_le_bytes());
        out.extend_from_slice(&mapped.to_le_bytes());
        out.extend_from_slice(&(data.len() as u32).to_le_bytes());
        out.extend_from_slice(&data);
    }
    Ok(out)
}

/// Writes `<process>-<number>.batch` to a folder. The error is a message for the log.
pub(crate) fn write(folder: &Path, number: u64, job: &Job, strict: bool) -> Result<(), String> {
    let path = folder.join(format!("{}-{number:05}.batch", sys::process_id()));
    let bytes = bytes(job, strict).map_err(|errno| errno.to_string())?;
    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
