//! Products and fused multiply-add.

use super::format::*;
use crate::rewrite::word::{Pair, Word};

/// The 128-bit product of two mantissas below 2^63.
struct WideProduct<'p> {
    high: Pair<'p>,
    low: Pair<'p>,
}

fn wide_product<'p>(x: Pair<'p>, y: Pair<'p>) -> WideProduct<'p> {
    let low = Pair::product(x.lo, y.lo);
    // Both products are below 2^63 - 2^32, so that neither sum exceeds 64 bits.
    let middle = (Pair::product(x.hi, y.lo) + Pair::product(x.lo, y.hi)).add_word(low.hi);
    WideProduct {
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
fn exact_product<'p>(x: Magnitude<'p>, y: Magnitude<'p>) -> (WideProduct<'p>, Word<'p>) {
    let less = x.key.ult(y.key);
    let (x, y) = (x.bits, y.bits);
    let (large, small) = (less.select_pair(y, x), less.select_pair(x, y));
    let (a, b) = (Normal::from_normal(large), Normal::normalise(small));
    let exponent = a.exponent + b.exponent + 0u32.wrapping_sub(BIAS);
    (wide_product(a.mantissa, b.mantissa), exponent)
}

/// `x * y`.
pub(super) fn mul<'p>(x: Pair<'p>, y: Pair<'p>, modes: FloatModes) -> Pair<'p> {
    let sign = (x.hi ^ y.hi) & SIGN;
    let (ax, ay) = (Magnitude::new(x), Magnitude::new(y));
    let (mantissa, exponent) = exact_product(ax, ay);
    let below = mantissa.low.lo | mantissa.low.hi;
    let finite = round_scaled(mantissa.high, exponent, Some(below), modes);
    let (max, min) = (ax.key.max(ay.key), ax.key.min(ay.key));
    let zero = min.eq(0);
    let nan = max.constant(INFINITY).ult(max) | zero;
    let special = max.uge(INFINITY);
    let special_result = special.select(nan.select(NAN, INFINITY), 0);
    let is_special_case = zero | special;
    Pair {
        lo: is_special_case.select(0, finite.lo),
        hi: is_special_case.select(special_result, finite.hi) | sign,
    }
}

/// 128 bits, the lowest word first.
type Words<'p> = [Word<'p>; 4];

