//! Patterns over ALU operations: parser, and inference of the bit sizes of their nodes.
//!
//! A pattern is `(op operand …)`. An operand is a pattern, a variable or a constant. Variables are
//! `a` to `h`; `#a` only matches a constant, `a1` only a boolean, `an` only a float that cannot be
//! NaN, and `-#a` the negative of the constant float `#a`. Constants are integers, floats (with a
//! decimal point), `true` and `false`. `(op! …)` only matches if the result has no other use. A
//! variable that occurs several times must match the same value each time.

use nir::*;
use smallvec::SmallVec;

/// What a rule does not preserve. A rule is not applied if one of the matched operations requires
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inexact(pub u8);

impl Inexact {
    /// The rule is exact.
    pub const NONE: Inexact = Inexact(0);
    /// Rounding: the last bits differ.
    pub const ROUND: Inexact = Inexact(1);
    /// The results for NaN operands.
    pub const NAN: Inexact = Inexact(2);
    /// The results for infinities.
    pub const INF: Inexact = Inexact(4);
    /// The sign of zero.
    pub const SIGN: Inexact = Inexact(8);
    /// Flushing: the rule removes an operation that flushes subnormals where the float controls ask
    /// for it.
    pub const DENORM: Inexact = Inexact(16);

    /// The union of both.
    pub const fn or(self, other: Inexact) -> Inexact {
        Inexact(self.0 | other.0)
    }
}

/// A rewrite rule.
#[derive(Clone, Copy, Debug)]
pub struct RewriteRule {
    /// Name, for messages.
    pub name: &'static str,
    /// The pattern to match.
    pub search: &'static str,
    /// The replacement pattern.
    pub replace: &'static str,
    /// Bit sizes at which the rule holds: of the operation at the root of `search`, or of its
    /// operands if its own result has a fixed size.
    pub bits: &'static [u8],
    /// What the rule does not preserve.
    pub inexact: Inexact,
}

/// A node of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Op {
        op: AluOp,
        srcs: Vec<usize>,
        single_use: bool,
    },
    Var {
        number: usize,
        constant: bool,
        boolean: bool,
        /// The value is a float that cannot be NaN.
        not_nan: bool,
    },
    /// The negative of a constant variable, given by its number.
    Negative(usize),
    Int(i64),
    Float(f64),
}

/// A parsed pattern. The last node is the root; operands precede the operations that use them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) nodes: Vec<Node>,
}

impl Pattern {
    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Parses a pattern. Rules are compiled in, so that an error is a bug; it is described by the
    /// message.
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
                    let (op, single_use, srcs) = open.pop().ok_or("unmatched ')'")?;
                    if srcs.len() != op.info().srcs.len() {
                        return Err(format!("wrong number of operands of {op:?}"));
                    }
                    p.nodes.push(Node::Op {
                        op,
                        srcs,
                        single_use,
                    });
                }
                _ => p.nodes.push(Self::parse_leaf(w)?),
            }
            let at = p.nodes.len() - 1;
            match open.last_mut() {
                Some((_, _, srcs)) => srcs.push(at),
                None if words.next().is_some() => return Err("text after the pattern".into()),
                None => {}
            }
        }
        if open.is_empty() && !p.nodes.is_empty() {
            Ok(p)
        } else {
            Err("unmatched '('".into())
        }
    }

    fn parse_leaf(w: &str) -> Result<Node, String> {
        if let Some(name) = w.strip_prefix('-').filter(|name| name.starts_with('#')) {
            return match Self::parse_leaf(name)? {
                Node::Var { number, .. } => Ok(Node::Negative(number)),
                _ => Err(format!("{w}: no variable")),
            };
        }
        let bare = w.strip_prefix('#').unwrap_or(w);
        let mut chars = bare.chars();
        match (chars.next(), chars.as_str()) {
            (Some(c @ 'a'..='h'), rest @ ("" | "1" | "n")) => Ok(Node::Var {
                number: c as usize - 'a' as usize,
                constant: bare.len() != w.len(),
                boolean: rest == "1",
                not_nan: rest == "n",
            }),
            _ if w == "true" => Ok(Node::Int(1)),
            _ if w == "false" => Ok(Node::Int(0)),
            _ if w.contains('.') => w.parse().map(Node::Float).map_err(|e| format!("{w}: {e}")),
            _ => w.parse().map(Node::Int).map_err(|e| format!("{w}: {e}")),
        }
    }

    /// The sum of the costs of the operations in the table of operations.
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

