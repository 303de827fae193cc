//! `ingot doctor` on simulated machines, good and bad: each ends with the right sentence and exit
//! code, and leaves nothing behind but its report.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test's reports, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("ingot-doctor-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Names of the files in it.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// The only report.
    fn report(&self) -> PathBuf {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        assert!(files[0].starts_with("ingot-report-1912-"), "{files:?}");
        assert!(files[0].ends_with(".tar.gz"), "{files:?}");
        self.0.join(&files[0])
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn doctor(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ingot"))
        .args(["doctor", "--output"])
        .arg(folder)
        .args(arguments)
        .current_dir(folder)
        .env_remove("INGOT_DEBUG")
        // A word of the report, so that its absence means something.
        .env("USER", "simulated")
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Processes of a ramp in this folder that still run.
fn processes(folder: &Path) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let folder = folder.display().to_string();
    lines
        .filter(|line| String::from_utf8_lossy(line).contains(&folder))
        .count()
}

#[test]
fn a_good_machine_passes_and_its_report_can_be_read_again() {
    let folder = Folder::new("good");
    let rungs = "context,empty-batch,store-data,timestamp,register-writes,dispatch-simd16,triangle,texture,probe-stored-quadword";
    let output = doctor(&folder.0, &["--gpu", "skl", "--only", rungs]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(
        text(&output).contains("9 rungs passed"),
        "{}",
        text(&output)
    );
    let report = folder.report();
    let report = report.to_str().unwrap();
    let shown = text(&doctor(&folder.0, &["--read", report, "--show"]));
    for part in [
        "# Ingot on this machine",
        "rung triangle submit 1 batch ",
        "rung triangle reads the counters",
        "twin: skl",
        "Stored quadwords",
        "22222222",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.contains("skl (<user>)"), "{shown}");
    let again = doctor(&folder.0, &["--read", report]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
    assert!(
        text(&again).contains("9 rungs of the report"),
        "{}",
        text(&again)
    );
    assert_eq!((folder.files().len(), processes(&folder.0)), (1, 0));
}

/// The values of ERRATA.md's implemented interpretations.
#[test]
fn probes_report_what_the_simulator_implements() {
    let folder = Folder::new("probes");
    let rungs = "probe-offset-wrap,probe-integer-extremes,probe-mip-tail,probe-dither,probe-constants-early";
    let output = doctor(&folder.0, &["--gpu", "skl", "--only", rungs]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(
        text(&output).contains("5 rungs passed"),
        "{}",
        text(&output)
    );
    let report = folder.report();
    let shown = text(&doctor(
        &folder.0,
        &["--read", report.to_str().unwrap(), "--show"],
    ));
    // The ordered matrix of Bayer, row by row, with sixteen thresholds.
    let bayer = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
    let line = |name: &str, dwords: &[u32]| {
        let dwords: Vec<String> = dwords.iter().map(|dword| format!("{dword:08x}")).collect();
        format!("    - {name}: {}\n", dwords.join(" "))
    };
    let dithered = bayer.map(|threshold| 4 * threshold + 2);
    let mut wrapped = [0; 20];
    wrapped[..4].copy_from_slice(&[17, 34, 51, 68]);
    // Rows 0 and 1 of level 3, as they were uploaded.
    let level_3 = std::array::from_fn::<u32, 20, _>(|at| {
        let (x, y) = (at as u32 % 16, at as u32 / 16);
        0x5e00_0000 | (x ^ y) << 16 | y << 8 | x
    });
    for expected in [
        line("levels 3 to 7", &level_3),
        line("buffer", &wrapped),
        line("minimum, maximum", &[3, 8]),
        line("5 bits", &dithered),
        line("6 bits", &dithered),
        line("8 bits", &dithered),
        line("10 bits", &[32; 16]),
        line(
            "read by each draw",
            &[0x01d0_01d0, 0x0e30_0e30, 0x0e30_0e30],
        ),
    ] {
        assert!(shown.contains(&expected), "{expected}: {shown}");
    }
}

/// What hangs a machine is drawn by the probe alone: a strict GPU refuses it.
#[test]
fn the_dangerous_probe_draws_with_a_header_alone() {
    let folder = Folder::new("header");
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/doctor/scripts/header-only-fragment.shader_test"
    );
    let run = |flags: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_ingot"))
            .args(["run", "--strict", "--gpu", "skl", script])
            .current_dir(&folder.0)
            .env("INGOT_DEBUG", flags)
            .output()
            .unwrap();
        (output.status.success(), text(&output))
    };
    let (padded, printed) = run("");
    assert!(padded, "{printed}");
    let (passed, printed) = run("header-only");
    assert!(!passed && printed.contains("ps-header-only"), "{printed}");
    // The machine that forgives it passes the rung, but only if asked for.
    let rung = ["--gpu", "skl", "--only", "probe-header-only", "--dangerous"];
    let output = doctor(&folder.0, &rung);
    assert!(
        text(&output).contains("1 rungs passed"),
        "{}",
        text(&output)
    );
}

#[test]
fn wrong_data_is_compared_with_the_twin_and_bars_what_needs_it() {
    let folder = Folder::new("wrong");
    let rungs = "store-data,timestamp,triangle";
    let output = doctor(
        &folder.0,
        &[
            "--gpu",
            "skl",
            "--only",
            rungs,
            "--misbehave",
            "wrong@store-data",
        ],
    );
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("store-data (the GPU writes memory (MI_STORE_DATA_IMM)): wrong result"),
        "{printed}"
    );
    assert!(
        printed.contains("timestamp") && printed.contains("not run: it needs store-data"),
        "{printed}"
    );
    let shown = text(&doctor(
        &folder.0,
        &["--read", folder.report().to_str().unwrap(), "--show"],
    ));
    assert!(
        shown.contains("stored[1]: 0xa5a5a5a5, the twin: 0xdeadbeef"),
        "{shown}"
    );
    assert!(shown.contains("rungs/store-data/batch.bin"), "{shown}");
    // The replay on the good twin tells that the machine was different.
    let again = doctor(&folder.0, &["--read", folder.report().to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again));
}

#[test]
fn a_wrong_image_has_a_difference_image() {
    let folder = Folder::new("image");
    let output = doctor(
        &folder.0,
        &[
            "--gpu",
            "skl",
            "--only",
            "triangle",
            "--misbehave",
            "wrong@triangle",
        ],
    );
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let shown = text(&doctor(
        &folder.0,
        &["--read", folder.report().to_str().unwrap(), "--show"],
    ));
    for part in [
        "rungs/triangle/difference.png",
        "rungs/triangle/twin/messages.txt",
        "pixels differ, the first at (0, 0)",
        // The pipeline's counters, of which the replaced batches count nothing.
        "VS_INVOCATION_COUNT[0]: 0x00000000, the twin: 0x00000003",
        "rungs/triangle/script.shader_test",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn a_hang_is_found_by_the_kernel_and_its_cure_is_named() {
    let folder = Folder::new("hang");
    let output = doctor(
        &folder.0,
        &[
            "--gpu",
            "skl",
            "--only",
            "triangle,attribute",
            "--misbehave",
            "hang@triangle:no-fast-clear",
        ],
    );
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("hang: the kernel found a hang: 1 batches hung"),
        "{printed}"
    );
    assert!(
        printed.contains("INGOT_DEBUG=no-fast-clear avoids it"),
        "{printed}"
    );
    assert!(printed.contains("not run: it needs triangle"), "{printed}");
    folder.report();
    assert_eq!(processes(&folder.0), 0);
}

#[test]
fn a_second_hang_of_a_rung_ends_the_ramp() {
    let folder = Folder::new("twice");
    let output = doctor(
        &folder.0,
        &[
            "--gpu",
            "skl",
            "--only",
            "empty-batch,dispatch-simd8,triangle",
            "--misbehave",
            "hang@dispatch-simd8",
        ],
    );
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("it hung again with every option"),
        "{printed}"
    );
    assert!(!printed.contains("triangle"), "{printed}");
}

#[test]
fn a_silent_machine_is_given_up_at_the_deadline() {
    let folder = Folder::new("stall");
    let output = doctor(
        &folder.0,
        &[
            "--gpu",
            "skl",
            "--only",
            "empty-batch",
            "--deadline",
            "2",
            "--misbehave",
            "stall@empty-batch",
        ],
    );
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("hang: no result after 2 s; last submission: 1"),
        "{printed}"
    );
    assert_eq!(processes(&folder.0), 0);
}

