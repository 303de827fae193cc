//! Analysis of memory offsets: linear decomposition and upper bounds.

use entity::Id;
use nir::{Alu, AluOp, AluSrc, Def, Intrinsic, IntrinsicOp, Shader, fold};
use smallvec::SmallVec;

/// Splits an offset into its dynamic and its constant part.
pub(crate) fn split_constant(s: &Shader, offset: Id<Def>) -> (Option<Id<Def>>, i64) {
    let bits = s.defs[offset].bit_size;
    if let Some(v) = s.const_component(offset, 0) {
        return (None, fold::sext(bits, v));
    }
    if let Some(a) = s.alu_of(offset)
        && a.op == AluOp::IAdd
    {
        for (c, other) in [(1, 0), (0, 1)] {
            let src = a.srcs[other];
            if let Some(v) = s.const_component(a.srcs[c].def, a.srcs[c].swizzle[0])
                && s.defs[src.def].num_components == 1
            {
                return (Some(src.def), fold::sext(bits, v));
            }
        }
    }
    (Some(offset), 0)
}

/// Bytes per I/O slot.
pub(crate) const SLOT_BYTES: i64 = 16;

/// True if the intrinsic accesses I/O slots instead of memory.
pub(crate) fn is_slots(i: &Intrinsic) -> bool {
    i.op.index_of("location").is_some()
}

/// The constant byte offset at which an access begins, relative to its dynamic part; `constant` is
/// the constant part of the offset operand. Slots count [`SLOT_BYTES`] each.
pub(crate) fn constant_start(i: &Intrinsic, constant: i64) -> i64 {
    match is_slots(i) {
        true => {
            let slot = constant + i64::from(i.index("location"));
            slot * SLOT_BYTES + 4 * i64::from(i.index("component"))
        }
        false => constant + i64::from(i.index("base")),
    }
}

/// Maximum number of terms of a sum; further sums are kept whole, as terms.
const MAX_TERMS: usize = 6;

/// Maximum depth to which sums, shifts and products are decomposed.
const MAX_DEPTH: u8 = 6;

/// A component of a def.
type Scalar = (Id<Def>, u8);

/// Values with their factors.
pub(crate) type Terms = SmallVec<[(Scalar, i64); 2]>;

/// An offset as a sum of values times factors, plus a constant. All arithmetic wraps around at the
/// offset's bit size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    /// Values not known at compile time, with their factors: each value once, in ascending order.
    pub(crate) terms: Terms,
    pub(crate) constant: i64,
}

