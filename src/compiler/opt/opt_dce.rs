//! Removes instructions whose value nobody reads and that do nothing else.
//!
//! In:  any shader. Out: every instruction left has an effect or a live use.
//! Tests: tests/opt/opt_dce/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::{CfEvent, Instr, Shader};

/// True if the instruction must stay though nobody reads its value.
pub(crate) fn has_effect(instr: &Instr) -> bool {
    match instr {
        Instr::Phi(_) => false,
        _ => !instr.effects().can_eliminate(),
    }
}

/// Entry point.
pub fn opt_dce(s: &mut Shader, _: &Ctx) -> bool {
    let layout = s.layout();
    let mut live: IdMap<Instr, bool> = IdMap::for_arena(&s.instrs, false);
    let mut work: Vec<Id<Instr>> = Vec::new();
    let mut total = 0;
    for event in &layout {
        match *event {
            CfEvent::Block(b) => {
                total += s.blocks[b].instrs.len();
                for &id in &s.blocks[b].instrs {
                    if has_effect(&s.instrs[id]) {
                        live[id] = true;
                        work.push(id);
                    }
                }
            }
            CfEvent::If(i) => {
                let id = s.defs[s.ifs[i].cond].instr;
                if !live[id] {
                    live[id] = true;
                    work.push(id);
                }
            }
            _ => {}
        }
    }
    let mut count = 0;
    while let Some(id) = work.pop() {
        count += 1;
        s.instrs[id].for_each_src(|d| {
            let maker = s.defs[d].instr;
            if !live[maker] {
                live[maker] = true;
                work.push(maker);
            }
        });
    }
    if count == total {
        return false;
    }
    for event in &layout {
        if let CfEvent::Block(b) = *event {
            s.blocks[b].instrs.retain(|id| live[*id]);
        }
    }
    true
}
