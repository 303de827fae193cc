//! `ingot bench codegen`: the report of two tiny shaders, with counts made by hand, and of broken
//! ones; a Fossilize archive.

mod fossilize_writer;

use fossilize_writer::ArchiveWriter;
use std::path::{Path, PathBuf};
use std::process::Command;
use vkrunner::ShaderStage;

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
        "#version 450\nlayout(local_size_x = 8) in;\n\
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
    // Alone, the shader of eight invocations would have eight channels.
    assert_eq!(
        figures(&text, "store.comp")[13..16],
        ["16", ":", "16"],
        "{text}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

/// An archive with a compute pipeline, whose loop runs as often as constant 3 says, and a graphics
/// pipeline.
fn archive(folder: &Path, iterations: u32, binding: u32) -> PathBuf {
    let glsl = |stage, text: &str| vkrunner::compile_glsl(stage, text, (1, 1, 0)).unwrap();
    let mut writer = ArchiveWriter::new(6);
    let compute = "#version 450\nlayout(local_size_x = 8) in;\n\
        layout(constant_id = 3) const uint N = 1;\n\
        layout(set = 1, binding = 4) buffer B { uint x[]; };\n\
        void main() { for (uint k = 0; k < N; k++) atomicAdd(x[gl_GlobalInvocationID.x], k); }\n";
    writer.add_module(0xc0, &glsl(ShaderStage::Compute, compute));
    let vertex =
        "#version 450\nlayout(location = 0) in vec4 p;\nvoid main() { gl_Position = p; }\n";
    writer.add_module(0xe0, &glsl(ShaderStage::Vertex, vertex));
    let fragment = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1); }\n";
    writer.add_module(0xf0, &glsl(ShaderStage::Fragment, fragment));
    // A dynamic storage buffer, which the shader's code alone does not tell from a plain one.
    let set = format!(
        "{{\"flags\":0,\"bindings\":[{{\"binding\":{binding},\"descriptorType\":9,\
         \"descriptorCount\":1,\"stageFlags\":32}}]}}"
    );
    writer.add_json(2, "setLayouts", 0x20, &set);
    let layout = "{\"flags\":0,\"setLayouts\":[\"0000000000000000\",\"0000000000000020\"]}";
    writer.add_json(3, "pipelineLayouts", 0x30, layout);
    assert!(iterations < 64);
    // The base64 digits of a dword below 64: eight bits, then zeros.
    let digit = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (high, low) = (
        digit[iterations as usize >> 2],
        digit[(iterations as usize & 3) << 4],
    );
    let data = format!("{}{}AAAA==", char::from(high), char::from(low));
    let pipeline = format!(
        "{{\"flags\":0,\"layout\":\"0000000000000030\",\"stage\":{{\"flags\":0,\"stage\":32,\
         \"module\":\"00000000000000c0\",\"name\":\"main\",\"specializationInfo\":{{\
         \"dataSize\":4,\"data\":\"{data}\",\"mapEntries\":[\
         {{\"offset\":0,\"size\":4,\"constantID\":3}}]}}}}}}"
    );
    writer.add_json(7, "computePipelines", 0x70, &pipeline);
    let stage = |bit: u32, module: u64| {
        format!("{{\"flags\":0,\"stage\":{bit},\"module\":\"{module:016x}\",\"name\":\"main\"}}")
    };
    let pipeline = format!(
        "{{\"flags\":0,\"layout\":\"0000000000000000\",\"stages\":[{},{}]}}",
        stage(1, 0xe0),
        stage(0x10, 0xf0)
    );
    writer.add_json(6, "graphicsPipelines", 0x60, &pipeline);
    let path = folder.join(format!("{iterations}.foz"));
    std::fs::write(&path, writer.bytes).unwrap();
    path
}

#[test]
fn an_archive_s_stages_run_with_their_constants_and_layouts() {
    let folder = folder("archive");
    let messages = |iterations| -> u32 {
        let path = archive(&folder, iterations, 4);
        let text = report(&["--foz", path.to_str().unwrap(), "--run"]);
        let note = "2 compute and graphics pipelines have 3 different stages";
        assert!(text.contains(note), "{text}");
        for stage in ["vert", "frag"] {
            let words = figures(&text, &format!("graphics-0000000000000060.{stage}"));
            assert_eq!(words.first(), Some(&"1.00"), "{text}");
        }
        let compute = figures(&text, "compute-0000000000000070.comp");
        compute[7].parse().unwrap()
    };
    // Four threads; each atomic operation is one message, the end of a thread another one.
    assert_eq!(messages(1), 4 * 2);
    assert_eq!(messages(21), 4 * 22);
    let statistics = |iterations| -> Vec<String> {
        let compiled = Command::new(env!("CARGO_BIN_EXE_ingot"))
            .arg("compile")
            .arg(archive(&folder, iterations, 4))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&compiled.stdout).into_owned();
        assert!(compiled.status.success(), "{text}");
        let fragment = "graphics-0000000000000060.frag";
        assert!(
            text.lines().any(|line| line.starts_with(fragment)),
            "{text}"
        );
        let mut compute = text.lines().filter(|line| line.starts_with("compute-"));
        let words = compute.next().unwrap().split_whitespace();
        words.map(str::to_owned).collect()
    };
    // One iteration needs no loop; 21 need more instructions, in a loop or not.
    let [once, often] = [1, 21].map(|n| statistics(n)[2].parse::<u32>().unwrap());
    assert!(once < often, "{once} {often}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_layout_without_a_used_binding_is_reported() {
    let folder = folder("layout");
    let path = archive(&folder, 1, 5);
    let text = report(&["--foz", path.to_str().unwrap()]);
    let expected = "not measured   compute-0000000000000070.comp: \
        the pipeline's layout has no binding 4 in set 1\n";
    assert!(text.contains(expected), "{text}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn pointers_point_to_memory() {
    let folder = folder("pointers");
    let shader = "#version 450\n#extension GL_EXT_buffer_reference : require\n\
        layout(local_size_x = 8) in;\n\
        layout(buffer_reference) buffer Values { uint n; uint x[]; };\n\
        layout(push_constant) uniform P { Values values; };\n\
        void main() {\n\
            uint n = values.n;\n\
            for (uint k = 0; k < n; k++) values.x[8 * k + gl_LocalInvocationID.x] = k + 40;\n\
        }\n";
    write(&folder, "pointers.comp", shader);
    let text = report(&[folder.to_str().unwrap(), "--run"]);
    let words = figures(&text, "pointers.comp");
    assert_eq!(words.first(), Some(&"1.00"), "{text}");
    // Memory holds ones: a load, one store, and the end of each of four threads.
    assert_eq!(words[7], "12", "{text}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_truncated_archive_is_one_error_with_the_offset() {
    let folder = folder("truncated");
    let path = archive(&folder, 1, 4);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    for arguments in [&["bench", "codegen", "--foz"][..], &["compile"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_ingot"))
            .args(arguments)
            .arg(&path)
            .output()
            .unwrap();
        assert!(!output.status.success());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = text.lines().last().unwrap_or_default();
        assert!(
            last.contains("1.foz: offset 0x") && last.contains("a payload of"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
