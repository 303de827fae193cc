//! The rules by what they look for: which of them may match an instruction, told at once.
//!
//! In:  rules as text. Out: [`RuleSet`], and for an instruction the few rules that are worth a closer look ([`crate::matching`]).

use crate::algebra::{NO_VARIABLE, Node, Pattern, Rule, constant_bits};
use entity::Id;
use nir::*;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// What makes a value, as far as it can decide at once whether a pattern fits: its place among all makers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maker(u16);

impl Maker {
    /// In a pattern: anything.
    pub(crate) const OTHER: Maker = Maker(0);
    const CONSTANT: Maker = Maker(1);

    #[inline]
    fn op(op: AluOp) -> Maker {
        Maker(2 + op as u16)
    }

    fn index(self) -> usize {
        self.0.into()
    }

    /// A bit that it shares with few others; none where it is nothing to look for.
    #[inline]
    fn bit(self) -> u64 {
        match self {
            Maker::OTHER => 0,
            Maker::CONSTANT => 1,
            Maker(n) => 2 << ((n - 2) % 63),
        }
    }

    fn wanted(node: &Node) -> Maker {
        match node {
            Node::Op { op, .. } => Maker::op(*op),
            Node::Var { constant: true, .. } => Maker::CONSTANT,
            Node::Negative(_) | Node::Int(_) | Node::Float(_) => Maker::CONSTANT,
            Node::Var { .. } => Maker::OTHER,
        }
    }

    #[inline]
    pub(crate) fn of(s: &Shader, def: Id<Def>) -> Maker {
        match s.instr_of(def) {
            Instr::Alu(alu) => Maker::op(alu.op),
            Instr::Const { .. } => Maker::CONSTANT,
            _ => Maker::OTHER,
        }
    }
}

/// Operations that a shader has somewhere: rules that ask for others need not be looked at.
#[derive(Debug)]
pub(crate) struct Present(Vec<bool>);

impl Present {
    pub(crate) fn of(s: &Shader) -> Present {
        let mut present = Present(vec![false; AluOp::ALL.len()]);
        for (_, instr) in s.instrs.iter() {
            if let Instr::Alu(alu) = instr {
                present.0[alu.op as usize] = true;
            }
        }
        present
    }

    /// With those that a pattern makes.
    pub(crate) fn add(&mut self, made: &Pattern) {
        for node in &made.nodes {
            if let Node::Op { op, .. } = node {
                self.0[*op as usize] = true;
            }
        }
    }

    /// True if those of a pattern are there.
    pub(crate) fn has(&self, find: &Pattern) -> bool {
        find.nodes.iter().all(|node| match node {
            Node::Op { op, .. } => self.0[*op as usize],
            _ => true,
        })
    }
}

/// Most operands of an operation that has rules.
const MAX_OPERANDS: usize = 4;

/// Makers of the operands of an instruction, looked up once for all rules.
#[derive(Debug)]
pub(crate) struct Makers {
    of: [Maker; MAX_OPERANDS],
    count: usize,
    /// Bits of what makes the operands of the first two, once somebody has asked.
    below: OnceCell<[u64; 2]>,
}

impl Makers {
    #[inline]
    pub(crate) fn of(s: &Shader, alu: &Alu) -> Makers {
        let mut of = [Maker::OTHER; MAX_OPERANDS];
        for (maker, src) in of.iter_mut().zip(&alu.srcs) {
            *maker = Maker::of(s, src.def);
        }
        let count = alu.srcs.len().min(MAX_OPERANDS);
        Makers {
            of,
            count,
            below: OnceCell::new(),
        }
    }

    /// False if a rule asks for operations or constants that the instruction, whose makers these are, has neither below it nor as
    /// operands.
    #[inline]
    pub(crate) fn may_fit(&self, s: &Shader, alu: &Alu, rule: &Compiled) -> bool {
        let [first, second] = rule.below;
        if first | second != 0 {
            let below = self.below.get_or_init(|| bits_below(s, alu));
            let lacks = |a: u64, b: u64| a & !below[0] | b & !below[1] != 0;
            if lacks(first, second) && (!rule.commutes || lacks(second, first)) {
                return false;
            }
        }
        if rule.shares && !has_shared(s, alu) {
            return false;
        }
        rule.constant.is_none_or(|n| {
            let node = &rule.find.nodes[n];
            alu.srcs.iter().any(|src| {
                let value = s.const_component(src.def, src.swizzle[0]);
                value.is_some() && value == constant_bits(node, s.defs[src.def].bit_size)
            })
        })
    }
}

