//! Flag registers: evaluation of predicates and conditional modifiers.
//!
//! In:  the 64 flag bits, predicate control, results. Out: a mask of lanes, or new flag bits.
//! Ref: SKL PRM vol. 7, "Predication", "Conditional Modifier".

use crate::convert::Element;
use isa::{CondMod, Pred, PredCtrl};

/// Extracts the flags of an instruction's lanes, lane 0 in bit 0. `first` is the index of lane 0's
/// flag bit.
#[inline]
pub(crate) fn lane_flags(flags: u64, first: u32) -> u32 {
    flags.rotate_right(first & 63) as u32
}

/// Replaces the flags of the lanes in `mask` by the bits of `value`; both have lane 0 in bit 0.
#[inline]
pub(crate) fn merge(flags: u64, first: u32, mask: u32, value: u32) -> u64 {
    let m = u64::from(mask).rotate_left(first & 63);
    let v = u64::from(value & mask).rotate_left(first & 63);
    (flags & !m) | v
}

/// For each group of `k` channels: all bits set if any bit (or, for `all`, each bit) of the group
/// is set.
fn group_votes(bits: u32, k: u32, all: bool) -> u32 {
    let mut out = 0;
    let ones = if k >= 32 { u32::MAX } else { (1 << k) - 1 };
    let mut at = 0;
    while at < 32 {
        let g = (bits >> at) & ones;
        if (all && g == ones) || (!all && g != 0) {
            out |= ones << at;
        }
        at += k;
    }
    out
}

/// Evaluates the predicate of each lane of an instruction of `n` channels that starts at channel
/// `chan`.
///
/// The grouped forms (any4h, all8h, ...) read whole groups of flag bits, whether or not their
/// channels are enabled.
pub(crate) fn predicate(pred: &Pred, flags: u64, flag: u8, chan: u8, n: u8) -> u32 {
    let base = u32::from(flag & 3) * 16;
    let chan = u32::from(chan & 31);
    let plain = lane_flags(flags, base + chan);
    let f0 = lane_flags(flags, chan);
    let f1 = lane_flags(flags, 32 + chan);
    let grouped = |k: u32, all: bool| {
        // Groups are aligned to the flag register's first bit.
        let start = chan & !(k - 1);
        group_votes(lane_flags(flags, base + start), k, all) >> (chan - start)
    };
    let splat = |c: u32| {
        let x = (plain >> c) & 0x1111_1111;
        x * 0xf
    };
    let p = match pred.ctrl {
        PredCtrl::Normal => plain,
        PredCtrl::AnyV => f0 | f1,
        PredCtrl::AllV => f0 & f1,
        PredCtrl::Any2h => grouped(2, false),
        PredCtrl::All2h => grouped(2, true),
        PredCtrl::Any4h | PredCtrl::Any4hAlign16 => grouped(4, false),
        PredCtrl::All4h | PredCtrl::All4hAlign16 => grouped(4, true),
        PredCtrl::Any8h => grouped(8, false),
        PredCtrl::All8h => grouped(8, true),
        PredCtrl::Any16h => grouped(16, false),
        PredCtrl::All16h => grouped(16, true),
        PredCtrl::Any32h => grouped(32, false),
        PredCtrl::All32h => grouped(32, true),
        PredCtrl::X => splat(0),
        PredCtrl::Y => splat(1),
        PredCtrl::Z => splat(2),
        PredCtrl::W => splat(3),
    };
    let p = if pred.inverse { !p } else { p };
    p & lane_mask(n)
}

/// A mask of `n` lanes.
#[inline]
pub(crate) fn lane_mask(n: u8) -> u32 {
    if n >= 32 { u32::MAX } else { (1 << n) - 1 }
}

/// Evaluates a conditional modifier on the result of an instruction.
pub(crate) fn condition_holds(c: CondMod, o: &Element) -> bool {
    match c {
        CondMod::None => false,
        CondMod::Z => o.zero && !o.nan,
        CondMod::Nz => !o.zero || o.nan,
        CondMod::G => !o.nan && !o.zero && !o.neg,
        CondMod::Ge => !o.nan && (o.zero || !o.neg),
        CondMod::L => !o.nan && o.neg && !o.zero,
        CondMod::Le => !o.nan && (o.zero || o.neg),
        CondMod::O => o.overflow,
        CondMod::U => o.nan,
    }
}

/// Compares two numbers, as CMP does.
pub(crate) fn compare<T: PartialOrd>(c: CondMod, a: T, b: T) -> bool {
    match c {
        CondMod::Z => a == b,
        CondMod::Nz => a != b,
        CondMod::G => a > b,
        CondMod::Ge => a >= b,
        CondMod::L => a < b,
        CondMod::Le => a <= b,
        CondMod::U => a.partial_cmp(&b).is_none(),
        CondMod::None | CondMod::O => false,
    }
}

#[cfg(test)]
mod tests;
