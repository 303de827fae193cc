//! Fossilize archives (`*.foz`): the pipelines of recorded applications.
//!
//! In:  a file. Out: the shader stages of its compute and graphics pipelines, each with its module,
//!      entry point, specialization constants and descriptor set layouts.
//! Ref: Fossilize, README.md ("Serialization format"), fossilize_db.cpp (the container),
//!      fossilize.cpp (the JSON of each create-info structure), varint.cpp. Formats 5 and 6.

mod archive;
mod error;
mod pipelines;
mod words;
#[cfg(test)]
#[path = "../tests/fossilize_writer/mod.rs"]
mod writer;

pub use pipelines::{FossilizedStage, Library, SetBinding};
