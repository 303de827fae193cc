//! Runs the text cases of tests/fs/lir: one pass over LIR.
//!
//! The first line of a case is `test PASS` with the arguments of [`run_pass`], in the folder of
//! that name; then follow LIR and rules (`cases.rs`) for the output. LIR is valid before and after
//! the pass, but for cases of the validator, which have the rule `; error: TEXT` instead; those of
//! `validate allocation GRF…` have these GRFs for their VGRFs.

use super::cases::{Case, read_cases};
use crate::alloc::{regalloc, spill};
use crate::compile::PIPELINE;
use crate::emit::schedule::{self, PressureHeuristic};
use crate::emit::{encode, lower_errata, lower_mrf_payloads, lower_wide_regions};
use crate::lir::live::{Interval, NO_LOOP, intervals, loops};
use crate::lir::{Lir, Vgrf, VgrfId, parse, print, round_trip, validate};
use entity::{Id, IdMap, IdSet};
use std::collections::BTreeMap;

/// The passes besides those of the pipeline.
const OTHER_PASSES: [&str; 8] = [
    "encode",
    "lower_errata",
    "lower_mrf_payloads",
    "lower_wide_regions",
    "regalloc",
    "remove_copies_to_self",
    "schedule",
    "spill",
];

/// The VGRF of the thread's header, which scratch messages use.
const R0: VgrfId = Id::new(0);

/// The text of a program, before or after a pass.
fn print(lir: &Lir) -> String {
    print::program(lir, None)
}

/// Runs the pass of a case over the program. Returns the output that the rules are for.
///
/// `spill LIMIT VGRF…` spills these VGRFs; they stay in registers while up to LIMIT are in use.
/// `regalloc [may_spill]` allocates registers. `schedule before_allocation LIMIT HEURISTIC` orders
/// the instructions as before allocation, `schedule after_allocation` as behind it.
fn run_pass(lir: &mut Lir, words: &[&str]) -> String {
    match words {
        ["lower_mrf_payloads"] => lower_mrf_payloads::lower_mrf_payloads(lir),
        ["lower_errata"] => {
            let skl = hw::Device::by_name("skl").unwrap();
            lower_errata::lower_errata(lir, skl);
            check_rules(lir, "skl", &fixed_registers(lir));
        }
        ["lower_wide_regions"] => {
            lower_wide_regions::lower_wide_regions(lir).unwrap();
            check_rules(lir, "bxt", &separate_registers(lir));
        }
        ["regalloc", flags @ ..] => {
            return match regalloc::allocate(lir, R0, flags == ["may_spill"]).unwrap() {
                None => "does not fit\n".to_owned(),
                Some(a) => {
                    validate::validate_allocation(lir, &a.reg, "regalloc").unwrap();
                    let text = print::program(lir, Some(&a.reg));
                    format!("spills {}, fills {}\n{text}", a.spills, a.fills)
                }
            };
        }
        ["remove_copies_to_self"] => {
            let registers = fixed_registers(lir);
            regalloc::remove_copies_to_self(lir, &registers);
        }
        ["schedule", "before_allocation", limit, heuristic] => {
            let live = intervals(lir, &loops(lir));
            let heuristic = match *heuristic {
                "greedy" => PressureHeuristic::Greedy,
                "source_order" => PressureHeuristic::SourceOrder,
                other => panic!("no heuristic {other}"),
            };
            schedule::before_allocation(lir, &live, limit.parse().unwrap(), heuristic);
            let live = intervals(lir, &loops(lir));
            let pressure = regalloc::max_pressure(lir, &live);
            return format!("pressure {pressure}\n{}", print(lir));
        }
        ["schedule", "after_allocation"] => {
            let registers = fixed_registers(lir);
            schedule::after_allocation(lir, &registers);
        }
        ["spill", limit, vgrfs @ ..] => {
            let live = intervals(lir, &loops(lir));
            let mut spilled = IdSet::new();
            for v in vgrfs {
                spilled.insert(Id::new(v.trim_start_matches('v').parse().unwrap()));
            }
            let limit = limit.parse().unwrap();
            let (spills, fills) = spill::spill(lir, &live, &spilled, R0, limit).unwrap();
            return format!("spills {spills}, fills {fills}\n{}", print(lir));
        }
        ["encode"] => {
            let registers = fixed_registers(lir);
            check_rules(lir, "skl", &registers);
            let (insts, _) = encode::encode(lir, &registers);
            let code = encode::encode_bytes(&insts, hw::Gen::Gen9).unwrap();
            return isa::disassemble_kernel(&code, hw::Gen::Gen9).unwrap();
        }
        ["live"] => {
            let live = intervals(lir, &loops(lir));
            let used = lir.vgrfs.ids().filter(|v| live[*v].is_used());
            let line = |v: VgrfId| {
                let Interval { start, end, .. } = live[v];
                let enclosing = match live[v].enclosing_loop {
                    NO_LOOP => String::new(),
                    n => format!(", loop {n}"),
                };
                format!("v{}: {start}..{end}{enclosing}\n", v.index())
            };
            return used.map(line).collect();
        }
        [name] => {
            let pass = PIPELINE.iter().find(|p| p.0 == *name);
            let (_, pass, _) = pass.unwrap_or_else(|| panic!("no pass {name}"));
            let before = print(lir);
            assert!(
                pass(lir) || print(lir) == before,
                "a change is not returned"
            );
        }
        other => panic!("no pass {other:?}"),
    }
    print(lir)
}

