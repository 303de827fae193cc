//! Counts the uses of values.

use entity::IdMap;
use nir::{CfEvent, Def, Shader};

/// The number of uses of each value.
pub(crate) fn use_counts(s: &Shader) -> IdMap<Def, u32> {
    let mut counts: IdMap<Def, u32> = IdMap::for_arena(&s.defs, 0);
    for event in s.layout() {
        match event {
            CfEvent::Block(b) => {
                for &id in &s.blocks[b].instrs {
                    s.instrs[id].for_each_src(|def| counts[def] += 1);
                }
            }
            CfEvent::If(i) => counts[s.ifs[i].cond] += 1,
            _ => {}
        }
    }
    counts
}
