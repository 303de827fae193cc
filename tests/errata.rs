//! Checks that no row of the table of workarounds is forgotten.
//!
//! In:  `hw::WORKAROUNDS`, the source files of compiler, driver and simulator. Out: the rows that
//!      nothing queries or that strict mode does not check.

use hw::{Handling, WORKAROUNDS};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    let mut wrong = Vec::new();
    for row in WORKAROUNDS {
        let name = format!("{:?}", row.wa);
        for (side, names) in &sides {
            match row.handling {
                Handling::Handled if !names.contains(&name) => {
                    wrong.push(format!("{side} {name} is missing"));
                }
                Handling::NotNeeded(_) | Handling::Accepted(_) if names.contains(&name) => {
                    wrong.push(format!(
                        "{side} queries {name}, which nothing is done about"
                    ));
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