impl Linear {
    /// Decomposes `offset`, a scalar.
    pub(crate) fn new(s: &Shader, offset: Id<Def>) -> Linear {
        let bits = s.defs[offset].bit_size;
        let mut sum = Linear::default();
        sum.add_term(s, (offset, 0), 1, MAX_DEPTH);
        for (_, factor) in &mut sum.terms {
            *factor = fold::sext(bits, *factor as u64);
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        sum.terms.sort_unstable_by_key(|(part, _)| *part);
        sum.constant = fold::sext(bits, sum.constant as u64);
        sum
    }

    fn add_term(&mut self, s: &Shader, part: Scalar, factor: i64, depth: u8) {
        if let Some(constant) = s.const_component(part.0, part.1) {
            self.constant = self
                .constant
                .wrapping_add((constant as i64).wrapping_mul(factor));
            return;
        }
        let inner = s.alu_of(part.0).filter(|_| depth > 0 && part.1 == 0);
        if let Some(alu) = inner.filter(|_| self.terms.len() < MAX_TERMS)
            && s.defs[alu.def].num_components == 1
            && self.add_linear_op(s, alu, factor, depth - 1)
        {
            return;
        }
        match self.terms.iter_mut().find(|(known, _)| *known == part) {
            Some((_, sum)) => *sum = sum.wrapping_add(factor),
            None => self.terms.push((part, factor)),
        }
    }

    /// Adds `factor` times the result of an operation. Returns false if the operation is not
    /// linear.
    fn add_linear_op(&mut self, s: &Shader, alu: &Alu, factor: i64, depth: u8) -> bool {
        let part = |src: &AluSrc| (src.def, src.swizzle[0]);
        let constant = |src: &AluSrc| s.const_component(src.def, src.swizzle[0]);
        match alu.op {
            AluOp::Mov => self.add_term(s, part(&alu.srcs[0]), factor, depth),
            AluOp::IAdd => {
                self.add_term(s, part(&alu.srcs[0]), factor, depth);
                self.add_term(s, part(&alu.srcs[1]), factor, depth);
            }
            AluOp::INeg => self.add_term(s, part(&alu.srcs[0]), factor.wrapping_neg(), depth),
            AluOp::IShl => {
                let bits = u64::from(s.defs[alu.def].bit_size);
                let Some(by) = constant(&alu.srcs[1]).map(|by| by % bits) else {
                    return false;
                };
                self.add_term(s, part(&alu.srcs[0]), factor << by, depth);
            }
            AluOp::IMul => {
                let known = [(1, 0), (0, 1)]
                    .into_iter()
                    .find_map(|(c, other)| Some((constant(&alu.srcs[c])?, part(&alu.srcs[other]))));
                let Some((by, other)) = known else {
                    return false;
                };
                self.add_term(s, other, factor.wrapping_mul(by as i64), depth);
            }
            _ => return false,
        }
        true
    }
}

/// A power of two that divides the sum of the terms.
pub(crate) fn terms_multiple(s: &Shader, terms: &Terms) -> i64 {
    let zeros = |&(part, factor): &(Scalar, i64)| {
        factor.trailing_zeros() + low_zero_bits(s, part, MAX_DEPTH)
    };
    let zeros = terms.iter().map(zeros).min().unwrap_or(u32::MAX);
    1_i64 << zeros.min(30)
}

/// The number of low bits of a value that are known to be zero.
pub(crate) fn low_zero_bits(s: &Shader, part: Scalar, depth: u8) -> u32 {
    if let Some(constant) = s.const_component(part.0, part.1) {
        return constant.trailing_zeros();
    }
    let inner = s.alu_of(part.0).filter(|_| depth > 0);
    let Some(alu) = inner.filter(|alu| s.defs[alu.def].num_components == 1) else {
        return 0;
    };
    let bits = u32::from(s.defs[alu.def].bit_size);
    let operand = |at: usize| {
        let src = &alu.srcs[at];
        low_zero_bits(s, (src.def, src.swizzle[0]), depth - 1)
    };
    let count = || s.const_component(alu.srcs[1].def, alu.srcs[1].swizzle[0]);
    let zeros = match alu.op {
        AluOp::Mov | AluOp::INeg => operand(0),
        AluOp::IAdd | AluOp::IOr | AluOp::IXor => operand(0).min(operand(1)),
        AluOp::IAnd => operand(0).max(operand(1)),
        AluOp::IMul => operand(0) + operand(1),
        AluOp::IShl => operand(0) + count().map_or(0, |by| by as u32 % bits),
        _ => 0,
    };
    zeros.min(bits)
}

/// The greatest value of the sum of the terms, if it is known and none of them is negative.
fn max_sum(s: &Shader, terms: &Terms) -> Option<u64> {
    terms.iter().try_fold(0_u64, |sum, &(part, factor)| {
        let factor = u64::try_from(factor).ok()?;
        sum.checked_add(upper_bound(s, part, MAX_DEPTH)?.checked_mul(factor)?)
    })
}

/// The least and the greatest offset of an access whose constant parts range from `first` to
/// `last`, if they are known. `terms` are its dynamic terms, and `bits` its size; the sums do not
/// wrap around.
pub(crate) fn range(
    s: &Shader,
    terms: &Terms,
    bits: u8,
    [first, last]: [i64; 2],
) -> Option<(u64, u64)> {
    let (first, last) = (u64::try_from(first).ok()?, u64::try_from(last).ok()?);
    let end = max_sum(s, terms)?.checked_add(last)?;
    (end >> bits.min(63) == 0).then_some((first, end))
}

/// True if an offset may wrap around between `first` and `last`, the constant parts of its ends.
/// `terms` are its dynamic terms, and `bits` its size.
pub(crate) fn may_wrap(s: &Shader, terms: &Terms, bits: u8, [first, last]: [i64; 2]) -> bool {
    if terms.is_empty() {
        return first < 0 && last >= 0;
    }
    // The sum of the terms is a multiple of `multiple`, so an addend below it does not carry into
    // the next multiple.
    let multiple = terms_multiple(s, terms);
    if first.rem_euclid(multiple) + (last - first) < multiple {
        return false;
    }
    range(s, terms, bits, [first, last]).is_none()
}

/// An unsigned upper bound of a value, if any is known.
fn upper_bound(s: &Shader, part: Scalar, depth: u8) -> Option<u64> {
    if let Some(constant) = s.const_component(part.0, part.1) {
        return Some(constant);
    }
    let depth = depth.checked_sub(1)?;
    let size = s.info.workgroup_size;
    if let Some(intrinsic) = s.intrinsic_of(part.0) {
        let all = size
            .iter()
            .try_fold(1_u32, |all, &along| all.checked_mul(along));
        return match intrinsic.op {
            // Vulkan, "maxComputeWorkGroupCount".
            IntrinsicOp::LoadWorkgroupId => Some(65_534),
            IntrinsicOp::LoadLocalInvocationId => {
                let along = size.get(usize::from(part.1))?;
                along.checked_sub(1).map(u64::from)
            }
            IntrinsicOp::LoadLocalInvocationIndex => all?.checked_sub(1).map(u64::from),
            IntrinsicOp::LoadSubgroupInvocation => Some(31),
            _ => None,
        };
    }
    let alu = s.alu_of(part.0)?;
    let operand_bound = |at: usize| {
        let src = &alu.srcs[at];
        upper_bound(s, (src.def, *src.swizzle.get(usize::from(part.1))?), depth)
    };
    let bits = u64::from(s.defs[alu.def].bit_size);
    let found = match alu.op {
        AluOp::Mov => operand_bound(0)?,
        AluOp::IAdd => operand_bound(0)?.checked_add(operand_bound(1)?)?,
        AluOp::IMul => operand_bound(0)?.checked_mul(operand_bound(1)?)?,
        AluOp::IAnd | AluOp::UMin => match (operand_bound(0), operand_bound(1)) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b)?,
        },
        AluOp::UShr => {
            let by = s.const_component(alu.srcs[1].def, alu.srcs[1].swizzle[0])? % bits;
            operand_bound(0).unwrap_or(u64::MAX >> (64 - bits)) >> by
        }
        AluOp::IShl => {
            let by = s.const_component(alu.srcs[1].def, alu.srcs[1].swizzle[0])? % bits;
            operand_bound(0)?.checked_mul(1 << by)?
        }
        _ => return None,
    };
    // A result that may have wrapped around has no bound.
    (bits >= 64 || found >> bits == 0).then_some(found)
}
