//! Removes instructions whose results are not used.
//!
//! In:  any shader.
//! Out: every remaining instruction has side effects or a live use.
//! Tests: tests/opt/opt_dce/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::{CfEvent, Instr, Shader};

/// True if the instruction must be kept even if its result has no uses.
pub(crate) fn has_effect(instr: &Instr) -> bool {
    match instr {
        Instr::Phi(_) => false,
        _ => !instr.effects().can_eliminate(),
    }
}

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_dce(s: &mut Shader, _: &Ctx) -> bool {
    let layout = s.layout();
    let mut live: IdMap<Instr, bool> = IdMap::for_arena(&s.instrs, false);
    // Definitions precede their uses, except for phi operands from a loop's back edge; these are
    // marked afterwards.
    let mut worklist: Vec<Id<Instr>> = Vec::new();
    let (mut total, mut count) = (0, 0);
    let mut mark = |live: &mut IdMap<Instr, bool>, id: Id<Instr>| {
        let new = !std::mem::replace(&mut live[id], true);
        count += usize::from(new);
        new
    };
    for event in layout.iter().rev() {
        match *event {
            CfEvent::Block(b) => {
                total += s.blocks[b].instrs.len();
                for &id in s.blocks[b].instrs.iter().rev() {
                    let instr = &s.instrs[id];
                    if !live[id] {
                        if !has_effect(instr) {
                            continue;
                        }
                        mark(&mut live, id);
                    }
                    let phi = matches!(instr, Instr::Phi(_));
                    instr.for_each_src(|d| {
                        let def_instr = s.defs[d].instr;
                        if mark(&mut live, def_instr) && phi {
                            worklist.push(def_instr);
                        }
                    });
                }
            }
            // The condition precedes both branches.
            CfEvent::If(i) => {
                mark(&mut live, s.defs[s.ifs[i].cond].instr);
            }
            _ => {}
        }
    }
    while let Some(id) = worklist.pop() {
        s.instrs[id].for_each_src(|d| {
            let def_instr = s.defs[d].instr;
            if mark(&mut live, def_instr) {
                worklist.push(def_instr);
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
