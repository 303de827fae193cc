//! The report: a page for people, and the files behind it.
//!
//! In:  facts, results and the folder of the ramp. Out: report.md and facts.txt in that folder, and
//!      texts without the names of the host and the user.

use std::fmt::Write as _;
use std::path::Path;

use super::archive::FACTS;
use super::error_state_file::ERROR_STATE;
use super::journal;
use super::observation::Outcome;
use super::process::MESSAGES;
use super::ramp::{RungResult, rung_folder};
use crate::error_state::ErrorState;

/// The page for people.
pub const PAGE: &str = "report.md";

/// Names that a report must not contain, each with its replacement.
#[derive(Clone, Debug, Default)]
pub struct PrivateNames(Vec<(String, &'static str)>);

impl PrivateNames {
    /// The names of this machine and user.
    pub fn of_this_process() -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let variable = |name| std::env::var(name).unwrap_or_default();
        let mut names = Self::default();
        names.add(&variable("HOME"), "~");
        names.add(host.trim(), "<host>");
        names.add(&variable("USER"), "<user>");
        names.add(&variable("LOGNAME"), "<user>");
        names
    }

    /// Adds a name. Names of fewer than three letters occur in other words too often, and root is
    /// everyone's.
    pub fn add(&mut self, name: &str, replacement: &'static str) {
        let known = self.0.iter().any(|(other, _)| other == name);
        if name.len() >= 3 && !known && !matches!(name, "root" | "/root") {
            self.0.push((name.into(), replacement));
        }
    }

    /// The text without the names, where they stand as whole words.
    pub fn remove_from(&self, text: &str) -> String {
        let mut text = text.to_string();
        for (name, replacement) in &self.0 {
            let mut out = String::with_capacity(text.len());
            let mut rest = text.as_str();
            while let Some(at) = rest.find(name.as_str()) {
                let (before, found) = rest.split_at(at);
                let after = &found[name.len()..];
                let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
                let last = before.chars().next_back().or(out.chars().next_back());
                out.push_str(before);
                match is_part(last) || is_part(after.chars().next()) {
                    true => out.push_str(name),
                    false => out.push_str(replacement),
                }
                rest = after;
            }
            out.push_str(rest);
            text = out;
        }
        text
    }
}

/// Writes facts.txt and report.md, and removes private names from every text of the folder.
pub fn write(
    folder: &Path,
    verdict: &str,
    facts: &[String],
    results: &[RungResult],
    names: &PrivateNames,
) -> Result<(), String> {
    let save = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    save(FACTS, &(facts.join("\n") + "\n"))?;
    save(PAGE, &page(folder, verdict, facts, results))?;
    clean(folder, names)
}

/// Removes private names from the texts of a folder and its subfolders.
fn clean(folder: &Path, names: &PrivateNames) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let kind = path.extension().and_then(|kind| kind.to_str());
        if path.is_dir() {
            clean(&path, names)?;
        } else if matches!(kind, Some("txt" | "md")) {
            let bytes = std::fs::read(&path).map_err(failed)?;
            let text = String::from_utf8_lossy(&bytes);
            std::fs::write(&path, names.remove_from(&text)).map_err(failed)?;
        }
    }
    Ok(())
}

/// Number of results with an outcome.
fn count(results: &[RungResult], outcome: Outcome) -> usize {
    let same = results
        .iter()
        .filter(|result| result.seen.outcome == outcome);
    same.count()
}

/// One line: what the ramp found.
pub fn summary(results: &[RungResult]) -> String {
    let mut parts = vec![format!("{} rungs passed", count(results, Outcome::Pass))];
    for outcome in [
        Outcome::Wrong,
        Outcome::Hang,
        Outcome::Refused,
        Outcome::Crash,
        Outcome::Skip,
        Outcome::Barred,
    ] {
        match count(results, outcome) {
            0 => {}
            n => parts.push(format!("{n} {}", outcome.name())),
        }
    }
    parts.join(", ")
}

/// The sentence about a rung that did not pass.
pub fn sentence(result: &RungResult) -> String {
    let (label, shows) = (&result.label, result.rung.shows);
    let reason = match result.seen.reason.is_empty() {
        true => String::new(),
        false => format!(": {}", result.seen.reason),
    };
    let cure = match &result.cure {
        Some(cure) => format!("; INGOT_DEBUG={cure} avoids it"),
        None if result.seen.outcome == Outcome::Hang => {
            "; it hung again with every option that might avoid it".into()
        }
        None => String::new(),
    };
    let outcome = result.seen.outcome.name();
    format!("{label} ({shows}): {outcome}{reason}{cure}")
}

