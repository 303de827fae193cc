//! Parses the text form of LIR.
//!
//! In:  text as `print` writes it, with or without the numbers of instructions; lines that start
//!      with `;` are comments.
//! Out: a program, or the line with the first syntax error. Semantics are not checked, so that
//!      invalid programs can be written as test cases; `validate` checks them.
//! Tests: `parse/tests`, tests/fs/lir/.

mod cursor;
mod error;
mod operands;

use crate::lir::inst::{Inst, Op, Payload, Pred, SendInfo};
use crate::lir::names;
use crate::lir::operand::{Reg, Vgrf};
use crate::lir::program::Lir;
use cursor::Cursor;
use entity::Arena;
use error::{ParseError, Result};
use isa::names::by_name;
use isa::{Opcode, PredCtrl};

/// Parses a program.
pub(crate) fn parse(text: &str) -> std::result::Result<Lir, ParseError> {
    let mut lir = Lir::default();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        let mut c = Cursor::new(line);
        parse_line(&mut lir, &mut c).map_err(|what| ParseError { line: at + 1, what })?;
    }
    if lir.width == 0 {
        let what = "expected a line with the width, such as 'simd8'".to_owned();
        return Err(ParseError { line: 1, what });
    }
    Ok(lir)
}

fn parse_line(lir: &mut Lir, c: &mut Cursor<'_>) -> Result<()> {
    if lir.width == 0 {
        facts(lir, c)?;
    } else if lir.insts.is_empty() && c.is_declaration() {
        vgrfs(lir, c)?;
    } else {
        c.skip_number();
        let inst = inst(&mut lir.payloads, c)?;
        lir.insts.push(inst);
    }
    c.end()
}

/// The first line: the width, and what differs from the default.
fn facts(lir: &mut Lir, c: &mut Cursor<'_>) -> Result<()> {
    if !c.eat("simd") {
        return c.expected("'simd' and the width");
    }
    lir.width = c.number()?;
    if lir.width == 0 {
        return Err("expected a width above 0".to_owned());
    }
    while c.eat(",") {
        match c.word() {
            "scratch" => lir.scratch_bytes = c.number()?,
            "cross_block_flags" => lir.cross_block_flags = c.bits()?,
            "message_registers" => {
                let hw_gen = c.value(names::MRF_GENS, "a generation with message registers")?;
                lir.message_registers = isa::message_registers(hw_gen);
            }
            other => return Err(format!("expected a property of a program, found '{other}'")),
        }
    }
    Ok(())
}

/// A line of declarations: `v0: 1 g0 no_spill, v1: 2`.
fn vgrfs(lir: &mut Lir, c: &mut Cursor<'_>) -> Result<()> {
    loop {
        let name = format!("v{}", lir.vgrfs.len());
        if !c.eat_word(&name) {
            return c.expected(&format!("the declaration of '{name}'"));
        }
        c.expect(":")?;
        let regs = c.number()?;
        let fixed = match c.peek_word().strip_prefix('g') {
            Some(number) => {
                let number = number.parse().map_err(|_| "expected a GRF".to_owned())?;
                c.word();
                Some(number)
            }
            None => None,
        };
        lir.vgrfs.push(Vgrf {
            regs,
            fixed,
            no_spill: c.eat_word("no_spill"),
        });
        if !c.eat(",") {
            return Ok(());
        }
    }
}

/// The operation of this name. The payload of a collect is added later.
fn operation(name: &str, payloads: &Arena<Payload>) -> Option<Op> {
    Some(match name {
        "send" => Op::Send,
        "collect" => Op::Collect(payloads.next_id()),
        "mov_indirect" => Op::MovIndirect,
        "do" => Op::Do,
        "constants" => Op::ConstantDataHandle,
        "halt_target" => Op::HaltTarget,
        _ => match name.strip_prefix("math.") {
            Some(function) => Op::Math(by_name(isa::names::MATH, function)?),
            None => Op::Eu(Opcode::from_name(name)?),
        },
    })
}

