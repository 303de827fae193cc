//! The lexer: splits text into tokens, each with its line.

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What was expected and what was found.
    pub message: String,
}

/// Largest number of an id in text.
pub(crate) const MAX_ID: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tok {
    /// Letters, digits, `_`, `.`, `+`, `-`.
    Word(String),
    /// `%` and a number.
    Def(u64),
    Str(String),
    /// Any other character.
    Punct(char),
}

pub(crate) struct Lexed {
    pub(crate) toks: Vec<(Tok, usize)>,
}

pub(crate) fn lex(text: &str) -> Result<Lexed, ParseError> {
    let mut toks = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let n = n + 1;
        let mut chars = line.chars().peekable();
        while let Some(&c) = chars.peek() {
            let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
            let tok = match c {
                ';' => break,
                c if c.is_whitespace() => {
                    chars.next();
                    continue;
                }
                '"' => {
                    chars.next();
                    let mut s = String::new();
                    loop {
                        match chars.next() {
                            Some('"') => break,
                            Some('\\') => match chars.next() {
                                Some('n') => s.push('\n'),
                                Some(c) => s.push(c),
                                None => {}
                            },
                            Some(c) => s.push(c),
                            None => {
                                return Err(ParseError {
                                    line: n,
                                    message: "unterminated string".into(),
                                });
                            }
                        }
                    }
                    Tok::Str(s)
                }
                '%' => {
                    chars.next();
                    let mut digits = String::new();
                    while let Some(c) = chars.next_if(char::is_ascii_digit) {
                        digits.push(c);
                    }
                    match digits.parse() {
                        Ok(v) if v < MAX_ID => Tok::Def(v),
                        _ => {
                            return Err(ParseError {
                                line: n,
                                message: format!("'%{digits}' is not a value id"),
                            });
                        }
                    }
                }
                c if word(c) => {
                    let mut s = String::new();
                    while let Some(c) = chars.next_if(|c| word(*c)) {
                        s.push(c);
                    }
                    Tok::Word(s)
                }
                c => {
                    chars.next();
                    Tok::Punct(c)
                }
            };
            toks.push((tok, n));
        }
    }
    Ok(Lexed { toks })
}
