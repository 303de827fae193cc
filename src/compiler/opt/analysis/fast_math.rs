//! Which float operations may be evaluated in another way.

use entity::Id;
use nir::{Alu, Instr, Shader, Stage};

/// The scalar 32-bit ALU operation at `id`, if its rounding, the sign of a zero result and its
/// results for infinities may change. `None` in stages that compute positions: applications draw
/// the same geometry with two shaders and expect equal depths. "Invariant" is needed to be promised
/// that, but without it the result would depend on what else a shader does with a value.
/// Ref: SPIR-V, "NoContraction"; SPV_KHR_float_controls, "SignedZeroInfNanPreserve"; Vulkan,
///      "Invariance".
pub(crate) fn fast_math_alu(s: &Shader, id: Id<Instr>) -> Option<&Alu> {
    let Instr::Alu(alu) = &s.instrs[id] else {
        return None;
    };
    if !matches!(s.stage, Stage::Fragment | Stage::Compute) {
        return None;
    }
    let d = s.defs[alu.def];
    let may_change = !alu.exact && !alu.preserve_nan_inf_sz;
    (may_change && d.bit_size == 32 && d.num_components == 1).then_some(alu)
}
