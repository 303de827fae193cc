//! Whether this driver leaves a machine's GPUs to another installed Vulkan driver.
//!
//! In:  the environment and the manifests that the Vulkan loader reads. Out: the other driver, if
//!      GPUs are left to it.
//! Ref: "Architecture of the Vulkan Loader Interfaces", driver discovery; docs/installing.md has
//!      the reasons.
//!
//! The loader lists the devices of all drivers, and applications take the first: the order of
//! manifests would decide which driver a GPU has. Until this driver is proven on hardware, it has
//! no devices where another driver for the same GPUs is installed, unless the user names it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use vk::instance::OtherDriver;

/// The variable with which a user enables this driver next to others.
const ENABLE: &str = "INGOT_ENABLE";
/// The libraries of other Vulkan drivers for the GPUs that this driver supports: Mesa's ANV.
const OTHER_LIBRARIES: &[&str] = &["libvulkan_intel.so"];
/// Part of the file names of this driver's manifest and library.
const OWN_NAME: &str = "ingot";

static LOADED_BY_LOADER: AtomicBool = AtomicBool::new(false);

/// Records that the Vulkan loader has loaded this library. An application that loads it without the
/// loader has named it.
pub fn note_loader() {
    LOADED_BY_LOADER.store(true, Ordering::Relaxed);
}

/// The installed driver that the GPUs of this machine are left to.
pub fn preferred_driver() -> Option<OtherDriver> {
    if !LOADED_BY_LOADER.load(Ordering::Relaxed) {
        return None;
    }
    find_preferred(&|name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

/// [`preferred_driver`], by the values of environment variables.
fn find_preferred(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<OtherDriver> {
    let is_set = |name: &str| variable(name).is_some();
    if variable(ENABLE).is_some_and(|value| value != "0") {
        return None;
    }
    // The loader loads no driver but those that the user lists: this one is among them.
    if [
        "VK_DRIVER_FILES",
        "VK_ICD_FILENAMES",
        "VK_LOADER_DRIVERS_SELECT",
    ]
    .into_iter()
    .any(is_set)
    {
        return None;
    }
    let additional = variable("VK_ADD_DRIVER_FILES").unwrap_or_default();
    if std::env::split_paths(&additional).any(|path| has_own_name(&path)) {
        return None;
    }
    let disabled = variable("VK_LOADER_DRIVERS_DISABLE").unwrap_or_default();
    let disabled = disabled.to_string_lossy();
    let is_disabled = |manifest: &Path| {
        let name = manifest.file_name().unwrap_or_default().to_string_lossy();
        disabled
            .split(',')
            .any(|glob| matches_glob(glob.trim(), &name))
    };
    manifests(variable)
        .into_iter()
        .filter(|manifest| !is_disabled(manifest))
        .find_map(|manifest| {
            let library = library_of_manifest(&manifest)?;
            let name = library.file_name()?.to_str()?;
            let is_other = OTHER_LIBRARIES.contains(&name) && is_loadable(&library);
            is_other.then(|| OtherDriver {
                message: format!(
                    "left to the driver of {}: set {ENABLE}=1 to use both",
                    manifest.display()
                ),
            })
        })
}

/// Whether the file name of a path is that of this driver.
fn has_own_name(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().contains(OWN_NAME))
}

/// The manifests that the loader reads without variables that list drivers.
fn manifests(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let home = variable("HOME").map(PathBuf::from);
    let in_home = |folder: &str| home.as_ref().map(|home| home.join(folder).into_os_string());
    let lists = [
        variable("XDG_CONFIG_HOME").or_else(|| in_home(".config")),
        variable("XDG_CONFIG_DIRS").or_else(|| Some("/etc/xdg".into())),
        Some("/etc".into()),
        variable("XDG_DATA_HOME").or_else(|| in_home(".local/share")),
        variable("XDG_DATA_DIRS").or_else(|| Some("/usr/local/share:/usr/share".into())),
    ];
    let mut found = Vec::new();
    for list in lists.into_iter().flatten() {
        for folder in std::env::split_paths(&list) {
            let Ok(entries) = std::fs::read_dir(folder.join("vulkan/icd.d")) else {
                continue;
            };
            let paths = entries.flatten().map(|entry| entry.path());
            found.extend(paths.filter(|path| path.extension() == Some(OsStr::new("json"))));
        }
    }
    found
}

/// The library of a manifest: a path, or a file name that the dynamic linker looks up.
fn library_of_manifest(manifest: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(manifest).ok()?;
    let library = PathBuf::from(json_string(&text, "library_path")?);
    // A relative path is relative to the manifest; a plain name is looked up.
    if library.components().count() > 1 {
        Some(manifest.parent()?.join(library))
    } else {
        Some(library)
    }
}

/// The value of the first member of this name in a JSON text, if it is a string.
fn json_string(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("\"{name}\""))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let mut value = String::new();
    let mut characters = rest.strip_prefix('"')?.chars();
    loop {
        match characters.next()? {
            '"' => return Some(value),
            // Of the escapes, paths have only those that stand for the character itself.
            '\\' => value.push(characters.next()?),
            c => value.push(c),
        }
    }
}

/// Whether a library is one that this process can load: an ELF file of its word size. A plain name,
/// which the dynamic linker looks up, is assumed to be.
fn is_loadable(library: &Path) -> bool {
    if library.components().count() == 1 {
        return true;
    }
    // ELF identification: magic number, then 1 for 32 bits or 2 for 64.
    const CLASS: u8 = if cfg!(target_pointer_width = "64") {
        2
    } else {
        1
    };
    let mut identification = [0; 5];
    let read = std::fs::File::open(library)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut identification));
    read.is_ok() && identification == [0x7f, b'E', b'L', b'F', CLASS]
}

/// Whether a name matches a pattern of VK_LOADER_DRIVERS_DISABLE, where `*` matches any text.
fn matches_glob(glob: &str, name: &str) -> bool {
    if ["~all~", "*"].contains(&glob) {
        return true;
    }
    let mut parts = glob.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = glob.contains('*').then(|| parts.next_back()).flatten() else {
        return rest.is_empty() && !glob.is_empty();
    };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests;
