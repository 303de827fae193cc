//! Unmodified programs in a process that loads the library.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs a program with the library before libc.
fn run(gpu: &str, program: &str, arguments: &[&str]) -> Output {
    // `cargo test` makes the library in the folder of the tests.
    let mut library: PathBuf = std::env::current_exe().unwrap();
    library.pop();
    library.push("libingot_sim.so");
    assert!(library.exists(), "{}", library.display());
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LD_PRELOAD", &library)
        .env("INGOT_GPU", gpu);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn coreutils_see_the_device() {
    let listed = run("skl", "ls", &["/dev/dri"]);
    assert_eq!(text(&listed.stdout), "by-path\ncard0\nrenderD128\n");
    let stat = run("skl", "stat", &["-c", "%F %t:%T", "/dev/dri/renderD128"]);
    assert_eq!(text(&stat.stdout), "character special file e2:80\n");
    let vendor = run("bxt", "cat", &["/sys/dev/char/226:128/device/device"]);
    assert_eq!(text(&vendor.stdout), "0x5a84\n");
    let slot = run(
        "skl",
        "readlink",
        &["-f", "/sys/class/drm/renderD128/device"],
    );
    assert!(
        text(&slot.stdout).ends_with("0000:00:02.0\n"),
        "{}",
        text(&slot.stdout)
    );
}

#[test]
fn a_gpu_that_does_not_exist_is_said_once_and_the_program_runs() {
    let output = run("voodoo", "echo", &["still here"]);
    assert_eq!(text(&output.stdout), "still here\n");
    let error = text(&output.stderr);
    assert!(error.contains("voodoo") && error.contains("skl"), "{error}");
    assert_eq!(error.lines().count(), 1);
}
