//! Finds floats that cannot be NaN.

use entity::Id;
use nir::{AluOp, Def, Instr, Shader, fold};
use smallvec::SmallVec;

/// Maximum number of values that are examined for one question.
const MAX_VALUES: usize = 16;

/// True if a component of a float cannot be NaN, whatever the shader reads.
///
/// Infinities are numbers. Only operations count that later passes replace by operations with the
/// same property: `fsat`, `fmin` and `fmax` return their other bound for NaN, conversions of
/// integers give numbers, and the square of a number is one.
pub(crate) fn is_number(s: &Shader, def: Id<Def>, component: u8) -> bool {
    let mut work: SmallVec<[(Id<Def>, u8); MAX_VALUES]> = SmallVec::new();
    work.push((def, component));
    let mut examined = 0;
    while let Some((def, component)) = work.pop() {
        examined += 1;
        if examined > MAX_VALUES {
            return false;
        }
        let bits = s.defs[def].bit_size;
        if let Some(value) = s.const_component(def, component) {
            if !matches!(bits, 16 | 32 | 64) || fold::float_value(bits, value).is_nan() {
                return false;
            }
            continue;
        }
        let Instr::Alu(alu) = s.instr_of(def) else {
            return false;
        };
        if s.defs[def].num_components != 1 {
            return false;
        }
        let operand = |k: usize| (alu.srcs[k].def, alu.srcs[k].swizzle[0]);
        let is_constant_number = |k: &usize| {
            let (def, component) = operand(*k);
            let value = s.const_component(def, component);
            value.is_some_and(|v| !fold::float_value(bits, v).is_nan())
        };
        match alu.op {
            AluOp::U2F | AluOp::I2F | AluOp::B2F | AluOp::FSat => {}
            AluOp::FNeg
            | AluOp::FAbs
            | AluOp::FFloor
            | AluOp::FCeil
            | AluOp::FTrunc
            | AluOp::FRoundEven
            | AluOp::Mov => work.push(operand(0)),
            AluOp::FMul if operand(0) == operand(1) => work.push(operand(0)),
            AluOp::FMin | AluOp::FMax if [0, 1].iter().any(is_constant_number) => {}
            AluOp::FMin | AluOp::FMax => work.extend([operand(0), operand(1)]),
            AluOp::Bcsel => work.extend([operand(1), operand(2)]),
            _ => return false,
        }
    }
    true
}
