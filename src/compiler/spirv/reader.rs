//! Splits words into instructions, each checked against the grammar's operand list.
//!
//! In:  words, in either byte order.
//! Out: [`Stream`]: each instruction has enough words, also for parameters of enumerants; strings
//!      are terminated; ids are below the bound, but for operands of debug information; no id has
//!      two definitions.
//! Ref: "SPIR-V Specification", "Physical Layout of a SPIR-V Module and Instruction".

use crate::error::{Loc, Result, SpirvError};
use crate::grammar::{self, NewerOp};
use rspirv::grammar::{OperandKind, OperandQuantifier};
use smallvec::SmallVec;
use spirv::{MemoryAccess, Op};

/// Maximum id bound: SPIR-V's "Universal Limits".
const MAX_BOUND: u32 = 4_194_304;

/// Position, opcode and result of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstRef {
    /// Word offset of the opcode word.
    pub at: u32,
    /// Number of words, including the opcode word.
    pub len: u16,
    /// Number of words before the operands that follow result type and result: 1, 2 or 3.
    pub skip: u8,
    /// OpUndef for a newer instruction.
    pub op: Op,
    /// The instruction, if `op` cannot express it.
    pub newer: Option<NewerOp>,
    pub opname: &'static str,
    /// Result type, 0 if none.
    pub ty: u32,
    /// Result, 0 if none.
    pub id: u32,
}

impl InstRef {
    pub fn loc(&self) -> Loc {
        Loc {
            at: self.at as usize,
            op: self.opname,
        }
    }
}

/// An instruction with its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'a> {
    pub loc: Loc,
    /// OpUndef for a newer instruction.
    pub op: Op,
    /// The instruction, if `op` cannot express it.
    pub newer: Option<NewerOp>,
    pub ty: u32,
    pub id: u32,
    /// Operands after result type and result.
    pub args: &'a [u32],
}

impl Inst<'_> {
    /// Operand `i`.
    pub fn arg(&self, i: usize) -> Result<u32> {
        match self.args.get(i) {
            Some(&w) => Ok(w),
            None => Err(SpirvError::TooShort {
                at: self.loc.at,
                op: self.loc.op,
                need: i + 2,
                has: self.args.len() + 1,
            }),
        }
    }
}

/// The instructions of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    pub words: Vec<u32>,
    pub insts: Vec<InstRef>,
    /// By id: index of its defining instruction plus one, 0 if undefined.
    pub defs: Vec<u32>,
}

impl Stream {
    pub fn inst(&self, r: &InstRef) -> Inst<'_> {
        let start = r.at as usize + r.skip as usize;
        let end = r.at as usize + r.len as usize;
        Inst {
            loc: r.loc(),
            op: r.op,
            newer: r.newer,
            ty: r.ty,
            id: r.id,
            args: self.words.get(start..end).unwrap_or(&[]),
        }
    }

    /// The instruction that defines `id`.
    pub fn def(&self, id: u32) -> Option<&InstRef> {
        let index = *self.defs.get(id as usize)?;
        self.insts.get((index as usize).checked_sub(1)?)
    }
}

/// Length, in words, of the string at the start of `words`, including its terminator; `None` if it
/// is not terminated.
pub(crate) fn string_len_words(words: &[u32]) -> Option<usize> {
    words
        .iter()
        .position(|w| w.to_le_bytes().contains(&0))
        .map(|i| i + 1)
}

/// The string at the start of `words`.
pub(crate) fn decode_string(words: &[u32]) -> String {
    let mut bytes = Vec::with_capacity(4 * string_len_words(words).unwrap_or(words.len()));
    let all = words.iter().flat_map(|w| w.to_le_bytes());
    bytes.extend(all.take_while(|&b| b != 0));
    match String::from_utf8(bytes) {
        Ok(string) => string,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    }
}

/// True for an extended instruction set without effect on execution: debug information of any kind,
/// reflection.
pub(crate) fn is_non_semantic_set(name: &str) -> bool {
    name.starts_with("NonSemantic.") || name.contains("DebugInfo")
}

/// Operands of an extended instruction before its own: type, result, set and number.
const EXT_INST_OPERANDS: usize = 4;

