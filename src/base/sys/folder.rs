//! A folder of the user's own among the temporary files.

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

/// The folder for what the project leaves on disk between runs, made where it is not there: nobody but this user can write to
/// it.
pub fn private_folder() -> io::Result<PathBuf> {
    let user = std::fs::metadata("/proc/self")?.uid();
    let home = std::env::temp_dir().join(format!("ingot-sim-{user}"));
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(&home)?;
    // Somebody else's folder could hold anything.
    if std::fs::symlink_metadata(&home)?.uid() != user {
        return Err(io::Error::other(format!(
            "{} belongs to another user",
            home.display()
        )));
    }
    Ok(home)
}
