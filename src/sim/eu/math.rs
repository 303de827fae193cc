//! The math box's float functions.
//!
//! In:  operands as doubles. Out: the result as a double, which the caller rounds once to the
//!      destination type. The PRM bounds the error (1 to 4 ULP in F); a result evaluated in double
//!      and rounded once is within every bound.
//! Ref: SKL PRM vol. 7, "Extended Math", tables of special values.

use isa::MathFn;

/// Evaluates a float function of the math box; None for INT DIV.
pub(crate) fn eval(f: MathFn, a: f64, b: f64) -> Option<f64> {
    Some(match f {
        MathFn::Inv => 1.0 / a,
        MathFn::Log => log2(a),
        MathFn::Exp => a.exp2(),
        MathFn::Sqrt => a.sqrt(),
        MathFn::Rsq => rsq(a),
        MathFn::Sin => a.sin(),
        MathFn::Cos => a.cos(),
        MathFn::Fdiv | MathFn::Invm => a / b,
        MathFn::Pow => pow(a, b),
        // The first step of the square-root macro. Here it gives the final result and sets the
        // early-out flag, which ends the macro: where hardware sets that flag (zeros, infinities,
        // NaNs), the result is the root, not its reciprocal (ERRATA.md).
        MathFn::Rsqrtm => a.sqrt(),
        MathFn::IntDivBoth | MathFn::IntDivQuotient | MathFn::IntDivRemainder => return None,
    })
}

fn log2(a: f64) -> f64 {
    if a == 0.0 {
        f64::NEG_INFINITY
    } else {
        a.log2()
    }
}

fn rsq(a: f64) -> f64 {
    if a == 0.0 {
        f64::INFINITY.copysign(a)
    } else {
        1.0 / a.sqrt()
    }
}

/// POW is exp2(b · log2 |a|): a negative base gives NaN, 0^0 and inf^0 are 1.
fn pow(a: f64, b: f64) -> f64 {
    if a < 0.0 && b != 0.0 {
        return f64::NAN;
    }
    a.powf(b)
}
