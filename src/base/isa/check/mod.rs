//! Legality of one instruction.
//!
//! In:  an [`Inst`], whether or not it can be encoded.
//! Out: every rule of the generation that it breaks; nothing for an instruction that may be executed.
//! Ref: SKL PRM vol. 7, "EU Programming Guide" and "Register Region Restrictions"; instruction pages of vol. 2a.
//!
//! Rules are data: a name, where the PRM has it, a sentence, and the test whether it is broken. Not among them: that
//! ExecSize times the largest type is at most 64 bytes (the rules on spans and on the destination's stride together
//! say so), and what needs more than one
//! instruction (NoDDChk pairs, the accumulator's contents).

mod facts;
mod flow;
mod message;
mod operands;
mod region;
mod table;
mod ternary;
mod types;
mod wide;

use crate::inst::Inst;
use facts::Facts;
use hw::Gen;

/// A rule that an instruction breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Name of the rule.
    pub rule: &'static str,
    /// Section of the PRM.
    pub prm: &'static str,
    /// What the rule demands.
    pub text: &'static str,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {} (PRM, \"{}\")", self.rule, self.text, self.prm)
    }
}

/// One rule.
struct Rule {
    name: &'static str,
    prm: &'static str,
    text: &'static str,
    broken: fn(&Facts) -> bool,
}

static FAMILIES: &[&[Rule]] = &[
    table::RULES,
    region::RULES,
    types::RULES,
    ternary::RULES,
    message::RULES,
    flow::RULES,
];

/// Rules with text cases of their own, some for one generation or kind of core.
struct Part {
    gens: (Gen, Gen),
    small_core: bool,
    rules: &'static [Rule],
}

static PARTS: &[Part] = &[
    Part {
        gens: (Gen::Gen8, Gen::Gen9),
        small_core: false,
        rules: operands::RULES,
    },
    Part {
        gens: (Gen::Gen8, Gen::Gen9),
        small_core: false,
        rules: wide::RULES,
    },
    Part {
        gens: (Gen::Gen8, Gen::Gen9),
        small_core: true,
        rules: wide::SMALL_CORES,
    },
    Part {
        gens: (Gen::Gen8, Gen::Gen8),
        small_core: false,
        rules: wide::EARLY,
    },
];

/// The rules that `inst` breaks on `hw_gen`, in the table's order. Rules are those of gen8 and gen9; there are none yet
/// for other generations but that the operation exists.
pub fn check(inst: &Inst, hw_gen: Gen) -> Vec<Violation> {
    check_part(inst, hw_gen, false)
}

/// The same for a part with the small core (CHV, BXT, GLK), which has more rules on 64-bit operands.
pub fn check_part(inst: &Inst, hw_gen: Gen, small_core: bool) -> Vec<Violation> {
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
    let facts = Facts::new(inst);
    let parts = PARTS
        .iter()
        .filter(|p| p.gens.0 <= hw_gen && hw_gen <= p.gens.1 && (small_core || !p.small_core))
        .flat_map(|p| p.rules);
    let rules = FAMILIES.iter().copied().flatten().chain(parts);
    let broken = rules.filter(|rule| (rule.broken)(&facts));
    broken
        .map(|rule| Violation {
            rule: rule.name,
            prm: rule.prm,
            text: rule.text,
        })
        .collect()
}

/// Every rule of a generation, those for small cores among them, in the tables' order.
pub fn rules(hw_gen: Gen) -> impl Iterator<Item = Violation> {
    let parts = PARTS
        .iter()
        .filter(move |p| p.gens.0 <= hw_gen && hw_gen <= p.gens.1)
        .flat_map(|p| p.rules);
    let families = FAMILIES.iter().copied().flatten();
    families.chain(parts).map(|rule| Violation {
        rule: rule.name,
        prm: rule.prm,
        text: rule.text,
    })
}

/// Names of the rules in [`PARTS`].
#[cfg(test)]
pub(crate) fn further_rules() -> impl Iterator<Item = &'static str> {
    PARTS.iter().flat_map(|p| p.rules).map(|rule| rule.name)
}

#[cfg(test)]
mod anv;
#[cfg(test)]
mod tests;
