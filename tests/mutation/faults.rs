//! The deliberate faults that `run.py` puts into the simulator can be put in: each finds its line.
//! The tests that the README names are there. So can those that `compiler/` puts into the compiler.
//!
//! In:  `faults.txt`, `compiler/faults.txt`, `README.md`, sources of simulator and compiler.
//! Out: the entries that no longer fit.

#[path = "compiler/list.rs"]
#[allow(dead_code, reason = "drawing and writing are the program's")]
mod list;
#[path = "compiler/operators.rs"]
mod operators;
#[path = "compiler/sites.rs"]
mod sites;

use std::path::{Path, PathBuf};

#[test]
fn each_fault_matches_one_source_line() {
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

#[test]
fn tests_named_in_the_readme_exist() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/sim/gpu");
    let mut sources = String::new();
    let mut folders: Vec<PathBuf> = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                sources += &std::fs::read_to_string(path).expect("a text");
            }
        }
    }
    let (simulator, compiler) = include_str!("README.md")
        .split_once("# Faults in the compiler")
        .expect("two parts");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for path in compiler.split('`').skip(1).step_by(2) {
        let is_file = path.ends_with(".rs") || path.contains('/') && path.contains('.');
        let known = [root.join(path), root.join("tests/mutation").join(path)];
        assert!(!is_file || known.iter().any(|p| p.exists()), "no {path}");
    }
    let rows = simulator
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let mut named = 0;
    for row in rows.skip(1) {
        let names = row.split('`').skip(1).step_by(2);
        let tests: Vec<&str> = names.filter(|name| !name.contains('.')).collect();
        assert!(!tests.is_empty(), "nobody notices: {row}");
        for name in tests {
            let declared = format!("#[test]\nfn {name}()");
            let inner = format!("#[test]\n    fn {name}()");
            let there = sources.contains(&declared) || sources.contains(&inner);
            assert!(there, "there is no test {name}");
            named += 1;
        }
    }
    assert!(named > 20, "only {named} tests are named");
}

#[test]
fn each_compiler_fault_has_its_site() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/compiler");
    let sources = list::sources(&root);
    let list = list::parse(include_str!("compiler/faults.txt"));
    let (_, faults) = list.expect("blocks of four lines behind a seed");
    assert_eq!(faults.len(), list::FAULTS);
    let lost: Vec<String> = faults
        .iter()
        .filter(|fault| list::find(&sources, fault).is_none())
        .map(|f| format!("{} {}: {}", f.file, f.function, f.original))
        .collect();
    let advice = "cargo run -p ingot-tests --example mutate-compiler -- redraw";
    assert!(lost.is_empty(), "{advice}\n{}", lost.join("\n"));
}

#[test]
fn switches_enclose_their_sites() {
    let text = "fn f(a: u32) -> bool {\n    if a < 3 { return true; }\n    g(a);\n    a == 1\n}\n";
    let sites = sites::sites(text).expect("Rust");
    let mutated = |operator: &str| {
        let site = sites.iter().find(|s| s.operator == operator);
        sites::insert(text, &[(7, site.expect(operator))])
    };
    let switch = "crate::__fault(7)";
    let expected = [
        (
            "< to <=",
            "a < 3 {",
            format!("(if {switch} {{ (a) <= (3) }} else {{ a < 3 }}) {{"),
        ),
        (
            "condition false",
            "a < 3 {",
            format!("(if {switch} {{ false }} else {{ a < 3 }}) {{"),
        ),
        (
            "exit dropped",
            "return true;",
            format!("if !{switch} {{ return true; }}"),
        ),
        ("call dropped", "g(a);", format!("if !{switch} {{ g(a); }}")),
        (
            "body",
            "bool {",
            format!("bool {{ if {switch} {{ return true; }}"),
        ),
    ];
    for (operator, from, to) in expected {
        assert_eq!(mutated(operator), text.replacen(from, &to, 1), "{operator}");
    }
    // Nested: the outer switch encloses the inner one.
    let named = |o: &str| sites.iter().find(|s| s.operator == o).expect("a site");
    let both = [(1, named("condition negated")), (2, named("literal + 1"))];
    let inner = "(if crate::__fault(2) { 4 } else { 3 })";
    let outer = format!("(if crate::__fault(1) {{ !(a < 3) }} else {{ a < {inner} }}) {{");
    assert_eq!(
        sites::insert(text, &both),
        text.replacen("a < 3 {", &outer, 1)
    );
}
