//! Who reads each value.
//!
//! In:  a shader. Out: a side map from values to the instructions and ifs that read them. It is true until
//! somebody changes the shader.

use crate::ir::*;
use crate::shader::CfEvent;
use entity::{Arena, Id};

/// A reader of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// An instruction, in this block.
    Instr(Id<Instr>, Id<Block>),
    /// The condition of an `if`.
    If(Id<If>),
}

/// Readers of all values, in the order of the shader's text; an instruction that reads a value twice stands twice.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Uses of all values, one value's behind another's.
    all: Vec<Use>,
    /// Where each value's begin; one more than there are values.
    start: Vec<u32>,
}

impl Uses {
    /// Finds the readers of everything.
    pub fn new(s: &Shader) -> Uses {
        let layout = s.layout();
        let mut start = vec![0u32; s.defs.len() + 1];
        each(s, &layout, |d, _| start[d.index() + 1] += 1);
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut next = start.clone();
        let mut all = vec![Use::If(Id::new(0)); start.last().copied().unwrap_or(0) as usize];
        each(s, &layout, |d, u| {
            all[next[d.index()] as usize] = u;
            next[d.index()] += 1;
        });
        Uses { all, start }
    }

    /// Readers of `def`.
    pub fn of(&self, def: Id<Def>) -> &[Use] {
        match (self.start.get(def.index()), self.start.get(def.index() + 1)) {
            (Some(a), Some(b)) => &self.all[*a as usize..*b as usize],
            _ => &[],
        }
    }
}

fn each(s: &Shader, layout: &[CfEvent], mut f: impl FnMut(Id<Def>, Use)) {
    for event in layout {
        match *event {
            CfEvent::Block(b) => {
                for &id in &s.blocks[b].instrs {
                    s.instrs[id].for_each_src(|d| f(d, Use::Instr(id, b)));
                }
            }
            CfEvent::If(i) => f(s.ifs[i].cond, Use::If(i)),
            _ => {}
        }
    }
}

impl Shader {
    /// The same shader without what stands nowhere: ids are dense, in the order of the text.
    /// Variables and types keep theirs.
    pub fn compact(&self) -> Shader {
        let mut out = Shader {
            blocks: Arena::new(),
            instrs: Arena::new(),
            defs: Arena::new(),
            ifs: Arena::new(),
            loops: Arena::new(),
            body: Vec::new(),
            ..self.clone()
        };
        let layout = self.layout();
        let mut def_of = entity::IdMap::for_arena(&self.defs, None);
        let mut block_of = entity::IdMap::for_arena(&self.blocks, None);
        // Lists still open, and then-lists that wait for their else-lists.
        let mut open: Vec<CfList> = vec![Vec::new()];
        let mut thens: Vec<CfList> = Vec::new();
        let mut ifs: Vec<Id<If>> = Vec::new();
        for event in &layout {
            match *event {
                CfEvent::Block(b) => {
                    let mut instrs = Vec::with_capacity(self.blocks[b].instrs.len());
                    for &id in &self.blocks[b].instrs {
                        let new = out.instrs.push(self.instrs[id].clone());
                        instrs.push(new);
                        if let Some(d) = self.instrs[id].def() {
                            def_of[d] = Some(out.defs.push(Def {
                                instr: new,
                                ..self.defs[d]
                            }));
                        }
                    }
                    let new = out.blocks.push(Block { instrs });
                    block_of[b] = Some(new);
                    push(&mut open, CfNode::Block(new));
                }
                CfEvent::If(_) | CfEvent::Loop(_) => open.push(Vec::new()),
                CfEvent::Else(_) => {
                    thens.push(open.pop().unwrap_or_default());
                    open.push(Vec::new());
                }
                CfEvent::EndIf(i) => {
                    let id = out.ifs.push(If {
                        cond: self.ifs[i].cond,
                        then_list: thens.pop().unwrap_or_default(),
                        else_list: open.pop().unwrap_or_default(),
                    });
                    ifs.push(id);
                    push(&mut open, CfNode::If(id));
                }
                CfEvent::EndLoop(_) => {
                    let body = open.pop().unwrap_or_default();
                    let id = out.loops.push(Loop { body });
                    push(&mut open, CfNode::Loop(id));
                }
            }
        }
        out.body = open.pop().unwrap_or_default();
        for (_, instr) in out.instrs.iter_mut() {
            instr.for_each_src_mut(|d| *d = def_of[*d].unwrap_or(*d));
            match instr {
                Instr::Alu(Alu { def, .. })
                | Instr::Const { def, .. }
                | Instr::Undef { def }
                | Instr::Deref(Deref { def, .. })
                | Instr::Intrinsic(Intrinsic { def: Some(def), .. })
                | Instr::Tex(Tex { def, .. })
                | Instr::Phi(Phi { def, .. }) => *def = def_of[*def].unwrap_or(*def),
                Instr::Intrinsic(_) | Instr::Jump(_) => {}
            }
            if let Instr::Phi(p) = instr {
                for src in &mut p.srcs {
                    src.0 = block_of[src.0].unwrap_or(src.0);
                }
            }
        }
        for id in ifs {
            let cond = out.ifs[id].cond;
            out.ifs[id].cond = def_of[cond].unwrap_or(cond);
        }
        out
    }
}

fn push(open: &mut [CfList], node: CfNode) {
    if let Some(list) = open.last_mut() {
        list.push(node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, validate};

    #[test]
    fn uses_are_counted_in_order() {
        let mut s = Shader::new(Stage::Compute, "t");
        let mut b = Builder::at_end(&mut s);
        let c = b.imm_bool(true);
        let x = b.imm_u32(1);
        let y = b.iadd(x, x);
        b.push_if(c);
        b.ineg(y);
        b.pop_if();
        let uses = Uses::new(&s);
        assert_eq!(uses.of(x).len(), 2);
        assert!(matches!(uses.of(c), [Use::If(_)]));
        assert!(matches!(uses.of(y), [Use::Instr(..)]));
    }

    #[test]
    fn compacting_drops_what_stands_nowhere() {
        let mut s = Shader::new(Stage::Compute, "t");
        let mut b = Builder::at_end(&mut s);
        b.imm_u32(7);
        let x = b.imm_u32(1);
        let c = b.imm_bool(false);
        b.push_loop();
        b.push_if(c);
        b.jump(Jump::Break);
        b.pop_if();
        let y = b.ineg(x);
        b.iadd(y, x);
        b.pop_loop();
        let first = s.first_block(crate::ListRef::Body).unwrap();
        s.blocks[first].instrs.remove(0);
        let t = s.compact();
        validate(&t).unwrap();
        assert_eq!(t.defs.len(), s.defs.len() - 1);
        assert_eq!(t.to_string().lines().count(), s.to_string().lines().count());
        assert_eq!(t.compact().to_string(), t.to_string());
    }
}
