//! What may be done to the float operations of an instruction.
//!
//! In:  FPFastMathMode of the instruction, else FPFastMathDefault of the entry point. Out: flags.
//! Ref: SPV_KHR_float_controls2.
//!
//! The flags are honoured as two groups, because NIR has two: what changes the rounding
//! (AllowContract, AllowReassoc, AllowRecip, AllowTransform), and what assumes operands (NotNaN,
//! NotInf, NSZ). A group is allowed if all of its flags are.

use crate::error::Result;
use crate::module::EntryPoint;
use crate::state::Translator;
use spirv::{Decoration, ExecutionMode, FPFastMathMode as F};

/// Everything that a flag allows. Also the default without FPFastMathDefault: NoContraction and
/// SignedZeroInfNanPreserve then forbid something.
pub(crate) const ALL: F = F::from_bits_truncate(
    F::NOT_NAN.bits()
        | F::NOT_INF.bits()
        | F::NSZ.bits()
        | F::ALLOW_RECIP.bits()
        | F::ALLOW_CONTRACT.bits()
        | F::ALLOW_REASSOC.bits()
        | F::ALLOW_TRANSFORM.bits(),
);

/// Flags that change the rounding.
const ROUNDING: F = F::from_bits_truncate(
    F::ALLOW_RECIP.bits()
        | F::ALLOW_CONTRACT.bits()
        | F::ALLOW_REASSOC.bits()
        | F::ALLOW_TRANSFORM.bits(),
);

/// Flags that assume operands.
const VALUES: F = F::from_bits_truncate(F::NOT_NAN.bits() | F::NOT_INF.bits() | F::NSZ.bits());

impl Translator<'_> {
    /// Reads the execution modes FPFastMathDefault. Their float types are not told apart: a flag is
    /// allowed if it is allowed for all of them.
    pub fn fast_math_defaults(&mut self, entry: &EntryPoint) -> Result<()> {
        let modes = self.module.modes.iter();
        for mode in modes
            .filter(|m| m.target == entry.function && m.mode == ExecutionMode::FPFastMathDefault)
        {
            self.emit.loc = mode.loc;
            let Some(&flags) = mode.args.get(1) else {
                return mode.loc.expected("a type and flags", "none");
            };
            let flags = self.const_u32(flags)?;
            self.fast_math_default &= F::from_bits_truncate(flags);
        }
        Ok(())
    }

    /// What is allowed for the instruction with result `id`: AllowTransform if the rounding may
    /// change, NSZ if NaN, infinities and the sign of zero may be assumed away; 0 is no result.
    pub fn fast_math(&self, id: u32) -> F {
        let own = self.module.decoration_arg(id, Decoration::FPFastMathMode);
        let flags = match own.filter(|_| id != 0).map(F::from_bits_truncate) {
            // The old flag Fast stands for all.
            Some(flags) if flags.contains(F::FAST) => ALL,
            Some(flags) => flags,
            None => self.fast_math_default,
        };
        let mut allowed = F::empty();
        allowed.set(F::ALLOW_TRANSFORM, flags.contains(ROUNDING));
        allowed.set(F::NSZ, flags.contains(VALUES));
        allowed
    }
}
