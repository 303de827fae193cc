//! Choices between two results are made where one of them is computed.
//!
//! In:  LIR in which a SEL without a condition of its own chooses between two values, one of which an operation of the same block
//! has made for nothing else, and the other of which nobody wants afterwards.
//! Out: the other value stands where the choice was to be, and the operation, predicated, writes over it:
//! `sel d, a, b` with `a = x op y` is `mov d, b` and `(f) op d, x, y`. The move goes away where `b` can be made in its place
//! ([`crate::opt::coalesce`], which runs next).
//! Ref: SKL PRM vol. 7, "Predication". Tests: tests/fs/opt_select/.

use crate::lir::{Inst, Lir, Op, Pred, Reg, Src, Vgrf};
use entity::IdMap;
use isa::{Class, CondMod, Opcode, PredCtrl};

/// How far back an operation may stand.
const WINDOW: usize = 64;

/// What is known of a VGRF.
#[derive(Clone, Copy, Default)]
struct Use {
    defs: u32,
    reads: u32,
    def_at: u32,
    last_read: u32,
}

/// True if anything changed.
pub(crate) fn opt_select(lir: &mut Lir) -> bool {
    let mut uses: IdMap<Vgrf, Use> = IdMap::for_arena(&lir.vgrfs, Use::default());
    for (at, inst) in lir.insts.iter().enumerate() {
        inst.for_each_vgrf_read(&lir.payloads, |v| {
            uses[v].reads += 1;
            uses[v].last_read = at as u32;
        });
        if let Some(v) = inst.dst.as_vgrf() {
            uses[v].defs += 1;
            uses[v].def_at = at as u32;
        }
    }
    // By the choice that takes its place: the operation, and the operand that it makes.
    let mut moved: Vec<(usize, usize, usize)> = Vec::new();
    let mut taken = vec![false; lir.insts.len()];
    let mut block_start = 0;
    for at in 0..lir.insts.len() {
        let inst = &lir.insts[at];
        if inst.is_control() {
            block_start = at + 1;
            continue;
        }
        if !chooses(inst) {
            continue;
        }
        let first = block_start.max(at.saturating_sub(WINDOW));
        let made = [0, 1].into_iter().find_map(|operand| {
            let def = maker(lir, &uses, first, at, operand)?;
            let stays = remains(lir, &uses, first, at, 1 - operand);
            (stays && !taken[def] && may_follow(lir, def, at)).then_some((def, operand))
        });
        if let Some((def, operand)) = made {
            taken[def] = true;
            // What it chooses between is not to be moved again.
            taken[at] = true;
            moved.push((at, def, operand));
        }
    }
    if moved.is_empty() {
        return false;
    }
    let mut moved = moved.into_iter().peekable();
    let mut out = Vec::with_capacity(lir.insts.len());
    let insts = std::mem::take(&mut lir.insts);
    for (at, inst) in insts.iter().enumerate() {
        match moved.next_if(|m| m.0 == at) {
            Some((_, def, operand)) => {
                let [copy, operation] = chosen(inst, &insts[def], operand);
                out.extend([copy, operation]);
            }
            None if taken[at] => {}
            None => out.push(*inst),
        }
    }
    lir.insts = out;
    true
}

/// The copy and the predicated operation that are a choice.
fn chosen(select: &Inst, def: &Inst, operand: usize) -> [Inst; 2] {
    let mut copy = *select;
    copy.op = Op::Eu(Opcode::Mov);
    (copy.pred, copy.flag) = (None, 0);
    copy.src = [select.src[1 - operand], Src::NULL, Src::NULL];
    // Bits are chosen, whatever they are.
    copy.src[0].ty = copy.dst.ty;
    let mut operation = *def;
    operation.flag = select.flag;
    operation.pred = select.pred.map(|p| Pred {
        inverse: p.inverse ^ (operand == 1),
        ..p
    });
    operation.dst.reg = select.dst.reg;
    operation.dst.offset = select.dst.offset;
    [copy, operation]
}

