//! The shaders that are compared.
//!
//! In:  a folder. Out: the shaders by index, each with a name and its interface.

use crate::codegen::args::SourceArgs;
use crate::codegen::interface::Interface;
use crate::compile::words_of;
use std::path::{Path, PathBuf};

/// The shaders of a folder.
pub struct ShaderSet {
    folder: PathBuf,
    files: Vec<PathBuf>,
}

/// The shader files of a folder and its subfolders, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for path in entries.filter_map(Result::ok).map(|e| e.path()) {
            let kind = path.extension().and_then(|e| e.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(
                kind,
                Some("vert" | "tesc" | "tese" | "geom" | "frag" | "comp" | "spv")
            ) {
                out.push(path);
            }
        }
    }
    out.sort();
    if out.is_empty() {
        return Err(format!("{}: no shaders there", folder.display()));
    }
    Ok(out)
}

impl ShaderSet {
    /// Lists the shaders. An error if there are none.
    pub fn open(source: &SourceArgs) -> Result<ShaderSet, String> {
        let folder = source.folder.clone().ok_or("no folder is given")?;
        let files = files(&folder)?;
        Ok(ShaderSet { folder, files })
    }

    /// The number of shaders.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// The name of a shader, as a relative path.
    pub fn name(&self, index: usize) -> String {
        let path = self.files.get(index);
        path.map_or_else(String::new, |path| {
            let name = path.strip_prefix(&self.folder).unwrap_or(path);
            name.display().to_string()
        })
    }

    /// Loads a shader.
    pub fn load(&self, index: usize) -> Result<Interface, String> {
        let path = self.files.get(index).ok_or("no such shader")?;
        words_of(path).and_then(Interface::new)
    }
}
