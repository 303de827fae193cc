//! Meta operations: copies, fills, blits and resolves through internal shaders.
//!
//! In:  addresses and sizes. Out: shaders as NIR, which the owner of the pipelines compiles, and
//!      launches of them: surfaces, push constants, workgroups.
//! Ref: Vulkan specification, "Copying Data Between Buffers", "Filling Buffers", "Query Operation",
//!      "Copying Data Between Buffers and Images".
//!
//! Files import one way: `clear` ← `shader_builder` and `launch` ← `buffer` and `texel` ←
//! `memory_box`, `host_texels`, `sampled_copy`, `sample_copy` and `astc_copy` ← `draw_shader` and
//! `shaders`.

mod astc_copy;
mod buffer;
pub mod clear;
mod draw_shader;
mod host_texels;
mod indirect;
mod launch;
mod memory_box;
mod sample_copy;
mod sampled_copy;
mod shader_builder;
mod shaders;
mod texel;

pub use astc_copy::copy_astc_blocks;
pub use buffer::{
    QueryRange, RESULT_64, RESULT_AVAILABILITY, RESULT_PARTIAL, copy_launches, fill_launches,
    query_launch,
};
pub use draw_shader::DrawShader;
pub use host_texels::TexelRun;
pub use indirect::copy_indirect_launches;
pub use launch::{
    AstcCopy, ChannelFormat, DepthStencilFormat, Launch, MAX_BUFFERS, MAX_PUSH_DW, McsResolve,
    MemoryRange, Order, ResolveMode, SHADERS, SampleCopy, SampledCopy, Shader, TexelConversion,
    TexelCopy, ThreeChannelCopy,
};
pub use memory_box::MemoryBox;
/// A shader to be compiled.
pub use nir::Shader as Nir;
pub use sample_copy::{Quads, copy_samples, interleave_sample};
pub use shader_builder::WORKGROUP;
pub use texel::{
    BoxPart, Extent, TexelMemory, box_parts, copy_single_sample, copy_texels,
    copy_three_channel_texels, fill_texels, resolve_depth_stencil, resolve_mcs_texels,
};
