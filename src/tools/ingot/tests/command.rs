//! The `ingot` command line: messages for wrong arguments, output, and the files that it writes.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn ingot(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ingot"));
    command
        .args(arguments)
        .env_remove("INGOT_GPU")
        .env_remove("INGOT_SIM");
    command
}

fn output(arguments: &[&str]) -> Output {
    ingot(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder for one test's files.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ingot-command-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

const SHADER: &str = "#version 450\nlayout(local_size_x = 8) in;\n\
    layout(std430, binding = 0) buffer B { uint x[]; };\n\
    void main() { x[gl_GlobalInvocationID.x] = 1; }\n";

#[test]
fn wrong_arguments_give_one_line_with_the_possible_values() {
    let folder = folder("words");
    let shader = write(&folder, "a.comp", SHADER);
    let script = write(&folder, "a.shader_test", "[test]\n");
    let cases: &[(&[&str], &[&str])] = &[
        (&["run", "/no/such"], &["/no/such", "No such file"]),
        (
            &["run", "--icd", "nothing", &script],
            &["--icd nothing", "`loader`"],
        ),
        (
            &["run", "--icd", &shader, &script],
            &["--icd", "a.comp", "cannot load"],
        ),
        (
            &["run", "--gpu", "voodoo", &script],
            &["--gpu", "voodoo", "skl"],
        ),
        (
            &["run", "--gpu", "icl", &script],
            &["--gpu", "icl", "not simulated yet", "skl"],
        ),
        (
            &["run", "--device-id", "9", &script],
            &["device 9 is none of 1 to 1"],
        ),
        (
            &["sim", "--gpu", "voodoo", "--", "true"],
            &["--gpu", "voodoo", "skl"],
        ),
        (
            &["sim", "--gpu", "tgl", "--", "true"],
            &["--gpu", "tgl", "not simulated yet"],
        ),
        (
            &["sim", "--trace", "cs,ps", "--", "true"],
            &["--trace", "ioctl, submit, cs, eu"],
        ),
        (
            &["sim", "--driver", "/no/such", "--", "true"],
            &["--driver", "/no/such"],
        ),
        (&["sim", "--replay", "/no/such"], &["--replay", "/no/such"]),
        (
            &["sim", "--replay", &shader],
            &["--replay", "a.comp", "not a recording"],
        ),
        (
            &["compile", "--gpu", "voodoo", &shader],
            &["--gpu", "voodoo", "skl"],
        ),
        (
            &["compile", "--simd", "64", &shader],
            &["--simd", "8, 16, 32"],
        ),
        (
            &["compile", "--nir", "opt_no", &shader],
            &["--nir", "opt_dce"],
        ),
        (
            &["compile", "/no/such.comp"],
            &["/no/such.comp", "No such file"],
        ),
        (&["compile", "--nothing", &shader], &["--nothing"]),
        (
            &["batch", "--gpu", "sk1", &shader],
            &["--gpu", "did you mean `skl`?", "cfl ("],
        ),
        (
            &["batch", "--diff", &shader, &shader],
            &["batch --diff", "a.comp", "not a recording"],
        ),
        (&["batch", "--diff", &shader], &["--diff", "2 values"]),
        (
            &["batch", "--only", "3DSTATE_PS", &shader],
            &["--only <PACKET>", "cannot be used with"],
        ),
        (
            &["devices", "--family", "voodoo"],
            &["--family", "voodoo", "skl ("],
        ),
    ];
    for (arguments, words) in cases {
        let output = output(arguments);
        let line = text(&output.stderr);
        assert!(!output.status.success(), "{arguments:?}");
        assert_eq!(line.lines().count(), 1, "{arguments:?}: {line}");
        if arguments.contains(&"--gpu") {
            assert!(line.len() < 400, "{arguments:?}: {line}");
        }
        // Before anything runs, or is printed.
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        for word in *words {
            assert!(line.contains(word), "{arguments:?}: {line}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn sim_help_names_the_simulated_families() {
    let help = text(&output(&["sim", "--help"]).stdout);
    let families = &help[help.find("Simulated GPUs, families:").unwrap()..];
    assert_eq!(families.trim().lines().count(), 1, "{families}");
    for family in ["skl", "bxt", "kbl", "glk", "cfl"] {
        assert!(families.contains(&format!("{family} (")), "{families}");
    }
    assert!(!families.contains("tgl") && families.contains("`ingot devices --all`"));
}

#[test]
fn devices_are_listed_by_family() {
    let listed = output(&["devices", "--all"]);
    assert!(listed.status.success());
    let table = text(&listed.stdout);
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("  ") && !line.contains("MARKETING NAME"))
        .collect();
    assert_eq!(rows.len(), hw::DEVICES.len(), "{table}");
    for device in hw::DEVICES {
        let row = rows
            .iter()
            .find(|row| row.split_whitespace().next() == Some(device.name));
        let row = row.unwrap_or_else(|| panic!("{} is missing: {table}", device.name));
        let simulated = if device.is_modelled() { " yes" } else { " no" };
        assert!(row.contains(device.marketing_name), "{row}");
        assert!(row.contains(device.code_name), "{row}");
        assert!(row.contains(&format!("{:04x}", device.pci_id)), "{row}");
        assert!(row.ends_with(simulated), "{row}");
    }
    let skylake = text(&output(&["devices", "--family", "skl"]).stdout);
    let count = hw::DEVICES
        .iter()
        .filter(|device| device.platform == hw::Platform::Skylake)
        .count();
    assert_eq!(skylake.lines().count(), 2 + count, "{skylake}");
    assert!(skylake.contains("SKL GT2") && !skylake.contains("KBL"));
}

#[test]
fn devices_begin_with_those_of_this_machine() {
    let text = text(&output(&["devices"]).stdout);
    let (machine, simulated) = text.split_once("Simulated").unwrap();
    assert!(machine.starts_with("This machine:\n  "), "{text}");
    let modelled = ["skl", "bxt", "kbl", "glk", "cfl"];
    assert_eq!(simulated.lines().count(), 1 + modelled.len(), "{text}");
    for family in modelled {
        assert!(simulated.contains(&format!("\n  {family}  ")), "{text}");
    }
}

#[test]
fn a_run_on_the_simulator_is_marked() {
    let folder = folder("marked");
    let script = format!("[compute shader]\n{SHADER}\n[test]\nssbo 0 32\ncompute 1 1 1\n");
    let script = write(&folder, "a.shader_test", &script);
    for (arguments, note) in [
        (vec!["run", &script, "--gpu", "skl"], false),
        (vec!["run", &script, "--simulated"], false),
        // Without an option on a machine without GPU.
        (vec!["run", &script], true),
    ] {
        if note && std::path::Path::new("/dev/dri").exists() {
            continue;
        }
        let ran = output(&arguments);
        let (out, error) = (text(&ran.stdout), text(&ran.stderr));
        assert!(ran.status.success(), "{error}");
        assert!(out.contains("[Ingot] (simulated)\n"), "{out}");
        assert!(out.ends_with("not as expected (simulated)\n"), "{out}");
        assert_eq!(error.contains("no GPU"), note, "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = ingot(&["sim", "--rules"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(text(&ended.stderr), "");
    // The output is larger than a pipe buffer; one line is read.
    let folder = folder("pipe");
    let words = vec![0_u8; 1 << 20];
    let batch = folder.join("batch");
    std::fs::write(&batch, words).unwrap();
    let mut child = ingot(&["batch", batch.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.contains("MI_NOOP"), "{first}");
    let ended = child.wait_with_output().unwrap();
    assert_eq!(text(&ended.stderr), "");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_single_entry_point_is_compiled_whatever_its_name() {
    let folder = folder("entry");
    let shader = write(&folder, "a.comp", SHADER);
    assert!(output(&["compile", &shader]).status.success());
    // The same module with another name of the same length, as SPIR-V.
    let words = vkrunner::compile_glsl(vkrunner::ShaderStage::Compute, SHADER, (1, 1, 0)).unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let renamed = bytes.as_chunks::<4>().0.iter().map(|word| match word {
        b"main" => *b"mine",
        word => *word,
    });
    let renamed: Vec<u8> = renamed.flatten().collect();
    assert_ne!(bytes, renamed);
    let path = folder.join("b.spv");
    std::fs::write(&path, renamed).unwrap();
    let path = path.to_str().unwrap();
    let taken = output(&["compile", path]);
    assert!(taken.status.success(), "{}", text(&taken.stderr));
    let wrong = output(&["compile", "--entry", "main", path]);
    assert!(!wrong.status.success());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn other_stages_compile_and_show_their_nir() {
    let folder = folder("stages");
    let source = "#version 450\nlayout(location = 1) out vec4 c;\nvoid main() { c = vec4(dFdx(gl_FragCoord.x)); }\n";
    let shader = write(&folder, "a.frag", source);
    let shown = output(&["compile", "--nir", "final", &shader]);
    let nir = text(&shown.stdout);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    for word in ["shader fragment", "ddx", "location=var1"] {
        assert!(nir.contains(word), "{nir}");
    }
    let compiled = output(&["compile", "--asm", &shader]);
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    for word in ["; SIMD8 asm", "; SIMD16 asm", "{EOT}"] {
        assert!(
            text(&compiled.stdout).contains(word),
            "{}",
            text(&compiled.stdout)
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A script that runs, its recording, and what a replay of that writes.
#[test]
fn a_replay_is_traced_and_profiled() {
    let folder = folder("replay");
    let script = format!(
        "[compute shader]\n{SHADER}\n[test]\nssbo 0 32\ncompute 1 1 1\nprobe ssbo uint 0 0 == 1\n"
    );
    let script = write(&folder, "a.shader_test", &script);
    let (recording, profile) = (folder.join("rec"), folder.join("profile"));
    let ran = ingot(&["run", &script, "--gpu", "skl"])
        .env("INGOT_SIM", format!("record={}", recording.display()))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let last = text(&ran.stdout);
    assert!(
        last.ends_with("1 passed, 0 not as expected (simulated)\n"),
        "{last}"
    );
    let replayed = output(&[
        "sim",
        "--replay",
        recording.to_str().unwrap(),
        "--profile",
        profile.to_str().unwrap(),
        "--trace",
        "cs,eu",
    ]);
    let trace = text(&replayed.stderr);
    assert!(replayed.status.success(), "{trace}");
    assert!(
        trace.contains("GPGPU_WALKER") && trace.contains("cs 0,0,0 thread 0:"),
        "{trace}"
    );
    let table = std::fs::read_to_string(&profile).unwrap();
    assert!(
        table.contains("GPGPU_WALKER, 1 x 1 x 1 groups of 1 SIMD8"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The path of a recording of a compute script with these test commands.
fn recorded(folder: &Path, name: &str, test: &str) -> String {
    let script = format!("[compute shader]\n{SHADER}\n[test]\nssbo 0 32\n{test}\n");
    let script = write(folder, &format!("{name}.shader_test"), &script);
    let recording = folder.join(name);
    let ran = ingot(&["run", &script, "--gpu", "skl"])
        .env("INGOT_SIM", format!("record={}", recording.display()))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    recording.display().to_string()
}

#[test]
fn recordings_are_compared_field_by_field() {
    let folder = folder("diff");
    let one = recorded(&folder, "one", "compute 1 1 1");
    let again = recorded(&folder, "again", "compute 1 1 1");
    let two = recorded(&folder, "two", "compute 1 1 1\ncompute 1 2 1");
    let same = output(&["batch", "--diff", &one, &again]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stdout));
    // A line for each command, and none for a field.
    let table = text(&same.stdout);
    let walker = |table: &str| -> Vec<String> {
        let mut lines = table.lines();
        let line = lines.find(|line| line.starts_with("GPGPU_WALKER"));
        let line = line.unwrap_or_else(|| panic!("{table}"));
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(walker(&table), ["GPGPU_WALKER", "1", "1"]);
    assert!(!table.contains("\n    "), "{table}");

    let differs = output(&["batch", "--diff", &one, &two]);
    assert_eq!(differs.status.code(), Some(1));
    let counts = walker(&text(&differs.stdout));
    assert_eq!(counts, ["GPGPU_WALKER", "1", "2", "different", "counts"]);
    let only = output(&["batch", "--diff", &one, &two, "--only", "gpgpu_walker"]);
    let shown = text(&only.stdout);
    assert_eq!(only.status.code(), Some(1), "{shown}");
    assert!(
        shown.contains("\n    Thread Group ID X Dimension\n        A  n ×1\n        B  n ×2\n")
    );
    assert!(!shown.contains("PIPE_CONTROL"), "{shown}");
    let none = output(&["batch", "--diff", &one, &two, "--only", "3DPRIMITIVE"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("--only 3DPRIMITIVE"));

    // The file and the place in it.
    let mut bytes = std::fs::read(&one).unwrap();
    bytes.truncate(bytes.len() - 10);
    std::fs::write(&two, bytes).unwrap();
    let damaged = output(&["batch", "--diff", &one, &two]);
    let line = text(&damaged.stderr);
    assert_eq!(damaged.status.code(), Some(2));
    assert!(
        line.contains("two") && line.contains("submission"),
        "{line}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}
