//! `ingot bench codegen`: compares the code of two drivers' compilers for the same shaders.
//!
//! In:  a folder of shaders of all stages, GLSL or SPIR-V. Out: for each stage and SIMD width the
//!      geometric mean of the ratios of instructions, the totals of instructions, messages, spills
//!      and fills, the worst shaders, the creation time of pipelines; and the shaders that only one
//!      of both compiles. With `--run` each shader runs once on the simulated GPU, on the same
//!      inputs with both drivers: executed instructions, messages, and cycles by the simulator's
//!      timing model, and the resources with different results.
//!
//! Each driver runs in its own process, which is restarted after a shader that crashes it. The
//! processes take turns, so that the results of one shader at a time are compared.

mod adjacent_stages;
mod args;
mod compare;
mod contents;
mod device;
mod execute;
mod interface;
mod pipeline;
mod report;
mod resources;
mod results;
mod row;
mod shader_set;
mod texels;
mod vulkan_objects;
mod worker;
mod worker_process;

pub use args::{Args, WorkerArgs};
pub use compare::main;
pub use worker::main as worker;
