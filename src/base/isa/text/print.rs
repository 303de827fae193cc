//! Prints an [`Inst`] as text.

use super::float::{format_f16, format_f32, format_f64};
use super::names::{ARFS, COND_MODS, FIRST_MME, MATH, NO_MME, PREDICATES, TYPES, name_of};
use crate::inst::{
    Addr, CondMod, Desc, Dst, Inst, RegFile, Region, SWIZZLE_FIRST_QWORD, SWIZZLE_SECOND_QWORD,
    SWIZZLE_XYZW, Src,
};
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;
use std::fmt::Write as _;

/// Disassembles one instruction; jump targets are distances in bytes.
pub fn disassemble(inst: &Inst) -> String {
    print_instruction(inst, &|distance| distance.to_string())
}

/// Prints one instruction; `target` formats a jump target, given its distance in bytes.
pub(super) fn print_instruction(inst: &Inst, target: &dyn Fn(i32) -> String) -> String {
    let mut line = predicate(inst);
    pad(&mut line, 8);
    line += &mnemonic(inst);
    let mut operands: Vec<String> = Vec::new();
    if let Some(flag) = flag_modifier(inst) {
        line.push(' ');
        line += &flag;
    }
    match inst.op.info().class {
        EncodingClass::Nullary => {}
        EncodingClass::Basic | EncodingClass::Math => {
            operands.push(dst(inst));
            operands.extend((0..inst.sources()).map(|i| source(inst, i)));
        }
        EncodingClass::ThreeSource => {
            operands.push(dst(inst));
            operands.extend((0..3).map(|i| ternary_source(inst, i)));
        }
        EncodingClass::Send | EncodingClass::SplitSend => message(inst, &mut operands),
        EncodingClass::Jip => operands.push(target(inst.jip)),
        EncodingClass::JipUip => operands.extend([target(inst.jip), target(inst.uip)]),
        EncodingClass::Jump => jump(inst, target, &mut operands),
        EncodingClass::Wait => {
            let mut src = inst.src[0];
            src.ty = inst.dst.ty;
            operands.push(plain_source(inst, &src));
        }
    }
    for (i, operand) in operands.iter().enumerate() {
        // Alignment to columns is for readability only.
        pad(&mut line, 34 + 18 * i);
        line += "  ";
        line += operand;
    }
    let options = options(inst);
    if !options.is_empty() {
        let _ = write!(line, "  {{{}}}", options.join(","));
    }
    line.truncate(line.trim_end().len());
    line
}

fn pad(line: &mut String, column: usize) {
    while line.len() < column {
        line.push(' ');
    }
}

fn flag_name(flag: u8) -> String {
    format!("f{}.{}", flag >> 1, flag & 1)
}

fn predicate(inst: &Inst) -> String {
    let mut parts = Vec::new();
    if inst.no_mask && inst.op.info().class != EncodingClass::Nullary {
        parts.push("W".to_owned());
    }
    if let Some(pred) = inst.pred {
        let mut text = String::new();
        if pred.inverse {
            text.push('~');
        }
        text += &flag_name(inst.flag);
        let form = name_of(PREDICATES, pred.ctrl);
        if !form.is_empty() {
            text.push('.');
            text += form;
        }
        parts.push(text);
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!("({}) ", parts.join("&"))
    }
}

fn mnemonic(inst: &Inst) -> String {
    let mut text = inst.op.info().name.to_owned();
    if let Some(function) = inst.math.filter(|_| inst.op == Opcode::Math) {
        text.push('.');
        text += name_of(MATH, function);
    }
    if inst.branch_ctrl {
        text += ".b";
    }
    if has_exec_size(inst.op) {
        let _ = write!(text, " ({}|M{})", inst.exec_size, inst.chan_off);
    }
    text
}

/// False for operations whose execution size is implied.
pub(super) fn has_exec_size(op: Opcode) -> bool {
    op != Opcode::Jmpi
        && !matches!(
            op.info().class,
            EncodingClass::Nullary | EncodingClass::Wait
        )
}

fn flag_modifier(inst: &Inst) -> Option<String> {
    if inst.is_math_macro() {
        // Early out: the flag marks channels that need no further step.
        return Some(format!("(eo){}", flag_name(inst.flag)));
    }
    if inst.cmod == CondMod::None {
        return None;
    }
    let name = name_of(COND_MODS, inst.cmod);
    Some(format!("({name}){}", flag_name(inst.flag)))
}

