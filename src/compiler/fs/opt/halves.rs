//! Reads the parts of a response where they are, instead of copying them together first.
//!
//! In:  LIR with VGRFs whose registers are copied one by one, each for eight lanes, as from the
//!      responses of eight-lane messages.
//! Out: where few instructions read such a VGRF, each of them is split into instructions for eight
//!      lanes, which read the sources of the copies; the copies are removed.
//!
//! An instruction for 16 lanes takes as long as two for eight. So an instruction is split only if
//! that saves more copies than it adds instructions.
//! Tests: tests/fs/lir/opt_halves/.

use super::register_writes::RegisterWrites;
use crate::lir::{GRF_BYTES, Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::IdMap;
use isa::{CondMod, EncodingClass, Opcode, Type};
use smallvec::SmallVec;

/// Lanes of one copy.
const LANES: u8 = 8;
/// Registers of the largest VGRF that is considered: 32 lanes.
const MAX_REGS: usize = 4;

/// The copies that write a VGRF, and its readers.
#[derive(Clone, Default)]
struct Parts {
    /// Index of the copy of each register.
    copies: SmallVec<[u32; MAX_REGS]>,
    /// The instructions that read it.
    readers: SmallVec<[u32; MAX_REGS]>,
    /// Something else writes it, or too much reads it.
    other: bool,
}

/// Returns true if it changed the program.
pub(crate) fn opt_halves(lir: &mut Lir) -> bool {
    if lir.width <= LANES {
        return false;
    }
    let parts = collect_parts(lir);
    let writes = RegisterWrites::new(lir);
    let block_of = number_blocks(lir);
    let mut removed = vec![false; lir.insts.len()];
    let mut splits = vec![false; lir.insts.len()];
    for v in lir.vgrfs.ids() {
        let p = &parts[v];
        let regs = usize::from(lir.vgrfs[v].regs);
        if p.other || p.copies.len() != regs || p.readers.is_empty() {
            continue;
        }
        let (copies, readers) = (&p.copies, &p.readers);
        let added = readers.iter().filter(|r| {
            let reader = **r as usize;
            lir.insts[reader].exec > LANES && !splits[reader]
        });
        // The sources of these copies are replaced already, or the copies that read this one.
        let changes = copies.iter().any(|c| splits[*c as usize])
            || readers.iter().any(|r| removed[*r as usize]);
        if changes || added.count() >= regs {
            continue;
        }
        let reads_source = |reader: usize, copy: usize| {
            let inst = &lir.insts[copy];
            copy < reader
                && block_of[copy] == block_of[reader]
                && lir.insts[reader].dst.reg != inst.src[0].reg
                && writes.source_unchanged(lir, inst, 0, copy, reader)
        };
        let replaces = readers.iter().map(|r| *r as usize).all(|reader| {
            can_split(&lir.insts[reader])
                && copies.iter().all(|c| reads_source(reader, *c as usize))
        });
        if !replaces {
            continue;
        }
        p.copies.iter().for_each(|c| removed[*c as usize] = true);
        p.readers.iter().for_each(|r| splits[*r as usize] = true);
    }
    if !splits.contains(&true) {
        return false;
    }
    apply(lir, &parts, &removed, &splits);
    true
}

/// The copies and readers of all VGRFs that nothing but copies writes.
fn collect_parts(lir: &Lir) -> IdMap<Vgrf, Parts> {
    let mut out: IdMap<Vgrf, Parts> = IdMap::for_arena(&lir.vgrfs, Parts::default());
    for (at, inst) in (0..).zip(&lir.insts) {
        if let Op::Collect(_) = inst.op {
            inst.for_each_vgrf_read(&lir.payloads, |v| out[v].other = true);
        }
        let sources = inst.src[..inst.sources()].iter();
        for v in sources.filter_map(Src::as_vgrf) {
            let p = &mut out[v];
            p.other |= p.readers.len() == MAX_REGS;
            if !p.other && !p.readers.contains(&at) {
                p.readers.push(at);
            }
        }
        if let Some(v) = inst.dst.as_vgrf() {
            let p = &mut out[v];
            let next = p.copies.len();
            let fits =
                next < MAX_REGS && lir.vgrfs[v].fixed.is_none() && is_copy_of_part(inst, next);
            p.other |= !fits;
            p.copies.push(at);
        }
    }
    out
}

/// True for a copy of the register with index `n` of a VGRF, for the lanes that it holds.
fn is_copy_of_part(inst: &Inst, n: usize) -> bool {
    let (dst, src) = (&inst.dst, &inst.src[0]);
    inst.op == Op::Eu(Opcode::Mov)
        && (inst.exec, usize::from(inst.group)) == (LANES, n * usize::from(LANES))
        && !inst.no_mask
        && inst.pred.is_none()
        && inst.cmod == CondMod::None
        && !inst.sat
        && dst.offset == n as u32 * GRF_BYTES
        && (dst.ty, dst.stride) == (Type::Ud, 1)
        && (src.ty, src.stride) == (Type::Ud, 1)
        && src.as_vgrf().is_some()
        && src.as_vgrf() != dst.as_vgrf()
        && src.rows.is_none()
        && !src.neg
        && !src.abs
}

/// The number of the block of each instruction.
fn number_blocks(lir: &Lir) -> Vec<u32> {
    let mut block = 0;
    let number = |inst: &Inst| {
        block += u32::from(inst.is_control());
        block
    };
    lir.insts.iter().map(number).collect()
}

/// True for an instruction that computes each lane from the same lane of dwords, or from scalars,
/// so that it can be executed for eight lanes at a time.
fn can_split(inst: &Inst) -> bool {
    let lane_wise = match inst.op {
        Op::Eu(Opcode::Mach | Opcode::Pln) => false,
        Op::Eu(op) => matches!(
            op.info().class,
            EncodingClass::Basic | EncodingClass::ThreeSource
        ),
        Op::Math(_) => true,
        _ => false,
    };
    let by_lane = |s: &Src| match s.reg {
        Reg::Imm(_) => true,
        Reg::Vgrf(_) => {
            let in_place = (s.offset, s.stride) == (inst.dst.offset, inst.dst.stride);
            s.rows.is_none()
                && (s.stride == 0 || s.stride == 1 && s.ty.size_bytes() == 4)
                && (s.reg != inst.dst.reg || in_place)
        }
        _ => false,
    };
    lane_wise
        && inst.exec <= 2 * LANES
        && !inst.no_mask
        && inst.pred.is_none()
        && inst.cmod == CondMod::None
        && !inst.acc_wr
        && inst.dst.as_vgrf().is_some()
        && inst.dst.stride == 1
        && inst.dst.ty.size_bytes() == 4
        && inst.src[..inst.sources()].iter().all(by_lane)
}

/// Removes the copies, and splits the instructions that read them.
fn apply(lir: &mut Lir, parts: &IdMap<Vgrf, Parts>, removed: &[bool], splits: &[bool]) {
    let insts = std::mem::take(&mut lir.insts);
    let mut out = Vec::with_capacity(insts.len());
    let source_of = |v: VgrfId, s: &Src| -> Option<Src> {
        let p = &parts[v];
        let copy = *p.copies.get((s.offset / GRF_BYTES) as usize)? as usize;
        let from = &insts[copy].src[0];
        removed[copy].then_some(Src {
            reg: from.reg,
            offset: from.offset + s.offset % GRF_BYTES,
            ..*s
        })
    };
    for (at, inst) in insts.iter().enumerate() {
        if removed[at] {
            continue;
        }
        if !splits[at] {
            out.push(*inst);
            continue;
        }
        for first in (0..inst.exec).step_by(usize::from(LANES)) {
            let mut part = *inst;
            part.exec = inst.exec.min(LANES);
            part.group = inst.group + first;
            part.dst.offset += u32::from(first) * 4;
            let sources = inst.sources();
            for s in &mut part.src[..sources] {
                if let Some(v) = s.as_vgrf() {
                    s.offset += u32::from(first) * u32::from(s.stride) * s.ty.size_bytes();
                    *s = source_of(v, s).unwrap_or(*s);
                }
            }
            out.push(part);
        }
    }
    lir.insts = out;
}
