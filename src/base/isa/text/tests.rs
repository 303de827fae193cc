//! Tests of the assembler and the disassembler.

mod iga;
mod no_panic;
