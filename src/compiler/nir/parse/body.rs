//! Parses control flow and instructions.

use super::literal::parse_bits;
use super::parser::{Parser, Result};
use crate::index_names::value_from_name;
use crate::intrinsic::IntrinsicOp;
use crate::ir::*;
use crate::lex::{ParseError, Tok};
use crate::op::{AluOp, BaseType};
use crate::shader::ListRef;
use crate::tex::{BASES, DIMS, Dim, TEX_SRCS, TexOp};
use entity::Id;
use smallvec::SmallVec;

impl Parser {
    pub(super) fn body(&mut self) -> Result<()> {
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
                && self.toks.get(self.pos + 1).map(|t| &t.0) == Some(&Tok::Punct(':'));
            if label {
                let id: Id<Block> = self.id('b')?;
                self.expect(':')?;
                let n = id.index() as u64;
                if self.blocks.insert(n, Vec::new()).is_some() {
                    return self.err_at_previous(format!("block b{n} appears twice"));
                }
                self.shader.list_mut(list).push(CfNode::Block(id));
                block = Some(n);
                continue;
            }
            if self.peek().is_none() {
                return self.err("unexpected end of text");
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
            self.pos += 1;
            self.expect(':')?;
            self.word()?;
            self.expect('=')?;
            def = Some(Id::new(v as usize));
            let id = self.shader.instrs.next_id();
            self.def_instrs.insert(v, id);
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
        } else if let Some(op) = TexOp::from_name(&w) {
            self.tex(op, def)?
        } else if let Some(op) = IntrinsicOp::from_name(&w) {
            self.intrinsic(op, def, line)?
        } else {
            let Some(def) = def else {
                return self
                    .err_at_previous(format!("'{w}' is not an instruction without a result"));
            };
            match w.as_str() {
                "undef" => Instr::Undef { def },
                "const" => self.constant(def)?,
                "phi" => self.phi(def)?,
                _ if w.starts_with("deref_") => self.deref(&w, def)?,
                _ => match AluOp::from_name(&w) {
                    Some(op) => self.alu(op, def, exact, preserve)?,
                    None => return self.err_at_previous(format!("'{w}' is not an instruction")),
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
                None => {
                    return self.err_at_previous(format!("'{w}' is not a constant of {bits} bits"));
                }
            }
            if !self.eat(',') {
                return Ok(Instr::Const { def, values });
            }
        }
    }

    fn phi(&mut self, def: Id<Def>) -> Result<Instr> {
        let mut srcs = SmallVec::new();
        // A phi of an unreachable block has no operands; then the next word is not a block.
        while matches!(self.peek(), Some(Tok::Word(w)) if is_block(w))
            && self.toks.get(self.pos + 1).map(|t| &t.0) == Some(&Tok::Punct(':'))
            && matches!(self.toks.get(self.pos + 2).map(|t| &t.0), Some(Tok::Def(_)))
            && !matches!(
                self.toks.get(self.pos + 3).map(|t| &t.0),
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
                align_bytes: match self.eat_word("align") {
                    true => self.number32()?,
                    false => 0,
                },
            },
            _ => return self.err_at_previous(format!("'{w}' is not an instruction")),
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
                    if def.is_some() {
                        "does not have"
                    } else {
                        "has"
                    }
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
                    return self.err_at_previous(format!("{} has no index '{name}'", info.name));
                };
                self.expect('=')?;
                let w = self.word()?;
                let word = value_from_name(&name, &w);
                let number = parse_bits(&w, 32).map(|v| v as u32);
                match word.or(number) {
                    Some(v) => indices[slot] = v,
                    None => return self.err_at_previous(format!("'{w}' is not a value of {name}")),
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
                self.pos += 1;
                let swizzle: Option<SmallVec<[u8; 16]>> = letters.chars().map(component).collect();
                match swizzle {
                    Some(sw) if sw.len() == used && used > 0 => {
                        s.swizzle = std::array::from_fn(|i| sw[i.min(used - 1)]);
                    }
                    _ => {
                        return self
                            .err_at_previous(format!("'{w}' must select {used} components"));
                    }
                }
            } else if of != 1 && usize::from(of) != used {
                return self.err_at_previous(format!(
                    "needs a swizzle that selects {used} of {of} components"
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

    fn tex(&mut self, op: TexOp, def: Option<Id<Def>>) -> Result<Instr> {
        let Some(def) = def else {
            return self.err_at_previous(format!("{} has a result", op.info().name));
        };
        let mut t = Tex {
            op,
            def,
            srcs: SmallVec::new(),
            dim: Dim::D2,
            array: false,
            shadow: false,
            dest_type: BaseType::Float,
            component: 0,
            tg4_offsets: None,
            texture_non_uniform: false,
            sampler_non_uniform: false,
            offset_non_uniform: false,
        };
        while matches!(self.peek(), Some(Tok::Def(_))) {
            let d = self.def()?;
            self.expect('(')?;
            let kind = self.keyword(&TEX_SRCS)?;
            self.expect(')')?;
            t.srcs.push((kind, d));
            if !self.eat(',') {
                break;
            }
        }
        self.expect('{')?;
        while !self.eat('}') {
            let w = self.word()?;
            match w.as_str() {
                "array" => t.array = true,
                "shadow" => t.shadow = true,
                "texture_non_uniform" => t.texture_non_uniform = true,
                "sampler_non_uniform" => t.sampler_non_uniform = true,
                "offset_non_uniform" => t.offset_non_uniform = true,
                "dim" => {
                    self.expect('=')?;
                    t.dim = self.keyword(&DIMS)?;
                }
                "dest_type" => {
                    self.expect('=')?;
                    t.dest_type = self.keyword(&BASES)?;
                }
                "component" => {
                    self.expect('=')?;
                    t.component = self.number8()?;
                }
                "offsets" => {
                    self.expect('=')?;
                    let mut offsets = [[0i8; 2]; 4];
                    for (i, o) in offsets.as_flattened_mut().iter_mut().enumerate() {
                        if i > 0 {
                            self.expect(',')?;
                        }
                        let w = self.word()?;
                        match w.parse() {
                            Ok(v) => *o = v,
                            Err(_) => {
                                return self.err_at_previous(format!("'{w}' is not an offset"));
                            }
                        }
                    }
                    t.tg4_offsets = Some(offsets);
                }
                _ => return self.err_at_previous(format!("{} has no '{w}'", op.info().name)),
            }
        }
        Ok(Instr::Tex(t))
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