/// True if an operand of the first operand may be one of the second.
fn has_shared(s: &Shader, alu: &Alu) -> bool {
    let of = |k: usize| alu.srcs.get(k).and_then(|src| s.alu_of(src.def));
    let (Some(first), Some(second)) = (of(0), of(1)) else {
        return true;
    };
    let may_be = |a: &AluSrc, b: &AluSrc| {
        (a.def, a.swizzle[0]) == (b.def, b.swizzle[0]) || s.const_of(a.def).is_some()
    };
    let found = |a: &AluSrc| second.srcs.iter().any(|b| may_be(a, b));
    first.srcs.iter().any(found)
}

fn bits_below(s: &Shader, alu: &Alu) -> [u64; 2] {
    let mut below = [0; 2];
    for (bits, src) in below.iter_mut().zip(&alu.srcs) {
        for src in s.alu_of(src.def).map_or(&[][..], |inner| &inner.srcs) {
            *bits |= Maker::of(s, src.def).bit();
        }
    }
    below
}

/// A rule ready for use.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rule: &'static Rule,
    pub(crate) find: Pattern,
    pub(crate) put: Pattern,
    /// Places in `find` whose operands may be tried in the other order.
    pub(crate) commuting: Vec<usize>,
    /// Of each node of `find` what has to make it, and which variable it is ([`NO_VARIABLE`]: none).
    pub(crate) wants: Vec<(Maker, u8)>,
    /// Bits of what has to make the operands of the root's first two operands, which may be the other way round.
    below: [u64; 2],
    commutes: bool,
    /// Both operands of the root read one variable.
    shares: bool,
    /// A constant among the root's operands.
    constant: Option<usize>,
}

/// Operands of a node of a pattern.
fn operands(find: &Pattern, node: usize) -> &[usize] {
    match &find.nodes[node] {
        Node::Op { srcs, .. } => srcs,
        _ => &[],
    }
}

/// Bits of what has to make the operands of the root's first two operands.
fn wanted_below(find: &Pattern) -> [u64; 2] {
    let of_root = operands(find, find.root());
    [0, 1].map(|k: usize| {
        let inner = of_root.get(k).map_or(&[][..], |n| operands(find, *n));
        let bits = inner.iter().map(|n| Maker::wanted(&find.nodes[*n]).bit());
        bits.fold(0, |all, bit| all | bit)
    })
}

/// True if the root has two operands that read one variable.
fn wants_shared(find: &Pattern) -> bool {
    let [first, second] = operands(find, find.root()) else {
        return false;
    };
    let variable = |n: usize| match find.nodes[n] {
        Node::Var { number, .. } => Some(number),
        _ => None,
    };
    let read = |n: usize| operands(find, n).iter().filter_map(|n| variable(*n));
    read(*first).any(|a| read(*second).any(|b| a == b))
}

/// The constant among the root's operands, if there is one.
fn wanted_constant(find: &Pattern) -> Option<usize> {
    let constant = |n: &usize| matches!(find.nodes[*n], Node::Int(_) | Node::Float(_));
    operands(find, find.root()).iter().copied().find(constant)
}

/// A set of rules of one operation: a bit for each.
type Bits = SmallVec<[u64; 2]>;

/// Rules with the same operation at their root, in order, and what tells at once which of them may match.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    pub(crate) all: Vec<Compiled>,
    /// Those that take an operand, by its place.
    takes: [Takes; MAX_OPERANDS],
    /// Those that may be tried with the first two operands in the other order.
    commuting: Bits,
}

/// Rules that take an operand, by what makes it.
#[derive(Debug)]
struct Takes {
    /// Row of each maker, by its index: of those that no rule asks for, the first, which are the rules that take anything.
    row: Vec<u16>,
    rows: Vec<Bits>,
}

impl Default for Takes {
    fn default() -> Self {
        Self {
            row: vec![0; 2 + AluOp::ALL.len()],
            rows: vec![Bits::new()],
        }
    }
}

impl Takes {
    fn push(&mut self, wanted: Maker, word: usize, bit: u64) {
        if wanted != Maker::OTHER && self.row[wanted.index()] == 0 {
            // There are fewer rows than makers.
            self.row[wanted.index()] = self.rows.len() as u16;
            self.rows.push(self.rows[0].clone());
        }
        // Who takes anything takes what others ask for, too.
        let (all, one) = (wanted == Maker::OTHER, self.row[wanted.index()]);
        for (row, bits) in self.rows.iter_mut().enumerate() {
            bits.resize(bits.len().max(word + 1), 0);
            if all || row == usize::from(one) {
                bits[word] |= bit;
            }
        }
    }

