//! Lets operations read what was copied where it was copied from.
//!
//! In:  LIR before allocation. Out: the same; copies whose readers all read the original now are left to `opt_dce`.
//! A copy holds wherever it dominates and neither side has changed. An operand that would become illegal stays.
//! Tests: tests/fs/opt_copy/.

use crate::lir::{GRF_BYTES, Inst, Lir, Op, PayloadId, Reg, Src, Vgrf, VgrfId};
use crate::opt::keeps::{Keeps, Scopes};
use entity::IdMap;
use isa::{Class, CondMod, Opcode, Type};
use smallvec::SmallVec;

/// Copies of copies that are followed.
const MOST_STEPS: usize = 4;

/// True if anything changed.
pub(crate) fn opt_copy(lir: &mut Lir) -> bool {
    let keeps = Keeps::new(lir);
    let mut scopes = Scopes::default();
    // The copies to each VGRF that hold, and which VGRF each was to.
    let mut copies: IdMap<Vgrf, SmallVec<[u32; 2]>> = IdMap::for_arena(&lir.vgrfs, SmallVec::new());
    let mut found: Vec<VgrfId> = Vec::new();
    let mut changed = false;
    for at in 0..lir.insts.len() {
        let left = scopes.enter(&lir.insts[at], found.len());
        while found.len() > left
            && let Some(v) = found.pop()
        {
            copies[v].pop();
        }
        let mut inst = lir.insts[at];
        let mut better = false;
        for i in 0..inst.sources() {
            for _ in 0..MOST_STEPS {
                let Some(v) = inst.src[i].as_vgrf() else {
                    break;
                };
                let known = copies[v].iter().rev();
                let new = known
                    .filter_map(|&c| original(lir, &keeps, c as usize, &inst, i, at))
                    .next();
                let Some(new) = new else { break };
                inst = new;
                better = true;
            }
        }
        if let Op::Collect(payload) = inst.op {
            better |= parts(lir, &keeps, &copies, &inst, payload, at);
        }
        if better {
            lir.insts[at] = inst;
            changed = true;
        }
        if let (true, Some(v)) = (is_copy(&inst), inst.dst.as_vgrf()) {
            copies[v].push(at as u32);
            found.push(v);
        }
    }
    changed
}

/// True for a move that changes nothing but the place, and perhaps a sign.
fn is_copy(inst: &Inst) -> bool {
    let s = &inst.src[0];
    let plain = inst.op == Op::Eu(Opcode::Mov)
        && inst.pred.is_none()
        && inst.cmod == CondMod::None
        && !inst.sat
        && !inst.switch
        && s.rows.is_none();
    let from = match s.reg {
        Reg::Vgrf(_) => inst.dst.ty == s.ty,
        Reg::Imm(_) => inst.dst.ty == s.ty && !matches!(s.ty, Type::V | Type::Uv | Type::Vf),
        _ => false,
    };
    plain && from && inst.dst.as_vgrf().is_some() && inst.dst.reg != s.reg
}

/// What lanes of a copy an operand reads: where the first lies in what was copied, and bytes from one to the next.
fn read_of(copy: &Inst, reader: &Inst, s: &Src, lanes: u32, keep_mask: bool) -> Option<(u32, u32)> {
    let size = s.ty.size_bytes();
    let (d, from) = (&copy.dst, &copy.src[0]);
    let element = d.ty.size_bytes();
    let step = u32::from(d.stride) * element;
    let pitch = u32::from(s.stride) * size;
    let ahead = s.offset.checked_sub(d.offset)?;
    let many = lanes > 1 && s.stride != 0;
    let (lane, within) = match copy.exec {
        1 => (0, ahead),
        _ => (ahead / step, ahead % step),
    };
    let count = if many { lanes } else { 1 };
    if within + size > element || lane + count > u32::from(copy.exec) || many && pitch != step {
        return None;
    }
    // The lanes that are read must be those that were copied.
    let masked = !copy.no_mask;
    let there = u32::from(copy.group) + lane == u32::from(reader.group);
    if masked && (reader.no_mask || !many || !there || !keep_mask) {
        return None;
    }
    let from_step = u32::from(from.stride) * element;
    let from_step = if from.stride == 0 || copy.exec == 1 {
        0
    } else {
        from_step
    };
    let start = match from.reg {
        Reg::Imm(_) => within,
        _ => from.offset + lane * from_step + within,
    };
    Some((start, if many { from_step } else { 0 }))
}

