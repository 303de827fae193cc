//! Installed manifests of Vulkan drivers.
//!
//! In:  file names, the environment. Out: the first that is in a folder in which the Vulkan loader
//!      looks for drivers.
//! Ref: Vulkan-Loader, docs/LoaderDriverInterface.md, "Linux Driver Discovery".

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Reads an environment variable.
type Variable<'v> = &'v dyn Fn(&str) -> Option<OsString>;

/// The folders of the loader, first ones first. Variables that are set but empty count as unset.
fn folders(variable: Variable<'_>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let of_user = |name: &str, in_home: &str| {
        let own = set(name).map(PathBuf::from);
        own.or_else(|| Some(Path::new(&set("HOME")?).join(in_home)))
    };
    let list_of = |name: &str, usual: &str| {
        let list = set(name).unwrap_or_else(|| usual.into());
        std::env::split_paths(&list).collect::<Vec<_>>()
    };
    let mut all: Vec<PathBuf> = Vec::new();
    all.extend(of_user("XDG_CONFIG_HOME", ".config"));
    all.extend(list_of("XDG_CONFIG_DIRS", "/etc/xdg"));
    all.extend(["/usr/local/etc", "/etc"].map(PathBuf::from));
    all.extend(of_user("XDG_DATA_HOME", ".local/share"));
    all.extend(list_of("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    all.iter()
        .map(|folder| folder.join("vulkan/icd.d"))
        .collect()
}

fn find_by(variable: Variable<'_>, names: &[&str]) -> Result<PathBuf, String> {
    let folders = folders(variable);
    let places = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)));
    let mut there = places.filter(|place| place.is_file());
    there.next().ok_or_else(|| {
        let folders: Vec<_> = folders.iter().map(|f| f.display().to_string()).collect();
        let names = names.join(" nor ");
        format!("neither {names} is in {}", folders.join(", "))
    })
}

/// The manifest of a driver that is installed for the loader. Distributions name it with the
/// architecture or without: `stem` is what both have, such as "intel_icd".
///
/// # Errors
/// The folders that were searched, if it is in none.
pub fn find(stem: &str) -> Result<PathBuf, String> {
    let with = format!("{stem}.{}.json", std::env::consts::ARCH);
    let without = format!("{stem}.json");
    find_by(&|name| std::env::var_os(name), &[&with, &without])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn both_names_are_found_in_each_folder_of_the_loader() {
        let root = std::env::temp_dir().join(format!("ingot-manifests-{}", std::process::id()));
        let path = |name: &str| root.join(name).into_os_string();
        let variable = |name: &str| match name {
            "HOME" => Some(path("home")),
            "XDG_CONFIG_HOME" => Some(OsString::new()),
            "XDG_CONFIG_DIRS" => Some(path("xdg")),
            "XDG_DATA_DIRS" => std::env::join_paths([path("one"), path("two")]).ok(),
            _ => None,
        };
        let names = ["intel_icd.x86_64.json", "intel_icd.json"];
        let nothing = find_by(&variable, &names).unwrap_err();
        assert!(nothing.contains("/etc/vulkan/icd.d"), "{nothing}");
        // From the last place to the first: each hides those after it.
        for (folder, name) in [
            ("two", names[1]),
            ("two", names[0]),
            ("one", names[1]),
            ("home/.local/share", names[0]),
            ("xdg", names[1]),
            ("home/.config", names[1]),
        ] {
            let folder = root.join(folder).join("vulkan/icd.d");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), "{}").unwrap();
            assert_eq!(find_by(&variable, &names), Ok(folder.join(name)));
        }
        fs::remove_dir_all(root).unwrap();
    }
}
