//! `ingot bench codegen`: the report of two tiny shaders, with counts made by hand, and of broken
//! ones.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder for one test's files.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ingot-codegen-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The report that compares this build with itself.
fn report(arguments: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_ingot");
    let output = Command::new(program)
        .args(["bench", "codegen", "--repeat", "1", "--vs", program])
        .args(arguments)
        .env_remove("INGOT_GPU")
        .env_remove("INGOT_SIM")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    text
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// The words of the last line that ends with this shader's name.
fn figures<'r>(report: &'r str, shader: &str) -> Vec<&'r str> {
    let line = report.lines().rfind(|line| line.ends_with(shader));
    line.unwrap_or_default().split_whitespace().collect()
}

#[test]
fn straight_line_shaders_cost_what_their_listings_add_up_to() {
    let folder = folder("straight");
    let shaders = folder.join("shaders");
    std::fs::create_dir_all(&shaders).unwrap();
    write(
        &shaders,
        "empty.comp",
        "#version 450\nlayout(local_size_x = 8) in;\nvoid main() {}\n",
    );
    write(
        &shaders,
        "store.comp",
        "#version 450\nlayout(local_size_x = 8) in;\n\
         layout(binding = 0) buffer B { uint x[]; };\n\
         void main() { x[gl_GlobalInvocationID.x] = 7; }\n",
    );
    let (shaders, listings) = (shaders.to_str().unwrap(), folder.join("listings"));
    let text = report(&[shaders, "--run", "--listings", listings.to_str().unwrap()]);
    // Four workgroups of eight invocations are four threads of eight channels. The listing of the
    // empty shader: a copy of r0, and the message that ends the thread. The copy issues in 2
    // cycles; 8 later the message issues in 2, and its one register has been read 8 + 2 later: 22
    // cycles for each thread, of which an EU runs seven at once. 4 * 22 / 7 is 13, rounded up.
    let expected = "1.00 13 : 13 8 : 8 4 : 4 4 : 4 8 : 8 empty.comp";
    assert_eq!(figures(&text, "empty.comp").join(" "), expected, "{text}");
    // The second shader stores once more, and has no branch: each thread executes the whole
    // listing, so that 4 * its instructions execute.
    let words = figures(&text, "store.comp");
    assert_eq!(words[7..10], ["8", ":", "8"], "{text}");
    assert!(!text.contains("results differ"), "{text}");
    for driver in ["ours", "theirs"] {
        let path = listings.join(format!("store.comp.{driver}.asm"));
        let listing = std::fs::read_to_string(path).unwrap();
        let is_instruction = |line: &&str| {
            let line = line.trim_start();
            let line = line.strip_prefix("(W)").unwrap_or(line).trim_start();
            !line.starts_with(';') && line.contains("|M0)")
        };
        let count = listing.lines().filter(is_instruction).count();
        assert_eq!(words[4], (4 * count).to_string(), "{listing}\n{text}");
        assert!(
            listing.starts_with("; executed at SIMD8: 4 threads, "),
            "{listing}"
        );
        assert!(listing.contains(", 8 messages, "), "{listing}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn shaders_that_do_not_end_are_skipped_and_broken_ones_reported() {
    let folder = folder("endless");
    write(
        &folder,
        "endless.comp",
        "#version 450\nlayout(local_size_x = 8) in;\n\
         layout(binding = 0) buffer B { uint n; uint x[]; };\n\
         void main() { while (n != 77u) { atomicAdd(x[0], 1u); } }\n",
    );
    write(
        &folder,
        "store.comp",
        "#version 450\nlayout(local_size_x = 16) in;\n\
         layout(binding = 0) buffer B { uint x[]; };\n\
         layout(push_constant) uniform P { uint n; };\n\
         void main() { for (uint k = 0; k < n; k++) x[gl_GlobalInvocationID.x + k * 256] = k; }\n",
    );
    write(
        &folder,
        "wrong.comp",
        "#version 450\nvoid main() { x = 1; }\n",
    );
    let path = folder.to_str().unwrap();
    let text = report(&[path, "--run"]);
    let skipped = "endless.comp: a thread has run";
    assert!(
        text.lines()
            .any(|l| l.starts_with("skipped") && l.contains(skipped)),
        "{text}"
    );
    assert!(text.contains("not measured   wrong.comp: "), "{text}");
    let messages = |text: &str| -> u32 { figures(text, "store.comp")[7].parse().unwrap() };
    // The push constant is 1 or 2; then each of the four threads stores 30 times, and ends.
    assert!((8..=12).contains(&messages(&text)), "{text}");
    let text = report(&[path, "--run", "--integer", "30", "--simd", "16"]);
    assert_eq!(messages(&text), 4 * 31, "{text}");
    std::fs::remove_dir_all(&folder).unwrap();
}
