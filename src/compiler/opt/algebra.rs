//! Patterns over ALU operations: their text, matching, and building.
//!
//! A pattern is `(op operand …)`; an operand is a pattern, a variable (`a`, `b`, …; `#a` only matches a constant,
//! `a1` only a boolean), or a constant: an integer, a float with a point, `true`, `false`. `(op! …)` is only matched where nothing
//! else reads the result.
//! The same variable must match the same value each time.

use nir::*;
use rustc_hash::FxHashMap;
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

/// What makes a value, as far as it can decide at once whether a pattern fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    Op(AluOp),
    Constant,
    /// In a pattern: anything.
    Other,
}

impl Maker {
    fn wanted(node: &Node) -> Maker {
        match node {
            Node::Op { op, .. } => Maker::Op(*op),
            Node::Var { constant: true, .. } | Node::Int(_) | Node::Float(_) => Maker::Constant,
            Node::Var { .. } => Maker::Other,
        }
    }

    fn of(s: &Shader, def: entity::Id<Def>) -> Maker {
        match s.instr_of(def) {
            Instr::Alu(alu) => Maker::Op(alu.op),
            Instr::Const { .. } => Maker::Constant,
            _ => Maker::Other,
        }
    }
}

/// Makers of the operands of an instruction, looked up once for all rules.
#[derive(Debug)]
pub(crate) struct Makers(SmallVec<[Maker; 4]>);

impl Makers {
    pub(crate) fn of(s: &Shader, alu: &Alu) -> Makers {
        Makers(alu.srcs.iter().map(|src| Maker::of(s, src.def)).collect())
    }
}

/// A rule ready for use.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// What makes the root's operands.
    wanted: SmallVec<[Maker; 4]>,
    pub(crate) rule: &'static Rule,
    pub(crate) find: Pattern,
    pub(crate) put: Pattern,
    /// Places in `find` whose operands may be tried in the other order.
    pub(crate) commuting: Vec<usize>,
}

/// Rules by the operation at their root.
#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    by_root: FxHashMap<AluOp, Vec<Compiled>>,
}

impl RuleSet {
    pub(crate) fn new(rules: &'static [Rule]) -> RuleSet {
        let mut set = RuleSet::default();
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
            if let Node::Op { op, srcs, .. } = &find.nodes[find.root()] {
                let wanted = srcs.iter().map(|n| Maker::wanted(&find.nodes[*n]));
                set.by_root.entry(*op).or_default().push(Compiled {
                    wanted: wanted.collect(),
                    rule,
                    find,
                    put,
                    commuting,
                });
            }
        }
        set
    }

    pub(crate) fn of(&self, op: AluOp) -> &[Compiled] {
        self.by_root.get(&op).map_or(&[], |v| v.as_slice())
    }
}

impl Compiled {
    /// False where no order of the operands can match: most rules end here.
    pub(crate) fn may_match(&self, makers: &Makers) -> bool {
        let fits = |wanted: usize, made: usize| {
            let wanted = self.wanted[wanted];
            wanted == Maker::Other || makers.0.get(made) == Some(&wanted)
        };
        if (0..self.wanted.len()).all(|k| fits(k, k)) {
            return true;
        }
        self.commuting.contains(&self.find.root())
            && fits(0, 1)
            && fits(1, 0)
            && (2..self.wanted.len()).all(|k| fits(k, k))
    }
}

/// What a match has found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match {
    /// Value of each variable: one component of a def.
    pub(crate) vars: [Option<(entity::Id<Def>, u8)>; 8],
    pub(crate) exact: bool,
    pub(crate) preserve: bool,
}

/// How often values were read when somebody first asked. Rules change that, but only what is gained depends on it.
#[derive(Debug, Default)]
pub(crate) struct Reads(Vec<u32>);

impl Reads {
    fn of(&mut self, s: &Shader, def: entity::Id<Def>) -> u32 {
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
    // What nothing else may read: asked last, as few get there.
    let mut alone: SmallVec<[entity::Id<Def>; 2]> = SmallVec::new();
    // (pattern node, value); the root is the instruction itself.
    let mut work: SmallVec<[(usize, AluSrc); 8]> = SmallVec::new();
    let mut push =
        |work: &mut SmallVec<[(usize, AluSrc); 8]>, at: usize, srcs: &[usize], a: &Alu| {
            let place = c.commuting.iter().position(|n| *n == at);
            let swapped = place.is_some_and(|k| {
                *asked |= 1 << k;
                order >> k & 1 == 1
            });
            for (k, n) in srcs.iter().enumerate() {
                let from = match (k, swapped) {
                    (0, true) => 1,
                    (1, true) => 0,
                    _ => k,
                };
                work.push((*n, a.srcs[from]));
            }
        };
    let root = c.find.root();
    if let Node::Op { srcs, .. } = &c.find.nodes[root] {
        push(&mut work, root, srcs, alu);
    }
    while let Some((at, src)) = work.pop() {
        let component = src.swizzle[0];
        match &c.find.nodes[at] {
            Node::Op { op, srcs, once } => {
                let inner = s.alu_of(src.def)?;
                if inner.op != *op || s.defs[src.def].num_components != 1 {
                    return None;
                }
                if *once {
                    alone.push(src.def);
                }
                m.exact |= inner.exact;
                m.preserve |= inner.preserve_nan_inf_sz;
                push(&mut work, at, srcs, inner);
            }
            Node::Var {
                number,
                constant,
                boolean,
            } => {
                if *constant && s.const_of(src.def).is_none() {
                    return None;
                }
                if *boolean && s.defs[src.def].bit_size != 1 {
                    return None;
                }
                match m.vars[*number] {
                    None => m.vars[*number] = Some((src.def, component)),
                    Some(v) if v == (src.def, component) => {}
                    Some(v) => {
                        let same = s.defs[v.0].bit_size == s.defs[src.def].bit_size
                            && s.const_component(v.0, v.1).is_some()
                            && s.const_component(v.0, v.1) == s.const_component(src.def, component);
                        if !same {
                            return None;
                        }
                    }
                }
            }
            node @ (Node::Int(_) | Node::Float(_)) => {
                let bits = s.defs[src.def].bit_size;
                let v = s.const_component(src.def, component)?;
                if constant_bits(node, bits)? != v {
                    return None;
                }
            }
        }
    }
    alone.iter().all(|def| reads.of(s, *def) <= 1).then_some(m)
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
            Node::Var { number, .. } => {
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
            Node::Var { number, .. } => return var(*number),
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
        Node::Var { number, .. } => var(*number),
        Node::Op { op, .. } => match op.info().out.size {
            Size::Fixed(b) => Some(b),
            Size::Same => size_below(p, at, var),
            Size::Free => None,
        },
        _ => None,
    }
}
