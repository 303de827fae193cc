//! An index of the rules: finds those that may match an instruction without matching each pattern.
//!
//! In:  rules as text.
//! Out: [`RuleSet`], which gives, for an instruction, the few rules that
//!      [`crate::algebra::matching`] has to try.

use crate::algebra::pattern::{NO_VARIABLE, Node, Pattern, RewriteRule, constant_bits};
use entity::Id;
use nir::*;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// The kind of instruction that defines a value, as far as it decides whether a pattern can match:
/// an ALU operation, a constant, or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DefKind(u16);

impl DefKind {
    /// Anything else; in a pattern: matches every value.
    pub(crate) const OTHER: DefKind = DefKind(0);
    const CONSTANT: DefKind = DefKind(1);

    #[inline]
    fn op(op: AluOp) -> DefKind {
        DefKind(2 + op as u16)
    }

    fn index(self) -> usize {
        self.0.into()
    }

    /// The bit of this kind in a 64-bit filter, shared by few others; 0 for [`DefKind::OTHER`],
    /// which needs no test.
    #[inline]
    fn bit(self) -> u64 {
        match self {
            DefKind::OTHER => 0,
            DefKind::CONSTANT => 1,
            DefKind(n) => 2 << ((n - 2) % 63),
        }
    }

    fn required_by(node: &Node) -> DefKind {
        match node {
            Node::Op { op, .. } => DefKind::op(*op),
            Node::Var { constant: true, .. } => DefKind::CONSTANT,
            Node::Negative(_) | Node::Int(_) | Node::Float(_) => DefKind::CONSTANT,
            Node::Var { .. } => DefKind::OTHER,
        }
    }

    #[inline]
    pub(crate) fn of_def(s: &Shader, def: Id<Def>) -> DefKind {
        match s.instr_of(def) {
            Instr::Alu(alu) => DefKind::op(alu.op),
            Instr::Const { .. } => DefKind::CONSTANT,
            _ => DefKind::OTHER,
        }
    }
}

/// The ALU operations that occur in a shader: rules with others cannot match.
#[derive(Debug)]
pub(crate) struct PresentOps(Vec<bool>);

impl PresentOps {
    pub(crate) fn new(s: &Shader) -> PresentOps {
        let mut present = PresentOps(vec![false; AluOp::ALL.len()]);
        for (_, instr) in s.instrs.iter() {
            if let Instr::Alu(alu) = instr {
                present.0[alu.op as usize] = true;
            }
        }
        present
    }

    /// Adds the operations of a replacement.
    pub(crate) fn add(&mut self, made: &Pattern) {
        for node in &made.nodes {
            if let Node::Op { op, .. } = node {
                self.0[*op as usize] = true;
            }
        }
    }

    /// True if all operations of a pattern occur.
    pub(crate) fn has(&self, search: &Pattern) -> bool {
        search.nodes.iter().all(|node| match node {
            Node::Op { op, .. } => self.0[*op as usize],
            _ => true,
        })
    }
}

/// Maximum number of operands of an operation at the root of a rule.
const MAX_OPERANDS: usize = 4;

/// The kinds of the operands of an instruction, determined once for all rules.
#[derive(Debug)]
pub(crate) struct OperandKinds {
    kinds: [DefKind; MAX_OPERANDS],
    count: usize,
    /// Filter bits of the operands of the first two operands, computed on first use.
    filters: OnceCell<[u64; 2]>,
}

impl OperandKinds {
    #[inline]
    pub(crate) fn new(s: &Shader, alu: &Alu) -> OperandKinds {
        let mut kinds = [DefKind::OTHER; MAX_OPERANDS];
        for (kind, src) in kinds.iter_mut().zip(&alu.srcs) {
            *kind = DefKind::of_def(s, src.def);
        }
        let count = alu.srcs.len().min(MAX_OPERANDS);
        OperandKinds {
            kinds,
            count,
            filters: OnceCell::new(),
        }
    }

    /// False if the rule needs an operation or constant that is not among the operands of `alu`, or
    /// their operands, so that it cannot match.
    #[inline]
    pub(crate) fn may_match_operands(&self, s: &Shader, alu: &Alu, rule: &CompiledRule) -> bool {
        let [first, second] = rule.filters;
        if first | second != 0 {
            let filters = self.filters.get_or_init(|| filter_below(s, alu));
            let lacks = |a: u64, b: u64| a & !filters[0] | b & !filters[1] != 0;
            if lacks(first, second) && (!rule.commutes || lacks(second, first)) {
                return false;
            }
        }
        if rule.shares_variable && !may_share_operand(s, alu) {
            return false;
        }
        rule.constant.is_none_or(|n| {
            let node = &rule.search.nodes[n];
            alu.srcs.iter().any(|src| {
                let value = s.const_component(src.def, src.swizzle[0]);
                value.is_some() && value == constant_bits(node, s.defs[src.def].bit_size)
            })
        })
    }
}

