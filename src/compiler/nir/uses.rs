//! Def-use chains.
//!
//! In:  a shader. Out: a side map from values to the instructions and ifs that use them. It is not
//!      updated when the shader changes.

use crate::ir::*;
use crate::shader::CfEvent;
use entity::Id;

/// A use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// An operand of an instruction in this block.
    Instr(Id<Instr>, Id<Block>),
    /// The condition of an `if`.
    If(Id<If>),
}

/// Uses of all values, in layout order. An instruction that uses a value twice is listed twice.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Uses of all values, grouped by value.
    all: Vec<Use>,
    /// Index in `all` of each value's first use, and finally the length of `all`.
    start: Vec<u32>,
}

impl Uses {
    /// Collects the uses of all values.
    pub fn new(s: &Shader) -> Uses {
        let layout = s.layout();
        let mut start = vec![0u32; s.defs.len() + 1];
        for_each_use(s, &layout, |d, _| start[d.index() + 1] += 1);
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut next = start.clone();
        let mut all = vec![Use::If(Id::new(0)); start.last().copied().unwrap_or(0) as usize];
        for_each_use(s, &layout, |d, u| {
            all[next[d.index()] as usize] = u;
            next[d.index()] += 1;
        });
        Uses { all, start }
    }

    /// Uses of `def`.
    pub fn get(&self, def: Id<Def>) -> &[Use] {
        match (self.start.get(def.index()), self.start.get(def.index() + 1)) {
            (Some(a), Some(b)) => &self.all[*a as usize..*b as usize],
            _ => &[],
        }
    }
}

fn for_each_use(s: &Shader, layout: &[CfEvent], mut f: impl FnMut(Id<Def>, Use)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

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
        assert_eq!(uses.get(x).len(), 2);
        assert!(matches!(uses.get(c), [Use::If(_)]));
        assert!(matches!(uses.get(y), [Use::Instr(..)]));
    }
}
