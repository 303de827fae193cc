//! LIR as text, for dumps.
//!
//! `v12+32<1>:ud`: VGRF 12 from byte 32 on, one element to the next lane. `m3<1>:ud … {compr4}`:
//! message registers 3 and 7.

use crate::lir::inst::{Inst, Op, Payload};
use crate::lir::operand::{GRF_BYTES, Mrf, Reg, Src, Vgrf};
use crate::lir::program::Lir;
use isa::{CondMod, Type};
use std::fmt::Write;

fn ty(t: Type) -> &'static str {
    match t {
        Type::Ub => "ub",
        Type::B => "b",
        Type::Uw => "uw",
        Type::W => "w",
        Type::Ud => "ud",
        Type::D => "d",
        Type::Uq => "uq",
        Type::Q => "q",
        Type::Hf => "hf",
        Type::F => "f",
        Type::Df => "df",
        Type::Nf => "nf",
        Type::Uv => "uv",
        Type::V => "v",
        Type::Vf => "vf",
    }
}

fn cmod(c: CondMod) -> &'static str {
    match c {
        CondMod::None => "",
        CondMod::Z => ".z",
        CondMod::Nz => ".nz",
        CondMod::G => ".g",
        CondMod::Ge => ".ge",
        CondMod::L => ".l",
        CondMod::Le => ".le",
        CondMod::O => ".o",
        CondMod::U => ".u",
    }
}

fn reg(r: Reg, offset: u32) -> String {
    let plus = if offset > 0 {
        format!("+{offset}")
    } else {
        String::new()
    };
    match r {
        Reg::Null => "null".into(),
        Reg::Vgrf(v) => format!("v{}{plus}", v.index()),
        Reg::Arf(a, i) => format!("{a:?}{i}{plus}").to_lowercase(),
        Reg::Mrf(m) => mrf(m, offset),
        Reg::Imm(bits) => format!("{bits:#x}"),
    }
}

fn mrf(m: Mrf, offset: u32) -> String {
    let nr = u32::from(m.nr) + offset / GRF_BYTES;
    match offset % GRF_BYTES {
        0 => format!("m{nr}"),
        byte => format!("m{nr}+{byte}"),
    }
}

fn src(s: &Src) -> String {
    let neg = if s.neg { "-" } else { "" };
    let abs = if s.abs { "|" } else { "" };
    let stride = match s.reg {
        Reg::Imm(_) | Reg::Null => String::new(),
        _ if s.rows.is_some() => s.rows.map_or_else(String::new, |r| {
            format!("<{};{},{}>", r.vstride, r.width, s.stride)
        }),
        _ => format!("<{}>", s.stride),
    };
    format!(
        "{neg}{abs}{}{stride}{abs}:{}",
        reg(s.reg, s.offset),
        ty(s.ty)
    )
}

/// The parts of a payload; headers and gaps are marked.
fn parts(payload: &Payload) -> String {
    let mut out = String::new();
    for p in &payload.parts {
        let _ = match (p.src.reg, p.header) {
            (Reg::Null, _) => write!(out, " gap({})", p.bytes),
            (_, true) => write!(out, " header({})", src(&p.src)),
            _ => write!(out, " {}", src(&p.src)),
        };
    }
    out
}

/// The text of an instruction.
pub(crate) fn inst(lir: &Lir, i: &Inst) -> String {
    let mut out = String::new();
    if let Some(p) = i.pred {
        let sign = if p.inverse { "-" } else { "+" };
        let _ = write!(out, "({sign}f{}.{}) ", i.flag / 2, i.flag % 2);
    }
    let name = match i.op {
        Op::Eu(op) => op.info().name.to_owned(),
        Op::Math(f) => format!("math.{}", format!("{f:?}").to_lowercase()),
        Op::Send => "send".into(),
        Op::Collect(_) => "collect".into(),
        Op::MovIndirect => "mov_indirect".into(),
        Op::Do => "do".into(),
        Op::ConstantDataHandle => "constants".into(),
        Op::HaltTarget => "halt_target".into(),
    };
    let sat = if i.sat { ".sat" } else { "" };
    let mask = if i.no_mask { "|W" } else { "" };
    let _ = write!(out, "{name}{sat} ({}|M{}{mask})", i.exec, i.group);
    if i.cmod != CondMod::None {
        let _ = write!(
            out,
            " ({}f{}.{})",
            &cmod(i.cmod)[1..],
            i.flag / 2,
            i.flag % 2
        );
    }
    if i.is_control() {
        return out;
    }
    let _ = write!(
        out,
        " {}<{}>:{}",
        reg(i.dst.reg, i.dst.offset),
        i.dst.stride,
        ty(i.dst.ty)
    );
    for k in 0..i.sources() {
        let _ = write!(out, " {}", src(&i.src[k]));
    }
    if let Op::Collect(payload) = i.op {
        out.push_str(&parts(&lir.payloads[payload]));
    }
    if let Reg::Mrf(Mrf { compr4: true, .. }) = i.dst.reg {
        out.push_str(" {compr4}");
    }
    if let Some(m) = i.send {
        let _ = write!(
            out,
            " sfid={} desc={:#x} len={}+{}->{}",
            m.sfid, m.desc, m.mlen, m.ex_mlen, m.rlen
        );
        if m.eot {
            out.push_str(" eot");
        }
    }
    out
}

/// The text of a program, with the GRFs of its VGRFs if they are allocated.
pub(crate) fn program(lir: &Lir, regs: Option<&entity::IdMap<Vgrf, u8>>) -> String {
    let mut out = String::new();
    for (v, vgrf) in lir.vgrfs.iter() {
        let _ = write!(out, "v{}: {}", v.index(), vgrf.regs);
        if let Some(regs) = regs {
            let _ = write!(out, " g{}", regs[v]);
        } else if let Some(fixed) = vgrf.fixed {
            let _ = write!(out, " g{fixed}");
        }
        out.push_str(if v.index() % 8 == 7 { "\n" } else { ", " });
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