/// True if an operand of the first operand may be equal to an operand of the second.
fn may_share_operand(s: &Shader, alu: &Alu) -> bool {
    let operand_op = |k: usize| alu.srcs.get(k).and_then(|src| s.alu_of(src.def));
    let (Some(first), Some(second)) = (operand_op(0), operand_op(1)) else {
        return true;
    };
    let may_be_equal = |a: &AluSrc, b: &AluSrc| {
        (a.def, a.swizzle[0]) == (b.def, b.swizzle[0]) || s.const_of(a.def).is_some()
    };
    let found = |a: &AluSrc| second.srcs.iter().any(|b| may_be_equal(a, b));
    first.srcs.iter().any(found)
}

/// Filter bits of the operands of the first two operands of an instruction.
fn filter_below(s: &Shader, alu: &Alu) -> [u64; 2] {
    let mut filters = [0; 2];
    for (bits, src) in filters.iter_mut().zip(&alu.srcs) {
        for src in s.alu_of(src.def).map_or(&[][..], |inner| &inner.srcs) {
            *bits |= DefKind::of_def(s, src.def).bit();
        }
    }
    filters
}

/// A rule, parsed and indexed.
#[derive(Debug)]
pub(crate) struct CompiledRule {
    pub(crate) rule: &'static RewriteRule,
    pub(crate) search: Pattern,
    pub(crate) replace: Pattern,
    /// Nodes of `search` whose first two operands may be swapped.
    pub(crate) commuting: Vec<usize>,
    /// For each node of `search`, the kind that its value needs, and the number of its variable or
    /// [`NO_VARIABLE`].
    pub(crate) required: Vec<(DefKind, u8)>,
    /// Filter bits that the operands of the root's first two operands need. If `commutes`, the two
    /// may be swapped.
    filters: [u64; 2],
    commutes: bool,
    /// The root's two operands have a variable in common.
    shares_variable: bool,
    /// The node of a constant among the root's operands.
    constant: Option<usize>,
}

/// The operands of a node of a pattern.
fn operands(search: &Pattern, node: usize) -> &[usize] {
    match &search.nodes[node] {
        Node::Op { srcs, .. } => srcs,
        _ => &[],
    }
}

/// Filter bits that the operands of the root's first two operands need.
fn required_below(search: &Pattern) -> [u64; 2] {
    let root_operands = operands(search, search.root());
    [0, 1].map(|k: usize| {
        let inner = root_operands
            .get(k)
            .map_or(&[][..], |n| operands(search, *n));
        let bits = inner
            .iter()
            .map(|n| DefKind::required_by(&search.nodes[*n]).bit());
        bits.fold(0, |all, bit| all | bit)
    })
}

/// True if the root has two operands that have a variable in common.
fn has_shared_variable(search: &Pattern) -> bool {
    let [first, second] = operands(search, search.root()) else {
        return false;
    };
    let variable = |n: usize| match search.nodes[n] {
        Node::Var { number, .. } => Some(number),
        _ => None,
    };
    let read = |n: usize| operands(search, n).iter().filter_map(|n| variable(*n));
    read(*first).any(|a| read(*second).any(|b| a == b))
}

/// The node of a constant among the root's operands, if any.
fn constant_operand(search: &Pattern) -> Option<usize> {
    let constant = |n: &usize| matches!(search.nodes[*n], Node::Int(_) | Node::Float(_));
    operands(search, search.root())
        .iter()
        .copied()
        .find(constant)
}

/// A set of rules of one operation, by their numbers.
type RuleBits = SmallVec<[u64; 2]>;

/// The rules with the same operation at their root, in order, with an index by the kinds of their
/// operands.
#[derive(Debug, Default)]
pub(crate) struct OpRules {
    pub(crate) all: Vec<CompiledRule>,
    /// For each operand, the rules that accept a kind there.
    accepts: [KindIndex; MAX_OPERANDS],
    /// Rules whose first two operands may be swapped.
    commuting: RuleBits,
}

/// For one operand: the rules that accept each kind.
#[derive(Debug)]
struct KindIndex {
    /// For each kind, its row of `rows`. Row 0 holds the rules that accept any value, and is used
    /// for kinds that no rule names.
    row: Vec<u16>,
    rows: Vec<RuleBits>,
}

impl Default for KindIndex {
    fn default() -> Self {
        Self {
            row: vec![0; 2 + AluOp::ALL.len()],
            rows: vec![RuleBits::new()],
        }
    }
}

impl KindIndex {
    fn push(&mut self, required: DefKind, word: usize, bit: u64) {
        if required != DefKind::OTHER && self.row[required.index()] == 0 {
            // The number of rows is at most that of kinds, which fits 16 bits.
            self.row[required.index()] = self.rows.len() as u16;
            self.rows.push(self.rows[0].clone());
        }
        // A rule that accepts any value is in every row.
        let (all, own_row) = (required == DefKind::OTHER, self.row[required.index()]);
        for (row, bits) in self.rows.iter_mut().enumerate() {
            bits.resize(bits.len().max(word + 1), 0);
            if all || row == usize::from(own_row) {
                bits[word] |= bit;
            }
        }
    }

