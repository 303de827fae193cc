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
    // The loader ignores all variables in such processes.
    let ignores_variables = sys::has_elevated_privileges();
    find_preferred(&|name| {
        let value = std::env::var_os(name);
        value.filter(|value| !ignores_variables && !value.is_empty())
    })
}

/// [`preferred_driver`], by the values of environment variables.
fn find_preferred(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<OtherDriver> {
    if variable(ENABLE).is_some_and(|value| value != "0") {
        return None;
    }
    let listed = variable("VK_DRIVER_FILES").or_else(|| variable("VK_ICD_FILENAMES"));
    let additional = variable("VK_ADD_DRIVER_FILES");
    let lists = [&listed, &additional].into_iter().flatten();
    if lists
        .flat_map(std::env::split_paths)
        .any(|path| has_own_name(&path))
    {
        return None;
    }
    let found = match &listed {
        // The loader reads no others. Containers list all drivers of the machine here, under names
        // of their own.
        Some(listed) => manifests_of_list(listed),
        None => {
            let additional = additional.as_deref().map(manifests_of_list);
            [
                installed_manifests(variable),
                additional.unwrap_or_default(),
            ]
            .concat()
        }
    };
    let selected = variable("VK_LOADER_DRIVERS_SELECT").unwrap_or_else(|| "*".into());
    let disabled = variable("VK_LOADER_DRIVERS_DISABLE").unwrap_or_default();
    let is_read = |manifest: &PathBuf| {
        let name = manifest.file_name().unwrap_or_default().to_string_lossy();
        matches_any_glob(&selected, &name) && !matches_any_glob(&disabled, &name)
    };
    found.into_iter().filter(is_read).find_map(|manifest| {
        is_of_other_driver(&manifest).then(|| OtherDriver {
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
fn installed_manifests(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
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
            found.extend(manifests_of_folder(&folder.join("vulkan/icd.d")));
        }
    }
    found
}

/// The manifests of a variable that lists files and folders.
fn manifests_of_list(list: &OsStr) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::env::split_paths(list) {
        match path.is_dir() {
            true => found.extend(manifests_of_folder(&path)),
            false => found.push(path),
        }
    }
    found
}

/// The manifests of a folder; none if it cannot be read.
fn manifests_of_folder(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension() == Some(OsStr::new("json")))
}

/// Whether a manifest is that of another driver for the same GPUs, which this process can load.
fn is_of_other_driver(manifest: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(manifest) else {
        return false;
    };
    let Some(library) = json_string(&text, "library_path").map(PathBuf::from) else {
        return false;
    };
    let name = library.file_name().and_then(OsStr::to_str);
    if !name.is_some_and(|name| OTHER_LIBRARIES.contains(&name)) {
        return false;
    }
    let arch = json_string(&text, "library_arch");
    if arch.is_some_and(|arch| arch != usize::BITS.to_string()) {
        return false;
    }
    // A relative path is relative to the manifest; a plain name is looked up by the dynamic linker,
    // and assumed to be found.
    match (library.components().count(), manifest.parent()) {
        (2.., Some(folder)) => is_loadable(&folder.join(library)),
        _ => true,
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

/// Whether a library is one that this process can load: an ELF file of its word size.
fn is_loadable(library: &Path) -> bool {
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

/// Whether a name matches one of the patterns of VK_LOADER_DRIVERS_SELECT or _DISABLE.
fn matches_any_glob(globs: &OsStr, name: &str) -> bool {
    let globs = globs.to_string_lossy();
    globs.split(',').any(|glob| matches_glob(glob.trim(), name))
}

/// Whether a name matches a pattern, where `*` matches any text.
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
