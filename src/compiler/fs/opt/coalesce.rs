//! Copy coalescing within a block: an instruction writes the destination of the copy of its result.
//!
//! In:  LIR before allocation.
//! Out: a copy is removed if one instruction of the same block defines its source for the same
//!      lanes and all reads of the source are in that block. The defining instruction writes the
//!      copy's destination, and the other readers read that. Copies for phis and payloads mostly
//!      disappear this way. The saturation of a copy moves to the defining instruction.

use crate::lir::{GRF_BYTES, Inst, Lir, Op, Reg, Vgrf, VgrfId};
use entity::IdMap;
use isa::{CondMod, MathFn, Opcode, Type};
use smallvec::SmallVec;

/// Number of instructions before the copy that are searched for the definition of its source.
const WINDOW: usize = 256;

/// Definitions and reads of a VGRF.
#[derive(Clone, Copy, Default)]
struct Use {
    defs: u32,
    reads: u32,
    def_at: u32,
}

/// Returns true if it changed the program.
pub(crate) fn opt_coalesce(lir: &mut Lir) -> bool {
    let mut uses: IdMap<Vgrf, Use> = IdMap::for_arena(&lir.vgrfs, Use::default());
    for (at, inst) in lir.insts.iter().enumerate() {
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf() {
                uses[v].reads += 1;
            }
        }
        if let Some(v) = inst.dst.as_vgrf() {
            uses[v].defs += 1;
            uses[v].def_at = at as u32;
        }
    }
    let mut removed = vec![false; lir.insts.len()];
    let mut block_start = 0;
    let mut changed = false;
    for at in 0..lir.insts.len() {
        let copy = lir.insts[at];
        if copy.is_control() {
            block_start = at + 1;
            continue;
        }
        let Some((from, to)) = copied(&copy) else {
            continue;
        };
        let u = uses[from];
        let def_at = u.def_at as usize;
        if u.defs != 1
            || lir.vgrfs[from].fixed.is_some()
            || def_at < block_start
            || def_at >= at
            || at - def_at > WINDOW
            || removed[def_at]
        {
            continue;
        }
        let def = &lir.insts[def_at];
        if !can_write_dst_of(def, &copy, to) {
            continue;
        }
        let touches = |inst: &Inst| {
            inst.dst.as_vgrf() == Some(to)
                || (0..inst.sources()).any(|i| inst.src[i].as_vgrf() == Some(to))
        };
        let between = lir.insts[def_at + 1..at]
            .iter()
            .zip(&removed[def_at + 1..at])
            .any(|(inst, gone)| !gone && conflicts(inst, &copy, to) && touches(inst));
        if between {
            continue;
        }
        let others = match other_reads(lir, &removed, (def_at, at), u.reads - 1) {
            Some(others) if others.is_empty() || !copy.sat => others,
            _ => continue,
        };
        for (other, i) in others {
            let src = &mut lir.insts[other].src[i];
            src.reg = copy.dst.reg;
            src.offset = src.offset - copy.src[0].offset + copy.dst.offset;
            uses[to].reads += 1;
        }
        let def = &mut lir.insts[def_at];
        def.dst.reg = copy.dst.reg;
        def.dst.offset = copy.dst.offset;
        def.sat |= copy.sat;
        if uses[to].defs == 1 {
            uses[to].def_at = def_at as u32;
        }
        removed[at] = true;
        changed = true;
    }
    if changed {
        let mut gone = removed.iter();
        lir.insts.retain(|_| !gone.next().unwrap_or(&false));
    }
    changed
}

/// The other `n` reads of a copy's source, as (instruction, operand) pairs, if all of them can read
/// the copy's destination instead: they are in the block, read only bytes that are copied, and no
/// write to the destination precedes them.
fn other_reads(
    lir: &Lir,
    removed: &[bool],
    (def_at, at): (usize, usize),
    n: u32,
) -> Option<SmallVec<[(usize, usize); 4]>> {
    let mut found = SmallVec::new();
    if n == 0 {
        return Some(found);
    }
    let copy = &lir.insts[at];
    let (from, to) = (copy.src[0].reg, copy.dst);
    let first = copy.src[0].offset;
    let end = first + copy.src_bytes(0);
    for (k, inst) in lir.insts.iter().enumerate().skip(def_at + 1).take(WINDOW) {
        if found.len() == n as usize {
            return Some(found);
        }
        if inst.is_control() {
            return None;
        }
        if k == at || removed[k] {
            continue;
        }
        for (i, s) in inst.src.iter().enumerate().take(inst.sources()) {
            if s.reg != from {
                continue;
            }
            let within = s.offset >= first && s.offset + inst.src_bytes(i) <= end;
            // The region of a vector source must keep its offset within a register.
            let moved = first.abs_diff(to.offset);
            let within = within && (s.stride == 0 || moved.is_multiple_of(GRF_BYTES));
            // Messages read whole registers, and the EOT message must have its payload at the end
            // of the register file.
            if !within || inst.op == Op::MovIndirect || inst.send.is_some() {
                return None;
            }
            found.push((k, i));
        }
        if k > at && inst.dst.reg == to.reg {
            let last = found.len() == n as usize && reads_elements_it_writes(inst, from, copy);
            return last.then_some(found);
        }
    }
    (found.len() == n as usize).then_some(found)
}