/// True for a choice by a flag between 32 bits, or 64.
fn chooses(inst: &Inst) -> bool {
    let size = inst.dst.ty.size_bytes();
    let plain = |s: &Src| !s.neg && !s.abs && s.rows.is_none() && s.ty.size_bytes() == size;
    inst.op == Op::Eu(Opcode::Sel)
        && inst.cmod == CondMod::None
        && !inst.sat
        && inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Normal)
        && inst.dst.as_vgrf().is_some()
        && matches!(size, 4 | 8)
        && inst.src[..2].iter().all(plain)
}

/// The operation that makes an operand of a choice, for it alone and for the same lanes, if it may be predicated.
fn maker(
    lir: &Lir,
    uses: &IdMap<Vgrf, Use>,
    first: usize,
    at: usize,
    operand: usize,
) -> Option<usize> {
    let select = &lir.insts[at];
    let v = select.src[operand].as_vgrf()?;
    let u = &uses[v];
    let def_at = u.def_at as usize;
    if u.defs != 1 || u.reads != 1 || def_at < first || def_at >= at || lir.vgrfs[v].fixed.is_some()
    {
        return None;
    }
    let def = &lir.insts[def_at];
    let computes = match def.op {
        Op::Eu(Opcode::Sel | Opcode::Csel) => false,
        Op::Eu(op) => matches!(op.info().class, Class::Basic | Class::ThreeSource),
        Op::Math(_) => true,
        _ => false,
    };
    let same_place = def.dst.offset == select.src[operand].offset
        && def.dst.ty.size_bytes() == select.dst.ty.size_bytes()
        && def.dst.stride == select.dst.stride
        && (select.exec == 1 || select.src[operand].stride == def.dst.stride);
    // Align16 writes whole rows of registers, at 16 bytes.
    let aligned = match def.op {
        Op::Eu(op) if op.info().class == Class::ThreeSource => select.dst.offset.is_multiple_of(16),
        _ => true,
    };
    let free = def.pred.is_none() && def.cmod == CondMod::None && !def.acc_wr && def.send.is_none();
    (computes && same_lanes(def, select) && same_place && aligned && free).then_some(def_at)
}

fn same_lanes(a: &Inst, b: &Inst) -> bool {
    (a.exec, a.group, a.no_mask) == (b.exec, b.group, b.no_mask)
}

/// True if the other operand of a choice is made in the block for the same lanes, and nobody reads it later: as a rule it can be made in
/// the place of the choice.
fn remains(lir: &Lir, uses: &IdMap<Vgrf, Use>, first: usize, at: usize, operand: usize) -> bool {
    let select = &lir.insts[at];
    let Some(v) = select.src[operand].as_vgrf() else {
        return false;
    };
    let u = &uses[v];
    let def_at = u.def_at as usize;
    u.defs == 1
        && u.last_read as usize == at
        && (first..at).contains(&def_at)
        && lir.vgrfs[v].fixed.is_none()
        && lir.insts[def_at].pred.is_none()
        && lir.insts[def_at].send.is_none()
        && same_lanes(&lir.insts[def_at], select)
        && lir.insts[def_at].dst.offset == select.src[operand].offset
        && (select.exec == 1 || select.src[operand].stride == select.dst.stride)
}

/// True if an operation may be executed where the choice stands: what it reads is still there, and is not what is chosen.
fn may_follow(lir: &Lir, def: usize, at: usize) -> bool {
    let select = &lir.insts[at];
    let operation = &lir.insts[def];
    let sources = &operation.src[..operation.sources()];
    let reads = |reg: Reg| sources.iter().any(|s| s.reg == reg);
    let registers = |s: &Src| matches!(s.reg, Reg::Vgrf(_) | Reg::Imm(_) | Reg::Null);
    sources.iter().all(registers)
        && !reads(select.dst.reg)
        && lir.insts[def + 1..at].iter().all(|i| !reads(i.dst.reg))
}
