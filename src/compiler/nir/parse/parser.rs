//! The parser's state and its primitives: tokens, ids, numbers and words of a table.
//!
//! In:  tokens of `lex`.
//! Out: single items, or an error with the line of the token that does not fit.

use super::literal::parse_bits;
use crate::ir::{Block, Def, Instr, Shader, Stage};
use crate::lex::{MAX_ID, ParseError, Tok, lex};
use entity::{Arena, Id};
use rustc_hash::FxHashMap;

pub(super) type Result<T, E = ParseError> = std::result::Result<T, E>;

pub(super) struct Parser {
    pub(super) toks: Vec<(Tok, usize)>,
    /// Position of the next token.
    pub(super) pos: usize,
    pub(super) shader: Shader,
    /// (components, bits) of all values, collected before the body is parsed: operands may be
    /// forward references.
    pub(super) shapes: FxHashMap<u64, (u8, u8)>,
    /// The instruction that defines each value.
    pub(super) def_instrs: FxHashMap<u64, Id<Instr>>,
    /// Instructions of each block parsed so far.
    pub(super) blocks: FxHashMap<u64, Vec<Id<Instr>>>,
}

impl Parser {
    pub(super) fn new(text: &str) -> Result<Parser> {
        let lexed = lex(text)?;
        let mut shader = Shader::new(Stage::Compute, "");
        shader.blocks = Arena::new();
        shader.body.clear();
        Ok(Parser {
            toks: lexed.toks,
            pos: 0,
            shader,
            shapes: FxHashMap::default(),
            def_instrs: FxHashMap::default(),
            blocks: FxHashMap::default(),
        })
    }

    pub(super) fn line(&self) -> usize {
        self.toks
            .get(self.pos)
            .or(self.toks.last())
            .map_or(1, |t| t.1)
    }
    pub(super) fn err<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError {
            line: self.line(),
            message: message.into(),
        })
    }
    pub(super) fn peek(&self) -> Option<&Tok> {
        self.toks.get(self.pos).map(|t| &t.0)
    }
    fn next(&mut self) -> Option<Tok> {
        let t = self.toks.get(self.pos).map(|t| t.0.clone());
        self.pos += 1;
        t
    }
    /// An error at the token just read: steps back to it for its line.
    pub(super) fn err_at_previous<T>(&mut self, message: impl Into<String>) -> Result<T> {
        self.pos = self.pos.saturating_sub(1);
        self.err(message)
    }
    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(&Tok::Punct(c));
        self.pos += usize::from(found);
        found
    }
    pub(super) fn expect(&mut self, c: char) -> Result<()> {
        if self.eat(c) {
            Ok(())
        } else {
            self.err(format!("expected '{c}'"))
        }
    }
    pub(super) fn eat_word(&mut self, w: &str) -> bool {
        let found = matches!(self.peek(), Some(Tok::Word(s)) if s == w);
        self.pos += usize::from(found);
        found
    }
    pub(super) fn word(&mut self) -> Result<String> {
        match self.next() {
            Some(Tok::Word(w)) => Ok(w),
            _ => self.err_at_previous("expected a word"),
        }
    }
    pub(super) fn string(&mut self) -> Result<String> {
        match self.next() {
            Some(Tok::Str(s)) => Ok(s),
            _ => self.err_at_previous("expected a quoted name"),
        }
    }
    pub(super) fn number(&mut self) -> Result<u64> {
        let w = self.word()?;
        match parse_bits(&w, 64) {
            Some(v) => Ok(v),
            None => self.err_at_previous(format!("'{w}' is not a number")),
        }
    }
    pub(super) fn number32(&mut self) -> Result<u32> {
        let v = self.number()?;
        match u32::try_from(v) {
            Ok(v) => Ok(v),
            Err(_) => self.err_at_previous("number does not fit 32 bits"),
        }
    }
    /// An id such as `b3`.
    pub(super) fn id<T>(&mut self, prefix: char) -> Result<Id<T>> {
        let w = self.word()?;
        let digits = w.strip_prefix(prefix).and_then(|d| d.parse::<u64>().ok());
        match digits {
            Some(v) if v < MAX_ID => Ok(Id::new(v as usize)),
            _ => self.err_at_previous(format!("expected '{prefix}' and a number, found '{w}'")),
        }
    }
    pub(super) fn def(&mut self) -> Result<Id<Def>> {
        match self.next() {
            Some(Tok::Def(v)) => Ok(Id::new(v as usize)),
            _ => self.err_at_previous("expected a value such as %1"),
        }
    }

    /// Collects the shapes of all values, given as `%N:SHAPE =`.
    pub(super) fn find_shapes(&mut self) -> Result<()> {
        for i in 0..self.toks.len() {
            let [
                (Tok::Def(v), line),
                (Tok::Punct(':'), _),
                (Tok::Word(shape), _),
                (Tok::Punct('='), _),
            ] = &self.toks[i..self.toks.len().min(i + 4)]
            else {
                continue;
            };
            let (bits, components) = shape.split_once('x').unwrap_or((shape, "1"));
            let bits = bits.parse().ok().filter(|b| [1, 8, 16, 32, 64].contains(b));
            let components = components.parse().ok().filter(|c| (1..=16).contains(c));
            let (Some(bits), Some(components)) = (bits, components) else {
                return Err(ParseError {
                    line: *line,
                    message: format!("'{shape}' is not a shape (bits, or bits x components)"),
                });
            };
            if self.shapes.insert(*v, (components, bits)).is_some() {
                return Err(ParseError {
                    line: *line,
                    message: format!("%{v} is defined twice"),
                });
            }
        }
        Ok(())
    }
    /// The value of the next word in a table of names.
    pub(super) fn keyword<T: Copy>(&mut self, table: &[(T, &str)]) -> Result<T> {
        let w = self.word()?;
        match table.iter().find(|x| x.1 == w) {
            Some(x) => Ok(x.0),
            None => self.err_at_previous(format!("unexpected '{w}'")),
        }
    }

    pub(super) fn number8(&mut self) -> Result<u8> {
        match u8::try_from(self.number()?) {
            Ok(v) => Ok(v),
            Err(_) => self.err_at_previous("number is too large"),
        }
    }

    pub(super) fn stride(&mut self) -> Result<u32> {
        if self.eat_word("stride") {
            self.number32()
        } else {
            Ok(0)
        }
    }
    /// Fills the arenas of defs and blocks.
    pub(super) fn finish(mut self) -> Result<Shader> {
        let defs = self.shapes.keys().max().map_or(0, |m| m + 1);
        for v in 0..defs {
            let instr = match self.def_instrs.get(&v) {
                Some(&i) => i,
                None => self.shader.instrs.push(Instr::Undef {
                    def: Id::new(v as usize),
                }),
            };
            let (num_components, bit_size) = self.shapes.get(&v).copied().unwrap_or((1, 32));
            self.shader.defs.push(Def {
                instr,
                num_components,
                bit_size,
            });
        }
        let blocks = self.blocks.keys().max().map_or(0, |m| m + 1);
        for b in 0..blocks {
            let instrs = self.blocks.remove(&b).unwrap_or_default();
            self.shader.blocks.push(Block { instrs });
        }
        Ok(self.shader)
    }
}
