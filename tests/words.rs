//! Holds the code to the project's way of writing: words that no identifier uses, the width of
//! comments, the length of functions.
//!
//! In:  every Rust file of `src`, `samples` and `tests`. Out: a list of places that break a rule.
//! Ref: docs/glossary.md has the terms to use instead.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Words that no declared name contains, with the term to use instead.
const BANNED: &[(&str, &str)] = &[
    ("say", "emit, report"),
    ("says", "emits, reports"),
    ("said", "emitted, dirty state"),
    ("tell", "report, print"),
    ("told", "reported, known"),
    ("picture", "image, surface, render target"),
    ("pictures", "images"),
    ("several", "multisampled, multiple"),
    ("kept", "retained, cached; fast-cleared"),
    ("letter", "send operands, message; a character is `c`"),
    ("answer", "response, return payload, result"),
    ("answers", "responses, results"),
    ("nobody", "none, unused"),
    ("somebody", "any"),
    ("whoever", "caller, reader, writer"),
    ("who", "caller, owner, user"),
    ("leftovers", "uninitialised registers"),
    ("launcher", "driver"),
    ("shelf", "object pool, free list"),
    ("wish", "request, options"),
    ("most", "max"),
    ("least", "min"),
    ("hear", "observe, receive"),
    ("heard", "observed, received"),
    ("settled", "resolved, final, known"),
    ("apart", "separate, difference"),
    ("beside", "adjacent, next"),
];

/// Names that say nothing on their own: a function's name states what it does to what.
const BARE: &[&str] = &["of", "one", "at", "place", "put", "take", "part"];

/// Columns of a line of comment, as of code.
const MAX_COLUMNS: usize = 100;

/// Lines of a function, tables of cases included.
const MAX_FUNCTION_LINES: usize = 150;

struct File {
    name: String,
    text: String,
}

fn files(folders: &[&str]) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pending: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable").flatten() {
            let path = entry.path();
            // Build folders have this file; `src` has other folders named `target`.
            if path.is_dir() && !path.join("CACHEDIR.TAG").exists() {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(&root).expect("below the root");
                files.push(File {
                    name: name.display().to_string(),
                    text: std::fs::read_to_string(&path).expect("readable"),
                });
            }
        }
    }
    assert!(files.len() > 100, "files were not found");
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// The code of a line: without a comment that ends it, and without the text of literals.
fn code(line: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if quoted => {
                characters.next();
            }
            '"' => quoted = !quoted,
            '/' if !quoted && characters.peek() == Some(&'/') => break,
            _ if quoted => {}
            _ => out.push(c),
        }
    }
    out
}

fn words(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_word(c))
        .filter(|w| !w.is_empty())
        .collect()
}

/// The parts of a name: `fooBar`, `FooBar`, `foo_bar` and `FOO_BAR` are all foo and bar.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && before.is_lowercase() {
            parts.push(String::new());
        }
        if c != '_' {
            parts.last_mut().expect("one").extend(c.to_lowercase());
        }
        before = c;
    }
    parts
}

/// Names that a line declares: items, bindings, fields and variants.
fn declared(line: &str) -> Vec<&str> {
    const KEYWORDS: &[&str] = &[
        "fn",
        "struct",
        "enum",
        "trait",
        "type",
        "mod",
        "const",
        "static",
        "let",
        "mut",
        "for",
        "union",
        "macro_rules",
    ];
    let words = words(line);
    let after = |pair: &[&'_ str]| KEYWORDS.contains(&pair[0]);
    let mut names: Vec<&str> = words
        .windows(2)
        .filter(|pair| after(pair))
        .map(|pair| pair[1])
        .collect();
    // A field or parameter: `name: Type`, not a path `name::`.
    for (at, _) in line.match_indices(':') {
        let is_path = line[at + 1..].starts_with(':') || line[..at].ends_with(':');
        if let (false, Some(name)) = (is_path, self::words(&line[..at]).last()) {
            let touches = line[..at].ends_with(name);
            names.extend(touches.then_some(*name));
        }
    }
    // A variant stands alone at the beginning of its line, as does a pattern.
    let first = words
        .first()
        .filter(|name| name.starts_with(char::is_uppercase));
    names.extend(first);
    names
}

/// Names of a file that use a banned word or say nothing, with the reason.
fn private_names(file: &File) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for line in file.text.lines() {
        let code = code(line);
        for name in declared(&code) {
            for part in parts(name) {
                if let Some((word, instead)) = BANNED.iter().find(|row| row.0 == part) {
                    let reason = format!("instead of \"{word}\": {instead}");
                    found.insert((name.to_owned(), reason));
                }
            }
        }
        for pair in words(&code).windows(2) {
            if pair[0] == "fn" && BARE.contains(&pair[1]) {
                found.insert((pair[1].to_owned(), "does what to what?".to_owned()));
            }
        }
    }
    for part in Path::new(&file.name)
        .iter()
        .filter_map(|part| part.to_str())
    {
        let stem = part.strip_suffix(".rs").unwrap_or(part);
        for word in parts(stem) {
            if BANNED.iter().any(|row| row.0 == word) {
                found.insert((stem.to_owned(), "a file or folder".to_owned()));
            }
        }
    }
    found
}

#[test]
fn names_use_the_terms_of_the_field() {
    let mut found = BTreeSet::new();
    for file in files(&["src"]) {
        for (name, reason) in private_names(&file) {
            found.insert(format!("{} {name}: {reason}", file.name));
        }
    }
    assert!(found.is_empty(), "{}", list(&found));
}

#[test]
fn comments_fit_the_width_of_code() {
    let mut found = BTreeSet::new();
    for File { name, text } in files(&["src", "samples", "tests"]) {
        for (number, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            if line.trim_start().starts_with("//") && columns > MAX_COLUMNS {
                found.insert(format!("{name}:{}: {columns} columns", number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", list(&found));
}

/// Lines from a function's name to its closing brace, which rustfmt indents like the function.
fn function_lines(lines: &[&str], start: usize) -> usize {
    let indent = lines[start].len() - lines[start].trim_start().len();
    let mut end = start;
    while let Some(line) = lines.get(end) {
        let at_indent = line.len() - line.trim_start().len() == indent;
        let ends_here = at_indent && end > start && line.trim_start().starts_with('}');
        let one_line = line.ends_with('}') && end == start;
        let declaration = line.ends_with(';') && at_indent;
        if ends_here || one_line || declaration {
            break;
        }
        end += 1;
    }
    end - start + 1
}

#[test]
fn functions_are_short() {
    let mut found = BTreeSet::new();
    for File { name, text } in files(&["src", "samples", "tests"]) {
        let lines: Vec<&str> = text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let code = code(line);
            let words = words(&code);
            let at = words.iter().position(|word| *word == "fn");
            let Some(function) = at.and_then(|at| words.get(at + 1)) else {
                continue;
            };
            // Lines of shaders in raw strings have words like `fn`, too.
            let is_function = [format!("fn {function}("), format!("fn {function}<")];
            let count = function_lines(&lines, start);
            if is_function.iter().any(|f| code.contains(f)) && count > MAX_FUNCTION_LINES {
                found.insert(format!("{name}:{}: {function}: {count} lines", start + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", list(&found));
}

fn list(found: &BTreeSet<String>) -> String {
    let lines: Vec<&str> = found.iter().map(String::as_str).collect();
    format!("{} places:\n{}", lines.len(), lines.join("\n"))
}
