//! Patterns over ALU operations: their text, matching, and building.
//!
//! A pattern is `(op operand …)`; an operand is a pattern, a variable (`a`, `b`, …; `#a` only matches a constant,
//! `a1` only a boolean; `-#a` is a constant that is the negative of the float `#a`), or a constant: an integer, a float with a point, `true`, `false`. `(op! …)` is only matched where nothing
//! else reads the result.
//! The same variable must match the same value each time.

use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// What a rule loses: it does not fire where an operation it matches forbids that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inexact(pub u8);

impl Inexact {
    /// Nothing.
    pub const NONE: Inexact = Inexact(0);
    /// The last bits: rounding differs.
    pub const ROUND: Inexact = Inexact(1);
    /// What happens to NaN.
    pub const NAN: Inexact = Inexact(2);
    /// What happens to infinities.
    pub const INF: Inexact = Inexact(4);
    /// The sign of zero.
    pub const SIGN: Inexact = Inexact(8);
    /// Subnormals stay, which the operation flushes where the shader asks for that.
    pub const DENORM: Inexact = Inexact(16);

    /// Both.
    pub const fn or(self, other: Inexact) -> Inexact {
        Inexact(self.0 | other.0)
    }
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Name, for people.
    pub name: &'static str,
    /// What is looked for.
    pub find: &'static str,
    /// What replaces it.
    pub put: &'static str,
    /// Sizes of the operation at the root of `find` (of its operands, where they differ) at which it holds.
    pub bits: &'static [u8],
    /// What is lost.
    pub inexact: Inexact,
}

/// A node of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Op {
        op: AluOp,
        srcs: Vec<usize>,
        once: bool,
    },
    Var {
        number: usize,
        constant: bool,
        boolean: bool,
    },
    /// The negative of a constant variable.
    Negative(usize),
    Int(i64),
    Float(f64),
}

/// A parsed pattern; the last node is its root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) nodes: Vec<Node>,
}

impl Pattern {
    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Reads a pattern. Rules are our own constants: an error is a bug, told by its message.
    pub(crate) fn parse(text: &str) -> Result<Pattern, String> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut p = Pattern::default();
        let mut open: Vec<(AluOp, bool, Vec<usize>)> = Vec::new();
        let mut words = spaced.split_whitespace();
        while let Some(w) = words.next() {
            match w {
                "(" => {
                    let name = words.next().ok_or("an operation is missing")?;
                    let bare = name.strip_suffix('!').unwrap_or(name);
                    let op = AluOp::from_name(bare).ok_or(format!("no operation '{bare}'"))?;
                    open.push((op, bare.len() != name.len(), Vec::new()));
                    continue;
                }
                ")" => {
                    let (op, once, srcs) = open.pop().ok_or("')' closes nothing")?;
                    if srcs.len() != op.info().srcs.len() {
                        return Err(format!("wrong number of operands of {op:?}"));
                    }
                    p.nodes.push(Node::Op { op, srcs, once });
                }
                _ => p.nodes.push(Self::leaf(w)?),
            }
            let at = p.nodes.len() - 1;
            match open.last_mut() {
                Some((_, _, srcs)) => srcs.push(at),
                None if words.next().is_some() => return Err("text behind the pattern".into()),
                None => {}
            }
        }
        if open.is_empty() && !p.nodes.is_empty() {
            Ok(p)
        } else {
            Err("the pattern does not end".into())
        }
    }

    fn leaf(w: &str) -> Result<Node, String> {
        if let Some(of) = w.strip_prefix('-').filter(|of| of.starts_with('#')) {
            return match Self::leaf(of)? {
                Node::Var { number, .. } => Ok(Node::Negative(number)),
                _ => Err(format!("{w}: no variable")),
            };
        }
        let bare = w.strip_prefix('#').unwrap_or(w);
        let mut chars = bare.chars();
        match (chars.next(), chars.as_str()) {
            (Some(c @ 'a'..='h'), rest @ ("" | "1")) => Ok(Node::Var {
                number: c as usize - 'a' as usize,
                constant: bare.len() != w.len(),
                boolean: rest == "1",
            }),
            _ if w == "true" => Ok(Node::Int(1)),
            _ if w == "false" => Ok(Node::Int(0)),
            _ if w.contains('.') => w.parse().map(Node::Float).map_err(|e| format!("{w}: {e}")),
            _ => w.parse().map(Node::Int).map_err(|e| format!("{w}: {e}")),
        }
    }

    /// Bits of what has to make the operands of the root's operands.
    fn below(&self) -> u64 {
        let operands = |n: usize| match &self.nodes[n] {
            Node::Op { srcs, .. } => srcs.as_slice(),
            _ => &[],
        };
        let inner = operands(self.root()).iter().flat_map(|n| operands(*n));
        inner.fold(0, |all, n| all | Maker::wanted(&self.nodes[*n]).bit())
    }

    /// Cost of computing it, by the table. Constants and variables cost nothing.
    #[cfg(test)]
    pub(crate) fn cost(&self) -> u32 {
        self.nodes
            .iter()
            .map(|n| match n {
                Node::Op { op, .. } => u32::from(op.info().cost),
                _ => 0,
            })
            .sum()
    }
}

/// What makes a value, as far as it can decide at once whether a pattern fits: its place among all makers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Maker(u16);

impl Maker {
    /// In a pattern: anything.
    const OTHER: Maker = Maker(0);
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
    fn of(s: &Shader, def: Id<Def>) -> Maker {
        match s.instr_of(def) {
            Instr::Alu(alu) => Maker::op(alu.op),
            Instr::Const { .. } => Maker::CONSTANT,
            _ => Maker::OTHER,
        }
    }
}