/// `f1.0` as the number of the flag subregister.
fn flag(c: &mut Cursor<'_>) -> Result<u8> {
    if !c.eat("f") {
        return c.expected("a flag register");
    }
    let register: u8 = c.number()?;
    c.expect(".")?;
    let half: u8 = c.number()?;
    if register > 1 || half > 1 {
        return Err("expected f0.0, f0.1, f1.0 or f1.1".to_owned());
    }
    Ok(2 * register + half)
}

/// `(+f0.0) `, with the predicate control behind a dot.
fn predicate(c: &mut Cursor<'_>) -> Result<(Pred, u8)> {
    let inverse = c.eat("-");
    if !inverse {
        c.expect("+")?;
    }
    let flag = flag(c)?;
    let ctrl = match c.eat(".") {
        true => c.value(isa::names::PREDICATES, "a predicate control")?,
        false => PredCtrl::Normal,
    };
    c.expect(")")?;
    Ok((Pred { ctrl, inverse }, flag))
}

fn inst(payloads: &mut Arena<Payload>, c: &mut Cursor<'_>) -> Result<Inst> {
    let pred = match c.eat("(") {
        true => Some(predicate(c)?),
        false => None,
    };
    let name = c.dotted_word();
    let (name, sat) = match name.strip_suffix(".sat") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let Some(op) = operation(name, payloads) else {
        return Err(format!("expected an operation, found '{name}'"));
    };
    c.expect("(")?;
    let mut inst = Inst::new(op, c.number()?);
    inst.sat = sat;
    if let Some((pred, flag)) = pred {
        (inst.pred, inst.flag) = (Some(pred), flag);
    }
    c.expect("|")?;
    c.expect("M")?;
    inst.group = c.number()?;
    inst.no_mask = c.eat("|W");
    c.expect(")")?;
    if c.eat("(") {
        let Some(cmod) = by_name(isa::names::COND_MODS, c.letters_before('f')) else {
            return c.expected("a conditional modifier");
        };
        let flag = flag(c)?;
        if inst.pred.is_some() && inst.flag != flag {
            return Err("expected the same flag in predicate and conditional modifier".to_owned());
        }
        (inst.cmod, inst.flag) = (cmod, flag);
        c.expect(")")?;
    }
    if !inst.is_control() || !c.is_at_end() && !c.is_at("{") {
        inst.dst = operands::dst(c)?;
        for i in 0..inst.sources() {
            inst.src[i] = operands::src(c)?;
        }
    }
    if let Op::Collect(_) = op {
        inst.op = Op::Collect(payloads.push(operands::payload(c, inst.exec)?));
    }
    if c.eat("sfid=") {
        inst.send = Some(message(c)?);
    }
    if c.eat("{") {
        attributes(c, &mut inst)?;
    }
    Ok(inst)
}

fn message(c: &mut Cursor<'_>) -> Result<SendInfo> {
    let sfid = c.number()?;
    c.expect("desc=")?;
    let desc = c.bits()?;
    c.expect("len=")?;
    let mlen = c.number()?;
    c.expect("+")?;
    let ex_mlen = c.number()?;
    c.expect("->")?;
    Ok(SendInfo {
        sfid,
        desc,
        mlen,
        ex_mlen,
        rlen: c.number()?,
        header: c.eat_word("header"),
        reads: c.eat_word("reads"),
        writes: c.eat_word("writes"),
        dynamic_desc: c.eat_word("dynamic_desc"),
        sendc: c.eat_word("sendc"),
        eot: c.eat_word("eot"),
        handle_offset: match c.eat("handle_offset=") {
            true => c.bits()?,
            false => 0,
        },
    })
}

/// The attributes in braces at the end of an instruction.
fn attributes(c: &mut Cursor<'_>, inst: &mut Inst) -> Result<()> {
    while !c.eat("}") {
        if c.eat_word("acc_wr") {
            inst.acc_wr = true;
        } else if c.eat_word("switch") {
            inst.switch = true;
        } else if c.is_at("f") {
            inst.flag = flag(c)?;
        } else if c.eat_word("compr4") {
            let Reg::Mrf(m) = &mut inst.dst.reg else {
                return Err("expected a message register with compr4".to_owned());
            };
            m.compr4 = true;
        } else {
            return c.expected("an attribute or '}'");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
