//! Arithmetic of the command streamer.
//!
//! In:  general purpose registers (GPR). Out: commands that compute with them.
//! Ref: SKL PRM vol. 2a, "MI_MATH"; vol. 2d, "MI_MATH_ALU_INSTRUCTION".

use hw::mi::mi_math;
use hw::state::mi_math_alu_instruction as alu;
use hw::value::state::{mi_math_opcode, mi_math_operand};

use crate::mi::{copy_register, load_register};
use crate::stream::{Stream, StreamMemory};

/// An instruction of the command streamer's ALU.
const fn calculate(opcode: u64, first: u64, second: u64) -> u32 {
    let [word] = alu::words::<1>()
        .with(alu::ALU_OPCODE, opcode)
        .with(alu::OPERAND_1, first)
        .with(alu::OPERAND_2, second)
        .dwords;
    word
}

/// Multiplies GPR 0 by a number that is not 0. The product is in GPR 1.
pub fn multiply<M: StreamMemory>(stream: &mut Stream<M>, factor: u32) -> Result<(), M::Error> {
    // Adds two GPRs into GPR 1.
    let sum = |a: u64, b: u64| {
        [
            mi_math::PACKET.header | 3,
            calculate(mi_math_opcode::LOAD, mi_math_operand::SRCA, a),
            calculate(mi_math_opcode::LOAD, mi_math_operand::SRCB, b),
            calculate(mi_math_opcode::ADD, 0, 0),
            calculate(mi_math_opcode::STORE, 1, mi_math_operand::ACCU),
        ]
    };
    let bits = u32::BITS - factor.leading_zeros();
    // Starts with the highest bit; each further bit doubles, and adds if it is set.
    let mut product = 0;
    for bit in (0..bits.saturating_sub(1)).rev() {
        stream.emit(sum(product, product))?;
        product = 1;
        if factor >> bit & 1 != 0 {
            stream.emit(sum(0, product))?;
        }
    }
    if product == 0 {
        let register = hw::register::CS_GPR0;
        stream.emit(copy_register(register, register + 8))?;
    }
    Ok(())
}

/// Subtracts a number from the 64-bit GPR 0.
pub fn subtract<M: StreamMemory>(stream: &mut Stream<M>, what: u32) -> Result<(), M::Error> {
    let one = hw::register::CS_GPR0 + 8;
    stream.emit(load_register(one, what))?;
    stream.emit(load_register(one + 4, 0))?;
    stream.emit([
        mi_math::PACKET.header | 3,
        calculate(mi_math_opcode::LOAD, mi_math_operand::SRCA, 0),
        calculate(mi_math_opcode::LOAD, mi_math_operand::SRCB, 1),
        calculate(mi_math_opcode::SUB, 0, 0),
        calculate(mi_math_opcode::STORE, 0, mi_math_operand::ACCU),
    ])
}

/// Factor and shift of a division by multiplication: the quotient is the product's high dword,
/// shifted right.
///
/// With `k = 31 + log2(divisor)`, rounded up, the factor is `2^k / divisor`, rounded up. That is
/// exact for dividends below 2^31, and below 2^32 if dividend and divisor are multiples of four.
const fn reciprocal(divisor: u32) -> (u32, u32) {
    let log = u32::BITS - divisor.saturating_sub(1).leading_zeros();
    let power = 1_u128 << (31 + log);
    (power.div_ceil(divisor as u128) as u32, log - 1)
}

/// Divides the low dword of GPR 0 by a number that is not 0. Returns the register that holds the
/// quotient.
pub fn divide<M: StreamMemory>(stream: &mut Stream<M>, divisor: u32) -> Result<u32, M::Error> {
    let zero = hw::register::CS_GPR0;
    if divisor <= 1 {
        return Ok(zero);
    }
    let (factor, shift) = reciprocal(divisor);
    let high = zero + 8 + 4;
    multiply(stream, factor)?;
    if shift == 0 {
        return Ok(high);
    }
    // A right shift is a left shift of which the high dword is taken.
    stream.emit(copy_register(high, zero))?;
    stream.emit(load_register(zero + 4, 0))?;
    multiply(stream, 1 << (u32::BITS - shift))?;
    Ok(high)
}

#[cfg(test)]
mod tests {
    use super::reciprocal;

    fn divided(dividend: u32, divisor: u32) -> u32 {
        let (factor, shift) = reciprocal(divisor);
        let high = (u64::from(dividend) * u64::from(factor)) >> 32;
        (high >> shift) as u32
    }

    #[test]
    fn division_by_multiplication_is_exact() {
        for divisor in 2..=2048 {
            for quotient in [0, 1, 2, 3, 1000, 65_535, u32::MAX / divisor] {
                for more in [0, 1, divisor - 1] {
                    let Some(dividend) = (quotient * divisor).checked_add(more) else {
                        continue;
                    };
                    if dividend < 1 << 31 || (dividend | divisor) % 4 == 0 {
                        let expected = dividend / divisor;
                        assert_eq!(divided(dividend, divisor), expected, "{dividend}/{divisor}");
                    }
                }
            }
        }
    }
}
