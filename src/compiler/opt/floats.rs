//! What passes over the arithmetic of floats share: what may be made another way.

use entity::Id;
use nir::{Alu, Instr, Shader, Stage};

/// A scalar operation of 32 bits whose result may be rounded otherwise, be a zero of the other sign, or come of infinities otherwise.
/// None in stages that place vertices: applications draw the same places by two shaders and ask for equal depths, though nothing promises
/// them without "Invariant", and what else a shader makes of a value decides here.
/// Ref: SPIR-V, "NoContraction"; SPV_KHR_float_controls, "SignedZeroInfNanPreserve"; Vulkan, "Invariance".
pub(crate) fn free(s: &Shader, id: Id<Instr>) -> Option<&Alu> {
    let Instr::Alu(alu) = &s.instrs[id] else {
        return None;
    };
    if !matches!(s.stage, Stage::Fragment | Stage::Compute) {
        return None;
    }
    let d = s.defs[alu.def];
    let is_free = !alu.exact && !alu.preserve_nan_inf_sz;
    (is_free && d.bit_size == 32 && d.num_components == 1).then_some(alu)
}
