//! Parses a line of text to an [`Inst`]. The functions are named after the syntax that they parse.

use super::cursor::{Cursor, SyntaxError};
use super::float::double_to_half;
use super::names::{ARFS, COND_MODS, FIRST_MME, MATH, NO_MME, PREDICATES, TYPES, by_name};
use super::print::has_exec_size;
use crate::inst::{
    Addr, ArfReg, Desc, Dst, Inst, Pred, RegFile, Region, SWIZZLE_FIRST_QWORD,
    SWIZZLE_SECOND_QWORD, SWIZZLE_XYZW, Send, Src,
};
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;
use hw::Gen;

/// An instruction whose jump targets may be labels.
pub struct LabelledInst {
    pub inst: Inst,
    /// Labels of JIP and UIP with their columns.
    pub targets: [Option<(String, usize)>; 2],
}

/// An operand without region and type.
struct Register {
    file: RegFile,
    nr: u8,
    /// Subregister in elements, whose size the type determines.
    sub: u32,
    indirect: Option<(u8, i16)>,
    /// Letters of a swizzle or write mask (`.xyz`).
    components: Option<String>,
    /// Number of a macro accumulator (`.mme0`), or [`NO_MME`].
    mme: Option<u8>,
}

/// The numbers between `<` and `>`.
enum Strides {
    None,
    One(u8),
    /// `<a;b>`.
    Pair(u8, u8),
    /// `<w,h>`.
    Indirect(u8, u8),
    Three(Region),
}

/// Parses one instruction.
pub fn parse_instruction(text: &mut Cursor, hw_gen: Gen) -> Result<LabelledInst, SyntaxError> {
    let mut line = LabelledInst {
        inst: Inst::new(Opcode::Nop, 1),
        targets: [None, None],
    };
    predicate(text, &mut line.inst)?;
    mnemonic(text, &mut line.inst, hw_gen)?;
    flag_modifier(text, &mut line.inst)?;
    let inst = &mut line.inst;
    match inst.op.info().class {
        EncodingClass::Nullary => {}
        EncodingClass::Basic | EncodingClass::Math => {
            inst.align16 = inst.is_math_macro();
            destination(text, inst)?;
            for i in 0..inst.sources() {
                inst.src[i] = source(text, inst)?;
            }
        }
        EncodingClass::ThreeSource => {
            inst.align16 = true;
            destination(text, inst)?;
            for i in 0..3 {
                inst.src[i] = ternary_source(text, inst)?;
            }
        }
        EncodingClass::Send | EncodingClass::SplitSend => message(text, inst)?,
        EncodingClass::Wait => {
            inst.src[0] = source(text, inst)?;
            inst.dst.addr = inst.src[0].addr;
            inst.dst.ty = inst.src[0].ty;
        }
        EncodingClass::Jip => target(text, &mut line, 0)?,
        EncodingClass::JipUip => {
            target(text, &mut line, 0)?;
            target(text, &mut line, 1)?;
        }
        EncodingClass::Jump => jump(text, &mut line)?,
    }
    options(text, &mut line.inst)?;
    if text.at_end() {
        Ok(line)
    } else {
        text.fail("expected the end of the line")
    }
}

fn flag(text: &mut Cursor) -> Result<u8, SyntaxError> {
    text.expect("f")?;
    let register = text.number("a flag register", 1)?;
    text.expect(".")?;
    let half = text.number("half of a flag register", 1)?;
    Ok((register * 2 + half) as u8)
}

fn predicate(text: &mut Cursor, inst: &mut Inst) -> Result<(), SyntaxError> {
    text.skip_blanks();
    if !text.eat("(") {
        return Ok(());
    }
    if text.eat("W") {
        inst.no_mask = true;
        if text.eat(")") {
            return Ok(());
        }
        text.expect("&")?;
    }
    let inverse = text.eat("~");
    inst.flag = flag(text)?;
    let start = text.clone();
    let form = if text.eat(".") { text.word() } else { "" };
    let Some(ctrl) = by_name(PREDICATES, form) else {
        return start.fail("unknown predicate form");
    };
    inst.pred = Some(Pred { ctrl, inverse });
    text.expect(")")
}

