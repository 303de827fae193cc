//! Replaces uses of `mov` and `vecN` by uses of their sources.
//!
//! In:  any shader.
//! Out: copies have fewer uses; `opt_dce` removes those without any.
//! Tests: tests/opt/opt_copy_prop/.

use crate::pass::Ctx;
use entity::Id;
use nir::{AluOp, AluSrc, CfEvent, Def, Instr, Shader};

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_copy_prop(s: &mut Shader, _: &Ctx) -> bool {
    let mut changed = false;
    for event in s.layout() {
        match event {
            CfEvent::Block(b) => {
                for k in 0..s.blocks[b].instrs.len() {
                    let id = s.blocks[b].instrs[k];
                    changed |= propagate_to_instr(s, id);
                }
            }
            CfEvent::If(i) => changed |= propagate_to_condition(s, i),
            _ => {}
        }
    }
    changed
}

/// Replaces the condition of an `if` if it is a copy.
pub(crate) fn propagate_to_condition(s: &mut Shader, branch: Id<nir::If>) -> bool {
    let to = whole_copy(s, s.ifs[branch].cond);
    if let Some(to) = to {
        s.ifs[branch].cond = to;
    }
    to.is_some()
}

/// Replaces the copies that one instruction reads.
#[inline]
pub(crate) fn propagate_to_instr(s: &mut Shader, id: Id<nir::Instr>) -> bool {
    // Most instructions read no copy: check that before the mutable walk.
    let mut any = false;
    s.instrs[id].for_each_src(|d| any |= is_copy(s, d));
    any && replace(s, id)
}

fn replace(s: &mut Shader, id: Id<nir::Instr>) -> bool {
    let mut changed = false;
    if let Instr::Alu(alu) = &s.instrs[id] {
        let n = s.defs[alu.def].num_components;
        for k in 0..alu.srcs.len() {
            let Instr::Alu(alu) = &s.instrs[id] else {
                break;
            };
            if !is_copy(s, alu.srcs[k].def) {
                continue;
            }
            let used = usize::from(alu.src_components(k, n));
            let mut src = alu.srcs[k];
            let mut found = false;
            while let Some(next) = copied_source(s, &src, used) {
                src = next;
                found = true;
            }
            if found {
                changed = true;
                if let Instr::Alu(alu) = &mut s.instrs[id] {
                    alu.srcs[k] = src;
                }
            }
        }
        return changed;
    }
    let mut instr = std::mem::replace(&mut s.instrs[id], Instr::Jump(nir::Jump::Return));
    instr.for_each_src_mut(|d| {
        if let Some(to) = whole_copy(s, *d) {
            *d = to;
            changed = true;
        }
    });
    s.instrs[id] = instr;
    changed
}

#[inline]
fn is_copy(s: &Shader, d: Id<Def>) -> bool {
    matches!(s.instr_of(d), Instr::Alu(a) if a.op == AluOp::Mov || a.op.is_vec())
}

/// The source of the copy that `src` reads, for the components that it uses.
fn copied_source(s: &Shader, src: &AluSrc, used: usize) -> Option<AluSrc> {
    let Instr::Alu(copy) = s.instr_of(src.def) else {
        return None;
    };
    let mut out = *src;
    if copy.op == AluOp::Mov {
        out.def = copy.srcs[0].def;
        for c in 0..used {
            out.swizzle[c] = copy.srcs[0].swizzle[usize::from(src.swizzle[c])];
        }
        let last = out.swizzle[used - 1];
        out.swizzle[used..].fill(last);
        return Some(out);
    }
    if copy.op.is_vec() {
        let first = copy.srcs[usize::from(src.swizzle[0])].def;
        for c in 0..used {
            let part = &copy.srcs[usize::from(src.swizzle[c])];
            if part.def != first {
                return None;
            }
            out.swizzle[c] = part.swizzle[0];
        }
        let last = out.swizzle[used - 1];
        out.swizzle[used..].fill(last);
        out.def = first;
        return Some(out);
    }
    None
}

/// The value of which `d` is a copy with all components in order, through any number of copies.
fn whole_copy(s: &Shader, d: Id<Def>) -> Option<Id<Def>> {
    let n = s.defs[d].num_components;
    let mut src = AluSrc::identity(d);
    let mut found = None;
    while let Some(next) = copied_source(s, &src, usize::from(n)) {
        src = next;
        if s.defs[src.def].num_components == n && (0..n).all(|c| src.swizzle[usize::from(c)] == c) {
            found = Some(src.def);
        }
    }
    found
}
