//! What a shader asks of its thread, found by looking through it once.
//!
//! In:  a shader and the order of its blocks. Out: its intrinsics.

use nir::{CfEvent, Instr, Intrinsic, Shader};

/// The intrinsics of a shader in layout order.
pub(in crate::isel) fn intrinsics<'a>(
    sh: &'a Shader,
    layout: &'a [CfEvent],
) -> impl Iterator<Item = &'a Intrinsic> {
    let blocks = layout.iter().filter_map(|event| match *event {
        CfEvent::Block(b) => Some(b),
        _ => None,
    });
    let instrs = blocks.flat_map(|b| sh.blocks[b].instrs.iter());
    instrs.filter_map(|&i| match &sh.instrs[i] {
        Instr::Intrinsic(intrinsic) => Some(intrinsic),
        _ => None,
    })
}
