//! Computes intermediate values of a loop-carried register in that register.
//!
//! In:  LIR in which phis are VGRFs with several writes.
//! Out: an instruction that is the last to read such a VGRF before its next write in the block
//!      writes its result to the VGRF, if the result is not needed behind that write.
//!
//! A loop-carried VGRF is live throughout its loop (live ranges have no holes), so its register is
//! free for this. An unrolled accumulation would otherwise need a second register for its steps.
//! Tests: tests/fs/opt_in_place/.

use crate::lir::{Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::IdMap;
use isa::Opcode;

/// Writes and reads of a VGRF.
#[derive(Clone, Copy, Default)]
struct Usage {
    defs: u32,
    def_at: u32,
    read: bool,
    last_read: u32,
    /// It has one write, and all reads follow that write in the same block.
    local: bool,
}

/// A VGRF whose value is dead, and the index of its next write.
type FreeVgrf = (VgrfId, u32);

/// Returns true if it changed the program.
pub(crate) fn opt_in_place(lir: &mut Lir) -> bool {
    let usage = collect_usage(lir);
    let free = last_reads(lir, &usage);
    let mut renamed: IdMap<Vgrf, Option<FreeVgrf>> = IdMap::for_arena(&lir.vgrfs, None);
    let mut changed = false;
    for at in 0..lir.insts.len() {
        let mut inst = lir.insts[at];
        let mut target = free[at];
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf()
                && let Some(to) = renamed[v]
            {
                inst.src[i].reg = Reg::Vgrf(to.0);
                if usage[v].last_read == at as u32 {
                    target = target.or(Some(to));
                }
            }
        }
        if let Some(target) = target
            && let Some(v) = inst.dst.as_vgrf()
            && can_write_to(lir, &inst, v, &usage[v], target)
        {
            inst.dst.reg = Reg::Vgrf(target.0);
            renamed[v] = Some(target);
            changed = true;
        }
        lir.insts[at] = inst;
    }
    changed
}

fn collect_usage(lir: &Lir) -> IdMap<Vgrf, Usage> {
    let mut out: IdMap<Vgrf, Usage> = IdMap::for_arena(&lir.vgrfs, Usage::default());
    let mut block_start = 0;
    for (at, inst) in (0..).zip(&lir.insts) {
        if inst.is_control() {
            block_start = at;
        }
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf() {
                let k = &mut out[v];
                k.local &= k.def_at >= block_start;
                (k.read, k.last_read) = (true, at);
            }
        }
        if let Some(v) = inst.dst.as_vgrf() {
            let k = &mut out[v];
            k.local = k.defs == 0 && !k.read;
            k.defs += 1;
            k.def_at = at;
        }
    }
    out
}

/// For each instruction a VGRF with several writes whose value it is the last to read in its block,
/// and the next write.
fn last_reads(lir: &Lir, usage: &IdMap<Vgrf, Usage>) -> Vec<Option<FreeVgrf>> {
    let mut out = vec![None; lir.insts.len()];
    // The next write of each VGRF, if no read precedes it.
    let mut next: IdMap<Vgrf, Option<u32>> = IdMap::for_arena(&lir.vgrfs, None);
    let mut block_end = lir.insts.len() as u32;
    for (at, inst) in lir.insts.iter().enumerate().rev() {
        if inst.is_control() {
            block_end = at as u32;
            continue;
        }
        let sources = inst.src[..inst.sources()].iter();
        let read = || sources.clone().filter_map(Src::as_vgrf);
        out[at] = read().find_map(|v| Some((v, next[v].filter(|n| *n < block_end)?)));
        if let Some(v) = inst.dst.as_vgrf().filter(|v| usage[*v].defs > 1) {
            next[v] = Some(at as u32);
        }
        for v in read() {
            next[v] = None;
        }
    }
    out
}

/// True if `inst` can write to `to` instead of `v`: all reads of `v` precede or are part of `next`,
/// the next write to `to`.
fn can_write_to(lir: &Lir, inst: &Inst, v: VgrfId, usage: &Usage, (to, next): FreeVgrf) -> bool {
    let write = &lir.insts[next as usize];
    let pitch = |i: &Inst| u32::from(i.dst.stride) * i.dst.ty.size_bytes();
    let (from, into) = (&lir.vgrfs[v], &lir.vgrfs[to]);
    usage.local
        && usage.last_read <= next
        && from.regs == into.regs
        && from.fixed.is_none()
        && into.fixed.is_none()
        && (inst.exec, inst.group, inst.no_mask) == (write.exec, write.group, write.no_mask)
        && inst.dst.offset == write.dst.offset
        && inst.dst.ty.size_bytes() == write.dst.ty.size_bytes()
        && pitch(inst) == pitch(write)
        && reads_in_place(inst, to)
        && reads_in_place(write, v)
}

/// True if each lane's result overwrites only the element of `v` that the same lane reads, if the
/// instruction reads `v`: the two halves of an instruction are executed one after the other.
fn reads_in_place(inst: &Inst, v: VgrfId) -> bool {
    let plain = match inst.op {
        Op::Eu(op) => !matches!(op, Opcode::Mach | Opcode::Pln),
        Op::Math(_) => true,
        _ => false,
    };
    let size = inst.dst.ty.size_bytes();
    let same = |s: &Src| {
        s.offset == inst.dst.offset
            && s.ty.size_bytes() == size
            && (inst.exec == 1 || s.rows.is_none() && s.stride == inst.dst.stride)
    };
    let mut sources = inst.src[..inst.sources()].iter();
    plain && inst.pred.is_none() && sources.all(|s| s.as_vgrf() != Some(v) || same(s))
}
