//! The interpreter: executes the workgroups of a shader, all invocations of a workgroup in
//! lockstep.
//!
//! In:  a valid shader; buffers, push constants, the number of workgroups, the subgroup size.
//! Out: the buffers as the shader leaves them.
//!
//! All invocations of a workgroup execute each instruction together, under an execution mask that
//! follows structured control flow; a *tangle* is the active part of one subgroup. So a barrier
//! never waits: every invocation that is active has arrived. Memory is bytes; within an
//! instruction, invocations execute in order of their index. Reads out of bounds give 0, writes out
//! of bounds are dropped. Derefs are executed too, so that a shader can run before and after any
//! pass.
//! Ref: SPIR-V "Execution model"; SPV_KHR_maximal_reconvergence for tangles. Tests: tests/opt/,
//!      tests/spirv/run/.

mod access;
mod execution;
mod machine;
mod mask;
mod memory;
mod subgroup;

pub use machine::{InterpError, Machine};
