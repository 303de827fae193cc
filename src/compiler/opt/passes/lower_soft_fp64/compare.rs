//! Comparisons, minimum, maximum and sign.

use super::format::*;
use crate::rewrite::word::{Cond, Pair};

/// True if neither operand is NaN.
fn ordered<'p>(x: Magnitude<'p>, y: Magnitude<'p>) -> Cond<'p> {
    let max = x.key.max(y.key);
    !max.constant(INFINITY).ult(max)
}

/// `x == y`.
pub(super) fn eq<'p>(x: Pair<'p>, y: Pair<'p>) -> Cond<'p> {
    let (ax, ay) = (Magnitude::new(x), Magnitude::new(y));
    let zeros = (ax.key | ay.key).eq(0);
    (x.eq(y) | zeros) & ordered(ax, ay)
}

/// `x < y` for operands that are not NaN: the comparison of the bits, inverted if any operand is
/// negative.
fn less<'p>(x: Pair<'p>, y: Pair<'p>, ax: Magnitude<'p>, ay: Magnitude<'p>) -> Cond<'p> {
    let negative = (x.hi | y.hi).ilt(0);
    let zeros = (ax.key | ay.key).eq(0);
    (x.ult(y) ^ negative) & !x.eq(y) & !zeros
}

/// `x < y`.
pub(super) fn lt<'p>(x: Pair<'p>, y: Pair<'p>) -> Cond<'p> {
    let (ax, ay) = (Magnitude::new(x), Magnitude::new(y));
    less(x, y, ax, ay) & ordered(ax, ay)
}

/// `x >= y`.
pub(super) fn ge<'p>(x: Pair<'p>, y: Pair<'p>) -> Cond<'p> {
    let (ax, ay) = (Magnitude::new(x), Magnitude::new(y));
    !less(x, y, ax, ay) & ordered(ax, ay)
}

/// The minimum. If one operand is NaN, the other one.
pub(super) fn min<'p>(x: Pair<'p>, y: Pair<'p>) -> Pair<'p> {
    (lt(x, y) | Magnitude::new(y).is_nan()).select_pair(x, y)
}

/// The maximum. If one operand is NaN, the other one.
pub(super) fn max<'p>(x: Pair<'p>, y: Pair<'p>) -> Pair<'p> {
    (ge(x, y) | Magnitude::new(y).is_nan()).select_pair(x, y)
}

/// Clamps to [0, 1]; NaN gives 0.
pub(super) fn sat(x: Pair<'_>) -> Pair<'_> {
    let none = x.hi.ilt(0) | Magnitude::new(x).is_nan();
    let max = x.hi.uge(ONE);
    let is_special_case = none | max;
    Pair {
        lo: is_special_case.select(0, x.lo),
        hi: none.select(0, x.hi.min(ONE)),
    }
}

/// 1 with the operand's sign, or the operand itself if it is zero.
pub(super) fn sign(x: Pair<'_>) -> Pair<'_> {
    let zero = Magnitude::new(x).key.eq(0);
    Pair {
        lo: x.lo.constant(0),
        hi: (x.hi & SIGN) | zero.select(0, ONE),
    }
}
