//! Runs the text cases of tests/nir.

use crate::builder::Builder;
use crate::ir::{Access, Shader, Stage};
use crate::parse::parse;
use crate::validate::validate;
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

/// The lines without indentation, which is free.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).collect()
}

#[test]
fn print_after_parse_gives_the_same_text() {
    for (name, text) in cases("print") {
        let shader = parse(body(&text)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let first = shader.to_string();
        assert_eq!(lines(&first), lines(body(&text)), "{name}");
        let again = parse(&first).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again.to_string(), first, "{name}");
    }
}

#[test]
fn validator_reports_the_expected_error() {
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
fn corrupted_text_never_panics() {
    for (_, text) in cases("print") {
        parse_corrupted_text(body(&text));
    }
}

fn parse_corrupted_text(text: &str) {
    for end in (0..text.len()).filter(|i| text.is_char_boundary(*i)) {
        if let Ok(shader) = parse(&text[..end]) {
            let _ = validate(&shader);
        }
    }
    // Swap words and numbers: the validator must not panic on any shader that still parses.
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

#[test]
fn access_qualifiers_have_one_bit_each() {
    for bit in 0..8 {
        let access = Access::from_bits(1 << bit);
        assert_ne!(access, Access::default(), "bit {bit}");
        assert_eq!(access.bits(), 1 << bit, "{access:?}");
    }
    assert_eq!(Access::from_bits(1 << 8), Access::default());
}

/// A pointer that is no deref has no qualifiers that a store could inherit.
#[test]
fn store_through_another_pointer_has_no_access_qualifiers() {
    let mut shader = Shader::new(Stage::Compute, "main");
    let mut b = Builder::at_end(&mut shader);
    let pointer = b.imm_u32(0);
    b.store_deref(pointer, pointer);
    let text = shader.to_string();
    assert!(text.contains("{write_mask=1 access=0}"), "{text}");
}
