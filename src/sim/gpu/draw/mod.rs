//! The 3D pipeline: from a 3DPRIMITIVE to memory.
//!
//! In:  the state that 3DSTATE_* commands latched, the primitive's parameters. Out: render targets,
//!      depth and stencil buffers, stream output buffers. Files follow the PRM's units, in the
//!      order in which data passes through them:
//!
//! | file | in → out |
//! | --- | --- |
//! | [`exec`] | a kernel, a payload, [`exec::StageFunctions`] → the thread run to its end |
//! | [`constants`] | 3DSTATE_CONSTANT_* → push constants |
//! | [`object`] | vertices, objects and subspans, which the units pass on |
//! | [`pipeline`] | a draw's parameters → all units in their order |
//! | `vf`, `vs`, `assembly` | indices → vertices → objects |
//! | `vertex_reuse` | indices → each distinct index once |
//! | `tess` | a patch → `hs`, `te`, `ds` → objects |
//! | `te` | tessellation factors → domain points, and the points, lines or triangles between them |
//! | `gs` | an object → objects with a stream each |
//! | `gs_output` | a geometry shader's URB entry → objects and their streams |
//! | [`sol`] | objects of streams → buffers in memory |
//! | [`clip`] | objects → the visible ones, cut at the clip planes |
//! | [`setup`] | objects → screen positions, planes, attributes |
//! | [`raster`] | set-up objects → covered samples |
//! | [`pixel`] | covered samples → pixel shader threads, render targets, depth and stencil |
//! | [`urb`], `urb_message` | URB entries, and the messages that read and write them |
//!
//! Ref: SKL PRM vol. 7, "3D Pipeline Stages"; vol. 2a.

mod assembly;
pub(crate) mod clip;
pub(crate) mod constants;
mod ds;
pub(crate) mod exec;
mod gs;
mod gs_output;
mod hs;
pub(crate) mod object;
pub(crate) mod pipeline;
pub(crate) mod pixel;
pub(crate) mod raster;
pub(crate) mod setup;
pub(crate) mod sol;
mod te;
mod tess;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod urb;
mod urb_message;
mod vertex_reuse;
mod vf;
mod vs;