fn page(folder: &Path, verdict: &str, facts: &[String], results: &[RungResult]) -> String {
    let mut text = format!(
        "# Ingot on this machine\n\n{verdict}\n\n{}.\n\n",
        summary(results)
    );
    text.push_str("## Rungs\n\n| rung | shows | outcome | |\n| --- | --- | --- | --- |\n");
    for result in results {
        let (label, shows, outcome) =
            (&result.label, result.rung.shows, result.seen.outcome.name());
        let reason = result.seen.reason.replace('|', "\\|");
        let _ = writeln!(text, "| {label} | {shows} | {outcome} | {reason} |");
    }
    for result in results
        .iter()
        .filter(|result| result.seen.outcome.is_failure())
    {
        failure(&mut text, folder, result);
    }
    let differing = results
        .iter()
        .filter(|r| !r.seen.outcome.is_failure() && !r.differences.is_empty());
    for (index, result) in differing.enumerate() {
        if index == 0 {
            text.push_str("\n## Rungs that passed but differ from the twin\n\n");
        }
        let _ = writeln!(
            text,
            "- {}: {}",
            result.label,
            result.differences.join("; ")
        );
    }
    probes(&mut text, results);
    text.push_str("\n## Facts\n\n");
    for fact in facts {
        let _ = writeln!(text, "    {fact}");
    }
    text
}

/// The section about a failure.
fn failure(text: &mut String, folder: &Path, result: &RungResult) {
    let _ = writeln!(text, "\n## {}\n\n{}\n", result.label, sentence(result));
    let files = rung_folder(folder, &result.label);
    let lines = std::fs::read_to_string(folder.join("journal.txt")).unwrap_or_default();
    let prefix = format!("rung {} ", result.label);
    let lines: Vec<&str> = lines
        .lines()
        .filter(|line| line.contains(&prefix))
        .collect();
    if let Some(last) = journal::last_submission(&lines.join("\n")) {
        let _ = writeln!(text, "Last submission: {last}\n");
    }
    for difference in &result.differences {
        let _ = writeln!(text, "- {difference}");
    }
    let messages = std::fs::read_to_string(files.join(MESSAGES)).unwrap_or_default();
    for line in messages.lines().take(20) {
        let _ = writeln!(text, "    {line}");
    }
    let state = std::fs::read_to_string(files.join(ERROR_STATE)).ok();
    if let Some(state) = state.and_then(|state| ErrorState::parse(&state).ok()) {
        let hw_gen = state.device().map_or(hw::Gen::Gen9, |device| device.hw_gen);
        let listing = state.format(hw_gen);
        let path = files.join("error_state_decoded.txt");
        if let Err(error) = std::fs::write(&path, &listing) {
            let _ = writeln!(
                text,
                "The decoded error state could not be written: {error}"
            );
        }
        let _ = writeln!(
            text,
            "\nWhere the GPU stood (error_state_decoded.txt has all of it):\n"
        );
        let lines: Vec<&str> = listing.lines().collect();
        let mark = lines.iter().position(|line| line.starts_with(">>>"));
        let from = mark.unwrap_or(0).saturating_sub(10);
        for line in lines.iter().skip(from).take(20) {
            let _ = writeln!(text, "    {line}");
        }
    }
}

/// The section about the probes for ERRATA.md.
fn probes(text: &mut String, results: &[RungResult]) {
    let probes = results
        .iter()
        .filter(|result| result.rung.erratum.is_some());
    for (index, result) in probes.enumerate() {
        if index == 0 {
            text.push_str("\n## Open readings of the PRM (src/base/hw/ERRATA.md)\n\n");
        }
        let erratum = result.rung.erratum.unwrap_or_default();
        let agrees = match (result.seen.outcome, result.differences.is_empty()) {
            (Outcome::Barred | Outcome::Skip, _) => "not decided".into(),
            (_, true) => "the machine does what the simulator does".into(),
            (_, false) => format!("the machine differs: {}", result.differences.join("; ")),
        };
        let _ = writeln!(text, "- {erratum} ({}): {agrees}", result.label);
        for (name, dwords) in &result.seen.values {
            let dwords: Vec<String> = dwords.iter().take(20).map(|d| format!("{d:08x}")).collect();
            let _ = writeln!(text, "    - {name}: {}", dwords.join(" "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_removed_as_whole_words_only() {
        let mut names = PrivateNames::default();
        names.add("/home/jane", "~");
        names.add("jane", "<user>");
        names.add("box7", "<host>");
        names.add("root", "<user>");
        names.add("pc", "<host>");
        let text = "/home/jane/x of jane on box7: janet, box70, root, pcie, jane";
        let clean = "~/x of <user> on <host>: janet, box70, root, pcie, <user>";
        assert_eq!(names.remove_from(text), clean);
    }
}
