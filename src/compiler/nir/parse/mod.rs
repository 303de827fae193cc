//! Reading the text of a shader.
//!
//! In:  text as `print` writes it; `;` begins a comment.
//! Out: a shader, or the line that is wrong. Only the text's form is checked here; what it means is
//!      for `validate`, so that invalid shaders can be written down too.
//! Ids in text are ids in memory: gaps are filled with values that stand nowhere.

mod body;
mod stage;

use crate::fold;
use crate::ir::*;
use crate::lex::{MAX_ID, ParseError, Tok, lex};
use crate::print::{DERIVATIVE_GROUPS, MODES, STAGES};
use crate::tex::{BASES, DIMS, IMAGE_FORMATS};
use crate::types::{Member, Mode, Type};
use entity::{Arena, Id};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

type Result<T, E = ParseError> = std::result::Result<T, E>;

struct Parser {
    toks: Vec<(Tok, usize)>,
    at: usize,
    shader: Shader,
    /// Shapes of all values, found before the body is read: operands may be forward references.
    shapes: FxHashMap<u64, (u8, u8)>,
    /// Instruction that makes each value.
    makers: FxHashMap<u64, Id<Instr>>,
    /// Blocks seen.
    blocks: FxHashMap<u64, Vec<Id<Instr>>>,
}

/// Reads a shader.
pub fn parse(text: &str) -> Result<Shader> {
    let lexed = lex(text)?;
    let mut p = Parser {
        toks: lexed.toks,
        at: 0,
        shader: Shader::new(Stage::Compute, ""),
        shapes: FxHashMap::default(),
        makers: FxHashMap::default(),
        blocks: FxHashMap::default(),
    };
    p.shader.blocks = Arena::new();
    p.shader.body.clear();
    p.find_shapes()?;
    p.shader_text()?;
    p.finish()
}

