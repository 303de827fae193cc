//! Removes components of outputs that the next stage does not read.
//!
//! In:  `store_output` of a vertex, tessellation evaluation or geometry shader, and the inputs of
//!      the next stage ([`Ctx::next_stage_reads`]).
//! Out: only components that are read or captured are stored. (`opt_unread_outputs` has already
//!      removed outputs that are not read at all.)
//! Tests: tests/opt/opt_unread_components/.

use crate::pass::Ctx;
use crate::rewrite::outputs::{move_outputs, outputs_may_move};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_unread_components(s: &mut Shader, ctx: &Ctx) -> bool {
    let Some(reads) = ctx.next_stage_reads.filter(|_| outputs_may_move(s.stage)) else {
        return false;
    };
    let captured: Vec<_> = s
        .info
        .capture
        .dwords
        .iter()
        .map(|c| (c.slot, c.component))
        .collect();
    move_outputs(s, |slot, component| {
        let [smooth, flat] = reads.components_read(slot);
        let read = (smooth | flat) >> component & 1 == 1;
        (read || captured.contains(&(slot, component))).then_some((slot, component))
    })
}
