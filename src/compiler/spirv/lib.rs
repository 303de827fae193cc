//! SPIR-V words to checked module to NIR.
//!
//! In:  the words of a module, the name of an entry point, specialization constants.
//! Out: a [`nir::Shader`]: calls inlined, control flow structured, memory accessed through derefs.
//!
//! [`Module::parse`]: `reader` splits the words into instructions and checks them against the
//! grammar; `module` collects sections, functions and blocks. [`Module::to_nir`]: `capabilities`
//! rejects an entry point that uses what the translator lacks, by the requirements in `operands`;
//! `state` holds the translator; `type_table` and `constants` translate globals; `cfg` and
//! `structure` turn each function's graph into a tree of lists; `translate` and `walk` drive;
//! `dispatch` selects the instruction family, and `fast_math` what may be done to its floats:
//! `alu`, `composite`, `matrix`, `glsl450`, `trig`, `memory`, `io`, `image`, `sync`, `subgroup`,
//! `heap`, `stage_specific`, `builtins`; `emit` and `emit_alu` emit NIR.
//!
//! The input is not trusted: an invalid module gives an [`SpirvError`] with a word offset, never a
//! panic. Some modules that spirv-val rejects, but whose meaning is clear, are accepted, because
//! applications use them.
//! Tests: tests/spirv/.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "tests may fail"
    )
)]

mod address;
mod alu;
pub mod asm;
mod bit_fields;
mod builtins;
mod capabilities;
mod cfg;
mod composite;
mod constants;
mod dispatch;
mod emit;
mod emit_alu;
mod error;
mod fast_math;
mod glsl450;
mod grammar;
mod heap;
mod image;
mod inline;
mod integer_dot;
mod integer_functions2;
mod io;
mod matrix;
mod memory;
mod module;
mod operands;
mod reader;
mod stage_specific;
mod state;
mod structure;
mod subgroup;
mod supported;
mod sync;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod translate;
mod trig;
mod type_table;
mod types;
mod value;
mod walk;

pub use error::SpirvError;
pub use module::Module;
pub use translate::Options;
