//! One call from SPIR-V and a key to a [`ShaderBinary`](abi::ShaderBinary).
//!
//! In:  SPIR-V words, and a [`Key`]: everything else that the machine code depends on.
//! Out: a [`ShaderBinary`](abi::ShaderBinary); [`Key::hash`] identifies it in caches.

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
pub use key::{API_SUBGROUP_SIZE, Key, SubgroupSize, identify};
pub use nir::{Reads, Stage, TessInfo};
pub use pipeline::{Sink, TranslatedShader, compile, compile_nir, compile_with_dumps};
pub use reflect::{
    compute_entry_points, default_layout, described, entry_points, tess_modes, workgroup_size,
};
