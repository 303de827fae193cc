//! The deliberate faults that `run.py` puts into the simulator can be put in: each finds its line.
//!
//! In:  `faults.txt`, the simulator's sources. Out: the entries that no longer fit.

use std::path::Path;

#[test]
fn each_fault_finds_its_line_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let table = include_str!("faults.txt");
    let (mut wrong, mut names) = (Vec::new(), Vec::new());
    for block in table.split("\n\n") {
        let lines: Vec<&str> = block
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        let [name, file, old, new] = lines[..] else {
            assert!(lines.is_empty(), "no entry of four lines: {lines:?}");
            continue;
        };
        let parts = (old.strip_prefix("- "), new.strip_prefix("+ "));
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        let found = parts.0.map_or(0, |old| text.matches(old).count());
        if found != 1 || parts.1.is_none() || parts.0 == parts.1 || names.contains(&name) {
            wrong.push(format!("{name}: {found} times in {file}: {old}"));
        }
        names.push(name);
    }
    assert!(names.len() > 100, "only {} faults", names.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
