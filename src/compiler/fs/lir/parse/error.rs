//! The errors of the parser.

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub(crate) struct ParseError {
    /// Number of the line, from 1 on.
    pub line: usize,
    /// What was expected, and what was found.
    pub what: String,
}

/// A result, without the number of the line.
pub(super) type Result<T> = std::result::Result<T, String>;
