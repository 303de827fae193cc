//! The C interface, by a C program that is linked with the library.
//!
//! The program needs i915_drm.h (Debian: libdrm-dev). Where it is missing nothing is tried; INGOT_REQUIRE_TOOLS=1 makes that a failure.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn a_c_program_drives_a_gpu_of_its_own() {
    let folders = ["/usr/include/libdrm", "/usr/include/drm"];
    let headers = folders.map(|folder| Path::new(folder).join("i915_drm.h").exists());
    if !headers.iter().any(|there| *there) {
        let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
        assert!(!required, "i915_drm.h is in none of {folders:?}");
        return;
    }
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    // `cargo test` makes the library in the folder of the tests.
    let mut library: PathBuf = std::env::current_exe().unwrap();
    library.pop();
    let program = library.join(format!("embed-{}", std::process::id()));
    let built = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(crate_folder.join("../../../include"))
        .args(folders.map(|folder| format!("-I{folder}")))
        .arg("-o")
        .arg(&program)
        .arg(crate_folder.join("tests/embed.c"))
        .arg("-L")
        .arg(&library)
        .arg("-lingot_sim")
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{complaints}");
    let ran = Command::new(&program)
        .env_remove("INGOT_GPU")
        .output()
        .unwrap();
    std::fs::remove_file(&program).unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{printed}");
    let expected = [
        "told of GPUs",
        "voodoo: 1",
        "sloppy: 1",
        "chip 0x1912, bad address 1, no ioctl 1",
        "too long: 1",
        "too long: 1",
        "stored 0xc0ffee",
        "submission 1 stopped: kind 1, rule reserved-bits, at +0x10, with words",
        "lines: 1",
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_header_is_c_plus_plus_too() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include/ingot_sim.h");
    let checked = Command::new("c++")
        .args([
            "-std=c++17",
            "-Wall",
            "-Werror",
            "-fsyntax-only",
            "-x",
            "c++-header",
        ])
        .arg(include)
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{complaints}");
}
