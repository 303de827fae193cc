//! The file of decisions: one line for each difference between the drivers, with the reason.
//!
//! In:  the text, and the differences. Out: differences without a line, lines without a difference.
//! A line is `KIND PACKET / FIELD: REASON`, or `KIND PACKET: REASON` for a command or structure
//! that only one driver uses; lines that begin with white space continue the reason. KIND is
//! `ingot` or `anv` where only that driver uses it, and `values` where both do with different
//! values. `*` stands for any text in PACKET and FIELD; such a line decides all that it matches.

use ingot_cli::batch_diff::{Difference, Side, matches};
use libtest_mimic::Trial;
use std::fmt::{Display, Formatter};

/// A line of the file.
#[derive(Clone, Debug)]
struct Decision {
    /// The number of its first line.
    number: usize,
    /// KIND, PACKET and FIELD, as in the file.
    key: String,
    side: Side,
    packet: String,
    field: Option<String>,
}

/// All lines.
#[derive(Clone, Debug)]
pub struct Decisions(Vec<Decision>);

/// What is missing from the file and what is too much.
#[derive(Debug)]
pub struct Verdict {
    /// Lines without reasons, and the values of the field in both drivers.
    missing: Vec<(String, String)>,
    /// The numbers of lines and their keys.
    superfluous: Vec<(usize, String)>,
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::OnlyA => "ingot",
        Side::OnlyB => "anv",
        Side::Values => "values",
    }
}

impl Decisions {
    /// Reads the file.
    ///
    /// # Errors
    /// A line that has another form, a key twice, or no reason, or that is OPEN; the text has its
    /// number.
    pub fn parse(text: &str) -> Result<Decisions, String> {
        let mut all: Vec<Decision> = Vec::new();
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let number = index + 1;
            let at = |what: &str| format!("decisions.txt:{number}: {what}");
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with(' ') {
                let follows = index > 0 && !lines[index - 1].is_empty();
                if !follows || all.is_empty() {
                    return Err(at("continues no line"));
                }
                continue;
            }
            let (key, reason) = line.split_once(':').ok_or_else(|| at("`:` is missing"))?;
            let continued = lines
                .get(index + 1)
                .is_some_and(|next| next.starts_with(' '));
            if reason.trim().is_empty() && !continued {
                return Err(at("the reason is missing"));
            }
            if reason.trim_start().starts_with("OPEN") {
                return Err(at("is not decided"));
            }
            let (kind, name) = key.split_once(' ').ok_or_else(|| at("KIND is missing"))?;
            let sides = [Side::OnlyA, Side::OnlyB, Side::Values];
            let side = sides.into_iter().find(|side| side_name(*side) == kind);
            let side = side.ok_or_else(|| at("KIND is ingot, anv or values"))?;
            let (packet, field) = match name.split_once(" / ") {
                Some((packet, field)) => (packet, Some(field.to_owned())),
                None => (name, None),
            };
            if all.iter().any(|other| other.key == key) {
                return Err(at("is there twice"));
            }
            all.push(Decision {
                number,
                key: key.to_owned(),
                side,
                packet: packet.to_owned(),
                field,
            });
        }
        Ok(Decisions(all))
    }

    /// Compares the lines with the differences.
    pub fn judge(&self, differences: &[Difference]) -> Verdict {
        let mut used = vec![false; self.0.len()];
        let mut missing = Vec::new();
        for difference in differences {
            let mut decided = false;
            for (decision, used) in self.0.iter().zip(&mut used) {
                if decision.decides(difference) {
                    (decided, *used) = (true, true);
                }
            }
            if !decided {
                missing.push((line(difference), values(difference)));
            }
        }
        let unused = self.0.iter().zip(used).filter(|(_, used)| !used);
        Verdict {
            missing,
            superfluous: unused.map(|(d, _)| (d.number, d.key.clone())).collect(),
        }
    }
}

