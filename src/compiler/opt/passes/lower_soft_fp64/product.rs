//! Products and fused multiply-add.

use super::format::*;
use crate::rewrite::word::{Pair, Word};

/// The 128-bit product of two mantissas below 2^63.
struct Product<'p> {
    high: Pair<'p>,
    low: Pair<'p>,
}

fn product<'p>(x: Pair<'p>, y: Pair<'p>) -> Product<'p> {
    let low = Pair::product(x.lo, y.lo);
    // Both products are below 2^63 - 2^32, so that neither sum exceeds 64 bits.
    let middle = (Pair::product(x.hi, y.lo) + Pair::product(x.lo, y.hi)).add_word(low.hi);
    Product {
        high: Pair::product(x.hi, y.hi).add_word(middle.hi),
        low: Pair {
            lo: low.lo,
            hi: middle.lo,
        },
    }
}

/// The exact product of two magnitudes: `mantissa * 2^-124 * 2^(exponent - BIAS)`. Its highest bit
/// is bit 124 or 125 unless a factor is zero. The product of two subnormals may come out too large,
/// but still so small that it only leaves a sticky bit.
fn exact<'p>(x: Magnitude<'p>, y: Magnitude<'p>) -> (Product<'p>, Word<'p>) {
    let less = x.key.below(y.key);
    let (x, y) = (x.bits, y.bits);
    let (large, small) = (less.choose_pair(y, x), less.choose_pair(x, y));
    let (a, b) = (Normal::of_normal(large), Normal::of(small));
    let exponent = a.exponent + b.exponent + 0u32.wrapping_sub(BIAS);
    (product(a.mantissa, b.mantissa), exponent)
}

/// `x * y`.
pub(super) fn mul<'p>(x: Pair<'p>, y: Pair<'p>, modes: Modes) -> Pair<'p> {
    let sign = (x.hi ^ y.hi) & SIGN;
    let (ax, ay) = (Magnitude::of(x), Magnitude::of(y));
    let (mantissa, exponent) = exact(ax, ay);
    let below = mantissa.low.lo | mantissa.low.hi;
    let finite = scaled(mantissa.high, exponent, Some(below), modes);
    let (most, least) = (ax.key.max(ay.key), ax.key.min(ay.key));
    let zero = least.eq(0);
    let nan = most.constant(INFINITY).below(most) | zero;
    let special = most.from(INFINITY);
    let end = special.choose(nan.choose(NAN, INFINITY), 0);
    let ends = zero | special;
    Pair {
        lo: ends.choose(0, finite.lo),
        hi: ends.choose(end, finite.hi) | sign,
    }
}

/// 128 bits, the lowest word first.
type Words<'p> = [Word<'p>; 4];

/// `x * y + z`, rounded once.
pub(super) fn fma<'p>(x: Pair<'p>, y: Pair<'p>, z: Pair<'p>, modes: Modes) -> Pair<'p> {
    let sign = (x.hi ^ y.hi) & SIGN;
    let [ax, ay, az] = [x, y, z].map(Magnitude::of);
    let (most, least) = (ax.key.max(ay.key), ax.key.min(ay.key));
    let (mantissa, exponent) = exact(ax, ay);
    // A zero product gets an exponent far below that of any addend.
    let exponent = least.eq(0).choose(0u32.wrapping_sub(4096), exponent);
    let product = [
        mantissa.low.lo,
        mantissa.low.hi,
        mantissa.high.lo,
        mantissa.high.hi,
    ];
    // The addend in the same format: its hidden bit is bit 124.
    let term_exponent = az.bits.hi >> EXPONENT_AT;
    let term = Pair {
        lo: z.lo,
        hi: (z.hi & FRACTION) | (term_exponent.any() << EXPONENT_AT),
    }
    .shl_by(8);
    let term_exponent = term_exponent.max(1);
    let zero = x.lo.constant(0);
    let term = [zero, zero, term.lo, term.hi];
    let ahead = exponent - term_exponent;
    let first = ahead.least(0);
    let pick = |i: usize| {
        (
            first.choose(product[i], term[i]),
            first.choose(term[i], product[i]),
        )
    };
    let picked = [0, 1, 2, 3].map(pick);
    let (a, b) = (picked.map(|p| p.0), picked.map(|p| p.1));
    let distance = ahead.imax(-ahead).min(127);
    let b = shr_marked(b, distance);
    // A difference is the complement of the sum of b and the complement of a. If that would be
    // negative (b is larger), the sum itself is one less than b - a.
    let z_sign = z.hi & SIGN;
    let apart = (sign ^ z.hi).sign();
    let sum = add(a.map(|w| w ^ apart), b);
    let complement = apart & sum[3].sign();
    let reversed = apart ^ complement;
    let sum = increment(sum.map(|w| w ^ complement), -reversed);
    let first_sign = first.choose(sign, z_sign) ^ (reversed & SIGN);
    let none = (sum[0] | sum[1] | sum[2] | sum[3]).eq(0);
    // Normalised to bit 127, as far as the exponent allows; the exponent increases by three from
    // that for bit 124.
    let top = exponent.imax(term_exponent) + 2;
    let n = leading_zeros(sum).min(top);
    let (high, below) = shl_high(sum, n);
    let cut = (high.lo << 21) | below.any();
    let magnitude = rounded(high.shr_by(11), top - n, cut, modes);
    let finite = Pair {
        lo: magnitude.lo,
        hi: none.choose(z_sign & !apart, magnitude.hi | first_sign),
    };
    let infinite = most.from(INFINITY);
    let both = infinite & az.is_special();
    let nan =
        ax.is_nan() | ay.is_nan() | az.is_nan() | (infinite & least.eq(0)) | (both & apart.ne(0));
    let end = infinite.choose(sign | INFINITY, z.hi);
    let end = nan.choose(NAN, end);
    let ends = most.max(az.key).from(INFINITY);
    Pair {
        lo: ends.choose(0, finite.lo),
        hi: ends.choose(end, finite.hi),
    }
}

