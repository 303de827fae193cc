//! The cases of `tests/isa/legality.txt`: instructions that break a rule, and instructions that
//! break none.

use crate::check::{Violation, check, check_for_core, conditional_rule_names};
use crate::text::assemble;
use hw::Gen;
use std::collections::BTreeSet;

const CASES: &str = include_str!("../../../../../tests/isa/legality.txt");

fn check_text(text: &str, target: &str) -> Vec<Violation> {
    let hw_gen = if target == "gen8" {
        Gen::Gen8
    } else {
        Gen::Gen9
    };
    let inst = assemble(text, hw_gen).unwrap_or_else(|e| panic!("{text}: {e}"));
    check_for_core(&inst, hw_gen, target == "small")
}

#[test]
fn cases_break_the_rules_they_should() {
    let (mut rule, mut target) = ("", "");
    for line in CASES.lines() {
        let (first, rest) = line.trim().split_once(' ').unwrap_or((line, ""));
        let found = check_line(first, rest, target);
        match (first, found) {
            ("bad", Some(found)) => {
                assert!(
                    found.iter().any(|v| v.rule == rule),
                    "{rule}: {rest}: {found:?}"
                );
            }
            ("ok", Some(found)) => assert_eq!(found, [], "{rule}: {rest}"),
            _ => (rule, target) = (first, rest),
        }
    }
}

fn check_line(first: &str, rest: &str, target: &str) -> Option<Vec<Violation>> {
    ["bad", "ok"]
        .contains(&first)
        .then(|| check_text(rest.trim(), target))
}

#[test]
fn every_conditional_rule_has_a_case() {
    let named: BTreeSet<&str> = CASES
        .lines()
        .filter(|l| !l.starts_with(' '))
        .filter_map(|l| l.split(' ').next())
        .collect();
    // Text cannot break these rules; they are tested below.
    let tested_below = ["immediate_twice", "jmpi_no_mask"];
    for rule in conditional_rule_names().filter(|rule| !tested_below.contains(rule)) {
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
