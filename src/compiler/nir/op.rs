//! The table of ALU operations: name, types, cost, properties and constant folding of each.
//!
//! All are pure functions of their operands; operations that depend on other invocations are
//! intrinsics.
//!
//! Ref: NIR's opcode list for names; SPIR-V and GLSL.std.450 for meaning. Tests: tests/nir/.

use crate::exact::{self, FoldCtx};

/// Base type of an operand: how its bits are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseType {
    /// Signed integer.
    Int,
    /// Unsigned integer.
    Uint,
    /// Float.
    Float,
    /// One-bit boolean.
    Bool,
    /// Any bits, not interpreted.
    Any,
}

/// Rule for the number of bits of an operand or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeRule {
    /// Equal to all other `Same` operands and results of the operation.
    Same,
    /// Independent of the others: that of the def.
    Free,
    /// Exactly this many.
    Fixed(u8),
}

/// Type of an operand or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpType {
    /// Interpretation.
    pub base: BaseType,
    /// Size rule.
    pub size: SizeRule,
}

impl OpType {
    /// True if a value of `bits` bits satisfies the type, regardless of the other operands.
    pub fn admits(self, bits: u8) -> bool {
        match (self.size, self.base) {
            (SizeRule::Fixed(n), _) => bits == n,
            (_, BaseType::Float) => matches!(bits, 16 | 32 | 64),
            (_, BaseType::Bool) => bits == 1,
            (_, BaseType::Int | BaseType::Uint) => matches!(bits, 8 | 16 | 32 | 64),
            (_, BaseType::Any) => matches!(bits, 1 | 8 | 16 | 32 | 64),
        }
    }
}

/// One operand of an operation.
#[derive(Clone, Copy, Debug)]
pub struct OpSrc {
    /// Type.
    pub ty: OpType,
    /// Components read; 0: one for each component of the result.
    pub components: u8,
}

/// Evaluates an operation on bit patterns.
#[derive(Clone, Copy, Debug)]
pub enum FoldFn {
    /// One component of the result from one of each operand.
    Scalar(fn(&FoldCtx, &[u64; 4]) -> u64),
    /// All components at once.
    Vector(fn(&FoldCtx, &[&[u64]], &mut [u64])),
}

/// Algebraic properties of an operation, as a bit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AluProps(u8);

impl AluProps {
    /// Nothing.
    pub const NONE: AluProps = AluProps(0);
    /// The first two operands may be swapped.
    pub const COMMUTES: AluProps = AluProps(1);
    /// `(a op b) op c` = `a op (b op c)` (for floats: only where inexactness is allowed).
    pub const ASSOCIATES: AluProps = AluProps(2);
    /// A conversion between types.
    pub const CONVERTS: AluProps = AluProps(4);
    /// Builds a vector from scalars.
    pub const VEC: AluProps = AluProps(8);
    /// A lane's result is a bit-for-bit copy of an operand's lane.
    pub const SELECTS: AluProps = AluProps(16);

    /// The union.
    pub const fn or(self, other: AluProps) -> AluProps {
        AluProps(self.0 | other.0)
    }
    /// True if all properties of `other` are set.
    pub const fn has(self, other: AluProps) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The operation.
    pub op: AluOp,
    /// Name in text, and of the builder's method.
    pub name: &'static str,
    /// Operands in order.
    pub srcs: &'static [OpSrc],
    /// Type of the result.
    pub out: OpType,
    /// Components of the result; 0: as many as the def has.
    pub out_components: u8,
    /// Estimated cost: about the number of instructions on gen9; 0 for operations that copy
    /// propagation removes.
    pub cost: u8,
    /// Properties.
    pub props: AluProps,
    /// Constant folding.
    pub fold: FoldFn,
}

macro_rules! ty {
    (F) => {
        OpType {
            base: BaseType::Float,
            size: SizeRule::Same,
        }
    };
    (I) => {
        OpType {
            base: BaseType::Int,
            size: SizeRule::Same,
        }
    };
    (U) => {
        OpType {
            base: BaseType::Uint,
            size: SizeRule::Same,
        }
    };
    (X) => {
        OpType {
            base: BaseType::Any,
            size: SizeRule::Same,
        }
    };
    (FFree) => {
        OpType {
            base: BaseType::Float,
            size: SizeRule::Free,
        }
    };
    (IFree) => {
        OpType {
            base: BaseType::Int,
            size: SizeRule::Free,
        }
    };
    (UFree) => {
        OpType {
            base: BaseType::Uint,
            size: SizeRule::Free,
        }
    };
    (B) => {
        OpType {
            base: BaseType::Bool,
            size: SizeRule::Fixed(1),
        }
    };
    (F16) => {
        OpType {
            base: BaseType::Float,
            size: SizeRule::Fixed(16),
        }
    };
    (F32) => {
        OpType {
            base: BaseType::Float,
            size: SizeRule::Fixed(32),
        }
    };
    (U8) => {
        OpType {
            base: BaseType::Uint,
            size: SizeRule::Fixed(8),
        }
    };
    (U16) => {
        OpType {
            base: BaseType::Uint,
            size: SizeRule::Fixed(16),
        }
    };
    (I32) => {
        OpType {
            base: BaseType::Int,
            size: SizeRule::Fixed(32),
        }
    };
    (U32) => {
        OpType {
            base: BaseType::Uint,
            size: SizeRule::Fixed(32),
        }
    };
    (I64) => {
        OpType {
            base: BaseType::Int,
            size: SizeRule::Fixed(64),
        }
    };
    (U64) => {
        OpType {
            base: BaseType::Uint,
            size: SizeRule::Fixed(64),
        }
    };
}

macro_rules! count {
    () => {
        0
    };
    ($n:literal) => {
        $n
    };
}

