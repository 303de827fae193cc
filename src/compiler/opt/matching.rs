//! Whether a rule matches an instruction, and what its variables are then.

use crate::algebra::{Node, VARIABLES, constant_bits, negative};
use crate::rule_set::{Compiled, Maker};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// A component of a def.
type Value = (Id<Def>, u8);

/// What a match has found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match {
    /// Value of each variable: one component of a def.
    pub(crate) vars: [Option<(Id<Def>, u8)>; VARIABLES],
    pub(crate) exact: bool,
    pub(crate) preserve: bool,
}

/// How often values were read when somebody first asked. Rules change that, but only what is gained depends on it.
#[derive(Debug, Default)]
pub(crate) struct Reads(Vec<u32>);

impl Reads {
    fn of(&mut self, s: &Shader, def: Id<Def>) -> u32 {
        if self.0.is_empty() {
            self.0.resize(s.defs.len(), 0);
            for event in s.layout() {
                match event {
                    CfEvent::Block(b) => {
                        for &id in &s.blocks[b].instrs {
                            s.instrs[id].for_each_src(|d| self.0[d.index()] += 1);
                        }
                    }
                    CfEvent::If(i) => self.0[s.ifs[i].cond.index()] += 1,
                    _ => {}
                }
            }
        }
        self.0.get(def.index()).copied().unwrap_or(1)
    }
}

/// Matches a rule at a scalar ALU instruction.
pub(crate) fn matches(s: &Shader, c: &Compiled, alu: &Alu, reads: &mut Reads) -> Option<Match> {
    let orders = 1u32 << c.commuting.len().min(4);
    let mut order = 0;
    while order < orders {
        let mut asked = 0;
        let found = match_in_order(s, c, alu, order, &mut asked, reads);
        if found.is_some() {
            return found;
        }
        // Orders that differ only where it did not get would fail in the same way.
        let failed = order & asked;
        while order < orders && order & asked == failed {
            order += 1;
        }
    }
    None
}

/// Matches with one order of the commuting operands: a bit each. Those that were looked at come back in `asked`.
fn match_in_order(
    s: &Shader,
    c: &Compiled,
    alu: &Alu,
    order: u32,
    asked: &mut u32,
    reads: &mut Reads,
) -> Option<Match> {
    let mut m = Match {
        exact: alu.exact,
        preserve: alu.preserve_nan_inf_sz,
        ..Match::default()
    };
    // What nothing else may read, and which constants have to be negatives of variables: asked last, as few get there.
    let mut alone: SmallVec<[Id<Def>; 2]> = SmallVec::new();
    let mut negatives: SmallVec<[(usize, Value); 2]> = SmallVec::new();
    // (pattern node, value, component); the root is the instruction itself.
    let mut work: SmallVec<[(usize, Id<Def>, u8); 8]> = SmallVec::new();
    let mut operands = |work: &mut SmallVec<_>, m: &Match, at: usize, srcs: &[usize], a: &Alu| {
        let place = c.commuting.iter().position(|n| *n == at);
        let mut swapped = false;
        if let (Some(k), [n0, n1, ..], [s0, s1, ..]) = (place, srcs, a.srcs.as_slice()) {
            let fits = |n: usize, src: &AluSrc| may_be(s, c, m, n, src);
            let straight = fits(*n0, s0) && fits(*n1, s1);
            swapped = match (straight, fits(*n0, s1) && fits(*n1, s0)) {
                // Only here is the order a question.
                (true, true) => {
                    *asked |= 1 << k;
                    order >> k & 1 == 1
                }
                (false, false) => return false,
                (_, across) => across,
            };
        }
        // What has operands itself comes first: it fails most often, and says what variables are.
        for simple in [true, false] {
            for (k, n) in srcs.iter().enumerate() {
                let from = match (k, swapped) {
                    (0, true) => 1,
                    (1, true) => 0,
                    _ => k,
                };
                if matches!(c.find.nodes[*n], Node::Op { .. }) != simple {
                    work.push((*n, a.srcs[from].def, a.srcs[from].swizzle[0]));
                }
            }
        }
        true
    };
    let root = c.find.root();
    if let Node::Op { srcs, .. } = &c.find.nodes[root]
        && !operands(&mut work, &m, root, srcs, alu)
    {
        return None;
    }
    while let Some((at, def, component)) = work.pop() {
        match &c.find.nodes[at] {
            Node::Op { op, srcs, once } => {
                let inner = s.alu_of(def)?;
                if inner.op != *op || s.defs[def].num_components != 1 {
                    return None;
                }
                if *once {
                    alone.push(def);
                }
                m.exact |= inner.exact;
                m.preserve |= inner.preserve_nan_inf_sz;
                if !operands(&mut work, &m, at, srcs, inner) {
                    return None;
                }
            }
            Node::Var {
                number,
                constant,
                boolean,
            } => {
                if *constant && s.const_of(def).is_none() {
                    return None;
                }
                if *boolean && s.defs[def].bit_size != 1 {
                    return None;
                }
                match m.vars[*number] {
                    None => m.vars[*number] = Some((def, component)),
                    Some(v) if same(s, v, (def, component)) => {}
                    Some(_) => return None,
                }
            }
            Node::Negative(number) => negatives.push((*number, (def, component))),
            node @ (Node::Int(_) | Node::Float(_)) => {
                let bits = s.defs[def].bit_size;
                let v = s.const_component(def, component)?;
                if constant_bits(node, bits)? != v {
                    return None;
                }
            }
        }
    }
    let negated =
        |(number, value): &(usize, _)| m.vars[*number].is_some_and(|of| is_negative(s, of, *value));
    let found = negatives.iter().all(negated) && alone.iter().all(|def| reads.of(s, *def) <= 1);
    found.then_some(m)
}

/// Two constants, floats of one size that differ in their signs alone.
fn is_negative(s: &Shader, a: Value, b: Value) -> bool {
    let bits = s.defs[a.0].bit_size;
    let of = |x: Value| s.const_component(x.0, x.1);
    bits == s.defs[b.0].bit_size && of(a).is_some() && of(a) == of(b).map(|b| negative(bits, b))
}
/// One value, or two equal constants.
fn same(s: &Shader, a: Value, b: Value) -> bool {
    a == b
        || s.defs[a.0].bit_size == s.defs[b.0].bit_size
            && s.const_component(a.0, a.1).is_some()
            && s.const_component(a.0, a.1) == s.const_component(b.0, b.1)
}

/// False where a value cannot be what a node of a pattern stands for, as far as can be seen at once.
#[inline]
fn may_be(s: &Shader, c: &Compiled, m: &Match, node: usize, src: &AluSrc) -> bool {
    let (wanted, variable) = c.wants[node];
    if let Some(&Some(known)) = m.vars.get(usize::from(variable))
        && !same(s, known, (src.def, src.swizzle[0]))
    {
        return false;
    }
    wanted == Maker::OTHER || Maker::of(s, src.def) == wanted
}
