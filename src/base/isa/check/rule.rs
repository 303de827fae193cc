//! A rule, and a violation of it.

use super::facts::InstFacts;

/// A rule that an instruction breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Name of the rule.
    pub rule: &'static str,
    /// Section of the PRM.
    pub prm: &'static str,
    /// What the rule requires.
    pub text: &'static str,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {} (PRM, \"{}\")", self.rule, self.text, self.prm)
    }
}

/// A rule that legal instructions keep.
pub struct Rule {
    pub name: &'static str,
    /// Section of the PRM.
    pub prm: &'static str,
    /// What the rule requires.
    pub text: &'static str,
    /// True if an instruction breaks the rule.
    pub broken: fn(&InstFacts) -> bool,
}

impl Rule {
    /// A violation of this rule.
    pub fn violation(&self) -> Violation {
        Violation {
            rule: self.name,
            prm: self.prm,
            text: self.text,
        }
    }
}