    /// Those that take what this makes: a bit each, in as many words as there are.
    #[inline]
    fn of(&self, maker: Maker) -> &[u64] {
        let row = self.row.get(maker.index()).copied().unwrap_or(0);
        self.rows.get(usize::from(row)).map_or(&[], |bits| bits)
    }
}

/// Rules by the operation at their root.
#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    rules: Vec<Rules>,
    /// Which of these an operation has, and one; 0: it has none.
    of: Vec<u16>,
}

impl Rules {
    fn push(&mut self, rule: Compiled) {
        let (word, bit) = (self.all.len() / 64, 1 << (self.all.len() % 64));
        let add = |bits: &mut Bits| {
            bits.resize(bits.len().max(word + 1), 0);
            bits[word] |= bit;
        };
        let root = rule.find.root();
        if let Node::Op { srcs, .. } = &rule.find.nodes[root] {
            for (takes, n) in self.takes.iter_mut().zip(srcs) {
                takes.push(Maker::wanted(&rule.find.nodes[*n]), word, bit);
            }
        }
        if rule.commuting.contains(&root) {
            add(&mut self.commuting);
        }
        self.all.push(rule);
    }

    /// Those from number `from` on that may match in some order of their operands, by what makes these: few do.
    pub(crate) fn may_match<'a>(
        &'a self,
        makers: &Makers,
        from: usize,
    ) -> impl Iterator<Item = (usize, &'a Compiled)> + use<'a> {
        let takes = |k: usize, maker: Maker| self.takes[k].of(maker);
        let [first, second, third, fourth] = makers.of;
        let count = makers.count;
        // An operand that is not there asks for nothing.
        let straight = [takes(0, first), takes(1, second)];
        let swapped = [takes(0, second), takes(1, first)];
        let rest = [takes(2, third), takes(3, fourth)];
        let word_of = move |word: usize| {
            let at = |bits: &[u64]| bits.get(word).copied().unwrap_or(0);
            let mut some = match count {
                0 => u64::MAX,
                1 => at(straight[0]),
                _ => {
                    at(straight[0]) & at(straight[1])
                        | at(&self.commuting) & at(swapped[0]) & at(swapped[1])
                }
            };
            for bits in rest.iter().take(count.saturating_sub(2)) {
                some &= at(bits);
            }
            some
        };
        // Those before `from` have been tried.
        let mut word = from / 64;
        let mut some = word_of(word) & u64::MAX << (from % 64);
        let words = self.all.len().div_ceil(64);
        std::iter::from_fn(move || {
            while some == 0 {
                word += 1;
                if word >= words {
                    return None;
                }
                some = word_of(word);
            }
            let n = 64 * word + some.trailing_zeros() as usize;
            some &= some - 1;
            self.all.get(n).map(|rule| (n, rule))
        })
    }
}

impl RuleSet {
    pub(crate) fn new(rules: &'static [Rule]) -> RuleSet {
        let mut set = RuleSet {
            rules: Vec::new(),
            of: vec![0; AluOp::ALL.len()],
        };
        for rule in rules {
            let (find, put) = match (Pattern::parse(rule.find), Pattern::parse(rule.put)) {
                (Ok(f), Ok(p)) => (f, p),
                (f, p) => {
                    debug_assert!(false, "{}: {:?} {:?}", rule.name, f.err(), p.err());
                    continue;
                }
            };
            let commuting: Vec<usize> = (0..find.nodes.len())
                .filter(|n| match &find.nodes[*n] {
                    Node::Op { op, srcs, .. } => {
                        op.info().props.has(Props::COMMUTES)
                            && find.nodes[srcs[0]] != find.nodes[srcs[1]]
                    }
                    _ => false,
                })
                .collect();
            if let Node::Op { op, .. } = find.nodes[find.root()] {
                if set.of[op as usize] == 0 {
                    set.rules.push(Rules::default());
                    set.of[op as usize] = set.rules.len() as u16;
                }
                let wants = find.nodes.iter().map(|node| match node {
                    Node::Var { number, .. } => (Maker::wanted(node), *number as u8),
                    _ => (Maker::wanted(node), NO_VARIABLE),
                });
                set.rules[usize::from(set.of[op as usize]) - 1].push(Compiled {
                    wants: wants.collect(),
                    below: wanted_below(&find),
                    commutes: commuting.contains(&find.root()),
                    shares: wants_shared(&find),
                    constant: wanted_constant(&find),
                    rule,
                    find,
                    put,
                    commuting,
                });
            }
        }
        set
    }

    #[inline]
    pub(crate) fn of(&self, op: AluOp) -> Option<&Rules> {
        let place = self.of.get(op as usize).copied().unwrap_or(0);
        self.rules.get(usize::from(place).checked_sub(1)?)
    }
}
