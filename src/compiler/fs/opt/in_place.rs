//! Lets what is made of a register's value be made in that register, where the register is written anew before anybody asks for the old
//! value again.
//!
//! In:  LIR in which phis are registers with several writes. Out: the same, in which steps between two of these writes are writes, too.
//!
//! A register that goes round a loop is taken throughout it (`live` keeps no holes). Of a sum that the body adds to many times, as
//! bodies that were unrolled do, each step would take another register beside it.
//! Tests: tests/fs/opt_in_place/.

use crate::lir::{Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::IdMap;
use isa::Opcode;

/// What is known of a VGRF.
#[derive(Clone, Copy, Default)]
struct Known {
    defs: u32,
    def_at: u32,
    read: bool,
    last_read: u32,
    /// It is written once, before it is read, and read in the block of that write alone.
    local: bool,
}

/// A register to write to, and where it is written anew.
type Place = (VgrfId, u32);

/// True if anything changed.
pub(crate) fn opt_in_place(lir: &mut Lir) -> bool {
    let known = look(lir);
    let free = last_reads(lir, &known);
    let mut renamed: IdMap<Vgrf, Option<Place>> = IdMap::for_arena(&lir.vgrfs, None);
    let mut changed = false;
    for at in 0..lir.insts.len() {
        let mut inst = lir.insts[at];
        let mut place = free[at];
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf()
                && let Some(to) = renamed[v]
            {
                inst.src[i].reg = Reg::Vgrf(to.0);
                if known[v].last_read == at as u32 {
                    place = place.or(Some(to));
                }
            }
        }
        if let Some(place) = place
            && let Some(v) = inst.dst.as_vgrf()
            && fits(lir, &inst, v, &known[v], place)
        {
            inst.dst.reg = Reg::Vgrf(place.0);
            renamed[v] = Some(place);
            changed = true;
        }
        lir.insts[at] = inst;
    }
    changed
}

fn look(lir: &Lir) -> IdMap<Vgrf, Known> {
    let mut out: IdMap<Vgrf, Known> = IdMap::for_arena(&lir.vgrfs, Known::default());
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

/// For each instruction: a register that it is the last to read before the next of several writes, and that write, in the same block.
fn last_reads(lir: &Lir, known: &IdMap<Vgrf, Known>) -> Vec<Option<Place>> {
    let mut out = vec![None; lir.insts.len()];
    // Where each is written next, if nobody reads it before that.
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
        if let Some(v) = inst.dst.as_vgrf().filter(|v| known[*v].defs > 1) {
            next[v] = Some(at as u32);
        }
        for v in read() {
            next[v] = None;
        }
    }
    out
}

/// Whether `inst` may write to that place instead of `v`, until the next write there.
fn fits(lir: &Lir, inst: &Inst, v: VgrfId, known: &Known, (to, next): Place) -> bool {
    let write = &lir.insts[next as usize];
    let pitch = |i: &Inst| u32::from(i.dst.stride) * i.dst.ty.size_bytes();
    let (from, into) = (&lir.vgrfs[v], &lir.vgrfs[to]);
    known.local
        && known.last_read <= next
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

/// Whether each lane's result lies where the instruction has read that lane of `v`, if it reads it: the halves of an instruction are
/// executed one after the other.
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
