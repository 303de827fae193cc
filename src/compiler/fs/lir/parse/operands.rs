//! Parses the operands of LIR instructions, and the parts of payloads.

use super::cursor::Cursor;
use super::error::Result;
use crate::lir::inst::{Payload, PayloadPart};
use crate::lir::names;
use crate::lir::operand::{Dst, GRF_BYTES, Mrf, Reg, Rows, Src};
use entity::Id;
use isa::Type;

/// A register or immediate, and its byte offset.
fn reg(c: &mut Cursor<'_>) -> Result<(Reg, u32)> {
    let word = c.peek_word();
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[name.len()..];
    let reg = if word.starts_with("0x") {
        Reg::Imm(c.bits()?)
    } else if word == "null" {
        c.word();
        Reg::Null
    } else {
        let number = |max: u32| digits.parse::<u32>().ok().filter(|n| *n <= max);
        let byte = || number(u8::MAX.into()).map(|n| n as u8);
        let found = match name {
            "v" => number(u32::MAX).map(|n| Reg::Vgrf(Id::new(n as usize))),
            "m" => byte().map(|nr| Reg::Mrf(Mrf { nr, compr4: false })),
            _ => names::arf_by_name(name).and_then(|arf| byte().map(|index| Reg::Arf(arf, index))),
        };
        let Some(reg) = found else {
            return c.expected("a register or immediate");
        };
        c.word();
        match (reg, c.eat(".compr4")) {
            (Reg::Mrf(Mrf { nr, .. }), true) => Reg::Mrf(Mrf { nr, compr4: true }),
            (_, true) => return Err("expected a message register with compr4".to_owned()),
            (reg, false) => reg,
        }
    };
    let offset = if c.eat("+") { c.number()? } else { 0 };
    Ok((reg, offset))
}

fn ty(c: &mut Cursor<'_>) -> Result<Type> {
    c.expect(":")?;
    c.value(isa::names::TYPES, "a type")
}

/// `v1+32<1>:ud`.
pub(super) fn dst(c: &mut Cursor<'_>) -> Result<Dst> {
    let (reg, offset) = reg(c)?;
    c.expect("<")?;
    let stride = c.number()?;
    c.expect(">")?;
    Ok(Dst {
        reg,
        offset,
        ty: ty(c)?,
        stride,
    })
}

/// `-|v1+32<1>|:f`, `v1<8;4,2>:ud`, `0x7:ud` or `null:ud`.
pub(super) fn src(c: &mut Cursor<'_>) -> Result<Src> {
    let neg = c.eat("-");
    let abs = c.eat("|");
    let (reg, offset) = reg(c)?;
    let mut rows = None;
    let stride = if c.eat("<") {
        let mut stride = c.number()?;
        if c.eat(";") {
            let vstride = stride;
            let width = c.number()?;
            rows = Some(Rows { vstride, width });
            c.expect(",")?;
            stride = c.number()?;
        }
        c.expect(">")?;
        stride
    } else {
        match reg {
            Reg::Null => 1,
            Reg::Imm(_) => 0,
            _ => return c.expected("'<' and a stride"),
        }
    };
    if abs {
        c.expect("|")?;
    }
    Ok(Src {
        reg,
        offset,
        ty: ty(c)?,
        stride,
        rows,
        neg,
        abs,
    })
}

/// The parts of a payload, of a collect with this exec size.
pub(super) fn payload(c: &mut Cursor<'_>, exec: u8) -> Result<Payload> {
    let mut payload = Payload::default();
    while !c.is_at_end() && !c.is_at("{") {
        payload.parts.push(payload_part(c, exec)?);
    }
    Ok(payload)
}

fn payload_part(c: &mut Cursor<'_>, exec: u8) -> Result<PayloadPart> {
    if c.eat_word("header_gap") {
        return Ok(PayloadPart {
            src: Src::NULL,
            bytes: GRF_BYTES,
            header: true,
        });
    }
    if c.eat_word("gap") {
        c.expect("(")?;
        let bytes = c.number()?;
        c.expect(")")?;
        return Ok(PayloadPart {
            src: Src::NULL,
            bytes,
            header: false,
        });
    }
    let header = c.eat_word("header");
    if !header && !c.eat_word("slots") {
        let src = src(c)?;
        return Ok(PayloadPart {
            src,
            bytes: u32::from(exec) * src.ty.size_bytes(),
            header,
        });
    }
    c.expect("(")?;
    let src = src(c)?;
    let bytes = match c.eat(",") {
        true => c.number()?,
        false if header => GRF_BYTES,
        false => return c.expected("',' and the size in bytes"),
    };
    c.expect(")")?;
    Ok(PayloadPart { src, bytes, header })
}
