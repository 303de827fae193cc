//! Intel's `iga64`, which is in Debian's libigc-tools. Without it tests that need it are skipped;
//! `INGOT_REQUIRE_TOOLS=1` makes that a failure.

use std::process::Command;

/// True if `iga64` is not installed, so that a test has to be skipped.
pub fn is_missing() -> bool {
    let found = Command::new("iga64").arg("-h").output().is_ok();
    let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
    assert!(found || !required, "iga64 is not installed");
    if !found {
        eprintln!("skipped: iga64 is not installed");
    }
    !found
}

/// Explains the descriptor of a gen9 message: a line for each field.
pub fn explain_descriptor(sfid: u8, desc: u32) -> String {
    let run = Command::new("iga64")
        .args([
            "-p=9",
            "-Xdsd",
            &format!("{sfid:#x}"),
            &format!("{desc:#x}"),
        ])
        .output()
        .expect("iga64 runs");
    String::from_utf8_lossy(&run.stdout).into_owned()
}