/// Most operands of an operation that has rules.
const MAX_OPERANDS: usize = 4;

/// Makers of the operands of an instruction, looked up once for all rules.
#[derive(Debug)]
pub(crate) struct Makers {
    of: [Maker; MAX_OPERANDS],
    count: usize,
    /// Bits of what makes the operands' operands.
    below: u64,
}

impl Makers {
    pub(crate) fn of(s: &Shader, alu: &Alu) -> Makers {
        let mut of = [Maker::OTHER; MAX_OPERANDS];
        let mut below = 0;
        for (maker, src) in of.iter_mut().zip(&alu.srcs) {
            *maker = Maker::of(s, src.def);
            let inner = s.alu_of(src.def).map_or(&[][..], |inner| &inner.srcs);
            for src in inner {
                below |= Maker::of(s, src.def).bit();
            }
        }
        let count = alu.srcs.len().min(MAX_OPERANDS);
        Makers { of, count, below }
    }
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
    wants: Vec<(Maker, u8)>,
    /// Bits of what has to make operands of the root's operands.
    below: u64,
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
        let below = makers.below;
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
            loop {
                while some == 0 {
                    word += 1;
                    if word >= words {
                        return None;
                    }
                    some = word_of(word);
                }
                let n = 64 * word + some.trailing_zeros() as usize;
                some &= some - 1;
                let rule = self.all.get(n)?;
                if rule.below & !below == 0 {
                    return Some((n, rule));
                }
            }
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
            let commuting = (0..find.nodes.len())
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
                    below: find.below(),
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

/// Variables that a pattern may have.
const VARIABLES: usize = 8;
/// The number of none.
const NO_VARIABLE: u8 = VARIABLES as u8;

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

/// Bits of the negative of a float.
pub(crate) fn negative(bits: u8, x: u64) -> u64 {
    x ^ 1 << (bits - 1)
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

/// Bit pattern of a constant of a pattern.
pub(crate) fn constant_bits(node: &Node, bits: u8) -> Option<u64> {
    match *node {
        Node::Int(v) => Some(v as u64 & fold::mask(bits)),
        Node::Float(x) => {
            matches!(bits, 16 | 32 | 64).then(|| fold::round_float(bits, x.into(), false))
        }
        _ => None,
    }
}

/// Bits of every node of a pattern whose root has `root` bits, given those of variables.
/// `None` where they do not follow.
pub(crate) fn node_bits(
    p: &Pattern,
    root: u8,
    var: impl Fn(usize) -> Option<u8>,
) -> Option<SmallVec<[u8; 8]>> {
    let mut bits: SmallVec<[u8; 8]> = SmallVec::from_elem(0, p.nodes.len());
    bits[p.root()] = root;
    for at in (0..p.nodes.len()).rev() {
        match &p.nodes[at] {
            Node::Var { number, .. } | Node::Negative(number) => {
                let v = var(*number)?;
                if bits[at] != 0 && bits[at] != v {
                    return None;
                }
                bits[at] = v;
            }
            Node::Op { op, srcs, .. } => {
                let info = op.info();
                // The size that its operands share: the result's, or a variable's among them.
                let mut same = match info.out.size {
                    Size::Same => bits[at],
                    _ => 0,
                };
                if let Size::Fixed(n) = info.out.size {
                    if bits[at] != 0 && bits[at] != n {
                        return None;
                    }
                    bits[at] = n;
                }
                if same == 0 {
                    same = size_below(p, at, &var).unwrap_or(0);
                }
                for (k, n) in srcs.iter().enumerate() {
                    bits[*n] = match info.srcs[k].ty.size {
                        Size::Same => same,
                        Size::Fixed(n) => n,
                        Size::Free => size_of(p, *n, &var).unwrap_or(0),
                    };
                }
                if info.out.size == Size::Free && bits[at] == 0 {
                    return None;
                }
            }
            Node::Int(_) | Node::Float(_) => {}
        }
    }
    bits.iter().all(|b| *b != 0).then_some(bits)
}

/// Size that an operation's `Same` operands have, from the variables below it.
fn size_below(p: &Pattern, at: usize, var: &impl Fn(usize) -> Option<u8>) -> Option<u8> {
    let Node::Op { op, srcs, .. } = &p.nodes[at] else {
        return None;
    };
    let mut work: SmallVec<[usize; 8]> = SmallVec::new();
    for (k, n) in srcs.iter().enumerate() {
        if op.info().srcs[k].ty.size == Size::Same {
            work.push(*n);
        }
    }
    while let Some(n) = work.pop() {
        match &p.nodes[n] {
            Node::Var { number, .. } | Node::Negative(number) => return var(*number),
            Node::Op { op, srcs, .. } => match op.info().out.size {
                Size::Fixed(b) => return Some(b),
                Size::Same => {
                    for (k, n) in srcs.iter().enumerate() {
                        if op.info().srcs[k].ty.size == Size::Same {
                            work.push(*n);
                        }
                    }
                }
                Size::Free => {}
            },
            _ => {}
        }
    }
    None
}

/// Size of a node from what is below it alone.
fn size_of(p: &Pattern, at: usize, var: &impl Fn(usize) -> Option<u8>) -> Option<u8> {
    match &p.nodes[at] {
        Node::Var { number, .. } | Node::Negative(number) => var(*number),
        Node::Op { op, .. } => match op.info().out.size {
            Size::Fixed(b) => Some(b),
            Size::Same => size_below(p, at, var),
            Size::Free => None,
        },
        _ => None,
    }
}
