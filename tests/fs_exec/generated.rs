//! Random shaders, by the interpreter before and after each pass, and by their machine code at each
//! width, with and without spilling.
//!
//! `FUZZ=first,number` runs others than those of every run; a failure names its seed.

use super::Units;
use super::generator::{generate, generate_narrow, generate_wide};
use nir::interp::Machine;
use nir::{Shader, parse, validate};
use opt::PipelineStep;

/// Programs of every run.
const PROGRAMS: u64 = 2000;
/// Those with halves, of any run.
const HALVES: usize = 1000;

fn run(s: &Shader) -> Vec<u8> {
    let dwords = |f: fn(u32) -> u32| {
        (0..8)
            .flat_map(move |i| f(i).to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let mut m = Machine {
        buffers: vec![
            (
                (0, 0, 0),
                dwords(|i| i.wrapping_mul(0x9e37_79b9) >> (i * 3)),
            ),
            ((0, 1, 0), dwords(|i| i)),
        ],
        workgroups: [1, 1, 1],
        subgroup_size: 8,
        step_limit: 20_000,
        ..Machine::default()
    };
    m.run(s).unwrap_or_else(|e| panic!("{e}\n{s}"));
    m.buffers[1].1.clone()
}

/// Runs every pass on the shader of a seed and compares after each that changed something.
fn check_passes(seed: u64, mut s: Shader, units: Units) {
    validate(&s).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{s}"));
    let want = run(&s);
    let text = s.to_string();
    let again = parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    assert_eq!(again.to_string(), text, "seed {seed}");
    let ctx = units.passes();
    for step in opt::GEN9 {
        let (passes, rounds) = match step {
            PipelineStep::Once(p) => (vec![*p], 1),
            PipelineStep::UntilStable(p) | PipelineStep::UntilStableIf(_, p) => (p.to_vec(), 30),
        };
        for round in 0..rounds {
            let mut any = false;
            let mut moved = Vec::new();
            for p in &passes {
                let before = s.to_string();
                if !(p.run)(&mut s, &ctx) {
                    assert_eq!(
                        before,
                        s.to_string(),
                        "seed {seed}: {} hides a change",
                        p.name
                    );
                    continue;
                }
                any = true;
                moved.push(p.name);
                if let Err(e) = validate(&s) {
                    panic!("seed {seed}, {}: {e}\nbefore\n{before}\nafter\n{s}", p.name);
                }
                let found = run(&s);
                assert_eq!(
                    found, want,
                    "seed {seed}, {}\nbefore\n{before}\nafter\n{s}",
                    p.name
                );
            }
            assert!(
                round < 29,
                "seed {seed}: passes undo each other: {moved:?}\n{s}"
            );
            if !any {
                break;
            }
        }
    }
}

/// Compares the machine code with the interpreter at each width.
fn check_code(seed: u64, mut s: Shader, units: Units, failures: &mut Vec<String>) {
    opt::compile(&mut s, units.passes()).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{s}"));
    for spill_everything in [false, true] {
        let options = fs::Options {
            spill_everything,
            ..units.backend()
        };
        super::check(&format!("seed {seed}"), &s, &options, failures);
    }
}

/// A shader with random control flow, ballots, elections and reductions computes the same after
/// every pass.
#[test]
fn random_shaders_are_unchanged_by_each_pass() {
    super::seeds(PROGRAMS).for_each(|seed| check_passes(seed, generate(seed), Units::ALL));
}

/// The same after instruction selection, in machine code.
#[test]
fn random_shaders_match_their_machine_code() {
    let mut failures = Vec::new();
    for seed in super::seeds(PROGRAMS) {
        check_code(seed, generate(seed), Units::ALL, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Shaders with halves, which are packed when only arithmetic uses them.
#[test]
fn random_half_shaders_are_unchanged_by_each_pass() {
    let seeds = super::seeds(PROGRAMS).take(300);
    seeds.for_each(|seed| check_passes(seed, generate_narrow(seed), Units::ALL));
}

/// The same after instruction selection, in machine code.
#[test]
fn random_half_shaders_match_their_machine_code() {
    let mut failures = Vec::new();
    for seed in super::seeds(PROGRAMS).take(HALVES) {
        check_code(seed, generate_narrow(seed), Units::ALL, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Shaders with 64-bit values compute the same after every pass, for GPUs with 64-bit units and
/// without.
#[test]
fn random_64_bit_shaders_are_unchanged_by_each_pass() {
    for seed in super::seeds(PROGRAMS).take(300) {
        for units in [Units::ALL, Units::NONE] {
            check_passes(seed, generate_wide(seed), units);
        }
    }
}

/// The same in machine code, with and without each kind of 64-bit unit.
#[test]
fn random_64_bit_shaders_match_with_and_without_64_bit_units() {
    let mut failures = Vec::new();
    for seed in super::seeds(PROGRAMS).take(300) {
        for units in [Units::ALL, Units::NO_DOUBLES, Units::NO_INT64, Units::NONE] {
            check_code(seed, generate_wide(seed), units, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
