//! The shaders that are compared.
//!
//! In:  a folder, or a Fossilize archive. Out: the shaders by index, each with a name and its
//!      interface.

use crate::codegen::args::SourceArgs;
use crate::codegen::interface::{Interface, SpecializationConstant};
use crate::compile::words_of;
use crate::fossilize::{FossilizedStage, Library};
use std::path::{Path, PathBuf};

/// The shaders to compare.
pub enum ShaderSet {
    Folder {
        folder: PathBuf,
        files: Vec<PathBuf>,
    },
    Archive(Library),
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

/// The interface of a stage of an archive, with the sets of its pipeline's layout.
fn load_stage(library: &Library, stage: &FossilizedStage) -> Result<Interface, String> {
    let state = &stage.state;
    if state.module == 0 {
        return Err("the pipeline has no shader module".into());
    }
    let words = library.module(state.module).map_err(|e| e.to_string())?;
    let constants = state.specialization.iter();
    let constants = constants.map(|(id, data)| SpecializationConstant {
        id: *id,
        data: data.clone(),
    });
    let constants = constants.collect();
    let mut shader = Interface::of_entry(words, state.entry.clone(), stage.stage, constants)?;
    shader.stage_flags = state.flags;
    shader.required_width = state.required_subgroup_size;
    if let Some(sets) = library.sets(state.layout).map_err(|e| e.to_string())? {
        shader.declare(&sets)?;
    }
    Ok(shader)
}

impl ShaderSet {
    /// Lists the shaders. An error if there are none.
    pub fn open(source: &SourceArgs) -> Result<ShaderSet, String> {
        if let Some(path) = &source.foz {
            let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
            let library = Library::open(path).map_err(|e| failed(&e))?;
            return match library.stages.is_empty() {
                true => Err(failed(&"no compute or graphics pipeline there")),
                false => Ok(ShaderSet::Archive(library)),
            };
        }
        let folder = source.folder.clone().ok_or("no folder is given")?;
        let files = files(&folder)?;
        Ok(ShaderSet::Folder { folder, files })
    }

    /// The number of shaders.
    pub fn count(&self) -> usize {
        match self {
            ShaderSet::Folder { files, .. } => files.len(),
            ShaderSet::Archive(library) => library.stages.len(),
        }
    }

    /// The name of a shader, as a relative path.
    pub fn name(&self, index: usize) -> String {
        let name = match self {
            ShaderSet::Folder { folder, files } => files.get(index).map(|path| {
                let name = path.strip_prefix(folder).unwrap_or(path);
                name.display().to_string()
            }),
            ShaderSet::Archive(library) => library.stages.get(index).map(|s| s.name.clone()),
        };
        name.unwrap_or_default()
    }

    /// Loads a shader.
    pub fn load(&self, index: usize) -> Result<Interface, String> {
        let missing = "no such shader";
        match self {
            ShaderSet::Folder { files, .. } => {
                let path = files.get(index).ok_or(missing)?;
                words_of(path).and_then(Interface::new)
            }
            ShaderSet::Archive(library) => {
                load_stage(library, library.stages.get(index).ok_or(missing)?)
            }
        }
    }

    /// What the user is to know about the shaders, one line each.
    pub fn notes(&self) -> &[String] {
        match self {
            ShaderSet::Folder { .. } => &[],
            ShaderSet::Archive(library) => &library.notes,
        }
    }
}
