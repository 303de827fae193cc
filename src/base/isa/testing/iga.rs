//! `iga64`, an assembler by others, reads our bytes as we print them and our text as our bytes.
//!
//! Runs where `iga64` (Debian: libigc-tools) is installed; `INGOT_REQUIRE_TOOLS=1` makes its absence a failure.

use super::random::{Random, instruction};
use crate::{Inst, assemble, assemble_kernel, decode, disassemble, disassemble_kernel, encode};
use hw::Gen;
use std::path::PathBuf;
use std::process::Command;

/// Random instructions of the comparison.
const COUNT: usize = 20_000;
/// Instructions of one call of `iga64`; jumps go to places among them.
const BATCH: usize = 2_000;

/// A file of this process alone.
fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ingot-isa-{}-{name}", std::process::id()))
}

/// Runs `iga64` for gen9 on `input`; returns what it wrote.
fn iga(name: &str, mode: &[&str], input: &[u8]) -> Vec<u8> {
    let (from, to) = (scratch(name), scratch(&format!("{name}.out")));
    std::fs::write(&from, input).expect("a scratch file");
    let run = Command::new("iga64")
        .arg("-p=9")
        .args(mode)
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .output()
        .expect("iga64 runs");
    let complaints = String::from_utf8_lossy(&run.stderr);
    let output = std::fs::read(&to);
    for file in [&from, &to] {
        let _ = std::fs::remove_file(file);
    }
    let start: String = complaints.chars().take(2_000).collect();
    assert!(run.status.success(), "iga64 refuses: {start}");
    output.expect("iga64's output")
}

fn missing() -> bool {
    let found = Command::new("iga64").arg("-h").output().is_ok();
    let required = std::env::var_os("INGOT_REQUIRE_TOOLS").is_some();
    assert!(found || !required, "iga64 is not installed");
    if !found {
        eprintln!("iga64 is not installed: nothing is compared");
    }
    !found
}

/// Without comments and with single blanks.
fn normal(text: &str) -> Vec<String> {
    let code = |line: &str| {
        let code = line.split("//").next().unwrap_or("");
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    text.lines().map(code).filter(|l| !l.is_empty()).collect()
}

fn program(random: &mut Random, count: usize) -> Vec<Inst> {
    let end = count as i32 * 16;
    (0..count)
        .map(|i| instruction(random, i as i32 * 16, end))
        .collect()
}

fn bytes(insts: &[Inst]) -> Vec<u8> {
    let one = |inst: &Inst| encode(inst, Gen::Gen9).unwrap_or_else(|e| panic!("{e}: {inst:?}"));
    insts.iter().flat_map(one).collect()
}

#[test]
fn random_instructions_survive_encoding_and_text() {
    let mut random = Random::new(7);
    for inst in program(&mut random, COUNT) {
        let code = bytes(&[inst]);
        assert_eq!(decode(&code, Gen::Gen9), Ok((inst, 16)));
        let text = disassemble(&inst);
        let again = assemble(&text, Gen::Gen9).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(bytes(&[again]), code, "{text}");
    }
}

#[test]
fn iga_agrees_on_random_instructions() {
    if missing() {
        return;
    }
    let mut random = Random::new(8);
    for batch in 0..COUNT / BATCH {
        let insts = program(&mut random, BATCH);
        let code = bytes(&insts);
        let ours: Vec<String> = insts.iter().map(disassemble).collect();
        let theirs = iga(&format!("{batch}.bin"), &["-d", "-n"], &code);
        let theirs = normal(&String::from_utf8_lossy(&theirs));
        let expected = normal(&ours.join("\n"));
        assert_eq!(theirs.len(), expected.len());
        for (theirs, ours) in theirs.iter().zip(&expected) {
            assert_eq!(theirs, ours);
        }
        // With labels: IGA reads a second distance that is negative as a subtraction.
        let text = disassemble_kernel(&code, Gen::Gen9).expect("our own code");
        let assembled = iga(&format!("{batch}.asm"), &["-a"], text.as_bytes());
        assert_eq!(assembled.len(), code.len());
        for (i, (theirs, ours)) in assembled.chunks(16).zip(code.chunks(16)).enumerate() {
            assert_eq!(theirs, ours, "{}", expected[i]);
        }
    }
}

#[test]
fn iga_prints_the_same_labels() {
    if missing() {
        return;
    }
    let mut random = Random::new(9);
    let mut insts = Vec::new();
    for at in 0..600 {
        // One jump in three, to nearby places.
        let mut inst = instruction(&mut random, at * 16, 600 * 16);
        while random.chance(3) && !inst.op.is_branch() {
            inst = instruction(&mut random, at * 16, 600 * 16);
        }
        insts.push(inst);
    }
    let code = bytes(&insts);
    let ours = disassemble_kernel(&code, Gen::Gen9).expect("our own code");
    let theirs = iga("labels.bin", &["-d"], &code);
    assert_eq!(normal(&ours), normal(&String::from_utf8_lossy(&theirs)));
    assert_eq!(assemble_kernel(&ours, Gen::Gen9).as_deref(), Ok(&code[..]));
    assert_eq!(iga("labels.asm", &["-a"], ours.as_bytes()), code);
}
