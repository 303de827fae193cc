//! The rewrite rules of `opt_algebraic`, as data.
//!
//! The replacement never costs more than the pattern, by the costs in the table of operations. What
//! a rule does not preserve must be named. Canonical forms: constants second, `isub` and `fsub` as
//! sums with a negation, `not` of a comparison as the opposite comparison where there is one.
//!
//! A rule with a loss is not applied to operations that are exact (NoContraction, tests for NaN),
//! nor, if it loses NaN, infinities or the sign of zero, to those of a shader with
//! SignedZeroInfNanPreserve. Without these, Vulkan does not promise those values for the results of
//! arithmetic; but SPIR-V defines every comparison for NaN, and nothing that the driver supports
//! (no FPFastMathMode) takes that back. Which losses are allowed then, and Mesa's decision, which
//! holds for both ANV and lavapipe (`~` marks its inexact rules):
//!
//! | rules | loss | Mesa |
//! | --- | --- | --- |
//! | `not_flt not_fge bcsel_flt_* bcsel_fge_*` | none: only for numbers | `is_a_number` operands |
//! | `not_feq not_fneu bcsel_feq_* bcsel_fneu_*` | none: true complements | exact |
//! | `flt_* feq_* fge_* fneu_* b2f_*` | none: false for NaN on both sides | exact |
//! | `fmul_one fdiv_one fadd_minus_zero fsub_zero` | NaN becomes quiet | `~` |
//! | `fadd_zero` | and the sign of zero | `~` |
//! | `fmul_zero fmul_minus_zero ffma_zero` | NaN, infinity, sign | `~`, or no float control |
//! | `fadd_neg_self fsub_self` | NaN, infinity | `~` |
//! | `ffma_plus_zero` | sign of zero | `~`, or no float control |
//! | `fadd_fneg_fneg` | sign of zero | has no such rule |
//! | `fmin_self fmax_self` | NaN becomes quiet | `~` |
//! | `fmin_constants fmax_constants` | sign of zero; NaN is neutral on both sides | `~` |
//! | `fsat_from_max_min` | NaN gives 0 instead of 1 | `~` |
//! | `fsat_from_min_max` | sign of zero | exact |
//! | `flrp_* fadd_constants fmul_constants fadd_of_products` | rounding, NaN, infinity | `~` |
//! | `fdiv_constant` | rounding, NaN, infinity | divides by a reciprocal always |
//! | `fsqrt_squared` | rounding, NaN of a negative number | `~` |
//! | `frcp_frcp frsq_from_rcp rcp_of_rsq exp_of_log log_of_exp fpow_*` | rounding, NaN | `~` |
//!
//! Ref: SPIR-V, "OpFOrdLessThan"; Vulkan spec, "Precision and Operation of SPIR-V Instructions";
//!      Mesa, `nir_opt_algebraic.py`. Tests: `passes/opt_algebraic/tests/`.

use crate::algebra::pattern::{Inexact, RewriteRule};

const NONE: Inexact = Inexact::NONE;
const ROUND: Inexact = Inexact::ROUND;
const NAN: Inexact = Inexact::NAN;
const SIGN: Inexact = Inexact::SIGN;
const DENORM: Inexact = Inexact::DENORM;
const ZERO_PRODUCT: Inexact = Inexact::NAN.or(Inexact::INF).or(Inexact::SIGN);
const ALL_BITS: &[u8] = &[1, 8, 16, 32, 64];
const INTS: &[u8] = &[8, 16, 32, 64];
const FLOATS: &[u8] = &[16, 32, 64];
const BOOL: &[u8] = &[1];
const B32: &[u8] = &[32];

macro_rules! rules {
    ($($name:ident: $search:literal => $replace:literal, $bits:expr, $inexact:expr;)*) => {
        /// All rules. The first that matches is applied.
        pub static RULES: &[RewriteRule] = &[$(RewriteRule {
            name: stringify!($name),
            search: $search,
            replace: $replace,
            bits: $bits,
            inexact: $inexact,
        },)*];
    };
}

