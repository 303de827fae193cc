//! Arithmetic of the command streamer.
//!
//! In:  general registers. Out: commands that calculate with them.
//! Ref: SKL PRM vol. 2a, "MI_MATH"; vol. 2d, "MI_MATH_ALU_INSTRUCTION".

use hw::mi::mi_math;
use hw::state::mi_math_alu_instruction as alu;

use crate::mi::copy_register;
use crate::stream::{Memory, Stream};

/// An instruction of the command streamer's calculator.
const fn calculate(opcode: u64, first: u64, second: u64) -> u32 {
    let [word] = alu::PACKET
        .words::<1>()
        .with(alu::ALU_OPCODE, opcode)
        .with(alu::OPERAND_1, first)
        .with(alu::OPERAND_2, second)
        .dwords;
    word
}

/// Multiplies general register 0 by a number that is not 0: the product is in general register 1.
pub fn multiply<M: Memory>(stream: &mut Stream<M>, factor: u32) -> Result<(), M::Error> {
    const LOAD: u64 = 0x080;
    const ADD: u64 = 0x100;
    const STORE: u64 = 0x180;
    const SOURCE_A: u64 = 0x20;
    const SOURCE_B: u64 = 0x21;
    const ACCUMULATOR: u64 = 0x31;
    // The sum of two general registers, into the second one.
    let sum = |a: u64, b: u64| {
        [
            mi_math::PACKET.header | 3,
            calculate(LOAD, SOURCE_A, a),
            calculate(LOAD, SOURCE_B, b),
            calculate(ADD, 0, 0),
            calculate(STORE, 1, ACCUMULATOR),
        ]
    };
    let bits = u32::BITS - factor.leading_zeros();
    // The highest bit is what there is at first; each further one doubles, and adds if it is set.
    let mut product = 0;
    for bit in (0..bits.saturating_sub(1)).rev() {
        stream.put(sum(product, product))?;
        product = 1;
        if factor >> bit & 1 != 0 {
            stream.put(sum(0, product))?;
        }
    }
    if product == 0 {
        let register = hw::register::CS_GPR0;
        stream.put(copy_register(register, register + 8))?;
    }
    Ok(())
}