/// The instruction with its source `i` read from what was copied, if it may be.
fn original(lir: &Lir, keeps: &Keeps, c: usize, inst: &Inst, i: usize, at: usize) -> Option<Inst> {
    let copy = &lir.insts[c];
    let s = inst.src[i];
    let class = match inst.op {
        Op::Eu(op) => op.info().class,
        Op::Math(_) => Class::Math,
        // A message's handle is one doubleword; its payloads are whole registers.
        Op::Send if i == 2 => Class::Send,
        // What is added to a0; a constant is no longer there.
        Op::MovIndirect if i == 1 && copy.src[0].as_vgrf().is_some() => Class::Basic,
        _ => return None,
    };
    if s.rows.is_some() || matches!(inst.op, Op::Eu(Opcode::Pln | Opcode::Line)) {
        return None;
    }
    let lanes = if class == Class::Send {
        1
    } else {
        u32::from(inst.exec)
    };
    let (start, step) = read_of(copy, inst, &s, lanes, true)?;
    let v = copy.dst.as_vgrf()?;
    let own = (s.offset, s.offset + inst.src_bytes(i));
    if !keeps.keeps(v, own, c + 1, at) || !keeps.keeps_source(lir, copy, 0, c, at) {
        return None;
    }
    let size = s.ty.size_bytes();
    if let Reg::Imm(bits) = copy.src[0].reg {
        return immediate(inst, i, class, (bits >> (8 * start)) & mask(size));
    }
    if !step.is_multiple_of(size) || !matches!(step / size, 0 | 1 | 2 | 4) {
        return None;
    }
    let mut to = Src {
        reg: copy.src[0].reg,
        offset: start,
        stride: (step / size) as u8,
        ..s
    };
    let signs = copy.src[0].neg || copy.src[0].abs;
    if signs {
        if s.ty != copy.dst.ty || !takes_sign(inst, class, s.ty) {
            return None;
        }
        if !s.abs {
            to.abs = copy.src[0].abs;
            to.neg = s.neg ^ copy.src[0].neg;
        }
    }
    let many = s.stride != 0 && inst.exec > 1;
    let fits = match class {
        // Whole registers lane after lane, or one element for all.
        Class::ThreeSource => match to.stride {
            0 => size == 4 && to.offset.is_multiple_of(4),
            1 => to.offset.is_multiple_of(16) && step == size,
            _ => false,
        },
        Class::Send => to.stride == 0,
        // As far into its register as it was, and as far apart; or one for all.
        _ => {
            !many
                || to.stride == 0
                || to.offset % GRF_BYTES == s.offset % GRF_BYTES && to.stride == s.stride
        }
    };
    // One element of 64 bits for all lanes is read otherwise than the rest (small cores) and by halves.
    if !fits || many && to.stride == 0 && size == 8 {
        return None;
    }
    let mut out = *inst;
    out.src[i] = to;
    Some(out)
}

fn mask(size: u32) -> u64 {
    if size == 8 {
        u64::MAX
    } else {
        (1 << (8 * size)) - 1
    }
}

/// True if the operand may have a sign of its own.
fn takes_sign(inst: &Inst, class: Class, ty: Type) -> bool {
    let logic = matches!(inst.op, Op::Eu(op) if op.info().logic);
    let computes = match inst.op {
        Op::Eu(op) => matches!(
            op,
            Opcode::Add | Opcode::Mul | Opcode::Mad | Opcode::Mov | Opcode::Cmp | Opcode::Sel
        ),
        Op::Math(_) => true,
        _ => false,
    };
    ty.is_float() && !logic && computes && class != Class::Send
}

