//! Removes phis whose operands are all the same value.
//!
//! In:  any shader.
//! Out: a phi has at least two different operands other than itself. Equal constants count as the
//!      same value, and an undefined operand as the other value, if that dominates the phi.
//! Tests: tests/opt/opt_remove_phis/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_remove_phis(s: &mut Shader, _: &Ctx) -> bool {
    let order = s.block_order();
    let has = order.iter().any(|b| {
        s.blocks[*b]
            .instrs
            .first()
            .is_some_and(|i| matches!(s.instrs[*i], Instr::Phi(_)))
    });
    if !has {
        return false;
    }
    let cfg = Cfg::new(s);
    let mut def_block: IdMap<Instr, Option<Id<Block>>> = IdMap::for_arena(&s.instrs, None);
    for &b in &order {
        for &i in &s.blocks[b].instrs {
            def_block[i] = Some(b);
        }
    }
    let mut to: IdMap<Def, Option<Id<Def>>> = IdMap::for_arena(&s.defs, None);
    let mut changed = false;
    loop {
        let mut found = false;
        for &b in &order {
            let mut k = 0;
            while let Some(&id) = s.blocks[b].instrs.get(k) {
                let Instr::Phi(p) = &s.instrs[id] else { break };
                let Some(value) = single_value(s, &cfg, &to, &def_block, b, p) else {
                    k += 1;
                    continue;
                };
                let def = p.def;
                found = true;
                if s.const_of(value).is_some() && def_block[s.defs[value].instr] != Some(b) {
                    // The constant may not dominate this block: define it here.
                    let values = s.const_of(value).unwrap_or_default().into();
                    s.blocks[b].instrs.remove(k);
                    s.instrs[id] = Instr::Const { def, values };
                    let first_non_phi = s.blocks[b]
                        .instrs
                        .iter()
                        .position(|i| !matches!(s.instrs[*i], Instr::Phi(_)))
                        .unwrap_or(s.blocks[b].instrs.len());
                    s.blocks[b].instrs.insert(first_non_phi, id);
                } else {
                    s.blocks[b].instrs.remove(k);
                    to[def] = Some(value);
                }
            }
        }
        if !found {
            break;
        }
        changed = true;
    }
    if changed {
        s.rewrite_uses(&mut to);
    }
    changed
}

fn single_value(
    s: &Shader,
    cfg: &Cfg,
    to: &IdMap<Def, Option<Id<Def>>>,
    def_block: &IdMap<Instr, Option<Id<Block>>>,
    block: Id<Block>,
    p: &Phi,
) -> Option<Id<Def>> {
    let mut value: Option<Id<Def>> = None;
    let mut undef = None;
    for (_, v) in &p.srcs {
        let mut v = *v;
        while let Some(next) = to[v] {
            v = next;
        }
        if v == p.def {
            continue;
        }
        if matches!(s.instr_of(v), Instr::Undef { .. }) {
            undef = Some(v);
            continue;
        }
        match value {
            None => value = Some(v),
            Some(x) if x == v => {}
            Some(x) if s.const_of(x).is_some() && s.const_of(x) == s.const_of(v) => {}
            Some(_) => return None,
        }
    }
    match (value, undef) {
        (Some(v), None) if p.srcs.len() == 1 => Some(v),
        (Some(v), _) => {
            // Constants are redefined in the block; any other value must be available on every path
            // to the phi.
            let ok = s.const_of(v).is_some()
                || undef.is_none()
                || def_block[s.defs[v].instr]
                    .is_some_and(|h| h != block && cfg.dominates(h, block));
            ok.then_some(v)
        }
        (None, Some(u)) => def_block[s.defs[u].instr]
            .is_some_and(|h| cfg.dominates(h, block) && h != block)
            .then_some(u),
        (None, None) => None,
    }
}
