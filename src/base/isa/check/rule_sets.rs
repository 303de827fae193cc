//! The rule sets, and the check of an instruction against them.

use super::facts::InstFacts;
use super::rule::{Rule, Violation};
use super::{flow, message, operands, region, table, ternary, types, wide};
use crate::inst::Inst;
use hw::Gen;

/// Rules of all cores of gen8 and gen9. Test cases: `tests.rs`.
pub static COMMON_RULES: &[&[Rule]] = &[
    table::RULES,
    region::RULES,
    types::RULES,
    ternary::RULES,
    message::RULES,
    flow::RULES,
];

/// Rules for some generations or kinds of core. Test cases: tests/isa/legality.txt.
struct ConditionalRules {
    /// First and last generation.
    gens: (Gen, Gen),
    /// True for rules of the small core (CHV, BXT, GLK) only.
    small_core: bool,
    rules: &'static [Rule],
}

static CONDITIONAL_RULES: &[ConditionalRules] = &[
    ConditionalRules {
        gens: (Gen::Gen8, Gen::Gen9),
        small_core: false,
        rules: operands::RULES,
    },
    ConditionalRules {
        gens: (Gen::Gen8, Gen::Gen9),
        small_core: false,
        rules: wide::RULES,
    },
    ConditionalRules {
        gens: (Gen::Gen8, Gen::Gen9),
        small_core: true,
        rules: wide::SMALL_CORES,
    },
    ConditionalRules {
        gens: (Gen::Gen8, Gen::Gen8),
        small_core: false,
        rules: wide::GEN8,
    },
];

/// The rules that `inst` breaks on `hw_gen`, in the order of the tables. There are rules for gen8
/// and gen9; for other generations only the existence of the operation is checked. Rules of the
/// small core are not included.
pub fn check(inst: &Inst, hw_gen: Gen) -> Vec<Violation> {
    check_for_core(inst, hw_gen, false)
}

/// As [`check`]; with `small_core` for parts with the small core (CHV, BXT, GLK), which has more
/// rules on 64-bit operands.
pub fn check_for_core(inst: &Inst, hw_gen: Gen, small_core: bool) -> Vec<Violation> {
    if inst.op.number(hw_gen).is_none() {
        return vec![Violation {
            rule: "opcode",
            prm: "EU Opcode Encoding",
            text: "the operation exists in this generation",
        }];
    }
    if !matches!(hw_gen, Gen::Gen8 | Gen::Gen9) {
        return Vec::new();
    }
    let facts = InstFacts::new(inst);
    let conditional = CONDITIONAL_RULES
        .iter()
        .filter(|set| {
            set.gens.0 <= hw_gen && hw_gen <= set.gens.1 && (small_core || !set.small_core)
        })
        .flat_map(|set| set.rules);
    let rules = COMMON_RULES.iter().copied().flatten().chain(conditional);
    let broken = rules.filter(|rule| (rule.broken)(&facts));
    broken.map(Rule::violation).collect()
}

/// All rules of a generation, including those of the small core, in the order of the tables.
pub fn rules(hw_gen: Gen) -> impl Iterator<Item = Violation> {
    let conditional = CONDITIONAL_RULES
        .iter()
        .filter(move |set| set.gens.0 <= hw_gen && hw_gen <= set.gens.1)
        .flat_map(|set| set.rules);
    let common = COMMON_RULES.iter().copied().flatten();
    common.chain(conditional).map(Rule::violation)
}

/// Names of the rules in [`CONDITIONAL_RULES`], each of which has a case in tests/isa/legality.txt.
#[cfg(test)]
pub(crate) fn conditional_rule_names() -> impl Iterator<Item = &'static str> {
    CONDITIONAL_RULES
        .iter()
        .flat_map(|set| set.rules)
        .map(|rule| rule.name)
}
