//! Legality of one instruction.
//!
//! In:  an [`Inst`], whether or not it can be encoded.
//! Out: every rule of the generation that it breaks; nothing for an instruction that may be executed.
//! Ref: SKL PRM vol. 7, "EU Programming Guide" and "Register Region Restrictions"; instruction pages of vol. 2a.
//!
//! Rules are data: a name, where the PRM has it, a sentence, and the test whether it is broken. Not among them: that
//! ExecSize times the largest type is at most 64 bytes (the rules on spans and on the destination's stride together
//! say so), what only some products of a generation demand (Broxton's 64-bit rules), and what needs more than one
//! instruction (NoDDChk pairs, the accumulator's contents).

mod facts;
mod flow;
mod message;
mod region;
mod table;
mod ternary;
mod types;

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

/// The rules that `inst` breaks on `hw_gen`, in the table's order. Rules are those of gen8 and gen9; there are none yet
/// for other generations but that the operation exists.
pub fn check(inst: &Inst, hw_gen: Gen) -> Vec<Violation> {
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
    let rules = FAMILIES.iter().copied().flatten();
    let broken = rules.filter(|rule| (rule.broken)(&facts));
    broken
        .map(|rule| Violation {
            rule: rule.name,
            prm: rule.prm,
            text: rule.text,
        })
        .collect()
}

#[cfg(test)]
mod anv;
#[cfg(test)]
mod tests;
