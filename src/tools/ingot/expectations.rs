//! Expected verdicts: `expectations.toml` beside the scripts.
//!
//! A script is expected to pass unless the file says otherwise:
//!
//! ```toml
//! [fail."errors/unknown-command.shader_test"]
//! reason = "the runner must refuse it"
//! message = "line 4: Invalid test command"   # must appear in the log
//! [skip."…"]
//! reason = "needs a newer device"
//! [skip."draw/"]              # scripts under this folder without their own entry
//! reason = "no graphics queue yet"
//! driver = "Ingot"            # only if the device name contains `[Ingot]` or begins with it
//! [may_skip."…"]              # passes on Ingot; on other drivers it may also be skipped
//! reason = "the extension is newer than some drivers"
//! message = "VK_KHR_…"
//! [may_fail."…"]              # Vulkan leaves the result to the implementation
//! reason = "the pattern of a tessellated patch"
//! passes_on = ["Intel"]       # besides Ingot, drivers whose result is known: it must pass there
//! ```
//!
//! A script may have one entry for skipping and one for failing. The nearest entry counts: that of
//! the script, then that of its folder, then that of the folder around it. An entry for another
//! driver does not count at all, so the script is expected to pass there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vkrunner::{Outcome, Verdict};

/// What is expected of one script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Verdict.
    pub verdict: Verdict,
    /// Why it is not `pass`.
    pub reason: String,
    /// Text that the log must contain.
    pub message: Option<String>,
    /// The only driver on which this is expected; any if `None`.
    pub driver: Option<String>,
    /// The script may pass, too.
    pub may_pass: bool,
    /// Drivers on which the script passes: the entry does not concern them.
    pub passes_on: Vec<String>,
}

/// The name of our driver in device names and in the file.
const INGOT: &str = "Ingot";

impl Expectation {
    /// True if the expectation applies to a device of this name. Ingot's device names end with
    /// `[Ingot]`; those of other drivers begin with the driver's name.
    fn concerns(&self, device: &str) -> bool {
        let is_of =
            |driver: &str| device.contains(&format!("[{driver}]")) || device.starts_with(driver);
        match &self.driver {
            Some(driver) => is_of(driver),
            None => !self.passes_on.iter().any(|driver| is_of(driver)),
        }
    }
}

/// The expectations of a folder.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    root: PathBuf,
    entries: Entries,
}

/// The entries of each script or folder: one, or one for each verdict that it may have.
type Entries = BTreeMap<String, Vec<Expectation>>;

impl Expectations {
    /// Reads the file in `root`. Without a file all scripts are expected to pass.
    pub fn read(root: &Path) -> Result<Expectations, String> {
        let file = root.join("expectations.toml");
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(format!("{}: {e}", file.display())),
        };
        let entries = parse(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(Expectations {
            root: root.to_path_buf(),
            entries,
        })
    }

    /// The expectation for `script` on the device named `device`; `None`: it passes. Of several,
    /// the one for the verdict that it has.
    pub fn expectation(
        &self,
        script: &Path,
        device: &str,
        verdict: Verdict,
    ) -> Option<&Expectation> {
        let name = script.strip_prefix(&self.root).ok()?.to_str()?;
        let ends =
            std::iter::once(name.len()).chain(name.rmatch_indices('/').map(|(at, _)| at + 1));
        let nearest = ends
            .filter_map(|end| self.entries.get(name.get(..end)?))
            .find(|entries| entries.iter().any(|entry| entry.concerns(device)))?;
        let concerning = || nearest.iter().filter(|entry| entry.concerns(device));
        let matching = concerning().find(|entry| entry.verdict == verdict);
        matching.or_else(|| concerning().next())
    }

    /// Entries whose script or folder does not exist.
    pub fn stale(&self) -> Vec<String> {
        let exists = |name: &String| {
            let path = self.root.join(name);
            // A folder's entry must end with a slash, or it would never be found.
            if name.ends_with('/') {
                path.is_dir()
            } else {
                path.is_file()
            }
        };
        let stale = self.entries.keys().filter(|name| !exists(name));
        stale.cloned().collect()
    }
}

