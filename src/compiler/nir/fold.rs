//! Evaluation of ALU operations on bit patterns.
//!
//! In:  an operation, the bit patterns of its operands, the float controls.
//! Out: the bit pattern of the result, within the precision that Vulkan requires at run time:
//!      correctly rounded where Vulkan demands it, NaN and the sign of zero preserved.
//! Ref: Vulkan spec, "Precision and Operation of SPIR-V Instructions"; SPV_KHR_float_controls.

use crate::exact::FloatControls;
pub use crate::exact::{
    Exact, FoldCtx, add, div, float_value, fma, frexp, mask, mul, round_float, scale, sext, sqrt,
};
use crate::op::{AluOp, FoldFn, SizeRule};

/// Evaluates `op`. `srcs[i]` holds the components of operand `i` that the operation reads (as many
/// as the result has for per-component operands); `out` receives the components of the result.
/// Returns false if the operands do not match the operation.
pub fn fold(
    op: AluOp,
    def_bits: u8,
    src_bits: &[u8],
    srcs: &[&[u64]],
    controls: FloatControls,
    out: &mut [u64],
) -> bool {
    let info = op.info();
    if srcs.len() != info.srcs.len() || src_bits.len() != srcs.len() {
        return false;
    }
    let mut bits = if info.out.size == SizeRule::Same {
        def_bits
    } else {
        0
    };
    for (s, &b) in info.srcs.iter().zip(src_bits) {
        if s.ty.size == SizeRule::Same && bits == 0 {
            bits = b;
        }
    }
    let ctx = FoldCtx {
        bits: if bits == 0 { def_bits } else { bits },
        def_bits,
        src_bits: src_bits.first().copied().unwrap_or(def_bits),
        controls,
    };
    match info.fold {
        FoldFn::Scalar(f) => {
            for (i, o) in out.iter_mut().enumerate() {
                let mut v = [0u64; 4];
                for (d, s) in v.iter_mut().zip(srcs) {
                    match s.get(i) {
                        Some(&x) => *d = x,
                        None => return false,
                    }
                }
                *o = f(&ctx, &v) & mask(def_bits);
            }
        }
        FoldFn::Vector(f) => {
            for (info, s) in info.srcs.iter().zip(srcs) {
                if s.len() < usize::from(info.components.max(1)) {
                    return false;
                }
            }
            f(&ctx, srcs, out);
            for o in out.iter_mut() {
                *o &= mask(def_bits);
            }
        }
    }
    true
}