macro_rules! alu_ops {
    ($($(#[$doc:meta])*
       $variant:ident $name:ident ( $($arg:ident : $ty:ident $(* $n:literal)?),* $(; $bits:ident)? )
       -> $out:ident $(* $on:literal)?, cost $cost:literal, $($prop:ident)|+,
       $kind:ident |$($p:ident),*| $body:expr;)*) => {
        /// The ALU operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum AluOp { $($(#[$doc])* $variant,)* }

        /// The table, in the order of [`AluOp`].
        pub static ALU_OPS: &[OpInfo] = &[$(OpInfo {
            op: AluOp::$variant,
            name: stringify!($name),
            srcs: &[$(OpSrc { ty: ty!($ty), components: count!($($n)?) }),*],
            out: ty!($out),
            out_components: count!($($on)?),
            cost: $cost,
            props: AluProps(0 $(| AluProps::$prop.0)+),
            fold: FoldFn::$kind(|$($p),*| $body),
        },)*];

        impl AluOp {
            /// All of them, in the table's order.
            pub const ALL: &[AluOp] = &[$(AluOp::$variant,)*];
        }
    };
}

impl AluOp {
    /// The row of the table.
    pub fn info(self) -> &'static OpInfo {
        &ALU_OPS[self as usize]
    }
    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<AluOp> {
        ALU_OPS.iter().find(|i| i.name == name).map(|i| i.op)
    }
    /// `vecN` for `n` components; 1 gives `mov`.
    pub fn vec(n: usize) -> Option<AluOp> {
        Some(match n {
            1 => AluOp::Mov,
            2 => AluOp::Vec2,
            3 => AluOp::Vec3,
            4 => AluOp::Vec4,
            5 => AluOp::Vec5,
            8 => AluOp::Vec8,
            16 => AluOp::Vec16,
            _ => return None,
        })
    }
    /// True for float arithmetic that the EU executes natively in the operands' size, including 16
    /// bits: not rounding to integers, and not `fpow`.
    pub fn is_float_arithmetic(self) -> bool {
        use AluOp as A;
        matches!(
            self,
            A::FAdd | A::FMul | A::FFma | A::FMin | A::FMax | A::FSat
        ) || matches!(
            self,
            A::FRcp | A::FSqrt | A::FRsq | A::FExp2 | A::FLog2 | A::FSin | A::FCos
        )
    }
    /// True for `vec2` to `vec16`.
    #[inline]
    pub fn is_vec(self) -> bool {
        self.info().props.has(AluProps::VEC)
    }
}

fn build_vector(s: &[&[u64]], d: &mut [u64]) {
    for (o, v) in d.iter_mut().zip(s) {
        *o = v[0];
    }
}

fn dot(c: &FoldCtx, s: &[&[u64]], d: &mut [u64], n: usize) {
    let mut sum = c.round(exact::mul(c.float(s[0][n - 1]), c.float(s[1][n - 1])));
    for i in (0..n - 1).rev() {
        let p = c.round(exact::mul(c.float(s[0][i]), c.float(s[1][i])));
        sum = c.round(exact::add(c.float(sum), c.float(p)));
    }
    d[0] = sum;
}

fn pack_bits(s: &[u64], n: usize, bits: u32) -> u64 {
    (0..n).fold(0, |v, i| v | s[i] << (bits * i as u32))
}

fn unpack_bits(v: u64, d: &mut [u64], bits: u8) {
    for (i, o) in d.iter_mut().enumerate() {
        *o = v >> (u32::from(bits) * i as u32) & exact::mask(bits);
    }
}

fn f32_to_f16(c: &FoldCtx, v: u64) -> u64 {
    c.round_to(16, c.float_of(32, v))
}

fn f16_to_f32(c: &FoldCtx, v: u64) -> u64 {
    c.round_to(32, c.float_of(16, v))
}

fn pack_norm(c: &FoldCtx, s: &[u64], n: usize, bits: u8, signed: bool) -> u64 {
    let max = if signed {
        (1u64 << (bits - 1)) - 1
    } else {
        exact::mask(bits)
    } as f64;
    let low = if signed { -1.0 } else { 0.0 };
    (0..n).fold(0, |v, i| {
        let x = c.float_of(32, s[i]);
        let x = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) };
        // The product is rounded to 32 bits first, as at run time.
        let p = exact::float_value(32, c.round_to(32, exact::mul(x, max)));
        let q = p.round_ties_even() as i64 as u64 & exact::mask(bits);
        v | q << (u32::from(bits) * i as u32)
    })
}

fn unpack_norm(c: &FoldCtx, v: u64, d: &mut [u64], bits: u8, signed: bool) {
    for (i, o) in d.iter_mut().enumerate() {
        let part = v >> (u32::from(bits) * i as u32) & exact::mask(bits);
        let x = if signed {
            let max = ((1u64 << (bits - 1)) - 1) as f64;
            let q = exact::div(exact::sext(bits, part) as f64, max);
            if q.hi < -1.0 { (-1.0).into() } else { q }
        } else {
            exact::div(part as f64, exact::mask(bits) as f64)
        };
        *o = c.round_to(32, x);
    }
}

fn float_to_int(c: &FoldCtx, v: u64) -> u64 {
    let x = c.float_of(c.src_bits, v);
    let max = (1i64 << (c.def_bits - 1)).wrapping_sub(1);
    (x as i64).clamp(-max - 1, max) as u64
}

fn float_to_uint(c: &FoldCtx, v: u64) -> u64 {
    (c.float_of(c.src_bits, v) as u64).min(exact::mask(c.def_bits))
}

