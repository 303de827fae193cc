//! A private folder of the user under the temporary directory.

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

/// The folder for files that the project keeps between runs; created if missing. Only this user can
/// write to it. An error if the path exists and belongs to another user.
pub fn private_folder() -> io::Result<PathBuf> {
    let user = std::fs::metadata("/proc/self")?.uid();
    let folder = std::env::temp_dir().join(format!("ingot-sim-{user}"));
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(&folder)?;
    // The contents of another user's folder are not trusted.
    if std::fs::symlink_metadata(&folder)?.uid() != user {
        return Err(io::Error::other(format!(
            "{} belongs to another user: set TMPDIR to a folder of your own",
            folder.display()
        )));
    }
    Ok(folder)
}
