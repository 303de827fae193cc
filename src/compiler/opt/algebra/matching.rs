//! Matches rules against instructions, and binds their variables.

use crate::algebra::pattern::{Node, VARIABLES, constant_bits, negate_float};
use crate::algebra::rule_set::{CompiledRule, DefKind};
use crate::analysis::number::is_number;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// A component of a def.
type Value = (Id<Def>, u8);

/// The result of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match {
    /// The value bound to each variable: one component of a def.
    pub(crate) vars: [Option<(Id<Def>, u8)>; VARIABLES],
    pub(crate) exact: bool,
    pub(crate) preserve: bool,
}

/// The number of uses of each value, counted on first use. Rules change the counts, but that only
/// affects how much a rule gains, not whether it is correct.
#[derive(Debug, Default)]
pub(crate) struct UseCounts(Vec<u32>);

impl UseCounts {
    fn count(&mut self, s: &Shader, def: Id<Def>) -> u32 {
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
pub(crate) fn match_rule(
    s: &Shader,
    c: &CompiledRule,
    alu: &Alu,
    uses: &mut UseCounts,
) -> Option<Match> {
    let orders = 1u32 << c.commuting.len().min(4);
    let mut order = 0;
    while order < orders {
        let mut decided = 0;
        let found = match_in_order(s, c, alu, order, &mut decided, uses);
        if found.is_some() {
            return found;
        }
        // Orders that agree in the swaps decided before the failure would fail in the same way.
        let failed = order & decided;
        while order < orders && order & decided == failed {
            order += 1;
        }
    }
    None
}

/// Matches with one order of the operands that may be swapped, a bit for each. Sets the bits in
/// `decided` on which the result depends.
fn match_in_order(
    s: &Shader,
    c: &CompiledRule,
    alu: &Alu,
    order: u32,
    decided: &mut u32,
    uses: &mut UseCounts,
) -> Option<Match> {
    let mut m = Match {
        exact: alu.exact,
        preserve: alu.preserve_nan_inf_sz,
        ..Match::default()
    };
    // Values that may have no other use, and constants that have to be negatives of variables. They
    // are checked last, because few attempts get that far.
    let mut must_be_single_use: SmallVec<[Id<Def>; 2]> = SmallVec::new();
    let mut negatives: SmallVec<[(usize, Value); 2]> = SmallVec::new();
    // (pattern node, value, component); the root is the instruction itself.
    let mut work: SmallVec<[(usize, Id<Def>, u8); 8]> = SmallVec::new();
    let mut push_operands =
        |work: &mut SmallVec<_>, m: &Match, at: usize, srcs: &[usize], a: &Alu| {
            let Some(swapped) = is_swapped(s, c, m, at, srcs, a, order, decided) else {
                return false;
            };
            // Operations are pushed last and so matched first: they fail most often, and they bind
            // variables.
            for operations_last in [true, false] {
                for (k, n) in srcs.iter().enumerate() {
                    let from = match (k, swapped) {
                        (0, true) => 1,
                        (1, true) => 0,
                        _ => k,
                    };
                    if matches!(c.search.nodes[*n], Node::Op { .. }) != operations_last {
                        work.push((*n, a.srcs[from].def, a.srcs[from].swizzle[0]));
                    }
                }
            }
            true
        };
    let root = c.search.root();
    if let Node::Op { srcs, .. } = &c.search.nodes[root]
        && !push_operands(&mut work, &m, root, srcs, alu)
    {
        return None;
    }
    while let Some((at, def, component)) = work.pop() {
        match &c.search.nodes[at] {
            Node::Op {
                op,
                srcs,
                single_use,
            } => {
                let inner = s.alu_of(def)?;
                if inner.op != *op || s.defs[def].num_components != 1 {
                    return None;
                }
                if *single_use {
                    must_be_single_use.push(def);
                }
                m.exact |= inner.exact;
                m.preserve |= inner.preserve_nan_inf_sz;
                if !push_operands(&mut work, &m, at, srcs, inner) {
                    return None;
                }
            }
            Node::Var {
                number,
                constant,
                boolean,
                not_nan,
            } => {
                if *constant && s.const_of(def).is_none() {
                    return None;
                }
                if *not_nan && !is_number(s, def, component) {
                    return None;
                }
                if *boolean && s.defs[def].bit_size != 1 {
                    return None;
                }
                if !bind_variable(s, &mut m, *number, (def, component)) {
                    return None;
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
    let negated = |(number, value): &(usize, _)| {
        m.vars[*number].is_some_and(|variable| is_negative(s, variable, *value))
    };
    let found = negatives.iter().all(negated)
        && must_be_single_use
            .iter()
            .all(|def| uses.count(s, *def) <= 1);
    found.then_some(m)
}

/// Binds a variable to a value. False if it is already bound to a different one.
#[inline]
fn bind_variable(s: &Shader, m: &mut Match, number: usize, value: Value) -> bool {
    match m.vars[number] {
        None => {
            m.vars[number] = Some(value);
            true
        }
        Some(bound) => same_value(s, bound, value),
    }
}

/// True if the first two operands of node `at` have to be matched in swapped order; `None` if
/// neither order can match. If both may, `order` decides, and the node's bit of `decided` is set.
#[inline]
fn is_swapped(
    s: &Shader,
    c: &CompiledRule,
    m: &Match,
    at: usize,
    srcs: &[usize],
    a: &Alu,
    order: u32,
    decided: &mut u32,
) -> Option<bool> {
    let commuting = c.commuting.iter().position(|n| *n == at);
    let (Some(k), [n0, n1, ..], [s0, s1, ..]) = (commuting, srcs, a.srcs.as_slice()) else {
        return Some(false);
    };
    let may_match = |n: usize, src: &AluSrc| may_match_node(s, c, m, n, src);
    let in_order = may_match(*n0, s0) && may_match(*n1, s1);
    match (in_order, may_match(*n0, s1) && may_match(*n1, s0)) {
        (true, true) => {
            *decided |= 1 << k;
            Some(order >> k & 1 == 1)
        }
        (false, false) => None,
        (_, in_swapped_order) => Some(in_swapped_order),
    }
}

/// True if two values are constant floats of the same size that differ only in their signs.
fn is_negative(s: &Shader, a: Value, b: Value) -> bool {
    let bits = s.defs[a.0].bit_size;
    let constant = |x: Value| s.const_component(x.0, x.1);
    bits == s.defs[b.0].bit_size
        && constant(a).is_some()
        && constant(a) == constant(b).map(|b| negate_float(bits, b))
}
/// True if two values are the same, or equal constants.
fn same_value(s: &Shader, a: Value, b: Value) -> bool {
    a == b
        || s.defs[a.0].bit_size == s.defs[b.0].bit_size
            && s.const_component(a.0, a.1).is_some()
            && s.const_component(a.0, a.1) == s.const_component(b.0, b.1)
}

/// False if a value cannot match a node of a pattern, judging by its kind and the variables bound
/// so far.
#[inline]
fn may_match_node(s: &Shader, c: &CompiledRule, m: &Match, node: usize, src: &AluSrc) -> bool {
    let (required, variable) = c.required[node];
    if let Some(&Some(known)) = m.vars.get(usize::from(variable))
        && !same_value(s, known, (src.def, src.swizzle[0]))
    {
        return false;
    }
    required == DefKind::OTHER || DefKind::of_def(s, src.def) == required
}
