//! C programs of these tests.
//!
//! They need i915_drm.h (Debian: libdrm-dev). Where it is missing nothing is tried;
//! INGOT_REQUIRE_TOOLS=1 makes that a failure.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the library, which `cargo test` builds next to the tests.
pub fn library_folder() -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder
}

/// A program of a source of this folder's parent, to be removed by the caller; none where the
/// kernel's header is missing.
pub fn program(name: &str, arguments: &[String]) -> Option<PathBuf> {
    let folders = ["/usr/include/libdrm", "/usr/include/drm"];
    let headers = folders.map(|folder| Path::new(folder).join("i915_drm.h").exists());
    if !headers.iter().any(|there| *there) {
        let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
        assert!(!required, "i915_drm.h is in none of {folders:?}");
        return None;
    }
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = library_folder().join(format!("{name}-{}", std::process::id()));
    let built = Command::new("cc")
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror"])
        .args(folders.map(|folder| format!("-I{folder}")))
        .arg("-o")
        .arg(&program)
        .arg(crate_folder.join("tests").join(format!("{name}.c")))
        .args(arguments)
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{complaints}");
    Some(program)
}
