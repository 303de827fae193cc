//! The report as one file: a tar archive, compressed by gzip.
//!
//! In:  a folder. Out: the file; or the files of an archive by name.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};

/// The file with facts about the machine, which every report has.
pub const FACTS: &str = "facts.txt";
/// Limit of the unpacked size: a report comes from someone else.
const MAX_BYTES: u64 = 1 << 30;

/// Packs a folder into `FOLDER.tar.gz` beside it. Owner, group and times are left out.
pub fn pack(folder: &Path) -> Result<PathBuf, String> {
    let path = folder.with_added_extension("tar.gz");
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = File::create(&path).map_err(failed)?;
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::default()));
    archive.mode(tar::HeaderMode::Deterministic);
    let name = folder.file_name().unwrap_or_default();
    archive.append_dir_all(name, folder).map_err(failed)?;
    let encoder = archive.into_inner().map_err(failed)?;
    encoder
        .finish()
        .and_then(|file| file.sync_all())
        .map_err(failed)?;
    Ok(path)
}

/// The files of an archive, by their path below its folder. Err: one line.
pub fn unpack(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(failed)?;
    let mut archive = tar::Archive::new(GzDecoder::new(file).take(MAX_BYTES));
    let mut files = BTreeMap::new();
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        let name = entry.path().map_err(failed)?.into_owned();
        let plain = name
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if !entry.header().entry_type().is_file() || !plain {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(failed)?;
        let below: PathBuf = name.components().skip(1).collect();
        files.insert(below.to_string_lossy().into_owned(), bytes);
    }
    match files.contains_key(FACTS) {
        true => Ok(files),
        false => Err(format!(
            "{}: not a report of `ingot doctor`",
            path.display()
        )),
    }
}