fn parse(text: &str) -> Result<Entries, String> {
    let table = toml::de::DeTable::parse(text).map_err(|e| e.to_string())?;
    let mut entries = Entries::new();
    for (kind, scripts) in table.get_ref() {
        let (verdict, may_pass) = match kind.get_ref().as_ref() {
            "fail" => (Verdict::Fail, false),
            "skip" => (Verdict::Skip, false),
            "may_skip" => (Verdict::Skip, true),
            "may_fail" => (Verdict::Fail, true),
            other => {
                let known = "fail, skip, may_skip and may_fail";
                return Err(format!("[{other}]: only {known} are known"));
            }
        };
        let scripts = scripts.get_ref().as_table();
        for (name, entry) in scripts.ok_or("a table of scripts is expected")? {
            let text = |key: &str| {
                let value = entry.get_ref().get(key)?.get_ref().as_str();
                value.map(str::to_string)
            };
            let name = name.get_ref().to_string();
            let reason = text("reason").ok_or_else(|| format!("{name}: no reason given"))?;
            let passes_on = passes_on(may_pass, entry.get_ref().get("passes_on"))
                .map_err(|e| format!("{name}: {e}"))?;
            let expectation = Expectation {
                verdict,
                reason,
                message: text("message"),
                driver: text("driver"),
                may_pass,
                passes_on,
            };
            let others = entries.entry(name.clone()).or_default();
            if others.iter().any(|other| other.verdict == verdict) {
                return Err(format!("{name}: two entries for the same verdict"));
            }
            others.push(expectation);
        }
    }
    Ok(entries)
}

/// The drivers on which a script passes: Ingot if it may pass at all, and those listed.
fn passes_on(
    may_pass: bool,
    listed: Option<&toml::Spanned<toml::de::DeValue<'_>>>,
) -> Result<Vec<String>, &'static str> {
    let mut drivers: Vec<String> = may_pass.then(|| INGOT.to_string()).into_iter().collect();
    let Some(listed) = listed else {
        return Ok(drivers);
    };
    let expected = "passes_on is a list of drivers' names, for may_skip and may_fail";
    if !may_pass {
        return Err(expected);
    }
    for driver in listed.get_ref().as_array().ok_or(expected)? {
        drivers.push(driver.get_ref().as_str().ok_or(expected)?.to_string());
    }
    Ok(drivers)
}