fn options(inst: &Inst) -> Vec<&'static str> {
    // Three-source instructions and math macros are always align16.
    let basic = matches!(
        inst.op.info().class,
        EncodingClass::Basic | EncodingClass::Math
    );
    let align16 = inst.align16 && basic && !inst.is_math_macro();
    let eot = inst.send.is_some_and(|send| send.eot);
    let all = [
        (inst.acc_wr, "AccWrEn"),
        (align16, "Align16"),
        (inst.atomic, "Atomic"),
        (inst.breakpoint, "Breakpoint"),
        (inst.compacted, "Compacted"),
        (eot && inst.op.is_send(), "EOT"),
        (inst.no_dd_chk, "NoDDChk"),
        (inst.no_dd_clr, "NoDDClr"),
        (inst.switch, "Switch"),
    ];
    all.iter().filter(|o| o.0).map(|o| o.1).collect()
}

/// Formats a register, with its subregister in elements if `with_sub` is set or it is not 0.
fn register(file: RegFile, addr: Addr, ty: Type, with_sub: bool) -> String {
    let (nr, sub_bytes) = match addr {
        Addr::Direct { nr, sub_bytes } => (nr, sub_bytes),
        Addr::Indirect { a0_sub, imm_bytes } => {
            return match imm_bytes {
                0 => format!("r[a0.{a0_sub}]"),
                _ => format!("r[a0.{a0_sub},{imm_bytes}]"),
            };
        }
    };
    let (mut text, sub) = match file {
        RegFile::Grf => (format!("r{nr}"), true),
        RegFile::Mrf => (format!("m{nr}"), true),
        _ => arf(nr),
    };
    let element = u32::from(sub_bytes) / ty.size_bytes();
    if with_sub && sub || element != 0 {
        let _ = write!(text, ".{element}");
    }
    text
}

fn arf(nr: u8) -> (String, bool) {
    let (high, low) = (nr >> 4, nr & 15);
    if high == 2 && low >= FIRST_MME {
        return (format!("mme{}", low - FIRST_MME), true);
    }
    match ARFS.iter().find(|a| a.high == high) {
        Some(a) if a.numbered || low != 0 => (format!("{}{low}", a.name), a.sub),
        Some(a) => (a.name.to_owned(), a.sub),
        None => (format!("arf{nr}"), true),
    }
}

fn type_suffix(ty: Type) -> String {
    format!(":{}", name_of(TYPES, ty))
}

fn macro_suffix(code: u8) -> String {
    if code >= NO_MME {
        ".nomme".to_owned()
    } else {
        format!(".mme{code}")
    }
}

fn is_macro(inst: &Inst) -> bool {
    inst.op == Opcode::Madm || inst.is_math_macro()
}

fn dst(inst: &Inst) -> String {
    let Dst {
        file,
        ty,
        addr,
        hstride,
        writemask,
    } = inst.dst;
    let mut text = String::new();
    if inst.saturate {
        text += "(sat)";
    }
    if is_macro(inst) {
        text += &register(file, addr, ty, false);
        text += &macro_suffix(writemask);
        return text + &type_suffix(ty);
    }
    text += &register(file, addr, ty, true);
    if inst.align16 && writemask != 0xf {
        text.push('.');
        text.extend((0..4).filter(|i| writemask >> i & 1 == 1).map(component));
        if writemask == 0 {
            text.push('_');
        }
    }
    let _ = write!(text, "<{hstride}>");
    text + &type_suffix(ty)
}

fn component(index: u8) -> char {
    char::from(b"xyzw"[usize::from(index & 3)])
}

fn swizzle(code: u8) -> String {
    let mut text = ".".to_owned();
    text.extend((0..4).map(|i| component(code >> (2 * i))));
    text
}

fn modifiers(src: &Src, logic: bool) -> &'static str {
    match (src.negate, src.abs) {
        (false, false) => "",
        (true, false) if logic => "~",
        (true, true) if logic => "~(abs)",
        (true, false) => "-",
        (false, true) => "(abs)",
        (true, true) => "-(abs)",
    }
}

fn source(inst: &Inst, i: usize) -> String {
    let src = &inst.src[i];
    if src.file == RegFile::Imm {
        return immediate(src);
    }
    if is_macro(inst) {
        let mut text = modifiers(src, false).to_owned();
        text += &register(src.file, src.addr, src.ty, false);
        text += &macro_suffix(src.swizzle);
        return text + &type_suffix(src.ty);
    }
    plain_source(inst, src)
}