/// The instruction with an immediate for its source `i`.
fn immediate(inst: &Inst, i: usize, class: Class, bits: u64) -> Option<Inst> {
    let s = &inst.src[i];
    if class != Class::Basic || !matches!(s.ty, Type::D | Type::Ud | Type::F | Type::W | Type::Uw) {
        return None;
    }
    let Op::Eu(op) = inst.op else { return None };
    if op.info().logic && s.neg {
        return None;
    }
    let value = match (s.ty, s.abs) {
        (_, false) => bits,
        (Type::F, true) => bits & 0x7fff_ffff,
        _ => return None,
    };
    let imm = Src::imm(s.ty, value);
    let imm = if s.neg { imm.negated() } else { imm };
    let mut out = *inst;
    let n = inst.sources();
    if n == 1 {
        // Other operations want a register.
        if op != Opcode::Mov {
            return None;
        }
        out.src[0] = imm;
        return Some(out);
    }
    let other = &inst.src[1 - i];
    if n != 2 || matches!(other.reg, Reg::Imm(_)) {
        return None;
    }
    let alone = matches!(
        op,
        Opcode::Add | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Mul
    );
    let turns = alone || op == Opcode::Sel && inst.cmod != CondMod::None;
    let takes = turns
        || matches!(
            op,
            Opcode::Cmp | Opcode::Sel | Opcode::Shl | Opcode::Shr | Opcode::Asr
        );
    // Products of a doubleword and a word are not symmetric.
    if !takes || op == Opcode::Mul && inst.src[0].ty.size_bytes() != inst.src[1].ty.size_bytes() {
        return None;
    }
    if i == 0 {
        match (op, inst.pred) {
            _ if turns => {}
            (Opcode::Cmp, _) => out.cmod = turned(inst.cmod)?,
            (Opcode::Sel, Some(mut pred)) => {
                pred.inverse = !pred.inverse;
                out.pred = Some(pred);
            }
            _ => return None,
        }
        out.src[0] = *other;
    }
    out.src[1] = imm;
    Some(out)
}

/// The condition with its operands exchanged.
fn turned(cmod: CondMod) -> Option<CondMod> {
    Some(match cmod {
        CondMod::G => CondMod::L,
        CondMod::Ge => CondMod::Le,
        CondMod::L => CondMod::G,
        CondMod::Le => CondMod::Ge,
        CondMod::Z | CondMod::Nz => cmod,
        _ => return None,
    })
}

/// Payloads: values that were copied, element for element.
fn parts(
    lir: &mut Lir,
    keeps: &Keeps,
    copies: &IdMap<Vgrf, SmallVec<[u32; 2]>>,
    inst: &Inst,
    payload: PayloadId,
    at: usize,
) -> bool {
    let mut changed = false;
    for p in 0..lir.payloads[payload].parts.len() {
        let part = lir.payloads[payload].parts[p];
        let Some(v) = part.src.as_vgrf().filter(|_| !part.header) else {
            continue;
        };
        let new = copies[v].iter().rev().find_map(|&c| {
            let copy = &lir.insts[c as usize];
            let s = &part.src;
            let size = s.ty.size_bytes();
            let (start, step) = read_of(copy, inst, s, inst.exec.into(), true)?;
            let bytes = (u32::from(inst.exec) - 1) * u32::from(s.stride) * size + size;
            let own = (s.offset, s.offset + bytes);
            let plain = !copy.src[0].neg && !copy.src[0].abs && step.is_multiple_of(size);
            let holds = plain
                && keeps.keeps(v, own, c as usize + 1, at)
                && keeps.keeps_source(lir, copy, 0, c as usize, at);
            match copy.src[0].reg {
                _ if !holds => None,
                Reg::Imm(bits) if size == 4 => {
                    Some(Src::imm(s.ty, (bits >> (8 * start)) & mask(size)))
                }
                Reg::Vgrf(_) if matches!(step / size, 0 | 1 | 2 | 4) => Some(Src {
                    reg: copy.src[0].reg,
                    offset: start,
                    stride: (step / size) as u8,
                    ..*s
                }),
                _ => None,
            }
        });
        if let Some(new) = new {
            lir.payloads[payload].parts[p].src = new;
            changed = true;
        }
    }
    changed
}