fn mnemonic(text: &mut Cursor, inst: &mut Inst, hw_gen: Gen) -> Result<(), SyntaxError> {
    text.skip_blanks();
    let start = text.clone();
    let name = text.word();
    match Opcode::from_name(name) {
        Some(op) if op.number(hw_gen).is_some() => inst.op = op,
        Some(_) => return start.fail(format!("{hw_gen:?} has no {name}")),
        None => return start.fail("expected a mnemonic"),
    }
    let start = text.clone();
    let function = if text.eat(".") { text.word() } else { "" };
    let branch = matches!(inst.op, Opcode::If | Opcode::Else | Opcode::Goto);
    match (inst.op, function) {
        (Opcode::Math, _) => match by_name(MATH, function) {
            Some(function) => inst.math = Some(function),
            None => return start.fail("expected a function of math"),
        },
        (_, "") => {}
        (_, "b") if branch => inst.branch_ctrl = true,
        _ => return start.fail("unknown form of this instruction"),
    }
    if inst.op == Opcode::Jmpi {
        inst.no_mask = true;
    }
    text.skip_blanks();
    // An implied execution size may still be written.
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let written = text.rest().starts_with('(') && digit(text.rest().chars().nth(1));
    if !written && !has_exec_size(inst.op) {
        return Ok(());
    }
    text.expect("(")?;
    inst.exec_size = text.number("an execution size", 32)? as u8;
    if text.eat("|") {
        text.expect("M")?;
        inst.chan_off = text.number("a first channel", 28)? as u8;
    }
    text.expect(")")
}

fn flag_modifier(text: &mut Cursor, inst: &mut Inst) -> Result<(), SyntaxError> {
    text.skip_blanks();
    let mut ahead = text.clone();
    if !ahead.eat("(") {
        return Ok(());
    }
    let name = ahead.word();
    if !ahead.eat(")") || ["sat", "abs"].contains(&name) {
        return Ok(());
    }
    let cmod = by_name(COND_MODS, name);
    let early_out = name == "eo" && inst.is_math_macro();
    if cmod.is_none() && !early_out {
        return text.fail("unknown conditional modifier");
    }
    let start = ahead.clone();
    let flag = flag(&mut ahead)?;
    if inst.pred.is_some() && inst.flag != flag {
        return start.fail("predicate and conditional modifier share one flag");
    }
    inst.flag = flag;
    inst.cmod = cmod.unwrap_or(inst.cmod);
    *text = ahead;
    Ok(())
}

fn register(text: &mut Cursor) -> Result<Register, SyntaxError> {
    let mut found = Register {
        file: RegFile::Grf,
        nr: 0,
        sub: 0,
        indirect: None,
        components: None,
        mme: None,
    };
    if text.eat("r[a0.") {
        let a0_sub = text.number("an address subregister", 15)? as u8;
        let start = text.clone();
        let mut imm = 0;
        if text.eat(",") {
            text.skip_blanks();
            imm = text.integer()?;
        }
        if !(-512..512).contains(&imm) {
            return start.fail("the displacement is outside −512..=511");
        }
        text.expect("]")?;
        found.indirect = Some((a0_sub, imm as i16));
    } else {
        (found.file, found.nr) = register_name(text)?;
        if text.peek() == Some('.')
            && text
                .rest()
                .as_bytes()
                .get(1)
                .is_some_and(u8::is_ascii_digit)
        {
            text.expect(".")?;
            found.sub = text.number("a subregister", 31)?;
        }
    }
    if text.eat(".") {
        let start = text.clone();
        let word = text.word();
        if word == "nomme" {
            found.mme = Some(NO_MME);
        } else if let Some(number) = word.strip_prefix("mme") {
            match number.parse() {
                Ok(n) if n < NO_MME => found.mme = Some(n),
                _ => return start.fail("expected mme0 to mme7"),
            }
        } else if !word.is_empty() && word.chars().all(|c| "xyzw_".contains(c)) {
            found.components = Some(word.to_owned());
        } else {
            return start.fail("expected a subregister, components or a macro accumulator");
        }
    }
    Ok(found)
}

