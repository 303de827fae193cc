//! What the comparison of ALU operations may assume: precision, undefined operands, gaps.

use std::f64::consts::PI;

/// How near a compiled result must be to the folder's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The same bits; any NaN equals any other.
    Exact,
    /// The same bits, or one of two zeros for the other.
    ExactZero,
    /// The folder's result or a neighbour: correctly rounded, the mode of rounding left open.
    Rounded,
    /// So many units in the last place.
    Ulp(f64),
    /// `(a + b·|x|)` units in the last place of the result, x the first operand.
    UlpPlus(f64, f64),
    /// An absolute error inside a range of the first operand; the second bound beyond it.
    Abs(f64, [f64; 2], f64),
    /// An absolute error inside a range of the first operand, nothing beyond it.
    Within(f64, [f64; 2]),
    /// `exp2(y · log2(x))`.
    Power,
    /// `x - y · floor(x / y)`, or `trunc`.
    Modulo,
    /// A sum of products, each step rounded.
    Dot,
}

/// One row: operation, bits of the first operand (0: any), bound.
pub type Precision = (&'static str, u8, Bound);

/// Vulkan spec, "Precision of Core SPIR-V Instructions" and "Precision of GLSL.std.450
/// Instructions". What is not listed is exact. The table gives no double-precision column: "at
/// least as precise as single precision".
pub static PRECISION: &[Precision] = &[
    ("fdiv", 0, Bound::Ulp(2.5)),
    ("frcp", 0, Bound::Ulp(2.5)),
    ("frsq", 0, Bound::Ulp(2.0)),
    // Inherited from 1.0 / inversesqrt(x).
    ("fsqrt", 0, Bound::Ulp(4.5)),
    ("fexp2", 16, Bound::UlpPlus(1.0, 2.0)),
    ("fexp2", 0, Bound::UlpPlus(3.0, 2.0)),
    ("flog2", 16, Bound::Abs(0.007_812_5, [0.5, 2.0], 3.0)),
    // 2^-21.
    (
        "flog2",
        0,
        Bound::Abs(4.768_371_582_031_25e-7, [0.5, 2.0], 3.0),
    ),
    (
        "fsin",
        16,
        Bound::Within(0.007_812_5, [-3.140_625, 3.140_625]),
    ),
    (
        "fcos",
        16,
        Bound::Within(0.007_812_5, [-3.140_625, 3.140_625]),
    ),
    // 2^-11 in -π..=π.
    ("fsin", 0, Bound::Within(0.000_488_281_25, [-PI, PI])),
    ("fcos", 0, Bound::Within(0.000_488_281_25, [-PI, PI])),
    ("fpow", 0, Bound::Power),
    ("fmod", 0, Bound::Modulo),
    ("frem", 0, Bound::Modulo),
    ("fdot2", 0, Bound::Dot),
    ("fdot3", 0, Bound::Dot),
    ("fdot4", 0, Bound::Dot),
    // Which of two equal zeros is left open.
    ("fmin", 0, Bound::ExactZero),
    ("fmax", 0, Bound::ExactZero),
    // "Correctly rounded", which leaves the mode open.
    ("ffract", 0, Bound::Rounded),
    ("f2f", 0, Bound::Rounded),
    ("i2f", 0, Bound::Rounded),
    ("u2f", 0, Bound::Rounded),
    // Inherited from division by 127, 255, 32767 or 65535.
    ("unpack_snorm_2x16", 0, Bound::Ulp(2.5)),
    ("unpack_unorm_2x16", 0, Bound::Ulp(2.5)),
    ("unpack_snorm_4x8", 0, Bound::Ulp(2.5)),
    ("unpack_unorm_4x8", 0, Bound::Ulp(2.5)),
];

/// Operations that do not compile: names, bits of the first operand, why.
pub type Gap = (&'static [&'static str], u8, &'static str);

/// The gaps. An operation listed here that compiles fails the test.
pub static GAPS: &[Gap] = &[(
    &["fexp2", "flog2", "fsin", "fcos", "fpow"],
    64,
    "GLSL.std.450 has these for 16 and 32 bits only",
)];
