//! The 3D pipeline: a 3DPRIMITIVE to memory.
//!
//! In:  the state that 3DSTATE_* commands latched, the primitive's parameters. Out: render targets, depth, streams written.
//! Files follow the PRM's units, in the order that data takes:
//!
//! | file | in → out |
//! | --- | --- |
//! | [`state`] | 3DSTATE_* words → what each unit finds at a draw |
//! | [`exec`] | a kernel, a payload, a [`exec::Stage`] → the thread run to its end |
//! | [`object`] | the types between the units: vertices ([`object::Vue`]), [`object::Object`], [`object::Setup`], [`object::Subspan`] |
//! | [`urb`] | rows, dwords → handles, and dwords back |
//!
//! Ref: SKL PRM vol. 7, "3D Pipeline Stages"; vol. 2a.

#![allow(
    dead_code,
    reason = "units are built one after the other along this interface"
)]

pub(crate) mod exec;
pub(crate) mod object;
pub(crate) mod state;
pub(crate) mod urb;
