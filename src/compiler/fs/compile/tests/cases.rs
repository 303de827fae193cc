//! The files of text cases, and the lines in them that check an output.
//!
//! `; check: TEXT`: the output contains the texts of these lines in order. `; not: TEXT`: the
//! output does not contain the text. `; times: N TEXT`: the output contains the text N times.
//! `; unchanged`: the pass leaves the program as it is.

use std::path::Path;

/// The root of the test cases of all crates.
const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests");

/// The rules of a case. A line that begins with another word in lower case and a colon is a
/// misspelt rule; other lines are comments.
const RULES: [&str; 4] = ["check:", "not:", "times:", "error:"];

/// A text case.
pub(super) struct Case {
    /// The path of its file.
    pub path: String,
    /// Its first line, behind the word `test`.
    pub words: Vec<String>,
    /// The lines with rules and comments.
    rules: Vec<String>,
    /// The other lines, each at the line number that it has in the file.
    pub input: String,
}

/// The cases in a folder of tests, and the folders in it, whose files have this extension.
pub(super) fn read_cases(folder: &str, extension: &str) -> Vec<Case> {
    let mut out = Vec::new();
    let mut folders = vec![Path::new(TESTS).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                let text = std::fs::read_to_string(&path).unwrap();
                out.push(Case::new(path.display().to_string(), &text));
            }
        }
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

impl Case {
    pub fn new(path: String, text: &str) -> Case {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let Some(first) = first.strip_prefix("test ") else {
            panic!("{path}: the first line is not 'test' and what is tested")
        };
        let (mut rules, mut input) = (Vec::new(), String::from("\n"));
        for line in rest.lines() {
            match line.strip_prefix("; ") {
                Some(rule) => rules.push(rule.to_owned()),
                None => input.push_str(line),
            }
            input.push('\n');
        }
        Case {
            path,
            words: first.split_whitespace().map(str::to_owned).collect(),
            rules,
            input,
        }
    }

    /// The name of its folder.
    pub fn folder(&self) -> &str {
        let folder = Path::new(&self.path).parent().and_then(Path::file_name);
        folder.and_then(|f| f.to_str()).unwrap_or_default()
    }

    /// Checks that no rule is misspelt.
    pub fn check_rule_names(&self) {
        for rule in &self.rules {
            let word = rule.split_whitespace().next().unwrap_or_default();
            let name = word.strip_suffix(':');
            let is_rule = name.is_some_and(|n| n.bytes().all(|b| b.is_ascii_lowercase()));
            let known = !is_rule || RULES.contains(&word);
            assert!(known, "{}: '{word}' is no rule", self.path);
        }
    }

    /// The texts of the lines with this rule.
    pub fn rules<'a>(&'a self, rule: &'a str) -> impl Iterator<Item = &'a str> {
        self.rules.iter().filter_map(move |r| r.strip_prefix(rule))
    }

    /// True if the pass leaves the program as it is.
    pub fn is_unchanged(&self) -> bool {
        self.rules("unchanged").next().is_some()
    }

    /// The first rule that the output breaks.
    pub fn broken_rule(&self, out: &str) -> Option<String> {
        let mut rest = out;
        for want in self.rules("check: ") {
            match rest.find(want) {
                Some(at) => rest = &rest[at + want.len()..],
                None => return Some(format!("no '{want}' in order")),
            }
        }
        for unwanted in self.rules("not: ") {
            if out.contains(unwanted) {
                return Some(format!("'{unwanted}' must not occur"));
            }
        }
        for rule in self.rules("times: ") {
            let Some((times, what)) = rule.split_once(' ') else {
                panic!("{}: '{rule}' is not a number and a text", self.path)
            };
            let found = out.matches(what).count();
            if found.to_string() != times {
                return Some(format!("'{what}' occurs {found} times, not {times}"));
            }
        }
        None
    }

    /// Checks that the rules do not hold without the pass: such a case proves nothing. A case with
    /// the rule `unchanged` is for a program that the pass leaves alone.
    pub fn check_change(&self, before: &str, after: &str) {
        let path = &self.path;
        if self.is_unchanged() {
            assert_eq!(before, after, "{path}: changed");
        } else if self.broken_rule(before).is_none() {
            panic!("{path}: every rule holds before the pass, in\n{before}but after it\n{after}");
        }
    }
}
