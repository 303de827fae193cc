//! A batch with the memory that it sees, in a file: a seed of the batch fuzzer, or a hang to look at later.
//!
//! In:  a job's bindings. Out: little-endian numbers: the batch's address (8 bytes; bit 0: strict), then for each buffer its
//! address (8), bytes mapped (4) and bytes that follow (4), and those. Zeros at a buffer's end are left out, and so is what a
//! buffer has beyond its first [`MAX_BYTES`].

use std::path::Path;

use crate::job::Job;

/// Bytes of a buffer that are of interest.
const MAX_BYTES: u64 = 128 << 10;

/// The file's contents.
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

/// Writes `<process>-<number>.batch` into a folder. Err: why not.
pub(crate) fn write(folder: &Path, number: u64, job: &Job, strict: bool) -> Result<(), String> {
    let path = folder.join(format!("{}-{number:05}.batch", sys::process_id()));
    let bytes = bytes(job, strict).map_err(|errno| errno.to_string())?;
    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
