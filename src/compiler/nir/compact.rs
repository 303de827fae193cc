//! Renumbers a shader densely.
//!
//! In:  a valid shader. Out: the same shader without instructions, blocks, ifs and loops that stand
//!      in no list.

use crate::ir::*;
use crate::shader::CfEvent;
use entity::{Arena, Id};

impl Shader {
    /// The same shader without unreferenced instructions, blocks, ifs and loops: ids are dense and
    /// in layout order. Ids of variables and types do not change.
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
        // Lists that are not complete yet, and then-lists whose else-list is not complete yet.
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
    use crate::builder::Builder;
    use crate::ir::*;
    use crate::shader::ListRef;
    use crate::validate::validate;

    #[test]
    fn compact_drops_removed_instructions() {
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
        let first = s.first_block(ListRef::Body).unwrap();
        s.blocks[first].instrs.remove(0);
        let t = s.compact();
        validate(&t).unwrap();
        assert_eq!(t.defs.len(), s.defs.len() - 1);
        assert_eq!(t.to_string().lines().count(), s.to_string().lines().count());
        assert_eq!(t.compact().to_string(), t.to_string());
    }
}
