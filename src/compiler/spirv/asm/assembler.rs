//! The assembler.

use super::number::Number;
use super::{names, number};
use crate::error::{Result, SpirvError};
use crate::grammar;
use crate::reader::decode_string;
use rspirv::grammar::{OperandKind, OperandQuantifier, ext_inst_table};
use rustc_hash::FxHashMap;
use spirv::Op;

/// Maximum number of words of one instruction.
const MAX_WORDS: usize = 0xffff;

/// Assembles a module for SPIR-V `version.0`.`version.1`.
///
/// # Errors
/// [`SpirvError::Assembly`] with the line, counted from 1.
pub fn assemble(text: &str, version: (u8, u8)) -> Result<Vec<u32>> {
    let mut a = Assembler {
        line: 0,
        words: vec![
            spirv::MAGIC_NUMBER,
            u32::from(version.0) << 16 | u32::from(version.1) << 8,
            0,
            0,
            0,
        ],
        ids: FxHashMap::default(),
        types: FxHashMap::default(),
        value_types: FxHashMap::default(),
        sets: FxHashMap::default(),
    };
    // An instruction may span several lines; it ends where the next one begins.
    let mut pending: Vec<Token> = Vec::new();
    let mut pending_line = 1;
    for (i, line) in text.lines().enumerate() {
        a.line = i + 1;
        let tokens = a.tokens(line)?;
        if begins_instruction(&tokens) && !pending.is_empty() {
            a.line = pending_line;
            a.instruction(&pending)?;
            pending.clear();
        }
        if pending.is_empty() {
            pending_line = i + 1;
        }
        pending.extend(tokens);
    }
    if !pending.is_empty() {
        a.line = pending_line;
        a.instruction(&pending)?;
    }
    let bound = a.ids.len() as u32 + 1;
    if let Some(w) = a.words.get_mut(3) {
        *w = bound;
    }
    Ok(a.words)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Id(String),
    Equals,
    String(String),
    Raw(u32),
    /// A name, number or mask.
    Word(String),
}

fn is_opcode(t: &Token) -> bool {
    matches!(t, Token::Word(w) if w.starts_with("Op") && w.chars().nth(2).is_some_and(|c| c.is_ascii_uppercase()))
}

fn begins_instruction(tokens: &[Token]) -> bool {
    match tokens {
        [Token::Id(_), Token::Equals, ..] => true,
        [t, ..] => is_opcode(t),
        [] => false,
    }
}

struct Assembler {
    line: usize,
    words: Vec<u32>,
    ids: FxHashMap<String, u32>,
    /// Number types by id.
    types: FxHashMap<u32, Number>,
    /// Result type by id, for the literals of switches.
    value_types: FxHashMap<u32, u32>,
    /// Names of extended instruction sets by id.
    sets: FxHashMap<u32, String>,
}

/// The operands of the instruction being assembled.
struct Operands<'t> {
    tokens: &'t [Token],
    pos: usize,
}

impl<'t> Operands<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.pos)
    }
    fn next(&mut self) -> Option<&'t Token> {
        let t = self.tokens.get(self.pos);
        self.pos += 1;
        t
    }
}

