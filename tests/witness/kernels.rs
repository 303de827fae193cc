//! `iga64`, an assembler by others, reads every kernel of the script folder as we print it, and our
//! text as our bytes.
//!
//! In:  the compute shaders of vkrunner-scripts, compiled at each width that exists, with and
//!      without spilling.
//! Out: text and bytes equal to those of `iga64` (Debian: libigc-tools); where it is not installed
//!      nothing is compared, unless INGOT_REQUIRE_TOOLS=1 makes that a failure.

use std::process::Command;
use vkrunner::{Runner, ShaderStage};

/// Kernels that the folder must give: far fewer would be another mistake than a wrong encoding.
const AT_LEAST: usize = 300;

/// Machine code of a shader at each width: (label, bytes).
fn kernels(name: &str, words: &[u32], out: &mut Vec<(String, Vec<u8>)>) {
    let module = spirv_front::Module::parse(words).unwrap_or_else(|e| panic!("{name}: {e}"));
    for (entry, _) in module.entry_points() {
        kernels_of(name, words, entry, out);
    }
}

/// The same for one entry point.
fn kernels_of(name: &str, words: &[u32], entry: &str, out: &mut Vec<(String, Vec<u8>)>) {
    let layout = compile::default_layout(words, compile::Stage::Compute, entry)
        .unwrap_or_else(|e| panic!("{name} {entry}: {e}"));
    let device = hw::Device::by_name("skl").expect("a known device");
    for spill_everything in [false, true] {
        for width in [8, 16, 32] {
            let key = compile::CompileKey {
                backend: fs::Options {
                    required_width: Some(width),
                    spill_everything,
                    ..fs::Options::default()
                },
                ..compile::CompileKey::new(compile::Stage::Compute, entry, &layout, device)
            };
            let binary = match compile::compile(words, &key) {
                Ok(binary) => binary,
                // A workgroup may be too large for a width: the one reason not to have a kernel.
                Err(compile::CompileError::Backend(fs::FsError::Limit {
                    what: "threads in a workgroup",
                    ..
                })) => continue,
                Err(error) => panic!("{name} SIMD{width}: {error}"),
            };
            for variant in &binary.variants {
                let start = variant.code_offset_bytes as usize;
                let code = &binary.code[start..start + variant.code_bytes as usize];
                let spilled = if spill_everything { " spilled" } else { "" };
                let label = format!("{name} {entry} SIMD{}{spilled}", variant.simd_width);
                out.push((label, code.to_vec()));
            }
        }
    }
}

fn all_kernels() -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    for path in ingot_tests::scripts::compute_scripts() {
        let text = std::fs::read_to_string(&path).expect("a readable script");
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned());
        // Scripts that must not parse or compile are among them.
        let Ok(modules) = vkrunner::parse(&text, &[])
            .map_err(|e| e.to_string())
            .and_then(|script| Runner::compile(&script).map_err(|e| e.to_string()))
        else {
            continue;
        };
        for (stage, words) in modules {
            if stage == ShaderStage::Compute {
                kernels(&name.clone().unwrap_or_default(), &words, &mut out);
            }
        }
    }
    out
}

/// Runs `iga64` for gen9 on `input`; returns what it wrote.
fn iga(mode: &str, input: &[u8]) -> Result<Vec<u8>, String> {
    let base = std::env::temp_dir().join(format!("ingot-kernels-{}{mode}", std::process::id()));
    let (from, to) = (base.with_extension("in"), base.with_extension("out"));
    std::fs::write(&from, input).map_err(|e| e.to_string())?;
    let run = Command::new("iga64")
        .args(["-p=9", mode])
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .output()
        .map_err(|e| e.to_string())?;
    let output = std::fs::read(&to);
    for file in [&from, &to] {
        let _ = std::fs::remove_file(file);
    }
    if !run.status.success() {
        let complaints = String::from_utf8_lossy(&run.stderr);
        return Err(complaints.chars().take(1_000).collect());
    }
    output.map_err(|e| e.to_string())
}

/// Without comments and with single blanks.
fn normal(text: &str) -> Vec<String> {
    let code = |line: &str| {
        let code = line.split("//").next().unwrap_or("");
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    text.lines().map(code).filter(|l| !l.is_empty()).collect()
}

/// The first difference of one kernel.
fn disagreement(code: &[u8]) -> Option<String> {
    let ours = match isa::disassemble_kernel(code, hw::Gen::Gen9) {
        Ok(text) => text,
        Err(e) => return Some(e.to_string()),
    };
    let theirs = match iga("-d", code) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(e) => return Some(format!("iga64 does not disassemble: {e}")),
    };
    let (a, mut b) = (normal(&ours), normal(&theirs));
    // IGA begins another block after the end of the thread, though nothing stands there.
    if b.last() == Some(&format!("L{}:", code.len())) {
        b.pop();
    }
    if let Some(at) = (0..a.len().max(b.len())).find(|&i| a.get(i) != b.get(i)) {
        return Some(format!(
            "line {at}:\n  ours {:?}\n  iga  {:?}",
            a.get(at),
            b.get(at)
        ));
    }
    match iga("-a", ours.as_bytes()) {
        Ok(bytes) if bytes == code => None,
        Ok(bytes) => {
            let at = bytes
                .chunks(16)
                .zip(code.chunks(16))
                .position(|(a, b)| a != b);
            Some(format!("assembled otherwise from instruction {at:?}"))
        }
        Err(e) => Some(format!("iga64 does not assemble: {e}")),
    }
}

#[test]
fn iga_agrees_on_every_kernel_of_the_scripts() {
    let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
    if Command::new("iga64").arg("-h").output().is_err() {
        assert!(!required, "iga64 is not installed");
        return;
    }
    let kernels = all_kernels();
    let wrong: Vec<String> = kernels
        .iter()
        .filter_map(|(name, code)| disagreement(code).map(|why| format!("{name}: {why}")))
        .collect();
    let first: Vec<&str> = wrong.iter().take(10).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} kernels:\n{}",
        wrong.len(),
        kernels.len(),
        first.join("\n")
    );
    println!("{} kernels", kernels.len());
    assert!(kernels.len() >= AT_LEAST, "only {} kernels", kernels.len());
}
