//! Bit scans, bitfields and extraction of bytes and words.

use super::words::split_words;
use entity::Id;
use nir::*;

/// Expands a bit operation. `None` for other operations.
pub(super) fn lower_bit_op(
    b: &mut Builder<'_>,
    op: AluOp,
    [x, y, z, w]: [Id<Def>; 4],
    bits: u8,
) -> Option<Id<Def>> {
    use AluOp as Op;
    Some(match op {
        Op::ExtractU8 | Op::ExtractI8 | Op::ExtractU16 | Op::ExtractI16 => extract64(b, op, x, y)?,
        Op::UFindMsb => find_msb(b, x),
        Op::IFindMsb => {
            let bits = b.bits(x);
            let top = b.imm_u32(u32::from(bits) - 1);
            let sign = b.ishr(x, top);
            let v = b.ixor(x, sign);
            find_msb(b, v)
        }
        Op::BitfieldInsert => {
            // A width of 32 is separate: the hardware's bitfields have at most 31 bits.
            let (mask, limit) = (b.bfm(w, z), b.imm_u32(32));
            let field = b.bfi(mask, y, x);
            let all = b.uge(w, limit);
            b.bcsel(all, y, field)
        }
        Op::UBitfieldExtract | Op::IBitfieldExtract => {
            let field = if op == Op::UBitfieldExtract {
                b.ubfe(x, y, z)
            } else {
                b.ibfe(x, y, z)
            };
            let limit = b.imm_u32(32);
            let all = b.uge(z, limit);
            b.bcsel(all, x, field)
        }
        Op::BitfieldReverse if bits == 64 => {
            let (lo, hi) = split_words(b, x);
            let (lo, hi) = (b.bitfield_reverse(lo), b.bitfield_reverse(hi));
            b.pack_64_2x32_split(hi, lo)
        }
        Op::BitfieldReverse => {
            let v = b.u2u(x, 32);
            let v = b.bitfield_reverse(v);
            let shift = b.imm_u32(32 - u32::from(bits));
            let v = b.ushr(v, shift);
            b.u2u(v, bits)
        }
        Op::BitCount if b.bits(x) == 64 => {
            let (lo, hi) = split_words(b, x);
            let (lo, hi) = (b.bit_count(lo), b.bit_count(hi));
            b.iadd(lo, hi)
        }
        Op::FindLsb if b.bits(x) == 64 => {
            let (lo, hi) = split_words(b, x);
            let (l, h) = (b.find_lsb(lo), b.find_lsb(hi));
            // -1, the result for 0, is the largest unsigned number, and `h | 32` leaves it
            // unchanged.
            let bit = b.imm_u32(32);
            let h = b.ior(h, bit);
            b.umin(l, h)
        }
        Op::UClz if b.bits(x) == 64 => {
            let (lo, hi) = split_words(b, x);
            let (l, h) = (b.uclz(lo), b.uclz(hi));
            let zero = b.imm_u32(0);
            let none = b.ieq(hi, zero);
            let l = b.iadd_imm(l, 32);
            b.bcsel(none, l, h)
        }
        Op::BitCount | Op::FindLsb => {
            let v = b.u2u(x, 32);
            b.alu(op, &[v])
        }
        Op::UClz => {
            let extra = 32 - i64::from(b.bits(x));
            let v = b.u2u(x, 32);
            let v = b.uclz(v);
            b.iadd_imm(v, -extra)
        }
        _ => return None,
    })
}

/// `bit size - 1 - leading zeros`, which is -1 for 0.
fn find_msb(b: &mut Builder<'_>, x: Id<Def>) -> Id<Def> {
    let top = i64::from(b.bits(x)) - 1;
    let n = b.uclz(x);
    let n = b.ineg(n);
    b.iadd_imm(n, top)
}

/// Extracts a byte or word of a 64-bit value from the half that holds it: no register region
/// strides over 8 bytes in units of a byte.
fn extract64(b: &mut Builder<'_>, op: AluOp, x: Id<Def>, index: Id<Def>) -> Option<Id<Def>> {
    let index = b.shader.const_component(index, 0)?;
    let (each, signed) = match op {
        AluOp::ExtractU8 => (4, false),
        AluOp::ExtractI8 => (4, true),
        AluOp::ExtractU16 => (2, false),
        _ => (2, true),
    };
    if index >= 2 * each {
        return Some(b.imm_zero(1, 64));
    }
    let (lo, hi) = split_words(b, x);
    let at = b.imm_u32((index % each) as u32);
    let part = b.alu(op, &[if index < each { lo } else { hi }, at]);
    Some(if signed {
        b.i2i(part, 64)
    } else {
        b.u2u(part, 64)
    })
}
