//! Physical lines to logical lines: continuations and token replacement.

/// An error in a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ScriptError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl ScriptError {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> ScriptError {
        ScriptError {
            line,
            message: message.into(),
        }
    }
}

/// `-D TOKEN=TEXT`: replaces TOKEN in a script by TEXT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text to find.
    pub token: String,
    /// Its replacement.
    pub text: String,
}

/// A line after joining and replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number of its first physical line, from 1.
    pub number: usize,
    /// The text, without line end.
    pub text: String,
}

/// Limit of substitutions in a line, to detect endless recursion.
const MAX_REPLACEMENTS: usize = 1000;

/// Splits a script into logical lines.
pub fn lines(text: &str, replacements: &[Replacement]) -> Result<Vec<Line>, ScriptError> {
    let mut out = Vec::new();
    let mut joined: Option<Line> = None;
    for (index, physical) in text.lines().enumerate() {
        let mut line = joined.take().unwrap_or(Line {
            number: index + 1,
            text: String::new(),
        });
        if let Some(start) = physical.strip_suffix('\\') {
            line.text.push_str(start);
            joined = Some(line);
            continue;
        }
        line.text.push_str(physical);
        out.push(replace(line, replacements)?);
    }
    if let Some(line) = joined {
        out.push(replace(line, replacements)?);
    }
    Ok(out)
}

/// Substitutes from left to right; a replacement is scanned again, so it may contain tokens.
fn replace(mut line: Line, replacements: &[Replacement]) -> Result<Line, ScriptError> {
    if replacements.is_empty() {
        return Ok(line);
    }
    let mut at = 0;
    let mut count = 0;
    while at < line.text.len() {
        let rest = &line.text[at..];
        let found = replacements
            .iter()
            .find(|r| !r.token.is_empty() && rest.starts_with(&r.token));
        if let Some(r) = found {
            count += 1;
            if count > MAX_REPLACEMENTS {
                return Err(ScriptError::new(
                    line.number,
                    "The token replacements cause an infinite loop",
                ));
            }
            line.text.replace_range(at..at + r.token.len(), &r.text);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(token: &str, text: &str) -> Replacement {
        Replacement {
            token: token.into(),
            text: text.into(),
        }
    }

    #[test]
    fn a_backslash_joins_lines_and_keeps_the_first_number() {
        let got = lines("a\nb\\\nc\nd", &[]).unwrap();
        let got: Vec<_> = got.iter().map(|l| (l.number, l.text.as_str())).collect();
        assert_eq!(got, [(1, "a"), (2, "bc"), (4, "d")]);
    }

    #[test]
    fn replacements_may_contain_tokens() {
        let got = lines("xAy", &[token("A", "B1"), token("B", "C")]).unwrap();
        assert_eq!(got[0].text, "xC1y");
    }

    #[test]
    fn endless_replacement_is_an_error() {
        let error = lines("ok\nA", &[token("A", "AA")]).unwrap_err();
        assert_eq!(error.line, 2);
    }
}
