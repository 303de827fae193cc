//! Replaces a predicated SEL by a predicated definition of one of its operands.
//!
//! In:  LIR with a predicated SEL, one operand of which is computed in the same block for this SEL
//!      alone, and the other operand of which is not read afterwards.
//! Out: `sel d, a, b` with `a = x op y` becomes `mov d, b` and `(f) op d, x, y`.
//!      [`crate::opt::coalesce`], which runs next, removes the MOV if `b` can be computed in `d`.
//! Ref: SKL PRM vol. 7, "Predication". Tests: tests/fs/opt_select/.

use crate::lir::{Inst, Lir, Op, Pred, Reg, Src, Vgrf};
use entity::IdMap;
use isa::{CondMod, EncodingClass, Opcode, PredCtrl};

/// Number of instructions before the SEL that are searched for the definitions of its operands.
const WINDOW: usize = 64;

/// Definitions and reads of a VGRF.
#[derive(Clone, Copy, Default)]
struct Use {
    defs: u32,
    reads: u32,
    def_at: u32,
    last_read: u32,
}

/// Returns true if it changed the program.
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
    // For each SEL that is replaced: its index, the defining instruction, and the operand that this
    // one defines.
    let mut moved: Vec<(usize, usize, usize)> = Vec::new();
    let mut taken = vec![false; lir.insts.len()];
    let mut block_start = 0;
    for at in 0..lir.insts.len() {
        let inst = &lir.insts[at];
        if inst.is_control() {
            block_start = at + 1;
            continue;
        }
        if !is_predicated_select(inst) {
            continue;
        }
        let first = block_start.max(at.saturating_sub(WINDOW));
        let made = [0, 1].into_iter().find_map(|operand| {
            let def = single_use_def(lir, &uses, first, at, operand)?;
            let dies = dies_at_select(lir, &uses, first, at, 1 - operand);
            (dies && !taken[def] && can_move_to(lir, def, at)).then_some((def, operand))
        });
        if let Some((def, operand)) = made {
            taken[def] = true;
            // The SEL itself is no longer a definition that can be moved.
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
                let [copy, operation] = replacement(inst, &insts[def], operand);
                out.extend([copy, operation]);
            }
            None if taken[at] => {}
            None => out.push(*inst),
        }
    }
    lir.insts = out;
    true
}

/// The copy and the predicated operation that replace a SEL.
fn replacement(select: &Inst, def: &Inst, operand: usize) -> [Inst; 2] {
    let mut copy = *select;
    copy.op = Op::Eu(Opcode::Mov);
    (copy.pred, copy.flag) = (None, 0);
    copy.src = [select.src[1 - operand], Src::NULL, Src::NULL];
    // SEL copies bits; the move must not convert.
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

/// True for a SEL by a flag between two 32-bit or 64-bit values without modifiers.
fn is_predicated_select(inst: &Inst) -> bool {
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

/// The instruction that defines an operand of the SEL at `at`, if the SEL is its only reader and it
/// can be predicated.
fn single_use_def(
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
        Op::Eu(op) => matches!(
            op.info().class,
            EncodingClass::Basic | EncodingClass::ThreeSource
        ),
        Op::Math(_) => true,
        _ => false,
    };
    let same_place = def.dst.offset == select.src[operand].offset
        && def.dst.ty.size_bytes() == select.dst.ty.size_bytes()
        && def.dst.stride == select.dst.stride
        && (select.exec == 1 || select.src[operand].stride == def.dst.stride);
    // Align16 destinations are aligned to 16 bytes.
    let aligned = match def.op {
        Op::Eu(op) if op.info().class == EncodingClass::ThreeSource => {
            select.dst.offset.is_multiple_of(16)
        }
        _ => true,
    };
    let free = def.pred.is_none() && def.cmod == CondMod::None && !def.acc_wr && def.send.is_none();
    (computes && same_lanes(def, select) && same_place && aligned && free).then_some(def_at)
}

fn same_lanes(a: &Inst, b: &Inst) -> bool {
    (a.exec, a.group, a.no_mask) == (b.exec, b.group, b.no_mask)
}

/// True if an operand of the SEL at `at` is computed in the block for the same lanes and not read
/// afterwards, so that it can usually be computed in the SEL's destination.
fn dies_at_select(
    lir: &Lir,
    uses: &IdMap<Vgrf, Use>,
    first: usize,
    at: usize,
    operand: usize,
) -> bool {
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

/// True if instruction `def` can be moved to the SEL at `at`: its sources are not overwritten in
/// between, and are not the destination of the SEL.
fn can_move_to(lir: &Lir, def: usize, at: usize) -> bool {
    let select = &lir.insts[at];
    let operation = &lir.insts[def];
    let sources = &operation.src[..operation.sources()];
    let reads = |reg: Reg| sources.iter().any(|s| s.reg == reg);
    let registers = |s: &Src| matches!(s.reg, Reg::Vgrf(_) | Reg::Imm(_) | Reg::Null);
    sources.iter().all(registers)
        && !reads(select.dst.reg)
        && lir.insts[def + 1..at].iter().all(|i| !reads(i.dst.reg))
}