/// `x * y + z`, rounded once.
pub(super) fn fma<'p>(x: Pair<'p>, y: Pair<'p>, z: Pair<'p>, modes: FloatModes) -> Pair<'p> {
    let sign = (x.hi ^ y.hi) & SIGN;
    let [ax, ay, az] = [x, y, z].map(Magnitude::new);
    let (max, min) = (ax.key.max(ay.key), ax.key.min(ay.key));
    let (mantissa, exponent) = exact_product(ax, ay);
    // A zero product gets an exponent far below that of any addend.
    let exponent = min.eq(0).select(0u32.wrapping_sub(4096), exponent);
    let product = [
        mantissa.low.lo,
        mantissa.low.hi,
        mantissa.high.lo,
        mantissa.high.hi,
    ];
    // The addend in the same format: its hidden bit is bit 124.
    let term_exponent = az.bits.hi >> EXPONENT_SHIFT;
    let term = Pair {
        lo: z.lo,
        hi: (z.hi & FRACTION) | (term_exponent.any_bit() << EXPONENT_SHIFT),
    }
    .shl_const(8);
    let term_exponent = term_exponent.max(1);
    let zero = x.lo.constant(0);
    let term = [zero, zero, term.lo, term.hi];
    let ahead = exponent - term_exponent;
    let first = ahead.ige(0);
    let pick = |i: usize| {
        (
            first.select(product[i], term[i]),
            first.select(term[i], product[i]),
        )
    };
    let picked = [0, 1, 2, 3].map(pick);
    let (a, b) = (picked.map(|p| p.0), picked.map(|p| p.1));
    let distance = ahead.imax(-ahead).min(127);
    let b = shr_sticky(b, distance);
    // A difference is the complement of the sum of b and the complement of a. If that would be
    // negative (b is larger), the sum itself is one less than b - a.
    let z_sign = z.hi & SIGN;
    let signs_differ = (sign ^ z.hi).sign();
    let sum = add(a.map(|w| w ^ signs_differ), b);
    let complement = signs_differ & sum[3].sign();
    let reversed = signs_differ ^ complement;
    let sum = increment(sum.map(|w| w ^ complement), -reversed);
    let first_sign = first.select(sign, z_sign) ^ (reversed & SIGN);
    let none = (sum[0] | sum[1] | sum[2] | sum[3]).eq(0);
    // Normalised to bit 127, as far as the exponent allows; the exponent increases by three from
    // that for bit 124.
    let top = exponent.imax(term_exponent) + 2;
    let n = leading_zeros(sum).min(top);
    let (high, below) = shl_high(sum, n);
    let cut = (high.lo << 21) | below.any_bit();
    let magnitude = round_mantissa(high.shr_const(11), top - n, cut, modes);
    let finite = Pair {
        lo: magnitude.lo,
        hi: none.select(z_sign & !signs_differ, magnitude.hi | first_sign),
    };
    let infinite = max.uge(INFINITY);
    let both = infinite & az.is_special();
    let nan = ax.is_nan()
        | ay.is_nan()
        | az.is_nan()
        | (infinite & min.eq(0))
        | (both & signs_differ.ne(0));
    let special_result = infinite.select(sign | INFINITY, z.hi);
    let special_result = nan.select(NAN, special_result);
    let is_special_case = max.max(az.key).uge(INFINITY);
    Pair {
        lo: is_special_case.select(0, finite.lo),
        hi: is_special_case.select(special_result, finite.hi),
    }
}

/// Right shift by a number below 128, with a sticky lowest bit.
fn shr_sticky<'p>(x: Words<'p>, n: Word<'p>) -> Words<'p> {
    let [x0, x1, x2, x3] = x;
    let far = (n & 64).ne(0);
    let lost = far.select(x0 | x1, 0);
    let [x0, x1] = [far.select(x2, x0), far.select(x3, x1)];
    let [x2, x3] = [far.select(0, x2), far.select(0, x3)];
    let half = (n & 32).ne(0);
    let lost = lost | half.select(x0, 0);
    let [x0, x1, x2, x3] = [
        half.select(x1, x0),
        half.select(x2, x1),
        half.select(x3, x2),
        half.select(0, x3),
    ];
    let back = !n;
    let joined = |low: Word<'p>, high: Word<'p>| low >> n | (high << 1) << back;
    let lost = lost | ((x0 << 1) << back);
    [
        joined(x0, x1) | lost.any_bit(),
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
    let [x3, x2] = [far.select(x1, x3), far.select(x0, x2)];
    let [x1, x0] = [far.select(0, x1), far.select(0, x0)];
    let half = (n & 32).ne(0);
    let [x3, x2, x1, x0] = [
        half.select(x2, x3),
        half.select(x1, x2),
        half.select(x0, x1),
        half.select(0, x0),
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
    (x[2] | x[3]).eq(0).select(low + 64, high)
}

/// The sum.
fn add<'p>(x: Words<'p>, y: Words<'p>) -> Words<'p> {
    let low = x[0] + y[0];
    let mut carry = low.ult(y[0]).to_int();
    let mut sum = [low; 4];
    for i in 1..4 {
        let part = x[i] + y[i];
        sum[i] = part + carry;
        // At most one of the two carries.
        carry = part.ult(y[i]).to_int() | sum[i].ult(carry).to_int();
    }
    sum
}

/// The sum with 0 or 1.
fn increment<'p>(x: Words<'p>, mut carry: Word<'p>) -> Words<'p> {
    x.map(|word| {
        let sum = word + carry;
        carry = sum.ult(carry).to_int();
        sum
    })
}
