//! Where the shader cache on disk is.
//!
//! In:  the environment, or what a program that contains the driver sets. Out: the folder and the
//!      maximum size, or that there is no cache.
//! Ref: Mesa's documentation, "Environment Variables", whose names and formats these are: users set
//!      them for all drivers of a machine. INGOT_SHADER_CACHE_DISABLE is of this driver alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use vk::disk_cache::Settings;

use crate::device_discovery;

/// Our folder in the folder of caches.
const FOLDER: &str = "ingot_shader_cache";

/// The maximum size without a variable.
const DEFAULT_MAX_BYTES: u64 = 1 << 30;

static CHOICE: OnceLock<Option<Settings>> = OnceLock::new();

/// Sets the folder of the shader cache for all devices of this process, or that there is none,
/// whatever the environment says. Returns false, and changes nothing, if it was set before or a
/// device was created. Without this call, a process that has set a source of GPUs
/// ([`crate::set_kernel_source`]) has no cache.
pub fn set_shader_cache(settings: Option<Settings>) -> bool {
    CHOICE.set(settings).is_ok()
}

/// The cache of a new device. The environment is read once, here.
pub fn settings() -> Option<Settings> {
    let choice = CHOICE.get_or_init(|| {
        // A program with GPUs of its own is a test, and a setuid program must not trust its
        // environment, nor write files as another user.
        if device_discovery::has_kernel_source() || sys::has_elevated_privileges() {
            return None;
        }
        read_environment(&|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    });
    choice.clone()
}

/// The settings by the values of environment variables.
fn read_environment(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<Settings> {
    let disabled = |name| variable(name).is_some_and(|value| is_true(&value));
    if disabled("MESA_SHADER_CACHE_DISABLE") || disabled("INGOT_SHADER_CACHE_DISABLE") {
        return None;
    }
    // Relative paths in XDG variables are invalid.
    let absolute = |name| variable(name).filter(|path| Path::new(path).is_absolute());
    let folder = variable("MESA_SHADER_CACHE_DIR")
        .or_else(|| absolute("XDG_CACHE_HOME"))
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(absolute("HOME")?).join(".cache")))?;
    // The application may change its working directory.
    let folder = std::path::absolute(folder.join(FOLDER)).ok()?;
    let max_bytes = variable("MESA_SHADER_CACHE_MAX_SIZE");
    let max_bytes = max_bytes.and_then(|value| parse_size(value.to_str()?));
    Some(Settings {
        folder,
        max_bytes: max_bytes.unwrap_or(DEFAULT_MAX_BYTES),
    })
}

/// Whether the value of a variable means yes.
fn is_true(value: &OsString) -> bool {
    let value = value.to_string_lossy().to_ascii_lowercase();
    matches!(value.as_str(), "1" | "true" | "t" | "yes" | "y")
}

/// Bytes of a size: a number with the suffix K, M or G, or in GiB. `None` if it is none, or 0.
fn parse_size(text: &str) -> Option<u64> {
    let (number, shift) = match text.trim().char_indices().next_back()? {
        (index, 'k' | 'K') => (&text.trim()[..index], 10),
        (index, 'm' | 'M') => (&text.trim()[..index], 20),
        (index, 'g' | 'G') => (&text.trim()[..index], 30),
        _ => (text.trim(), 30),
    };
    let number: u64 = number.parse().ok()?;
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_of(variables: &[(&str, &str)]) -> Option<Settings> {
        read_environment(&|name| {
            let found = variables.iter().find(|row| row.0 == name);
            found.map(|row| row.1.into())
        })
    }

    fn folder_of(variables: &[(&str, &str)]) -> Option<String> {
        let settings = settings_of(variables)?;
        Some(settings.folder.to_str().unwrap().into())
    }

    #[test]
    fn the_first_of_three_variables_names_the_folder() {
        let (mesa, xdg, home) = (
            ("MESA_SHADER_CACHE_DIR", "/mesa"),
            ("XDG_CACHE_HOME", "/xdg"),
            ("HOME", "/home/user"),
        );
        let folder = folder_of(&[home, xdg, mesa]);
        assert_eq!(folder.as_deref(), Some("/mesa/ingot_shader_cache"));
        let folder = folder_of(&[home, xdg]);
        assert_eq!(folder.as_deref(), Some("/xdg/ingot_shader_cache"));
        let folder = folder_of(&[home, ("XDG_CACHE_HOME", "relative")]);
        let in_home = Some("/home/user/.cache/ingot_shader_cache");
        assert_eq!(folder.as_deref(), in_home);
        assert_eq!(folder_of(&[]), None);
        let relative = folder_of(&[("MESA_SHADER_CACHE_DIR", "cache")]).unwrap();
        assert!(relative.starts_with('/') && relative.ends_with("/cache/ingot_shader_cache"));
    }

    #[test]
    fn two_variables_disable_the_cache() {
        let values = [
            ("true", true),
            ("1", true),
            ("Yes", true),
            ("false", false),
            ("0", false),
            ("no", false),
        ];
        for name in ["MESA_SHADER_CACHE_DISABLE", "INGOT_SHADER_CACHE_DISABLE"] {
            for (value, is_disabled) in values {
                let variables = [("HOME", "/home"), (name, value)];
                let is_none = settings_of(&variables).is_none();
                assert_eq!(is_none, is_disabled, "{name}={value}");
            }
        }
    }

    #[test]
    fn sizes_have_suffixes() {
        let bytes_of = |value| {
            let variables = [("HOME", "/home"), ("MESA_SHADER_CACHE_MAX_SIZE", value)];
            settings_of(&variables).unwrap().max_bytes
        };
        assert_eq!(bytes_of("4"), 4 << 30);
        assert_eq!(bytes_of("2G"), 2 << 30);
        assert_eq!(bytes_of("300m"), 300 << 20);
        assert_eq!(bytes_of("64K"), 64 << 10);
        for invalid in ["0", "-1", "K", "1T", "99999999999999999999", "é"] {
            assert_eq!(bytes_of(invalid), DEFAULT_MAX_BYTES, "{invalid}");
        }
    }
}
