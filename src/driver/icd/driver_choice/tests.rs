use super::*;

/// A folder with manifests, removed with the value.
struct Installation(PathBuf);

impl Installation {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("ingot-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("vulkan/icd.d")).unwrap();
        Self(folder)
    }

    /// Installs a manifest for a library that begins with these bytes.
    fn install(&self, manifest: &str, library: &str, bytes: &[u8]) {
        let path = self.0.join(library);
        std::fs::write(&path, bytes).unwrap();
        let text = format!(
            "{{\"ICD\": {{\n\"api_version\": \"1.3.230\",\n\"library_path\" : \"{}\"}}}}",
            path.display().to_string().replace('/', "\\/")
        );
        std::fs::write(self.0.join("vulkan/icd.d").join(manifest), text).unwrap();
    }

    /// The driver that is preferred with these variables.
    fn preferred(&self, variables: &[(&str, &str)]) -> Option<String> {
        let found = find_preferred(&|name| match name {
            "XDG_DATA_DIRS" => Some(self.0.clone().into()),
            // Nothing outside the folder.
            "HOME" | "XDG_CONFIG_HOME" | "XDG_CONFIG_DIRS" | "XDG_DATA_HOME" => {
                Some(self.0.join("none").into())
            }
            name => {
                let set = variables.iter().find(|variable| variable.0 == name);
                set.map(|variable| variable.1.into())
            }
        });
        found.map(|driver| driver.message)
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

const ELF64: &[u8] = b"\x7fELF\x02";
const ELF32: &[u8] = b"\x7fELF\x01";

#[test]
fn gpus_are_left_to_another_driver_unless_the_user_names_this_one() {
    let machine = Installation::new("both");
    machine.install("ingot_icd.x86_64.json", "libvulkan_ingot.so", ELF64);
    machine.install("lvp_icd.x86_64.json", "libvulkan_lvp.so", ELF64);
    assert_eq!(machine.preferred(&[]), None);
    machine.install("intel_icd.x86_64.json", "libvulkan_intel.so", ELF64);
    let message = machine.preferred(&[]).unwrap();
    assert!(
        message.ends_with("intel_icd.x86_64.json: set INGOT_ENABLE=1 to use both"),
        "{message}"
    );
    for (name, value, is_left) in [
        ("INGOT_ENABLE", "1", false),
        ("INGOT_ENABLE", "0", true),
        ("VK_DRIVER_FILES", "/x/ingot_icd.x86_64.json", false),
        ("VK_ICD_FILENAMES", "/x/ingot_icd.x86_64.json", false),
        ("VK_ADD_DRIVER_FILES", "/x/a.json:/x/ingot_icd.json", false),
        ("VK_ADD_DRIVER_FILES", "/x/lvp_icd.json", true),
        ("VK_LOADER_DRIVERS_SELECT", "*ingot*", false),
        ("VK_LOADER_DRIVERS_SELECT", "lvp*,*i*", true),
        ("VK_LOADER_DRIVERS_DISABLE", "intel_icd*", false),
        ("VK_LOADER_DRIVERS_DISABLE", "lvp*,radeon*", true),
    ] {
        let left = machine.preferred(&[(name, value)]).is_some();
        assert_eq!(left, is_left, "{name}={value}");
    }
}

#[test]
fn lists_of_all_drivers_name_none() {
    let machine = Installation::new("container");
    machine.install("0-x86_64.json", "libvulkan_ingot.so", ELF64);
    machine.install("1-x86_64.json", "libvulkan_intel.so", ELF64);
    let folder = machine.0.join("vulkan/icd.d");
    let path = |name: &str| folder.join(name).display().to_string();
    let (own, other) = (path("0-x86_64.json"), path("1-x86_64.json"));
    for (list, is_left) in [
        (own.clone(), false),
        (format!("{own}:{other}"), true),
        (folder.display().to_string(), true),
        (format!("{}:{other}", path("ingot_icd.json")), false),
    ] {
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            let left = machine.preferred(&[(name, &list)]).is_some();
            assert_eq!(left, is_left, "{name}={list}");
        }
    }
    // Drivers of this variable count as installed.
    let empty = Installation::new("additional");
    let left = empty.preferred(&[("VK_ADD_DRIVER_FILES", &other)]);
    assert!(left.is_some());
}

#[test]
fn a_driver_of_another_word_size_does_not_count() {
    let machine = Installation::new("multiarch");
    for (arch, is_left) in [("64", true), ("32", false)] {
        let manifest = machine.0.join("vulkan/icd.d/intel_icd.json");
        let text = format!(
            "{{\"ICD\": {{\"library_arch\": \"{arch}\", \
             \"library_path\": \"libvulkan_intel.so\"}}}}"
        );
        std::fs::write(manifest, text).unwrap();
        assert_eq!(machine.preferred(&[]).is_some(), is_left, "{arch}");
    }
}

#[test]
fn a_driver_that_cannot_be_loaded_does_not_count() {
    let machine = Installation::new("stale");
    machine.install("intel_icd.i686.json", "libvulkan_intel.so", ELF32);
    assert_eq!(machine.preferred(&[]), None);
    std::fs::remove_file(machine.0.join("libvulkan_intel.so")).unwrap();
    assert_eq!(machine.preferred(&[]), None);
}

#[test]
fn globs_match_names() {
    for (glob, name, matches) in [
        ("*", "a.json", true),
        ("~all~", "a.json", true),
        ("intel*", "intel_icd.x86_64.json", true),
        ("*intel*", "intel_icd.x86_64.json", true),
        ("*.json", "intel_icd.x86_64.json", true),
        ("in*86*n", "intel_icd.x86_64.json", true),
        ("intel", "intel_icd.x86_64.json", false),
        ("lvp*", "intel_icd.x86_64.json", false),
        ("", "a.json", false),
    ] {
        assert_eq!(matches_glob(glob, name), matches, "{glob} {name}");
    }
}
