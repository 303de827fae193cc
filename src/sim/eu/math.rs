//! The math box's float functions.
//!
//! In:  operands as doubles. Out: the result as a double, to be rounded once to the destination.
//! The PRM documents bounds on the error (1 to 4 ULP in F); a result rounded from a double evaluation is inside
//! every one of them.
//! Ref: SKL PRM vol. 7, "Extended Math", tables of special values.

use isa::MathFn;

/// A float function of the math box; nothing for INT DIV.
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
        // The first step of the macro of a root. Ours is the last one, and says so by the early-out flag: where that is set
        // on a machine, for zeros, infinities and no numbers, the result is the root's, not its reciprocal's (ERRATA.md).
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
