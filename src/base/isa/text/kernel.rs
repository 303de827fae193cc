//! Assembles and disassembles whole programs: labels and offsets of instructions.

use super::cursor::{Cursor, SyntaxError};
use super::parse::{LabelledInst, parse_instruction};
use super::print::print_instruction;
use crate::compact::compact;
use crate::decode::{DecodeError, decode};
use crate::encode::{EncodeError, encode};
use crate::inst::Inst;
use crate::message::describe_send;
use crate::opcode::{EncodingClass, Opcode};
use hw::Gen;
use std::collections::{BTreeMap, BTreeSet};

/// Why text cannot be assembled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AsmError {
    /// Text that is not an instruction.
    #[error("line {line}, column {column}: {what}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What was expected, or is wrong.
        what: String,
    },
    /// An instruction that has no encoding.
    #[error("line {line}: {source}")]
    Encode {
        /// Line, from 1.
        line: usize,
        /// The reason.
        source: EncodeError,
    },
    /// `{Compacted}` on an instruction that has no compacted form.
    #[error("line {line}: this instruction has no compacted form")]
    Compact {
        /// Line, from 1.
        line: usize,
    },
}

/// Machine code that cannot be disassembled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at_bytes}: {source}")]
pub struct KernelError {
    /// Offset of the invalid instruction, in bytes.
    pub at_bytes: usize,
    /// Why it cannot be decoded.
    pub source: DecodeError,
}

impl AsmError {
    fn syntax(line: usize, error: SyntaxError) -> AsmError {
        AsmError::Syntax {
            line,
            column: error.column,
            what: error.message,
        }
    }
}

/// Assembles one instruction. Jump targets are distances, not labels.
pub fn assemble(text: &str, hw_gen: Gen) -> Result<Inst, AsmError> {
    let text = blank_comments(text);
    let parsed = parse_instruction(&mut Cursor::new(&text), hw_gen);
    let line = parsed.map_err(|error| AsmError::syntax(1, error))?;
    match line.targets.into_iter().flatten().next() {
        None => Ok(line.inst),
        Some((name, column)) => Err(AsmError::Syntax {
            line: 1,
            column,
            what: format!("there is no label {name}"),
        }),
    }
}

/// Replaces comments by blanks, so that columns do not change.
fn blank_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let comment = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            0
        };
        if comment == 0 {
            out.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or("");
        } else {
            let skipped = rest.get(..comment).unwrap_or(rest);
            out.extend(skipped.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
            rest = rest.get(comment..).unwrap_or("");
        }
    }
    out
}

/// Assembles a program to machine code.
pub fn assemble_kernel(text: &str, hw_gen: Gen) -> Result<Vec<u8>, AsmError> {
    let text = blank_comments(text);
    let mut lines: Vec<(usize, i32, LabelledInst)> = Vec::new();
    let mut labels = BTreeMap::new();
    let mut offset = 0i32;
    for (number, line) in text.lines().enumerate().map(|(i, l)| (i + 1, l)) {
        let mut cursor = Cursor::new(line);
        while let Some(name) = parse_label(&mut cursor) {
            if labels.insert(name.to_owned(), offset).is_some() {
                return Err(AsmError::Syntax {
                    line: number,
                    column: 1,
                    what: format!("the label {name} is defined twice"),
                });
            }
        }
        if cursor.at_end() {
            continue;
        }
        let parsed = parse_instruction(&mut cursor, hw_gen);
        let parsed = parsed.map_err(|error| AsmError::syntax(number, error))?;
        let len = if parsed.inst.compacted { 8 } else { 16 };
        lines.push((number, offset, parsed));
        offset = offset.saturating_add(len);
    }
    let mut code = Vec::new();
    for (number, offset, mut line) in lines {
        let targets = std::mem::take(&mut line.targets);
        for (i, target) in targets.into_iter().enumerate() {
            let Some((name, column)) = target else {
                continue;
            };
            let Some(to) = labels.get(&name) else {
                return Err(AsmError::Syntax {
                    line: number,
                    column,
                    what: format!("there is no label {name}"),
                });
            };
            let absolute = line.inst.op == Opcode::Calla;
            let distance = if absolute { *to } else { to - offset };
            if i == 0 {
                line.inst.jip = distance;
            } else {
                line.inst.uip = distance;
            }
        }
        let bytes = encode(&line.inst, hw_gen).map_err(|source| AsmError::Encode {
            line: number,
            source,
        })?;
        if line.inst.compacted {
            let short = compact(u128::from_le_bytes(bytes), hw_gen);
            let short = short.ok_or(AsmError::Compact { line: number })?;
            code.extend(short.to_le_bytes());
        } else {
            code.extend(bytes);
        }
    }
    Ok(code)
}

/// Consumes a label, `name:`.
fn parse_label<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    cursor.skip_blanks();
    let mut ahead = cursor.clone();
    let name = ahead.word();
    let found = !name.is_empty() && ahead.eat(":");
    if found {
        *cursor = ahead;
    }
    found.then_some(name)
}

/// Disassembles a program, with labels for jump targets and descriptions of messages in comments.
pub fn disassemble_kernel(code: &[u8], hw_gen: Gen) -> Result<String, KernelError> {
    let mut insts = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let at_bytes = code.len() - rest.len();
        let (inst, len) =
            decode(rest, hw_gen).map_err(|source| KernelError { at_bytes, source })?;
        insts.push((at_bytes as i64, inst));
        rest = rest.get(len..).unwrap_or(&[]);
    }
    let starts: BTreeSet<i64> = insts.iter().map(|i| i.0).collect();
    let labels = block_starts(&insts, &starts);
    let mut out = String::new();
    for (at, inst) in &insts {
        if labels.contains(at) {
            out += &format!("L{at}:\n");
        }
        let target = |distance: i32| {
            let to = jump_target(*at, inst, distance);
            if labels.contains(&to) {
                format!("L{to}")
            } else {
                distance.to_string()
            }
        };
        out += &print_instruction(inst, &target);
        if let Some(send) = &inst.send {
            out += "  // ";
            out += &describe_send(send, hw_gen);
        }
        out.push('\n');
    }
    Ok(out)
}

fn jump_target(at: i64, inst: &Inst, distance: i32) -> i64 {
    let base = if inst.op == Opcode::Calla { 0 } else { at };
    base + i64::from(distance)
}

/// Offsets that get a label: the start of the program, jump targets, and instructions after a jump
/// or an end of thread.
fn block_starts(insts: &[(i64, Inst)], starts: &BTreeSet<i64>) -> BTreeSet<i64> {
    let mut labels = BTreeSet::new();
    let mut after = true;
    for (at, inst) in insts {
        if after {
            labels.insert(*at);
        }
        let immediate = inst.src[0].file == crate::inst::RegFile::Imm;
        let (jip, uip) = match inst.op.info().class {
            EncodingClass::Jip => (true, false),
            EncodingClass::JipUip => (true, true),
            EncodingClass::Jump => (immediate, immediate && inst.op == Opcode::Brc),
            _ => (false, false),
        };
        let targets = [(jip, inst.jip), (uip, inst.uip)];
        for (_, distance) in targets.iter().filter(|t| t.0) {
            let to = jump_target(*at, inst, *distance);
            if starts.contains(&to) {
                labels.insert(to);
            }
        }
        after = inst.op.is_branch() || inst.send.is_some_and(|send| send.eot);
    }
    labels
}