fn register_name(text: &mut Cursor) -> Result<(RegFile, u8), SyntaxError> {
    let start = text.clone();
    let name = text.take_while(|c| c.is_ascii_alphabetic());
    let mut number = |max| -> Result<u8, SyntaxError> {
        if text.peek().is_some_and(|c| c.is_ascii_digit()) {
            Ok(text.number("a register number", max)? as u8)
        } else {
            Ok(0)
        }
    };
    if name == "r" {
        return Ok((RegFile::Grf, number(255)?));
    }
    if name == "m" {
        return Ok((RegFile::Mrf, number(23)?));
    }
    if name == "mme" {
        let nr = 0x20 + FIRST_MME + number(7)?;
        return Ok((RegFile::Arf, nr));
    }
    match ARFS.iter().find(|a| a.name == name) {
        Some(a) => Ok((RegFile::Arf, a.high << 4 | number(15)?)),
        None => start.fail("expected a register"),
    }
}

fn strides(text: &mut Cursor) -> Result<Strides, SyntaxError> {
    if !text.eat("<") {
        return Ok(Strides::None);
    }
    let a = text.number("a stride", 32)? as u8;
    let found = if text.eat(";") {
        let b = text.number("a width", 16)? as u8;
        if text.eat(",") {
            let c = text.number("a stride", 4)? as u8;
            Strides::Three(Region::new(a, b, c))
        } else {
            Strides::Pair(a, b)
        }
    } else if text.eat(",") {
        let b = text.number("a stride", 4)? as u8;
        Strides::Indirect(a, b)
    } else {
        Strides::One(a)
    };
    text.expect(">")?;
    Ok(found)
}

fn type_suffix(text: &mut Cursor) -> Result<Option<Type>, SyntaxError> {
    if !text.eat(":") {
        return Ok(None);
    }
    let start = text.clone();
    match by_name(TYPES, text.word()) {
        Some(ty) => Ok(Some(ty)),
        None => start.fail("expected a type"),
    }
}

fn address(text: &Cursor, register: &Register, ty: Type) -> Result<Addr, SyntaxError> {
    if let Some((a0_sub, imm_bytes)) = register.indirect {
        return Ok(Addr::Indirect { a0_sub, imm_bytes });
    }
    let sub = register.sub * ty.size_bytes();
    if sub > 31 {
        return text.fail("the subregister is outside its register");
    }
    Ok(Addr::Direct {
        nr: register.nr,
        sub_bytes: sub as u8,
    })
}

fn write_mask(letters: &str) -> u8 {
    let bit = |c| "xyzw".find(c).map_or(0, |i| 1 << i);
    letters.chars().fold(0, |mask, c| mask | bit(c))
}

fn swizzle(text: &Cursor, letters: &str) -> Result<u8, SyntaxError> {
    let mut code = 0;
    let mut last = 0;
    for (i, c) in letters.chars().enumerate() {
        match "xyzw".find(c) {
            Some(component) if i < 4 => last = component as u8,
            _ => return text.fail("expected one to four of x, y, z, w"),
        }
        code |= last << (2 * i);
    }
    // The last letter is repeated.
    for i in letters.len()..4 {
        code |= last << (2 * i);
    }
    Ok(code)
}

fn destination(text: &mut Cursor, inst: &mut Inst) -> Result<(), SyntaxError> {
    text.skip_blanks();
    let start = text.clone();
    inst.saturate = text.eat("(sat)");
    let found = register(text)?;
    let strides = strides(text)?;
    let Some(ty) = type_suffix(text)? else {
        return text.fail("expected a type");
    };
    let mut dst = Dst {
        file: found.file,
        ty,
        addr: address(&start, &found, ty)?,
        hstride: 1,
        writemask: 0xf,
    };
    match strides {
        Strides::None => {}
        Strides::One(h) => dst.hstride = h,
        _ => return start.fail("a destination has one stride"),
    }
    if let Some(letters) = &found.components {
        dst.writemask = write_mask(letters);
    }
    if let Some(mme) = found.mme {
        dst.writemask = mme;
    }
    inst.dst = dst;
    Ok(())
}

