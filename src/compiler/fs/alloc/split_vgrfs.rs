//! Splits VGRFs into their independently accessed registers.
//!
//! In:  LIR after `lower_collect`.
//! Out: the same with VGRFs split between registers that no instruction accesses together, so that
//!      the components of a vector have live ranges of their own. Payloads and responses stay
//!      whole.
//! Tests: tests/fs/lir/split_vgrfs/.

use crate::lir::{GRF_BYTES, Lir, Op, Reg, Vgrf, VgrfId};
use entity::IdMap;

/// Returns true if it changed the program.
pub(crate) fn split_vgrfs(lir: &mut Lir) -> bool {
    // The index of each VGRF's first register in the tables below.
    let mut base: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
    let mut total = 0;
    for (v, vgrf) in lir.vgrfs.iter() {
        base[v] = total;
        total += u32::from(vgrf.regs);
    }
    // For each register: an instruction accesses it together with the one before it.
    let mut joined = vec![false; total as usize + 1];
    let mut join = |v: VgrfId, first: u32, bytes: u32| {
        let at = base[v] + first / GRF_BYTES;
        let end = base[v] + (first + bytes.max(1)).div_ceil(GRF_BYTES);
        for r in at + 1..end {
            joined[r as usize] = true;
        }
    };
    for inst in &lir.insts {
        for i in 0..inst.sources() {
            let s = &inst.src[i];
            let Some(v) = s.as_vgrf() else { continue };
            match inst.op {
                Op::MovIndirect if i == 0 => {
                    join(v, 0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES);
                }
                _ => join(v, s.offset, inst.src_bytes(i)),
            }
        }
        if let Some(v) = inst.dst.as_vgrf() {
            join(v, inst.dst.offset, inst.dst_bytes());
        }
    }
    // The new VGRF and byte offset of each register.
    let mut location: Vec<(VgrfId, u32)> = Vec::with_capacity(total as usize);
    let mut changed = false;
    let vgrfs: Vec<(VgrfId, Vgrf)> = lir.vgrfs.iter().map(|(v, vgrf)| (v, *vgrf)).collect();
    for (v, vgrf) in vgrfs {
        let first = base[v] as usize;
        let regs = usize::from(vgrf.regs);
        let whole = vgrf.fixed.is_some() || joined[first + 1..first + regs].iter().all(|j| *j);
        let mut at = 0;
        while at < regs {
            let piece = match whole {
                true => regs,
                false => {
                    1 + joined[first + at + 1..first + regs]
                        .iter()
                        .take_while(|j| **j)
                        .count()
                }
            };
            let name = match at {
                0 => v,
                _ => lir.vgrf(piece as u32 * GRF_BYTES),
            };
            if at == 0 {
                lir.vgrfs[v].regs = piece as u16;
            }
            location.extend((0..piece).map(|r| (name, r as u32 * GRF_BYTES)));
            changed |= piece < regs;
            at += piece;
        }
    }
    if !changed {
        return false;
    }
    let rename = |reg: &mut Reg, offset: &mut u32| {
        if let Reg::Vgrf(v) = *reg {
            let (to, at) = location[(base[v] + *offset / GRF_BYTES) as usize];
            *reg = Reg::Vgrf(to);
            *offset = at + *offset % GRF_BYTES;
        }
    };
    for inst in &mut lir.insts {
        rename(&mut inst.dst.reg, &mut inst.dst.offset);
        let n = inst.sources();
        for s in &mut inst.src[..n] {
            rename(&mut s.reg, &mut s.offset);
        }
    }
    true
}
