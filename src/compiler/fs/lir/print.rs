//! LIR as text, for dumps and text cases; `parse` reads it.
//!
//! A program is a line with its width and what else differs from the default, its VGRFs with their
//! lengths in registers, and its instructions. The parser ignores the numbers before these.
//!
//! ```text
//! simd16, scratch 64
//! v0: 1 g0 no_spill, v1: 2
//!     0  (+f0.0) add.sat (8|M8|W) (nef0.0) v1+32<1>:f -|v0+4<0>|:f 0x3f800000:f
//! ```
//!
//! `v1+32<1>:f`: VGRF 1 from byte 32 on, one element to the next lane. `|W`: without the mask.
//! `collect` has its parts, of which `header(SRC)` and `gap(BYTES)` are marked; `slots(SRC, BYTES)`
//! is a value whose size in the payload is not that of its type. `m3<1>:ud … {compr4}`: message
//! registers 3 and 7. Operands that an operation does not have, and unused payloads, are left out.

use crate::lir::inst::{Inst, Op, Payload, PayloadPart, SendInfo};
use crate::lir::names;
use crate::lir::operand::{Dst, GRF_BYTES, Mrf, Reg, Src, Vgrf};
use crate::lir::program::Lir;
use isa::names::name_of;
use isa::{CondMod, PredCtrl, Type};
use std::fmt::Write;

fn ty(t: Type) -> &'static str {
    name_of(isa::names::TYPES, t)
}

fn reg(r: Reg, offset: u32) -> String {
    let mut out = match r {
        Reg::Null => "null".into(),
        Reg::Vgrf(v) => format!("v{}", v.index()),
        Reg::Arf(a, i) => format!("{}{i}", names::arf_name(a)),
        Reg::Mrf(m) => format!("m{}", m.nr),
        Reg::Imm(bits) => format!("{bits:#x}"),
    };
    if offset > 0 {
        let _ = write!(out, "+{offset}");
    }
    out
}

fn src(s: &Src) -> String {
    let neg = if s.neg { "-" } else { "" };
    let abs = if s.abs { "|" } else { "" };
    let stride = match (s.rows, s.reg) {
        (Some(r), _) => format!("<{};{},{}>", r.vstride, r.width, s.stride),
        (None, Reg::Imm(_)) if s.stride == 0 => String::new(),
        (None, Reg::Null) if s.stride == 1 => String::new(),
        _ => format!("<{}>", s.stride),
    };
    let compr4 = match s.reg {
        Reg::Mrf(Mrf { compr4: true, .. }) => ".compr4",
        _ => "",
    };
    format!(
        "{neg}{abs}{}{compr4}{stride}{abs}:{}",
        reg(s.reg, s.offset),
        ty(s.ty)
    )
}

/// A part of a payload, of a collect with this exec size.
fn payload_part(p: &PayloadPart, exec: u8) -> String {
    let value_bytes = u32::from(exec) * p.src.ty.size_bytes();
    match (p.src == Src::NULL, p.header) {
        (true, false) => format!("gap({})", p.bytes),
        (true, true) if p.bytes == GRF_BYTES => "header_gap".into(),
        (_, true) if p.bytes == GRF_BYTES => format!("header({})", src(&p.src)),
        (_, true) => format!("header({}, {})", src(&p.src), p.bytes),
        (_, false) if p.bytes == value_bytes => src(&p.src),
        (_, false) => format!("slots({}, {})", src(&p.src), p.bytes),
    }
}

fn payload_parts(payload: &Payload, exec: u8) -> String {
    let all = payload.parts.iter();
    all.map(|p| format!(" {}", payload_part(p, exec))).collect()
}

fn flag(n: u8) -> String {
    format!("f{}.{}", n / 2, n % 2)
}

fn message(m: &SendInfo) -> String {
    let mut out = format!(
        " sfid={} desc={:#x} len={}+{}->{}",
        m.sfid, m.desc, m.mlen, m.ex_mlen, m.rlen
    );
    for (set, word) in [
        (m.header, "header"),
        (m.reads, "reads"),
        (m.writes, "writes"),
        (m.dynamic_desc, "dynamic_desc"),
        (m.sendc, "sendc"),
        (m.eot, "eot"),
    ] {
        if set {
            let _ = write!(out, " {word}");
        }
    }
    if m.handle_offset != 0 {
        let _ = write!(out, " handle_offset={:#x}", m.handle_offset);
    }
    out
}