/// The GRFs of a program whose VGRFs are all fixed.
fn fixed_registers(lir: &Lir) -> IdMap<Vgrf, u8> {
    let mut out = IdMap::for_arena(&lir.vgrfs, 0);
    for (v, vgrf) in lir.vgrfs.iter() {
        out[v] = vgrf.fixed.expect("every VGRF has a GRF");
    }
    out
}

/// GRFs for a program, other ones for each VGRF.
fn separate_registers(lir: &Lir) -> IdMap<Vgrf, u8> {
    let mut out = IdMap::for_arena(&lir.vgrfs, 0);
    let mut next = 0;
    for (v, vgrf) in lir.vgrfs.iter() {
        out[v] = next as u8;
        next += vgrf.regs;
    }
    assert!(next <= 128, "too many registers");
    out
}

fn check_rules(lir: &Lir, device: &str, registers: &IdMap<Vgrf, u8>) {
    let device = hw::Device::by_name(device).unwrap();
    encode::check_rules(&encode::encode(lir, registers).0, device).unwrap();
}

fn run(case: &Case) {
    case.check_rule_names();
    let words: Vec<&str> = case.words.iter().map(String::as_str).collect();
    let mut lir = parse::parse(&case.input).unwrap_or_else(|e| panic!("{e}"));
    let valid = validate::validate(&lir, "parse");
    let valid = match words[..] {
        ["validate", "allocation", ref registers @ ..] => {
            let mut reg = IdMap::for_arena(&lir.vgrfs, 0);
            for (v, grf) in lir.vgrfs.ids().zip(registers) {
                reg[v] = grf.trim_start_matches('g').parse().unwrap();
            }
            validate::validate_allocation(&lir, &reg, "parse")
        }
        _ => valid,
    };
    if words[0] == "validate" {
        let errors: Vec<&str> = case.rules("error: ").collect();
        match valid {
            Ok(()) => assert_eq!(errors, [""; 0], "valid"),
            Err(e) => {
                let found = e.to_string();
                assert!(
                    !errors.is_empty() && errors.iter().all(|e| found.contains(e)),
                    "{found}"
                );
            }
        }
        return;
    }
    valid.unwrap();
    round_trip::check(&lir).unwrap();
    let before = print(&lir);
    let out = run_pass(&mut lir, &words);
    validate::validate(&lir, "the pass").unwrap();
    round_trip::check(&lir).unwrap();
    if let Some(broken) = case.broken_rule(&out) {
        panic!("{broken} in\n{out}");
    }
    case.check_change(&before, &out);
}

#[test]
fn lir_cases() {
    let mut changing: BTreeMap<String, usize> = BTreeMap::new();
    let mut failed = Vec::new();
    for case in read_cases("fs/lir", "lir") {
        assert_eq!(
            case.words[0],
            case.folder(),
            "{}: another folder",
            case.path
        );
        *changing.entry(case.words[0].clone()).or_default() += usize::from(!case.is_unchanged());
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&case)));
        if result.is_err() {
            failed.push(case.path.clone());
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    // Every pass has a case that fails without it. The same pass may have several rows.
    let first_rows = PIPELINE
        .iter()
        .filter(|p| p.2.is_empty() && p.0 != "opt_empty");
    let nir = read_cases("fs", "nir");
    for pass in first_rows.map(|p| p.0).chain(OTHER_PASSES) {
        let is_of_pass = |c: &&Case| c.folder() == pass && !c.is_unchanged();
        let shows_lir = |c: &&Case| PIPELINE.iter().any(|p| p.0 == c.words[0]);
        let of_nir = nir.iter().filter(is_of_pass).filter(shows_lir);
        let cases = of_nir.count() + changing.get(pass).copied().unwrap_or(0);
        assert!(cases > 0, "no case fails without {pass}");
    }
}
