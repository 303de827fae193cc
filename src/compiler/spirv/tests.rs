//! Tests of the whole front end: from assembly to the interpreter's results.

mod assembler;
mod capabilities;
mod cases;
mod control_flow;
mod heap_types;
mod robustness;
mod untyped_pointers;
mod values;