impl Decision {
    fn decides(&self, difference: &Difference) -> bool {
        let field = match (&self.field, &difference.field) {
            (None, None) => true,
            (Some(pattern), Some(field)) => matches(pattern, field),
            _ => false,
        };
        field && self.side == difference.side && matches(&self.packet, &difference.packet)
    }
}

/// A line for a difference, without a reason.
fn line(difference: &Difference) -> String {
    let mut text = format!("{} {}", side_name(difference.side), difference.packet);
    if let Some(field) = &difference.field {
        text += &format!(" / {field}");
    }
    text.push(':');
    text
}

/// The values of a difference, for whoever writes the reason.
fn values(difference: &Difference) -> String {
    let mut text = String::new();
    for (driver, values) in [("Ingot", &difference.a), ("ANV", &difference.b)] {
        let values: Vec<&str> = values.keys().map(String::as_str).collect();
        if !values.is_empty() {
            text += &format!("    # {driver}: {}\n", values.join(", "));
        }
    }
    text
}

impl Verdict {
    /// True if nothing is missing and nothing is too much.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.superfluous.is_empty()
    }

    /// The file without superfluous lines and with the missing ones at its end, without reasons.
    pub fn rewrite(&self, text: &str) -> String {
        let mut out = String::new();
        let mut dropped = false;
        for (index, line) in text.lines().enumerate() {
            if !line.starts_with(' ') {
                dropped = self
                    .superfluous
                    .iter()
                    .any(|(number, _)| *number == index + 1);
            }
            if !dropped {
                out += line;
                out.push('\n');
            }
        }
        for (line, _) in &self.missing {
            out += line;
            out.push('\n');
        }
        out
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{} lines are missing from decisions.txt:",
            self.missing.len()
        )?;
        for (line, values) in &self.missing {
            write!(f, "{line}\n{values}")?;
        }
        writeln!(f, "{} lines decide nothing:", self.superfluous.len())?;
        for (number, key) in &self.superfluous {
            writeln!(f, "decisions.txt:{number}: {key}")?;
        }
        Ok(())
    }
}

/// Tests of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("lines_without_a_decision_are_refused", || {
            let refused = |text: &str| Decisions::parse(text).err().unwrap_or_default();
            for (text, word) in [
                ("anv A / B:\n", "1: the reason is missing"),
                ("# x\nanv A / B\n", "2: `:` is missing"),
                ("anv A / B: OPEN: why\n", "1: is not decided"),
                ("mesa A / B: why\n", "KIND is"),
                ("anv A: why\nanv A: why\n", "2: is there twice"),
                ("\n  why\n", "2: continues no line"),
            ] {
                let why = refused(text);
                if !why.contains(word) {
                    return Err(format!("{text:?}: {why:?}").into());
                }
            }
            match Decisions::parse("anv A / B:\n  why\n") {
                Ok(_) => Ok(()),
                Err(why) => Err(why.into()),
            }
        }),
        Trial::test("lines_and_differences_must_match", || {
            let difference = |packet: &str, side| Difference {
                packet: packet.into(),
                field: Some("F".into()),
                side,
                a: Default::default(),
                b: Default::default(),
            };
            let decisions = Decisions::parse("anv A* / F: why\n  more\nvalues C / F: why\n")?;
            let found = [difference("A1", Side::OnlyB), difference("A2", Side::OnlyA)];
            let verdict = decisions.judge(&found);
            let right = verdict.missing == [("ingot A2 / F:".to_owned(), String::new())]
                && verdict.superfluous == [(3, "values C / F".to_owned())]
                && !verdict.is_complete();
            let text = verdict.rewrite("anv A* / F: why\n  more\nvalues C / F: why\n  more\n");
            match right && text == "anv A* / F: why\n  more\ningot A2 / F:\n" {
                true => Ok(()),
                false => Err(format!("{verdict:?}\n{text}").into()),
            }
        }),
    ]
}
