//! What a rung observed, as text, and its comparison with the twin's.
//!
//! In:  the outcome, values, measures and notes of a rung. Out: a text file, read back by the
//!      parent process and by `--read`; the differences of two observations.

use std::fmt::Write as _;

/// How a rung ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is as it must be.
    Pass,
    /// A result is wrong.
    Wrong,
    /// The GPU hung, or did not finish before the deadline.
    Hang,
    /// The kernel refused a call.
    Refused,
    /// The device does not offer what the rung needs.
    Skip,
    /// The process of the rung ended without a result.
    Crash,
    /// A rung that this one needs has failed.
    Barred,
}

/// The outcomes with their words in files and reports.
const OUTCOMES: &[(Outcome, &str)] = &[
    (Outcome::Pass, "pass"),
    (Outcome::Wrong, "wrong result"),
    (Outcome::Hang, "hang"),
    (Outcome::Refused, "refused by the kernel"),
    (Outcome::Skip, "skip"),
    (Outcome::Crash, "crash"),
    (Outcome::Barred, "not run"),
];

impl Outcome {
    /// The outcome in words.
    pub fn name(self) -> &'static str {
        let row = OUTCOMES.iter().find(|(outcome, _)| *outcome == self);
        row.map_or("?", |(_, name)| name)
    }

    /// The outcome of these words.
    pub fn from_name(name: &str) -> Option<Self> {
        let row = OUTCOMES.iter().find(|(_, other)| *other == name);
        row.map(|(outcome, _)| *outcome)
    }

    /// Whether the machine or the driver is at fault.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Outcome::Wrong | Outcome::Hang | Outcome::Refused | Outcome::Crash
        )
    }
}

/// Everything that a rung observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// How it ended.
    pub outcome: Outcome,
    /// Why, in one line; empty after a pass.
    pub reason: String,
    /// Results that do not depend on time, as dwords by name.
    pub values: Vec<(String, Vec<u32>)>,
    /// Quantities that depend on time, by name with the unit.
    pub measures: Vec<(String, f64)>,
}

impl Observation {
    /// An observation without values.
    pub fn new(outcome: Outcome, reason: impl Into<String>) -> Self {
        let reason: String = reason.into();
        Self {
            outcome,
            reason: reason.replace('\n', " "),
            values: Vec::new(),
            measures: Vec::new(),
        }
    }

    /// Adds a result.
    pub fn value(&mut self, name: impl Into<String>, dwords: Vec<u32>) {
        self.values.push((name.into(), dwords));
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let mut text = format!("outcome: {}\n", self.outcome.name());
        let _ = writeln!(text, "reason: {}", self.reason);
        for (name, dwords) in &self.values {
            let _ = write!(text, "value {name}:");
            for dword in dwords {
                let _ = write!(text, " {dword:08x}");
            }
            text.push('\n');
        }
        for (name, number) in &self.measures {
            let _ = writeln!(text, "measure {name}: {number}");
        }
        text
    }

    /// Parses the file's text. `None`: it is incomplete.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let outcome = Outcome::from_name(lines.next()?.strip_prefix("outcome: ")?)?;
        let reason = lines.next()?.strip_prefix("reason: ")?;
        let mut found = Observation::new(outcome, reason);
        for line in lines {
            let (head, body) = line.split_once(':')?;
            if let Some(name) = head.strip_prefix("value ") {
                let dwords = body.split_whitespace();
                let dwords = dwords.map(|word| u32::from_str_radix(word, 16).ok());
                found.value(name, dwords.collect::<Option<_>>()?);
            } else if let Some(name) = head.strip_prefix("measure ") {
                found
                    .measures
                    .push((name.into(), body.trim().parse().ok()?));
            }
        }
        Some(found)
    }

    /// The differences from the twin's observation, one line each: outcomes, dwords; measures as
    /// ratios.
    pub fn differences(&self, twin: &Observation) -> Vec<String> {
        const MAX_DWORDS: usize = 8;
        let mut lines = Vec::new();
        if self.outcome != twin.outcome {
            let (mine, other) = (self.outcome.name(), twin.outcome.name());
            lines.push(format!("outcome: {mine}, the twin: {other}"));
        }
        for (name, mine) in &self.values {
            let Some((_, other)) = twin.values.iter().find(|(other, _)| other == name) else {
                lines.push(format!("{name}: the twin has no such result"));
                continue;
            };
            if mine.len() != other.len() {
                let (mine, other) = (mine.len(), other.len());
                lines.push(format!("{name}: {mine} dwords, the twin: {other}"));
            }
            let pairs = mine.iter().zip(other).enumerate();
            let wrong: Vec<_> = pairs.filter(|(_, (a, b))| a != b).collect();
            for (index, (a, b)) in wrong.iter().take(MAX_DWORDS) {
                lines.push(format!("{name}[{index}]: {a:#010x}, the twin: {b:#010x}"));
            }
            if wrong.len() > MAX_DWORDS {
                lines.push(format!("{name}: {} dwords differ in all", wrong.len()));
            }
        }
        // After another outcome it is clear that results are missing.
        let mine = |name: &String| self.values.iter().any(|(other, _)| other == name);
        let missing = twin.values.iter().filter(|(name, _)| !mine(name));
        for (name, _) in missing.filter(|_| self.outcome == twin.outcome) {
            lines.push(format!("{name}: only the twin has this result"));
        }
        for (name, mine) in &self.measures {
            let twin = twin.measures.iter().find(|(other, _)| other == name);
            if let Some((_, other)) = twin.filter(|(_, other)| *other != 0.0) {
                let ratio = mine / other;
                lines.push(format!("{name}: {mine}, {ratio:.3} times the twin's"));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests;
