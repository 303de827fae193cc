//! Unmodified programs in a process that loads the library.

mod c;

use std::process::{Command, Output};

use kmd::Recording;

/// Runs a program with the library before libc.
fn run(gpu: &str, program: &str, arguments: &[&str]) -> Output {
    preloaded(gpu, program, arguments).output().unwrap()
}

fn preloaded(gpu: &str, program: &str, arguments: &[&str]) -> Command {
    let library = c::library_folder().join("libingot_sim.so");
    assert!(library.exists(), "{}", library.display());
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LD_PRELOAD", &library)
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("INGOT_GPU", gpu);
    command
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
fn fds_of_child_processes_refer_to_the_device() {
    // The shell opens the node, and stat is given the descriptor.
    let shell = "stat -c '%F %t:%T' - < /dev/dri/card0";
    let stat = run("skl", "sh", &["-c", shell]);
    assert_eq!(text(&stat.stdout), "character special file e2:0\n");
}

#[test]
fn unknown_gpu_is_reported_once_and_the_program_runs() {
    let output = run("voodoo", "echo", &["still here"]);
    assert_eq!(text(&output.stdout), "still here\n");
    let error = text(&output.stderr);
    assert!(error.contains("voodoo") && error.contains("skl"), "{error}");
    assert_eq!(error.lines().count(), 1);
}

/// A thread may end in the middle of a call, however deep in the simulator it is.
#[test]
fn threads_may_end_inside_the_simulator() {
    let Some(program) = c::program("thread_ends", &["-pthread".into()]) else {
        return;
    };
    let ended = preloaded("skl", program.to_str().unwrap(), &[]).output();
    let ended = ended.unwrap();
    assert_eq!(ended.status.code(), Some(7), "{ended:?}");
}

/// A machine runs the batches of a process that has ended: a recording has them all, however it
/// ended.
#[test]
fn batches_complete_after_the_program_exits() {
    let Some(program) = c::program("exits", &[]) else {
        return;
    };
    let path = program.with_extension("rec");
    // Eight by main; destructors and what atexit knows have one each.
    let ways = [
        ("return", 10),
        ("exit", 10),
        ("quick_exit", 9),
        ("_exit", 8),
        ("_Exit", 8),
        ("fork", 8),
        ("vfork", 9),
    ];
    for (way, expected) in ways {
        let ended = preloaded("skl", program.to_str().unwrap(), &[way])
            .env("INGOT_SIM", format!("record={}", path.display()))
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(7), "{way}: {ended:?}");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut recording = Recording::new(&bytes).unwrap();
        let mut count = 0;
        while recording.next_submission().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, expected, "{way}");
    }
    std::fs::remove_file(&program).unwrap();
}
