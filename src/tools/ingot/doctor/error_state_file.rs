//! The kernel's error state as a file of /sys.
//!
//! In:  the path. Out: a copy in the folder of the rung that hung.

use std::path::Path;

/// The file's name in the folder of a rung.
pub const ERROR_STATE: &str = "error_state.txt";

/// Copies the error state, or writes why it cannot be read.
pub fn save(from: &Path, folder: &Path) {
    let text = std::fs::read(from).unwrap_or_else(|error| {
        // Only root may read it on most systems.
        format!(
            "{}: {error}; run `sudo cat` on it and add it to the report\n",
            from.display()
        )
        .into_bytes()
    });
    if let Err(error) = std::fs::write(folder.join(ERROR_STATE), text) {
        eprintln!("ingot doctor: {ERROR_STATE}: {error}");
    }
}
