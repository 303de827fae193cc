//! Runs the text cases of tests/opt.

use crate::{COMPUTE_GEN9, Runner, Step};
use nir::{Shader, parse};
use std::path::Path;

/// Every case below `tests/opt`, in order of name: (path, text).
fn cases() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/opt");
    let mut out = Vec::new();
    let mut dirs = vec![root];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|e| e == "nir") {
                let text = std::fs::read_to_string(&path).unwrap();
                out.push((path.display().to_string(), text));
            }
        }
    }
    out.sort();
    assert!(!out.is_empty());
    out
}

/// The pass of this name, wherever it stands in the pipeline.
fn steps_of(name: &str) -> Vec<Step> {
    if name == "pipeline" {
        return COMPUTE_GEN9.to_vec();
    }
    let all = COMPUTE_GEN9.iter().flat_map(|s| match s {
        Step::Once(p) => vec![*p],
        Step::UntilStable(p) => p.to_vec(),
    });
    let mut found: Vec<Step> = all.filter(|p| p.name == name).map(Step::Once).collect();
    found.truncate(1);
    assert!(!found.is_empty(), "no pass {name}");
    found
}

fn check(name: &str, text: &str, shader: &Shader) {
    let out = shader.to_string();
    let mut rest = out.as_str();
    for line in text.lines() {
        if let Some(want) = line.strip_prefix("; check: ") {
            match rest.find(want) {
                Some(at) => rest = &rest[at + want.len()..],
                None => panic!("{name}: no '{want}' in order in\n{out}"),
            }
        } else if let Some(unwanted) = line.strip_prefix("; not: ") {
            assert!(!out.contains(unwanted), "{name}: '{unwanted}' in\n{out}");
        }
    }
}

#[test]
fn text_cases() {
    for (name, text) in cases() {
        let start = text.find("shader ").unwrap();
        let mut shader = parse(&text[start..]).unwrap_or_else(|e| panic!("{name}: {e}"));
        nir::validate(&shader).unwrap_or_else(|e| panic!("{name}: input: {e}"));
        let head = text.lines().next().unwrap();
        let passes: Vec<Step> = head
            .strip_prefix("test ")
            .unwrap()
            .split_whitespace()
            .flat_map(steps_of)
            .collect();
        let mut runner = Runner {
            validate: true,
            ..Runner::default()
        };
        runner
            .run(&mut shader, &passes)
            .unwrap_or_else(|e| panic!("{name}: {e}\n{shader}"));
        check(&name, &text, &shader);
        if std::env::var_os("SHOW").is_some() {
            println!("{name}\n{shader}");
        }
    }
}
