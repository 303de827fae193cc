//! The words of the LIR text that the assembler does not have. Types, modifiers, math functions and
//! registers have the assembler's words ([`isa::names`]).

use hw::Gen;
use isa::ArfReg;
use isa::names::ARFS;

/// Generations with message registers. Those of gen4.5 are like those of gen5.
pub(super) const MRF_GENS: &[(Gen, &str)] = &[
    (Gen::Gen4, "gen4"),
    (Gen::Gen5, "gen5"),
    (Gen::Gen6, "gen6"),
];

#[cfg(any(test, debug_assertions))]
const ARF_REGS: [ArfReg; 14] = [
    ArfReg::Null,
    ArfReg::Address,
    ArfReg::Accumulator,
    ArfReg::Flag,
    ArfReg::ChannelEnable,
    ArfReg::MessageControl,
    ArfReg::StackPointer,
    ArfReg::State,
    ArfReg::Control,
    ArfReg::Notification,
    ArfReg::InstructionPointer,
    ArfReg::ThreadDependency,
    ArfReg::Timestamp,
    ArfReg::FlowControl,
];

/// The assembler's name of an architecture register, without its index.
pub(super) fn arf_name(reg: ArfReg) -> &'static str {
    let row = ARFS.iter().find(|row| row.high == reg as u8);
    row.map_or("?", |row| row.name)
}

/// The architecture register with this name.
#[cfg(any(test, debug_assertions))]
pub(super) fn arf_by_name(name: &str) -> Option<ArfReg> {
    ARF_REGS.into_iter().find(|reg| arf_name(*reg) == name)
}