fn modifiers(text: &mut Cursor) -> (bool, bool) {
    let negate = text.eat("-") || text.eat("~");
    (negate, text.eat("(abs)"))
}

fn source(text: &mut Cursor, inst: &Inst) -> Result<Src, SyntaxError> {
    text.skip_blanks();
    if starts_immediate(text) {
        return immediate(text);
    }
    let start = text.clone();
    let (negate, abs) = modifiers(text);
    let found = register(text)?;
    let strides = strides(text)?;
    let Some(ty) = type_suffix(text)? else {
        return text.fail("expected a type");
    };
    let region = match (strides, found.mme) {
        (_, Some(_)) => Region::new(16 / ty.size_bytes() as u8, 4, 1),
        (Strides::None, _) if inst.exec_size == 1 => Region::SCALAR,
        (Strides::None, _) => Region::new(1, 1, 0),
        (Strides::Three(region), _) => region,
        (Strides::Indirect(w, h), _) => Region::new(Region::VX1, w, h),
        (Strides::One(v), _) => Region::new(v, 4, 1),
        (Strides::Pair(..), _) => return start.fail("expected a region <v;w,h>"),
    };
    let addr = address(&start, &found, ty)?;
    let mut src = Src::null(ty);
    (src.file, src.addr, src.region) = (found.file, addr, region);
    (src.negate, src.abs) = (negate, abs);
    if let Some(letters) = &found.components {
        src.swizzle = swizzle(&start, letters)?;
    }
    if let Some(mme) = found.mme {
        src.swizzle = mme;
    }
    Ok(src)
}

fn ternary_source(text: &mut Cursor, inst: &Inst) -> Result<Src, SyntaxError> {
    text.skip_blanks();
    let start = text.clone();
    let (negate, abs) = modifiers(text);
    let found = register(text)?;
    let scalar = match strides(text)? {
        Strides::None => false,
        Strides::Pair(0, 0) | Strides::One(0) => true,
        Strides::Pair(2, 1) | Strides::One(1) => false,
        _ => return start.fail("expected one of <2;1>, <0;0>, <1>, <0>"),
    };
    let Some(ty) = type_suffix(text)? else {
        return text.fail("expected a type");
    };
    let mut addr = address(&start, &found, ty)?;
    let mut src = Src::grf(0, 0, ty, Region::new(4, 4, 1));
    if let Some(letters) = &found.components {
        src.swizzle = swizzle(&start, letters)?;
    }
    if scalar && ty.size_bytes() == 8 {
        // A 64-bit element is replicated by a swizzle of dwords.
        src.swizzle = SWIZZLE_FIRST_QWORD;
        if let Addr::Direct { sub_bytes, .. } = &mut addr {
            if *sub_bytes & 8 != 0 {
                src.swizzle = SWIZZLE_SECOND_QWORD;
            }
            *sub_bytes &= !8;
        }
    } else if scalar {
        src.rep_ctrl = true;
        src.swizzle = SWIZZLE_XYZW;
    }
    if let Some(mme) = found.mme {
        src.swizzle = mme;
    } else if inst.op == Opcode::Madm {
        return start.fail("expected a macro accumulator");
    }
    (src.file, src.addr) = (found.file, addr);
    (src.negate, src.abs) = (negate, abs);
    Ok(src)
}

fn starts_immediate(text: &Cursor) -> bool {
    let rest = text.rest();
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    rest.starts_with(|c: char| c.is_ascii_digit())
        || ["inf", "qnan", "snan"].iter().any(|n| rest.starts_with(n))
}

