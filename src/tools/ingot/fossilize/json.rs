//! JSON, as far as Fossilize writes it: all of RFC 8259.
//!
//! In:  bytes. Out: a value, in memory in proportion to the text.

/// Objects and arrays that contain each other, at most.
const MAX_DEPTH: u32 = 64;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    /// Members in order.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The member of an object with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members().find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    /// The members of an object; none of another value.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        let members: &[_] = match self {
            Value::Object(members) => members,
            _ => &[],
        };
        members.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The elements of a list; none of another value.
    pub fn elements(&self) -> &[Value] {
        match self {
            Value::List(elements) => elements,
            _ => &[],
        }
    }

    /// A whole number that is not negative.
    pub fn integer(&self) -> Option<u64> {
        match self {
            // Exact up to 2^53, which no size or flag exceeds.
            Value::Number(n) if *n >= 0.0 && n.fract() == 0.0 && *n < 9e15 => Some(*n as u64),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Parses a text.
///
/// # Errors
/// The byte at which the text is wrong, and what was expected there.
pub fn parse(text: &[u8]) -> Result<Value, (usize, &'static str)> {
    let mut parser = Parser { text, position: 0 };
    let value = parser.value(0)?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err((parser.position, "the end")),
    }
}

struct Parser<'t> {
    text: &'t [u8],
    position: usize,
}

type Parsed<T> = Result<T, (usize, &'static str)>;

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn expected<T>(&self, what: &'static str) -> Parsed<T> {
        Err((self.position, what))
    }

    /// Skips this byte if it comes next, spaces before it included.
    fn skip(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_next = self.peek() == Some(byte);
        self.position += usize::from(is_next);
        is_next
    }

    /// The depth is limited, so that the recursion is.
    fn value(&mut self, depth: u32) -> Parsed<Value> {
        if depth > MAX_DEPTH {
            return self.expected("fewer nested values");
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Value::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let rest = self.text.get(self.position..).unwrap_or_default();
                for (word, value) in [
                    ("null", Value::Null),
                    ("true", Value::Bool(true)),
                    ("false", Value::Bool(false)),
                ] {
                    if rest.starts_with(word.as_bytes()) {
                        self.position += word.len();
                        return Ok(value);
                    }
                }
                self.expected("a value")
            }
        }
    }

    fn object(&mut self, depth: u32) -> Parsed<Value> {
        self.position += 1;
        let mut members = Vec::new();
        if self.skip(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return self.expected("a member's name");
            }
            let name = self.string()?;
            if !self.skip(b':') {
                return self.expected("a colon");
            }
            members.push((name, self.value(depth + 1)?));
            if self.skip(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.skip(b',') {
                return self.expected("a comma or brace");
            }
        }
    }

    fn list(&mut self, depth: u32) -> Parsed<Value> {
        self.position += 1;
        let mut elements = Vec::new();
        if self.skip(b']') {
            return Ok(Value::List(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if self.skip(b']') {
                return Ok(Value::List(elements));
            }
            if !self.skip(b',') {
                return self.expected("a comma or bracket");
            }
        }
    }

    fn number(&mut self) -> Parsed<Value> {
        let start = self.position;
        while matches!(
            self.peek(),
            Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
        ) {
            self.position += 1;
        }
        let digits = self.text.get(start..self.position).unwrap_or_default();
        let number = std::str::from_utf8(digits)
            .ok()
            .and_then(|d| d.parse().ok());
        number.map(Value::Number).ok_or((start, "a number"))
    }

    fn string(&mut self) -> Parsed<String> {
        let start = self.position;
        self.position += 1;
        let mut bytes = Vec::new();
        loop {
            let Some(byte) = self.peek() else {
                return self.expected("a quotation mark");
            };
            self.position += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let character = self.escape()?;
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                0..0x20 => return Err((self.position - 1, "no control character")),
                _ => bytes.push(byte),
            }
        }
        String::from_utf8(bytes).map_err(|_| (start, "UTF-8"))
    }

    /// The character of an escape sequence, from the byte behind the backslash on.
    fn escape(&mut self) -> Parsed<char> {
        let start = self.position;
        let byte = self.peek();
        self.position += 1;
        Ok(match byte {
            Some(b'"' | b'\\' | b'/') => char::from(byte.unwrap_or_default()),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self.unit()?;
                let code = match unit {
                    0xd800..0xdc00 if self.skip_escape_of_unit() => {
                        let low = self.unit()?;
                        0x10000 + ((unit - 0xd800) << 10 | low.wrapping_sub(0xdc00) & 0x3ff)
                    }
                    _ => unit,
                };
                char::from_u32(code).ok_or((start, "a character"))?
            }
            _ => return Err((start, "an escape sequence")),
        })
    }

    fn skip_escape_of_unit(&mut self) -> bool {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let is_next = rest.starts_with(b"\\u");
        self.position += if is_next { 2 } else { 0 };
        is_next
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Parsed<u32> {
        let digits = self.text.get(self.position..self.position + 4);
        let digits = digits.and_then(|d| std::str::from_utf8(d).ok());
        let value = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let value = value.ok_or((self.position, "four hexadecimal digits"))?;
        self.position += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parsed() {
        let text =
            br#" {"a": [1, -2.5e1, true, null], "b": {"c": "x\n\"\u00e9\ud83d\ude00"}, "d": []} "#;
        let value = parse(text).unwrap();
        let list = value.get("a").unwrap().elements();
        let expected = [
            Value::Number(1.0),
            Value::Number(-25.0),
            Value::Bool(true),
            Value::Null,
        ];
        assert_eq!(list, expected);
        let inner = value.get("b").and_then(|b| b.get("c")).unwrap();
        assert_eq!(inner.text(), Some("x\n\"é😀"));
        assert_eq!(value.get("d").unwrap().elements(), []);
        assert_eq!(value.members().count(), 3);
        assert_eq!(list[0].integer(), Some(1));
        assert_eq!((list[1].integer(), value.integer()), (None, None));
    }

    #[test]
    fn errors_have_their_position() {
        for (text, error) in [
            ("", (0, "a value")),
            ("{\"a\" 1}", (5, "a colon")),
            ("[1 2]", (3, "a comma or bracket")),
            ("{\"a\":1,}", (7, "a member's name")),
            ("[1]]", (3, "the end")),
            ("\"ab", (3, "a quotation mark")),
            ("\"\\x\"", (2, "an escape sequence")),
            ("\"\\u12\"", (3, "four hexadecimal digits")),
            ("1-2", (0, "a number")),
            ("\"\u{1}\"", (1, "no control character")),
        ] {
            assert_eq!(parse(text.as_bytes()), Err(error), "{text}");
        }
        assert_eq!(parse(b"\"\xff\""), Err((0, "UTF-8")));
        let deep = "[".repeat(100_000);
        assert_eq!(parse(deep.as_bytes()), Err((65, "fewer nested values")));
    }
}
