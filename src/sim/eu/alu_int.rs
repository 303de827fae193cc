//! Integer operations on exact values, one lane at a time.
//!
//! In:  operands as exact integers with modifiers applied, the execution width. Out: the exact
//!      result, which the caller wraps or saturates to the destination's type.
//! Ref: SKL PRM vol. 2a, instruction reference; vol. 7, "Execution Data Type".

use isa::{MathFn, Opcode, Type};

/// Execution width and signedness of an integer operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntegerWidth {
    /// Bits of the execution type: 64 if an operand or the destination is a quadword, else 32.
    pub(crate) bits: u32,
    /// The execution type is signed.
    pub(crate) signed: bool,
    /// The destination is signed: BFE then extends the sign of unsigned sources, too (ERRATA.md).
    pub(crate) signed_dst: bool,
    /// Type of source 0.
    pub(crate) src0: Type,
}

/// True for the operations whose integer source modifier `-` is a bitwise NOT.
pub(crate) fn is_logic(op: Opcode) -> bool {
    matches!(op, Opcode::Not | Opcode::And | Opcode::Or | Opcode::Xor)
}

fn low_bits(v: i128, bits: u32) -> u64 {
    if bits >= 64 {
        v as u64
    } else {
        (v as u64) & ((1 << bits) - 1)
    }
}

fn shift_count(v: i128, bits: u32) -> u32 {
    (v as u32) & if bits == 64 { 63 } else { 31 }
}

/// Evaluates one lane of an integer instruction; None if the opcode is not an integer operation.
pub(crate) fn eval(op: Opcode, w: IntegerWidth, a: i128, b: i128, c: i128) -> Option<i128> {
    Some(match op {
        Opcode::Mov | Opcode::Movi | Opcode::Dim => a,
        Opcode::Add => a + b,
        Opcode::Mul => a.wrapping_mul(b),
        Opcode::Avg => (a + b + 1) >> 1,
        Opcode::Not => a,
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        Opcode::Shl => a << shift_count(b, w.bits),
        Opcode::Shr => i128::from(low_bits(a, w.bits) >> shift_count(b, w.bits)),
        Opcode::Asr => {
            let v = if w.bits == 64 {
                i128::from(a as i64)
            } else if w.src0 == Type::Ud {
                i128::from(a as u32)
            } else {
                i128::from(a as i32)
            };
            v >> shift_count(b, w.bits)
        }
        Opcode::Rol => rotate(a, shift_count(b, w.bits), w, true),
        Opcode::Ror => rotate(a, shift_count(b, w.bits), w, false),
        Opcode::Mad => a.wrapping_add(b.wrapping_mul(c)),
        Opcode::Lzd => i128::from((a as u32).leading_zeros()),
        Opcode::Fbh => first_bit_high(a, w.src0),
        Opcode::Fbl => match a as u32 {
            0 => 0xffff_ffff,
            v => i128::from(v.trailing_zeros()),
        },
        Opcode::Cbit => i128::from(low_bits(a, w.src0.size_bytes() * 8).count_ones()),
        Opcode::Bfrev => i128::from((a as u32).reverse_bits()),
        Opcode::Bfe => bit_extract(a as u32, b as u32, c, w.signed || w.signed_dst),
        Opcode::Bfi1 => {
            let width = (a as u32) & 31;
            let at = (b as u32) & 31;
            i128::from(((1u32 << width) - 1) << at)
        }
        Opcode::Bfi2 => {
            let m = a as u32;
            let ins = (b as u32).checked_shl(m.trailing_zeros()).unwrap_or(0);
            i128::from((c as u32 & !m) | (ins & m))
        }
        Opcode::Dp4a => a + dot4(b as u32, c as u32, w.signed),
        _ => return None,
    })
}

fn rotate(a: i128, n: u32, w: IntegerWidth, left: bool) -> i128 {
    let n = if left { n } else { n.wrapping_neg() };
    match w.src0.size_bytes() {
        8 => i128::from((a as u64).rotate_left(n & 63)),
        4 => i128::from((a as u32).rotate_left(n & 31)),
        _ => i128::from((a as u16).rotate_left(n & 15)),
    }
}

/// FBH: position, counted from the top, of the first significant bit: the first one bit of an
/// unsigned value, the first bit that differs from the sign of a signed one. All ones if there is
/// none.
fn first_bit_high(a: i128, ty: Type) -> i128 {
    let v = a as u32;
    let x = if ty.is_signed_int() && v >> 31 != 0 {
        !v
    } else {
        v
    };
    match x {
        0 => 0xffff_ffff,
        x => i128::from(x.leading_zeros()),
    }
}

/// BFE: extracts `width` bits from bit `at` on. A field that reaches past bit 31 ends there.
fn bit_extract(width: u32, at: u32, v: i128, signed: bool) -> i128 {
    let width = width & 31;
    let at = at & 31;
    if width == 0 {
        return 0;
    }
    let left = 32u32.saturating_sub(width + at);
    let shifted = (v as u32) << left;
    let down = left + at;
    if signed {
        i128::from((shifted as i32) >> down)
    } else {
        i128::from(shifted >> down)
    }
}

/// DP4A: the dot product of four bytes.
fn dot4(b: u32, c: u32, signed: bool) -> i128 {
    (0..4)
        .map(|i| {
            let (x, y) = ((b >> (8 * i)) as u8, (c >> (8 * i)) as u8);
            if signed {
                i128::from(x as i8) * i128::from(y as i8)
            } else {
                i128::from(x) * i128::from(y)
            }
        })
        .sum()
}

/// INT DIV of the math box: quotient and remainder. After a division by zero, both are the value
/// furthest from zero with the sign of the dividend.
pub(crate) fn int_div(a: i128, b: i128, signed: bool) -> (i128, i128) {
    if b == 0 {
        let v = match (signed, a < 0) {
            (false, _) => 0xffff_ffff,
            (true, false) => 0x7fff_ffff,
            (true, true) => -0x8000_0000,
        };
        return (v, v);
    }
    (a / b, a % b)
}

/// True for the INT DIV functions.
pub(crate) fn is_int_div(f: MathFn) -> bool {
    matches!(
        f,
        MathFn::IntDivBoth | MathFn::IntDivQuotient | MathFn::IntDivRemainder
    )
}