fn immediate(text: &mut Cursor) -> Result<Src, SyntaxError> {
    let start = text.clone();
    // The literal extends to the type; an exponent may contain a sign.
    let literal = text.take_while(|c| c.is_ascii_alphanumeric() || "+-.()".contains(c));
    let Some(ty) = type_suffix(text)? else {
        return text.fail("expected a type");
    };
    let bits = if ty.is_float() && ty != Type::Vf {
        float_bits(literal, ty)
    } else {
        integer_bits(literal, ty)
    };
    match bits {
        Some(bits) => Ok(Src::imm(ty, bits)),
        None => start.fail("the type has no such value"),
    }
}

fn integer_bits(literal: &str, ty: Type) -> Option<u64> {
    let mut digits = Cursor::new(literal);
    let value = digits.integer().ok().filter(|_| digits.rest().is_empty())?;
    let bits = match ty {
        Type::V | Type::Uv | Type::Vf => 32,
        _ => 8 * ty.size_bytes(),
    };
    let fits = value >= -(1i128 << (bits - 1)) && value < 1i128 << bits;
    fits.then_some(value as u64)
}

fn float_bits(literal: &str, ty: Type) -> Option<u64> {
    let (sign, magnitude) = match literal.strip_prefix('-') {
        Some(rest) => (1u64, rest),
        None => (0, literal),
    };
    let (mantissa, width) = match ty {
        Type::Hf => (10, 16),
        Type::F => (23, 32),
        _ => (52, 64),
    };
    if let Some(hex) = magnitude.strip_prefix("0x") {
        let bits = u64::from_str_radix(hex, 16).ok()?;
        return Some(bits).filter(|b| sign == 0 && (width == 64 || b >> width == 0));
    }
    let payload = |name: &str| -> Option<u64> {
        let hex = magnitude.strip_prefix(name)?.strip_prefix("(0x")?;
        u64::from_str_radix(hex.strip_suffix(')')?, 16).ok()
    };
    let exponent = ((1u64 << (width - 1 - mantissa)) - 1) << mantissa;
    let quiet = 1u64 << (mantissa - 1);
    let nan = match (payload("qnan"), payload("snan")) {
        (Some(p), _) if p < quiet => Some(p | quiet),
        (_, Some(p)) if p != 0 && p < quiet => Some(p),
        (None, None) => None,
        _ => return None,
    };
    if let Some(payload) = nan {
        return Some(sign << (width - 1) | exponent | payload);
    }
    if !magnitude.contains(['.', 'e']) && !["inf", "0"].contains(&magnitude) {
        // IGA reads a number without point or exponent as bits, a human as a value, so it is
        // refused.
        return None;
    }
    let value: f64 = literal.parse().ok()?;
    Some(match ty {
        Type::Hf => double_to_half(value).into(),
        Type::F => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    })
}

fn payload(text: &mut Cursor) -> Result<(Register, Option<Type>), SyntaxError> {
    text.skip_blanks();
    let found = register(text)?;
    strides(text)?;
    let ty = type_suffix(text)?;
    Ok((found, ty))
}

fn message(text: &mut Cursor, inst: &mut Inst) -> Result<(), SyntaxError> {
    let region = Region::new(8, 8, 1);
    let start = text.clone();
    let (to, ty) = payload(text)?;
    let ty = ty.unwrap_or(Type::Ud);
    inst.dst.file = to.file;
    inst.dst.ty = ty;
    inst.dst.addr = address(&start, &to, ty)?;
    let split = inst.op.info().class == EncodingClass::SplitSend;
    for i in 0..if split { 2 } else { 1 } {
        let (from, ty) = payload(text)?;
        let ty = ty.unwrap_or(Type::Ud);
        inst.src[i] = Src::grf(0, 0, ty, region);
        inst.src[i].file = from.file;
        inst.src[i].addr = address(&start, &from, ty)?;
    }
    let start = text.clone();
    let ex_desc = descriptor(text)?;
    let mut send = Send {
        sfid: 0,
        desc: descriptor(text)?,
        ex_desc,
        eot: false,
    };
    if let Desc::Imm(ex) = &mut send.ex_desc {
        send.sfid = (*ex & 15) as u8;
        send.eot = *ex >> 5 & 1 == 1;
        *ex &= !0x2f;
    } else if !split {
        return start.fail("only sends and sendsc take this descriptor from a register");
    }
    inst.send = Some(send);
    Ok(())
}

