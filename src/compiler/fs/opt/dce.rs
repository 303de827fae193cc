//! Dead code elimination.
//!
//! In:  LIR before allocation.
//! Out: the same without instructions whose results are not read. A message that only writes memory
//!      loses an unread response.
//!
//! A flag is live only within the block that writes it, except for [`Lir::cross_block_flags`].

use crate::lir::{Dst, Lir, Reg, Vgrf};
use entity::IdMap;
use isa::{CondMod, Type};

/// Returns true if it removed an instruction.
pub(crate) fn opt_dce(lir: &mut Lir) -> bool {
    let mut reads: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
    for inst in &lir.insts {
        inst.for_each_vgrf_read(&lir.payloads, |v| reads[v] += 1);
    }
    let cross_block_flags = lir.cross_block_flags;
    let mut flags = 0u64;
    let mut keep = vec![true; lir.insts.len()];
    let mut changed = false;
    for at in (0..lir.insts.len()).rev() {
        let inst = &mut lir.insts[at];
        if inst.is_control() {
            flags = cross_block_flags;
        }
        let writes_flag = inst.writes_flag();
        let flag_live = writes_flag && inst.flag_bits() & flags != 0;
        let dead_dst = match inst.dst.reg {
            Reg::Vgrf(v) => reads[v] == 0,
            Reg::Null => true,
            _ => false,
        };
        let side_effects = if writes_flag && inst.send.is_none() && !inst.acc_wr {
            flag_live
        } else {
            inst.has_side_effects()
        };
        if dead_dst && !side_effects {
            keep[at] = false;
            changed = true;
            inst.for_each_vgrf_read(&lir.payloads, |v| reads[v] -= 1);
            continue;
        }
        if dead_dst && inst.send.is_none() && writes_flag && inst.dst.as_vgrf().is_some() {
            inst.dst.reg = Reg::Null;
            inst.dst.offset = 0;
        }
        if dead_dst
            && let Some(send) = &mut inst.send
            && inst.dst.as_vgrf().is_some()
            && !send.reads
        {
            send.rlen = 0;
            inst.dst = Dst::null(Type::Ud);
        }
        if writes_flag && inst.pred.is_none() {
            flags &= !inst.flag_bits();
        }
        if inst.pred.is_some() {
            flags |= inst.flag_bits();
        }
        for i in 0..inst.sources() {
            if let Reg::Arf(isa::ArfReg::Flag, _) = inst.src[i].reg {
                flags |= u64::MAX;
            }
        }
        debug_assert!(inst.cmod == CondMod::None || inst.flag < 4);
    }
    let mut k = keep.iter();
    lir.insts.retain(|_| *k.next().unwrap_or(&true));
    changed
}