fn fmod(c: &FoldCtx, s: &[u64; 4], round: fn(f64) -> f64) -> u64 {
    let (x, y) = (c.float(s[0]), c.float(s[1]));
    let q = exact::float_value(c.bits, c.round(exact::div(x, y)));
    c.round(exact::fma(-y, round(q), x))
}

fn insert_bitfield(base: u64, insert: u64, offset: u64, count: u64) -> u64 {
    let (offset, count) = (exact::sext(32, offset), exact::sext(32, count));
    if count <= 0 || offset < 0 || offset + count > 32 {
        return if count == 0 { base } else { 0 };
    }
    let m = exact::mask(count as u8) << offset;
    (base & !m) | (insert << offset & m)
}

fn extract_bitfield(base: u64, offset: u64, count: u64, signed: bool) -> u64 {
    let (offset, count) = (exact::sext(32, offset), exact::sext(32, count));
    if count <= 0 || offset < 0 || offset + count > 32 {
        return 0;
    }
    let v = base >> offset & exact::mask(count as u8);
    if signed {
        exact::sext(count as u8, v) as u64
    } else {
        v
    }
}

fn bfe(base: u64, offset: u64, count: u64, signed: bool) -> u64 {
    let (offset, count) = (offset & 31, count & 31);
    if count == 0 {
        return 0;
    }
    let count = count.min(32 - offset) as u8;
    let v = base >> offset & exact::mask(count);
    if signed {
        exact::sext(count, v) as u64
    } else {
        v
    }
}

fn bfi(mask: u64, insert: u64, base: u64) -> u64 {
    if mask == 0 {
        return base;
    }
    (base & !mask) | (insert << mask.trailing_zeros() & mask)
}

fn extract_bits(c: &FoldCtx, s: &[u64; 4], bits: u8, signed: bool) -> u64 {
    let shift = s[1].saturating_mul(u64::from(bits));
    let v = if shift < u64::from(c.bits) {
        s[0] >> shift & exact::mask(bits)
    } else {
        0
    };
    if signed {
        exact::sext(bits, v) as u64
    } else {
        v
    }
}

fn highest_bit(v: u64) -> u64 {
    if v == 0 {
        u64::MAX
    } else {
        u64::from(63 - v.leading_zeros())
    }
}

fn quantize_to_f16(c: &FoldCtx, v: u64) -> u64 {
    let x = exact::float_value(32, v);
    let h = exact::round_float(16, x.into(), false);
    let h = if h & 0x7c00 == 0 { h & 0x8000 } else { h };
    c.round_to(32, exact::float_value(16, h))
}

