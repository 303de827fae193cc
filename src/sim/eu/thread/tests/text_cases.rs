//! Text cases of `tests/eu`: programs assembled by a foreign assembler, with the registers they
//! must leave.
//!
//! A case sets registers (`set g2 = …`, hexadecimal dwords, over as many registers as they fill),
//! gives bytes, and checks registers. Its assembly is there to be read, and to show where the bytes
//! are from.

use crate::kernel::Kernel;
use crate::state::Options;
use crate::testing::{Recorder, Rng};
use crate::thread::{Thread, ThreadExit, ThreadInit};
use std::path::Path;
use std::sync::Arc;

struct Case {
    mask: u32,
    set: Vec<(usize, Vec<u32>)>,
    check: Vec<(usize, Vec<u32>)>,
    bytes: Vec<u8>,
}

fn registers(rest: &str) -> Option<(usize, Vec<u32>)> {
    let (reg, values) = rest.split_once('=')?;
    let nr = reg.trim().strip_prefix('g')?.parse().ok()?;
    let values: Result<Vec<u32>, _> = values
        .split_whitespace()
        .map(|v| u32::from_str_radix(v, 16))
        .collect();
    Some((nr, values.ok()?))
}

fn parse(text: &str) -> Option<Case> {
    let mut case = Case {
        mask: 0xffff,
        set: Vec::new(),
        check: Vec::new(),
        bytes: Vec::new(),
    };
    let mut in_bytes = false;
    for line in text.lines() {
        if line.starts_with(';') || line.trim().is_empty() {
            continue;
        }
        if let Some(hex) = line.strip_prefix("    ") {
            if in_bytes {
                for i in (0..hex.len()).step_by(2) {
                    case.bytes
                        .push(u8::from_str_radix(hex.get(i..i + 2)?, 16).ok()?);
                }
            }
        } else if let Some(m) = line.strip_prefix("mask 0x") {
            case.mask = u32::from_str_radix(m, 16).ok()?;
        } else if let Some(r) = line.strip_prefix("set ") {
            case.set.push(registers(r)?);
        } else if let Some(r) = line.strip_prefix("check ") {
            case.check.push(registers(r)?);
        } else {
            in_bytes = match line {
                "asm" => false,
                "bytes" => true,
                _ => return None,
            };
        }
    }
    Some(case)
}

fn execute(name: &str, case: &Case) {
    let fetch = |at: u64| {
        let mut b = [0; 16];
        let from = (at as usize).min(case.bytes.len());
        let to = (from + 16).min(case.bytes.len());
        b[..to - from].copy_from_slice(&case.bytes[from..to]);
        Ok(b)
    };
    let kernel = Kernel::decode(&fetch, 0, hw::Gen::Gen9).expect("the first instruction decodes");
    let mut payload = vec![0; 1024];
    for (nr, values) in &case.set {
        payload[nr * 8..nr * 8 + values.len()].copy_from_slice(values);
    }
    let init = ThreadInit {
        cr0: 1 << 6 | 1 << 7 | 1 << 10,
        ..ThreadInit::default()
    };
    let strict = Options {
        strict: true,
        ..Options::default()
    };
    for kernel in [kernel.clone(), kernel.interpreter_only()] {
        let mut t = Thread::new(&Arc::new(kernel), &payload, case.mask, &init, strict);
        let end = t.run(&mut Recorder::default(), 100_000);
        assert_eq!(end, Ok(ThreadExit::Eot), "{name}");
        assert!(!case.check.is_empty(), "{name} checks nothing");
        for (nr, want) in &case.check {
            let got = &t.grf()[nr * 8..nr * 8 + want.len()];
            assert_eq!(got, want, "{name}: g{nr}");
        }
    }
}

fn all() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/eu");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of cases")
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "eu"))
        .collect();
    names.sort();
    assert!(names.len() >= 10, "cases in {}", folder.display());
    names
        .iter()
        .map(|path| {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path).expect("a readable case");
            let case = parse(&text).unwrap_or_else(|| panic!("{name} does not parse"));
            (name, case)
        })
        .collect()
}

#[test]
fn text_cases() {
    for (name, case) in all() {
        execute(&name, &case);
    }
}

/// Programs with damaged bits end somehow, in bounded time, without a panic.
#[test]
fn damaged_programs_end_without_a_panic() {
    let mut r = Rng(0x5eed);
    let cases = all();
    let mut ends = [0u32; 3];
    for round in 0..20_000 {
        let mut bytes = cases[round % cases.len()].1.bytes.clone();
        for _ in 0..=r.below(4) {
            let at = r.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << r.below(8);
        }
        let fetch = |at: u64| {
            let mut b = [0; 16];
            let from = (at as usize).min(bytes.len());
            let to = (from + 16).min(bytes.len());
            b[..to - from].copy_from_slice(&bytes[from..to]);
            Ok(b)
        };
        let Ok(kernel) = Kernel::decode(&fetch, 0, hw::Gen::Gen9) else {
            ends[2] += 1;
            continue;
        };
        let payload: Vec<u32> = (0..1024).map(|_| r.dword()).collect();
        let options = Options {
            strict: r.below(2) == 0,
            uninit: r.below(4) == 0,
            statistics: false,
        };
        let interpreted = r.below(2) == 0;
        let kernel = Arc::new(if interpreted {
            kernel.interpreter_only()
        } else {
            kernel
        });
        let mut t = Thread::new(
            &kernel,
            &payload,
            r.next() as u32,
            &ThreadInit::default(),
            options,
        );
        match t.run(&mut Recorder::default(), 500) {
            Ok(_) => ends[0] += 1,
            Err(_) => ends[1] += 1,
        }
    }
    // Most damage is survived, some is noticed, some makes the start illegal.
    assert!(ends.iter().all(|&n| n > 100), "{ends:?}");
}

/// Threads run on any core.
#[test]
fn threads_are_send_and_sync() {
    fn send<T: std::marker::Send>() {}
    fn sync<T: Sync>() {}
    send::<Thread>();
    sync::<Kernel>();
}
