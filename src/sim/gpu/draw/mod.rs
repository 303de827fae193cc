//! The 3D pipeline: a 3DPRIMITIVE to memory.
//!
//! In:  the state that 3DSTATE_* commands latched, the primitive's parameters. Out: render targets, depth, streams written.
//! Files follow the PRM's units, in the order that data takes:
//!
//! | file | in → out |
//! | --- | --- |
//! | [`state`] | 3DSTATE_* words → what each unit finds at a draw |
//! | [`exec`] | a kernel, a payload, a [`exec::StageFunctions`] → the thread run to its end |
//! | [`clip`] | objects → those that can be seen, cut where they must be |
//! | [`setup`] | objects → the screen: planes, attributes |
//! | [`raster`] | what is set up → covered samples |
//! | [`object`] | the types between the units: vertices ([`object::Vue`]), [`object::Object`], [`object::SetupObject`], [`object::Subspan`] |
//! | `tess` | a patch → `hs`, `te`, `ds` → objects |
//! | `gs` | an object → objects of streams |
//! | `gs_output` | a geometry shader's URB entry → objects and their streams |
//! | `sol` | objects of streams → buffers in memory |
//! | `vf`, `vs`, `assembly` | indices → vertices → objects |
//! | [`pipeline`] | a draw's parameters → all units in their order |
//! | `te` | tessellation factors → domain points, points, lines or triangles of them |
//! | [`urb`] | rows, dwords → handles, and dwords back |
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
