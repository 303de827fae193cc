//! Runs the text cases of tests/nir.

use crate::{parse, validate};
use std::path::Path;

/// Every case below `tests/nir/<folder>`, in order of name.
fn cases(folder: &str) -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/nir")
        .join(folder);
    let mut out: Vec<(String, String)> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "nir"))
        .map(|p| {
            (
                p.display().to_string(),
                std::fs::read_to_string(&p).unwrap(),
            )
        })
        .collect();
    out.sort();
    assert!(!out.is_empty(), "no cases in {}", dir.display());
    out
}

fn body(text: &str) -> &str {
    &text[text.find("shader ").unwrap()..]
}

/// Without indentation: labels and braces may stand where a writer likes.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).collect()
}

#[test]
fn printing_gives_back_what_was_read() {
    for (name, text) in cases("print") {
        let shader = parse(body(&text)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let first = shader.to_string();
        assert_eq!(lines(&first), lines(body(&text)), "{name}");
        let again = parse(&first).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again.to_string(), first, "{name}");
    }
}

#[test]
fn the_validator_finds_what_is_wrong() {
    for (name, text) in cases("validate") {
        let shader = parse(body(&text)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = validate(&shader).err().map(|e| e.to_string());
        let wanted = text.lines().find_map(|l| l.strip_prefix("; error: "));
        match (&found, wanted) {
            (None, None) => {}
            (Some(f), Some(w)) if f.contains(w) => {}
            _ => panic!("{name}: found {found:?}, wanted {wanted:?}"),
        }
    }
}

#[test]
fn broken_text_is_an_error_and_never_a_panic() {
    for (_, text) in cases("print") {
        break_text(body(&text));
    }
}

fn break_text(text: &str) {
    for end in (0..text.len()).filter(|i| text.is_char_boundary(*i)) {
        if let Ok(shader) = parse(&text[..end]) {
            let _ = validate(&shader);
        }
    }
    // Words and numbers swapped about: whatever still parses must not make the validator fall over.
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let mut seed = 7u64;
    for _ in 0..3000 {
        let mut w = words.clone();
        for _ in 0..3 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1442695040888963407);
            let (a, b) = (
                (seed >> 33) as usize % w.len(),
                (seed >> 12) as usize % w.len(),
            );
            w.swap(a, b);
        }
        if let Ok(shader) = parse(&w.concat()) {
            let _ = validate(&shader);
            let _ = shader.to_string();
        }
    }
}