/// The table's rows, passed to a macro that expands each.
macro_rules! alu_table {
    ($rows:ident) => { $rows! {
    // --- moves and vectors
    /// Copy.
    Mov mov(a: X) -> X, cost 0, SELECTS, Scalar |_c, s| s[0];
    /// Two scalars.
    Vec2 vec2(a: X * 1, b: X * 1) -> X * 2, cost 0, VEC, Vector |_c, s, d| build_vector(s, d);
    /// Three scalars.
    Vec3 vec3(a: X * 1, b: X * 1, c: X * 1) -> X * 3, cost 0, VEC, Vector |_c, s, d| build_vector(s, d);
    /// Four scalars.
    Vec4 vec4(a: X * 1, b: X * 1, c: X * 1, d: X * 1) -> X * 4, cost 0, VEC, Vector |_c, s, d| build_vector(s, d);
    /// Five scalars.
    Vec5 vec5(a: X * 1, b: X * 1, c: X * 1, d: X * 1, e: X * 1) -> X * 5, cost 0, VEC, Vector |_c, s, d| build_vector(s, d);
    /// Eight scalars.
    Vec8 vec8(a: X * 1, b: X * 1, c: X * 1, d: X * 1, e: X * 1, f: X * 1, g: X * 1, h: X * 1) -> X * 8, cost 0, VEC,
        Vector |_c, s, d| build_vector(s, d);
    /// Sixteen scalars.
    Vec16 vec16(a: X * 1, b: X * 1, c: X * 1, d: X * 1, e: X * 1, f: X * 1, g: X * 1, h: X * 1,
        i: X * 1, j: X * 1, k: X * 1, l: X * 1, m: X * 1, n: X * 1, o: X * 1, p: X * 1) -> X * 16, cost 0, VEC,
        Vector |_c, s, d| build_vector(s, d);
    /// `cond ? a : b`, component by component.
    Bcsel bcsel(cond: B, a: X, b: X) -> X, cost 1, NONE, Scalar |_c, s| if s[0] != 0 { s[1] } else { s[2] };

    // --- float arithmetic
    /// Sum.
    FAdd fadd(a: F, b: F) -> F, cost 1, COMMUTES | ASSOCIATES, Scalar |c, s| c.round(exact::add(c.float(s[0]), c.float(s[1])));
    /// Difference.
    FSub fsub(a: F, b: F) -> F, cost 1, NONE, Scalar |c, s| c.round(exact::add(c.float(s[0]), -c.float(s[1])));
    /// Product.
    FMul fmul(a: F, b: F) -> F, cost 1, COMMUTES | ASSOCIATES, Scalar |c, s| c.round(exact::mul(c.float(s[0]), c.float(s[1])));
    /// `a * b + c`, rounded once.
    FFma ffma(a: F, b: F, c: F) -> F, cost 1, COMMUTES, Scalar |c, s| c.round(exact::fma(c.float(s[0]), c.float(s[1]), c.float(s[2])));
    /// `a * (1 - c) + b * c`, rounded once.
    FLrp flrp(a: F32, b: F32, c: F32) -> F32, cost 1, NONE, Scalar |c, s| {
        let weight = c.float(s[2]);
        c.round(exact::fma(1.0 - weight, c.float(s[0]), c.float(s[1]) * weight))
    };
    /// Quotient.
    FDiv fdiv(a: F, b: F) -> F, cost 5, NONE, Scalar |c, s| c.round(exact::div(c.float(s[0]), c.float(s[1])));
    /// `a - b * floor(a / b)`: OpFMod.
    FMod fmod(a: F, b: F) -> F, cost 8, NONE, Scalar |c, s| fmod(c, s, f64::floor);
    /// `a - b * trunc(a / b)`: OpFRem.
    FRem frem(a: F, b: F) -> F, cost 8, NONE, Scalar |c, s| fmod(c, s, f64::trunc);
    /// Negation: flips the sign bit.
    FNeg fneg(a: F) -> F, cost 1, NONE, Scalar |c, s| s[0] ^ c.sign_bit();
    /// Absolute value: clears the sign bit.
    FAbs fabs(a: F) -> F, cost 1, NONE, Scalar |c, s| s[0] & !c.sign_bit();
    /// Clamps to 0..=1; NaN gives 0.
    FSat fsat(a: F) -> F, cost 1, NONE, Scalar |c, s| {
        let x = c.float(s[0]);
        c.round(if x > 0.0 { x.min(1.0) } else { 0.0 })
    };
    /// -1, 0 (of the operand's sign) or 1; NaN gives 1 with its sign.
    FSign fsign(a: F) -> F, cost 3, NONE, Scalar |c, s| {
        let x = c.float(s[0]);
        c.round(if x == 0.0 { x } else if s[0] & c.sign_bit() != 0 { -1.0 } else { 1.0 })
    };
    /// Rounds down to an integer.
    FFloor ffloor(a: F) -> F, cost 1, NONE, Scalar |c, s| c.round(c.float(s[0]).floor());
    /// Rounds up to an integer.
    FCeil fceil(a: F) -> F, cost 1, NONE, Scalar |c, s| c.round(c.float(s[0]).ceil());
    /// Rounds towards zero to an integer.
    FTrunc ftrunc(a: F) -> F, cost 1, NONE, Scalar |c, s| c.round(c.float(s[0]).trunc());
    /// `a - floor(a)`.
    FFract ffract(a: F) -> F, cost 1, NONE, Scalar |c, s| {
        let x = c.float(s[0]);
        c.round(exact::add(x, -x.floor()))
    };
    /// Nearest integer, ties to even.
    FRoundEven fround_even(a: F) -> F, cost 1, NONE, Scalar |c, s| c.round(c.float(s[0]).round_ties_even());
    /// `1 / a`.
    FRcp frcp(a: F) -> F, cost 4, NONE, Scalar |c, s| c.round(exact::div(1.0, c.float(s[0])));
    /// Square root.
    FSqrt fsqrt(a: F) -> F, cost 4, NONE, Scalar |c, s| c.round(exact::sqrt(c.float(s[0])));
    /// `1 / sqrt(a)`.
    FRsq frsq(a: F) -> F, cost 4, NONE, Scalar |c, s| c.round(1.0 / c.float(s[0]).sqrt());
    /// `2^a`.
    FExp2 fexp2(a: F) -> F, cost 4, NONE, Scalar |c, s| c.round(c.float(s[0]).exp2());
    /// Logarithm, base 2.
    FLog2 flog2(a: F) -> F, cost 4, NONE, Scalar |c, s| c.round(c.float(s[0]).log2());
    /// Sine of radians.
    FSin fsin(a: F) -> F, cost 4, NONE, Scalar |c, s| c.round(c.float(s[0]).sin());
    /// Cosine of radians.
    FCos fcos(a: F) -> F, cost 4, NONE, Scalar |c, s| c.round(c.float(s[0]).cos());
    /// `a^b` for `a >= 0`.
    FPow fpow(a: F, b: F) -> F, cost 8, NONE, Scalar |c, s| c.round(c.float(s[0]).powf(c.float(s[1])));
    /// Minimum; if one operand is NaN, the other.
    FMin fmin(a: F, b: F) -> F, cost 1, COMMUTES | ASSOCIATES, Scalar |c, s| {
        let (a, b) = (c.float(s[0]), c.float(s[1]));
        c.round(if a < b || b.is_nan() { a } else { b })
    };
    /// Maximum; if one operand is NaN, the other.
    FMax fmax(a: F, b: F) -> F, cost 1, COMMUTES | ASSOCIATES, Scalar |c, s| {
        let (a, b) = (c.float(s[0]), c.float(s[1]));
        c.round(if a >= b || b.is_nan() { a } else { b })
    };
    /// `a · 2^b`, correctly rounded.
    Ldexp ldexp(a: F, b: I32) -> F, cost 8, NONE, Scalar |c, s| {
        c.round(exact::scale(c.float(s[0]), exact::sext(32, s[1])))
    };
    /// Significand in [0.5, 1).
    FrexpSig frexp_sig(a: F) -> F, cost 6, NONE, Scalar |c, s| c.round(exact::frexp(c.float(s[0])).0);
    /// The exponent that matches [`AluOp::FrexpSig`].
    FrexpExp frexp_exp(a: F) -> I32, cost 5, NONE, Scalar |c, s| exact::frexp(c.float(s[0])).1 as u64;
    /// Rounds to 16 bits and converts back; 16-bit subnormals become zero.
    FQuantize2F16 fquantize2f16(a: F32) -> F32, cost 4, NONE, Scalar |c, s| quantize_to_f16(c, s[0]);
    /// Dot product.
    FDot2 fdot2(a: F * 2, b: F * 2) -> F * 1, cost 2, COMMUTES, Vector |c, s, d| dot(c, s, d, 2);
    /// Dot product.
    FDot3 fdot3(a: F * 3, b: F * 3) -> F * 1, cost 3, COMMUTES, Vector |c, s, d| dot(c, s, d, 3);
    /// Dot product.
    FDot4 fdot4(a: F * 4, b: F * 4) -> F * 1, cost 4, COMMUTES, Vector |c, s, d| dot(c, s, d, 4);

    // --- float comparison: false if an operand is NaN, except fneu
    /// `a < b`.
    FLt flt(a: F, b: F) -> B, cost 1, NONE, Scalar |c, s| u64::from(c.float(s[0]) < c.float(s[1]));
    /// `a >= b`.
    FGe fge(a: F, b: F) -> B, cost 1, NONE, Scalar |c, s| u64::from(c.float(s[0]) >= c.float(s[1]));
    /// `a == b`.
    FEq feq(a: F, b: F) -> B, cost 1, COMMUTES, Scalar |c, s| u64::from(c.float(s[0]) == c.float(s[1]));
    /// `a != b`, true if an operand is NaN.
    FNeu fneu(a: F, b: F) -> B, cost 1, COMMUTES, Scalar |c, s| u64::from(c.float(s[0]) != c.float(s[1]));

    // --- integer arithmetic
    /// Wrapping sum.
    IAdd iadd(a: I, b: I) -> I, cost 1, COMMUTES | ASSOCIATES, Scalar |_c, s| s[0].wrapping_add(s[1]);
    /// Wrapping difference.
    ISub isub(a: I, b: I) -> I, cost 1, NONE, Scalar |_c, s| s[0].wrapping_sub(s[1]);
    /// Low half of the product.
    IMul imul(a: I, b: I) -> I, cost 3, COMMUTES | ASSOCIATES, Scalar |_c, s| s[0].wrapping_mul(s[1]);
    /// High half of the signed product.
    IMulHigh imul_high(a: I, b: I) -> I, cost 3, COMMUTES, Scalar |c, s| {
        ((i128::from(c.signed(s[0])) * i128::from(c.signed(s[1]))) >> c.bits) as u64
    };
    /// High half of the unsigned product.
    UMulHigh umul_high(a: U, b: U) -> U, cost 3, COMMUTES, Scalar |c, s| {
        ((u128::from(s[0]) * u128::from(s[1])) >> c.bits) as u64
    };
    /// Whole signed product of two 32-bit numbers.
    IMul2x32_64 imul_2x32_64(a: I32, b: I32) -> I64, cost 2, COMMUTES, Scalar |_c, s| {
        exact::sext(32, s[0]).wrapping_mul(exact::sext(32, s[1])) as u64
    };
    /// Whole unsigned product of two 32-bit numbers.
    UMul2x32_64 umul_2x32_64(a: U32, b: U32) -> U64, cost 2, COMMUTES, Scalar |_c, s| s[0].wrapping_mul(s[1]);
    /// Two's complement.
    INeg ineg(a: I) -> I, cost 1, NONE, Scalar |_c, s| s[0].wrapping_neg();
    /// Absolute value; that of the smallest integer wraps to itself.
    IAbs iabs(a: I) -> I, cost 1, NONE, Scalar |c, s| c.signed(s[0]).wrapping_abs() as u64;
    /// -1, 0 or 1.
    ISign isign(a: I) -> I, cost 3, NONE, Scalar |c, s| c.signed(s[0]).signum() as u64;
    /// Signed quotient, rounded towards zero; division by zero gives 0.
    IDiv idiv(a: I, b: I) -> I, cost 12, NONE, Scalar |c, s| {
        c.signed(s[0]).checked_div(c.signed(s[1])).unwrap_or(if s[1] == 0 { 0 } else { c.int_min() }) as u64
    };
    /// Unsigned quotient; division by zero gives 0.
    UDiv udiv(a: U, b: U) -> U, cost 12, NONE, Scalar |_c, s| s[0].checked_div(s[1]).unwrap_or(0);
    /// Remainder with the sign of `a`: OpSRem; division by zero gives 0.
    IRem irem(a: I, b: I) -> I, cost 12, NONE, Scalar |c, s| {
        c.signed(s[0]).checked_rem(c.signed(s[1])).unwrap_or(0) as u64
    };
    /// Remainder with the sign of `b`: OpSMod; division by zero gives 0.
    IMod imod(a: I, b: I) -> I, cost 14, NONE, Scalar |c, s| {
        let (a, b) = (c.signed(s[0]), c.signed(s[1]));
        let r = a.checked_rem(b).unwrap_or(0);
        (if r != 0 && (r < 0) != (b < 0) { r + b } else { r }) as u64
    };
    /// Unsigned remainder; division by zero gives 0.
    UMod umod(a: U, b: U) -> U, cost 12, NONE, Scalar |_c, s| s[0].checked_rem(s[1]).unwrap_or(0);
    /// Signed minimum.
    IMin imin(a: I, b: I) -> I, cost 1, COMMUTES | ASSOCIATES, Scalar |c, s| c.signed(s[0]).min(c.signed(s[1])) as u64;
    /// Signed maximum.
    IMax imax(a: I, b: I) -> I, cost 1, COMMUTES | ASSOCIATES, Scalar |c, s| c.signed(s[0]).max(c.signed(s[1])) as u64;
    /// Unsigned minimum.
    UMin umin(a: U, b: U) -> U, cost 1, COMMUTES | ASSOCIATES, Scalar |_c, s| s[0].min(s[1]);
    /// Unsigned maximum.
    UMax umax(a: U, b: U) -> U, cost 1, COMMUTES | ASSOCIATES, Scalar |_c, s| s[0].max(s[1]);
    /// 1 if the unsigned sum carries.
    UAddCarry uadd_carry(a: U, b: U) -> U, cost 2, COMMUTES, Scalar |c, s| {
        u64::from(u128::from(s[0]) + u128::from(s[1]) > u128::from(exact::mask(c.bits)))
    };
    /// 1 if the unsigned difference borrows.
    USubBorrow usub_borrow(a: U, b: U) -> U, cost 2, NONE, Scalar |_c, s| u64::from(s[0] < s[1]);
    /// Saturating signed sum.
    IAddSat iadd_sat(a: I, b: I) -> I, cost 1, COMMUTES, Scalar |c, s| {
        c.signed(s[0]).saturating_add(c.signed(s[1])).clamp(c.int_min(), c.int_max()) as u64
    };
    /// Saturating unsigned sum.
    UAddSat uadd_sat(a: U, b: U) -> U, cost 1, COMMUTES, Scalar |c, s| s[0].saturating_add(s[1]).min(exact::mask(c.bits));
    /// Saturating signed difference.
    ISubSat isub_sat(a: I, b: I) -> I, cost 1, NONE, Scalar |c, s| {
        c.signed(s[0]).saturating_sub(c.signed(s[1])).clamp(c.int_min(), c.int_max()) as u64
    };
    /// Saturating unsigned difference.
    USubSat usub_sat(a: U, b: U) -> U, cost 1, NONE, Scalar |_c, s| s[0].saturating_sub(s[1]);

    // --- integer comparison
    /// Signed `a < b`.
    ILt ilt(a: I, b: I) -> B, cost 1, NONE, Scalar |c, s| u64::from(c.signed(s[0]) < c.signed(s[1]));
    /// Signed `a >= b`.
    IGe ige(a: I, b: I) -> B, cost 1, NONE, Scalar |c, s| u64::from(c.signed(s[0]) >= c.signed(s[1]));
    /// Unsigned `a < b`.
    ULt ult(a: U, b: U) -> B, cost 1, NONE, Scalar |_c, s| u64::from(s[0] < s[1]);
    /// Unsigned `a >= b`.
    UGe uge(a: U, b: U) -> B, cost 1, NONE, Scalar |_c, s| u64::from(s[0] >= s[1]);
    /// `a == b`, also for booleans.
    IEq ieq(a: X, b: X) -> B, cost 1, COMMUTES, Scalar |_c, s| u64::from(s[0] == s[1]);
    /// `a != b`, also for booleans.
    INe ine(a: X, b: X) -> B, cost 1, COMMUTES, Scalar |_c, s| u64::from(s[0] != s[1]);

    // --- bits
    /// Bitwise and.
    IAnd iand(a: X, b: X) -> X, cost 1, COMMUTES | ASSOCIATES, Scalar |_c, s| s[0] & s[1];
    /// Bitwise or.
    IOr ior(a: X, b: X) -> X, cost 1, COMMUTES | ASSOCIATES, Scalar |_c, s| s[0] | s[1];
    /// Bitwise exclusive or.
    IXor ixor(a: X, b: X) -> X, cost 1, COMMUTES | ASSOCIATES, Scalar |_c, s| s[0] ^ s[1];
    /// Complement.
    INot inot(a: X) -> X, cost 1, NONE, Scalar |_c, s| !s[0];
    /// Left shift; only the low bits of the count matter.
    IShl ishl(a: I, b: U32) -> I, cost 1, NONE, Scalar |c, s| s[0] << (s[1] & u64::from(c.bits - 1));
    /// Arithmetic right shift; only the low bits of the count matter.
    IShr ishr(a: I, b: U32) -> I, cost 1, NONE, Scalar |c, s| (c.signed(s[0]) >> (s[1] & u64::from(c.bits - 1))) as u64;
    /// Logical right shift; only the low bits of the count matter.
    UShr ushr(a: U, b: U32) -> U, cost 1, NONE, Scalar |c, s| s[0] >> (s[1] & u64::from(c.bits - 1));
    /// Bits in reverse order.
    BitfieldReverse bitfield_reverse(a: U) -> U, cost 1, NONE, Scalar |c, s| s[0].reverse_bits() >> (64 - c.bits);
    /// Number of set bits.
    BitCount bit_count(a: U) -> U32, cost 1, NONE, Scalar |_c, s| u64::from(s[0].count_ones());
    /// Index of the lowest set bit, or -1.
    FindLsb find_lsb(a: U) -> I32, cost 1, NONE, Scalar |_c, s| {
        if s[0] == 0 { u64::MAX } else { u64::from(s[0].trailing_zeros()) }
    };
    /// Index of the highest bit that differs from the sign bit, or -1.
    IFindMsb ifind_msb(a: I) -> I32, cost 3, NONE, Scalar |c, s| {
        let v = c.signed(s[0]);
        highest_bit(if v < 0 { !v } else { v } as u64)
    };
    /// Index of the highest set bit, or -1.
    UFindMsb ufind_msb(a: U) -> I32, cost 3, NONE, Scalar |_c, s| highest_bit(s[0]);
    /// Number of leading zeros; the size in bits for 0.
    UClz uclz(a: U) -> U32, cost 2, NONE, Scalar |c, s| u64::from(s[0].leading_zeros()) - (64 - u64::from(c.bits));
    /// `(base, offset, bits)`: the field, zero-extended; offset and bits modulo 32.
    UBfe ubfe(a: U32, offset: U32, bits: U32) -> U32, cost 1, NONE, Scalar |_c, s| bfe(s[0], s[1], s[2], false);
    /// `(base, offset, bits)`: the field, sign-extended; offset and bits modulo 32.
    IBfe ibfe(a: I32, offset: U32, bits: U32) -> I32, cost 1, NONE, Scalar |_c, s| bfe(s[0], s[1], s[2], true);
    /// `(mask, insert, base)`: replaces the bits of `base` in `mask` by `insert`, shifted left to
    /// the mask's lowest set bit.
    Bfi bfi(mask: U32, insert: U32, base: U32) -> U32, cost 1, NONE, Scalar |_c, s| bfi(s[0], s[1], s[2]);
    /// `(bits, offset)`: a mask of `bits` ones, shifted left by `offset`; both modulo 32.
    Bfm bfm(bits: U32, offset: U32) -> U32, cost 1, NONE, Scalar |_c, s| exact::mask((s[0] & 31) as u8) << (s[1] & 31);
    /// `(base, insert, offset, bits)`: OpBitFieldInsert.
    BitfieldInsert bitfield_insert(base: U32, insert: U32, offset: I32, bits: I32) -> U32, cost 2, NONE,
        Scalar |_c, s| insert_bitfield(s[0], s[1], s[2], s[3]);
    /// `(base, offset, bits)`: OpBitFieldUExtract.
    UBitfieldExtract ubitfield_extract(base: U32, offset: I32, bits: I32) -> U32, cost 2, NONE,
        Scalar |_c, s| extract_bitfield(s[0], s[1], s[2], false);
    /// `(base, offset, bits)`: OpBitFieldSExtract.
    IBitfieldExtract ibitfield_extract(base: I32, offset: I32, bits: I32) -> I32, cost 2, NONE,
        Scalar |_c, s| extract_bitfield(s[0], s[1], s[2], true);
    /// Byte `b` of `a`, zero-extended.
    ExtractU8 extract_u8(a: U, b: U) -> U, cost 1, NONE, Scalar |c, s| extract_bits(c, s, 8, false);
    /// Byte `b` of `a`, sign-extended.
    ExtractI8 extract_i8(a: I, b: I) -> I, cost 1, NONE, Scalar |c, s| extract_bits(c, s, 8, true);
    /// Word `b` of `a`, zero-extended.
    ExtractU16 extract_u16(a: U, b: U) -> U, cost 1, NONE, Scalar |c, s| extract_bits(c, s, 16, false);
    /// Word `b` of `a`, sign-extended.
    ExtractI16 extract_i16(a: I, b: I) -> I, cost 1, NONE, Scalar |c, s| extract_bits(c, s, 16, true);

    // --- conversions: sizes come from the defs
    /// 1 or 0.
    B2I b2i(a: B; bits) -> IFree, cost 1, CONVERTS, Scalar |_c, s| s[0];
    /// 1.0 or 0.0.
    B2F b2f(a: B; bits) -> FFree, cost 1, CONVERTS, Scalar |c, s| if s[0] != 0 { c.round_to(c.def_bits, 1.0) } else { 0 };
    /// Sign-extends or truncates.
    I2I i2i(a: IFree; bits) -> IFree, cost 1, CONVERTS, Scalar |c, s| exact::sext(c.src_bits, s[0]) as u64;
    /// Zero-extends or truncates.
    U2U u2u(a: UFree; bits) -> UFree, cost 1, CONVERTS, Scalar |_c, s| s[0];
    /// Signed integer to float.
    I2F i2f(a: IFree; bits) -> FFree, cost 1, CONVERTS,
        Scalar |c, s| c.round_to(c.def_bits, c.exact_int(i128::from(exact::sext(c.src_bits, s[0]))));
    /// Unsigned integer to float.
    U2F u2f(a: UFree; bits) -> FFree, cost 1, CONVERTS, Scalar |c, s| c.round_to(c.def_bits, c.exact_int(i128::from(s[0])));
    /// Float to signed integer, towards zero, saturating; NaN gives 0.
    F2I f2i(a: FFree; bits) -> IFree, cost 1, CONVERTS, Scalar |c, s| float_to_int(c, s[0]);
    /// Float to unsigned integer, towards zero, saturating; NaN gives 0.
    F2U f2u(a: FFree; bits) -> UFree, cost 1, CONVERTS, Scalar |c, s| float_to_uint(c, s[0]);
    /// Float to float, by the shader's rounding mode.
    F2F f2f(a: FFree; bits) -> FFree, cost 1, CONVERTS, Scalar |c, s| c.round_to(c.def_bits, c.float_of(c.src_bits, s[0]));
    /// Float to float, towards zero.
    F2FRtz f2f_rtz(a: FFree; bits) -> FFree, cost 2, CONVERTS,
        Scalar |c, s| exact::round_float(c.def_bits, c.float_of(c.src_bits, s[0]).into(), true);
    /// Float to float, to nearest even.
    F2FRtne f2f_rtne(a: FFree; bits) -> FFree, cost 2, CONVERTS,
        Scalar |c, s| exact::round_float(c.def_bits, c.float_of(c.src_bits, s[0]).into(), false);

    // --- packing
    /// Low and high half.
    Pack64_2x32 pack_64_2x32(a: U32 * 2) -> U64 * 1, cost 2, NONE, Vector |_c, s, d| d[0] = pack_bits(s[0], 2, 32);
    /// Low and high half.
    Unpack64_2x32 unpack_64_2x32(a: U64 * 1) -> U32 * 2, cost 0, NONE, Vector |_c, s, d| unpack_bits(s[0][0], d, 32);
    /// Low and high half, as scalars.
    Pack64_2x32Split pack_64_2x32_split(lo: U32, hi: U32) -> U64, cost 2, NONE, Scalar |_c, s| s[0] | s[1] << 32;
    /// Low half.
    Unpack64_2x32SplitX unpack_64_2x32_split_x(a: U64) -> U32, cost 1, NONE, Scalar |_c, s| s[0];
    /// High half.
    Unpack64_2x32SplitY unpack_64_2x32_split_y(a: U64) -> U32, cost 1, NONE, Scalar |_c, s| s[0] >> 32;
    /// Four words, lowest first.
    Pack64_4x16 pack_64_4x16(a: U16 * 4) -> U64 * 1, cost 4, NONE, Vector |_c, s, d| d[0] = pack_bits(s[0], 4, 16);
    /// Four words, lowest first.
    Unpack64_4x16 unpack_64_4x16(a: U64 * 1) -> U16 * 4, cost 4, NONE, Vector |_c, s, d| unpack_bits(s[0][0], d, 16);
    /// Two words, lowest first.
    Pack32_2x16 pack_32_2x16(a: U16 * 2) -> U32 * 1, cost 2, NONE, Vector |_c, s, d| d[0] = pack_bits(s[0], 2, 16);
    /// Two words, lowest first.
    Unpack32_2x16 unpack_32_2x16(a: U32 * 1) -> U16 * 2, cost 2, NONE, Vector |_c, s, d| unpack_bits(s[0][0], d, 16);
    /// Low and high word, as scalars.
    Pack32_2x16Split pack_32_2x16_split(lo: U16, hi: U16) -> U32, cost 2, NONE, Scalar |_c, s| s[0] | s[1] << 16;
    /// Low word.
    Unpack32_2x16SplitX unpack_32_2x16_split_x(a: U32) -> U16, cost 1, NONE, Scalar |_c, s| s[0];
    /// High word.
    Unpack32_2x16SplitY unpack_32_2x16_split_y(a: U32) -> U16, cost 1, NONE, Scalar |_c, s| s[0] >> 16;
    /// Four bytes, lowest first.
    Pack32_4x8 pack_32_4x8(a: U8 * 4) -> U32 * 1, cost 4, NONE, Vector |_c, s, d| d[0] = pack_bits(s[0], 4, 8);
    /// Four bytes, lowest first.
    Unpack32_4x8 unpack_32_4x8(a: U32 * 1) -> U8 * 4, cost 4, NONE, Vector |_c, s, d| unpack_bits(s[0][0], d, 8);
    /// Two floats to 16 bits each: PackHalf2x16.
    PackHalf2x16 pack_half_2x16(a: F32 * 2) -> U32 * 1, cost 3, NONE,
        Vector |c, s, d| d[0] = f32_to_f16(c, s[0][0]) | f32_to_f16(c, s[0][1]) << 16;
    /// As `pack_half_2x16`, from scalars.
    PackHalf2x16Split pack_half_2x16_split(lo: F32, hi: F32) -> U32, cost 3, NONE,
        Scalar |c, s| f32_to_f16(c, s[0]) | f32_to_f16(c, s[1]) << 16;
    /// Two floats from 16 bits each: UnpackHalf2x16.
    UnpackHalf2x16 unpack_half_2x16(a: U32 * 1) -> F32 * 2, cost 2, NONE, Vector |c, s, d| {
        d[0] = f16_to_f32(c, s[0][0] & 0xffff);
        d[1] = f16_to_f32(c, s[0][0] >> 16);
    };
    /// The low component of `unpack_half_2x16`.
    UnpackHalf2x16SplitX unpack_half_2x16_split_x(a: U32) -> F32, cost 1, NONE, Scalar |c, s| f16_to_f32(c, s[0] & 0xffff);
    /// The high component of `unpack_half_2x16`.
    UnpackHalf2x16SplitY unpack_half_2x16_split_y(a: U32) -> F32, cost 1, NONE, Scalar |c, s| f16_to_f32(c, s[0] >> 16);
    /// PackSnorm2x16.
    PackSnorm2x16 pack_snorm_2x16(a: F32 * 2) -> U32 * 1, cost 12, NONE, Vector |c, s, d| d[0] = pack_norm(c, s[0], 2, 16, true);
    /// PackUnorm2x16.
    PackUnorm2x16 pack_unorm_2x16(a: F32 * 2) -> U32 * 1, cost 10, NONE, Vector |c, s, d| d[0] = pack_norm(c, s[0], 2, 16, false);
    /// PackSnorm4x8.
    PackSnorm4x8 pack_snorm_4x8(a: F32 * 4) -> U32 * 1, cost 22, NONE, Vector |c, s, d| d[0] = pack_norm(c, s[0], 4, 8, true);
    /// PackUnorm4x8.
    PackUnorm4x8 pack_unorm_4x8(a: F32 * 4) -> U32 * 1, cost 18, NONE, Vector |c, s, d| d[0] = pack_norm(c, s[0], 4, 8, false);
    /// UnpackSnorm2x16.
    UnpackSnorm2x16 unpack_snorm_2x16(a: U32 * 1) -> F32 * 2, cost 8, NONE, Vector |c, s, d| unpack_norm(c, s[0][0], d, 16, true);
    /// UnpackUnorm2x16.
    UnpackUnorm2x16 unpack_unorm_2x16(a: U32 * 1) -> F32 * 2, cost 6, NONE, Vector |c, s, d| unpack_norm(c, s[0][0], d, 16, false);
    /// UnpackSnorm4x8.
    UnpackSnorm4x8 unpack_snorm_4x8(a: U32 * 1) -> F32 * 4, cost 16, NONE, Vector |c, s, d| unpack_norm(c, s[0][0], d, 8, true);
    /// UnpackUnorm4x8.
    UnpackUnorm4x8 unpack_unorm_4x8(a: U32 * 1) -> F32 * 4, cost 12, NONE, Vector |c, s, d| unpack_norm(c, s[0][0], d, 8, false);
} };
}
pub(crate) use alu_table;

alu_table!(alu_ops);
