//! `tests/isa/legality.txt`: text that breaks a rule, and text that keeps them all.

use crate::{Violation, assemble, check, check_part, further_rules};
use hw::Gen;
use std::collections::BTreeSet;

const CASES: &str = include_str!("../../../../tests/isa/legality.txt");

fn judge(text: &str, place: &str) -> Vec<Violation> {
    // Gen8 lacks nothing that the cases name.
    let hw_gen = if place == "gen8" {
        Gen::Gen8
    } else {
        Gen::Gen9
    };
    let inst = assemble(text, hw_gen).unwrap_or_else(|e| panic!("{text}: {e}"));
    check_part(&inst, hw_gen, place == "small")
}

#[test]
fn rules_are_broken_and_kept() {
    let (mut rule, mut place) = ("", "");
    for line in CASES.lines() {
        let (first, rest) = line.trim().split_once(' ').unwrap_or((line, ""));
        let found = judge_line(first, rest, place);
        match (first, found) {
            ("bad", Some(found)) => {
                assert!(
                    found.iter().any(|v| v.rule == rule),
                    "{rule}: {rest}: {found:?}"
                );
            }
            ("ok", Some(found)) => assert_eq!(found, [], "{rule}: {rest}"),
            _ => (rule, place) = (first, rest),
        }
    }
}

fn judge_line(first: &str, rest: &str, place: &str) -> Option<Vec<Violation>> {
    ["bad", "ok"]
        .contains(&first)
        .then(|| judge(rest.trim(), place))
}

#[test]
fn every_rule_of_these_families_has_a_case() {
    let named: BTreeSet<&str> = CASES
        .lines()
        .filter(|l| !l.starts_with(' '))
        .filter_map(|l| l.split(' ').next())
        .collect();
    // What text cannot say is tested below.
    let unspeakable = ["immediate_twice", "jmpi_no_mask"];
    for rule in further_rules().filter(|rule| !unspeakable.contains(rule)) {
        assert!(named.contains(rule), "no case for {rule}");
    }
}

#[test]
fn an_immediate_of_two_different_halves_is_refused() {
    let mut inst = assemble("mov (8|M0) r1.0<1>:d 5:w", Gen::Gen9).expect("legal");
    assert_eq!(check(&inst, Gen::Gen9), []);
    inst.src[0].imm = 5;
    let found = check(&inst, Gen::Gen9);
    assert!(found.iter().any(|v| v.rule == "immediate_twice"));
}

#[test]
fn jmpi_under_the_execution_mask_is_refused() {
    let mut inst = assemble("jmpi 16", Gen::Gen9).expect("legal");
    assert_eq!(check(&inst, Gen::Gen9), []);
    inst.no_mask = false;
    let found = check(&inst, Gen::Gen9);
    assert!(found.iter().any(|v| v.rule == "jmpi_no_mask"));
}
