//! Files of entries.
//!
//! In:  contents. Out: the bytes of a file: magic, name of the entry, length of the contents and
//!      checksum, integers in little endian, then the contents.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::EntryName;
use crate::cache::checksum;

/// Extension of temporary files.
pub(super) const TEMPORARY: &str = "tmp";

/// Upper bound of the size of a file.
pub(super) const MAX_BYTES: u64 = 1 << 27;

/// Identifies this format and its version.
const MAGIC: [u8; 8] = *b"ingotsc1";

const HEADER_BYTES: usize = MAGIC.len() + size_of::<EntryName>() + 4 + 8;

/// The file of an entry.
pub(super) fn path(folder: &Path, name: &EntryName) -> PathBuf {
    let mut text = String::with_capacity(2 * name.len() + 1);
    for (index, byte) in name.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{byte:02x}", if index == 1 { "/" } else { "" });
    }
    folder.join(text)
}

/// Whether a folder or file name is one of [`path`]: `digits` hexadecimal digits.
pub(super) fn is_hexadecimal(name: &str, digits: usize) -> bool {
    name.len() == digits && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The bytes of an entry's file.
pub(super) fn entry(name: &EntryName, contents: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_BYTES + contents.len());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(name);
    out.extend_from_slice(&(contents.len() as u32).to_le_bytes());
    out.extend_from_slice(&checksum(contents).to_le_bytes());
    out.extend_from_slice(contents);
    out
}

/// The contents in the bytes of a file. `None` if it is another entry's, or damaged.
pub(super) fn contents<'a>(name: &EntryName, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let rest = bytes.strip_prefix(&MAGIC)?.strip_prefix(name)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (sum, contents) = rest.split_first_chunk::<8>()?;
    let is_whole = u32::from_le_bytes(*length) as usize == contents.len()
        && u64::from_le_bytes(*sum) == checksum(contents);
    is_whole.then_some(contents)
}