/// Maximum number of variables of a pattern.
pub(crate) const VARIABLES: usize = 8;
/// Stands for "no variable" where a variable's number is expected.
pub(crate) const NO_VARIABLE: u8 = VARIABLES as u8;
/// Flips the sign of a float of `bits` bits, given as its bit pattern.
pub(crate) fn negate_float(bits: u8, x: u64) -> u64 {
    x ^ 1 << (bits - 1)
}
/// The bit pattern of a constant node at `bits` bits. `None` for other nodes, and for floats of a
/// size that does not exist.
pub(crate) fn constant_bits(node: &Node, bits: u8) -> Option<u64> {
    match *node {
        Node::Int(v) => Some(v as u64 & fold::mask(bits)),
        Node::Float(x) => {
            matches!(bits, 16 | 32 | 64).then(|| fold::round_float(bits, x.into(), false))
        }
        _ => None,
    }
}

/// The bit size of every node of a pattern, given the root's and the variables'. `None` if some
/// size cannot be inferred or does not fit.
pub(crate) fn infer_bits(
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
                // The bit size shared by its `Same` operands: that of the result, or of a variable
                // below.
                let mut shared = match info.out.size {
                    SizeRule::Same => bits[at],
                    _ => 0,
                };
                if let SizeRule::Fixed(n) = info.out.size {
                    if bits[at] != 0 && bits[at] != n {
                        return None;
                    }
                    bits[at] = n;
                }
                if shared == 0 {
                    shared = operand_bits(p, at, &var).unwrap_or(0);
                }
                for (k, n) in srcs.iter().enumerate() {
                    bits[*n] = match info.srcs[k].ty.size {
                        SizeRule::Same => shared,
                        SizeRule::Fixed(n) => n,
                        SizeRule::Free => bits_from_below(p, *n, &var).unwrap_or(0),
                    };
                }
                if info.out.size == SizeRule::Free && bits[at] == 0 {
                    return None;
                }
            }
            Node::Int(_) | Node::Float(_) => {}
        }
    }
    bits.iter().all(|b| *b != 0).then_some(bits)
}

/// The bit size of an operation's `Same` operands, inferred from the variables below it.
fn operand_bits(p: &Pattern, at: usize, var: &impl Fn(usize) -> Option<u8>) -> Option<u8> {
    let Node::Op { op, srcs, .. } = &p.nodes[at] else {
        return None;
    };
    let mut work: SmallVec<[usize; 8]> = SmallVec::new();
    for (k, n) in srcs.iter().enumerate() {
        if op.info().srcs[k].ty.size == SizeRule::Same {
            work.push(*n);
        }
    }
    while let Some(n) = work.pop() {
        match &p.nodes[n] {
            Node::Var { number, .. } | Node::Negative(number) => return var(*number),
            Node::Op { op, srcs, .. } => match op.info().out.size {
                SizeRule::Fixed(b) => return Some(b),
                SizeRule::Same => {
                    for (k, n) in srcs.iter().enumerate() {
                        if op.info().srcs[k].ty.size == SizeRule::Same {
                            work.push(*n);
                        }
                    }
                }
                SizeRule::Free => {}
            },
            _ => {}
        }
    }
    None
}

/// The bit size of a node, inferred only from the nodes below it.
fn bits_from_below(p: &Pattern, at: usize, var: &impl Fn(usize) -> Option<u8>) -> Option<u8> {
    match &p.nodes[at] {
        Node::Var { number, .. } | Node::Negative(number) => var(*number),
        Node::Op { op, .. } => match op.info().out.size {
            SizeRule::Fixed(b) => Some(b),
            SizeRule::Same => operand_bits(p, at, var),
            SizeRule::Free => None,
        },
        _ => None,
    }
}