#[test]
fn a_refused_submission_is_named() {
    let folder = Folder::new("eio");
    let output = doctor(
        &folder.0,
        &[
            "--gpu",
            "skl",
            "--only",
            "empty-batch,triangle",
            "--misbehave",
            "eio@triangle",
        ],
    );
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("pass  empty-batch"), "{printed}");
    assert!(
        printed.contains("the kernel refused submission 1: EIO"),
        "{printed}"
    );
}

#[test]
fn without_permission_or_with_xe_nothing_is_submitted_and_nothing_written() {
    let folder = Folder::new("nothing");
    for (fault, code, sentence) in [
        ("no-permission", 3, "permission denied"),
        ("xe", 6, "driven by xe, not i915"),
    ] {
        let output = doctor(&folder.0, &["--gpu", "skl", "--misbehave", fault]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        assert!(text(&output).contains(sentence), "{}", text(&output));
    }
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn a_ramp_that_did_not_end_is_reported_by_the_next() {
    let folder = Folder::new("frozen");
    let old = folder.0.join("ingot-report-1912-20260101-000000");
    std::fs::create_dir_all(&old).unwrap();
    let journal =
        "  10 rung hiz begins\n  11 rung hiz submit 2 batch 0123456789abcdef bytes 64 at 0x1000\n";
    std::fs::write(old.join("journal.txt"), journal).unwrap();
    let output = doctor(&folder.0, &["--gpu", "skl", "--only", "context"]);
    assert!(
        text(&output).contains("last submission: rung hiz submit 2 batch 0123456789abcdef"),
        "{}",
        text(&output)
    );
}

#[test]
fn help_and_list_teach() {
    let folder = Folder::new("help");
    let help = text(&doctor(&folder.0, &["--help"]));
    for part in ["the ramp", "--gently", "Exit codes", "docs/laptop.md"] {
        assert!(help.contains(part), "{part}: {help}");
    }
    for hidden in ["--child", "--misbehave"] {
        assert!(!help.contains(hidden), "{help}");
    }
    let list = text(&doctor(&folder.0, &["--list"]));
    assert!(
        list.contains("probe-header-only") && list.contains("[--dangerous]"),
        "{list}"
    );
}
