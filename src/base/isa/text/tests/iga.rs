//! Compares encoder, decoder, assembler and disassembler with Intel's `iga64` on random
//! instructions.

use crate::check::check;
use crate::decode::decode;
use crate::encode::encode;
use crate::inst::Inst;
use crate::opcode::Opcode;
use crate::testing::iga;
use crate::testing::random_inst::{Random, instruction, legal};
use crate::text::{assemble, assemble_kernel, disassemble, disassemble_kernel};
use hw::Gen;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Generations, the option of `iga64` that selects each, and the number of random instructions to
/// compare.
const GENERATIONS: &[(Gen, &str, usize)] =
    &[(Gen::Gen9, "-p=9", 20_000), (Gen::Gen8, "-p=8", 4_000)];
/// Number of instructions per call of `iga64`, among which jumps have their targets.
const BATCH: usize = 2_000;

/// Path of a temporary file of this process.
fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ingot-isa-{}-{name}", std::process::id()))
}

/// Runs `iga64` on `input`; returns its output.
fn run_iga(name: &str, platform: &str, mode: &[&str], input: &[u8]) -> Vec<u8> {
    let (from, to) = (scratch(name), scratch(&format!("{name}.out")));
    std::fs::write(&from, input).expect("a scratch file");
    let run = Command::new("iga64")
        .arg(platform)
        .args(mode)
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .output()
        .expect("iga64 runs");
    let errors = String::from_utf8_lossy(&run.stderr);
    let output = std::fs::read(&to);
    for file in [&from, &to] {
        let _ = std::fs::remove_file(file);
    }
    let start: String = errors.chars().take(2_000).collect();
    assert!(run.status.success(), "iga64 fails: {start}");
    output.expect("iga64's output")
}

/// Normalises text: removes comments, empty lines and repeated blanks.
fn normalise(text: &str) -> Vec<String> {
    let code = |line: &str| {
        let code = line.split("//").next().unwrap_or("");
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    text.lines().map(code).filter(|l| !l.is_empty()).collect()
}

fn program(random: &mut Random, hw_gen: Gen, count: usize) -> Vec<Inst> {
    let end = count as i32 * 16;
    (0..count)
        .map(|i| legal(random, hw_gen, i as i32 * 16, end))
        .collect()
}

fn bytes(insts: &[Inst], hw_gen: Gen) -> Vec<u8> {
    let one = |inst: &Inst| encode(inst, hw_gen).unwrap_or_else(|e| panic!("{e}: {inst:?}"));
    insts.iter().flat_map(one).collect()
}

#[test]
fn random_instructions_round_trip_through_bytes_and_text() {
    for &(hw_gen, _, count) in GENERATIONS {
        let mut random = Random::new(7);
        let mut seen = BTreeSet::new();
        for i in 0..count {
            // The instruction may be illegal.
            let inst = instruction(&mut random, hw_gen, i as i32 * 16, count as i32 * 16);
            if check(&inst, hw_gen).is_empty() {
                seen.insert(inst.op);
            }
            let code = bytes(&[inst], hw_gen);
            assert_eq!(decode(&code, hw_gen), Ok((inst, 16)));
            let text = disassemble(&inst);
            let again = assemble(&text, hw_gen).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(bytes(&[again], hw_gen), code, "{text}");
        }
        // The generator produces each operation in some legal form.
        for op in Opcode::ALL.iter().filter(|op| op.number(hw_gen).is_some()) {
            assert!(seen.contains(op), "{op:?} is never legal");
        }
    }
}

#[test]
fn iga_agrees_on_random_legal_instructions() {
    if iga::is_missing() {
        return;
    }
    for &(hw_gen, platform, count) in GENERATIONS {
        let mut random = Random::new(8);
        for batch in 0..count / BATCH {
            let insts = program(&mut random, hw_gen, BATCH);
            compare(&insts, hw_gen, platform, batch);
        }
    }
}

fn compare(insts: &[Inst], hw_gen: Gen, platform: &str, batch: usize) {
    let name = format!("{hw_gen:?}-{batch}");
    let code = bytes(insts, hw_gen);
    let ours: Vec<String> = insts.iter().map(disassemble).collect();
    let theirs = run_iga(&format!("{name}.bin"), platform, &["-d", "-n"], &code);
    let theirs = normalise(&String::from_utf8_lossy(&theirs));
    let expected = normalise(&ours.join("\n"));
    assert_eq!(theirs.len(), expected.len());
    for (theirs, ours) in theirs.iter().zip(&expected) {
        assert_eq!(theirs, ours);
    }
    // With labels, because IGA parses a negative second distance as a subtraction.
    let text = disassemble_kernel(&code, hw_gen).expect("valid code");
    let assembled = run_iga(&format!("{name}.asm"), platform, &["-a"], text.as_bytes());
    assert_eq!(assembled.len(), code.len());
    for (i, (theirs, ours)) in assembled.chunks(16).zip(code.chunks(16)).enumerate() {
        assert_eq!(theirs, ours, "{}", expected[i]);
    }
}

#[test]
fn iga_prints_the_same_labels() {
    if iga::is_missing() {
        return;
    }
    let mut random = Random::new(9);
    let mut insts = Vec::new();
    for at in 0..600 {
        // More jumps than the generator produces.
        let mut inst = instruction(&mut random, Gen::Gen9, at * 16, 600 * 16);
        while random.chance(3) && !inst.op.is_branch() {
            inst = instruction(&mut random, Gen::Gen9, at * 16, 600 * 16);
        }
        insts.push(inst);
    }
    let code = bytes(&insts, Gen::Gen9);
    let ours = disassemble_kernel(&code, Gen::Gen9).expect("valid code");
    let theirs = run_iga("labels.bin", "-p=9", &["-d"], &code);
    assert_eq!(
        normalise(&ours),
        normalise(&String::from_utf8_lossy(&theirs))
    );
    assert_eq!(assemble_kernel(&ours, Gen::Gen9).as_deref(), Ok(&code[..]));
    let assembled = run_iga("labels.asm", "-p=9", &["-a"], ours.as_bytes());
    assert_eq!(assembled, code);
}