fn descriptor(text: &mut Cursor) -> Result<Desc, SyntaxError> {
    text.skip_blanks();
    let start = text.clone();
    if text.eat("a0.") {
        return Ok(Desc::A0(text.number("a dword of a0", 7)? as u8 * 2));
    }
    match u32::try_from(text.integer()?) {
        Ok(value) => Ok(Desc::Imm(value)),
        Err(_) => start.fail("a descriptor has 32 bits"),
    }
}

fn target(text: &mut Cursor, line: &mut LabelledInst, which: usize) -> Result<(), SyntaxError> {
    text.skip_blanks();
    let start = text.clone();
    if text.peek().is_some_and(|c| c == '-' || c.is_ascii_digit()) {
        let Ok(distance) = i32::try_from(text.integer()?) else {
            return start.fail("a jump's distance has 32 bits");
        };
        if which == 0 {
            line.inst.jip = distance;
        } else {
            line.inst.uip = distance;
        }
        return Ok(());
    }
    let name = text.word();
    if name.is_empty() {
        return start.fail("expected a label or a distance in bytes");
    }
    let column = start.fail::<()>("").err().map_or(0, |f| f.column);
    line.targets[which] = Some((name.to_owned(), column));
    Ok(())
}

/// True if a register and not a label comes next.
fn starts_register(text: &Cursor) -> bool {
    let mut ahead = text.clone();
    register_name(&mut ahead).is_ok() && matches!(ahead.peek(), Some('.' | ':' | '<'))
}

fn jump(text: &mut Cursor, line: &mut LabelledInst) -> Result<(), SyntaxError> {
    let op = line.inst.op;
    text.skip_blanks();
    if matches!(op, Opcode::Call | Opcode::Calla) {
        let start = text.clone();
        let (to, _) = payload(text)?;
        line.inst.dst = Dst::arf(ArfReg::Null, 0, 0, Type::D);
        line.inst.dst.file = to.file;
        line.inst.dst.addr = address(&start, &to, Type::D)?;
        text.skip_blanks();
    }
    if op == Opcode::Ret || starts_register(text) {
        let start = text.clone();
        let (from, ty) = payload(text)?;
        let region = match op {
            Opcode::Brc | Opcode::Ret => Region::new(2, 2, 1),
            _ => Region::SCALAR,
        };
        let mut src = Src::grf(0, 0, ty.unwrap_or(Type::D), region);
        src.file = from.file;
        src.addr = address(&start, &from, src.ty)?;
        line.inst.src[0] = src;
        return Ok(());
    }
    line.inst.src[0] = Src::imm_d(0);
    target(text, line, 0)?;
    if op == Opcode::Brc {
        target(text, line, 1)?;
    }
    Ok(())
}

fn options(text: &mut Cursor, inst: &mut Inst) -> Result<(), SyntaxError> {
    text.skip_blanks();
    if !text.eat("{") {
        return Ok(());
    }
    loop {
        text.skip_blanks();
        let start = text.clone();
        match (text.word(), inst.send.as_mut()) {
            ("AccWrEn", _) => inst.acc_wr = true,
            ("Align16", _) => inst.align16 = true,
            ("Atomic", _) => inst.atomic = true,
            ("Breakpoint", _) => inst.breakpoint = true,
            ("Compacted", _) => inst.compacted = true,
            ("EOT", Some(send)) => send.eot = true,
            ("NoDDChk", _) => inst.no_dd_chk = true,
            ("NoDDClr", _) => inst.no_dd_clr = true,
            ("Switch", _) => inst.switch = true,
            _ => return start.fail("unknown option of this instruction"),
        }
        text.skip_blanks();
        if text.eat("}") {
            return Ok(());
        }
        text.expect(",")?;
    }
}
