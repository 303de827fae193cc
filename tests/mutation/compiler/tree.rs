//! Writes the copy of the workspace that holds all faults at once, each behind a switch.
//!
//! In:  this checkout and the faults. Out: a tree below `target/mutation`. A fault is on where
//! the environment variable INGOT_FAULT is its number (from 1); with INGOT_FAULT_LOG, the number
//! of each switch that is reached is appended to the file of that name.

use super::list::{self, CRATES, Fault, Sources};
use super::sites::{self, Site};
use std::path::Path;
use std::process::Command;

/// What each of the four crates gets: the switch.
const SWITCH: &str = r#"
#[doc(hidden)]
pub fn __fault(number: u32) -> bool {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
    static ACTIVE: AtomicU32 = AtomicU32::new(u32::MAX);
    static LOGS: AtomicBool = AtomicBool::new(false);
    static REACHED: [AtomicBool; 1024] = [const { AtomicBool::new(false) }; 1024];
    let mut active = ACTIVE.load(Relaxed);
    if active == u32::MAX {
        LOGS.store(std::env::var_os("INGOT_FAULT_LOG").is_some(), Relaxed);
        active = std::env::var("INGOT_FAULT").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
        ACTIVE.store(active, Relaxed);
    }
    if LOGS.load(Relaxed) && !REACHED[number as usize % 1024].swap(true, Relaxed) {
        use std::io::Write;
        if let Some(path) = std::env::var_os("INGOT_FAULT_LOG") {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let _ = file.and_then(|mut file| file.write_all(format!("{number}\n").as_bytes()));
        }
    }
    active == number
}
"#;

/// Writes the tree. Files that do not change retain their times, so that cargo builds less.
pub fn write(root: &Path, tree: &Path, sources: &Sources, faults: &[(usize, Fault)]) {
    std::fs::create_dir_all(tree).expect("a folder below target");
    let files = Command::new("git")
        .args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
        ])
        .current_dir(root)
        .output()
        .expect("git lists the files");
    for name in String::from_utf8_lossy(&files.stdout).split('\0') {
        let (from, to) = (root.join(name), tree.join(name));
        if name.is_empty() || !from.is_file() {
            continue;
        }
        let text = mutated(name, &from, sources, faults);
        let bytes = text.unwrap_or_else(|| std::fs::read(&from).expect("readable"));
        if std::fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        std::fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        std::fs::copy(&from, &to).expect("a copy");
        if std::fs::read(&from).is_ok_and(|old| old == bytes) {
            let time = from.metadata().and_then(|m| m.modified()).expect("a time");
            let file = std::fs::File::options().write(true).open(&to);
            file.and_then(|file| file.set_modified(time))
                .expect("the time is set");
        } else {
            std::fs::write(&to, &bytes).expect("written");
        }
    }
}

/// A file's text with its switches; nothing for a file without any.
fn mutated(
    name: &str,
    path: &Path,
    sources: &Sources,
    faults: &[(usize, Fault)],
) -> Option<Vec<u8>> {
    let relative = name.strip_prefix("src/compiler/")?;
    let text = std::fs::read_to_string(path).ok()?;
    if CRATES.iter().any(|c| relative == format!("{c}/lib.rs")) {
        // The attributes of a crate stand behind its documentation.
        let start = text.find("\nmod ").or(text.find("\npub mod "))?;
        let (head, rest) = text.split_at(start);
        return Some(format!("{head}\n#![allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]\n{SWITCH}{rest}").into());
    }
    let mine = faults.iter().filter(|(_, fault)| fault.file == relative);
    let sites: Vec<(usize, &Site)> = mine
        .map(|(n, fault)| (*n, list::find(sources, fault).expect("its site is there")))
        .collect();
    (!sites.is_empty()).then(|| sites::insert(&text, &sites).into_bytes())
}