impl Assembler {
    fn error<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(SpirvError::Assembly {
            line: self.line,
            what: what.into(),
        })
    }

    fn tokens(&self, line: &str) -> Result<Vec<Token>> {
        let mut out = Vec::new();
        let mut chars = line.chars().peekable();
        while let Some(&c) = chars.peek() {
            if c.is_whitespace() {
                chars.next();
            } else if c == ';' {
                break;
            } else if c == '=' {
                chars.next();
                out.push(Token::Equals);
            } else if c == '"' {
                chars.next();
                let mut s = String::new();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c) => s.push(c),
                            None => return self.error("unterminated string"),
                        },
                        Some(c) => s.push(c),
                        None => return self.error("unterminated string"),
                    }
                }
                out.push(Token::String(s));
            } else {
                let mut s = String::new();
                while let Some(&c) = chars.peek() {
                    if c.is_whitespace() || matches!(c, ';' | '=' | '"') {
                        break;
                    }
                    s.push(c);
                    chars.next();
                }
                out.push(if let Some(name) = s.strip_prefix('%') {
                    if name.is_empty() {
                        return self.error("% without a name");
                    }
                    Token::Id(name.to_owned())
                } else if let Some(n) = s.strip_prefix('!') {
                    match number::integer(n).and_then(|n| u32::try_from(n).ok()) {
                        Some(w) => Token::Raw(w),
                        None => return self.error(format!("!{n} is not a 32-bit number")),
                    }
                } else {
                    Token::Word(s)
                });
            }
        }
        Ok(out)
    }

    fn id(&mut self, name: &str) -> u32 {
        let next = self.ids.len() as u32 + 1;
        *self.ids.entry(name.to_owned()).or_insert(next)
    }

    fn instruction(&mut self, tokens: &[Token]) -> Result<()> {
        let (result, rest) = match tokens {
            [Token::Id(id), Token::Equals, rest @ ..] => (Some(id.as_str()), rest),
            rest => (None, rest),
        };
        let Some((Token::Word(opname), args)) = rest.split_first() else {
            return self.error("an instruction name is missing");
        };
        let Some((number, info)) = opname.strip_prefix("Op").and_then(grammar::by_name) else {
            return self.error(format!("{opname} is not an instruction"));
        };
        let mut ops = Operands {
            tokens: args,
            pos: 0,
        };
        let mut out: Vec<u32> = Vec::new();
        let mut ty = 0;
        let mut result_id = 0;
        for operand in info.operands {
            if operand.kind == OperandKind::IdResult {
                let Some(name) = result else {
                    return self.error(format!("{opname} needs a result: %name = {opname}"));
                };
                result_id = self.id(name);
                out.push(result_id);
                continue;
            }
            let mut first = true;
            while ops.peek().is_some() || (first && operand.quantifier == OperandQuantifier::One) {
                let start = out.len();
                self.operand(info.opcode, operand.kind, ty, &mut ops, &mut out)?;
                if operand.kind == OperandKind::IdResultType {
                    ty = out.get(start).copied().unwrap_or(0);
                }
                first = false;
                if operand.quantifier != OperandQuantifier::ZeroOrMore {
                    break;
                }
            }
        }
        if result.is_some() && result_id == 0 {
            return self.error(format!("{opname} has no result"));
        }
        if let Some(t) = ops.peek() {
            return self.error(format!("{opname}: unexpected {}", token_text(t)));
        }
        if out.len() >= MAX_WORDS {
            return self.error(format!("{opname}: too many operands"));
        }
        self.record_types(info.opcode, &out, result_id, ty);
        self.words.push((out.len() as u32 + 1) << 16 | number);
        self.words.extend(out);
        Ok(())
    }

    /// Records number types and instruction sets, on which later literals depend.
    fn record_types(&mut self, op: Op, out: &[u32], id: u32, ty: u32) {
        if ty != 0 {
            self.value_types.insert(id, ty);
        }
        match (op, out) {
            (Op::TypeInt, &[id, bits, signed]) => {
                self.types.insert(
                    id,
                    Number::Int {
                        bits,
                        signed: signed != 0,
                    },
                );
            }
            (Op::TypeFloat, &[id, bits, ..]) => {
                self.types.insert(id, Number::Float { bits });
            }
            (Op::ExtInstImport, [id, name @ ..]) => {
                self.sets.insert(*id, decode_string(name));
            }
            _ => {}
        }
    }

    fn operand(
        &mut self,
        op: Op,
        kind: OperandKind,
        ty: u32,
        ops: &mut Operands,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let Some(token) = ops.peek() else {
            return self.error(format!("Op{op:?}: an operand is missing ({kind:?})"));
        };
        if let Token::Raw(w) = token {
            ops.next();
            out.push(*w);
            return Ok(());
        }
        match kind {
            OperandKind::IdResultType
            | OperandKind::IdRef
            | OperandKind::IdScope
            | OperandKind::IdMemorySemantics => self.id_operand(ops, out),
            OperandKind::LiteralString => self.string(ops, out),
            OperandKind::LiteralInteger => {
                let int = Number::Int {
                    bits: 32,
                    signed: false,
                };
                self.number(int, ops, out)
            }
            OperandKind::LiteralFloat => self.number(Number::Float { bits: 32 }, ops, out),
            OperandKind::LiteralContextDependentNumber => {
                let Some(&n) = self.types.get(&ty) else {
                    return self.error("the result type is not a number type defined before");
                };
                self.number(n, ops, out)
            }
            OperandKind::PairLiteralIntegerIdRef => {
                let selector = out.first().copied().unwrap_or(0);
                let n = self
                    .value_types
                    .get(&selector)
                    .and_then(|t| self.types.get(t))
                    .copied()
                    .unwrap_or(Number::Int {
                        bits: 32,
                        signed: true,
                    });
                self.number(n, ops, out)?;
                self.id_operand(ops, out)
            }
            OperandKind::PairIdRefIdRef => {
                self.id_operand(ops, out)?;
                self.id_operand(ops, out)
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.id_operand(ops, out)?;
                self.operand(op, OperandKind::LiteralInteger, ty, ops, out)
            }
            OperandKind::LiteralExtInstInteger => self.ext_inst(ops, out),
            OperandKind::LiteralSpecConstantOpInteger => {
                let Some(Token::Word(name)) = ops.next() else {
                    return self.error("OpSpecConstantOp: an operation name is missing");
                };
                let name = name.strip_prefix("Op").unwrap_or(name);
                let Some((number, info)) = grammar::by_name(name) else {
                    return self.error(format!("{name} is not an instruction"));
                };
                out.push(number);
                for operand in info.operands {
                    if matches!(
                        operand.kind,
                        OperandKind::IdResult | OperandKind::IdResultType
                    ) {
                        continue;
                    }
                    while ops.peek().is_some() {
                        self.operand(info.opcode, operand.kind, ty, ops, out)?;
                        if operand.quantifier != OperandQuantifier::ZeroOrMore {
                            break;
                        }
                    }
                }
                Ok(())
            }
            _ => self.enumerant(kind, ops, out),
        }
    }

    fn id_operand(&mut self, ops: &mut Operands, out: &mut Vec<u32>) -> Result<()> {
        match ops.next() {
            Some(Token::Id(name)) => {
                let id = self.id(name);
                out.push(id);
                Ok(())
            }
            Some(Token::Raw(w)) => {
                out.push(*w);
                Ok(())
            }
            Some(t) => self.error(format!("an id was expected, found {}", token_text(t))),
            None => self.error("an id is missing"),
        }
    }

    fn string(&mut self, ops: &mut Operands, out: &mut Vec<u32>) -> Result<()> {
        match ops.next() {
            Some(Token::String(s)) => {
                let mut bytes = s.as_bytes().to_vec();
                bytes.push(0);
                for chunk in bytes.chunks(4) {
                    let word = chunk
                        .iter()
                        .enumerate()
                        .fold(0u32, |w, (i, &b)| w | u32::from(b) << (8 * i));
                    out.push(word);
                }
                Ok(())
            }
            Some(t) => self.error(format!("a string was expected, found {}", token_text(t))),
            None => self.error("a string is missing"),
        }
    }

    fn number(&mut self, kind: Number, ops: &mut Operands, out: &mut Vec<u32>) -> Result<()> {
        match ops.next() {
            Some(Token::Raw(w)) => {
                out.push(*w);
                Ok(())
            }
            Some(Token::Word(w)) => match number::literal(w, kind) {
                Ok(words) => {
                    out.extend(words);
                    Ok(())
                }
                Err(what) => self.error(what),
            },
            Some(t) => self.error(format!("a number was expected, found {}", token_text(t))),
            None => self.error("a number is missing"),
        }
    }

    fn ext_inst(&mut self, ops: &mut Operands, out: &mut Vec<u32>) -> Result<()> {
        let set = out.last().copied().unwrap_or(0);
        let Some(Token::Word(name)) = ops.next() else {
            return self.error("the name of an extended instruction is missing");
        };
        if let Some(n) = number::integer(name) {
            out.push(n as u32);
            return Ok(());
        }
        let Some(set) = self.sets.get(&set) else {
            return self.error("the extended instruction set is not imported before");
        };
        let Some(inst) =
            ext_inst_table(set).and_then(|t| t.iter().find(|i| i.opname == name.as_str()))
        else {
            return self.error(format!("{name} is not in the set \"{set}\""));
        };
        out.push(u32::from(inst.opcode));
        Ok(())
    }

    /// An enumerant or mask, with its parameters.
    fn enumerant(
        &mut self,
        kind: OperandKind,
        ops: &mut Operands,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let Some(Token::Word(word)) = ops.next() else {
            return self.error(format!("a {kind:?} is missing"));
        };
        let value = match names::enumerant(kind, word) {
            Some(v) => v,
            None => match number::integer(word).and_then(|n| u32::try_from(n).ok()) {
                Some(v) => v,
                None => return self.error(format!("{word} is not a {kind:?}")),
            },
        };
        out.push(value);
        match kind {
            OperandKind::Decoration => match spirv::Decoration::from_u32(value) {
                Some(spirv::Decoration::BuiltIn) => self.enumerant(OperandKind::BuiltIn, ops, out),
                Some(spirv::Decoration::FPRoundingMode) => {
                    self.enumerant(OperandKind::FPRoundingMode, ops, out)
                }
                Some(spirv::Decoration::FPFastMathMode) => {
                    self.enumerant(OperandKind::FPFastMathMode, ops, out)
                }
                Some(spirv::Decoration::FuncParamAttr) => {
                    self.enumerant(OperandKind::FunctionParameterAttribute, ops, out)
                }
                Some(spirv::Decoration::LinkageAttributes) => {
                    self.string(ops, out)?;
                    self.enumerant(OperandKind::LinkageType, ops, out)
                }
                _ => self.parameters(usize::MAX, ops, out),
            },
            OperandKind::MemoryAccess => {
                let m = spirv::MemoryAccess::from_bits_truncate(value);
                let params = [
                    spirv::MemoryAccess::ALIGNED,
                    spirv::MemoryAccess::MAKE_POINTER_AVAILABLE,
                    spirv::MemoryAccess::MAKE_POINTER_VISIBLE,
                ];
                let n = params.iter().filter(|&&p| m.contains(p)).count();
                self.parameters(n, ops, out)
            }
            OperandKind::ExecutionMode | OperandKind::ImageOperands | OperandKind::LoopControl => {
                self.parameters(usize::MAX, ops, out)
            }
            _ => Ok(()),
        }
    }

    /// Up to `n` parameters; the kind of each follows from its token.
    fn parameters(&mut self, n: usize, ops: &mut Operands, out: &mut Vec<u32>) -> Result<()> {
        for _ in 0..n {
            match ops.peek() {
                None => break,
                Some(Token::Id(_) | Token::Raw(_)) => self.id_operand(ops, out)?,
                Some(Token::String(_)) => self.string(ops, out)?,
                Some(_) => self.number(
                    Number::Int {
                        bits: 32,
                        signed: false,
                    },
                    ops,
                    out,
                )?,
            }
        }
        Ok(())
    }
}

fn token_text(t: &Token) -> String {
    match t {
        Token::Id(s) => format!("%{s}"),
        Token::Equals => "=".to_owned(),
        Token::String(s) => format!("\"{s}\""),
        Token::Raw(w) => format!("!{w}"),
        Token::Word(s) => s.clone(),
    }
}
