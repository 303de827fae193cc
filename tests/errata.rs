//! Checks that no row of the table of workarounds is forgotten.
//!
//! In:  `hw::WORKAROUNDS`, the source files of compiler, driver and simulator, and
//!      `errata_left.txt`: rows of which a part is still to be written. Out: the rows that nothing
//!      queries or that strict mode does not check, and lines of that list that are done.

use hw::{Handling, WORKAROUNDS};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Rows without a query in compiler or driver, or without a rule of strict mode: the side and the
/// name. Lines only ever leave this list.
const LEFT: &str = include_str!("errata_left.txt");

/// The names of the workarounds that non-test code in these folders queries.
fn queried(folders: &[&str]) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut pending: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut names = BTreeSet::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable").flatten() {
            let path = entry.path();
            let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
            if path.is_dir() && !is_test {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && !is_test {
                let text = std::fs::read_to_string(&path).expect("readable");
                let code = text.split("#[cfg(test)]\nmod tests {").next();
                let lines = code.unwrap_or_default().lines().map(str::trim_start);
                for line in lines.filter(|line| !line.starts_with("//")) {
                    for name in line.split("Wa::").skip(1) {
                        let end = name.find(|c: char| !c.is_alphanumeric());
                        names.insert(name[..end.unwrap_or(name.len())].to_owned());
                    }
                }
            }
        }
    }
    names
}

#[test]
fn every_row_is_queried_and_checked_or_has_a_reason() {
    let sides = [
        ("driver", queried(&["compiler", "driver"])),
        ("strict", queried(&["sim"])),
    ];
    let left: BTreeSet<&str> = LEFT.lines().filter(|line| !line.starts_with('#')).collect();
    let mut missing = BTreeSet::new();
    let mut wrong = Vec::new();
    for row in WORKAROUNDS {
        let name = format!("{:?}", row.wa);
        for (side, names) in &sides {
            match row.handling {
                Handling::Handled if !names.contains(&name) => {
                    missing.insert(format!("{side} {name}"));
                }
                Handling::NotNeeded(_) if names.contains(&name) => {
                    wrong.push(format!("{side} queries {name}, which is not needed"));
                }
                _ => {}
            }
        }
    }
    let new = missing.iter().filter(|line| !left.contains(line.as_str()));
    wrong.extend(new.map(|line| format!("{line} is missing")));
    let done = left.iter().filter(|line| !missing.contains(**line));
    wrong.extend(done.map(|line| format!("{line} is done: remove it from errata_left.txt")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
