//! The C interface, by a C program that is linked with the library.

mod c;

use std::path::Path;
use std::process::Command;

#[test]
fn c_program_embeds_a_gpu() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include");
    let library = c::library_folder();
    let Some(program) = c::program(
        "embed",
        &[
            format!("-I{}", include.display()),
            format!("-L{}", library.display()),
            "-lingot_sim".into(),
            format!("-Wl,-rpath,{}", library.display()),
        ],
    ) else {
        return;
    };
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
fn header_compiles_as_cpp() {
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
