//! Scans of a shader.
//!
//! In:  a shader and its layout. Out: its intrinsics, and the map of the vertices it reads.

use abi::VueMap;
use nir::{CfEvent, Instr, Intrinsic, IntrinsicOp, Shader};

/// The VUE map of vertices that have exactly the slots that the shader reads.
pub(crate) fn vue_map_read(sh: &Shader, layout: &[CfEvent]) -> VueMap {
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
pub(crate) fn intrinsics<'a>(
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
