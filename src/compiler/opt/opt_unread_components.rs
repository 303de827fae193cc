//! Keeps from the stage behind those components of outputs that it does not read.
//!
//! In:  `store_output` of a vertex, tessellation evaluation or geometry shader, and what the stage behind reads ([`Ctx::read_behind`]).
//! Out: what is read or captured is stored. (Variables that nothing is read of have gone before: `opt_unread_outputs`.)
//! Tests: tests/opt/opt_unread_components/.

use crate::outputs::{is_linked, store_elsewhere};
use crate::pass::Ctx;
use nir::*;

/// Entry point.
pub fn opt_unread_components(s: &mut Shader, ctx: &Ctx) -> bool {
    let Some(reads) = ctx.read_behind.filter(|_| is_linked(s.stage)) else {
        return false;
    };
    let captured: Vec<_> = s
        .info
        .capture
        .dwords
        .iter()
        .map(|c| (c.slot, c.component))
        .collect();
    store_elsewhere(s, |slot, component| {
        let [smooth, flat] = reads.of(slot);
        let read = (smooth | flat) >> component & 1 == 1;
        (read || captured.contains(&(slot, component))).then_some((slot, component))
    })
}
