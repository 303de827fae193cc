//! Reading the text of a shader.
//!
//! In:  text as `print` writes it; `;` begins a comment.
//! Out: a shader, or the line that is wrong. Only the text's form is checked here; what it means is
//!      for `validate`, so that invalid shaders can be written down too.
//! Ids in text are ids in memory: gaps are filled with values that stand nowhere.

use crate::fold;
use crate::intrinsic::IntrinsicOp;
use crate::ir::*;
use crate::lex::{Tok, lex};
use crate::op::AluOp;
use crate::print::{ATOMIC_OPS, MODES, STAGES};
use crate::shader::ListRef;
use crate::types::{Member, Type};
use crate::{AluSrc, CfNode};
use entity::{Arena, Id};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What was expected or found.
    pub message: String,
}

/// Largest number of an id in text.
pub(crate) const MAX_ID: u64 = 1 << 20;

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
                "shared_bytes" => self.shader.info.shared_bytes = self.number32()?,
                "scratch_bytes" => self.shader.info.scratch_bytes = self.number32()?,
                "push_constant_bytes" => self.shader.info.push_constant_bytes = self.number32()?,
                "float_controls" => self.float_controls()?,
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
            location: 0,
            access: Access::default(),
            init: None,
            offset_bytes: None,
        };
        while let Some(Tok::Word(w)) = self.peek().cloned() {
            self.at += 1;
            match w.as_str() {
                "set" => v.set = self.number32()?,
                "binding" => v.binding = self.number32()?,
                "location" => v.location = self.number32()?,
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

    fn body(&mut self) -> Result<()> {
        #[derive(Clone, Copy, PartialEq)]
        enum Open {
            Body,
            Then(Id<If>),
            Else(Id<If>),
            Loop(Id<Loop>),
        }
        let mut open = vec![Open::Body];
        let mut block: Option<u64> = None;
        while let Some(&top) = open.last() {
            let list = match top {
                Open::Body => ListRef::Body,
                Open::Then(i) => ListRef::Then(i),
                Open::Else(i) => ListRef::Else(i),
                Open::Loop(l) => ListRef::Loop(l),
            };
            if self.eat('}') {
                block = None;
                open.pop();
                if let Open::Then(i) = top {
                    if !self.eat_word("else") {
                        return self.err("expected 'else'");
                    }
                    self.expect('{')?;
                    open.push(Open::Else(i));
                }
                continue;
            }
            if self.eat_word("if") {
                let cond = self.def()?;
                self.expect('{')?;
                let id = self.shader.ifs.push(If {
                    cond,
                    then_list: Vec::new(),
                    else_list: Vec::new(),
                });
                self.shader.list_mut(list).push(CfNode::If(id));
                open.push(Open::Then(id));
                block = None;
                continue;
            }
            if self.eat_word("loop") {
                self.expect('{')?;
                let id = self.shader.loops.push(Loop { body: Vec::new() });
                self.shader.list_mut(list).push(CfNode::Loop(id));
                open.push(Open::Loop(id));
                block = None;
                continue;
            }
            let label = matches!(self.peek(), Some(Tok::Word(w)) if w.starts_with('b'))
                && self.toks.get(self.at + 1).map(|t| &t.0) == Some(&Tok::Punct(':'));
            if label {
                let id: Id<Block> = self.id('b')?;
                self.expect(':')?;
                let n = id.index() as u64;
                if self.blocks.insert(n, Vec::new()).is_some() {
                    return self.back(format!("block b{n} stands twice"));
                }
                self.shader.list_mut(list).push(CfNode::Block(id));
                block = Some(n);
                continue;
            }
            if self.peek().is_none() {
                return self.err("the text ends before the shader does");
            }
            let Some(b) = block else {
                return self.err("expected a block's label");
            };
            let instr = self.instr()?;
            if let Some(list) = self.blocks.get_mut(&b) {
                list.push(instr);
            }
        }
        Ok(())
    }

    fn instr(&mut self) -> Result<Id<Instr>> {
        let mut def = None;
        if let Some(Tok::Def(v)) = self.peek() {
            let v = *v;
            self.at += 1;
            self.expect(':')?;
            self.word()?;
            self.expect('=')?;
            def = Some(Id::new(v as usize));
            let id = self.shader.instrs.next_id();
            self.makers.insert(v, id);
        }
        let line = self.line();
        let mut w = self.word()?;
        let exact = w == "exact";
        if exact {
            w = self.word()?;
        }
        let preserve = w == "preserve";
        if preserve {
            w = self.word()?;
        }
        let jump = match w.as_str() {
            "break" => Some(Jump::Break),
            "continue" => Some(Jump::Continue),
            "return" => Some(Jump::Return),
            _ => None,
        };
        let instr = if let Some(j) = jump {
            Instr::Jump(j)
        } else if let Some(op) = IntrinsicOp::from_name(&w) {
            self.intrinsic(op, def, line)?
        } else {
            let Some(def) = def else {
                return self.back(format!("'{w}' is no instruction without a result"));
            };
            match w.as_str() {
                "undef" => Instr::Undef { def },
                "const" => self.constant(def)?,
                "phi" => self.phi(def)?,
                _ if w.starts_with("deref_") => self.deref(&w, def)?,
                _ => match AluOp::from_name(&w) {
                    Some(op) => self.alu(op, def, exact, preserve)?,
                    None => return self.back(format!("'{w}' is no instruction")),
                },
            }
        };
        Ok(self.shader.instrs.push(instr))
    }

    fn shape(&self, def: Id<Def>) -> (u8, u8) {
        self.shapes
            .get(&(def.index() as u64))
            .copied()
            .unwrap_or((1, 32))
    }

    fn constant(&mut self, def: Id<Def>) -> Result<Instr> {
        let (_, bits) = self.shape(def);
        let mut values = SmallVec::new();
        loop {
            let w = self.word()?;
            match parse_bits(&w, bits) {
                Some(v) => values.push(v),
                None => return self.back(format!("'{w}' is no constant of {bits} bits")),
            }
            if !self.eat(',') {
                return Ok(Instr::Const { def, values });
            }
        }
    }

    fn phi(&mut self, def: Id<Def>) -> Result<Instr> {
        let mut srcs = SmallVec::new();
        // A phi of an unreachable block has no operands: the next word would then be no block.
        while matches!(self.peek(), Some(Tok::Word(w)) if is_block(w))
            && self.toks.get(self.at + 1).map(|t| &t.0) == Some(&Tok::Punct(':'))
            && matches!(self.toks.get(self.at + 2).map(|t| &t.0), Some(Tok::Def(_)))
            && !matches!(
                self.toks.get(self.at + 3).map(|t| &t.0),
                Some(Tok::Punct(':'))
            )
        {
            let b = self.id('b')?;
            self.expect(':')?;
            srcs.push((b, self.def()?));
            if !self.eat(',') {
                break;
            }
        }
        Ok(Instr::Phi(Phi { def, srcs }))
    }

    fn deref(&mut self, w: &str, def: Id<Def>) -> Result<Instr> {
        let kind = match w {
            "deref_var" => DerefKind::Var(self.id('v')?),
            "deref_array" => {
                let parent = self.def()?;
                self.expect(',')?;
                DerefKind::Array {
                    parent,
                    index: self.def()?,
                }
            }
            "deref_ptr_as_array" => {
                let parent = self.def()?;
                self.expect(',')?;
                DerefKind::PtrAsArray {
                    parent,
                    index: self.def()?,
                    stride_bytes: self.stride()?,
                }
            }
            "deref_struct" => {
                let parent = self.def()?;
                self.expect(',')?;
                DerefKind::Struct {
                    parent,
                    member: self.number32()?,
                }
            }
            "deref_cast" => DerefKind::Cast {
                parent: self.def()?,
                stride_bytes: self.stride()?,
            },
            _ => return self.back(format!("'{w}' is no instruction")),
        };
        self.expect(':')?;
        let mode = self.mode()?;
        let ty = self.type_id()?;
        let access = if self.eat_word("access") {
            Access::from_bits(self.number32()?)
        } else {
            Access::default()
        };
        Ok(Instr::Deref(Deref {
            def,
            kind,
            mode,
            ty,
            access,
        }))
    }

    fn intrinsic(&mut self, op: IntrinsicOp, def: Option<Id<Def>>, line: usize) -> Result<Instr> {
        let info = op.info();
        if def.is_some() != info.def.is_some() {
            return Err(ParseError {
                line,
                message: format!(
                    "{} {} a result",
                    info.name,
                    if def.is_some() { "has not" } else { "has" }
                ),
            });
        }
        let mut srcs = SmallVec::new();
        for i in 0..info.srcs.len() {
            if i > 0 {
                self.expect(',')?;
            }
            srcs.push(self.def()?);
        }
        let mut indices: SmallVec<[u32; 4]> = SmallVec::from_elem(0, info.indices.len());
        if !info.indices.is_empty() && self.eat('{') {
            while !self.eat('}') {
                let name = self.word()?;
                let Some(slot) = op.index_of(&name) else {
                    return self.back(format!("{} has no index '{name}'", info.name));
                };
                self.expect('=')?;
                let w = self.word()?;
                let word = match name.as_str() {
                    "atomic_op" => ATOMIC_OPS.iter().position(|a| a.1 == w).map(|i| i as u32),
                    "reduction_op" => AluOp::from_name(&w).map(|o| o as u32),
                    _ => None,
                };
                let number = parse_bits(&w, 32).map(|v| v as u32);
                match word.or(number) {
                    Some(v) => indices[slot] = v,
                    None => return self.back(format!("'{w}' is no value for {name}")),
                }
            }
        }
        Ok(Instr::Intrinsic(Intrinsic {
            op,
            def,
            srcs,
            indices,
        }))
    }

    fn alu(&mut self, op: AluOp, def: Id<Def>, exact: bool, preserve: bool) -> Result<Instr> {
        let n = self.shape(def).0;
        let mut srcs = SmallVec::new();
        for (i, info) in op.info().srcs.iter().enumerate() {
            if i > 0 {
                self.expect(',')?;
            }
            let src = self.def()?;
            let of = self.shape(src).0;
            let used = usize::from(if info.components == 0 {
                n
            } else {
                info.components
            });
            let mut s = if of == 1 {
                AluSrc::splat(src, 0)
            } else {
                AluSrc::identity(src)
            };
            if let Some(Tok::Word(w)) = self.peek().cloned()
                && let Some(letters) = w.strip_prefix('.')
            {
                self.at += 1;
                let swizzle: Option<SmallVec<[u8; 16]>> = letters.chars().map(component).collect();
                match swizzle {
                    Some(sw) if sw.len() == used && used > 0 => {
                        s.swizzle = std::array::from_fn(|i| sw[i.min(used - 1)]);
                    }
                    _ => return self.back(format!("'{w}' must name {used} components")),
                }
            } else if of != 1 && usize::from(of) != used {
                return self.back(format!(
                    "needs a suffix that names {used} of {of} components"
                ));
            }
            srcs.push(s);
        }
        Ok(Instr::Alu(Alu {
            op,
            def,
            srcs,
            exact,
            preserve_nan_inf_sz: preserve,
        }))
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

fn is_block(w: &str) -> bool {
    w.strip_prefix('b')
        .is_some_and(|d| !d.is_empty() && d.bytes().all(|c| c.is_ascii_digit()))
}

fn component(c: char) -> Option<u8> {
    match c {
        'x' => Some(0),
        'y' => Some(1),
        'z' => Some(2),
        'w' => Some(3),
        'a'..='p' => Some(c as u8 - b'a'),
        _ => None,
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
