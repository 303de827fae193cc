//! What a shader asks of its thread, found by looking through it once.
//!
//! In:  a shader and the order of its blocks. Out: its intrinsics, and the map of vertices that have what it reads.

use abi::VueMap;
use nir::{CfEvent, Instr, Intrinsic, IntrinsicOp, Shader};

/// The map of vertices that have all that the shader reads of them, and nothing else.
pub(in crate::isel) fn vertices_read(sh: &Shader, layout: &[CfEvent]) -> VueMap {
    let reads = intrinsics(sh, layout).filter(|i| i.op == IntrinsicOp::LoadPerVertexInput);
    let mut slots = 0u128;
    for i in reads {
        let first = i.index("location");
        for slot in first..first + i.index("num_slots").max(1) {
            slots |= 1u128.checked_shl(slot).unwrap_or(0);
        }
    }
    VueMap::new(slots)
}

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
