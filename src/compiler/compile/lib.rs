//! One call from SPIR-V and a key to a [`ShaderBinary`](abi::ShaderBinary).
//!
//! In:  SPIR-V words, and a [`CompileKey`]: everything else that the machine code depends on.
//! Out: a [`ShaderBinary`](abi::ShaderBinary); [`CompileKey::hash`] identifies it in caches.

mod error;
mod front_end;
mod key;
mod pipeline;
mod reflect;
#[cfg(test)]
mod tests;

pub use abi::DescriptorKind;
pub use error::CompileError;
pub use fs::{Options as Backend, supports};
pub use key::{API_SUBGROUP_SIZE, CompileKey, SubgroupSize, hash_bytes, identify};
pub use nir::{COVERAGE_OF_COMMANDS, InputsRead, Stage, TessInfo};
pub use opt::RobustBuffers;
pub use pipeline::{DumpSink, TranslatedShader, compile, compile_nir, compile_with_dumps};
pub use reflect::{
    compute_entry_points, default_layout, described, entry_points, tess_modes, workgroup_size,
};