/// Compares an outcome with its expectation: `None` if they agree, else a message.
pub fn surprise(expected: Option<&Expectation>, outcome: &Outcome) -> Option<String> {
    let Some(expected) = expected else {
        return match outcome.verdict {
            Verdict::Pass => None,
            verdict => Some(format!("{} (expected pass)", verdict.name())),
        };
    };
    if expected.may_pass && outcome.verdict == Verdict::Pass {
        return None;
    }
    if outcome.verdict != expected.verdict {
        return Some(format!(
            "{} (expected {}: {})",
            outcome.verdict.name(),
            expected.verdict.name(),
            expected.reason
        ));
    }
    let message = expected.message.as_ref()?;
    let found = outcome.log.iter().any(|line| line.contains(message));
    (!found).then(|| format!("{}, but not with “{message}”", outcome.verdict.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(verdict: Verdict, log: &str) -> Outcome {
        Outcome {
            verdict,
            log: vec![log.into()],
            dumped: None,
            image: None,
        }
    }

    #[test]
    fn an_unexpected_pass_is_a_surprise() {
        let entries = parse("[fail.\"a/b\"]\nreason = \"why\"\nmessage = \"line 3\"\n").unwrap();
        let expected = entries.get("a/b").and_then(|all| all.first());
        assert!(surprise(expected, &outcome(Verdict::Pass, "")).is_some());
        assert!(surprise(expected, &outcome(Verdict::Fail, "other")).is_some());
        assert!(surprise(expected, &outcome(Verdict::Fail, "at line 3: x")).is_none());
        assert!(surprise(None, &outcome(Verdict::Pass, "")).is_none());
        assert!(surprise(None, &outcome(Verdict::Skip, "")).is_some());
    }

    #[test]
    fn a_folder_is_expected_to_skip_on_one_driver_only() {
        let text = "[skip.\"draw/\"]\nreason = \"no queue\"\ndriver = \"Ingot\"\n\
                    [fail.\"draw/deep/a\"]\nreason = \"why\"\n";
        let expectations = Expectations {
            root: PathBuf::from("scripts"),
            entries: parse(text).unwrap(),
        };
        let verdict = |name: &str, device: &str| {
            let found =
                expectations.expectation(&Path::new("scripts").join(name), device, Verdict::Pass);
            found.map(|e| e.verdict)
        };
        let (ours, other) = ("HD Graphics 530 (SKL GT2) [Ingot]", "llvmpipe");
        assert_eq!(verdict("draw/x", ours), Some(Verdict::Skip));
        assert_eq!(verdict("draw/deep/b", ours), Some(Verdict::Skip));
        assert_eq!(verdict("draw/deep/a", ours), Some(Verdict::Fail));
        assert_eq!(verdict("draw/deep/a", other), Some(Verdict::Fail));
        assert_eq!(verdict("draw/x", other), None);
        assert_eq!(verdict("drawing/x", ours), None);
        let expected = expectations.expectation(Path::new("scripts/draw/x"), ours, Verdict::Pass);
        assert!(surprise(expected, &outcome(Verdict::Skip, "")).is_none());
        assert!(surprise(expected, &outcome(Verdict::Pass, "")).is_some());
        assert!(surprise(expected, &outcome(Verdict::Fail, "")).is_some());
    }

    #[test]
    fn a_script_may_be_skipped_on_other_drivers_only() {
        let text = "[may_skip.\"a\"]\nreason = \"newer\"\nmessage = \"VK_X\"\n";
        let expectations = Expectations {
            root: PathBuf::from("scripts"),
            entries: parse(text).unwrap(),
        };
        let judged = |device: &str, verdict, log: &str| {
            let expected = expectations.expectation(Path::new("scripts/a"), device, verdict);
            surprise(expected, &outcome(verdict, log)).is_some()
        };
        let (ours, other) = ("HD Graphics 530 (SKL GT2) [Ingot]", "llvmpipe");
        assert!(judged(ours, Verdict::Skip, "Missing VK_X"));
        assert!(!judged(ours, Verdict::Pass, ""));
        assert!(!judged(other, Verdict::Skip, "Missing VK_X"));
        assert!(judged(other, Verdict::Skip, "Missing VK_Y"));
        assert!(judged(other, Verdict::Fail, "Missing VK_X"));
        assert!(!judged(other, Verdict::Pass, ""));
    }

    #[test]
    fn a_script_may_fail_where_the_result_is_not_known() {
        let text = "[may_fail.\"a\"]\nreason = \"free\"\npasses_on = [\"Intel\"]\n";
        let expectations = Expectations {
            root: PathBuf::from("scripts"),
            entries: parse(text).unwrap(),
        };
        let judged = |device: &str, verdict| {
            let expected = expectations.expectation(Path::new("scripts/a"), device, verdict);
            surprise(expected, &outcome(verdict, "")).is_some()
        };
        for known in ["HD Graphics 530 (SKL GT2) [Ingot]", "Intel(R) HD Graphics"] {
            assert!(judged(known, Verdict::Fail));
            assert!(!judged(known, Verdict::Pass));
        }
        assert!(!judged("another GPU", Verdict::Fail));
        assert!(!judged("another GPU", Verdict::Pass));
        assert!(judged("another GPU", Verdict::Skip));
        assert!(parse("[fail.\"a\"]\nreason = \"x\"\npasses_on = [\"y\"]\n").is_err());
        assert!(parse("[may_fail.\"a\"]\nreason = \"x\"\npasses_on = \"y\"\n").is_err());
    }

    #[test]
    fn a_script_may_have_one_entry_for_each_verdict() {
        let text = "[may_skip.\"a\"]\nreason = \"old\"\nmessage = \"lacks it\"\n\
            [may_fail.\"a\"]\nreason = \"a bug\"\nmessage = \"probe\"\n";
        let expectations = Expectations {
            root: PathBuf::from("scripts"),
            entries: parse(text).unwrap(),
        };
        let judged = |verdict, log| {
            let expected = expectations.expectation(Path::new("scripts/a"), "GPU", verdict);
            surprise(expected, &outcome(verdict, log)).is_some()
        };
        assert!(!judged(Verdict::Skip, "lacks it"));
        assert!(!judged(Verdict::Fail, "probe"));
        assert!(!judged(Verdict::Pass, ""));
        assert!(judged(Verdict::Skip, "probe"));
        assert!(judged(Verdict::Fail, "lacks it"));
        let twice = "[skip.\"a\"]\nreason = \"x\"\n[may_skip.\"a\"]\nreason = \"y\"\n";
        assert!(parse(twice).is_err());
    }

    #[test]
    fn a_reason_is_needed() {
        assert!(parse("[fail.\"a\"]\nmessage = \"x\"\n").is_err());
        assert!(parse("[pass.\"a\"]\nreason = \"x\"\n").is_err());
    }
}