/// The name of an operation.
fn name(i: &Inst) -> String {
    match i.op {
        Op::Eu(op) => op.info().name.to_owned(),
        Op::Math(f) => format!("math.{}", name_of(isa::names::MATH, f)),
        Op::Send => "send".into(),
        Op::Collect(_) => "collect".into(),
        Op::MovIndirect => "mov_indirect".into(),
        Op::Do => "do".into(),
        Op::ConstantDataHandle => "constants".into(),
        Op::HaltTarget => "halt_target".into(),
    }
}

/// The text of an instruction.
pub(crate) fn inst(lir: &Lir, i: &Inst) -> String {
    let mut out = String::new();
    if let Some(p) = i.pred {
        let sign = if p.inverse { "-" } else { "+" };
        let dot = if p.ctrl == PredCtrl::Normal { "" } else { "." };
        let ctrl = name_of(isa::names::PREDICATES, p.ctrl);
        let _ = write!(out, "({sign}{}{dot}{ctrl}) ", flag(i.flag));
    }
    let sat = if i.sat { ".sat" } else { "" };
    let mask = if i.no_mask { "|W" } else { "" };
    let _ = write!(out, "{}{sat} ({}|M{}{mask})", name(i), i.exec, i.group);
    if i.cmod != CondMod::None {
        let cmod = name_of(isa::names::COND_MODS, i.cmod);
        let _ = write!(out, " ({cmod}{})", flag(i.flag));
    }
    if !i.is_control() || i.dst != Dst::null(Type::Ud) {
        let dst = reg(i.dst.reg, i.dst.offset);
        let _ = write!(out, " {dst}<{}>:{}", i.dst.stride, ty(i.dst.ty));
        for s in &i.src[..i.sources()] {
            let _ = write!(out, " {}", src(s));
        }
    }
    if let Op::Collect(payload) = i.op {
        let payload = lir.payloads.get(payload);
        out.push_str(&payload.map_or_else(String::new, |p| payload_parts(p, i.exec)));
    }
    if let Some(m) = &i.send {
        out.push_str(&message(m));
    }
    let mut attributes = Vec::new();
    if let Reg::Mrf(Mrf { compr4: true, .. }) = i.dst.reg {
        attributes.push("compr4".to_owned());
    }
    if i.acc_wr {
        attributes.push("acc_wr".to_owned());
    }
    if i.switch {
        attributes.push("switch".to_owned());
    }
    if i.flag != 0 && i.pred.is_none() && i.cmod == CondMod::None {
        attributes.push(flag(i.flag));
    }
    if !attributes.is_empty() {
        let _ = write!(out, " {{{}}}", attributes.join(" "));
    }
    out
}

/// The first line of a program.
fn facts(lir: &Lir) -> String {
    let mut out = format!("simd{}", lir.width);
    if lir.scratch_bytes > 0 {
        let _ = write!(out, ", scratch {}", lir.scratch_bytes);
    }
    if lir.cross_block_flags != 0 {
        let _ = write!(out, ", cross_block_flags {:#x}", lir.cross_block_flags);
    }
    let is_like = |hw_gen| isa::message_registers(hw_gen) == lir.message_registers;
    if let Some((_, hw_gen)) = names::MRF_GENS.iter().find(|g| is_like(g.0)) {
        let _ = write!(out, ", message_registers {hw_gen}");
    }
    out
}

/// The text of a program, with the GRFs of its VGRFs if they are allocated.
pub(crate) fn program(lir: &Lir, regs: Option<&entity::IdMap<Vgrf, u8>>) -> String {
    let mut out = facts(lir);
    for (v, vgrf) in lir.vgrfs.iter() {
        out.push_str(if v.index() % 8 == 0 { "\n" } else { ", " });
        let _ = write!(out, "v{}: {}", v.index(), vgrf.regs);
        if let Some(reg) = regs.map(|r| r[v]).or(vgrf.fixed) {
            let _ = write!(out, " g{reg}");
        }
        if vgrf.no_spill {
            out.push_str(" no_spill");
        }
    }
    out.push('\n');
    let mut depth = 1usize;
    for (at, i) in lir.insts.iter().enumerate() {
        use isa::Opcode as O;
        if matches!(i.op, Op::Eu(O::Else | O::Endif | O::While)) {
            depth = depth.saturating_sub(1);
        }
        let _ = writeln!(out, "{at:5}{}{}", "  ".repeat(depth), inst(lir, i));
        if matches!(i.op, Op::Do | Op::Eu(O::Else | O::If)) {
            depth += 1;
        }
    }
    out
}
