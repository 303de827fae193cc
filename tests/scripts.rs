//! The shader scripts of vkrunner-scripts.

use std::path::{Path, PathBuf};

/// The scripts with compute shaders, sorted by path.
///
/// # Panics
/// Panics if a folder cannot be read.
pub fn compute_scripts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vkrunner-scripts");
    let mut pending = vec![root];
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        // The draw scripts are about the 3D pipeline; these tests read compute shaders.
        if path.ends_with("vkrunner-scripts/draw") {
            continue;
        }
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a readable folder");
            pending.extend(entries.flatten().map(|e| e.path()));
        } else if path.extension().is_some_and(|e| e == "shader_test") {
            files.push(path);
        }
    }
    files.sort();
    files
}