rules! {
    // --- integers: neutral and absorbing operands ------------------------------------------------
    iadd_zero: "(iadd a 0)" => "a", INTS, NONE;
    isub_zero: "(isub a 0)" => "a", INTS, NONE;
    isub_self: "(isub a a)" => "0", INTS, NONE;
    isub_constant: "(isub a #b)" => "(iadd a (ineg #b))", INTS, NONE;
    iadd_neg_self: "(iadd a (ineg a))" => "0", INTS, NONE;
    iadd_neg_other: "(iadd (ineg a) (iadd a b))" => "b", INTS, NONE;
    iadd_cancel: "(iadd a (iadd (ineg a) b))" => "b", INTS, NONE;
    imul_zero: "(imul a 0)" => "0", INTS, NONE;
    imul_one: "(imul a 1)" => "a", INTS, NONE;
    imul_minus_one: "(imul a -1)" => "(ineg a)", INTS, NONE;
    iand_zero: "(iand a 0)" => "0", ALL_BITS, NONE;
    iand_ones: "(iand a -1)" => "a", ALL_BITS, NONE;
    iand_self: "(iand a a)" => "a", ALL_BITS, NONE;
    iand_not_self: "(iand a (inot a))" => "0", ALL_BITS, NONE;
    ior_zero: "(ior a 0)" => "a", ALL_BITS, NONE;
    ior_ones: "(ior a -1)" => "-1", ALL_BITS, NONE;
    ior_self: "(ior a a)" => "a", ALL_BITS, NONE;
    ior_not_self: "(ior a (inot a))" => "-1", ALL_BITS, NONE;
    ixor_zero: "(ixor a 0)" => "a", ALL_BITS, NONE;
    ixor_self: "(ixor a a)" => "0", ALL_BITS, NONE;
    ixor_ones: "(ixor a -1)" => "(inot a)", ALL_BITS, NONE;
    ixor_twice: "(ixor a (ixor a b))" => "b", ALL_BITS, NONE;
    inot_inot: "(inot (inot a))" => "a", ALL_BITS, NONE;
    ineg_ineg: "(ineg (ineg a))" => "a", INTS, NONE;
    iabs_ineg: "(iabs (ineg a))" => "(iabs a)", INTS, NONE;
    iabs_iabs: "(iabs (iabs a))" => "(iabs a)", INTS, NONE;
    iand_absorb: "(iand a (ior a b))" => "a", ALL_BITS, NONE;
    ior_absorb: "(ior a (iand a b))" => "a", ALL_BITS, NONE;
    iand_de_morgan: "(iand (inot a) (inot b))" => "(inot (ior a b))", ALL_BITS, NONE;
    ior_de_morgan: "(ior (inot a) (inot b))" => "(inot (iand a b))", ALL_BITS, NONE;

    // --- integers: constants together ------------------------------------------------------------
    iadd_constants: "(iadd (iadd a #b) #c)" => "(iadd a (iadd #b #c))", INTS, NONE;
    imul_constants: "(imul (imul a #b) #c)" => "(imul a (imul #b #c))", INTS, NONE;
    iand_constants: "(iand (iand a #b) #c)" => "(iand a (iand #b #c))", INTS, NONE;
    ior_constants: "(ior (ior a #b) #c)" => "(ior a (ior #b #c))", INTS, NONE;
    ixor_constants: "(ixor (ixor a #b) #c)" => "(ixor a (ixor #b #c))", INTS, NONE;
    umin_constants: "(umin (umin a #b) #c)" => "(umin a (umin #b #c))", INTS, NONE;
    umax_constants: "(umax (umax a #b) #c)" => "(umax a (umax #b #c))", INTS, NONE;
    imin_constants: "(imin (imin a #b) #c)" => "(imin a (imin #b #c))", INTS, NONE;
    imax_constants: "(imax (imax a #b) #c)" => "(imax a (imax #b #c))", INTS, NONE;
    imul_of_sum: "(imul (iadd a #b) #c)" => "(iadd (imul a #c) (imul #b #c))", INTS, NONE;

    // --- shifts ----------------------------------------------------------------------------------
    ishl_zero: "(ishl a 0)" => "a", INTS, NONE;
    ishr_zero: "(ishr a 0)" => "a", INTS, NONE;
    ushr_zero: "(ushr a 0)" => "a", INTS, NONE;
    ishl_of_zero: "(ishl 0 a)" => "0", INTS, NONE;
    ushr_of_zero: "(ushr 0 a)" => "0", INTS, NONE;
    ishr_of_zero: "(ishr 0 a)" => "0", INTS, NONE;
    ishl_count: "(ishl a (iand b 31))" => "(ishl a b)", B32, NONE;
    ishr_count: "(ishr a (iand b 31))" => "(ishr a b)", B32, NONE;
    ushr_count: "(ushr a (iand b 31))" => "(ushr a b)", B32, NONE;
    ishl_count_64: "(ishl a (iand b 63))" => "(ishl a b)", &[64], NONE;
    ishr_count_64: "(ishr a (iand b 63))" => "(ishr a b)", &[64], NONE;
    ushr_count_64: "(ushr a (iand b 63))" => "(ushr a b)", &[64], NONE;
    ishl_i2i_count_64: "(ishl a (i2i (iand b 63)))" => "(ishl a (i2i b))", &[64], NONE;
    ishl_u2u_count_64: "(ishl a (u2u (iand b 63)))" => "(ishl a (u2u b))", &[64], NONE;
    ishr_i2i_count_64: "(ishr a (i2i (iand b 63)))" => "(ishr a (i2i b))", &[64], NONE;
    ishr_u2u_count_64: "(ishr a (u2u (iand b 63)))" => "(ishr a (u2u b))", &[64], NONE;
    ushr_i2i_count_64: "(ushr a (i2i (iand b 63)))" => "(ushr a (i2i b))", &[64], NONE;
    ushr_u2u_count_64: "(ushr a (u2u (iand b 63)))" => "(ushr a (u2u b))", &[64], NONE;
    ishl_of_sum: "(ishl (iadd a #b) #c)" => "(iadd (ishl a #c) (ishl #b #c))", INTS, NONE;
    ushr_byte_high: "(iand (ushr a 8) 255)" => "(extract_u8 a 1)", B32, NONE;
    ushr_byte_third: "(iand (ushr a 16) 255)" => "(extract_u8 a 2)", B32, NONE;
    ushr_byte_top: "(iand (ushr a 24) 255)" => "(extract_u8 a 3)", B32, NONE;
    shl_ushr_word: "(ushr (ishl a 16) 16)" => "(extract_u16 a 0)", B32, NONE;
    shl_ishr_word: "(ishr (ishl a 16) 16)" => "(extract_i16 a 0)", B32, NONE;
    shl_ishr_byte: "(ishr (ishl a 24) 24)" => "(extract_i8 a 0)", B32, NONE;

    // --- minimum and maximum ---------------------------------------------------------------------
    imin_self: "(imin a a)" => "a", INTS, NONE;
    imax_self: "(imax a a)" => "a", INTS, NONE;
    umin_self: "(umin a a)" => "a", INTS, NONE;
    umax_self: "(umax a a)" => "a", INTS, NONE;
    umin_zero: "(umin a 0)" => "0", INTS, NONE;
    umax_zero: "(umax a 0)" => "a", INTS, NONE;
    umin_ones: "(umin a -1)" => "a", INTS, NONE;
    umax_ones: "(umax a -1)" => "-1", INTS, NONE;

    // --- division --------------------------------------------------------------------------------
    udiv_one: "(udiv a 1)" => "a", INTS, NONE;
    idiv_one: "(idiv a 1)" => "a", INTS, NONE;
    umod_one: "(umod a 1)" => "0", INTS, NONE;
    irem_one: "(irem a 1)" => "0", INTS, NONE;
    imod_one: "(imod a 1)" => "0", INTS, NONE;

    // --- integer comparison ----------------------------------------------------------------------
    ieq_self: "(ieq a a)" => "true", ALL_BITS, NONE;
    ine_self: "(ine a a)" => "false", ALL_BITS, NONE;
    ilt_self: "(ilt a a)" => "false", INTS, NONE;
    ige_self: "(ige a a)" => "true", INTS, NONE;
    ult_self: "(ult a a)" => "false", INTS, NONE;
    uge_self: "(uge a a)" => "true", INTS, NONE;
    ult_zero: "(ult a 0)" => "false", INTS, NONE;
    uge_zero: "(uge a 0)" => "true", INTS, NONE;
    ult_one: "(ult a 1)" => "(ieq a 0)", INTS, NONE;
    uge_one: "(uge a 1)" => "(ine a 0)", INTS, NONE;
    ult_from_zero: "(ult 0 a)" => "(ine a 0)", INTS, NONE;
    uge_from_zero: "(uge 0 a)" => "(ieq a 0)", INTS, NONE;
    not_ilt: "(inot (ilt a b))" => "(ige a b)", BOOL, NONE;
    not_ige: "(inot (ige a b))" => "(ilt a b)", BOOL, NONE;
    not_ult: "(inot (ult a b))" => "(uge a b)", BOOL, NONE;
    not_uge: "(inot (uge a b))" => "(ult a b)", BOOL, NONE;
    not_ieq: "(inot (ieq a b))" => "(ine a b)", BOOL, NONE;
    not_ine: "(inot (ine a b))" => "(ieq a b)", BOOL, NONE;
    not_feq: "(inot (feq a b))" => "(fneu a b)", BOOL, NONE;
    not_fneu: "(inot (fneu a b))" => "(feq a b)", BOOL, NONE;
    not_flt: "(inot (flt an bn))" => "(fge a b)", BOOL, NONE;
    not_fge: "(inot (fge an bn))" => "(flt a b)", BOOL, NONE;
    ieq_sum: "(ieq (iadd a #b) #c)" => "(ieq a (iadd #c (ineg #b)))", INTS, NONE;
    ine_sum: "(ine (iadd a #b) #c)" => "(ine a (iadd #c (ineg #b)))", INTS, NONE;
    ieq_diff: "(ieq (iadd a (ineg b)) 0)" => "(ieq a b)", INTS, NONE;
    ine_diff: "(ine (iadd a (ineg b)) 0)" => "(ine a b)", INTS, NONE;

    // --- booleans --------------------------------------------------------------------------------
    ieq_true: "(ieq a1 true)" => "a1", BOOL, NONE;
    ieq_false: "(ieq a1 false)" => "(inot a1)", BOOL, NONE;
    ine_true: "(ine a1 true)" => "(inot a1)", BOOL, NONE;
    ine_false: "(ine a1 false)" => "a1", BOOL, NONE;
    b2i_ne_zero: "(ine (b2i a) 0)" => "a", INTS, NONE;
    b2i_eq_zero: "(ieq (b2i a) 0)" => "(inot a)", INTS, NONE;
    b2i_eq_one: "(ieq (b2i a) 1)" => "a", &[16, 32, 64], NONE;
    b2i_ne_one: "(ine (b2i a) 1)" => "(inot a)", &[16, 32, 64], NONE;
    b2f_ne_zero: "(fneu (b2f a) 0.0)" => "a", FLOATS, NONE;
    b2f_eq_zero: "(feq (b2f a) 0.0)" => "(inot a)", FLOATS, NONE;
    b2i_and: "(iand (b2i a) (b2i b))" => "(b2i (iand a b))", INTS, NONE;
    b2i_or: "(ior (b2i a) (b2i b))" => "(b2i (ior a b))", INTS, NONE;
    b2i_xor: "(ixor (b2i a) (b2i b))" => "(b2i (ixor a b))", INTS, NONE;

    // --- selection -------------------------------------------------------------------------------
    bcsel_same: "(bcsel a b b)" => "b", ALL_BITS, NONE;
    bcsel_true: "(bcsel true a b)" => "a", ALL_BITS, NONE;
    bcsel_false: "(bcsel false a b)" => "b", ALL_BITS, NONE;
    bcsel_not: "(bcsel (inot a) b c)" => "(bcsel a c b)", ALL_BITS, NONE;
    bcsel_bool: "(bcsel a true false)" => "a", BOOL, NONE;
    bcsel_not_bool: "(bcsel a false true)" => "(inot a)", BOOL, NONE;
    bcsel_and: "(bcsel a b1 false)" => "(iand a b1)", BOOL, NONE;
    bcsel_or: "(bcsel a true b1)" => "(ior a b1)", BOOL, NONE;
    bcsel_self_then: "(bcsel a a b1)" => "(ior a b1)", BOOL, NONE;
    bcsel_self_else: "(bcsel a b1 a)" => "(iand a b1)", BOOL, NONE;
    bcsel_ilt_or: "(bcsel (ilt a b) c1 (ige a b))" => "(ior (ige a b) c1)", BOOL, NONE;
    bcsel_ilt_and: "(bcsel (ilt a b) (ige a b) c1)" => "(iand (ige a b) c1)", BOOL, NONE;
    bcsel_ige_or: "(bcsel (ige a b) c1 (ilt a b))" => "(ior (ilt a b) c1)", BOOL, NONE;
    bcsel_ige_and: "(bcsel (ige a b) (ilt a b) c1)" => "(iand (ilt a b) c1)", BOOL, NONE;
    bcsel_ult_or: "(bcsel (ult a b) c1 (uge a b))" => "(ior (uge a b) c1)", BOOL, NONE;
    bcsel_ult_and: "(bcsel (ult a b) (uge a b) c1)" => "(iand (uge a b) c1)", BOOL, NONE;
    bcsel_uge_or: "(bcsel (uge a b) c1 (ult a b))" => "(ior (ult a b) c1)", BOOL, NONE;
    bcsel_uge_and: "(bcsel (uge a b) (ult a b) c1)" => "(iand (ult a b) c1)", BOOL, NONE;
    bcsel_ieq_or: "(bcsel (ieq a b) c1 (ine a b))" => "(ior (ine a b) c1)", BOOL, NONE;
    bcsel_ieq_and: "(bcsel (ieq a b) (ine a b) c1)" => "(iand (ine a b) c1)", BOOL, NONE;
    bcsel_ine_or: "(bcsel (ine a b) c1 (ieq a b))" => "(ior (ieq a b) c1)", BOOL, NONE;
    bcsel_ine_and: "(bcsel (ine a b) (ieq a b) c1)" => "(iand (ieq a b) c1)", BOOL, NONE;
    bcsel_flt_or: "(bcsel (flt an bn) c1 (fge a b))" => "(ior (fge a b) c1)", BOOL, NONE;
    bcsel_flt_and: "(bcsel (flt an bn) (fge a b) c1)" => "(iand (fge a b) c1)", BOOL, NONE;
    bcsel_fge_or: "(bcsel (fge an bn) c1 (flt a b))" => "(ior (flt a b) c1)", BOOL, NONE;
    bcsel_fge_and: "(bcsel (fge an bn) (flt a b) c1)" => "(iand (flt a b) c1)", BOOL, NONE;
    bcsel_feq_or: "(bcsel (feq a b) c1 (fneu a b))" => "(ior (fneu a b) c1)", BOOL, NONE;
    bcsel_feq_and: "(bcsel (feq a b) (fneu a b) c1)" => "(iand (fneu a b) c1)", BOOL, NONE;
    bcsel_fneu_or: "(bcsel (fneu a b) c1 (feq a b))" => "(ior (feq a b) c1)", BOOL, NONE;
    bcsel_fneu_and: "(bcsel (fneu a b) (feq a b) c1)" => "(iand (feq a b) c1)", BOOL, NONE;
    bcsel_not_self_or: "(bcsel a b1 (inot a))" => "(ior (inot a) b1)", BOOL, NONE;
    bcsel_not_self_and: "(bcsel a (inot a) b1)" => "(iand (inot a) b1)", BOOL, NONE;
    bcsel_twice_then: "(bcsel a (bcsel a b c) d)" => "(bcsel a b d)", ALL_BITS, NONE;
    bcsel_twice_else: "(bcsel a b (bcsel a c d))" => "(bcsel a b d)", ALL_BITS, NONE;
    bcsel_b2i: "(bcsel a 1 0)" => "(b2i a)", &[16, 32, 64], NONE;
    bcsel_b2f: "(bcsel a 1.0 0.0)" => "(b2f a)", FLOATS, NONE;
    bcsel_imin: "(bcsel (ilt a b) a b)" => "(imin a b)", INTS, NONE;
    bcsel_imax: "(bcsel (ilt a b) b a)" => "(imax a b)", INTS, NONE;
    bcsel_umin: "(bcsel (ult a b) a b)" => "(umin a b)", INTS, NONE;
    bcsel_umax: "(bcsel (ult a b) b a)" => "(umax a b)", INTS, NONE;
    bcsel_imax_ge: "(bcsel (ige a b) a b)" => "(imax a b)", INTS, NONE;
    bcsel_imin_ge: "(bcsel (ige a b) b a)" => "(imin a b)", INTS, NONE;
    bcsel_umax_ge: "(bcsel (uge a b) a b)" => "(umax a b)", INTS, NONE;
    bcsel_umin_ge: "(bcsel (uge a b) b a)" => "(umin a b)", INTS, NONE;

    // --- floats: signs ---------------------------------------------------------------------------
    fneg_fneg: "(fneg (fneg a))" => "a", FLOATS, NONE;
    fabs_fneg: "(fabs (fneg a))" => "(fabs a)", FLOATS, NONE;
    fabs_fabs: "(fabs (fabs a))" => "(fabs a)", FLOATS, NONE;
    fsat_fsat: "(fsat (fsat a))" => "(fsat a)", FLOATS, NONE;
    fmul_fneg_fneg: "(fmul (fneg a) (fneg b))" => "(fmul a b)", FLOATS, NONE;
    fmul_fneg: "(fmul (fneg a) b)" => "(fneg (fmul a b))", FLOATS, NONE;
    fadd_fneg_fneg: "(fadd (fneg a) (fneg b))" => "(fneg (fadd a b))", FLOATS, SIGN;
    fmul_minus_one: "(fmul a -1.0)" => "(fneg a)", FLOATS, DENORM;
    flt_fneg: "(flt (fneg a) (fneg b))" => "(flt b a)", FLOATS, NONE;
    fge_fneg: "(fge (fneg a) (fneg b))" => "(fge b a)", FLOATS, NONE;
    feq_fneg: "(feq (fneg a) (fneg b))" => "(feq a b)", FLOATS, NONE;
    fneu_fneg: "(fneu (fneg a) (fneg b))" => "(fneu a b)", FLOATS, NONE;
    fneg_of_product: "(fneg (fmul a #b))" => "(fmul a (fneg #b))", FLOATS, NONE;
    fcos_fneg: "(fcos (fneg a))" => "(fcos a)", &[16, 32], NONE;
    fcos_fabs: "(fcos (fabs a))" => "(fcos a)", &[16, 32], NONE;

    // --- floats: comparison with zero ------------------------------------------------------------
    flt_max_zero: "(flt 0.0 (fmax a 0.0))" => "(flt 0.0 a)", FLOATS, NONE;
    flt_fsat: "(flt 0.0 (fsat a))" => "(flt 0.0 a)", FLOATS, NONE;
    fneu_max_zero: "(fneu (fmax a 0.0) 0.0)" => "(flt 0.0 a)", FLOATS, NONE;
    fneu_fsat: "(fneu (fsat a) 0.0)" => "(flt 0.0 a)", FLOATS, NONE;
    flt_either_side: "(ior (flt a 0.0) (flt 0.0 a))" => "(flt 0.0 (fabs a))", BOOL, NONE;

    // --- floats: neutral operands ----------------------------------------------------------------
    fmul_one: "(fmul a 1.0)" => "a", FLOATS, NAN.or(DENORM);
    fadd_zero: "(fadd a 0.0)" => "a", FLOATS, SIGN.or(NAN).or(DENORM);
    fadd_minus_zero: "(fadd a -0.0)" => "a", FLOATS, NAN.or(DENORM);
    fsub_zero: "(fsub a 0.0)" => "a", FLOATS, NAN.or(DENORM);
    fmul_zero: "(fmul a 0.0)" => "0.0", FLOATS, ZERO_PRODUCT;
    fmul_minus_zero: "(fmul a -0.0)" => "-0.0", FLOATS, ZERO_PRODUCT;
    fadd_neg_self: "(fadd a (fneg a))" => "0.0", FLOATS, Inexact::NAN.or(Inexact::INF);
    fsub_self: "(fsub a a)" => "0.0", FLOATS, Inexact::NAN.or(Inexact::INF);
    ffma_zero: "(ffma 0.0 a b)" => "b", FLOATS, ZERO_PRODUCT.or(DENORM);
    ffma_one: "(ffma 1.0 a b)" => "(fadd a b)", FLOATS, NONE;
    ffma_plus_zero: "(ffma a b 0.0)" => "(fmul a b)", FLOATS, SIGN;
    fdiv_one: "(fdiv a 1.0)" => "a", FLOATS, NAN.or(DENORM);
    frcp_of_one: "(frcp 1.0)" => "1.0", FLOATS, NONE;
    fdiv_constant: "(fdiv a #b)" => "(fmul a (frcp #b))", &[16, 32], ROUND.or(ZERO_PRODUCT);
    fadd_constants: "(fadd (fadd a #b) #c)" => "(fadd a (fadd #b #c))", FLOATS, ROUND.or(ZERO_PRODUCT);
    fmul_constants: "(fmul (fmul a #b) #c)" => "(fmul a (fmul #b #c))", FLOATS, ROUND.or(ZERO_PRODUCT);

    fadd_of_products: "(fadd (fmul! a b) (fmul! a c))" => "(fmul a (fadd b c))", FLOATS, ROUND.or(ZERO_PRODUCT);
    flrp_from_weights: "(fadd (fmul a (fadd (fneg c) 1.0)) (fmul b c))" => "(flrp a b c)", B32, ROUND.or(ZERO_PRODUCT);
    flrp_from_step: "(fadd a (fmul c (fadd b (fneg a))))" => "(flrp a b c)", B32, ROUND.or(ZERO_PRODUCT);
    flrp_from_negated: "(fadd a (fneg (fmul c (fadd b (fneg a)))))" => "(flrp a b (fneg c))", B32, ROUND.or(ZERO_PRODUCT);

    flrp_from_constant: "(fadd (fmul! c (fadd! b -#a)) #a)" => "(flrp #a b c)", B32, ROUND.or(ZERO_PRODUCT);
    flrp_to_one: "(fadd (fmul a (fadd (fneg c) 1.0)) c)" => "(flrp a 1.0 c)", B32, ROUND.or(ZERO_PRODUCT);
    flrp_to_one_scaled: "(fadd (fmul a (fadd (fmul c -#d) 1.0)) (fmul c #d))" => "(flrp a 1.0 (fmul c #d))", B32, ROUND.or(ZERO_PRODUCT);
    flrp_of_products: "(flrp (fmul! a b) (fmul! a c) d)" => "(fmul a (flrp b c d))", B32, ROUND.or(ZERO_PRODUCT);
    flrp_first: "(flrp a b 0.0)" => "a", B32, ROUND.or(ZERO_PRODUCT).or(DENORM);
    flrp_second: "(flrp a b 1.0)" => "b", B32, ROUND.or(ZERO_PRODUCT).or(DENORM);
    flrp_chosen: "(flrp a b (b2f c1))" => "(bcsel c1 b a)", B32, ROUND.or(ZERO_PRODUCT).or(DENORM);
    flrp_from_zero: "(flrp 0.0 a b)" => "(fmul a b)", B32, ROUND.or(ZERO_PRODUCT);

    // --- floats: minimum, maximum, saturation ----------------------------------------------------
    fmin_self: "(fmin a a)" => "a", FLOATS, NAN.or(DENORM);
    fmax_self: "(fmax a a)" => "a", FLOATS, NAN.or(DENORM);
    fsat_from_max_min: "(fmax (fmin a 1.0) 0.0)" => "(fsat a)", FLOATS, NAN.or(SIGN);
    fsat_from_min_max: "(fmin (fmax a 0.0) 1.0)" => "(fsat a)", FLOATS, SIGN;
    fmin_constants: "(fmin (fmin a #b) #c)" => "(fmin a (fmin #b #c))", FLOATS, SIGN;
    fmax_constants: "(fmax (fmax a #b) #c)" => "(fmax a (fmax #b #c))", FLOATS, SIGN;

    // --- floats: functions of functions ----------------------------------------------------------
    frcp_frcp: "(frcp (frcp a))" => "a", FLOATS, ROUND.or(ZERO_PRODUCT).or(DENORM);
    fsqrt_squared: "(fmul (fsqrt a) (fsqrt a))" => "(fabs a)", FLOATS, ROUND.or(NAN);
    frsq_from_rcp: "(frcp (fsqrt a))" => "(frsq a)", FLOATS, ROUND;
    rcp_of_rsq: "(frcp (frsq a))" => "(fsqrt a)", FLOATS, ROUND;
    exp_of_log: "(fexp2 (flog2 a))" => "a", &[16, 32], ROUND.or(ZERO_PRODUCT).or(DENORM);
    log_of_exp: "(flog2 (fexp2 a))" => "a", &[16, 32], ROUND.or(ZERO_PRODUCT).or(DENORM);
    fpow_one: "(fpow a 1.0)" => "a", &[16, 32], ROUND.or(ZERO_PRODUCT).or(DENORM);
    fpow_two: "(fpow a 2.0)" => "(fmul a a)", &[16, 32], ROUND.or(ZERO_PRODUCT);
    fpow_half: "(fpow a 0.5)" => "(fsqrt a)", &[16, 32], ROUND.or(ZERO_PRODUCT);
    ffract_from_floor: "(fadd a (fneg (ffloor a)))" => "(ffract a)", &[16, 32], NONE;
    floor_of_floor: "(ffloor (ffloor a))" => "(ffloor a)", FLOATS, NONE;
    trunc_of_trunc: "(ftrunc (ftrunc a))" => "(ftrunc a)", FLOATS, NONE;

    // --- packing ---------------------------------------------------------------------------------
    i2i_of_pack: "(i2i (pack_64_2x32_split a b))" => "a", B32, NONE;
    u2u_of_pack: "(u2u (pack_64_2x32_split a b))" => "a", B32, NONE;
    unpack_x_of_pack: "(unpack_64_2x32_split_x (pack_64_2x32_split a b))" => "a", B32, NONE;
    unpack_y_of_pack: "(unpack_64_2x32_split_y (pack_64_2x32_split a b))" => "b", B32, NONE;
    pack_of_unpack: "(pack_64_2x32_split (unpack_64_2x32_split_x a) (unpack_64_2x32_split_y a))" => "a", &[64], NONE;
    unpack16_x_of_pack: "(unpack_32_2x16_split_x (pack_32_2x16_split a b))" => "a", &[16], NONE;
    unpack16_y_of_pack: "(unpack_32_2x16_split_y (pack_32_2x16_split a b))" => "b", &[16], NONE;
    pack16_of_unpack: "(pack_32_2x16_split (unpack_32_2x16_split_x a) (unpack_32_2x16_split_y a))" => "a", B32, NONE;
}