fn plain_source(inst: &Inst, src: &Src) -> String {
    let mut text = modifiers(src, inst.op.info().logic).to_owned();
    text += &register(src.file, src.addr, src.ty, true);
    let Region {
        vstride,
        width,
        hstride,
    } = src.region;
    if inst.align16 {
        text += &swizzle(src.swizzle);
        let _ = write!(text, "<{vstride}>");
    } else if vstride == Region::VX1 {
        let _ = write!(text, "<{width},{hstride}>");
    } else {
        let _ = write!(text, "<{vstride};{width},{hstride}>");
    }
    text + &type_suffix(src.ty)
}

fn ternary_source(inst: &Inst, i: usize) -> String {
    let src = &inst.src[i];
    if is_macro(inst) {
        return source(inst, i);
    }
    let wide = src.ty.size_bytes() == 8;
    let one_qword =
        wide && !src.rep_ctrl && [SWIZZLE_FIRST_QWORD, SWIZZLE_SECOND_QWORD].contains(&src.swizzle);
    let scalar = src.rep_ctrl || one_qword;
    let mut addr = src.addr;
    if let (true, SWIZZLE_SECOND_QWORD, Addr::Direct { sub_bytes, .. }) =
        (one_qword, src.swizzle, &mut addr)
    {
        *sub_bytes = sub_bytes.wrapping_add(8);
    }
    let mut text = modifiers(src, false).to_owned();
    text += &register(src.file, addr, src.ty, true);
    if !scalar && src.swizzle != SWIZZLE_XYZW {
        text += &swizzle(src.swizzle);
    }
    text += match (scalar, i) {
        (false, 2) => "<1>",
        (false, _) => "<2;1>",
        (true, 2) => "<0>",
        (true, _) => "<0;0>",
    };
    text + &type_suffix(src.ty)
}

fn immediate(src: &Src) -> String {
    let bits = src.imm;
    let value = match src.ty {
        Type::B | Type::Ub | Type::Uw => format!("0x{:X}", bits as u16),
        Type::W => (bits as i16).to_string(),
        Type::D => (bits as i32).to_string(),
        Type::Q => (bits as i64).to_string(),
        Type::Uq | Type::Nf => format!("0x{bits:X}"),
        Type::Ud | Type::V | Type::Uv | Type::Vf => format!("0x{:X}", bits as u32),
        Type::Hf => format_f16(bits as u16),
        Type::F => format_f32(bits as u32),
        Type::Df => format_f64(bits),
    };
    value + &type_suffix(src.ty)
}

fn message(inst: &Inst, operands: &mut Vec<String>) {
    let split = inst.op.info().class == EncodingClass::SplitSend;
    let mut to = register(inst.dst.file, inst.dst.addr, inst.dst.ty, false);
    if split || inst.dst.ty != Type::Ud {
        to += &type_suffix(inst.dst.ty);
    }
    operands.push(to);
    let payload = |src: &Src| register(src.file, src.addr, src.ty, false);
    let mut from = payload(&inst.src[0]);
    if !split && inst.src[0].ty != Type::Ud {
        from += &type_suffix(inst.src[0].ty);
    }
    operands.push(from);
    if split {
        operands.push(payload(&inst.src[1]));
    }
    let Some(send) = inst.send else {
        return;
    };
    operands.push(match send.ex_desc {
        Desc::Imm(ex) => {
            let eot = u32::from(send.eot) << 5;
            format!("0x{:X}", ex | u32::from(send.sfid) | eot)
        }
        Desc::A0(sub) => format!("a0.{}", sub / 2),
    });
    operands.push(match send.desc {
        Desc::Imm(desc) => format!("0x{desc:08X}"),
        Desc::A0(sub) => format!("a0.{}", sub / 2),
    });
}

fn jump(inst: &Inst, target: &dyn Fn(i32) -> String, operands: &mut Vec<String>) {
    if matches!(inst.op, Opcode::Call | Opcode::Calla) {
        operands.push(register(inst.dst.file, inst.dst.addr, Type::D, true));
    }
    let src = &inst.src[0];
    if src.file != RegFile::Imm {
        operands.push(register(src.file, src.addr, Type::D, true));
        return;
    }
    operands.push(target(inst.jip));
    if inst.op == Opcode::Brc {
        operands.push(target(inst.uip));
    }
}