/// True if an instruction that writes a copy's destination can also read it instead of the copy's
/// source: each lane reads the element that it writes, so each half of the instruction reads its
/// elements before they are overwritten.
fn reads_elements_it_writes(inst: &Inst, from: Reg, copy: &Inst) -> bool {
    let pitch = |stride: u8, ty: Type| u32::from(stride) * ty.size_bytes();
    let (dst, first) = (inst.dst, copy.src[0].offset);
    let mut reads = inst.src[..inst.sources()].iter().filter(|s| s.reg == from);
    reads.all(|s| {
        s.rows.is_none()
            && s.offset - first + copy.dst.offset == dst.offset
            && s.ty.size_bytes() == dst.ty.size_bytes()
            && (inst.exec == 1 || pitch(s.stride, s.ty) == pitch(dst.stride, dst.ty))
    })
}

/// Source and destination of a plain copy of one VGRF to another.
fn copied(inst: &Inst) -> Option<(VgrfId, VgrfId)> {
    let plain = inst.op == Op::Eu(Opcode::Mov)
        && inst.pred.is_none()
        && inst.cmod == CondMod::None
        && !inst.src[0].neg
        && !inst.src[0].abs
        && inst.src[0].rows.is_none()
        && inst.dst.ty == inst.src[0].ty;
    if !plain {
        return None;
    }
    let (from, to) = (inst.src[0].as_vgrf()?, inst.dst.as_vgrf()?);
    (from != to).then_some((from, to))
}

/// True if the instruction accesses bytes that the copy writes.
fn conflicts(inst: &Inst, copy: &Inst, to: VgrfId) -> bool {
    let (first, end) = (copy.dst.offset, copy.dst.offset + copy.dst_bytes());
    let overlaps = |at: u32, bytes: u32| at < end && at + bytes > first;
    inst.dst.as_vgrf() == Some(to) && overlaps(inst.dst.offset, inst.dst_bytes())
        || (0..inst.sources()).any(|i| {
            inst.src[i].as_vgrf() == Some(to)
                && (inst.op == Op::MovIndirect || overlaps(inst.src[i].offset, inst.src_bytes(i)))
        })
}

/// True if `def` can write the copy's destination directly.
fn can_write_dst_of(def: &Inst, copy: &Inst, to: VgrfId) -> bool {
    let pitch = |stride: u8, ty: Type| u32::from(stride) * ty.size_bytes();
    let scalar = copy.exec == 1;
    let same_lanes = def.exec == copy.exec
        && (def.group == copy.group || def.no_mask && copy.no_mask)
        && def.no_mask == copy.no_mask
        && def.pred.is_none()
        && def.send.is_none();
    let same_place = def.dst.offset == copy.src[0].offset
        && def.dst.ty.size_bytes() == copy.src[0].ty.size_bytes()
        && (scalar
            || pitch(def.dst.stride, def.dst.ty) == pitch(copy.src[0].stride, copy.src[0].ty)
                && pitch(def.dst.stride, def.dst.ty) == pitch(copy.dst.stride, copy.dst.ty));
    if !same_lanes || !same_place {
        return false;
    }
    // Align16 destinations are aligned to 16 bytes.
    if let Op::Eu(op) = def.op
        && op.info().class == isa::EncodingClass::ThreeSource
        && !copy.dst.offset.is_multiple_of(16)
    {
        return false;
    }
    if converts_half_and_integer(def) && !copy.dst.offset.is_multiple_of(4) {
        return false;
    }
    if copy.sat && !can_saturate(def, copy.dst.ty) {
        return false;
    }
    // If it also reads that register, each half of the instruction must read its elements before
    // they are overwritten.
    (0..def.sources()).all(|i| {
        let s = &def.src[i];
        s.as_vgrf() != Some(to)
            || def.op != Op::MovIndirect
                && (s.offset == copy.dst.offset
                    && s.rows.is_none()
                    && pitch(s.stride, s.ty) == pitch(def.dst.stride, def.dst.ty)
                    || scalar
                    || s.offset >= copy.dst.offset + copy.dst_bytes()
                    || s.offset + def.src_bytes(i) <= copy.dst.offset)
    })
}

/// True for conversions between HF and integers, which write the low words of dwords. SKL PRM vol.
/// 7, "Register Region Restrictions".
fn converts_half_and_integer(def: &Inst) -> bool {
    let to = def.dst.ty;
    def.src[..def.sources()].iter().any(|s| match to {
        Type::Hf => !s.ty.is_float(),
        _ => s.ty == Type::Hf && !to.is_float(),
    })
}

/// True if the instruction can saturate its result, a float of type `ty`.
fn can_saturate(def: &Inst, ty: Type) -> bool {
    if !ty.is_float() || def.dst.ty != ty || def.cmod != CondMod::None {
        return false;
    }
    match def.op {
        Op::Eu(op) => matches!(
            op,
            Opcode::Add | Opcode::Mul | Opcode::Mad | Opcode::Mov | Opcode::Frc
        ),
        Op::Math(f) => !matches!(
            f,
            MathFn::IntDivBoth | MathFn::IntDivQuotient | MathFn::IntDivRemainder
        ),
        _ => false,
    }
}