impl Parser {
    fn line(&self) -> usize {
        self.toks
            .get(self.at)
            .or(self.toks.last())
            .map_or(1, |t| t.1)
    }
    fn err<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError {
            line: self.line(),
            message: message.into(),
        })
    }
    fn peek(&self) -> Option<&Tok> {
        self.toks.get(self.at).map(|t| &t.0)
    }
    fn next(&mut self) -> Option<Tok> {
        let t = self.toks.get(self.at).map(|t| t.0.clone());
        self.at += 1;
        t
    }
    /// Goes back to the token just read, so that an error names its line.
    fn back<T>(&mut self, message: impl Into<String>) -> Result<T> {
        self.at = self.at.saturating_sub(1);
        self.err(message)
    }
    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(&Tok::Punct(c));
        self.at += usize::from(found);
        found
    }
    fn expect(&mut self, c: char) -> Result<()> {
        if self.eat(c) {
            Ok(())
        } else {
            self.err(format!("expected '{c}'"))
        }
    }
    fn eat_word(&mut self, w: &str) -> bool {
        let found = matches!(self.peek(), Some(Tok::Word(s)) if s == w);
        self.at += usize::from(found);
        found
    }
    fn word(&mut self) -> Result<String> {
        match self.next() {
            Some(Tok::Word(w)) => Ok(w),
            _ => self.back("expected a word"),
        }
    }
    fn string(&mut self) -> Result<String> {
        match self.next() {
            Some(Tok::Str(s)) => Ok(s),
            _ => self.back("expected a quoted name"),
        }
    }
    fn number(&mut self) -> Result<u64> {
        let w = self.word()?;
        match parse_bits(&w, 64) {
            Some(v) => Ok(v),
            None => self.back(format!("'{w}' is no number")),
        }
    }
    fn number32(&mut self) -> Result<u32> {
        let v = self.number()?;
        match u32::try_from(v) {
            Ok(v) => Ok(v),
            Err(_) => self.back("number does not fit 32 bits"),
        }
    }
    /// An id such as `b3`.
    fn id<T>(&mut self, prefix: char) -> Result<Id<T>> {
        let w = self.word()?;
        let digits = w.strip_prefix(prefix).and_then(|d| d.parse::<u64>().ok());
        match digits {
            Some(v) if v < MAX_ID => Ok(Id::new(v as usize)),
            _ => self.back(format!("'{w}' is not '{prefix}' and a number")),
        }
    }
    fn def(&mut self) -> Result<Id<Def>> {
        match self.next() {
            Some(Tok::Def(v)) => Ok(Id::new(v as usize)),
            _ => self.back("expected a value such as %1"),
        }
    }

    fn find_shapes(&mut self) -> Result<()> {
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
                    message: format!("'{shape}' is no shape (bits, or bits x components)"),
                });
            };
            if self.shapes.insert(*v, (components, bits)).is_some() {
                return Err(ParseError {
                    line: *line,
                    message: format!("%{v} is made twice"),
                });
            }
        }
        Ok(())
    }

    fn shader_text(&mut self) -> Result<()> {
        if !self.eat_word("shader") {
            return self.err("expected 'shader'");
        }
        let stage = self.word()?;
        match STAGES.iter().find(|s| s.1 == stage) {
            Some(s) => self.shader.stage = s.0,
            None => return self.back(format!("'{stage}' is no stage")),
        }
        if let Some(Tok::Str(_)) = self.peek() {
            self.shader.name = self.string()?;
        }
        self.expect('{')?;
        self.header()?;
        self.body()?;
        if self.peek().is_some() {
            return self.err("text behind the shader's end");
        }
        Ok(())
    }

    fn header(&mut self) -> Result<()> {
        loop {
            let Some(Tok::Word(w)) = self.peek().cloned() else {
                return Ok(());
            };
            // A block's label ends the header; so does anything that is not its business.
            self.at += 1;
            match w.as_str() {
                "workgroup_size" => {
                    self.shader.info.workgroup_size =
                        [self.number32()?, self.number32()?, self.number32()?];
                }
                "derivative_group" => {
                    self.shader.info.derivative_group = self.one_of(&DERIVATIVE_GROUPS)?;
                }
                "shared_bytes" => self.shader.info.shared_bytes = self.number32()?,
                "scratch_bytes" => self.shader.info.scratch_bytes = self.number32()?,
                "push_constant_bytes" => self.shader.info.push_constant_bytes = self.number32()?,
                "float_controls" => self.float_controls()?,
                "distances" => self.distances_line()?,
                "capture" => self.capture_line()?,
                "capture_stride" => self.capture_stride_line()?,
                "linked" => self.linked_line()?,
                "shared_blocks" => self.shader.info.shared_blocks = true,
                "clips_before" => self.shader.info.clips_before = Some(self.small()?),
                "views" => self.shader.info.views = self.number32()?,
                "fragment" => self.fragment_line()?,
                "geometry" => self.geometry_line()?,
                "tess" => self.tess_line()?,
                "type" => self.type_line()?,
                "var" => self.var_line()?,
                _ => {
                    self.at -= 1;
                    return Ok(());
                }
            }
        }
    }

    fn float_controls(&mut self) -> Result<()> {
        while let Some(Tok::Word(w)) = self.peek().cloned() {
            if !["denorm_preserve", "denorm_flush", "preserve", "rte", "rtz"].contains(&w.as_str())
            {
                break;
            }
            self.at += 1;
            self.expect('=')?;
            let v = self.number()? as u8 & 7;
            let c = &mut self.shader.info.float_controls;
            match w.as_str() {
                "denorm_preserve" => c.denorm_preserve = v,
                "denorm_flush" => c.denorm_flush = v,
                "preserve" => c.signed_zero_inf_nan_preserve = v,
                "rte" => c.rounding_rte = v,
                _ => c.rounding_rtz = v,
            }
        }
        Ok(())
    }

    fn mode(&mut self) -> Result<Mode> {
        let w = self.word()?;
        match MODES.iter().find(|m| m.1 == w) {
            Some(m) => Ok(m.0),
            None => self.back(format!("'{w}' is no storage mode")),
        }
    }

    fn type_id(&mut self) -> Result<Id<Type>> {
        let id = self.id('t')?;
        if self.shader.types.get(id).is_none() {
            return self.back("this type is not known yet");
        }
        Ok(id)
    }

    fn type_line(&mut self) -> Result<()> {
        let id: Id<Type> = self.id('t')?;
        self.expect('=')?;
        let w = self.word()?;
        let ty = match w.as_str() {
            "bool" => Type::Bool,
            "int8" => Type::Int(8),
            "int16" => Type::Int(16),
            "int32" => Type::Int(32),
            "int64" => Type::Int(64),
            "float16" => Type::Float(16),
            "float32" => Type::Float(32),
            "float64" => Type::Float(64),
            "vector" => Type::Vector {
                elem: self.type_id()?,
                len: self.small()?,
            },
            "matrix" => {
                let (column, columns) = (self.type_id()?, self.small()?);
                Type::Matrix {
                    column,
                    columns,
                    stride_bytes: self.stride()?,
                    row_major: self.eat_word("row_major"),
                }
            }
            "array" => {
                let elem = self.type_id()?;
                let len = if self.eat_word("runtime") {
                    None
                } else {
                    Some(self.number32()?)
                };
                Type::Array {
                    elem,
                    len,
                    stride_bytes: self.stride()?,
                }
            }
            "struct" => {
                let name = self.string()?;
                self.expect('{')?;
                let mut members = Vec::new();
                while !self.eat('}') {
                    members.push(Member {
                        ty: self.type_id()?,
                        name: self.string()?,
                        offset_bytes: self.number32()?,
                    });
                }
                Type::Struct { name, members }
            }
            "image" | "texture" => self.image_type(w == "image")?,
            "sampler" => Type::Sampler,
            "sampled_image" => Type::SampledImage(self.type_id()?),
            "pointer" => Type::Pointer {
                mode: self.mode()?,
                to: self.type_id()?,
            },
            _ => return self.back(format!("'{w}' is no type")),
        };
        if self.shader.types.intern(ty) != id {
            return self.err("types must be numbered in order and differ from each other");
        }
        Ok(())
    }

    fn image_type(&mut self, storage: bool) -> Result<Type> {
        let dim = self.one_of(&DIMS)?;
        let w = self.word()?;
        let kind = BASES.iter().find_map(|(base, name)| {
            let bits = w.strip_prefix(name)?.parse::<u8>().ok()?;
            Some((*base, bits))
        });
        let Some((base, bits)) = kind else {
            return self.back(format!("'{w}' is no type of a texel"));
        };
        let array = self.eat_word("array");
        let multisampled = self.eat_word("ms");
        let mut format = 0;
        if self.eat_word("format") {
            let w = self.word()?;
            match IMAGE_FORMATS.iter().position(|f| *f == w) {
                Some(f) => format = f as u32,
                None => return self.back(format!("'{w}' is no format")),
            }
        }
        Ok(Type::Image {
            dim,
            array,
            multisampled,
            base,
            bits,
            storage,
            format,
        })
    }

    /// A word of a table.
    fn one_of<T: Copy>(&mut self, table: &[(T, &str)]) -> Result<T> {
        let w = self.word()?;
        match table.iter().find(|x| x.1 == w) {
            Some(x) => Ok(x.0),
            None => self.back(format!("'{w}' is not known here")),
        }
    }

    fn small(&mut self) -> Result<u8> {
        match u8::try_from(self.number()?) {
            Ok(v) => Ok(v),
            Err(_) => self.back("number is too large"),
        }
    }

    fn stride(&mut self) -> Result<u32> {
        if self.eat_word("stride") {
            self.number32()
        } else {
            Ok(0)
        }
    }

    fn var_line(&mut self) -> Result<()> {
        let id: Id<Variable> = self.id('v')?;
        if id != self.shader.vars.next_id() {
            return self.back("variables must be numbered in order");
        }
        self.expect('=')?;
        let mut v = Variable {
            mode: self.mode()?,
            ty: self.type_id()?,
            name: self.string()?,
            set: 0,
            binding: 0,
            io: None,
            access: Access::default(),
            init: None,
            offset_bytes: None,
        };
        while let Some(Tok::Word(w)) = self.peek().cloned() {
            self.at += 1;
            match w.as_str() {
                "set" => v.set = self.number32()?,
                "binding" => v.binding = self.number32()?,
                "location" => self.io_var(&mut v)?,
                "access" => v.access = Access::from_bits(self.number32()?),
                "offset" => v.offset_bytes = Some(self.number32()?),
                "init" => v.init = Some(self.init()?),
                _ => {
                    self.at -= 1;
                    break;
                }
            }
        }
        self.shader.vars.push(v);
        Ok(())
    }

    fn init(&mut self) -> Result<ConstValue> {
        let mut open: Vec<Vec<ConstValue>> = Vec::new();
        loop {
            let value = if self.eat('{') {
                open.push(Vec::new());
                continue;
            } else if self.eat('(') {
                let mut v = SmallVec::new();
                loop {
                    v.push(self.number()?);
                    if v.len() > MAX_COMPONENTS {
                        return self.err("too many components");
                    }
                    if !self.eat(',') {
                        break;
                    }
                }
                self.expect(')')?;
                ConstValue::Vector(v)
            } else if self.eat('}') {
                match open.pop() {
                    Some(parts) => ConstValue::Composite(parts),
                    None => return self.back("'}' closes nothing"),
                }
            } else {
                return self.err("expected a constant");
            };
            match open.last_mut() {
                Some(parts) => parts.push(value),
                None => return Ok(value),
            }
        }
    }

    fn finish(mut self) -> Result<Shader> {
        let defs = self.shapes.keys().max().map_or(0, |m| m + 1);
        for v in 0..defs {
            let instr = match self.makers.get(&v) {
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

/// A bit pattern: decimal, hexadecimal, `true`, `false`, or a float (with a point, `inf` or `nan`) of `bits` bits.
pub fn parse_bits(w: &str, bits: u8) -> Option<u64> {
    match w {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let (negative, digits) = match w.strip_prefix('-') {
        Some(d) => (true, d),
        None => (false, w),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).ok()?
    } else if digits.contains('.') || matches!(digits, "inf" | "nan") {
        if !matches!(bits, 16 | 32 | 64) {
            return None;
        }
        let x: f64 = w.parse().ok()?;
        return Some(fold::round_float(bits, x.into(), false));
    } else {
        digits.parse::<u64>().ok()?
    };
    let value = if negative {
        value.wrapping_neg()
    } else {
        value
    };
    if !negative && value & !fold::mask(bits) != 0 {
        return None;
    }
    Some(value & fold::mask(bits))
}
