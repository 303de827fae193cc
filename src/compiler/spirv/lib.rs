//! SPIR-V words to checked module to NIR.
//!
//! In:  the words of a module, the name of an entry point, specialization constants.
//! Out: a [`nir::Shader`]: everything inlined, control flow structured, memory accessed through derefs.
//!
//! The way: [`Module::parse`] (`reader`: words to instructions, checked against the grammar; `module`: sections,
//! functions, blocks), then [`Module::to_nir`] (`state` is what all work on; `type_table`, `constants`; per function
//! `cfg` and `structure`; `translate` and `walk` drive, `dispatch` finds the family; `alu`, `composite`, `matrix`,
//! `glsl450`, `trig`, `memory`, `io`, `image`, `sync`, `group`, `fragment`, `builtins` by instruction family; `emit`
//! and `ops` write NIR).
//!
//! Nothing here trusts its input: a wrong module is an [`SpirvError`] with a word offset.
//! Where drivers meet modules that the validator refuses but whose meaning is clear, they are accepted.
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
mod builtins;
mod call;
#[cfg(test)]
mod case_tests;
mod cfg;
mod composite;
mod constants;
mod dispatch;
mod dot;
mod emit;
mod error;
#[cfg(test)]
mod flow_tests;
mod fragment;
mod glsl450;
mod grammar;
mod group;
mod image;
mod integers;
mod io;
mod matrix;
mod memory;
mod module;
mod ops;
mod reader;
#[cfg(test)]
mod robust_tests;
mod state;
mod structure;
#[cfg(test)]
mod structure_tests;
mod sync;
mod translate;
mod trig;
mod type_table;
mod types;
mod value;
#[cfg(test)]
mod value_tests;
mod walk;

pub use error::SpirvError;
pub use module::Module;
pub use translate::Options;
