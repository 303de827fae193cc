//! A position in a line of LIR text, and the words and numbers at it.

use super::error::Result;
use isa::names::by_name;
use std::num::IntErrorKind;
use std::str::FromStr;

/// The rest of a line. Methods that take a token skip the blanks behind it.
pub(super) struct Cursor<'a> {
    rest: &'a str,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'a> Cursor<'a> {
    pub fn new(line: &'a str) -> Cursor<'a> {
        Cursor {
            rest: line.trim_start(),
        }
    }

    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn is_at(&self, token: &str) -> bool {
        self.rest.starts_with(token)
    }

    /// True if the line declares VGRFs.
    pub fn is_declaration(&self) -> bool {
        let Some(number) = self.rest.strip_prefix('v') else {
            return false;
        };
        let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() < number.len() && behind.starts_with(':')
    }

    /// The error that something else was expected here.
    pub fn expected<T>(&self, what: &str) -> Result<T> {
        let found: String = self.rest.chars().take(20).collect();
        match found.is_empty() {
            true => Err(format!("expected {what}, found the end of the line")),
            false => Err(format!("expected {what}, found '{found}'")),
        }
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(bytes);
        self.rest = rest.trim_start();
        token
    }

    /// Takes this token if it is next.
    pub fn eat(&mut self, token: &str) -> bool {
        let found = self.is_at(token);
        if found {
            self.advance(token.len());
        }
        found
    }

    pub fn expect(&mut self, token: &str) -> Result<()> {
        match self.eat(token) {
            true => Ok(()),
            false => self.expected(&format!("'{token}'")),
        }
    }

    fn length(&self, within: impl Fn(char) -> bool) -> usize {
        self.rest.find(|c| !within(c)).unwrap_or(self.rest.len())
    }

    /// The next word; empty if there is none.
    pub fn peek_word(&self) -> &'a str {
        &self.rest[..self.length(is_word)]
    }

    pub fn word(&mut self) -> &'a str {
        self.advance(self.length(is_word))
    }

    /// A word that may have dots in it.
    pub fn dotted_word(&mut self) -> &'a str {
        self.advance(self.length(|c| is_word(c) || c == '.'))
    }

    /// The letters before a character.
    pub fn letters_before(&mut self, end: char) -> &'a str {
        self.advance(self.length(|c| c.is_ascii_lowercase() && c != end))
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.advance(word.len());
        }
        found
    }

    /// The value of the next word in a table.
    pub fn value<T: Copy>(&mut self, words: &[(T, &str)], what: &str) -> Result<T> {
        let word = self.peek_word();
        match by_name(words, word).filter(|_| !word.is_empty()) {
            Some(value) => {
                self.word();
                Ok(value)
            }
            None => self.expected(what),
        }
    }

    /// A decimal number.
    pub fn number<T: FromStr<Err = std::num::ParseIntError>>(&mut self) -> Result<T> {
        let digits = &self.rest[..self.length(|c| c.is_ascii_digit())];
        match digits.parse() {
            Ok(number) => {
                self.advance(digits.len());
                Ok(number)
            }
            Err(e) if *e.kind() == IntErrorKind::PosOverflow => {
                Err(format!("expected a smaller number, found '{digits}'"))
            }
            Err(_) => self.expected("a number"),
        }
    }

    /// A hexadecimal number.
    pub fn bits<T: TryFrom<u64>>(&mut self) -> Result<T> {
        let digits = self.peek_word().strip_prefix("0x");
        let number = digits.and_then(|d| u64::from_str_radix(d, 16).ok());
        match number.and_then(|n| T::try_from(n).ok()) {
            Some(number) => {
                self.word();
                Ok(number)
            }
            None => self.expected("a hexadecimal number"),
        }
    }

    /// Skips the number of an instruction.
    pub fn skip_number(&mut self) {
        self.advance(self.length(|c| c.is_ascii_digit()));
    }

    /// An error unless this is the end of the line.
    pub fn end(&self) -> Result<()> {
        match self.is_at_end() {
            true => Ok(()),
            false => self.expected("the end of the line"),
        }
    }
}