/// Splits `words` into instructions.
pub(crate) fn split_instructions(words: &[u32]) -> Result<Stream> {
    let header = |at: usize, what: String| SpirvError::Header { at, what };
    let Some(&[magic, version, _, bound, _]) = words.first_chunk::<5>() else {
        return Err(header(
            words.len(),
            format!("5 words expected, found {}", words.len()),
        ));
    };
    let (words, version, bound) = if magic == spirv::MAGIC_NUMBER {
        (words.to_vec(), version, bound)
    } else if magic.swap_bytes() == spirv::MAGIC_NUMBER {
        (
            words.iter().map(|w| w.swap_bytes()).collect(),
            version.swap_bytes(),
            bound.swap_bytes(),
        )
    } else {
        return Err(header(
            0,
            format!("magic number 0x07230203 expected, found {magic:#010x}"),
        ));
    };
    if version >> 16 != 1 || version >> 8 & 0xff > 6 || version & 0xff00_00ff != 0 {
        return Err(header(
            1,
            format!("version 1.0 to 1.6 expected, found {version:#010x}"),
        ));
    }
    if bound == 0 || bound > MAX_BOUND {
        return Err(header(
            3,
            format!("id bound from 1 to {MAX_BOUND} expected, found {bound}"),
        ));
    }
    let mut stream = Stream {
        insts: Vec::with_capacity(words.len() / 4),
        words,
        defs: Vec::new(),
    };
    let mut at = 5;
    let mut non_semantic_sets: SmallVec<[u32; 2]> = SmallVec::new();
    while let Some(&first) = stream.words.get(at) {
        let (len, opcode) = ((first >> 16) as usize, first & 0xffff);
        let Some(info) = grammar::by_number(opcode) else {
            return Err(SpirvError::UnknownOpcode { at, opcode });
        };
        let loc = Loc {
            at,
            op: info.opname,
        };
        if len == 0 {
            return loc.invalid("word count is 0");
        }
        let Some(mut operands) = stream.words.get(at + 1..at + len) else {
            return Err(SpirvError::TooShort {
                at,
                op: info.opname,
                need: len,
                has: stream.words.len() - at,
            });
        };
        let mut r = InstRef {
            at: at as u32,
            len: len as u16,
            skip: 1,
            op: info.opcode,
            newer: NewerOp::by_number(opcode),
            opname: info.opname,
            ty: 0,
            id: 0,
        };
        let mut grammar = info.operands;
        if matches!(r.op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR)
            && operands
                .get(2)
                .is_some_and(|set| non_semantic_sets.contains(set))
        {
            // Operands of debug information are ids or literals, depending on the instruction.
            operands = operands.get(..EXT_INST_OPERANDS).unwrap_or(operands);
            grammar = grammar.get(..EXT_INST_OPERANDS).unwrap_or(grammar);
        }
        check_operands(loc, grammar, operands, bound, &mut r)?;
        if r.op == Op::ExtInstImport
            && is_non_semantic_set(&decode_string(operands.get(1..).unwrap_or(&[])))
        {
            non_semantic_sets.push(r.id);
        }
        if r.id != 0 {
            let slot = r.id as usize;
            if stream.defs.len() <= slot {
                stream.defs.resize(slot + 1, 0);
            }
            if let Some(def) = stream.defs.get_mut(slot) {
                if *def != 0 {
                    return loc.invalid(format!("id %{} is defined twice", r.id));
                }
                *def = stream.insts.len() as u32 + 1;
            }
        }
        stream.insts.push(r);
        at += len;
    }
    Ok(stream)
}

/// Checks the operands of one instruction and sets type, id and skip of `r`.
fn check_operands(
    loc: Loc,
    grammar: &[rspirv::grammar::LogicalOperand],
    words: &[u32],
    bound: u32,
    r: &mut InstRef,
) -> Result<()> {
    let mut pos = 0;
    for operand in grammar {
        loop {
            let rest = words.get(pos..).unwrap_or(&[]);
            let Some(&word) = rest.first() else {
                if operand.quantifier == OperandQuantifier::One {
                    return Err(SpirvError::TooShort {
                        at: loc.at,
                        op: loc.op,
                        need: pos + 2,
                        has: words.len() + 1,
                    });
                }
                break;
            };
            let id_ok = |w: u32| {
                if w == 0 || w >= bound {
                    loc.expected("an id below the bound", w.to_string())
                } else {
                    Ok(())
                }
            };
            pos += match operand.kind {
                OperandKind::IdResultType => {
                    id_ok(word)?;
                    r.ty = word;
                    r.skip = 2;
                    1
                }
                OperandKind::IdResult => {
                    id_ok(word)?;
                    r.id = word;
                    r.skip = pos as u8 + 2;
                    1
                }
                OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => {
                    id_ok(word)?;
                    1
                }
                OperandKind::LiteralString => match string_len_words(rest) {
                    Some(n) => n,
                    None => return loc.expected("a terminated string", "none"),
                },
                OperandKind::PairIdRefIdRef => {
                    id_ok(word)?;
                    id_ok(second_word(loc, rest)?)?;
                    2
                }
                OperandKind::PairIdRefLiteralInteger => {
                    id_ok(word)?;
                    second_word(loc, rest)?;
                    2
                }
                OperandKind::MemoryAccess => {
                    let mask = MemoryAccess::from_bits_truncate(word);
                    let params = [
                        MemoryAccess::ALIGNED,
                        MemoryAccess::MAKE_POINTER_AVAILABLE,
                        MemoryAccess::MAKE_POINTER_VISIBLE,
                    ];
                    let n = params.iter().filter(|&&p| mask.contains(p)).count();
                    if rest.len() <= n {
                        return loc.expected("the parameters of the memory access", "none");
                    }
                    1 + n
                }
                // Operands whose size depends on a type, and enumerants with parameters: consumers
                // check each word that they read.
                OperandKind::LiteralContextDependentNumber
                | OperandKind::LiteralSpecConstantOpInteger
                | OperandKind::PairLiteralIntegerIdRef
                | OperandKind::Decoration
                | OperandKind::ExecutionMode
                | OperandKind::ImageOperands
                | OperandKind::LoopControl => rest.len(),
                _ => 1,
            };
            if operand.quantifier != OperandQuantifier::ZeroOrMore {
                break;
            }
        }
    }
    if pos < words.len() {
        return loc.invalid(format!("{} words too many", words.len() - pos));
    }
    Ok(())
}

fn second_word(loc: Loc, rest: &[u32]) -> Result<u32> {
    match rest.get(1) {
        Some(&w) => Ok(w),
        None => loc.expected("a second word of the pair", "none"),
    }
}