/// Right shift by a number below 128, with a sticky lowest bit.
fn shr_marked<'p>(x: Words<'p>, n: Word<'p>) -> Words<'p> {
    let [x0, x1, x2, x3] = x;
    let far = (n & 64).ne(0);
    let lost = far.choose(x0 | x1, 0);
    let [x0, x1] = [far.choose(x2, x0), far.choose(x3, x1)];
    let [x2, x3] = [far.choose(0, x2), far.choose(0, x3)];
    let half = (n & 32).ne(0);
    let lost = lost | half.choose(x0, 0);
    let [x0, x1, x2, x3] = [
        half.choose(x1, x0),
        half.choose(x2, x1),
        half.choose(x3, x2),
        half.choose(0, x3),
    ];
    let back = !n;
    let joined = |low: Word<'p>, high: Word<'p>| low >> n | (high << 1) << back;
    let lost = lost | ((x0 << 1) << back);
    [
        joined(x0, x1) | lost.any(),
        joined(x1, x2),
        joined(x2, x3),
        x3 >> n,
    ]
}

/// Left shift by a number below 128. Returns the high half, and a word that is non-zero if any bit
/// below it is set.
fn shl_high<'p>(x: Words<'p>, n: Word<'p>) -> (Pair<'p>, Word<'p>) {
    let [x0, x1, x2, x3] = x;
    let far = (n & 64).ne(0);
    let [x3, x2] = [far.choose(x1, x3), far.choose(x0, x2)];
    let [x1, x0] = [far.choose(0, x1), far.choose(0, x0)];
    let half = (n & 32).ne(0);
    let [x3, x2, x1, x0] = [
        half.choose(x2, x3),
        half.choose(x1, x2),
        half.choose(x0, x1),
        half.choose(0, x0),
    ];
    let back = !n;
    let joined = |high: Word<'p>, low: Word<'p>| high << n | (low >> 1) >> back;
    let high = Pair {
        lo: joined(x2, x1),
        hi: joined(x3, x2),
    };
    (high, x1 << n | x0)
}

/// The number of leading zeros.
fn leading_zeros(x: Words<'_>) -> Word<'_> {
    let [low, high] = [[0, 1], [2, 3]].map(|[lo, hi]| {
        Pair {
            lo: x[lo],
            hi: x[hi],
        }
        .leading_zeros()
    });
    (x[2] | x[3]).eq(0).choose(low + 64, high)
}

/// The sum.
fn add<'p>(x: Words<'p>, y: Words<'p>) -> Words<'p> {
    let low = x[0] + y[0];
    let mut carry = low.below(y[0]).bit();
    let mut sum = [low; 4];
    for i in 1..4 {
        let part = x[i] + y[i];
        sum[i] = part + carry;
        // At most one of the two carries.
        carry = part.below(y[i]).bit() | sum[i].below(carry).bit();
    }
    sum
}

/// The sum with 0 or 1.
fn increment<'p>(x: Words<'p>, mut carry: Word<'p>) -> Words<'p> {
    x.map(|word| {
        let sum = word + carry;
        carry = sum.below(carry).bit();
        sum
    })
}