    /// The rules that accept this kind, as words of a bit set.
    #[inline]
    fn accepting(&self, kind: DefKind) -> &[u64] {
        let row = self.row.get(kind.index()).copied().unwrap_or(0);
        self.rows.get(usize::from(row)).map_or(&[], |bits| bits)
    }
}

/// The rules, by the operation at their root.
#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    rules: Vec<OpRules>,
    /// For each operation, its index in `rules` plus one, or 0 if it has no rules.
    index: Vec<u16>,
}

impl OpRules {
    fn push(&mut self, rule: CompiledRule) {
        let (word, bit) = (self.all.len() / 64, 1 << (self.all.len() % 64));
        let add = |bits: &mut RuleBits| {
            bits.resize(bits.len().max(word + 1), 0);
            bits[word] |= bit;
        };
        let root = rule.search.root();
        if let Node::Op { srcs, .. } = &rule.search.nodes[root] {
            for (accepts, n) in self.accepts.iter_mut().zip(srcs) {
                accepts.push(DefKind::required_by(&rule.search.nodes[*n]), word, bit);
            }
        }
        if rule.commuting.contains(&root) {
            add(&mut self.commuting);
        }
        self.all.push(rule);
    }

    /// The rules from number `from` on that may match, in some order of their operands, an
    /// instruction with operands of these kinds. Usually very few.
    pub(crate) fn may_match<'a>(
        &'a self,
        kinds: &OperandKinds,
        from: usize,
    ) -> impl Iterator<Item = (usize, &'a CompiledRule)> + use<'a> {
        let accepts = |k: usize, kind: DefKind| self.accepts[k].accepting(kind);
        let [first, second, third, fourth] = kinds.kinds;
        let count = kinds.count;
        // Operands that the instruction does not have are not tested.
        let in_order = [accepts(0, first), accepts(1, second)];
        let swapped = [accepts(0, second), accepts(1, first)];
        let rest = [accepts(2, third), accepts(3, fourth)];
        let matching_word = move |word: usize| {
            let at = |bits: &[u64]| bits.get(word).copied().unwrap_or(0);
            let mut matching = match count {
                0 => u64::MAX,
                1 => at(in_order[0]),
                _ => {
                    at(in_order[0]) & at(in_order[1])
                        | at(&self.commuting) & at(swapped[0]) & at(swapped[1])
                }
            };
            for bits in rest.iter().take(count.saturating_sub(2)) {
                matching &= at(bits);
            }
            matching
        };
        // Rules before `from` have been tried.
        let mut word = from / 64;
        let mut matching = matching_word(word) & u64::MAX << (from % 64);
        let words = self.all.len().div_ceil(64);
        std::iter::from_fn(move || {
            while matching == 0 {
                word += 1;
                if word >= words {
                    return None;
                }
                matching = matching_word(word);
            }
            let n = 64 * word + matching.trailing_zeros() as usize;
            matching &= matching - 1;
            self.all.get(n).map(|rule| (n, rule))
        })
    }
}

impl RuleSet {
    pub(crate) fn new(rules: &'static [RewriteRule]) -> RuleSet {
        let mut set = RuleSet {
            rules: Vec::new(),
            index: vec![0; AluOp::ALL.len()],
        };
        for rule in rules {
            let (search, replace) =
                match (Pattern::parse(rule.search), Pattern::parse(rule.replace)) {
                    (Ok(f), Ok(p)) => (f, p),
                    (f, p) => {
                        debug_assert!(false, "{}: {:?} {:?}", rule.name, f.err(), p.err());
                        continue;
                    }
                };
            let commuting: Vec<usize> = (0..search.nodes.len())
                .filter(|n| match &search.nodes[*n] {
                    Node::Op { op, srcs, .. } => {
                        op.info().props.has(AluProps::COMMUTES)
                            && search.nodes[srcs[0]] != search.nodes[srcs[1]]
                    }
                    _ => false,
                })
                .collect();
            if let Node::Op { op, .. } = search.nodes[search.root()] {
                if set.index[op as usize] == 0 {
                    set.rules.push(OpRules::default());
                    set.index[op as usize] = set.rules.len() as u16;
                }
                let required = search.nodes.iter().map(|node| match node {
                    Node::Var { number, .. } => (DefKind::required_by(node), *number as u8),
                    _ => (DefKind::required_by(node), NO_VARIABLE),
                });
                set.rules[usize::from(set.index[op as usize]) - 1].push(CompiledRule {
                    required: required.collect(),
                    filters: required_below(&search),
                    commutes: commuting.contains(&search.root()),
                    shares_variable: has_shared_variable(&search),
                    constant: constant_operand(&search),
                    rule,
                    search,
                    replace,
                    commuting,
                });
            }
        }
        set
    }

    #[inline]
    pub(crate) fn rules_for(&self, op: AluOp) -> Option<&OpRules> {
        let index = self.index.get(op as usize).copied().unwrap_or(0);
        self.rules.get(usize::from(index).checked_sub(1)?)
    }
}
