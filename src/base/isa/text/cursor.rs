//! A place in a line of text.

/// What was wrong, and at which column (from 1).
#[derive(Debug)]
pub struct Fault {
    pub column: usize,
    pub what: String,
}

/// Reads one line from left to right.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0 }
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub fn fail<T>(&self, what: impl Into<String>) -> Result<T, Fault> {
        Err(Fault {
            column: self.at + 1,
            what: what.into(),
        })
    }

    pub fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    pub fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    /// The next character, nothing skipped.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes `token` if it comes next, nothing skipped.
    pub fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Takes `token` or fails.
    pub fn expect(&mut self, token: &str) -> Result<(), Fault> {
        if self.eat(token) {
            Ok(())
        } else {
            self.fail(format!("expected `{token}`"))
        }
    }

    /// The longest run of characters that `take` wants; perhaps empty.
    pub fn run(&mut self, take: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !take(c)).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or("")
    }

    /// Letters, digits and underscores.
    pub fn word(&mut self) -> &'a str {
        self.run(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// A decimal number in range.
    pub fn number(&mut self, what: &str, max: u32) -> Result<u32, Fault> {
        let start = self.clone();
        let digits = self.run(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(n) if n <= max => Ok(n),
            _ => start.fail(format!("expected {what}, at most {max}")),
        }
    }

    /// A signed integer, decimal or hexadecimal.
    pub fn integer(&mut self) -> Result<i128, Fault> {
        let start = self.clone();
        let negative = self.eat("-");
        let word = self.word();
        let parsed = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => word.parse(),
        };
        match parsed {
            Ok(n) if word.starts_with(|c: char| c.is_ascii_digit()) => {
                Ok(if negative { -n } else { n })
            }
            _ => start.fail("expected a number"),
        }
    }
}
