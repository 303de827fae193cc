//! What passes over the arithmetic of floats share: who reads a value, and what may be made another way.

use entity::{Id, IdMap};
use nir::{Alu, CfEvent, Def, Instr, Shader};

/// How often values are read.
pub(crate) fn reads(s: &Shader) -> IdMap<Def, u32> {
    let mut reads: IdMap<Def, u32> = IdMap::for_arena(&s.defs, 0);
    for event in s.layout() {
        match event {
            CfEvent::Block(b) => {
                for &id in &s.blocks[b].instrs {
                    s.instrs[id].for_each_src(|def| reads[def] += 1);
                }
            }
            CfEvent::If(i) => reads[s.ifs[i].cond] += 1,
            _ => {}
        }
    }
    reads
}

/// A scalar operation of 32 bits whose result may be rounded otherwise, be a zero of the other sign, or come of infinities otherwise.
/// Ref: SPIR-V, "NoContraction"; SPV_KHR_float_controls, "SignedZeroInfNanPreserve".
pub(crate) fn free(s: &Shader, id: Id<Instr>) -> Option<&Alu> {
    let Instr::Alu(alu) = &s.instrs[id] else {
        return None;
    };
    let d = s.defs[alu.def];
    let is_free = !alu.exact && !alu.preserve_nan_inf_sz;
    (is_free && d.bit_size == 32 && d.num_components == 1).then_some(alu)
}
