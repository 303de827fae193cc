//! A cursor over a line of assembly text.

/// A syntax error within a line.
#[derive(Debug)]
pub struct SyntaxError {
    /// Column in bytes, from 1.
    pub column: usize,
    pub message: String,
}

/// Reads a line from left to right.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, offset: 0 }
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or("")
    }

    pub fn fail<T>(&self, message: impl Into<String>) -> Result<T, SyntaxError> {
        Err(SyntaxError {
            column: self.offset + 1,
            message: message.into(),
        })
    }

    pub fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.offset += rest.len() - rest.trim_start().len();
    }

    pub fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    /// The next character. Skips nothing.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes `token` if it comes next, and returns whether it did. Skips nothing.
    pub fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.offset += token.len();
        }
        found
    }

    /// Consumes `token`; an error if it does not come next.
    pub fn expect(&mut self, token: &str) -> Result<(), SyntaxError> {
        if self.eat(token) {
            Ok(())
        } else {
            self.fail(format!("expected `{token}`"))
        }
    }

    /// Consumes the longest run of characters that satisfy `matches`, which may be empty.
    pub fn take_while(&mut self, matches: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !matches(c)).unwrap_or(rest.len());
        self.offset += len;
        rest.get(..len).unwrap_or("")
    }

    /// Consumes letters, digits and underscores.
    pub fn word(&mut self) -> &'a str {
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// Consumes a decimal number of at most `max`; `what` names it in the error message.
    pub fn number(&mut self, what: &str, max: u32) -> Result<u32, SyntaxError> {
        let start = self.clone();
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(n) if n <= max => Ok(n),
            _ => start.fail(format!("expected {what}, at most {max}")),
        }
    }

    /// Consumes a signed integer, decimal or hexadecimal.
    pub fn integer(&mut self) -> Result<i128, SyntaxError> {
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
